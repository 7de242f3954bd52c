"""The command: what it trains and keeps, what it says, and that nothing is lost when it is stopped."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from posenc_lib.__main__ import main
from posenc_lib.training import command
from posenc_lib.training.run import SETTINGS, Plan, training
from posenc_lib.training.table import load

SMALL = ("--encodings", "no_position,alibi,learned", "--tasks", "look_back", "--seeds", "0-1", "--steps", "3")


def train(out, *arguments):
    return main(["train", *arguments, "--out", str(out)])


@pytest.fixture
def whole(tmp_path):
    """The file of a run that nobody stops."""
    assert train(tmp_path / "whole.json", *SMALL) == 0
    return (tmp_path / "whole.json").read_bytes()


def test_every_run_is_kept_with_its_settings_and_told(tmp_path, capsys):
    out = tmp_path / "runs.json"
    assert train(out, *SMALL) == 0
    table, read = load(out), json.loads(out.read_text())
    assert set(table.runs) == {Plan(name, "look_back", seed, 3) for name in SMALL[1].split(",") for seed in (0, 1)}
    assert (read["settings"], len(read["commits"])) == (SETTINGS, 1)
    shown = capsys.readouterr()
    assert f"{out}: all 6 runs are there; to make them again, name a new file by --out" in shown.out
    assert [line.split()[0] for line in shown.err.splitlines()] == [f"{n}/6" for n in range(1, 7)]
    assert "learned look_back seed 0, 3 steps: 32: 0." in shown.err
    assert shown.err.count("64: no row") == 2


def test_what_is_there_is_not_trained_again(tmp_path, whole, monkeypatch, capsys):
    monkeypatch.setattr(command, "training", None)
    assert train(tmp_path / "whole.json", *SMALL) == 0
    assert (tmp_path / "whole.json").read_bytes() == whole


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_it_keeps_what_has_ended_and_goes_on_to_the_same_file(tmp_path, whole, capsys, monkeypatch, number):
    def stopped(plan):
        steps = training(plan)
        yield next(steps)
        if (plan.encoding, plan.seed) == ("learned", 0):
            os.kill(os.getpid(), number)
        return (yield from steps)

    out = tmp_path / "runs.json"
    with monkeypatch.context() as patch:
        patch.setattr(command, "training", stopped)
        assert train(out, *SMALL) == 128 + number
    assert f"stopped: {out} has every run that ended; the same command goes on from there" in capsys.readouterr().err
    assert len(load(out).runs) == 2
    signal.signal(number, signal.SIG_DFL if number == signal.SIGTERM else signal.default_int_handler)
    assert train(out, *SMALL) == 0
    assert out.read_bytes() == whole


def test_a_run_that_another_process_has_trained_meanwhile_is_kept(tmp_path, whole, monkeypatch):
    def meanwhile(plan):
        if (plan.encoding, plan.seed) == ("alibi", 0):
            (tmp_path / "runs.json").write_bytes(whole)
        return (yield from training(plan))

    monkeypatch.setattr(command, "training", meanwhile)
    assert train(tmp_path / "runs.json", *SMALL) == 0
    assert (tmp_path / "runs.json").read_bytes() == whole


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--encodings", "rop"], "encoding must be a known name (did you mean 'rope'?), got 'rop'"),
        (["--encodings", ""], "encoding must be a known name"),
        (["--tasks", "copy"], "task must be one of"),
        (["--seeds", "x"], "--seeds must be whole numbers like 0,3 or 0-4, got 'x'"),
        (["--seeds", "4-1"], "--seeds must be whole numbers like 0,3 or 0-4, got '4-1'"),
        (["--seeds", "1-2-3"], "--seeds must be whole numbers like 0,3 or 0-4, got '1-2-3'"),
        (["--seeds", "-1"], "--seeds must be whole numbers"),
        (["--seeds", ""], "--seeds must be whole numbers"),
        (["--seeds", "0-99999999999"], "--seeds must be at most 1000 numbers"),
        (["--steps", "0"], "steps must be at least 1, got 0"),
    ],
)
def test_a_wrong_request_is_one_line_and_writes_nothing(tmp_path, capsys, arguments, message):
    assert train(tmp_path / "runs.json", f"{arguments[0]}={arguments[1]}") == 2
    shown = capsys.readouterr()
    assert shown.err.startswith("error: ")
    assert message in shown.err
    assert len(shown.err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("old", "is no file of runs; name another one"),
        ("[]", "is no file of runs; name another one"),
        ('{"settings": 1, "runs": [{}], "commits": []}', "is no file of runs; name another one"),
        ('{"settings": {"layers": 2}, "runs": [], "commits": []}', "holds runs of other settings (heads)"),
    ],
)
def test_a_file_that_holds_something_else_stays_as_it_is(tmp_path, capsys, text, message):
    (tmp_path / "old").write_text(text)
    assert train(tmp_path / "old", *SMALL) == 2
    assert message in capsys.readouterr().err
    assert (tmp_path / "old").read_text() == text


def test_what_cannot_be_written_is_said_before_anything_is_trained(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(command, "training", None)
    (tmp_path / "read-only").write_bytes(b"")
    assert train(tmp_path / "none" / "runs.json", *SMALL) == 1
    assert "No such folder" in capsys.readouterr().err
    assert train(tmp_path, *SMALL) == 1
    assert "Is a directory" in capsys.readouterr().err


def test_without_options_it_is_the_whole_table():
    from argparse import Namespace

    from posenc_lib.training.table import plans

    asked = Namespace(encodings=None, tasks=None, seeds=None, steps=None)
    assert command.plans_for(asked) == plans()
    asked.seeds = "5-9"
    assert command.plans_for(asked) == plans(range(5, 10))


def test_the_commit_is_what_git_says_and_outside_a_checkout_it_is_unknown(tmp_path):
    said = subprocess.run(["git", "rev-parse", "HEAD"], cwd=Path(__file__).parent, capture_output=True, text=True)
    assert command._commit() == (said.stdout[:10] if said.returncode == 0 else "unknown")
    assert command._commit(tmp_path / "training" / "command.py") == "unknown"
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / ".git" / "packed-refs").write_text("# pack-refs\n0123456789abcdef refs/heads/main\n")
    assert command._commit(tmp_path / "command.py") == "0123456789"
