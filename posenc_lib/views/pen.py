"""What a view draws with: every frame names its marks anew, and marks that were there before are moved, not made.

A view is a function draw(pen, encoding, **values) that returns one sentence. The k-th mark of a kind is the k-th artist
of that kind: only what differs from the frame before is set, and what a frame does not name is not drawn.

- What `curve`, `dots` and `cells` draw is data: a pointer tells it. What `line`,
  `rule`, `mark`, `ring`, `strokes` and `shapes` draw never is. A reader may be asked to draw the first curve, or bars.
- `size` and `shift` are pixels of the page, 100 to an inch; `lw` and `fontsize` are points, 72 to an inch.
- Places are data unless `within` says otherwise: "axes" counts in widths and heights of the plot, from its lower left
  corner; "x" is data along x and heights of the plot along y, and "y" the other way round.
"""

import math
from collections import Counter, defaultdict
from contextlib import contextmanager
from functools import cache
from itertools import takewhile

import numpy as np
from matplotlib.artist import Artist
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from matplotlib.lines import Line2D
from matplotlib.markers import MarkerStyle
from matplotlib.patheffects import withStroke
from matplotlib.text import Text
from matplotlib.transforms import IdentityTransform, ScaledTranslation

from posenc_lib.views import style
from posenc_lib.views.axes import DOWN, UNIT_AT, Axes, over, width
from posenc_lib.views.pixels import Cells
from posenc_lib.views.style import CSS_DPI, NUMBERS, TITLE, WORDS, number, readable_on

DISC = MarkerStyle("o").get_path().transformed(MarkerStyle("o").get_transform())
POINT = 72 / CSS_DPI  # points in a pixel of the page
UNSET = object()  # what no property is
QUESTION, ASK = "What do you expect?", "Drag across the picture and draw what you expect to see."


class Marks(Artist):
    """Artists in the order in which they are named; whoever names them anew gets those of before again.

    A file draws them as matplotlib does; a page's renderer has `stamp`, which copies words that it has drawn before.

    Attributes:
        drawn: what has been named of this frame.
        withheld: whether what is named from now on is kept back, for a reader is asked to draw it.
    """

    def __init__(self, ax):
        super().__init__()
        ax.add_artist(self)
        self._ax, self._artists, self._used = ax, defaultdict(list), Counter()
        self.drawn, self._before, self._moved, self.withheld = [], [], set(), False

    def begin(self) -> None:
        self.drawn = []
        self._used.clear()

    def reuse(self, kind: str, make, look: dict, data, lay) -> Artist:
        """Return the next artist of a kind, made only if there is none yet, with this look and these data.

        Only what is other than before is set: a property by its set_…, the data by lay(artist, data).
        """
        key = (
            kind,
            *look.keys(),
        )  # those that have the same properties set: nothing is left over from another use
        known, k = self._artists[key], self._used[key]
        self._used[key] += 1
        if k == len(known):
            known.append((self._made(kind, make), {}))
        artist, before = known[k]
        asked = look | {"data": data}
        changed = {
            name: value
            for name, value in asked.items()
            if not alike(value, before.get(name, UNSET))
        }
        for name, value in changed.items():
            lay(artist, value) if name == "data" else getattr(artist, f"set_{name}")(value)
        if changed:
            before.update(changed)
            self._moved.add(artist)
        if not self.withheld:
            self.drawn.append(artist)
        return artist

    def _made(self, kind: str, make) -> Artist:
        with style.styled():
            artist = make()
        artist.axes, artist.figure = self._ax, self._ax.figure
        artist.stale_callback = None  # whoever names it draws it
        if not artist.is_transform_set():
            artist.set_transform(self._ax.transData)
        if kind != "text":
            artist.set_clip_box(self._ax.bbox)
        return artist

    @property
    def still(self) -> int:
        """How many of the first are as they were when this was last drawn: a frame may keep their pixels."""
        pairs = zip(self.drawn, self._before, strict=False)
        return sum(
            1 for _ in takewhile(lambda two: two[0] is two[1] and two[0] not in self._moved, pairs)
        )

    def draw(self, renderer, first: int = 0, last: int | None = None) -> None:
        stamp = getattr(renderer, "stamp", None)
        for artist in self.drawn[first:last]:
            stamp(artist) if stamp and isinstance(artist, Text) else artist.draw(renderer)
        if (
            stamp and last is None
        ):  # all are on the page now: what the next frame is compared with; a file is no frame
            self._before, self._moved = self.drawn, set()


def alike(one, other) -> bool:
    """Return whether two values, arrays or lists of them are the same."""
    if one is other:
        return True
    arrays = isinstance(one, np.ndarray) + isinstance(other, np.ndarray)
    if arrays:
        same = arrays == 2 and one.shape == other.shape
        return same and bool(((one == other) | (one != one) & (other != other)).all())
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(alike, one, other))
    return one == other


class Pen(Axes):
    """What one view of one encoding draws with on one pair of axes.

    Its other half, limits, ticks and pixels, is `Axes`. A view first calls `axes` or `cells`; these give the measure.

    Attributes:
        words: what the view shows now, in a sentence; headline: its title.
        own: values of this view alone.
        marks: what moves from frame to frame; ground: ticks, grid, names, which are drawn again only where they change.
        traces: (kind, points) of each curve and of dots.
        hands: what a reader can turn: (slider, middle, tip, by how many radians the slider's next value turns it).
        names: what x and y are to a pointer; unit_line: what the line below the title says.
        grid, points, says: what a pointer finds: numbers in cells, points that it can take, a function (x, y) → words.
        drawable: the first curve, or the tops of the bars, that a reader can draw from left to right: x and y.
        withheld: whether data, and all that tells of them, are kept back, for a reader is to draw them: axes stay, and
            what is named within `always`, which lifts only the marks' own `withheld`.
    """

    def __init__(self, view, ax, own: dict):
        super().__init__(view, ax, own)
        self.ground, self.marks = Marks(ax), Marks(ax)
        self.marks.set_animated(True)
        self._into = self.marks  # or the ground, while `axes` draws it
        self.withheld = False
        x, y = ax.get_xaxis_transform(), ax.get_yaxis_transform()
        self._within = {"data": ax.transData, "axes": ax.transAxes, "x": x, "y": y}

    def draw(self, encoding, values: dict) -> None:
        """Show an encoding at some values."""
        self.marks.begin()
        self.traces, self.points, self.says, self.grid, self.hands, self.changed = (
            [],
            None,
            None,
            None,
            [],
            False,
        )
        self._hidden, self.drawable, self.marks.withheld = set(), None, self.withheld
        self.names, self.headline, self.unit_line = self.view.pointer, "", None
        try:
            self.words = self.view.function(self, encoding, **self.taken(values))
        except BaseException:
            self._state = None  # the axes may be half changed
            raise
        if self.withheld:
            self.words = ASK if self.view.kind == "curves" else ""
        if not self.headline:
            self.title(self.view.title)
        if self.unit_line is None:
            self.unit(self.view.unit)

    @contextmanager
    def always(self):
        """Let what is named meanwhile be seen even where data are withheld."""
        before, self.marks.withheld = self.marks.withheld, False
        try:
            yield
        finally:
            self.marks.withheld = before

    def taken(self, values: dict) -> dict:
        """Return the values that the view asks for."""
        known = values | self.own
        return {name: known.get(name, missing) for name, missing in self.view.takes.items()}

    # Above the plot

    def title(self, words: str) -> None:
        """Say in a sentence what is seen; where it is too long for the cell, the view's noun stays."""
        if self.withheld:
            words = QUESTION if self.view.kind == "curves" else self.view.title
        self.headline = words = self.own.get("title") or words
        if width(words, TITLE, "bold") > self.size[0] + self.view.left + style.RIGHT:
            words = self.view.title
        look = {"within": "axes", "fontsize": TITLE, "fontweight": "bold", "ha": "left"}
        with self.always():
            self.text(words, (0, 1), (-self.view.left, style.HEAD - 16), **look)

    def unit(self, *parts) -> None:
        """Say below the title what y counts; a part (words, colour) stands out, and stays where room is short."""
        told = [(part, "") if isinstance(part, str) else part for part in parts if part]
        self.unit_line = " ".join(words for words, _ in told)
        room = self.size[0] - (self._scale_width() if "clim" in self.limits else 0)

        def fitting(some):
            row, x = [], -self.view.left
            for words, color in some:
                look = {"color": color or style.SOFT, "fontweight": "bold" if color else "normal"}
                wide = width(words, WORDS, look["fontweight"])
                if x + wide <= room:
                    row.append((words, x, look))
                    x += wide + (6 if color else 2)  # bold words of two colours would run together
            return row

        key = [part for part in told if part[1]]
        for some in (told, [*told[:1], *key], key):  # until no bold one falls out
            row = fitting(some)
            if {words for words, _ in key} <= {words for words, *_ in row}:
                break
        for words, x, look in row:
            with self.always():
                self.text(words, (0, 1), (x, UNIT_AT), within="axes", ha="left", **look)

    # Curves, points and areas

    def curve(self, x, y=None, *, color=None, lw=2.0, dotted=False, **look) -> None:
        """Draw data as a line through points, of y alone at 0, 1, 2 …; dotted: with a dot at every one."""
        x, y = (np.arange(len(x)), x) if y is None else (x, y)
        if dotted:
            look |= {
                "marker": "o",
                "markersize": 3.6,
                "markeredgecolor": style.PAPER,
                "markeredgewidth": 0.6,
            }
        self.line(x, y, color or style.KEY, lw, **look)
        self.traces.append(("curve", np.array([x, y], float).T))
        self._drawable(x, y)

    def change(self, x, before, now, **look) -> None:
        """Draw a curve over what it was before, broad and grey, which is no data."""
        self.line(x, before, style.GHOST, 5.0)
        self.curve(x, now, **look)

    def line(self, x, y, color, lw: float, within="data", **look) -> None:
        """Draw a line that is no data."""
        look = {"color": color, "linewidth": lw, "transform": self._within[within]} | look
        self._into.reuse(
            "line", lambda: Line2D([], []), look, (x, y), lambda line, data: line.set_data(*data)
        )

    def rule(self, axis: str, at, color, lw: float = 1.2, **look) -> None:
        """Draw a line from edge to edge at a place of an axis."""
        self.line(
            *(([at, at], [0, 1]) if axis == "x" else ([0, 1], [at, at])), color, lw, axis, **look
        )

    def dots(
        self, points, *, color=None, size=None, edge=None, lw=None, data=True, taken=False, **look
    ) -> None:
        """Draw a disc at each point, as wide as neighbours leave room, of one colour or of one each.

        data: whether they are; taken: whether a pointer takes the nearest and tells its number.
        """
        points, color, edge = (
            np.reshape(points, (-1, 2)),
            style.KEY if color is None else color,
            edge or style.PAPER,
        )
        gap = (
            np.median(np.linalg.norm(np.diff(self.px(points), axis=0), axis=1))
            if len(points) > 1
            else np.inf
        )
        size, lw = (
            float(np.clip(gap, 5, 7)) if size is None else size,
            0.8 * (gap > 5) if lw is None else lw,
        )
        if data:
            self.traces.append(("points", points))
        if taken:
            self.points = points
        round_it = {
            "marker": "o",
            "linestyle": "",
            "markersize": POINT * size,
            "markeredgewidth": lw,
        }
        if isinstance(color, str):  # a line's markers are drawn faster
            self.line(
                *points.T,
                color,
                1.0,
                **round_it,
                markerfacecolor=color,
                markeredgecolor=edge,
                **look,
            )
            return
        if (
            edge == style.PAPER and lw
        ):  # wider discs of paper below them all take half the time of rims; lw, nearly px
            self.line(
                *points.T,
                edge,
                1.0,
                **round_it | {"markersize": POINT * (size + lw), "markeredgewidth": 0},
            )
            size, lw = size - lw, 0
        look |= {
            "facecolor": color,
            "edgecolor": edge,
            "linewidth": lw,
            "sizes": [(POINT * size) ** 2],
        }

        def make():
            return PathCollection(
                [DISC],
                offsets=[],
                transform=IdentityTransform(),
                offset_transform=self.ax.transData,
            )

        self._into.reuse("dots", make, look, points, PathCollection.set_offsets)

    def mark(self, points, color=None, size=8.0, lw=1.2, edge=None) -> None:
        """Point out some places by a disc that is no data."""
        self.dots(points, color=color or style.INK, size=size, lw=lw, edge=edge, data=False)

    def ring(self, points, color=None, size=15.0) -> None:
        """Ring points that stand out."""
        self.mark(points, "none", size, 2.2, color or style.QUERY)

    def strokes(self, segments, *, color=None, lw=2.0, within="data", **look) -> None:
        """Draw separate lines, each of shape (points, 2)."""
        look = {"color": style.KEY if color is None else color, "linewidth": lw} | look
        look["transform"] = self._within[within]
        self._into.reuse(
            "strokes", lambda: LineCollection([]), look, segments, LineCollection.set_segments
        )

    def shapes(
        self, polygons, *, color=None, edge="none", lw=0.0, within="data", clip=True, **look
    ) -> None:
        """Fill areas, each of shape (points, 2)."""
        look = {
            "facecolor": style.KEY if color is None else color,
            "edgecolor": edge,
            "linewidth": lw,
        } | look
        look |= {"transform": self._within[within], "clip_on": clip}
        self._into.reuse(
            "shapes", lambda: PolyCollection([]), look, polygons, PolyCollection.set_verts
        )

    def band(self, x, low, high) -> None:
        """Fill what lies between two curves."""
        edge = np.concatenate([np.stack([x, low], axis=1), np.stack([x, high], axis=1)[::-1]])
        self.shapes([edge], color=style.TINT)

    def bars(self, x, low, high, *, wide=0.72, color=None) -> None:
        """Fill an upright bar at each x."""
        x, low, high = np.broadcast_arrays(x, low, high)
        self._drawable(x, high)
        a, b = x - wide / 2, x + wide / 2
        corners = np.stack([[a, b, b, a], [low, low, high, high]], axis=-1).transpose(1, 0, 2)
        self.shapes(corners, color=color)

    def _drawable(self, x, y) -> None:
        """Note the first data that a reader could have drawn from left to right."""
        x, y = np.asarray(x, float), np.asarray(y, float)
        if self.drawable is None and len(x) > 2 and (np.diff(x) > 0).all() and np.isfinite(y).any():
            self.drawable = x, y

    def region(self, low, high, name: str = "", **look) -> None:
        """Tint what lies between two places of x, from edge to edge, and name it in its upper left corner."""
        with self.always():
            self.shapes(
                [[(low, 0), (high, 0), (high, 1), (low, 1)]],
                within="x",
                **{"color": style.TINT} | look,
            )
            self.text(name, (low, 1), (6, -10), within="x", ha="left", color=style.SOFT)

    def missing(self, low: float, high: float) -> None:
        """Hatch what lies between two places of x, from edge to edge, where there is no row."""
        self.region(low, high, edge=style.GHOST, hatch="///")
        self.label("no row", ((low + high) / 2, 0.92), within="x")

    # Frames, arrows, angles

    def box(self, left, bottom, wide, high, *, color=None, lw=1.2, within="data") -> None:
        """Outline a rectangle."""
        x, y = left + np.array([0, wide, wide, 0, 0]), bottom + np.array([0, 0, high, high, 0])
        self.line(x, y, color or style.INK, lw, within, solid_joinstyle="miter", clip_on=False)

    def frame(self, left, bottom, wide, high, color=None, lw=1.2) -> None:
        """Frame cells from outside, so that nothing they show is covered, with a rim of paper beyond."""
        for out, ink, stroke in (
            (1.6 + lw, style.PAPER, lw + 0.6),
            (1.6, color or style.QUERY, lw),
        ):
            dx, dy = out * self.spans / self.size
            self.box(
                left - dx, bottom - dy, wide + 2 * dx, high + 2 * dy, color=ink, lw=stroke * POINT
            )

    def arrow(self, start, end, color=None) -> None:
        """Draw an arrow whose head has one size wherever it points; where there is no room for it, a part of one."""
        a, b = self.px(start), self.px(end)
        far = float(np.hypot(*(b - a)))
        if far < 1e-9:
            return
        along, head = (b - a) / far, min(11, far)
        across, neck = np.array([-along[1], along[0]]) * 0.42 * head, b - along * head
        back = self.ax.transData.inverted().transform
        self.strokes(
            [back(np.stack([a, neck]) * self._dots_per_px)], color=color, lw=2.6, capstyle="butt"
        )
        self.shapes(
            [back(np.stack([b, neck + across, neck - across]) * self._dots_per_px)], color=color
        )

    def wedge(self, center, radius, start: float, turn: float, *, named=True) -> None:
        """Fill the angle from `start` on by `turn`, in radians, and write its degrees outside, where there is room."""
        at = start + np.linspace(0, turn, max(int(abs(turn) * 24), 2))
        arc = np.stack([np.cos(at), np.sin(at)], axis=1) * radius + center
        self.shapes([np.concatenate([arc, [center]])], color=style.PAIR, alpha=0.22)
        self.strokes([arc], color=style.PAIR, lw=1.4)
        if named and abs(turn) > math.radians(12):
            out = np.array([math.cos(start + turn / 2), math.sin(start + turn / 2)])
            degrees = f"{abs(math.degrees(turn)):.0f}°"
            self.label(degrees, out * radius + center, tuple(out * (18, 13)), color=style.PAIR)

    def circle(self, center=(0, 0), radius=1.0) -> None:
        """Draw a circle to measure by."""
        at, radius = (
            np.linspace(0, 2 * np.pi, 129),
            float(f"{radius:.9g}"),
        )  # noise shall not move it
        self.line(center[0] + radius * np.cos(at), center[1] + radius * np.sin(at), style.GHOST, 1)

    # The query

    def query(self, x=None, y=None, top=None, name: str | None = None, color=None) -> None:
        """Mark a place of an axis: its number there and, in a curve, a line from there up to it and a dot.

        In cells a frame outside its column or row. Without a place nothing is drawn, for a view that shows no query.
        """
        if x is None and y is None:
            return
        axis, at = ("x", x) if y is None else ("y", y)
        color = color or style.QUERY
        if self.grid is not None:
            rows, columns = self.grid.shape
            self.frame(
                *((at - 0.5, -0.5, 1, rows) if axis == "x" else (-0.5, at - 0.5, columns, 1)), color
            )
        elif top is not None:
            low = np.clip(0, *sorted(self.limits["ylim"]))
            self.line([at, at], [low, top], color, 1.2)
            self.mark([(at, top)], color, 9)
        else:
            self.rule(axis, at, color)
        self.tick(axis, at, name, color)

    def tick(self, axis: str, value, words: str | None = None, color=None) -> None:
        """Write a number on an axis in bold, in place of those that it would meet."""
        words, color = (
            f"{value:,}".replace("-", "−") if words is None else words,
            color or style.INK,
        )
        half = width(words, NUMBERS, "bold") / 2 if axis == "x" else 7
        k = "xy".index(axis)
        here = self.px((value, value))[k]
        for at, tick in self.ticks[axis].items():
            away = abs(self.px((at, at))[k] - here)
            if (axis, at) not in self._hidden and away < half + (
                width(tick, NUMBERS) / 2 if axis == "x" else 7
            ) + 3:
                self._hidden.add((axis, at))  # once: a second time it would cover a bold one
                self._cover(axis, at, tick)  # it is part of the ground, whose pixels stay
        with self.always():
            self._number(axis, value, words, color=color, fontweight="bold")

    def _cover(self, axis: str, at: float, words: str) -> None:
        """Lay paper over a number on an axis."""
        k, half = "xy".index(axis), width(words, NUMBERS) / 2 + 2
        along = float((self.px((at, at)) - self._corner)[k])
        x, y = (along + self._inward(at, words), -DOWN) if axis == "x" else (-2 - half, along)
        corners = np.array(
            [(x - half, y - 8), (x + half, y - 8), (x + half, y + 8), (x - half, y + 8)]
        )
        with self.always():
            self.shapes([corners / self.size], color=style.PAPER, within="axes", clip=False)

    # Cells

    def cells(
        self, grid, clim=None, *, mixes=True, cmap=None, xlim=None, ylim=None, **state
    ) -> None:
        """Colour the cell of each number, row 0 on top and cell k at k; ask for axes that hold them.

        mixes: whether a pixel that holds several cells has their mean, or else one of their colours.
        """
        self.grid = grid = np.asarray(grid, float)
        rows, columns = grid.shape
        clim = clim or color_limits(grid)
        self.axes(xlim or over(columns), ylim or over(rows)[::-1], clim=clim, cmap=cmap, **state)
        look = {
            "cmap": self.cmap,
            "clim": self.limits["clim"],
            "extent": (-0.5, columns - 0.5, rows - 0.5, -0.5),
        }
        if max(self.spans - (columns, rows)) > 0.01:  # room that a slider will fill
            self.box(0, 0, 1, 1, color=style.GRID, lw=0.8, within="axes")
        self._image = self._into.reuse(
            "cells", lambda: Cells(self.ax), look, (grid, mixes), Cells.lay
        )

    def fill(self, form: str, size: float | None = None, blank=np.nan) -> None:
        """Write the numbers into their cells, black or white, whichever is readable there, as large as they fit."""
        wide = float((self.size / self.room(self.grid)[::-1])[0])  # px of a cell
        size = size or min(wide / 5, 8.4)  # five letters fit
        for row, column in np.argwhere(np.isfinite(self.grid) & (self.grid != blank)).tolist():
            value = self.grid[row, column]
            color = readable_on(self._image.to_rgba(value))
            self.text(
                form.format(value).replace("-", "−"), (column, row), fontsize=size, color=color
            )

    # Words

    def text(
        self, words: str, xy, shift=(0.0, 0.0), *, within="data", halo=False, inside=False, **look
    ) -> None:
        """Write words at a place, moved by some pixels and, with inside, into the axes; over data they have a halo."""
        if not words:
            return
        look = {
            "ha": "center",
            "va": "center",
            "fontsize": WORDS,
            "color": style.INK,
            "fontweight": "normal",
        } | look
        if inside:
            shift = self._moved_in(words, xy, shift, within, look)
        dots = ((self.at_px(xy, within) + shift) * self._dots_per_px).round(
            6
        )  # noise shall not choose the pixel
        every = look | {"text": words, "path_effects": _halo(style.PAPER) if halo else []}
        place = (within, *xy, *shift, *dots.tolist())
        text = self._into.reuse("text", lambda: Text(clip_on=False), every, place, self._write)
        text.halo = style.PAPER if halo else ""  # this, look and dots are for pixels.Stamps
        seen = (
            str(look) if "bbox" in look else tuple(look.items())
        )  # a bbox, of a word's tile, is a dict
        text.look = (words, text.halo, seen)  # what its pixels depend on

    def _write(self, text: Text, place: tuple) -> None:
        """Lay words: for files in the terms of the axes, for a frame in dots of the picture."""
        within, x, y, right, up, *dots = place
        text.dots = dots
        text.set_position((x, y))
        move = ScaledTranslation(right / CSS_DPI, up / CSS_DPI, self.ax.figure.dpi_scale_trans)
        text.set_transform(self._within[within] + move)

    def label(self, words: str, xy, shift=(0.0, 0.0), **look) -> None:
        """Name something beside it, in bold, over whatever is there."""
        self.text(words, xy, shift, halo=True, inside=True, **{"fontweight": "bold"} | look)

    def name_ends(self, ends: list) -> None:
        """Name curves at their right ends, (name, x, y, look) each, the lowest first and each above the one before."""
        low, high = self._corner[1] + 7, self._corner[1] + self.size[1] - 7
        for k, (name, x, y, look) in enumerate(sorted(ends, key=lambda end: end[2])):
            at = float(self.px((x, y))[1])
            place = min(max(at, low), high - 14 * (len(ends) - 1 - k))
            look = {"ha": "left", "fontweight": "bold"} | look
            self.text(name, (x, y), (6, round(place - at, 2)), halo=True, **look)
            low = place + 14

    def _moved_in(self, words, xy, shift, within, look) -> tuple:
        """Return a shift with which words stay within the axes."""
        size = np.array(
            [width(words, look["fontsize"], look["fontweight"]), look["fontsize"] * 1.4]
        )
        part = {"left": 0, "center": 0.5, "right": 1, "bottom": 0, "top": 1}
        before = size * (
            part[look["ha"]],
            part[look["va"]],
        )  # of the words, left of their place and below it
        place = self.at_px(xy, within) - self._corner + shift
        moved = np.minimum(np.maximum(place, before + 1), self.size - (size - before) - 1)
        return tuple((shift + np.where(size < self.size, moved - place, 0)).tolist())

    # What a pointer asks

    def inside(self, x: float, y: float) -> bool:
        """Return whether a cell with a number lies there."""
        (rows, columns), row, column = self.grid.shape, round(y), round(x)
        return (
            0 <= row < rows and 0 <= column < columns and bool(np.isfinite(self.grid[row, column]))
        )

    def value_at(self, x: float, y: float) -> str:
        """Return the number that is drawn at x and y, or nothing."""
        if self.says:
            return self.says(x, y)
        if self.grid is not None:
            return number(float(self.grid[round(y), round(x)])) if self.inside(x, y) else ""
        if self.points is not None:
            return f"({', '.join(map(number, min(self.points.tolist(), key=lambda p: np.hypot(p[0] - x, p[1] - y))))})"
        curves = [xy for kind, xy in self.traces if kind == "curve" and len(xy)]
        here = [xy for xy in curves if xy[:, 0].min() <= x <= xy[:, 0].max()]
        heights = [float(xy[np.abs(xy[:, 0] - x).argmin(), 1]) for xy in here]
        return number(min(heights, key=lambda height: abs(height - y)), 4) if heights else ""


@cache
def _halo(color: str) -> list:
    """Return what lets words be read over data; always the same one of a colour."""
    return [withStroke(linewidth=3, foreground=color)]


def color_limits(grid: np.ndarray) -> tuple:
    """Return (lowest colour, highest colour) for these numbers, the lowest by quarters, so that they seldom jump.

    Where all are large, a quarter of the colours stays for what differs.
    """
    low, high = np.nanmin(grid), np.nanmax(grid)
    bound = style.tight_bound(max(-low, high))
    return (-bound if low < 0 else min(np.floor(4 * low / bound), 3) / 4 * bound), bound
