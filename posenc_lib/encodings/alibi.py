"""ALiBi: a straight line for each head, subtracted from the scores."""

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Bias
from posenc_lib.encodings.offsets import relative_offsets
from posenc_lib.encodings.parameter import MOST_HEADS, Parameter, head_of, seq_len_of


def alibi_slopes(num_heads: int) -> np.ndarray:
    """Return how steeply each head's bias falls: 2^(−8h/H) for h = 1 … H.

    Where H is no power of two, those of the power below come first, then every second one of twice that power.

    >>> alibi_slopes(4)
    array([0.25      , 0.0625    , 0.015625  , 0.00390625])

    Args: num_heads is H, at least 1.
    Returns: float64 array of shape (num_heads,), per position of distance.
    Source: Press et al. 2022, "ALiBi", section 3; the rule for other numbers of heads is in their code only.
    """
    num_heads = validate.integer("num_heads", num_heads)
    validate.size("num_heads", (num_heads,))
    power = 2 ** (num_heads.bit_length() - 1)
    first = 2.0 ** (-8 * np.arange(1, power + 1) / power)
    between = 2.0 ** (-4 * np.arange(1, 2 * power, 2) / power)
    return np.concatenate([first, between[: num_heads - power]])


def alibi(num_heads: int, q_len: int, k_len: int | None = None, *, causal: bool = False) -> np.ndarray:
    """Return −slope · |key − query| for each head: `attention(q, k, v, bias=alibi(…))`.

    >>> alibi(2, 3, causal=True)[0]
    array([[ 0.    ,    -inf,    -inf],
           [-0.0625,  0.    ,    -inf],
           [-0.125 , -0.0625,  0.    ]])

    Args: num_heads is at least 1; q_len and k_len are as in `relative_offsets`; causal puts −inf at later keys.
    Returns: float64 array of shape (num_heads, q_len, k_len).
    Source: Press et al. 2022, "ALiBi", section 3.
    """
    causal, num_heads = validate.flag("causal", causal), validate.integer("num_heads", num_heads)
    validate.size("num_heads", (num_heads,))
    offsets = relative_offsets(q_len, k_len)
    validate.size("num_heads", (num_heads, *offsets.shape))
    biases = alibi_slopes(num_heads)[:, None, None] * -np.abs(offsets)
    if causal:
        biases[:, offsets > 0] = -np.inf
    return biases


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
