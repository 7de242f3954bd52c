"""What attention can see of a table: the dot products between its rows."""

from functools import partial

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.frequencies import theta, turns
from posenc_lib.encodings.validate import EVEN, checked

CHUNK = 2**13  # offsets at a time
SIDE = 128  # offsets in a block: the sums of many blocks are one product of matrices
ROUNDING = 1e-5  # more than such a sum is wrong by
EPSILON = np.finfo(np.float64).eps
FINITE = partial(validate.array, ndim=2)


@checked()
def similarity_matrix(table: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return all dot products between rows: S[i, j] = PE[i] · PE[j].

    >>> similarity_matrix([[1, 0], [1, 2]])
    array([[1., 1.],
           [1., 5.]])

    Args: table is an array of shape (seq_len, d_model).
    Returns: float64 array of shape (seq_len, seq_len), symmetric.
    """
    validate.size("table", (len(table), len(table)))
    return table @ table.T


@checked(table=FINITE)
def closest_pair(table: npt.ArrayLike) -> tuple[int, int, float]:
    """Return the two rows that are closest to each other, and how far apart they are.

    >>> closest_pair([[0, 0], [3, 4], [3, 5]])
    (1, 2, 1.0)

    Args: table is an array of shape (seq_len, d_model), with at least 2 rows, of finite numbers.
    Returns: (i, j, distance) with i < j; of several equally close pairs, the first.
    """
    table = np.asarray(table, np.float64)
    if len(table) < 2:
        raise ValueError(f"table must have at least 2 rows, got shape {table.shape}")
    validate.size("table", (len(table), len(table)))
    centred = table - table.mean(axis=0)  # the same distances, out of smaller numbers
    squares = np.einsum("ij,ij->i", centred, centred)
    sums = squares[:, None] + squares
    apart = sums - 2 * centred @ centred.T  # squared distances: one product instead of L² rows
    apart[np.tri(len(table), dtype=bool)] = np.inf  # each pair once, no row with itself
    noise = (table.shape[1] + 8) * EPSILON * sums  # what is left where nearly equal numbers cancel
    first, second = np.nonzero(apart - noise <= (apart + noise).min())  # all that may be closest, in order
    parts = [slice(start, start + CHUNK) for start in range(0, len(first), CHUNK)]
    exact = np.concatenate([np.linalg.norm(table[first[p]] - table[second[p]], axis=1) for p in parts])
    length = np.linalg.norm(table, axis=1)
    rounding = 64 * EPSILON * (length[first] + length[second])
    k = int(np.argmax(exact <= exact.min() + rounding))
    return int(first[k]), int(second[k]), float(exact[k])


@checked("d_model", d_model=EVEN)
def sinusoidal_kernel(
    offsets: npt.ArrayLike, d_model: int, base: float = 10_000.0, *, inv_freq: npt.ArrayLike | None = None
) -> npt.NDArray[np.float64] | np.float64:
    """Return the dot product of two sinusoidal vectors that stand Δ apart: Σ_i cos(Δ·θ_i).

    >>> sinusoidal_kernel([0, 1, 100], 64).round(2)
    array([32.  , 30.92, 17.87])

    Args: offsets are Δ, in positions, a number or an array of any shape; d_model and base are as in `sinusoidal`,
        inv_freq as in `angles`.
    Returns: float64 array of the shape of offsets; d_model / 2 where Δ = 0.
    Source: Vaswani et al. 2017, section 3.5, by sin a sin b + cos a cos b = cos(a − b).
    """
    frequencies = theta(d_model, base, given=inv_freq)
    parts = [offsets.ravel()[start : start + CHUNK] for start in range(0, max(offsets.size, 1), CHUNK)]
    return np.concatenate([turns(part, frequencies).real.sum(axis=1) for part in parts]).reshape(offsets.shape)[()]


@checked("d_model", d_model=EVEN, most=partial(validate.integer, high=2**26))
def first_negative(
    d_model: int, base: float = 10_000.0, *, inv_freq: npt.ArrayLike | None = None, most: int = 2**20
) -> int | None:
    """Return the first offset at which `sinusoidal_kernel` is below zero, or None up to `most`.

    Two positions that far apart look less alike than two that have nothing to do with each other.

    >>> first_negative(64), first_negative(64, most=700)
    (725, None)

    Args: d_model, base and inv_freq are as in `sinusoidal_kernel`; most is the last offset to be tried, below 2**26.
    Returns: a whole number of positions, or None.
    Source: Xu et al. 2024, "Base of RoPE Bounds Context Length", which asks for it beyond the length of the text.
    """
    frequencies = theta(d_model, base, given=inv_freq)
    near, start, blocks = np.outer(np.arange(SIDE), frequencies).astype(float), 0, 8
    while start <= most:
        far = np.outer(start + SIDE * np.arange(blocks), frequencies).astype(float)
        sums = np.cos(far) @ np.cos(near).T - np.sin(far) @ np.sin(near).T  # cos(a + b) = cos a cos b − sin a sin b
        for offset in start + np.flatnonzero(sums.ravel() < ROUNDING):
            if offset <= most and turns(offset[None], frequencies).real.sum() < 0:
                return int(offset)
        start, blocks = start + SIDE * blocks, min(2 * blocks, 2 * SIDE)
    return None


@checked("seq_len", d_model=EVEN)
def sinusoidal_similarity(seq_len: int, d_model: int, base: float = 10_000.0) -> npt.NDArray[np.float64]:
    """Return all dot products of a sinusoidal table without making the table or the matrix.

    S[i, j] = Σ_k cos((j − i)·θ_k) depends on j − i alone: a Toeplitz matrix, one curve seen through a sliding window.
    It equals similarity_matrix(sinusoidal(seq_len, d_model, base=base)) up to rounding.

    >>> sinusoidal_similarity(3, 4).round(2)
    array([[2.  , 1.54, 0.58],
           [1.54, 2.  , 1.54],
           [0.58, 1.54, 2.  ]])

    Args: seq_len is at least 1; d_model and base are as in `sinusoidal`.
    Returns: float64 array of shape (seq_len, seq_len), read-only, in the memory of 2·seq_len − 1 numbers.
    Source: Vaswani et al. 2017, section 3.5, by sin a sin b + cos a cos b = cos(a − b).
    """
    later = sinusoidal_kernel(np.arange(seq_len), d_model, base)
    curve = np.concatenate([later[:0:-1], later])  # from offset 1 − seq_len to seq_len − 1
    return np.lib.stride_tricks.sliding_window_view(curve, seq_len)[::-1]
