"""What a view draws with.

A view is a function draw(pen, encoding, **values) that returns one sentence. It first calls
`axes` or `cells`, which set the scale, and then names its marks, lowest first.

What `curve`, `dots` and `cells` draw is data: a pointer reads it out. Nothing else is. A reader
can be asked to draw the first curve, or bars.
"""

from contextlib import contextmanager

import numpy as np

from posenc_lib.views import style
from posenc_lib.views.axes import UNIT_AT, Axes, ends_of
from posenc_lib.views.marks import POINT, Pencil
from posenc_lib.views.style import LEAST, TITLE, WORDS, number, readable_on, text_width


class Slid(float):
    """How many pixels to the right a slider's next value moves what is held."""


NEAR = 22  # px from a mark that still count as on it
QUESTION = "What do you expect?"
ASK = "Draw what you expect: drag across the picture, or use the arrow keys."


class Pen(Pencil):
    """What one view of one encoding draws with.

    Attributes:
        axes: limits, numbers and names; a view calls it.
        own: values for this view alone.
        words: what the view shows now, in a sentence.
        headline: its title.
        unit_line: what the line below it says.
        names: what a pointer calls x and y.
        traces: what it finds: (kind, points) for each curve and dots.
        grid: numbers in cells.
        points: what it can pick.
        says: a function (x, y) → words.
        hands: what a reader can drag: (slider, points of a line to grab it by, how).
            How is the radians its next value rotates it about the first point, or a function:
            place → value, or a `Slid`.
        drawable: x and y of the first data a reader can draw from left to right.
        wide: how wide its bars are, if any.
        known: x of a point a reader is given; a view can set it.
        withheld: whether data, and all that reveals them, are kept back until a reader has
            drawn them. Axes stay, and what is named within `always`.
    """

    def __init__(self, view, ax, own: dict):
        super().__init__(ax, view.log)
        self.view = view
        self.own = own
        self.withheld = False
        self.axes = Axes(view, self)

    def draw(self, encoding, values: dict) -> None:
        """Draw an encoding at these values."""
        self._begin()
        try:
            self.words = self._shown(encoding, values)
        except BaseException:
            self.axes.state = None  # they may be half changed
            raise
        if self.withheld:
            self.words = self._asked() if self.view.kind == "curves" else ""
        if not self.headline:
            self.title(self.view.title)
        if self.unit_line is None:
            self.unit(self.view.unit)

    def _begin(self) -> None:
        self.axes.begin()
        self.marks.begin()
        self.marks.withheld = self.withheld
        self.into = self.marks
        self.names = self.view.pointer
        self.headline = ""
        self.unit_line = None
        self.traces = []
        self.hands = []
        self.grid = self.points = self.says = None
        self.drawable = self.known = None
        self.wide = 0

    def freeze(self, names, encoding, values: dict) -> None:
        """Freeze these limits, wide enough for this; nothing is drawn."""
        self.axes.freeze(names, lambda: self._shown(encoding, values))

    def _shown(self, encoding, values: dict) -> str:
        """Call the view with the values it asks for."""
        known = values | self.own
        taken = {name: known.get(name, missing) for name, missing in self.view.takes.items()}
        return self.view.function(self, encoding, **taken)

    def _asked(self) -> str:
        """Ask a reader to draw; say what is known."""
        if self.known is None or not self.drawable:
            return ASK
        x, y = self.drawable
        at = self.axes.ticks["x"].get(self.known, self.known)
        known = number(y[x.searchsorted(self.known)])
        place = f"{self.names[0] or ''} {at}".strip()
        return f"{ASK} Known: {known} at {place}."

    @contextmanager
    def always(self):
        """Show what is named meanwhile in any case."""
        before = self.marks.withheld
        self.marks.withheld = False
        try:
            yield
        finally:
            self.marks.withheld = before

    # Above the plot

    def title(self, words: str) -> None:
        """Write a headline, smaller if it's long; if it's too long, the view's noun stays."""
        view = self.view
        if self.withheld:
            words = QUESTION if view.kind == "curves" else view.title
        self.headline = words = self.own.get("title") or words
        room = self.size[0] + view.left + style.RIGHT
        size = fitting(TITLE, text_width(words, TITLE, "bold"), room)
        if size < LEAST:
            words, size = view.title, TITLE
        shift = -view.left, style.HEAD - 16
        font = {"fontsize": size, "fontweight": "bold", "ha": "left"}
        with self.always():
            self.text(words, (0, 1), shift, within="axes", **font)

    def unit(self, *parts) -> None:
        """Write below the title what y counts; a part (words, color) stands out.

        When room is short, it's smaller, or only such parts stay.
        """
        x, room, every = -self.view.left, self.size[0] - self.axes.scale_width, []
        for part in filter(None, parts):
            words, color = (part, "") if isinstance(part, str) else part
            look = {"color": color or style.SOFT, "fontweight": "bold" if color else "normal"}
            # bold words of two colors would run together
            wide = text_width(words, WORDS, look["fontweight"]) + (6 if color else 2)
            every.append((words, wide, look))
        self.unit_line = " ".join(words for words, *_ in every)
        bold = [part for part in every if part[2]["fontweight"] == "bold"]
        first = [part for part in every[:1] if part not in bold]
        for row in (every, first + bold, bold):
            size = fitting(WORDS, sum(wide for _, wide, _ in row) - 2, room - x)
            if size >= LEAST:
                break
        for words, wide, look in row:
            with self.always():
                look = look | {"within": "axes", "ha": "left", "fontsize": size}
                self.text(words, (0, 1), (x, UNIT_AT), **look)
            x += wide * size / WORDS

    # Curves, points and areas

    def curve(self, x, y=None, *, color=None, lw=2.0, dotted=False, **more) -> None:
        """Draw data as a line; y alone is at 0, 1, 2 …; dotted: with a dot at each."""
        if y is None:
            x, y = np.arange(len(x)), x
        if dotted:
            more |= {"marker": "o", "markersize": 3.6}
            more |= {"markeredgecolor": style.PAPER, "markeredgewidth": 0.6}
        self.line(x, y, color or style.KEY, lw, **more)
        self.traces.append(("curve", np.array([x, y], float).T))
        self._drawable(x, y)

    def change(self, x, before, now, **more) -> None:
        """Draw a curve over what it was before, which isn't data."""
        self.line(x, before, style.GHOST, 5.0)
        self.curve(x, now, **more)

    def dots(
        self, points, *, color=None, size=None, edge=None, lw=None, data=True, taken=False, **more
    ) -> None:
        """Draw a disc at each point, in one color or one each.

        data: whether they are; taken: whether a pointer picks the nearest.
        """
        points = np.reshape(points, (-1, 2))
        gap = np.inf
        if len(points) > 1:
            gap = np.median(np.linalg.norm(np.diff(self.px(points), axis=0), axis=1))
        if size is None:
            size = np.clip(gap, 5, 7)
        if lw is None:
            lw = 0.8 if gap > 5 else 0
        if color is None:
            color = style.KEY
        self.discs(points, size, color, edge or style.PAPER, lw, **more)
        if data:
            self.traces.append(("points", points))
        if taken:
            self.points = points

    def mark(self, points, color=None, size=8.0, lw=1.2, edge=None) -> None:
        """Point out some places with discs that aren't data."""
        self.dots(points, color=color or style.INK, size=size, lw=lw, edge=edge, data=False)

    def ring(self, points, color=None, size=15.0, lw=2.2) -> None:
        """Ring points that stand out."""
        self.mark(points, "none", size, lw, color or style.QUERY)

    def band(self, x, low, high) -> None:
        """Fill the area between two curves."""
        edge = np.column_stack([np.r_[x, x[::-1]], np.r_[low, high[::-1]]])
        self.shapes([edge], color=style.TINT)

    def bars(self, x, low, high, *, wide=0.72, color=None) -> None:
        """Fill an upright bar at each x."""
        x, low, high = np.broadcast_arrays(x, low, high)
        self._drawable(x, high, wide)
        a, b = x - wide / 2, x + wide / 2
        corners = np.stack([[a, b, b, a], [low, low, high, high]], axis=-1).transpose(1, 0, 2)
        self.shapes(corners, color=color)

    def _drawable(self, x, y, wide=0) -> None:
        """Note the first data a reader could draw."""
        x, y = np.asarray(x, float), np.asarray(y, float)
        if self.drawable is None and len(x) > 2 and (np.diff(x) > 0).all() and np.isfinite(y).any():
            self.drawable, self.wide = (x, y), wide

    def region(self, low, high, name: str = "", **more) -> None:
        """Tint the area between two places of x, and name it."""
        corners = [(low, 0), (high, 0), (high, 1), (low, 1)]
        with self.always():
            self.shapes([corners], within="x", **{"color": style.TINT} | more)
            self.text(name, (low, 1), (6, -10), within="x", ha="left", color=style.SOFT)

    # Frames, arrows, circles

    def box(self, left, bottom, wide, high, *, color=None, lw=1.2, within="data") -> None:
        """Outline a rectangle."""
        x, y = left + np.array([0, wide, wide, 0, 0]), bottom + np.array([0, 0, high, high, 0])
        self.line(x, y, color or style.INK, lw, within, solid_joinstyle="miter", clip_on=False)

    def frame(self, left, bottom, wide, high, color=None, lw=1.2) -> None:
        """Frame cells from outside, with a hair of paper beyond: thin rows stay visible."""
        rim = lw + 0.6, style.PAPER, 0.8
        line = lw / 2 + 0.2, color or style.QUERY, lw
        for out, ink, stroke in (rim, line):
            dx, dy = out * self.spans / self.size
            sides = left - dx, bottom - dy, wide + 2 * dx, high + 2 * dy
            self.box(*sides, color=ink, lw=stroke * POINT)

    def arrow(self, start, end, color=None) -> None:
        """Draw an arrow, with a head of fixed size if there's room."""
        a, b = self.px(start), self.px(end)
        far = float(np.hypot(*(b - a)))
        if far < 1e-9:
            return
        along = (b - a) / far
        head = min(11, far)
        neck = b - along * head
        across = np.array([-along[1], along[0]]) * 0.42 * head
        back = self.ax.transData.inverted().transform
        shaft = back(np.stack([a, neck]) * self._sharpness)
        tip = back(np.stack([b, neck + across, neck - across]) * self._sharpness)
        self.strokes([shaft], color=color, lw=2.6, capstyle="butt")
        self.shapes([tip], color=color)

    def circle(self, center=(0, 0), radius=1.0) -> None:
        """Draw a circle to measure by."""
        radius = float(f"{radius:.9g}")  # noise must not move it
        angles = np.linspace(0, 2 * np.pi, 129)
        x, y = center[0] + radius * np.cos(angles), center[1] + radius * np.sin(angles)
        self.line(x, y, style.GHOST, 1)

    # The query

    def query(self, x=None, y=None, top=None, name: str | None = None, color=None) -> None:
        """Mark a place on an axis with its number and a line, up to a dot if there's a top.

        In cells, a frame replaces the line. Without a place, nothing is drawn.
        """
        if x is None and y is None:
            return
        axis, place = ("x", x) if y is None else ("y", y)
        color = color or style.QUERY
        if self.grid is not None:
            rows, columns = self.grid.shape
            column = place - 0.5, -0.5, 1, rows
            row = -0.5, place - 0.5, columns, 1
            self.frame(*(column if axis == "x" else row), color)
        elif top is not None:
            foot = np.clip(0, *sorted(self.limits["ylim"]))
            self.line([place, place], [foot, top], color, 1.2)
            self.mark([(place, top)], color, 9)
        else:
            self.rule(axis, place, color)
        self.tick(axis, place, name, color)

    def tick(self, axis: str, place, words: str | None = None, color=None) -> None:
        """Write a bold integer, or words, on an axis in place of any numbers it would touch."""
        if words is None:
            words = style.written(round(place))
        with self.always():
            self.axes.replace(axis, place, words, color or style.INK)

    # Cells

    def cells(self, grid, clim=None, *, mixes=True, xlim=None, ylim=None, **more) -> None:
        """Color a cell for each number, row 0 on top and cell k at k.

        mixes: whether a pixel of several cells gets their mean, or else one of their colors.
        """
        self.grid = grid = np.asarray(grid, float)
        rows, columns = grid.shape
        xlim = xlim or ends_of(columns)
        ylim = ylim or ends_of(rows)[::-1]
        self.axes(xlim, ylim, clim=clim or style.color_limits(grid), **more)
        if max(self.spans - (columns, rows)) > 0.01:  # room that a slider will fill
            self.box(0, 0, 1, 1, color=style.GRID, lw=0.8, within="axes")
        properties = {"cmap": self.axes.cmap, "clim": self.limits["clim"]}
        properties["extent"] = -0.5, columns - 0.5, rows - 0.5, -0.5
        properties["cells"] = grid, mixes
        self._image = self.marks.reuse("cells", properties)

    def fill(self, form: str, size: float | None = None, blank=np.nan) -> None:
        """Write the numbers into their cells, as large as fits."""
        wide = float((self.size / self.axes.room(self.grid)[::-1])[0])  # px of a cell
        cells = np.argwhere(np.isfinite(self.grid) & (self.grid != blank)).tolist()
        values = [float(self.grid[row, column]) for row, column in cells]
        words = [form.format(value).replace("-", "−") for value in values]
        size = size or min(wide / max([5, *map(len, words)]), 8.4)
        for (row, column), value, word in zip(cells, values, words, strict=True):
            color = readable_on(self._image.to_rgba(value))
            self.text(word, (column, row), fontsize=size, color=color)

    # What dragging or pointing asks

    def area(self, corner, other) -> np.ndarray:
        """Return a zigzag line that's near every place between two corners."""
        (left, low), (right, high) = corner, other
        rows = 2 + int((high - low) / self.spans[1] * self.size[1] / NEAR)
        y = np.linspace(low, high, rows)
        x = np.where(np.arange(rows) % 2, right, left)
        return np.stack([x, y], axis=1)

    def inside(self, x: float, y: float) -> bool:
        """Return whether there's a cell with a number."""
        row, column = round(y), round(x)
        rows, columns = self.grid.shape
        known = 0 <= row < rows and 0 <= column < columns
        return known and bool(np.isfinite(self.grid[row, column]))

    def value_at(self, x: float, y: float) -> str:
        """Return the number drawn at x and y, or nothing."""
        if self.says:
            return self.says(x, y)
        if self.grid is not None:
            return number(float(self.grid[round(y), round(x)])) if self.inside(x, y) else ""
        if self.points is not None:
            nearest = np.hypot(*(self.points - (x, y)).T).argmin()
            return f"({', '.join(map(number, self.points[nearest].tolist()))})"
        heights = []
        for kind, xy in self.traces:
            if kind == "curve" and len(xy) and xy[:, 0].min() <= x <= xy[:, 0].max():
                heights.append(float(xy[np.abs(xy[:, 0] - x).argmin(), 1]))
        return number(min(heights, key=lambda height: abs(height - y)), 4) if heights else ""


def fitting(size: float, wide: float, room: float) -> float:
    """Return the type size, at most this one, at which words so wide at it fit a room."""
    return size * min(1, room / max(wide, 1))
