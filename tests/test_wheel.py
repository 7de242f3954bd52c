"""The wheel, where nothing is installed but what it asks for."""

import re
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from .conftest import ROOT, copied, tracked

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from a copy of what git knows of."""
    folder = tmp_path_factory.mktemp("wheel")
    files = [path for path in tracked() if path.is_relative_to(ROOT / "posenc_lib") or path.parent == ROOT]
    copy = copied(folder / "copy", files)
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", str(folder), str(copy)]
    subprocess.run(command, check=True, capture_output=True)
    (made,) = folder.glob("posenc_lib-*.whl")
    return made


def wanted(requirements) -> set[str]:
    """Return the names that requirements without an extra lead to, however far."""
    names = set()
    for line in requirements or ():
        name, _, marker = line.partition(";")
        name = re.match(r"[\w.-]+", name)[0]
        if "extra" not in marker:
            try:
                names |= {name} | (set() if name in names else wanted(metadata.requires(name)))
            except metadata.PackageNotFoundError:
                assert marker, f"{name} is needed and not here"  # for another system
    return names


def place(folder: Path, wheel: Path, names: set[str]) -> Path:
    """Return a folder that holds the wheel and links to these distributions, as an environment of its own would."""
    folder.mkdir()
    zipfile.ZipFile(wheel).extractall(folder)
    for name in names:
        for file in metadata.files(name):
            top = file.parts[0]
            if top not in ("..", "__pycache__") and not (folder / top).exists():
                (folder / top).symlink_to(_top(file))
    return folder


def _top(file: metadata.PackagePath) -> Path:
    """Return the folder or file of an installation that a file of it lies in."""
    path = Path(file.locate())
    return path if len(file.parts) == 1 else path.parents[len(file.parts) - 2]


def run(folder: Path, code: str, cwd: Path, *arguments: str) -> subprocess.CompletedProcess:
    """Run code that sees this folder and the standard library alone."""
    start = f"import sys; sys.path.insert(0, {str(folder)!r}); sys.argv[1:] = {list(arguments)!r}\n"
    command = [sys.executable, "-I", "-S", "-c", start + code]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd)


def of(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        text = archive.read(name).decode()
    return re.findall(r"^Requires-Dist: (.*)$", text, re.M)


def test_the_wheel_brings_its_own_files_and_asks_for_three_libraries(wheel):
    needed = {re.match(r"\w+", line)[0] for line in of(wheel) if "extra" not in line}
    assert needed == {"numpy", "matplotlib", "ipywidgets"}
    inside = zipfile.ZipFile(wheel).namelist()
    tracked = [path.relative_to(ROOT).as_posix() for path in (ROOT / "posenc_lib").rglob("*") if path.is_file()]
    assert {name for name in tracked if "__pycache__" not in name} <= set(inside)
    assert not [name for name in inside if name.startswith(("tests", "notebooks", "figures/"))]


def test_encodings_need_numpy_alone(wheel, tmp_path):
    folder = place(tmp_path / "numpy", wheel, {"numpy"})
    code = """
import posenc_lib as pe
assert pe.rope(pe.sinusoidal(4, 8)).shape == (4, 8)
print(pe.scorecard(["sinusoidal", "alibi"]))
try:
    pe.explore
except ImportError as error:
    print(error)
"""
    told = run(folder, code, tmp_path)
    assert told.returncode == 0, told.stderr
    assert "only the offset counts" in told.stdout
    assert "No module named" in told.stdout


def test_explorers_figures_and_a_notebooks_cell_need_no_server(wheel, tmp_path):
    folder = place(tmp_path / "library", wheel, wanted(of(wheel)))
    assert not (folder / "jupyterlab").exists()
    assert not (folder / "nbconvert").exists()
    code = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
done = shell.run_cell("from posenc_lib import explore, figure; panel = explore('rope'); figure('toeplitz')")
assert done.success, done.error_in_exec
panel = shell.user_ns["panel"]
panel.set(base=100.0)
panel.save("panel.svg")
print(panel.text)
from posenc_lib.__main__ import main
assert main(["figures", "make", "ladder", "--format", "png,gif"]) == 0
assert main(["notebooks"]) == 2
"""
    told = run(folder, code, tmp_path)
    assert told.returncode == 0, told.stderr
    assert "base 100" in told.stdout
    assert {path.name for path in tmp_path.glob("*.*")} == {"panel.svg", "ladder.png", "ladder.gif"}
    assert "need the extra lab" in told.stderr
