"""The scenes of the series, read from scenes.toml: figures, and what the playground offers; any other by its spec."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from posenc_lib import spec as specs
from posenc_lib.encodings import validate
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.figures.film import part
from posenc_lib.spec import Spec
from posenc_lib.views import style
from posenc_lib.views.output import bundle
from posenc_lib.views.sheet import Sheet, encode

THUMB = 240  # px of width of a plot that is a button
FRAMES = 24  # of a moving figure, at most
TOPICS = {  # of the playground's scenes, with the lessons they belong to
    "counting": "01 02 03",
    "waves": "04 05",
    "rotation": "06 09",
    "relative": "07 08 14",
    "longer texts": "10 11 13 16",
    "pictures": "12 15",
}
DPI = 150  # of a picture in a notebook
STEADY = {
    "curves": ("ylim",),
    "cells": ("clim",),
    "plane": ("xlim", "ylim"),
}  # limits of all frames, by kind of view
LOOKS = {"title": str, "bound": float, "low": float}  # what a panel may set beside parameters


@dataclass(frozen=True)
class BlogFigure:
    """A scene by its id: a figure where it has a caption, and in the playground where it has a button."""

    id: str
    lesson: str  # the notebook that it belongs to, without its suffix
    line: str  # its panels as a spec that may name parameters in braces
    defaults: dict  # every parameter that can be set, by name; `values` holds them to what the others leave
    moves: str = ""  # what moves where a format can, and from where to where
    low: float = 0
    high: float = 0
    caption: str = ""  # words that may name parameters in braces; without them the views' own titles and words do
    alt: str = ""
    moving: bool = False  # whether it is meant to move
    named: bool = (
        False  # whether each encoding's name stands above its views, which share their axes
    )
    spec: Spec | None = None  # its one panel, where it was not written but made
    button: str = ""  # its name in the playground, the sentence there, and the sliders it is about
    says: str = ""
    drag: tuple[str, ...] = ()

    @property
    def topic(self) -> str:
        """The topic under which the playground offers it."""
        return next(name for name, lessons in TOPICS.items() if self.lesson[:2] in lessons)

    def opened(self) -> list[Spec]:
        """Return its panels as the playground shows them: those of one encoding, or of the same views, are one."""
        first, *others = [spec for spec, _ in self.panels(self.clamp(self.defaults))]
        for other in others:
            if other.encodings == first.encodings:
                first = replace(first, views=first.views + other.views)
            elif other.views == first.views:
                first = replace(
                    first,
                    encodings=first.encodings + other.encodings,
                    values=other.values | first.values,
                )
            else:
                return [first, *others]
        return [first]

    @property
    def formats(self) -> list[str]:
        """The formats in which the gallery has it."""
        return ["gif", "html"] if self.moving else ["png", "svg"]

    @cached_property
    def _panels(self) -> list[tuple[Spec, dict[str, str]]]:
        """Each panel as its encodings and views, and what it sets itself, as written."""
        if self.spec:
            return [(self.spec, {})]
        parts = map(specs.parts_of, self.line.split("|"))
        return [(Spec.of(names, views or None), written) for names, views, written in parts]

    def panels(self, values: dict) -> Iterator[tuple[Spec, dict]]:
        """Yield a spec and its looks for each panel at some values, where it does not set its own."""
        for spec, written in self._panels:
            looks, shared = (
                {},
                {name: value for name, value in values.items() if name in spec.parameters},
            )
            for name, text in written.items():
                if name in LOOKS:
                    looks[name] = LOOKS[name](text.format(**values))
                else:
                    shared[name] = (
                        values[text[1:-1]]
                        if text.startswith("{")
                        else spec.parameters[name].read(text)
                    )
            yield spec.at(**shared), looks

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """Its parameters by name, as catalog and views have them."""
        known = {}
        for spec, _ in reversed(self._panels):
            known |= spec.parameters
        return {name: known[name] for name in self.defaults}

    def parameter(self, name: str) -> Parameter:
        """Return one of its parameters; the error about one that it has not is a TypeError that lists the near ones."""
        if name not in self.parameters:
            raise TypeError(
                f"{self.id} has no parameter {name!r} ({validate.among(name, self.parameters)})"
            )
        return self.parameters[name]

    def values(self, **wanted) -> dict:
        """Return all values with some of them set, checked by the rules of encodings and views.

        Those that are not set go as far as the others let them: the last query of a text stays the last.
        """
        given = {self.parameter(name).name: value for name, value in wanted.items()}
        values = self.clamp(self.defaults | given) | given
        for spec, _ in self.panels(values):
            spec.check()
        return values

    def frames(self, values: dict, most: int = FRAMES) -> list[dict]:
        """Return the values of each frame: all as given, but for the parameter that moves, as far as it can."""
        if not self.moves:
            raise ValueError(f"{self.id} has nothing that moves")
        parameter, high = self.parameters[self.moves], self.high
        if not parameter.options:
            last, usual = self._last(values), self._last(self.values())
            high = (
                last if high == usual else min(high, last)
            )  # what goes to its end does so at other settings, too
        fitting, problem = [], f"{self.moves} must be at most {high} here"
        for step in parameter.frame_values(self.low, max(high, self.low), most):
            try:
                fitting.append(self.values(**self.clamp(values | {self.moves: step})))
            except ValueError as error:  # not every number is an even one
                problem = error
        if len(fitting) < 2:
            raise ValueError(f"{self.moves} cannot move in {self.id}: {problem}")
        return fitting

    def _last(self, values: dict) -> float:
        """Return the highest value that the others leave to the parameter that moves."""
        return min(
            spec.highest(spec.encodings_at(spec.all_values)).get(self.moves, self.high)
            for spec, _ in self.panels(values)
        )

    def clamp(self, values: dict) -> dict:
        """Return values with those beyond what the moving one leaves them where an explorer would put them."""
        for spec, _ in self.panels(values):
            _, clamped = spec.fit(spec.all_values)
            settled = values.keys() & clamped.keys() - spec.owned - {self.moves}
            values = values | {name: clamped[name] for name in settled}
        return values

    def draw(self, values: dict, width: float | None = None, dpi: float = DPI):
        """Return the figure's sheet, in the theme in use; width is in px."""
        views, own, encodings = self._drawn(values)
        look = {"names": None if self.named else (), "alike": self.named}
        return Sheet(views, encodings, {}, own=own, width=width, sharpness=dpi / 100, **look)

    def redraw(self, drawn, values: dict):
        """Return the drawing at other values: the same panel, moved on, which is faster than a new one."""
        _, own, encodings = self._drawn(values)
        for pen, new in zip(drawn.pens, own, strict=True):
            pen.own = new
        drawn.update(encodings, {})
        return drawn

    def steady(self, drawn, frames: list[dict]):
        """Return the drawing with heights and colours that hold all frames, so that these can be compared."""
        for at in frames:
            _, own, encodings = self._drawn(at)
            for (pen, encoding), new in zip(drawn.fed(encodings), own, strict=True):
                pen.own = new
                pen.freeze(STEADY.get(pen.view.kind, ()), encoding, {})
        return drawn

    def _drawn(self, values: dict) -> tuple[list, list, list]:
        """Return the views, what each alone is set to, and its encoding; or those of all its views, if named."""
        views, owns, encodings = [], [], []
        for spec, looks in self.panels(values):
            fitting, every = spec.fit(spec.all_values)
            own = {name: value for name, value in every.items() if name not in spec.owned} | looks
            views += spec.views_in_order()
            owns += [own] * len(spec.views_in_order())
            for encoding in fitting:
                same = (
                    e for e in encodings if (e.name, e.values) == (encoding.name, encoding.values)
                )
                encodings += [next(same, encoding)] * (1 if self.named else len(spec.views))
        return views, owns, encodings

    def words(self, values: dict, drawn=None) -> tuple[str, str]:
        """Return (caption, alt) for these values; drawn, if given, is the figure at them.

        An alt was written for the figure's own values, and for all of what moves. At others it is what the views say.
        """
        own, told = (
            self.values() if self.caption else {},
            {n: style.written(value) for n, value in values.items()},
        )
        if self.caption and all(values[name] == own[name] for name in values if name != self.moves):
            return self.caption.format(**told), self.alt.format(**told)
        drawn = drawn or self.draw(values)
        return self.caption.format(**told) or f"{drawn.titles}.", drawn.text


def _scenes() -> Iterator[BlogFigure]:
    for name, entry in tomllib.loads(part("scenes.toml")).items():
        _, _, written = specs.parts_of(f"{name}; {entry.pop('values', '')}")
        moves, low, high = entry.pop("moves", ("", 0, 0))
        drag = tuple(entry.pop("drag", ()))
        one = BlogFigure(
            name, defaults=written, moves=moves, low=low, high=high, drag=drag, **entry
        )
        yield replace(
            one, defaults={each: one.parameters[each].read(text) for each, text in written.items()}
        )


def find(name: str) -> BlogFigure:
    """Return a figure by its id, or the one that a spec describes, as "rope+alibi: similarity; seq_len=64"."""
    if not isinstance(name, str):
        raise TypeError(f"name must be a figure's id or a line of text, got {validate.show(name)}")
    if (known := re.split(r"[:;]", name)[0].strip()) in FIGURES and known != name:
        raise ValueError(
            f'{known} takes its parameters apart: figure("{known}", NAME=VALUE), or --set NAME=VALUE'
        )
    if ":" in name:
        return composed(*specs.read(name, most=1))
    if name not in FIGURES:
        raise ValueError(f"there is no figure {name!r} ({validate.among(name, FIGURES)})")
    return FIGURES[name]


def composed(spec: Spec) -> BlogFigure:
    """Return the figure that shows what a spec says, as an explorer would."""
    _, fitting = spec.fit(spec.all_values)
    values = fitting | spec.values
    moves = "base" if values.get("base") else "seq_len"
    name = specs.write([spec])  # whole: another line is another file
    low, high = spec.parameters[moves].low, spec.parameters[moves].high
    return BlogFigure(name, "", name, values, moves, low, high, named=True, spec=spec)


class ShownFigure:
    """A figure, drawn; made by `figure`. In a notebook it is a picture with its caption, printed it is words."""

    def __init__(self, one: BlogFigure, values: dict):
        self.of, self.values = one, one.values(**values)
        self.sheet = one.draw(self.values)
        self.caption, self.alt = one.words(self.values, self.sheet)

    def __repr__(self) -> str:
        return f"{self.caption} {self.alt}"

    def _repr_mimebundle_(self, include=None, exclude=None):
        png = self.sheet.picture("png", DPI)
        return bundle(png, repr(self), self.alt, self.sheet.size[0])

    def film(self):
        """Return it as a widget with a slider for what moves; once shown it needs no kernel."""
        from posenc_lib.figures.formats import film_of  # formats are made of figures

        return film_of(self.of, self.values).widget()


def figure(
    what: object, *, views: str | Sequence[str] | None = None, **values: object
) -> ShownFigure:
    """Return a figure of the gallery, or one of other views, to be seen in a notebook.

    To write files of it there is the command `python -m posenc_lib figures make`.

    >>> figure("sine_waves", seq_len=16).caption
    'Every dim is a wave, and each wave is slower than the one before. (3 waves over 16 positions.)'
    >>> figure(lambda positions, d_model: np.outer(positions, np.ones(d_model)), views="heatmap", seq_len=8).caption
    'mine: Values from 0 to 7.'

    Args:
        what: a figure's id, or encodings and views as the command takes them; or what `explore` takes.
        views: one view's name or a list of them, where what names none; None means those that show it best.
        **values: parameters by name; those left out are the figure's own.

    Raises:
        TypeError: the figure has no such parameter.
        ValueError: there is no such figure, or a value breaks a rule.
    """
    if isinstance(what, str) and views is None:
        return ShownFigure(find(what), values)
    spec = Spec.of(what, views, **values)
    return ShownFigure(composed(replace(spec, values={})), spec.values)


@lru_cache(maxsize=128)
def thumbnail(name: str, theme: str) -> bytes:
    """Return the plot of the first view of a scene, by its button or its id, a PNG without words."""
    spec = (SCENES | FIGURES)[name].opened()[0]
    encodings, values = spec.fit(spec.all_values)
    with style.themed(theme):
        sheet = Sheet([spec.views[0]], encodings[:1], values, width=THUMB, sharpness=1)
        pixels = sheet.pixels()
    (left, bottom), (right, top) = sheet.pens[0].ax.bbox.get_points().round().astype(int)
    return encode(pixels[len(pixels) - top : len(pixels) - bottom, left:right])


_ALL = sorted(_scenes(), key=lambda one: one.lesson)
FIGURES: dict[str, BlogFigure] = {one.id: one for one in _ALL if one.caption}
SCENES: dict[str, BlogFigure] = {
    one.button: one for one in _ALL if one.button
}  # of the playground, by its buttons
