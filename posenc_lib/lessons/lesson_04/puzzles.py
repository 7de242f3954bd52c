"""The two puzzles of lesson 04: waves whose lengths grow evenly, and a table's two closest rows."""

import numpy as np

import posenc_lib as pe
from posenc_lib.live.puzzles import function_puzzle


def _of_lengths(lengths):
    """Return a mistake: the same sines of other wavelengths.

    `lengths` is a function of (d_model, shortest, longest).
    """
    return lambda x, *args: np.sin(2 * np.pi * x[:, None] / lengths(*args))


def _cosines(x, d_model, shortest, longest):
    lengths = shortest * (longest / shortest) ** np.linspace(0, 1, d_model)
    return np.cos(2 * np.pi * x[:, None] / lengths)


_WAVES = ((4, 2, 5, 20), (6, 3, 5, 80.0), (20, 8, 7, 900), (6, 16, 3, 50))


# A table of sines whose wavelengths go from shortest to longest by equal factors?
@function_puzzle(
    "Write down the wavelengths for d = 3 from 5 to 80: 5, 20, 80. Each is 4 times the one before.",
    "A wave of length λ is sin(2π·t/λ). Positions go down the rows, dims along the columns.",
    "np.arange(d_model) / (d_model - 1) runs from 0 to 1. "
    "Which number, raised to these powers, takes you from shortest to longest?",
    cases=tuple((np.arange(n), *others) for n, *others in _WAVES),
    given=_of_lengths(lambda d, a, b: np.linspace(a, b, d)),
    won="You can now place waves wherever a text needs them; "
    "the next lesson asks how long the longest should be.",
    mistakes={
        "the lengths grow by equal differences; each should be the same number of "
        "times the one before.": (_of_lengths(lambda d, a, b: np.linspace(a, b, d))),
        "these frequencies fall by equal differences; it is the lengths that should grow, always "
        "by the same factor.": (_of_lengths(lambda d, a, b: 1 / np.linspace(1 / a, 1 / b, d))),
        "your waves go from the longest to the shortest; the shortest comes first.": (
            _of_lengths(lambda d, a, b: b * (a / b) ** np.linspace(0, 1, d))
        ),
        "that is the cosine, which begins at 1; each of these waves begins at 0.": _cosines,
        "the exponent is i/d, so the last wave is too short; divide i by d − 1.": (
            _of_lengths(lambda d, a, b: a * (b / a) ** (np.arange(d) / d))
        ),
        "a wave of length λ takes λ positions for a whole turn, which is 2π, "
        "so it is sin(2π·t/λ).": (
            _of_lengths(lambda d, a, b: 2 * np.pi * a * (b / a) ** (np.arange(d) / (d - 1)))
        ),
    },
)
def waves(positions, d_model, shortest, longest):
    lengths = shortest * (longest / shortest) ** (np.arange(d_model) / (d_model - 1))
    return np.sin(2 * np.pi * positions[:, None] / lengths)


def _neighbors(table):
    i = np.argmin(np.linalg.norm(np.diff(table, axis=0), axis=1))
    return i, i + 1


_TABLES = (
    np.array([[0.0], [7], [3], [8]]),
    pe.sine(8, 1),
    pe.sine(28, 2),
    pe.sine(38, 4, base=3),
    pe.sine(64, 2),
    pe.sine(240, 4, base=2),
    np.array([[0.0, 0, 0, 0], [1, 1, 1, 1], [10, 0, 0, 0], [13.2, 0, 0, 0]]),
)


# Which two rows of a table are closest to each other?
@function_puzzle(
    "Every row has to be compared with every other one: "
    "that makes a square of distances, seq_len × seq_len.",
    "table[:, None] - table holds all differences; np.linalg.norm(…, axis=-1) makes distances of "
    "them. On the diagonal each row meets itself at distance 0: fill it with np.inf.",
    "np.argmin(distance) counts through the square; "
    "np.unravel_index(…, distance.shape) makes i and j of it.",
    without=("closest_pair",),
    cases=tuple((table,) for table in _TABLES),
    won="This finds the weak spot of any table of positions, a trained one, too.",
    mistakes={
        "that is a row with itself, at distance 0; fill the diagonal with np.inf first.": (
            lambda x: (0, 0)
        ),
        "a dot product is also large where rows are long; "
        "ask which two rows are least far apart.": (
            lambda x: np.unravel_index(np.argmax(np.tril(x @ x.T, -1).T), (len(x), len(x)))
        ),
        "only neighbors were compared; rows far apart in time may be close in space.": _neighbors,
        "np.argmin counts through the whole square of distances; np.unravel_index makes "
        "row and column of it.": (lambda x: np.ravel_multi_index(closest(x), (len(x), len(x)))),
        "these are the two rows in the other order: the smaller number comes first.": (
            lambda x: closest(x)[::-1]
        ),
        "that is how close they are; which two rows are they?": (
            lambda x: np.linalg.norm(np.subtract(*x[[*closest(x)]]))
        ),
    },
)
def closest(table):
    distance = np.linalg.norm(table[:, None] - table, axis=-1)
    np.fill_diagonal(distance, np.inf)
    i, j = np.unravel_index(np.argmin(distance), distance.shape)
    return i, j
