"""Bad input: each function, each kind, its error; the message names the argument, the rule and what came."""

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings import validate
from tests.encodings import bad_relative

RNG = np.random.default_rng(0)
X = np.ones((4, 8))
NAN = float("nan")
HUGE = 10**13
LONG = np.broadcast_to(1.0, (10**6, 4))

CASES = [
    # (call, type of error, words of the message)
    (lambda: pe.inv_freq(7), ValueError, "dim must be even, got 7"),
    (lambda: pe.inv_freq(0), ValueError, "dim must be at least 2, got 0"),
    (lambda: pe.inv_freq(-2), ValueError, "dim must be at least 2, got -2"),
    (lambda: pe.inv_freq(True), TypeError, "dim must be a whole number (int), got True (bool)"),
    (lambda: pe.inv_freq(4.0), TypeError, "dim must be a whole number (int), got 4.0 (float)"),
    (lambda: pe.inv_freq("4"), TypeError, "dim must be a whole number (int), got '4' (str)"),
    (lambda: pe.inv_freq(4, 0), ValueError, "base must be greater than 0, got 0"),
    (lambda: pe.inv_freq(4, -1.0), ValueError, "base must be greater than 0, got -1"),
    (lambda: pe.inv_freq(4, NAN), ValueError, "base must be finite, got nan"),
    (lambda: pe.inv_freq(4, 10**400), ValueError, "base must be finite, got inf"),
    (lambda: pe.inv_freq(4, 1e-300), ValueError, "base must be between 1e-100 and 1e100, got 1e-300"),
    (lambda: pe.inv_freq(4, True), TypeError, "base must be a real number, got True (bool)"),
    (lambda: pe.inv_freq(4, "10"), TypeError, "base must be a real number, got '10' (str)"),
    (lambda: pe.inv_freq(4, 1j), TypeError, "base must be a real number, got 1j (complex)"),
    (lambda: pe.inv_freq(HUGE), ValueError, "dim must give a result of at most"),
    (lambda: pe.inv_freq(10**400), ValueError, "dim must be at most 2**53, got 1000"),
    (lambda: pe.integer(10**5000, 4), ValueError, "positions must be at most 2**53, got a whole number of"),
    (lambda: pe.integer(0, 2**50), ValueError, "positions must give a result of at most"),
    (lambda: pe.binary([], 10**12), ValueError, "positions must give a result of at most"),
    (lambda: pe.binary([[1, 2], [3]], 2), ValueError, "positions must be a regular array of numbers"),
    (lambda: pe.angles(np.ma.array([1, 2], mask=[0, 1]), 4), TypeError, "positions must be a plain array"),
    (lambda: pe.angles(np.array([-(2**63), 2**62]), 4), ValueError, "within ±2**53, got -9223372036854775808"),
    (lambda: pe.angles(np.array([np.longdouble("1e400")]), 4), ValueError, "positions must be finite, got inf"),
    (lambda: pe.sinusoidal(4, 8, dtype="a"), ValueError, "dtype must be float64, float32 or float16, got 'a'"),
    (lambda: pe.shift_matrix(1e308, 64), ValueError, "offset must lie within ±2**53, got 1e+308"),
    (lambda: pe.rope_matrix(1e300, 64), ValueError, "position must lie within ±2**53, got 1e+300"),
    (lambda: pe.sinusoidal_kernel([1e100], 64), ValueError, "offsets must lie within ±2**53"),
    (lambda: pe.rope(X * 1e200), ValueError, "x must lie within ±1e+150"),
    (
        lambda: pe.rope(np.full((2, 2), 65504, np.float16)),
        ValueError,
        "x must lie within ±32752 to be turned in float16",
    ),
    (lambda: pe.rope(np.broadcast_to(1.0, (10**10, 2))), ValueError, "x must give a result of at most"),
    (lambda: pe.similarity_matrix([[1e200]]), ValueError, "table must lie within ±1e+150"),
    (
        lambda: pe.dot_product_curve(np.ones((0, 4)), 0),
        ValueError,
        "table must have at least one row, got shape (0, 4)",
    ),
    (lambda: pe.softmax([[1], [1, 2]]), ValueError, "scores must be a regular array of numbers"),
    (lambda: pe.attention(X * 1e200, X, X), ValueError, "q must lie within ±1e+150"),
    (lambda: pe.attention(LONG, LONG, LONG), ValueError, "q, k and v must give a result of at most"),
    (
        lambda: pe.attention(X, X, np.ones((2, 4, 8)), bias=np.zeros((3, 4, 4))),
        ValueError,
        "q, k, v, scores and bias must agree",
    ),
    (lambda: pe.wavelengths(3), ValueError, "dim must be even, got 3"),
    (lambda: pe.angles(-1, 4), ValueError, "positions must be at least 0, got -1"),
    (lambda: pe.angles(2.5, 4), TypeError, "positions must be a whole number (int), got 2.5 (float)"),
    (lambda: pe.angles(True, 4), TypeError, "positions must be a count or a 1-D array, got True (bool)"),
    (lambda: pe.angles("abc", 4), TypeError, "positions must be a count or a 1-D array, got 'abc' (str)"),
    (lambda: pe.angles(None, 4), TypeError, "positions must be a count or a 1-D array, got None"),
    (lambda: pe.angles([True, False], 4), TypeError, "positions must hold real numbers, got dtype bool"),
    (lambda: pe.angles([1j], 4), TypeError, "positions must hold real numbers, got dtype complex128"),
    (lambda: pe.angles(["a"], 4), TypeError, "positions must hold real numbers, got dtype <U1"),
    (lambda: pe.angles([[1, 2]], 4), ValueError, "positions must have 1 axis, got shape (1, 2)"),
    (lambda: pe.angles([[1], [2, 3]], 4), ValueError, "positions must be a regular array"),
    (lambda: pe.angles([0, NAN], 4), ValueError, "positions must be finite, got nan"),
    (lambda: pe.angles([np.inf], 4), ValueError, "positions must be finite, got inf"),
    (lambda: pe.angles([2**60], 4), ValueError, "positions must lie within ±2**53"),
    (lambda: pe.angles(HUGE, 4), ValueError, "positions must give a result of at most"),
    (lambda: pe.phasors(4, 5), ValueError, "dim must be even, got 5"),
    (lambda: pe.no_position(-1, 2), ValueError, "positions must be at least 0, got -1"),
    (lambda: pe.no_position(4, 2.0), TypeError, "d_model must be a whole number (int), got 2.0 (float)"),
    (lambda: pe.no_position(4, HUGE), ValueError, "4 × 10000000000000 values that take"),
    (lambda: pe.closest_pair([[1, 2]]), ValueError, "table must have at least 2 rows, got shape (1, 2)"),
    (lambda: pe.closest_pair([1, 2]), ValueError, "table must have 2 axes, got shape (2,)"),
    (lambda: pe.closest_pair([["a"]]), TypeError, "table must hold real numbers, got dtype <U1"),
    (lambda: pe.closest_pair([[NAN], [1]]), ValueError, "table must be finite, got nan"),
    (lambda: pe.closest_pair(np.broadcast_to(1.0, (10**7, 1))), ValueError, "table must give a result of at most"),
    (lambda: pe.integer(4, 0), ValueError, "d_model must be at least 1, got 0"),
    (lambda: pe.integer(4, HUGE), ValueError, "4 × 10000000000000 values that take"),
    (lambda: pe.normalized(0, 2), ValueError, "seq_len must be at least 1, got 0"),
    (lambda: pe.normalized(1, 2, endpoint=True), ValueError, "seq_len must be at least 2 with endpoint=True, got 1"),
    (lambda: pe.normalized(4, 2, endpoint=1), TypeError, "endpoint must be True or False, got 1 (int)"),
    (lambda: pe.binary(9, 3), ValueError, "seq_len 9 does not fit in d_model=3 bits (at most 2**3 = 8)"),
    (lambda: pe.binary([8], 3), ValueError, "position 8 does not fit in d_model=3 bits (at most 2**3 - 1 = 7)"),
    (lambda: pe.binary([-1], 3), ValueError, "positions must be at least 0, got -1"),
    (lambda: pe.binary([1.5], 3), TypeError, "positions must be whole numbers"),
    (lambda: pe.binary(True, 3), TypeError, "positions must be a whole number (int), got True (bool)"),
    (lambda: pe.binary("3", 3), TypeError, "positions must be a count or a 1-D array"),
    (lambda: pe.sine(4, 2, base=0), ValueError, "base must be greater than 0, got 0"),
    (lambda: pe.sine(4, HUGE), ValueError, "d_model must give a result of at most"),
    (lambda: pe.sinusoidal(4, 7), ValueError, "d_model must be even, got 7"),
    (lambda: pe.sinusoidal(-4, 8), ValueError, "positions must be at least 0, got -4"),
    (lambda: pe.sinusoidal(4, 8, base=0), ValueError, "base must be greater than 0, got 0"),
    (lambda: pe.sinusoidal(10**9, 1024), ValueError, "1000000000 × 1024 values that take 7,629.4 GiB"),
    (lambda: pe.sinusoidal(4, 8, layout="x"), ValueError, "layout must be one of 'interleaved', 'concatenated'"),
    (lambda: pe.sinusoidal(4, 8, layout=[1]), ValueError, "layout must be one of"),
    (lambda: pe.sinusoidal(4, 8, dtype=int), ValueError, "dtype must be float64, float32 or float16"),
    (lambda: pe.sinusoidal(4, 8, dtype=None), ValueError, "dtype must be float64, float32 or float16, got None"),
    (lambda: pe.sinusoidal(4, 8, dtype="nonsense"), ValueError, "dtype must be float64, float32 or float16"),
    (lambda: pe.shift_matrix(NAN, 8), ValueError, "offset must be finite, got nan"),
    (lambda: pe.shift_matrix("1", 8), TypeError, "offset must be a real number, got '1' (str)"),
    (lambda: pe.shift_matrix(1, 7), ValueError, "d_model must be even, got 7"),
    (lambda: pe.learned(0, 4, rng=RNG), ValueError, "num_positions must be at least 1, got 0"),
    (lambda: pe.learned(4, 4, rng=0), TypeError, "rng must be a numpy.random.Generator, got 0 (int)"),
    (lambda: pe.learned(HUGE, 4, rng=RNG), ValueError, "num_positions must give a result of at most"),
    (lambda: pe.rotation_matrix(NAN), ValueError, "angle must be finite, got nan"),
    (lambda: pe.rotation_matrix(False), TypeError, "angle must be a real number, got False (bool)"),
    (lambda: pe.rope_matrix(1, 7), ValueError, "head_dim must be even, got 7"),
    (lambda: pe.rope_matrix(1, 10**9), ValueError, "head_dim must give a result of at most"),
    (lambda: pe.rope_matrix(np.inf, 8), ValueError, "position must be finite, got inf"),
    (lambda: pe.rope(np.ones((4, 7))), ValueError, "head_dim must be even, got 7"),
    (lambda: pe.rope(np.ones(4)), ValueError, "x must have at least 2 axes, got shape (4,)"),
    (lambda: pe.rope(X * NAN), ValueError, "x must be finite, got nan"),
    (lambda: pe.rope(X > 0), TypeError, "x must hold real numbers, got dtype bool"),
    (lambda: pe.rope("x"), TypeError, "x must hold real numbers, got 'x'"),
    (lambda: pe.rope(X, 3), ValueError, "positions must have one entry for each of the 4 rows of x, got 3"),
    (lambda: pe.rope(X, pairing="both"), ValueError, "pairing must be one of 'interleaved', 'half', got 'both'"),
    (lambda: pe.rope(X, rotary_dim=3), ValueError, "rotary_dim must be even, got 3"),
    (lambda: pe.rope(X, rotary_dim=10), ValueError, "rotary_dim must be at most 8, got 10"),
    (lambda: pe.rope(X, rotary_dim=0), ValueError, "rotary_dim must be at least 2, got 0"),
    (lambda: pe.rope(X, base=0), ValueError, "base must be greater than 0, got 0"),
    (lambda: pe.apply_rope(X, pe.phasors(4, 10)), ValueError, "0 < r ≤ head_dim, got (4, 8) and (4, 5)"),
    (lambda: pe.apply_rope(X, np.ones((4, 0), complex)), ValueError, "0 < r ≤ head_dim, got (4, 8) and (4, 0)"),
    (lambda: pe.apply_rope(X, pe.phasors(3, 8)), ValueError, "got (4, 8) and (3, 4)"),
    (lambda: pe.apply_rope(X[0], pe.phasors(4, 8)), ValueError, "got (8,) and (4, 4)"),
    (lambda: pe.apply_rope(X, X), TypeError, "x must hold real and hands complex numbers, got float64 and float64"),
    (lambda: pe.apply_rope("x", pe.phasors(4, 8)), TypeError, "x must hold real and hands complex numbers, got <U1"),
    (lambda: pe.apply_rope(X, pe.phasors(4, 8), pairing="x"), ValueError, "pairing must be one of"),
    (lambda: pe.sinusoidal_similarity(0, 8), ValueError, "seq_len must be at least 1, got 0"),
    (lambda: pe.sinusoidal_similarity(4, 7), ValueError, "d_model must be even, got 7"),
    (lambda: pe.sinusoidal_similarity(HUGE, 8), ValueError, "seq_len must give a result of at most"),
    (lambda: pe.similarity_matrix([1, 2]), ValueError, "table must have 2 axes, got shape (2,)"),
    (lambda: pe.similarity_matrix([[NAN]]), ValueError, "table must be finite, got nan"),
    (lambda: pe.similarity_matrix(np.broadcast_to(1.0, (10**7, 1))), ValueError, "table must give a result of at most"),
    (lambda: pe.dot_product_curve(X, 4), ValueError, "query must be at most 3, got 4"),
    (lambda: pe.dot_product_curve(X, -1), ValueError, "query must be at least 0, got -1"),
    (lambda: pe.dot_product_curve(X, 1.0), TypeError, "query must be a whole number (int), got 1.0 (float)"),
    (lambda: pe.sinusoidal_kernel("1", 8), TypeError, "offsets must hold real numbers, got '1'"),
    (lambda: pe.sinusoidal_kernel(1, 7), ValueError, "d_model must be even, got 7"),
    (lambda: pe.sinusoidal_kernel(np.broadcast_to(0.0, 10**10), 4096), ValueError, "offsets must give a result of"),
    (lambda: pe.softmax([NAN]), ValueError, "scores must be finite or -inf, got nan"),
    (lambda: pe.softmax([-np.inf, -np.inf]), ValueError, "scores must leave something to attend to"),
    (lambda: pe.softmax(["a"]), TypeError, "scores must hold real numbers, got dtype <U1"),
    (lambda: pe.softmax([1.0], axis=1), ValueError, "axis must be at most 0, got 1"),
    (lambda: pe.softmax(1.0), ValueError, "scores must have at least 1 axis, got shape ()"),
    (lambda: pe.attention(X, X[:, :4], X), ValueError, "q and k must have the same d_k, at least 1, got 8 and 4"),
    (lambda: pe.attention(X, X, X[:2]), ValueError, "k and v must have the same number of rows, at least 1, got 4"),
    (lambda: pe.attention(X, X[:2], X[:2], causal=True), ValueError, "q must have at most as many rows as k"),
    (lambda: pe.attention(X, X, X, causal=1), TypeError, "causal must be True or False, got 1 (int)"),
    (lambda: pe.attention(X[0], X, X), ValueError, "q must have at least 2 axes, got shape (8,)"),
    (lambda: pe.attention(X, X, X * NAN), ValueError, "v must be finite, got nan"),
    (lambda: pe.attention(np.ones((2, 4, 8)), np.ones((3, 4, 8)), X), ValueError, "must agree in their leading axes"),
    (lambda: pe.attention(X, X, X, bias=np.nan), ValueError, "bias must be finite or -inf, got nan"),
    *bad_relative.CASES,
]


@pytest.mark.parametrize(("call", "kind", "words"), CASES, ids=[words for _, _, words in CASES])
def test_bad_input_gets_its_error(call, kind, words):
    with pytest.raises(kind) as caught:
        call()
    assert words in str(caught.value)
    assert type(caught.value) is kind


def test_numbers_close_to_the_limits_give_no_warning_and_no_nan():
    assert (pe.softmax([1e150, -1e150]) == [1, 0]).all()
    assert np.isfinite(pe.similarity_matrix([[1e150, -1e150]])).all()
    assert np.isfinite(pe.rope(np.full((3, 2), 32_752, np.float16))).all()
    assert pe.rope(np.ones((2, 2), ">f4")).dtype == np.float32


def test_the_limit_follows_the_machine(monkeypatch):
    monkeypatch.setattr(validate, "machine_bytes", lambda: 2 * 2**20)  # a machine of 2 MiB
    pe.sinusoidal(1000, 128)  # 1 MB: fits in half of it
    with pytest.raises(ValueError, match=r"at most 0\.0 GiB"):
        pe.sinusoidal(1100, 128)


def test_a_machine_that_does_not_tell_its_memory(monkeypatch):
    monkeypatch.delattr(validate.os, "sysconf", raising=False)
    assert validate.machine_bytes() == 8 * 2**30


FUNCTIONS = set(pe.__all__) - {"check", "hint", "solution", "scorecard", "explore", "figure", "playground", "present"}


def test_every_public_function_has_a_case():
    tried = {name for call, _, _ in CASES for name in call.__code__.co_names}
    assert tried >= FUNCTIONS, FUNCTIONS - tried


@pytest.mark.parametrize("name", sorted(pe.__all__))
def test_every_docstring_says_what_goes_in_and_out_and_what_is_refused(name):
    text = getattr(pe, name).__doc__
    assert text[0].isupper()
    assert "Raises:" in text or "Args and Raises: as in" in text
    if name in FUNCTIONS:
        assert "Returns:" in text
        assert "shape" in text
