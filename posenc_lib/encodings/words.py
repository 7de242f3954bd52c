"""Words to try an encoding on: made-up vectors, the orders of a sentence, and what is left of a word."""

import math

import numpy as np

SENTENCE = ("dog", "bites", "man", "today")
TRIED = 256  # words of which a mean is taken


def vectors(number: int, dim: int) -> np.ndarray:
    """Return made-up word vectors: independent entries of variance 1, always the same; shape (number, dim)."""
    return np.random.default_rng(0).normal(size=(number, dim))


def projections(dim: int) -> np.ndarray:
    """Return made-up matrices W_q, W_k and W_v that keep the variance; shape (3, dim, dim)."""
    return np.random.default_rng(1).normal(size=(3, dim, dim)) / math.sqrt(dim)


def attending(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the queries, keys and values that the made-up matrices make of some words, each of the shape of x."""
    return tuple(x @ w for w in projections(x.shape[1]))


def order(number: int, length: int) -> list[int]:
    """Return one of the length! orders of the words 0 … length − 1, counted as in a dictionary.

    Number 0 leaves them as they are, the last one turns them round.
    """
    left, chosen = list(range(length)), []
    for k in range(length - 1, -1, -1):
        index, number = divmod(number, math.factorial(k))
        chosen.append(left.pop(index))
    return chosen


def cosines(table: np.ndarray, embed_scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Return how much of a word is left when it is scaled and a position is added.

    Args:
        table: what is added, shape (seq_len, d).
        embed_scale: what each word, of mean square length 1, is multiplied by.

    Returns:
        two arrays of shape (seq_len,), each a mean over 256 words: the cosine of a word with itself plus the
        position, and the cosine of two different words that stand at that same position.
    """
    words = embed_scale / math.sqrt(table.shape[1]) * vectors(TRIED, table.shape[1])
    p = np.einsum("td,td->t", table, table)  # |p|² at each position
    wp = words @ table.T  # w·p, shape (TRIED, seq_len)
    ww = np.einsum("wd,wd->w", words, words)[:, None]
    length = np.sqrt(np.maximum(ww + 2 * wp + p, 1e-300))  # |w + p|
    same = (ww + wp) / np.sqrt(ww) / length
    other = np.roll(wp, 1, axis=0)
    between = np.einsum("wd,wd->w", words, np.roll(words, 1, axis=0))[:, None]
    different = (between + wp + other + p) / length / np.roll(length, 1, axis=0)
    return same.mean(axis=0), different.mean(axis=0)
