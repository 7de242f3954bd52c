"""The whole ladder as paths: where each encoding leads the positions of a text."""

import numpy as np

from posenc_lib.views import style
from posenc_lib.views.points import numbers, outward, path, plane
from posenc_lib.views.space import AZIMUTH, CORNERS, EDGES, SPACE, looked_at
from posenc_lib.views.style import number
from posenc_lib.views.view import PAIR, view

ROOM = (-0.18, 1.18)  # of a plot in which a path goes from 0 to 1


@view("free", "Positions as a path", **SPACE, needs="table", ignores="layout pairing")
def position_path(pen, encoding, pair=PAIR, azimuth=AZIMUTH, bound=0.0):
    """Draw the way from position to position: in a plane, in a cube, or as a hand that turns."""
    table, turns = encoding.table, encoding.has("rotate")
    dims = plane(encoding, pair) if turns else [*range(min(table.shape[1], 3))]
    track = path(encoding)[:, dims]
    every = (len(track) - 1) // max(len(table) - 1, 1) or 1  # points of it for each step
    most = bound or float(np.abs(track).max()) or 1.0
    low = min(track.min(), 0) and -most
    places = (track - low) / (most - low)
    if len(dims) > 2:
        places = _in_a_cube(pen, places, azimuth)
    else:
        places = np.pad(places, ((0, 0), (0, 2 - len(dims))))
        pen.axes(ROOM, ROOM, xticks=(), yticks=())
        if not turns:
            _ruler(pen, 1 / (most - low))
    xy, colors = places[::every], style.position_colors(len(table))
    steps = [slice(k * every, (k + 1) * every + 1) for k in range(len(table) - 1)]
    if turns:
        pen.circle((0.5, 0.5), float(np.linalg.norm(xy[0] - 0.5)))
    pen.strokes([places[step] for step in steps], color=colors[:-1], lw=2.4)
    if turns:
        for tip, color in zip(xy, colors, strict=True):
            pen.arrow((0.5, 0.5), tip, color)
    else:
        pen.dots(xy, color=colors, data=False)
    out = (xy - 0.5) / np.linalg.norm(xy[0] - 0.5) if turns else outward(xy)
    numbers(pen, xy, xy + 0.05 * np.ptp(pen.limits["xlim"]) * out)
    pen.points, pen.says = xy, lambda x, y: ""
    pen.unit(f"{style.plural(len(table), 'position')} in {style.plural(len(dims), 'dim')}")
    least, longest = encoding.steps.min(initial=np.inf), encoding.steps.max(initial=0)
    told = f"Path: {style.plural(len(table), 'position')} in dims {', '.join(map(str, dims))}"
    if len(table) > 1:
        told += f"; in all dims a step is {number(least)} to {number(longest)} long"
    return f"{told}."


def _in_a_cube(pen, xyz: np.ndarray, azimuth: float) -> np.ndarray:
    """Draw the edges of a cube, and return where points within it are seen."""
    pen.axes((-1.75, 1.75), (-1.75, 1.75), xticks=(), yticks=())
    pen.strokes(looked_at(CORNERS, azimuth)[0][EDGES], color=style.GRID, lw=1)
    return looked_at(xyz, azimuth)[0]


def _ruler(pen, long: float) -> None:
    """Draw how long 1 is."""
    end, below = 1.1, -0.14
    pen.line([end - long, end], [below, below], style.INK, 2)
    pen.label("1", (end - long, below), (-10, 0))
