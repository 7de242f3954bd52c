import inspect
import math

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib import angles, inv_freq, phasors, wavelengths


@pytest.mark.parametrize(("dim", "base"), [(2, 10_000.0), (8, 10_000.0), (128, 500_000.0), (6, 0.5)])
def test_inv_freq_equals_a_plain_loop(dim, base):
    expected = [1 / base ** (2 * i / dim) for i in range(dim // 2)]
    np.testing.assert_allclose(inv_freq(dim, base), expected, rtol=1e-14)


def test_wavelengths_of_512_dims():
    waves = wavelengths(512)
    np.testing.assert_allclose(waves[[0, 64, 128, 192]], 2 * math.pi * np.array([1, 10, 100, 1000]), rtol=1e-12)
    assert round(waves[255]) == 60_611


def test_angles_equal_a_plain_loop():
    expected = [[t * f for f in inv_freq(6)] for t in range(5)]
    np.testing.assert_array_equal(angles(5, 6), expected)


def test_positions_may_be_a_count_a_list_or_an_array():
    for positions in ([0, 1, 2], (0, 1, 2), range(3), np.arange(3, dtype=np.int16), np.array([0.0, 1.0, 2.0])):
        np.testing.assert_array_equal(angles(positions, 4), angles(3, 4))


def test_phasors_are_the_clock_hands():
    turned = angles(9, 8)
    np.testing.assert_allclose(phasors(9, 8), np.cos(turned) + 1j * np.sin(turned), atol=1e-15)


def test_no_positions_give_an_empty_table():
    assert angles(0, 4).shape == (0, 2)
    assert phasors(np.array([]), 4).shape == (0, 2)


def test_a_base_is_10_000_unless_another_is_given():
    known = {name: inspect.signature(getattr(pe, name)).parameters.get("base") for name in pe.__all__}
    defaults = {name: base.default for name, base in known.items() if base}
    assert len(defaults) >= 12
    assert defaults == dict.fromkeys(defaults, 10_000.0) | {"sine": None}
