"""A learned table, as it is before training: one row for each position, and none beyond."""

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.record import SEED, Encoding, Parameter, d_model_of, seq_len_of


def learned(num_positions: int, d_model: int, *, rng: np.random.Generator) -> np.ndarray:
    """Return a table as it stands before training: every entry drawn from N(0, 0.02²).

    Training moves the rows; a position past the last row has none.

    Args:
        num_positions: rows, at least 1.
        d_model: number of dims, at least 1.
        rng: a numpy.random.Generator, so that the draw can be repeated.

    Returns:
        float64 array of shape (num_positions, d_model).

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: a rule above is broken, or the result would not fit in this machine's memory.

    Source: Devlin et al. 2019, "BERT" (learned positions); 0.02 is the `initializer_range` of its code.
    """
    num_positions = validate.whole("num_positions", num_positions)
    d_model = validate.whole("d_model", d_model)
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng must be a numpy.random.Generator, got {validate.show(rng)} ({type(rng).__name__})")
    validate.fits_in_memory("num_positions", (num_positions, d_model))
    return rng.normal(scale=0.02, size=(num_positions, d_model))


def _rows(positions, seq_len: int, d_model: int, *, num_positions: int | None, seed: int):
    table = learned(num_positions or seq_len, d_model, rng=np.random.default_rng(seed))
    table = table[positions] if isinstance(positions, np.ndarray) else table[:positions]
    return table, table


LEARNED = Encoding(
    name="learned",
    title="Learned, untrained",
    kind="additive",
    function=learned,
    parameters=(
        seq_len_of(64),
        d_model_of(64, 512),
        Parameter("num_positions", "how many rows the table has", None, 2, 256, start=64, least=2),
        SEED,
    ),
    source="Devlin et al. 2019, BERT",
    rows=_rows,
    limits=lambda values: {"seq_len": values["num_positions"]} if values["num_positions"] else {},
    continuous=False,
)
