"""See how a transformer knows where a word is: encodings, pictures, sliders.

    import posenc_lib as pe
    pe.sinusoidal(128, 64)  # arrays, with NumPy only
    pe.explore("sinusoidal")  # sliders; loads matplotlib and ipywidgets on first use

Where to look:
    posenc_lib.encodings       arguments that mean the same everywhere, such as positions or base
    posenc_lib.encodings.base  what your own encoding needs
    posenc_lib.live.explorer   what a panel can do
    posenc_lib.pytorch         modules for PyTorch
    posenc_lib.lessons         what only one page uses, also available here, such as pe.train

`notebooks/cookbook.md` has worked examples: caches, padding, packing, a `config.json`, ALiBi for
PyTorch, checkpoints.
"""

import importlib
import importlib.abc
import importlib.util
import sys
from typing import TYPE_CHECKING, Any

from posenc_lib.encodings.alibi import alibi, alibi_slopes
from posenc_lib.encodings.attention import attention, softmax
from posenc_lib.encodings.base import Additive, Bias, Relative, Rotary
from posenc_lib.encodings.binary import binary
from posenc_lib.encodings.exact_head import exact_head
from posenc_lib.encodings.frequencies import angles, cos_sin, freqs_cis, inv_freq, wavelengths
from posenc_lib.encodings.integer import integer, normalized
from posenc_lib.encodings.kerple import kerple
from posenc_lib.encodings.learned import learned
from posenc_lib.encodings.models import model_config
from posenc_lib.encodings.offsets import relative_offsets
from posenc_lib.encodings.pairing import convert_pairing, pairing_permutation
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.plane import sinusoidal_2d
from posenc_lib.encodings.rope import apply_rope, rope, rope_matrix
from posenc_lib.encodings.rope_2d import rope_2d
from posenc_lib.encodings.rope_config import rope_from_config
from posenc_lib.encodings.rope_scaling import rope_scaling
from posenc_lib.encodings.sandwich import sandwich
from posenc_lib.encodings.shaw import shaw_scores
from posenc_lib.encodings.similarity import closest_pair, similarity_matrix
from posenc_lib.encodings.sine import sine
from posenc_lib.encodings.sinusoidal import shift_matrix, sinusoidal
from posenc_lib.encodings.t5 import t5_bias, t5_bucket
from posenc_lib.live.puzzles import check, hint, solution
from posenc_lib.scorecard import scorecard
from posenc_lib.translation import language

__version__ = "1.1.0"
# fmt: off
__all__ = [  # noqa: RUF022  by what they are about
    # panels, figures, puzzles, and what looks at an encoding
    "explore", "figure", "playground", "present", "check", "hint", "solution", "scorecard",
    "exact_head", "language",
    # tables that are added
    "integer", "normalized", "binary", "sine", "sinusoidal", "learned", "sinusoidal_2d",
    # rotations, their frequencies, and what a config says of them
    "rope", "apply_rope", "rope_matrix", "rope_2d", "convert_pairing", "pairing_permutation",
    "inv_freq", "wavelengths", "angles", "cos_sin", "freqs_cis",
    "rope_from_config", "rope_scaling", "model_config",
    # what is looked up or added by offset
    "relative_offsets", "shaw_scores", "t5_bias", "t5_bucket",
    "alibi", "alibi_slopes", "kerple", "sandwich",
    # attention, and what can be measured
    "attention", "softmax", "similarity_matrix", "shift_matrix", "closest_pair",
    # to write an encoding of one's own
    "Additive", "Rotary", "Relative", "Bias", "Parameter",
]
# fmt: on

if TYPE_CHECKING:  # what a type checker and an editor see
    from posenc_lib.encodings.census import census
    from posenc_lib.encodings.fourier import fourier_features, timestep_embedding
    from posenc_lib.encodings.integer import no_position
    from posenc_lib.encodings.mrope import axis_of_pair, mrope_positions
    from posenc_lib.encodings.plane import resize_table
    from posenc_lib.encodings.precision import bfloat16
    from posenc_lib.encodings.rope import rotation_matrix
    from posenc_lib.encodings.temperature import attention_temperature
    from posenc_lib.encodings.transformer_xl import transformer_xl_scores
    from posenc_lib.figures.shown import figure
    from posenc_lib.lessons.playground.playground import playground
    from posenc_lib.live.explorer import explore
    from posenc_lib.live.page import present

    # What is in a page's package: no file of the library imports it
    config_box: Any
    diagnose: Any
    exact_head_2d: Any
    first_negative: Any
    resonance: Any
    self_extend_offsets: Any
    sinusoidal_kernel: Any
    table_error: Any
    train: Any
    trained_table: Any

# Where names are that need matplotlib and ipywidgets: loaded when first used
_LIVE = {
    "config_box": "posenc_lib.lessons.lesson_11.config_box",
    "explore": "posenc_lib.live.explorer",
    "figure": "posenc_lib.figures.shown",
    "playground": "posenc_lib.lessons.playground.playground",
    "present": "posenc_lib.live.page",
    "train": "posenc_lib.lessons.training.live",
}
# Where names are that one page uses, and that are not listed
_OF_PAGES = {
    "encodings.census": "census",
    "encodings.fourier": "fourier_features timestep_embedding",
    "encodings.integer": "no_position",
    "encodings.mrope": "axis_of_pair mrope_positions",
    "encodings.plane": "resize_table",
    "encodings.precision": "bfloat16",
    "encodings.rope": "rotation_matrix",
    "encodings.temperature": "attention_temperature",
    "encodings.transformer_xl": "transformer_xl_scores",
    "lessons.clinic.diagnose": "diagnose",
    "lessons.lesson_05.kernel": "sinusoidal_kernel",
    "lessons.lesson_09.table_error": "table_error",
    "lessons.lesson_12.best_head": "exact_head_2d",
    "lessons.lesson_11.first_negative": "first_negative",
    "lessons.lesson_14.longer": "resonance self_extend_offsets",
    "lessons.training.trained_table": "trained_table",
}
_OF_A_PAGE = {
    name: f"posenc_lib.{module}" for module, names in _OF_PAGES.items() for name in names.split()
}
# Where modules are now that notebooks and scripts of version 1.0 name
_MOVED = {
    "posenc_lib.encodings.cases": "posenc_lib.lessons.clinic.cases",
    "posenc_lib.live.playground": "posenc_lib.lessons.playground.playground",
    "posenc_lib.lessons.real_model": "posenc_lib.lessons.lesson_16.real_model",
    "posenc_lib.lessons.real_model_panel": "posenc_lib.lessons.lesson_16.panel",
}


def _attribute(name: str) -> object:
    """Return a name that is loaded when it's first used."""
    if name in _LIVE:
        importlib.import_module("posenc_lib.environment").require()
    if place := (_LIVE | _OF_A_PAGE).get(name):
        return getattr(importlib.import_module(place), name)
    raise AttributeError(f"module 'posenc_lib' has no attribute {name!r}")


class _Moved(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a module under the name that it had in version 1.0."""

    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader(name, self) if name in _MOVED else None

    def exec_module(self, module):
        sys.modules[module.__name__] = importlib.import_module(_MOVED[module.__name__])


sys.meta_path.append(_Moved())
if not TYPE_CHECKING:  # a type checker must go on saying which names there are
    __getattr__ = _attribute


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
