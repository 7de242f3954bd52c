"""What attention can see of a table: the dot products between its rows."""

from functools import partial

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.validate import checked


@checked()
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
    """Return the two rows that are closest to each other, and how far apart they are.

    >>> closest_pair([[0, 0], [3, 4], [3, 5]])
    (1, 2, 1.0)

    Args: table has shape (seq_len, d_model), at least 2 rows, finite numbers.
    Returns: (i, j, distance) with i < j; of several pairs that are equally close up to rounding,
        the first.
    """
    table = np.asarray(table, np.float64)
    if len(table) < 2:
        raise ValueError(f"table must have at least 2 rows, got shape {table.shape}")
    apart = np.full((len(table), len(table)), np.inf)
    for k, row in enumerate(table):  # each pair once, no row with itself
        away = table[k + 1 :] - row
        apart[k, k + 1 :] = np.sqrt(np.einsum("ij,ij->i", away, away))
    length = np.linalg.norm(table, axis=1)
    rounding = 64 * np.finfo(np.float64).eps * (length[:, None] + length)
    i, j = np.unravel_index(np.argmax(apart <= apart.min() + rounding), apart.shape)
    return int(i), int(j), float(apart[i, j])
