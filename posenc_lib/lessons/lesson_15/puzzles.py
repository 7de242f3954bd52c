"""The three puzzles of lesson 15: what a picture costs, each pair's axis, and cut-off moments."""

import numpy as np

from posenc_lib.live.puzzles import function_puzzle, value_puzzle


def _how_many(value) -> str:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        return "Write an integer, without brackets or quotes."
    if value > 32:
        return f"{value} is more than the 32 tokens, and patches share numbers."
    much = "many" if value > 14 else "few"
    return f"{value} is too {much}. Count the words, the picture, and the words."


# How many different positions five words, 6 × 4 patches, and three words have in M-RoPE
value_puzzle(
    "positions_used",
    14,
    "At which position does the picture start? Does a patch have one number, or three?",
    "Its time stands still. Its rows and columns both count. Which of the two gets farther?",
    "The words continue after the largest number in the picture. "
    "So it's 5, plus the longer side, plus 3.",
    why="the first words take 0 to 4, the picture 5 to 10, since its longer side is 6, "
    "and the last words 11 to 13.",
    won="32 tokens take 14 numbers, "
    "so 32,768 positions have room for more pictures than you'd think.",
    judge=_how_many,
    mistakes={
        "You counted every patch. That's how many tokens there are, but patches share numbers.": 32,
        "You took the shorter side. "
        "The words after the picture would get the numbers of its last rows.": 12,
        "You added rows and columns. They count at the same time, not one after the other.": 18,
        "You gave the picture one position. That's its time. Its rows and columns count.": 9,
        "That's the last position. Counting starts at 0, so there's one more.": 13,
        "You left out the last three words, after the picture.": 11,
    },
)


# Each pair's axis, if time, row, and column take turns until row and column have none left
@function_puzzle(
    "pair % 3 gives the turns: 0, 1, 2, 0, 1, 2, … "
    "How many turns does the row get, and which is its last pair?",
    "An axis with n pairs has its last one below 3·n. Past that, time gets the pair.",
    "np.where(condition, pair % 3, 0). "
    "The condition compares pair with 3 * np.take(sections, pair % 3).",
    without=("axis_of_pair",),
    cases=(((24, 20, 20),), ((8, 4, 4),), ((24, 12, 12),), ((2, 1, 1),)),
    won="With [24, 20, 20], pairs 60 to 63 are time's: the slowest four of 64 don't take turns.",
    mistakes={
        "You gave each axis a chunk, like Qwen2-VL. Here, the axes take turns.": (
            lambda s: np.repeat([0, 1, 2], s)
        ),
        "Your turns continue to the end, so the row or the column gets more than its section.": (
            lambda s: np.arange(sum(s)) % 3
        ),
        "You swapped row and column. Time is 0, the row 1, and the column 2.": (
            lambda s: np.array([0, 2, 1])[whose(s)]
        ),
        "You counted axes from 1. Time is 0, the row 1, and the column 2.": (
            lambda s: whose(s) + 1
        ),
    },
)
def whose(sections):
    pair = np.arange(sum(sections))
    return np.where(pair < 3 * np.take(sections, pair % 3), pair % 3, 0)


def _cut(times):
    return np.floor(times).astype(int)


# Positions of frames, cut to integers. The given function cuts the seconds first.
@function_puzzle(
    "What's int(0.5)? And what's that times anything?",
    "The position of frame n is n · seconds · per_second. When can you cut off a fraction?",
    "Multiply all three first. "
    "Then np.floor(…).astype(int) cuts off the fraction of each frame's position.",
    cases=((4, 0.5, 2), (5, 0.75, 2), (4, 1.5, 2), (3, 1, 25)),
    given=lambda n, seconds, rate: np.arange(n) * int(seconds) * rate,
    won="Three frames, 1.5 positions apart, are at 0, 1, and 3. "
    "Each is off by less than one, and the error doesn't grow.",
    mistakes={
        "You cut off the fraction of a step before multiplying by the frame, so the error grows.": (
            lambda n, seconds, rate: np.arange(n) * int(seconds * rate)
        ),
        "You rounded to the nearest integer. This model cuts the fraction off.": (
            lambda n, seconds, rate: np.round(np.arange(n) * seconds * rate).astype(int)
        ),
        "You rounded up. This model cuts the fraction off.": (
            lambda n, seconds, rate: np.ceil(np.arange(n) * seconds * rate).astype(int)
        ),
        "You cut off the fraction of a second before you counted positions. Cut it off last.": (
            lambda n, seconds, rate: _cut(np.arange(n) * seconds) * rate
        ),
        "Those are the moments themselves. This model wants integers. Cut the fraction off last.": (
            lambda n, seconds, rate: np.arange(n) * seconds * rate
        ),
        "Those are seconds. The model counts per_second positions in each.": (
            lambda n, seconds, rate: _cut(np.arange(n) * seconds)
        ),
        "You counted frames from 1. The first one is at position 0.": (
            lambda n, seconds, rate: _cut(np.arange(1, n + 1) * seconds * rate)
        ),
        "You divided by per_second. More positions a second put frames farther apart.": (
            lambda n, seconds, rate: _cut(np.arange(n) * seconds / rate)
        ),
    },
)
def frame_times(frames, seconds, per_second):
    return np.floor(np.arange(frames) * seconds * per_second).astype(int)
