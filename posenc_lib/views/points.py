"""Positions as points: on a line, in the plane of two dims, and the two that are closest to each other."""

import math

import numpy as np

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.similarity import closest_pair as closest
from posenc_lib.views import style
from posenc_lib.views.style import number
from posenc_lib.views.view import PAIR, QUERY, view

LABELS = 12  # more numbers than this hide the points
TOUCH = 0.02  # of the farthest point: closer ones share one label
TOGETHER = 30  # px between two rings up to which they have one name
RIMMED = 5.0  # px from one dot to the next that leave room for rims of paper


def dim_of(name: str, default: int | None = None, start: int = 0) -> Parameter:
    """Return the parameter of an axis, such as x_dim."""
    return Parameter(name, f"which dim is drawn along {name[0]}", default, 0, 1023, start=start, fallback=start)


X_DIM, Y_DIM = dim_of("x_dim", start=0), dim_of("y_dim", start=1)
DIM = Parameter("dim", "which dim is drawn", None, 0, 1023, start=0)


def plane(encoding, pair, x_dim=None, y_dim=None) -> list[int]:
    """Return the dims (x, y) of a plane: the two of `pair`, but x_dim or y_dim where somebody asks for it."""
    last = encoding.table.shape[1] - 1
    dims = encoding.pair_dims(pair) if encoding.has("pair_dims") else [2 * pair, 2 * pair + 1]
    return [min(dim, last) if own is None else own for dim, own in zip(dims, (x_dim, y_dim), strict=True)]


def labels(points: np.ndarray, query: int | None = None, *, last: bool = False) -> dict[int, str]:
    """Return the numbers to write, by row: all, or every 2nd, 5th, 10th, … row; "0, 4" where points touch.

    That of the query is among them, and comes first: where there is no room for all, it stays. So may be the last row.
    """
    n, together = len(points), []
    touch = TOUCH * np.abs(points).max(initial=0) + 1e-6
    step = next(s * 10**k for k in range(9) for s in (1, 2, 5) if n <= LABELS * s * 10**k)
    for row in sorted({*range(0, n, step), *([] if query is None else [query]), *([n - 1] if last else [])}):
        near = (rows for rows in together if np.linalg.norm(points[row] - points[rows[0]]) <= touch)
        if rows := next(near, None):
            rows.append(row)
        else:
            together.append([row])
    words = {}
    for rows in sorted(together, key=lambda rows: query not in rows):
        words[query if query in rows else rows[0]] = ", ".join(map(str, rows[:3])) + (", …" if len(rows) > 3 else "")
    return words


def numbers(pen, words: dict[int, str], places: np.ndarray, query=None, *, halo=False) -> None:
    """Write words, by row, each at its place (n, 2), but none that reaches into one before it."""
    taken: list[tuple[float, float, float]] = []
    for (row, word), (x, y) in zip(words.items(), pen.px(places[[*words]]).tolist(), strict=True):
        half = 4.2 * len(word)
        if all(abs(x - x2) > half + half2 or abs(y - y2) > 12 for x2, y2, half2 in taken):
            look = {"color": style.QUERY, "fontweight": "bold"} if row == query else {"color": style.SOFT}
            pen.text(word, places[row], halo=halo, fontsize=style.NUMBERS, **look)
            taken.append((x, y, half))


def outward(points: np.ndarray) -> np.ndarray:
    """Return for each point a unit vector away from the path: from the middle, or across a straight line."""
    away = points - points.mean(axis=0)
    spread, axes = np.linalg.svd(away, full_matrices=False)[1:]
    if spread[-1] <= 1e-9 * spread[0] or len(points) < 2:  # all on one line, or all in one place
        across = axes[-1] if len(points) > 1 else np.array([0.0, 1.0])
        return np.tile(across if across[1] >= 0 else -across, (len(points), 1))
    length = np.linalg.norm(away, axis=1, keepdims=True)
    return np.divide(away, length, out=np.tile([0.0, 1.0], (len(points), 1)), where=length > 1e-9)


def on_circle(points: np.ndarray) -> float:
    """Return how far all points, shape (n, 2), are from the middle; 0 if not all are equally far."""
    lengths = np.linalg.norm(points, axis=1)
    return float(lengths.max(initial=0)) if np.ptp(lengths) <= 1e-6 * lengths.max(initial=0) else 0.0


def reach(points: np.ndarray, radius: float = 0) -> tuple[float, float]:
    """Return the ends that all dims in sight share; a circle is seen whole from the beginning."""
    high = style.nice_bound(np.abs(points).max(initial=radius))
    return (0 if points.any() and points.min() >= 0 and not radius else -high), high


def scatter(pen, xy: np.ndarray, dims, above: float = 1, track=None, **look) -> tuple[float, float]:
    """Ask for axes, and draw the circle, the path and the points; return its radius, if any, and the margin."""
    radius = on_circle(xy)
    low, high = reach(xy, radius)
    pad = 0.14 * (high - low)
    pen.axes((low - pad, high + pad), (low - pad, high + above * pad), x=f"dim {dims[0]}")
    pen.unit(f"↑ dim {dims[1]}")
    if radius:
        pen.circle(radius=radius)
    chords = min((LABELS / len(xy)) ** 2, 1)  # across a circle, many would hide what they join
    faint = chords if radius else 1 if len(xy) <= 48 else 0.35
    pen.strokes([xy if track is None else track], color=style.RULE, lw=1, alpha=faint)
    step = np.median(np.linalg.norm(np.diff(pen.px(xy), axis=0), axis=1)) if len(xy) > 1 else np.inf
    pen.dots(xy, lw=0.8 if step > RIMMED else 0, each="position", **{"color": style.position_colors(len(xy))} | look)
    return radius, pad


@view("plane", "Positions as points", pointer=("position", None), instead={"pair": ("x_dim", "y_dim")})
def trajectory(pen, encoding, pair=PAIR, x_dim=X_DIM, y_dim=Y_DIM, query=None):
    """Scatter two dims of a table; where all points lie on one circle round the middle, it is drawn, too."""
    dims = plane(encoding, pair, x_dim, y_dim)
    xy = encoding.table[:, dims]
    radius, pad = scatter(pen, xy, dims)
    if query is not None:
        pen.ring(xy[[query]])
    away = np.full((len(xy), 1), 0.6 * pad)
    away[[] if query is None else query] *= 1.5  # off the ring
    places = xy + away * (xy / radius if radius else outward(xy))
    numbers(pen, labels(xy, query, last=radius > 0), places, query)
    turns = whole_turns(xy) if radius and x_dim is y_dim is None else None
    seen = f"{style.plural(len(xy), 'position')} in two dims"
    pen.title(seen if turns is None else f"Pair {pair} goes round {style.times_round(turns)}")
    return where(xy, dims, query)


def whole_turns(xy: np.ndarray) -> float | None:
    """Return how often points on a circle go round, from the first to the last; None where a step is half a turn."""
    steps = np.diff(np.unwrap(np.arctan2(xy[:, 1], xy[:, 0])))
    even = len(steps) > 0 and np.ptp(steps) < 1e-6 and abs(steps[0]) < 0.99 * math.pi
    return abs(float(steps.sum())) / (2 * math.pi) if even else None


def where(points, dims, query) -> str:
    """Say where the query is, or the last position."""
    told = len(points) - 1 if query is None else query
    gap = number(np.linalg.norm(points[told] - points[0]))
    place = ", ".join(map(number, points[told]))
    called = f"dims {', '.join(map(str, dims[:-1]))} and {dims[-1]}"
    return f"Points: {called} of {len(points)} positions; position {told} at ({place}), {gap} from position 0."


def way(encoding, dims) -> np.ndarray:
    """Return the points from each position to the next in these dims: on a smooth path if there are any between."""
    return encoding.between(min(max(4096 // len(encoding.table), 2), 16))[1][:, dims]


@view(
    "plane",
    "The two that are closest",
    most_positions=1024,
    pointer=("position", None),
    instead={"pair": ("x_dim", "y_dim")},
)
def closest_pair(pen, encoding, pair=PAIR, x_dim=X_DIM, y_dim=Y_DIM):
    """Scatter two dims and ring the two positions that are closest in all dims."""
    table, steps, dims = encoding.table, encoding.steps, plane(encoding, pair, x_dim, y_dim)
    i, j, distance = closest(table) if len(steps) else (0, 0, 0.0)
    xy, step = table[:, dims], float(np.median(steps)) if len(steps) else 0.0
    scatter(pen, xy, dims, 1, way(encoding, dims), color=style.KEY)  # which position is where does not matter here
    pen.ring(xy[[i, j]], 18, style.INK)
    out, together = outward(xy), np.hypot(*(pen.px(xy[i]) - pen.px(xy[j]))) < TOGETHER
    names = {} if i == j else {j: f"{i}, {j}"} if together else {i: str(i), j: str(j)}
    for k, words in names.items():
        pen.label(words, xy[k], tuple(22 * out[k]))
    apart, width = f"{number(distance)} apart", table.shape[1]
    where = f"in all {width} dims" if width > 2 else ""
    pen.title(f"{i} and {j} are {f'{apart} {where}'.rstrip()}")
    size = f"; a usual step is {number(step)}" if step else ""
    return f"Closest two of {len(table)} positions: {i} and {j}, {f'{apart} {where}'.rstrip()}{size}."


@view("free", "Where the positions stand", lines="", weight=1.25)
def number_line(pen, encoding, dim=DIM, query=QUERY):
    """Draw one dim of each position along a line."""
    values = encoding.table[:, dim or 0]
    high = style.nice_bound(max(np.abs(values).max(initial=0), 1))  # 0 … 1 stays where it is
    low = -high if values.min(initial=0) < 0 else 0
    margin = 0.08 * (high - low)
    pen.axes((low - margin, high + margin), (-0.4, 0.9), x=f"value of dim {dim or 0}", yticks=())
    line, at = np.stack([values, np.zeros(len(values))], axis=1), float(values[query])
    step = np.abs(np.diff(values)) if len(values) > 1 else np.zeros(1)
    gap = np.median(np.abs(np.diff(pen.px(line)[:, 0]))[step > 0]) if step.any() else np.inf  # between neighbours
    pen.strokes_of([*pen.limits["xlim"]], [0, 0], style.RULE, 0.8)
    near = [style.INK if abs(k - query) == 1 else style.QUERY if k == query else style.KEY for k in range(len(values))]
    pen.dots(line, color=near, lw=0.8 if gap > RIMMED else 0, size=min(max(0.8 * gap, 2), 9), each="position")
    numbers(pen, labels(line, query), line - [0, 0.22])
    told = f"position {query} at {number(at)}"
    pen.arrow((at, 0.5), (at, 0.12), style.QUERY)
    pen.label(told, (at, 0.6), color=style.QUERY, va="bottom")
    gap = " to ".join(dict.fromkeys((number(step.min()), number(step.max()))))
    pen.title(f"Neighbours are {gap} apart")
    ends = f"from {number(values.min())} to {number(values.max())}"
    return f"Line: {len(values)} positions {ends}; in this dim neighbours stand {gap} apart; {told}."
