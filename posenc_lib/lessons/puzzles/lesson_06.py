"""The two puzzles of lesson 06."""

import numpy as np

from posenc_lib.encodings import rope as pe  # the solution reads as in the lesson: pe.rope
from posenc_lib.lessons.puzzles.engine import Puzzle


def _scaled(answers: list) -> str:
    """Say so where answers point the right way and have another length."""
    for answer, (key, offset) in zip(answers, ASKS.cases, strict=False):
        right = asks(key, offset)
        if not isinstance(answer, np.ndarray) or answer.shape != right.shape or answer.dtype.kind != "f":
            return ""
        length = np.linalg.norm(answer)
        if not 0 < length < np.inf or not np.allclose(answer / length, right / np.linalg.norm(right), atol=1e-6):
            return ""
    return "the right direction, but not the right length: it should be as long as the key."


def _drawn(seed: int, dims: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=dims)


def _written(seed: int, dims: int) -> str:
    return f"np.random.default_rng({seed}).normal(size={dims})"


def asks(key, offset):
    return pe.rope(key[None], [offset])[0]


_KEYS = ((0, 8, -3), (1, 64, 7.5), (2, 128, -1000))

ASKS = Puzzle(
    answer=asks,
    cases=((np.array([1.0, 0.0]), 1), (np.array([1.0, 2, 3, 4]), -2), *((_drawn(s, d), n) for s, d, n in _KEYS)),
    written=("", "", *(f"{_written(s, d)}, {n}" for s, d, n in _KEYS)),
    won="Now a query can look any number of places back, or ahead, for one key. Below, yours meets its key everywhere: "
    "the curve should be highest where you wanted it.",
    hints=(
        "Of all arrows of one length, which has the largest dot product with a given arrow? The one that points the "
        "same way.",
        "The score is the query times the key turned by offset. So the query should point where that key points.",
        "pe.rope turns rows of a table; key[None] is a table with one row, and its position goes into a list.",
    ),
    mistakes={
        "this is the key itself: its score is largest when the key stands right at the query, at offset 0.": (
            lambda k, n: k
        ),
        "you turned the other way: this score is largest at −offset.": lambda k, n: asks(k, -n),
        "that is a table with one row; return the row itself, [0].": lambda k, n: asks(k, n)[None],
        "this points away from the turned key: it makes the score as small as can be.": lambda k, n: -asks(k, n),
    },
    comment=_scaled,
)


def best_offset(q, k):
    return np.angle(complex(*q) / complex(*k))


def _direction(vector) -> float:
    return np.angle(complex(*vector))


_TWO = (1, 4, 6)  # with 4 and 6 the difference of the directions goes beyond half a turn

BEST_OFFSET = Puzzle(
    answer=best_offset,
    cases=(
        (np.array([1.0, 0.0]), np.array([0.0, 1.0])),
        (np.array([-1.0, 2.0]), np.array([2.0, 1.0])),
        *(tuple(np.random.default_rng(seed).normal(size=(2, 2))) for seed in _TWO),
    ),
    written=("", "", *(f"*np.random.default_rng({seed}).normal(size=(2, 2))" for seed in _TWO)),
    won="So q and k decide where the top is. RoPE only turns: other words, another best offset.",
    hints=(
        "The score is largest when the turned key points the way the query points.",
        "So: by which angle must the key turn to get there? With θ = 1, that angle is the offset.",
        "np.angle(complex(a, b)) is the direction of (a, b); dividing complex numbers subtracts their directions.",
    ),
    mistakes={
        "the other way round: that turns the query onto the key; RoPE turns a later key by its offset.": (
            lambda q, k: -best_offset(q, k)
        ),
        "a difference of two directions can go beyond half a turn; bring it back to between −π and π.": (
            lambda q, k: _direction(q) - _direction(k)
        ),
        "a top, but the first one after offset 0: the one nearest to 0 is asked for, before or after.": (
            lambda q, k: best_offset(q, k) % (2 * np.pi)
        ),
        "an arccos knows how far apart they are, and not on which side: it is never negative.": (
            lambda q, k: abs(best_offset(q, k))
        ),
        "this is the largest score; asked for is the offset at which it is reached.": (
            lambda q, k: np.linalg.norm(q) * np.linalg.norm(k)
        ),
    },
)
