"""The two puzzles of lesson 01: undo a shuffle, and mask weights that weren't masked."""

import numpy as np

from posenc_lib.encodings.attention import softmax
from posenc_lib.live.puzzles import function_puzzle

_ORDERS = ([1, 2, 0], [2, 0, 3, 1], [4, 0, 1, 2, 3], [3, 5, 0, 1, 4, 2], [6, 2, 7, 0, 3, 1, 5, 4])
_RNG = np.random.default_rng(0)
_WEIGHTS = (
    np.array([[0.5, 0.5], [0.2, 0.8]]),
    *(softmax(_RNG.normal(size=(n, n))) for n in (3, 5, 8)),
)


# shuffled = words[order]: which order puts the words back?
@function_puzzle(
    "Shuffle three words by hand with order = [1, 2, 0]. Where in the shuffled sentence is word 0?",
    "Word t ended up wherever order contains the number t. "
    "You want those places for t = 0, 1, 2, …, one after the other.",
    "If you sorted the numbers in order, from which place would each one come? "
    "NumPy has a sorting function that returns places instead of numbers.",
    cases=tuple((np.array(order),) for order in _ORDERS),
    won="Anything you shuffle gets back in order this way: a batch, "
    "or the pairs of dims in lesson 09.",
    mistakes={
        "You returned order itself. That only works if the shuffle was a swap; "
        "say where each word went instead.": (lambda x: x),
        "You sorted the numbers, so you always get 0, 1, 2, …. Return the places they came from.": (
            np.sort
        ),
        "You reversed order. Reversing it doesn't undo it; say where each word went instead.": (
            lambda x: x[::-1]
        ),
        "You had it, then reversed it. Start with the place of word 0.": (
            lambda x: np.argsort(x)[::-1]
        ),
        "You counted the places from the end. Count them from the start.": (
            lambda x: np.argsort(x[::-1])
        ),
        "order[order] shuffles a second time. You want the shuffle that undoes the first one.": (
            lambda x: x[x]
        ),
    },
)
def restore(order):
    return np.argsort(order)


def _without_itself(weights: np.ndarray) -> np.ndarray:
    visible = np.tril(weights, -1)
    with np.errstate(invalid="ignore"):
        return visible / visible.sum(axis=1, keepdims=True)


# The weights without a mask are known: what are they with a causal mask?
@function_puzzle(
    "Under a causal mask, word 0 only sees itself. How much attention does it give itself?",
    "np.tril keeps a matrix's lower triangle, the diagonal included. "
    "After that, what does each row sum to, and what should it sum to?",
    "Softmax divides each e^score by the sum of its row. A mask removes some of them, "
    "and the rest is divided by a smaller sum. So divide each row by what's left of it.",
    cases=tuple((weights,) for weights in _WEIGHTS),
    written=("np.array([[0.5, 0.5], [0.2, 0.8]])",),
    won="You never needed the scores: a mask only redistributes the hidden words' attention "
    "among the visible ones, in proportion.",
    mistakes={
        "You hid the later words, but now the rows don't sum to 1 anymore. "
        "Divide each row by its sum.": np.tril,
        "You kept the upper triangle, so each word sees the words after it. Keep the lower one.": (
            lambda w: np.triu(w) / np.triu(w).sum(axis=1, keepdims=True)
        ),
        "You kept the upper triangle, so each word sees the words after it. "
        "Keep the lower one, then divide each row by its sum.": np.triu,
        "You dropped the diagonal, but each word sees itself. "
        "Keep it, then divide each row by its sum.": lambda w: np.tril(w, -1),
        "You dropped the diagonal, so word 0 sees nothing, and 0 / 0 is nan. "
        "Each word sees itself: keep the diagonal.": _without_itself,
        "You divided by the sum of the whole matrix. Divide each row by its own sum.": (
            lambda w: np.tril(w) / np.tril(w).sum()
        ),
        "You have the right sums, but the later words are still there. "
        "Hide them before you divide.": (lambda w: w / np.tril(w).sum(axis=1, keepdims=True)),
        "You divided each column by its sum. The weights of one word are a row: axis=1.": (
            lambda w: np.tril(w) / np.tril(w).sum(axis=0)
        ),
        "Your sums are right, but they divide the columns. "
        "Add keepdims=True, so that they stay a column and divide the rows.": (
            lambda w: np.tril(w) / np.tril(w).sum(axis=1)
        ),
        "You took a softmax of weights. They've been through one already, and a zero in it "
        "isn't hidden: e⁰ is 1.": lambda w: softmax(np.tril(w)),
        "You put the weights through softmax a second time. They aren't scores: "
        "divide each row by its sum.": (
            lambda w: softmax(np.where(np.tri(len(w), dtype=bool), w, -np.inf))
        ),
        "Your log gives back the scores, but a score of 0 isn't hidden: e⁰ is 1. "
        "Hide them with -np.inf.": lambda w: softmax(np.tril(np.log(w))),
        "You gave all visible words the same weight. Keep their proportions.": (
            lambda w: np.tri(len(w)) / np.arange(1, len(w) + 1)[:, None]
        ),
    },
)
def masked(weights):
    visible = np.tril(weights)
    return visible / visible.sum(axis=1, keepdims=True)
