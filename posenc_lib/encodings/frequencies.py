"""How fast each pair of dims turns: the frequencies that sinusoidal and rotary encodings share."""

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.hands import fill


def inv_freq(dim: int, base: float = 10_000.0) -> np.ndarray:
    """Return the angular frequency of each pair of dims: θ_i = base^(−2i/dim), i = 0 … dim/2 − 1.

    Args:
        dim: number of dims, even, at least 2.
        base: greater than 0, between 1e-100 and 1e100. At 1 every pair turns equally fast;
            below 1 the later pairs turn faster.

    Returns:
        float64 array of shape (dim/2,), in radians per position, starting at 1.

    Raises:
        TypeError: dim is no whole number, or base no real number.
        ValueError: dim is odd or below 2; base is not finite or not above 0.

    Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.5; Su et al. 2021, "RoFormer", eq. 15.
    """
    dim = validate.whole("dim", dim, low=2, even=True)
    base = validate.base(base)
    validate.fits_in_memory("dim", (dim,))
    return base ** -(np.arange(0, dim, 2) / dim)


def wavelengths(dim: int, base: float = 10_000.0) -> np.ndarray:
    """Return how many positions each pair of dims takes for one full turn: λ_i = 2π / θ_i.

    Args and Raises: as in `inv_freq`.

    Returns:
        float64 array of shape (dim/2,), in positions, from 2π to 2π·base^((dim−2)/dim).

    Source: Vaswani et al. 2017, section 3.5 ("a geometric progression from 2π to 10000 · 2π").
    """
    return 2 * np.pi / inv_freq(dim, base)


def angles(positions, dim: int, base: float = 10_000.0) -> np.ndarray:
    """Return how far each pair of dims has turned at each position: t·θ_i.

    Args:
        positions: an int n for 0 … n−1, or a 1-D array of finite numbers within ±2**53;
            fractions and negative positions (offsets) are allowed.
        dim: number of dims, even, at least 2.
        base: greater than 0.

    Returns:
        float64 array of shape (number of positions, dim/2), in radians, not reduced to one turn; right to 16 digits, so
        that of 2**53 radians only the last whole one is known.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: a rule above is broken, or the result would not fit in this machine's memory.

    Source: Su et al. 2021, "RoFormer", eq. 15 (mθ_i).
    """
    dim, base = validate.whole("dim", dim, low=2, even=True), validate.base(base)
    t = validate.count_or_positions(positions, dim // 2)
    return np.multiply.outer(t.astype(np.float64), inv_freq(dim, base))


def phasors(positions, dim: int, base: float = 10_000.0) -> np.ndarray:
    """Return the clock hands as complex numbers: e^{i·t·θ_i} = cos(tθ_i) + i·sin(tθ_i).

    For consecutive positions most hands are made by turning others on, e^{i(a+b)θ} = e^{iaθ}·e^{ibθ}, which is over
    ten times faster than a sine each and, with angles in extended precision, right to 1e-14 at position 131 071
    (where the platform's long double is no wider than float64: to t·1e-16). The error grows with the angle: near 2**53
    it is 2e-4, and a base like 1e-100 makes angles so large that all pairs but the first are noise.

    Args and Raises: as in `angles`.

    Returns:
        complex128 array of shape (number of positions, dim/2), every entry of modulus 1.

    Source: Su et al. 2021, "RoFormer", eq. 12 (e^{imθ}).
    """
    dim, base = validate.whole("dim", dim, low=2, even=True), validate.base(base)
    t = validate.count_or_positions(positions, dim)
    out = np.empty((t.size, dim // 2), complex)
    fill(out, t, dim, base)
    return out
