"""Words of a live frame: each is drawn once and then stamped."""

import math

import numpy as np
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import to_rgba
from matplotlib.transforms import IdentityTransform

MOST = 3000  # texts whose pixels are kept: 2 kB (a number) to 40 kB (a title)
HALO = 0.03  # inches of paper around a name that lies over data
_kept: dict[tuple, tuple[int, int, np.ndarray]] = {}


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
        x, y = text.get_transform().transform(text.get_position())
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
