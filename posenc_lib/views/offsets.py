"""What an encoding does to scores: by the offset, beside the scores of the tokens, ported wrongly, at most."""

import math

import numpy as np

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.attention import softmax
from posenc_lib.views import style
from posenc_lib.views.all_pairs import masked
from posenc_lib.views.scores import OFFSETS
from posenc_lib.views.style import number
from posenc_lib.views.view import CAUSAL, QUERY, view

CUT = 4.0  # what is added to a score: e^4 is 55 times the weight, and e^−4 next to none
MOST_SHARE = 40  # % of its attention that a query gives to one key, as far as it is drawn
FARTHEST, TRIED = 20_000, 800  # the last offset, and how many up to it, in equal steps of their logarithm
WRITTEN = 5  # tokens up to which each cell's number is written
ROOMY = 12  # px between two grids that hold a plus sign


@view(
    title="What the position adds",
    x=OFFSETS,
    needs="attend",
    ignores="content draw",
    most_positions=512,
    shows_end=True,
    pointer=("offset", None),
)
def position_effect(pen, encoding, query=QUERY, causal=CAUSAL):
    """Draw what an encoding adds to the scores of one query, against the offset; the same token stands everywhere.

    The axes are the same for every encoding and every query.
    """
    seq_len, known = encoding.seq_len, encoding.max_positions
    effect, offsets, first = np.full(seq_len, np.nan), np.arange(seq_len) - query, 1 - seq_len
    if query < known:
        x = np.broadcast_to(toy_data.tokens(1, encoding.num_dims), (known, encoding.num_dims))
        q, k, _ = encoding.projected(x[:1])
        effect[:known] = encoding.logits(x)[query] - q[0] @ k[0] / math.sqrt(len(q[0]))
    effect[query + 1 if causal else seq_len :] = np.nan
    ends = (first - 0.5, (0.06 * -first if causal else -first) + 0.5)
    yticks = np.linspace(-CUT, CUT, 5).tolist()
    pen.axes(ends, (-1.05 * CUT, 1.05 * CUT), yticks=yticks, x=(OFFSETS[0], "") if causal else OFFSETS)
    pen.unit(f"↑ added to the score, cut at ±{CUT:.0f};", ("own key", style.QUERY))
    begins = ends[0] if query >= known else known - query - 0.5
    missing = query >= known or (known < seq_len and not causal)
    if missing:
        pen.missing(begins, max(ends[1], begins), "no row")
    pen.curve(offsets, effect)
    if query >= known:
        pen.title(f"Position {query} has no row")
        return f"Position {query} has no row: the table ends at {known - 1}, and asking for more is an error."
    most = int(np.nanargmax(np.abs(effect)))
    farthest(pen, offsets, effect, most)
    pen.dots([(0, effect[query])], color=style.QUERY, size=9, lw=1.2)
    pen.traces = pen.traces[:1]  # only the curve has a ghost
    near = max(query - 1, 0)
    own, *others = (number(each) for each in (effect[query], effect[near], near - query, effect[0], -query))
    told = f"Position {query}: {own} is added to the score of its own key, "
    told += "{} at offset {}, {} at {}".format(*others)
    return f"{told}; no row from {known} on." if missing else f"{told}."


def farthest(pen, offsets, effect, most: int) -> None:
    """Mark where a curve is farthest from 0, and say so in the title."""
    at, much = number(int(offsets[most])), float(effect[most])
    if abs(much) < 1e-9:
        pen.title("Adds nothing at any offset")
        return
    pen.title(f"{'Raises' if much > 0 else 'Lowers'} most at offset {at}: by {number(abs(much), 2)}")
    if abs(much) <= CUT:
        pen.dots([(offsets[most], much)], color=style.INK, size=7, lw=1.2)
    else:
        before = offsets[most] < 0
        past = np.flatnonzero((np.abs(effect) > CUT) & ((offsets < 0) == before))
        leaves = offsets[past[np.abs(offsets[past]).argmin()]]
        move, ha = ((-8, 8), "right") if before else ((8, 8), "left")
        pen.label(f"to {number(much)}", (leaves, math.copysign(CUT, much)), move, ha=ha)


@view(
    "cells",
    "Scores of the words, bias, and their sum",
    x="position of the key",
    y="position of the query",
    needs="biases",
    pointer=(None, None),
    weight=2.4,
    most_positions=32,
)
def bias_added(pen, encoding, query=QUERY):
    """Colour the scores of some tokens, the bias of one head, and their sum, side by side; later keys are masked."""
    q, k, _ = encoding.projected(toy_data.tokens(encoding.seq_len, encoding.num_dims))
    scores, bias = q @ k.T / math.sqrt(q.shape[1]), encoding.relate(q, k)["bias"]
    n, head, between = len(q), encoding.head, np.full((len(q), 1), np.nan)
    largest = np.abs(scores).max() + np.abs(encoding.biases(np.arange(1 - n, 1))).max()  # of all heads
    parts = [masked(part, causal=True) for part in (scores, bias, scores + bias)]
    bound, starts = style.tight_bound(float(largest)), [part * (n + 1) for part in range(3)]
    keys = range(n) if n <= WRITTEN else (0, n // 2)
    grid = np.hstack([parts[0], between, parts[1], between, parts[2]])
    yticks = range(n) if n <= WRITTEN else None
    pen.cells(grid, (-bound, bound), yticks=yticks, xticks={start + key: str(key) for start in starts for key in keys})
    for start, sign, name in zip(starts, ("", "+", "="), ("q·k / √d", "bias", "score"), strict=True):
        pen.frame(start - 0.5, query - 0.5, query + 1, 1)
        roomy = pen.size[0] / pen.room(grid)[1] > ROOMY
        words = name if roomy else f"{sign} {name}"
        pen.text(words, (start + n - 0.5, -0.5), (0, -9), ha="right", fontweight="bold", halo=True)
        if roomy and sign:
            pen.text(sign, (start - 1, query), fontsize=style.TITLE, fontweight="bold")
    pen.at("y", query, color=style.QUERY)
    seen = list(map(tuple, np.argwhere(np.isfinite(grid)))) if n <= WRITTEN else []
    pen.fill(seen, [_short(grid[cell]) for cell in seen], min(pen.size[0] / (3 * n + 2) / 3.9, 8.4))
    first = [number(part[query, 0]) for part in parts]
    by, moved = first[1].strip("−"), "raises" if bias[query, 0] > 0 else "lowers"
    pen.title(f"Head {head} {moved} the score of key 0 by {by}" if by != "0" else f"Head {head} leaves key 0 as it is")
    return f"Head {head}, query {query}, key 0: {first[0]} of the words + {first[1]} of the bias = {first[2]}."


@view(title="Where the query looks", x="position of the key", needs="biases num_heads", most_positions=512)
def bias_port(pen, encoding, query=QUERY):
    """Draw where one query looks in a head of the formula, and in Falcon's order: add the bias, then divide."""
    head, keys = encoding.head, np.arange(query + 1)
    q, k, _ = encoding.projected(toy_data.tokens(encoding.seq_len, encoding.num_dims))
    scores, biases = k[: query + 1] @ q[query], encoding.biases(np.arange(-query, 1))
    right = softmax(scores / math.sqrt(len(q[0])) + biases)[head]
    ported = softmax((scores + biases[0]) / math.sqrt(len(q[0])))
    pen.axes(encoding.seq_len, (0, 1.05 * MOST_SHARE))  # steep heads leave it, and the first queries
    names = (f"formula, head {head},", style.KEY), ("Falcon's order, head 0", style.OTHER)
    pen.unit(f"↑ % of attention, cut at {MOST_SHARE}:", *names)
    pen.curve(keys, 100 * ported, color=style.OTHER, lw=5, alpha=0.5)
    pen.curve(keys, 100 * right)
    seen = 100 * right[query] <= MOST_SHARE
    pen.query(query, top=100 * right[query] if seen else None)
    most = number(100 * np.abs(right - ported).max())
    apart = f"at most {most} percentage points apart"
    pen.title(f"Head {head} and the port agree" if most == "0" else f"Head {head} and the port: {apart}")
    text = f"Position {query} gives its own key {number(100 * right[query])} % in head {head} of the formula"
    return f"{text}, {number(100 * ported[query])} % in head 0 of Falcon's order; {apart}."


@view(
    title="Scores and their ceilings",
    x="offset: key − query",
    y="size of the score",
    needs="rotate query_and_key",
    ignores="seq_len",
    log="xy",
    numbers=76,
    pointer=(None, None),
)
def score_ceiling(pen, encoding):
    """Draw the scores of one query and key by offset, and two ceilings that none can pass.

    Source: Su et al. 2021, "RoFormer", section 3.4.3, for the proven one.
    """
    dims = np.stack(encoding.pair_dims(np.arange(len(encoding.frequencies))))
    q, k = ((x[0] + 1j * x[1]) * encoding.attention_factor for x in encoding.query_and_key()[:, dims])
    each = q.conj() * k  # what a pair adds is the real part of this, turned
    offsets = np.unique(np.geomspace(1, FARTHEST, TRIED).round())
    waves = np.exp(1j * np.outer(offsets, encoding.frequencies))
    scores, simple = np.abs((waves @ each).real), float(np.abs(each).sum())
    proven = np.abs(np.diff(each, append=0)).max() * np.abs(np.cumsum(waves, axis=1)).sum(axis=1)
    high = 10.0 ** np.ceil(np.log10(max(proven.max(), simple, 1)) + 0.3)
    pen.axes((1, FARTHEST), (1e-4 * high, high))
    pen.curve(offsets, np.maximum(scores, 1e-4 * high), lw=1)
    pen.curve(offsets, proven, color=style.OTHER, lw=1.2)
    pen.strokes_of([1, FARTHEST], [simple, simple], style.INK, 2)
    close = 18 - abs(float(np.diff([pen.px((1, y))[1] for y in (simple, proven[0])])[0]))  # of two names
    pen.label("proven ceiling", (1, proven[0]), (8, 12 + max(close, 0)), ha="left", color=style.OTHER)
    pen.label("all pairs together", (1, simple), (8, 12), ha="left")
    pen.label("score", (1, 1.5e-4 * high), (8, 8), ha="left", color=style.KEY)
    lowest, most = proven.argmin(), number(scores.max())
    pen.title(f"Scores up to {most}, never above {number(simple)}")
    return (
        f"Offsets 1 to {FARTHEST}: scores up to {most}; what all pairs could add together: "
        f"{number(simple)}; proven ceiling: {number(proven[0])} at 1, "
        f"lowest {number(proven[lowest])} at {number(int(offsets[lowest]))}."
    )


def _short(value: float) -> str:
    """Return a number that fits into a cell: one digit, two if it is small, and no zero before the point."""
    told = f"{value:.1f}" if abs(value) >= 0.05 else f"{value:.2f}"
    return told.replace("-", "−").replace("0.", ".", 1) if abs(value) >= 0.005 else "0"
