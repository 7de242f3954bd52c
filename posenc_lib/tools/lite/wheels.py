"""The wheels Pyodide doesn't have: the library's own and its dependencies."""

import re
import shutil
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PINS = Path(__file__).with_name("wheels.txt")
# they contain what JupyterLab loads: for widgets, and to start Python
OF_THE_PAGE = ("anywidget-", "jupyterlab_widgets-", "jupyterlite_pyodide_kernel-")
NOT_FOR_PYTHON = OF_THE_PAGE[1:]
OF_THE_KERNEL = re.compile(r".*/pypi/((?:piplite|pyodide_kernel|ipykernel)-[^/]*\.whl)")
COMPILES = "3.12"  # like Pyodide's Python, which can't read what others compile
PURE = (
    f"--only-binary :all: --python-version {COMPILES} --platform any --implementation py --abi none"
)


def gather(clone: Path, folder: Path) -> list[Path]:
    """Build the library's wheel, fetch the others; return the ones for Python.

    Raises:
        ValueError: this isn't a clone of the project. OSError: pip failed, with its output.
    """
    if not (clone / "pyproject.toml").exists():
        raise ValueError(f"the library's wheel is built from a clone, but {clone} isn't one")
    _pip("download", "--no-deps", "--require-hashes", *PURE.split(), "-r", PINS, "-d", folder)
    copy = folder.with_name("copy")  # setuptools would leave files in the clone
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(clone / "posenc_lib", copy / "posenc_lib", ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(clone / name, copy)
    _pip("wheel", "--no-deps", "--no-build-isolation", "-w", folder, copy)
    (kernel,) = folder.glob(f"{OF_THE_PAGE[2]}*")
    with zipfile.ZipFile(kernel) as opened:
        for found in filter(None, map(OF_THE_KERNEL.fullmatch, opened.namelist())):
            (folder / found[1]).write_bytes(opened.read(found[0]))
    return [path for path in folder.glob("*.whl") if not path.name.startswith(NOT_FOR_PYTHON)]


def of_the_page(folder: Path) -> list[Path]:
    """Return the wheels with what JupyterLab loads."""
    return [path for path in folder.glob("*.whl") if path.name.startswith(OF_THE_PAGE)]


def entry(wheel: Path, known: set[str]) -> dict:
    """Return a wheel's entry in the lock file, with only the known names among its needs."""
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
        (about,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(opened.read(about).decode())
    asked = map(Requirement, metadata.get_all("Requires-Dist", []))
    needs = {one.name for one in asked if not one.marker or one.marker.evaluate({"extra": ""})}
    tops = {name.split("/")[0].removesuffix(".py") for name in names}
    return {
        "name": canonicalize_name(metadata["Name"]),
        "version": metadata["Version"],
        "file_name": wheel.name,
        "install_dir": "site",
        "package_type": "package",
        "imports": sorted(top for top in tops if top.isidentifier()),
        "depends": sorted({*map(canonicalize_name, needs)} & known),
        "unvendored_tests": False,
    }


def compile_all(folder: Path) -> None:
    """Compile all Python in a folder, if there's a Python like the browser's.

    A browser would do it again every time, which takes as long as everything else.
    """
    for python in (sys.executable, shutil.which(f"python{COMPILES}")):
        if python and _version(python) == COMPILES:
            script = Path(__file__).with_name("compiled.py")
            subprocess.run([python, "-I", "-W", "ignore", script, folder], check=True)
            return
    print(f"no Python {COMPILES} here: the lessons will start, but a few seconds more slowly")


def _version(python: str) -> str:
    code = "import sys; print(*sys.version_info[:2], sep='.')"
    told = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True)
    return told.stdout.strip()


def _pip(*arguments) -> None:
    command = [sys.executable, "-m", "pip", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise OSError(f"pip {arguments[0]} failed: {done.stderr.strip()[-800:]}")
