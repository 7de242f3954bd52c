"""Four tasks that need positions, each in a different way.

A text is a row of tokens. Some of them have an answer, which the model gives right after reading
them. Texts are random, and the answers follow from the text.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

SYMBOLS = 16  # what texts are written in
WRITE, IGNORE, READ = range(SYMBOLS, SYMBOLS + 3)  # what flip-flop says before each symbol
VOCABULARY = SYMBOLS + 3
CHANCES = (0.2, 0.6, 0.2)  # of write, ignore, read
NONE = -1  # the answer of a token without one


class Texts(NamedTuple):
    """Texts of a task; each array has shape (texts, length)."""

    tokens: np.ndarray
    answers: np.ndarray
    places: np.ndarray  # where the answer was last in the text


def flip_flop(rng: np.random.Generator, texts: int, length: int, look_back: int = 3) -> Texts:
    """Return pairs of an instruction and a symbol, starting with a write.

    The answer to a read is the last symbol written. In the text, a read is followed by that symbol,
    and an ignore by a random one.
    Source: Liu et al. 2023, "Exposing attention glitches with flip-flop language modeling", with 16
        symbols instead of bits.
    """
    said = rng.choice([WRITE, IGNORE, READ], (texts, length // 2), p=CHANCES)
    said[:, 0] = WRITE
    symbols = rng.integers(SYMBOLS, size=said.shape)
    memory = np.take_along_axis(symbols, _last(said == WRITE), axis=1)
    tokens = np.stack([said, np.where(said == READ, memory, symbols)], axis=2)
    answers = np.stack([np.where(said == READ, memory, NONE), np.full_like(memory, NONE)], axis=2)
    # the last pair before this one with the symbol in it
    told = np.roll(_last(said != IGNORE), 1, axis=1)
    places = np.repeat(2 * told + 1, 2, axis=1)
    return Texts(tokens.reshape(texts, -1), answers.reshape(texts, -1), places)


def look_back(rng: np.random.Generator, texts: int, length: int, look_back: int = 3) -> Texts:
    """Return random symbols. The answer to each is the one look_back tokens before it."""
    tokens = rng.integers(SYMBOLS, size=(texts, length))
    answers = np.full_like(tokens, NONE)
    answers[:, look_back:] = tokens[:, : length - look_back]
    return Texts(tokens, answers, np.broadcast_to(np.arange(length) - look_back, tokens.shape))


def induction(rng: np.random.Generator, texts: int, length: int, look_back: int = 3) -> Texts:
    """Return random symbols. The answer to each is what followed it the last time."""
    tokens = rng.integers(SYMBOLS, size=(texts, length))
    before = np.tri(length, k=-1, dtype=bool) & (tokens[:, :, None] == tokens[:, None])
    places = np.minimum(length - before[:, :, ::-1].argmax(axis=2), length - 1)
    answers = np.take_along_axis(tokens, places, axis=1)
    return Texts(tokens, np.where(before.any(axis=2), answers, NONE), places)


def recall(rng: np.random.Generator, texts: int, length: int, look_back: int = 3) -> Texts:
    """Return a write, a symbol, and then random symbols and reads, one in five.

    The answer to a read is the first symbol.
    """
    tokens = rng.integers(SYMBOLS, size=(texts, length))
    reads = rng.random((texts, length)) < CHANCES[-1]
    reads[:, :2] = False
    tokens[reads], tokens[:, 0] = READ, WRITE
    return Texts(tokens, np.where(reads, tokens[:, 1:2], NONE), np.ones_like(tokens))


def two_kinds(rng: np.random.Generator, texts: int, length: int, look_back: int = 3) -> Texts:
    """Return random symbols of two kinds.

    The answer to one of the first eight is the token just before it. The answer to any other is
    the one look_back tokens before.
    """
    tokens = rng.integers(SYMBOLS, size=(texts, length))
    back = np.where(tokens < SYMBOLS // 2, 1, look_back)
    places = np.arange(length) - back
    answers = np.take_along_axis(tokens, np.maximum(places, 0), axis=1)
    return Texts(tokens, np.where(places < 0, NONE, answers), places)


def _last(there: np.ndarray) -> np.ndarray:
    """Return, for each column of each row, the last column so far that is true, or 0."""
    return np.maximum.accumulate(np.where(there, np.arange(there.shape[1]), 0), axis=1)


TASKS: dict[str, Callable[..., Texts]] = {
    one.__name__: one for one in (flip_flop, look_back, induction, recall, two_kinds)
}
