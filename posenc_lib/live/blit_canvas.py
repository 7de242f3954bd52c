"""The live frame: redraw only what a slider moved, and hand it over as PNG bytes."""

import struct
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
from matplotlib.patches import Rectangle

from posenc_lib.encodings.base import Encoding
from posenc_lib.views import style
from posenc_lib.views.panel import CSS_DPI, Panel


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
        self._background = None
        self._outdated = list(panel.views)

    @property
    def artists(self) -> list:
        """Return what may change without the axes changing, in drawing order."""
        artists = [artist for view in self.panel.views for artist in view.artists]
        return sorted(artists, key=lambda artist: artist.get_zorder())

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

    def forget(self) -> None:
        """Draw everything anew at the next frame, after an error may have left a view half moved."""
        self._outdated = list(self.panel.views)

    def _draw_axes(self, views: list) -> None:
        """Draw axes, ticks and labels of these views onto the kept background, without what moves."""
        canvas = self.figure.canvas
        if self._background is None or len(views) == len(self.panel.views):
            canvas.get_renderer().clear()
            self.figure.draw_artist(self.figure.patch)
        else:
            canvas.restore_region(self._background)
        with _hidden(self.artists):
            for view in views:
                self._blank(view)
                if view.ax not in view.artists:  # axes that move with their data belong to the frame
                    self.figure.draw_artist(view.ax)
        self._background = canvas.copy_from_bbox(self.figure.bbox)

    def _blank(self, view) -> None:
        """Paint over the part of the figure that belongs to a view."""
        left, bottom, width, height = self.panel.cells[self.panel.views.index(view)]
        look = {"transform": self.figure.transFigure, "fc": self.figure.get_facecolor(), "lw": 0}
        blank = Rectangle((left, bottom), width, height, **look)
        blank.set_figure(self.figure)
        self.figure.draw_artist(blank)


@contextmanager
def _hidden(artists: list):
    """Leave artists out of what their axes draw; outside, a saved figure has them all."""
    for artist in artists:
        artist.set_animated(True)
    try:
        yield
    finally:
        for artist in artists:
            artist.set_animated(False)


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
