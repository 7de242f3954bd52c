"""The panel that a reader drags: what is set, and what is drawn again when it changes."""

import html
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import ipywidgets as widgets

from posenc_lib.encodings import validate
from posenc_lib.live import projector
from posenc_lib.live.controls import checked, control, nearest, steps
from posenc_lib.live.page import Page
from posenc_lib.spec import Spec
from posenc_lib.views.panel import BlitCanvas, Panel
from posenc_lib.views.style import LOCK


class Settings:
    """The values behind an explorer, and its sliders by parameter name.

    The spec's values are what the caller asked for, see `control`. Several encodings share what is called alike, and
    parameters of their own, beside the length, are sliders only where the caller wants them. Sliders begin at `start`,
    else at their default. With one_width d_model and head_dim, where encodings have the one and the other, are one.
    """

    def __init__(self, spec: Spec, start: dict | None = None, *, one_width: bool = False):
        self.spec, wanted = spec, dict(spec.values)
        self.parameters = dict(spec.parameters)
        self._follows = self._one_width(wanted) if one_width else {}
        own = [name for name in spec.parameters if name in spec.owned and name != "seq_len"]
        if len(spec.encodings) > 1:  # what is compared moves together; the rest stays unless asked for
            wanted = {name: self.parameters[name].default for name in own} | wanted
        else:  # what a function leaves open, its reader may choose
            flags = [p for one in spec.encodings if one.opaque for p in one.parameters if False in p.options]
            wanted = {p.name: list(p.options) for p in flags} | wanted
        for name in self._idle(wanted):
            wanted.setdefault(name, self.parameters[name].default)
        self.sliders: dict[str, widgets.Widget] = {}
        self._fixed: dict[str, object] = {}
        for name, parameter in self.parameters.items():
            if name not in self._follows:
                made = control(parameter, wanted.get(name))
                (self.sliders if isinstance(made, widgets.Widget) else self._fixed)[name] = made
        self._highest = {name: w.max for name, w in self.sliders.items() if isinstance(w, widgets.IntSlider)}
        self._refuse_what_the_encodings_cannot_take(own)
        self._refuse_fixed_values_beyond_limits()
        self.settle()
        start = {} if start is None else start
        if not isinstance(start, dict) or not all(isinstance(name, str) for name in start):
            raise TypeError(f"start must be a dict of values by parameter name, got {validate.show(start)}")
        self.assign(**start)
        self.start = {name: widget.value for name, widget in self.sliders.items()}

    def _idle(self, wanted: dict) -> set[str]:
        """Return the parameters that change nothing that is drawn; nobody shall look for what such a slider does."""
        idle, one = set(self.spec.irrelevant), {*self._follows, *self._follows.values()}
        if not one <= idle:
            idle -= one  # their one slider moves what either of them changes
        for name in idle & set(wanted):
            if isinstance(wanted[name], (tuple, list)):
                drawn = " and ".join(view.name for view in self.spec.views)
                raise ValueError(f"{name} must be one value, for it changes nothing in {drawn}, got {wanted[name]!r}")
        return idle

    def _one_width(self, wanted: dict) -> dict[str, str]:
        """Let one parameter follow another: head_dim the d_model, which then keeps the rules of both."""
        if not {"d_model", "head_dim"} <= set(self.parameters):
            return {}
        self.parameters["d_model"] = replace(self.parameters["head_dim"], name="d_model")
        wanted.pop("head_dim", None)
        return {"head_dim": "d_model"}

    @property
    def values(self) -> dict:
        """Return the value of every parameter by name, each within what the others leave to it."""
        return self.spec.clamp(self._raw())

    def settle(self) -> dict:
        """Let each slider end where the other values say it must; return all values."""
        raw = self._raw()
        limits = self.spec.limits(raw)
        for name in limits.keys() & self._highest.keys():
            self._end_at(name, min(limits[name], self._highest[name]))
        now = self._raw()
        return self.spec.clamp(now, limits if now == raw else None)

    def approach(self, values: dict) -> dict:
        """Move sliders as near to these values as each can go; return what is elsewhere now, as (wanted, now) by name.

        What this panel does not have is left out.
        """
        self._open()
        for name, value in values.items():
            if name in self.sliders:
                self.sliders[name].value = nearest(self.sliders[name], value)
        now = self.settle()
        here = {*self.sliders, *self._follows}
        return {name: (value, now[name]) for name, value in values.items() if name in here and now[name] != value}

    def assign(self, **values) -> None:
        """Move sliders; if any value is refused, none moves."""
        for name in values:
            if name not in self.sliders:
                state = "is fixed in" if name in self._fixed else "is no parameter of"
                raise TypeError(f"{name} {state} this explorer (its sliders: {', '.join(self.sliders)})")
        self._open()
        try:
            wanted = {name: checked(self.sliders[name], name, value) for name, value in values.items()}
            for name, limit in self.spec.limits(self._raw() | wanted).items():
                if name in wanted and wanted[name] > limit:
                    raise ValueError(f"{name} must be at most {limit} here, got {wanted[name]}")
            for name, value in wanted.items():
                self.sliders[name].value = value
        finally:
            self.settle()

    def _raw(self) -> dict:
        moved = {name: widget.value for name, widget in self.sliders.items()}
        values = {name: moved.get(name, self._fixed.get(name)) for name in self.parameters}
        return values | {name: values[leader] for name, leader in self._follows.items()}

    def _open(self) -> None:
        """Give every slider its whole range, for values that only fit together."""
        for name, most in self._highest.items():
            self._end_at(name, most)

    def _end_at(self, name: str, most: int) -> None:
        slider = self.sliders[name]
        slider.disabled = most <= slider.min
        if slider.value > most:  # else another thread's drag could be taken back
            slider.value = self.parameters[name].clamp(slider.value, most)
        slider.max = max(most, slider.min + 1)  # the browser's slider cannot have equal ends

    def _refuse_what_the_encodings_cannot_take(self, own: list[str]) -> None:
        """Try the ends of every range of an encoding's own, so that it raises its own error now or never."""
        shortest = {"seq_len": min(self._ends("seq_len"))}
        for name in own:
            for end in self._ends(name):
                alike = {follower: end for follower, leader in self._follows.items() if name in (follower, leader)}
                for encoding in self.spec.encodings_at(self.spec.clamp(self._raw() | {name: end} | alike) | shortest):
                    if not encoding.opaque:  # what a function cannot take, its reader may find out
                        encoding.check()

    def _refuse_fixed_values_beyond_limits(self) -> None:
        """Refuse a fixed value that has no room even where all sliders leave as much as they can."""
        roomy = self._raw() | {name: max(self._ends(name)) for name in self._highest}
        for name, limit in self.spec.limits(roomy).items():
            value = self._fixed.get(name)
            if value is not None and value > limit:
                for encoding in self.spec.encodings_at(roomy):
                    if encoding.has("table") and name in encoding.limits:
                        encoding.check()  # the encoding words its own rule best
                raise ValueError(f"{name} must be at most {limit} here, got {value}")

    def _ends(self, name: str) -> list:
        """Return the fixed value, or the first, second and last value that a slider can take."""
        widget = self.sliders.get(name)
        if name in self._follows:
            return self._ends(self._follows[name])
        if widget is None:
            return [self._fixed[name]]
        if isinstance(widget, widgets.IntSlider):
            return [widget.min, min(widget.min + widget.step, widget.max), widget.max]
        return steps(widget)


class Explorer(Page):
    """An encoding under the reader's hand; made by `explore`."""

    one_width = False  # whether d_model and head_dim are one slider where several encodings have both
    _held = 0
    raise_errors = False  # tests set it: in front of a class an error is a line of text, not a traceback

    def __init__(self, spec: Spec, start: dict | None = None):
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

    def set(self, **values) -> None:
        """Move sliders from code and redraw once; if any value is refused, none moves."""
        with LOCK:
            with self._hold():
                self._settings.assign(**values)
            self._refresh()

    def reset(self) -> None:
        """Put every slider back to where it began, with one redraw."""
        self.set(**self._settings.start)

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
                values = self._settings.settle()
            self._canvas.update(self._settings.spec.encodings_at(values), values)
            self._show()
        except BaseException as error:  # an interrupt, too, leaves views half moved
            self._canvas.forget()
            if self.raise_errors or not isinstance(error, Exception):
                raise
            self._say(f"{type(error).__name__}: {error}")

    def _show(self) -> None:
        self._picture.value = self._canvas.frame()
        words = html.escape(self._canvas.panel.describe())
        self._words.value = f'<div role="status" style="line-height:1.45">{words}</div>'
        self._news.value = ""


def explore(
    what: object,
    *,
    views: str | Sequence[str] | None = None,
    start: dict[str, Any] | None = None,
    **parameters: object,
) -> Explorer:
    """Return an explorer of an encoding: its sliders, its pictures, and what they show in words.

    Given several encodings, it draws the same views of each, and one slider moves them all:
    explore(["rope", "alibi"]) compares what attention makes of the same words. Parameters of encodings, beside the
    length, then stay at their defaults (the largest, where these differ) unless they are given.

    Ranges and starting values come from the catalog. Any parameter of the encoding or of a view can be given instead:
    a tuple (low, high) or (low, high, step) makes a slider, a list offers what is in it, one value fixes it.

    >>> panel = explore("sinusoidal", views=["heatmap", "dot_product"], seq_len=(8, 512), d_model=64, base=500.0)
    >>> list(panel.sliders)
    ['seq_len', 'query']

    An encoding of your own is
    - a function f(positions, d_model, **parameters) that returns an array of shape (n, d_model). Positions are whole
      numbers in an array; arguments with defaults become sliders from a quarter to four times as much;
    - a trained table, an array of shape (seq_len, d): its rows are the positions, and it ends where it ends;
    - an object or a class of a kind, see `Additive`, `Rotary`, `Relative`, `Bias`; its values are where sliders begin.

        explore(my_function, scale=(0.5, 2.0)); explore([model.wpe.weight, "sinusoidal"]); explore(Rope(base=500.0))

    A model's own queries and keys, of one head, stand under a rotary or relative encoding as q and k, arrays of shape
    (seq_len, head_dim) before the encoding touches them: explore("rope", q=q, k=k).

    Args:
        what: an encoding of the catalog by name, one of your own, or a list of them.
        views: one view's name or a list of them; None means those that show it best.
        start: where sliders begin, as a dict by parameter name; None means the catalog's defaults.
        **parameters: ranges, options or fixed values by parameter name.

    Raises:
        TypeError, ValueError: an encoding, a view or a value that cannot be. What fails later, under a slider, is a
            line of text, and the last picture stays.
    """
    return Explorer(Spec.of(what, views, **parameters), start)
