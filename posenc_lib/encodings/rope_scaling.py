"""RoPE past the training length: the frequencies a model's config.json asks for."""

import difflib
import functools
import math
import os
from typing import Any

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.frequencies import theta

OLD_TYPES = {"su": "longrope", "mrope": "default"}
KEYS = {*"rope_type type rope_theta factor partial_rotary_factor attention_factor".split()}
KEYS |= {*"original_max_position_embeddings mscale mscale_all_dim beta_fast beta_slow".split()}
KEYS |= {*"truncate low_freq_factor high_freq_factor short_factor long_factor".split()}


MOST_KEYS, LONGEST_KEY, MOST_DIMS = 2000, 200, 2**16
LARGEST = 1e15  # limit of an entry, far beyond any in use; its powers are finite


def refuse_slips(what: str, given: object, known) -> None:
    """Refuse anything but a dict, and keys that look like typos. mrope_section and others pass."""
    if not isinstance(given, dict):
        rule, hint = f"{what} must be a dict whose keys are strings, got {validate.show(given)}", ""
        if isinstance(given, str | os.PathLike):
            text = str(given).lstrip().startswith("{")
            hint = " (json.loads reads a text)" if text else " (json.load(open(…)) reads a file)"
        raise TypeError(rule + hint)
    if len(given) > MOST_KEYS:
        raise ValueError(f"{what} must have at most {MOST_KEYS:,} keys, got {len(given):,}")
    known = frozenset(known)
    for key, value in given.items():
        if not isinstance(key, str):
            raise TypeError(
                f"{what} must be a dict whose keys are strings, got {validate.show(key)}"
            )
        if len(key) > LONGEST_KEY:
            rule = f"{what} can have keys of at most {LONGEST_KEY} characters"
            raise ValueError(f"{rule}, got {validate.show(key)} of {len(key):,}")
        if near := _near(key, known):
            rule = f"{what} must have keys of a config.json, got {key!r}"
            raise ValueError(f"{rule} (did you mean {near!r}?)")
        if isinstance(value, np.ndarray) and key in known:
            rule = f"{what}[{key!r}] must be something JSON can store"
            raise TypeError(f"{rule}, got {validate.show(value)}")


@functools.lru_cache(4 * MOST_KEYS)
def _near(key: str, known: frozenset) -> str:
    """Return the known key that a key nearly matches, or ""."""
    if key in known:
        return ""
    # num_attention_heads with a prefix is a different key
    alike = sorted(name for name in known if abs(len(name) - len(key)) <= 2)
    return next(iter(difflib.get_close_matches(key, alike, n=1, cutoff=0.9)), "")


class _Config:
    """rope_parameters and their surroundings in a config.json. Entries are checked when read."""

    def __init__(self, given: dict, head_dim: int, longest: int | None, seq_len: int | None, dtype):
        refuse_slips("rope_parameters", given, KEYS)
        for key, value in given.items():
            if isinstance(value, dict):
                raise ValueError(
                    f"rope_parameters must be those of one type of layer, got a dict for {key!r}"
                )
        self.given, self.dtype = given, validate.float_dtype("dtype", dtype)
        name = given.get("rope_type") or given.get("type") or "default"
        if "factor" in given and not {"rope_type", "type"} & set(given):
            raise ValueError("rope_parameters must have 'rope_type' if there's a factor")
        known = validate.known("rope_type", name, (*ROPE_TYPES, *OLD_TYPES))
        self.type, older = OLD_TYPES.get(known, known), given.get("type")
        older = OLD_TYPES.get(older, older) if isinstance(older, str) else self.type
        if older != self.type and "mrope" not in (given.get("type"), name):
            rule = f"rope_parameters must have one type, got {name!r} as 'rope_type'"
            raise ValueError(f"{rule} and {older!r} as 'type'")
        self.head_dim = validate.integer("head_dim", head_dim, low=2, high=MOST_DIMS, even=True)
        self.longest = None
        if longest is not None:
            self.longest = validate.integer("max_position_embeddings", longest)
        self.seq_len = 0 if seq_len is None else validate.integer("seq_len", seq_len, low=0)
        self.base = self.number("rope_theta", 10_000.0)
        part = self.number("partial_rotary_factor", 1.0)
        self.dim = int(self.head_dim * part)  # how many dims rotate
        odd = self.dim % 2 and self.type == "yarn"  # others also rotate the next dim
        if part > 1 or self.dim < 2 or odd:
            rule = f"let an even number of the {self.head_dim} dims turn, at least 2"
            raise ValueError(f"rope_parameters['partial_rotary_factor'] must {rule}, got {part:g}")

    def number(self, key: str, default: float | None = None) -> float:
        """Return a positive entry. Without a default, it's required."""
        value = default if self.given.get(key) is None else self.given[key]
        if value is None:
            raise ValueError(f"rope_parameters must have {key!r} where the type is {self.type!r}")
        name = f"rope_parameters[{key!r}]"
        return validate.real(name, value, above=0, low=1 / LARGEST, high=LARGEST)

    @property
    def original(self) -> float:
        """The length the model was first trained on."""
        return self.number("original_max_position_embeddings", self.longest)

    @property
    def theta(self) -> np.ndarray:
        return self.at(self.dim, self.base)

    def at(self, dim: int, base: float) -> np.ndarray:
        """Return θ for a base, computed in the given dtype."""
        pairs = (dim + 1) // 2
        # if it's odd, the last dim rotates with the next
        base = base if dim == 2 * pairs else base ** (2 * pairs / dim)
        return theta(2 * pairs, base, self.dtype.type)

    def raised(self, stretch: float) -> np.ndarray:
        """Return θ for a larger base: the slowest pair `stretch` times slower, the first as is."""
        if self.dim <= 2:
            return self.theta
        return self.at(self.dim, self.base * stretch ** (self.dim / (self.dim - 2)))


def _dynamic(config):
    longest, factor = config.longest or config.original, config.number("factor")
    return config.raised(factor * max(config.seq_len, longest) / longest - (factor - 1)), 1.0


def _yarn(config):
    """Keep θ above beta_fast turns in the training length, divide it below beta_slow turns."""
    if config.base == 1:
        rule = "rope_parameters['rope_theta'] must not be 1 for type 'yarn'"
        raise ValueError(f"{rule}: all pairs rotate at the same speed")
    turns = config.number("beta_fast", 32.0), config.number("beta_slow", 1.0)
    if turns[0] < turns[1]:
        rule = f"rope_parameters['beta_fast'] must be at least beta_slow, {turns[1]:g}"
        raise ValueError(f"{rule}, got {turns[0]:g}")
    logs = [math.log(config.original / (2 * math.pi * n)) for n in turns]
    ends = [config.dim * log / (2 * math.log(config.base)) for log in logs]
    if validate.flag("rope_parameters['truncate']", config.given.get("truncate", True)):
        ends = [math.floor(ends[0]), math.ceil(ends[1])]
    first, last = max(ends[0], 0), min(ends[1], config.dim - 1)
    divided = np.clip((np.arange(config.dim // 2) - first) / (last - first or 0.001), 0, 1)
    factor = config.number("factor")
    blended = _blend(config.theta, factor, divided)
    return blended, config.number("attention_factor", _temperature(config, factor))


def _temperature(config, factor: float) -> float:
    """Return YaRN's fit, 0.1·ln(factor) + 1, or with both mscales the ratio of two fits."""
    asked = ("mscale", "mscale_all_dim")
    many = map(config.number, asked) if all(map(config.given.get, asked)) else (1.0, 0.0)
    one, other = (0.1 * m * math.log(max(factor, 1.0)) + 1 for m in many)
    return one / other


def _llama3(config):
    """The same, with a ramp over the number of turns, from high_freq_factor to low_freq_factor."""
    low, high = config.number("low_freq_factor"), config.number("high_freq_factor")
    if low > high:
        rule = f"rope_parameters['high_freq_factor'] must be at least low_freq_factor, {low:g}"
        raise ValueError(f"{rule}, got {high:g}")
    turns = config.original * config.theta / (2 * np.pi)
    # Llama 4's are equal: no ramp
    divided = np.clip((high - turns) / (high - low or 1e-9), 0, 1)
    return _blend(config.theta, config.number("factor"), divided), 1.0


def _blend(theta: np.ndarray, factor: float, divided: np.ndarray) -> np.ndarray:
    """Interpolate between θ, where divided is 0, and θ/factor, where it's 1."""
    return theta * (1 - divided) + theta / factor * divided


def _longrope(config):
    length = "long" if config.seq_len > config.original else "short"
    key = f"{length}_factor"
    if config.given.get(key) is None:
        raise ValueError(f"rope_parameters must have {key!r} where the type is 'longrope'")
    factors = validate.array(f"rope_parameters[{key!r}]", config.given[key], ndim=1)
    pairs = len(config.theta)
    if len(factors) != pairs or (factors <= 0).any() or (factors > LARGEST).any():
        rule = f"one number above 0 for each of the {pairs} pairs"
        raise ValueError(
            f"rope_parameters[{key!r}] must have {rule}, got {validate.show(config.given[key])}"
        )
    if config.original <= 1:
        raise ValueError(
            f"original_max_position_embeddings must be greater than 1, got {config.original:g}"
        )
    factor = config.number("factor", config.longest and config.longest / config.original)
    temperature = math.sqrt(1 + math.log(max(factor, 1.0)) / math.log(config.original))
    temperature = config.number("attention_factor", temperature)
    return config.theta / factors, config.number(f"{length}_mscale", temperature)


def _proportional(config):
    theta = config.at(config.head_dim, config.base) / config.number("factor", 1.0)
    theta[config.dim // 2 :] = 0  # the slowest pairs don't rotate
    return theta, 1.0


ROPE_TYPES = {
    "default": lambda config: (config.theta, 1.0),
    "linear": lambda config: (config.theta / config.number("factor"), 1.0),
    "ntk": lambda config: (config.raised(config.number("factor")), 1.0),
    "dynamic": _dynamic,
    "yarn": _yarn,
    "llama3": _llama3,
    "longrope": _longrope,
    "proportional": _proportional,
}


@validate.quiet
def rope_scaling(
    rope_parameters: dict[str, Any],
    head_dim: int,
    *,
    max_position_embeddings: int | None = None,
    seq_len: int | None = None,
    dtype: npt.DTypeLike = np.float64,
) -> tuple[npt.NDArray[np.floating], float]:
    """Return RoPE's frequencies as a model's config.json scales them: (inv_freq, attention_factor).

    Queries and keys are rotated by positions·inv_freq and multiplied by attention_factor, so scores
    are multiplied by its square.

    >>> from posenc_lib import inv_freq
    >>> yarn = {"rope_type": "yarn", "factor": 4.0}
    >>> scaled, factor = rope_scaling(yarn, 8, max_position_embeddings=4096)
    >>> (inv_freq(8) / scaled).round(1), round(factor, 3)
    (array([1. , 1. , 1.6, 4. ]), 1.139)

    Args:
        rope_parameters: `rope_parameters` or the older `rope_scaling` of a config.json. rope_type
            (or type) is one of default, linear, dynamic, ntk (raises the base once, and has no name
            in Hugging Face's code), yarn, longrope (su), llama3, proportional. rope_theta defaults
            to 10,000, and original_max_position_embeddings to max_position_embeddings. Keys of
            other types don't matter.
        head_dim: number of dims of a head, even. partial_rotary_factor is the fraction that
            rotates, rounded down to a number of dims, plus one if that's odd.
        max_position_embeddings: the longest text the model is made for.
        seq_len: length of this text, used by dynamic and longrope. None means within the original
            length.
        dtype: float64, or float32 for the values of a model in float32, which match transformers'
            up to the last digit.

    Returns: array of shape (rotating dims/2,), in radians per position, 0 for pairs that don't
        rotate; a float.
    Source: transformers 5.23, modeling_rope_utils; Chen et al. 2023 (linear), Peng et al. 2023
        (ntk, dynamic, yarn), Ding et al. 2024 (longrope), Grattafiori et al. 2024 (llama3).
    """
    config = _Config(rope_parameters, head_dim, max_position_embeddings, seq_len, dtype)
    theta, factor = ROPE_TYPES[config.type](config)
    return theta.astype(config.dtype), factor
