"""The nine cases of the clinic: encodings that are wrong, each the way somebody's code once was.

A parameter `fixed` puts each of them right. Their names don't tell what is wrong:
`explore("case_1")`.
"""

from dataclasses import replace

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.alibi import Alibi, alibi_slopes
from posenc_lib.encodings.base import Additive, Encoding, Rotary
from posenc_lib.encodings.frequencies import angles, inv_freq
from posenc_lib.encodings.parameter import (
    COLUMNS,
    NUM_HEADS,
    Parameter,
    even_of,
    head_of,
    powers_of,
    seq_len_of,
)
from posenc_lib.encodings.plane import Plane, sinusoidal_2d
from posenc_lib.encodings.precision import bfloat16
from posenc_lib.encodings.rope import apply_rope, rope
from posenc_lib.encodings.sinusoidal import sinusoidal

LONGEST = 2**20  # positions before a text begins
FIXED = Parameter(
    "fixed", "whether the wrong line has been put right", False, options=(False, True)
)
START = Parameter(
    "start_pos", "where the text that is shown begins", 1000, 0, 4000, scale="whole", most=LONGEST
)


class _Fixed:
    """Wrong and right on one color scale, so that what changes is what was wrong."""

    @property
    def beside(self):
        return (self.at(fixed=not self.fixed),)


class _Case(_Fixed, Rotary):
    """A rotary case: queries and keys of a text that begins at start_pos, where it has one."""

    views = ("similarity", "dot_product")
    start_pos = 0
    parameters = (seq_len_of(32), *Rotary.parameters[1:], FIXED)

    @property
    def frequencies(self):
        return inv_freq(self.head_dim)

    def has(self, name: str) -> bool:
        """Say no to what views of longer texts would scale."""
        return name not in ("training_length", "as_trained") and super().has(name)

    def rotate(self, x, positions):
        return rope(x, positions)

    def queries_and_keys(self, positions):
        at = validate.positions(positions)
        queries, keys = self.content_at(at)
        return self.turned(queries, self.start_pos + at), self.turned(keys, self.start_pos + at)

    def turned(self, x, at) -> np.ndarray:
        """Return queries or keys, shape (n, head_dim), turned for the places at which they are."""
        return self.rotate(x, at)


class MixedPairing(_Case):
    """Cosines and sines for neighbors, signs and partners for halves."""

    parameters = (seq_len_of(32), even_of(32, "head_dim"), *_Case.parameters[2:])

    def rotate(self, x, positions):
        if self.fixed:
            return rope(x, positions, pairing="half")
        angle = np.repeat(angles(positions, x.shape[-1]), 2, axis=-1)
        half = x.shape[-1] // 2
        partners = np.concatenate([-x[..., half:], x[..., :half]], axis=-1)
        return x * np.cos(angle) + partners * np.sin(angle)


class WrongAxis(_Case):
    """Turned by the number of the head, where the number of the token belongs."""

    views = ("similarity", "heatmap")
    parameters = (*_Case.parameters[:2], replace(head_of(high=7), default=3), *_Case.parameters[2:])

    def turned(self, x, at):
        return self.rotate(x, at if self.fixed else np.full(len(at), self.head))


class QueryAtZero(_Case):
    """A prompt is read at once; each later token comes alone, its query turned as at position 0."""

    prompt_of = Parameter(
        "prompt", "how many tokens are read at once; the others come one by one", 24, 1, 64, least=1
    )
    parameters = (*_Case.parameters[:2], prompt_of, *_Case.parameters[2:])

    @property
    def highest(self):
        return super().highest | {"prompt": self.seq_len}

    def queries_and_keys(self, positions):
        queries, keys = super().queries_and_keys(positions)
        at_once = self.prompt
        if np.ndim(positions):  # several positions that are asked for are read at once
            at_once = len(queries) if len(queries) > 1 else 0
        if not self.fixed:
            unturned, _ = self.content_at(validate.positions(positions))  # as at 0
            queries[at_once:] = unturned[at_once:]
        return queries, keys


class NarrowPositions(_Case):
    """Positions in the model's own dtype."""

    dtype_of = Parameter(
        "dtype", "what the model computes in", "bfloat16", options=("bfloat16", "float32")
    )
    parameters = (*_Case.parameters[:2], START, dtype_of, *_Case.parameters[2:])

    def turned(self, x, at):
        return self.rotate(x, bfloat16(at) if self.dtype == "bfloat16" and not self.fixed else at)


class TwoTables(_Case):
    """Beyond the training length new tokens turn slower (NTK-aware); old keys stay in the cache."""

    trained, factor = 4096, 8.0
    start_of = replace(START, default=4080, high=12_000)
    parameters = (seq_len_of(32), even_of(128, "head_dim"), start_of, *_Case.parameters[2:])

    def queries_and_keys(self, positions):
        # what is cached stays as it was when it came
        one_by_one = np.ndim(positions) == 0 and not self.fixed
        at, d = self.start_pos + validate.positions(positions), self.head_dim
        lengths = at + 1 if one_by_one else np.full(len(at), at.max(initial=0) + 1)
        base = 10_000 * np.where(lengths > self.trained, self.factor, 1) ** (d / max(d - 2, 1))
        turns = np.exp(1j * at[:, None] * base[:, None] ** (-np.arange(0, d, 2) / d))
        return tuple(apply_rope(x, turns) for x in self.content_at(at))


class _Line(Alibi):
    """A straight line for each head, and one color scale for all heads: that of the steepest."""

    name = title = ""
    parameters = (seq_len_of(16), NUM_HEADS, head_of(high=31), FIXED)
    views = ("attention_row", "similarity")

    @property
    def beside(self):
        steepest = int(alibi_slopes(self.num_heads).argmax())
        return tuple(self.at(head=steepest, fixed=fixed) for fixed in (False, True))


class RisingBias(_Line):
    """ALiBi that adds what it should take away."""

    def biases(self, offsets):
        return super().biases(offsets) * (1 if self.fixed else -1)


class TransposedGrid(Plane, Additive):
    """Rows and columns of a picture, numbered along the wrong side."""

    parameters = (
        Parameter("seq_len", "how many patches the picture has", 12, 4, 48, least=1, most=4096),
        powers_of("d_model", "how many dims each patch has", 64, 4, 256, most=1024),
        replace(COLUMNS, default=4, low=2, high=8),
        FIXED,
    )
    views = ("patches",)

    def rows(self, positions):
        height, width = self.grid
        y, x = np.divmod(positions, width) if self.fixed else np.divmod(positions, height)[::-1]
        side = max(height, width) + 1
        return sinusoidal_2d(side, side, self.d_model, base=10.0)[y * side + x]


class CountedTwice(_Fixed, Additive):
    """Columns of sines and cosines whose number counts by two already, and is doubled once more."""

    parameters = (seq_len_of(64), even_of(64, "d_model"), FIXED)
    views = ("heatmap", "similarity")

    def rows(self, positions):
        if self.fixed:
            return sinusoidal(positions, self.d_model)
        column = np.arange(self.d_model)
        angle = np.outer(positions, 10_000.0 ** (-2 * column / self.d_model))
        return np.where(column % 2, np.cos(angle), np.sin(angle))


class DividedAlone(_Line):
    """ALiBi beside scores divided by √d, with weights of a model that divided the sum of both."""

    dims = 64
    parameters = (seq_len_of(64), *_Line.parameters[1:])

    def biases(self, offsets):
        return super().biases(offsets) / (np.sqrt(self.dims) if self.fixed else 1)


FAULTS = (
    MixedPairing,
    WrongAxis,
    QueryAtZero,
    NarrowPositions,
    TwoTables,
    RisingBias,
    TransposedGrid,
    CountedTwice,
    DividedAlone,
)
CASES: dict[str, Encoding] = {
    f"case_{k}": one().named(f"case_{k}", f"Case {k}") for k, one in enumerate(FAULTS, 1)
}
