"""The two puzzles of lesson 02: how loud a word has to be, and how far apart neighbors are."""

import numpy as np

from posenc_lib.live.puzzles import function_puzzle


# By which M must words of length 1 be multiplied
# to be `ratio` times as long as a sinusoidal position?
@function_puzzle(
    "How long is a sinusoidal position vector? Section 3 says it: "
    "each pair of dims adds sin² + cos² = 1 to the squared length.",
    "With d/2 pairs, the position is √(d/2) long.",
    "The word was 1 long and is M long now. How many times as long as the position should it be?",
    cases=((2, 3), (8, 2), (64, 0.5), (128, 1.5), (512, 4)),
    won="With the paper's M = √d, words are √2 times as long as positions, whatever d is.",
    mistakes={
        "You left out the 2. There are only d/2 pairs, and each adds 1 to the squared length.": (
            lambda d, r: r * np.sqrt(d)
        ),
        "You left out the square root. d/2 is the squared length of the position.": (
            lambda d, r: r * d / 2
        ),
        "Your ratio is upside down: it makes the position longer. Multiply by it instead.": (
            lambda d, r: np.sqrt(d / 2) / r
        ),
        "You divided by the length of the position. Words have to be `ratio` times that long.": (
            lambda d, r: r / np.sqrt(d / 2)
        ),
        "You divided √d by the ratio. Multiply instead, and only d/2 pairs count.": (
            lambda d, r: np.sqrt(d) / r
        ),
        "√d is what the paper takes, whatever the ratio. Use the ratio you're given.": (
            lambda d, r: np.sqrt(d)
        ),
        "That makes word and position equally long. Multiply by ratio as well.": (
            lambda d, r: np.sqrt(d / 2)
        ),
        "You put the ratio under the root. Take the root of d/2, then multiply.": (
            lambda d, r: np.sqrt(r * d / 2)
        ),
    },
)
def embed_scale(d_model, ratio):
    return ratio * np.sqrt(d_model / 2)


# How far is each row of pe.normalized(seq_len, d_model) from the next?
@function_puzzle(
    "How much does a single dim grow from one position to the next? All dims grow by the same.",
    "Each of the d dims grows by 1/L. For the distance, square these, add them up, take the root.",
    "That's the root of d times (1/L)². What can you take out of the root, and what has to stay?",
    cases=((4, 1), (10, 4), (50, 4), (49, 64), (512, 128)),
    won="That's one step in all dims together. "
    "Counting takes steps L times as long, 8 with 64 dims.",
    mistakes={
        "1/L is the step in one dim. The distance takes all d of them together.": lambda n, d: (
            1 / n
        ),
        "You added up the d steps. Add up their squares, then take the root.": lambda n, d: d / n,
        "You have the squared distance. Take its root.": lambda n, d: d / n**2,
        "√d is the step between integers. Fractions are L times as close.": (
            lambda n, d: np.sqrt(d)
        ),
        "You left L under the root. The root of 1/L² is 1/L.": lambda n, d: np.sqrt(d / n),
        "You returned every step. All steps are equally long, and one number is enough.": (
            lambda n, d: np.full(n - 1, np.sqrt(d) / n)
        ),
        "You returned a row for every step. Take the length of a single one.": (
            lambda n, d: np.full((n - 1, d), 1 / n)
        ),
        "You divided by √d. More dims make the distance longer, not shorter.": (
            lambda n, d: 1 / (np.sqrt(d) * n)
        ),
        "You divided by L − 1, but pe.normalized divides by L.": (
            lambda n, d: np.sqrt(d) / (n - 1)
        ),
    },
)
def spacing(seq_len, d_model):
    return np.sqrt(d_model) / seq_len
