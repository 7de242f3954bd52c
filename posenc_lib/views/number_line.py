"""Positions on a line: the value of one dim at each position."""

import numpy as np

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.trajectory import NUMBER, dots, labels, write
from posenc_lib.views.view import QUERY, View


class NumberLine(View):
    """Draw one dim of each position along a line; data: values (seq_len,) of one dim, dim, query."""

    name = "number_line"
    left = 0.3
    weight = 1.25
    parameters = (Parameter("dim", "which dim is drawn", None, 0, 1023, start=0), QUERY)

    @staticmethod
    def inputs(encoding, values):
        dim = values.get("dim") or 0
        return {"values": encoding.table[:, dim], "dim": dim, "query": values["query"]}

    @staticmethod
    def limits(width, seq_len):
        return {"dim": width - 1, "query": seq_len - 1}

    def build(self, ax):
        ax.set_title("Where the positions stand")
        ax.set_ylim(-1, 1)
        ax.yaxis.set_visible(False)
        ax.spines["left"].set_visible(False)
        ax.axhline(0, color=style.LINE, lw=1)
        self.points = ax.scatter([], [], **dots())
        self.numbers = [ax.text(0, 0, "", va="center", **NUMBER) for _ in range(12)]
        (self.asked,) = ax.plot([], [], color=style.QUERY, lw=2, marker="v", markevery=[1], ms=9)
        self.told = ax.text(0, 0.62, "", color=style.QUERY, va="bottom", ha="center", fontsize=11, fontweight="bold")
        return [self.points, *self.numbers, self.asked, self.told]

    def axes_state(self, values, dim, query):
        high = style.nice_bound(max(np.abs(values).max(initial=0), 1))  # 0 … 1 stays where it is
        return (-high if values.min(initial=0) < 0 else 0), high, dim

    def set_axes(self, low, high, dim):
        margin = 0.08 * (high - low)
        self.ax.set_xlim(low - margin, high + margin)
        self.ax.set_xlabel(f"value of dim {dim}")
        self.middle, self.reach = (low + high) / 2, 0.3 * (high - low)

    def set_data(self, values, dim, query):
        line = np.stack([values, np.zeros(len(values))], axis=1)
        self.points.set_offsets(line)
        self.points.set_linewidths(0.6 if len(values) <= 60 else 0)  # white rims of many would hide them all
        self.points.set_facecolor(style.position_colors(len(values)))
        at = float(values[query])
        self.asked.set_data([at, at], [0.55, 0.12])
        self.told.set_text(f"position {query} at {style.number(at)}")
        self.told.set_x(min(max(at, self.middle - self.reach), self.middle + self.reach))
        write(self.numbers, labels(line), lambda text, row: text.set_position((values[row], -0.25)))

    def describe(self, values, dim, query):
        step = np.abs(np.diff(values)) if len(values) > 1 else np.zeros(1)
        low, high = style.number(step.min()), style.number(step.max())
        gap = f"{low} apart" if low == high else f"{low} to {high} apart"
        return (
            f"Line: {len(values)} positions from {style.number(values.min())} to {style.number(values.max())}; "
            f"neighbours stand {gap}; position {query} at {style.number(values[query])}."
        )
