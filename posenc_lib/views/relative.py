"""Encodings of the offset: the buckets that pairs fall in, what heads add to scores, and the terms of a score."""

import numpy as np

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.attention import softmax
from posenc_lib.encodings.parameter import MOST_HEADS, Parameter
from posenc_lib.views import style
from posenc_lib.views.images import PairView
from posenc_lib.views.old_points import write
from posenc_lib.views.style import number
from posenc_lib.views.view import OFFSET, PAST, QUERY, CurveView, View, over

ENDLESS = 10**6  # an offset in the last bucket, whatever the encoding
LOWEST = -10.0  # what loses more than this gets next to no attention: e^-10 is 0.00005
TOLD = 16  # heads whose reach is written beside each bar; of more only the chosen one's
SHARE = 0.9 - 1e-12  # of the attention lies within a head's reach; rounding must not ask for one key more
TITLES = {
    "all": "All four terms together",
    "q·k": "q·k: word to word",
    "q·r": "q·r: word to distance",
    "u·k": "u·k: any query to a word",
    "v·r": "v·r: any query to a distance",
}
TERM = Parameter("term", "which part of the score is drawn", "all", options=tuple(TITLES))


def reach(biases: np.ndarray) -> np.ndarray:
    """Return how many of the last keys hold 90 % of the attention, for biases of shape (num_heads, keys)."""
    nearest_first = softmax(biases)[:, ::-1]
    return (np.cumsum(nearest_first, axis=1) < SHARE).sum(axis=1) + 1


def _buckets(encoding) -> dict:
    """Return the bucket of each offset −(seq_len − 1) … seq_len − 1, and how many buckets there are."""
    seq_len = encoding.seq_len
    last = encoding.buckets(np.array([-ENDLESS, ENDLESS])).max()
    return {"buckets": encoding.buckets(np.arange(1 - seq_len, seq_len)), "num_buckets": int(last) + 1}


class BucketMap(PairView, name="bucket_map"):
    """Colour the bucket of each pair; data: buckets (2·seq_len − 1,) by offset, num_buckets, query."""

    needs, ignores = ("buckets",), ("content", "head", "head_dim", "seed")
    title = "The row each pair reads"
    query_line = "y"
    mixes, shares = False, ()  # a bucket between two buckets is none, and another table has others
    most_positions = 1024
    parameters = (QUERY,)

    def value_at(self, x, y):
        return f"row {super().value_at(x, y)}"

    def inputs(self, encoding, values):
        return _buckets(encoding) | {"query": values["query"]}

    def show(self, buckets, num_buckets, query):
        seq_len, last = (len(buckets) + 1) // 2, num_buckets - 1
        by_query = np.lib.stride_tricks.sliding_window_view(buckets, seq_len)[::-1]
        if self.color(by_query.astype(float), (0, max(last, 1)), _num_buckets=num_buckets):
            ticks = sorted({0, last // 2, last})
            with style.styled():
                self.scale.set_ticks(ticks, labels=list(map(str, ticks)))
        self.ask(query)
        own = by_query[query]
        return (
            f"Rows read: query {query} reads {len(np.unique(own))} of the table's {num_buckets} rows, row {own[0]} for "
            f"position 0, row {own[query]} for itself, row {own[-1]} for position {seq_len - 1}."
        )


class BucketByOffset(CurveView, name="bucket_by_offset"):
    """Draw the bucket against the offset; data: buckets (2·seq_len − 1,), num_buckets, offset, and now, its bucket."""

    needs, ignores = ("buckets",), ("content", "head", "head_dim", "seed")
    pointer = ("offset", None)
    title, x_label, y_label = "Which row an offset reads", PAST, "row it reads"
    x_ticks = y_ticks = 5
    whole_y = True
    parameters = (OFFSET,)

    def value_at(self, x, y):
        return f"row {super().value_at(x, y)}"

    def inputs(self, encoding, values):
        offset = values["offset"]
        return _buckets(encoding) | {"offset": offset, "now": int(encoding.buckets(np.array(offset)))}

    def build(self, ax):
        (self.steps,) = ax.plot([], [], color=style.CURVE, drawstyle="steps-mid")
        (self.mark,) = ax.plot([], [], "o", color=style.QUERY, ms=9)
        return [self.steps, self.mark]

    def show(self, buckets, num_buckets, offset, now):
        last = len(buckets) // 2
        margin = 0.06 * max(num_buckets - 1, 1)
        self.axes(xlim=(-last - 0.5, last + 0.5), ylim=(-margin, num_buckets - 1 + margin))
        self.steps.set_data(range(-last, last + 1), buckets)
        self.mark.set_data([offset], [now])
        self.mark.set_visible(abs(offset) <= last)
        told = f"Offset {number(offset)} reads row {now} of {num_buckets}"
        if abs(offset) > last:
            return f"{told}; no pair here is that far apart."
        shared = np.flatnonzero(buckets == now) - last
        by = f"the {len(shared)} offsets {number(shared[0])} to {number(shared[-1])}"
        return f"{told}, read here by {by if len(shared) > 1 else 'that offset alone'}."


class HeadBiases(CurveView, name="head_biases"):
    """Draw the bias of every head for one query; data: biases (num_heads, seq_len), head (that stands out), query."""

    needs = ("biases",)
    pointer = ("key", None)
    title, x_label = "What each head adds", "position of the key"
    y_ticks = 5
    query_line = "x"
    parameters = (QUERY,)

    def inputs(self, encoding, values):
        query = values["query"]
        return {"biases": encoding.biases(np.arange(encoding.seq_len) - query), "head": encoding.head, "query": query}

    def build(self, ax):
        self.others = [ax.plot([], [], color=style.LINE, lw=1, alpha=0.7)[0] for _ in range(MOST_HEADS)]
        (self.chosen,) = ax.plot([], [], color=style.CURVE, lw=3, zorder=3)
        return [*self.others, self.chosen]

    def show(self, biases, head, query):
        num_heads, seq_len = biases.shape
        lowest, highest = biases.min(), biases.max()
        low = -style.nice_bound(-max(lowest, LOWEST)) if lowest < 0 else 0.0
        high = style.nice_bound(highest) if highest > 0 else 0.0
        margin = 0.05 * max(high - low, 1e-9)
        label = "bias, cut at −10" if lowest < LOWEST else "bias"
        self.axes(xlim=over(seq_len), ylim=(low - margin, high + margin), ylabel=label)
        keys = range(seq_len)
        for k, line in enumerate(self.others):
            line.set_data(*((keys, biases[k]) if k < num_heads else ([], [])))
        self.chosen.set_data(keys, biases[head])
        self.biases = biases
        self.ask(query)
        far = 0 if query >= seq_len / 2 else seq_len - 1
        text = f"Biases of {num_heads} heads for position {query}; head {head} adds {number(biases[head, query])}"
        return f"{text} to its own key, {number(biases[head, far])} to the key at {far}."

    def value_at(self, x, y):
        here = self.biases[:, min(max(round(x), 0), self.biases.shape[1] - 1)]
        head = int(np.abs(here - y).argmin())
        return f"{number(here[head])} by head {head}" if min(self.ax.get_ylim()) <= here[head] else ""


class AttentionSpan(View, name="attention_span"):
    """Draw how many of the nearest keys hold 90 % of a head's attention; data: reach (num_heads,), seq_len, head."""

    needs = ("biases",)
    pointer = (None, "head")
    title, x_label, y_label = "Keys that get 90 %", "keys, nearest first", "head"
    x_ticks = 4

    def inputs(self, encoding, values):
        seq_len = encoding.seq_len
        return {"reach": reach(encoding.biases(np.arange(1 - seq_len, 1))), "seq_len": seq_len, "head": encoding.head}

    def build(self, ax):
        self.bars = [ax.plot([], [], color=style.LINE, solid_capstyle="butt")[0] for _ in range(MOST_HEADS)]
        self.numbers = [ax.text(0, 0, "", va="center", fontsize=9.5) for _ in range(TOLD)]
        return [*self.bars, *self.numbers]

    def value_at(self, x, y):
        return f"{self.reach[min(max(round(y), 0), len(self.reach) - 1)]} keys"

    def show(self, reach, seq_len, head):
        self.reach, num_heads = reach, len(reach)
        ticks = range(0, num_heads, 1 + num_heads // (TOLD + 1))
        if self.axes(xlim=(0, 1.22 * seq_len), ylim=(num_heads - 0.4, -0.6), yticks=ticks):
            room = max(np.subtract(*self.ax.get_ylim()).round(), 1)  # heads that there is room for
            for bar in self.bars:
                bar.set_linewidth(min(9.0, 110 / room))
        for k, bar in enumerate(self.bars):
            bar.set_data(*(([0, reach[k]], [k, k]) if k < num_heads else ([], [])))
            bar.set_color(style.CURVE if k == head else style.LINE)

        def place(text, k):
            text.set_position((reach[k] + 0.016 * self.ax.get_xlim()[1], k))
            text.set_fontweight("bold" if k == head else "normal")

        told = range(num_heads) if num_heads <= TOLD else [head]
        write(self.numbers, {k: str(reach[k]) for k in told}, place)
        return (
            f"If every key matched equally well, the last of {seq_len} positions would need this many nearest keys to "
            f"collect 90 % of its attention, head by head: {', '.join(map(str, reach))}; head {head}: {reach[head]}."
        )


class ScoreTerms(PairView, name="score_terms"):
    """Colour one term of the scores, or their sum; data: terms (by name, each (queries, keys)), term."""

    needs, ignores = ("score_terms",), ("content",)
    most_positions = 512
    parameters = (TERM,)

    def inputs(self, encoding, values):
        q, k, _ = encoding.projected(toy_data.tokens(encoding.seq_len, encoding.num_dims))
        return {"terms": encoding.score_terms(q, k), "term": values["term"]}

    def show(self, terms, term):
        part = terms[term] if term in terms else sum(terms.values())
        bound = style.tight_bound(np.abs(part).max())  # each term's own: a small one has a pattern, too
        self.color(part, (-bound, bound), title=TITLES[term])
        return f"{TITLES[term]}: from {number(part.min())} to {number(part.max())}; {_even(part)}."


def _even(part: np.ndarray) -> str:
    """Say whether rows, columns or diagonals have one colour each."""
    diagonals = [np.ptp(np.diagonal(part, k)) for k in range(1 - len(part), len(part))]
    spreads = {"columns": np.ptp(part, axis=0), "rows": np.ptp(part, axis=1), "diagonals": diagonals}
    alike = [name for name, spread in spreads.items() if max(spread) < 1e-9]
    return f"each of its {alike[0]} has one colour" if alike else "no rows, columns or diagonals of one colour"
