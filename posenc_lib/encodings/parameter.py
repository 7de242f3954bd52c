"""Parameters: the values a reader can change, their limits, and their steps."""

import inspect
import math
import numbers
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import unquote

import numpy as np

from posenc_lib.encodings import validate

# characters an option can't contain in a line
APART = r"[%,|\r\n]|^\s|\s$|^[nN](?=one$)"


def round_values(low: float, high: float, step: float) -> list[float]:
    """Return low, high, and the powers 10^(k·step) in between, to two digits: 10, 11, 13, …."""
    exponents = range(math.floor(math.log10(low) / step), math.ceil(math.log10(high) / step) + 1)
    between = {float(f"{10 ** (k * step):.1e}") for k in exponents}
    return sorted({low, high} | {value for value in between if low < value < high})


def real_values(low: float, high: float, step: float | None = None) -> list[float]:
    """Return low, low + step, … up to high.

    Without a step, it's about a hundred round numbers: multiples of 1, 2 or 5 times a power of ten,
    or powers of ten if high is a hundred times low.
    """
    if step is not None:
        return [
            float(f"{low + k * step:.12g}")
            for k in range(int((high - low) / step * (1 + 1e-12)) + 1)
        ]
    if 0 < 100 * low <= high:
        return round_values(low, high, 0.05)
    tenth = 10.0 ** math.floor(math.log10((high - low) / 100))
    step = next(tenth * digit for digit in (1, 2, 5, 10, 20) if tenth * digit * 100 >= high - low)
    between = {
        float(f"{k * step:.12g}") for k in range(math.ceil(low / step), math.floor(high / step) + 1)
    }
    return sorted({low, high} | {value for value in between if low < value < high})


def around(value: float) -> tuple:
    """Return a range for a number: from a quarter of it to four times it.

    For 0, it's 0 to 9, or −1 to 1 if it isn't an integer.
    """
    whole = isinstance(value, numbers.Integral)
    low, high = sorted((value / 4, 4 * value)) if value else (0, 9) if whole else (-1.0, 1.0)
    return (math.ceil(low), math.floor(high)) if whole else (low, high)


# a slider's stops from low to high, besides "linear": low, low + step, …
SCALES: dict[str, Callable[..., list]] = {
    "log": round_values,
    "real": real_values,
    "whole": lambda low, high, step=None: sorted(set(map(round, real_values(low, high, step)))),
    "power of two": lambda low, high, step=None: [2**k for k in range(64) if low <= 2**k <= high],
}


@dataclass(frozen=True)
class Parameter:
    """A value a reader can change: a number, or one of several options.

    A number's slider runs from low to high (by default, from a quarter of the default to four times
    it), on a scale: "linear" (integers in equal steps, or "real" if the default is a float), "log",
    "real", "whole" or "power of two". A reader can ask for any range within least … most, which
    grow to include these and the default. A default of None stays None until a reader asks for a
    slider, which starts at start. If other values leave too little room, it goes as far as it can.
    With names, a slider shows names[k] instead of k.

    >>> width = Parameter("width", "in positions", 2.0, 0.5, 8.0, scale="real", least=0.1)
    >>> width.checked(0.05)
    Traceback (most recent call last):
    ValueError: width must be between 0.1 and 4096, got 0.05
    """

    name: str
    help: str
    default: object
    low: float = 0
    high: float = 0
    step: float = 1
    scale: str = "linear"
    options: tuple = ()
    start: float | None = None
    least: float = 0
    most: float = 4096
    names: tuple[str, ...] = ()

    def __post_init__(self):
        validate.choice("scale", self.scale, ("linear", *SCALES))
        ends = {name: getattr(self, name) for name in ("low", "high", "step", "least", "most")}
        is_number = not isinstance(self.default, (str, bool, np.bool_, type(None)))
        for name, value in (ends | {"default": self.default} if is_number else ends).items():
            validate.real(name, value)
        if is_number and self.scale == "linear" and not isinstance(self.default, numbers.Integral):
            vars(self).update(scale="real")
        if self.low == self.high == 0 and is_number and (self.default or self.scale == "real"):
            low, high = around(self.default)
            vars(self).update(low=low, high=high)
        if is_number and self.low < self.high:  # a slider reaches its default
            low, high = min(self.low, self.default), max(self.high, self.default)
            vars(self).update(low=low, high=high)
        ends = [self.low, self.high, *[self.default] * is_number]
        vars(self).update(least=min(self.least, *ends), most=max(self.most, *ends))

    def checked(self, value, *, called: str = ""):
        """Return value if this parameter can have it. called is a different name for errors."""
        if value is None and self.default is None:
            return None
        if self.options:
            if not isinstance(value, (str, bool)) or value not in self.options:
                options = ", ".join(map(repr, self.options))
                raise ValueError(
                    f"{self.name} must be one of {options}, got {validate.show(value)}"
                )
            return value
        called = called or self.name
        value = self.number(value, called)
        if not self.least <= value <= self.most:
            rule = f"{called} must be between {self.least:g} and {self.most:g}"
            raise ValueError(f"{rule}, got {validate.show(value)}")
        return value

    def number(self, value, called: str) -> float:
        """Return a number of this parameter's type, without checking the range."""
        if self.scale in ("log", "real"):
            return validate.real(called, value)
        return validate.integer(called, value, low=-validate.EXACT)

    def read(self, text: str):
        """Return the value in a text written by `written`."""
        if self.options:
            text = unquote(text)
            lower = {str(option).lower(): option for option in self.options}
            # `checked` refuses anything else
            return text if text in self.options else lower.get(text.lower(), text)
        if self.default is None and text.lower() == "none":
            return None
        try:
            value = float(
                text.replace(",", "")
                if re.fullmatch(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?", text)
                else text
            )
        except ValueError:
            raise ValueError(f"{self.name} must be a number, got {validate.show(text)}") from None
        return int(value) if value.is_integer() and self.scale not in ("log", "real") else value

    def values(self, low: float, high: float, step: float | None = None) -> list:
        """Return a slider's stops from low to high, on a scale other than "linear"."""
        return SCALES[self.scale](
            low, high, self.step if step is None and self.scale == "log" else step
        )

    def frame_values(self, low: float, high: float, most: int) -> list:
        """Return at most `most` values from low to high, evenly spaced on its scale.

        For a choice, the first options.
        """
        if self.options:
            return list(self.options[:most])
        if self.scale == "linear":
            return sorted({round(x) for x in np.linspace(low, high, most)})
        if self.scale == "log":
            # to hit 10,000 instead of 10,723
            steps = (0.05, 0.1, 0.125, 0.25, 0.5, 1.0, math.log10(high / low))
            tried = (round_values(low, high, step) for step in steps)
            return next((values for values in tried if len(values) <= most), [low, high])
        spaced = self.values(low, high)
        return [
            spaced[k] for k in sorted({round(x) for x in np.linspace(0, len(spaced) - 1, most)})
        ]

    def beginning(self, value) -> "Parameter":
        """Return the parameter with a different default, and a range that includes it."""
        if value == self.default:
            return self
        if value is None or self.options:
            return replace(self, default=value if value is None else self.checked(value))
        value = self.checked(value)
        return replace(self, default=value, low=min(self.low, value), high=max(self.high, value))


def written(value) -> str:
    """Return a value as text that `Parameter.read` reads back exactly."""
    if isinstance(value, str):
        return re.sub(APART, lambda found: f"%{found[0].encode().hex('%')}", value)
    text = validate.as_text(value)
    exact = not isinstance(value, float) or float(text) == value
    return text if exact else repr(float(value))


# Parameters shared by several encodings.

MOST_HEADS = 64
CONTENT = Parameter("content", "the query and the key", "ones", options=("ones", "random"))
SEED = Parameter("seed", "number of the random draw", 0, 0, 99)
NUM_HEADS = Parameter("num_heads", "number of heads", 8, 1, 32, least=1, most=MOST_HEADS)
COLUMNS = Parameter("columns", "patches in a row of the image", 14, 1, 28, least=1, most=64)
SLOW_PAIR = {"pair": 8}  # of 64 dims: about one turn in 64 positions


seq_len_of = partial(Parameter, "seq_len", "number of positions", low=2, high=256, least=1)
d_model_of = partial(
    Parameter, "d_model", "number of dims of each position", low=2, least=1, most=1024
)
head_of = partial(Parameter, "head", "which head", 0, 0, most=MOST_HEADS - 1)
LOG = {"step": 0.05, "scale": "log"}
base_of = partial(
    Parameter,
    "base",
    "how far apart the wavelengths lie",
    low=2,
    high=1e6,
    least=1e-6,
    most=1e12,
    **LOG,
)


def powers_of(
    name: str, meaning: str, default: int | None, low: int, high: int, **more
) -> Parameter:
    """Return a parameter whose slider stops at powers of two, starting at low."""
    return Parameter(
        name,
        meaning,
        default,
        low,
        high,
        **{"step": low, "least": low, **more},
        scale="power of two",
    )


def even_of(default: int, name: str) -> Parameter:
    """Return the parameter for an even number of dims of a token or a head."""
    return powers_of(name, "number of dims of each position", default, 2, 512, most=1024)


# Parameters from a function's arguments.

LARGEST = 1e15  # for a default with a slider: near it, float64 still has quarters


def of_argument(of: str, name: str, default, given: dict) -> Parameter | None:
    """Return an argument as a parameter, or None if it just keeps its default.

    Its default and the values given for it must be booleans, strings, or numbers.
    """
    if name in ("seq_len", "d_model"):
        raise TypeError(f"{of} can't have a parameter {name}: that's the size of its table")
    asked = given.get(name, [])
    asked = list(asked) if isinstance(asked, (list, tuple)) else [asked]
    if default is inspect.Parameter.empty:
        if not asked:
            rule = f"{of} needs a value for {name}, which has no default"
            raise TypeError(f"{rule}: {name}=(low, high), or a value")
        default = asked[0]
    values = [value for value in (default, *asked) if value is not None]
    kinds, about = {_kind(value) for value in values}, f"{name} of {of}"
    if not values:
        return Parameter(name, about, None)
    if kinds == {"True or False"}:
        return Parameter(name, about, default, options=(False, True))
    if kinds == {"texts"}:
        return Parameter(name, about, default, options=tuple(dict.fromkeys(values)))
    if kinds == {"numbers"}:
        return _number(name, about, default, values)
    if asked:
        rule = f"{name} must be {_kind(default) or 'numbers'} here"
        rule += f" (bind anything else to it before: functools.partial({of}, {name}=…))"
        raise TypeError(f"{rule}, got {validate.show(given[name])}")
    return None


def _kind(value) -> str:
    """Return the kind of value a slider can have, or nothing."""
    if isinstance(value, (bool, np.bool_)):
        return "True or False"
    if isinstance(value, str):
        return "texts"
    return "numbers" if isinstance(value, numbers.Real) and abs(value) <= LARGEST else ""


def _number(name: str, about: str, default, values: list) -> Parameter:
    """Return a number around its default or in the given range, an integer if all values are."""
    whole = all(isinstance(value, numbers.Integral) for value in values)
    start = int(values[0]) if whole else float(values[0])
    low, high = around(start)
    if default is None and min(values) < max(values):
        low, high = min(values), max(values)
    default = None if default is None else start
    scale, most = ("whole", validate.EXACT) if whole else ("real", validate.LARGEST)
    return Parameter(name, about, default, low, high, 1, scale, start=start, least=-most, most=most)
