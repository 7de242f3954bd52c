"""What attention sees of a table: the dot products between its rows."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.validate import checked

EPS = 2 * np.finfo(np.float64).eps
ROUNDING = 32 * EPS  # of a distance, relative to both rows' lengths
AT_ONCE = 2**20  # numbers


@checked(lambda table: len(table) ** 2)
def similarity_matrix(table: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return all dot products between rows: S[i, j] = PE[i] · PE[j].

    >>> similarity_matrix([[1, 0], [1, 2]])
    array([[1., 1.],
           [1., 5.]])

    Args: table has shape (seq_len, d_model).
    Returns: float64 array of shape (seq_len, seq_len), symmetric.
    """
    return table @ table.T


@checked(table=partial(validate.array, ndim=2))
def closest_pair(table: npt.ArrayLike) -> tuple[int, int, float]:
    """Return the two closest rows and the distance between them.

    >>> closest_pair([[0, 0], [3, 4], [3, 5]])
    (1, 2, 1.0)

    Args: table has shape (seq_len, d_model), at least 2 rows, finite numbers.
    Returns: (i, j, distance) with i < j. If several pairs are equally close up to rounding, it's
        the first.
    """
    table = np.asarray(table, np.float64)
    if len(table) < 2:
        raise ValueError(f"table must have at least 2 rows, got shape {table.shape}")
    length = np.linalg.norm(table, axis=1)
    closest = np.linalg.norm(np.diff(table, axis=0), axis=1).min()
    found = [(np.inf, 0, 0)]  # each closer than all before it, up to rounding
    for i, j in _near(table, length, closest):
        away = table[j] - table[i]
        apart = np.sqrt(np.einsum("ij,ij->i", away, away))
        closest = min(closest, apart.min())
        less = apart - ROUNDING * (length[i] + length[j])
        for k in np.flatnonzero(less < found[-1][0]):
            if less[k] < found[-1][0]:
                found.append((less[k], int(i[k]), int(j[k])))
        if found[-1][0] <= 0:  # nothing is closer
            break
    _, i, j = next(pair for pair in found if pair[0] <= closest)
    return i, j, float(np.linalg.norm(table[j] - table[i]))


def _near(table: np.ndarray, length: np.ndarray, closest: float) -> Iterator[np.ndarray]:
    """Yield candidates for the closest rows, (i, j) of shape (2, pairs), in order."""
    rows = max(AT_ONCE // len(table), 1)
    pairs = max(AT_ONCE // max(table.shape[1], 1), 1)
    for first in range(0, len(table), rows):
        here = np.arange(first, min(first + rows, len(table)))
        both = length[here, None] + length[first:]
        # dot products are fast but round more than differences
        square = length[here, None] ** 2 + length[first:] ** 2
        square -= 2 * table[here] @ table[first:].T
        square -= (table.shape[1] + 4) * EPS * both**2
        far = square > (closest + ROUNDING * both) ** 2
        i, j = np.nonzero(np.triu(~far, 1))
        for some in range(0, len(i), pairs):
            yield first + np.stack([i, j])[:, some : some + pairs]
