"""The frames of a panel that follow a hand: what stays is kept, what moves is drawn over it, and becomes a PNG."""

import struct
import zlib

import numpy as np
from matplotlib.patches import Rectangle

try:
    from isal import isal_zlib as deflate  # some six times faster
except ImportError:
    deflate = zlib

from posenc_lib.encodings.base import Encoding
from posenc_lib.views import style
from posenc_lib.views.panel import Panel
from posenc_lib.views.stamps import Stamps
from posenc_lib.views.style import CSS_DPI


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
        self.renderer = Stamps(*self.figure.canvas.get_width_height(physical=True), self.figure.dpi)
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
        with style.styled():
            if self._outdated:
                self._draw_axes(self._outdated)
                self._outdated = []
            else:
                self.renderer.restore_region(self._background)
            for artist in self.artists:
                artist.draw(self.renderer)
        return encode(np.asarray(self.renderer.buffer_rgba()))

    def _draw_axes(self, views: list) -> None:
        """Draw axes, ticks and labels of these views onto the kept background, without what moves."""
        anew = self._background is None or len(views) == len(self.panel.views)
        if anew:
            self.renderer.clear()
            self.figure.patch.draw(self.renderer)
            for name in self.figure.texts:
                name.draw(self.renderer)
        else:
            self.renderer.restore_region(self._background)
        for artist in self.artists:
            artist.set_animated(True)  # its axes leave it out
        try:
            for view in views:
                if not anew:
                    self._blank(view)
                if view.ax not in view.artists:  # axes that move with their data belong to the frame
                    view.ax.draw(self.renderer)
        finally:
            for artist in self.artists:
                artist.set_animated(False)  # a saved figure has them all
        self._background = self.renderer.copy_from_bbox(self.figure.bbox)

    def _blank(self, view) -> None:
        """Paint over what belongs to a view, but not over the names above: they may reach into its part."""
        k, look = self.panel.views.index(view), {"fc": self.figure.get_facecolor(), "lw": 0}
        left, bottom, across, up = self.panel.cells[k]
        up -= self.panel.heads[k] / self.panel.size[1]
        blank = Rectangle((left, bottom), across, up, figure=self.figure, transform=self.figure.transFigure, **look)
        blank.draw(self.renderer)


def encode(rgba: np.ndarray) -> bytes:
    """Return pixels of shape (height, width, 4) as PNG bytes.

    Written for speed: no row filters and the lightest compression. For flat colours that is as small as a general
    encoder's result.

    Source: PNG specification, third edition, sections 5 and 11.
    """
    height, width = rgba.shape[:2]
    rows = np.zeros((height, 1 + 4 * width), np.uint8)  # each row begins with filter type 0: none
    rows[:, 1:] = rgba.reshape(height, -1)
    packed = deflate.compress(rows, 1)  # at once: packed piece by piece, isal's bytes are not always the same
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)  # 8 bits, RGBA
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(part)) + kind + part + struct.pack(">I", zlib.crc32(kind + part))
        for kind, part in ((b"IHDR", header), (b"IDAT", packed), (b"IEND", b""))
    )
