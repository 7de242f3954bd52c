"""What the heads of a bias add to the scores, and how far each of them reaches."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from posenc_lib.encodings.attention import softmax
from posenc_lib.encodings.parameter import MOST_HEADS
from posenc_lib.views import style
from posenc_lib.views.view import QUERY, View

LOWEST = -10.0  # what loses more than this gets next to no attention: e^-10 is 0.00005
TOLD = 16  # heads whose reach is written beside each bar; of more only the chosen one's
SHARE = 0.9 - 1e-12  # of the attention lies within a head's reach; rounding must not ask for one key more


class HeadBiases(View):
    """Draw the bias of every head for one query; data: biases (num_heads, seq_len), head (that stands out), query."""

    name = "head_biases"
    needs = ("biases",)
    weight = 1.2
    parameters = (QUERY,)

    @staticmethod
    def inputs(encoding, values):
        query = values["query"]
        return {"biases": encoding.biases(np.arange(encoding.seq_len) - query), "head": encoding.head, "query": query}

    def build(self, ax):
        ax.grid(True, axis="y")
        ax.set_title("What each head adds")
        ax.set_xlabel("position of the key")
        ax.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        ax.yaxis.set_major_locator(MaxNLocator(5))
        self.asked = ax.axvline(0, color=style.QUERY, lw=1.6)
        self.others = [ax.plot([], [], color=style.LINE, lw=1, alpha=0.7)[0] for _ in range(MOST_HEADS)]
        (self.chosen,) = ax.plot([], [], color=style.CURVE, lw=3, zorder=3)
        return [self.asked, *self.others, self.chosen]

    def axes_state(self, biases, head, query):
        low, high = np.clip([biases.min(), biases.max()], LOWEST, None)
        cut = bool(biases.min() < LOWEST)
        return (
            biases.shape[1],
            cut,
            -style.nice_bound(-low) if low < 0 else 0.0,
            style.nice_bound(high) if high > 0 else 0.0,
        )

    def set_axes(self, seq_len, cut, low, high):
        margin = 0.05 * max(high - low, 1e-9)
        self.ax.set_xlim(-0.5, max(seq_len - 0.5, 0.5))
        self.ax.set_ylim(low - margin, high + margin)
        self.ax.set_ylabel("bias, cut at −10" if cut else "bias")

    def set_data(self, biases, head, query):
        keys = np.arange(biases.shape[1])
        for k, line in enumerate(self.others):
            line.set_data(*((keys, biases[k]) if k < len(biases) else ([], [])))
        self.chosen.set_data(keys, biases[head])
        self.asked.set_xdata([query, query])

    def describe(self, biases, head, query):
        far = 0 if query >= biases.shape[1] / 2 else biases.shape[1] - 1
        return (
            f"Biases of {len(biases)} heads for position {query}; head {head} adds {style.number(biases[head, query])} "
            f"to its own key, {style.number(biases[head, far])} to the key at {far}."
        )


class Rulers(View):
    """Draw how many of the nearest keys hold 90 % of a head's attention; data: reach (num_heads,), seq_len, head."""

    name = "attention_span"
    needs = ("biases",)

    @staticmethod
    def inputs(encoding, values):
        seq_len = encoding.seq_len
        return {"reach": reach(encoding.biases(np.arange(1 - seq_len, 1))), "seq_len": seq_len, "head": encoding.head}

    def build(self, ax):
        ax.set_title("Keys that get 90 %")
        ax.set_xlabel("keys, nearest first")
        ax.set_ylabel("head")
        ax.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        self.bars = [ax.plot([], [], color=style.LINE, solid_capstyle="butt")[0] for _ in range(MOST_HEADS)]
        self.numbers = [ax.text(0, 0, "", va="center", fontsize=9.5) for _ in range(TOLD)]
        return [*self.bars, *self.numbers]

    def axes_state(self, reach, seq_len, head):
        return len(reach), seq_len

    def set_axes(self, num_heads, seq_len):
        self.ax.set_xlim(0, 1.22 * seq_len)  # room for the number beside the longest bar
        self.ax.set_ylim(num_heads - 0.4, -0.6)
        self.ax.set_yticks(range(0, num_heads, 1 + num_heads // (TOLD + 1)))
        for bar in self.bars:
            bar.set_linewidth(min(9.0, 110 / num_heads))

    def set_data(self, reach, seq_len, head):
        for k, bar in enumerate(self.bars):
            bar.set_data(*(([0, reach[k]], [k, k]) if k < len(reach) else ([], [])))
            bar.set_color(style.CURVE if k == head else style.LINE)
        told = range(len(reach)) if len(reach) <= TOLD else [head]
        for k, number in enumerate(self.numbers):
            number.set_visible(k < len(told))
            if k < len(told):
                number.set(position=(reach[told[k]] + 0.02 * seq_len, told[k]), text=f"{reach[told[k]]}")
                number.set_fontweight("bold" if told[k] == head else "normal")

    def describe(self, reach, seq_len, head):
        told = ", ".join(map(str, reach))
        return (
            f"If all keys fitted alike, the last of {seq_len} positions would give 90 % of its attention to so many of "
            f"the nearest keys, head by head: {told}; head {head}: {reach[head]}."
        )


def reach(biases: np.ndarray) -> np.ndarray:
    """Return how many of the last keys hold 90 % of the attention, for biases of shape (num_heads, keys)."""
    nearest_first = softmax(biases)[:, ::-1]
    return (np.cumsum(nearest_first, axis=1) < SHARE).sum(axis=1) + 1
