"""Waves and learned tables: a vector for each position, to be added to the token's embedding."""

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.hands import fill
from posenc_lib.encodings.rotary import rope_matrix

CHUNK = 4096  # positions at a time, where the hands have to be taken apart
LAYOUTS = ("interleaved", "concatenated")


def sine(positions, d_model: int, *, base: float | None = None) -> np.ndarray:
    """Return one sine per dim: sin(t / 2^i), or with a base sin(t / base^(i/(d−1))).

    Args:
        positions: an int n for 0 … n−1, or a 1-D array of finite numbers within ±2**53, fractions allowed.
        d_model: d, the number of dims, at least 1.
        base: None doubles the wavelength from each dim to the next; a number greater than 0
            spreads the wavelengths from 2π to 2π·base instead.

    Returns:
        float64 array of shape (number of positions, d_model) with values in [−1, 1].

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: a rule above is broken, or the result would not fit in this machine's memory.

    Source: the step between bits and Vaswani et al. 2017; no paper proposes sines alone.
    """
    d_model = validate.whole("d_model", d_model)
    validate.fits_in_memory("d_model", (d_model,))
    base = None if base is None else validate.base(base)
    t = validate.count_or_positions(positions, d_model)
    return np.sin(t[:, None] * sine_frequencies(d_model, base))


def sine_frequencies(d_model: int, base: float | None = None) -> np.ndarray:
    """Return the frequency of each dim of `sine`, in radians per position, shape (d_model,)."""
    dims = np.arange(d_model)
    return np.exp2(-dims) if base is None else validate.base(base) ** (-dims / max(d_model - 1, 1))


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
