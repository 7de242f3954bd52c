"""The pictures only lesson 11 shows."""

import numpy as np

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.longer import TIMES
from posenc_lib.views.style import number
from posenc_lib.views.view import view

EQUAL = 1e-9  # rounding noise, as a part of a frequency
PAST = Parameter("past", "how many tokens longer than in training", 0, -8, 8, least=-8, most=8)

UNSEEN = "seq_len content draw pairing"
PAIRS = {"x": "pair, fast to slow", "weight": 1.4}

SCALED = PAIRS | {"needs": "training_length as_trained frequencies", "ignores": UNSEEN, "log": "y"}


@view("curves", "Positions per turn", left=76, **SCALED)
def frequencies(pen, encoding, times=TIMES):
    """Draw the length of each pair's wave, unscaled and scaled; shade those in between."""
    length, unscaled = encoding.training_length, encoding.as_trained.frequencies
    longest, pairs = times * length, len(unscaled)
    scaled = encoding.at(seq_len=longest).frequencies
    # what stands still counts as kept
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
    pen.unit("↑ positions per turn:", ("unscaled", style.SOFT), ("scaled", style.KEY), *shaded)
    # both ends of each run
    ends = np.flatnonzero(np.diff([False, *between, False])).reshape(-1, 2) - 0.5
    pen.shapes([[(a, 0), (a, 1), (b, 1), (b, 0)] for a, b in ends], color=style.TINT, within="x")
    pen.tick("y", length)
    if pen.px((0, longest))[1] - pen.px((0, length))[1] > 14:
        pen.tick("y", longest)
    with pen.always():  # whoever draws the scaled ones sees the unscaled ones and both lengths
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
        f"Trained on texts of {length:,} tokens, read at {longest:,}. "
        f"Of {style.plural(pairs, 'pair')}: {told}."
    )


@view("curves", "Frequency ÷ unscaled", **SCALED)
def cliff(pen, encoding, past=PAST):
    """Draw each frequency over its unscaled value in a text some tokens past training."""
    unscaled, length = encoding.as_trained.frequencies, encoding.training_length
    asked = (max(n, 1) for n in (length, length + past, length + PAST.low, length + PAST.high))
    scaled = np.array([encoding.at(seq_len=n).frequencies for n in asked])
    parts = np.divide(scaled, unscaled, out=np.full(scaled.shape, np.nan), where=scaled > 0)
    (before, now), pairs = parts[:2], np.arange(len(unscaled))
    pen.axes(len(pairs), (float(np.nanmin(parts)) / 1.5, 1.5 * float(np.nanmax(parts))))
    lengths = [(f"{length + past:,}", style.KEY)]
    if past:
        lengths = [(f"{length:,}", style.SOFT), *lengths]
    pen.unit("↑ frequency ÷ unscaled, in a text of", *lengths, "tokens")
    there = np.isfinite(before) & np.isfinite(now)
    pen.band(pairs[there], before[there], now[there])
    pen.change(pairs, before, now, dotted=pen.size[0] > 14 * len(pairs))
    apart = np.nan_to_num(np.maximum(before / now, now / before), nan=1.0)
    differ, worst, at = int((apart > 1 + EQUAL).sum()), float(apart.max()), style.lowest(-apart)
    much = f"{number(worst)} times" if worst >= 2 else f"{number(100 * (worst - 1))}%"
    if differ:
        ends = [(at, before[at]), (at, now[at])]
        pen.strokes([ends], color=style.INK, lw=2)
        pen.mark(ends, size=7)
        pen.label(much, max(ends), (-4, 13), ha="right")
        pen.tick("x", at)
    told = f"{differ} of {len(now)} frequencies change" if differ else "No frequency changes"
    pen.title(told if differ else f"{length + past:,} tokens: no frequency changes")
    begin = f"A text of {length + past:,} tokens, where training had {length:,}"
    jump = f" at once, by up to {much} (pair {at})" if differ else ""
    return f"{begin}: {told[0].lower()}{told[1:]}{jump}."


ACROSS = {"x": "how far back the key is", "log": "x", "weight": 1.4, "ignores": UNSEEN}


@view(
    "curves", "A cache across the cliff", needs="training_length as_trained frequencies", **ACROSS
)
def cached_scores(pen, encoding):
    """Draw the scores of the first query past the cliff: keys recomputed, and keys from the cache.

    Query and key have a 1 in each pair, so a score is the number of pairs at most.
    """
    length = encoding.training_length
    short, long = (encoding.at(seq_len=n).frequencies for n in (length, length + 1))
    back = np.arange(1, length + 1)
    recomputed = np.cos(np.outer(back, long)).sum(axis=1)
    cached = np.cos(length * long - np.outer(length - back, short)).sum(axis=1)
    most = len(short)
    pen.axes((0.8, 1.2 * length), (-0.15 * most, 1.05 * most), yticks=(0, most // 2, most))
    pen.rule("y", 0, style.RULE, 0.8)
    pen.unit("↑ score:", ("recomputed", style.SOFT), ("from the cache", style.KEY))
    top = int(cached.argmax())
    # as many as can be told apart
    some = np.unique([*np.geomspace(1, length, 800).round().astype(int), top + 1]) - 1
    pen.change(back[some], recomputed[some], cached[some])
    pen.mark([(back[0], cached[0]), (back[top], cached[top])], size=8)
    pen.label(f"{back[top]:,} back", (back[top], cached[top]), (0, 13))
    now, was = number(cached[0]), number(recomputed[0])
    same = now == was
    pen.title(
        f"The nearest key keeps {now}" if same else f"The nearest key goes from {was} to {now}"
    )
    return (
        f"The nearest key scores {was} recomputed and {now} from the cache. All cached keys score "
        f"{number(cached.mean())} on average, and the highest is {back[top]:,} back: "
        f"{number(cached[top])}."
    )
