"""The two puzzles of lesson 06."""

import numpy as np

from posenc_lib.puzzles.engine import Puzzle


def turned(x, position):
    angle = position / 10_000 ** (np.arange(0, len(x), 2) / len(x))
    a, b = x[0::2], x[1::2]
    result = np.empty(len(x))
    result[0::2] = a * np.cos(angle) - b * np.sin(angle)
    result[1::2] = a * np.sin(angle) + b * np.cos(angle)
    return result


def score(q, k, offset):
    angle = offset / 10_000 ** (np.arange(0, len(k), 2) / len(k))
    a, b = k[0::2], k[1::2]
    first = a * np.cos(angle) - b * np.sin(angle)
    second = a * np.sin(angle) + b * np.cos(angle)
    return q[0::2] @ first + q[1::2] @ second


def _angles(position: float, head_dim: int) -> np.ndarray:
    return position / 10_000 ** (np.arange(0, head_dim, 2) / head_dim)


def _by(x: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Return x with each pair turned by its angle."""
    a, b = x[0::2], x[1::2]
    pairs = [a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)]
    return np.stack(pairs, axis=-1).ravel()


def _halves(x: np.ndarray, position: float) -> np.ndarray:
    """Return x with dims 0 and d/2, 1 and d/2 + 1, … turned together."""
    a, b = np.split(x, 2)
    pairs = _by(np.stack([a, b], axis=-1).ravel(), _angles(position, len(x)))
    return np.concatenate([pairs[0::2], pairs[1::2]])


def _slow(x: np.ndarray, position: float) -> np.ndarray:
    """Return x turned with exponent i/d in place of 2i/d."""
    return _by(x, position / 10_000 ** (np.arange(len(x) // 2) / len(x)))


def _alike(x: np.ndarray, position: float) -> np.ndarray:
    return _by(x, np.full(len(x) // 2, float(position)))


def _overwritten(x: np.ndarray, position: float) -> np.ndarray:
    """Turn x in place, so that the second line meets what the first one wrote."""
    result, angle = x.copy(), _angles(position, len(x))
    a, b = result[0::2], result[1::2]
    result[0::2] = a * np.cos(angle) - b * np.sin(angle)
    result[1::2] = a * np.sin(angle) + b * np.cos(angle)
    return result


def _not_crossed(x: np.ndarray, position: float) -> np.ndarray:
    angle = _angles(position, len(x)).repeat(2)
    return x * np.cos(angle) + x * np.sin(angle)


def _no_minus(x: np.ndarray, position: float) -> np.ndarray:
    a, b, angle = x[0::2], x[1::2], _angles(position, len(x))
    pairs = [a * np.cos(angle) + b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)]
    return np.stack(pairs, axis=-1).ravel()


def _added(x: np.ndarray, position: float) -> np.ndarray:
    angle = _angles(position, len(x))
    return x + np.stack([np.sin(angle), np.cos(angle)], axis=-1).ravel()


def _drawn(head_dim: int, *, seed: int) -> np.ndarray:
    """Return a vector of length 1 in a random direction."""
    x = np.random.default_rng(seed).normal(size=head_dim)
    return x / np.linalg.norm(x)


PUZZLES = (
    Puzzle(
        name="turned",
        answer=turned,
        cases=(
            (np.array([1.0, 0.0]), 1),
            (np.array([1.0, 2.0, 3.0, 4.0]), 3),
            (_drawn(8, seed=0), -5),
            (_drawn(64, seed=1), 7.5),
            (_drawn(128, seed=2), 1000),
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
            "you turned the other way: the minus belongs to the first of each pair.": lambda x, position: turned(
                x, -position
            ),
            "the exponent is off by a factor of two: pair i has base^(−2i/d), not base^(−i/d).": _slow,
            "degrees instead of radians: np.sin and np.cos want radians.": lambda x, position: turned(
                x, np.deg2rad(position)
            ),
            "all pairs turned by the same angle; pair i turns by position·θ_i.": _alike,
            "all firsts, then all seconds: right numbers, but each pair should stand together again.": (
                lambda x, position: np.concatenate([turned(x, position)[0::2], turned(x, position)[1::2]])
            ),
            "you added the sinusoidal row of this position; RoPE adds nothing, it turns x.": _added,
            "cos and sin both met the same number; in a turn a takes its sine from b, and b from a.": _not_crossed,
            "a minus is missing: the first of each pair is a cos − b sin.": _no_minus,
            "x[0::2] is a window onto x, not a copy: your second line met what the first had written. "
            "Write into a new array.": _overwritten,
            "x came back unchanged.": lambda x, position: x,
        },
    ),
    Puzzle(
        name="score",
        answer=score,
        cases=(
            (np.array([1.0, 0.0]), np.array([0.0, 1.0]), 1),
            (_drawn(4, seed=3), _drawn(4, seed=4), -2),
            (_drawn(8, seed=5), _drawn(8, seed=6), 5),
            (_drawn(64, seed=7), _drawn(64, seed=8), 7.5),
            (_drawn(128, seed=9), _drawn(128, seed=10), 100),
        ),
        hints=(
            "m is not told, so the answer must be the same for every m. Choose the one that makes life easiest.",
            "With m = 0 the query is not turned at all, and the key is turned by offset.",
            "Your function from the puzzle before does the work: q @ turned(k, offset).",
        ),
        mistakes={
            "the offset is lost: this is q·k. Turning both by the same angle changes no dot product.": (
                lambda q, k, offset: q @ k
            ),
            "the other way round: k stands offset later, so k is turned by offset, or q by −offset.": (
                lambda q, k, offset: score(q, k, -offset)
            ),
            "the sum of cos(offset·θ_i) is the sinusoidal table's dot product; here q and k have their say.": (
                lambda q, k, offset: np.cos(_angles(offset, len(q))).sum()
            ),
            "half pairing: you turned dims i and d/2 + i together; here neighbours turn, (0, 1), (2, 3), …": (
                lambda q, k, offset: q @ _halves(k, offset)
            ),
            "you divided by √d, as attention does later; the bare dot product is asked for.": lambda q, k, offset: (
                score(q, k, offset) / np.sqrt(len(q))
            ),
            "only the cosines are there: a turn also mixes the two of a pair, by the sine.": lambda q, k, offset: (
                (q * k) @ np.cos(_angles(offset, len(q))).repeat(2)
            ),
            "all pairs turned by the same angle; pair i turns by offset·θ_i.": lambda q, k, offset: (
                q @ _alike(k, offset)
            ),
            "the exponent is off by a factor of two: pair i has base^(−2i/d), not base^(−i/d).": lambda q, k, offset: (
                q @ _slow(k, offset)
            ),
            "degrees instead of radians: np.sin and np.cos want radians.": lambda q, k, offset: score(
                q, k, np.deg2rad(offset)
            ),
            "this is k, turned; now take its dot product with q.": lambda q, k, offset: turned(k, offset),
            "these are the products dim by dim; add them up.": lambda q, k, offset: q * turned(k, offset),
        },
    ),
)
