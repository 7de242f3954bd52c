"""The ground of a view: its limits, and the numbers, lines and names that are drawn again only where they change."""

from functools import cache
from itertools import pairwise

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from matplotlib.ticker import LogLocator, MaxNLocator

from posenc_lib.views import style
from posenc_lib.views.style import CSS_DPI, NUMBERS, number

LIMITS = ("xlim", "ylim", "clim")
DOWN = 13  # px from an axis to the middle of its numbers
STRIP = 60  # px, of the scale of colours
UNIT_AT = style.HEAD - 42  # px above a plot: the middle of its unit line


class Enough(Exception):  # noqa: N818  (it is no error)
    """Raised in a view as soon as it has said which limits it needs, where nobody asked for more."""


class Axes:
    """One pair of axes: what a view asks of them, and what stays.

    Attributes:
        wanted: the limits that the view asked for, by name; frozen: those that stay, and grow where data do not fit;
            shared: those of all views of the same quantity. limits: what came of it.
        size: width and height of the plot, in pixels of the page; ticks: what is written where on each axis.
        changed: whether the ground is new; head: whose view it is, where there are several.
    """

    def __init__(self, view, ax, own: dict):
        self.view, self.ax, self.own = view, ax, own
        self.wanted, self.frozen, self.shared, self.limits = {}, {}, {}, {}
        self.ticks, self.head, self._state, self._measuring = {"x": {}, "y": {}}, "", None, False
        ax.axis("off")
        ax.set(**{f"{name}scale": "log" for name in view.log})

    def freeze(self, names, encoding, values: dict) -> None:
        """Let the limits of these names hold this, too, from now on; nothing is drawn."""
        self._measuring = True
        try:
            self.view.function(self, encoding, **self.taken(values))
        except Enough:
            for name in self.wanted.keys() & names:
                self.frozen[name] = union(
                    name, self.frozen.get(name, self.wanted[name]), self.wanted[name]
                )
        finally:
            self._measuring = False

    def axes(self, xlim, ylim, *, clim=None, cmap=None, x=None, xticks=None, yticks=None) -> None:
        """Let limits, numbers and names be as the data ask; xlim may be a number of positions.

        Ticks are numbers, or what is written at each; None is as many as there is room for.
        """
        wanted = {"xlim": over(xlim) if np.ndim(xlim) == 0 else xlim, "ylim": ylim, "clim": clim}
        self.wanted = {
            n: tuple(float(f"{end:.12g}") for end in ends)
            for n, ends in wanted.items()
            if ends is not None
        }
        if self._measuring:
            raise Enough
        self.limits = dict(self.wanted)
        for name, ends in self.limits.items():
            ends = union(name, ends, self.shared.get(name, ends))
            self.limits[name] = union(name, self.frozen.get(name, ends), ends)
            if name in self.frozen:
                self.frozen[name] = self.limits[name]
        below = self.limits.get("clim", (0,))[0] < 0
        self.cmap = cmap or (style.diverging() if below else style.sequential())
        limits, size = tuple(self.limits.items()), tuple(self.size)
        state = self.head, x, _hashed(xticks), _hashed(yticks), limits, self.cmap, size
        if state != self._state:
            self._state, self.changed = state, True
            self.ax.set(xlim=self.limits["xlim"], ylim=self.limits["ylim"])
            self._measure()
            self.ground.begin()
            self._into = self.ground
            self._rule("x", xticks)
            self._rule("y", yticks)
            self._name(self.view.x if x is None else x)
            if clim is not None and self.view.scale:
                self._scale()
            self._into = self.marks

    def _rule(self, axis: str, ticks) -> None:
        """Write the numbers along an axis, and draw lines to read it by, where the view has some; zero stands out."""
        low, high = sorted(self.limits[f"{axis}lim"])
        if ticks is not None:
            ticks = ticks if isinstance(ticks, dict) else {at: written(at) for at in ticks}
        elif axis in self.view.log:
            ticks = {at: written(at) for at in LogLocator(numticks=6).tick_values(low, high)}
        else:
            whole = self.view.kind == "cells" or (axis == "x" and self.view.kind == "curves")
            parts = int(
                np.clip(self.size["xy".index(axis)] / 56, 3, 8)
            )  # as many as there is room for
            locator = MaxNLocator(
                parts, steps=(1, 2, 2.5, 5, 10), integer=whole, min_n_ticks=1 if whole else 2
            )
            ticks = {at: written(at) for at in locator.tick_values(low, high)}
        noise = 1e-9 * (low if axis in self.view.log else high - low)
        self.ticks[axis] = ticks = {
            at: str(t) for at, t in ticks.items() if low - noise <= at <= high + noise
        }
        if axis in self.view.lines:
            for at in ticks:
                zero = at == 0 and axis not in self.view.log and self.view.kind == "curves"
                self.rule(axis, at, style.RULE if zero else style.GRID, 0.8)
        for at, words in ticks.items():
            self._number(axis, at, words)

    def _number(self, axis: str, at: float, words: str, **look) -> None:
        """Write a number at its place on an axis."""
        look = {
            "within": axis,
            "fontsize": NUMBERS,
            "color": style.SOFT,
            "fontweight": "normal",
        } | look
        if axis == "x":
            self.text(words, (at, 0), (self._inward(at, words, look["fontweight"]), -DOWN), **look)
        else:
            self.text(words, (0, at), (-4, 0), ha="right", **look)

    def _inward(self, at: float, words: str, weight: str = "normal") -> float:
        """Return how far a number on the x axis moves to the left, so that it does not leave its view."""
        along = float(self.px((at, 1))[0] - self._corner[0])
        return min(self.size[0] + style.RIGHT - along - width(words, NUMBERS, weight) / 2, 0.0)

    def _name(self, x) -> None:
        """Write what x counts below the plot, at its right end, or at both; above it, whose view this is."""
        look, down = {"within": "axes", "color": style.SOFT}, (0, 10 - style.FOOT)
        left, right = x if isinstance(x, tuple) else ("", x)
        if right:
            self.text(f"{right} →", (1, 0), down, ha="right", **look)
        if left:
            self.text(f"← {left}", (0, 0), down, ha="left", **look)
        look |= {"fontsize": style.TITLE, "fontweight": "bold", "color": style.KEY, "ha": "left"}
        self.text(self.head, (0, 1), (-self.view.left, style.HEAD + 15), **look)

    def _scale(self) -> None:
        """Draw which number has which colour, above the plot at the right."""
        low, high = map(number, self.limits["clim"])
        look = {"within": "axes", "fontsize": NUMBERS, "color": style.SOFT, "ha": "right"}
        end = -width(high, NUMBERS) - 5
        self.text(high, (1, 1), (0, UNIT_AT), **look)
        self.text(low, (1, 1), (end - STRIP - 5, UNIT_AT), **look)
        x, (a, b) = (
            1 + np.linspace(end - STRIP, end, 41) / self.size[0],
            1 + np.add(UNIT_AT, (-4, 4)) / self.size[1],
        )
        parts = [[(left, a), (right, a), (right, b), (left, b)] for left, right in pairwise(x)]
        colors = self.cmap(np.linspace(0, 1, 40))
        self.shapes(parts, color=colors, edge=colors, lw=0.3, within="axes", clip=False)

    def _scale_width(self) -> float:
        """Return how many pixels of the unit line the scale takes."""
        return (
            STRIP + 20 + sum(width(number(end), NUMBERS) for end in self.limits["clim"])
            if self.view.scale
            else 0
        )

    # Sizes on the page

    def settle(self) -> None:
        """Note where the plot now lies in its figure, in pixels of the page, and how many dots one of these is."""
        self._dots_per_px = self.ax.figure.dpi / CSS_DPI
        self.size, self._corner = (
            (self.ax.bbox.size / self._dots_per_px).round(3),
            self.ax.bbox.p0 / self._dots_per_px,
        )

    @property
    def spans(self) -> np.ndarray:
        """How far the axes reach, across and up, in units of the data."""
        return np.abs([np.subtract(*self.limits["xlim"]), np.subtract(*self.limits["ylim"])])

    def _measure(self) -> None:
        """Note where the ends of the axes lie: asking matplotlib for each place and each word takes too long."""
        ends = np.array([sorted(self.limits["xlim"]), sorted(self.limits["ylim"])]).T
        low, high = self.ax.transData.transform(ends) / self._dots_per_px
        self._logs = [name in self.view.log for name in "xy"]
        ends = np.where(self._logs, np.log10(np.where(self._logs, ends, 1)), ends)
        self._slope = (high - low) / (ends[1] - ends[0])
        self._zero = low - ends[0] * self._slope

    def px(self, place) -> np.ndarray:
        """Return where a place of the data lies in the figure, in pixels of the page."""
        place = np.asarray(place, float)
        if any(self._logs):
            with np.errstate(
                divide="ignore", invalid="ignore"
            ):  # 0 lies nowhere on a logarithmic axis
                place = np.where(self._logs, np.log10(place), place)
        return place * self._slope + self._zero

    def at_px(self, place, within: str) -> np.ndarray:
        """Return where a place lies in the figure, in pixels of the page; within: of which axes it is data."""
        share = self._corner + np.asarray(place, float) * self.size
        return (
            share
            if within == "axes"
            else np.where([within != "y", within != "x"], self.px(place), share)
        )

    def room(self, grid: np.ndarray) -> np.ndarray:
        """Return for how many rows and columns the axes have room: limits that stay may hold more than a grid."""
        stay = [abs(np.subtract(*self.frozen.get(name, (0, 0)))) for name in ("ylim", "xlim")]
        return np.maximum(stay, grid.shape)


def over(count: int) -> tuple[float, float]:
    """Return the ends of an axis with so many positions, each at its number."""
    return -0.5, max(count - 0.5, 0.5)


def union(name: str, one: tuple, other: tuple) -> tuple:
    """Return limits that hold both and run as the first do, up or down; colours stay centred on a zero within them."""
    low, high = min(*one, *other), max(*one, *other)
    if name == "clim" and low < 0:
        low, high = min(low, -high), max(-low, high)
    return (low, high) if one[0] <= one[1] else (high, low)


def written(at: float) -> str:
    """Return a tick as people write it: 0.25, −10, 10,000, and where there is no room 1e8."""
    return style.plain(float(f"{at:.6g}")).replace("-", "−") if abs(at) < 1e8 else number(at)


def _hashed(ticks):
    return (
        tuple(ticks.items())
        if isinstance(ticks, dict)
        else ticks
        if ticks is None
        else tuple(ticks)
    )


@cache
def width(words: str, size: float, weight: str = "normal") -> float:
    """Return how wide words are, in pixels of the page."""
    font = FontProperties(size=size, weight=weight, family="DejaVu Sans")
    return 1.03 * text_to_path.get_text_width_height_descent(words, font, False)[0] / 72 * CSS_DPI
