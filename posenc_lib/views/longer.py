"""Texts longer than those of training: new angles, best heads, grouped offsets, models that were trained."""

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np

from posenc_lib.encodings.attention import softmax
from posenc_lib.encodings.exact_head import ANYWHERE, exact_head, reads_positions
from posenc_lib.encodings.longer import self_extend_offsets
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.scores import PAIRS, masked
from posenc_lib.views.style import number
from posenc_lib.views.view import view

TIMES = Parameter(
    "times", "how many training lengths the text has", 4, 1, 16, 1, "power of two", least=1, most=16
)
LOOK_BACK = Parameter("look_back", "how many tokens back the head looks", 16, 0, 128, most=128)
TRIED = (
    0,
    1,
    2,
    3,
    4,
    6,
    8,
    12,
    16,
    24,
    32,
    48,
    64,
    96,
    128,
)  # tokens back, as far as the text goes
PARTS = (0, 0.25, 0.5, 0.75, 1)  # of attention, on an axis
HEADS_KEPT = 4096  # and what they did, at most
MOST_WORK = 45_000_000  # training length · dims² of a head: fifteen of them take three seconds
LONGER = {
    "needs": "training_length as_trained frequencies",
    "ignores": "seq_len pairing content draw",
}


def longer(encoding, times: int) -> tuple[int, int, np.ndarray, np.ndarray]:
    """Return the training length, that of the text, and θ as trained and on this text."""
    trained = encoding.training_length
    length = times * trained
    return trained, length, encoding.as_trained.frequencies, encoding.at(seq_len=length).frequencies


@view("free", "Angles of training, and new ones", **LONGER, square=True)
def angles_seen(pen, encoding, times=TIMES):
    """Draw for each pair which angles it had in training, grey, and which a longer text shows it for the first time."""
    trained, length, theta, now = longer(encoding, times)
    turn, pairs = 2 * np.pi, len(theta)
    seen, last, none = (
        np.minimum(trained * theta, turn),
        np.minimum(length * now, turn),
        np.zeros(pairs),
    )
    # An angle within a step of a trained one is none that is new: squeezed positions end between two of those.
    new = (seen < turn) & (length * now - seen > theta)
    side = math.ceil(math.sqrt(pairs))
    rows = {row: str(row * side) for row in range(0, side, 1 + side // 10)}
    pen.axes((-0.6, side - 0.4), (side - 0.4, -0.6), xticks=(), yticks=rows)
    pen.unit("↓ pair; grey: angles of training,", ("new ones", style.KEY))
    whole, met = (none, none + turn, seen < turn, style.GRID), (none, seen, seen > 0, style.GHOST)
    for begin, end, there, color in (whole, met, (seen, last, new, style.KEY)):
        arcs = []
        for pair in np.flatnonzero(there):  # counter-clockwise, on axes whose y runs down
            a = np.linspace(begin[pair], end[pair], 2 + int(5.0 * (end[pair] - begin[pair])))
            arcs.append(
                np.array(divmod(pair, side)[::-1])
                + 0.4 * np.stack([np.cos(a), -np.sin(a)], axis=-1)
            )
        pen.strokes(arcs, color=color, lw=min(3.4, 27 / side), capstyle="butt")
    count, full = int(new.sum()), int((seen == turn).sum())
    meet = f"{count} of {style.plural(pairs, 'pair')} meet{'s' * (count == 1)} new angles"
    pen.title(meet if count else "No new angle")
    told = f"In {trained:,} positions of training {full} of {pairs} pairs went round (grey)"
    return f"{told}; a text of {length:,} takes {count} of the others to angles never seen (blue)."


def longest_fit(dims: int) -> int:
    """Return the longest training length that a head is fitted on in a time that a reader waits."""
    return MOST_WORK // dims**2


HEADS = LONGER | {  # of curves of heads that are fitted to the training length
    "only": lambda encoding: encoding.training_length <= longest_fit(2 * len(encoding.frequencies)),
    "ends": lambda width, seq_len: {"trained": longest_fit(width)},
}


def head(encoding, aim):
    """Return the best head of an encoding for an aim, as it was trained; fitted once."""
    return fitted(*trained_as(encoding), aim)


def trained_as(encoding) -> tuple:
    """Return what an encoding was in training, so that what was made of it is found again: class and values."""
    trained = encoding.as_trained
    return type(trained), tuple(trained.values.items())


@lru_cache(HEADS_KEPT)
def fitted(kind, values: tuple, aim):
    """Return the best head of an encoding of this class and these values."""
    one = kind(**dict(values))
    made = exact_head(one, look_back=aim, seq_len=one.seq_len)
    return replace(
        made, encoding=made.encoding.at()
    )  # without the table that it made for its check


@lru_cache(HEADS_KEPT)
def mass(kind, values: tuple, aim: int, length: int, theta: bytes) -> float:
    """Return the share of attention on the right key at the end of a text of this length, turned by θ."""
    return fitted(kind, values, aim).mass(length, inv_freq=np.frombuffer(theta))


@view("curves", "Looking back", x="how many tokens back", **HEADS)
def lookback(pen, encoding, times=TIMES, look_back=LOOK_BACK):
    """Draw how well the best heads of this encoding for k tokens back still find that token on a longer text."""
    trained, length, theta, now = longer(encoding, times)
    chosen, one = min(look_back, trained - 1), trained_as(encoding)
    back = sorted({chosen, *(k for k in TRIED if k < trained)})
    scaled, plain = (
        np.array([mass(*one, k, length, t.tobytes()) for k in back]) for t in (now, theta)
    )
    x, at = np.interp(back, TRIED, np.arange(len(TRIED))), back.index(chosen)
    ticks = {k: str(tried) for k, tried in enumerate(TRIED) if tried.bit_count() < 2}
    pen.axes(len(TRIED), (-0.03, 1.12), xticks=ticks, yticks=PARTS)
    unscaled = both(pen, f"↑ attention there, of {length:,}", x, plain, scaled, dotted=True)
    pen.query(x[at], top=scaled[at], name=str(chosen), color=style.INK)
    pen.title(f"{scaled[at]:.2f} of attention lands {chosen} back")
    told = f"A head fitted on {trained:,} tokens to look {chosen} back puts {share(scaled[at])} of its attention "
    return f"{told}there on {length:,}{f', unscaled {share(plain[at])} (grey)' * unscaled}."


def both(pen, what: str, x, before, after, names=("unscaled", "scaled"), *, dotted=False) -> bool:
    """Draw a curve over what it was before and say what y counts; return whether they differ."""
    differ = not np.array_equal(before, after)
    if differ:
        pen.unit(f"{what}:", (names[0], style.SOFT), "→", (names[1], style.KEY))
        pen.change(x, before, after, dotted=dotted)
    else:
        pen.unit(what)
        pen.curve(x, after, dotted=dotted)
    return differ


def share(part: float) -> str:
    """Return a share of attention for a sentence; of next to nothing the digits mean nothing."""
    return number(part) if part >= 0.001 else "under 0.001"


@view("curves", "Caring about no distance", x="distance", **HEADS)
def anywhere(pen, encoding, times=TIMES):
    """Draw the score by distance of the head that learned to care about no distance: in training all are next to 1."""
    trained, length, theta, now = longer(encoding, times)
    scaled, plain = (head(encoding, ANYWHERE).score(length, inv_freq=t) for t in (now, theta))
    least = style.lowest(scaled)
    pen.axes((0, 1.03 * length), (-0.5, 1.5), yticks=(-0.5, 0, 0.5, 1, 1.5))
    pen.region(0, trained, "trained")
    unscaled = both(pen, "↑ score", np.arange(length), plain, scaled)
    pen.mark([(least, scaled[least])], size=9)
    pen.title(f"All should score 1; the lowest scores {scaled[least]:.2f}".replace("-", "−"))
    told = f"A head fitted on {trained:,} tokens to score all distances 1 gives at least {number(scaled.min())} "
    return f"{told}on {length:,}{f', unscaled {number(plain.min())} (grey)' * unscaled}."


GROUP = Parameter(
    "group_size", "how many positions share a number beyond the window", 4, 1, 16, least=1
)
WINDOW = Parameter("window", "below which distance offsets stay exact", 16, 1, 512, least=1)
LONGEST = 256  # times the length of the fit
SHARPEN = ("1", "ln T / ln L")
LENGTHS = replace(TIMES, high=LONGEST, most=LONGEST)
BACK = replace(LOOK_BACK, default=3)
NEAR_BACK = replace(BACK, high=31)
SHARPENED = Parameter("sharpen", "by what scores are multiplied", SHARPEN[1], options=SHARPEN)
EXTENDED = {
    "needs": "training_length",
    "ignores": "head_dim base pairing content draw rope_type factor",
}
OF_BUCKETS = {"needs": "buckets", "ignores": "head seed head_dim content", "most_positions": 128}
OF_ALL = {"ignores": "content draw head layout num_heads pairing seed", "most_positions": 64}
OF_ALL |= {"only": lambda e: reads_positions(e) and not (e.has("seed") and e.has("table"))}
BY_LENGTH = {
    "x": "tokens in the text",
    "log": "x",
    "ends": lambda width, seq_len: {"look_back": seq_len - 1},
}


def lengths_from(fitted: int, doublings: int, steps: int) -> np.ndarray:
    """Return lengths of texts from that of the fit on, so many for each doubling."""
    return np.rint(fitted * 2 ** (np.arange(steps * doublings + 1) / steps)).astype(int)


@view("cells", "Offsets, known and new", **EXTENDED, **PAIRS)
def offsets_used(pen, encoding, group_size=GROUP, window=WINDOW):
    """Colour the offset, query − key, that Self-Extend turns each pair of positions by; hatched where it is new."""
    n, trained = encoding.seq_len, encoding.training_length
    grid = masked(self_extend_offsets(n, group_size, window), causal=True)
    most, known = int(grid[-1, 0]), trained - 1
    pen.cells(np.where(grid > known, np.nan, grid), (0, max(known, 1)), mixes=False)
    count = (grid > known).sum(axis=1)  # of new offsets in each row: they stand at its left
    if count.any():
        rows = np.flatnonzero(count)
        steps = np.stack(
            [np.repeat(count[rows] - 0.5, 2), np.stack([rows - 0.5, rows + 0.5], axis=1).ravel()],
            axis=1,
        )
        corner, hatched = (
            [(-0.5, n - 0.5), (-0.5, rows[0] - 0.5)],
            {"color": style.TINT, "edge": style.INK},
        )
        pen.shapes([np.vstack([steps, corner])], lw=0.8, hatch="///", **hatched)
    new = f"Offset {most} is new" if most == trained else f"Offsets {trained:,} to {most:,} are new"
    pen.title(new if count.any() else f"No offset is new: {most:,} at most")
    return f"{n:,} positions use offsets up to {most:,}; training on {trained:,} knew those up to {known:,}."


@view("curves", "The longer, the thinner", **OF_BUCKETS, **BY_LENGTH)
def dilution(pen, encoding, times=LENGTHS, look_back=BACK, sharpen=SHARPENED):
    """Draw the share of attention on the token k back against the length of the text, for the best head of buckets."""
    fitted, sharper = max(encoding.seq_len, 2), sharpen != SHARPEN[0]
    scores = exact_head(encoding, look_back=look_back, seq_len=fitted, ridge=0.01).score(
        LONGEST * fitted
    )
    lengths = lengths_from(fitted, LONGEST.bit_length() - 1, 2)
    ticks = {int(n): f"{n:,}" for n in lengths[::4]}
    pen.axes((lengths[0] / 1.3, lengths[-1] * 1.3), (-0.03, 1.1), xticks=ticks, yticks=PARTS)
    pen.box(
        0, 0, 1, 1, color=style.GRID, lw=0.8, within="axes"
    )  # the room that a longer text fills
    lengths = lengths_from(fitted, times.bit_length() - 1, 2)
    by = np.log(lengths) / math.log(fitted)
    plain, sharp = (
        [
            float(softmax(scores[:n] * factor)[look_back])
            for n, factor in zip(lengths, factors, strict=True)
        ]
        for factors in (np.ones(len(lengths)), by)
    )
    now, here = sharp if sharper else plain, int(lengths[-1])
    both(pen, "↑ attention on it", lengths, plain, now, ("unchanged", f"scores × {SHARPEN[1]}"))
    pen.mark([(here, now[-1]), (here, plain[-1])][: 1 + sharper], size=9)
    pen.title(f"{now[-1]:.2f} of attention lands on the right one of {here:,}")
    told = f"A head fitted on {fitted:,} tokens to look {look_back} back puts {share(plain[-1])} of its attention there"
    return f"{told} on {here:,}{f', with scores × {by[-1]:.2f} {share(now[-1])} (blue)' if sharper else ''}."


@view(
    "curves", "Best head", y="attention on the right token", needs="seq_len", **OF_ALL, **BY_LENGTH
)
def best_head(pen, encoding, look_back=NEAR_BACK):
    """Draw the attention that the best head of an encoding gives to the token k back, by the length of the text."""
    fitted, scaled = encoding.seq_len, encoding.has("as_trained")
    head = exact_head(
        encoding.as_trained if scaled else encoding, look_back=look_back, seq_len=fitted
    )
    asked = [fitted * by for by in (1, 2, 4, 8)]  # lengths whose numbers are written
    end = encoding.at(seq_len=asked[-1]).max_positions
    lengths = [n for n in lengths_from(fitted, 3, 8).tolist() if n <= end]
    theta = [encoding.at(seq_len=n).frequencies if scaled else None for n in lengths]
    shares = [float(head.mass(n, inv_freq=t)) for n, t in zip(lengths, theta, strict=True)]
    got = {n: part for n, part in zip(lengths, shares, strict=True) if n in asked}
    pen.axes(
        (asked[0] / 1.3, asked[-1] * 1.3),
        (-0.03, 1.17),
        xticks={n: f"{n:,}" for n in asked},
        yticks=PARTS,
    )
    pen.curve(lengths, shares)
    pen.mark([*got.items()])
    for n, part in got.items():
        pen.label(f"{part:.2f}", (n, part), (0, 14))
    last = max(got)
    pen.title(
        f"{got[fitted]:.2f} on {fitted}"
        + (f", {got[last]:.2f} on {last:,} tokens" if last > fitted else "")
    )
    told = ", ".join(f"{share(part)} on {n:,}" for n, part in got.items())
    beyond = "" if end >= asked[-1] else f" It has no position beyond {end:,}."
    return f"The best head for {look_back} back, fitted on {fitted} tokens, gives the right one {told}.{beyond}"


LEAK = Parameter(
    "leak", "how far gates stay from 0 and 1", 0.01, 0, 0.05, 0.001, scale="real", most=0.5
)
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
    right = (
        f"{total:.2f} instead of {should}"
        if abs(total - should) >= 0.005
        else f"{should}, as it should"
    )
    pen.title(f"Counting ends at the last position, {last}" if total > last else f"Counts {right}")
    parts = f"{number(gates[counts].sum())} from {should} that count, {number(gates[~counts].sum())} from the others"
    return f"{n} tokens back the gates add up to {number(total)}: {parts}; positions end at {last}."
