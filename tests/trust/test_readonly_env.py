"""A lesson runs anywhere: a strange path, a checkout and a home that cannot be written, no network at all."""

import os
import shutil
import stat
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
    writes = event == "open" and isinstance(arguments[0], str) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    if watching and (writes or event.startswith("socket.") or event in ("os.mkdir", "os.rename", "os.remove")):
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


def lock(folder, owner=0):
    """Take the right to write from a folder and all in it, or leave it to its owner."""
    for path in [folder, *folder.rglob("*")]:
        path.chmod(path.stat().st_mode & ~0o222 | owner)


def plain(folder) -> list[str]:
    """Return what stands before a command so that it cannot write to a locked folder, even if root runs the tests."""
    if not os.access(folder, os.W_OK):
        return []
    rights = "-dac_override,-dac_read_search"
    before = ["setpriv", f"--bounding-set={rights}", f"--inh-caps={rights}"]
    if not shutil.which("setpriv") or not subprocess.run([*before, "test", "-w", str(folder)]).returncode:
        pytest.skip("root may write everywhere here")
    return before


@pytest.fixture
def far(tmp_path):
    """A copy of the checkout and a home that nobody can write, under a path with spaces and Chinese characters."""
    folder = tmp_path / "a b 位置编码"
    for room in ("posenc_lib", "notebooks"):
        shutil.copytree(ROOT / room, folder / room, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    (folder / "home").mkdir()
    lock(folder)
    yield folder
    lock(folder, stat.S_IWUSR)


@pytest.mark.slow
def test_a_lesson_runs_where_nothing_can_be_written_and_asks_for_no_network(far, tmp_path):
    for name in ("work", "temporary"):
        (tmp_path / name).mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MPL", "XDG", "JUPYTER", "IPY"))}
    moved = {"HOME": str(far / "home"), "TMPDIR": str(tmp_path / "temporary"), "PYTHONPATH": str(far)}
    moved["IPYTHONDIR"] = str(tmp_path / "temporary" / "ipython")  # where the shell, not the library, keeps things
    command = [*plain(far / "home"), sys.executable, "-c", WATCH, str(far / "notebooks" / LESSON)]
    done = subprocess.run(command, cwd=tmp_path / "work", env=kept | moved, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == str(far / "posenc_lib/__init__.py")
    noise = ("__pycache__", str(tmp_path / "temporary"), str(far / "home"))
    asked = [line for line in done.stderr.splitlines() if not any(part in line for part in noise)]
    assert [line.split("asked ")[-1].split(" <")[0] for line in asked] == ["socket.__new__", "open left behind"]
    assert [path.name for path in (tmp_path / "temporary").iterdir()] == ["ipython"]
