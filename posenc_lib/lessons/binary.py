"""The two puzzles of lesson 03."""

import numpy as np

from posenc_lib.lessons.puzzles import Puzzle


def bits(seq_len, d_model):
    t = np.arange(seq_len)[:, None]
    return t >> np.arange(d_model)[::-1] & 1


def gray(seq_len, d_model):
    t = np.arange(seq_len)[:, None]
    code = t ^ t // 2
    return code >> np.arange(d_model)[::-1] & 1


def _written(numbers: np.ndarray, d_model: int) -> np.ndarray:
    """Return the bits of each number, the most significant first."""
    return numbers[:, None] >> np.arange(d_model)[::-1] & 1


def _neighbours_wrapped(seq_len: int, d_model: int) -> np.ndarray:
    plain = bits(seq_len, d_model)
    return plain ^ np.roll(plain, 1, axis=1)


PUZZLES = (
    Puzzle(
        name="bits",
        answer=bits,
        cases=((2, 1), (6, 3), (16, 4), (5, 7), (1000, 12)),
        hints=(
            "Shift t to the right by so many places that the bit you want is the last one; then drop all before it.",
            "Dim i is ⌊t / 2^(d−1−i)⌋ mod 2. For whole numbers that is t >> (d − 1 − i) & 1.",
            "Shift the column np.arange(seq_len)[:, None] by the row np.arange(d_model)[::-1], then take & 1.",
        ),
        mistakes={
            "LSB first: your first column flips at every step; here the most significant bit leads.": lambda n, d: bits(
                n, d
            )[:, ::-1],
            "you count from 1; the first row is position 0, all zeros.": lambda n, d: _written(np.arange(1, n + 1), d),
            "the mod 2 is missing: after the shift only the last bit may stay, with & 1 or % 2.": lambda n, d: (
                np.arange(n)[:, None] >> np.arange(d)[::-1]
            ),
            "shape (d_model, seq_len) is the table on its side; a row is a position, a column is a dim.": lambda n, d: (
                bits(n, d).T
            ),
            "powers instead of bits: a bit that is set should count 1, not 2^(d−1−i).": lambda n, d: (
                bits(n, d) << np.arange(d)[::-1]
            ),
            "one place too far: you shift by d … 1. The last bit needs no shift, so take d − 1 … 0.": lambda n, d: (
                np.arange(n)[:, None] >> np.arange(d, 0, -1) & 1
            ),
            "whole numbers are missing: / keeps what stands behind the point. Take // or >>.": lambda n, d: (
                np.arange(n)[:, None] / 2 ** np.arange(d)[::-1] % 2
            ),
            "every bit is the wrong way round: 1 where 0 should be.": lambda n, d: 1 - bits(n, d),
        },
    ),
    Puzzle(
        name="gray",
        answer=gray,
        cases=((2, 1), (6, 3), (16, 4), (5, 7), (1000, 12)),
        hints=(
            "First find one whole number for each position, then write it in bits as in the puzzle before.",
            "That number is t XOR ⌊t/2⌋. XOR of two whole numbers is ^ in Python, ⌊t/2⌋ is t // 2.",
            "With the column t = np.arange(seq_len)[:, None], code = t ^ t // 2; then shift code and take & 1.",
        ),
        mistakes={
            "this is plain binary: from 3 to 4 three bits flip. Write the bits of t XOR ⌊t/2⌋.": bits,
            "LSB first: the bits are right, but here the most significant one stands first.": lambda n, d: gray(n, d)[
                :, ::-1
            ],
            "you took t XOR 2t, which compares each bit with the one on its right; ⌊t/2⌋ brings the one on its left.": (
                lambda n, d: _written(np.arange(n) ^ np.arange(n) * 2, d)
            ),
            "you took OR, which is |. XOR is ^: 1 where just one of the two bits is 1.": lambda n, d: _written(
                np.arange(n) | np.arange(n) // 2, d
            ),
            "these are the bits of ⌊t/2⌋ alone; t XOR ⌊t/2⌋ is wanted.": lambda n, d: _written(np.arange(n) // 2, d),
            "the first bit has no neighbour on its left; np.roll gives it the last bit instead of 0.": (
                _neighbours_wrapped
            ),
            "that is the way back, from Gray code to binary: compare neighbouring bits of t, do not add them all up.": (
                lambda n, d: np.bitwise_xor.accumulate(bits(n, d), axis=1)
            ),
            "you count from 1; the first row is position 0, all zeros.": lambda n, d: gray(n + 1, d)[1:],
            "shape (d_model, seq_len) is the table on its side; a row is a position, a column is a dim.": lambda n, d: (
                gray(n, d).T
            ),
            "one whole number for each position: right so far. Now write it in d_model bits.": lambda n, d: (
                np.arange(n) ^ np.arange(n) // 2
            ),
        },
    ),
)
