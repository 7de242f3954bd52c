"""Lessons run anywhere: a strange path, a checkout and a home that cannot be written, no network at all."""

import json
import os
import shutil
import stat
import subprocess
import sys

import nbformat
import pytest

from ..conftest import ROOT
from .kernels import PATHS, code_cells, plain, shown, words

# Runs every cell of a folder's notebooks and tells, as its last line, what they asked of network and disk.
WATCH = """
import json, os, pathlib, sys
import nbformat
network, changed, watching = [], [], True
def watch(event, arguments):
    if not watching:
        return
    if event.startswith("socket."):
        network.append(event)
    if event == "open" and isinstance(arguments[0], str) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        changed.append(arguments[0])
    if event in ("os.mkdir", "os.rename", "os.remove"):
        changed.append(str(arguments[0]))
sys.addaudithook(watch)
for path in pathlib.Path(sys.argv[1]).glob("*.ipynb"):
    names = {"__name__": "__main__"}
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            exec(cell.source, names)
watching = False
library = getattr(sys.modules.get("posenc_lib"), "__file__", None)
print()
print(json.dumps({"network": network, "changed": changed, "library": library}))
"""
JUPYTER = """
import sys
import nbformat
from nbclient import NotebookClient
book = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(book, kernel_name="python3", timeout=120).execute(cwd=".")
nbformat.write(book, sys.argv[2])
"""
LESSON = "02_integers.ipynb"  # the quickest one that has explorers and puzzles
OWN = ("jupyter", "ipython", "matplotlib", "fontconfig")  # who may keep something in a home
MOVED = ("JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR")


@pytest.fixture(scope="module")
def far(tmp_path_factory):
    """A copy of the checkout that nobody can write, under a path with spaces and Chinese characters."""
    copy = tmp_path_factory.mktemp("far") / "a b 位置编码" / "checkout"
    for room in ("posenc_lib", "notebooks"):
        shutil.copytree(ROOT / room, copy / room, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    lock(copy)
    yield copy
    lock(copy, stat.S_IWUSR)


def lock(folder, owner=0):
    """Take the right to write from a folder and all in it, or leave it to its owner."""
    for path in [folder, *folder.rglob("*")]:
        path.chmod(path.stat().st_mode & ~0o222 | owner)


@pytest.fixture
def run(tmp_path, far):
    """A function that runs code in the folder `work`, with a home of its own that may be locked."""
    home = tmp_path / "home"
    for name in ("work", "home", "temporary", *MOVED):
        (tmp_path / name).mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MPL", "XDG", "JUPYTER", "IPY"))}
    kept |= {"HOME": str(home), "TMPDIR": str(tmp_path / "temporary"), "PYTHONPATH": str(far)}

    def run(code, *arguments, locked=True):
        if locked:
            lock(home)
        moved = {name: str(tmp_path / name) for name in MOVED} if locked else {}
        command = [*(plain(home) if locked else []), sys.executable, "-c", code, *map(str, arguments)]
        done = subprocess.run(command, cwd=tmp_path / "work", env=kept | moved, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done

    yield run
    lock(home, stat.S_IWUSR)


def test_a_cell_that_asks_for_the_network_or_writes_a_file_is_noticed(tmp_path, run):
    source = "import socket\nsocket.socket().close()\nopen('left behind', 'w').close()"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)]), tmp_path / "a.ipynb")
    report = json.loads(run(WATCH, tmp_path).stdout.splitlines()[-1])
    assert (report["network"], report["changed"]) == (["socket.__new__"], ["left behind"])


@pytest.mark.slow
def test_all_lessons_run_where_nothing_can_be_written_and_ask_for_no_network(far, tmp_path, run, record_property):
    done = run(WATCH, far / "notebooks")
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["library"] == str(far / "posenc_lib/__init__.py")
    assert report["network"] == []
    allowed = tuple(str(tmp_path / place) for place in ("temporary", "home/.config", "home/.cache"))
    assert [path for path in report["changed"] if "__pycache__" not in path and not path.startswith(allowed)] == []
    assert list((tmp_path / "temporary").iterdir()) == []
    assert done.stderr == ""
    record_property("lessons in a read-only place", f"{len(PATHS)} notebooks, no connection, no file left")


@pytest.mark.slow
@pytest.mark.parametrize("locked", [True, False])
def test_a_lesson_in_jupyter_says_what_is_stored_and_leaves_nothing_of_its_own(far, tmp_path, run, locked):
    run(JUPYTER, far / "notebooks" / LESSON, tmp_path / "run.ipynb", locked=locked)
    said, stored = (code_cells(path) for path in (tmp_path / "run.ipynb", ROOT / "notebooks" / LESSON))
    assert [words(shown(cell)) for cell in said] == [words(shown(cell)) for cell in stored]
    assert list((tmp_path / "work").iterdir()) == []
    left = [path.relative_to(tmp_path).as_posix() for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert bool(left) is not locked
    assert [path for path in left if not any(name in path for name in OWN)] == []


@pytest.mark.slow
def test_the_suite_runs_with_networking_taken_away():
    if subprocess.run(["unshare", "--map-root-user", "--net", "true"], capture_output=True).returncode:
        pytest.skip("this machine does not let a test take its network away")
    command = ["bash", ROOT / "tests/trust/offline.sh", "-q", "-p", "no:cacheprovider", "tests/trust/test_cells.py"]
    done = subprocess.run([*command, "-k", "run_twice and 02_integers"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No network: a way out is answered by Network is unreachable" in done.stdout
    assert "1 passed" in done.stdout
