"""The three puzzles of lesson 11: what a config does to scores, to pairs, and what a base does to a length."""

import math
import numbers

import numpy as np

from posenc_lib.encodings.similarity import first_negative
from posenc_lib.lessons.puzzles.engine import Puzzle


def growth(rope_parameters):
    kind = rope_parameters.get("rope_type") or rope_parameters["type"]
    if kind != "yarn":
        return 1.0
    return rope_parameters.get("attention_factor", 0.1 * np.log(rope_parameters["factor"]) + 1) ** 2


def _plain(asked: dict) -> float:
    return 0.1 * np.log(asked["factor"]) + 1


GROWTH = Puzzle(
    answer=growth,
    without=("rope_scaling", "rope_from_config"),
    cases=(
        ({"rope_type": "yarn", "factor": 16.0},),
        ({"type": "yarn", "factor": 4.0},),
        ({"rope_type": "yarn", "factor": 16.0, "attention_factor": 1.2},),
        ({"rope_type": "llama3", "factor": 8.0},),
        ({"rope_type": "llama3", "factor": 8.0, "attention_factor": 1.2},),
    ),
    hints=(
        "attention_factor multiplies every turned query and every turned key. How often does a score contain it?",
        "YaRN's is 0.1·ln(factor) + 1, unless the config says another one. Old files write type for rope_type.",
        "kind = p.get('rope_type') or p['type']; for yarn p.get('attention_factor', formula) ** 2, for llama3 1.",
    ),
    mistakes={
        "that is what queries and keys are multiplied by; a score has both: square it.": lambda p: growth(p) ** 0.5,
        "that is YaRN's formula for queries and keys; a score has both: square it.": _plain,
        "right for plain YaRN. But an attention_factor that is given takes its place, and type llama3 has none.": (
            lambda p: _plain(p) ** 2
        ),
        "type llama3 changes frequencies only: its scores grow by 1.": (
            lambda p: p.get("attention_factor", _plain(p)) ** 2
        ),
        "an attention_factor that is given takes the place of the formula.": (
            lambda p: growth({key: value for key, value in p.items() if key != "attention_factor"})
        ),
    },
    won="This holds for short texts, too: once YaRN stands in the config, every score of every text is multiplied.",
)


def untouched(config):
    scaling, dims = config["rope_scaling"], config["head_dim"]
    theta = config["rope_theta"] ** (-np.arange(0, dims, 2) / dims)
    turns = scaling["original_max_position_embeddings"] * theta / (2 * np.pi)
    return np.flatnonzero(turns >= scaling["high_freq_factor"])


def _config(head_dim: int, base: float, factor: float, low: float, high: float, original: int) -> dict:
    scaling = {"rope_type": "llama3", "factor": factor, "low_freq_factor": low, "high_freq_factor": high}
    scaling |= {"original_max_position_embeddings": original}
    return {"head_dim": head_dim, "rope_theta": base, "max_position_embeddings": 131_072, "rope_scaling": scaling}


def _fast(config: dict, times: float = 1.0, key: str = "high_freq_factor") -> np.ndarray:
    """Return which pairs go round often enough in the original length, or so many times that length."""
    dims, scaling = config["head_dim"], config["rope_scaling"]
    theta = config["rope_theta"] ** (-np.arange(0, dims, 2) / dims)
    return times * scaling["original_max_position_embeddings"] * theta / (2 * np.pi) >= scaling[key]


UNTOUCHED = Puzzle(
    answer=untouched,
    without=("rope_scaling", "rope_from_config"),
    cases=(
        (_config(128, 500_000.0, 8.0, 1.0, 4.0, 8192),),
        (_config(64, 500_000.0, 32.0, 1.0, 4.0, 8192),),
        (_config(96, 10_000.0, 16.0, 2.0, 8.0, 4096),),
    ),
    hints=(
        "A pair is untouched where it turns often enough in the length the model was first trained on.",
        "turns = original_max_position_embeddings · θ / 2π; the ramp begins at high_freq_factor turns.",
        "np.flatnonzero(turns >= high_freq_factor), with θ = rope_theta ** (−np.arange(0, head_dim, 2) / head_dim).",
    ),
    mistakes={
        "these turn at least low_freq_factor times: not all of them are untouched, some are in between.": (
            lambda c: np.flatnonzero(_fast(c, key="low_freq_factor"))
        ),
        "a mask: np.flatnonzero(mask) says which pairs it marks.": _fast,
        "these are the slow pairs, the ones that change.": lambda c: np.flatnonzero(~_fast(c)),
        "counted in max_position_embeddings; turns count in the original length.": (
            lambda c: np.flatnonzero(
                _fast(c, c["max_position_embeddings"] / c["rope_scaling"]["original_max_position_embeddings"])
            )
        ),
        "length · θ is an angle in radians; a turn has 2π of them.": lambda c: np.flatnonzero(_fast(c, 2 * np.pi)),
    },
    won="Pair 28 of Llama 3.1 is the last that no scaling touches. Its wave is 1,956 positions long.",
)

LENGTH, DIMS, PASSED = 1024, 128, 4330


def _number(value) -> float:
    """Return a value as a number, NaN if it is none."""
    try:
        return float(value) if isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_)) else math.nan
    except OverflowError:
        return math.nan


def _fails(value) -> bool:
    base = _number(value)
    return PASSED < base < math.inf and first_negative(DIMS, base, most=LENGTH) is not None


def _why_not(value) -> str:
    if isinstance(value, str):
        return f"there is one: a larger base is not always a safer one. Look just above {PASSED} in the explorer."
    base = _number(value)
    if not 0 < base < math.inf:
        return "give check one number, a base."
    return f"base {base:,.6g} passes." if base > PASSED else f"base {base:,.6g} is not above {PASSED}."


WORSE_BASE = Puzzle(
    answer=5000,
    called="worse_base",
    why="Σcos falls below zero within 1024 positions. Whole bases pass at 4294 to 4330, 5603 to 5644, from 6019 on.",
    also=_fails,
    comment=_why_not,
    hints=(
        "A base fails where pe.first_negative(128, base, most=1024) returns a number.",
        "Set trained to 1024 in the explorer of passing bases, and look just to the right of 4330.",
        "for base in range(4331, 7000): print the first for which pe.first_negative(128, base, most=1024) is a number.",
    ),
    mistakes={
        "4330 itself passes; asked for is a larger one.": PASSED,
        "this one falls below zero at 1128, which is beyond 1024: it passes.": 10_398,
    },
    won="So a bound on the base is no bound: compute the reach of the very base you are going to use.",
)
