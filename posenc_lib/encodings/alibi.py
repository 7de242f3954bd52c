"""ALiBi: a straight line for each head, subtracted from the scores."""

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Bias
from posenc_lib.encodings.offsets import relative_offsets
from posenc_lib.encodings.parameter import MOST_HEADS, Parameter, head_of, seq_len_of


def alibi_slopes(num_heads: int, *, max_bias: float = 8.0) -> npt.NDArray[np.float64]:
    """Return how steeply each head's bias falls: 2^(−8h/H) for h = 1 … H.

    Where H is no power of two, those of the power below come first, then every second one of twice that power.

    >>> alibi_slopes(4)
    array([0.25      , 0.0625    , 0.015625  , 0.00390625])

    Args:
        num_heads: H, at least 1.
        max_bias: the 8, above 0: the last head falls by 2^−max_bias per position. MPT's config has alibi_bias_max.

    Returns: float64 array of shape (num_heads,), per position of distance.
    Source: Press et al. 2022, "ALiBi", section 3; the rule for other numbers of heads is in their code only.
    """
    num_heads = validate.integer("num_heads", num_heads)
    max_bias = validate.real("max_bias", max_bias, above=0)
    validate.size("num_heads", (num_heads,))
    power = 2 ** (num_heads.bit_length() - 1)
    first = 2.0 ** (-max_bias * np.arange(1, power + 1) / power)
    between = 2.0 ** (-max_bias / 2 * np.arange(1, 2 * power, 2) / power)
    return np.concatenate([first, between[: num_heads - power]])


@validate.quiet
def alibi(
    num_heads: int,
    q_len: int,
    k_len: int | None = None,
    *,
    causal: bool = False,
    positions: npt.ArrayLike | None = None,
    max_bias: float = 8.0,
    dtype: npt.DTypeLike = np.float64,
) -> npt.NDArray[np.floating]:
    """Return −slope · |key − query| for each head: `attention(q, k, v, bias=alibi(…))`.

    >>> alibi(2, 3, causal=True)[0]
    array([[ 0.    ,    -inf,    -inf],
           [-0.0625,  0.    ,    -inf],
           [-0.125 , -0.0625,  0.    ]])

    Args:
        num_heads: at least 1.
        q_len: number of queries, at least 0.
        k_len: number of keys, as in `relative_offsets`.
        causal: put −inf at later keys.
        positions: where the keys stand, shape (k_len,) or (batch, k_len), the queries being the last of them: for texts
            that are packed, [0, 1, 2, 0, 1], or padded. None means 0 … k_len − 1. That no text sees another one, a
            mask of `attention` must say.
        max_bias: as in `alibi_slopes`.
        dtype: float64, float32 or float16, of the result, rounded once.

    Returns: array of shape (num_heads, q_len, k_len), or (batch, num_heads, q_len, k_len) for a batch of positions.
    Source: Press et al. 2022, "ALiBi", section 3.
    """
    causal, num_heads = validate.flag("causal", causal), validate.integer("num_heads", num_heads)
    validate.size("num_heads", (num_heads,))
    max_bias = validate.real("max_bias", max_bias, above=0)
    dtype = validate.float_dtype("dtype", dtype)
    offsets = index = relative_offsets(q_len, k_len)
    if positions is not None:
        t = validate.positions(positions, num_heads * max(len(index), 1))
        if t.shape[-1] != index.shape[1] or len(index) > index.shape[1]:
            rule = f"one entry for each of the {index.shape[1]} keys, and no fewer than {len(index)} queries"
            raise ValueError(f"positions must have {rule}, got shape {t.shape}")
        t = t.astype(np.float64)
        offsets = t[..., None, :] - t[..., index.shape[1] - len(index) :, None]
    validate.size("num_heads", (num_heads, *offsets.shape))
    slopes, distances = alibi_slopes(num_heads, max_bias=max_bias), np.abs(offsets)
    largest = slopes.max() * distances.max(initial=0)
    if largest > np.finfo(dtype).max:
        raise ValueError(f"dtype must hold the largest bias, {largest:g}, got {dtype}")
    biases = slopes[:, None, None] * -distances[..., None, :, :]
    if causal:
        biases[..., index > 0] = -np.inf
    return biases.astype(dtype, copy=False)


class Alibi(Bias):
    """A straight line for each head."""

    name, title = "alibi", "ALiBi"
    lesson = 8
    parameters = (
        seq_len_of(64),
        Parameter("num_heads", "how many heads", 8, 1, 32, least=1, most=MOST_HEADS),
        head_of(31),
    )
    source = "Press et al. 2022, section 3"
    views = ("head_biases", "attention_span", "attention_row")

    @property
    def limits(self):
        return {"head": self.num_heads - 1}

    def biases(self, offsets):
        return np.outer(alibi_slopes(self.num_heads), -np.abs(offsets))
