"""Three tasks that ask for positions, each in another way; texts are random, and the answers follow from them.

A text is a row of symbols; some of its tokens have an answer, which the model gives where it has read that token.
"""

from collections.abc import Callable

import numpy as np

SYMBOLS = 16  # what texts are written in
WRITE, IGNORE, READ = range(SYMBOLS, SYMBOLS + 3)  # what flip-flop says before each symbol
VOCABULARY = SYMBOLS + 3
CHANCES = (0.2, 0.6, 0.2)  # of write, ignore, read
NONE = -1  # the answer of a token that has none

Texts = tuple[np.ndarray, np.ndarray]  # tokens and answers, each of shape (texts, length)


def flip_flop(rng: np.random.Generator, texts: int, length: int, look_back: int = 3) -> Texts:
    """Return texts of pairs, an instruction and a symbol; the answer to a read is what was written last.

    A text begins with a write. After a read the right symbol stands in the text, after an ignore a random one.
    Source: Liu et al. 2023, "Exposing attention glitches with flip-flop language modeling", with 16 symbols for bits.
    """
    pairs = length // 2
    said = rng.choice([WRITE, IGNORE, READ], (texts, pairs), p=CHANCES)
    said[:, 0] = WRITE
    symbols = rng.integers(SYMBOLS, size=(texts, pairs))
    written = np.maximum.accumulate(np.where(said == WRITE, np.arange(pairs), 0), axis=1)
    kept = np.take_along_axis(symbols, written, axis=1)
    tokens = np.stack([said, np.where(said == READ, kept, symbols)], axis=2).reshape(texts, -1)
    answers = np.stack([np.where(said == READ, kept, NONE), np.full_like(kept, NONE)], axis=2).reshape(texts, -1)
    return tokens, answers


def look_back(rng: np.random.Generator, texts: int, length: int, look_back: int = 3) -> Texts:
    """Return texts of random symbols; the answer to each is the one that stands look_back tokens before it."""
    tokens = rng.integers(SYMBOLS, size=(texts, length))
    answers = np.full_like(tokens, NONE)
    answers[:, look_back:] = tokens[:, : length - look_back]
    return tokens, answers


def induction(rng: np.random.Generator, texts: int, length: int, look_back: int = 3) -> Texts:
    """Return texts of random symbols; the answer to each is what followed it when it stood there the last time."""
    tokens = rng.integers(SYMBOLS, size=(texts, length))
    before = np.tri(length, k=-1, dtype=bool) & (tokens[:, :, None] == tokens[:, None])
    last = length - 1 - before[:, :, ::-1].argmax(axis=2)
    following = np.take_along_axis(tokens, np.minimum(last + 1, length - 1), axis=1)
    return tokens, np.where(before.any(axis=2), following, NONE)


TASKS: dict[str, Callable[..., Texts]] = {one.__name__: one for one in (flip_flop, look_back, induction)}
