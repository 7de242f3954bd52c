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
        return self._result(positions.astype(np.float64 if (positions % 1).any() else np.int64))

    def _result(self, at: np.ndarray) -> np.ndarray:
        """Return what the function makes of positions, or raise words that name it and its values."""
        own, shape = {n: v for n, v in self.values.items() if n not in ("seq_len", "d_model")}, (len(at), self.d_model)
        told = ", ".join(f"{n}={validate.as_text(v)}" for n, v in ({"d_model": self.d_model} | own).items())
        try:
            got = self.function(at.copy(), self.d_model, **own)
        except Exception as error:
            said = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}".removesuffix(": ")
            lines = [frame.line for frame in traceback.extract_tb(error.__traceback__)[1:2] if frame.line]
            raise _in_a_sentence(f"{self.name} raised {', at: '.join([f'{said} ({told})', *lines])}") from error
        try:
            table = validate.as_array(self.name, validate.plain(got))
        except (TypeError, ValueError):
            table = np.array(None)  # no array at all
        wrong = ""
        if table.shape != shape:
            wrong = f"an array of shape {shape}, got {table.shape or validate.show(got)}"
        elif table.dtype.kind not in "biuf":
            wrong = f"real numbers, got dtype {table.dtype}"
        elif (beyond := np.argwhere(~(np.abs(table) <= LARGEST_ENTRY))).size:
            row, dim = beyond[0]
            came = f"{table[row, dim]:g} at position {at[row]:g}, dim {dim}"
            wrong = f"finite numbers within ±{LARGEST_ENTRY:g}, got {came}"
        if wrong:
            raise _in_a_sentence(f"{self.name} must return {wrong} ({told})")
        return table.astype(np.float64 if table.dtype.kind == "f" else np.int64)

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


def from_function(f, given: dict, named: Callable[[str], str]) -> Function:
    """Return a function as an encoding; named returns the name that it gets for what it is called."""
    inner = f
    while isinstance(inner, functools.partial):
        inner = inner.func
    called = getattr(inner, "__name__", type(inner).__name__)
    name = named("mine" if called == "<lambda>" else called)
    try:
        arguments = [
            a for a in inspect.signature(f).parameters.values() if a.kind not in (a.VAR_POSITIONAL, a.VAR_KEYWORD)
        ]
    except (TypeError, ValueError):
        arguments = []  # of a function in C, say
    if len(arguments) < 2:
        taken = ", ".join(a.name for a in arguments)
        raise TypeError(f"{name} must take positions and d_model as its first two arguments, got {name}({taken})")
    _, second, *others = arguments
    function = f
    if second.kind is second.KEYWORD_ONLY:
        function = lambda positions, d_model, **own: f(positions, **{second.name: d_model}, **own)  # noqa: E731
    width = second.default if isinstance(second.default, int) and 0 < second.default <= 1024 else DIMS
    turned = [p for a in others if (p := _parameter(name, a.name, a.default, given))]
    about = {"__doc__": inner.__doc__, "function": function, "dims": tuple(getattr(inner, "dims", ()))}
    about["parameters"] = (seq_len_of(64), d_model_of(width, high=512), *turned)
    made = Function().named(name, name, **about).at(d_model=width)
    if not _works(made):
        of_length = made.named(name, name, function=functools.partial(_of_length, function))
        made = of_length if _works(of_length) else made
    if not _works(made.at(d_model=3)):  # it may need pairs
        even = replace(even_of(width, "d_model"), high=max(512, width))
        made = made.named(name, name, parameters=(seq_len_of(64), even, *turned))
    return made


def _of_length(f: Callable, positions: np.ndarray, d_model: int, **own):
    """Return rows of a function that wants to know how many positions there are, as in many tutorials."""
    if positions.dtype.kind == "f":
        raise TypeError("it takes how many positions there are")
    return np.asarray(validate.plain(f(int(positions.max(initial=-1)) + 1, d_model, **own)))[positions]


def _works(made: Function) -> bool:
    try:
        with np.errstate(all="ignore"):
            made.rows(np.arange(3))
    except (ValueError, IndexError):
        return False
    return True


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
