"""How long each wave is, beside the length of the text."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from posenc_lib.views import style
from posenc_lib.views.view import View


class Wavelengths(View):
    """Draw the wavelengths; data: frequencies (n,) in radians per position, seq_len, called ("dim" or "pair").

    Full dots turn at least once within the text, hollow ones do not.
    """

    name = "wavelengths"
    needs = ("frequencies",)
    ignores = frozenset({"content", "layout", "pairing"})
    weight = 1.2
    left = 1.02  # 10,000,000

    @staticmethod
    def inputs(encoding, values):
        return {"frequencies": encoding.frequencies, "seq_len": len(encoding.table), "called": encoding.wave}

    def build(self, ax):
        ax.set_yscale("log")
        ax.yaxis.set_major_formatter(style.plain)
        ax.grid(True, axis="y")
        ax.set_title("Length of each wave")
        ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        self.end = ax.axhline(1, color=style.QUERY, lw=1.6)
        self.name_it = ax.text(0, 0, "", color=style.QUERY, **style.name(va="bottom", ha="right"))
        (self.inside,) = ax.plot([], [], "o", color=style.CURVE, ms=6)
        (self.beyond,) = ax.plot([], [], "o", mfc=style.PAPER, mec=style.CURVE, mew=1.6, ms=6)
        return [self.end, self.name_it, self.inside, self.beyond]

    def axes_state(self, frequencies, seq_len, called):
        longest = max(2 * np.pi / frequencies.min(), seq_len)
        shortest = min(2 * np.pi / frequencies.max(), seq_len)
        return called, len(frequencies), int(np.floor(np.log10(shortest))), int(np.ceil(np.log10(longest) + 0.05))

    def set_axes(self, called, number, low, high):
        self.ax.set_xlabel(called)
        self.ax.set_xlim(-0.6, max(number - 0.4, 0.6))
        self.ax.set_ylim(10.0**low, 10.0**high)

    def set_data(self, frequencies, seq_len, called):
        lengths, waves = 2 * np.pi / frequencies, np.arange(len(frequencies))
        inside = lengths <= seq_len
        self.inside.set_data(waves[inside], lengths[inside])
        self.beyond.set_data(waves[~inside], lengths[~inside])
        self.end.set_ydata([seq_len, seq_len])
        self.name_it.set_text(f"the text: {seq_len}")
        self.name_it.set_position((self.ax.get_xlim()[1], 1.05 * seq_len))

    def describe(self, frequencies, seq_len, called):
        lengths = 2 * np.pi / frequencies
        return (
            f"Wavelengths: from {style.number(lengths.min())} to {style.number(lengths.max())} positions; "
            f"{(lengths <= seq_len).sum()} of {len(lengths)} waves turn at least once within {seq_len} positions."
        )
