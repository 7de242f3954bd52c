"""The door for what is not in the catalog: an object, a trained table, a model's own queries and keys, a function."""

import itertools
import re
from dataclasses import replace

import numpy as np

from posenc_lib.encodings import catalog, validate
from posenc_lib.encodings.base import Additive, Bias, Encoding, Relative, Rotary
from posenc_lib.encodings.models import of_config
from posenc_lib.encodings.own_function import from_function
from posenc_lib.encodings.parameter import seq_len_of

SHOWN, MOST = 256, 4096  # positions, where they end somewhere: at first, and at most
WHAT = "an encoding's name, a function, an array (a table must be one: np.array(table)), an encoding, or a list of them"
NEEDED: dict[type[Encoding], tuple[str, ...]] = {  # the method that an encoding of a kind must give, and its parameters
    Additive: ("rows", "seq_len"),
    Rotary: ("frequencies", "seq_len", "head_dim", "content"),
    Relative: ("scores", "seq_len", "head_dim", "content"),
    Bias: ("biases", "seq_len", "head"),
}


def opened(what, given: dict | None = None, taken=()) -> list[Encoding]:
    """Return encodings by name, function, array or object, each under a name of its own.

    A name of the catalog means its encoding and nothing else: a function `sine` is called my_sine.

    >>> def ramp(positions, d_model, slope=0.5):
    ...     return slope * positions[:, None] * np.ones(d_model)
    >>> one, other = opened([ramp, np.eye(3)])
    >>> one.at(seq_len=3, d_model=1, slope=2.0).table.T, other.name
    (array([[0., 2., 4.]]), 'mine')

    Args: what is one of them, or a list; given are values, ranges and options by parameter name, as `explore` takes
        them; taken are names that others have.
    """
    each = list(what) if isinstance(what, (list, tuple)) else [what]
    texts = [one for one in each if isinstance(one, str)]
    if not each or len({one if isinstance(one, str) else id(one) for one in each}) < len(each):
        raise ValueError(f"what must name at least one encoding, each once, got {validate.show(what)}")
    made, names = [], {*taken, *texts}
    for one in each:
        if isinstance(one, str):
            made.append(catalog.NAMED[validate.known("what", one, catalog.NAMED)])
        else:
            made.append(_made(one, given or {}, names, beside=len(each) > 1))
            names.add(made[-1].name)
    return made


def _made(one, given: dict, names: set, *, beside: bool) -> Encoding:
    one = of_config(one) if isinstance(one, dict) else one
    if isinstance(one, type):
        one = one() if issubclass(one, Encoding) else one
    elif hasattr(one, "__array__"):
        array, name = _array("what", one), _name("mine", names)
        return Table().named(name, name, array=array, parameters=(_until(array),)).at(seq_len=min(len(array), SHOWN))
    elif hasattr(one, "weight"):
        raise TypeError(f"what must be {WHAT}, got a {type(one).__name__}: its table is its .weight")
    if isinstance(one, Encoding):
        return _object(one, given, names, beside=beside)
    if callable(one):
        return from_function(one, given, lambda called: _name(called, names))
    raise TypeError(f"what must be {WHAT}, got {validate.show(one)}")


def _name(wanted: str, names: set, *, known: bool = False) -> str:
    """Return a free name that fits the line of a spec; known says that it may be the catalog's."""
    wanted = re.sub(r"\W+", "_", wanted).strip("_") or "mine"
    if wanted in catalog.NAMED and (not known or wanted in names):
        wanted = f"my_{wanted}"
    return next(name for k in itertools.count(1) if (name := f"{wanted}_{k}" if k > 1 else wanted) not in names)


def _object(one: Encoding, given: dict, names: set, *, beside: bool) -> Encoding:
    """Return an encoding under a free name; beside others it keeps the values that it was made with."""
    called = one.name or type(one).__name__
    known = catalog.NAMED.get(called)
    of_catalog = type(one) is type(known) and one.look is known.look
    if not of_catalog:
        _refuse_incomplete(one, called)
    free = {n: v for n, v in one.values.items() if beside and n not in (*given, *one.kept, "seq_len")}
    kept = {n: v for n, v in free.items() if v != one.defaults[n]}
    name = _name(called, names, known=of_catalog and not kept)
    if (name, one.title or name, kept) == (one.name, one.title, {}):
        return one
    title = ", ".join([one.title or name, *(f"{n} {validate.as_text(v)}" for n, v in kept.items())])
    return one.named(name, title, kept=(*one.kept, *kept))


def _refuse_incomplete(one: Encoding, called: str) -> None:
    """Raise an error in words where an encoding lacks what its kind needs, or does not give what it should."""
    kind = next((kind for kind in NEEDED if isinstance(one, kind)), None)
    if kind is None:
        raise TypeError(f"{called} must be one of the kinds {', '.join(kind.__name__ for kind in NEEDED)}")
    method, *parameters = NEEDED[kind]
    example = f"help(posenc_lib.{kind.__name__})"
    if not hasattr(type(one), method) and type(one).relate is kind.relate:
        raise TypeError(f"{called} must have {method}: {example} has an example, as every {kind.__name__} has")
    if lacking := [name for name in parameters if not hasattr(one, name)]:
        raise TypeError(f"{called} must have a parameter {lacking[0]!r}, as every {kind.__name__} has")
    try:
        scores = one.at().dot_product(0)
    except ValueError:
        raise  # words of its own
    except Exception as error:
        rule = f"must be made from its parameters alone, and give {method} as {example} says"
        raise TypeError(f"{called} {rule}, got {type(error).__name__}: {error}") from error
    if np.shape(scores) != (one.max_positions,):
        rule = f"must give {method} for each of the {one.max_positions} positions"
        raise ValueError(f"{called} {rule}, got scores of shape {np.shape(scores)}")


def _array(name: str, value) -> np.ndarray:
    """Return a table of finite numbers, from whatever holds one, in 64 bits."""
    array = validate.as_array(name, validate.plain(value))
    array = validate.array(name, array * 1 if array.dtype.kind == "b" else array, ndim=2)
    if 0 in array.shape:
        raise ValueError(f"{name} must have at least one row and one dim, got shape {array.shape}")
    return array.astype(np.float64 if array.dtype.kind == "f" else np.int64)


def _until(array: np.ndarray):
    """Return the parameter of how many positions there are, where they end with an array."""
    last = len(array)
    return replace(seq_len_of(min(last, SHOWN)), low=1 + (last > 2), high=max(min(last, MOST), 2))


class Table(Additive):
    """A trained table: a row for each position, and none beyond its last."""

    width, continuous, ends = None, False, True
    parameters = (seq_len_of(SHOWN),)
    array: np.ndarray

    @property
    def num_dims(self) -> int:
        return self.array.shape[1]

    @property
    def limits(self) -> dict:
        return {"seq_len": len(self.array)}

    def rows(self, positions):
        return self.array[positions]


def given_queries_keys(encodings: list[Encoding], q, k, tokens=()) -> list[Encoding]:
    """Return the encodings with queries and keys of one's own under those that look at any: rotary and relative.

    q and k have shape (seq_len, head_dim), those of one head; tokens are the words that they were made of, if any.
    """
    q, k = _array("q", q), _array("k", k)
    tokens = _words(tokens, len(q))
    if q.shape != k.shape:
        raise ValueError(f"q and k must have the same shape, (seq_len, head_dim), got {q.shape} and {k.shape}")
    made, names = [], {encoding.name for encoding in encodings}
    for one in encodings:
        if "content" in one.values:
            if "head_dim" not in one.values and q.shape[1] != one.num_dims:
                raise ValueError(f"q must have the {one.num_dims} dims of {one.name}'s heads, got shape {q.shape}")
            width = {"head_dim": q.shape[1]} if "head_dim" in one.values else {}
            one = one.at(seq_len=min(len(q), SHOWN), content=one.defaults["content"], **width)
            parameters = tuple(_until(q) if p.name == "seq_len" else p for p in one.parameters)
            kept = (*one.kept, "head_dim", "content", "draw")
            look = {"parameters": parameters, "kept": kept, "tokens": tokens}
            one = one.with_queries(q, k, name=_name(one.name, names), **look)
        made.append(one)
    return made


def _words(tokens, number: int) -> tuple[str, ...]:
    """Return the words of some tokens, one for each row, or none at all."""
    if isinstance(tokens, str) or not all(isinstance(word, str) for word in tokens):
        raise TypeError(f"tokens must be a list of words, got {validate.show(tokens)}")
    if len(tokens) not in (0, number):
        raise ValueError(f"tokens must have one word for each of the {number} rows of q, got {len(tokens)}")
    return tuple(tokens)
