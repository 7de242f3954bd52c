"""What a rotation does: to a query and a key, to unit vectors, to every position alike, as a matrix, in four forms."""

from itertools import zip_longest

import numpy as np

from posenc_lib.encodings.rope import rope_forms
from posenc_lib.views import style
from posenc_lib.views.points import dots, numbers, write
from posenc_lib.views.style import number
from posenc_lib.views.view import OFFSET, PAIR, QUERY, ImageView, View

NAME = {"fontsize": 11, "fontweight": "bold", "ha": "center", "va": "center"}
FORMS = ("matrix", "cos and sin", "complex", "rope( )")
WRITTEN = 8  # dims up to which each cell's number is written
BEGINS = 4  # positions from which the step is drawn


def arc(start: np.ndarray, turned: float, part: float) -> tuple[np.ndarray, np.ndarray]:
    """Return an arc from a vector on by an angle, less whole turns; part says how far out it lies."""
    angle = np.arctan2(start[1], start[0]) + np.linspace(0, 1, 65) * np.fmod(turned, 2 * np.pi)
    radius = part * np.linalg.norm(start)
    return radius * np.cos(angle), radius * np.sin(angle)


class Arrows(View):
    """Two arrows in the plane of a pair of dims, before and after a turn."""

    x_label, y_label = "first dim of the pair", "second dim"
    square = True
    grid = "both"
    zero_line = True

    def build(self, ax):
        ax.axvline(0, color=style.LINE, lw=1)
        colors = (style.QUERY, style.CURVE)
        self.ghosts = [ax.plot([], [], color=color, lw=1.6, ls=":")[0] for color in colors]
        self.tracks = [ax.plot([], [], color=color, lw=1.2, alpha=0.6)[0] for color in colors]
        self.arrows = [ax.plot([], [], color=color, lw=3, marker="o", markevery=[1], ms=8)[0] for color in colors]
        self.names = [ax.text(0, 0, "", color=color, **NAME) for color in colors]
        self.told = ax.text(0.5, 0.02, "", transform=ax.transAxes, **style.name(fontsize=10.5, ha="center"))
        return [*self.ghosts, *self.tracks, *self.arrows, *self.names, self.told]

    def turn(self, before, after, angles, names, told: str, title: str) -> None:
        """Turn both arrows from before to after, each (2, 2), one arrow a row; name them, say something below them."""
        bound = style.nice_bound(np.linalg.norm(before, axis=1).max())
        ends = (-1.45 * bound, 1.45 * bound)
        self.axes(xlim=ends, ylim=ends, title=title)
        for k in range(2):
            self.ghosts[k].set_data(*np.stack([[0, 0], before[k]], axis=1))
            self.arrows[k].set_data(*np.stack([[0, 0], after[k]], axis=1))
            self.tracks[k].set_data(*arc(before[k], angles[k], 0.42 + 0.1 * k))
            out = after[k] / max(np.linalg.norm(after[k]), 1e-9)
            aside = np.array([-out[1], out[0]]) * (0.28 - 0.56 * k)  # both stay readable where the arrows meet
            self.names[k].set_text(names[k])
            self.names[k].set_position(after[k] + bound * (0.16 * out + aside))
        self.told.set_text(told)


class Vectors(Arrows, name="vectors"):
    """Draw a query and a key before and after the turn.

    Data: before and after, each (query, key) in the plane of the pair, shape (2, 2); angles, by how much each was
    turned; positions (m, n); pair; scores (of this pair, of all dims).
    """

    needs, ignores = ("rotate", "query_and_key"), ("seq_len",)
    parameters = (QUERY, OFFSET, PAIR)

    def inputs(self, encoding, values):
        m, pair = values["query"], values["pair"]
        n = m + values["offset"]
        dims = encoding.pair_dims(pair)
        queries, keys = encoding.queries_and_keys(np.array([m, n]))
        q, k = queries[0], keys[1]
        return {
            "before": encoding.query_and_key()[:, dims],
            "after": np.stack([q[dims], k[dims]]),
            "angles": encoding.frequencies[pair] * np.array([m, n]),
            "positions": (m, n),
            "pair": pair,
            "scores": (float(q[dims] @ k[dims]), float(q @ k)),
        }

    def show(self, before, after, angles, positions, pair, scores):
        (m, n), (part, whole) = positions, map(number, scores)
        title = f"Query and key, pair {pair}"
        self.turn(before, after, angles, (f"q at {m}", f"k at {n}"), f"q · k = {whole}", title)
        text = f"Pair {pair}: the query turned at position {m}, the key at {n}"
        return f"{text}; their dot product is {whole} in all, {part} in this pair."


class Basis(Arrows, name="basis"):
    """Draw the unit vectors of a pair before and after a turn; data: block (2, 2), angle in radians, position, pair."""

    needs, ignores = ("rotate",), ("content", "pairing", "seq_len")
    parameters = (QUERY, PAIR)

    def inputs(self, encoding, values):
        pair, position = values["pair"], values["query"]
        dims = encoding.pair_dims(pair)
        block = encoding.shift(position)[np.ix_(dims, dims)]
        angle = position * float(encoding.frequencies[pair])
        return {"block": block, "angle": angle, "position": position, "pair": pair}

    def show(self, block, angle, position, pair):
        units, title = np.eye(2), f"Unit vectors, pair {pair}"
        first, second = (f"({x:.2f}, {y:.2f})".replace("-", "−") for x, y in block.T)
        self.turn(units, block.T, (angle, angle), ("(1, 0)", "(0, 1)"), f"→ {first}, {second}", title)
        for name, start in zip(self.names, units, strict=True):
            name.set_position(1.2 * start)
        first, second = (", ".join(map(number, end)) for end in block.T)
        text = f"Pair {pair} at position {position}, turned by an angle of {number(angle)}"
        return f"{text}: (1, 0) goes to ({first}), (0, 1) to ({second})."


class Shifted(View, name="shifted"):
    """Draw one step from several positions; data: points (seq_len, 2) of a pair, offset, angle in radians, pair."""

    needs, ignores = ("shift", "query_and_key"), ("layout",)
    x_label, y_label = "first dim", "second dim"
    square = True
    grid = "both"
    parameters = (OFFSET, PAIR)

    def inputs(self, encoding, values):
        pair, offset = values["pair"], values["offset"]
        points = encoding.table[:, encoding.pair_dims(pair)]
        angle = encoding.turn * offset * float(encoding.frequencies[pair])
        return {"points": points, "offset": offset, "angle": angle, "pair": pair}

    def build(self, ax):
        self.points = ax.scatter([], [], **dots())
        self.arcs = [ax.plot([], [], color=style.QUERY, lw=2.4, marker="o", markevery=[-1])[0] for _ in range(BEGINS)]
        self.names = numbers(ax, 2 * BEGINS)
        return [self.points, *self.arcs, *self.names]

    def show(self, points, offset, angle, pair):
        bound = style.nice_bound(float(np.linalg.norm(points, axis=1).max()))
        ends, step = (-2 * bound, 2 * bound), number(offset)
        self.axes(xlim=ends, ylim=ends, title=f"A step of {step}, pair {pair}")
        self.points.set_offsets(points)
        self.points.set_facecolor(style.position_colors(len(points)))
        self.draw_steps(points, offset, angle, 0.19 * bound * np.sign(angle or 1))
        degrees = number(abs(np.degrees(angle)))
        return f"Pair {pair}: a step of {step} turns each of {len(points)} positions by {degrees} degrees."

    def draw_steps(self, points, offset, angle, beyond: float) -> None:
        """Draw an arc from each of a few positions, and write its two positions beyond its ends."""
        low, high = max(0, -offset), len(points) - 1 - max(0, offset)
        begins = np.unique(np.linspace(low, high, BEGINS).round().astype(int)) if low <= high else []
        words, places = {}, []
        for k, (line, begin) in enumerate(zip_longest(self.arcs, begins)):
            line.set_visible(begin is not None)
            if begin is not None:
                x, y = arc(points[begin], angle, 1.15 + 0.15 * k)  # each farther out: none hides another
                line.set_data(x, y)
                words |= {2 * k: str(begin), 2 * k + 1: str(begin + offset)}
                places += [_beside(x[0], y[0], -beyond), _beside(x[-1], y[-1], beyond)]
        write(self.names, words, lambda text, k: text.set_position(places[k]))


def _beside(x: float, y: float, way: float) -> tuple[float, float]:
    """Return the place that lies some way from a point, on along its circle."""
    radius = max(np.hypot(x, y), 1e-9)
    return x - way * y / radius, y + way * x / radius


class ShiftMatrix(ImageView, name="shift_matrix"):
    """Colour the matrix that moves the row of any position on by an offset; data: matrix (d, d), offset."""

    needs, ignores = ("shift",), ("content", "seq_len")
    pointer = ("dim", None)
    square = True
    x_label, y_label = "dim, before", "dim, after"
    parameters = (OFFSET,)

    def inputs(self, encoding, values):
        return {"matrix": encoding.shift(values["offset"]), "offset": values["offset"]}

    def build(self, ax):
        self.numbers = [ax.text(0, 0, "", ha="center", va="center") for _ in range(WRITTEN**2)]
        return [*super().build(ax), *self.numbers]

    def show(self, matrix, offset):
        width, step = len(matrix), number(offset)
        if self.color(matrix, (-1, 1), title=f"A step of {step}, as a matrix"):
            cell = 72 * self.ax.bbox.width / self.ax.figure.dpi / width  # in points
            for text in self.numbers:
                text.set_fontsize(min(cell / 4.2, 13))
        cells = map(tuple, np.argwhere(matrix)) if width <= WRITTEN else ()
        words = {cell: f"{matrix[cell]:.2g}".replace("-", "−") for cell in cells}
        write(self.numbers, words, self.image.carry)
        first, last = number(matrix[0, 0]), number(matrix[-1, -1])
        filled = f"{np.count_nonzero(matrix)} of its {matrix.size} numbers are not 0"
        return f"Matrix of a step of {step}: {filled}; the first is {first}, the last {last}."


class RopeForms(ImageView, name="rope_forms"):
    """Colour a vector turned in four ways; data: rows (4, d), position."""

    needs, ignores = ("rotate", "query_and_key"), ("seq_len",)
    pointer = ("dim", None)
    left = 1.05
    title, x_label = "One rotation, four ways", "dim"
    parameters = (QUERY,)

    def inputs(self, encoding, values):
        query = encoding.query_and_key()[0]
        turned = encoding.rotate(query[None], [values["query"]])
        forms = rope_forms(query, values["query"] * encoding.frequencies, pairing=encoding.pairing)
        rows = np.concatenate([encoding.attention_factor * forms, turned])
        return {"rows": rows, "position": values["query"]}

    def show(self, rows, position):
        bound = style.nice_bound(np.abs(rows).max())
        self.color(rows, (-bound, bound), yticks=range(len(FORMS)), yticklabels=FORMS)
        apart = np.ptp(rows, axis=0).max()
        how = "agree to 1e-12" if apart < 1e-12 else f"differ by up to {apart:.1e}"
        return f"Four ways to turn the query at position {position}: they {how}."
