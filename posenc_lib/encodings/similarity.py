"""What attention can see of a table: the dot products between its rows."""

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.frequencies import freqs_cis, theta

CHUNK = 512  # offsets at a time: their numbers stay in the cache
BLOCK = 128  # offsets that share one product of matrices
EPSILON = np.finfo(np.float64).eps


def similarity_matrix(table: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return all dot products between rows: S[i, j] = PE[i] · PE[j].

    >>> similarity_matrix([[1, 0], [1, 2]])
    array([[1., 1.],
           [1., 5.]])

    Args: table is an array of shape (seq_len, d_model), of finite numbers.
    Returns: float64 array of shape (seq_len, seq_len), symmetric.
    """
    table = validate.array("table", table, ndim=2).astype(np.float64, copy=False)
    validate.size("table", (len(table), len(table)))
    return table @ table.T


def closest_pair(table: npt.ArrayLike) -> tuple[int, int, float]:
    """Return the two rows that are closest to each other, and how far apart they are.

    >>> closest_pair([[0, 0], [3, 4], [3, 5]])
    (1, 2, 1.0)

    Args: table is an array of shape (seq_len, d_model), with at least 2 rows, of finite numbers.
    Returns: (i, j, distance) with i < j; of several equally close pairs, the first.
    """
    table = validate.array("table", table, ndim=2).astype(np.float64, copy=False)
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
    starts = range(0, len(first), 8 * CHUNK)
    parts = [(first[k : k + 8 * CHUNK], second[k : k + 8 * CHUNK]) for k in starts]
    exact = np.concatenate([np.linalg.norm(table[i] - table[j], axis=1) for i, j in parts])
    size = np.linalg.norm(table, axis=1)
    equal = exact <= exact.min() + 64 * EPSILON * (size[first] + size[second])  # rows are known to a few roundings
    k = int(np.argmax(equal))
    return int(first[k]), int(second[k]), float(exact[k])


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
    d_model, base = validate.integer("d_model", d_model, low=2, even=True), validate.base(base)
    offsets = validate.array("offsets", offsets).astype(np.float64)
    farthest = np.abs(offsets).max(initial=0)
    if farthest > validate.EXACT:
        raise ValueError(f"offsets must lie within ±2**53, got ±{farthest:g}")
    validate.size("d_model", (min(offsets.size, CHUNK), d_model))
    each, result = offsets.ravel(), np.empty(offsets.size)
    for start in range(0, each.size, CHUNK):
        turned = freqs_cis(each[start : start + CHUNK], d_model, base, inv_freq=inv_freq)
        turned.real.sum(axis=1, out=result[start : start + CHUNK])
    return result.reshape(offsets.shape)[()]


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
    d_model, base = validate.integer("d_model", d_model, low=2, even=True), validate.base(base)
    most, frequencies = validate.integer("most", most, high=2**26), theta(d_model, base, np.float64, given=inv_freq)
    near = np.outer(frequencies, np.arange(BLOCK))
    near = np.vstack([np.cos(near), -np.sin(near)])
    noise = 4 * d_model * EPSILON * max(np.abs(frequencies).max(), 1)  # per position
    start, blocks = 0, 8
    while start <= most:
        far = np.outer(start + BLOCK * np.arange(blocks), frequencies)  # cos(a + b) = cos a cos b − sin a sin b
        sums = (np.hstack([np.cos(far), np.sin(far)]) @ near).ravel()
        doubt = noise * (start + sums.size)
        found = np.flatnonzero(sums < doubt)
        if len(found):
            offsets = (
                start + found[: 1 + np.argmax(np.append(sums[found] < -doubt, True))]
            )  # up to the first that is sure
            exact = sinusoidal_kernel(offsets, d_model, base, inv_freq=inv_freq)
            if len(below := offsets[(exact < 0) & (offsets <= most)]):
                return int(below[0])
        start += sums.size
        blocks = min(2 * blocks, 256)
    return None


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
    seq_len, d_model = validate.integer("seq_len", seq_len), validate.integer("d_model", d_model, low=2, even=True)
    base = validate.base(base)
    validate.size("d_model", (d_model,))
    validate.size("seq_len", (seq_len, 2))
    later = sinusoidal_kernel(np.arange(seq_len), d_model, base)
    curve = np.concatenate([later[:0:-1], later])  # from offset 1 − seq_len to seq_len − 1
    return np.lib.stride_tricks.sliding_window_view(curve, seq_len)[::-1]
