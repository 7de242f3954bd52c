"""What each configuration class of transformers turns by if nothing else is said.

Run `python tests/encodings/rope_defaults.py` with the extra `benchmark`: the rotary classes beside
a class are made from its default, and what they turn by goes into rope_defaults.json, which
test_rope_said.py reads without torch. An outer class has what its text part has.
"""

import importlib
import json
from pathlib import Path

import torch
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

TABLE = Path(__file__).with_name("rope_defaults.json")


def rounded(theta: torch.Tensor, factor: float) -> list:
    line = sorted(theta.double().ravel().tolist(), reverse=True)
    return [len(line), *(float(f"{line[k]:.5g}") for k in (len(line) // 2, -1)), factor]


def turned(config) -> list[list]:
    """Return what the rotary classes of a config's module turn by."""
    made = vars(
        importlib.import_module(type(config).__module__.replace("configuration_", "modeling_"))
    )
    found = []
    for name, kind in made.items():
        if not isinstance(kind, type) or ("Rotary" not in name and "RoPE" not in name):
            continue
        try:
            rotary = kind(config)
        except Exception:  # that of a picture, say
            continue
        for key, theta in rotary.named_buffers():
            if key.endswith("inv_freq") and "original" not in key:
                factor = getattr(rotary, f"{key.removesuffix('inv_freq')}attention_scaling", 1.0)
                found.append(rounded(theta, float(factor)))
    return found


if __name__ == "__main__":
    table = {}
    for name in sorted(CONFIG_MAPPING.keys()):
        try:
            config = CONFIG_MAPPING[name]()
            text = config.get_text_config()
            if getattr(text, "rope_parameters", None) or getattr(config, "rope_parameters", None):
                table[name] = turned(text)
        except Exception as error:
            print(name, str(error)[:80])
    lines = (f"  {json.dumps(name)}: {json.dumps(one)}" for name, one in table.items())
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
