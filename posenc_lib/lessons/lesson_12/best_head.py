"""The best head of a RoPE in the plane, for the patches it should look at."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.attention import softmax
from posenc_lib.encodings.exact_head import RIDGE, Floats, cos_and_sin, least, loss_by_distance


@dataclass(frozen=True)
class ExactHead2D:
    """The best head for a wish, made by `exact_head_2d`.

    weights are w, shape (2·pairs,), cosines before sines.
    """

    directions: Floats
    wish: npt.NDArray[np.bool_]
    query: tuple[int, int]
    weights: Floats

    @property
    def attention(self) -> Floats:
        """What the query gives each patch of its window, in the shape of the wish; sums to 1."""
        phi = _in_plane(self.directions, self.query, self.wish.shape)
        return softmax(phi @ self.weights).reshape(self.wish.shape)

    @property
    def mass(self) -> float:
        """The share of its attention on the wish, 0 … 1."""
        return float(self.attention[self.wish].sum())

    @property
    def chance(self) -> float:
        """The wish's share of the patches: the mass of a head that looks everywhere alike."""
        return float(self.wish.mean())


@validate.checked(directions=partial(validate.array, ndim=2, dtype=np.float64))
def exact_head_2d(
    directions: npt.ArrayLike,
    wish: npt.ArrayLike,
    *,
    query: tuple[int, int] | None = None,
) -> ExactHead2D:
    """Return the head of a RoPE in the plane that looks most evenly at some patches around its own.

    It minimizes the mean of −log(attention) over the wish, + 0.0005·|w|², without dividing by √d.

    >>> turned = np.array([[1.0, 0.3, 1.0, 0.3], [1.0, 0.3, -1.0, -0.3]])
    >>> for wish in ("its row", "diagonal"):
    ...     head = exact_head_2d(turned, wished(wish, reach=3))
    ...     print(f"{wish}: {head.chance:.2f} by chance, {head.mass:.2f}")
    its row: 0.14 by chance, 0.28
    diagonal: 0.14 by chance, 0.98

    Args: directions are each pair's radians per step down and to the right, shape (2, pairs). wish
        marks the patches to look at, bool, with the window's shape (rows, columns). query is the
        query's row and column, from 0; None is the middle.
    Returns: an `ExactHead2D`.
    Source: like `exact_head`; scores as in RoPE-Mixed, Heo et al. 2024, "RoPE for Vision
        Transformer".
    """
    if len(directions) != 2:
        raise ValueError(f"directions must have shape (2, pairs), got {directions.shape}")
    wish = validate.as_array("wish", wish)
    if wish.dtype != bool or wish.ndim != 2 or not wish.any():
        raise ValueError(
            f"wish must hold True and False on 2 axes, at least one True, got {validate.show(wish)}"
        )
    if query is None and not wish.size % 2:
        rule = f"a wish of shape {wish.shape} has no middle patch"
        raise ValueError(f"{rule}, so say where the query is: (row, column)")
    if query is None:
        query = wish.shape[0] // 2, wish.shape[1] // 2
    query = validate.pair_of("query", query, "a row and a column, (row, column)", low=0)
    phi = _in_plane(directions, query, wish.shape)
    wanted = phi[wish.ravel()].mean(axis=0)
    loss = loss_by_distance(phi, wanted, len(phi) - 1, RIDGE)  # one query that sees all
    return ExactHead2D(directions.copy(), wish.copy(), query, least(loss, phi.shape[1:], RIDGE))


def _in_plane(directions: Floats, query: tuple[int, int], window: tuple[int, int]) -> Floats:
    """Return φ of each patch of a window, row by row, shape (rows·columns, 2·pairs)."""
    steps = np.indices(window).reshape(2, -1) - np.reshape(query, (2, 1))
    return cos_and_sin(steps.T @ directions)


REACH = 6  # patches to each side: the window of the lesson is 13 × 13


MEANT = {  # the patches of a wish, by dy and dx
    "one patch": lambda dy, dx: (dy == 1) & (dx == 2),
    "its row": lambda dy, dx: dy == 0,
    "its column": lambda dy, dx: dx == 0,
    "diagonal": lambda dy, dx: dy == dx,
    "anti-diagonal": lambda dy, dx: dy == -dx,
    "ring": lambda dy, dx: np.abs(np.hypot(dy, dx) - 3) <= 0.5,
    "cross": lambda dy, dx: (dy == 0) | (dx == 0),
    "turned cross": lambda dy, dx: np.abs(dy) == np.abs(dx),
}


WISHES = tuple(MEANT)


def wished(name: str, reach: int = REACH) -> npt.NDArray[np.bool_]:
    """Return which patches of a window one of WISHES means, bool, 2·reach + 1 rows and columns.

    >>> wished("turned cross", reach=1).astype(int)
    array([[1, 0, 1],
           [0, 1, 0],
           [1, 0, 1]])
    """
    return MEANT[name](*np.mgrid[-reach : reach + 1, -reach : reach + 1])
