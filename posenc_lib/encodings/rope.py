"""Rotary position embedding (RoPE): turn queries and keys instead of adding to them."""

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Rotary
from posenc_lib.encodings.frequencies import freqs_cis, inv_freq
from posenc_lib.encodings.pairing import PAIRINGS
from posenc_lib.encodings.parameter import CONTENT, SLOW_PAIR, Parameter, base_of, even_of, seq_len_of


@validate.quiet
def rotation_matrix(angle: float) -> np.ndarray:
    """Return R(a) = [[cos a, −sin a], [sin a, cos a]], which turns a column vector by a, counter-clockwise.

    For row vectors (x @ R) use the transpose.

    >>> (rotation_matrix(np.pi / 2) @ [1, 0]).round(2)
    array([0., 1.])

    Args: angle is a, in radians.
    Returns: float64 array of shape (2, 2).
    Source: Su et al. 2021, "RoFormer", eq. 13.
    """
    angle = validate.real("angle", angle)
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


@validate.quiet
def rope_matrix(position: float, head_dim: int, base: float = 10_000.0) -> np.ndarray:
    """Return the whole rotation at one position: a block R(position·θ_i) for each interleaved pair of dims.

    Args: position lies within ±2**53; head_dim is even, at least 2; base is greater than 0.
    Returns: float64 array of shape (head_dim, head_dim), orthogonal, zero outside its 2 × 2 blocks.
    Source: Su et al. 2021, "RoFormer", eq. 15.
    """
    position = validate.position("position", position)
    head_dim = validate.integer("head_dim", head_dim, low=2, even=True)
    validate.size("head_dim", (head_dim, head_dim))
    return _block_matrix(position * inv_freq(head_dim, base))


def _block_matrix(angles: np.ndarray) -> np.ndarray:
    """Return a block R(angle) for each pair, shape (d, d)."""
    first, matrix = np.arange(0, 2 * len(angles), 2), np.zeros((2 * len(angles), 2 * len(angles)))
    matrix[first, first] = matrix[first + 1, first + 1] = np.cos(angles)
    matrix[first + 1, first] = np.sin(angles)
    matrix[first, first + 1] = -matrix[first + 1, first]
    return matrix


@validate.quiet
def rope(x, positions=None, *, base: float = 10_000.0, pairing: str = "interleaved", rotary_dim: int | None = None):
    """Return x with each pair of dims turned by position·θ_i: (a, b) → (a cos − b sin, a sin + b cos).

    >>> rope(np.ones((2, 2))).round(2)
    array([[ 1.  ,  1.  ],
           [-0.3 ,  1.38]])

    Computed in float64 and rounded once to the dtype of x. To turn many x by the same angles fast, see `apply_rope`.

    Args:
        x: array of shape (..., seq_len, head_dim): queries or keys, of finite numbers.
        positions: an int n or a 1-D array with seq_len entries (fractions and negative ones are allowed);
            None means 0 … seq_len − 1. With a KV cache, give the true positions of the new rows.
        base: greater than 0.
        pairing: which dims turn together. "interleaved": (0, 1), (2, 3), … as Meta's Llama;
            "half": (0, r/2), (1, r/2+1), … as Hugging Face's rotate_half. Queries and keys must agree.
        rotary_dim: r, how many leading dims turn, even; the rest pass untouched. None means all.

    Returns: array of the shape of x, and its dtype if that is a float dtype up to float64; otherwise float64.
    Source: Su et al. 2021, "RoFormer", eq. 34; partial rotation as in GPT-NeoX and GPT-J.
    """
    x = validate.array("x", x, min_ndim=2)
    seq_len, head_dim = x.shape[-2:]
    if rotary_dim is None:
        rotary_dim = validate.integer("head_dim", head_dim, low=2, even=True)
    else:
        rotary_dim = validate.integer("rotary_dim", rotary_dim, low=2, high=head_dim, even=True)
    validate.choice("pairing", pairing, PAIRINGS)
    t = validate.positions(seq_len if positions is None else positions, rotary_dim)
    if t.size != seq_len:
        raise ValueError(f"positions must have one entry for each of the {seq_len} rows of x, got {t.size}")
    largest, most = np.abs(x).max(initial=0), np.finfo(_float_of(x)).max / 2
    if largest > most:
        raise ValueError(f"x must lie within ±{most:g} to be turned in {_float_of(x)}, got ±{largest:g}")
    return apply_rope(x, freqs_cis(t, rotary_dim, base), pairing=pairing)


@validate.quiet
def apply_rope(x, freqs_cis, *, pairing: str = "interleaved") -> np.ndarray:
    """Return x with each pair of dims turned by e^{itθ} made before: what a model does in every layer.

    freqs_cis(seq_len, rotary_dim, base) serves all heads and layers. Work is done in its precision and rounded once to
    that of x: complex128 is exact, .astype(np.complex64) fast. The numbers are not looked at: NaN stays NaN.

    >>> apply_rope(np.ones((2, 2)), freqs_cis(2, 2)).round(2)
    array([[ 1.  ,  1.  ],
           [-0.3 ,  1.38]])

    Args:
        x: array of shape (..., seq_len, head_dim), of real numbers.
        freqs_cis: complex array of shape (seq_len, r/2); the first r dims turn, r at most head_dim, the rest pass.
        pairing: "interleaved" or "half", as in `rope`.

    Returns: array of the shape of x, and its dtype if that is a float dtype up to float64; otherwise float64.
    Source: Su et al. 2021, "RoFormer", eq. 34.
    """
    x, freqs_cis = validate.as_array("x", x), validate.as_array("freqs_cis", freqs_cis)
    if x.dtype.kind not in "iuf" or freqs_cis.dtype.kind != "c":
        raise TypeError(f"x must hold real and freqs_cis complex numbers, got {x.dtype} and {freqs_cis.dtype}")
    fit = x.ndim >= 2 and freqs_cis.ndim == 2 and x.shape[-2] == len(freqs_cis)
    if not fit or not 0 < 2 * freqs_cis.shape[1] <= x.shape[-1]:
        shapes = "(..., seq_len, head_dim) and (seq_len, r/2) with 0 < r ≤ head_dim"
        raise ValueError(f"x and freqs_cis must have shapes {shapes}, got {x.shape} and {freqs_cis.shape}")
    validate.choice("pairing", pairing, PAIRINGS)
    validate.size("x", x.shape)
    dtype, half = _float_of(x), freqs_cis.shape[1]
    if dtype == np.float64:
        freqs_cis = freqs_cis.astype(np.complex128, copy=False)
    # There are no complex numbers of two float16, and none of the other byte order may be viewed as floats.
    x = np.ascontiguousarray(x, freqs_cis.real.dtype.newbyteorder("=") if dtype == np.float16 else dtype)
    out = np.empty_like(x)
    out[..., 2 * half :] = x[..., 2 * half :]
    if pairing == "interleaved":  # two floats side by side are one complex number
        pairs, turned = (part[..., : 2 * half].view(np.result_type(x.dtype, np.complex64)) for part in (x, out))
        np.multiply(pairs, freqs_cis, out=turned, casting="same_kind")
    else:
        cos, sin = np.ascontiguousarray(freqs_cis.real), np.ascontiguousarray(freqs_cis.imag)
        for one in np.ndindex(x.shape[:-2]):  # one by one they stay in the cache
            head, turned = x[one], out[one]
            a, b = head[:, :half], head[:, half : 2 * half]
            turned[:, :half] = a * cos - b * sin
            turned[:, half : 2 * half] = a * sin + b * cos
    return out.astype(dtype, copy=False)


def _float_of(x: np.ndarray) -> np.dtype:
    """Return the dtype of a result: that of x if it is a narrow float, else float64."""
    dtype = x.dtype.newbyteorder("=")
    return dtype if dtype in validate.DTYPES else np.dtype(np.float64)


def rope_forms(x, angles, *, pairing: str = "interleaved") -> np.ndarray:
    """Return x, of shape (d,), turned in three ways that are the same rotation, shape (3, d); angles has shape (d/2,).

    The block matrix R·x; two multiplications, x·cos + x⊥·sin with each pair (a, b) of x⊥ being (−b, a); and complex
    numbers, (a + ib)·e^{i·angle}. With half pairing they take the dims out of their order and put them back.

    Source: Su et al. 2021, "RoFormer", eq. 15 (matrix), 34 (two multiplications) and 12 (complex).
    """
    order = np.arange(x.size) if pairing == "interleaved" else np.arange(x.size).reshape(2, -1).T.ravel()
    x = x[order]
    cos, sin = np.cos(angles).repeat(2), np.sin(angles).repeat(2)
    across = np.stack([-x[1::2], x[0::2]], axis=-1).ravel()
    turned = (x[0::2] + 1j * x[1::2]) * np.exp(1j * angles)
    by_complex = np.stack([turned.real, turned.imag], axis=-1).ravel()
    forms = (_block_matrix(angles) @ x, x * cos + across * sin, by_complex)
    return np.stack(forms)[:, np.argsort(order)]


class Rope(Rotary):
    """Each pair of a query or a key turned by position·θ_i."""

    name, title = "rope", "Rotary (RoPE)"
    lesson = 6
    parameters = (
        seq_len_of(64),
        even_of(64, "head_dim"),
        base_of(10_000.0),
        Parameter("pairing", "which dims turn together", "interleaved", options=PAIRINGS),
        CONTENT,
    )
    source = "Su et al. 2021, RoFormer, section 3.2"
    shown = SLOW_PAIR

    @property
    def frequencies(self):
        return inv_freq(self.head_dim, self.base)

    def rotate(self, x, positions):
        return rope(x, positions, base=self.base, pairing=self.pairing)
