"""Longer texts: offsets counted in groups, and attention that thins out."""

import math
from dataclasses import replace

import numpy as np

from posenc_lib.encodings.attention import softmax
from posenc_lib.encodings.exact_head import exact_head
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.longer import self_extend_offsets
from posenc_lib.views import style
from posenc_lib.views.all_pairs import PAIRS, masked
from posenc_lib.views.beyond import LOOK_BACK, PARTS, TIMES, both, share
from posenc_lib.views.view import view

GROUP = Parameter("group_size", "how many positions share a number beyond the window", 4, 1, 16, least=1)
WINDOW = Parameter("window", "below which distance offsets stay exact", 16, 1, 512, least=1)
LONGEST = 256  # times the length of the fit
SHARPEN = ("1", "ln T / ln L")
LENGTHS = replace(TIMES, high=LONGEST, most=LONGEST)
BACK = replace(LOOK_BACK, default=3)
SHARPENED = Parameter("sharpen", "by what scores are multiplied", SHARPEN[1], options=SHARPEN)
HALVES = 2  # lengths tried from one to its double


@view(
    "cells",
    "Offsets, known and new",
    **PAIRS,
    needs="training_length",
    ignores="head_dim base pairing content draw rope_type factor",
    most_positions=1024,
)
def offsets_used(pen, encoding, group_size=GROUP, window=WINDOW):
    """Colour the offset, query − key, that Self-Extend turns each pair of positions by; hatched where it is new.

    Later keys are masked.
    """
    n, trained = encoding.seq_len, encoding.training_length
    grid = masked(self_extend_offsets(n, group_size, window), causal=True)
    most, known = int(grid[-1, 0]), trained - 1
    pen.cells(np.where(grid > known, np.nan, grid), (0, max(known, 1)), mixes=False)
    count = (grid > known).sum(axis=1)  # of new offsets in each row: they stand at its left
    if count.any():
        rows = np.flatnonzero(count)
        steps = np.stack([np.repeat(count[rows] - 0.5, 2), np.stack([rows - 0.5, rows + 0.5], axis=1).ravel()], axis=1)
        pen.unknown([np.vstack([steps, [(-0.5, n - 0.5), (-0.5, rows[0] - 0.5)]])], lw=0.8, edge=style.INK)
    new = f"Offset {most} is new" if most == trained else f"Offsets {trained:,} to {most:,} are new"
    pen.title(new if count.any() else f"No offset is new: {most:,} at most")
    return f"{n:,} positions use offsets up to {most:,}; training on {trained:,} knew those up to {known:,}."


@view(
    "curves",
    "The longer, the thinner",
    x="tokens in the text",
    needs="buckets",
    ignores="head seed head_dim content",
    log="x",
    most_positions=128,
    ends=lambda width, seq_len: {"look_back": seq_len - 1},
)
def dilution(pen, encoding, times=LENGTHS, look_back=BACK, sharpen=SHARPENED):
    """Draw the share of attention on the token k back against the length of the text, for the best head of buckets."""
    fitted, sharper = max(encoding.seq_len, 2), sharpen != SHARPEN[0]
    scores = exact_head(encoding, look_back=look_back, seq_len=fitted, ridge=0.01).score(LONGEST * fitted)
    lengths = np.rint(fitted * 2 ** (np.arange(HALVES * LONGEST.bit_length() - HALVES + 1) / HALVES)).astype(int)
    ticks = {int(n): f"{n:,}" for n in lengths[:: 2 * HALVES]}
    pen.axes((lengths[0] / 1.3, lengths[-1] * 1.3), (-0.03, 1.1), xticks=ticks, yticks=PARTS)
    pen.box(0, 0, 1, 1, color=style.GRID, lw=0.8, within="axes")  # the room that a longer text fills
    lengths = lengths[: HALVES * times.bit_length() - HALVES + 1]

    def shares(factors) -> list[float]:
        each = zip(lengths, np.broadcast_to(factors, lengths.shape), strict=True)
        return [float(softmax(scores[:n] * factor)[look_back]) for n, factor in each]

    plain, by = shares(1.0), np.log(lengths) / math.log(fitted)
    now, here = shares(by) if sharper else plain, int(lengths[-1])
    both(pen, "↑ attention on it", lengths, plain, now, ("unchanged", f"scores × {SHARPEN[1]}"))
    pen.mark([(here, now[-1]), (here, plain[-1])][: 1 + sharper], size=9)
    pen.title(f"{now[-1]:.2f} of attention lands on the right one of {here:,}")
    told = f"A head fitted on {fitted:,} tokens to look {look_back} back puts {share(plain[-1])} of its attention there"
    return f"{told} on {here:,}{f', with scores × {by[-1]:.2f} {share(now[-1])} (blue)' if sharper else ''}."
