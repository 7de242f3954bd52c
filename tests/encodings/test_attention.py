import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib import attention, softmax

RNG = np.random.default_rng(0)
Q, K, V = RNG.normal(size=(2, 3, 4)), RNG.normal(size=(2, 5, 4)), RNG.normal(size=(2, 5, 6))
BIAS, SCORES = RNG.normal(size=(3, 5)), RNG.normal(size=(2, 3, 5))
SEEN = np.where(RNG.random(size=(3, 5)) < 0.8, 0.0, -np.inf)


def test_softmax_equals_its_definition_and_survives_large_scores():
    np.testing.assert_allclose(softmax(SCORES, axis=0), np.exp(SCORES) / np.exp(SCORES).sum(axis=0), rtol=1e-14)
    np.testing.assert_allclose(softmax([1000.0, 1000.0, -np.inf]), [0.5, 0.5, 0])
    np.testing.assert_allclose(softmax([[1000.0, 1000.0], [-1000.0, -1000.0]]), 0.5)  # each row by itself
    assert softmax(np.ones((2, 0))).shape == (2, 0)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"causal": True},  # with a cache of two keys
        {"bias": BIAS},
        {"bias": SEEN, "causal": True},
        {"scale": 0.3, "bias": BIAS},  # which is not scaled
        {"scores": SCORES},
        {"scores": SCORES, "scale": 3, "bias": SEEN, "causal": True},
        {"scores": np.full((3, 5), 60_000, np.float16), "scale": 2},  # scaled in float64
    ],
)
def test_attention_equals_its_formula(given):
    scores = np.asarray(given.get("scores", Q @ K.swapaxes(1, 2)), float)
    scores = scores * given.get("scale", 0.5) + given.get("bias", 0.0)
    if given.get("causal"):
        scores = np.where(np.arange(5) <= np.arange(2, 5)[:, None], scores, -np.inf)
    e = np.broadcast_to(np.exp(scores - scores.max()), (2, 3, 5))
    expected = e / e.sum(axis=-1, keepdims=True)
    output, weights = attention(Q, K, V, **given)
    np.testing.assert_allclose(weights, expected, rtol=1e-12)
    np.testing.assert_allclose(output, expected @ V, rtol=1e-11)


def by_loop(q, k, v, seen):
    """Return attention of one head, one query after the other, each over the keys it sees."""
    output, weights = np.zeros((len(q), v.shape[1])), np.zeros((len(q), len(k)))
    for i in range(len(q)):
        if seen[i].any():
            e = np.exp(k[seen[i]] @ q[i] / np.sqrt(q.shape[1]))
            weights[i, seen[i]] = e / e.sum()
            output[i] = weights[i] @ v
    return output, weights


@pytest.mark.parametrize(("q_len", "k_len"), [(3, 5), (5, 3)])
@pytest.mark.parametrize("causal", [False, True])
def test_masks_and_fewer_keys_than_queries_leave_each_query_what_it_may_see(rng, q_len, k_len, causal):
    q, k, v = rng.normal(size=(q_len, 4)), rng.normal(size=(k_len, 4)), rng.normal(size=(k_len, 2))
    mask = rng.random(size=(q_len, k_len)) < 0.5
    mask[0] = False  # a row of padding
    seen = mask & (pe.relative_offsets(q_len, k_len) <= 0) if causal else mask
    for ours, expected in zip(attention(q, k, v, mask=mask, causal=causal), by_loop(q, k, v, seen), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-14)
    hidden = attention(q, k, v, bias=np.where(mask, 0, -np.inf), causal=causal)
    np.testing.assert_array_equal(attention(q, k, v, mask=mask, causal=causal)[1], hidden[1])


def test_each_group_of_heads_shares_keys_and_values(rng):
    q, k, v = rng.normal(size=(2, 6, 3, 4)), rng.normal(size=(2, 2, 5, 4)), rng.normal(size=(2, 2, 5, 4))
    output, weights = attention(q, k, v, causal=True, bias=pe.alibi(6, 3, 5))
    assert weights.shape == (2, 6, 3, 5)
    for head in range(6):
        alone = attention(q[:, head], k[:, head // 3], v[:, head // 3], causal=True, bias=pe.alibi(6, 3, 5)[head])
        np.testing.assert_allclose(output[:, head], alone[0], rtol=0, atol=1e-14)
        np.testing.assert_allclose(weights[:, head], alone[1], rtol=0, atol=1e-14)
    one = attention(q[:, :1], k, v)[1]  # a single head of queries meets all keys
    np.testing.assert_allclose(one[:, 1], attention(q[:, 0], k[:, 1], v[:, 1])[1], rtol=0, atol=1e-14)
