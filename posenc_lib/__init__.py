"""See how a Transformer knows where a word stands: positional encodings, their pictures and their sliders.

    import posenc_lib as pe
    pe.sinusoidal(128, 64)  # arrays: NumPy alone
    pe.explore("sinusoidal")  # sliders: loads matplotlib and ipywidgets when first used

What arguments of one name mean everywhere, `positions` or `base`, stands in `posenc_lib.encodings`.
What a panel can do stands in `posenc_lib.live.explorer`, what an encoding of one's own must have in
`posenc_lib.encodings.base` and `posenc_lib.encodings.parameter`, the modules for PyTorch in `posenc_lib.pytorch`.

`notebooks/cookbook.md` has ten jobs, worked: caches, padding, packing, a `config.json`, ALiBi for PyTorch, checkpoints.
"""

import importlib
from typing import TYPE_CHECKING

from posenc_lib.encodings.alibi import alibi, alibi_slopes
from posenc_lib.encodings.attention import attention, softmax
from posenc_lib.encodings.base import Additive, Bias, Relative, Rotary
from posenc_lib.encodings.binary import binary
from posenc_lib.encodings.census import census
from posenc_lib.encodings.cope import cope
from posenc_lib.encodings.exact_head import exact_head, exact_head_2d
from posenc_lib.encodings.fire import fire
from posenc_lib.encodings.fourier import fourier_features, timestep_embedding
from posenc_lib.encodings.frequencies import angles, cos_sin, freqs_cis, inv_freq, wavelengths
from posenc_lib.encodings.integer import integer, no_position, normalized
from posenc_lib.encodings.kerple import kerple
from posenc_lib.encodings.learned import learned
from posenc_lib.encodings.longer import attention_temperature, resonance, self_extend_offsets
from posenc_lib.encodings.models import model_config
from posenc_lib.encodings.mrope import axis_of_pair, mrope_positions
from posenc_lib.encodings.offsets import relative_offsets
from posenc_lib.encodings.pairing import convert_pairing, pairing_permutation
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.plane import resize_table, sinusoidal_2d
from posenc_lib.encodings.precision import bfloat16, table_error
from posenc_lib.encodings.rope import apply_rope, rope, rope_matrix, rotation_matrix
from posenc_lib.encodings.rope_2d import rope_2d
from posenc_lib.encodings.rope_config import rope_from_config
from posenc_lib.encodings.rope_scaling import rope_scaling
from posenc_lib.encodings.sandwich import sandwich
from posenc_lib.encodings.shaw import shaw_scores, shaw_values
from posenc_lib.encodings.similarity import (
    closest_pair,
    first_negative,
    similarity_matrix,
    sinusoidal_kernel,
)
from posenc_lib.encodings.sine import sine
from posenc_lib.encodings.sinusoidal import shift_matrix, sinusoidal
from posenc_lib.encodings.t5 import t5_bias, t5_bucket
from posenc_lib.encodings.trained_table import trained_table
from posenc_lib.encodings.transformer_xl import transformer_xl_scores
from posenc_lib.encodings.xpos import xpos
from posenc_lib.lessons.clinic.diagnose import diagnose
from posenc_lib.lessons.puzzles.engine import check, hint, solution
from posenc_lib.scorecard import scorecard

__version__ = "1.0.0"
# fmt: off
__all__ = [  # noqa: RUF022  by what they are about
    # panels, figures, puzzles, and what looks at an encoding
    "explore", "figure", "playground", "present", "config_box", "train", "check", "hint", "solution", "scorecard",
    "diagnose",
    # tables that are added
    "no_position", "integer", "normalized", "binary", "sine", "sinusoidal", "learned", "sinusoidal_2d",
    "resize_table", "fourier_features", "timestep_embedding",
    # rotations
    "rope", "apply_rope", "rope_matrix", "rotation_matrix", "rope_2d", "mrope_positions", "axis_of_pair",
    "xpos", "convert_pairing", "pairing_permutation",
    # frequencies and their precision
    "inv_freq", "wavelengths", "angles", "cos_sin", "freqs_cis", "bfloat16", "table_error",
    # configs and texts longer than in training
    "rope_from_config", "rope_scaling", "model_config", "attention_temperature", "resonance", "self_extend_offsets",
    # what is looked up or added by offset
    "relative_offsets", "shaw_scores", "shaw_values", "transformer_xl_scores", "t5_bias", "t5_bucket", "alibi",
    "alibi_slopes", "kerple", "fire", "sandwich", "cope",
    # attention, and what can be measured
    "attention", "softmax", "similarity_matrix", "sinusoidal_kernel", "shift_matrix", "closest_pair",
    "first_negative", "exact_head", "exact_head_2d", "trained_table", "census",
    # to write an encoding of one's own
    "Additive", "Rotary", "Relative", "Bias", "Parameter",
]
# fmt: on

if TYPE_CHECKING:  # what a type checker and an editor see
    from posenc_lib.figures.shown import figure
    from posenc_lib.lessons.config_box import config_box
    from posenc_lib.lessons.training.live import train
    from posenc_lib.live.explorer import explore
    from posenc_lib.live.page import present
    from posenc_lib.live.playground import playground
else:  # the only names that need matplotlib and ipywidgets: loaded when first used
    _LIVE = {
        "config_box": "posenc_lib.lessons.config_box",
        "explore": "posenc_lib.live.explorer",
        "figure": "posenc_lib.figures.shown",
        "playground": "posenc_lib.live.playground",
        "present": "posenc_lib.live.page",
        "train": "posenc_lib.lessons.training.live",
    }

    def __getattr__(name):
        if name in _LIVE:
            importlib.import_module("posenc_lib.environment").require()
            return getattr(importlib.import_module(_LIVE[name]), name)
        raise AttributeError(f"module 'posenc_lib' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
