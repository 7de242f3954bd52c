"""Lesson 01's pictures: three words in any order, and what attention makes of them."""

import itertools

import numpy as np

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.marks import POINT
from posenc_lib.views.style import number
from posenc_lib.views.tables import BOLD
from posenc_lib.views.view import CAUSAL, view

SENTENCE = ("dog", "bites", "man")
SENTENCE_SEED = 614  # with four dims each weight and each output can be told from all others


def sentence_tokens(dim: int) -> np.ndarray:
    """Return a random vector for each token of the sentence, shape (3, dim)."""
    return np.random.default_rng(SENTENCE_SEED).normal(size=(len(SENTENCE), dim))


TOKENS = SENTENCE
ORDERS = list(itertools.permutations(range(len(TOKENS))))

NAMES = tuple(" ".join(TOKENS[k] for k in order) for order in ORDERS)

ORDER = Parameter(
    "order",
    "the order of the three words",
    0,
    0,
    len(NAMES) - 1,
    most=len(NAMES) - 1,
    names=NAMES,
)

SAME = 1e-9  # more than rounding moves a number
THIN, THICK = 0.6, 9.0  # points of an arc of weight 0, and how many more of weight 1
CLEAR, LOOP = 16, 15  # px: from a token's middle up to its arcs, and a loop's radius
ASIDE = {1: 30, 2: 14}  # px: from a token's middle to its arcs, by how far they reach
HEAD = 11  # px: how long an arrowhead is
REORDERED = {
    "needs": "attend query_and_key",
    "ignores": "content max_distance",
    "most_positions": len(TOKENS),
}


def attended(encoding, which: int, causal: bool) -> tuple[list[int], np.ndarray, np.ndarray]:
    """Return an order's tokens, then attention's outputs and weights, both in the first order."""
    order = [token for token in ORDERS[which] if token < encoding.seq_len]
    outputs, weights = encoding.attend(sentence_tokens(encoding.num_dims)[order], causal=causal)
    back = np.argsort(order)
    return order, outputs[back], weights[back][:, back]


def compare(pen, grid, changed, clim, unit: str, what: str, order, moved, same, **state):
    """Color a grid, and say how many numbers changed, or that they only moved.

    If there's room, the numbers are written and the changed ones framed.
    """
    pen.cells(grid, clim, **state)
    few = grid.shape[1] <= 6  # columns whose numbers fit their cells
    framed = [("framed: changed", style.INK)] if few and changed.any() else []
    pen.unit(f"↓ {unit}", *framed)
    dx, dy = 4 / (pen.size / pen.axes.room(grid)[::-1])  # frames don't touch
    for row, column in np.argwhere(changed) if few else ():
        pen.box(column - 0.5 + dx, row - 0.5 + dy, 1 - 2 * dx, 1 - 2 * dy, lw=1.8)
    if few:
        pen.fill("{:.2f}", style.WORDS, blank=0)  # masked cells stay empty
    if not order:
        return "Every other order is compared with this one."
    told = f"{changed.sum()} of {changed.size} {what} changed"
    if not changed.any():
        told = f"Same {same}, new places" if moved else f"No {what[:-1]} changed"
    pen.title(told)
    return f"{told}, compared with “{NAMES[0]}”."


def color_of(token: str) -> str:
    """Return the color of a token."""
    return dict(zip(TOKENS, (style.KEY, style.OTHER, style.PAIR), strict=True))[token]


def on_tile(token: str) -> dict:
    """Return the look of a token on its tile."""
    color = color_of(token)
    tile = {"boxstyle": "round,pad=0.35", "facecolor": color, "edgecolor": "none"}
    return {"bbox": tile, "color": style.readable_on(color), "fontsize": style.NUMBERS} | BOLD


def tiles(pen, tokens, *axes: str) -> None:
    """Write tokens along axes, each on a tile in its color."""
    for axis, (at, token) in itertools.product(axes, enumerate(tokens)):
        place, move, side = (at, 0), (0, -14), "center"
        if axis == "y":
            place, move, side = (0, at), (-9, 0), "right"
        pen.text(token, place, move, within=axis, ha=side, **on_tile(token))


def looks(tokens: list[str], weights: np.ndarray) -> str:
    """Say where each token looks most."""
    found = []
    for token, row in zip(tokens, weights, strict=True):
        top = int(row.argmax())
        at = "itself" if tokens[top] == token else tokens[top]
        most = "looks most at" if not found else "at"
        found.append(f"{token} {most} {at} ({100 * row[top]:.0f}%)")
    return ", ".join(found)


@view(
    "free",
    "Who looks at whom",
    x="",
    left=8,
    wide=640,
    **REORDERED,
)
def sentence_arcs(pen, encoding, order=ORDER, causal=CAUSAL):
    """Draw an arc from each of a few tokens to each it looks at, as wide as the weight.

    It has the color of the token that looks, and a head. A look to the right is above the tokens,
    a look to the left below them.
    """
    shown, _, weights = attended(encoding, order, causal)
    weights, sentence = weights[shown][:, shown], [TOKENS[k] for k in shown]
    wide, high = pen.size
    pen.axes((0, wide), (0, high), x="", xticks=(), yticks=())  # data are px
    places = (np.arange(len(shown)) + 0.5) * wide / len(shown)
    middle = high / 2
    for (row, column), weight in np.ndenumerate(weights):
        if weight > 0:
            color, lw = color_of(sentence[row]), THIN + THICK * weight
            if row == column:
                outward = np.sign(places[row] - wide / 2) * LOOP  # away from the arcs
                up = middle + CLEAR + LOOP
                pen.ring([(places[row] + outward, up)], color, 2 * LOOP, lw)
                continue
            side = -1 if column < row else 1
            arc, head = _arc(places[row], places[column], ASIDE[abs(row - column)], lw / POINT)
            for part in arc, head:
                part[:, 1] = middle + side * (CLEAR + np.minimum(part[:, 1], middle - CLEAR - 9))
            pen.strokes([arc], capstyle="butt", color=color, lw=lw)
            pen.shapes([head], color=color)
    for token, place in zip(sentence, places, strict=True):
        pen.text(token, (place, middle), **on_tile(token))
    pen.points = np.stack([places, np.full(len(places), middle)], axis=-1)
    pen.says = lambda x, y: _row_of(sentence, weights, np.abs(places - x).argmin())
    pen.unit("from the word that looks to the word it looks at")
    return f"“{' '.join(sentence)}”: {looks(sentence, weights)}."


def _arc(start: float, end: float, aside: int, wide: float) -> tuple[np.ndarray, np.ndarray]:
    """Return an arc from one place to another, (points, 2), from 0 up, and its head, (3, 2)."""
    start, end = start + np.sign(end - start) * aside, end - np.sign(end - start) * aside
    half, angles = (end - start) / 2, np.linspace(0, np.pi, 193)
    high = max(0.55 * abs(half), 2 * HEAD)
    arc = np.stack([start + half * (1 - np.cos(angles)), high * np.sin(angles)], axis=1)
    tip = arc[-1]
    shaft = arc[np.linalg.norm(arc - tip, axis=1) >= HEAD]
    along = (tip - shaft[-1]) / np.linalg.norm(tip - shaft[-1])
    across = along[::-1] * (-3.5 - wide / 2, 3.5 + wide / 2)
    neck = shaft[-1] - along  # a px of overlap
    return shaft, np.stack([tip, neck + across, neck - across])


def _row_of(tokens: list[str], weights: np.ndarray, row: int) -> str:
    """Say how much attention a token gives each."""
    shares = zip(tokens, weights[row], strict=True)
    return f"{tokens[row]} gives " + ", ".join(f"{to} {number(weight)}" for to, weight in shares)


@view("cells", "Row looks at column", x="at whom", square=True, left=52, scale=False, **REORDERED)
def attention_weights(pen, encoding, order=ORDER, causal=CAUSAL):
    """Color the attention weights of a few tokens in an order you choose.

    Frames mark the weights that differ from those in the first order.
    """
    (shown, _, now), (*_, first) = (attended(encoding, k, causal) for k in (order, 0))
    # also where the mask has taken a weight away
    changed = (np.abs(now - first) > SAME)[shown][:, shown]
    weights, sentence = now[shown][:, shown], [TOKENS[k] for k in shown]
    look = {"cmap": style.sequential(), "xticks": (), "yticks": ()}
    look |= {"moved": shown != sorted(shown), "same": "weights"}
    told = compare(pen, weights, changed, (0.0, 1.0), "who looks", "weights", order, **look)
    tiles(pen, sentence, "x", "y")
    return f"{told} “{' '.join(sentence)}”: {looks(sentence, weights)}."


@view("cells", "The output for each word", x="dim", left=52, **REORDERED)
def outputs(pen, encoding, order=ORDER, causal=CAUSAL):
    """Color attention's output for each token, and the mean of these outputs.

    Rows follow the order; the mean is last. Frames mark the numbers that differ from those of the
    same token in the first order.
    """
    (shown, now, _), (_, before, _) = (attended(encoding, which, causal) for which in (order, 0))
    rows, first = (np.vstack([x[shown], x.mean(axis=0)]) for x in (now, before))
    bound = max(1.5, style.tight_bound(float(np.abs([rows, first]).max())))
    tokens, changed = [TOKENS[k] for k in shown], np.abs(rows - first) > SAME
    look = {"yticks": {len(tokens): "mean"}}
    look |= {"moved": shown != sorted(shown), "same": "outputs"}
    told = compare(pen, rows, changed, (-bound, bound), "output for", "numbers", order, **look)
    tiles(pen, tokens, "y")
    seen = ", ".join(
        f"{name} {number(row[0])}" for name, row in zip((*tokens, "mean"), rows, strict=True)
    )
    return f"{told} Outputs, dim 0: {seen}."
