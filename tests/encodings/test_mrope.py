"""M-RoPE: where the words, pictures and films of one line of tokens stand, and which axis turns which pair."""

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.catalog import KNOWN
from posenc_lib.encodings.mrope import MODELS


@pytest.mark.parametrize("sections", [[24, 20, 20], [11, 11, 10], [16, 24, 24], [1, 0, 3], [5], [2, 2]])
def test_axes_take_turns_until_they_have_all_their_pairs(sections):
    left, wanted = list(sections), []
    while any(left):
        for axis in range(len(left)):
            if left[axis]:
                left[axis] -= 1
                wanted.append(axis)
    turns, chunks = (pe.axis_of_pair(sections, interleaved=one) for one in (True, False))
    assert turns.tolist() == wanted
    assert chunks.tolist() == sorted(wanted)
    np.testing.assert_array_equal(pe.axis_of_pair(sections), chunks)
    assert turns.dtype == chunks.dtype == np.int64


def test_a_picture_costs_its_longer_side():
    assert pe.mrope_positions([5, (6, 4), 3]).max() + 1 == 14
    assert pe.mrope_positions([(24, 24), 1])[:, -1].tolist() == [24, 24, 24]
    assert pe.mrope_positions([]).shape == pe.mrope_positions([0]).shape == (3, 0)


def test_a_film_counts_its_frames_and_words_go_on_after_the_largest_place():
    places = pe.mrope_positions([1, (2, 1, 3), 2])
    assert places.T.tolist() == [
        *([0, 0, 0], [1, 1, 1], [1, 1, 2], [1, 1, 3], [2, 1, 1], [2, 1, 2], [2, 1, 3], [4, 4, 4], [5, 5, 5])
    ]
    assert places.dtype == np.int64


@pytest.mark.parametrize("model", MODELS)
def test_the_encoding_is_the_model_of_its_name(model):
    one = KNOWN["mrope"].at(model=model, before=2, frames=1, tall=3, wide=4, after=1)
    sections, base, interleaved, _ = MODELS[model]
    np.testing.assert_array_equal(one.axis_of_pair, pe.axis_of_pair(sections, interleaved=interleaved))
    np.testing.assert_array_equal(one.axis_positions, pe.mrope_positions([2, (3, 4), 1]))
    np.testing.assert_array_equal(one.at(frames=2).axis_positions, pe.mrope_positions([2, (2, 3, 4), 1]))
    still, ones = np.zeros((3, 1)), np.ones((1, 128))
    for axis, step in enumerate(one.axis_steps):
        moved = pe.rope_nd(ones, still + np.eye(3)[:, [axis]], sections=sections, base=base, interleaved=interleaved)
        assert step == pytest.approx(np.linalg.norm(moved - ones) / np.sqrt(2), rel=1e-9)
        np.testing.assert_allclose(one.frequencies, pe.inv_freq(128, base))
