"""What stands in a plane, or on several axes: patches, pairs, heads, tokens; a curve's waves."""

from functools import lru_cache

import numpy as np

from posenc_lib.encodings.exact_head import REACH, WISHES, exact_head_2d, wished
from posenc_lib.encodings.mrope import AXES
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.style import WORDS, number
from posenc_lib.views.view import view

ROW = Parameter("row", "the row of the patch that asks", 6, 0, 63)
COLUMN = Parameter("column", "the column of the patch that asks", 6, 0, 63)
DISTANCE = Parameter(
    "distance", "how far away the marked patches are, rounded; 0 marks none", 0, 0, 10, most=90
)
WISH = Parameter(
    "wish", "which patches the head should look at, all alike", "diagonal", options=WISHES
)
INNER = 0.22  # the radius of the circle of the slowest, where that of the fastest is 1
ALONG = 0.5  # degrees from an axis within which an arrow counts as along it
PLANE = {"needs": "directions", "ignores": "seq_len columns content", "square": True}


@view("cells", "Cosine with one patch", x="column", y="row", needs="grid queries_keys", square=True)
def patches(pen, encoding, row=ROW, column=COLUMN, distance=DISTANCE):
    """Colour each patch of a picture by its cosine with the patch that asks, which is framed."""
    (rows, columns), last = encoding.grid, encoding.seq_len - 1
    at, side = min(row * columns + column, last), max(rows, columns) - 0.5
    row, column = divmod(at, columns)
    queries, keys = (
        x / np.linalg.norm(x, axis=1, keepdims=True)
        for x in np.asarray(encoding.queries_keys, float)
    )
    negative = (
        keys @ queries[[at, 0, columns - 1]].T
    ).min() < -1e-9  # the corners meet all offsets
    cosines = np.full(rows * columns, np.nan)
    cosines[: last + 1] = keys @ queries[at]
    pen.cells(
        cosines.reshape(rows, columns),
        (-float(negative), 1.0),
        xlim=(-0.5, side),
        ylim=(side, -0.5),
    )
    down, right = np.indices((rows, columns)).reshape(2, -1)
    ring = (
        (np.rint(np.hypot(down - row, right - column)) == distance)
        & np.isfinite(cosines)
        & (distance > 0)
    )
    pen.mark(np.stack([right, down], axis=1)[ring], size=6, lw=0.8)
    pen.frame(column - 0.5, row - 0.5, 1, 1)
    pen.tick("x", column, color=style.QUERY)
    pen.tick("y", row, color=style.QUERY)
    beside = {"itself": at, "the next one": at + 1, "the one below": at + columns}
    told = ", ".join(
        f"{number(cosines[there])} with {name}" for name, there in beside.items() if there <= last
    )
    text = f"Cosine of the patch in row {row}, column {column}: {told}"
    if not ring.any():
        return f"{text}."
    low, high = number(cosines[ring].min()), number(cosines[ring].max())
    spread = f"from {low} to {high}" if low != high else f"all {low}"
    pen.title(f"{distance} away: cosine {spread}")
    return f"{text}; {distance} away {spread}."


@view("free", "Which way pairs look", x="right", **PLANE, drags="tilt", degrees=270.0)
def directions(pen, encoding):
    """Draw each pair as an arrow the way it looks in the plane, the longer, by its logarithm, the
    faster it turns.
    """
    ways = np.asarray(encoding.directions, np.float64)
    fast = np.hypot(*ways)
    decades, unit = np.log10(fast), ways[::-1] / fast
    top = np.ceil(decades.max() - 1e-9)
    low = min(np.floor(decades.min()), top - 1)
    reach = INNER + (1 - INNER) * (decades - low) / (top - low)
    pen.axes((-1.1, 1.1), (1.1, -1.1), xticks=(), yticks=())
    pen.unit("↓ down; the longer, the faster a pair turns")
    ends, back, aside = (
        (reach * unit).T,
        ((reach - 0.09) * unit).T,
        0.035 * np.stack([-unit[1], unit[0]], axis=1),
    )
    pen.strokes([[(0, 0), end] for end in back], lw=1.4)
    pen.shapes(np.stack([ends, back + aside, back - aside], axis=1), edge=style.PAPER, lw=0.4)
    for radius in (1, INNER):  # of the fastest, and of the slowest
        pen.circle(radius=radius)
    angle = np.degrees(np.arctan2(*np.abs(ways)))  # 0 along the row, 90 along the column
    row, column, count = int((angle < ALONG).sum()), int((angle > 90 - ALONG).sum()), len(fast)
    between = count - row - column
    even = f"{row} along rows, {column} along columns"
    look = "looks" if between == 1 else "look"
    title = f"{between} of {style.plural(count, 'pair')} {look} in between"
    pen.title(title if between else even)
    return (
        f"Of {count} pairs {row} look along the row, {column} along the column, {between} in "
        "between."
    )


@view("cells", "What the best head does", **PLANE)
def window_head(pen, encoding, wish=WISH):
    """Colour how the best head spreads attention around the patch that asks; the patches wished for
    are outlined.

    The darkest colour is that of attention which lies evenly on the wish.
    """
    meant = wished(wish)
    attention = _attention(np.ascontiguousarray(encoding.directions, np.float64).tobytes(), wish)
    pen.cells(100 * attention, (0.0, 100 / meant.sum()), xticks=(), yticks=())
    pen.unit("% of attention")
    framed = np.pad(meant, 1)  # edges between cells that are meant and others:
    edges = [
        [(x - 1.5, y - 0.5), (x - 0.5, y - 0.5)] for y, x in np.argwhere(framed[1:] != framed[:-1])
    ]
    edges += [
        [(x - 0.5, y - 1.5), (x - 0.5, y - 0.5)]
        for y, x in np.argwhere(framed[:, 1:] != framed[:, :-1])
    ]
    for color, lw in ((style.PAPER, 3.4), (style.INK, 1.4)):
        pen.strokes(edges, color=color, lw=lw, capstyle="projecting")
    pen.frame(REACH - 0.5, REACH - 0.5, 1, 1)
    mass, chance = float(attention[meant].sum()), float(meant.mean())
    pen.title(f"{100 * mass:.0f} % on the wish, by chance {100 * chance:.0f} %")
    told = f"puts {number(mass)} of its attention there, by chance {number(chance)}"
    return f"The best head for the wish ({wish}) {told}."


@lru_cache(256)
def _attention(directions: bytes, wish: str) -> np.ndarray:
    """Return the attention of the head that is best for a wish, the shape of the window."""
    return exact_head_2d(np.frombuffer(directions).reshape(2, -1), wished(wish)).attention


TOKENS = {"needs": "axis_positions", "ignores": "seq_len model", "scale": False, "weight": 2.0}
OF_PAIRS = {
    "needs": "axis_of_pair axis_steps frequencies",
    "ignores": "seq_len before frames tall wide after",
}
FLOOR = -7  # the power of ten at the foot of the bars: no pair turns slower
MISSED = 0.1  # a fit that is off by more, where always 0 would be by 1, has not found the curve


@view("cells", "Where each token stands", x="token", left=56, **TOKENS)
def axis_positions(pen, encoding):
    """Colour and write where each token stands, first words, then a picture, then words: in time,
    row and column.
    """
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
        then = f"; the word after the picture (framed) stands at {places[0, end]}"
    words = style.plural(encoding.before, "word"), style.plural(encoding.after, "word")
    return f"{used}: {words[0]}, a {kind}, {words[1]}{then}."


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
    """Draw how fast each pair turns, a bar in the colour of the axis that turns it."""
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
    counts = "Time {}, row {}, column {} pairs".format(*np.bincount(axes, minlength=3))
    pen.title(counts)
    moved = "a step in time moves the code by {}, one row down by {}, one column to the right by {}"
    return f"{counts}: {moved.format(*map(number, steps))}."


@view("curves", "Fitted to a few points", x="x", needs="signal known errors", ignores="seq_len")
def signal_fit(pen, encoding):
    """Draw a curve, the few points of it that are known, and what waves that were fitted to these
    make of the rest.
    """
    (x, true, fitted), known, (there, all_along) = encoding.signal, encoding.known, encoding.errors
    high = style.nice_bound(1.1 * np.abs(true).max())
    pen.axes(
        (float(x[0]), float(x[-1])), (-high, high), xticks=np.linspace(x[0], x[-1], 5).tolist()
    )
    pen.unit(
        "↑ value of the curve (grey), of its",
        ("known points", style.INK),
        "and of the",
        ("fit", style.KEY),
    )
    pen.change(x, true, np.where(np.abs(fitted) <= high, fitted, np.nan))
    pen.mark(np.stack(known, axis=1), size=7, lw=0.8)
    seen = "Points by heart, not the curve" if there <= MISSED else "Too slow: a blur"
    seen = f"{'The curve is found' if all_along <= MISSED else seen}, off by {number(all_along)}"
    pen.title(seen)
    return (
        f"{seen} all along (root mean square), by {number(there)} at the {len(known[0])} known "
        "points."
    )
