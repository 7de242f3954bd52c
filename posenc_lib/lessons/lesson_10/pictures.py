"""The pictures only lesson 10 shows."""

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np

from posenc_lib.encodings.attention import softmax
from posenc_lib.encodings.exact_head import ANYWHERE, exact_head
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.longer import (
    BACK,
    BY_LENGTH,
    HEADS_KEPT,
    LONGER,
    LOOK_BACK,
    PARTS,
    TIMES,
    fitted,
    lengths_from,
    longer,
    share,
)
from posenc_lib.views.style import number
from posenc_lib.views.view import view


def head(encoding, aim):
    """Return the best head of an encoding for an aim, fitted once, to its training length."""
    return fitted(*trained_as(encoding), aim)


def trained_as(encoding) -> tuple:
    """Return an encoding's class and its values in training, a key for what was fitted."""
    trained = encoding.as_trained
    return type(trained), tuple(trained.values.items())


# tokens back, as far as the text goes
TRIED = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)

MOST_WORK = 45_000_000  # training length · dims² of a head: fifteen heads take three seconds


def longest_fit(dims: int) -> int:
    """Return the longest training length for which fitting doesn't take too long."""
    return MOST_WORK // dims**2


HEADS = LONGER | {  # views of heads fitted to the training length
    "only": lambda encoding: encoding.training_length <= longest_fit(2 * len(encoding.frequencies)),
    "only_for": f"a training_length · head_dim² of at most {MOST_WORK:,}",
    "ends": lambda width, seq_len: {"trained": longest_fit(width)},
}


@lru_cache(HEADS_KEPT)
def mass(kind, values: tuple, aim: int, length: int, theta: bytes) -> float:
    """Return the attention on the right key at the end of a text of this length, with these θ."""
    return fitted(kind, values, aim).mass(length, inv_freq=np.frombuffer(theta))


@view("curves", "Looking back", x="how many tokens back", **HEADS)
def lookback(pen, encoding, times=TIMES, look_back=LOOK_BACK):
    """Draw how well the best heads for k tokens back still find that token in a longer text."""
    trained, length, theta, now = longer(encoding, times)
    chosen, fit = min(look_back, trained - 1), trained_as(encoding)
    back = sorted({chosen, *(k for k in TRIED if k < trained)})
    scaled, plain = (
        np.array([mass(*fit, k, length, t.tobytes()) for k in back]) for t in (now, theta)
    )
    x, at = np.interp(back, TRIED, np.arange(len(TRIED))), back.index(chosen)
    ticks = {k: str(tried) for k, tried in enumerate(TRIED) if tried.bit_count() < 2}
    pen.axes(len(TRIED), (-0.03, 1.12), xticks=ticks, yticks=PARTS)
    unscaled = both(pen, f"↑ attention there, of {length:,}", x, plain, scaled, dotted=True)
    pen.query(x[at], top=scaled[at], name=str(chosen), color=style.INK)
    pen.title(f"{scaled[at]:.2f} of attention lands {chosen} back")
    before = f", unscaled {share(plain[at])} (gray)" if unscaled else ""
    return (
        f"A head fitted on {trained:,} tokens to look {chosen} back puts {share(scaled[at])} "
        f"of its attention there on {length:,}{before}."
    )


def both(pen, what: str, x, before, after, names=("unscaled", "scaled"), *, dotted=False) -> bool:
    """Draw a curve over its earlier state and name y; return whether they differ."""
    differ = not np.array_equal(before, after)
    if differ:
        pen.unit(f"{what}:", (names[0], style.SOFT), "→", (names[1], style.KEY))
        pen.change(x, before, after, dotted=dotted)
    else:
        pen.unit(what)
        pen.curve(x, after, dotted=dotted)
    return differ


@view("curves", "The same score at every distance", x="distance", **HEADS)
def anywhere(pen, encoding, times=TIMES):
    """Draw the scores of a head that learned to give every distance the score 1."""
    trained, length, theta, now = longer(encoding, times)
    scaled, plain = (head(encoding, ANYWHERE).score(length, inv_freq=t) for t in (now, theta))
    least = style.lowest(scaled)
    pen.axes((0, 1.03 * length), (-0.5, 1.5), yticks=(-0.5, 0, 0.5, 1, 1.5))
    pen.region(0, trained, "trained")
    unscaled = both(pen, "↑ score", np.arange(length), plain, scaled)
    pen.mark([(least, scaled[least])], size=9)
    pen.title(f"All should score 1; the lowest scores {scaled[least]:.2f}".replace("-", "−"))
    before = f", unscaled {number(plain.min())} (gray)" if unscaled else ""
    return (
        f"A head fitted on {trained:,} tokens to score all distances 1 gives at least "
        f"{number(scaled.min())} on {length:,}{before}."
    )


SHARES_BACK = (0.12, 0.45, 0.95)  # of the text, where a name is
NAME = "Ada"
ROUND = np.linspace(0, np.pi, 97)


@view("free", "A name, three times", x="tokens before the query", left=8, **HEADS)
def names_found(pen, encoding, times=TIMES):
    """Draw an arc from the end of a text to each of three names in it, with its score.

    The head learned to give every distance the score 1.
    """
    _, length, _, now = longer(encoding, times)
    back = [max(round(part * length), 1) for part in SHARES_BACK]
    scores = head(encoding, ANYWHERE).score(length, inv_freq=now)[back]
    ticks = {-n: f"−{n:,}" for n in back}
    pen.axes((-1.06 * length, 0.1 * length), (-0.16, 1.2), xticks=ticks, yticks=())
    pen.rule("y", 0, style.RULE)
    for n, score in zip(back, scores, strict=True):
        x = -n / 2 * (1 + np.cos(ROUND))
        high = 0.25 + 0.75 * n / length
        pen.line(x, high * np.sin(ROUND), style.KEY, 2.0)
        pen.text(f"{score:.2f}", (-n / 2, high), (0, 11), fontweight="bold", halo=True)
        pen.text(NAME, (-n, 0), (0, -10), fontweight="bold", color=style.KEY)
    pen.mark([(0, 0)], style.QUERY, 9)
    pen.text("query", (0, 0), (0, -10), color=style.QUERY)
    pen.unit("one arc to each name, with its score")
    low, top = scores.min(), scores.max()
    pen.title(
        f"Scores from {low:.2f} to {top:.2f}"
        if f"{low:.2f}" != f"{top:.2f}"
        else f"Each scores {low:.2f}"
    )
    each = ", ".join(
        f"{n:,} back {number(score, 2)}" for n, score in zip(back, scores, strict=True)
    )
    return f"Scores of a name in a text of {length:,} tokens: {each}."


DISTANCE = Parameter("distance", "how far back the key is", 100, 0, 4095)


def _distances(width, seq_len) -> dict:
    return {"distance": 16 * longest_fit(width) - 1}


@view("plane", "A head that ignores distance", **HEADS | {"ends": _distances})
def anywhere_stem(pen, encoding, times=TIMES, distance=DISTANCE):
    """Lay what each pair adds to the score at a distance end to end, the slowest pair first.

    The head learned to give every distance the score 1, the height of the tip. Pairs that didn't
    complete a turn in training stand out.
    """
    trained, length, theta, now = longer(encoding, times)
    distance = min(distance, length - 1)
    cosines, sines = head(encoding, ANYWHERE).weights.reshape(2, -1)
    order = np.argsort(theta, kind="stable")
    places = np.unique(np.append(np.linspace(0, length - 1, 512).round().astype(int), distance))
    links = ((cosines - 1j * sines) * np.exp(1j * np.outer(places, now)))[:, order]
    tips, bent = links.sum(axis=1), np.append(0, np.cumsum(links[places.searchsorted(distance)]))
    pen.axes((-0.8, 0.8), (-0.25, 1.35), x="", xticks=(), yticks=(0, 0.5, 1))
    pen.rule("y", 1, style.RULE)
    pen.line(tips.imag, tips.real, style.GHOST, 1.0)
    parts = np.stack(
        [np.stack([bent.imag, bent.real], axis=1)[k : k + 2] for k in range(len(order))]
    )
    slow = (theta * trained < 2 * np.pi)[order]
    for chosen, color in ((~slow, style.KEY), (slow, style.OTHER)):
        pen.strokes(parts[chosen], color=color, lw=5, capstyle="round")
    tip = bent[-1]
    pen.mark([(0, 0), (tip.imag, tip.real)], style.INK, 8)
    pen.unit("↑ score:", ("never completed a turn", style.OTHER), ("the rest", style.KEY))
    pen.title(f"{distance:,} back: score {tip.real:.2f}".replace("-", "−"))
    return (
        f"At distance {distance:,} the score is {number(tip.real)}. "
        f"Of {len(order)} pairs, {int(slow.sum())} didn't complete a turn in {trained:,} tokens."
    )


LONGEST = 256  # times the length of the fit
SHARPEN = ("1", "ln T / ln L")

LENGTHS = replace(TIMES, high=LONGEST, most=LONGEST)

SHARPENED = Parameter("sharpen", "the factor of all scores", SHARPEN[1], options=SHARPEN)

OF_BUCKETS = {"needs": "buckets", "ignores": "head seed head_dim content", "most_positions": 128}


@view("curves", "Dilution", **OF_BUCKETS, **BY_LENGTH)
def dilution(pen, encoding, times=LENGTHS, look_back=BACK, sharpen=SHARPENED):
    """Draw the attention on the token k back as the text grows, for the best head of buckets."""
    trained, sharper = max(encoding.seq_len, 2), sharpen != SHARPEN[0]
    best = exact_head(encoding, look_back=look_back, seq_len=trained, ridge=0.01)
    scores = best.score(LONGEST * trained)
    lengths = lengths_from(trained, LONGEST.bit_length() - 1, 2)
    ticks = {int(n): f"{n:,}" for n in lengths[::4]}
    pen.axes((lengths[0] / 1.3, lengths[-1] * 1.3), (-0.03, 1.1), xticks=ticks, yticks=PARTS)
    # room for longer texts
    pen.box(0, 0, 1, 1, color=style.GRID, lw=0.8, within="axes")
    lengths = lengths_from(trained, times.bit_length() - 1, 2)
    by = np.log(lengths) / math.log(trained)

    def shares(factors) -> list[float]:
        those = (scores[:n] * factor for n, factor in zip(lengths, factors, strict=True))
        return [float(softmax(row)[look_back]) for row in those]

    plain, sharp = shares(np.ones(len(lengths))), shares(by)
    now, here = sharp if sharper else plain, int(lengths[-1])
    pen.known = trained
    both(pen, "↑ attention on it", lengths, plain, now, ("unchanged", f"scores × {SHARPEN[1]}"))
    ends = [(here, now[-1]), (here, plain[-1])] if sharper else [(here, now[-1])]
    pen.mark(ends, size=9)
    pen.title(f"{now[-1]:.2f} of attention lands on the right one of {here:,}")
    more = f", with scores × {by[-1]:.2f} {share(now[-1])} (blue)" if sharper else ""
    return (
        f"A head fitted on {trained:,} tokens to look {look_back} back puts {share(plain[-1])} "
        f"of its attention there on {here:,}{more}."
    )
