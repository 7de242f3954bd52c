"""The command: what it trains and keeps, that it goes on where stopped, and what it refuses."""

import json

import pytest

from posenc_lib.__main__ import main
from posenc_lib.lessons.training.run import finished
from posenc_lib.lessons.training.trained_table import Plan
from posenc_lib.tools import train as command
from posenc_lib.tools.train import SETTINGS, load, load_numbers

SMALL = [Plan(name, "look_back", seed, 3) for name in ("no_position", "learned") for seed in (0, 1)]


def train(out, *more):
    return main(["train", "--out", str(out), *more])


def test_every_run_is_kept_and_told_and_one_that_was_stopped_goes_on_to_the_same_file(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(command, "plans", lambda: SMALL)
    monkeypatch.setattr(command, "STEPS", 3)
    monkeypatch.setattr(command, "KEPT", {"learned": ("look_back",)})
    whole, out, trained = tmp_path / "whole.json", tmp_path / "runs.json", []
    assert train(whole) == 0
    assert set(load(whole)) == set(SMALL)
    assert json.loads(whole.read_text())["settings"] == SETTINGS
    shown = capsys.readouterr().out
    assert (
        f"{whole}: all 4 runs are there. To train them again, name a new file with --out" in shown
    )
    assert "4/4 learned look_back seed 1, 3 steps: 32: 0." in shown
    assert shown.count("64: no row") == 2
    assert shown.count("(about 0 minutes left)") >= 1
    kept = load_numbers(whole)
    assert {name: rows.shape for name, rows in kept.items()} == {
        f"learned/look_back/{seed}/rows": (1, 32, 32) for seed in (0, 1)
    }

    def stopped(plan):
        trained.append(plan)
        if len(trained) == 3:
            raise KeyboardInterrupt
        return finished(plan)

    monkeypatch.setattr(command, "finished", stopped)
    assert train(out) == 130
    assert len(load(out)) == 2
    assert train(out) == 0
    assert len(trained) == 5  # the one that was stopped, once more
    assert out.read_bytes() == whole.read_bytes()
    again = load_numbers(out)
    assert all((again[name] == rows).all() for name, rows in kept.items())


def test_two_jobs_train_the_same_models(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "plans", lambda: SMALL)
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    assert train(one) == train(two, "--jobs", "2") == 0
    assert load(two).keys() == load(one).keys()
    assert not load_numbers(one)
    assert not load_numbers(two)


OTHER = '{"settings": {"layers": 2}, "runs": [], "commits": []}'


@pytest.mark.parametrize(
    ("before", "words"),
    [("old", "isn't a file of runs"), (OTHER, "has runs with different settings (d_model)")],
)
def test_another_file_is_one_line_and_stays(before, words, tmp_path, capsys):
    out = tmp_path / "runs.json"
    out.write_text(before)
    assert train(out) == 2
    assert words in capsys.readouterr().err
    assert [path.read_text() for path in tmp_path.iterdir()] == [before]
