"""Words of a live frame: each is drawn once and then stamped."""

import math

import numpy as np
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.transforms import IdentityTransform

MOST = 3000  # things that are kept, two for each text; its pixels are 2 kB (a number) to 40 kB (a title)
_kept: dict[tuple, tuple] = {}


def _once(key: tuple, make, *args):
    """Return what make(*args) gave when it was first asked for this key."""
    if key not in _kept:
        made = make(*args)
        if len(_kept) >= MOST:
            _kept.clear()
        _kept[key] = made
    return _kept[key]


class Whole(RendererAgg):
    """A renderer that sets texts on whole pixels, so that the same words look the same everywhere."""

    def draw_text(self, gc, x, y, *args, **rest):
        super().draw_text(gc, round(x), self.height - round(self.height - y), *args, **rest)


class Stamps(RendererAgg):
    """A renderer that sets every text on whole pixels, so that the same text in the same look is drawn only once.

    matplotlib sets letters on 64ths of a pixel, and draws them each time, which takes a hundred times as long. Its
    versions before 3.11 set texts on whole pixels, too.
    """

    def stamp(self, text) -> None:
        """Draw a text of a pen a hundred times as fast, where it has been drawn before: `look` says what it depends on."""
        if not text.get_text():
            return
        left, up, pixels = _once((*text.look, self.dpi), self._whole, text)
        x, y = text.get_transform().transform(text.get_position())
        if pixels.size and math.isfinite(x + y):
            self.draw_image(self.new_gc(), round(x) + left, round(y) + up, pixels)

    def _whole(self, text) -> tuple[int, int, np.ndarray]:
        """Return how far from its place a text's pixels begin, and these, the lowest row first."""
        extent, place, transform = text.get_window_extent(self), text.get_position(), text.get_transform()
        across, up = math.ceil(extent.width) + 16, math.ceil(extent.height) + 16
        sheet = Whole(2 * across, 2 * up, self.dpi)  # its place is in the middle
        text.set(transform=IdentityTransform(), position=(across, up))
        text.draw(sheet)
        text.set(transform=transform, position=place)
        pixels = np.asarray(sheet.buffer_rgba())[::-1]
        rows, columns = (np.flatnonzero(pixels[..., 3].any(axis=axis)) for axis in (1, 0))
        if not len(rows):
            return 0, 0, pixels[:0]
        inked = pixels[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        return int(columns[0]) - across, int(rows[0]) - up, inked.copy()

    def draw_text(self, gc, x, y, s, prop, angle, ismath=False, mtext=None):
        if gc.get_clip_rectangle() is not None or gc.get_clip_path()[0] is not None:
            super().draw_text(gc, x, y, s, prop, angle, ismath, mtext)
            return
        key = (s, hash(prop), angle, ismath, gc.get_rgb(), gc.get_alpha(), gc.get_antialiased(), self.dpi)
        left, up, pixels = _once(key, self._stamp, gc, s, prop, angle, ismath, mtext)
        if pixels.size:
            self.draw_image(gc, round(x) + left, round(self.height - y) + up, pixels)

    def get_text_width_height_descent(self, s, prop, ismath):
        return _once((s, hash(prop), ismath, self.dpi), super().get_text_width_height_descent, s, prop, ismath)

    def _stamp(self, gc, s, prop, angle, ismath, mtext) -> tuple[int, int, np.ndarray]:
        """Return how far from where a text begins its pixels lie, and these, the lowest row first."""
        width, height, _ = self.get_text_width_height_descent(s, prop, ismath)
        cos, sin = abs(math.cos(math.radians(angle))), abs(math.sin(math.radians(angle)))
        across, up = math.ceil(cos * width + sin * height) + 2, math.ceil(sin * width + cos * height) + 2
        sheet = RendererAgg(2 * across, 2 * up, self.dpi)  # the text begins in its middle
        look = sheet.new_gc()
        look.copy_properties(gc)
        sheet.draw_text(look, across, up, s, prop, angle, ismath, mtext)
        pixels = np.asarray(sheet.buffer_rgba())[::-1]
        rows, columns = (np.flatnonzero(pixels[..., 3].any(axis=axis)) for axis in (1, 0))
        if not len(rows):
            return 0, 0, pixels[:0]
        inked = pixels[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        return int(columns[0]) - across, int(rows[0]) - up, inked.copy()
