"""The pictures that only lesson 07 shows."""

import math
from dataclasses import replace

import numpy as np

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.attention import attention, softmax
from posenc_lib.encodings.offsets import relative_offsets
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.t5 import t5_bucket
from posenc_lib.lessons.training.tasks import SYMBOLS
from posenc_lib.lessons.training.trained_table import (
    DONE,
    LENGTH,
    MODEL_SEED,
    SEEDS,
    SNAPSHOTS,
    TASK_NAMES,
    kept_numbers,
)
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


TASK = Parameter("task", "what the models learned", "look_back", options=TASK_NAMES)
AFTER = replace(DONE, default=DONE.high)
MODEL_HEAD = Parameter("model_head", "which of its two heads", 0, 0, 1, most=1)


def of_trained(name: str, parts: str, needs: str) -> dict:
    """Return what a picture asks for that shows parts of trained models with one encoding."""
    return {
        "needs": needs,
        "only": lambda encoding: encoding.name == name,
        "only_for": f"{name}, whose {parts} were trained",
        "matters": lambda encoding: [],
    }


OF_T5 = of_trained("t5", "numbers", needs="buckets biases")


def learned_biases(task: str, seed: int, done: int) -> np.ndarray:
    """Return what each head of a trained T5 model adds, by distance, shape (2, LENGTH)."""
    numbers = kept_numbers("t5_near", task, seed)["buckets"][done]
    distances = -np.arange(LENGTH)
    return numbers[:, t5_bucket(distances, bidirectional=False, max_distance=LENGTH)]


@view("curves", "What training made of T5's numbers", x="key before the query", **OF_T5)
def learned_numbers(
    pen, encoding, task=TASK, done=AFTER, model_seed=MODEL_SEED, model_head=MODEL_HEAD
):
    """Draw the number that each offset gets in trained models: one head, and all others in gray."""
    each = np.array([learned_biases(task, seed, done) for seed in SEEDS])
    offsets, own = -np.arange(LENGTH), each[model_seed, model_head]
    pen.axes((0.5 - LENGTH, 0.5), (-3.2, 3.2), yticks=(-3, -2, -1, 0, 1, 2, 3))
    pen.rule("y", 0, style.RULE)
    others = np.stack([np.broadcast_to(offsets, each.shape), each], axis=-1)
    pen.strokes(others.reshape(-1, LENGTH, 2), color=style.GHOST, lw=0.8)
    pen.curve(offsets, own, dotted=True)
    pen.unit("↑ number:", ("one head", style.KEY), "of twenty, in ten models")
    steps = f"after {SNAPSHOTS[done]:,} steps"
    if not each.any():
        pen.title("Every number is 0 at first")
        return f"Trained on {task}, {steps}: every offset still has the number 0."
    best, least = int(own.argmax()), int(own.argmin())
    pen.mark([(-best, own[best])], size=9)
    pen.title(f"Highest at offset {number(-best)}: {number(own[best], 2)}")
    return (
        f"Trained on {task}, {steps}, head {model_head} adds most at offset {number(-best)}, "
        f"{number(own[best], 2)}, and least at {number(-least)}, {number(own[least], 2)}."
    )


@view("cells", "Where such a head looks", **PAIRS | OF_T5)
def learned_attention(
    pen, encoding, task=TASK, done=AFTER, model_seed=MODEL_SEED, model_head=MODEL_HEAD
):
    """Color the attention that a trained head's numbers alone make, if all tokens match alike."""
    by_distance = learned_biases(task, model_seed, done)[model_head]
    offsets = relative_offsets(LENGTH)
    weights = softmax(np.where(offsets > 0, -np.inf, by_distance[np.maximum(-offsets, 0)]))
    pen.cells(masked(weights, causal=True), (0.0, 0.5), cmap=style.sequential())
    last = weights[-1, ::-1]  # by distance
    best = int(last.argmax())
    pen.title(f"Offset {number(-best)} gets {last[best]:.0%}")
    return (
        f"By these numbers alone, the last of {LENGTH} tokens gives {last[best]:.0%} of its "
        f"attention to offset {number(-best)}."
    )


SYMBOL = Parameter("symbol", "which symbol asks", 3, 0, SYMBOLS - 1, most=SYMBOLS - 1)
OF_SHAW = of_trained("shaw", "vectors", needs="buckets")


def asked(seed: int, done: int, head: int) -> np.ndarray:
    """Return q·a/√d of each symbol's query with the vector of each offset, −8 … 0."""
    kept = kept_numbers("shaw", "two_kinds", seed)
    queries, vectors = kept["queries"][done, head], kept["vectors"][done]
    return (queries @ vectors.T / math.sqrt(queries.shape[1]))[:, ::-1]


@view("cells", "What each symbol asks for", **OF_SHAW)
def asked_offsets(
    pen, encoding, done=AFTER, model_seed=MODEL_SEED, model_head=MODEL_HEAD, symbol=SYMBOL
):
    """Color what a trained query of each symbol adds to its score at each offset."""
    grid = asked(model_seed, done, model_head)
    last = grid.shape[1] - 1
    names = {column: number(column - last) for column in range(last + 1)} | {0: f"≤ −{last}"}
    pen.cells(grid, (-4, 4), xticks=names, yticks=range(0, SYMBOLS, 3))
    pen.unit("↓ symbol; → key before the query")
    pen.query(y=symbol)
    if not grid.any():
        pen.title("Every vector is 0 at first")
        return f"After {SNAPSHOTS[done]} steps, no symbol asks for any offset yet."
    pen.title(f"Symbol {symbol} asks for offset {number(int(grid[symbol].argmax()) - last)}")
    best = grid.argmax(axis=1) - last
    told = []
    for offset in np.unique(best)[::-1]:
        symbols = ", ".join(map(str, np.flatnonzero(best == offset)))
        told.append(f"offset {number(int(offset))} most for {symbols}")
    return f"After {SNAPSHOTS[done]:,} steps: {'; '.join(told)}."


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
    pen.title(f"One back: {back.mean():.2f} on average, {back[least]:.2f} at least")
    return (
        f"{number(back.mean())} of attention on the word before, "
        f"the least {number(back[least])} at {least + 1}"
    )


UNREAD = "content head head_dim seed"  # parameters that change no row


def rows_read(encoding, last: int) -> tuple[np.ndarray, int]:
    """Return the row of the table that each offset −last … last reads, and how many there are."""
    # in the last buckets, whatever the encoding
    most = encoding.buckets(np.array([-(10**6), 10**6])).max()
    return encoding.buckets(np.arange(-last, last + 1)), int(most) + 1


@view(
    x=OFFSETS,
    title="Which row an offset reads",
    y="row of the table",
    needs="buckets",
    ignores=UNREAD,
)
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
