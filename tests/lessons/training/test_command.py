"""The command: what it trains and keeps, that it goes on where it was stopped, and what it says of wrong requests."""

import json

from posenc_lib.__main__ import main
from posenc_lib.encodings.trained_table import Plan
from posenc_lib.lessons.training import command
from posenc_lib.lessons.training.command import SETTINGS, load
from posenc_lib.lessons.training.run import finished

SMALL = ("--encodings", "no_position,learned", "--tasks", "look_back", "--seeds", "0-1", "--steps", "3")


def train(out, *arguments):
    return main(["train", *arguments, "--out", str(out)])


def test_every_run_is_kept_with_its_settings_and_told(tmp_path, capsys):
    out = tmp_path / "runs.json"
    assert train(out, *SMALL) == 0
    assert set(load(out)) == {Plan(name, "look_back", seed, 3) for name in SMALL[1].split(",") for seed in (0, 1)}
    assert json.loads(out.read_text())["settings"] == SETTINGS
    shown = capsys.readouterr().out
    assert f"{out}: all 4 runs are there; to make them again, name a new file by --out" in shown
    assert "4/4 learned look_back seed 1, 3 steps: 32: 0." in shown
    assert shown.count("64: no row") == 2


def test_stopped_it_keeps_what_has_ended_and_goes_on_to_the_same_file(tmp_path, monkeypatch):
    trained = []

    def stopped(plan):
        trained.append(plan)
        if len(trained) == 3:
            raise KeyboardInterrupt
        return finished(plan)

    whole, out = tmp_path / "whole.json", tmp_path / "runs.json"
    assert train(whole, *SMALL) == 0
    monkeypatch.setattr(command, "finished", stopped)
    assert train(out, *SMALL) == 130
    assert len(load(out)) == 2
    assert train(out, *SMALL) == 0
    assert trained[3:] == trained[2:3] + [plan for plan in load(whole) if plan not in trained[:3]]
    assert out.read_bytes() == whole.read_bytes()


def test_a_wrong_request_is_one_line_and_writes_nothing(tmp_path, capsys):
    assert train(tmp_path / "runs.json", "--encodings", "rop") == 2
    assert capsys.readouterr().err == "error: encoding must be a known name (did you mean 'rope'?), got 'rop'\n"
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_holds_something_else_stays_as_it_is(tmp_path, capsys):
    other = '{"settings": {"layers": 2}, "runs": [], "commits": []}'
    for text, message in (("old", "is no file of runs"), (other, "holds runs of other settings (heads)")):
        (tmp_path / "old").write_text(text)
        assert train(tmp_path / "old", *SMALL) == 2
        assert message in capsys.readouterr().err
        assert (tmp_path / "old").read_text() == text
