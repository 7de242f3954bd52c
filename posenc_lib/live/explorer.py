"""The panel that a reader drags: sliders, one picture, and a line that says in words what it shows."""

import html
import re
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import ipywidgets as widgets

from posenc_lib.encodings.parameter import as_text
from posenc_lib.live import projector
from posenc_lib.live.blit_canvas import BlitCanvas
from posenc_lib.live.settings import Settings
from posenc_lib.spec import Spec
from posenc_lib.views import Panel
from posenc_lib.views.output import bundle
from posenc_lib.views.style import LOCK

SLIDER = 290  # px that a slider with its name and number needs


class Explorer:
    """An encoding under the reader's hand; made by `explore`.

    Displayed in a notebook it is live; stored, it is a picture and words.
    """

    one_width = False  # whether d_model and head_dim are one slider where several encodings have both
    raise_errors = False  # tests set it: in front of a class an error is a line of text, not a traceback

    def __init__(self, spec: Spec, start: dict | None = None):
        self._held = 0
        with LOCK:
            self._settings = Settings(spec, start, one_width=self.one_width)
            self._begin()
            views, values, large = spec.draw(), self.values, projector.presenting()
            width = projector.WIDTH if large and len(views) > 1 else None
            panel = Panel(views, spec.encodings_at(values), values, width=width)
            self._canvas = BlitCanvas(panel, projector.SHARPNESS) if large else BlitCanvas(panel)
            self._build()
            self._show()
            if spec.notes:
                self._say(" ".join(spec.notes), good=True)
        for slider in self.sliders.values():
            slider.observe(self._moved, names="value")

    def _begin(self) -> None:
        """Move sliders before the first picture, where somebody wants it."""

    @property
    def sliders(self) -> dict:
        """Return the widgets that can be moved, by parameter name."""
        return self._settings.sliders

    @property
    def values(self) -> dict:
        """Return the value of every parameter by name, each within what the others leave to it."""
        return self._settings.values

    @property
    def spec(self) -> Spec:
        """Return what is shown, at the present values; str(explorer.spec) is the line that opens it again."""
        values = {name: value for name, value in self.values.items() if value is not None}
        return replace(self._settings.spec, values=values)

    @property
    def figure(self):
        """Return the matplotlib Figure behind the picture."""
        return self._canvas.figure

    @property
    def text(self) -> str:
        """Return in words what the picture shows."""
        with LOCK:
            return self._canvas.panel.describe()

    def set(self, **values) -> None:
        """Move sliders from code and redraw once; if any value is refused, none moves.

        Raises:
            TypeError: no such slider, or a value of the wrong type.
            ValueError: a value outside the slider's range, or beyond what the other values allow.
        """
        with LOCK:
            with self._hold():
                self._settings.assign(**values)
            self._refresh()

    def reset(self) -> None:
        """Put every slider back to where it began, with one redraw."""
        self.set(**self._settings.start)

    def save(self, path) -> Path:
        """Write the current picture to a .png, .svg or .pdf file and return its path.

        Raises:
            ValueError: the suffix is none of these.
            OSError: the folder cannot be written.
        """
        with LOCK:
            return self._canvas.panel.save(path)

    def close(self) -> None:
        """Take the explorer off the page and let go of its sliders."""
        with LOCK:
            close_all(self.box)

    @contextmanager
    def _hold(self):
        """Let sliders move without redrawing."""
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1

    def _moved(self, change) -> None:
        with LOCK:
            if not self._held:
                self._refresh()

    def _refresh(self) -> None:
        """Show the sliders' present values; an error becomes a line of text and the last picture stays."""
        try:
            with self._hold():
                self._settings.fit()
            values = self.values
            self._canvas.update(self._settings.spec.encodings_at(values), values)
            self._show()
        except BaseException as error:  # an interrupt, too, leaves views half moved
            self._canvas.forget()
            if self.raise_errors or not isinstance(error, Exception):
                raise
            self._say(f"{type(error).__name__}: {error}")

    def _build(self) -> None:
        width = "100%" if projector.presenting() else f"{self._canvas.width}px"
        self._picture = widgets.Image(format="png", layout=widgets.Layout(width="100%", max_width=width))
        self._words, self._news = widgets.HTML(), widgets.HTML()
        self._buttons = [
            _button("Reset", "undo", "put every slider back", self.reset),
            _button("Save PNG", "download", "write this picture beside the notebook", lambda: self._save("png")),
            _button("Save SVG", "download", "write this picture beside the notebook", lambda: self._save("svg")),
        ]
        each = projector.SLIDER if projector.presenting() else SLIDER
        grid = {"grid_template_columns": f"repeat(auto-fit, minmax({each}px, 1fr))", "grid_gap": "2px 18px"}
        layout = widgets.Layout(max_width=width, align_items="center", **grid)
        controls = widgets.GridBox(list(self.sliders.values()), layout=layout)
        self.box = widgets.VBox([controls, self._picture, self._words, self._news, widgets.HBox(self._buttons)])
        projector.dress(self.box)

    def _show(self) -> None:
        self._picture.value = self._canvas.frame()
        self._words.value = f'<div role="status" style="line-height:1.45">{html.escape(self.text)}</div>'
        self._say("")

    def _say(self, message: str, *, good: bool = False) -> None:
        """Put a line under the picture: an alarm, or good news, or with no message nothing."""
        kind = 'role="status"' if good else 'role="alert" style="color:#B34700;font-weight:600"'
        self._news.value = f"<div {kind}>{html.escape(message)}</div>" if message else ""

    def _save(self, suffix: str) -> None:
        parts = [f"{name}-{as_text(value)}" for name, value in self.values.items() if value is not None]
        name = re.sub(r"[^\w.,-]+", "-", "_".join([*(e.name for e in self.spec.encodings), *parts]))[:150]
        try:
            self._say(f"Saved as {self.save(f'{name}.{suffix}')} in {Path.cwd().name}/", good=True)
        except OSError as error:
            self._say(f"Not saved: {error.strerror or error}")

    def __reduce_ex__(self, protocol):
        raise TypeError("an explorer cannot be copied or pickled: it belongs to its page; call explore again")

    def __repr__(self) -> str:
        return self.text

    def stored(self, words: str) -> tuple[dict, dict]:
        """Return the picture and some words as a notebook without a kernel shows them."""
        alt = f"{self._canvas.panel.titles}. What it shows is said below."
        return bundle(self._picture.value, words, alt, self._canvas.width)

    def _repr_mimebundle_(self, include=None, exclude=None):
        with LOCK:
            data, metadata = self.stored(self.text)
            live = self.box._repr_mimebundle_() if self.box.comm else {}  # closed, it is a picture
        return live | data, metadata


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


def _button(label: str, icon: str, tooltip: str, action) -> widgets.Button:
    button = widgets.Button(description=label, icon=icon, tooltip=tooltip)
    button.on_click(lambda _: action())
    return button


def explore(name: str | list[str], *, views=None, start=None, **parameters) -> Explorer:
    """Return an explorer of an encoding: its sliders, its pictures, and what they show in words.

    Given several encodings, it draws the same views of each, and one slider moves them all:
    explore(["rope", "alibi"]) compares what attention makes of the same words. Parameters of encodings, beside the
    length, then stay at their defaults (the largest, where these differ) unless they are given.

    explore("sinusoidal") takes ranges and starting values from the catalog. Each parameter of the encoding
    or of a view can be given: a tuple (low, high) or (low, high, step) makes a slider, a list offers what is in it,
    one value fixes it.

        explore("sinusoidal", views=["heatmap", "dot_product"], seq_len=(8, 512), d_model=64, base=(10, 1e6))

    Args:
        name: an encoding of the catalog, or a list of them.
        views: one view's name or a list of them; None means those that show it best.
        start: where sliders begin, as a dict by parameter name; None means the catalog's defaults.
        **parameters: ranges, options or fixed values by parameter name.

    Raises:
        TypeError: no such parameter, or a value of the wrong type.
        ValueError: no such encoding or view; a range or value that breaks a rule of the encoding.
    """
    return Explorer(Spec.of(name, views, **parameters), start)
