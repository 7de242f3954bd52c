"""Sandwich: dot products of the sinusoidal code as a bias, divided by each head's number."""

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Bias
from posenc_lib.encodings.frequencies import freqs_cis, inv_freq
from posenc_lib.encodings.offsets import relative_offsets
from posenc_lib.encodings.parameter import NUM_HEADS, head_of, powers_of, seq_len_of


@validate.checked(lambda num_heads, q_len, dim: q_len * max(num_heads * q_len, dim))
def sandwich(num_heads: int, q_len: int, dim: int) -> npt.NDArray[np.float64]:
    """Return (Σ_i cos(n·θ_i) − dim/2) · H/(8h) for heads h = 1 … H, where n = key − query.

    Use it as a bias: `attention(…, bias=sandwich(…))`. θ_i = 10,000^(−2i/dim) starts at i = 1, so
    the fastest pair is slower than in `sinusoidal`. The bias falls at first, and rises again when
    that pair completes a turn: for 128 dims, first from offset 13 to 14.

    >>> sandwich(2, 3, 128)[0].round(2)
    array([[ 0.  , -0.36, -1.3 ],
           [-0.36,  0.  , -0.36],
           [-1.3 , -0.36,  0.  ]])

    Args: dim is the number of dims of the sinusoidal code.
    Returns: float64 array of shape (num_heads, q_len, q_len), symmetric around the query.
    Source: Chi et al. 2023, "Dissecting Transformer Length Extrapolation via the Lens of Receptive
        Field Analysis".
    """
    return _by_distance(np.arange(q_len), num_heads, dim)[:, np.abs(relative_offsets(q_len))]


def _by_distance(distance: np.ndarray, num_heads: int, dim: int) -> np.ndarray:
    """Return the bias of every head at each distance, shape (num_heads, n)."""
    theta = inv_freq(dim) * 10_000.0 ** (-2 / dim)
    products = freqs_cis(distance, dim, inv_freq=theta).real.sum(axis=1)
    return np.multiply.outer(num_heads / (8 * np.arange(1.0, num_heads + 1)), products - dim / 2)


class Sandwich(Bias):
    """The similarity of two sinusoidal codes. Nothing is learned."""

    name, title = "sandwich", "Sandwich"
    lesson = 14.1  # after FIRE
    parameters = (
        seq_len_of(64),
        NUM_HEADS,
        head_of(high=31),
        powers_of(
            "code_dim",
            "number of dims of the sinusoidal code",
            128,
            16,
            512,
            step=2,
            least=2,
            most=1024,
        ),
    )

    def biases(self, offsets):
        # a cosine is symmetric
        return _by_distance(offsets, self.num_heads, self.code_dim)
