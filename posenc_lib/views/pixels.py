"""From marks to bytes: words are drawn once, then stamped; grids become pixels, then a PNG."""

import math
import struct
import zlib
from functools import cache

import numpy as np
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import to_rgba
from matplotlib.image import AxesImage
from matplotlib.patheffects import withStroke
from matplotlib.text import Text
from matplotlib.transforms import IdentityTransform, ScaledTranslation

try:
    from isal import isal_zlib as deflate  # about six times faster
except ImportError:
    deflate = zlib

from posenc_lib.views.style import CSS_DPI, drawable

_stamps: dict[tuple, tuple[int, int, np.ndarray]] = {}
LARGE = 3  # pixels of a cell; from here on, nobody sees that one is a pixel wider than the next


class Words(Text):
    """A text of a pen.

    Attributes:
        look: all its pixels depend on.
        halo: the color of the paper around it, or none.
        dots: its place in the picture.
    """

    def set_text(self, words: str) -> None:
        """Write words as this machine's fonts can."""
        super().set_text(drawable(words))

    def set_halo(self, color: str) -> None:
        """Make words readable over data."""
        self.halo = color
        self.set_path_effects(_halo(color) if color else [])

    def set_place(self, place: tuple) -> None:
        """Move them: in a file relative to the axes, in a frame by dots of the picture."""
        transform, x, y, right, up, *dots = place
        self.dots = dots
        self.set_position((x, y))
        move = ScaledTranslation(right / CSS_DPI, up / CSS_DPI, self.figure.dpi_scale_trans)
        self.set_transform(transform + move)


@cache
def _halo(color: str) -> list:
    return [withStroke(linewidth=3, foreground=color)]


class Whole(RendererAgg):
    """A renderer that sets texts on whole pixels: the same words look the same everywhere."""

    def draw_text(self, gc, x, y, *args, **rest):
        super().draw_text(gc, round(x), self.height - round(self.height - y), *args, **rest)


class Stamps(RendererAgg):
    """A renderer that draws a text a hundred times faster the second time."""

    def stamp(self, text: Words) -> None:
        """Draw a text at its dots."""
        key = (*text.look, self.dpi)
        if key not in _stamps:
            if (
                len(_stamps) >= 3000
            ):  # texts whose pixels are kept: 2 kB (a number) to 40 kB (a title)
                _stamps.clear()
            _stamps[key] = self._stamped(text)
        left, up, pixels = _stamps[key]
        x, y = text.dots
        if pixels.size and math.isfinite(x + y):
            self.draw_image(self.new_gc(), round(x) + left, round(y) + up, pixels)

    def _stamped(self, text: Words) -> tuple[int, int, np.ndarray]:
        """Return how far from its place a text's pixels begin, and the pixels, lowest row first."""
        before = {
            name: getattr(text, f"get_{name}")()
            for name in ("path_effects", "position", "transform")
        }
        # a halo's outlined letters are slow to draw: we make it of pixels
        text.set_path_effects([])
        # Even, so that a text's middle, if it's between two pixels, always goes to the same side.
        across, up = (2 * math.ceil(size / 2 + 8) for size in text.get_window_extent(self).size)
        sheet = Whole(2 * across, 2 * up, self.dpi)  # its place is in the middle
        text.set(transform=IdentityTransform(), position=(across, up))
        text.draw(sheet)
        text.set(**before)
        pixels = np.asarray(sheet.buffer_rgba())[::-1]
        if text.halo:
            pixels = _on_paper(pixels, text.halo, 0.03 * self.dpi)
        rows, columns = (np.flatnonzero(pixels[..., 3].any(axis=axis)) for axis in (1, 0))
        if not len(rows):
            return 0, 0, pixels[:0]
        inked = pixels[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        return int(columns[0]) - across, int(rows[0]) - up, inked.copy()


def _on_paper(pixels: np.ndarray, color: str, reach: float) -> np.ndarray:
    """Return letters with paper under them and `reach` pixels around."""
    alpha, wide, steps = (
        pixels[..., 3],
        np.zeros(pixels.shape[:2], np.uint8),
        range(-round(reach), round(reach) + 1),
    )
    for dy, dx in ((dy, dx) for dy in steps for dx in steps if dy * dy + dx * dx <= reach * reach):
        np.maximum(wide, np.roll(alpha, (dy, dx), (0, 1)), out=wide)
    ink, paper = pixels[..., :3].astype(float), 255 * np.array(to_rgba(color)[:3])
    over = alpha[..., None] / 255
    return np.dstack([(ink * over + paper * (1 - over)).round().astype(np.uint8), wide])


class Cells(AxesImage):
    """An image whose pixels take the color of their cell, or of the mean of the cells they cover.

    matplotlib resamples first and colors every pixel; we color the few cells and then repeat them.
    In a file, cells are sharp at every size, unless there are so many that means say more.

    Attributes:
        mixes: whether the mean of two cells makes sense; else a pixel has the color of one of its
            cells.
    """

    mixes = True

    def set_cells(self, cells: tuple) -> None:
        """Set a grid, and whether its numbers mix."""
        grid, self.mixes = cells
        # as it is: matplotlib would copy it, and look for NaN
        self._A = np.asarray(grid)
        # "none": as cells, if a file can
        self.set_interpolation("none" if self._A.size <= 2**17 else "nearest")
        self.stale = True

    def _ends(self) -> np.ndarray:
        """Return where the image begins and ends in its figure, perhaps within wider limits."""
        low, high = self.axes.viewLim.get_points()
        part = (np.reshape(self.get_extent(), (2, 2)).T - low) / (high - low)
        return (1 - part) * self.axes.bbox.p0 + part * self.axes.bbox.p1  # exact at the ends

    def make_image(self, renderer, magnification=1.0, unsampled=False):
        if unsampled:
            return super().make_image(renderer, magnification, unsampled)
        (left, bottom), (right, top) = (self._ends() * magnification).round().astype(int).tolist()
        width, height = max(right - left, 1), max(top - bottom, 1)
        cells = np.asarray(self.get_array())
        if self.mixes:
            cells = means(means(cells.T, width).T, height)  # a table's long axis first
        # the renderer starts with the lowest row
        colors = np.ascontiguousarray(self.to_rgba(cells, bytes=True)[::-1])
        rows, columns = (
            np.arange(n) * have // n for n, have in zip((height, width), cells.shape, strict=True)
        )
        # four bytes as one number
        pixels = colors.view(np.uint32)[..., 0].take(rows, axis=0).take(columns, axis=1)
        pixels = pixels.view(np.uint8).reshape(height, width, 4)
        # placed in the renderer's own units
        return (pixels, left / magnification, bottom / magnification, None)


def means(grid: np.ndarray, count: int) -> np.ndarray:
    """Return the grid with so many rows, each the mean of what it covers.

    If every row would be repeated LARGE times or more, it's the grid itself: large cells stay
    sharp.
    """
    if len(grid) == count or LARGE * len(grid) <= count:
        return grid
    edges = np.linspace(0, len(grid), count + 1)
    whole, none = np.minimum(edges.astype(int), len(grid) - 1), np.isnan(grid)
    holes = none.any()
    grid = np.where(none, 0, grid) if holes else grid
    # up to each edge
    total = np.cumsum(grid, axis=0)[whole] + (edges - whole - 1)[:, None] * grid[whole]
    made = np.diff(total, axis=0) * (count / len(grid))
    return np.where(means(none.astype(float), count) > 1e-9, np.nan, made) if holes else made


def blank(height: int, width: int) -> np.ndarray:
    """Return memory for `encode` to lay out pictures of this size: fresh memory is slower."""
    return np.zeros((height, 1 + 4 * width), np.uint8)  # each row begins with filter type 0: none


def encode(rgba: np.ndarray, rows: np.ndarray | None = None) -> bytes:
    """Return pixels of shape (height, width, 4) as PNG bytes; rows can be what `blank` returned.

    Written for speed: no row filters and the lightest compression. For flat colors, that's as
    small as a general encoder's result.

    Source: PNG specification, third edition, sections 5 and 11.
    """
    height, width = rgba.shape[:2]
    rows = blank(height, width) if rows is None else rows
    rows[:, 1:] = rgba.reshape(height, -1)
    # all at once: piece by piece, isal's bytes aren't always the same
    packed = deflate.compress(rows, 1)
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)  # 8 bits, RGBA
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(part)) + kind + part + struct.pack(">I", zlib.crc32(kind + part))
        for kind, part in ((b"IHDR", header), (b"IDAT", packed), (b"IEND", b""))
    )
