"""The two warm-up puzzles of lesson 00."""

import numpy as np

from posenc_lib.lessons.puzzles import Puzzle


def count(seq_len):
    return np.arange(seq_len)


PUZZLES = (
    Puzzle(
        name="count",
        answer=count,
        cases=((1,), (4,), (49,), (512,)),
        hints=(
            "A sequence of 4 words has the positions 0, 1, 2, 3: the first is 0, the last is one less than 4.",
            "NumPy has one function that counts: np.arange.",
            "return np.arange(seq_len)",
        ),
        mistakes={
            "you count from 1; here, as in Python, the first position is 0.": lambda n: np.arange(1, n + 1),
            "one position too many: n words have the positions 0 … n − 1.": lambda n: np.arange(n + 1),
            "one position too few: np.arange(n) already leaves n out.": lambda n: np.arange(n - 1),
            "these are fractions of the length (lesson 02); here the positions themselves are asked for.": lambda n: (
                np.arange(n) / n
            ),
        },
    ),
    Puzzle(
        name="twin",
        answer=44,
        why="44 radians are 7 turns and 0.018 of a radian, so position 44 stands almost on position 0.",
        hints=(
            "Set d_model to 2 and seq_len to 64. All points lie on one circle; look at the top, where position 0 is.",
            "Drag query from 1 upwards and watch for the orange ring to come back to the top.",
            "One turn takes 2π ≈ 6.283 positions; 7 turns take 43.98.",
        ),
        mistakes={
            "that is position 0 itself; we look for another one.": 0,
            "one turn is 6.28 positions, so position 6 is near, but not the nearest.": 6,
            "two turns are 12.57 positions, so 13 is near, but not the nearest.": 13,
            "near, but 3.5 turns bring you to the far side; count whole turns.": 22,
            "the last position is not the nearest; look where the ring meets the top again.": 63,
        },
    ),
)
