"""Encodings that read a vector for each offset: Shaw's clipped tables, and Transformer-XL's turned queries."""

import numpy as np

from posenc_lib.encodings import validate


def relative_offsets(q_len: int, k_len: int | None = None) -> np.ndarray:
    """Return offset = key − query for every pair of positions.

    The last query stands at the last key, so with a cache of earlier keys k_len exceeds q_len.

    Args:
        q_len: number of queries, at least 0.
        k_len: number of keys, at least q_len; None means q_len.

    Returns:
        int64 array of shape (q_len, k_len), in positions: 0 where a query meets its own key, below 0 before it.

    Raises:
        TypeError: an argument is no whole number.
        ValueError: a rule above is broken, or the result would not fit in this machine's memory.

    Source: Shaw et al. 2018, section 3.2 (j − i).
    """
    q_len = validate.whole("q_len", q_len, low=0)
    k_len = q_len if k_len is None else validate.whole("k_len", k_len, low=0)
    if k_len < q_len:
        raise ValueError(f"k_len must be at least q_len={q_len} (the last query stands at the last key), got {k_len}")
    validate.fits_in_memory("q_len and k_len", (q_len, k_len))
    return np.arange(k_len) - np.arange(k_len - q_len, k_len)[:, None]


def shaw_scores(q, k, table) -> np.ndarray:
    """Return q_i · (k_j + a_c), where c is the offset j − i, clipped to what the table has rows for.

    These are the scores before the division by √d: `attention(q, k, v, scores=shaw_scores(q, k, table))`.
    Hugging Face's BERT has an option, "relative_key", that counts query − key: its table is this one upside down.

    Args:
        q: queries, shape (..., q_len, d).
        k: keys, shape (..., k_len, d), k_len ≥ q_len; the last query stands at the last key.
        table: one vector per offset −c … c, shape (2c + 1, d); row c belongs to offset 0.

    Returns:
        float64 array of shape (..., q_len, k_len).

    Raises:
        TypeError: an argument does not hold real numbers.
        ValueError: shapes do not fit together, the table has an even number of rows, or an entry is not finite.

    Source: Shaw et al. 2018, eq. 4 without its √d, and section 3.2 for the clipping.
    """
    q, k = _queries_and_keys(q, k)
    table = _clipped_table(table, q.shape[-1], "q")
    validate.fits_in_memory("q and table", (*q.shape[:-1], len(table)))
    rows = clipped(relative_offsets(q.shape[-2], k.shape[-2]), len(table) // 2)
    return q @ np.swapaxes(k, -1, -2) + _read(q @ table.T, rows)


def shaw_values(weights, table) -> np.ndarray:
    """Return Σ_j weights_ij · a_c, what attention hands over beside the values; c is the clipped offset j − i.

    Args:
        weights: attention's weights, shape (..., q_len, k_len), k_len ≥ q_len.
        table: one vector per offset −c … c, shape (2c + 1, d); row c belongs to offset 0.

    Returns:
        float64 array of shape (..., q_len, d), to be added to attention's output.

    Raises:
        TypeError: an argument does not hold real numbers.
        ValueError: the table has an even number of rows, k_len < q_len, or an entry is not finite.

    Source: Shaw et al. 2018, eq. 3.
    """
    weights = validate.array("weights", weights, min_ndim=2).astype(np.float64)
    table = _clipped_table(table)
    q_len, k_len = weights.shape[-2:]
    if k_len < q_len:
        raise ValueError(f"weights must have at least as many columns (keys) as rows, got shape {weights.shape}")
    validate.fits_in_memory("weights and table", (*weights.shape[:-1], q_len + k_len + table.shape[1]))
    validate.fits_in_memory("weights and table", (q_len + k_len, table.shape[1]))
    by_offset = np.zeros((*weights.shape[:-1], max(q_len + k_len - 1, 0)))
    place = relative_offsets(q_len, k_len) + k_len - 1  # every offset has a column of its own
    np.put_along_axis(by_offset, np.broadcast_to(place, weights.shape), weights, axis=-1)
    return by_offset @ table[clipped(np.arange(1 - k_len, q_len), len(table) // 2)]


def transformer_xl_scores(q, k, r, u, v) -> np.ndarray:
    """Return (q_i + u) · k_j + (q_i + v) · r_n, where n = i − j is how far the key lies back.

    Multiplied out these are four terms: what the words say to each other (q·k), what the query says to the distance
    (q·r), how much any query likes this key (u·k), and how much it likes this distance (v·r). They are the scores
    before the division by √d: `attention(q, k, values, scores=…)`.

    Args:
        q: queries, shape (..., q_len, d).
        k: keys, those of the memory first, shape (..., k_len, d), k_len ≥ q_len.
        r: keys of the distances, W_r times their sinusoidal vectors, farthest first: k_len rows for the distances
            k_len − 1 … 0, or q_len + k_len − 1 rows on to 1 − q_len; shape (..., rows, d).
        u: what is added to every query for the words, shape (d,) or (..., d) with one row per head.
        v: the same for the distances.

    Returns:
        float64 array of shape (..., q_len, k_len); −inf at later keys if r has no rows for them.

    Raises:
        TypeError: an argument does not hold real numbers.
        ValueError: shapes do not fit together, or an entry is not finite.

    Source: Dai et al. 2019, "Transformer-XL", section 3.3 and appendix B.
    """
    q, k = _queries_and_keys(q, k)
    (q_len, d), k_len = q.shape[-2:], k.shape[-2]
    place = relative_offsets(q_len, k_len) + k_len - 1
    r = validate.array("r", r, min_ndim=2)
    u, v = (validate.array(name, x, min_ndim=1) for name, x in (("u", u), ("v", v)))
    for name, x in (("r", r), ("u", u), ("v", v)):
        if x.shape[-1] != d:
            raise ValueError(f"{name} must have as many dims as q, {d}, got {x.shape[-1]}")
    both = k_len + max(q_len - 1, 0)
    if r.shape[-2] not in (k_len, both):
        raise ValueError(f"r must have {k_len} rows (the past) or {both} (past and future), got {r.shape[-2]}")
    u, v = u[..., None, :], v[..., None, :]
    lead = validate.leading_axes("q, k, r, u and v", q, k, r, u, v)
    validate.fits_in_memory("q, k, r, u and v", (*lead, q_len, both))
    by_distance = (q + v) @ np.swapaxes(r, -1, -2).astype(np.float64)
    missing = np.full((*by_distance.shape[:-1], both - r.shape[-2]), -np.inf)
    return (q + u) @ np.swapaxes(k, -1, -2) + _read(np.concatenate([by_distance, missing], axis=-1), place)


def _queries_and_keys(q, k) -> tuple[np.ndarray, np.ndarray]:
    q, k = (validate.array(name, x, min_ndim=2).astype(np.float64) for name, x in (("q", q), ("k", k)))
    if q.shape[-1] != k.shape[-1] or q.shape[-1] == 0:
        raise ValueError(f"q and k must have the same d, at least 1, got {q.shape[-1]} and {k.shape[-1]}")
    if k.shape[-2] < q.shape[-2]:
        raise ValueError(
            f"k must have at least as many rows as q (the last query stands at the last key), "
            f"got {k.shape[-2]} and {q.shape[-2]}"
        )
    lead = validate.leading_axes("q and k", q, k)
    validate.fits_in_memory("q and k", (*lead, q.shape[-2], q.shape[-2] + k.shape[-2]))
    return q, k


def _clipped_table(table, d: int | None = None, other: str = "") -> np.ndarray:
    table = validate.array("table", table, ndim=2).astype(np.float64)
    if len(table) % 2 == 0:
        raise ValueError(f"table must have an odd number of rows, one per offset −c … c, got {len(table)}")
    if d is not None and table.shape[1] != d:
        raise ValueError(f"table must have as many dims as {other}, {d}, got {table.shape[1]}")
    return table


def clipped(offsets: np.ndarray, clip: int) -> np.ndarray:
    """Return the row that each offset reads in a table of 2·clip + 1 rows: far offsets share the first or the last."""
    return np.clip(offsets, -clip, clip) + clip


def _read(by_row: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return by_row[..., i, rows[i, j]] for every i and j."""
    return np.take_along_axis(by_row, np.broadcast_to(rows, (*by_row.shape[:-1], rows.shape[1])), axis=-1)
