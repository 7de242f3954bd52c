"""Scaled dot-product attention, the machine that every encoding here is made for."""

import math

import numpy as np

from posenc_lib.encodings import validate


@validate.quiet
def softmax(scores, axis: int = -1) -> np.ndarray:
    """Return e^scores scaled to sum to 1 along an axis.

    >>> softmax([0.0, 0.0, -np.inf])
    array([0.5, 0.5, 0. ])

    Args:
        scores: array of real numbers with at least one axis, −inf where nothing may be seen; no row may be all −inf.
        axis: the axis to sum over.

    Returns: float64 array of the shape of scores.
    """
    scores = validate.array("scores", scores, min_ndim=1, mask=True)
    axis = validate.integer("axis", axis, low=-scores.ndim, high=scores.ndim - 1)
    if scores.size == 0:
        return scores.astype(np.float64)
    top = scores.max(axis=axis, keepdims=True)
    if np.isneginf(top).any():
        raise ValueError("scores must leave something to attend to, got a row of nothing but -inf")
    weights = np.exp(scores.astype(np.float64) - top)
    return weights / weights.sum(axis=axis, keepdims=True)


@validate.quiet
def attention(q, k, v, *, scores=None, scale=None, bias=None, causal: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return softmax(q kᵀ · scale + bias) v, and the weights.

    A scheme of positions comes in at its own place: added to the words before q, k and v are made; by turning q and
    k (`rope`); as scores of its own (`shaw_scores`, `transformer_xl_scores`); or as a bias (`t5_bias`, `alibi`).

    Args:
        q: queries, shape (..., q_len, d_k).
        k: keys, shape (..., k_len, d_k).
        v: values, shape (..., k_len, d_v).
        scores: what takes the place of q kᵀ, −inf where nothing may be seen; broadcast to (..., q_len, k_len).
        scale: what the scores are multiplied by, above 0, and within ±1e150 afterwards; None means 1/√d_k.
        bias: added to the scores before the softmax, −inf where nothing may be seen; broadcast to (..., q_len, k_len).
            Every query must be left with a key to see.
        causal: let each query see only keys at its own position and before. The last query stands at the
            last key, so with a cache k_len may exceed q_len.

    Returns: (output, weights), float64 arrays of shapes (..., q_len, d_v) and (..., q_len, k_len).
    Source: Vaswani et al. 2017, eq. 1.
    """
    q, k, v = (validate.array(name, x, min_ndim=2) for name, x in (("q", q), ("k", k), ("v", v)))
    causal = validate.flag("causal", causal)
    q_len, k_len = q.shape[-2], k.shape[-2]
    if q.shape[-1] != k.shape[-1] or q.shape[-1] == 0:
        raise ValueError(f"q and k must have the same d_k, at least 1, got {q.shape[-1]} and {k.shape[-1]}")
    if k_len != v.shape[-2] or k_len == 0:
        raise ValueError(f"k and v must have the same number of rows, at least 1, got {k_len} and {v.shape[-2]}")
    if causal and q_len > k_len:
        raise ValueError(f"q must have at most as many rows as k when causal=True, got {q_len} and {k_len}")
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else validate.real("scale", scale, above=0)
    bias = np.zeros((1, 1)) if bias is None else _pairwise("bias", bias, q_len, k_len)
    given = np.zeros((1, 1)) if scores is None else _pairwise("scores", scores, q_len, k_len)
    lead = validate.leading_axes("q, k, v, scores and bias", q, k, v, given, bias)
    validate.size("q, k and v", (*lead, q_len, max(k_len, v.shape[-1])))
    scores = q.astype(np.float64) @ np.swapaxes(k, -1, -2) if scores is None else given
    largest = np.abs(scores[np.isfinite(scores)]).max(initial=0) if scale > 1 else 0  # else they only get smaller
    if largest > validate.LARGEST / scale:
        raise ValueError(f"scale must leave the scores within ±{validate.LARGEST:g}, got {scale:g} for ±{largest:g}")
    scores = scores * scale + bias
    pairs = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], scores.shape[:-2])
    scores = np.broadcast_to(scores, (*pairs, q_len, k_len))
    if causal:
        scores = np.where(np.tri(q_len, k_len, k_len - q_len, dtype=bool), scores, -np.inf)
    weights = softmax(scores)
    return weights @ v, weights


def _pairwise(name: str, value, q_len: int, k_len: int) -> np.ndarray:
    """Return a number for every query and key, or refuse a shape that does not fit them."""
    value = np.atleast_2d(validate.array(name, value, mask=True)).astype(np.float64)
    if value.shape[-2] not in (1, q_len) or value.shape[-1] not in (1, k_len):
        raise ValueError(f"{name} must broadcast to (..., {q_len}, {k_len}), got shape {value.shape}")
    return value
