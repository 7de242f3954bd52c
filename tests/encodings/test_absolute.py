import math

import numpy as np
import pytest

from posenc_lib import binary, integer, learned, no_position, normalized, shift_matrix, sine, sinusoidal


def test_integer_as_printed_in_lesson_02():
    np.testing.assert_array_equal(integer(4, 2), [[0, 0], [1, 1], [2, 2], [3, 3]])
    assert integer(4, 2).dtype == np.int64
    np.testing.assert_array_equal(integer(np.array([1.5]), 3), [[1.5, 1.5, 1.5]])


def test_normalized_with_and_without_its_end():
    np.testing.assert_allclose(normalized(4, 2)[:, 0], [0, 0.25, 0.5, 0.75])
    np.testing.assert_allclose(normalized(5, 1, endpoint=True)[:, 0], [0, 0.25, 0.5, 0.75, 1])


def test_binary_equals_what_python_formats(golden):
    record = golden("binary__cpython_format")
    np.testing.assert_array_equal(binary(64, 6), record["values"]["msb_first"])


def test_binary_of_chosen_positions_and_of_more_bits_than_an_integer_has():
    np.testing.assert_array_equal(binary(np.array([5, 0, 7]), 3), [[1, 0, 1], [0, 0, 0], [1, 1, 1]])
    wide = binary(4, 100)
    assert wide[:, :98].sum() == 0
    np.testing.assert_array_equal(wide[:, 98:], binary(4, 2))


def test_sine_as_printed_in_lesson_04():
    expected = [[0, 0], [0.84147098, 0.47942554], [0.90929743, 0.84147098], [0.14112001, 0.99749499]]
    np.testing.assert_allclose(sine(4, 2), expected, atol=5e-9)


@pytest.mark.parametrize("base", [None, 10_000.0, 2.0])
def test_sine_equals_a_plain_loop(base):
    expected = [[math.sin(t / (2**i if base is None else base ** (i / 4))) for i in range(5)] for t in range(20)]
    np.testing.assert_allclose(sine(20, 5, base=base), expected, atol=1e-14)


def test_sine_of_one_dim_and_of_very_many():
    np.testing.assert_allclose(sine(3, 1, base=100.0)[:, 0], np.sin(np.arange(3)))
    np.testing.assert_allclose(sine(3, 2, base=100.0)[:, 1], np.sin(np.arange(3) / 100))
    assert np.isfinite(sine(3, 2000)).all()


def test_sinusoidal_as_printed_in_lesson_05():
    expected = [[0, 1], [0.84147098, 0.54030231], [0.90929743, -0.41614684], [0.14112001, -0.9899925]]
    np.testing.assert_allclose(sinusoidal(4, 2), expected, atol=5e-9)


def test_sinusoidal_equals_keras_hub(golden):
    record = golden("sinusoidal_interleaved_f64__keras_hub")
    np.testing.assert_allclose(sinusoidal(16, 8), record["values"], rtol=0, atol=1e-12)


def test_sinusoidal_equals_keras_hub_at_large_positions(golden):
    record = golden("sinusoidal_interleaved_largepos_f64__keras_hub")
    positions = np.array(record["args"]["positions"])
    error = np.abs(sinusoidal(positions, 128) - record["values"]).max(axis=1)
    # both sides round θ to float64, so an angle of t radians may differ by a few t·2^-52
    assert (error <= 1e-12 + 4 * positions * np.finfo(float).eps).all(), error


def test_concatenated_sinusoidal_equals_gpt_j(golden):
    record = golden("sinusoidal_concat_paper_f64__hf_gptj")
    np.testing.assert_allclose(sinusoidal(16, 8, layout="concatenated"), record["values"], rtol=0, atol=1e-12)


def test_tensor2tensor_spaces_its_wavelengths_otherwise(golden):
    record = golden("sinusoidal_concat_t2t_d8__tensor2tensor")
    assert np.abs(sinusoidal(16, 8, layout="concatenated") - record["values"]).max() > 0.1
    stretched = 10_000.0 ** (8 / 6)  # base^(2i/8) becomes 10000^(i/3)
    np.testing.assert_allclose(
        sinusoidal(16, 8, base=stretched, layout="concatenated"), record["values"], rtol=1e-6, atol=1e-6
    )


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, "float32"])
def test_a_narrow_table_is_the_wide_one_rounded_once(dtype):
    positions = np.array([0, 3, 1_000_003])
    np.testing.assert_array_equal(sinusoidal(positions, 64, dtype=dtype), sinusoidal(positions, 64).astype(dtype))
    assert sinusoidal(2, 4, dtype=dtype).dtype == np.dtype(dtype)


def test_shift_matrix_moves_every_row():
    table = sinusoidal(300, 64)
    for offset in (1, 17, 250):
        residual = np.abs(table[:-offset] @ shift_matrix(offset, 64).T - table[offset:]).max()
        assert residual <= 1e-12
    np.testing.assert_allclose(shift_matrix(-3.5, 8), shift_matrix(3.5, 8).T, atol=1e-15)


def test_learned_is_a_repeatable_draw_of_the_stated_width():
    table = learned(500, 40, rng=np.random.default_rng(1))
    np.testing.assert_array_equal(table, learned(500, 40, rng=np.random.default_rng(1)))
    assert table.std() == pytest.approx(0.02, rel=0.02)
    assert abs(table.mean()) < 0.001


@pytest.mark.parametrize(("positions", "rows"), [(5, 5), (np.array([0.5, -3, 10**6]), 3)])
def test_no_position_adds_nothing(positions, rows):
    np.testing.assert_array_equal(no_position(positions, 3), np.zeros((rows, 3)))
