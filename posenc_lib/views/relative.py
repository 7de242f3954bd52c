"""Encodings of the offset: the buckets that pairs fall in, what heads add to scores, and the terms of a score."""

from itertools import pairwise

import numpy as np

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.attention import softmax
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.scores import DOTTED, OFFSETS, by_offset, eighths
from posenc_lib.views.style import number
from posenc_lib.views.view import OFFSET, QUERY, view

ENDLESS = 10**6  # an offset in the last bucket, whatever the encoding
LOWEST = -10.0  # what loses more than this gets next to no attention: e^-10 is 0.00005
TOLD = 16  # heads whose reach is written beside each bar; of more only the chosen one's
SHARE = 0.9 - 1e-12  # of the attention lies within a head's reach; rounding must not ask for one key more
ROOMY, FINE = 18, 6  # px of a cell that holds a number; of cells whose steps along a diagonal are a line
BUCKETS = {"needs": "buckets", "ignores": "content head head_dim seed"}
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


def signed(at: int) -> str:
    """Return a number with a true minus sign."""
    return f"{at:,}".replace("-", "−")


def rows_read(encoding) -> tuple[np.ndarray, int]:
    """Return the bucket of each offset −(seq_len − 1) … seq_len − 1, and how many buckets there are."""
    last = encoding.buckets(np.array([-ENDLESS, ENDLESS])).max()
    return encoding.buckets(np.arange(1 - encoding.seq_len, encoding.seq_len)), int(last) + 1


def diagonals(low: int, high: int, n: int, *, steps: bool) -> np.ndarray:
    """Return the edge of the cells (query, key) of an n × n grid with offsets from low to high; steps: cell by cell."""
    if steps:
        rows = np.arange(max(0, -high), min(n, n - low))
        up, down = np.stack([rows - 0.5, rows + 0.5], axis=1).ravel(), np.repeat(rows, 2)
        left, right = (np.stack([np.clip(down + end, -0.5, n - 0.5), up], axis=1) for end in (low - 0.5, high + 0.5))
        return np.concatenate([left, right[::-1]])
    ends = [(max(c, 0), max(-c, 0), n + min(c, 0), n - max(c, 0)) for c in (max(low - 0.5, -n), min(high + 0.5, n))]
    (x0, y0, x1, y1), (x2, y2, x3, y3) = ends
    across = low < 0 < high
    return np.array([(x0, y0), (x1, y1), *[(n, n)] * across, (x3, y3), (x2, y2), *[(0, 0)] * across]) - 0.5


@view(
    "cells",
    "The row each pair reads",
    x="position of the key",
    y="position of the query",
    square=True,
    shares=(),  # another table has other rows
    most_positions=1024,
    **BUCKETS,
)
def bucket_map(pen, encoding, query=QUERY):
    """Colour the bucket of each pair; a bucket that several offsets share is hatched."""
    buckets, num_buckets = rows_read(encoding)
    seq_len, last = encoding.seq_len, num_buckets - 1
    rows = np.lib.stride_tricks.sliding_window_view(buckets, seq_len)[::-1]
    pen.cells(rows, (0, max(last, 1)), mixes=False)
    share(pen, encoding.buckets(np.arange(-seq_len, seq_len + 1)), seq_len, query)
    own = rows[query]
    read = len(np.unique(own))
    pen.title(f"Query {query} reads {read} of {num_buckets} rows")
    pen.says = lambda x, y: f"row {rows[round(y), round(x)]}" if pen.inside(x, y) else ""
    return (
        f"Rows read: query {query} reads {read} of the table's {num_buckets} rows, row {own[0]} for "
        f"position 0, row {own[query]} for itself, row {own[-1]} for position {seq_len - 1}."
    )


def share(pen, buckets: np.ndarray, n: int, query: int) -> None:
    """Hatch the pairs whose bucket several offsets share, mark the query, and write buckets where there is room.

    The buckets are those of the offsets −n … n, of which the first and the last are in no pair.
    """
    ends = np.flatnonzero(np.diff(buckets, prepend=-1, append=-1))
    runs = [(max(low - n, 1 - n), min(high - n, n) - 1, high - low > 1) for low, high in pairwise(ends.tolist())]
    shared = [(low, high) for low, high, several in runs if several and low <= high]
    cell = pen.size[0] / pen.room(pen.grid)[1]
    edges = [diagonals(*ends, n, steps=cell > FINE) for ends in shared]
    pen.unknown(edges)
    wide = [edge for edge, (low, high) in zip(edges, shared, strict=True) if (high - low + 1) * cell > FINE]
    pen.shapes(wide, color="none", edge=style.SOFT, lw=0.8)
    pen.query(y=query)
    if cell >= ROOMY:
        alone = {low for low, _, several in runs if not several}
        cells = [(row, column) for row in range(n) for column in range(n) if column - row in alone]
        pen.fill(cells, [str(int(pen.grid[at])) for at in cells])
    for low, high in shared:
        if (high - low + 1) * cell >= 1.3 * ROOMY or cell >= ROOMY:
            row, column = (n - 1 - (low + high) / 2) / 2, (n - 1 + (low + high) / 2) / 2
            pen.label(str(buckets[low + n]), (column, row), fontsize=style.NUMBERS)


@view(x=OFFSETS, title="Which row an offset reads", y="row of the table", **BUCKETS)
def bucket_by_offset(pen, encoding, offset=OFFSET):
    """Draw the bucket against the offset; the offsets that share the chosen one's are tinted."""
    (buckets, num_buckets), now = rows_read(encoding), int(encoding.buckets(np.array(offset)))
    last, margin = len(buckets) // 2, 0.06 * max(num_buckets - 1, 1)
    few = range(num_buckets) if num_buckets <= 4 else None
    pen.axes((-last - 0.5, last + 0.5), (-margin, num_buckets - 1 + margin), yticks=few)
    shared, told = np.flatnonzero(buckets == now) - last, f"Offset {number(offset)} reads row {now} of {num_buckets}"
    here, together = abs(offset) <= last, len(shared) > 1 and np.ptp(shared) == len(shared) - 1
    if here and together:
        pen.region(shared[0] - 0.5, shared[-1] + 0.5)
    pen.curve(np.arange(-last, last + 1), buckets, drawstyle="steps-mid")
    pen.says = lambda x, y: f"row {buckets[min(max(round(x) + last, 0), 2 * last)]}"
    if here:
        pen.query(offset, top=now, name=signed(offset), color=style.INK)
    ends = f"Offsets {signed(shared[0])} to {signed(shared[-1])} share row {now}" if here and together else ""
    pen.title(ends or f"Offset {signed(offset)} reads row {now}")
    if not here:
        return f"{told}; no pair here is that far apart."
    by = f"the {len(shared)} offsets {number(shared[0])} to {number(shared[-1])}"
    return f"{told}, read here by {by if len(shared) > 1 else 'that offset alone'}."


@view(title="What each head adds", x="position of the key", needs="biases")
def head_biases(pen, encoding, query=QUERY):
    """Draw the bias of every head for one query; one stands out."""
    biases, head = encoding.biases(np.arange(encoding.seq_len) - query), encoding.head
    (num_heads, seq_len), lowest, highest = biases.shape, biases.min(), biases.max()
    low = -style.nice_bound(-max(lowest, LOWEST)) if lowest < 0 else 0.0
    high = style.nice_bound(highest) if highest > 0 else 0.0
    margin = 0.05 * (high - low) or 1.0
    pen.axes(seq_len, (low - margin, high + margin))
    pen.unit("↑ bias, cut at −10;" if lowest < LOWEST else "↑ bias;", "grey: the other heads")
    keys = np.arange(seq_len)
    pen.strokes([np.stack([keys, bias], axis=1) for bias in biases], color=style.RULE, lw=0.8)
    pen.curve(biases[head], lw=2.6)
    foot, own = pen.limits["ylim"][0], biases[head, query]
    pen.strokes_of([query, query], [foot, own], style.QUERY, 1.2)
    pen.mark([(query, own)], color=style.QUERY, size=9)
    pen.at("x", query, color=style.QUERY)
    far = 0 if query >= seq_len / 2 else seq_len - 1
    side = 1 if far else -1
    way = np.arange(query, far + side, side)
    seen = way[biases[head, way] >= low]
    end = int(seen[-1]) if len(seen) else query
    up = 13 if biases[head, end] > biases[head, way[max(len(seen) - 1 - seq_len // 8, 0)]] else -13
    move, ha = ((0, up), "center") if end == far else ((9 * side, 9), "left" if far else "right")  # where it is free
    pen.label(f"head {head}", (end, max(biases[head, end], low)), move, ha=ha, color=style.KEY)

    def says(x, y):
        here = biases[:, min(max(round(x), 0), seq_len - 1)]
        nearest = int(np.abs(here - y).argmin())
        return f"{number(here[nearest])} by head {nearest}" if foot <= here[nearest] else ""

    pen.says = says
    away = number(biases[head, far])
    pen.title(f"Head {head} adds {away} to key {far}")
    text = f"Biases of {num_heads} heads for position {query}; head {head} adds {number(own)}"
    return f"{text} to its own key, {away} to the key at {far}."


@view(
    "free",
    "Keys that get 90 %",
    x="keys, nearest first",
    needs="biases",
    pointer=(None, "head"),
    lines="x",
    log="x",
    weight=1.0,
)
def attention_span(pen, encoding):
    """Draw how many of the nearest keys hold 90 % of each head's attention."""
    seq_len, head = encoding.seq_len, encoding.head
    keys = reach(encoding.biases(np.arange(1 - seq_len, 1)))
    num_heads, at = len(keys), np.arange(len(keys))
    yticks = range(0, num_heads, 1 + num_heads // (TOLD + 1))
    pen.axes((0.8, 1.6 * seq_len), (num_heads - 0.4, -0.6), yticks=yticks)
    pen.unit("↓ head: how many of the nearest keys get 90 % of its attention")
    one = pen.size[1] / max(abs(float(np.subtract(*pen.limits["ylim"]))), 1)  # px of a head
    thick = np.where(at == head, min(0.62, 14 / one), min(0.5, 4 / one))
    rulers(pen, np.full(num_heads, seq_len), at, thick, style.GRID)
    rulers(pen, keys, at, thick, [style.KEY if k == head else style.INK for k in at])
    for k in at if num_heads <= TOLD else [head]:
        look = {"color": style.KEY, "fontweight": "bold"} if k == head else {"color": style.INK}
        pen.text(str(keys[k]), (keys[k], k), (5, 0), ha="left", halo=True, **look)
    pen.at("y", head, color=style.KEY)
    pen.says = lambda x, y: f"{keys[min(max(round(y), 0), num_heads - 1)]} keys"
    pen.title(f"Head {head}: 90 % to {style.plural(int(keys[head]), 'key')}")
    return (
        f"If every key matched equally well, the last of {seq_len} positions would need this many nearest keys to "
        f"collect 90 % of its attention, head by head: {', '.join(map(str, keys))}; head {head}: {keys[head]}."
    )


def rulers(pen, long: np.ndarray, at: np.ndarray, thick: np.ndarray, color) -> None:
    """Draw a flat bar from 1 key on at each height, on a scale where twice as many are always one step farther."""
    none, low, high = np.full(len(at), 0.8), at - thick / 2, at + thick / 2
    ends = np.stack([[none, long, long, none], [low, low, high, high]], axis=-1)
    pen.shapes(ends.swapaxes(0, 1), color=color)


def terms_of(encoding) -> dict[str, np.ndarray]:
    """Return the terms of the scores of some tokens, and all together, by name, each of shape (queries, keys)."""
    q, k, _ = encoding.projected(toy_data.tokens(encoding.seq_len, encoding.num_dims))
    terms = encoding.score_terms(q, k)
    return terms | {"all": sum(terms.values())}


TERMS = {"needs": "score_terms", "ignores": "content", "most_positions": 512}


@view("cells", "One term of the scores", x="position of the key", y="position of the query", square=True, **TERMS)
def score_terms(pen, encoding, term=TERM):
    """Colour one term of the scores, or their sum."""
    part = terms_of(encoding)[term]
    bound = style.tight_bound(np.abs(part).max())  # each term's own: a small one has a pattern, too
    pen.cells(part, (-bound, bound))
    alike = _alike(part)
    pen.title(f"{term}: each {alike[:-1]} has one colour" if alike else TITLES[term])
    even = f"each of its {alike} has one colour" if alike else "no rows, columns or diagonals of one colour"
    return f"{TITLES[term]}: from {number(part.min())} to {number(part.max())}; {even}."


def _alike(part: np.ndarray) -> str:
    """Say whether rows, columns or diagonals have one colour each."""
    along = [np.ptp(np.diagonal(part, k)) for k in range(1 - len(part), len(part))]
    spreads = {"columns": np.ptp(part, axis=0), "rows": np.ptp(part, axis=1), "diagonals": along}
    return next((name for name, spread in spreads.items() if max(spread) < 1e-9), "")


@view("curves", "The same scores by offset", x=OFFSETS, pointer=("offset", None), **TERMS)
def term_by_offset(pen, encoding, term=TERM):
    """Draw for each offset the lowest, highest and mean of one term of the scores, or of their sum."""
    terms = terms_of(encoding)
    bound = max(float(np.abs(part).max()) for part in terms.values())  # one scale, to compare terms
    offsets, low, mean, high = by_offset(terms[term])
    pen.axes((offsets[0] - 0.5, offsets[-1] + 0.5), eighths(-bound, bound, bound))
    pen.unit("↑", (TITLES[term], style.KEY), "" if same(low, high) else "(pale: from lowest to highest)")
    pen.band(offsets, low, high)
    pen.curve(offsets, mean, each=len(offsets) <= DOTTED)
    alone, spread = same(low, high), number((high - low).max())
    pen.title("The offset alone decides" if alone else f"At one offset, scores lie up to {spread} apart")
    score, end = "Score", "the same wherever query and key stand"
    if not alone:
        score, end = "Mean score", "a band: the offset alone does not decide"
    middle, apart = len(offsets) // 2, min(3, len(mean) // 2)
    zero, after, before = (number(mean[middle + k]) for k in (0, apart, -apart))
    return f"{score} at offset 0: {zero}, at {apart}: {after}, at −{apart}: {before}; {end}."


def same(low: np.ndarray, high: np.ndarray) -> bool:
    """Return whether the offset alone decides."""
    return bool((high - low).max() < 1e-9 * max(-low.min(), high.max(), 1e-300))
