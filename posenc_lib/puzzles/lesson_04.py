"""The two puzzles of lesson 04."""

import numpy as np

from posenc_lib.encodings.sine import sine
from posenc_lib.puzzles.engine import Puzzle


def waves(seq_len, d_model, base):
    t = np.arange(seq_len)[:, None]
    i = np.arange(d_model)
    return np.sin(t / base ** (i / (d_model - 1)))


def closest(table):
    distance = np.linalg.norm(table[:, None] - table, axis=-1)
    np.fill_diagonal(distance, np.inf)
    i, j = np.unravel_index(np.argmin(distance), distance.shape)
    return i, j


def _angles(seq_len: int, d_model: int, base: float, *, first: int = 0) -> np.ndarray:
    t = np.arange(first, first + seq_len)[:, None]
    return t / base ** (np.arange(d_model) / (d_model - 1))


def _other_exponent(seq_len: int, d_model: int, base: float, factor: float) -> np.ndarray:
    """Return the waves with exponent factor · i / d."""
    return np.sin(np.arange(seq_len)[:, None] / base ** (factor * np.arange(d_model) / d_model))


def _distances(table: np.ndarray) -> np.ndarray:
    return np.linalg.norm(table[:, None] - table, axis=-1)


def _differences(table: np.ndarray) -> np.ndarray:
    """Return the sums of absolute differences of all rows, infinite on the diagonal."""
    return np.abs(table[:, None] - table).sum(axis=-1) + np.diag(np.full(len(table), np.inf))


def _place(found: int, table: np.ndarray) -> tuple:
    """Return the row and the column of an entry counted through the whole square of distances."""
    return tuple(int(place) for place in np.unravel_index(found, (len(table), len(table))))


def _among_neighbours(table: np.ndarray) -> tuple[int, int]:
    i = int(np.argmin(np.linalg.norm(np.diff(table, axis=0), axis=1)))
    return i, i + 1


def _largest_dot_product(table: np.ndarray) -> tuple[int, int]:
    scores = table @ table.T
    np.fill_diagonal(scores, -np.inf)
    return _place(np.argmax(scores), table)


PUZZLES = (
    Puzzle(
        name="waves",
        answer=waves,
        cases=((5, 2, 100), (8, 3, 2.0), (6, 16, 50), (20, 8, 10_000)),
        hints=(
            "Write down the exponents for d = 3: 0 for the first dim, 1 for the last, ½ for the one between.",
            "Position t in dim i is sin(t / base^(i/(d−1))). Positions go down the rows, dims along the columns.",
            "With t = np.arange(seq_len)[:, None] and i = np.arange(d_model), take np.sin of "
            "t / base ** (i / (d_model - 1)).",
        ),
        mistakes={
            "the exponent is i/d, so the slowest wave never reaches base; divide i by d − 1.": lambda n, d, base: (
                _other_exponent(n, d, base, 1)
            ),
            "the exponent is off by two: here every dim has a wave of its own, so it is i/(d−1), not 2i/d.": (
                lambda n, d, base: _other_exponent(n, d, base, 2)
            ),
            "degrees instead of radians: np.sin wants radians.": lambda n, d, base: np.sin(
                np.deg2rad(_angles(n, d, base))
            ),
            "brackets are missing: base ** i / (d − 1) divides after the power; write base ** (i / (d − 1)).": (
                lambda n, d, base: np.sin(np.arange(n)[:, None] / (float(base) ** np.arange(d) / (d - 1)))
            ),
            "you multiplied by the power, so the waves get faster; divide by it.": lambda n, d, base: np.sin(
                np.arange(n)[:, None] * base ** (np.arange(d) / (d - 1))
            ),
            "cosines instead of sines: every wave should start at 0.": lambda n, d, base: np.cos(_angles(n, d, base)),
            "base is not used: 2^i doubles the wavelength from dim to dim; here it grows to base over all dims.": (
                lambda n, d, base: np.sin(np.arange(n)[:, None] / 2.0 ** np.arange(d))
            ),
            "you count from 1; the first row is position 0, all zeros.": lambda n, d, base: np.sin(
                _angles(n, d, base, first=1)
            ),
            "shape (d_model, seq_len) is the table on its side; a row is a position, a column is a dim.": (
                lambda n, d, base: waves(n, d, base).T
            ),
            "the slowest wave stands first; dim 0 is the fastest, sin t.": lambda n, d, base: waves(n, d, base)[
                :, ::-1
            ],
            "you put 2π in front of t; the angle here is t / base^(i/(d−1)) as it stands.": lambda n, d, base: np.sin(
                2 * np.pi * _angles(n, d, base)
            ),
            "these are the angles; now take the sine of each.": _angles,
        },
    ),
    Puzzle(
        name="closest",
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
            "that is a row with itself, at distance 0; fill the diagonal with np.inf first.": lambda table: (0, 0),
            "only neighbours were compared; rows far apart in time may be close in space.": _among_neighbours,
            "only row 0 was compared with the others; every row has to be.": lambda table: (
                (0, int(np.argmin(_distances(table)[0, 1:])) + 1)
            ),
            "those are the two farthest rows; the closest are asked for.": lambda table: _place(
                np.argmax(_distances(table)), table
            ),
            "these two have the largest dot product, but that is also large because rows are long; "
            "take the smallest distance.": _largest_dot_product,
            "the right two rows; say the earlier one first, (i, j) with i < j.": lambda table: closest(table)[::-1],
            "you count from 1; the first row is row 0.": lambda table: tuple(place + 1 for place in closest(table)),
            "np.argmin counts through the whole square of distances; np.unravel_index makes row and column of it.": (
                lambda table: closest(table)[0] * len(table) + closest(table)[1]
            ),
            "that is how close they are; which two rows are they?": lambda table: _distances(table)[closest(table)],
            "you added up the absolute differences; Euclidean distance adds their squares, then takes the root.": (
                lambda table: _place(np.argmin(_differences(table)), table)
            ),
            "you compared the columns of the table; positions are its rows.": lambda table: closest(table.T),
        },
    ),
)
