"""Positions as points: on a line, in the plane of two dims, in space, and the two that are closest to each other."""

import itertools

import numpy as np
from mpl_toolkits.mplot3d.art3d import Line3DCollection

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.similarity import closest_pair
from posenc_lib.views import style
from posenc_lib.views.style import number
from posenc_lib.views.view import QUERY, View

AZIMUTH = Parameter("azimuth", "from which side you look, in degrees", -60, -180, 175, 5, least=-360, most=360)
LABELS = 12  # more numbers than this hide the points
NUMBER = {"fontsize": 9.5, "ha": "center", "zorder": 5}


def dots() -> dict:
    """Return how the dots of positions look."""
    return {"s": 34, "edgecolors": style.PAPER, "linewidths": 0.6, "zorder": 3}


def ring(size: float = 11) -> dict:
    """Return how the ring looks around a position that stands out."""
    return {"ls": "", "marker": "o", "ms": size, "mfc": "none", "mec": style.QUERY, "mew": 2.2, "zorder": 4}


def labels(points: np.ndarray) -> dict[int, str]:
    """Return the numbers to write, by row: all, or every 2nd, 5th, 10th, … row; "0, 4" where points coincide."""
    n = len(points)
    step = next(s * 10**k for k in range(9) for s in (1, 2, 5) if n <= LABELS * s * 10**k)
    together: dict[tuple, list[int]] = {}
    for row in range(0, n, step):
        together.setdefault(tuple(points[row].round(6) + 0.0), []).append(row)
    return {rows[0]: ", ".join(map(str, rows[:3])) + (", …" if len(rows) > 3 else "") for rows in together.values()}


def numbers(ax, count: int) -> list:
    """Return texts, still empty, for the numbers of points."""
    return [ax.text(0, 0, "", va="center", **NUMBER) for _ in range(count)]


def write(texts: list, words: dict, move) -> None:
    """Write each word, let move(text, key) place it, and hide the texts that are left over."""
    for text, key in itertools.zip_longest(texts, words):
        text.set_visible(key is not None)
        if key is not None:
            text.set_text(words[key])
            move(text, key)


def _outward(points: np.ndarray) -> np.ndarray:
    """Return for each point a unit vector away from the path: from the middle, or across a straight line."""
    away = points - points.mean(axis=0)
    spread, axes = np.linalg.svd(away, full_matrices=False)[1:]
    if spread[-1] <= 1e-9 * spread[0] or len(points) < 2:  # all on one line, or all in one place
        across = axes[-1] if len(points) > 1 else np.array([0.0, 1.0])
        return np.tile(across if across[1] >= 0 else -across, (len(points), 1))
    length = np.linalg.norm(away, axis=1, keepdims=True)
    return np.divide(away, length, out=np.tile([0.0, 1.0], (len(points), 1)), where=length > 1e-9)


def _dim(name: str, default: int) -> Parameter:
    return Parameter(name, f"which dim is drawn along {name[0]}", default, 0, 1023, fallback=default)


class NumberLine(View, name="number_line"):
    """Draw one dim of each position along a line; data: values (seq_len,) of one dim, dim, query."""

    title = "Where the positions stand"
    left, weight = 0.3, 1.25
    zero_line = True
    parameters = (Parameter("dim", "which dim is drawn", None, 0, 1023, start=0), QUERY)

    def inputs(self, encoding, values):
        dim = values.get("dim") or 0
        return {"values": encoding.table[:, dim], "dim": dim, "query": values["query"]}

    def build(self, ax):
        ax.set_ylim(-1, 1)
        ax.yaxis.set_visible(False)
        ax.spines["left"].set_visible(False)
        self.points = ax.scatter([], [], **dots())
        self.numbers = numbers(ax, LABELS)
        (self.asked,) = ax.plot([], [], color=style.QUERY, lw=2, marker="v", markevery=[1], ms=9)
        self.told = ax.text(0, 0.62, "", color=style.QUERY, va="bottom", ha="center", fontsize=11, fontweight="bold")
        return [self.points, *self.numbers, self.asked, self.told]

    def show(self, values, dim, query):
        high = style.nice_bound(max(np.abs(values).max(initial=0), 1))  # 0 … 1 stays where it is
        low = -high if values.min(initial=0) < 0 else 0
        margin, middle, reach = 0.08 * (high - low), (low + high) / 2, 0.3 * (high - low)
        self.axes(xlim=(low - margin, high + margin), xlabel=f"value of dim {dim}")
        line = np.stack([values, np.zeros(len(values))], axis=1)
        self.points.set_offsets(line)
        self.points.set_linewidths(0.6 if len(values) <= 60 else 0)  # white rims of many would hide them all
        self.points.set_facecolor(style.position_colors(len(values)))
        at = float(values[query])
        asked = f"position {query} at {number(at)}"
        self.asked.set_data([at, at], [0.55, 0.12])
        self.told.set_text(asked)
        self.told.set_x(min(max(at, middle - reach), middle + reach))
        write(self.numbers, labels(line), lambda text, row: text.set_position((values[row], -0.25)))
        step = np.abs(np.diff(values)) if len(values) > 1 else np.zeros(1)
        gap = " to ".join(dict.fromkeys((number(step.min()), number(step.max()))))
        ends = f"from {number(values.min())} to {number(values.max())}"
        return f"Line: {len(values)} positions {ends}; neighbours stand {gap} apart; {asked}."


class Trajectory(View, name="trajectory"):
    """Scatter two dims of a table; data: table (seq_len, d), dims (x, y), query or None."""

    title = "Positions as points"
    square = True
    grid = "both"
    parameters = (_dim("x_dim", 0), _dim("y_dim", 1))

    def inputs(self, encoding, values):
        dims = tuple(values[p.name] for p in self.parameters if p.name.endswith("_dim"))
        return {"table": encoding.table, "dims": dims, "query": values.get("query")}

    def build(self, ax):
        (self.path,) = ax.plot([], [], color=style.LINE, lw=1, zorder=2)
        self.points = ax.scatter([], [], **dots())
        (self.asked,) = ax.plot([], [], **ring())
        self.numbers = numbers(ax, LABELS)
        return [self.path, self.points, self.asked, *self.numbers]

    def reach(self, points) -> tuple[float, float]:
        """Return the ends that all dims in sight share."""
        high = style.nice_bound(np.abs(points).max(initial=0))
        return (0 if points.min(initial=0) >= 0 else -high), high

    def place(self, points, dims, above: float = 1) -> float:
        """Let the axes hold all points; return their margin, of which `above` are left free at the top."""
        low, high = self.reach(points)
        pad = 0.14 * (high - low)
        x, y = (f"dim {dim}" for dim in dims)
        self.axes(xlim=(low - pad, high + pad), ylim=(low - pad, high + above * pad), xlabel=x, ylabel=y)
        return pad

    def move(self, xy, query=None) -> None:
        """Move path, points and ring."""
        self.path.set_data(*xy.T)
        self.path.set_alpha(1 if len(xy) <= 48 else 0.35)  # many chords would hide the points
        self.points.set_offsets(xy)
        self.points.set_facecolor(style.position_colors(len(xy)))
        self.asked.set_data(*xy[[] if query is None else [query]].T)

    def show(self, table, dims, query=None):
        xy = table[:, dims]
        pad = self.place(xy, dims)
        self.move(xy, query)
        places = xy + 0.6 * pad * _outward(xy)
        write(self.numbers, labels(xy), lambda text, row: text.set_position(places[row]))
        return self.words(xy, dims, query)

    def words(self, points, dims, query) -> str:
        """Say where the query stands, or the last position."""
        told = len(points) - 1 if query is None else query
        gap = number(np.linalg.norm(points[told] - points[0]))
        where = ", ".join(map(number, points[told]))
        plane = f"dims {', '.join(map(str, dims[:-1]))} and {dims[-1]}"
        return f"Points: {plane} of {len(points)} positions; position {told} at ({where}), {gap} from position 0."


class ClosestPair(Trajectory, name="closest_pair"):
    """Scatter two dims; data: table, dims (x, y), pair (i, j, distance in all dims), step (a usual neighbour step)."""

    title = "Who meets whom"
    most_positions = 1024

    def inputs(self, encoding, values):
        data, steps = super().inputs(encoding, values), encoding.steps
        pair = closest_pair(data["table"]) if len(steps) else (0, 0, 0.0)
        step = float(np.median(steps)) if len(steps) else 0.0
        return {"table": data["table"], "dims": data["dims"], "pair": pair, "step": step}

    def build(self, ax):
        (self.two,) = ax.plot([], [], **ring(15))
        look = {"color": style.QUERY, "fontsize": 10, "fontweight": "bold", "ha": "center", "va": "top", "zorder": 6}
        self.named = ax.text(0.5, 0.985, "", transform=ax.transAxes, **look)
        return [*super().build(ax), self.two, self.named]

    def show(self, table, dims, pair, step):
        xy, (i, j, distance) = table[:, dims], pair
        self.place(xy, dims, above=2.2)  # room for the names
        self.move(xy)
        write(self.numbers, {}, None)  # the closest two are named above; more numbers would hide the path
        self.two.set_data(*xy[[i, j]].T)
        self.named.set_text(f"{i} and {j}: {number(distance)} apart")
        size = f"; a usual step is {number(step)}" if step else ""
        where = f" in all {table.shape[1]} dims" if table.shape[1] > 2 else ""
        return f"Closest two of {len(table)} positions: {i} and {j}, {number(distance)} apart{where}{size}."


class Trajectory3D(Trajectory, name="trajectory_3d"):
    """Scatter three dims of a table; data: table (seq_len, d), dims (x, y, z), azimuth in degrees."""

    projection = "3d"
    grid = ""
    left, right = 0.2, 0.7
    parameters = (*Trajectory.parameters, _dim("z_dim", 2), AZIMUTH)

    def inputs(self, encoding, values):
        return super().inputs(encoding, values) | {"azimuth": values["azimuth"]}

    def build(self, ax):
        (self.path,) = ax.plot([], [], [], color=style.LINE, lw=1, zorder=2)
        self.points = ax.scatter([], [], [], depthshade=False, **dots())
        (self.asked,) = ax.plot([], [], [], **ring())
        self.numbers = [ax.text(0, 0, 0, "", va="bottom", **NUMBER) for _ in range(LABELS)]
        return [ax]  # in perspective everything moves, the axes too

    def place(self, points, dims, **state) -> tuple[float, float]:
        """Let the axes hold all points; return their ends."""
        ends = self.reach(points)
        for axis, dim in zip("xyz", dims, strict=True):
            state |= {f"{axis}lim": ends, f"{axis}label": f"dim {dim}"}
        self.axes(**state)
        return ends

    def move(self, xyz, query, azimuth) -> None:
        """Move path, points, ring and the eye."""
        self.ax.view_init(elev=22, azim=azimuth)
        self.path.set_data_3d(*xyz.T)
        self.points._offsets3d = tuple(xyz.T)  # matplotlib has no public setter for a 3-D scatter
        self.points.set_facecolor(style.position_colors(len(xyz)))
        self.asked.set_data_3d(*xyz[[] if query is None else [query]].T)

    def show(self, table, dims, query=None, azimuth=-60):
        xyz = table[:, dims]
        self.place(xyz, dims)
        self.move(xyz, query, azimuth)
        write(self.numbers, labels(xyz), lambda text, row: text.set_position_3d(xyz[row]))
        return self.words(xyz, dims, query)


class Cube(Trajectory3D, name="cube"):
    """Scatter three dims within a cube, steps through its middle in orange; data as its parent's."""

    title, title_height = "The walk through the cube", 1.05

    def build(self, ax):
        artists = super().build(ax)
        ax.grid(False)
        ax.set_box_aspect(None, zoom=0.82)
        ax.computed_zorder = False  # the walk lies over the edges, from wherever you look
        for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
            axis.set_pane_color(style.PAPER)
        look = {"colors": style.GHOST, "linewidths": 1.2, "linestyles": "--", "zorder": 1}
        self.edges = ax.add_collection(Line3DCollection([], **look))
        self.path.set(color=style.CURVE, lw=2.2)
        self.jumps = ax.add_collection(Line3DCollection([], colors=style.QUERY, linewidths=3, zorder=2.5))
        for text in self.numbers:
            text.set(va="center", fontsize=11, fontweight="bold")
        return artists

    def show(self, table, dims, query=None, azimuth=-60):
        corners = table[:, dims]
        ends = self.place(corners, dims, xticks=(), yticks=(), zticks=())  # corners carry their own numbers
        cube = itertools.combinations(np.array(list(itertools.product(ends, repeat=3))), 2)
        self.edges.set_segments([two for two in cube if np.count_nonzero(two[0] != two[1]) == 1])
        self.move(corners, query, azimuth)
        away = corners - corners.mean(axis=0)
        outside = corners + 0.22 * away + [0, 0, 0.12] * np.sign(away)  # up or down too, off the walk
        write(self.numbers, labels(corners), lambda text, row: text.set_position_3d(outside[row]))
        flips = np.count_nonzero(np.diff(corners, axis=0), axis=1)
        self.jumps.set_segments(np.stack([corners[:-1], corners[1:]], axis=1)[flips == 3])
        places, along = len(np.unique(corners, axis=0)), (flips == 1).sum()
        return f"Cube: {len(table)} positions on {places} places; {along} of {len(flips)} steps go along one edge."
