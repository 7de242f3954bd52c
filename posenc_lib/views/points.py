"""Positions as points in a plane, and what pictures of points share."""

import math

import numpy as np

from posenc_lib.views import style
from posenc_lib.views.style import number
from posenc_lib.views.view import PAIR, view

LABELS = 12  # more numbers than this hide the points
PLANE = {"pointer": ("position", None)}


def plane(encoding, pair) -> list[int]:
    """Return the two dims of a pair; a single dim comes twice."""
    last = encoding.table.shape[1] - 1
    dims = encoding.pair_dims(pair) if encoding.has("pair_dims") else [2 * pair, 2 * pair + 1]
    return [min(dim, last) for dim in dims]


def every(least: float) -> int:
    """Return how many positions from one number to the next: 1, 2, 5, 10, 20, … but no fewer."""
    return int(style.nice_bound(max(least, 1), (1, 2, 5, 10)))


def numbers(pen, points: np.ndarray, places: np.ndarray, query=None) -> None:
    """Number every point, or every 2nd, 5th …; "0, 4" where points touch.

    The query, or else the last point, comes first and stands out.
    """
    step = every(len(points) / LABELS)
    main, color = (len(points) - 1, style.INK) if query is None else (query, style.QUERY)
    rows = sorted({*range(0, len(points), step), main})
    touch, taken, written = 0.02 * np.abs(points).max(initial=0) + 1e-6, [], set()
    for row in sorted(rows, key=lambda row: row != main):
        together = [
            k for k in rows if k not in written and np.linalg.norm(points[row] - points[k]) <= touch
        ]
        words = ", ".join(map(str, together[:3]))
        if len(together) > 3:
            words += ", …"
        (x, y), half = pen.px(places[row]).tolist(), 4.2 * len(words)
        if row in written or any(
            abs(x - x2) <= half + half2 and abs(y - y2) <= 12 for x2, y2, half2 in taken
        ):
            continue
        look = {"color": color, "fontweight": "bold"} if row == main else {"color": style.SOFT}
        pen.text(words, places[row], halo=True, fontsize=style.NUMBERS, **look)
        taken.append((x, y, half))
        written.update(together)


def outward(points: np.ndarray) -> np.ndarray:
    """Return a unit vector for each point, away from the middle or across the line they're on."""
    away = points - points.mean(axis=0)
    if np.linalg.matrix_rank(away, 1e-6 * max(np.abs(away).max(), 1e-9)) < 2:
        return np.tile([-math.sqrt(0.5), math.sqrt(0.5)], (len(points), 1))
    length = np.linalg.norm(away, axis=1, keepdims=True)
    return np.divide(away, length, out=np.tile([0.0, 1.0], (len(points), 1)), where=length > 1e-9)


def scatter(pen, xy: np.ndarray, dims, path: np.ndarray, color) -> tuple[float, float]:
    """Draw points, their path, and perhaps their circle; return its radius, and the margin."""
    lengths = np.linalg.norm(xy, axis=1)
    radius = float(lengths.max()) if np.ptp(lengths) <= 1e-6 * lengths.max() else 0.0
    high = style.nice_bound(np.abs(xy).max(initial=radius))
    low = 0 if xy.any() and xy.min() >= 0 and not radius else -high
    pad = 0.14 * (high - low)
    pen.axes((low - pad, high + pad), (low - pad, high + pad), x=f"dim {dims[0]}")
    pen.unit(f"↑ dim {dims[1]}")
    if radius:
        pen.circle(radius=radius)
    # many lines would hide what they join
    faint = min((LABELS / len(xy)) ** 2, 1) if radius else 0.35
    pen.strokes([path], color=style.RULE, lw=1, alpha=faint if radius or len(xy) > 48 else 1)
    pen.dots(xy, color=color, taken=True)
    return radius, pad


@view("plane", "Positions as points", **PLANE)
def trajectory(pen, encoding, pair=PAIR, query=None):
    """Scatter two dims of a table; if all points are on one circle around 0, draw it as well."""
    dims = plane(encoding, pair)
    xy = encoding.table[:, dims]
    radius, pad = scatter(pen, xy, dims, xy, style.position_colors(len(xy)))
    away = np.full((len(xy), 1), 0.6 * pad)
    if query is None:
        pen.mark(xy[[-1]])
    else:
        pen.ring(xy[[query]])
        away[query] *= 1.5  # off the ring
    numbers(pen, xy, xy + away * (xy / radius if radius else outward(xy)), query)
    steps = np.diff(np.unwrap(np.arctan2(xy[:, 1], xy[:, 0])))
    # else nobody knows how far it went
    even = len(steps) and np.ptp(steps) < 1e-6 and abs(steps[0]) < 0.99 * math.pi
    turns = style.times_round(abs(float(steps.sum())) / (2 * math.pi))
    turns = f"{turns.capitalize()} around the circle"
    pen.title(turns if radius and even else f"{style.plural(len(xy), 'position')} in two dims")
    told = len(xy) - 1 if query is None else query
    gap, place = number(np.linalg.norm(xy[told] - xy[0])), ", ".join(map(number, xy[told]))
    called = "dims {} and {}".format(*dims)
    count = style.plural(len(xy), "position")
    text = f"position {told} is at ({place}), {gap} from position 0"
    return f"In {called}, {text}; {count} in all."


def path(encoding) -> np.ndarray:
    """Return rows from each position to the next: a smooth path, if there are any in between."""
    return encoding.between(min(max(4096 // len(encoding.table), 2), 16))[1]


def gap(table: np.ndarray) -> float:
    """Return the distance between the two closest rows, in usual steps; at most 1."""
    squares = np.einsum("td,td->t", table, table)
    apart = squares[:, None] + squares - 2 * table @ table.T
    apart[np.tri(len(table), dtype=bool)] = np.inf  # each pair once
    usual = float(np.median(np.linalg.norm(np.diff(table, axis=0), axis=1)))
    return math.sqrt(max(apart.min(), 0)) / (usual or 1.0)


def wedge(pen, center, radius, start: float, turn: float, *, named=True) -> None:
    """Fill an angle of `turn` radians from `start`, and write its degrees outside."""
    angles = start + np.linspace(0, turn, max(int(abs(turn) * 24), 2))
    arc = np.stack([np.cos(angles), np.sin(angles)], axis=1) * radius + center
    pen.shapes(
        [np.concatenate([arc, [center]])], color=style.PAIR, alpha=style.WEDGE[style.theme()]
    )
    pen.strokes([arc], color=style.PAIR, lw=1.4)
    if named and abs(turn) > math.radians(12):  # else there's no room
        out = np.array([math.cos(start + turn / 2), math.sin(start + turn / 2)])
        degrees = f"{abs(math.degrees(turn)):.0f}°"
        pen.label(degrees, out * radius + center, tuple(out * (18, 13)), color=style.PAIR)
