"""The pictures that only lesson 08 shows."""

import math

import numpy as np

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.attention import softmax
from posenc_lib.views import style
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
        pen.fill("{:z.2f}", min(pen.size[0] / (3 * n + 2) / 4.9, 8.4))
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


ROUND = np.linspace(0, np.pi, 97)
THIN, THICK = 0.7, 2.4  # points of an arc of weight 0, and how many more the heaviest has
MOST = 0.9  # of the attention, that stands out


@view(
    "free",
    "Where the query looks",
    x="position of the key",
    needs="biases",
    most_positions=512,
    left=8,
)
def attention_reach(pen, encoding, query=QUERY):
    """Draw an arc from a query to each key before it, as wide as its weight if all match equally.

    Those of the nearest keys that together get 90% stand out.
    """
    head, keys = encoding.head, np.arange(query + 1)
    weights = softmax(encoding.biases(keys - query)[head])
    count = _needed(weights[::-1])
    pen.axes(encoding.seq_len, (-0.06, 1.12), yticks=())
    middle, half = (keys + query) / 2, (query - keys) / 2
    x = middle[:, None] - half[:, None] * np.cos(ROUND)
    arcs = np.stack([x, half[:, None] * 2 / max(query, 1) * np.sin(ROUND)], axis=-1)
    near = keys > query - count
    shares = (weights / weights.max())[near]
    pen.strokes(arcs[~near], color=style.GRID, lw=0.7)
    pen.strokes(arcs[near], lw=THIN + THICK * shares, alpha=0.2 + 0.7 * shares, capstyle="butt")
    pen.unit(("arcs", style.KEY), "to the keys that get 90%")
    pen.mark([(query, 0)], style.QUERY, 10)
    pen.title(f"Head {head} sees {style.plural(count, 'key')}")
    nearest = f"the nearest {style.plural(count, 'key')}"
    return f"Head {head} gives {MOST:.0%} to {nearest}, {number(100 * weights[-1])}% to itself."


def _needed(nearest_first: np.ndarray) -> np.ndarray:
    """Return how many of the nearest keys it takes to get 90% of the attention."""
    # rounding must not add one
    return (np.cumsum(nearest_first, axis=-1) < MOST - 1e-12).sum(axis=-1) + 1


@view(
    "free",
    "Keys that get 90%",
    x="keys, nearest first",
    needs="biases",
    y="head",
    lines="x",
    log="x",
)
def attention_span(pen, encoding):
    """Draw how many of the nearest keys get 90% of each head's attention, if all match equally."""
    seq_len, head = encoding.seq_len, encoding.head
    weights = softmax(encoding.biases(np.arange(1 - seq_len, 1)))[:, ::-1]
    keys = _needed(weights)
    heads, few = np.arange(len(keys)), len(keys) <= 16
    doublings = [2**k for k in range(13) if 2**k <= seq_len][:: 1 + (seq_len > 512)]
    pen.axes(
        (0.8, 3 * seq_len),
        (len(keys) - 0.4, -0.6),
        yticks=heads[:: 1 + len(keys) // 17],
        xticks=doublings,
    )
    pen.unit("↓ head: how many keys get 90%")
    tracks = np.stack([0 * keys + 0.8, heads, 0 * keys + seq_len, heads], axis=1).reshape(-1, 2, 2)
    pen.strokes(tracks, color=style.GRID, lw=2)
    pen.mark(np.stack([keys, heads], axis=1), style.SOFT, 8 if few else 5)
    pen.mark([(keys[head], head)], style.KEY, 12)
    for k in heads if few else [head]:
        look = {"color": style.KEY, "fontweight": "bold"} if k == head else {"color": style.SOFT}
        pen.text(str(keys[k]), (seq_len, k), (10, 0), ha="left", **look)
    pen.tick("y", head, color=style.KEY)
    pen.says = lambda x, y: style.plural(int(keys[min(max(round(y), 0), len(keys) - 1)]), "key")
    pen.title(f"Head {head}: 90% on {style.plural(int(keys[head]), 'key')}")
    each = ", ".join(map(str, keys))
    told = f"out of {seq_len}, that get 90% of each head's attention when all match equally"
    return f"Nearest keys, {told}: {each}."


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
    pen.title(f"Head {head}: the nearest {n} of {keys[-1]:,} get {shares[head, -1]:.0%}")
    each = ", ".join(f"{part:.2f}" for part in shares[:, -1])
    return (
        f"Of {keys[-1]:,} keys the nearest {n} get, head by head: {each}; "
        f"without positions {plain[-1]:.2f}."
    )
