"""The three puzzles of lesson 08."""

import numpy as np

from posenc_lib.encodings import alibi as pe  # the solution reads as in the lesson: pe.alibi
from posenc_lib.lessons.puzzles.engine import Puzzle


def _power(num_heads: int) -> int:
    return 2 ** (num_heads.bit_length() - 1)


def _plain(num_heads: int) -> np.ndarray:
    return 2.0 ** (-8 * np.arange(1, num_heads + 1) / num_heads)


def _filled(num_heads: int, first: int, step: int) -> np.ndarray:
    """Return `slopes`, with others taken from twice the power's list."""
    power = _power(num_heads)
    return np.append(_plain(power), _plain(2 * power)[first::step][: num_heads - power])


def slopes(num_heads):
    power = 1
    while 2 * power <= num_heads:
        power *= 2
    first = 2.0 ** (-8 * np.arange(1, power + 1) / power)
    twice = 2.0 ** (-4 * np.arange(1, 2 * power + 1) / power)
    return np.append(first, twice[0::2][: num_heads - power])


SLOPES = Puzzle(
    answer=slopes,
    cases=((1,), (2,), (8,), (12,), (3,), (20,)),
    hints=(
        "First the power of two: the largest one not above num_heads. For 12 it is 8.",
        "Its slopes are 2 ** (−8 · np.arange(1, power + 1) / power).",
        "Of the slopes for 2·power take every second one, [0::2], as many as are missing, and put them at the end.",
    ),
    mistakes={
        "the plain formula for every number of heads: right for powers of two only.": _plain,
        "these begin twice the power's list; take every second one, the others are there.": lambda h: _filled(h, 0, 1),
        "every second one, but the wrong ones: those with an odd h are new.": lambda h: _filled(h, 1, 2),
        "h counted from 0: the first head is h = 1.": (
            lambda h: np.append(_plain(_power(h)) * 2 ** (8 / _power(h)), slopes(h)[_power(h) :])
        ),
        "a slope is a positive number; the minus stands in the bias.": lambda h: -slopes(h),
    },
    won="These are the slopes in every checkpoint with ALiBi, whatever its number of heads.",
)


def window(slope, fraction):
    distance = 0
    while np.exp(-slope * distance) > fraction:
        distance += 1
    return distance


WINDOW = Puzzle(
    answer=window,
    cases=((0.5, 0.01), (0.0625, 0.01), (0.5, 0.1), (0.00390625, 0.5), (1.0, 0.9), (0.25, np.exp(-1.0))),
    hints=(
        "A key at distance n has e^(−slope·n) times the weight of one at distance 0.",
        "Count up from 0 until that is at most fraction; or solve e^(−slope·n) = fraction for n.",
        "n = log(1/fraction) / slope, rounded up: int(np.ceil(np.log(1 / fraction) / slope)).",
    ),
    mistakes={
        "not rounded: a distance is a whole number.": lambda s, f: np.log(1 / f) / s,
        "rounded down: there the weight is still above fraction.": lambda s, f: int(np.log(1 / f) / s),
        "one too many where the quotient is a whole number already: round up, instead of adding 1.": (
            lambda s, f: int(np.log(1 / f) / s) + 1
        ),
        "that is where 90 % of all weight is collected, as in section 2; here one key is compared with one.": (
            lambda s, f: np.ceil(np.log(10) / s)
        ),
        "the sign: log(fraction) is below 0, and so is the bias; their quotient is the distance.": (
            lambda s, f: np.ceil(np.log(f) / s)
        ),
    },
    won="Now you can read a head's reach off its slope: at slope 1/16 a key 74 back has a hundredth of the weight.",
)


def ported(num_heads, seq_len, head_dim):
    return pe.alibi(num_heads, seq_len) / np.sqrt(head_dim)


PORTED = Puzzle(
    answer=ported,
    cases=((8, 4, 64), (4, 3, 16), (12, 5, 128)),
    hints=(
        "Write the checkpoint's score as a sum: (q·k + bias) / √d = q·k/√d + what?",
        "Your code adds its bias after the division, so it must be given one that is divided already.",
        "pe.alibi(num_heads, seq_len) divided by np.sqrt(head_dim).",
    ),
    mistakes={
        "this is the paper's bias as it is; the checkpoint's was divided by √d together with q·k.": (
            lambda h, n, d: pe.alibi(h, n)
        ),
        "multiplied: then its heads see even less far than the paper's; the checkpoint's see farther.": (
            lambda h, n, d: pe.alibi(h, n) * np.sqrt(d)
        ),
        "divided by d; attention divides by its root.": lambda h, n, d: pe.alibi(h, n) / d,
        "8 is √d where a head has 64 dims; head_dim says how many there are here.": lambda h, n, d: pe.alibi(h, n) / 8,
        "the sign: what lies far loses points, so a bias is 0 or less.": lambda h, n, d: -ported(h, n, d),
    },
    won="The shapes always fitted; only the order of two operations told the codes apart. Compare outputs, not shapes.",
)
