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


# Rows of bits, the most significant first, in any order: which positions are they?
@function_puzzle(
    "In 1011 the last bit is worth 1, the one before it 2, then 4, then 8: 8 + 2 + 1 = 11.",
    "Dim i is worth 2^(d−1−i), with d = table.shape[1]. "
    "Multiply each column by its worth; add up each row.",
    "np.arange(d)[::-1] counts down from d − 1 to 0. "
    "A matrix product with @ multiplies and adds in one go.",
    cases=tuple((pe.binary(numbers, d),) for numbers, d in _NUMBERS),
    written=tuple(f"pe.binary({numbers}, {d})" for numbers, d in _NUMBERS),
    won="Every row gives its number back, in any order: "
    "bits keep all of a position, in numbers no larger than 1.",
    mistakes={
        "the first bit got weight 1; here it weighs most, and the last one 1.": (
            lambda x: read_bits(x[:, ::-1])
        ),
        "you counted the ones; each bit has a weight of its own, 2^(d−1−i).": (
            lambda x: x.sum(axis=1)
        ),
        "you numbered the rows; they come in any order, so read the bits of each.": (
            lambda x: np.arange(len(x))
        ),
        "every number is twice too large: the last bit weighs 2^0 = 1, not 2.": (
            lambda x: 2 * read_bits(x)
        ),
    },
)
def read_bits(table):
    d_model = table.shape[1]
    return table @ 2 ** np.arange(d_model)[::-1]


# The bits of t XOR ⌊t/2⌋, the most significant first?
@function_puzzle(
    "First find one whole number for each position; "
    "the second line of the function writes it in bits.",
    "That number is t XOR ⌊t/2⌋. "
    "In Python XOR of two whole numbers is written ^, and ⌊t/2⌋ with //.",
    "Only the first line changes. "
    "For t = 3, ⌊3/2⌋ is 1, and 11 XOR 01 is 10, the walk's fourth corner.",
    cases=(
        *((np.arange(n), d) for n, d in ((2, 1), (6, 3), (16, 4), (5, 7))),
        (np.array([999, 0, 700, 3]), 12),
    ),
    given=pe.binary,
    won="All steps follow an edge: neighbors in the text are neighbors in the cube. "
    "See the walk below.",
    mistakes={
        "this is plain binary: from 3 to 4 three bits flip.": pe.binary,
        "you took OR, which is |. XOR is ^: 1 where just one of both bits is 1.": (
            lambda x, d: pe.binary(x | x // 2, d)
        ),
        "you doubled t; ⌊t/2⌋ is half of it, t // 2.": (
            lambda x, d: pe.binary((x ^ 2 * x) % 2**d, d)
        ),
        "** raises to a power; XOR of two whole numbers is ^, here t ^ (t // 2).": (
            lambda x, d: pe.binary(x**2 % 2**d, d)
        ),
        "your bits are in reverse order: the first one weighs most.": (
            lambda x, d: gray(x, d)[:, ::-1]
        ),
        "these are the bits of ⌊t/2⌋ alone; t XOR ⌊t/2⌋ is wanted.": (
            lambda x, d: pe.binary(x // 2, d)
        ),
    },
)
def gray(positions, d_model):
    code = positions ^ positions // 2
    return code[:, None] // 2 ** np.arange(d_model)[::-1] % 2
