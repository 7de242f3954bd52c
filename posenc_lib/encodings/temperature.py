"""What else helps on longer texts: whole waves, and queries that grow with their position."""

from functools import partial

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate


@validate.checked()
def resonance(inv_freq: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return frequencies whose waves have a whole number of positions: 2π / round(2π/θ).

    Such a pair is at the same angles again after each wave, so that a longer text shows it none that is new.

    >>> (2 * np.pi / resonance([1.0, 0.75, 0.562])).round(6)
    array([ 6.,  8., 11.])

    Args: inv_freq is θ, shape (pairs,), in radians per position, from 0 to 2π.
    Returns: float64 array of shape (pairs,); what stands still, still does.
    Source: Wang et al. 2024, "Resonance RoPE", section 4.1.
    """
    theta = inv_freq.astype(np.float64)
    return np.where(theta > 0, 2 * np.pi / np.rint(2 * np.pi / np.where(theta > 0, theta, 1)), 0)


@validate.checked(
    floor_scale=validate.integer,
    attn_scale=validate.RULES["scale"],
    ahead=partial(validate.integer, low=0, high=1),
)
def attention_temperature(
    positions: npt.ArrayLike, *, floor_scale: int = 8192, attn_scale: float = 0.1, ahead: int = 1
) -> npt.NDArray[np.float64]:
    """Return what Llama 4 multiplies queries by in layers without RoPE: 1 + attn_scale·ln(1 + ⌊(t + 1)/floor_scale⌋).

    Ministral 3 has the same in all layers, but ⌊t/floor_scale⌋ (ahead 0); its attn_scale is llama_4_scaling_beta, its
    floor_scale original_max_position_embeddings.

    It sharpens attention that spreads over ever more keys; keys are not multiplied.

    >>> attention_temperature([0, 8190, 8191, 131_071]).round(3)
    array([1.   , 1.   , 1.069, 1.283])

    Args: positions are numbers from 0; floor_scale says how many of them share a factor; attn_scale, above 0, how fast
        it grows; ahead is what is added to a position before it is divided, 1 or 0.
    Returns: float64 array of the shape of positions, from 1.
    Source: transformers 5.23, Llama4TextAttention and Ministral3Attention.
    """
    t = np.asarray(positions, np.float64)
    return 1 + attn_scale * np.log1p(np.floor((t + ahead) / floor_scale))
