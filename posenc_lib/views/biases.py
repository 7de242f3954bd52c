"""Attention: who attends to whom, what positions add to scores, and how far heads see."""

import numpy as np

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.attention import attention
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.style import number
from posenc_lib.views.view import CAUSAL, QUERY, view

WORDS = Parameter(
    "words", "whether words are alike or different", "alike", options=("alike", "different")
)
FEW = 8  # keys at most, for each to get an arrow and a number
ONE_QUERY = {"needs": "attend", "most_positions": 512, "shows_end": True}


@view(
    "curves", "What the query attends to", x="position of the key", ignores="content", **ONE_QUERY
)
def attention_row(pen, encoding, query=QUERY, causal=CAUSAL, words=WORDS):
    """Draw one query's attention, with and without positions; nothing where there's no row."""
    seq_len, known = encoding.seq_len, encoding.max_positions
    x = toy_data.tokens(seq_len if words == "different" else 1, encoding.num_dims)
    x = np.broadcast_to(x, (seq_len, encoding.num_dims))[:known]
    after, before = np.full((2, seq_len), np.nan)  # in %
    if query < known:
        after[:known] = 100 * encoding.attend(x, causal=causal)[1][query]
        before[:known] = 100 * attention(*encoding.projected(x), causal=causal)[1][query]
    if causal:
        # masked means no number, not a small one
        after[query + 1 :] = before[query + 1 :] = np.nan
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
        f"Positions move {number(0.5 * np.nansum(np.abs(after - before)), 2)}% of the attention"
    )
    top = int(np.nanargmax(after))
    now, was = number(after[top]), number(before[top])
    way = "up" if after[top] > before[top] else "down"
    change = "the same" if now == was else f"{way} from {was}%"
    told = f"{'itself' if top == query else top}: {now}%, {change} without positions"
    own = "" if top == query else f"; {number(after[query])}% to itself"
    end = f"; no rows from {known} on" if known < seq_len else ""
    return f"Position {query} attends most to {told}{own}{end}."


def missing(pen, low: float, high: float) -> None:
    """Hatch the plot between two places of x, where there's no row."""
    pen.region(low, high, edge=style.GHOST, hatch="///")
    pen.label("no row", ((low + high) / 2, 0.92), within="x")


def no_row(pen, query: int, known: int) -> str:
    """Say that a table has no row for the query."""
    pen.title(f"Position {query} has no row")
    return (
        f"Position {query} has no row: the table ends at {known - 1}, and asking for it is an "
        "error."
    )


def arrows(pen, before: np.ndarray, after: np.ndarray) -> None:
    """Draw an arrow at each key from its old to its new share; a dot where they're equal."""
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
    # its ghost is like a curve's
    pen.traces.append(("curve", np.stack([np.arange(len(after)), after], axis=1)))


@view(title="What each head adds", x="position of the key", needs="biases")
def head_biases(pen, encoding, query=QUERY):
    """Draw every head's bias for one query; one head stands out."""
    head, n = encoding.head, encoding.seq_len
    biases = encoding.biases(np.arange(n) - query)
    # e^−10 is almost no attention
    low = -style.nice_bound(min(-biases.min(), 10)) if biases.min() < 0 else 0.0
    high = style.nice_bound(biases.max()) if biases.max() > 0 else 0.0
    margin = 0.05 * (high - low) or 1.0
    pen.axes(n, (low - margin, high + margin))
    what = "↑ bias, cut at −10:" if biases.min() < -10 else "↑ bias:"
    pen.unit(what, (f"head {head}", style.KEY), "(gray: the others)")
    pen.strokes(
        [np.stack([np.arange(n), bias], axis=1) for bias in biases], color=style.RULE, lw=0.8
    )
    pen.curve(biases[head], lw=2.6)
    pen.query(query)
    pen.mark([(query, biases[head, query])], style.QUERY, 9)

    far = 0 if query >= n / 2 else n - 1
    own, away = number(biases[head, query]), number(biases[head, far])
    pen.title(f"Head {head} adds {away} to key {far}")
    text = f"{own} to its own key, {query}, and {away} to key {far}"
    return f"Head {head} of {len(biases)} adds {text}."
