"""All encodings, in the order of the lessons; explorers, figures, the scorecard and the tests read this list.

Each stands in a file of its own with its functions, its parameters and its limits.
"""

from posenc_lib.encodings import validate
from posenc_lib.encodings.alibi import Alibi
from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.binary import Binary
from posenc_lib.encodings.integer import Integer, NoPosition, Normalized
from posenc_lib.encodings.learned import Learned
from posenc_lib.encodings.rope import Rope
from posenc_lib.encodings.shaw import Shaw
from posenc_lib.encodings.sine import Sine
from posenc_lib.encodings.sinusoidal import Sinusoidal
from posenc_lib.encodings.t5 import T5
from posenc_lib.encodings.transformer_xl import TransformerXL

ENCODINGS: dict[str, Encoding] = {  # each at its defaults
    one.name: one()
    for one in (
        *(NoPosition, Integer, Normalized, Binary, Sine, Sinusoidal, Learned),
        *(Rope, Shaw, TransformerXL, T5, Alibi),
    )
}


def encoding(name: str) -> Encoding:
    """Return an encoding of the catalog by name, at its defaults.

    Raises:
        ValueError: there is no such encoding; the message lists those there are.
    """
    validate.choice("name", name, tuple(ENCODINGS))
    return ENCODINGS[name]
