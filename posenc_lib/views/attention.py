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
BOUND = 1.5  # most of what comes out lies within; on one scale pictures can be compared
WRITTEN = 6  # dims, at most, whose numbers have room in their cells
SAME = 1e-9  # more than rounding moves a number
FEW, TOLD = 16, 8  # keys, at most, that have an arrow each, and a number
ROOMY = 260  # px of a plot with room for a longer unit line
REORDERED = {"needs": "attend query_and_key", "ignores": "content max_distance", "most_positions": len(TOKENS)}


def attended(encoding, which: int, causal: bool) -> tuple[list[int], np.ndarray, np.ndarray]:
    """Return the tokens of an order, and attention's (output, weights), rows and columns put back into the first one.

    Where there is room for two tokens, an order has two.
    """
    order = [token for token in ORDERS[which] if token < encoding.seq_len]
    outputs, weights = encoding.attend(toy_data.sentence(encoding.num_dims)[order], causal=causal)
    back = np.argsort(order)
    return order, outputs[back], weights[back][:, back]


def tell(pen, grid, changed, clim, what: str, noun: str, order: int, **state) -> str:
    """Colour a grid, frame what has changed and, where there is room, write the numbers; say how many have changed."""
    pen.cells(grid, clim, **state)
    changes = f"{changed.sum()} of {changed.size} {what}" if changed.any() else f"no {what[:-1]}"
    pen.title(f"The order changes {changes}" if order else noun)
    dx, dy = 4 / (pen.size / pen.room(grid)[::-1])  # frames stand apart
    framed = [run for row in range(len(grid)) for run in runs(changed[row], row, alone=grid.shape[1] <= WRITTEN)]
    for column, row, wide in framed:
        pen.box(column - 0.5, row - 0.5, wide, 1, color=style.PAPER, lw=5)
    for column, row, wide in framed:
        pen.box(column - 0.5 + dx, row - 0.5 + dy, wide - 2 * dx, 1 - 2 * dy, lw=1.8)
    cells = list(zip(*np.nonzero(grid), strict=True)) if grid.shape[1] <= WRITTEN else []  # what is masked stays empty
    pen.fill(cells, [f"{grid[cell]:.2f}".replace("-", "−") for cell in cells], style.WORDS)
    return f"{changed.sum()} of {changed.size} {what} differ from those of the first order"


def runs(changed: np.ndarray, row: int, *, alone: bool) -> list[tuple[int, int, int]]:
    """Return (first column, row, how many) of the cells that have changed: each alone, or neighbours together."""
    ends = np.flatnonzero(np.diff(changed.astype(int), prepend=0, append=0)).reshape(-1, 2)
    together = [(int(first), row, int(end - first)) for first, end in ends]
    return [(int(column), row, 1) for column in np.flatnonzero(changed)] if alone else together


def tiles(pen, tokens, axis: str) -> None:
    """Write tokens along an axis, each on a tile of its own colour."""
    colors = dict(zip(TOKENS, (style.KEY, style.OTHER, style.PAIR), strict=True))
    for at, token in enumerate(tokens):
        place, move, side = ((at, 0), (0, -14), "center") if axis == "x" else ((0, at), (-4, 0), "right")
        pen.tile(token, place, move, color=colors[token], within=axis, ha=side)


@view(
    "cells",
    "Row looks at column",
    x="at whom",
    pointer=("column", "row"),
    square=True,
    numbers=52,
    scale=False,
    **REORDERED,
)
def attention_weights(pen, encoding, order=ORDER, causal=CAUSAL):
    """Colour attention's weights over a few tokens whose order you change; what differs from the first is framed."""
    (shown, _, now), (*_, first) = (attended(encoding, k, causal) for k in (order, 0))
    changed = (np.abs(now - first) > SAME)[shown][:, shown]  # also where the mask has taken a weight away
    weights, sentence = now[shown][:, shown], [TOKENS[k] for k in shown]
    look = {"cmap": style.sequential(), "xticks": (), "yticks": ()}
    told = tell(pen, weights, changed, (0.0, 1.0), "weights", "Row looks at column", order, **look)
    pen.unit("↓ who looks", *[("framed: changed", style.INK)] * int(changed.any()))
    tiles(pen, sentence, "x")
    tiles(pen, sentence, "y")

    def says(x, y):
        row, column = (min(max(round(at), 0), len(sentence) - 1) for at in (y, x))
        return f"{sentence[row]} looks at {sentence[column]}, {number(weights[row, column])}"

    pen.says = says
    tops = zip(sentence, weights.argmax(axis=1), strict=True)
    seen = ", ".join(f"{token} looks most at {sentence[top]}" for token, top in tops)
    return f"“{' '.join(sentence)}”: {seen}; {told}."


@view("cells", "What comes out", x="dim", pointer=("dim", None), numbers=52, **REORDERED)
def outputs(pen, encoding, order=ORDER, causal=CAUSAL):
    """Colour what comes out for each token, and their mean; what differs from the first order is framed."""
    every = [attended(encoding, k, causal)[1] for k in range(len(ORDERS))]
    rows, before = (np.vstack([x, x.mean(axis=0)]) for x in (every[order], every[0]))
    bound = max(BOUND, style.tight_bound(float(np.abs(every).max())))  # of any order, so that colours can be compared
    tokens, changed = TOKENS[: len(rows) - 1], np.abs(rows - before) > SAME
    yticks = {len(tokens): "mean"}
    told = tell(pen, rows, changed, (-bound, bound), "numbers", "What comes out", order, yticks=yticks)
    pen.unit("↓ what comes out for", *[("framed: changed", style.INK)] * int(changed.any()))
    tiles(pen, tokens, "y")
    begins = zip((*tokens, "the mean"), rows[:, :2], strict=True)
    seen = "; ".join(f"{name} begins {', '.join(map(number, row))}" for name, row in begins)
    return f"What comes out: {seen}; {told}."


@view(
    "curves",
    "Where the query looks",
    x="position of the key",
    needs="attend",
    ignores="content",
    most_positions=512,
    shows_end=True,
    quantity="attention",  # of any scores
)
def attention_row(pen, encoding, query=QUERY, causal=CAUSAL, words=WORDS):
    """Draw attention's weights from one position, and without positions; nothing stands where there is no row."""
    seq_len, known = encoding.seq_len, encoding.max_positions
    x = toy_data.tokens(seq_len if words == "different" else 1, encoding.num_dims)
    x = np.broadcast_to(x, (seq_len, encoding.num_dims))[:known]
    weights, plain = np.full((2, seq_len), np.nan)
    if query < known:
        weights[:known] = encoding.attend(x, causal=causal)[1][query]
        plain[:known] = attention(*encoding.projected(x), causal=causal)[1][query]
    if causal:
        weights[query + 1 :] = plain[query + 1 :] = np.nan  # what is masked is no small number but no number
    high = style.nice_bound(100 * np.nanmax(np.stack([weights, plain]), initial=0))
    pen.axes(seq_len, (0, 1.05 * high), xticks=range(seq_len) if seq_len <= TOLD else None)
    what = "↑ % of attention:" if pen.size[0] > ROOMY else "↑ %:"
    pen.unit(what, ("no positions", style.SOFT), "→", ("positions", style.KEY))
    if known < seq_len:
        pen.missing(known - 0.5, seq_len - 0.5, "no row")
    if seq_len <= FEW:
        arrows(pen, 100 * plain, 100 * weights)
    else:
        pen.curve(100 * plain, color=style.GHOST, lw=5)
        pen.curve(100 * weights)
    if seq_len <= FEW or query >= known:
        pen.at("x", query, color=style.QUERY)
    else:
        pen.query(query, top=100 * weights[query])
    pen.title(moves(weights, plain, query))
    if query >= known:
        return f"Position {query} has no row: the table ends at {known - 1}, and asking for more is an error."
    text = f"Position {query} gives {_percent(weights[query])} of its attention to itself, {_most(weights)}"
    end = f"; no row from {known} on" if known < seq_len else ""
    return f"{text}; without positions {_most(plain)}{end}."


def arrows(pen, before: np.ndarray, after: np.ndarray) -> None:
    """Draw an arrow at each key from what it had to what it has, a dot where both are about the same."""
    for key in np.flatnonzero(np.isfinite(after)):
        start, end = (key, before[key]), (key, after[key])
        far = abs(float(np.diff([pen.px(start)[1], pen.px(end)[1]])[0]))
        pen.mark([start], color=style.GHOST, size=9, lw=0.8)
        if far > 8:
            pen.arrow(start, end, style.KEY)
        else:
            pen.mark([end], size=7, lw=0.8, color=style.KEY)
        if len(after) <= TOLD:
            above = after[key] >= before[key] and after[key] < 0.9 * pen.limits["ylim"][1]
            pen.label(f"{after[key]:.0f}", end, (0, 12 if above else -12), color=style.KEY)
    pen.traces.append(("dashes", np.stack([np.arange(len(after)), after], axis=1)))  # whose ghost is as of a curve
    pen.says = lambda x, y: number(after[min(max(round(x), 0), len(after) - 1)], 4)


def moves(weights: np.ndarray, plain: np.ndarray, query: int) -> str:
    """Say how an encoding moves attention: nearer or farther on the mean, or else how much of it."""
    moved = 0.5 * float(np.nansum(np.abs(weights - plain)))
    nearer = float(np.nansum((plain - weights) * np.abs(np.arange(len(plain)) - query)))
    if np.isnan(weights).all():
        return f"Position {query} has no row"
    if moved < SAME:
        return "Just as without positions"
    if abs(nearer) < 0.1:
        return f"{number(100 * moved, 2)} % of the attention moves"
    keys = number(abs(nearer), 2)
    return f"Looks {keys} {'key' if keys == '1' else 'keys'} {'nearer' if nearer > 0 else 'farther'}"


def _most(weights: np.ndarray) -> str:
    top = int(np.nanargmax(weights))
    if np.isfinite(weights).sum() > 1 and np.nanmin(weights) > (1 - 1e-9) * weights[top]:
        return f"to all alike ({_percent(weights[top])})"
    return f"most to {top} ({_percent(weights[top])})"


def _percent(share: float) -> str:
    return f"{number(100 * share)} %"
