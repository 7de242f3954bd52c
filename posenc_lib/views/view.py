"""What a view is: a function that draws an encoding with a pen and says in a sentence what is seen."""

import inspect
from collections.abc import Callable

from posenc_lib.encodings import validate
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.register import Register
from posenc_lib.views.style import LEFT

QUERY = Parameter(
    "query", "the position that asks", 10, 0, 4095
)  # marked in orange by every view that shows it
OFFSET = Parameter(
    "offset", "how many positions after the query the key stands", 5, 0, 4095, least=-4095
)
PAIR = Parameter("pair", "which pair of dims is drawn", 0, 0, 511)
CAUSAL = Parameter(
    "causal",
    "whether each word sees only itself and the words before it",
    False,
    options=(False, True),
)
NAMED = {  # what an axis counts, in words, and for a pointer
    **{name: name for name in ("position", "pair", "dim", "head", "token", "column", "row")},
    "from position": "position",
    **dict.fromkeys(("position of the query", "row of the query"), "query"),
    **dict.fromkeys(("key before the query", "how many positions apart"), "offset"),
    **{"position of the key": "key", "pair, fast to slow": "pair", "dim before": "dim"},
}
KINDS = {  # lines to read by, limits that views of one quantity share, square
    "curves": ("y", ("xlim", "ylim"), False),
    "cells": ("", ("clim",), False),
    "plane": ("xy", (), True),
    "free": ("", (), False),
}
VIEWS: Register["View"] = Register("view", part="pictures")


class View:
    """One picture of one encoding: function(pen, encoding, **values) → what is seen, in words; made by `view`.

    Attributes:
        takes: the values that it asks for, with what stands for a missing one; parameters: its own sliders.
        kind: see KINDS; x: what x counts, or both its ends; unit: what y counts; title: the noun where there is no
            sentence.
        needs: methods and parameters that an encoding must have; only: which of these it is for, a function.
        ignores: parameters of encodings that change nothing here: they are no sliders; matters: encoding → those that
            do, in place of the usual ones.
        pointer: what x and y are to somebody who points there; drags: the angle that a drag from left to right turns,
            degrees: by how many for a drag across all of it.
        left: px beside the plot for the numbers of y; scale: whether colours need one; lines: of which axes there
            are some to read by; log: which are logarithmic; weight: how wide it is beside others.
        most_positions: beyond it a frame takes too long to follow the hand; shows_end: whether it can show a sequence
            that is longer than the encoding can encode.
        ends: a function (width, seq_len) → the highest values of parameters beside the usual ones.
    """

    log = drags = ""
    degrees, weight, left, scale, most_positions, shows_end = -180.0, 1.0, LEFT, True, 4096, False
    only = ends = matters = None

    def __init__(self, function: Callable, **about):
        self.function, self.name = function, function.__name__
        vars(self).update(about)

    def __reduce__(self):
        return _named, (self.name,)  # another process knows it by its name

    def fits(self, encoding) -> bool:
        """Return whether an encoding can feed this view."""
        return all(map(encoding.has, self.needs)) and (
            self.only is None or bool(self.only(encoding))
        )

    def quantity_of(self, encoding) -> tuple[str, str]:
        """Return what is drawn: where two views draw the same of two encodings, they can be compared."""
        return self.name, "" if "attend" in self.needs else encoding.scores_are

    def relevant(self, encoding) -> list[str]:
        """Return the parameters of an encoding that change what this view shows of it, by name."""
        if self.matters:
            return self.matters(encoding)
        unused = [name for name, views in encoding.unused_in.items() if self.name in views]
        ignored = () if encoding.from_function else self.ignores
        return [name for name in encoding.defaults if name not in (*ignored, *unused)]

    def highest(self, width: int, seq_len: int) -> dict:
        """Return the highest value that the table leaves to each parameter of the view, by name."""
        ends = dict.fromkeys(("query", "offset"), seq_len - 1)
        ends |= {"pair": max(width // 2 - 1, 0), "shown_dims": width, "num_waves": width}
        own = {p.name: ends[p.name] for p in self.parameters if p.name in ends}
        return own | (self.ends(width, seq_len) if self.ends else {})


def _named(name: str) -> View:
    return VIEWS[name]


def view(kind: str = "curves", title: str = "", *, x="", y="", needs="table", ignores="", **about):
    """Return what makes a view of a function: its arguments after pen and encoding are the values that it asks for.

    A default that is a Parameter is a slider of its own; any other stands where no other view brings this value in.
    needs and ignores are lists in words; all the rest is what `View` calls it.

    Raises:
        TypeError: there is no such option.
    """
    lines, shares, square = KINDS[kind]

    def made(draw: Callable) -> Callable:
        taken = list(inspect.signature(draw).parameters.values())[2:]
        look = {"needs": tuple(needs.split()), "ignores": tuple(ignores.split())}
        look |= {
            "kind": kind,
            "title": title,
            "x": x,
            "lines": lines,
            "shares": shares,
            "square": square,
        }
        look["unit"] = f"{'↓' if kind == 'cells' else '↑'} {y}" if y else ""
        look["parameters"] = tuple(p.default for p in taken if isinstance(p.default, Parameter))
        look["takes"] = {
            p.name: p.default.default if p.default in look["parameters"] else p.default
            for p in taken
        }
        look["pointer"] = NAMED.get(x[0] if isinstance(x, tuple) else x), NAMED.get(y)
        look["left"] = 56 if "y" in about.get("log", "") else LEFT
        if unknown := [name for name in about if name not in look and not hasattr(View, name)]:
            told = validate.among(unknown[0], [*look, *vars(View)], "it has")
            raise TypeError(f"view must be given options that it has, got {unknown[0]!r} ({told})")
        VIEWS.add(draw.__name__, View(draw, **look | about), place=draw.__module__)
        return draw

    return made
