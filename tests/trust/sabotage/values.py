"""Each hostile value as each argument of each public function."""

import inspect
from collections.abc import Callable
from functools import partial

import numpy as np

import posenc_lib as pe
from posenc_lib.live.page import present

from ..test_library import PUBLIC, example
from .case import Case
from .hostile import VALUES

YARN = {"rope_type": "yarn", "factor": 4.0, "rope_theta": 1e4}
YARN |= {"original_max_position_embeddings": 2048}
LLAMA = {"model_type": "llama", "hidden_size": 512, "num_attention_heads": 8, "rope_theta": 1e4}
LLAMA |= {"max_position_embeddings": 2048, "num_hidden_layers": 4}
X, ROW = np.ones((4, 8)), np.linspace(0.1, 1, 8)


def mine(positions, d_model, factor=1.0):
    """Return a table, as a reader may write one."""
    return factor * np.outer(positions, np.ones(d_model))


class Turned(pe.Rotary):
    """RoPE of six lines, as a reader may write it."""

    parameters = (*pe.Rotary.parameters, pe.Parameter("factor", "slower", 4.0, 1.0, 8.0))
    frequencies = np.ones(32)


class Biased(pe.Bias):
    """A bias, as a reader may write one."""

    parameters = (*pe.Bias.parameters, pe.Parameter("slope", "how steep", 0.5, 0.1, 2.0))

    def biases(self, offsets):
        return -self.slope * np.abs(offsets)[None]


def panel(do: Callable) -> Callable:
    """Return a call that does something to a new panel."""

    def call(**given):
        shown = pe.explore("sinusoidal", views="heatmap", seq_len=(8, 64), d_model=16)
        try:
            return do(shown, **given)
        finally:
            shown.close()

    return call


# The functions that test_library leaves out, with arguments that are good, and others' names
CALLS: dict[str, tuple[Callable, dict]] = {
    name: (getattr(pe, name), example(name)) for name in PUBLIC
}
CALLS |= {
    "attention_temperature": (pe.attention_temperature, {"positions": [0, 9000]}),
    "config_box": (pe.config_box, {"config": LLAMA}),
    "model_config": (pe.model_config, {"name": "llama_3_1"}),
    "rope_from_config": (pe.rope_from_config, {"config": LLAMA}),
    "rope_scaling": (pe.rope_scaling, {"rope_parameters": YARN, "head_dim": 64}),
    "resonance": (pe.resonance, {"inv_freq": ROW}),
    "first_negative": (pe.first_negative, {"d_model": 16}),
    "exact_head": (
        pe.exact_head,
        {"encoding": "rope", "look_back": 3, "seq_len": 16, "head_dim": 8, "base": 100.0},
    ),
    "exact_head_2d": (
        pe.exact_head_2d,
        {"directions": [[1.0, 0.3], [0.3, 1.0]], "wish": np.eye(3, dtype=bool)},
    ),
    "mrope_positions": (pe.mrope_positions, {"parts": [5, (4, 6), 3]}),
    "trained_table": (pe.trained_table, {"task": "induction"}),
    "train": (pe.train, {"encoding": "rope", "task": "flip_flop", "steps": 10}),
    "diagnose": (
        pe.diagnose,
        {"mine": lambda x, positions: pe.rope(x, positions), "rope_theta": 1e4},
    ),
    "check": (pe.check, {"puzzle": "count", "answer": 4}),
    "check of a value": (partial(pe.check, "twin"), {"answer": 44}),
    "hint": (pe.hint, {"puzzle": "count"}),
    "solution": (pe.solution, {"puzzle": "count"}),
    "scorecard": (pe.scorecard, {"what": mine}),
    "present": (present, {"on": True}),
    "Parameter": (pe.Parameter, {"name": "width", "help": "in positions", "default": 2.0}),
    "explore": (
        pe.explore,
        {"what": "sinusoidal", "views": "heatmap", "seq_len": 16, "d_model": 16, "base": 100.0}
        | {"layout": "interleaved"},
    ),
    "explore rope": (
        partial(pe.explore, "rope", views="attention_row"),
        {"q": X, "k": X, "tokens": ["a", "b", "c", "d"], "query": 1, "seq_len": 4}
        | {"head_dim": 8, "base": 1e4, "content": "random", "pairing": "half"},
    ),
    "explore alibi": (
        partial(pe.explore, "alibi", views="head_biases"),
        {"seq_len": 16, "num_heads": 4, "query": 3},
    ),
    "explore t5": (
        partial(pe.explore, "t5"),
        {"seq_len": 16, "num_buckets": 8, "max_distance": 16, "bidirectional": True},
    ),
    "explore of a function": (
        partial(pe.explore, mine, views="heatmap"),
        {"factor": 2.0, "seq_len": 8, "d_model": 4},
    ),
    "explore start": (
        lambda **start: pe.explore("sinusoidal", views="heatmap", start=start),
        {"seq_len": 16, "base": 100.0, "layout": "interleaved"},
    ),
    "explore range": (
        lambda low=2, high=64, step=1: pe.explore(
            "sinusoidal", views="heatmap", seq_len=(low, high, step)
        ),
        {},
    ),
    "explore options": (
        lambda base: pe.explore("sinusoidal", views="heatmap", base=[100.0, base]),
        {"base": 1e4},
    ),
    "panel.set": (
        panel(lambda shown, **given: shown.set(**given)),
        {"seq_len": 16, "base": 100.0, "layout": "interleaved"},
    ),
    "panel.save": (panel(lambda shown, path: shown.save(path)), {"path": "a.png"}),
    "figure": (pe.figure, {"what": "sine_waves", "seq_len": 16}),
    "figure of a view": (pe.figure, {"what": "rope", "views": "clock", "base": 100.0}),
    "playground": (pe.playground, {"spec": "sine: heatmap; seq_len=8", "own": [mine]}),
    "Rotary": (lambda **given: Turned(**given).check(), {"factor": 4.0, "seq_len": 16}),
    "Bias": (lambda **given: Biased(**given).check(), {"slope": 0.5, "seq_len": 16}),
}
FULL = {"panel.save", "playground", "explore range"}  # which write files, or have no names to say


def arguments(name: str) -> list[str]:
    """Return the names of a function's arguments, and of the values that it is given by name."""
    call, good = CALLS[name]
    known = inspect.signature(call).parameters.values()
    named = [p.name for p in known if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    if isinstance(call, partial):
        named = [each for each in named if each not in call.keywords]
    return list(dict.fromkeys([*named, *good]))


def taken(name: str, argument: str, value: str, result) -> str:
    """Return what is wrong with an answer to a value that is none for the argument."""
    if __import__("os").environ.get("SHOWANSWERS"): return f"ANSWER {type(result).__name__}"
    return ""


def values() -> list[Case]:
    """Return a case for each value as each argument."""
    cases = []
    for name, (call, good) in CALLS.items():
        for argument in arguments(name):
            for value, make in VALUES.items():
                cases.append(_case(name, call, good, argument, value, make))
    return cases


def _case(name, call, good, argument, value, make) -> Case:
    names = (argument, name.split()[0])
    run = lambda: call(**good | {argument: make()})  # noqa: E731
    return Case(
        f"{name}({argument}={value})",
        run,
        names,
        lambda result: taken(name, argument, value, result),
        writes=name == "panel.save",
    )
