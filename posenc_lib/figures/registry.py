"""The scenes of the series, read from scenes.toml: figures, and what the playground offers.

A spec finds any other figure.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from string import Formatter

from posenc_lib import spec as specs
from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.register import todays
from posenc_lib.files import stored_data
from posenc_lib.spec import Spec
from posenc_lib.views import style
from posenc_lib.views.sheet import Sheet

FRAMES = 41  # per moving figure, at most
DPI = 150  # of a picture in a notebook
# Topics of the playground's scenes, with their lessons; the rest are further
TOPICS = {"counting": "01 02 03", "waves": "04 05", "rotation": "06 09", "relative": "07 08 14"}
TOPICS |= {"longer texts": "10 11 13 16", "pictures": "12 15", "further": ""}
# Limits that fit all frames, by kind of view
STEADY = {"curves": ("ylim",), "cells": ("clim",), "plane": ("xlim", "ylim")}
LOOKS = {"title": str, "bound": float, "low": float}  # a panel can also set these
WHOLE = (0, 0), (1, 1)  # corners of a plot
FACTS = re.compile(r"\([^()]*{[^()]*\.\)")  # sentences in parentheses with values


@dataclass(frozen=True)
class Scene:
    """A scene: a figure if it has a caption, in the playground if it has a button.

    scenes.toml explains its keys.

    Attributes:
        defaults: of every parameter you can set, by name; `values` keeps
            them within the limits the others set.
        low, high: the range it moves over.
        title, told: a custom heading and caption.
        spec: its only panel, if it was built, not written.
    """

    id: str
    lesson: str
    line: str
    defaults: dict
    moves: str = ""
    low: float = 0
    high: float = 0
    caption: str = ""
    alt: str = ""
    title: str = ""
    told: str = ""
    moving: bool = False
    glides: int = 0
    named: bool = False
    spec: Spec | None = None
    button: str = ""
    says: str = ""
    drag: Sequence[str] = ()
    aliases: Sequence[str] = ()
    tells: int = 0
    part: Sequence = WHOLE
    first: bool = False

    @property
    def topic(self) -> str:
        """Its topic in the playground."""
        topics = (topic for topic, lessons in TOPICS.items() if self.lesson[:2] in lessons)
        return next(topics, "further")

    def opened(self) -> list[Spec]:
        """Return its panels as the playground shows them.

        Panels with the same encoding or views are merged.
        """
        first, *others = [spec for spec, _ in self.panels(self.clamp(self.defaults))]
        for other in others:
            if other.encodings == first.encodings:
                first = replace(first, views=first.views + other.views)
            elif other.views == first.views:
                encodings = first.encodings + other.encodings
                first = replace(first, encodings=encodings, values=other.values | first.values)
            else:
                return [first, *others]
        return [first]

    @cached_property
    def _panels(self) -> list[tuple[Spec, dict[str, str]]]:
        """Each panel as its encodings and views, and its own settings, as written."""
        if self.spec:
            return [(self.spec, {})]
        panels = map(specs.parts_of, self.line.split("|"))
        return [(Spec.of(names, views or None), written) for names, views, written in panels]

    def panels(self, values: dict) -> Iterator[tuple[Spec, dict]]:
        """Yield each panel's spec, at these values or its own, and its looks."""
        for spec, written in self._panels:
            own, looks = {}, {}
            for name, text in written.items():
                if name in LOOKS:
                    looks[name] = LOOKS[name](text.format(**values))
                elif text.startswith("{"):
                    own[name] = values[text[1:-1]]
                else:
                    own[name] = spec.parameters[name].read(text)
            shared = {name: values[name] for name in values if name in spec.parameters}
            yield spec.at(**shared | own), looks

    @cached_property
    def of_panels(self) -> dict[str, Parameter]:
        """The parameters of all panels by name; the first panel's, if several share it."""
        known = {}
        for spec, _ in reversed(self._panels):
            known |= spec.parameters
        return known

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters you can set, by name."""
        return {name: self.of_panels[name] for name in self.defaults}

    def parameter(self, name: str) -> Parameter:
        """Return a parameter; an error lists similar names."""
        name = todays(name, self.parameters)
        if name not in self.parameters:
            near = validate.among(name, self.parameters)
            if name in ("title", "caption"):
                near = f'Write {name}="…", or --{name} "…"'
            raise TypeError(f"{self.id} has no parameter {validate.show(name)}. {near}")
        return self.parameters[name]

    def values(self, **wanted) -> dict:
        """Return all values, with some set and checked.

        The others adapt: the last query of a text stays the last.
        """
        found = {name: self.parameter(name) for name in wanted}
        given = {p.name: p.checked(wanted[name]) for name, p in found.items()}
        values = self.clamp(self.defaults | given) | given
        if self.moves not in given:
            values |= specs.beyond({self.moves: values.get(self.moves)}, self.limits(values))
        for spec, _ in self.panels(values):
            spec.check()
        return values

    def clamp(self, values: dict) -> dict:
        """Return values, with those of views lowered to fit the others.

        The moving parameter doesn't change.
        """
        for spec, _ in self.panels(values):
            _, fitting = spec.fit(spec.all_values)
            of_views = values.keys() & fitting.keys() - spec.owned - {self.moves}
            values = values | {name: fitting[name] for name in of_views}
        return values

    def frames(self, values: dict, most: int = FRAMES, also: Sequence = ()) -> list[dict]:
        """Return each frame's values: one parameter moves as far as it can, through `also`, too."""
        if not self.moves:
            raise ValueError(f"{self.id} has no moving parameter")
        parameter, high = self.parameters[self.moves], self._high(values)
        frames, problem = [], f"{self.moves} must be at most {high} here"
        steps = parameter.frame_values(self.low, max(high, self.low), most)
        if not parameter.options:
            steps = sorted({*steps, *(step for step in also if self.low <= step <= high)})
        for step in steps:
            try:
                moved = self.clamp(values | {self.moves: step})
                frames.append(self.values(**moved))
            except ValueError as error:  # say, a number must be even
                problem = error
        if len(frames) < 2:
            raise ValueError(f"{self.moves} can't move in {self.id}: {problem}")
        return frames

    def _high(self, values: dict) -> float:
        """Return how far the moving parameter goes.

        If it goes to its limit at the usual values, it does so at any.
        """
        if self.parameters[self.moves].options:
            return self.high
        end, usual_end = self._end(values), self._end(self.values())
        return end if self.high == usual_end else min(self.high, end)

    def _end(self, values: dict) -> float:
        """Return how high the moving parameter can go, given the others."""
        return self._highest(values).get(self.moves, self.high)

    def limits(self, values: dict) -> dict:
        """Return by name how high parameters can go, unless several panels have their own."""
        return {} if self._panels[1:] else self._highest(values)

    def _highest(self, values: dict) -> dict:
        """Return by name how high parameters can go in every panel, given the others."""
        found: dict = {}
        for spec, _ in self.panels(values):
            specs.lower(found, spec.highest(spec.encodings_at(spec.all_values)))
        return found

    def draw(self, values: dict, width: float | None = None, dpi: float = DPI):
        """Return the figure's sheet, in the current theme; width is in px."""
        views, own, encodings = self._drawn(values)
        names = None if self.named else ()
        size = {"width": width, "sharpness": dpi / 100}
        sheet = Sheet(views, encodings, {}, own=own, names=names, alike=self.named, **size)
        sheet.heading = self.title
        return sheet

    def redraw(self, sheet, values: dict):
        """Return its sheet updated to new values, faster than a new sheet."""
        _, own, encodings = self._drawn(values)
        for pen, values_of_view in zip(sheet.pens, own, strict=True):
            pen.own = values_of_view
        sheet.update(encodings, {})
        return sheet

    def steady(self, sheet, frames: list[dict]):
        """Return its sheet with limits that fit all frames, so you can compare them."""
        for values in frames:
            _, own, encodings = self._drawn(values)
            for (pen, encoding), values_of_view in zip(sheet.fed(encodings), own, strict=True):
                pen.own = values_of_view
                pen.freeze(STEADY.get(pen.view.kind, ()), encoding, {})
        return sheet

    def _drawn(self, values: dict) -> tuple[list, list, list]:
        """Return the views, the values of each, and the encoding that feeds each.

        If named, each encoding appears once for all its views.
        """
        views, own, encodings = [], [], []
        for spec, looks in self.panels(values):
            fitting, settled = spec.fit(spec.all_values)
            of_views = {name: settled[name] for name in settled if name not in spec.owned}
            for encoding in fitting:
                views += spec.views
                own += [of_views | look for look in _looks(looks, len(spec.views))]
                same = _same(encoding, encodings)
                encodings += [same] if self.named else [same] * len(spec.views)
        return views, own, encodings

    def words(self, values: dict, sheet=None) -> tuple[str, str]:
        """Return (caption, alt) for these values; sheet, if given, is the figure at them.

        Both were written for the figure's own values and its whole movement.
        For others, the views' words and facts in parentheses are used.
        """
        moved = {self.moves: values[self.moves]} if self.moving else {}
        written = {name: style.written(value) for name, value in values.items()}
        if self.caption and values == self.values() | moved:
            return self.told or self.caption.format(**written), self.alt.format(**written)
        sheet = sheet or self.draw(values)
        facts = (fact.format(**written) for fact in FACTS.findall(self.caption))
        return self.told or " ".join([validate.ended(sheet.titles), *facts]), sheet.text


def _looks(looks: dict, views: int) -> list[dict]:
    """Return each view's looks; a slash separates titles."""
    titles = [title.strip() for title in looks.get("title", "").split("/")]
    return [looks | {"title": titles[k % len(titles)]} for k in range(views)]


def _same(encoding: Encoding, others: list) -> Encoding:
    """Return an equal encoding, which may have its table already, or this one."""
    for other in others:
        if (other.name, other.values) == (encoding.name, encoding.values):
            return other
    return encoding


def _scenes() -> Iterator[Scene]:
    taken: set[str] = set()
    file = Path(__file__).with_name("scenes.toml")
    for name, entry in stored_data(file).items():
        try:
            scene = _scene(name, entry)
            for button in (scene.button, *scene.aliases):
                if button and button in taken:
                    raise ValueError(f"button must be unique, but {button!r} is taken")
                taken.add(button)
        except (TypeError, ValueError) as error:
            raise ValueError(f"scenes.toml, [{name}]: {error}") from error
        yield scene


def _scene(name: str, entry: dict) -> Scene:
    """Return a scene as it's written, or say what can't be."""
    _, _, written = specs.parts_of(f"{name}; {entry.pop('values', '')}")
    entry["moves"], entry["low"], entry["high"] = entry.pop("moves", ("", 0, 0))
    keys = [field.name for field in fields(Scene)]
    for key in entry:
        validate.known("its keys", key, keys)
    scene = Scene(name, defaults=written, **entry)
    known = scene.of_panels
    for parameter in (*written, *scene.drag, *([scene.moves] if scene.moves else [])):
        validate.known("its parameters", parameter, known)
    defaults = {parameter: known[parameter].read(text) for parameter, text in written.items()}
    for _, value, *_ in Formatter().parse(scene.caption + scene.alt):
        if value:
            validate.known("the values in braces", value, defaults)
    return replace(scene, defaults=defaults)


def find(name: str) -> Scene:
    """Return a figure by its id, or the one a spec describes.

    A spec is text like "rope+alibi: similarity; seq_len=64".
    """
    if not isinstance(name, str):
        raise TypeError(f"name must be a figure's id or a line of text, got {validate.show(name)}")
    name = todays(name, FIGURES)
    known = re.split(r"[:;]", name)[0].strip()
    if known in FIGURES and known != name:
        call = f'figure("{known}", NAME=VALUE), or --set NAME=VALUE'
        raise ValueError(f"{known} takes its parameters separately: {call}")
    if ":" in name:
        (spec,) = specs.read(name, most=1)
        spec.check()
        return composed(spec)
    if name not in FIGURES:
        raise ValueError(
            f"there is no figure {validate.show(name)}. {validate.among(name, FIGURES)}"
        )
    return FIGURES[name]


def composed(spec: Spec) -> Scene:
    """Return a spec's figure, as an explorer would show it."""
    _, fitting = spec.fit(spec.all_values)
    values = fitting | spec.values
    name = specs.write([spec])  # whole: a different line makes a different file
    moves = "base" if values.get("base") else "seq_len"
    low, high = spec.parameters[moves].low, spec.parameters[moves].high
    return Scene(name, "", name, values, moves, low, high, named=True, spec=spec)


_ALL = sorted(_scenes(), key=lambda scene: scene.lesson)
FIGURES: dict[str, Scene] = {scene.id: scene for scene in _ALL if scene.caption}
# The playground's scenes by button; all their names lead to it
SCENES: dict[str, Scene] = {scene.button: scene for scene in _ALL if scene.button}
NAMES = {name: button for button in SCENES for name in (button, *SCENES[button].aliases)}


def topics() -> list[str]:
    """Return the playground's topics that have scenes."""
    used = {scene.topic for scene in SCENES.values()}
    return [topic for topic in TOPICS if topic in used]
