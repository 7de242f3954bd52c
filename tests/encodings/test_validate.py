"""Words of refusal that all functions share, and what passes."""

import pytest

import posenc_lib as pe
from posenc_lib.encodings.catalog import ENCODINGS


class Tensor:
    """A tensor that has a gradient, as PyTorch's would speak to NumPy."""

    def __array__(self, *args, **kwargs):
        raise RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: ENCODINGS["binary"].at(base=2),
            TypeError,
            r"no parameter 'base'\. It has seq_len, d_model, low_first\.",
        ),
        (
            lambda: pe.explore("sinusodal"),
            ValueError,
            r"is unknown\. Did you mean 'sinusoidal' or 'sinusoidal_2d'\?",
        ),
        (
            lambda: pe.rope(Tensor()),
            TypeError,
            "x must be an array NumPy can read, got Tensor: .*detach",
        ),
    ],
)
def test_a_refusal_names_the_argument_and_what_was_perhaps_meant(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_a_puzzle_says_what_is_wrong_with_a_tensor(capsys):
    pe.check("asks", lambda key, offset: Tensor())
    assert "should return an array NumPy can read, got Tensor" in capsys.readouterr().out
