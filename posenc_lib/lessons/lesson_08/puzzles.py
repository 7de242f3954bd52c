"""The two puzzles of lesson 08: ALiBi's slopes for any number of heads, and how far one sees."""

import numpy as np

from posenc_lib.live.puzzles import function_puzzle


def _plain(num_heads: int) -> np.ndarray:
    return 2.0 ** (-8 * np.arange(1, num_heads + 1) / num_heads)


def _power(num_heads: int) -> int:
    """Return the largest power of two that isn't above num_heads."""
    return 1 << (num_heads.bit_length() - 1)


def _filled(num_heads: int, begin: int, step: int) -> np.ndarray:
    """Return slopes with a mistake in which ones come from twice the power."""
    power = _power(num_heads)
    return np.append(_plain(power), _plain(2 * power)[begin::step][: num_heads - power])


def _from_0(num_heads: int) -> np.ndarray:
    """Return slopes with h from 0, a mistake."""
    power = _power(num_heads)
    twice = 2 ** (4 / power)
    return slopes(num_heads) * np.where(np.arange(num_heads) < power, twice**2, twice)


# ALiBi's slopes for any number of heads, in the order of the authors' code
@function_puzzle(
    "Find the largest power of two that isn't above num_heads. For 12, it's 8.",
    "Its slopes are 2 ** (−8 · np.arange(1, power + 1) / power).",
    "From the slopes for 2·power, take every second one, [0::2], as many as are missing. "
    "Put them at the end.",
    cases=((1,), (2,), (8,), (12,), (3,), (20,)),
    won="These are the authors' slopes, for any number of heads. "
    "(In MPT's code, the 8 can be a different number.)",
    mistakes={
        "That's the paper's formula. The code differs if num_heads isn't a power of two.": _plain,
        "h counts from 1.": _from_0,
        "You took the last slopes of the longer list. Take every second one, starting with the "
        "first.": lambda h: _filled(h, _power(h) - h, 1),
        "You took the first slopes of the longer list. "
        "Take every second one. You already have the others.": lambda h: _filled(h, 0, 1),
        "You took every second slope, but the wrong ones. Start with the first.": (
            lambda h: _filled(h, 1, 2)
        ),
        "You sorted them. The authors' code puts the missing ones at the end.": (
            lambda h: np.sort(slopes(h))[::-1]
        ),
        "A slope is positive. The minus sign is in the bias.": lambda h: -slopes(h),
    },
)
def slopes(num_heads):
    power = 1
    while 2 * power <= num_heads:
        power *= 2
    first = 2.0 ** (-8 * np.arange(1, power + 1) / power)
    twice = 2.0 ** (-4 * np.arange(1, 2 * power + 1) / power)
    return np.append(first, twice[0::2][: num_heads - power])


def _until(slope, share) -> int:
    """Return the distance within which keys have this share of all weight, a common mistake."""
    return int(np.argmax(1 - np.exp(-slope * np.arange(1, 100_000)) >= share))


# The distance from which a key weighs at most this fraction of a key at distance 0
@function_puzzle(
    "A key at distance n has e^(−slope·n) times the weight of a key at distance 0.",
    "Count up from 0 until that's at most fraction. Or solve e^(−slope·n) = fraction for n.",
    "n = log(1/fraction) / slope, rounded up: int(np.ceil(np.log(1 / fraction) / slope)).",
    cases=(
        (0.5, 0.01),
        (0.0625, 0.01),
        (0.5, 0.1),
        (0.00390625, 0.5),
        (1.0, 0.9),
        (0.25, np.exp(-1.0)),
    ),
    won="Now you can tell how far a head sees from its slope. "
    "With slope 1/16, a key 74 back has a hundredth of the weight.",
    mistakes={
        "Round it. A distance is an integer.": lambda s, f: np.log(1 / f) / s,
        "You rounded down, where the weight is still above fraction.": (
            lambda s, f: int(np.log(1 / f) / s)
        ),
        "That's where all nearer keys share 90%. Use fraction, and the weight of one key.": (
            lambda s, f: int(np.ceil(np.log(10) / s))
        ),
        "You rounded to the nearest. Round up.": lambda s, f: round(np.log(1 / f) / s),
        "The weight falls like e^(−slope·n), not like 1 − slope·n.": (
            lambda s, f: int(np.ceil((1 - f) / s))
        ),
        "The weight falls like e^(−slope·n), not like 1 / (slope·n).": (
            lambda s, f: int(np.ceil(1 / (f * s)))
        ),
        "That's one too many if the quotient is an integer. Round up instead of adding 1.": (
            lambda s, f: int(np.log(1 / f) / s) + 1
        ),
        "The weight is a power of e. Take the natural logarithm.": (
            lambda s, f: int(np.ceil(np.log2(1 / f) / s))
        ),
        "You added the weights of all nearer keys. Compare the weight of one key with 1.": (
            lambda s, f: _until(s, 1 - f)
        ),
        "You found how far the keys share this fraction of all the weight. "
        "Compare the weight of one key with 1.": _until,
        "You found where all the keys farther out share this fraction. "
        "Compare the weight of one key with 1.": lambda s, f: _until(s, f) + 1,
        "Flip the sign. log(fraction) is negative.": (lambda s, f: np.ceil(np.log(f) / s)),
    },
)
def window(slope, fraction):
    distance = 0
    while np.exp(-slope * distance) > fraction:
        distance += 1
    return distance
