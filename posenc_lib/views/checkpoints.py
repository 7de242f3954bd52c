"""RoPE in real code: a checkpoint ported to the other pairing, the order it needs, bugs, and narrow numbers."""

from functools import lru_cache

import numpy as np

from posenc_lib.encodings.pairing import PAIRINGS, order_for_other
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.precision import PRECISIONS, table_error
from posenc_lib.encodings.rope_bugs import BUGS
from posenc_lib.views import style
from posenc_lib.views.all_pairs import PAIRS
from posenc_lib.views.pen import color_limits
from posenc_lib.views.scores import DOTTED, eighths
from posenc_lib.views.style import number
from posenc_lib.views.view import QUERY, view

NUMBERED = 16  # dims whose numbers are written
LAST = 2**20
ROOM = 4.0  # between two names: times the error
DENSE = 1024  # up to here every position is tried; beyond it some, those at and after powers of two among them
PERMUTED = Parameter("permuted", "whether the rows of W_q and W_k were permuted", False, options=(False, True))
BUG = Parameter("bug", "what goes wrong", "none", options=("none", *BUGS))
POSITION = Parameter("position", "up to which position", 1024, 2, LAST, 1, "power of two", most=LAST, least=1)
_POWERS = 2 ** np.arange(21)
TRIED = np.unique([*range(1, DENSE), *np.geomspace(DENSE, LAST, 300).round().astype(int), *_POWERS, *_POWERS[:-1] + 1])


def ported(encoding, *, permuted: bool) -> np.ndarray:
    """Return the scores of a model that was made for this pairing and now turns the pairs of the other one.

    permuted says whether its rows were put in the order that the other pairing needs; shape (seq_len, seq_len).
    """
    order = order_for_other(encoding.pairing, encoding.num_dims) if permuted else slice(None)
    other = encoding.at(pairing=next(pairing for pairing in PAIRINGS if pairing != encoding.pairing))
    q, k = (other.rotate(x[:, order], len(x)) for x in encoding.tiled_qk())
    return q @ k.T


@view(x="position of the key", needs="rotate pairing", ignores="layout")
def checkpoint_port(pen, encoding, query=QUERY, permuted=PERMUTED):
    """Draw the scores of a query after porting, those that are right in grey, on axes for all queries."""
    both = np.stack([ported(encoding, permuted=False), ported(encoding, permuted=True)])
    scores, right = both[int(permuted), query], both[1, query]
    pen.axes(len(scores), eighths(min(both.min(), 0), max(both.max(), 0), float(np.abs(both).max())))
    pen.unit("↑ score with", (f"position {query}", style.QUERY), "after porting; grey: the right one")
    gap = np.abs(scores - right)
    worst = int(gap.argmax())
    pen.curve(right, color=style.GHOST, lw=5)
    pen.curve(scores, each=len(scores) <= DOTTED)
    pen.query(query, top=scores[query])
    if not permuted:
        pen.strokes([[(worst, right[worst]), (worst, scores[worst])]], color=style.INK, lw=1.4)
        pen.mark([(worst, scores[worst])], size=9)
    pen.title("Permuted: every score is right" if permuted else f"Not permuted: wrong by up to {number(gap.max())}")
    if permuted:
        return f"Weights permuted: all scores of query {query} are right."
    text = f"Weights not permuted: the scores of query {query} are wrong by up to {number(gap.max())}"
    return f"{text}, for key {query} itself by {number(gap[query])}."


@view(
    "free",
    "The order that the other pairing needs",
    needs="rotate pairing",
    numbers=56,
    pointer=("dim", None),
    matters=lambda encoding: [n for n in encoding.values if n in (encoding.width, "pairing")],
)
def permutation(pen, encoding):
    """Join each row's old place with its new one; an arc joins the two that turn together, before and after."""
    order, interleaved = order_for_other(encoding.pairing, encoding.num_dims), encoding.pairing == "interleaved"
    width, half = len(order), encoding.num_dims // 2
    pair = order // 2 if interleaved else order % half
    shades = style.shades(np.linspace(0, 0.8, half))  # one colour for each pair
    colors = shades[pair]  # by new places
    places = np.arange(width)
    ends = (-1.15, 1.5) if interleaved else (-0.5, 2.15)
    pen.axes((-0.7, width - 0.3), ends, xticks=(), yticks={1: "before", 0: "after"})
    across, along = pen.size / (width + 0.4, ends[1] - ends[0])  # px of a step to the right, of one up
    pen.unit("one colour and one arc for two rows that turn together")
    before, after = np.stack([order, np.ones(width)], axis=1), np.stack([places, np.zeros(width)], axis=1)
    lw = float(np.clip(pen.size[0] / width / 8, 0.7, 2.4))
    together, at = np.argsort(pair, kind="stable").reshape(half, 2), np.linspace(0, np.pi, 33)
    for row, up, level in ((order, 1, 1.0), (places, -1, 0.0)):
        a, b = np.sort(row[together], axis=1).T[..., None]
        high = up * np.minimum(1.0, 0.7 * (b - a) * across / along)
        arcs = np.stack([(a + b) / 2 - (b - a) / 2 * np.cos(at), level + high * np.sin(at)], axis=-1)
        pen.strokes(arcs, color=shades, lw=lw)
    pen.strokes(np.stack([before, after], axis=1), color=colors, lw=lw)
    numbered = width <= NUMBERED
    pen.dots(np.vstack([before, after]), color=np.vstack([colors, colors]), size=20 if numbered else 3 * lw + 2, lw=1)
    for place, row, color in zip(places, order, colors, strict=True) if numbered else ():
        look = {"color": style.readable_on(color), "fontsize": style.NUMBERS, "fontweight": "bold"}
        for spot in ((row, 1), (place, 0)):
            pen.text(str(row), spot, **look)
    apart = f"{style.plural(half, 'place')} apart"
    pen.title(f"Neighbours move {apart}" if interleaved else f"Rows {apart} become neighbours")
    told = ", ".join(map(str, order[:NUMBERED])) + (", …" if width > NUMBERED else "")
    return f"New order of {width} rows: {told}; two of one colour turn together."


@view(
    "cells",
    "Scores that a bug makes",
    **PAIRS | {"y": "row of the query", "pointer": ("key", "query")},
    needs="rotate base",
    most_positions=512,
)
def rope_bugs(pen, encoding, bug=BUG):
    """Colour the scores that a bug makes, on a scale that holds the right ones, too."""
    matrix = right = encoding.similarity
    if bug != "none":
        queries, keys = BUGS[bug](encoding, *encoding.tiled_qk())
        matrix = queries @ keys.T
    pen.cells(matrix, color_limits(np.concatenate([matrix, right])))
    if bug == "none":
        pen.title("No bug: all scores are right")
        return f"No bug: {len(matrix)} × {len(right)} scores, all of them right."
    if matrix.shape != right.shape:
        pen.title(f"{style.plural(len(matrix), 'row')} of scores, one query")
        return f"Bug, {bug}: {len(matrix)} rows of scores over {len(right)} keys, for one query."
    gap = np.abs(matrix - right)
    wrong = number(100 * (gap > 1e-9 * np.abs(right).max()).mean())
    pen.title(f"{wrong} % are wrong, by up to {number(gap.max())}")
    return f"Bug, {bug}: {wrong} % of the scores are wrong, by up to {number(gap.max())}."


@lru_cache(64)
def worst(theta: bytes) -> dict[str, np.ndarray]:
    """Return the largest error of cos or sin up to each position tried, by precision; NaN where it has no number."""
    inv_freq = np.frombuffer(theta)
    own = {"head_dim": 2 * len(inv_freq), "inv_freq": inv_freq}
    errors = {name: table_error(TRIED, precision=name, **own) for name in PRECISIONS}
    return {name: np.where(np.isnan(error), np.nan, np.fmax.accumulate(error)) for name, error in errors.items()}


@view(
    "curves",
    "Largest error of cos or sin",
    x="up to position",
    y="largest error of cos or sin",
    needs="rotate",
    ignores="content pairing seq_len",
    pointer=("position", None),
    log="xy",
    lines="xy",
    shares=(),
    weight=1.7,
)
def precision(pen, encoding, position=POSITION):
    """Draw how wrong the table gets far out, in each of the formats that people use: the worst up to each position."""
    ticks = {at: f"{at:,}" for at in ((2, 64, 2048, 65_536, LAST) if pen.size[0] > 400 else (2, 64, 2048, LAST))}
    powers = {10.0**power: number(10.0**power) for power in range(-9, 2, 2)}
    pen.axes((1.5, 100 * LAST), (1e-9, 10), xticks=ticks, yticks=powers)
    k, told, tips = int(np.searchsorted(TRIED, position, side="right")) - 1, {}, []
    pen.query(position, name=f"{position:,}", color=style.INK)
    colors = (style.SOFT, style.OTHER, style.KEY, style.KEY, style.OTHER)  # one for each format
    looks = zip(worst(encoding.frequencies.tobytes()).items(), colors, ("-", "-", "-", ":", ":"), strict=True)
    for (name, error), color, dashes in looks:  # dots: rounded once
        shown = np.maximum(error[: k + 1], 1e-9)
        pen.curve(TRIED[: k + 1], shown, color=color, linestyle=dashes)
        last = np.flatnonzero(np.isfinite(shown))[-1]
        short = name.removeprefix("float64, ").replace("rounded once to", "once,")
        tips.append((shown[last], TRIED[last], short, color))
        told[name] = number(shown[k]) if last == k else "has no such number"
    above = np.inf
    for y, x, name, color in sorted(tips, reverse=True):  # the lower of two that are close a little lower
        above = min(y, above / ROOM)
        pen.label(name, (x, above), (8, 0), color=color, ha="left")
    pen.title(f"Up to position {position:,} bfloat16 is off by {told['bfloat16']}")
    tried = "all tried" if k + 1 == position else f"{k + 1:,} of them tried"
    words = ", ".join(f"{name} {error}" for name, error in told.items())
    return f"Largest error up to position {position:,} ({tried}): {words}."
