"""The three puzzles of lesson 05: six sentences, a row moved on, and a base for a text."""

import numpy as np

import posenc_lib as pe
from posenc_lib.live.puzzles import function_puzzle, value_puzzle

_MYTHS = [False, False, False, False, True, True]
_LOOK_AGAIN = (
    "which number has the last pair? It turns a little faster than once in 2π · 10 000 positions.",
    "for the same row all hands have to be back at once, "
    "and the first turns one radian per position.",
    "two dims make a pair, so dims 64 and 192 belong to pairs 32 and 96.",
    "look at the curve of section 2 closely: does it fall with every single step?",
    "most of the 256 hands hardly turn in one step.",
    "how many of the 256 hands turn by less than a tenth of a radian in 19 steps?",
)


def _so_many(guesses) -> str:
    six = isinstance(guesses, (list, tuple)) and len(guesses) == 6
    if not six or not all(isinstance(guess, bool) for guess in guesses):
        return "give six guesses, each True or False, in brackets: [True, False, …]."
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
    "How many pairs have 512 dims, and which number has the last of them?",
    "A row comes back when all of its hands are back. "
    "Ripples: look at the curves of section 2 closely.",
    "Run the next cell; it measures all six. Two of the sentences are true.",
    why="the fourth holds only as a trend; the others can be measured, and now are.",
    judge=_so_many,
    won="You can now read the next article about this encoding with a pencil in your hand.",
    mistakes={
        "no, not all of them: the next cell measures all six.": [True] * 6,
        "the fourth is fair as a trend, but there are ripples: it does not fall with every step.": (
            [False, False, False, True, True, True]
        ),
    },
)


def _row(position: float, d_model: int) -> np.ndarray:
    return pe.sinusoidal([position], d_model)[0]


def _slow(row, offset):
    turned = offset / 10_000 ** (np.arange(len(row) // 2) / len(row))
    hands = (row[1::2] + 1j * row[0::2]) * np.exp(1j * turned)
    return np.stack([hands.imag, hands.real], axis=1).ravel()


def _by_slowest(row, offset):
    t = np.arctan2(row[-2], row[-1]) / pe.inv_freq(len(row))[-1]
    return _row(t + offset, len(row))


def _in_place(row, offset):
    turned, row = offset * pe.inv_freq(len(row)), row.copy()
    row[0::2] = row[0::2] * np.cos(turned) + row[1::2] * np.sin(turned)
    row[1::2] = row[1::2] * np.cos(turned) - row[0::2] * np.sin(turned)
    return row


# A row of a sinusoidal table, at a position that is not told: which row stands `offset` later?
@function_puzzle(
    "You do not need to know t. "
    "Each pair (row[2i], row[2i+1]) = (sin a, cos a) has to turn by offset·θ_i.",
    "sin(a + b) = sin a cos b + cos a sin b, and cos(a + b) = cos a cos b − sin a sin b.",
    "With d = len(row), the four lines begin with turned = offset / 10000 ** (np.arange(0, d, "
    "2) / d), s = row[0::2] and c = row[1::2]. Put the new sines and cosines into a new array.",
    without=("shift_matrix",),
    cases=(
        (_row(0, 2), 1),
        (_row(3, 4), 2),
        (_row(17, 8), -5),
        (_row(100, 64), 7.5),
        (_row(7, 128), 1000),
        (_row(300_000.25, 64), -40),  # even the slowest hand has gone round: no t can be read off
    ),
    won="One recipe for every position, which never asked where it stands: "
    "that is what the cosine is for.",
    mistakes={
        "you read t off the first pair, but that hand is back every 6.28 positions; "
        "you do not need t at all.": (lambda x, n: _row(np.arctan2(x[0], x[1]) + n, len(x))),
        "this is the row that you were given; turn each pair of it by offset·θ_i.": lambda x, n: x,
        "you read t off the slowest pair, but far out that hand has gone round, too; "
        "you do not need t at all.": _by_slowest,
        "the new sines were in place before the cosines were made: "
        "keep the old sines until both are done.": _in_place,
        "you turned the other way: that is the row of t − offset.": lambda x, n: shifted(x, -n),
        "the exponent of pair i is 2i/d, twice as large; both dims of a pair share it.": _slow,
        "you added the row of the offset; angles add up, their sines do not.": (
            lambda x, n: x + _row(n, len(x))
        ),
    },
)
def shifted(row, offset):
    turned = offset / 10_000 ** (np.arange(0, len(row), 2) / len(row))
    s, c = row[0::2], row[1::2]
    result = np.empty(len(row))
    result[0::2] = s * np.cos(turned) + c * np.sin(turned)
    result[1::2] = c * np.cos(turned) - s * np.sin(turned)
    return result


# With which base does the slowest pair turn once in seq_len positions?
@function_puzzle(
    "The slowest pair is the last one, i = d/2 − 1. How many positions does its full turn take?",
    "Its wavelength is 2π·base^((d−2)/d). Set that equal to seq_len and solve for base.",
    "base^((d−2)/d) = seq_len / 2π. "
    "To which power do you raise both sides, so that base stands alone?",
    cases=((512, 4), (2048, 64), (4096, 128), (100_000, 512)),
    won="Any smaller base lets the slowest hand come round within the text; "
    "most models take a much larger one.",
    mistakes={
        "the last pair is i = d/2 − 1, so its exponent is (d − 2)/d, not d/d.": (
            lambda n, d: n / (2 * np.pi)
        ),
        "2π is missing: a full turn is 2π radians, not 1.": lambda n, d: n ** (d / (d - 2)),
        "the power is upside down: you need d/(d−2).": (
            lambda n, d: (n / (2 * np.pi)) ** ((d - 2) / d)
        ),
    },
)
def one_turn_base(seq_len, d_model):
    return (seq_len / (2 * np.pi)) ** (d_model / (d_model - 2))
