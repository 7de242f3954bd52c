"""The pictures that only lesson 02 shows."""

import numpy as np

from posenc_lib.encodings import toy_data
from posenc_lib.views import style
from posenc_lib.views.points import every, numbers
from posenc_lib.views.style import number
from posenc_lib.views.tables import BOLD, SCALE, about
from posenc_lib.views.view import POSITION, view

VOCABULARY = ("cat", "sings", "dog", "bites", "man", "red", "apple", "sleeps", "the", "moon")

TRIED = 256  # words to average over


def cosines_once_added(row: np.ndarray) -> np.ndarray:
    """Return the cosine of each word plus a row (d,) with each word alone, shape (10, 10)."""
    x = toy_data.tokens(len(VOCABULARY), len(row))
    alone, added = (each / np.linalg.norm(each, axis=1, keepdims=True) for each in (x, x + row))
    return added @ alone.T


def token_cosines(table: np.ndarray, embed_scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Return how much of a token survives adding a row of the table, two arrays (seq_len,).

    Both are means over 256 tokens with mean length embed_scale: the cosine between a token and
    itself plus the position, and the cosine between two different tokens at that position.
    """
    x = toy_data.embedded(TRIED, table.shape[1], embed_scale)
    p = np.einsum("td,td->t", table, table)  # |p|² at each position
    xp = x @ table.T  # x·p, shape (TRIED, seq_len)
    xx = np.einsum("wd,wd->w", x, x)[:, None]
    length = np.sqrt(np.maximum(xx + 2 * xp + p, 1e-300))  # |x + p|
    same = (xx + xp) / np.sqrt(xx) / length
    other = np.roll(xp, 1, axis=0)
    between = np.einsum("wd,wd->w", x, np.roll(x, 1, axis=0))[:, None]
    different = (between + xp + other + p) / length / np.roll(length, 1, axis=0)
    return same.mean(axis=0), different.mean(axis=0)


SHORT = 16  # words of the text to compare a longer text with


@view("free", "Where the positions are")
def number_line(pen, encoding, position=POSITION):
    """Draw dim 0 of every position on a number line."""
    values = encoding.table[:, 0]
    high = style.nice_bound(max(np.abs(values).max(initial=0), 1))  # 0 … 1 stays where it is
    low = -high if values.min(initial=0) < 0 else 0
    margin = 0.08 * (high - low)
    pen.axes((low - margin, high + margin), (-0.4, 0.7), x="value of dim 0", yticks=())
    line = np.stack([values, np.zeros(len(values))], axis=1)
    at, before = float(values[position]), _in_short_text(encoding, position)
    pen.rule("y", 0, style.RULE, 0.8)
    if before is not None:
        pen.arrow((before, 0.5), (before, 0.07), style.GHOST)
        pen.label(
            f"{number(before)} in {SHORT} words", (before, 0.54), color=style.SOFT, va="bottom"
        )
    look = [style.QUERY if k == position else style.KEY for k in range(len(values))]
    pen.dots(line, color=look, taken=True)
    _count(pen, line - [0, 0.15], position)
    left = {"within": "y", "ha": "right", "fontsize": style.NUMBERS, "color": style.SOFT}
    pen.text("position", (0, -0.15), (14, 0), **left)
    told = f"position {position} at {number(at)}"
    pen.arrow((at, 0.3), (at, 0.07), style.QUERY)
    pen.label(told, (at, 0.34), color=style.QUERY, va="bottom")
    step = np.abs(np.diff(values)) if len(values) > 1 else np.zeros(1)
    gap = " to ".join(dict.fromkeys((number(step.min()), number(step.max()))))
    pen.title(f"Neighbors are {gap} apart")
    ends = f"from {number(values.min())} to {number(values.max())}"
    text = f"{told.capitalize()}. Neighbors are {gap} apart, {len(values)} positions {ends}."
    if before is not None:
        text += f" In a text of {SHORT} words it's at {number(before)}."
    return text


def _in_short_text(encoding, position: int) -> float | None:
    """Return the position's number in a text of 16 words; None if it's the same."""
    if not position < SHORT < encoding.values.get("seq_len", 0):
        return None
    before = float(encoding.at(seq_len=SHORT).table[position, 0])
    return None if np.isclose(before, encoding.table[position, 0]) else before


def _count(pen, places: np.ndarray, position: int) -> None:
    """Number the positions, and leave out what would touch the next number."""
    steps = np.diff(pen.px(places)[:, 0])
    if not len(steps) or np.ptp(steps) > 0.01 or steps[0] < 0.1:  # they aren't in a row
        numbers(pen, places, places, position)
        return
    for k in {*range(0, len(places), every(26 / steps[0])), position}:
        look = {"color": style.QUERY, **BOLD} if k == position else {"color": style.SOFT}
        if k == position or abs(k - position) * steps[0] >= 22:
            pen.text(str(k), places[k], halo=True, fontsize=style.NUMBERS, **look)


COLUMN, WIRE = 100, 260  # px of a column of words, and of what joins two


@view("free", "Which word is it nearest to?", needs="rows", left=0)
def nearest_token(pen, encoding, position=POSITION):
    """Join each word, plus a position, with the word it is nearest to."""
    words = VOCABULARY
    cosines = cosines_once_added(encoding.table[position].astype(np.float64))
    nearest, cosine, count = cosines.argmax(axis=1), np.diagonal(cosines).mean(), len(words)
    own = nearest == np.arange(count)
    pen.axes((0, 1), (count - 0.4, -0.6), xticks=(), yticks=())
    left = COLUMN / pen.size[0]
    right = min(1 - left, left + WIRE / pen.size[0])
    wires = np.array([[(left, k), (right, at)] for k, at in enumerate(nearest)])
    pen.strokes(wires[own], color=style.KEY, lw=1.4)
    pen.strokes(wires[~own], color=style.INK, lw=2.2, linestyle=(0, (3, 1.5)))
    start, end = {"fontsize": style.TITLE, "ha": "right"}, {"fontsize": style.TITLE, "ha": "left"}
    pen.text(
        f"position {position}",
        (left, 1),
        (-6, 14),
        within="axes",
        color=style.QUERY,
        **start,
        **BOLD,
    )
    pen.text("nearest word", (right, 1), (6, 14), within="axes", color=style.SOFT, **end)
    for k, word in enumerate(words):
        pen.text(f"{word} + {position}", (left, k), (-6, 0), **start)
        pen.text(word, (right, k), (6, 0), **end, **BOLD if k in nearest else {"color": style.SOFT})
    kept = int(own.sum())
    title = f"{kept} of {count} words {'stays itself' if kept == 1 else 'stay themselves'}"
    if len({*nearest.tolist()}) == 1:
        title = f"All {count} words become “{words[nearest[0]]}”"
    pen.title(title)
    still = "is still closest to itself" if kept == 1 else "are still closest to themselves"
    text = f"{kept} of {count} words {still} at position {position}"
    taken = {}
    for k, at in enumerate(nearest):
        if k != at:
            taken.setdefault(words[at], []).append(f"“{words[k]}”")
    others = [f" Taken for “{word}”: {', '.join(them)}." for word, them in taken.items()]
    return f"{text}, and their mean cosine is {number(cosine)}.{''.join(others)}"


@view("curves", "Direction a word keeps", x="position", needs="rows", most_positions=1024)
def token_cosine(pen, encoding, embed_scale=SCALE):
    """Draw how much of a word's direction is left at each position, and how similar two different
    words are there.
    """
    same, different = token_cosines(encoding.table.astype(np.float64), embed_scale)
    last = len(same) - 1
    told = f"word length {number(float(embed_scale))}, position length {_long(encoding.table)}"
    pen.axes(len(same), (-0.18, 1.18), yticks=(0, 0.25, 0.5, 0.75, 1))
    pen.unit(f"↑ cosine ({told})")
    pen.known = 0
    up = 12 if same[last] >= different[last] else -12
    dashed = {"color": style.OTHER, "linestyle": (0, (4, 1.5))}
    two = "two different words", different, -up, dashed
    for name, curve, shift, look in two, ("word with itself + position", same, up, {}):
        pen.curve(curve, **look)
        color, there = look.get("color", style.KEY), (last, curve[last])
        pen.mark([there], color, 9)
        pen.label(name, there, (0, shift), ha="right", color=color)
    kept, mixed = number(same[last]), number(different[last])
    pen.title(f"Position {last}: two words have cosine {mixed}; a word keeps {kept}")
    both = f"a word and itself plus position {last}, {mixed} between two words there"
    return f"Cosine {kept} between {both}. {told.capitalize()}."


NAMED = (1, 8, 10)  # positions that the lesson talks about


@view("curves", "Two different words", x="position", needs="rows", most_positions=1024)
def two_words(pen, encoding, embed_scale=SCALE):
    """Draw how similar two different words are once both have the same position added."""
    _, different = token_cosines(encoding.table.astype(np.float64), embed_scale)
    last, told = len(different) - 1, f"words {number(float(embed_scale))} long"
    pen.axes(len(different), (-0.18, 1.18), yticks=(0, 0.25, 0.5, 0.75, 1))
    pen.unit(f"↑ cosine ({told})")
    pen.known = 0
    pen.curve(different, color=style.OTHER)
    for t in (*(t for t in NAMED if t < last), last):
        pen.mark([(t, different[t])], style.OTHER, 9)
        if t < last:
            pen.label(str(t), (t, different[t]), (9, -11), color=style.OTHER)
    mixed = _cosine(different[last])
    pen.title(f"Position {last}: two different words have cosine {mixed}")
    return f"Cosine {mixed} between two different words at position {last}, {told}."


def _cosine(value: float) -> str:
    """Return a cosine with a fourth digit if three would call it 1."""
    if number(value) != "1" or value > 1 - 1e-9:
        return number(value)
    return f"{value:.4f}" if value < 0.99995 else "almost 1"


def _long(table: np.ndarray) -> str:
    """Return how long the rows of a table are: about, or from the shortest to the longest."""
    lengths = np.linalg.norm(table, axis=1)
    low, high = lengths.min(), lengths.max()
    return f"{number(low)} to {number(high)}" if high > 2 * low else about(table)
