"""Scaled dot-product attention, which every encoding here is made for."""

import math
from functools import partial

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate


@validate.checked(scores=partial(validate.data, min_ndim=1))
def softmax(scores: npt.ArrayLike, axis: int = -1) -> npt.NDArray[np.float64]:
    """Return e^scores scaled to sum to 1 along an axis.

    >>> softmax([0.0, 0.0, -np.inf])
    array([0.5, 0.5, 0. ])

    Args: scores are −inf where nothing can be seen. A row can't be −inf everywhere.
    Returns: float64 array with the shape of scores.
    """
    axis = validate.integer("axis", axis, low=-scores.ndim, high=scores.ndim - 1)
    if scores.size and np.isneginf(scores.max(axis=axis)).any():
        raise ValueError("scores must leave something to attend to, got a row of only -inf")
    return _weights(scores, axis)


def dot_products(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Return q kᵀ, (n, n)."""
    validate.fit_memory(len(q) * len(k), seq_len=len(q))
    return q.astype(float) @ k.T.astype(float)


def _weights(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    """Return the softmax, or zeros if there's nothing to attend to."""
    # The top must be finite: −inf − −inf is NaN.
    top = scores.max(axis=axis, keepdims=True, initial=-np.finfo(np.float64).max)
    weights = np.exp(scores - top)
    return weights / np.maximum(weights.sum(axis=axis, keepdims=True), np.finfo(np.float64).tiny)


@validate.checked(validate.scores_of, v=validate.ROWS)
def attention(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    bias: npt.ArrayLike | None = None,
    scores: npt.ArrayLike | None = None,
    scale: float | None = None,
    causal: bool = False,
    mask: npt.ArrayLike | None = None,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return softmax(q kᵀ · scale + bias) v, and the weights.

    Encodings enter at different places. `sinusoidal` is added to the tokens before q, k and v,
    `rope` rotates q and k, `shaw_scores` replaces the scores, and `alibi` is a bias. A query that
    sees no key gets zeros.

    >>> x = np.eye(2)
    >>> output, weights = attention(x, x, x, mask=[[True, False], [False, False]])
    >>> weights
    array([[1., 0.],
           [0., 0.]])

    Args: k and v can have fewer heads than q, one per group of query heads. bias is added to the
        scores, scores replace q kᵀ, and mask is True where a query may see a key. All three
        broadcast to (..., q_len, k_len), and bias and scores are −inf where nothing can be seen.
        scale is positive; None means 1/√d_k. causal hides later keys.
    Returns: (output, weights), float64 arrays of shapes (..., q_len, d_v) and (..., q_len, k_len).
    Source: Vaswani et al. 2017, eq. 1; Ainslie et al. 2023, "GQA", for groups of heads.
    """
    k, v = _for_each_head(q, k, v)
    q_len, k_len = q.shape[-2], k.shape[-2]
    own = _pairwise("scores", 0 if scores is None else scores, q_len, k_len)
    bias = _pairwise("bias", 0 if bias is None else bias, q_len, k_len)
    seen = _pairwise("mask", True if mask is None else mask, q_len, k_len)
    validate.leading_axes("q, k, v, scores, bias and mask", q, k, v, own, bias, seen)
    scores = q @ np.swapaxes(k, -1, -2) if scores is None else own
    scores = scores * (1 / math.sqrt(q.shape[-1]) if scale is None else scale) + bias
    if causal:
        seen = seen & np.tri(q_len, k_len, k_len - q_len, dtype=bool)
    pairs = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], scores.shape[:-2], seen.shape[:-2])
    weights = _weights(np.where(seen, np.broadcast_to(scores, (*pairs, q_len, k_len)), -np.inf))
    return weights @ v, weights


def _for_each_head(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return keys and values with one head per query head, repeated for each group."""
    if q.shape[-1] != k.shape[-1] or q.shape[-1] == 0:
        raise ValueError(
            f"q and k must have the same d_k, at least 1, got {q.shape[-1]} and {k.shape[-1]}"
        )
    if k.shape[-2] != v.shape[-2] or k.shape[-2] == 0:
        rule = "k and v must have the same number of rows, at least 1"
        raise ValueError(f"{rule}, got {k.shape[-2]} and {v.shape[-2]}")
    heads, groups = ((1, *x.shape)[-3] for x in (q, k))
    if min(q.ndim, k.ndim, v.ndim) < 3 or groups != v.shape[-3]:
        return k, v
    if groups in (0, 1, heads) or heads == 1:
        return k, v
    if heads % groups:
        raise ValueError(f"q must have a multiple of the {groups} heads of k and v, got {heads}")
    return np.repeat(k, heads // groups, axis=-3), np.repeat(v, heads // groups, axis=-3)


def _pairwise(name: str, value, q_len: int, k_len: int) -> np.ndarray:
    """Return one entry for every query and key, or refuse a shape that doesn't fit."""
    rule = validate.as_array if name == "mask" else validate.data
    value = np.atleast_2d(rule(name, value))
    if name == "mask" and value.dtype != bool:
        got = f"dtype {value.dtype} (mask == 1 may do)"
        raise TypeError(f"mask must be boolean, True where a key may be seen, got {got}")
    if value.shape[-2] not in (1, q_len) or value.shape[-1] not in (1, k_len):
        raise ValueError(
            f"{name} must broadcast to (..., {q_len}, {k_len}), got shape {value.shape}"
        )
    return value
