"""RoPE in real models: their configs, and the encoding a config.json describes."""

import copy
import re
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.made import Made
from posenc_lib.encodings.parameter import CONTENT, Parameter, seq_len_of
from posenc_lib.encodings.rope import Scaled
from posenc_lib.encodings.rope_config import FULL, LayerType, families, layers_of, text_part
from posenc_lib.encodings.rope_scaling import OLD_TYPES
from posenc_lib.files import stored_data

UNSCALED = ("default", "proportional")
MOST_DIMS, LONGEST = 1024, 2**40  # dims of a head, positions of a text


@cache
def _shipped() -> dict[str, dict[str, Any]]:
    return stored_data(Path(__file__).with_name("models.json"), llama_3_1=dict)


def model_config(name: str) -> dict[str, Any]:
    """Return what a well-known model's config.json says about positions.

    >>> config = model_config("llama_3_1")
    >>> config["title"], config["rope_theta"], config["rope_scaling"]["factor"]
    ('Llama 3.1 8B', 500000.0, 8.0)

    Args: name is a built-in model, one of llama_3_1, llama_3_2, gemma_3, gemma_4, qwen_2_5,
        deepseek_v3, gpt_oss, phi_3, smollm3, llama_4, gpt_neox, modernbert, olmo_3, exaone_4,
        command_r7b, qwen_3_5, ministral_3.
    Returns: a new dict for `rope_from_config`, with its title, and under "read" where it's from.
    """
    return copy.deepcopy(_shipped()[validate.known("name", name, _shipped())])


class ModelRope(Scaled):
    """The rotation a config.json describes, for one type of layer. Made by `of_config`."""

    lesson = 11
    parameters: tuple[Parameter, ...] = (seq_len_of(64), CONTENT)
    layers: dict[str, LayerType] = {}  # the types of layers that rotate differently, by name
    layer = FULL  # the type that's shown. A parameter, if there are several
    unscaled = False  # whether to leave out the changes for longer texts

    def has(self, name: str) -> bool:
        """Return False for parameters a view would vary."""
        return name not in ("base", "pairing") and super().has(name)

    @property
    def asked(self) -> LayerType:
        """What the config says about the type of layer that's shown."""
        return self.layers[self.layer]

    @property
    def head_dim(self) -> int:
        """The number of dims of a head. For DeepSeek, those that rotate."""
        return self.asked.head_dim

    num_dims = head_dim

    @property
    def window(self) -> int | None:
        """How many tokens a query looks back, if that's limited."""
        return self.asked.window

    @property
    def highest(self) -> dict:
        # most of GPT-NeoX's dims never rotate
        return super().highest | {"pair": len(self.frequencies) - 1}

    @property
    def base(self) -> float:
        """The rope_theta."""
        return (self.asked.parameters or {}).get("rope_theta", 10_000.0)

    @property
    def training_length(self) -> int:
        """The number of positions its frequencies were trained on, if the config says so."""
        return trained_on(self.asked)

    @property
    def as_trained(self) -> "ModelRope":
        """The same encoding in training: unscaled, on texts of the training length."""
        return self.named(self.name, self.title, unscaled=True).at(seq_len=self.training_length)

    @cached_property
    def scaled(self) -> tuple[np.ndarray, float]:
        """Its scaled frequencies from `rope_scaling`: (inv_freq, attention_factor)."""
        asked = without_scaling(self.asked) if self.unscaled else self.asked
        return asked.scaled(seq_len=self.seq_len)


def kind_of(asked: LayerType) -> str:
    """Return the rope_type of a type of layer."""
    given = asked.parameters or {}
    name = given.get("rope_type") or given.get("type") or "default"
    if not isinstance(name, str):
        return str(name)  # rope_scaling will refuse it
    return OLD_TYPES.get(name, name)


def without_scaling(asked: LayerType) -> LayerType:
    """Return the same type of layer without the changes for longer texts."""
    kind = kind_of(asked) if kind_of(asked) in UNSCALED else "default"
    given = asked.parameters or {}
    kept = {key: value for key, value in given.items() if key not in ("factor", "type")}
    return asked._replace(parameters=kept | {"rope_type": kind})


def trained_on(asked: LayerType) -> int:
    """Return original_max_position_embeddings if RoPE is scaled, else max_position_embeddings."""
    original = (asked.parameters or {}).get("original_max_position_embeddings")
    longest = asked.longest
    if longest and (kind_of(asked) in UNSCALED or not original):
        return validate.integer("config['max_position_embeddings']", longest, high=LONGEST)
    if not original:
        raise ValueError(
            "config must have 'max_position_embeddings', the length of text it's made for"
        )
    name = "rope_parameters['original_max_position_embeddings']"
    return int(validate.real(name, original, above=0.99))


def of_config(config: dict[str, Any]) -> ModelRope:
    """Return the rotation a config.json describes, as an encoding to explore.

    >>> neox = of_config(model_config("gpt_neox"))
    >>> neox.head_dim, len(neox.frequencies), neox.training_length
    (96, 12, 2048)

    Args: config is a dict for `rope_from_config`, with max_position_embeddings.
    Returns: a `ModelRope`, with a parameter `layer` if types of layers rotate differently.
    """
    said, found = text_part(config), turning_layers(config)
    different: dict[tuple, str] = {}
    for name in sorted(found, key=lambda name: name != FULL):
        found[name].scaled()  # Phi-3's short_factor may be wrong while its long_factor is right
        theta, factor = found[name].scaled(seq_len=2 * trained_on(found[name]))
        different.setdefault((found[name].head_dim, factor, *theta), name)
    layers = {name: found[name] for name in different.values()}
    called = str(said.get("model_type") or "your model")
    name = re.sub(r"\W+", "_", called).strip("_") or "your_model"
    title = str(config.get("title") or config.get("_name_or_path") or called)[:60]
    pairing = "interleaved" if neighbors(said) else "half"
    about: dict[str, Any] = {"layers": layers, "pairing": pairing}
    types = tuple(layers)
    if len(types) > 1:
        choice = Parameter("layer", "which type of layers", types[0], options=types)
        return ModelRope().named(name, title, parameters=(*ModelRope.parameters, choice), **about)
    return ModelRope().named(name, title, layer=types[0], **about)


def neighbors(said: dict[str, Any]) -> bool:
    """Return whether a config says that dims (0, 1), (2, 3), … rotate together.

    Even if it doesn't say so, the code may do it.
    """
    return bool(said.get("rope_interleave")) or said.get("position_embedding_type") == "rope_gptj"


def turning_layers(config: dict[str, Any]) -> dict[str, LayerType]:
    """Return the types of layers that rotate. Refuses a model without RoPE."""
    said = text_part(config)
    kind = said.get("model_type", "")
    row = families().get(kind, {})
    if "without" in row:
        rule = f"config['model_type'] must be a model with RoPE, got {kind!r}"
        raise ValueError(f"{rule}, which has {row['without']}")
    found = {name: one for name, one in layers_of(config).items() if one.parameters is not None}
    if not found:
        key = next(iter(row.get("needs", ("layer_types",))))
        raise ValueError(
            f"config[{key!r}] must leave RoPE in some layer, got {validate.show(said.get(key))}"
        )
    for one in found.values():
        validate.integer("head_dim", one.head_dim, low=2, high=MOST_DIMS, even=True)
    return found


def _model(name: str) -> Encoding:
    made = of_config(_shipped()[name])
    return made.named(name, made.title)


SHIPPED = Made(_shipped, _model)
