"""See how a Transformer knows where a word stands: positional encodings, their pictures and their sliders.

    import posenc_lib as pe
    pe.sinusoidal(128, 64)  # arrays: NumPy alone
    pe.explore("sinusoidal")  # sliders: loads matplotlib and ipywidgets when first used

What a panel can do stands in `posenc_lib.live.explorer`, what an encoding of one's own must have in
`posenc_lib.encodings.base` and `posenc_lib.encodings.parameter`, the modules for PyTorch in `posenc_lib.pytorch`.

Ten jobs of a researcher, each of which runs as it stands:

>>> import numpy as np
>>> import posenc_lib as pe
>>> rng = np.random.default_rng(0)
>>> q = rng.normal(size=(2, 8, 6, 16)).astype(np.float32)  # (batch, heads, seq_len, head_dim)
>>> k, v = rng.normal(size=(2, 2, 2, 6, 16)).astype(np.float32)  # two heads of keys and values

1. *cos and sin as Hugging Face's models make them, from a config.json.* Theirs are float32 throughout.

>>> config = {"head_dim": 16, "rope_theta": 500_000.0, "rope_scaling": {"rope_type": "linear", "factor": 4.0}}
>>> theta, factor = pe.rope_from_config(config, dtype=np.float32)["full_attention"]
>>> narrow = {"dtype": np.float32, "angles_dtype": np.float32}
>>> cos, sin = pe.cos_sin(6, 16, inv_freq=theta, attention_factor=factor, **narrow)
>>> cos.shape, cos.dtype
((6, 16), dtype('float32'))

2. *Grouped queries with a cache*: the last two tokens alone, against all six keys.

>>> keys = pe.rope(k, pairing="half")
>>> output, _ = pe.attention(pe.rope(q[:, :, 4:], start_pos=4, pairing="half"), keys, v, causal=True)
>>> whole, _ = pe.attention(pe.rope(q, pairing="half"), keys, v, causal=True)
>>> np.allclose(output, whole[:, :, 4:])
True

3. *A padded batch*: text 0 has four tokens, padded before; padding attends to nothing.

>>> real = np.array([[False, False, True, True, True, True], [True] * 6])
>>> ids = np.maximum(real.cumsum(axis=1) - 1, 0)
>>> seen = (real[:, :, None] & real[:, None])[:, None]  # (batch, 1, q_len, k_len)
>>> padded, _ = pe.attention(pe.rope(q, ids), pe.rope(k, ids), v, mask=seen, causal=True)
>>> alone, _ = pe.attention(pe.rope(q[:1, :, 2:]), pe.rope(k[:1, :, 2:]), v[:1, :, 2:], causal=True)
>>> np.allclose(padded[0, :, 2:], alone[0]), padded[0, :, :2].any()
(True, np.False_)

4. *Packed texts*: two of three tokens in one row.

>>> ids, text = np.array([0, 1, 2, 0, 1, 2]), np.array([0, 0, 0, 1, 1, 1])
>>> packed, _ = pe.attention(pe.rope(q, ids), pe.rope(k, ids), v, mask=text[:, None] == text, causal=True)
>>> second, _ = pe.attention(pe.rope(q[:, :, 3:]), pe.rope(k[:, :, 3:]), v[:, :, 3:], causal=True)
>>> np.allclose(packed[:, :, 3:], second)
True

5. *ALiBi for torch*: `scaled_dot_product_attention(q, k, v, attn_mask=torch.from_numpy(bias))`.

>>> bias = pe.alibi(8, 6, causal=True, dtype=np.float32)
>>> bias.shape, bias.dtype
((8, 6, 6), dtype('float32'))

6. *T5's bias where there are fewer keys than queries*: counted from both starts, as T5's code does, not from the ends.

>>> weights = rng.normal(size=(32, 8))
>>> from_starts = weights[pe.t5_bucket(np.arange(3) - np.arange(6)[:, None])].transpose(2, 0, 1)
>>> np.array_equal(from_starts[:, :3], pe.t5_bias(weights, 3))
True

7. *The decay of scores with the offset*, and its picture.

>>> pe.freqs_cis(256, 128).real.mean(axis=1)[[0, 1, 16, 255]].round(2)
array([1.  , 0.97, 0.62, 0.32])
>>> panel = pe.explore("rope", views="kernel_by_base", seq_len=256)  # and panel.save("decay.svg")

8. *From Meta's checkpoint to Hugging Face's*: reorder W_q and W_k, and the scores are the same.

>>> x, w = rng.normal(size=(6, 32)), rng.normal(size=(2, 32, 32))  # two heads of 16 dims
>>> def scores(w_q, w_k, pairing):
...     heads = [(x @ w.T).reshape(6, 2, 16).swapaxes(0, 1) for w in (w_q, w_k)]
...     turned_q, turned_k = (pe.rope(head, pairing=pairing) for head in heads)
...     return turned_q @ turned_k.swapaxes(1, 2)
>>> converted = [pe.convert_pairing(one, 2, to="half") for one in w]
>>> np.allclose(scores(*w, "interleaved"), scores(*converted, "half"))
True

9. *An encoding of your own*: a function, whose defaults become sliders.

>>> def fading(positions, d_model, half_life=16.0):
...     return 0.5 ** (positions[:, None] / half_life) * np.ones(d_model)
>>> panel = pe.explore([fading, "sinusoidal"], views=["heatmap", "dot_product"], seq_len=(8, 256))
>>> sorted(panel.sliders)
['query', 'seq_len']

10. *A trained table*, `model.embeddings.position_embeddings.weight.detach().numpy()` of a BERT, say.

>>> trained = rng.normal(size=(512, 64))
>>> i, j, distance = pe.closest_pair(trained)
>>> pe.scorecard(trained).verdict("mine", "only the offset counts")
False
"""

import importlib
import logging
from typing import TYPE_CHECKING

from posenc_lib.clinic.diagnose import diagnose
from posenc_lib.encodings.alibi import alibi, alibi_slopes
from posenc_lib.encodings.attention import attention, softmax
from posenc_lib.encodings.base import Additive, Bias, Relative, Rotary
from posenc_lib.encodings.binary import binary
from posenc_lib.encodings.cope import cope
from posenc_lib.encodings.exact_head import exact_head
from posenc_lib.encodings.exact_plane import exact_head_2d
from posenc_lib.encodings.fire import fire
from posenc_lib.encodings.fourier import fourier_features, timestep_embedding
from posenc_lib.encodings.frequencies import angles, cos_sin, freqs_cis, inv_freq, wavelengths
from posenc_lib.encodings.integer import integer, no_position, normalized
from posenc_lib.encodings.kerple import kerple
from posenc_lib.encodings.learned import learned
from posenc_lib.encodings.models import model_config
from posenc_lib.encodings.mrope import axis_of_pair, mrope_positions
from posenc_lib.encodings.offsets import relative_offsets
from posenc_lib.encodings.pairing import convert_pairing, pairing_permutation
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.plane import resize_table, sinusoidal_2d
from posenc_lib.encodings.precision import bfloat16, table_error
from posenc_lib.encodings.rope import apply_rope, rope, rope_matrix, rotation_matrix
from posenc_lib.encodings.rope_2d import rope_2d, rope_nd
from posenc_lib.encodings.rope_config import rope_from_config
from posenc_lib.encodings.rope_scaling import attention_temperature, resonance, rope_scaling, self_extend_offsets
from posenc_lib.encodings.sandwich import sandwich
from posenc_lib.encodings.shaw import shaw_scores, shaw_values
from posenc_lib.encodings.similarity import (
    closest_pair,
    dot_product_curve,
    first_negative,
    similarity_matrix,
    sinusoidal_kernel,
    sinusoidal_similarity,
)
from posenc_lib.encodings.sine import sine
from posenc_lib.encodings.sinusoidal import shift_matrix, sinusoidal
from posenc_lib.encodings.t5 import t5_bias, t5_bucket
from posenc_lib.encodings.transformer_xl import transformer_xl_scores
from posenc_lib.encodings.xpos import xpos
from posenc_lib.puzzles.engine import check, hint, solution
from posenc_lib.scorecard import scorecard
from posenc_lib.training.table import trained_table

__version__ = "0.1.0"
__all__ = [
    "Additive",
    "Bias",
    "Parameter",
    "Relative",
    "Rotary",
    "alibi",
    "alibi_slopes",
    "angles",
    "apply_rope",
    "attention",
    "attention_temperature",
    "axis_of_pair",
    "bfloat16",
    "binary",
    "check",
    "closest_pair",
    "config_box",
    "convert_pairing",
    "cope",
    "cos_sin",
    "diagnose",
    "dot_product_curve",
    "exact_head",
    "exact_head_2d",
    "explore",
    "figure",
    "fire",
    "first_negative",
    "fourier_features",
    "freqs_cis",
    "hint",
    "integer",
    "inv_freq",
    "kerple",
    "learned",
    "model_config",
    "mrope_positions",
    "no_position",
    "normalized",
    "pairing_permutation",
    "playground",
    "present",
    "relative_offsets",
    "resize_table",
    "resonance",
    "rope",
    "rope_2d",
    "rope_from_config",
    "rope_matrix",
    "rope_nd",
    "rope_scaling",
    "rotation_matrix",
    "sandwich",
    "scorecard",
    "self_extend_offsets",
    "shaw_scores",
    "shaw_values",
    "shift_matrix",
    "similarity_matrix",
    "sine",
    "sinusoidal",
    "sinusoidal_2d",
    "sinusoidal_kernel",
    "sinusoidal_similarity",
    "softmax",
    "solution",
    "t5_bias",
    "t5_bucket",
    "table_error",
    "timestep_embedding",
    "train",
    "trained_table",
    "transformer_xl_scores",
    "wavelengths",
    "xpos",
]


# What matplotlib says, while it loads, where a home cannot be written; it finds another folder by itself.
_ABOUT_HOME = ("MPLCONFIGDIR", "mkdir -p failed")
logging.getLogger("matplotlib").addFilter(lambda record: not any(words in str(record.msg) for words in _ABOUT_HOME))

if TYPE_CHECKING:  # what a type checker and an editor see
    from posenc_lib.figures.face import figure
    from posenc_lib.live.config_box import config_box
    from posenc_lib.live.explorer import explore
    from posenc_lib.live.playground import playground
    from posenc_lib.live.projector import present
    from posenc_lib.live.training import train
else:  # the only names that need matplotlib and ipywidgets: loaded when first used
    _LIVE = {
        "config_box": "posenc_lib.live.config_box",
        "explore": "posenc_lib.live.explorer",
        "figure": "posenc_lib.figures.face",
        "playground": "posenc_lib.live.playground",
        "present": "posenc_lib.live.projector",
        "train": "posenc_lib.live.training",
    }

    def __getattr__(name):
        if name in _LIVE:
            return getattr(importlib.import_module(_LIVE[name]), name)
        raise AttributeError(f"module 'posenc_lib' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
