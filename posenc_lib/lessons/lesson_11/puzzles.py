"""The three puzzles of lesson 11: scores, pairs, and a base that fails."""

import math

import numpy as np

import posenc_lib as pe
from posenc_lib.live.puzzles import function_puzzle, value_puzzle

_ONCE = "That's the factor for one side. A score has a query and a key, "


def _plain(rope_parameters: dict) -> float:
    return 0.1 * np.log(rope_parameters["factor"]) + 1


def _yarn_only(rope_parameters: dict, value: float) -> float:
    return value if growth(rope_parameters) != 1 else 1.0


# The factor by which the rope_parameters of a config multiply all scores
@function_puzzle(
    "attention_factor multiplies every rotated query and every rotated key. "
    "How many times is it in a score?",
    "YaRN's is 0.1·ln(factor) + 1, unless the config has one. "
    "Old files say type instead of rope_type.",
    "kind = p.get('rope_type') or p['type']. "
    "For yarn it's p.get('attention_factor', formula) ** 2, for llama3 it's 1.",
    without=("rope_scaling", "rope_from_config"),
    cases=(
        ({"rope_type": "yarn", "factor": 16.0},),
        ({"type": "yarn", "factor": 4.0},),
        ({"rope_type": "yarn", "factor": 16.0, "attention_factor": 1.2},),
        ({"rope_type": "llama3", "factor": 8.0},),
        ({"rope_type": "llama3", "factor": 8.0, "attention_factor": 1.2},),
    ),
    won="It's the same for short texts. "
    "With YaRN in the config, every score of every text is multiplied.",
    mistakes={
        _ONCE + "so square it.": lambda p: growth(p) ** 0.5,
        _ONCE + "so square it. And llama3 has no such factor.": _plain,
        _ONCE + "so square it. And a config may have its own attention_factor.": (
            lambda p: _yarn_only(p, _plain(p))
        ),
        _ONCE + "so square it. And llama3 changes frequencies only.": (
            lambda p: p.get("attention_factor", _plain(p))
        ),
        "You added the growth of query and key. They're multiplied, so square the factor.": (
            lambda p: 2 * growth(p) ** 0.5 - 1
        ),
        "That's right for plain YaRN, but attention_factor may be given, and llama3 has none.": (
            lambda p: _plain(p) ** 2
        ),
        "That's right for plain YaRN, but attention_factor may be given.": (
            lambda p: _yarn_only(p, _plain(p) ** 2)
        ),
        "llama3 only changes frequencies, so its scores stay the same.": (
            lambda p: p.get("attention_factor", _plain(p)) ** 2
        ),
        "llama3 ignores an attention_factor, so its scores stay the same.": (
            lambda p: growth(p) if growth(p) != 1 else p.get("attention_factor", 1) ** 2
        ),
        "Square the factor instead of doubling it.": lambda p: 2 * growth(p) ** 0.5,
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


# The pairs that a config like Llama 3.1's leaves untouched
@function_puzzle(
    "A pair is untouched if it has enough turns in the first training length.",
    "turns = original_max_position_embeddings · θ / 2π. The ramp starts at high_freq_factor turns.",
    "np.flatnonzero(turns >= high_freq_factor), "
    "with θ = rope_theta ** (−np.arange(0, head_dim, 2) / head_dim).",
    without=("rope_scaling", "rope_from_config"),
    cases=(
        (_config(128, 500_000.0, 8.0, 1.0, 4.0, 8192),),
        (_config(64, 500_000.0, 32.0, 1.0, 4.0, 8192),),
        (_config(96, 10_000.0, 16.0, 2.0, 8.0, 4096),),
    ),
    won="In Llama 3.1, pair 28 is the last one without scaling. Its wave is 1,956 positions long.",
    mistakes={
        "These have at least low_freq_factor turns, but some of them are in between.": _from_low_on,
        "You ask for 4 turns. Each config has its own number, high_freq_factor.": (
            lambda c: _with(c, high_freq_factor=4.0)
        ),
        "You counted turns in max_position_embeddings. "
        "Count them in original_max_position_embeddings.": _in_longest,
        "That's how many there are. Return their numbers.": lambda c: len(untouched(c)),
        "A turn is 2π radians. Divide by 2π.": lambda c: _with(
            c, high_freq_factor=c["rope_scaling"]["high_freq_factor"] / (2 * np.pi)
        ),
        "You left the base at 10,000. Each config has its own, rope_theta.": (
            lambda c: untouched(c | {"rope_theta": 10_000.0})
        ),
        "That's a mask. np.flatnonzero(mask) returns the pairs it marks.": (
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
    """Return why a base isn't the right one."""
    if isinstance(value, str):
        return (
            "there is one, since a larger base isn't always safer. "
            "Try the bases above 4,330, one by one."
        )
    try:
        base = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        base = math.nan
    if not 0 < base < math.inf:
        return "pass a single number, the base."
    if pe.first_negative(_DIMS, base, most=_LENGTH) is None:
        return f"base {base:,.6g} passes."
    return f"base {base:,.6g} fails, but it isn't the largest that does."


# The largest integer base whose mean cosine is negative within 1,024 offsets, with 128 dims
value_puzzle(
    "worse_base",
    _LAST,
    "A base fails if pe.first_negative(128, base, most=1024) returns a number.",
    "Don't stop at the first base that passes. "
    "Try every integer base up to 20,000 and keep those that fail.",
    "max(base for base in range(4331, 20_000) if pe.first_negative(128, base, most=1024))",
    why="integer bases pass from 4,294 to 4,330, from 5,603 to 5,644, and from 6,019 on.",
    judge=_why_not,
    won="So a lower bound on the base isn't safe. Check the very base you're going to use.",
    mistakes={
        "You went up and stopped at the first base that passes. Farther up, some fail again.": 5602,
        "You stopped before 4,294, the first base that passes. Farther up, some fail again.": 4293,
        "4,330 itself passes.": 4330,
    },
)
