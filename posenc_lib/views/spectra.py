"""What a scaling does to RoPE's frequencies, pair by pair."""

import numpy as np

from posenc_lib.encodings.frequencies import inv_freq
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.rope_scaling import rope_scaling
from posenc_lib.views import style
from posenc_lib.views.beyond import TIMES
from posenc_lib.views.style import number
from posenc_lib.views.view import view

EQUAL = 1e-9  # rounding noise, as a part of a frequency
TURNS = 1, 32  # in the training length: the ends of YaRN's ramp, alpha and beta in its paper
APART = 0.1  # by how much two frequencies differ where it is worth a word
DOTTED = 14  # px from pair to pair that leave room for dots
PAST = Parameter("past", "how many tokens the text is longer than in training", 0, -8, 8, least=-8, most=8)
PAIRS = {"x": "pair, fast to slow", "pointer": ("pair", None), "weight": 1.6}
SCALED = PAIRS | {
    "needs": "training_length as_trained frequencies",
    "ignores": "seq_len content draw pairing",
    "wakes": "trained",
    "log": "y",
}


def compare(pen, before: np.ndarray, now: np.ndarray) -> None:
    """Draw a number for each pair as it was, broad and grey, and as it is; pairs that stand still have none."""
    pen.curve(before, color=style.GHOST, lw=5)
    pen.curve(now, each=pen.size[0] > DOTTED * len(now))


def _edges(pairs: int) -> tuple[float, float]:
    return -0.5 - 0.01 * pairs, 1.01 * pairs - 0.5


@view("curves", "Positions per turn", numbers=76, **SCALED)
def frequencies(pen, encoding, times=TIMES):
    """Draw how long each pair's wave is, unscaled and scaled, and shade the pairs that are divided by something else.

    Some pairs are kept, some divided by the most; those between the two are shaded.
    """
    length, pairs = encoding.training_length, len(encoding.as_trained.frequencies)
    longest, unscaled = times * length, encoding.as_trained.frequencies
    scaled = encoding.at(seq_len=longest).frequencies
    (kept, between, most, still), largest = _fates(unscaled, scaled)
    with np.errstate(divide="ignore"):
        before, now = (np.where(theta > 0, 2 * np.pi / theta, np.nan) for theta in (unscaled, scaled))
    top = 1.5 * 10.0 ** np.ceil(np.log10(max(longest, np.nanmax(before), np.nanmax(now))))
    pen.axes(_edges(pairs), (1, top))
    shaded = ["shaded: in between"] if between.any() else []
    pen.unit("↑ positions a turn:", ("unscaled", style.SOFT), ("scaled", style.KEY), *shaded)
    pen.shapes([[(a, 0), (a, 1), (b, 1), (b, 0)] for a, b in _runs(between)], color=style.TINT, within="x")
    lines = ((length, "training", -11), (longest, "the text", 11))[: 1 + (longest > length)]
    for at, _, up in lines:
        pen.strokes_of([0, 1], [at, at], style.INK, 1.2, within="y", linestyle="-" if up < 0 else "--")
    compare(pen, before, now)
    right = bool(np.nanmax(now[: int(90 / pen.size[0] * pairs) + 1]) > length / 2)  # at the left a curve is in the way
    for at, name, up in lines:
        if up < 0 or pen.px((0, at))[1] - pen.px((0, length))[1] > 14:
            pen.at("y", at)
        pen.label(name, (int(right), at), (-6 if right else 8, up), within="y", ha="right" if right else "left")
    parts = {"kept": kept, "in between": between, f"divided by {number(largest)}": most, "still": still}
    told = ", ".join(f"{members.sum()} {words}" for words, members in parts.items() if members.any())
    pen.title(f"All {style.plural(pairs, 'pair')} kept" if kept.all() and pairs > 1 else f"Pairs: {told}")
    told = f"Trained on {length:,} tokens, read at {longest:,}. "
    told += f"Pairs that keep their frequency: {kept.sum()} of {pairs}"
    if most.any():
        told += f"; divided by {number(largest)}, the most: {most.sum()}; by something in between: {between.sum()}"
    return f"{told}; standing still: {still.sum()}." if still.any() else f"{told}."


def _fates(unscaled: np.ndarray, scaled: np.ndarray) -> tuple[tuple[np.ndarray, ...], float]:
    """Return which pairs are kept, divided by something in between, by the most, stand still; and the most."""
    still = scaled == 0
    stretch = np.divide(unscaled, scaled, out=np.ones(len(scaled)), where=~still)
    kept, largest = ~still & (np.abs(stretch - 1) <= EQUAL), float(stretch.max())
    most = ~still & ~kept & (stretch >= (1 - EQUAL) * largest)
    return (kept, ~(kept | most | still), most, still), largest


def _runs(members: np.ndarray) -> np.ndarray:
    """Return where each run of pairs begins and ends on the axis of pairs, shape (runs, 2)."""
    return np.flatnonzero(np.diff([False, *members, False])).reshape(-1, 2) - 0.5


@view("curves", "Frequency ÷ unscaled", **SCALED)
def cliff(pen, encoding, past=PAST):
    """Draw what each frequency is divided to by a text some tokens longer than in training, beside one just as long."""
    unscaled, length = encoding.as_trained.frequencies, encoding.training_length
    asked = (max(n, 1) for n in (length, length + past, length + PAST.low, length + PAST.high))
    scaled = np.array([encoding.at(seq_len=n).frequencies for n in asked])
    parts = np.divide(scaled, unscaled, out=np.full(scaled.shape, np.nan), where=scaled > 0)
    (before, now), (low, high) = parts[:2], (np.nanmin(parts), np.nanmax(parts))
    pen.axes(_edges(len(now)), (float(low) / 1.5, 1.5 * float(high)))
    two = [(f"{length:,}", style.SOFT)] * bool(past) + [(f"{length + past:,}", style.KEY)]
    pen.unit("↑ frequency ÷ that without scaling, of a text of", *two, "tokens")
    there, pairs = np.isfinite(before) & np.isfinite(now), np.arange(len(now))
    pen.band(pairs[there], before[there], now[there])
    compare(pen, before, now)
    differ, worst, at = _most_apart(before, now)
    if differ:
        mark(pen, at, before[at], now[at], _much(worst))
    pen.title(f"{differ} of {len(now)} frequencies change" if differ else f"{length + past:,} tokens: as in training")
    begin = f"A text of {length + past:,} tokens, where training had {length:,}: "
    if not differ:
        return f"{begin}the same frequencies, all {len(now)} of them."
    return f"{begin}{differ} of {len(now)} frequencies change at once, by up to {_much(worst)} (pair {at})."


def _most_apart(before, now) -> tuple[int, float, int]:
    """Return how many frequencies differ, by what ratio at most, and where."""
    apart = np.nan_to_num(np.maximum(before / now, now / before), nan=1.0)
    return int((apart > 1 + EQUAL).sum()), float(apart.max()), style.lowest(-apart)


def _much(ratio: float) -> str:
    return f"{number(ratio)} times" if ratio >= 2 else f"{number(100 * (ratio - 1))} %"


def mark(pen, at: int, one: float, other: float, words: str) -> None:
    """Mark where two curves are farthest apart, in words beside it."""
    pen.strokes([[(at, one), (at, other)]], color=style.INK, lw=2)
    pen.dots([(at, one), (at, other)], color=style.INK, size=7, lw=1.2)
    pen.label(words, (at, max(one, other)), (-4, 13), ha="right")
    pen.at("x", at)


@view(
    "curves",
    "What YaRN divides",
    needs="training_length head_dim base factor",
    ignores="seq_len content draw pairing rope_type",
    wakes="trained factor",
    **PAIRS,
)
def yarn_ramps(pen, encoding):
    """Draw how much of each pair YaRN divides: the paper's ramp over turns, and everybody's code over the pairs."""
    length, factor = encoding.training_length, encoding.factor or 4
    theta, (low, high) = inv_freq(encoding.head_dim, encoding.base), TURNS
    paper = 1 - np.clip((length * theta / (2 * np.pi) - low) / (high - low), 0, 1)
    given = {"rope_type": "yarn", "rope_theta": encoding.base, "original_max_position_embeddings": length}
    half, scaled = (rope_scaling(given | {"factor": s}, encoding.head_dim)[0] for s in (2, factor))
    ratio, code = theta * (1 - paper + paper / factor) / scaled, 2 * (1 - half / theta)
    apart, pairs = np.maximum(ratio, 1 / ratio), np.arange(len(theta))
    at, worst = style.lowest(-apart), apart.max()
    pen.axes(_edges(len(pairs)), (-0.04, 1.08), yticks=(0, 0.25, 0.5, 0.75, 1))
    pen.unit("↑ part divided:", ("paper: by turns", style.OTHER), ("code: by pairs", style.KEY))
    pen.band(pairs, paper, code)
    dotted = pen.size[0] > DOTTED * len(pairs)
    pen.curve(paper, color=style.OTHER, lw=1.4, each=dotted)
    pen.curve(code, each=dotted)
    begin = f"Factor {number(factor)}, trained on {length:,} tokens: "
    if worst <= 1 + EQUAL:
        pen.title(f"Paper and code turn all {len(pairs)} pairs alike")
        return f"{begin}paper and code turn all {len(pairs)} pairs alike."
    mark(pen, at, paper[at], code[at], f"{number(worst)} ×")
    pen.title(f"Pair {at} turns {number(worst)} times as fast in the {'code' if ratio[at] < 1 else 'paper'}")
    many = (apart > 1 + APART).sum()
    told = f"{begin}paper and code differ by up to {number(worst)} times (pair {at}); "
    return f"{told}{many} of {len(pairs)} pairs by over {100 * APART:.0f} %."
