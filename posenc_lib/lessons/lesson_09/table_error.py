"""The errors of a table that was computed in float16, bfloat16, or float32."""

from collections.abc import Callable
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
AT_ONCE, FEW = 2**12, 64  # positions whose angles are compared at once, and whose cosines
MOST, WITHIN = 2.0, 1e-4  # a cosine's largest error; how closely it's found


@checked()
def table_error(
    positions: npt.ArrayLike,
    head_dim: int,
    base: float = 10_000.0,
    *,
    precision: Precision,
    inv_freq: npt.ArrayLike | None = None,
) -> npt.NDArray[np.float64]:
    """Return the error of cosines and sines in a narrow precision.

    Positions, frequencies, and angles are rounded to it.

    >>> table_error([1000], 64, precision="bfloat16").round(2)
    array([1.73])

    Args: precision is narrow throughout, or float64 rounded once at the end, to float32 or
        bfloat16.
    Returns: float64 array with the shape of positions: the largest error of all pairs, at most 2.
        NaN where a position, frequency, or angle exceeds the precision's largest number.
    """
    exact = freqs_cis(positions, head_dim, base, inv_freq=inv_freq)
    if precision == ONCE:
        return _largest(exact.astype(np.complex64) - exact)
    if precision == ONCE_NARROW:
        return _largest(bfloat16(exact.real) + 1j * bfloat16(exact.imag) - exact)
    narrow = NARROW[precision]
    frequencies = theta(head_dim, base, np.float64, given=inv_freq)
    t, angles = _narrow_angles(positions, frequencies, narrow)
    known = np.isfinite(t) & np.isfinite(angles).all(axis=-1)
    angles[~known] = 0
    made = narrow(np.cos(angles)) + 1j * narrow(np.sin(angles))
    return np.where(known, _largest(made - exact), np.nan)


def worst_up_to(ends: np.ndarray, inv_freq: np.ndarray, precision: str) -> np.ndarray:
    """Return the largest error at any position from ends[0] to each of them, within 0.01%.

    A cosine's error is at most its angle's plus one rounding, so most positions need no cosine.

    Args: ends are increasing integers. inv_freq has shape (pairs,). precision is `table_error`'s.
    Returns: float64 array with the shape of ends, NaN where an end exceeds the precision.
    """
    own = {"head_dim": 2 * len(inv_freq), "inv_freq": inv_freq, "precision": precision}
    at_ends = table_error(ends, **own)
    largest = np.fmax.accumulate(at_ends)
    found = largest[0]
    for k in np.flatnonzero(np.diff(ends) > 1):
        found = max(found, largest[k])
        if found * (1 + WITHIN) > MOST:
            break
        for first in range(ends[k] + 1, ends[k + 1], AT_ONCE):
            between = np.arange(first, min(first + AT_ONCE, ends[k + 1]))
            at_most = _bound(between, inv_freq, precision, found)
            while (open_ := at_most > found * (1 + WITHIN)).any():
                between, at_most = between[open_], at_most[open_]
                some = np.argsort(-at_most)[:FEW]
                found = np.fmax(found, table_error(between[some], **own)).max()
                at_most[some] = 0
        largest[k + 1 :] = np.fmax(largest[k + 1 :], found)
    return np.where(np.isnan(at_ends), np.nan, largest)


def _bound(positions: np.ndarray, inv_freq: np.ndarray, precision: str, found: float) -> np.ndarray:
    """Return bounds on the errors, or 0 where they can't exceed what was found."""
    rounding = ROUNDING[precision]
    if precision not in NARROW:
        return np.full(len(positions), rounding)
    narrow = NARROW[precision]
    # a position and an angle are off by at most two roundings of themselves
    most = positions[-1] * (np.abs(narrow(inv_freq) - inv_freq) + 5 * rounding * inv_freq)
    inv_freq = inv_freq[most + rounding > found]
    _, angles = _narrow_angles(positions, inv_freq, narrow)
    off = np.abs(angles - np.multiply.outer(positions, inv_freq)).max(axis=-1, initial=0)
    return np.where(np.isfinite(off), np.minimum(off + rounding, MOST), 0)


def _narrow_angles(positions, frequencies, narrow: Callable) -> tuple[np.ndarray, np.ndarray]:
    with np.errstate(over="ignore"):
        t, frequencies = narrow(positions.astype(np.float64)), narrow(frequencies)
    return t, narrow_angles(t, frequencies, narrow)


def _bfloat16(x) -> np.ndarray:
    """Return x as bfloat16, with infinity for what's too large."""
    fits = np.abs(x) <= LARGEST
    return np.where(fits, bfloat16(np.where(fits, x, 0)), np.inf)


def _largest(error: np.ndarray) -> np.ndarray:
    """Return the largest error of a cosine or sine in each row."""
    return np.maximum(np.abs(error.real), np.abs(error.imag)).max(axis=-1).astype(np.float64)


NARROW = {"float16": np.float16, "bfloat16": _bfloat16, "float32": np.float32}
# half a step between numbers just below 1
ROUNDING = dict(zip(PRECISIONS, np.float64([2**-12, 2**-9, 2**-25, 2**-25, 2**-9]), strict=True))
