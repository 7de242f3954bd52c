"""Four bugs of real RoPE code: each takes queries and keys and turns them wrong, in its own way.

Base and pairing are those of the right code: nothing else is wrong.
"""

import numpy as np

from posenc_lib.encodings.precision import bfloat16
from posenc_lib.encodings.rope import rope

START = 1000  # where the text begins that a narrow table gets wrong
OTHER_BASE = 500_000.0  # of the model whose table was made first


def _both(q, k, positions, base: float, pairing: str) -> tuple[np.ndarray, np.ndarray]:
    return tuple(rope(x, positions, base=base, pairing=pairing) for x in (q, k))


def restarted(q, k, base: float, pairing: str) -> tuple[np.ndarray, np.ndarray]:
    """Turn the second half of a text as if it began anew: with a KV cache, new words must go on counting."""
    half = (len(q) + 1) // 2
    return _both(q, k, np.concatenate([np.arange(half), np.arange(len(q) - half)]), base, pairing)


def rounded(q, k, base: float, pairing: str) -> tuple[np.ndarray, np.ndarray]:
    """Turn by positions held in bfloat16, from position 1000 on: neighbours become the same position."""
    return _both(q, k, bfloat16(START + np.arange(len(q))), base, pairing)


def another_base(q, k, base: float, pairing: str) -> tuple[np.ndarray, np.ndarray]:
    """Turn by a table that a model with base 500 000 left in a cache whose key forgets the base."""
    return _both(q, k, np.arange(len(q)), OTHER_BASE, pairing)


def unsliced(q, k, base: float, pairing: str) -> tuple[np.ndarray, np.ndarray]:
    """Turn one query by a table of 2·max_len rows without slicing: broadcasting makes a query for every row."""
    rows = 2 * len(q)
    many = rope(np.tile(q[:1], (rows, 1)), rows, base=base, pairing=pairing)
    return many, rope(k, base=base, pairing=pairing)


BUGS = {
    "restart": restarted,
    "bfloat16": rounded,
    "base": another_base,
    "slice": unsliced,
}
