"""Sines and cosines in the plane: an image's patches, read row by row or along two axes."""

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
SHARPNESS = -0.5  # of the cubic that image programs resize with


def quarter(name: str, dims) -> int:
    """Return a number of dims if two axes can share it in pairs."""
    dims = validate.integer(name, dims, low=4)
    if dims % 4:
        raise ValueError(
            f"{name} must be a multiple of 4, half of the dims for each axis, got {dims}"
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
    """Return a sinusoidal code for an image's patches: half for the row, half for the column.

    >>> sinusoidal_2d(1, 3, 4).round(2)
    array([[ 0.  ,  1.  ,  0.  ,  1.  ],
           [ 0.  ,  1.  ,  0.84,  0.54],
           [ 0.  ,  1.  ,  0.91, -0.42]])

    Args: height and width are in patches; d_model is a multiple of 4; order is the axis of the
        first half (MAE starts with the column, "xy").
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
    """Return a learned table of patches for an image of a different size, by cubic interpolation.

    >>> resize_table([[0.0], [1.0]], (1, 2), (1, 3)).round(3).ravel()
    array([-0.066,  0.5  ,  1.066])

    Args: table has shape (prefix + height·width, d), row by row. old and new are (height, width)
        before and after. prefix is the number of rows at the start that don't belong to a patch,
        such as the class token's, and are copied.
    Returns: float64 array of shape (prefix + new height·new width, d). If the size doesn't change,
        neither do the numbers.
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
    """Return the weight of each old patch in each new one along an axis, (new, old). Rows sum to 1.

    Patches are sampled at their centers. For a smaller image the cubics get wider, so no patch is
    skipped.
    """
    step = old / new
    away = np.abs(np.arange(old) + 0.5 - (np.arange(new)[:, None] + 0.5) * step) / max(step, 1)
    near = ((SHARPNESS + 2) * away - (SHARPNESS + 3)) * away**2 + 1
    far = SHARPNESS * (((away - 5) * away + 8) * away - 4)
    weights = np.where(away <= 1, near, np.where(away < 2, far, 0))
    return weights / weights.sum(axis=1, keepdims=True)


class Plane:
    """What encodings of an image's patches share: positions go row by row, `columns` to a row."""

    of_text = False
    lesson = 12.0
    continuous = False

    @property
    def grid(self) -> tuple[int, int]:
        """The number of rows and columns in the image. The last row can be incomplete."""
        return -(-self.seq_len // self.columns), min(self.columns, self.seq_len)

    @property
    def highest(self) -> dict:
        """The last row and column of the image."""
        rows, columns = self.grid
        return {"row": rows - 1, "column": columns - 1}

    def patches(self, positions) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows and columns of positions, two int arrays of shape (n,)."""
        return np.divmod(positions, self.columns)


class Sinusoidal2D(Plane, Additive):
    """Sines and cosines of each patch's row and column or, for comparison, of its index."""

    name, title = "sinusoidal_2d", "Sinusoidal in two dimensions"
    lesson = 12.1
    parameters = (
        seq_len_of(196),
        powers_of("d_model", "number of dims of each patch", 64, 4, 256, most=1024),
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
