"""Waves: each dim as a curve, as the hand of a clock, and by its length."""

import numpy as np

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.axes import width
from posenc_lib.views.style import WORDS, number
from posenc_lib.views.view import QUERY, view

SMOOTH = 2048  # points of a curve, at most
DOTS = 48  # positions: more dots than this would hide their curve
NAME, ROOM = 20, 40  # px above a wave for its name; px from one wave to the next that leave this room
FEW = 6  # numbers that a title holds
DIALS = 3  # hands of a clock
MODELS = {512: "BERT", 2048: "GPT-3", 8192: "Llama 3", 131_072: "Llama 3.1"}  # the longest text of each, in positions
NUM_WAVES = Parameter("num_waves", "how many of the first dims are drawn", 3, 1, 12, least=1, most=64)


@view("curves", "Each dim as a wave", x="position", shares=(), lines="", weight=1.25)
def waves(pen, encoding, num_waves=NUM_WAVES, query=None):
    """Draw the first dims against the position, fast ones on top."""
    table, shown = encoding.table, encoding.table[:, :num_waves]
    at, fine = encoding.between(min(max(SMOOTH // len(table), 1), 32))
    count, gap = shown.shape[1], pen.size[1] / shown.shape[1]
    bound, signed, named = style.nice_bound(np.abs(shown).max(initial=0)), bool(shown.min() < 0), gap >= ROOM
    high, down = (1 - (NAME + 4) / gap, (NAME - 4) / gap / 2) if named else (0.84, 0)  # in distances of two waves

    def lifted(values):  # each column about a line of its own
        part = values / bound
        return high * (part / 2 if signed else part - 0.5) - np.arange(count) - down

    numbered = () if named else range(0, count, max(int(np.ceil(14 / gap)), 1))
    pen.axes(len(table), (0.5 - count, 0.5), yticks={-k: str(k) for k in numbered})
    ends = pen.limits["xlim"]
    pen.strokes([[(x, zero) for x in ends] for zero in lifted(np.zeros(count))], color=style.GRID, lw=0.8)
    pen.query(query)
    for wave in lifted(fine[:, :num_waves]).T:
        pen.curve(at, wave, lw=2 if named else min(1.6, gap / 4))
    for wave in lifted(shown).T if len(table) <= DOTS else ():
        pen.dots(np.stack([np.arange(len(table)), wave], axis=1), size=min(6.5, 0.3 * gap), lw=0.8 if named else 0)
    if query is not None:
        here = np.stack([np.full(count, query), lifted(shown[query])], axis=1)
        pen.dots(here, color=style.QUERY, size=min(9, 0.5 * gap), lw=1.2 if named else 0, clip_on=False)
    lengths = [wavelength(*both) for both in zip(shown.T, fine.T, strict=False)]
    if named:
        _name_waves(pen, getattr(encoding, "dims", ()), lengths, query, shown)
    rows = f"↑ from {number(-bound * signed)} to {number(bound)} each" if named else "↓ dim"
    asked = ("position", (f"{query}", style.QUERY), "reads one height from each")
    pen.unit(*([rows] if query is None else asked if named else ("↓ dim;", *asked)))
    event, counts = _turns(table, shown)
    few = f"{event} in each dim: {', '.join(map(str, counts))}" if count <= FEW else "Each dim as a wave"
    pen.title(_ratio(lengths) or few)
    pen.says = lambda x, y: number(float(shown[nearest(x, len(shown)), nearest(-y, count)]))
    told = f"{event}: " + ", ".join(f"{count} in dim {k}" for k, count in enumerate(counts))
    return f"{told}." + ("" if query is None else f" At position {query}: {', '.join(map(number, shown[query]))}.")


def nearest(place: float, count: int) -> int:
    """Return the number, of so many, that is closest to a place."""
    return min(max(round(place), 0), count - 1)


def _name_waves(pen, names, lengths, query, shown) -> None:
    """Write above each wave what it is called, how long a turn is and, at the query, how high it is there."""
    names = [*names, *(f"dim {k}" for k in range(len(names), len(lengths)))][: len(lengths)]
    look, up = {"ha": "left", "halo": True, "within": "y"}, -NAME / 2
    for k, (name, length) in enumerate(zip(names, lengths, strict=True)):
        turn = "" if length is None else f"{number(length)} positions a turn"
        begin = 8 + width(name, WORDS, "bold")
        pen.text(name, (0, 0.5 - k), (2, up), fontweight="bold", **look)
        pen.text(turn, (0, 0.5 - k), (begin, up), color=style.SOFT, **look)
        if query is not None:
            here = number(float(shown[query, k]))
            at = float((pen.px((query, 0)) - pen.px((pen.limits["xlim"][0], 0)))[0]) + 7
            if at + width(here, WORDS, "bold") > pen.size[0]:
                at -= 14 + width(here, WORDS, "bold")
            at = max(at, begin + width(turn, WORDS) + 6)  # right of the line, and of the words
            pen.text(here, (0, 0.5 - k), (round(at, 2), up), color=style.QUERY, fontweight="bold", **look)


def wavelength(wave: np.ndarray, fine: np.ndarray) -> float | None:
    """Return how many positions a turn of a sine takes; None where numbers, one for each position, are no sine.

    Of a sine x(t − 1) + x(t + 1) is 2 cos θ · x(t). Fine are numbers between, too: where they cross zero more often,
    the turns are shorter than positions can tell.
    """
    wave = np.asarray(wave, float)
    inner, both, most = wave[1:-1], wave[2:] + wave[:-2], np.abs(wave).max(initial=0)
    if len(wave) < 5 or not inner.any():
        return None
    cosine = float(inner @ both / (2 * inner @ inner))
    if np.abs(both - 2 * cosine * inner).max() > 1e-9 * most or not -1 <= cosine < 1 - 1e-12:
        return None
    length = 2 * np.pi / np.arccos(cosine)
    return None if np.count_nonzero(np.diff(np.signbit(fine))) > 2 * len(wave) / length + 2 else float(length)


def _ratio(lengths: list) -> str:
    """Say how the lengths of waves grow; nothing where one has none."""
    if None in lengths or not lengths:
        return ""
    ratios = np.divide(lengths[1:], lengths[:-1])
    if len(ratios) and np.ptp(ratios) < 1e-3 * ratios[0] and ratios[0] > 1.001:
        times = "twice" if abs(ratios[0] - 2) < 1e-3 else f"{number(ratios[0])} times"
        return f"Each wave is {times} as long as the one above"
    ends = list(dict.fromkeys(number(lengths[k]) for k in (0, -1)))
    return f"Wavelengths {' … '.join(ends)}" if len(ends) > 1 else f"A turn takes {ends[0]} positions"


def _turns(table: np.ndarray, shown: np.ndarray) -> tuple[str, list[int]]:
    """Return how often each wave turns, or flips where there are no numbers but whole ones."""
    moves = np.diff(shown, axis=0)
    if np.mod(table, 1).any():
        return "Turning points", np.count_nonzero(np.diff(np.sign(moves), axis=0), axis=0).tolist()
    return "Flips", (np.abs(moves) > 0.5 * np.abs(shown).max(initial=1e-12)).sum(axis=0).tolist()


@view(
    "free",
    "Clock hands and their sines",
    y="position",
    needs="frequencies wave",
    ignores="content layout pairing",
    shares=(),
    weight=1.0,
)
def clock(pen, encoding, query=QUERY):
    """Draw three waves as hands that start at twelve, each tip above its own wave, which runs down the page."""
    theta, seq_len, called, told = encoding.frequencies, encoding.seq_len, encoding.wave, []
    shown, last = sorted({0, len(theta) // 2, len(theta) - 1}), max(seq_len - 1, 1)
    across, high = pen.size
    unit = min(across / (2.64 * DIALS), 0.28 * high)  # px, of a hand
    apart, up = (
        across / unit / len(shown),
        unit * last / (high - 2.3 * unit),
    )  # in hands; positions in one hand's length
    step, names = max(int(style.nice_bound(last / 4)), 1), {apart * (k + 0.5): "" for k in range(len(shown))}
    pen.axes((0, across / unit), (last + 0.1 * up, -2.2 * up), xticks=names, yticks=range(0, seq_len, step))
    pen.unit("↓ position;", ("sine: how far right the tip is", style.INK))
    turn, down, center = np.linspace(0, 2 * np.pi, 91), np.linspace(0, seq_len - 1, SMOOTH), -1.15 * up
    pen.query(y=query)
    for middle, wave in zip(names, shown, strict=True):
        angle = query * theta[wave]
        sine, tip, top = number(np.sin(angle)), middle + np.sin(angle), center - up * np.cos(angle)
        pen.strokes_of(middle + np.sin(turn), center + up * np.cos(turn), style.GHOST, 1)
        pen.strokes_of([middle, middle], [0, seq_len - 1], style.GHOST, 1)
        pen.curve(middle + np.sin(theta[wave] * down), down, lw=2.2)
        pen.strokes_of([tip, tip], [top, query], style.INK, 1.2, linestyle=":")
        pen.strokes_of([middle, tip], [query, query], style.INK, 3)
        pen.strokes_of([middle, tip], [center, top], style.INK, 3)
        pen.hand("query", (middle, center), (tip, top), -theta[wave])  # clockwise
        pen.dots([(tip, top), (tip, query)], color=style.INK, size=10, lw=1.2)
        pen.text(f"{called} {wave}", (middle, 0), (0, -13), within="x", color=style.SOFT)
        pen.text(sine, (middle, 0), (0, -32), within="x", fontsize=style.TITLE, fontweight="bold")
        told.append(f"{called} {wave} has made {number(angle / (2 * np.pi))} turns, its sine is {sine}")
    turned = query * theta[0] / (2 * np.pi)
    pen.title(f"At position {query} {called} 0 has gone round {style.times_round(turned)}")
    pen.says = lambda x, y: number(float(np.sin(theta[shown[nearest(x / apart - 0.5, len(shown))]] * round(y))))
    return f"Clock at position {query}: {'; '.join(told)}."


@view(
    "curves",
    "Positions per turn",
    x="pair",
    needs="frequencies table",
    ignores="content layout pairing",
    log="y",
    numbers=76,
)
def wavelengths(pen, encoding):
    """Draw wavelengths, hollow those beyond the sequence, and how much some models read."""
    theta, seq_len = encoding.frequencies, len(encoding.table)
    turning = np.flatnonzero(theta)  # the others stand still
    lengths, still = 2 * np.pi / theta[turning], len(theta) - len(turning)
    inside, longest = lengths <= seq_len, lengths.max()
    low = 10.0 ** np.floor(np.log10(min(lengths.min(), seq_len)))
    high = 1.5 * 10.0 ** np.ceil(np.log10(max(longest, seq_len, *MODELS)))
    pen.axes(
        (-0.6, max(len(theta) - 0.4, 0.6)),
        (low, high),
        x=f"{encoding.wave}, fast to slow" if len(theta) > 1 else encoding.wave,
    )
    pen.unit("↑ positions a turn:", (f"longest {number(longest)}", style.KEY), "○ beyond the text")
    named = float(pen.px((0, seq_len))[1])  # the height of the last name below
    for length, model in MODELS.items():
        pen.strokes_of([0, 1], [length, length], style.GHOST, 1, within="y", linestyle=":")
        height = float(pen.px((0, length))[1])
        if height < named - 16 or height > named + 14:
            look = {"ha": "left", "color": style.SOFT, "fontsize": style.NUMBERS, "halo": True}
            pen.text(f"{model} {length:,}", (0, length), (8, 7), within="y", **look)
            named = max(named, height)
    pen.strokes_of([0, 1], [seq_len, seq_len], style.INK, 1.2, within="y")
    pen.label("the text", (1, seq_len), (-4, 11 if longest < seq_len else -11), within="y", ha="right")
    pen.at("y", seq_len)
    look = {"linestyle": "", "marker": "o", "markersize": min(5.5, max(0.6 * pen.size[0] / len(theta), 2))}
    for there, fill in ((inside, {}), (~inside, {"markerfacecolor": style.PAPER, "markeredgewidth": 1.4})):
        pen.curve(turning[there], lengths[there], **look | fill)
    pen.says = lambda x, y: number(float(lengths[np.abs(turning - x).argmin()]), 4)
    seen = "goes" if inside.sum() == 1 else "go"
    pen.title(f"{inside.sum()} of {style.plural(len(theta), 'wave')} {seen} round in {seq_len:,} positions")
    text = f"Wavelengths: from {number(lengths.min())} to {number(longest)} positions"
    seen = f"{inside.sum()} of {len(theta)} waves turn at least once within {seq_len} positions."
    return f"{text}; {seen}{f' {still} stand still.' if still else ''}"
