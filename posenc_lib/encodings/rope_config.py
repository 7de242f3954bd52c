"""RoPE from a model's whole config.json: the frequencies of its layers.

This file reads the config. Facts only the model's code knows are in families.json, one row per
model_type.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.rope_scaling import KEYS, MOST_DIMS, MOST_KEYS, refuse_slips, rope_scaling
from posenc_lib.files import stored_data

FULL, SLIDING, NO_ROPE = "full_attention", "sliding_attention", "no_rope"
WINDOWS = {  # by type of layer: keys for how many tokens it looks back
    SLIDING: ("sliding_window", "local_attention"),
    "hybrid_sliding": ("sliding_window",),
    "chunked_attention": ("attention_chunk_size",),
}
# layers that know the order some other way
WITHOUT_ATTENTION = ("linear_attention", "conv", "moe", "mlp")
RENAMED_TYPES = {"mamba": "linear_attention", "recurrent": "linear_attention", "attention": FULL}
RENAMED_TYPES |= dict.fromkeys(
    ("deepseek_sparse_attention", "qwen_sparse_attention"), "indexed_attention"
)
MOST_ENTRIES = 2**16  # entries of a list
SIMPLE = (str, int, float)  # with bool: values two places in a config may disagree on
LISTS = ("layer_types", "layers_block_type")
MOST_LAYERS, MOST_KINDS = 10_000, 100  # and of those, different ones
# keys a config may have without a row for its model_type
READ = {*"model_type rope_theta rope_scaling rope_parameters partial_rotary_factor".split()}
READ |= {*"original_max_position_embeddings max_position_embeddings layer_types".split()}
READ |= {*"hidden_size num_attention_heads num_hidden_layers".split()}
READ |= {*"head_dim rotary_dim qk_rope_head_dim qk_nope_head_dim v_head_dim".split()}
# a key spelled almost like one of these is a typo
SLIPS = READ | {*"no_rope_layers no_rope_layer_interval layer_rope_theta text_config".split()}
SLIPS |= {*"rope_local_base_freq local_rope_theta global_rope_theta global_head_dim".split()}
SLIPS |= {*"rotary_pct rotary_emb_base swa_rope_theta sliding_window swa_head_dim".split()}
SLIPS |= {*"partial_rotary_factors hidden_sizes architectures".split()}
# keys about positions, which no code may silently ignore
ABOUT_ROPE = re.compile(
    "(^|_)(m|xd|no)?rope|rotary|theta|yarn|(^|_)ntk|alibi|(^|_)nope|base_freq|freq_base|xpos|"
    "(^|_)logn|relative_(pos|att)|position\\w*_(emb|enc)\\w*type|positional_e|pos_e(mb|nc)|^alpha$"
)
# an unknown model's layers can also differ in these
ABOUT_LAYERS = re.compile(
    "head_dim|kv_channels|pattern|window|swa|sliding|hybrid|mamba|ssm|linear_attn|block_type|"
    "layer_(type|idx|indices)|attn_layer|(local|global)_(attn|attention|layer|base|head)|"
    "(attn|attention|layer|full)\\w*_(interval|period)"
)
NO_MATTER = re.compile("loss|expert|moe|router|vocab|dropout|lora")
SWITCH = re.compile("(?:use_|with_|has_|apply_)?(rope|rotary|alibi)(_pos\\w*|_emb\\w*)?")
# every class with RoPE knows these
STATED = {*"rope_theta rope_scaling rope_parameters partial_rotary_factor".split()}
KNOWN_BY = ("renamed", "heads", "unread", "silent")  # parts of a row
# where a config of several models keeps its language model, and how deep
PARTS, DEEPEST = ("thinker_config", "text_config"), 4
LANGUAGE = re.compile("(text|language|llm|lm|vlm|language_model|thinker|decoder)(_config|_cfg)?")


class LayerType(NamedTuple):
    """What a config.json says about one type of layer."""

    # the layers, from 0; none if the config doesn't say
    numbers: tuple[int, ...]
    # rope_parameters for `rope_scaling`, None without RoPE
    parameters: dict[str, Any] | None = None
    head_dim: int = 0  # how many dims rotate unless the parameters leave some out
    longest: int | None = None  # max_position_embeddings
    window: int | None = None  # how many tokens it looks back, if that's limited

    def scaled(self, **how) -> tuple[npt.NDArray[np.floating], float]:
        """Return the result of `rope_scaling`. how are its seq_len and dtype."""
        given, longest = self.parameters or {}, self.longest
        return rope_scaling(given, self.head_dim, max_position_embeddings=longest, **how)


@cache
def families() -> dict[str, dict[str, Any]]:
    """Return, by model_type, facts in its code that aren't in its config.json.

    tests/encodings/rope_rows.py explains the rows, and rope_sweep.py next to it checks them.
    """
    return stored_data(Path(__file__).with_name("families.json"), llama=dict)


def rope_from_config(
    config: dict[str, Any], *, seq_len: int | None = None, dtype: npt.DTypeLike = np.float64
) -> dict[str, tuple[npt.NDArray[np.floating], float] | None]:
    """Return the frequencies of each type of layer, from a model's config.json.

    >>> gemma = {"model_type": "gemma3_text", "head_dim": 256, "rope_theta": 1e6}
    >>> gemma["rope_local_base_freq"] = 1e4
    >>> {layer: turned[0][-1].round(8) for layer, turned in rope_from_config(gemma).items()}
    {'sliding_attention': np.float64(0.00010746), 'full_attention': np.float64(1.11e-06)}

    Args:
        config: a config.json as a dict, `json.load(open("config.json"))`. Old ones (rope_theta next
            to rope_scaling) and new ones (rope_parameters, possibly nested by layer type) both
            work, with or without a text_config. For models in transformers 5.23, the rest of what
            their code does is known. Any other model_type has to say everything itself.
        seq_len: see `rope_scaling`.
        dtype: see `rope_scaling`.

    Returns: by layer type ("full_attention", "sliding_attention", "chunked_attention", …), the
        result of `rope_scaling` for such a text. None for layers without RoPE, which are called
        "no_rope" if other layers of their type rotate, or if the model uses something else.
    Source: configuration classes, rope utilities and models of transformers 5.23.
    """
    layers = layers_of(config)
    turned = dict.fromkeys(layers)
    for name, layer in layers.items():
        if layer.parameters is not None:
            turned[name] = layer.scaled(seq_len=seq_len, dtype=dtype)
    return turned


def layers_of(config: dict[str, Any]) -> dict[str, LayerType]:
    """Return what a config.json says about each type of layer. See `rope_from_config`."""
    said = text_part(config)
    row = family(said)
    layers = _layers(said, row)
    if row:
        _refuse_what_is_dropped(language_model(config), row, layers.values())
    return layers


def _layers(said: dict, row: dict) -> dict[str, LayerType]:
    given = said.get("rope_parameters") or {}
    if not isinstance(given, dict):
        raise TypeError(f"config['rope_parameters'] must be a dict, got {validate.show(given)}")
    nested = bool(given) and all(isinstance(value, dict | None) for value in given.values())
    types, numbered = _types(said, row, list(given) if nested else [])
    if not row and "model_type" in said and "rope_theta" not in {**said, **given} and not nested:
        raise ValueError(f"config must have 'rope_theta', for {_unknown(said)}")
    if not row and not nested and len(set(types).difference(WITHOUT_ATTENTION)) > 1:
        rule = f"config['layer_types'] must be of one kind, got {_some(set(types))}"
        raise ValueError(f"{rule}: {_unknown(said)}")
    marks = _marks(said, row, types)
    bases: dict[str, set] = {kind: set() for kind in types}
    for kind, mark in zip(types, marks, strict=True):
        if mark:
            bases[kind].add(mark)
    found: dict[str, list[int]] = {}
    for k, (kind, mark) in enumerate(zip(types, marks, strict=True)):
        name = kind
        if mark and len(bases[kind]) > 1:
            name = f"{kind}, base {mark:g}"
        elif bases[kind] and not mark:
            name = NO_ROPE
        found.setdefault(name, []).append(k)
    if len(found) > MOST_KINDS:
        rule = f"config must have layers of at most {MOST_KINDS} kinds"
        raise ValueError(f"{rule}, got {len(found):,}: {_some(set(found))}, …")
    layers = {}
    for name, numbers in found.items():
        k, listed = numbers[0], tuple(numbers) if numbered else ()
        parameters = _parameters(said, row, types[k], k, given, nested) if marks[k] else None
        if parameters is None:
            layers[name] = LayerType(listed)
            continue
        if marks[k] is not True:
            parameters["rope_theta"] = marks[k]
        turning = _turning(said | {"nested": nested}, row, types[k], numbers, parameters)
        layers[name] = LayerType(listed, *turning, _window(said, types[k]))
    return layers


def _window(said: dict, kind: str) -> int | None:
    """Return how many tokens layers of a type look back, if that's limited."""
    for key in WINDOWS.get(kind, ()):
        if window := window_of(said, key):
            return window
    return None


def window_of(said: dict, key: str = "sliding_window") -> int | None:
    """Return the number of tokens under a key, if there is one."""
    value = said.get(key)
    if isinstance(value, str):
        validate.integer(f"config[{key!r}]", value)
    return value if isinstance(value, int) and value is not True and value > 0 else None


def text_part(config: dict[str, Any]) -> dict[str, Any]:
    """Return what a config says about its language model, in current names, with defaults."""
    given, row = stated(config)
    whole = row.get("silent", {}) | given | row.get("forced", {})
    return {key: value for key, value in whole.items() if value is not None}


def stated(config: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what a config itself says about its language model, in current names, and its row."""
    part = language_model(config)
    refuse_slips("config", part, SLIPS)
    kind = part.get("model_type")
    row = families().get(kind or "", {})
    if "tower" in row:
        rule = f"config['model_type'] must be of a model of text, got {kind!r}"
        raise ValueError(f"{rule}, which reads {row['tower']} and counts other positions")
    read = {key: value for key, value in part.items() if key not in row.get("ignored", ())}
    given = {row.get("renamed", {}).get(key, key): value for key, value in read.items()}
    given["model_type"] = kind
    if _says(given.get("rope_scaling")) and not row.get("unscaled"):
        _refuse_two(given["rope_scaling"], given.get("rope_parameters"), "rope_parameters")
        given["rope_parameters"] = given["rope_scaling"]
    if given.get("rope_parameters", 0) is None:
        del given["rope_parameters"]
    _refuse_two(given.get("rope_parameters"), given, "config")
    for key in LISTS:
        _refuse_number(key, given.get(key), given.get("num_hidden_layers"))
    for key in row.get("unread", ()):
        if given.get(key) is not None:
            rule = f"config must leave out {key!r}"
            raise ValueError(f"{rule}: what the code of {kind!r} makes of it is not known here")
    return given, row


def language_model(config: dict[str, Any]) -> dict[str, Any]:
    """Return the language model's part of a config, with its model_type."""
    refuse_slips("config", config, ())
    config = _readable(config, "config")
    for _ in range(DEEPEST):
        kind = config.get("model_type")
        if not isinstance(kind, str | None):
            raise TypeError(f"config['model_type'] must be a name, got {validate.show(kind)}")
        row = families().get(kind or "", {})
        _refuse_other_code(config, row)
        key = _text_key(config, row)
        if not key and "text" not in row:
            return config
        part = config.get(key, {})
        inner = part.get("model_type")
        if not isinstance(inner, str | None):
            name = f"config[{key!r}]['model_type']"
            raise TypeError(f"{name} must be a name, got {validate.show(inner)}")
        if "text" in row and (row.get("fixed") or inner in (None, *row.get("names", ()))):
            inner = row["text"]
        if not key:
            stray = [one for one in config if one in READ or ABOUT_ROPE.search(one)]
            stray = [one for one in stray if one != "model_type" and config[one] is not None]
            if stray and not row.get("flat"):
                rule = f"config must have {stray[0]!r} in its {row['part']!r}"
                raise ValueError(f"{rule}: the code of {kind!r} reads it there alone")
            part = row.get("given", {}) | config
        elif not row.get("own"):
            beside = {name: config[name] for name in STATED & set(config)}
            _refuse_two(beside, dict.fromkeys(beside, "nothing") | part, key)
        config = part | {"model_type": inner or kind}
    raise ValueError(f"config must have parts of parts at most {DEEPEST} deep")


def _readable(config: dict, what: str, deep: int = 0) -> dict:
    """Return a config without values JSON can't store, or refuse one about positions."""
    if deep > DEEPEST or len(config) > MOST_KEYS:
        return config  # refused later, if it's read at all
    found = {}
    for key, value in config.items():
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, (*SIMPLE, type(None))):
            found[key] = value
            continue
        place = f"{what}[{validate.show(key)}]"
        if isinstance(value, dict):
            found[key] = _readable(value, place, deep + 1)
            continue
        is_list = isinstance(value, (list, tuple))
        if is_list and len(value) > MOST_ENTRIES:
            rule = f"{place} must have at most {MOST_ENTRIES:,} entries"
            raise ValueError(f"{rule}, got {len(value):,}")
        if is_list:
            found[key] = value
        elif key in KEYS or key in SLIPS or ABOUT_ROPE.search(str(key)):
            raise TypeError(f"{place} must be something JSON can store, got {validate.show(value)}")
    return found


def _text_key(config: dict, row: dict) -> str:
    """Return the key of the language model's part, or "" if the config is one itself."""
    parts = [key for key, value in config.items() if isinstance(value, dict)]
    found = [key for key in ([row["part"]] if "part" in row else PARTS) if key in parts]
    if found or row:
        return found[0] if found else ""
    found = [key for key in parts if LANGUAGE.fullmatch(key)]
    models = [key for key in parts if {"hidden_size", "model_type"} & set(config[key])]
    if not found and READ - {"model_type"} & set(config):
        return ""  # it is one itself
    if len(found) > 1 or (models and not found):
        part = (found or models)[0]
        raise ValueError(
            f"config must describe one language model: pass its part, config[{part!r}]"
        )
    return found[0] if found else ""


def _refuse_two(inner: object, other: object, where: str) -> None:
    """Refuse a dict that contradicts another about RoPE."""
    if not isinstance(inner, dict) or not isinstance(other, dict):
        return
    for key in ("rope_type", "type", "factor", *sorted(STATED)):
        one, two = inner.get(key), other.get(key)
        if isinstance(one, SIMPLE) and isinstance(two, SIMPLE) and one != two:
            rule = f"config must say {key!r} once, got {validate.show(one)}"
            raise ValueError(f"{rule} and, in {where}, {validate.show(two)}")


def _refuse_number(key: str, listed: object, many: object) -> None:
    if listed and isinstance(listed, list) and isinstance(many, int) and len(listed) != many:
        rule = f"config[{key!r}] must have one entry for each of {validate.show(many)} layers"
        raise ValueError(f"{rule}, got {len(listed)}")


def _refuse_other_code(config: dict, row: dict) -> None:
    """Refuse model classes that don't belong to its model_type."""
    kind, named = config.get("model_type"), config.get("architectures")
    for name in named[:10] if row and isinstance(named, list) else ():
        if not _plain(str(name)).startswith((_plain(str(kind)), *row.get("classes", ()))):
            rule = f"config['architectures'] must be of {kind!r}, its model_type, got {name!r}"
            raise ValueError(f"{rule}: code of its own isn't known here")


def _plain(name: str) -> str:
    return re.sub("[^a-z0-9]", "", re.sub("_text(_model)?$", "", name).lower())


def _refuse_what_is_dropped(said: dict, row: dict, layers: Iterable[LayerType]) -> None:
    """Refuse keys about positions that the code of its model_type doesn't know."""
    turns = "without" not in row
    known = {key for name in KNOWN_BY for key in row.get(name, ())} - STATED
    known |= {row.get("marks")} | {one.get("theta") for one in row.get("types", {}).values()}
    if turns and "rope_theta" not in row.get("forced", {}):
        known |= STATED
    known |= {*row.get("keys", ()), *row.get("ignored", ())}
    inside = said.get("attn_config")
    inside = inside if isinstance(inside, dict) else {}
    numbers = {number for layer in layers for number in _numbers(layer)}
    for key, value in [*said.items(), *inside.items()]:
        if not ABOUT_ROPE.search(key) or NO_MATTER.search(key) or (key in known - inside.keys()):
            continue
        if not _agrees(key, value, row, numbers):
            what = "turns by RoPE" if turns else f"has {row['without']}"
            rule = f"config must leave out {key!r}, got {validate.show(value)}"
            kind = said.get("model_type")
            raise ValueError(f"{rule}: the code of {kind!r}, which {what}, does not know it")


def _numbers(layer: LayerType) -> list:
    """Return the numbers that define the rotation: base, number of dims, fraction."""
    given = {"rope_theta": 10_000.0, "partial_rotary_factor": 1.0} | (layer.parameters or {})
    numbers = {key: one for key, one in given.items() if isinstance(one, int | float)}
    dims = int(layer.head_dim * numbers.get("partial_rotary_factor", 1.0))
    return [dims, *numbers.values()] if layer.parameters is not None else []


def _agrees(key: str, value: object, row: dict, numbers: set) -> bool:
    """Return whether an unknown key says what the code does anyway, or says nothing."""
    turns = "without" not in row
    has = {"alibi": row.get("without") == "ALiBi", "rope": turns, "rotary": turns}
    if has["alibi"] and key.startswith("alibi"):
        return value is not False
    if value == row.get("habit", {}).get(key, ...):
        return True
    if isinstance(value, bool):
        switch = SWITCH.fullmatch(key)
        return value == has[switch[1]] if switch else not value
    if isinstance(value, str) and value:
        named = re.search("rope|rotary|alibi|relative|no", value.lower())
        return has.get(named[0], False) if named else not turns
    if isinstance(value, int | float):
        return value in numbers and bool(re.search("theta|base|rope|rot", key))
    return value in (None, "", [], {})


def family(said: dict[str, Any]) -> dict[str, Any]:
    """Return a model_type's row. Without one, refuse a config whose keys could matter."""
    row = families().get(said.get("model_type", ""))
    if row and row.get("unknown"):
        raise ValueError(f"config['model_type'] must be of a model that is known: {_unknown(said)}")
    if row is not None:
        return row
    for key, value in said.items():
        window = "window" in key and "model_type" not in said  # for a bare part of a config
        plain = window or key in READ
        if key == "position_embedding_type" and isinstance(value, str):
            plain = value == "rope"
        counts = ABOUT_ROPE.search(key) or ABOUT_LAYERS.search(key)
        if _says(value) and not plain and counts and not NO_MATTER.search(key):
            raise ValueError(
                f"config must leave out {key!r}, got {validate.show(value)}: {_unknown(said)}"
            )
    return {}


def _says(value: object) -> bool:
    """Return whether a value says anything. null, false, 0 and {} don't."""
    return bool(value) if isinstance(value, (*SIMPLE, list, dict, type(None))) else True


def _unknown(said: dict) -> str:
    if "model_type" not in said:
        return "without a model_type, its code is unknown"
    return f"what the code of model_type {validate.show(said['model_type'])} does is not known here"


def _some(names: set[str]) -> str:
    return ", ".join(sorted(names)[:4])


def _listed(said: dict, key: str, kind: Any) -> list:
    value = said.get(key, [])
    if isinstance(value, list) and len(value) > MOST_LAYERS:
        rule = f"config[{key!r}] must have at most {MOST_LAYERS:,} entries"
        raise ValueError(f"{rule}, got {len(value):,}")
    if not isinstance(value, list) or not all(isinstance(one, kind) for one in value):
        rule = f"config[{key!r}] must be a list with one entry for each layer"
        raise TypeError(f"{rule}, got {validate.show(value)}")
    return value


def _types(said: dict, row: dict, nested: list[str]) -> tuple[list[str], bool]:
    """Return each layer's type, and whether that's all the layers."""
    listed = next((_listed(said, key, str) for key in LISTS if said.get(key)), None)
    if listed:
        types = [RENAMED_TYPES.get(kind, kind) for kind in listed]
        return [*types[:-1], row.get("last", types[-1])], True
    numbered = "num_hidden_layers" in said
    many = said.get("num_hidden_layers", 1)
    many = validate.integer("config['num_hidden_layers']", many, high=MOST_LAYERS)
    marks = said.get(row.get("marks", ""))
    if isinstance(marks, list) and marks and many == row["silent"]["num_hidden_layers"]:
        many = len(marks)  # if it isn't given
    if at := row.get("at"):
        chosen, everywhere = {*_listed(said, at["key"], int)}, at["key"] not in said
        types = [at["is"] if everywhere or k in chosen else at["else"] for k in range(many)]
        return types, numbered
    if row.get("marked"):
        marks = _listed_marks(said, row, many)
        return [row["marked"] if mark else FULL for mark in marks], numbered
    if nested and "layers" not in row:
        return nested, False
    usual = row.get("slides")  # how many layers don't
    if usual is not None and window_of(said) and (not usual or said.get("use_sliding_window")):
        usual = usual and said.get("max_window_layers", usual)
        full = validate.integer("config['max_window_layers']", usual, low=0, high=MOST_LAYERS)
        return [FULL if k < full else SLIDING for k in range(many)], numbered
    rule = row.get("layers", {"of": [FULL]})
    kinds = rule["of"]
    if rule.get("every") in said:
        every = said[rule["every"]]
        every = validate.integer(f"config[{rule['every']!r}]", every, high=MOST_LAYERS)
        kinds = [kinds[0]] * (every - 1) + [kinds[-1]]
    if not numbered:
        many = len(kinds)
    if rule.get("end"):
        types = [kinds[-1 - (many - 1 - k) % len(kinds)] for k in range(many)]
    else:
        types = [kinds[k % len(kinds)] for k in range(many)]
    for k, kind in rule.get("but", {}).items():
        if -many <= int(k) < many:
            types[int(k)] = kind
    return types, numbered


def _listed_marks(said: dict, row: dict, many: int) -> list:
    """Return one number per layer, 0 without RoPE."""
    key = row["marks"]
    if listed := _listed(said, key, int | float):
        _refuse_number(key, listed, many)
        return listed
    if "no_rope_layer_interval" in said:
        every = validate.integer("config['no_rope_layer_interval']", said["no_rope_layer_interval"])
        return [int((k + 1) % every != 0) for k in range(many)]
    if "zero_every" in row:
        return [(many - 1 - k) % row["zero_every"] for k in range(many)]
    return [1] * many


def _marks(said: dict, row: dict, types: list[str]) -> list:
    """Return for each layer whether it rotates, and its base if layers have different ones."""
    needs = row.get("needs", {}).items()
    if "without" in row or any(said.get(key) != wanted for key, wanted in needs):
        return [False] * len(types)
    still = set() if row.get("unless") and row["unless"] not in said else set(row.get("still", ()))
    marks: list = [kind not in still and kind not in WITHOUT_ATTENTION for kind in types]
    if "marks" not in row:
        return marks
    bases = _listed_marks(said, row, len(types))
    if not row.get("own_base") or row["marks"] not in said:
        bases = [bool(base) for base in bases]
    return [turns and (base or False) for turns, base in zip(marks, bases, strict=True)]


def _parameters(
    said: dict, row: dict, layer: str, number: int, given: dict, nested: bool
) -> dict | None:
    """Return the rope_parameters of one type of layer, None if they're null."""
    own = row.get("types", {}).get(layer)
    if own is None and "types" in row:
        raise ValueError(
            f"config['layer_types'] must be of {_some(set(row['types']))}, got {layer!r}"
        )
    own = own or {}
    if nested:
        label = own.get("label", layer)
        if row and "types" not in row:
            rule = "config['rope_parameters'] must not be by type of layer"
            raise ValueError(f"{rule}: {said['model_type']!r} has one")
        if label not in given:
            if row or len(given) > 1:
                raise ValueError(
                    f"config['rope_parameters'] must have {label!r}, a type of its layers"
                )
            label = next(iter(given))
        one = given[label]
    elif given and row.get("alike"):
        one = {"rope_theta": said["rope_theta"]} | given
        return {key: value for key, value in one.items() if value is not None}
    elif given and (row.get("by_type") or (own.get("default") and not said.get("rope_scaling"))):
        raise ValueError(
            f"config['rope_parameters'] must be by type of layer for {said['model_type']!r}"
        )
    else:
        one = own.get("default", {})
        if one is not None and own.get("scaled", True):
            # if the class has a rope_type, an older type is ignored
            one = one | {
                key: given[key] for key in given if key != "type" or "rope_type" not in one
            }
    if one is None:
        return None
    whole = {key: value for key, value in one.items() if value is not None}
    if row.get("by_type") and own.get("default"):
        stated = {"rope_theta": said["rope_theta"]} if "rope_theta" in said else {}
        return whole | (stated if row.get("one_base") and not nested else {})
    base = own.get("theta", "rope_theta")
    if isinstance(base, str):
        key, base = base, said.get(base)
        if isinstance(base, str):  # named as the file does
            validate.real(f"config[{key!r}]", base)
    part = said.get("partial_rotary_factor")
    if row.get("lists"):  # Step 3.5 has one entry per layer
        base = base[number] if isinstance(base, list) and number < len(base) else base
        parts = _listed(said, "partial_rotary_factors", int | float)
        part = parts[number] if number < len(parts) else None
    beside = {"rope_theta": base, "partial_rotary_factor": part}
    beside = {key: value for key, value in beside.items() if value is not None}
    return beside | whole if nested or "label" not in own else whole | beside


def _turning(
    said: dict, row: dict, layer: str, numbers: list[int], whole: dict
) -> tuple[dict, int, int | None]:
    """Return rope_parameters for the model's code, a head's dims, and the longest text."""
    kind = whole.get("rope_type") or whole.get("type") or "default"
    own = row.get("types", {}).get(layer, {})
    if row.get("alpha") and kind in ("dynamic", "xdrope") and whole.get("alpha"):
        # Hunyuan raises its base once
        whole = whole | {"rope_type": "ntk", "type": None, "factor": whole["alpha"]}
    if row.get("long") and kind in ("su", "yarn"):
        whole |= {"rope_type": "longrope", "type": None}
    if own.get("cool") and kind == "yarn":
        whole.setdefault("attention_factor", 1.0)
    if row.get("mscales"):  # its code uses short_factor at every length
        if "short_factor" in whole:
            whole["long_factor"] = whole["short_factor"]
    elif row:
        for key in ("short_mscale", "long_mscale"):
            whole.pop(key, None)
    if "original_max_position_embeddings" in said and not (said["nested"] or "types" in row):
        whole["original_max_position_embeddings"] = said["original_max_position_embeddings"]
    if row.get("whole") and kind in ("default", "mrope"):
        part = whole.pop("partial_rotary_factor", 1.0)
        validate.real("config['partial_rotary_factor']", part, above=0)
    heads = ["head_dim"] if row else ["qk_rope_head_dim", "rotary_dim", "head_dim"]
    heads = own.get("heads", row.get("heads", heads))
    key = next((key for key in heads if key in said), "")
    dim = said.get(key)
    if dim is None:
        both = "hidden_size and num_attention_heads"
        for name in both.split(" and "):
            if name not in said:
                raise ValueError(f"config must have 'head_dim', or {both}, got no {name!r}")
            validate.integer(f"config[{name!r}]", said[name])
        dim = row.get("times", 1) * said["hidden_size"] // said["num_attention_heads"]
        key = "hidden_size'] // config['num_attention_heads"
    elif key.endswith("rope_head_dim") or key == "rotary_dim":  # this many rotate
        whole.pop("partial_rotary_factor", None)
    validate.integer(f"config['{key}'], the dims of a head,", dim, high=MOST_DIMS)
    by_layer = said.get("per_layer_config") or {}
    mine = [by_layer.get(str(k), {}) for k in numbers] if isinstance(by_layer, dict) else [None]
    if not all(isinstance(one, dict) and one.get("head_dim", dim) == dim for one in mine):
        rule = f"config['per_layer_config'] must leave head_dim at {dim}"
        raise ValueError(f"{rule}, got {validate.show(by_layer)}")
    return whole, dim, said.get("max_position_embeddings")
