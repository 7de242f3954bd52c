"""One sine per dim: smooth binary digits."""

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings.base import Additive
from posenc_lib.encodings.parameter import base_of, d_model_of, seq_len_of
from posenc_lib.encodings.validate import checked


@checked()
def sine(
    positions: npt.ArrayLike, d_model: int, *, base: float | None = None
) -> npt.NDArray[np.float64]:
    """Return one sine per dim: sin(t / 2^i), or sin(t / base^(i/(d−1))) with a base.

    >>> sine(3, 2).round(2)
    array([[0.  , 0.  ],
           [0.84, 0.48],
           [0.91, 0.84]])

    Args: with a base, wavelengths go from 2π to 2π·base.
    Returns: float64 array of shape (…, seq_len, d_model) with values in [−1, 1].
    Source: a step from bits to Vaswani et al. 2017. Kazemi et al. 2019, "Time2Vec", learn such
        frequencies.
    """
    return np.sin(np.multiply.outer(positions, sine_frequencies(d_model, base)))


@checked()
def sine_frequencies(d_model: int, base: float | None = None) -> np.ndarray:
    """Return the frequency of each dim of `sine`, in radians per position, shape (d_model,)."""
    dims = np.arange(d_model)
    return np.exp2(-dims) if base is None else base ** (-dims / max(d_model - 1, 1))


class Sine(Additive):
    """One sine per dim."""

    name, title = "sine", "Sines"
    lesson = 4
    parameters = (seq_len_of(32), d_model_of(2, high=64), base_of(None, start=10_000.0))
    wave = "dim"

    @property
    def frequencies(self):
        return sine_frequencies(self.d_model, self.base)

    def rows(self, positions):
        return sine(positions, self.d_model, base=self.base)
