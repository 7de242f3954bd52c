"""One position against all: the score of a query with every key."""

import math

import numpy as np
from matplotlib.ticker import MaxNLocator

from posenc_lib.views import style
from posenc_lib.views.view import QUERY, View


class DotProductCurve(View):
    """Draw the score of one position with each; data: scores (seq_len,), query, what they are, low (at least shown)."""

    name = "dot_product"
    needs = ("dot_product",)
    ignores = frozenset({"layout"})
    weight = 1.2
    parameters = (QUERY,)

    @staticmethod
    def inputs(encoding, values):
        scores = encoding.dot_product(values["query"])
        told = {"query": values["query"], "what": encoding.scores_are, "low": values.get("low", 0.0)}
        return {"scores": scores} | told

    def build(self, ax):
        ax.grid(True, axis="y")
        ax.axhline(0, color=style.LINE, lw=1)
        ax.set_xlabel("position of the key")
        ax.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        ax.yaxis.set_major_locator(MaxNLocator(4))
        self.asked = ax.axvline(0, color=style.QUERY, lw=1.6)
        (self.curve,) = ax.plot([], [], color=style.CURVE, marker="o")
        return [self.asked, self.curve]

    def axes_state(self, scores, query, what="dot products", low=0.0):
        high = style.tight_bound(np.abs(scores).max(initial=0))
        eighths = math.floor(8 * scores.min(initial=low) / high + 1e-9)  # few steps: the axis seldom jumps
        return len(scores), eighths * high / 8, high, what

    def set_axes(self, seq_len, low, high, what):
        self.ax.set_title(f"{what.capitalize()} of the query")
        margin = 0.06 * (high - low)
        self.ax.set_xlim(-0.5, max(seq_len - 0.5, 0.5))
        self.ax.set_ylim(low - margin if low else 0, high + margin)
        self.curve.set_markersize(5 if seq_len <= 48 else 0)

    def set_data(self, scores, query, what="dot products", low=0.0):
        self.curve.set_data(np.arange(len(scores)), scores)
        self.asked.set_xdata([query, query])

    def describe(self, scores, query, what="dot products", low=0.0):
        text = f"{what.capitalize()} of position {query}: {style.number(scores[query])} with itself"
        if query + 1 < len(scores):
            text += f", {style.number(scores[query + 1])} with position {query + 1}"
        low = style.lowest(scores)
        return text + f", lowest {style.number(scores[low])} with position {low}."
