import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib import learned, shift_matrix, sinusoidal


@given(st.integers(1, 40), st.floats(1.5, 1e7), st.integers(-500, 500) | st.floats(-500, 500))
def test_a_shift_is_one_matrix_for_all_positions(pairs, base, offset):
    t = np.arange(60)
    moved = sinusoidal(t, 2 * pairs, base=base) @ shift_matrix(offset, 2 * pairs, base).T
    np.testing.assert_allclose(moved, sinusoidal(t + offset, 2 * pairs, base=base), atol=1e-12)


def test_learned_is_a_repeatable_draw_of_the_stated_width():
    table = learned(500, 40, rng=np.random.default_rng(1))
    np.testing.assert_array_equal(table, learned(500, 40, rng=np.random.default_rng(1)))
    assert table.std() == pytest.approx(0.02, rel=0.02)
    assert abs(table.mean()) < 0.001
