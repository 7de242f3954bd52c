"""The pictures that only lesson 09 shows."""

import math
from functools import lru_cache

import numpy as np

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.attention import softmax
from posenc_lib.encodings.pairing import PAIRINGS, pairing_permutation
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.lessons.lesson_09.rope_bugs import BUGS
from posenc_lib.lessons.lesson_09.table_error import PRECISIONS, worst_up_to
from posenc_lib.views import style
from posenc_lib.views.scores import DOTTED, PAIRS, eighths
from posenc_lib.views.style import number
from posenc_lib.views.view import PAIR, QUERY, view


def order_for_other(pairing: str, head_dim: int) -> np.ndarray:
    """Return the row order that makes one pairing's pairs the other's, shape (head_dim,)."""
    order = pairing_permutation(head_dim)
    return order if pairing == "interleaved" else np.argsort(order)


NUMBERED = 16  # dims whose numbers are written
LAST = 2**20
ROOM = 150  # px for the names of curves
PERMUTED = Parameter(
    "permuted", "whether the port has reordered the rows", False, options=(False, True)
)

UNNAMED = dict(zip("abcd", BUGS.values(), strict=True))  # a reader is to tell which is which

BUG = Parameter("bug", "which of the four bugs", "none", options=("none", *UNNAMED))

POSITION = Parameter(
    "position", "up to which position", 1024, 2, LAST, 1, "power of two", most=LAST, least=1
)

SLOTS, ROUND = 10, np.linspace(0, 2 * np.pi, 61)  # places of a cache that are drawn

WRITTEN = Parameter("written", "how many words have been written", 1, 1, SLOTS, least=1, most=SLOTS)

DROPPED = Parameter("dropped", "how many of the first words are dropped", 0, 0, 6, most=SLOTS)

NEW_BASE = Parameter(
    "new_base",
    "the base of the queries by now",
    10_000.0,
    2,
    1e6,
    0.05,
    "log",
    least=1,
    most=1e12,
)

# A base of its own isn't enough, since a view tries others
BASED = {"only": lambda e: "base" in e.values, "only_for": "encodings with a parameter base"}

CACHED = {"needs": "rotate query_and_key", "ignores": "seq_len content draw"} | BASED


def portable(encoding) -> bool:
    """Return whether a port can misread an encoding's weights."""
    if "pairing" in encoding.values and encoding.has("rotate"):
        return True
    return encoding.has("biases") and encoding.has("num_heads")


PORTABLE = {"needs": "", "ignores": "layout", "only": portable}
PORTABLE["only_for"] = "encodings with a parameter pairing (interleaved or half), or with num_heads"

ORDER = {
    "needs": "rotate pairing",
    "matters": lambda e: [n for n in e.values if n in (e.width, "pairing")],
}

TABLES = {
    "y": "largest error of cos or sin",
    "log": "xy",
    "needs": "rotate",
    "ignores": "content pairing seq_len",
}

_POWERS = 2 ** np.arange(21)

_FAR = np.geomspace(1024, LAST, 300).round().astype(int)

# Up to these the largest error is drawn, powers of two and what comes after them among them
ENDS = np.unique([*range(1, 1024), *_FAR, *_POWERS, *_POWERS[:-1] + 1])


def of_pairs(encoding) -> np.ndarray:
    """Return a model's scores if the other pairing's pairs rotate, shape (2, n, n).

    The first has the rows as they were, the second has them reordered.
    """
    pairing = next(name for name in PAIRINGS if name != encoding.pairing)
    other = encoding.at(pairing=pairing)
    orders = slice(None), order_for_other(encoding.pairing, encoding.num_dims)
    turned = ([other.rotate(x[:, order], len(x)) for x in encoding.tiled_qk()] for order in orders)
    return np.stack([q @ k.T for q, k in turned])


def of_biases(encoding, query: int) -> tuple[np.ndarray, np.ndarray]:
    """Return one query's attention in %, as this code computes it and as Falcon's head 0 does.

    Falcon adds the bias before dividing.
    """
    q, k, _ = encoding.projected(toy_data.tokens(encoding.seq_len, encoding.num_dims))
    root, scores = math.sqrt(len(q[0])), k[: query + 1] @ q[query]
    biases = encoding.biases(np.arange(-query, 1))
    written = softmax(scores / root + biases[encoding.head])
    falcon = softmax((scores + biases[0]) / root)
    return 100 * written, 100 * falcon


@view("curves", "After porting", x="position of the key", **PORTABLE)
def port(pen, encoding, query=QUERY, permuted=PERMUTED):
    """Draw one query's scores after porting; gray: as trained.

    The port rotates the other pairing's pairs. For a bias it draws attention, and the port divides
    only the score by √d, although head 0 was trained with the sum divided (Falcon).
    """
    if encoding.has("rotate"):
        both, what, unit = of_pairs(encoding), "score", ""
        now, trained = both[int(permuted), query], both[1, query]
        ends = eighths(min(both.min(), 0), max(both.max(), 0), float(np.abs(both).max()))
    else:
        now, trained = of_biases(encoding, query)
        what, unit = "% of attention, cut at 40", "%"
        ends = (0, 42)  # steep heads leave the picture
    gap = np.abs(now - trained)
    worst, most = int(gap.argmax()), number(gap.max())
    pen.axes(encoding.seq_len, ends)
    pen.unit(f"↑ {what}:", ("after porting", style.KEY), "over gray: as trained")
    pen.change(range(len(now)), trained, now, dotted=encoding.seq_len <= DOTTED)
    if most != "0":
        pen.strokes([[(worst, trained[worst]), (worst, now[worst])]], color=style.INK, lw=1.4)
        pen.mark([(worst, now[worst])], size=9)
    pen.query(query)
    seen = (
        "Every key comes out right" if most == "0" else f"Off by up to {most}{unit and ' points'}"
    )
    pen.title(seen)
    return f"Query {query}: {seen[0].lower()}{seen[1:]}."


@view("free", "The order that the other pairing needs", left=56, **ORDER)
def permutation(pen, encoding):
    """Join each row's old place and its new one; an arc joins two rows that rotate together."""
    order = order_for_other(encoding.pairing, encoding.num_dims)
    interleaved = encoding.pairing == "interleaved"
    width, half, places = len(order), encoding.num_dims // 2, np.arange(len(order))
    pair = order // 2 if interleaved else order % half
    # one color for each pair
    shades = style.position_colors(41)[np.linspace(0, 40, half).astype(int)]
    ends = (-1.15, 1.5) if interleaved else (-0.5, 2.15)
    pen.axes((-0.7, width - 0.3), ends, xticks=(), yticks={1: "before", 0: "after"})
    pen.unit("one color and one arc for two rows that rotate together")
    across, along = pen.size / pen.spans  # px of a step to the right, of one up
    lw = float(np.clip(pen.size[0] / width / 8, 0.7, 2.4))
    together = np.argsort(pair, kind="stable").reshape(half, 2)
    angle = np.linspace(0, np.pi, 33)
    for row, up, level in ((order, 1, 1.0), (places, -1, 0.0)):
        a, b = np.sort(row[together], axis=1).T[..., None]
        room = ends[1] - 1.05 if up > 0 else -0.05 - ends[0]
        high = up * np.minimum(room, 0.7 * (b - a) * across / along)
        x, y = (a + b) / 2 - (b - a) / 2 * np.cos(angle), level + high * np.sin(angle)
        pen.strokes(np.stack([x, y], axis=-1), color=shades, lw=lw)
    both = np.stack([order, np.ones(width)], axis=1), np.stack([places, np.zeros(width)], axis=1)
    pen.strokes(np.stack(both, axis=1), color=shades[pair], lw=lw)
    for dots in both:
        pen.dots(dots, color=shades[pair], size=20 if width <= NUMBERED else 3 * lw + 2, lw=1)
        if width > NUMBERED:
            continue
        for dot, row, color in zip(dots, order, shades[pair], strict=True):
            ink = style.readable_on(color)
            pen.text(str(row), dot, fontsize=style.NUMBERS, fontweight="bold", color=ink)
    apart = f"{style.plural(half, 'place')} apart"
    pen.title(f"Neighbors move {apart}" if interleaved else f"Rows {apart} become neighbors")
    told = ", ".join(map(str, order[:NUMBERED])) + (", …" if width > NUMBERED else "")
    return f"New order of {width} rows: {told}."


@view("free", "Keys in the cache", x="place in the cache", left=76, **CACHED)
def cached_keys(pen, encoding, written=WRITTEN, dropped=DROPPED, new_base=NEW_BASE, pair=PAIR):
    """Draw one pair of each cached key as a clock hand; below, rotated back after a drop.

    Gray hands are the keys recomputed from the rest of the text, with the new base.
    """
    dims, left = encoding.pair_dims(pair), max(written - dropped, 0)
    keys = np.random.default_rng(0).normal(size=(SLOTS, encoding.num_dims))
    cached = encoding.rotate(keys, np.arange(SLOTS))[:written]
    moved = encoding.rotate(cached[dropped:], np.full(left, -dropped))
    anew = encoding.at(base=new_base).rotate(keys[dropped:written], np.arange(left))
    pen.axes(
        (-0.6, SLOTS - 0.4), (-0.65, 1.65), xticks=range(SLOTS), yticks={1: "cached", 0: "moved"}
    )
    pen.unit("one hand for each key:", ("in the cache", style.KEY), "(gray: recomputed)")
    across, up = pen.size / pen.spans
    half = 0.44 * min(across, 0.9 * up) / np.array([across, up])
    around = np.stack([np.cos(ROUND), np.sin(ROUND)], axis=1) * half
    circles = [np.add(around, (slot, level)) for level in (1, 0) for slot in range(SLOTS)]
    pen.strokes(circles, color=style.GRID, lw=1.2)
    wires = [[(k, 1 - half[1]), (k - dropped, half[1])] for k in range(dropped, written)]
    pen.strokes(wires, color=style.RULE, lw=0.8)
    gone, kept = cached[:dropped], cached[dropped:]
    ways = (
        (anew, 0, 0, style.GHOST, 7),
        (gone, 1, 0, style.GHOST, 2.4),
        (kept, 1, dropped, style.KEY, 2.4),
        (moved, 0, 0, style.KEY, 2.4),
    )
    for rows, level, first, color, wide in ways:
        lengths = np.linalg.norm(rows[:, dims], axis=1, keepdims=True)
        tips = rows[:, dims] / np.maximum(lengths, 1e-9) * half
        middles = np.stack([first + np.arange(len(rows)), np.full(len(rows), level)], axis=1)
        pen.strokes(np.stack([middles, middles + tips], axis=1), color=color, lw=wide)
    first, second = dims
    apart = (moved[:, first] + 1j * moved[:, second]) / (anew[:, first] + 1j * anew[:, second])
    off = float(np.degrees(np.abs(np.angle(apart))).max(initial=0))
    right = "right" if off < 1e-6 else f"off by up to {number(off)}°"
    move = " after moving" if dropped else ""
    stay = f"{style.plural(left, 'cached key')}{move} {'is' if left == 1 else 'are'} {right}"
    if not dropped and right == "right":
        stay = f"{style.plural(left, 'key')} in the cache"
    pen.title(stay if left else "No key left")
    words = style.plural(written, "word")
    return f"{words} written, {dropped} dropped: {stay if left else 'no key left'}."


@view(
    "cells",
    "Scores with a bug",
    needs="rotate",
    **BASED | PAIRS | {"y": "row of the query"},
)
def rope_bugs(pen, encoding, bug=BUG):
    """Color the scores that a bug makes, on a scale that also fits the right ones."""
    matrix = right = encoding.similarity
    if bug != "none":
        queries, keys = UNNAMED[bug](encoding, *encoding.tiled_qk())
        matrix = queries @ keys.T
    pen.cells(matrix, style.color_limits(np.concatenate([matrix, right])))
    if matrix.shape != right.shape:
        pen.title(f"{style.plural(len(matrix), 'row')} of scores, one query")
        return f"Bug {bug}: {len(matrix)} rows of scores over {len(right)} keys, for one query."
    gap = np.abs(matrix - right)
    wrong, most = number(100 * (gap > 1e-9 * np.abs(right).max()).mean()), number(gap.max())
    seen = "All scores are right" if most == "0" else f"{wrong}% are wrong, by up to {most}"
    pen.title(seen)
    return f"{'No bug' if bug == 'none' else f'Bug {bug}'}, {matrix.size} scores: {seen}."


@lru_cache(64)
def worst(theta: bytes, position: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return ends up to a position, and the largest error of cos or sin up to each, by precision.

    It's NaN where the precision has no such number.
    """
    ends = np.append(ENDS[position > ENDS], position)
    return ends, {name: worst_up_to(ends, np.frombuffer(theta), name) for name in PRECISIONS}


def name_ends(pen, ends: list) -> None:
    """Write names at the right ends of curves: (name, x, y, font) for each."""
    low, high = pen.corner[1] + 7, pen.corner[1] + pen.size[1] - 7
    for k, (name, x, y, font) in enumerate(sorted(ends, key=lambda end: end[2])):
        here = float(pen.px((x, y))[1])
        place = min(max(here, low), high - 14 * (len(ends) - 1 - k))
        font = {"ha": "left", "fontweight": "bold"} | font
        pen.text(name, (x, y), (6, round(place - here, 2)), halo=True, **font)
        low = place + 14  # the next is above it


def far(width: int, seq_len: int) -> dict:
    """Return the last position of a table of errors, however long the text is."""
    return {"position": LAST}


@view("curves", "Largest error of cos or sin", x="up to position", ends=far, **TABLES)
def precision(pen, encoding, position=POSITION):
    """Draw a table's largest error up to each position, in each of five formats."""
    # names stand at the right
    end = 1.2 * position * (1.2 * position) ** (ROOM / (pen.size[0] - ROOM))
    yticks = {10.0**power: number(10.0**power) for power in range(-9, 2, 2)}
    pen.axes((1, end), (1e-9, 10), yticks=yticks)
    pen.query(position, name=f"{position:,}", color=style.INK)
    colors = (style.SOFT, style.OTHER, style.KEY, style.KEY, style.OTHER)  # one for each format
    lines = ("-", "-", "-", ":", ":")  # dots: rounded once
    ends, errors = worst(encoding.frequencies.tobytes(), position)
    told, names = {}, []
    for (name, error), color, dashes in zip(errors.items(), colors, lines, strict=True):
        shown = np.maximum(error, 1e-9)
        pen.curve(ends, shown, color=color, linestyle=dashes)
        last = np.flatnonzero(np.isfinite(shown))[-1]
        short = name.removeprefix("float64, ").replace("rounded once to", "once,")
        names.append((short, ends[last], shown[last], {"color": color}))
        told[name] = number(shown[-1]) if last == len(ends) - 1 else "has no such number"
    name_ends(pen, names)
    pen.title(f"Up to position {position:,}, float32 is off by {told['float32']}")
    largest = ", ".join(f"{name} {error}" for name, error in told.items())
    return f"Largest error up to position {position:,}: {largest}."
