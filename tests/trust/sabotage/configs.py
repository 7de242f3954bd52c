"""Config dicts and pasted texts that no model has, as what a config can be given to."""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache, partial

import numpy as np

import posenc_lib as pe

from .case import RAW, Case
from .hostile import MARKUP, RUNS, VALUES, holding_itself_by_name

SIZES = {"model_type": "llama", "hidden_size": 512, "num_attention_heads": 8, "rope_theta": 1e4}
SIZES |= {"max_position_embeddings": 8192, "num_hidden_layers": 4}
HALF, LONG = [1.0] * 32, {"original_max_position_embeddings": 2048}
SCALED: dict[str, dict | None] = {
    "plain": None,
    "linear": {"rope_type": "linear", "factor": 4.0},
    "dynamic": {"rope_type": "dynamic", "factor": 4.0},
    "yarn": {"rope_type": "yarn", "factor": 4.0, "beta_fast": 32.0, "beta_slow": 1.0, **LONG},
    "llama3": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, **LONG}
    | {"high_freq_factor": 4.0},
    "longrope": {"rope_type": "longrope", "short_factor": HALF, "long_factor": HALF, **LONG},
}
BASES = {name: SIZES | {"rope_scaling": scaled} for name, scaled in SCALED.items()}
BASES["layers"] = SIZES | {
    "model_type": "gemma3_text",
    "head_dim": 64,
    "rope_local_base_freq": 1e4,
    "sliding_window": 512,
    "layer_types": ["sliding_attention", "full_attention"] * 2,
}
BASES["nested"] = {"model_type": "mistral3", "text_config": SIZES | {"model_type": "mistral"}}
BASES["of no family"] = {"head_dim": 64, "rope_theta": 1e4, "max_position_embeddings": 8192}
EXTREMES = {f"{x!r}": x for x in (0, -0.0, 5e-324, 1e-300, 1e300, 2**63, -(2**63), 10**400, "1e4")}
CHANGES: dict[str, Callable[[], object]] = VALUES | {
    name: (lambda x=x: x) for name, x in EXTREMES.items()
}
# what an error may name of a config that is absurd as a whole
WORDS = ("head_dim", "hidden_size", "rope_theta", "rope_type", "factor", "layer_types", "alpha")
WORDS += ("model_type", "attention_factor", "mscale", "beta_fast", "short_factor", "what")
WORDS += ("high_freq_factor", "low_freq_factor", "num_hidden_layers", "max_position_embeddings")
GOOD = {"head_dim": 32, "rope_theta": 500.0, "max_position_embeddings": 100}


def changed(base: str, path: tuple[str, ...], value: Callable[[], object]) -> dict:
    """Return a base whose entry under a path of keys has another value."""
    config = deepcopy(BASES[base])
    place = config
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value()
    return config


def paths(config: dict) -> Iterator[tuple[str, ...]]:
    """Yield the path of each entry, and of one beside them that is unknown."""
    for key, value in config.items():
        yield (key,)
        if isinstance(value, dict):
            yield from ((key, *inner) for inner in paths(value))
    yield ("note",)


def deep(depth: int) -> dict:
    inner: dict = {}
    for _ in range(depth):
        inner = {"text_config": inner}
    return inner


def scaled(**given) -> dict:
    return SIZES | {"rope_scaling": given}


# what is absurd as a whole
WHOLE: dict[str, Callable[[], object]] = {
    "{}": dict,
    "deep": lambda: deep(3000),
    "holds itself": holding_itself_by_name,
    "is its own text_config": lambda: (lambda c: c.update(text_config=c) or c)(dict(SIZES)),
    "200,000 keys": lambda: SIZES | {f"rope_{k}": k for k in range(200_000)},
    "200,000 keys in rope_scaling": lambda: scaled(
        rope_type="linear", factor=2.0, **{f"factor_{k}": k for k in range(200_000)}
    ),
    "100 keys of 100,000 letters": lambda: (
        SIZES | {"rope_theta" * 10_000 + str(k): k for k in range(100)}
    ),
    "a key of a million letters": lambda: SIZES | {"r" * 10**6: 1},
    "a model_type of a million letters": lambda: SIZES | {"model_type": "llama" * 200_000},
    "a rope_type of a million letters": lambda: scaled(rope_type="yarn" * 250_000, factor=2.0),
    "a million layer_types": lambda: (
        BASES["layers"] | {"layer_types": ["sliding_attention"] * 10**6}
    ),
    "a million kinds of layers": lambda: SIZES | {"layer_types": [f"l{k}" for k in range(10**6)]},
    "100,000 kinds of rope": lambda: (
        SIZES | {"rope_parameters": {f"l{k}": {"rope_theta": 1e4} for k in range(100_000)}}
    ),
    "10**9 layers": lambda: SIZES | {"num_hidden_layers": 10**9},
    "10**9 dims": lambda: SIZES | {"hidden_size": 10**9},
    "10**9 dims of a head": lambda: GOOD | {"head_dim": 10**9},
    "10**9 positions": lambda: SIZES | {"max_position_embeddings": 10**9},
    "10**7 factors": lambda: scaled(
        rope_type="longrope", short_factor=[1.0] * 10**7, long_factor=[1.0] * 10**7
    ),
    "ntk by 1e308": lambda: scaled(rope_type="ntk", factor=1e308),
    "dynamic by 1e308": lambda: scaled(rope_type="dynamic", factor=1e308),
    "linear by 1e308": lambda: scaled(rope_type="linear", factor=1e308),
    "yarn by 1e308": lambda: scaled(rope_type="yarn", factor=1e308, **LONG),
    "yarn that attends 1e308": lambda: scaled(
        rope_type="yarn", factor=2.0, attention_factor=1e308, **LONG
    ),
    "yarn of mscale 1e308": lambda: scaled(rope_type="yarn", factor=2.0, mscale=1e308, **LONG),
    "yarn of equal betas": lambda: scaled(
        rope_type="yarn", factor=2.0, beta_fast=1.0, beta_slow=1.0, **LONG
    ),
    "llama3 of equal factors": lambda: scaled(
        rope_type="llama3", factor=8.0, low_freq_factor=4.0, high_freq_factor=4.0, **LONG
    ),
    "longrope of 0": lambda: scaled(
        rope_type="longrope", short_factor=[0.0] * 32, long_factor=[0.0] * 32, **LONG
    ),
    "hunyuan's alpha 1e308": lambda: (
        SIZES | {"rope_scaling": {"type": "dynamic", "alpha": 1e308, "factor": 1.0}}
    ),
    "keys that are numbers": lambda: {1: 2, None: 3, (4,): 5},
    "keys that are markup": lambda: SIZES | {MARKUP: MARKUP},
    "keys that run": lambda: SIZES | {RUNS: RUNS},
    "a key with a lone surrogate": lambda: SIZES | {"\ud800": 1},
    "no dict": lambda: [SIZES],
    "a number": lambda: 4,
}
# Texts that are pasted into the box. Those that are true are a config, and must be read
TEXTS: dict[str, tuple[str, bool]] = {
    "{": ("{", False),
    "brackets": ("[" * 100_000, False),
    "braces": ('{"a":' * 50_000, False),
    "a list": ("[1, 2]", False),
    "a number": ("4", False),
    "null": ("null", False),
    "nothing in it": ("{}", False),
    "a path": ("config.json", False),
    "a path elsewhere": ("../../etc/passwd", False),
    "an address": ("https://example.org/config.json", False),
    "Python": (str(GOOD), False),
    "text that runs": (RUNS, False),
    "markup": (MARKUP, False),
    "markup as a key": (json.dumps({MARKUP: 1}), False),
    "markup as model_type": (json.dumps({"model_type": MARKUP, "head_dim": 2}), False),
    "NUL": ("\0", False),
    "NUL in a text": ('{"model_type": "a\\u0000b", "head_dim": 2}', False),
    "a lone surrogate": ('{"model_type": "\\ud800", "head_dim": 2}', False),
    "NaN": ('{"head_dim": 64, "rope_theta": NaN}', False),
    "Infinity": ('{"head_dim": 64, "rope_theta": Infinity}', False),
    "1e999": ('{"head_dim": 64, "rope_theta": 1e999}', False),
    "5000 digits": ('{"head_dim": 64, "rope_theta": ' + "9" * 5000 + "}", False),
    "5000 digits of dims": ('{"head_dim": ' + "9" * 5000 + ', "rope_theta": 1e4}', False),
    "300,000 letters": ('{"a": ' + "1" * 300_000 + "}", False),
    "many keys": (json.dumps({f"rope_{k}": k for k in range(10_000)}), False),
    "a typo": ('{"rope_scalng": {"rope_type": "linear"}}', False),
    "factor alone": ('{"rope_type": "yarn"}', False),
    "gpt2": ('{"model_type": "gpt2", "n_embd": 768}', False),
    "10**9 dims": ('{"head_dim": 1000000000, "rope_theta": 1e4}', False),
    "odd dims": ('{"head_dim": 63, "rope_theta": 1e4}', False),
    "base 0": ('{"head_dim": 64, "rope_theta": 0}', False),
    "right": (json.dumps(GOOD), True),
    "right, with spaces": ("\n\t  " + json.dumps(GOOD, indent=8) + "\n" * 1000, True),
    "right, without braces": (json.dumps(GOOD)[1:-1] + ",", True),
    "a scaling alone": ('{"rope_type": "linear", "factor": 2.0}', True),
}


def frequencies(config: dict) -> np.ndarray | None:
    """Return what the paper's formula gives for a config that is not scaled; None where it is.

    A llama without a rope_theta has 10,000; it rotates its whole head.
    """
    said, scaling = config, config.get("rope_scaling")
    if scaling and scaling.get("rope_type") != "linear":
        return None
    dim = said.get("head_dim") or said["hidden_size"] // said["num_attention_heads"]
    base = said.get("rope_theta") or 1e4
    wanted = float(base) ** (-np.arange(0, dim, 2) / dim)
    return wanted / scaling["factor"] if scaling else wanted


def fault_of_layers(config: dict, by_formula: bool, layers: dict) -> str:
    """Return what is wrong with the frequencies of each type of layer."""
    for layer, turned in layers.items():
        if turned is None:
            continue
        values, factor = turned
        if not (np.isfinite(values).all() and (values >= 0).all() and np.isfinite(factor)):
            return f"wrong answer: {layer} has {values[:3]} …, {factor}"
        try:
            wanted = frequencies(config) if by_formula else None
        except (TypeError, ValueError, KeyError, AttributeError, OverflowError):
            return f"wrong answer: {layer} has {values[:3]} …, out of a value that is none"
        if wanted is not None and not (
            wanted.shape == values.shape and np.allclose(values, wanted, rtol=1e-9, atol=0)
        ):
            return f"wrong answer: {layer} has {values[:3]} …, not {wanted[:3]} …"
    return ""


@cache
def box():
    """Return the box that all cases of a process have: one that an error has not harmed."""
    return pe.config_box(GOOD)


def news() -> str:
    return box()._news.value


def still_lives() -> str:
    """Return what is wrong with a box after all that it was given; a harmed one is left."""
    fault = dead()
    if fault:
        box.cache_clear()
    return fault


def dead() -> str:
    box().paste.value = ""
    box().paste.value = json.dumps(GOOD | {"head_dim": 48})
    if news() or box().config != GOOD | {"head_dim": 48}:
        return f"deaf: the box then takes no other config ({news()[:100]!r})"
    box().model.value = "phi_3"
    heard = box().title.startswith("Phi")
    return "" if heard and not news() else "deaf: the box then takes no model of its list"


def by_box(config: dict) -> str:
    """Give a config to a box; return whether it can be used afterward."""
    try:
        box().read(config)
    except (TypeError, ValueError) as refusal:
        if fault := still_lives():
            return f"{fault} after {refusal}"
        raise
    return still_lives()


def pasted_text(text: str, right: bool) -> str:
    """Paste a text; return what is wrong with what the box then says."""
    still_lives()
    box().paste.value = text
    told = news()
    if right == bool(told):
        return f"wrong answer: the box says {told[:200]!r}"
    if RAW.search(told) or "\n" in told or "<img" in told or "<script" in told:
        return f"raw words: {told[:200]}"
    return still_lives()


def first(fault: str) -> str:
    """Return a fault that a call has found by itself."""
    return fault


def _drawn(config) -> object:
    return pe.explore(config, seq_len=16)


def configs() -> list[Case]:
    """Return a case for each absurd config and each function that takes one."""
    cases, ways = [], {"explore": (_drawn, 3), "box.read": (by_box, 4)}
    made: list[tuple] = [(f"{name}", (), make, None) for name, make in WHOLE.items()]
    for base in BASES:
        for path in paths(BASES[base]):
            for value, make in CHANGES.items():
                call = partial(changed, base, path, make)
                made.append((f"{base}, {'.'.join(path)}={value}", path, call, base))
    for k, (what, path, make, base) in enumerate(made):
        names = ("config", "rope_parameters", "rope_scaling", "head_dim", *path[-1:])
        names += WORDS if not base else ()
        formula = base in ("plain", "linear", "of no family")
        cases.append(_of_numbers(what, make, names, formula))
        for way, (call, every) in ways.items():
            if not base or k % (7 * every) == every:
                # a picture's sliders, or a box's words, say what is wrong, too
                run = partial(lambda call, make: call(make()), call, make)
                check = first if way == "box.read" else lambda _: ""
                cases.append(Case(f"{way}({what})", run, names, check))
    return cases


def _of_numbers(what: str, make: Callable, names: tuple, formula: bool) -> Case:
    return Case(
        f"rope_from_config({what})",
        lambda: pe.rope_from_config(make()),
        names,
        lambda layers: fault_of_layers(make(), formula, layers),
    )


def pasted() -> list[Case]:
    """Return a case for each text that is pasted into the box."""
    return [
        Case(f"paste {what}", partial(pasted_text, *text), ("config",), first)
        for what, text in TEXTS.items()
    ]
