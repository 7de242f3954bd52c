"""RoPE in the plane; the goldens have models' own."""

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.catalog import KNOWN

MIXED = [[0.5, -1, 0.25, 3], [2, 0.125, 0, -0.5]]
HALF = 0.5**0.5


@pytest.mark.parametrize("frequencies", ["axial", "alternate", MIXED])
def test_scores_depend_on_how_far_apart_two_patches_are_and_nothing_else(frequencies, rng):
    vectors = [np.tile(one, (20, 1)) for one in rng.normal(size=(2, 8))]
    q, k = (pe.rope_2d(x, 4, 5, frequencies=frequencies) for x in vectors)
    scores = (q @ k.T).reshape(4, 5, 4, 5)
    np.testing.assert_allclose(scores[1:, 1:, 1:, 1:], scores[:-1, :-1, :-1, :-1], atol=1e-12)
    assert not np.allclose(scores[0, 0, 0, 1], scores[0, 0, 1, 0])


@pytest.mark.parametrize("pairs", ["axial", "alternate", "four ways", "random"])
def test_the_encoding_turns_as_the_function_does(pairs):
    values = {"pairs": pairs, "tilt": 30, "content": "random", "draw": 3}
    one = KNOWN["rope_2d"].at(seq_len=12, columns=4, head_dim=8, **values)
    vectors = [np.tile(x, (12, 1)) for x in one.query_and_key()]
    wanted = [pe.rope_2d(x, 3, 4, frequencies=one.directions) for x in vectors]
    np.testing.assert_allclose(one.queries_keys, wanted, atol=1e-13)
    given = one.relate(np.ones((12, 8)), np.full((12, 8), 2.0))
    np.testing.assert_allclose(given["k"], 2 * given["q"], atol=1e-13)


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ({}, [[1, 0.1, 0, 0], [0, 0, 1, 0.1]]),
        ({"pairs": "alternate"}, [[1, 0.1, 0, 0], [0, 0, 10**-0.5, 10**-1.5]]),
        ({"tilt": 45}, [[HALF, HALF / 10, HALF, HALF / 10], [-HALF, -HALF / 10, HALF, HALF / 10]]),
        ({"pairs": "four ways"}, [[1, 0, HALF, HALF], [0, 1, -HALF, HALF]]),  # a pair each
    ],
)
def test_directions_are_those_of_their_kind_and_a_tilt_turns_them_all_alike(values, wanted):
    one = KNOWN["rope_2d"].at(head_dim=8, base=100.0, **values)
    np.testing.assert_allclose(one.directions, wanted, atol=1e-15)


def test_random_pairs_look_all_ways_alike_and_a_draw_comes_again():
    one = KNOWN["rope_2d"].at(pairs="random", base=100.0)
    draws = [one.at(draw=k).directions for k in range(40)]
    np.testing.assert_array_equal(draws[1], one.at(draw=1).directions)
    np.testing.assert_allclose(np.hypot(*draws[1]), np.tile(pe.inv_freq(32, 100.0), 2))
    eighths = np.histogram(np.arctan2(*np.hstack(draws)), bins=8, range=(-np.pi, np.pi))[0]
    assert eighths.sum() == 40 * 32
    assert 120 < eighths.min() < eighths.max() < 200  # of 160
