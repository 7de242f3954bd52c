"""Every public function of arrays in one table: its arguments, and what its docstring promises about the result."""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
from hypothesis import strategies as st

from tests.trust.arguments import EXACT, Argument, Positions, Real, Whole
from tests.trust.arguments_arrays import LEADS


@dataclass(frozen=True)
class Function:
    """What is known of one public function.

    result(a, n) gives shape and dtype of each part of the result from the arguments a and the sizes n; sizes says of
    an axis which lengths are good, any otherwise; promise(result, a, n) is what else the docstring says of the
    numbers; gaps is where it says that NaN (or −inf) stands; clashes are calls whose arguments do not fit together,
    beside those that follow from the axes' names; example has arguments that are good beside one bad one.
    """

    arguments: dict[str, Argument]
    result: Callable
    example: dict
    sizes: dict[str, Callable] = field(default_factory=dict)
    promise: Callable = lambda r, a, n: True
    gaps: str = ""
    clashes: tuple[dict, ...] = ()
    owner: str = ""  # the function whose "Raises" this one's docstring refers to

    def good(self, draw, sizes=(), **fixed) -> tuple[SimpleNamespace, SimpleNamespace]:
        """Draw arguments that fit together, and the sizes they have; sizes and fixed arguments may be known before."""
        n = SimpleNamespace(leads=draw(st.sampled_from(LEADS)), lead=(), pick=self.pick)
        vars(n).update(sizes)
        a = SimpleNamespace()
        for name, argument in self.arguments.items():
            setattr(a, name, fixed[name] if name in fixed else argument.draw(draw, a, n))
        return a, n

    def pick(self, name: str, a, n) -> st.SearchStrategy:
        """Return the lengths that are good for an axis."""
        return self.sizes.get(name, ANY)(a, n)


@dataclass(frozen=True)
class Length:
    """How long an axis may be: at least low, and not shorter than another axis that it is said to reach over."""

    of: Callable
    low: int
    over: str = ""

    def __call__(self, a, n) -> st.SearchStrategy:
        return self.of(a, n)


def some(low: int, high: int = 6, step: int = 1) -> Length:
    """Return lengths from low to high, whatever the other arguments are."""
    return Length(lambda a, n: st.integers(low // step, high // step).map(lambda k: step * k), low)


def at_least(name: str, low: int = 0) -> Length:
    """Return lengths that are at least another one, and at least low."""
    return Length(lambda a, n: st.integers(0, 4).map(lambda more: max(getattr(n, name), low) + more), low, name)


ANY = some(0, 5)


def rows(a) -> int:
    """Return how many positions are asked for."""
    return int(a.positions) if np.ndim(a.positions) == 0 else len(a.positions)


def keys(a) -> int:
    """Return how many keys there are where None means as many as queries."""
    return a.q_len if a.k_len is None else a.k_len


def bits(a) -> int:
    """Return how many bits the highest position needs."""
    highest = rows(a) - 1 if np.ndim(a.positions) == 0 else max(a.positions, default=0)
    return max(int(highest).bit_length() if highest > 0 else 0, 1)


def within(low: float, high: float) -> Callable:
    """Return the promise that all numbers lie between two others, up to rounding."""
    return lambda r, a, n: np.all((np.asarray(r, float) >= low - 1e-14) & (np.asarray(r, float) <= high + 1e-14))


FLOAT, INT = np.dtype(float), np.dtype(np.int64)
POS, DIMS, EVEN = Positions(), Whole(), Whole(low=2, even=True)
BASE = Real(
    values=st.floats(1.5, 1e7) | st.sampled_from([1, 0.5, 1e-6, 1e-100, 1e100, np.float32(10)]),
    beyond=st.floats(1.1e100, 1e300) | st.floats(1e-300, 0.9e-100),
)
PLACE = Real(
    values=st.floats(-EXACT, EXACT) | st.integers(-EXACT, EXACT), positive=False, beyond=st.floats(1e16, 1e300)
)
COUNT = Whole(low=0, large=1000)
KEYS = Whole(low=0, least=lambda a: a.q_len, optional=True)
TURNED = Whole(low=2, high=6, even=True, grows=False, optional=True)
