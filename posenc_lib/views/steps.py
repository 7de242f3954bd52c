"""How far it is from each position to the next."""

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.ticker import MaxNLocator

from posenc_lib.views import style
from posenc_lib.views.view import View

BARS = 128  # more would be one block of colour


class Steps(View):
    """Draw the length of every step; data: steps (seq_len − 1,), from each position to the next; bound or None."""

    name = "steps"
    ignores = frozenset({"layout"})
    weight = 1.2

    @staticmethod
    def inputs(encoding, values):
        return {"steps": encoding.steps, "bound": values.get("bound")}

    def build(self, ax):
        ax.grid(True, axis="y")
        ax.set_title("Length of each step")
        ax.set_xlabel("from position")
        ax.set_ylabel("distance")
        ax.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        ax.yaxis.set_major_locator(MaxNLocator(4))
        self.bars = ax.add_collection(LineCollection([], colors=style.CURVE))
        (self.curve,) = ax.plot([], [], color=style.CURVE, lw=1)
        self.longest = ax.add_collection(LineCollection([], colors=style.QUERY))
        self.name_it = ax.text(0, 0, "", color=style.QUERY, ha="center", va="bottom", fontsize=10, fontweight="bold")
        return [self.bars, self.curve, self.longest, self.name_it]

    def axes_state(self, steps, bound=None):
        return len(steps), style.nice_bound(max(1.1 * steps.max(initial=0), bound or 0))

    def set_axes(self, number, high):
        self.ax.set_xlim(-0.5, max(number - 0.5, 0.5))
        self.ax.set_ylim(0, high)
        inches = self.ax.bbox.width / self.ax.figure.dpi
        width = min(max(0.7 * 72 * inches / max(number, 1), 1), 14)  # in points: bars touch only when they must
        self.bars.set_linewidth(width)
        self.longest.set_linewidth(width)
        self.bars.set_visible(number <= BARS)

    def set_data(self, steps, bound=None):
        where = np.arange(len(steps))
        bars = np.stack([np.stack([where, 0 * where], 1), np.stack([where, steps], 1)], axis=1)
        jumps = _jumps(steps)
        self.bars.set_segments(bars[~jumps] if len(steps) <= BARS else [])
        self.curve.set_data(*((where, steps) if len(steps) > BARS else ([], [])))
        self.longest.set_segments(bars[jumps])
        self.name_it.set_visible(jumps.any())
        if jumps.any():
            first = int(np.argmax(jumps))
            edge = 0.12 * len(steps)
            self.name_it.set_text(f"{first} → {first + 1}")
            self.name_it.set_position((min(max(first, edge - 0.5), len(steps) - 0.5 - edge), steps[first]))

    def describe(self, steps, bound=None):
        if len(steps) == 0:
            return "Steps: one position, no step."
        low, high = style.number(steps.min()), style.number(steps.max())
        if not _jumps(steps).any():
            return f"Steps: {low} long." if low == high else f"Steps: between {low} and {high} long."
        first = int(np.argmax(_jumps(steps)))
        return (
            f"Steps: from {low} to {high} long, {style.number(steps.mean())} on average; "
            f"the longest, in orange, from position {first} to {first + 1}."
        )


def _jumps(steps: np.ndarray) -> np.ndarray:
    """Return which steps are the longest, where they are clearly longer than others."""
    if len(steps) == 0 or steps.max() < 1.1 * steps.min() + 1e-12:
        return np.zeros(len(steps), bool)
    return steps > steps.max() - 1e-9
