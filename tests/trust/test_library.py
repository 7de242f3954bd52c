"""Every public function of arrays keeps its docstring's word, in whatever guise arrays come, and refuses the rest."""

import re

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.validate import show

from .functions import DTYPES, HOLD_INFINITY, KEEP_DTYPE, PUBLIC, RECORDS, TOO_MUCH, bad_values, example, sizes

REFUSED = (TypeError, ValueError, ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeWarning)
FREE = {("apply_rope", "x"), ("transformer_xl_scores", "q")}  # pairs may stay unturned, queries be fewer than keys
FREE |= {("xpos", "q"), ("xpos", "k")}  # each is turned by itself, keys may have fewer heads


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


def test_every_public_function_has_a_record_of_a_good_call():
    assert sorted(RECORDS) == PUBLIC


def test_good_arguments_give_what_the_docstring_says_and_are_not_changed(rng):
    faults = {}
    for name, record in RECORDS.items():
        for lengths in sizes(name, rng):
            arguments, shapes = record(**lengths)
            before = {key: value.tobytes() for key, value in arrays(arguments).items()}
            with np.errstate(all="raise"):  # as a reader may have it who looks for mistakes of their own
                results = parts(getattr(pe, name)(**arguments))
            shapes = shapes if isinstance(shapes, list) else [shapes]
            dtypes = [np.dtype(kind) for kind in DTYPES.get(name, [float] * len(shapes))]
            good = [(np.shape(r), np.asarray(r).dtype) for r in results] == list(zip(shapes, dtypes, strict=True))
            good &= before == {key: value.tobytes() for key, value in arrays(arguments).items()}
            good &= not any(np.isnan(r).any() or (name not in HOLD_INFINITY and np.isinf(r).any()) for r in results)
            good &= not any(np.may_share_memory(r, value) for r in results for value in arrays(arguments).values())
            faults |= {} if good else {f"{name} {lengths}": [(np.shape(r), np.asarray(r).dtype) for r in results]}
    assert faults == {}


def test_the_guise_of_an_array_does_not_matter():
    differing = []
    for name in PUBLIC:
        plain = parts(getattr(pe, name)(**example(name)))
        for key, value in arrays(example(name)).items():
            for guise, dressed in GUISES.items():
                others = parts(getattr(pe, name)(**example(name) | {key: dressed(value)}))
                near = [np.allclose(r, other, rtol=1e-12, atol=0) for r, other in zip(plain, others, strict=True)]
                differing += [] if all(near) else [f"{name}: {key} {guise}"]
    assert differing == []


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_what_is_turned_or_reordered_keeps_its_dtype(dtype):
    for name in KEEP_DTYPE:
        arguments = example(name)
        key = "weights" if "weights" in arguments else "x"
        assert getattr(pe, name)(**arguments | {key: arguments[key].astype(dtype)}).dtype == dtype, name


def fault(name: str, changed: dict, error: type, blamed: set[str], rule: str) -> str:
    """Return what is wrong with the way in which a bad call is refused, if anything is."""
    try:
        getattr(pe, name)(**example(name) | changed)
    except REFUSED as caught:
        said = str(caught)
        named = any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", said) for word in blamed)
        good = type(caught) is error and named and rule in said and ("got" in said or rule == TOO_MUCH)
        return "" if good else f"{type(caught).__name__} instead of {error.__name__}, {rule!r}: {said}"
    return "taken for good"


@pytest.mark.parametrize("name", PUBLIC)
def test_each_argument_is_refused_by_each_of_its_rules(name):
    faults = {}
    for argument, value, error, rule in bad_values(name):
        blamed = {argument} if rule != TOO_MUCH else {*example(name), argument}  # a size belongs to all that make it
        wrong = fault(name, {argument: value}, error, blamed, rule)
        faults |= {f"{argument}={show(value)}": wrong} if wrong else {}
    assert faults == {}


def test_arrays_that_disagree_about_an_axis_are_refused():
    faults = {}
    for name, record in RECORDS.items():
        letters = dict(zip(record.__code__.co_varnames, range(2, 9), strict=False))
        good = record(**letters)[0]
        for letter in letters:
            longer = record(**letters | {letter: letters[letter] + 1})[0]
            moved = [key for key in arrays(good) if np.shape(good[key]) != np.shape(longer[key])]
            for key in moved if len(moved) > 1 else []:
                wrong = fault(name, {key: longer[key]}, ValueError, set(good), "must")
                faults |= {f"{name}: {key} by {letter}": wrong} if wrong and (name, key) not in FREE else {}
    assert faults == {}


def test_every_docstring_says_what_comes_out():
    for name in pe.__all__:
        assert getattr(pe, name).__doc__[0].isupper(), name
    silent = [
        name for name in PUBLIC if not re.search(r"Returns:.*shape|shape.*Returns:", getattr(pe, name).__doc__, re.S)
    ]
    assert silent == []


def test_numbers_close_to_the_limits_give_no_warning_and_no_nan():
    assert (pe.softmax([1e150, -1e150]) == [1, 0]).all()
    assert np.isfinite(pe.similarity_matrix([[1e150, -1e150]])).all()
    assert np.isfinite(pe.rope(np.full((3, 2), 32_752, np.float16))).all()
    assert np.allclose(np.abs(pe.freqs_cis([2**53 - 1, 7], 64)), 1, rtol=0, atol=1e-14)
    assert np.allclose(np.abs(pe.freqs_cis([1, 3], 8, 1e-100)), 1, rtol=0, atol=1e-14)


def test_data_that_are_not_finite_pass_through():
    x = np.ones((2, 3, 4))
    x[0, 1, 2] = np.nan
    touched = {"interleaved": np.s_[0, 1, 2:], "half": np.s_[0, 1, ::2]}  # the other dim of its pair, too
    for pairing, dims in touched.items():
        expected = np.zeros(x.shape, bool)
        expected[dims] = True
        for turned in (pe.rope(x, pairing=pairing), pe.apply_rope(x, pe.freqs_cis(3, 4), pairing=pairing)):
            assert (np.isnan(turned) == expected).all(), pairing
    weights = pe.attention(x, x, x)[1]
    assert (np.isnan(weights).all(axis=-1) == [[True] * 3, [False] * 3]).all()
    assert np.isnan(pe.similarity_matrix(x[0])[1]).all()
    assert np.isnan(pe.softmax([[np.nan, 0], [0, 0]])).tolist() == [[True, True], [False, False]]
