"""Words of refusal that all functions share, and what passes."""

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings import validate


def test_of_many_names_the_nearest_are_named():
    with pytest.raises(ValueError, match=r"did you mean 'sinusoidal'\?\), got 'sinusodal'"):
        pe.explore("sinusodal")
    with pytest.raises(ValueError, match=r"did you mean 'heatmap'\?"):
        pe.explore("rope", views="Heatmpa")
    with pytest.raises(ValueError, match=r"did you mean 'base 100 wraps'\?"):
        pe.playground("base 100")
    with pytest.raises(ValueError, match=r"did you mean 'shifted'"):
        pe.check("shiftd", None)
    assert validate.did_you_mean("", ["a", "b"]) == validate.did_you_mean(3, ["a"]) == []


@pytest.mark.parametrize("far", [2**53 + 1, -(2**53) - 1, np.uint64(2**53 + 1)])
def test_whole_numbers_beyond_what_float64_tells_apart_are_refused(far):
    with pytest.raises(ValueError, match=r"positions must lie within ±2\*\*53, got"):
        pe.sinusoidal(np.array([far]), 4)
    pe.sinusoidal(np.array([2**53, -(2**53)]), 4)


def test_masks_are_not_dropped_inside_a_list():
    with pytest.raises(TypeError, match="table must be a plain array, got a masked one"):
        pe.similarity_matrix([np.ma.array([1.0, 2.0], mask=[0, 1]), [1.0, 2.0]])


class Tensor:
    """A tensor that has a gradient, as PyTorch's would speak to NumPy."""

    def __array__(self, *args, **kwargs):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")


def test_a_tensor_with_a_gradient_is_refused_by_the_arguments_name():
    with pytest.raises(TypeError, match=r"x must be an array that NumPy can read, got a Tensor: .*detach"):
        pe.rope(Tensor())
    with pytest.raises(TypeError, match=r"q must be an array that NumPy can read"):
        pe.attention(Tensor(), np.ones((2, 2)), np.ones((2, 2)))


def test_a_puzzle_says_what_is_wrong_with_a_tensor(capsys):
    pe.check("turned", lambda x, position: Tensor())
    assert "should return an array that NumPy can read, got a Tensor" in capsys.readouterr().out


def test_buckets_are_refused_by_their_own_name():
    with pytest.raises(ValueError, match=r"num_buckets must be even, half for each direction, got 7"):
        pe.explore("t5", num_buckets=7)


def test_the_module_lists_what_it_is_for():
    assert dir(pe) == sorted([*pe.__all__, "__version__"])
