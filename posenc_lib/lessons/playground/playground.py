"""One panel for all encodings: choose one or two, views or a scene; drag, play, save, share."""

import html
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from urllib.parse import parse_qs

import ipywidgets as widgets

from posenc_lib import spec as specs
from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.catalog import KNOWN, Catalog
from posenc_lib.encodings.own import opened
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.validate import as_text
from posenc_lib.figures.registry import NAMES, SCENES, topics
from posenc_lib.figures.shown import thumbnail
from posenc_lib.live import page
from posenc_lib.live.explorer import Explorer, in_columns
from posenc_lib.live.page import Beside, Look, OnPage, close_all
from posenc_lib.live.picture import ask_page
from posenc_lib.spec import Spec
from posenc_lib.views import VIEWS
from posenc_lib.views.sheet import Sheet
from posenc_lib.views.style import LOCK, themed

FIRST = "Arrows rotate, no angle changes"
KINDS = {  # where an encoding enters, and what's drawn of it
    "additive": "added to words. You see its table, one vector per position",
    "rotary": "rotates queries and keys. You see one query and one key, rotated at each position",
    "relative": "changes scores. You see the scores of one query and one key, "
    "placed at every position",
    "bias": "adds to scores. You see the numbers it adds: it has no vectors",
}
START = "start here"  # the scenes a playground opens with
LIVE = 4  # sliders above a picture; the rest are folded
USUAL = ("query", "position", "offset", "base", "seq_len")  # moved most
WIDTHS = {"for a slide": None, "640 px wide": 640}
FILES = [("as shown", ())]
for look in ("light", "dark"):
    FILES += [(f"{look}, {what}", (look, px)) for what, px in WIDTHS.items()]
MARGIN = 16  # px of paper around a saved picture


def held(one: Encoding, values: dict) -> Encoding:
    """Return an encoding held at these values, except its length, while sliders move its twin."""
    names = [parameter.name for parameter in one.turnable if parameter.name != "seq_len"]
    title, no_slider = f"{one.title}, kept", (*one.no_slider, *names)
    return one.at_known(values).named(one.name, title, no_slider=no_slider)


def twice(encodings: Sequence[Encoding]) -> bool:
    """Return whether an encoding is next to itself."""
    return [one.name for one in encodings] == [encodings[0].name] * 2


class Side(Explorer):
    """A playground's explorer: a slider for everything, the first four in sight."""

    alike, room_beside = True, (124, 150)

    of: "Playground"

    def __init__(self, wanted: Spec, first: Sequence[str]):
        self._first = first
        start = _taken(wanted)
        super().__init__(replace(wanted, values=_ranges(wanted, start)), start, near=True)

    def _build(self) -> None:
        super()._build()
        own = [one for one in self._settings.spec.encodings if one.name not in KNOWN]
        own = [name for one in own for name in _of_its_own(one)]
        order = dict.fromkeys(self._first or (*own, *USUAL, *self.sliders))
        usable = {name for name, slider in self.sliders.items() if not slider.disabled}
        self.live = [name for name in order if name in usable][:LIVE]
        self._controls.children = [self.sliders[name] for name in self.live]
        rest = {name: slider for name, slider in self.sliders.items() if name not in self.live}
        more = [_fold("More sliders", in_columns(rest))] if rest else []
        reset, *_ = self._tools.children
        self._tools.children = [reset, *more]

    def _names(self, encodings: list) -> list[str] | None:
        """Return titles; for one encoding twice, with the values that differ."""
        if not twice(encodings):
            return None
        a, b = encodings
        unlike = [name for name in a.values if a.values[name] != b.values[name]]
        unlike = [name for name in unlike if name not in a.unused_now][:2]
        names = []
        for encoding in encodings:
            values = [f"{name} {as_text(encoding.values[name])}" for name in unlike]
            names.append(", ".join([encoding.title, *values]))
        return names

    def _called(self) -> str:
        return " ".join(map(str, filter(None, [self.of.line, *self.of.file_as.value])))

    def _file(self, suffix: str) -> bytes:
        """Return the picture in the chosen look, with its name and a margin.

        For a slide it's as wide as its views need, not a tower.
        """
        theme, width = self.of.file_as.value or (self.sheet.theme, self._drawn.page_width)
        encodings = self.sheet.encodings
        names = self._names(encodings) or [one.title for one in encodings]
        views = self._settings.spec.views_in_order()
        width = width and width - 2 * MARGIN
        with themed(theme):
            sheet = Sheet(views, encodings, self.sheet.values, names=names, width=width, alike=True)
            return sheet.picture(suffix, margin=MARGIN, title=sheet.titles, description=sheet.text)


class Playground(OnPage):
    """One encoding, or two side by side, in any views; made by `playground`."""

    def __init__(self, first: str, text: str | None, own: dict[str, Encoding]):
        VIEWS.load()
        self._known: Mapping[str, Encoding] = Catalog(*KNOWN.load().maps, own)
        self.explorer: Side | None = None
        self._past: list[tuple[str, str]] = []  # line and scene before each choice
        self._next: list[tuple[str, str]] = []  # and before each step back
        self._wished: dict = {}  # values set since a line or a scene was opened
        self.scene = ""
        self._showing = False  # whether lists are moving by themselves, to match the panel
        self._pictures: Beside | None = None  # of scenes, as they come
        self._build()
        self._make(*self._read(first))
        if text is not None:
            self._try(lambda: self._make(*self._read(text)))
        elif not own:
            self.wall.value = True

    @property
    def text(self) -> str:
        """Return what's drawn, in words."""
        return self.explorer.text

    @property
    def line(self) -> str:
        """Return this view as one line, which playground(line) reopens.

        Pass it your own encodings as well.
        """
        return specs.write(map(self._short, self._panels()))

    def _panels(self) -> list[Spec]:
        """Return what's shown as panels of a line; one encoding twice makes two."""
        spec = self.explorer.spec
        if not twice(spec.encodings):
            return [spec]
        a, b = spec.encodings
        values = {name: b.values[name] for name in spec.owned if name != "seq_len"}
        return [replace(spec, encodings=(a,), values=spec.values | given) for given in ({}, values)]

    def _short(self, spec: Spec) -> Spec:
        """Return a spec that names only the values its line wouldn't open with anyway."""
        usual = _begins(Spec(tuple(self._known[one.name] for one in spec.encodings), spec.views))
        values = {name: value for name, value in spec.values.items() if value != usual.get(name)}
        return replace(spec, values=values)

    def open(self, text: str) -> None:
        """Show what a scene's name or a line describes; an error changes nothing."""
        self._step(*self._read(text))

    def back(self) -> None:
        """Go back to what was shown before the last choice."""
        self._walk(self._past, self._next, "There's nothing to go back to.")

    def forward(self) -> None:
        """Go forward to what was shown before the last step back."""
        self._walk(self._next, self._past, "There's nothing to go forward to.")

    def _walk(self, way: list, other: list, end: str) -> None:
        if not way:  # disabling the button would lose keyboard focus
            self._say(end)
            return
        now, (line, scene) = (self.line, self.scene), way[-1]
        self._make(self._read(line)[0], scene)
        other.append(now)
        way.pop()

    def close(self) -> None:
        """Take the playground off the page."""
        with LOCK:
            self.explorer.close()
            close_all(self.box)
        if self._pictures:
            self._pictures.stop()
            self._pictures.wait()

    def stored(self, words: str) -> tuple[dict, dict]:
        """Return the picture and some words as shown by a notebook without a kernel."""
        return self.explorer.stored(words)

    # The page

    def _build(self) -> None:
        """Make the lists, scenes, buttons and room for the panel."""
        known = self._known.values()
        named = [(one.title, one.name) for kind in KINDS for one in known if one.kind == kind]
        self.a = widgets.Dropdown(description="Encoding", options=named)
        self.b = widgets.Dropdown(description="Compare with", options=[("none", ""), *named])
        self.views = [widgets.Dropdown(description=name) for name in ("Views", "View 2", "View 3")]
        shown = {topic.capitalize(): topic for topic in (START, *topics())}
        self.topic = widgets.ToggleButtons(options=shown)
        self._scenes = widgets.Box().add_class("posenc-scenes")
        self._line = widgets.Text(
            description="line", placeholder="paste one here", continuous_update=False
        )
        self._note, self._news, self._place = widgets.HTML(), widgets.HTML(), widgets.VBox()
        back, forward = self._button("Back", self.back), self._button("Forward", self.forward)
        copied = self._button("Copy line", self._copy, tooltip="One line that reopens this")
        self.file_as = widgets.Dropdown(description="Save as", options=FILES)
        self._share = widgets.Box([self._line, copied, self.file_as]).add_class("posenc-lists")
        wall = _fold("Scenes", widgets.Box([self.topic, self._scenes]))
        self.wall = wall.children[0]
        share = _fold("Save or share", self._share)
        bar = widgets.Box([wall, self._note, back, forward, share]).add_class("posenc-tools")
        lists = widgets.Box([self.a, self.b, *self.views]).add_class("posenc-lists")
        parts = [bar, lists, self._news, self._place]
        self.box = widgets.VBox(parts).add_class("posenc-playground")
        Look().dress(self.box)
        self.box.observe(lambda _: self._try(self._offer), names="_dom_classes")
        self._when_moved(self._chosen, self.a, self.b, *self.views)
        self._when_moved(self._offer, self.topic, self.wall)
        self._when_moved(self._open_line, self._line)

    def _when_moved(self, do: Callable, *choices: widgets.Widget) -> None:
        """Do something when a reader moves a widget, not when it moves to match the panel."""
        for choice in choices:
            choice.observe(lambda _: self._showing or self._try(do), names="value")

    def _make(self, wanted: Spec, scene: str = "", wished: dict | None = None) -> None:
        """Replace the panel, and let every list match it."""
        with LOCK:
            side = Side(wanted, SCENES[scene].drag if scene else ())
            side.of = self
            try:
                self._put_lists(side.spec)
            except BaseException:  # keep the old panel and its lists
                side.close()
                if self.explorer:
                    self._put_lists(self.explorer.spec)
                raise
            if self.explorer:
                self.explorer.close()
            self.explorer, self._place.children = side, [side.box]
            self._share.children = [*self._share.children[:3], *side._files]
            self._wished = wished or wanted.all_values
            changes = []
            for name, value in wanted.values.items():
                now = side.values.get(name, value)
                if value not in (None, now):
                    changes.append(f"{name} {as_text(value)} → {as_text(now)}")
            self._say(f"Adjusted to fit these views: {', '.join(changes)}." if changes else "")
            self._head(scene)
            for slider in side.sliders.values():
                slider.observe(lambda _: self._head(self.scene, "as it opened: "), names="value")

    def _put_lists(self, spec: Spec, line: str = "") -> None:
        """Let every list say what's shown; each list of views has the ones that fit."""
        names, drawn = [one.name for one in spec.encodings], [view.name for view in spec.views]
        fitting = self._fitting(names)
        self._showing = True
        try:
            self.a.value, self.b.value = names[0], names[1] if names[1:] else ""
            self._line.value = line
            for k, drop in enumerate(self.views):
                now = drawn[k] if k < len(drawn) else ""
                views = [view for view in VIEWS if view == now or view in fitting]
                options = [(_called(view), view) for view in views]
                drop.options = [("none", ""), *options] if k else options
                drop.value = now
        finally:
            self._showing = False

    def _offer(self) -> None:
        """Show a topic's scenes, each as a button on its picture; pictures come later."""
        with LOCK:
            if self._pictures:
                self._pictures.stop()
            topic, old, images, tiles = self.topic.value, self._scenes.children, {}, []
            for name in dict.fromkeys([FIRST, *SCENES]) if self.wall.value else ():
                one = SCENES[name]
                if topic in (one.topic, START * one.first):
                    images[name] = widgets.Image(layout={"visibility": "hidden"})
                    button = self._button(name, partial(self.open, name), tooltip=one.says)
                    tiles.append(widgets.Box([images[name], button]))
            self._scenes.children = tiles
            self._outline()
            for gone in old:
                close_all(gone)
            if tiles:
                self._pictures = Beside(_pictured(images), self._failed)

    def _outline(self) -> None:
        """Outline the card of the scene that is shown."""
        for card in self._scenes.children:
            shown = card.children[1].description == self.scene
            (card.add_class if shown else card.remove_class)("posenc-chosen")

    def _head(self, scene: str, when: str = "") -> None:
        """Say above the pictures what a scene shows, and when, or what's drawn."""
        self.scene = scene
        self._outline()
        if scene:
            told = {scene: when + SCENES[scene].says}
        else:
            told = {one.title: f"{KINDS[one.kind]}." for one in self.explorer.spec.encodings}
        lines = (f"<b>{html.escape(name)}</b> · {html.escape(says)}" for name, says in told.items())
        self._note.value = f'<div role="status">{"<br>".join(lines)}</div>'

    def _say(self, message: str, *, good: bool = True) -> None:
        self._news.value = page.message(message, good=good) if message else ""

    def _failed(self, error: Exception) -> None:
        self._put_lists(self.explorer.spec, self._line.value)
        super()._failed(error)

    # What a reader does

    def _chosen(self) -> None:
        """Show new choices; views and values that fit stay, the rest move as close as they can."""
        names = [name for name in (self.a.value, self.b.value) if name]
        wanted = [view for view in dict.fromkeys(drop.value for drop in self.views) if view]
        titles, told = " and ".join(self._known[name].title for name in names), ""
        if not self._fitting(names):
            told, names = f"{titles} have no view in common.", names[:1]
        fitting = self._fitting(names)
        views = wanted
        if not set(wanted) <= set(fitting):
            best = [*self._known[names[0]].views, "dot_product", "similarity", *fitting]
            most = len(wanted) if names[1:] else len(self.views)
            views = [view for view in dict.fromkeys(best) if view in fitting][:most]
        gone = ", ".join(view for view in wanted if view not in views)
        if gone and not told:
            both = "both " if names[1:] else ""
            told = f"{titles} can't {both}feed {gone}, so here are other views."
        self._show(names, views)
        if told:
            self._say(told)

    def _show(self, names: list[str], views: list[str]) -> None:
        now, encodings = self.explorer, [self._known[name] for name in names]
        begun = now._settings.start
        moved = {name: v for name, v in now.values.items() if v != begun.get(name, v)}
        wished = self._wished | moved
        if names[1:] == names[:1]:  # the second one keeps its values
            was = [one for one in now.spec.encodings[1:] if one.name == names[0]]
            encodings[1] = was[0] if was else held(encodings[0], now.values)
        spec = Spec(tuple(encodings), tuple(VIEWS[view] for view in views))
        fitting = {name: value for name, value in wished.items() if name in spec.parameters}
        self._step(spec.at(**fitting), "", wished)

    def _fitting(self, names: list[str]) -> list[str]:
        """Return the views all of these encodings can feed."""
        return [
            view for view in VIEWS if all(VIEWS[view].fits(self._known[name]) for name in names)
        ]

    def _step(self, wanted: Spec, scene: str, wished: dict | None = None) -> None:
        """Show a different panel, remembering this one for Back."""
        before = self.line, self.scene
        self._make(wanted, scene, wished)
        self._past.append(before)
        self._next.clear()

    def _open_line(self) -> None:
        if self._line.value:
            self.open(self._line.value)

    def _copy(self) -> None:
        """Copy the line to the clipboard, and show it in case the browser can't copy."""
        copied = ask_page(self.explorer._picture, {"copy": self.line})
        self._put_lists(self.explorer.spec, self.line)
        words = "Copied. The line is also in its field."
        self._say(words if copied else "Copy the line from its field.")

    def _read(self, text) -> tuple[Spec, str]:
        """Return what a scene's name or a line describes, and the name of the scene."""
        scene = NAMES.get(text, "") if isinstance(text, str) else ""
        if isinstance(text, str) and " " in text and not {*":|;+"} & {*text} and not scene:
            raise ValueError(
                f"there is no scene {validate.show(text)}. {validate.among(text, NAMES)}"
            )
        panels = SCENES[scene].opened() if scene else specs.read(text, known=self._known)
        if not panels[1:]:
            return panels[0], scene
        a, b = panels
        if (a.names, a.views) != (b.names, b.views) or len(a.encodings) > 1:
            rule = "two panels must have the same encoding and views"
            raise ValueError(f'{rule}, for example "rope: clock; base=9 | rope: clock"')
        kept = held(b.encodings[0], _begins(replace(b, values={})) | b.values)
        return replace(a, encodings=(*a.encodings, kept)), scene


def _pictured(images: dict[str, widgets.Image]) -> Iterator[None]:
    """Put pictures of scenes on a page, one at a time, and redraw them if it turns out dark."""
    themes: dict[str, str] = {}
    while late := [name for name in images if themes.get(name) != Look().theme]:
        with LOCK:
            theme = themes[late[0]] = Look().theme
            images[late[0]].value = thumbnail(late[0], theme)
            images[late[0]].layout.visibility = "visible"
        yield


def _fold(title: str, inside: widgets.Widget) -> widgets.Widget:
    """Return a button that folds and unfolds something, also by keyboard."""
    button = widgets.ToggleButton()

    def turn(_=None) -> None:
        inside.layout.display = "" if button.value else "none"  # a browser drops None
        button.description = f"{'▾' if button.value else '▸'} {title}"

    button.observe(turn, names="value")
    turn()
    return widgets.VBox([button, inside]).add_class("posenc-section")


def _of_its_own(encoding: Encoding) -> list[str]:
    """Return the parameters a reader can move that no class of the library has."""
    library = (kind for kind in type(encoding).__mro__ if kind.__module__.startswith("posenc_lib."))
    shared = {parameter.name for parameter in next(library).parameters}
    return [parameter.name for parameter in encoding.turnable if parameter.name not in shared]


def _has_slider(spec: Spec, name: str) -> bool:
    """Return whether a panel has a slider or choice if its line names no value."""
    parameter = spec.parameters[name]
    if name in spec.irrelevant or len(parameter.options) == 1:
        return False
    return parameter.default is not None or any(name in one.unused_now for one in spec.encodings)


def _begins(spec: Spec) -> dict:
    """Return the values by name that a panel starts with if its line names none."""
    begins = {}
    for name, parameter in spec.parameters.items():
        begins[name] = parameter.default
        if parameter.default is None and _has_slider(spec, name):
            begins[name] = parameter.start
    return begins


def _taken(spec: Spec) -> dict:
    """Return the values set, each as close as its parameter can get."""
    taken = {}
    for name, value in spec.values.items():
        with suppress(TypeError, ValueError):
            taken[name] = _nearest(spec.parameters[name], value)
    return taken


def _nearest(parameter: Parameter, value):
    """Return the value as close as a parameter can get, or raise if it can't."""
    if parameter.options:
        return parameter.checked(value)
    value = parameter.number(value, parameter.name)
    value = min(max(value, parameter.least), parameter.most)
    if parameter.scale == "linear":  # in its steps, even in a wider range
        value -= (value - (0 if _both_ways(parameter) else parameter.low)) % parameter.step
        value += parameter.step if value < parameter.least else 0
    return value


def _both_ways(parameter: Parameter) -> bool:
    """Return whether a slider goes as far below 0 as above, like an offset's."""
    return parameter.scale == "linear" and parameter.least < 0 <= parameter.low


def _ranges(wanted: Spec, start: dict) -> dict:
    """Return the usual ranges and options of all sliders, including where they start."""
    ranges = {}
    for name, parameter in wanted.parameters.items():
        value = start.get(name)
        if name in wanted.irrelevant:
            if value is not None:  # for different views
                ranges[name] = value
        elif value is not None or _has_slider(wanted, name):
            ranges[name] = _range(parameter, value)
    return ranges


def _range(parameter: Parameter, value):
    """Return the options of a choice, or the usual range of a slider.

    It's wider, or has one more step, if a value needs it.
    """
    if parameter.options:
        return list(parameter.options) if parameter.options[1:] else value
    low, high, step = parameter.low, parameter.high, parameter.step
    if _both_ways(parameter):
        reach = min(max(high, abs(value or 0)), -parameter.least, parameter.most)
        reach -= reach % step
        return -reach, reach
    if value is None:
        return low, high
    if parameter.scale in ("whole", "power of two") and not (value - low) % step:
        steps = parameter.values(low, high)
        return (low, high) if value in steps else sorted({*steps, value})
    return min(low, value), max(high, value)


def _called(view: str) -> str:
    """Return a view's name for readers."""
    return VIEWS[view].title or view.replace("_", " ").capitalize()


def _in_address() -> str | None:
    """Return the scene or line an app's address asks for: …/?preset=…, or …/?line=…."""
    # Voilà puts it here
    query = os.environ.get("QUERY_STRING", "")
    lines = parse_qs(query.replace("+", "%2B"))  # in a line, + is between encodings
    return parse_qs(query).get("preset", lines.get("line", [None]))[0]


def playground(spec: str | None = None, *, own: object = ()) -> Playground:
    """Return a panel for any encoding, or two side by side, in any views that fit.

    >>> playground("sine: heatmap; seq_len=8").line
    'sine: heatmap; seq_len=8'

    Args:
        spec: a scene's name, such as "Where a real head looks" (see figures/scenes.toml), or a line
            such as "rope+alibi: dot_product; seq_len=64" or "rope: clock; base=9 | rope: clock";
            `Playground.line` gives one. None means the first encoding in own, or a scene; in an
            app, what its address asks for. If it can't be opened, the panel says why.
        own: encodings to add to the catalog's, one or a list, as for `explore`.
    """
    mine: dict[str, Encoding] = {}
    for thing in own if isinstance(own, (list, tuple)) else [own]:
        # each alone, so that sliders start at its values
        (encoding,) = opened([thing], taken=[*KNOWN, *mine], called="own")
        specs.refuse_taken(encoding)
        mine[encoding.name] = encoding
    first = next((f"{one.name}: {', '.join(one.views)}" for one in mine.values()), FIRST)
    return Playground(first, _in_address() if spec is None else spec, mine)
