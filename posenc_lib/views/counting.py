"""Counting tokens by gates, as CoPE does, where gates neither close nor open wholly."""

import numpy as np

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.beyond import legend
from posenc_lib.views.style import number
from posenc_lib.views.view import CurveView

LEAK = Parameter("leak", "how far gates stay from 0 and 1", 0.01, 0, 0.05, 0.001, scale="real", most=0.5)
EVERY = Parameter("every", "which tokens count: every so manieth, from the query back", 41, 2, 64, least=1)


class LeakingCount(CurveView, name="leaking_count"):
    """Draw how far a query has counted, going back token by token: what counts has a gate of 1 − leak, the rest leak.

    Data: gates (tokens,), the query's own first; counts (tokens,), which of them should count; last, the last position.
    """

    needs, ignores = ("npos",), ("content", "head_dim", "seed")
    parameters = (LEAK, EVERY)
    title, x_label, y_label = "Counting back", "tokens back", "count"
    y_ticks, whole_y = 6, True

    def inputs(self, encoding, values):
        counts = np.arange(1, encoding.seq_len + 1) % values["every"] == 0
        gates = np.where(counts, 1 - values["leak"], values["leak"])
        return {"gates": gates, "counts": counts, "last": encoding.npos - 1}

    def build(self, ax):
        (self.meant,) = ax.plot([], [], color=style.GHOST, lw=4)
        (self.curve,) = ax.plot([], [], color=style.CURVE)
        (self.dot,) = ax.plot([], [], "o", color=style.QUERY, ms=9, zorder=4)
        self.named = ax.text(0, 0, "", **style.name(color=style.QUERY, ha="right", va="bottom"))
        names = legend(ax, "upper left", {"meant": self.meant, "counted": self.curve}, columns=2)
        return [self.meant, self.curve, self.dot, self.named, names]

    def show(self, gates, counts, last):
        n, every = len(gates), int(counts.sum())
        meant, counted = (np.minimum(np.cumsum(each), last) for each in (counts, gates))
        self.axes(xlim=(-0.5, 1.03 * n), ylim=(-0.5, 1.1 * (every + LEAK.high * n)))
        self.meant.set_data(range(n), meant)
        self.curve.set_data(range(n), counted)
        self.dot.set_data([n - 1], counted[-1:])
        self.named.set(
            text=f"{counted[-1]:.2f}", position=(n - 1 - 0.02 * n, counted[-1] + 0.02 * self.ax.get_ylim()[1])
        )
        parts = (
            f"{number(gates[counts].sum())} from {every} that count, {number(gates[~counts].sum())} from {n - every}"
        )
        end = f"; positions end at {last}" if gates.sum() > last else ""
        return f"{n} tokens back the count is {number(gates.sum())}: {parts} that should not{end}."
