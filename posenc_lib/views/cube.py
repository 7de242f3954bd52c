"""Three bits are the corners of a cube: the walk from number to number, and the edges it does not take."""

import itertools

import numpy as np
from mpl_toolkits.mplot3d.art3d import Line3DCollection

from posenc_lib.views import style
from posenc_lib.views.trajectory import Trajectory3D, labels, write


class Cube(Trajectory3D):
    """Scatter three dims within a cube, steps through its middle in orange; data as its parent's."""

    name = "cube"
    title_height = 1.05

    def build(self, ax):
        artists = super().build(ax)
        ax.set_title("The walk through the cube", y=self.title_height)
        ax.grid(False)
        ax.set_box_aspect(None, zoom=0.82)
        ax.computed_zorder = False  # the walk lies over the edges, from wherever you look
        for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
            axis.set_pane_color(style.PAPER)
        self.edges = ax.add_collection(
            Line3DCollection([], colors=style.GHOST, linewidths=1.2, linestyles="--", zorder=1)
        )
        self.path.set(color=style.CURVE, lw=2.2)
        self.jumps = ax.add_collection(Line3DCollection([], colors=style.QUERY, linewidths=3, zorder=2.5))
        for text in self.numbers:
            text.set(va="center", fontsize=11, fontweight="bold")
        return artists

    def set_axes(self, low, high, dims):
        super().set_axes(low, high, dims)
        corners = np.array(list(itertools.product((low, high), repeat=3)))
        pairs = itertools.combinations(corners, 2)
        self.edges.set_segments([pair for pair in pairs if np.count_nonzero(pair[0] != pair[1]) == 1])
        for axis in "xyz":
            getattr(self.ax, f"set_{axis}ticks")([])  # the corners carry their own numbers

    def set_data(self, table, dims, query=None, azimuth=-60):
        super().set_data(table, dims, query, azimuth)
        corners = table[:, list(dims)]
        away = corners - corners.mean(axis=0)
        outside = corners + 0.22 * away + [0, 0, 0.12] * np.sign(away)  # up or down too, off the walk
        walk = np.stack([corners[:-1], corners[1:]], axis=1)
        flips = np.count_nonzero(np.diff(corners, axis=0), axis=1)
        self.jumps.set_segments(walk[flips == 3])
        write(self.numbers, labels(corners), lambda text, row: text.set_position_3d(outside[row]))

    def describe(self, table, dims, query=None, azimuth=-60):
        corners = len(np.unique(table[:, list(dims)], axis=0))
        jumps = np.count_nonzero(np.diff(table[:, list(dims)], axis=0), axis=1)
        along = (jumps == 1).sum()
        return f"Cube: {len(table)} positions on {corners} places; {along} of {len(jumps)} steps go along one edge."
