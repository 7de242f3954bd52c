"""The pictures that only lesson 11 shows."""

import numpy as np

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.longer import TIMES
from posenc_lib.views.style import number
from posenc_lib.views.view import view

EQUAL = 1e-9  # rounding noise, as a part of a frequency
PAST = Parameter(
    "past", "how many tokens the text is longer than in training", 0, -8, 8, least=-8, most=8
)

UNSEEN = "seq_len content draw pairing"
PAIRS = {"x": "pair, fast to slow", "weight": 1.4}

SCALED = PAIRS | {"needs": "training_length as_trained frequencies", "ignores": UNSEEN, "log": "y"}


@view("curves", "Positions per turn", left=76, **SCALED)
def frequencies(pen, encoding, times=TIMES):
    """Draw how long each pair's wave is, unscaled and scaled,
    and shade those between the kept and the most divided.
    """
    length, unscaled = encoding.training_length, encoding.as_trained.frequencies
    longest, pairs = times * length, len(unscaled)
    scaled = encoding.at(seq_len=longest).frequencies
    # what stands still is kept, too
    stretch = np.divide(unscaled, scaled, out=np.ones(pairs), where=scaled > 0)
    kept, largest = np.abs(stretch - 1) <= EQUAL, float(stretch.max())
    most = ~kept & (stretch >= (1 - EQUAL) * largest)
    between = ~(kept | most)
    with np.errstate(divide="ignore"):
        before, now = (
            np.where(theta > 0, 2 * np.pi / theta, np.nan) for theta in (unscaled, scaled)
        )
    top = 1.5 * 10.0 ** np.ceil(np.log10(max(longest, np.nanmax(before), np.nanmax(now))))
    pen.axes(pairs, (1, top))
    shaded = ["shaded: in between"] if between.any() else []
    pen.unit("↑ positions a turn:", ("unscaled", style.SOFT), ("scaled", style.KEY), *shaded)
    # of each run of them
    ends = np.flatnonzero(np.diff([False, *between, False])).reshape(-1, 2) - 0.5
    pen.shapes([[(a, 0), (a, 1), (b, 1), (b, 0)] for a, b in ends], color=style.TINT, within="x")
    pen.tick("y", length)
    if pen.px((0, longest))[1] - pen.px((0, length))[1] > 14:
        pen.tick("y", longest)
    with pen.always():  # who is to draw the scaled ones sees what they were, and both lengths
        pen.line(range(pairs), before, style.GHOST, 5.0)
    pen.curve(range(pairs), now, dotted=pen.size[0] > 14 * pairs)
    lengths = [(length, "training", -11, "-")]
    if times != 1:
        lengths = [(longest, "the text", 11, "--"), *lengths]
    for at, name, up, dashes in lengths:
        with pen.always():
            pen.rule("y", at, style.INK, linestyle=dashes)
            pen.label(name, (0, at), (8, up), within="y", ha="left")
    parts = {"kept": kept, "in between": between, f"divided by {number(largest)}": most}
    told = ", ".join(
        f"{members.sum()} {words}" for words, members in parts.items() if members.any()
    )
    pen.title(f"All {pairs} pairs kept" if kept.all() and pairs > 1 else f"Pairs: {told}")
    return (
        f"Trained on {length:,} tokens, read at {longest:,}. "
        f"Of {style.plural(pairs, 'pair')}: {told}."
    )


@view("curves", "Frequency ÷ unscaled", **SCALED)
def cliff(pen, encoding, past=PAST):
    """Draw what each frequency is divided to by a text some tokens longer than in training,
    beside one just as long.
    """
    unscaled, length = encoding.as_trained.frequencies, encoding.training_length
    asked = (max(n, 1) for n in (length, length + past, length + PAST.low, length + PAST.high))
    scaled = np.array([encoding.at(seq_len=n).frequencies for n in asked])
    parts = np.divide(scaled, unscaled, out=np.full(scaled.shape, np.nan), where=scaled > 0)
    (before, now), pairs = parts[:2], np.arange(len(unscaled))
    pen.axes(len(pairs), (float(np.nanmin(parts)) / 1.5, 1.5 * float(np.nanmax(parts))))
    lengths = [(f"{length + past:,}", style.KEY)]
    if past:
        lengths = [(f"{length:,}", style.SOFT), *lengths]
    pen.unit("↑ frequency ÷ that without scaling, of a text of", *lengths, "tokens")
    there = np.isfinite(before) & np.isfinite(now)
    pen.band(pairs[there], before[there], now[there])
    pen.change(pairs, before, now, dotted=pen.size[0] > 14 * len(pairs))
    apart = np.nan_to_num(np.maximum(before / now, now / before), nan=1.0)
    differ, worst, at = int((apart > 1 + EQUAL).sum()), float(apart.max()), style.lowest(-apart)
    much = f"{number(worst)} times" if worst >= 2 else f"{number(100 * (worst - 1))} %"
    if differ:
        ends = [(at, before[at]), (at, now[at])]
        pen.strokes([ends], color=style.INK, lw=2)
        pen.mark(ends, size=7)
        pen.label(much, max(ends), (-4, 13), ha="right")
        pen.tick("x", at)
    told = f"{differ} of {len(now)} frequencies change" if differ else "No frequency changes"
    pen.title(told if differ else f"{length + past:,} tokens: as in training")
    begin = f"A text of {length + past:,} tokens, where training had {length:,}"
    jump = f" at once, by up to {much} (pair {at})" if differ else ""
    return f"{begin}: {told[0].lower()}{told[1:]}{jump}."
