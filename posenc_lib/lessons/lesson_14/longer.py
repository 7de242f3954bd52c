"""Two ways to longer texts: Self-Extend groups positions, and Resonance makes waves whole."""

from functools import partial

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.offsets import relative_offsets


@validate.checked(seq_len=partial(validate.integer, low=0))
def self_extend_offsets(seq_len: int, group_size: int, window: int) -> npt.NDArray[np.int64]:
    """Return the offsets, query − key, that Self-Extend rotates by.

    They're exact within a window, and past it they count groups.

    >>> self_extend_offsets(6, 2, 2)[-1]
    array([3, 3, 2, 2, 1, 0])

    Args: group_size is G, how many positions share a number past the window; window is W, and
        smaller offsets are exact. If G doesn't divide W, there's a seam.
    Returns: int64 array of shape (seq_len, seq_len): i − j where that is below W, else ⌊i/G⌋ + W −
        ⌊W/G⌋ − ⌊j/G⌋.
    Source: Jin et al. 2024, "LLM Maybe LongLM", and its authors' code.
    """
    exact = -relative_offsets(seq_len)
    group = np.arange(seq_len, dtype=np.int64) // group_size
    return np.where(exact < window, exact, group[:, None] + window - window // group_size - group)


@validate.checked()
def resonance(inv_freq: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return frequencies whose waves are a whole number of positions long: 2π / round(2π/θ).

    A pair like that repeats its angles with every wave, so a longer text has no new ones for it.

    >>> (2 * np.pi / resonance([1.0, 0.75, 0.562])).round(6)
    array([ 6.,  8., 11.])

    Args: inv_freq is θ, shape (pairs,), in radians per position, from 0 to 2π.
    Returns: float64 array of shape (pairs,). Pairs that don't rotate stay that way.
    Source: Wang et al. 2024, "Resonance RoPE", section 4.1.
    """
    theta = inv_freq.astype(np.float64)
    return np.where(theta > 0, 2 * np.pi / np.rint(2 * np.pi / np.where(theta > 0, theta, 1)), 0)
