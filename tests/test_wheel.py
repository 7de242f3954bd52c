"""The wheel, where nothing is installed but what it asks for."""

import subprocess
import sys
import zipfile
from importlib import metadata

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from .conftest import ROOT, copied, tracked

pytestmark = pytest.mark.slow
FOUR = {"numpy", "matplotlib", "ipywidgets", "anywidget"}
ALONE = """
import sys
folder, hidden = {!r}

class Hide:
    def find_spec(self, name, *rest):
        if name.partition(".")[0] in hidden:
            raise ModuleNotFoundError(f"No module named {{name!r}}")

sys.path.insert(0, folder)
sys.meta_path.insert(0, Hide())
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Return the folder that holds what the wheel brings, built from a copy of what git knows."""
    folder, library = tmp_path_factory.mktemp("wheel"), ROOT / "posenc_lib"
    files = [path for path in tracked() if path.is_relative_to(library) or path.parent == ROOT]
    copy = copied(folder / "copy", files)
    command = [sys.executable, *"-m pip wheel --no-deps --no-build-isolation -w".split()]
    command += [str(folder), str(copy)]
    subprocess.run(command, check=True, capture_output=True)
    (made,) = folder.glob("posenc_lib-*.whl")
    zipfile.ZipFile(made).extractall(folder / "brought")
    return folder / "brought"


def wanted(requirements) -> set[str]:
    """Return the names that requirements lead to here without any extra, however far."""
    names: set[str] = set()
    for one in map(Requirement, requirements or ()):
        if not one.marker or one.marker.evaluate({"extra": ""}):
            names |= {canonicalize_name(one.name)} | wanted(metadata.requires(one.name))
    return names


def test_the_wheel_brings_its_own_files_and_asks_for_four_libraries(wheel):
    (brought,) = metadata.distributions(path=[str(wheel)])
    assert {one.name for one in map(Requirement, brought.requires) if not one.marker} == FOUR
    inside = {path.relative_to(wheel) for path in wheel.rglob("*") if path.is_file()}
    ours = {path.relative_to(ROOT) for path in tracked()}
    ours = {path for path in ours if path.parts[0] == "posenc_lib"}
    assert ours <= inside
    assert {path.parts[0] for path in inside - ours} == {next(wheel.glob("*.dist-info")).name}


def test_all_runs_without_a_server_where_neither_threads_nor_processes_can_be_started(
    wheel, tmp_path
):
    code = """
import threading

def start(self):
    raise RuntimeError("can't start new thread")

threading.Thread.start = start
import posenc_lib as pe
assert pe.__file__.startswith(folder)
for name in dir(pe):
    getattr(pe, name)
panel = pe.explore("rope")
panel.set(base=100.0)
panel.save("panel.svg")
pe.playground()._repr_mimebundle_()
pe.figure("ladder")._repr_mimebundle_()
repr(pe.scorecard(["rope"]))
pe.check("quarter", lambda q: q)
from posenc_lib.lessons.training.live import Plan, Training
training = Training(Plan("rope", "look_back", steps=2))
training.start()
assert training.wait() is training.run is not None
print(panel.text)
from posenc_lib.__main__ import main
assert main(["figures", "make", "ladder", "--format", "png,gif"]) == 0
assert main(["notebooks"]) == 2
"""
    allowed = wanted(FOUR)
    assert not {"jupyterlab", "nbclient", "notebook"} & allowed
    hidden = {"_multiprocessing", "_posixshmem"}  # as in Pyodide
    for module, names in metadata.packages_distributions().items():
        if module != "posenc_lib" and not allowed & set(map(canonicalize_name, names)):
            hidden.add(module)
    command = [sys.executable, "-I", "-c", ALONE.format((str(wheel), hidden)) + code]
    told = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    assert "base 100" in told.stdout
    assert {path.name for path in tmp_path.glob("*.*")} == {"panel.svg", "ladder.png", "ladder.gif"}
    assert "needs the lab extra" in told.stderr
