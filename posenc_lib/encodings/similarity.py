"""What attention can see of a table: the dot products between its rows."""

from functools import partial

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.frequencies import theta, turns
from posenc_lib.encodings.validate import EVEN, checked

CHUNK = 2**13  # offsets at a time
SIDE = 128  # offsets in a block: the sums of many blocks are one product of matrices
ROUNDING = 1e-12  # more than such a sum is wrong by


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


@checked(d_model=EVEN)
def sinusoidal_kernel(
    offsets: npt.ArrayLike,
    d_model: int,
    base: float = 10_000.0,
    *,
    inv_freq: npt.ArrayLike | None = None,
) -> npt.NDArray[np.float64] | np.float64:
    """Return the dot product of two sinusoidal vectors that are Δ apart: Σ_i cos(Δ·θ_i).

    >>> sinusoidal_kernel([0, 1, 100], 64).round(2)
    array([32.  , 30.92, 17.87])

    Args: offsets are Δ, of any shape.
    Returns: float64 array of the shape of offsets; d_model / 2 where Δ = 0.
    Source: Vaswani et al. 2017, section 3.5, by sin a sin b + cos a cos b = cos(a − b).
    """
    frequencies = theta(d_model, base, given=inv_freq)
    starts = range(0, max(offsets.size, 1), CHUNK)
    parts = [offsets.ravel()[start : start + CHUNK] for start in starts]
    sums = [turns(part, frequencies).real.sum(axis=1) for part in parts]
    return np.concatenate(sums).reshape(offsets.shape)[()]


@checked(d_model=EVEN, most=partial(validate.integer, high=2**26))
def first_negative(
    d_model: int,
    base: float = 10_000.0,
    *,
    inv_freq: npt.ArrayLike | None = None,
    most: int = 2**20,
) -> int | None:
    """Return the first offset at which `sinusoidal_kernel` is below zero, or None up to `most`.

    Two positions that far apart look less alike than two that have nothing to do with each other.

    >>> first_negative(64), first_negative(64, most=700)
    (725, None)

    Args: most is the last offset to be tried, below 2**26.
    Returns: a whole number of positions, or None.
    Source: Xu et al. 2024, "Base of RoPE Bounds Context Length", which asks for it beyond the
        length of the text.
    """
    frequencies = theta(d_model, base, given=inv_freq)
    near, start, blocks = turns(np.arange(SIDE), frequencies), 0, 8
    while start <= most:
        far = turns(start + SIDE * np.arange(blocks), frequencies)
        # cos(a + b) = cos a cos b − sin a sin b
        sums = far.real @ near.real.T - far.imag @ near.imag.T
        negative = start + np.flatnonzero(sums < -ROUNDING)
        if negative.size:
            return int(negative[0]) if negative[0] <= most else None
        start, blocks = start + SIDE * blocks, min(2 * blocks, 2 * SIDE)
    return None
