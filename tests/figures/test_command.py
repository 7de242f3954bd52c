"""The command: what it writes, what it says, and that nothing is ever half a file."""

import errno
import os
import signal
import subprocess
import sys
import time

import pytest

from posenc_lib import files
from posenc_lib.__main__ import main
from posenc_lib.figures import FIGURES
from posenc_lib.figures.command import all_jobs

from .conftest import run


def figures(*arguments):
    return main(["figures", *map(str, arguments)])


def test_list_shows_every_figure_and_details_of_those_named(capsys):
    assert figures("list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(FIGURES)
    assert [FIGURES[line.split()[0]].lesson for line in lines] == sorted(one.lesson for one in FIGURES.values())
    assert figures("list", "toeplitz") == 0
    details = capsys.readouterr().out
    assert "--set base=10000  how far apart the wavelengths lie (1e-06 to 1e+12; moves from 10 to 1e+06" in details


def test_make_writes_what_was_asked_and_says_how_far_it_is(tmp_path, capsys):
    assert figures("make", "toeplitz", "ladder", "--format", "png,svg", "--out", tmp_path / "new folder") == 0
    assert sorted(path.name for path in (tmp_path / "new folder").iterdir()) == [
        "ladder.png",
        "ladder.svg",
        "toeplitz.png",
        "toeplitz.svg",
    ]
    assert capsys.readouterr().err.splitlines() == [
        "1/4 toeplitz.png",
        "2/4 toeplitz.svg",
        "3/4 ladder.png",
        "4/4 ladder.svg",
    ]


def test_settings_reach_the_picture(tmp_path):
    figures("make", "toeplitz", "--format", "svg", "--out", tmp_path)
    plain = (tmp_path / "toeplitz.svg").read_text(encoding="utf-8")
    figures("make", "toeplitz", "--format", "svg", "--set", "seq_len=200", "--set", "base=500,000", "--out", tmp_path)
    longer = (tmp_path / "toeplitz.svg").read_text(encoding="utf-8")
    assert ">150</text>" in longer
    assert ">150</text>" not in plain
    figures("make", "toeplitz", "--format", "svg", "--theme", "dark", "--out", tmp_path)
    assert "#14181d" in (tmp_path / "toeplitz.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["make", "toeplits"], "there is no figure 'toeplits'; near it: toeplitz"),
        (["list", "toeplits"], "there is no figure 'toeplits'; near it: toeplitz"),
        (["make", "toeplitz", "--set", "seqlen=3"], "toeplitz has no parameter 'seqlen'; near it: seq_len"),
        (
            ["make", "toeplitz", "ladder", "--set", "base=3"],
            "ladder has no parameter 'base' (there are seq_len, d_model)",
        ),
        (["make", "toeplitz", "--set", "base"], "--set must be NAME=VALUE, got 'base'"),
        (["make", "toeplitz", "--set", "base=ten"], "base must be a number, got 'ten'"),
        (["make", "toeplitz", "--set", "base=-1"], "base must be greater than 0, got -1"),
        (["make", "toeplitz", "--set", "d_model=7"], "d_model must be even, got 7"),
        (["make", "toeplitz", "--set", "seq_len=2.5"], "seq_len must be a whole number (int), got 2.5 (float)"),
        (["make", "toeplitz", "--format", "bmp"], "--format must be one of png, svg, pdf, gif, html, got 'bmp'"),
        (["make", "toeplitz", "--theme", "red"], "--theme must be one of light, dark, print, got 'red'"),
        (["make", "toeplitz", "--width", "20"], "--width must be between 360 and 2000, got 20"),
        (["make", "toeplitz", "--dpi", "7"], "--dpi must be between 50 and 600, got 7"),
        (["make", "toeplitz", "--set", "base=0,5"], "base must be a number, got '0,5'"),
        (["make", "toeplitz", "--set", "seq_len=-5"], "seq_len must be between 1 and 4096, got -5"),
        (["make", "shaw_clip", "--set", "clip=-5"], "clip must be between 0 and 4096, got -5"),
        (["make", "alibi_heads", "--set", "head=-9"], "head must be between 0 and 63, got -9"),
        (
            ["make", "ladder", "--format", "gif", "--dpi", "600"],
            "--dpi of a gif or html must be between 50 and 150, got 600",
        ),
        (["make", "scorecard", "--width", "500"], "scorecard has a width of its own, got 500"),
        (["make", "toeplitz", "--frames", "5"], "--frames is for gif and html, got --format png"),
        (["make", "toeplitz", "--move", "base", "--format", "svg"], "--move is for gif and html, got --format svg"),
        (["make", "toeplitz", "--format", "gif", "--frames", "1"], "--frames must be between 2 and 60, got 1"),
        (["make", "clock_hands", "--format", "gif", "--set", "seq_len=1", "--set", "query=0"], "query cannot move in"),
    ],
)
def test_a_wrong_request_is_one_line_and_writes_nothing(tmp_path, capsys, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert figures(*arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("error: ")
    assert message in shown.err
    assert len(shown.err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_said_and_the_old_file_stays(tmp_path, capsys, monkeypatch):
    old = tmp_path / "toeplitz.png"
    old.write_bytes(b"old")

    def full(path, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("posenc_lib.figures.writing.atomic_write", full)
    assert figures("make", "toeplitz", "--out", tmp_path) == 1
    assert "No space left on device; 0 of 1 files are new" in capsys.readouterr().err
    assert old.read_bytes() == b"old"
    assert figures("make", "toeplitz", "--out", old) == 1
    assert files.atomic_write is not full


@pytest.mark.slow
@pytest.mark.parametrize("signals", [[signal.SIGINT], [signal.SIGINT, signal.SIGINT], [signal.SIGTERM]])
def test_an_interrupt_leaves_every_file_old_or_new_and_no_process_behind(tmp_path, made, signals):
    names = [job.name for job in all_jobs()]
    for name in names:
        (tmp_path / name).write_bytes(b"old")
    command = [sys.executable, "-m", "posenc_lib", "figures", "--out", str(tmp_path)]
    work = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    assert work.stderr.readline().startswith("1/")
    for each in signals:
        if each == signal.SIGTERM:
            os.kill(work.pid, each)
        else:
            os.killpg(work.pid, each)  # as a terminal does: to the command and to all it has started
        time.sleep(0.05)
    rest = work.communicate(timeout=60)[1]
    assert work.returncode == 128 + signals[0]
    assert "the others as they were" in rest
    assert "Traceback" not in rest
    assert {path.name for path in tmp_path.iterdir()} == set(names)
    new = [name for name in names if (tmp_path / name).read_bytes() != b"old"]
    assert 1 <= len(new) < len(names)
    assert all((tmp_path / name).read_bytes() == (made / name).read_bytes() for name in new)
    assert nobody_left(work.pid)


def nobody_left(group):
    """Return whether all processes of a group have ended, or soon will have."""
    for _ in range(50):
        states = subprocess.run(["ps", "-eo", "pgid=,stat="], capture_output=True, text=True, check=True).stdout.split(
            "\n"
        )
        if not any(line.split()[0] == str(group) and line.split()[1][0] != "Z" for line in states if line.strip()):
            return True
        time.sleep(0.1)
    return False


def test_a_reader_who_goes_away_or_a_full_disk_is_no_traceback():
    for target, status in (("| true", 0), ("> /dev/full", 1)):
        script = f"set -o pipefail; {sys.executable} -m posenc_lib figures list {target}"
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
        assert done.returncode == status
        assert "Traceback" not in done.stderr


def test_the_folder_may_stand_before_the_verb(tmp_path):
    assert figures("--out", tmp_path / "a", "make", "toeplitz") == 0
    assert (tmp_path / "a/toeplitz.png").exists()


def test_two_figures_are_two_files(tmp_path):
    assert figures("make", "sinusoidal_heatmap", "sinusoidal:heatmap", "--out", tmp_path) == 0
    assert len(list(tmp_path.iterdir())) == 2


def test_help_tells_of_both_commands():
    shown = run("--help", cwd=".").stdout
    assert "list" in shown
    assert "make" in shown


def test_another_parameter_can_move(tmp_path):
    asked = ["--format", "html", "--move", "seq_len=10:14", "--out", tmp_path]
    assert figures("make", "toeplitz", "rope:heatmap", *asked) == 0
    for name in ("toeplitz.html", "rope-heatmap.html"):
        page = (tmp_path / name).read_text(encoding="utf-8")
        assert '"value": ["10", "11", "12", "13", "14"]' in page


@pytest.mark.parametrize(
    ("move", "message"),
    [
        ("bas", "toeplitz has no parameter 'bas'; near it: base"),
        ("base=3", "--move must be NAME or NAME=LOW:HIGH, got 'base=3'"),
        ("base=9:3", "--move must lead from a low value to a high one, got 'base=9:3'"),
        ("base=0:3", "base must be between 1e-06 and 1e+12, got 0"),
        ("seq_len=x:3", "seq_len must be a number, got 'x'"),
    ],
)
def test_a_move_that_cannot_be_is_said(capsys, move, message):
    assert figures("make", "toeplitz", "--format", "gif", "--move", move) == 2
    assert message in capsys.readouterr().err
