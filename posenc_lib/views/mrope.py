"""Positions on several axes, and the pairs that each of them turns; waves of one coordinate, fitted to a few points."""

import itertools

import numpy as np
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.patches import Rectangle

from posenc_lib.encodings.mrope import AXES
from posenc_lib.views import style
from posenc_lib.views.beyond import legend
from posenc_lib.views.images import ImageView
from posenc_lib.views.old_points import write
from posenc_lib.views.style import number
from posenc_lib.views.view import CurveView, View, inches_of, over

SMALLEST, LARGEST = 5.3, 10.0  # points of the numbers in cells
DIGIT, ASIDE = 0.65, 0.3  # the width of a digit in heights of a letter, and the room beside it in digits
WRITTEN = 48  # tokens up to which there may be room for numbers
LANE = 1.3  # decades from one lane to the next
STEPS = ("step in time", "row", "column")
FLOOR = -7  # the power of ten at the foot of the bars, if none turns still slower
TOP = 2.2  # decades up to which nothing but names stands
ROW = 10.5  # points from one name to the next
MISSED = 0.1  # a fit that is off by more, where always 0 would be by 1, has not found the curve


class AxisPositions(ImageView, name="axis_positions"):
    """Colour and write where each token stands, first words, then a picture, then words: in time, row and column.

    Data: places (3, tokens); parts, how many words, patches and words; shape, of the picture: frames, rows, columns.
    """

    needs, ignores = ("axis_positions",), ("seq_len", "model")
    pointer = ("token", None)
    title, x_label = "Where each token stands", "token"
    weight = 2.4
    shares, mixes = (), False
    x_ticks, y_ticks = 6, 0

    def inputs(self, encoding, values):
        places, before, after = encoding.axis_positions, encoding.before, encoding.after
        shape = encoding.frames, encoding.tall, encoding.wide
        return {"places": places, "parts": (before, places.shape[1] - before - after, after), "shape": shape}

    def build(self, ax):
        ax.tick_params(axis="y", length=0)
        image = super().build(ax)
        self.numbers = [ax.text(0, 0, "", ha="center", va="center") for _ in range(3 * WRITTEN)]
        self.gaps = ax.add_collection(LineCollection([], colors=style.PAPER, lw=3))
        self.brackets = ax.add_collection(LineCollection([], colors=style.INK, lw=1.6))
        self.names = [ax.text(0, -0.84, "", ha="center", va="bottom", fontsize=10) for _ in range(3)]
        look = {"fill": False, "ec": style.QUERY, "lw": 2.4, "zorder": 3, "clip_on": False}
        self.next = ax.add_patch(Rectangle((0, -0.5), 1, 3, **look))
        return [*image, self.gaps, self.brackets, *self.numbers, *self.names, self.next]

    def show(self, places, parts, shape):
        count, last, ends = places.shape[1], int(places.max()), np.cumsum([0, *parts])
        self.image.set_extent((-0.5, count - 0.5, 2.5, -0.5))
        self.image.set_data(places.astype(float))
        rows = {"ylim": (2.5, -1.5), "yticks": (0, 1, 2), "yticklabels": AXES}
        self.axes(xlim=(-0.5, count - 0.5), clim=(0, max(last, 1)), **rows)
        self.gaps.set_linewidth(min(3, 0.4 * self._across()))
        self.gaps.set_segments([[(x - 0.5, -0.5), (x - 0.5, 2.5)] for x in ends[1:-1]])
        spans = [(a - 0.3, b - 0.7) for a, b in itertools.pairwise(ends.tolist()) if a < b]
        self.brackets.set_segments([[(a, -0.62), (a, -0.76), (b, -0.76), (b, -0.62)] for a, b in spans])
        self._name(ends.tolist(), shape)
        self._number(places)
        self.next.set_visible(parts[2] > 0)
        self.next.set_x(ends[2] - 0.5)
        used = f"{last + 1} position{'s are' if last else ' is'} used by {count} token{'s' if count > 1 else ''}"
        kind = "film" if shape[0] > 1 else "picture"
        then = f"; the word after the {kind} (framed) stands at {places[0, ends[2]]}" if parts[2] else ""
        return f"{used}: {_sum(parts, shape)}{then}."

    def set_colors(self, low, high):
        super().set_colors(low, high)
        ticks = sorted({low, (low + high) // 2, high})  # a position between two is none
        self.scale.set_ticks(ticks, labels=list(map(str, ticks)))

    def _name(self, ends: list[int], shape) -> None:
        """Say what each bracket holds, the picture in any case, words where there is room beside it."""
        told = ("words", f"{'film' if shape[0] > 1 else 'picture'} {_sides(shape)}", "words")
        for name, words in zip(self.names, told, strict=True):
            name.set_text(words)
        wide = [72 * inches_of(name) / self._across() for name in self.names]  # in tokens
        begin = min(max((ends[1] + ends[2] - wide[1]) / 2, 0), ends[3] - wide[1])
        room = ((0, min(ends[1], begin)), (begin, begin + wide[1]), (max(ends[2], begin + wide[1]), ends[3]))
        for name, width, (left, right) in zip(self.names, wide, room, strict=True):
            name.set_x((left + right - 1) / 2)
            name.set_visible(width <= right - left + 1e-9)

    def _number(self, places) -> None:
        """Write each cell's number where letters are large enough to be read."""
        size = min(self._across() / (DIGIT * (len(str(places.max())) + ASIDE)), LARGEST)
        seen = np.ndindex(places.shape) if size >= SMALLEST and places.shape[1] <= WRITTEN else ()
        write(self.numbers, {cell: str(places[cell]) for cell in seen}, self.image.carry)
        for text in self.numbers:
            text.set_fontsize(size)

    def _across(self) -> float:
        """Return how wide a cell is, in points."""
        return float(72 * self.ax.bbox.width / self.ax.figure.dpi / np.ptp(self.ax.get_xlim()))

    def value_at(self, x, y):
        return super().value_at(x, y) if y > -0.5 else ""


def _sides(shape) -> str:
    """Return how large a picture or a film is, in patches."""
    return " × ".join(map(str, shape if shape[0] > 1 else shape[1:]))


def _sum(parts, shape) -> str:
    """Return which tokens there are."""
    told = [f"{count} word{'s' if count > 1 else ''}" for count in parts]
    told[1] = f"{_sides(shape)} patches" if parts[1] > 1 else "1 patch"
    return ", ".join(words for count, words in zip(parts, told, strict=True) if count)


class AxisOfPair(View, name="axis_of_pair"):
    """Draw how fast each pair turns, as a bar in the colour of the axis that turns it, and below in that axis's lane.

    Data: axes (pairs,), 0 time, 1 row, 2 column; theta (pairs,) radians per step; steps (3,), how far one step on each
    axis moves the code.
    """

    needs = ("axis_of_pair", "axis_steps", "frequencies")
    ignores = ("seq_len", "before", "frames", "tall", "wide", "after")
    pointer = ("pair", None)
    title, x_label = "Radians per step, by axis", "pair"
    left = 0.82
    weight = 1.6

    def inputs(self, encoding, values):
        return {"axes": encoding.axis_of_pair, "theta": encoding.frequencies, "steps": encoding.axis_steps}

    def build(self, ax):
        colors = style.CURVE, style.OTHER, style.THIRD
        self.bars = [ax.add_collection(PolyCollection([], fc=color, ec="none")) for color in colors]
        self.lanes = [ax.add_collection(PolyCollection([], fc=color, ec="none")) for color in colors]
        look = {"xycoords": "axes fraction", "textcoords": "offset points", "fontweight": "bold", "fontsize": 8.5}
        look |= {"ha": "right", "va": "top"}  # bars fall from left to right: there is room
        self.names = [ax.annotate("", (1, 1), (0, -ROW * k), color=c, **look) for k, c in enumerate(colors, 1)]
        ax.annotate("the code moves by", (1, 1), (0, 0), color=style.SOFT, **look)
        return [*self.bars, *self.lanes, *self.names]

    def show(self, axes, theta, steps):
        self.theta, floor = theta, min(int(np.floor(np.log10(theta.min()))), FLOOR)
        floor -= 1 - floor % 2  # where lanes move there is a tick more: else they would keep names of other places
        lanes = [floor - LANE * (k + 0.6) for k in range(3)]
        decades = list(range(0, floor - 1, -2))
        written = [style.number(10.0**power) for power in decades]
        ticks = {"yticks": (*decades, *lanes), "yticklabels": (*written, *AXES)}
        self.axes(xlim=over(len(theta)), ylim=(floor - 3.1 * LANE, TOP), **ticks)
        for axis, (bars, lane) in enumerate(zip(self.bars, self.lanes, strict=True)):
            pairs = np.flatnonzero(axes == axis)
            bars.set_verts([_box(pair, floor, np.log10(theta[pair])) for pair in pairs])
            lane.set_verts([_box(pair, lanes[axis] - 0.4, lanes[axis] + 0.4) for pair in pairs])
            self.names[axis].set_text(f"{number(steps[axis])} a {STEPS[axis]}")
        told = "time turns {}, the row {}, the column {}".format(*np.bincount(axes, minlength=3))
        how = "in chunks" if np.count_nonzero(np.diff(axes)) < 3 else "taking turns"
        moved = "one step in time moves the code by {}, one row down by {}, one column to the right by {}"
        return f"Of {len(axes)} pairs {told}, {how}; {moved.format(*map(number, steps))}."

    def value_at(self, x, y):
        pair = min(max(round(x), 0), len(self.theta) - 1)
        return number(self.theta[pair])


def _box(pair: int, low: float, high: float) -> list[tuple[float, float]]:
    return [(pair - 0.3, low), (pair - 0.3, high), (pair + 0.3, high), (pair + 0.3, low)]


class SignalFit(CurveView, name="signal_fit"):
    """Draw a curve, the few points of it that are known, and what waves that were fitted to these make of the rest.

    Data: x, true and fitted (n,); known, the x and the values of the points; errors, root mean squares, there and all
    along.
    """

    needs, ignores = ("signal", "known", "errors"), ("seq_len",)
    title, x_label, y_label = "Fitted to a few points", "x", "value"
    x_ticks = y_ticks = 4

    def inputs(self, encoding, values):
        x, true, fitted = encoding.signal
        return {"x": x, "true": true, "fitted": fitted, "known": encoding.known, "errors": encoding.errors}

    def build(self, ax):
        (self.true,) = ax.plot([], [], color=style.GHOST, lw=5)
        (self.curve,) = ax.plot([], [], color=style.CURVE, lw=1.4)
        (self.points,) = ax.plot([], [], "o", color=style.OTHER, ms=5, zorder=4)
        lines = {"curve": self.true, "known": self.points, "fit": self.curve}
        return [self.true, self.curve, self.points, legend(ax, "upper left", lines, columns=3)]

    def show(self, x, true, fitted, known, errors):
        high = style.nice_bound(1.1 * np.abs(true).max())
        self.axes(xlim=(float(x[0]), float(x[-1])), ylim=(-high, 1.45 * high))  # above stands what is what
        self.true.set_data(x, true)
        self.curve.set_data(x, np.where(np.abs(fitted) <= high, fitted, np.nan))
        self.points.set_data(*known)
        there, all_along = errors
        told = f"{len(known[0])} points are known: the fit is off by {number(there)} there, by {number(all_along)} all "
        told += "along (root mean square): "
        if all_along <= MISSED:
            return f"{told}it has found the curve."
        return f"{told}{'too slow, it blurs' if there > MISSED else 'it knows the points by heart, and not the curve'}."
