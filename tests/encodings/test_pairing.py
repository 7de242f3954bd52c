import numpy as np
import pytest

from posenc_lib import convert_pairing, pairing_permutation, rope


def test_the_order_is_that_of_hugging_face(golden):
    record = golden("rope_permute_meta_to_hf__hf4")
    metas = np.arange(256.0).reshape(16, 16)
    np.testing.assert_array_equal(convert_pairing(metas, 2), record["values"])
    np.testing.assert_array_equal(convert_pairing(record["values"], 2, to="interleaved"), metas)


@pytest.mark.parametrize("rotary_dim", [None, 4, 8])
def test_turning_and_reordering_may_change_places(rotary_dim):
    x = np.random.default_rng(0).normal(size=(2, 5, 8))
    p = pairing_permutation(8, rotary_dim=rotary_dim)
    half = rope(x[..., p], pairing="half", rotary_dim=rotary_dim)
    np.testing.assert_allclose(half, rope(x, rotary_dim=rotary_dim)[..., p], rtol=0, atol=1e-14)


@pytest.mark.parametrize("rotary_dim", [None, 4])
def test_a_ported_projection_gives_the_same_scores(rotary_dim):
    rng = np.random.default_rng(0)
    words, weights, bias = rng.normal(size=(7, 12)), rng.normal(size=(2, 3 * 6, 12)), rng.normal(size=(2, 18))

    def scores(weights, bias, pairing):
        q, k = (
            rope((words @ w.T + b).reshape(7, 3, 6).swapaxes(0, 1), pairing=pairing, rotary_dim=rotary_dim)
            for w, b in zip(weights, bias, strict=True)
        )
        return q @ k.swapaxes(1, 2)

    ported = [convert_pairing(w, 3, rotary_dim=rotary_dim) for w in weights]
    biases = [convert_pairing(b, 3, rotary_dim=rotary_dim) for b in bias]
    before = scores(weights, bias, "interleaved")
    np.testing.assert_allclose(scores(ported, biases, "half"), before, rtol=0, atol=1e-12)
    assert np.abs(scores(weights, bias, "half") - before).max() > 0.1  # without porting it is another model
    assert np.allclose(scores(weights, bias, "half")[:, 0, 0], before[:, 0, 0])  # but not at position 0


def test_the_dtype_stays_and_the_argument_too():
    weights = np.arange(16, dtype=np.float16).reshape(8, 2)
    before = weights.copy()
    assert convert_pairing(weights, 1).dtype == np.float16
    np.testing.assert_array_equal(weights, before)
    np.testing.assert_array_equal(pairing_permutation(7, rotary_dim=4), [0, 2, 1, 3, 4, 5, 6])
