"""What a rotation does: to a query and a key, to unit vectors, to every position alike, as a matrix."""

import math

import numpy as np

from posenc_lib.views import style
from posenc_lib.views.style import number
from posenc_lib.views.view import OFFSET, PAIR, QUERY, view

WRITTEN = 8  # dims up to which each cell's number is written
NARROW = np.radians(12)  # an angle that has no room for its degrees
BEGINS = 3  # positions from which the step is drawn
PLANE = {"x": "first dim", "y": "second dim of the pair"}


def between(one: np.ndarray, other: np.ndarray) -> float:
    """Return the angle from one vector of the plane to another, counter-clockwise, within ±π."""
    return float(np.arctan2(one[0] * other[1] - one[1] * other[0], one @ other))


def arrows(pen, before, after, names, colors) -> None:
    """Draw two arrows before, dotted, and after a turn, each on its circle, with its name at its tip."""
    for start, end, color in zip(before, after, colors, strict=True):
        pen.circle(radius=float(np.linalg.norm(start)))
        pen.strokes([[(0, 0), start]], color=color, lw=1.4, linestyle=":")
        pen.arrow((0, 0), end, color)
    away = 1 if between(*after) > 0 else -1  # each name on the side where the other arrow is not
    for k, (end, name, color) in enumerate(zip(after, names, colors, strict=True)):
        out = end / max(np.linalg.norm(end), 1e-9)
        aside = np.array([-out[1], out[0]]) * (2 * k - 1) * away
        side = "center" if abs(aside[0]) < 0.35 else "left" if aside[0] > 0 else "right"
        pen.label(name, end, tuple((4 * out + (9, 12) * aside).round(1)), color=color, ha=side)


@view("plane", "Query and key", **PLANE, needs="rotate query_and_key", ignores="seq_len")
def vectors(pen, encoding, query=QUERY, offset=OFFSET, pair=PAIR):
    """Draw a query and a key before and after the turn, and the angle between them."""
    m, n, pairs, dims = query, query + offset, len(encoding.frequencies), encoding.pair_dims(pair)
    queries, keys = encoding.queries_and_keys(np.array([m, n]))
    (q, k), before = (queries[0], keys[1]), encoding.query_and_key()
    after = np.stack([q[dims], k[dims]])
    longest = float(np.linalg.norm(before[:, np.stack(encoding.pair_dims(np.arange(pairs)))], axis=1).max())
    end, angle, degrees = 1.4 * style.tight_bound(longest), between(*after), abs(math.degrees(between(*after)))
    pen.axes((-end, end), (-end, end))
    (m, n), part, whole = (f"{at}".replace("-", "−") for at in (m, n)), number(after[0] @ after[1]), number(q @ k)
    words = f"{degrees:.0f}°" if abs(angle) > NARROW else ""
    pen.wedge((0, 0), 0.42 * np.linalg.norm(after, axis=1).min(), math.atan2(after[0][1], after[0][0]), angle, words)
    arrows(pen, before[:, dims], after, (f"query at {m}", f"key at {n}"), (style.QUERY, style.KEY))
    for name, tip in zip(("query", "offset"), after, strict=True):
        pen.hand(name, (0, 0), tip, float(encoding.frequencies[pair]))
    pen.title(f"At {degrees:.0f}°, q · k = {part}" if pairs == 1 else f"Pair {pair} of {pairs} adds {part}")
    text = f"Pair {pair}: the query turned at position {m}, the key at {n}, {number(degrees)} degrees apart"
    rest = f" in this pair, {whole} in all {pairs} pairs together" if pairs > 1 else ""
    return f"{text}; their dot product is {part}{rest}."


@view("plane", "Unit vectors", **PLANE, needs="rotate", ignores="content pairing seq_len")
def basis(pen, encoding, query=QUERY, pair=PAIR):
    """Draw the unit vectors of a pair before and after a turn."""
    dims, angle, units = encoding.pair_dims(pair), query * float(encoding.frequencies[pair]), np.eye(2)
    ends, left = encoding.shift(query)[np.ix_(dims, dims)].T, math.fmod(angle, 2 * math.pi)
    pen.axes((-1.5, 1.5), (-1.5, 1.5))
    words = f"{math.degrees(left):.0f}°".replace("-", "−") if abs(left) > NARROW else ""
    pen.wedge((0, 0), 0.36, 0.0, left, words)
    pen.strokes([[(0, 0), unit] for unit in units], color=style.RULE, lw=1.4, linestyle=":")
    pen.circle()
    for unit, end, color in zip(units, ends, (style.INK, style.KEY), strict=True):
        pen.arrow((0, 0), end, color)
        place = f"({end[0]:.2f}, {end[1]:.2f})".replace("-", "−")
        pen.label(
            place,
            end,
            tuple(13 * end),
            color=color,
            ha="left" if end[0] > 0.3 else "right" if end[0] < -0.3 else "center",
        )
        if np.linalg.norm(ends - unit, axis=1).min() > 0.5:  # where no arrow is
            pen.text(f"({unit[0]:.0f}, {unit[1]:.0f})", 1.2 * unit, color=style.SOFT, fontsize=style.NUMBERS)
    turned = f"by {math.degrees(angle):.0f}°" if angle < 2 * math.pi else style.times_round(angle / (2 * math.pi))
    pen.title(f"Pair {pair} has turned {turned}")
    first, second = (", ".join(map(number, end)) for end in ends)
    text = f"Pair {pair} at position {query}, turned by an angle of {number(angle)}"
    return f"{text}: (1, 0) goes to ({first}), (0, 1) to ({second})."


@view("free", "One step", needs="shift query_and_key", ignores="layout", square=True)
def shifted(pen, encoding, offset=OFFSET, pair=PAIR):
    """Draw one step from three positions, each as a clock of its own; a step may lead out of the sequence."""
    points = encoding.table[:, encoding.pair_dims(pair)]
    angle = encoding.turn * offset * float(encoding.frequencies[pair])
    size, step = float(np.linalg.norm(points, axis=1).max()), number(offset)
    begins = np.unique(np.linspace(0, len(points) - 1, BEGINS).round().astype(int)).tolist()
    middles = size * np.array([(0, 1.6), (-1.6, -1.15), (1.6, -1.15)][: len(begins)])
    pen.axes((-2.9 * size, 2.9 * size), (-2.9 * size, 2.9 * size), xticks=(), yticks=())
    colors = style.position_colors(len(points))
    for begin, middle in zip(begins, middles, strict=True):
        start = math.atan2(points[begin, 1], points[begin, 0])
        tip = size * np.array([math.cos(start + angle), math.sin(start + angle)])
        pen.circle(middle, size)
        pen.dots(points + middle, color=colors, size=3.5, lw=0)
        pen.wedge(middle, 0.6 * size, start, math.fmod(angle, 2 * math.pi))
        pen.strokes([[middle, middle + points[begin]]], color=style.INK, lw=1.4, linestyle=":")
        pen.arrow(middle, middle + tip, style.INK)
        pen.text(f"{begin} → {number(begin + offset)}", middle - (0, 1.28 * size), fontweight="bold")
    degrees = number(math.copysign(math.degrees(angle), offset))
    pen.title(f"{style.plural(abs(offset), 'step')} {'back' if offset < 0 else 'on'}: pair {pair} turns by {degrees}°")
    return f"Pair {pair}: a step of {step} turns each of {len(points)} positions by {degrees} degrees."


@view(
    "cells",
    "One matrix for every position",
    x="dim before",
    y="dim after",
    square=True,
    needs="shift",
    ignores="content seq_len",
    pointer=("dim", None),
    weight=1.25,
)
def shift_matrix(pen, encoding, offset=OFFSET):
    """Colour the matrix that moves the row of any position on by an offset."""
    matrix, step = encoding.shift(offset), number(offset)
    pen.cells(matrix, (-1, 1))
    cells = list(map(tuple, np.argwhere(matrix))) if len(matrix) <= WRITTEN else []
    pen.fill(cells, [f"{matrix[cell]:.2g}".replace("-", "−") for cell in cells])
    filled = f"{np.count_nonzero(matrix)} of its {matrix.size} numbers are not 0"
    first, last = number(matrix[0, 0]), number(matrix[-1, -1])
    return f"Matrix of a step of {step}: {filled}; the first is {first}, the last {last}."
