"""A learned table before training: one row per position, and then it ends."""

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings.base import Additive
from posenc_lib.encodings.parameter import SEED, Parameter, d_model_of, seq_len_of
from posenc_lib.encodings.validate import checked, show


@checked()
def learned(
    num_positions: int, d_model: int, *, rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Return an untrained table, with every entry drawn from N(0, 0.02²).

    >>> learned(512, 768, rng=np.random.default_rng(0)).std().round(3)
    np.float64(0.02)

    Args: num_positions is the number of rows. rng is a numpy.random.Generator, so you can repeat
        the draw.
    Returns: float64 array of shape (num_positions, d_model).
    Source: Devlin et al. 2019, "BERT" (learned positions); 0.02 is the `initializer_range` of its
        code.
    """
    if not isinstance(rng, np.random.Generator):
        raise TypeError(
            f"rng must be a numpy.random.Generator, got {show(rng)} ({type(rng).__name__})"
        )
    return rng.normal(scale=0.02, size=(num_positions, d_model))


class Learned(Additive):
    """A table of random rows, one per position."""

    name, title = "learned", "Learned, untrained"
    lesson = 5.1
    rows_of = Parameter(
        "num_positions", "number of rows in the table", None, 2, 256, start=64, least=2
    )
    parameters = (seq_len_of(64), d_model_of(64, high=512), rows_of, SEED)
    continuous, has_end = False, True

    @property
    def highest(self):
        return {"seq_len": self.num_positions} if self.num_positions else {}

    def rows(self, positions):
        last = self.num_positions or self.seq_len
        return learned(last, self.d_model, rng=np.random.default_rng(self.seed))[positions]
