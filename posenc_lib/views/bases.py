"""What the base decides: how long the waves are, and how far dot products reach."""

import numpy as np

from posenc_lib.views import style
from posenc_lib.views.axes import width
from posenc_lib.views.style import WORDS, number
from posenc_lib.views.view import view

FINE, RIBBON = 600, 150  # numbers of a curve that can be told apart; parts of one that has more
BASES = (100.0, 10_000.0, 1_000_000.0)  # drawn beside the base in use
LINE = 14  # px from one name to the next
IGNORES = {"ignores": "content layout pairing"}


def by_base(encoding, of_base) -> dict:
    """Return the curve of each base, from the lowest to the highest: three, and that of the base in use."""
    return {base: of_base(encoding.at(base=base)) for base in sorted({*BASES, encoding.base})}


def draw_bases(pen, curves: dict, base: float) -> None:
    """Draw a line for each base, that of the base in use thick and last, and name them at their right ends.

    Of a curve too long for the page the lines show running means.
    """
    for b in sorted(curves, key=lambda b: b == base):
        at, _, middle, _ = ribbon(curves[b])
        look = {"lw": 2.2} if b == base else {"color": style.OTHER, "lw": 1}
        pen.curve(at, middle, each=len(at) == 1, **look)
    colors = {b: style.KEY if b == base else style.OTHER for b in curves}
    name_ends(pen, len(curves[base]) - 1, [(name_of(b), curve[-1], colors[b]) for b, curve in curves.items()])


def name_of(base: float) -> str:
    """Return how a base is called beside its curve."""
    return f"base {style.plain(base)}"


def with_names(pen, low: float, high: float, names) -> tuple[float, float]:
    """Return the ends of x from low to high, and room beyond for names at the curves' right ends."""
    room = 10 + max(width(name, WORDS, "bold") for name in names)
    return low, high + (high - low) * room / max(pen.size[0] - room, room)


def ticks_to(last: float) -> range:
    """Return whole numbers from 0 to last, a handful, for an axis that has room beyond for names."""
    step = next(n * 10**k for k in range(9) for n in (1, 2, 5) if last <= 5 * n * 10**k)
    return range(0, int(last) + 1, step)


def name_ends(pen, x: float, names: list[tuple]) -> None:
    """Name curves right of their ends at x, (words, y, colour), each at least a line of words from the next."""
    names = sorted(names, key=lambda one: one[1])
    low, high = (float(pen.px((0, end))[1]) for end in pen.limits["ylim"])
    places = [float(pen.px((0, y))[1]) for _, y, _ in names]
    for (words, y, color), place, asked in zip(names, spread(places, low + 7, high - 7), places, strict=True):
        look = {"color": color, "fontweight": "bold" if color == style.KEY else "normal"}
        pen.text(words, (x, y), (6, round(place - asked, 2)), ha="left", halo=True, **look)


def spread(places: list[float], low: float, high: float) -> list[float]:
    """Return rising places moved apart, so that lines of words do not meet, between two ends."""
    at = np.maximum(places, low) - LINE * np.arange(len(places))
    at = np.maximum.accumulate(at) + LINE * np.arange(len(places))
    back = LINE * np.arange(len(places))[::-1]
    return np.minimum(at, high - back).tolist()


def ribbon(curve: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return where, lowest, mean and highest of each part of a curve; of one that a page can show, of each number."""
    wide = 1 if len(curve) <= FINE else -(-len(curve) // RIBBON)
    rows = np.concatenate([curve, np.full(-len(curve) % wide, curve[-1])]).reshape(-1, wide)
    at, middle = np.minimum(np.arange(len(rows)) * wide + (wide - 1) / 2, len(curve) - 1), rows.mean(axis=1)
    at[0], middle[0] = 0, curve[0]  # every curve begins where it begins
    return at, rows.min(axis=1), middle, rows.max(axis=1)


def _each(say, curves: dict) -> str:
    """Return what `say` tells of each curve, from the lowest base to the highest."""
    return ", ".join(f"{say(curve)} at base {style.plain(base)}" for base, curve in curves.items())


@view(
    "curves",
    "Positions per turn",
    x="pair, fast to slow",
    pointer=("pair", None),
    needs="shift base",
    log="y",
    numbers=76,
    **IGNORES,
)
def wavelengths_by_base(pen, encoding):
    """Draw how long each pair's wave is, in positions, at four bases, beside the length of the sequence."""
    base, seq_len = encoding.base, len(encoding.table)
    curves = by_base(encoding, lambda one: 2 * np.pi / one.frequencies)
    last = max(len(curves[base]) - 1, 0.5)
    top = 10.0 ** np.ceil(np.log10(max(seq_len, *map(np.max, curves.values()))) + 0.05)
    pen.axes(with_names(pen, -0.02 * last, last, map(name_of, curves)), (1, top), xticks=ticks_to(last))
    pen.unit("↑ positions a turn;", ("line: the length of the text", style.INK))
    pen.strokes_of([0, 1], [seq_len, seq_len], style.INK, 1.2, within="y")
    pen.at("y", seq_len)
    draw_bases(pen, curves, base)
    pen.title(f"Base {style.plain(base)}: up to {number(curves[base].max())} positions a turn")
    return f"Longest wave, in positions: {_each(lambda one: number(one.max()), curves)}; the text has {seq_len}."


@view(
    "curves",
    "Reach of dot products",
    x="how many positions apart",
    pointer=("offset", None),
    needs="shift base query_and_key",
    **IGNORES,
)
def kernel_by_base(pen, encoding):
    """Draw the dot product of two positions against how far apart they are; 1 is a position with itself.

    Of a curve too long for the page a band shows how far it swings.
    """
    base, seq_len = encoding.base, len(encoding.table)
    curves = by_base(encoding, lambda one: one.kernel)
    low, last = np.floor(8 * min(map(np.min, curves.values()))) / 8 - 0.05, max(seq_len - 1, 1)
    pen.axes(with_names(pen, -0.01 * last, last, map(name_of, curves)), (low, 1.05), xticks=ticks_to(last))
    pen.unit("↑ dot product ÷ its largest")
    at, lowest, _, highest = ribbon(curves[base])
    pen.band(at, lowest, highest)
    draw_bases(pen, curves, base)
    first, begin = _first_below(curves[base]), f"Base {style.plain(base)}"
    if first == "none":
        pen.title(f"{begin} stays above zero up to {seq_len - 1:,}")
    else:
        pen.dots([(int(first), curves[base][int(first)])], color=style.INK, size=9, lw=1.2)
        pen.at("x", int(first))
        pen.title(f"{begin} falls below zero at {int(first):,}")
    below = _each(_first_below, curves)
    return f"Dot products fall below zero first at this distance: {below} (tried up to {seq_len - 1})."


def _first_below(curve: np.ndarray) -> str:
    below = np.flatnonzero(curve < 0)
    return str(below[0]) if len(below) else "none"
