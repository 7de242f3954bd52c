"""The first offset at which a base's kernel is negative."""

from functools import partial

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.frequencies import theta, turns
from posenc_lib.encodings.validate import EVEN, checked

SIDE = 128  # offsets in a block: the sums of many blocks are one product of matrices
ROUNDING = 1e-12  # such a sum's error is smaller


@checked(d_model=EVEN, most=partial(validate.integer, high=2**26))
def first_negative(
    d_model: int,
    base: float = 10_000.0,
    *,
    most: int = 2**20,
) -> int | None:
    """Return the first offset at which `sinusoidal_kernel` is below zero, or None up to `most`.

    Two positions that far apart look less alike than two unrelated ones.

    >>> first_negative(64), first_negative(64, most=700)
    (725, None)

    Args: most is the last offset to try, below 2**26.
    Returns: an integer, or None.
    Source: Xu et al. 2024, "Base of RoPE Bounds Context Length", which asks for it beyond the
        length of the text.
    """
    frequencies = theta(d_model, base)
    near = turns(np.arange(SIDE), frequencies)
    start, blocks = 0, 8
    while start <= most:
        far = turns(start + SIDE * np.arange(blocks), frequencies)
        # cos(a + b) = cos a cos b − sin a sin b
        sums = far.real @ near.real.T - far.imag @ near.imag.T
        negative = start + np.flatnonzero(sums < -ROUNDING)
        if negative.size:
            return int(negative[0]) if negative[0] <= most else None
        start, blocks = start + SIDE * blocks, min(2 * blocks, 2 * SIDE)
    return None
