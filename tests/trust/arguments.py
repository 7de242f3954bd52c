"""What an argument can be: each kind knows how to draw good values of it, and in which ways a value is bad."""

from dataclasses import dataclass
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import numpy as np
from hypothesis import strategies as st

EXACT = 2**53  # the docstrings' limit of a position
BEYOND = 10**13  # values of 8 bytes that no machine has room for
NAN, INF = float("nan"), float("inf")
ENDLESS = {"nan": NAN, "inf": INF, "−inf": -INF}
# What is bad, in the order of the table's columns; the last three are about the call, not about one value.
KINDS = (
    *"none text bool complex object masked fraction nan inf −inf negative zero odd huge memory axes ragged".split(),
    *"option clash keyword missing".split(),
)

words = st.text(max_size=6) | st.binary(max_size=6) | st.sampled_from(["4", "nan", "None", "0x10"])
NO_NUMBERS = {
    "none": st.none(),
    "text": words,
    "bool": st.sampled_from([True, False, np.True_]),
    "complex": st.complex_numbers() | st.just(np.complex64(1)),
    "object": st.sampled_from([[4], {4}, {}, (1, 2), Decimal(4), np.array(4), slice(1), object(), [10**5000]]),
}
GIGANTIC = st.sampled_from([10**400, 10**5000])
HUGE = st.integers(EXACT + 1, 2**80) | GIGANTIC


def wrong_type(kinds: dict) -> dict:
    """Return each kind with the error that a wrong type gets."""
    return {kind: (TypeError, values) for kind, values in kinds.items()}


def wrong_value(kinds: dict) -> dict:
    """Return each kind with the error that a wrong value gets."""
    return {kind: (ValueError, values) for kind, values in kinds.items()}


def one(values: dict, dtypes=(float, np.float32)) -> dict:
    """Return a strategy for each single value, in Python's dtype and in NumPy's."""
    return {kind: st.sampled_from([dtype(value) for dtype in dtypes]) for kind, value in values.items()}


@dataclass(frozen=True, kw_only=True)
class Argument:
    """Something a function takes; optional means that None is good, too, and the default.

    good(draw, a, n) draws a good value, given the arguments a and the sizes n drawn so far; bad(example) returns for
    each kind of badness the type of its error and a strategy; large is a good value that would make much work.
    """

    optional: bool = False
    large: Any = None

    def draw(self, draw, a: SimpleNamespace, n: SimpleNamespace):
        return None if self.optional and draw(st.booleans()) else self.good(draw, a, n)

    def badness(self, example) -> dict:
        found = self.bad(example)
        if self.optional:
            del found["none"]
        return found


@dataclass(frozen=True, kw_only=True)
class Whole(Argument):
    """A whole number from low to high; least and most are limits that other arguments set, as functions of them."""

    low: int | None = 1
    high: int = 12
    even: bool = False
    least: Any = None
    most: Any = None
    grows: bool = True  # a larger one makes a larger result
    large: Any = 200_000

    def good(self, draw, a, n):
        low = self.least(a) if self.least else self.low
        high = self.most(a) if self.most else max(self.high, low)
        step = 2 if self.even else 1
        value = step * draw(st.integers(-(-low // step), high // step))
        return draw(st.sampled_from([int, int, np.int64, np.int16]))(value)

    def bad(self, example):
        found = wrong_type(NO_NUMBERS | one(ENDLESS) | {"fraction": st.floats(-99, 99) | st.just(np.float64(4))})
        if self.low is not None:
            found |= wrong_value({"negative": st.integers(max_value=min(self.low, 0) - 1)})
        if (self.low or 0) > 0:
            found |= wrong_value({"zero": st.sampled_from([0, np.int8(0)])})
        if self.even:
            found |= wrong_value({"odd": st.integers(self.low // 2, 500).map(lambda k: 2 * k + 1)})
        if self.grows:
            found |= wrong_value({"memory": st.integers(BEYOND // 2, EXACT // 2).map(lambda k: 2 * k)})
        return found | wrong_value({"huge": HUGE})


@dataclass(frozen=True, kw_only=True)
class Real(Argument):
    """A real number; positive means above 0; beyond holds values that are too large or too small."""

    values: Any
    positive: bool = True
    beyond: Any = GIGANTIC

    def good(self, draw, a, n):
        return draw(self.values)

    def bad(self, example):
        found = wrong_type(NO_NUMBERS) | wrong_value(one(ENDLESS) | {"huge": GIGANTIC | self.beyond})
        if self.positive:
            below = st.floats(max_value=0, exclude_max=True, allow_infinity=False) | st.integers(max_value=-1)
            found |= wrong_value({"negative": below, "zero": st.sampled_from([0, 0.0, -0.0, np.float32(0)])})
        return found


class Flag(Argument):
    """True or False."""

    def good(self, draw, a, n):
        return draw(st.sampled_from([True, False, np.True_]))

    def bad(self, example):
        kinds = {kind: values for kind, values in NO_NUMBERS.items() if kind != "bool"}
        return wrong_type(kinds | one(ENDLESS) | {"option": st.sampled_from([0, 1, 1.0, np.int8(0)])})


@dataclass(frozen=True, kw_only=True)
class Choice(Argument):
    """One of some words."""

    options: tuple[str, ...]

    def good(self, draw, a, n):
        return draw(st.sampled_from(self.options))

    def bad(self, example):
        others = st.text().filter(lambda text: text not in self.options)
        near = st.sampled_from([change(o) for o in self.options for change in (str.upper, str.encode, "{} ".format)])
        return wrong_value(NO_NUMBERS | one(ENDLESS) | {"text": others, "option": near})


class Dtype(Argument):
    """float64, float32 or float16, in any way that NumPy has to say it."""

    def good(self, draw, a, n):
        name = draw(st.sampled_from(["float64", "float32", "float16"]))
        return draw(st.sampled_from([str, np.dtype, lambda name: np.dtype(name).type]))(name)

    def bad(self, example):
        others = st.sampled_from([int, complex, bool, "int8", ">f4", np.dtype("c16"), np.longdouble, "f4,f4", "O"])
        objects = st.sampled_from([np.zeros(3), [1], {}, {"a": 1}, object(), [10**5000], ("f4", 2)])
        texts = st.sampled_from(["", "nonsense", "64", "float", "(", "f8,,", "float32 "]).filter(lambda t: t != "float")
        return wrong_value(NO_NUMBERS | one(ENDLESS) | {"text": texts, "object": objects, "option": others})


class Generator(Argument):
    """A random generator of NumPy."""

    def good(self, draw, a, n):
        return np.random.default_rng(draw(st.integers(0, 99)))

    def bad(self, example):
        return wrong_type(NO_NUMBERS | one(ENDLESS) | {"option": st.sampled_from([0, np.random.RandomState(0)])})


@dataclass(frozen=True, kw_only=True)
class Positions(Argument):
    """A count or an axis of positions; whole means that only whole ones that are not negative are good."""

    whole: bool = False
    rows: str | None = None  # the size that says how many there are, if another argument does
    large: Any = 200_000

    def good(self, draw, a, n):
        size = getattr(n, self.rows) if self.rows else draw(st.integers(0, 70))
        if draw(st.booleans()):
            return size
        dtype = np.dtype(draw(st.sampled_from("u1 i1 u2 i2 i4 i8 u8".split() + ([] if self.whole else FLOATS))))
        narrow = np.iinfo(dtype) if dtype.kind in "iu" else np.finfo(dtype)
        low, high = max(int(narrow.min), -EXACT), min(int(narrow.max), EXACT)
        if self.whole:
            low, high = 0, min(high, 2**20)
        start = draw(st.integers(low, high) | st.sampled_from([low, high]))
        steps = np.arange(size) * draw(st.sampled_from([0, 1, 1, 3, -1]))
        some = np.array([(start + int(k) - low) % (high - low + 1) + low for k in steps], dtype=object)
        fraction = draw(st.sampled_from([0, 0.5, 0.1])) if dtype.kind == "f" and abs(start) < EXACT / 4 else 0
        return np.clip((some + fraction).astype(np.float64), low, high).astype(dtype)  # float16 rounds, and so be it

    def bad(self, example):
        array = lambda *values: st.sampled_from([list(values), np.array(values)])  # noqa: E731
        types = {
            "none": st.none(),
            "text": words | array("a", "b"),
            "bool": NO_NUMBERS["bool"] | array(True, False),
            "complex": NO_NUMBERS["complex"] | array(1j, 0),
            "object": st.sampled_from([{4}, {}, Decimal(4), slice(1), object(), [None], [10**5000]]),
            "masked": st.just(np.ma.masked_array([1, 2], mask=[0, 1])),
            "fraction": st.floats(0, 99) | (array(0.5, 1) if self.whole else st.just(4.0)),
        }
        found = wrong_type(types) | wrong_value({kind: array(0, value) for kind, value in ENDLESS.items()})
        return found | wrong_value(
            {
                "negative": st.integers(max_value=-1) | (array(3, -1) if self.whole else st.just(-1)),
                "huge": GIGANTIC | array(0, 2**60) | array(EXACT + 2, 0),
                "memory": st.integers(BEYOND, EXACT) | st.just(np.broadcast_to(0, BEYOND)),
                "axes": st.sampled_from([[[1, 2]], np.array(3), np.zeros((1, 2, 3))]),
                "ragged": st.just([[1], [2, 3]]),
            }
        )


FLOATS = ["f2", "f4", "f8", np.dtype(np.longdouble).str]
