"""What a view is: a function that draws an encoding and describes it."""

import inspect

from posenc_lib.encodings import validate
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.register import Register, place_of
from posenc_lib.views.style import LEFT

# Sliders of several views
QUERY = Parameter("query", "position of the query", 10, 0, 4095)
POSITION = Parameter("position", "which position to look at", 10, 0, 4095)
OFFSET = Parameter(
    "offset", "how many positions the key is after the query", 5, 0, 4095, least=-4095
)
PAIR = Parameter("pair", "which pair of dims to draw", 0, 0, 511)
SEES = "whether each word sees only itself and the words before it"
CAUSAL = Parameter("causal", SEES, False, options=(False, True))

# What axes count, and what a pointer calls it
NAMED = {name: name for name in "position pair dim head token column row".split()}
NAMED |= {"from position": "position", "position of the key": "key"}
NAMED |= {"position of the query": "query", "row of the query": "query"}
NAMED |= {"key before the query": "offset", "how many positions apart": "offset"}
NAMED |= {"pair, fast to slow": "pair", "dim before": "dim"}

KINDS = {"free": {}}
KINDS["curves"] = {"lines": "y", "shares": ("xlim", "ylim")}
KINDS["cells"] = {"shares": ("clim",)}
KINDS["plane"] = {"lines": "xy", "square": True}

# By name; an unknown name is looked up in the pages' packages
VIEWS: Register["View"] = Register("view", part="pictures")


class View:
    """One picture of one encoding: function(pen, encoding, **values) → a sentence.

    Attributes:
        takes: values it asks for, and each one's default.
        parameters: its own sliders.
        kind: one of `KINDS`.
        title: the noun if there's no headline.
        x: what x counts, or both its ends.
        unit: what y counts.
        pointer: what a pointer calls both.
        needs: methods and parameters an encoding must have.
        only: encoding → whether it fits.
        only_for: which do, in words.
        ignores: its parameters that change nothing here.
        matters: encoding → the ones that do.
        drags: the angle that a drag changes, by `degrees` across the plot.
        weight: how wide it is next to others.
        wide: px of a figure of it alone.
        tall: how many times as high as others.
        narrow: the same on a phone.
        left: px left of the plot for numbers.
        lines: axes with lines to read by.
        log: logarithmic axes.
        quantity: whose it draws, if not its own.
        shares: limits that views of one quantity share.
        scale: whether colors need one.
        most_positions: more would be too slow.
        shows_end: whether it continues where an encoding ends.
        ends: (width, seq_len) → highest values of other parameters.
    """

    log = drags = lines = quantity = ""
    only = ends = matters = None
    only_for = "other encodings"
    square = shows_end = False
    shares = ()
    scale = True
    degrees = -180.0
    weight = tall = narrow = 1.0
    wide = 0
    left = LEFT
    most_positions = 4096

    def __init__(self, function, **about):
        self.function = function
        self.name = function.__name__
        vars(self).update(about)

    def __reduce__(self):
        return _named, (self.name,)  # other processes know its name

    def fits(self, encoding) -> bool:
        """Return whether an encoding can feed this view."""
        able = all(map(encoding.has, self.needs))
        return able and (self.only is None or bool(self.only(encoding)))

    def quantity_of(self, encoding) -> tuple[str, str]:
        """Return what is drawn; views with the same can be compared."""
        return self.quantity or self.name, "" if "attend" in self.needs else encoding.scores_are

    def relevant(self, encoding) -> list[str]:
        """Return which parameters of an encoding change the picture."""
        if self.matters:
            return self.matters(encoding)
        unused = [name for name, views in encoding.unused_in.items() if self.name in views]
        ignored = () if encoding.from_function else self.ignores
        return [name for name in encoding.defaults if name not in (*ignored, *unused)]

    def highest(self, width: int, seq_len: int) -> dict:
        """Return the highest values of its parameters, for a table."""
        ends = dict.fromkeys(("query", "position", "offset"), seq_len - 1)
        ends |= {"pair": max(width // 2 - 1, 0), "shown_dims": width, "num_waves": width}
        own = {p.name: ends[p.name] for p in self.parameters if p.name in ends}
        return own | (self.ends(width, seq_len) if self.ends else {})


def _named(name: str) -> View:
    return VIEWS[name]


def view(kind: str = "curves", title: str = "", *, x="", y="", needs="table", ignores="", **about):
    """Return a decorator that makes a view of a function.

    Its arguments after pen and encoding are the values it asks for. An argument whose default
    is a Parameter gets its own slider; any other default applies if no view next to it brings
    this value. needs and ignores are words; for the rest, see `View`.

    Raises:
        TypeError: there is no such option.
        ValueError: another view has this name.
    """
    validate.known("kind", kind, KINDS)
    settings = {"needs": tuple(needs.split()), "ignores": tuple(ignores.split())}
    settings |= {"kind": kind, "title": title, "x": x} | KINDS[kind]
    arrow = "↓" if kind == "cells" else "↑"
    settings["unit"] = y and f"{arrow} {y}"
    settings["pointer"] = NAMED.get(x[0] if isinstance(x, tuple) else x), NAMED.get(y)
    if "y" in about.get("log", ""):
        settings["left"] = 56
    known = [*settings, "parameters", "takes", *vars(View)]
    for name in about:
        if name not in known:
            near = validate.among(name, known, "It has")
            raise TypeError(f"view has no option {name!r}. {near}")

    def add(draw):
        sliders, takes = [], {}
        for argument in list(inspect.signature(draw).parameters.values())[2:]:
            default = argument.default
            if isinstance(default, Parameter):
                sliders.append(default)
                default = default.default
            takes[argument.name] = default
        read = {"parameters": tuple(sliders), "takes": takes}
        VIEWS.add(draw.__name__, View(draw, **settings | read | about), place=place_of(draw))
        return draw

    return add
