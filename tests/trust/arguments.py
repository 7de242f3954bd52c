"""What an argument can be: each kind draws good values of it, and lists bad ones by the rule that they break."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
from hypothesis import strategies as st

EXACT = 2**53  # the docstrings' limit of a position
BEYOND = 10**13  # values, more than any result may have
TOO_MUCH = "must give at most 2**30 numbers"  # what a function says whose result would have more
FLOATS = ["f2", "f4", "f8", np.dtype(np.longdouble).str]
NAN, INF = float("nan"), float("inf")
ENDLESS = [kind(value) for value in (NAN, INF, -INF) for kind in (float, np.float32)]
GIGANTIC = [10**400, 10**5000]  # the second is longer than Python prints
OBJECTS = [{4}, {}, {"a": 1}, slice(1), object(), [None], [10**5000], {10**5000: 1}, np.array([10**5000])]
TEXTS = ["", "4", "nan", "None", "0x10", "a b", b"4", b"\xff"]
BOOLS = [True, False, np.True_]
COMPLEX = [1j, 4 + 0j, complex(NAN), np.complex64(1)]
NO_NUMBERS = [None, *TEXTS, *BOOLS, *COMPLEX, *OBJECTS, [4], (1, 2), Decimal(4), np.array(4), np.zeros(3)]
NO_REAL = [None, *TEXTS, *OBJECTS]  # nor an array of real numbers


@dataclass(frozen=True, kw_only=True)
class Argument:
    """Something a function takes; optional means that None is good, too, and the default.

    good(draw, a, n) draws a good value, given the arguments a and the sizes n drawn so far; example is one of them.
    bad(a) lists what is bad among arguments a that are good: (error, the rule in its message, values); large is a good
    value that would make much work.
    """

    example: Any = None
    optional: bool = False
    large: Any = None

    def draw(self, draw, a: SimpleNamespace, n: SimpleNamespace):
        return None if self.optional and draw(st.booleans()) else self.good(draw, a, n)


@dataclass(frozen=True, kw_only=True)
class One(Argument):
    """One of the values that a strategy draws; `refused` says what is bad."""

    values: st.SearchStrategy
    refused: list[tuple[type, str, list]]

    def good(self, draw, a, n):
        return draw(self.values)

    def bad(self, a):
        return self.refused


def listed(good: list, error: type, rule: str, others: list) -> One:
    """Return an argument that is one of some values, of which the last is the example."""
    wrong = [x for x in (*NO_NUMBERS, *ENDLESS, *others) if not any(x is value for value in good)]
    return One(values=st.sampled_from(good), refused=[(error, rule, wrong)], example=good[-1])


def choice(*options: str) -> One:
    """Return an argument that is one of some words."""
    near = [change(option) for option in options for change in (str.upper, str.encode, "{} ".format)]
    return listed(list(options), ValueError, "must be one of ", [*near, list(options)])


def real(values, example: float, rule: str = "", beyond=(), *, positive: bool = False, **more) -> One:
    """Return an argument that is a real number; beyond holds values that are too large or too small by a rule."""
    refused = [(TypeError, "must be a real number, got", NO_NUMBERS), (ValueError, rule, list(beyond))]
    refused.append((ValueError, "must be finite, got", [*ENDLESS, *GIGANTIC]))
    if positive:
        below = [0, 0.0, -0.0, np.float32(0), -1, -0.5, -1e300, -1e-300]
        refused.append((ValueError, "must be greater than 0, got", below))
    return One(values=values, refused=refused, example=example, **more)


FLAG = listed([False, np.True_, True], TypeError, "must be True or False, got", [0, 1, 1.0, np.int8(0)])
NO_RNGS = [0, 1.5, np.random.RandomState(0), np.random.default_rng]
RNG = listed([*map(np.random.default_rng, range(9))], TypeError, "must be a numpy.random.Generator, got", NO_RNGS)
FLOATING = [np.float16, np.float32, np.float64, *map(np.dtype, ("f2", "f4", "f8")), "float16", "f4", "float64"]
NO_DTYPES = [int, complex, bool, ">f4", np.dtype("c16"), np.longdouble, ("f4", 2), np.float32(3), np.zeros((), "f4")]
NO_DTYPES += ["int8", "f4,f4", "f8,,", "O", "nonsense", "64", "(", "float32 "]
WIDE = [np.float32, np.float64], ValueError, "must be float64, float32 or float16, got", NO_DTYPES
START = One(
    values=st.just(0),  # beside positions at ±2**53 there is no other; test_rope has them
    refused=[
        (TypeError, "must hold real numbers, got", [None, "4", 1j, {4}]),
        (TypeError, "must be a real number, got", [True]),
        (ValueError, "must be finite, got", [*ENDLESS, [NAN]]),
        (ValueError, "must lie within ±2**53, got", [1e300, [2.0**60]]),
    ],
    example=0,
)
DTYPE = listed(FLOATING, ValueError, "must be float64, float32 or float16, got", NO_DTYPES)


@dataclass(frozen=True, kw_only=True)
class Whole(Argument):
    """A whole number from low to high; least and most are limits that other arguments set, as functions of them."""

    example: int | None = 4
    low: int | None = 1
    high: int = 12
    even: bool = False
    least: Any = None
    most: Any = None
    rule: str = "must be at least"  # what is said of one below `least`, if it is said of this argument
    grows: bool = True  # a larger one makes a larger result
    large: Any = 200_000

    def good(self, draw, a, n):
        low = self.least(a) if self.least else self.low
        high = self.most(a) if self.most else max(self.high, low)
        step = 2 if self.even else 1
        value = step * draw(st.integers(-(-low // step), high // step))
        return draw(st.sampled_from([int, int, np.int64, np.int16]))(value)

    def bad(self, a):
        fractions = [0.0, 0.5, 4.0, np.float64(4), Fraction(1, 2), Fraction(10**5000)]
        yield TypeError, "must be a whole number (int), got", [*NO_NUMBERS, *ENDLESS, *fractions]
        yield ValueError, "must be at most", [EXACT + 1, 2**80, *GIGANTIC] + ([self.most(a) + 1] if self.most else [])
        if self.low is not None:
            below = [self.low - 1, np.int8(self.low - 1), min(self.low - 1, 0), -1, -(2**60), -(10**5000)]
            yield ValueError, f"must be at least {self.low}, got", below
        if self.least and self.rule:
            yield ValueError, self.rule, [self.least(a) - 1]
        if self.even:
            yield ValueError, "must be even", [self.low + 1]
        if self.grows:
            yield ValueError, TOO_MUCH, [BEYOND - BEYOND % 2, EXACT]


def both(*values) -> list:
    """Return some values as a list and as an array."""
    return [list(values), np.array(values)]


@dataclass(frozen=True, kw_only=True)
class Positions(Argument):
    """A count, an axis or a batch of positions; whole means that only whole ones that are not negative are good."""

    example: int | None = 5
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
        made = np.clip((some + fraction).astype(np.float64), low, high).astype(dtype)  # float16 rounds, and so be it
        batch = () if self.rows else draw(st.sampled_from([(), (), (2,), (0,)]))  # where x is no batch it takes none
        return np.broadcast_to(made, (*batch, size))

    def bad(self, a):
        yield TypeError, "must be a count or an array, got", [None, *TEXTS, np.True_]
        yield TypeError, "must be a whole number (int)" if self.whole else "must be a count or an array", [True, False]
        yield TypeError, "must be a whole number (int), got", [*COMPLEX, *ENDLESS, 0.0, 0.5, 4.0, Decimal(4)]
        arrays = both("a", "b") + both(True, False) + both(1j, 0)
        yield TypeError, "must hold real numbers, got", [*OBJECTS, *arrays]
        yield TypeError, "must be a plain array, got a masked one", [np.ma.masked_array([1, 2], mask=[0, 1])]
        yield ValueError, "must be finite, got", [x for end in (NAN, INF, -INF) for x in both(0, end)]
        yield ValueError, "must be at least 0, got", [-1, -(10**400)] + (both(3, -1) if self.whole else [])
        yield ValueError, "must be at most 2**53, got", GIGANTIC
        yield ValueError, "must lie within ±2**53, got", both(0, 2**60) + both(EXACT + 2, 0)
        yield ValueError, TOO_MUCH, [np.broadcast_to(0, BEYOND)] + ([] if self.whole else [BEYOND, EXACT])
        yield ValueError, "must have shape (seq_len,) or (batch, seq_len), got", [np.array(3), np.zeros((1, 2, 3))]
        yield ValueError, "must be a regular array of numbers, got", [[[1], [2, 3]]]
        if self.whole:
            yield TypeError, "must be whole numbers", both(0.5, 1)


AXES = {"a": 2, "c": 3, "p": 2, "q": 3, "s": 3}  # how long axes are in examples; all others 4


@dataclass(frozen=True, kw_only=True)
class Array(Argument):
    """An array of real numbers.

    axes names them, "... q d": a name that stands in several arguments is one size, and "..." are leading axes that
    broadcast; without names any shape is good. With mask, −inf is good, too, though not at index 0.
    """

    axes: str
    limit: float = 1e150  # as the messages say
    mask: bool = False
    whole: bool = False  # admits no fractions
    unchecked: bool = False  # the docstring says that the numbers are not looked at
    broadcasts: bool = False  # axes may be 1 or left out
    ratio: float = 1  # the part of the dtype's own range that is good

    def __post_init__(self):
        shape = [AXES.get(name, 4) for name in self.names] or (3, 4)
        object.__setattr__(self, "example", np.ones(shape, int if self.whole else float))

    @property
    def names(self) -> list[str]:
        return self.axes.replace("...", "").split()

    @property
    def open(self) -> bool:
        """Whether there may be any number of leading axes."""
        return "..." in self.axes

    def good(self, draw, a, n):
        for name in self.names:
            if not hasattr(n, name):
                setattr(n, name, draw(n.lengths[name].of(a, n) if name in n.lengths else st.integers(0, 5)))
        own = tuple(getattr(n, name) for name in self.names)
        if self.broadcasts and draw(st.booleans()):
            return self.filled(draw, draw(st.sampled_from([(), own[1:], (1, *own[1:]), (*own[:1], 1), (1, 1)])))
        lead = draw(st.sampled_from([n.leads, n.leads, (), (1,) * len(n.leads)])) if self.open else ()
        n.lead = np.broadcast_shapes(n.lead, lead)
        return self.filled(draw, (*lead, *own))

    def filled(self, draw, shape):
        rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
        whole = ["i8", "i4", "i1", "u1", "u8"]
        dtype = np.dtype(draw(st.sampled_from(whole if self.whole else ["f8", *FLOATS, *whole])))
        narrow = np.iinfo(dtype) if dtype.kind in "iu" else np.finfo(dtype)
        size = min(draw(st.sampled_from([0.0, 1e-6, 1.0, 100.0, self.limit])), float(narrow.max) * self.ratio)
        values = rng.uniform(max(-size, float(narrow.min)), size, shape)
        if dtype.kind in "iu":
            values = np.minimum(values, 2.0**62)  # u8 and i8 end within 2**63
        values = values.astype(dtype)
        if self.mask and dtype.kind == "f" and draw(st.booleans()):
            hidden = rng.random(shape) < 0.5
            hidden &= np.all(np.indices(shape) > 0, axis=0) if len(shape) else False
            values[hidden] = -np.inf
        return values

    def spoilt(self, *values) -> list[np.ndarray]:
        """Return the example with each bad value at its first, a middle and its last place."""
        places = [(value, place) for value in values for place in (0, self.example.size // 2, -1)]
        found = [np.array(self.example, type(value)) for value, _ in places]
        for array, (value, place) in zip(found, places, strict=True):
            array.flat[place] = value
        return found

    def bad(self, a):
        good, shape = self.example, self.example.shape
        masked = [np.ma.masked_array(good, mask) for mask in (False, np.ones(shape, bool))]
        yield TypeError, "must be a plain array, got a masked one", masked
        texts = [np.full(shape, "a"), np.full(shape, "1"), np.full(shape, b"1").tolist()]
        others = [good.astype(object), np.full(shape, np.datetime64("2020-01-01")), np.full(shape, None), good == 1]
        yield TypeError, "must hold real", [*NO_REAL, *BOOLS, *COMPLEX, *texts, *others, good * 1j]
        yield ValueError, "must be a regular array of numbers, got", [[[1], [1, 2]]]
        if not self.unchecked:
            yield ValueError, "must be finite", self.spoilt(NAN, INF, *([] if self.mask else [-INF]))
            yield ValueError, "must lie within ±", self.spoilt(*((2**60, -(2**60)) if self.whole else (1e200, -1e200)))
        if self.whole:
            yield TypeError, "must hold whole numbers, got", [*self.spoilt(0.5), good.astype(float)]
        if self.names and not self.broadcasts:
            deeper = [] if self.open else [good[None], [[[[1.0]]]]]
            yield ValueError, "must have", [1.0, np.float64(1), np.ones((1,) * (len(self.names) - 1)), *deeper]
        long = (BEYOND, *shape) if self.open else (BEYOND, *shape[1:])  # said to be so long; it takes no room
        yield ValueError, TOO_MUCH, [np.broadcast_to(good if self.open else good[:1], long)]


class Mask(Array):
    """An array of booleans."""

    def filled(self, draw, shape):
        return np.random.default_rng(draw(st.integers(0, 99))).random(shape) < 0.7

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "example", self.example > 0)

    def bad(self, a):
        yield (
            TypeError,
            "must hold True (may be seen) or False, got",
            [1, 0.5, "x", self.example * 1, self.example * 1j],
        )


class Positive(Array):
    """An array of numbers above 0."""

    def filled(self, draw, shape):
        x = super().filled(draw, shape)
        return np.where(x > 0, x, 1).astype(x.dtype)

    def bad(self, a):
        yield from super().bad(a)
        yield ValueError, "must be greater than 0, got", self.spoilt(0.0, -1.0)


class FreqsCis(Array):
    """An array of complex numbers of modulus 1."""

    def filled(self, draw, shape):
        turns = np.random.default_rng(draw(st.integers(0, 99))).uniform(-9, 9, shape)
        return np.exp(1j * turns).astype(draw(st.sampled_from(["c8", "c16", np.dtype(np.clongdouble).str])))

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "example", self.example * 1j)

    def bad(self, a):
        good, masked = self.example, [np.ma.masked_array(self.example, mask) for mask in (False, True)]
        yield TypeError, "must be a plain array, got a masked one", masked
        others = [*NO_REAL, good.real, good == 1, np.full(good.shape, "1j")]
        yield TypeError, "and freqs_cis complex numbers, got", others
        yield ValueError, "must be a regular array of numbers, got", [[[1j], [1j, 2]]]
        long = np.broadcast_to(good[:1], (BEYOND, good.shape[1]))
        yield ValueError, "must have shapes", [1j, good[None], good[0], good[0, 0], long]


class Sections(Array):
    """How many pairs each of some axes has."""

    def __init__(self, **given):
        super().__init__(**given, whole=True)

    def good(self, draw, a, n):
        dtype = draw(st.sampled_from(["i8", "i4", "u1"]))
        many = draw(st.lists(st.integers(0, 3), min_size=1, max_size=4).filter(any))
        n.a = len(many)
        return np.array(many, dtype)

    def bad(self, a):
        yield from (part for part in super().bad(a) if part[1] != "must have")
        yield ValueError, "must have 1 axis, got", [np.array(2), np.ones((1, 2), int)]
        yield ValueError, "must be at least 0, got -1", [[3, -1], np.array([-1, 3])]
        yield ValueError, "must have at least one pair, got", [[0, 0], []]


GRID = One(
    values=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    refused=[
        (ValueError, "must be (height, width), got", [None, 4, 2.0, "22", (2,), [1, 2, 3], {1, 3}, np.ones((2, 2))]),
        (TypeError, "must be a whole number (int), got", [(1, 3.0), ("1", 3), (1, None), [True, 3]]),
        (ValueError, "must be at least 1, got", [(0, 3), (3, 0), (-1, -3)]),
        (ValueError, "must be at most 2**53, got", [(1, EXACT + 1), (10**400, 3)]),
    ],
    example=(1, 3),
)


def network(sizes: tuple[int, int], form: type):
    """Return the arrays of a network with one hidden layer, as a dict or a list."""
    hidden, heads = sizes
    rng, shapes = np.random.default_rng(hidden), ((hidden, 1), (hidden,), (heads, hidden), (heads,))
    made = [rng.normal(size=shape) for shape in shapes]
    return dict(zip(("0.weight", "0.bias", "2.weight", "2.bias"), made, strict=True)) if form is dict else form(made)


LAYERS = network((4, 2), list)
NETWORK = One(
    values=st.builds(network, st.tuples(st.integers(0, 5), st.integers(0, 4)), st.sampled_from([dict, list, tuple])),
    refused=[
        (
            ValueError,
            "must be a dict or a list of",
            [None, 4, 0.5, "ab", [], LAYERS[:3], [*LAYERS, 1], np.ones((4, 1))],
        ),
        (ValueError, "must have 0.weight, 0.bias, 2.weight, 2.bias, got none for", [{}, {"0.weight": LAYERS[0]}]),
        (TypeError, "must be a plain array, got a masked one", [[*LAYERS[:3], np.ma.masked_array([1.0, 2.0])]]),
        (ValueError, "must have shape (4, 1), got (1, 4)", [[LAYERS[0].T, *LAYERS[1:]]]),
        (ValueError, "must have 1 axis, got", [[LAYERS[0], 1.0, *LAYERS[2:]], [*LAYERS[:3], LAYERS[2]]]),
        (ValueError, "must be finite, got", [[*LAYERS[:3], [0.0, end]] for end in (NAN, INF, -INF)]),
        (
            TypeError,
            "must hold real numbers, got",
            [[*LAYERS[:3], bad] for bad in (["a", "b"], [True, False], [1j, 2])],
        ),
    ],
    example=LAYERS,
)


class Rows(Array):
    """The rows of a matrix, or a number for each of them."""

    def good(self, draw, a, n):
        n.m = draw(n.lengths["m"].of(a, n))
        return self.filled(draw, (n.m, *draw(st.sampled_from([(), (3,), (0,)]))))

    def bad(self, a):
        yield from (part for part in super().bad(a) if part[1] != "must have")
        yield ValueError, "must have at least 1 axis, got", [1.0, np.float64(1)]
