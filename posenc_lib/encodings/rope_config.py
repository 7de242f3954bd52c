"""RoPE out of a model's whole config.json: which frequencies its layers turn by."""

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.rope_scaling import rope_scaling

FULL, SLIDING, NO_ROPE = "full_attention", "sliding_attention", "no_rope"
UNTURNED = ("linear_attention", "conv", "mamba", "recurrent")  # layers that know the order without positions
RENAMED = {"rotary_emb_base": "rope_theta", "global_rope_theta": "rope_theta", "rotary_pct": "partial_rotary_factor"}
MOST_LAYERS = 10_000
LOCAL = ("rope_local_base_freq", "local_rope_theta")  # the base of sliding layers
SILENT: dict[str, dict] = {  # what models take where their config.json says nothing; others take 10 000 and no more
    "gemma3_text": {"head_dim": 256, "rope_theta": 1e6, "rope_local_base_freq": 1e4},
    "gemma4_text": {
        "head_dim": 256,
        "global_head_dim": 512,
        "rope_parameters": {
            SLIDING: {"rope_theta": 1e4},
            FULL: {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1e6},
        },
    },
    "gpt_neox": {"partial_rotary_factor": 0.25},
    "gpt_oss": {"head_dim": 64, "rope_theta": 150_000.0},
    "llama4_text": {"head_dim": 128, "rope_theta": 500_000.0, "no_rope_layer_interval": 4},
    "mixtral": {"rope_theta": 1e6},
    "modernbert": {"rope_theta": 160_000.0, "local_rope_theta": 1e4},
    "qwen3": {"head_dim": 128},
    "smollm3": {"rope_theta": 2e6, "no_rope_layer_interval": 4},
}


def rope_from_config(config: dict) -> dict[str, tuple[npt.NDArray[np.float64], float] | None]:
    """Return by which frequencies each type of layer turns queries and keys, out of a model's config.json.

    >>> gemma = {"head_dim": 256, "rope_theta": 1e6, "rope_local_base_freq": 1e4}
    >>> {layer: turned[0][-1].round(8) for layer, turned in rope_from_config(gemma).items()}
    {'full_attention': np.float64(1.11e-06), 'sliding_attention': np.float64(0.00010746)}

    Args:
        config: a config.json as a dict, `json.load(open("config.json"))`: an old one (rope_theta beside rope_scaling)
            or a new one (rope_parameters, also nested by layer type), with a text_config or without. Where it leaves
            out what its model_type has defaults for, those of transformers 5.23 are taken.

    Returns: by layer type ("full_attention", "sliding_attention", "chunked_attention", …) what `rope_scaling` returns
        for a text within the original length; None for layers without RoPE, called "no_rope" where their type has
        other layers that turn.
    Source: configuration classes and rope utilities of transformers 5.23.
    """
    if not isinstance(config, dict) or not all(isinstance(key, str) for key in config):
        raise TypeError(f"config must be a dict, as json.load returns it, got {validate.show(config)}")
    if isinstance(config.get("text_config"), dict):
        config = config["text_config"]
    given = {RENAMED.get(key, key): value for key, value in config.items() if value is not None}
    said = SILENT.get(str(given.get("model_type")), {}) | given
    asked = given.get("rope_scaling") or said.get("rope_parameters") or {}
    if not isinstance(asked, dict):
        raise TypeError(f"config['rope_parameters'] must be a dict, got {validate.show(asked)}")
    nested = bool(asked) and all(value is None or isinstance(value, dict) for value in asked.values())
    local = next((said[key] for key in LOCAL if key in said), None)
    layers = _layers(said, [*asked] if nested else [FULL, SLIDING] if local else [FULL])
    made: dict = {}
    for layer, turned in layers.items():
        one = asked.get(layer) if nested else asked
        if layer == SLIDING and local and not nested:  # Gemma scales its full attention only
            one = (asked if said.get("model_type") == "modernbert" else {}) | {"rope_theta": local}
        made[layer] = _scaled(said, layer, one) if any(turned) and one is not None else None
    if any(any(turned) and not all(turned) for turned in layers.values()):
        made[NO_ROPE] = None
    return made


def _layers(said: dict, usual: list[str]) -> dict[str, list[bool]]:
    """Return for each type of layer, in the order of the layers, whether each of its layers turns."""
    marks, types = (_listed(said, key) for key in ("no_rope_layers", "layer_types"))  # a mark is 1 for RoPE, 0 for none
    if not marks and "no_rope_layer_interval" in said:
        every = validate.integer("config['no_rope_layer_interval']", said["no_rope_layer_interval"])
        many = validate.integer("config['num_hidden_layers']", said.get("num_hidden_layers", every), high=MOST_LAYERS)
        marks = [(k + 1) % every != 0 for k in range(many)]
    if not types and marks:
        chunks = said.get("model_type") == "llama4_text"
        types = ["chunked_attention" if chunks and mark else FULL for mark in marks]
    types = types or usual
    marks = marks or [layer not in UNTURNED for layer in types]
    if len(marks) != len(types):
        rule = f"one entry for each of the {len(types)} layers"
        raise ValueError(f"config['no_rope_layers'] must have {rule}, got {len(marks)}")
    turned: dict[str, list[bool]] = {}
    for layer, mark in zip(types, marks, strict=True):
        turned.setdefault(layer, []).append(bool(mark))
    return turned


def _listed(said: dict, key: str) -> list:
    value = said.get(key, [])
    if not isinstance(value, list) or not all(isinstance(one, (str, int)) for one in value):
        raise TypeError(f"config[{key!r}] must be a list with an entry for each layer, got {validate.show(value)}")
    return value


def _scaled(said: dict, layer: str, asked: dict) -> tuple[npt.NDArray[np.float64], float]:
    """Return what `rope_scaling` makes of one type of layer: its own entries, and what stands beside them."""
    beside = {key: said[key] for key in ("rope_theta", "partial_rotary_factor") if key in said}
    whole = beside | {key: value for key, value in asked.items() if value is not None}
    if "original_max_position_embeddings" in said:  # Phi-3 says it there, and there it counts
        whole["original_max_position_embeddings"] = said["original_max_position_embeddings"]
    if said.get("model_type") == "phi3" and (whole.get("rope_type") or whole.get("type")) == "yarn":
        whole["rope_type"] = "longrope"
    names = ("global_head_dim",) * (layer == FULL) + ("qk_rope_head_dim", "head_dim")
    head_dim = next((said[name] for name in names if name in said), None)
    if head_dim is None:
        for name in ("hidden_size", "num_attention_heads"):
            if name not in said:
                both = "hidden_size and num_attention_heads"
                raise ValueError(f"config must have 'head_dim', or {both}, got no {name!r}")
            validate.integer(f"config[{name!r}]", said[name])
        head_dim = said["hidden_size"] // said["num_attention_heads"]
    return rope_scaling(whole, head_dim, max_position_embeddings=said.get("max_position_embeddings"))
