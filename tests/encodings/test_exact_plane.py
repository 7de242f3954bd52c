"""The best head in a plane: beside a loss that goes patch by patch, and beside what can be proved and was measured."""

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


def test_where_no_pair_looks_askew_the_best_head_for_a_diagonal_looks_everywhere():
    for pairs in ("axial", "alternate"):
        for wish in (wished("diagonal"), wished("anti-diagonal")):
            head = exact_head_2d(Rope2D(pairs=pairs).directions, wish)
            np.testing.assert_allclose(head.weights, 0, atol=1e-9)
            assert head.mass == pytest.approx(13 / 169, abs=1e-12)
            assert exact_head_2d(MIXED.directions, wish).mass > 0.7


MEASURED = {  # by a program of its own: chance, axial at base 100, tilted by 45°, mixed (draw 2)
    "one patch": (0.006, 0.970, 0.972, 0.978),
    "its row": (0.077, 0.985, 0.148, 0.979),
    "its column": (0.077, 0.985, 0.148, 0.949),
    "diagonal": (0.077, 0.077, 0.957, 0.883),
    "anti-diagonal": (0.077, 0.077, 0.957, 0.778),
    "ring": (0.095, 0.309, 0.503, 0.745),
    "cross": (0.148, 0.545, 0.290, 0.755),
    "turned cross": (0.148, 0.151, 0.414, 0.586),
}


def test_what_was_measured():
    assert MEASURED.keys() == set(WISHES)
    for name, told in MEASURED.items():
        heads = [exact_head_2d(one.directions, wished(name)) for one in (AXIAL, AXIAL.at(tilt=45), MIXED)]
        found = heads[0].chance, *(head.mass for head in heads)
        assert tuple(np.round(found, 3)) == pytest.approx(told, abs=1e-9), name


WISH = wished("ring", 3)
BAD = [
    (lambda: exact_head_2d(np.ones((3, 4)), WISH), "directions must have shape (2, pairs), got"),
    (lambda: exact_head_2d(np.full((2, 2), np.nan), WISH), "directions must be finite"),
    (lambda: exact_head_2d(NINE, WISH.astype(int)), "wish must hold True and False, got dtype int64"),
    (lambda: exact_head_2d(NINE, ~WISH & WISH), "wish must hold at least one True"),
    (lambda: exact_head_2d(NINE, WISH[1:]), "a 6 × 7 wish has no middle patch, so say where the query is"),
    (lambda: exact_head_2d(NINE, WISH, query=3), "query must be a row and a column, got 3"),
    (lambda: exact_head_2d(NINE, WISH, query=(0, 7)), "the query's column must be at most 6, got 7"),
    (lambda: exact_head_2d(NINE, WISH, ridge=0), "ridge must be greater than 0, got 0"),
    (lambda: exact_head_2d(NINE, WISH).attention_at(3, 0, 3, 3), "row must be at most 2, got 3"),
    (
        lambda: exact_head_2d(NINE, WISH).attention_at(0, 0, 10**6, 10**6),
        "height and width would make 1000000 × 1000000 numbers",
    ),
    (lambda: wished("disc"), "name must be one of 'one patch', 'its row'"),
    (lambda: wished("ring", 2), "reach must be at least 3, got 2"),
]


def test_errors_say_what_is_wrong():
    for call, words in BAD:
        with pytest.raises((TypeError, ValueError)) as told:
            call()
        assert words in str(told.value)
