"""What the catalog's relative encodings say about a query and a key; what would be learned is drawn at random."""

import numpy as np

from posenc_lib.encodings import bias, relative, validate
from posenc_lib.encodings.absolute import sinusoidal

T5_HEADS = 8


def shaw(q, k, *, clip: int, seed: int, **rest) -> dict:
    """Return Shaw's scores with an untrained table."""
    table = np.random.default_rng(seed).normal(size=(2 * clip + 1, q.shape[-1]))
    return {"scores": relative.shaw_scores(q, k, table)}


def shaw_rows(offsets, *, clip: int, **rest) -> np.ndarray:
    """Return the row of the table that each offset reads."""
    return relative.clipped(offsets, clip)


def _transformer_xl(q, k, base: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return untrained r, u and v, with rows for later keys, too, as XLNet has them."""
    (q_len, d), k_len = q.shape, k.shape[0]
    rng = np.random.default_rng(seed)
    u, v = rng.normal(size=(2, d))
    distances = sinusoidal(np.arange(k_len - 1, -q_len, -1), d, base=base)
    return distances @ rng.normal(size=(d, d)) / np.sqrt(d), u, v


def transformer_xl(q, k, *, base: float, seed: int, **rest) -> dict:
    """Return Transformer-XL's scores with untrained parameters."""
    validate.whole("head_dim", q.shape[-1], even=True)
    return {"scores": relative.transformer_xl_scores(q, k, *_transformer_xl(q, k, base, seed))}


def transformer_xl_terms(q, k, *, base: float, seed: int, **rest) -> dict[str, np.ndarray]:
    """Return the four terms by name, each of shape (q_len, k_len)."""
    r, u, v = _transformer_xl(q, k, base, seed)
    zero = np.zeros_like(u)
    words, distances = (q, k, np.zeros_like(r)), (q, np.zeros_like(k), r)
    q_k = relative.transformer_xl_scores(*words, zero, zero)
    q_r = relative.transformer_xl_scores(*distances, zero, zero)
    return {
        "q·k": q_k,
        "q·r": q_r,
        "u·k": relative.transformer_xl_scores(*words, u, zero) - q_k,
        "v·r": relative.transformer_xl_scores(*distances, zero, v) - q_r,
    }


def _split(max_distance: int, bidirectional: bool, **rest) -> dict:
    return {"bidirectional": bidirectional, "max_distance": max_distance}


def t5_rows(offsets, *, num_buckets: int, **parameters) -> np.ndarray:
    """Return the bucket that each offset reads."""
    return bias.t5_bucket(offsets, num_buckets=num_buckets, **_split(**parameters))


def _t5_weights(num_buckets: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(num_buckets, T5_HEADS))


def t5_biases(offsets, *, num_buckets: int, seed: int, **parameters) -> np.ndarray:
    """Return the untrained bias of each of 8 heads at each offset, shape (8, n)."""
    return _t5_weights(num_buckets, seed)[t5_rows(offsets, num_buckets=num_buckets, **parameters)].T


def t5(q, k, *, num_buckets: int, seed: int, head: int, **parameters) -> dict:
    """Return the bias of one head, untrained.

    T5 itself does not divide its scores by √d; here they are divided like all others, to be compared with them.
    """
    split = _split(**parameters)
    bias.t5_bucket(0, num_buckets=num_buckets, **split)  # it says best itself what is wrong with their number
    return {"bias": bias.t5_bias(_t5_weights(num_buckets, seed), len(q), len(k), **split)[head]}


def alibi_biases(offsets, *, num_heads: int, **rest) -> np.ndarray:
    """Return the bias of each head at each offset, shape (num_heads, n)."""
    return np.outer(bias.alibi_slopes(num_heads), -np.abs(offsets))


def alibi(q, k, *, num_heads: int, head: int, **rest) -> dict:
    """Return the bias of one head."""
    return {"bias": bias.alibi(num_heads, len(q), len(k))[head]}
