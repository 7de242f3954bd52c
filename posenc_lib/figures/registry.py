"""What a figure is: a function that says which views to draw, its words, and the parameter that may move."""

import difflib
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.record import Parameter, whole
from posenc_lib.encodings.sample import Sample
from posenc_lib.views import VIEWS, Panel, style

SQUARE = 2.6  # inches
FRAMES = 24  # of a moving figure, at most
FIGURES: dict[str, "BlogFigure"] = {}


class Shot:
    """One view of one encoding.

    Args:
        view: a view's name.
        encoding: the name of an encoding that can feed it.
        **values: parameters of both, by name, and a title, if not the view's own; what is left out takes the default
            that an explorer begins with.
    """

    def __init__(self, view: str, encoding: str, **values):
        self.encoding, self.kind = ENCODINGS[encoding], VIEWS[view]
        usual = {p.name: self.encoding.shown.get(p.name, p.default) for p in self.kind.parameters}
        self.own = usual | {name: value for name, value in values.items() if name not in self.encoding.defaults}
        self.parameters = {name: values[name] for name in self.encoding.defaults if name in values}

    @cached_property
    def sample(self) -> Sample:
        """The encoding at this setting."""
        return Sample(self.encoding, **self.parameters)

    def check(self, known: dict[str, Parameter], wanted: dict) -> None:
        """Raise the encoding's own error, or another that names the argument, if the values do not go together."""
        for name, value in wanted.items():
            if value is not None and not known[name].options:
                if known[name].scale != "log":
                    whole(name, value)
                if value > known[name].most:
                    known[name].checked(value)  # before any work is done
        values = self.sample.parameters | self.own
        if self.encoding.relation:  # those with a table say better themselves what does not fit
            _check_limits(values, self.encoding.limits(values))
        self.sample.attempt()
        for name, value in wanted.items():
            if value is not None:
                known[name].checked(value)
        _check_limits(values, {"seq_len": self.kind.most_positions})
        _check_limits(values, self.kind.limits(self.sample.width, values["seq_len"]))


def _check_limits(values: dict, limits: dict) -> None:
    for name, most in limits.items():
        if values.get(name) is not None and values[name] > most:
            raise ValueError(f"{name} must be at most {most} here, got {values[name]}")


@dataclass(frozen=True)
class BlogFigure:
    """A figure by its id; made by `figure`.

    lesson is the notebook it belongs to, without its suffix; caption and alt may name parameters in braces; compose
    takes parameters by name and returns shots, or a drawing of its own; moves is the parameter that moves where the
    format can, from low to high; moving says whether the figure is meant to move.
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
    own: tuple[Parameter, ...] = field(default=())

    @property
    def defaults(self) -> dict:
        """Return every parameter's default, by name."""
        return {name: p.default for name, p in inspect.signature(self.compose).parameters.items()}

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
        if self.own:
            return values | {name: self.parameters[name].checked(value) for name, value in wanted.items()}
        for shot in self.compose(**values):
            shot.check(self.parameters, wanted)
        return values

    def frames(self, values: dict, most: int = FRAMES) -> list[dict]:
        """Return the values of each frame: all as given, but for the parameter that moves, as far as it can.

        Raises:
            ValueError: the other values leave it no room to move.
        """
        fitting, problem = [], None
        for step in self.parameters[self.moves].spread(self.low, self.high, most):
            try:
                fitting.append(self.values(**values | {self.moves: step}))
            except ValueError as error:
                problem = error
        if len(fitting) < 2:
            raise ValueError(f"{self.moves} cannot move in {self.id}: {problem}")
        return fitting

    def draw(self, values: dict, width: float | None = None):
        """Return the figure's panel, in the theme in use; width is in inches."""
        shots = self.compose(**values)
        return panel(shots, width) if isinstance(shots, list) else shots

    def redraw(self, drawn, values: dict):
        """Return the drawing at other values: the same panel, moved on, which is faster than a new one."""
        shots = self.compose(**values)
        if not isinstance(shots, list):
            return shots
        for view, shot in zip(drawn.views, shots, strict=True):
            view.own = shot.own
        drawn.update(shared(shots), {})
        return drawn

    def words(self, values: dict) -> tuple[str, str]:
        """Return (caption, alt) for these values."""
        told = {name: style.written(value) for name, value in values.items()}
        return self.caption.format(**told), self.alt.format(**told)


def figure(id: str, lesson: str, caption: str, alt: str, *, moves: tuple, moving: bool = False, own: tuple = ()):  # noqa: A002
    """Make a function that returns shots a figure; moves is (parameter, low, high)."""

    def register(compose: Callable) -> Callable:
        FIGURES[id] = BlogFigure(id, lesson, caption, alt, compose, *moves, moving, own)
        return compose

    return register


def panel(shots: list[Shot], width: float | None = None) -> Panel:
    """Return a panel of these shots; width is in inches."""
    views = [shot.kind(**shot.own) for shot in shots]
    if width is None and len(views) > 1 and all(view.square for view in views):
        width = sum(view.left + SQUARE + view.right for view in views)  # no empty room beside squares
    return Panel(views, shared(shots), {}, named=False, width=width)


def shared(shots: list[Shot]) -> list[Sample]:
    """Return the sample of each shot; those of one setting are one, and share what they compute."""
    samples: list[Sample] = []
    for shot in shots:
        same = (s for s in samples if (s.encoding, s.parameters) == (shot.encoding, shot.sample.parameters))
        samples.append(next(same, shot.sample))
    return samples


def find(name: str) -> BlogFigure:
    """Return a figure by its id.

    Raises:
        ValueError: there is none; the message lists the near ones.
    """
    if name not in FIGURES:
        raise ValueError(f"there is no figure {name!r}{near(name, FIGURES)}")
    return FIGURES[name]


def near(name: str, known) -> str:
    """Return the names that somebody may have meant, as the end of an error message, or all of them."""
    alike = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    alike += [k for k in known if name and name in k and k not in alike][:3]
    return f"; near it: {', '.join(alike)}" if alike else f" (there are {', '.join(known)})"
