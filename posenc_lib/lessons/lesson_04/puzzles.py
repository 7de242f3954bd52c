"""The two puzzles of lesson 04: waves that get longer by a factor, and a table's closest rows."""

import numpy as np

import posenc_lib as pe
from posenc_lib.live.puzzles import function_puzzle


def _of_lengths(lengths):
    """Return a mistake: the same sines of other wavelengths.

    `lengths` is a function of (d_model, shortest, longest).
    """
    return lambda x, *args: np.sin(2 * np.pi * x[:, None] / lengths(*args))


def _powers_of_ten(d_model, shortest, longest):
    with np.errstate(over="ignore"):
        return np.logspace(shortest, longest, d_model)


def _cosines(x, d_model, shortest, longest):
    lengths = shortest * (longest / shortest) ** np.linspace(0, 1, d_model)
    return np.cos(2 * np.pi * x[:, None] / lengths)


_WAVES = ((4, 2, 5, 20), (6, 3, 5, 80.0), (20, 8, 7, 900), (6, 16, 3, 50))


# A table of sines whose wavelengths go from shortest to longest by equal factors?
@function_puzzle(
    "Start small: for d = 3, from 5 to 80, the wavelengths are 5, 20, 80. Each is 4 times the one "
    "before.",
    "A wave of length λ is sin(2π·t/λ). Positions run down the rows, dims across the columns.",
    "np.arange(d_model) / (d_model - 1) runs from 0 to 1. "
    "Which number, raised to these powers, takes you from shortest to longest?",
    cases=tuple((np.arange(n), *others) for n, *others in _WAVES),
    given=_of_lengths(lambda d, a, b: np.linspace(a, b, d)),
    won="Now you can put waves wherever a text needs them. "
    "Lesson 05 asks how long the longest should be.",
    mistakes={
        "Your wavelengths grow by equal differences. Make each wave longer than the one before by "
        "the same factor.": _of_lengths(lambda d, a, b: np.linspace(a, b, d)),
        "Your frequencies fall by equal differences. It's the wavelengths that should grow, each "
        "by the same factor.": _of_lengths(lambda d, a, b: 1 / np.linspace(1 / a, 1 / b, d)),
        "You start with the longest wave. Start with the shortest, like the fast hand of a clock: "
        "dim 0 is the fastest.": (_of_lengths(lambda d, a, b: b * (a / b) ** np.linspace(0, 1, d))),
        "You start with the longest wave, and your wavelengths change by equal differences. Start "
        "with the shortest, and make each wave longer than the one before by the same factor.": (
            _of_lengths(lambda d, a, b: np.linspace(b, a, d))
        ),
        "You took the cosine, which starts at 1. These waves start at 0.": _cosines,
        "Your exponent is i/d, so your last wave is too short. Divide i by d − 1.": (
            _of_lengths(lambda d, a, b: a * (b / a) ** (np.arange(d) / d))
        ),
        "You left out 2π. A wave of length λ makes a whole turn, 2π, in λ positions, so it's "
        "sin(2π·t/λ).": (
            _of_lengths(lambda d, a, b: 2 * np.pi * a * (b / a) ** (np.arange(d) / (d - 1)))
        ),
        "You doubled each wavelength. The factor isn't always 2: d_model − 1 steps have to take "
        "you from shortest to longest.": (_of_lengths(lambda d, a, b: a * 2.0 ** np.arange(d))),
        "These are this lesson's doubling waves. The first one should take shortest positions per "
        "turn, and the last one longest.": (
            _of_lengths(lambda d, a, b: 2 * np.pi * 2.0 ** np.arange(d))
        ),
        "Your first wave always takes 2π positions. That formula has a base, but no shortest: find "
        "each wavelength λ first, then take sin(2π·t/λ).": (
            _of_lengths(lambda d, a, b: 2 * np.pi * (b / a) ** (np.arange(d) / (d - 1)))
        ),
        "You took longest for the base, so your first wave always takes 2π positions. Find each "
        "wavelength λ first, then take sin(2π·t/λ).": (
            _of_lengths(lambda d, a, b: 2 * np.pi * b ** (np.arange(d) / (d - 1)))
        ),
        "np.logspace takes powers of ten: np.logspace(1, 2, 3) starts at 10. Which function takes "
        "the lengths themselves?": _of_lengths(_powers_of_ten),
        "You multiplied by the wavelength. A long wave is a slow one, so divide by it.": (
            _of_lengths(lambda d, a, b: 1 / (a * (b / a) ** (np.arange(d) / (d - 1))))
        ),
    },
)
def waves(positions, d_model, shortest, longest):
    lengths = shortest * (longest / shortest) ** (np.arange(d_model) / (d_model - 1))
    return np.sin(2 * np.pi * positions[:, None] / lengths)


def _neighbors(table):
    i = np.argmin(np.linalg.norm(np.diff(table, axis=0), axis=1))
    return i, i + 1


def _distances(table, power=2):
    return np.linalg.norm(table[:, None] - table, axis=-1, ord=power)


def _smallest(distance, empty):
    """Return a mistake: where a distance is smallest if only some places of it are out."""
    return np.unravel_index(np.argmin(np.where(empty, np.inf, distance)), distance.shape)


_TABLES = (
    np.array([[0.0], [7], [3], [8]]),
    pe.sine(8, 1),
    pe.sine(28, 2),
    pe.sine(38, 4, base=3),
    pe.sine(64, 2),
    pe.sine(240, 4, base=2),
    np.array([[0.0, 0, 0, 0], [1, 1, 1, 1], [10, 0, 0, 0], [13.2, 0, 0, 0]]),
    np.array([[0.0], [1], [5], [0]]),
)


# Which two rows of a table are closest to each other?
@function_puzzle(
    "Compare every row with every other row: that's a square of distances, seq_len × seq_len.",
    "table[:, None] - table has all the differences, and np.linalg.norm(…, axis=-1) turns them "
    "into distances. On the diagonal each row meets itself at distance 0: fill it with np.inf.",
    "np.argmin(distance) counts through the whole square. "
    "np.unravel_index(…, distance.shape) turns its answer into i and j.",
    without=("closest_pair",),
    cases=tuple((table,) for table in _TABLES),
    won="This finds the weak spot of any table of positions, even a trained one.",
    mistakes={
        "You found a row and itself, at distance 0. Fill the diagonal with np.inf first.": (
            lambda x: (0, 0)
        ),
        "You took the largest dot product, which is also large for long rows. "
        "Take the smallest distance.": (
            lambda x: np.unravel_index(np.argmax(np.tril(x @ x.T, -1).T), (len(x), len(x)))
        ),
        "You compared only neighbors. Two rows can be far apart in the text and close in space.": (
            _neighbors
        ),
        "You left out every distance of 0. Two different rows can also be equal, so leave out only "
        "the diagonal.": lambda x: _smallest(_distances(x), _distances(x) == 0),
        "You added up the differences, dim by dim. That's the Manhattan distance. For the "
        "Euclidean one, square them first, or use np.linalg.norm.": (
            lambda x: _smallest(_distances(x, 1), np.eye(len(x), dtype=bool))
        ),
        "np.argmin counts through the whole square of distances. Turn its answer into a row and a "
        "column with np.unravel_index.": (
            lambda x: np.ravel_multi_index(closest(x), (len(x), len(x)))
        ),
        "You found the two rows. Put the smaller number first.": lambda x: closest(x)[::-1],
        "You found the two that are farthest apart. Take the smallest distance, not the largest.": (
            lambda x: np.unravel_index(np.argmax(_distances(x)), (len(x), len(x)))
        ),
        "You returned how close they are. Return which two rows they are, (i, j).": (
            lambda x: np.linalg.norm(np.subtract(*x[[*closest(x)]]))
        ),
        "You found the two rows, and returned their distance as well. Return just (i, j).": (
            lambda x: (*closest(x), np.linalg.norm(np.subtract(*x[[*closest(x)]])))
        ),
    },
)
def closest(table):
    distance = np.linalg.norm(table[:, None] - table, axis=-1)
    np.fill_diagonal(distance, np.inf)
    i, j = np.unravel_index(np.argmin(distance), distance.shape)
    return i, j
