"""The box for a config.json: what may be pasted, what it says, and what stays after an error."""

import json
import re

import pytest

import posenc_lib as pe
from posenc_lib.encodings.models import SHIPPED
from posenc_lib.lessons.lesson_11.config_box import whole
from posenc_lib.lessons.lesson_11.fates import told
from posenc_lib.live.page import inside


@pytest.fixture
def box():
    made = pe.config_box("gemma_3")
    yield made
    made.close()


def news(box) -> str:
    return re.sub(r"<[^>]*>", "", box._news.value)


@pytest.mark.slow
def test_a_model_is_picked_and_its_config_pasted_with_the_same_words(box):
    for name in list(SHIPPED)[::3]:
        box.model.value = name
        config = pe.model_config(name)
        picked = box.told
        assert (news(box), box.title, picked) == ("", config["title"], told(config))
        assert json.loads(box.paste.value) == config
        box.model.value = "gpt_neox" if name != "gpt_neox" else "phi_3"
        box.paste.value = json.dumps(config)
        assert (news(box), box.told, box.title) == ("", picked, config["title"])
        assert box.model.value == ""


BAD = [
    ("config.json", "not the name of a file, got 'config.json': json.load(open('config.json'))"),
    ("/models/x/config.json", "not the name of a file"),
    ("{", "the config must be valid JSON"),
    ("[" * 100_000, "must be valid JSON"),
    ("[1, 2]", "the config must be a JSON object"),
    ('{"rope_scalng": {"rope_type": "linear"}}', "'rope_scalng' (did you mean 'rope_scaling'?)"),
    ('{"rope_type": "yarn"}', "must have 'factor'"),
    ('{"hidden_size": 64}', "'num_attention_heads'"),
    (
        '{"model_type": "qwen3", "num_hidden_layers": 3, "layer_types": ["full_attention"]}',
        "config['layer_types'] must have one entry for each of 3 layers, got 1",
    ),
    ('{"rope_type": "yarm", "factor": 2}', "Did you mean 'yarn'? The panel"),
    ('{"model_type": "gpt2", "n_embd": 768}', "'gpt2', which has a learned table"),
    ('{"head_dim": 64, "rope_theta": NaN}', "rope_theta"),
    ('{"head_dim": 64, "rope_theta": ' + "9" * 5000 + "}", "must be"),
    ('{"a": ' + "1" * 300_000 + "}", "at most 200,000 characters"),
    ('{"model_type": "<script>", "head_dim": 2}', "rope_theta"),
]


def test_a_bad_paste_gets_one_line_and_the_last_model_stays(box):
    before = box.told, box.text, box.explorer
    for text, words in BAD:
        box.paste.value = text
        assert words in news(box).replace("&#x27;", "'").replace("&lt;", "<")
        assert news(box).endswith("The panel still shows Gemma 3 4B.")
        assert "\n" not in news(box)
        assert "<script>" not in box._news.value
        assert (box.told, box.text, box.explorer) == before
    box.model.value = "phi_3"
    assert news(box) == ""


def test_braces_may_be_left_out_and_a_cliff_is_drawn_where_there_is_one(box):
    assert [view.name for view in box.explorer.spec.views] == ["frequencies", "angles_seen"]
    box.paste.value = '"rope_scaling": {"rope_type": "dynamic", "factor": 2.0},'
    assert (news(box), box.told[0][:8]) == ("", "Not give")
    views = [view.name for view in box.explorer.spec.views]
    assert views == ["frequencies", "angles_seen", "cliff"]


ASSUMED = {
    '{"rope_type": "yarn", "factor": 4}': (
        "rope_theta 10,000, max_position_embeddings 4,096, head_dim 128"
    ),
    '{"rope_scaling": {"type": "linear", "factor": 2}, "rope_theta": 1e6, "head_dim": 64}': (
        "max_position_embeddings 4,096"
    ),
    '{"type": "su", "short_factor": [1, 2], "long_factor": [1, 3], "factor": 4}': (
        "rope_theta 10,000, max_position_embeddings 4,096, head_dim 4"
    ),
}


def test_a_length_nobody_gave_is_not_said_to_be_the_configs(box):
    box.paste.value = '{"rope_theta": 500000.0, "rope_scaling": null}'
    assert "max_position_embeddings 4,096" in box.told[0]
    assert box.told[1].startswith("Its training length is 4,096, as assumed here (max_")
    box.paste.value = '{"rope_theta": 500000.0, "max_position_embeddings": 4096}'
    assert "as far as the config says" in box.told[1]


def test_a_base_that_each_type_of_layer_has_is_not_left_to_the_class():
    own = {"rope_type": "default", "rope_theta": 20_000}
    for sliding, left in ((own, False), ({"rope_type": "default"}, True)):
        types = {"sliding_attention": sliding, "full_attention": own}
        first, second, *_ = told({"model_type": "gemma3_text", "rope_parameters": types})
        assert ("leaves out rope_local_base_freq (10,000)" in first) == left
        assert f"base {'10,000' if left else '20,000'}" in second


def test_pairs_that_speed_up_are_counted():
    size = {"head_dim": 128, "max_position_embeddings": 512, "rope_theta": 1e4}
    for factor, words in (
        (0.5, "Sped up: 64, kept: 0, slowed: 0."),
        (1.0, "None is slowed."),
        (2.0, "Kept: 0, in between: 0, slowed by a factor of 2: 64."),
    ):
        said = told(size | {"rope_scaling": {"rope_type": "linear", "factor": factor}})
        assert said[1].endswith(words)


def test_heads_that_do_not_come_out_even_are_told():
    llama = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 30}
    assert any("hidden_size 4,096 can't be divided evenly among 30" in one for one in told(llama))
    for even in ({"head_dim": 128}, {"num_attention_heads": 32}):
        assert not any("evenly" in one for one in told(llama | even))


def test_a_rope_part_is_enough_and_what_is_assumed_is_said(box):
    for text, assumed in ASSUMED.items():
        box.paste.value = text
        assert news(box) == ""
        assert box.told[0] == f"Not given, so assumed: {assumed}."
        assert box.title == "your model"


def test_the_button_reads_again_and_every_control_has_a_name(box):
    box.paste.value = "{"
    box.paste.value = ""
    assert news(box).endswith("still shows Gemma 3 4B.")
    box.model.value = "phi_3"
    next(part for part in inside(box.box) if getattr(part, "description", "") == "Read").click()
    assert (news(box), box.title, box.model.value) == ("", "Phi-3-vision-128k", "")
    box.paste.value = "{"
    box.paste.value = " "
    next(part for part in inside(box.box) if getattr(part, "description", "") == "Read").click()
    assert "must be the text of a config.json, got nothing. The panel" in news(box)
    assert all((box.model.description, box.paste.description))


def test_it_is_stored_as_a_picture_and_words_and_takes_what_a_call_gives():
    size = {"head_dim": 64, "max_position_embeddings": 512}
    box = pe.config_box(size | {"_name_or_path": "<b>mine</b>"})
    assert box.title == "<b>mine</b>"
    assert "<b>mine</b>" not in box._words.value
    data, _ = box._repr_mimebundle_()
    assert {"image/png", "text/plain", "text/html"} <= set(data)
    assert data["text/plain"] == box.text == repr(box)
    assert box.explorer.text in box.text
    box.close()
    with pytest.raises(TypeError, match="the config must be a JSON object"):
        pe.config_box(5)
    with pytest.raises(ValueError, match="JSON"):
        pe.config_box("phi 3")


def test_what_a_server_adds_to_a_rope_part_changes_nothing():
    beside = {"max_model_len": 131_072, "tensor_parallel_size": 2, "torch_dtype": "bfloat16"}
    beside |= {"num_key_value_heads": 8, "context_length": 9, "quantization": None}
    rope = {"rope_theta": 1_000_000, "factor": 4.0, "original_max_position_embeddings": 32_768}
    tried = 0
    for kind in ("yarn", "linear", "dynamic", "ntk"):
        for key in ("rope_parameters", "rope_scaling", None):
            part = {key: rope | {"rope_type": kind}} if key else rope | {"rope_type": kind}
            alone = whole(part)
            for name, value in beside.items():
                given, assumed = whole(part | {name: value})
                assert assumed == alone[1]
                assert "head_dim" in assumed
                before = told(alone[0])
                assert told(given)[: len(before)] == before
                tried += 1
    assert tried > 50
    assert whole({"hidden_size": 64, "rope_theta": 1e4})[1] == {}  # a config, not a part of one


def test_a_box_shows_numbers_of_any_size_that_fit(box):
    for factor in (1e-15, 1.0, 1e15):
        for kind in ("yarn", "linear"):
            box.read({"rope_type": kind, "factor": factor})
            assert box.told
    with pytest.raises(ValueError, match="must be between"):
        box.read({"rope_type": "yarn", "factor": 1e308})
