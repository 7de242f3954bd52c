"""The two puzzles of lesson 03: bits read back as numbers, and a code whose steps flip one bit."""

import numpy as np

import posenc_lib as pe
from posenc_lib.live.puzzles import function_puzzle

_NUMBERS = (
    ([0, 1], 1),
    ([5, 0, 3, 6], 3),
    ([11, 2, 15], 4),
    ([100, 7, 64, 1], 7),
    ([4000, 17, 2048], 12),
)


def _bits(numbers, d_model):
    return pe.binary(numbers, d_model, low_first=True)


# Rows of bits, the lowest first, in any order: which positions are they?
@function_puzzle(
    "In 1 1 0 1 the first bit is worth 1, the next one 2, then 4, then 8. That's 1 + 2 + 8 = 11.",
    "Dim i is worth 2^i. Multiply each column by its worth, then add up each row.",
    "np.arange(d) counts from 0 to d − 1, with d = table.shape[1]. "
    "A matrix product with @ multiplies and adds in one go.",
    cases=tuple((_bits(numbers, d),) for numbers, d in _NUMBERS),
    written=tuple(f"pe.binary({numbers}, {d}, low_first=True)" for numbers, d in _NUMBERS),
    won="You get every number back, in any order. "
    "Bits keep the whole position, in numbers no larger than 1.",
    mistakes={
        "You read the bits the way people write them. Here the first one is worth 1.": (
            lambda x: read_bits(x[:, ::-1])
        ),
        "You counted the ones. Each bit has a different worth: 2^i in dim i.": (
            lambda x: x.sum(axis=1)
        ),
        "You numbered the rows, but they come in any order. Use the bits in each row.": (
            lambda x: np.arange(len(x))
        ),
        "All your numbers are twice too large. The first bit is worth 2^0 = 1, not 2.": (
            lambda x: 2 * read_bits(x)
        ),
        "You multiplied each bit by its worth, but didn't add up each row. Use @ or sum.": (
            lambda x: x * 2 ** np.arange(x.shape[1])
        ),
        "You added up the whole table. Add along each row, with axis=1.": (
            lambda x: (x * 2 ** np.arange(x.shape[1])).sum()
        ),
        "You added down the columns. Add along each row, with axis=1.": (
            lambda x: (x * 2 ** np.arange(x.shape[1])).sum(axis=0)
        ),
        "You used powers of 10, and put the bits in a row like digits. Bits need powers of 2.": (
            lambda x: x @ 10 ** np.arange(x.shape[1])
        ),
        "You used i squared, i**2. Turn it around: 2**i doubles from bit to bit.": (
            lambda x: x @ np.arange(x.shape[1]) ** 2
        ),
        "You multiplied by i instead of 2^i. Each bit is worth twice the one before it.": (
            lambda x: x @ np.arange(x.shape[1])
        ),
    },
)
def read_bits(table):
    return table @ 2 ** np.arange(table.shape[1])


# The bits of t XOR ⌊t/2⌋, the lowest first?
@function_puzzle(
    "Find one integer for each position. The second line of the function turns it into bits.",
    "That integer is t XOR ⌊t/2⌋. Python writes XOR of two integers as ^, and ⌊t/2⌋ as t // 2.",
    "Only the first line changes. "
    "For t = 3 you need 3 XOR 1 = 2, the corner 0 1 0, which comes fourth on the walk.",
    cases=(
        *((np.arange(n), d) for n, d in ((2, 1), (6, 3), (16, 4), (5, 7))),
        (np.array([999, 0, 700, 3]), 12),
    ),
    given=_bits,
    won="Every step follows an edge, so neighbors in the text are neighbors on the cube. "
    "Look at the walk below.",
    mistakes={
        "That's still plain binary, and three bits flip from 3 to 4.": _bits,
        "You used |, which is OR. Use ^, which is 1 where exactly one of the two bits is 1.": (
            lambda x, d: _bits(x | x // 2, d)
        ),
        "You doubled t. Use half of it, rounded down: t // 2.": (
            lambda x, d: _bits((x ^ 2 * x) % 2**d, d)
        ),
        "You used **, which raises to a power. XOR of two integers is ^: t ^ (t // 2).": (
            lambda x, d: _bits(x**2 % 2**d, d)
        ),
        "You added t and ⌊t/2⌋. XOR them: it's like adding bit by bit, without a carry.": (
            lambda x, d: _bits((x + x // 2) % 2**d, d)
        ),
        "You combined t with t + 1. Combine it with half of t, rounded down: t // 2.": (
            lambda x, d: _bits((x ^ (x + 1)) % 2**d, d)
        ),
        "You returned the integers. Keep the second line, which turns them into bits.": (
            lambda x, d: x ^ x // 2
        ),
        "Your bits are in reverse order. Keep the second line: the lowest bit comes first.": (
            lambda x, d: gray(x, d)[:, ::-1]
        ),
        "You took ⌊t/2⌋ alone. Combine it with t: t ^ (t // 2).": lambda x, d: _bits(x // 2, d),
    },
)
def gray(positions, d_model):
    code = positions ^ positions // 2
    return code[:, None] // 2 ** np.arange(d_model) % 2
