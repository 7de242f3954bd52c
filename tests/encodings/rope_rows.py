"""Write into posenc_lib/encodings/families.json what configuration classes alone say.

Run `python tests/encodings/rope_rows.py` with the extra `benchmark`. Each row has some of these:
    silent: what it takes where the config says nothing; forced: what it takes whatever the
        config says.
    text, part: the model_type of its text part, and its key. fixed: whatever model_type the
        part says; names: or if it says one of these. given: what the part is if it is missing.
    flat: what is said beside the parts is its text part's; own: something else's.
    tower: what it reads that is no text.
    without: what it has in place of RoPE. renamed: other names of keys.
    keys: what else its class knows about positions. classes: how its models' names begin.
    ignored: keys that do nothing. habit: what files say though no code reads it.
    unread: keys that are refused. needs: what must be so for RoPE to be there.
    still: which types of layers have none; unless: but they have it without this key.
    layers, at, last: which types come after each other. marks, zero_every, marked: which layers
        turn one by one.
    slides: with a window, all layers slide from this one on, or from max_window_layers, if
        use_sliding_window; all of them if 0.
    heads: the keys that say how many dims turn, the first that is there; else
        times·hidden_size/heads.
    whole: partial_rotary_factor does nothing. unscaled: rope_scaling does nothing.
    types: for types of layers that differ, where they have what; by_type: nothing else is read,
        but rope_theta if one_base, or one dict for all types if alike.
    alpha, long, mscales, lists, own_base: keys that count here only. also: what else its layers
        have.
    unknown: that its code could not be run.

Those of the names in WRITTEN come out of the classes, anew at each run. The others are found by
reading the code and checked by rope_sweep.py; they stay.
"""

import dataclasses
import importlib.util
import inspect
import json
import re
import sys
from pathlib import Path

from traced import model_class
from transformers import AutoConfig
from transformers.models.auto import modeling_auto
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from posenc_lib.encodings.rope_config import ABOUT_ROPE, STATED

TABLE = Path(__file__).parents[2] / "posenc_lib" / "encodings" / "families.json"
WRITTEN = {"keys", "classes", "part", "fixed", "given", "names", "flat", "own", "tower"}
SIZES = {*"hidden_size num_attention_heads num_hidden_layers head_dim".split()}
SIZES |= {"max_position_embeddings", "sliding_window", "rope_parameters"}
PARTS = ("text_config", "thinker_config", "vlm_config", "global_config")
PARTS += ("decoder_config", "decoder")
THETA = 54_321.0  # nobody's default


def fields(kind: type) -> list[str]:
    """Return the keys that a configuration class takes, by name or out of its other keywords."""
    source = inspect.getsource(kind)
    named = [one.name for one in dataclasses.fields(kind)] if dataclasses.is_dataclass(kind) else []
    named += [*kind.attribute_map, *kind.attribute_map.values()]
    named += re.findall(r'kwargs\.(?:pop|get)\(\s*"(\w+)"', source)
    return sorted(set(named))


def beginnings(name: str) -> list[str]:
    """Return how the names of a family's models begin, where that isn't its model_type."""
    plain = name.replace("-", "").replace("_", "").lower()
    found = set()
    for table, kinds in vars(modeling_auto).items():
        if table.endswith("_MAPPING_NAMES") and name in kinds:
            each = kinds[name]
            found |= {each} if isinstance(each, str) else set(each)
    ends = r"(?<=\w)(?:For[A-Z]|Model|LMHead|PreTrained|Config)"
    heads = {re.split(ends, one)[0] for one in found}
    heads = {one.replace("_", "").lower() for one in heads}
    return sorted(one for one in heads if not one.startswith(plain))


def outer(kind: type) -> dict:
    """Return where an outer config holds its text; nothing for others."""
    part = next((one for one in PARTS if one in kind.sub_configs_defaults), None)
    if part is None:
        return {}
    spec, default = kind.sub_configs_defaults[part], kind()
    inner = getattr(default, part)
    found = {"text": inner.model_type, "part": part}
    if spec.config_class is not AutoConfig:
        found["fixed"] = True
    if hasattr(default, "rope_parameters"):
        found["own"] = True
    said, plain = inner.to_dict(), type(inner)().to_dict()
    given = {key: said[key] for key in sorted(SIZES & set(said)) if said[key] != plain.get(key)}
    if "hidden_size" in given and said.get("head_dim"):
        given["head_dim"] = said["head_dim"]
    rope = given.pop("rope_parameters", None)
    if rope and "rope_theta" in rope:
        given["rope_theta"] = rope["rope_theta"]
    if given:
        found["given"] = given
    names = re.findall(rf'{part}\.get\("model_type"[^)]*\) == "(\w+)"', inspect.getsource(kind))
    if names:
        found["names"] = names
    try:
        flat = getattr(kind(rope_theta=THETA), part).get_text_config().rope_parameters
        if flat and flat.get("rope_theta") == THETA:
            found["flat"] = True
    except Exception as error:
        print(kind.model_type, "takes no flat keys:", str(error)[:80])
    return found


def tower(name: str, kind: type) -> str:
    """Return what a part reads that reads no text; "" for text."""
    try:
        takes = model_class(kind()).main_input_name
    except Exception:
        takes = "?"
    named = f"{name} {kind.base_config_key} {takes}"
    if re.search(r"vision|image|pixel|vit\b|vitdet|dit\b|vqgan|edgetam|sam\d?_|mlcd|video", named):
        return "pictures"
    if re.search(r"audio|speech|sound|input_features|input_values|latents|codec|whisper", named):
        return "sound"
    return "" if hasattr(kind(), "vocab_size") else "something else"


def rows(table: dict) -> dict:
    """Return the table with what the classes say."""
    names = sorted(CONFIG_MAPPING.keys())
    for name in sorted(names, key=lambda name: bool(CONFIG_MAPPING[name].sub_configs_defaults)):
        kind, row = CONFIG_MAPPING[name], table.get(name)
        parts = [one for one in PARTS if one in kind.sub_configs_defaults]
        if not parts and (row is None or row.get("unknown") or row.get("tower")):
            try:
                reads = tower(name, kind)
            except Exception as error:
                print(name, "cannot be made:", str(error)[:80])
                continue
            new = {"tower": reads} if reads else {"without": "none in any layer"}
            row = new if reads or row is None else row
        row = row or {}
        kept = WRITTEN - ({"tower"} if not parts else set())
        row = {key: value for key, value in row.items() if key not in kept}
        try:
            if "silent" not in row:
                row |= outer(kind)
        except Exception as error:
            print(name, "has no part:", str(error)[:80])
        if "part" in row and table.get(row["text"], {}).get("tower"):
            row = {"tower": table[row["text"]]["tower"]}
        elif "part" in row:
            row = {key: value for key, value in row.items() if key in WRITTEN | {"text"}}
        known = [key for key in fields(kind) if ABOUT_ROPE.search(key) and key not in STATED]
        if known and not {"tower", "part"} & set(row):
            row["keys"] = known
        if "tower" not in row and (begin := beginnings(name)):
            row["classes"] = begin
        if row:
            table[name] = row
    return table


if __name__ == "__main__":
    table = rows(json.loads(TABLE.read_text(encoding="utf-8")))
    lines = (f"  {json.dumps(name)}: {json.dumps(table[name])}" for name in sorted(table))
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    sys.exit(importlib.util.find_spec("transformers") is None)
