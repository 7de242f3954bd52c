"""The pictures that only lesson 14 shows."""

import numpy as np

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.lessons.lesson_14.longer import self_extend_offsets
from posenc_lib.views import style
from posenc_lib.views.scores import PAIRS, masked
from posenc_lib.views.style import number
from posenc_lib.views.view import view

GROUP = Parameter(
    "group_size", "how many positions share a number beyond the window", 4, 1, 16, least=1
)

WINDOW = Parameter("window", "below which distance offsets stay exact", 16, 1, 512, least=1)

EXTENDED = {
    "needs": "training_length",
    "ignores": "head_dim base pairing content draw rope_type factor",
}


@view("cells", "Offsets, known and new", **EXTENDED, **PAIRS)
def offsets_used(pen, encoding, group_size=GROUP, window=WINDOW):
    """Color the offset, query − key, that Self-Extend turns each pair of positions by;
    hatched where it is new.
    """
    n, trained = encoding.seq_len, encoding.training_length
    grid = masked(self_extend_offsets(n, group_size, window), causal=True)
    most, known = int(grid[-1, 0]), trained - 1
    pen.cells(np.where(grid > known, np.nan, grid), (0, max(known, 1)), mixes=False)
    count = (grid > known).sum(axis=1)  # of new offsets in each row: they stand at its left
    if count.any():
        rows = np.flatnonzero(count)
        x = np.repeat(count[rows] - 0.5, 2)
        y = np.stack([rows - 0.5, rows + 0.5], axis=1).ravel()
        steps, corner = np.stack([x, y], axis=1), [(-0.5, n - 0.5), (-0.5, rows[0] - 0.5)]
        hatched = {"color": style.TINT, "edge": style.INK}
        pen.shapes([np.vstack([steps, corner])], lw=0.8, hatch="///", **hatched)
    new = f"Offset {most} is new" if most == trained else f"Offsets {trained:,} to {most:,} are new"
    pen.title(new if count.any() else f"No offset is new: {most:,} at most")
    return (
        f"{n:,} positions use offsets up to {most:,}; "
        f"training on {trained:,} knew those up to {known:,}."
    )


LEAK = Parameter(
    "leak", "how far gates stay from 0 and 1", 0.01, 0, 0.05, 0.001, scale="real", most=0.5
)

EVERY = Parameter("every", "every n-th token counts, from the query back", 41, 2, 64, least=1)


@view("curves", "Counting back", x="tokens back", needs="npos", ignores="content head_dim seed")
def leaking_count(pen, encoding, leak=LEAK, every=EVERY):
    """Draw how far a query has counted, going back: what counts has a gate of 1 − leak,
    every other one leaks.
    """
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
    right = f"{should}, as it should"
    if abs(total - should) >= 0.005:
        right = f"{total:.2f} instead of {should}"
    pen.title(f"Counting ends at the last position, {last}" if total > last else f"Counts {right}")
    counting, others = number(gates[counts].sum()), number(gates[~counts].sum())
    parts = f"{counting} from {should} that count, {others} from the others"
    return f"{n} tokens back the gates add up to {number(total)}: {parts}; positions end at {last}."
