"""Positions as points: on a line, in the plane of two dims, and the two that are closest to each other."""

import itertools

import numpy as np
from matplotlib.patches import Circle

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.similarity import closest_pair
from posenc_lib.views import style
from posenc_lib.views.style import number
from posenc_lib.views.view import PAIR, QUERY, View

RIMMED = 0.05  # inches from one dot to the next that leave room for white rims
LABELS = 12  # more numbers than this hide the points
TOUCH = 0.02  # of the farthest point: closer ones share one label
NUMBER = {"fontsize": 9.5, "ha": "center", "zorder": 5}


def dots() -> dict:
    """Return how the dots of positions look."""
    return {"s": 34, "edgecolors": style.PAPER, "linewidths": 0.6, "zorder": 3}


def ring(size: float = 11) -> dict:
    """Return how the ring looks around a position that stands out."""
    return {"ls": "", "marker": "o", "ms": size, "mfc": "none", "mec": style.QUERY, "mew": 2.2, "zorder": 4}


def labels(points: np.ndarray, query: int | None = None, *, last: bool = False) -> dict[int, str]:
    """Return the numbers to write, by row: all, or every 2nd, 5th, 10th, … row; "0, 4" where points touch.

    That of the query is among them, and comes first: where there is no room for all, it stays. So may be the last row.
    """
    n = len(points)
    touch = TOUCH * np.abs(points).max(initial=0) + 1e-6
    step = next(s * 10**k for k in range(9) for s in (1, 2, 5) if n <= LABELS * s * 10**k)
    together: list[list[int]] = []
    for row in sorted({*range(0, n, step), *([] if query is None else [query]), *([n - 1] if last else [])}):
        near = (rows for rows in together if np.linalg.norm(points[row] - points[rows[0]]) <= touch)
        rows = next(near, [])
        if not rows:
            together.append(rows)
        rows.append(row)
    words = {}
    for rows in sorted(together, key=lambda rows: query not in rows):
        words[query if query in rows else rows[0]] = ", ".join(map(str, rows[:3])) + (", …" if len(rows) > 3 else "")
    return words


def apart(words: dict[int, str], places: np.ndarray, ax) -> dict[int, str]:
    """Return the words, by row, that do not reach into one before them where each is centred on its place (n, 2)."""
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    across, up = ax.bbox.size / ax.figure.dpi * 72 / NUMBER["fontsize"]  # in heights of a letter
    kept: dict[int, str] = {}
    taken: list[tuple[float, float, float]] = []
    for row, word in words.items():
        x, y, half = places[row, 0] / (right - left) * across, places[row, 1] / (high - low) * up, 0.35 * len(word)
        if all(abs(x - x2) > half + half2 or abs(y - y2) > 1 for x2, y2, half2 in taken):
            kept[row] = word
            taken.append((x, y, half))
    return kept


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


def on_circle(points: np.ndarray) -> float:
    """Return how far all points, shape (n, 2), are from the middle; 0 if not all are equally far."""
    lengths = np.linalg.norm(points, axis=1)
    return float(lengths.max(initial=0)) if np.ptp(lengths) <= 1e-6 * lengths.max(initial=0) else 0.0


def drawn_dims(encoding, values: dict) -> list[int]:
    """Return the dims (x, y) of a plane: the two of `pair`, but x_dim or y_dim where somebody asks for it."""
    pair, last = values["pair"], encoding.table.shape[1] - 1
    dims = encoding.pair_dims(pair) if encoding.has("pair_dims") else [2 * pair, 2 * pair + 1]
    asked = (values.get("x_dim"), values.get("y_dim"))
    return [min(dim, last) if own is None else own for dim, own in zip(dims, asked, strict=True)]


def way(encoding, dims: tuple) -> np.ndarray:
    """Return the points from each position to the next in these dims: on a smooth path if there are any between."""
    return encoding.between(min(max(4096 // len(encoding.table), 2), 16))[1][:, dims]


def dim_of(name: str, default: int | None, start: int) -> Parameter:
    """Return the parameter of an axis, such as x_dim."""
    return Parameter(name, f"which dim is drawn along {name[0]}", default, 0, 1023, start=start, fallback=start)


class NumberLine(View):
    """Draw one dim of each position along a line; data: values (seq_len,) of one dim, dim, query."""

    title = "Where the positions stand"
    left, weight = 0.3, 1.25
    zero_line = True
    parameters = (Parameter("dim", "which dim is drawn", None, 0, 1023, start=0), QUERY)

    def inputs(self, encoding, values):
        dim = values.get("dim") or 0
        return {"values": encoding.table[:, dim], "dim": dim, "query": values["query"]}

    def build(self, ax):
        ax.set_ylim(-0.7, 1)
        ax.yaxis.set_visible(False)
        ax.spines["left"].set_visible(False)
        self.points = ax.scatter([], [], color=style.CURVE, **dots())  # one colour: no point changes as others come
        self.numbers = numbers(ax, LABELS)
        (self.asked,) = ax.plot([], [], color=style.QUERY, lw=2, marker="v", markevery=[1], ms=9)
        self.told = ax.text(0, 0.62, "", color=style.QUERY, va="bottom", ha="center", fontsize=11, fontweight="bold")
        return [self.points, *self.numbers, self.asked, self.told]

    @property
    def traced(self):
        return [self.asked]

    def show(self, values, dim, query):
        high = style.nice_bound(max(np.abs(values).max(initial=0), 1))  # 0 … 1 stays where it is
        low = -high if values.min(initial=0) < 0 else 0
        margin = 0.08 * (high - low)
        self.axes(xlim=(low - margin, high + margin), xlabel=f"value of dim {dim}")
        step = np.abs(np.diff(values)) if len(values) > 1 else np.zeros(1)
        line = np.stack([values, np.zeros(len(values))], axis=1)
        self.points.set_offsets(line)
        left, right = self.ax.get_xlim()  # which may be frozen
        inches = self.ax.bbox.width / self.ax.figure.dpi / (right - left)  # of a unit
        self.points.set_linewidths(0.6 if step.min() * inches > RIMMED else 0)  # rims of many would hide them all
        gap = 72 * inches * np.median(step[step > 0]) if step.any() else np.inf  # between neighbours, in points
        self.points.set_sizes([min(max(0.8 * gap, 1.5), 5.8) ** 2])  # so that neighbours are seen apart
        near = np.abs(np.arange(len(values)) - query) <= 1
        self.points.set_facecolor([style.QUERY if one else style.CURVE for one in near])
        at = float(values[query])
        asked = f"position {query} at {number(at)}"
        self.asked.set_data([at, at], [0.55, 0.12])
        self.told.set_text(asked)
        reach = min(0.045 * len(asked) / inches, (right - left) / 2)  # half of its width
        self.told.set_x(min(max(at, left + reach), right - reach))
        told = apart(labels(line, query), line, self.ax)
        write(self.numbers, told, lambda text, row: text.set_position((values[row], -0.25)))
        gap = " to ".join(dict.fromkeys((number(step.min()), number(step.max()))))
        ends = f"from {number(values.min())} to {number(values.max())}"
        return f"Line: {len(values)} positions {ends}; in this dim neighbours stand {gap} apart; {asked}."


class Trajectory(View):
    """Scatter two dims of a table; data: table (seq_len, d), dims (x, y), query or None.

    Where all points lie on one circle round the middle, that circle is drawn, too.
    """

    title = "Positions as points"
    square = whole_y = True
    x_ticks = y_ticks = 4
    grid = "both"
    pointer = ("position", None)
    parameters = (PAIR, dim_of("x_dim", None, 0), dim_of("y_dim", None, 1))
    instead = {"pair": ("x_dim", "y_dim")}  # noqa: RUF012

    def inputs(self, encoding, values):
        return {"table": encoding.table, "dims": drawn_dims(encoding, values), "query": values.get("query")}

    def build(self, ax):
        self.circle = ax.add_patch(Circle((0, 0), fill=False, ec=style.GHOST, lw=1, zorder=1))
        (self.path,) = ax.plot([], [], color=style.LINE, lw=1, zorder=2)
        self.points = ax.scatter([], [], **dots())
        (self.asked,) = ax.plot([], [], **ring())
        self.numbers = numbers(ax, LABELS + 2)  # the query's and the last one's, too
        return [self.circle, self.path, self.points, self.asked, *self.numbers]

    def marks(self):
        return self.ax.transData.transform(self.points.get_offsets())

    def value_at(self, x, y):
        points = np.asarray(self.points.get_offsets())
        nearest = points[np.linalg.norm(points - (x, y), axis=1).argmin()]
        return f"({', '.join(map(number, nearest.tolist()))})"

    @property
    def inches(self) -> float:
        """How long a unit is on the page."""
        return self.ax.bbox.width / self.ax.figure.dpi / abs(np.subtract(*self.ax.get_xlim()))

    def reach(self, points, radius: float = 0) -> tuple[float, float]:
        """Return the ends that all dims in sight share; a circle is seen whole from the beginning."""
        high = style.nice_bound(np.abs(points).max(initial=radius))
        return (0 if points.min(initial=0) >= 0 and not radius else -high), high

    def place(self, points, dims, above: float = 1) -> float:
        """Let the axes hold all points; return their margin, of which `above` are left free at the top."""
        radius = on_circle(points)
        self.circle.set_radius(radius)
        self.circle.set_visible(radius > 0)
        low, high = self.reach(points, radius)
        pad = 0.14 * (high - low)
        x, y = (f"dim {dim}" for dim in dims)
        self.axes(xlim=(low - pad, high + pad), ylim=(low - pad, high + above * pad), xlabel=x, ylabel=y)
        return pad

    def move(self, xy, query=None) -> None:
        """Move path, points and ring."""
        self.path.set_data(*xy.T)
        chords = min((LABELS / len(xy)) ** 2, 1)  # across a circle, many would hide what they join
        self.path.set_alpha(chords if self.circle.get_visible() else 1 if len(xy) <= 48 else 0.35)
        self.points.set_offsets(xy)
        self.points.set_facecolor(style.position_colors(len(xy)))
        step = np.median(np.linalg.norm(np.diff(xy, axis=0), axis=1)) if len(xy) > 1 else np.inf
        self.points.set_linewidths(0.6 if step * self.inches > RIMMED else 0)  # rims would hide all but the last
        self.asked.set_data(*xy[[] if query is None else [query]].T)

    def show(self, table, dims, query=None):
        xy = table[:, dims]
        pad = self.place(xy, dims)
        self.move(xy, query)
        away = np.full((len(xy), 1), 0.6 * pad)
        away[[] if query is None else query] *= 1.5  # off the ring
        radius = on_circle(xy)
        places = xy + away * (xy / radius if radius else _outward(xy))
        told = apart(labels(xy, query, last=self.circle.get_visible()), places, self.ax)
        write(self.numbers, told, lambda text, row: text.set_position(places[row]))
        return self.words(xy, dims, query)

    def words(self, points, dims, query) -> str:
        """Say where the query stands, or the last position."""
        told = len(points) - 1 if query is None else query
        gap = number(np.linalg.norm(points[told] - points[0]))
        where = ", ".join(map(number, points[told]))
        plane = f"dims {', '.join(map(str, dims[:-1]))} and {dims[-1]}"
        return f"Points: {plane} of {len(points)} positions; position {told} at ({where}), {gap} from position 0."


class ClosestPair(Trajectory):
    """Scatter two dims and ring the two positions that are closest in all dims.

    Data: table, dims (x, y), track (the points from each position to the next), pair (i, j, distance), step (a usual
    neighbour step).
    """

    title = "The two that are closest"
    most_positions = 1024

    def inputs(self, encoding, values):
        steps, data = encoding.steps, {"table": encoding.table, "dims": drawn_dims(encoding, values)}
        pair = closest_pair(data["table"]) if len(steps) else (0, 0, 0.0)
        step = float(np.median(steps)) if len(steps) else 0.0
        return data | {"track": way(encoding, data["dims"]), "pair": pair, "step": step}

    def build(self, ax):
        (self.two,) = ax.plot([], [], **ring(15))
        look = {"color": style.QUERY, "fontsize": 10, "fontweight": "bold", "ha": "center", "va": "top", "zorder": 6}
        self.named = ax.text(0.5, 0.985, "", transform=ax.transAxes, **look)
        return [*super().build(ax), self.two, self.named]

    def show(self, table, dims, track, pair, step):
        xy, (i, j, distance) = table[:, dims], pair
        self.place(xy, dims, above=2.2)  # room for the names
        self.move(xy)
        self.path.set_data(*track.T)
        self.points.set_facecolor(style.CURVE)  # which position stands where does not matter here, but for two
        write(self.numbers, {}, None)  # these are named above; more numbers would hide the path
        self.two.set_data(*xy[[i, j]].T)
        apart, width = f"{number(distance)} apart", table.shape[1]
        where = f"in all {width} dims" if width > 2 else ""
        self.named.set_text(f"{i} and {j}: {apart}\n{where}".rstrip())
        size = f"; a usual step is {number(step)}" if step else ""
        told = f"{apart} {where}".rstrip()
        return f"Closest two of {len(table)} positions: {i} and {j}, {told}{size}."
