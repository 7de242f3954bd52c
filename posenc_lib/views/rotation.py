"""What a rotation does: to a query and a key, to unit vectors, to every position alike, as a matrix."""

import math

import numpy as np

from posenc_lib.views import style
from posenc_lib.views.style import number
from posenc_lib.views.view import OFFSET, PAIR, QUERY, view

MATRIX = {"x": "dim before", "y": "dim after", "square": True}
PLANE = {"x": "first dim", "y": "second dim of the pair"}


def wedge(pen, center, radius, start: float, turn: float, *, named=True) -> None:
    """Fill the angle from `start` on by `turn`, in radians, and write its degrees outside."""
    angles = start + np.linspace(0, turn, max(int(abs(turn) * 24), 2))
    arc = np.stack([np.cos(angles), np.sin(angles)], axis=1) * radius + center
    pen.shapes([np.concatenate([arc, [center]])], color=style.PAIR, alpha=0.22)
    pen.strokes([arc], color=style.PAIR, lw=1.4)
    if named and abs(turn) > math.radians(12):  # else there is no room
        out = np.array([math.cos(start + turn / 2), math.sin(start + turn / 2)])
        degrees = f"{abs(math.degrees(turn)):.0f}°"
        pen.label(degrees, out * radius + center, tuple(out * (18, 13)), color=style.PAIR)


@view("plane", "Query and key", **PLANE, needs="rotate query_and_key", ignores="seq_len")
def vectors(pen, encoding, query=QUERY, offset=OFFSET, pair=PAIR):
    """Draw a query and a key before and after the turn, and the angle between them."""
    pairs, dims, before = (
        len(encoding.frequencies),
        encoding.pair_dims(pair),
        encoding.query_and_key(),
    )
    queries, keys = encoding.queries_and_keys(np.array([query, query + offset]))
    after = np.stack([queries[0][dims], keys[1][dims]])
    longest = float(
        np.linalg.norm(before[:, np.stack(encoding.pair_dims(np.arange(pairs)))], axis=1).max()
    )
    start, last = np.arctan2(after[:, 1], after[:, 0]).tolist()
    angle, end = math.remainder(last - start, 2 * math.pi), 1.4 * style.tight_bound(longest)
    pen.axes((-end, end), (-end, end))
    wedge(pen, (0, 0), 0.42 * np.linalg.norm(after, axis=1).min(), start, angle)
    names = (f"query at {query}", f"key at {query + offset}".replace("-", "−"))
    for k, color in enumerate((style.QUERY, style.KEY)):
        pen.circle(radius=float(np.linalg.norm(before[k, dims])))
        pen.strokes([[(0, 0), before[k, dims]]], color=color, lw=1.4, linestyle=":")
        pen.arrow((0, 0), after[k], color)
        out = after[k] / max(np.linalg.norm(after[k]), 1e-9)
        aside = (
            np.array([-out[1], out[0]]) * (2 * k - 1) * (1 if angle > 0 else -1)
        )  # where the other arrow is not
        side = "center" if abs(aside[0]) < 0.35 else "left" if aside[0] > 0 else "right"
        pen.label(
            names[k], after[k], tuple((4 * out + (9, 12) * aside).round(1)), color=color, ha=side
        )
        pen.hands.append(
            (("query", "offset")[k], (0, 0), after[k], float(encoding.frequencies[pair]))
        )
    degrees, part = f"{abs(math.degrees(angle)):.0f}°", number(after[0] @ after[1])
    pen.title(
        f"At {degrees}, q · k = {part}" if pairs == 1 else f"Pair {pair} of {pairs} adds {part}"
    )
    return f"Pair {pair}: {names[0]} and {names[1]} are {degrees} apart; their dot product is {part} in this pair."


@view(
    "plane",
    "The query's hand",
    x="sine",
    y="cosine of the pair",
    needs="rows shift",
    ignores="layout",
)
def turned_query(pen, encoding, query=QUERY, offset=OFFSET, pair=PAIR):
    """Draw a pair of the query's row before and after a W_q that moves it by an offset; a drag turns the hand."""
    points = encoding.table[:, encoding.pair_dims(pair)]
    turn = encoding.turning_sense * float(encoding.frequencies[pair])
    row, angle = points[query], turn * offset
    start, asks = math.atan2(row[1], row[0]), query + offset
    tip = np.array([math.cos(start + angle), math.sin(start + angle)])
    pen.axes((-1.5, 1.5), (-1.5, 1.5))
    pen.circle()
    pen.dots(points, color=style.position_colors(len(points)), size=6, taken=True)
    wedge(pen, (0, 0), 0.5, start, math.fmod(angle, 2 * math.pi), named=False)
    pen.strokes([[(0, 0), row]], color=style.QUERY, lw=1.4, linestyle=":")
    pen.arrow((0, 0), tip, style.QUERY)
    moved = 0 <= asks < len(points) and offset
    if not moved or np.hypot(*(pen.px(tip) - pen.px(row))) > 44:  # px between two names
        pen.label(f"row {query}", row, tuple(15 * row), color=style.QUERY, fontweight="normal")
    if moved:
        pen.ring(points[[asks]], style.INK)
        pen.label(f"row {asks}", tip, tuple(18 * tip))
    pen.hands.append(("offset", (0, 0), tip, turn))
    degrees = number(math.copysign(math.degrees(angle), offset))
    pen.title(f"W_q turns pair {pair} by {degrees}°")
    return f"Pair {pair} of the query at {query}: W_q turns it by {degrees} degrees, to where row {asks} is."


@view("free", "One step", needs="shift query_and_key", ignores="layout", square=True)
def shifted(pen, encoding, offset=OFFSET, pair=PAIR):
    """Draw one step from three positions, each as a clock of its own; a step may lead out of the sequence."""
    points = encoding.table[:, encoding.pair_dims(pair)]
    angle = encoding.turning_sense * offset * float(encoding.frequencies[pair])
    size = float(np.linalg.norm(points, axis=1).max())
    begins = np.unique(np.linspace(0, len(points) - 1, 3).round().astype(int)).tolist()
    middles = size * np.array([(0, 1.6), (-1.6, -1.15), (1.6, -1.15)][: len(begins)])
    pen.axes((-2.9 * size, 2.9 * size), (-2.9 * size, 2.9 * size), xticks=(), yticks=())
    colors = style.position_colors(len(points))
    for begin, middle in zip(begins, middles, strict=True):
        start = math.atan2(points[begin, 1], points[begin, 0])
        tip = size * np.array([math.cos(start + angle), math.sin(start + angle)])
        pen.circle(middle, size)
        pen.dots(points + middle, color=colors, size=3.5, lw=0)
        wedge(pen, middle, 0.6 * size, start, math.fmod(angle, 2 * math.pi), named=False)
        pen.strokes([[middle, middle + points[begin]]], color=style.INK, lw=1.4, linestyle=":")
        pen.arrow(middle, middle + tip, style.INK)
        pen.text(
            f"{begin} → {number(begin + offset)}", middle - (0, 1.28 * size), fontweight="bold"
        )
    degrees = number(math.copysign(math.degrees(angle), offset))
    pen.title(f"{style.plural(abs(offset), 'step')} {'back' if offset < 0 else 'on'}: {degrees}°")
    return f"Pair {pair}: a step of {number(offset)} turns each of {len(points)} positions by {degrees} degrees."


@view("cells", "One matrix for all", **MATRIX, needs="shift", ignores="content seq_len")
def shift_matrix(pen, encoding, offset=OFFSET):
    """Colour the matrix that moves the row of any position on by an offset."""
    matrix = encoding.shift(offset)
    pen.cells(matrix, (-1, 1))
    if len(matrix) <= 8:  # dims up to which each cell's number is written
        pen.fill("{:.2g}", blank=0)
    filled = f"{np.count_nonzero(matrix)} of its {matrix.size} numbers are not 0"
    return f"Matrix of a step of {number(offset)}: {filled}; the first is {number(matrix[0, 0])}."
