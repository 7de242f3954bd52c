"""Positions as points, on a line, in a plane or in space; the two closest ones; how long each step is."""

import itertools
import math
from functools import lru_cache

import numpy as np
from matplotlib.colors import to_hex

from posenc_lib.encodings.parameter import Parameter, round_values
from posenc_lib.encodings.similarity import closest_pair as closest
from posenc_lib.views import style
from posenc_lib.views.style import number
from posenc_lib.views.view import PAIR, QUERY, view

LABELS = 12  # more numbers than this hide the points
PLANE = {"pointer": ("position", None)}
BY_BASE = {
    "needs": "rows base",
    "only": lambda e: e.of_text,
    "ignores": "layout",
    "most_positions": 256,
    "log": "x",
}


def plane(encoding, pair) -> list[int]:
    """Return the two dims of a pair; of a single dim, this one twice."""
    last = encoding.table.shape[1] - 1
    dims = encoding.pair_dims(pair) if encoding.has("pair_dims") else [2 * pair, 2 * pair + 1]
    return [min(dim, last) for dim in dims]


def numbers(pen, points: np.ndarray, places: np.ndarray, query=None) -> None:
    """Number every point, or every 2nd, 5th, 10th …; "0, 4" where points touch. The query's comes first."""
    step = next(s * 10**k for k in range(9) for s in (1, 2, 5) if len(points) <= LABELS * s * 10**k)
    rows = sorted({*range(0, len(points), step), *([] if query is None else [query])})
    touch, taken, written = 0.02 * np.abs(points).max(initial=0) + 1e-6, [], set()
    for row in sorted(rows, key=lambda row: row != query):
        together = [
            k for k in rows if k not in written and np.linalg.norm(points[row] - points[k]) <= touch
        ]
        words = ", ".join(map(str, together[:3])) + ", …" * (len(together) > 3)
        (x, y), half = pen.px(places[row]).tolist(), 4.2 * len(words)
        if row in written or any(
            abs(x - x2) <= half + half2 and abs(y - y2) <= 12 for x2, y2, half2 in taken
        ):
            continue
        look = (
            {"color": style.QUERY, "fontweight": "bold"} if row == query else {"color": style.SOFT}
        )
        pen.text(words, places[row], halo=True, fontsize=style.NUMBERS, **look)
        taken.append((x, y, half))
        written.update(together)


def outward(points: np.ndarray) -> np.ndarray:
    """Return for each point a unit vector away from the middle, or across the line where all lie on one."""
    away = points - points.mean(axis=0)
    if np.linalg.matrix_rank(away, 1e-6 * max(np.abs(away).max(), 1e-9)) < 2:
        return np.tile([-math.sqrt(0.5), math.sqrt(0.5)], (len(points), 1))
    length = np.linalg.norm(away, axis=1, keepdims=True)
    return np.divide(away, length, out=np.tile([0.0, 1.0], (len(points), 1)), where=length > 1e-9)


def scatter(pen, xy: np.ndarray, dims, path: np.ndarray, color) -> tuple[float, float]:
    """Draw points, their path, and the circle that all may lie on; return its radius, or 0, and the room around."""
    lengths = np.linalg.norm(xy, axis=1)
    radius = float(lengths.max()) if np.ptp(lengths) <= 1e-6 * lengths.max() else 0.0
    high = style.nice_bound(np.abs(xy).max(initial=radius))
    low = 0 if xy.any() and xy.min() >= 0 and not radius else -high
    pad = 0.14 * (high - low)
    pen.axes((low - pad, high + pad), (low - pad, high + pad), x=f"dim {dims[0]}")
    pen.unit(f"↑ dim {dims[1]}")
    if radius:
        pen.circle(radius=radius)
    faint = (
        min((LABELS / len(xy)) ** 2, 1) if radius else 0.35
    )  # many lines would hide what they join
    pen.strokes([path], color=style.RULE, lw=1, alpha=faint if radius or len(xy) > 48 else 1)
    pen.dots(xy, color=color, taken=True)
    return radius, pad


@view("plane", "Positions as points", **PLANE)
def trajectory(pen, encoding, pair=PAIR, query=None):
    """Scatter two dims of a table; where all points lie on one circle round the middle, it is drawn, too."""
    dims = plane(encoding, pair)
    xy = encoding.table[:, dims]
    radius, pad = scatter(pen, xy, dims, xy, style.position_colors(len(xy)))
    away = np.full((len(xy), 1), 0.6 * pad)
    if query is not None:
        pen.ring(xy[[query]])
        away[query] *= 1.5  # off the ring
    numbers(pen, xy, xy + away * (xy / radius if radius else outward(xy)), query)
    steps = np.diff(np.unwrap(np.arctan2(xy[:, 1], xy[:, 0])))
    even = (
        len(steps) and np.ptp(steps) < 1e-6 and abs(steps[0]) < 0.99 * math.pi
    )  # else who knows how far it went
    turns = f"Pair {pair} goes round {style.times_round(abs(float(steps.sum())) / (2 * math.pi))}"
    pen.title(turns if radius and even else f"{style.plural(len(xy), 'position')} in two dims")
    told = len(xy) - 1 if query is None else query
    gap, place = number(np.linalg.norm(xy[told] - xy[0])), ", ".join(map(number, xy[told]))
    called = "dims {} and {}".format(*dims)
    return f"Points: {called} of {len(xy)} positions; position {told} at ({place}), {gap} from position 0."


def path(encoding) -> np.ndarray:
    """Return the rows from each position to the next: of a smooth path, if there are any between."""
    return encoding.between(min(max(4096 // len(encoding.table), 2), 16))[1]


@view("plane", "The two that are closest", most_positions=1024, **PLANE)
def closest_pair(pen, encoding, pair=PAIR):
    """Scatter two dims and ring the two positions that are closest in all dims."""
    table, dims = encoding.table, plane(encoding, pair)
    xy, (i, j, distance) = table[:, dims], closest(table) if len(table) > 1 else (0, 0, 0.0)
    scatter(
        pen, xy, dims, path(encoding)[:, dims], style.KEY
    )  # which position is where does not matter here
    pen.ring(xy[[i, j]], style.INK, 18)
    together = (
        np.hypot(*(pen.px(xy[i]) - pen.px(xy[j]))) < 30
    )  # px between two rings up to which they have one name
    for k, words in ({j: f"{i}, {j}"} if together and i != j else {i: str(i), j: str(j)}).items():
        pen.label(words, xy[k], tuple(22 * outward(xy)[k]))
    width = table.shape[1]
    told = f"{i} and {j} are {number(distance)} apart{f' in all {width} dims' if width > 2 else ''}"
    pen.title(told)
    usual = f"; a usual step is {number(np.median(encoding.steps))}" if len(table) > 1 else ""
    return f"Closest two of {len(table)} positions: {told}{usual}."


BASES = round_values(2, 1e6, 0.05)


def gap(table: np.ndarray) -> float:
    """Return the distance of the two rows that are closest, in usual steps; 1 is the most it can be."""
    squares = np.einsum("td,td->t", table, table)
    apart = squares[:, None] + squares - 2 * table @ table.T
    apart[np.tri(len(table), dtype=bool)] = np.inf  # each pair once
    usual = float(np.median(np.linalg.norm(np.diff(table, axis=0), axis=1)))
    return math.sqrt(max(apart.min(), 0)) / (usual or 1.0)


@lru_cache(64)
def gaps(kind, values: tuple) -> np.ndarray:
    """Return the gap of an encoding of this class and these values at each of the bases."""
    return np.array([gap(kind(**dict(values) | {"base": base}).table) for base in BASES])


@view("curves", "The two that are closest, by base", x="base", **BY_BASE)
def closest_by_base(pen, encoding):
    """Draw how close the two closest positions come, in usual steps, against the base."""
    doubling = encoding.base is None  # each wave twice as long as the one before
    base = 2.0 ** (encoding.d_model - 1) if doubling else encoding.base
    ticks = {10**power: f"{10**power:,}" for power in (1, 3, 5)}
    pen.axes((BASES[0], BASES[-1]), (0, 1.05), xticks=ticks, yticks=(0, 0.25, 0.5, 0.75, 1))
    pen.unit("↑ distance of the closest two ÷ a usual step")
    if len(encoding.table) < 2:
        return "Closest two: one position is alone."
    values = tuple((name, value) for name, value in encoding.values.items() if name != "base")
    curve, here = gaps(type(encoding), values), gap(encoding.table)
    pen.curve(BASES, curve)
    if BASES[0] <= base <= BASES[-1]:
        pen.query(base, top=here, name=style.plain(base), color=style.INK)
        pen.title(f"At base {style.plain(base)} two come as close as {number(here, 2)} of a step")
    ends = f"{number(curve[0])} at base {BASES[0]:g} to {number(curve[-1])} at {style.plain(BASES[-1])}"
    return f"The closest two of {len(encoding.table)} positions, in usual steps: {number(here)} here; from {ends}."


@view("free", "Where the positions stand")
def number_line(pen, encoding, query=QUERY):
    """Draw dim 0 of each position along a line."""
    values = encoding.table[:, 0]
    high = style.nice_bound(max(np.abs(values).max(initial=0), 1))  # 0 … 1 stays where it is
    low = -high if values.min(initial=0) < 0 else 0
    margin = 0.08 * (high - low)
    pen.axes((low - margin, high + margin), (-0.45, 0.6), x="value of dim 0", yticks=())
    line, at = np.stack([values, np.zeros(len(values))], axis=1), float(values[query])
    pen.rule("y", 0, style.RULE, 0.8)
    near = [
        style.INK if abs(k - query) == 1 else style.QUERY if k == query else style.KEY
        for k in range(len(values))
    ]
    pen.dots(line, color=near, taken=True)
    numbers(pen, line, line - [0, 0.22], query)
    told = f"position {query} at {number(at)}"
    pen.arrow((at, 0.34), (at, 0.07), style.QUERY)
    pen.label(told, (at, 0.38), color=style.QUERY, va="bottom")
    step = np.abs(np.diff(values)) if len(values) > 1 else np.zeros(1)
    gap = " to ".join(dict.fromkeys((number(step.min()), number(step.max()))))
    pen.title(f"Neighbours are {gap} apart")
    ends = f"from {number(values.min())} to {number(values.max())}"
    return (
        f"Line: {len(values)} positions {ends}; in this dim neighbours stand {gap} apart; {told}."
    )


@view(
    "curves", "Length of each step", x="from position", y="distance to the next", ignores="layout"
)
def steps(pen, encoding, bound=None):
    """Draw the length of every step; those that stand out as the longest are in ink."""
    lengths = encoding.steps
    longest, where = lengths.max(initial=0), np.arange(len(lengths))
    pen.axes(len(lengths), (0, style.nice_bound(max(1.1 * longest, bound or 0))))
    if not len(lengths):
        return "Steps: one position, no step."
    far = (lengths > longest - 1e-9) & (longest > 1.1 * lengths.min() + 1e-12)
    wide = min(0.72, 20 / (pen.size[0] / pen.spans[0]))  # px of a bar
    for chosen, color in ((~far, style.KEY), (far, style.INK)):
        pen.bars(where[chosen], 0, lengths[chosen], wide=wide, color=color)
    pen.traces.append(("curve", np.stack([where, lengths], axis=1)))  # for a pointer
    low, high, many = number(lengths.min()), number(longest), int(far.sum())
    told = (
        f"Steps are between {low} and {high} long" if low != high else f"Every step is {high} long"
    )
    if not many:
        pen.title(told)
        return f"{told}."
    first = int(np.argmax(far))
    step = f"{first} → {first + 1}"
    pen.label(step, (first, longest), (0, 9))
    pen.title(
        f"{step} is the longest step: {high}" if many == 1 else f"{many} longest steps, {high} each"
    )
    return f"{told}; the longest from position {first} to {first + 1}."


AZIMUTH = Parameter(
    "azimuth", "from which side you look, in degrees", -60, -180, 175, 5, least=-360, most=360
)
ELEVATION, FAR = (
    18,
    9.0,
)  # degrees from which one looks down; how far away the eye is, in half sides of the cube
CORNERS = np.array(list(itertools.product((0, 1), repeat=3)))
EDGES = np.array(
    [
        two
        for two in itertools.combinations(range(8), 2)
        if np.ptp(CORNERS[[*two]], axis=0).sum() == 1
    ]
)
WAYS = (
    "on an edge",
    "across a face",
    "through",
)  # of a step that changes one, two or all three dims
DISC = 32  # px of a corner with its bits
SPACE = PLANE | {"square": True, "drags": "azimuth"}


def looked_at(xyz: np.ndarray, azimuth: float) -> tuple[np.ndarray, np.ndarray]:
    """Return where points of a cube, within 0 … 1, are seen from a side, and how near each is."""
    a, e = np.radians([azimuth, ELEVATION])
    right, toward = (
        np.array([-np.sin(a), np.cos(a), 0]),
        np.array([np.cos(a), np.sin(a), np.tan(e)]) * np.cos(e),
    )
    near = (2 * xyz - 1) @ toward
    return (2 * xyz - 1) @ np.stack([right, np.cross(toward, right)], axis=1) * (
        FAR / (FAR - near)
    )[:, None], near


def room(pen, azimuth: float) -> tuple[np.ndarray, np.ndarray]:
    """Draw the edges of a cube and name its axes; return where its corners are seen, and how near each is."""
    corners, near = looked_at(CORNERS, azimuth)
    pen.axes((-1.75, 1.75), (-1.85, 1.65), xticks=(), yticks=())
    pen.strokes(corners[EDGES], color=style.GHOST, lw=1.2)
    for axis in range(3):  # its name stands beside the lowest edge along it, or the leftmost
        edges, aim = (
            [corners[edge] for edge in EDGES if np.ptp(CORNERS[edge], axis=0)[axis]],
            (-0.2, 1.0),
        )
        start, end = min(
            edges, key=lambda edge: edge.mean(axis=0) @ (aim if axis < 2 else (1.0, 0.0))
        )
        out = (end - start)[::-1] * (-1, 1)
        out *= np.sign(out @ (start + end)) / np.linalg.norm(out)
        side = "left" if out[0] > 0.6 else "right" if out[0] < -0.6 else "center"
        pen.text(f"dim {axis}", (start + end) / 2, tuple((9, 13) * out), color=style.SOFT, ha=side)
    return corners, near


@view("free", "Positions in space", **SPACE)
def trajectory_3d(pen, encoding, azimuth=AZIMUTH):
    """Scatter the first three dims of a table in a cube, each over its own range, on the path between positions."""
    track, count = np.pad(path(encoding), ((0, 0), (0, 3)))[:, :3], len(encoding.table)
    low, high = track.min(axis=0), track.max(axis=0)
    places, near = looked_at((track - low) / np.maximum(high - low, 1e-9), azimuth)
    room(pen, azimuth)
    every = (len(track) - 1) // max(
        count - 1, 1
    ) or 1  # points of the path from one position to the next
    parts = [slice(k * every, (k + 1) * every + 1) for k in range(count - 1)]
    order, colors = (
        sorted(range(count - 1), key=lambda k: near[parts[k]].mean()),
        style.position_colors(count),
    )
    pen.strokes([places[parts[k]] for k in order], color=colors[order])
    pen.dots(places[::every], color=colors, data=False)
    numbers(pen, encoding.table, 1.1 * places[::every])
    pen.points, pen.says = places[::every], lambda x, y: ""
    return (
        f"Positions in space: the first three dims of {count}, seen from {number(azimuth)} degrees."
    )


@view(
    "free",
    "The walk through the cube",
    **SPACE | {"only": lambda e: bool(np.isin(e.table, (0, 1)).all())},
)
def cube(pen, encoding, azimuth=AZIMUTH):
    """Walk through the first three dims, which are bits, from corner to corner of a cube."""
    points = np.pad(encoding.table, ((0, 0), (0, 3)))[:, :3]  # two dims are a face
    places, (corners, near) = looked_at(points, azimuth)[0], room(pen, azimuth)
    flips, walk = (
        np.count_nonzero(np.diff(points, axis=0), axis=1),
        np.stack([places[:-1], places[1:]], axis=1),
    )
    counts = [int((flips == k).sum()) for k in (1, 2, 3)]
    looks = (style.KEY, "-", 2.4), (style.OTHER, (0, (4, 1.5)), 2.4), (style.INK, "-", 3.2)
    for k, (color, dashes, wide) in enumerate(looks):
        pen.strokes(walk[flips == k + 1], color=color, lw=wide, linestyle=dashes)
    ways = zip(counts, WAYS, looks, strict=True)
    pen.unit(*((f"{count} {way}", look[0]) for count, way, look in ways if count))
    for k in np.argsort(near):
        rows = np.flatnonzero((points == CORNERS[k]).all(axis=1)).tolist()
        _badge(pen, "".join(map(str, CORNERS[k])), corners[k], rows, len(points) - 1)
    off = counts[1] + counts[2]
    leave = f"{off} of {style.plural(len(flips), 'step')} leave{'s' * (off == 1)} the edges"
    pen.title(leave if off else "No step leaves the edges")
    pen.points, pen.says = places, lambda x, y: ""
    told = ", ".join(f"{count} {way}" for count, way in zip(counts, WAYS, strict=True))
    return (
        f"Cube: {len(points)} positions on {len(np.unique(points, axis=0))} places; steps: {told}."
    )


def _badge(pen, bits: str, place, rows: list[int], last: int) -> None:
    """Draw a corner with its bits and, outside, the positions that are there; that of the last one stands out."""
    pen.mark(
        [place],
        style.PAPER,
        DISC,
        2.4 if last in rows else 1,
        style.INK if last in rows else style.RULE,
    )
    pen.text(bits, place, **{"fontweight": "bold"} if rows else {"color": style.SOFT})
    told = ", ".join(map(str, rows[:2])) + ", …" * (len(rows) > 2)
    out = (
        np.array(place) / max(np.hypot(*place), 1e-9)
        if len(told) < 3
        else np.array([0, np.sign(place[1])])
    )
    look = {
        "color": to_hex(style.position_colors(rows[0] + 1 if rows else 1)[-1]),
        "fontweight": "bold",
    }
    pen.text(told, place, tuple((DISC / 2 + 10) * out), halo=True, **look)
