"""The values behind an explorer: a slider or a fixed value for each."""

from collections.abc import Iterator

import ipywidgets as widgets

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.register import todays
from posenc_lib.encodings.validate import as_text
from posenc_lib.spec import Spec, beyond
from posenc_lib.translation import said

MOST_STEPS = 10_000  # per slider
STEPS_HELD = 8  # per slider: where frozen axes are measured, plus its last step
ROLES = ("query", "position", "pair", "offset")  # these have a color, in pictures and on sliders
SWITCH = {False: "off", True: "on"}
NO_ROOM = "These settings allow only this value."


def control(parameter: Parameter, wanted=None):
    """Return a widget the reader can move, or a fixed value, which can be None.

    Args:
        parameter: of an encoding or a view.
        wanted: None for the parameter's own range; a tuple (low, high)
            or (low, high, step) for a slider; a list of numbers for a
            slider over them; a list or tuple of options for a choice;
            anything else is a fixed value.
    """
    if wanted is None:
        ranged = parameter.default is not None and not parameter.options
        wanted = (parameter.low, parameter.high) if ranged else parameter.default
    if isinstance(wanted, tuple) and not parameter.options:
        return _range(parameter, wanted)
    if isinstance(wanted, (list, tuple)):
        return _offer(parameter, wanted)
    return parameter.checked(wanted)


def _offer(parameter: Parameter, wanted: list | tuple):
    """Return a choice of options, or a slider over numbers."""
    values = [parameter.checked(value) for value in wanted]
    if len(set(values)) < 2:
        raise ValueError(f"{parameter.name} must offer at least two options, got {wanted!r}")
    if not parameter.options:
        return _over(parameter, sorted(set(values)))
    start = parameter.default if parameter.default in values else values[0]
    options = [(SWITCH.get(value, value), value) for value in values]
    return widgets.ToggleButtons(options=options, value=start, **_labels(parameter))


def _range(parameter: Parameter, wanted: tuple):
    """Return a slider from low to high, in its scale's steps or the given ones."""
    name, scale = parameter.name, parameter.scale
    given = zip(("low", "high"), wanted, strict=False)
    ends = [parameter.checked(value, called=f"{name} {end}") for end, value in given]
    if len(wanted) not in (2, 3) or ends[0] >= ends[1]:
        raise ValueError(
            f"{name} must be (low, high) or (low, high, step) with low below high, got {wanted!r}"
        )
    (low, high), step = ends, None
    if len(wanted) == 3:
        least, most = (high - low) / MOST_STEPS, high - low
        if scale == "log":
            least, most = 0.001, 1  # a step of 1 is tenfold
        step = validate.real(f"{name} step", wanted[2], low=least, high=most)
    if parameter.names:
        return _over(parameter, list(range(low, high + 1)))
    start = _start(parameter)
    values = [] if scale == "linear" else parameter.values(low, high, step)
    if scale == "power of two" and (step or not {low, high} <= set(values)):
        values = []  # include numbers between powers
    if values:
        if low < start < high:
            values = sorted({*values, start})
        return _over(parameter, values)
    step = validate.integer(f"{name} step", wanted[2]) if step else int(parameter.step)
    start = min(max(start, low), high)
    start -= (start - low) % step
    high -= (high - low) % step
    return widgets.IntSlider(value=start, min=low, max=high, step=step, **_labels(parameter))


def _over(parameter: Parameter, values: list):
    """Return a slider over these values, starting as close to its start as possible."""
    options = [(_written(parameter, value), value) for value in values]
    start = _nearest(values, _start(parameter))
    slider = widgets.SelectionSlider(options=options, value=start, **_labels(parameter))
    return slider.add_class("posenc-named" if parameter.names else "posenc-options")


def _labels(parameter: Parameter) -> dict:
    """Return a widget's name, help and role class."""
    name = parameter.name
    roles = [f"posenc-{name}"] if name in ROLES else []
    return {"description": name, "tooltip": said(parameter.help), "_dom_classes": roles}


def _written(parameter: Parameter, value) -> str:
    """Return a value as written next to its slider."""
    if parameter.names:
        return parameter.names[value]
    return f"{value:,.0f}" if parameter.scale == "log" and value >= 10 else as_text(value)


def _start(parameter: Parameter):
    return parameter.start if parameter.default is None else parameter.default


def _nearest(values: list, value):
    return min(values, key=lambda known: abs(known - value))


def steps(widget) -> list:
    """Return a slider's values, or a choice's options."""
    if isinstance(widget, widgets.IntSlider):
        return list(range(widget.min, widget.max + 1, widget.step))
    return [value for _, value in widget.options]


def _wanted(spec: Spec) -> dict:
    """Return what parameters should be, by name, if it's not their own range."""
    wanted = {}
    first, *others = spec.encodings
    if others:
        fixed = spec.owned - {"seq_len"}
        wanted = {name: spec.parameters[name].default for name in fixed}
    elif first.from_function:  # the reader can choose what it leaves open
        switches = [p for p in first.parameters if False in p.options]
        wanted = {p.name: list(p.options) for p in switches}
    wanted |= spec.values
    for name in spec.irrelevant:  # its slider would do nothing
        value = wanted.setdefault(name, spec.parameters[name].default)
        if isinstance(value, (tuple, list)):
            raise ValueError(
                f"{name} changes nothing here, so it must be a single value, got {value!r}"
            )
    return wanted


class Settings:
    """The values behind an explorer, and its sliders by parameter name.

    Its spec has what the caller wants for each parameter, see `control`;
    `Spec.parameters` says which are sliders. They start at `start`, or
    at their default. near: or as close to it as they can get.
    """

    def __init__(self, spec: Spec, start: dict | None = None, *, near: bool = False):
        self.spec = spec
        self.parameters = spec.parameters
        self.asleep = False  # whether all sliders are locked
        self.sliders = {}
        self._fixed = {}
        self._first_steps = {}  # of sliders whose steps `go` has changed
        wanted = _wanted(spec)
        for name, parameter in self.parameters.items():
            value = control(parameter, wanted.get(name))
            movable = isinstance(value, widgets.Widget)
            (self.sliders if movable else self._fixed)[name] = value
        self._pushed = {}  # each pushed slider's earlier value, and the end it's at
        self._ranges = {}  # low and high, of integers
        for name, slider in self.sliders.items():
            if isinstance(slider, widgets.IntSlider):
                self._ranges[name] = slider.min, slider.max
        self._fix_what_has_no_room()
        start = {} if start is None else start
        if not isinstance(start, dict) or not all(isinstance(name, str) for name in start):
            raise TypeError(
                f"start must be a dict of values by parameter name, got {validate.show(start)}"
            )
        self.assign(start, near=near)
        self.start = {name: slider.value for name, slider in self.sliders.items()}

    def _fix_what_has_no_room(self) -> None:
        """Fix sliders with one value left; refuse those with none."""
        widest = {name: high for name, (_, high) in self._ranges.items()}
        highest = self.spec.highest(self.spec.encodings_at(self._raw() | widest))
        for name in highest.keys() & self._ranges.keys() - self.spec.values.keys():
            if highest[name] <= self._ranges[name][0]:
                del self.sliders[name], self._ranges[name]
                self._fixed[name] = highest[name]
        self.spec.refuse_beyond(self._fixed, highest)

    @property
    def values(self) -> dict:
        """All values by name, each within the limit the others set."""
        return self.spec.fit(self._raw())[1]

    def settle(self) -> tuple[list[Encoding], dict]:
        """Let each slider end where the others require.

        Return the encodings and all current values.
        """
        before = self._raw()
        encodings = self.spec.encodings_at(before)
        highest = self.spec.highest(encodings)
        for name in highest.keys() & self._ranges.keys():
            self._end_at(name, highest[name])
        values = self._raw()
        values |= beyond(values, highest)
        if values != before:
            encodings = self.spec.encodings_at(values)
        return encodings, values

    def sleep(self, on: bool) -> None:
        """Lock all sliders, or unlock those that can move."""
        self.asleep = on
        for name in self.sliders:
            self._stop(name, on)
        self.settle()

    def _stop(self, name: str, on: bool) -> None:
        """Lock a slider and say why, or unlock it."""
        slider = self.sliders[name]
        if slider.disabled != on:
            why = "Draw what you expect first." if self.asleep else NO_ROOM
            slider.disabled, slider.tooltip = on, said(why if on else self.parameters[name].help)

    def ends(self) -> Iterator[tuple[list[Encoding], dict]]:
        """Yield encodings and values now, then with each slider from end to end.

        A choice, or a parameter that's None by default, takes each of its
        steps. The number of dims doesn't change, because it sets the scale.
        """
        now = self._raw()
        yield self.spec.fit(now)
        widths = {encoding.width for encoding in self.spec.encodings}
        for name in [name for name in self.sliders if name not in widths]:
            slider = self.sliders[name]
            visited = steps(slider)
            is_choice = isinstance(slider, widgets.ToggleButtons)
            if not is_choice and self.parameters[name].default is not None:
                stride = max(len(visited) // STEPS_HELD, 1)
                visited = [*visited[:-1:stride], visited[-1]]
            for value in visited:
                yield self.spec.fit(now | {name: value})

    def taken(self, name: str, value, *, near: bool = False):
        """Return value as its slider can take it.

        Near: a value it can't take becomes the nearest one, or the slider's
        own where there is none. Otherwise it's refused.
        """
        parameter = self.parameters[name]
        slider = self.sliders[name]
        known = steps(slider)
        wanted = self.spec.values.get(name)
        value = value if near else parameter.checked(value)
        if value in known:
            return value
        if value is None or isinstance(value, (str, bool)) or parameter.options:
            found = slider.value
        elif parameter.scale in ("log", "real") and not isinstance(wanted, list):
            found = min(max(value, known[0]), known[-1])
        else:
            found = _nearest(known, value)
        if found != value and not near:
            ends, got = f"{as_text(known[0])} … {as_text(known[-1])}", as_text(value)
            raise ValueError(f"{name} must be a value on its slider, {ends}, got {got}")
        return found

    def go(self, name: str, value) -> None:
        """Move a slider to a value.

        A slider on a page can't have more steps than it started with. A
        value between two steps replaces the nearest one until the next such
        value comes. The ends stay unless they're the only steps.
        """
        slider = self.sliders[name]
        parameter = self.parameters[name]
        if value not in steps(slider):
            values = list(self._first_steps.setdefault(name, steps(slider)))
            if value not in values:
                nearest = _nearest(values[1:-1] or values, value)
                values[values.index(nearest)] = value
            with slider.hold_sync():
                slider.options = [(_written(parameter, step), step) for step in values]
                slider.value = value
        slider.value = value

    def go_near(self, name: str, value) -> None:
        """Move a slider as close to a value as it can get."""
        self.go(name, self.taken(name, value, near=True))

    def assign(self, values: dict, *, near: bool = False) -> None:
        """Move sliders; if any value is refused, none moves.

        Near: the known ones move as close as they can.
        """
        values = {todays(name, self.sliders): value for name, value in values.items()}
        for name in values:
            if name not in self.sliders and not near:
                state = "is fixed in" if name in self._fixed else "isn't a parameter of"
                raise TypeError(
                    f"{name} {state} this explorer. Its sliders: {', '.join(self.sliders)}"
                )
        for name, (_, high) in self._ranges.items():
            self._end_at(name, high)  # some values only fit together
        here = [name for name in values if name in self.sliders]
        try:
            moved = {name: self.taken(name, values[name], near=near) for name in here}
            if not near:
                encodings = self.spec.encodings_at(self._raw() | moved)
                self.spec.refuse_beyond(moved, self.spec.highest(encodings))
            for name, value in moved.items():
                self.go(name, value)
        finally:
            self.settle()

    def _raw(self) -> dict:
        moved = {name: slider.value for name, slider in self.sliders.items()}
        return {name: moved.get(name, self._fixed.get(name)) for name in self.parameters}

    def _end_at(self, name: str, most: int) -> None:
        slider = self.sliders[name]
        low, high = self._ranges[name]
        most = min(most, high)
        # a range around 0 ends equally far on both sides
        least = max(low, -most) if low < 0 < most else slider.min
        wanted, end = self._pushed.pop(name, (slider.value, slider.value))
        if slider.value != end:  # it has been moved since
            wanted = end = slider.value
        value = min(max(wanted, least), most)
        if value != wanted:
            self._pushed[name] = wanted, value  # it returns when there's room
        slider.min = least
        self._stop(name, self.asleep or most <= slider.min)
        if slider.value > most:  # otherwise another thread's drag could be undone
            slider.value = most
        slider.max = max(most, slider.min + 1)  # in the browser, ends can't be equal
        if slider.value == end != value:
            slider.value = value
