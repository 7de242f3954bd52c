"""The three puzzles of lesson 11: what a config does to scores and pairs, a base to a length."""

import math

import numpy as np

import posenc_lib as pe
from posenc_lib.live.puzzles import function_puzzle, value_puzzle

_ONCE = "You return what one side is multiplied by, but a score has a query and a key, "


def _plain(rope_parameters: dict) -> float:
    return 0.1 * np.log(rope_parameters["factor"]) + 1


def _yarn_only(rope_parameters: dict, value: float) -> float:
    return value if growth(rope_parameters) != 1 else 1.0


# By what do the rope_parameters of a config multiply all scores?
@function_puzzle(
    "attention_factor multiplies every turned query and every turned key. "
    "How often does a score contain it?",
    "YaRN's is 0.1·ln(factor) + 1, unless the config says another one. "
    "Old files write type for rope_type.",
    "kind = p.get('rope_type') or p['type']; "
    "for yarn p.get('attention_factor', formula) ** 2, for llama3 1.",
    without=("rope_scaling", "rope_from_config"),
    cases=(
        ({"rope_type": "yarn", "factor": 16.0},),
        ({"type": "yarn", "factor": 4.0},),
        ({"rope_type": "yarn", "factor": 16.0, "attention_factor": 1.2},),
        ({"rope_type": "llama3", "factor": 8.0},),
        ({"rope_type": "llama3", "factor": 8.0, "attention_factor": 1.2},),
    ),
    won="This holds for short texts, too: "
    "once YaRN stands in the config, every score of every text is multiplied.",
    mistakes={
        _ONCE + "so square it.": lambda p: growth(p) ** 0.5,
        _ONCE + "so square it. And llama3 has no such factor.": _plain,
        _ONCE + "so square it. And a config may give another attention_factor.": (
            lambda p: _yarn_only(p, _plain(p))
        ),
        _ONCE + "so square it. And llama3 changes frequencies only.": (
            lambda p: p.get("attention_factor", _plain(p))
        ),
        "You added the growth of query and key, but they are multiplied: square the factor.": (
            lambda p: 2 * growth(p) ** 0.5 - 1
        ),
        "This is right for plain YaRN, but attention_factor may be given, and llama3 has none.": (
            lambda p: _plain(p) ** 2
        ),
        "This is right for plain YaRN, but attention_factor may be given.": (
            lambda p: _yarn_only(p, _plain(p) ** 2)
        ),
        "llama3 changes frequencies only, so its scores stay.": (
            lambda p: p.get("attention_factor", _plain(p)) ** 2
        ),
    },
)
def growth(rope_parameters):
    kind = rope_parameters.get("rope_type") or rope_parameters["type"]
    if kind != "yarn":
        return 1.0
    return rope_parameters.get("attention_factor", 0.1 * np.log(rope_parameters["factor"]) + 1) ** 2


def _config(
    head_dim: int, base: float, factor: float, low: float, high: float, original: int
) -> dict:
    scaling = {
        "rope_type": "llama3",
        "factor": factor,
        "low_freq_factor": low,
        "high_freq_factor": high,
        "original_max_position_embeddings": original,
    }
    return {
        "head_dim": head_dim,
        "rope_theta": base,
        "max_position_embeddings": 131_072,
        "rope_scaling": scaling,
    }


def _with(config: dict, **said) -> np.ndarray:
    return untouched(config | {"rope_scaling": config["rope_scaling"] | said})


def _from_low_on(config: dict) -> np.ndarray:
    return _with(config, high_freq_factor=config["rope_scaling"]["low_freq_factor"])


def _in_longest(config: dict) -> np.ndarray:
    return _with(config, original_max_position_embeddings=config["max_position_embeddings"])


def _pairs(config: dict) -> np.ndarray:
    return np.arange(config["head_dim"] // 2)


# Which pairs does a config like Llama 3.1's leave as they are?
@function_puzzle(
    "A pair is untouched where it turns often enough in the length the model was first trained on.",
    "turns = original_max_position_embeddings · θ / 2π; the ramp begins at high_freq_factor turns.",
    "np.flatnonzero(turns >= high_freq_factor), "
    "with θ = rope_theta ** (−np.arange(0, head_dim, 2) / head_dim).",
    without=("rope_scaling", "rope_from_config"),
    cases=(
        (_config(128, 500_000.0, 8.0, 1.0, 4.0, 8192),),
        (_config(64, 500_000.0, 32.0, 1.0, 4.0, 8192),),
        (_config(96, 10_000.0, 16.0, 2.0, 8.0, 4096),),
    ),
    won="Pair 28 of Llama 3.1 is the last that no scaling touches. "
    "Its wave is 1,956 positions long.",
    mistakes={
        "These turn at least low_freq_factor times, but some of them are in between.": _from_low_on,
        "You ask for 4 turns, but each config says its own number: high_freq_factor.": (
            lambda c: _with(c, high_freq_factor=4.0)
        ),
        "You counted turns in max_position_embeddings, "
        "but training had original_max_position_embeddings.": _in_longest,
        "A turn is 2π: divide by it.": lambda c: _with(
            c, high_freq_factor=c["rope_scaling"]["high_freq_factor"] / (2 * np.pi)
        ),
        "You left the base at 10,000, but each config says its own: rope_theta.": (
            lambda c: untouched(c | {"rope_theta": 10_000.0})
        ),
        "This is a mask. np.flatnonzero(mask) says which pairs it marks.": (
            lambda c: np.isin(_pairs(c), untouched(c))
        ),
        "These are the slow pairs, the ones that change.": (
            lambda c: np.setdiff1d(_pairs(c), untouched(c))
        ),
    },
)
def untouched(config):
    scaling, dims = config["rope_scaling"], config["head_dim"]
    theta = config["rope_theta"] ** (-np.arange(0, dims, 2) / dims)
    turns = scaling["original_max_position_embeddings"] * theta / (2 * np.pi)
    return np.flatnonzero(turns >= scaling["high_freq_factor"])


_LENGTH, _DIMS, _LAST = 1024, 128, 6018


def _why_not(value) -> str:
    """Return why a base is not the one that is asked for."""
    if isinstance(value, str):
        return (
            "there is one: a larger base is not always a safer one. "
            "Try the bases above 4330, one by one."
        )
    try:
        base = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        base = math.nan
    if not 0 < base < math.inf:
        return "give check one number, a base."
    if pe.first_negative(_DIMS, base, most=_LENGTH) is None:
        return f"base {base:,.6g} passes."
    return f"base {base:,.6g} fails, but it is not the largest that does."


# Which is the largest whole base whose mean cosine is negative within 1024 offsets, with 128 dims?
value_puzzle(
    "worse_base",
    _LAST,
    "A base fails where pe.first_negative(128, base, most=1024) returns a number.",
    "Do not stop at the first base that passes: "
    "try every whole base up to 20 000 and keep those that fail.",
    "max(base for base in range(4331, 20_000) if pe.first_negative(128, base, most=1024))",
    why="whole bases pass at 4294 to 4330, at 5603 to 5644, and from 6019 on.",
    judge=_why_not,
    won="So a bound on the base is no bound: "
    "compute the reach of the very base you are going to use.",
    mistakes={
        "You went up and stopped at the first base that passes, "
        "but farther up some fail again.": 5602,
        "You stopped before 4294, the first base that passes, "
        "but farther up some fail again.": 4293,
        "4330 itself passes.": 4330,
    },
)
