"""Shaw et al.: a learned vector for each clipped offset, for keys and for values."""

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Relative
from posenc_lib.encodings.offsets import fitting_qk, read, relative_offsets
from posenc_lib.encodings.parameter import CONTENT, SEED, Parameter, even_of, seq_len_of


@validate.checked(validate.scores_of)
def shaw_scores(
    q: npt.ArrayLike, k: npt.ArrayLike, table: npt.ArrayLike
) -> npt.NDArray[np.float64]:
    """Return q_i · (k_j + a_c), where c is the offset j − i, clipped to the rows of the table.

    `attention(q, k, v, scores=shaw_scores(q, k, table))` divides these scores by √d. Hugging Face's
    BERT used query − key (its "relative_key", up to version 4), which flips the table.

    >>> shaw_scores(np.ones((3, 1)), np.zeros((3, 1)), [[-1.0], [0.0], [1.0]])
    array([[ 0.,  1.,  1.],
           [-1.,  0.,  1.],
           [-1., -1.,  0.]])

    Args: table, shape (2c + 1, d), has one vector per offset −c … c.
    Returns: float64 array of shape (..., q_len, k_len).
    Source: Shaw et al. 2018, eq. 4 without its √d, and section 3.2 for clipping.
    """
    q, k = fitting_qk(q, k)
    clip = _clip(table)
    if table.shape[1] != q.shape[-1]:
        raise ValueError(
            f"table must have the same number of dims as q, {q.shape[-1]}, got {table.shape[1]}"
        )
    rows = clipped(relative_offsets(q.shape[-2], k.shape[-2]), clip)
    return q @ np.swapaxes(k, -1, -2) + read(q @ table.T, rows)


def clipped(offsets: np.ndarray, clip: int) -> np.ndarray:
    """Return the row each offset reads, out of 2·clip + 1. Distant ones share the first or last."""
    return np.clip(offsets, -clip, clip) + clip


def _clip(table: np.ndarray) -> int:
    if len(table) % 2 == 0:
        raise ValueError(
            f"table must have an odd number of rows, one per offset −c … c, got {len(table)}"
        )
    return len(table) // 2


class Shaw(Relative):
    """A vector for each clipped offset, from an untrained table."""

    name, title = "shaw", "Shaw"
    lesson = 7
    clip_of = Parameter("clip", "offsets beyond ± this share a row", 8, 0, 64)
    parameters = (seq_len_of(32), even_of(64, "head_dim"), clip_of, CONTENT, SEED)
    unused_in = {
        "clip": ("attention_weights", "outputs"),  # three tokens are too close to be clipped
        "head_dim": ("best_head",),  # it learns one score per row
    }
    views = ("bucket_by_offset", "score_by_offset")
    continuous = False

    def scores(self, q, k):
        drawn = np.random.default_rng([1, self.seed]).normal(size=(2 * self.clip + 1, q.shape[-1]))
        # from offset 0 outward, 0, −1, 1, …, so an offset keeps its vector at any clip
        outwards = [(n + 1) // 2 * (-1) ** n for n in range(len(drawn))]
        return shaw_scores(q, k, drawn[np.argsort(outwards)])

    def buckets(self, offsets):
        return clipped(offsets, self.clip)
