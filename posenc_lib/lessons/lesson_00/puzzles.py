"""The two warm-up puzzles of lesson 00."""

import numpy as np

from posenc_lib.live.puzzles import function_puzzle, value_puzzle


# The positions of a text with seq_len words, as an array?
@function_puzzle(
    "A sequence of 4 words has the positions 0, 1, 2, 3: "
    "the first is 0, the last is one less than 4.",
    "NumPy has one function that counts: np.arange.",
    "np.arange(n) begins at 0 and stops before n: "
    "which n leaves as many positions as there are words?",
    cases=((1,), (4,), (49,), (512,)),
    won="These are the t of every formula to come, from 0 on as everywhere in this series.",
    mistakes={
        "you count from 1; here, as in Python, the first position is 0.": (
            lambda n: np.arange(1, n + 1)
        ),
        "one position too many: n words have the positions 0 … n − 1.": lambda n: np.arange(n + 1),
        "that is how many positions there are; return all of them, from 0 on.": lambda n: n,
    },
)
def count(seq_len):
    return np.arange(seq_len)


def _how_near(value) -> str:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        return "write one whole number, without brackets or quotes."
    if not 0 < value < 64:
        return "there are 64 positions, 0 to 63."
    return (
        f"position {value} stands {2 * abs(np.sin(value / 2)):.3f} from position 0; "
        "another one is nearer."
    )


# Two dims, 64 positions: which other position comes closest to position 0?
value_puzzle(
    "twin",
    44,
    "Drag seq_len of your first slider on to 64: "
    "which of the new points land almost on position 0, at the top?",
    "The words under the picture say how far the last position is from position 0. "
    "Where are they smallest?",
    "One turn takes 2π ≈ 6.283 positions. "
    "Which whole number up to 63 is nearest to a whole number of turns?",
    why="44 radians are 7 turns and 0.018 of a radian, so position 44 stands almost on position 0. "
    "Two dims are soon full; that is one reason to have more.",
    judge=_how_near,
    mistakes={
        "that is position 0 itself; look for another one.": 0,
        "one turn is 6.28 positions, and 6 falls 0.28 short; "
        "later turns end nearer to a whole number.": 6,
    },
)
