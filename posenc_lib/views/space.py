"""Positions as points in the space of three dims, and the walk through the cube."""

import itertools

import numpy as np
from mpl_toolkits.mplot3d.art3d import Line3DCollection
from mpl_toolkits.mplot3d.proj3d import proj_transform

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.old_points import LABELS, NUMBER, Trajectory, dim_of, dots, drawn_dims, labels, ring, way, write
from posenc_lib.views.style import number

AZIMUTH = Parameter("azimuth", "from which side you look, in degrees", -60, -180, 175, 5, least=-360, most=360)


class Trajectory3D(Trajectory, name="trajectory_3d"):
    """Scatter three dims of a table, and say how far the query, or the last position, is from position 0.

    Data: table (seq_len, d); dims (x, y, z); track (the points from each position to the next); azimuth in degrees.
    """

    projection, elevation = "3d", 22  # degrees
    grid = ""
    turns = "azimuth"
    left, right, x_ticks, y_ticks = 0.2, 0.7, 0, 0
    parameters = (*Trajectory.parameters, dim_of("z_dim", 2, 2), AZIMUTH)

    def inputs(self, encoding, values):
        dims = [*drawn_dims(encoding, values), values["z_dim"]]
        data = super().inputs(encoding, values) | {"dims": dims, "azimuth": values["azimuth"]}
        return data | {"track": way(encoding, dims)}

    def build(self, ax):
        (self.path,) = ax.plot([], [], [], color=style.LINE, lw=1, zorder=2)
        self.points = ax.scatter([], [], [], depthshade=False, **dots())
        (self.asked,) = ax.plot([], [], [], **ring())
        self.numbers = [ax.text(0, 0, 0, "", va="bottom", **NUMBER) for _ in range(LABELS + 1)]
        look = style.name(color=style.QUERY, fontsize=9, ha="center", va="bottom")
        self.told = ax.text2D(0.5, -0.14, "", transform=ax.transAxes, **look)
        return [ax]  # in perspective everything moves, the axes too

    def value_at(self, x, y):
        return ""  # in perspective a place on the page is none in space

    def marks(self):
        x, y, _ = proj_transform(*self.points._offsets3d, self.ax.get_proj())
        return self.ax.transData.transform(np.column_stack([x, y]))

    def place(self, points, dims, **state) -> tuple[float, float]:
        """Let the axes hold all points; return their ends."""
        ends = self.reach(points)
        for axis, dim in zip("xyz", dims, strict=True):
            state |= {f"{axis}lim": ends, f"{axis}label": f"dim {dim}"}
        self.axes(**state)
        return ends

    def move(self, xyz, track, query, azimuth) -> None:
        """Move path, points, ring and the eye."""
        self.ax.view_init(elev=self.elevation, azim=azimuth)
        self.path.set_data_3d(*track.T)
        self.points._offsets3d = tuple(xyz.T)  # matplotlib has no public setter for a 3-D scatter
        self.points.set_facecolor(style.position_colors(len(xyz)))
        self.asked.set_data_3d(*xyz[[] if query is None else [0, query]].T)

    def show(self, table, dims, track, query=None, azimuth=-60):
        xyz, told = table[:, dims], len(table) - 1 if query is None else query
        self.place(xyz, dims)
        self.move(xyz, track, told, azimuth)
        write(self.numbers, self._apart(labels(xyz, told), told), lambda text, row: text.set_position_3d(xyz[row]))
        gap = number(np.linalg.norm(xyz[told] - xyz[0]))
        self.told.set_text(f"0 and {told}: {gap} apart\nin dims {dims[0]}, {dims[1]} and {dims[2]}")
        return f"{self.words(xyz, dims, query)} Seen from {number(azimuth)} degrees."

    def _apart(self, words: dict[int, str], told: int) -> dict[int, str]:
        """Return the words that do not reach into one before them; 0 and told are never left out, but go together."""
        places = self.marks() / (NUMBER["fontsize"] / 72 * self.ax.figure.dpi)  # in heights of a letter
        kept: dict[int, str] = {}
        for row in sorted(words, key=lambda row: (row != 0, row != told, row)):
            room = [0.35 * (len(words[row]) + len(word)) + 0.5 for word in kept.values()]
            aside, up = np.abs(places[row] - places[list(kept)]).T if kept else np.zeros((2, 0))
            near = np.flatnonzero((aside < room) & (up < 1))
            if not len(near):
                kept[row] = words[row]
            elif row == told:
                kept[0] = f"{kept[0]}, {words[row]}"
        return kept


class Cube(Trajectory3D, name="cube"):
    """Walk through three dims within a cube, its corners numbered; data as its parent's."""

    title, title_height = "The walk through the cube", 1.05
    elevation = 18  # from where no corner hides another, at any azimuth
    ways = ("along an edge", "across a face", "through the middle")  # of a step that changes one, two or all three dims

    def build(self, ax):
        artists = super().build(ax)
        ax.grid(False)
        ax.set_box_aspect(None, zoom=0.9)
        ax.computed_zorder = False  # the walk lies over the edges, from wherever you look
        for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
            axis.set_pane_color(style.PAPER)
            axis.line.set_visible(False)
        look = {"colors": style.GHOST, "linewidths": 1.2, "linestyles": "--", "zorder": 1}
        self.edges = ax.add_collection(Line3DCollection([], **look))
        self.path.set_visible(False)  # its steps are drawn by kind
        colors, dashes = (style.CURVE, style.OTHER, style.QUERY), ("-", (0, (4, 1.5)), "-")
        looks = list(zip(colors, dashes, (2.4, 2.4, 3.4), strict=True))
        self.steps = [
            ax.add_collection(Line3DCollection([], colors=color, linestyles=dash, linewidths=wide, zorder=2))
            for color, dash, wide in looks
        ]
        self.legend = [ax.text2D(0, 0, "", transform=ax.transAxes, **style.name(color=color)) for color in colors]
        badge = {"boxstyle": "circle,pad=0.25", "fc": style.PAPER, "ec": style.LINE}
        for text in self.numbers:  # on its corner, where no line can cross it
            text.set(va="center", fontsize=11, fontweight="bold", bbox=badge)
        return artists

    def show(self, table, dims, track, query=None, azimuth=-60):
        corners = table[:, dims]
        ends = self.place(corners, dims, xticks=(), yticks=(), zticks=())  # corners carry their own numbers
        cube = itertools.combinations(np.array(list(itertools.product(ends, repeat=3))), 2)
        self.edges.set_segments([two for two in cube if np.count_nonzero(two[0] != two[1]) == 1])
        self.move(corners, track, query, azimuth)
        write(self.numbers, labels(corners), lambda text, row: text.set_position_3d(corners[row]))
        flips = np.count_nonzero(np.diff(corners, axis=0), axis=1)
        counts, walk = [(flips == k).sum() for k in (1, 2, 3)], np.stack([corners[:-1], corners[1:]], axis=1)
        for k, (lines, name) in enumerate(zip(self.steps, self.legend, strict=True)):
            lines.set_segments(walk[flips == k + 1])
            name.set(text=f"{counts[k]} {self.ways[k]}", position=(0.02, -0.035 - 0.065 * k), visible=counts[k] > 0)
        told = ", ".join(f"{count} {way}" for count, way in zip(counts, self.ways, strict=True))
        places = len(np.unique(corners, axis=0))
        return f"Cube: {len(table)} positions on {places} places; steps: {told}."
