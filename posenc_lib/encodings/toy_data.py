"""Made-up tokens to test an encoding on: vectors, queries and keys."""

import math

import numpy as np

from posenc_lib.encodings.validate import choice, fit_memory

DRAWN = 44  # seed of a query and a key whose first two dims make a clear picture


def tokens(number: int, dim: int) -> np.ndarray:
    """Return made-up token vectors, always the same, shape (number, dim), with variance 1."""
    fit_memory(number * dim, seq_len=number, dims=dim)
    return np.random.default_rng(0).normal(size=(number, dim))


def embedded(number: int, dim: int, embed_scale: float) -> np.ndarray:
    """Return made-up tokens with mean length embed_scale, shape (number, dim)."""
    return embed_scale / np.sqrt(dim) * tokens(number, dim)


def queries_keys_values(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return tokens times made-up W_q, W_k and W_v that preserve variance, each shaped like x."""
    dim = x.shape[1]
    fit_memory(3 * dim**2, dims=dim)
    projections = np.random.default_rng(1).normal(size=(3, dim, dim)) / math.sqrt(dim)
    return tuple(x @ w for w in projections)


def query_and_key(head_dim: int, content: str, seed: int | None = None) -> np.ndarray:
    """Return one query and one key, shape (2, head_dim): all ones, or random with a seed."""
    choice("content", content, ("ones", "random"))
    fit_memory(2 * head_dim, head_dim=head_dim)
    drawn = np.random.default_rng(DRAWN if seed is None else seed).normal(size=(2, head_dim))
    return np.ones((2, head_dim)) if content == "ones" else drawn
