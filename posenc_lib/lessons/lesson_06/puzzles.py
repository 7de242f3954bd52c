"""The two puzzles of lesson 06: a query for an offset, and an offset for a query and a key."""

import numpy as np

import posenc_lib as pe
from posenc_lib.live.puzzles import function_puzzle

# seed, dims, offset; `written` is "" for short cases
_DRAWS = ((0, 8, -3), (1, 64, 7.5), (2, 128, -1000))


# Which query, as long as the key, has its highest score with this key at this offset?
@function_puzzle(
    "Of all arrows of one length, which has the largest dot product with a given arrow? "
    "The one that points the same way.",
    "The score is the query's dot product with the key, rotated by the offset. "
    "Which way does that rotated key point? Your query should point there too.",
    "pe.rope rotates the rows of a table, each by its position. key[None] is a table with one row, "
    "[offset] is its list of positions, and [0] takes the row back out.",
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
    won="Your query can look any number of places back, or ahead, for one key. The picture below "
    "puts it and its key at every position: the curve should peak where you wanted it.",
    mistakes={
        "you returned the key itself, which scores highest at offset 0. Rotate it first.": (
            lambda k, n: k
        ),
        "you rotated the wrong way, so this scores highest at −offset. "
        "The key is offset positions after the query.": lambda k, n: asks(k, -n),
        "you returned a table with one row. Take the row itself, with [0].": (
            lambda k, n: asks(k, n)[None]
        ),
        "your query points the right way, but make it as long as the key.": (
            lambda k, n: asks(k, n) / np.linalg.norm(k)
        ),
        "your query points the right way, but it's longer than the key.": (
            lambda k, n: 2 * asks(k, n)
        ),
        "you're one position short. The key goes offset positions, no more and no less.": (
            lambda k, n: asks(k, n - 1)
        ),
        "you turned the key around. Rotate it by its offset instead.": lambda k, n: -k,
        "you converted the offset from degrees. pe.rope takes the position as it is.": (
            lambda k, n: asks(k, np.radians(n))
        ),
        "you rotated every pair by the same angle. Each pair has its own speed: "
        "let pe.rope do it.": lambda k, n: pe.rope(k.reshape(-1, 2), [n] * (len(k) // 2)).ravel(),
    },
)
def asks(key, offset):
    return pe.rope(key[None], [offset])[0]


_SEEDS = (1, 4, 6)  # with 4 and 6, the directions differ by more than half a turn


# At which offset nearest to 0 is the score of one pair of dims highest, with θ = 1?
@function_puzzle(
    "The score is highest when the rotated key points the way the query points.",
    "By what angle does the key have to rotate to get there? With θ = 1, that angle is the offset.",
    "np.angle(complex(a, b)) is the direction of (a, b). "
    "Dividing one complex number by another subtracts their directions.",
    cases=(
        (np.array([1.0, 0.0]), np.array([0.0, 1.0])),
        (np.array([-1.0, 2.0]), np.array([2.0, 1.0])),
        *(tuple(np.random.default_rng(seed).normal(size=(2, 2))) for seed in _SEEDS),
    ),
    written=("", "", *(f"*np.random.default_rng({seed}).normal(size=(2, 2))" for seed in _SEEDS)),
    won="The peak is wherever q and k put it. "
    "RoPE only rotates, and with different words the best offset is different.",
    mistakes={
        "you rotated the query onto the key. It's the key that rotates, by its offset.": (
            lambda q, k: -best_offset(q, k)
        ),
        "you rotated the query onto the key, and your two directions can differ by more than "
        "half a turn. Rotate the key, and bring the angle back to between −π and π.": (
            lambda q, k: np.angle(complex(*k)) - np.angle(complex(*q))
        ),
        "your two directions can differ by more than half a turn. "
        "Bring the difference back to between −π and π.": (
            lambda q, k: np.angle(complex(*q)) - np.angle(complex(*k))
        ),
        "you returned degrees. With θ = 1, one position is one radian.": (
            lambda q, k: np.degrees(best_offset(q, k))
        ),
        "you rounded. The offset can be a fraction.": lambda q, k: np.round(best_offset(q, k)),
        "that's the right direction, but a whole turn too far. Return the offset nearest to 0.": (
            lambda q, k: best_offset(q, k) + 2 * np.pi
        ),
        "you always rotate forward. If that's more than half a turn, going back is shorter: "
        "subtract a whole turn.": lambda q, k: best_offset(q, k) % (2 * np.pi),
        "you always rotate back. If that's more than half a turn, going forward is shorter: "
        "add a whole turn.": lambda q, k: best_offset(q, k) % (2 * np.pi) - 2 * np.pi,
        "an arccos tells you how far apart the two are, but not on which side.": (
            lambda q, k: abs(best_offset(q, k))
        ),
        "that's the highest score itself. Return the offset where it happens.": (
            lambda q, k: np.linalg.norm(q) * np.linalg.norm(k)
        ),
    },
)
def best_offset(q, k):
    return np.angle(complex(*q) / complex(*k))
