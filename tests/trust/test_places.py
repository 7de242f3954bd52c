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
from .kernels import PATHS, plain, stored, words

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
paths = sorted(pathlib.Path(sys.argv[1]).glob("*.ipynb"))
for path in paths:
    names = {"__name__": "__main__"}
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            exec(cell.source, names)
watching = False
library = getattr(sys.modules.get("posenc_lib"), "__file__", None)
print()
print(json.dumps({"notebooks": len(paths), "network": network, "changed": changed, "library": library}))
"""
RUN = """
import sys
import nbformat
from nbclient import NotebookClient
book = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(book, kernel_name="python3", timeout=120, resources={"metadata": {"path": sys.argv[2]}}).execute()
sys.stdout.buffer.write(nbformat.writes(book).encode())
"""
LESSON = "02_integers.ipynb"  # the quickest one that has explorers and puzzles
OWN = ("jupyter", "ipython", "matplotlib", "fontconfig")  # who may keep something in a home


@pytest.fixture(scope="module")
def far(tmp_path_factory):
    """A copy of the checkout that nobody can write, under a path with spaces and Chinese characters."""
    copy = tmp_path_factory.mktemp("far") / "a b 位置编码" / "checkout"
    for room in ("posenc_lib", "notebooks"):
        shutil.copytree(ROOT / room, copy / room, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    lock(copy, False)
    yield copy
    lock(copy, True)


@pytest.fixture
def away(tmp_path, far):
    """Folders of a reader's own (`work`, `home`, `temporary`, `jupyters`) and the environment that names them."""
    for name in ("work", "home", "temporary", "jupyters"):
        (tmp_path / name).mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MPL", "XDG", "JUPYTER", "IPY"))}
    kept |= {"HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "temporary"), "PYTHONPATH": str(far)}
    yield tmp_path, kept
    lock(tmp_path / "home", True)


def lock(folder, writable):
    """Take the right to write from a folder and all in it, or give it back to its owner."""
    for path in [folder, *folder.rglob("*")]:
        mode = path.stat().st_mode
        path.chmod(mode | stat.S_IWUSR if writable else mode & ~0o222)


def watched(folder, away):
    """Run the cells of a folder's notebooks in a home that cannot be written; return the process and its report."""
    place, environment = away
    lock(place / "home", False)
    command = [*plain(place / "home"), sys.executable, "-c", WATCH, str(folder)]
    done = subprocess.run(command, cwd=place / "work", env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done, json.loads(done.stdout.splitlines()[-1])


def run(lesson, away, before=(), **more):
    """Run one lesson in a kernel of its own; return its cells."""
    place, environment = away
    command = [*before, sys.executable, "-c", RUN, str(lesson), str(place / "work")]
    done = subprocess.run(command, cwd=place / "work", env=environment | more, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [cell for cell in nbformat.reads(done.stdout, as_version=4).cells if cell.cell_type == "code"]


def test_a_cell_that_asks_for_the_network_or_writes_a_file_is_noticed(tmp_path, away):
    source = "import socket\nsocket.socket().close()\nopen('left behind', 'w').close()"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)]), tmp_path / "a.ipynb")
    report = watched(tmp_path, away)[1]
    assert report["network"] == ["socket.__new__"]
    assert report["changed"] == ["left behind"]


@pytest.mark.slow
def test_all_lessons_run_where_nothing_can_be_written_and_ask_for_no_network(far, away, record_property):
    done, report = watched(far / "notebooks", away)
    assert report["notebooks"] == len(PATHS)
    assert report["library"] == str(far / "posenc_lib/__init__.py")
    assert report["network"] == []
    home, temporary = (str(away[0] / name) for name in ("home", "temporary"))
    mine = [path for path in report["changed"] if "__pycache__" not in path and not path.startswith(temporary)]
    assert [path for path in mine if not path.startswith((f"{home}/.config", f"{home}/.cache"))] == []
    assert list((away[0] / "temporary").iterdir()) == []
    assert done.stderr == ""
    record_property("lessons in a read-only place", f"{len(PATHS)} notebooks, no connection, no file left")


@pytest.mark.slow
def test_a_lesson_in_jupyter_says_the_same_where_the_home_cannot_be_written(far, away):
    place, _ = away
    lock(place / "home", False)
    own = ("JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR")
    before = plain(place / "home")
    cells = run(far / "notebooks" / LESSON, away, before, **{name: str(place / "jupyters" / name) for name in own})
    expected = nbformat.read(ROOT / "notebooks" / LESSON, as_version=4).cells
    shown = [words(stored(cell)) for cell in cells]
    assert shown == [words(stored(cell)) for cell in expected if cell.cell_type == "code"]
    assert list((place / "work").iterdir()) == []


@pytest.mark.slow
def test_a_lesson_leaves_in_a_home_only_what_jupyter_and_matplotlib_keep_there(far, away, record_property):
    place, _ = away
    run(far / "notebooks" / LESSON, away)
    left = [path.relative_to(place / "home").as_posix() for path in (place / "home").rglob("*") if path.is_file()]
    assert left
    assert [path for path in left if not any(name in path for name in OWN)] == []
    assert list((place / "work").iterdir()) == []
    record_property("written to a home by a lesson", ", ".join(sorted(left)))


@pytest.mark.slow
def test_the_suite_runs_with_networking_taken_away():
    if subprocess.run(["unshare", "--map-root-user", "--net", "true"], capture_output=True).returncode:
        pytest.skip("this machine does not let a test take its network away")
    command = [
        "bash",
        str(ROOT / "tests/trust/offline.sh"),
        "-q",
        "-p",
        "no:cacheprovider",
        "tests/trust/test_cells.py",
    ]
    done = subprocess.run([*command, "-k", "alone and 02_integers"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No network: a way out is answered by Network is unreachable" in done.stdout
    assert "1 passed" in done.stdout
