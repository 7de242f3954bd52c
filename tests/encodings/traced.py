"""What transformers itself does with a config.json: which layers turn, by which frequencies.

The model is made without memory for its weights (on the device "meta") and run once. Its rotary
modules compute in earnest, and each of their results carries a mark, a parameter of its own: a
layer turns if the graph of its output leads to a mark. This needs the extra `benchmark`; the quick
tests read what is stored in rope_sweep.json.
"""

import functools
import importlib
import inspect
import json
import sys
import warnings

import torch
from transformers import AutoConfig, PreTrainedModel, masking_utils
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING, MODEL_MAPPING
from transformers.utils import logging

TOKENS = 4
# models that cannot be run without values
BY_CLASS = {*"chameleon dbrx dia_decoder blt_local_encoder blt_local_decoder idefics".split()}
BY_CLASS |= {"jetmoe", "hrm_text"}
BY_CLASS |= {*"hunyuan_vl_text moonshine_streaming qwen3_omni_moe_talker_text".split()}
BY_CLASS |= {*"qwen4_exp_text t5_gemma_module voxtral_realtime_text".split()}
logging.set_verbosity(50)
warnings.simplefilter("ignore")


def _without_values() -> None:
    """Let code that looks at numbers find zeros, where there are none."""
    masking_utils.is_tracing = lambda *args: True
    item, truth, where = torch.Tensor.item, torch.Tensor.__bool__, torch.Tensor.nonzero
    torch.Tensor.item = lambda x: 0 if x.is_meta else item(x)
    torch.Tensor.__bool__ = lambda x: False if x.is_meta else truth(x)
    torch.Tensor.nonzero = lambda x, **how: (
        x.new_zeros((0, x.dim())) if x.is_meta else where(x, **how)
    )
    torch.nonzero = torch.Tensor.nonzero
    torch.distributions.Distribution.set_default_validate_args(False)


def model_class(config) -> type[PreTrainedModel]:
    """Return the class that has the layers which a config describes."""
    for each in (MODEL_MAPPING, MODEL_FOR_CAUSAL_LM_MAPPING):
        if type(config) in each:
            kind = each[type(config)]
            return kind[0] if isinstance(kind, tuple) else kind
    folder = type(config).__module__.replace("configuration_", "modeling_")
    kinds = [one for one in vars(importlib.import_module(folder)).values() if isinstance(one, type)]
    models = [one for one in kinds if issubclass(one, PreTrainedModel) and one.__module__ == folder]
    found = [one for one in models if one.config_class is type(config)]
    found = [one for one in found if not one.__name__.endswith("PreTrainedModel")]
    if not found:
        raise LookupError(f"no model for {type(config).__name__}")
    return min(found, key=lambda one: ("For" in one.__name__, len(one.__name__)))


def is_rotary(module: torch.nn.Module) -> bool:
    """Say whether a module computes angles, by its name: it has no other sign."""
    name = type(module).__name__.lower()
    return "rotary" in name or "ropepositionembedding" in name


class Traced:
    """A model without memory, and what its layers did in one run."""

    def __init__(self, config, length: int = TOKENS):
        self.length, self.marks, self.found, self.config = length, {}, [], config
        kind = model_class(config)
        made = sys.modules[kind.__module__]
        kinds = [one for one in vars(made).values() if isinstance(one, type)]
        rotary = [one for one in kinds if "Rotary" in one.__name__]
        before = {one: one.__init__ for one in rotary if issubclass(one, torch.nn.Module)}
        for one, init in before.items():  # these alone compute in earnest
            one.__init__ = functools.partialmethod(self._on_cpu, init)
        table = getattr(made, "create_sinusoidal_positions", None)
        if table:  # GPT-J and CodeGen keep a table of sines in each layer
            made.create_sinusoidal_positions = self._table
        try:
            config._attn_implementation = "eager"
            with torch.device("meta"):
                self.model = kind(config)
        finally:
            for one, init in before.items():
                one.__init__ = init
            if table:
                made.create_sinusoidal_positions = table
        self.model.eval()
        for module in self.model.modules():
            if is_rotary(module):
                module.forward = functools.partial(self._marked, module, module.forward)
            # which expert is asked depends on numbers, and here are none
            if type(module).__name__.endswith("Experts"):
                module.forward = lambda hidden, *args, **how: hidden
            if isinstance(getattr(module, "embed_positions", None), torch.Tensor):
                mark = self._mark(id(module), self._halves(), "")
                del module.embed_positions
                module.embed_positions = torch.zeros(self.sines.shape, device="meta") + mark
                if hasattr(module, "_get_embed_positions"):
                    module._get_embed_positions = functools.partial(self._repeated, module)
        lists = [one for one in self.model.modules() if isinstance(one, torch.nn.ModuleList)]
        lists = [one for one in lists if len(one)]
        many = getattr(config, "num_hidden_layers", None)
        self.layers = next((one for one in lists if len(one) == many), None) or max(lists, key=len)
        for layer in self.layers:
            layer.forward = functools.partial(self._alone, layer.forward)

    @staticmethod
    def _repeated(module, ids) -> torch.Tensor:
        return module.embed_positions.repeat(ids.shape[0], 1, 1)

    @staticmethod
    def _on_cpu(module, init, *args, **how):
        how = {key: "cpu" if key == "device" else value for key, value in how.items()}
        with torch.device("cpu"):
            init(module, *args, **how)

    def _table(self, count: int, dim: int) -> torch.Tensor:
        theta = 1 / 10_000 ** (torch.arange(0, dim, 2, device="cpu").double() / dim)
        angles = torch.arange(2, device="cpu")[:, None] * theta
        self.sines = torch.cat([angles.sin(), angles.cos()], 1)
        return torch.zeros((count, dim), device="meta")

    def _halves(self) -> tuple[list[float], float]:
        sin, cos = self.sines[1].chunk(2)
        return torch.atan2(sin, cos).tolist(), 1.0

    def _mark(self, key, angles, label: str) -> torch.Tensor:
        if key not in self.marks:
            self.marks[key] = torch.zeros((), device="meta", requires_grad=True), angles, label
        return self.marks[key][0]

    def _marked(self, module, forward, *args, **how):
        """Run a rotary module in earnest, on positions 0, 1, … and the last; mark its results."""

        def real(value):
            if not isinstance(value, torch.Tensor):
                return value
            if value.is_floating_point():
                return torch.zeros(1, dtype=torch.float32)
            line = torch.arange(value.shape[-1]) + (value.shape[-1] == 1)
            line[-1] = max(self.length - 1, int(line[-1]))
            return line.expand(value.shape).clone()

        with torch.device("cpu"):
            made = forward(*map(real, args), **{key: real(value) for key, value in how.items()})
        label = next((str(v) for v in [*how.values(), *args] if isinstance(v, str)), "")
        mark = self._mark((id(module), label), self._angles(made), label)
        if isinstance(made, torch.Tensor):
            return made.to("meta") + mark
        return type(made)(one.to("meta") + mark for one in made)

    @staticmethod
    def _angles(made) -> tuple[list[float], float]:
        """Return θ by pair, out of cos and sin at position 1, and what both are multiplied by."""
        if isinstance(made, torch.Tensor):
            if not made.is_complex():
                return [], 1.0
            made = made.real, made.imag
        cos, sin = (one.double().reshape(-1, *one.shape[-2:])[0][:2][-1] for one in made[:2])
        theta, factor = torch.atan2(sin, cos), torch.hypot(sin, cos)
        half = len(theta) // 2
        if len(theta) % 2 == 0 and torch.allclose(theta[:half], theta[half:], rtol=1e-6):
            theta = theta[:half]
        elif len(theta) % 2 == 0 and torch.equal(theta[::2], theta[1::2]):
            theta = theta[::2]
        return theta.tolist(), float(factor.mean())

    def _alone(self, forward, *args, **how):
        """Run a layer on states without a past, and note the marks that its output leads to."""
        names = [name for name in ("hidden_states", "x") if isinstance(how.get(name), torch.Tensor)]
        args = (args[0].detach(), *args[1:]) if args and isinstance(args[0], torch.Tensor) else args
        made = forward(*args, **how | {name: how[name].detach() for name in names})
        out = made[0] if isinstance(made, tuple | list) else made
        by_mark = {id(mark): angles for mark, angles, _ in self.marks.values()}
        self.found.append([by_mark[one] for one in self._leads(out, by_mark)])
        return made

    @staticmethod
    def _leads(tensor, marks) -> list[int]:
        seen, todo, found = set(), [tensor.grad_fn], []
        while todo:
            one = todo.pop()
            if one is None or one in seen:
                continue
            seen.add(one)
            if hasattr(one, "variable") and id(one.variable) in marks:
                found.append(id(one.variable))
            todo += [following for following, _ in one.next_functions]
        return found

    def run(self) -> list[list]:
        """Return for each layer a list of what it turns by, (θ, factor)."""
        ids = torch.zeros((1, TOKENS), dtype=torch.long, device="meta")
        names = inspect.signature(self.model.forward).parameters
        how = {"use_cache": False} if "use_cache" in names else {}
        size = getattr(self.config, "hidden_size", 8)
        vectors = torch.zeros((1, TOKENS, size), device="meta")
        sound = torch.zeros((1, 16_000), device="meta")
        tries = [{"input_ids": ids}, {"inputs_embeds": vectors}]
        tries.append({"input_ids": ids, "decoder_input_ids": ids})
        tries.append({"input_values": sound, "decoder_input_ids": ids})
        first = None
        for given in tries:
            self.found.clear()
            try:
                with torch.device("meta"):
                    self.model(**given, **how)
                return self.found
            except Exception as error:
                first = first or error
        raise first


_without_values()


def by_class(config) -> list[list]:
    """Return the same by the rotary class alone, for a model that cannot be run without values.

    That each layer with attention turns by it was read in the code.
    """
    path = type(config).__module__.replace("configuration_", "modeling_")
    made = vars(importlib.import_module(path))
    named = [name for name in made if "RotaryEmbedding" in name and "Vision" not in name]
    rotary = made[named[-1]](config)
    turned = rotary.inv_freq.double().tolist(), float(rotary.attention_scaling)
    many = getattr(config, "num_layers_per_stack", None) or config.num_hidden_layers
    types = getattr(config, "layer_types", None) or ["full_attention"] * many
    return [[] if kind == "linear_attention" else [turned] for kind in types]


def traced(given: dict, length: int = TOKENS):
    """Return for each layer of a config.json's model what it turns by: a list of (θ, factor)."""
    config = AutoConfig.for_model(**json.loads(json.dumps(given)))
    found = by_class(config) if config.model_type in BY_CLASS else Traced(config, length).run()
    return config, found
