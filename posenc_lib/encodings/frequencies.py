"""θ, the frequencies of sinusoidal and rotary encodings, and e^{itθ}: the only file that knows them."""

import math

import numpy as np

from posenc_lib.encodings import validate

EXTENDED = np.longdouble  # 64 bits of precision on x86; where it is no wider than float64, plain accuracy is kept
FEW = 32  # positions that are faster computed than multiplied
BLOCK = 256  # rows of the small table: it stays in the cache


def inv_freq(dim: int, base: float = 10_000.0) -> np.ndarray:
    """Return the angular frequency of each pair of dims: θ_i = base^(−2i/dim), i = 0 … dim/2 − 1.

    >>> inv_freq(4)
    array([1.  , 0.01])

    Args:
        dim: number of dims, even, at least 2.
        base: between 1e-100 and 1e100. At 1 every pair turns equally fast; below 1 the later pairs turn faster.

    Returns: float64 array of shape (dim/2,), in radians per position, starting at 1.
    Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.5; Su et al. 2021, "RoFormer", eq. 15.
    """
    return theta(dim, base, np.float64)


def theta(dim: int, base: float, dtype=EXTENDED, *, given=None) -> np.ndarray:
    """Return what `inv_freq` returns, or what is given in its place, in extended precision if not asked for another."""
    dim, base = validate.integer("dim", dim, low=2, even=True), validate.base(base)
    validate.size("dim", (dim,))
    if given is not None:
        given = validate.array("inv_freq", given, ndim=1).astype(dtype)
        if len(given) != dim // 2:
            raise ValueError(f"inv_freq must have one entry for each of the {dim // 2} pairs, got {len(given)}")
        return given
    return dtype(base) ** -(np.arange(0, dim, 2, dtype=dtype) / dim)


def wavelengths(dim: int, base: float = 10_000.0) -> np.ndarray:
    """Return how many positions each pair of dims takes for one full turn: λ_i = 2π / θ_i.

    >>> wavelengths(4).round(2)
    array([  6.28, 628.32])

    Args: as in `inv_freq`.
    Returns: float64 array of shape (dim/2,), in positions, from 2π to 2π·base^((dim−2)/dim).
    Source: Vaswani et al. 2017, section 3.5 ("a geometric progression from 2π to 10000 · 2π").
    """
    return 2 * np.pi / inv_freq(dim, base)


def angles(positions, dim: int, base: float = 10_000.0, *, inv_freq=None) -> np.ndarray:
    """Return how far each pair of dims has turned at each position: t·θ_i, right to 16 digits.

    >>> angles(3, 4)
    array([[0.  , 0.  ],
           [1.  , 0.01],
           [2.  , 0.02]])

    Args:
        positions: an int n for 0 … n−1, or a 1-D array of numbers within ±2**53, fractions and negative ones, too.
        dim: number of dims, even, at least 2.
        base: as in `inv_freq`.
        inv_freq: θ, shape (dim/2,), in radians per position, where it is not that of the base.

    Returns: float64 array of shape (number of positions, dim/2), in radians, not reduced to one turn.
    Source: Su et al. 2021, "RoFormer", eq. 15 (mθ_i).
    """
    dim, base = validate.integer("dim", dim, low=2, even=True), validate.base(base)
    t = validate.positions(positions, dim // 2).astype(np.float64)
    return np.multiply.outer(t, theta(dim, base, np.float64, given=inv_freq))


def freqs_cis(positions, dim: int, base: float = 10_000.0, *, inv_freq=None) -> np.ndarray:
    """Return each pair's turn as a complex number: e^{i·t·θ_i} = cos(tθ_i) + i·sin(tθ_i).

    Consecutive positions share their work (see `fill`), over ten times faster than a sine each. Angles are in extended
    precision: the result is right to 1e-14 at position 131 071 (to t·1e-16 where long double is no wider than float64).
    The error grows with the angle: near 2**53 it is 2e-4, and a base like 1e-100 makes all pairs but the first noise.

    >>> freqs_cis([0, 1], 2).round(2)
    array([[1.  +0.j  ],
           [0.54+0.84j]])

    Args: as in `angles`.
    Returns: complex128 array of shape (number of positions, dim/2), every entry of modulus 1.
    Source: Su et al. 2021, "RoFormer", eq. 12 (e^{imθ}); the name is that of Meta's Llama code.
    """
    dim, base = validate.integer("dim", dim, low=2, even=True), validate.base(base)
    t = validate.positions(positions, dim)
    out = np.empty((t.size, dim // 2), complex)
    fill(out, t, theta(dim, base, given=inv_freq))
    return out


def fill(out: np.ndarray, t: np.ndarray, theta: np.ndarray, factor: complex = 1) -> None:
    """Write factor·e^{itθ} into out, complex, of shape (positions, pairs).

    Where positions are consecutive, e^{i(aB + b)θ} = e^{iaBθ}·e^{ibθ}: a table of every B-th position and one of the
    first B, which are made in the same way, give all others by one multiplication each. Of 131 072 positions only some
    100 need a sine.
    """
    n, t = len(t), t.astype(np.float64)  # in a narrow dtype 0 − 255 is 1, too
    step = t[1] - t[0] if n > FEW else 0
    if step and (np.diff(t) == step).all():
        block = min(BLOCK, math.isqrt(n - 1) + 1)
        coarse, fine = np.empty((-(-n // block), len(theta)), complex), np.empty((block, len(theta)), complex)
        fill(coarse, t[::block], theta, factor)
        fill(fine, t[:block] - t[0], theta)
        whole = n // block
        blocks = out[: whole * block].reshape(whole, block, -1)
        np.multiply(coarse[:whole, None], fine, out=blocks, casting="same_kind")  # rounds once, to out's own precision
        np.multiply(coarse[whole:], fine[: n % block], out=out[whole * block :], casting="same_kind")
        return
    for start in range(0, n, BLOCK):
        rows = slice(start, start + BLOCK)
        out[rows] = factor * _computed(np.multiply.outer(t[rows].astype(EXTENDED), theta))


def _computed(angles: np.ndarray) -> np.ndarray:
    """Return e^{i·angle}, right to the last digits, for angles in extended precision.

    float64 cannot hold a large angle well enough, so what it leaves over, δ, turns the result a little further:
    e^{i(α + δ)} = e^{iα}·e^{iδ}.
    """
    near = angles.astype(np.float64)
    left = (angles - near).astype(np.float64)
    return (np.cos(near) + 1j * np.sin(near)) * np.exp(1j * left)
