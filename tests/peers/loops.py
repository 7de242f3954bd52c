"""Rotary embedding in plain loops, shared with nothing in the library; and numbers from a text."""

import numpy as np


def turned(x, cos, sin, pairing):
    """Return x turned pair by pair.

    x is (..., seq_len, head_dim); cos and sin, (..., seq_len, pairs), broadcast to it.
    """
    out, pairs = np.array(x, np.float64), cos.shape[-1]
    for i in range(pairs):
        a, b = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + pairs)
        out[..., a] = x[..., a] * cos[..., i] - x[..., b] * sin[..., i]
        out[..., b] = x[..., a] * sin[..., i] + x[..., b] * cos[..., i]
    return out


def numbers(text):
    """Return rows that a semicolon divides, as an array."""
    return np.array([row.split() for row in text.split(";")], np.float64)
