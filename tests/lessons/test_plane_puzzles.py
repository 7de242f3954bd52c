"""The puzzles of lesson 12: their answers agree with the library, and what is right for squares only is not right."""

import numpy as np

import posenc_lib as pe
from posenc_lib import check
from posenc_lib.puzzles import engine, lesson_12


def test_a_table_that_is_right_for_squares_only_is_not_right(capsys, monkeypatch):
    """The lesson's own: it divides by the height, which a square does not notice."""
    monkeypatch.setattr(engine, "_wrong", {})

    def squares(height, width, dims):
        y, x = np.divmod(np.arange(height * width), height)
        return np.hstack([pe.sinusoidal(at, dims // 2, layout="concatenated") for at in (y, x)])

    np.testing.assert_array_equal(squares(4, 4, 8), lesson_12.patch_table(4, 4, 8))
    check("patch_table", squares)
    text = capsys.readouterr().out
    assert text.startswith("not yet: squares(3, 5, 8) first differs at [3, 0]: expected 0, got 0.841")
    assert "Likely reason" not in text  # its reader is to find it


def test_pairs_that_look_across_the_anti_diagonal_see_it_and_those_that_look_along_it_do_not():
    down, right = np.mgrid[-6:7, -6:7]
    theta, wish = pe.inv_freq(64, 10), down == -right
    head = pe.exact_head_2d(lesson_12.look_across(theta), wish)
    assert f"{head.mass:.2f}"[1:] in lesson_12.LOOK_ACROSS.won
    np.testing.assert_allclose(head.attention[wish], head.mass / 13, rtol=1e-9)  # all 13 alike
    assert pe.exact_head_2d(np.stack([theta, -theta]) / np.sqrt(2), wish).mass < 0.2
