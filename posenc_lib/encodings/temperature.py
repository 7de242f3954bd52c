"""More help on longer texts: whole waves, and queries that grow with their position."""

from functools import partial

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate


@validate.checked(
    floor_scale=validate.integer,
    attn_scale=validate.RULES["scale"],
    ahead=partial(validate.integer, low=0, high=1),
)
def attention_temperature(
    positions: npt.ArrayLike, *, floor_scale: int = 8192, attn_scale: float = 0.1, ahead: int = 1
) -> npt.NDArray[np.float64]:
    """Return the factor for queries in Llama 4's layers without RoPE, at each position t.

    It's 1 + attn_scale·ln(1 + ⌊(t + 1)/floor_scale⌋), and sharpens attention that spreads over more
    and more keys. Keys aren't multiplied. Ministral 3 does the same in all layers, with
    ⌊t/floor_scale⌋ (ahead 0). Its attn_scale is llama_4_scaling_beta, and its floor_scale is
    original_max_position_embeddings.

    >>> attention_temperature([0, 8190, 8191, 131_071]).round(3)
    array([1.   , 1.   , 1.069, 1.283])

    Args: positions are numbers from 0. floor_scale is how many of them share a factor. attn_scale,
        positive, is how fast it grows. ahead, 1 or 0, is added to a position before the division.
    Returns: float64 array with the shape of positions, starting at 1.
    Source: transformers 5.23, Llama4TextAttention and Ministral3Attention.
    """
    t = np.asarray(positions, np.float64)
    return 1 + attn_scale * np.log1p(np.floor((t + ahead) / floor_scale))
