"""Each hostile value as each argument of each public function."""

import inspect
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from io import StringIO

import numpy as np

import posenc_lib as pe
from posenc_lib.live.page import present

from ..test_library import PUBLIC, example
from .case import RAW, Case
from .hostile import VALUES

YARN = {"rope_type": "yarn", "factor": 4.0, "rope_theta": 1e4}
YARN |= {"original_max_position_embeddings": 2048}
LLAMA = {"model_type": "llama", "hidden_size": 512, "num_attention_heads": 8, "rope_theta": 1e4}
LLAMA |= {"max_position_embeddings": 2048, "num_hidden_layers": 4}
FACTOR = pe.Parameter("factor", "slower", 4.0, 1.0, 8.0, scale="real")
SLOPE = pe.Parameter("slope", "how steep", 0.5, 0.1, 2.0, scale="real")
X, ROW = np.ones((4, 8)), np.linspace(0.1, 1, 8)


def mine(positions, d_model, factor=1.0):
    """Return a table, as a reader may write one."""
    return factor * np.outer(positions, np.ones(d_model))


class Turned(pe.Rotary):
    """RoPE of six lines, as a reader may write it."""

    parameters = (*pe.Rotary.parameters, FACTOR)
    frequencies = np.ones(32)


class Biased(pe.Bias):
    """A bias, as a reader may write one."""

    parameters = (*pe.Bias.parameters, SLOPE)

    def biases(self, offsets):
        return -self.slope * np.abs(offsets)[None]


def said(puzzle: str, answer: object) -> str:
    """Return what is wrong with what `check` prints of an answer that is wrong."""
    with redirect_stdout(StringIO()) as told:
        pe.check(puzzle, answer)
    printed = told.getvalue()
    if printed.startswith("right") and not (puzzle == "twin" and same_as(answer, 44)):
        return f"wrong answer: {printed[:100]}"
    return f"raw words: {printed[:200]}" if RAW.search(printed) else ""


def same_as(answer: object, right: int) -> bool:
    return isinstance(answer, int) and answer == right


def begun(spec: object = None, **own) -> str:
    """Return what is wrong with what a playground says of what it cannot open."""
    shown = pe.playground(spec, **own)
    told = shown._news.value
    shown.close()
    return f"raw words: {told[:200]}" if RAW.search(told) else ""


def rates(dim: int, base: float = 1e4) -> np.ndarray:
    """Return θ of each pair, as the paper has it."""
    return float(base) ** (-np.arange(0, dim, 2) / dim)


def rotated(positions, dim: int, base: float = 1e4, inv_freq=None, attention_factor=1.0):
    """Return e^{i·angle}; positions may be a count."""
    at = np.arange(positions) if isinstance(positions, int) else np.asarray(positions)
    theta = rates(dim, base) if inv_freq is None else np.asarray(inv_freq)
    return attention_factor * np.exp(1j * at[..., None] * theta)


# What some functions must answer, by the formula: no value that is taken changes it
FORMULAS: dict[str, Callable] = {
    "alibi_slopes": lambda num_heads, max_bias=8.0: (
        2.0 ** (-float(max_bias) / 2 * np.arange(1, 3)) if num_heads == 2 else np.nan
    ),
    "inv_freq": rates,
    "wavelengths": lambda dim, base=1e4: 2 * np.pi / rates(dim, base),
    "freqs_cis": rotated,
    "rotation_matrix": lambda angle: np.array(
        [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    ),
    "no_position": lambda positions, d_model: np.zeros((*np.shape(positions), d_model)),
    "similarity_matrix": lambda table: (
        lambda rows: rows @ rows.T
    )(np.asarray(table) / np.linalg.norm(table, axis=1, keepdims=True)),
}  # fmt: skip

WIDE = {"views": "heatmap", "seq_len": (8, 64), "layout": ["interleaved", "concatenated"]}


def panel(do: Callable) -> Callable:
    """Return a call that does something to a new panel."""

    def call(**given):
        shown = pe.explore("sinusoidal", **WIDE)
        try:
            return do(shown, **given)
        finally:
            shown.close()

    return call


# Each function with good arguments: those of test_library, and all that it leaves out
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
    "check": (said, {"puzzle": "count", "answer": 4}),
    "check of a value": (lambda answer: said("twin", answer), {"answer": 44}),
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
        | {"base": 1e4, "pairing": "half"},
    ),
    "explore rope alone": (
        partial(pe.explore, "rope", views=["clock", "dot_product"]),
        {"seq_len": 8, "head_dim": 8, "base": 1e4, "content": "random", "query": 1}
        | {"rope_type": "yarn", "factor": 2, "trained": 64},
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
        lambda **start: pe.explore("sinusoidal", **WIDE, start=start),
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
    "playground": (begun, {"spec": "sine: heatmap; seq_len=8", "own": [mine]}),
    "explore a Rotary": (
        partial(pe.explore, Turned(), views="clock"),
        {"factor": 4.0, "seq_len": 16, "head_dim": 64},
    ),
    "explore a Bias": (partial(pe.explore, Biased()), {"slope": 0.5, "seq_len": 16, "head": 0}),
}
# who takes what: all else that is answered was taken for good
LISTS = "positions offset offsets x t scores table frequencies inv_freq start_pos parts own bias"
LISTS += " frozen seeds tokens"
DATA = "x q k v u r scores bias weights table freqs_cis"  # which may hold NaN, and hand it on
NUMBERS = {"-1", "0.5", "1e308", "10**9"}
ARRAYS = {"[]", "an array", "array of shape (0, 8)", "array of 30 axes"}
ENDLESS = {"nan", "inf", "array of nan"}
ITERABLE = {"a set", "a generator", "an array", "array of 30 axes"}
# what errors may name in place of an argument: an axis of it, or what it is to be
ALSO = ("head_dim", "num_buckets", "seq_len", "config", "isn't a parameter of this explorer")
ALSO += ("mine must take", "Unprintable must take")
# seconds of CPU: one trains, the other one may be asked for all encodings
PATIENT = {"train": 30.0, "scorecard": 60.0}
MUST_ANSWER = "(an error of a good call)"
SAY_IT = {"check", "playground"}  # which say what they were given, and raise nothing


def arguments(name: str) -> list[str]:
    """Return the names of a function's arguments, and of the values that it is given by name."""
    call, good = CALLS[name]
    known = inspect.signature(call).parameters.values()
    named = [p.name for p in known if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    if isinstance(call, partial):
        named = [each for each in named if each not in call.keywords]
    return list(dict.fromkeys([*named, *good]))


def may_take(name: str, argument: str, value: str) -> bool:
    """Return whether a function may answer where an argument has a value."""
    call, good = CALLS[name]
    known = inspect.signature(call).parameters.get(argument)
    default = known.default if known else None  # None stands for a parameter's own range
    usual = (default, good.get(argument))
    if argument in ("title", "caption"):  # any text, but a long one
        return isinstance(VALUES[value](), str) and value != "a million letters"
    if value == "None":
        return default is None
    if value == "True":
        return any(isinstance(each, bool) for each in usual) or argument in ("mask", "frozen")
    if value == "''":
        return "" in [each for each in usual if isinstance(each, str)]
    if value in ENDLESS:
        return argument in DATA.split()
    if (argument, value) == ("rope_parameters", "a dict"):  # which has nothing that counts
        return True
    if value in ARRAYS and (argument in LISTS.split() or isinstance(good.get(argument), list)):
        return True
    return value in NUMBERS or (argument == "seeds" and value in ITERABLE)


def taken(name: str, argument: str, value: str, result) -> str:
    """Return what is wrong with an answer, if anything is."""
    if name == "Parameter" or name.split()[0] in SAY_IT:
        return result if isinstance(result, str) else ""
    if not may_take(name, argument, value):
        return f"wrong answer: taken for good, {type(result).__name__}"
    given = CALLS[name][1] | {argument: VALUES[value]()}
    numbers = [np.asarray(part) for part in (result if isinstance(result, tuple) else (result,))]
    numbers = [part for part in numbers if part.dtype.kind in "fc"]
    if value not in ENDLESS and any(np.isnan(part).any() for part in numbers):
        return f"wrong answer: NaN out of {argument}={value}"
    if name in FORMULAS and value not in ENDLESS:
        wanted = FORMULAS[name](**given)
        if not np.allclose(numbers[0], wanted, rtol=1e-6, atol=1e-6, equal_nan=True):
            return f"wrong answer: {numbers[0].ravel()[:3]} …, not {np.ravel(wanted)[:3]} …"
    return ""


def values() -> list[Case]:
    """Return a case for each value as each argument, and one for what is good."""
    cases = []
    for name, (call, good) in CALLS.items():
        names = (*arguments(name), name.split()[0], *ALSO)
        about = {"writes": "save" in name, "seconds": PATIENT.get(name, 1.0)}
        cases.append(Case(f"{name}: a good call", partial(call, **good), (MUST_ANSWER,), **about))
        for argument in arguments(name):
            for value, make in VALUES.items():
                what = f"{name}({argument}={value})"
                run = partial(_with, call, good, argument, make)
                check = partial(taken, name, argument, value)
                cases.append(Case(what, run, names, check, **about))
    return cases


def _with(call: Callable, good: dict, argument: str, make: Callable) -> object:
    return call(**good | {argument: make()})
