"""The pictures only lesson 12 shows."""

from functools import lru_cache

import numpy as np

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.lessons.lesson_12.best_head import REACH, WISHES, exact_head_2d, wished
from posenc_lib.views import style
from posenc_lib.views.style import number
from posenc_lib.views.view import view

WISH = Parameter(
    "wish", "which patches the head should look at, evenly", "diagonal", options=WISHES
)


INNER = 0.22  # radius of the slowest pair's circle, if the fastest's is 1


ALONG = 0.5  # degrees from an axis within which an arrow counts as along it


PLANE = {"needs": "directions", "ignores": "seq_len columns content", "square": True}


@view("free", "Which way pairs look", x="right", **PLANE, drags="tilt", degrees=270.0)
def directions(pen, encoding):
    """Draw each pair as an arrow in the direction it looks, longer the faster it rotates."""
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
        f"Of {count} pairs, {row} look along the row, {column} along the column, and {between} in "
        "between."
    )


@view("cells", "What the best head does", **PLANE)
def window_head(pen, encoding, wish=WISH):
    """Color where the best head for a wish looks; the wish is outlined, the query framed.

    The darkest color is that of attention spread evenly over the wish.
    """
    meant = wished(wish)
    attention = _attention(np.ascontiguousarray(encoding.directions, np.float64).tobytes(), wish)
    pen.cells(100 * attention, (0.0, 100 / meant.sum()), xticks=(), yticks=())
    pen.unit("% of attention")
    framed = np.pad(meant, 1)  # edges between cells of the wish and others
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
    pen.title(f"{100 * mass:.0f}% on the wish, {100 * chance:.0f}% by chance")
    told = f"puts {number(mass)} of its attention there, and {number(chance)} is chance"
    return f"The best head for the wish ({wish}) {told}."


@lru_cache(256)
def _attention(directions: bytes, wish: str) -> np.ndarray:
    """Return the attention of the best head for a wish, in the shape of the window."""
    return exact_head_2d(np.frombuffer(directions).reshape(2, -1), wished(wish)).attention
