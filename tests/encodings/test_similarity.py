import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import posenc_lib as pe


@settings(deadline=None)
@given(
    st.integers(1, 60),
    st.integers(1, 40),
    st.floats(1.5, 1e7),
    st.integers(-500, 500) | st.floats(-500, 500),
)
@example(700, 16, 500.0, 3)
def test_dot_products_are_toeplitz_and_a_shift_is_one_matrix(n, pairs, base, offset):
    table = pe.sinusoidal(n, 2 * pairs, base=base)
    kernel = pe.sinusoidal_kernel(pe.relative_offsets(n), 2 * pairs, base)
    np.testing.assert_allclose(pe.similarity_matrix(table), kernel, atol=1e-11)
    assert pe.sinusoidal_kernel(0, 2 * pairs, base) == pairs
    shifted = pe.sinusoidal(np.arange(n) + offset, 2 * pairs, base=base)
    np.testing.assert_allclose(
        table @ pe.shift_matrix(offset, 2 * pairs, base).T, shifted, atol=1e-12
    )


def clusters(rng):
    """Return groups of near rows, more or less far apart."""
    table = np.repeat(rng.normal(size=(6, 3)) * 10.0 ** rng.integers(0, 7), 3, axis=0)
    return table + rng.normal(size=table.shape) * 10.0 ** -rng.integers(2, 6)


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.normal(size=(30, 3)),
        clusters,
        lambda rng: np.vstack(
            [rng.normal(size=(40, 4)), np.full((1, 4), 1e9)]
        ),  # an outlier hides nothing
        lambda rng: np.add(
            [[100], [100.00005], [50], [50.000001]], rng.choice([0, 1e6, 1e8, -1e8])
        ),  # nor a shift
    ],
)
def test_the_closest_pair_is_what_a_plain_search_finds(draw):
    for seed in range(10):
        table = draw(np.random.default_rng(seed))
        pairs = itertools.combinations(range(len(table)), 2)
        distance, i, j = min((math.dist(table[i], table[j]), i, j) for i, j in pairs)
        assert pe.closest_pair(table) == (i, j, pytest.approx(distance, rel=1e-12)), seed


@pytest.mark.parametrize(
    ("dim", "base", "first"), [(64, 1e4, 725), (128, 1e4, 1707), (128, 10_398.0, 1128), (2, 1e4, 2)]
)
def test_the_first_negative_offset_is_that_of_a_plain_sum(dim, base, first):
    theta = base ** (-np.arange(0, dim, 2) / dim)
    sums = np.cos(np.outer(np.arange(first + 1), theta)).sum(axis=1)
    assert sums[first] < 0 < sums[:first].min()
    assert pe.first_negative(dim, base) == first
    assert pe.first_negative(dim, base, most=first) == first
    assert pe.first_negative(dim, base, most=first - 1) is None
