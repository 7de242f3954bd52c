"""The committed table: whole, made by one code with one setting, and which rankings hold in both sets of seeds."""

import re
import statistics
from itertools import pairwise

import pytest

import posenc_lib as pe
from posenc_lib.encodings.trained_table import (
    FILE,
    FIRST,
    LENGTHS,
    SCALINGS,
    SECOND,
    Spread,
    kept_runs,
    runs_of,
    spread,
)
from posenc_lib.lessons.training.command import BESIDE, COMPARED, load, plans, save
from posenc_lib.lessons.training.tasks import SYMBOLS

SETS = {"first": FIRST, "second": SECOND}


def test_the_file_has_every_run_once_in_order_and_of_these_settings(tmp_path):
    runs = kept_runs()
    assert load(FILE) == runs  # it was made by the settings of this code
    save(tmp_path / "again.json", runs)
    assert (tmp_path / "again.json").read_bytes() == FILE.read_bytes()
    assert set(runs) == set(plans())
    assert len(runs) == len(plans()) == FILE.read_bytes().count(b'{"encoding"') == 600
    for plan, run in runs.items():
        names = ["", *SCALINGS] if plan.encoding == "rope" and not plan.then else [""]
        assert list(run.accuracy) == names
        for name, by_length in run.accuracy.items():
            assert list(by_length) == list(LENGTHS[bool(name) :])
            gone = [n for n, right in by_length.items() if right is None]
            assert gone == ([64, 128, 256] if plan.encoding == "learned" else [])
            assert all(0 <= right <= 1 for right in by_length.values() if right is not None)


def test_a_printed_table_has_a_row_for_each_encoding_and_scaling():
    table = pe.trained_table("induction")
    assert list(table.rows)[:3] == ["no_position", "sinusoidal", "learned"]
    assert set(table.rows) == {*COMPARED, *BESIDE, *(f"rope, {name}" for name in SCALINGS)}
    seen = [run.accuracy["yarn"][64] for run in runs_of("rope", "induction")]
    assert table.rows["rope, yarn"][64] == (pytest.approx(statistics.mean(seen)), min(seen), max(seen), 10)
    lines = repr(table).splitlines()
    assert lines[0] == "induction, 1000 steps, 10 seeds: mean (least–most)"
    assert lines[1].split() == [str(n) for n in LENGTHS]
    assert len(lines) == 2 + len(table.rows)
    assert f"{table.rows['rope'][64]}" in next(line for line in lines if line.startswith("rope "))
    assert all(line.count("no row") == 3 * line.startswith("learned") for line in lines)
    assert pe.trained_table("flip_flop", seeds=[7]).rows["t5"][64].seeds == 1
    assert "1000 steps, dropped, 5 seeds" in repr(pe.trained_table("look_back", then="drop"))


WRONG = [
    ({"task": "copy"}, "task must be one of 'flip_flop', 'look_back', 'induction', 'recall', got 'copy'"),
    ({"steps": 7}, "the table must have what is asked for, got flip_flop, 7 steps"),
    ({"then": "stop"}, "then must be one of '', 'drop', got 'stop'"),
    ({"seeds": 3}, "seeds must be whole numbers like range(5), got 3"),
    ({"seeds": "01"}, "seeds must be whole numbers like range(5), got '01'"),
]


def test_a_wrong_question_is_told_by_name():
    for wrong, told in WRONG:
        with pytest.raises((TypeError, ValueError), match=re.escape(told)):
            pe.trained_table(**{"task": "flip_flop"} | wrong)


# Chains of groups, best first: the worst seed of each encoding of a group is better than the best seed of each of the
# next group, in both sets of seeds. Within a group seeds overlap, and no more can be said.
CHAINS = [
    ("flip_flop", 32, ["sinusoidal learned rope t5 kerple", "alibi no_position"]),
    ("flip_flop", 64, ["kerple", "alibi rope t5 no_position", "sinusoidal"]),
    ("flip_flop", 256, ["kerple", "alibi", "rope t5 no_position sinusoidal"]),
    ("look_back", 32, ["sinusoidal learned rope t5", "kerple", "alibi", "no_position"]),
    ("look_back", 64, ["kerple t5 rope", "sinusoidal alibi", "no_position"]),
    ("look_back", 256, ["kerple", "alibi", "t5", "no_position"]),
    ("induction", 32, ["sinusoidal learned rope t5 kerple", "alibi", "no_position"]),
    ("induction", 64, ["kerple", "alibi t5", "sinusoidal", "no_position"]),
    ("induction", 256, ["kerple", "alibi", "no_position rope sinusoidal t5"]),
    ("recall", 256, ["no_position t5 kerple", "sinusoidal"]),
    ("recall", 256, ["no_position t5 kerple", "alibi_steep"]),
    # RoPE with other bases, and with pairs that stand still
    ("look_back", 256, ["rope_10 p_rope", "rope rope_100"]),
    ("recall", 256, ["p_rope", "rope_10 rope_100"]),
    ("flip_flop", 64, ["alibi_mixed", "rope", "p_rope"]),
    ("flip_flop", 256, ["rope+yarn", "p_rope"]),
    ("induction", 32, ["rope rope_100", "rope_10"]),
    ("induction", 64, ["rope+yarn", "alibi_mixed", "rope_100", "rope rope_10 p_rope"]),
    # RoPE as it was trained and with its frequencies scaled at test; linear is PI
    ("flip_flop", 64, ["rope+yarn rope+llama3 rope+ntk", "rope"]),
    ("flip_flop", 128, ["rope+yarn rope+llama3", "rope rope+linear"]),
    ("flip_flop", 256, ["kerple", "rope+yarn", "rope rope+linear"]),
    ("look_back", 64, ["rope+yarn", "rope", "rope+linear"]),
    ("look_back", 128, ["rope+yarn", "rope rope+llama3", "rope+linear"]),
    ("look_back", 256, ["rope+yarn", "rope rope+ntk", "rope+linear"]),
    ("induction", 64, ["rope+yarn rope+llama3", "kerple", "rope+ntk", "rope+linear"]),
    ("induction", 128, ["kerple", "rope+yarn rope+llama3", "alibi", "rope rope+ntk rope+linear"]),
    ("induction", 256, ["kerple", "rope+yarn rope+llama3", "alibi", "rope rope+ntk rope+linear"]),
]


def at(name, task, length, seeds) -> Spread:
    """Return the spread of an encoding, or of "rope+yarn" and its like."""
    encoding, _, rope_type = name.partition("+")
    return spread(encoding, task, rope_type=rope_type, seeds=seeds)[length]


@pytest.mark.parametrize("seeds", SETS.values(), ids=SETS)
def test_every_ranking_holds_in_both_sets_of_seeds(seeds):
    for task, length, chain in CHAINS:
        groups = [[at(name, task, length, seeds) for name in group.split()] for group in chain]
        for better, worse in pairwise(groups):
            assert min(one.least for one in better) > max(one.most for one in worse), (task, length, chain)


@pytest.mark.parametrize("seeds", SETS.values(), ids=SETS)
def test_what_lesson_13_says_without_a_ranking_holds_in_both_sets_of_seeds(seeds):
    solved = "sinusoidal rope t5 kerple".split()
    assert all(at(name, task, 32, seeds).least > 0.985 for name in solved for task in ("flip_flop", "induction"))
    guesses = [at("rope+linear", "look_back", n, seeds) for n in LENGTHS[1:]]
    guesses += [at(name, "induction", 256, seeds) for name in ("sinusoidal", "t5", "rope")]
    assert all(each.most < 1 / SYMBOLS + 0.03 for each in guesses)
    for task, least in {"flip_flop": 0.98, "look_back": 0.85, "induction": 0.7, "recall": 0.98}.items():
        assert at("alibi_mixed", task, 256, seeds).least > least  # flat slopes beside steep ones
    assert max(at(name, "recall", 256, seeds).mean for name in ("alibi_steep", "sinusoidal", "rope")) < 0.8
    both = [
        (at("p_rope", task, 256, seeds).least, at("rope", task, 256, seeds).mean) for task in ("look_back", "recall")
    ]
    assert all(least > 0.89 > mean for least, mean in both)  # fast pairs look back, those that stand still recall
    assert at("rope_100", "flip_flop", 64, seeds).mean > at("rope", "flip_flop", 64, seeds).mean + 0.1
