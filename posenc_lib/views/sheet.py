"""Several views in one figure: their layout, and the frames as sliders move."""

import re
from collections import defaultdict
from contextlib import suppress
from functools import partial, reduce
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from posenc_lib.encodings import validate
from posenc_lib.files import atomic_write, hand_over
from posenc_lib.translation import said
from posenc_lib.views import style
from posenc_lib.views.axes import enclosing
from posenc_lib.views.pen import Pen
from posenc_lib.views.pixels import Stamps, blank, encode
from posenc_lib.views.style import BETWEEN, CSS_DPI, FOOT, HEAD, PLOT, RIGHT

PER_ROW = 3
ALONE = 640  # px of a figure with one view per row
BESIDE = {2: 856, 3: 1008}  # px of others, by views per row
HELD = {"curves": "ylim", "cells": "clim"}  # limits that wait for a drag to end, by kind
NARROW = 256  # px of a cell next to others
ABOVE = 30  # px for an encoding's name, next to others
MARGIN = 16  # px of paper around a saved picture
SLIDE = 1600  # least width of a PNG, in px


class Sheet:
    """A figure with one pair of axes for each view, in the theme in use when it's made.

    Args:
        views: the first encoding's, then as many of the next.
        encodings: each at one setting.
        values: all values by name, including the views' own parameters.
        own: values for one view alone, a dict each; "title" is one.
        names: text above each encoding's first view; None: their titles, if several.
        width: px the page has; None means what suits the views.
        plot: a plot's height in px, if there are several views in a row.
        alike: whether encodings share limits of one quantity, like three do.
        sharpness: the picture's dots for each pixel of the page.

    Attributes:
        pens: one for each view.
        cells: left, bottom, width and height of each, in fractions of the figure.
        size: width and height in px.
        text: what is shown, in words; seen: the same without the settings, which sliders show.
        heading: what a file says above the views, if not the encoding's name.
    """

    def __init__(
        self,
        views,
        encodings,
        values,
        *,
        own=None,
        names=None,
        width=None,
        plot=PLOT,
        alike=False,
        sharpness=1.5,
    ):
        self.views, self.each, self.theme = views, len(views) // len(encodings), style.theme()
        self.alike = alike or len(encodings) == len(views) > 2
        self._ground, self._still, self.heading = None, None, ""
        if names is None:
            names = [one.title for one in encodings] if len(encodings) > 1 else []
        with style.styled():
            self.figure = Figure(dpi=CSS_DPI * sharpness)
            FigureCanvasAgg(self.figure)
            self.pens = []
            for view, values_of_view in zip(views, own or [{}] * len(views), strict=True):
                self.pens.append(Pen(view, self.figure.add_axes((0, 0, 1, 1)), values_of_view))
        self._relevant = [pen.view.relevant(encoding) for pen, encoding in self.fed(encodings)]
        places, self.size = arranged(views, len(encodings), width, plot, bool(names))
        w, h = self.size
        self.figure.set_size_inches(w / CSS_DPI, h / CSS_DPI)
        across, high = self.figure.canvas.get_width_height(physical=True)
        self.renderer, self._rows = Stamps(across, high, self.figure.dpi), blank(high, across)
        self.cells = [
            (x / w, 1 - (y + whole) / h, cell / w, whole / h) for x, y, cell, whole, *_ in places
        ]
        for pen, (x, y, cell, whole, wide, high) in zip(self.pens, places, strict=True):
            pen.ax.set_position(
                [(x + cell - RIGHT - wide) / w, 1 - (y + whole - FOOT) / h, wide / w, high / h]
            )
            pen.settle()
        self.update(encodings, values, names)

    def fed(self, encodings) -> list:
        """Return each pen and the encoding that feeds it."""
        return [(pen, encodings[k // self.each]) for k, pen in enumerate(self.pens)]

    # What is shown

    def update(self, encodings: list, values: dict, names=None) -> None:
        """Move the views to new settings, perhaps with new names; the next frame shows them."""
        if names:
            for name, pen in zip(names, self.pens[:: self.each], strict=True):
                pen.axes.head = name
        for pen, encoding in self.fed(encodings):
            self._draw(pen, encoding, values)
        # only now: after an error, the last picture and words stay
        self.encodings, self.values = encodings, values
        self.share()
        self.text, self.seen = self._told(), self._told(settings=False)

    def _draw(self, pen, encoding, values: dict) -> None:
        with style.themed(self.theme):
            pen.draw(encoding, values)
        if pen.axes.changed:
            self._ground = None

    def share(self) -> None:
        """Give all views of the same quantity limits that fit them all."""
        groups = defaultdict(list)
        for pen, encoding in self.fed(self.encodings):
            whose = self.alike or id(encoding)
            groups[whose, pen.view.quantity_of(encoding)].append((pen, encoding))
        for group in groups.values():
            if len(group) < 2:
                continue
            wanted = [pen.axes.wanted for pen, _ in group]
            ends = {}
            for name in group[0][0].view.shares:
                if all(name in limits for limits in wanted):
                    ends[name] = reduce(partial(enclosing, name), [w[name] for w in wanted])
            for pen, encoding in group:
                if pen.axes.shared != ends:
                    pen.axes.shared = ends
                    self._draw(pen, encoding, self.values)

    def freeze(self, names, settings) -> None:
        """Freeze these limits, wide enough for each of some settings.

        They still grow for what doesn't fit.
        """
        for encodings, values in settings:
            for pen, encoding in self.fed(encodings):
                with suppress(Exception):  # a reader who gets there sees it
                    pen.freeze(names, encoding, values)
        self.update(self.encodings, self.values)

    def hold(self, on: bool) -> None:
        """Let limits of numbers and colors only grow for a while, or settle again."""
        for pen in self.pens:
            name = HELD.get(pen.view.kind) if on else None
            pen.axes.held = {name: pen.limits[name]} if name in pen.limits else {}
        if not on:
            self.update(self.encodings, self.values)

    def withhold(self, shown=()) -> None:
        """Keep back each curve a reader is asked to draw, except those shown, and tables meanwhile.

        Points, and anything else without number axes, stay visible.
        """
        for k, pen in enumerate(self.pens):
            pen.withheld = pen.view.kind in ("curves", "cells") and k not in shown
        if not self.asked:
            for pen in self.pens:
                pen.withheld = False
        self.update(self.encodings, self.values)

    @property
    def asked(self) -> list[int]:
        """Say which views keep back something a reader should draw."""
        return [k for k, pen in enumerate(self.pens) if pen.withheld and pen.drawable]

    def draw_all_anew(self) -> None:
        """Redraw everything in the next frame: an error may have left a view half moved."""
        self._ground = None

    def _told(self, *, settings: bool = True) -> str:
        """Say in words what the figure shows, with or without the settings."""
        sentences = []
        for k, encoding in enumerate(self.encodings):
            own = slice(k * self.each, (k + 1) * self.each)
            seen = [pen.words for pen in self.pens[own] if settings or not pen.withheld]
            if settings:
                sentences.append(encoding.describe(set().union(*self._relevant[own])))
            elif seen and len(self.encodings) > 1:
                sentences.append(f"{encoding.title}:")
            sentences += dict.fromkeys(seen)
        return " ".join(filter(None, sentences))

    @property
    def titles(self) -> str:
        """What is drawn: the encodings, and the titles of the views."""
        shown = " and ".join(dict.fromkeys(encoding.title for encoding in self.encodings))
        return f"{shown}: {'; '.join(dict.fromkeys(pen.headline for pen in self.pens))}"

    # Pixels

    def frame(self) -> bytes:
        """Return the picture as PNG bytes."""
        return encode(self.pixels(), self._rows)

    def pixels(self) -> np.ndarray:
        """Return the picture, shape (height, width, 4); the next frame is drawn over it."""
        with style.themed(self.theme), style.styled():
            if self._ground is None:  # of all views: one's numbers reach into the next one's cell
                self.renderer.clear()
                self.figure.patch.draw(self.renderer)
                for pen in self.pens:
                    pen.ax.draw(self.renderer)
                self._ground, self._still = self.renderer.copy_from_bbox(self.figure.bbox), None
            # Pixels of marks that don't move are also kept
            still = [pen.marks.still for pen in self.pens]
            if self._still is None or still != self._still[0]:
                self.renderer.restore_region(self._ground)
                for pen, count in zip(self.pens, still, strict=True):
                    pen.marks.draw(self.renderer, 0, count)
                self._still = still, self.renderer.copy_from_bbox(self.figure.bbox)
            self.renderer.restore_region(self._still[1])
            for pen, count in zip(self.pens, still, strict=True):
                pen.marks.draw(self.renderer, count)
        return np.asarray(self.renderer.buffer_rgba())

    def picture(self, suffix: str, dpi: float = 2 * CSS_DPI, **about) -> bytes:
        """Return the figure as a file's bytes, "png", "svg" or "pdf".

        about can have title, description, heading and margin.
        """
        with style.themed(self.theme):
            return style.file(self.figure, suffix, dpi, **about)

    def kept(self, suffix: str, dpi: float | None = None, **about) -> bytes:
        """Return it under its heading, with a margin; a PNG without dpi is as wide as a slide."""
        sharp = np.ceil(SLIDE * CSS_DPI / (self.size[0] + 2 * MARGIN)) if suffix == "png" else 0
        words = {"title": self.titles, "description": self.text}
        words["heading"] = self.heading or self._name()
        usual = {name: said(text) for name, text in words.items()} | {"margin": MARGIN}
        return self.picture(suffix, dpi or max(2 * CSS_DPI, sharp), **usual | about)

    def _name(self) -> str:
        """Return the name of the only encoding, unless it is shown already or plays no part."""
        titles = {encoding.title for encoding in self.encodings}
        told = " ".join(f"{pen.axes.head} {pen.headline}" for pen in self.pens)
        names = [part.strip("( )") for title in titles for part in title.split("(")]
        named = any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", told) for name in names)
        anything = any(pen.view.needs for pen in self.pens)
        return "" if named or len(titles) > 1 or not anything else titles.pop()

    def save(self, path, dpi: float | None = None, **about) -> Path:
        """Write the figure to path, a .png, .svg or .pdf file, as `kept` makes it.

        An existing file is replaced whole or not at all. If Python runs in the browser, there's a
        link to download it.

        Raises:
            TypeError or ValueError: path is anything else.
            OSError: the folder isn't writable.
        """
        if not isinstance(path, (str, Path)):
            raise TypeError(f"path must be a str or a Path, got {validate.show(path)}")
        path = Path(path)
        suffix = path.suffix.lower().removeprefix(".")
        if suffix not in ("png", "svg", "pdf"):
            rule = f"path must end in .png, .svg or .pdf, got {validate.show(path.name)}"
            raise ValueError(
                f"{rule}. For GIFs and pages: python -m posenc_lib figures make … --format gif,html"
            )
        atomic_write(path, self.kept(suffix, dpi, **about))
        hand_over(path)
        return path


def arranged(
    views, number: int, width=None, plot: float = PLOT, named: bool = False
) -> tuple[list[tuple], tuple]:
    """Return where each view is, and the size of all, in px.

    Plots in a row are level, and squares are square. A place is left, top, width and height of the
    cell, width and height of the plot. Arguments as in `Sheet`; number: how many encodings
    there are; named: whether their names are written.
    """
    each, across = len(views) // number, columns(len(views), number, width)
    places, top, wide = [], 0.0, 0.0
    block = each if across < each else len(views)  # the views of one encoding stay together
    firsts = []
    for begin in range(0, len(views), block):
        firsts += range(begin, begin + block, across)
    for first, end in zip(firsts, [*firsts[1:], len(views)], strict=True):
        row = views[first:end]
        plots, high = _plots(row, width, plot)
        begins = any(k % each == 0 for k in range(first, end))
        name = ABOVE if named and begins else 0
        left, whole = 0.0, name + HEAD + high + FOOT
        for view, plot_width in zip(row, plots, strict=True):
            cell = view.left + plot_width + RIGHT
            places.append((left, top, cell, whole, plot_width, high))
            left += cell + BETWEEN
        top, wide = top + whole, max(wide, left - BETWEEN)
    return places, (round(wide), round(top))


def columns(count: int, number: int, width: float | None) -> int:
    """Return how many views a row has: all of one encoding's, if there are several."""
    across, each = -(-count // -(-count // PER_ROW)), count // number
    if number > 1 and 1 < each <= PER_ROW:
        across = each
    return max(min(across, int((width + BETWEEN) // (NARROW + BETWEEN))), 1) if width else across


def _plots(views: list, width: float | None, plot: float) -> tuple[list[float], float]:
    """Return how wide each view's plot is in a row, in px, and how high they all are."""
    squares, between = [view.square for view in views], BETWEEN * (len(views) - 1)
    beside = sum(view.left + RIGHT for view in views) + between
    natural = ALONE if len(views) == 1 else BESIDE[len(views)]
    natural = max(natural, *(view.wide for view in views))
    if all(squares):
        natural = beside + len(views) * PLOT
    room = (width or natural) - beside  # for plots
    larger = min((width or 0) / natural, 1.5)  # a larger figure is larger as a whole
    high = plot * max(larger, 1) * max(view.tall for view in views)
    if len(views) == 1:
        phone = width and width < 420
        side = room if phone else min(high, room)
        low = min(high, 0.645 * room) * (views[0].narrow if phone else 1)
        return ([side], side) if squares[0] else ([room], low)
    if any(squares):
        high = min(high, room / len(views))
    weight = sum(view.weight for view in views if not view.square)
    rest = room - high * sum(squares)
    return [high if view.square else rest * view.weight / weight for view in views], high
