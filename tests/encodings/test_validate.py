"""Words of refusal that all functions share, and what passes."""

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.catalog import ENCODINGS


class Tensor:
    """A tensor that has a gradient, as PyTorch's would speak to NumPy."""

    def __array__(self, *args, **kwargs):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")


MASKED = np.ma.array([1.0, 2.0], mask=[0, 1])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: ENCODINGS["binary"].at(base=2), TypeError, r"no parameter 'base' \(it has seq_len, d_model\)"),
        (lambda: pe.explore("sinusodal"), ValueError, r"did you mean 'sinusoidal' or 'sinusoidal_2d'\?\), got"),
        (lambda: pe.explore("rope", views="Heatmpa"), ValueError, r"did you mean 'heatmap'\?"),
        (lambda: pe.explore("t5", num_buckets=7), ValueError, "num_buckets must be even, half for each direction"),
        (lambda: pe.check("shiftd", None), ValueError, r"did you mean 'shifted'"),
        (lambda: pe.sinusoidal([np.uint64(2**53 + 1)], 4), ValueError, r"within ±2\*\*53, got 9007199254740993"),
        (lambda: pe.similarity_matrix([MASKED, [1, 2]]), TypeError, "table must be a plain array, got a masked one"),
        (lambda: pe.rope(Tensor()), TypeError, "x must be an array that NumPy can read, got a Tensor: .*detach"),
    ],
)
def test_a_refusal_names_the_argument_and_what_was_perhaps_meant(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_a_puzzle_says_what_is_wrong_with_a_tensor(capsys):
    pe.check("asks", lambda key, offset: Tensor())
    assert "should return an array that NumPy can read, got a Tensor" in capsys.readouterr().out
