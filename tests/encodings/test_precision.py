import numpy as np
import pytest

from posenc_lib import bfloat16, table_error
from posenc_lib.encodings.mistakes import BUGS
from posenc_lib.encodings.precision import ONCE, PRECISIONS


def test_bfloat16_keeps_eight_bits_and_rounds_ties_to_even():
    numbers = np.arange(1, 257)
    np.testing.assert_array_equal(bfloat16(numbers), numbers)
    np.testing.assert_array_equal(bfloat16([257, 258, 259, 260, -257, 0.0]), [256, 258, 260, 260, -256, 0])
    assert bfloat16(1 / 3) == np.float32(0.333984375)  # 171 / 512
    assert bfloat16(np.ones((2, 3))).shape == (2, 3)
    assert bfloat16(1.0).dtype == np.float32


@pytest.mark.parametrize("x", np.random.default_rng(0).normal(size=20) * 10.0 ** np.arange(-10, 10))
def test_bfloat16_takes_the_nearest(x):
    step = 2.0 ** (np.floor(np.log2(abs(x))) - 7)
    assert abs(float(bfloat16(x)) - np.float32(x)) <= step / 2 * (1 + 1e-6)
    assert float(bfloat16(x)) / step == round(float(bfloat16(x)) / step)


def test_float64_rounded_once_is_right_everywhere_and_float32_is_not():
    far = np.array([1, 1_000_003])
    assert (table_error(far, 128, precision=ONCE) < 6e-8).all()
    near, wrong = table_error(far, 128, precision="float32")
    assert near < 1e-6
    assert 1e-2 < wrong < 1e-1


def test_narrow_numbers_lose_neighbours_and_float16_ends():
    assert table_error([256], 8, precision="bfloat16") < 0.03  # the frequencies are rounded, too
    assert table_error([257], 8, precision="bfloat16") > 0.5
    assert table_error([2049], 8, precision="float16") > 0.5
    assert np.isnan(table_error([70_000], 8, precision="float16")).all()
    for name in PRECISIONS:
        assert table_error(0, 8, precision=name).shape == (0,)


def test_each_bug_is_a_bug():
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(2, 6, 8))
    for name, bug in BUGS.items():
        queries, keys = bug(q, k, 10_000.0, "interleaved")
        assert keys.shape == k.shape
        assert len(queries) == (12 if name == "slice" else 6)


@pytest.mark.parametrize("precision", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("far", [2**40, -(2**40)])
def test_an_angle_beyond_the_precision_is_unknown(precision, far):
    assert np.isnan(table_error([far], 8, 1e-90, precision=precision)).all()


def test_a_frequency_between_the_ends_of_bfloat16_and_float32_is_unknown():
    assert np.isnan(table_error([1], 4, 3.3e38**-2, precision="bfloat16")).all()
    assert np.isfinite(table_error([1], 4, 3.3e38**-2, precision="float32")).all()
