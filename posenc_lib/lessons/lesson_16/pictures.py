"""The pictures that only lesson 16 shows."""

import math

import numpy as np

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.lessons.lesson_16.attention_arcs import attention_arcs  # noqa: F401  (a view)
from posenc_lib.lessons.lesson_16.heads import PART, TRAINED, kept
from posenc_lib.views import style
from posenc_lib.views.scores import masked
from posenc_lib.views.view import QUERY, VIEWS, view

MAP = {
    "x": "position of the key",
    "y": "position of the query",
    "square": True,
    "most_positions": 512,
    "left": 64,
}

ROOM = MAP["left"] - 4  # px for a word on the left
MOST_LETTERS = 40  # never room for more
LINE = 13  # px between words


@view("cells", "Where each query looks", needs="attend", ignores="content", **MAP)
def attention_map(pen, encoding, query=QUERY):
    """Color attention's weights, with a row for each query, and frame one row.

    A query sees itself and the keys before it. The axes have the tokens, if they're known.
    """
    known = encoding.max_positions
    x = np.broadcast_to(toy_data.tokens(1, encoding.num_dims), (known, encoding.num_dims))
    weights = encoding.attend(x, causal=True)[1]
    every = math.ceil(LINE * known / pen.size[1])
    words = {at: word.strip() or "␣" for at, word in enumerate(encoding.tokens[:known])}
    written = {at: _short(word) for at, word in words.items()}
    yticks = {at: written[at] for at in range(0, known, every)} if words else None
    pen.cells(masked(weights, causal=True), (0, 1), yticks=yticks, xticks={} if words else None)
    query = min(query, known - 1)
    top = int(weights[query].argmax())
    pen.query(y=query, name=written.get(query))
    pen.tick("x", top, written.get(top), style.KEY)
    pen.says = lambda x, y: (
        _told_pair(weights, words, round(y), round(x)) if pen.inside(x, y) else ""
    )
    most = f"{weights[query, top]:.0%}"
    pen.title(f"Query {query} gives {most} to {'itself' if query == top else f'key {top}'}")
    asking, found = f"{query}{_called(words, query)}", f"{top}{_called(words, top)}"
    named = f"Query {asking} gives {most} of its attention to key {found}"
    parts = (
        (np.diagonal(weights, -1), "to the one before"),
        (np.diagonal(weights)[1:], "to itself"),
        (weights[1:, 0], "to the first"),
    )
    mean = ", ".join(f"{part.mean():.0%} {where}" for part, where in parts if part.size)
    return f"{named}. On average, {mean}." if mean else f"{named}."


def _short(word: str) -> str:
    """Return as much of a word as fits next to the axis."""
    shown = word = word[:MOST_LETTERS]
    while len(word) > 1 and style.text_width(shown, style.NUMBERS, "bold") > ROOM:
        word = word[:-1]
        shown = f"{word}…" if len(word) > 1 else word
    return shown


def _called(words: dict, at: int) -> str:
    return f" “{words[at]}”" if words else ""


def _told_pair(weights, words: dict, query: int, key: int) -> str:
    named = f"“{words[query]}” attends to “{words[key]}”: " if words else ""
    return f"{named}{weights[query, key]:.0%}"


# by group: each bar's label, a shorter one for narrow bars, and the name of its setting
TRIED = {
    "moved": (
        ("as trained", "trained", "right positions"),
        ("moved by 1000", "+1000", "all moved by 1000"),
        ("moved by 7000", "+7000", "all moved by 7000"),
        ("1000, in bfloat16", "bfloat16", "bfloat16, moved by 1000"),
    ),
    "broken": (
        ("as trained", "none", "right positions"),
        ("slow half still", "slow", "slow half stands still"),
        ("fast half still", "fast", "fast half stands still"),
        ("all still", "all", "no positions"),
        ("other pairing", "pairs", "the other pairing"),
        ("other sign", "sign", "sign reversed"),
    ),
    "scaled": (
        ("as trained", "none", "right positions"),
        ("base 10,000", "10,000", "base 10,000"),
        ("base 500,000", "500,000", "base 500,000"),
        ("PI, factor 2", "PI 2", "linear (PI), factor 2"),
        ("PI, factor 4", "PI 4", "linear (PI), factor 4"),
    ),
}

LONGER = Parameter(
    "longer",
    "what is done to the positions of a long text",
    "as trained",
    options=(
        "as trained",
        "each part alone",
        "moved by 8192",
        "PI",
        "YaRN",
        "YaRN's frequencies",
        "slowest 8 still",
    ),
)

NAMED = 98  # px that a bar needs for its whole label
READ = Parameter(
    "passage", "which text the model reads", "house", options=("house", "tides", "bread")
)

DONE = Parameter("done", "what is done to the positions", "broken", options=tuple(TRIED))

# the model's, not the encoding's
OF_MODEL = {
    "matters": lambda encoding: [],
    "only": lambda encoding: encoding.name == "rope",
    "only_for": "rope, which the real model uses",
}

LONG = {"y": "perplexity", "log": "y", "needs": ""} | OF_MODEL


@view(
    "curves", "Perplexity of a real model", x="what is done to the positions", needs="", **OF_MODEL
)
def perplexity(pen, encoding, passage=READ, done=DONE):
    """Draw SmolLM2-135M's perplexity on a text, with a bar for each thing done to positions."""
    said = {name: one["perplexity"] for name, one in kept()["said"][passage].items()}
    told = {words: said[name] for words, _, name in TRIED[done]}
    right, *broken = told.values()
    narrow = pen.size[0] < NAMED * len(told)
    below = {at: short if narrow else words for at, (words, short, _) in enumerate(TRIED[done])}
    pen.axes(len(told), (0, 1.1 * max(said.values())), xticks=below)
    pen.unit("↑ perplexity:", ("as trained", style.SOFT), (done, style.KEY))
    pen.bars(range(len(told)), 0, list(told.values()), wide=0.6)
    pen.known = 0
    pen.bars([0], 0, right, wide=0.6, color=style.GHOST)
    for at, value in enumerate(told.values()):
        pen.label(_three(value), (at, value), (0, 11))
    pen.title(f"Perplexity {_three(right)} as trained, {_three(max(broken))} at worst")
    each = ", ".join(f"{words} {_three(value)}" for words, value in told.items())
    return f"Perplexity of SmolLM2-135M, a model with RoPE, on “{passage}”: {each}."


@view("curves", "Perplexity along a long text", x="token", **LONG)
def perplexity_along(pen, encoding, longer=LONGER):
    """Draw a real model's perplexity along a text longer than any it was trained on.

    The gray line is the perplexity with nothing done to the positions.
    """
    told = {name: kept()["longer"][name] for name in LONGER.options}
    trained, now = told["as trained"], told[longer]
    ends = PART * np.arange(len(now) + 1)
    middles = (ends[1:] + ends[:-1]) / 2
    yticks = {at: f"{at}" for at in (10, 20, 50, 100, 200, 500)}
    pen.axes((0, ends[-1]), (10, 500), xticks=ends[::2], yticks=yticks)
    if longer != "each part alone":
        pen.region(TRAINED, ends[-1], "too long")
    gray = "over gray: as trained" if longer != "as trained" else ""
    pen.unit("↑ perplexity:", (longer, style.KEY), gray)
    if longer != "as trained":
        pen.line(middles, trained, style.GHOST, 5.0)
    pen.curve(middles, now, dotted=True)
    for x, value in zip(middles, now, strict=True):
        pen.label(_three(value), (x, value), (0, 11))
    inside = now[TRAINED // PART - 1]
    pen.title(f"Perplexity {_three(inside)} before token {TRAINED:,}, {_three(now[-1])} at the end")
    parts = ", ".join(map(_three, now))
    return (
        f"Perplexity of each {PART:,} tokens of a long text, {longer}: {parts}. "
        f"The model was trained on up to {TRAINED:,}."
    )


def _three(value: float) -> str:
    """Return a perplexity in three digits."""
    return f"{value:#.3g}".rstrip(".")


BARS = {
    "x": "% likely",
    "y": "next word",
    "left": 104,
    "lines": "x",
    "needs": "reading how",
    "weight": 1.4,
}


def _bars(pen, reading, color: str) -> str:
    """Draw a bar for each of the likeliest words, with the likeliest on top."""
    shares = [100 * share for _, share in reading.next_words]
    words = [shown(word)[:14] for word, _ in reading.next_words]
    pen.axes(
        (0, 100), (len(shares) - 0.4, -0.6), yticks=dict(enumerate(words)), xticks=range(0, 101, 25)
    )
    pen.unit("↓ next word")
    boxes = [
        [(0, k - 0.36), (x, k - 0.36), (x, k + 0.36), (0, k + 0.36)] for k, x in enumerate(shares)
    ]
    pen.shapes(boxes, color=color)
    for k, share in enumerate(shares):
        pen.text(f"{share:.1f}", (share, k), (5, 0), ha="left", halo=True)
    likeliest = zip(words[:3], shares[:3], strict=True)
    said = ", ".join(f"“{word}” {share:.1f}%" for word, share in likeliest)
    return f"perplexity {reading.perplexity:g}, likeliest next words {said}"


def shown(word: str) -> str:
    """Return a token with its blanks and line ends visible."""
    return word.replace("\n", "¶").replace(" ", "␣", 1) if not word.strip() else word.strip()


@view("free", "The likeliest next words", **BARS)
def next_words(pen, encoding):
    """Draw the model's likeliest next words at the current setting."""
    reading = encoding.reading(encoding.how)
    told = _bars(pen, reading, style.KEY)
    pen.title(f"Perplexity {reading.perplexity:g}")
    return f"As set: {told}."


@view("free", "Unbroken", **BARS)
def unbroken_words(pen, encoding):
    """Draw the model's likeliest next words at the positions it was trained with."""
    reading = encoding.reading(encoding.right)
    told = _bars(pen, reading, style.SOFT)
    pen.title(f"Unbroken: perplexity {reading.perplexity:g}")
    return f"Unbroken: {told}."


# only the panel can feed them
WORDS_SAID = tuple(VIEWS.pop(name) for name in ("next_words", "unbroken_words"))
