"""A lesson runs anywhere, in a folder of any name: it writes no file and asks for no network."""

import os
import shutil
import subprocess
import sys

import pytest

from ..conftest import ROOT

LESSON = "02_integers.ipynb"  # the quickest one that has explorers and puzzles
# Runs every cell of a lesson in a shell of IPython, and prints what was asked of network and disk.
WATCH = """
import os, sys, nbformat
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.history_manager.enabled = False
def watch(event, arguments):
    asked = event.startswith("socket.") or event in ("os.mkdir", "os.rename", "os.remove")
    if event == "open" and isinstance(arguments[0], str):
        asked = arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    if watching and asked:
        os.write(2, f"asked {event} {arguments[0]}\\n".encode())
watching = True
sys.addaudithook(watch)
for cell in nbformat.read(sys.argv[1], as_version=4).cells:
    if cell.cell_type == "code":
        assert shell.run_cell(cell.source).success, cell.source
shell.run_cell("import socket; socket.socket().close(); open('left behind', 'w').close()")
watching = False
print(sys.modules["posenc_lib"].__file__)
"""


@pytest.mark.slow
def test_a_lesson_runs_anywhere_leaves_no_file_behind_and_asks_for_no_network(tmp_path):
    far, home = tmp_path / "a b 位置编码", tmp_path / "home"
    for room in ("posenc_lib", "notebooks"):
        shutil.copytree(ROOT / room, far / room, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    home.mkdir()
    own = ("MPL", "XDG", "JUPYTER", "IPY")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    moved = {"HOME": str(home), "TMPDIR": str(home), "PYTHONPATH": str(far)}
    command = [sys.executable, "-c", WATCH, str(far / "notebooks" / LESSON)]
    done = subprocess.run(command, cwd=tmp_path, env=kept | moved, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == str(far / "posenc_lib/__init__.py")
    noise = ("__pycache__", str(home))  # what Python, IPython and matplotlib keep for themselves
    asked = [line for line in done.stderr.splitlines() if not any(part in line for part in noise)]
    asked = [line.split("asked ")[-1].split(" <")[0] for line in asked]
    assert asked == ["socket.__new__", "open left behind"]


# Looks for fonts as on a machine where matplotlib has never been, and as if that took long.
FRESH = """
import logging, threading
class Timer:
    def __init__(self, seconds, call): self.start = call
    def cancel(self): print("fonts were listed")
threading.Timer = Timer
import posenc_lib as pe
pe.explore("sinusoidal"), pe.figure("ladder")
logging.getLogger("matplotlib.font_manager").warning("another matter")
"""


def test_the_first_picture_on_a_machine_has_no_red_line_above_it(tmp_path):
    new = os.environ | {"MPLCONFIGDIR": str(tmp_path)}
    command = [sys.executable, "-c", FRESH]
    done = subprocess.run(command, env=new, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["fonts were listed"]
    assert done.stderr.splitlines() == ["another matter"]
