"""How an explorer looks on a page, and how its picture is saved and stored."""

import html
import re
from collections.abc import Callable
from pathlib import Path

import ipywidgets as widgets

from posenc_lib.encodings.validate import as_text
from posenc_lib.live import projector
from posenc_lib.views.output import bundle
from posenc_lib.views.style import LOCK

SLIDER = 290  # px that a slider with its name and number needs


class Shown:
    """What is live in a notebook, and stored as a picture and words: something with text, stored(words) and box."""

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include=None, exclude=None):
        with LOCK:
            data, metadata = self.stored(self.text)
            live = self.box._repr_mimebundle_() if self.box.comm else {}  # closed, it is a picture
        return live | data, metadata


class Page(Shown):
    """What a reader sees of an explorer and can take away: sliders, one picture, what it shows in words, and buttons.

    An explorer gives sliders, values, spec, reset and a canvas.
    """

    @property
    def figure(self):
        """Return the matplotlib Figure behind the picture."""
        return self._canvas.figure

    @property
    def text(self) -> str:
        """Return in words what the picture shows."""
        with LOCK:
            return self._canvas.panel.describe()

    def save(self, path) -> Path:
        """Write the current picture to a .png, .svg or .pdf file and return its path."""
        with LOCK:
            return self._canvas.panel.save(path)

    def close(self) -> None:
        """Take the explorer off the page and let go of its sliders."""
        with LOCK:
            close_all(self.box)

    def _build(self) -> None:
        """Make the widgets."""
        large, width = projector.presenting(), f"{self._canvas.width}px"
        most, each = ("100%", projector.SLIDER) if large else (width, SLIDER)
        self._picture = widgets.Image(format="png", layout=widgets.Layout(width="100%", max_width=most))
        self._words, self._news = widgets.HTML(), widgets.HTML()
        save = {"icon": "download", "tooltip": "write this picture beside the notebook"}
        self._buttons = [
            button("Reset", self.reset, icon="undo", tooltip="put every slider back"),
            button("Save PNG", lambda: self._save("png"), **save),
            button("Save SVG", lambda: self._save("svg"), **save),
        ]
        grid = {"grid_template_columns": f"repeat(auto-fit, minmax({each}px, 1fr))", "grid_gap": "2px 18px"}
        layout = widgets.Layout(max_width=most, align_items="center", **grid)
        controls = widgets.GridBox(list(self.sliders.values()), layout=layout)
        self.box = widgets.VBox([controls, self._picture, self._words, self._news, widgets.HBox(self._buttons)])
        projector.dress(self.box)

    def _say(self, message: str, *, good: bool = False) -> None:
        """Put a line under the picture: an alarm, or good news."""
        kind = 'role="status"' if good else 'role="alert" style="color:#B34700;font-weight:600"'
        self._news.value = f"<div {kind}>{html.escape(message)}</div>"

    def _save(self, suffix: str) -> None:
        parts = [f"{name}-{as_text(value)}" for name, value in self.values.items() if value is not None]
        name = re.sub(r"[^\w.,-]+", "-", "_".join([*(e.name for e in self.spec.encodings), *parts]))[:150]
        try:
            self._say(f"Saved as {self.save(f'{name}.{suffix}')} in {Path.cwd().name}/", good=True)
        except OSError as error:
            self._say(f"Not saved: {error.strerror or error}")

    def __reduce_ex__(self, protocol):
        raise TypeError("an explorer cannot be copied or pickled: it belongs to its page; call explore again")

    def stored(self, words: str) -> tuple[dict, dict]:
        """Return the picture and some words as a notebook without a kernel shows them."""
        alt = f"{self._canvas.panel.titles}. What it shows is said below."
        return bundle(self._picture.value, words, alt, self._canvas.width)


def close_all(box: widgets.Widget) -> None:
    """Take a widget and everything in it off the page, and let go of whoever listens to it."""
    for widget in inside(box):
        widget.unobserve_all()
        for part in (getattr(widget, "style", None), widget.layout, widget):
            if part is not None:
                part.close()


def inside(widget: widgets.Widget) -> list:
    """Return a widget and everything in it."""
    return [widget, *(part for child in getattr(widget, "children", ()) for part in inside(child))]


def button(label: str, action: Callable, **look) -> widgets.Button:
    """Return a button that does something without arguments."""
    made = widgets.Button(description=label, **look)
    made.on_click(lambda _: action())
    return made
