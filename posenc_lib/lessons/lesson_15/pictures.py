"""The pictures only lesson 15 shows."""

import numpy as np

from posenc_lib.encodings.mrope import AXES
from posenc_lib.views import style
from posenc_lib.views.style import WORDS, number
from posenc_lib.views.view import view

TOKENS = {
    "needs": "axis_positions before frames tall wide after",
    "ignores": "seq_len model",
    "scale": False,
    "weight": 2.0,
}


OF_PAIRS = {
    "needs": "axis_of_pair axis_steps frequencies",
    "ignores": "seq_len before frames tall wide after",
}


FLOOR = -7  # power of ten at the foot of the bars; no pair is slower


MISSED = 0.1  # a fit that's off by more hasn't found the curve; always 0 is off by 1


@view("cells", "Each token's positions", x="token", left=56, **TOKENS)
def axis_positions(pen, encoding):
    """Write each token's time, row, and column: words, a picture, and words again."""
    places = encoding.axis_positions
    count, last = places.shape[1], int(places.max())
    pen.cells(places, (0, max(last, 1)), mixes=False, yticks=dict(enumerate(AXES)))
    cell = pen.size[0] / pen.spans[0]  # px
    size = min(1.1 * cell / (len(str(last)) + 0.3), 10)
    if size >= 5.3 and count <= 48:  # else numbers have no room
        pen.fill("{:.0f}", size)
    sides = f"{encoding.tall} × {encoding.wide}"
    kind = f"picture {sides}" if encoding.frames == 1 else f"film {encoding.frames} × {sides}"
    begin, end = encoding.before, count - encoding.after
    if style.text_width(kind, WORDS) <= (end - begin) * cell:
        pen.text(kind, ((begin + end - 1) / 2, 1), (0, 9), within="x", color=style.SOFT)
    used = (
        f"{style.plural(count, 'token')} {'uses' if count == 1 else 'use'} "
        f"{style.plural(last + 1, 'position')}"
    )
    pen.title(used)
    then = ""
    if encoding.after:
        pen.frame(end - 0.5, -0.5, 1, 3, style.INK)
        then = f". The word after the picture (framed) is at {places[0, end]}"
    words = style.plural(encoding.before, "word"), style.plural(encoding.after, "word")
    return f"{used}: {words[0]}, a {kind}, and {words[1]}{then}."


@view(
    "free",
    "Radians per step, by axis",
    x="pair",
    y="radians per step",
    left=56,
    weight=1.4,
    **OF_PAIRS,
)
def axis_of_pair(pen, encoding):
    """Draw each pair's frequency as a bar, in the color of the axis that rotates it."""
    axes, theta, steps = encoding.axis_of_pair, encoding.frequencies, encoding.axis_steps
    ticks = {power: number(10.0**power) for power in range(0, FLOOR, -2)}
    pen.axes(len(theta), (FLOOR, 0.3), yticks=ticks)
    for power in ticks:
        pen.rule("y", power, style.GRID, 0.8)
    colors = style.KEY, style.OTHER, style.PAIR
    pen.unit(
        "a step:",
        *((f"{a} {number(s, 2)}", color) for a, s, color in zip(AXES, steps, colors, strict=True)),
    )
    for axis, color in enumerate(colors):
        pairs = np.flatnonzero(axes == axis)
        pen.bars(pairs, FLOOR, np.log10(theta[pairs]), wide=0.6, color=color)
    pen.says = lambda x, y: number(theta[min(max(round(x), 0), len(theta) - 1)])
    counts = "Pairs: time {}, row {}, column {}".format(*np.bincount(axes, minlength=3))
    pen.title(counts)
    moved = "A step in time moves the vector by {}, a step down by {}, "
    moved += "and a step to the right by {}"
    return f"{counts}. {moved.format(*map(number, steps))}."


@view("curves", "Fitted to a few points", x="x", needs="signal known errors", ignores="seq_len")
def signal_fit(pen, encoding):
    """Draw a curve, its known points, and the sum of waves fitted to these points."""
    (x, true, fitted), known, (there, all_along) = encoding.signal, encoding.known, encoding.errors
    high = style.nice_bound(1.1 * np.abs(true).max())
    pen.axes(
        (float(x[0]), float(x[-1])), (-high, high), xticks=np.linspace(x[0], x[-1], 5).tolist()
    )
    pen.unit(
        "↑ value of the curve (gray), of its",
        ("known points", style.INK),
        "and of the",
        ("fit", style.KEY),
    )
    pen.change(x, true, np.where(np.abs(fitted) <= high, fitted, np.nan))
    pen.mark(np.stack(known, axis=1), size=7, lw=0.8)
    if all_along <= MISSED:
        seen = "It finds the curve"
    elif there <= MISSED:
        seen = "The points, but not the curve"
    elif all_along <= 1:
        seen = "Too slow: a blur"
    else:  # worse than no fit at all
        seen = "Neither the points nor the curve"
    seen = f"{seen}, off by {number(all_along)}"
    pen.title(seen)
    return (
        f"{seen} along the curve (root mean square), and by {number(there)} at the {len(known[0])} "
        "known points."
    )
