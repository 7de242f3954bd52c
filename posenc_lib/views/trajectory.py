"""Positions as points: where each one stands in two or three of the table's dims, joined in order."""

import numpy as np

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.view import View

LABELS = 12  # more numbers than this hide the points
NUMBER = {"fontsize": 9.5, "ha": "center", "zorder": 5}


def dots() -> dict:
    """Return the looks of positions."""
    return {"s": 34, "edgecolors": style.PAPER, "linewidths": 0.6, "zorder": 3}


def ring(size: float = 11) -> dict:
    """Return the looks of a ring around a position that stands out."""
    return {"ls": "", "marker": "o", "ms": size, "mfc": "none", "mec": style.QUERY, "mew": 2.2, "zorder": 4}


def _dim(name: str, default: int) -> Parameter:
    return Parameter(name, f"which dim is drawn along {name[0]}", default, 0, 1023, fallback=default)


def labels(points: np.ndarray) -> dict[int, str]:
    """Return the numbers to write, by row: all, or every 2nd, 5th, 10th, … row; "0, 4" where points coincide."""
    n = len(points)
    step = next(s * 10**k for k in range(9) for s in (1, 2, 5) if n <= LABELS * s * 10**k)
    together: dict[tuple, list[int]] = {}
    for row in range(0, n, step):
        together.setdefault(tuple(points[row].round(6) + 0.0), []).append(row)
    return {rows[0]: ", ".join(map(str, rows[:3])) + (", …" if len(rows) > 3 else "") for rows in together.values()}


def _outward(points: np.ndarray) -> np.ndarray:
    """Return for each point a unit vector away from the path: from the middle, or across a straight line."""
    away = points - points.mean(axis=0)
    spread, axes = np.linalg.svd(away, full_matrices=False)[1:]
    if spread[-1] <= 1e-9 * spread[0] or len(points) < 2:  # all on one line, or all in one place
        across = axes[-1] if len(points) > 1 else np.array([0.0, 1.0])
        return np.tile(across if across[1] >= 0 else -across, (len(points), 1))
    length = np.linalg.norm(away, axis=1, keepdims=True)
    return np.divide(away, length, out=np.tile([0.0, 1.0], (len(points), 1)), where=length > 1e-9)


def write(texts: list, places: dict[int, str], move) -> None:
    """Put each number at move(text, row), and hide the texts that are left over."""
    rows = list(places)
    for k, text in enumerate(texts):
        text.set_visible(k < len(rows))
        if k < len(rows):
            text.set_text(places[rows[k]])
            move(text, rows[k])


class Trajectory(View):
    """Scatter two dims of a table; data: table (seq_len, d), dims (x, y), query or None."""

    name = "trajectory"
    square = True
    parameters = (_dim("x_dim", 0), _dim("y_dim", 1))

    @classmethod
    def inputs(cls, encoding, values):
        dims = tuple(values[p.name] for p in cls.parameters if p.name.endswith("_dim"))
        return {"table": encoding.table, "dims": dims, "query": values.get("query")}

    @classmethod
    def limits(cls, width, seq_len):
        return {p.name: width - 1 for p in cls.parameters if p.name.endswith("_dim")}

    def build(self, ax):
        ax.grid(True)
        ax.set_title("Positions as points")
        (self.path,) = ax.plot([], [], color=style.LINE, lw=1, zorder=2)
        self.points = ax.scatter([], [], **dots())
        (self.asked,) = ax.plot([], [], **ring())
        self.numbers = [ax.text(0, 0, "", va="center", **NUMBER) for _ in range(LABELS)]
        return [self.path, self.points, self.asked, *self.numbers]

    def axes_state(self, table, dims, query=None):
        shown = table[:, list(dims)]
        high = style.nice_bound(np.abs(shown).max(initial=0))
        low = 0 if shown.min(initial=0) >= 0 else -high
        return low, high, dims

    def set_axes(self, low, high, dims):
        self.pad = 0.14 * (high - low)
        for axis, dim in zip("xy", dims, strict=True):
            getattr(self.ax, f"set_{axis}lim")(low - self.pad, high + self.pad)
            getattr(self.ax, f"set_{axis}label")(f"dim {dim}")

    def set_data(self, table, dims, query=None):
        xy = table[:, list(dims)]
        self.path.set_data(*xy.T)
        self.path.set_alpha(1 if len(xy) <= 48 else 0.35)  # many chords would hide the points
        self.points.set_offsets(xy)
        self.points.set_facecolor(style.position_colors(len(xy)))
        self.asked.set_data(*(xy[[query]].T if query is not None else ([], [])))
        self._number(xy)

    def _number(self, xy):
        places = xy + 0.6 * self.pad * _outward(xy)
        write(self.numbers, labels(xy), lambda text, row: text.set_position(places[row]))

    def describe(self, table, dims, query=None):
        told = len(table) - 1 if query is None else query
        first, point = table[0, list(dims)], table[told, list(dims)]
        gap = style.number(float(np.linalg.norm(point - first)))
        where = ", ".join(style.number(v) for v in point)
        plane = f"dims {', '.join(map(str, dims[:-1]))} and {dims[-1]}"
        return f"Points: {plane} of {len(table)} positions; position {told} at ({where}), {gap} from position 0."


class Trajectory3D(Trajectory):
    """Scatter three dims of a table; data: table (seq_len, d), dims (x, y, z), azimuth in degrees."""

    name = "trajectory_3d"
    projection = "3d"
    left, right = 0.2, 0.7
    parameters = (
        _dim("x_dim", 0),
        _dim("y_dim", 1),
        _dim("z_dim", 2),
        Parameter("azimuth", "from which side you look, in degrees", -60, -180, 175, 5, least=-360, most=360),
    )

    @classmethod
    def inputs(cls, encoding, values):
        return super().inputs(encoding, values) | {"azimuth": values["azimuth"]}

    def build(self, ax):
        ax.set_title("Positions as points")
        (self.path,) = ax.plot([], [], [], color=style.LINE, lw=1, zorder=2)
        self.points = ax.scatter([], [], [], depthshade=False, **dots())
        (self.asked,) = ax.plot([], [], [], **ring())
        self.numbers = [ax.text(0, 0, 0, "", va="bottom", **NUMBER) for _ in range(LABELS)]
        return [ax]  # in perspective everything moves, the axes too

    def axes_state(self, table, dims, query=None, azimuth=-60):
        return super().axes_state(table, dims)

    def set_axes(self, low, high, dims):
        for axis, dim in zip("xyz", dims, strict=True):
            getattr(self.ax, f"set_{axis}lim")(low, high)
            getattr(self.ax, f"set_{axis}label")(f"dim {dim}")

    def set_data(self, table, dims, query=None, azimuth=-60):
        xyz = table[:, list(dims)]
        self.ax.view_init(elev=22, azim=azimuth)
        self.path.set_data_3d(*xyz.T)
        self.points._offsets3d = tuple(xyz.T)  # matplotlib has no public setter for a 3-D scatter
        self.points.set_facecolor(style.position_colors(len(xyz)))
        self.asked.set_data_3d(*(xyz[[query]].T if query is not None else ([], [], [])))
        write(self.numbers, labels(xyz), lambda text, row: text.set_position_3d(xyz[row]))

    def describe(self, table, dims, query=None, azimuth=-60):
        return super().describe(table, dims, query)
