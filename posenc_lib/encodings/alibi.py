"""ALiBi: a straight line for each head, subtracted from the scores."""

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Bias
from posenc_lib.encodings.offsets import relative_offsets
from posenc_lib.encodings.parameter import NUM_HEADS, head_of, seq_len_of


@validate.checked()  # the rule for its name converts an argument
def alibi_slopes(num_heads: int, *, max_bias: float = 8.0) -> npt.NDArray[np.float64]:
    """Return the slope of each head's bias: 2^(−8h/H) for h = 1 … H.

    If H isn't a power of two, take the slopes of the next lower power, then every second slope of
    twice that power.

    >>> alibi_slopes(4)
    array([0.25      , 0.0625    , 0.015625  , 0.00390625])

    Args: max_bias is the 8 (MPT: alibi_bias_max).
    Returns: float64 array of shape (num_heads,), per position of distance.
    Source: Press et al. 2022, "ALiBi", section 3. The rule for other numbers of heads is only in
        their code.
    """
    power = 2 ** (num_heads.bit_length() - 1)
    own, finer = (2.0 ** (-max_bias * np.arange(1, n + 1) / n) for n in (power, 2 * power))
    return np.concatenate([own, finer[::2][: num_heads - power]])


@validate.checked()
def alibi(
    num_heads: int,
    q_len: int,
    k_len: int | None = None,
    *,
    causal: bool = False,
    dtype: npt.DTypeLike = np.float64,
) -> npt.NDArray[np.floating]:
    """Return −slope · |key − query| for each head: `attention(q, k, v, bias=alibi(…))`.

    >>> alibi(2, 3, causal=True)[0]
    array([[ 0.    ,    -inf,    -inf],
           [-0.0625,  0.    ,    -inf],
           [-0.125 , -0.0625,  0.    ]])

    Packed texts only need a mask that hides them from each other: distances within a text don't
    change.

    Args: causal sets later keys to −inf.
    Returns: array of shape (num_heads, q_len, k_len).
    Source: Press et al. 2022, "ALiBi", section 3. The paper has no later keys; here they mirror
        the earlier ones.
    """
    offsets = relative_offsets(q_len, k_len)
    biases = alibi_slopes(num_heads)[:, None, None] * -np.abs(offsets)
    if causal:
        biases[:, offsets > 0] = -np.inf
    return biases.astype(dtype, copy=False)


class Alibi(Bias):
    """One straight line per head."""

    name, title = "alibi", "ALiBi"
    lesson = 8
    # the flattest slope is the last head's
    parameters = (seq_len_of(64), NUM_HEADS, head_of(high=31))

    def biases(self, offsets):
        return np.outer(alibi_slopes(self.num_heads), -np.abs(offsets))
