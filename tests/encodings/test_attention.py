import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib import attention, softmax

RNG = np.random.default_rng(0)
Q, K, V = RNG.normal(size=(2, 3, 4)), RNG.normal(size=(2, 5, 4)), RNG.normal(size=(2, 5, 6))
BIAS, SCORES = RNG.normal(size=(3, 5)), RNG.normal(size=(2, 3, 5))
MASK = np.array([[0, 0, 0, 0, 0], [1, 0, 1, 1, 1], [1, 1, 0, 1, 0]], bool)  # a row of padding
near = np.testing.assert_allclose


def test_softmax_equals_its_definition_and_survives_large_scores():
    near(softmax(SCORES, axis=0), np.exp(SCORES) / np.exp(SCORES).sum(axis=0), rtol=1e-14)
    near(softmax([[1000.0, 1000.0], [-1000.0, -1000.0]]), 0.5)  # each row by itself
    assert softmax(np.ones((2, 0))).shape == (2, 0)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"causal": True},  # with a cache of two keys
        {"bias": BIAS},
        {"scale": 0.3, "bias": BIAS},  # which is not scaled
        {"scores": SCORES},
        {"scores": SCORES, "scale": 3, "bias": BIAS, "causal": True},
        {"scores": np.full((3, 5), 60_000, np.float16), "scale": 2},  # scaled in float64
        {"mask": MASK},
        {"bias": np.where(MASK, 0, -np.inf)},
        {"mask": MASK, "causal": True, "bias": BIAS},
    ],
)
@pytest.mark.parametrize("keys", [5, 2])  # fewer than queries, too
def test_attention_equals_its_formula_and_a_query_that_may_see_nothing_gets_zeros(given, keys):
    given = {name: x[..., :keys] if np.ndim(x) else x for name, x in given.items()}
    k, v = K[:, :keys], V[:, :keys]
    scores = np.asarray(given.get("scores", Q @ k.swapaxes(1, 2)), float)
    scores = scores * given.get("scale", 0.5) + given.get("bias", 0.0)
    seen = np.broadcast_to(given.get("mask", True), (3, keys))
    if given.get("causal"):
        seen = seen & (np.arange(keys) <= np.arange(keys - 3, keys)[:, None])
    e = np.broadcast_to(np.where(seen, np.exp(scores - scores.max()), 0), (2, 3, keys))
    sees = e.any(axis=-1, keepdims=True)
    expected = np.divide(e, e.sum(axis=-1, keepdims=True), out=np.zeros(e.shape), where=sees)
    output, weights = attention(Q, k, v, **given)
    near(weights, expected, rtol=1e-12)
    near(output, expected @ v, rtol=1e-11)


def test_each_group_of_heads_shares_keys_and_values(rng):
    q = rng.normal(size=(2, 6, 3, 4))
    k, v = rng.normal(size=(2, 2, 2, 5, 4))
    bias = pe.alibi(6, 3, 5)
    grouped = attention(q, k, v, causal=True, bias=bias)
    for head in range(6):
        shared = k[:, head // 3], v[:, head // 3]
        alone = attention(q[:, head], *shared, causal=True, bias=bias[head])
        for ours, own in zip(grouped, alone, strict=True):
            near(ours[:, head], own, rtol=0, atol=1e-14)
    one = attention(q[:, :1], k, v)[1]  # a single head of queries meets all keys
    near(one[:, 1], attention(q[:, 0], k[:, 1], v[:, 1])[1], rtol=0, atol=1e-14)
