"""How wrong a table is that was made in narrow numbers: float16, bfloat16 or float32."""

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings.frequencies import freqs_cis, narrow_angles, theta
from posenc_lib.encodings.precision import LARGEST, bfloat16
from posenc_lib.encodings.validate import checked

ONCE = "float64, rounded once"
ONCE_NARROW = "float64, rounded once to bfloat16"


Precision = Literal[
    "float16", "bfloat16", "float32", "float64, rounded once", "float64, rounded once to bfloat16"
]


PRECISIONS = get_args(Precision)


@checked()
def table_error(
    positions: npt.ArrayLike,
    head_dim: int,
    base: float = 10_000.0,
    *,
    precision: Precision,
    inv_freq: npt.ArrayLike | None = None,
) -> npt.NDArray[np.float64]:
    """Return how wrong cosines and sines are that are made in a narrow precision.

    Positions, frequencies and angles are held in it.

    >>> table_error([1000], 64, precision="bfloat16").round(2)
    array([1.73])

    Args: precision is narrow throughout, or float64 that is rounded once at the end, to float32 or
        to bfloat16.
    Returns: float64 array of the shape of positions: the largest error over all pairs, at most 2;
        NaN where a position, a frequency or an angle is beyond the precision's largest number.
    """
    exact = freqs_cis(positions, head_dim, base, inv_freq=inv_freq)
    if precision == ONCE:
        return _largest(exact.astype(np.complex64) - exact)
    if precision == ONCE_NARROW:
        return _largest(bfloat16(exact.real) + 1j * bfloat16(exact.imag) - exact)
    narrow = {"float16": np.float16, "bfloat16": _bfloat16, "float32": np.float32}[precision]
    with np.errstate(over="ignore"):
        t = narrow(positions.astype(np.float64))
        frequencies = narrow(theta(head_dim, base, np.float64, given=inv_freq))
    angles = narrow_angles(t, frequencies, narrow)
    known = np.isfinite(t) & np.isfinite(angles).all(axis=-1)
    angles[~known] = 0
    made = narrow(np.cos(angles)) + 1j * narrow(np.sin(angles))
    return np.where(known, _largest(made - exact), np.nan)


def _bfloat16(x) -> np.ndarray:
    """Return x as bfloat16, and what is too large as infinity."""
    fits = np.abs(x) <= LARGEST
    return np.where(fits, bfloat16(np.where(fits, x, 0)), np.inf)


def _largest(error: np.ndarray) -> np.ndarray:
    """Return the largest error of a cosine or a sine in each row."""
    return np.maximum(np.abs(error.real), np.abs(error.imag)).max(axis=-1).astype(np.float64)
