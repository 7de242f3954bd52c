"""Rotary embedding as other projects test it: their cases, values and tolerances, none of their code."""

import numpy as np
import pytest

import posenc_lib as pe

from .loops import numbers, powers, turned

BOTH = pytest.mark.parametrize("pairing", ["interleaved", "half"])
near = np.testing.assert_allclose


CASES = [
    # lucidrains/rotary-embedding-torch, tests/test_rope.py: test_apply_rotation, test_frequencies
    *(((1, dim), theta, [t], {}, 1e-4) for dim in (4, 8, 16, 32) for theta in (10, 1000, 10_000, 100_000)
      for t in (0, 1, 42, 13, 67, 69, 39)),
    # facebookresearch/xformers, tests/test_rotary.py: test_apply_rotary_emb_cpu, _partial_rotary, _batched
    *(((2, 4, n, dim), 10_000, np.arange(n), {"pairing": "half", "rotary_dim": r}, 1e-6)
      for n in (1, 17, 128) for dim in (32, 64, 128) for r in (dim, 16, 32)),
    # apple/axlearn, axlearn/common/attention_test.py: test_apply_rotary_position_embeddings, test_rope_emb; positions
    # that differ from sequence to sequence
    *(((2, heads, n, dim), 10_000, np.array([np.arange(n), np.arange(n)[::-1] // 2]), {}, 5e-7)
      for heads, n, dim in ((3, 10, 32), (3, 8, 32), (4, 6, 32), (4, 8, 16), (5, 8, 48), (5, 8, 64))),
]  # fmt: skip


def test_turning_equals_loops(rng):
    for shape, base, positions, options, atol in CASES:
        x, frequencies = rng.normal(size=shape).astype(np.float32), powers(base, options.get("rotary_dim", shape[-1]))
        near(pe.inv_freq(2 * len(frequencies), base), frequencies, rtol=1e-6, atol=1e-6)
        angles = np.multiply.outer(positions, frequencies)
        angles = angles[:, None] if angles.ndim == 3 else angles
        wanted = turned(x, np.cos(angles), np.sin(angles), options.get("pairing", "interleaved"))
        near(pe.rope(x, positions, base=base, **options), wanted, rtol=1e-5, atol=atol, err_msg=f"{shape} {options}")


# Dao-AILab/flash-attention, tests/test_rotary.py: test_rotary_emb_func and its gradient, which is a turn backwards; of
# 32 sequences three are tried, and turning in place is a matter of torch
@pytest.mark.parametrize(("narrow", "fraction"), [(np.float16, 1.0), (pe.bfloat16, 0.5)])
@pytest.mark.parametrize("starts", ["zero", "one for all", "one for each"])
@BOTH
def test_flash_attention(pairing, starts, narrow, fraction, rng):
    x, length = narrow(rng.normal(size=(3, 4, 217, 128))), 217  # there (batch, seq_len, heads, head_dim)
    start = {"zero": 0, "one for all": rng.integers(length), "one for each": rng.integers(length, size=(3, 1))}[starts]
    angles = rng.uniform(0, 2 * np.pi, (2 * length, int(fraction * 64)))[np.arange(length) + start]
    axes = np.s_[:, None] if angles.ndim == 3 else ...
    for sign in (1, -1):
        cos, sin = (narrow(part).astype(np.float64) for part in (np.cos(angles), sign * np.sin(angles)))
        given = narrow(pe.apply_rope(x, (cos + 1j * sin).astype(np.complex64), pairing=pairing))
        wanted = turned(x.astype(np.float64), cos[axes], sin[axes], pairing)
        lost = np.abs(narrow(narrow(wanted + 0.3) - narrow(0.3)) - narrow(wanted)).max()
        near(given, wanted, rtol=1e-3, atol=2 * lost)


# onnx/onnx, onnx/backend/test/case/node/rotaryembedding.py: rotary_embedding, _interleaved, _with_rotary_dim,
# _with_interleaved_rotary_dim, _3d_input; those without position_ids bring the rows that these look up
@pytest.mark.parametrize("pairs", [4, 2])
@BOTH
def test_onnx(pairing, pairs, rng):
    flat, (cos, sin) = rng.random((2, 3, 32), np.float32), rng.random((2, 50, pairs), np.float32)
    x, ids = flat.reshape(2, 3, 4, 8).swapaxes(1, 2), rng.integers(0, 50, (2, 3))
    given = pe.apply_rope(x, (cos + 1j * sin)[ids], pairing=pairing)
    near(given, turned(x, cos[ids][:, None], sin[ids][:, None], pairing), rtol=1e-5, atol=1e-6)


# facebookresearch/fairseq, tests/test_rotary_positional_embedding.py: test_forward, test_apply_rotary_pos_emb, whose
# input is torch.manual_seed(0); torch.randn(3, 1, 2)
def test_fairseq():
    cos, sin = pe.cos_sin(3, 2)
    near(cos, numbers("1 1; 0.5403 0.5403; -0.4161 -0.4161"), atol=1e-4)
    near(sin, numbers("0 0; 0.8415 0.8415; 0.9093 0.9093"), atol=1e-4)
    query = numbers("1.540996 -0.293429; -2.178789 0.568431; -1.084522 -1.398595")
    near(pe.rope(query, pairing="half"), numbers("1.5410 -0.2934; -1.6555 -1.5263; 1.7231 -0.4041"), atol=1e-4)


# huggingface/transformers, tests/models/roformer/test_modeling_roformer.py: test_apply_rotary_position_embeddings
def test_roformer():
    query = np.arange(2 * 12 * 16 * 64, dtype=np.float32).reshape(2, 12, 16, 64) / 100
    wanted = numbers(
        """0.0000 0.0100 0.0200 0.0300 0.0400 0.0500 0.0600 0.0700; -0.2012 0.8897 0.0263 0.9401 0.2074 0.9463 0.3481
        0.9343; -1.7057 0.6271 -1.2145 1.3897 -0.6303 1.7647 -0.1173 1.8985; -2.1731 -1.6397 -2.7358 0.2854 -2.1840
        1.7183 -1.3018 2.4871; 0.2717 -3.6173 -2.9206 -2.1988 -3.6638 0.3858 -2.9155 2.2980; 3.9859 -2.1580 -0.7984
        -4.4904 -4.1181 -2.0252 -4.4782 1.1253"""
    )
    for sign in (1, -1):
        near(pe.rope(sign * query)[0, 0, :6, :8], sign * wanted, atol=1e-4)


# keras-team/keras-hub, keras_hub/src/layers/modeling/rotary_embedding_test.py: test_output_correct_values,
# test_start_index, test_positions_array, test_rope_scaling, test_rope_scaling_with_kv_cache
def test_keras_hub(rng):
    near(pe.rope(np.ones((4, 6)), pairing="half")[3], [-1.1311, 0.8515, 0.9935, -0.8489, 1.1291, 1.0064], atol=0.01)
    x = rng.random((2, 3, 4))
    steps = [pe.rope(x[:, t : t + 1], pairing="half", start_pos=t) for t in range(3)]
    near(np.concatenate(steps, axis=1), pe.rope(x, pairing="half"), rtol=1e-12)
    near(pe.rope(x[:1, :2], [[0, 0]], pairing="half"), x[:1, :2], rtol=0)
    for factor, start, wanted in (
        (2.0, 1, "0.398157001 0.994987488 1.357008100 1.004987478"),
        (2.0, 2, "-0.301168621 0.989950180 1.381773233 1.009949803"),
        (5.0, 12, "-1.412856817 0.975714266 -0.061930716 1.023709655"),
    ):
        scaled, _ = pe.rope_scaling({"rope_type": "linear", "factor": factor}, 4, max_position_embeddings=3)
        turned_once = pe.rope(np.ones((1, 4)), inv_freq=scaled, pairing="half", start_pos=start)
        near(turned_once, numbers(wanted), rtol=1e-6, atol=1e-6)
