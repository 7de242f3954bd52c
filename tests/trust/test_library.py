"""Every public function of arrays keeps its docstring's word, in any guise of arrays."""

import re
from collections.abc import Callable
from inspect import signature

import numpy as np
import pytest

import posenc_lib as pe

# lessons and panels
OTHERS = {*"check hint solution scorecard explore figure playground present language".split()}
# tests of their own
OTHERS |= {*"census config_box model_config rope_scaling rope_from_config resonance".split()}
OTHERS |= {*"attention_temperature first_negative exact_head exact_head_2d".split()}
OTHERS |= {*"train trained_table mrope_positions diagnose".split()}
# classes
OTHERS |= {*"Additive Rotary Relative Bias Parameter".split()}
PUBLIC = sorted({*pe.__all__, *pe._OF_A_PAGE} - OTHERS)


def x(*shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape)).normal(size=shape)


# Sizes come in, a capital one is at least 1; arguments that fit together and the shape of each
# result come out.
RECORDS: dict[str, Callable] = {
    "alibi": lambda N, q, k: ({"num_heads": N, "q_len": q, "k_len": k}, (N, q, k)),
    "alibi_slopes": lambda N: ({"num_heads": N}, (N,)),
    "angles": lambda s, P: ({"positions": x(s), "dim": 2 * P}, (s, P)),
    "apply_rope": lambda b, s, P: (
        {"x": x(b, s, 2 * P), "freqs_cis": np.exp(1j * x(s, P))},
        (b, s, 2 * P),
    ),
    "attention": lambda b, q, K, D, e: (
        {
            "q": x(b, q, D),
            "k": x(b, K, D),
            "v": x(b, K, e),
            "scores": x(q, K),
            "bias": x(b, q, K),
            "mask": x(K) < 9,
        },
        [(b, q, e), (b, q, K)],
    ),
    "axis_of_pair": lambda A, P: ({"sections": np.full(A, P)}, (A * P,)),
    "bfloat16": lambda b, s: ({"x": x(b, s)}, (b, s)),
    "binary": lambda s, D: ({"positions": np.arange(s), "d_model": D + 2}, (s, D + 2)),
    "closest_pair": lambda S, d: ({"table": x(S + 1, d)}, [(), (), ()]),
    "convert_pairing": lambda N, P, d: (
        {"weights": x(N * 2 * P, d), "num_heads": N},
        (N * 2 * P, d),
    ),
    "cos_sin": lambda s, P: ({"positions": x(s), "dim": 2 * P}, [(s, 2 * P)] * 2),
    "fourier_features": lambda b, C, n: ({"x": x(b, C), "frequencies": x(n, C)}, (b, 2 * n)),
    "freqs_cis": lambda s, P: ({"positions": x(s), "dim": 2 * P}, (s, P)),
    "integer": lambda s, D: ({"positions": np.arange(s), "d_model": D}, (s, D)),
    "inv_freq": lambda P: ({"dim": 2 * P}, (P,)),
    "kerple": lambda h, q, k: ({"a": x(h) ** 2, "p": x(h) ** 2, "q_len": q, "k_len": k}, (h, q, k)),
    "learned": lambda N, D: (
        {"num_positions": N, "d_model": D, "rng": np.random.default_rng(0)},
        (N, D),
    ),
    "no_position": lambda s, D: ({"positions": x(s), "d_model": D}, (s, D)),
    "normalized": lambda N, D: ({"seq_len": N, "d_model": D}, (N, D)),
    "pairing_permutation": lambda P: ({"head_dim": 2 * P}, (2 * P,)),
    "relative_offsets": lambda q, k: ({"q_len": q, "k_len": k}, (q, k)),
    "resize_table": lambda H, W, d: (
        {"table": x(H * W + 1, d), "old": (H, W), "new": (W, H + 1), "prefix": 1},
        (W * (H + 1) + 1, d),
    ),
    "rope": lambda b, h, s, P: ({"x": x(b, h, s, 2 * P), "positions": x(b, s)}, (b, h, s, 2 * P)),
    "rope_2d": lambda b, H, W, P: (
        {"x": x(b, H * W, 4 * P), "height": H, "width": W},
        (b, H * W, 4 * P),
    ),
    "rope_matrix": lambda P: ({"position": 1.5, "head_dim": 2 * P}, (2 * P, 2 * P)),
    "rotation_matrix": lambda: ({"angle": 1.0}, (2, 2)),
    "sandwich": lambda N, q, P: ({"num_heads": N, "q_len": q, "dim": 2 * P}, (N, q, q)),
    "self_extend_offsets": lambda s, G, W: ({"seq_len": s, "group_size": G, "window": W}, (s, s)),
    "shaw_scores": lambda b, q, k, D, c: (
        {"q": x(b, q, D), "k": x(b, k, D), "table": x(2 * c + 1, D)},
        (b, q, k),
    ),
    "shift_matrix": lambda P: ({"offset": 1.5, "d_model": 2 * P}, (2 * P, 2 * P)),
    "similarity_matrix": lambda s, d: ({"table": x(s, d)}, (s, s)),
    "sine": lambda s, D: ({"positions": x(s), "d_model": D}, (s, D)),
    "sinusoidal": lambda s, P: ({"positions": x(s), "d_model": 2 * P}, (s, 2 * P)),
    "sinusoidal_2d": lambda H, W, P: ({"height": H, "width": W, "d_model": 4 * P}, (H * W, 4 * P)),
    "sinusoidal_kernel": lambda b, s, P: ({"offsets": x(b, s), "d_model": 2 * P}, (b, s)),
    "softmax": lambda b, S: ({"scores": x(b, S)}, (b, S)),
    "t5_bias": lambda B, H, q, k: ({"weights": x(4 * B, H), "q_len": q, "k_len": k}, (H, q, k)),
    "t5_bucket": lambda b, s: ({"offset": np.full((b, s), 3)}, (b, s)),
    "table_error": lambda s, P: (
        {"positions": x(s), "head_dim": 2 * P, "precision": "float32"},
        (s,),
    ),
    "timestep_embedding": lambda s, D: ({"t": x(s), "dim": D + 3}, (s, D + 3)),
    "transformer_xl_scores": lambda b, q, k, D: (
        {"q": x(b, q, D), "k": x(b, q + k, D), "r": x(q + k, D), "u": x(D), "v": x(D)},
        (b, q, q + k),
    ),
    "wavelengths": lambda P: ({"dim": 2 * P}, (P,)),
}
OF_INTEGERS = (
    "axis_of_pair binary integer pairing_permutation relative_offsets self_extend_offsets t5_bucket"
)
DTYPES: dict[str, list] = {name: [int] for name in OF_INTEGERS.split()}
DTYPES |= {"bfloat16": [np.float32], "closest_pair": [int, int, float], "freqs_cis": [complex]}
HOLD_INFINITY = {"transformer_xl_scores"}  # −inf at later keys, says the docstring
KEEP_DTYPE = "apply_rope convert_pairing rope rope_2d".split()  # of what they turn or reorder


def sizes(name: str, rng: np.random.Generator) -> list[dict[str, int]]:
    """Return some sizes, and others of which one is 0."""
    letters = list(signature(RECORDS[name]).parameters)
    drawn = [{letter: int(rng.integers(1, 6)) for letter in letters} for _ in range(3)]
    return drawn + [drawn[0] | {letter: 0} for letter in letters if letter.islower()]


def example(name: str) -> dict:
    """Return arguments that are good beside one bad one."""
    letters = signature(RECORDS[name]).parameters
    return RECORDS[name](**dict(zip(letters, range(2, 9), strict=False)))[0]


# pairs may stay unturned, queries be fewer than keys
FREE = {("apply_rope", "x"), ("transformer_xl_scores", "q")}


def read_only(x: np.ndarray) -> np.ndarray:
    result = x.copy()
    result.setflags(write=False)
    return result


GUISES = {
    "read-only": read_only,
    "every second": lambda x: np.repeat(x[..., None], 2, axis=-1)[..., 0],
    "transposed": lambda x: x.T.copy().T,
    "big-endian": lambda x: x.astype(x.dtype.newbyteorder(">")),
    "a list": lambda x: x.tolist(),
}


def parts(result) -> list:
    return list(result) if isinstance(result, tuple) else [result]


def arrays(arguments: dict) -> dict[str, np.ndarray]:
    return {name: value for name, value in arguments.items() if isinstance(value, np.ndarray)}


def test_good_arguments_give_what_the_docstring_says_and_are_not_changed(rng):
    rows = dict.fromkeys({*PUBLIC} - {*RECORDS}, "needs a good call in RECORDS")
    assert rows | dict.fromkeys({*RECORDS} - {*PUBLIC}, "is in RECORDS, not public") == {}
    faults = {}
    for name, record in RECORDS.items():
        for lengths in sizes(name, rng):
            arguments, shapes = record(**lengths)
            before = {key: value.tobytes() for key, value in arrays(arguments).items()}
            # as a reader may have it who looks for mistakes of their own
            with np.errstate(all="raise"):
                results = parts(getattr(pe, name)(**arguments))
            shapes = shapes if isinstance(shapes, list) else [shapes]
            dtypes = [np.dtype(kind) for kind in DTYPES.get(name, [float] * len(shapes))]
            made = [(np.shape(r), np.asarray(r).dtype) for r in results]
            good = made == list(zip(shapes, dtypes, strict=True))
            good &= before == {key: value.tobytes() for key, value in arrays(arguments).items()}
            for r in results:
                good &= not np.isnan(r).any()
                good &= name in HOLD_INFINITY or not np.isinf(r).any()
                given = arrays(arguments).values()
                good &= not any(np.may_share_memory(r, value) for value in given)
            if not good:
                faults[f"{name} {lengths}"] = made
    assert faults == {}


def test_the_guise_of_an_array_does_not_matter():
    differing = []
    for name in PUBLIC:
        plain = parts(getattr(pe, name)(**example(name)))
        for key, value in arrays(example(name)).items():
            for guise, dressed in GUISES.items():
                others = parts(getattr(pe, name)(**example(name) | {key: dressed(value)}))
                for r, other in zip(plain, others, strict=True):
                    if not np.allclose(r, other, rtol=1e-12, atol=0):
                        differing.append(f"{name}: {key} {guise}")
    assert differing == []


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_what_is_turned_or_reordered_keeps_its_dtype(dtype):
    for name in KEEP_DTYPE:
        arguments = example(name)
        key = "weights" if "weights" in arguments else "x"
        narrow = arguments | {key: arguments[key].astype(dtype)}
        assert getattr(pe, name)(**narrow).dtype == dtype, name


def refused(name: str, changed: dict, words: str) -> str:
    """Return what is wrong with the way in which a bad call is refused, if anything is."""
    try:
        getattr(pe, name)(**example(name) | changed)
    except (TypeError, ValueError) as refusal:
        return "" if re.search(words, str(refusal)) else str(refusal)
    return "taken for good"


def test_each_argument_is_checked():
    """What each rule refuses, and in which words, is in test_bad_input."""
    faults = {}
    for name in PUBLIC:
        for argument in signature(getattr(pe, name)).parameters:
            for value in (b"4", {4}, np.ma.masked_array([1.0])):
                fault = refused(name, {argument: value}, rf"\b{argument}\b.*got")
                faults[f"{name}: {argument}={value}"] = fault
    assert {call: words for call, words in faults.items() if words} == {}


def test_arrays_that_disagree_about_an_axis_are_refused():
    faults = {}
    for name, record in RECORDS.items():
        letters = dict(zip(record.__code__.co_varnames, range(2, 9), strict=False))
        good = record(**letters)[0]
        for letter in letters:
            longer = record(**letters | {letter: letters[letter] + 1})[0]
            moved = [key for key in arrays(good) if np.shape(good[key]) != np.shape(longer[key])]
            for key in moved if len(moved) > 1 else []:
                wrong = refused(name, {key: longer[key]}, "|".join(good))
                if wrong and (name, key) not in FREE:
                    faults[f"{name}: {key} by {letter}"] = wrong
    assert faults == {}


def test_numbers_close_to_the_limits_give_no_warning_and_no_nan():
    assert (pe.softmax([1e150, -1e150]) == [1, 0]).all()
    assert np.isfinite(pe.similarity_matrix([[1e150, -1e150]])).all()
    assert np.isfinite(pe.rope(np.full((3, 2), 32_752, np.float16))).all()
    assert np.allclose(np.abs(pe.freqs_cis([2**53 - 1, 7], 64)), 1, rtol=0, atol=1e-14)
    assert np.allclose(np.abs(pe.freqs_cis([1, 3], 8, 1e-100)), 1, rtol=0, atol=1e-14)


def test_data_that_are_not_finite_pass_through():
    x = np.ones((2, 3, 4))
    x[0, 1, 2] = np.nan
    # the other dim of its pair, too
    touched = {"interleaved": np.s_[0, 1, 2:], "half": np.s_[0, 1, ::2]}
    for pairing, dims in touched.items():
        expected = np.zeros(x.shape, bool)
        expected[dims] = True
        turned = pe.rope(x, pairing=pairing)
        assert (np.isnan(turned) == expected).all(), pairing
        turned = pe.apply_rope(x, pe.freqs_cis(3, 4), pairing=pairing)
        assert (np.isnan(turned) == expected).all(), pairing
    weights = pe.attention(x, x, x)[1]
    assert (np.isnan(weights).all(axis=-1) == [[True] * 3, [False] * 3]).all()
    assert np.isnan(pe.similarity_matrix(x[0])[1]).all()
    assert np.isnan(pe.softmax([[np.nan, 0], [0, 0]])).tolist() == [[True, True], [False, False]]
