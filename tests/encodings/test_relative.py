import numpy as np
import pytest

import posenc_lib as pe


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
    ("buckets", "most", "distances"),
    [
        *(
            (*sizes, np.arange(3 * sizes[1]))
            for sizes in ((32, 128), (2, 5), (7, 100), (20, 11), (24, 243))
        ),
    ],
)
def test_buckets_equal_whole_number_arithmetic_where_rounding_could_decide_too(
    buckets, most, distances
):
    distances, expected = (
        np.array(distances),
        np.array([exact_bucket(int(n), buckets, most) for n in distances]),
    )
    one_sided = {"bidirectional": False, "num_buckets": buckets, "max_distance": most}
    np.testing.assert_array_equal(pe.t5_bucket(-distances, **one_sided), expected)
    np.testing.assert_array_equal(pe.t5_bucket(distances, **one_sided), 0)  # later keys
    both = {"num_buckets": 2 * buckets, "max_distance": most}
    np.testing.assert_array_equal(pe.t5_bucket(-distances, **both), expected)
    np.testing.assert_array_equal(pe.t5_bucket(distances[1:], **both), expected[1:] + buckets)


@pytest.mark.parametrize("past", [True, False])
def test_with_a_cache_a_bias_is_that_of_the_last_queries_and_a_mask_hides_what_comes_later(past):
    weights, sides = np.arange(64.0).reshape(32, 2), {"bidirectional": not past}
    np.testing.assert_array_equal(
        pe.alibi(3, 3, 12, causal=past), pe.alibi(3, 12, causal=past)[:, 9:]
    )
    np.testing.assert_array_equal(
        pe.alibi(3, 5, causal=True), np.where(np.tri(5), pe.alibi(3, 5), -np.inf)
    )
    np.testing.assert_array_equal(
        pe.t5_bias(weights, 3, 12, **sides), pe.t5_bias(weights, 12, **sides)[:, 9:]
    )
