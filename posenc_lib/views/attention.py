"""Attention: who looks at whom, what comes out, and where one position looks."""

import math

import numpy as np
from matplotlib.patches import Rectangle

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.attention import attention
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.points import write
from posenc_lib.views.style import number
from posenc_lib.views.view import CAUSAL, QUERY, CurveView, ImageView, over

MOST = len(toy_data.SENTENCE)
ORDER = Parameter("order", "which order of the words, counted as in a dictionary", 0, 0, math.factorial(MOST) - 1)
WORDS = Parameter("words", "what stands at the positions", "alike", options=("alike", "different"))


class _Reordered(ImageView):
    """Attention over a few tokens whose order you change."""

    needs, ignores = ("attend", "query_and_key"), ("content", "max_distance")
    most_positions = MOST
    left = 0.86
    parameters = (ORDER, CAUSAL)

    @classmethod
    def limits(cls, width, seq_len):
        return {"order": math.factorial(seq_len) - 1}


class AttentionWeights(_Reordered, name="attention_weights"):
    """Colour attention's weights; data: weights (queries, keys), sentence (the tokens in their order)."""

    pointer = ("key", "query")
    square = True
    title, x_label = "Who looks at whom", "looked at"

    def inputs(self, encoding, values):
        order = toy_data.order(values["order"], encoding.seq_len)
        weights = encoding.attend(toy_data.tokens(MOST, encoding.num_dims)[order], causal=values["causal"])[1]
        return {"weights": weights, "sentence": tuple(toy_data.SENTENCE[k] for k in order)}

    def build(self, ax):
        self.cells = [ax.text(0, 0, "", ha="center", va="center", fontsize=11) for _ in range(MOST**2)]
        return [*super().build(ax), *self.cells]

    def show(self, weights, sentence):
        places = range(len(sentence))
        ticks = {"xticks": places, "xticklabels": sentence, "yticks": places, "yticklabels": sentence}
        self.color(weights, (0.0, 1.0), **ticks)
        written = {cell: f"{weights[cell]:.2f}" for cell in np.ndindex(weights.shape)}
        write(self.cells, written, self.image.carry)
        tops = zip(sentence, weights.argmax(axis=1), strict=True)
        told = ", ".join(f"{token} looks most at {sentence[top]}" for token, top in tops)
        return f"“{' '.join(sentence)}”: {told}."


class Outputs(_Reordered, name="outputs"):
    """Colour what comes out for each token, and their mean.

    Data: outputs (tokens, d), always in the first order; largest, of all numbers that any order gives, so that
    colours can be compared.
    """

    pointer = ("dim", None)
    title, x_label = "What comes out", "dim"

    def inputs(self, encoding, values):
        seq_len, chosen = encoding.seq_len, values["order"]
        orders = [toy_data.order(k, seq_len) for k in range(math.factorial(seq_len))]
        x = toy_data.tokens(MOST, encoding.num_dims)
        every = [encoding.attend(x[order], causal=values["causal"])[0] for order in orders]
        return {"outputs": every[chosen][np.argsort(orders[chosen])], "largest": float(np.abs(every).max())}

    def show(self, outputs, largest):
        rows = np.vstack([outputs, outputs.mean(axis=0)])
        tokens = toy_data.SENTENCE[: len(outputs)]
        bound = style.tight_bound(largest)
        self.color(rows, (-bound, bound), yticks=range(len(rows)), yticklabels=(*tokens, "mean"))
        begins = zip((*tokens, "the mean"), rows[:, :2], strict=True)
        told = "; ".join(f"{name} begins {', '.join(map(number, row))}" for name, row in begins)
        return f"What comes out: {told}."


class AttentionRow(CurveView, name="attention_row"):
    """Draw attention's weights from one position.

    Data: weights and plain (without the encoding), each (seq_len,), NaN where the encoding knows no position or the key
    is masked; query; known (how many positions it knows).
    """

    needs, ignores = ("attend",), ("content",)
    pointer = ("key", None)
    title, x_label, y_label = "Where the query looks", "position of the key", "% (grey: no positions)"
    y_ticks, grid = 4, ""
    query_line = "x"
    most_positions = 512
    shows_end = True
    parameters = (QUERY, CAUSAL, WORDS)

    def inputs(self, encoding, values):
        query, causal, seq_len = values["query"], values["causal"], encoding.seq_len
        known = encoding.max_positions
        x = toy_data.tokens(seq_len if values["words"] == "different" else 1, encoding.num_dims)
        x = np.broadcast_to(x, (seq_len, encoding.num_dims))[:known]
        weights, plain = np.full((2, seq_len), np.nan)
        if query < known:
            weights[:known] = encoding.attend(x, causal=causal)[1][query]
            plain[:known] = attention(*encoding.projected(x), causal=causal)[1][query]
        if causal:
            weights[query + 1 :] = plain[query + 1 :] = np.nan  # what is masked is no small number but no number
        return {"weights": weights, "plain": plain, "query": query, "known": known}

    def build(self, ax):
        by_key = ax.get_xaxis_transform()  # keys across, the whole height
        self.unknown = ax.add_patch(Rectangle((0, 0), 0, 1, transform=by_key, fc=style.TINT, ec=style.LINE, hatch="//"))
        (self.plain,) = ax.plot([], [], color=style.GHOST, lw=1.6)
        (self.curve,) = ax.plot([], [], color=style.CURVE)
        self.no_row = ax.text(0, 0.5, "no row", transform=by_key, **style.name(ha="center"))
        return [self.unknown, self.plain, self.curve, self.no_row]

    def show(self, weights, plain, query, known):
        seq_len, missing = len(plain), len(plain) - known
        high = style.nice_bound(100 * np.nanmax(np.stack([weights, plain]), initial=0))
        self.axes(xlim=over(seq_len), ylim=(0, 1.05 * high))
        self.plain.set_data(range(seq_len), 100 * plain)
        self.curve.set_data(range(seq_len), 100 * weights)
        self.ask(query)
        self.unknown.set_bounds(known - 0.5, 0, missing, 1)
        self.unknown.set_visible(missing > 0)
        self.no_row.set_visible(missing > 0)
        self.no_row.set_x(known + (missing - 1) / 2)
        if query >= known:
            return f"Position {query} has no row: the table ends at {known - 1}, and asking for more is an error."
        text = f"Position {query} gives {_percent(weights[query])} of its attention to itself, {_most(weights)}"
        end = f"; no row from {known} on" if missing > 0 else ""
        return f"{text}; without positions {_most(plain)}{end}."


def _most(weights: np.ndarray) -> str:
    top = int(np.nanargmax(weights))
    if np.isfinite(weights).sum() > 1 and np.nanmin(weights) > (1 - 1e-9) * weights[top]:
        return f"to all alike ({_percent(weights[top])})"
    return f"most to {top} ({_percent(weights[top])})"


def _percent(share: float) -> str:
    return f"{number(100 * share)} %"
