"""Positions as plain numbers: nothing at all, integers, fractions of the length, binary digits."""

import numbers

import numpy as np

from posenc_lib.encodings import validate


def no_position(positions, d_model: int) -> np.ndarray:
    """Return zeros: what a model without positional encoding adds (NoPE).

    Args:
        positions: an int n for 0 … n−1, or a 1-D array of finite numbers within ±2**53.
        d_model: number of dims, at least 1.

    Returns:
        float64 array of shape (number of positions, d_model), all 0.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: a rule above is broken, or the result would not fit in this machine's memory.

    Source: Kazemnejad et al. 2023, "The Impact of Positional Encoding on Length Generalization" (NoPE).
    """
    d_model = validate.whole("d_model", d_model)
    return np.zeros((validate.count_or_positions(positions, d_model).size, d_model))


def integer(positions, d_model: int) -> np.ndarray:
    """Return the position itself in every dim: PE[t, i] = t.

    Args:
        positions: an int n for 0 … n−1, or a 1-D array of finite numbers within ±2**53.
        d_model: number of dims, at least 1.

    Returns:
        array of shape (number of positions, d_model); int64 for whole positions, float64 for fractions.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: a rule above is broken, or the result would not fit in this machine's memory.

    Source: the first idea anyone has; no paper proposes it.
    """
    d_model = validate.whole("d_model", d_model)
    t = validate.count_or_positions(positions, d_model)
    t = t.astype(np.float64 if t.dtype.kind == "f" else np.int64)
    return np.repeat(t[:, None], d_model, axis=1)


def normalized(seq_len: int, d_model: int, *, endpoint: bool = False) -> np.ndarray:
    """Return the position as a fraction of the length: PE[t, i] = t / L, or t / (L−1) with the end point.

    Args:
        seq_len: L, the number of positions, at least 1 (at least 2 with endpoint=True).
        d_model: number of dims, at least 1.
        endpoint: whether the last position reaches 1.

    Returns:
        float64 array of shape (seq_len, d_model) with values in [0, 1).

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: a rule above is broken, or the result would not fit in this machine's memory.

    Source: the second idea anyone has; no paper proposes it.
    """
    endpoint = validate.flag("endpoint", endpoint)
    seq_len = validate.whole("seq_len", seq_len)
    d_model = validate.whole("d_model", d_model)
    validate.fits_in_memory("seq_len", (seq_len, d_model))
    if endpoint and seq_len < 2:
        raise ValueError(f"seq_len must be at least 2 with endpoint=True, got {seq_len}")
    return integer(seq_len, d_model) / (seq_len - 1 if endpoint else seq_len)


def binary(positions, d_model: int) -> np.ndarray:
    """Return the position as bits, the most significant first: PE[t, i] = ⌊t / 2^(d−1−i)⌋ mod 2.

    Args:
        positions: an int n for 0 … n−1, or a 1-D array of whole numbers, none negative.
        d_model: number of bits, at least 1; d bits hold the positions below 2**d.

    Returns:
        int64 array of shape (number of positions, d_model), each entry 0 or 1.

    Raises:
        TypeError: an argument is of the wrong type; positions hold fractions.
        ValueError: a position needs more than d_model bits or is negative.

    Source: IEEE and CPU practice; as a positional encoding, a stepping stone without a paper.
    """
    d_model = validate.whole("d_model", d_model)
    if isinstance(positions, numbers.Number):
        seq_len = validate.whole("positions", positions, low=0)
        if (seq_len - 1).bit_length() > d_model and seq_len > 0:
            raise ValueError(f"seq_len {seq_len} does not fit in {d_model=} bits (at most 2**{d_model} = {2**d_model})")
    t = validate.count_or_positions(positions, d_model)
    if t.size and t.dtype.kind == "f":
        raise TypeError(
            f"positions must be whole numbers (there are no bits between two integers), got dtype {t.dtype}"
        )
    if t.size and t.min() < 0:
        raise ValueError(f"positions must be at least 0, got {t.min()}")
    if t.size and int(t.max()).bit_length() > d_model:
        most = 2**d_model - 1
        raise ValueError(f"position {t.max()} does not fit in {d_model=} bits (at most 2**{d_model} - 1 = {most})")
    shifts = np.minimum(np.arange(d_model)[::-1], 63)  # an int64 has no bit above the 63rd
    return t.astype(np.int64)[:, None] >> shifts & 1
