"""A grid of numbers as an image that fills its axes: fast enough to follow a hand."""

import numpy as np
from matplotlib.image import AxesImage

from posenc_lib.views import style

MANY = 2**17  # cells


class Cells(AxesImage):
    """An image whose pixels take the colour of their cell, or of the mean of the cells they cover.

    matplotlib resamples first and colours every pixel; here the few cells are coloured and then repeated. A drawing
    holds the cells themselves, sharp at every size, unless they are so many that means tell more.
    """

    def set_data(self, grid):
        self._A = np.asarray(grid)  # as it is: matplotlib would copy it, and look for numbers that are none
        self.set_interpolation("none" if self._A.size <= MANY else "nearest")  # "none": as cells where a file can
        self.stale = True

    def carry(self, text, cell: tuple[int, int]) -> None:
        """Move a text onto the cell at (row, column), in black or white, whichever is readable there."""
        text.set_position(cell[::-1])
        text.set_color(style.readable_on(self.to_rgba(self._A[cell])))

    def make_image(self, renderer, magnification=1.0, unsampled=False):
        if unsampled:
            return super().make_image(renderer, magnification, unsampled)
        box = self.axes.bbox
        left, right, bottom, top = (round(edge * magnification) for edge in (box.x0, box.x1, box.y0, box.y1))
        width, height = max(right - left, 1), max(top - bottom, 1)
        cells = means(means(np.asarray(self.get_array()).T, width).T, height)  # a table's long axis first
        colors = np.ascontiguousarray(self.to_rgba(cells, bytes=True)[::-1])  # the renderer begins with the lowest row
        rows, columns = (np.arange(n) * have // n for n, have in zip((height, width), cells.shape, strict=True))
        pixels = colors.view(np.uint32)[..., 0].take(rows, axis=0).take(columns, axis=1)  # four bytes as one number
        pixels = pixels.view(np.uint8).reshape(height, width, 4)
        return pixels, left / magnification, bottom / magnification, None  # placed in the renderer's own units


def means(grid: np.ndarray, most: int) -> np.ndarray:
    """Return the grid with at most so many rows, each the mean of what it covers, parts of rows by their share."""
    if len(grid) <= most:
        return grid
    edges = np.arange(most + 1) * len(grid) / most
    first, last = np.ceil(edges[:-1]).astype(int), np.floor(edges[1:]).astype(int)  # the rows that are covered whole
    total = (first - edges[:-1])[:, None] * grid[first - 1]
    total += (edges[1:] - last)[:, None] * grid[np.minimum(last, len(grid) - 1)]
    for k in range((last - first).max()):
        more = first + k < last
        total[more] += grid[first[more] + k]
    return total * most / len(grid)
