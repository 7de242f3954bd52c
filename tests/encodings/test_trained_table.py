"""The committed table: whole, of one setting, and which rankings hold in both sets of seeds."""

import re
import statistics
from itertools import pairwise

import pytest

import posenc_lib as pe
from posenc_lib.lessons.training.models import MODELS
from posenc_lib.lessons.training.tasks import SYMBOLS
from posenc_lib.lessons.training.trained_table import (
    FILE,
    FIRST,
    LENGTHS,
    SECOND,
    TASK_NAMES,
    kept_runs,
    runs_of,
    spread,
)
from posenc_lib.tools.train import AT, load, plans, save


def test_the_file_has_every_run_once_in_order_and_of_these_settings(tmp_path):
    runs = kept_runs()
    assert load(FILE) == runs  # it was made by the settings of this code
    save(tmp_path / "again.json", runs)
    assert (tmp_path / "again.json").read_bytes() == FILE.read_bytes()
    assert set(runs) == set(plans())
    assert len(runs) == len(plans()) == FILE.read_bytes().count(b'{"encoding"') == 1050
    for plan, run in runs.items():
        ends = [64, 128, 256] if plan.encoding.startswith("learned") else []
        scalings = () if plan.then else MODELS[plan.encoding].scalings
        assert list(run.accuracy) == ["", *scalings]
        for name, by_length in run.accuracy.items():
            assert list(by_length) == list(LENGTHS[bool(name) :])
            for length, right in by_length.items():
                assert right is None if length in ends else 0 <= right <= 1


def test_a_printed_table_has_a_row_for_each_encoding_and_scaling():
    table = pe.trained_table("induction")
    rows = [name for name in MODELS if "induction" in AT.get(name, TASK_NAMES)]
    rows += [f"{name}, {one}" for name, model in MODELS.items() for one in model.scalings]
    assert set(table.rows) == set(rows)
    seen = [run.accuracy["yarn"][64] for run in runs_of("rope", "induction")]
    mean = pytest.approx(statistics.mean(seen))
    assert table.rows["rope, yarn"][64] == (mean, min(seen), max(seen), 10)
    title, lengths, *lines = repr(table).splitlines()
    assert title == "induction, 1000 steps, 10 seeds: mean (least–most)"
    assert lengths.split() == [str(n) for n in LENGTHS]
    for name, line in zip(table.rows, lines, strict=True):
        assert line.startswith(f"{name} ")
        assert str(table.rows[name][64] or "no row") in line
        assert line.count("no row") == (3 if name.startswith("learned") else 0)
    assert pe.trained_table("flip_flop", seeds=[7]).rows["t5"][64].seeds == 1
    assert "1000 steps, drop, 5 seeds" in repr(pe.trained_table("look_back", then="drop"))


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (
            {"task": "copy"},
            "task must be one of 'flip_flop', 'look_back', 'induction', 'recall', got 'copy'",
        ),
        ({"steps": 7}, "steps and seeds must be those of kept runs, got flip_flop, 7 steps"),
        ({"then": "stop"}, "then must be one of '', 'drop', 'longer', 'longer_base'"),
    ],
)
def test_a_wrong_question_is_told_by_name(wrong, told):
    with pytest.raises((TypeError, ValueError), match=re.escape(told)):
        pe.trained_table(**{"task": "flip_flop"} | wrong)


# Chains of groups, best first: the worst seed of each encoding of a group is better than the best
# seed of each of the next group, in both sets of seeds. Within a group seeds overlap, and no more
# can be said.
CHAINS = [
    ("flip_flop", 32, ["sinusoidal learned rope t5 kerple", "alibi no_position"]),
    ("flip_flop", 64, ["kerple", "alibi rope t5 no_position", "sinusoidal"]),
    ("flip_flop", 256, ["kerple", "alibi", "rope t5 no_position sinusoidal"]),
    ("look_back", 32, ["sinusoidal learned rope t5", "kerple", "alibi", "no_position"]),
    ("look_back", 64, ["kerple t5 rope", "sinusoidal alibi no_position"]),
    ("look_back", 256, ["kerple", "alibi", "t5", "no_position"]),
    ("induction", 32, ["sinusoidal learned rope t5 kerple", "alibi", "no_position"]),
    ("induction", 64, ["kerple", "alibi t5", "sinusoidal", "no_position"]),
    ("induction", 256, ["kerple", "alibi", "no_position rope sinusoidal t5"]),
    ("recall", 256, ["no_position t5 kerple", "sinusoidal"]),
    ("recall", 256, ["no_position t5 kerple", "alibi_steep"]),
    # RoPE with other bases, and with pairs that stand still
    ("look_back", 256, ["rope_10 p_rope", "rope rope_100"]),
    ("recall", 256, ["p_rope", "rope_10 rope_100"]),
    ("flip_flop", 64, ["alibi_mixed", "rope p_rope"]),
    ("induction", 32, ["rope rope_100", "rope_10"]),
    ("induction", 64, ["rope+yarn", "alibi_mixed", "rope_100 rope rope_10 p_rope"]),
    # RoPE with wider heads, and layers that differ
    ("look_back", 256, ["rope_64", "rope_32 rope_8_heads rope"]),
    ("recall", 256, ["rope_10_then_none window_then_none", "none_then_rope_10"]),
    ("induction", 32, ["rope_10_then_none", "window_then_none", "none_then_rope_10"]),
    ("flip_flop", 256, ["window_then_rope+yarn", "rope+yarn"]),
    ("induction", 256, ["window_then_rope+yarn", "rope+yarn", "window_then_none"]),
    # RoPE as it was trained and with its frequencies scaled at test; linear is PI
    ("flip_flop", 64, ["rope+yarn", "rope"]),
    ("flip_flop", 128, ["rope+yarn", "rope rope+linear"]),
    ("flip_flop", 256, ["kerple", "rope+yarn rope rope+linear"]),
    ("look_back", 64, ["rope+yarn", "rope", "rope+linear"]),
    ("look_back", 128, ["rope+yarn", "rope rope+llama3", "rope+linear"]),
    ("look_back", 256, ["rope+yarn", "rope rope+ntk", "rope+linear"]),
    ("induction", 64, ["rope+yarn rope+llama3", "kerple", "rope+ntk", "rope+linear"]),
    ("induction", 128, ["kerple", "rope+yarn rope+llama3", "alibi", "rope rope+ntk rope+linear"]),
    ("induction", 256, ["kerple", "rope+yarn rope+llama3", "alibi", "rope rope+ntk rope+linear"]),
]


def at(names, task, length, seeds) -> list:
    """Return the spreads of some encodings, or of "rope+yarn" and its like."""
    pairs = (name.partition("+") for name in names.split())
    spreads = [spread(name, task, rope_type=kind, seeds=seeds) for name, _, kind in pairs]
    return [by_length[length] for by_length in spreads]


@pytest.mark.parametrize("seeds", [FIRST, SECOND], ids=["first", "second"])
def test_every_ranking_holds_in_both_sets_of_seeds(seeds):
    for task, length, chain in CHAINS:
        for better, worse in pairwise(at(group, task, length, seeds) for group in chain):
            least, most = min(one.least for one in better), max(one.most for one in worse)
            assert least > most, (task, length, chain)


GUESSED = 1 / SYMBOLS + 0.03
BOUNDS = [  # what lesson 13 says without a ranking: all accuracies lie between these
    *(("sinusoidal rope t5 kerple", task, 32, 0.985, 1) for task in ("flip_flop", "induction")),
    *(("rope+linear", "look_back", n, 0, GUESSED) for n in LENGTHS[1:]),
    ("sinusoidal t5 rope", "induction", 256, 0, GUESSED),
    ("alibi_mixed", "flip_flop", 256, 0.98, 1),  # flat slopes beside steep ones
    ("alibi_mixed", "look_back", 256, 0.85, 1),
    ("alibi_mixed", "induction", 256, 0.7, 1),
    ("alibi_mixed", "recall", 256, 0.98, 1),
]


@pytest.mark.parametrize("seeds", [FIRST, SECOND], ids=["first", "second"])
def test_what_lesson_13_says_without_a_ranking_holds_in_both_sets_of_seeds(seeds):
    for names, task, length, least, most in BOUNDS:
        for one in at(names, task, length, seeds):
            assert least < one.least <= one.most <= most, (names, task)
    assert max(one.mean for one in at("alibi_steep sinusoidal rope", "recall", 256, seeds)) < 0.9
    # fast pairs look back, those that stand still recall
    for task, middle in (("look_back", 0.2), ("recall", 0.8)):
        (still,), (plain,) = at("p_rope", task, 256, seeds), at("rope", task, 256, seeds)
        assert still.least > 0.89 > middle > plain.mean - 0.05
    (slower,), (plain,) = at("rope_100", "flip_flop", 64, seeds), at("rope", "flip_flop", 64, seeds)
    assert slower.mean > plain.mean + 0.1
