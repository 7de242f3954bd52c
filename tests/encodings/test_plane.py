"""Sinusoidal codes of a picture's patches, and learned tables for pictures of other sizes."""

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.catalog import KNOWN


def test_the_other_order_swaps_the_halves_and_the_other_layout_each_half():
    table = pe.sinusoidal_2d(3, 5, 8)
    np.testing.assert_array_equal(pe.sinusoidal_2d(3, 5, 8, order="xy"), table[:, [4, 5, 6, 7, 0, 1, 2, 3]])
    np.testing.assert_array_equal(pe.sinusoidal_2d(3, 5, 8, layout="interleaved"), table[:, [0, 2, 1, 3, 4, 6, 5, 7]])
    swapped = table.reshape(3, 5, 8).swapaxes(0, 1).reshape(15, 8)
    np.testing.assert_array_equal(pe.sinusoidal_2d(5, 3, 8, order="xy"), swapped)


def cubic(away: float) -> float:
    """Return Keys' kernel with a = −1/2, from its formula of 1981."""
    away = abs(away)
    if away < 1:
        return 1.5 * away**3 - 2.5 * away**2 + 1
    return -0.5 * away**3 + 2.5 * away**2 - 4 * away + 2 if away < 2 else 0.0


@pytest.mark.parametrize(("old", "new"), [(4, 7), (7, 3), (6, 6)])
def test_a_row_of_patches_is_resized_by_cubics_that_are_wider_where_it_gets_smaller(old, new, rng):
    row, wide = rng.normal(size=(old, 2)), max(old / new, 1)
    wanted = np.empty((new, 2))
    for i in range(new):
        shares = [cubic(((j + 0.5) - (i + 0.5) * old / new) / wide) for j in range(old)]
        wanted[i] = sum(share * one for share, one in zip(shares, row, strict=True)) / sum(shares)
    np.testing.assert_allclose(pe.resize_table(row, (1, old), (1, new)), wanted, atol=1e-14)
    np.testing.assert_allclose(pe.resize_table(row, (old, 1), (new, 1)), wanted, atol=1e-14)


def test_a_picture_is_resized_on_each_axis_by_itself_and_what_stands_before_is_carried_over(rng):
    table = rng.normal(size=(2 + 3 * 4, 5)).astype(np.float32)
    larger = pe.resize_table(table, (3, 4), (5, 2), prefix=2)
    assert larger.dtype == np.float64
    np.testing.assert_array_equal(larger[:2], table[:2])
    rows = table[2:].reshape(3, 4, 5)
    down = pe.resize_table(rows.reshape(3, 20), (3, 1), (5, 1)).reshape(5, 4, 5)
    both = [pe.resize_table(one, (1, 4), (1, 2)) for one in down]
    np.testing.assert_allclose(larger[2:].reshape(5, 2, 5), both, atol=1e-14)


def test_the_encoding_reads_a_picture_by_row_and_column_or_as_one_line():
    one = KNOWN["sinusoidal_2d"].at(seq_len=15, columns=5, d_model=12)
    np.testing.assert_allclose(one.table, pe.sinusoidal_2d(3, 5, 12), atol=1e-14)
    np.testing.assert_allclose(one.at(columns=3).table, pe.sinusoidal_2d(5, 3, 12), atol=1e-14)
    np.testing.assert_array_equal(one.at(reading="line").table, pe.sinusoidal(15, 12))
    np.testing.assert_array_equal(one.rows(np.array([14, 3])), one.table[[14, 3]])
    short = one.at(seq_len=11, columns=4, d_model=64)  # its last row is not full
    assert (short.grid, short.limits) == ((3, 4), {"row": 2, "column": 3})
    np.testing.assert_allclose(short.table, pe.sinusoidal_2d(3, 4, 64)[:11], atol=1e-14)
