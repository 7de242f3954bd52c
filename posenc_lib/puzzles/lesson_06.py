"""The two puzzles of lesson 06."""

from functools import partial

import numpy as np

from posenc_lib.encodings.rope import rope
from posenc_lib.encodings.sinusoidal import sinusoidal
from posenc_lib.puzzles.engine import Puzzle


def _angles(position: float, head_dim: int) -> np.ndarray:
    return position / 10_000 ** (np.arange(0, head_dim, 2) / head_dim)


def _rope(x: np.ndarray, position: float, **options) -> np.ndarray:
    return rope(x[None], [position], **options)[0]


_halves = partial(_rope, pairing="half")
_slow = partial(_rope, base=100)  # exponent i/d in place of 2i/d
_alike = partial(_rope, base=1)


def _overwritten(x: np.ndarray, position: float) -> np.ndarray:
    """Turn x in place, so that the second line meets what the first one wrote."""
    result, angle = x.copy(), _angles(position, len(x))
    a, b = result[0::2], result[1::2]
    result[0::2] = a * np.cos(angle) - b * np.sin(angle)
    result[1::2] = a * np.sin(angle) + b * np.cos(angle)
    return result


def _drawn(head_dim: int, seed: int) -> np.ndarray:
    """Return a vector of length 1 in a random direction."""
    x = np.random.default_rng(seed).normal(size=head_dim)
    return x / np.linalg.norm(x)


def turned(x, position):
    angle = position / 10_000 ** (np.arange(0, len(x), 2) / len(x))
    a, b = x[0::2], x[1::2]
    result = np.empty(len(x))
    result[0::2] = a * np.cos(angle) - b * np.sin(angle)
    result[1::2] = a * np.sin(angle) + b * np.cos(angle)
    return result


TURNED = Puzzle(
    answer=turned,
    cases=(
        (np.array([1.0, 0.0]), 1),
        (np.arange(1.0, 5), 3),
        (_drawn(8, 0), -5),
        (_drawn(64, 1), 7.5),
        (_drawn(128, 2), 1000),
    ),
    hints=(
        "Dims 0 and 1 are one pair, 2 and 3 the next. Pair i turns by position · 10000^(−2i/d), with d = len(x).",
        "A pair (a, b) turned by an angle is (a cos − b sin, a sin + b cos). Take a = x[0::2] and b = x[1::2]; "
        "angle = position / 10000 ** (np.arange(0, d, 2) / d).",
        "Start with result = np.empty(d). Its dims 0::2 become a·np.cos(angle) − b·np.sin(angle), its dims 1::2 "
        "become a·np.sin(angle) + b·np.cos(angle).",
    ),
    mistakes={
        "half pairing: you turned dims i and d/2 + i together; here neighbours turn, (0, 1), (2, 3), …": _halves,
        "you turned the other way: the minus belongs to the first of each pair.": lambda x, m: turned(x, -m),
        "the exponent is off by a factor of two: pair i has base^(−2i/d), not base^(−i/d).": _slow,
        "degrees instead of radians: np.sin and np.cos want radians.": lambda x, m: turned(x, np.deg2rad(m)),
        "all pairs turned by the same angle; pair i turns by position·θ_i.": _alike,
        "all firsts, then all seconds: right numbers, but each pair should stand together again.": (
            lambda x, m: turned(x, m).reshape(-1, 2).T.ravel()
        ),
        "you added the sinusoidal row of this position; RoPE adds nothing, it turns x.": (
            lambda x, m: x + sinusoidal([m], len(x))[0]
        ),
        "cos and sin both met the same number; in a turn a takes its sine from b, and b from a.": (
            lambda x, m: x * (np.cos(_angles(m, len(x))) + np.sin(_angles(m, len(x)))).repeat(2)
        ),
        "a minus is missing: the first of each pair is a cos − b sin.": (
            lambda x, m: np.where(np.arange(len(x)) % 2, turned(x, m), turned(x, -m))
        ),
        "x[0::2] is a window onto x, not a copy: your second line met what the first had written. "
        "Write into a new array.": _overwritten,
        "x came back unchanged.": lambda x, m: x,
    },
)


def score(q, k, offset):
    angle = offset / 10_000 ** (np.arange(0, len(k), 2) / len(k))
    a, b = k[0::2], k[1::2]
    first = a * np.cos(angle) - b * np.sin(angle)
    second = a * np.sin(angle) + b * np.cos(angle)
    return q[0::2] @ first + q[1::2] @ second


SCORE = Puzzle(
    answer=score,
    cases=(
        (np.array([1.0, 0.0]), np.array([0.0, 1.0]), 1),
        (_drawn(4, 3), _drawn(4, 4), -2),
        (_drawn(8, 5), _drawn(8, 6), 5),
        (_drawn(64, 7), _drawn(64, 8), 7.5),
        (_drawn(128, 9), _drawn(128, 10), 100),
    ),
    hints=(
        "m is not told, so the answer must be the same for every m. Choose the one that makes life easiest.",
        "With m = 0 the query is not turned at all, and the key is turned by offset.",
        "Your function from the puzzle before does the work: q @ turned(k, offset).",
    ),
    mistakes={
        "the offset is lost: this is q·k. Turning both by the same angle changes no dot product.": (
            lambda q, k, n: q @ k
        ),
        "the other way round: k stands offset later, so k is turned by offset, or q by −offset.": (
            lambda q, k, n: score(q, k, -n)
        ),
        "the sum of cos(offset·θ_i) is the sinusoidal table's dot product; here q and k have their say.": (
            lambda q, k, n: np.cos(_angles(n, len(q))).sum()
        ),
        "half pairing: you turned dims i and d/2 + i together; here neighbours turn, (0, 1), (2, 3), …": (
            lambda q, k, n: q @ _halves(k, n)
        ),
        "you divided by √d, as attention does later; the bare dot product is asked for.": (
            lambda q, k, n: score(q, k, n) / np.sqrt(len(q))
        ),
        "only the cosines are there: a turn also mixes the two of a pair, by the sine.": (
            lambda q, k, n: (q * k) @ np.cos(_angles(n, len(q))).repeat(2)
        ),
        "all pairs turned by the same angle; pair i turns by offset·θ_i.": lambda q, k, n: q @ _alike(k, n),
        "the exponent is off by a factor of two: pair i has base^(−2i/d), not base^(−i/d).": (
            lambda q, k, n: q @ _slow(k, n)
        ),
        "degrees instead of radians: np.sin and np.cos want radians.": lambda q, k, n: score(q, k, np.deg2rad(n)),
        "this is k, turned; now take its dot product with q.": lambda q, k, n: turned(k, n),
        "these are the products dim by dim; add them up.": lambda q, k, n: q * turned(k, n),
    },
)
