"""The two puzzles of lesson 04."""

from collections.abc import Callable

import numpy as np

from posenc_lib.encodings.sine import sine
from posenc_lib.lessons.puzzles.engine import Puzzle


def _sines(lengths) -> Callable:
    """Return what somebody gets who takes these wavelengths, a function of (d_model, shortest, longest)."""
    return lambda x, *args: np.sin(2 * np.pi * x[:, None] / lengths(*args))


def _logspace(d_model: int, shortest: float, longest: float) -> np.ndarray:
    with np.errstate(over="ignore"):
        return np.logspace(shortest, longest, d_model)


def waves(positions, d_model, shortest, longest):
    lengths = shortest * (longest / shortest) ** (np.arange(d_model) / (d_model - 1))
    return np.sin(2 * np.pi * positions[:, None] / lengths)


WAVES = Puzzle(
    answer=waves,
    cases=tuple(
        (np.arange(n), *rest) for n, *rest in ((4, 2, 5, 20), (6, 3, 5, 80.0), (20, 8, 7, 900), (6, 16, 3, 50))
    ),
    hints=(
        "Write down the wavelengths for d = 3 from 5 to 80: 5, 20, 80. Each is 4 times the one before.",
        "A wave of length λ is sin(2π·t/λ). Positions go down the rows, dims along the columns.",
        "np.arange(d_model) / (d_model - 1) runs from 0 to 1. Which number, raised to these powers, takes you from "
        "shortest to longest?",
    ),
    why="you can now place waves wherever a text needs them; the next lesson asks how long the longest should be.",
    mistakes={
        "the lengths grow by equal differences; each should be the same number of times the one before.": (
            _sines(lambda d, a, b: np.linspace(a, b, d))
        ),
        "the exponent is i/d, so the last wave is too short; divide i by d − 1.": (
            _sines(lambda d, a, b: a * (b / a) ** (np.arange(d) / d))
        ),
        "each wave is longest/shortest times the one before; all together should grow by that once.": (
            _sines(lambda d, a, b: a * (b / a) ** np.arange(d))
        ),
        "np.logspace takes exponents, not ends; np.geomspace takes ends.": _sines(_logspace),
        "brackets are missing: x ** i / (d − 1) divides after the power; write x ** (i / (d − 1)).": (
            _sines(lambda d, a, b: a * (b / a) ** np.arange(d) / (d - 1))
        ),
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
    without=("closest_pair",),
    cases=(
        (np.array([[0.0], [7], [3], [8]]),),
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
    why="this finds the weak spot of any table of positions, a trained one, too.",
    mistakes={
        "that is a row with itself, at distance 0; fill the diagonal with np.inf first.": lambda x: (0, 0),
        "only neighbours were compared; rows far apart in time may be close in space.": (
            lambda x: np.add(np.argmin(np.diagonal(_distances(x), 1)), [0, 1])
        ),
        "these two have the largest dot product, but that is also large because rows are long; "
        "take the smallest distance.": lambda x: _best_pair(x @ x.T),
        "np.argmin counts through the whole square of distances; np.unravel_index makes row and column of it.": (
            lambda x: closest(x)[0] * len(x) + closest(x)[1]
        ),
        "that is how close they are; which two rows are they?": lambda x: _distances(x)[closest(x)],
    },
)
