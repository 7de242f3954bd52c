"""How an explorer looks on a page, and how its picture is saved and stored."""

import html
import re
from collections.abc import Callable
from pathlib import Path

import ipywidgets as widgets

from posenc_lib.encodings.validate import as_text
from posenc_lib.files import atomic_write
from posenc_lib.live import projector
from posenc_lib.live.picture import deliver, picture, widen
from posenc_lib.views.output import bundle
from posenc_lib.views.style import LOCK

SAVE = {"icon": "download", "tooltip": "keep this picture as a file"}


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

    An explorer gives sliders, values, spec, reset, a panel (the sheet of its views) and how it is drawn.
    """

    @property
    def figure(self):
        """Return the matplotlib Figure behind the picture."""
        return self.panel.figure

    @property
    def png(self) -> bytes:
        """Return the picture that the page shows."""
        with LOCK:
            return self._picture.value

    @property
    def text(self) -> str:
        """Return in words what the picture shows."""
        with LOCK:
            return self.panel.text

    def save(self, path) -> Path:
        """Write the current picture to a .png, .svg or .pdf file and return its path."""
        with LOCK:
            return self.panel.save(path)

    def close(self) -> None:
        """Take the explorer off the page and let go of its sliders."""
        with LOCK:
            close_all(self.box)

    def _build(self) -> None:
        """Make the widgets."""
        self._picture, self._words, self._news = picture(), widgets.HTML(), widgets.HTML()
        self._buttons = [
            button("Reset", self.reset, icon="undo", tooltip="put every slider back"),
            button("Save PNG", lambda: self._save("png"), **SAVE),
            button("Save SVG", lambda: self._save("svg"), **SAVE),
        ]
        self._controls = grid(self.sliders.values())
        self.box = widgets.VBox(self._parts())
        projector.dress(self.box)

    def _parts(self) -> list:
        """Return what stands on the page, from the top."""
        return [self._controls, self._picture, self._words, self._news, widgets.HBox(self._buttons)]

    def _fit(self) -> None:
        """Give picture and sliders the width that they are drawn for."""
        widen(self._picture, f"{self._drawn.shown}px")
        self._controls.layout.max_width = "100%" if projector.presenting() else f"{self._drawn.shown}px"

    def _say(self, message: str, *, good: bool = False) -> None:
        """Put a line under the picture: an alarm, or good news."""
        self._news.value = f'<div role="{"status" if good else "alert"}">{html.escape(message)}</div>'

    def _save(self, suffix: str) -> None:
        parts = [f"{name}-{as_text(value)}" for name, value in self.values.items() if value is not None]
        name = re.sub(r"[^\w.,-]+", "-", "_".join([*(e.name for e in self.spec.encodings), *parts]))[:150]
        with LOCK:
            data = self._file(suffix)
        try:
            self._say(kept(self._picture, f"{name}.{suffix}", data), good=True)
        except OSError as error:
            self._say(f"Not saved: {error.strerror or error}")

    def _file(self, suffix: str) -> bytes:
        """Return the picture as it is to be kept."""
        return self.panel.picture(suffix)

    def __reduce_ex__(self, protocol):
        raise TypeError("an explorer cannot be copied or pickled: it belongs to its page; call explore again")

    def stored(self, words: str) -> tuple[dict, dict]:
        """Return the picture and some words as a notebook without a kernel shows them."""
        alt = f"{self.panel.titles}. What it shows is said below."
        return bundle(self._picture.value, words, alt, self._drawn.shown)


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


def grid(sliders) -> widgets.GridBox:
    """Return sliders side by side, as many as the page has room for."""
    least = projector.SLIDER if projector.presenting() else projector.DESK_SLIDER
    columns = f"repeat(auto-fit, minmax(min({least}px, 100%), 1fr))"
    layout = widgets.Layout(align_items="center", grid_template_columns=columns, grid_gap="2px 18px")
    return widgets.GridBox(list(sliders), layout=layout)


def kept(widget, name: str, data: bytes) -> str:
    """Give a file to the reader's browser, or write it beside the notebook where there is none; say what became of it.

    Raises:
        OSError: the folder cannot be written.
    """
    if deliver(widget, name, data):
        return f"Saved as {name}, where your browser keeps downloads."
    atomic_write(Path(name), data)
    return f"Saved as {name} in {Path.cwd().name}/"


def button(label: str, action: Callable, **look) -> widgets.Button:
    """Return a button that does something without arguments."""
    made = widgets.Button(description=label, **look)
    made.on_click(lambda _: action())
    return made
