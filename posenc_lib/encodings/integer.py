"""Positions as plain numbers: nothing, the number itself, or a fraction of the length."""

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings.base import Additive
from posenc_lib.encodings.parameter import Parameter, d_model_of, seq_len_of
from posenc_lib.encodings.validate import checked

# Views of zeros that look the same with any number of dims
OF_ZEROS = "dot_product similarity score_by_offset position_effect number_line steps "
OF_ZEROS += "nearest_token best_head"


@checked()
def no_position(positions: npt.ArrayLike, d_model: int) -> npt.NDArray[np.float64]:
    """Return zeros, which is what a model without positional encoding (NoPE) adds.

    Returns: float64 array of shape (…, seq_len, d_model).
    Source: Kazemnejad et al. 2023, "The Impact of Positional Encoding on Length Generalization"
        (NoPE).
    """
    return np.zeros((*np.shape(positions), d_model))


@checked()
def integer(
    positions: npt.ArrayLike, d_model: int
) -> npt.NDArray[np.int64] | npt.NDArray[np.float64]:
    """Return the position itself in every dim: PE[t, i] = t.

    >>> integer(3, 2)
    array([[0, 0],
           [1, 1],
           [2, 2]])

    Returns: array of shape (…, seq_len, d_model); int64 for integer positions, else float64.
    Source: counting.
    """
    t = np.asarray(positions)
    return np.repeat(
        t[..., None].astype(np.float64 if t.dtype.kind == "f" else np.int64), d_model, axis=-1
    )


@checked()
def normalized(seq_len: int, d_model: int, *, endpoint: bool = False) -> npt.NDArray[np.float64]:
    """Return the position as a fraction of the length: t / L, or t / (L−1) with endpoint.

    >>> normalized(4, 1).T
    array([[0.  , 0.25, 0.5 , 0.75]])

    Args: seq_len is L. With endpoint, the last position is 1; that needs two positions.
    Returns: float64 array of shape (seq_len, d_model) with values in [0, 1], 1 only with endpoint.
    Source: counting, scaled. Liu et al. 2018, "CoordConv", give such fractions to convolutions,
        from −1 to 1.
    """
    if endpoint and seq_len < 2:
        raise ValueError(f"seq_len must be at least 2 with endpoint=True, got {seq_len}")
    return integer(seq_len, d_model) / (seq_len - endpoint)


class NoPosition(Additive):
    """Zeros."""

    name, title = "no_position", "No position"
    lesson = 1
    parameters = (seq_len_of(16), d_model_of(8, high=64))
    unused_in = {"d_model": tuple(OF_ZEROS.split())}

    def rows(self, positions):
        return no_position(positions, self.d_model)


class Integer(Additive):
    """The position itself."""

    name, title = "integer", "Integers"
    lesson = 2
    parameters = (seq_len_of(16), d_model_of(2, high=64))
    unused_in = {"d_model": ("number_line",)}  # all dims are equal

    def rows(self, positions):
        return integer(positions, self.d_model)


class Normalized(Additive):
    """The position as a fraction of the length."""

    name, title = "normalized", "Fractions of the length"
    lesson = 2.1
    endpoint_of = Parameter(
        "endpoint", "whether the last position reaches 1", False, options=(False, True)
    )
    parameters = (seq_len_of(16), d_model_of(2, high=64), endpoint_of)
    unused_in = {"d_model": ("number_line",)}

    def rows(self, positions):
        return integer(positions, self.d_model) / max(self.seq_len - self.endpoint, 1)
