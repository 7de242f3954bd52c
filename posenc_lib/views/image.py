"""What the two coloured grids share: an image, a colour scale and honest axes."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from posenc_lib.views import style
from posenc_lib.views.cells import Cells
from posenc_lib.views.view import View

PIXELS = 150  # per inch, on the page


class ImageView(View):
    """A grid of numbers as colours: diverging around 0 where numbers change sign, else from 0 up."""

    right = 0.86  # the colour scale and its numbers
    weight = 1.25
    title = x_label = y_label = ""

    def build(self, ax):
        ax.set_title(self.title)
        ax.set_xlabel(self.x_label)
        ax.set_ylabel(self.y_label)
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_locator(MaxNLocator(4, integer=True))
        for spine in ax.spines.values():
            spine.set_visible(False)
        self.image = Cells(ax, cmap=style.SEQUENTIAL)
        self.image.set_data(np.zeros((1, 1)))
        self.image.set_clim(0, 0)
        ax.add_image(self.image)
        inch = ax.figure.dpi / ax.bbox.width  # in widths of the axes
        self.scale = ax.figure.colorbar(self.image, cax=ax.inset_axes([1 + 0.08 * inch, 0, 0.12 * inch, 1]))
        self.scale.outline.set_visible(False)
        return [self.image]

    def color_state(self, grid: np.ndarray) -> tuple:
        """Return (lowest colour, highest colour) for these numbers, in few steps, so that they seldom jump."""
        low, high = np.nanmin(grid), np.nanmax(grid)
        bound = style.tight_bound(max(-low, high))
        return (-bound if low < 0 else min(np.floor(4 * low / bound), 3) / 4 * bound), bound

    def set_colors(self, low: float, high: float) -> None:
        """Give the image and its scale these limits."""
        if self.image.get_clim() == (low, high):
            return  # a new colour map costs more than a frame
        self.image.set_cmap(style.diverging() if low < 0 else style.SEQUENTIAL)
        self.image.set_clim(low, high)
        ticks = [low, (low + high) / 2, high]
        self.scale.set_ticks(ticks, labels=[style.number(tick) for tick in ticks])

    def set_extent(self, columns: int, rows: int) -> None:
        """Let cell k stand at k, with row 0 on top; the image shows means where cells are finer than pixels."""
        self.image.set_extent((-0.5, columns - 0.5, rows - 0.5, -0.5))
        self.ax.set_xlim(-0.5, columns - 0.5)
        self.ax.set_ylim(rows - 0.5, -0.5)

    def grain(self, columns: int, rows: int) -> str:
        """Return a remark where there are more cells than pixels to show them in, else nothing."""
        width, height = (self.ax.bbox.size / self.ax.figure.dpi) * PIXELS
        return " (finer than pixels: each pixel shows a mean)" if columns > width or rows > height else ""
