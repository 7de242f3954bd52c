"""Encodings of the offset: the rows that pairs read, what each head adds to scores, and how far heads reach."""

from itertools import pairwise

import numpy as np

from posenc_lib.encodings.attention import softmax
from posenc_lib.views import style
from posenc_lib.views.scores import OFFSETS
from posenc_lib.views.style import number
from posenc_lib.views.view import OFFSET, QUERY, view

ENDLESS = 10**6  # an offset in the last bucket, whatever the encoding
LOWEST = -10.0  # what loses more than this gets next to no attention: e^-10 is 0.00005
TOLD = 16  # heads whose reach is written beside each line; of more only the chosen one's
FROM = 0.8  # where rulers begin on a scale on which 0 has no place
SHARE = 0.9 - 1e-12  # of the attention lies within a head's reach; rounding must not ask for one key more
ROOMY = 18  # px of a cell that holds a number
BUCKETS = {"needs": "buckets", "ignores": "content head head_dim seed"}


def rows_read(encoding, last: int) -> tuple[np.ndarray, int]:
    """Return the row of the table that each offset −last … last reads, and how many rows there are."""
    most = encoding.buckets(np.array([-ENDLESS, ENDLESS])).max()
    return encoding.buckets(np.arange(-last, last + 1)), int(most) + 1


@view(
    "cells",
    "The row each pair reads",
    x="position of the key",
    y="position of the query",
    square=True,
    most_positions=1024,
    **BUCKETS,
)
def bucket_map(pen, encoding, query=QUERY):
    """Colour the row of the table that each pair reads, and write it where there is room."""
    n, (rows, count) = encoding.seq_len, rows_read(encoding, encoding.seq_len - 1)
    grid = np.lib.stride_tricks.sliding_window_view(rows, n)[::-1]
    pen.cells(grid, (0, max(count - 1, 1)), mixes=False)
    pen.query(y=query)
    cell = pen.size[0] / pen.room(grid)[1]
    if cell >= ROOMY:
        pen.fill("{:.0f}")
    starts = np.flatnonzero(np.diff(rows, prepend=-1, append=-1))
    for low, high in pairwise(starts) if cell < ROOMY else ():  # once for the diagonals that share a row
        if (high - low) * cell >= 1.3 * ROOMY:
            middle = (low + high - 1) / 2
            pen.label(str(rows[low]), (middle / 2, n - 1 - middle / 2), fontsize=style.NUMBERS)
    read = len(np.unique(grid[query]))
    pen.title(f"Query {query} reads {read} of {count} rows")
    ends = f"row {grid[query, 0]} for key 0, row {grid[query, query]} for itself, row {grid[query, -1]} for key {n - 1}"
    return f"Query {query} reads {read} of the table's {count} rows: {ends}."


@view(x=OFFSETS, title="Which row an offset reads", y="row of the table", **BUCKETS)
def bucket_by_offset(pen, encoding, offset=OFFSET):
    """Draw the row of the table against the offset; the offsets that share the chosen one's are tinted."""
    last = max(encoding.seq_len - 1, abs(offset))
    rows, count = rows_read(encoding, last)
    row, margin = rows[offset + last], 0.06 * max(count - 1, 1)
    pen.axes((-last - 0.5, last + 0.5), (-margin, count - 1 + margin), yticks=range(count) if count <= 4 else None)
    sharing = np.flatnonzero(rows == row) - last
    first, end = (number(int(at)) for at in sharing[[0, -1]])
    if len(sharing) > 1:
        pen.region(sharing[0] - 0.5, sharing[-1] + 0.5)
    pen.curve(np.arange(-last, last + 1), rows, drawstyle="steps-mid")
    pen.query(offset, top=row, color=style.INK)
    pen.title(f"Offsets {first} to {end} share row {row}" if len(sharing) > 1 else f"Offset {first} reads row {row}")
    alike = f", as do all from {first} to {end}" if len(sharing) > 1 else ", and no other does"
    return f"Offset {number(offset)} reads row {row} of {count}{alike}."


@view(title="What each head adds", x="position of the key", needs="biases")
def head_biases(pen, encoding, query=QUERY):
    """Draw the bias of every head for one query; one stands out."""
    biases, head = encoding.biases(np.arange(encoding.seq_len) - query), encoding.head
    keys, lowest, highest = np.arange(encoding.seq_len), biases.min(), biases.max()
    low = -style.nice_bound(-max(lowest, LOWEST)) if lowest < 0 else 0.0
    high = style.nice_bound(highest) if highest > 0 else 0.0
    margin = 0.05 * (high - low) or 1.0
    pen.axes(len(keys), (low - margin, high + margin))
    pen.unit("↑ bias, cut at −10:" if lowest < LOWEST else "↑ bias:", (f"head {head}", style.KEY), "; grey: the others")
    pen.strokes([np.stack([keys, bias], axis=1) for bias in biases], color=style.RULE, lw=0.8)
    pen.curve(biases[head], lw=2.6)
    pen.query(query)
    pen.mark([(query, biases[head, query])], style.QUERY, 9)

    def says(x, y):
        here = biases[:, min(max(round(x), 0), len(keys) - 1)]
        nearest = int(np.abs(here - y).argmin())
        return f"{number(here[nearest])} by head {nearest}" if here[nearest] >= low - margin else ""

    pen.says = says
    far = 0 if query >= len(keys) / 2 else len(keys) - 1
    own, away = number(biases[head, query]), number(biases[head, far])
    pen.title(f"Head {head} adds {away} to key {far}")
    return f"Head {head} of {len(biases)} adds {own} to key {query}, its own, and {away} to key {far}."


def reach(biases: np.ndarray) -> np.ndarray:
    """Return how many of the last keys hold 90 % of the attention, for biases of shape (num_heads, keys)."""
    nearest_first = softmax(biases)[:, ::-1]
    return (np.cumsum(nearest_first, axis=1) < SHARE).sum(axis=1) + 1


@view("free", "Keys that get 90 %", x="keys, nearest first", needs="biases", pointer=(None, "head"), lines="x", log="x")
def attention_span(pen, encoding):
    """Draw how many of the nearest keys hold 90 % of each head's attention, if all match equally well."""
    seq_len, head = encoding.seq_len, encoding.head
    keys = reach(encoding.biases(np.arange(1 - seq_len, 1)))
    heads = np.arange(len(keys))
    pen.axes((FROM, 1.6 * seq_len), (len(keys) - 0.4, -0.6), yticks=heads[:: 1 + len(keys) // (TOLD + 1)])
    pen.unit("↓ head: how many keys get 90 %")
    wide = np.where(heads == head, 9.0, 3.0) * min(1, TOLD / len(keys))
    for ends, color in ((seq_len, style.GRID), (keys, [style.KEY if k == head else style.INK for k in heads])):
        lines = [((FROM, k), (end, k)) for k, end in zip(heads, ends + 0 * keys, strict=True)]
        pen.strokes(np.array(lines), color=color, lw=wide, capstyle="butt")
    for k in heads if len(keys) <= TOLD else [head]:
        look = {"color": style.KEY, "fontweight": "bold"} if k == head else {}
        pen.text(str(keys[k]), (keys[k], k), (5, 0), ha="left", halo=True, **look)
    pen.at("y", head, color=style.KEY)
    pen.says = lambda x, y: f"{keys[min(max(round(y), 0), len(keys) - 1)]} keys"
    pen.title(f"Head {head}: 90 % to {style.plural(int(keys[head]), 'key')}")
    each = ", ".join(map(str, keys))
    return f"So many of {seq_len} keys, nearest first, get 90 % of each head's attention if all match alike: {each}."
