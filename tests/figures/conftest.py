"""All figures, made once by the command itself in a process of its own."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from posenc_lib.figures import FIGURES
from posenc_lib.figures.formats import FORMATS


def run(*arguments, cwd, seed="0"):
    """Run the command as a user would; every process orders its sets in another way."""
    command = [sys.executable, "-m", "posenc_lib", "figures", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True)


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """The folder as the command fills it: each figure in the formats that are committed."""
    return _once(tmp_path_factory, "made", lambda folder: run("--out", folder, cwd=folder, seed="1"))


@pytest.fixture(scope="session")
def everything(tmp_path_factory):
    """Every figure in every format; for tests that are slow."""
    formats = ",".join(FORMATS)
    folder = _once(
        tmp_path_factory, "everything", lambda folder: run("make", *FIGURES, "--format", formats, cwd=folder, seed="1")
    )
    assert len(list(folder.iterdir())) == len(FIGURES) * len(FORMATS)
    return folder


@pytest.fixture(params=["made", pytest.param("everything", marks=pytest.mark.slow)])
def folder(request):
    """Each of the two folders."""
    return request.getfixturevalue(request.param)


def _once(tmp_path_factory, name: str, make) -> Path:
    """Return a folder that is filled once; of several test processes the first does it."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder, told = shared / name, shared / f"{name}.txt"
    try:
        folder.mkdir()
    except FileExistsError:
        while not told.exists():
            time.sleep(0.2)
    else:
        told.write_text(make(folder).stderr)
    assert any(folder.iterdir()), told.read_text()
    return folder
