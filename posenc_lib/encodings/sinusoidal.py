"""The sines and cosines of the 2017 Transformer."""

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings.base import Additive, Waves
from posenc_lib.encodings.frequencies import inv_freq, theta, turns
from posenc_lib.encodings.pairing import pairing_permutation
from posenc_lib.encodings.parameter import SLOW_PAIR, Parameter, base_of, even_of, seq_len_of
from posenc_lib.encodings.rope import rope_matrix
from posenc_lib.encodings.validate import EVEN, checked

Layout = Literal["interleaved", "concatenated"]
LAYOUTS = get_args(Layout)


@checked(d_model=EVEN)
def sinusoidal(
    positions: npt.ArrayLike,
    d_model: int,
    *,
    base: float = 10_000.0,
    layout: Layout = "interleaved",
    dtype: npt.DTypeLike = np.float64,
) -> npt.NDArray[np.floating]:
    """Return the Transformer's sines and cosines: PE[t, 2i] = sin(t·θ_i), PE[t, 2i+1] = cos(t·θ_i).

    θ_i = base^(−2i/d). Computed in float64 and rounded once, so a float32 table is still correct at
    position 1,000,003.

    >>> sinusoidal(2, 4).round(2)
    array([[0.  , 1.  , 0.  , 1.  ],
           [0.84, 0.54, 0.01, 1.  ]])

    Args: d_model is d, even. A larger base makes the slow dims slower. layout is "interleaved", as
        above, or "concatenated", with all sines before all cosines. dtype is float64, float32 or
        float16.
    Returns: array of shape (…, seq_len, d_model) with values in [−1, 1].
    Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.5.
    """
    t, dtype = np.asarray(positions), np.dtype(dtype)
    table = np.empty((*t.shape, d_model), dtype)
    if layout == "interleaved" and dtype != np.float16:
        # sin + i·cos = i·e^{−itθ}, and two adjacent floats are a complex number,
        # so there's nothing to copy
        out = table.view(np.result_type(dtype, np.complex64))
        turns(t, -theta(d_model, base), out=out, factor=1j)
        return table
    sines, cosines = (np.s_[0::2], np.s_[1::2])
    if layout == "concatenated":
        sines, cosines = np.s_[: d_model // 2], np.s_[d_model // 2 :]
    turned = turns(t, theta(d_model, base))
    table[..., sines], table[..., cosines] = turned.imag, turned.real
    return table


@checked(lambda d_model: d_model**2, d_model=EVEN)
def shift_matrix(offset: float, d_model: int, base: float = 10_000.0) -> npt.NDArray[np.float64]:
    """Return the matrix T that moves a sinusoidal vector: PE[t + Δ] = T_Δ · PE[t] for every t.

    One block [[cos Δθ_i, sin Δθ_i], [−sin Δθ_i, cos Δθ_i]] per pair of interleaved dims, and zeros.

    >>> np.allclose(shift_matrix(5, 8) @ sinusoidal([3], 8)[0], sinusoidal([8], 8)[0])
    True

    Args: offset is Δ, in positions.
    Returns: float64 array of shape (d_model, d_model), orthogonal.
    Source: Vaswani et al. 2017, section 3.5 ("PE_{pos+k} can be represented as a linear function of
        PE_pos").
    """
    return rope_matrix(offset, d_model, base).T


class Sinusoidal(Waves, Additive):
    """Sines and cosines in pairs."""

    name, title = "sinusoidal", "Sinusoidal"
    lesson = 5
    layout_of = Parameter("layout", "where the cosines go", "interleaved", options=LAYOUTS)
    parameters = (seq_len_of(64), even_of(64, "d_model"), base_of(10_000.0), layout_of)
    view_starts = SLOW_PAIR
    turning_sense = -1  # (sin, cos) rotates clockwise

    @property
    def pairing(self):
        return "interleaved" if self.layout == "interleaved" else "half"

    @property
    def frequencies(self):
        """Radians per position of each pair, shape (pairs,)."""
        return inv_freq(self.d_model, self.base)

    def rows(self, positions):
        return sinusoidal(positions, self.d_model, base=self.base, layout=self.layout)

    def shift(self, offset):
        matrix = shift_matrix(offset, self.d_model, self.base)
        if self.layout == "interleaved":
            return matrix
        order = pairing_permutation(self.d_model)
        return matrix[order][:, order]
