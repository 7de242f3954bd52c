"""One panel that drives every encoding: choose one or two, choose views, and drag, play, save or share."""

import html
import shlex
from pathlib import Path

import ipywidgets as widgets

from posenc_lib import spec as specs
from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.own import opened
from posenc_lib.encodings.validate import as_text
from posenc_lib.files import atomic_write
from posenc_lib.live import projector
from posenc_lib.live.page import Shown, button, close_all
from posenc_lib.live.picker import KINDS, Picker
from posenc_lib.live.play import Player
from posenc_lib.live.playground_panel import PlaygroundPanel, build
from posenc_lib.live.presets import PRESETS
from posenc_lib.scorecard import scorecard
from posenc_lib.spec import Spec
from posenc_lib.views.style import LOCK

FIRST = "sinusoidal: trajectory, heatmap, dot_product"


class Playground(Shown):
    """Two encodings side by side, or one, under the same sliders; made by `playground`."""

    def __init__(self, text: str, own: dict[str, Encoding]):
        self.sides: list[PlaygroundPanel] = []  # two where each encoding has its own parameters
        self._own = own
        wanted = _wanted(text, self._known)
        self._build()
        self._make(*wanted)

    @property
    def _known(self) -> dict[str, Encoding]:
        return ENCODINGS | self._own

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
        return "\n".join(f"python -m posenc_lib figures make {shlex.quote(str(spec))}" for spec in self.specs)

    def open(self, text: str) -> None:
        """Show what a preset's name or a spec describes; after an error everything stays as it is."""
        self._make(*_wanted(text, self._known))

    def close(self) -> None:
        """Take the playground off the page."""
        with LOCK:
            self._drop()
            self._panels.children = ()
            close_all(self.box)

    def _make(self, panels: list[Spec], told: str = "") -> None:
        """Replace the panels, say what is drawn, and what could not be kept."""
        with LOCK:
            made = [build(panel) for panel in panels]
            self._drop()
            self.sides = made
            self._panels.children = [side.box for side in made]
            letters = ("A ", "B ") if len(made) > 1 else ("",)
            pairs = zip(letters, made, strict=True)
            self._player.attach({letter + name: s for letter, side in pairs for name, s in side.sliders.items()})
            self._picker.show(self.specs)
            elsewhere = [each for side in made for each in side.elsewhere.items()]
            moved = ", ".join(f"{name} {as_text(old)} → {as_text(new)}" for name, (old, new) in elsewhere)
            notes = [note for panel in panels for note in panel.notes]
            self._say(" ".join([told, *notes, f"Moved to fit: {moved}." if moved else ""]).strip())
            drawn = "; ".join(f"{encoding.title}: drawn is {KINDS[encoding.kind][1]}" for encoding in self._encodings)
            self._note.value = f'<div role="status" style="line-height:1.45">{html.escape(drawn)}.</div>'
            self._scores.layout.display = "none"

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
            kept = {name: value for spec in reversed(self.specs) for name, value in spec.values.items()}
            kept["d_model"] = kept["head_dim"] = kept.get("d_model", kept.get("head_dim"))
            kept = {name: value for name, value in kept.items() if value is not None}
            try:
                chosen = [Spec.of(encodings, views) for encodings, views in self._picker.panels()]
                self._make([spec.at(**{n: v for n, v in kept.items() if n in spec.parameters}) for spec in chosen])
            except (TypeError, ValueError) as error:
                self._picker.show(self.specs)
                self._say(str(error), good=False)

    def _asked(self, text: str) -> None:
        """Open what was chosen or written; an error is a line of text."""
        try:
            self.open(text)
        except (TypeError, ValueError) as error:
            self._say(str(error), good=False)

    def _build(self) -> None:
        self._picker, self._player = Picker(self._changed, self._asked, self._known), Player()
        self._note, self._news, self._panels = widgets.HTML(), widgets.HTML(), widgets.VBox()
        self._scores = widgets.Image(format="png", layout=widgets.Layout(display="none", max_width="860px"))
        buttons = {
            "Save GIF": self._save_gif,
            "Line to share": lambda: self._say(self.line, code=True),
            "Figures command": lambda: self._say(self.command, code=True),
            "Scorecard": self._show_scores,
            "Projector": self._project,
        }
        row = widgets.HBox([button(*pair) for pair in buttons.items()], layout=widgets.Layout(flex_flow="row wrap"))
        parts = [self._picker.box, self._note, self._panels, self._player.box, row, self._news, self._scores]
        self.box = widgets.VBox(parts)
        projector.dress(self.box)

    def _say(self, message: str, *, good: bool = True, code: bool = False) -> None:
        look = "" if good else ";color:#B34700;font-weight:600"
        tag = "code" if code else "span"
        inside = f"<{tag} style='white-space:pre-wrap'>{html.escape(message)}</{tag}>" if message else ""
        self._news.value = f'<div role="{"status" if good else "alert"}" style="line-height:1.45{look}">{inside}</div>'

    def _show_scores(self) -> None:
        """Show the rows of the scorecard for what is drawn, as a picture and in words."""
        card = scorecard([self._known[name] for name in dict.fromkeys(one.name for one in self._encodings)])
        with LOCK:
            self._scores.value = card.picture()
        self._scores.layout.display = ""
        self._say(" ".join(map(card.describe, card.measured)))

    def _save_gif(self) -> None:
        """Write a film of the slider that Play moves, beside the notebook."""
        slider = self._player.slider
        side, name = next((side, name) for side in self.sides for name, s in side.sliders.items() if s is slider)
        if slider.disabled:
            self._say(f"{name} has no room to move here.")
            return
        self._say("Drawing …")
        path = Path(f"{'_'.join(encoding.name for encoding in side.spec.encodings)}_{name}.gif")
        try:
            atomic_write(path, side.film(name))
            self._say(f"Saved as {path} in {Path.cwd().name}/")
        except OSError as error:
            self._say(f"Not saved: {error.strerror or error}", good=False)
        except ValueError as error:
            self._say(str(error), good=False)

    def _project(self) -> None:
        """Draw everything for the last row, or for a desk again."""
        projector.present(not projector.presenting())
        change = self.box.add_class if projector.presenting() else self.box.remove_class
        change(projector.CLASS)
        self._make(self.specs)

    def stored(self, words: str) -> tuple[dict, dict]:
        """Return the first picture and some words as a notebook without a kernel shows them."""
        return self.sides[0].stored(words)


def _wanted(text, known: dict[str, Encoding]) -> tuple[list[Spec], str]:
    """Return the panels that a preset's name or a spec describes, and what is to be said of them."""
    if isinstance(text, str) and text in PRESETS:
        line, told = PRESETS[text]
        return specs.read(line), told
    near = validate.did_you_mean(text, tuple(PRESETS)) if isinstance(text, str) and ":" not in text else []
    try:
        return specs.read(text, known=known), ""
    except ValueError as error:
        if not near:
            raise
        raise ValueError(f"{error}; or did you mean the preset {' or '.join(map(repr, near))}?") from None


def playground(spec: str | None = None, *, own: object = ()) -> Playground:
    """Return a panel that drives any encoding, or two side by side, through any views that fit.

    >>> playground("sine: heatmap; seq_len=8").line
    'sine: heatmap; seq_len=8, d_model=2'

    Args:
        spec: a preset's name, such as "base 100 wraps" (see PRESETS in live/presets.py), or a line such as
            "rope+alibi: dot_product; seq_len=64 | sine: waves"; `Playground.line` gives one.
        own: encodings of your own beside the catalog's, as `explore` takes them: one or a list.
    """
    many = isinstance(own, (list, tuple))
    mine = {one.name: one for one in opened(own if many else [own], taken=ENCODINGS)} if not many or own else {}
    first = f"{next(iter(mine))}: {', '.join(next(iter(mine.values())).views)}" if mine else FIRST
    return Playground(first if spec is None else spec, mine)
