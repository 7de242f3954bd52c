"""Longer texts: offsets counted in groups, and attention that thins out."""

import math
from dataclasses import replace

import numpy as np

from posenc_lib.encodings.attention import softmax
from posenc_lib.encodings.exact_head import exact_head
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.rope_scaling import self_extend_offsets
from posenc_lib.views import style
from posenc_lib.views.all_pairs import PAIRS, masked
from posenc_lib.views.beyond import LOOK_BACK, PARTS, TIMES, name_ends, share
from posenc_lib.views.style import number
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
    pen.says = lambda x, y: _offset(grid, round(x), round(y))
    count = (grid > known).sum(axis=1)  # of new offsets in each row: they stand at its left
    if count.any():
        rows, pixels = np.flatnonzero(count), pen.size[0] / np.ptp(pen.limits["xlim"])
        right = np.repeat(count[rows] - 0.5, 2)
        down = np.stack([rows - 0.5, rows + 0.5], axis=1).ravel()
        steps = np.stack([right, down], axis=1)
        corners = [(-0.5, down[-1]), (-0.5, down[0])]
        pen.shapes([np.concatenate([steps, corners])], color=style.TINT, edge=style.INK, lw=0.8, hatch="///")
        if count.max() * pixels > 44:
            pen.label("new", (-0.5, n - 0.5), (8, 12), ha="left")
    new = f"Offset {most} is new" if most == trained else f"Offsets {trained:,} to {most:,} are new"
    pen.title(new if count.any() else f"No offset is new: {most:,} at most")
    told = f"{n:,} positions use offsets up to {most:,}; training on {trained:,} knew those up to {known:,}. "
    reach = _reach(trained, group_size, window)
    told += f"With groups of {group_size} and a window of {window} a text may have {reach:,}. "
    seam = np.nanmin(np.diff(grid, axis=1), initial=0) < -1
    return told + ("At the window there is a seam: offsets are skipped." if seam else "No offset is skipped.")


def _offset(grid: np.ndarray, column: int, row: int) -> str:
    inside = 0 <= row < len(grid) and 0 <= column <= row
    return number(float(grid[row, column])) if inside else ""


def _reach(trained: int, group: int, window: int) -> int:
    """Return how many positions a text may have whose first key is still at an offset that training knew."""
    queries = np.arange(group * trained + window)
    first = np.where(queries < window, queries, queries // group + window - window // group)
    return int((first < trained).sum())


@view(
    "curves",
    "The longer, the thinner",
    x="tokens in the text",
    y="attention on the right token",
    needs="buckets",
    ignores="head seed head_dim content",
    log="x",
    most_positions=128,
    ends=lambda width, seq_len: {"look_back": seq_len - 1},
)
def dilution(
    pen,
    encoding,
    times=LENGTHS,
    look_back=BACK,
    sharpen=SHARPENED,
):
    """Draw the share of attention on the token k back against the length of the text, for the best head of buckets."""
    fitted, sharper = max(encoding.seq_len, 2), sharpen != SHARPEN[0]
    scores = exact_head(encoding, look_back=look_back, seq_len=fitted, ridge=0.01).score(LONGEST * fitted)
    lengths = np.rint(fitted * 2 ** (np.arange(HALVES * LONGEST.bit_length() - HALVES + 1) / HALVES)).astype(int)
    by = np.log(lengths) / math.log(fitted) if sharper else np.ones(len(lengths))
    plain, sharpened = (
        np.array([softmax(scores[:length] * factor)[look_back] for length, factor in zip(lengths, each, strict=True)])
        for each in (np.ones(len(lengths)), by)
    )
    at = HALVES * (times.bit_length() - 1)
    ticks = {int(n): f"{n:,}" for n in lengths[:: 2 * HALVES]}
    pen.axes((lengths[0] / 1.3, lengths[-1] * 1.3), (-0.03, 1.1), xticks=ticks, yticks=PARTS)
    pen.box(0, 0, 1, 1, color=style.GRID, lw=0.8, within="axes")  # the room that a longer text fills
    here, (before, now) = int(lengths[at]), (float(plain[at]), float(sharpened[at]))
    if sharper:
        pen.curve(lengths[: at + 1], plain[: at + 1], color=style.GHOST, lw=4)
    pen.curve(lengths[: at + 1], sharpened[: at + 1])
    pen.mark([(here, now), (here, before)][: 1 + sharper], size=9)
    if now - before > 0.01:
        words = f"scores × {SHARPEN[1]}: {now:.2f}", f"unchanged: {before:.2f}"
        name_ends(pen, {words[0]: (here, now, style.KEY), words[1]: (here, before, style.SOFT)}, "center")
    else:
        pen.label(f"{now:.2f}", (here, now), (9, 13), ha="left")
    pen.title(f"{now:.2f} of attention lands on the right one of {here:,}")
    told = f"A head fitted on {lengths[0]:,} tokens to look {look_back} back puts {share(plain[0])} of its attention "
    told += f"there, on {here:,} tokens {share(plain[at])}"
    return f"{told}, with scores × {number(by[at])} (blue) {share(sharpened[at])}." if by[at] != 1 else f"{told}."
