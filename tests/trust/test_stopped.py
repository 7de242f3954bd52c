"""Killed or out of room, a command leaves each file wholly old or wholly new, and no process."""

import errno
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import psutil
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from posenc_lib.__main__ import main
from posenc_lib.tools.train import load, save

from ..conftest import until

FIGURES = "toeplitz angles_seen shaw_clip t5_buckets sine_waves neighbor_steps".split()
FIGURES += ["sinusoidal_heatmap"]
OLD = b"old"


def started_in(folder) -> list:
    """Return the processes that a command whose temporary folder this is has started."""
    running = psutil.process_iter(["environ"])
    return [p for p in running if (p.info["environ"] or {}).get("TMPDIR") == str(folder)]


@pytest.mark.slow
@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no /proc to look for processes in")
def test_a_command_killed_in_the_middle_leaves_whole_files_and_no_process(tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    files = [work / f"{name}.svg" for name in FIGURES]  # so many that other processes draw them
    for file in files:
        file.write_bytes(OLD)
    command = [sys.executable, "-m", "posenc_lib", "figures", "make", *FIGURES, "--format", "svg"]
    room = {"cwd": work, "env": os.environ | {"TMPDIR": str(tmp_path)}}
    with subprocess.Popen(command, **room, stdout=subprocess.DEVNULL) as run:
        try:
            assert until(lambda: any(file.read_bytes() != OLD for file in files))
            assert len(started_in(tmp_path)) > 1
        finally:
            run.kill()
    assert run.returncode == -signal.SIGKILL
    assert until(lambda: not started_in(tmp_path))
    new = [file for file in files if file.read_bytes() != OLD]
    assert all(ElementTree.parse(file).getroot().tag.endswith("svg") for file in new)
    assert {path.suffix for path in set(work.iterdir()) - set(files)} <= {".part"}


def half(path, data):
    """Write what still has room on a disk."""
    with open(path, "wb") as file:
        file.write(data[: len(data) // 2])
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_and_a_folder_in_the_way_are_told_and_what_was_there_stays(
    tmp_path, monkeypatch, capsys
):
    (tmp_path / "toeplitz.png").write_bytes(OLD)
    (tmp_path / "shaw_clip.png").mkdir()
    save(tmp_path / "runs.json", {})
    before = set(tmp_path.iterdir())
    assert main(["figures", "make", "shaw_clip", "--format", "png", "--out", str(tmp_path)]) == 1
    assert "Is a directory" in capsys.readouterr().err
    monkeypatch.setattr(Path, "write_bytes", half)
    figure = ["figures", "make", "toeplitz", "--format", "png", "--out", str(tmp_path)]
    for command in (figure, ["train", "--out", str(tmp_path / "runs.json")]):
        assert main(command) == 1
        told = capsys.readouterr().err
        assert "No space left on device" in told
        assert "Traceback" not in told
    assert set(tmp_path.iterdir()) == before
    assert (tmp_path / "toeplitz.png").read_bytes() == OLD
    assert load(tmp_path / "runs.json") == {}


def command(folder, *arguments, **streams) -> subprocess.Popen:
    """Start a command in a folder, apart from this process's terminal.

    It can be interrupted even if these tests run in the background, where a shell ignores SIGINT.
    """
    line = [sys.executable, "-m", "posenc_lib", *map(str, arguments)]
    room = {"cwd": folder, "env": os.environ | {"TMPDIR": str(folder)}, "start_new_session": True}
    usual = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    return subprocess.Popen(line, **room, preexec_fn=usual, text=True, **streams)


PIPED = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


@pytest.mark.slow
@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no /proc to look for processes in")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("what", ["notebooks", "figures"])
def test_a_command_that_is_stopped_says_one_line(what, number, tmp_path):
    book = new_notebook(cells=[new_code_cell("open('begun', 'w').close()\nwhile True: pass")])
    nbformat.write(book, tmp_path / "a.ipynb")
    before = (tmp_path / "a.ipynb").read_bytes()
    lines = {"notebooks": ["a.ipynb"], "figures": ["make", *FIGURES, "--out", "made"]}
    begun = {"notebooks": tmp_path / "begun", "figures": tmp_path / "made"}
    with command(tmp_path, what, *lines[what], **PIPED) as run:
        try:
            assert until(lambda: begun[what].exists())
        finally:
            os.killpg(run.pid, number)  # as a terminal does
        told = run.communicate(timeout=60)[1]
    assert told == "stopped: every file is complete, either new or unchanged\n"
    assert run.returncode == 130
    assert (tmp_path / "a.ipynb").read_bytes() == before
    assert until(lambda: not started_in(tmp_path))
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.slow
def test_behind_a_reader_that_goes_away_all_files_are_made(tmp_path):
    made = ["make", *FIGURES, "--format", "svg"]
    with command(tmp_path, "figures", *made, **PIPED) as run:
        run.stdout.close()
        told = run.stderr.read()
    assert (run.returncode, told) == (0, "")
    assert {path.stem for path in tmp_path.glob("*.svg")} == set(FIGURES)
