"""RoPE out of a model's whole config.json: which frequencies its layers turn by."""

import difflib
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.rope_scaling import rope_scaling

FULL, SLIDING, NO_ROPE = "full_attention", "sliding_attention", "no_rope"
UNTURNED = ("linear_attention", "conv", "mamba", "recurrent")  # layers that know the order without positions
RENAMED = {"rotary_emb_base": "rope_theta", "global_rope_theta": "rope_theta", "rotary_pct": "partial_rotary_factor"}
LOCAL = ("rope_local_base_freq", "local_rope_theta")  # the base of sliding layers
TURNING = ("qk_rope_head_dim", "rotary_dim", "attn_rotary_emb")  # how many dims turn
HEADS = ("head_dim", "kv_channels", "attention_head_dim")
MOST_LAYERS = 10_000
KEYS = (  # a key that is written nearly like one of these is a slip
    *("model_type", "rope_theta", "rope_scaling", "rope_parameters", "partial_rotary_factor", "head_dim"),
    *("hidden_size", "num_attention_heads", "num_hidden_layers", "max_position_embeddings", "layer_types"),
    *("original_max_position_embeddings", "no_rope_layers", "no_rope_layer_interval", "text_config"),
    *("qk_rope_head_dim", "rotary_dim", "global_head_dim", *LOCAL, *RENAMED),
    *("qk_nope_head_dim", "partial_rotary_factors", "hidden_sizes"),  # others that are no slips
)
GEMMA4 = {
    "head_dim": 256,
    "global_head_dim": 512,
    "rope_parameters": {
        SLIDING: {"rope_theta": 1e4},
        FULL: {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1e6},
    },
}
SILENT: dict[str, dict] = {  # what models take where their config.json says nothing, beside 10 000 and whole heads
    **{name: {} for name in ("llama", "mistral", "qwen2", "phi3", "deepseek_v2", "deepseek_v3")},
    **{name: {"head_dim": 256} for name in ("gemma", "gemma2")},
    "gemma3_text": {"head_dim": 256, "rope_theta": 1e6, "rope_local_base_freq": 1e4},
    **dict.fromkeys(("gemma4_text", "gemma4_unified_text"), GEMMA4),
    **{name: {"partial_rotary_factor": 0.5} for name in ("phi", "glm", "glm4", "glm4_moe", "nemotron", "persimmon")},
    **{name: {"partial_rotary_factor": 0.25} for name in ("gpt_neox", "stablelm")},
    "gpt_oss": {
        "head_dim": 64,
        "rope_theta": 150_000.0,
        "rope_parameters": {
            "rope_type": "yarn",
            "factor": 32.0,
            "truncate": False,
            "original_max_position_embeddings": 4096,
        },
    },
    "llama4_text": {"head_dim": 128, "rope_theta": 500_000.0, "no_rope_layer_interval": 4},
    "mixtral": {"rope_theta": 1e6},
    "modernbert": {"rope_theta": 160_000.0, "local_rope_theta": 1e4},
    "qwen3": {"head_dim": 128},
    "qwen3_next": {"head_dim": 256, "partial_rotary_factor": 0.25},
    "smollm3": {"rope_theta": 2e6, "no_rope_layer_interval": 4},
}


class LayerType(NamedTuple):
    """What a config.json says of one type of layer.

    Attributes:
        numbers: which layers these are, from 0; none where the config does not say it.
        parameters: rope_parameters as `rope_scaling` takes them, None for layers without RoPE.
        head_dim: what `rope_scaling` calls so: how many dims turn if the parameters do not leave some out.
        longest: max_position_embeddings.
    """

    numbers: tuple[int, ...]
    parameters: dict[str, Any] | None = None
    head_dim: int = 0
    longest: int | None = None

    def scaled(self, **how) -> tuple[npt.NDArray[np.floating], float]:
        """Return what `rope_scaling` makes of it; how are its seq_len and dtype."""
        return rope_scaling(self.parameters or {}, self.head_dim, max_position_embeddings=self.longest, **how)


def rope_from_config(
    config: dict[str, Any], *, seq_len: int | None = None, dtype: npt.DTypeLike = np.float64
) -> dict[str, tuple[npt.NDArray[np.floating], float] | None]:
    """Return by which frequencies each type of layer turns queries and keys, out of a model's config.json.

    >>> gemma = {"head_dim": 256, "rope_theta": 1e6, "rope_local_base_freq": 1e4}
    >>> {layer: turned[0][-1].round(8) for layer, turned in rope_from_config(gemma).items()}
    {'full_attention': np.float64(1.11e-06), 'sliding_attention': np.float64(0.00010746)}

    Args:
        config: a config.json as a dict, `json.load(open("config.json"))`: an old one (rope_theta beside rope_scaling)
            or a new one (rope_parameters, also nested by layer type), with a text_config or without. Some model_types
            have defaults of their own in transformers 5.23; those of Llama, Mistral, Qwen, Gemma, Phi, GLM, DeepSeek,
            gpt-oss, GPT-NeoX, SmolLM and ModernBERT are known here, and any other must say its rope_theta.
        seq_len: as in `rope_scaling`.
        dtype: as in `rope_scaling`.

    Returns: by layer type ("full_attention", "sliding_attention", "chunked_attention", …) what `rope_scaling` returns
        for such a text; None for layers without RoPE, called "no_rope" where their type has
        other layers that turn, and where the whole model has ALiBi or position_embedding_type says something else.
    Source: configuration classes and rope utilities of transformers 5.23.
    """
    layers = layers_of(config)
    how = {"seq_len": seq_len, "dtype": dtype}
    return {name: None if one.parameters is None else one.scaled(**how) for name, one in layers.items()}


def layers_of(config: dict[str, Any]) -> dict[str, LayerType]:
    """Return what a config.json says of each type of layer; see `rope_from_config`."""
    said = text_part(config)
    asked = said.pop("rope_parameters", None) or {}
    if not isinstance(asked, dict):
        raise TypeError(f"config['rope_parameters'] must be a dict, got {validate.show(asked)}")
    nested = bool(asked) and all(value is None or isinstance(value, dict) for value in asked.values())
    layers, numbered = _layers(said, [*asked] if nested else [])
    if said.get("alibi") is True or said.get("position_embedding_type", "rope") not in ("rope", "rotary"):
        return {name: LayerType(tuple(turned) * numbered) for name, turned in layers.items()}
    known = nested or "rope_theta" in {**said, **asked} or said.get("model_type") in (None, *SILENT)
    if not known:
        kind = said["model_type"]
        raise ValueError(f"config must have 'rope_theta', for the default of model_type {kind!r} is not known here")
    made, still = {}, []
    for name, turned in layers.items():
        one = asked.get(name) if nested else _alone(said, name, asked)
        turns = {k for k in turned if turned[k] and one is not None}
        numbers = tuple(k for k in turned if k in turns or not turns) * numbered
        made[name] = _asked(said, name, one, numbers) if turns else LayerType(numbers)
        still += [k for k in turned if k not in turns] if turns else []
    return made | ({NO_ROPE: LayerType(tuple(still) * numbered)} if still else {})


def text_part(config: dict[str, Any]) -> dict[str, Any]:
    """Return what a config says of its language model, with the defaults of its model_type, by today's names."""
    if not isinstance(config, dict) or not all(isinstance(key, str) for key in config):
        raise TypeError(f"config must be a dict, as json.load returns it, got {validate.show(config)}")
    if isinstance(config.get("text_config"), dict):
        config = config["text_config"]
    for key in config:
        near = [] if key in KEYS else difflib.get_close_matches(key, KEYS, n=1, cutoff=0.92)
        if near and abs(len(near[0]) - len(key)) <= 2:  # num_attention_heads of some kind is another key
            raise ValueError(f"config must have keys of config.json, got {key!r} (did you mean {near[0]!r}?)")
    given = {RENAMED.get(key, key): value for key, value in config.items() if value is not None}
    if not isinstance(given.get("model_type", ""), str):
        raise TypeError(f"config['model_type'] must be a name, got {validate.show(given['model_type'])}")
    asked = {"rope_parameters": given["rope_scaling"]} if given.get("rope_scaling") else {}
    return SILENT.get(given.get("model_type", ""), {}) | given | asked


def _alone(said: dict, layer: str, asked: dict) -> dict:
    """Return the rope_parameters of a layer where they are not nested."""
    local = next((said[key] for key in LOCAL if key in said), None)
    if layer != SLIDING or local is None:
        return asked
    scaled = asked if said.get("model_type") == "modernbert" else {}  # Gemma scales its full attention only
    return scaled | {"rope_theta": local}


def _layers(said: dict, nested: list[str]) -> tuple[dict[str, dict[int, bool]], bool]:
    """Return for each type of layer whether each of its layers turns, by number; and whether the numbers are known."""
    marks = _listed(said, "no_rope_layers", int)  # 1 for RoPE, 0 for none
    types = _listed(said, "layer_types", str)
    known = bool(marks or types or "num_hidden_layers" in said)
    if not marks and "no_rope_layer_interval" in said:
        every = validate.integer("config['no_rope_layer_interval']", said["no_rope_layer_interval"])
        many = validate.integer("config['num_hidden_layers']", said.get("num_hidden_layers", every), high=MOST_LAYERS)
        marks = [(k + 1) % every != 0 for k in range(many)]
    if not types and marks:
        chunks = said.get("model_type") == "llama4_text"
        types = ["chunked_attention" if chunks and mark else FULL for mark in marks]
    if not types or (nested and not set(types) & set(nested)):  # DeepSeek-V4 names what turns by other words
        types, known = nested or ([FULL, SLIDING] if set(LOCAL) & set(said) else [FULL]), False
    marks = marks or [layer not in UNTURNED for layer in types]
    if len(marks) != len(types):
        rule = f"one entry for each of the {len(types)} layers"
        raise ValueError(f"config['no_rope_layers'] must have {rule}, got {len(marks)}")
    turned: dict[str, dict[int, bool]] = {}
    for k, (layer, mark) in enumerate(zip(types, marks, strict=True)):
        turned.setdefault(layer, {})[k] = bool(mark)
    return turned, known


def _listed(said: dict, key: str, kind: type) -> list:
    value = said.get(key, [])
    if not isinstance(value, list) or not all(isinstance(one, kind) for one in value):
        raise TypeError(f"config[{key!r}] must be a list with an entry for each layer, got {validate.show(value)}")
    return value


def _asked(said: dict, layer: str, asked: dict, numbers: tuple[int, ...]) -> LayerType:
    """Return what is asked of one type of layer: its own entries, and what stands beside them."""
    beside = {key: said[key] for key in ("rope_theta", "partial_rotary_factor") if key in said}
    whole = beside | {key: value for key, value in asked.items() if value is not None}
    if "original_max_position_embeddings" in said:  # Phi-3 says it there, and there it counts
        whole["original_max_position_embeddings"] = said["original_max_position_embeddings"]
    if said.get("model_type") == "phi3" and (whole.get("rope_type") or whole.get("type")) == "yarn":
        whole["rope_type"] = "longrope"
    if (dim := next((said[name] for name in TURNING if name in said), None)) is None:
        dim = _head_dim(said, layer)
    else:
        whole.pop("partial_rotary_factor", None)
    return LayerType(numbers, whole, dim, said.get("max_position_embeddings"))


def _head_dim(said: dict, layer: str) -> int:
    """Return how many dims a head has in one type of layer."""
    types, by_layer = said.get("layer_types") or [], said.get("per_layer_config") or {}
    if not isinstance(by_layer, dict) or not all(isinstance(one, dict) for one in by_layer.values()):
        raise TypeError(f"config['per_layer_config'] must be a dict of dicts, got {validate.show(by_layer)}")
    of_type = [by_layer[str(k)] for k, name in enumerate(types) if name == layer and str(k) in by_layer]
    own = [one["head_dim"] for one in of_type if "head_dim" in one]
    named = ("global_head_dim",) * (layer == FULL) + HEADS
    found = own[:1] + [said[name] for name in named if name in said]
    if found:
        return found[0]
    for name in ("hidden_size", "num_attention_heads"):
        if name not in said:
            both = "hidden_size and num_attention_heads"
            raise ValueError(f"config must have 'head_dim', or {both}, got no {name!r}")
        validate.integer(f"config[{name!r}]", said[name])
    return said["hidden_size"] // said["num_attention_heads"]
