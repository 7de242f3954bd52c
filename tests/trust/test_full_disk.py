"""A full disk, a folder that cannot be written, a target that is none: said in words, and the old files stay."""

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from posenc_lib import notebooks as store
from posenc_lib.__main__ import main
from posenc_lib.training.table import Table, load, save

COMMAND = [sys.executable, "-m", "posenc_lib"]
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
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def figures(folder):
    return main(["figures", "make", *FIGURES, "--out", str(folder)])


async def unrun(client, **options):
    """What stands for running a notebook, without a kernel."""


@pytest.fixture
def room(tmp_path, monkeypatch):
    """A folder of old figures and notebooks, and the notebooks' cells run without a kernel."""
    monkeypatch.setattr(store.NotebookClient, "async_execute", unrun)
    return filled(tmp_path / "room", FIGURES, dict.fromkeys(("a.ipynb", "b.ipynb"), "1 + 1"))


def full(path, data):
    if isinstance(data, bytes):  # or it is where a whole file is to go
        with open(path, "wb") as file:
            file.write(data[: len(data) // 2])
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def a_folder(path):
    path.unlink()
    (path / "in it").mkdir(parents=True)
    (path / "in it" / "kept").write_bytes(OLD)


@pytest.mark.parametrize(
    ("spoil", "told_of_figures", "told_of_notebooks", "new"),
    [
        ("write_bytes", "No space left on device", "could not be stored: No space left on device", set()),
        ("replace", "No space left on device", "could not be stored: No space left on device", set()),
        (lambda path: path.chmod(0o444), "The file is read-only", "could not be stored: The file is", {"b.ipynb"}),
        (a_folder, "Is a directory", "is no notebook: IsADirectoryError", {"b.ipynb"}),
    ],
)
def test_what_cannot_be_written_is_said_and_stays_and_does_not_stop_other_notebooks(
    room, monkeypatch, capsys, spoil, told_of_figures, told_of_notebooks, new
):
    for name in ("toeplitz.png", "a.ipynb") if callable(spoil) else ():
        spoil(room / name)
    before = contents(room)
    if not callable(spoil):
        monkeypatch.setattr(Path, spoil, full)
    assert (figures(room), main(["notebooks", str(room)])) == (1, 1)
    monkeypatch.undo()
    told, after = capsys.readouterr().err, contents(room)
    assert f"toeplitz.png: {told_of_figures}; 0 of 3 files are new" in told
    for name in {"a.ipynb", "b.ipynb"} - new:
        assert f"{name}: {told_of_notebooks}" in told
    assert "Traceback" not in told
    assert set(after) == set(before)
    assert {name for name in after if after[name] != before[name]} == new


@pytest.mark.parametrize(
    ("delete", "status", "told"),
    [
        (lambda room: (room / "a.ipynb").unlink(), 0, "a.ipynb: stored"),
        (shutil.rmtree, 1, "a.ipynb: could not be stored: No such folder"),
    ],
)
def test_a_notebook_deleted_while_it_runs_comes_back_whole_or_is_said(room, monkeypatch, capsys, delete, status, told):
    async def deleted(client, **options):
        delete(room)

    monkeypatch.setattr(store.NotebookClient, "async_execute", deleted)
    assert main(["notebooks", str(room / "a.ipynb")]) == status
    assert told in "".join(capsys.readouterr())
    assert room.exists() == (room / "a.ipynb").exists() == (not status)
    assert not list(room.glob("*.part"))
    for path in room.glob("*.ipynb"):
        nbformat.validate(nbformat.read(path, as_version=4))


@pytest.mark.parametrize(
    ("size", "mode", "names", "words", "new"),
    [
        ("128k", "rw", FIGURES, "shaw_clip.png: No space left on device; 1 of 3 files are new", ["toeplitz.png"]),
        ("64k", "ro", FIGURES[:1], "toeplitz.png: Read-only file system; 0 of 1 files are new", []),
        pytest.param("64k", "rw", [], "a.ipynb: could not be stored: No space left", [], marks=pytest.mark.slow),
    ],
)
def test_on_a_disk_that_is_full_or_read_only_files_stay_old_or_become_whole_new_ones(
    tmp_path, size, mode, names, words, new
):
    place = filled(tmp_path / "disk", [], {})
    files = filled(tmp_path / "files", names, {} if names else {"a.ipynb": r"print('position\n' * 20_000)"})
    before = contents(files)
    apart = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
    asked = ["figures", "make", *names, "--out", str(place)] if names else ["notebooks", str(place)]
    script = [*apart, "bash", "-c", ON_A_DISK, "bash", size, str(place), str(files), mode, *COMMAND, *asked]
    done = subprocess.run(script, capture_output=True, text=True)
    if done.returncode == 99 or "unshare" in done.stderr:
        pytest.skip("this machine does not let a test mount a disk")
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    if new:
        figures(tmp_path / "whole")
    assert contents(files) == before | {name: (tmp_path / "whole" / name).read_bytes() for name in new}


TRAIN = ["train", "--encodings", "learned", "--tasks", "look_back", "--steps", "1", "--out"]


@pytest.mark.parametrize("where", ["write_bytes", "replace"])
@pytest.mark.parametrize("written", [0, 2])  # the file as it was is written first, before anything is trained
def test_training_that_cannot_be_kept_is_said_and_what_was_kept_stays(tmp_path, monkeypatch, capsys, where, written):
    out, do, times = tmp_path / "runs.json", getattr(Path, where), iter(range(100))
    monkeypatch.setattr("posenc_lib.training.run.TESTED", 512)
    save(out, Table({}))
    monkeypatch.setattr(Path, where, lambda *path: do(*path) if next(times) < written else full(*path))
    assert main([*TRAIN, str(out)]) == 1
    assert f"error: {out}: No space left on device" in capsys.readouterr().err
    assert len(load(out).runs) == max(written - 1, 0)
    assert [path.name for path in tmp_path.iterdir()] == ["runs.json"]


@pytest.mark.slow
def test_a_disk_that_fills_up_while_models_are_trained_keeps_those_that_have_ended(tmp_path):
    place, files = filled(tmp_path / "disk", [], {}), filled(tmp_path / "files", [], {})
    save(files / "runs.json", Table({}))
    apart = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
    asked = [*TRAIN, str(place / "runs.json"), "--seeds", "0-40"]
    script = [*apart, "bash", "-c", ON_A_DISK, "bash", "8k", str(place), str(files), "rw", *COMMAND, *asked]
    done = subprocess.run(script, capture_output=True, text=True)
    if done.returncode == 99 or "unshare" in done.stderr:
        pytest.skip("this machine does not let a test mount a disk")
    assert done.returncode == 1
    assert f"error: {place / 'runs.json'}: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert 5 < len(load(files / "runs.json").runs) < 41


def test_what_a_killed_run_has_left_is_tidied_away_by_a_later_one(tmp_path):
    target = tmp_path / "a.png"
    target.write_bytes(OLD)
    kill = "import os, sys; from pathlib import Path; from posenc_lib.files import atomic_write\n"
    kill += "Path.replace = lambda *_: os.kill(os.getpid(), 9)\natomic_write(Path(sys.argv[1]), b'new')"
    assert subprocess.run([sys.executable, "-c", kill, str(target)]).returncode == -9
    assert target.read_bytes() == OLD
    left = [path for path in tmp_path.iterdir() if path != target]
    assert [path.suffix for path in left] == [".part"]
    store.atomic_write(target, b"other")
    assert left[0].exists()  # it is young, and somebody may be writing it
    os.utime(left[0], (0, 0))
    (tmp_path / "link.png").symlink_to(target)
    store.atomic_write(tmp_path / "link.png", b"new")
    assert contents(tmp_path) == {"a.png": b"new", "link.png": b"new"}
    assert (tmp_path / "link.png").is_symlink()
