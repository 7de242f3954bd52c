"""How the playground looks on a page: what is chosen on top, the pictures, and the rest behind a button."""

import html
from collections.abc import Callable
from functools import partial

import ipywidgets as widgets

from posenc_lib.live import projector
from posenc_lib.live.page import Shown, button, inside
from posenc_lib.live.picker import Picker
from posenc_lib.live.picture import copy
from posenc_lib.live.play import Player
from posenc_lib.live.playground_panel import HALF

COLUMNS = f"repeat(auto-fit, minmax(min({HALF}px, 100%), 1fr))"


class PlaygroundPage(Shown):
    """Lists, pictures, buttons and news; a playground gives its panels, as sides, and what lists and buttons do."""

    def _build(self) -> None:
        self._picker = Picker(self._beside, self._changed, self._asked, self._known)
        self._player = Player()
        self._opened = False  # whether what is behind the button is seen
        self._panels = widgets.GridBox(layout=widgets.Layout(grid_template_columns=COLUMNS, grid_gap="4px 18px"))
        self._note, self._news, self._below = widgets.HTML(), widgets.HTML(), widgets.HTML()
        self._said = self._news  # where what is said stands: beside what a reader has used
        self._scores = widgets.Image(format="png", layout=widgets.Layout(display="none", max_width="860px"))
        actions = {
            "Back": (self.back, {"icon": "undo", "tooltip": "what was shown before the last choice"}),
            "Copy line": (lambda: self._copy(self.line), {"icon": "copy", "tooltip": "one line that opens this again"}),
            "More": (self._open, {"icon": "sliders", "tooltip": "views, all sliders, a shared line, files"}),
            "Figures command": (lambda: self._copy(self.command), {}),
            "Scorecard": (self._show_scores, {}),
            "Projector": (self._project, {}),
        }
        narrow = widgets.Layout(width="auto")
        self._buttons = {
            name: button(name, partial(self._press, name, do), layout=narrow, **look)
            for name, (do, look) in actions.items()
        }
        first, rest = list(self._buttons.values())[:3], list(self._buttons.values())[3:]
        self._rest = widgets.VBox([self._picker.rest, _row(self._player.speed, *rest), self._below])
        top = [self._picker.top, _row(*first, self._player.box), self._news, self._note]
        self.box = widgets.VBox([*top, self._panels, self._rest, self._scores])
        projector.dress(self.box)

    def _beside(self, used: widgets.Widget) -> None:
        """Let what is said next stand near the list, line or button that a reader has used."""
        self._said = self._below if used in inside(self._rest) else self._news

    def _press(self, name: str, do: Callable) -> None:
        self._beside(self._buttons[name])
        do()

    def _open(self) -> None:
        """Show what is behind the button, or hide it."""
        self._opened = not self._opened
        self._show_rest()

    def _show_rest(self) -> None:
        for part in (self._rest, *(side.rest for side in self.sides)):
            part.layout.display = "" if self._opened else "none"
        self._buttons["More"].description = "Less" if self._opened else "More"

    def _copy(self, text: str) -> None:
        """Put a text on the reader's clipboard, and show it, for a browser that may not copy."""
        copied = copy(self.sides[0]._picture, text)
        self._say(f"{'Copied: ' * copied}{text}", code=True)

    def _say(self, message: str, *, good: bool = True, code: bool = False) -> None:
        tag = "code" if code else "span"
        told = f"<{tag} style='white-space:pre-wrap'>{html.escape(message)}</{tag}>" if message else ""
        for place in (self._news, self._below):
            words = told if place is self._said else ""
            place.layout.display = "" if words else "none"
            place.value = f'<div role="{"status" if good else "alert"}">{words}</div>'


def _row(*buttons) -> widgets.HBox:
    return widgets.HBox(buttons, layout=widgets.Layout(flex_flow="row wrap"))
