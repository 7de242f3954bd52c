"""Scaled and float32 RoPE as Hugging Face and torchtune test it: their values, not their code."""

import os

import numpy as np
import pytest

import posenc_lib as pe

from .loops import numbers

MAX, PAIRS = 2048, 64  # of a LlamaConfig, whose base is 10 000
DEFAULT = (
    "1 .86596 .74989 .64938 .56234 .48697 .4217 .36517 "
    ".31623 .27384 .23714 .20535 .17783 .15399 .13335 .11548"
)
DEFAULT = np.outer([1, 0.1, 0.01, 0.001], numbers(DEFAULT)).ravel()
YARN = """
    8.3479e-02 6.9590e-02 5.7925e-02 4.8136e-02 3.9931e-02 3.3061e-02 2.7315e-02 2.2515e-02
    1.8512e-02 1.5177e-02 1.2403e-02 1.0101e-02 8.1924e-03 6.6143e-03 5.3120e-03 4.2400e-03
    3.3599e-03 2.6396e-03 2.0520e-03 1.5746e-03 1.1882e-03 8.7713e-04 6.2810e-04 4.3007e-04"""
LLAMA3 = (
    "1.0730e-02 7.7785e-03 5.6009e-03 3.9991e-03 2.8248e-03 "
    "1.9675e-03 1.3449e-03 8.9549e-04 5.7363e-04 3.4539e-04"
)
BANDS = {"original_max_position_embeddings": 2048, "low_freq_factor": 1, "high_freq_factor": 4}
FACTORS = {"short_factor": [2.0] * PAIRS, "long_factor": list(range(1, PAIRS + 1))}


def scaled(rope_type, seq_len=None, **keys):
    """Return what a config of Llama's sizes gives."""
    return pe.rope_scaling(
        {"rope_type": rope_type} | keys, 128, max_position_embeddings=MAX, seq_len=seq_len
    )


def between(middle, first):
    """Return default frequencies up to `first`, then those given, then a tenth of the default."""
    middle = numbers(middle)[0]
    return np.concatenate([DEFAULT[:first], middle, DEFAULT[first + len(middle) :] / 10])


# huggingface/transformers, tests/utils/test_modeling_rope_utils.py:
# test_{default, linear, dynamic, yarn, longrope, llama3, proportional}_rope_numerically
@pytest.mark.parametrize(
    ("given", "wanted", "factor"),
    [
        (lambda: scaled("default"), DEFAULT, 1.0),
        *((lambda f=f: scaled("linear", factor=f), DEFAULT / f, 1.0) for f in (2.0, 10.0, 20.0)),
        *((lambda f=f: scaled("dynamic", factor=f), DEFAULT, 1.0) for f in (2.0, 10.0, 20.0)),
        (lambda: scaled("dynamic", seq_len=1, factor=10.0), DEFAULT, 1.0),
        (
            lambda: scaled("yarn", factor=10.0, beta_fast=32, beta_slow=1),
            between(YARN, 17),
            0.1 * np.log(10) + 1,
        ),
        (
            lambda: scaled("longrope", factor=10.0, **FACTORS),
            DEFAULT / 2,
            np.sqrt(1 + np.log(10) / np.log(MAX)),
        ),
        (lambda: scaled("longrope", seq_len=1, factor=1.0, **FACTORS), DEFAULT / 2, 1.0),
        (
            lambda: scaled("longrope", seq_len=MAX + 1, factor=1.0, **FACTORS),
            DEFAULT / np.arange(1, 65),
            1.0,
        ),
        (lambda: scaled("llama3", factor=10.0, **BANDS), between(LLAMA3, 31), 1.0),
        (
            lambda: scaled("proportional", partial_rotary_factor=0.25),
            np.r_[DEFAULT[:16], np.zeros(48)],
            1.0,
        ),
        (
            lambda: scaled("proportional", partial_rotary_factor=0.5, factor=2.0),
            np.r_[DEFAULT[:32] / 2, [0] * 32],
            1.0,
        ),
        (lambda: scaled("proportional", factor=10.0), DEFAULT / 10, 1.0),
    ],
)
def test_hugging_face(given, wanted, factor):
    inv_freq, attention_factor = given()
    np.testing.assert_allclose(inv_freq, wanted, rtol=1e-4)
    assert attention_factor == pytest.approx(factor, abs=1e-12)


# pytorch/torchtune, tests/torchtune/modules/test_position_embeddings.py: test_forward,
# _with_curr_pos, _with_packed_pos, TestVisionRotaryPositionEmbedding;
# tests/torchtune/models/llama3_1/test_position_embeddings.py
@pytest.mark.slow
def test_torchtune():
    # its random numbers
    torch = __import__("torch") if os.environ.get("CI") else pytest.importorskip("torch")

    def draw(*shape):
        return (
            torch.randn(*shape, generator=torch.Generator().manual_seed(0)).numpy().swapaxes(1, 2)
        )

    x, scaling = draw(4, 2048, 32, 128), {"rope_type": "llama3", "factor": 8.0}
    llama, _ = pe.rope_scaling(scaling | BANDS | {"original_max_position_embeddings": 8192}, 128)
    for inv_freq, total, most, within in (
        (None, 2165.7053, 5.4546, 0.022),
        (llama, -83.1523, 5.4625, 0.01),
    ):
        angles = pe.freqs_cis(2048, 128, inv_freq=inv_freq, angles_dtype=np.float32).astype(
            np.complex64
        )
        out = pe.apply_rope(x, angles)
        assert out.sum() == pytest.approx(total, abs=within)  # with exact angles 0.1 less
        assert out.mean() == pytest.approx(total / x.size, abs=1e-8)
        assert out.max() == pytest.approx(most, rel=1e-5)
        assert (pe.apply_rope(x[:2, :2], np.stack([angles, angles])) == out[:2, :2]).all()
    cache = pe.freqs_cis(4096, 128, inv_freq=llama, angles_dtype=np.float32)
    assert cache.real.sum() + cache.imag.sum() == pytest.approx(91141.7656, rel=1e-5)
    # x and y of a patch, counted from 1; a tile ends with its CLS token
    places = np.divmod(np.arange(16), 4)[::-1]
    tile = np.r_[
        np.concatenate([pe.freqs_cis(place + 1, 2) for place in places], axis=1), np.ones((1, 2))
    ]
    out = pe.apply_rope(draw(2, 51, 8, 4), np.tile(tile, (3, 1)))
    assert (out.sum(), out.mean(), out.max()) == pytest.approx(
        (-29.48437119, -0.00903320, 4.07074356), rel=1e-5
    )
