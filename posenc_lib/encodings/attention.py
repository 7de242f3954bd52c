"""Scaled dot-product attention, the machine that every encoding here is made for."""

import numpy as np

from posenc_lib.encodings import validate


def softmax(scores, axis: int = -1) -> np.ndarray:
    """Return e^scores scaled to sum to 1 along an axis.

    Args:
        scores: array of real numbers with at least one axis; −inf marks what must not be attended to.
        axis: the axis to sum over.

    Returns:
        float64 array of the shape of scores.

    Raises:
        TypeError: scores do not hold real numbers, or axis is no whole number.
        ValueError: scores hold NaN or +inf, or a row has nothing but −inf; axis is out of range.
    """
    scores = np.asarray(scores)
    if scores.dtype.kind not in "iuf":
        raise TypeError(f"scores must hold real numbers, got dtype {scores.dtype}")
    if scores.ndim == 0:
        raise ValueError("scores must have at least 1 axis, got a single number")
    axis = validate.whole("axis", axis, low=-scores.ndim, high=scores.ndim - 1)
    if np.isnan(scores).any() or np.isposinf(scores).any():
        raise ValueError("scores must be finite or -inf, got NaN or +inf")
    if scores.size == 0:
        return scores.astype(np.float64)
    top = scores.max(axis=axis, keepdims=True)
    if np.isneginf(top).any():
        raise ValueError("scores must leave something to attend to, got a row of nothing but -inf")
    weights = np.exp(scores.astype(np.float64) - top)
    return weights / weights.sum(axis=axis, keepdims=True)


def attention(q, k, v, *, bias=None, causal: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return softmax(q kᵀ / √d_k + bias) v, and the weights.

    Args:
        q: queries, shape (..., q_len, d_k).
        k: keys, shape (..., k_len, d_k).
        v: values, shape (..., k_len, d_v).
        bias: added to the scores before the softmax, −inf where nothing may be seen; broadcast to (..., q_len, k_len).
        causal: let each query see only keys at its own position and before. The last query stands at the
            last key, so with a cache k_len may exceed q_len.

    Returns:
        (output, weights): float64 arrays of shapes (..., q_len, d_v) and (..., q_len, k_len);
        each row of weights sums to 1.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: shapes do not fit together; an entry is not finite; causal with q_len > k_len.

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
    try:
        np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    except ValueError:
        raise ValueError(f"q, k, v must agree in their leading axes, got {q.shape}, {k.shape}, {v.shape}") from None
    scores = q.astype(np.float64) @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if bias is not None:
        scores = _add_bias(scores, validate.array("bias", bias, mask=True))
    if causal:
        scores = np.where(np.tri(q_len, k_len, k_len - q_len, dtype=bool), scores, -np.inf)
    weights = softmax(scores)
    return weights @ v, weights


def _add_bias(scores: np.ndarray, bias: np.ndarray) -> np.ndarray:
    try:
        shape = np.broadcast_shapes(scores.shape, bias.shape)
    except ValueError:
        shape = None
    if shape is None or shape[-2:] != scores.shape[-2:]:
        raise ValueError(
            f"bias must broadcast to (..., {scores.shape[-2]}, {scores.shape[-1]}), got shape {bias.shape}"
        )
    return scores + bias
