"""Positions as points in the space of three dims, and the walk through the cube."""

import itertools

import numpy as np
from matplotlib.colors import to_hex

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.points import PLANE, X_DIM, Y_DIM, Z_DIM, numbers, outward, plane, reach, way, where
from posenc_lib.views.style import number
from posenc_lib.views.view import PAIR, view

AZIMUTH = Parameter("azimuth", "from which side you look, in degrees", -60, -180, 175, 5, least=-360, most=360)
FAR = 9.0  # of the eye, in half sides of the room
CORNERS = np.array(list(itertools.product((-1, 1), repeat=3)))
EDGES = np.array([two for two in itertools.combinations(range(8), 2) if np.ptp(CORNERS[[*two]], axis=0).sum() == 2])
WAYS = ("on an edge", "across a face", "through")  # of a step that changes one, two or all three dims
DISC = 32  # px of a corner with its bits
SPACE = {"square": True, "turns": "azimuth"} | PLANE


def room(pen, ends, dims, azimuth, elevation, inset=0.06, *, numbered=True):
    """Ask for axes, draw the back of a room and name its axes; return what sees points, and how near they are."""
    (low, high), (a, e) = ends, np.radians([azimuth, elevation])
    right, toward = np.array([-np.sin(a), np.cos(a), 0]), np.array([np.cos(a), np.sin(a), np.tan(e)]) * np.cos(e)
    page = np.stack([right, np.cross(toward, right)], axis=1)

    def turn(xyz):  # within ±1
        return xyz @ page * (FAR / (FAR - xyz @ toward))[:, None]

    def inside(points):
        return 2 * (np.reshape(points, (-1, 3)) - low) / (high - low) - 1

    pen.axes((-1.75, 1.75), (-1.85, 1.65), xticks=(), yticks=())
    corners, nearest = turn(CORNERS), (CORNERS @ toward).argmax()
    pen.strokes(corners[[edge for edge in EDGES if nearest not in edge]], color=style.GRID, lw=1.2)
    for axis, dim in enumerate(dims):  # beside the lowest edge along it, or the leftmost
        edges, aim = [corners[edge] for edge in EDGES if np.ptp(CORNERS[edge], axis=0)[axis]], (-0.2, 1.0)
        start, end = min(edges, key=lambda edge: edge.mean(axis=0) @ (aim if axis < 2 else (1.0, 0.0)))
        out = (end - start)[::-1] * (-1, 1)
        out *= np.sign(out @ (start + end)) / np.linalg.norm(out)
        look = {"ha": "left" if out[0] > 0.6 else "right" if out[0] < -0.6 else "center", "fontsize": style.NUMBERS}
        for at, words in ((0.5, f"dim {dim}"), (inset, number(low)), (1 - inset, number(high)))[: 3 if numbered else 1]:
            pen.text(words, start + at * (end - start), tuple((9, 13) * out), color=style.SOFT, **look)
    return lambda points: turn(inside(points)), lambda points: inside(points) @ toward


@view("free", "Positions as points", **SPACE)
def trajectory_3d(pen, encoding, pair=PAIR, x_dim=X_DIM, y_dim=Y_DIM, z_dim=Z_DIM, azimuth=AZIMUTH, query=None):
    """Scatter three dims of a table, and join position 0 with the query, or the last position."""
    dims = [*plane(encoding, pair, x_dim, y_dim), z_dim]
    xyz, told = encoding.table[:, dims], len(encoding.table) - 1 if query is None else query
    seen, near = room(pen, reach(xyz), dims, azimuth, 22)
    places, colors = seen(xyz), style.position_colors(len(xyz))
    track, steps = way(encoding, dims), len(xyz) - 1
    every = (len(track) - 1) // max(steps, 1)
    parts = [track[k * every : (k + 1) * every + 1] for k in range(steps)]
    order = np.argsort([near(part).mean() for part in parts], kind="stable")  # what is nearer comes later
    pen.strokes([seen(parts[k]) for k in order], color=colors[order])
    pen.strokes([places[[0, told]]], color=style.INK, lw=1.4, linestyle=":")
    pen.dots(places, color=colors, each=True)
    pen.ring(places[[0]], style.INK)
    pen.ring(places[[told]], style.INK if query is None else style.QUERY)
    away = np.full((len(xyz), 1), 0.2)
    away[[0, told]] = 0.28
    rings = [(x, y, 8) for x, y in pen.px(places[[0, told]]).tolist()]
    numbers(pen, xyz, places + away * outward(places), query, [told], rings)
    pen.traces, pen.says = [], lambda x, y: ""  # in perspective a place on the page is none in space
    pen.unit("distance in dims {}, {} and {}".format(*dims))
    pen.title(f"0 and {told} are {number(np.linalg.norm(xyz[told] - xyz[0]))} apart")
    return f"{where(xyz, dims, query)} Seen from {number(azimuth)} degrees."


@view("free", "The walk through the cube", **SPACE)
def cube(pen, encoding, pair=PAIR, x_dim=X_DIM, y_dim=Y_DIM, z_dim=Z_DIM, azimuth=AZIMUTH):
    """Walk through three dims within a cube, with bits at its corners."""
    dims = [*plane(encoding, pair, x_dim, y_dim), z_dim]
    points = encoding.table[:, dims]
    bits = bool(np.isin(points, (0, 1)).all())
    seen, near = room(pen, reach(points), dims, azimuth, 18, 0.25, numbered=not bits)  # corners bear their bits
    places, corners = seen(points), np.array(list(itertools.product(reach(points), repeat=3)))
    pen.strokes(seen(corners)[EDGES], color=style.GHOST, lw=1.2, linestyle=(0, (3, 2)))
    flips, walk = np.count_nonzero(np.diff(points, axis=0), axis=1), np.stack([places[:-1], places[1:]], axis=1)
    counts, shown = [int((flips == k).sum()) for k in (1, 2, 3)], []
    looks = (style.KEY, "-", 2.4), (style.OTHER, (0, (4, 1.5)), 2.4), (style.INK, "-", 3.2)
    for k, (color, dashes, wide) in enumerate(looks):
        pen.strokes(walk[flips == k + 1], color=color, lw=wide, linestyle=dashes)
        shown += [(f"{counts[k]} {WAYS[k]}", color)] * bool(counts[k])
    if bits:
        for corner in sorted(corners.tolist(), key=lambda corner: float(near(corner)[0])):
            rows = np.flatnonzero((points == corner).all(axis=1)).tolist()
            _badge(pen, "".join(f"{bit:.0f}" for bit in corner), seen(corner)[0], rows, len(points) - 1)
        pen.unit(*shown)
        off = counts[1] + counts[2]
        leave = f"{off} of {style.plural(len(flips), 'step')} leave{'s' * (off == 1)} the edges"
        pen.title(leave if off else "No step leaves the edges")
    else:
        pen.dots(places, color=style.position_colors(len(points)))
        numbers(pen, points, places + 0.2 * outward(places))
    pen.each, pen.traces, pen.says = places, [], lambda x, y: ""
    told = ", ".join(f"{count} {way}" for count, way in zip(counts, WAYS, strict=True))
    return f"Cube: {len(points)} positions on {len(np.unique(points, axis=0))} places; steps: {told}."


def _badge(pen, bits: str, place, rows: list[int], last: int) -> None:
    """Draw a corner with its bits and, outside, the positions that are there; that of the last one stands out."""
    pen.mark([place], style.PAPER, DISC, 2.4 if last in rows else 1, style.INK if last in rows else style.RULE)
    pen.text(bits, place, **{"fontweight": "bold"} if rows else {"color": style.SOFT})
    told = ", ".join(map(str, rows[:2])) + ", …" * (len(rows) > 2)
    out = np.array(place) / max(np.hypot(*place), 1e-9) if len(told) < 3 else np.array([0, np.sign(place[1])])
    look = {"color": to_hex(style.position_colors(rows[0] + 1 if rows else 1)[-1]), "fontweight": "bold"}
    pen.text(told, place, tuple((DISC / 2 + 10) * out), halo=True, **look)
