"""An encoding from a function f(positions, d_model, **parameters): its arguments become parameters."""

import functools
import inspect
import math
import numbers
import traceback
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Additive
from posenc_lib.encodings.parameter import Parameter, d_model_of, even_of, seq_len_of

PROBED = 9  # positions that tell whether there are others between them
DIMS = 64  # of a function that does not say
LARGEST_ENTRY = 1e150  # of a table; products of two still fit into float64
LARGEST = 1e15  # of a default that becomes a slider; float64 holds four times a whole one


class Function(Additive):
    """A function f(positions, d_model, **parameters) that returns an array of shape (n, d_model).

    Pictures call its dims by the names of `f.dims`, if it has such an attribute.
    """

    opaque = True
    function: Callable
    dims: tuple[str, ...] = ()

    def rows(self, positions):
        at = np.arange(positions) if isinstance(positions, numbers.Integral) else np.asarray(positions)
        return self._result(at.astype(np.float64 if (at % 1).any() else np.int64))

    def _result(self, at: np.ndarray) -> np.ndarray:
        """Return what the function makes of positions, or raise words that name it and its values."""
        own, shape = {n: v for n, v in self.values.items() if n not in ("seq_len", "d_model")}, (len(at), self.d_model)
        told = f" ({', '.join(f'{n}={validate.as_text(v)}' for n, v in ({'d_model': self.d_model} | own).items())})"
        try:
            got = self.function(at.copy(), self.d_model, **own)
        except Exception as error:
            said = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}".removesuffix(": ")
            raise _in_a_sentence(f"{self.name} raised {said}{told}{_where(error)}") from error
        try:
            table = validate.as_array(self.name, validate.plain(got))
        except (TypeError, ValueError):
            table = np.array(None)  # no array at all
        if table.shape != shape:
            came = table.shape or validate.show(got)
            raise _in_a_sentence(f"{self.name} must return an array of shape {shape}, got {came}{told}")
        if table.dtype.kind not in "biuf":
            raise _in_a_sentence(f"{self.name} must return real numbers, got dtype {table.dtype}{told}")
        table = table.astype(np.float64 if table.dtype.kind == "f" else np.int64)
        for row, dim in np.argwhere(~(np.abs(table) <= LARGEST_ENTRY))[:1]:
            came = f"{table[row, dim]:g} at position {at[row]:g}, dim {dim}{told}"
            raise _in_a_sentence(f"{self.name} must return finite numbers within ±{LARGEST_ENTRY:g}, got {came}")
        return table

    @functools.cached_property
    def continuous(self) -> bool:
        """Whether positions between two others have rows of their own, and the others keep theirs."""
        try:  # nobody has asked for these positions
            fine, whole = self._result(np.arange(2 * PROBED - 1) / 2), self._result(np.arange(PROBED))
        except ValueError:
            return False
        before, between, after = whole[:-1], fine[1::2], whole[1:]
        held = (between == before).all(axis=1) | (between == after).all(axis=1)
        moves = (before != after).any(axis=1)
        return np.allclose(fine[::2], whole) and not (moves.any() and held[moves].all())


def _in_a_sentence(words: str) -> ValueError:
    """Return an error that a notebook tells without the library's files: the mistake is in the reader's own."""
    error = ValueError(words)
    error._render_traceback_ = lambda: [f"ValueError: {words}"]  # IPython asks for it
    return error


def _where(error: Exception) -> str:
    """Return the line of the reader's function at which an error arose, as far as it can be read."""
    frames = traceback.extract_tb(error.__traceback__)[1:2]  # the first one below the library's own
    return f", at: {frames[0].line}" if frames and frames[0].line else ""


def from_function(f, given: dict, named: Callable[[str], str]) -> Function:
    """Return a function as an encoding; named returns the name that it gets for what it is called."""
    inner = f
    while isinstance(inner, functools.partial):
        inner = inner.func
    called = getattr(inner, "__name__", type(inner).__name__)
    name = named("mine" if called == "<lambda>" else called)
    try:
        arguments = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        arguments = []  # of a function in C, say
    arguments = [a for a in arguments if a.kind not in (a.VAR_POSITIONAL, a.VAR_KEYWORD)]
    if len(arguments) < 2:
        taken = ", ".join(a.name for a in arguments)
        raise TypeError(f"{name} must take positions and d_model as its first two arguments, got {name}({taken})")
    second, *others = arguments[1:]
    if second.kind is second.KEYWORD_ONLY:
        f = lambda positions, d_model, f=f, **rest: f(positions, **{second.name: d_model}, **rest)  # noqa: E731
    parameters = [p for a in others if (p := _parameter(name, a.name, a.default, given))]
    width = second.default if isinstance(second.default, int) and 0 < second.default <= 1024 else DIMS
    about = {"__doc__": inner.__doc__, "function": f, "dims": tuple(getattr(inner, "dims", ()))}
    about["parameters"] = (seq_len_of(64), d_model_of(width, 512), *parameters)
    made = _takes_a_length(Function().named(name, name, **about).at(d_model=width))
    try:
        with np.errstate(all="ignore"):
            made.at(d_model=3).rows(2)
    except ValueError:  # it may need pairs
        even = replace(even_of(width, "d_model"), high=max(512, width))
        made = made.named(name, name, parameters=(seq_len_of(64), even, *parameters))
    return made


def _takes_a_length(made: Function) -> Function:
    """Return an encoding whose function may want to know how many positions there are, as in many tutorials."""
    f = made.function

    def of_length(positions, d_model, **own):
        if positions.dtype.kind == "f":
            raise TypeError("it takes how many positions there are")
        return np.asarray(validate.plain(f(int(positions.max(initial=-1)) + 1, d_model, **own)))[positions]

    other = made.named(made.name, made.title, function=of_length)
    for one in (made, other):
        try:
            one.rows(3)
        except (ValueError, IndexError):
            continue
        return one
    return made


def _parameter(of: str, name: str, default, given: dict) -> Parameter | None:
    """Return what a reader can turn of an argument, or None where its own default must do."""
    if name in ("seq_len", "d_model"):
        raise TypeError(f"{of} must not call a parameter {name}, which says how large its table is")
    asked, needed = given.get(name, []), default is inspect.Parameter.empty
    asked = list(asked) if isinstance(asked, (list, tuple)) else [asked]
    if needed and not asked:
        raise TypeError(f"{of} must be given {name}, which has no default: {name}=(low, high), or a value")
    begins = asked[0] if needed else default
    seen, about = [value for value in (begins, *asked) if value is not None], f"{name} of {of}"
    if not seen:
        return Parameter(name, about, None)
    if all(isinstance(value, (bool, np.bool_)) for value in seen):
        return Parameter(name, about, begins, options=(False, True))
    if all(isinstance(value, str) for value in seen):
        return Parameter(name, about, begins, options=tuple(dict.fromkeys(seen)))
    if all(map(_is_number, seen)):
        return _number(name, about, begins, seen)
    if asked:
        bound = f"bind anything else to it before: functools.partial({of}, {name}=…)"
        wanted = "True or False" if isinstance(begins, bool) else "texts" if isinstance(begins, str) else "numbers"
        raise TypeError(f"{name} must be given as {wanted} here ({bound}), got {given[name]!r:.60}")
    return None


def _is_number(value) -> bool:
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    return real and math.isfinite(value) and abs(value) <= LARGEST


def _number(name: str, about: str, begins, seen: list) -> Parameter:
    """Return a number of p/4 … 4p, or in the range that is asked for; whole if its default is and all others are."""
    whole = all(isinstance(value, numbers.Integral) for value in seen)
    start, most = (int(seen[0]), validate.EXACT) if whole else (float(seen[0]), LARGEST_ENTRY)
    low, high = sorted((start / 4, 4 * start)) if start else (0, 9) if whole else (-1.0, 1.0)
    if whole:
        low, high = math.ceil(low), math.floor(high)
    if begins is None and min(seen) < max(seen):
        low, high = min(seen), max(seen)
    scale, default = "whole" if whole else "real", None if begins is None else start
    return Parameter(name, about, default, low, high, 1, scale, start=start, least=-most, most=most)
