"""Sines and cosines in the plane: a picture's patches, read row by row or on two axes."""

import math
from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Additive
from posenc_lib.encodings.parameter import COLUMNS, Parameter, base_of, powers_of, seq_len_of
from posenc_lib.encodings.sinusoidal import sinusoidal

Order = Literal["yx", "xy"]
SHARPNESS = -0.5  # of the cubic that picture programs resize by


def quarter(name: str, dims) -> int:
    """Return a number of dims that two axes can share in pairs."""
    dims = validate.integer(name, dims, low=4)
    if dims % 4:
        raise ValueError(
            f"{name} must be a multiple of 4, for two axes have half of the dims each, got {dims}"
        )
    return dims


@validate.checked(d_model=quarter)
def sinusoidal_2d(
    height: int,
    width: int,
    d_model: int,
    *,
    base: float = 10_000.0,
    order: Order = "yx",
) -> npt.NDArray[np.float64]:
    """Return a sinusoidal code of a picture's patches: half of it for the row, half for the column.

    >>> sinusoidal_2d(1, 3, 4).round(2)
    array([[ 0.  ,  1.  ,  0.  ,  1.  ],
           [ 0.  ,  1.  ,  0.84,  0.54],
           [ 0.  ,  1.  ,  0.91, -0.42]])

    Args: height and width are in patches; d_model is a multiple of 4; order says which axis the
        first half encodes (MAE begins with the column, "xy").
    Returns: float64 array of shape (height·width, d_model), row by row.
    Source: Chen et al. 2021, "An Empirical Study of Training Self-Supervised Vision Transformers"
        (MoCo v3), appendix.
    """
    y, x = np.divmod(np.arange(height * width), width)
    rows, columns = (
        sinusoidal(n, d_model // 2, base=base, layout="concatenated") for n in (height, width)
    )
    return np.concatenate([rows[y], columns[x]] if order == "yx" else [columns[x], rows[y]], axis=1)


SIDES = partial(validate.pair_of, meaning="(height, width)")


@validate.checked(lambda table, new: math.prod(new) * max(table.shape), old=SIDES, new=SIDES)
def resize_table(
    table: npt.ArrayLike, old: tuple[int, int], new: tuple[int, int], *, prefix: int = 0
) -> npt.NDArray[np.float64]:
    """Return a learned table of patches for a picture of another size, interpolated by cubics.

    >>> resize_table([[0.0], [1.0]], (1, 2), (1, 3)).round(3).ravel()
    array([-0.066,  0.5  ,  1.066])

    Args: table has shape (prefix + height·width, d), row by row; old and new are (height, width)
        before and after; prefix says how many first rows belong to no patch, as the class token's,
        and are carried over.
    Returns: float64 array of shape (prefix + new height·new width, d); the same numbers where the
        size is the same.
    Source: Dosovitskiy et al. 2020, "An Image is Worth 16x16 Words", section 3.2; bicubic and
        antialiased as in timm.
    """
    if len(table) != prefix + math.prod(old):
        counted = f"{old[0]} × {old[1]} patches (old)"
        counted += f" and {prefix=} before them" if prefix else ""
        raise ValueError(f"table must have one row for each of {counted}, got {len(table)}")
    patches = table[prefix:].reshape(*old, table.shape[1])
    down, across = _cubics(old[0], new[0]), _cubics(old[1], new[1])
    resized = np.einsum("Yy,Xx,yxd->YXd", down, across, patches, optimize=True)
    return np.concatenate([table[:prefix], resized.reshape(math.prod(new), table.shape[1])])


def _cubics(old: int, new: int) -> npt.NDArray[np.float64]:
    """Return how much each new patch has of each old one on an axis, (new, old); rows sum to 1.

    Patches are taken at their middles. Made smaller, the cubics are made wider by as much, so that
    no patch is skipped.
    """
    step = old / new
    away = np.abs(np.arange(old) + 0.5 - (np.arange(new)[:, None] + 0.5) * step) / max(step, 1)
    near = ((SHARPNESS + 2) * away - (SHARPNESS + 3)) * away**2 + 1
    far = SHARPNESS * (((away - 5) * away + 8) * away - 4)
    weights = np.where(away <= 1, near, np.where(away < 2, far, 0))
    return weights / weights.sum(axis=1, keepdims=True)


class Plane:
    """What encodings of a picture's patches share: positions go row by row, `columns` to a row."""

    of_text = False
    lesson = 12.0
    continuous = False

    @property
    def grid(self) -> tuple[int, int]:
        """How many rows and columns the picture has; the last row may not be full."""
        return -(-self.seq_len // self.columns), min(self.columns, self.seq_len)

    @property
    def highest(self) -> dict:
        """The last row and column of the picture."""
        rows, columns = self.grid
        return {"row": rows - 1, "column": columns - 1}

    def patches(self, positions) -> tuple[np.ndarray, np.ndarray]:
        """Return the row and the column of positions, two int arrays of shape (n,)."""
        return np.divmod(positions, self.columns)


class Sinusoidal2D(Plane, Additive):
    """Sines and cosines of each patch's row and column; or, to compare, of its number as read."""

    name, title = "sinusoidal_2d", "Sinusoidal in two dimensions"
    lesson = 12.1
    parameters = (
        seq_len_of(196),
        powers_of("d_model", "how many dims each patch has", 64, 4, 256, most=1024),
        base_of(10_000.0),
        COLUMNS,
        Parameter(
            "reading",
            "by row and column, or row by row as one line",
            "axes",
            options=("axes", "line"),
        ),
    )
    views = ("patches",)

    def rows(self, positions):
        if self.reading == "line":
            return sinusoidal(positions, self.d_model, base=self.base)
        half = quarter("d_model", self.d_model) // 2
        sides = self.patches(positions)
        codes = [sinusoidal(side, half, base=self.base, layout="concatenated") for side in sides]
        return np.concatenate(codes, axis=1)
