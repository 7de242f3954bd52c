import numpy as np
import pytest

from posenc_lib import attention, softmax


def test_softmax_equals_its_definition_and_survives_large_scores():
    scores = np.random.default_rng(0).normal(size=(3, 4))
    expected = np.exp(scores) / np.exp(scores).sum(axis=0)
    np.testing.assert_allclose(softmax(scores, axis=0), expected, rtol=1e-14)
    np.testing.assert_allclose(softmax([1000.0, 1000.0]), [0.5, 0.5])
    np.testing.assert_array_equal(softmax([0.0, -np.inf]), [1, 0])
    assert softmax(np.ones((2, 0))).shape == (2, 0)


def test_attention_equals_a_plain_loop():
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=(3, 4)), rng.normal(size=(5, 4)), rng.normal(size=(5, 2))
    output, weights = attention(q, k, v)
    for i in range(3):
        e = np.exp([q[i] @ k[j] / 2 for j in range(5)])
        np.testing.assert_allclose(weights[i], e / e.sum(), rtol=1e-13)
        np.testing.assert_allclose(output[i], (e / e.sum()) @ v, rtol=1e-12)


def test_causal_attention_sees_no_later_key():
    x = np.random.default_rng(0).normal(size=(2, 5, 4))
    _, weights = attention(x, x, x, causal=True)
    assert (weights[:, *np.triu_indices(5, 1)] == 0).all()
    _, cached = attention(x[:, 3:], x, x, causal=True)  # the last two queries, with a cache of three keys
    np.testing.assert_allclose(cached, weights[:, 3:], atol=1e-15)


def test_bias_is_added_before_the_softmax():
    x = np.random.default_rng(0).normal(size=(4, 2))
    bias = np.where(np.tri(4, dtype=bool), 0.0, -np.inf)
    np.testing.assert_array_equal(attention(x, x, x, bias=bias)[1], attention(x, x, x, causal=True)[1])


def test_shuffled_words_are_shuffled_answers():
    x = np.random.default_rng(0).normal(size=(6, 8))
    order = np.array([3, 1, 5, 0, 2, 4])
    output, weights = attention(x, x, x)
    shuffled, shuffled_weights = attention(x[order], x[order], x[order])
    np.testing.assert_allclose(shuffled, output[order], atol=1e-14)
    np.testing.assert_allclose(shuffled_weights, weights[order][:, order], atol=1e-14)


@pytest.mark.parametrize("shape", [(2,), (3, 4, 5)])
def test_bias_that_does_not_fit_is_refused(shape):
    x = np.ones((4, 2))
    with pytest.raises(ValueError, match=r"bias must broadcast to \(..., 4, 4\), got shape"):
        attention(x, x, x, bias=np.zeros(shape))


def test_only_the_scores_are_scaled_and_not_the_bias():
    rng = np.random.default_rng(0)
    q, k, v, bias = rng.normal(size=(3, 4)), rng.normal(size=(5, 4)), rng.normal(size=(5, 2)), rng.normal(size=(3, 5))
    e = np.exp(q @ k.T * 0.3 + bias)
    weights = attention(q, k, v, scale=0.3, bias=bias)[1]
    np.testing.assert_allclose(weights, e / e.sum(axis=1, keepdims=True), rtol=1e-13)


def test_scores_of_their_own_are_shared_by_all_heads():
    x, scores = np.random.default_rng(0).normal(size=(3, 2, 5, 4)), np.arange(25.0).reshape(5, 5)
    for q, k in ((x, x[0, 0]), (x[0, 0], x)):
        output, weights = attention(q, k, x[0, 0], scores=scores)
        assert output.shape == (3, 2, 5, 4)
        np.testing.assert_array_equal(weights, np.broadcast_to(softmax(scores / 2), (3, 2, 5, 5)))
