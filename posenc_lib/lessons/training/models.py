"""The models of lesson 13's table, by name: what each layer knows of positions, and their size."""

from typing import NamedTuple

import numpy as np

from posenc_lib.encodings.base import Encoding, Rotary
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.frequencies import inv_freq
from posenc_lib.lessons.training.positions import (
    SMALL,
    USUAL,
    Buckets,
    Curves,
    Fixed,
    LearnedRows,
    Positions,
    Size,
    Vectors,
    Window,
)
from posenc_lib.lessons.training.trained_table import DROP, LENGTH, LONG, SCALINGS


class Model(NamedTuple):
    """A model's layers, first to last, its size, and how its RoPE is scaled in extra tests."""

    layers: tuple[Positions, ...]
    size: Size = USUAL
    scalings: tuple[str, ...] = ()


class PRope(Rotary):
    """RoPE with base 10 and 16 dims, whose three slowest pairs don't rotate."""

    frequencies = property(lambda self: inv_freq(16, 10.0) * (np.arange(8) < 5))


def model(positions: Positions, size: Size = USUAL, scalings: tuple[str, ...] = ()) -> Model:
    """Return a model with the same positions in both layers."""
    return Model((positions, positions), size, scalings)


NONE = Positions()
ROPE, ALIBI, KERPLE = (ENCODINGS[name] for name in ("rope", "alibi", "kerple"))
FAST = Fixed(ROPE.at(base=10.0))
IN_WINDOW = Window(8, Fixed(ROPE))
MODELS: dict[str, Model] = {
    "no_position": model(NONE),
    "sinusoidal": model(Fixed(ENCODINGS["sinusoidal"])),
    "learned": model(LearnedRows()),
    "learned_small": model(LearnedRows(SMALL)),
    # at base 10,000 two of eight pairs complete a turn in 32 tokens, at 100 three, at 10 six
    "rope": model(Fixed(ROPE), scalings=SCALINGS),
    "rope_100": model(Fixed(ROPE.at(base=100.0))),
    "rope_10": model(FAST),
    "p_rope": model(Fixed(PRope())),
    "rope_32": model(Fixed(ROPE), Size(head_dim=32)),
    "rope_64": model(Fixed(ROPE), Size(head_dim=64), ("yarn",)),
    "rope_8_heads": model(Fixed(ROPE), Size(heads=8)),  # with as many weights as rope_64
    "rope_64_wide": model(Fixed(ROPE), Size(d_model=128, head_dim=64, hidden=256)),
    "rope_10_then_none": Model((FAST, NONE)),
    "none_then_rope_10": Model((NONE, FAST)),
    "window_then_none": Model((IN_WINDOW, NONE)),
    "window_then_rope": Model((IN_WINDOW, Fixed(ROPE)), scalings=("yarn",)),
    "alibi": model(Fixed(ALIBI)),
    # the two steepest of eight heads' slopes, or the steepest and the flattest:
    # ALiBi's own slopes for two heads are nearly flat
    "alibi_steep": model(Fixed(ALIBI.at(num_heads=8), heads=(0, 1))),
    "alibi_mixed": model(Fixed(ALIBI.at(num_heads=8), heads=(0, 7))),
    # like T5; the buckets past 31 tokens are never trained and stay 0
    "t5": model(Buckets(max_distance=128)),
    # everything past the training length reads the last bucket, which is trained
    "t5_near": model(Buckets(max_distance=LENGTH)),
    "kerple": model(Curves()),
    "kerple_fixed": model(Fixed(KERPLE.at(a=1.0, p=1.0))),
    "shaw": model(Vectors(clip=8)),
}

# How a model of plain RoPE goes on after training, in both layers
STRETCHED = {"factor": LONG / LENGTH, "trained": LENGTH}
THEN: dict[str, Positions] = {
    DROP: NONE,
    "longer": Fixed(ROPE),
    "longer_ntk": Fixed(ROPE.at(rope_type="ntk", **STRETCHED)),
    "longer_base": Fixed(ROPE.at(base=500_000.0)),
    "longer_linear": Fixed(ROPE.at(rope_type="linear", **STRETCHED)),
    "longer_yarn": Fixed(ROPE.at(rope_type="yarn", **STRETCHED)),
}


def model_of(encoding: str | Encoding) -> Model:
    """Return the table's model of this name, or one with this encoding in both layers."""
    return MODELS[encoding] if isinstance(encoding, str) else model(Fixed(encoding))
