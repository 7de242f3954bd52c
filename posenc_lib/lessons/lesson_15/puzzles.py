"""The three puzzles of lesson 15: what a picture costs, whose a pair is, and moments cut off."""

import numpy as np

from posenc_lib.live.puzzles import function_puzzle, value_puzzle


def _how_many(value) -> str:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        return "Write one whole number, without brackets or quotes."
    if value > 32:
        return f"{value} is more than there are tokens, 32, and patches share numbers."
    return f"{value} is too {'many' if value > 14 else 'few'}: count words, picture and words."


# Five words, 6 × 4 patches, three words, M-RoPE: how many different numbers are positions?
value_puzzle(
    "positions_used",
    14,
    "At which position does the picture begin? And does a patch have one number, or three?",
    "Its time stands still. Its rows count on, and so do its columns. "
    "Which of the two gets farther?",
    "The words go on after the largest number that the picture has used. "
    "So it is 5, the longer side, and 3.",
    why="the first words take 0 to 4, the picture 5 to 10, because its longer side is 6, "
    "and the last words 11 to 13.",
    won="32 tokens take 14 numbers, "
    "so 32 768 positions have room for more pictures than one would think.",
    judge=_how_many,
    mistakes={
        "You counted every patch. "
        "There are so many tokens, but the patches of a picture share numbers.": 32,
        "You took the shorter side. "
        "Then the words after the picture would have the numbers of its last rows.": 12,
        "You added rows and columns, "
        "but they count at the same time and not one after the other.": 18,
        "You gave the picture one position. "
        "Its time has only one, but its rows and columns count on.": 9,
        "You wrote the last position. It is 13, but counting began at 0, so there is one more.": 13,
        "You left out the last three words, which go on after the picture.": 11,
    },
)


# Which axis has each pair, when time, row and column take turns
# until row and column have none left?
@function_puzzle(
    "pair % 3 has the turns: 0, 1, 2, 0, 1, 2, … "
    "How many turns has the row, and which is its last pair?",
    "An axis with n pairs has its last one below 3·n. What is beyond, time keeps.",
    "np.where(condition, pair % 3, 0), "
    "where the condition compares pair with 3·sections[pair % 3], axis by axis.",
    without=("axis_of_pair",),
    cases=(((24, 20, 20),), ((11, 11, 10),), ((24, 12, 12),), ((2, 1, 1),)),
    won="With [24, 20, 20] pairs 60 to 63 are time's, "
    "so the slowest four of 64 do not take turns any more.",
    mistakes={
        "You gave each axis a chunk, as in Qwen2-VL, but here the axes take turns.": (
            lambda s: np.repeat([0, 1, 2], s)
        ),
        "Your turns go on to the end, so the row or the column gets more than its section.": (
            lambda s: np.arange(sum(s)) % 3
        ),
        "You exchanged row and column, but time is 0, the row 1 and the column 2.": (
            lambda s: np.array([0, 2, 1])[whose(s)]
        ),
        "You counted the axes from 1, but time is 0, the row 1 and the column 2.": (
            lambda s: whose(s) + 1
        ),
    },
)
def whose(sections):
    pair = np.arange(sum(sections))
    return np.where(pair < 3 * np.take(sections, pair % 3), pair % 3, 0)


def _cut(times):
    return np.floor(times).astype(int)


# Positions of frames, cut to whole numbers; the lesson's function cuts the seconds first.
@function_puzzle(
    "What is int(0.5)? And what is that, times whatever?",
    "The position of frame n is n · seconds · per_second. "
    "At which point of this product may a fraction be cut off?",
    "Multiply all three first. "
    "np.floor(…).astype(int) then cuts off the fraction of each frame's own position.",
    cases=((4, 0.5, 2), (5, 0.75, 2), (4, 1.5, 2), (3, 1, 25)),
    given=lambda n, seconds, rate: np.arange(n) * int(seconds) * rate,
    won="Three frames of 1.5 positions come at 0, 1 and 3: "
    "each is off by less than one, and the error does not grow.",
    mistakes={
        "You cut off the fraction of a step before you multiplied by the frame, so the film runs "
        "slower and slower.": (lambda n, seconds, rate: np.arange(n) * int(seconds * rate)),
        "You rounded to the nearest number, but this model cuts the fraction off.": (
            lambda n, seconds, rate: np.round(np.arange(n) * seconds * rate).astype(int)
        ),
        "You rounded up, but this model cuts the fraction off.": (
            lambda n, seconds, rate: np.ceil(np.arange(n) * seconds * rate).astype(int)
        ),
        "These are the moments themselves, but this model wants whole numbers. "
        "Cut the fraction off last.": (lambda n, seconds, rate: np.arange(n) * seconds * rate),
        "You returned seconds, but the model counts per_second positions in each of them.": (
            lambda n, seconds, rate: _cut(np.arange(n) * seconds)
        ),
        "You counted the frames from 1, but the first one is at position 0.": (
            lambda n, seconds, rate: _cut(np.arange(1, n + 1) * seconds * rate)
        ),
        "You divided by per_second, but more positions a second put the frames farther apart.": (
            lambda n, seconds, rate: _cut(np.arange(n) * seconds / rate)
        ),
    },
)
def frame_times(frames, seconds, per_second):
    return np.floor(np.arange(frames) * seconds * per_second).astype(int)
