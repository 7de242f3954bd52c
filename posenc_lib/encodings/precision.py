"""What narrow numbers do to angles: the table in float16, bfloat16 or float32."""

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings.validate import array, checked

LARGEST = 3e38  # that is surely no infinity in bfloat16


@checked(x=array)
def bfloat16(x: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Return x rounded to the nearest bfloat16: float32 with 8 bits of precision instead of 24.

    >>> bfloat16([257, 1001])
    array([ 256., 1000.], dtype=float32)

    Args: x is an array of finite real numbers, which are taken as float32 first.
    Returns: float32 array of the shape of x, the lower half of its bits zero; of two neighbours the
        even one is taken.
    Source: the format's definition, sign 1, exponent 8, fraction 7 bits.
    """
    largest = float(np.abs(x).max(initial=0))  # 3e38 is too large for a float16 to be compared with
    if largest > LARGEST:
        raise ValueError(f"x must lie within ±3e38, the range of bfloat16, got ±{largest:g}")
    bits = np.asarray(x, np.float32).view(np.uint32)
    half = np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    return ((bits + half) & np.uint32(0xFFFF0000)).view(np.float32)
