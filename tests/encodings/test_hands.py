"""The fast ways give what the plain formulas give, for every number of positions around the block sizes."""

import tracemalloc

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings import hands
from posenc_lib.encodings.turning import CACHED

COUNTS = [0, 1, 2, 31, 32, 33, 34, 255, 256, 257, 1000, 1024, 1025, 5000]


def plain(t, dim, base=10_000.0):
    return np.exp(1j * np.multiply.outer(np.asarray(t, float), base ** (-np.arange(0, dim, 2) / dim)))


@pytest.mark.parametrize("n", COUNTS)
@pytest.mark.parametrize("dim", [2, 6, 64])
def test_consecutive_positions_are_what_the_formula_says(n, dim):
    np.testing.assert_allclose(pe.phasors(n, dim), plain(np.arange(n), dim), rtol=0, atol=2e-12)
    table = pe.sinusoidal(n, dim)
    np.testing.assert_allclose(table[:, 1::2], pe.phasors(n, dim).real, rtol=0, atol=1e-15)
    np.testing.assert_allclose(table[:, 0::2], pe.phasors(n, dim).imag, rtol=0, atol=1e-15)


@pytest.mark.parametrize("start", [-40, 0.5, 3, 10**6])
def test_any_first_position_will_do(start):
    t = start + np.arange(300)
    order = np.random.default_rng(0).permutation(300)
    np.testing.assert_allclose(pe.phasors(t, 16), plain(t, 16), rtol=0, atol=1e-12 + 2 * abs(start) * 2.2e-16)
    np.testing.assert_allclose(pe.phasors(t, 16)[order], pe.phasors(t[order], 16), rtol=0, atol=1e-12)


@pytest.mark.parametrize("t", [2 * np.arange(300), np.r_[:40, 50:90]])
def test_only_steps_of_one_are_made_by_turning_on(t):
    np.testing.assert_allclose(pe.phasors(t, 16), plain(t, 16), rtol=0, atol=1e-12)


@pytest.mark.parametrize("t", [2**53 - 1, 1 - 2**53, 10**15 + 1, -(10**15) - 1])
def test_angles_that_float64_cannot_hold_are_right_nevertheless(t):
    if np.finfo(np.longdouble).eps > 1e-18:
        pytest.skip("long double is no wider than float64 here")
    angle = t * np.longdouble(2) ** -(np.arange(2, dtype=np.longdouble) / 2)
    exact = np.cos(angle).astype(float) + 1j * np.sin(angle).astype(float)
    np.testing.assert_allclose(pe.phasors([t], 4, 2.0)[0], exact, rtol=0, atol=1e-12)


def test_far_positions_are_right_to_the_last_digits():
    if np.finfo(np.longdouble).eps > 1e-18:
        pytest.skip("long double is no wider than float64 here")
    t, dim = 131_071, 128
    frequencies = np.longdouble(10_000) ** -(np.arange(0, dim, 2, dtype=np.longdouble) / dim)
    exact = np.sin(t * frequencies).astype(float)
    np.testing.assert_allclose(pe.sinusoidal(t + 1, dim)[t, 0::2], exact, rtol=0, atol=2e-14)
    np.testing.assert_allclose(pe.sinusoidal([t, 5], dim)[0, 0::2], exact, rtol=0, atol=2e-14)


@pytest.mark.parametrize("layout", ["interleaved", "concatenated"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_every_layout_and_dtype_is_the_wide_table_rounded_once(layout, dtype):
    wide = pe.sinusoidal(5000, 10, layout=layout)
    narrow = pe.sinusoidal(5000, 10, layout=layout, dtype=dtype)
    assert narrow.dtype == dtype
    np.testing.assert_array_equal(narrow, wide.astype(dtype))
    np.testing.assert_allclose(wide[:, ::2] if layout == "interleaved" else wide[:, :5], pe.phasors(5000, 10).imag)


def test_a_table_takes_hardly_more_memory_than_itself():
    tracemalloc.start()
    table = pe.sinusoidal(40_000, 64)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 1.1 * table.nbytes


def slow_rope(x, turned, pairing):
    out = np.array(x, dtype=np.float64)
    half = turned.shape[1]
    for i in range(half):
        one, two = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + half)
        c, s = turned[:, i].real, turned[:, i].imag
        out[..., one], out[..., two] = x[..., one] * c - x[..., two] * s, x[..., one] * s + x[..., two] * c
    return out


@pytest.mark.parametrize("pairing", ["interleaved", "half"])
@pytest.mark.parametrize("shape", [(7, 8), (2, 3, 600, 8), (5, 0, 8), (1, 9000, 8)])
@pytest.mark.parametrize("rotary_dim", [8, 6, 2])
def test_turning_is_what_the_formula_says(pairing, shape, rotary_dim):
    x = np.random.default_rng(0).normal(size=shape)
    turned = pe.phasors(3 + np.arange(shape[-2]), rotary_dim)
    np.testing.assert_allclose(pe.apply_rope(x, turned, pairing=pairing), slow_rope(x, turned, pairing), atol=1e-14)
    backwards = x[..., ::-1]
    expected = slow_rope(backwards, turned, pairing)
    np.testing.assert_allclose(pe.apply_rope(backwards, turned, pairing=pairing), expected, atol=1e-14)


@pytest.mark.parametrize("pairing", ["interleaved", "half"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_precise_hands_round_once_and_narrow_hands_nearly(pairing, dtype):
    x = np.random.default_rng(0).normal(size=(3, 500, 16)).astype(dtype)
    before, turned = x.copy(), pe.phasors(500, 16)
    wide = slow_rope(x.astype(float), turned, pairing)
    precise = pe.apply_rope(x, turned, pairing=pairing)
    narrow = pe.apply_rope(x, turned.astype(np.complex64), pairing=pairing)
    assert precise.dtype == narrow.dtype == dtype
    np.testing.assert_array_equal(precise, wide.astype(dtype))
    np.testing.assert_allclose(narrow, wide, rtol=0, atol=10 * np.finfo(dtype).eps)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("n", [1, 2, 700])
def test_similarity_as_a_window_equals_the_product(n):
    window = pe.sinusoidal_similarity(n, 32, 500.0)
    np.testing.assert_allclose(window, pe.similarity_matrix(pe.sinusoidal(n, 32, base=500.0)), rtol=0, atol=1e-11)
    assert not window.flags.writeable
    assert window.base is not None


def test_similarity_as_a_window_takes_the_memory_of_a_curve():
    tracemalloc.start()
    window = pe.sinusoidal_similarity(4096, 64)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert window.shape == (4096, 4096)
    assert peak < window.nbytes / 50


def test_the_paths_meet_where_blocks_begin():
    assert hands.FEW < hands.ROWS
    for n in (hands.FEW, hands.FEW + 1, hands.ROWS**2 + 1):
        np.testing.assert_allclose(pe.phasors(n, 2)[-1], plain([n - 1], 2)[0], rtol=0, atol=1e-10)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_turning_in_halves_goes_on_where_the_last_block_ended(dtype):
    x = np.random.default_rng(0).normal(size=(CACHED // 64 + 3, 16)).astype(dtype)  # more rows than fit in one block
    turned = pe.phasors(len(x), 16)
    halves = pe.apply_rope(x, turned, pairing="half")
    np.testing.assert_allclose(halves, slow_rope(x, turned, "half"), rtol=0, atol=4 * np.finfo(dtype).eps)


def test_narrow_hands_turn_float64_in_float64():
    x, narrow = np.random.default_rng(0).normal(size=(9, 8)), pe.phasors(9, 8).astype(np.complex64)
    for pairing in ("interleaved", "half"):
        expected = slow_rope(x, narrow.astype(complex), pairing)
        np.testing.assert_allclose(pe.apply_rope(x, narrow, pairing=pairing), expected, rtol=0, atol=1e-14)
