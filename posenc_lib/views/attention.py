"""Attention: who looks at whom, what comes out, and where one position looks."""

import itertools

import numpy as np

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.attention import attention
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.style import number
from posenc_lib.views.view import CAUSAL, QUERY, view

TOKENS = toy_data.SENTENCE
ORDERS = list(itertools.permutations(range(len(TOKENS))))
NAMES = tuple(" ".join(TOKENS[k] for k in order) for order in ORDERS)
ORDER = Parameter("order", "in which order the words stand", 0, 0, len(NAMES) - 1, most=len(NAMES) - 1, names=NAMES)
WORDS = Parameter("words", "what stands at the positions", "alike", options=("alike", "different"))
BOUND = 1.5  # most of what comes out lies within; on one scale orders can be compared
WRITTEN = 6  # dims, at most, whose numbers have room in their cells
SAME = 1e-9  # more than rounding moves a number
FEW, TOLD = 16, 8  # keys, at most, that have an arrow each, and a number
REORDERED = {"needs": "attend query_and_key", "ignores": "content max_distance", "most_positions": len(TOKENS)}


def attended(encoding, which: int, causal: bool) -> tuple[list[int], np.ndarray, np.ndarray]:
    """Return the tokens of an order, and attention's (output, weights), rows and columns put back into the first one.

    Where there is room for two tokens, an order has two.
    """
    order = [token for token in ORDERS[which] if token < encoding.seq_len]
    outputs, weights = encoding.attend(toy_data.sentence(encoding.num_dims)[order], causal=causal)
    back = np.argsort(order)
    return order, outputs[back], weights[back][:, back]


def compare(pen, grid, changed, clim, unit: str, what: str, order: int, **state) -> str:
    """Colour a grid; where there is room, frame what has changed and write the numbers. Say how many have changed."""
    pen.cells(grid, clim, **state)
    few = grid.shape[1] <= WRITTEN
    pen.unit(f"↓ {unit}", *[("framed: changed", style.INK)] * int(few and changed.any()))
    dx, dy = 4 / (pen.size / pen.room(grid)[::-1])  # frames stand apart
    for out, color, lw in ((0, style.PAPER, 5), (1, style.INK, 1.8)):
        for row, column in np.argwhere(changed) if few else ():
            x, y = column - 0.5 + out * dx, row - 0.5 + out * dy
            pen.box(x, y, 1 - 2 * out * dx, 1 - 2 * out * dy, color=color, lw=lw)
    if few:
        pen.fill("{:.2f}", style.WORDS, blank=0)  # what is masked stays empty
    changes = f"{changed.sum()} of {changed.size} {what}" if changed.any() else f"no {what[:-1]}"
    if order:
        pen.title(f"The order changes {changes}")
    return f"the order changes {changes}"


def tiles(pen, tokens, *axes: str) -> None:
    """Write tokens along axes, each on a tile of its own colour."""
    colors = dict(zip(TOKENS, (style.KEY, style.OTHER, style.PAIR), strict=True))
    for axis, (at, token) in itertools.product(axes, enumerate(tokens)):
        place, move, side = ((at, 0), (0, -14), "center") if axis == "x" else ((0, at), (-4, 0), "right")
        pen.tile(token, place, move, color=colors[token], within=axis, ha=side)


@view("cells", "Row looks at column", x="at whom", square=True, numbers=52, scale=False, **REORDERED)
def attention_weights(pen, encoding, order=ORDER, causal=CAUSAL):
    """Colour attention's weights over a few tokens whose order you change; what differs from the first is framed."""
    (shown, _, now), (*_, first) = (attended(encoding, k, causal) for k in (order, 0))
    changed = (np.abs(now - first) > SAME)[shown][:, shown]  # also where the mask has taken a weight away
    weights, sentence = now[shown][:, shown], [TOKENS[k] for k in shown]
    look = {"cmap": style.sequential(), "xticks": (), "yticks": ()}
    told = compare(pen, weights, changed, (0.0, 1.0), "who looks", "weights", order, **look)
    tiles(pen, sentence, "x", "y")
    tops = zip(sentence, weights.argmax(axis=1), strict=True)
    seen = ", ".join(f"{token} looks most at {sentence[top]}" for token, top in tops)
    return f"“{' '.join(sentence)}”: {seen}; {told}."


@view("cells", "What comes out", x="dim", pointer=("dim", None), numbers=52, **REORDERED)
def outputs(pen, encoding, order=ORDER, causal=CAUSAL):
    """Colour what comes out for each token, and their mean; what differs from the first order is framed."""
    rows, first = (np.vstack([x, x.mean(axis=0)]) for x in (attended(encoding, k, causal)[1] for k in (order, 0)))
    bound = max(BOUND, style.tight_bound(float(np.abs([rows, first]).max())))
    tokens, changed = TOKENS[: len(rows) - 1], np.abs(rows - first) > SAME
    mean = {len(tokens): "mean"}
    told = compare(pen, rows, changed, (-bound, bound), "what comes out for", "numbers", order, yticks=mean)
    tiles(pen, tokens, "y")
    seen = ", ".join(f"{name} {number(row[0])}" for name, row in zip((*tokens, "mean"), rows, strict=True))
    return f"What comes out, dim 0: {seen}; {told}."


@view(
    "curves",
    "Where the query looks",
    x="position of the key",
    needs="attend",
    ignores="content",
    most_positions=512,
    shows_end=True,
)
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
        after[query + 1 :] = before[query + 1 :] = np.nan  # what is masked is no small number but no number
    high = style.nice_bound(np.nanmax(np.stack([after, before]), initial=0))
    pen.axes(seq_len, (0, 1.05 * high), xticks=range(seq_len) if seq_len <= TOLD else None)
    pen.unit("↑ %:", ("no positions", style.SOFT), "→", ("positions", style.KEY))
    if known < seq_len:
        pen.missing(known - 0.5, seq_len - 0.5)
    if query >= known:
        return no_row(pen, query, known)
    if seq_len <= FEW:
        arrows(pen, before, after)
        pen.at("x", query, color=style.QUERY)
    else:
        pen.change(range(seq_len), before, after)
        pen.query(query, top=after[query])
    pen.title(f"{number(0.5 * np.nansum(np.abs(after - before)), 2)} % of the attention moves")
    top = int(np.nanargmax(after))
    text = f"Position {query} gives {number(after[query])} % of its attention to itself"
    end = f"; no row from {known} on" if known < seq_len else ""
    return f"{text}, most to {top}: {number(after[top])} %, without positions {number(before[top])} %{end}."


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
        if len(after) <= TOLD:
            pen.label(f"{after[key]:.0f}", end, (0, 12 if after[key] >= before[key] else -12), color=style.KEY)
    pen.traces.append(("dashes", np.stack([np.arange(len(after)), after], axis=1)))  # whose ghost is as of a curve
