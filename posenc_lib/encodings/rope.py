"""Rotary position embedding (RoPE): turn queries and keys instead of adding to them."""

import numbers
from functools import cached_property

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Rotary
from posenc_lib.encodings.frequencies import inv_freq, theta, turns
from posenc_lib.encodings.pairing import PAIRINGS, Pairing
from posenc_lib.encodings.parameter import CONTENT, SLOW_PAIR, Parameter, base_of, even_of, seq_len_of
from posenc_lib.encodings.rope_scaling import rope_scaling
from posenc_lib.encodings.toy_data import DRAWN, query_and_key

CACHED = 2**14  # numbers that are turned at a time


@validate.quiet
def rotation_matrix(angle: float) -> npt.NDArray[np.float64]:
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
def rope_matrix(position: float, head_dim: int, base: float = 10_000.0) -> npt.NDArray[np.float64]:
    """Return the whole rotation at one position: a block R(position·θ_i) for each interleaved pair of dims.

    >>> rope_matrix(1, 4, base=100).round(2)
    array([[ 0.54, -0.84,  0.  ,  0.  ],
           [ 0.84,  0.54,  0.  ,  0.  ],
           [ 0.  ,  0.  ,  1.  , -0.1 ],
           [ 0.  ,  0.  ,  0.1 ,  1.  ]])

    Args: position lies within ±2**53; head_dim is even, at least 2; base is greater than 0.
    Returns: float64 array of shape (head_dim, head_dim), orthogonal, zero outside its 2 × 2 blocks.
    Source: Su et al. 2021, "RoFormer", eq. 15.
    """
    position = validate.position("position", position)
    head_dim = validate.integer("head_dim", head_dim, low=2, even=True)
    validate.size("head_dim", (head_dim, head_dim))
    angles = position * inv_freq(head_dim, base)
    first, matrix = np.arange(0, 2 * len(angles), 2), np.zeros((2 * len(angles), 2 * len(angles)))
    matrix[first, first] = matrix[first + 1, first + 1] = np.cos(angles)
    matrix[first + 1, first] = np.sin(angles)
    matrix[first, first + 1] = -matrix[first + 1, first]
    return matrix


@validate.quiet
def rope(
    x: npt.ArrayLike,
    positions: npt.ArrayLike | None = None,
    *,
    base: float = 10_000.0,
    inv_freq: npt.ArrayLike | None = None,
    attention_factor: float = 1.0,
    pairing: Pairing = "interleaved",
    rotary_dim: int | None = None,
    start_pos: npt.ArrayLike = 0,
) -> npt.NDArray[np.floating]:
    """Return x with each pair of dims turned by position·θ_i: (a, b) → (a cos − b sin, a sin + b cos).

    >>> rope(np.ones((2, 2))).round(2)
    array([[ 1.  ,  1.  ],
           [-0.3 ,  1.38]])

    Computed in float64 and rounded once to the dtype of x. To turn many x by the same angles fast, see `apply_rope`.
    With a cache, start_pos says where the new rows stand:

    >>> q = np.ones((5, 2))
    >>> np.array_equal(rope(q[3:], start_pos=3), rope(q)[3:])
    True

    A batch of texts has positions of its own for each, whether several are packed into a row or short ones padded:

    >>> packed, padded = [0, 1, 2, 0, 1], [0, 0, 0, 1, 2]
    >>> batch = rope(np.ones((2, 5, 2)), [packed, padded])
    >>> np.array_equal(batch[0, 3:], batch[1, 2:4])
    True

    Args:
        x: array of shape (..., seq_len, head_dim): queries or keys, of finite numbers. Where positions or start_pos
            differ from text to text, its first axis is the batch: (batch, num_heads, seq_len, head_dim).
        positions: an int n, an array of shape (seq_len,) or (batch, seq_len) (fractions and negative ones are
            allowed); None means 0 … seq_len − 1.
        base: greater than 0.
        inv_freq: θ, shape (r/2,), where it is not that of the base; with attention_factor it comes from `rope_scaling`.
        attention_factor: what the turned dims are multiplied by, above 0. On queries and keys, so scores grow by
            its square.
        pairing: which dims turn together. "interleaved": (0, 1), (2, 3), … as Meta's Llama;
            "half": (0, r/2), (1, r/2+1), … as Hugging Face's rotate_half. Queries and keys must agree.
        rotary_dim: r, how many leading dims turn, even; the rest pass untouched. None means all.
        start_pos: what is added to the positions, a number or one for each text of the batch, shape (batch,).

    Returns: array of the shape of x, and its dtype if that is a float dtype up to float64; otherwise float64.
    Source: Su et al. 2021, "RoFormer", eq. 34; partial rotation as in GPT-NeoX and GPT-J.
    """
    factor = validate.real("attention_factor", attention_factor, above=0)
    x = validate.array("x", x, min_ndim=2, growth=2 * factor)  # both dims of a pair may come together
    head_dim = x.shape[-1]
    if rotary_dim is None:
        rotary_dim = validate.integer("head_dim", head_dim, low=2, even=True)
    else:
        rotary_dim = validate.integer("rotary_dim", rotary_dim, low=2, high=head_dim, even=True)
    validate.choice("pairing", pairing, PAIRINGS)
    t = _positions_of(x, positions, start_pos, rotary_dim)
    turn = turns(t, theta(rotary_dim, base, given=inv_freq))
    return _turned(x, turn if factor == 1 else factor * turn, pairing)


def _positions_of(x: np.ndarray, positions, start_pos, columns: int) -> np.ndarray:
    """Return the position of each row of x, shape (seq_len,) or (batch, seq_len)."""
    seq_len = x.shape[-2]
    t = validate.positions(seq_len if positions is None else positions, columns)
    if t.shape[-1] != seq_len:
        raise ValueError(f"positions must have one entry for each of the {seq_len} rows of x, got {t.shape[-1]}")
    if not isinstance(start_pos, numbers.Real):
        start = validate.within_exact("start_pos", validate.array("start_pos", start_pos, ndim=1))
        t = validate.positions(t + start.astype(np.float64)[:, None], columns)
    elif start := validate.position("start_pos", start_pos):
        t = t.astype(np.float64) + start
        if positions is not None or abs(start) > validate.EXACT / 2:
            t = validate.positions(t, columns)
    if t.ndim == 2 and len(t) == 1 and x.ndim > 2:
        t = t[0]  # position_ids that all texts share
    if t.ndim == 2 and (x.ndim < 3 or len(t) != len(x)):
        rule = "positions and start_pos of a batch must have an entry for each text, the first axis of x"
        raise ValueError(f"{rule}, got {len(t)} for x of shape {x.shape}")
    return t


@validate.quiet
def apply_rope(
    x: npt.ArrayLike, freqs_cis: npt.ArrayLike, *, pairing: Pairing = "interleaved"
) -> npt.NDArray[np.floating]:
    """Return x with each pair of dims turned by e^{itθ} made before: what a model does in every layer.

    freqs_cis(seq_len, rotary_dim, base) serves all heads and layers. Work is done in its precision and rounded once to
    that of x: complex128 is exact, .astype(np.complex64) fast. The numbers are not looked at: NaN stays NaN.

    >>> from posenc_lib import freqs_cis
    >>> apply_rope(np.ones((2, 2)), freqs_cis(2, 2)).round(2)
    array([[ 1.  ,  1.  ],
           [-0.3 ,  1.38]])

    Args:
        x: array of shape (..., seq_len, head_dim), of real numbers.
        freqs_cis: complex array of shape (seq_len, r/2), or (batch, seq_len, r/2) where the first axis of x is the
            batch; the first r dims turn, r at most head_dim, the rest pass.
        pairing: "interleaved" or "half", as in `rope`.

    Returns: array of the shape of x, and its dtype if that is a float dtype up to float64; otherwise float64.
    Source: Su et al. 2021, "RoFormer", eq. 34.
    """
    x, freqs_cis = validate.as_array("x", x), validate.as_array("freqs_cis", freqs_cis)
    if x.dtype.kind not in "iuf" or freqs_cis.dtype.kind != "c":
        raise TypeError(f"x must hold real and freqs_cis complex numbers, got {x.dtype} and {freqs_cis.dtype}")
    if freqs_cis.ndim == 3 and len(freqs_cis) == 1 and x.ndim > 2:
        freqs_cis = freqs_cis[0]
    batched = freqs_cis.ndim == 3
    fit = x.ndim >= 2 + batched and freqs_cis.ndim in (2, 3) and x.shape[-2] == freqs_cis.shape[-2]
    fit = fit and not (batched and len(x) != len(freqs_cis))
    if not fit or not 0 < 2 * freqs_cis.shape[-1] <= x.shape[-1]:
        shapes = "(..., seq_len, head_dim) and (seq_len, r/2) or (batch, seq_len, r/2) with 0 < r ≤ head_dim"
        raise ValueError(f"x and freqs_cis must have shapes {shapes}, got {x.shape} and {freqs_cis.shape}")
    validate.choice("pairing", pairing, PAIRINGS)
    validate.size("x", x.shape)
    return _turned(x, freqs_cis, pairing)


def _turned(x: np.ndarray, freqs_cis: np.ndarray, pairing: str) -> np.ndarray:
    """Return what `apply_rope` does, of arguments that fit."""
    dtype, half = _float_of(x), freqs_cis.shape[-1]
    if dtype == np.float64:
        freqs_cis = freqs_cis.astype(np.complex128, copy=False)
    # There are no complex numbers of two float16, and none of the other byte order may be viewed as floats.
    x = np.ascontiguousarray(x, freqs_cis.real.dtype.newbyteorder("=") if dtype == np.float16 else dtype)
    if freqs_cis.ndim == 3:  # the axes for heads stand between
        freqs_cis = freqs_cis.reshape(len(x), *(1,) * (x.ndim - 3), *freqs_cis.shape[1:])
    out = np.empty_like(x)
    out[..., 2 * half :] = x[..., 2 * half :]
    if pairing == "interleaved":  # two floats side by side are one complex number
        pairs, turned = (part[..., : 2 * half].view(np.result_type(x.dtype, np.complex64)) for part in (x, out))
        np.multiply(pairs, freqs_cis, out=turned, casting="same_kind")
        return out.astype(dtype, copy=False)
    cos, sin = np.ascontiguousarray(freqs_cis.real), np.ascontiguousarray(freqs_cis.imag)
    rows = max(CACHED // half, 1)
    for one in np.ndindex(x.shape[:-2]):
        own = (one[0], *(0,) * (x.ndim - 3)) if cos.ndim > 2 else ()
        for start in range(0, x.shape[-2], rows):  # a few rows at a time stay in the cache
            part = slice(start, start + rows)
            c, s, head, turned = cos[own][part], sin[own][part], x[one][part], out[one][part]
            a, b = head[:, :half], head[:, half : 2 * half]
            turned[:, :half] = a * c - b * s
            turned[:, half : 2 * half] = a * s + b * c
    return out.astype(dtype, copy=False)


def _float_of(x: np.ndarray) -> np.dtype:
    """Return the dtype of a result: that of x if it is a narrow float, else float64."""
    dtype = x.dtype.newbyteorder("=")
    return dtype if dtype in validate.DTYPES else np.dtype(np.float64)


TRAINED = 64  # positions that a panel's RoPE counts as its training length, if it is not asked for another
SCALINGS = ("default", "linear", "ntk", "dynamic", "yarn", "llama3")  # the others need a list, or stop pairs wholly


class Scaled(Rotary):
    """RoPE whose frequencies a config scales: give scaled, what `rope_scaling` returns."""

    @property
    def frequencies(self):
        return self.scaled[0]

    @property
    def attention_factor(self):
        return self.scaled[1]


class Rope(Scaled):
    """Each pair of a query or a key turned by position·θ_i; with a rope_type, as if trained on some length."""

    name, title = "rope", "Rotary (RoPE)"
    lesson = 6
    parameters = (
        seq_len_of(64),
        even_of(64, "head_dim"),
        base_of(10_000.0),
        Parameter("pairing", "which dims turn together", "interleaved", options=PAIRINGS),
        CONTENT,
        Parameter("draw", "which random query and key", None, 0, 99, start=DRAWN),
        Parameter("rope_type", "how its frequencies are scaled for longer texts", "default", options=SCALINGS),
        Parameter("factor", "for texts how many times longer", None, 1, 32, 1, "power of two", start=4, least=1),
        Parameter(
            "trained", "the length it was trained on", None, 32, 2048, 1, "power of two", start=512, least=8, most=2**17
        ),
    )
    source = "Su et al. 2021, RoFormer, section 3.2"
    shown = SLOW_PAIR
    idle = {  # noqa: RUF012
        "draw": (  # views that have no query and key, or other ones
            *("clock", "wavelengths", "kernel_by_base", "precision", "basis", "shift_matrix"),
            *("attention_weights", "outputs", "attention_row", "score_decay"),
        )
    }

    def query_and_key(self):
        return query_and_key(self.head_dim, self.content, self.draw)

    @property
    def asleep(self):
        return ("factor", "trained") if self.rope_type == "default" else ()

    @property
    def training_length(self) -> int:
        """How many positions its frequencies were trained on."""
        return self.trained or TRAINED

    @property
    def as_trained(self) -> "Rope":
        """The same encoding as it was in training: unscaled, on texts of the training length."""
        return self.at(rope_type="default", seq_len=self.training_length)

    def describe(self, names):
        told = super().describe(names - {"factor", "trained"})
        scaled = f", factor {self.factor or 4}, as if trained on {self.training_length} positions."
        return told if self.asleep or "rope_type" not in names else told[:-1] + scaled

    @cached_property
    def scaled(self) -> tuple[np.ndarray, float]:
        """What `rope_scaling` makes of its frequencies: (inv_freq, attention_factor)."""
        given = {"rope_type": self.rope_type, "rope_theta": self.base}
        given |= {"original_max_position_embeddings": self.training_length}
        if self.rope_type != "default":
            given |= {"factor": self.factor or 4, "low_freq_factor": 1, "high_freq_factor": 4}
        return rope_scaling(given, self.head_dim, seq_len=self.seq_len)

    def rotate(self, x, positions):
        if self.rope_type == "default":  # the base gives θ in extended precision
            return rope(x, positions, base=self.base, pairing=self.pairing)
        return rope(x, positions, inv_freq=self.scaled[0], attention_factor=self.scaled[1], pairing=self.pairing)
