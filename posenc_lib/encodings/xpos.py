"""xPos: RoPE with scores that decay with distance, sooner for fast pairs."""

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Vectors, Waves
from posenc_lib.encodings.frequencies import inv_freq
from posenc_lib.encodings.parameter import (
    CONTENT,
    SLOW_PAIR,
    base_of,
    even_of,
    powers_of,
    seq_len_of,
)
from posenc_lib.encodings.rope import rope

GAMMA = 0.4  # from the authors: ζ is 0.4/1.4 for the fastest pair, closer to 1 for slower ones


def _zeta(head_dim: int) -> np.ndarray:
    """Return the factor for each pair's scores per scale_base of distance, shape (d/2,)."""
    return (np.arange(0, head_dim, 2) / head_dim + GAMMA) / (1 + GAMMA)


def _scale(positions: np.ndarray, head_dim: int, scale_base: float) -> np.ndarray:
    """Return the factors for a query's dims at each position, shape (n, d)."""
    return np.repeat(_zeta(head_dim) ** (positions[:, None] / scale_base), 2, axis=-1)


class Xpos(Waves, Vectors):
    """RoPE with decay: queries shrink with their position, keys grow.

    Pair i is rotated, then multiplied by ζ_i^(n/scale_base) in q and divided by it in k, with
    ζ_i = (2i/d + 0.4)/1.4. At a distance of scale_base, a pair's score is ζ_i times RoPE's, 0.286
    times for the fastest. Later keys would score higher: it's made for causal models. It isn't a
    `Rotary`, since queries and keys change differently.

    Source: Sun et al. 2023, "A Length-Extrapolatable Transformer", algorithm 1.
    """

    name, title = "xpos", "xPos"
    lesson = 14.2  # after Sandwich
    kind, width = "rotary", "head_dim"
    parameters = (
        seq_len_of(64),
        even_of(64, "head_dim"),
        base_of(10_000.0),
        powers_of(
            "scale_base", "positions over which it decays", 512, 16, 2048, step=1, most=2**17
        ),
        CONTENT,
    )
    view_starts = SLOW_PAIR
    unused_in = {  # the first pair always rotates and decays the same
        **dict.fromkeys(("base", "head_dim"), ("number_line",)),
        "scale_base": ("clock",),
    }
    views = ("score_by_offset", "dot_product", "trajectory")

    @property
    def frequencies(self):
        return inv_freq(self.head_dim, self.base)

    def decay(self, distance) -> np.ndarray:
        """Return the factor for each pair's scores at each distance, shape (n, pairs)."""
        return _zeta(self.head_dim) ** (np.asarray(distance)[:, None] / self.scale_base)

    def turned_query(self, q: np.ndarray, positions) -> np.ndarray:
        """Return queries as attention sees them, at positions."""
        scale = _scale(np.asarray(positions), q.shape[-1], self.scale_base)
        return rope(q, positions, base=self.base) * scale

    def turned_key(self, k: np.ndarray, positions) -> np.ndarray:
        """Return keys as attention sees them, at positions."""
        scale = _scale(np.asarray(positions), k.shape[-1], self.scale_base)
        return rope(k, positions, base=self.base) / scale

    def queries_and_keys(self, positions):
        positions = validate.positions(positions)
        queries, keys = self.content_at(positions)
        return self.turned_query(queries, positions), self.turned_key(keys, positions)

    def relate(self, q, k):
        return {
            "q": self.turned_query(q, np.arange(len(q))),
            "k": self.turned_key(k, np.arange(len(k))),
        }
