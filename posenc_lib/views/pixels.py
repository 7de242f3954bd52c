"""From marks to bytes: words that are drawn once and then stamped, grids of numbers as pixels, pixels as a PNG."""

import math
import struct
import zlib

import numpy as np
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import to_rgba
from matplotlib.image import AxesImage
from matplotlib.transforms import IdentityTransform

try:
    from isal import isal_zlib as deflate  # some six times faster
except ImportError:
    deflate = zlib

MOST = 3000  # texts whose pixels are kept: 2 kB (a number) to 40 kB (a title)
HALO = 0.03  # inches of paper around a name that lies over data
_kept: dict[tuple, tuple[int, int, np.ndarray]] = {}
MANY = 2**17  # cells of a grid
LARGE = 3  # pixels of a cell from which on nobody sees that one cell has a pixel more than the next


class Whole(RendererAgg):
    """A renderer that sets texts on whole pixels, so that the same words look the same everywhere."""

    def draw_text(self, gc, x, y, *args, **rest):
        super().draw_text(gc, round(x), self.height - round(self.height - y), *args, **rest)


class Stamps(RendererAgg):
    """A renderer that draws a text of a pen a hundred times as fast where it has drawn it before."""

    def stamp(self, text) -> None:
        """Draw a text whose `look` says all that its pixels depend on."""
        if not text.get_text():
            return
        key = (*text.look, self.dpi)
        if key not in _kept:
            if len(_kept) >= MOST:
                _kept.clear()
            _kept[key] = self._stamped(text)
        left, up, pixels = _kept[key]
        x, y = text.dots
        if pixels.size and math.isfinite(x + y):
            self.draw_image(self.new_gc(), round(x) + left, round(y) + up, pixels)

    def _stamped(self, text) -> tuple[int, int, np.ndarray]:
        """Return how far from its place a text's pixels begin, and these, the lowest row first."""
        before = {"path_effects": text.get_path_effects(), "position": text.get_position()}
        before["transform"] = text.get_transform()
        text.set_path_effects([])  # letters of a halo's outline are slow to draw: it is made of pixels
        extent = text.get_window_extent(self)
        across, up = math.ceil(extent.width) + 16, math.ceil(extent.height) + 16
        sheet = Whole(2 * across, 2 * up, self.dpi)  # its place is in the middle
        text.set(transform=IdentityTransform(), position=(across, up))
        text.draw(sheet)
        text.set(**before)
        pixels = np.asarray(sheet.buffer_rgba())[::-1]
        if text.halo:
            pixels = _on_paper(pixels, text.halo, HALO * self.dpi)
        rows, columns = (np.flatnonzero(pixels[..., 3].any(axis=axis)) for axis in (1, 0))
        if not len(rows):
            return 0, 0, pixels[:0]
        inked = pixels[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        return int(columns[0]) - across, int(rows[0]) - up, inked.copy()


def _on_paper(pixels: np.ndarray, color: str, reach: float) -> np.ndarray:
    """Return letters with paper under and around them, `reach` pixels far."""
    alpha, wide, steps = pixels[..., 3], np.zeros(pixels.shape[:2], np.uint8), range(-round(reach), round(reach) + 1)
    for dy, dx in ((dy, dx) for dy in steps for dx in steps if dy * dy + dx * dx <= reach * reach):
        np.maximum(wide, np.roll(alpha, (dy, dx), (0, 1)), out=wide)
    ink, paper = pixels[..., :3].astype(float), 255 * np.array(to_rgba(color)[:3])
    over = alpha[..., None] / 255
    return np.dstack([(ink * over + paper * (1 - over)).round().astype(np.uint8), wide])


class Cells(AxesImage):
    """An image whose pixels take the colour of their cell, or of the mean of the cells they cover.

    matplotlib resamples first and colours every pixel; here the few cells are coloured and then repeated. A drawing
    holds the cells themselves, sharp at every size, unless they are so many that means tell more.

    Attributes:
        mixes: whether a mean of two cells means anything; else a pixel has the colour of one of its cells.
    """

    mixes = True

    def lay(self, data: tuple):
        """Show a grid, and whether its numbers mix."""
        grid, self.mixes = data
        self._A = np.asarray(grid)  # as it is: matplotlib would copy it, and look for numbers that are none
        self.set_interpolation("none" if self._A.size <= MANY else "nearest")  # "none": as cells where a file can
        self.stale = True

    def _edges(self) -> tuple[float, float, float, float]:
        """Return where the image begins and ends in its figure, across and up; limits that stay may reach beyond it."""
        (left, low), (right, high) = self.axes.viewLim.get_points().tolist()
        (x0, x1, y0, y1), box = self.get_extent(), self.axes.bbox
        across = (_between(box.x0, box.x1, (at - left) / (right - left)) for at in (x0, x1))
        return *across, *(_between(box.y0, box.y1, (at - low) / (high - low)) for at in (y0, y1))

    def make_image(self, renderer, magnification=1.0, unsampled=False):
        if unsampled:
            return super().make_image(renderer, magnification, unsampled)
        left, right, bottom, top = (round(edge * magnification) for edge in self._edges())
        width, height = max(right - left, 1), max(top - bottom, 1)
        cells = np.asarray(self.get_array())
        if self.mixes:
            cells = means(means(cells.T, width).T, height)  # a table's long axis first
        colors = np.ascontiguousarray(self.to_rgba(cells, bytes=True)[::-1])  # the renderer begins with the lowest row
        rows, columns = (np.arange(n) * have // n for n, have in zip((height, width), cells.shape, strict=True))
        pixels = colors.view(np.uint32)[..., 0].take(rows, axis=0).take(columns, axis=1)  # four bytes as one number
        pixels = pixels.view(np.uint8).reshape(height, width, 4)
        return pixels, left / magnification, bottom / magnification, None  # placed in the renderer's own units


def _between(low: float, high: float, part: float) -> float:
    """Return what lies some part of the way from low to high; the ends exactly."""
    return (1 - part) * low + part * high


def means(grid: np.ndarray, count: int) -> np.ndarray:
    """Return the grid with so many rows, each the mean of what it covers, parts of rows by their share.

    Where every row would be repeated LARGE times or more it is the grid itself: large cells stay sharp.
    """
    have = len(grid)
    if have == count or LARGE * have <= count:
        return grid
    edges = np.arange(count + 1) * have / count
    if have < count:
        here, there = np.floor(edges[:-1]).astype(int), np.minimum(np.floor(edges[1:]).astype(int), have - 1)
        beyond = np.where(here < there, (edges[1:] - there) * count / have, 0)  # the share of the second row
        return grid[here] + beyond[:, None] * (grid[there] - grid[here])
    first, last = np.ceil(edges[:-1]).astype(int), np.floor(edges[1:]).astype(int)  # the rows that are covered whole
    total = (first - edges[:-1])[:, None] * grid[first - 1]
    total += (edges[1:] - last)[:, None] * grid[np.minimum(last, have - 1)]
    for k in range((last - first).max()):
        more = first + k < last
        total[more] += grid[first[more] + k]
    return total * count / have


def blank(height: int, width: int) -> np.ndarray:
    """Return memory in which `encode` can lay out pictures of a size, one after another: fresh memory takes longer."""
    return np.zeros((height, 1 + 4 * width), np.uint8)  # each row begins with filter type 0: none


def encode(rgba: np.ndarray, rows: np.ndarray | None = None) -> bytes:
    """Return pixels of shape (height, width, 4) as PNG bytes; rows may be what `blank` returned.

    Written for speed: no row filters and the lightest compression. For flat colours that is as small as a general
    encoder's result.

    Source: PNG specification, third edition, sections 5 and 11.
    """
    height, width = rgba.shape[:2]
    rows = blank(height, width) if rows is None else rows
    rows[:, 1:] = rgba.reshape(height, -1)
    packed = deflate.compress(rows, 1)  # at once: packed piece by piece, isal's bytes are not always the same
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)  # 8 bits, RGBA
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(part)) + kind + part + struct.pack(">I", zlib.crc32(kind + part))
        for kind, part in ((b"IHDR", header), (b"IDAT", packed), (b"IEND", b""))
    )
