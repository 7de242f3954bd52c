"""Attention: who looks at whom, what comes out, and where one position looks."""

import itertools

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.attention import attention
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.images import ImageView
from posenc_lib.views.old_points import write
from posenc_lib.views.style import number
from posenc_lib.views.view import CAUSAL, QUERY, CurveView, over

TOKENS = toy_data.SENTENCE
ORDERS = list(itertools.permutations(range(len(TOKENS))))
NAMES = tuple(" ".join(TOKENS[k] for k in order) for order in ORDERS)
ORDER = Parameter("order", "in which order the words stand", 0, 0, len(NAMES) - 1, most=len(NAMES) - 1, names=NAMES)
WORDS = Parameter("words", "what stands at the positions", "alike", options=("alike", "different"))
BOUND = 1.5  # most of what comes out lies within; on one scale pictures can be compared
WRITTEN = 6  # dims, at most, whose numbers have room in their cells
SAME = 1e-9  # more than rounding moves a number
SQUARE = 0.46 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)])


class _Reordered(ImageView):
    """Attention over a few tokens whose order you change; what differs from the first order is framed."""

    needs, ignores = ("attend", "query_and_key"), ("content", "max_distance")
    most_positions = len(TOKENS)
    left = 0.9
    parameters = (ORDER, CAUSAL)

    def tokens(self, encoding, number: int) -> list[int]:
        """Return the tokens of an order, counted as in the first one; where there is room for two, it has two."""
        return [token for token in ORDERS[number] if token < encoding.seq_len]

    def attended(self, encoding, number: int, causal: bool) -> tuple[np.ndarray, np.ndarray]:
        """Return attention's (output, weights) for an order, its rows and columns put back into the first one."""
        order = self.tokens(encoding, number)
        outputs, weights = encoding.attend(toy_data.sentence(encoding.num_dims)[order], causal=causal)
        back = np.argsort(order)
        return outputs[back], weights[back][:, back]

    def build(self, ax):
        image, rim = super().build(ax), [withStroke(linewidth=3.6, foreground=style.PAPER)]
        look = {"colors": style.QUERY, "linewidths": 2, "path_effects": rim, "zorder": 2}
        self.frames = ax.add_collection(LineCollection([], **look))
        most = (len(TOKENS) + 1) * WRITTEN
        self.cells = [ax.text(0, 0, "", ha="center", va="center", fontsize=11) for _ in range(most)]
        return [*image, self.frames, *self.cells]

    def tell(self, grid: np.ndarray, changed: np.ndarray, clim: tuple, **ticks) -> None:
        """Colour a grid, frame what has changed and, where there is room, write the numbers; a token is a tile."""
        if self.color(grid, clim, **ticks):
            for name in ("x", "y"):
                for label in getattr(self.ax, f"get_{name}ticklabels")() if f"{name}ticks" in ticks else ():
                    _tile(label)
        self.frames.set_segments([SQUARE + cell[::-1] for cell in np.argwhere(changed)])
        cells = zip(*np.nonzero(grid), strict=True) if grid.shape[1] <= WRITTEN else ()  # what is masked stays empty
        write(self.cells, {cell: f"{grid[cell]:.2f}".replace("-", "−") for cell in cells}, self.image.carry)


class AttentionWeights(_Reordered, name="attention_weights"):
    """Colour attention's weights.

    Data: weights (queries, keys); sentence (the tokens in their order); changed, of the shape of weights: whether this
    token gave that one another weight in the first order.
    """

    pointer = ("column", "row")
    square = True
    title = "Row looks at column"
    from_zero = staticmethod(style.from_zero)

    def inputs(self, encoding, values):
        order = self.tokens(encoding, values["order"])
        first, now = (self.attended(encoding, k, values["causal"])[1] for k in (0, values["order"]))
        changed = np.abs(now - first) > SAME  # also where the mask has taken a weight away
        grids = {"weights": now[order][:, order], "changed": changed[order][:, order]}
        return grids | {"sentence": tuple(TOKENS[k] for k in order)}

    def show(self, weights, sentence, changed):
        places = range(len(sentence))
        ticks = {"xticks": places, "xticklabels": sentence, "yticks": places, "yticklabels": sentence}
        self.tell(weights, changed, (0.0, 1.0), **ticks)
        self.sentence = sentence
        tops = zip(sentence, weights.argmax(axis=1), strict=True)
        told = ", ".join(f"{token} looks most at {sentence[top]}" for token, top in tops)
        return f"“{' '.join(sentence)}”: {told}; {_differ(changed, 'weights')}."

    def value_at(self, x, y):
        who, whom = (self.sentence[min(max(round(at), 0), len(self.sentence) - 1)] for at in (y, x))
        return f"{who} looks at {whom}, {super().value_at(x, y) or 'masked'}"


class Outputs(_Reordered, name="outputs"):
    """Colour what comes out for each token, and their mean.

    Data: outputs (tokens, d), always in the first order; first, what they are there; largest, of all numbers that any
    order gives, so that colours can be compared.
    """

    pointer = ("dim", None)
    title, x_label = "What comes out", "dim"

    def inputs(self, encoding, values):
        every = [self.attended(encoding, k, values["causal"])[0] for k in range(len(ORDERS))]
        largest = float(np.abs(every).max())
        return {"outputs": every[values["order"]], "first": every[0], "largest": largest}

    def show(self, outputs, first, largest):
        rows, before = (np.vstack([x, x.mean(axis=0)]) for x in (outputs, first))
        tokens, bound = TOKENS[: len(outputs)], max(BOUND, style.tight_bound(largest))
        changed = np.abs(rows - before) > SAME
        self.tell(rows, changed, (-bound, bound), yticks=range(len(rows)), yticklabels=(*tokens, "mean"))
        begins = zip((*tokens, "the mean"), rows[:, :2], strict=True)
        told = "; ".join(f"{name} begins {', '.join(map(number, row))}" for name, row in begins)
        return f"What comes out: {told}; {_differ(changed, 'numbers')}."


def _differ(changed: np.ndarray, what: str) -> str:
    return f"{changed.sum()} of {changed.size} {what} differ from those of the first order"


def _tile(label) -> None:
    """Give a tick label the colours of its token; what is no token has none."""
    token = label.get_text() in TOKENS
    color = (style.CURVE, style.OTHER, style.THIRD)[TOKENS.index(label.get_text())] if token else style.SOFT
    label.set_bbox({"boxstyle": "round,pad=0.3", "fc": color, "ec": "none"} if token else None)
    label.set(color=style.readable_on(color) if token else color, fontweight="bold" if token else "normal")


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

    @classmethod
    def quantity(cls, encoding):
        return cls.name, "attention"  # of any scores

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
