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

FIGURES = ("toeplitz", "shaw_clip", "wavelengths")
OLD = b"old"
# Mounts a small disk, fills it with the old files, runs the command there, and copies out what is left.
ON_A_DISK = """
mount -t tmpfs -o size=$1 none "$2" && cp "$3"/* "$2" && { [ "$4" = rw ] || mount -o remount,$4 "$2"; } || exit 99
"${@:5}"
status=$?
cp -a "$2/." "$3"
exit $status
"""


def notebook(path, source="1 + 1"):
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source, id="one")]), path)
    return path


def figures(folder, *more):
    return main(["figures", "make", *FIGURES, "--out", str(folder), *more])


@pytest.fixture
def room(tmp_path, monkeypatch):
    """A folder of old figures and notebooks, and the notebooks' cells run without a kernel."""
    folder = tmp_path / "room"
    folder.mkdir()
    for name in FIGURES:
        (folder / f"{name}.png").write_bytes(OLD)
    for name in ("a", "b"):
        notebook(folder / f"{name}.ipynb")
    monkeypatch.setattr(store.ExecutePreprocessor, "preprocess", lambda self, book, resources: (book, resources))
    return folder


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def half_written(path, data):
    with open(path, "wb") as file:
        file.write(data[: len(data) // 2])
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def not_replaced(path, target):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(("step", "failing"), [("write_bytes", half_written), ("replace", not_replaced)])
@pytest.mark.parametrize("command", ["figures", "notebooks"])
def test_a_disk_that_gets_full_while_writing_is_said_and_changes_nothing(
    room, monkeypatch, capsys, command, step, failing
):
    before = contents(room)
    with monkeypatch.context() as full:
        full.setattr(Path, step, failing)
        status = figures(room) if command == "figures" else main(["notebooks", str(room)])
    told = capsys.readouterr().err
    assert status == 1
    named = ["toeplitz.png"] if command == "figures" else ["a.ipynb", "b.ipynb"]
    for name in named:
        assert [line for line in told.splitlines() if name in line and "No space left on device" in line], told
    assert "Traceback" not in told
    assert contents(room) == before


def test_a_notebook_that_cannot_be_written_does_not_stop_the_others(room, monkeypatch, capsys):
    write = store.write_whole

    def first_fails(path, data):
        if path.name == "a.ipynb":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        write(path, data)

    monkeypatch.setattr(store, "write_whole", first_fails)
    before = contents(room)
    assert main(["notebooks", str(room)]) == 1
    said = capsys.readouterr()
    assert "a.ipynb: " in said.err
    assert "Permission denied" in said.err
    assert "b.ipynb: stored" in said.out
    after = contents(room)
    assert after["a.ipynb"] == before["a.ipynb"]
    assert after["b.ipynb"] != before["b.ipynb"]


def test_a_target_that_is_a_folder_is_said_and_stays(room, capsys):
    (room / "toeplitz.png").unlink()
    (room / "toeplitz.png").mkdir()
    (room / "toeplitz.png" / "kept").write_bytes(OLD)
    before = contents(room)
    assert figures(room) == 1
    told = capsys.readouterr().err
    assert "toeplitz.png: Is a directory; 0 of 3 files are new" in told
    assert contents(room) == before
    assert (room / "toeplitz.png" / "kept").read_bytes() == OLD


def test_a_folder_named_like_a_notebook_is_said(room, capsys):
    (room / "c.ipynb").mkdir()
    assert main(["notebooks", str(room)]) == 1
    assert "c.ipynb: is no notebook: IsADirectoryError" in capsys.readouterr().err


@pytest.mark.parametrize("gone", ["notebook", "folder"])
def test_a_notebook_deleted_while_it_runs_comes_back_whole_or_is_said(room, monkeypatch, capsys, gone):
    def delete(self, book, resources):
        (room / "a.ipynb").unlink()
        if gone == "folder":
            for path in room.iterdir():
                path.unlink()
            room.rmdir()

    monkeypatch.setattr(store.ExecutePreprocessor, "preprocess", delete)
    status = main(["notebooks", str(room / "a.ipynb")])
    told = capsys.readouterr().err
    if gone == "folder":
        assert status == 1
        assert "a.ipynb: " in told
        assert "No such" in told
        assert not room.exists()
    else:
        assert status == 0
        nbformat.validate(nbformat.read(room / "a.ipynb", as_version=4))
        assert not [name for name in contents(room) if name.endswith(".part")]


def on_a_disk(tmp_path, old, arguments, size="64k", mode="rw"):
    """Run a command in a small disk that holds the old files; return what it said and what is there then."""
    disk, files = tmp_path / "disk", tmp_path / "files"
    disk.mkdir()
    files.mkdir()
    for name, data in old.items():
        (files / name).write_bytes(data)
    apart = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
    command = [sys.executable, "-m", "posenc_lib", *[str(disk) if part == "DISK" else part for part in arguments]]
    script = [*apart, "bash", "-c", ON_A_DISK, "bash", size, str(disk), str(files), mode, *command]
    done = subprocess.run(script, capture_output=True, text=True)
    if done.returncode == 99 or "unshare" in done.stderr:
        pytest.skip("this machine does not let a test mount a disk")
    return done, contents(files)


def test_on_a_disk_that_is_full_figures_stay_old_or_become_whole_new_ones(tmp_path, capsys):
    names = [f"{name}.png" for name in FIGURES]
    arguments = ["figures", "make", *FIGURES, "--out", "DISK"]
    done, after = on_a_disk(tmp_path, dict.fromkeys(names, OLD), arguments, size="128k")
    assert done.returncode == 1
    assert "No space left on device; 1 of 3 files are new" in done.stderr
    assert "Traceback" not in done.stderr
    assert figures(tmp_path / "whole") == 0
    assert after["toeplitz.png"] == (tmp_path / "whole/toeplitz.png").read_bytes()
    assert {name: after[name] for name in names[1:]} == dict.fromkeys(names[1:], OLD)
    assert set(after) == set(names)


@pytest.mark.slow
def test_on_a_disk_that_is_full_a_notebook_stays_as_it_was(tmp_path):
    before = notebook(tmp_path / "a.ipynb", r"print('position\n' * 20_000)").read_bytes()
    done, after = on_a_disk(tmp_path, {"a.ipynb": before}, ["notebooks", "DISK"])
    assert done.returncode == 1
    assert "a.ipynb: " in done.stderr
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert after == {"a.ipynb": before}


def test_a_disk_that_is_read_only_is_said(tmp_path):
    done, after = on_a_disk(
        tmp_path, {"toeplitz.png": OLD}, ["figures", "make", "toeplitz", "--out", "DISK"], mode="ro"
    )
    assert done.returncode == 1
    assert "toeplitz.png: Read-only file system; 0 of 1 files are new" in done.stderr
    assert after == {"toeplitz.png": OLD}


def test_a_folder_without_the_right_to_write_is_said(tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir()
    (locked / "toeplitz.png").write_bytes(OLD)
    locked.chmod(0o555)
    command = [*plain(locked), sys.executable, "-m", "posenc_lib", "figures", "make", "toeplitz", "--out", str(locked)]
    done = subprocess.run(command, capture_output=True, text=True)
    locked.chmod(0o755)
    assert done.returncode == 1
    assert "toeplitz.png: Permission denied; 0 of 1 files are new" in done.stderr
    assert contents(locked) == {"toeplitz.png": OLD}


def test_what_a_killed_run_has_left_is_tidied_away_by_a_later_one(tmp_path):
    target = tmp_path / "a.png"
    target.write_bytes(OLD)
    kill = "import os, sys; from pathlib import Path; from posenc_lib.files import write_whole\n"
    kill += "Path.replace = lambda *_: os.kill(os.getpid(), 9)\nwrite_whole(Path(sys.argv[1]), b'new')"
    assert subprocess.run([sys.executable, "-c", kill, str(target)]).returncode == -9
    assert target.read_bytes() == OLD
    left = [path for path in tmp_path.iterdir() if path != target]
    assert [path.suffix for path in left] == [".part"]
    os.utime(left[0], (0, 0))  # long ago: nobody can be writing it now
    store.write_whole(target, b"new")
    assert list(tmp_path.iterdir()) == [target]
    assert target.read_bytes() == b"new"
