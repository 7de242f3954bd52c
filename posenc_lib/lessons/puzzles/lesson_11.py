"""The three puzzles of lesson 11: what a config does to scores, to pairs, and what a base does to a length."""

import math

import numpy as np

import posenc_lib as pe
from posenc_lib.lessons.puzzles.engine import function_puzzle, value_puzzle


def _plain(rope_parameters: dict) -> float:
    return 0.1 * np.log(rope_parameters["factor"]) + 1


@function_puzzle(
    "attention_factor multiplies every turned query and every turned key. How often does a score contain it?",
    "YaRN's is 0.1·ln(factor) + 1, unless the config says another one. Old files write type for rope_type.",
    "kind = p.get('rope_type') or p['type']; for yarn p.get('attention_factor', formula) ** 2, for llama3 1.",
    without=("rope_scaling", "rope_from_config"),
    cases=(
        ({"rope_type": "yarn", "factor": 16.0},),
        ({"type": "yarn", "factor": 4.0},),
        ({"rope_type": "yarn", "factor": 16.0, "attention_factor": 1.2},),
        ({"rope_type": "llama3", "factor": 8.0},),
        ({"rope_type": "llama3", "factor": 8.0, "attention_factor": 1.2},),
    ),
    won="This holds for short texts, too: once YaRN stands in the config, every score of every text is multiplied.",
    mistakes={
        "that is what queries and keys are multiplied by; a score has both: square it.": lambda p: growth(p) ** 0.5,
        "that is YaRN's formula for queries and keys; a score has both: square it.": _plain,
        "right for plain YaRN; but attention_factor may be given, and llama3 has none.": lambda p: _plain(p) ** 2,
        "llama3 changes frequencies only: its scores stay.": lambda p: p.get("attention_factor", _plain(p)) ** 2,
    },
)
def growth(rope_parameters):
    kind = rope_parameters.get("rope_type") or rope_parameters["type"]
    if kind != "yarn":
        return 1.0
    return rope_parameters.get("attention_factor", 0.1 * np.log(rope_parameters["factor"]) + 1) ** 2


def _config(head_dim: int, base: float, factor: float, low: float, high: float, original: int) -> dict:
    scaling = {"rope_type": "llama3", "factor": factor, "low_freq_factor": low, "high_freq_factor": high}
    scaling |= {"original_max_position_embeddings": original}
    return {"head_dim": head_dim, "rope_theta": base, "max_position_embeddings": 131_072, "rope_scaling": scaling}


def _from_low_on(config: dict) -> np.ndarray:
    scaling = config["rope_scaling"]
    return untouched(config | {"rope_scaling": scaling | {"high_freq_factor": scaling["low_freq_factor"]}})


def _pairs(config: dict) -> np.ndarray:
    return np.arange(config["head_dim"] // 2)


@function_puzzle(
    "A pair is untouched where it turns often enough in the length the model was first trained on.",
    "turns = original_max_position_embeddings · θ / 2π; the ramp begins at high_freq_factor turns.",
    "np.flatnonzero(turns >= high_freq_factor), with θ = rope_theta ** (−np.arange(0, head_dim, 2) / head_dim).",
    without=("rope_scaling", "rope_from_config"),
    cases=(
        (_config(128, 500_000.0, 8.0, 1.0, 4.0, 8192),),
        (_config(64, 500_000.0, 32.0, 1.0, 4.0, 8192),),
        (_config(96, 10_000.0, 16.0, 2.0, 8.0, 4096),),
    ),
    won="Pair 28 of Llama 3.1 is the last that no scaling touches. Its wave is 1,956 positions long.",
    mistakes={
        "these turn at least low_freq_factor times: some of them are in between.": _from_low_on,
        "a mask: np.flatnonzero(mask) says which pairs it marks.": lambda c: np.isin(_pairs(c), untouched(c)),
        "these are the slow pairs, the ones that change.": lambda c: np.setdiff1d(_pairs(c), untouched(c)),
    },
)
def untouched(config):
    scaling, dims = config["rope_scaling"], config["head_dim"]
    theta = config["rope_theta"] ** (-np.arange(0, dims, 2) / dims)
    turns = scaling["original_max_position_embeddings"] * theta / (2 * np.pi)
    return np.flatnonzero(turns >= scaling["high_freq_factor"])


_LENGTH, _DIMS, _PASSED = 1024, 128, 4330


def _why_not(value) -> str:
    """Return why a base is none of those that are asked for, or nothing."""
    if isinstance(value, str):
        return f"there is one: a larger base is not always a safer one. Look just above {_PASSED} in the explorer."
    try:
        base = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        base = math.nan
    if not 0 < base < math.inf:
        return "give check one number, a base."
    if base <= _PASSED:
        return f"base {base:,.6g} is not above {_PASSED}."
    fails = pe.first_negative(_DIMS, base, most=_LENGTH) is not None
    return "" if fails else f"base {base:,.6g} passes."


value_puzzle(
    "worse_base",
    5000,
    "A base fails where pe.first_negative(128, base, most=1024) returns a number.",
    "Set trained to 1024 in the explorer of passing bases, and look just to the right of 4330.",
    "for base in range(4331, 7000): print the first for which pe.first_negative(128, base, most=1024) is a number.",
    why="Σcos falls below zero within 1024 positions. Whole bases pass at 4294 to 4330, 5603 to 5644, from 6019 on.",
    judge=_why_not,
    won="So a bound on the base is no bound: compute the reach of the very base you are going to use.",
    mistakes={
        "4330 itself passes; asked for is a larger one.": _PASSED,
        "this one falls below zero at 1128, which is beyond 1024: it passes.": 10_398,
    },
)
