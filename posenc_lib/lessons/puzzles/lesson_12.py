"""The four puzzles of lesson 12: a table with a swap, whose a pair is, what a picture costs, and which way to look."""

import numpy as np

import posenc_lib as pe
from posenc_lib.lessons.puzzles.engine import function_puzzle, value_puzzle


@function_puzzle(
    "Number the patches of a 3 × 5 picture on paper, row by row. Which number begins the second row?",
    "Patch 5. So how often does the row change: every `height` patches, or every other number of them?",
    "np.divmod(number, k) gives number // k and number % k: row and column, if k is how many patches a row has.",
    without=("sinusoidal_2d",),
    cases=((3, 5, 8), (5, 2, 12), (4, 4, 8), (1, 6, 4)),
    won="Height and width change places silently, and every square test passes: try such code on 3 × 5.",
    mistakes={
        "the column stands in the first half here, as in MAE; asked for is the row first.": (
            lambda h, w, d: np.roll(patch_table(h, w, d), d // 2, axis=1)
        ),
        "that goes through the picture column by column; patches are numbered row by row.": (
            lambda h, w, d: patch_table(h, w, d).reshape(h, w, d).swapaxes(0, 1).reshape(h * w, d)
        ),
    },
)
def patch_table(height, width, d_model):
    y, x = np.divmod(np.arange(height * width), width)
    return np.hstack([pe.sinusoidal(at, d_model // 2, layout="concatenated") for at in (y, x)])


@function_puzzle(
    "pair % 3 has the turns: 0, 1, 2, 0, 1, 2, … How many turns has the row, and which is its last pair?",
    "An axis with n pairs has its last one below 3·n. What is beyond, time keeps.",
    "np.where(condition, pair % 3, 0), where the condition compares pair with 3·sections[pair % 3], axis by axis.",
    without=("axis_of_pair",),
    cases=(((24, 20, 20),), ((11, 11, 10),), ((24, 12, 12),), ((2, 1, 1),)),
    won="With [24, 20, 20] pairs 60 to 63 are time's: the slowest four of 64 do not take turns any more.",
    mistakes={
        "these are chunks, as in Qwen2-VL; here axes take turns.": lambda s: np.repeat([0, 1, 2], s),
        "the turns go on to the end, so row or column get more than their section.": lambda s: np.arange(sum(s)) % 3,
        "time has 0, the row 1, the column 2; here all count from 1.": lambda s: whose(s) + 1,
    },
)
def whose(sections):
    pair = np.arange(sum(sections))
    return np.where(pair < 3 * np.take(sections, pair % 3), pair % 3, 0)


value_puzzle(
    "positions_used",
    14,
    "At which position does the picture begin? And does a patch have one number, or three?",
    "Its time stands still. Its rows count on, and so do its columns: which of the two gets farther?",
    "The words go on after the largest number the picture has used: 5, and the longer side, and 3.",
    why="the first words take 0 to 4, the picture 5 to 10, for its longer side is 6, and the last words 11, 12 and 13.",
    won="32 tokens take 14 numbers. A model with 32 768 positions has room for more pictures than one would think.",
    mistakes={
        "that counts every patch: so many tokens it is, but a picture's patches share numbers.": 32,
        "that takes the shorter side: the words behind the picture would stand beside its last rows.": 12,
        "rows and columns count at the same time, not one after the other.": 18,
        "so the picture takes one position: its time does, but rows and columns count on.": 9,
        "the last one is position 13; but counting began at 0.": 13,
    },
)


@function_puzzle(
    "Walk along the anti-diagonal: one down, one to the left. By how much does a pair turn with each step?",
    "By f_down·1 + f_right·(−1). If the score is to stay, that must be 0, for every pair.",
    "So f_down = f_right, both positive; and the arrow (f_down, f_right) has the length θ. Then Pythagoras.",
    cases=((np.array([1.0]),), (np.array([1.0, 0.1, 0.01]),), (np.array([3.0, 0.5]),)),
    won="The best head with 32 such pairs (base 10) puts .98 of its attention there.",
    mistakes={
        "that is along the anti-diagonal; a pair is blind *across* it.": lambda t: np.stack([t, -t]) / np.sqrt(2),
        "the right direction, but an arrow (θ, θ) has the length √2·θ.": lambda t: np.stack([t, t]),
        "the right direction, but an arrow (θ/2, θ/2) has the length θ/√2.": lambda t: np.stack([t, t]) / 2,
    },
)
def look_across(theta):
    return np.stack([theta, theta]) / np.sqrt(2)
