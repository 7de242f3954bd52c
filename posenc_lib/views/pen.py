"""What a view draws with: every frame names its marks anew, and marks that were there before are moved, not made.

A view is a function draw(pen, encoding, **values) that returns one sentence. The k-th mark of a kind is the k-th artist
of that kind: only what differs from the frame before is set, and what a frame does not name is not drawn. Sizes are
pixels of the page, 100 to an inch; places are data unless `within` says otherwise.
"""

import math
from collections import Counter, defaultdict
from contextlib import contextmanager

import numpy as np
from matplotlib.artist import Artist
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from matplotlib.lines import Line2D
from matplotlib.markers import MarkerStyle
from matplotlib.patheffects import withStroke
from matplotlib.text import Text
from matplotlib.transforms import IdentityTransform, ScaledTranslation

from posenc_lib.views import style
from posenc_lib.views.axes import DOWN, Axes, over, width
from posenc_lib.views.pixels import Cells
from posenc_lib.views.style import CSS_DPI, NUMBERS, TITLE, WORDS, number, readable_on

DISC = MarkerStyle("o").get_path().transformed(MarkerStyle("o").get_transform())
QUESTION, ASK = "What do you expect?", "Drag across the picture and draw what you expect to see."
HALO = 3  # px of paper around a name that lies over data
TITLE_AT, UNIT_AT = style.HEAD - 16, style.HEAD - 42  # px above a plot: the middle of its title, of its unit line


class Marks(Artist):
    """Artists in the order in which they are named; whoever names them anew gets those of before again.

    Attributes:
        still: how many of the first are as they were when this was last drawn: a frame may keep their pixels.
        withheld: whether what is named from now on is kept back, for a reader is asked to draw it.
    """

    def __init__(self, ax):
        super().__init__()
        ax.add_artist(self)
        self._ax, self._kept, self._used, self._now, self._before = ax, defaultdict(list), Counter(), [], []
        self.still, self._same, self._most, self.withheld = 0, 0, 0, False

    def begin(self) -> None:
        self._before, self._now = self._now, []
        self._used.clear()
        self._most, self.still, self._same = self.still, 0, 0

    def end(self) -> None:
        self.still = min(self._most, self._same)

    def next(self, kind: str, make, look: dict, data, lay) -> Artist:
        """Return the next artist of a kind; only what is other than before is set: lay(artist, data) lays it there."""
        key = (kind, *look)  # those that have the same properties set: nothing is left over from another use
        kept, k = self._kept[key], self._used[key]
        self._used[key] += 1
        if k == len(kept):
            with style.styled():
                artist = make()
            artist.axes, artist.figure = self._ax, self._ax.figure
            artist.stale_callback = None  # whoever names it draws it
            if not artist.is_transform_set():
                artist.set_transform(self._ax.transData)
            if kind != "text":
                artist.set_clip_box(self._ax.bbox)
            kept.append((artist, {}))
        artist, before = kept[k]
        now = [] if self.withheld else self._now
        as_it_was = len(now) == self._same < len(self._before) and self._before[self._same] is artist
        for name, value in look.items():
            if not alike(value, before.get(name, Marks)):  # no artist is set to this
                getattr(artist, f"set_{name}")(value)
                before[name], as_it_was = value, False
        if not alike(data, before.get("", Marks)):
            lay(artist, data)
            before[""], as_it_was = data, False
        self._same += as_it_was and not self.withheld
        now.append(artist)
        return artist

    @property
    def drawn(self) -> list:
        """Return what has been named of this frame."""
        return self._now

    def behind(self) -> None:
        """Let the last one be drawn first."""
        self._now.insert(0, self._now.pop())
        self._same = 0

    def draw(self, renderer, first: int = 0, last: int | None = None) -> None:
        draw = getattr(renderer, "stamp", None)
        for artist in self._now[first:last]:
            draw(artist) if draw and isinstance(artist, Text) else artist.draw(renderer)
        if draw and last is None:
            self.still = len(self._now)


def alike(one, other) -> bool:
    """Return whether two values, arrays or lists of them are the same."""
    if one is other:
        return True
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.shape == other.shape and bool(((one == other) | (one != one) & (other != other)).all())
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(alike, one, other))
    return not isinstance(one, np.ndarray) and not isinstance(other, np.ndarray) and one == other


class Pen(Axes):
    """The hand of one view on one pair of axes.

    Attributes:
        words: what the view shows now, in a sentence; headline: its title.
        marks: what moves from frame to frame; ground: ticks, grid, names, which are drawn again only where they change.
        traces: what was drawn of data, (kind, points) of each curve and of dots: ghosts and pointers use it.
        hands: what a reader can take hold of and turn, see `hand`.
        grid, each, says: what a pointer finds there: numbers in cells, points with a number, a function (x, y) → words.
        asked: the curve, or the tops of the bars, that a reader can be asked to draw: x and y, the first that is drawn.
        withheld: whether it is kept back, with all that tells of it: what is left are axes, regions and what is asked.
    """

    def __init__(self, view, ax, own: dict):
        super().__init__(view, ax, own)
        self.ground, self.marks = Marks(ax), Marks(ax)
        self.marks.set_animated(True)
        self._into, self.ghost, self.haunted, self.withheld = self.marks, [], set(), False
        x, y = ax.get_xaxis_transform(), ax.get_yaxis_transform()
        self._within = {"data": ax.transData, "axes": ax.transAxes, "x": x, "y": y}

    def draw(self, encoding, values: dict) -> None:
        """Show an encoding at some values."""
        self.marks.begin()
        self.traces, self.each, self.says, self.grid, self.hands, self.changed = [], None, None, None, [], False
        self._hidden, self.asked, self.marks.withheld = set(), None, self.withheld
        self.names, self.headline, self._header = self.view.pointer, "", None
        try:
            self.words = self.view.function(self, encoding, **self.taken(values))
        except BaseException:
            self._state = None  # the axes may be half changed
            raise
        if self.withheld:
            self.words = ASK if self.view.kind == "curves" else ""
        if not self.headline:
            self.title(self.view.title)
        if self._header is None:
            self.unit(self.view.unit)
        if not self.withheld:
            self._haunt()
        self.marks.end()

    @contextmanager
    def _given(self):
        """Let what is named meanwhile be seen even if the rest is withheld."""
        before, self.marks.withheld = self.marks.withheld, False
        try:
            yield
        finally:
            self.marks.withheld = before

    def taken(self, values: dict) -> dict:
        """Return the values that the view asks for."""
        given = values | self.own
        return {name: given.get(name, missing) for name, missing in self.view.takes.items()}

    # Above the plot

    def title(self, words: str) -> None:
        """Say in a sentence what is seen; where it is too long for the cell, the view's noun stays."""
        if self.withheld:
            words = QUESTION if self.view.kind == "curves" else self.view.title
        self.headline = words = self.own.get("title") or words
        look = {"fontsize": TITLE, "fontweight": "bold", "ha": "left"}
        if self.among and self.among.lead is not self:
            return
        if self.among or width(words, TITLE, "bold") > self.size[0] + self.margin + style.RIGHT:
            words = self.view.title
        with self._given():
            self.text(words, (0, 1), (-self.margin, TITLE_AT + self.above), within="axes", **look)

    def unit(self, *parts) -> None:
        """Say below the title what y counts; a part (words, colour) stands out."""
        self._header, x = parts, -self.margin
        if self.among and self.among.lead is not self:
            return
        room = self.size[0] - (self._scale_width() if "clim" in self.limits and not self.among else 0)
        for part in parts:
            words, color = (part, None) if isinstance(part, str) else part
            look = {"color": color or style.SOFT, "fontweight": "bold" if color else "normal", "ha": "left"}
            wide = width(words, WORDS, look["fontweight"])
            if words and x + wide <= room:
                with self._given():
                    self.text(words, (0, 1), (x, UNIT_AT + self.above), within="axes", **look)
                x += wide + 2

    @property
    def unit_line(self) -> str:
        """What the unit line says."""
        return " ".join(part if isinstance(part, str) else part[0] for part in self._header)

    # Curves, points and areas

    def curve(self, x, y=None, *, color=None, lw=2.0, each=False, within="data", **look) -> None:
        """Draw a line through points, of y alone at 0, 1, 2 …; each: with a dot at every one."""
        x, y = (np.arange(len(x)), x) if y is None else (x, y)
        color = color or style.KEY
        if each:
            look |= {"marker": "o", "markersize": 3.6, "markeredgecolor": style.PAPER, "markeredgewidth": 0.6}
        look = {"color": color, "linewidth": lw, "transform": self._within[within]} | look
        self._into.next("curve", lambda: Line2D([], []), look, (x, y), lambda line, data: line.set_data(*data))
        if within == "data" and color in (style.KEY, style.OTHER, style.PAIR):
            dotted = look.get("linestyle") == ""
            self.traces.append(("dots" if dotted else "dashes", np.array([x, y], float).T))
            self._ask(x, y)

    def dots(self, points, *, color=None, size=7.0, edge=None, lw=0.8, each=None, within="data", **look) -> None:
        """Draw a disc at each point, `size` px wide, of one colour or of one each; each: a pointer tells its number."""
        points, color, edge = np.reshape(points, (-1, 2)), style.KEY if color is None else color, edge or style.PAPER
        if within == "data":
            self.traces.append(("dots", points))
        if each:
            self.each = points
        if isinstance(color, str) and np.ndim(size) == 0:  # a line's markers are drawn faster
            mark = {"marker": "o", "linestyle": "", "markersize": 0.72 * size, "markeredgewidth": lw}
            mark |= {"markerfacecolor": color, "markeredgecolor": edge}
            self.strokes_of(*points.T, color, 1.0, within, **mark | look)
            return
        if edge == style.PAPER and lw:  # the rims of all lie below all: stroked one by one they take as long again
            rim = {"marker": "o", "linestyle": "", "markersize": 0.72 * (np.max(size) + lw), "markeredgewidth": 0}
            self.strokes_of(*points.T, edge, 1.0, within, **rim)
            size, lw = np.subtract(size, lw), 0
        look = {"facecolor": color, "edgecolor": edge} | look
        look |= {"linewidth": lw, "sizes": np.square(np.atleast_1d(size) * 0.72)}

        def make():
            return PathCollection([DISC], offsets=[], transform=IdentityTransform(), offset_transform=self.ax.transData)

        look["offset_transform"] = self._within[within]
        self._into.next("dots", make, look, points, PathCollection.set_offsets)

    def mark(self, points, *, color=None, size=8.0, lw=1.2) -> None:
        """Point out some places by a disc that is no data: it leaves no ghost."""
        self.dots(points, color=color or style.INK, size=size, lw=lw)
        self.traces.pop()

    def ring(self, points, size=15.0, color=None, lw=2.2) -> None:
        """Ring points that stand out."""
        self.dots(points, color="none", size=size, edge=color or style.QUERY, lw=lw)
        self.traces.pop()

    def strokes(self, segments, *, color=None, lw=2.0, within="data", **look) -> None:
        """Draw separate lines, each of shape (points, 2)."""
        look = {"color": style.KEY if color is None else color, "linewidth": lw} | look
        look["transform"] = self._within[within]
        self._into.next("strokes", lambda: LineCollection([]), look, segments, LineCollection.set_segments)

    def shapes(self, polygons, *, color=None, edge="none", lw=0.0, within="data", clip=True, **look) -> None:
        """Fill areas, each of shape (points, 2)."""
        look = {"facecolor": style.KEY if color is None else color, "edgecolor": edge, "linewidth": lw} | look
        look |= {"transform": self._within[within], "clip_on": clip}
        self._into.next("shapes", lambda: PolyCollection([]), look, polygons, PolyCollection.set_verts)

    def band(self, x, low, high, *, color=None, **look) -> None:
        """Fill what lies between two curves."""
        edge = np.concatenate([np.stack([x, low], axis=1), np.stack([x, high], axis=1)[::-1]])
        self.shapes([edge], color=color or style.TINT, **look)

    def bars(self, x, low, high, *, wide=0.72, color=None, **look) -> None:
        """Fill an upright bar at each x."""
        x, low, high = np.broadcast_arrays(x, low, high)
        self._ask(x, high)
        a, b = x - wide / 2, x + wide / 2
        corners = np.stack([[a, b, b, a], [low, low, high, high]], axis=-1).transpose(1, 0, 2)
        self.shapes(corners, color=color, **look)

    def _ask(self, x, y) -> None:
        """Note the first curve of numbers that a reader could have drawn from left to right."""
        x, y = np.asarray(x, float), np.asarray(y, float)
        if self.asked is None and len(x) > 2 and (np.diff(x) > 0).all() and np.isfinite(y).any():
            self.asked = x, y

    def region(self, low, high, name: str = "", axis: str = "x") -> None:
        """Tint what lies between two places of an axis, from edge to edge, and name it in its upper left corner."""
        ends = [(low, 0), (high, 0), (high, 1), (low, 1)] if axis == "x" else [(0, low), (1, low), (1, high), (0, high)]
        with self._given():
            self.shapes([ends], color=style.TINT, within=axis)
            if name:
                place = (low, 1) if axis == "x" else (0, high)
                self.text(name, place, (6, -10), within=axis, ha="left", color=style.SOFT)

    def unknown(self, polygons, *, within="data", lw=0.0, **look) -> None:
        """Hatch areas, each of shape (points, 2), where there is nothing of its own."""
        look = {"color": style.TINT, "edge": style.GHOST, "hatch": "///"} | look
        self.shapes(polygons, lw=lw, within=within, **look)

    def missing(self, low: float, high: float, name: str = "") -> None:
        """Hatch what lies between two places of x, from edge to edge, where there is nothing to draw, and name it."""
        self.unknown([[(low, 0), (high, 0), (high, 1), (low, 1)]], within="x")
        if name:
            self.label(name, ((low + high) / 2, 0.92), within="x")

    # Frames, arrows, angles

    def box(self, left, bottom, wide, high, *, fill=None, color=None, lw=1.2, within="data", **look) -> None:
        """Fill a rectangle, outline it, or both."""
        x, y = left + np.array([0, wide, wide, 0, 0]), bottom + np.array([0, 0, high, high, 0])
        if fill is not None:
            self.shapes([np.stack([x, y], axis=1)], color=fill, within=within, **look)
        if lw:
            look = {"within": within, "solid_joinstyle": "miter", "clip_on": False}
            self.strokes_of(x, y, color or style.INK, lw, **look)

    def strokes_of(self, x, y, color, lw: float, within="data", **look) -> None:
        """Draw a line that is no data: no ghost, nothing that a pointer tells."""
        look = {"color": color, "linewidth": lw, "transform": self._within[within]} | look
        self._into.next("line", lambda: Line2D([], []), look, (x, y), lambda line, data: line.set_data(*data))

    def frame(self, left, bottom, wide, high, color=None, lw=1.2) -> None:
        """Frame cells from outside, so that nothing they show is covered, with a rim of paper beyond."""
        unit = np.abs([np.diff(self.limits["xlim"])[0], np.diff(self.limits["ylim"])[0]]) / self.size
        for out, ink, stroke in ((1.6 + lw, style.PAPER, lw + 0.6), (1.6, color or style.QUERY, lw)):
            dx, dy = out * unit
            x = [left - dx, left + wide + dx, left + wide + dx, left - dx, left - dx]
            y = [bottom - dy, bottom - dy, bottom + high + dy, bottom + high + dy, bottom - dy]
            self.strokes_of(x, y, ink, stroke * 0.72, solid_joinstyle="miter", clip_on=False)

    def arrow(self, start, end, color=None, *, lw=2.6, head=11.0) -> None:
        """Draw an arrow whose head has one size wherever it points; where there is no room for it, a part of one."""
        a, b = self.px(start), self.px(end)
        far = float(np.hypot(*(b - a)))
        if far < 1e-9:
            return
        along, head = (b - a) / far, min(head, far)
        across, neck = np.array([-along[1], along[0]]) * 0.42 * head, b - along * head
        back = self.ax.transData.inverted().transform
        self.strokes([back(np.stack([a, neck]) * self._dot)], color=color, lw=lw, capstyle="butt")
        self.shapes([back(np.stack([b, neck + across, neck - across]) * self._dot)], color=color)

    def hand(self, name: str, middle, tip, turn: float) -> None:
        """Let a reader turn what stands here: it sets a slider, whose next value turns it by so many radians."""
        self.hands.append((name, middle, tip, turn))

    def wedge(self, center, radius, start: float, turn: float, words: str = "", color=None, *, lw=1.4) -> None:
        """Fill the angle from `start` on by `turn`, in radians, and write what it is outside of its arc."""
        color = color or style.PAIR
        at = start + np.linspace(0, turn, max(int(abs(turn) * 24), 2))
        arc = np.stack([np.cos(at), np.sin(at)], axis=1) * radius + center
        self.shapes([np.concatenate([arc, [center]])], color=color, alpha=0.22)
        self.strokes([arc], color=color, lw=lw)
        if words:
            way = start + turn / 2
            place = np.array([np.cos(way), np.sin(way)]) * radius + center
            self.label(words, place, (18 * math.cos(way), 13 * math.sin(way)), color=color)

    def circle(self, center=(0, 0), radius=1.0, color=None, lw=1.0) -> None:
        """Draw a circle to measure by."""
        at = np.linspace(0, 2 * np.pi, 129)
        x, y = center[0] + radius * np.cos(at), center[1] + radius * np.sin(at)
        self.strokes_of(x, y, color or style.GHOST, lw)

    # What is asked for

    def query(self, x=None, y=None, top=None, name: str | None = None, color=None) -> None:
        """Mark what is asked for: its number on the axis and, in a curve, a line from there up to it and a dot.

        In cells a frame outside its column or row. None draws nothing: no other view brings it in.
        """
        color = color or style.QUERY
        if x is None and y is None:
            return
        if self.grid is not None:
            rows, columns = self.grid.shape
            self.frame(*((x - 0.5, -0.5, 1, rows) if y is None else (-0.5, y - 0.5, columns, 1)), color)
        elif top is not None:
            low = min(max(0, min(self.limits["ylim"])), max(self.limits["ylim"]))
            self.strokes_of([x, x], [low, top], color, 1.2)
            self.mark([(x, top)], color=color, size=9)
        else:
            self.strokes_of(
                *(([x, x], [0, 1]) if y is None else ([0, 1], [y, y])), color, 1.2, "x" if y is None else "y"
            )
        self.at("x" if y is None else "y", x if y is None else y, name, color)

    def at(self, axis: str, value, words: str | None = None, color=None) -> None:
        """Write a number on an axis in bold, in place of those that it would meet."""
        words, color = f"{value:,}".replace("-", "−") if words is None else words, color or style.INK
        half = width(words, NUMBERS, "bold") / 2 if axis == "x" else 7
        k = "xy".index(axis)
        here = self.px((value, value))[k]
        for at, tick in self.ticks[axis].items():
            away = abs(self.px((at, at))[k] - here)
            if (axis, at) not in self._hidden and away < half + (width(tick, NUMBERS) / 2 if axis == "x" else 7) + 3:
                self._hidden.add((axis, at))  # once: a second time it would cover the number of before
                if self._numbered(axis):
                    self._cover(axis, at, tick)
        with self._given():
            self._number(axis, value, words, color=color, fontweight="bold")

    def _cover(self, axis: str, at: float, words: str) -> None:
        """Lay paper over a number on an axis."""
        k, half = "xy".index(axis), width(words, NUMBERS) / 2 + 2
        along = float((self.px((at, at)) - self._corner)[k])
        x, y = (along + self._inward(at, words), -DOWN) if axis == "x" else (-4 - half + 2, along)
        corners = np.array([(x - half, y - 8), (x + half, y - 8), (x + half, y + 8), (x - half, y + 8)])
        with self._given():
            self.shapes([corners / self.size], color=style.PAPER, within="axes", clip=False)

    # Cells

    def cells(self, grid, clim=None, *, mixes=True, cmap=None, xlim=None, ylim=None, **state) -> None:
        """Colour the cell of each number, row 0 on top and cell k at k; ask for axes that hold them."""
        grid = np.asarray(grid, float)
        (rows, columns), clim = grid.shape, clim or color_limits(grid)
        extent = (-0.5, columns - 0.5, rows - 0.5, -0.5)
        self.axes(xlim or over(columns), ylim or over(rows)[::-1], clim=clim, cmap=cmap, **state)
        look = {"cmap": self.cmap, "clim": self.limits["clim"], "extent": extent}
        if max(self._spans() - (columns, rows)) > 0.01:  # room that a slider will fill
            self.strokes_of([0, 1, 1, 0, 0], [0, 0, 1, 1, 0], style.GRID, 0.8, within="axes", clip_on=False)
        self.grid = grid
        self._image = self._into.next("cells", lambda: Cells(self.ax), look, (grid, mixes), Cells.lay)

    def fill(self, cells: list, words: list[str], size: float | None = None, **look) -> None:
        """Write words into cells (row, column), black or white, whichever is readable there, as large as they fit."""
        size = size or float(min((self.size / self.room(self.grid)[::-1])[0] / 5, 8.4))
        for cell, word in zip(cells, words, strict=True):
            color = style.readable_on(self._image.to_rgba(self.grid[cell]))
            self.text(word, cell[::-1], fontsize=size, **{"color": color} | look)

    # Words

    def text(self, words: str, xy, shift=(0.0, 0.0), *, within="data", halo=False, inside=False, **look) -> None:
        """Write words at a place, moved by some pixels; a halo lets them be read over data.

        inside: whether words that would reach out of the axes move in.
        """
        look = {"ha": "center", "va": "center", "fontsize": WORDS, "color": style.INK, "fontweight": "normal"} | look
        if inside:
            shift = self._moved_in(words, xy, shift, within, look)
        effects = _halo(style.PAPER) if halo else []
        dots = ((self.at_px(xy, within) + shift) * self._dot).round(6)  # so that noise does not decide between pixels
        place = (within, *xy, *shift, *dots.tolist())
        every = look | {"text": words, "path_effects": effects}
        text = self._into.next("text", lambda: Text(clip_on=False), every, place, self._write)
        text.halo = style.PAPER if halo else ""
        text.look = (words, text.halo, *look.items())  # what its pixels depend on

    def _write(self, text: Text, place: tuple) -> None:
        """Lay words: for files in the terms of the axes, for a frame in dots of the picture."""
        within, x, y, right, up, *text.dots = place
        text.set_position((x, y))
        move = ScaledTranslation(right / CSS_DPI, up / CSS_DPI, self.ax.figure.dpi_scale_trans)
        text.set_transform(self._within[within] + move)

    def label(self, words: str, xy, shift=(0.0, 0.0), **look) -> None:
        """Name something beside it, in bold, over whatever is there."""
        self.text(words, xy, shift, halo=True, inside=True, **{"fontweight": "bold"} | look)

    def tile(self, words: str, xy, shift=(0.0, 0.0), *, color, within="data", ha="center") -> None:
        """Write words in bold on a tile of a colour, which may lie beside the plot."""
        half, corner = np.array([width(words, NUMBERS, "bold") / 2 + 4, 9.0]), 4.0
        place = self.at_px(xy, within) - self._corner + shift
        place[0] += {"left": half[0], "center": 0, "right": -half[0]}[ha]
        at = np.linspace(0, 2 * np.pi, 24, endpoint=False) + np.pi / 24
        round_it = np.stack([np.cos(at), np.sin(at)], axis=1)
        edge = place + corner * round_it + np.sign(round_it) * (half - corner)
        self.shapes([edge / self.size], color=color, within="axes", clip=False)
        look = {"fontsize": NUMBERS, "fontweight": "bold", "color": readable_on(color)}
        self.text(words, place / self.size, within="axes", **look)

    def _moved_in(self, words, xy, shift, within, look) -> tuple[float, float]:
        """Return a shift with which words stay within the axes."""
        place = self.at_px(xy, within) - self._corner + shift
        wide, high = width(words, look["fontsize"], look["fontweight"]), look["fontsize"] * 1.4
        left = {"left": 0.0, "center": 0.5, "right": 1.0}[look["ha"]] * wide
        down = {"bottom": 0.0, "center": 0.5, "top": 1.0}[look["va"]] * high
        x = min(max(place[0], left + 1), self.size[0] - (wide - left) - 1) if wide < self.size[0] else place[0]
        y = min(max(place[1], down + 1), self.size[1] - (high - down) - 1)
        return shift[0] + float(x - place[0]), shift[1] + float(y - place[1])

    # What was before, and what a pointer asks

    def keep(self) -> None:
        """Let a ghost stay where everything is now."""
        self.ghost = self.traces

    def _haunt(self) -> None:
        """Draw what was here before, faintly and behind, where it has moved since."""
        self.haunted = set()
        for (kind, old), (_, new) in zip(self.ghost, self.traces, strict=False):
            if len(old) and not np.array_equal(old, new, equal_nan=True):
                dots = {"linestyle": "", "marker": "o", "markersize": 4, "markeredgewidth": 0}
                look = dots if kind == "dots" else {"linestyle": (0, (3, 1.5))}
                self.strokes_of(*old.T, style.GHOST, 1.4, **look)
                self.marks.behind()
                self.haunted.add(kind)

    def inside(self, x: float, y: float) -> bool:
        """Return whether a cell with a number lies there."""
        row, column = round(y), round(x)
        within = 0 <= row < self.grid.shape[0] and 0 <= column < self.grid.shape[1]
        return within and bool(np.isfinite(self.grid[row, column]))

    def value_at(self, x: float, y: float) -> str:
        """Return the number that is drawn at x and y, or nothing."""
        if self.says:
            return self.says(x, y)
        if self.grid is not None:
            there = self.inside(x, y)
            return number(float(self.grid[round(y), round(x)])) if there else ""
        if self.each is not None:
            return f"({', '.join(map(number, min(self.each.tolist(), key=lambda p: np.hypot(p[0] - x, p[1] - y))))})"
        lines = [xy for kind, xy in self.traces if kind == "dashes" and len(xy)]
        heights = [float(xy[np.abs(xy[:, 0] - x).argmin(), 1]) for xy in lines if xy[:, 0].min() <= x <= xy[:, 0].max()]
        return number(min(heights, key=lambda height: abs(height - y)), 4) if heights else ""


_HALOS: dict = {}


def _halo(color: str, wide: float = HALO) -> list:
    """Return what lets words be read over data; always the same one of a colour."""
    return _HALOS.setdefault((color, wide), [withStroke(linewidth=wide, foreground=color)])


def color_limits(grid: np.ndarray) -> tuple:
    """Return (lowest colour, highest colour) for these numbers, in few steps, so that they seldom jump."""
    low, high = np.nanmin(grid), np.nanmax(grid)
    bound = style.tight_bound(max(-low, high))
    return (-bound if low < 0 else min(np.floor(4 * low / bound), 3) / 4 * bound), bound
