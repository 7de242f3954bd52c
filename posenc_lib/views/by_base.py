"""What the base decides: how long the waves are, and how far dot products reach."""

import numpy as np
from matplotlib.ticker import MaxNLocator, MultipleLocator

from posenc_lib.views import style
from posenc_lib.views.view import View

BASES = (100.0, 10_000.0, 1_000_000.0)  # drawn beside the base in use
DASHES = (":", "--", "-.")


class _ByBase(View):
    """A thin line for each of three bases, a thick one for the base in use; data: curves by base, base, and more."""

    needs = ("shift", "base")
    ignores = frozenset({"content", "layout", "pairing"})
    weight = 1.2
    corner = "upper right"  # where no line runs

    @staticmethod
    def of_base(encoding) -> np.ndarray:
        """Return what is drawn for one base."""
        raise NotImplementedError

    @classmethod
    def inputs(cls, encoding, values):
        base = encoding.base
        curves = {b: cls.of_base(encoding.at(base=b)) for b in (*BASES, base)}
        return {"curves": curves, "base": base, "seq_len": len(encoding.table)}

    def build(self, ax):
        ax.grid(True, axis="y")
        ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        self.others = [ax.plot([], [], color=style.OTHER, lw=1.4, ls=dashes)[0] for dashes in DASHES]
        (self.chosen,) = ax.plot([], [], color=style.CURVE, lw=2.4)
        return [*self.others, self.chosen]

    def set_names(self, base: float, points: int) -> None:
        """Say which line belongs to which base; a line of one point is a dot."""
        for line in (*self.others, self.chosen):
            line.set_marker("o" if points == 1 else "")
        for line, b in zip(self.others, BASES, strict=True):
            line.set_visible(b != base)
        named = [*((line, b) for line, b in zip(self.others, BASES, strict=True) if b != base), (self.chosen, base)]
        named.sort(key=lambda pair: pair[1])
        lines, names = zip(*((line, f"base {style.plain(b)}") for line, b in named), strict=True)
        self.ax.legend(lines, names, loc=self.corner, fontsize=9, handlelength=2.4)

    def set_data(self, curves, base, seq_len):
        for line, b in zip([*self.others, self.chosen], (*BASES, base), strict=True):
            line.set_data(np.arange(len(curves[b])), curves[b])


class WavelengthsByBase(_ByBase):
    """Draw how long each pair's wave is, in positions, beside the length of the text."""

    name = "wavelengths_by_base"
    left = 1.12  # 10,000,000
    corner = "upper left"

    @staticmethod
    def of_base(encoding):
        return 2 * np.pi / encoding.frequencies

    def build(self, ax):
        artists = super().build(ax)
        ax.set_title("Positions per turn")
        ax.set_xlabel("pair")
        ax.set_yscale("log")
        ax.yaxis.set_major_formatter(style.plain)
        self.end = ax.axhline(1, color=style.QUERY, lw=1.6)
        self.name_it = ax.text(0, 0, "", color=style.QUERY, va="bottom", fontweight="bold")
        return [*artists, self.end, self.name_it]

    def axes_state(self, curves, base, seq_len):
        return len(curves[base]), int(np.ceil(np.log10(max(seq_len, *map(np.max, curves.values()))) + 0.3)), base

    def set_axes(self, pairs, decades, base):
        self.ax.set_xlim(-0.02 * pairs, max(1.02 * (pairs - 1), 0.5))
        self.ax.set_ylim(1, 10.0**decades)
        self.set_names(base, pairs)

    def set_data(self, curves, base, seq_len):
        super().set_data(curves, base, seq_len)
        self.end.set_ydata([seq_len, seq_len])
        self.name_it.set_text(f"the text: {seq_len}")
        self.name_it.set_position((0, 1.05 * seq_len))

    def describe(self, curves, base, seq_len):
        told = [f"{style.number(curves[b].max())} at base {style.plain(b)}" for b in sorted({*BASES, base})]
        return f"Longest wave, in positions: {', '.join(told)}; the text has {seq_len}."


class KernelByBase(_ByBase):
    """Draw the dot product of two positions against how far apart they are; 1 is a position with itself."""

    name = "kernel_by_base"

    @staticmethod
    def of_base(encoding):
        return encoding.kernel

    def build(self, ax):
        artists = super().build(ax)
        ax.axhline(0, color=style.LINE, lw=1)
        ax.set_title("Reach of dot products")
        ax.set_xlabel("how many positions apart")
        ax.set_ylabel("dot product ÷ its largest")
        ax.yaxis.set_major_locator(MultipleLocator(0.5))
        return artists

    def axes_state(self, curves, base, seq_len):
        return seq_len, np.floor(8 * min(map(np.min, curves.values()))) / 8, base

    def set_axes(self, seq_len, low, base):
        self.ax.set_xlim(-0.01 * seq_len, max(seq_len - 1, 1))
        self.ax.set_ylim(low - 0.05, 1.05)
        self.set_names(base, seq_len)

    def describe(self, curves, base, seq_len):
        told = [f"{_first_below(curves[b])} at base {style.plain(b)}" for b in sorted({*BASES, base})]
        return f"Dot products fall below zero first at this distance: {', '.join(told)} (tried up to {seq_len - 1})."


def _first_below(curve: np.ndarray) -> str:
    below = np.flatnonzero(curve < 0)
    return str(below[0]) if len(below) else "none"
