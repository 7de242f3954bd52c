"""Values, texts and names that nobody means, or that somebody means badly."""

import datetime
from collections.abc import Callable

import numpy as np

# what a text would do if anything ran it: the worker hears of each
RUNS = "__import__('os').mkdir('sabotaged')"
MARKUP = "\"><img src=x onerror='alert(1)'></style></title>"
MARKUP += "<script>alert(1)</script><svg onload=alert(1)>"


class Unprintable:
    """An object whose repr raises."""

    def __repr__(self):
        raise RuntimeError("no repr")


class Sly:
    """An object that is asked to be a number, a list or an array, and raises each time."""

    def _no(self, *_, **__):
        raise RuntimeError("no")

    __array__ = __float__ = __index__ = __int__ = __len__ = __iter__ = __eq__ = __bool__ = _no
    __hash__ = object.__hash__


class Name(str):
    """A text that isn't quite one."""

    __slots__ = ()


def nested(depth: int) -> list:
    """Return a list in a list in a list, and so on."""
    inner: list = []
    for _ in range(depth):
        inner = [inner]
    return inner


def holding_itself() -> list:
    inner: list = []
    inner.append(inner)
    return inner


def holding_itself_by_name() -> dict:
    inner: dict = {}
    inner["inner"] = inner
    return inner


VALUES: dict[str, Callable[[], object]] = {
    "None": lambda: None,
    "True": lambda: True,
    "-1": lambda: -1,
    "0.5": lambda: 0.5,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "1e308": lambda: 1e308,
    "10**9": lambda: 10**9,
    "10**5000": lambda: 10**5000,
    "-10**5000": lambda: -(10**5000),
    "1j": lambda: 1j,
    "''": lambda: "",
    "text that runs": lambda: RUNS,
    "markup": lambda: MARKUP,
    "a lone surrogate": lambda: "\ud800",
    "NUL": lambda: "a\0b",
    "a million letters": lambda: "a" * 10**6,
    "bytes": lambda: b"\xff4",
    "an own str": lambda: Name("4"),
    "a set": lambda: {4},
    "a dict": lambda: {"a": 4},
    "a dict that holds itself": holding_itself_by_name,
    "[]": list,
    "ragged": lambda: [[1], [1, 2]],
    "nested 3000 deep": lambda: nested(3000),
    "a list that holds itself": holding_itself,
    "a generator": lambda: (i for i in range(3)),
    "range(10**12)": lambda: range(10**12),
    "a class": lambda: Unprintable,
    "a function": lambda: lambda *_, **__: None,
    "an object without repr": Unprintable,
    "a list of that": lambda: [Unprintable()],
    "a sly object": Sly,
    "an array": lambda: np.arange(3.0),
    "array of nan": lambda: np.full((4, 8), np.nan),
    "array of objects": lambda: np.array([None, {}], object),
    "array of texts": lambda: np.array(["a", "b"]),
    "array of dates": lambda: np.array(["2027-01-01"], "datetime64[D]"),
    "array of records": lambda: np.zeros(2, [("a", float)]),
    "masked array": lambda: np.ma.masked_array(np.ones((4, 8)), mask=True),
    "array of 10**10 by strides": lambda: np.broadcast_to(np.float64(1), (10**5, 10**5)),
    "array of shape (0, 8)": lambda: np.empty((0, 8)),
    "array of 30 axes": lambda: np.zeros((1,) * 30),
    "a date": lambda: datetime.date(2027, 1, 1),
}
