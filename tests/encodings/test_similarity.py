import math

import numpy as np
import pytest

from posenc_lib import closest_pair, dot_product_curve, similarity_matrix, sinusoidal, sinusoidal_kernel


def test_similarity_equals_a_plain_loop():
    table = np.random.default_rng(0).normal(size=(6, 4))
    expected = [[sum(a * b for a, b in zip(p, q, strict=True)) for q in table] for p in table]
    np.testing.assert_allclose(similarity_matrix(table), expected, rtol=1e-13)
    np.testing.assert_allclose(dot_product_curve(table, 2), expected[2], rtol=1e-13)


def test_curve_of_nine_positions_as_printed_in_lesson_05():
    expected = [-0.654, -0.990, -0.416, 0.540, 1, 0.540, -0.416, -0.990, -0.654]
    np.testing.assert_allclose(dot_product_curve(sinusoidal(9, 2), 4), expected, atol=5e-4)


def test_kernel_is_the_dot_product():
    table = sinusoidal(100, 32, base=500.0)
    np.testing.assert_allclose(sinusoidal_kernel(np.arange(100), 32, 500.0), table @ table[0], atol=1e-12)
    assert sinusoidal_kernel(0, 32) == 16
    assert sinusoidal_kernel(np.zeros((2, 3)), 4).shape == (2, 3)
    assert sinusoidal_kernel(-5, 8) == pytest.approx(sinusoidal_kernel(5, 8))


@pytest.mark.parametrize(("d", "rises", "negative"), [(64, 6, 725), (128, 12, 1707), (512, 44, 3284)])
def test_where_the_kernel_first_rises_and_first_is_negative(d, rises, negative):
    kernel = sinusoidal_kernel(np.arange(4000), d)
    assert np.flatnonzero(np.diff(kernel) > 0)[0] + 1 == rises
    assert np.flatnonzero(kernel < 0)[0] == negative


def test_small_floats_do_not_spoil_the_sum():
    table = np.full((2, 4096), 0.1, dtype=np.float16)
    assert similarity_matrix(table).dtype == np.float64
    assert similarity_matrix(table)[0, 1] == pytest.approx(4096 * float(np.float16(0.1)) ** 2)


def test_the_closest_pair_is_what_a_plain_search_finds():
    table = np.random.default_rng(0).normal(size=(30, 3))
    distance, i, j = min((math.dist(table[i], table[j]), i, j) for i in range(30) for j in range(i + 1, 30))
    assert closest_pair(table) == (i, j, pytest.approx(distance, rel=1e-12))


FAR = np.array([[100.0], [100.00005], [50.0], [50.000001]])


@pytest.mark.parametrize("shift", [0.0, 1e6, 1e8, -1e8])
def test_a_large_row_or_a_shift_does_not_hide_the_closest_pair(shift):
    assert closest_pair(FAR + shift) == (2, 3, pytest.approx(1e-6, rel=0.03))


def test_an_outlier_does_not_hide_the_closest_pair():
    table = np.random.default_rng(1).normal(size=(40, 4))
    expected = closest_pair(table)
    assert closest_pair(np.vstack([table, np.full((1, 4), 1e9)])) == expected


@pytest.mark.parametrize("seed", range(20))
def test_the_closest_pair_of_clusters_is_what_a_plain_search_finds(seed):
    rng = np.random.default_rng(seed)
    table = np.repeat(rng.normal(size=(6, 3)) * 10.0 ** rng.integers(0, 7), 3, axis=0)
    table += rng.normal(size=table.shape) * 10.0 ** -rng.integers(2, 6)
    pairs = [(i, j) for i in range(18) for j in range(i + 1, 18)]
    distances = [math.dist(table[i], table[j]) for i, j in pairs]
    assert closest_pair(table) == (*pairs[int(np.argmin(distances))], pytest.approx(min(distances), rel=1e-12))


@pytest.mark.parametrize("table", [sinusoidal(512, 64), sinusoidal(5, 2), np.zeros((9, 2)), np.eye(5)])
def test_of_equally_close_pairs_the_first_is_taken(table):
    assert closest_pair(table)[:2] == (0, 1)
