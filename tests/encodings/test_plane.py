"""Sinusoidal codes of a picture's patches, and learned tables for pictures of other sizes."""

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.catalog import KNOWN


def test_the_other_order_swaps_the_halves():
    table = pe.sinusoidal_2d(3, 5, 8)
    np.testing.assert_array_equal(
        pe.sinusoidal_2d(3, 5, 8, order="xy"), table[:, [4, 5, 6, 7, 0, 1, 2, 3]]
    )
    swapped = table.reshape(3, 5, 8).swapaxes(0, 1).reshape(15, 8)
    np.testing.assert_array_equal(pe.sinusoidal_2d(5, 3, 8, order="xy"), swapped)
    one = KNOWN["sinusoidal_2d"].at(seq_len=11, columns=4)  # its last row is not full
    assert (one.grid, one.highest) == ((3, 4), {"row": 2, "column": 3})
    np.testing.assert_array_equal(one.rows(np.array([10, 3])), one.table[[10, 3]])


def cubic(away: np.ndarray) -> np.ndarray:
    """Return Keys' kernel with a = −1/2, from its formula of 1981."""
    near, far = 1.5 * away**3 - 2.5 * away**2 + 1, -0.5 * away**3 + 2.5 * away**2 - 4 * away + 2
    return np.select([away < 1, away < 2], [near, far])


def resized(row, new):
    """Return a row of patches of another length, by cubics that are wider where it gets smaller."""
    old, (i, j) = len(row), np.ogrid[:new, : len(row)]
    shares = cubic(np.abs((j + 0.5) - (i + 0.5) * old / new) / max(old / new, 1))
    return shares / shares.sum(axis=1, keepdims=True) @ row


@pytest.mark.parametrize(("old", "new"), [(4, 7), (7, 3), (6, 6)])
def test_a_picture_is_resized_on_each_axis_by_itself_and_what_stands_before_is_carried_over(
    old, new, rng
):
    table = rng.normal(size=(2 + old * 4, 5)).astype(np.float32)
    other = pe.resize_table(table, (old, 4), (new, 2), prefix=2)
    assert other.dtype == np.float64
    np.testing.assert_array_equal(other[:2], table[:2])
    down = resized(table[2:].reshape(old, 20).astype(float), new).reshape(new, 4, 5)
    np.testing.assert_allclose(
        other[2:].reshape(new, 2, 5), [resized(one, 2) for one in down], atol=1e-13
    )
