import inspect
import math

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib import alibi, alibi_slopes, relative_offsets, t5_bias, t5_bucket


@pytest.mark.parametrize("mode", ["bidirectional", "causal"])
def test_buckets_equal_hugging_face(golden, mode):
    record = golden("t5_buckets__hf_t5")
    offsets = record["inputs"]["relative_position"]
    np.testing.assert_array_equal(t5_bucket(offsets, bidirectional=mode == "bidirectional"), record["values"][mode])


def exact_bucket(distance: int, buckets: int, most: int) -> int:
    """Return the bucket of a distance by whole numbers alone: no logarithm, no rounding."""
    exact = buckets // 2
    if distance < exact:
        return distance
    steps = buckets - exact
    k = 0
    while k < steps - 1 and distance**steps * exact ** (k + 1) >= most ** (k + 1) * exact**steps:
        k += 1
    return exact + k


@pytest.mark.parametrize(
    ("buckets", "most"),
    [(32, 128), (32, 256), (16, 64), (2, 5), (3, 10), (7, 100), (64, 1024), (20, 11), (32, 17), (5, 250), (24, 243)],
)
def test_buckets_equal_whole_number_arithmetic(buckets, most):
    distances = np.arange(3 * most)
    expected = [exact_bucket(int(n), buckets, most) for n in distances]
    np.testing.assert_array_equal(
        t5_bucket(-distances, bidirectional=False, num_buckets=buckets, max_distance=most), expected
    )
    both = t5_bucket(distances, num_buckets=2 * buckets, max_distance=most)
    np.testing.assert_array_equal(both[1:], np.array(expected)[1:] + buckets)
    np.testing.assert_array_equal(t5_bucket(-distances, num_buckets=2 * buckets, max_distance=most), expected)


def test_the_distance_that_a_difference_of_logarithms_misplaces():
    assert t5_bucket(-64, bidirectional=False, max_distance=256) == 24
    wrong = 16 + int(16 * (math.log(64) - math.log(16)) / (math.log(256) - math.log(16)))
    assert wrong == 23


def test_later_keys_read_bucket_0_when_only_the_past_counts():
    assert (t5_bucket(np.arange(300), bidirectional=False) == 0).all()


@pytest.mark.parametrize(("model", "bidirectional"), [("encoder", True), ("decoder", False)])
def test_t5_bias_equals_hugging_face(golden, model, bidirectional):
    record = golden(f"t5_bias_{model}__hf_t5")
    bias = t5_bias(record["inputs"]["table"], 12, bidirectional=bidirectional)
    np.testing.assert_allclose(bias, record["values"], rtol=1e-6, atol=1e-6)
    last = t5_bias(record["inputs"]["table"], 3, 12, bidirectional=bidirectional)  # with a cache of nine keys
    np.testing.assert_array_equal(last, bias[:, 9:])


def test_slopes_equal_their_authors(golden):
    for heads, slopes in golden("alibi_slopes_1_20__ofirpress")["values"].items():
        np.testing.assert_allclose(alibi_slopes(int(heads)), slopes, rtol=1e-14)


def test_alibi_equals_x_transformers(golden):
    np.testing.assert_allclose(alibi(8, 6), golden("alibi_bias_h8__x_transformers")["values"], rtol=1e-6)


def test_alibi_by_its_definition_with_and_without_a_future():
    slopes, offsets = alibi_slopes(3), relative_offsets(2, 5)
    both, past = alibi(3, 2, 5), alibi(3, 2, 5, causal=True)
    for h in range(3):
        np.testing.assert_array_equal(both[h], -slopes[h] * np.abs(offsets))
    np.testing.assert_array_equal(past[:, offsets <= 0], both[:, offsets <= 0])
    assert np.isneginf(past[:, offsets > 0]).all()


def test_a_slope_times_the_key_gives_the_same_attention_when_causal():
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=(3, 4, 6, 8))
    blooms = alibi_slopes(4)[:, None, None] * np.arange(6)  # slope · key, as BLOOM writes it
    _, ours = pe.attention(q, k, v, bias=alibi(4, 6), causal=True)
    _, theirs = pe.attention(q, k, v, bias=blooms, causal=True)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-14)


def test_attention_takes_scores_and_a_scale_of_its_own():
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=(3, 5, 4))
    plain = pe.attention(q, k, v)
    for same in ({"scores": q @ k.T}, {"scale": 0.5}, {"scores": q @ k.T, "scale": 0.5}):
        for a, b in zip(plain, pe.attention(q, k, v, **same), strict=True):
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-15)
    level = pe.attention(q, k, v, scores=0.0)[1]
    np.testing.assert_allclose(level, np.full((5, 5), 0.2), rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("distance", "buckets", "most"), [(1374389534719, 40, 20 * 2**40), (20958576845, 257, 128 * 2**40), (64, 32, 256)]
)
def test_whole_numbers_decide_where_rounding_could(distance, buckets, most):
    ours = t5_bucket([-distance, -distance - 1], bidirectional=False, num_buckets=buckets, max_distance=most)
    assert ours.tolist() == [exact_bucket(distance, buckets, most), exact_bucket(distance + 1, buckets, most)]


def test_one_offset_or_none_gives_an_array_too():
    assert type(t5_bucket(-50)) is np.ndarray
    assert t5_bucket(-50).shape == t5_bucket(-50, bidirectional=False).shape == ()
    assert t5_bucket([]).shape == (0,)


def test_scores_in_a_narrow_dtype_are_scaled_in_float64():
    x, scores = np.ones((2, 4)), np.full((2, 2), 60_000, np.float16)
    np.testing.assert_array_equal(pe.attention(x, x, x, scores=scores, scale=2)[1], np.full((2, 2), 0.5))
    s = (30 * np.random.default_rng(0).normal(size=(8, 8))).astype(np.float16)
    q = np.ones((8, 4))
    narrow, wide = (pe.attention(q, q, q, scores=x, scale=0.3)[1] for x in (s, s.astype(np.float64)))
    np.testing.assert_array_equal(narrow, wide)


@pytest.mark.parametrize("function", [t5_bucket, t5_bias])
def test_what_is_not_given_is_as_in_t5s_encoder(function):
    taken = inspect.signature(function).parameters
    assert (taken["bidirectional"].default, taken["max_distance"].default) == (True, 128)
