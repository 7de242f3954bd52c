"""What attention can see of a table: the dot products between its rows."""

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.frequencies import inv_freq


def similarity_matrix(table) -> np.ndarray:
    """Return all dot products between rows: S[i, j] = PE[i] · PE[j].

    Args:
        table: array of shape (seq_len, d_model), of finite numbers.

    Returns:
        float64 array of shape (seq_len, seq_len), symmetric.

    Raises:
        TypeError: table does not hold real numbers.
        ValueError: table is not 2-D, not finite, or the result would not fit in this machine's memory.
    """
    table = validate.array("table", table, ndim=2).astype(np.float64, copy=False)
    validate.fits_in_memory("table", (len(table), len(table)))
    return table @ table.T


def dot_product_curve(table, query: int) -> np.ndarray:
    """Return the dot product of one row with every row: PE[query] · PE[j] for each j.

    Args:
        table: array of shape (seq_len, d_model), of finite numbers.
        query: row number, 0 … seq_len − 1.

    Returns:
        float64 array of shape (seq_len,).

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: table is not 2-D or not finite; query is not one of its rows.
    """
    table = validate.array("table", table, ndim=2).astype(np.float64, copy=False)
    if len(table) == 0:
        raise ValueError(f"table must have at least one row, got shape {table.shape}")
    query = validate.whole("query", query, low=0, high=len(table) - 1)
    return table @ table[query]


def closest_pair(table) -> tuple[int, int, float]:
    """Return the two rows that are closest to each other, and how far apart they are.

    Args:
        table: array of shape (seq_len, d_model) with at least 2 rows, of finite numbers.

    Returns:
        (i, j, distance) with i < j; of several equally close pairs, the first.

    Raises:
        TypeError: table does not hold real numbers.
        ValueError: table is not 2-D, not finite, has fewer than 2 rows, or the work would not fit in memory.
    """
    table = validate.array("table", table, ndim=2).astype(np.float64, copy=False)
    if len(table) < 2:
        raise ValueError(f"table must have at least 2 rows, got shape {table.shape}")
    validate.fits_in_memory("table", (len(table), len(table)))
    squares = np.einsum("ij,ij->i", table, table)
    apart = squares[:, None] + squares - 2 * table @ table.T  # squared distances: one product instead of L² rows
    apart[np.tri(len(table), dtype=bool)] = np.inf  # each pair once, no row with itself
    apart[apart <= 1e-12 * squares.max(initial=0)] = 0  # what is only rounding noise is equally close
    i, j = np.unravel_index(np.argmin(apart), apart.shape)
    return int(i), int(j), float(np.linalg.norm(table[i] - table[j]))


def sinusoidal_kernel(offsets, d_model: int, base: float = 10_000.0) -> np.ndarray:
    """Return the dot product of two sinusoidal vectors that stand Δ apart: Σ_i cos(Δ·θ_i).

    Args:
        offsets: Δ, in positions: a number or an array of any shape.
        d_model: number of dims, even, at least 2.
        base: greater than 0.

    Returns:
        float64 array of the shape of offsets; d_model / 2 where Δ = 0.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: a rule above is broken, or the work would not fit in this machine's memory.

    Source: Vaswani et al. 2017, section 3.5, by sin a sin b + cos a cos b = cos(a − b).
    """
    frequencies = inv_freq(validate.whole("d_model", d_model, low=2, even=True), base)
    offsets = validate.array("offsets", offsets, columns=frequencies.size).astype(np.float64)
    farthest = np.abs(offsets).max(initial=0)
    if farthest > validate.EXACT:
        raise ValueError(f"offsets must lie within ±2**53, got ±{farthest:g}")
    return np.cos(np.multiply.outer(offsets, frequencies)).sum(axis=-1)
