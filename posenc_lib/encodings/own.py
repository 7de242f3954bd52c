"""The door for what is not in the catalog: a function, a trained table, an object, a model's own queries and keys."""

import functools
import inspect
import itertools
import numbers
import re
import traceback
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from posenc_lib.encodings import catalog, validate
from posenc_lib.encodings.base import Additive, Bias, Encoding, Relative, Rotary
from posenc_lib.encodings.models import of_config
from posenc_lib.encodings.parameter import Parameter, around, d_model_of, even_of, seq_len_of

SHOWN, MOST = 256, 4096  # positions of what ends somewhere: at first, and at most
PROBED = 9  # positions that tell whether a function has others between them
DIMS = 64  # of a function that does not say
LARGEST_ENTRY = 1e150  # of a function's table; products of two still fit into float64
LARGEST = 1e15  # of a default that becomes a slider; float64 holds four times a whole one
WHAT = "an encoding's name, a function, an array (a table must be one: np.array(table)), an encoding, or a list of them"
OTHER_KINDS = (
    "positions",
    "position_ids",
    "k",
    "k_len",
)  # second arguments of functions that return no table
NEEDED = {
    Additive: "rows",
    Rotary: "frequencies",
    Relative: "scores",
    Bias: "biases",
}  # what each kind must define


def opened(what, given: dict | None = None, taken=()) -> list[Encoding]:
    """Return encodings by name, function, array or object, each under a name of its own.

    A name of the catalog means its encoding and nothing else: a function `sine` is called my_sine.

    >>> def ramp(positions, d_model, slope=0.5):
    ...     return slope * positions[:, None] * np.ones(d_model)
    >>> one, other = opened([ramp, np.eye(3)])
    >>> one.at(seq_len=3, d_model=1, slope=2.0).table.T, other.name
    (array([[0., 2., 4.]]), 'mine')

    Args: what is one of them, or a list; given has values, ranges and options by parameter name, as `explore` takes
        them; taken has names that others have.
    """
    each = list(what) if isinstance(what, (list, tuple)) else [what]
    if not each or len({one if isinstance(one, str) else id(one) for one in each}) < len(each):
        raise ValueError(
            f"what must name at least one encoding, each once, got {validate.show(what)}"
        )
    made, names = [], {*taken, *(one for one in each if isinstance(one, str))}
    for one in each:
        if isinstance(one, str):
            made.append(catalog.NAMED[validate.known("what", one, catalog.NAMED)])
        else:
            made.append(_made(one, given or {}, names, beside=len(each) > 1))
            names.add(made[-1].name)
    return made


def _made(one, given: dict, names: set, *, beside: bool) -> Encoding:
    if isinstance(one, dict):
        one = of_config(one)
    elif isinstance(one, type) and issubclass(one, Encoding):
        one = one()
    if isinstance(one, Encoding):
        return _object(one, given, names, beside=beside)
    if hasattr(one, "__array__") and not isinstance(one, type):
        array, name = _array("what", one), _name("mine", names)
        return (
            Table()
            .named(name, name, array=array, parameters=(_until(array),))
            .at(seq_len=min(len(array), SHOWN))
        )
    if hasattr(one, "weight") and not isinstance(one, type):
        raise TypeError(
            f"what must be {WHAT}, got a {type(one).__name__}: its table is its .weight"
        )
    if callable(one):
        return _function(one, given, names)
    raise TypeError(f"what must be {WHAT}, got {validate.show(one)}")


def _name(wanted: str, names: set, *, known: bool = False) -> str:
    """Return a free name that fits the line of a spec; known says that it may be the catalog's."""
    wanted = re.sub(r"\W+", "_", wanted).strip("_") or "mine"
    if wanted in catalog.NAMED and (not known or wanted in names):
        wanted = f"my_{wanted}"
    return next(
        name
        for k in itertools.count(1)
        if (name := f"{wanted}_{k}" if k > 1 else wanted) not in names
    )


# Encodings as objects


def _object(one: Encoding, given: dict, names: set, *, beside: bool) -> Encoding:
    """Return an encoding under a free name; beside others it keeps the values that it was made with."""
    called = one.name or type(one).__name__
    known = catalog.NAMED.get(called)
    of_catalog = type(one) is type(known) and one.overrides is known.overrides
    if not of_catalog:
        _refuse_incomplete(one, called)
    free = {
        n: v
        for n, v in one.values.items()
        if beside and n not in (*given, *one.no_slider, "seq_len")
    }
    kept = {n: v for n, v in free.items() if v != one.defaults[n]}
    name = _name(called, names, known=of_catalog and not kept)
    if (name, one.title or name, kept) == (one.name, one.title, {}):
        return one
    title = ", ".join([one.title or name, *(f"{n} {validate.as_text(v)}" for n, v in kept.items())])
    return one.named(name, title, no_slider=(*one.no_slider, *kept))


def _refuse_incomplete(one: Encoding, called: str) -> None:
    """Raise an error in words where an encoding lacks what its kind needs, or does not give what it should."""
    kind = next((kind for kind in NEEDED if isinstance(one, kind)), None)
    if kind is None:
        raise TypeError(
            f"{called} must be one of the kinds {', '.join(kind.__name__ for kind in NEEDED)}"
        )
    try:
        one.at().dot_product(0)
    except ValueError:
        raise  # words of its own
    except Exception as error:
        rule = (
            f"must have {NEEDED[kind]} and its parameters as help(posenc_lib.{kind.__name__}) says"
        )
        raise TypeError(f"{called} {rule}, got {type(error).__name__}: {error}") from error


# Arrays: a table, or a model's queries and keys


def _array(name: str, value) -> np.ndarray:
    """Return a table of finite numbers, from whatever holds one, in 64 bits."""
    array = validate.as_array(name, validate.plain(value))
    array = validate.array(name, array * 1 if array.dtype.kind == "b" else array, ndim=2)
    if 0 in array.shape:
        raise ValueError(f"{name} must have at least one row and one dim, got shape {array.shape}")
    return array.astype(np.float64 if array.dtype.kind == "f" else np.int64)


def _until(array: np.ndarray) -> Parameter:
    """Return the parameter of how many positions there are, where they end with an array."""
    last = len(array)
    return replace(seq_len_of(min(last, SHOWN)), low=1 + (last > 2), high=max(min(last, MOST), 2))


class Table(Additive):
    """A trained table: a row for each position, and none beyond its last."""

    width, continuous, has_end = None, False, True
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


def given_queries_keys(encodings: list[Encoding], q, k, tokens=()) -> list[Encoding]:
    """Return the encodings with queries and keys of one's own under those that look at any: rotary and relative.

    q and k have shape (seq_len, head_dim), those of one head; tokens are the words that they were made of, if any.
    """
    q, k = _array("q", q), _array("k", k)
    if not all(isinstance(word, str) for word in tokens) or len(tokens) not in (0, len(q)):
        raise ValueError(
            f"tokens must be a list of words, one for each of the {len(q)} rows of q, got {tokens!r:.60}"
        )
    if q.shape != k.shape:
        raise ValueError(
            f"q and k must have the same shape, (seq_len, head_dim), got {q.shape} and {k.shape}"
        )
    made, names = [], {encoding.name for encoding in encodings}
    for one in encodings:
        if "content" in one.values:
            if "head_dim" not in one.values and q.shape[1] != one.num_dims:
                raise ValueError(
                    f"q must have the {one.num_dims} dims of {one.name}'s heads, got shape {q.shape}"
                )
            width = {"head_dim": q.shape[1]} if "head_dim" in one.values else {}
            one = one.at(seq_len=min(len(q), SHOWN), content=one.defaults["content"], **width)
            parameters = tuple(_until(q) if p.name == "seq_len" else p for p in one.parameters)
            no_slider = (*one.no_slider, "head_dim", "content", "draw")
            look = {"parameters": parameters, "no_slider": no_slider, "tokens": tuple(tokens)}
            one = one.with_queries(q, k, name=_name(one.name, names), **look)
        made.append(one)
    return made


# Functions f(positions, d_model, **parameters): further arguments become parameters.


class Function(Additive):
    """A function that returns an array of shape (n, d_model); pictures name its dims as its `dims` say."""

    from_function = True
    function: Callable
    dims: tuple[str, ...] = ()

    def rows(self, positions):
        return self._result(positions.astype(np.float64 if (positions % 1).any() else np.int64))

    def _result(self, at: np.ndarray) -> np.ndarray:
        """Return what the function makes of positions, or raise words that name it and its values."""
        own, shape = (
            {n: v for n, v in self.values.items() if n not in ("seq_len", "d_model")},
            (len(at), self.d_model),
        )
        told = ", ".join(
            f"{n}={validate.as_text(v)}" for n, v in ({"d_model": self.d_model} | own).items()
        )
        try:
            got = self.function(at.copy(), self.d_model, **own)
        except Exception as error:
            said = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}".removesuffix(": ")
            lines = [
                frame.line for frame in traceback.extract_tb(error.__traceback__)[1:2] if frame.line
            ]
            raise ValueError(
                f"{self.name} raised {', at: '.join([f'{said} ({told})', *lines])}"
            ) from error
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
            raise ValueError(f"{self.name} must return {wrong} ({told})")
        return table.astype(np.float64 if table.dtype.kind == "f" else np.int64)

    @functools.cached_property
    def continuous(self) -> bool:
        """Whether positions between two others have rows of their own, and the others keep theirs."""
        try:  # nobody has asked for these positions
            fine, whole = (
                self._result(np.arange(2 * PROBED - 1) / 2),
                self._result(np.arange(PROBED)),
            )
        except ValueError:
            return False
        before, between, after = whole[:-1], fine[1::2], whole[1:]
        held = (between == before).all(axis=1) | (between == after).all(axis=1)
        moves = (before != after).any(axis=1)
        return np.allclose(fine[::2], whole) and not (moves.any() and held[moves].all())

    @property
    def works(self) -> bool:
        """Whether the function has rows at this setting."""
        try:
            with np.errstate(all="ignore"):
                self.rows(np.arange(3))
        except (ValueError, IndexError):
            return False
        return True


def _function(f, given: dict, names: set) -> Function:
    """Return a function as an encoding under a free name."""
    inner = f
    while isinstance(inner, functools.partial):
        inner = inner.func
    called = getattr(inner, "__name__", type(inner).__name__)
    name = _name("mine" if called == "<lambda>" else called, names)
    try:
        arguments = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        arguments = []  # of a function in C, say
    arguments = [a for a in arguments if a.kind not in (a.VAR_POSITIONAL, a.VAR_KEYWORD)]
    taken = [a.name for a in arguments]
    if len(arguments) < 2 or taken[1] in OTHER_KINDS:
        rule = f"{name} must take positions and d_model as its first two arguments, got {name}({', '.join(taken)})"
        more = "; what turns queries and keys, or adds to scores, is a class: see help(posenc_lib.Rotary) or .Bias"
        raise TypeError(rule + more * (len(arguments) > 1))
    _, second, *others = arguments
    width = (
        second.default if isinstance(second.default, int) and 0 < second.default <= 1024 else DIMS
    )
    turned = [p for a in others if (p := _parameter(name, a.name, a.default, given))]
    look = {"__doc__": inner.__doc__, "function": f, "dims": tuple(getattr(inner, "dims", ()))}
    look["parameters"] = (seq_len_of(64), d_model_of(width, high=512), *turned)
    made = Function().named(name, name, **look).at(d_model=width)
    if not made.works:
        of_length = made.named(name, name, function=functools.partial(_of_length, f))
        made = of_length if of_length.works else made
    if not made.at(d_model=3).works:  # it may need pairs
        even = replace(even_of(width, "d_model"), high=max(512, width))
        made = made.named(name, name, parameters=(seq_len_of(64), even, *turned))
    return made


def _of_length(f: Callable, positions: np.ndarray, d_model: int, **own):
    """Return rows of a function that wants to know how many positions there are, as in many tutorials."""
    if positions.dtype.kind == "f":
        raise TypeError("it takes how many positions there are")
    return np.asarray(validate.plain(f(int(positions.max(initial=-1)) + 1, d_model, **own)))[
        positions
    ]


def _parameter(of: str, name: str, default, given: dict) -> Parameter | None:
    """Return what a reader can turn of an argument, or None where its own default must do."""
    if name in ("seq_len", "d_model"):
        raise TypeError(f"{of} must not call a parameter {name}, which says how large its table is")
    asked, needed = given.get(name, []), default is inspect.Parameter.empty
    asked = list(asked) if isinstance(asked, (list, tuple)) else [asked]
    if needed and not asked:
        raise TypeError(
            f"{of} must be given {name}, which has no default: {name}=(low, high), or a value"
        )
    begins = asked[0] if needed else default
    seen, about = [value for value in (begins, *asked) if value is not None], f"{name} of {of}"
    if not seen:
        return Parameter(name, about, None)
    if all(isinstance(value, (bool, np.bool_)) for value in seen):
        return Parameter(name, about, begins, options=(False, True))
    if all(isinstance(value, str) for value in seen):
        return Parameter(name, about, begins, options=tuple(dict.fromkeys(seen)))
    real = all(isinstance(value, numbers.Real) and not isinstance(value, bool) for value in seen)
    if real and all(abs(value) <= LARGEST for value in seen):
        return _number(name, about, begins, seen)
    if asked:
        bound = f"bind anything else to it before: functools.partial({of}, {name}=…)"
        wanted = (
            "True or False"
            if isinstance(begins, bool)
            else "texts"
            if isinstance(begins, str)
            else "numbers"
        )
        raise TypeError(f"{name} must be given as {wanted} here ({bound}), got {given[name]!r:.60}")
    return None


def _number(name: str, about: str, begins, seen: list) -> Parameter:
    """Return a number around its default, or in the range asked for; whole if its default is and all others are."""
    whole = all(isinstance(value, numbers.Integral) for value in seen)
    start, most = (int(seen[0]), validate.EXACT) if whole else (float(seen[0]), LARGEST_ENTRY)
    low, high = (
        (min(seen), max(seen)) if begins is None and min(seen) < max(seen) else around(start)
    )
    scale, default = "whole" if whole else "real", None if begins is None else start
    return Parameter(name, about, default, low, high, 1, scale, start=start, least=-most, most=most)
