"""All figures in all formats, made once by the command itself in a process of its own."""

import os
import subprocess
import sys
import time

import pytest

from posenc_lib.figures import FIGURES
from posenc_lib.figures.formats import FORMATS


def run(*arguments, cwd, seed="0"):
    """Run the command as a user would; every process orders its sets in another way."""
    command = [sys.executable, "-m", "posenc_lib", "figures", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True)


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """The folder that holds every figure in every format; of several test processes the first makes it."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder, told = shared / "made", shared / "made.txt"
    try:
        folder.mkdir()
    except FileExistsError:
        while not told.exists():
            time.sleep(0.2)
    else:
        told.write_text(run("make", *FIGURES, "--format", ",".join(FORMATS), cwd=folder, seed="1").stderr)
    assert len(list(folder.iterdir())) == len(FIGURES) * len(FORMATS), told.read_text()
    return folder
