"""Four bugs from real RoPE code. Each takes an encoding, queries, and keys."""

import numpy as np

from posenc_lib.encodings.base import Rotary
from posenc_lib.encodings.precision import bfloat16

START = 1000  # where the text starts that bfloat16 gets wrong
OTHER_BASE = 500_000.0  # of the model that was there first


def _both(encoding: Rotary, q, k, positions) -> tuple[np.ndarray, np.ndarray]:
    return encoding.rotate(q, positions), encoding.rotate(k, positions)


def restarted(encoding: Rotary, q, k) -> tuple[np.ndarray, np.ndarray]:
    """Restart positions at 0 in the second half, as if nothing were in the cache."""
    half = (len(q) + 1) // 2
    positions = np.concatenate([np.arange(half), np.arange(len(q) - half)])
    return _both(encoding, q, k, positions)


def rounded(encoding: Rotary, q, k) -> tuple[np.ndarray, np.ndarray]:
    """Round positions from 1000 on to bfloat16, which gives neighbors the same position."""
    return _both(encoding, q, k, bfloat16(START + np.arange(len(q))))


def another_base(encoding: Rotary, q, k) -> tuple[np.ndarray, np.ndarray]:
    """Use a cached table of a model with base 500,000, because the key has no base in it."""
    return _both(encoding.at(base=OTHER_BASE), q, k, np.arange(len(q)))


def unsliced(encoding: Rotary, q, k) -> tuple[np.ndarray, np.ndarray]:
    """Rotate one query by a table of 2·max_len rows, which broadcasts to a query for each row."""
    rows = 2 * len(q)
    return encoding.rotate(np.tile(q[:1], (rows, 1)), rows), encoding.rotate(k, len(k))


BUGS = {"restart": restarted, "bfloat16": rounded, "base": another_base, "slice": unsliced}
