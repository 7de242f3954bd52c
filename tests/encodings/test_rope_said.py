"""What a config says is used, contradicted or refused, whatever its family; nothing is dropped."""

import json
import re
import time
from pathlib import Path

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.rope_config import families
from posenc_lib.lessons.lesson_11.fates import told

FOUND = json.loads(Path(__file__).with_name("rope_defaults.json").read_text(encoding="utf-8"))
TURNING = sorted(name for name, row in families().items() if "silent" in row)
SIZE = {"head_dim": 64, "max_position_embeddings": 4096}
SAID = {  # of positions, and no key of these families
    "alibi": True,
    "alibi_starting_size": 512,
    "alpha": 2.0,
    "ntk_alpha": 2.0,
    "position_embedding_type": "alibi",
    "positional_encoding": "sinusoidal",
    "rope": False,
    "rope_base": 77_777.0,
    "rotary_emb_base": 77_777.0,
    "use_alibi": True,
    "use_dynamic_ntk": True,
    "use_logn_attn": True,
    "use_rope": False,
    "xpos": True,
    "yarn_factor": 77.0,
}
NO_MATTER = {
    "alibi": False,
    "aux_loss_alpha": 0.001,
    "lora_alpha": 16,
    "num_local_experts": 8,
    "pretraining_tp": 1,
    "properties": {"a": 1},
    "rope_ratio": None,
    "router_aux_loss_coef": 0.02,
    "torch_dtype": "bfloat16",
    "use_mrope": False,
}


def read(config: dict) -> dict | str:
    """Return what a config is read as, to be compared, or how it is refused."""
    try:
        found = pe.rope_from_config(config)
    except ValueError as error:
        return str(error)
    return {name: one and (one[0].tolist(), one[1]) for name, one in found.items()}


def keys_of(kind: str) -> set[str]:
    return {*families()[kind].get("keys", ()), *families()[kind].get("silent", ())}


def test_every_familys_default_is_read_as_transformers_turns_or_refused_for_a_reason():
    equal, refused = 0, []
    for kind, truth in FOUND.items():
        mine = read({"model_type": kind})
        if isinstance(mine, str):
            refused.append((kind, mine))
            continue
        for theta, factor in filter(None, mine.values()):
            line = sorted(theta, reverse=True)
            one = [len(line), line[len(line) // 2], line[-1], factor]
            # a module with another name, or of parts that differ, was not made
            assert not truth or any(one == pytest.approx(each, rel=5e-5) for each in truth), kind
        equal += 1
    assert equal > 270
    reasons = re.compile("which reads (pictures|sound|something else)|is not known here|got 73")
    assert not [kind for kind, words in refused if not reasons.search(words)]


@pytest.mark.parametrize("key", SAID)
def test_what_no_code_knows_is_refused_and_never_dropped(key):
    tried = [kind for kind in TURNING if key not in keys_of(kind)]
    assert len(tried) > 150
    for kind in tried:
        words = read({"model_type": kind, key: SAID[key]})
        assert isinstance(words, str), (kind, key)
        assert repr(key) in words or "is not known here" in words, words


def test_families_without_rope_refuse_a_config_that_says_it_has_it():
    said = [{"rope_theta": 1e4}, {"rotary_emb_base": 2e4}, {"position_embedding_type": "rotary"}]
    said += [{"rope_scaling": {"type": "linear", "factor": 2.0}}, {"rotary": True}]
    without = [k for k, row in families().items() if "without" in row and not row.get("keys")]
    without = [kind for kind in without if not families()[kind].get("ignored")]
    assert len(without) > 50
    for kind in without:
        for one in said:
            assert "must leave out" in read({"model_type": kind} | one), kind
        assert read({"model_type": kind, "position_embedding_type": "absolute"}) == read(
            {"model_type": kind}
        )


def test_what_counts_for_nothing_is_no_slip_and_changes_nothing():
    for kind in TURNING:
        other = {key: one for key, one in NO_MATTER.items() if key not in keys_of(kind)}
        assert read({"model_type": kind}) == read({"model_type": kind} | other), kind


def test_experts_and_losses_of_an_unknown_model_change_nothing():
    for dims in range(8, 136, 2):
        config = {"model_type": "mine", "rope_theta": 5e5, "head_dim": dims}
        beside = {"expert_layer_period": 2, "moe_layer_interval": 2, "aux_loss_alpha": 0.1}
        beside |= {"num_local_experts": 8, "lora_alpha": 16, "moe_window": 3, "save_interval": 9}
        [(theta, _factor)] = pe.rope_from_config(config | beside).values()
        np.testing.assert_allclose(theta, plain_theta(5e5, dims), rtol=1e-12)
        assert "is not known here" in read(config | {"attn_layer_period": 2})


def test_a_key_of_another_family_may_say_what_the_code_does_anyway():
    for dims in range(8, 136, 2):
        config = {"model_type": "llama", "head_dim": dims, "rope_theta": 5e5}
        assert read(config) == read(config | {"rotary_dim": dims, "rotary_emb_base": 5e5})
        assert "rotary_dim" in read(config | {"rotary_dim": dims + 2})


def test_models_of_other_code_are_refused_and_those_of_transformers_are_not():
    for kind in TURNING:
        plain = {"model_type": kind}
        assert "architectures" in read(plain | {"architectures": ["MyOwnModelForCausalLM"]}), kind
    for kind, name in {
        "llama": "LlamaForCausalLMEagle3",
        "deepseek_v3": "DeepseekV3ForCausalLM",
        "ernie4_5_moe": "Ernie4_5_MoeForCausalLM",
        "gemma3_text": "Gemma3ForCausalLM",
        "gpt_neox": "GPTNeoXForCausalLM",
        "hunyuan_v1_dense": "HunYuanDenseV1ForCausalLM",
        "qwen2_5_vl": "Qwen2_5_VLForConditionalGeneration",
    }.items():
        plain = {"model_type": kind}
        assert read(plain) == read(plain | {"architectures": [name]})


def plain_theta(base: float, dims: int) -> np.ndarray:
    return base ** (-np.arange(0, dims, 2) / dims)


def test_a_language_model_is_found_in_its_part_under_any_name():
    rng = np.random.default_rng(0)
    outer = [name for name, row in families().items() if "part" in row and not row.get("fixed")]
    places = [(name, families()[name]["part"]) for name in outer]
    places += [("my_own_vlm", key) for key in ("llm_config", "language_config", "lm_config")]
    places += [("internvl_chat", "llm_config"), ("deepseek_vl_v2", "language_config")]
    places = [one for one in places if one[1] != "vlm_config"]
    assert len(places) > 50
    for name, key in places:
        base, dims = float(rng.integers(1, 99)) * 1e4, int(rng.integers(4, 64)) * 2
        part = {"model_type": "llama", "rope_theta": base, "head_dim": dims}
        config = {"model_type": name, key: part, "vision_config": {"hidden_size": 3}}
        [(theta, factor)] = pe.rope_from_config(config).values()
        np.testing.assert_allclose(theta, plain_theta(base, dims), rtol=1e-12, err_msg=name)
        assert factor == 1.0
        if not families().get(name, {}).get("own"):
            assert "'rope_theta' once" in read(config | {"rope_theta": base + 1}), name
            assert isinstance(read(config | {"rope_theta": base}), dict), name


def test_parts_that_no_one_can_tell_are_named():
    config = {"model_type": "x", "foo_config": {"hidden_size": 64}, "a": {}}
    assert "config['foo_config']" in read(config)
    config = {"llm_config": SIZE, "language_config": SIZE}
    assert "pass its part" in read(config)
    looped: dict = {}
    looped["text_config"] = looped
    assert "at most 4 deep" in read(looped)


def test_an_outer_class_that_is_always_the_same_does_not_ask_its_parts_name():
    fixed = {name: row for name, row in families().items() if row.get("fixed")}
    assert len(fixed) > 50
    for name, row in fixed.items():
        plain = {"model_type": name, row["part"]: {"head_dim": 64}}
        other = {"model_type": name, row["part"]: {"head_dim": 64, "model_type": "falcon"}}
        assert read(plain) == read(other), name
    open_one = {"model_type": "llava", "text_config": {"model_type": "falcon", "alibi": True}}
    assert read(open_one) == {"full_attention": None}


def test_which_part_of_several_texts_is_told_is_said():
    for kind, part in {
        "blt": "global_config",
        "dia": "decoder_config",
        "t5gemma": "decoder",
    }.items():
        assert f"about its {part}." in " ".join(told({"model_type": kind}))
    assert "This is about" not in " ".join(told({"model_type": "mistral3"}))


def test_kimis_outer_name_decides():
    yarn = {"type": "yarn", "factor": 64.0, "original_max_position_embeddings": 4096}
    yarn |= {"mscale": 1.0, "mscale_all_dim": 1.0}
    text = {"model_type": "kimi_k2", "aux_loss_alpha": 0.001, "qk_rope_head_dim": 64}
    text |= {"rope_theta": 5e4, "rope_scaling": yarn, "max_position_embeddings": 262_144}
    [(theta, factor)] = pe.rope_from_config(
        {"model_type": "kimi_k25", "text_config": text}
    ).values()
    assert (len(theta), float(f"{theta[-1]:.5g}"), factor) == (32, 4.3822e-07, 1.0)


BY_MSCALE = {*"axk1 axk2 bailing_hybrid deepseek_v2 deepseek_v3 deepseek_v32 glm4_moe_lite".split()}
BY_MSCALE |= {*"glm_moe_dsa hy_v4 longcat_flash minicpm3 mistral4 mistral_large4_text".split()}
BY_MSCALE |= {"youtu"}  # in transformers' modeling files these read mscale_all_dim


def test_mscale_all_dim_is_told_of_every_model_whose_attention_uses_it():
    config = {"rope_theta": 1e4, "max_position_embeddings": 163_840}
    for factor, asked in [(40.0, 1.0), (8.0, 0.707), (128.0, 1.0), (4.0, 2.0)]:
        yarn = {"type": "yarn", "factor": factor, "original_max_position_embeddings": 4096}
        yarn |= {"mscale": asked, "mscale_all_dim": asked}
        expected = f"scores by {(0.1 * asked * np.log(factor) + 1) ** 2:.3f}, for mscale_all_dim"
        for kind in BY_MSCALE:
            words = " ".join(told(config | {"model_type": kind, "rope_scaling": yarn}))
            assert expected in words, kind
        for kind in ("llama", "qwen3", "mistral", "phi", "olmo2"):
            words = " ".join(told(config | {"model_type": kind, "rope_scaling": yarn}))
            assert "also multiplies" not in words, kind


def test_what_a_class_assumes_is_told_as_its_own():
    for kind in ("llama", "mistral", "qwen2", "qwen3", "olmo2", "phi", "cohere", "glm4"):
        row = families()[kind]["silent"]
        whole = {key: row[key] for key in ("rope_theta", "max_position_embeddings")}
        for left in (set(), {"rope_theta"}, {"max_position_embeddings"}, set(whole)):
            said = {key: one for key, one in whole.items() if key not in left}
            first = told(
                {"model_type": kind, "hidden_size": 4096, "num_attention_heads": 32} | said
            )[0]
            for key in left:
                assert f"{key} ({whole[key]:,.0f})" in first, (kind, left)
            for key in said:
                assert f"{key} (" not in first, (kind, left)
            assumed = "max_position_embeddings" in left
            assert ("as its class assumes" in first) == assumed


def test_a_number_that_changes_nothing_is_told():
    for kind in ("llama", "mistral", "qwen2", "qwen3", "olmo2"):
        config = {"model_type": kind, "partial_rotary_factor": 0.5}
        assert "partial_rotary_factor changes nothing here" in " ".join(told(config))
        config = {"model_type": kind, "rope_scaling": {"rope_type": "default", "factor": 4.0}}
        assert "factor changes nothing here" in " ".join(told(config))
        config = {"model_type": kind, "rope_scaling": {"rope_type": "linear", "factor": 4.0}}
        assert "nothing here" not in " ".join(told(config))


HOSTILE = {  # each is answered in words, and soon
    "hidden_size": {"model_type": "llama", "hidden_size": 10**9, "num_attention_heads": 32},
    "head_dim": {"model_type": "llama", "head_dim": 10**9},
    "at most 2,000 keys": {f"key{k}": k for k in range(200_000)},
    "at most 200 characters": {"k" * 100_000 + str(k): k for k in range(100)},
    "layer_types": {"model_type": "olmo3", "layer_types": ["full_attention"] * 10**6},
    "at most 100 kinds": {
        "model_type": "granite_swa",
        "num_hidden_layers": 10**4,
        "layer_types": ["full_attention"] * 10**4,
        "layer_rope_theta": [float(k + 2) for k in range(10**4)],
    },
    "factor": SIZE | {"rope_scaling": {"rope_type": "ntk", "factor": 1e308}},
    "did you mean": SIZE | {f"rope_thet{k}": 1 for k in range(1990)},
    "short_factor": {
        "model_type": "phi3",
        "rope_scaling": {"type": "su", "short_factor": [1.0] * 10**6, "long_factor": [1.0]},
    },
}


@pytest.mark.parametrize("words", HOSTILE)
def test_a_hostile_config_is_refused_in_words_and_soon(words):
    began = time.thread_time()
    assert words in read(HOSTILE[words])
    assert time.thread_time() - began < 1


def test_numbers_of_all_sizes_give_finite_frequencies_or_words():
    rng, kinds = np.random.default_rng(0), ("linear", "ntk", "dynamic", "yarn", "llama3")
    for number in 10.0 ** rng.uniform(-320, 308, 60):
        for kind in kinds:
            given = {"rope_type": kind, "factor": number, "low_freq_factor": 1.0}
            given |= {"high_freq_factor": 4.0, "original_max_position_embeddings": 1024}
            found = read(SIZE | {"rope_theta": 1e4, "rope_scaling": given})
            fits = 1e-15 <= number <= 1e15
            assert isinstance(found, dict) == fits, number
            if fits:
                assert all(np.isfinite(theta).all() for theta, _ in found.values())
            else:
                assert "rope_parameters['factor'] must be" in found


@pytest.mark.parametrize("path", ["config.json", Path("a/config.json"), "/tmp/x/config.json"])
def test_the_name_of_a_file_is_told_apart_from_what_is_in_it(path):
    with pytest.raises(TypeError, match=r"json\.load\(open\(…\)\) reads a file"):
        pe.rope_from_config(path)
    with pytest.raises(TypeError, match=r"json\.loads reads a text"):
        pe.rope_from_config('{"rope_theta": 1e4}')
    with pytest.raises((TypeError, ValueError), match="config"):
        pe.config_box(path)
