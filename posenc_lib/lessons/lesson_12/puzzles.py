"""The two puzzles of lesson 12: a table with a swap, and a direction to look."""

import numpy as np

import posenc_lib as pe
from posenc_lib.live.puzzles import function_puzzle


def _by_height(height, width, d_model):
    y, x = np.divmod(np.arange(height * width), height)
    return np.hstack([pe.sinusoidal(at, d_model // 2, layout="concatenated") for at in (y, x)])


# A 2-D sinusoidal table. The given one divides the patch's number by the height.
@function_puzzle(
    "Number the patches of a 3 × 5 picture on paper, row by row. "
    "Which number starts the second row?",
    "Patch 5. So when does the row change: every `height` patches, or every `width`?",
    "np.divmod(number, k) gives number // k and number % k. "
    "That's row and column if k is the number of patches in a row.",
    without=("sinusoidal_2d",),
    cases=((3, 5, 8), (5, 2, 12), (4, 4, 8), (1, 6, 4)),
    given=_by_height,
    won="Swapped height and width are silent, and every square test passes. "
    "Try such code on 3 × 5.",
    mistakes={
        "You put the column first, like MAE. Here, the row comes first.": (
            lambda h, w, d: np.roll(patch_table(h, w, d), d // 2, axis=1)
        ),
        "You added the encodings of row and column. Here, each has its own half of the dims.": (
            lambda h, w, d: sum(pe.sinusoidal(x, d) for x in np.divmod(np.arange(h * w), w))
        ),
        "Your sines and cosines alternate. Here, all sines of a half come first: "
        'layout="concatenated".': lambda h, w, d: np.hstack(
            [pe.sinusoidal(x, d // 2) for x in np.divmod(np.arange(h * w), w)]
        ),
        "You went column by column. Patches are numbered row by row.": (
            lambda h, w, d: patch_table(h, w, d).reshape(h, w, d).swapaxes(0, 1).reshape(h * w, d)
        ),
    },
)
def patch_table(height, width, d_model):
    y, x = np.divmod(np.arange(height * width), width)
    return np.hstack([pe.sinusoidal(at, d_model // 2, layout="concatenated") for at in (y, x)])


# The frequencies (down, right) that give all patches of an anti-diagonal the same score
@function_puzzle(
    "Walk along the anti-diagonal, one down and one to the left. "
    "How far does a pair rotate with each step?",
    "By f_down·1 + f_right·(−1). For the score to stay the same, that must be 0 for each pair.",
    "So f_down = f_right, both positive. The arrow (f_down, f_right) has length θ. Use Pythagoras.",
    cases=((np.array([1.0]),), (np.array([1.0, 0.1, 0.01]),), (np.array([3.0, 0.5]),)),
    won="The best head with 32 of these pairs (base 10) puts 0.98 of its attention there.",
    mistakes={
        "You look along the anti-diagonal. A pair is blind *across* the direction it looks.": (
            lambda t: np.stack([t, -t]) / np.sqrt(2)
        ),
        "You look along the anti-diagonal. A pair is blind *across* the direction it looks. "
        "(And your arrows are too long, by √2.)": (lambda t: np.stack([t, -t])),
        "You look along the anti-diagonal, down to the left. "
        "A pair is blind *across* the direction it looks.": (
            lambda t: np.stack([-t, t]) / np.sqrt(2)
        ),
        "You look straight to the right, which tells the columns apart.": lambda t: np.stack(
            [0 * t, t]
        ),
        "Your arrows point up and to the left. "
        "They're blind in the right direction, but down should be positive.": (
            lambda t: -look_across(t)
        ),
        "The direction is right, but an arrow (θ, θ) has length √2·θ.": (
            lambda t: np.stack([t, t])
        ),
        "The direction is right, but an arrow (θ/2, θ/2) has length θ/√2.": (
            lambda t: np.stack([t, t]) / 2
        ),
        "You look straight down, which tells the rows apart.": (lambda t: np.stack([t, 0 * t])),
    },
)
def look_across(theta):
    return np.stack([theta, theta]) / np.sqrt(2)
