"""All encodings, in the order of the lessons; explorers, figures, the scorecard and the tests read this list.

Each stands in a file of its own with its functions, its parameters and its limits.
"""

from posenc_lib.encodings import validate
from posenc_lib.encodings.alibi import ALIBI
from posenc_lib.encodings.binary import BINARY
from posenc_lib.encodings.integer import INTEGER, NO_POSITION, NORMALIZED
from posenc_lib.encodings.learned import LEARNED
from posenc_lib.encodings.record import Encoding
from posenc_lib.encodings.rope import ROPE
from posenc_lib.encodings.shaw import SHAW
from posenc_lib.encodings.sine import SINE
from posenc_lib.encodings.sinusoidal import SINUSOIDAL
from posenc_lib.encodings.t5 import T5
from posenc_lib.encodings.transformer_xl import TRANSFORMER_XL

ENCODINGS: dict[str, Encoding] = {
    one.name: one
    for one in (
        *(NO_POSITION, INTEGER, NORMALIZED, BINARY, SINE, SINUSOIDAL, LEARNED),
        *(ROPE, SHAW, TRANSFORMER_XL, T5, ALIBI),
    )
}


def encoding(name: str) -> Encoding:
    """Return the record of an encoding by name.

    Raises:
        ValueError: there is no such encoding; the message lists those there are.
    """
    validate.choice("name", name, tuple(ENCODINGS))
    return ENCODINGS[name]
