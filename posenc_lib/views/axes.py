"""The axes of a view: limits, numbers, lines and names, redrawn only if they change."""

from itertools import pairwise

import numpy as np
from matplotlib.ticker import LogLocator, MaxNLocator

from posenc_lib.views import style
from posenc_lib.views.marks import Pencil, same
from posenc_lib.views.style import NUMBERS, number, text_width

LIMITS = ("xlim", "ylim", "clim")
STEPS = (1, 2, 2.5, 5, 10)  # between the numbers of an axis
DOWN = 13  # px from an axis to the middle of its numbers
STRIP = 60  # px of the color scale
UNIT_AT = style.HEAD - 42  # px above a plot: the middle of its unit line


class Enough(Exception):  # noqa: N818  (not an error)
    """Stops a view once it has said which limits it wants."""


class Axes:
    """The axes of one view, which calls them with the limits it wants.

    Attributes:
        wanted: these limits, by name; the pencil has those in use.
        frozen: limits that stay, and only grow if data don't fit.
        held: the same, while a slider is being moved.
        shared: limits for all views of the same quantity.
        ticks: for each axis, the text at each place.
        hidden: (axis, place) of ticks that bold numbers replace in this frame.
        changed: whether this frame redrew everything.
        head: whose view it is, if there are several.
    """

    def __init__(self, view, pencil: Pencil):
        self.view = view
        self.pencil = pencil
        self.wanted = {}
        self.frozen = {}
        self.held = {}
        self.shared = {}
        self.ticks = {"x": {}, "y": {}}
        self.head = ""
        self._measuring = False
        self.state = None

    def begin(self) -> None:
        """Start a frame."""
        self.changed = False
        self.hidden = set()

    def __call__(
        self, xlim, ylim, *, clim=None, cmap=None, x=None, xticks=None, yticks=None
    ) -> None:
        """Set limits, numbers and names to suit the data.

        xlim can be a number of positions. Ticks are numbers, or a dict of the text at each;
        None means as many as fit. x is what the x axis counts, if not the view's x.
        """
        if np.ndim(xlim) == 0:
            xlim = ends_of(xlim)
        self.wanted = {"xlim": steady(xlim), "ylim": steady(ylim)}
        if clim is not None:
            self.wanted["clim"] = steady(clim)
        if self._measuring:
            raise Enough
        limits = self._limits()
        low = limits.get("clim", (0,))[0]
        self.cmap = cmap or (style.diverging() if low < 0 else style.sequential())
        state = self.head, x, xticks, yticks, limits, self.cmap, self.pencil.size
        if not same(state, self.state):
            self.state = state
            self.changed = True
            self.pencil.reach(limits)
            self.pencil.into = self.pencil.ground
            self.pencil.into.begin()
            self._write_numbers("x", xticks)
            self._write_numbers("y", yticks)
            self._write_names(self.view.x if x is None else x)
            self._draw_scale()
            self.pencil.into = self.pencil.marks

    def _limits(self) -> dict:
        """Return limits that contain the wanted, shared, frozen and held ones."""
        limits = {}
        for name, ends in self.wanted.items():
            ends = enclosing(name, ends, self.shared.get(name, ends))
            for kept in (self.frozen, self.held):
                if name in kept:
                    kept[name] = ends = enclosing(name, kept[name], ends)
            limits[name] = ends
        return limits

    def freeze(self, names, draw) -> None:
        """Freeze these limits, wide enough for the view that draw() calls."""
        self._measuring = True
        try:
            draw()
        except Enough:
            for name in self.wanted.keys() & names:
                wanted = self.wanted[name]
                self.frozen[name] = enclosing(name, self.frozen.get(name, wanted), wanted)
        finally:
            self._measuring = False

    def room(self, grid: np.ndarray) -> np.ndarray:
        """Return how many rows and columns there's room for."""
        stay = [np.ptp(self.frozen.get(name, 0)) for name in ("ylim", "xlim")]
        return np.maximum(stay, grid.shape)

    # Numbers

    def _write_numbers(self, axis: str, ticks) -> None:
        """Write an axis's numbers, with lines to read it by."""
        low, high = sorted(self.pencil.limits[f"{axis}lim"])
        log = axis in self.view.log
        if ticks is None:
            ticks = self._usual_ticks(axis, low, high)
        if not isinstance(ticks, dict):
            ticks = {place: style.written(place) for place in ticks}
        noise = 1e-9 * (low if log else high - low)
        inside = [place for place in ticks if low - noise <= place <= high + noise]
        self.ticks[axis] = {place: str(ticks[place]) for place in inside}
        lines = inside if axis in self.view.lines else []
        for place in lines:
            zero = place == 0 and not log and self.view.kind == "curves"  # it stands out
            self.pencil.rule(axis, place, style.RULE if zero else style.GRID, 0.8)
        for place, words in self.ticks[axis].items():
            self._write(axis, place, words)

    def _usual_ticks(self, axis: str, low: float, high: float) -> np.ndarray:
        """Return where numbers go, as many as fit."""
        if axis in self.view.log:
            return LogLocator(numticks=6).tick_values(low, high)
        kind = self.view.kind
        whole = kind == "cells" or (axis == "x" and kind == "curves")
        parts = int(np.clip(self.pencil.size["xy".index(axis)] / 56, 3, 8))
        locator = MaxNLocator(parts, steps=STEPS, integer=whole, min_n_ticks=1 if whole else 2)
        return locator.tick_values(low, high)

    def _write(self, axis: str, place, words: str, weight="normal", color=None) -> None:
        """Write a number at its place on an axis."""
        font = {"fontsize": NUMBERS, "fontweight": weight, "color": color or style.SOFT}
        if axis == "x":
            shift = self._inward(place, words, weight), -DOWN
            self.pencil.text(words, (place, 0), shift, within="x", **font)
        else:
            self.pencil.text(words, (0, place), (-4, 0), within="y", ha="right", **font)

    def _inward(self, place: float, words: str, weight: str = "normal") -> float:
        """Return how far a number moves along the x axis to stay in its view."""
        along = float(self.pencil.px((place, 1))[0] - self.pencil.corner[0])
        room = self.pencil.size[0] + style.RIGHT - along
        return min(room - text_width(words, NUMBERS, weight) / 2, 0.0)

    def replace(self, axis: str, place, words: str, color) -> None:
        """Write a bold number in place of any it would touch."""
        ticks = self.ticks[axis]
        half = half_of(axis, words, "bold")
        places = [(tick, tick) for tick in (place, *ticks)]
        here, *there = self.pencil.px(places)[:, "xy".index(axis)]
        for tick, along in zip(ticks, there, strict=True):
            meets = abs(along - here) < half + half_of(axis, ticks[tick]) + 3
            if meets and (axis, tick) not in self.hidden:  # or it would cover a bold one
                self.hidden.add((axis, tick))
                self._cover(axis, tick)
        self._write(axis, place, words, "bold", color)

    def _cover(self, axis: str, place: float) -> None:
        """Hide a number under paper: the ground keeps its pixels."""
        words = self.ticks[axis][place]
        half = text_width(words, NUMBERS) / 2 + 2
        x, y = (self.pencil.px((place, place)) - self.pencil.corner).tolist()
        x, y = (x + self._inward(place, words), -DOWN) if axis == "x" else (-2 - half, y)
        corners = [(x - half, y - 8), (x + half, y - 8), (x + half, y + 8), (x - half, y + 8)]
        area = np.array(corners) / self.pencil.size
        self.pencil.shapes([area], color=style.PAPER, within="axes", clip=False)

    # Names, and the color scale

    def _write_names(self, x) -> None:
        """Write what x counts below the plot, and the head above it."""
        text = self.pencil.text
        below = 0, 10 - style.FOOT
        soft = {"within": "axes", "color": style.SOFT}
        left, right = x if isinstance(x, tuple) else ("", x)
        if right:
            text(f"{right} →", (1, 0), below, ha="right", **soft)
        if left:
            text(f"← {left}", (0, 0), below, ha="left", **soft)
        above = -self.view.left, style.HEAD + 15
        bold = {"fontsize": style.TITLE, "fontweight": "bold", "color": style.KEY}
        text(self.head, (0, 1), above, within="axes", ha="left", **bold)

    @property
    def scale_width(self) -> float:
        """How many pixels of the unit line the scale takes."""
        if not self.view.scale or "clim" not in self.pencil.limits:
            return 0
        low, high = map(number, self.pencil.limits["clim"])
        return STRIP + 20 + text_width(low, NUMBERS) + text_width(high, NUMBERS)

    def _draw_scale(self) -> None:
        """Draw the color scale, above the plot on the right."""
        if not self.scale_width:
            return
        low, high = map(number, self.pencil.limits["clim"])
        end = -text_width(high, NUMBERS) - 5
        font = {"within": "axes", "fontsize": NUMBERS, "color": style.SOFT, "ha": "right"}
        self.pencil.text(high, (1, 1), (0, UNIT_AT), **font)
        self.pencil.text(low, (1, 1), (end - STRIP - 5, UNIT_AT), **font)
        wide, high = self.pencil.size
        x = 1 + np.linspace(end - STRIP, end, 41) / wide
        bottom, top = 1 + np.add(UNIT_AT, (-4, 4)) / high
        parts = [[(a, bottom), (b, bottom), (b, top), (a, top)] for a, b in pairwise(x)]
        colors = self.cmap(np.linspace(0, 1, 40))
        self.pencil.shapes(parts, color=colors, edge=colors, lw=0.3, within="axes", clip=False)


def ends_of(count: int) -> tuple[float, float]:
    """Return limits for so many positions, each at its number."""
    return -0.5, max(count - 0.5, 0.5)


def steady(ends) -> tuple[float, float]:
    """Return limits without rounding noise, which would redraw them."""
    first, last = ends
    return float(f"{first:.12g}"), float(f"{last:.12g}")


def enclosing(name: str, ends: tuple, others: tuple) -> tuple:
    """Return limits that contain both and run the way `ends` does.

    Colors stay centered on zero.
    """
    low, high = min(*ends, *others), max(*ends, *others)
    if name == "clim" and low < 0:
        low, high = min(low, -high), max(-low, high)
    return (low, high) if ends[0] <= ends[1] else (high, low)


def half_of(axis: str, words: str, weight: str = "normal") -> float:
    """Return half the pixels a number takes along its axis."""
    return text_width(words, NUMBERS, weight) / 2 if axis == "x" else 7
