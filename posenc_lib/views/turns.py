"""What one step does to every position alike: the matrix that turns it, and the turn itself."""

import numpy as np

from posenc_lib.views import style
from posenc_lib.views.points import NUMBER, dots
from posenc_lib.views.vectors import arc
from posenc_lib.views.view import OFFSET, PAIR, ImageView, View

WRITTEN = 8  # dims up to which each cell's number is written
BEGINS = 4  # positions from which the step is drawn


class ShiftMatrix(ImageView):
    """Colour the matrix that moves the row of any position on by an offset; data: matrix (d, d), offset."""

    name = "shift_matrix"
    needs = ("shift",)
    ignores = frozenset({"content", "seq_len"})
    square = True
    x_label, y_label = "dim, before", "dim, after"
    parameters = (OFFSET,)

    @staticmethod
    def inputs(encoding, values):
        return {"matrix": encoding.shift(values["offset"]), "offset": values["offset"]}

    def build(self, ax):
        artists = super().build(ax)
        self.numbers = [ax.text(0, 0, "", ha="center", va="center") for _ in range(WRITTEN**2)]
        return [*artists, *self.numbers]

    def axes_state(self, matrix, offset):
        return len(matrix), offset

    def set_axes(self, width, offset):
        self.set_extent(width, width)
        self.set_colors(-1, 1)
        cell = 72 * self.ax.bbox.width / self.ax.figure.dpi / width  # in points
        for text in self.numbers:
            text.set_fontsize(min(cell / 4.2, 13))
        self.ax.set_title(f"A step of {style.number(offset)}, as a matrix")

    def set_data(self, matrix, offset):
        self.image.set_data(matrix)
        written = np.argwhere(matrix) if len(matrix) <= WRITTEN else []
        for k, text in enumerate(self.numbers):
            text.set_visible(k < len(written))
            if k < len(written):
                row, column = written[k]
                value = matrix[row, column]
                text.set(position=(column, row), text=f"{value:.2g}".replace("-", "−"))
                text.set_color(style.readable_on(self.image.to_rgba(value)))

    def describe(self, matrix, offset):
        return (
            f"Matrix of a step of {style.number(offset)}: {np.count_nonzero(matrix)} of its {matrix.size} numbers are "
            f"not 0; the first is {style.number(matrix[0, 0])}, the last {style.number(matrix[-1, -1])}."
        )


class Shifted(View):
    """Draw the same step from several positions, in the plane of one pair.

    Data: points (seq_len, 2); offset; angle, by which the step turns them, in radians; pair.
    """

    name = "shifted"
    needs = ("shift",)
    ignores = frozenset({"layout"})
    square = True
    parameters = (OFFSET, PAIR)

    @staticmethod
    def inputs(encoding, values):
        pair, offset = values["pair"], values["offset"]
        points = encoding.table[:, encoding.pair_dims(pair)]
        angle = encoding.turn * offset * float(encoding.frequencies[pair])
        return {"points": points, "offset": offset, "angle": angle, "pair": pair}

    def build(self, ax):
        ax.grid(True)
        self.points = ax.scatter([], [], **dots())
        self.arcs = [ax.plot([], [], color=style.QUERY, lw=2.4, marker="o", markevery=[-1])[0] for _ in range(BEGINS)]
        self.names = [ax.text(0, 0, "", **NUMBER | {"va": "center"}) for _ in range(2 * BEGINS)]
        return [self.points, *self.arcs, *self.names]

    def axes_state(self, points, offset, angle, pair):
        return style.nice_bound(float(np.linalg.norm(points, axis=1).max())), offset, pair

    def set_axes(self, bound, offset, pair):
        self.bound = bound
        self.ax.set_xlim(-2 * bound, 2 * bound)
        self.ax.set_ylim(-2 * bound, 2 * bound)
        self.ax.set_title(f"A step of {style.number(offset)}, pair {pair}")
        self.ax.set_xlabel("first dim")
        self.ax.set_ylabel("second dim")

    def set_data(self, points, offset, angle, pair):
        self.points.set_offsets(points)
        self.points.set_facecolor(style.position_colors(len(points)))
        low, high = max(0, -offset), len(points) - 1 - max(0, offset)
        begins = np.unique(np.linspace(low, high, BEGINS).round().astype(int)) if low <= high else []
        for k, drawn in enumerate(self.arcs):
            names = self.names[2 * k : 2 * k + 2]
            for part in (drawn, *names):
                part.set_visible(k < len(begins))
            if k < len(begins):  # farther and farther out, so that none hides another
                path = np.stack(arc(points[begins[k]], angle, 1.15 + 0.15 * k))
                drawn.set_data(path)
                for name, end, step in zip(names, path.T[[0, -1]], (-1, 1), strict=True):
                    back = self.bound * 0.19 * step * np.sign(angle or 1) * np.array([-end[1], end[0]])
                    name.set_position(end + back / max(np.linalg.norm(end), 1e-9))
                    name.set_text(str(begins[k] + (offset if step > 0 else 0)))

    def describe(self, points, offset, angle, pair):
        degrees = style.number(abs(float(np.degrees(angle))))
        return (
            f"Pair {pair}: a step of {style.number(offset)} turns each of {len(points)} positions by {degrees} degrees."
        )
