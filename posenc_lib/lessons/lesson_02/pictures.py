"""The pictures that only lesson 02 shows."""

import numpy as np

from posenc_lib.encodings import toy_data
from posenc_lib.views import style
from posenc_lib.views.points import numbers
from posenc_lib.views.style import number
from posenc_lib.views.tables import BOLD
from posenc_lib.views.view import POSITION, view

VOCABULARY = ("cat", "sings", "dog", "bites", "man", "red", "apple", "sleeps", "the", "moon")


def cosines_once_added(row: np.ndarray) -> np.ndarray:
    """Return the cosines of all tokens plus a row (d,) with each token alone, shape (10, 10)."""
    x = toy_data.tokens(len(VOCABULARY), len(row))
    alone, added = (each / np.linalg.norm(each, axis=1, keepdims=True) for each in (x, x + row))
    return added @ alone.T


@view("free", "Where the positions stand")
def number_line(pen, encoding, position=POSITION):
    """Draw dim 0 of each position along a line."""
    values = encoding.table[:, 0]
    high = style.nice_bound(max(np.abs(values).max(initial=0), 1))  # 0 … 1 stays where it is
    low = -high if values.min(initial=0) < 0 else 0
    margin = 0.08 * (high - low)
    pen.axes((low - margin, high + margin), (-0.45, 0.6), x="value of dim 0", yticks=())
    line = np.stack([values, np.zeros(len(values))], axis=1)
    at = float(values[position])
    pen.rule("y", 0, style.RULE, 0.8)
    near = {position - 1: style.INK, position: style.QUERY, position + 1: style.INK}
    pen.dots(line, color=[near.get(k, style.KEY) for k in range(len(values))], taken=True)
    numbers(pen, line, line - [0, 0.22], position)
    told = f"position {position} at {number(at)}"
    pen.arrow((at, 0.34), (at, 0.07), style.QUERY)
    pen.label(told, (at, 0.38), color=style.QUERY, va="bottom")
    step = np.abs(np.diff(values)) if len(values) > 1 else np.zeros(1)
    gap = " to ".join(dict.fromkeys((number(step.min()), number(step.max()))))
    pen.title(f"Neighbors are {gap} apart")
    ends = f"from {number(values.min())} to {number(values.max())}"
    return f"Line: {len(values)} positions {ends}; in this dim neighbors stand {gap} apart; {told}."


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
    title = f"{kept} of {count} words stay themselves"
    if len({*nearest.tolist()}) == 1:
        title = f"All {count} words become “{words[nearest[0]]}”"
    pen.title(title)
    text = f"Position {position} added: {kept} of {count} words stay nearest to themselves"
    taken = ", ".join(f"{words[k]} for {words[at]}" for k, at in enumerate(nearest) if k != at)
    others = f"; taken for another one: {taken}" if taken else ""
    return f"{text}, with a mean cosine of {number(cosine)}{others}."
