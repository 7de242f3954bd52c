"""Waves: each dim as a curve, as the hand of a clock, by its length, and by the base that decides the lengths."""

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.ticker import MultipleLocator

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.style import number
from posenc_lib.views.view import QUERY, CurveView, View, over

HEIGHT = 0.8  # of a wave, in distances from one to the next
SMOOTH = 2048  # points of a curve, at most
DOTS = 48  # positions: more dots than this would hide their curve
LENGTHS = (1.0, 0.78, 0.56)  # the fast hand is long and thin, the slow one short and thick
WIDTHS = (1.8, 3.0, 5.0)
BASES = (100.0, 10_000.0, 1_000_000.0)  # drawn beside the base in use
DASHES = (":", "--", "-.")


class Waves(View, name="waves"):
    """Draw the first dims against the position, fast ones on top.

    Data: table (seq_len, d); between, the pair (positions, table) from one position to the next; num_waves;
    query or None.
    """

    pointer = ("position", None)
    weight = 1.25
    title, x_label = "Each dim as a wave", "position"
    x_ticks = 5
    query_line = "x"
    parameters = (Parameter("num_waves", "how many of the first dims are drawn", 3, 1, 12, least=1, most=64),)

    def inputs(self, encoding, values):
        points = min(max(SMOOTH // len(encoding.table), 1), 32)
        data = {"table": encoding.table, "between": encoding.between(points)}
        return data | {"num_waves": values["num_waves"], "query": values.get("query")}

    def build(self, ax):
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        self.asked.set_zorder(2.5)  # over the curves
        self.zeros = ax.add_collection(LineCollection([], colors=style.GHOST, linewidths=0.8))
        self.curves = ax.add_collection(LineCollection([], colors=style.CURVE, linewidths=1.8))
        self.dots = ax.scatter([], [], s=16, color=style.CURVE, zorder=3)
        return [self.curves, self.dots]

    def show(self, table, between, num_waves, query=None):
        shown = table[:, :num_waves]
        num_waves = shown.shape[1]
        self.bound, self.signed = style.nice_bound(np.abs(shown).max(initial=0)), bool(shown.min() < 0)
        names = [f"dim {k}" for k in range(num_waves)]
        ticks = {"yticks": range(0, -num_waves, -1), "yticklabels": names}
        if self.axes(xlim=over(len(table)), ylim=(-num_waves + 0.4, 0.6), **ticks, _signed=self.signed):
            self.zeros.set_segments(self._waves(np.array([-0.5, len(table)]), np.zeros((2, num_waves))))
        at, fine = between
        self.curves.set_segments(self._waves(at, fine[:, :num_waves]))
        self.dots.set_visible(len(table) <= DOTS)
        if len(table) <= DOTS:
            self.dots.set_offsets(np.concatenate(self._waves(np.arange(len(table)), shown)))
        self.ask(query)
        here = "" if query is None else f" At position {query}: {', '.join(map(number, shown[query]))}."
        return f"{_turns(table, shown)}.{here}"

    def _waves(self, at: np.ndarray, values: np.ndarray) -> list[np.ndarray]:
        """Return the points of each wave on the page: each column around a line of its own."""
        part = values / self.bound
        lifted = -np.arange(values.shape[1]) + HEIGHT * (part / 2 if self.signed else part - 0.5)
        return [np.stack([at, wave], axis=1) for wave in lifted.T]


def _turns(table: np.ndarray, shown: np.ndarray) -> str:
    """Say how often each wave turns, or flips where there are no numbers but whole ones."""
    moves = np.diff(shown, axis=0)
    if np.mod(table, 1).any():
        event, counts = "Turning points", np.count_nonzero(np.diff(np.sign(moves), axis=0), axis=0)
    else:
        event, counts = "Flips", (np.abs(moves) > 0.5 * np.abs(shown).max(initial=1e-12)).sum(axis=0)
    return f"{event}: " + ", ".join(f"{count} in dim {k}" for k, count in enumerate(counts))


class Clock(View, name="clock"):
    """Draw three waves as hands that start at twelve; data: frequencies (n,), in radians, position, called."""

    needs, ignores = ("frequencies",), ("content", "layout", "pairing", "seq_len")
    title = "The clock"
    square = True
    parameters = (QUERY,)

    def inputs(self, encoding, values):
        return {"frequencies": encoding.frequencies, "position": values["query"], "called": encoding.wave}

    def build(self, ax):
        ax.set(xlim=(-1.3, 1.3), ylim=(-1.3, 1.3))
        ax.axis("off")
        turn = np.linspace(0, 2 * np.pi, 121)
        ax.plot(np.sin(turn), np.cos(turn), color=style.LINE, lw=1.5)
        for mark in turn[10::10]:
            ax.plot(*np.outer([np.sin(mark), np.cos(mark)], [0.94, 1]), color=style.LINE, lw=1.5)
        ax.plot(0, 0, "o", color=style.INK, ms=7, zorder=4)
        colors = (style.CURVE, style.OTHER, style.INK)
        looks = zip(WIDTHS, colors, strict=True)
        self.hands = [ax.plot([], [], color=c, lw=w, solid_capstyle="round", zorder=3)[0] for w, c in looks]
        self.names = [ax.text(0, 0, "", **style.name(color=color, zorder=5)) for color in colors]
        return [*self.hands[::-1], *self.names]

    def show(self, frequencies, position, called):
        self.axes()
        shown = sorted({0, len(frequencies) // 2, len(frequencies) - 1})
        for part in (*self.hands[len(shown) :], *self.names[len(shown) :]):
            part.set_visible(False)
        told = []
        for k, wave in enumerate(shown):
            angle = position * frequencies[wave]
            self._turn(k, angle, f"{called} {wave}")
            turns, length = number(angle / (2 * np.pi)), number(2 * np.pi / frequencies[wave])
            told.append(f"{called} {wave} has made {turns} turns (one takes {length} positions)")
        return f"Clock at position {position}: {'; '.join(told)}."

    def _turn(self, k: int, angle: float, name: str) -> None:
        """Let a hand point somewhere, its name beyond the tip."""
        tip = LENGTHS[k] * np.array([np.sin(angle), np.cos(angle)])  # angle 0 points up
        self.hands[k].set(data=([0, tip[0]], [0, tip[1]]), visible=True)
        x, y = np.round(tip / LENGTHS[k]).astype(int) + 1
        sides = {"ha": ("right", "center", "left")[x], "va": ("top", "center", "bottom")[y]}
        self.names[k].set(text=name, position=tip * (1 + 0.06 / LENGTHS[k]), visible=True, **sides)


class Wavelengths(CurveView, name="wavelengths"):
    """Draw wavelengths, hollow those beyond the sequence; data: frequencies (n,), seq_len, called (dim or pair)."""

    needs, ignores = ("frequencies",), ("content", "layout", "pairing")
    pointer = ("pair", None)
    title = "Length of each wave"
    left = 1.02  # 10,000,000
    x_ticks, log = 5, "y"
    query_line = "y"  # at the length of the sequence

    def inputs(self, encoding, values):
        return {"frequencies": encoding.frequencies, "seq_len": len(encoding.table), "called": encoding.wave}

    def build(self, ax):
        self.name_it = ax.text(0, 0, "", color=style.QUERY, **style.name(va="bottom", ha="right"))
        (self.inside,) = ax.plot([], [], "o", color=style.CURVE, ms=6)
        (self.beyond,) = ax.plot([], [], "o", mfc=style.PAPER, mec=style.CURVE, mew=1.6, ms=6)
        return [self.name_it, self.inside, self.beyond]

    def show(self, frequencies, seq_len, called):
        lengths, waves = 2 * np.pi / frequencies, np.arange(len(frequencies))
        low = 10.0 ** np.floor(np.log10(min(lengths.min(), seq_len)))
        high = 10.0 ** np.ceil(np.log10(max(lengths.max(), seq_len)) + 0.05)
        self.axes(xlim=(-0.6, max(len(waves) - 0.4, 0.6)), ylim=(low, high), xlabel=called)
        inside = lengths <= seq_len
        self.inside.set_data(waves[inside], lengths[inside])
        self.beyond.set_data(waves[~inside], lengths[~inside])
        self.ask(seq_len)
        self.name_it.set(text=f"the text: {seq_len}", position=(self.ax.get_xlim()[1], 1.05 * seq_len))
        text = f"Wavelengths: from {number(lengths.min())} to {number(lengths.max())} positions"
        return f"{text}; {inside.sum()} of {len(lengths)} waves turn at least once within {seq_len} positions."


class _ByBase(CurveView):
    """A thin line for each of three bases, a thick one for the base in use; data: curves by base, base, seq_len.

    A subclass gives of_base(encoding), which returns the curve of one base.
    """

    needs, ignores = ("shift", "base"), ("content", "layout", "pairing")
    x_ticks = 5
    corner = "upper right"  # where no line runs

    def inputs(self, encoding, values):
        base = encoding.base
        curves = {b: self.of_base(encoding.at(base=b)) for b in (*BASES, base)}
        return {"curves": curves, "base": base, "seq_len": len(encoding.table)}

    def build(self, ax):
        self.others = [ax.plot([], [], color=style.OTHER, lw=1.4, ls=dashes)[0] for dashes in DASHES]
        (self.chosen,) = ax.plot([], [], color=style.CURVE, lw=2.4)
        return [*self.others, self.chosen]

    def move(self, curves, base, say, **state) -> str:
        """Move lines and axes; return what say tells of each curve, from the lowest base to the highest."""
        for line, b in zip((*self.others, self.chosen), (*BASES, base), strict=True):
            line.set_data(range(len(curves[b])), curves[b])
        marker = "o" if len(curves[base]) == 1 else ""  # a line of one point is a dot
        if self.axes(**state, _lines=(base, marker)):
            self._name_lines(base, marker)
        return ", ".join(f"{say(curves[b])} at base {style.plain(b)}" for b in sorted({*BASES, base}))

    def _name_lines(self, base: float, marker: str) -> None:
        """Say which line belongs to which base; a line of the base in use is hidden by the thick one."""
        lines = dict(zip(BASES, self.others, strict=True)) | {base: self.chosen}
        for line in (*self.others, self.chosen):
            line.set_marker(marker)
            line.set_visible(line in lines.values())
        bases = sorted(lines)
        names = [f"base {style.plain(b)}" for b in bases]
        with style.styled():
            self.ax.legend([lines[b] for b in bases], names, loc=self.corner, fontsize=9, handlelength=2.4)


class WavelengthsByBase(_ByBase, name="wavelengths_by_base"):
    """Draw how long each pair's wave is, in positions, beside the length of the sequence."""

    pointer = ("pair", None)
    title, x_label = "Positions per turn", "pair"
    left = 1.12  # 10,000,000
    log = "y"
    query_line = "y"  # at the length of the sequence
    corner = "upper left"

    def of_base(self, encoding):
        return 2 * np.pi / encoding.frequencies

    def build(self, ax):
        self.asked.set_zorder(2.5)  # over the curves
        self.name_it = ax.text(0, 0, "", color=style.QUERY, va="bottom", fontweight="bold")
        return [*super().build(ax), self.name_it]

    def show(self, curves, base, seq_len):
        pairs = len(curves[base])
        decades = np.ceil(np.log10(max(seq_len, *map(np.max, curves.values()))) + 0.3)
        ends = {"xlim": (-0.02 * pairs, max(1.02 * (pairs - 1), 0.5)), "ylim": (1, 10.0**decades)}
        longest = self.move(curves, base, lambda curve: number(curve.max()), **ends)
        self.ask(seq_len)
        self.name_it.set(text=f"the text: {seq_len}", position=(0, 1.05 * seq_len))
        return f"Longest wave, in positions: {longest}; the text has {seq_len}."


class KernelByBase(_ByBase, name="kernel_by_base"):
    """Draw the dot product of two positions against how far apart they are; 1 is a position with itself."""

    needs = (*_ByBase.needs, "query_and_key")
    pointer = ("offset", None)
    title, x_label, y_label = "Reach of dot products", "how many positions apart", "dot product ÷ its largest"

    def of_base(self, encoding):
        return encoding.kernel

    def build(self, ax):
        artists = super().build(ax)
        ax.axhline(0, color=style.LINE, lw=1)  # over the curves in a saved picture
        ax.yaxis.set_major_locator(MultipleLocator(0.5))
        return artists

    def show(self, curves, base, seq_len):
        low = np.floor(8 * min(map(np.min, curves.values()))) / 8 - 0.05
        ends = {"xlim": (-0.01 * seq_len, max(seq_len - 1, 1)), "ylim": (low, 1.05)}
        below = self.move(curves, base, _first_below, **ends)
        return f"Dot products fall below zero first at this distance: {below} (tried up to {seq_len - 1})."


def _first_below(curve: np.ndarray) -> str:
    below = np.flatnonzero(curve < 0)
    return str(below[0]) if len(below) else "none"
