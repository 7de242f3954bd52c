import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib import relative_offsets, shaw_scores, shaw_values, transformer_xl_scores


def test_offsets_are_key_minus_query_and_the_last_query_stands_at_the_last_key():
    np.testing.assert_array_equal(relative_offsets(3), [[0, 1, 2], [-1, 0, 1], [-2, -1, 0]])
    np.testing.assert_array_equal(relative_offsets(2, 4), [[-2, -1, 0, 1], [-3, -2, -1, 0]])
    np.testing.assert_array_equal(relative_offsets(2, 4), relative_offsets(4)[2:])
    assert relative_offsets(0).shape == (0, 0)
    assert relative_offsets(0, 3).shape == (0, 3)


def test_shaw_equals_opennmt(golden):
    record = golden("shaw__opennmt")
    q, table_k, table_v = (record["inputs"][name] for name in ("q", "table_k", "table_v"))
    clip = record["args"]["max_relative_positions"]
    np.testing.assert_array_equal(np.clip(relative_offsets(7), -clip, clip) + clip, record["values"]["index"])
    cached = np.clip(relative_offsets(1, 7), -clip, clip) + clip
    np.testing.assert_array_equal(cached, record["values"]["index_cache"])
    scores = shaw_scores(q, np.zeros_like(q), table_k)  # theirs are the table's part alone
    np.testing.assert_allclose(scores, record["values"]["key_scores"], rtol=1e-6, atol=1e-6)
    values = shaw_values(record["inputs"]["p"], table_v)
    np.testing.assert_allclose(values, record["values"]["value_out"], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("q_len", "k_len", "rows"), [(5, 5, 7), (3, 6, 5), (1, 4, 1), (4, 4, 21)])
def test_shaw_equals_a_plain_loop(q_len, k_len, rows):
    rng = np.random.default_rng(0)
    q, k, table = rng.normal(size=(2, q_len, 4)), rng.normal(size=(2, k_len, 4)), rng.normal(size=(rows, 4))
    c = rows // 2
    scores, values = np.empty((2, q_len, k_len)), np.zeros((2, q_len, 4))
    weights = rng.random(size=(2, q_len, k_len))
    for head in range(2):
        for i in range(q_len):
            for j in range(k_len):
                row = table[min(max(j - (i + k_len - q_len), -c), c) + c]
                scores[head, i, j] = q[head, i] @ (k[head, j] + row)
                values[head, i] += weights[head, i, j] * row
    np.testing.assert_allclose(shaw_scores(q, k, table), scores, rtol=0, atol=1e-12)
    np.testing.assert_allclose(shaw_values(weights, table), values, rtol=0, atol=1e-12)


def test_berts_table_is_shaws_upside_down():
    rng = np.random.default_rng(0)
    q, table = rng.normal(size=(6, 4)), rng.normal(size=(11, 4))
    distance = np.arange(6)[:, None] - np.arange(6)  # BERT: query − key
    berts = np.einsum("id,ijd->ij", q, table[distance + 5])
    np.testing.assert_allclose(shaw_scores(q, np.zeros((6, 4)), table[::-1]), berts, rtol=0, atol=1e-12)


def transformer_xl_parts(record):
    """Return q, k, r, u, v of the recorded layer, split into heads."""
    inputs, heads, d = record["inputs"], record["args"]["n_head"], record["args"]["d_head"]
    words = np.concatenate([inputs["mems"], inputs["x"]])[:, 0]  # (k_len, d_model)
    qkv = (words @ inputs["qkv_net.weight"].T).reshape(len(words), 3, heads, d).transpose(1, 2, 0, 3)
    distances = pe.sinusoidal(len(words), heads * d, layout="concatenated")[::-1]
    r = (distances @ inputs["r_net.weight"].T).reshape(len(words), heads, d).transpose(1, 0, 2)
    return qkv[0][:, record["args"]["mlen"] :], qkv[1], qkv[2], r, inputs["r_w_bias"], inputs["r_r_bias"]


def test_transformer_xl_equals_hugging_face_with_a_memory(golden):
    record = golden("transformer_xl_attention__hf_transfo_xl")
    q, k, v, r, u, bias = transformer_xl_parts(record)
    _, weights = pe.attention(q, k, v, scores=transformer_xl_scores(q, k, r, u, bias))
    np.testing.assert_allclose(weights, record["values"]["attn_prob"], rtol=1e-6, atol=1e-6)


def test_the_distances_are_sinusoidal_farthest_first(golden):
    record = golden("transformer_xl_R__hf_transfo_xl")
    ours = pe.sinusoidal(8, 8, layout="concatenated")[::-1]
    np.testing.assert_allclose(ours, record["values"], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("both", [False, True])
def test_transformer_xl_equals_its_four_terms_in_a_loop(both):
    rng = np.random.default_rng(0)
    q_len, k_len, d = 3, 5, 4
    q, k = rng.normal(size=(q_len, d)), rng.normal(size=(k_len, d))
    u, v = rng.normal(size=(2, d))
    r = rng.normal(size=(q_len + k_len - 1 if both else k_len, d))
    ours = transformer_xl_scores(q, k, r, u, v)
    for i in range(q_len):
        for j in range(k_len):
            back = i + k_len - q_len - j
            if back < 0 and not both:
                assert ours[i, j] == -np.inf
            else:
                row = r[k_len - 1 - back]
                four = q[i] @ k[j] + q[i] @ row + u @ k[j] + v @ row
                assert ours[i, j] == pytest.approx(four, abs=1e-12)


def test_the_shift_trick_agrees_below_the_diagonal_and_is_garbage_above(golden):
    record = golden("transformer_xl_attention__hf_transfo_xl")["values"]["rel_shift_of_arange"]
    q_len, k_len = record.shape
    x = np.arange(1.0, q_len * k_len + 1).reshape(q_len, k_len)
    ours = transformer_xl_scores(x, np.zeros((k_len, k_len)), np.eye(k_len), np.zeros(k_len), np.zeros(k_len))
    past = relative_offsets(q_len, k_len) <= 0
    np.testing.assert_array_equal(ours[past], record[past])
    assert np.isneginf(ours[~past]).all()
    assert np.isfinite(record[~past]).all()


def test_leading_axes_broadcast():
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(2, 3, 4, 6)), rng.normal(size=(3, 4, 6))
    r, u, v = rng.normal(size=(3, 7, 6)), rng.normal(size=(3, 6)), rng.normal(size=6)
    assert transformer_xl_scores(q, k, r, u, v).shape == (2, 3, 4, 4)
    assert shaw_scores(q, k, rng.normal(size=(5, 6))).shape == (2, 3, 4, 4)
    assert shaw_values(np.ones((2, 3, 4, 4)), rng.normal(size=(5, 6))).shape == (2, 3, 4, 6)


def test_no_queries_give_no_scores():
    none, k, d = np.ones((0, 4)), np.ones((3, 4)), np.ones(4)
    assert transformer_xl_scores(none, k, np.ones((3, 4)), d, d).shape == (0, 3)
    assert shaw_scores(none, k, np.ones((5, 4))).shape == (0, 3)
    assert shaw_values(np.ones((0, 3)), np.ones((5, 4))).shape == (0, 4)
    assert shaw_values(np.ones((0, 0)), np.ones((5, 4))).shape == (0, 4)
