"""RoPE on texts longer than those of its training: angles that are new, and what its best heads do there."""

import math
from dataclasses import replace

import numpy as np

from posenc_lib.encodings.exact_head import ANYWHERE, exact_head
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.style import number
from posenc_lib.views.view import view

TIMES = Parameter("times", "how many training lengths the text has", 4, 1, 16, 1, "power of two", least=1, most=16)
LOOK_BACK = Parameter("look_back", "how many tokens back the head looks", 16, 0, 128, most=128)
TRIED = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)  # tokens back, as far as the text goes
TICKS = {TRIED.index(back): str(back) for back in (0, 1, 2, 4, 8, 16, 32, 64, 128)}
PARTS = (0, 0.25, 0.5, 0.75, 1)  # of attention, on an axis
SIDE = 8  # dials in a row, at most
STRAIGHT = 5.0  # straight lines that make one radian of an arc
POINTS = 4096  # of a curve, at most
KEPT = 4096  # heads and what they did, at most
SLOW = 0.3  # seconds of fitting that a reader is told of
FIT = 4.5e-9  # seconds, times length · dims²: what a fit took on a small machine
LONGEST_FIT = 0.65  # seconds: a curve of fifteen heads, at worst, takes ten
LONGER = {"needs": "training_length as_trained frequencies", "ignores": "seq_len pairing content draw"}
LONGER |= {"wakes": "trained"}  # of views of a text of `times` training lengths, whatever the seq_len

_kept: dict[tuple, object] = {}


def longer(encoding, times: int) -> tuple[int, int, np.ndarray, np.ndarray]:
    """Return the training length, that of the text, and θ as trained and on this text."""
    trained = encoding.training_length
    length = times * trained
    return trained, length, encoding.as_trained.frequencies, encoding.at(seq_len=length).frequencies


@view("free", "Angles of training, and new ones", **LONGER, square=True, weight=1.0)
def angles_seen(pen, encoding, times=TIMES):
    """Draw for each pair which angles it had in training, grey, and which a longer text shows it for the first time.

    Of more than 64 pairs some are drawn, all counted.
    """
    trained, length, theta, now = longer(encoding, times)
    turn, pairs, every = 2 * np.pi, len(theta), -(-len(theta) // SIDE**2)
    seen = np.minimum(trained * theta, turn)
    # An angle within a step of a trained one is none that is new: squeezed positions end between two of those.
    new = (seen < turn) & (length * now - seen > theta)
    last = np.where(new, np.minimum(length * now, turn), seen)
    some = np.arange(0, pairs, every)
    side = math.ceil(math.sqrt(len(some)))
    pen.axes((-0.6, side - 0.4), (side - 0.4, -0.6), xticks=(), yticks=dict(enumerate(some[::side].tolist())))
    pen.unit("↓ pair; grey: angles of training,", ("new ones", style.KEY))
    middles = np.stack(np.divmod(np.arange(len(some)), side)[::-1], axis=1)
    rings = (0 * seen, np.full(pairs, turn), seen < turn, style.GRID, 2.6), (0 * seen, seen, seen > 0, style.GHOST, 3.4)
    for begin, end, drawn_ones, color, lw in (*rings, (seen, last, new, style.KEY, 3.4)):
        there = drawn_ones[some]
        arcs = _arcs(middles[there], begin[some][there], end[some][there])
        pen.strokes(arcs, color=color, lw=lw, capstyle="butt")
    count = int(new.sum())
    met = f"{count} of {style.plural(pairs, 'pair')} meet{'s' * (count == 1)} new angles"
    pen.title(met if count else "No new angle")
    full = int((seen == turn).sum())
    told = f"In {trained:,} positions of training {full} of {pairs} pairs went round (grey), {pairs - full} did not; "
    told += f"a text of {length:,} takes {count} of them to angles never seen (blue)"
    return f"{told}. One pair in {every} is drawn." if every > 1 else f"{told}."


def _arcs(middles: np.ndarray, begin: np.ndarray, end: np.ndarray) -> list[np.ndarray]:
    """Return an arc around each middle, counter-clockwise on axes whose y runs down, each of shape (points, 2)."""
    spans = [np.linspace(*ends, 2 + int(STRAIGHT * (ends[1] - ends[0]))) for ends in zip(begin, end, strict=True)]
    return [m + 0.4 * np.stack([np.cos(a), -np.sin(a)], axis=-1) for m, a in zip(middles, spans, strict=True)]


def longest_fit(dims: int) -> int:
    """Return the longest training length that a head is fitted on in a time that a reader waits."""
    return int(LONGEST_FIT / FIT) // dims**2


HEADS = LONGER | {  # of curves of heads that are fitted to the training length
    "only": lambda encoding: encoding.training_length <= longest_fit(2 * len(encoding.frequencies)),
    "ends": lambda width, seq_len: {"trained": longest_fit(width)},
}


def head(encoding, aim):
    """Return the best head of an encoding for an aim, as it was trained; fitted once."""
    trained, dims = encoding.as_trained, 2 * len(encoding.frequencies)
    if encoding.training_length > (most := longest_fit(dims)):
        rule = f"at most {most:,} here, where {dims} dims turn"
        raise ValueError(f"the training length must be {rule}, got {encoding.training_length:,}")
    key = trained.frequencies.tobytes(), encoding.training_length, aim
    if key not in _kept:
        made = exact_head(trained, look_back=aim, seq_len=encoding.training_length)
        keep(key, replace(made, encoding=made.encoding.at()))  # without the table that it made for its check
    return _kept[key]


def keep(key: tuple, value) -> None:
    """Keep something made at some cost; the oldest goes where there is too much."""
    if len(_kept) >= KEPT:
        del _kept[next(iter(_kept))]
    _kept[key] = value


def mass(encoding, aim: int, length: int, theta: np.ndarray) -> float:
    """Return the share of attention on the right key at the end of a text of this length, turned by θ."""
    key = encoding.as_trained.frequencies.tobytes(), encoding.training_length, aim, length, theta.tobytes()
    if key not in _kept:
        keep(key, head(encoding, aim).mass(length, inv_freq=theta))
    return _kept[key]


def aims(encoding, chosen: int) -> list[int]:
    """Return how far back the fitted heads look: the chosen one, and those tried that the training length holds."""
    most = encoding.training_length - 1
    return sorted({min(chosen, most), *(k for k in TRIED if k <= most)})


def _waits(encoding, values) -> str:
    theta, length = encoding.as_trained.frequencies, encoding.training_length
    missing = sum((theta.tobytes(), length, k) not in _kept for k in aims(encoding, values["look_back"]))
    return "Fitting heads …" if missing * FIT * length * (2 * len(theta)) ** 2 > SLOW else ""


@view("curves", "Looking back", x="how many tokens back", **HEADS, waiting=_waits)
def lookback(pen, encoding, times=TIMES, look_back=LOOK_BACK):
    """Draw how well the best heads of this encoding for k tokens back still find that token on a longer text."""
    trained, length, theta, now = longer(encoding, times)
    back, chosen = aims(encoding, look_back), min(look_back, trained - 1)
    scaled, untouched = (np.array([mass(encoding, k, length, t) for k in back]) for t in (now, theta))
    x, at, same = np.interp(back, TRIED, np.arange(len(TRIED))), back.index(chosen), np.array_equal(scaled, untouched)
    pen.axes(len(TRIED), (-0.03, 1.12), xticks=TICKS, yticks=PARTS)
    pen.unit(f"↑ attention on that token, among {length:,}")
    both(pen, x, scaled, untouched, same=same)
    pen.query(x[at], top=scaled[at], name=str(chosen), color=style.INK)
    if same or at < len(back) - 1:  # else the name of the curve stands there
        pen.label(f"{scaled[at]:.2f}", (x[at], scaled[at]), (8, 14 if scaled[at] < 0.9 else -15), ha="left")
    pen.title(f"{scaled[at]:.2f} of attention lands {chosen} back")
    told = f"A head fitted on {trained:,} tokens to look {chosen} back puts {share(scaled[at])} of its attention "
    told += f"there on {length:,}" + ("" if same else f", {share(untouched[at])} with untouched frequencies (grey)")
    return f"{told}. {_reach(back, scaled)}."


def both(pen, x, scaled, untouched, *, same: bool, each=True) -> None:
    """Draw two curves, the untouched one behind, and name them at their right ends where they differ."""
    if not same:
        pen.curve(x, untouched, color=style.GHOST, lw=4)
    pen.curve(x, scaled, each=each)
    if not same:
        ends = {"untouched": (x[-1], untouched[-1], style.SOFT), "scaled": (x[-1], scaled[-1], style.KEY)}
        name_ends(pen, ends)


def name_ends(pen, names: dict, ha="right") -> None:
    """Name two curves at their ends, the higher one above its own, the other below, where there is room."""
    low, high = pen.limits["ylim"]
    for up, (words, (x, y, color)) in zip((-1, 1), sorted(names.items(), key=lambda name: name[1][1]), strict=True):
        y = min(max(float(y), low), high)
        lifted = up < 0 and (y - low) / (high - low) * pen.size[1] < 24
        pen.label(words, (x, y), (0, 20 if lifted else 13 * up), color=color, ha=ha)


def share(part: float) -> str:
    """Return a share of attention for a sentence; of next to nothing the digits mean nothing."""
    return number(part) if part >= 0.001 else "under 0.001"


def _reach(back: list[int], shares: np.ndarray) -> str:
    """Say up to which of the tried distances at least half of the attention goes to the right token."""
    held = int(np.argmin(np.append(shares >= 0.5, False)))
    if not held:
        return "Already at 0 back less than half goes to the right token"
    return f"At least half goes to the right token up to {back[held - 1]} back"


@view("curves", "Caring about no distance", x="distance", **HEADS)
def anywhere(pen, encoding, times=TIMES):
    """Draw the score by distance of the head that learned to care about no distance: in training all are next to 1."""
    trained, length, theta, now = longer(encoding, times)
    scaled, untouched = (head(encoding, ANYWHERE).score(length, inv_freq=t) for t in (now, theta))
    same, least = np.array_equal(scaled, untouched), style.lowest(scaled)
    pen.axes((0, 1.03 * length), (-0.5, 1.5), yticks=(-0.5, 0, 0.5, 1, 1.5))
    pen.unit("↑ score; 1 was asked for")
    pen.region(0, trained, "trained")
    (x, high), (_, low) = drawn(scaled), drawn(untouched)
    both(pen, x, high, low, same=same, each=False)
    place = least, max(float(scaled[least]), -0.48)
    pen.dots([place], color=style.INK, size=9, lw=1.2)
    up = 1 if scaled[-1] < untouched[-1] else -1  # the name of the curve is on the other side
    pen.label(f"lowest {scaled[least]:.2f}".replace("-", "−"), place, (0, 14 * up))
    pen.title(f"All should score 1; the lowest scores {scaled[least]:.2f}".replace("-", "−"))
    told = f"A head fitted on {trained:,} tokens to score all distances 1 gives at least {number(scaled.min())} "
    told += f"on {length:,}"
    return f"{told}." if same else f"{told}; with untouched frequencies (grey) {number(untouched.min())}."


def drawn(curve: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a curve with no more points than can be told apart: lowest and highest of each part of a long one."""
    if len(curve) <= POINTS:
        return np.arange(len(curve)), curve
    parts = curve[: len(curve) // POINTS * POINTS].reshape(POINTS, -1)
    at = np.arange(POINTS) * parts.shape[1]
    return np.repeat(at, 2), np.stack([parts.min(axis=1), parts.max(axis=1)], axis=1).ravel()
