"""The dot product of two sinusoidal vectors, by their offset alone."""

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings.frequencies import theta, turns
from posenc_lib.encodings.validate import EVEN, checked

CHUNK = 2**13  # offsets at a time


@checked(d_model=EVEN)
def sinusoidal_kernel(
    offsets: npt.ArrayLike,
    d_model: int,
    base: float = 10_000.0,
) -> npt.NDArray[np.float64] | np.float64:
    """Return the dot product of two sinusoidal vectors that are Δ apart: Σ_i cos(Δ·θ_i).

    >>> sinusoidal_kernel([0, 1, 100], 64).round(2)
    array([32.  , 30.92, 17.87])

    Args: offsets are Δ, of any shape.
    Returns: float64 array of the shape of offsets; d_model / 2 where Δ = 0.
    Source: Vaswani et al. 2017, section 3.5, by sin a sin b + cos a cos b = cos(a − b).
    """
    frequencies = theta(d_model, base)
    starts = range(0, max(offsets.size, 1), CHUNK)
    parts = [offsets.ravel()[start : start + CHUNK] for start in starts]
    sums = [turns(part, frequencies).real.sum(axis=1) for part in parts]
    return np.concatenate(sums).reshape(offsets.shape)[()]
