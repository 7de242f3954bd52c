"""Encodings that aren't in the catalog."""

import functools
import inspect
import re
import traceback
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from posenc_lib.encodings import catalog, validate
from posenc_lib.encodings.base import Additive, Bias, Encoding, Relative, Rotary
from posenc_lib.encodings.models import of_config
from posenc_lib.encodings.parameter import Parameter, d_model_of, even_of, of_argument, seq_len_of

SHOWN = 256  # positions shown at first if the table ends somewhere
MOST = 4096  # and at most
PROBED = 9  # positions to find out if a function is defined between them
DIMS = 64  # if the function doesn't say
WHAT = "an encoding's name, a function, an array (for a table, np.array(table)), "
WHAT += "an encoding, or a list of these"
# second arguments of functions that don't return a table
OTHER_KINDS = ("positions", "position_ids", "k", "k_len")
# the method each kind has to define
NEEDED = {Additive: "rows", Rotary: "frequencies", Relative: "scores", Bias: "biases"}


def opened(what, given: dict | None = None, taken=(), called="what") -> list[Encoding]:
    """Return encodings from names, functions, arrays or objects, each under its own name.

    Names in the catalog are reserved: your function `sine` becomes my_sine.

    >>> def ramp(positions, d_model, slope=0.5):
    ...     return slope * positions[:, None] * np.ones(d_model)
    >>> ramps, table = opened([ramp, np.eye(3)])
    >>> ramps.at(seq_len=3, d_model=1, slope=2.0).table.T, table.name
    (array([[0., 2., 4.]]), 'mine')

    Args:
        what: one of these, or a list.
        given: values, ranges and options by parameter, as in `explore`.
        taken: names already in use.
        called: the argument to name in errors.
    """
    things = list(what) if isinstance(what, (list, tuple)) else [what]
    different = {thing if isinstance(thing, str) else id(thing) for thing in things}
    if not things or len(different) < len(things):
        rule = f"{called} must name at least one encoding, and each only once"
        raise ValueError(f"{rule}, got {validate.show(what)}")
    names = {*taken, *(thing for thing in things if isinstance(thing, str))}
    encodings = []
    for thing in things:
        if isinstance(thing, str):
            encoding = catalog.NAMED[validate.known(called, thing, catalog.NAMED)]
        else:
            alone = len(things) == 1
            encoding = _encoding(thing, given or {}, names, called, alone)
        encodings.append(encoding)
        names.add(encoding.name)
    return encodings


def _encoding(thing, given: dict, names: set, called: str, alone: bool) -> Encoding:
    """Return a thing as an encoding under a free name, or refuse it."""
    is_class = isinstance(thing, type)
    if isinstance(thing, dict):
        thing = of_config(thing)
    elif is_class and issubclass(thing, Encoding):
        thing = thing()
    if isinstance(thing, Encoding):
        return _of_object(thing, given, names, alone=alone)
    if hasattr(thing, "__array__") and not is_class:
        array = validate.finite_table(called, thing)
        return _of_table(array, free_name("mine", names))
    if hasattr(thing, "weight") and not is_class:
        layer = type(thing).__name__
        raise TypeError(f"{called} must be {WHAT}, got {layer}. Its table is .weight")
    if callable(thing):
        return _of_function(thing, given, names)
    raise TypeError(f"{called} must be {WHAT}, got {validate.show(thing)}")


def free_name(wanted: str, names: set, *, may_be_known: bool = False) -> str:
    """Return a name that's free, and not the catalog's unless that's allowed."""
    wanted = re.sub(r"\W+", "_", wanted).strip("_") or "mine"
    if wanted in catalog.NAMED and (wanted in names or not may_be_known):
        wanted = f"my_{wanted}"
    name = wanted
    number = 1
    while name in names:
        number += 1
        name = f"{wanted}_{number}"
    return name


# Objects


def _of_object(encoding: Encoding, given: dict, names: set, *, alone: bool) -> Encoding:
    """Return it under a free name. Next to others, its own values stay fixed."""
    called = encoding.name or type(encoding).__name__
    known = catalog.NAMED.get(called)
    # `at` keeps the overrides, so with other values it's still the catalog's
    # `named` replaces them
    of_catalog = type(encoding) is type(known) and encoding.overrides is known.overrides
    if not of_catalog:
        _refuse_incomplete(encoding, called)
    kept = {}
    if not alone:
        defaults = encoding.defaults
        kept = {n: v for n, v in encoding.values.items() if v != defaults[n]}
        for free in ("seq_len", *given, *encoding.no_slider):
            kept.pop(free, None)
    name = free_name(called, names, may_be_known=of_catalog and not kept)
    title = encoding.title or name
    if (name, title, kept) == (encoding.name, encoding.title, {}):
        return encoding
    for parameter, value in kept.items():
        title += f", {parameter} {validate.as_text(value)}"
    return encoding.named(name, title, no_slider=(*encoding.no_slider, *kept))


def _refuse_incomplete(encoding: Encoding, called: str) -> None:
    kind = next((kind for kind in NEEDED if isinstance(encoding, kind)), None)
    if kind is None:
        kinds = ", ".join(kind.__name__ for kind in NEEDED)
        raise TypeError(f"{called} must be a subclass of {kinds}")
    rule = "must call super().__init__(**values) in its __init__(self, **values)"
    try:
        made = encoding.at()
        rule = f"must define {NEEDED[kind]} and its parameters"
        if callable(getattr(made, "frequencies", 0)):
            rule = "must have @property above frequencies"
        made.dot_product(0)
    except ValueError:
        raise  # it has a good message
    except Exception as error:
        got = f"{type(error).__name__}: {error}"
        where = f"See help(posenc_lib.{kind.__name__})"
        raise TypeError(f"{called} {rule}, got {got}. {where}") from error


# Tables


class Table(Additive):
    """A trained table: one row per position, and nothing after the last."""

    width = None
    continuous = False
    has_end = True
    parameters = (seq_len_of(SHOWN),)
    array: np.ndarray

    @property
    def num_dims(self) -> int:
        return self.array.shape[1]

    @property
    def highest(self) -> dict:
        return {"seq_len": len(self.array)}

    def rows(self, positions):
        return self.array[positions]


def _of_table(array: np.ndarray, name: str) -> Encoding:
    parameters = (seq_len_until(array),)
    encoding = Table().named(name, name, array=array, parameters=parameters)
    return encoding.at(seq_len=min(len(array), SHOWN))


def seq_len_until(array: np.ndarray) -> Parameter:
    """Return the parameter seq_len for positions that end with an array."""
    end = len(array)
    seq_len = seq_len_of(min(end, SHOWN))
    if end < 3:
        return replace(seq_len, low=1, high=2)
    return replace(seq_len, low=2, high=min(end, MOST))


# Functions f(positions, d_model, **parameters)


class Function(Additive):
    """A function that returns shape (n, d_model). Its `dims` are names for pictures."""

    from_function = True
    function: Callable
    dims: tuple[str, ...] = ()

    def rows(self, positions):
        whole = not (positions % 1).any()
        return self._table(positions.astype(np.int64 if whole else np.float64))

    def _table(self, positions: np.ndarray) -> np.ndarray:
        """Return the function's rows for positions. Errors give its values."""
        values = {n: v for n, v in self.values.items() if n != "seq_len"}
        written = ", ".join(f"{n}={validate.as_text(v)}" for n, v in values.items())
        d_model = values.pop("d_model")
        try:
            got = self.function(positions.copy(), d_model, **values)
        except Exception as error:
            raise ValueError(f"{self.name} raised {_raised(error, written)}") from error
        try:
            table = validate.as_array(self.name, validate.plain(got))
        except (TypeError, ValueError):
            table = np.array(None)  # not an array at all
        shape = len(positions), d_model
        wrong = ""
        if table.shape != shape:
            wrong = f"an array of shape {shape}, got {table.shape or validate.show(got)}"
        elif table.dtype.kind not in "biuf":
            wrong = f"real numbers, got dtype {table.dtype}"
        elif (beyond := np.argwhere(~(np.abs(table) <= validate.LARGEST))).size:
            row, dim = beyond[0]
            wrong = f"finite numbers up to ±{validate.LARGEST:g}, got {table[row, dim]:g}"
            wrong += f" at position {positions[row]:g}, dim {dim}"
        if wrong:
            raise ValueError(f"{self.name} must return {wrong} ({written})")
        return validate.in_64_bits(table)

    @functools.cached_property
    def continuous(self) -> bool:
        """Whether it has separate rows at 0.5, 1.5 …, and the usual ones at 0, 1, 2 …."""
        try:  # we're only probing
            fine = self._table(np.arange(2 * PROBED - 1) / 2)
            whole = self._table(np.arange(PROBED))
        except ValueError:
            return False
        before = whole[:-1]
        between = fine[1::2]
        after = whole[1:]
        held = (between == before).all(axis=1) | (between == after).all(axis=1)
        moves = (before != after).any(axis=1)
        is_staircase = moves.any() and held[moves].all()
        return np.allclose(fine[::2], whole) and not is_staircase

    @property
    def works(self) -> bool:
        """Whether the function returns rows with these values."""
        try:
            with np.errstate(all="ignore"):
                self.rows(np.arange(3))
        except (ValueError, IndexError):
            return False
        return True


def _raised(error: Exception, written: str) -> str:
    """Return the error a function raised, with its values and the line."""
    first = str(error).partition("\n")[0]
    words = f"{type(error).__name__}: {first}".removesuffix(": ")
    frames = traceback.extract_tb(error.__traceback__)[1:2]  # the first is ours
    lines = [frame.line for frame in frames if frame.line]
    return ", at: ".join([f"{words} ({written})", *lines])


def _of_function(function: Callable, given: dict, names: set) -> Function:
    """Return a function as an encoding. It takes positions, or their number."""
    inner = function
    while isinstance(inner, functools.partial):
        inner = inner.func
    called = getattr(inner, "__name__", type(inner).__name__)
    name = free_name("mine" if called == "<lambda>" else called, names)
    width, arguments = _arguments(function, name)
    own = [of_argument(name, a.name, a.default, given) for a in arguments]
    parameters = [seq_len_of(64), d_model_of(width, high=512), *filter(None, own)]
    about = {"function": function, "parameters": tuple(parameters)}
    about["dims"] = tuple(getattr(inner, "dims", ()))
    about["__doc__"] = inner.__doc__
    encoding = Function().named(name, name, **about).at(d_model=width)
    if not encoding.works:
        of_length = functools.partial(_rows_of_length, function)
        of_length = encoding.named(name, name, function=of_length)
        encoding = of_length if of_length.works else encoding
    if not encoding.at(d_model=3).works:  # perhaps it needs pairs
        parameters[1] = replace(even_of(width, "d_model"), high=max(512, width))
        encoding = encoding.named(name, name, parameters=tuple(parameters))
    return encoding


def _arguments(function: Callable, name: str) -> tuple[int, list]:
    """Return its default d_model and the arguments after it, or refuse it."""
    try:
        arguments = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        arguments = []  # a function in C, for example
    arguments = [a for a in arguments if a.kind not in (a.VAR_POSITIONAL, a.VAR_KEYWORD)]
    names = [a.name for a in arguments]
    if len(names) < 2 or names[1] in OTHER_KINDS:
        rule = f"{name} must take positions and d_model as its first two arguments"
        rule += f", got {name}({', '.join(names)})"
        if names[1:]:
            rule += ". To rotate queries and keys, or to add to scores, write a class"
            rule += ": see help(posenc_lib.Rotary) or .Bias"
        raise TypeError(rule)
    width = arguments[1].default
    fits = isinstance(width, int) and 0 < width <= 1024
    return width if fits else DIMS, arguments[2:]


def _rows_of_length(function: Callable, positions: np.ndarray, d_model: int, **values):
    """Return rows of a function that takes the number of positions, as in many tutorials."""
    if positions.dtype.kind == "f":
        raise TypeError("it takes the number of positions")
    table = function(int(positions.max(initial=-1)) + 1, d_model, **values)
    return np.asarray(validate.plain(table))[positions]
