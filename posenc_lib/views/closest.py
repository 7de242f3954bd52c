"""Do two positions meet? The path of the positions with the closest two marked and named."""

import numpy as np

from posenc_lib.encodings.similarity import closest_pair
from posenc_lib.views import style
from posenc_lib.views.trajectory import Trajectory, ring


class ClosestPair(Trajectory):
    """Scatter two dims; data: table, dims (x, y), pair (i, j, distance in all dims), step (a usual neighbour step)."""

    name = "closest_pair"
    most_positions = 1024

    @classmethod
    def inputs(cls, encoding, values):
        table, steps = encoding.table, encoding.steps
        pair = closest_pair(table) if len(table) > 1 else (0, 0, 0.0)
        step = float(np.median(steps)) if len(steps) else 0.0
        return super().inputs(encoding, values) | {"query": None, "pair": pair, "step": step}

    def build(self, ax):
        artists = super().build(ax)
        ax.set_title("Who meets whom")
        (self.two,) = ax.plot([], [], **ring(15))
        text = {"color": style.QUERY, "fontsize": 10, "fontweight": "bold", "ha": "center", "va": "top", "zorder": 6}
        self.named = ax.text(0.5, 0.985, "", transform=ax.transAxes, **text)
        return [*artists, self.two, self.named]

    def axes_state(self, table, dims, pair, step, query=None):
        return super().axes_state(table, dims)

    def set_axes(self, low, high, dims):
        super().set_axes(low, high, dims)
        self.ax.set_ylim(low - self.pad, high + 2.2 * self.pad)  # room for the names

    def set_data(self, table, dims, pair, step, query=None):
        super().set_data(table, dims)
        i, j, distance = pair
        self.two.set_data(*table[[i, j]][:, list(dims)].T)
        self.named.set_text(f"{i} and {j}: {style.number(distance)} apart")

    def _number(self, xy):
        for text in self.numbers:  # the closest two are named above; more numbers would hide the path
            text.set_visible(False)

    def describe(self, table, dims, pair, step, query=None):
        i, j, distance = pair
        size = f"; a usual step is {style.number(step)}" if step else ""
        where = f" in all {table.shape[1]} dims" if table.shape[1] > 2 else ""
        return f"Closest two of {len(table)} positions: {i} and {j}, {style.number(distance)} apart{where}{size}."
