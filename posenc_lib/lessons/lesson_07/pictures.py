"""The pictures that only lesson 07 shows."""

import math

import numpy as np

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.attention import attention
from posenc_lib.encodings.offsets import relative_offsets
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.biases import ONE_QUERY, missing, no_row
from posenc_lib.views.scores import OFFSETS, PAIRS, masked
from posenc_lib.views.style import number
from posenc_lib.views.view import CAUSAL, OFFSET, QUERY, view


@view("curves", "What the position adds", x=OFFSETS, ignores="content draw", **ONE_QUERY)
def position_effect(pen, encoding, query=QUERY, causal=CAUSAL):
    """Draw what an encoding adds to the scores of one query, against the offset;
    the same token stands everywhere.
    """
    seq_len, known = encoding.seq_len, encoding.max_positions
    ends = (0.5 - seq_len, (seq_len - 1) * (0.06 if causal else 1) + 0.5)
    pen.axes(
        ends, (-4.2, 4.2), yticks=(-4, -2, 0, 2, 4), x=(OFFSETS[0], "" if causal else OFFSETS[1])
    )
    pen.unit("↑ added to the score, cut at ±4;", ("own key", style.QUERY))
    if query >= known:
        missing(pen, *ends)
        return no_row(pen, query, known)
    token = toy_data.tokens(1, encoding.num_dims)
    x = np.broadcast_to(token, (known, encoding.num_dims))[:seq_len]
    q, k, _ = encoding.projected(x[:1])
    effect = encoding.logits(x)[query] - q[0] @ k[0] / math.sqrt(len(q[0]))
    effect = effect[: query + 1] if causal else effect
    offsets, most = np.arange(len(effect)) - query, int(np.abs(effect).argmax())
    pen.curve(offsets, effect)
    pen.mark([(offsets[most], effect[most])])
    way, much = "Raises" if effect[most] > 0 else "Lowers", number(abs(effect[most]), 2)
    raised = f"{way} most at offset {number(offsets[most])}: by {much}"
    pen.title(raised if abs(effect[most]) > 1e-9 else "Adds nothing at any offset")
    pen.mark([(0, effect[query])], style.QUERY, 9)
    own, first = number(effect[query]), number(effect[0])
    return (
        f"Position {query}: {own} is added to the score of its own key, {first} to that of key 0."
    )


NUMBER = Parameter("number", "what is added to the score of the word just before", 9, 0, 16)

CONSTANT = Parameter("constant", "size of the vector added to all queries and keys", 10, 0, 20)

TEXT = Parameter("text", "which random text", 17, 0, 99)

PAIRS_MOVED = 6  # of the fastest pairs
ONE_BACK = PAIRS | {"needs": "rotate query_and_key", "most_positions": 256}


@view("cells", "A number at offset −1", **ONE_BACK, ignores="content base pairing")
def number_one_back(pen, encoding, number=NUMBER, text=TEXT):
    """Color where the words of a random text look if one number is added to the score of
    the word just before.
    """
    bias = np.where(relative_offsets(encoding.seq_len) == -1, float(number), 0.0)
    told = one_back(pen, *random_text(encoding, text), bias=bias)
    return f"The number {number} at offset −1: {told}."


@view("cells", "RoPE with a constant vector", **ONE_BACK, ignores="content")
def constant_one_back(pen, encoding, constant=CONSTANT, text=TEXT):
    """Color where the words of a random text look if RoPE gets a vector that is added to
    all queries and keys.

    In the keys it is turned by one position, so that it points the same way in a query and in the
    key just before.
    """
    q, k = random_text(encoding, text)
    added, places = np.zeros_like(q[:1]), np.arange(len(q))
    first, _ = encoding.pair_dims(np.arange(len(encoding.frequencies)))
    added[0, first[:PAIRS_MOVED]] = constant
    queries, keys = q + added, k + encoding.rotate(added, np.array([1]))
    told = one_back(pen, encoding.rotate(queries, places), encoding.rotate(keys, places))
    return f"RoPE with a constant vector of size {constant}: {told}."


def random_text(encoding, seed: int) -> np.ndarray:
    """Return the queries and the keys of a random text, shape (2, seq_len, d)."""
    return np.random.default_rng(seed).normal(size=(2, encoding.seq_len, encoding.num_dims))


def one_back(pen, q, k, **more) -> str:
    """Color attention under a causal mask; say how much of it goes one word back."""
    weights = attention(q, k, k, causal=True, **more)[1]
    back = np.diagonal(weights, -1)
    pen.cells(masked(weights, causal=True), (0.0, 1.0), cmap=style.sequential())
    if not len(back):
        return "one word has none before it"
    least = int(back.argmin())
    pen.box(least - 0.5, least + 0.5, 1, 1, lw=1.8)
    pen.title(f"{back.mean():.2f} one back, at least {back[least]:.2f}")
    return (
        f"{number(back.mean())} of attention on the word before, "
        f"the least {number(back[least])} at {least + 1}"
    )


BUCKETS = {"needs": "buckets", "ignores": "content head head_dim seed"}


def rows_read(encoding, last: int) -> tuple[np.ndarray, int]:
    """Return the row of the table that each offset −last … last reads, and how many there are."""
    most = encoding.buckets(
        np.array([-(10**6), 10**6])
    ).max()  # in the last buckets, whatever the encoding
    return encoding.buckets(np.arange(-last, last + 1)), int(most) + 1


@view(
    title="The numbers of a head",
    x="row of the table",
    **BUCKETS | {"needs": "buckets biases max_distance"},
)
def bucket_numbers(pen, encoding, offset=OFFSET):
    """Draw the number in each row of a head's table;
    that of an offset and that of the word before stand out.
    """
    last = max(encoding.max_distance, abs(offset))
    rows, count = rows_read(encoding, last)
    numbers = np.zeros(count)
    numbers[rows] = encoding.biases(np.arange(-last, last + 1))[encoding.head]
    near, far = (int(rows[at + last]) for at in (-1, offset))
    bound = style.nice_bound(np.abs(numbers).max())
    pen.axes(count, (-1.05 * bound, 1.05 * bound))
    pen.unit("↑ number:", ("just before", style.PAIR), (f"offset {number(offset)}", style.INK))
    pen.bars(np.arange(count), 0, numbers)
    for row, color in ((near, style.PAIR), (far, style.INK)):
        pen.bars([row], 0, numbers[[row]], color=color)
        pen.tick("x", row, color=color)
    pen.rule("y", 0, style.RULE, 0.8)
    first, second = (-1, offset) if numbers[near] > numbers[far] else (offset, -1)
    prefers = f"prefers offset {number(first)} over {number(second)}"
    pen.title(f"Head {encoding.head} {prefers if near != far else 'cannot tell them apart'}")
    told = f"row {near}, just before, holds {number(numbers[near])}"
    other = f"row {far}, for offset {number(offset)}, {number(numbers[far])}"
    return f"{count} numbers of head {encoding.head}: {told}; {other}."


@view(x=OFFSETS, title="Which row an offset reads", y="row of the table", **BUCKETS)
def bucket_by_offset(pen, encoding, offset=OFFSET):
    """Draw the row of the table against the offset; the offsets that share the chosen one's are
    tinted.
    """
    last = max(encoding.seq_len - 1, abs(offset))
    rows, count = rows_read(encoding, last)
    row, margin = rows[offset + last], 0.06 * max(count - 1, 1)
    pen.axes(
        (-last - 0.5, last + 0.5),
        (-margin, count - 1 + margin),
        yticks=range(count) if count <= 4 else None,
    )
    sharing = np.flatnonzero(rows == row) - last
    first, end = (number(int(at)) for at in sharing[[0, -1]])
    if len(sharing) > 1:
        pen.region(sharing[0] - 0.5, sharing[-1] + 0.5)
    pen.curve(np.arange(-last, last + 1), rows, drawstyle="steps-mid")
    pen.query(offset, top=row, color=style.INK)
    pen.title(
        f"Offsets {first} to {end} share row {row}"
        if len(sharing) > 1
        else f"Offset {first} reads row {row}"
    )
    alike = f", as do all from {first} to {end}" if len(sharing) > 1 else ", and no other does"
    return f"Offset {number(offset)} reads row {row} of {count}{alike}."
