"""The pictures that only lesson 06 shows."""

import math

import numpy as np

from posenc_lib.encodings.frequencies import freqs_cis
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.rope import rotation_matrix
from posenc_lib.lessons.lesson_06.position_path import position_path  # noqa: F401  (a view)
from posenc_lib.lessons.lesson_06.rotated_together import rotated_together  # noqa: F401  (a view)
from posenc_lib.views import style
from posenc_lib.views.points import wedge
from posenc_lib.views.scores import MARKED, OFFSETS, PAIRS, all_pairs, masked
from posenc_lib.views.style import number, signed
from posenc_lib.views.view import CAUSAL, OFFSET, PAIR, QUERY, view

CORRELATION = Parameter(
    "correlation",
    "how similar query and key are before they're rotated",
    0.0,
    0.0,
    1.0,
    scale="real",
    most=1,
)

POSITION = Parameter(
    "position", "how many positions the plane is rotated by", 1.0, 0.0, 6.0, scale="real"
)
WORD = Parameter("key", "the word whose key is drawn", "cat", options=("cat", "dog"))

DRAWS = 2000  # random queries and keys
FAR = 50  # how far away the key is that's compared with the neighbor
BACK = -1  # the offset that one query asks for

APART = {"x": "how many positions apart", "ignores": "content layout pairing"}


@view("curves", "Random queries and keys", **APART, needs="frequencies rotate", most_positions=512)
def score_decay(pen, encoding, correlation=CORRELATION):
    """Draw many random queries' and keys' scores against the offset: their mean, and the band that
    has 8 in 10.
    """
    seq_len, dims = encoding.seq_len, 2 * len(encoding.frequencies)
    near, far = (min(at, seq_len - 1) for at in (1, FAR))
    turn = encoding.attention_factor**2 * freqs_cis(seq_len, dims, inv_freq=encoding.frequencies)
    q, other = np.random.default_rng(0).normal(size=(2, DRAWS, dims)).view(complex)
    k = correlation * q + math.sqrt(1 - correlation**2) * other
    scores = ((q.conj() * k) @ turn.T).real  # the score is Re Σ q̄ k e^{iΔθ}
    mean, ends = scores.mean(axis=0), np.sort(scores, axis=0)[[DRAWS // 10, -DRAWS // 10 - 1]]
    whole = encoding.attention_factor**2 * dims
    spread = encoding.attention_factor**2 * math.sqrt(dims)
    # wide enough for every correlation
    pen.axes((0, max(seq_len - 1, 1)), (-3.2 * spread, whole + 2.4 * spread))
    pen.unit("↑ score:", ("mean", style.KEY), "and, pale, 8 in 10 of all")
    pen.band(np.arange(seq_len), *ends)
    pen.curve(mean)
    for away, ha in {near: "left", far: "center"}.items():
        pen.mark([(away, mean[away])], size=9)
        pen.label(f"{away} away: {number(mean[away], 2)}", (away, mean[away]), (0, 15), ha=ha)
    wins = 100 * (scores[:, far] > scores[:, near]).mean()
    beats = f"{far} away beats {near} away in {wins:.0f}% of draws"
    pen.title(beats)
    told = f"mean score {number(mean[near])} at offset {near}, {number(mean[far])} at {far}"
    return f"{DRAWS:,} random queries and keys, correlation {number(correlation)}: {told}; {beats}."


@view(
    "curves",
    "One query, two keys",
    x=OFFSETS,
    needs="rotate query_and_key",
    ignores="pairing",
    most_positions=512,
)
def one_query(pen, encoding, key=WORD):
    """Draw a query's scores with a key it's made for, one position back, or with a different key,
    over the first one's in gray.
    """
    pairs, last = len(encoding.frequencies), max(encoding.seq_len - 1, 1)
    dims = np.stack(encoding.pair_dims(np.arange(pairs)))
    cat, dog = (x[0] + 1j * x[1] for x in encoding.query_and_key()[:, dims])
    query = cat * np.exp(1j * BACK * encoding.frequencies)
    places = np.linspace(-last, last, 1 + 2 * last * max(1, 600 // (2 * last)))
    waves = np.exp(1j * np.outer(places, encoding.frequencies))
    each = [encoding.attention_factor**2 * query.conj() * word for word in (cat, dog)]
    before, now = ((waves * one).sum(axis=1).real for one in (each[0], each[key == "dog"]))
    offsets = np.arange(-last, last + 1)
    scores = now[:: (len(places) - 1) // (2 * last)]
    best = int(offsets[scores.argmax()])
    # one scale for most draws: the cat's peak is about as high as there are dims
    whole = 2 * pairs * encoding.attention_factor**2
    low, high = min(-0.7 * whole, before.min(), now.min()), max(1.6 * whole, before.max())
    pen.axes((-last - 0.5, last + 0.5), (low, 1.12 * high))
    pen.unit("↑ q · k with", (key, style.KEY))
    pen.rule("x", BACK, style.PAIR, 1.4, linestyle="--")
    pen.tick("x", BACK, signed(BACK), style.PAIR)
    if key == "dog":
        pen.line(places, before, style.GHOST, 1.6)
        pen.label("cat", (BACK, before.max()), (16, 4), color=style.SOFT)
    pen.curve(places, now)
    pen.mark([(BACK, scores[last + BACK])], style.PAIR, 7)
    there = best, scores.max()
    pen.ring([there], style.INK)
    pen.label(number(scores.max()), there, (0, 16))
    pen.title(f"{key.capitalize()}: highest at offset {signed(best)}")
    asked = "" if best == BACK else f" At {number(BACK)}, it's {number(scores[last + BACK])}."
    return f"With {key}, q · k is highest at offset {number(best)}: {number(scores.max())}.{asked}"


ADDED = {"needs": "rotate query_and_key", "ignores": "pairing", "quantity": "similarity"}


@view("cells", "Added instead", **PAIRS, **ADDED)
def additive_scores(pen, encoding, causal=CAUSAL, query=None, marked=MARKED):
    """Color the scores of RoPE's query and key if positions are added to them instead."""
    theta = encoding.frequencies
    rotated = freqs_cis(encoding.seq_len, 2 * len(theta), inv_freq=theta)
    waves = np.stack([rotated.imag, rotated.real], axis=-1).reshape(encoding.seq_len, -1)
    q, k = encoding.query_and_key()
    # dims that aren't rotated get nothing
    table = np.pad(waves, ((0, 0), (0, len(q) - waves.shape[1])))
    scores = masked((q + table) @ (k + table).T, causal=causal)
    text = all_pairs(pen, scores, "dot products", query, marked=marked)
    pen.unit("↓ query; positions", ("added", style.OTHER))
    return f"Sinusoidal positions added to the same query and key instead. {text}"


PLANE = {"x": "first dim", "y": "second dim of the pair"}
ROOM, LINES = 1.75, 4  # units from the middle to each side; lines on each side of the middle
ABOUT = {"needs": "rotate query_and_key", "ignores": "seq_len content draw pairing head_dim base"}


@view("plane", "The plane, rotated", **PLANE, **ABOUT)
def basis(pen, encoding, position=POSITION, pair=0):
    """Draw (1, 0), (0, 1) and the grid between them, rotated by one pair's angle at a position."""
    angle = position * float(encoding.frequencies[pair])
    first, second = columns = rotation_matrix(angle).T
    pen.axes((-ROOM, ROOM), (-ROOM, ROOM), xticks=(-1, 0, 1), yticks=(-1, 0, 1))
    k = np.arange(-LINES, LINES + 1)[:, None, None]
    ends = np.array([[-LINES], [LINES]])
    grid = np.concatenate([k * first + ends * second, k * second + ends * first])
    pen.strokes(list(grid), color=style.GHOST, lw=1)
    square = np.array([0 * first, first, first + second, second])
    pen.shapes([square], color=style.TINT, alpha=0.7)
    pen.circle()
    wedge(pen, (0, 0), 0.3, 0.0, angle, named=False)
    for before, after in zip(np.eye(2), columns, strict=True):
        pen.strokes([[(0, 0), before]], color=style.INK, lw=1.4, linestyle=":")
        pen.arrow((0, 0), after, style.KEY)
        name = f"({', '.join(_short(x) for x in after)})"
        reach = style.text_width(name, style.WORDS, "bold") / 2, 7
        pen.label(name, after, tuple((after * np.add(reach, 5)).round(1)), color=style.KEY)
    moved = ", ".join(map(number, first))
    pen.title(f"(1, 0) goes to ({moved})")
    return (
        f"At position {number(position)} the plane is rotated by {number(math.degrees(angle))}°: "
        f"(1, 0) goes to ({moved}), (0, 1) to ({', '.join(map(number, second))})."
    )


def _short(x: float) -> str:
    return f"{x + 0:.2f}".removesuffix(".00").replace("-0.00", "0").replace("-", "−")


@view("plane", "Query and key", **PLANE, needs="rotate query_and_key", ignores="seq_len")
def vectors(pen, encoding, query=QUERY, offset=OFFSET, pair=PAIR):
    """Draw a query and a key before and after they're rotated, and the angle between them."""
    pairs, dims = len(encoding.frequencies), encoding.pair_dims(pair)
    before = encoding.query_and_key()
    queries, keys = encoding.queries_and_keys(np.array([query, query + offset]))
    after = np.stack([queries[0][dims], keys[1][dims]])
    every = np.stack(encoding.pair_dims(np.arange(pairs)))
    longest = float(np.linalg.norm(before[:, every], axis=1).max())
    start, last = np.arctan2(after[:, 1], after[:, 0]).tolist()
    angle, end = math.remainder(last - start, 2 * math.pi), 1.4 * style.tight_bound(longest)
    pen.axes((-end, end), (-end, end))
    radius = 0.42 * np.linalg.norm(after, axis=1).min()
    wedge(pen, (0, 0), radius, start, angle, named=abs(angle) > 0.6)  # else there is no room
    names = (f"query at {query}", f"key at {query + offset}".replace("-", "−"))
    for k, color in enumerate((style.QUERY, style.KEY)):
        pen.circle(radius=float(np.linalg.norm(before[k, dims])))
        pen.strokes([[(0, 0), before[k, dims]]], color=color, lw=1.4, linestyle=":")
        pen.arrow((0, 0), after[k], color)
        out = after[k] / max(np.linalg.norm(after[k]), 1e-9)
        # to the side where the other arrow is not, as far as the name reaches
        aside = np.array([-out[1], out[0]]) * (2 * k - 1) * (1 if angle > 0 else -1)
        reach = style.text_width(names[k], style.WORDS, "bold") / 2, 7
        move = (np.abs(aside) @ reach + 12) * aside
        pen.label(names[k], after[k], tuple(move.round(1)), color=color)
        turns = ("query", "offset")[k]
        pen.hands.append((turns, [(0, 0), after[k]], float(encoding.frequencies[pair])))
    degrees, part = f"{abs(math.degrees(angle)):.0f}°", number(after[0] @ after[1])
    title = f"Pair {pair} of {pairs} adds {part}"
    if pairs == 1:
        title = f"At {degrees}, q · k = {part}"
    pen.title(title)
    return (
        f"Pair {pair}: {names[0]} and {names[1]} are {degrees} apart; "
        f"their dot product is {part} in this pair."
    )
