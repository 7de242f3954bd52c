"""RoPE in the plane: each pair rotates by the row, the column, or its own direction."""

from typing import Literal

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Vectors
from posenc_lib.encodings.frequencies import EXTENDED, theta, turns
from posenc_lib.encodings.pairing import Pairing
from posenc_lib.encodings.parameter import (
    COLUMNS,
    CONTENT,
    Parameter,
    base_of,
    powers_of,
    seq_len_of,
)
from posenc_lib.encodings.plane import Order, Plane, quarter
from posenc_lib.encodings.rope import VECTORS, apply_rope

SPLITS = ("axial", "alternate")


@validate.checked(lambda: 0, x=VECTORS)  # the result has the size of x
def rope_2d(
    x: npt.ArrayLike,
    height: int,
    width: int,
    *,
    base: float = 10_000.0,
    frequencies: Literal["axial", "alternate"] | npt.ArrayLike = "axial",
    order: Order = "yx",
    pairing: Pairing = "interleaved",
) -> npt.NDArray[np.floating]:
    """Return queries or keys of an image's patches, each pair rotated by y·f_y + x·f_x.

    >>> rope_2d(np.ones((2, 4)), 1, 2).round(2)
    array([[ 1.  ,  1.  ,  1.  ,  1.  ],
           [ 1.  ,  1.  , -0.3 ,  1.38]])

    Args: x has shape (..., height·width, head_dim), row by row. frequencies are "axial", half of
        the pairs for each axis, both with θ_i = base^(−4i/d); "alternate", pairs that take turns
        between the axes (Pixtral); or an array of shape (2, pairs), radians per step along the
        first and the second axis (RoPE-Mixed).
    Returns: array with the shape of x, and its dtype if that's a float dtype up to float64;
        otherwise float64.
    Source: Heo et al. 2024, "Rotary Position Embedding for Vision Transformer", section 3.
    """
    if x.shape[-2] != height * width:
        raise ValueError(f"x must have height × width = {height} × {width} rows, got {x.shape[-2]}")
    first, second = split(x.shape[-1], base, frequencies)
    along_y, along_x = (first, second) if order == "yx" else (second, first)
    y, x_at = turns(np.arange(height), along_y), turns(np.arange(width), along_x)
    return apply_rope(x, (y[:, None] * x_at).reshape(height * width, -1), pairing=pairing)


def split(head_dim: int, base: float, frequencies) -> np.ndarray:
    """Return each pair's angle per step along the two axes, in radians, shape (2, pairs)."""
    if isinstance(frequencies, str):
        validate.choice("frequencies", frequencies, SPLITS)
        half = quarter("head_dim", head_dim) // 2
        whole, part = theta(head_dim, base), theta(half, base)
        first, second = (part, part) if frequencies == "axial" else (whole[0::2], whole[1::2])
        return np.array([[*first, *0 * first], [*0 * first, *second]])
    given = validate.array("frequencies", frequencies).astype(EXTENDED)
    if given.shape != (2, validate.EVEN("head_dim", head_dim) // 2):
        rule = f"frequencies must have shape (2, {head_dim // 2}), two for each pair"
        raise ValueError(f"{rule}, got {given.shape}")
    return given


def _tilted(directions: np.ndarray, degrees: float) -> np.ndarray:
    """Return directions, shape (2, pairs), rotated in the plane."""
    a = np.deg2rad(degrees)
    return np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) @ directions


class Rope2D(Plane, Vectors):
    """Queries and keys of patches, each pair rotated by row, by column, or by its own direction."""

    name, title = "rope_2d", "RoPE in two dimensions"
    lesson = 12.2
    kind, width = "rotary", "head_dim"
    parameters = (
        seq_len_of(196),
        powers_of("head_dim", "number of dims of a head", 64, 8, 256, most=1024),
        base_of(100.0),
        COLUMNS,
        Parameter(
            "pairs", "directions of the pairs", "axial", options=(*SPLITS, "four ways", "random")
        ),
        Parameter("tilt", "degrees all pairs are rotated in the plane", 0, 0, 90, 5, most=90),
        Parameter("draw", "number of the random directions", 0, 0, 99),
        CONTENT,
    )
    views = ("directions", "window_head")

    @property
    def unused_now(self):
        return () if self.pairs == "random" else ("draw",)

    @property
    def directions(self) -> np.ndarray:
        """Radians each pair rotates per step down and per step to the right, shape (2, pairs).

        "random" pairs have the speeds of "axial" ones and directions spread evenly. RoPE-Mixed
        learns them; the authors' code starts with one angle per head, a `tilt`. "four ways" means
        both axes and both diagonals.
        """
        if self.pairs == "four ways":
            axial = split(quarter("head_dim", self.head_dim) // 2, self.base, "axial")
            axial = axial.astype(np.float64)
            return _tilted(np.hstack([axial, _tilted(axial, 45)]), self.tilt)
        pairs = "axial" if self.pairs == "random" else self.pairs
        theta = split(self.head_dim, self.base, pairs).astype(np.float64)
        if self.pairs == "random":
            angle = np.random.default_rng(self.draw).uniform(0, 2 * np.pi, theta.shape[1])
            theta = theta.sum(axis=0) * np.stack([np.sin(angle), np.cos(angle)])
        return _tilted(theta, self.tilt)

    def turns(self, positions) -> np.ndarray:
        """Return each pair's rotation at positions, as complex numbers, shape (n, pairs)."""
        patches = np.stack(self.patches(validate.positions(positions)), axis=-1)
        return np.exp(1j * patches @ self.directions)

    def queries_and_keys(self, positions):
        turn = self.turns(positions)
        shape = (len(turn), self.head_dim)
        return tuple(apply_rope(np.broadcast_to(x, shape), turn) for x in self.query_and_key())

    def relate(self, q, k):
        return {"q": apply_rope(q, self.turns(len(q))), "k": apply_rope(k, self.turns(len(k)))}
