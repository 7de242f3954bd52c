"""Positions on several axes, and the pairs that each of them turns; waves of one coordinate, fitted to a few points."""

import itertools

import numpy as np

from posenc_lib.encodings.mrope import AXES
from posenc_lib.views import style
from posenc_lib.views.axes import width
from posenc_lib.views.style import WORDS, number
from posenc_lib.views.view import view

SMALLEST, LARGEST = 5.3, 10.0  # points of the numbers in cells
DIGIT, ASIDE = 0.65, 0.3  # the width of a digit in heights of a letter, and the room beside it in digits
WRITTEN = 48  # tokens up to which there may be room for numbers
LANE = 1.3  # decades from one lane to the next
STEPS = ("step in time", "row", "column")
FLOOR = -7  # the power of ten at the foot of the bars, if none turns still slower
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
    shares=(),
    weight=2.4,
)
def axis_positions(pen, encoding):
    """Colour and write where each token stands, first words, then a picture, then words: in time, row and column."""
    places, before, after = encoding.axis_positions, encoding.before, encoding.after
    shape, count, last = (encoding.frames, encoding.tall, encoding.wide), places.shape[1], int(places.max())
    parts, rows = (before, count - before - after, after), dict(enumerate(AXES))
    ends = np.cumsum([0, *parts]).tolist()
    pen.cells(places, (0, max(last, 1)), mixes=False, yticks=rows)
    cell = pen.size[0] / np.ptp(pen.limits["xlim"])  # px
    gaps = [[(x - 0.5, -0.5), (x - 0.5, 2.5)] for x in ends[1:-1]]
    pen.strokes(gaps, color=style.PAPER, lw=min(3, 0.3 * cell))
    spans = [(a - 0.3, b - 0.7) for a, b in itertools.pairwise(ends) if a < b]
    foot, top = 1 + np.array([4, 9]) / pen.size[1]
    brackets = [[(a, foot), (a, top), (b, top), (b, foot)] for a, b in spans]
    pen.strokes(brackets, color=style.RULE, lw=1.4, within="x", clip_on=False)
    size = min(0.72 * cell / (DIGIT * (len(str(last)) + ASIDE)), LARGEST)
    if size >= SMALLEST and count <= WRITTEN:
        pen.fill(list(np.ndindex(places.shape)), [str(place) for place in places.ravel()], size)
    kind = "film" if shape[0] > 1 else "picture"
    _name(pen, ends, f"{kind} {_sides(shape)}", cell)
    if after:
        pen.frame(ends[2] - 0.5, -0.5, 1, 3, style.INK)
    pen.says = lambda x, y: str(places[min(max(round(y), 0), 2), min(max(round(x), 0), count - 1)])
    many = style.plural(last + 1, "position")
    pen.title(f"{style.plural(count, 'token')} use{'s' * (count == 1)} {many}")
    told = [style.plural(n, "word") for n in parts]
    told[1] = f"{_sides(shape)} patches" if parts[1] > 1 else "1 patch"
    used = f"{many} {'are' if last else 'is'} used by {style.plural(count, 'token')}"
    then = f"; the word after the {kind} (framed) stands at {places[0, ends[2]]}" if after else ""
    return f"{used}: {', '.join(words for n, words in zip(parts, told, strict=True) if n)}{then}."


def _sides(shape) -> str:
    """Return how large a picture or a film is, in patches."""
    return " × ".join(map(str, shape if shape[0] > 1 else shape[1:]))


def _name(pen, ends: list[int], picture: str, cell: float) -> None:
    """Say what each bracket holds, the picture in any case, words where there is room beside it."""
    wide = width(picture, WORDS) / cell  # in tokens
    begin = min(max((ends[1] + ends[2] - wide) / 2, 0), ends[3] - wide)
    words = width("words", WORDS) / cell
    beside = (0, min(ends[1], begin)), (max(ends[2], begin + wide), ends[3])
    names = [(picture, begin, begin + wide), *(("words", a, b) for a, b in beside if words <= b - a + 1e-9)]
    for name, left, right in names:
        pen.text(name, ((left + right - 1) / 2, 1), (0, 19), within="x", color=style.SOFT)


@view(
    "free",
    "Radians per step, by axis",
    x="pair",
    y="radians per step",
    needs="axis_of_pair axis_steps frequencies",
    ignores="seq_len before frames tall wide after",
    numbers=56,
    weight=1.6,
    lines="",
)
def axis_of_pair(pen, encoding):
    """Draw how fast each pair turns, a bar in the colour of the axis that turns it, and below in that axis's lane."""
    axes, theta, steps = encoding.axis_of_pair, encoding.frequencies, encoding.axis_steps
    floor = min(int(np.floor(np.log10(theta.min()))), FLOOR)
    floor -= 1 - floor % 2
    lanes = [floor - LANE * (k + 0.6) for k in range(3)]
    ticks = {power: number(10.0**power) for power in range(0, floor - 1, -2)}
    pen.axes(len(theta), (floor - 3.1 * LANE, TOP), yticks=ticks)
    pen.strokes([[(0, at), (1, at)] for at in ticks], color=style.GRID, lw=0.8, within="y")
    colors = style.KEY, style.OTHER, style.PAIR
    pen.text("the code moves by", (1, 1), (0, -7), within="axes", color=style.SOFT, ha="right")
    for axis, color in enumerate(colors):
        pairs = np.flatnonzero(axes == axis)
        pen.bars(pairs, floor, np.log10(theta[pairs]), wide=0.6, color=color)
        pen.bars(pairs, lanes[axis] - 0.4, lanes[axis] + 0.4, wide=0.6, color=color)
        look = {"color": color, "fontweight": "bold", "ha": "right"}
        pen.text(AXES[axis], (0, lanes[axis]), (-6, 0), within="y", fontsize=style.NUMBERS, **look)
        words = f"{number(steps[axis])} a {STEPS[axis]}"
        pen.text(words, (1, 1), (0, -7 - 16 * (axis + 1)), within="axes", halo=True, **look)
    pen.says = lambda x, y: number(theta[min(max(round(x), 0), len(theta) - 1)])
    counts = np.bincount(axes, minlength=3).tolist()
    pen.title("Time {}, row {}, column {} pairs".format(*counts))
    told = "time turns {}, the row {}, the column {}".format(*counts)
    how = "in chunks" if np.count_nonzero(np.diff(axes)) < 3 else "taking turns"
    moved = "one step in time moves the code by {}, one row down by {}, one column to the right by {}"
    return f"Of {len(axes)} pairs {told}, {how}; {moved.format(*map(number, steps))}."


@view("curves", "Fitted to a few points", x="x", needs="signal known errors", ignores="seq_len")
def signal_fit(pen, encoding):
    """Draw a curve, the few points of it that are known, and what waves that were fitted to these make of the rest."""
    (x, true, fitted), known, (there, all_along) = encoding.signal, encoding.known, encoding.errors
    high = style.nice_bound(1.1 * np.abs(true).max())
    pen.axes((float(x[0]), float(x[-1])), (-high, high), xticks=np.linspace(x[0], x[-1], 5).tolist())
    pen.unit("↑ value of the curve (grey), of its", ("known points", style.INK), "and of the", ("fit", style.KEY))
    pen.curve(x, true, color=style.GHOST, lw=5)
    pen.curve(x, np.where(np.abs(fitted) <= high, fitted, np.nan), lw=1.6)
    pen.mark(np.stack(known, axis=1), size=7, lw=0.8)
    told = f"{len(known[0])} points are known: the fit is off by {number(there)} there, by {number(all_along)} all "
    told += "along (root mean square): "
    found, blurred = all_along <= MISSED, there > MISSED
    seen = "The curve is found" if found else "Too slow: a blur" if blurred else "Points by heart, not the curve"
    pen.title(f"{seen}, off by {number(all_along)}")
    if found:
        return f"{told}it has found the curve."
    return f"{told}{'too slow, it blurs' if blurred else 'it knows the points by heart, and not the curve'}."
