"""Marks: artists that are kept from frame to frame, and the pencil that names them.

Every frame names its marks again, lowest first. The k-th mark of a kind with the same
properties is the k-th such artist: only what changed since the last frame is set, and what a
frame doesn't name isn't drawn.
"""

from collections import Counter, defaultdict

import numpy as np
from matplotlib.artist import Artist
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from matplotlib.lines import Line2D
from matplotlib.markers import MarkerStyle
from matplotlib.transforms import IdentityTransform

from posenc_lib.translation import said
from posenc_lib.views import style
from posenc_lib.views.pixels import Cells, Words
from posenc_lib.views.style import CSS_DPI, WORDS, text_width

DISC = MarkerStyle("o").get_path().transformed(MarkerStyle("o").get_transform())
POINT = 72 / CSS_DPI  # points in a pixel of the page
UNCHANGED = IdentityTransform()
UNSET = object()  # equals no property
NESTED = {list, tuple, np.ndarray}
PLAIN = {"ha": "center", "va": "center", "fontsize": WORDS, "fontweight": "normal"}
PART = {"left": 0, "center": 0.5, "right": 1, "bottom": 0, "top": 1}  # of words, before a place

NEW = {"cells": Cells}  # a new artist of each kind, for matplotlib's axes
NEW["line"] = lambda ax: Line2D([], [])
NEW["strokes"] = lambda ax: LineCollection([])
NEW["shapes"] = lambda ax: PolyCollection([])
NEW["discs"] = lambda ax: PathCollection([DISC], offsets=[], offset_transform=ax.transData)
NEW["words"] = lambda ax: Words(clip_on=False)


class Marks(Artist):
    """Artists in the order they're named; naming them again gets the same ones.

    Attributes:
        drawn: what this frame has named.
        withheld: whether to keep back what is named now.
    """

    def __init__(self, ax):
        super().__init__()
        ax.add_artist(self)
        self._ax = ax
        self._artists = defaultdict(list)
        self._used = Counter()
        self._before = []
        self._moved = set()
        self.drawn = []
        self.withheld = False

    def begin(self) -> None:
        """Begin a frame."""
        self.drawn = []
        self._used.clear()

    def reuse(self, kind: str, properties: dict) -> Artist:
        """Return the next artist of a kind, after setting the properties that changed.

        An artist only ever gets properties with the same names: nothing is left over.
        """
        key = (kind, *properties)
        known, k = self._artists[key], self._used[key]
        self._used[key] += 1
        if k == len(known):
            known.append((self._new(kind), {}))
        artist, before = known[k]
        for name, value in properties.items():
            old = before.get(name, UNSET)
            if value is not old and not same(value, old):
                self._moved.add(artist)
                getattr(artist, f"set_{name}")(value)
                before[name] = value
        if not self.withheld:
            self.drawn.append(artist)
        return artist

    def _new(self, kind: str) -> Artist:
        with style.styled():
            artist = NEW[kind](self._ax)
        artist.axes = self._ax
        artist.figure = self._ax.figure
        artist.stale_callback = None  # whoever names it draws it
        if not artist.is_transform_set():
            artist.set_transform(self._ax.transData)
        if kind != "words":
            artist.set_clip_box(self._ax.bbox)
        return artist

    @property
    def still(self) -> int:
        """How many marks, from the lowest up, look the same as in the last frame.

        Their pixels can be kept: only what's above them is redrawn.
        """
        count = 0
        for artist, before in zip(self.drawn, self._before, strict=False):
            if artist is not before or artist in self._moved:
                break
            count += 1
        return count

    def draw(self, renderer, first: int = 0, last: int | None = None) -> None:
        """Draw some of this frame: on the screen, or, without stamps, into a file."""
        stamp = getattr(renderer, "stamp", None)  # copies words' pixels, which is faster
        for artist in self.drawn[first:last]:
            if stamp and isinstance(artist, Words):
                stamp(artist)
            else:
                artist.draw(renderer)
        if stamp and last is None:  # all are on screen; the next frame is compared
            self._before = self.drawn
            self._moved = set()


def same(value, before) -> bool:
    """Return whether two values, arrays or lists of them are the same."""
    if value is before:
        return True
    if type(value) is not type(before):
        return False
    if isinstance(value, np.ndarray):
        if value.shape != before.shape:
            return False
        return bool(((value == before) | (value != value) & (before != before)).all())
    if isinstance(value, (list, tuple)) and not NESTED.isdisjoint(map(type, value)):
        return len(value) == len(before) and all(map(same, value, before))
    return value == before


class Pencil:
    """Draws plain marks on matplotlib's axes: lines, areas, discs, words.

    Places are data unless `within` says otherwise: "axes" counts in widths and heights of
    the plot, from its lower left; "x" is data along x and heights along y, "y" the other
    way around. Sizes and shifts are pixels of the page, 100 to an inch; `lw` and `fontsize`
    are points, 72 to an inch. Other properties are matplotlib's.

    Attributes:
        ax: matplotlib's axes.
        limits: "xlim" and "ylim", and "clim" of colors.
        spans: how far the axes reach, across and up, in data units.
        size: width and height of the plot, in px; corner: its lower left.
        ground: marks that stay; marks: those that move, above them.
        into: which of the two is named now.
    """

    def __init__(self, ax, log: str):
        self.ax = ax
        self.limits = {}
        self.ground = Marks(ax)
        self.marks = Marks(ax)
        self.marks.set_animated(True)
        ax.axis("off")
        ax.set(**{f"{name}scale": "log" for name in log})
        self._logs = [name in log for name in "xy"]
        self._within = {"data": ax.transData, "axes": ax.transAxes}
        self._within |= {"x": ax.get_xaxis_transform(), "y": ax.get_yaxis_transform()}

    # Places; asking matplotlib for each takes too long

    def settle(self) -> None:
        """Note where the plot is in its figure now."""
        self._sharpness = self.ax.figure.dpi / CSS_DPI  # dots for each pixel of the page
        self.size = (self.ax.bbox.size / self._sharpness).round(3)
        self.corner = self.ax.bbox.p0 / self._sharpness

    def reach(self, limits: dict) -> None:
        """Give the axes these limits."""
        self.limits = limits
        xlim, ylim = limits["xlim"], limits["ylim"]
        self.ax.set(xlim=xlim, ylim=ylim)
        ends = np.array([sorted(xlim), sorted(ylim)]).T
        self.spans = ends[1] - ends[0]
        low, high = self.ax.transData.transform(ends) / self._sharpness
        first, last = self._straight(ends)
        self._slope = (high - low) / (last - first)
        self._zero = low - first * self._slope

    def _straight(self, places: np.ndarray) -> np.ndarray:
        """Return places, with logarithms on a logarithmic axis."""
        with np.errstate(divide="ignore", invalid="ignore"):  # 0 isn't on it
            return np.where(self._logs, np.log10(places), places)

    def px(self, place, within="data") -> np.ndarray:
        """Return where places are in the figure, in px of the page."""
        place = np.asarray(place, float)
        share = self.corner + place * self.size
        if within == "axes":
            return share
        if any(self._logs):
            place = self._straight(place)
        data = place * self._slope + self._zero
        if within == "data":
            return data
        return np.where([within == "x", within == "y"], data, share)

    # Plain marks

    def line(self, x, y, color, lw: float, within="data", **more) -> None:
        """Draw a line through points."""
        usual = {"color": color, "linewidth": lw, "transform": self._within[within]}
        place = {"data": np.array([x, y], float)}
        self.into.reuse("line", usual | more | place)

    def rule(self, axis: str, place, color, lw: float = 1.2, **more) -> None:
        """Draw a line from edge to edge at a place on an axis."""
        x, y = [place, place], [0, 1]
        if axis == "y":
            x, y = y, x
        self.line(x, y, color, lw, axis, **more)

    def strokes(self, segments, *, color=None, lw=2.0, **more) -> None:
        """Draw separate lines, each of shape (points, 2)."""
        usual = {"color": style.KEY if color is None else color, "linewidth": lw}
        self.into.reuse("strokes", usual | more | {"segments": segments})

    def shapes(
        self, polygons, *, color=None, edge="none", lw=0.0, within="data", clip=True, **more
    ) -> None:
        """Fill areas, each of shape (points, 2)."""
        color = style.KEY if color is None else color
        usual = {"facecolor": color, "edgecolor": edge, "linewidth": lw}
        place = {"transform": self._within[within], "clip_on": clip, "verts": polygons}
        self.into.reuse("shapes", usual | more | place)

    def discs(self, points, size: float, color, edge, lw: float, **more) -> None:
        """Draw a disc at each point, in one color or one each."""
        if isinstance(color, str):  # a line's markers draw faster
            more |= {"marker": "o", "linestyle": "", "markersize": POINT * size}
            more |= {"markeredgewidth": lw, "markeredgecolor": edge, "markerfacecolor": color}
            self.line(*points.T, color, 1.0, **more)
            return
        if edge == style.PAPER and lw:  # wider discs below are twice as fast as rims
            self.discs(points, size + lw, edge, edge, 0)  # lw is nearly px
            size, lw = size - lw, 0
        more |= {"facecolor": color, "edgecolor": edge, "linewidth": lw}
        more |= {"sizes": [(POINT * size) ** 2], "transform": UNCHANGED, "offsets": points}
        self.into.reuse("discs", more)

    def text(
        self, words: str, xy, shift=(0, 0), *, within="data", halo=False, quoted=False, **more
    ) -> None:
        """Write words at a place, shifted by some pixels; quoted ones keep their language."""
        words = words if quoted else said(words)
        if not words:
            return
        if "color" not in more:
            more["color"] = style.INK
        font = PLAIN | more
        dots = (self.px(xy, within) + shift) * self._sharpness
        dots = dots.round(6).tolist()  # noise must not choose the pixel
        place = (self._within[within], *xy, *shift, *dots)
        drawn = {"text": words, "halo": style.PAPER if halo else "", "place": place}
        artist = self.into.reuse("words", font | drawn)
        artist.look = words, artist.halo, str(font)

    def label(self, words: str, xy, shift=(0, 0), *, within="data", **more) -> None:
        """Name something in bold, over whatever is there, inside the plot."""
        font = PLAIN | {"fontweight": "bold"} | more
        wide = text_width(words, font["fontsize"], font["fontweight"])
        size = np.array([wide, font["fontsize"] * 1.4])
        before = size * (PART[font["ha"]], PART[font["va"]])
        place = self.px(xy, within) - self.corner + shift
        moved = np.minimum(np.maximum(place, before + 1), self.size - (size - before) - 1)
        shift = shift + np.where(size < self.size, moved - place, 0)  # if there is room
        self.text(words, xy, shift.tolist(), within=within, halo=True, **font)
