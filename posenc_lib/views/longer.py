"""Longer texts: offsets counted in groups, and attention that thins out."""

import math
from dataclasses import replace

import numpy as np

from posenc_lib.encodings.attention import softmax
from posenc_lib.encodings.exact_head import exact_head
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.rope_scaling import self_extend_offsets
from posenc_lib.views import style
from posenc_lib.views.all_pairs import masked
from posenc_lib.views.beyond import LOOK_BACK, TIMES, legend, share
from posenc_lib.views.images import PairView
from posenc_lib.views.style import number
from posenc_lib.views.view import CurveView

GROUP = Parameter("group_size", "how many positions share a number beyond the window", 4, 1, 16, least=1)
WINDOW = Parameter("window", "below which distance offsets stay exact", 16, 1, 512, least=1)
LONGEST = 256  # times the length of the fit
SHARPEN = ("1", "ln T / ln L")
HALVES = 2  # lengths tried from one to its double


class OffsetsUsed(PairView, name="offsets_used"):
    """Colour the offset, query − key, that Self-Extend turns each pair of positions by; later keys are masked.

    Data: used (seq_len, seq_len), trained, group, window.
    """

    needs = ("training_length",)
    ignores = ("head_dim", "base", "pairing", "content", "draw", "rope_type", "factor")
    parameters = (GROUP, WINDOW)
    title = "Offsets (orange: new)"
    most_positions = 1024
    mixes = False

    def inputs(self, encoding, values):
        group, window = values["group_size"], values["window"]
        used = self_extend_offsets(encoding.seq_len, group, window)
        return {"used": used, "trained": encoding.training_length, "group": group, "window": window}

    def color_map(self, low, high):
        return style.SEQUENTIAL.with_extremes(over=style.QUERY)

    def show(self, used, trained, group, window):
        n = len(used)
        grid = masked(used, causal=True)
        most, known = int(used[-1, 0]), trained - 1
        self.color(grid, (0, max(known, 1)))
        told = f"{n:,} positions use offsets up to {most:,}; training on {trained:,} knew those up to {known:,}. "
        told += f"With groups of {group} and a window of {window} a text may have {_reach(trained, group, window):,}. "
        seam = np.nanmin(np.diff(grid, axis=1), initial=0) < -1
        return told + ("At the window there is a seam: offsets are skipped." if seam else "No offset is skipped.")


def _reach(trained: int, group: int, window: int) -> int:
    """Return how many positions a text may have whose first key is still at an offset that training knew."""
    queries = np.arange(group * trained + window)
    first = np.where(queries < window, queries, queries // group + window - window // group)
    return int((first < trained).sum())


class Dilution(CurveView, name="dilution"):
    """Draw the share of attention on the token k back against the length of the text, for the best head of buckets.

    Data: lengths (tried,), plain and sharpened (tried,) shares, at (which of the lengths), back, factor.
    """

    needs = ("buckets",)
    ignores = ("head", "seed", "head_dim", "content")
    parameters = (
        replace(TIMES, high=LONGEST, most=LONGEST),
        replace(LOOK_BACK, default=3),
        Parameter("sharpen", "by what scores are multiplied", SHARPEN[1], options=SHARPEN),
    )
    title, x_label, y_label = "The longer, the thinner", "tokens in the text", "attention on the right token"
    left = 0.72
    log = "x"
    most_positions = 128

    @classmethod
    def limits(cls, width, seq_len):
        return {"look_back": seq_len - 1}

    def inputs(self, encoding, values):
        fitted, back = max(encoding.seq_len, 2), values["look_back"]
        scores = exact_head(encoding, look_back=back, seq_len=fitted, ridge=0.01).score(LONGEST * fitted)
        steps = np.arange(HALVES * LONGEST.bit_length() - HALVES + 1) / HALVES
        lengths = np.rint(fitted * 2**steps).astype(int)
        sharper = np.log(lengths) / math.log(fitted) if values["sharpen"] != "1" else np.ones(len(lengths))
        plain, sharpened = (
            np.array([softmax(scores[:length] * by)[back] for length, by in zip(lengths, each, strict=True)])
            for each in (np.ones(len(lengths)), sharper)
        )
        at = HALVES * (values["times"].bit_length() - 1)
        told = {"at": at, "back": back, "factor": float(sharper[at]), "sharpen": values["sharpen"]}
        return {"lengths": lengths, "plain": plain, "sharpened": sharpened, **told}

    def build(self, ax):
        ax.set_yticks(np.linspace(0, 1, 5))
        (self.before,) = ax.plot([], [], color=style.GHOST, lw=4)
        (self.curve,) = ax.plot([], [], color=style.CURVE)
        (self.dots,) = ax.plot([], [], "o", color=style.QUERY, ms=9, zorder=4)
        lines = {"scores as they are": self.before, f"scores × {SHARPEN[1]}": self.curve}
        self.names = legend(ax, "lower left", lines)
        self.named = [ax.text(0, 0, "", **style.name(color=style.QUERY, ha="center")) for _ in range(2)]
        return [self.before, self.curve, self.dots, *self.named, self.names]

    def show(self, lengths, plain, sharpened, at, back, factor, sharpen):
        ticks = [int(n) for n in lengths[:: 2 * HALVES]]
        ends = {"xlim": (lengths[0] / 1.3, lengths[-1] * 1.3), "ylim": (-0.12, 1.09)}
        if self.axes(**ends, xticks=ticks, xticklabels=[f"{tick:,}" for tick in ticks], _names=sharpen):
            for part in (self.names.get_texts()[1], self.names.legend_handles[1]):
                part.set_visible(sharpen != SHARPEN[0])
        self.before.set_data(lengths[: at + 1], plain[: at + 1])
        self.curve.set_data(lengths[: at + 1], sharpened[: at + 1])
        self.curve.set_visible(sharpen != SHARPEN[0])
        ends = plain[at], sharpened[at]
        self.dots.set_data([lengths[at]] * 2, ends)
        for text, end, up in zip(self.named, ends, (ends[0] < 0.12, True), strict=True):
            place = (lengths[at], end + (0.045 if up else -0.05))
            text.set(text=f"{end:.2f}", position=place, va="bottom" if up else "top")
        self.named[0].set_visible(ends[1] - ends[0] > 0.1)
        told = f"A head fitted on {lengths[0]:,} tokens to look {back} back puts {share(plain[0])} of its attention "
        told += f"there, on {lengths[at]:,} tokens {share(ends[0])}"
        return f"{told}, with scores × {number(factor)} (blue) {share(ends[1])}." if factor != 1 else f"{told}."
