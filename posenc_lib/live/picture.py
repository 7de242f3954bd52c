"""An explorer's picture: a canvas you can point at and drag in, or a plain image.

The page reports where it's touched, in fractions of the picture. The pens know what's there: what
the axes count, and where they drew curves, cells, points and hands.
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
from posenc_lib.translation import script
from posenc_lib.views.pen import NEAR, Slid
from posenc_lib.views.style import CSS_DPI, FOOT, number, written

DRAWN = 512  # points in a curve to draw, at most
MOMENT = 3  # seconds for a page to load what a canvas needs
SETS = ("query", "offset", "pair", "head", "seq_len", "position", "key", "token")  # in order
BOTH = ("column", "row")  # a drag in a plane sets both
# where a slider has a different name
SLIDERS = {"position": ("query", "position"), "key": ("query",), "token": ("before",)}


class Picture(anywidget.AnyWidget):
    """A canvas that reports where it's touched and how much room the page has."""

    _esm = part("guess.js") + stored_text(Path(__file__).with_name("picture.js"))
    value = traitlets.Bytes(b"").tag(sync=True)  # a PNG
    # from the page: whether it loaded what a canvas needs
    runs = traitlets.Bool(False).tag(sync=True)
    alt = traitlets.Unicode("").tag(sync=True)
    # for each view: where it is, and what a drag there moves
    axes = traitlets.List().tag(sync=True)
    # from the page: where; press is 0 if nothing is held
    touched = traitlets.Dict().tag(sync=True)
    hint = traitlets.Dict().tag(sync=True)  # what to say there
    sent = traitlets.Dict().tag(sync=True)  # from the page: a number typed next to a slider
    page = traitlets.Dict().tag(sync=True)  # from the page: whether it's dark, and its room in px
    drawn = traitlets.Unicode("").tag(sync=True)  # the theme it's drawn in, if it's the page's
    # from the page: whether a hand is on a slider
    held = traitlets.Bool(False).tag(sync=True)
    guess = traitlets.Dict().tag(sync=True)  # what the reader should draw, see `question`
    # from the page: the views to reveal
    answered = traitlets.List().tag(sync=True)

    def __init__(self):
        self._esm += script()
        super().__init__()


class Plain(widgets.Image):
    """A picture where the page can't load anywidget: the same pixels, without dragging."""

    page: dict = {}  # noqa: RUF012


def soon(do) -> None:
    """Do something in a moment, between a page's messages; without an event loop, never."""
    with suppress(RuntimeError):
        asyncio.get_running_loop().call_later(MOMENT, do)


def ask_page(widget, message: dict, *data: bytes) -> bool:
    """Ask the browser to copy a text or save a file; return whether there's a page."""
    if widget.page:
        widget.send(message, buffers=list(data))
    return bool(widget.page)


def question(panel) -> dict:
    """Return what the page needs to let a reader draw and to say how far off the drawing is.

    For each plot: its index among the axes, the true x and y, which point is known, how wide bars
    are, what they count, and the limits and scales of its axes.
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
    """Return the label at each x, or the nearest one; None if the axis has its own numbers."""
    if all(words.lstrip("+") == written(at).replace("-", "−") for at, words in ticks.items()):
        return None
    nearest = [min(ticks, key=lambda at: abs(at - place)) for place in x]
    return [
        f"{'' if at == place else 'about '}{ticks[at]}"
        for at, place in zip(nearest, x, strict=True)
    ]


def thinned(x: np.ndarray, y: np.ndarray) -> tuple[list, list]:
    """Return the points that are numbers, at most as many as a hand can tell apart."""
    there = np.flatnonzero(np.isfinite(y))
    there = there[
        np.unique(np.linspace(0, len(there) - 1, min(len(there), DRAWN)).round().astype(int))
    ]
    return x[there].tolist(), y[there].tolist()


def place(pen, sliders: dict) -> dict:
    """Return a view's place, in fractions of the picture, and the sliders a drag there moves."""
    (left, bottom), (right, top) = pen.ax.get_position().get_points().round(4).tolist()
    if pen.points is not None:  # their names can be below
        bottom -= FOOT * pen.ax.figure.dpi / CSS_DPI / pen.ax.figure.bbox.height
    moved = [name for name, *_ in (*axes_moved(pen, sliders), *pen.hands) if name in awake(sliders)]
    return {"box": [left, 1 - top, right, 1 - bottom], "drags": " ".join(dict.fromkeys(moved))}


def awake(sliders: dict) -> set[str]:
    """Return the names of the sliders that can move."""
    return {name for name, slider in sliders.items() if not slider.disabled}


def axes_moved(pen, sliders: dict) -> list[tuple[str, int]]:
    """Return the sliders a drag moves, given the axes, each with the axis it follows, 0 or 1."""
    free = awake(sliders)
    if pen.view.drags:
        return [(pen.view.drags, 0)] if pen.view.drags in free else []
    if tuple(pen.names) == BOTH:
        return [(name, k) for k, name in enumerate(BOTH) if name in free]
    found = sorted((SETS.index(name), k) for k, name in enumerate(pen.names) if name in SETS)
    wanted = [(name, k) for at, k in found for name in SLIDERS.get(SETS[at], (SETS[at],))]
    return [(name, k) for name, k in wanted if name in free][:1]


class Touch:
    """What a hand does in a panel's pictures; it keeps hold of the same thing until release."""

    def __init__(self):
        self._press, self._hand, self._start = 0, None, {}
        self.rolls = False  # whether it keeps going when thrown

    def moves(self, pen, sliders: dict, at: dict) -> dict:
        """Return the values a drag asks for, by slider."""
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
    """Return the slider value for a hand rotated to a spot, the short way."""
    middle, tip = pen.ax.transData.transform(line)
    now, wanted = (math.atan2(*(place - middle)[::-1]) for place in (tip, spot))
    by = math.remainder(wanted - now, 2 * math.pi)
    return slider.value + by / turn if turn else slider.value


def told(pen, at: dict) -> str:
    """Return the name and value of what's drawn where a reader points; "" where nothing is."""
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
    """Return where a page was touched, in image dots, inside the axes."""
    box = pen.ax.bbox
    return np.clip(np.array([at["left"], 1 - at["top"]]) * pen.ax.figure.bbox.size, box.p0, box.p1)


def _nearest_point(pen, spot: np.ndarray) -> int | None:
    """Return the number of the nearest point, if it's close enough."""
    far = np.hypot(*_seen_from(pen, pen.points, spot).T)
    return int(far.argmin()) if len(far) and far.min() <= NEAR else None


def _seen_from(pen, points, spot: np.ndarray) -> np.ndarray:
    """Return how far data points are right of a spot and above it, in page px."""
    return (pen.ax.transData.transform(points) - spot) * CSS_DPI / pen.ax.figure.dpi


def _away(pen, points, spot: np.ndarray) -> float:
    """Return a spot's distance from a line through data points, in page px."""
    line = _seen_from(pen, points, spot)
    along = np.diff(line, axis=0, append=line[-1:])
    part = np.clip(-(line * along).sum(axis=1) / np.maximum((along**2).sum(axis=1), 1e-12), 0, 1)
    far = np.hypot(*(line + part[:, None] * along).T)
    return float(np.nanmin(far)) if np.isfinite(far).any() else math.inf
