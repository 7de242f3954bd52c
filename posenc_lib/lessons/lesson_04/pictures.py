"""The pictures that only lesson 04 uses."""

from functools import lru_cache
from itertools import zip_longest

import numpy as np

from posenc_lib.encodings.parameter import Parameter, round_values
from posenc_lib.encodings.similarity import closest_pair as closest
from posenc_lib.lessons.lesson_04.futures import (  # noqa: F401  (views of their own)
    matrix_misses,
    two_futures,
)
from posenc_lib.views import style
from posenc_lib.views.points import PLANE, gap, numbers, outward, path, plane, scatter
from posenc_lib.views.space import AZIMUTH, SPACE, looked_at, room
from posenc_lib.views.style import number
from posenc_lib.views.view import PAIR, POSITION, view

BY_BASE = {
    "needs": "rows base",
    "only": lambda e: e.of_text,
    "only_for": "positions of tokens",
    "ignores": "layout",
    "most_positions": 256,
    "log": "x",
}


@view("plane", "The closest two positions", most_positions=1024, **PLANE)
def closest_pair(pen, encoding, pair=PAIR):
    """Scatter two dims and ring the two positions that are closest in all of them."""
    table, dims = encoding.table, plane(encoding, pair)
    xy = table[:, dims]
    i, j, distance = closest(table) if len(table) > 1 else (0, 0, 0.0)
    # which position is where does not matter here
    scatter(pen, xy, dims, path(encoding)[:, dims], style.KEY)
    pen.ring(xy[[i, j]], style.INK, 18)
    # px between two rings up to which they have one name
    together = np.hypot(*(pen.px(xy[i]) - pen.px(xy[j]))) < 30
    names = {j: f"{i}, {j}"} if together and i != j else {i: str(i), j: str(j)}
    for k, name in names.items():
        pen.label(name, xy[k], _clear(pen, xy, k, name))
    width = table.shape[1]
    told = f"{i} and {j} are {number(distance)} apart"
    if width > 2:
        told += f" in all {width} dims"
    pen.title(told)
    usual = f"; a typical step is {number(np.median(encoding.steps))}" if len(table) > 1 else ""
    return f"Closest two of {len(table)} positions: {told}{usual}."


def _clear(pen, xy: np.ndarray, k: int, name: str) -> tuple:
    """Return where a name next to a ring hides the fewest points, in px from it.

    The name stays in the plot, and goes outward if it can.
    """
    half = np.array([style.text_width(name, style.WORDS, "bold") / 2, 0.7 * style.WORDS])
    angles = np.radians(np.arange(0, 360, 45))
    ways = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    shifts = 14 * ways + np.sign(ways.round(6)) * half
    away = pen.px(xy) - pen.px(xy[k])
    hidden = (np.abs(away - shifts[:, None]) < half + 4).all(axis=2).sum(axis=1)
    place = pen.px(xy[k]) - pen.corner + shifts
    leaves = ((place < half) | (place > pen.size - half)).any(axis=1)
    return tuple(shifts[np.lexsort([-ways @ outward(xy)[k], hidden, leaves])[0]].tolist())


BASES = round_values(2, 1e6, 0.05)


@lru_cache(64)
def gaps(kind, values: tuple) -> np.ndarray:
    """Return the gap of an encoding of this class and these values at each of the bases."""
    return np.array([gap(kind(**dict(values) | {"base": base}).table) for base in BASES])


@view("curves", "The closest two positions, by base", x="base", **BY_BASE)
def closest_by_base(pen, encoding):
    """Draw the distance of the two closest positions, in typical steps, against the base."""
    doubling = encoding.base is None  # each wave twice as long as the one before
    base = 2.0 ** (encoding.d_model - 1) if doubling else encoding.base
    ticks = {10**power: f"{10**power:,}" for power in (1, 3, 5)}
    pen.axes((BASES[0], BASES[-1]), (0, 1.05), xticks=ticks, yticks=(0, 0.25, 0.5, 0.75, 1))
    pen.unit("↑ distance of the closest two ÷ a typical step")
    if len(encoding.table) < 2:
        return "Closest two: there's only one position."
    values = tuple((name, value) for name, value in encoding.values.items() if name != "base")
    curve, here = gaps(type(encoding), values), gap(encoding.table)
    pen.curve(BASES, curve)
    pen.known = BASES[0]
    if BASES[0] <= base <= BASES[-1]:
        pen.query(base, top=here, name=style.written(base), color=style.INK)
        pen.title(
            f"Base {style.written(base)}: the closest two are {number(here, 2)} of a step apart"
        )
    low, high = number(curve[0]), number(curve[-1])
    ends = f"{low} at base {BASES[0]:g} to {high} at {style.written(BASES[-1])}"
    return (
        f"The closest two of {len(encoding.table)} positions are {number(here)} of a typical step "
        f"apart; that goes from {ends}."
    )


SMOOTH = 2048  # points of a curve, at most
NAME = 20  # px above a wave for its name
ROOM = 40  # px from one wave to the next that leave this room

NUM_WAVES = Parameter(
    "num_waves", "how many of the first dims are drawn", 3, 1, 12, least=1, most=64
)

TURNING = {"ignores": "content layout pairing"}


@view("curves", "Each dim as a wave", x="position", shares=(), lines="")
def waves(pen, encoding, num_waves=NUM_WAVES, position=None):
    """Draw the first dims against the position, the fast ones on top."""
    shown = encoding.table[:, :num_waves]
    at, fine = encoding.between(min(max(SMOOTH // len(shown), 1), 32))
    fine, (rows, count) = fine[:, :num_waves], shown.shape
    bound, low = style.nice_bound(np.abs(shown).max(initial=0)), float(shown.min() < 0)
    gap = pen.size[1] / count
    named = gap >= ROOM
    # in distances of two waves
    high, down = (1 - (NAME + 4) / gap, (NAME - 4) / gap / 2) if named else (0.84, 0)

    def lifted(values):  # each column about a line of its own
        parts = values / bound / 2 if low else values / bound - 0.5
        return high * parts - np.arange(count) - down

    yticks = {-k - down: str(k) for k in range(0, count, 1 + int(14 // gap))}
    pen.axes(rows, (0.5 - count, 0.5), yticks=yticks)
    pen.unit(f"↓ dim, each from {number(-bound * low)} to {number(bound)}")
    for zero in lifted(np.zeros(count)):
        pen.rule("y", zero, style.GRID, 0.8)
    pen.query(position)
    for wave, heights in zip(lifted(fine).T, lifted(shown).T, strict=True):
        pen.curve(at, wave, lw=min(2, gap / 4))
        if rows <= 48:  # positions: more dots than this would hide their curve
            pen.dots(np.stack([np.arange(rows), heights], axis=1), size=min(6.5, 0.3 * gap))
        if position is not None:
            pen.mark([(position, heights[position])], style.QUERY, min(9, 0.5 * gap))
    lengths = [wavelength(*both) for both in zip(shown.T, fine.T, strict=True)]
    turns = ["" if length is None else f"{number(length)} positions per turn" for length in lengths]
    names = zip_longest(getattr(encoding, "dims", ()), turns if named else (), fillvalue="")
    for k, parts in enumerate(names):
        name = ": ".join(filter(None, parts))
        pen.text(name, (0, 0.5 - k), (2, -NAME / 2), within="y", ha="left", halo=True)
    pen.title(_ratio(lengths))

    def says(x, y) -> str:
        row, column = np.clip(round(x), 0, rows - 1), np.clip(round(-y), 0, count - 1)
        return number(float(shown[row, column]))

    pen.says = says
    turns = ", ".join("no sine" if length is None else number(length) for length in lengths)
    return f"Waves of dims 0 to {count - 1}, in positions per turn: {turns}."


def wavelength(wave: np.ndarray, fine: np.ndarray) -> float | None:
    """Return how many positions a turn of a sine takes; None where numbers are no sine.

    `wave` has a number for each position. For a sine, x(t − 1) + x(t + 1) is 2 cos θ · x(t); here
    it can be off by a hundredth of how far the wave bends. `fine` also has numbers in between. If
    they cross zero more often, the turns are shorter than positions can tell.
    """
    wave = np.asarray(wave, float)
    inner, both = wave[1:-1], wave[2:] + wave[:-2]
    if len(wave) < 5 or not inner.any():
        return None
    cosine = float(inner @ both / (2 * inner @ inner))
    off, bend = (np.abs(both - 2 * times * inner).max() for times in (cosine, 1))
    if off > 0.01 * bend or not -1 <= cosine < 1 - 1e-12:
        return None
    length = 2 * np.pi / np.arccos(cosine)
    crossings = np.count_nonzero(np.diff(np.signbit(fine)))
    return None if crossings > 2 * len(wave) / length + 2 else float(length)


def _ratio(lengths: list) -> str:
    """Say how the lengths of waves grow; nothing where one has none."""
    if None in lengths:
        return ""
    ratios = np.divide(lengths[1:], lengths[:-1])
    if len(ratios) and np.ptp(ratios) < 1e-3 * ratios[0] and ratios[0] > 1.001:
        told = f"Each wave is {number(ratios[0])} times as long as the one above"
        return told.replace(" 2 times", " twice")
    first, last = number(lengths[0]), number(lengths[-1])
    return f"A turn takes {first} positions" if first == last else f"Wavelengths {first} … {last}"


@view(
    "free", "Clock hands and the waves they draw", y="position", needs="frequencies wave", **TURNING
)
def clock(pen, encoding, position=POSITION):
    """Draw three waves as clock hands that start at twelve. Each wave runs down the page below its
    own clock.
    """
    theta, last, called = encoding.frequencies, encoding.seq_len - 1, encoding.wave
    shown, (across, high) = sorted({0, len(theta) // 2, len(theta) - 1}), pen.size
    hand = min(across / (2.64 * 3), 0.2 * high)  # px
    apart = across / hand / len(shown)  # in hands
    up = hand * max(last, 1) / (high - 2.4 * hand)  # a hand in positions
    yticks = range(0, last + 1, max(int(style.nice_bound(last / 4)), 1))
    ends = (max(last, 1) + 0.1 * up, -2.3 * up)
    pen.axes((0, across / hand), ends, xticks=(), yticks=yticks)
    pen.unit("↓ position;", ("sine: how far right the tip is", style.INK))
    pen.query(y=position)
    around, down, center = np.linspace(0, 2 * np.pi, 91), np.linspace(0, last, SMOOTH), -1.15 * up
    told = []
    for k, wave in enumerate(shown):
        angle, middle = position * theta[wave], apart * (k + 0.5)
        sine, tip, top = number(np.sin(angle)), middle + np.sin(angle), center - up * np.cos(angle)
        pen.line(middle + np.sin(around), center + up * np.cos(around), style.GHOST, 1)
        pen.line([middle, middle], [0, last], style.GHOST, 1)
        pen.line(middle + np.sin(theta[wave] * down), down, style.KEY, 2.2)
        pen.line([tip, tip], [top, position], style.INK, 1.2, linestyle=":")
        both = [[(middle, position), (tip, position)], [(middle, center), (tip, top)]]
        pen.strokes(both, color=style.INK, lw=3)
        pen.hands.append(("position", [(middle, center), (tip, top)], -theta[wave]))  # clockwise
        pen.dots([(tip, top), (tip, position)], color=style.INK, size=10, lw=1.2)
        pen.text(f"{called} {wave}", (middle, 0), (0, -13), within="x", color=style.SOFT)
        pen.text(sine, (middle, 0), (0, -32), within="x", fontsize=style.TITLE, fontweight="bold")
        made = number(angle / (2 * np.pi))
        told.append(f"{called} {wave} has made {made} turns, its sine is {sine}")
    turns = style.times_round(position * theta[0] / (2 * np.pi))
    if position:
        pen.title(f"At position {position}, {called} 0 has turned {turns}")
    return f"Clock at position {position}: {'; '.join(told)}."


@view("free", "Positions in space", **SPACE)
def trajectory_3d(pen, encoding, azimuth=AZIMUTH):
    """Scatter the first three dims of a table in a cube, each over its own range, along the path
    from position to position.
    """
    track, count = np.pad(path(encoding), ((0, 0), (0, 3)))[:, :3], len(encoding.table)
    low, high = track.min(axis=0), track.max(axis=0)
    places, near = looked_at((track - low) / np.maximum(high - low, 1e-9), azimuth)
    room(pen, azimuth)
    # points of the path from one position to the next
    every = (len(track) - 1) // max(count - 1, 1) or 1
    parts = [slice(k * every, (k + 1) * every + 1) for k in range(count - 1)]
    order = sorted(range(count - 1), key=lambda k: near[parts[k]].mean())
    colors = style.position_colors(count)
    pen.strokes([places[parts[k]] for k in order], color=colors[order])
    pen.dots(places[::every], color=colors, data=False)
    numbers(pen, encoding.table, 1.1 * places[::every])
    pen.points, pen.says = places[::every], lambda x, y: ""
    return (
        f"Positions in space: the first three dims of {count}, seen from {number(azimuth)} degrees."
    )
