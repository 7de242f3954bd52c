"""The two puzzles of lesson 12: a table with a swap, and which way to look."""

import numpy as np

import posenc_lib as pe
from posenc_lib.live.puzzles import function_puzzle


def _by_height(height, width, d_model):
    y, x = np.divmod(np.arange(height * width), height)
    return np.hstack([pe.sinusoidal(at, d_model // 2, layout="concatenated") for at in (y, x)])


# A 2-D sinusoidal table; the lesson's divides the patch's number by the height.
@function_puzzle(
    "Number the patches of a 3 × 5 picture on paper, row by row. "
    "Which number begins the second row?",
    "Patch 5. So how often does the row change: "
    "every `height` patches, or every other number of them?",
    "np.divmod(number, k) gives number // k and number % k: "
    "row and column, if k is how many patches a row has.",
    without=("sinusoidal_2d",),
    cases=((3, 5, 8), (5, 2, 12), (4, 4, 8), (1, 6, 4)),
    given=_by_height,
    won="Height and width change places silently, and every square test passes. "
    "So try such code on 3 × 5.",
    mistakes={
        "You put the column into the first half, as MAE does, but the row comes first here.": (
            lambda h, w, d: np.roll(patch_table(h, w, d), d // 2, axis=1)
        ),
        "You added the codes of row and column, but each has its own half of the dims here.": (
            lambda h, w, d: sum(pe.sinusoidal(x, d) for x in np.divmod(np.arange(h * w), w))
        ),
        "Your sines and cosines take turns, but here all sines of a half come first: "
        'layout="concatenated".': lambda h, w, d: np.hstack(
            [pe.sinusoidal(x, d // 2) for x in np.divmod(np.arange(h * w), w)]
        ),
        "You went through the picture column by column, but patches are numbered row by row.": (
            lambda h, w, d: patch_table(h, w, d).reshape(h, w, d).swapaxes(0, 1).reshape(h * w, d)
        ),
    },
)
def patch_table(height, width, d_model):
    y, x = np.divmod(np.arange(height * width), width)
    return np.hstack([pe.sinusoidal(at, d_model // 2, layout="concatenated") for at in (y, x)])


# Which frequencies (down, right) give patches of one anti-diagonal the same score?
@function_puzzle(
    "Walk along the anti-diagonal, one down and one to the left. "
    "By how much does a pair turn with each step?",
    "By f_down·1 + f_right·(−1). If the score is to stay, that must be 0, for every pair.",
    "So f_down = f_right, both positive. "
    "And the arrow (f_down, f_right) has the length θ, so use Pythagoras.",
    cases=((np.array([1.0]),), (np.array([1.0, 0.1, 0.01]),), (np.array([3.0, 0.5]),)),
    won="The best head with 32 such pairs (base 10) puts .98 of its attention there.",
    mistakes={
        "You look along the anti-diagonal, but a pair is blind to what lies "
        "*across* the way it looks.": (lambda t: np.stack([t, -t]) / np.sqrt(2)),
        "You look along the anti-diagonal, but a pair is blind *across* the way it looks "
        "(and θ is too long by √2).": (lambda t: np.stack([t, -t])),
        "You look along the anti-diagonal, to the left and down, "
        "but a pair is blind *across* the way it looks.": (
            lambda t: np.stack([-t, t]) / np.sqrt(2)
        ),
        "You look straight to the right, so the anti-diagonal's patches, "
        "all in other columns, differ.": lambda t: np.stack([0 * t, t]),
        "Your arrows point up and to the left. "
        "They are blind the right way, but down was to be positive.": (lambda t: -look_across(t)),
        "The direction is right, but an arrow (θ, θ) has the length √2·θ.": (
            lambda t: np.stack([t, t])
        ),
        "The direction is right, but an arrow (θ/2, θ/2) has the length θ/√2.": (
            lambda t: np.stack([t, t]) / 2
        ),
        "You look straight down, so the anti-diagonal's patches, all in other rows, differ.": (
            lambda t: np.stack([t, 0 * t])
        ),
    },
)
def look_across(theta):
    return np.stack([theta, theta]) / np.sqrt(2)
