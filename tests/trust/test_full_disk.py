"""A full disk, a folder that cannot be written, a target that is none: said in words, and the old files stay."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from posenc_lib.__main__ import main
from posenc_lib.lessons import store

from .kernels import plain

COMMAND = [sys.executable, "-m", "posenc_lib"]
FIGURES = ("toeplitz", "shaw_clip", "wavelengths")
NOTEBOOKS = {"a.ipynb": "1 + 1", "b.ipynb": "1 + 1"}
OLD = b"old"
# Mounts a small disk, fills it with the old files, runs the command there, and copies out what is left.
ON_A_DISK = """
mount -t tmpfs -o size=$1 none "$2" && cp "$3"/* "$2" && { [ "$4" = rw ] || mount -o remount,$4 "$2"; } || exit 99
"${@:5}"
status=$?
cp -a "$2/." "$3"
exit $status
"""


def figures(folder, *names):
    return main(["figures", "make", *(names or FIGURES), "--out", str(folder)])


def filled(folder, names, notebooks):
    """Return a new folder of old figures and of notebooks with a cell each."""
    folder.mkdir()
    for name in names:
        (folder / f"{name}.png").write_bytes(OLD)
    for name, source in notebooks.items():
        cell = nbformat.v4.new_code_cell(source, id="one")
        nbformat.write(nbformat.v4.new_notebook(cells=[cell]), folder / name)
    return folder


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


async def unrun(client, **options):
    """What stands for running a notebook, without a kernel."""


@pytest.fixture
def room(tmp_path, monkeypatch):
    """A folder of old figures and notebooks, and the notebooks' cells run without a kernel."""
    monkeypatch.setattr(store.NotebookClient, "async_execute", unrun)
    return filled(tmp_path / "room", FIGURES, NOTEBOOKS)


def half_written(path, data):
    with open(path, "wb") as file:
        file.write(data[: len(data) // 2])
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def not_replaced(path, target):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(("step", "failing"), [("write_bytes", half_written), ("replace", not_replaced)])
@pytest.mark.parametrize(
    ("command", "named"), [(figures, ["toeplitz.png"]), (lambda r: main(["notebooks", str(r)]), NOTEBOOKS)]
)
def test_a_disk_that_gets_full_while_writing_is_said_and_changes_nothing(
    room, monkeypatch, capsys, command, named, step, failing
):
    before = contents(room)
    monkeypatch.setattr(Path, step, failing)
    assert command(room) == 1
    monkeypatch.undo()
    told = capsys.readouterr().err
    for name in named:
        assert [line for line in told.splitlines() if name in line and "No space left on device" in line], told
    assert "Traceback" not in told
    assert contents(room) == before


def test_a_notebook_that_cannot_be_written_does_not_stop_the_others(room, monkeypatch, capsys):
    def first_fails(path, data):
        if path.name == "a.ipynb":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        path.write_bytes(data)

    monkeypatch.setattr(store, "atomic_write", first_fails)
    before = contents(room)
    assert main(["notebooks", str(room)]) == 1
    said = capsys.readouterr()
    assert "a.ipynb: could not be stored: Permission denied" in said.err
    assert "b.ipynb: stored" in said.out
    changed = {name for name, data in contents(room).items() if data != before[name]}
    assert changed == {"b.ipynb"}


def test_a_target_that_is_a_folder_is_said_and_stays(room, capsys):
    for name in ("toeplitz.png", "a.ipynb"):
        (room / name).unlink()
        (room / name / "kept").mkdir(parents=True)
    before = contents(room)
    assert figures(room) == 1
    assert contents(room) == before
    assert main(["notebooks", str(room)]) == 1
    told = capsys.readouterr().err
    assert "toeplitz.png: Is a directory; 0 of 3 files are new" in told
    assert "a.ipynb: is no notebook: IsADirectoryError" in told
    assert (room / "toeplitz.png/kept").is_dir()


@pytest.mark.parametrize("gone", ["notebook", "folder"])
def test_a_notebook_deleted_while_it_runs_comes_back_whole_or_is_said(room, monkeypatch, capsys, gone):
    async def delete(client, **options):
        for path in [room / "a.ipynb"] if gone == "notebook" else list(room.iterdir()):
            path.unlink()
        if gone == "folder":
            room.rmdir()

    monkeypatch.setattr(store.NotebookClient, "async_execute", delete)
    status = main(["notebooks", str(room / "a.ipynb")])
    if gone == "folder":
        assert status == 1
        assert "a.ipynb: could not be stored: No such folder" in capsys.readouterr().err
        assert not room.exists()
    else:
        assert status == 0
        nbformat.validate(nbformat.read(room / "a.ipynb", as_version=4))
        assert not [name for name in contents(room) if name.endswith(".part")]


@pytest.mark.parametrize(
    ("disk", "names", "notebooks", "words", "new"),
    [
        (["128k", "rw"], FIGURES, {}, "shaw_clip.png: No space left on device; 1 of 3 files are new", ["toeplitz.png"]),
        (["64k", "ro"], FIGURES[:1], {}, "toeplitz.png: Read-only file system; 0 of 1 files are new", []),
        pytest.param(
            *(["64k", "rw"], (), {"a.ipynb": r"print('position\n' * 20_000)"}, "No space left on device", []),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_on_a_disk_that_is_full_or_read_only_files_stay_old_or_become_whole_new_ones(
    tmp_path, disk, names, notebooks, words, new
):
    files = filled(tmp_path / "files", names, notebooks)
    before, place = contents(files), tmp_path / "disk"
    place.mkdir()
    apart = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
    asked = ["figures", "make", *names, "--out", str(place)] if names else ["notebooks", str(place)]
    script = [*apart, "bash", "-c", ON_A_DISK, "bash", disk[0], str(place), str(files), disk[1], *COMMAND, *asked]
    done = subprocess.run(script, capture_output=True, text=True)
    if done.returncode == 99 or "unshare" in done.stderr:
        pytest.skip("this machine does not let a test mount a disk")
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    if new:
        figures(tmp_path / "whole")
    assert contents(files) == before | {name: (tmp_path / "whole" / name).read_bytes() for name in new}


def test_a_folder_without_the_right_to_write_is_said(tmp_path):
    locked = filled(tmp_path / "locked", FIGURES[:1], {})
    locked.chmod(0o555)
    command = [*plain(locked), *COMMAND, "figures", "make", "toeplitz", "--out", str(locked)]
    done = subprocess.run(command, capture_output=True, text=True)
    locked.chmod(0o755)
    assert done.returncode == 1
    assert "toeplitz.png: Permission denied; 0 of 1 files are new" in done.stderr
    assert contents(locked) == {"toeplitz.png": OLD}


def test_what_a_killed_run_has_left_is_tidied_away_by_a_later_one(tmp_path):
    target = tmp_path / "a.png"
    target.write_bytes(OLD)
    kill = "import os, sys; from pathlib import Path; from posenc_lib.files import atomic_write\n"
    kill += "Path.replace = lambda *_: os.kill(os.getpid(), 9)\natomic_write(Path(sys.argv[1]), b'new')"
    assert subprocess.run([sys.executable, "-c", kill, str(target)]).returncode == -9
    assert target.read_bytes() == OLD
    left = [path for path in tmp_path.iterdir() if path != target]
    assert [path.suffix for path in left] == [".part"]
    os.utime(left[0], (0, 0))  # long ago: nobody can be writing it now
    store.atomic_write(target, b"new")
    assert contents(tmp_path) == {"a.png": b"new"}
