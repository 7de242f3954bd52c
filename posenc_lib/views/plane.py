"""What stands in a plane: cosines around a patch, the directions of pairs, and how the best head spreads attention."""

from functools import lru_cache

import numpy as np

from posenc_lib.encodings.exact_head import REACH, WISHES, exact_head_2d
from posenc_lib.encodings.exact_head import wished as patches_of
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.style import number
from posenc_lib.views.view import view

ROW = Parameter("row", "the row of the patch that asks", 6, 0, 63)
COLUMN = Parameter("column", "the column of the patch that asks", 6, 0, 63)
DISTANCE = Parameter("distance", "how far away the marked patches are, rounded; 0 marks none", 0, 0, 10, most=90)
WISH = Parameter("wish", "which patches the head should look at, all alike", "diagonal", options=WISHES)
INNER = 0.22  # the radius of the circle of the slowest, where that of the fastest is 1
ALONG = 0.5  # degrees from an axis within which an arrow counts as along it
EVEN = 1e-9  # by how much the weights of a head that looks everywhere may differ, as a part
PLANE = {"needs": "directions", "ignores": "seq_len columns content"}


@view(
    "cells",
    "Cosine with one patch",
    x="column",
    y="row",
    needs="grid queries_keys",
    pointer=("column", "row"),
    square=True,
)
def patches(pen, encoding, row=ROW, column=COLUMN, distance=DISTANCE):
    """Colour each patch of a picture by its cosine with the patch that asks, which is framed."""
    (rows, columns), last = encoding.grid, encoding.seq_len - 1
    at = min(row * columns + column, last)
    cosines = np.append(_cosines(encoding, at), np.full(rows * columns - last - 1, np.nan)).reshape(rows, columns)
    corners = (_cosines(encoding, corner).min() for corner in (0, columns - 1))  # between them all offsets occur
    low, side = float(min(np.nanmin(cosines), *corners)), max(rows, columns) - 0.5
    # The scale is the same for every picture: colours can be compared.
    pen.cells(cosines, (-1.0 if low < -1e-9 else 0.0, 1.0), xlim=(-0.5, side), ylim=(side, -0.5))
    (row, column), (down, right) = divmod(at, columns), np.indices(cosines.shape)
    ring = (np.rint(np.hypot(down - row, right - column)) == distance) & np.isfinite(cosines) & (distance > 0)
    pen.mark(np.argwhere(ring)[:, ::-1], size=6, lw=0.8)
    pen.frame(column - 0.5, row - 0.5, 1, 1)
    pen.at("x", column, color=style.QUERY)
    pen.at("y", row, color=style.QUERY)
    sides = (("to the right", row, column + 1), ("below", row + 1, column))
    told = [f"{number(cosines[y, x])} {side}" for side, y, x in sides if y < rows and x < columns]
    told = [words for words in told if "nan" not in words]
    wrap = _wrap(encoding, at)
    told += [f"{number(wrap)} from a row's end to the next row's start"] if wrap is not None else []
    spread = _on_ring(cosines[ring], distance)
    pen.title(f"{distance} away: cosine {spread}" if ring.any() else "Cosine with one patch")
    text = f"Cosine of the patch in row {row}, column {column}{': ' * bool(told)}{', '.join(told)}"
    none = f"; no patch at distance {distance}" if distance else ""
    return f"{text}; at distance {distance} {spread}." if ring.any() else f"{text}{none}."


def _cosines(encoding, query: int) -> np.ndarray:
    """Return the cosine of one position's query with every key, shape (seq_len,)."""
    queries, keys = (np.asarray(rows, np.float64) for rows in encoding.queries_keys)
    lengths = np.linalg.norm(keys, axis=1) * np.linalg.norm(queries[query])
    return np.divide(keys @ queries[query], lengths, out=np.zeros(len(keys)), where=lengths > 0)


def _wrap(encoding, at: int) -> float | None:
    """Return the cosine of the last patch of a row, that of a patch where one follows, with the next row's first."""
    columns, last = encoding.grid[1], encoding.seq_len - 1
    end = min(at // columns, max(last // columns - 1, 0)) * columns + columns - 1
    return float(_cosines(encoding, end)[end + 1]) if columns > 1 and end < last else None


def _on_ring(cosines: np.ndarray, distance: int) -> str:
    """Say how far cosines at one distance lie apart."""
    if not cosines.size:
        return ""
    low, high = number(cosines.min()), number(cosines.max())
    return f"from {low} to {high}" if low != high else f"all {low}"


@view("free", "Which way pairs look", x="right", **PLANE, square=True, weight=1.0, turns="tilt", turn=270.0)
def directions(pen, encoding):
    """Draw each pair as an arrow the way it looks in the plane, the longer the faster it turns.

    Lengths are logarithms. Two circles, with numbers, show in how many patches a pair that ends there turns once.
    """
    ways = np.asarray(encoding.directions, np.float64)
    fast = np.hypot(*ways)
    moving = fast > 0
    decades = np.log10(fast[moving])
    top = max(np.ceil(decades.max(initial=0) - 1e-9), 0.0)
    low = min(np.floor(decades.min(initial=0)), top - 1)
    reach = INNER + (1 - INNER) * (decades - low) / (top - low)
    unit = ways[::-1, moving] / fast[moving]
    ends = (reach * unit).T
    pen.axes((-1.1, 1.1), (1.1, -1.1), xticks=(), yticks=())
    pen.unit("↓ down; circles: patches that one turn takes")
    for radius in (1, INNER):
        pen.circle(radius=radius)
    back, aside = ((reach - 0.09) * unit).T, 0.035 * np.stack([-unit[1], unit[0]], axis=1)
    pen.strokes([[(0, 0), end] for end in (back + ends) / 2], lw=1.4)
    pen.shapes(np.stack([ends, back + aside, back - aside], axis=1), edge=style.PAPER, lw=0.4)
    for radius, decade in ((1, top), (INNER, low)):
        way = np.radians(-62)
        place = radius * np.array([np.cos(way), np.sin(way)])
        out = (14 * np.cos(way), -10 * np.sin(way))
        pen.text(number(2 * np.pi / 10**decade), place, out, halo=True, color=style.SOFT, fontsize=style.NUMBERS)
    row, column = _along(ways[:, moving])
    count, between = len(moving), int(moving.sum()) - row - column
    even = f"{row} along rows, {column} along columns"
    pen.title(f"{between} of {style.plural(count, 'pair')} look{'s' * (between == 1)} in between" if between else even)
    told = f"Of {count} pairs {row} look along the row, {column} along the column, {between} in between"
    told += f", {count - len(decades)} nowhere" if len(decades) < count else ""
    turns = [number(2 * np.pi / end) for end in (fast[moving].max(), fast[moving].min())] if len(decades) else []
    return f"{told}; one turn takes {' to '.join(dict.fromkeys(turns))} patches." if turns else f"{told}."


def _along(moving: np.ndarray) -> tuple[int, int]:
    """Return how many pairs look along the row, and how many along the column."""
    angle = np.degrees(np.arctan2(*np.abs(moving)))
    return int((angle < ALONG).sum()), int((angle > 90 - ALONG).sum())


WINDOW = PLANE | {"square": True, "shares": (), "pointer": ("right", "down")}


def window(pen, attention: np.ndarray, wish: np.ndarray) -> None:
    """Colour attention on the patches around the one in the middle, which asks; outline those wished for.

    The darkest colour is that of attention which lies evenly on the wish.
    """
    most, cmap, ends = 1 / int(wish.sum()), style.sequential(), (-REACH - 0.5, REACH + 0.5)
    pen.axes(ends, ends[::-1], clim=(0.0, 100 * most), cmap=cmap, xticks=(), yticks=())
    pen.unit("% of attention")
    y, x = np.indices(attention.shape).reshape(2, -1) - REACH - 0.5
    corners = np.stack([(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)]).transpose(2, 0, 1)
    colors = cmap(np.minimum(attention.ravel() / most, 1))
    pen.shapes(corners, color=colors, edge=colors, lw=0.4)
    for color, lw in ((style.PAPER, 3.4), (style.INK, 1.4)):
        pen.strokes(outline(wish, -REACH, -REACH), color=color, lw=lw, capstyle="projecting")
    pen.frame(-0.5, -0.5, 1, 1)
    pen.says = lambda x, y: number(float(attention[round(y) + REACH, round(x) + REACH]))


def outline(cells: np.ndarray, left: float = 0, top: float = 0) -> np.ndarray:
    """Return the edges between cells that are meant and others, shape (edges, 2, 2); cell (0, 0) lies at left, top."""
    framed = np.pad(cells, 1)
    y, x = np.nonzero(framed[1:] != framed[:-1])
    above = np.stack([np.stack([x - 1.5, y - 0.5], axis=-1), np.stack([x - 0.5, y - 0.5], axis=-1)], axis=1)
    y, x = np.nonzero(framed[:, 1:] != framed[:, :-1])
    beside = np.stack([np.stack([x - 0.5, y - 1.5], axis=-1), np.stack([x - 0.5, y - 0.5], axis=-1)], axis=1)
    return np.concatenate([above, beside]) + np.array([left, top])


@view("cells", "The wish", **WINDOW, matters=lambda encoding: [])  # whatever the encoding
def wished(pen, encoding, wish=WISH):
    """Colour the patches that a head is wished to look at, all alike."""
    meant = patches_of(wish)
    count, size = int(meant.sum()), meant.size
    window(pen, meant / count, meant)
    pen.title(f"The wish: {count} of {size} patches")
    return f"The wish: {wish}, {number(1 / count)} on each of {count} of {size} patches."


@view("cells", "What the best head does", **WINDOW)
def window_head(pen, encoding, wish=WISH):
    """Colour what the best head makes of the wish; below, the share that it puts there, and a mark for chance."""
    directions = np.ascontiguousarray(encoding.directions, np.float64)
    meant, attention = patches_of(wish), _attention(directions.tobytes(), wish)
    mass, chance = float(attention[meant].sum()), float(meant.mean())
    window(pen, attention, meant)
    foot, high = -18 / pen.size[1], 8 / pen.size[1]
    for part, fill in ((1, style.TINT), (mass, style.KEY)):
        pen.box(0, foot, part, high, fill=fill, lw=0, within="axes", clip=False)
    pen.strokes_of([chance] * 2, [foot - 0.4 * high, foot + 1.4 * high], style.INK, 2, within="axes", clip_on=False)
    pen.text("chance", (chance, foot), (5, -10), within="axes", color=style.SOFT, ha="left")
    pen.title(f"{100 * mass:.0f} % on the wish, by chance {100 * chance:.0f} %")
    told = f"The best head for the wish ({wish}) puts {number(mass)} of its attention there, "
    even = np.ptp(attention) < EVEN * attention.max()
    return f"{told}by chance {number(chance)}{': it looks everywhere alike' if even else ''}."


@lru_cache(256)
def _attention(directions: bytes, wish: str) -> np.ndarray:
    """Return the attention of the head that is best for a wish, the shape of the window."""
    attention = exact_head_2d(np.frombuffer(directions).reshape(2, -1), patches_of(wish)).attention
    attention.setflags(write=False)
    return attention
