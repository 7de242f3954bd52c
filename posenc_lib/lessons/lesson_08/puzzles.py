"""The two puzzles of lesson 08: ALiBi's slopes for any number of heads, and how far one sees."""

import numpy as np

from posenc_lib.live.puzzles import function_puzzle


def _plain(num_heads: int) -> np.ndarray:
    return 2.0 ** (-8 * np.arange(1, num_heads + 1) / num_heads)


def _filled(num_heads: int, begin: int, step: int) -> np.ndarray:
    """Return what a mistake gives: others taken from the slopes of twice the power."""
    power = 2 ** (num_heads.bit_length() - 1)
    return np.append(_plain(power), _plain(2 * power)[begin::step][: num_heads - power])


# ALiBi's slopes for any number of heads, as the authors' code fills up what no power of two has?
@function_puzzle(
    "First the power of two: the largest one not above num_heads. For 12 it is 8.",
    "Its slopes are 2 ** (−8 · np.arange(1, power + 1) / power).",
    "Of the slopes for 2·power take every second one, [0::2], as many as are missing, "
    "and put them at the end.",
    cases=((1,), (2,), (8,), (12,), (3,), (20,)),
    won="These are the authors' slopes for any number of heads. "
    "(MPT's code may have another number for the 8.)",
    mistakes={
        "the plain formula for every number of heads: right for powers of two only.": _plain,
        "these are the first of twice the power's list; "
        "take every second one, the others are there.": lambda h: _filled(h, 0, 1),
        "every second one, but the wrong ones: those with an odd h are new.": (
            lambda h: _filled(h, 1, 2)
        ),
        "these are sorted; the authors' code puts the missing ones at the end.": (
            lambda h: np.sort(slopes(h))[::-1]
        ),
        "a slope is a positive number; the minus stands in the bias.": lambda h: -slopes(h),
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
    """Return up to which distance keys have this share of all weight, what a mistake gives."""
    return int(np.argmax(1 - np.exp(-slope * np.arange(1, 100_000)) >= share))


# From which distance on does a key weigh at most this fraction of one at distance 0?
@function_puzzle(
    "A key at distance n has e^(−slope·n) times the weight of one at distance 0.",
    "Count up from 0 until that is at most fraction; or solve e^(−slope·n) = fraction for n.",
    "n = log(1/fraction) / slope, rounded up: int(np.ceil(np.log(1 / fraction) / slope)).",
    cases=(
        (0.5, 0.01),
        (0.0625, 0.01),
        (0.5, 0.1),
        (0.00390625, 0.5),
        (1.0, 0.9),
        (0.25, np.exp(-1.0)),
    ),
    won="Now you can read a head's reach off its slope: "
    "at slope 1/16 a key 74 back has a hundredth of the weight.",
    mistakes={
        "not rounded: a distance is a whole number.": lambda s, f: np.log(1 / f) / s,
        "rounded down: there the weight is still above fraction.": (
            lambda s, f: int(np.log(1 / f) / s)
        ),
        "one too many where the quotient is whole: round it up.": (
            lambda s, f: int(np.log(1 / f) / s) + 1
        ),
        "the weight is a power of e, so the logarithm must be the natural one.": (
            lambda s, f: int(np.ceil(np.log2(1 / f) / s))
        ),
        "you added up the weights of all nearer keys; compare the weight of one key with 1.": (
            lambda s, f: _until(s, 1 - f)
        ),
        "you asked how far the keys have this fraction of all weight; "
        "compare the weight of one key with 1.": _until,
        "you asked from where on all farther keys have this fraction; "
        "compare the weight of one key with 1.": lambda s, f: _until(s, f) + 1,
        "the sign: log(fraction) is below 0, and so is the bias.": (
            lambda s, f: np.ceil(np.log(f) / s)
        ),
    },
)
def window(slope, fraction):
    distance = 0
    while np.exp(-slope * distance) > fraction:
        distance += 1
    return distance
