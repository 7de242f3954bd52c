"""An explorer's picture: a canvas that can be pointed at and dragged in, or a plain image.

The page tells where it is touched, in fractions of the picture; what is there, the pens know: what
the axes count, and where curves, cells, points and hands were drawn.
"""

import asyncio
import math
from contextlib import suppress
from pathlib import Path

import anywidget
import ipywidgets as widgets
import numpy as np
import traitlets

from posenc_lib.figures.film import part
from posenc_lib.files import stored_text
from posenc_lib.views.pen import NEAR, Slid
from posenc_lib.views.style import CSS_DPI, FOOT, number, written

DRAWN = 512  # points of a curve that a reader draws, at most
MOMENT = 3  # seconds in which a page loads what it needs for a canvas
SETS = ("query", "offset", "pair", "head", "seq_len", "position", "key", "token")  # in order
BOTH = ("column", "row")  # what a drag in a plane sets at once
# where a slider has another name
SLIDERS = {"position": "query", "key": "query", "token": "before"}


class Picture(anywidget.AnyWidget):
    """A picture on a canvas, which tells where it is touched and how much room the page has."""

    _esm = part("guess.js") + stored_text(Path(__file__).with_name("picture.js"))
    value = traitlets.Bytes(b"").tag(sync=True)  # a PNG
    # from the page: whether it has loaded what a canvas needs
    runs = traitlets.Bool(False).tag(sync=True)
    alt = traitlets.Unicode("").tag(sync=True)
    # of each view where it lies, and what a drag there moves
    axes = traitlets.List().tag(sync=True)
    # from the page: where; press is 0 where nothing is held
    touched = traitlets.Dict().tag(sync=True)
    hint = traitlets.Dict().tag(sync=True)  # what is said there
    sent = traitlets.Dict().tag(sync=True)  # from the page: a number that was typed beside a slider
    page = traitlets.Dict().tag(sync=True)  # from the page: whether it is dark, and its room in px
    drawn = traitlets.Unicode("").tag(sync=True)  # for which theme, if for that of the page
    # from the page: whether a hand is on a slider
    held = traitlets.Bool(False).tag(sync=True)
    guess = traitlets.Dict().tag(sync=True)  # what a reader is to draw, see `question`
    # from the page: the views whose drawn curve is to be seen
    answered = traitlets.List().tag(sync=True)


class Plain(widgets.Image):
    """A picture where the page cannot load anywidget: the same pixels, which nobody can touch."""

    page: dict = {}  # noqa: RUF012


def soon(do) -> None:
    """Do something in a moment, between a page's messages; never where nothing waits for them."""
    with suppress(RuntimeError):
        asyncio.get_running_loop().call_later(MOMENT, do)


def ask_page(widget, message: dict, *data: bytes) -> bool:
    """Let the reader's browser copy a text or save a file; return whether any page is there."""
    if widget.page:
        widget.send(message, buffers=list(data))
    return bool(widget.page)


def question(panel) -> dict:
    """Return what the page needs to let a reader draw, and to say how far off the drawing is.

    For each plot: which of the axes it is, the truth as x and y, which of them is known, how wide
    bars are, what they count, and the axes' limits and scales.
    """
    plots = []
    for k, pen in enumerate(panel.pens):
        if pen.drawable is not None:
            x, y = thinned(*pen.drawable)
            known = None if pen.known is None else int(np.searchsorted(x, pen.known))
            plot = {name: [float(end) for end in pen.limits[name]] for name in ("xlim", "ylim")}
            plot |= {"axes": k, "x": x, "y": y, "known": known, "wide": pen.wide}
            plot |= {
                "log": pen.view.log,
                "name": pen.axes.head or pen.view.title,
                "unit": pen.unit_line.lstrip("↑ ") or "y",
                "counts": f"{pen.names[0]} " if pen.names[0] else "",
                "labels": _labels(x, pen.axes.ticks["x"]),
            }
            plots.append(plot)
    return {"asked": panel.asked, "plots": plots}


def _labels(x: list[float], ticks: dict[float, str]) -> list[str] | None:
    """Return what is written at each x or nearest to it; None where an axis has its own numbers."""
    if all(words == written(at).replace("-", "−") for at, words in ticks.items()):
        return None
    nearest = [min(ticks, key=lambda at: abs(at - place)) for place in x]
    return [
        f"{'' if at == place else 'about '}{ticks[at]}"
        for at, place in zip(nearest, x, strict=True)
    ]


def thinned(x: np.ndarray, y: np.ndarray) -> tuple[list, list]:
    """Return those of some points that are numbers, at most as many as a hand can tell apart."""
    there = np.flatnonzero(np.isfinite(y))
    there = there[
        np.unique(np.linspace(0, len(there) - 1, min(len(there), DRAWN)).round().astype(int))
    ]
    return x[there].tolist(), y[there].tolist()


def place(pen, sliders: dict) -> dict:
    """Return where a view is, in fractions of the picture, and which sliders a drag there moves."""
    (left, bottom), (right, top) = pen.ax.get_position().get_points().round(4).tolist()
    if pen.points is not None:  # their names may stand below
        bottom -= FOOT * pen.ax.figure.dpi / CSS_DPI / pen.ax.figure.bbox.height
    moved = [name for name, *_ in (*axes_moved(pen, sliders), *pen.hands) if name in awake(sliders)]
    return {"box": [left, 1 - top, right, 1 - bottom], "drags": " ".join(dict.fromkeys(moved))}


def awake(sliders: dict) -> set[str]:
    """Return the names of the sliders that can be moved."""
    return {name for name, slider in sliders.items() if not slider.disabled}


def axes_moved(pen, sliders: dict) -> list[tuple[str, int]]:
    """Return which sliders a drag moves, by what axes mean, and if it follows x (0) or y (1)."""
    free = awake(sliders)
    if pen.view.drags:
        return [(pen.view.drags, 0)] if pen.view.drags in free else []
    if tuple(pen.names) == BOTH:
        return [(name, k) for k, name in enumerate(BOTH) if name in free]
    found = sorted((SETS.index(name), k) for k, name in enumerate(pen.names) if name in SETS)
    wanted = [(SLIDERS.get(SETS[place], SETS[place]), k) for place, k in found]
    return [(name, k) for name, k in wanted if name in free][:1]


class Touch:
    """What a hand does in the pictures of a panel; a press that goes on keeps what it has taken."""

    def __init__(self):
        self._press, self._hand, self._start = 0, None, {}
        self.rolls = False  # whether that goes on when it's thrown

    def moves(self, pen, sliders: dict, at: dict) -> dict:
        """Return the values that a drag wants, by slider."""
        spot = _spot(pen, at)
        if at["press"] != self._press:
            self._press = at["press"]
            self._start = {name: slider.value for name, slider in sliders.items()}
            free = [k for k, (name, *_) in enumerate(pen.hands) if name in awake(sliders)]
            far = [(_away(pen, pen.hands[k][1], spot), k) for k in free]
            nearest, hand = min(far, default=(math.inf, None))
            self._hand = hand if nearest <= NEAR else None
            self.rolls = nearest <= NEAR and isinstance(pen.hands[hand][2], Slid)
        if self._hand is not None and self._hand < len(pen.hands):
            name, line, leads = pen.hands[self._hand]
            if isinstance(leads, Slid):
                by = at["by"] * pen.ax.figure.bbox.width * CSS_DPI / pen.ax.figure.dpi
                return {name: self._start[name] + by / leads}
            if callable(leads):
                return {name: leads(pen.ax.transData.inverted().transform(spot))}
            return {name: _turned(pen, line, leads, sliders[name], spot)}
        moved = axes_moved(pen, sliders)
        if pen.view.drags:
            return {name: self._start[name] + pen.view.degrees * at["by"] for name, _ in moved}
        if pen.points is not None:
            point = _nearest_point(pen, spot)
            return {} if point is None else {name: point for name, _ in moved}
        place = pen.ax.transData.inverted().transform(spot)
        return {name: float(place[axis]) for name, axis in moved}


def _turned(pen, line, turn: float, slider, spot: np.ndarray) -> float:
    """Return where a hand that is turned to a spot leads its slider, the shorter way round."""
    middle, tip = pen.ax.transData.transform(line)
    now, wanted = (math.atan2(*(place - middle)[::-1]) for place in (tip, spot))
    by = math.remainder(wanted - now, 2 * math.pi)
    return slider.value + by / turn if turn else slider.value


def told(pen, at: dict) -> str:
    """Return name and number of what is drawn where a reader points; nothing over empty ground."""
    if pen.withheld:
        return ""
    spot = _spot(pen, at)
    x, y = pen.ax.transData.inverted().transform(spot)
    names = [
        f"{name} {number(round(place))}"
        for name, place in zip(pen.names, (x, y), strict=True)
        if name
    ]
    if pen.points is not None:
        point = _nearest_point(pen, spot)
        there, names = point is not None, [f"position {point}"]
    elif pen.grid is not None:
        there = bool(pen.says) or pen.inside(x, y)
    else:
        near = any(_away(pen, points, spot) <= NEAR for _, points in pen.traces if len(points))
        there = near or (bool(pen.says) and not pen.traces)
    value = pen.value_at(x, y) if there else ""
    if not value and (not there or pen.points is None):
        return ""
    return ": ".join(filter(None, [", ".join(names), value]))


def _spot(pen, at: dict) -> np.ndarray:
    """Return where a page has been touched, in dots of the picture, within the axes."""
    box = pen.ax.bbox
    return np.clip(np.array([at["left"], 1 - at["top"]]) * pen.ax.figure.bbox.size, box.p0, box.p1)


def _nearest_point(pen, spot: np.ndarray) -> int | None:
    """Return the number of the point that is meant, if one is near."""
    far = np.hypot(*_seen_from(pen, pen.points, spot).T)
    return int(far.argmin()) if len(far) and far.min() <= NEAR else None


def _seen_from(pen, points, spot: np.ndarray) -> np.ndarray:
    """Return how far points of the data are right of a spot, and above it, in px of the page."""
    return (pen.ax.transData.transform(points) - spot) * CSS_DPI / pen.ax.figure.dpi


def _away(pen, points, spot: np.ndarray) -> float:
    """Return how far a spot is from a line through points of the data, in px of the page."""
    line = _seen_from(pen, points, spot)
    along = np.diff(line, axis=0, append=line[-1:])
    part = np.clip(-(line * along).sum(axis=1) / np.maximum((along**2).sum(axis=1), 1e-12), 0, 1)
    far = np.hypot(*(line + part[:, None] * along).T)
    return float(np.nanmin(far)) if np.isfinite(far).any() else math.inf
