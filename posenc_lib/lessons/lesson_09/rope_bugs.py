"""Four bugs of real RoPE code: each takes an encoding, queries and keys, and turns them wrong."""

import numpy as np

from posenc_lib.encodings.base import Rotary
from posenc_lib.encodings.precision import bfloat16

START = 1000  # where the sequence begins that a narrow table gets wrong
OTHER_BASE = 500_000.0  # of the model whose table was made first


def _both(encoding: Rotary, q, k, positions) -> tuple[np.ndarray, np.ndarray]:
    return encoding.rotate(q, positions), encoding.rotate(k, positions)


def restarted(encoding: Rotary, q, k) -> tuple[np.ndarray, np.ndarray]:
    """Turn the second half of a sequence as if it began anew.

    With a KV cache, new tokens must go on counting.
    """
    half = (len(q) + 1) // 2
    positions = np.concatenate([np.arange(half), np.arange(len(q) - half)])
    return _both(encoding, q, k, positions)


def rounded(encoding: Rotary, q, k) -> tuple[np.ndarray, np.ndarray]:
    """Turn by positions held in bfloat16, from 1000 on: neighbors become the same position."""
    return _both(encoding, q, k, bfloat16(START + np.arange(len(q))))


def another_base(encoding: Rotary, q, k) -> tuple[np.ndarray, np.ndarray]:
    """Turn by a table that a model with base 500 000 left in a cache whose key forgets the base."""
    return _both(encoding.at(base=OTHER_BASE), q, k, np.arange(len(q)))


def unsliced(encoding: Rotary, q, k) -> tuple[np.ndarray, np.ndarray]:
    """Turn one query by a table of 2·max_len rows without slicing.

    Broadcasting makes a query for every row.
    """
    rows = 2 * len(q)
    return encoding.rotate(np.tile(q[:1], (rows, 1)), rows), encoding.rotate(k, len(k))


BUGS = {"restart": restarted, "bfloat16": rounded, "base": another_base, "slice": unsliced}
