"""Each dim as a wave of its own, one above the other: fast ones on top, slow ones below."""

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.ticker import MaxNLocator

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.view import View

HEIGHT = 0.8  # of a wave, in distances from one to the next
SMOOTH = 2048  # points of a curve, at most


class Waves(View):
    """Draw the first dims against the position.

    Data: table (seq_len, d); between, the pair (positions, table) from one position to the next; num_waves;
    query or None.
    """

    name = "waves"
    weight = 1.25
    parameters = (Parameter("num_waves", "how many of the first dims are drawn", 3, 1, 12, least=1, most=64),)

    @staticmethod
    def inputs(encoding, values):
        points = min(max(SMOOTH // len(encoding.table), 1), 32)
        data = {"table": encoding.table, "between": encoding.between(points)}
        return data | {"num_waves": values["num_waves"], "query": values.get("query")}

    @staticmethod
    def limits(width, seq_len):
        return {"num_waves": width}

    def build(self, ax):
        ax.set_title("Each dim as a wave")
        ax.set_xlabel("position")
        ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        self.zeros = ax.add_collection(LineCollection([], colors=style.GHOST, linewidths=0.8))
        self.curves = ax.add_collection(LineCollection([], colors=style.CURVE, linewidths=1.8))
        self.dots = ax.scatter([], [], s=16, color=style.CURVE, zorder=3)
        self.asked = ax.axvline(0, color=style.QUERY, lw=1.6)
        return [self.curves, self.asked, self.dots]

    def axes_state(self, table, between, num_waves, query=None):
        shown = table[:, :num_waves]
        return len(table), shown.shape[1], style.nice_bound(np.abs(shown).max(initial=0)), bool(shown.min() < 0)

    def set_axes(self, seq_len, number, bound, signed):
        self.bound, self.signed = bound, signed
        self.ax.set_xlim(-0.5, max(seq_len - 0.5, 0.5))
        self.ax.set_ylim(-number + 0.4, 0.6)
        self.ax.set_yticks(-np.arange(number), [f"dim {k}" for k in range(number)])
        floor = self._lift(np.zeros((2, number)))
        self.zeros.set_segments([np.stack([[-0.5, seq_len], floor[:, k]], axis=1) for k in range(number)])
        self.dots.set_visible(seq_len <= 48)

    def _lift(self, values):
        """Return where values stand on the page: each column around a line of its own."""
        part = values / self.bound
        return -np.arange(values.shape[1]) + HEIGHT * (part / 2 if self.signed else part - 0.5)

    def set_data(self, table, between, num_waves, query=None):
        at, fine = between
        lifted = self._lift(fine[:, :num_waves])
        self.curves.set_segments([np.stack([at, wave], axis=1) for wave in lifted.T])
        if len(table) <= 48:
            points = self._lift(table[:, :num_waves])
            self.dots.set_offsets(np.stack([np.tile(np.arange(len(table)), points.shape[1]), points.T.ravel()], axis=1))
        self.asked.set_data(*([], []) if query is None else ([query, query], [0, 1]))

    def describe(self, table, between, num_waves, query=None):
        shown = table[:, :num_waves]
        flips = (np.abs(np.diff(shown, axis=0)) > 0.5 * np.abs(shown).max(initial=1e-12)).sum(axis=0)
        turns = np.diff(np.sign(np.diff(shown, axis=0)), axis=0)
        counts = flips if not np.mod(table, 1).any() else (turns != 0).sum(axis=0)
        word = "Flips" if not np.mod(table, 1).any() else "Turning points"
        text = ", ".join(f"{count} in dim {k}" for k, count in enumerate(counts))
        here = "" if query is None else f" At position {query}: {', '.join(map(style.number, shown[query]))}."
        return f"{word}: {text}.{here}"
