"""The two puzzles of lesson 06: a query that asks for an offset, and where two words meet."""

import numpy as np

import posenc_lib as pe
from posenc_lib.live.puzzles import function_puzzle

# seed, dims, offset; `written` has "" for short cases
_DRAWS = ((0, 8, -3), (1, 64, 7.5), (2, 128, -1000))


# Which query, as long as the key, has its highest score with this key at this offset?
@function_puzzle(
    "Of all arrows of one length, which has the largest dot product with a given arrow? "
    "The one that points the same way.",
    "The score is the query times the key turned by offset. "
    "So the query should point where that key points.",
    "pe.rope turns rows of a table; "
    "key[None] is a table with one row, and its position goes into a list.",
    cases=(
        (np.array([1.0, 0.0]), 1),
        (np.array([1.0, 2, 3, 4]), -2),
        *((np.random.default_rng(seed).normal(size=dims), n) for seed, dims, n in _DRAWS),
    ),
    written=(
        "",
        "",
        *(f"np.random.default_rng({seed}).normal(size={dims}), {n}" for seed, dims, n in _DRAWS),
    ),
    given=lambda k, n: k,
    won="Now a query can look any number of places back, or ahead, for one key. Below, your query "
    "and its key stand at every position, so the curve should be highest where you wanted it.",
    mistakes={
        "this is the key itself: its score is largest when the key stands right at the query, "
        "at offset 0.": (lambda k, n: k),
        "you turned the other way: this score is largest at −offset.": lambda k, n: asks(k, -n),
        "that is a table with one row; return the row itself, [0].": lambda k, n: asks(k, n)[None],
        "the direction is right, but it should be as long as the key.": (
            lambda k, n: asks(k, n) / np.linalg.norm(k)
        ),
        "the direction is right, but it is longer than the key.": lambda k, n: 2 * asks(k, n),
    },
)
def asks(key, offset):
    return pe.rope(key[None], [offset])[0]


_SEEDS = (1, 4, 6)  # with 4 and 6 the difference of the directions goes beyond half a turn


# At which offset nearest to 0 is the score of one pair of dims largest, with θ = 1?
@function_puzzle(
    "The score is largest when the turned key points the way the query points.",
    "So: by which angle must the key turn to get there? With θ = 1, that angle is the offset.",
    "np.angle(complex(a, b)) is the direction of (a, b); "
    "dividing complex numbers subtracts their directions.",
    cases=(
        (np.array([1.0, 0.0]), np.array([0.0, 1.0])),
        (np.array([-1.0, 2.0]), np.array([2.0, 1.0])),
        *(tuple(np.random.default_rng(seed).normal(size=(2, 2))) for seed in _SEEDS),
    ),
    written=("", "", *(f"*np.random.default_rng({seed}).normal(size=(2, 2))" for seed in _SEEDS)),
    won="So q and k decide where the top is. "
    "RoPE only turns, and with other words the best offset is another.",
    mistakes={
        "that turns the query onto the key; RoPE turns a later key by its offset.": (
            lambda q, k: -best_offset(q, k)
        ),
        "that turns the query onto the key, and a difference of two directions can go "
        "beyond half a turn.": (lambda q, k: np.angle(complex(*k)) - np.angle(complex(*q))),
        "a difference of two directions can go beyond half a turn; bring it back "
        "to between −π and π.": (lambda q, k: np.angle(complex(*q)) - np.angle(complex(*k))),
        "that is in degrees; with θ = 1 an offset of 1 turns by one radian.": (
            lambda q, k: np.degrees(best_offset(q, k))
        ),
        "it need not be a whole number; yours is rounded.": (
            lambda q, k: np.round(best_offset(q, k))
        ),
        "that is the same direction, but one whole turn farther; "
        "the offset nearest to 0 is asked.": (lambda q, k: best_offset(q, k) + 2 * np.pi),
        "the offset nearest to 0 may be negative: beyond half a turn take a whole turn off.": (
            lambda q, k: best_offset(q, k) % (2 * np.pi)
        ),
        "an arccos knows how far apart they are, and not on which side.": (
            lambda q, k: abs(best_offset(q, k))
        ),
    },
)
def best_offset(q, k):
    return np.angle(complex(*q) / complex(*k))
