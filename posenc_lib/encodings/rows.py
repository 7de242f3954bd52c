"""The rows that the catalog's encodings give their views: what stands at each position."""

from collections.abc import Callable
from functools import partial

import numpy as np

from posenc_lib.encodings import absolute, counting, rotary, validate
from posenc_lib.encodings.frequencies import inv_freq
from posenc_lib.encodings.pairing import pairing_permutation


def same(function: Callable) -> Callable:
    """Make the rows of an additive encoding: one table, read by queries and keys alike."""

    def rows(positions, seq_len, d_model, **rest):
        table = function(positions, d_model, **rest)
        return table, table

    return rows


def normalized(positions, seq_len: int, d_model: int, *, endpoint: bool):
    """Return the rows of fractions; positions given one by one are those of a text of this length."""
    if isinstance(positions, np.ndarray):
        table = counting.integer(positions, d_model) / (seq_len - endpoint)
    else:
        table = counting.normalized(positions, d_model, endpoint=endpoint)
    return table, table


def learned(positions, seq_len: int, d_model: int, *, num_positions: int | None, seed: int):
    """Return the rows of a table as it is before training."""
    table = absolute.learned(num_positions or seq_len, d_model, rng=np.random.default_rng(seed))
    table = table[positions] if isinstance(positions, np.ndarray) else table[:positions]
    return table, table


def turned(positions, seq_len: int, head_dim: int, *, content: str, base: float, pairing: str):
    """Return one query and one key, turned at every position."""
    head_dim = validate.whole("head_dim", head_dim, low=2, even=True)
    positions = validate.count_or_positions(positions, 2 * head_dim)
    turn = partial(rotary.rope, positions=positions, base=base, pairing=pairing)
    return tuple(turn(np.broadcast_to(x, (positions.size, head_dim))) for x in query_and_key(head_dim, content))


def query_and_key(head_dim: int, content: str) -> np.ndarray:
    """Return one query and one key, shape (2, head_dim): all ones, or drawn at random, always the same."""
    validate.choice("content", content, ("ones", "random"))
    drawn = np.random.default_rng(44).normal(size=(2, head_dim))  # a seed whose first two dims make a clear picture
    return np.ones((2, head_dim)) if content == "ones" else drawn


def sine_waves(d_model: int, base, **rest):
    """Return the frequencies of sines alone, one per dim."""
    return absolute.sine_frequencies(d_model, base)


def pairs(base, d_model: int = 0, head_dim: int = 0, **rest):
    """Return the frequencies of pairs of dims."""
    return inv_freq(d_model or head_dim, base)


def shift(offset, d_model: int, base: float, *, layout: str, **rest):
    """Return the matrix that moves a sinusoidal row by an offset, whatever the layout."""
    matrix = absolute.shift_matrix(offset, d_model, base)
    return matrix if layout == "interleaved" else _in_halves(matrix)


def turn(offset, head_dim: int, base: float, *, pairing: str, **rest):
    """Return the matrix that turns a query or a key by an offset, whatever the pairing."""
    matrix = rotary.rope_matrix(offset, head_dim, base)
    return matrix if pairing == "interleaved" else _in_halves(matrix)


def _in_halves(matrix: np.ndarray) -> np.ndarray:
    """Return the matrix for rows whose first halves of all pairs come first."""
    order = pairing_permutation(len(matrix))
    return matrix[order][:, order]
