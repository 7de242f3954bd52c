import numpy as np
import pytest

from posenc_lib import bfloat16, inv_freq, table_error
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.lessons.lesson_09.rope_bugs import BUGS
from posenc_lib.lessons.lesson_09.table_error import ONCE, ONCE_NARROW


def test_bfloat16_keeps_eight_bits_and_rounds_ties_to_even():
    np.testing.assert_array_equal(bfloat16(np.arange(257)), np.arange(257))
    np.testing.assert_array_equal(
        bfloat16([[257, 258, 259], [260, -257, 0.0]]), [[256, 258, 260], [260, -256, 0]]
    )
    assert bfloat16(1 / 3) == np.float32(0.333984375)  # 171 / 512
    assert bfloat16(1.0).dtype == np.float32


@pytest.mark.parametrize(
    ("precision", "dim", "position", "low", "high"),
    [
        (ONCE, 128, 1_000_003, 0, 6e-8),
        (
            ONCE_NARROW,
            128,
            1_000_003,
            1e-3,
            2**-9,
        ),  # half a step below 1: what Hugging Face's cos and sin lose
        ("float32", 128, 1_000_003, 1e-2, 1e-1),
        ("bfloat16", 8, 256, 0, 0.03),  # the frequencies are rounded, too
        ("bfloat16", 8, 257, 0.5, 2),  # and now the position
        ("float16", 8, 2049, 0.5, 2),
        ("float16", 8, 70_000, np.nan, np.nan),  # beyond its largest number
    ],
)
def test_narrow_numbers_lose_neighbors_and_float64_rounded_once_does_not(
    precision, dim, position, low, high
):
    error = table_error([position], dim, precision=precision)
    assert low <= error <= high or np.isnan([low, *error]).all()
    given = table_error([position], dim, precision=precision, inv_freq=inv_freq(dim, 500.0))
    np.testing.assert_allclose(
        given, table_error([position], dim, 500.0, precision=precision), rtol=0, atol=1e-9
    )


def test_an_angle_or_a_frequency_beyond_the_precision_is_unknown():
    for precision in ("float16", "bfloat16", "float32"):
        assert np.isnan(table_error([1, 2**40, -(2**40)], 8, 1e-90, precision=precision)).all()
        assert np.isfinite(table_error([1, 9], 8, 0.5, precision=precision)).all()


@pytest.mark.parametrize("bug", BUGS)
def test_each_bug_is_a_bug(bug, rng):
    rope, (q, k) = ENCODINGS["rope"].at(head_dim=8), rng.normal(size=(2, 6, 8))
    queries, keys = BUGS[bug](rope, q, k)
    assert (len(queries), keys.shape) == (12 if bug == "slice" else 6, k.shape)
    assert not np.allclose(queries[:6] @ keys.T, rope.rotate(q, 6) @ rope.rotate(k, 6).T)
