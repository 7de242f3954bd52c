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


HUGE, NAN, INF = 10**5000, float("nan"), float("inf")
NO_NUMBERS = [None, True, np.True_, "4", "nan", b"4", 1j, {4}, [4], [None], np.array(4)]
NO_NUMBERS += [NAN, INF, -INF, HUGE, -HUGE]


def whole(low: int = 1, *, even: bool = False, grows: bool = True) -> list:
    """Return what is wrong for a whole number; where one grows, the result does."""
    return [*NO_NUMBERS, 4.0, 2**53 + 1, low - 1] + [low + 1] * even + [10**13] * grows


def real(*more: float, positive: bool = False) -> list:
    """Return what is wrong for a real number, and more."""
    return [*NO_NUMBERS, *more] + [0, -0.0, -1] * positive


def choice(option: str) -> list:
    return [None, 4, "", [option], option.upper(), option.encode()]


def spoilt(good: np.ndarray, *values) -> list[np.ndarray]:
    """Return copies with one bad value each, in the middle."""
    copies = [np.array(good, np.result_type(good, type(value))) for value in values]
    for copy, value in zip(copies, values, strict=True):
        copy.flat[copy.size // 2] = value
    return copies


def unchecked(good: np.ndarray) -> list:
    """Return what is wrong for an array whose numbers are not looked at."""
    others = [np.ma.masked_array(good), good.astype(str), good.astype(object), good > 0, good * 1j]
    return [None, "4", True, {4}, [[1], [1, 2]], *others]


def array(good: np.ndarray) -> list:
    """Return what is wrong for an array of real numbers."""
    return [*unchecked(good), *spoilt(good, NAN, INF, 1e200, -1e200)]


def axes(good: np.ndarray) -> list:
    """Return what is wrong for an array that has so many axes, or at least so many."""
    return [*array(good), 1.0]


def positive(good: np.ndarray) -> list:
    return [*axes(good), *spoilt(good, 0.0, -1.0)]


def whole_array(good: np.ndarray) -> list:
    return [*unchecked(good), *spoilt(good, 2**60), good + 0.5]


def turns(good: np.ndarray) -> list:
    return [np.ma.masked_array(good), None, "4", {4}, good.real, good.astype(str), 1j, good[0], good[:, :0]]


def layers(good: list[np.ndarray]) -> list:
    first, *rest = good
    kinds = [None, 4, "ab", [], {}, {"0.weight": first}, rest, [*good, 1], np.ones((4, 1)), [first.T, *rest]]
    return kinds + [[*good[:3], last] for last in (good[2], np.full_like(good[3], NAN), good[3] > 0)]


POSITIONS = [None, "4", b"4", np.True_, 1j, 0.5, 4.0, NAN, -1, HUGE, {4}, ["a"], [True], [1j], [None], [0, NAN]]
POSITIONS += [[INF, 1], [0, 2**60], [1e16, 0], [[1], [2, 3]], np.array(3), np.zeros((1, 2, 3)), np.ma.array([1, 2])]
FLAG = [None, 0, 1.0, "", "True", [True], np.int8(0)]
NO_DTYPES = [None, int, complex, bool, 4, [4], ">f4", np.longdouble, "int8", "f4,f4", "nonsense", np.zeros((), "f4")]
GRID = [None, 4, "22", (2,), [1, 2, 3], np.ones((2, 2)), (1, 3.0), ("1", 3), [True, 3], (0, 3), (3, -1), (1, HUGE)]
SECTIONS = [None, "4", 2, [[1, 2]], [3, -1], [0, 0], [], [0.5, 1], [True, True], [1j, 1]]
INV_FREQ = ["ab", [1j, 1], [True, True], 1.0, [[1.0]], [1.0, NAN], [INF, 1.0]]
START = [None, "4", 1j, NAN, INF, -INF, [NAN], 1e300, [2.0**60]]
BASE, PLACE = real(1e300, 1e-300, positive=True), real(1e16, -1e16, 1e300)
EVEN, COUNT, SMALL = whole(2, even=True), whole(), whole(grows=False)

WRONG: dict[str, list | Callable] = {  # by an argument's name, or where it is of another kind by function.argument
    **dict.fromkeys("causal endpoint bidirectional divide interleaved restart".split(), FLAG),
    **dict.fromkeys(("include_input", "flip_sin_to_cos"), FLAG),
    **dict.fromkeys(("num_heads", "num_positions", "seq_len", "d_model", "height", "width"), COUNT),
    **dict.fromkeys(("dim", "head_dim"), EVEN),
    **{f"{name}.d_model": EVEN for name in PUBLIC if name.startswith(("sinusoidal", "shift"))},
    **dict.fromkeys(("convert_pairing.num_heads", "group_size", "window", "rope_2d.height", "rope_2d.width"), SMALL),
    **dict.fromkeys(("q_len", "k_len", "self_extend_offsets.seq_len"), whole(0)),
    **{"prefix": whole(0, grows=False), "axis": [*NO_NUMBERS[:11], 4.0, -9, 9]},
    **{"rotary_dim": whole(2, even=True, grows=False), "num_buckets": whole(4, even=True, grows=False)},
    **{"timestep_embedding.dim": whole(2), "sinusoidal_2d.d_model": [*whole(4), 6, 7], "max_distance": [*SMALL, 1]},
    **dict.fromkeys(("q", "k", "r", "u", "v", "table", "weights", "pos_emb", "t", "frequencies"), axes),
    **dict.fromkeys(("x", "scores", "bias", "offsets"), array),
    **{"apply_rope.x": unchecked, "t5_bucket.offset": whole_array, "rope_nd.positions": axes},
    **{"a": positive, "p": positive, "freqs_cis": turns, "fire.weights": layers},
    **{"positions": POSITIONS, "binary.positions": [*POSITIONS, [0.5, 1], [3, -1]]},
    **{"mask": [1, 0.5, "x", np.ones((3, 4))], "sections": SECTIONS, "old": GRID, "new": GRID},
    **{"inv_freq": INV_FREQ, "start_pos": START, "dtype": NO_DTYPES, "angles_dtype": NO_DTYPES},
    "rope_2d.frequencies": [None, "", "AXIAL", "both", 1.0, [1.0, 2.0]],
    "rng": [None, 0, "0", np.random.RandomState(0), np.random],
    "alibi.positions": ["4", True, [0, NAN], [0], [0, 1, 2]],
    **{"base": BASE, "position": PLACE, "offset": PLACE, "angle": real()},
    **dict.fromkeys(("attention.scale", "scale_base", "attention_factor", "max_bias"), real(positive=True)),
    **dict.fromkeys(("c", "threshold"), real(1e101, positive=True)),
    **{"timestep_embedding.scale": real(1e51, -1e300), "downscale_freq_shift": real(1e9)},
    "max_period": real(0, -1, 1e300),
    **{"pairing": choice("half"), "to": choice("half"), "order": choice("yx"), "layout": choice("interleaved")},
    **{"kind": choice("log"), "precision": choice("float32")},
}


def bad_values(name: str) -> list[tuple[str, object]]:
    """Return what a function must refuse: (argument, value)."""
    good, found = example(name), []
    for argument, parameter in signature(getattr(pe, name)).parameters.items():
        wrong = WRONG[f"{name}.{argument}"] if f"{name}.{argument}" in WRONG else WRONG[argument]
        values = wrong(good[argument]) if callable(wrong) else wrong
        found += [(argument, x) for x in values if x is not None or parameter.default is not None]  # None is a default
    return found
