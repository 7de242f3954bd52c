"""What a sine can't tell: two moments with one sine, and what a matrix misses of the next one."""

import numpy as np

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.style import number
from posenc_lib.views.view import POSITION, view

AHEAD = Parameter("ahead", "how many positions later to look", 1.0, 0.0, 6.0, scale="real", most=64)
MOMENT = Parameter("position", "which position to look at", 10.0, 0.0, 4095.0, scale="real")
ONE_WAVE = {"only": lambda e: getattr(e, "wave", "") == "dim", "only_for": "sines alone"}
PAST = 2.0  # positions before both moments that are drawn
TICKS = range(-2, 7)
NUMBER = 62  # px right of the last future for its number
FINE = 512  # points of a curve
LOWER = -2.6  # where the lower wave has its 0
SHOWN = 32  # positions: more waves than these are hard to compare


@view(
    "curves",
    "One sine, two futures",
    x=("positions before", "positions later"),
    ignores="d_model base",
    **ONE_WAVE,
)
def two_futures(pen, encoding, position=POSITION, ahead=AHEAD):
    """Draw how the fastest sine gets to a height and goes on from there.

    It has this height at a position and, on its way in the other direction, at a twin.
    """
    theta = float(encoding.frequencies[0])
    moments = {position: style.QUERY, twin_of(position, theta): style.OTHER}
    (_, first), (twin, second) = moments.items()
    height = float(np.sin(theta * position))
    share = NUMBER / pen.size[0]
    end = AHEAD.high + (PAST + AHEAD.high) * share / (1 - share)
    pen.axes((-PAST, end), (-1.3, 1.3), xticks=TICKS, yticks=(-1, 0, 1))
    pen.unit("↑ sine, from", (f"position {position}", first), (f"or {number(twin)}", second))
    pen.rule("y", 0, style.GRID, 0.8)
    pen.rule("x", 0, style.GRID, 0.8)
    before, after = np.linspace(-PAST, 0, FINE), np.linspace(0, ahead, FINE)
    for start, color in moments.items():
        pen.curve(before, np.sin(theta * (start + before)), color=color, lw=1.6)
        pen.curve(after, np.sin(theta * (start + after)), color=color, lw=4)
    pen.query(ahead, name=number(ahead), color=style.INK)
    futures = {start: float(np.sin(theta * (start + ahead))) for start in moments}
    # each on its own side: the words don't touch
    for start, side in zip(sorted(moments, key=futures.get), (-1, 1), strict=True):
        if ahead:
            there, color = (ahead, futures[start]), moments[start]
            pen.mark([there], color, 11)
            pen.label(number(futures[start]), there, (11, 8 * side), color=color, ha="left")
    pen.mark([(0, height)], style.INK, 11)
    # off the futures
    shift, side = ((-8, 0), "right") if ahead else ((8, 0), "left")
    pen.label(number(height), (0, height), shift, ha=side)
    both, (one, other) = number(height), map(number, futures.values())
    places = f"{position} and {number(twin)}"
    now = f"Positions {places} have the same sine, {both}"
    pen.title(f"{number(ahead)} later, {both} is {one} or {other}" if ahead else now)
    ways = ["rises" if np.cos(theta * start) > 0 else "falls" for start in moments]
    later = f"; {number(ahead)} later it's {one} and {other}" if ahead else ""
    return f"{now}: it {ways[0]} at the first and {ways[1]} at the second{later}."


def twin_of(position: int, theta: float) -> float:
    """Return the nearest other moment with the same sine, on its way in the other direction."""
    turn, mirrored = 2 * np.pi / theta, np.pi / theta - position
    moments = mirrored + turn * np.arange(np.ceil(-mirrored / turn), 2 + 2 * position / turn)
    return float(moments[np.abs(moments - position).argmin()])


@view("curves", "What the best matrix misses", x="position", **ONE_WAVE)
def matrix_misses(pen, encoding, position=MOMENT):
    """Draw dim 0, and below it what the best matrix and constant miss of its next value."""
    table, count = encoding.table, len(encoding.table)
    last = max(min(count - 1, SHOWN), 2) - 1
    ticks = {1.0: "1", 0.0: "0", -1.0: "−1"}
    ticks |= {LOWER + height: text for height, text in ticks.items()}
    pen.axes((0, last), (LOWER - 1.25, 1.5), yticks=ticks)
    pen.unit("↑ dim 0, and the next value − the forecast")
    best = np.linalg.lstsq(_given(table[:-1]), table[1:, 0], rcond=None)[0]
    missed = table[1:, 0] - _given(table[:-1]) @ best
    fine = np.linspace(0, last, FINE)
    now, later = (encoding.queries_and_keys(fine + step)[0] for step in (0, 1))
    curves = {0.0: now[:, 0], LOWER: later[:, 0] - _given(now) @ best}
    names = ("dim 0", "what the best matrix misses")
    for (middle, heights), name in zip(curves.items(), names, strict=True):
        pen.rule("y", middle, style.GRID, 0.8)
        pen.curve(fine, middle + heights, color=style.INK if middle else style.KEY)
        if position <= last:
            here = float(np.interp(position, fine, heights))
            pen.mark([(position, middle + here)], style.QUERY, 9)
            side = {"ha": "left"} if position < last / 2 else {"ha": "right"}
            shift = (9 if position < last / 2 else -9, 0)
            pen.label(number(round(here, 2)), (position, middle + here), shift, **side)
        pen.label(name, (0, middle + 1.3), (4, 0), ha="left", color=style.SOFT)
    pen.query(position if position <= last else None, name=number(position))
    usual = number(float(np.sqrt(np.mean(missed**2))) if len(missed) else 0.0)
    sines = style.plural(table.shape[1], "sine")
    pen.title(f"With {sines}, the best matrix typically misses by {usual}")
    return (
        f"With {sines} and a constant, the best matrix typically misses the next value of dim 0 "
        f"by {usual} (root mean square)."
    )


def _given(table: np.ndarray) -> np.ndarray:
    """Return what a matrix with a constant is given: the rows, each with a one."""
    return np.column_stack([table, np.ones(len(table))])
