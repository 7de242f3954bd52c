"""What an encoding does to scores: by the offset, term by term, beside the scores of the tokens, and ported wrongly."""

import math

import numpy as np
from matplotlib.patches import Rectangle

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.attention import softmax
from posenc_lib.views import style
from posenc_lib.views.all_pairs import masked
from posenc_lib.views.images import ImageView
from posenc_lib.views.old_points import write
from posenc_lib.views.old_scores import ScoreByOffset
from posenc_lib.views.relative import TERM, ScoreTerms
from posenc_lib.views.style import number
from posenc_lib.views.view import CAUSAL, QUERY, CurveView

CUT = 4.0  # what is added to a score: e^4 is 55 times the weight, and e^−4 next to none
MOST_SHARE = 40  # % of its attention that a query gives to one key, as far as it is drawn
FARTHEST, TRIED = 20_000, 800  # the last offset, and how many up to it, in equal steps of their logarithm
WRITTEN = 5  # tokens up to which each cell's number is written


class PositionEffect(CurveView, name="position_effect"):
    """Draw what an encoding adds to the scores of one query, against the offset; the same token stands everywhere.

    Data: effect (seq_len,) by key, NaN where the encoding knows no position or the key is masked; query; causal; known
    (how many positions it knows). The axes are the same for every encoding and every query.
    """

    needs, ignores = ("attend",), ("content", "draw")
    pointer = ("offset", None)
    title, x_label = "Added to the scores", "offset: key − query"
    y_label = f"cut at ±{CUT:.0f}"
    zero_line = True
    most_positions = 512
    shows_end = True
    parameters = (QUERY, CAUSAL)

    def inputs(self, encoding, values):
        query, causal, seq_len, known = values["query"], values["causal"], encoding.seq_len, encoding.max_positions
        effect = np.full(seq_len, np.nan)
        if query < known:
            x = np.broadcast_to(toy_data.tokens(1, encoding.num_dims), (known, encoding.num_dims))
            q, k, _ = encoding.projected(x[:1])
            effect[:known] = encoding.logits(x)[query] - q[0] @ k[0] / math.sqrt(len(q[0]))
        effect[query + 1 if causal else seq_len :] = np.nan
        return {"effect": effect, "query": query, "causal": causal, "known": known}

    def build(self, ax):
        whole = ax.get_xaxis_transform()  # offsets across, the whole height
        self.unknown = ax.add_patch(Rectangle((0, 0), 0, 1, transform=whole, fc=style.TINT, ec=style.LINE, hatch="//"))
        (self.curve,) = ax.plot([], [], color=style.CURVE)
        (self.dot,) = ax.plot([], [], "o", color=style.QUERY, ms=8)
        self.no_row = ax.text(0, 0.5, "no row", transform=whole, **style.name(ha="center"))
        return [self.unknown, self.curve, self.dot, self.no_row]

    def show(self, effect, query, causal, known):
        offsets, first = np.arange(len(effect)) - query, 1 - len(effect)
        ends = (first - 0.5, (0.06 * -first if causal else -first) + 0.5)
        self.axes(xlim=ends, ylim=(-1.05 * CUT, 1.05 * CUT), yticks=np.linspace(-CUT, CUT, 5).tolist())
        self.curve.set_data(offsets, effect)
        self.dot.set_data([0], effect[[query]])
        begins = ends[0] if query >= known else known - query - 0.5
        missing = query >= known or (known < len(effect) and not causal)
        self.unknown.set_bounds(begins, 0, max(ends[1] - begins, 0), 1)
        self.unknown.set_visible(missing)
        self.no_row.set_visible(missing)
        self.no_row.set_x((begins + ends[1]) / 2)
        if query >= known:
            return f"Position {query} has no row: the table ends at {known - 1}, and asking for more is an error."
        near = max(query - 1, 0)
        own, *others = (number(each) for each in (effect[query], effect[near], near - query, effect[0], -query))
        told = f"Position {query}: {own} is added to the score of its own key, "
        told += "{} at offset {}, {} at {}".format(*others)
        return f"{told}; no row from {known} on." if missing else f"{told}."


class TermByOffset(ScoreByOffset, name="term_by_offset"):
    """Draw one term of the scores against the offset; data: matrix (queries, keys), bound, of all terms alike."""

    needs, ignores = ScoreTerms.needs, ScoreTerms.ignores
    title = "The same scores by offset"
    parameters = (TERM,)

    def inputs(self, encoding, values):
        terms, term = ScoreTerms.inputs(self, encoding, values).values()
        parts = terms | {"all": sum(terms.values())}
        return {"matrix": parts[term], "bound": max(float(np.abs(part).max()) for part in parts.values())}

    def show(self, matrix, bound):
        self.bound = bound
        return super().show(matrix)

    def _place(self, seq_len, low, high, above):
        super()._place(seq_len, -self.bound, self.bound, above)  # one scale, to compare terms


class BiasAdded(ImageView, name="bias_added"):
    """Colour the scores of some tokens, the bias of one head, and their sum, side by side; later keys are masked.

    Data: scores and bias, each (n, n); head; query; bound, of the colours of all heads.
    """

    needs = ("biases",)
    weight = 2.4
    title, x_label, y_label = "Scores of the words, bias, and their sum", "position of the key", "position of the query"
    most_positions = 32
    parameters = (QUERY,)

    def inputs(self, encoding, values):
        q, k, _ = encoding.projected(toy_data.tokens(encoding.seq_len, encoding.num_dims))
        scores, bias = q @ k.T / math.sqrt(q.shape[1]), encoding.relate(q, k)["bias"]
        largest = np.abs(scores).max() + np.abs(encoding.biases(np.arange(1 - len(q), 1))).max()
        told = {"head": encoding.head, "query": values["query"], "bound": float(largest)}
        return {"scores": scores, "bias": bias} | told

    def build(self, ax):
        self.cells = [ax.text(0, 0, "", ha="center", va="center", fontsize=6.5) for _ in range(3 * WRITTEN**2)]
        name = {"ha": "right", "va": "center", "fontsize": 11, "color": style.INK}
        self.names = [ax.text(0, 0, words, **name) for words in ("q·k / √d", "+  bias", "=  score")]
        self.row = ax.add_patch(Rectangle((0, 0), 0, 1, fill=False, ec=style.QUERY, lw=1.8))
        return [*super().build(ax), self.row, *self.cells, *self.names]

    def show(self, scores, bias, head, query, bound):
        n, between = len(scores), np.full((len(scores), 1), np.nan)
        parts = [masked(part, causal=True) for part in (scores, bias, scores + bias)]
        grid = np.hstack([parts[0], between, parts[1], between, parts[2]])
        bound, starts = style.tight_bound(bound), np.arange(3) * (n + 1)
        keys = sorted({0, n - 1})
        ticks = {"xticks": [start + key for start in starts.tolist() for key in keys], "xticklabels": 3 * keys}
        self.color(grid, (-bound, bound), yticks=keys, **ticks)
        self.row.set_bounds(-0.5, query - 0.5, 3 * n + 2, 1)
        for start, name in zip(starts, self.names, strict=True):
            name.set_position((start + n - 0.6, 0.02 * n - 0.3))
        seen = zip(*np.nonzero(np.isfinite(grid)), strict=True) if n <= WRITTEN else ()
        write(self.cells, {cell: _short(grid[cell]) for cell in seen}, self.image.carry)
        first = [number(part[query, 0]) for part in parts]
        return f"Head {head}, query {query}, key 0: {first[0]} of the words + {first[1]} of the bias = {first[2]}."


class BiasPort(CurveView, name="bias_port"):
    """Draw where one query looks in a head of the formula, and in head 0 of Falcon's order: add the bias, then divide.

    Data: weights (num_heads, keys) of all heads, the keys being those before the query and its own; ported (keys,);
    head, query, seq_len (as far as the axis goes, whatever the query).
    """

    needs = ("biases", "num_heads")
    pointer = ("key", None)
    title, x_label = "Where the query looks", "position of the key"
    y_label = f"% of its attention, cut at {MOST_SHARE}"
    y_ticks, query_line = 4, "x"
    most_positions = 512
    parameters = (QUERY,)

    def inputs(self, encoding, values):
        query = values["query"]
        q, k, _ = encoding.projected(toy_data.tokens(encoding.seq_len, encoding.num_dims))
        scores, biases = k[: query + 1] @ q[query], encoding.biases(np.arange(-query, 1))
        right, ported = scores / math.sqrt(len(q[0])) + biases, (scores + biases[0]) / math.sqrt(len(q[0]))
        place = {"head": encoding.head, "query": query, "seq_len": encoding.seq_len}
        return {"weights": softmax(right), "ported": softmax(ported)} | place

    def build(self, ax):
        (self.ported,) = ax.plot([], [], color=style.THIRD, lw=5, alpha=0.6)
        (self.curve,) = ax.plot([], [], color=style.CURVE, lw=1.8)
        told = {"transform": ax.transAxes, "fontsize": 10, "fontweight": "bold", "va": "top"}
        ax.text(0.03, 0.97, "Falcon's order, head 0", color=style.THIRD, **told)
        self.name = ax.text(0.03, 0.89, "", color=style.CURVE, **told)
        self.apart = ax.text(0.03, 0.8, "", color=style.INK, **told | {"fontweight": "normal"})
        return [self.ported, self.curve, self.name, self.apart]

    def show(self, weights, ported, head, query, seq_len):
        self.axes(xlim=(-0.5, seq_len - 0.5), ylim=(0, MOST_SHARE))  # steep heads leave it, and the first queries
        self.ported.set_data(range(query + 1), 100 * ported)
        self.curve.set_data(range(query + 1), 100 * weights[head])
        self.ask(query)
        apart = f"at most {number(100 * np.abs(weights[head] - ported).max())} percentage points apart"
        self.name.set_text(f"formula, head {head}")
        self.apart.set_text(apart)
        text = (
            f"Position {query} gives its own key {number(100 * weights[head, query])} % in head {head} of the formula"
        )
        return f"{text}, {number(100 * ported[query])} % in head 0 of Falcon's order; {apart}."


class ScoreCeiling(CurveView, name="score_ceiling"):
    """Draw the scores of one query and key by offset, and two ceilings that none can pass.

    Data: offsets, scores (their size) and proven, each (n,); simple, the most that all pairs together could add.
    Source: Su et al. 2021, "RoFormer", section 3.4.3, for the proven one.
    """

    needs, ignores = ("rotate", "query_and_key"), ("seq_len",)
    title, x_label, y_label = "Scores and their ceilings", "offset: key − query", "size of the score"
    x_ticks, log = 0, "xy"

    def inputs(self, encoding, values):
        dims = np.stack(encoding.pair_dims(np.arange(len(encoding.frequencies))))
        q, k = ((x[0] + 1j * x[1]) * encoding.attention_factor for x in encoding.query_and_key()[:, dims])
        each = q.conj() * k  # what a pair adds is the real part of this, turned
        offsets = np.unique(np.geomspace(1, FARTHEST, TRIED).round())
        waves = np.exp(1j * np.outer(offsets, encoding.frequencies))
        proven = np.abs(np.diff(each, append=0)).max() * np.abs(np.cumsum(waves, axis=1)).sum(axis=1)
        found = {"offsets": offsets, "scores": np.abs((waves @ each).real), "proven": proven}
        return found | {"simple": float(np.abs(each).sum())}

    def build(self, ax):
        (self.scores,) = ax.plot([], [], color=style.CURVE, lw=1)
        (self.proven,) = ax.plot([], [], color=style.OTHER, lw=1.2)
        (self.simple,) = ax.plot([], [], color=style.QUERY, lw=2)
        looks = {"proven ceiling": style.OTHER, "all pairs together": style.QUERY, "score": style.CURVE}
        self.names = [ax.text(1.2, 1, name, **style.name(color=color, va="bottom")) for name, color in looks.items()]
        return [self.scores, self.proven, self.simple, *self.names]

    def show(self, offsets, scores, proven, simple):
        high = 10.0 ** np.ceil(np.log10(max(proven.max(), simple, 1)) + 0.3)
        self.axes(xlim=(1, FARTHEST), ylim=(1e-4 * high, high))
        self.scores.set_data(offsets, np.maximum(scores, 1e-4 * high))
        self.proven.set_data(offsets, proven)
        self.simple.set_data([1, FARTHEST], [simple, simple])
        for name, at in zip(self.names, (1.15 * proven[0], 1.15 * simple, 1.5e-4 * high), strict=True):
            name.set_y(max(at, 1.5e-4 * high))
        lowest = proven.argmin()
        return (
            f"Offsets 1 to {FARTHEST}: scores up to {number(scores.max())}; what all pairs could add together: "
            f"{number(simple)}; proven ceiling: {number(proven[0])} at 1, "
            f"lowest {number(proven[lowest])} at {number(int(offsets[lowest]))}."
        )


def _short(value: float) -> str:
    """Return a number that fits into a cell: one digit, two if it is small, and no zero before the point."""
    told = f"{value:.1f}" if abs(value) >= 0.05 else f"{value:.2f}"
    return told.replace("-", "−").replace("0.", ".", 1) if abs(value) >= 0.005 else "0"
