"""The panel that a reader drags: sliders, one picture, and a line that says in words what it shows."""

import base64
import html
import re
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import ipywidgets as widgets

from posenc_lib.encodings import validate
from posenc_lib.encodings.catalog import encoding
from posenc_lib.encodings.sample import Sample
from posenc_lib.live.controls import checked, control, options
from posenc_lib.live.stage import LOCK, Stage
from posenc_lib.views import VIEWS, Panel
from posenc_lib.views.panel import setting

DEFAULT_VIEWS = ("trajectory", "heatmap", "dot_product")
GRID = {
    "grid_template_columns": "repeat(auto-fit, minmax(290px, 1fr))",
    "grid_gap": "2px 18px",
    "align_items": "center",
}


class Explorer:
    """An encoding under the reader's hand; made by `explore`.

    Attributes:
        sliders: the widgets that can be moved, by parameter name.
        values: the current value of every parameter, fixed ones too, by name (a copy).
        figure: the matplotlib Figure behind the picture.
    """

    raise_errors = False  # tests set it: in front of a class an error is a line of text, not a traceback

    def __init__(self, name: str, views=None, **parameters):
        self.encoding = encoding(name)
        self._views = [VIEWS[view]() for view in _view_names(views)]
        self._parameters = self._known_parameters(parameters)
        self.sliders, self._fixed = {}, {}
        for known in self._parameters.values():
            widget, value = control(known, parameters.get(known.name))
            if widget is None:
                self._fixed[known.name] = value
            else:
                self.sliders[known.name] = widget
        self._highest = {name: w.max for name, w in self.sliders.items() if isinstance(w, widgets.IntSlider)}
        self._held = 0
        with LOCK:
            self._check_ends(parameters)
            self._fit_limits()
            self._start = {name: widget.value for name, widget in self.sliders.items()}
            values = self.values
            self._stage = Stage(Panel(self._views, self._sample(values), values))
            self._build()
            self._show()
        for widget in self.sliders.values():
            widget.observe(self._moved, names="value")

    def _known_parameters(self, wanted: dict) -> dict:
        shown = self.encoding.shown
        own = {p.name: p for view in self._views for p in view.parameters}
        own = {name: replace(p, default=shown.get(name, p.default)) for name, p in own.items()}
        known = {p.name: p for p in self.encoding.parameters} | own
        for name in wanted:
            if name not in known:
                raise TypeError(
                    f"explore({self.encoding.name!r}) has no parameter {name!r} (it has {', '.join(known)})"
                )
        return known

    # what is shown -------------------------------------------------------------------------------

    @property
    def values(self) -> dict:
        """Return the value of every parameter by name, each within what the others leave to it."""
        now = {
            name: self.sliders[name].value if name in self.sliders else self._fixed[name] for name in self._parameters
        }
        for name, most in self._limits(now).items():
            if now.get(name) is not None:
                now[name] = self._parameters[name].within(now[name], most)
        return now

    @property
    def figure(self):
        """Return the matplotlib Figure behind the picture."""
        return self._stage.figure

    @property
    def text(self) -> str:
        """Return in words what the picture shows."""
        return self._stage.panel.describe()

    def _limits(self, values: dict) -> dict:
        """Return the highest value that the others leave to each parameter that depends on others."""
        most = min(view.most_positions for view in self._views)
        limits = self.encoding.limits(values)
        limits["seq_len"] = min(limits.get("seq_len", most), most)
        width = values[self.encoding.width]
        seq_len = min(values["seq_len"], limits["seq_len"])
        for view in self._views:
            limits |= view.limits(width, seq_len)
        return limits

    def _sample(self, values: dict) -> Sample:
        return Sample(self.encoding, **{p.name: values[p.name] for p in self.encoding.parameters})

    # what the caller asked for -------------------------------------------------------------------

    def _check_ends(self, wanted: dict) -> None:
        """Refuse a range or a fixed value that the encoding cannot take, before anybody meets it."""
        values = self.values
        own = {p.name for p in self.encoding.parameters}
        for name in own & set(wanted) - {"seq_len"}:
            for end in self._ends(name):
                self._sample(values | {"seq_len": 2, name: end}).table  # noqa: B018  (raises the encoding's own error)
        raised = {name: max(self._ends(name)) for name in self._parameters if _orderable(self._ends(name))}
        for name, most in self._limits(values | raised).items():
            if name in self._fixed and self._fixed[name] is not None and self._fixed[name] > most:
                if name in self.encoding.limits(values | raised):
                    self._sample(values | raised).table  # noqa: B018
                raise ValueError(f"{name} must be at most {most} here, got {self._fixed[name]}")

    def _ends(self, name: str) -> list:
        """Return the fixed value, or the first, second and last value that a slider can take."""
        widget = self.sliders.get(name)
        if widget is None:
            return [self._fixed[name]]
        if isinstance(widget, widgets.IntSlider):
            return [widget.min, min(widget.min + widget.step, widget.max), widget.max]
        return options(widget)

    # the reader's hand ---------------------------------------------------------------------------

    def set(self, **values) -> None:
        """Move sliders from code and redraw once.

        Raises:
            TypeError: no such slider, or a value of the wrong type.
            ValueError: a value outside the slider's range, or beyond what the other values allow.
        """
        for name in values:
            if name not in self.sliders:
                state = "is fixed in" if name in self._fixed else "is no parameter of"
                raise TypeError(f"{name} {state} this explorer (its sliders: {', '.join(self.sliders)})")
        with LOCK, self._one_redraw():
            now = {name: widget.value for name, widget in self.sliders.items()}
            try:
                for name, most in self._highest.items():
                    self._set_highest(name, most)
                wanted = {name: checked(self.sliders[name], name, value) for name, value in values.items()}
                limits = self._limits(self._fixed | now | wanted)
                for name, value in wanted.items():
                    if name in limits and value > limits[name]:
                        raise ValueError(f"{name} must be at most {limits[name]} here, got {value}")
                now |= wanted
            finally:
                for name, value in now.items():
                    self.sliders[name].value = value

    def reset(self) -> None:
        """Put every slider back to where it began, with one redraw."""
        self.set(**self._start)

    def save(self, path) -> Path:
        """Write the current picture to a .png, .svg or .pdf file and return its path.

        Raises:
            ValueError: the suffix is none of these.
            OSError: the folder cannot be written.
        """
        with LOCK:
            return self._stage.panel.save(path)

    def close(self) -> None:
        """Take the explorer off the page and let go of its sliders."""
        for slider in self.sliders.values():
            slider.unobserve_all()
        for widget in _inside(self.box):
            for part in (getattr(widget, "style", None), widget.layout, widget):
                if part is not None:
                    part.close()

    @contextmanager
    def _one_redraw(self):
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1
            if not self._held:
                self._refresh()

    def _moved(self, change) -> None:
        with LOCK:
            if not self._held:
                self._refresh()

    def _refresh(self) -> None:
        """Show the sliders' present values; an error becomes a line of text and the last picture stays."""
        try:
            self._held += 1
            try:
                self._fit_limits()
            finally:
                self._held -= 1
            values = self.values
            self._stage.update(self._sample(values), values)
            self._show()
        except Exception as error:
            self._stage.forget()
            if self.raise_errors:
                raise
            self._say(f"{type(error).__name__}: {error}")

    def _fit_limits(self) -> None:
        """Let each slider end where the other values say it must."""
        values = {name: widget.value for name, widget in self.sliders.items()} | self._fixed
        for name, most in self._limits(values).items():
            if name in self._highest:
                self._set_highest(name, min(most, self._highest[name]))

    def _set_highest(self, name: str, most: int) -> None:
        slider = self.sliders[name]
        slider.disabled = most <= slider.min
        slider.value = self._parameters[name].within(slider.value, most)
        most = max(most, slider.min + 1)  # the browser's slider cannot have equal ends
        if slider.max != most:
            slider.max = most

    # the page ------------------------------------------------------------------------------------

    def _build(self) -> None:
        width = f"{self._stage.width}px"
        self._picture = widgets.Image(format="png", layout=widgets.Layout(width="100%", max_width=width))
        self._words, self._error = widgets.HTML(), widgets.HTML()
        self._buttons = [
            _button("Reset", "undo", "put every slider back", self.reset),
            _button("Save PNG", "download", "write this picture beside the notebook", lambda: self._save("png")),
            _button("Save SVG", "download", "write this picture beside the notebook", lambda: self._save("svg")),
        ]
        controls = widgets.GridBox(list(self.sliders.values()), layout=widgets.Layout(max_width=width, **GRID))
        self.box = widgets.VBox([controls, self._picture, self._words, self._error, widgets.HBox(self._buttons)])

    def _show(self) -> None:
        self._picture.value = self._stage.frame()
        self._words.value = f'<div role="status" style="line-height:1.45">{html.escape(self.text)}</div>'
        self._say("")

    def _say(self, message: str) -> None:
        text = f'<div role="alert" style="color:#B34700;font-weight:600">{html.escape(message)}</div>'
        self._error.value = text if message else ""

    def _save(self, suffix: str) -> None:
        parts = [f"{name}-{setting(value)}" for name, value in self.values.items() if value is not None]
        name = re.sub(r"[^\w.,-]+", "-", "_".join([self.encoding.name, *parts]))
        try:
            self._say(f"Saved as {self.save(f'{name}.{suffix}')} in {Path.cwd().name}/")
        except OSError as error:
            self._say(f"Not saved: {error.strerror or error}")

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include=None, exclude=None):
        with LOCK:
            png = base64.b64encode(self._stage.frame()).decode()
        data = self.box._repr_mimebundle_() | {"text/plain": self.text, "image/png": png}
        return data, {"image/png": {"width": self._stage.width}}


def _inside(widget: widgets.Widget) -> list:
    """Return a widget and everything in it."""
    return [widget, *(part for child in getattr(widget, "children", ()) for part in _inside(child))]


def _button(label: str, icon: str, tooltip: str, action) -> widgets.Button:
    button = widgets.Button(description=label, icon=icon, tooltip=tooltip)
    button.on_click(lambda _: action())
    return button


def _view_names(views) -> list[str]:
    views = DEFAULT_VIEWS if views is None else [views] if isinstance(views, str) else list(views)
    for view in views:
        validate.choice("views", view, tuple(VIEWS))
    if not views or len(set(views)) < len(views):
        raise ValueError(f"views must name at least one view, each once, got {views!r}")
    return list(views)


def _orderable(values: list) -> bool:
    return all(isinstance(value, (int, float)) for value in values)


def explore(name: str, *, views=None, **parameters) -> Explorer:
    """Return an explorer of an encoding: its sliders, its pictures, and what they show in words.

    explore("sinusoidal") takes ranges and starting values from the catalog. Each parameter of the encoding
    or of a view can be given: a tuple (low, high) or (low, high, step) makes a slider, a list of options
    makes a choice, one value fixes it.

        explore("sinusoidal", views=["heatmap", "dot_product"], seq_len=(8, 512), d_model=64, base=(10, 1e6))

    Args:
        name: an encoding of the catalog.
        views: one view's name or a list of them; None means points, table and dot product.
        **parameters: ranges, options or fixed values by parameter name.

    Raises:
        TypeError: no such parameter, or a value of the wrong type.
        ValueError: no such encoding or view; a range or value that breaks a rule of the encoding.
    """
    return Explorer(name, views, **parameters)
