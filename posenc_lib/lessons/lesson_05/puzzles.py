"""The three puzzles of lesson 05: six sentences, a row moved forward, and a base for a text."""

import numpy as np

import posenc_lib as pe
from posenc_lib.live.puzzles import function_puzzle, value_puzzle

_MYTHS = [False, False, False, False, True, True]
_LOOK_AGAIN = (
    "the last of the 256 pairs is number 255. It's a little faster than one turn in "
    "2π · 10,000 positions.",
    "two rows are equal only if all 256 pairs are back at once, and the first one turns by "
    "one radian per position.",
    "two dims make a pair, so dims 64 and 192 belong to pairs 32 and 96.",
    "look closely at the curves in section 2. Do they fall with every single step?",
    "most of the 256 pairs barely turn in one step.",
    "how many of the 256 pairs turn by less than a tenth of a radian in 19 steps?",
)


def _so_many(guesses) -> str:
    six = isinstance(guesses, (list, tuple)) and len(guesses) == 6
    if not six or not all(isinstance(guess, bool) for guess in guesses):
        return "give six guesses in brackets, each True or False: [True, False, …]."
    wrong = [k for k, guess in enumerate(guesses) if guess != _MYTHS[k]]
    right = f"{6 - len(wrong)} of your 6 guesses are right."
    if len(wrong) == 5:
        right = "one of your 6 guesses is right."
    if not wrong:
        return right
    return f"{right} Look again at sentence {wrong[0] + 1}: {_LOOK_AGAIN[wrong[0]]}"


# Which of six sentences about a table of 512 dims are true?
value_puzzle(
    "myths",
    _MYTHS,
    "How many pairs do 512 dims make, and what's the last one's number?",
    "A row comes back when all of its pairs are back at once. "
    "For the ripples, look closely at the curves in section 2.",
    "Two of the six are true. In the next cell, change guessed to True, and it measures all six.",
    why="the fourth is true only as a trend. The next cell measures all six.",
    judge=_so_many,
    won="You're ready to read the next article about this encoding with a pencil in your hand.",
    mistakes={
        "not all of them are true. The next cell measures all six.": [True] * 6,
        "not all of them are false. How long are two neighboring rows, and how far apart?": (
            [False] * 6
        ),
        "the fourth is true as a trend, but not with every step: there are ripples.": (
            [False, False, False, True, True, True]
        ),
    },
)


def _row(position: float, d_model: int) -> np.ndarray:
    return pe.sinusoidal([position], d_model)[0]


def _rotated(row, angles) -> np.ndarray:
    pairs = (row[1::2] + 1j * row[0::2]) * np.exp(1j * angles)
    return np.stack([pairs.imag, pairs.real], axis=1).ravel()


def _slow(row, offset):
    return _rotated(row, offset / 10_000 ** (np.arange(len(row) // 2) / len(row)))


def _together(row, offset):
    return _rotated(row, offset * np.ones(len(row) // 2))


def _faster(row, offset):
    return _rotated(row, offset * 10_000 ** (np.arange(0, len(row), 2) / len(row)))


def _by_first(row, offset):
    return _row(np.arctan2(row[0], row[1]) + offset, len(row))


def _by_slowest(row, offset):
    t = np.arctan2(row[-2], row[-1]) / pe.inv_freq(len(row))[-1]
    return _row(t + offset, len(row))


def _in_place(row, offset):
    angles, row = offset * pe.inv_freq(len(row)), row.copy()
    row[0::2] = row[0::2] * np.cos(angles) + row[1::2] * np.sin(angles)
    row[1::2] = row[1::2] * np.cos(angles) - row[0::2] * np.sin(angles)
    return row


def _halves(row, offset):
    return np.concatenate(
        [shifted(row, offset)[0::2], shifted(row, offset)[1::2]],
    )


# You get a row of a sinusoidal table, but not its position: return the row `offset` later.
@function_puzzle(
    "You don't need t. Each pair (row[2i], row[2i+1]) = (sin a, cos a) rotates by offset·θ_i.",
    "sin(a + b) = sin a cos b + cos a sin b, and cos(a + b) = cos a cos b − sin a sin b.",
    "With d = len(row), start with angles = offset / 10_000 ** (np.arange(0, d, 2) / d), "
    "s = row[0::2] and c = row[1::2]. Put the new sines and cosines into a new array.",
    without=("shift_matrix", "sinusoidal"),
    instead="The row has everything you need. Write the sines and cosines yourself.",
    cases=(
        (_row(0, 2), 1),
        (_row(3, 4), 2),
        (_row(17, 8), -5),
        (_row(100, 64), 7.5),
        (_row(7, 128), 1000),
        (_row(300_000.25, 64), -40),  # the slowest pair has turned often: no t can be read off it
    ),
    won="Your function works at every position without knowing which one it's at. "
    "That's what the cosine is for.",
    mistakes={
        "you read t off the first pair, but it's back every 6.28 positions. "
        "You don't need t at all.": _by_first,
        "you returned the row you were given. Rotate each of its pairs by offset·θ_i.": (
            lambda x, n: x
        ),
        "you read t off the slowest pair, but at a large t it has been around more than once. "
        "You don't need t at all.": _by_slowest,
        "you overwrote the sines before you made the cosines. "
        "Keep the old sines until both are done.": _in_place,
        "you rotated the wrong way: that's the row of t − offset.": lambda x, n: shifted(x, -n),
        "the exponent of pair i is 2i/d, twice yours. Both dims of a pair share it.": _slow,
        "you rotated every pair by the same angle. Pair i turns by offset·θ_i.": _together,
        "you multiplied by base^(2i/d), but θ_i divides by it: later pairs are slower.": _faster,
        "you put all sines first and all cosines last. They take turns: sine, cosine, sine, …": (
            _halves
        ),
        "you added the row of the offset. Angles add up, but their sines don't.": (
            lambda x, n: x + _row(n, len(x))
        ),
    },
)
def shifted(row, offset):
    angles = offset / 10_000 ** (np.arange(0, len(row), 2) / len(row))
    s, c = row[0::2], row[1::2]
    result = np.empty(len(row))
    result[0::2] = s * np.cos(angles) + c * np.sin(angles)
    result[1::2] = c * np.cos(angles) - s * np.sin(angles)
    return result


# At which base does the slowest pair turn once in seq_len positions?
@function_puzzle(
    "The slowest pair is the last one, i = d/2 − 1. How many positions does a full turn take it?",
    "Its wavelength is 2π·base^((d−2)/d). Set that equal to seq_len and solve for base.",
    "base^((d−2)/d) = seq_len / 2π. To what power do you raise both sides to get base by itself?",
    cases=((512, 4), (2048, 64), (4096, 128), (100_000, 512)),
    won="With any smaller base, the slowest pair comes back within the text. "
    "Most models use a much larger one.",
    mistakes={
        "the last pair is i = d/2 − 1, so its exponent is (d − 2)/d, not d/d.": (
            lambda n, d: n / (2 * np.pi)
        ),
        "you left out 2π. A full turn is 2π radians, not 1.": lambda n, d: n ** (d / (d - 2)),
        "your exponent is upside down: you need d/(d−2).": (
            lambda n, d: (n / (2 * np.pi)) ** ((d - 2) / d)
        ),
    },
)
def one_turn_base(seq_len, d_model):
    return (seq_len / (2 * np.pi)) ** (d_model / (d_model - 2))
