"""The clinic's nine cases: broken encodings, modeled on real bugs.

Each has a parameter `fixed` that repairs it. The names don't give the bug away:
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

LONGEST = 2**20  # the largest start_pos
FIXED = Parameter("fixed", "whether the bug is fixed", False, options=(False, True))
START = Parameter(
    "start_pos", "position of the first token shown", 1000, 0, 4000, scale="whole", most=LONGEST
)


class _Fixed:
    """Broken and fixed share one color scale, so whatever changes is the bug."""

    @property
    def beside(self):
        return (self.at(fixed=not self.fixed),)


class _Case(_Fixed, Rotary):
    """A rotary case. Its text begins at start_pos, if it has that parameter."""

    views = ("similarity", "dot_product")
    start_pos = 0
    parameters = (seq_len_of(32), *Rotary.parameters[1:], FIXED)

    @property
    def frequencies(self):
        return inv_freq(self.head_dim)

    def has(self, name: str) -> bool:
        """Rule out views of longer texts: a case has no training length."""
        return name not in ("training_length", "as_trained") and super().has(name)

    def rotate(self, x, positions):
        return rope(x, positions)

    def queries_and_keys(self, positions):
        at = validate.positions(positions)
        queries, keys = self.content_at(at)
        return self.turned(queries, self.start_pos + at), self.turned(keys, self.start_pos + at)

    def turned(self, x, at) -> np.ndarray:
        """Return queries or keys, shape (n, head_dim), rotated to their positions."""
        return self.rotate(x, at)


class MixedPairing(_Case):
    """Lays out cosines and sines for neighbors, signs and partners for halves."""

    parameters = (seq_len_of(32), even_of(32, "head_dim"), *_Case.parameters[2:])

    def rotate(self, x, positions):
        if self.fixed:
            return rope(x, positions, pairing="half")
        angle = np.repeat(angles(positions, x.shape[-1]), 2, axis=-1)
        half = x.shape[-1] // 2
        partners = np.concatenate([-x[..., half:], x[..., :half]], axis=-1)
        return x * np.cos(angle) + partners * np.sin(angle)


class WrongAxis(_Case):
    """Rotates by the head's index instead of the token's position."""

    views = ("similarity", "heatmap")
    parameters = (*_Case.parameters[:2], replace(head_of(high=7), default=3), *_Case.parameters[2:])

    def turned(self, x, at):
        return self.rotate(x, at if self.fixed else np.full(len(at), self.head))


class QueryAtZero(_Case):
    """After a prompt read in one pass, every new query is rotated as if at position 0."""

    prompt_of = Parameter(
        "prompt", "tokens read in one pass; the rest come one at a time", 24, 1, 64, least=1
    )
    parameters = (*_Case.parameters[:2], prompt_of, *_Case.parameters[2:])

    @property
    def highest(self):
        return super().highest | {"prompt": self.seq_len}

    def queries_and_keys(self, positions):
        queries, keys = super().queries_and_keys(positions)
        at_once = self.prompt
        if np.ndim(positions):  # several positions are read in one pass
            at_once = len(queries) if len(queries) > 1 else 0
        if not self.fixed:
            unturned, _ = self.content_at(validate.positions(positions))  # as if at position 0
            queries[at_once:] = unturned[at_once:]
        return queries, keys


class NarrowPositions(_Case):
    """Stores positions in the model's own dtype."""

    dtype_of = Parameter(
        "dtype", "dtype the model computes in", "bfloat16", options=("bfloat16", "float32")
    )
    parameters = (*_Case.parameters[:2], START, dtype_of, *_Case.parameters[2:])

    def turned(self, x, at):
        return self.rotate(x, bfloat16(at) if self.dtype == "bfloat16" and not self.fixed else at)


class TwoTables(_Case):
    """Past the training length, NTK-aware scaling slows new tokens down, but not cached keys."""

    trained, factor = 4096, 8.0
    start_of = replace(START, default=4080, high=12_000)
    parameters = (seq_len_of(32), even_of(128, "head_dim"), start_of, *_Case.parameters[2:])

    def queries_and_keys(self, positions):
        # a cached key never changes
        one_by_one = np.ndim(positions) == 0 and not self.fixed
        at, d = self.start_pos + validate.positions(positions), self.head_dim
        lengths = at + 1 if one_by_one else np.full(len(at), at.max(initial=0) + 1)
        base = 10_000 * np.where(lengths > self.trained, self.factor, 1) ** (d / max(d - 2, 1))
        turns = np.exp(1j * at[:, None] * base[:, None] ** (-np.arange(0, d, 2) / d))
        return tuple(apply_rope(x, turns) for x in self.content_at(at))


class _Line(Alibi):
    """A straight line per head. All heads share the color scale of the steepest."""

    name = title = ""
    parameters = (seq_len_of(16), NUM_HEADS, head_of(high=31), FIXED)
    views = ("attention_row", "similarity")

    @property
    def beside(self):
        steepest = int(alibi_slopes(self.num_heads).argmax())
        return tuple(self.at(head=steepest, fixed=fixed) for fixed in (False, True))


class RisingBias(_Line):
    """ALiBi that adds its penalty instead of subtracting it."""

    def biases(self, offsets):
        return super().biases(offsets) * (1 if self.fixed else -1)


class TransposedGrid(Plane, Additive):
    """An image's rows and columns, counted along the wrong side."""

    parameters = (
        Parameter("seq_len", "patches in the image", 12, 4, 48, least=1, most=4096),
        powers_of("d_model", "dims per patch", 64, 4, 256, most=1024),
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
    """Sines and cosines whose column index already counts by two, then gets doubled."""

    parameters = (seq_len_of(64), even_of(64, "d_model"), FIXED)
    views = ("heatmap", "similarity")

    def rows(self, positions):
        if self.fixed:
            return sinusoidal(positions, self.d_model)
        column = np.arange(self.d_model)
        angle = np.outer(positions, 10_000.0 ** (-2 * column / self.d_model))
        return np.where(column % 2, np.cos(angle), np.sin(angle))


class DividedAlone(_Line):
    """ALiBi added after dividing scores by √d, for weights trained with the sum divided."""

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
