"""A good call of every public function of arrays, and by the name of each argument what is wrong for it."""

from collections.abc import Callable
from inspect import signature

import numpy as np

import posenc_lib as pe

OTHERS = {"check", "hint", "solution", "scorecard", "explore", "figure", "playground", "present"}  # lessons and panels
OTHERS |= {"config_box", "model_config", "rope_scaling", "rope_from_config"}  # test_config_box, test_rope_scaling
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
    "sinusoidal_similarity": lambda N, P: ({"seq_len": N, "d_model": 2 * P}, (N, N)),
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
TOO_MUCH = "must give at most 2**30 numbers"
Rows = list[tuple[type[Exception], str, list]]  # the error, the rule in its message, and values that break it


def whole(low: int = 1, *, even: bool = False, grows: bool = True) -> Rows:
    """Return what is wrong for a whole number; where one grows, the result does."""
    rows: Rows = [
        (TypeError, "must be a whole number (int), got", [*NO_NUMBERS, 4.0, *ENDLESS]),
        (ValueError, f"must be at least {low}, got", [low - 1, -HUGE]),
        (ValueError, "must be at most", [EXACT + 1, HUGE]),
    ]
    rows += [(ValueError, "must be even", [low + 1])] if even else []
    return rows + ([(ValueError, TOO_MUCH, [10**13])] if grows else [])


def real(rule: str = "", values: tuple = (), *, positive: bool = False) -> Rows:
    """Return what is wrong for a real number, and by a rule of its own."""
    rows: Rows = [(TypeError, "must be a real number, got", NO_NUMBERS), (ValueError, rule, list(values))]
    rows += [(ValueError, "must be greater than 0, got", [0, -0.0, -1])] if positive else []
    return [*rows, (ValueError, "must be finite, got", [*ENDLESS, HUGE])]


def choice(*options: str) -> Rows:
    return [(ValueError, "must be one of ", [None, 4, "", [*options], options[0].upper(), options[0].encode()])]


def spoilt(good: np.ndarray, *values) -> list[np.ndarray]:
    """Return copies with one bad value each, in the middle."""
    copies = [np.array(good, np.result_type(good, type(value))) for value in values]
    for copy, value in zip(copies, values, strict=True):
        copy.flat[copy.size // 2] = value
    return copies


def array(good: np.ndarray) -> Rows:
    """Return what is wrong for an array of real numbers."""
    return [
        (TypeError, "must be a plain array, got a masked one", [np.ma.masked_array(good)]),
        (TypeError, "must hold real numbers, got", [None, "4", True, {4}, good.astype(str), good > 0, good * 1j]),
        (TypeError, "must hold real numbers, got", [good.astype(object)]),
        (ValueError, "must be a regular array of numbers, got", [[[1], [1, 2]]]),
        (ValueError, "must be finite", spoilt(good, NAN, INF)),
        (ValueError, "must lie within ±", spoilt(good, 1e200, -1e200)),
    ]


def axes(good: np.ndarray) -> Rows:
    """Return what is wrong for an array that has so many axes, or at least so many."""
    return [*array(good), (ValueError, "must have", [1.0])]


def positive(good: np.ndarray) -> Rows:
    return [*axes(good), (ValueError, "must be greater than 0, got", spoilt(good, 0.0, -1.0))]


def whole_array(good: np.ndarray) -> Rows:
    rows = [row for row in array(good) if "finite" not in row[1] and "within" not in row[1]]
    far = [(ValueError, "must lie within ±2**53, got", spoilt(good, 2**60))]
    return rows + far + [(TypeError, "must hold whole numbers, got", [good + 0.5])]


def unchecked(good: np.ndarray) -> Rows:
    """Return what is wrong for an array whose numbers are not looked at."""
    rows = [row for row in array(good) if "finite" not in row[1] and "within" not in row[1]]
    return [(error, rule.replace("real numbers, got", "real"), values) for error, rule, values in rows]


def positions(good: np.ndarray) -> Rows:
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


def whole_positions(good: np.ndarray) -> Rows:
    more = [(TypeError, "must be whole numbers", [[0.5, 1]]), (ValueError, "must be at least 0, got", [[3, -1]])]
    return positions(good) + more


def turns(good: np.ndarray) -> Rows:
    return [
        (TypeError, "must be a plain array, got a masked one", [np.ma.masked_array(good)]),
        (TypeError, "and freqs_cis complex numbers, got", [None, "4", {4}, good.real, good.astype(str)]),
        (ValueError, "must have shapes", [1j, good[0], good[:, :0]]),
    ]


def layers(good: list[np.ndarray]) -> Rows:
    first, *rest = good
    return [
        (ValueError, "must be a dict or a list of", [None, 4, "ab", [], rest, [*good, 1], np.ones((4, 1))]),
        (ValueError, "must have 0.weight, 0.bias, 2.weight, 2.bias, got none for", [{}, {"0.weight": first}]),
        (ValueError, "must have shape (4, 1), got (1, 4)", [[first.T, *rest]]),
        (ValueError, "must have 1 axis, got", [[*good[:3], good[2]]]),
        (ValueError, "must be finite, got", [[*good[:3], np.full_like(good[3], NAN)]]),
        (TypeError, "must hold real numbers, got", [[*good[:3], good[3] > 0]]),
    ]


FLAG: Rows = [(TypeError, "must be True or False, got", [None, 0, 1.0, "", "True", [True], np.int8(0)])]
NO_DTYPES = [None, int, complex, bool, 4, [4], ">f4", np.longdouble, "int8", "f4,f4", "nonsense", np.zeros((), "f4")]
DTYPE: Rows = [(ValueError, "must be float64, float32 or float16, got", NO_DTYPES)]
GRID: Rows = [
    (ValueError, "must be (height, width), got", [None, 4, "22", (2,), [1, 2, 3], np.ones((2, 2))]),
    (TypeError, "must be a whole number (int), got", [(1, 3.0), ("1", 3), [True, 3]]),
    (ValueError, "must be at least 1, got", [(0, 3), (3, -1)]),
    (ValueError, "must be at most 2**53, got", [(1, HUGE)]),
]
SECTIONS: Rows = [
    (ValueError, "must have 1 axis, got", [2, [[1, 2]]]),
    (ValueError, "must be at least 0, got -1", [[3, -1]]),
    (ValueError, "must have at least one pair, got", [[0, 0], []]),
    (TypeError, "must hold whole numbers, got", [[0.5, 1]]),
    (TypeError, "must hold real numbers, got", [None, "4", [True, True], [1j, 1]]),
]
OF_KEYS: Rows = [
    (TypeError, "must be a count or an array, got", ["4", True]),
    (ValueError, "must be finite, got", [[0, NAN]]),
    (ValueError, "must have one entry for each of the 4 keys", [[0], [0, 1, 2]]),
]
INV_FREQ: Rows = [
    (TypeError, "must hold real numbers, got", ["ab", [1j, 1], [True, True]]),
    (ValueError, "must have 1 axis, got", [1.0, [[1.0]]]),
    (ValueError, "must be finite, got", [[1.0, NAN], [INF, 1.0]]),
]
START: Rows = [
    (TypeError, "must hold real numbers, got", [None, "4", 1j]),
    (ValueError, "must be finite, got", [*ENDLESS, [NAN]]),
    (ValueError, "must lie within ±2**53, got", [1e300, [2.0**60]]),
]
FREQUENCIES: Rows = [
    (TypeError, "must hold real numbers, got", [None]),
    (ValueError, "must be one of 'axial', 'alternate', got", ["", "AXIAL", "both"]),
    (ValueError, "must have shape (2, ", [1.0, [1.0, 2.0]]),
]
AXIS: Rows = [row for row in whole(grows=False) if row[0] is TypeError]
AXIS += [(ValueError, "must be at least", [-9]), (ValueError, "must be at most", [9])]
BASE = real("must be between 1e-100 and 1e100, got", (1e300, 1e-300), positive=True)
PLACE = real("must lie within ±2**53, got", (1e16, -1e16, 1e300))
EVEN, COUNT, SMALL = whole(2, even=True), whole(), whole(grows=False)
RNG: Rows = [(TypeError, "must be a numpy.random.Generator, got", [None, 0, "0", np.random.RandomState(0), np.random])]
MASK: Rows = [(TypeError, "must hold True (may be seen) or False, got", [1, 0.5, "x", np.ones((3, 4))])]

WRONG: dict[str, Rows | Callable] = {  # by an argument's name, or where it is of another kind by function.argument
    **dict.fromkeys(("causal", "endpoint", "bidirectional", "divide", "interleaved", "restart"), FLAG),
    **dict.fromkeys(("include_input", "flip_sin_to_cos"), FLAG),
    **dict.fromkeys(("num_heads", "num_positions", "seq_len", "d_model", "height", "width"), COUNT),
    **dict.fromkeys(("dim", "head_dim"), EVEN),
    **{f"{name}.d_model": EVEN for name in PUBLIC if name.startswith(("sinusoidal", "shift"))},
    **dict.fromkeys(("convert_pairing.num_heads", "group_size", "window"), SMALL),
    **{"rope_2d.height": SMALL, "rope_2d.width": SMALL, "self_extend_offsets.seq_len": whole(0)},
    **dict.fromkeys(("q_len", "k_len"), whole(0)),
    **{"prefix": whole(0, grows=False), "axis": AXIS},
    **{"rotary_dim": whole(2, even=True, grows=False), "num_buckets": whole(4, even=True, grows=False)},
    "timestep_embedding.dim": whole(2),
    "sinusoidal_2d.d_model": [*whole(4), (ValueError, "must be a multiple of 4", [6, 7])],
    "max_distance": [
        *SMALL,
        (ValueError, "must be greater than", [1]),
    ],
    **dict.fromkeys(("q", "k", "r", "u", "v", "table", "weights", "pos_emb", "t", "frequencies"), axes),
    **dict.fromkeys(("x", "scores", "bias", "offsets"), array),
    **{"apply_rope.x": unchecked, "t5_bucket.offset": whole_array, "rope_nd.positions": axes},
    **{"a": positive, "p": positive, "freqs_cis": turns, "fire.weights": layers},
    **{"positions": positions, "binary.positions": whole_positions},
    **{"mask": MASK, "sections": SECTIONS, "old": GRID, "new": GRID, "inv_freq": INV_FREQ, "start_pos": START},
    **{"rope_2d.frequencies": FREQUENCIES, "rng": RNG, "dtype": DTYPE, "angles_dtype": DTYPE},
    **{"alibi.positions": OF_KEYS},
    **{"base": BASE, "position": PLACE, "offset": PLACE, "angle": real()},
    **dict.fromkeys(("attention.scale", "scale_base", "attention_factor", "max_bias"), real(positive=True)),
    **dict.fromkeys(("c", "threshold"), real("must be at most 1e100, got", (1e101,), positive=True)),
    "timestep_embedding.scale": real("must lie within ±1e50, got", (1e51, -1e300)),
    "max_period": real("must be between 1e-100 and 1e100, got", (0, -1, 1e300)),
    "downscale_freq_shift": real("must be less than dim // 2", (1e9,)),
    **{"pairing": choice("interleaved", "half"), "to": choice("interleaved", "half"), "order": choice("yx", "xy")},
    **{"layout": choice("interleaved", "concatenated"), "kind": choice("power", "log")},
    "precision": choice("float16", "bfloat16", "float64, rounded once", "float32"),
}


def bad_values(name: str) -> list[tuple[str, object, type[Exception], str]]:
    """Return what a function must refuse: (argument, value, error, rule in its message)."""
    good, found = example(name), []
    for argument, parameter in signature(getattr(pe, name)).parameters.items():
        wrong = WRONG[f"{name}.{argument}"] if f"{name}.{argument}" in WRONG else WRONG[argument]
        rows = wrong(good[argument]) if callable(wrong) else wrong
        values = [(argument, value, error, rule) for error, rule, values in rows for value in values]
        found += [one for one in values if one[1] is not None or parameter.default is not None]  # None is a default
    return found
