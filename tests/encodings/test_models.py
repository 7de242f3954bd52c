"""Configs of real models: what becomes of each pair, by papers' facts, and what is said of it."""

import copy
import math
import re

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.catalog import KNOWN
from posenc_lib.encodings.models import SHIPPED, of_config
from posenc_lib.lessons.lesson_11.fates import fates, told
from posenc_lib.spec import Spec, read

from ..conftest import mostly_slow

NAMES = [*SHIPPED]
FULL, SLIDING = "full_attention", "sliding_attention"


def one(name: str, layer: str = FULL, **how):
    return next(fate for fate in fates(pe.model_config(name), **how) if fate.layer == layer)


def test_facts_of_models():
    # kept, between, divided
    counts = {"llama_3_1": (29, 6, 29), "llama_3_2": (15, 3, 14), "phi_3": (0, 25, 23)}
    for name, expected in counts.items():
        assert (one(name).kept, one(name).between, one(name).divided) == expected, name
    phi = one("phi_3")
    assert (round(phi.attention_factor, 3), round(phi.attention_factor**2, 3)) == (1.190, 1.417)
    assert (phi.cliff, phi.changed, round(phi.most)) == (4096, 46, 29)
    assert one("deepseek_v3").attention_factor == 1
    assert round(one("qwen_2_5").attention_factor ** 2, 3) == 1.296
    gemma = one("gemma_4"), one("gemma_4", SLIDING)
    full, sliding = ((fate.pairs, fate.still, round(fate.slowest)) for fate in gemma)
    assert (full, sliding) == ((64, 192, 188), (128, 0, 58_470))
    assert {fate.base for fate in fates(pe.model_config("gemma_3"))} == {1e4, 1e6}
    assert {fate.base for fate in fates(pe.model_config("modernbert"))} == {1e4, 1.6e5}
    assert one("llama_4", "chunked_attention").between == 0
    others = [fate for name in NAMES if name != "phi_3" for fate in fates(pe.model_config(name))]
    assert {fate.cliff for fate in others} == {None}


def test_every_fourth_layer_has_no_rope():
    for name, many in {"llama_4": 12, "smollm3": 9}.items():
        turning = {k for fate in fates(pe.model_config(name)) for k in fate.numbers}
        still = set(range(pe.model_config(name)["num_hidden_layers"])) - turning
        assert still == set(range(3, 4 * many, 4))
        sentences = " ".join(told(pe.model_config(name)))
        assert f"{many} layers have no RoPE (numbers 3, 7, 11, …" in sentences


@pytest.mark.parametrize(
    ("kind", "unseen"), {"default": 18, "linear": 0, "yarn": 0, "ntk": 17}.items()
)
def test_angles_that_training_never_showed(kind, unseen):
    scaled = {} if kind == "default" else {"rope_scaling": {"rope_type": kind, "factor": 4.0}}
    config = {"head_dim": 128, "rope_theta": 1e4, "max_position_embeddings": 4096} | scaled
    (fate,) = fates(config)
    assert fate.unseen == unseen
    assert fates(config, times=1)[0].unseen == 0
    assert fate.reach == (4 * 4096 if kind in ("linear", "yarn") else pytest.approx(fate.reach))
    assert fates(config, times=0.99 * fate.reach / 4096)[0].unseen == 0
    assert fates(config, times=1.01 * fate.reach / 4096)[0].unseen > 0


def test_a_short_window_shows_no_new_angle():
    assert one("gemma_3", FULL, times=16).unseen > 0
    assert one("gemma_3", SLIDING, times=16).unseen == 0
    assert one("gemma_3", SLIDING).reach == math.inf


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_model_is_its_config(name):
    model, config = KNOWN[name], pe.model_config(name)
    assert {"title", "read", "model_type"} <= set(config)
    for layer in model.layers:
        shown = model.at(layer=layer) if "layer" in model.values else model
        theta, factor = pe.rope_from_config(config)[layer]
        np.testing.assert_array_equal(shown.at(seq_len=1).frequencies, theta)
        assert shown.attention_factor == factor
        q, k = shown.at(seq_len=6, content="random").queries_keys
        query = shown.at(content="random").query_and_key()[0]
        moved = shown.rotate(np.broadcast_to(query, q.shape), np.arange(6))
        np.testing.assert_array_equal(moved, q)
        assert k.shape == (6, shown.head_dim)
        trained = shown.as_trained
        assert (trained.seq_len, trained.attention_factor) == (shown.training_length, 1)
    config["rope_theta"] = 7.0
    assert pe.model_config(name).get("rope_theta") != 7.0  # nobody else's copy has changed


def test_lines_and_explorers_take_models_and_configs():
    (panel,) = read("phi_3: clock; seq_len=32")
    assert str(panel) == "phi_3: clock; seq_len=32"
    given = Spec.of(["rope", pe.model_config("gpt_neox")], "heatmap")
    assert [e.name for e in given.encodings] == ["rope", "my_gpt_neox"]
    with pytest.raises(ValueError, match="Did you mean 'llama_3_1'"):
        pe.explore("llama_31")
    with pytest.raises(ValueError, match="Did you mean 'gemma_3'"):
        pe.model_config("gema_3")
    with pytest.raises(ValueError, match="q must have the 96 dims of phi_3's heads"):
        pe.explore("phi_3", q=np.ones((4, 8)), k=np.ones((4, 8)))


SIZES = {"head_dim": 64, "max_position_embeddings": 2048}
QWEN = SIZES | {"model_type": "qwen2", "num_hidden_layers": 28}
QWEN |= {"use_sliding_window": True, "sliding_window": 512}
BAD = [
    (
        SIZES | {"model_type": "mistral", "sliding_window": "512"},
        TypeError,
        "config['sliding_window'] must be an integer, got '512'",
    ),
    ({"rope_scalng": {}}, ValueError, "got 'rope_scalng' (did you mean 'rope_scaling'?)"),
    (
        {"model_type": "gpt2", "n_positions": 1024},
        ValueError,
        "config['model_type'] must be a model with RoPE",
    ),
    (
        SIZES | {"model_type": "gemma3_text", "rope_local_base_freq": "10000"},
        TypeError,
        "config['rope_local_base_freq'] must be a number, got '10000'",
    ),
    ({"model_type": "bloom"}, ValueError, "got 'bloom', which has ALiBi"),
    (
        SIZES | {"alibi": True, "model_type": "falcon"},
        ValueError,
        "config['alibi'] must leave RoPE in some layer, got True",
    ),
    ({"head_dim": 64}, ValueError, "config must have 'max_position_embeddings'"),
    (SIZES | {"layer_types": [SLIDING], "per_layer_config": 3}, ValueError, "per_layer_config"),
]


def test_a_bad_config_is_refused_in_one_line():
    for config, error, words in BAD:
        for call in (of_config, told, pe.explore):
            with pytest.raises(error) as caught:
                call(config)
            assert words in str(caught.value)
            assert "\n" not in str(caught.value)


def refused(call) -> str | None:
    """Return what is said by the two errors that may be raised, or None."""
    try:
        call()
    except (TypeError, ValueError) as error:
        return str(error)


WRONG = [None, "x", [], [1], {"a": {}}, -1, 0, 0.5, True, math.inf, math.nan, 10**30, [{}]]


@pytest.mark.parametrize(
    "name", mostly_slow(["llama_4", "gemma_4", "phi_3", "command_r7b", "ministral_3"], 5)
)
def test_no_value_in_a_config_makes_another_error(name):
    given = pe.model_config(name)
    dicts = [key for key, value in given.items() if isinstance(value, dict)]
    paths = [(key,) for key in (*given, "per_layer_config", "alibi", "rotary_dim")]
    paths += [(outer, key) for outer in dicts for key in given[outer]]
    for *outer, key in paths:
        for wrong in WRONG:
            config = copy.deepcopy(given)
            place = config[outer[0]] if outer else config
            place[key] = wrong
            said = refused(lambda config=config: told(config))
            said = said or refused(lambda config=config: of_config(config).at(seq_len=4).table)
            assert said is None or re.search("must|is unknown", said), (outer, key, wrong)


DYNAMIC = {"rope_scaling": {"rope_type": "dynamic", "factor": 2.0}}
SAID = [
    (SIZES | DYNAMIC, "Past 2,048 tokens, each length has its own frequencies"),
    (
        "phi_3",
        "From 4,096 to 4,097 tokens, 46 of 48 frequencies change at once, by up to 29.0 times",
    ),
    ("deepseek_v3", "rope_interleave: dims (0, 1), (2, 3)"),
    ("qwen_3_5", "24 layers have no attention (numbers 0, 1, 2, …, from 0)"),
    ("qwen_3_5", "mrope_section: some pairs follow the height and width of pictures"),
    (
        "olmo_3",
        "Sliding attention (24 of 32 layers): type default, base 500,000. All 64 pairs rotate",
    ),
    ("deepseek_v3", "also multiplies scores by 1.874"),
    ("smollm3", "In no_rope_layers, a 1 means RoPE and a 0 means none"),
    (
        "llama_3_1",
        "the length before scaling, and max_position_embeddings is 131,072. It doesn't say whether "
        "training on",
    ),
    (
        "llama_3_1",
        "All 64 pairs rotate, and the slowest needs 20 million tokens for a turn. "
        "Kept: 29, in between: 6",
    ),
    (
        "llama_3_1",
        "no pair meets an angle it never had in training. New angles start past 65,536.",
    ),
    ("gemma_3", "If that already includes the factor 8, it was 16,384 before. Then divide"),
    (
        "smollm3",
        "25 pairs meet angles they never had in training. New angles start past 65,536. Scale the",
    ),
    (
        "phi_3",
        "attention_factor 1.190 multiplies queries and keys, so scores grow by its square, 1.417.",
    ),
    ("ministral_3", "llama_4_scaling_beta 0.1: queries grow with their position, 1.208 times"),
    ("gpt_oss", "Each head has a learned sink"),
    ("deepseek_v3", "Its attention is MLA: 64 dims rotate, separate from"),
    (SIZES | {"model_type": "qwen3"}, "(QK-norm)"),
    ("gpt_neox", "12 of 48 pairs rotate"),
    (
        SIZES | {"sliding_window": 512},
        "sliding_window is 512, but the config doesn't say in which layers",
    ),
    (
        SIZES | {"layer_types": [SLIDING], "sliding_window": 2048},
        "has a window of 2,048 tokens, so long texts",
    ),
    (
        SIZES | {"model_type": "mistral", "sliding_window": 1024},
        "Sliding attention has a window of 1,024 tokens, so long texts",
    ),
    (
        QWEN | {"max_window_layers": 14},
        "Full attention and sliding attention (28 of 28 layers)",
    ),
    (QWEN | {"max_window_layers": 28}, "Full attention (28 of 28 layers)"),
]
UNSAID = [
    ("llama_3_1", "rope_interleave"),
    ("gemma_3", "sliding_window is"),
    ("smollm3", "Queries there grow"),
    (SIZES | {"layer_types": [SLIDING], "sliding_window": 2048}, "never had"),
    (SIZES | {"use_sliding_window": False, "sliding_window": 512}, "sliding_window is"),
    (QWEN | {"max_window_layers": 28}, "sliding_window is"),
]


def test_no_angle_is_new_where_layers_look_no_farther_back_than_a_window():
    of = lambda window: of_config(QWEN | {"max_window_layers": 0, "sliding_window": window})  # noqa: E731
    texts = [pe.explore(of(window), views="angles_seen", times=4).text for window in (512, 4096)]
    turned = [int((window * pe.inv_freq(64) >= 2 * np.pi).sum()) for window in (512, 2048)]
    short, long = texts
    assert f"In a window of 512 tokens, {turned[0]} of 32 pairs complete a turn" in short
    assert "takes 0 of the others to new angles" in short
    new = 32 - turned[1]  # at most: squeezed ones land in between
    count = int(re.search(r"takes (\d+) of the others", long)[1])
    assert 0 < count <= new


def test_what_is_told_and_what_is_not():
    for what, words in [*SAID, *UNSAID]:
        sentences = " ".join(told(pe.model_config(what) if isinstance(what, str) else what))
        assert (words in sentences) == ((what, words) in SAID), words
    assert all(4 <= len(told(pe.model_config(name))) <= 8 for name in NAMES)
