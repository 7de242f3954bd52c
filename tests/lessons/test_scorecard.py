"""The scorecard: its measures, tried on tables whose answers are known, and the verdicts that follow."""

import numpy as np
import pytest

from posenc_lib import scorecard
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.scorecard import PROPERTIES, _ranks, _ratio

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
T = np.arange(251.0)  # positions that have one 5 later


def test_every_verdict():
    card = scorecard()
    assert set(card.measured) == set(ENCODINGS)
    assert [p.name for p in PROPERTIES] == list(WANTED)
    for wish, without in WANTED.items():
        for name, encoding in ENCODINGS.items():
            expected = None if wish in OF_VECTORS and not encoding.has("table") else name not in without
            assert card.verdict(name, wish) is expected, (name, wish)
            assert expected is not None or card.measured[name][wish] is None


@pytest.mark.parametrize(
    ("name", "wish", "value"),
    [
        ("integer", "bounded", 255 / 63),
        ("integer", "near is near", 1),
        ("normalized", "length-independent", 63 / 64 - 63 / 256),
        ("sinusoidal", "continuous", 1),
        ("alibi", "near is near", 1),
        ("integer", "shift is linear", np.abs(T @ (T + 5) / (T @ T) * T - (T + 5)).max() / 255),  # by least squares
    ],
)
def test_measured_values_that_can_be_worked_out_by_hand(name, wish, value):
    assert scorecard([name]).measured[name][wish] == pytest.approx(value, rel=1e-6)


def test_equal_values_share_their_rank_and_nothing_beside_something_is_no_even_step():
    np.testing.assert_array_equal(_ranks(np.array([3.0, 1.0, 3.0, 2.0])), [3.5, 1, 3.5, 2])
    assert (_ratio(2, 4, 1), _ratio(0, 0, 1), _ratio(3, 0, 1)) == (0.5, 1, np.inf)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ("binary", "binary, 8 dims\n"),
        ("binary", "\n  continuous              no   largest step ÷ smallest: no position 1.5 (must be ≤ 10)\n"),
        ("alibi", "alibi\n  bounded"),  # it has no dims
        ("alibi", "\n  unique                  –    no vectors\n"),
        (["integer", "rope"], "integer     rope\nbounded                     no      yes\n"),
    ],
)
def test_it_prints_one_row_with_numbers_or_many_with_verdicts(names, words):
    assert words in repr(scorecard(names))


@pytest.mark.parametrize(
    ("what", "words"), [(["sinusodal"], "did you mean 'sinusoidal'"), ([], "at least one"), (5, "what must be an enc")]
)
def test_what_is_no_encoding_is_refused(what, words):
    with pytest.raises((TypeError, ValueError), match=words):
        scorecard(what)
