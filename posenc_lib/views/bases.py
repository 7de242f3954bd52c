"""What the base decides: how far dot products reach."""

import numpy as np

from posenc_lib.views import style
from posenc_lib.views.axes import width
from posenc_lib.views.style import WORDS
from posenc_lib.views.view import view

FINE, RIBBON = 600, 150  # numbers of a curve that can be told apart; parts of one that has more
BASES = (100.0, 10_000.0, 1_000_000.0)  # drawn beside the base in use
LINE = 14  # px from one name to the next
ABOUT = {"x": "how many positions apart", "pointer": ("offset", None), "ignores": "content layout pairing"}


@view("curves", "Reach of dot products", needs="shift base query_and_key", **ABOUT)
def kernel_by_base(pen, encoding):
    """Draw the dot product of two positions against how far apart they are, for four bases; with itself it is 1.

    Of a curve too long for the page a line shows the mean, and a band how far that of the base in use swings.
    """
    base, last = encoding.base, max(len(encoding.table) - 1, 1)
    curves = {b: encoding.at(base=b).kernel for b in sorted({*BASES, base})}
    names = {b: f"base {style.plain(b)}" for b in curves}
    room = 10 + max(width(name, WORDS, "bold") for name in names.values())
    low, ticks = np.floor(8 * min(map(np.min, curves.values()))) / 8 - 0.05, max(int(style.nice_bound(last / 5)), 1)
    pen.axes((-0.01 * last, last * (1 + room / (pen.size[0] - room))), (low, 1.05), xticks=range(0, last + 1, ticks))
    pen.unit("↑ dot product ÷ its largest")
    at, lowest, _, highest = _ribbon(curves[base])
    pen.band(at, lowest, highest)
    for b in sorted(curves, key=lambda b: b == base):  # the one in use last
        look = {"lw": 2.2} if b == base else {"color": style.OTHER, "lw": 1}
        pen.curve(at, _ribbon(curves[b])[2], **look)
    _name_ends(pen, last, {names[b]: (curve[-1], b == base) for b, curve in curves.items()})
    below = {b: np.flatnonzero(curve < 0)[:1].tolist() for b, curve in curves.items()}
    for first in below[base]:
        pen.mark([(first, curves[base][first])], size=9)
        pen.at("x", first)
        pen.title(f"Base {style.plain(base)} falls below zero at {first:,}")
    if not below[base]:
        pen.title(f"Base {style.plain(base)} stays above zero up to {last:,}")
    told = ", ".join(f"{first[0] if first else 'none'} at {names[b]}" for b, first in below.items())
    return f"Dot products fall below zero first at this distance: {told} (tried up to {last})."


def _name_ends(pen, x: float, ends: dict) -> None:
    """Name curves right of their ends, (y, whether it stands out) by name, each a line above the one before."""
    low, high = (float(pen.px((0, end))[1]) for end in pen.limits["ylim"])
    names = sorted(ends, key=lambda name: ends[name][0])
    least = low + 7
    for k, name in enumerate(names):
        y, bold = ends[name]
        asked = float(pen.px((0, y))[1])
        place = min(max(asked, least), high - 7 - LINE * (len(names) - 1 - k))
        least = place + LINE
        look = {"color": style.KEY, "fontweight": "bold"} if bold else {"color": style.OTHER}
        pen.text(name, (x, y), (6, round(place - asked, 2)), ha="left", halo=True, **look)


def _ribbon(curve: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return where, lowest, mean and highest of each part of a curve; of one that a page can show, of each number."""
    wide = 1 if len(curve) <= FINE else -(-len(curve) // RIBBON)
    rows = np.pad(curve, (0, -len(curve) % wide), mode="edge").reshape(-1, wide)
    at, middle = np.minimum(np.arange(len(rows)) * wide + (wide - 1) / 2, len(curve) - 1), rows.mean(axis=1)
    at[0], middle[0] = 0, curve[0]  # every curve begins where it begins
    return at, rows.min(axis=1), middle, rows.max(axis=1)
