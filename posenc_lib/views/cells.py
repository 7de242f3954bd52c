"""A grid of numbers as an image: each pixel has the colour of its cell, or of the mean of what it covers."""

import numpy as np
from matplotlib.image import AxesImage

MANY = 2**17  # cells of a grid
LARGE = 3  # pixels of a cell from which on nobody sees that one cell has a pixel more than the next


class Cells(AxesImage):
    """An image whose pixels take the colour of their cell, or of the mean of the cells they cover.

    matplotlib resamples first and colours every pixel; here the few cells are coloured and then repeated. A drawing
    holds the cells themselves, sharp at every size, unless they are so many that means tell more.

    Attributes:
        mixes: whether a mean of two cells means anything; else a pixel has the colour of one of its cells.
    """

    mixes = True

    def set_data(self, grid):
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
