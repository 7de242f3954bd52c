"""The pictures that only lesson 01 shows."""

import itertools

import numpy as np

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.style import number
from posenc_lib.views.tables import BOLD
from posenc_lib.views.view import CAUSAL, view

SENTENCE = ("dog", "bites", "man")
SENTENCE_SEED = 614  # with four dims each weight and each output can be told from all others


def sentence_tokens(dim: int) -> np.ndarray:
    """Return the vectors of the sentence's tokens, drawn like others; shape (3, dim)."""
    return np.random.default_rng(SENTENCE_SEED).normal(size=(len(SENTENCE), dim))


TOKENS = SENTENCE
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

SAME = 1e-9  # more than rounding moves a number
REORDERED = {
    "needs": "attend query_and_key",
    "ignores": "content max_distance",
    "most_positions": len(TOKENS),
}


def attended(encoding, which: int, causal: bool) -> tuple[list[int], np.ndarray, np.ndarray]:
    """Return an order's tokens, and attention's output and weights, rows and columns put back."""
    order = [token for token in ORDERS[which] if token < encoding.seq_len]
    outputs, weights = encoding.attend(sentence_tokens(encoding.num_dims)[order], causal=causal)
    back = np.argsort(order)
    return order, outputs[back], weights[back][:, back]


def compare(pen, grid, changed, clim, unit: str, what: str, order: int, **state) -> str:
    """Color a grid, and say how many numbers have changed.

    Where there is room, changes are framed, and the numbers are written.
    """
    pen.cells(grid, clim, **state)
    few = grid.shape[1] <= 6  # dims, at most, whose numbers have room in their cells
    framed = [("framed: changed", style.INK)] if few and changed.any() else []
    pen.unit(f"↓ {unit}", *framed)
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
    """Write tokens along axes, each on a tile of its own color."""
    colors = dict(zip(TOKENS, (style.KEY, style.OTHER, style.PAIR), strict=True))
    for axis, (at, token) in itertools.product(axes, enumerate(tokens)):
        place, move, side = (at, 0), (0, -14), "center"
        if axis == "y":
            place, move, side = (0, at), (-9, 0), "right"
        tile = {"boxstyle": "round,pad=0.35", "facecolor": colors[token], "edgecolor": "none"}
        look = {"color": style.readable_on(colors[token]), "fontsize": style.NUMBERS} | BOLD
        pen.text(token, place, move, within=axis, ha=side, bbox=tile, **look)


@view("cells", "Row looks at column", x="at whom", square=True, left=52, scale=False, **REORDERED)
def attention_weights(pen, encoding, order=ORDER, causal=CAUSAL):
    """Color attention's weights over a few tokens whose order you change;
    what differs from the first is framed.
    """
    (shown, _, now), (*_, first) = (attended(encoding, k, causal) for k in (order, 0))
    # also where the mask has taken a weight away
    changed = (np.abs(now - first) > SAME)[shown][:, shown]
    weights, sentence = now[shown][:, shown], [TOKENS[k] for k in shown]
    look = {"cmap": style.sequential(), "xticks": (), "yticks": ()}
    told = compare(pen, weights, changed, (0.0, 1.0), "who looks", "weights", order, **look)
    tiles(pen, sentence, "x", "y")
    tops = zip(sentence, weights.argmax(axis=1), strict=True)
    seen = ", ".join(f"{token} looks most at {sentence[top]}" for token, top in tops)
    return f"“{' '.join(sentence)}”: {seen}; {told}."


@view("cells", "What comes out", x="dim", left=52, **REORDERED)
def outputs(pen, encoding, order=ORDER, causal=CAUSAL):
    """Color what comes out for each token, and their mean;
    what differs from the first order is framed.
    """
    both = [attended(encoding, which, causal)[1] for which in (order, 0)]
    rows, first = (np.vstack([x, x.mean(axis=0)]) for x in both)
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
