"""Positions as binary digits."""

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Additive
from posenc_lib.encodings.parameter import Parameter, d_model_of, seq_len_of

LOW_FIRST = Parameter(
    "low_first", "whether the lowest bit comes first", None, options=(False, True)
)


@validate.checked()
def binary(
    positions: npt.ArrayLike, d_model: int, *, low_first: bool = False
) -> npt.NDArray[np.int64]:
    """Return the position as bits, the most significant first: PE[t, i] = ⌊t / 2^(d−1−i)⌋ mod 2.

    With low_first, the least significant bit comes first: PE[t, i] = ⌊t / 2^i⌋ mod 2.

    >>> binary(4, 2)
    array([[0, 0],
           [0, 1],
           [1, 0],
           [1, 1]])

    Args: positions are integers from 0 to 2**d_model − 1; d_model is the number of bits. low_first
        reverses each row.
    Returns: int64 array of shape (…, seq_len, d_model), each entry 0 or 1.
    Source: base-2 notation, like `format(t, "b")`; a step on the way to sines.
    """
    t = np.asarray(positions)
    if t.size and t.dtype.kind == "f":
        raise TypeError(
            f"positions must be integers (there's nothing between two bits), got dtype {t.dtype}"
        )
    if t.min(initial=0) < 0 or int(t.max(initial=0)).bit_length() > d_model:
        rule = f"positions must fit in {d_model=} bits, 0 to 2**{d_model} - 1"
        raise ValueError(f"{rule}, got {t.min()} to {t.max()}")
    dims = np.arange(d_model)
    shifts = np.minimum(dims if low_first else dims[::-1], 63)  # an int64 has no bit above the 63rd
    return t.astype(np.int64)[..., None] >> shifts & 1


class Binary(Additive):
    """The position in binary digits."""

    name, title = "binary", "Binary digits"
    lesson = 3
    parameters = (seq_len_of(8), d_model_of(3, high=10), LOW_FIRST)
    continuous, has_end = False, True

    @property
    def highest(self):
        return {"seq_len": 2**self.d_model}

    def rows(self, positions):
        return binary(positions, self.d_model, low_first=bool(self.low_first))

    def check(self):
        binary(self.seq_len, self.d_model)
