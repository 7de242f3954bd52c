"""Lengths: how long each step is, and what a longer sequence does to steps and numbers."""

import numpy as np
from matplotlib.collections import LineCollection

from posenc_lib.views import style
from posenc_lib.views.style import number
from posenc_lib.views.view import CurveView, over

BARS = 128  # more would be one block of colour
POINTS = 12  # lengths of a sequence that are tried


class Steps(CurveView, name="steps"):
    """Draw the length of every step; data: steps (seq_len − 1,), from each position to the next; bound or None."""

    ignores = ("layout",)
    pointer = ("position", None)
    title, x_label, y_label = "Length of each step", "from position", "distance"
    y_ticks = 4

    def inputs(self, encoding, values):
        return {"steps": encoding.steps, "bound": values.get("bound")}

    def build(self, ax):
        self.bars = ax.add_collection(LineCollection([], colors=style.CURVE))
        (self.curve,) = ax.plot([], [], color=style.CURVE, lw=1)
        self.longest = ax.add_collection(LineCollection([], colors=style.QUERY))
        self.name_it = ax.text(0, 0, "", color=style.QUERY, ha="center", va="bottom", fontsize=10, fontweight="bold")
        return [self.bars, self.curve, self.longest, self.name_it]

    def show(self, steps, bound=None):
        count, where = len(steps), np.arange(len(steps))
        self.axes(xlim=over(count), ylim=(0, style.nice_bound(max(1.1 * steps.max(initial=0), bound or 0))))
        longest = _longest(steps)
        bars = np.stack([np.stack([where, 0 * where], 1), np.stack([where, steps], 1)], axis=1)
        self.bars.set_segments(bars[~longest] if count <= BARS else [])
        self.longest.set_segments(bars[longest])
        self.curve.set_data(*((where, steps) if count > BARS else ([], [])))
        inches = self.ax.bbox.width / self.ax.figure.dpi
        width = min(max(0.7 * 72 * inches / max(count, 1), 1), 14)  # in points: bars touch only when they must
        self.bars.set_linewidth(width)
        self.longest.set_linewidth(width)
        self.name_it.set_visible(longest.any())
        if not longest.any():
            return _without_longest(steps)
        first, edge = int(np.argmax(longest)), 0.12 * count
        place = min(max(first, edge - 0.5), count - 0.5 - edge)  # within the axes
        self.name_it.set(text=f"{first} → {first + 1}", position=(place, steps[first]))
        text = f"Steps: from {number(steps.min())} to {number(steps.max())} long, {number(steps.mean())} on average"
        return f"{text}; the longest, in orange, from position {first} to {first + 1}."


def _longest(steps: np.ndarray) -> np.ndarray:
    """Return which steps are the longest, where they are clearly longer than others."""
    if len(steps) == 0 or steps.max() < 1.1 * steps.min() + 1e-12:
        return np.zeros(len(steps), bool)
    return steps > steps.max() - 1e-9


def _without_longest(steps: np.ndarray) -> str:
    """Say how long the steps are where none of them stands out."""
    if len(steps) == 0:
        return "Steps: one position, no step."
    low, high = number(steps.min()), number(steps.max())
    return f"Steps: {low} long." if low == high else f"Steps: between {low} and {high} long."


class AgainstLength(CurveView, name="against_length"):
    """Draw the largest number and the usual step against seq_len; data: lengths, largest, steps (n,), seq_len now."""

    ignores = ("layout",)
    pointer = ("seq_len", None)
    title, x_label = "As the text grows", "number of positions"
    x_ticks, log, grid = 0, "xy", "both"
    query_line = "x"  # at the length of the sequence
    most_positions = 1024

    def inputs(self, encoding, values):
        seq_len = len(encoding.table)
        most = min(max(256, seq_len), encoding.limits.get("seq_len", 4096))
        lengths = np.unique(np.geomspace(2, max(most, 2), POINTS).round().astype(int))
        tried = [encoding.at(seq_len=int(length)) for length in lengths]
        largest = np.array([np.abs(one.table).max() for one in tried])
        steps = np.array([np.median(one.steps) for one in tried])
        return {"lengths": lengths, "largest": largest, "steps": steps, "seq_len": seq_len}

    def build(self, ax):
        (self.large,) = ax.plot([], [], color=style.CURVE, marker="o", ms=4)
        (self.step,) = ax.plot([], [], color=style.OTHER, marker="s", ms=4, ls="--")
        looks = {"largest number": style.CURVE, "one step": style.OTHER}
        self.names = [ax.text(0, 0, name, **style.name(color=color, ha="right")) for name, color in looks.items()]
        return [self.large, self.step, *self.names]

    def show(self, lengths, largest, steps, seq_len):
        seen = np.concatenate([largest, steps])
        seen = seen[seen > 0] if (seen > 0).any() else np.ones(1)
        low, high = np.floor(np.log10(seen.min()) + 1e-9), np.ceil(np.log10(seen.max()) + 0.15)
        self.axes(xlim=(1.8, 1.1 * float(lengths[-1])), ylim=(10.0**low, 10.0**high))
        self.ask(seq_len)
        top = max(largest[-1], steps[-1])
        for curve, name, values in zip((self.large, self.step), self.names, (largest, steps), strict=True):
            shown, above = values > 0, values[-1] == top
            curve.set_data(lengths[shown], values[shown])
            name.set(visible=shown.any(), va="bottom" if above else "top")
            name.set_position((lengths[-1], (1.15 if above else 0.87) * values[-1]))
        return (
            f"From {lengths[0]} to {lengths[-1]} positions: largest number from {number(largest[0])} to "
            f"{number(largest[-1])}, one step from {number(steps[0])} to {number(steps[-1])} "
            f"(the text has {seq_len})."
        )
