"""One panel that drives every encoding: choose one or two, choose views, and drag, play, save or share."""

import html
from contextlib import contextmanager
from pathlib import Path

import ipywidgets as widgets

from posenc_lib.encodings import validate
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.record import setting
from posenc_lib.files import atomic_write
from posenc_lib.lessons.scorecard import scorecard
from posenc_lib.live import presenter, share
from posenc_lib.live.choices import KINDS, Choices
from posenc_lib.live.explorer import close_all
from posenc_lib.live.play import Player
from posenc_lib.live.presets import PRESETS
from posenc_lib.live.side import Side, build, renamed
from posenc_lib.live.state import State, read_state, write_state
from posenc_lib.views.style import LOCK

FIRST = "sinusoidal: trajectory, heatmap, dot_product"


class Playground:
    """Two encodings side by side, or one, under the same sliders; made by `playground`.

    Attributes:
        sides: the panels in sight: one, or two where each encoding has its own parameters.
    """

    def __init__(self, panels: list[State], told: str = ""):
        self._held = False
        self.sides: list[Side] = []
        self._build()
        self._make(panels, told)

    @property
    def text(self) -> str:
        """Return in words what is drawn."""
        return " ".join(side.text for side in self.sides)

    @property
    def values(self) -> list[dict]:
        """Return the values of each panel by name."""
        return [side.values for side in self.sides]

    def state(self) -> str:
        """Return this view as one line, which playground(state=...) opens again, here or elsewhere."""
        return write_state([side.state for side in self.sides])

    def command(self) -> str:
        """Return the command that writes this picture, a line for each panel."""
        return "\n".join(map(share.command, self.sides))

    def open(self, text: str) -> None:
        """Show what a preset's name or a line of `state` describes; after an error everything stays as it is.

        Raises:
            TypeError, ValueError: it is neither; the message says why.
        """
        line, told = PRESETS[text] if isinstance(text, str) and text in PRESETS else (text, "")
        self._make(read_state(line), told)

    def close(self) -> None:
        """Take the playground off the page."""
        with LOCK:
            self._drop()
            self._panels.children = ()
            close_all(self.box)

    def _make(self, panels: list[State], told: str = "") -> None:
        """Replace the panels, say what is drawn, and what could not be kept."""
        with LOCK:
            self._replace(panels, told)

    def _replace(self, panels: list[State], told: str) -> None:
        moved = []
        made = [build(panel) for panel in panels]
        for side in made:
            moved += [f"{name} {setting(old)} → {setting(new)}" for name, (old, new) in side.elsewhere.items()]
        self._drop()
        self.sides = made
        self._panels.children = [side.box for side in self.sides]
        letters = ("A ", "B ") if len(made) > 1 else ("",)
        pairs = zip(letters, self.sides, strict=True)
        self._player.attach({letter + name: slider for letter, side in pairs for name, slider in side.sliders.items()})
        with self._hold():
            self._choices.show([side.state for side in self.sides])
        self._say(" ".join([told, f"Moved to fit: {', '.join(moved)}." if moved else ""]).strip())
        records = [ENCODINGS[name] for side in self.sides for name in side.names]
        drawn = "; ".join(f"{record.title}: drawn is {KINDS[record.kind][1]}" for record in records)
        self._note.value = f'<div role="status" style="line-height:1.45">{html.escape(drawn)}.</div>'
        self._scores.layout.display = "none"

    def _drop(self) -> None:
        self._player.attach({})
        for side in self.sides:
            side.close()
        self.sides = []

    @contextmanager
    def _hold(self):
        """Let lists change without building panels."""
        self._held = True
        try:
            yield
        finally:
            self._held = False

    def _changed(self) -> None:
        """Build panels for other choices; values that fit stay, and the rest goes where it can."""
        with LOCK:
            if not self._held:
                self._choose()

    def _choose(self) -> None:
        kept = {name: value for side in reversed(self.sides) for name, value in side.state.values.items()}
        try:
            self._make([State(names, views, renamed(kept, names)) for names, views in self._choices.panels()])
        except (TypeError, ValueError) as error:
            with self._hold():
                self._choices.show([side.state for side in self.sides])
            self._say(str(error), good=False)

    def _asked(self, text: str) -> None:
        """Open what was chosen or written; an error is a line of text."""
        try:
            self.open(text)
        except (TypeError, ValueError) as error:
            self._say(str(error), good=False)

    def _build(self) -> None:
        self._choices, self._player = Choices(self._changed, self._asked), Player()
        self._note, self._news, self._panels = widgets.HTML(), widgets.HTML(), widgets.VBox()
        self._scores = widgets.Image(format="png", layout=widgets.Layout(display="none", max_width="860px"))
        buttons = {
            "Save GIF": self._save_gif,
            "Line to share": lambda: self._say(self.state(), code=True),
            "Figures command": lambda: self._say(self.command(), code=True),
            "Scorecard": self._show_scores,
            "Projector": self._project,
        }
        row = widgets.HBox([_button(*pair) for pair in buttons.items()], layout=widgets.Layout(flex_flow="row wrap"))
        parts = [self._choices.box, self._note, self._panels, self._player.box, row, self._news, self._scores]
        self.box = widgets.VBox(parts)
        presenter.dress(self.box)

    def _say(self, message: str, *, good: bool = True, code: bool = False) -> None:
        look = "" if good else ";color:#B34700;font-weight:600"
        tag = "code" if code else "span"
        inside = f"<{tag} style='white-space:pre-wrap'>{html.escape(message)}</{tag}>" if message else ""
        self._news.value = f'<div role="{"status" if good else "alert"}" style="line-height:1.45{look}">{inside}</div>'

    def _show_scores(self) -> None:
        """Show the rows of the scorecard for what is drawn, as a picture and in words."""
        card = scorecard([name for side in self.sides for name in side.names])
        with LOCK:
            self._scores.value = card.picture()
        self._scores.layout.display = ""
        self._say(" ".join(map(card.describe, card.measured)))

    def _save_gif(self) -> None:
        """Write a film of the slider that Play moves, beside the notebook."""
        slider = self._player.slider
        side, name = next((side, name) for side in self.sides for name, s in side.sliders.items() if s is slider)
        path = Path(f"{'_'.join(side.names)}_{name}.gif")
        if slider.disabled:
            self._say(f"{name} has no room to move here.")
            return
        self._say("Drawing …")
        try:
            atomic_write(path, share.film(side, name))
            self._say(f"Saved as {path} in {Path.cwd().name}/")
        except OSError as error:
            self._say(f"Not saved: {error.strerror or error}", good=False)
        except ValueError as error:
            self._say(str(error), good=False)

    def _project(self) -> None:
        """Draw everything for the last row, or for a desk again."""
        presenter.present(not presenter.presenting())
        change = self.box.add_class if presenter.presenting() else self.box.remove_class
        change(presenter.CLASS)
        self._make([side.state for side in self.sides])

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include=None, exclude=None):
        with LOCK:
            data, metadata = self.sides[0].stored(self.text)
            live = self.box._repr_mimebundle_() if self.box.comm else {}
        return live | data, metadata


def _button(label: str, action) -> widgets.Button:
    button = widgets.Button(description=label)
    button.on_click(lambda _: action())
    return button


def playground(preset: str | None = None, *, state: str | None = None) -> Playground:
    """Return a panel that drives any encoding, or two side by side, through any views that fit.

    Args:
        preset: the name of a view worth showing, such as "base 100 wraps"; see PRESETS in live/presets.py.
        state: a line that `Playground.state` gave, here or elsewhere.

    Raises:
        TypeError: both are given, or one is no text.
        ValueError: there is no such preset, or the line describes nothing that can be drawn.
    """
    if preset is not None and state is not None:
        raise TypeError("playground takes a preset or a state, not both")
    if preset is not None:
        validate.choice("preset", preset, tuple(PRESETS))
    line, told = PRESETS[preset] if preset is not None else (FIRST if state is None else state, "")
    return Playground(read_state(line), told)
