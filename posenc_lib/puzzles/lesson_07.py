"""The three puzzles of lesson 07."""

import numpy as np

from posenc_lib.encodings.t5 import t5_bucket
from posenc_lib.puzzles.engine import Puzzle


def offsets(q_len, k_len):
    query = np.arange(k_len - q_len, k_len)
    return np.arange(k_len) - query[:, None]


OFFSETS = Puzzle(
    answer=offsets,
    cases=((1, 1), (2, 2), (2, 5), (1, 7), (4, 16)),
    hints=(
        "Where do the queries stand? The last one at k_len − 1, so the first one at k_len − q_len.",
        "A row of shape (k_len,) minus a column of shape (q_len, 1) gives a table of shape (q_len, k_len).",
        "With query = np.arange(k_len - q_len, k_len): offset = np.arange(k_len) - query[:, None].",
    ),
    mistakes={
        "the first query stands at position 0 here; it is the last that stands at the last key.": (
            lambda q, k: np.arange(k) - np.arange(q)[:, None]
        ),
        "query − key: the sign is turned round. Keys after the query have positive offsets.": (
            lambda q, k: -offsets(q, k)
        ),
        "this is the distance; the offset keeps the sign.": lambda q, k: np.abs(offsets(q, k)),
        "rows and columns are exchanged: a row belongs to a query.": lambda q, k: offsets(q, k).T,
        "one too many: a word's own offset is 0.": lambda q, k: offsets(q, k) + 1,
        "one too few: a word's own offset is 0.": lambda q, k: offsets(q, k) - 1,
    },
)


BUCKET = Puzzle(
    called="bucket",
    answer=int(t5_bucket(-50)),
    why="16 buckets look back; distances below 8 have their own, and 8 + ⌊8 · log(50/8) / log(128/8)⌋ = 8 + 5.",
    hints=(
        "32 buckets, half for each direction: 16 look back. Half of those, 8, are exact.",
        "50 is beyond the exact ones: 8 + ⌊8 · log(50/8) / log(128/8)⌋.",
        "log(50/8) / log(16) is about 0.661.",
    ),
    mistakes={
        "this is the bucket of +50: keys before the query take the first half.": t5_bucket(50),
        "this is the bucket if all 32 look back; here half of them look ahead.": t5_bucket(-50, bidirectional=False),
        "the last bucket is for distances near 128 and beyond.": 15,
        "cut off what follows the point: the brackets ⌊ ⌋ mean the whole part.": 8 + 8 * np.log(50 / 8) / np.log(16),
        "rounded up; the bucket is the whole part.": 14,
        "5 is the step within the logarithmic part; the 8 exact buckets come before it.": 5,
        "50 has no bucket of its own: there are only 16 for the past.": 50,
    },
)


def _grid(q_len: int, k_len: int) -> np.ndarray:
    return np.arange(1.0, q_len * k_len + 1).reshape(q_len, k_len)


def _dropped(x: np.ndarray, number: int) -> np.ndarray:
    """Return `rel_shift` of x with another number of entries dropped at the front."""
    return np.pad(x, [(0, 0), (1, 0)]).ravel()[number:][: x.size].reshape(x.shape)


def rel_shift(x):
    q_len, k_len = x.shape
    padded = np.concatenate([np.zeros((q_len, 1)), x], axis=1)
    return padded.ravel()[q_len:].reshape(q_len, k_len)


REL_SHIFT = Puzzle(
    answer=rel_shift,
    cases=((_grid(2, 2),), (_grid(3, 3),), (_grid(2, 4),), (_grid(5, 8),), (_grid(4, 4)[::-1],)),
    hints=(
        "A column of zeros on the left makes every row one longer.",
        "Read row after row as one long line and drop its first q_len numbers.",
        "np.concatenate([np.zeros((q_len, 1)), x], axis=1).ravel()[q_len:].reshape(q_len, k_len)",
    ),
    mistakes={
        "you dropped nothing at the front: the first q_len numbers of the line must go.": lambda x: _dropped(x, 0),
        "the zeros stand on the right; they belong on the left.": (
            lambda x: np.pad(x, [(0, 0), (0, 1)]).ravel()[len(x) :].reshape(x.shape)
        ),
        "you dropped one number; as many as there are rows must go.": lambda x: _dropped(x, 1),
        "each row moved by itself and filled with zeros: true, and slower. The trick leaves garbage instead.": (
            lambda x: np.tril(rel_shift(x), x.shape[1] - len(x))
        ),
        "x came back unchanged.": lambda x: x,
    },
)
