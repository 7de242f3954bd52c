"""Lengths: how long each step is, and what a longer sequence does to steps and numbers."""

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.ticker import MaxNLocator

from posenc_lib.views import style
from posenc_lib.views.view import View

BARS = 128  # more would be one block of colour
POINTS = 12  # lengths of a sequence that are tried


class Steps(View):
    """Draw the length of every step; data: steps (seq_len − 1,), from each position to the next; bound or None."""

    name = "steps"
    ignores = frozenset({"layout"})
    pointer = ("position", None)
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

    def show(self, steps, bound=None):
        number, where = len(steps), np.arange(len(steps))
        high = style.nice_bound(max(1.1 * steps.max(initial=0), bound or 0))
        self.axes(xlim=(-0.5, max(number - 0.5, 0.5)), ylim=(0, high))
        longest = _longest(steps)
        bars = np.stack([np.stack([where, 0 * where], 1), np.stack([where, steps], 1)], axis=1)
        self.bars.set_segments(bars[~longest] if number <= BARS else [])
        self.longest.set_segments(bars[longest])
        self.curve.set_data(*((where, steps) if number > BARS else ([], [])))
        inches = self.ax.bbox.width / self.ax.figure.dpi
        width = min(max(0.7 * 72 * inches / max(number, 1), 1), 14)  # in points: bars touch only when they must
        self.bars.set_linewidth(width)
        self.longest.set_linewidth(width)
        self.name_it.set_visible(longest.any())
        if longest.any():
            self._name(int(np.argmax(longest)), steps)
        return _told(steps, longest)

    def _name(self, first: int, steps: np.ndarray) -> None:
        """Write which step is the longest above it, within the axes."""
        edge = 0.12 * len(steps)
        self.name_it.set_text(f"{first} → {first + 1}")
        self.name_it.set_position((min(max(first, edge - 0.5), len(steps) - 0.5 - edge), steps[first]))


def _longest(steps: np.ndarray) -> np.ndarray:
    """Return which steps are the longest, where they are clearly longer than others."""
    if len(steps) == 0 or steps.max() < 1.1 * steps.min() + 1e-12:
        return np.zeros(len(steps), bool)
    return steps > steps.max() - 1e-9


def _told(steps: np.ndarray, longest: np.ndarray) -> str:
    """Say how long the steps are, and which of them stands out."""
    if len(steps) == 0:
        return "Steps: one position, no step."
    low, high = style.number(steps.min()), style.number(steps.max())
    if not longest.any():
        return f"Steps: {low} long." if low == high else f"Steps: between {low} and {high} long."
    first = int(np.argmax(longest))
    return (
        f"Steps: from {low} to {high} long, {style.number(steps.mean())} on average; "
        f"the longest, in orange, from position {first} to {first + 1}."
    )


class AgainstLength(View):
    """Draw the largest number and the usual step against the length of the sequence.

    Data: lengths (n,), largest (n,), steps (n,), seq_len (where the sequence stands now).
    """

    name = "against_length"
    ignores = frozenset({"layout"})
    pointer = ("seq_len", None)
    weight = 1.2
    most_positions = 1024

    @staticmethod
    def inputs(encoding, values):
        seq_len = len(encoding.table)
        most = min(max(256, seq_len), encoding.limits.get("seq_len", 4096))
        lengths = np.unique(np.geomspace(2, max(most, 2), POINTS).round().astype(int))
        tried = [encoding.at(seq_len=int(length)) for length in lengths]
        largest = np.array([np.abs(one.table).max() for one in tried])
        steps = np.array([np.median(one.steps) for one in tried])
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

    def show(self, lengths, largest, steps, seq_len):
        seen = np.concatenate([largest, steps])
        seen = seen[seen > 0] if (seen > 0).any() else np.ones(1)
        low, high = np.floor(np.log10(seen.min()) + 1e-9), np.ceil(np.log10(seen.max()) + 0.15)
        self.axes(xlim=(1.8, 1.1 * float(lengths[-1])), ylim=(10.0**low, 10.0**high))
        self.now.set_xdata([seq_len, seq_len])
        for curve, name, values in zip((self.large, self.step), self.names, (largest, steps), strict=True):
            shown = values > 0
            curve.set_data(lengths[shown], values[shown])
            name.set_visible(shown.any())
            above = values[-1] >= (steps if values is largest else largest)[-1]
            name.set_position((lengths[-1], (1.15 if above else 0.87) * values[-1]))
            name.set_va("bottom" if above else "top")
        return (
            f"From {lengths[0]} to {lengths[-1]} positions: largest number from {style.number(largest[0])} to "
            f"{style.number(largest[-1])}, one step from {style.number(steps[0])} to {style.number(steps[-1])} "
            f"(the text has {seq_len})."
        )
