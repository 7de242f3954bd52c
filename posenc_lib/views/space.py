"""A cube seen from any side, for views of three dims."""

import itertools

import numpy as np

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.points import PLANE

AZIMUTH = Parameter(
    "azimuth", "which side you look from, in degrees", -60, -180, 175, 5, least=-360, most=360
)

# degrees by which you look down; how far away the eye is, in half sides of the cube
ELEVATION, FAR = (18, 9.0)

CORNERS = np.array(list(itertools.product((0, 1), repeat=3)))

EDGES = np.array(
    [
        two
        for two in itertools.combinations(range(8), 2)
        if np.ptp(CORNERS[[*two]], axis=0).sum() == 1
    ]
)

SPACE = PLANE | {"square": True, "drags": "azimuth"}


def looked_at(xyz: np.ndarray, azimuth: float) -> tuple[np.ndarray, np.ndarray]:
    """Return where you see points of a cube, in 0 … 1, from a side, and how near each is."""
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
    """Draw a cube's edges and axes; return where you see its corners, and how near they are."""
    corners, near = looked_at(CORNERS, azimuth)
    pen.axes((-1.75, 1.75), (-1.85, 1.65), xticks=(), yticks=())
    pen.strokes(corners[EDGES], color=style.GHOST, lw=1.2)
    for axis in range(3):  # its name is next to the nearest edge of the floor, or the leftmost
        edges = [edge for edge in EDGES if np.ptp(CORNERS[edge], axis=0)[axis]]
        if axis < 2:
            floor = [edge for edge in edges if not CORNERS[edge, 2].any()]
            edge = max(floor, key=lambda edge: near[edge].sum())
        else:
            edge = min(edges, key=lambda edge: corners[edge, 0].sum())
        start, end = corners[edge]
        out = (end - start)[::-1] * (-1, 1)
        out *= np.sign(out @ (start + end)) / np.linalg.norm(out)
        side = "left" if out[0] > 0.6 else "right" if out[0] < -0.6 else "center"
        pen.text(f"dim {axis}", (start + end) / 2, tuple((18, 22) * out), color=style.SOFT, ha=side)
    return corners, near
