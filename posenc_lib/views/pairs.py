"""All pairs of a query at once, each on a circle of its own."""

import math

import numpy as np

from posenc_lib.views import style
from posenc_lib.views.style import number
from posenc_lib.views.view import QUERY, view

SIDE = 3  # circles in a row
MOST = SIDE**2


@view("free", "Pairs of one query", needs="rotate query_and_key", ignores="seq_len", square=True, weight=1.0)
def pair_turns(pen, encoding, query=QUERY):
    """Draw how far each pair of a query turns at one position, dotted before, an arrow after; nine pairs at most.

    Source: Su et al. 2021, "RoFormer", figure 1.
    """
    angles = query * encoding.frequencies[:MOST]
    dims = np.stack(encoding.pair_dims(np.arange(len(angles))), axis=1)
    before = _of_length_one(encoding.query_and_key()[0][dims])
    after = _of_length_one(encoding.queries_and_keys(np.array([query]))[0][0][dims])
    pen.axes((-1.45, 7.25), (-7.45, 1.25), xticks=(), yticks=())
    words, look = [*map(number, np.degrees(angles))], {"color": style.PAIR, "fontsize": style.NUMBERS}
    for pair, (start, end, angle) in enumerate(zip(before, after, angles.tolist(), strict=True)):
        middle = 2.9 * np.array([pair % SIDE, -(pair // SIDE)])
        pen.circle(middle)
        pen.wedge(middle, 0.5, math.atan2(start[1], start[0]), encoding.turn * math.fmod(angle, 2 * math.pi))
        pen.strokes([[middle, middle + start]], color=style.QUERY, lw=1.4, linestyle=":")
        pen.arrow(middle, middle + end, style.QUERY)
        pen.text(f"{pair}: {words[pair]}°", middle - (0, 1.4), fontweight="bold", **look)
    pen.unit("each pair at", (f"position {query}", style.QUERY))
    ends = f"From {words[0]}° in pair 0 to {words[-1]}°"
    pen.title(ends if len(words) > 1 else f"Pair 0 turns by {words[0]}°")
    told = ", ".join(f"{pair} by {angle}" for pair, angle in enumerate(words))
    return f"At position {query} the pairs have turned, in degrees: {told}."


def _of_length_one(pairs: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(pairs, axis=1, keepdims=True)
    return np.divide(pairs, lengths, out=np.zeros_like(pairs), where=lengths > 0)
