"""One panel that drives every encoding: choose one or two, choose views, and drag, play, save or share."""

import html
import os
from collections import ChainMap
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import parse_qs

from posenc_lib import spec as specs
from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.catalog import KNOWN
from posenc_lib.encodings.own import opened
from posenc_lib.encodings.validate import as_text
from posenc_lib.live import projector
from posenc_lib.live.page import close_all
from posenc_lib.live.picker import KINDS, VIEWS_AT_ONCE
from posenc_lib.live.playground_page import PlaygroundPage
from posenc_lib.live.playground_panel import PlaygroundPanel, build
from posenc_lib.live.presets import PRESETS
from posenc_lib.scorecard import scorecard
from posenc_lib.spec import Spec
from posenc_lib.views.style import LOCK, themed

FIRST_VIEW = "One view of each, so that it is large; More has others."
FIRST = "sinusoidal: trajectory, heatmap, dot_product"


class Playground(PlaygroundPage):
    """Two encodings side by side, or one, under the same sliders; made by `playground`."""

    def __init__(self, text: str, own: dict[str, Encoding]):
        self.sides: list[PlaygroundPanel] = []  # two where each encoding has its own parameters
        self._own, self._preset = own, ""
        self._past: list[tuple[list[Spec], str]] = []  # panels and preset, before each choice
        wanted = _wanted(text, self._known)
        self._build()
        self._make(*wanted)

    @property
    def _known(self) -> Mapping[str, Encoding]:
        return ChainMap(self._own, *KNOWN.maps)

    @property
    def text(self) -> str:
        """Return in words what is drawn."""
        return " ".join(side.text for side in self.sides)

    @property
    def values(self) -> list[dict]:
        """Return the values of each panel by name."""
        return [side.values for side in self.sides]

    @property
    def specs(self) -> list[Spec]:
        """Return what each panel shows."""
        return [side.spec for side in self.sides]

    @property
    def line(self) -> str:
        """Return this view as one line, which playground(line) opens again; encodings of one's own it must be given."""
        return specs.write(self.specs)

    @property
    def command(self) -> str:
        """Return the command that writes this picture, a line for each panel; it knows the catalog alone."""
        for name in (encoding.name for encoding in self._encodings if encoding.name in self._own):
            return f"{name} is not in the catalog; in a notebook: figure({name}, views=…) or explore({name}).save(path)"
        return "\n".join(side.command for side in self.sides)

    def open(self, text: str) -> None:
        """Show what a preset's name or a spec describes; after an error everything stays as it is."""
        self._step(*_wanted(text, self._known))

    def back(self) -> None:
        """Go back to what was shown before the last choice."""
        if not self._past:  # a button that can no longer be pressed would lose the keyboard
            self._say("There is nothing to go back to.")
            return
        self._make(*self._past.pop())

    def close(self) -> None:
        """Take the playground off the page."""
        with LOCK:
            self._drop()
            self._panels.children = ()
            close_all(self.box)

    def _make(self, panels: list[Spec], preset: str = "", told: str = "") -> None:
        """Replace the panels, say what is drawn, and what could not be kept."""
        with LOCK:
            moves = PRESETS[preset].moves if preset else ()
            letters = ("A", "B") if len(panels) > 1 else ("",)
            titles = [panel.encodings[0].title for panel in panels]
            names = [f"{letter} · {title}" if letter else "" for letter, title in zip(letters, titles, strict=True)]
            made = [build(panel, moves, name) for panel, name in zip(panels, names, strict=True)]
            self._drop()
            self.sides = made
            self._panels.children = [side.box for side in made]
            for side in made:
                side.told = self._slider_moved
            if len(made) > 1:
                made[0].twin, made[1].twin = made[1], made[0]
                made[0].meet()
            each = zip(letters, made, strict=True)
            sliders = {f"{letter} {name}".strip(): s for letter, side in each for name, s in side.sliders.items()}
            first = (f"{letters[0]} {moves[0]}".strip(), PRESETS[preset].speed) if moves else ()
            self._player.attach(sliders, *first)
            self._say(f"{told} {self._elsewhere()}".strip())
            self._head(preset)
            self._show_rest()
            self._scores.layout.display = "none"

    def _elsewhere(self) -> str:
        """Say which values could not be as they were wanted."""
        moved = [(name, *ends) for side in self.sides for name, ends in side.elsewhere.items() if ends[0] is not None]
        told = ", ".join(f"{name} {as_text(old)} → {as_text(new)}" for name, old, new in moved)
        return f"Moved to fit: {told}." if moved else ""

    def _head(self, preset: str) -> None:
        """Say above the pictures what a preset shows, or else what is drawn."""
        self._preset = preset
        self._picker.show(self.specs, preset)
        told = {one.title: f"{KINDS[one.kind]}." for one in self._encodings}
        if preset:
            told = {preset: PRESETS[preset].says}
        lines = (f"<b>{html.escape(name)}</b> · {html.escape(says)}" for name, says in told.items())
        self._note.value = f'<div role="status">{"<br>".join(lines)}</div>'

    def _slider_moved(self, name: str) -> None:
        """Take a preset's sentence away where it no longer holds."""
        preset = PRESETS.get(self._preset)
        if preset and (name not in preset.moves or name in preset.ends):
            self._head("")

    @property
    def _encodings(self) -> list:
        return [encoding for spec in self.specs for encoding in spec.encodings]

    def _drop(self) -> None:
        self._player.attach({})
        for side in self.sides:
            side.close()
        self.sides = []

    def _changed(self) -> None:
        """Build panels for other choices; values that fit stay, and the rest goes where it can."""
        with LOCK:
            if self._picker.showing:
                return
            try:
                self._step(*self._chosen())
            except (TypeError, ValueError) as error:
                self._picker.show(self.specs, self._preset)
                self._say(str(error), good=False)

    def _chosen(self) -> tuple[list[Spec], str, str]:
        """Return the panels that the lists ask for, no preset, and what could not be as it was."""
        large = projector.presenting() and len(self._encodings) < 2
        chosen, told = self._picker.panels(1 if large and self._picker.b.value else VIEWS_AT_ONCE)
        before, panels = [_with_one_width(spec.values) for spec in self.specs], []
        for k, (encodings, views) in enumerate(chosen):
            spec, kept = Spec.of(encodings, views), before[min(k, len(before) - 1)]
            panels.append(spec.at(**{name: value for name, value in kept.items() if name in spec.parameters}))
        if len(before) > len(panels) and self._picker.b.value:  # the sliders of A stay
            lost = [f"{n} {as_text(v)}" for n, v in before[1].items() if panels[0].values.get(n, v) != v]
            told += f" Both move together now; B had {', '.join(lost)}." if lost else ""
        return panels, "", told.strip()

    def _step(self, panels: list[Spec], preset: str, told: str = "") -> None:
        """Show other panels, so that Back goes back; after an error everything stays as it is."""
        before = self.specs, self._preset
        self._make(panels, preset, told)
        self._past.append(before)

    def _asked(self, text: str) -> None:
        """Open what was chosen or written; an error is a line of text, and nothing takes a preset's sentence away."""
        if not text:
            self._head("")
            return
        try:
            self.open(text)
        except (TypeError, ValueError) as error:
            self._say(str(error), good=False)

    def _show_scores(self) -> None:
        """Show the rows of the scorecard for what is drawn, as a picture and in words."""
        card = scorecard([self._known[name] for name in dict.fromkeys(one.name for one in self._encodings)])
        with LOCK, themed(projector.theme()):
            self._scores.value = card.picture()
        self._scores.layout.display = ""
        self._say(" ".join(map(card.describe, card.measured)))

    def _project(self) -> None:
        """Draw everything for the last row, or for a desk again."""
        projector.present(not projector.presenting())
        projector.look(self.box)
        panels = self.specs
        if projector.presenting() and len(self._encodings) > 1 and any(spec.views[1:] for spec in panels):
            self._step([replace(spec, views=spec.views[:1]) for spec in panels], "", FIRST_VIEW)
        else:
            self._make(panels, self._preset)

    def stored(self, words: str) -> tuple[dict, dict]:
        """Return the first picture and some words as a notebook without a kernel shows them."""
        return self.sides[0].stored(words)


def _with_one_width(values: dict) -> dict:
    """Return values in which d_model and head_dim are one, and nothing is left out by None."""
    width = values.get("d_model", values.get("head_dim"))
    alike = values | {"d_model": width, "head_dim": width}
    return {name: value for name, value in alike.items() if value is not None}


def _wanted(text, known: Mapping[str, Encoding]) -> tuple[list[Spec], str]:
    """Return the panels that a preset's name or a spec describes, and the name of the preset."""
    if isinstance(text, str) and text in PRESETS:
        return specs.read(PRESETS[text].line), text
    near = validate.did_you_mean(text, tuple(PRESETS)) if isinstance(text, str) and ":" not in text else []
    try:
        return specs.read(text, known=known), ""
    except ValueError as error:
        if not near:
            raise
        raise ValueError(f"{error}; or did you mean the preset {' or '.join(map(repr, near))}?") from None


def _in_address() -> str:
    """Return what the address of an app asks for: …/?preset=base 100 wraps, or …/?line=rope: heatmap."""
    asked = parse_qs(os.environ.get("QUERY_STRING", ""))  # where Voilà puts what follows the question mark
    return next((asked[key][0] for key in ("preset", "line") if key in asked), "")


def playground(spec: str | None = None, *, own: object = ()) -> Playground:
    """Return a panel that drives any encoding, or two side by side, through any views that fit.

    >>> playground("sine: heatmap; seq_len=8").line
    'sine: heatmap; seq_len=8, d_model=2'

    Args:
        spec: a preset's name, such as "base 100 wraps" (see live/presets.toml), or a line such as
            "rope+alibi: dot_product; seq_len=64 | sine: waves"; `Playground.line` gives one. None is the first
            encoding of own, or sinusoidal; in an app, what its address asks for: …/?preset=base 100 wraps.
        own: encodings of your own beside the catalog's, as `explore` takes them: one or a list.
    """
    many = isinstance(own, (list, tuple))
    mine = {one.name: one for one in opened(own if many else [own], taken=KNOWN)} if not many or own else {}
    first = f"{next(iter(mine))}: {', '.join(next(iter(mine.values())).views)}" if mine else FIRST
    made = Playground(first if spec is None else spec, mine)
    if spec is None and _in_address():
        made._asked(_in_address())
    return made
