"""The best head of any encoding: how well it finds the token k back on texts longer than those it was fitted on."""

from dataclasses import replace

import numpy as np

from posenc_lib.encodings.exact_head import exact_head, reads_positions
from posenc_lib.views import style
from posenc_lib.views.beyond import LOOK_BACK, share
from posenc_lib.views.view import CurveView

TIMES = (1, 2, 4, 8)  # lengths whose numbers are written, in lengths of the fit
STEPS = 8  # lengths tried from one of these to the next


class BestHead(CurveView, name="best_head"):
    """Draw the attention that the best head of an encoding gives to the token k back, by the length of the text.

    Data: lengths (tried,), shares (tried,) of attention, as far as there are positions, which is end; fitted, the
    first length; back.
    """

    needs = ("seq_len",)
    ignores = ("content", "draw", "head", "layout", "num_heads", "pairing", "seed")
    parameters = (replace(LOOK_BACK, default=3, high=31),)
    title, x_label, y_label = "Best head", "tokens in the text", "attention on the right token"
    pointer = (None, None)
    log = "x"
    most_positions = 64

    @classmethod
    def fits(cls, encoding):
        return reads_positions(encoding) and not (encoding.has("seed") and encoding.has("table"))  # not trained yet

    @classmethod
    def limits(cls, width, seq_len):
        return {"look_back": seq_len - 1}

    def inputs(self, encoding, values):
        fitted, back, scaled = encoding.seq_len, values["look_back"], encoding.has("as_trained")
        head = exact_head(encoding.as_trained if scaled else encoding, look_back=back, seq_len=fitted)
        steps = np.arange(STEPS * (len(TIMES) - 1) + 1) / STEPS
        lengths = np.rint(fitted * 2**steps).astype(int)
        end = encoding.at(seq_len=int(lengths[-1])).max_positions
        lengths = lengths[lengths <= end]
        theta = [encoding.at(seq_len=int(n)).frequencies if scaled else None for n in lengths]
        shares = [head.mass(int(n), inv_freq=t) for n, t in zip(lengths, theta, strict=True)]
        return {"lengths": lengths, "shares": np.array(shares), "fitted": fitted, "back": back, "end": end}

    def build(self, ax):
        ax.set_yticks(np.linspace(0, 1, 5))
        ax.minorticks_off()
        (self.curve,) = ax.plot([], [], color=style.CURVE)
        (self.dots,) = ax.plot([], [], "o", color=style.QUERY, ms=7, zorder=4)
        self.named = [ax.text(0, 0, "", **style.name(color=style.QUERY, ha="center")) for _ in TIMES]
        return [self.curve, self.dots, *self.named]

    def show(self, lengths, shares, fitted, back, end):
        asked = [fitted * by for by in TIMES]
        ticks = {"xticks": asked, "xticklabels": [f"{n:,}" for n in asked]}
        self.axes(xlim=(asked[0] / 1.3, asked[-1] * 1.3), ylim=(-0.12, 1.17), **ticks)
        self.curve.set_data(lengths, shares)
        got = {n: shares[lengths == n][0] for n in asked if n in lengths}
        self.dots.set_data([*got], [*got.values()])
        for text, n in zip(self.named, asked, strict=True):
            text.set_visible(n in got)
            if n in got:
                up = got[n] < 0.9
                place = n, got[n] + (0.05 if up else -0.06)
                text.set(text=f"{got[n]:.2f}", position=place, va="bottom" if up else "top")
        told = ", ".join(f"{share(part)} on {n:,}" for n, part in got.items())
        beyond = "" if end >= asked[-1] else f" It has no position beyond {end:,}."
        return f"The best head for {back} back, fitted on {fitted} tokens, gives the right one {told}.{beyond}"
