"""Tables and biases as other projects test them: their cases and tolerances, none of their code."""

import numpy as np
import pytest

import posenc_lib as pe

from .loops import numbers

near = np.testing.assert_allclose


def timescales(positions, width):
    """Return tensor2tensor's table: its slowest wave reaches 10 000; an odd width ends with a 0."""
    even = width // 2 * 2
    table = pe.sinusoidal(
        positions, even, base=10_000 ** (even / (even - 2)), layout="concatenated"
    )
    return np.pad(table, [(0, 0)] * (table.ndim - 1) + [(0, width - even)])


def last_keys(num_heads):
    """Return ALiBi for one query and three keys, a row for each head."""
    return pe.alibi(num_heads, 1, 3)[:, 0]


OFFSETS = [[0, 1], [-1, 0], [-2, -1]]
VALUES = [
    # facebookresearch/fairseq, tests/test_positional_encoding.py: test_extend_pe, test_forward
    (
        lambda: pe.sinusoidal([3, 2, 1, 0], 2),
        "0.1411 -0.99; 0.9093 -0.4161; 0.8415 0.5403; 0 1",
        1e-4,
    ),
    (
        lambda: pe.sinusoidal([-1, -2, -3], 2),
        "-0.8415 0.5403; -0.9093 -0.4161; -0.1411 -0.99",
        1e-4,
    ),
    # keras-team/keras-hub, keras_hub/src/layers/modeling/sine_position_encoding_test.py:
    # test_output_correct_values
    (
        lambda: pe.sinusoidal([0, 3], 6),
        "0 1 0 1 0 1; 0.14112 -0.98999 0.13879 0.99032 0.00646 0.99997",
        0.01,
    ),
    # huggingface/transformers, tests/models/roformer/test_modeling_roformer.py: test_basic,
    # …against_roformer
    (
        lambda: pe.sinusoidal([1], 6, layout="concatenated"),
        "0.8415 0.0464 0.0022 0.5403 0.9989 1.0000",
        1e-4,
    ),
    (
        lambda: pe.sinusoidal([1], 512, layout="concatenated")[:, :5],
        "0.8415 0.8219 0.8020 0.7819 0.7617",
        1e-4,
    ),
    (
        lambda: pe.sinusoidal([2], 512, layout="concatenated")[:, :5],
        "0.9093 0.9364 0.9581 0.9749 0.9870",
        1e-4,
    ),
    # allenai/allennlp, tests/nn/util_test.py: test_add_positional_features
    (lambda: timescales([0, 1], 4), "0 0 1 1; 0.841470957 9.99999902e-05 0.540302277 1", 1e-7),
    (lambda: timescales([2], 4), "0.909297407 1.9999998e-4 -0.416146845 1", 1e-7),
    (
        lambda: timescales([1], 7),
        "0.841470957 9.99983307e-3 9.99999902e-5 0.540302277 0.999949992 1 0",
        1e-7,
    ),
    (
        lambda: timescales([2], 7),
        "0.909297407 1.99986659e-2 1.9999998e-4 -0.416146815 0.999800026 1 0",
        1e-7,
    ),
    # google/flaxformer, flaxformer/components/embedding_test.py:
    # test_regression_add_position_embeddings_sine
    (
        lambda: timescales([[3, 6]], 5),
        "0.14112 3e-4 -0.9899925 1 0; -0.2794155 6e-4 0.9601703 0.9999998 0",
        1e-7,
    ),
    # tensorflow/models, official/nlp/modeling/layers/position_embedding_test.py:
    # test_relative_tensor_input, _bucket
    (lambda: timescales(1, 8), "0 0 0 0 1 1 1 1", 0),
    (lambda: pe.t5_bucket(OFFSETS), "0 17; 1 0; 2 1", 0),
    (lambda: pe.t5_bucket(OFFSETS, bidirectional=False), "0 0; 1 0; 2 1", 0),
    # OpenNMT/OpenNMT-tf, opennmt/tests/position_test.py: testApplyOneEncoding,
    # testApplyPositionEncoding
    (lambda: pe.integer([[2], [2]], 3), "2 2 2; 2 2 2", 0),
    (lambda: pe.integer([[1, 2], [3, 4]], 3), "1 1 1; 2 2 2; 3 3 3; 4 4 4", 0),
    # keras-hub, alibi_bias_test.py: test_correct_output, _num_heads_not_power_of_two
    (lambda: last_keys(8)[[0, 7]], "-1 -0.5 0; -0.0078125 -0.00390625 0", 0),
    (lambda: last_keys(14)[[8, 13]], "-1.4142135 -0.70710677 0; -0.04419417 -0.02209709 0", 1e-7),
    # apple/axlearn, axlearn/common/attention_test.py: SymmetricALiBiAttentionLogitBiasLayerTest
    (lambda: pe.alibi(8, 3)[2] * 8, "0 -1 -2; -1 0 -1; -2 -1 0", 0),
]


def test_values():
    for number, (given, wanted, atol) in enumerate(VALUES):
        made = given()
        near(
            made.reshape(-1, made.shape[-1]),
            numbers(wanted),
            rtol=0,
            atol=atol,
            err_msg=f"VALUES[{number}]",
        )


# apple/axlearn, axlearn/common/attention_test.py:
# ALiBiAttentionLogitBiasLayerTest.test_alibi_attention_mask, test_packing: a packed segment
# attends as it does alone; slope·key gives the same weights as −slope·distance
@pytest.mark.parametrize("lengths", [[3], [1, 1, 1], [3, 1, 4]])
def test_alibi_packing(lengths, rng):
    ids = np.repeat(np.arange(len(lengths)), lengths)
    q, k, v = rng.normal(size=(3, 12, len(ids), 4))
    bias = pe.alibi(12, len(ids), causal=True)
    weights = pe.attention(q, k, v, bias=bias, mask=ids[:, None] == ids)[1]
    for own in ids == np.arange(len(lengths))[:, None]:
        keys = pe.alibi_slopes(12)[:, None, None] * np.arange(own.sum())
        alone = pe.attention(q[:, own], k[:, own], v[:, own], bias=keys, causal=True)[1]
        near(weights[:, own][..., own], alone, rtol=5e-7)
        assert not weights[:, own][..., ~own].any()
