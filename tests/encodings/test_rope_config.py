"""Whole configs: what public threads asked, with values, and what transformers makes of them."""

import json
from pathlib import Path

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.rope_config import families, layers_of

FULL, SLIDING = "full_attention", "sliding_attention"
SIZE = {"hidden_size": 4096, "num_attention_heads": 32}
FOURTH = [SLIDING] * 3 + [FULL]
YARN = {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 8192}
OLMO = SIZE | {"model_type": "olmo3", "rope_theta": 5e5}
OLMO |= {"layer_types": FOURTH, "rope_scaling": YARN}
HUNYUAN = {"head_dim": 128, "rope_theta": 1e4, "max_position_embeddings": 262_144}
HUNYUAN |= {"rope_scaling": {"type": "dynamic", "alpha": 1000.0, "factor": 1.0}}
ZAMBA = SIZE | {"hidden_size": 2560, "use_mem_rope": True}
ZAMBA |= {"kv_channels": 80, "attention_head_dim": 160}
EXAONE = SIZE | {"rope_theta": 1e6, "sliding_window": 4096, "layer_types": FOURTH}


def last(turned) -> tuple | None:
    return turned and (len(turned[0]), float(f"{turned[0][-1]:.4g}"), round(turned[1], 4))


# name: (model_type, config, by layer type: pairs, the last frequency, attention_factor)
THREADS = {
    "EXAONE 4 32B": ("exaone4", EXAONE, {SLIDING: (64, 1.241e-06, 1), FULL: None}),
    "EXAONE 4 1.2B": (
        "exaone4",
        EXAONE | {"sliding_window": None, "layer_types": [FULL] * 4},
        {FULL: (64, 1.241e-06, 1)},
    ),
    "K-EXAONE": ("exaone_moe", EXAONE, {SLIDING: (64, 1.241e-06, 1), FULL: None}),
    "Command R7B": (
        "cohere2",
        SIZE | {"rope_theta": 5e4, "sliding_window": 4096, "position_embedding_type": "rope_gptj"},
        {SLIDING: (64, 2.368e-05, 1), FULL: None},
    ),
    "Hunyuan": ("hunyuan_v1_dense", HUNYUAN, {FULL: (64, 1.155e-07, 1)}),
    "OLMo 3": ("olmo3", OLMO, {SLIDING: (64, 2.455e-06, 1), FULL: (64, 3.069e-07, 1.2079)}),
    "Gemma 3": (
        "gemma3_text",
        {"rope_scaling": YARN, "layer_types": [SLIDING, FULL]},
        {SLIDING: (128, 0.0001075, 1), FULL: (128, 1.392e-07, 1.2079)},
    ),
    "Zamba 2": (
        "zamba2",
        ZAMBA | {"layers_block_type": ["mamba", "hybrid"]},
        {"linear_attention": None, "hybrid": (80, 0.0001122, 1)},
    ),
    "Zamba 2 without": (
        "zamba2",
        ZAMBA | {"use_mem_rope": False, "layers_block_type": ["hybrid"]},
        {"hybrid": None},
    ),
    "Qwen 3.5": (
        "qwen3_5_text",
        {"head_dim": 256, "rope_theta": 1e7, "layer_types": ["linear_attention", FULL]},
        {"linear_attention": None, FULL: (32, 1.655e-07, 1)},
    ),
    "GLM 4.5V": ("glm4v_moe_text", {"head_dim": 128}, {FULL: (32, 0.0001334, 1)}),
    "RecurrentGemma": (
        "recurrent_gemma",
        {"hidden_size": 2560, "num_attention_heads": 10, "num_hidden_layers": 3},
        {"linear_attention": None, SLIDING: (64, 0.0001155, 1)},
    ),
    "Muse Glimmer": (
        "muse_glimmer_text",
        {"layer_rope_theta": [1e4, 0.0], "layer_types": [FULL, FULL]},
        {FULL: (64, 0.0001155, 1), "no_rope": None},
    ),
    "Granite SWA": (
        "granite_swa",
        SIZE | {"layer_rope_theta": [1e4, 1e6, 0, 1e4], "layer_types": [FULL, FULL, FULL, SLIDING]},
        {
            f"{FULL}, base 10000": (64, 0.0001155, 1),
            f"{FULL}, base 1e+06": (64, 1.241e-06, 1),
            "no_rope": None,
            SLIDING: (64, 0.0001155, 1),
        },
    ),
    "DeepSeek V4": (
        "deepseek_v4",
        {
            "layer_types": [SLIDING, "compressed_sparse_attention"],
            "compress_rope_theta": 160_000.0,
            "rope_theta": 1e4,
        },
        {SLIDING: (32, 0.0001334, 1), "compressed_sparse_attention": (32, 9.089e-06, 1)},
    ),
    "dots 3": (
        "dots3_note_text",
        {"layer_types": [SLIDING, "indexed_attention"], "swa_rope_theta": 1e4, "rope_theta": 1e6},
        {SLIDING: (32, 0.0001334, 1), "indexed_attention": (32, 1.54e-06, 1)},
    ),
    "Step 3.5": (
        "step3p5",
        {
            "layer_types": [FULL, SLIDING],
            "rope_theta": [5e6, 1e4],
            "partial_rotary_factors": [0.5, 1.0],
        },
        {FULL: (32, 3.239e-07, 1), SLIDING: (64, 0.0001155, 1)},
    ),
    "Kimi Linear": ("kimi_linear", {"rope_theta": 1e4, "qk_rope_head_dim": 64}, {FULL: None}),
    "Qwen2-VL, flat": (
        "qwen2_vl",
        SIZE
        | {"rope_theta": 1e6, "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}},
        {FULL: (64, 1.241e-06, 1)},
    ),
    "GPT-2": ("gpt2", {}, {FULL: None}),
}


@pytest.mark.parametrize("name", THREADS)
def test_what_public_threads_asked(name):
    kind, config, expected = THREADS[name]
    made = pe.rope_from_config({"model_type": kind} | config)
    assert {layer: last(turned) for layer, turned in made.items()} == expected


def test_phimoe_multiplies_by_one_number_for_short_texts_and_another_for_long_ones():
    given = {"model_type": "phimoe", "head_dim": 8, "rope_theta": 1e4}
    scaling = {"type": "longrope", "short_factor": [1.0] * 4, "long_factor": [2.0] * 4}
    scaling |= {"short_mscale": 1.25, "long_mscale": 1.5, "original_max_position_embeddings": 16}
    given |= {"max_position_embeddings": 64, "rope_scaling": scaling}
    one, other = (pe.rope_from_config(given, seq_len=n)[FULL] for n in (16, 17))
    assert (one[1], other[1]) == (1.25, 1.5)
    np.testing.assert_array_equal(one[0], other[0])  # its code takes short_factor at every length


REFUSED = [  # what is not known is not guessed
    (
        {"model_type": "newmodel", **SIZE, "rope_theta": 1e4, "layer_types": FOURTH},
        "must be of one kind",
    ),
    (
        {"model_type": "newmodel", **SIZE, "rope_theta": 1e4, "sliding_window": 512},
        "leave out 'sliding_window'",
    ),
    (
        {"model_type": "newmodel", **SIZE, "rope_theta": 1e4, "rope_ratio": 2},
        "leave out 'rope_ratio'",
    ),
    (
        {"model_type": "newmodel", **SIZE},
        "must have 'rope_theta', for what the code of model_type 'newmodel' does",
    ),
    (
        {"model_type": "moshi_depth", **SIZE, "rope_theta": 1e4},
        "what the code of model_type 'moshi_depth' does is not known here",
    ),
    (
        {**SIZE, "rope_theta": 1e4, "layer_types": FOURTH},
        "without a model_type, its code is unknown",
    ),
    ({"model_type": "gemma4_text", "rope_scaling": YARN}, "must be by type of layer"),
    ({"model_type": "dots3_note_text", "swa_head_dim": 128}, "leave out 'swa_head_dim'"),
    ({"model_type": "olmo3", **SIZE, "layer_types": ["conv9"]}, "config['layer_types'] must be of"),
]


@pytest.mark.parametrize(("config", "words"), REFUSED)
def test_what_is_not_known_is_refused_in_a_sentence(config, words):
    with pytest.raises(ValueError, match="must") as caught:
        pe.rope_from_config(config)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


STORED = json.loads(Path(__file__).with_name("rope_sweep.json").read_text(encoding="utf-8"))


def cases(base: dict, found: dict) -> dict:
    """Return by case what was given, which layers turn alike, and by what."""
    given = {name: one.get("given") or base | STORED["cases"][name] for name, one in found.items()}
    return {name: one | {"given": given[name]} for name, one in found.items()}


SWEEP = {kind: cases(**family) for kind, family in STORED["families"].items()}


def numbers(turned) -> list | None:
    if turned is None:
        return None
    theta, factor = np.sort(turned[0])[::-1], turned[1]
    return [len(theta), float(theta[len(theta) // 2]), float(theta[-1]), factor]


TRIAL = json.loads(Path(__file__).with_name("rope_trial.json").read_text(encoding="utf-8"))


def is_read_as_it_runs(name: str, one: dict) -> None:
    """Compare a config with what transformers made of it, layer by layer."""
    if "layers" not in one:  # transformers itself cannot run it
        return
    if "refused" in one:
        with pytest.raises(ValueError, match="must"):
            pe.rope_from_config(one["given"])
        return
    layers, turned = layers_of(one["given"]), pe.rope_from_config(one["given"])
    mine = {layer: numbers(each) for layer, each in turned.items()}
    layer_of = {k: layer for layer, each in layers.items() for k in each.numbers}
    usual = next(iter(mine))
    for layer, letter in {(layer_of.get(k, usual), c) for k, c in enumerate(one["layers"])}:
        found, known = mine[layer], one["turned"][letter]
        assert (found is None) == (known is None), (name, layer)
        assert found is None or found == pytest.approx(known, rel=5e-5), (name, layer)


@pytest.mark.parametrize("kind", SWEEP)
def test_each_family_is_read_as_transformers_runs_it_or_refused(kind):
    for name, one in SWEEP[kind].items():
        is_read_as_it_runs(name, one)


def test_files_as_people_find_them_are_read_as_transformers_runs_them():
    assert sum("layers" in one and "refused" not in one for one in TRIAL) > 45
    for one in TRIAL:
        is_read_as_it_runs(one["given"]["model_type"], one)


def test_the_sweep_is_large_and_read_for_the_most_part():
    each = [one for cases in SWEEP.values() for one in cases.values()]
    assert len(SWEEP) > 120
    assert not [one for one in each if "wrong" in one]
    # keys of other families, which the code would drop in silence
    foreign = ("local", "neox", "rope dims")
    own = [one for cases in SWEEP.values() for name, one in cases.items() if name not in foreign]
    assert sum("refused" in one for one in own) < 0.02 * len(own)
    other = [one for cases in SWEEP.values() for name, one in cases.items() if name in foreign]
    assert sum("refused" in one for one in other) > 0.9 * len(other)
    assert not any({"text", "without"} & set(families()[kind]) for kind in SWEEP)
