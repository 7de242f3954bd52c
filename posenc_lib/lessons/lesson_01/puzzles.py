"""The two puzzles of lesson 01: what undoes a shuffle, and how long a word is beside a position."""

import numpy as np

from posenc_lib.live.puzzles import function_puzzle

_ORDERS = ([1, 2, 0], [2, 0, 3, 1], [4, 0, 1, 2, 3], [3, 5, 0, 1, 4, 2], [6, 2, 7, 0, 3, 1, 5, 4])


# shuffled = words[order]: which order puts the words back?
@function_puzzle(
    "Shuffle three words by hand with order = [1, 2, 0]. "
    "At which place of the shuffled sentence is word 0?",
    "Word t now stands where order holds the number t. "
    "You want these places in turn, for t = 0, 1, 2, …",
    "So you ask at which places the numbers of order stand, from the smallest on. "
    "NumPy answers with one of its functions for sorting: one that returns places, not numbers.",
    cases=tuple((np.array(order),) for order in _ORDERS),
    won="That is how anything shuffled, a batch or the pairs of dims in lesson 09, "
    "gets back into its order.",
    mistakes={
        "that is order itself; shuffling twice undoes only swaps. "
        "Say for each word where it went.": (lambda x: x),
        "you sorted the numbers; you want the places at which they stand.": np.sort,
        "you turned order back to front; what has to be undone is where each word went.": (
            lambda x: x[::-1]
        ),
        "order[order] is what two shuffles do, one after the other; you want what undoes one.": (
            lambda x: x[x]
        ),
    },
)
def restore(order):
    return np.argsort(order)


# By which M must words of length 1 be multiplied
# to be `ratio` times as long as a sinusoidal position?
@function_puzzle(
    "How long is a sinusoidal position vector? "
    "Its length is the root of the sum of all its squared numbers.",
    "Each pair adds sin² + cos² = 1 to that sum, and there are d/2 pairs: "
    "the position is √(d/2) long.",
    "The word was 1 long, so it is M long afterward. "
    "How many times the length of the position shall that be?",
    cases=((2, 3), (8, 2), (64, 0.5), (128, 1.5), (512, 4)),
    won="The paper's M = √d is the ratio √2, for every number of dims.",
    mistakes={
        "the 2 is missing: sin² + cos² = 1 for each pair, and there are only d/2 pairs.": (
            lambda d, r: r * np.sqrt(d)
        ),
        "the root is missing: d/2 is the squared length of the position.": lambda d, r: r * d / 2,
        "the ratio is upside down: so the position is the longer one.": (
            lambda d, r: np.sqrt(d / 2) / r
        ),
        "√d is what the paper takes, whatever the ratio; here the ratio is given.": (
            lambda d, r: np.sqrt(d)
        ),
    },
)
def embed_scale(d_model, ratio):
    return ratio * np.sqrt(d_model / 2)
