"""What a figure is: a function that says which views to draw, its words, and the parameter that may move."""

import difflib
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.figures.shots import Shot, one_each, panel, shared
from posenc_lib.views import VIEWS, style
from posenc_lib.views.names import parameters_of, records, view_names

FRAMES = 24  # of a moving figure, at most
FIGURES: dict[str, "BlogFigure"] = {}


@dataclass(frozen=True)
class BlogFigure:
    """A figure by its id; made by `figure`.

    lesson is the notebook it belongs to, without its suffix; caption and alt may name parameters in braces, and without
    them the views' own titles and words do; compose
    takes parameters by name and returns shots, or a drawing of its own; moves is the parameter that moves where the
    format can, from low to high; moving says whether the figure is meant to move. A drawing of its own brings its own
    parameters. usual holds defaults that compose does not have itself; named says whether each encoding's name stands
    above its views.
    """

    id: str
    lesson: str
    caption: str
    alt: str
    compose: Callable
    moves: str
    low: float
    high: float
    moving: bool = False
    own: tuple[Parameter, ...] = ()
    usual: dict = field(default_factory=dict)
    named: bool = False

    @property
    def defaults(self) -> dict:
        """Return every parameter's default, by name."""
        own = {name: p.default for name, p in inspect.signature(self.compose).parameters.items()}
        return self.usual or own

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """The records of its parameters, by name, as catalog and views have them."""
        shots = [] if self.own else self.compose(**self.defaults)
        fed = [p for shot in shots for p in (*shot.encoding.parameters, *shot.kind.parameters)]
        known = {p.name: p for p in (*reversed(fed), *self.own)}
        return {name: known[name] for name in self.defaults}

    def values(self, **wanted) -> dict:
        """Return all values with some of them set.

        Raises:
            TypeError, ValueError: there is no such parameter, or a value breaks a rule of the encoding or the view.
        """
        for name in wanted:
            if name not in self.parameters:
                raise TypeError(f"{self.id} has no parameter {name!r}{near(name, self.parameters)}")
        values = self.defaults | wanted
        for name, value in wanted.items():
            parameter = self.parameters[name]
            if parameter.options:
                parameter.checked(value)
            elif value is not None:
                (parameter.checked if self.own else parameter.number)(value)
            elif self.defaults[name] is not None:
                raise TypeError(f"{name} must be a number, got None")
        if self.own:
            return values
        for shot in self.compose(**values):
            shot.check(self.parameters, wanted)
        return values

    def frames(self, values: dict, most: int = FRAMES) -> list[dict]:
        """Return the values of each frame: all as given, but for the parameter that moves, as far as it can.

        Raises:
            ValueError: the other values leave it no room to move.
        """
        parameter, low, high = self.parameters[self.moves], self.low, self.high
        tried = [self._try(values, step) for step in parameter.frame_values(low, high, most)]
        problem = next((problem for _, problem in tried if problem), None)
        if problem and not parameter.options:
            tried = [
                self._try(values, step) for step in parameter.frame_values(low, self._last_that_fits(values), most)
            ]
        fitting = [frame for frame, _ in tried if frame]
        if len(fitting) < 2:
            raise ValueError(f"{self.moves} cannot move in {self.id}: {problem}")
        return fitting

    def _try(self, values: dict, step) -> tuple[dict | None, ValueError | None]:
        """Return all values with the moving parameter at a step, or what speaks against it."""
        values = values | {self.moves: step}
        try:
            return self.values(**values | self._room(values)), None
        except ValueError as error:
            return None, error

    def _room(self, values: dict) -> dict:
        """Return where other parameters go that this setting leaves less room, as in an explorer."""
        room = {}
        for shot in [] if self.own else self.compose(**values):
            for name, most in shot.kind.limits(shot.sample.num_dims, shot.sample.values["seq_len"]).items():
                if name in self.parameters and name != self.moves and values[name] is not None:
                    room[name] = self.parameters[name].clamp(values[name], most)
        return room

    def _last_that_fits(self, values: dict) -> int:
        """Return the highest whole value that fits, or the lowest there is if none does."""
        low, high = int(self.low), int(self.high)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._try(values, middle)[0] else (low, middle)
        return low

    def draw(self, values: dict, width: float | None = None):
        """Return the figure's panel, in the theme in use; width is in inches."""
        shots = self.compose(**values)
        if width and not isinstance(shots, list):
            raise ValueError(f"{self.id} has a width of its own, got {width * 100:g}")
        return panel(shots, width, named=self.named) if isinstance(shots, list) else shots

    def redraw(self, drawn, values: dict):
        """Return the drawing at other values: the same panel, moved on, which is faster than a new one."""
        shots = self.compose(**values)
        if not isinstance(shots, list):
            return shots
        for view, shot in zip(drawn.views, shots, strict=True):
            view.own = shot.own
        drawn.update(one_each(shots) if self.named else shared(shots), {})
        return drawn

    def words(self, values: dict, drawn=None) -> tuple[str, str]:
        """Return (caption, alt) for these values; drawn, if given, is the figure at them."""
        if not self.caption:  # a figure that somebody composed says what it shows
            drawn = drawn or self.draw(values)
            return f"{drawn.titles}.", drawn.describe()
        told = {name: style.written(value) for name, value in values.items()}
        return self.caption.format(**told), self.alt.format(**told)


def figure(id: str, lesson: str, caption: str, alt: str, *, moves: tuple, moving: bool = False, own: tuple = ()):  # noqa: A002
    """Make a function that returns shots a figure; moves is (parameter, low, high)."""

    def register(compose: Callable) -> Callable:
        FIGURES[id] = BlogFigure(id, lesson, caption, alt, compose, *moves, moving, own)
        return compose

    return register


def find(name: str) -> BlogFigure:
    """Return a figure by its id, or the one that "rope+alibi:similarity,dot_product" describes: encodings, then views.

    Raises:
        ValueError: there is none; the message lists the near ones.
    """
    if ":" in name:
        return composed(*name.split(":", 1))
    if name not in FIGURES:
        raise ValueError(f"there is no figure {name!r}{near(name, FIGURES)}")
    return FIGURES[name]


def composed(encodings: str, views: str) -> BlogFigure:
    """Return the figure that shows some views of some encodings, as an explorer would.

    Raises:
        ValueError: there is no such encoding or view, or they do not fit.
    """
    chosen = records([name.strip() for name in encodings.split("+")])
    drawn = view_names([name.strip() for name in views.split(",") if name.strip()] or None, chosen)
    known = parameters_of(chosen, [VIEWS[name] for name in drawn])

    owned = {p.name for one in chosen for p in one.parameters}

    def compose(**values) -> list[Shot]:
        # what no encoding owns goes to every view: a query is marked in all of them
        for_all = {name: value for name, value in values.items() if name not in owned}
        owns = [{name: values[name] for name in one.defaults} for one in chosen]
        return [Shot(view, one.name, **own, **for_all) for one, own in zip(chosen, owns, strict=True) for view in drawn]

    usual = {name: parameter.default for name, parameter in known.items()}
    usual["seq_len"] = min(usual["seq_len"], *(VIEWS[view].most_positions for view in drawn))
    moves = "base" if usual.get("base") else "seq_len"
    about = (f"{'+'.join(one.name for one in chosen)}:{','.join(drawn)}", "", "", "", compose)
    ends = known[moves].low, known[moves].high
    made = BlogFigure(*about, moves, *ends, usual=usual, named=True)
    usual |= made._room(usual)  # fewer dims than a view begins with
    return made


def near(name: str, known) -> str:
    """Return the names that somebody may have meant, as the end of an error message, or all of them."""
    alike = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    alike += [k for k in known if name and name in k and k not in alike][:3]
    return f"; near it: {', '.join(alike)}" if alike else f" (there are {', '.join(known)})"
