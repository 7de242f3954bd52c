"""Which row of a weight matrix goes where when a model changes its pairing."""

import numpy as np
from matplotlib.collections import LineCollection

from posenc_lib.encodings.pairing import order_for_other
from posenc_lib.views import style
from posenc_lib.views.points import NUMBER, dots
from posenc_lib.views.view import View

MOST = 16  # dims whose numbers are written


class Permutation(View):
    """Join each row's old place with its new one; data: order (d,), the old place of each new row; the old pairing."""

    name = "permutation"
    needs = ("rotate", "pairing")
    weight = 1.2

    @classmethod
    def relevant(cls, encoding):
        return [name for name in encoding.values if name in (encoding.width, "pairing")]  # whatever else it has

    @staticmethod
    def inputs(encoding, values):
        return {"order": order_for_other(encoding.pairing, encoding.num_dims), "pairing": encoding.pairing}

    def build(self, ax):
        ax.set_ylim(-0.35, 1.35)
        ax.set_yticks([1, 0], ["before", "after"])
        ax.tick_params(axis="y", length=0)
        ax.xaxis.set_visible(False)
        for side in ("left", "bottom"):
            ax.spines[side].set_visible(False)
        self.wires = ax.add_collection(LineCollection([], linewidths=1.6))
        self.rows = ax.scatter([], [], **dots() | {"s": 50})
        self.numbers = [ax.text(0, 0, "", va="center", **NUMBER) for _ in range(2 * MOST)]
        return [self.wires, self.rows, *self.numbers]

    def axes_state(self, order, pairing="interleaved"):
        return len(order), pairing

    def set_axes(self, width, pairing):
        self.ax.set_xlim(-0.7, width - 0.3)
        self.ax.set_title("Interleaved to half" if pairing == "interleaved" else "Half to interleaved")

    def set_data(self, order, pairing="interleaved"):
        width = len(order)
        pair = order // 2 if pairing == "interleaved" else order % (width // 2)
        new, colors = np.arange(width), style.position_colors(width // 2, part=0.8)[pair]  # one colour for each pair
        before, after = np.stack([order, np.ones(width)], axis=1), np.stack([new, np.zeros(width)], axis=1)
        self.wires.set_segments(np.stack([before, after], axis=1))
        self.wires.set_color(colors)
        self.rows.set_offsets(np.vstack([before, after]))
        self.rows.set_facecolor(np.vstack([colors, colors]))
        told = [*((row, 1.2, row) for row in range(width)), *((place, -0.2, row) for place, row in enumerate(order))]
        for k, text in enumerate(self.numbers):
            text.set_visible(width <= MOST and k < len(told))
            if width <= MOST and k < len(told):
                x, y, row = told[k]
                text.set(position=(x, y), text=str(row))

    def describe(self, order, pairing="interleaved"):
        told = ", ".join(map(str, order[:MOST])) + (", …" if len(order) > MOST else "")
        return f"New order of {len(order)} rows: {told}; two of one colour turn together."
