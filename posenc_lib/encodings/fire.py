"""FIRE: a small network reads the distance as a fraction of the largest possible one."""

import numpy as np

from posenc_lib.encodings.base import Bias
from posenc_lib.encodings.offsets import relative_offsets
from posenc_lib.encodings.parameter import SEED, Parameter, head_of, seq_len_of

HEADS, HIDDEN = 8, 32  # seed of the untrained network in panels
EPS = 1e-6  # the code adds it to the divisor, the paper doesn't


def network_biases(offsets: np.ndarray, layers, c: float, threshold: float) -> np.ndarray:
    """Return a network's output for ψ(i − j)/ψ(max(i, threshold)), query i and key j.

    With ψ(n) = log(c·n + 1), it's 0 for the query's own key and 1 for the first, at any length.
    The last query is at the last key, and later keys get 0.

    >>> halves = np.array([[1.0]]), np.zeros(1), np.array([[-2.0]]), np.zeros(1)  # −2 × it
    >>> network_biases(relative_offsets(3), halves, c=1.0, threshold=1.0)[0].round(2) + 0.0
    array([[ 0.  ,  0.  ,  0.  ],
           [-2.  ,  0.  ,  0.  ],
           [-2.  , -1.26,  0.  ]])

    Args: layers are weight (hidden, 1), bias (hidden,), weight (num_heads, hidden) and bias
        (num_heads,). c, per position, is how finely nearby keys are resolved. Queries before the
        threshold all use the same divisor.
    Returns: float64 array of shape (num_heads, q_len, k_len).
    Source: Li et al. 2024, "Functional Interpolation for Relative Positions", section 3.
    """
    w, b, v, a = layers
    q_len, k_len = offsets.shape
    query = np.maximum(np.arange(k_len - q_len, k_len), threshold)[:, None]
    part = np.log1p(c * np.maximum(-offsets, 0)) / (np.log1p(c * query) + EPS)
    seen = offsets <= 0
    hidden = part[seen][:, None] * w[:, 0]
    hidden += b  # in place: a long text has millions
    biases = np.zeros((len(v), q_len, k_len))
    biases[:, seen] = (np.maximum(hidden, 0, out=hidden) @ v.T + a).T
    return biases


class Fire(Bias):
    """An untrained network of 32 hidden numbers for 8 heads.

    It's made for causal models, so later keys get 0. Its bias also depends on the query's position,
    so it has no `biases` by offset.
    """

    name, title = "fire", "FIRE"
    lesson = 14  # after KERPLE
    parameters = (
        seq_len_of(64),
        Parameter(
            "c",
            "how finely it resolves nearby keys",
            0.1,
            0.01,
            10,
            0.05,
            "log",
            least=1e-6,
            most=1e6,
        ),
        Parameter("threshold", "queries before this share a divisor", 16, 1, 256, least=1),
        head_of(high=HEADS - 1),
        SEED,
    )
    views = ("similarity", "score_by_offset", "attention_row")
    continuous = False

    @property
    def highest(self):
        return {"head": HEADS - 1}

    def relate(self, q, k):
        rng = np.random.default_rng(self.seed)
        layers = [rng.normal(size=shape) for shape in ((HIDDEN, 1), HIDDEN, (HEADS, HIDDEN), HEADS)]
        layers[2] /= np.sqrt(HIDDEN)
        layers[2:] = (layer[self.head, None] for layer in layers[2:])  # only this head's
        offsets = relative_offsets(len(q), len(k))
        return {"bias": network_biases(offsets, layers, self.c, self.threshold)[0]}
