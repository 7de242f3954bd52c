"""The two puzzles of lesson 05."""

import numpy as np

from posenc_lib.encodings.sinusoidal import shift_matrix, sinusoidal
from posenc_lib.puzzles.engine import Puzzle


def _row(position: float, d_model: int) -> np.ndarray:
    return sinusoidal(np.array([position]), d_model)[0]


def shifted(row, offset):
    turned = offset / 10_000 ** (np.arange(0, len(row), 2) / len(row))
    s, c = row[0::2], row[1::2]
    result = np.empty(len(row))
    result[0::2] = s * np.cos(turned) + c * np.sin(turned)
    result[1::2] = c * np.cos(turned) - s * np.sin(turned)
    return result


SHIFTED = Puzzle(
    answer=shifted,
    cases=((_row(0, 2), 1), (_row(3, 4), 2), (_row(17, 8), -5), (_row(100, 64), 7.5), (_row(7, 128), 1000)),
    hints=(
        "You do not need to know t. Each pair (row[2i], row[2i+1]) = (sin a, cos a) has to turn by offset·θ_i.",
        "sin(a + b) = sin a cos b + cos a sin b, and cos(a + b) = cos a cos b − sin a sin b.",
        "With d = len(row), turned = offset / 10000 ** (np.arange(0, d, 2) / d), s = row[0::2] and c = row[1::2], "
        "the new sines are s·cos(turned) + c·sin(turned).",
    ),
    mistakes={
        "you turned the other way: that is the row of t − offset.": lambda x, n: shifted(x, -n),
        "the exponent is off by a factor of two: pair i has base^(−2i/d), not base^(−i/d).": (
            lambda x, n: shift_matrix(n, len(x), base=100) @ x
        ),
        "the exponent must be divided by d, not by d − 2.": (
            lambda x, n: shift_matrix(n, len(x), base=10_000 ** (len(x) / max(len(x) - 2, 1))) @ x
        ),
        "degrees instead of radians: np.sin and np.cos want radians.": lambda x, n: shifted(x, np.deg2rad(n)),
        "the sines and cosines came out all sines first; the table here interleaves them.": (
            lambda x, n: shifted(x, n).reshape(-1, 2).T.ravel()
        ),
        "you read the row as all sines, then all cosines; here they take turns: row[0::2], row[1::2].": (
            lambda x, n: shifted(x.reshape(2, -1).T.ravel(), n)
        ),
        "all pairs turned by the same angle; pair i turns by offset·θ_i.": lambda x, n: shift_matrix(n, len(x), 1) @ x,
        "you moved the entries of the row about; each pair has to be turned by an angle.": (
            lambda x, n: np.roll(x, int(n))
        ),
        "you added the offset to the numbers; it must be added to the angles.": lambda x, n: x + n,
        "the row came back unchanged.": lambda x, n: x,
    },
)


def one_turn_base(seq_len, d_model):
    return (seq_len / (2 * np.pi)) ** (d_model / (d_model - 2))


ONE_TURN_BASE = Puzzle(
    answer=one_turn_base,
    cases=((512, 4), (2048, 64), (4096, 128), (100_000, 512)),
    hints=(
        "The slowest pair is the last one, i = d/2 − 1. How many positions does its full turn take?",
        "Its wavelength is 2π·base^((d−2)/d). Set that equal to seq_len and solve for base.",
        "base^((d−2)/d) = seq_len / 2π, so raise both sides to the power d/(d−2).",
    ),
    mistakes={
        "the exponent is off by two: the last pair is i = d/2 − 1, so it has (d − 2)/d, not d/d.": (
            lambda n, d: n / (2 * np.pi)
        ),
        "2π is missing: a full turn is 2π radians, not 1.": lambda n, d: n ** (d / (d - 2)),
        "the power is upside down: you need d/(d−2).": lambda n, d: (n / (2 * np.pi)) ** ((d - 2) / d),
    },
)
