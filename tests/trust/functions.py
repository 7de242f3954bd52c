"""A good call of every public function of arrays, and by the name of each argument what is wrong for it."""

from collections.abc import Callable
from functools import partial
from inspect import signature

import numpy as np

import posenc_lib as pe
from posenc_lib.encodings import plane, validate
from posenc_lib.encodings.mrope import counts

OTHERS = {"check", "hint", "solution", "scorecard", "explore", "figure", "playground", "present"}  # lessons and panels
OTHERS |= {"census", "config_box", "model_config", "rope_scaling", "rope_from_config"}  # test_config_box and others
OTHERS |= {"attention_temperature", "resonance", "first_negative", "exact_head"}  # test_rope_scaling, test_exact_head
OTHERS |= {"train", "trained_table", "mrope_positions", "exact_head_2d", "diagnose"}  # tests of their own
OTHERS |= {"Additive", "Rotary", "Relative", "Bias", "Parameter"}  # classes
PUBLIC = sorted(set(pe.__all__) - OTHERS)


def x(*shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape)).normal(size=shape)


def network(hidden: int, heads: int) -> list[np.ndarray]:
    return [x(hidden, 1), x(hidden), x(heads, hidden), x(heads)]


# Sizes come in, a capital one is at least 1; arguments that fit together and the shape of each result come out.
RECORDS: dict[str, Callable] = {
    "alibi": lambda N, q, k: ({"num_heads": N, "q_len": q, "k_len": k}, (N, q, k)),
    "alibi_slopes": lambda N: ({"num_heads": N}, (N,)),
    "angles": lambda s, P: ({"positions": x(s), "dim": 2 * P}, (s, P)),
    "apply_rope": lambda b, s, P: ({"x": x(b, s, 2 * P), "freqs_cis": np.exp(1j * x(s, P))}, (b, s, 2 * P)),
    "attention": lambda b, q, K, D, e: (
        {"q": x(b, q, D), "k": x(b, K, D), "v": x(b, K, e), "scores": x(q, K), "bias": x(b, q, K), "mask": x(K) < 9},
        [(b, q, e), (b, q, K)],
    ),
    "axis_of_pair": lambda A, P: ({"sections": np.full(A, P)}, (A * P,)),
    "bfloat16": lambda b, s: ({"x": x(b, s)}, (b, s)),
    "binary": lambda s, D: ({"positions": np.arange(s), "d_model": D + 2}, (s, D + 2)),
    "closest_pair": lambda S, d: ({"table": x(S + 1, d)}, [(), (), ()]),
    "convert_pairing": lambda N, P, d: ({"weights": x(N * 2 * P, d), "num_heads": N}, (N * 2 * P, d)),
    "cope": lambda b, q, k, D, E: ({"q": x(b, q, D), "k": x(b, k, D), "pos_emb": x(D, E)}, (b, q, k)),
    "cos_sin": lambda s, P: ({"positions": x(s), "dim": 2 * P}, [(s, 2 * P)] * 2),
    "fire": lambda q, H: ({"q_len": q, "weights": network(4, H), "c": 1.0, "threshold": 2.0}, (H, q, q)),
    "fourier_features": lambda b, C, n: ({"x": x(b, C), "frequencies": x(n, C)}, (b, 2 * n)),
    "freqs_cis": lambda s, P: ({"positions": x(s), "dim": 2 * P}, (s, P)),
    "integer": lambda s, D: ({"positions": np.arange(s), "d_model": D}, (s, D)),
    "inv_freq": lambda P: ({"dim": 2 * P}, (P,)),
    "kerple": lambda h, q, k: ({"a": x(h) ** 2, "p": x(h) ** 2, "q_len": q, "k_len": k}, (h, q, k)),
    "learned": lambda N, D: ({"num_positions": N, "d_model": D, "rng": np.random.default_rng(0)}, (N, D)),
    "no_position": lambda s, D: ({"positions": x(s), "d_model": D}, (s, D)),
    "normalized": lambda N, D: ({"seq_len": N, "d_model": D}, (N, D)),
    "pairing_permutation": lambda P: ({"head_dim": 2 * P}, (2 * P,)),
    "relative_offsets": lambda q, k: ({"q_len": q, "k_len": k}, (q, k)),
    "resize_table": lambda H, W, d: (
        {"table": x(H * W + 1, d), "old": (H, W), "new": (W, H + 1), "prefix": 1},
        (W * (H + 1) + 1, d),
    ),
    "rope": lambda b, h, s, P: ({"x": x(b, h, s, 2 * P), "positions": x(b, s)}, (b, h, s, 2 * P)),
    "rope_2d": lambda b, H, W, P: ({"x": x(b, H * W, 4 * P), "height": H, "width": W}, (b, H * W, 4 * P)),
    "rope_matrix": lambda P: ({"position": 1.5, "head_dim": 2 * P}, (2 * P, 2 * P)),
    "rope_nd": lambda b, s, A, P: (
        {"x": x(b, s, 2 * A * P), "positions": x(A, s), "sections": np.full(A, P)},
        (b, s, 2 * A * P),
    ),
    "rotation_matrix": lambda: ({"angle": 1.0}, (2, 2)),
    "sandwich": lambda N, q, P: ({"num_heads": N, "q_len": q, "dim": 2 * P}, (N, q, q)),
    "self_extend_offsets": lambda s, G, W: ({"seq_len": s, "group_size": G, "window": W}, (s, s)),
    "shaw_scores": lambda b, q, k, D, c: ({"q": x(b, q, D), "k": x(b, k, D), "table": x(2 * c + 1, D)}, (b, q, k)),
    "shaw_values": lambda b, q, k, d, c: ({"weights": x(b, q, k), "table": x(2 * c + 1, d)}, (b, q, d)),
    "shift_matrix": lambda P: ({"offset": 1.5, "d_model": 2 * P}, (2 * P, 2 * P)),
    "similarity_matrix": lambda s, d: ({"table": x(s, d)}, (s, s)),
    "sine": lambda s, D: ({"positions": x(s), "d_model": D}, (s, D)),
    "sinusoidal": lambda s, P: ({"positions": x(s), "d_model": 2 * P}, (s, 2 * P)),
    "sinusoidal_2d": lambda H, W, P: ({"height": H, "width": W, "d_model": 4 * P}, (H * W, 4 * P)),
    "sinusoidal_kernel": lambda b, s, P: ({"offsets": x(b, s), "d_model": 2 * P}, (b, s)),
    "softmax": lambda b, S: ({"scores": x(b, S)}, (b, S)),
    "t5_bias": lambda B, H, q, k: ({"weights": x(4 * B, H), "q_len": q, "k_len": k}, (H, q, k)),
    "t5_bucket": lambda b, s: ({"offset": np.full((b, s), 3)}, (b, s)),
    "table_error": lambda s, P: ({"positions": x(s), "head_dim": 2 * P, "precision": "float32"}, (s,)),
    "timestep_embedding": lambda s, D: ({"t": x(s), "dim": D + 3}, (s, D + 3)),
    "transformer_xl_scores": lambda b, q, k, D: (
        {"q": x(b, q, D), "k": x(b, q + k, D), "r": x(q + k, D), "u": x(D), "v": x(D)},
        (b, q, q + k),
    ),
    "wavelengths": lambda P: ({"dim": 2 * P}, (P,)),
    "xpos": lambda b, s, t, P: ({"q": x(b, s, 2 * P), "k": x(b, t, 2 * P)}, [(b, s, 2 * P), (b, t, 2 * P)]),
}
OF_INTEGERS = "axis_of_pair binary integer pairing_permutation relative_offsets self_extend_offsets t5_bucket"
DTYPES: dict[str, list] = {name: [int] for name in OF_INTEGERS.split()}
DTYPES |= {"bfloat16": [np.float32], "closest_pair": [int, int, float], "freqs_cis": [complex]}
HOLD_INFINITY = {"cope", "transformer_xl_scores"}  # −inf at later keys, says the docstring
KEEP_DTYPE = "apply_rope convert_pairing rope rope_2d rope_nd".split()  # of what they turn or reorder


def sizes(name: str, rng: np.random.Generator) -> list[dict[str, int]]:
    """Return some sizes, and others of which one is 0."""
    letters = list(signature(RECORDS[name]).parameters)
    drawn = [{letter: int(rng.integers(1, 6)) for letter in letters} for _ in range(3)]
    return drawn + [drawn[0] | {letter: 0} for letter in letters if letter.islower()]


def example(name: str) -> dict:
    """Return arguments that are good beside one bad one."""
    letters = signature(RECORDS[name]).parameters
    return RECORDS[name](**dict(zip(letters, range(2, 9), strict=False)))[0]


EXACT, HUGE, NAN, INF = 2**53, 10**5000, float("nan"), float("inf")
ENDLESS = [NAN, INF, -INF]
NO_NUMBERS = [None, True, np.True_, "4", "nan", b"4", 1j, {4}, [4], [None], np.array(4)]
NO_DTYPES = [None, int, complex, bool, 4, [4], ">f4", np.longdouble, "int8", "f4,f4", "nonsense", np.zeros((), "f4")]
TOO_MUCH = "the limit is 8 GiB (2**30 numbers)"
Rows = list[tuple[type[Exception], str, list]]  # the error, the rule in its message, and values that break it

# What breaks each kind of rule; `good` is a value that passes, the limits are those of the rule itself.


def whole(good=None, *, low: int = 1, high: int = EXACT, even: bool = False) -> Rows:
    return [
        (TypeError, "must be a whole number (int), got", [*NO_NUMBERS, 4.0, *ENDLESS]),
        (ValueError, f"must be at least {low}, got", [low - 1, -HUGE]),
        (ValueError, "must be at most", [high + 1, HUGE]),
        (ValueError, "must be even", [low + 1] if even else []),
    ]


def real(good=None, *, above: float = -INF, low: float = -INF, high: float = INF) -> Rows:
    beyond = [x for x in (2 * low if low < 0 else low / 2, 2 * high) if np.isfinite(x)]
    return [
        (TypeError, "must be a real number, got", NO_NUMBERS),
        (ValueError, "must be finite, got", [*ENDLESS, HUGE]),
        (ValueError, "must be greater than 0, got", [0, -0.0, -1] if above == 0 else []),
        (ValueError, "must ", [x for x in beyond if x > above]),
    ]


def choice(good=None, *, options: tuple[str, ...]) -> Rows:
    return [(ValueError, "must be one of ", [None, 4, "", [*options], options[0].upper(), options[0].encode()])]


def flag(good=None) -> Rows:
    return [(TypeError, "must be True or False, got", [None, 0, 1.0, "", "True", [True], np.int8(0)])]


def dtype(good=None) -> Rows:
    return [(ValueError, "must be float64, float32 or float16, got", NO_DTYPES)]


def spoilt(good: np.ndarray, *values) -> list[np.ndarray]:
    """Return copies with one bad value each, in the middle."""
    copies = [np.array(good, np.result_type(good, type(value))) for value in values]
    for copy, value in zip(copies, values, strict=True):
        copy.flat[copy.size // 2] = value
    return copies


def array(good, *, ndim=None, min_ndim=0, finite=True, whole=False, within=False, above=None, dtype=None) -> Rows:
    good = np.ones((2,) * (ndim or max(min_ndim, 1))) if good is None else np.asarray(good)
    few = [1.0] if (ndim or min_ndim) else []
    return [
        (TypeError, "must be a plain array, got a masked one", [np.ma.masked_array(good)]),
        (TypeError, "must hold real numbers, got", [None, "4", True, {4}, good.astype(str), good > 0, good * 1j]),
        (TypeError, "must hold real numbers, got", [good.astype(object)]),
        (TypeError, "must hold whole numbers, got", [good + 0.5] if whole else []),
        (ValueError, "must be a regular array of numbers, got", [[[1], [1, 2]]]),
        (ValueError, "must have", few),
        (ValueError, "must be finite", spoilt(good.astype(float), NAN, INF) if finite and not whole else []),
        (ValueError, "must lie within ±2**53, got", spoilt(good, 2**60) if within else []),
        (ValueError, "must be greater than 0, got", spoilt(good, 0.0, -1.0) if above == 0 else []),
    ]


def positions(good) -> Rows:
    return [
        (TypeError, "must be a count or an array, got", [None, "4", b"4", np.True_]),
        (TypeError, "must be a whole number (int), got", [1j, 0.5, 4.0, NAN]),
        (TypeError, "must hold real numbers, got", [{4}, ["a"], [True], [1j], [None]]),
        (TypeError, "must be a plain array, got a masked one", [np.ma.masked_array(good)]),
        (ValueError, "must be finite, got", [[0, NAN], [INF, 1]]),
        (ValueError, "must be at least 0, got", [-1]),
        (ValueError, "must be at most 2**53, got", [HUGE]),
        (ValueError, "must lie within ±2**53, got", [[0, 2**60], [1e16, 0]]),
        (ValueError, "must have shape (seq_len,) or (batch, seq_len), got", [np.array(3), np.zeros((1, 2, 3))]),
        (ValueError, "must be a regular array of numbers, got", [[[1], [2, 3]]]),
    ]


def pair_of(good, *, meaning: str) -> Rows:
    return [
        (ValueError, f"must be {meaning}, got", [None, 4, "22", (2,), [1, 2, 3], np.ones((2, 2))]),
        (TypeError, "must be a whole number (int), got", [(1, 3.0), ("1", 3), [True, 3]]),
        (ValueError, "must be at least 1, got", [(0, 3), (3, -1)]),
        (ValueError, "must be at most 2**53, got", [(1, HUGE)]),
    ]


def sections(good) -> Rows:
    return [
        (ValueError, "must have 1 axis, got", [2, [[1, 2]]]),
        (ValueError, "must be at least 0, got -1", [[3, -1]]),
        (ValueError, "must have at least one pair, got", [[0, 0], []]),
        (TypeError, "must hold whole numbers, got", [[0.5, 1]]),
        (TypeError, "must hold real numbers, got", [None, "4", [True, True], [1j, 1]]),
    ]


def quarter(good) -> Rows:
    return [*whole(low=4), (ValueError, "must be a multiple of 4", [6, 7])]


BREAKING: dict[Callable, Callable[..., Rows]] = {
    validate.integer: whole,
    validate.real: real,
    validate.choice: choice,
    validate.flag: flag,
    validate.float_dtype: dtype,
    validate.array: array,
    validate.RULES["positions"]: positions,
    validate.pair_of: pair_of,
    counts: sections,
    plane.quarter: quarter,
}


def layers(good: list[np.ndarray]) -> Rows:
    first, *rest = good
    return [
        (ValueError, "must be a dict or a list of", [None, 4, "ab", [], rest, [*good, 1], np.ones((4, 1))]),
        (ValueError, "must have 0.weight, 0.bias, 2.weight, 2.bias, got none for", [{}, {"0.weight": first}]),
        (ValueError, "must have shape (4, 1), got (1, 4)", [[first.T, *rest]]),
        (TypeError, "must hold real numbers, got", [[*good[:3], good[3] > 0]]),
    ]


def turns(good: np.ndarray) -> Rows:
    return [
        (TypeError, "must be a plain array, got a masked one", [np.ma.masked_array(good)]),
        (TypeError, "must hold complex numbers, got", [None, "4", {4}, good.real, good.astype(str)]),
        (ValueError, "must have shapes", [1j, good[0], good[:, :0]]),
    ]


# What breaks the arguments that a function looks at itself, by function.argument, beside what its rule says
OWN: dict[str, Callable[..., Rows]] = {
    "binary.positions": lambda good: [
        *positions(good),
        (TypeError, "must be whole numbers", [[0.5, 1]]),
        (ValueError, "must be at least 0, got", [[3, -1]]),
    ],
    "alibi.positions": lambda good: [(ValueError, "must have one entry for each of the 4 keys", [[0], [0, 1, 2]])],
    "apply_rope.freqs_cis": turns,
    "attention.bias": partial(array, finite=False),
    "attention.scores": partial(array, finite=False),
    "attention.mask": lambda good: [
        (TypeError, "must hold True (may be seen) or False, got", [1, 0.5, "x", np.ones((3, 4))]),
    ],
    "convert_pairing.weights": lambda good: array(good, min_ndim=1, finite=False),
    "fire.weights": layers,
    "learned.rng": lambda good: [
        (TypeError, "must be a numpy.random.Generator, got", [None, 0, "0", np.random.RandomState(0), np.random]),
    ],
    "rope.start_pos": lambda good: [
        (TypeError, "must hold real numbers, got", [None, "4", 1j]),
        (ValueError, "must be finite, got", [*ENDLESS, [NAN]]),
        (ValueError, "must lie within ±2**53, got", [1e300, [2.0**60]]),
    ],
    "rope_2d.frequencies": lambda good: [
        (TypeError, "must hold real numbers, got", [None]),
        (ValueError, "must be one of 'axial', 'alternate', got", ["", "AXIAL", "both"]),
        (ValueError, "must have shape (2, ", [1.0, [1.0, 2.0]]),
    ],
    "self_extend_offsets.seq_len": lambda good: whole(low=0),
    "softmax.axis": lambda good: whole(low=-2, high=1),
    "t5_bias.weights": lambda good: array(good, ndim=2, finite=False),
    "t5_bucket.max_distance": lambda good: [(ValueError, "must be greater than", [1])],
    "timestep_embedding.downscale_freq_shift": lambda good: [(ValueError, "must be less than dim // 2", [1e9])],
}


def broken(name: str, argument: str, good) -> Rows:
    """Return what breaks an argument of a function: by the rule of its name, and by those of the function itself."""
    function, rows = getattr(pe, name), []
    rule = getattr(function, "rules", validate.RULES).get(argument)
    if rule and f"{name}.{argument}" != "self_extend_offsets.seq_len":
        kind = getattr(rule, "func", rule)
        rows += BREAKING[kind](good, **getattr(rule, "keywords", {}))
    if f"{name}.{argument}" in OWN:
        rows += OWN[f"{name}.{argument}"](good)
    assert rows, f"{name}.{argument} has no rule and no row"
    return rows + [(ValueError, TOO_MUCH, [10**13])] * (argument in getattr(function, "sizes", ()))


def bad_values(name: str) -> list[tuple[str, object, type[Exception], str]]:
    """Return what a function must refuse: (argument, value, error, rule in its message)."""
    good, found = example(name), []
    for argument, parameter in signature(getattr(pe, name)).parameters.items():
        rows = broken(name, argument, good.get(argument))
        values = [(argument, value, error, rule) for error, rule, values in rows for value in values]
        found += [one for one in values if one[1] is not None or parameter.default is not None]  # None is a default
    return found
