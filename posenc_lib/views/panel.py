"""Several views of one encoding, or of several, in one figure, and the frames of it that follow a hand."""

import math
import struct
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from posenc_lib.encodings.base import Encoding
from posenc_lib.files import atomic_write
from posenc_lib.views import style
from posenc_lib.views.style import CSS_DPI
from posenc_lib.views.view import View

PER_ROW = 3
NARROWEST = 3.3  # inches that a view needs
WIDTH = {2: 8.6, 3: 10.0}  # inches of figure, by views in a row
ROW = 3.5  # inches of height
ALONE, ALONE_SQUARE = (6.4, 4.2), (4.6, 4.2)  # a single view may be larger
BOTTOM, TOP = 0.58, 0.44  # inches for numbers, label and title
HEAD = 0.3  # inches for the name of an encoding that stands beside others
NAME = {"fontsize": 12, "fontweight": "bold"}


class Panel:
    """A figure with one axes per view, in the theme that is in use when it is made.

    Args:
        views: view objects, not yet drawn: those of the first encoding, then as many of the next.
        encodings: each at one setting.
        values: all values by name, those of the views' own parameters among them.
        named: whether each encoding's name stands above its first view where there are several.
        width: of the figure in inches; narrow ones have more rows. None means what suits the views.
    """

    def __init__(self, views: list[View], encodings: list[Encoding], values: dict, *, named: bool = True, width=None):
        self.views, self.theme = views, style.theme()
        self.each = len(views) // len(encodings)  # views of one encoding
        self._relevant = [view.relevant(encoding) for view, encoding in self._fed(encodings)]
        named = named and len(encodings) > 1
        self.top = TOP + HEAD * named
        with style.styled():
            rows = self._rows(len(encodings), width)
            self.size = self._size(rows, width, ROW + HEAD * named)
            self.figure = Figure(figsize=self.size, dpi=CSS_DPI)
            FigureCanvasAgg(self.figure)
            self.cells = _cells(rows)
            data = self._inputs(encodings, values)
            for k, (view, cell) in enumerate(zip(views, self.cells, strict=True)):
                view.room = (cell[0], cell[0] + cell[2])
                ax = self.figure.add_axes(self._inside(view, cell), projection=view.projection)
                view.draw(ax, **data[k])
                if named and k % self.each == 0:
                    self._write_above(ax, encodings[k // self.each].title)
            self._remember(encodings, values)

    def _fed(self, encodings) -> list[tuple[View, Encoding]]:
        """Return each view with the encoding that feeds it."""
        return list(zip(self.views, (encoding for encoding in encodings for _ in range(self.each)), strict=True))

    def _inputs(self, encodings, values) -> list[dict]:
        """Return the data of each view."""
        return [view.inputs(encoding, values | view.own) for view, encoding in self._fed(encodings)]

    def _rows(self, number: int, width: float | None) -> list[list[View]]:
        """Return the views row by row: with several views of several encodings, a row for each encoding."""
        count = len(self.views)
        across = math.ceil(count / math.ceil(count / PER_ROW))
        if number > 1 and 1 < self.each <= PER_ROW:
            across = self.each
        if width:
            across = max(min(across, int(width // NARROWEST)), 1)
        return [self.views[i : i + across] for i in range(0, count, across)]

    def _size(self, rows: list, width: float | None, row: float) -> tuple[float, float]:
        """Return width and height of the figure in inches; row is the height of one of several views."""
        if len(self.views) > 1:
            return width or WIDTH[len(rows[0])], row * len(rows)
        usual = ALONE_SQUARE if self.views[0].square else ALONE
        return (width, usual[1] * min(width / usual[0], 1)) if width else usual

    def _write_above(self, ax, name: str) -> None:
        """Write the name of what a view shows above the view's own title."""
        above = 1 + (self.top - 0.2) / (ax.bbox.height / self.figure.dpi)
        write = getattr(ax, "text2D", ax.text)  # axes in perspective write flat texts by another name
        write(0, above, name, transform=ax.transAxes, va="center", color=style.CURVE, **NAME)

    def _inside(self, view: View, cell: tuple) -> tuple:
        """Return the rectangle of the axes itself, within the room for its numbers and labels."""
        width, height = self.size
        left, bottom, across, up = cell
        inner = [across * width - view.left - view.right, up * height - BOTTOM - self.top]
        lift = 0.0
        if view.square:  # its title level with its neighbours'
            lift = inner[1] - min(inner)
            inner = [min(inner)] * 2
        return (left + view.left / width, bottom + (BOTTOM + lift) / height, inner[0] / width, inner[1] / height)

    def update(self, encodings: list[Encoding], values: dict) -> list[View]:
        """Show another setting; return the views whose limits, ticks or labels changed."""
        data = self._inputs(encodings, values)
        with style.themed(self.theme):
            changed = [view for view, shown in zip(self.views, data, strict=True) if view.update(**shown)]
        self._remember(encodings, values)  # only now: after an error the last picture and its words stay
        return changed

    def _remember(self, encodings, values) -> None:
        self.encodings, self.values = encodings, values
        fed, told, before = self._fed(encodings), [], None
        for view, encoding in fed:
            if encoding is not before:
                names = (names for names, (_, one) in zip(self._relevant, fed, strict=True) if one is encoding)
                told.append(encoding.describe(set().union(*names)))
            told.append(view.text)
            before = encoding
        self._told = " ".join(told)

    def describe(self) -> str:
        """Say in words what the figure shows now."""
        return self._told

    @property
    def titles(self) -> str:
        """What is drawn: the encodings, and the titles of the views."""
        shown = " and ".join(dict.fromkeys(encoding.title for encoding in self.encodings))
        titles = dict.fromkeys(view.ax.get_title("left") or view.ax.get_title() for view in self.views)
        return f"{shown}: {'; '.join(titles)}"

    def picture(self, suffix: str, dpi: float = 2 * CSS_DPI, **about) -> bytes:
        """Return the figure as a file's bytes, "png", "svg" or "pdf"; about may hold title and description."""
        with style.themed(self.theme):
            return style.file(self.figure, suffix, dpi, **about)

    def save(self, path, dpi: float = 2 * CSS_DPI) -> Path:
        """Write the figure to path, a .png, .svg or .pdf file; a file that was there is replaced whole or not at all.

        Raises:
            TypeError: path is neither text nor a Path.
            ValueError: the suffix is none of these.
            OSError: the folder cannot be written.
        """
        if not isinstance(path, (str, Path)):
            raise TypeError(f"path must be a file's name, got {path!r}")
        path = Path(path)
        suffix = path.suffix.lower().removeprefix(".")
        if suffix not in ("png", "svg", "pdf"):
            raise ValueError(f"path must end in .png, .svg or .pdf, got {path.name!r}")
        atomic_write(path, self.picture(suffix, dpi))
        return path


def _cells(rows: list[list[View]]) -> list[tuple]:
    """Return (left, bottom, width, height) of the room of each view, as fractions of the figure."""
    cells, height = [], 1 / len(rows)
    for k, row in enumerate(rows):
        left, total = 0.0, sum(view.weight for view in row)
        for view in row:
            cells.append((left, 1 - (k + 1) / len(rows), view.weight / total, height))
            left += view.weight / total
    return cells


class BlitCanvas:
    """A panel on an Agg canvas whose empty axes are kept and whose moving artists are drawn over them.

    Axes, ticks and labels cost several times what moves, so they are drawn again only for the views that
    say they changed.

    Args:
        panel: the figure and its views.
        sharpness: device pixels per CSS pixel, so that the picture stays crisp on a HiDPI screen.
    """

    def __init__(self, panel: Panel, sharpness: float = 1.5):
        self.panel = panel
        self.figure = panel.figure
        self.figure.set_dpi(CSS_DPI * sharpness)
        self.width = round(panel.size[0] * CSS_DPI)  # CSS px
        artists = [artist for view in panel.views for artist in view.artists]
        self.artists = sorted(artists, key=lambda artist: artist.get_zorder())  # what may change without the axes
        self._background = None
        self.forget()

    def forget(self) -> None:
        """Draw everything anew at the next frame, after an error may have left a view half moved."""
        self._outdated = list(self.panel.views)

    def update(self, encodings: list[Encoding], values: dict) -> None:
        """Move the views to another setting; the next frame shows it."""
        changed = self.panel.update(encodings, values)
        self._outdated += [view for view in changed if view not in self._outdated]

    def frame(self) -> bytes:
        """Return the picture of the current setting as PNG bytes."""
        canvas = self.figure.canvas
        with style.styled():
            if self._outdated:
                self._draw_axes(self._outdated)
                self._outdated = []
            else:
                canvas.restore_region(self._background)
            for artist in self.artists:
                self.figure.draw_artist(artist)
        return encode(np.asarray(canvas.buffer_rgba()))

    def _draw_axes(self, views: list) -> None:
        """Draw axes, ticks and labels of these views onto the kept background, without what moves."""
        canvas = self.figure.canvas
        if self._background is None or len(views) == len(self.panel.views):
            canvas.get_renderer().clear()
            self.figure.draw_artist(self.figure.patch)
        else:
            canvas.restore_region(self._background)
        for artist in self.artists:
            artist.set_animated(True)  # its axes leave it out
        try:
            for view in views:
                self._blank(view)
                if view.ax not in view.artists:  # axes that move with their data belong to the frame
                    self.figure.draw_artist(view.ax)
        finally:
            for artist in self.artists:
                artist.set_animated(False)  # a saved figure has them all
        self._background = canvas.copy_from_bbox(self.figure.bbox)

    def _blank(self, view) -> None:
        """Paint over the part of the figure that belongs to a view."""
        cell, look = self.panel.cells[self.panel.views.index(view)], {"fc": self.figure.get_facecolor(), "lw": 0}
        blank = Rectangle(cell[:2], *cell[2:], figure=self.figure, transform=self.figure.transFigure, **look)
        self.figure.draw_artist(blank)


def encode(rgba: np.ndarray) -> bytes:
    """Return pixels of shape (height, width, 4) as PNG bytes.

    Written for speed: no row filters, the lightest compression, and the lower half compressed on a thread of its own
    (zlib lets go of the interpreter). For flat colours that is as small as a general encoder's result.

    Source: PNG specification, third edition, sections 5 and 11; RFC 1950 for the frame around the two halves.
    """
    height, width = rgba.shape[:2]
    rows = np.zeros((height, 1 + 4 * width), np.uint8)  # each row begins with filter type 0: none
    rows[:, 1:] = rgba.reshape(height, -1)
    with ThreadPoolExecutor(1) as helper:  # for this picture alone: a forked process would inherit one without threads
        lower = helper.submit(_deflate, rows[height // 2 :], zlib.Z_FINISH)
        upper = _deflate(rows[: height // 2], zlib.Z_SYNC_FLUSH)
        data = b"".join([b"\x78\x01", upper, lower.result(), struct.pack(">I", zlib.adler32(rows))])
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)  # 8 bits, RGBA
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(part)) + kind + part + struct.pack(">I", zlib.crc32(kind + part))
        for kind, part in ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    )


def _deflate(rows: np.ndarray, end: int) -> bytes:
    compressor = zlib.compressobj(1, zlib.DEFLATED, -zlib.MAX_WBITS)  # raw: no frame of its own
    return compressor.compress(rows) + compressor.flush(end)
