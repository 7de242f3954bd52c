"""What a config.json makes of RoPE, by papers and configs; goldens and peers have the numbers."""

import numpy as np
import pytest

import posenc_lib as pe

LLAMA3 = {"rope_type": "llama3", "rope_theta": 500_000.0, "factor": 8.0, "low_freq_factor": 1.0}
LLAMA3 |= {"high_freq_factor": 4.0, "original_max_position_embeddings": 8192}
YARN = {"rope_type": "yarn", "factor": 16.0, "original_max_position_embeddings": 4096}
LONG = {"rope_type": "longrope", "short_factor": [1.0] * 4, "long_factor": [1.0, 2.0, 4.0, 8.0]}
SIZE = {"hidden_size": 4096, "num_attention_heads": 32}


def test_an_attention_factor_is_taken_as_it_is_given_and_mscale_only_with_its_other_half():
    assert pe.rope_scaling(YARN | {"attention_factor": 1.5}, 64)[1] == 1.5
    assert pe.rope_scaling(YARN | {"mscale": 0.7}, 64)[1] == pe.rope_scaling(YARN, 64)[1]


BAD = [
    ({"rope_type": "yarm"}, ValueError, "rope_type 'yarm' is unknown. Did you mean 'yarn'"),
    (
        {"rope_type": "yarn", "factr": 4.0},
        ValueError,
        "keys of a config.json, got 'factr' (did you mean 'factor'?)",
    ),
    (
        {"rope_type": "yarn", "factor": 4.0},
        ValueError,
        "must have 'original_max_position_embeddings' where the type is 'yarn'",
    ),
    (
        {"rope_type": "linear", "factor": "8"},
        TypeError,
        "rope_parameters['factor'] must be a number, got '8'",
    ),
    (
        LLAMA3 | {"high_freq_factor": 0.5},
        ValueError,
        "must be at least low_freq_factor, 1, got 0.5",
    ),
    (
        LONG | {"short_factor": [1, 2, 3], "original_max_position_embeddings": 9},
        ValueError,
        "each of the 4 pairs, got [1, 2, 3]",
    ),
    (  # other types turn a fourth dim, too
        {"rope_type": "yarn", "factor": 2.0, "partial_rotary_factor": 0.4},
        ValueError,
        "must let an even number of the 8 dims turn, at least 2, got 0.4",
    ),
    (
        {"partial_rotary_factor": 0.2},
        ValueError,
        "must let an even number of the 8 dims turn, at least 2, got 0.2",
    ),
    (
        {"rope_type": "ntk", "factor": 1e308},
        ValueError,
        "rope_parameters['factor'] must be between 1e-15 and 1e+15, got 1e+308",
    ),
    (
        {"rope_type": "linear", "type": "yarn", "factor": 2.0},
        ValueError,
        "rope_parameters must have one type, got 'linear' as 'rope_type' and 'yarn' as 'type'",
    ),
    ({"factor": 4.0}, ValueError, "rope_parameters must have 'rope_type' if there's a factor"),
]


def test_a_bad_config_is_refused_by_the_name_of_its_key():
    for parameters, error, words in BAD:
        with pytest.raises(error) as caught:
            pe.rope_scaling(parameters, 8)
        assert words in str(caught.value)


@pytest.mark.parametrize(
    "kind", ["default", "linear", "ntk", "dynamic", "yarn", "llama3", "proportional"]
)
def test_in_float32_it_is_what_a_model_computes_but_for_rounding(kind):
    config = LLAMA3 | {"rope_type": kind}
    theta = pe.rope_scaling(config, 64)[0]
    narrow = pe.rope_scaling(config, 64, dtype=np.float32)[0]
    assert narrow.dtype == np.float32
    np.testing.assert_allclose(narrow, theta, rtol=2e-6)
    f32 = np.float32
    by_hand = [f32(1) / f32(500_000.0 ** float(f32(2 * i / 64))) for i in range(32)]
    plain = pe.rope_scaling(LLAMA3 | {"rope_type": "default"}, 64, dtype="f4")[0]
    np.testing.assert_array_equal(plain, by_hand)


SLIDING, FULL = "sliding_attention", "full_attention"
NESTED = {SLIDING: {"rope_type": "default", "rope_theta": 1e4}, FULL: LLAMA3}
# name: (a config, by layer type the last inv_freq as base, exponent and divisor, and the pairs)
CONFIGS = {
    "llama 2": (SIZE, {FULL: (1e4, 126 / 128, 1, 64)}),
    "new form": (SIZE | {"rope_parameters": {"rope_theta": 1e6}}, {FULL: (1e6, 126 / 128, 1, 64)}),
    "text within": ({"text_config": SIZE | {"head_dim": 64}}, {FULL: (1e4, 62 / 64, 1, 32)}),
    "nested": (
        SIZE | {"rope_parameters": NESTED},
        {SLIDING: (1e4, 126 / 128, 1, 64), FULL: (5e5, 126 / 128, 8, 64)},
    ),
    "deepseek": (SIZE | {"qk_rope_head_dim": 64}, {FULL: (1e4, 62 / 64, 1, 32)}),
    "mixed": (
        SIZE | {"layer_types": ["linear_attention", FULL], "rope_theta": 1e6},
        {"linear_attention": None, FULL: (1e6, 126 / 128, 1, 64)},
    ),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_a_whole_config_gives_each_type_of_layer_its_frequencies(name):
    config, expected = CONFIGS[name]
    made = pe.rope_from_config(config)
    assert list(made) == list(expected)
    for layer, known in expected.items():
        if known is None:
            assert made[layer] is None
        else:
            base, exponent, divisor, pairs = known
            theta, _ = made[layer]
            assert theta[-1] == pytest.approx(base**-exponent / divisor)
            assert len(theta) == pairs


BAD_CONFIGS = [
    (5, TypeError, "config must be a dict whose keys are strings, got 5"),
    (
        {},
        ValueError,
        "config must have 'head_dim', or hidden_size and num_attention_heads, got no 'hidden_size'",
    ),
    (
        SIZE | {"rope_scaling": "yarn"},
        TypeError,
        "config['rope_parameters'] must be a dict, got 'yarn'",
    ),
    (
        {"model_type": "smollm3", "no_rope_layers": "1110"},
        TypeError,
        "must be a list with one entry for each layer",
    ),
]


def test_a_bad_whole_config_is_refused_in_words():
    for config, error, words in BAD_CONFIGS:
        with pytest.raises(error) as caught:
            pe.rope_from_config(config)
        assert words in str(caught.value)


def test_offsets_of_groups_count_exactly_within_the_window():
    offsets = pe.self_extend_offsets(40, 4, 8)
    near = np.subtract.outer(range(40), range(40))
    np.testing.assert_array_equal(offsets[near < 8], near[near < 8])
    assert offsets.max() == 39 // 4 + 8 - 8 // 4
    # groups of one change nothing
    np.testing.assert_array_equal(np.diff(pe.self_extend_offsets(40, 1, 3), axis=1), -1)


def test_a_config_of_phi_3_is_read_for_a_length():
    config = {"hidden_size": 64, "num_attention_heads": 8, "rope_theta": 1e4, "model_type": "phi3"}
    config |= {"max_position_embeddings": 64, "original_max_position_embeddings": 16}
    config["rope_scaling"] = LONG | {"rope_type": "yarn"}  # as it once called it
    short, long = (pe.rope_from_config(config, seq_len=n)["full_attention"][0] for n in (16, 17))
    np.testing.assert_allclose(short / long, LONG["long_factor"])


def test_of_an_odd_number_of_dims_the_last_turns_with_the_next():
    for dims in range(6, 60, 2):
        for turning in range(3, dims, 2):
            part = (turning + 0.5) / dims  # no rounding makes it fewer
            theta, _ = pe.rope_scaling({"rope_theta": 5e5, "partial_rotary_factor": part}, dims)
            expected = 5e5 ** (-np.arange(0, turning, 2) / turning)
            np.testing.assert_allclose(theta, expected, rtol=1e-12)


def test_betas_that_are_swapped_are_refused_and_others_blend():
    rng = np.random.default_rng(0)
    for fast, slow in rng.uniform(0.5, 40, (60, 2)):
        yarn = {"rope_type": "yarn", "factor": 4.0, "beta_fast": fast, "beta_slow": slow}
        yarn |= {"truncate": False}
        if fast < slow:
            with pytest.raises(ValueError, match="must be at least beta_slow"):
                pe.rope_scaling(yarn, 64, max_position_embeddings=4096)
            continue
        theta, _ = pe.rope_scaling(yarn, 64, max_position_embeddings=4096)
        plain, k = 1e4 ** (-np.arange(0, 64, 2) / 64), np.arange(32)
        ends = [64 * np.log(4096 / (2 * np.pi * n)) / (2 * np.log(1e4)) for n in (fast, slow)]
        first, last = max(ends[0], 0), min(ends[1], 63)
        ramp = np.clip((k - first) / (last - first), 0, 1)
        np.testing.assert_allclose(theta, plain * (1 - ramp) + plain / 4 * ramp, rtol=1e-9)
