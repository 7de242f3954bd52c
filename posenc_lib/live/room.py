"""How large a picture is drawn: so that it and its sliders are seen together, on a phone, a desk or a wall."""

from typing import NamedTuple

from posenc_lib.views.sheet import arranged
from posenc_lib.views.style import PLOT

PLOTS = (PLOT, 216, 168)  # px of height that a row of plots may have
SCALES = (1.75, 1.5, 1.25, 1.0)  # times as large as on a desk, for the last row of a classroom


class Drawn(NamedTuple):
    """How a picture is drawn and shown: the width it is given, None if it has its own; a row's height; how large."""

    width: float | None
    plot: float
    scale: float
    shown: int  # px of the page that it takes


def layout(views: list, number: int, room: tuple[float, float], *, large=False, named=False) -> Drawn:
    """Return how some views of `number` encodings are drawn in a room, width and height in px.

    Type is as large as can be; then plots are as high as can be. What fits nowhere is low, and scrolls.

    Args:
        views: those of the first encoding, then as many of the next.
        number: of encodings.
        room: width and height in px that the picture may take.
        large: whether it is for the last row.
        named: whether a name is written above the views of each encoding.
    """
    for scale in SCALES if large else (1.0,):
        width = room[0] / scale
        own = arranged(views, number, named=named)[1][0]
        given = None if own <= width else width
        for plot in PLOTS:
            _, (wide, high) = arranged(views, number, given, plot, named=named)
            found = Drawn(given, plot, scale, round(wide * scale))
            if high * scale <= room[1]:
                return found
    return found
