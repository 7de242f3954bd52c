"""RoPE on several axes, beside RoPE on one and beside angles in extended precision; the goldens have models' own."""

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.catalog import KNOWN

AXES = {"axial": [[1, 0.1, 0, 0], [0, 0, 1, 0.1]], "alternate": [[1, 0.1, 0, 0], [0, 0, 10**-0.5, 10**-1.5]]}
MIXED = [[0.5, -1, 0.25, 3], [2, 0.125, 0, -0.5]]


def grid(height: int, width: int) -> np.ndarray:
    """Return the row and the column of each patch, shape (2, patches)."""
    return np.indices((height, width)).reshape(2, -1)


@pytest.mark.parametrize("frequencies", ["axial", "alternate", MIXED])
def test_scores_depend_on_how_far_apart_two_patches_are_and_nothing_else(frequencies, rng):
    q, k = (pe.rope_2d(np.tile(one, (20, 1)), 4, 5, frequencies=frequencies) for one in rng.normal(size=(2, 8)))
    scores = (q @ k.T).reshape(4, 5, 4, 5)
    np.testing.assert_allclose(scores[1:, 1:, 1:, 1:], scores[:-1, :-1, :-1, :-1], atol=1e-12)
    assert not np.allclose(scores[0, 0, 0, 1], scores[0, 0, 1, 0])


@pytest.mark.parametrize("interleaved", [False, True])
def test_without_a_restart_each_pair_keeps_the_frequency_it_has_in_the_whole_head(interleaved, rng):
    x, places, sections = rng.normal(size=(7, 16)), rng.integers(-9, 99, (3, 7)), [4, 1, 3]
    turned = pe.rope_nd(x, places, sections=sections, interleaved=interleaved)
    whole = [pe.rope(x, t, pairing="half") for t in places]
    for pair, axis in enumerate([0, 1, 2, 0, 2, 0, 2, 0] if interleaved else [0, 0, 0, 0, 1, 2, 2, 2]):
        for dim in (pair, pair + 8):
            np.testing.assert_allclose(turned[:, dim], whole[axis][:, dim], atol=1e-13)


def test_far_away_angles_are_right_to_the_last_digits():
    places = np.array([[5003, 131071, 2.5], [-7919, 3, 0.1]])
    x = np.tile([1.0, 0.0], (3, 4))
    turned = pe.rope_nd(x, places, sections=[3, 1], base=1e6, pairing="interleaved")
    theta = np.longdouble(1e6) ** -(np.arange(4, dtype=np.longdouble) / 4)
    angles = np.concatenate([np.outer(places[0], theta[:3]), np.outer(places[1], theta[3:])], axis=1)
    np.testing.assert_allclose(turned[:, 0::2], np.cos(angles).astype(float), rtol=0, atol=1e-12)
    np.testing.assert_allclose(turned[:, 1::2], np.sin(angles).astype(float), rtol=0, atol=1e-12)


def test_each_text_of_a_batch_has_places_of_its_own(rng):
    x, places = rng.normal(size=(2, 3, 5, 8)), rng.integers(0, 40, (3, 2, 5))
    batch = pe.rope_nd(x, places, sections=[2, 1, 1])
    for text in range(2):
        np.testing.assert_array_equal(batch[text], pe.rope_nd(x[text], places[:, text], sections=[2, 1, 1]))
    shared = pe.rope_nd(x, places[:, :1], sections=[2, 1, 1])
    np.testing.assert_array_equal(shared, pe.rope_nd(x, places[:, 0], sections=[2, 1, 1]))
    alone = pe.rope_nd(x[0, 0], places[:, :1], sections=[2, 1, 1])  # a batch of one, and x without an axis for it
    np.testing.assert_array_equal(alone, batch[0, 0])


@pytest.mark.parametrize("pairs", ["axial", "alternate", "four ways", "random"])
def test_the_encoding_turns_as_the_function_does(pairs):
    one = KNOWN["rope_2d"].at(seq_len=12, columns=4, head_dim=8, pairs=pairs, tilt=30, content="random", draw=3)
    q, k = one.queries_keys
    wanted = [pe.rope_2d(np.tile(x, (12, 1)), 3, 4, frequencies=one.directions) for x in one.query_and_key()]
    np.testing.assert_allclose([q, k], wanted, atol=1e-13)
    given = one.relate(np.ones((12, 8)), np.full((12, 8), 2.0))
    np.testing.assert_allclose(given["k"], 2 * given["q"], atol=1e-13)


def test_directions_are_those_of_their_kind_and_a_tilt_turns_them_all_alike():
    one = KNOWN["rope_2d"].at(head_dim=8, base=100.0)
    np.testing.assert_allclose(one.directions, AXES["axial"], atol=1e-15)
    np.testing.assert_allclose(one.at(pairs="alternate").directions, AXES["alternate"], atol=1e-15)
    half = np.sqrt(0.5)
    tilted = one.at(tilt=45).directions
    np.testing.assert_allclose(tilted, [[half, half / 10, half, half / 10], [-half, -half / 10, half, half / 10]])
    four = one.at(pairs="four ways").directions  # a pair each
    np.testing.assert_allclose(four, [[1, 0, half, half], [0, 1, -half, half]], atol=1e-15)
    mixed = one.at(pairs="random", draw=1).directions
    np.testing.assert_allclose(np.hypot(*mixed), [1, 0.1, 1, 0.1])
    assert not np.allclose(mixed, one.at(pairs="random", draw=2).directions)
    np.testing.assert_array_equal(mixed, one.at(pairs="random", draw=1).directions)
    mixed = np.hstack([one.at(head_dim=64, pairs="random", draw=k).directions for k in range(40)])
    eighths = np.histogram(np.arctan2(*mixed), bins=8, range=(-np.pi, np.pi))[0]
    assert eighths.sum() == 40 * 32
    assert eighths.min() > 120  # of 160: pairs look all ways alike
    assert eighths.max() < 200
