"""Transformer-XL: distances as sinusoidal keys, in four separate terms."""

from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import toy_data, validate
from posenc_lib.encodings.base import Relative
from posenc_lib.encodings.offsets import fitting_qk, read, relative_offsets
from posenc_lib.encodings.parameter import CONTENT, SEED, Parameter, base_of, even_of, seq_len_of
from posenc_lib.encodings.sinusoidal import sinusoidal

TERMS = ("q·k", "q·r", "u·k", "v·r")
TERM = Parameter("term", "which part of the score to keep", "all", options=("all", *TERMS))
WORDS = replace(
    CONTENT, help="the query and the key, or different words", options=(*CONTENT.options, "words")
)

ADDED = partial(validate.data, min_ndim=1)


@validate.checked(validate.scores_of, u=ADDED, v=ADDED)
def transformer_xl_scores(
    q: npt.ArrayLike, k: npt.ArrayLike, r: npt.ArrayLike, u: npt.ArrayLike, v: npt.ArrayLike
) -> npt.NDArray[np.float64]:
    """Return (q_i + u) · k_j + (q_i + v) · r_n, where n = i − j is the distance back to the key.

    There are four terms: query and key (q·k), query and distance (q·r), how much any query likes
    this key (u·k), and how much it likes this distance (v·r). `attention(q, k, values, scores=…)`
    divides them by √d.

    >>> transformer_xl_scores(np.ones((2, 1)), np.zeros((2, 1)), [[5.0], [7.0]], [0.0], [0.0])
    array([[  7., -inf],
           [  5.,   7.]])

    Args: k starts with the memory, so k_len ≥ q_len. r has the keys of the distances, farthest
        first, shape (..., rows, d): k_len rows for k_len − 1 … 0, or q_len + k_len − 1 rows down
        to 1 − q_len. u is added to every query for words, v for distances; each has shape (d,), or
        (..., d) with one row per head.
    Returns: float64 array of shape (..., q_len, k_len), −inf at later keys without a row in r.
    Source: Dai et al. 2019, "Transformer-XL", section 3.3 and appendix B.
    """
    q, k = fitting_qk(q, k)
    u, v = u[..., None, :], v[..., None, :]
    (q_len, d), k_len = q.shape[-2:], k.shape[-2]
    if k_len < q_len:
        rule = "k must have at least as many rows as q (the memory and the text)"
        raise ValueError(f"{rule}, got {k_len} and {q_len}")
    for name, x in (("r", r), ("u", u), ("v", v)):
        if x.shape[-1] != d:
            raise ValueError(
                f"{name} must have the same number of dims as q, {d}, got {x.shape[-1]}"
            )
    both = k_len + max(q_len - 1, 0)
    if r.shape[-2] not in (k_len, both):
        raise ValueError(
            f"r must have {k_len} rows (the past) or {both} (past and future), got {r.shape[-2]}"
        )
    validate.leading_axes("q, k, r, u and v", q, k, r, u, v)
    by_distance = (q + v) @ np.swapaxes(r, -1, -2)
    # keys without a row in r
    later = np.full((*by_distance.shape[:-1], both - r.shape[-2]), -np.inf)
    by_distance = np.concatenate([by_distance, later], axis=-1)
    place = relative_offsets(q_len, k_len) + k_len - 1
    return (q + u) @ np.swapaxes(k, -1, -2) + read(by_distance, place)


class TransformerXL(Relative):
    """Scores with four terms and untrained parameters."""

    name, title = "transformer_xl", "Transformer-XL"
    lesson = 7.1
    parameters = (seq_len_of(32), even_of(64, "head_dim"), base_of(10_000.0), WORDS, TERM, SEED)
    views = ("similarity", "score_by_offset")

    @property
    def scores_are(self):
        return "scores" if self.term == "all" else f"{self.term} terms"

    def scores(self, q, k):
        d = validate.EVEN("head_dim", q.shape[1])
        rng = np.random.default_rng(self.seed)
        # untrained, like r, which has rows for later keys, as in XLNet
        u, v = rng.normal(size=(2, d))
        distances = sinusoidal(np.arange(len(k) - 1, -len(q), -1), d, base=self.base)
        r = distances @ rng.normal(size=(d, d)) / np.sqrt(d)
        made_of = {
            "all": (q, k, r, u, v),
            "q·k": (q, k, 0 * r, 0 * u, 0 * v),
            "q·r": (q, 0 * k, r, 0 * u, 0 * v),
            "u·k": (0 * q, k, 0 * r, u, 0 * v),
            "v·r": (0 * q, 0 * k, r, 0 * u, v),
        }
        return transformer_xl_scores(*made_of[self.term])

    def tiled_qk(self):
        """Return a query and a key for each position: all equal, or from different words."""
        if self.content != "words":
            return super().tiled_qk()
        return self.projected(toy_data.tokens(self.seq_len, self.num_dims))[:2]
