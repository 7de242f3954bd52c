"""The values behind an explorer: a slider or a fixed value for each parameter, and what they leave to one another."""

from collections.abc import Iterator

import ipywidgets as widgets

from posenc_lib.encodings import validate
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.validate import as_text
from posenc_lib.spec import Spec

STEPS = 10_000  # of a slider, at most
VISITED = 8  # values of a slider that frozen axes hold, and the last one
ROLES = ("query", "pair", "offset")  # these have a colour of their own, in pictures and beside them


def control(parameter: Parameter, wanted=None):
    """Return a widget that the reader can move, or the value that is fixed, which may be None.

    Args:
        parameter: the record of the catalog or of a view.
        wanted: None for the parameter's own range; a tuple (low, high) or (low, high, step) for a slider; a list of
            numbers for a slider over these; a list or tuple of options for a choice; anything else is a fixed value.
    """
    if wanted is None:
        ranged = parameter.default is not None and not parameter.options
        wanted = (parameter.low, parameter.high) if ranged else parameter.default
    if isinstance(wanted, tuple) and not parameter.options:
        return _range(parameter, wanted)
    if isinstance(wanted, (list, tuple)):
        return _offer(parameter, wanted)
    return None if wanted is None else parameter.checked(wanted)


def _offer(parameter: Parameter, wanted: list | tuple):
    """Return a choice of options, or a slider over some numbers."""
    values = [parameter.checked(value) for value in wanted]
    if len(set(values)) < 2:
        raise ValueError(f"{parameter.name} must offer at least two options, got {wanted!r}")
    if not parameter.options:
        return _over(parameter, sorted(set(values)))
    value = parameter.default if parameter.default in values else values[0]
    named = [({False: "off", True: "on"}[v] if isinstance(v, bool) else str(v), v) for v in values]
    return widgets.ToggleButtons(options=named, value=value, **_look(parameter))


def _range(parameter: Parameter, wanted: tuple):
    """Return a slider from low to high, in steps of its scale or in those that are asked for."""
    name, scale, step = parameter.name, parameter.scale, None
    ends = [
        parameter.checked(x, called=f"{name} {end}")
        for end, x in zip(("low", "high"), wanted, strict=False)
    ]
    if len(wanted) not in (2, 3) or ends[0] >= ends[1]:
        raise ValueError(
            f"{name} must be (low, high) or (low, high, step) with low below high, got {wanted!r}"
        )
    low, high, start = *ends, _start(parameter)
    if len(wanted) == 3:
        least, most = (
            ((high - low) / STEPS, high - low) if scale != "log" else (0.001, 1)
        )  # where 1 is tenfold
        step = validate.real(f"{name} step", wanted[2], low=least, high=most)
    if parameter.names:
        return _over(parameter, list(range(low, high + 1)))
    values = [] if scale == "linear" else parameter.values(low, high, step)
    if scale == "power of two" and (step or [*values[:1], *values[-1:]] != ends):
        values = []  # numbers between powers are wanted, too
    if values:
        return _over(
            parameter,
            sorted({*values, start} if start is not None and low < start < high else values),
        )
    step = validate.integer(f"{name} step", wanted[2]) if step else int(parameter.step)
    most, start = (low + (x - low) // step * step for x in (high, min(max(start, low), high)))
    return widgets.IntSlider(value=start, min=low, max=most, step=step, **_look(parameter))


def _over(parameter: Parameter, values: list):
    """Return a slider over these values, which begins near where the parameter does."""
    options = [(_written(parameter, value), value) for value in values]
    made = widgets.SelectionSlider(
        options=options, value=_nearest(values, _start(parameter)), **_look(parameter)
    )
    return made.add_class("posenc-named" if parameter.names else "posenc-options")


def _look(parameter: Parameter) -> dict:
    """Return the name of a widget, its help, and the class of its role."""
    classes = [f"posenc-{parameter.name}"] if parameter.name in ROLES else []
    return {"description": parameter.name, "tooltip": parameter.help, "_dom_classes": classes}


def _written(parameter: Parameter, value) -> str:
    """Return a value as it stands beside its slider."""
    if parameter.names:
        return parameter.names[value]
    return f"{value:,.0f}" if parameter.scale == "log" and value >= 10 else as_text(value)


def _start(parameter: Parameter):
    return parameter.start if parameter.default is None else parameter.default


def _nearest(values: list, value):
    return min(values, key=lambda one: abs(one - value))


def steps(widget) -> list:
    """Return the values that a slider goes through, or the options of a choice."""
    if isinstance(widget, widgets.IntSlider):
        return list(range(widget.min, widget.max + 1, widget.step))
    return [option[1] if isinstance(option, tuple) else option for option in widget.options]


class Settings:
    """The values behind an explorer, and its sliders by parameter name.

    The spec's values are what the caller asked for, see `control`. Several encodings share what is called alike, and
    parameters of their own, beside the length, are sliders only where the caller wants them. Sliders begin at `start`,
    else at their default; near: whether a value of start that a slider cannot take moves it as near as it can go.
    """

    def __init__(self, spec: Spec, start: dict | None = None, *, near: bool = False):
        self.spec, self.parameters, wanted = spec, spec.parameters, self._wanted(spec)
        self.asleep = False  # whether no slider can be moved
        self.sliders: dict[str, widgets.Widget] = {}
        self._fixed: dict[str, object] = {}
        self._steps: dict[
            str, list
        ] = {}  # those that a slider began with, where another number has taken a place
        for name, parameter in self.parameters.items():
            made = control(parameter, wanted.get(name))
            (self.sliders if isinstance(made, widgets.Widget) else self._fixed)[name] = made
        whole = {
            name: slider
            for name, slider in self.sliders.items()
            if isinstance(slider, widgets.IntSlider)
        }
        self._ends = {name: (slider.min, slider.max) for name, slider in whole.items()}
        self._fix_what_has_no_room()
        start = {} if start is None else start
        if not isinstance(start, dict) or not all(isinstance(name, str) for name in start):
            raise TypeError(
                f"start must be a dict of values by parameter name, got {validate.show(start)}"
            )
        self.assign(start, near=near)
        self.start = {name: slider.value for name, slider in self.sliders.items()}

    @staticmethod
    def _wanted(spec: Spec) -> dict:
        """Return what each parameter is to be, by name: what the caller asked for, and what follows from it."""
        wanted = dict(spec.values)
        if (
            len(spec.encodings) > 1
        ):  # what is compared moves together; the rest stays unless asked for
            own = [name for name in spec.parameters if name in spec.owned and name != "seq_len"]
            wanted = {name: spec.parameters[name].default for name in own} | wanted
        elif spec.encodings[0].from_function:  # what a function leaves open, its reader may choose
            wanted = {
                p.name: list(p.options) for p in spec.encodings[0].parameters if False in p.options
            } | wanted
        for name in spec.irrelevant:  # nobody shall look for what such a slider does
            if isinstance(wanted.setdefault(name, spec.parameters[name].default), (tuple, list)):
                raise ValueError(
                    f"{name} must be one value here, where it changes nothing, got {wanted[name]!r}"
                )
        return wanted

    def _fix_what_has_no_room(self) -> None:
        """Let what has one value left be no slider, as the pair where there are two dims; refuse what has none left."""
        roomy = self._raw() | {name: high for name, (_, high) in self._ends.items()}
        for name, most in self.spec.highest(roomy).items():
            if name in self._ends and name not in self.spec.values and most <= self._ends[name][0]:
                del self.sliders[name], self._ends[name]
                self._fixed[name] = most
            fixed = self._fixed.get(name)
            if fixed is not None and fixed > most and name not in self.spec.irrelevant:
                raise ValueError(f"{name} must be at most {most} here, got {fixed}")

    @property
    def values(self) -> dict:
        """Return the value of every parameter by name, each within what the others leave to it."""
        return self.within(None)

    def within(self, highest: dict | None) -> dict:
        """Return the value of every parameter by name, each up to these highest values; None are those of the others."""
        return self.spec.clamp(self._raw(), highest)

    def settle(self) -> dict:
        """Let each slider end where the other values say it must; return the highest values by name."""
        highest = self.spec.highest(self._raw())
        for name in highest.keys() & self._ends.keys():
            self._end_at(name, min(highest[name], self._ends[name][1]))
        return highest

    def sleep(self, on: bool) -> None:
        """Let no slider move, or all that can."""
        self.asleep = on
        for slider in self.sliders.values():
            slider.disabled = on
        self.settle()

    def ends(self) -> Iterator[dict]:
        """Yield all values as they are, then with each slider at some values from end to end, or at each without order.

        Without order are a choice, and what nobody needs to set: a draw, a dim.
        """
        raw = self._raw()
        yield self.spec.clamp(raw)
        for name, widget in self.sliders.items():
            unordered = (
                isinstance(widget, widgets.ToggleButtons) or self.parameters[name].default is None
            )
            every = steps(widget)
            some = every if unordered else [*every[: -1 : max(len(every) // VISITED, 1)], every[-1]]
            yield from (self.spec.clamp(raw | {name: end}) for end in some)

    def taken(self, name: str, value, *, near: bool = False):
        """Return value as its slider can take it: of a range of numbers any within it, else one of its steps.

        Near: another value becomes the nearest, or what the slider has where none is near; else it is refused.
        """
        parameter, values = self.parameters[name], steps(self.sliders[name])
        value = value if near else parameter.checked(value)
        known = value in values
        if known or value is None or isinstance(value, (str, bool)) or parameter.options:
            found = value if known else self.sliders[name].value
        elif parameter.scale in ("log", "real") and not isinstance(
            self.spec.values.get(name), list
        ):
            found = min(max(value, values[0]), values[-1])
        else:
            found = _nearest(values, value)
        if found != value and not near:
            ends, got = " … ".join(map(as_text, (values[0], values[-1]))), as_text(value)
            raise ValueError(f"{name} must be a value of its slider, {ends}, got {got}")
        return found

    def go(self, name: str, value) -> None:
        """Move a slider to a value; what lies between its steps takes the place of the nearest one, until another does.

        A slider on a page cannot have more steps than it began with.
        """
        slider, parameter = self.sliders[name], self.parameters[name]
        if value not in steps(slider):
            values = list(self._steps.setdefault(name, steps(slider)))
            if value not in values:
                values[min(range(1, len(values) - 1), key=lambda k: abs(values[k] - value))] = value
            with slider.hold_sync():
                slider.options = [(_written(parameter, one), one) for one in values]
                slider.value = value
        slider.value = value

    def assign(self, values: dict, *, near: bool = False) -> None:
        """Move sliders; if any value is refused, none moves. Near: each that is here, as near as it can go."""
        for name in () if near else values:
            if name not in self.sliders:
                state = "is fixed in" if name in self._fixed else "is no parameter of"
                raise TypeError(
                    f"{name} {state} this explorer (its sliders: {', '.join(self.sliders)})"
                )
        for name, (
            _,
            high,
        ) in self._ends.items():  # the whole range, for values that only fit together
            self._end_at(name, high)
        try:
            wanted = {
                n: self.taken(n, value, near=near)
                for n, value in values.items()
                if n in self.sliders
            }
            for name, limit in self.spec.highest(self._raw() | wanted).items():
                if name in wanted and wanted[name] > limit and not near:
                    raise ValueError(f"{name} must be at most {limit} here, got {wanted[name]}")
            for name, value in wanted.items():
                self.go(name, value)
        finally:
            self.settle()

    def _raw(self) -> dict:
        moved = {name: widget.value for name, widget in self.sliders.items()}
        return {name: moved.get(name, self._fixed.get(name)) for name in self.parameters}

    def _end_at(self, name: str, most: int) -> None:
        slider, low = self.sliders[name], self._ends[name][0]
        if low < 0 < most:  # what counts both ways ends as far before as after
            slider.min = max(low, -most)
        slider.disabled = self.asleep or most <= slider.min
        if slider.value > most:  # else another thread's drag could be taken back
            slider.value = self.parameters[name].clamp(slider.value, most)
        slider.max = max(most, slider.min + 1)  # the browser's slider cannot have equal ends
