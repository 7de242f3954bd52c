"""Rotary position embedding (RoPE): rotate queries and keys instead of adding to them."""

from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Rotary
from posenc_lib.encodings.frequencies import inv_freq, theta, turns
from posenc_lib.encodings.pairing import PAIRINGS, Pairing
from posenc_lib.encodings.parameter import (
    CONTENT,
    SLOW_PAIR,
    Parameter,
    base_of,
    even_of,
    powers_of,
    seq_len_of,
)
from posenc_lib.encodings.rope_scaling import rope_scaling
from posenc_lib.encodings.toy_data import DRAWN

BLOCK = 2**18  # numbers rotated at a time, so they stay in the cache
VECTORS = partial(validate.array, min_ndim=2, finite=False)  # the rule for queries and keys


@validate.checked()  # the rule for its name converts an argument
def rotation_matrix(angle: float) -> npt.NDArray[np.float64]:
    """Return R(a) = [[cos a, −sin a], [sin a, cos a]], which rotates counterclockwise.

    >>> (rotation_matrix(np.pi / 2) @ [1, 0]).round(2)
    array([0., 1.])

    Args: angle is a, in radians. R rotates column vectors. For rows, x @ R, use the transpose.
    Returns: float64 array of shape (2, 2).
    Source: Su et al. 2021, "RoFormer", eq. 13.
    """
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


@validate.checked(lambda head_dim: head_dim**2)
def rope_matrix(position: float, head_dim: int, base: float = 10_000.0) -> npt.NDArray[np.float64]:
    """Return the full rotation at one position: one block R(position·θ_i) per interleaved pair.

    >>> rope_matrix(1, 2).round(2)
    array([[ 0.54, -0.84],
           [ 0.84,  0.54]])

    Returns: float64 array of shape (head_dim, head_dim), orthogonal, zero outside its 2 × 2 blocks.
    Source: Su et al. 2021, "RoFormer", eq. 15.
    """
    matrix, angle = np.zeros((head_dim, head_dim)), position * inv_freq(head_dim, base)
    a, b = np.arange(0, head_dim, 2), np.arange(1, head_dim, 2)
    matrix[a, a], matrix[a, b] = np.cos(angle), -np.sin(angle)
    matrix[b, a], matrix[b, b] = np.sin(angle), np.cos(angle)
    return matrix


@validate.checked(x=VECTORS)
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
    """Return x with each pair rotated by position·θ_i: (a, b) → (a cos − b sin, a sin + b cos).

    Computed in float64, rounded once. `apply_rope` rotates many x by the same angles. With a cache,
    start_pos is the position of the new rows. Packed or padded texts need their own positions.

    >>> rope(np.ones((2, 2))).round(2)
    array([[ 1.  ,  1.  ],
           [-0.3 ,  1.38]])
    >>> packed, padded = [0, 1, 2, 0, 1], [0, 0, 0, 1, 2]
    >>> batch = rope(np.ones((2, 5, 2)), [packed, padded])
    >>> np.array_equal(batch[0, 3:], batch[1, 2:4])
    True

    Args: x are queries or keys, shape (..., seq_len, head_dim). If positions or start_pos differ
        between texts, its first axis is the batch: (batch, num_heads, seq_len, head_dim).
        positions are 0 … seq_len − 1 by default. start_pos is added to them, one number or one per
        text, shape (batch,). Only the first rotary_dim dims rotate; None means all. inv_freq,
        shape (rotary_dim/2,), and attention_factor come from `rope_scaling`; scores grow by the
        square of the factor. pairing is "interleaved", dims (0, 1), (2, 3), …, as in Meta's Llama,
        or "half", dims (0, r/2), (1, r/2 + 1), …, as in Hugging Face's rotate_half. Use the same
        for queries and keys.
    Returns: array with the shape of x, and its dtype if that's a float dtype up to float64;
        otherwise float64.
    Source: Su et al. 2021, "RoFormer", eq. 34; partial rotation as in GPT-NeoX and GPT-J.
    """
    x = np.asarray(x)
    dims = validate.EVEN("head_dim", x.shape[-1]) if rotary_dim is None else rotary_dim
    if dims > x.shape[-1]:
        raise ValueError(f"rotary_dim must be at most {x.shape[-1]}, got {dims}")
    t = np.arange(x.shape[-2]) if positions is None else np.asarray(positions)
    # it has no rule above: the default 0 has no .ndim
    start = validate.offsets("start_pos", start_pos)
    if start.ndim > 1:
        raise ValueError(
            f"start_pos must be a number, or one for each text in a batch, got shape {start.shape}"
        )
    if start.ndim and t.ndim == 2 and len(start) != len(t):
        rule = f"start_pos must have one entry for each of the {len(t)} texts"
        raise ValueError(f"{rule}, got shape {start.shape}")
    if start.any():
        # the sum can be too large
        t = validate.positions(t + (start[:, None] if start.ndim else start))
    t = row_by_row(t, x)
    turn = turns(t, theta(dims, base, given=inv_freq), factor=attention_factor)  # e^{itθ}
    return _turned(x, turn, pairing)


def row_by_row(t: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return positions for the rows of x, (seq_len,) or (batch, seq_len), or refuse them."""
    if t.shape[-1] != x.shape[-2]:
        rule = f"positions must have one entry for each of the {x.shape[-2]} rows of x"
        raise ValueError(f"{rule}, got {t.shape[-1]}")
    if t.ndim == 2 and len(t) == 1:
        return t[0]
    if t.ndim == 2 and (x.ndim < 3 or len(t) != len(x)):
        rule = "positions and start_pos of a batch must have one entry for each text"
        rule += ", the first axis of x"
        raise ValueError(f"{rule}, got {len(t)} for x of shape {x.shape}")
    return t


@validate.checked(x=VECTORS)
def apply_rope(
    x: npt.ArrayLike, freqs_cis: npt.ArrayLike, *, pairing: Pairing = "interleaved"
) -> npt.NDArray[np.floating]:
    """Return x with each pair rotated by a given e^{itθ}, the way every layer of a model does it.

    One `freqs_cis(seq_len, rotary_dim, base)` serves all heads and layers. The result is computed
    in the higher precision of x and freqs_cis, and rounded once to that of x. For float32,
    .astype(np.complex64) makes it twice as fast.

    >>> apply_rope(np.ones((2, 2)), np.exp(1j * np.array([[0], [1]]))).round(2)
    array([[ 1.  ,  1.  ],
           [-0.3 ,  1.38]])

    Args: for x and pairing, see `rope`. freqs_cis is complex, shape (seq_len, r/2), or (batch,
        seq_len, r/2) if the first axis of x is the batch. The first r dims rotate; the rest don't.
    Returns: array with the shape of x, and its dtype if that's a float dtype up to float64;
        otherwise float64.
    Source: Su et al. 2021, "RoFormer", eq. 34.
    """
    x, turn = np.asarray(x), validate.as_array("freqs_cis", freqs_cis)
    if turn.dtype.kind != "c":
        raise TypeError(f"freqs_cis must be complex, got {validate.show(turn)}")
    if turn.ndim == 3 and len(turn) == 1:
        turn = turn[0]
    fits = turn.ndim == 2 or (turn.ndim == 3 and x.ndim > 2 and len(x) == len(turn))
    if not fits or x.shape[-2] != turn.shape[-2] or not 0 < 2 * turn.shape[-1] <= x.shape[-1]:
        shapes = "(..., seq_len, head_dim) and (seq_len, r/2)"
        shapes += " or (batch, seq_len, r/2) with 0 < r ≤ head_dim"
        raise ValueError(
            f"x and freqs_cis must have shapes {shapes}, got {x.shape} and {turn.shape}"
        )
    return _turned(x, turn, pairing)


def _turned(x: np.ndarray, turn: np.ndarray, pairing: str) -> np.ndarray:
    """Return x with each pair of dims rotated.

    (a + ib)·e^{itθ} = (a cos tθ − b sin tθ) + i(a sin tθ + b cos tθ)
    """
    dtype, pairs = x.dtype.newbyteorder("="), turn.shape[-1]
    if dtype not in validate.DTYPES:
        dtype = np.dtype(np.float64)
    if dtype == np.float64:  # _turn_apart computes in turn's dtype, and complex64 would round x
        turn = turn.astype(np.complex128, copy=False)
    if turn.ndim == 3:  # one per text of a batch: the axes for heads come in between
        turn = turn.reshape(len(x), *(1,) * (x.ndim - 3), *turn.shape[1:])
    out = np.empty(x.shape, dtype)
    out[..., 2 * pairs :] = x[..., 2 * pairs :]  # the dims that don't rotate
    if pairing == "half":
        _turn_apart(x, turn, out, np.s_[:pairs], np.s_[pairs : 2 * pairs])
    elif dtype == np.float16:  # NumPy has no complex dtype for these
        _turn_apart(x, turn, out, np.s_[0 : 2 * pairs : 2], np.s_[1 : 2 * pairs : 2])
    else:
        _turn_neighbors(x, turn, out)
    return out


def _turn_neighbors(x: np.ndarray, turn: np.ndarray, out: np.ndarray) -> None:
    """Write rotated x to out. With a and b side by side, memory already contains a + ib."""
    x, kind = np.ascontiguousarray(x, out.dtype), np.result_type(out.dtype, np.complex64)
    before, after = (part[..., : 2 * turn.shape[-1]].view(kind) for part in (x, out))
    np.multiply(before, turn, out=after, casting="same_kind")


def _turn_apart(x: np.ndarray, turn: np.ndarray, out: np.ndarray, a: slice, b: slice) -> None:
    """Write rotated x to out, with a and b the dims of pairs, as many rows as fit the cache."""
    seq_len = x.shape[-2]
    numbers_in_a_row = max(x.size // max(seq_len, 1), 1)  # in all heads and texts
    rows = max(BLOCK // numbers_in_a_row, 1)
    memory = np.empty((*x.shape[:-2], min(rows, seq_len), turn.shape[-1]), turn.dtype)
    for start in range(0, seq_len, rows):
        part = np.s_[..., start : start + rows, :]
        before, after = x[part], out[part]
        turned = memory[..., : before.shape[-2], :]
        turned.real, turned.imag = before[..., a], before[..., b]
        turned *= turn[part]
        after[..., a], after[..., b] = turned.real, turned.imag


FACTOR = 4  # if a rope_type scales its frequencies and none is given
# not longrope: it needs a list of factors
SCALINGS = ("default", "linear", "ntk", "dynamic", "yarn", "llama3")


# They have their own queries and keys, or none.
VIEWS_WITH_OTHER_QK = "clock shift_matrix attention_weights outputs attention_row score_decay"


class Scaled(Rotary):
    """RoPE with frequencies scaled by a config. Define scaled, the result of `rope_scaling`."""

    @property
    def frequencies(self):
        return self.scaled[0]

    @property
    def attention_factor(self):
        return self.scaled[1]


class Rope(Scaled):
    """Each pair of a query or a key, rotated by position·θ_i.

    With a rope_type, it's treated as trained on some length. factor and trained are None, without
    a slider, until a reader asks for one; then they default to FACTOR and 64.
    """

    name, title = "rope", "Rotary (RoPE)"
    lesson = 6
    parameters = (
        seq_len_of(64),
        even_of(64, "head_dim"),
        base_of(10_000.0),
        Parameter("pairing", "which dims rotate together", "interleaved", options=PAIRINGS),
        CONTENT,
        Parameter("draw", "number of the random query and key", None, 0, 99, start=DRAWN),
        Parameter(
            "rope_type",
            "how its frequencies are scaled for longer texts",
            "default",
            options=SCALINGS,
        ),
        powers_of(
            "factor", "how many times longer texts may be", None, 1, 32, start=FACTOR, most=4096
        ),
        powers_of(
            "trained",
            "the length it was trained on",
            None,
            32,
            2048,
            step=1,
            start=512,
            least=8,
            most=2**17,
        ),
    )
    view_starts = SLOW_PAIR
    unused_in = {"draw": tuple(VIEWS_WITH_OTHER_QK.split())}

    @property
    def content_seed(self):
        return self.draw

    @property
    def unused_now(self):
        return ("factor", "trained") if self.rope_type == "default" else ()

    @property
    def scale_factor(self) -> int:
        """How many times longer than training_length texts may be, with a rope_type."""
        return self.factor or FACTOR

    @property
    def as_trained(self) -> "Rope":
        """The same encoding in training: unscaled, on texts of the training length."""
        return self.at(rope_type="default", seq_len=self.training_length)

    def describe(self, names):
        told = super().describe(names - {"factor", "trained"})
        scaled = f", factor {self.scale_factor}, as if trained on {self.training_length} positions."
        plain = self.rope_type == "default" or "rope_type" not in names
        return told if plain else told.removesuffix(".") + scaled

    @cached_property
    def scaled(self) -> tuple[np.ndarray, float]:
        """Its scaled frequencies from `rope_scaling`: (inv_freq, attention_factor)."""
        given = {"rope_type": self.rope_type, "rope_theta": self.base}
        given["original_max_position_embeddings"] = self.training_length
        if self.rope_type != "default":
            given["factor"] = self.scale_factor
            given |= {"low_freq_factor": 1, "high_freq_factor": 4}  # only for llama3
        return rope_scaling(given, self.head_dim, seq_len=self.seq_len)

    def rotate(self, x, positions):
        if self.rope_type == "default":  # with a base, θ has extended precision
            return rope(x, positions, base=self.base, pairing=self.pairing)
        scaled, factor = self.scaled
        return rope(x, positions, inv_freq=scaled, attention_factor=factor, pairing=self.pairing)
