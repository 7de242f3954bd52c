"""Clock hands for many positions at once: the shift property of the sinusoidal code, used as an algorithm.

The hand at t = aB + b is the hand at aB turned on by b: e^{itθ} = e^{iaBθ} · e^{ibθ}. So for consecutive positions
two small tables, every B-th position and the first B, give all others by one multiplication each. The table of every
B-th position is made in the same way, so that of 131 072 positions only some 100 need a sine.
"""

import math

import numpy as np

ROWS = 256  # B for long tables: the small table stays in the cache
FEW = 32  # positions that are faster computed than multiplied
EXTENDED = np.longdouble  # 64 bits of precision on x86; where it is no wider than float64, plain accuracy is kept


def fill(out: np.ndarray, t: np.ndarray, dim: int, base: float, *, upright: bool = False) -> None:
    """Write the hand e^{itθ} of each position and pair into out, complex, of shape (positions, dim/2).

    With upright=True write i·conj(e^{itθ}) = sin tθ + i·cos tθ instead: read as floats it is the interleaved table.
    """
    frequencies = EXTENDED(base) ** -(np.arange(0, dim, 2, dtype=EXTENDED) / dim)
    t = t.astype(np.float64)  # in a narrow dtype 0 − 255 is 1, too
    if len(t) > FEW and (np.diff(t) == 1).all():
        _consecutive(out, t[0], 1, frequencies, upright)
        return
    for start in range(0, len(t), ROWS):
        rows = slice(start, start + ROWS)
        out[rows] = _computed(t[rows], frequencies, upright)


def _consecutive(out: np.ndarray, start: float, step: int, frequencies: np.ndarray, upright: bool) -> None:
    """Write the hands at start, start + step, start + 2·step, … into out."""
    if len(out) <= FEW:
        out[...] = _computed(start + step * np.arange(len(out)), frequencies, upright)
        return
    block = min(ROWS, math.isqrt(len(out) - 1) + 1)
    whole, rest = divmod(len(out), block)
    coarse = np.empty((whole + (rest > 0), out.shape[1]), complex)
    _consecutive(coarse, start, step * block, frequencies, upright)
    fine = np.empty((block, out.shape[1]), complex)
    _consecutive(fine, 0, step, frequencies, upright=False)
    if upright:  # i·conj(a·b) = i·conj(a) · conj(b)
        np.conj(fine, out=fine)
    blocks = out[: whole * block].reshape(whole, block, -1)
    np.multiply(coarse[:whole, None], fine, out=blocks, casting="same_kind")  # rounds once, to out's own precision
    if rest:
        np.multiply(coarse[whole], fine[:rest], out=out[whole * block :], casting="same_kind")


def _computed(t: np.ndarray, frequencies: np.ndarray, upright: bool) -> np.ndarray:
    """Return the hands by sine and cosine, right to the last digits.

    float64 cannot hold a large angle well enough, so what it leaves over, δ, turns the hand a little further:
    e^{i(α + δ)} = e^{iα}·(1 + iδ).
    """
    angles = np.multiply.outer(t.astype(EXTENDED), frequencies)
    near = angles.astype(np.float64)
    left = (angles - near).astype(np.float64)
    cos, sin = np.cos(near), np.sin(near)
    hands = np.empty(near.shape, complex)
    if np.abs(left).max(initial=0) < 1e-8:  # its square is nothing
        hands.real, hands.imag = cos - sin * left, sin + cos * left
    else:
        np.multiply(cos + 1j * sin, np.exp(1j * left), out=hands)
    return 1j * hands.conj() if upright else hands
