"""From a parameter of the catalog, and what the caller asked for, to a slider or a fixed value."""

import ipywidgets as widgets

from posenc_lib.encodings import validate
from posenc_lib.encodings.parameter import Parameter, round_values
from posenc_lib.encodings.validate import as_text

LAYOUT = {"layout": {"width": "auto"}, "style": {"description_width": "8em"}}


def control(parameter: Parameter, wanted=None):
    """Return (widget, None) for something the reader can move, or (None, value) for something fixed.

    Args:
        parameter: the record of the catalog or of a view.
        wanted: None for the parameter's own range; a tuple (low, high) or (low, high, step) for a slider; a list of
            numbers for a slider over these; a list or tuple of options for a choice; anything else is a fixed value.

    Raises:
        TypeError, ValueError: what was asked for breaks a rule; the message names the parameter.
    """
    if parameter.options:
        return _choice(parameter, wanted)
    if wanted is None:
        if parameter.default is None:
            return None, None
        wanted = (parameter.low, parameter.high)
    if isinstance(wanted, list):
        return _steps(parameter, wanted), None
    if isinstance(wanted, tuple):
        return _slider(parameter, wanted), None
    return None, parameter.checked(wanted)


def _choice(parameter: Parameter, wanted):
    if wanted is None:
        wanted = parameter.default
    if not isinstance(wanted, (tuple, list)):
        return None, parameter.checked(wanted)
    options = [parameter.checked(option) for option in wanted]
    if len(set(options)) < 2:
        raise ValueError(f"{parameter.name} must offer at least two options, got {wanted!r}")
    value = parameter.default if parameter.default in options else options[0]
    return widgets.ToggleButtons(options=options, value=value, description=parameter.name, **LAYOUT), None


def _steps(parameter: Parameter, wanted: list):
    """Return a slider over the numbers of a list."""
    values = sorted({parameter.checked(value) for value in wanted})
    if len(values) < 2:
        raise ValueError(f"{parameter.name} must offer at least two options, got {wanted!r}")
    start = parameter.default if parameter.default is not None else parameter.start
    named = [(as_text(value), value) for value in values]
    text = {"description": parameter.name, "tooltip": parameter.help, **LAYOUT}
    return widgets.SelectionSlider(options=named, value=_nearest(values, start), **text)


def _slider(parameter: Parameter, wanted: tuple):
    name = parameter.name
    if len(wanted) not in (2, 3):
        raise ValueError(f"{name} must be one value, (low, high) or (low, high, step), got {wanted!r}")
    low, high = (parameter.checked(x, called=f"{name} {end}") for end, x in zip(("low", "high"), wanted, strict=False))
    if low >= high:
        raise ValueError(f"{name} must be a range whose low is below its high, got {wanted!r}")
    start = parameter.default if parameter.default is not None else parameter.start
    start = min(max(start, low), high)
    text = {"description": name, "tooltip": parameter.help, **LAYOUT}
    if parameter.scale == "log":
        step = validate.real(f"{name} step", wanted[2]) if len(wanted) == 3 else parameter.step
        if not 0.001 <= step <= 1:
            raise ValueError(f"{name} step must be between 0.001 and 1 (1 is tenfold), got {step:g}")
        values = round_values(low, high, step)
        options = [(f"{value:,.0f}" if value >= 10 else f"{value:g}", value) for value in values]
        return widgets.SelectionSlider(options=options, value=_nearest(values, start), **text)
    if parameter.scale == "power of two" and len(wanted) == 2 and _is_power(low) and _is_power(high):
        options = [2**k for k in range(low.bit_length() - 1, high.bit_length())]
        return widgets.SelectionSlider(options=options, value=_nearest(options, start), **text)
    step = validate.integer(f"{name} step", wanted[2], high=high - low) if len(wanted) == 3 else int(parameter.step)
    start = low + (start - low) // step * step
    return widgets.IntSlider(value=start, min=low, max=low + (high - low) // step * step, step=step, **text)


def _is_power(value: int) -> bool:
    return value > 0 and value & (value - 1) == 0


def _nearest(options: list, value):
    return min(options, key=lambda option: abs(option - value))


def checked(widget, name: str, value):
    """Return value as the widget can take it.

    Raises:
        TypeError, ValueError: it is of the wrong type, or outside the widget's range or options.
    """
    if isinstance(widget, widgets.IntSlider):
        value, low, high = validate.integer(name, value, low=-validate.EXACT), widget.min, widget.max
        if not low <= value <= high:
            raise ValueError(f"{name} must be between {low} and {high}, got {validate.show(value)}")
        return value
    values = options(widget)
    if isinstance(value, (str, bool, int, float)) and value in values:
        return value
    if isinstance(widget, widgets.SelectionSlider):
        value = validate.real(name, value)
        near = sorted(sorted(values, key=lambda option: abs(option - value))[:2])
        raise ValueError(f"{name} must be a value of its slider (nearest: {near[0]:g}, {near[1]:g}), got {value:g}")
    raise ValueError(f"{name} must be one of {values}, got {validate.show(value)}")


def options(widget) -> list:
    """Return the values that a slider or a choice of options can take."""
    return [option[1] if isinstance(option, tuple) else option for option in widget.options]


def nearest(widget, value):
    """Return the value nearest to this one that a slider can take; of a choice, the present one if it has none such."""
    if isinstance(widget, widgets.ToggleButtons):
        return value if value in options(widget) else widget.value
    if value is None or isinstance(value, (str, bool)):
        return widget.value
    if isinstance(widget, widgets.IntSlider):
        steps = round((min(max(value, widget.min), widget.max) - widget.min) / widget.step)
        return widget.min + steps * widget.step
    return _nearest(options(widget), value)


def steps(slider) -> list:
    """Return the values that a slider goes through."""
    if isinstance(slider, widgets.IntSlider):
        return list(range(slider.min, slider.max + 1, slider.step))
    return options(slider)
