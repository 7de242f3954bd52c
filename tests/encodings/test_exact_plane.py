"""The best head in a plane: beside a loss that goes patch by patch, and beside what can be proved."""

import math

import numpy as np
import pytest

from posenc_lib.encodings.exact_head import WISHES, exact_head_2d, wished
from posenc_lib.encodings.rope_2d import Rope2D

AXIAL, MIXED = Rope2D(), Rope2D(pairs="random", base=10.0, draw=2)
NINE = Rope2D(head_dim=8, base=10.0, pairs="random", draw=5).directions  # four pairs


def phi(directions, dy: int, dx: int) -> np.ndarray:
    """Return what the score of a key is made of, pair by pair."""
    angles = [dy * down + dx * right for down, right in np.transpose(directions)]
    return np.array([math.cos(a) for a in angles] + [math.sin(a) for a in angles])


def gradient(w, directions, wish, query, ridge) -> np.ndarray:
    """Return the gradient of the loss, one wished patch after the other."""
    patches = list(np.ndindex(wish.shape))
    seen = np.array([phi(directions, row - query[0], column - query[1]) for row, column in patches])
    p = np.exp(seen @ w - (seen @ w).max())
    aims = [k for k, patch in enumerate(patches) if wish[patch]]
    return sum(p @ seen / p.sum() - seen[k] for k in aims) / len(aims) + ridge * w


@pytest.mark.parametrize("wish", WISHES)
@pytest.mark.parametrize("directions", [AXIAL.directions, MIXED.directions], ids=["axial", "mixed"])
def test_nothing_is_better(directions, wish):
    wish = wished(wish, 4)
    head = exact_head_2d(directions, wish)
    # with a ridge, the best w is no farther away than the gradient is long, divided by the ridge
    assert np.linalg.norm(gradient(head.weights, directions, wish, (4, 4), 1e-3)) / 1e-3 < 1e-8
    scores = np.array([[phi(directions, dy, dx) @ head.weights for dx in range(-4, 5)] for dy in range(-4, 5)])
    seen = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
    np.testing.assert_allclose(head.attention, seen, atol=1e-12)
    assert head.mass == pytest.approx(seen[wish].sum(), abs=1e-12)
    assert head.chance == pytest.approx(wish.sum() / 81)
    assert exact_head_2d(directions, np.eye(3, 5, dtype=bool)).query == (1, 2)  # the patch in the middle asks


def test_where_no_pair_looks_askew_the_best_head_for_a_diagonal_looks_everywhere():
    for pairs in ("axial", "alternate"):
        for wish in (wished("diagonal"), wished("anti-diagonal")):
            head = exact_head_2d(Rope2D(pairs=pairs).directions, wish)
            np.testing.assert_allclose(head.weights, 0, atol=1e-9)
            assert head.mass == pytest.approx(13 / 169, abs=1e-12)
            assert exact_head_2d(MIXED.directions, wish).mass > 0.7


def test_off_the_middle_an_axial_head_finds_a_quarter_of_the_picture():
    wish = np.eye(14, k=6, dtype=bool)  # the diagonal of a query six columns off that of the picture
    axial, mixed = (exact_head_2d(one.directions, wish, query=(0, 6)) for one in (AXIAL, MIXED))
    assert axial.chance == 8 / 196
    assert axial.mass == pytest.approx(0.121, abs=5e-4)  # at most 1/8: p and q are even over 8 columns and 8 rows
    assert mixed.mass > 0.9


WISH = wished("ring", 3)
BAD = [
    (lambda: exact_head_2d(np.ones((3, 4)), WISH), "directions must have shape (2, pairs), got"),
    (lambda: exact_head_2d(NINE, WISH.astype(int)), "wish must hold True and False, got dtype int64"),
    (lambda: exact_head_2d(NINE, ~WISH & WISH), "wish must hold at least one True"),
    (lambda: exact_head_2d(NINE, WISH[1:]), "a 6 × 7 wish has no middle patch, so say where the query is"),
    (lambda: exact_head_2d(NINE, WISH, query=3), "query must be a row and a column, got 3"),
    (lambda: exact_head_2d(NINE, WISH, query=(0, 7)), "the query's column must be at most 6, got 7"),
    (lambda: exact_head_2d(NINE, WISH, ridge=0), "ridge must be greater than 0, got 0"),
    (lambda: wished("disc"), "name must be one of 'one patch', 'its row'"),
    (lambda: wished("ring", 2), "reach must be at least 3, got 2"),
]


def test_errors_say_what_is_wrong():
    for call, words in BAD:
        with pytest.raises((TypeError, ValueError)) as told:
            call()
        assert words in str(told.value)
