"""Positions on several axes, and the pairs that each of them turns; waves of one coordinate, fitted to a few points."""

from itertools import pairwise

import numpy as np

from posenc_lib.encodings.mrope import AXES
from posenc_lib.views import style
from posenc_lib.views.axes import width
from posenc_lib.views.style import WORDS, number
from posenc_lib.views.view import view

SMALLEST, LARGEST = 5.3, 10.0  # points of the numbers in cells
WRITTEN = 48  # tokens up to which there may be room for numbers
LANE = 1.3  # decades from one lane to the next
STEPS = ("step in time", "row", "column")
FLOOR = -7  # the power of ten at the foot of the bars: no pair turns slower
TOP = 2.2  # decades up to which nothing but names stands
MISSED = 0.1  # a fit that is off by more, where always 0 would be by 1, has not found the curve


@view(
    "cells",
    "Where each token stands",
    x="token",
    needs="axis_positions",
    ignores="seq_len model",
    numbers=56,
    scale=False,
    weight=2.0,
)
def axis_positions(pen, encoding):
    """Colour and write where each token stands, first words, then a picture, then words: in time, row and column."""
    places = encoding.axis_positions
    count, last = places.shape[1], int(places.max())
    pen.cells(places, (0, max(last, 1)), mixes=False, yticks=dict(enumerate(AXES)))
    cell = pen.size[0] / pen.spans[0]  # px
    size = min(1.1 * cell / (len(str(last)) + 0.3), LARGEST)
    if size >= SMALLEST and count <= WRITTEN:
        pen.fill("{:.0f}", size)
    sides = f"{encoding.tall} × {encoding.wide}"
    kind = f"picture {sides}" if encoding.frames == 1 else f"film {encoding.frames} × {sides}"
    ends, (foot, top) = [0, encoding.before, count - encoding.after, count], 1 + np.array([4, 9]) / pen.size[1]
    for name, (begin, end) in zip(("words", kind, "words"), pairwise(ends), strict=True):
        a, b = begin - 0.3, max(end - 0.7, begin - 0.3)
        pen.strokes([[(a, foot), (a, top), (b, top), (b, foot)]], color=style.RULE, lw=1.4, within="x", clip_on=False)
        if width(name, WORDS) <= (end - begin) * cell:
            pen.text(name, ((a + b) / 2, 1), (0, 19), within="x", color=style.SOFT)
    if encoding.after:
        pen.frame(ends[2] - 0.5, -0.5, 1, 3, style.INK)
    used = f"{style.plural(count, 'token')} use{'s' * (count == 1)} {style.plural(last + 1, 'position')}"
    pen.title(used)
    then = f"; the word after the picture (framed) stands at {places[0, ends[2]]}" if encoding.after else ""
    words = style.plural(encoding.before, "word"), style.plural(encoding.after, "word")
    return f"{used}: {words[0]}, a {kind}, {words[1]}{then}."


@view(
    "free",
    "Radians per step, by axis",
    x="pair",
    y="radians per step",
    needs="axis_of_pair axis_steps frequencies",
    ignores="seq_len before frames tall wide after",
    numbers=56,
    weight=1.4,
)
def axis_of_pair(pen, encoding):
    """Draw how fast each pair turns, a bar in the colour of the axis that turns it, and below in that axis's lane."""
    axes, theta, steps = encoding.axis_of_pair, encoding.frequencies, encoding.axis_steps
    lanes = [FLOOR - LANE * (k + 0.6) for k in range(3)]
    ticks = {power: number(10.0**power) for power in range(0, FLOOR, -2)}
    pen.axes(len(theta), (FLOOR - 3.1 * LANE, TOP), yticks=ticks)
    pen.strokes([[(0, at), (1, at)] for at in ticks], color=style.GRID, lw=0.8, within="y")
    colors = style.KEY, style.OTHER, style.PAIR
    pen.text("the code moves by", (1, 1), (0, -7), within="axes", color=style.SOFT, ha="right")
    for axis, color in enumerate(colors):
        pairs = np.flatnonzero(axes == axis)
        pen.bars(pairs, FLOOR, np.log10(theta[pairs]), wide=0.6, color=color)
        pen.bars(pairs, lanes[axis] - 0.4, lanes[axis] + 0.4, wide=0.6, color=color)
        look = {"color": color, "fontweight": "bold", "ha": "right"}
        pen.text(AXES[axis], (0, lanes[axis]), (-6, 0), within="y", fontsize=style.NUMBERS, **look)
        words = f"{number(steps[axis])} a {STEPS[axis]}"
        pen.text(words, (1, 1), (0, -7 - 16 * (axis + 1)), within="axes", halo=True, **look)
    pen.says = lambda x, y: number(theta[min(max(round(x), 0), len(theta) - 1)])
    counts = "Time {}, row {}, column {} pairs".format(*np.bincount(axes, minlength=3))
    pen.title(counts)
    moved = "a step in time moves the code by {}, one row down by {}, one column to the right by {}"
    return f"{counts}: {moved.format(*map(number, steps))}."


@view("curves", "Fitted to a few points", x="x", needs="signal known errors", ignores="seq_len")
def signal_fit(pen, encoding):
    """Draw a curve, the few points of it that are known, and what waves that were fitted to these make of the rest."""
    (x, true, fitted), known, (there, all_along) = encoding.signal, encoding.known, encoding.errors
    high = style.nice_bound(1.1 * np.abs(true).max())
    pen.axes((float(x[0]), float(x[-1])), (-high, high), xticks=np.linspace(x[0], x[-1], 5).tolist())
    pen.unit("↑ value of the curve (grey), of its", ("known points", style.INK), "and of the", ("fit", style.KEY))
    pen.change(x, true, np.where(np.abs(fitted) <= high, fitted, np.nan))
    pen.mark(np.stack(known, axis=1), size=7, lw=0.8)
    seen = "Points by heart, not the curve" if there <= MISSED else "Too slow: a blur"
    seen = f"{'The curve is found' if all_along <= MISSED else seen}, off by {number(all_along)}"
    pen.title(seen)
    return f"{seen} all along (root mean square), by {number(there)} at the {len(known[0])} known points."
