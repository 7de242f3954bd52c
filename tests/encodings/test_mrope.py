"""M-RoPE: where words, pictures and films stand in one line, and which axis turns a pair."""

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.catalog import KNOWN
from posenc_lib.encodings.mrope import MODELS


@pytest.mark.parametrize(
    "sections", [[24, 20, 20], [11, 11, 10], [16, 24, 24], [1, 0, 3], [5], [2, 2]]
)
def test_axes_take_turns_until_they_have_all_their_pairs(sections):
    rounds = []
    for turn in range(max(sections)):
        rounds += [axis for axis, pairs in enumerate(sections) if turn < pairs]
    turns, chunks = (pe.axis_of_pair(sections, interleaved=one) for one in (True, False))
    assert (turns.tolist(), chunks.tolist()) == (rounds, sorted(rounds))
    assert turns.dtype == chunks.dtype == np.int64


@pytest.mark.parametrize(
    ("parts", "last"),  # a picture costs its longer side
    [
        ([5, (6, 4), 3], [13, 13, 13]),
        ([(24, 24), 1], [24, 24, 24]),
        ([1, (2, 1, 3)], [2, 1, 3]),
        ([0, 1], [0, 0, 0]),
    ],
)
def test_words_go_on_after_the_largest_place_of_a_picture_or_a_film(parts, last):
    assert pe.mrope_positions(parts)[:, -1].tolist() == last
    assert pe.mrope_positions([]).shape == (3, 0)


@pytest.mark.parametrize("model", MODELS)
def test_the_encoding_is_the_model_of_its_name(model):
    one = KNOWN["mrope"].at(model=model, before=2, frames=1, tall=3, wide=4, after=1)
    sections, base, interleaved, _ = MODELS[model]
    equal = np.testing.assert_array_equal
    equal(one.axis_of_pair, pe.axis_of_pair(sections, interleaved=interleaved))
    equal(one.axis_positions, pe.mrope_positions([2, (3, 4), 1]))
    equal(one.at(frames=2).axis_positions, pe.mrope_positions([2, (2, 3, 4), 1]))
    np.testing.assert_allclose(one.frequencies, pe.inv_freq(128, base))
    moved = np.abs(np.exp(1j * one.frequencies) - 1) ** 2
    assert one.axis_steps == pytest.approx(np.sqrt(np.bincount(one.axis_of_pair, moved)), rel=1e-9)
