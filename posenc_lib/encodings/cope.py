"""CoPE: positions are counted, and the query decides how much each key counts."""

import numpy as np

from posenc_lib.encodings.base import Relative
from posenc_lib.encodings.offsets import relative_offsets
from posenc_lib.encodings.parameter import CONTENT, SEED, Parameter, even_of, seq_len_of


def counted_scores(q: np.ndarray, k: np.ndarray, pos_emb: np.ndarray) -> np.ndarray:
    """Return q_i · (k_j + e[p_ij]), where p_ij counts the keys from j to i.

    p_ij = Σ_{j ≤ m ≤ i} sigmoid(q_i · k_m/√d). Between two integer positions
    q·e is interpolated. Counts beyond the last column use the last one. Later keys are at 0.

    >>> q, k = np.ones((3, 1)), np.array([[20.0], [-20.0], [20.0]])  # the second key is not counted
    >>> np.tril(counted_scores(q, k, np.array([[0.0, 5.0, 7.0]]))).round(2)
    array([[ 25.,   0.,   0.],
           [ 25., -20.,   0.],
           [ 27., -15.,  25.]])

    Args: pos_emb, shape (..., d, npos), has one column per position 0 … npos − 1.
    Returns: float64 array of shape (..., q_len, k_len).
    Source: Golovneva et al. 2024, "Contextual Position Encoding", section 4.
    """
    later = relative_offsets(q.shape[-2], k.shape[-2]) > 0
    products, by_position = q @ np.swapaxes(k, -1, -2), q @ pos_emb
    gates = np.where(later, 0.0, np.exp(-np.logaddexp(0.0, -products / np.sqrt(q.shape[-1]))))
    counted = np.minimum(np.flip(np.flip(gates, -1).cumsum(axis=-1), -1), pos_emb.shape[-1] - 1)
    lead = np.broadcast_shapes(products.shape[:-2], by_position.shape[:-2])
    counted = np.broadcast_to(counted, (*lead, *counted.shape[-2:]))
    by_position = np.broadcast_to(by_position, (*lead, *by_position.shape[-2:]))
    below = np.take_along_axis(by_position, np.floor(counted).astype(int), axis=-1)
    above = np.take_along_axis(by_position, np.ceil(counted).astype(int), axis=-1)
    part = counted % 1
    return products + below * (1 - part) + above * part


class Cope(Relative):
    """Counted positions with untrained vectors. Later keys are at position 0.

    If the key is the same everywhere, every key counts the same and scores depend on the offset.
    With words they don't.
    """

    name, title = "cope", "CoPE"
    lesson = 14.3  # after xPos
    parameters = (
        seq_len_of(32),
        even_of(64, "head_dim"),
        Parameter("npos", "how many positions it tells apart", 8, 1, 64, least=1),
        CONTENT,
        SEED,
    )
    continuous = False

    def scores(self, q, k):
        drawn = np.random.default_rng([2, self.seed]).normal(size=(self.npos, q.shape[-1]))
        return counted_scores(q, k, drawn.T)
