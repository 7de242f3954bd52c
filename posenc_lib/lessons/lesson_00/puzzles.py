"""The two warm-up puzzles of lesson 00."""

import numpy as np

from posenc_lib.live.puzzles import function_puzzle, value_puzzle


# The positions of a text with seq_len words?
@function_puzzle(
    "Four words have the positions 0, 1, 2, and 3. "
    "The first is 0, and the last is one less than 4.",
    "NumPy has a function that counts: np.arange.",
    "np.arange(n) starts at 0 and stops before n. Which n gives you one position for each word?",
    cases=((1,), (4,), (49,), (512,)),
    won="These are the t in every formula to come. We always count from 0.",
    mistakes={
        "You started at 1. Here, as in Python, the first position is 0.": (
            lambda n: np.arange(1, n + 1)
        ),
        "You have one position too many. With n words, the last position is n − 1.": (
            lambda n: np.arange(n + 1)
        ),
        "You returned how many positions there are. Return all of them, starting with 0.": (
            lambda n: n
        ),
        "Those are fractions from 0 to 1. Positions are whole numbers: 0, 1, 2, …": (
            lambda n: np.linspace(0, 1, n)
        ),
    },
)
def count(seq_len):
    return np.arange(seq_len)


def _how_near(value) -> str:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        return "write one integer, without brackets or quotes."
    if not 0 < value < 64:
        return "the 64 positions are 0 to 63, and 0 itself doesn't count."
    gap = 2 * abs(np.sin(value / 2))
    return f"position {value} is {gap:.3f} from position 0, but a different one is closer."


# Two dims, 64 positions: which other position comes closest to position 0?
value_puzzle(
    "twin",
    44,
    "Drag seq_len to 64 in the panel under “A walk around the circle”. "
    "Which new points land almost on position 0, at the top?",
    "The line under the picture says how far the last position is from position 0. "
    "Where is that number smallest?",
    "A full turn takes 2π ≈ 6.283 positions. "
    "Which integer up to 63 is closest to a whole number of turns?",
    why="44 radians are 7 turns and 0.018 radians, so position 44 is almost on position 0. "
    "Two dims fill up fast, which is one reason to have more.",
    judge=_how_near,
    mistakes={
        "that's position 0 itself. Look for a different one.": 0,
        "a full turn is 6.28 positions, and 6 is 0.28 short of it. "
        "Later turns end closer to an integer.": 6,
        "7 is the first position past a full turn, but it's 0.7 away. Later ones come closer.": 7,
        "45 is where you left seq_len. We count from 0, so the last of 45 positions is 44.": 45,
        "63 positions make 10.03 turns, which the picture rounds to 10. Others end closer.": 63,
        "position 710 is closer still, but this text ends at 63.": 710,
    },
)
