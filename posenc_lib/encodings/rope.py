"""Rotary position embedding (RoPE): turn queries and keys instead of adding to them."""

from functools import partial

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.frequencies import inv_freq, phasors
from posenc_lib.encodings.pairing import PAIRINGS, in_halves
from posenc_lib.encodings.record import CONTENT, SLOW_PAIR, Encoding, Parameter, base_of, even_of, seq_len_of
from posenc_lib.encodings.turning import turn_half, turn_interleaved


@validate.quiet
def rotation_matrix(angle: float) -> np.ndarray:
    """Return R(a) = [[cos a, −sin a], [sin a, cos a]], which turns a column vector by a, counter-clockwise.

    For row vectors (x @ R) use the transpose.

    Args:
        angle: a, in radians; any finite number.

    Returns:
        float64 array of shape (2, 2).

    Raises:
        TypeError: angle is no real number.
        ValueError: angle is not finite.

    Source: Su et al. 2021, "RoFormer", eq. 13.
    """
    angle = validate.real("angle", angle)
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


@validate.quiet
def rope_matrix(position: float, head_dim: int, base: float = 10_000.0) -> np.ndarray:
    """Return the whole rotation at one position: a block R(position·θ_i) for each interleaved pair of dims.

    Args:
        position: in positions; within ±2**53.
        head_dim: number of dims, even, at least 2.
        base: greater than 0.

    Returns:
        float64 array of shape (head_dim, head_dim), orthogonal, zero outside its 2 × 2 blocks.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: a rule above is broken, or the result would not fit in this machine's memory.

    Source: Su et al. 2021, "RoFormer", eq. 15.
    """
    position = validate.place("position", position)
    head_dim = validate.whole("head_dim", head_dim, low=2, even=True)
    validate.fits_in_memory("head_dim", (head_dim, head_dim))
    turned = position * inv_freq(head_dim, base)
    first = np.arange(0, head_dim, 2)
    matrix = np.zeros((head_dim, head_dim))
    matrix[first, first] = matrix[first + 1, first + 1] = np.cos(turned)
    matrix[first + 1, first] = np.sin(turned)
    matrix[first, first + 1] = -matrix[first + 1, first]
    return matrix


@validate.quiet
def rope(x, positions=None, *, base: float = 10_000.0, pairing: str = "interleaved", rotary_dim: int | None = None):
    """Return x with each pair of dims turned by position·θ_i: (a, b) → (a cos − b sin, a sin + b cos).

    Computed in float64 and rounded once to the dtype of x. To turn many x by the same angles fast, see `apply_rope`.

    Args:
        x: array of shape (..., seq_len, head_dim): queries or keys, of finite numbers.
        positions: an int n or a 1-D array with seq_len entries (fractions and negative ones are allowed);
            None means 0 … seq_len − 1. With a KV cache, give the true positions of the new rows.
        base: greater than 0.
        pairing: which dims turn together. "interleaved": (0, 1), (2, 3), … as Meta's Llama;
            "half": (0, r/2), (1, r/2+1), … as Hugging Face's rotate_half. Queries and keys must agree.
        rotary_dim: r, how many leading dims turn, even; the rest pass untouched. None means all.

    Returns:
        array of the shape of x, and its dtype if that is a float dtype up to float64; otherwise float64.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: a rule above is broken.

    Source: Su et al. 2021, "RoFormer", eq. 34; partial rotation as in GPT-NeoX and GPT-J.
    """
    x = validate.array("x", x, min_ndim=2)
    seq_len, head_dim = x.shape[-2:]
    if rotary_dim is None:
        rotary_dim = validate.whole("head_dim", head_dim, low=2, even=True)
    else:
        rotary_dim = validate.whole("rotary_dim", rotary_dim, low=2, high=head_dim, even=True)
    validate.choice("pairing", pairing, PAIRINGS)
    t = validate.count_or_positions(seq_len if positions is None else positions, rotary_dim)
    if t.size != seq_len:
        raise ValueError(f"positions must have one entry for each of the {seq_len} rows of x, got {t.size}")
    hands = phasors(t, rotary_dim, base)
    largest, most = np.abs(x).max(initial=0), np.finfo(_float_of(x)).max / 2
    if largest > most:
        raise ValueError(f"x must lie within ±{most:g} to be turned in {_float_of(x)}, got ±{largest:g}")
    return apply_rope(x, hands, pairing=pairing)


@validate.quiet
def apply_rope(x, hands, *, pairing: str = "interleaved") -> np.ndarray:
    """Return x with each pair of dims turned by hands made before: what a model does in every layer.

    hands = phasors(seq_len, rotary_dim, base) serves all heads and layers. Work is done in the precision of hands and
    rounded once to that of x: complex128 is exact, hands.astype(np.complex64) fast. The numbers are not looked at:
    NaN stays NaN.

    Args:
        x: array of shape (..., seq_len, head_dim), of real numbers.
        hands: complex array of shape (seq_len, r/2); the first r dims turn, r at most head_dim, the rest pass.
        pairing: "interleaved" or "half", as in `rope`.

    Returns:
        array of the shape of x, and its dtype if that is a float dtype up to float64; otherwise float64.

    Raises:
        TypeError: x does not hold real numbers, or hands no complex ones.
        ValueError: shapes do not fit together; pairing is none of the two.

    Source: Su et al. 2021, "RoFormer", eq. 34.
    """
    x, hands = validate.plain("x", x), validate.plain("hands", hands)
    if x.dtype.kind not in "iuf" or hands.dtype.kind != "c":
        raise TypeError(f"x must hold real and hands complex numbers, got {x.dtype} and {hands.dtype}")
    fit = x.ndim >= 2 and hands.ndim == 2 and x.shape[-2] == len(hands)
    if not fit or not 0 < 2 * hands.shape[1] <= x.shape[-1]:
        raise ValueError(
            f"x and hands must have shapes (..., seq_len, head_dim) and (seq_len, r/2) with 0 < r ≤ head_dim, "
            f"got {x.shape} and {hands.shape}"
        )
    validate.choice("pairing", pairing, PAIRINGS)
    validate.fits_in_memory("x", x.shape)
    dtype = _float_of(x)
    if dtype == np.float64:
        hands = hands.astype(np.complex128, copy=False)
    # There are no complex numbers of two float16, and none of the other byte order may be viewed as floats.
    wide = hands.real.dtype.newbyteorder("=") if dtype == np.float16 else dtype
    turn = turn_interleaved if pairing == "interleaved" else turn_half
    return turn(np.ascontiguousarray(x, wide), hands).astype(dtype, copy=False)


def _float_of(x: np.ndarray) -> np.dtype:
    """Return the dtype of a result: that of x if it is a narrow float, else float64."""
    dtype = x.dtype.newbyteorder("=")
    return dtype if dtype in validate.DTYPES else np.dtype(np.float64)


def four_forms(x, position: float, base: float = 10_000.0, *, pairing: str = "interleaved") -> np.ndarray:
    """Return one vector turned at one position in four ways that are the same rotation.

    The block matrix R·x; two multiplications, x·cos + x⊥·sin with each pair (a, b) of x⊥ being (−b, a);
    complex numbers, (a + ib)·e^{i·position·θ}; and `rope`. With half pairing the first three take the dims out of
    their order and put them back.

    Args:
        x: array of shape (head_dim,), head_dim even.
        position: in positions; within ±2**53.
        base: greater than 0.
        pairing: "interleaved" or "half", as in `rope`.

    Returns:
        float64 array of shape (4, head_dim), whose rows differ by rounding only.

    Raises:
        TypeError, ValueError: as in `rope_matrix`.

    Source: Su et al. 2021, "RoFormer", eq. 12 (complex), 15 (matrix) and 34 (two multiplications).
    """
    x = validate.array("x", x, ndim=1).astype(np.float64)
    by_rope = rope(x[None], [position], base=base, pairing=pairing)[0]
    pairs = np.arange(x.size).reshape(-1, 2) if pairing == "interleaved" else np.arange(x.size).reshape(2, -1).T
    back = np.argsort(pairs.ravel())
    x = x[pairs.ravel()]
    turned = validate.place("position", position) * inv_freq(x.size, base)
    cos, sin = np.cos(turned).repeat(2), np.sin(turned).repeat(2)
    across = np.stack([-x[1::2], x[0::2]], axis=-1).ravel()
    hands = (x[0::2] + 1j * x[1::2]) * np.exp(1j * turned)
    complex_form = np.stack([hands.real, hands.imag], axis=-1).ravel()
    by_matrix = rope_matrix(position, x.size, base) @ x
    return np.stack([*(form[back] for form in (by_matrix, x * cos + across * sin, complex_form)), by_rope])


def query_and_key(head_dim: int, content: str) -> np.ndarray:
    """Return one query and one key, shape (2, head_dim): all ones, or drawn at random, always the same."""
    validate.choice("content", content, ("ones", "random"))
    drawn = np.random.default_rng(44).normal(size=(2, head_dim))  # a seed whose first two dims make a clear picture
    return np.ones((2, head_dim)) if content == "ones" else drawn


def _turned(positions, seq_len: int, head_dim: int, *, content: str, base: float, pairing: str):
    """Return one query and one key, turned at every position."""
    head_dim = validate.whole("head_dim", head_dim, low=2, even=True)
    positions = validate.count_or_positions(positions, 2 * head_dim)
    turn = partial(rope, positions=positions, base=base, pairing=pairing)
    return tuple(turn(np.broadcast_to(x, (positions.size, head_dim))) for x in query_and_key(head_dim, content))


def _pairs(base: float, head_dim: int, **rest):
    return inv_freq(head_dim, base)


def _shift(offset, head_dim: int, base: float, *, pairing: str, **rest):
    """Return the matrix that turns a query or a key by an offset, whatever the pairing."""
    matrix = rope_matrix(offset, head_dim, base)
    return matrix if pairing == "interleaved" else in_halves(matrix)


ROPE = Encoding(
    name="rope",
    title="Rotary (RoPE)",
    kind="rotary",
    function=rope,
    parameters=(
        seq_len_of(64),
        even_of(64, "head_dim"),
        base_of(10_000.0),
        Parameter("pairing", "which dims turn together", "interleaved", options=PAIRINGS),
        CONTENT,
    ),
    source="Su et al. 2021, RoFormer, section 3.2",
    rows=_turned,
    frequencies=_pairs,
    shift=_shift,
    shown=SLOW_PAIR,
)
