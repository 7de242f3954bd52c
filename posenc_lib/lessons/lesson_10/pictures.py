"""The pictures that only lesson 10 shows."""

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
    """Return the best head of an encoding for an aim, as it was trained; fitted once."""
    return fitted(*trained_as(encoding), aim)


def trained_as(encoding) -> tuple:
    """Return an encoding's class and values in training; what was made of it is found by them."""
    trained = encoding.as_trained
    return type(trained), tuple(trained.values.items())


# tokens back, as far as the text goes
TRIED = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)

MOST_WORK = 45_000_000  # training length · dims² of a head: fifteen of them take three seconds


def longest_fit(dims: int) -> int:
    """Return the longest training length that a head is fitted on in a time that a reader waits."""
    return MOST_WORK // dims**2


HEADS = LONGER | {  # of curves of heads that are fitted to the training length
    "only": lambda encoding: encoding.training_length <= longest_fit(2 * len(encoding.frequencies)),
    "only_for": f"a training_length · head_dim² of at most {MOST_WORK:,}",
    "ends": lambda width, seq_len: {"trained": longest_fit(width)},
}


@lru_cache(HEADS_KEPT)
def mass(kind, values: tuple, aim: int, length: int, theta: bytes) -> float:
    """Return the attention on the right key at the end of a text of this length, turned by θ."""
    return fitted(kind, values, aim).mass(length, inv_freq=np.frombuffer(theta))


@view("curves", "Looking back", x="how many tokens back", **HEADS)
def lookback(pen, encoding, times=TIMES, look_back=LOOK_BACK):
    """Draw how well the best heads of this encoding for k tokens back still find that token
    on a longer text.
    """
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
    """Draw a curve over what it was before and say what y counts; return whether they differ."""
    differ = not np.array_equal(before, after)
    if differ:
        pen.unit(f"{what}:", (names[0], style.SOFT), "→", (names[1], style.KEY))
        pen.change(x, before, after, dotted=dotted)
    else:
        pen.unit(what)
        pen.curve(x, after, dotted=dotted)
    return differ


@view("curves", "Caring about no distance", x="distance", **HEADS)
def anywhere(pen, encoding, times=TIMES):
    """Draw the score by distance of the head that learned to care about no distance:
    in training all are next to 1.
    """
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


LONGEST = 256  # times the length of the fit
SHARPEN = ("1", "ln T / ln L")

LENGTHS = replace(TIMES, high=LONGEST, most=LONGEST)

SHARPENED = Parameter("sharpen", "by what scores are multiplied", SHARPEN[1], options=SHARPEN)

OF_BUCKETS = {"needs": "buckets", "ignores": "head seed head_dim content", "most_positions": 128}


@view("curves", "The longer, the thinner", **OF_BUCKETS, **BY_LENGTH)
def dilution(pen, encoding, times=LENGTHS, look_back=BACK, sharpen=SHARPENED):
    """Draw the share of attention on the token k back against the length of the text,
    for the best head of buckets.
    """
    trained, sharper = max(encoding.seq_len, 2), sharpen != SHARPEN[0]
    best = exact_head(encoding, look_back=look_back, seq_len=trained, ridge=0.01)
    scores = best.score(LONGEST * trained)
    lengths = lengths_from(trained, LONGEST.bit_length() - 1, 2)
    ticks = {int(n): f"{n:,}" for n in lengths[::4]}
    pen.axes((lengths[0] / 1.3, lengths[-1] * 1.3), (-0.03, 1.1), xticks=ticks, yticks=PARTS)
    # the room that a longer text fills
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
