"""The pictures that only lesson 08 shows."""

import math

import numpy as np

from posenc_lib.encodings import toy_data
from posenc_lib.views import style
from posenc_lib.views.biases import WORDS
from posenc_lib.views.scores import PAIRS, masked
from posenc_lib.views.style import number
from posenc_lib.views.view import QUERY, view

SUM = {"pointer": (None, None), "weight": 2.0, "most_positions": 32}  # three grids side by side


@view("cells", "Words, bias, and their sum", needs="biases", **PAIRS | {"square": False} | SUM)
def bias_added(pen, encoding, query=QUERY):
    """Color the scores of some tokens, the bias of one head, and their sum, side by side;
    later keys are masked.
    """
    q, k, _ = encoding.projected(toy_data.tokens(encoding.seq_len, encoding.num_dims))
    scores, bias = q @ k.T / math.sqrt(q.shape[1]), encoding.relate(q, k)["bias"]
    n, head, gap = len(q), encoding.head, np.full((len(q), 1), np.nan)
    parts = [masked(part, causal=True) for part in (scores, bias, scores + bias)]
    most = np.abs(encoding.biases(np.arange(1 - n, 1))).max()  # of all heads
    bound = style.tight_bound(float(np.abs(scores).max() + most))
    starts, ticks = (0, n + 1, 2 * n + 2), range(n) if n <= 5 else (0, n // 2)
    xticks = {start + key: str(key) for start in starts for key in ticks}
    grid = np.hstack([parts[0], gap, parts[1], gap, parts[2]])
    pen.cells(grid, (-bound, bound), yticks=range(n) if n <= 5 else None, xticks=xticks)
    for start, name in zip(starts, ("q·k / √d", "+ bias", "= score"), strict=True):
        pen.frame(start - 0.5, query - 0.5, query + 1, 1)
        pen.text(name, (start + n - 0.5, -0.5), (0, -9), ha="right", fontweight="bold", halo=True)
    pen.tick("y", query, color=style.QUERY)
    if n <= 5:
        pen.fill("{:z.1f}", min(pen.size[0] / (3 * n + 2) / 3.9, 8.4))
    first = [number(part[query, 0]) for part in parts]
    by, moved = first[1].strip("−"), "raises" if bias[query, 0] > 0 else "lowers"
    title = f"Head {head} leaves key 0 as it is"
    if by != "0":
        title = f"Head {head} {moved} the score of key 0 by {by}"
    pen.title(title)
    return (
        f"Head {head}, query {query}, key 0: "
        f"{first[0]} of the words + {first[1]} of the bias = {first[2]}."
    )


@view(
    "cells",
    "Where each word looks, by row",
    needs="attend",
    ignores="content",
    **PAIRS | {"most_positions": 512},
)
def attention_rows(pen, encoding, words=WORDS, query=None):
    """Color attention's weights of all words under a causal mask,
    in parts of the highest of each row.
    """
    n = encoding.max_positions
    tokens = toy_data.tokens(n if words == "different" else 1, encoding.num_dims)
    x = np.broadcast_to(tokens, (n, encoding.num_dims))
    fitting = encoding if n == encoding.seq_len else encoding.at(seq_len=n)
    weights = fitting.attend(x, causal=True)[1]
    parts = weights / weights.max(axis=1, keepdims=True)
    pen.cells(masked(parts, causal=True), (0.0, 1.0), cmap=style.sequential())
    pen.unit("↓ query; row ÷ its highest")
    pen.query(y=query)
    most = np.cumsum(np.sort(weights[-1])[::-1])
    count = int((most < 0.9 - 1e-12).sum()) + 1
    pen.title(f"Last row: 90 % in {style.plural(count, 'key')}")
    return (
        f"All pairs of {n} words, later keys masked: "
        f"the last word gives 90 % to {style.plural(count, 'key')}."
    )


@view(
    "curves",
    "What the nearest keys get",
    x="tokens in the text",
    needs="biases",
    log="x",
    most_positions=1024,
)
def near_mass(pen, encoding):
    """Draw the attention on the nearest seq_len keys against the length of the text, for each head;
    violet: no bias.
    """
    n, head = encoding.seq_len, encoding.head
    lengths = n * 2 ** np.arange(0, 6.25, 0.25)
    keys = np.unique(np.rint(lengths).astype(int))
    biases = encoding.biases(-np.arange(keys[-1]))  # nearest first
    sums = np.cumsum(np.exp(biases - biases.max(axis=1, keepdims=True)), axis=1)
    shares, plain = sums[:, [n - 1]] / sums[:, keys - 1], n / keys
    ticks = {n * 4**k: f"{n * 4**k:,}" for k in range(4)}
    pen.axes((n / 1.1, keys[-1] * 1.1), (-0.03, 1.08), xticks=ticks, yticks=(0, 0.25, 0.5, 0.75, 1))
    names = (f"head {head}", style.KEY), ("no positions", style.OTHER)
    pen.unit(f"↑ attention on the nearest {n} keys:", *names)
    pen.strokes([np.stack([keys, part], axis=1) for part in shares], color=style.RULE, lw=0.8)
    pen.curve(keys, shares[head], lw=2.6)
    pen.known = n
    pen.curve(keys, plain, color=style.OTHER, linestyle=(0, (4, 1.5)))
    pen.mark([(keys[-1], shares[head, -1])], size=9)
    share = f"{shares[head, -1]:.0%}".replace("%", " %")
    pen.title(f"Head {head}: the nearest {n} of {keys[-1]:,} get {share}")
    each = ", ".join(f"{part:.2f}" for part in shares[:, -1])
    return (
        f"Of {keys[-1]:,} keys the nearest {n} get, head by head: {each}; "
        f"without positions {plain[-1]:.2f}."
    )
