"""Rotary embedding as other projects test it: their numbers and tolerances, none of their code."""

import numpy as np

import posenc_lib as pe

from .loops import numbers

near = np.testing.assert_allclose


# facebookresearch/fairseq, tests/test_rotary_positional_embedding.py: test_forward,
# test_apply_rotary_pos_emb, whose input is torch.manual_seed(0); torch.randn(3, 1, 2)
def test_fairseq():
    cos, sin = pe.cos_sin(3, 2)
    near(cos, numbers("1 1; 0.5403 0.5403; -0.4161 -0.4161"), atol=1e-4)
    near(sin, numbers("0 0; 0.8415 0.8415; 0.9093 0.9093"), atol=1e-4)
    query = numbers("1.540996 -0.293429; -2.178789 0.568431; -1.084522 -1.398595")
    near(
        pe.rope(query, pairing="half"),
        numbers("1.5410 -0.2934; -1.6555 -1.5263; 1.7231 -0.4041"),
        atol=1e-4,
    )


# huggingface/transformers, tests/models/roformer/test_modeling_roformer.py:
# test_apply_rotary_position_embeddings
def test_roformer():
    query = np.arange(2 * 12 * 16 * 64, dtype=np.float32).reshape(2, 12, 16, 64) / 100
    wanted = numbers(
        """0.0000 0.0100 0.0200 0.0300 0.0400 0.0500 0.0600 0.0700;
        -0.2012 0.8897 0.0263 0.9401 0.2074 0.9463 0.3481 0.9343;
        -1.7057 0.6271 -1.2145 1.3897 -0.6303 1.7647 -0.1173 1.8985;
        -2.1731 -1.6397 -2.7358 0.2854 -2.1840 1.7183 -1.3018 2.4871;
        0.2717 -3.6173 -2.9206 -2.1988 -3.6638 0.3858 -2.9155 2.2980;
        3.9859 -2.1580 -0.7984 -4.4904 -4.1181 -2.0252 -4.4782 1.1253"""
    )
    for sign in (1, -1):
        near(pe.rope(sign * query)[0, 0, :6, :8], sign * wanted, atol=1e-4)


# keras-team/keras-hub, keras_hub/src/layers/modeling/rotary_embedding_test.py:
# test_output_correct_values, test_start_index, test_positions_array, test_rope_scaling,
# test_rope_scaling_with_kv_cache
def test_keras_hub(rng):
    near(
        pe.rope(np.ones((4, 6)), pairing="half")[3],
        [-1.1311, 0.8515, 0.9935, -0.8489, 1.1291, 1.0064],
        atol=0.01,
    )
    x = rng.random((2, 3, 4))
    steps = [pe.rope(x[:, t : t + 1], pairing="half", start_pos=t) for t in range(3)]
    near(np.concatenate(steps, axis=1), pe.rope(x, pairing="half"), rtol=1e-12)
    near(pe.rope(x[:1, :2], [[0, 0]], pairing="half"), x[:1, :2], rtol=0)
    for factor, start, wanted in (
        (2.0, 1, "0.398157001 0.994987488 1.357008100 1.004987478"),
        (2.0, 2, "-0.301168621 0.989950180 1.381773233 1.009949803"),
        (5.0, 12, "-1.412856817 0.975714266 -0.061930716 1.023709655"),
    ):
        scaled, _ = pe.rope_scaling(
            {"rope_type": "linear", "factor": factor}, 4, max_position_embeddings=3
        )
        turned_once = pe.rope(np.ones((1, 4)), inv_freq=scaled, pairing="half", start_pos=start)
        near(turned_once, numbers(wanted), rtol=1e-6, atol=1e-6)
