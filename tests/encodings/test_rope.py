import numpy as np
import pytest

from posenc_lib import rope, rope_matrix, rotation_matrix
from posenc_lib.encodings.rope import four_forms


def by_length_first(array):
    """Put (batch, seq_len, heads, head_dim) as goldens have it into (batch, heads, seq_len, head_dim)."""
    return array.swapaxes(1, 2)


@pytest.mark.parametrize(
    ("name", "settings", "tolerance"),
    [
        ("rope_interleaved_f64__hf_gptj", {"pairing": "interleaved"}, 1e-12),
        ("rope_interleaved__meta_llama", {"pairing": "interleaved"}, 1e-6),
        ("rope_half__hf_llama", {"pairing": "half"}, 1e-6),
        ("rope_partial_half__hf_gpt_neox", {"pairing": "half", "rotary_dim": 8}, 1e-6),
    ],
)
def test_rope_equals_the_models(golden, name, settings, tolerance):
    record = golden(name)
    for part in ("q", "k"):
        ours = rope(by_length_first(record["inputs"][part]), **settings)
        theirs = by_length_first(record["values"][f"{part}_out"])
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


def test_rope_on_ones_as_printed_in_lesson_06():
    expected = [[1, 1], [-0.30116868, 1.38177329], [-1.32544426, 0.49315059], [-1.1311125, -0.84887249]]
    np.testing.assert_allclose(rope(np.ones((4, 2))), expected, atol=5e-9)


def test_rope_equals_its_matrix():
    x = np.random.default_rng(0).normal(size=(7, 8))
    expected = np.stack([rope_matrix(t, 8) @ x[t] for t in range(7)])
    np.testing.assert_allclose(rope(x), expected, rtol=0, atol=1e-12)


def test_half_pairing_is_interleaved_pairing_with_the_dims_reordered():
    x = np.random.default_rng(0).normal(size=(3, 5, 8))
    order = np.array([0, 4, 1, 5, 2, 6, 3, 7])  # half's pairs side by side
    np.testing.assert_allclose(rope(x, pairing="half")[..., order], rope(x[..., order]), atol=1e-14)


def test_a_cache_continues_where_the_prompt_ended():
    x = np.random.default_rng(0).normal(size=(2, 10, 8))
    np.testing.assert_array_equal(rope(x)[:, 6:], rope(x[:, 6:], np.arange(6, 10)))


def test_rest_of_a_partly_turned_head_is_untouched():
    x = np.random.default_rng(0).normal(size=(5, 7))  # an odd head, of which four dims turn
    np.testing.assert_array_equal(rope(x, rotary_dim=4)[:, 4:], x[:, 4:])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_rope_keeps_the_dtype_and_rounds_once(dtype):
    x = np.random.default_rng(0).normal(size=(5, 8)).astype(dtype)
    turned = rope(x, np.arange(1_000_000, 1_000_005))
    assert turned.dtype == dtype
    wide = rope(x.astype(np.float64), np.arange(1_000_000, 1_000_005))
    np.testing.assert_array_equal(turned, wide.astype(dtype))


def test_rope_leaves_its_argument_alone_and_takes_any_layout_in_memory():
    x = np.random.default_rng(0).normal(size=(5, 8))
    before = x.copy()
    x.flags.writeable = False
    np.testing.assert_array_equal(rope(np.asfortranarray(x)), rope(x))
    np.testing.assert_array_equal(rope(x.astype(">f8")), rope(x))
    np.testing.assert_array_equal(x, before)
    assert rope(np.ones((2, 2), dtype=int)).dtype == np.float64


def test_rotation_matrix_turns_counter_clockwise_and_adds_up():
    np.testing.assert_allclose(rotation_matrix(np.pi / 2) @ [1, 0], [0, 1], atol=1e-15)
    np.testing.assert_allclose(rotation_matrix(0.3) @ rotation_matrix(0.5), rotation_matrix(0.8), atol=1e-15)
    np.testing.assert_allclose(rotation_matrix(0.3).T, rotation_matrix(-0.3), atol=1e-15)


@pytest.mark.parametrize("base", [0.5, 100.0, 500_000.0])
def test_another_base_reaches_every_pair(base):
    x = np.random.default_rng(0).normal(size=(7, 8))
    expected = np.stack([rope_matrix(t, 8, base) @ x[t] for t in range(7)])
    np.testing.assert_allclose(rope(x, base=base), expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("pairing", ["interleaved", "half"])
@pytest.mark.parametrize("setting", [{}, {"base": 50.0}])
def test_four_forms_are_one_rotation(pairing, setting):
    x = np.random.default_rng(0).normal(size=8)
    expected = rope(x[None], [3.5], pairing=pairing, **setting)
    forms = four_forms(x, 3.5, pairing=pairing, **setting)
    np.testing.assert_allclose(forms, np.repeat(expected, 4, axis=0), rtol=0, atol=1e-14)
