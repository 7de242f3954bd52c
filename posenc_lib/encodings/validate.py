"""The rules for arguments, `RULES`, and the error messages for breaking them.

A public function is decorated with `@checked(…)`, so its body starts with the formula. Positions,
sizes and options are checked; data may contain NaN and infinity. `fit_memory` limits every result.
"""

import difflib
import functools
import inspect
import itertools
import math
import numbers
import os
import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Literal, TypeVar, get_args, get_origin

import numpy as np

LONGEST = 500  # characters in a title or a caption
EXACT = 2**53  # beyond it, float64 can't tell neighboring integers apart
SHOWN = 60  # characters of a value in a message
MOST_AXES = 8  # of an array that's read as a table
LARGEST = 1e150  # in a table: the product of two still fits into float64
# too small becomes 0 and too large infinite, even if the caller makes NumPy raise
quiet = np.errstate(all="ignore")
MEMORY = "POSENC_MAX_GB"  # the limit for an array
DTYPES = (np.dtype(np.float64), np.dtype(np.float32), np.dtype(np.float16))
# what isn't an argument, and how to set it
NO_ARGUMENTS = {"theme": "Call present(theme=…), or figures make with --theme."}
# characters XML can't contain
UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
F = TypeVar("F", bound=Callable[..., Any])


def show(value) -> str:
    """Return value for a message: shortened, or the shape of an array."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape} and dtype {value.dtype}"
    if isinstance(value, int) and abs(value) == EXACT:
        return "2**53" if value > 0 else "-2**53"
    if isinstance(value, (str, bytes, list, tuple)):
        value = value[:SHOWN]
    elif isinstance(value, dict):
        value = dict(itertools.islice(value.items(), SHOWN))
    try:
        text = printable(repr(value.item() if isinstance(value, np.generic) else value))
    except Exception:  # nested too deep, too many digits, an error of its own
        size = f" of {value.bit_length()} bits" if isinstance(value, int) else ""
        return f"an unprintable {type(value).__name__}{size}"
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


def printable(text: str) -> str:
    """Return text with a � for whatever a file can't contain: NUL, half a character."""
    return UNPRINTABLE.sub("�", text)


def as_text(value) -> str:
    """Return value as it is in specs and below pictures: 10000, 0.5, interleaved."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def ended(words: str) -> str:
    """Return words with a period at the end, unless there's punctuation already."""
    return words if words.endswith((".", "?", "!", "…")) else f"{words}."


def listed(words: Iterable[str], *, serial: bool = False) -> str:
    """Return words as a list in a sentence: a, b and c, or with a serial comma a, b, and c."""
    *before, last = words
    comma = "," if serial and before[1:] else ""
    return f"{', '.join(before)}{comma} and {last}" if before else last


def did_you_mean(value, options) -> list[str]:
    """Return up to three options that are spelled like value or contain it, best first."""
    if not isinstance(value, str) or not value:
        return []
    by_case = {option.lower(): option for option in options}
    near = difflib.get_close_matches(value.lower(), by_case, n=3, cutoff=0.6)
    near += [option for option in by_case if value.lower() in option and option not in near]
    return [by_case[option] for option in near[:3]]


def among(value, names, has: str = "There are") -> str:
    """Return a hint for an unknown name: the names it could be, or some that exist."""
    if isinstance(value, str) and value in NO_ARGUMENTS:
        return NO_ARGUMENTS[value]
    names = tuple(names)
    near = " or ".join(map(repr, did_you_mean(value, names)))
    some = ", ".join(names if len(names) <= 12 else [*names[:4], "…"])
    return f"Did you mean {near}?" if near else f"{has} {some}."


def _size(value) -> int:
    return math.prod(value) if isinstance(value, tuple) else getattr(value, "size", value)


def fit_memory(count: float, **given) -> None:
    """Refuse an array of this many numbers if it needs more than 2 GB, or the limit in MEMORY.

    given are the arguments that determine its size, by name.
    """
    written = os.environ.get(MEMORY, 2)
    try:
        most = float(written)
    except ValueError:
        most = math.nan
    if not most > 0:
        raise ValueError(f"{MEMORY} must be a positive number of gigabytes, got {show(written)}")
    needed = 8 * count / 1e9
    if needed > most:
        name = max(given, key=lambda name: _size(given[name]))
        makes = f"got {show(given[name])}, which makes an array of {needed:,.1f} GB"
        allows = f'To allow that, set os.environ["{MEMORY}"] = "{math.ceil(needed)}"'
        raise ValueError(f"{name} must keep arrays below {most:g} GB, {makes}. {allows}")


# Each rule takes an argument's name and value.
# It returns the value, or raises an error that gives both.


def integer(name: str, value, *, low: int = 1, high: int = EXACT, even: bool = False) -> int:
    """Return value as an int in [low, high]. Refuses bool, float, and str."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be an integer, got {show(value)} ({type(value).__name__})")
    value = int(value)
    if value < low:
        raise ValueError(f"{name} must be at least {low}, got {show(value)}")
    if value > high:
        raise ValueError(f"{name} must be at most {show(high)}, got {show(value)}")
    if even and value % 2:
        raise ValueError(f"{name} must be even, got {value}")
    return value


def real(
    name: str, value, *, above: float = -math.inf, low: float = -math.inf, high: float = math.inf
) -> float:
    """Return value as a finite float in [low, high] and above a bound.

    Refuses bool, complex, and str.
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number, got {show(value)} ({type(value).__name__})")
    try:
        value = float(value)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise ValueError(f"{name} must be finite, got {value}")
    if value <= above:
        rule = f"greater than {above:g}" if above else "positive"
        raise ValueError(f"{name} must be {rule}, got {value:g}")
    if not low <= value <= high:
        lowest, highest = (show(int(x)) if abs(x) == EXACT else f"{x:g}" for x in (low, high))
        rule = f"at most {highest}" if low == -math.inf else f"between {lowest} and {highest}"
        raise ValueError(f"{name} must be {rule}, got {value:g}")
    return value


def choice(name: str, value, options: tuple):
    """Return value if it's one of a few options."""
    if not isinstance(value, str) or value not in options:
        raise ValueError(
            f"{name} must be one of {', '.join(map(repr, options))}, got {show(value)}"
        )
    return value


def known(name: str, value, names):
    """Return value if it's one of these names. There can be many."""
    if not isinstance(value, str) or value not in names:
        raise ValueError(f"{name} {show(value)} is unknown. {among(value, names)}")
    return value


def flag(name: str, value) -> bool:
    """Return value if it's True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {show(value)} ({type(value).__name__})")
    return bool(value)


def float_dtype(name: str, value) -> np.dtype:
    """Return value as a float dtype that tables can have."""
    # NumPy reads None as float64 and an array as its dtype
    if isinstance(value, (str, type, np.dtype)):
        for dtype in DTYPES:
            if value in (dtype.name, dtype.type, dtype):
                return dtype
    raise ValueError(f"{name} must be float64, float32 or float16, got {show(value)}")


# Arrays


def plain(value):
    """Return a PyTorch tensor of any dtype as an array, and anything else unchanged."""
    return value.detach().cpu().double().numpy() if hasattr(value, "detach") else value


def as_array(name: str, value) -> np.ndarray:
    """Return value as an array of any dtype. Refuses masked and ragged ones."""
    rows = value if isinstance(value, (list, tuple)) else [value]
    if any(isinstance(row, np.ma.MaskedArray) for row in rows):
        raise TypeError(
            f"{name} must be a plain array, got a masked one. First fill it, as in {name}.filled(0)"
        )
    if isinstance(value, range):
        fit_memory((value.stop - value.start) // value.step, **{name: value})
    try:
        return np.asarray(value)
    except (ValueError, RecursionError) as error:  # NumPy's message doesn't name the argument
        deep = isinstance(error, RecursionError) or "dimension" in str(error)
        got = "lists nested too deep" if deep else "rows of different lengths"
        raise ValueError(f"{name} must be rectangular, got {got}") from None
    except Exception as error:
        # for example a tensor with a gradient, or with a dtype NumPy doesn't have
        said = next(iter(str(error).splitlines()), type(error).__name__).rstrip(".")
        hint = f": {said}"
        if hasattr(value, "detach"):
            hint = f". Pass {name}.detach().float().cpu().numpy()"
        raise TypeError(
            f"{name} must be an array NumPy can read, got {type(value).__name__}{hint}"
        ) from None


def array(
    name,
    value,
    *,
    ndim=None,
    min_ndim=0,
    finite=True,
    mask=False,
    whole=False,
    within=False,
    above=None,
    dtype=None,
) -> np.ndarray:
    """Return value as an array of real numbers with this many axes and this dtype.

    If asked for, every number must be finite (or −inf in a mask), an integer, above a bound, or
    between −2**53 and 2**53, where float64 is exact for integers.
    """
    result = as_array(name, value)
    if 0 in result.strides:  # a broadcast array takes up memory once it's read
        fit_memory(result.size, **{name: value})
    if result.dtype.kind not in "iuf":
        what = show(value) if np.ndim(value) == 0 else f"dtype {result.dtype}"
        raise TypeError(f"{name} must contain real numbers, got {what}")
    if ndim not in (None, result.ndim) or result.ndim < min_ndim:
        rule = f"at least {min_ndim}-D" if ndim is None else f"{ndim}-D"
        raise ValueError(f"{name} must be {rule}, got shape {result.shape}")
    if whole and result.dtype.kind == "f" and result.size:  # an empty list has a float dtype
        raise TypeError(f"{name} must be integers, got dtype {result.dtype}")
    if result.dtype.itemsize > 8:  # extended precision. The library works in float64
        result = result.astype(np.float64)
    wrong = ~np.isfinite(result) & ~(np.isneginf(result) & mask) if finite else np.False_
    if wrong.any():
        rule = "finite or -inf everywhere" if mask else "finite everywhere"
        raise ValueError(f"{name} must be {rule}, got {result[wrong].flat[0]}")
    for end in (result.min(), result.max()) if within and result.size else ():
        if abs(end.item()) > EXACT:  # as a Python int: float64 would round 2**53 + 1
            raise ValueError(f"{name} must be between -2**53 and 2**53, got {show(end)}")
    if above is not None and result.min(initial=above + 1) <= above:
        raise ValueError(f"{name} must be greater than {above}, got {result.min():g}")
    return result if dtype is None else result.astype(dtype, copy=False)


def in_64_bits(table: np.ndarray) -> np.ndarray:
    """Return a table as float64 if its dtype is a float, otherwise as int64."""
    return table.astype(np.float64 if table.dtype.kind == "f" else np.int64)


def of_one(array: np.ndarray) -> np.ndarray:
    """Return an array without leading axes of length 1, down to two axes."""
    while 2 < array.ndim <= MOST_AXES and len(array) == 1:
        array = array[0]
    return array


def writable(name: str, text: str) -> str:
    """Return text if pages and files can store it."""
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a string, got {show(text)}")
    if len(text) > LONGEST:
        raise ValueError(f"{name} can have at most {LONGEST} characters, got {len(text):,}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        rule = f"{name} must be text that UTF-8 can encode, got {text[error.start]!r}"
        raise ValueError(f"{rule}, half of a character. Replace it") from None
    return text


def finite_table(name: str, value) -> np.ndarray:
    """Return value as a table of finite 64-bit numbers that isn't empty.

    Leading axes of length 1 are dropped.
    """
    table = of_one(as_array(name, plain(value)))
    table = array(name, table * 1 if table.dtype.kind == "b" else table, ndim=2)
    if 0 in table.shape:
        raise ValueError(f"{name} must have at least one row and one dim, got shape {table.shape}")
    return in_64_bits(table)


data = partial(array, finite=False, dtype=np.float64)
integers = partial(array, whole=True, within=True, dtype=np.int64)
offsets = partial(array, within=True, dtype=np.float64)


def positions(value) -> np.ndarray:
    """Return positions of shape (seq_len,) or (batch, seq_len). An int n means 0 … n − 1."""
    if isinstance(value, (bool, np.bool_, str, bytes)) or value is None:
        raise TypeError(
            f"positions must be an int or an array, got {show(value)} ({type(value).__name__})"
        )
    if isinstance(value, numbers.Number):
        if isinstance(value, numbers.Integral) and value < 0:
            told = f"positions must be at least 0, got {show(value)}"
            raise ValueError(f"{told}: an int is how many. For one position, pass [{show(value)}]")
        count = integer("positions", value, low=0)
        fit_memory(count, positions=count)
        return np.arange(count)
    result = array("positions", value, within=True)
    if result.ndim not in (1, 2):
        raise ValueError(
            f"positions must have shape (seq_len,) or (batch, seq_len), got shape {result.shape}"
        )
    return result


def pair_of(name: str, value, meaning: str, low: int = 1) -> tuple[int, int]:
    """Return two integers of at least `low`, such as (height, width)."""
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise ValueError(f"{name} must be {meaning}, got {show(value)}")
    first, second = (integer(name, n, low=low) for n in value)
    return first, second


def leading_axes(names: str, *arrays: np.ndarray) -> tuple[int, ...]:
    """Return the axes before the last two, broadcast, or refuse shapes that don't fit."""
    shapes = [x.shape[:-2] for x in arrays]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(f"{names} must have leading axes that broadcast, got {shapes}") from None


def made(by, method: str, value, *shape: int | None) -> np.ndarray:
    """Return the array a method of an encoding returned, if it has this shape. It can hold −inf.

    None in the shape means the number of heads.
    """
    what = f"{by.name or type(by).__name__}.{method}"
    got = as_array(what, plain(value))
    if got.ndim != len(shape) or any(
        n not in (None, m) for n, m in zip(shape, got.shape, strict=True)
    ):
        wanted = ", ".join("heads" if n is None else str(n) for n in shape)
        raise ValueError(
            f"{what} must return shape ({wanted}), got {got.shape if got.ndim else show(value)}"
        )
    return array(what, got, mask=True)


# The rule for each name. An argument of type bool or Literal doesn't need one.
# The tests break every rule.

EVEN, ROWS = partial(integer, low=2, even=True), partial(data, min_ndim=2)


RULES: dict[str, Callable] = {
    **dict.fromkeys(
        "d_model num_heads num_positions seq_len height width group_size window".split(), integer
    ),
    **dict.fromkeys("num_buckets max_distance".split(), integer),
    **dict.fromkeys("dim head_dim rotary_dim".split(), EVEN),
    **dict.fromkeys("q_len k_len prefix".split(), partial(integer, low=0)),
    "positions": lambda _, value: positions(value),
    **dict.fromkeys(("position", "offset"), partial(real, low=-EXACT, high=EXACT)),
    "offsets": offsets,
    "base": partial(real, low=1e-100, high=1e100),
    "angle": real,
    "inv_freq": partial(array, ndim=1),
    **dict.fromkeys(
        "attention_factor max_bias scale scale_base ridge".split(),
        partial(real, above=0, high=1e100),
    ),
    **dict.fromkeys(("dtype", "angles_dtype"), float_dtype),
    **dict.fromkeys("q k v r pos_emb".split(), ROWS),
    "table": partial(data, ndim=2),
}


def _of_type(annotation) -> Callable | None:
    """Return the rule for a type: bool, or a Literal of words."""
    if get_origin(annotation) is Literal:
        return partial(choice, options=get_args(annotation))
    return flag if annotation is bool else None


def scores_of(q: np.ndarray, k: np.ndarray) -> int:
    """Return the number of scores q and k make."""
    lead = max(math.prod(x.shape[:-2]) for x in (q, k))
    return lead * q.shape[-2] * k.shape[-2]


# arguments that determine the size of a result
SIZES = "positions seq_len d_model num_heads num_positions height width dim head_dim q_len k_len"


def checked(count: Callable | None = None, /, **own: Callable | None) -> Callable[[F], F]:
    """Return a decorator that checks every argument, and that the result fits into memory.

    The rule comes from own, or from the argument's name, or from its type. With None, or without a
    rule, the function gets the argument unchecked. A default of None is never checked. count
    computes how many numbers the result has; without it, that's the product of those in SIZES.

    >>> @checked(d_model=EVEN)
    ... def halves(positions, d_model):
    ...     return positions[:, None] / (1 + np.arange(d_model))
    >>> halves(2, 7)
    Traceback (most recent call last):
    ValueError: d_model must be even, got 7
    """

    def decorate(function: F) -> F:
        arguments, quietly = inspect.signature(function).parameters, quiet(function)
        by_name = {
            name: RULES.get(name) or _of_type(one.annotation) for name, one in arguments.items()
        }
        rules = by_name | own
        optional = {name for name, one in arguments.items() if one.default is None}
        asking = inspect.signature(count).parameters if count else SIZES.split()
        asking = [name for name in arguments if name in asking]
        needed = {name for name in asking if arguments[name].default is inspect.Parameter.empty}

        def passed(name: str, value):
            if rules.get(name) is None or (value is None and name in optional):
                return value
            return rules[name](name, value)

        def fit(given: dict) -> None:
            sizes = {name: given[name] for name in asking if given.get(name) is not None}
            if "k_len" in asking:
                sizes.setdefault("k_len", sizes["q_len"])
            fit_memory(count(**sizes) if count else math.prod(map(_size, sizes.values())), **sizes)

        @functools.wraps(function)
        def call(*args, **options):
            too_many = args[len(arguments) :]  # Python complains, and also if there are too few
            args = [*map(passed, arguments, args), *too_many]
            options = {name: passed(name, value) for name, value in options.items()}
            given = dict(zip(arguments, args, strict=False)) | options
            if needed <= given.keys():
                fit(given)
            return quietly(*args, **options)

        return call  # type: ignore[return-value]

    return decorate
