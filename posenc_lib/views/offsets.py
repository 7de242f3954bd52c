"""What an encoding does to scores: by the offset, beside the scores of the tokens, and at most."""

import math

import numpy as np

from posenc_lib.encodings import toy_data
from posenc_lib.views import style
from posenc_lib.views.all_pairs import masked
from posenc_lib.views.attention import no_row
from posenc_lib.views.scores import OFFSETS
from posenc_lib.views.style import number
from posenc_lib.views.view import CAUSAL, QUERY, view

CUT = 4.0  # what is added to a score: e^4 is 55 times the weight, and e^−4 next to none
FARTHEST, TRIED = 20_000, 800  # the last offset, and how many up to it, in equal steps of their logarithm
WRITTEN = 5  # tokens up to which each cell's number is written


@view(
    "curves",
    "What the position adds",
    x=OFFSETS,
    needs="attend",
    ignores="content draw",
    most_positions=512,
    shows_end=True,
)
def position_effect(pen, encoding, query=QUERY, causal=CAUSAL):
    """Draw what an encoding adds to the scores of one query, against the offset; the same token stands everywhere.

    The axes are the same for every encoding and every query.
    """
    seq_len, known = encoding.seq_len, encoding.max_positions
    ends = (0.5 - seq_len, (seq_len - 1) * (0.06 if causal else 1) + 0.5)
    pen.axes(ends, (-1.05 * CUT, 1.05 * CUT), yticks=(-4, -2, 0, 2, 4), x=(OFFSETS[0], "" if causal else OFFSETS[1]))
    pen.unit(f"↑ added to the score, cut at ±{CUT:.0f};", ("own key", style.QUERY))
    if query >= known:
        pen.missing(*ends)
        return no_row(pen, query, known)
    if known < seq_len and not causal:
        pen.missing(known - query - 0.5, ends[1])
    x = np.broadcast_to(toy_data.tokens(1, encoding.num_dims), (known, encoding.num_dims))[:seq_len]
    q, k, _ = encoding.projected(x[:1])
    effect = encoding.logits(x)[query] - q[0] @ k[0] / math.sqrt(len(q[0]))
    effect = effect[: query + 1] if causal else effect
    offsets, most = np.arange(len(effect)) - query, int(np.abs(effect).argmax())
    pen.curve(offsets, effect)
    if abs(effect[most]) > 1e-9:
        pen.mark([(offsets[most], effect[most])])
    way, much = "Raises" if effect[most] > 0 else "Lowers", number(abs(effect[most]), 2)
    raised = f"{way} most at offset {number(offsets[most])}: by {much}"
    pen.title(raised if abs(effect[most]) > 1e-9 else "Adds nothing at any offset")
    pen.mark([(0, effect[query])], style.QUERY, 9)
    own, first = number(effect[query]), number(effect[0])
    return f"Position {query}: {own} is added to the score of its own key, {first} to that of key 0."


@view(
    "cells",
    "Scores of the words, bias, and their sum",
    x="position of the key",
    y="position of the query",
    needs="biases",
    pointer=(None, None),
    weight=2.0,
    most_positions=32,
)
def bias_added(pen, encoding, query=QUERY):
    """Colour the scores of some tokens, the bias of one head, and their sum, side by side; later keys are masked."""
    q, k, _ = encoding.projected(toy_data.tokens(encoding.seq_len, encoding.num_dims))
    scores, bias = q @ k.T / math.sqrt(q.shape[1]), encoding.relate(q, k)["bias"]
    n, head, gap = len(q), encoding.head, np.full((len(q), 1), np.nan)
    parts = [masked(part, causal=True) for part in (scores, bias, scores + bias)]
    bound = style.tight_bound(float(np.abs(scores).max() + np.abs(encoding.biases(np.arange(1 - n, 1))).max()))
    starts, ticks = (0, n + 1, 2 * n + 2), range(n) if n <= WRITTEN else (0, n // 2)
    xticks = {start + key: str(key) for start in starts for key in ticks}
    grid = np.hstack([parts[0], gap, parts[1], gap, parts[2]])
    pen.cells(grid, (-bound, bound), yticks=range(n) if n <= WRITTEN else None, xticks=xticks)  # of all heads alike
    for start, name in zip(starts, ("q·k / √d", "+ bias", "= score"), strict=True):
        pen.frame(start - 0.5, query - 0.5, query + 1, 1)
        pen.text(name, (start + n - 0.5, -0.5), (0, -9), ha="right", fontweight="bold", halo=True)
    pen.at("y", query, color=style.QUERY)
    if n <= WRITTEN:
        pen.fill("{:z.1f}", min(pen.size[0] / (3 * n + 2) / 3.9, 8.4))
    first = [number(part[query, 0]) for part in parts]
    by, moved = first[1].strip("−"), "raises" if bias[query, 0] > 0 else "lowers"
    pen.title(f"Head {head} {moved} the score of key 0 by {by}" if by != "0" else f"Head {head} leaves key 0 as it is")
    return f"Head {head}, query {query}, key 0: {first[0]} of the words + {first[1]} of the bias = {first[2]}."


@view(
    "curves",
    "Scores and their ceilings",
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
    pen.rule("y", simple, style.INK, 2)
    pen.label("proven ceiling", (1, proven[0]), (8, 12), ha="left", color=style.OTHER)
    pen.label("all pairs together", (FARTHEST, simple), (-8, 12), ha="right")
    pen.label("score", (1, 1.5e-4 * high), (8, 8), ha="left", color=style.KEY)
    most = number(scores.max())
    pen.title(f"Scores up to {most}, never above {number(simple)}")
    least = f"the proven ceiling is never below {number(proven.min())}"
    return f"Offsets 1 to {FARTHEST:,}: scores up to {most}; all pairs together could add {number(simple)}; {least}."
