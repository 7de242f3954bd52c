"""What low precision does to angles: float16, bfloat16 and float32."""

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings.validate import array, checked

LARGEST = 3e38  # certainly finite in bfloat16


@checked(x=array)
def bfloat16(x: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Return x rounded to the nearest bfloat16: float32 with 8 bits of precision instead of 24.

    >>> bfloat16([257, 1001])
    array([ 256., 1000.], dtype=float32)

    Args: x is an array of finite real numbers, converted to float32 first.
    Returns: float32 array with the shape of x and zeros in the lower half of its bits. Ties go to
        the even neighbor.
    Source: the format's definition, sign 1, exponent 8, fraction 7 bits.
    """
    largest = float(np.abs(x).max(initial=0))  # a float16 can't be compared with 3e38
    if largest > LARGEST:
        raise ValueError(
            f"x must be between -3e38 and 3e38, the range of bfloat16, got ±{largest:g}"
        )
    bits = np.asarray(x, np.float32).view(np.uint32)
    half = np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    return ((bits + half) & np.uint32(0xFFFF0000)).view(np.float32)
