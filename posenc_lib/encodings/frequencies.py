"""θ, the frequencies of sinusoidal and rotary encodings, and e^{itθ}.

Everything here is built on `theta` and `turns`, which are exact to float64's last digits.
"""

import functools
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings.pairing import Pairing
from posenc_lib.encodings.validate import EVEN, array, checked, real

Floats = npt.NDArray[np.float64]

# 64 bits of precision on x86. Elsewhere it can be float64, with ordinary accuracy
EXTENDED = np.longdouble
CHUNK = 256  # rows made at a time, so they stay in the cache
FEW = 4  # a block of fewer rows isn't worth it


@checked()
def inv_freq(dim: int, base: float = 10_000.0) -> Floats:
    """Return the angular frequency of each pair of dims: θ_i = base^(−2i/dim), i = 0 … dim/2 − 1.

    >>> inv_freq(4)
    array([1.  , 0.01])

    Returns: float64 array of shape (dim/2,), in radians per position, starting at 1. With a base
        below 1 they increase.
    Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.5; Su et al. 2021,
        "RoFormer", eq. 15.
    """
    return theta(dim, base, np.float64).copy()


def theta(dim: int, base: float, dtype=EXTENDED, *, given=None) -> np.ndarray:
    """Return θ from a base, or the given θ, in extended precision or in a model's dtype."""
    dim, base = EVEN("dim", dim), real("base", base, low=1e-100, high=1e100)
    if given is None:
        return _powers(dim, base, dtype)
    given = array("inv_freq", given, ndim=1).astype(dtype)
    if len(given) != dim // 2:
        raise ValueError(
            f"inv_freq must have one entry for each of the {dim // 2} pairs, got {len(given)}"
        )
    return given


# Every token needs them again, and a power takes longer than a sine.
@functools.lru_cache(64)
def _powers(dim: int, base: float, dtype: type) -> np.ndarray:
    if dtype in (np.float32, np.float16):
        # a model computes 1 / base^(2i/dim) and rounds every step
        powers = 1 / dtype(base ** dtype(np.arange(0, dim, 2) / dim).astype(np.float64))
    else:
        powers = dtype(base) ** -(np.arange(0, dim, 2, dtype=dtype) / dim)
    powers.setflags(write=False)
    return powers


def wavelengths(dim: int, base: float = 10_000.0) -> Floats:
    """Return how many positions each pair of dims needs for a full turn: λ_i = 2π / θ_i.

    >>> wavelengths(4).round(2)
    array([  6.28, 628.32])

    Returns: float64 array of shape (dim/2,), in positions.
    Source: Vaswani et al. 2017, section 3.5 ("a geometric progression from 2π to 10000 · 2π").
    """
    return 2 * np.pi / inv_freq(dim, base)


@checked()
def angles(positions: npt.ArrayLike, dim: int, base: float = 10_000.0) -> Floats:
    """Return each pair's angle at each position: t·θ_i, correct to 16 digits.

    >>> angles(3, 4)
    array([[0.  , 0.  ],
           [1.  , 0.01],
           [2.  , 0.02]])

    Args: positions are a model's `position_ids`. They can be fractional or negative.
    Returns: float64 array of shape (…, seq_len, dim/2), in radians, not reduced modulo 2π.
    Source: Su et al. 2021, "RoFormer", eq. 15 (mθ_i).
    """
    return np.multiply.outer(np.asarray(positions, np.float64), theta(dim, base, np.float64))


@checked()
def freqs_cis(
    positions: npt.ArrayLike,
    dim: int,
    base: float = 10_000.0,
    *,
    inv_freq: npt.ArrayLike | None = None,
    angles_dtype: npt.DTypeLike = np.float64,
) -> npt.NDArray[np.complex128]:
    """Return each pair's rotation as a complex number: e^{i·t·θ_i} = cos(tθ_i) + i·sin(tθ_i).

    Angles use extended precision, so the result is correct to 1e-14 at position 131,071 (to t·1e-16
    if long double is no wider than float64), and to 2e-4 near 2**53. Models use float32, which is
    off by 0.01 at position 131,071. angles_dtype=np.float32 reproduces that: θ, positions and
    angles are rounded the way a model rounds them.

    >>> freqs_cis([0, 1], 2).round(2)
    array([[1.  +0.j  ],
           [0.54+0.84j]])

    Returns: complex128 array of shape (…, seq_len, dim/2), every entry of modulus 1.
    Source: Su et al. 2021, "RoFormer", eq. 12 (e^{imθ}); the name is from Meta's Llama code.
    """
    t, narrow = np.asarray(positions), np.dtype(angles_dtype).type
    if narrow is np.float64:
        return turns(t, theta(dim, base, given=inv_freq))
    return np.exp(1j * narrow_angles(t, theta(dim, base, narrow, given=inv_freq), narrow))


@checked()
def cos_sin(
    positions: npt.ArrayLike,
    dim: int,
    base: float = 10_000.0,
    *,
    inv_freq: npt.ArrayLike | None = None,
    attention_factor: float = 1.0,
    pairing: Pairing = "half",
    dtype: npt.DTypeLike = np.float64,
    angles_dtype: npt.DTypeLike = np.float64,
) -> tuple[npt.NDArray[np.floating], npt.NDArray[np.floating]]:
    """Return cos(tθ_i) and sin(tθ_i), once for each dim of a pair.

    Hugging Face's rotary modules return the same in float32 (dtype and angles_dtype).

    >>> cos, sin = cos_sin([0, 1], 4)
    >>> sin.round(2)
    array([[0.  , 0.  , 0.  , 0.  ],
           [0.84, 0.01, 0.84, 0.01]])

    Args: for angles_dtype, see `freqs_cis`.
    Returns: (cos, sin), arrays of shape (…, seq_len, dim).
    Source: Su et al. 2021, "RoFormer", eq. 34.
    """
    turned = attention_factor * freqs_cis(
        positions, dim, base, inv_freq=inv_freq, angles_dtype=angles_dtype
    )
    cos, sin = turned.real.astype(dtype), turned.imag.astype(dtype)
    if pairing == "interleaved":
        return np.repeat(cos, 2, axis=-1), np.repeat(sin, 2, axis=-1)
    return np.concatenate([cos, cos], axis=-1), np.concatenate([sin, sin], axis=-1)


def narrow_angles(t: np.ndarray, theta: np.ndarray, narrow: Callable) -> Floats:
    """Return t·θ the way a program computes it in the low precision `narrow` rounds to."""
    with np.errstate(over="ignore", invalid="ignore"):  # too large becomes infinite, and 0 · ∞ NaN
        return narrow(np.multiply.outer(narrow(t.astype(np.float64)), theta)).astype(np.float64)


def turns(
    t: np.ndarray, theta: np.ndarray, *, out: np.ndarray | None = None, factor: complex = 1
) -> np.ndarray:
    """Return factor·e^{itθ} for positions of any shape, complex (…, pairs), or write it to out.

    Equally spaced positions take a tenth of the time, thanks to e^{i(a + b)θ} = e^{iaθ}·e^{ibθ}:
    they're cut into √n blocks of √n, and only the first position of each block and the positions
    in one block need a sine.
    """
    out = np.empty((*t.shape, len(theta)), complex) if out is None else out
    t, rows = t.ravel().astype(np.float64), out.reshape(-1, len(theta))
    block = math.isqrt(len(t))
    if block < FEW or np.ptp(np.diff(t)) > 0:
        for start in range(0, len(t), CHUNK):
            rows[start : start + CHUNK] = factor * _exact_turns(t[start : start + CHUNK], theta)
        return out
    within = _exact_turns(t[:block] - t[0], theta)
    for k, first in enumerate(factor * _exact_turns(t[::block], theta)):
        part = rows[k * block : (k + 1) * block]
        # rounds once, to the dtype of out
        np.multiply(first, within[: len(part)], out=part, casting="same_kind")
    return out


def _exact_turns(t: np.ndarray, theta: np.ndarray) -> npt.NDArray[np.complex128]:
    """Return e^{itθ} to the last digit: of the angle in float64, then of its remainder."""
    angle = np.multiply.outer(t.astype(EXTENDED), theta)
    near = angle.astype(np.float64)
    rest = (angle - near).astype(np.float64)
    small = np.abs(rest).max(initial=0) < 1e-8  # then e^{ix} is 1 + ix to the last digit
    return np.exp(1j * near) * (1 + 1j * rest if small else np.exp(1j * rest))
