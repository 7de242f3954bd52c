"""Encodings of the offset: the rows that they read, what their heads add to scores, and the terms of a score."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.attention import softmax
from posenc_lib.encodings.parameter import MOST_HEADS, Parameter
from posenc_lib.views import style
from posenc_lib.views.points import write
from posenc_lib.views.view import OFFSET, QUERY, ImageView, View

ENDLESS = 10**6  # an offset beyond every table
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


def reach(biases: np.ndarray) -> np.ndarray:
    """Return how many of the last keys hold 90 % of the attention, for biases of shape (num_heads, keys)."""
    nearest_first = softmax(biases)[:, ::-1]
    return (np.cumsum(nearest_first, axis=1) < SHARE).sum(axis=1) + 1


def _rows(encoding) -> dict:
    """Return the row of each offset −(seq_len − 1) … seq_len − 1, and how many rows the table has."""
    seq_len = encoding.seq_len
    last = encoding.buckets(np.array([-ENDLESS, ENDLESS])).max()
    return {"rows": encoding.buckets(np.arange(1 - seq_len, seq_len)), "table_rows": int(last) + 1}


class BucketMap(ImageView):
    """Colour the row that each pair reads; data: rows (2·seq_len − 1,) by offset, table_rows, query."""

    name = "bucket_map"
    needs = ("buckets",)
    ignores = frozenset({"content", "head", "head_dim", "seed"})
    pointer = ("key", "query")
    title, x_label, y_label = "The row each pair reads", "position of the key", "position of the query"
    square = True
    most_positions = 1024
    parameters = (QUERY,)

    @staticmethod
    def inputs(encoding, values):
        return _rows(encoding) | {"query": values["query"]}

    def build(self, ax):
        artists = super().build(ax)
        self.asked = ax.axhline(0, **style.across())
        return [*artists, self.asked]

    def show(self, rows, table_rows, query):
        seq_len = (len(rows) + 1) // 2
        if self.grid_axes(seq_len, seq_len, (0, max(table_rows - 1, 1)), _table_rows=table_rows):
            ticks = sorted({0, (table_rows - 1) // 2, table_rows - 1})  # a row between two rows is none
            with style.styled():
                self.scale.set_ticks(ticks, labels=list(map(str, ticks)))
        by_query = np.lib.stride_tricks.sliding_window_view(rows, seq_len)[::-1]
        self.image.set_data(by_query.astype(float))
        self.asked.set_ydata([query, query])
        own = by_query[query]
        return (
            f"Rows read: query {query} reads {len(np.unique(own))} of the table's {table_rows} rows, row {own[0]} for "
            f"position 0, row {own[query]} for itself, row {own[-1]} for position {seq_len - 1}."
        )


class BucketByOffset(View):
    """Draw the row against the offset; data: rows (2·seq_len − 1,), table_rows, offset, and now, the row it reads."""

    name = "bucket_by_offset"
    needs = ("buckets",)
    ignores = frozenset({"content", "head", "head_dim", "seed"})
    pointer = ("offset", None)
    weight = 1.2
    parameters = (OFFSET,)

    @staticmethod
    def inputs(encoding, values):
        offset = values["offset"]
        return _rows(encoding) | {"offset": offset, "now": int(encoding.buckets(np.array(offset)))}

    def build(self, ax):
        ax.grid(True, axis="y")
        ax.set_title("Which row an offset reads")
        ax.set_xlabel("offset: key − query")
        ax.set_ylabel("row it reads")
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_locator(MaxNLocator(5, integer=True))
        (self.steps,) = ax.plot([], [], color=style.CURVE, drawstyle="steps-mid")
        (self.mark,) = ax.plot([], [], "o", color=style.QUERY, ms=9)
        return [self.steps, self.mark]

    def show(self, rows, table_rows, offset, now):
        last = len(rows) // 2
        margin = 0.06 * max(table_rows - 1, 1)
        self.axes(xlim=(-last - 0.5, last + 0.5), ylim=(-margin, table_rows - 1 + margin))
        self.steps.set_data(np.arange(-last, last + 1), rows)
        self.mark.set_data([offset], [now])
        self.mark.set_visible(abs(offset) <= last)
        told = f"Offset {style.number(offset)} reads row {now} of {table_rows}"
        if abs(offset) > last:
            return f"{told}; no pair here is that far apart."
        return f"{told}, read here by {_offsets(np.flatnonzero(rows == now) - last)}."


def _offsets(shared: np.ndarray) -> str:
    """Name the offsets that read one row."""
    if len(shared) == 1:
        return "that offset alone"
    return f"the {len(shared)} offsets {style.number(float(shared[0]))} to {style.number(float(shared[-1]))}"


class HeadBiases(View):
    """Draw the bias of every head for one query; data: biases (num_heads, seq_len), head (that stands out), query."""

    name = "head_biases"
    needs = ("biases",)
    pointer = ("key", None)
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

    def show(self, biases, head, query):
        num_heads, seq_len = biases.shape
        self.limit(seq_len, biases.min(), biases.max())
        keys = range(seq_len)
        for k, line in enumerate(self.others):
            line.set_data(*((keys, biases[k]) if k < num_heads else ([], [])))
        self.chosen.set_data(keys, biases[head])
        self.asked.set_xdata([query, query])
        far = 0 if query >= seq_len / 2 else seq_len - 1
        return (
            f"Biases of {num_heads} heads for position {query}; head {head} adds {style.number(biases[head, query])} "
            f"to its own key, {style.number(biases[head, far])} to the key at {far}."
        )

    def limit(self, seq_len: int, lowest: float, highest: float) -> None:
        """Let the axes hold all biases, but for those that are cut."""
        low = -style.nice_bound(-max(lowest, LOWEST)) if lowest < 0 else 0.0
        high = style.nice_bound(highest) if highest > 0 else 0.0
        margin = 0.05 * max(high - low, 1e-9)
        self.axes(
            xlim=(-0.5, max(seq_len - 0.5, 0.5)),
            ylim=(low - margin, high + margin),
            ylabel="bias, cut at −10" if lowest < LOWEST else "bias",
        )


class AttentionSpan(View):
    """Draw how many of the nearest keys hold 90 % of a head's attention; data: reach (num_heads,), seq_len, head."""

    name = "attention_span"
    needs = ("biases",)
    pointer = (None, "head")

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

    def show(self, reach, seq_len, head):
        self.limit(len(reach), seq_len)
        for k, bar in enumerate(self.bars):
            bar.set_data(*(([0, reach[k]], [k, k]) if k < len(reach) else ([], [])))
            bar.set_color(style.CURVE if k == head else style.LINE)

        def place(number, k):
            number.set_position((reach[k] + 0.02 * seq_len, k))
            number.set_fontweight("bold" if k == head else "normal")

        told = range(len(reach)) if len(reach) <= TOLD else [head]
        write(self.numbers, {k: str(reach[k]) for k in told}, place)
        return (
            f"If all keys fitted alike, the last of {seq_len} positions would give 90 % of its attention to so many of "
            f"the nearest keys, head by head: {', '.join(map(str, reach))}; head {head}: {reach[head]}."
        )

    def limit(self, num_heads: int, seq_len: int) -> None:
        """Let the axes hold a bar for each head, and the number beside the longest."""
        ticks = list(range(0, num_heads, 1 + num_heads // (TOLD + 1)))
        if self.axes(xlim=(0, 1.22 * seq_len), ylim=(num_heads - 0.4, -0.6), yticks=ticks):
            for bar in self.bars:
                bar.set_linewidth(min(9.0, 110 / num_heads))


class ScoreTerms(ImageView):
    """Colour one term of the scores, or their sum; data: terms (by name, each (queries, keys)), term."""

    name = "score_terms"
    needs = ("score_terms",)
    ignores = frozenset({"content"})
    pointer = ("key", "query")
    square = True
    x_label, y_label = "position of the key", "position of the query"
    most_positions = 512
    parameters = (Parameter("term", "which part of the score is drawn", "all", options=tuple(TITLES)),)

    @staticmethod
    def inputs(encoding, values):
        q, k, _ = toy_data.queries_keys_values(toy_data.tokens(encoding.seq_len, encoding.num_dims))
        return {"terms": encoding.score_terms(q, k), "term": values["term"]}

    def show(self, terms, term):
        parts = terms | {"all": sum(terms.values())}
        bound = style.tight_bound(max(np.abs(part).max() for part in parts.values()))  # one scale, to compare them
        part = parts[term]
        queries, keys = part.shape
        self.grid_axes(keys, queries, (-bound, bound), title=TITLES[term])
        self.image.set_data(part)
        return f"{TITLES[term]}: from {style.number(part.min())} to {style.number(part.max())}; {_even(part)}."


def _even(part: np.ndarray) -> str:
    """Say whether rows, columns or diagonals have one colour each."""
    diagonals = [np.ptp(np.diagonal(part, k)) for k in range(1 - len(part), len(part))]
    spreads = {"columns": np.ptp(part, axis=0), "rows": np.ptp(part, axis=1), "diagonals": diagonals}
    alike = [name for name, spread in spreads.items() if max(spread) < 1e-9]
    return f"each of its {alike[0]} has one colour" if alike else "no rows, columns or diagonals of one colour"
