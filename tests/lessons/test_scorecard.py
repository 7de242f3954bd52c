"""The scorecard: its measures, tried on tables whose answers are known, and the verdicts that follow."""

import numpy as np
import pytest

from posenc_lib import scorecard
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.lessons.scorecard import PROPERTIES, _ranks, _ratio

WANTED = {  # property: encodings that must not have it; all others to which it applies must
    "bounded": {"integer", "alibi"},
    "unique": {"no_position"},
    "length-independent": {"normalized"},
    "continuous": {"binary", "learned"},
    "near is near": {"no_position", "binary", "sine", "learned", "shaw", "transformer_xl", "t5"},
    "shift is linear": {"integer", "normalized", "binary", "sine", "learned"},
    "only the offset counts": {"integer", "normalized", "binary", "sine", "learned"},
}
OF_VECTORS = {"unique", "continuous", "shift is linear"}


def test_every_verdict():
    card = scorecard()
    assert set(card.measured) == set(ENCODINGS)
    assert [p.name for p in PROPERTIES] == list(WANTED)
    for wish, without in WANTED.items():
        for name, encoding in ENCODINGS.items():
            expected = None if wish in OF_VECTORS and encoding.kind in ("relative", "bias") else name not in without
            assert card.verdict(name, wish) is expected, (name, wish)


def test_what_does_not_apply_says_so_and_is_not_measured():
    card = scorecard("alibi")
    assert card.measured["alibi"]["unique"] is None
    assert "  unique                  –    no vectors\n" in repr(card)
    assert repr(card).startswith("alibi\n")  # it has no dims
    assert card.measured["alibi"]["near is near"] == pytest.approx(1)


def test_measured_values_that_can_be_worked_out_by_hand():
    measured = scorecard(["integer", "normalized", "sinusoidal"]).measured
    assert measured["integer"]["bounded"] == pytest.approx(255 / 63)
    assert measured["integer"]["near is near"] == pytest.approx(1)
    assert measured["normalized"]["length-independent"] == pytest.approx(63 / 64 - 63 / 256)
    assert measured["sinusoidal"]["continuous"] == pytest.approx(1)


def test_the_best_map_for_counting_leaves_what_least_squares_leaves():
    t = np.arange(251.0)
    slope = t @ (t + 5) / (t @ t)
    expected = np.abs(slope * t - (t + 5)).max() / 255
    assert scorecard("integer").measured["integer"]["shift is linear"] == pytest.approx(expected, rel=1e-6)


def test_equal_values_share_their_rank():
    np.testing.assert_array_equal(_ranks(np.array([3.0, 1.0, 3.0, 2.0])), [3.5, 1, 3.5, 2])


def test_it_prints_one_row_with_numbers_or_many_with_verdicts():
    one = repr(scorecard("binary"))
    assert "binary, 8 dims" in one
    assert "continuous              no   largest step ÷ smallest: no position 1.5 (must be ≤ 10)" in one
    many = repr(scorecard(["integer", "rope"])).splitlines()
    assert many[0].split() == ["integer", "rope"]
    assert many[1].split() == ["bounded", "no", "yes"]


def test_a_step_of_nothing_beside_a_step_of_something_is_no_even_step():
    assert (_ratio(2, 4, 1), _ratio(0, 0, 1), _ratio(3, 0, 1)) == (0.5, 1, np.inf)


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="names must be one of 'no_position'"):
        scorecard(["nonsense"])
    for names in ([], 5):
        with pytest.raises(ValueError, match="names must be an encoding's name or a list of them"):
            scorecard(names)
