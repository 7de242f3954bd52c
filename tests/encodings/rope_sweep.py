"""Compare `rope_from_config` with transformers: each config class, as it is and as on the hub.

Run `python tests/encodings/rope_sweep.py` with the extra `benchmark`. For each model_type a dozen
of configs go to the model itself (see traced.py) and to the library, and what each layer turns by
must be the same. What was found stands in rope_sweep.json, which test_rope_config.py reads without
torch; what could not be run is named there, too. Where a new version of transformers is told
wrongly, its row of posenc_lib/encodings/families.json is to be written anew; what a class must be
given before it can be made, or turns at all, is in rope_needed.json.
With --trial the configs are those of rope_trial.json: files as people find them on the hub, sizes
apart, with keys that count for nothing.
"""

import collections
import importlib.metadata
import json
import os
import sys
from pathlib import Path

import numpy as np
from traced import AutoConfig, traced
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

import posenc_lib as pe
from posenc_lib.encodings.rope_config import families, layers_of

FOUND = Path(os.environ.get("FOUND", Path(__file__).with_name("rope_sweep.json")))
NEEDED = json.loads(Path(__file__).with_name("rope_needed.json").read_text(encoding="utf-8"))
TRIAL = Path(__file__).with_name("rope_trial.json")
BASE, DIMS = 54_321.0, 88  # values that are nobody's default
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096}
HUB = {"rope_theta": BASE, "max_position_embeddings": 16_384}
CASES = {  # as config.json files on the hub are written: rope_theta and rope_scaling, side by side
    "hub": HUB,
    "linear": HUB | {"rope_scaling": {"rope_type": "linear", "factor": 8.0}},
    "type": HUB | {"rope_scaling": {"type": "linear", "factor": 8.0}},
    "yarn": HUB | {"rope_scaling": YARN},
    "llama3": HUB | {"rope_scaling": LLAMA3 | {"original_max_position_embeddings": 8192}},
    "dynamic": HUB | {"rope_scaling": {"rope_type": "dynamic", "factor": 2.0}},
    "alpha": HUB | {"rope_scaling": {"type": "dynamic", "factor": 1.0, "alpha": 1000.0}},
    "outside": HUB
    | {
        "rope_scaling": {"rope_type": "yarn", "factor": 4.0},
        "original_max_position_embeddings": 4096,
    },
    "part": HUB | {"partial_rotary_factor": 0.5},
    "head": HUB | {"head_dim": DIMS},
    "rope dims": HUB | {"qk_rope_head_dim": 32},
    "null window": HUB | {"sliding_window": None},
    "local": {"rope_local_base_freq": BASE, "local_rope_theta": BASE, "swa_rope_theta": BASE},
    "neox": {"rotary_emb_base": BASE, "rotary_pct": 0.5, "rotary_dim": 32},
    "new": {"rope_parameters": {"rope_type": "default", "rope_theta": BASE}},
}


def rounded(turned) -> list | None:
    """Return what tells frequencies apart: how many, the middle one, the last one, the factor."""
    if turned is None:
        return None
    theta, factor = turned
    middle, last = (float(f"{theta[k]:.5g}") for k in (len(theta) // 2, -1))
    return [len(theta), middle, last, round(float(factor), 5)]


def asked(kind: str) -> dict[str, dict]:
    """Return the configs of a family by name."""
    plain = {"model_type": kind, **NEEDED.get(kind, {})}
    made, short = {"default": plain}, plain
    try:
        config = AutoConfig.for_model(**plain)
        listed = "layer_types" in plain or "attn_layer_indices" in plain
        if not listed and config.num_hidden_layers > 7:
            AutoConfig.for_model(**plain, num_hidden_layers=7)
            short = plain | {"num_hidden_layers": 7}
        types = AutoConfig.for_model(**short).layer_types
        turned = types[::-1]
        if len(set(types)) > 1:
            full = {"layer_types": ["full_attention"] * len(types), "sliding_window": None}
            made["all full"] = short | HUB | full
            made["types"] = short | HUB | {"layer_types": turned, "num_hidden_layers": len(turned)}
    except Exception as error:
        print(kind, "has no layer_types", error)
    try:
        said = AutoConfig.for_model(**short).to_dict()
        keys = "rope_parameters layer_types layers_block_type head_dim hidden_size".split()
        keys += ["num_attention_heads", "per_layer_config"]
        made["saved"] = short | {key: said[key] for key in keys if said.get(key) is not None}
    except Exception as error:
        print(kind, "cannot be saved", error)
    made |= {name: short | case for name, case in CASES.items()}
    return json.loads(json.dumps(made, default=str))


def truth(given: dict) -> list | str:
    """Return what each layer of the model turns by, or the error that it raises."""
    try:
        _, layers = traced(given.get("text_config", given))
    except Exception as error:
        return f"{type(error).__name__}: {str(error).strip()[:80]}"
    return [next((one for one in angles if one[0]), None) for angles in layers]


def told(given: dict, many: int) -> list | str:
    """Return what the library says that each layer turns by, or how it refuses."""
    try:
        layers, turned = layers_of(given), pe.rope_from_config(given)
    except (TypeError, ValueError) as error:
        return str(error)
    if len(layers) == 1 and not next(iter(layers.values())).numbers:
        return list(turned.values()) * many
    found: list = ["missing"] * many
    for name, one in layers.items():
        for k in one.numbers:
            if k < many:
                found[k] = turned[name]
    return found


def same(one, other) -> bool:
    if one is None or other is None or isinstance(other, str):
        return one is other
    ours, theirs = np.sort(one[0]), np.sort(other[0])
    alike = len(ours) == len(theirs) and np.allclose(ours, theirs, rtol=3e-5, atol=1e-12)
    return bool(alike) and abs(one[1] - other[1]) < 1e-5


def outcome(given: dict) -> dict:
    """Return {"given", "layers", "turned"}, and "refused" or "wrong" if the library disagrees."""
    layers = truth(given)
    if isinstance(layers, str):
        return {"given": given, "cannot": layers}
    said = told(given, len(layers))
    letters: dict[str, str] = {}
    line = [letters.setdefault(json.dumps(rounded(one)), chr(97 + len(letters))) for one in layers]
    turned = {letter: json.loads(one) for one, letter in letters.items()}
    found = {"given": given, "layers": "".join(line), "turned": turned}
    if isinstance(said, str):
        return found | {"refused": said}
    if not all(map(same, layers, said)):
        wrong = [None if isinstance(one, str) else rounded(one) for one in said]
        found["wrong"] = wrong[:8]
    return found


def stored(kinds: dict[str, dict]) -> str:
    """Return what was found as JSON, a line for each family; configs of a case are said once."""
    lines = []
    for kind in sorted(kinds):
        cases = kinds[kind]
        base = {key: value for key, value in cases["hub"]["given"].items() if key not in HUB}
        found = {}
        for name, one in cases.items():
            known = name in CASES and one["given"] == base | CASES[name]
            found[name] = {key: value for key, value in one.items() if key != "given" or not known}
        lines.append(f"  {json.dumps(kind)}: {json.dumps({'base': base, 'found': found})}")
    head = json.dumps({"transformers": importlib.metadata.version("transformers"), "cases": CASES})
    return head[:-1] + ', "families": {\n' + ",\n".join(lines) + "\n}}\n"


def why_not(one: dict) -> str:
    return next((why for why in ("wrong", "refused", "cannot") if why in one), "the same")


def trial() -> list[dict]:
    """Try again what rope_trial.json holds."""
    found = [outcome(one["given"]) for one in json.loads(TRIAL.read_text(encoding="utf-8"))]
    TRIAL.write_text("[\n" + ",\n".join(map(json.dumps, found)) + "\n]\n", encoding="utf-8")
    return found


def sweep(kinds: list[str]) -> list[dict]:
    """Try each family, or those that are named."""
    found: dict[str, dict] = {}
    for kind in kinds or sorted(set(families()) & set(CONFIG_MAPPING.keys())):
        if not {"text", "without", "unknown", "tower"} & set(families()[kind]):
            found[kind] = {name: outcome(given) for name, given in asked(kind).items()}
            print(kind, {name: why_not(one) for name, one in found[kind].items()}, flush=True)
    FOUND.write_text(stored(found), encoding="utf-8")
    return [one for cases in found.values() for one in cases.values()]


if __name__ == "__main__":
    each = trial() if "--trial" in sys.argv else sweep(sys.argv[1:])
    wrong = [one for one in each if "wrong" in one]
    print(collections.Counter(map(why_not, each)), *wrong, sep="\n")
