"""Attention: who looks at whom, what positions add to its scores, and how far heads look."""

import itertools
import math

import numpy as np

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.attention import attention, softmax
from posenc_lib.encodings.offsets import relative_offsets
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.scores import OFFSETS, PAIRS, masked
from posenc_lib.views.style import number
from posenc_lib.views.view import CAUSAL, OFFSET, QUERY, view

TOKENS = toy_data.SENTENCE
ORDERS = list(itertools.permutations(range(len(TOKENS))))
NAMES = tuple(" ".join(TOKENS[k] for k in order) for order in ORDERS)
ORDER = Parameter(
    "order",
    "in which order the words stand",
    0,
    0,
    len(NAMES) - 1,
    most=len(NAMES) - 1,
    names=NAMES,
)
WORDS = Parameter("words", "what stands at the positions", "alike", options=("alike", "different"))
SAME = 1e-9  # more than rounding moves a number
FEW = 8  # keys, at most, that have an arrow each, and a number
ONE_QUERY = {"needs": "attend", "most_positions": 512, "shows_end": True}
REORDERED = {
    "needs": "attend query_and_key",
    "ignores": "content max_distance",
    "most_positions": len(TOKENS),
}


def attended(encoding, which: int, causal: bool) -> tuple[list[int], np.ndarray, np.ndarray]:
    """Return the tokens of an order, and attention's (output, weights), rows and columns put back in place."""
    order = [token for token in ORDERS[which] if token < encoding.seq_len]
    outputs, weights = encoding.attend(toy_data.sentence(encoding.num_dims)[order], causal=causal)
    back = np.argsort(order)
    return order, outputs[back], weights[back][:, back]


def compare(pen, grid, changed, clim, unit: str, what: str, order: int, **state) -> str:
    """Colour a grid; where there is room, frame what has changed and write the numbers. Say how many have changed."""
    pen.cells(grid, clim, **state)
    few = grid.shape[1] <= 6  # dims, at most, whose numbers have room in their cells
    pen.unit(f"↓ {unit}", *[("framed: changed", style.INK)] * int(few and changed.any()))
    dx, dy = 4 / (pen.size / pen.axes.room(grid)[::-1])  # frames stand apart
    for row, column in np.argwhere(changed) if few else ():
        pen.box(column - 0.5 + dx, row - 0.5 + dy, 1 - 2 * dx, 1 - 2 * dy, lw=1.8)
    if few:
        pen.fill("{:.2f}", style.WORDS, blank=0)  # what is masked stays empty
    changes = f"{changed.sum()} of {changed.size} {what}" if changed.any() else f"no {what[:-1]}"
    if not order:
        return "the other orders are compared with this one"
    pen.title(f"The order changes {changes}")
    return f"the order changes {changes}"


def tiles(pen, tokens, *axes: str) -> None:
    """Write tokens along axes, each on a tile of its own colour."""
    colors = dict(zip(TOKENS, (style.KEY, style.OTHER, style.PAIR), strict=True))
    for axis, (at, token) in itertools.product(axes, enumerate(tokens)):
        place, move, side = (
            ((at, 0), (0, -14), "center") if axis == "x" else ((0, at), (-9, 0), "right")
        )
        tile = {"boxstyle": "round,pad=0.35", "facecolor": colors[token], "edgecolor": "none"}
        look = {
            "color": style.readable_on(colors[token]),
            "fontsize": style.NUMBERS,
            "fontweight": "bold",
        }
        pen.text(token, place, move, within=axis, ha=side, bbox=tile, **look)


@view("cells", "Row looks at column", x="at whom", square=True, left=52, scale=False, **REORDERED)
def attention_weights(pen, encoding, order=ORDER, causal=CAUSAL):
    """Colour attention's weights over a few tokens whose order you change; what differs from the first is framed."""
    (shown, _, now), (*_, first) = (attended(encoding, k, causal) for k in (order, 0))
    changed = (np.abs(now - first) > SAME)[shown][
        :, shown
    ]  # also where the mask has taken a weight away
    weights, sentence = now[shown][:, shown], [TOKENS[k] for k in shown]
    look = {"cmap": style.sequential(), "xticks": (), "yticks": ()}
    told = compare(pen, weights, changed, (0.0, 1.0), "who looks", "weights", order, **look)
    tiles(pen, sentence, "x", "y")
    tops = zip(sentence, weights.argmax(axis=1), strict=True)
    seen = ", ".join(f"{token} looks most at {sentence[top]}" for token, top in tops)
    return f"“{' '.join(sentence)}”: {seen}; {told}."


@view("cells", "What comes out", x="dim", left=52, **REORDERED)
def outputs(pen, encoding, order=ORDER, causal=CAUSAL):
    """Colour what comes out for each token, and their mean; what differs from the first order is framed."""
    rows, first = (
        np.vstack([x, x.mean(axis=0)])
        for x in (attended(encoding, k, causal)[1] for k in (order, 0))
    )
    bound = max(1.5, style.tight_bound(float(np.abs([rows, first]).max())))
    tokens, changed = TOKENS[: len(rows) - 1], np.abs(rows - first) > SAME
    mean = {len(tokens): "mean"}
    told = compare(
        pen, rows, changed, (-bound, bound), "what comes out for", "numbers", order, yticks=mean
    )
    tiles(pen, tokens, "y")
    seen = ", ".join(
        f"{name} {number(row[0])}" for name, row in zip((*tokens, "mean"), rows, strict=True)
    )
    return f"What comes out, dim 0: {seen}; {told}."


@view("curves", "Where the query looks", x="position of the key", ignores="content", **ONE_QUERY)
def attention_row(pen, encoding, query=QUERY, causal=CAUSAL, words=WORDS):
    """Draw attention's weights from one position, and without positions; nothing stands where there is no row."""
    seq_len, known = encoding.seq_len, encoding.max_positions
    x = toy_data.tokens(seq_len if words == "different" else 1, encoding.num_dims)
    x = np.broadcast_to(x, (seq_len, encoding.num_dims))[:known]
    after, before = np.full((2, seq_len), np.nan)  # in %
    if query < known:
        after[:known] = 100 * encoding.attend(x, causal=causal)[1][query]
        before[:known] = 100 * attention(*encoding.projected(x), causal=causal)[1][query]
    if causal:
        after[query + 1 :] = before[query + 1 :] = (
            np.nan
        )  # what is masked is no small number but no number
    high = style.nice_bound(np.nanmax(np.stack([after, before]), initial=0))
    pen.axes(seq_len, (0, 1.05 * high), xticks=range(seq_len) if seq_len <= FEW else None)
    what = "↑ % of attention:" if pen.size[0] > 260 else "↑ %:"
    pen.unit(what, ("no positions", style.SOFT), "→ ", ("positions", style.KEY))
    if known < seq_len:
        missing(pen, known - 0.5, seq_len - 0.5)
    if query >= known:
        return no_row(pen, query, known)
    if seq_len <= FEW:
        arrows(pen, before, after)
        pen.tick("x", query, color=style.QUERY)
    else:
        pen.change(range(seq_len), before, after)
        pen.query(query, top=after[query])
    pen.title(
        f"Positions move {number(0.5 * np.nansum(np.abs(after - before)), 2)} % of the attention"
    )
    top = int(np.nanargmax(after))
    text = f"Position {query} gives {number(after[query])} % of its attention to itself"
    end = f"; no row from {known} on" if known < seq_len else ""
    return f"{text}, most to {top}: {number(after[top])} %, without positions {number(before[top])} %{end}."


MAP = {
    "x": "position of the key",
    "y": "position of the query",
    "square": True,
    "most_positions": 512,
    "left": 64,
}
LINE = 13  # px from one word to the next below it


@view("cells", "Where each query looks", needs="attend", ignores="content", **MAP)
def attention_map(pen, encoding, query=QUERY):
    """Colour attention's weights, a row for each query, which sees itself and what is before; one row is told.

    The tokens stand at the axes where they are known; otherwise the same token is everywhere.
    """
    known = encoding.max_positions
    x = np.broadcast_to(toy_data.tokens(1, encoding.num_dims), (known, encoding.num_dims))
    weights = encoding.attend(x, causal=True)[1]
    every = math.ceil(LINE * known / pen.size[1])
    words = {at: word.strip() or "␣" for at, word in enumerate(encoding.tokens[:known])}
    yticks = {at: words[at] for at in range(0, known, every)} if words else None
    pen.cells(masked(weights, causal=True), (0, 1), yticks=yticks, xticks={} if words else None)
    query, top = min(query, known - 1), int(weights[min(query, known - 1)].argmax())
    pen.query(y=query, name=words.get(query))
    pen.tick("x", top, words.get(top), style.KEY)
    pen.says = lambda x, y: (
        _told_pair(weights, words, round(y), round(x)) if pen.inside(x, y) else ""
    )
    most = f"{100 * weights[query, top]:.0f} %"
    pen.title(f"Position {query} gives {most} to {'itself' if query == top else top}")
    named = f"Position {query}{_called(words, query)} gives {most} of its attention to {top}{_called(words, top)}"
    parts = (
        (np.diagonal(weights, -1), "one back"),
        (np.diagonal(weights)[1:], "to itself"),
        (weights[1:, 0], "to the first"),
    )
    mean = ", ".join(f"{100 * part.mean():.0f} % {where}" for part, where in parts if part.size)
    return f"{named}{'; on average ' if mean else ''}{mean}."


def _called(words: dict, at: int) -> str:
    return f" “{words[at]}”" if words else ""


def _told_pair(weights, words: dict, query: int, key: int) -> str:
    named = f"“{words[query]}” looks at “{words[key]}”: " if words else ""
    return f"{named}{100 * weights[query, key]:.0f} %"


def missing(pen, low: float, high: float) -> None:
    """Hatch what lies between two places of x, from edge to edge, where there is no row."""
    pen.region(low, high, edge=style.GHOST, hatch="///")
    pen.label("no row", ((low + high) / 2, 0.92), within="x")


def no_row(pen, query: int, known: int) -> str:
    """Say that a table has no row for the query."""
    pen.title(f"Position {query} has no row")
    return f"Position {query} has no row: the table ends at {known - 1}, and asking for more is an error."


def arrows(pen, before: np.ndarray, after: np.ndarray) -> None:
    """Draw an arrow at each key from what it had to what it has, a dot where both are about the same."""
    for key in np.flatnonzero(np.isfinite(after)):
        start, end = (key, before[key]), (key, after[key])
        pen.mark([start], style.GHOST, 9, 0.8)
        if abs(pen.px(start)[1] - pen.px(end)[1]) > 8:
            pen.arrow(start, end, style.KEY)
        else:
            pen.mark([end], style.KEY, 7, 0.8)
        pen.label(
            f"{after[key]:.0f}", end, (0, 12 if after[key] >= before[key] else -12), color=style.KEY
        )
    pen.traces.append(("curve", np.stack([np.arange(len(after)), after], axis=1)))


SUM = {"pointer": (None, None), "weight": 2.0, "most_positions": 32}  # three grids side by side


@view("curves", "What the position adds", x=OFFSETS, ignores="content draw", **ONE_QUERY)
def position_effect(pen, encoding, query=QUERY, causal=CAUSAL):
    """Draw what an encoding adds to the scores of one query, against the offset; the same token stands everywhere."""
    seq_len, known = encoding.seq_len, encoding.max_positions
    ends = (0.5 - seq_len, (seq_len - 1) * (0.06 if causal else 1) + 0.5)
    pen.axes(
        ends, (-4.2, 4.2), yticks=(-4, -2, 0, 2, 4), x=(OFFSETS[0], "" if causal else OFFSETS[1])
    )
    pen.unit("↑ added to the score, cut at ±4;", ("own key", style.QUERY))
    if query >= known:
        missing(pen, *ends)
        return no_row(pen, query, known)
    x = np.broadcast_to(toy_data.tokens(1, encoding.num_dims), (known, encoding.num_dims))[:seq_len]
    q, k, _ = encoding.projected(x[:1])
    effect = encoding.logits(x)[query] - q[0] @ k[0] / math.sqrt(len(q[0]))
    effect = effect[: query + 1] if causal else effect
    offsets, most = np.arange(len(effect)) - query, int(np.abs(effect).argmax())
    pen.curve(offsets, effect)
    pen.mark([(offsets[most], effect[most])])
    way, much = "Raises" if effect[most] > 0 else "Lowers", number(abs(effect[most]), 2)
    raised = f"{way} most at offset {number(offsets[most])}: by {much}"
    pen.title(raised if abs(effect[most]) > 1e-9 else "Adds nothing at any offset")
    pen.mark([(0, effect[query])], style.QUERY, 9)
    own, first = number(effect[query]), number(effect[0])
    return (
        f"Position {query}: {own} is added to the score of its own key, {first} to that of key 0."
    )


@view("cells", "Words, bias, and their sum", needs="biases", **PAIRS | {"square": False} | SUM)
def bias_added(pen, encoding, query=QUERY):
    """Colour the scores of some tokens, the bias of one head, and their sum, side by side; later keys are masked."""
    q, k, _ = encoding.projected(toy_data.tokens(encoding.seq_len, encoding.num_dims))
    scores, bias = q @ k.T / math.sqrt(q.shape[1]), encoding.relate(q, k)["bias"]
    n, head, gap = len(q), encoding.head, np.full((len(q), 1), np.nan)
    parts = [masked(part, causal=True) for part in (scores, bias, scores + bias)]
    bound = style.tight_bound(
        float(np.abs(scores).max() + np.abs(encoding.biases(np.arange(1 - n, 1))).max())
    )
    starts, ticks = (0, n + 1, 2 * n + 2), range(n) if n <= 5 else (0, n // 2)
    xticks = {start + key: str(key) for start in starts for key in ticks}
    grid = np.hstack([parts[0], gap, parts[1], gap, parts[2]])
    pen.cells(
        grid, (-bound, bound), yticks=range(n) if n <= 5 else None, xticks=xticks
    )  # of all heads alike
    for start, name in zip(starts, ("q·k / √d", "+ bias", "= score"), strict=True):
        pen.frame(start - 0.5, query - 0.5, query + 1, 1)
        pen.text(name, (start + n - 0.5, -0.5), (0, -9), ha="right", fontweight="bold", halo=True)
    pen.tick("y", query, color=style.QUERY)
    if n <= 5:
        pen.fill("{:z.1f}", min(pen.size[0] / (3 * n + 2) / 3.9, 8.4))
    first = [number(part[query, 0]) for part in parts]
    by, moved = first[1].strip("−"), "raises" if bias[query, 0] > 0 else "lowers"
    pen.title(
        f"Head {head} {moved} the score of key 0 by {by}"
        if by != "0"
        else f"Head {head} leaves key 0 as it is"
    )
    return f"Head {head}, query {query}, key 0: {first[0]} of the words + {first[1]} of the bias = {first[2]}."


NUMBER = Parameter("number", "what is added to the score of the word just before", 9, 0, 16)
PUSH = Parameter("push", "how large the vector is that is added to all queries and keys", 10, 0, 20)
TEXT = Parameter("text", "which random text", 17, 0, 99)
PUSHED = 6  # of the fastest pairs
ONE_BACK = PAIRS | {"needs": "rotate query_and_key", "most_positions": 256}


@view("cells", "A number at offset −1", **ONE_BACK, ignores="content base pairing")
def number_one_back(pen, encoding, number=NUMBER, text=TEXT):
    """Colour where the words of a random text look if one number is added to the score of the word just before."""
    bias = np.where(relative_offsets(encoding.seq_len) == -1, float(number), 0.0)
    told = one_back(pen, *random_text(encoding, text), bias=bias)
    return f"The number {number} at offset −1: {told}."


@view("cells", "RoPE with a push", **ONE_BACK, ignores="content")
def push_one_back(pen, encoding, push=PUSH, text=TEXT):
    """Colour where the words of a random text look if RoPE gets a vector that is added to all queries and keys.

    In the keys it is turned by one position, so that it points the same way in a query and in the key just before.
    """
    q, k = random_text(encoding, text)
    added, places = np.zeros_like(q[:1]), np.arange(len(q))
    added[0, encoding.pair_dims(np.arange(len(encoding.frequencies)))[0][:PUSHED]] = push
    queries, keys = q + added, k + encoding.rotate(added, np.array([1]))
    told = one_back(pen, encoding.rotate(queries, places), encoding.rotate(keys, places))
    return f"RoPE with a push of {push}: {told}."


def random_text(encoding, seed: int) -> np.ndarray:
    """Return the queries and the keys of a random text, shape (2, seq_len, d)."""
    return np.random.default_rng(seed).normal(size=(2, encoding.seq_len, encoding.num_dims))


def one_back(pen, q, k, **more) -> str:
    """Colour attention under a causal mask; say how much of it goes one word back."""
    weights = attention(q, k, k, causal=True, **more)[1]
    back = np.diagonal(weights, -1)
    pen.cells(masked(weights, causal=True), (0.0, 1.0), cmap=style.sequential())
    if not len(back):
        return "one word has none before it"
    least = int(back.argmin())
    pen.box(least - 0.5, least + 0.5, 1, 1, lw=1.8)
    pen.title(f"{back.mean():.2f} one back, at least {back[least]:.2f}")
    return f"{number(back.mean())} of attention on the word before, the least {number(back[least])} at {least + 1}"


@view(
    "cells",
    "Where each word looks",
    needs="attend",
    ignores="content",
    **PAIRS | {"most_positions": 512},
)
def attention_rows(pen, encoding, words=WORDS, query=None):
    """Colour attention's weights of all words under a causal mask, in parts of the highest of each row."""
    n = encoding.max_positions
    x = np.broadcast_to(
        toy_data.tokens(n if words == "different" else 1, encoding.num_dims), (n, encoding.num_dims)
    )
    weights = (encoding if n == encoding.seq_len else encoding.at(seq_len=n)).attend(
        x, causal=True
    )[1]
    parts = weights / weights.max(axis=1, keepdims=True)
    pen.cells(masked(parts, causal=True), (0.0, 1.0), cmap=style.sequential())
    pen.unit("↓ query; row ÷ its highest")
    pen.query(y=query)
    most = np.cumsum(np.sort(weights[-1])[::-1])
    count = int((most < 0.9 - 1e-12).sum()) + 1
    pen.title(f"Last row: 90 % in {style.plural(count, 'key')}")
    return f"All pairs of {n} words, later keys masked: the last word gives 90 % to {style.plural(count, 'key')}."


BUCKETS = {"needs": "buckets", "ignores": "content head head_dim seed"}


def rows_read(encoding, last: int) -> tuple[np.ndarray, int]:
    """Return the row of the table that each offset −last … last reads, and how many rows there are."""
    most = encoding.buckets(
        np.array([-(10**6), 10**6])
    ).max()  # in the last buckets, whatever the encoding
    return encoding.buckets(np.arange(-last, last + 1)), int(most) + 1


@view(x=OFFSETS, title="Which row an offset reads", y="row of the table", **BUCKETS)
def bucket_by_offset(pen, encoding, offset=OFFSET):
    """Draw the row of the table against the offset; the offsets that share the chosen one's are tinted."""
    last = max(encoding.seq_len - 1, abs(offset))
    rows, count = rows_read(encoding, last)
    row, margin = rows[offset + last], 0.06 * max(count - 1, 1)
    pen.axes(
        (-last - 0.5, last + 0.5),
        (-margin, count - 1 + margin),
        yticks=range(count) if count <= 4 else None,
    )
    sharing = np.flatnonzero(rows == row) - last
    first, end = (number(int(at)) for at in sharing[[0, -1]])
    if len(sharing) > 1:
        pen.region(sharing[0] - 0.5, sharing[-1] + 0.5)
    pen.curve(np.arange(-last, last + 1), rows, drawstyle="steps-mid")
    pen.query(offset, top=row, color=style.INK)
    pen.title(
        f"Offsets {first} to {end} share row {row}"
        if len(sharing) > 1
        else f"Offset {first} reads row {row}"
    )
    alike = f", as do all from {first} to {end}" if len(sharing) > 1 else ", and no other does"
    return f"Offset {number(offset)} reads row {row} of {count}{alike}."


@view(
    title="The numbers of a head",
    x="row of the table",
    **BUCKETS | {"needs": "buckets biases max_distance"},
)
def bucket_numbers(pen, encoding, offset=OFFSET):
    """Draw the number in each row of a head's table; that of an offset and that of the word before stand out."""
    last = max(encoding.max_distance, abs(offset))
    rows, count = rows_read(encoding, last)
    numbers = np.zeros(count)
    numbers[rows] = encoding.biases(np.arange(-last, last + 1))[encoding.head]
    near, far = (int(rows[at + last]) for at in (-1, offset))
    bound = style.nice_bound(np.abs(numbers).max())
    pen.axes(count, (-1.05 * bound, 1.05 * bound))
    pen.unit("↑ number:", ("just before", style.PAIR), (f"offset {number(offset)}", style.INK))
    pen.bars(np.arange(count), 0, numbers)
    for row, color in ((near, style.PAIR), (far, style.INK)):
        pen.bars([row], 0, numbers[[row]], color=color)
        pen.tick("x", row, color=color)
    pen.rule("y", 0, style.RULE, 0.8)
    first, second = (-1, offset) if numbers[near] > numbers[far] else (offset, -1)
    prefers = f"prefers offset {number(first)} over {number(second)}"
    pen.title(f"Head {encoding.head} {prefers if near != far else 'cannot tell them apart'}")
    told = f"row {near}, just before, holds {number(numbers[near])}; row {far}, for offset {number(offset)}"
    return f"{count} numbers of head {encoding.head}: {told}, {number(numbers[far])}."


@view(title="What each head adds", x="position of the key", needs="biases")
def head_biases(pen, encoding, query=QUERY):
    """Draw the bias of every head for one query; one stands out."""
    biases, head, n = (
        encoding.biases(np.arange(encoding.seq_len) - query),
        encoding.head,
        encoding.seq_len,
    )
    low = (
        -style.nice_bound(min(-biases.min(), 10)) if biases.min() < 0 else 0.0
    )  # e^−10 is next to no attention
    high = style.nice_bound(biases.max()) if biases.max() > 0 else 0.0
    margin = 0.05 * (high - low) or 1.0
    pen.axes(n, (low - margin, high + margin))
    what = "↑ bias, cut at −10:" if biases.min() < -10 else "↑ bias:"
    pen.unit(what, (f"head {head}", style.KEY), "(grey: the others)")
    pen.strokes(
        [np.stack([np.arange(n), bias], axis=1) for bias in biases], color=style.RULE, lw=0.8
    )
    pen.curve(biases[head], lw=2.6)
    pen.query(query)
    pen.mark([(query, biases[head, query])], style.QUERY, 9)

    far = 0 if query >= n / 2 else n - 1
    own, away = number(biases[head, query]), number(biases[head, far])
    pen.title(f"Head {head} adds {away} to key {far}")
    return (
        f"Head {head} of {len(biases)} adds {own} to key {query}, its own, and {away} to key {far}."
    )


@view(
    "free",
    "Keys that get 90 %",
    x="keys, nearest first",
    needs="biases",
    y="head",
    lines="x",
    log="x",
)
def attention_span(pen, encoding):
    """Draw how many of the nearest keys hold 90 % of each head's attention, if all match equally well."""
    seq_len, head = encoding.seq_len, encoding.head
    weights = softmax(encoding.biases(np.arange(1 - seq_len, 1)))[:, ::-1]
    keys = (np.cumsum(weights, axis=1) < 0.9 - 1e-12).sum(
        axis=1
    ) + 1  # rounding must not ask for one more
    heads, few = np.arange(len(keys)), len(keys) <= 16
    doublings = [2**k for k in range(13) if 2**k <= seq_len][:: 1 + (seq_len > 512)]
    pen.axes(
        (0.8, 3 * seq_len),
        (len(keys) - 0.4, -0.6),
        yticks=heads[:: 1 + len(keys) // 17],
        xticks=doublings,
    )
    pen.unit("↓ head: how many keys get 90 %")
    tracks = np.stack([0 * keys + 0.8, heads, 0 * keys + seq_len, heads], axis=1).reshape(-1, 2, 2)
    pen.strokes(tracks, color=style.GRID, lw=2)
    pen.mark(np.stack([keys, heads], axis=1), style.SOFT, 8 if few else 5)
    pen.mark([(keys[head], head)], style.KEY, 12)
    for k in heads if few else [head]:
        look = {"color": style.KEY, "fontweight": "bold"} if k == head else {"color": style.SOFT}
        pen.text(str(keys[k]), (seq_len, k), (10, 0), ha="left", **look)
    pen.tick("y", head, color=style.KEY)
    pen.says = lambda x, y: f"{keys[min(max(round(y), 0), len(keys) - 1)]} keys"
    pen.title(f"Head {head}: 90 % to {style.plural(int(keys[head]), 'key')}")
    each = ", ".join(map(str, keys))
    return f"So many of {seq_len} keys, nearest first, get 90 % of each head's attention if all match alike: {each}."


@view(
    "curves",
    "What the nearest keys get",
    x="tokens in the text",
    needs="biases",
    log="x",
    most_positions=1024,
)
def near_mass(pen, encoding):
    """Draw the attention on the nearest seq_len keys against the length of the text, for each head; violet: no bias."""
    n, head = encoding.seq_len, encoding.head
    lengths = n * 2 ** np.arange(0, 6.25, 0.25)
    keys = np.unique(np.rint(lengths).astype(int))
    biases = encoding.biases(-np.arange(keys[-1]))  # nearest first
    sums = np.cumsum(np.exp(biases - biases.max(axis=1, keepdims=True)), axis=1)
    shares, plain = sums[:, [n - 1]] / sums[:, keys - 1], n / keys
    ticks = {n * 4**k: f"{n * 4**k:,}" for k in range(4)}
    pen.axes((n / 1.1, keys[-1] * 1.1), (-0.03, 1.08), xticks=ticks, yticks=(0, 0.25, 0.5, 0.75, 1))
    pen.unit(
        f"↑ attention on the nearest {n} keys:",
        (f"head {head}", style.KEY),
        ("no positions", style.OTHER),
    )
    pen.strokes([np.stack([keys, part], axis=1) for part in shares], color=style.RULE, lw=0.8)
    pen.curve(keys, shares[head], lw=2.6)
    pen.curve(keys, plain, color=style.OTHER, linestyle=(0, (4, 1.5)))
    pen.mark([(keys[-1], shares[head, -1])], size=9)
    pen.title(
        f"Head {head}: the nearest {n} of {keys[-1]:,} get {shares[head, -1]:.0%}".replace(
            "%", " %"
        )
    )
    each = ", ".join(f"{part:.2f}" for part in shares[:, -1])
    return f"Of {keys[-1]:,} keys the nearest {n} get, head by head: {each}; without positions {plain[-1]:.2f}."
