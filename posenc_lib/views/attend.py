"""Attention over a few words whose order you change: who looks at whom, and what comes out."""

import math

import numpy as np

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.view import CAUSAL, ImageView

MOST = len(toy_data.SENTENCE)
ORDER = Parameter("order", "which order of the words, counted as in a dictionary", 0, 0, math.factorial(MOST) - 1)


class _Attend(ImageView):
    """What both views of attention share."""

    needs = ("attend",)
    ignores = frozenset({"content", "max_distance"})
    most_positions = MOST
    left = 0.86
    parameters = (ORDER, CAUSAL)

    @staticmethod
    def limits(width, seq_len):
        return {"order": math.factorial(seq_len) - 1}

    def set_axes(self, columns, names, low, high):
        self.set_extent(columns, len(names))
        self.set_colors(low, high)
        self.ax.set_yticks(range(len(names)), names)


class Weights(_Attend):
    """Colour attention's weights; data: weights (queries, keys), sentence (the words in their order)."""

    name = "attention_weights"
    square = True
    title, x_label = "Who looks at whom", "looked at"

    @staticmethod
    def inputs(encoding, values):
        order = toy_data.order(values["order"], encoding.seq_len)
        weights = encoding.attend(toy_data.tokens(MOST, encoding.num_dims)[order], causal=values["causal"])[1]
        return {"weights": weights, "sentence": tuple(toy_data.SENTENCE[k] for k in order)}

    def build(self, ax):
        artists = super().build(ax)
        self.cells = [ax.text(0, 0, "", ha="center", va="center", fontsize=11) for _ in range(MOST**2)]
        return [*artists, *self.cells]

    def axes_state(self, weights, sentence):
        return len(sentence), sentence, 0.0, 1.0

    def set_axes(self, columns, names, low, high):
        super().set_axes(columns, names, low, high)
        self.ax.set_xticks(range(columns), names)

    def set_data(self, weights, sentence):
        self.image.set_data(weights)
        for k, text in enumerate(self.cells):
            row, column = divmod(k, weights.shape[1])
            text.set_visible(row < len(weights))
            if row < len(weights):
                text.set(position=(column, row), text=f"{weights[row, column]:.2f}")
                text.set_color(style.readable_on(self.image.to_rgba(weights[row, column])))

    def describe(self, weights, sentence):
        rows = zip(sentence, weights, strict=True)
        top = [f"{word} looks most at {sentence[int(np.argmax(row))]}" for word, row in rows]
        return f"“{' '.join(sentence)}”: {', '.join(top)}."


class Outputs(_Attend):
    """Colour what comes out for each word, and their mean.

    Data: outputs (words, d), always in the first order; largest, of all numbers that any order gives, so that
    colours can be compared.
    """

    name = "outputs"
    title, x_label = "What comes out", "dim"

    @staticmethod
    def inputs(encoding, values):
        number, chosen = encoding.seq_len, values["order"]
        orders = [toy_data.order(k, number) for k in range(math.factorial(number))]
        x = toy_data.tokens(MOST, encoding.num_dims)
        every = [encoding.attend(x[order], causal=values["causal"])[0] for order in orders]
        return {"outputs": every[chosen][np.argsort(orders[chosen])], "largest": float(np.abs(every).max())}

    def axes_state(self, outputs, largest):
        return (
            outputs.shape[1],
            (*toy_data.SENTENCE[: len(outputs)], "mean"),
            -style.tight_bound(largest),
            style.tight_bound(largest),
        )

    def set_data(self, outputs, largest):
        self.image.set_data(np.vstack([outputs, outputs.mean(axis=0)]))

    def describe(self, outputs, largest):
        names = (*toy_data.SENTENCE[: len(outputs)], "the mean")
        rows = zip(names, [*outputs, outputs.mean(axis=0)], strict=True)
        told = [f"{name} begins {', '.join(map(style.number, row[:2]))}" for name, row in rows]
        return f"What comes out: {'; '.join(told)}."
