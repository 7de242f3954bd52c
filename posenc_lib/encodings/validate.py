"""The one place that refuses bad input.

Every public function raises TypeError or ValueError with a message that names the argument, the rule and what came.
"""

import difflib
import math
import numbers

import numpy as np

LARGEST = 1e150  # of an entry: sums of products of two such still fit into float64
EXACT = 2**53  # beyond it float64 cannot tell one whole number from the next
quiet = np.errstate(under="ignore")  # for functions: what is too small is 0, even where the caller lets NumPy raise
MOST = 2**30  # numbers in a result
FEW = 4  # options that an error lists whole
NARROW = {np.dtype(kind): float(np.finfo(kind).max) for kind in (np.float32, np.float16)}  # their largest numbers
DTYPES = (np.dtype(np.float64), np.dtype(np.float32), np.dtype(np.float16))


def show(value) -> str:
    """Return value as it should stand in a message: short, and with its type where that is the fault."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape} and dtype {value.dtype}"
    try:
        text = repr(value.item() if isinstance(value, np.generic) else value)
    except ValueError:  # Python does not print whole numbers of over 4300 digits
        known = isinstance(value, int)
        text = f"a whole number of {value.bit_length()} bits" if known else f"a {type(value).__name__} of such numbers"
    return text if len(text) <= 60 else text[:57] + "..."


def as_text(value) -> str:
    """Return a value as it is written in a spec, and in the words below a picture: 10000, 0.5, interleaved."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def integer(name: str, value, *, low: int = 1, high: int | None = None, even: bool = False) -> int:
    """Return value as an int within [low, high]; bool, float and text are refused."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be a whole number (int), got {show(value)} ({type(value).__name__})")
    value = int(value)
    if value < low:
        raise ValueError(f"{name} must be at least {low}, got {show(value)}")
    if value > (EXACT if high is None else high):
        raise ValueError(f"{name} must be at most {'2**53' if high is None else high}, got {show(value)}")
    if even and value % 2:
        raise ValueError(f"{name} must be even, got {value}")
    return value


def real(name: str, value, *, above: float = -math.inf) -> float:
    """Return value as a finite float greater than `above`; bool, complex and text are refused."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a real number, got {show(value)} ({type(value).__name__})")
    try:
        value = float(value)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise ValueError(f"{name} must be finite, got {value}")
    if value <= above:
        raise ValueError(f"{name} must be greater than {above:g}, got {value:g}")
    return value


def position(name: str, value) -> float:
    """Return value as a position or an offset: a real number within ±2**53."""
    value = real(name, value)
    if abs(value) > EXACT:
        raise ValueError(f"{name} must lie within ±2**53, got {value:g}")
    return value


def base(value) -> float:
    """Return a base whose powers float64 can hold."""
    value = real("base", value, above=0)
    if not 1e-100 <= value <= 1e100:
        raise ValueError(f"base must be between 1e-100 and 1e100, got {value:g}")
    return value


def choice(name: str, value, options: tuple):
    """Return value if it is one of the options; of many the error names those that were perhaps meant."""
    if not isinstance(value, (str, type(None))) or value not in options:
        near = " or ".join(map(repr, did_you_mean(value, options) if len(options) > FEW else []))
        known = f"the known names (did you mean {near}?)" if near else ", ".join(map(repr, options))
        raise ValueError(f"{name} must be one of {known}, got {show(value)}")
    return value


def did_you_mean(value, options) -> list[str]:
    """Return up to three options that are written like a value, or begin with it, the nearest first."""
    if not isinstance(value, str):
        return []
    by_case = {option.lower(): option for option in options}
    near = difflib.get_close_matches(value.lower(), by_case, n=3, cutoff=0.6)
    near += [option for option in by_case if value and value.lower() in option and option not in near]
    return [by_case[option] for option in near[:3]]


def flag(name: str, value) -> bool:
    """Return value if it is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {show(value)} ({type(value).__name__})")
    return bool(value)


def float_dtype(name: str, value) -> np.dtype:
    """Return value as one of the float dtypes a table may have."""
    if isinstance(value, (str, type, np.dtype)):  # NumPy takes None for float64, and an array for its own dtype
        for dtype in DTYPES:
            if value in (dtype.name, dtype.type, dtype):
                return dtype
    raise ValueError(f"{name} must be float64, float32 or float16, got {show(value)}")


def as_array(name: str, value) -> np.ndarray:
    """Return value as an array of whatever dtype; masked and ragged ones are refused."""
    rows = value if isinstance(value, (list, tuple)) else [value]
    if any(isinstance(row, np.ma.MaskedArray) for row in rows):
        raise TypeError(f"{name} must be a plain array, got a masked one (choose what stands for its gaps)")
    try:
        return np.asarray(value)
    except ValueError:  # NumPy's own words for a ragged list do not name the argument
        raise ValueError(f"{name} must be a regular array of numbers, got rows of unequal length") from None
    except (TypeError, RuntimeError) as error:  # a tensor that has a gradient, or a dtype that NumPy lacks
        said = str(error).splitlines()[0].rstrip(".")
        meant = f" ({name}.detach().float().cpu().numpy() is one)" if hasattr(value, "detach") else f": {said}"
        raise TypeError(f"{name} must be an array that NumPy can read, got a {type(value).__name__}{meant}") from None


def array(
    name: str, value, *, ndim: int | None = None, min_ndim: int = 0, mask=False, columns=1, growth: float = 0
) -> np.ndarray:
    """Return value as an array of finite real numbers with the wanted number of axes.

    A mask may hold -inf as well. If each number is to become that many columns, the result must not be absurdly large.
    Where numbers will grow in their own dtype, so many times at most, there must be room for it.
    """
    result = as_array(name, value)
    if result.dtype.kind not in "iuf":
        what = show(value) if np.ndim(value) == 0 else f"dtype {result.dtype}"
        raise TypeError(f"{name} must hold real numbers, got {what}")
    if ndim is not None and result.ndim != ndim:
        raise ValueError(f"{name} must have {_axes(ndim)}, got shape {result.shape}")
    if result.ndim < min_ndim:
        raise ValueError(f"{name} must have at least {_axes(min_ndim)}, got shape {result.shape}")
    size(name, (*result.shape, columns))
    if result.dtype.itemsize > 8:  # extended precision; the library works in float64
        with np.errstate(over="ignore"):  # what does not fit becomes infinite and is refused below
            result = result.astype(np.float64)
    if result.size == 0:
        return result
    ends = [float(result.min()), float(result.max())]  # NaN and ∞ come through: nothing else looks at every number
    if not all(map(math.isfinite, ends)):
        allowed = np.isfinite(result) | (np.isneginf(result) if mask else False)
        if not allowed.all():
            raise ValueError(f"{name} must be finite{' or -inf' if mask else ''}, got {result[~allowed].flat[0]}")
        ends = [float(np.abs(result[np.isfinite(result)]).max(initial=0))]
    largest, narrow = max(map(abs, ends)), growth and NARROW.get(result.dtype.newbyteorder("="))
    most = narrow / growth if narrow else LARGEST
    if largest > most:
        why = f" to stay within {result.dtype}" if narrow else ", where products fit into float64"
        raise ValueError(f"{name} must lie within ±{most:g}{why}, got ±{largest:g}")
    return result


def _axes(number: int) -> str:
    return "1 axis" if number == 1 else f"{number} axes"


def integers(name: str, value) -> np.ndarray:
    """Return value as an int64 array within ±2**53."""
    result = array(name, value)
    if result.dtype.kind == "f" and result.size:  # an empty list has no whole numbers either, and none is wrong
        raise TypeError(f"{name} must hold whole numbers, got dtype {result.dtype}")
    return within_exact(name, result).astype(np.int64)


def within_exact(name: str, values: np.ndarray) -> np.ndarray:
    """Return values if all lie within ±2**53, where float64 holds every whole number."""
    for end in (values.min(), values.max()) if values.size else ():
        if abs(end.item()) > EXACT:  # as Python's own number: 2**53 + 1 would be rounded
            raise ValueError(f"{name} must lie within ±2**53, got {show(end)}")
    return values


def leading_axes(names: str, *arrays: np.ndarray) -> tuple[int, ...]:
    """Return the axes that the arrays have before their last two, broadcast, or refuse shapes that do not fit."""
    shapes = [x.shape[:-2] for x in arrays]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(f"{names} must agree in their leading axes, got {shapes}") from None


def positions(value, columns: int) -> np.ndarray:
    """Return positions of shape (seq_len,) or (batch, seq_len) whose table of `columns` columns can be made.

    An int n stands for 0 … n-1.
    """
    if isinstance(value, (bool, np.bool_, str, bytes)) or value is None:
        raise TypeError(f"positions must be a count or an array, got {show(value)} ({type(value).__name__})")
    if isinstance(value, numbers.Number):
        n = integer("positions", value, low=0)
        size("positions", (max(n, 1), columns))
        return np.arange(n)
    result = array("positions", value, columns=columns)
    if result.ndim not in (1, 2):
        raise ValueError(f"positions must have shape (seq_len,) or (batch, seq_len), got shape {result.shape}")
    size("positions", (max(result.size, 1), columns))
    return within_exact("positions", result)


def size(name: str, shape: tuple[int, ...]) -> None:
    """Refuse a result of absurdly many numbers, before any of it is made."""
    number = math.prod(shape)
    if number > MOST:
        wanted = f"{' × '.join(map(str, shape))} numbers that take {number / 2**27:,.0f} GiB"
        raise ValueError(f"{name} must give at most 2**30 numbers (8 GiB), got {wanted}")


def among(value, names, has: str = "there are") -> str:
    """Return what to say, in brackets, of a name that is none of these: those perhaps meant, or a few of them."""
    names = tuple(names)
    near = " or ".join(map(repr, did_you_mean(value, names)))
    some = ", ".join(names if len(names) <= 2 * FEW else [*names[:FEW], "…"])
    return f"did you mean {near}?" if near else f"{has} {some}"


def known(name: str, value, names):
    """Return value if it is one of these names, however many they are."""
    if not isinstance(value, str) or value not in names:
        raise ValueError(f"{name} must be a known name ({among(value, names)}), got {show(value)}")
    return value


def plain(value):
    """Return a tensor of PyTorch, whatever its dtype and gradient, as an array; anything else as it is."""
    return value.detach().cpu().double().numpy() if hasattr(value, "detach") else value


def made(by, method: str, value, *shape: int | None) -> np.ndarray:
    """Return what an encoding's own method gave, of this shape, where None is any length; −inf may stand in it."""
    what = f"{by.name or type(by).__name__}.{method}"
    got = as_array(what, plain(value))
    if got.ndim != len(shape) or any(n not in (None, m) for n, m in zip(shape, got.shape, strict=True)):
        wanted = ", ".join("any" if n is None else str(n) for n in shape)
        raise ValueError(f"{what} must have shape ({wanted}), got {got.shape if got.ndim else show(value)}")
    return array(what, got, mask=True)
