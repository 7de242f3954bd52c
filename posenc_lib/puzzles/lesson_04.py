"""The two puzzles of lesson 04."""

import numpy as np

from posenc_lib.encodings.sine import sine
from posenc_lib.puzzles.engine import Puzzle


def _angles(positions: np.ndarray, d_model: int, base: float) -> np.ndarray:
    return positions[:, None] / base ** (np.arange(d_model) / (d_model - 1))


def waves(positions, d_model, base):
    i = np.arange(d_model)
    return np.sin(positions[:, None] / base ** (i / (d_model - 1)))


WAVES = Puzzle(
    answer=waves,
    cases=tuple((np.arange(n), d, base) for n, d, base in ((5, 2, 100), (8, 3, 2.0), (6, 16, 50), (20, 8, 10_000))),
    hints=(
        "Write down the exponents for d = 3: 0 for the first dim, 1 for the last, ½ for the one between.",
        "Position t in dim i is sin(t / base^(i/(d−1))). Positions go down the rows, dims along the columns.",
        "With i = np.arange(d_model), take np.sin of positions[:, None] / base ** (i / (d_model - 1)).",
    ),
    mistakes={
        "the exponent is i/d, so the slowest wave never reaches base; divide i by d − 1.": (
            lambda x, d, b: waves(x, d, b ** ((d - 1) / d))
        ),
        "the exponent is off by two: here every dim has a wave of its own, so it is i/(d−1), not 2i/d.": (
            lambda x, d, b: waves(x, d, b ** (2 * (d - 1) / d))
        ),
        "degrees instead of radians: np.sin wants radians.": lambda x, d, b: np.sin(np.deg2rad(_angles(x, d, b))),
        "brackets are missing: base ** i / (d − 1) divides after the power; write base ** (i / (d − 1)).": (
            lambda x, d, b: np.sin(x[:, None] / (float(b) ** np.arange(d) / (d - 1)))
        ),
        "you multiplied by the power, so the waves get faster; divide by it.": lambda x, d, b: waves(x, d, 1 / b),
        "cosines instead of sines: every wave should start at 0.": lambda x, d, b: np.cos(_angles(x, d, b)),
        "base is not used: 2^i doubles the wavelength from dim to dim; here it grows to base over all dims.": (
            lambda x, d, b: sine(x, d)
        ),
        "each wave is base times as long as the one before; all of them together should grow to base once.": (
            lambda x, d, b: np.sin(x[:, None] / float(b) ** np.arange(d))
        ),
        "you count from 1; the first row is position 0, all zeros.": lambda x, d, b: waves(x + 1, d, b),
        "shape (d_model, seq_len) is the table on its side; a row is a position, a column is a dim.": (
            lambda x, d, b: waves(x, d, b).T
        ),
        "the slowest wave stands first; dim 0 is the fastest, sin t.": lambda x, d, b: waves(x, d, b)[:, ::-1],
        "you put 2π in front of t; the angle here is t / base^(i/(d−1)) as it stands.": (
            lambda x, d, b: np.sin(2 * np.pi * _angles(x, d, b))
        ),
        "these are the angles; now take the sine of each.": _angles,
    },
)


def _distances(table: np.ndarray) -> np.ndarray:
    return np.linalg.norm(table[:, None] - table, axis=-1)


def _best_pair(scores: np.ndarray) -> tuple:
    """Return the row and the column of the largest score of two different rows."""
    np.fill_diagonal(scores, -np.inf)
    return np.unravel_index(np.argmax(scores), scores.shape)


def closest(table):
    distance = np.linalg.norm(table[:, None] - table, axis=-1)
    np.fill_diagonal(distance, np.inf)
    i, j = np.unravel_index(np.argmin(distance), distance.shape)
    return i, j


CLOSEST = Puzzle(
    answer=closest,
    cases=(
        (sine(8, 1),),
        (sine(28, 2),),
        (sine(38, 4, base=3),),
        (sine(64, 2),),
        (sine(240, 4, base=2),),
        (np.array([[0.0, 0, 0, 0], [1, 1, 1, 1], [10, 0, 0, 0], [13.2, 0, 0, 0]]),),
    ),
    hints=(
        "Every row has to be compared with every other one: that makes a square of distances, seq_len × seq_len.",
        "table[:, None] - table holds all differences; np.linalg.norm(…, axis=-1) makes distances of them. On the "
        "diagonal each row meets itself at distance 0: fill it with np.inf.",
        "np.argmin(distance) counts through the square; np.unravel_index(…, distance.shape) makes i and j of it.",
    ),
    mistakes={
        "that is a row with itself, at distance 0; fill the diagonal with np.inf first.": lambda x: (0, 0),
        "only neighbours were compared; rows far apart in time may be close in space.": (
            lambda x: np.add(np.argmin(np.diagonal(_distances(x), 1)), [0, 1])
        ),
        "only row 0 was compared with the others; every row has to be.": (
            lambda x: (0, np.argmin(_distances(x)[0, 1:]) + 1)
        ),
        "those are the two farthest rows; the closest are asked for.": lambda x: _best_pair(_distances(x)),
        "these two have the largest dot product, but that is also large because rows are long; "
        "take the smallest distance.": lambda x: _best_pair(x @ x.T),
        "the right two rows; say the earlier one first, (i, j) with i < j.": lambda x: closest(x)[::-1],
        "you count from 1; the first row is row 0.": lambda x: np.add(closest(x), 1),
        "np.argmin counts through the whole square of distances; np.unravel_index makes row and column of it.": (
            lambda x: closest(x)[0] * len(x) + closest(x)[1]
        ),
        "that is how close they are; which two rows are they?": lambda x: _distances(x)[closest(x)],
        "you added up the absolute differences; Euclidean distance adds their squares, then takes the root.": (
            lambda x: _best_pair(-np.abs(x[:, None] - x).sum(axis=-1))
        ),
        "you compared the columns of the table; positions are its rows.": lambda x: closest(x.T),
    },
)
