"""One panel of the playground, and the film of a slider."""

import shlex
from collections.abc import Callable
from dataclasses import replace

import ipywidgets as widgets

from posenc_lib.figures.formats import render
from posenc_lib.figures.registry import composed
from posenc_lib.live import projector
from posenc_lib.live.explorer import Explorer
from posenc_lib.live.page import grid
from posenc_lib.spec import Spec
from posenc_lib.views.style import themed, written

HALF = 400  # px that one of two panels needs
TOLD = 2  # parameters in a heading, at most
LIVE = 4  # sliders below one picture, or two; the rest is behind a button
WIDE = (640, 1280)  # px of a picture to be kept
USUAL = ("query", "offset", "base", "seq_len")  # what else is moved most


class PlaygroundPanel(Explorer):
    """An explorer with a slider for everything, opened as near to a spec as it can be; those of `moves` come first."""

    one_width = alike = True
    above = (110, 190)  # lists, buttons and a sentence, on a desk and on a projector

    def __init__(self, wanted: Spec, moves: tuple[str, ...], name: str, *, wider: bool):
        self._wished, self.elsewhere = wanted.values, {}  # what could not be set, as (wanted, now) by name
        self._moves, self.name = moves, name
        if name:
            self._width = projector.halves(HALF)
        self.told: Callable[[str], None] | None = None  # which slider a reader moved
        self.twin: PlaygroundPanel | None = None  # what stands beside it
        super().__init__(replace(wanted, values=_ranges(wanted, wider=wider)))

    def _parts(self) -> list:
        """Return the picture, at most four sliders, what it shows in words, and the rest."""
        choices = [name for name, slider in self.sliders.items() if isinstance(slider, widgets.ToggleButtons)]
        order = dict.fromkeys(self._moves or (*USUAL, *(n for n in self.sliders if n not in choices), *choices))
        self.live = [name for name in order if name in self.sliders and not self.sliders[name].disabled]
        self.live = self.live[: LIVE // 2 if self.name else LIVE]
        self._controls.children = [self.sliders[name] for name in self.live]
        others = grid(slider for name, slider in self.sliders.items() if name not in self.live)
        themes = [("as drawn", None), ("light", "light"), ("dark", "dark")]
        self.theme = widgets.Dropdown(options=themes, **_said("theme"))
        self.wide = widgets.Dropdown(options=[("as drawn", None), *((str(w), w) for w in WIDE)], **_said("width"))
        saving = widgets.HBox([*self._buttons, self.theme, self.wide], layout=widgets.Layout(flex_flow="row wrap"))
        self.rest = widgets.VBox([others, saving])
        return [self._picture, self._controls, self._words, self._news, self.rest]

    @property
    def heading(self) -> str:
        """Return the name, and what the same encoding beside it has otherwise."""
        others = self.twin.values if self.twin and self.twin.name[1:] == self.name[1:] else {}
        told = [f"{name} {written(value)}" for name, value in self.values.items() if others.get(name, value) != value]
        return ", ".join([self.name, *told[:TOLD]])

    def _refresh(self) -> None:
        super()._refresh()
        self._wake()
        self.tell_apart()

    def _wake(self) -> None:
        """Show the sliders that only another value gives something to do, once it does."""
        asleep = self._asleep(self.values)
        for name in {*self.sliders} & {n for one in self._settings.spec.encodings for n in one.asleep}:
            self.sliders[name].disabled = name in asleep
            self.sliders[name].layout.display = "none" if name in asleep else ""

    def _asleep(self, values: dict) -> set[str]:
        spec = self._settings.spec
        awake = {name for view in spec.views for name in view.wakes}
        return {name for one in spec.encodings_at(values) for name in one.asleep} - awake

    def tell_apart(self) -> None:
        """Write above both of a pair what is otherwise in each, and draw what has changed in the other."""
        for side in (self, self.twin) if self.twin else ():
            panel = side.panel
            if panel.rename([side.heading]) or panel.touched:
                panel.touched = False
                side._show()

    def meet(self) -> None:
        """Share axes with what stands beside it, where they are to be the same, and tell both apart."""
        if self.twin:
            panels = [side.panel for side in (self, self.twin)]
            for panel in panels:
                panel.beside = panels
            panels[0].touched = bool(panels[0].share())
            self.tell_apart()

    def _draw(self) -> None:
        super()._draw()
        self.meet()

    def _moved(self, change) -> None:
        super()._moved(change)
        if self.told and not self._held:
            self.told(next(name for name, slider in self.sliders.items() if slider is change["owner"]))

    def _begin(self) -> None:
        fixed = set(self._settings.values) - set(self.sliders)
        self._idle = {name: value for name, value in self._wished.items() if name in fixed}  # for other views
        self.elsewhere = self._settings.approach(self._wished)
        self._settings.start = {name: slider.value for name, slider in self.sliders.items()}
        self._wake()

    def _spec_at(self, values: dict) -> Spec:
        """Return all that is needed to open it again."""
        asleep = self._asleep(values)
        now = super()._spec_at({name: value for name, value in values.items() if name not in asleep})
        return replace(now, values=now.values | {name: v for name, v in self._idle.items() if v is not None})

    def _file(self, suffix: str) -> bytes:
        """Return the picture in the theme and the width that are chosen for it."""
        if not (self.theme.value or self.wide.value):
            return super()._file(suffix)
        figure, width = composed(self.spec), self.wide.value or self.panel.size[0]
        with themed(self.theme.value or projector.theme()):
            return render(figure, figure.defaults, suffix, width=width)

    @property
    def command(self) -> str:
        """The command that writes the picture in the theme and the width that are chosen for it."""
        theme = self.theme.value or projector.theme()
        look = f" --theme {theme}" * (theme != "light") + (f" --width {self.wide.value}" if self.wide.value else "")
        return f"python -m posenc_lib figures make {shlex.quote(str(self.spec))}{look}"


def _said(name: str) -> dict:
    """Return how a short list with a name looks."""
    return {"description": name, "layout": widgets.Layout(width="auto"), "style": {"description_width": "auto"}}


def build(wanted: Spec, moves: tuple[str, ...] = (), name: str = "") -> PlaygroundPanel:
    """Return a panel with a slider for everything, opened as near to a spec as it can be."""
    try:
        return PlaygroundPanel(wanted, moves, name, wider=True)
    except ValueError:  # a value that one encoding takes may be none of another: the nearest will do
        return PlaygroundPanel(wanted, moves, name, wider=False)


def _ranges(wanted: Spec, *, wider: bool) -> dict:
    """Return the usual ranges and options of all sliders, or wider ones where a value lies beyond."""
    ranges, asleep = {}, {name for one in wanted.encodings for name in one.asleep}
    for name, parameter in wanted.parameters.items():
        value = wanted.values.get(name)
        unasked = parameter.default is None and value is None and name not in asleep
        if name in wanted.irrelevant or unasked:
            continue
        if len(parameter.options) > 1:
            ranges[name] = list(parameter.options)
        elif not parameter.options:
            low = -parameter.high if parameter.least < 0 <= parameter.low else parameter.low  # an offset, to both sides
            reached = [low, parameter.high, *([value] if wider and value is not None else [])]
            ranges[name] = min(reached), max(reached)
    if {"d_model", "head_dim"} <= ranges.keys():  # one slider moves both: it begins where both can
        ranges["d_model"] = max(ranges["d_model"][0], ranges["head_dim"][0]), ranges["d_model"][1]
    return ranges
