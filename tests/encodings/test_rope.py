import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.rope import Rope

from ..peers import loops

PAIRINGS = pytest.mark.parametrize("pairing", ["interleaved", "half"])
near = np.testing.assert_allclose
equal = np.testing.assert_array_equal


@PAIRINGS
@pytest.mark.parametrize("shape", [(2, 3, 600, 9), (5, 0, 8), (1, 9000, 8)])
@pytest.mark.parametrize("rotary_dim", [8, 2])
def test_turning_equals_a_plain_loop(rng, pairing, shape, rotary_dim):
    x = rng.normal(size=shape)
    positions = np.arange(3, 3 + shape[-2])  # with a cache of three tokens
    turned = pe.freqs_cis(positions, rotary_dim, 500.0)
    settings = {"pairing": pairing, "rotary_dim": rotary_dim}
    for each in (x, x[..., ::-1]):
        expected = loops.turned(each, turned.real, turned.imag, pairing)
        near(pe.apply_rope(each, turned, pairing=pairing), expected, atol=1e-14)
        near(pe.rope(each, positions, base=500, **settings), expected, atol=1e-14)


FAR = np.stack([np.arange(5000), np.arange(5000)[::-1]])  # so many that they are turned in parts


@PAIRINGS
@pytest.mark.parametrize("heads", [(), (2, 3)])
@pytest.mark.parametrize(
    "positions", [np.array([[0, 1, 2, 0, 1], [0, 0, 1.5, 2, 3]]), FAR], ids=["packed", "far"]
)
def test_each_text_of_a_batch_is_turned_by_its_own_positions(rng, pairing, heads, positions):
    x = rng.normal(size=(2, *heads, positions.shape[1], 8))
    batch = pe.rope(x, positions, pairing=pairing)
    texts = [pe.rope(one, t, pairing=pairing) for one, t in zip(x, positions, strict=True)]
    near(batch, texts, rtol=0, atol=1e-14)
    near(pe.apply_rope(x, pe.freqs_cis(positions, 8), pairing=pairing), batch, rtol=0, atol=1e-14)
    equal(pe.rope(x, positions[:1]), pe.rope(x, positions[0]))  # as models share position_ids
    near(pe.rope(x, positions, start_pos=7), pe.rope(x, positions + 7), rtol=0, atol=1e-14)
    starts = np.array([[3], [100_000]]) + np.arange(x.shape[-2])
    near(pe.rope(x, start_pos=[3, 100_000]), pe.rope(x, starts), rtol=0, atol=1e-14)


@pytest.mark.parametrize("rope_type", ["default", "linear", "ntk", "dynamic", "yarn", "llama3"])
def test_the_catalog_scales_as_if_trained_on_64_positions(rope_type):
    values = {"base": 500.0, "rope_type": rope_type, "content": "random", "pairing": "half"}
    one = Rope(seq_len=128, head_dim=16, **values)
    config = {"rope_type": rope_type, "rope_theta": 500.0, "factor": 4}
    config |= {"low_freq_factor": 1, "high_freq_factor": 4}
    theta, factor = pe.rope_scaling(config, 16, max_position_embeddings=64, seq_len=128)
    how = {"inv_freq": theta, "attention_factor": factor, "pairing": "half"}
    q, k = (pe.rope(x, **how) for x in one.tiled_qk())
    near(one.similarity, q @ k.T, rtol=0, atol=1e-10)
    assert (one.at(factor=2).similarity != one.similarity).any() == (rope_type != "default")
    assert one.attention_factor == factor
    assert (one.at(draw=1).table != one.at(draw=2).table).any()
    near(one.rotate(one.tiled_qk()[0][:2], np.array([7, 2])), q[[7, 2]], rtol=0, atol=1e-12)


@PAIRINGS
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_precise_angles_round_once_and_narrow_angles_nearly(rng, pairing, dtype):
    x, positions = rng.normal(size=(3, 500, 16)).astype(dtype), np.arange(10**6, 10**6 + 500)
    before, turned = x.copy(), pe.freqs_cis(positions, 16).astype(np.complex64)
    precise = pe.rope(x, positions, pairing=pairing)
    narrow = pe.apply_rope(x, turned, pairing=pairing)
    assert precise.dtype == narrow.dtype == dtype
    equal(precise, pe.rope(x.astype(float), positions, pairing=pairing).astype(dtype))
    by_loops = loops.turned(x, turned.real, turned.imag, pairing)
    near(narrow, by_loops, rtol=0, atol=5 * np.finfo(dtype).eps)
    equal(x, before)


@pytest.mark.parametrize("rotary_dim", [None, 4])
@pytest.mark.parametrize("shape", [(18,), (18, 12)])
def test_a_projection_is_reordered_head_by_head_and_back(rng, rotary_dim, shape):
    weights = rng.normal(size=shape).astype(np.float16)
    order = pe.pairing_permutation(6, rotary_dim=rotary_dim)
    ported = pe.convert_pairing(weights, 3, rotary_dim=rotary_dim)
    equal(ported, np.concatenate([head[order] for head in np.split(weights, 3)]))
    assert ported.dtype == np.float16
    equal(pe.convert_pairing(ported, 3, to="interleaved", rotary_dim=rotary_dim), weights)
    equal(pe.pairing_permutation(7, rotary_dim=4), [0, 2, 1, 3, 4, 5, 6])
