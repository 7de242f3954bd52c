"""What every view is: artists made once, then shown with other data."""

import inspect
from collections.abc import Collection

import numpy as np
from matplotlib.cbook import is_math_text
from matplotlib.collections import PathCollection
from matplotlib.lines import Line2D
from matplotlib.textpath import text_to_path
from matplotlib.ticker import MaxNLocator

from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.ghosts import line_color

QUERY = Parameter("query", "the position that asks", 10, 0, 4095)  # marked in orange by every view that shows it
OFFSET = Parameter("offset", "how many positions after the query the key stands", 5, 0, 4095, least=-4095)
PAIR = Parameter("pair", "which pair of dims is drawn", 0, 0, 511)
CAUSAL = Parameter("causal", "whether each word sees only itself and the words before it", False, options=(False, True))
PAST = "← past\N{EM SPACE}offset: key − query"  # a drawing in a page would make one of several plain spaces
LABEL_ROOM = (0.5, 0.3)  # inches from the axes to its y label and x label
STEPS = (1, 2, 2.5, 5, 10)  # between ticks, times a power of ten
MARGIN = 0.05  # inches between a title and the end of its room
WIDER = 1.05  # letters on a coarse grid of pixels, compared with their outlines
LIMITS = ("xlim", "ylim", "zlim", "clim")  # of axes, and of a scale of colours
VIEWS: dict[str, type["View"]] = {}  # by the name that readers and code call them by


class View:
    """One picture of one array, in three steps.

    A subclass gives three methods: inputs(encoding, values) takes the data out of an encoding; build(ax) makes the
    artists that change from frame to frame and returns them; show(**data) moves them, asks by `self.axes(...)` for what
    limits, labels, ticks and title should be, and returns in words what is seen. What never changes about the axes is
    declared. Axes are drawn again only where something about them changed.

    A view alone:  view = Heatmap(); view.draw(ax, table=table); view.text.
    A view that follows a slider:  view.update(table=new_table), which says whether the axes changed.

    Attributes:
        text: what it shows now, in words.
        wanted: the limits that the data shown last asked for, by name, see LIMITS.
        frozen: limits that stay, by name; where data do not fit into them they grow, and never shrink.
        shared: limits that the axes hold, too, by name: those of all views of the same quantity.
    """

    name = ""  # given in the class line; without one a class is only a base of others
    # Methods and parameters that an encoding must have to feed this view; query_and_key if the same stand everywhere.
    needs: tuple[str, ...] = ("table",)
    parameters: tuple[Parameter, ...] = ()
    ignores: tuple[str, ...] = ()  # parameters of encodings that change nothing here: they are no sliders
    wakes: tuple[str, ...] = ()  # those that matter here even where they change nothing about the encoding
    instead: dict[str, tuple[str, ...]] = {}  # noqa: RUF012  (its own that change nothing where all of these are given)
    pointer: tuple[str | None, str | None] = (None, None)  # what x and y are: position, query, dim …
    turns = ""  # the angle that a drag from left to right turns, if it turns the whole picture
    turn = -180.0  # degrees by which, for a drag across all of it
    most_positions = 4096  # beyond it a frame takes too long to follow the hand
    shows_end = False  # whether it can show a sequence that is longer than the encoding can encode

    weight = 1.0  # width beside other views
    left, right = 0.72, 0.2  # inches that numbers and labels need beside the axes: half of 1000 stands beyond its tick
    title_height = 1.0  # in heights of the axes
    square = False  # one unit to the right is as long as one unit up
    projection = None

    title = x_label = y_label = ""
    x_ticks = y_ticks = 0  # at most so many steps between ticks, on x at whole numbers; 0: as matplotlib likes
    whole_y = False  # whether ticks on y, too, stand at whole numbers only
    log = ""  # the axes with a logarithmic scale: "y", "xy"
    shares: tuple[str, ...] = ()  # limits that it has in common with views of the same quantity beside it
    grid = ""  # "y" or "both"
    zero_line = False
    query_line = ""  # the axis along which a line marks the query, "x" or "y"; `ask` moves it
    rimmed = False  # that line

    def __init_subclass__(cls, name: str = "", **rest):
        super().__init_subclass__(**rest)
        cls.name = name
        if name:
            VIEWS[name] = cls

    def __init__(self, **own):
        self.own = own  # values for this view alone, before those that all views of a panel share; "title" among them
        self.frozen: dict[str, tuple] = {}
        self.shared: dict[str, tuple] = {}
        self._measuring = False
        self.room = (0.0, 1.0)  # from where to where it may draw, in widths of the figure

    def inputs(self, encoding: Encoding, values: dict) -> dict:
        """Return the data of this view, by name, out of an encoding at one setting."""
        raise NotImplementedError

    def waits(self, encoding: Encoding, values: dict) -> str:
        """Return what a reader is told while `inputs` makes what takes its time; nothing where it is quick."""
        return ""

    @classmethod
    def fits(cls, encoding: Encoding) -> bool:
        """Return whether an encoding can feed this view."""
        return all(map(encoding.has, cls.needs))

    @classmethod
    def quantity(cls, encoding: Encoding) -> tuple[str, str]:
        """Return what is drawn: where two views draw the same of two encodings, they can be compared."""
        return cls.name, encoding.scores_are

    @classmethod
    def relevant(cls, encoding: Encoding) -> list[str]:
        """Return the parameters of an encoding that change what this view shows of it, by name."""
        idle = [name for name, views in encoding.idle.items() if cls.name in views]
        ignored = () if encoding.opaque else cls.ignores
        return [name for name in encoding.defaults if name not in (*ignored, *idle)]

    @classmethod
    def limits(cls, width: int, seq_len: int) -> dict:
        """Return the highest value that the table leaves to each parameter of the view, by name."""
        ends = {"query": seq_len - 1, "offset": seq_len - 1, "pair": max(width // 2 - 1, 0)}
        ends |= dict.fromkeys(("dim", "x_dim", "y_dim", "z_dim"), width - 1) | {"shown_dims": width, "num_waves": width}
        return {p.name: ends[p.name] for p in cls.parameters if p.name in ends}

    def draw(self, ax, **data) -> None:
        """Make the artists on ax and show data."""
        self.ax = ax
        self._state: dict = {}
        self._declare(ax)
        if self.query_line:
            line = ax.axvline if self.query_line == "x" else ax.axhline
            self.asked = line(1, **style.query_line(rimmed=self.rimmed))
        self.artists = [*([self.asked] if self.query_line else []), *self.build(ax)]
        self.update(**data)

    @property
    def traced(self) -> list:
        """The curves and dots that show data: that of which a ghost can stay where it was before."""
        data = {style.CURVE, style.OTHER, style.THIRD}
        return [one for one in self.artists if isinstance(one, PathCollection) or line_color(one) in data]

    def _declare(self, ax) -> None:
        """Give the axes what is declared."""
        if self.projection is None:  # fixed places: labels stay still while tick numbers grow
            ax.xaxis.set_label_coords(0.5, -LABEL_ROOM[1] / (ax.bbox.height / ax.figure.dpi))
            ax.yaxis.set_label_coords(-LABEL_ROOM[0] / (ax.bbox.width / ax.figure.dpi), 0.5)
        ax.set(xlabel=self.x_label, ylabel=self.y_label)
        for name in self.log:
            ax.set(**{f"{name}scale": "log"})
            getattr(ax, f"{name}axis").set_major_formatter(style.tick)
        if self.x_ticks:
            ax.xaxis.set_major_locator(MaxNLocator(self.x_ticks, steps=STEPS, integer=True))
        if self.y_ticks:
            ax.yaxis.set_major_locator(MaxNLocator(self.y_ticks, steps=STEPS, integer=self.whole_y))
        if self.grid:
            ax.grid(True, axis=self.grid)
        if self.zero_line:
            ax.axhline(0, color=style.LINE, lw=1)

    def update(self, **data) -> bool:
        """Show new data; return whether limits, ticks or labels changed with it."""
        self._changed = False
        try:
            self.text = self.show(**data)
        except BaseException:  # an interrupt, too, may leave the axes half changed
            self._state = {}
            raise
        return self._changed

    def freeze(self, names: Collection[str], **data) -> None:
        """Let the limits of these names hold these data, too, from now on; what is drawn stays until `update`."""
        self._measuring = True
        try:
            self.show(**data)
        finally:
            self._measuring = False
        for name in self.wanted.keys() & names:
            self.frozen[name] = union(name, self.frozen.get(name, self.wanted[name]), self.wanted[name])

    def axes(self, **state) -> bool:
        """Let the axes be as the data ask; return whether they were not before.

        Args:
            **state: xlim, ylim, clim (the ends of a colour scale), and any other property of the axes (title, xlabel,
                xticks, xticklabels, …). What begins with an underscore is only remembered: something else that the
                background depends on.
        """
        state["title"] = self.own.get("title") or state.get("title", self.title)
        self.wanted = {name: tuple(float(f"{end:.12g}") for end in state[name]) for name in LIMITS if name in state}
        state |= self.wanted  # what was measured in pixels has noise in its last digits, which can move a line by one
        if self._measuring:
            return False
        for name in self.shared.keys() & state.keys():
            state[name] = union(name, state[name], self.shared[name])
        for name in self.frozen.keys() & state.keys():
            state[name] = self.frozen[name] = union(name, self.frozen[name], state[name])
        new = {name: value for name, value in state.items() if name not in self._state or self._state[name] != value}
        if new:
            with style.styled():  # new ticks are made here; what only moves needs no style
                limits = {name: state[name] for name in LIMITS[:2] if name in state}  # new ticks may widen them
                for name, value in ({k: v for k, v in new.items() if k not in limits} | limits).items():
                    self._set(name, value)
            self._state = state
            self._changed = True
        return bool(new)

    def _set(self, name: str, value) -> None:
        if name == "clim":
            self.set_colors(*value)
        elif name == "title":
            self._write_title(value)
        elif not name.startswith("_"):
            getattr(self.ax, f"set_{name}")(value)

    def _write_title(self, words: str) -> None:
        """Write the title; where it would reach into a neighbour's room, or out of the picture, it moves in."""
        title = self.ax.set_title(words, y=self.title_height)
        inches = inches_of(title)
        width, part = self.ax.figure.get_size_inches()[0], {"left": 0.0, "center": 0.5}[title.get_ha()]
        axes = self.ax.get_position(original=True)
        begin = axes.x0 * width + part * (axes.width * width - inches)
        inside = max(min(begin, self.room[1] * width - inches - MARGIN), self.room[0] * width + MARGIN)
        title.set_x(part + (inside - begin) / (axes.width * width))

    def ask(self, at: float | None) -> None:
        """Move the line of the query; None takes it away."""
        line = ([], []) if at is None else ([at, at], [0, 1])
        self.asked.set_data(*line if self.query_line == "x" else line[::-1])

    def value_at(self, x: float, y: float) -> str:
        """Return the number that is drawn at x and y, in the units of the axes, or nothing."""
        return ""

    def marks(self) -> np.ndarray:
        """Return where the points stand that a pointer may mean, in pixels of the figure from below, shape (n, 2)."""
        return np.zeros((0, 2))


def inches_of(text) -> float:
    """Return how wide a text is."""
    words, font = text.get_text(), text.get_fontproperties()
    return WIDER * text_to_path.get_text_width_height_descent(words, font, is_math_text(words))[0] / 72


def union(name: str, one: tuple, other: tuple) -> tuple:
    """Return limits that hold both and run as the first do, up or down; colours stay centred on a zero within them."""
    low, high = min(*one, *other), max(*one, *other)
    if name == "clim" and low < 0:
        low, high = min(low, -high), max(-low, high)
    return (low, high) if one[0] <= one[1] else (high, low)


def over(number: int) -> tuple[float, float]:
    """Return the ends of an axis with so many positions, each at its number."""
    return -0.5, max(number - 0.5, 0.5)


class CurveView(View):
    """Curves over positions, keys, offsets or pairs, and lines to read their heights by."""

    weight = 1.2
    shares = ("xlim", "ylim")
    x_ticks = 4
    grid = "y"

    def value_at(self, x, y):
        lines = (line.get_data() for line in self.traced if isinstance(line, Line2D) and len(line.get_xdata()))
        heights = [float(ys[np.argmin(np.abs(np.asarray(xs) - x))]) for xs, ys in lines]  # of each curve, there
        nearest = min(heights, key=lambda height: abs(height - y), default=None)
        return "" if nearest is None else style.number(nearest, 4)  # 0.9998 is a peak, and not 1


class PenView(View):
    """A view that is a function draw(pen, encoding, **values) → what is seen, in a sentence; made by `view`.

    Attributes of the class:
        takes: the values that it asks for, with what stands for a missing one.
        kind: "curves", "cells", "plane" or "free": which lines there are to read by, and which limits it shares.
        x, unit: what x counts, or both its ends; what y counts. title: the noun that stands where no sentence does.
        numbers: px beside the plot for the numbers of y; scale: whether colours need one.
        only: which encodings beside what it needs, a function.
    """

    kind, x, unit, numbers, scale, lines = "curves", "", "", style.LEFT, True, "y"
    takes: dict[str, object] = {}  # noqa: RUF012
    only = quantity_of = None

    def __init__(self, **own):
        super().__init__(**own)
        self.frozen = self.shared = None  # the pen's own, once it is there

    def inputs(self, encoding, values):
        return {"encoding": encoding, "values": values}

    @classmethod
    def fits(cls, encoding):
        return super().fits(encoding) and (cls.only is None or cls.only(encoding))

    @classmethod
    def quantity(cls, encoding):
        return cls.name, cls.quantity_of or encoding.scores_are

    def build(self, ax):
        from posenc_lib.views.pen import Pen

        self.pen = Pen(self, ax, self.own)
        return [self.pen.marks]

    def show(self, encoding, values):
        if self.shared is not None:
            self.pen.shared = self.shared
        self.pen.draw(encoding, values)
        self._changed, self.wanted, self.frozen = self.pen.changed, self.pen.wanted, self.pen.frozen
        self.pointer = self.pen.names
        return self.pen.words

    def freeze(self, names, encoding, values):
        self.pen.freeze(names, encoding, values)

    @property
    def traced(self):
        return []

    def value_at(self, x, y):
        return self.pen.value_at(x, y)

    def marks(self):
        each = self.pen.each
        return np.zeros((0, 2)) if each is None else self.ax.transData.transform(each)


NAMED = {  # what is counted, in the words of an axis, and for a pointer
    "position": "position",
    "position of the key": "key",
    "position of the query": "query",
    "key before the query": "offset",
    "pair": "pair",
    "dim": "dim",
    "head": "head",
    "token": "token",
}
KINDS = {  # lines to read by, limits that views of one quantity share, square, width beside others
    "curves": ("y", ("xlim", "ylim"), False, 1.2),
    "cells": ("", ("clim",), False, 1.25),
    "plane": ("xy", (), True, 1.0),
    "free": ("", (), False, 1.2),
}


def view(kind: str = "curves", title: str = "", *, x="", y="", needs="table", ignores="", **about):
    """Return what makes a view of a function: its arguments after pen and encoding are the values that it asks for.

    A default that is a Parameter is a slider of its own; any other stands where no other view brings this value in.

    Args:
        kind: what it draws, see KINDS.
        title: a noun, where no sentence can be computed.
        x: what x counts, or a pair of words for its two ends; y: what y counts, without an arrow.
        needs: methods and parameters that an encoding must have, in words.
        ignores: parameters of encodings that change nothing here.
        **about: what else is other than usual, see `PenView`; most, ends: see `View`.
    """
    lines, shares, square, weight = KINDS[kind]

    def made(draw):
        taken = list(inspect.signature(draw).parameters.values())[2:]
        own = tuple(p.default for p in taken if isinstance(p.default, Parameter))
        takes = {p.name: p.default.default if isinstance(p.default, Parameter) else p.default for p in taken}
        first = x[0] if isinstance(x, tuple) else x
        look = {"kind": kind, "title": title, "x": x, "lines": lines, "shares": shares, "square": square}
        look |= {"weight": weight, "draw": None, "parameters": own, "takes": takes, "needs": tuple(needs.split())}
        look |= {"ignores": tuple(ignores.split()), "unit": f"{'↓' if kind == 'cells' else '↑'} {y}" if y else ""}
        look |= {"pointer": (NAMED.get(first), NAMED.get(y))} | about
        if "y" in look.get("log", ""):
            look["numbers"] = max(look.get("numbers", 0), 56)
        look |= {"left": look.get("numbers", style.LEFT) / 100, "right": style.RIGHT / 100, "__doc__": draw.__doc__}
        look.pop("draw")
        made = type(draw.__name__, (PenView,), look | {"function": staticmethod(draw)}, name=draw.__name__)
        return made and draw

    return made
