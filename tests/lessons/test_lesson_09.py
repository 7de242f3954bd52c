"""Lesson 09: the error that a picture calls the largest is the largest, at every position."""

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.lessons.lesson_09.table_error import PRECISIONS, worst_up_to


def bits_of_bfloat16(x):
    """Return x with the 16 upper bits of its float32, rounded to even."""
    bits = np.float32(x).view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    return bits.astype(np.uint32).view(np.float32).astype(float)


NARROW = {
    "float16": lambda x: np.float16(x).astype(float),
    "bfloat16": bits_of_bfloat16,
    "float32": lambda x: np.float32(x).astype(float),
}


def true_errors(last, inv_freq, precision):
    """Return the error of a cosine or a sine at the positions 1 … last, in plain NumPy."""
    t = np.arange(1, last + 1.0)
    exact = np.outer(t, inv_freq)
    waves = np.stack([np.cos(exact), np.sin(exact)])
    if precision in NARROW:
        narrow = NARROW[precision]
        angle = narrow(np.outer(narrow(t), narrow(inv_freq)))
        made = narrow(np.stack([np.cos(angle), np.sin(angle)]))
    else:
        made = NARROW["bfloat16" if "bfloat16" in precision else "float32"](waves)
    return np.abs(made - waves).max(axis=(0, 2))


@pytest.mark.parametrize("precision", PRECISIONS)
def test_the_largest_error_is_that_of_every_position(precision):
    rng = np.random.default_rng(0)
    for case in range(12):
        pairs, last = int(rng.integers(1, 12)), int(rng.integers(2, 9000))
        inv_freq = 10.0 ** rng.uniform(1, 6) ** -(np.arange(pairs) / pairs) * rng.uniform(0.2, 1)
        ends = np.unique(rng.integers(1, last, size=rng.integers(1, 9)))
        true = np.maximum.accumulate(true_errors(last, inv_freq, precision)[ends[0] - 1 :])
        found = worst_up_to(ends, inv_freq, precision)
        np.testing.assert_allclose(found, true[ends - ends[0]], rtol=2e-4, err_msg=f"{case}")


def test_float32_is_worst_where_a_plain_search_finds_it():
    """It was read off some positions only, and one between them is worse by a tenth."""
    panel = pe.explore("rope", views="precision", head_dim=64, start={"position": 2**20})
    assert "float32 0.0391," in panel.text
    assert pe.table_error([1_033_512], 64, precision="float32") == pytest.approx(0.0391, abs=5e-5)
    panel.close()
