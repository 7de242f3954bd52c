"""What becomes of the numbers as the text grows: the largest of them, and the step to the next position."""

import numpy as np

from posenc_lib.views import style
from posenc_lib.views.view import View

POINTS = 12  # lengths that are tried


class AgainstLength(View):
    """Draw two curves; data: lengths (n,), largest (n,), steps (n,), seq_len (where the text stands now)."""

    name = "against_length"
    ignores = frozenset({"layout"})
    weight = 1.2
    most_positions = 1024

    @staticmethod
    def inputs(encoding, values):
        seq_len = len(encoding.table)
        most = min(max(256, seq_len), encoding.limits.get("seq_len", 4096))
        lengths = np.unique(np.geomspace(2, max(most, 2), POINTS).round().astype(int))
        texts = [encoding.at(seq_len=int(length)) for length in lengths]
        largest = np.array([np.abs(text.table).max() for text in texts])
        steps = np.array([np.median(text.steps) for text in texts])
        return {"lengths": lengths, "largest": largest, "steps": steps, "seq_len": seq_len}

    def build(self, ax):
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.xaxis.set_major_formatter(style.plain)
        ax.yaxis.set_major_formatter(style.plain)
        ax.grid(True)
        ax.set_title("As the text grows")
        ax.set_xlabel("number of positions")
        self.now = ax.axvline(1, color=style.QUERY, lw=1.6)
        (self.large,) = ax.plot([], [], color=style.CURVE, marker="o", ms=4)
        (self.step,) = ax.plot([], [], color=style.OTHER, marker="s", ms=4, ls="--")
        self.names = [
            ax.text(0, 0, "largest number", **style.name(color=style.CURVE, ha="right")),
            ax.text(0, 0, "one step", **style.name(color=style.OTHER, ha="right")),
        ]
        return [self.now, self.large, self.step, *self.names]

    def axes_state(self, lengths, largest, steps, seq_len):
        seen = np.concatenate([largest, steps])
        seen = seen[seen > 0] if (seen > 0).any() else np.ones(1)
        decades = np.floor(np.log10(seen.min()) + 1e-9), np.ceil(np.log10(seen.max()) + 0.15)
        return int(lengths[-1]), *map(float, decades)

    def set_axes(self, most, low, high):
        self.ax.set_xlim(1.8, most * 1.1)
        self.ax.set_ylim(10**low, 10**high)

    def set_data(self, lengths, largest, steps, seq_len):
        self.now.set_xdata([seq_len, seq_len])
        for curve, name, values in zip((self.large, self.step), self.names, (largest, steps), strict=True):
            shown = values > 0
            curve.set_data(lengths[shown], values[shown])
            name.set_visible(shown.any())
            above = values[-1] >= (steps if values is largest else largest)[-1]
            name.set_position((lengths[-1], (1.15 if above else 0.87) * values[-1]))
            name.set_va("bottom" if above else "top")

    def describe(self, lengths, largest, steps, seq_len):
        return (
            f"From {lengths[0]} to {lengths[-1]} positions: largest number from {style.number(largest[0])} to "
            f"{style.number(largest[-1])}, one step from {style.number(steps[0])} to {style.number(steps[-1])} "
            f"(the text has {seq_len})."
        )
