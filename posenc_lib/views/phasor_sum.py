"""The fern: a dot product as a stem. Its links are the pairs of dims, its height is the result."""

import numpy as np

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.scores import OFFSETS, eighths
from posenc_lib.views.style import number, signed
from posenc_lib.views.view import OFFSET, view

LOOK_BACK = Parameter("look_back", "how many positions back W_q rotates the query", 0, 0, 20)
STEM, GAP = 0.42, 0.06  # of the width: the stem's room, and the gap between it and the curve
PHONE = 420  # px of a plot that is narrow
POINTS = 512  # of the curve, about
BEADED = 40  # links at most that have a dot at each joint
SHAPE = {"most_positions": 512, "tall": 1.4, "wide": 1008, "narrow": 1.16}


def phasors(encoding, offsets: np.ndarray, look_back: int = 0) -> np.ndarray:
    """Return what each pair adds to the score of a query with the keys at some offsets.

    A complex array (offsets, pairs). Real parts add up to the scores. From one offset to the next
    each number is rotated by its pair's frequency, clockwise where the real part points up.
    """
    a, b = encoding.pair_dims(np.arange(len(encoding.frequencies)))
    query = encoding.queries_and_keys(np.zeros(1))[0][0]
    query = encoding.shift(-look_back) @ query
    keys = encoding.queries_and_keys(offsets)[1]
    added = (query[a] - 1j * query[b]) * (keys[:, a] + 1j * keys[:, b])
    return added if encoding.turning_sense > 0 else added.conj()


@view(
    "curves",
    "Pairs laid end to end",
    x=OFFSETS,
    needs="shift query_and_key",
    ignores="layout",
    **SHAPE,
)
def phasor_sum(pen, encoding, offset=OFFSET, look_back=LOOK_BACK, pair=None):
    """Lay what each pair adds to a score end to end, the slowest pair first.

    The tip is as high as the score, and a level line leads from it to the curve of all offsets.
    """
    last = max(encoding.seq_len - 1, 1)
    order = np.argsort(encoding.frequencies, kind="stable")
    between = max(POINTS // (2 * last), 1)
    x = np.linspace(-last, last, 1 + 2 * last * between)
    links = phasors(encoding, np.append(x, offset), look_back)[:, order]
    tips = links[:-1].sum(axis=1)
    joints = np.cumsum(links[-1])
    tip, longest = joints[-1], float(np.abs(links[-1]).sum())

    stem = _axes(pen, last, tips, longest)
    what = "q · k" if encoding.has("rotate") else "dot product"
    pen.unit(f"↑ {what} =", ("height of the tip", style.INK))
    with pen.always():
        _soil(pen, last)
    if longest < pen.limits["ylim"][1]:
        pen.line(*stem([0, longest]).T, style.GRID, 7)
    pen.line(*stem(tips).T, style.GHOST, 1)
    places = stem(tips[::between])
    pen.mark(places, style.GHOST, 3.4, 0)
    pen.curve(x, tips.real)
    pen.known = offset  # its stem can be seen

    chosen = np.flatnonzero(order == pair)
    for link in chosen:
        pen.line(x, links[:-1, link].real, style.PAIR, 1.4)
    here, spot = (offset, tip.real), stem(tip)
    pen.line(*np.array([spot, here]).T, style.INK, 1.2, linestyle=(0, (1, 2)))
    pen.line([offset, offset], [0, tip.real], style.INK, 1.2)
    with pen.always():  # a reader who draws the curve can look at the stem
        bent = np.append(0, joints)
        parts = stem(np.stack([bent[:-1], bent[1:]], axis=1))
        widths = np.linspace(6.4, 2.6, len(order))
        pen.strokes(parts, color=style.KEY, lw=widths, capstyle="round")
        pen.strokes(parts[chosen], color=style.PAIR, lw=8, capstyle="round")
        pen.mark(stem(bent[1:-1] if len(order) <= BEADED else []), style.PAPER, 2.4, 0)
    pen.mark([stem(0), spot, here], style.INK, 8)
    for words, place, below in (("slow", 0, joints[0].real >= 0), ("fast", longest, False)):
        pen.text(words, stem(place), (0, -12 if below else 12), color=style.SOFT)
    pen.tick("x", offset, signed(offset))
    beside = -last - GAP * pen.size[0] / 2 * _across(pen)
    pen.label(number(tip.real), (beside, tip.real), (0, 10))
    _taken(pen, places, np.arange(-last, last + 1), offset)

    down = int((links[-1].real < -1e-9 * longest).sum())
    high = number(tip.real)
    straight = tip.real > (1 - 1e-9) * longest
    shape = "a straight stem," if straight else "the tip is"
    pen.title(f"Offset {signed(offset)}: {shape} {high} high")
    some = (
        f"{down} of {len(order)} pairs point{'s' * (down == 1)} down"
        if down
        else "No pair points down"
    )
    return f"{some}. The height of the tip, {high}, is the {what} at offset {number(offset)}."


def _axes(pen, last: int, tips: np.ndarray, longest: float):
    """Set axes with room for a stem left of the curve; return what places complex numbers there."""
    wide, high = pen.size
    room = STEM + 0.1 * (wide < PHONE)
    low, top = eighths(min(tips.real.min(), 0), tips.real.max(), longest, below=0.02)
    aside = min(tips.imag.min(), 0), max(tips.imag.max(), 0)
    top = max(top, low + 1.06 * np.ptp(aside) * high / (room * wide))  # or it would lean out
    left = -last - (2 * last + 1) * (room + GAP) / (1 - room - GAP)
    step = max(int(style.nice_bound(last / 1.2)), 1)
    ticks = {k * step: signed(k * step) for k in (-1, 0, 1)}
    pen.axes((left, last + 0.5), (low, top), xticks=ticks, x="")
    across, up = _across(pen), pen.spans[1] / high
    root = left + (room * wide / 2 - np.mean(aside) / up) * across

    def stem(z):
        return np.stack([root + np.imag(z) * across / up, np.real(z)], axis=-1)

    return stem


def _across(pen) -> float:
    """Return how many offsets are one px."""
    return pen.spans[0] / pen.size[0]


def _soil(pen, last: int) -> None:
    """Tint what lies below zero, and name both ends of the curve."""
    low = pen.limits["ylim"][0]
    pen.shapes([[(0, low), (1, low), (1, 0), (0, 0)]], within="y", color=style.TINT, alpha=0.6)
    pen.rule("y", 0, style.RULE, 0.8)
    names = ("← key before", "key after →") if pen.size[0] > PHONE else ("← before", "after →")
    for words, end, side in zip(names, (-last, last + 0.5), ("left", "right"), strict=True):
        pen.text(words, (end, 0), (0, 10 - style.FOOT), within="x", color=style.SOFT, ha=side)


def _taken(pen, places: np.ndarray, offsets: np.ndarray, now: int) -> None:
    """Let a reader drag the tip along its path; of places equally near, the closest offset wins."""

    def nearest(place):
        far = np.hypot(*(pen.px(places) - pen.px(place)).T) + np.abs(offsets - now)
        return int(offsets[far.argmin()])

    low, top = pen.limits["ylim"]
    left, right = pen.limits["xlim"][0], offsets[0] - GAP * pen.size[0] * _across(pen)
    pen.hands.append(("offset", pen.area((left, low), (right, top)), nearest))
