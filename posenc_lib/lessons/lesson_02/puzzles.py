"""The two puzzles of lesson 02: fractions of a text, and how far apart neighbors are."""

import numpy as np

from posenc_lib.live.puzzles import function_puzzle


# t/L for t = 0 … L − 1;
# the line in the lesson, np.arange(0, 1, 1 / L), is a row too long for some L.
@function_puzzle(
    "For 4 words the fractions are 0, 0.25, 0.5, 0.75. The 1 itself is never reached.",
    "A step of 1 is exact, a step of 1/49 is not. Which np.arange cannot have an entry too many?",
    "First count 0, 1, 2, … in whole numbers; make fractions of them afterward, in the same line.",
    cases=((2,), (4,), (10,), (49,), (98,), (512,)),
    given=lambda n: np.arange(0, 1, 1 / n),
    won="Every length now has just as many fractions as words: t/L for t = 0 … L − 1.",
    mistakes={
        "np.arange rounds 1 ÷ (1/49) up to count its entries, and that is 49.00000000000001.": (
            lambda n: np.arange(0, 1, 1 / n)
        ),
        "one position too many: the last fraction is (L − 1)/L, and never 1.": (
            lambda n: np.arange(n + 1) / n
        ),
        "your last position is 1: you divided by L − 1, as np.linspace does.": (
            lambda n: np.linspace(0, 1, n)
        ),
        "you count from 1; the first position is 0, so the first fraction is 0.": (
            lambda n: np.arange(1, n + 1) / n
        ),
    },
)
def fractions(seq_len):
    return np.arange(seq_len) / seq_len


# How far is each row of pe.normalized(seq_len, d_model) from the next?
@function_puzzle(
    "By how much does a single dim grow from one position to the next? All dims grow by the same.",
    "Each of the d dims grows by 1/L. A distance squares these, adds them up, and takes the root.",
    "So you need the root of d times (1/L)². What comes out of the root, and what stays under it?",
    cases=((4, 1), (10, 4), (50, 4), (49, 64), (512, 128)),
    won="That is the step in all dims together. "
    "For counted positions it is L times as long: 8 in 64 dims.",
    mistakes={
        "1/L is the step of one dim; the distance is taken over all d of them.": lambda n, d: 1 / n,
        "you added up the d steps; a distance adds their squares, then takes the root.": (
            lambda n, d: d / n
        ),
        "that is the squared distance; take its root.": lambda n, d: d / n**2,
        "√d is the distance of two neighboring integers; fractions stand L times as close.": (
            lambda n, d: np.sqrt(d)
        ),
    },
)
def spacing(seq_len, d_model):
    return np.sqrt(d_model) / seq_len
