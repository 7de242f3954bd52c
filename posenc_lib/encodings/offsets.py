"""Offsets between keys and queries, and lookups in a table by offset."""

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate


@validate.checked()
def relative_offsets(q_len: int, k_len: int | None = None) -> npt.NDArray[np.int64]:
    """Return offset = key − query for every pair of positions, negative for earlier keys.

    The last query is at the last key. With fewer keys than queries, the first queries come before
    all keys.

    >>> relative_offsets(2, 3)
    array([[-1,  0,  1],
           [-2, -1,  0]])

    Returns: int64 array of shape (q_len, k_len), in positions.
    Source: Shaw et al. 2018, section 3.2 (j − i).
    """
    k_len = q_len if k_len is None else k_len
    return np.arange(k_len, dtype=np.int64) - np.arange(k_len - q_len, k_len)[:, None]


def fitting_qk(q, k) -> tuple[np.ndarray, np.ndarray]:
    """Return q and k as float64, or refuse shapes that don't fit together."""
    q, k = validate.ROWS("q", q), validate.ROWS("k", k)
    if q.shape[-1] != k.shape[-1] or q.shape[-1] == 0:
        raise ValueError(
            f"q and k must have the same d, at least 1, got {q.shape[-1]} and {k.shape[-1]}"
        )
    validate.leading_axes("q and k", q, k)
    return q, k


def read(by_row: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return by_row[..., i, rows[i, j]] for every i and j."""
    return np.take_along_axis(
        by_row, np.broadcast_to(rows, (*by_row.shape[:-1], rows.shape[1])), axis=-1
    )
