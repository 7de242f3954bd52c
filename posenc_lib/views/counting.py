"""Counting tokens by gates, as CoPE does, where gates neither close nor open wholly."""

import numpy as np

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.style import number
from posenc_lib.views.view import view

LEAK = Parameter("leak", "how far gates stay from 0 and 1", 0.01, 0, 0.05, 0.001, scale="real", most=0.5)
EVERY = Parameter("every", "every n-th token counts, from the query back", 41, 2, 64, least=1)


@view("curves", "Counting back", x="tokens back", needs="npos", ignores="content head_dim seed")
def leaking_count(pen, encoding, leak=LEAK, every=EVERY):
    """Draw how far a query has counted, going back: what counts has a gate of 1 − leak, every other one leaks."""
    n, last = encoding.seq_len, encoding.npos - 1
    counts = np.arange(1, n + 1) % every == 0
    gates, should = np.where(counts, 1 - leak, leak), int(counts.sum())
    total = gates.sum()
    meant, counted = (np.minimum(np.cumsum(each), last) for each in (counts, gates))
    pen.axes((-0.5, 1.03 * n), (-0.5, 1.1 * (should + LEAK.high * n)))
    pen.unit("↑ count:", ("meant", style.SOFT), ("counted", style.KEY))
    pen.change(range(n), meant, counted)
    pen.mark([(n - 1, counted[-1])], size=9)
    pen.label(f"{counted[-1]:.2f}", (n - 1, counted[-1]), (-2, 14), ha="right")
    right = f"{total:.2f} instead of {should}" if abs(total - should) >= 0.005 else f"{should}, as it should"
    pen.title(f"Counting ends at the last position, {last}" if total > last else f"Counts {right}")
    parts = f"{number(gates[counts].sum())} from {should} that count, {number(gates[~counts].sum())} from the others"
    return f"{n} tokens back the gates add up to {number(total)}: {parts}; positions end at {last}."
