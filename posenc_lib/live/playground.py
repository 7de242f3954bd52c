"""One panel for every encoding: choose one or two, choose views or a scene, and drag, play, save or share."""

import html
import os
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import parse_qs

import ipywidgets as widgets

from posenc_lib import spec as specs
from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.catalog import KNOWN
from posenc_lib.encodings.own import opened
from posenc_lib.encodings.validate import as_text
from posenc_lib.figures.registry import SCENES, TOPICS, thumbnail
from posenc_lib.live import page
from posenc_lib.live.explorer import Explorer, in_columns
from posenc_lib.live.page import Look, Shown, button, close_all
from posenc_lib.live.picture import ask_page
from posenc_lib.live.settings import nearest
from posenc_lib.spec import Spec
from posenc_lib.views import VIEWS, style
from posenc_lib.views.sheet import Sheet
from posenc_lib.views.style import LOCK, themed

FIRST = "sinusoidal: trajectory, heatmap, dot_product"
KINDS = {  # where an encoding enters, and what is drawn of it
    "additive": "added to words; showing its table, one vector for each position",
    "rotary": "turns queries and keys; showing one query and one key, turned at each position",
    "relative": "changes scores; showing what it makes of one query and one key, set down at every position",
    "bias": "adds to scores; showing the numbers it adds, for it has no vectors",
}
VIEWS_AT_ONCE = 3
LIVE = 4  # sliders above one picture, or two; the rest is folded away
USUAL = ("query", "offset", "base", "seq_len")  # what is moved most
FILES = [("as shown", ())]
FILES += [(f"{t}, {w} px wide (sharp: {2 * w})", (t, w)) for t in ("light", "dark") for w in (640, 1280)]
HALF, MARGIN = 400, 16  # px that one of two panels needs; px of paper around a saved picture


class Side(Explorer):
    """One of the panels of a playground: a slider for everything, the first four in sight.

    Where there are two, name is the letter and the title of each; the picture says where their values differ.
    """

    alike, above = True, (270, 320)

    def __init__(self, wanted: Spec, first: Sequence[str], name: str = "", files: tuple = ()):
        self._first, self.name, self._files, self.twin = first, name, files, None
        if name:
            self._width = page.half(HALF)
        super().__init__(replace(wanted, values=_ranges(wanted)), wanted.values, near=True)

    def _build(self) -> None:
        super()._build()
        order = dict.fromkeys(self._first or (*USUAL, *self.sliders))
        awake = [name for name in order if name in self.sliders and not self.sliders[name].disabled]
        self.live = awake[: LIVE // 2 if self.name else LIVE]
        self._controls.children = [self.sliders[name] for name in self.live]
        rest = {name: slider for name, slider in self.sliders.items() if name not in self.live}
        fold = [widgets.Accordion([in_columns(rest)], titles=("more sliders",))] if rest else []
        self.file_as = _list("files", FILES)
        self.file_as.value = self._files
        self._tools.children += (self.file_as,)
        self.box.children = [self._controls, *fold, *self.box.children[1:]]

    def _spec_at(self, values: dict) -> Spec:
        asleep = {name for one in self._settings.spec.encodings_at(values) for name in one.asleep}
        return super()._spec_at({name: value for name, value in values.items() if name not in asleep})

    def _draw(self) -> None:
        super()._draw()
        self.meet(self.twin)

    def meet(self, twin: "Side | None") -> None:
        """Share axes with what is beside it, where they show the same."""
        self.twin = twin
        if twin:
            self.panel.beside = twin.panel.beside = [self.panel, twin.panel]
            self.panel.share()
            twin.panel.touched = True

    def _say_what_differs(self) -> None:
        """Write above the picture where the values of its encoding differ from those beside it."""
        mine, other = self.panel.values, self.twin.panel.values
        both = self._settings.spec.owned & self.twin._settings.spec.owned
        unlike = [f"{name} {as_text(mine[name])}" for name in mine if name in both and mine[name] != other[name]]
        head = ", ".join([self.name, *unlike[:2]])
        if head != self.panel.pens[0].head:
            self.panel.pens[0].head, self.panel.touched = head, True
            self.panel.update(self.panel.encodings, self.panel.values)

    def _show(self, frame: bytes) -> None:
        if self.twin:
            for side in (self, self.twin):
                side._say_what_differs()
            if self.twin.panel.touched:
                Explorer._show(self.twin, self.twin.panel.frame())
            frame = self.panel.frame() if self.panel.touched else frame
            self.panel.touched = self.twin.panel.touched = False
        super()._show(frame)

    def _file(self, suffix: str) -> bytes:
        """Return the picture in the theme and width that are chosen, with its name and a margin."""
        theme, width = self.file_as.value or (self.panel.theme, self._drawn.shown)
        spec, panel = self._settings.spec, self.panel
        names = [self.panel.pens[0].head] if self.name else [one.title for one in panel.encodings]
        with themed(theme):
            look = {"names": names, "width": width - 2 * MARGIN, "alike": True}
            sheet = Sheet(spec.draw(), panel.encodings, panel.values, **look)
            return sheet.picture(suffix, margin=MARGIN, title=sheet.titles, description=sheet.text)


class Playground(Shown):
    """Two encodings side by side, or one, in any views; made by `playground`."""

    def __init__(self, first: str, text: str | None, own: dict[str, Encoding]):
        self._known: Mapping[str, Encoding] = ChainMap(own, *KNOWN.maps)
        self.sides: list[Side] = []
        self._past: list[tuple[str, str]] = []  # line and scene before each choice
        self._wished: list[dict] = []  # of each panel, since a line or a scene was opened: the values that were set
        self._next: list[tuple[str, str]] = []  # and before each step back
        self._following = False  # whether a slider moves because its twin has
        self.scene, self._showing = "", False  # while lists are put where the panels are, they move by themselves
        self._build()
        self._make(*self._read(first))
        if text is not None:
            self._try(lambda: self._make(*self._read(text)))

    @property
    def text(self) -> str:
        """Return in words what is drawn."""
        return " ".join(side.text for side in self.sides)

    @property
    def specs(self) -> list[Spec]:
        """Return what each panel shows."""
        return [side.spec for side in self.sides]

    @property
    def line(self) -> str:
        """Return this view as one line, which playground(line) opens again; encodings of one's own it must be given."""
        return specs.write(map(self._short, self.specs))

    def _short(self, spec: Spec) -> Spec:
        """Return a spec that names only the values that whoever opens its line would not have anyway."""
        bare = Spec.of([self._known[one.name] for one in spec.encodings], [view.name for view in spec.views])
        usual = {name: parameter.default for name, parameter in bare.parameters.items()}
        return replace(spec, values={name: value for name, value in spec.values.items() if value != usual.get(name)})

    def open(self, text: str) -> None:
        """Show what a scene's name or a line describes; after an error everything stays as it is."""
        self._step(*self._read(text))

    def back(self) -> None:
        """Go back to what was shown before the last choice."""
        self._walk(self._past, self._next, "There is nothing to go back to.")

    def forward(self) -> None:
        """Go forward again to what was shown before the last step back."""
        self._walk(self._next, self._past, "There is nothing to go forward to.")

    def _walk(self, way: list, other: list, end: str) -> None:
        if not way:  # a button that can no longer be pressed would lose the keyboard
            self._say(end)
            return
        other.append((self.line, self.scene))
        line, scene = way.pop()
        self._make(specs.read(line, known=self._known), scene)

    def close(self) -> None:
        """Take the playground off the page."""
        with LOCK:
            self._drop()
            close_all(self.box)

    def stored(self, words: str) -> tuple[dict, dict]:
        """Return the first picture and some words as a notebook without a kernel shows them."""
        return self.sides[0].stored(words)

    # The page

    def _build(self) -> None:
        """Make lists, scenes, buttons, and room for the panels."""
        named = [(e.title, e.name) for kind in KINDS for e in self._known.values() if e.kind == kind]
        self.a, self.b = _list("A", named), _list("B", [("none", ""), *named])
        self.views = [_list(f"view {k + 1}", []) for k in range(VIEWS_AT_ONCE)]
        self.topic = widgets.ToggleButtons(options=[*TOPICS], value=None, description="scenes")
        self._scenes = widgets.Box().add_class("posenc-scenes")
        self._line = widgets.Text(description="line", placeholder="paste one here", continuous_update=False)
        self._note, self._news, self._panels = widgets.HTML(), widgets.HTML(), widgets.Box().add_class("posenc-sides")
        play = widgets.Button(description="Play", tooltip="let the slider that was used last go to its end")
        play.add_class("posenc-play")  # the page lets it play
        back = button("Back", self.back, tooltip="what was shown before the last choice")
        forward = button("Forward", self.forward, tooltip="what was shown before the last step back")
        copied = button("Copy line", self._copy, tooltip="one line that opens this again")
        lists = widgets.Box([self.a, self.b, *self.views]).add_class("posenc-lists")
        tools = widgets.HBox([play, back, forward, copied, self._line]).add_class("posenc-tools")
        self.box = widgets.VBox([self.topic, self._scenes, lists, tools, self._news, self._note, self._panels])
        Look().dress(self.box)
        for widget, do in (
            *((one, self._chosen) for one in (self.a, self.b, *self.views)),
            (self.topic, self._offer),
            (self._line, lambda: self._line.value and self._try(lambda: self.open(self._line.value))),
        ):
            widget.observe(lambda change, do=do: self._showing or do(), names="value")

    def _make(self, panels: list[Spec], scene: str = "", wished: list[dict] | None = None) -> None:
        """Replace the panels, and put every list where they are."""
        with LOCK:
            first = SCENES[scene].drag if scene else ()
            titles = [panel.encodings[0].title for panel in panels]
            names = [f"{letter} · {title}" for letter, title in zip("AB", titles, strict=False)] if panels[1:] else [""]
            files = self.sides[0].file_as.value if self.sides else ()
            made = [Side(panel, first, name, files) for panel, name in zip(panels, names, strict=True)]
            self._drop()
            self.sides, self._panels.children = made, [side.box for side in made]
            if made[1:]:
                made[1].twin = made[0]
                for name in made[0].sliders.keys() & made[1].sliders.keys() - made[0].spec.owned:
                    self._tie(name, *(side.sliders[name] for side in made))
                made[0].meet(made[1])
                made[0]._show(made[0].panel.frame())
            self._wished = wished or [panel.all_values for panel in panels]
            self._put_lists()
            told = {
                f"{name} {as_text(value)} → {as_text(side.values[name])}": None
                for side, panel in zip(made, panels, strict=True)
                for name, value in panel.values.items()
                if value not in (None, side.values.get(name, value))
            }
            self._say(f"As far as these views go: {', '.join(told)}." if told else "")
            self._head(scene)
            for slider in (slider for side in made for slider in side.sliders.values()):
                slider.observe(lambda _: self._head(self.scene, "as it opened: "), names="value")

    def _tie(self, name: str, *sliders) -> None:
        """Let what views ask for, as the query, move in both panels, as far as each can go."""
        for one, other in (sliders, sliders[::-1]):

            def follow(change, other=other):
                if not self._following:
                    self._following = True
                    other.value = nearest(other, change["new"])
                    self._following = False

            one.observe(follow, names="value")

    def _put_lists(self, line: str = "") -> None:
        """Let every list say what is shown; each list of views holds those that fit."""
        self._showing = True
        names = [encoding.name for spec in self.specs for encoding in spec.encodings][:2]
        drawn, lists = [view.name for view in self.sides[0].spec.views], [drop.value for drop in self.views]
        if [view for view in lists if view] == drawn:
            drawn = lists  # a list between two may be empty
        self.a.value, self.b.value = names[0], names[1] if names[1:] else ""
        self._line.value, self.topic.value = line, None
        fitting = self._fitting(names) or self._fitting(names[:1])
        for k, drop in enumerate(self.views):
            now = drawn[k] if k < len(drawn) else ""
            drop.options = [("none", "")] * (k > 0) + [(_called(v), v) for v in VIEWS if v == now or v in fitting]
            drop.value = now
        self._offer()
        self._showing = False

    def _offer(self) -> None:
        """Show the scenes of a topic, each as a button on a picture of it."""
        with LOCK, themed(Look().theme):
            old = self._scenes.children
            names = [name for name, one in SCENES.items() if one.topic == self.topic.value]
            buttons = [button(name, partial(self._try, partial(self.open, name))) for name in names]
            pictures = [widgets.Image(value=thumbnail(name, style.theme()), format="png") for name in names]
            self._scenes.children = [widgets.Box(pair) for pair in zip(pictures, buttons, strict=True)]
            for gone in old:
                close_all(gone)

    def _drop(self) -> None:
        for side in self.sides:
            side.close()
        self.sides, self._panels.children = [], ()

    def _head(self, scene: str, when: str = "") -> None:
        """Say above the pictures what a scene shows, and when it did, or else what is drawn."""
        self.scene = scene
        if scene:
            told = {scene: when + SCENES[scene].says}
        else:
            told = {one.title: f"{KINDS[one.kind]}." for side in self.sides for one in side.panel.encodings}
        lines = (f"<b>{html.escape(name)}</b> · {html.escape(says)}" for name, says in told.items())
        self._note.value = f'<div role="status">{"<br>".join(lines)}</div>'

    def _say(self, message: str, *, good: bool = True) -> None:
        self._news.value = page.message(message, good=good) if message else ""

    # What a reader does

    def _chosen(self) -> None:
        """Build panels for other choices; values that fit stay, and the rest goes where it can."""
        chosen = [name for name in (self.a.value, self.b.value) if name]
        wanted = [view for view in dict.fromkeys(drop.value for drop in self.views) if view]
        shared = self._fitting(chosen)
        apart = not shared or len(set(chosen)) < len(chosen)  # the same twice, to differ
        groups = [[name] for name in chosen] if apart else [chosen]
        panels, wished = [], []
        for side, wish in zip(self.sides, self._wished, strict=True):  # what had no room stays wished for
            wish |= {name: value for name, value in side.values.items() if value != side.start.get(name, value)}
        for k, names in enumerate(groups):
            fitting = shared if shared else self._fitting(names)
            best = [*self._known[names[0]].views, "dot_product", "similarity", *fitting]
            views = wanted if set(wanted) <= set(fitting) else [view for view in dict.fromkeys(best) if view in fitting]
            spec = Spec.of([self._known[name] for name in names], views[: len(wanted) if chosen[1:] else VIEWS_AT_ONCE])
            values = self._wished[min(k, len(self._wished) - 1)]
            wished.append(dict(values))
            panels.append(spec.at(**{name: value for name, value in values.items() if name in spec.parameters}))
        gone = [view for view in wanted if all(view not in [one.name for one in panel.views] for panel in panels)]
        if self._try(lambda: self._step(panels, "", wished)) and gone:
            names = " and ".join(self._known[name].title for name in chosen)
            feed = "cannot both feed" if chosen[1:] else "cannot feed"
            self._say(f"{names} {feed} {', '.join(gone)}: other views are shown instead.")

    def _fitting(self, names: list[str]) -> list[str]:
        """Return the views that all of these encodings can feed."""
        return [view for view in VIEWS if all(VIEWS[view].fits(self._known[name]) for name in names)]

    def _step(self, panels: list[Spec], scene: str, wished: list[dict] | None = None) -> None:
        """Show other panels, so that Back goes back."""
        before = self.line, self.scene
        self._make(panels, scene, wished)
        self._past.append(before)
        self._next.clear()

    def _try(self, do: Callable) -> bool:
        """Do what a reader asked for; return whether it went. An error is a line of text, and what was there stays."""
        try:
            do()
            return True
        except (TypeError, ValueError) as error:
            self._put_lists(self._line.value)
            self._say(str(error), good=False)
            return False

    def _copy(self) -> None:
        """Put the line on the reader's clipboard, and show it, for a browser that may not copy."""
        copied = ask_page(self.sides[0]._picture, {"copy": self.line})
        self._put_lists(self.line)
        self._say("Copied; the line stands in its field, too." if copied else "Copy the line from its field.")

    def _read(self, text) -> tuple[list[Spec], str]:
        """Return the panels that a scene's name or a line describes, and the name of the scene."""
        if isinstance(text, str) and text in SCENES:
            return SCENES[text].opened(), text
        near = validate.did_you_mean(text, tuple(SCENES)) if isinstance(text, str) and ":" not in text else []
        try:
            return specs.read(text, known=self._known), ""
        except ValueError as error:
            if not near:
                raise
            raise ValueError(f"{error}; or did you mean the scene {' or '.join(map(repr, near))}?") from None


def _ranges(wanted: Spec) -> dict:
    """Return the usual ranges and options of all sliders, or wider ones where a value lies beyond."""
    ranges, asleep = {}, {name for one in wanted.encodings for name in one.asleep}
    for name, parameter in wanted.parameters.items():
        value = wanted.values.get(name)
        unasked = parameter.default is None and value is None and name not in asleep
        if name in wanted.irrelevant or unasked:
            ranges |= {} if value is None else {name: value}  # for other views
        elif len(parameter.options) > 1:
            ranges[name] = list(parameter.options)
        elif not parameter.options:
            low = -parameter.high if parameter.least < 0 <= parameter.low else parameter.low  # an offset, to both sides
            within = [] if value is None else [min(max(value, parameter.least), parameter.most)]
            ranges[name] = min([low, *within]), max([parameter.high, *within])
    return ranges


def _list(name: str, options: list) -> widgets.Dropdown:
    return widgets.Dropdown(options=options, description=name, layout=widgets.Layout(width="auto"))


def _called(view: str) -> str:
    """Return how a reader calls a view: trajectory 3d · Positions as points."""
    words = view.replace("_", " ")
    return f"{words} · {VIEWS[view].title}" if VIEWS[view].title else words


def _in_address() -> str | None:
    """Return what the address of an app asks for: …/?preset=base 100 wraps, or …/?line=rope: heatmap."""
    asked = parse_qs(os.environ.get("QUERY_STRING", ""))  # where Voilà puts what follows the question mark
    return next((asked[key][0] for key in ("preset", "line") if key in asked), None)


def playground(spec: str | None = None, *, own: object = ()) -> Playground:
    """Return a panel that drives any encoding, or two side by side, through any views that fit.

    >>> playground("sine: heatmap; seq_len=8").line
    'sine: heatmap; seq_len=8'

    Args:
        spec: a scene's name, such as "base 100 wraps" (see figures/scenes.toml), or a line such as
            "rope+alibi: dot_product; seq_len=64 | sine: waves"; `Playground.line` gives one. None is the first
            encoding of own, or sinusoidal; in an app, what its address asks for: …/?preset=base 100 wraps. What
            cannot be opened is a sentence in the panel.
        own: encodings of your own beside the catalog's, as `explore` takes them: one or a list.
    """
    many = isinstance(own, (list, tuple))
    mine = {one.name: one for one in opened(own if many else [own], taken=KNOWN)} if not many or own else {}
    first = f"{next(iter(mine))}: {', '.join(next(iter(mine.values())).views)}" if mine else FIRST
    return Playground(first, _in_address() if spec is None else spec, mine)
