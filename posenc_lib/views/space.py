"""Positions as points in the space of three dims, and the walk through the cube."""

import itertools

import numpy as np
from matplotlib.colors import to_hex, to_rgba

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.points import RIMMED, X_DIM, Y_DIM, dim_of, labels, numbers, outward, plane, reach, way, where
from posenc_lib.views.style import number
from posenc_lib.views.view import PAIR, view

AZIMUTH = Parameter("azimuth", "from which side you look, in degrees", -60, -180, 175, 5, least=-360, most=360)
Z_DIM = dim_of("z_dim", 2, 2)
FAR = 9.0  # of the eye, in half sides of the room
CORNERS = np.array(list(itertools.product((-1, 1), repeat=3)))
EDGES = np.array([two for two in itertools.combinations(range(8), 2) if np.ptp(CORNERS[[*two]], axis=0).sum() == 2])
WAYS = ("along an edge", "across a face", "through the middle")  # of a step that changes one, two or all three dims
SHORT = ("on an edge", "across a face", "through")
CLEAR = 20  # px round a ring without another number
RIBBON = 512  # steps beyond which a path is one line
DISC = 32  # px of a corner with its bits
ABOUT = {"square": True, "turns": "azimuth", "instead": {"pair": ("x_dim", "y_dim")}, "pointer": ("position", None)}


def eye(azimuth: float, elevation: float):
    """Return what sees points (n, 3), within ±1, as places on the page, and which way the eye is."""
    a, e = np.radians([azimuth, elevation])
    right = np.array([-np.sin(a), np.cos(a), 0])
    toward = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    page = np.stack([right, np.cross(toward, right)], axis=1)
    return lambda xyz: xyz @ page * (FAR / (FAR - xyz @ toward))[:, None], toward


def room(pen, ends, dims, azimuth, elevation, inset=0.06, *, numbered=True):
    """Ask for axes, draw the back of a room and name its axes; return what sees points, and how near they are."""
    low, high = ends
    pen.axes((-1.75, 1.75), (-1.85, 1.65), xticks=(), yticks=())
    turn, toward = eye(azimuth, elevation)
    corners, nearest = turn(CORNERS), (CORNERS @ toward).argmax()
    pen.strokes(corners[[edge for edge in EDGES if nearest not in edge]], color=style.GRID, lw=1.2)
    for axis, dim in enumerate(dims):  # beside the lowest edge along it, or the leftmost
        edges = [corners[edge] for edge in EDGES if np.ptp(CORNERS[edge], axis=0)[axis]]
        aim = np.array([-0.2, 1.0] if axis < 2 else [1.0, 0.0])
        start, end = min(edges, key=lambda edge: edge.mean(axis=0) @ aim)
        out = (end - start)[::-1] * (-1, 1)
        out *= np.sign(out @ (start + end)) / np.linalg.norm(out)
        names = [(0.5, f"dim {dim}"), (inset, number(low)), (1 - inset, number(high))]
        for at, words in names if numbered else names[:1]:
            side = "left" if out[0] > 0.6 else "right" if out[0] < -0.6 else "center"
            look = {"color": style.SOFT, "fontsize": style.NUMBERS, "ha": side}
            pen.text(words, start + at * (end - start), tuple((9, 13) * out), **look)

    def inside(points):
        return 2 * (np.reshape(points, (-1, 3)) - low) / (high - low) - 1

    return lambda points: turn(inside(points)), lambda points: inside(points) @ toward


@view("free", "Positions as points", weight=1.0, **ABOUT)
def trajectory_3d(pen, encoding, pair=PAIR, x_dim=X_DIM, y_dim=Y_DIM, z_dim=Z_DIM, azimuth=AZIMUTH, query=None):
    """Scatter three dims of a table, and join position 0 with the query, or the last position."""
    dims = [*plane(encoding, pair, x_dim, y_dim), z_dim]
    xyz, told = encoding.table[:, dims], len(encoding.table) - 1 if query is None else query
    seen, near = room(pen, reach(xyz), dims, azimuth, 22)
    places, colors = seen(xyz), style.position_colors(len(xyz))
    ribbon(pen, seen, near, way(encoding, dims), colors)
    pen.strokes([places[[0, told]]], color=style.INK, lw=1.4, linestyle=":")
    apart = len(xyz) < 2 or np.median(np.hypot(*np.diff(pen.px(places), axis=0).T)) > RIMMED
    pen.dots(places, color=colors, **{"size": 6} if apart else {"size": 3, "lw": 0}, each="position")
    ring_two(pen, xyz, places, told, query)
    pen.traces, pen.says = [], lambda x, y: ""  # in perspective a place on the page is none in space
    gap = number(np.linalg.norm(xyz[told] - xyz[0]))
    pen.unit("distance in dims {}, {} and {}".format(*dims))
    pen.title(f"0 and {told} are {gap} apart")
    return f"{where(xyz, dims, query)} Seen from {number(azimuth)} degrees."


def ring_two(pen, xyz, places, told: int, query) -> None:
    """Ring position 0 and another one, and number the points, but none whose number would lie on a ring."""
    pen.ring(places[[0]], color=style.INK)
    pen.ring(places[[told]], color=style.INK if query is None else style.QUERY)
    words, away, rings = labels(xyz, told), np.full((len(xyz), 1), 0.2), pen.px(places[[0, told]])
    away[[0, told]] = 0.26
    if told and 0 in words and np.hypot(*(rings[1] - rings[0])) < CLEAR:  # one number for both
        words = {told: f"{words.pop(0)}, {words[told]}"} | {row: word for row, word in words.items() if row != told}
        away[told] = 0.42
    at = places + away * outward(places)
    words = {
        k: word for k, word in words.items() if k in (0, told) or np.hypot(*(rings - pen.px(at[k])).T).min() > CLEAR
    }
    numbers(pen, words, at, query, halo=True)


def ribbon(pen, seen, near, track, colors) -> None:
    """Draw a path from each position to the next in its colour; what is nearer passes over what is behind it."""
    count = len(colors) - 1
    if count > RIBBON:
        return pen.strokes([seen(track)], color=style.RULE, lw=1, alpha=0.35)
    every = (len(track) - 1) // max(count, 1)
    parts = [track[k * every : (k + 1) * every + 1] for k in range(count)]
    order = np.argsort([near(part).mean() for part in parts], kind="stable")
    places = [place for k in order for place in [seen(parts[k])] * 2]  # first a rim of paper, then the path
    ink = np.tile(np.array(to_rgba(style.PAPER)), (2 * count, 1))
    ink[1::2] = colors[order]
    pen.strokes(places, color=ink, lw=np.tile([5.0, 2.0], count), capstyle="butt")


@view("free", "The walk through the cube", weight=1.0, **ABOUT)
def cube(pen, encoding, pair=PAIR, x_dim=X_DIM, y_dim=Y_DIM, z_dim=Z_DIM, azimuth=AZIMUTH):
    """Walk through three dims within a cube, with bits at its corners."""
    dims = [*plane(encoding, pair, x_dim, y_dim), z_dim]
    corners = encoding.table[:, dims]
    bits = bool(np.isin(corners, (0, 1)).all())
    seen, near = room(pen, reach(corners), dims, azimuth, 18, 0.25, numbered=not bits)  # corners bear their bits
    places, all_corners = seen(corners), np.array(list(itertools.product(reach(corners), repeat=3)))
    pen.strokes(seen(all_corners)[EDGES], color=style.GHOST, lw=1.2, linestyle=(0, (3, 2)))
    flips, walk = np.count_nonzero(np.diff(corners, axis=0), axis=1), np.stack([places[:-1], places[1:]], axis=1)
    counts = [int((flips == k).sum()) for k in (1, 2, 3)]
    looks = (style.KEY, "-", 2.4), (style.OTHER, (0, (4, 1.5)), 2.4), (style.INK, "-", 3.2)
    for k, (color, dashes, wide) in enumerate(looks):
        pen.strokes(walk[flips == k + 1], color=color, lw=wide, linestyle=dashes)
    if bits:
        for corner in sorted(all_corners.tolist(), key=lambda corner: float(near(corner)[0])):
            badge(pen, "".join(f"{bit:.0f}" for bit in corner), seen(corner)[0], (corners == corner).all(axis=1))
    else:
        pen.dots(places, color=style.position_colors(len(corners)))
        numbers(pen, labels(corners), places + 0.2 * outward(places), halo=True)
    pen.each, pen.traces, pen.says = places, [], lambda x, y: ""
    told = [f"{count} {way}" for count, way in zip(counts, WAYS, strict=True)]
    short = [(f"{count} {way}", look[0]) for count, way, look in zip(counts, SHORT, looks, strict=True) if count]
    pen.unit(*short if bits else [])
    off, steps = counts[1] + counts[2], style.plural(len(flips), "step")
    if bits and len(flips):
        pen.title(f"{off} of {steps} leave{'s' * (off == 1)} the edges" if off else "No step leaves the edges")
    return f"Cube: {len(corners)} positions on {len(np.unique(corners, axis=0))} places; steps: {', '.join(told)}."


def badge(pen, bits: str, place, there) -> None:
    """Draw a corner with its bits and, outside, the positions that are there; that of the last one stands out."""
    rows, last = np.flatnonzero(there).tolist(), there[-1]
    edge, wide = (style.INK, 2.4) if last else (style.RULE if rows else style.GRID, 1)
    pen.dots([place], color=style.PAPER, edge=edge, size=DISC, lw=wide)
    look = {"fontweight": "bold"} if rows else {"color": style.SOFT}
    pen.text(bits, place, **look)
    if rows:
        run = len(rows) > 2 and rows[-1] - rows[0] == len(rows) - 1
        told = f"{rows[0]}–{rows[-1]}" if run else ", ".join(map(str, rows[:2])) + ", …" * (len(rows) > 2)
        out = np.array(place) / max(np.hypot(*place), 1e-9) if len(told) < 3 else np.array([0, np.sign(place[1])])
        color = to_hex(style.position_colors(rows[0] + 1)[-1])
        pen.text(told, place, tuple((DISC / 2 + 10) * out), halo=True, color=color, fontweight="bold")
