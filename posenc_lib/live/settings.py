"""What a reader has set: every parameter, as a slider or fixed, within the limits that the others leave."""

import itertools
from dataclasses import replace

import ipywidgets as widgets

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.live.controls import checked, control, nearest, options
from posenc_lib.views import View
from posenc_lib.views.names import irrelevant, parameters_of


class Settings:
    """The values behind an explorer.

    Args:
        encodings: records of the catalog. Several share what is called alike, and parameters of their own, beside
            the length, are sliders only where the caller wants them.
        views: the views that will show them, as many for each.
        wanted: what the caller asked for, by parameter name; see `control`.
        start: where sliders begin, by parameter name, if not at their default.
        one_width: whether the dims of words and those of a head, where encodings have the one and the other, are one
            slider.

    Attributes:
        sliders: the widgets that can be moved, by parameter name.

    Raises:
        TypeError, ValueError: something asked for breaks a rule of the encoding or of a view.
    """

    def __init__(
        self,
        encodings: list[Encoding],
        views: list[View],
        wanted: dict,
        start: dict | None = None,
        *,
        one_width: bool = False,
    ):
        self.encodings, self.views = encodings, views
        names = [p.name for encoding in encodings for p in encoding.parameters]
        self._own = [name for name in dict.fromkeys(names) if name != "seq_len"]  # of the encodings alone, in order
        self.parameters = self._known(wanted)
        self._follows = self._one_width(wanted) if one_width else {}
        if len(encodings) > 1:  # what is compared moves together; the rest stays unless asked for
            wanted = {name: self.parameters[name].default for name in self._own} | wanted
        idle = self._idle(wanted)
        wanted = wanted | {name: wanted.get(name, self.parameters[name].default) for name in idle}
        self.sliders: dict[str, widgets.Widget] = {}
        self._fixed: dict[str, object] = {}
        for name, parameter in self.parameters.items():
            if name in self._follows:
                continue
            widget, value = control(parameter, wanted.get(name))
            if widget is None:
                self._fixed[name] = value
            else:
                self.sliders[name] = widget
        self._highest = {name: w.max for name, w in self.sliders.items() if isinstance(w, widgets.IntSlider)}
        self._refuse_what_the_encoding_cannot_take()
        self._refuse_what_can_never_fit()
        self.fit()
        self.assign(**_names("start", start))
        self.start = {name: widget.value for name, widget in self.sliders.items()}

    def _known(self, wanted: dict) -> dict[str, Parameter]:
        known = parameters_of(self.encodings, self.views)
        for name in wanted:
            if name not in known:
                names = " and ".join(encoding.name for encoding in self.encodings)
                raise TypeError(f"{names} has no parameter {name!r} here (it has {', '.join(known)})")
        return known

    def _idle(self, wanted: dict) -> set[str]:
        """Return the parameters that change nothing that is drawn; nobody shall look for what such a slider does."""
        idle = irrelevant(self.encodings, self.views)
        one = {*self._follows, *self._follows.values()}
        if not one <= idle:
            idle -= one  # their one slider moves what either of them changes
        for name in idle & set(wanted):
            if isinstance(wanted[name], (tuple, list)):
                drawn = " and ".join(dict.fromkeys(view.name for view in self.views))
                raise ValueError(f"{name} must be one value, for it changes nothing in {drawn}, got {wanted[name]!r}")
        return idle

    def _one_width(self, wanted: dict) -> dict[str, str]:
        """Let one parameter follow another: head_dim the d_model, which then keeps the rules of both."""
        if not {"d_model", "head_dim"} <= set(self.parameters):
            return {}
        self.parameters["d_model"] = replace(self.parameters["head_dim"], name="d_model")
        wanted.pop("head_dim", None)
        return {"head_dim": "d_model"}

    def approach(self, values: dict) -> dict:
        """Move sliders as near to these values as each can go; return what is elsewhere now, as (wanted, now) by name.

        What this panel does not have is left out.
        """
        for name, most in self._highest.items():
            self._end_at(name, most)
        for name, value in values.items():
            if name in self.sliders:
                self.sliders[name].value = nearest(self.sliders[name], value)
        self.fit()
        now = self.values
        here = {*self.sliders, *self._follows}
        return {name: (value, now[name]) for name, value in values.items() if name in here and now[name] != value}

    @property
    def values(self) -> dict:
        """Return the value of every parameter by name, each within what the others leave to it."""
        return self._within_limits(self._raw())

    def _within_limits(self, values: dict) -> dict:
        values = dict(values)
        for name, limit in self._limits(values).items():
            if values.get(name) is not None:
                values[name] = self.parameters[name].clamp(values[name], limit)
        return values

    def samples(self, values: dict) -> list[Encoding]:
        """Return the encodings at these values."""
        return [encoding.among(values) for encoding in self.encodings]

    def fit(self) -> None:
        """Let each slider end where the other values say it must."""
        for name, limit in self._limits(self._raw()).items():
            if name in self._highest:
                self._end_at(name, min(limit, self._highest[name]))

    def assign(self, **values) -> None:
        """Move sliders; if any value is refused, none moves.

        Raises:
            TypeError: no such slider, or a value of the wrong type.
            ValueError: a value outside the slider's range, or beyond what the other values allow.
        """
        for name in values:
            if name not in self.sliders:
                state = "is fixed in" if name in self._fixed else "is no parameter of"
                raise TypeError(f"{name} {state} this explorer (its sliders: {', '.join(self.sliders)})")
        for name, most in self._highest.items():
            self._end_at(name, most)  # room for values that only fit together
        try:
            wanted = {name: checked(self.sliders[name], name, value) for name, value in values.items()}
            for name, limit in self._limits(self._raw() | wanted).items():
                if name in wanted and wanted[name] > limit:
                    raise ValueError(f"{name} must be at most {limit} here, got {wanted[name]}")
            for name, value in wanted.items():
                self.sliders[name].value = value
        finally:
            self.fit()

    def _raw(self) -> dict:
        moved = {name: widget.value for name, widget in self.sliders.items()}
        values = {name: moved.get(name, self._fixed.get(name)) for name in self.parameters}
        return values | {name: values[leader] for name, leader in self._follows.items()}

    def _limits(self, values: dict) -> dict:
        """Return the highest value that the others leave to each parameter that depends on others."""
        limits: dict = {"seq_len": min(view.most_positions for view in self.views)}

        def limit(more: dict) -> None:
            limits.update({name: min(limits.get(name, most), most) for name, most in more.items()})

        for encoding in self.encodings:
            ends = encoding.among(values).limits
            if len(self.encodings) > 1 and all(view.shows_end for view in self.views):
                ends.pop("seq_len", None)  # beside others, an encoding that ends is seen to end
            limit(ends)
        seq_len = min(values["seq_len"], limits["seq_len"])
        each = len(self.views) // len(self.encodings)
        for k, sample in enumerate(self.samples(values)):
            for view in self.views[k * each : (k + 1) * each]:
                limit(view.limits(sample.num_dims, seq_len))
        return limits

    def _end_at(self, name: str, most: int) -> None:
        slider = self.sliders[name]
        slider.disabled = most <= slider.min
        if slider.value > most:  # else another thread's drag could be taken back
            slider.value = self.parameters[name].clamp(slider.value, most)
        slider.max = max(most, slider.min + 1)  # the browser's slider cannot have equal ends

    def _refuse_what_the_encoding_cannot_take(self) -> None:
        """Try the ends of every range of the encoding's own, so that it raises its own error now or never."""
        shortest = {"seq_len": min(self._ends("seq_len"))}
        for name in self._own:
            for end in self._ends(name):
                alike = {follower: end for follower, leader in self._follows.items() if name in (follower, leader)}
                for sample in self.samples(self._within_limits(self._raw() | {name: end} | alike) | shortest):
                    sample.check()

    def _refuse_what_can_never_fit(self) -> None:
        """Refuse a fixed value that no setting has room for, and a range that some setting has no room for."""
        ends = {name: self._ends(name) for name, w in self.sliders.items() if not isinstance(w, widgets.ToggleButtons)}
        choices = [name for name in self.sliders if name not in ends]
        options_of = [options(self.sliders[name]) for name in choices]
        for chosen in itertools.product(*options_of):
            now = self._raw() | dict(zip(choices, chosen, strict=True))
            self._refuse_too_much(now | {name: max(values) for name, values in ends.items()})
            self._refuse_too_little_room(now | {name: min(values) for name, values in ends.items()})

    def _refuse_too_much(self, roomy: dict) -> None:
        for name, limit in self._limits(roomy).items():
            value = self._fixed.get(name)
            if value is not None and value > limit:
                for encoding, sample in zip(self.encodings, self.samples(roomy), strict=True):
                    if encoding.has("table") and name in sample.limits:
                        sample.check()  # the encoding words its own rule best
                raise ValueError(f"{name} must be at most {limit} here, got {value}")

    def _refuse_too_little_room(self, tight: dict) -> None:
        for name, limit in self._limits(tight).items():
            if name in self._highest and self.sliders[name].min > limit:
                low = self.sliders[name].min
                raise ValueError(f"{name} low must be at most {limit}, all that other sliders may leave, got {low}")

    def _ends(self, name: str) -> list:
        """Return the fixed value, or the first, second and last value that a slider can take."""
        widget = self.sliders.get(name)
        if name in self._follows:
            return self._ends(self._follows[name])
        if widget is None:
            return [self._fixed[name]]
        if isinstance(widget, widgets.IntSlider):
            return [widget.min, min(widget.min + widget.step, widget.max), widget.max]
        return options(widget)


def _names(argument: str, values) -> dict:
    if values is not None and not (isinstance(values, dict) and all(isinstance(name, str) for name in values)):
        raise TypeError(f"{argument} must be a dict of values by parameter name, got {validate.show(values)}")
    return values or {}
