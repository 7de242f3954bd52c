"""The sines and cosines of the Transformer of 2017."""

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.frequencies import inv_freq
from posenc_lib.encodings.hands import fill
from posenc_lib.encodings.pairing import in_halves
from posenc_lib.encodings.record import SLOW_PAIR, Encoding, Parameter, base_of, even_of, one_table, seq_len_of
from posenc_lib.encodings.rope import rope_matrix

CHUNK = 4096  # positions at a time, where the hands have to be taken apart
LAYOUTS = ("interleaved", "concatenated")


@validate.quiet
def sinusoidal(positions, d_model: int, *, base: float = 10_000.0, layout: str = "interleaved", dtype=np.float64):
    """Return the sines and cosines of the Transformer: PE[t, 2i] = sin(t·θ_i), PE[t, 2i+1] = cos(t·θ_i).

    θ_i = base^(−2i/d). Computed in float64 and rounded once, so a float32 table is right at position 1 000 003 too.
    Consecutive positions share their work, as in `phasors`.

    Args:
        positions: an int n for 0 … n−1, or a 1-D array of finite numbers within ±2**53;
            fractions and negative positions (offsets) are allowed.
        d_model: d, the number of dims, even, at least 2.
        base: greater than 0; larger makes the slow dims slower.
        layout: "interleaved" is sin, cos, sin, cos, …; "concatenated" is all sines, then all cosines.
        dtype: float64, float32 or float16, of the result.

    Returns:
        array of shape (number of positions, d_model) with values in [−1, 1].

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: a rule above is broken, or the result would not fit in this machine's memory.

    Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.5.
    """
    d_model = validate.whole("d_model", d_model, low=2, even=True)
    validate.choice("layout", layout, LAYOUTS)
    dtype = validate.float_dtype("dtype", dtype)
    base = validate.base(base)
    t = validate.count_or_positions(positions, d_model)
    table = np.empty((t.size, d_model), dtype)
    interleaved, half = layout == "interleaved", d_model // 2
    if interleaved and dtype != np.float16:  # two floats side by side are one complex number: nothing to copy
        fill(table.view(np.result_type(dtype, np.complex64)), t, d_model, base, upright=True)
        return table
    sines, cosines = (table[:, 0::2], table[:, 1::2]) if interleaved else (table[:, :half], table[:, half:])
    some = np.empty((min(t.size, CHUNK), half), complex)
    for start in range(0, t.size, CHUNK):
        rows = slice(start, start + CHUNK)
        hands = some[: len(t[rows])]
        fill(hands, t[rows], d_model, base)
        sines[rows], cosines[rows] = hands.imag, hands.real
    return table


@validate.quiet
def shift_matrix(offset: float, d_model: int, base: float = 10_000.0) -> np.ndarray:
    """Return the matrix T that moves a sinusoidal vector: PE[t + Δ] = T_Δ · PE[t] for every t.

    One block [[cos Δθ_i, sin Δθ_i], [−sin Δθ_i, cos Δθ_i]] per pair of interleaved dims, zeros elsewhere.

    Args:
        offset: Δ, in positions; within ±2**53.
        d_model: number of dims, even, at least 2.
        base: greater than 0, the same as the table's.

    Returns:
        float64 array of shape (d_model, d_model), orthogonal.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: a rule above is broken.

    Source: Vaswani et al. 2017, section 3.5 ("PE_{pos+k} can be represented as a linear function of PE_pos").
    """
    offset = validate.place("offset", offset)
    d_model = validate.whole("d_model", d_model, low=2, even=True)
    validate.fits_in_memory("d_model", (d_model, d_model))
    return rope_matrix(offset, d_model, base).T


def _pairs(base: float, d_model: int, **rest):
    return inv_freq(d_model, base)


def _shift(offset, d_model: int, base: float, *, layout: str, **rest):
    """Return the matrix that moves a row by an offset, whatever the layout."""
    matrix = shift_matrix(offset, d_model, base)
    return matrix if layout == "interleaved" else in_halves(matrix)


SINUSOIDAL = Encoding(
    name="sinusoidal",
    title="Sinusoidal",
    kind="additive",
    function=sinusoidal,
    parameters=(
        seq_len_of(64),
        even_of(64, "d_model"),
        base_of(10_000.0),
        Parameter("layout", "where the cosines stand", "interleaved", options=LAYOUTS),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, section 3.5",
    rows=one_table(sinusoidal),
    frequencies=_pairs,
    shift=_shift,
    shown=SLOW_PAIR,
)
