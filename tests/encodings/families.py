"""Make posenc_lib/encodings/families.json: what the code of each model_type decides, found by trying it.

Run `python tests/encodings/families.py` with the extra `benchmark`. Each family is run as its class stands, and once
for each key that may count: a key counts if another value of it changes what turns. What cannot be found so, because
several keys work together, and what a class must be given before it can be made or turns at all, is said in
families_by_hand.json; rope_sweep.py then compares all with transformers' own modules.
"""

import inspect
import json
import os
import sys
from pathlib import Path

from traced import AutoConfig, Traced, traced
from transformers.models.auto.configuration_auto import CONFIG_MAPPING


def alike(names, row) -> dict:
    """Return the same row under each of several names."""
    return dict.fromkeys(names, row)


ROOT = Path(__file__).parents[2]
TABLE = Path(os.environ["TABLE"]) if "TABLE" in os.environ else ROOT / "posenc_lib" / "encodings" / "families.json"
HAND = json.loads(Path(__file__).with_name("families_by_hand.json").read_text(encoding="utf-8"))
NEEDED = {kind: one["needed"] for kind, one in HAND.items() if "needed" in one}
BY_HAND = {kind: one["row"] for kind, one in HAND.items() if "row" in one}
BASE, DIMS = 54_321.0, 88  # values that are nobody's default
HEADS = ("qk_rope_head_dim", "rotary_dim", "head_dim", "kv_channels", "attention_head_dim", "global_head_dim")
SILENT = (*HEADS, "hidden_size", "num_attention_heads", "num_hidden_layers", "max_position_embeddings")
SILENT += ("sliding_window", "original_max_position_embeddings", "rope_interleave", "mrope_section")
FULL, LINEAR = "full_attention", "linear_attention"
PATTERNS = "sliding_window_pattern full_attention_interval global_attn_every_n_layers layer_group_size".split()
NAMES = {"sinks": "sinks", "sink_proj": "sinks", "attention_sink_bias": "sinks"}
NAMES |= alike(("q_norm", "query_layernorm", "q_layernorm", "query_norm"), "qk_norm")


INSTEAD = {  # by model_type, what is there instead
    **alike(("gpt2", "opt", "bert", "roberta", "electra", "gpt_neo", "vit"), "a learned table"),
    **alike(("bloom", "mpt"), "ALiBi"),
    **alike(("t5", "mt5"), "a bias by buckets"),
    **alike(("deberta-v2", "xlnet"), "relative positions of another kind"),
    **alike(("mamba", "mamba2", "rwkv"), "no attention"),
}
# whose layers run several times, or are not one stack of layers after each other
UNLIKE = ("hrm_text", "dia", "roformer", "seamless_m4t")
UNLIKE += ("nemotron3_5_transcribe_word_timestamp", "nemotron3_5_transcribe_asr_audio")


def _apart(**types) -> dict:
    """Return a row of a family that reads rope_parameters by type of layer only; here are its defaults."""
    return {"by_type": True, "types": {kind: {"scaled": False, "default": one} for kind, one in types.items()}}


def tried(given: dict) -> dict:
    """Return what a config's layers turn by, by type, and which of them turn, or the error that its model raises."""
    try:
        config, layers = traced(given)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {str(error)[:120]}"}
    types = getattr(config, "layer_types", None)
    types = types if isinstance(types, list) and len(types) == len(layers) else [FULL] * len(layers)
    by: dict[str, set] = {}
    for kind, angles in zip(types, layers, strict=True):
        first = [(len(theta), theta[-1], theta[len(theta) // 2]) for theta, _ in angles if theta][:1]
        by.setdefault(kind, set()).update(first)
    return {"by": {kind: sorted(each) for kind, each in by.items()}, "turns": [bool(one) for one in layers]}


def layer_types(given: dict) -> list[str] | None:
    try:
        return getattr(AutoConfig.for_model(**given), "layer_types", None)
    except Exception:
        return None


def rule_of(kind: str, needed: dict, source: str) -> dict | None:
    """Return by which rule layer types come after each other where the config does not say it."""
    found, other = (layer_types({"model_type": kind, **needed} | how) for how in ({}, {"num_hidden_layers": 13}))
    if not found or "layer_types" in needed or set(found) == {FULL}:
        return None
    if len(set(found)) == 1:
        return {"of": found[:1]}
    for period, end in ((period, end) for period in range(1, 9) for end in (False, True)):
        rule: dict = {"of": found[-period:] if end else found[period : 2 * period]} | ({"end": True} if end else {})
        but = {}
        for k in (0, 1, -1):
            if made_by(rule, len(found))[k] != found[k] or (other and made_by(rule, len(other))[k] != other[k]):
                but[str(k)] = found[k]
        rule |= {"but": but} if but else {}
        if made_by(rule, len(found)) == found and (not other or made_by(rule, len(other)) == other):
            break
    else:
        return None
    twelve = layer_types({"model_type": kind, **needed, "num_hidden_layers": 12})
    for key in PATTERNS:
        third = layer_types({"model_type": kind, **needed, "num_hidden_layers": 12, key: 3})
        if key in source and third and third != twelve:
            rule |= {"every": key} | ({"first": True} if third[0] != third[1] else {})
    return rule


def made_by(rule: dict, many: int) -> list[str]:
    of, last = rule["of"], many - 1
    made = [of[-1 - (last - k) % len(of)] if rule.get("end") else of[k % len(of)] for k in range(many)]
    for k, kind in rule.get("but", {}).items():
        made[int(k)] = kind
    return made


def row(kind: str) -> dict | None:
    """Return the row of a family, None where its model cannot be run, or {"without": …} where nothing turns."""
    needed = NEEDED.get(kind, {})
    given = {"model_type": kind, **needed}
    try:
        config = AutoConfig.for_model(**given)
    except Exception:
        return None
    said = json.loads(json.dumps(config.to_dict(), default=str))
    source = inspect.getsource(sys.modules[type(config).__module__])
    many = said.get("num_hidden_layers")
    if not {"layer_types", "attn_layer_indices"} & set(needed) and isinstance(many, int) and many > 7:
        given |= {"num_hidden_layers": 7}
    plain = tried(given)
    if "error" in plain and given.pop("num_hidden_layers", None):
        plain = tried(given)
    if "error" in plain:
        return None
    if not any(plain["turns"]):
        return {"without": INSTEAD.get(kind, "none in any layer")}

    def changes(**how) -> bool:
        return tried(given | how) != plain

    heads = [key for key in HEADS if key in source and changes(**{key: DIMS})]
    if "qk_rope_head_dim" in heads:
        heads = ["qk_rope_head_dim"]
    if "head_dim" not in heads and "head_dim" not in source and changes(head_dim=DIMS):
        heads.append("head_dim")
    many = said.get("num_attention_heads")
    fewer = {"num_attention_heads": many // 2} if isinstance(many, int) else {}
    if isinstance(said.get("num_key_value_heads"), int):
        fewer["num_key_value_heads"] = max(said["num_key_value_heads"] // 2, 1)
    computed = bool(fewer) and "error" not in tried(given | fewer) and changes(**fewer)
    parameters = said.get("rope_parameters") or {}
    values = {key: said.get(key, getattr(config, key, None)) for key in SILENT if key != "head_dim"}
    values["head_dim"] = said.get("head_dim")
    silent = {key: value for key, value in values.items() if isinstance(value, int | list)}
    if isinstance(said.get("layers_block_type"), list):
        silent["layers_block_type"] = said["layers_block_type"]
    if computed and said.get("head_dim") and "head_dim" not in needed:
        silent.pop("head_dim", None)
    default = getattr(type(config), "default_theta", None)
    default = default if isinstance(default, int | float) else parameters.get("rope_theta", said.get("rope_theta", 1e4))
    if isinstance(default, int | float):
        silent["rope_theta"] = float(default)
    found: dict = {}
    if parameters and not any(isinstance(one, dict) for one in parameters.values()):
        part = parameters.get("partial_rotary_factor")
        if parameters.get("rope_type", "default") not in ("default", None):
            rest = {key: value for key, value in parameters.items() if value is not None}
            if rest.get("rope_theta") == silent.get("rope_theta") and changes(rope_theta=BASE):
                rest.pop("rope_theta", None)
            silent["rope_parameters"] = rest
        elif isinstance(part, int | float) and part != 1 and "partial_rotary_factor" not in needed:
            silent["partial_rotary_factor"] = part
        if parameters.get("rope_theta") is not None and "rope_parameters" not in silent:
            if changes(rope_theta=BASE):
                silent["rope_theta"] = parameters["rope_theta"]
            else:
                silent["rope_parameters"] = {"rope_theta": parameters["rope_theta"]}
    elif parameters and "types" not in BY_HAND.get(kind, {}):
        found |= _apart(**parameters)
    new = {"rope_type": "default", "rope_theta": BASE}
    parts = [{"partial_rotary_factor": part} for part in (0.5, 0.25)]
    one, other = (tried(given | {"rope_parameters": new | part}) for part in parts)
    if "error" in one or "error" in other:
        one, other = (tried(given | part) for part in parts)
    by_type = "by_type" in found or "by_type" in BY_HAND.get(kind, {})
    if "qk_rope_head_dim" not in heads and not by_type and "error" not in other and one == other:
        found["whole"] = True
    scaled = tried(given | {"rope_theta": BASE, "rope_scaling": {"rope_type": "linear", "factor": 8.0}})
    if "error" not in scaled and scaled == tried(given | {"rope_theta": BASE}):
        found["unscaled"] = True
    if heads != ["head_dim"]:
        found["heads"] = heads
    still = sorted(t for t, each in plain["by"].items() if not each and t not in (LINEAR, "conv", "moe", "mlp"))
    if still:
        found["still"] = still
    if rule := rule_of(kind, needed, source):
        found["layers"] = rule
    back = {new: old for old, new in (getattr(config, "attribute_map", None) or {}).items()}
    renamed = {new: old for new, old in back.items() if old in SILENT or old == "layer_types"}
    if renamed:
        found["renamed"] = renamed
    model = Traced(AutoConfig.for_model(**given)).model
    parts = [name.rpartition(".")[2] for each in (model.named_modules(), model.named_parameters()) for name, _ in each]
    also = sorted({NAMES[name] for name in parts if name in NAMES})
    if "kv_a_proj_with_mqa" in parts or "kv_a_layernorm" in parts:
        also.append("mla")
    if also:
        found["also"] = also
    by_hand = BY_HAND.get(kind, {})
    return {"silent": silent | by_hand.get("silent", {})} | found | {k: v for k, v in by_hand.items() if k != "silent"}


def text_part(kind: str) -> str | None:
    try:
        return CONFIG_MAPPING[kind]().to_dict()["text_config"]["model_type"]
    except Exception:
        return None


def main() -> None:
    table = json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {}
    for kind in sys.argv[1:] or sorted(CONFIG_MAPPING.keys()):
        text, source = text_part(kind), inspect.getsource(sys.modules[CONFIG_MAPPING[kind].__module__])
        made = {"text": text} if text and text != kind else None if kind in UNLIKE else row(kind)
        if made is None and any(word in source for word in ("rope_", "rotary")):
            made = {"unknown": True}
        table.pop(kind, None)
        if made:
            table[kind] = made
        print(kind, made, flush=True)
        write(table)


def write(table: dict) -> None:
    lines = (f"  {json.dumps(kind)}: {json.dumps(table[kind])}" for kind in sorted(table))
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
