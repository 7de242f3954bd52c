"""What an array can be as an argument: its axes by name, so that shapes agree when they should and only then."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from tests.trust.arguments import BEYOND, ENDLESS, FLOATS, Argument, words, wrong_type, wrong_value

LEADS = [(), (), (2,), (3, 1), (0,), (1, 2)]
MOST = 1e150  # of an entry, as the messages say


@dataclass(frozen=True, kw_only=True)
class Array(Argument):
    """An array of real numbers.

    axes names them, "... q d": a name that stands in several arguments is one size, and "..." are leading axes that
    broadcast; None admits any shape. With mask, −inf is good, too, though not at index 0; whole admits no fractions.
    """

    axes: str | None
    limit: float = MOST
    mask: bool = False
    whole: bool = False
    unchecked: bool = False  # the docstring says that the numbers are not looked at
    broadcasts: bool = False  # axes may be 1 or left out
    ratio: float = 1  # the part of the dtype's own range that is good

    @property
    def names(self) -> list[str]:
        return [] if self.axes is None else self.axes.replace("...", "").split()

    @property
    def open(self) -> bool:
        """Whether there may be any number of leading axes."""
        return self.axes is None or "..." in self.axes

    def good(self, draw, a, n):
        for name in self.names:
            if not hasattr(n, name):
                setattr(n, name, draw(n.pick(name, a, n)))
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
        low = max(-size, float(narrow.min))
        values = np.clip(rng.uniform(low, size, shape), low, min(size, 2.0**62))  # u8 and i8 end within 2**63
        values = values if dtype.kind in "iu" else rng.uniform(low, size, shape)
        values = values.astype(dtype)
        if self.mask and dtype.kind == "f" and draw(st.booleans()):
            hidden = rng.random(shape) < 0.5
            hidden &= np.all(np.indices(shape) > 0, axis=0) if len(shape) else False
            values[hidden] = -np.inf
        return values

    def bad(self, example):
        found = wrong_type(_wrong_types(example)) | wrong_value({"ragged": st.just([[1], [1, 2]])})
        if not self.unchecked:
            ends = {kind: end for kind, end in ENDLESS.items() if not (self.mask and kind == "−inf")}
            found |= wrong_value({kind: spoilt(example, end) for kind, end in ends.items()})
            large = [2**60, -(2**60)] if self.whole else [1e200, -1e200]
            found |= wrong_value({"huge": st.one_of(*(spoilt(example, value) for value in large))})
        if self.whole:
            found |= wrong_type({"fraction": spoilt(example, 0.5) | st.just(np.asarray(example, float))})
        if self.names and not self.broadcasts:
            deeper = [] if self.open else [example[None], [[[[1.0]]]]]
            found |= wrong_value(
                {"axes": st.sampled_from([1.0, np.float64(1), np.ones((1,) * (len(self.names) - 1)), *deeper])}
            )
        return found | wrong_value({"memory": st.just(stretched(example, self.open))})


@dataclass(frozen=True, kw_only=True)
class Hands(Array):
    """An array of complex numbers of modulus 1."""

    def filled(self, draw, shape):
        turns = np.random.default_rng(draw(st.integers(0, 99))).uniform(-9, 9, shape)
        return np.exp(1j * turns).astype(draw(st.sampled_from(["c8", "c16", np.dtype(np.clongdouble).str])))

    def bad(self, example):
        found = super().bad(example)
        del found["complex"]
        kind, objects = found["object"]
        return found | {"object": (kind, objects | st.just(example.real)), "axes": (ValueError, _other_axes(example))}


class Rows(Array):
    """The rows of a matrix, or a number for each of them."""

    def good(self, draw, a, n):
        n.m = draw(n.pick("m", a, n))
        return self.filled(draw, (n.m, *draw(st.sampled_from([(), (3,), (0,)]))))

    def bad(self, example):
        return super().bad(example) | {"axes": (ValueError, st.just(1.0))}


def _other_axes(example) -> st.SearchStrategy:
    return st.sampled_from([example[None], example[0], example[0, 0]])


def _wrong_types(example) -> dict:
    """Return what is no array of real numbers, of the right shape and of others."""
    shape = np.shape(example)
    dates = np.full(shape, np.datetime64("2020-01-01"))
    return {
        "none": st.none(),
        "text": words | st.sampled_from([np.full(shape, "a"), np.full(shape, "1"), np.full(shape, b"1").tolist()]),
        "bool": st.sampled_from([True, np.True_, np.ones(shape, bool)]),
        "complex": st.sampled_from([1j, example * 1j, (example * (1 + 0j)).tolist()]),
        "object": st.sampled_from([object(), {}, {1.0}, example.astype(object), dates, np.full(shape, None)]),
        "masked": st.sampled_from([np.ma.masked_array(example), np.ma.masked_array(example, np.ones(shape, bool))]),
    }


def spoilt(example, value) -> st.SearchStrategy:
    """Return the example with a bad value at any of its places."""

    def put(place: int):
        result = np.array(example, type(value))
        result.flat[place] = value
        return result

    return st.integers(0, np.size(example) - 1).map(put)


def stretched(example, at_front: bool) -> np.ndarray:
    """Return the example said to be so long that no result would fit, though it takes no room itself."""
    if at_front:
        return np.broadcast_to(example, (BEYOND, *example.shape))
    return np.broadcast_to(example[:1], (BEYOND, *example.shape[1:]))


def longer(example: np.ndarray, axis: int) -> np.ndarray:
    """Return the example with one more entry along an axis."""
    return np.concatenate([example, np.take(example, [-1], axis)], axis)


def clashes(arguments: dict[str, Array], example: dict) -> list[tuple[dict, set[str]]]:
    """Return calls in which two arrays disagree about an axis, each with the names that may be blamed."""
    found = []
    for name, argument in arguments.items():
        others = {other: x for other, x in arguments.items() if other != name and example[other] is not None}
        for k, axis in enumerate(argument.names):
            sharing = {other for other, x in others.items() if axis in x.names}
            if sharing:
                grown = longer(example[name], k - len(argument.names))
                found.append(({name: grown}, sharing | {name}))
        for other in (other for other, x in others.items() if x.open and argument.open):
            pair = {name: np.stack([example[name]] * 2), other: np.stack([example[other]] * 3)}
            found.append((pair, {name, other}))
    return found
