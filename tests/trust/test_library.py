"""Every public function keeps its docstring's word for any good arguments, in whatever guise an array comes."""

import inspect

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

import posenc_lib as pe
from tests.trust.arguments import Array, Positions, Whole
from tests.trust.functions import ANY, FUZZ, PUBLIC, RECORDS

CALLS, GUISED = 150, 20  # tries per function; in the second each array comes in every guise


def _unaligned(x: np.ndarray) -> np.ndarray:
    buffer = np.empty(x.nbytes + 1, np.uint8)
    result = buffer[1:].view(x.dtype).reshape(x.shape)
    result[...] = x
    return result


def _every_second(x: np.ndarray) -> np.ndarray:
    return np.repeat(np.repeat(x, 2, axis=-1), 3, axis=0)[(slice(None, None, 3), ..., slice(None, None, 2))]


def _backwards(x: np.ndarray) -> np.ndarray:
    back = (slice(None, None, -1),) * x.ndim
    return x[back].copy()[back]


def _read_only(x: np.ndarray) -> np.ndarray:
    result = x.copy()
    result.flags.writeable = False
    return result


GUISES = {
    "every second": lambda x: _every_second(x) if x.ndim > 1 else np.repeat(x, 2)[::2].reshape(x.shape),
    "transposed": lambda x: x.T.copy().T,
    "backwards": _backwards,
    "read-only": _read_only,
    "big-endian": lambda x: x.astype(x.dtype.newbyteorder(">")),
    "unaligned": _unaligned,
    "a list": lambda x: x.tolist() if x.size else x,
    "of floats": lambda x: x if np.iscomplexobj(x) else x.astype(np.float64),
}


def parts(result) -> list:
    """Return what a function hands back, one by one."""
    return list(result) if isinstance(result, tuple) else [result]


def arrays(a) -> dict[str, np.ndarray]:
    """Return the arguments that are arrays."""
    return {name: value for name, value in vars(a).items() if isinstance(value, np.ndarray)}


def bits(a) -> dict:
    """Return all that could be changed about the arrays among the arguments."""
    return {name: (x.tobytes(), x.shape, x.dtype, x.strides) for name, x in arrays(a).items()}


def test_every_public_function_has_a_record():
    assert sorted(RECORDS) == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_a_record_names_the_arguments_of_its_function(name):
    parameters = inspect.signature(getattr(pe, name)).parameters
    record = RECORDS[name]
    assert set(record.arguments) == set(parameters)
    assert {key for key, x in record.arguments.items() if x.optional} == {
        key for key, parameter in parameters.items() if parameter.default is None
    }


@pytest.mark.parametrize("name", sorted(pe.__all__))
def test_every_docstring_says_what_goes_in_and_out_and_what_is_refused(name):
    text = getattr(pe, name).__doc__
    assert text[0].isupper()
    assert "Raises:" in text or "Args and Raises: as in" in text
    assert name not in PUBLIC or ("Returns:" in text and "shape" in text)


def _keeps_its_word(name: str, record, a, n) -> None:
    function, before = getattr(pe, name), bits(a)
    note(f"{name}: {vars(a)}")
    with np.errstate(all="raise"):  # as a reader may have it who looks for mistakes of their own
        results = parts(function(**vars(a)))
    assert bits(a) == before, "an argument was changed"
    expected = record.result(a, n)
    assert [(np.shape(r), np.asarray(r).dtype) for r in results] == expected
    for r in results:
        assert record.gaps == "nan" or not np.isnan(r).any()
        assert record.gaps or np.isfinite(r).all()
        assert not any(np.may_share_memory(r, x) for x in arrays(a).values()), "the result is part of an argument"
        if isinstance(r, np.ndarray):
            assert r.flags.writeable or "read-only" in function.__doc__
    assert record.promise(results if len(results) > 1 else results[0], a, n)


@pytest.mark.slow
@pytest.mark.parametrize("name", PUBLIC)
def test_good_arguments_give_what_the_docstring_promises(name):
    record = RECORDS[name]

    @settings(FUZZ, max_examples=CALLS)
    @given(st.data())
    def holds(data):
        _keeps_its_word(name, record, *record.good(data.draw))

    holds()


def _zeros(record) -> list[dict]:
    """Return for each axis and each count that may be 0 what it takes to make it so."""
    found = []
    for name, argument in record.arguments.items():
        if isinstance(argument, Array):
            lengths = {axis: record.sizes.get(axis, ANY) for axis in argument.names}
            empty = {axis: x for axis, x in lengths.items() if not getattr(x, "low", 1)}
            found += [{"sizes": {axis: 0} | ({x.over: 0} if x.over else {})} for axis, x in empty.items()]
            found += [{"sizes": {"leads": (0,)}}] if argument.open else []
        if isinstance(argument, Whole) and argument.low == 0 and argument.grows:
            found.append({name: 0} | ({"q_len": 0} if argument.least else {}))
        if isinstance(argument, Positions) and not argument.rows:
            found += [{name: 0}, {name: np.zeros(0, int)}, {name: np.zeros(0)}]
    return found


ZEROS = {name: zeros for name in PUBLIC if (zeros := _zeros(RECORDS[name]))}


@pytest.mark.parametrize("name", ZEROS)
def test_nothing_is_a_length_like_any_other(name):
    record = RECORDS[name]

    @settings(FUZZ, max_examples=5)
    @given(st.data())
    def holds(data):
        for zero in ZEROS[name]:
            _keeps_its_word(name, record, *record.good(data.draw, **zero))

    holds()


DRESSED = [name for name in PUBLIC if any(isinstance(x, (Array, Positions)) for x in RECORDS[name].arguments.values())]


def _plain(result) -> np.ndarray:
    """Return a result as float64 or complex128."""
    return np.asarray(result).astype(complex if np.iscomplexobj(result) else float)


def _same(results: list, others: list, *, dtypes: bool) -> None:
    """Check that two results differ by rounding only, in the narrower of their dtypes."""
    for r, other in zip(results, others, strict=True):
        pair = np.asarray(r), np.asarray(other)
        assert not dtypes or pair[0].dtype == pair[1].dtype.newbyteorder("=")
        narrow = max(np.finfo(x.dtype).eps if x.dtype.kind in "fc" else 0 for x in pair)
        largest = np.abs(_plain(r)[np.isfinite(r)]).max(initial=0)
        rounded = max(np.finfo(x.dtype).smallest_subnormal if x.dtype.kind == "f" else 0 for x in pair)
        atol = max(16 * narrow, 1e-13) * largest + float(rounded)  # the smallest numbers have fewer digits
        np.testing.assert_allclose(_plain(other), _plain(r), rtol=0, atol=atol)


@pytest.mark.parametrize("name", DRESSED)
def test_the_guise_of_an_array_does_not_matter(name):
    record, function = RECORDS[name], getattr(pe, name)

    @settings(FUZZ, max_examples=GUISED)
    @given(st.data())
    def holds(data):
        a, _ = record.good(data.draw)
        plain = parts(function(**vars(a)))
        for key, x in arrays(a).items():
            for guise, dressed in GUISES.items():
                note(f"{key} {guise}: {vars(a)}")
                if not (getattr(record.arguments[key], "whole", False) and guise == "of floats"):
                    others = parts(function(**vars(a) | {key: dressed(x)}))
                    _same(plain, others, dtypes=guise not in ("a list", "of floats"))

    holds()


def test_how_much_was_tried(record_property):
    guised = sum(isinstance(x, (Array, Positions)) for name in PUBLIC for x in RECORDS[name].arguments.values())
    record_property("public functions", f"{len(PUBLIC)}, {CALLS} drawn calls each")
    record_property("arrays", f"{guised} arguments × {len(GUISES)} guises × {GUISED} draws")
    record_property("zero-length", f"{sum(map(len, ZEROS.values()))} axes and counts of {len(ZEROS)} functions")


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2"])
def test_positions_that_begin_again_are_not_consecutive(dtype):
    narrow = np.arange(np.iinfo(dtype).max - 40, np.iinfo(dtype).max + 41).astype(dtype)  # … 254, 255, 0, 1, …
    for function in (pe.sinusoidal, pe.phasors, pe.angles, pe.sine):
        np.testing.assert_allclose(function(narrow, 8), function(narrow.astype(int), 8), atol=1e-12)


def test_positions_that_float16_takes_for_consecutive_are_told_apart():
    narrow = np.r_[2.0**-13, 1:41].astype(np.float16)  # 1 − 2⁻¹³ is 1 in float16
    np.testing.assert_allclose(pe.sinusoidal(narrow, 8), pe.sinusoidal(narrow.astype(float), 8), atol=1e-12)


def test_hands_of_the_other_byte_order_turn_a_narrow_x_the_same_way():
    x, hands = np.arange(12.0).reshape(3, 4).astype(np.float16), pe.phasors(3, 4)
    for pairing in ("interleaved", "half"):
        expected = pe.apply_rope(x, hands, pairing=pairing)
        np.testing.assert_array_equal(pe.apply_rope(x, hands.astype(">c16"), pairing=pairing), expected)


def test_angles_that_float64_cannot_hold_still_turn_and_nothing_else():
    for hands in (pe.phasors([1, 3], 8, base=1e-100), pe.phasors([2**53 - 1, 7], 64), pe.phasors([0.1, 2**52], 6, 0.5)):
        np.testing.assert_allclose(np.abs(hands), 1, rtol=0, atol=1e-14)


@pytest.mark.parametrize("precision", ["float16", "bfloat16", "float32"])
def test_an_angle_beyond_the_precision_is_unknown_and_no_warning(precision):
    assert np.isnan(pe.table_error([1, 2**40], 8, 1e-90, precision=precision)).all()
    assert np.isfinite(pe.table_error([1, 9], 8, 0.5, precision=precision)).all()


def test_numbers_close_to_the_limits_give_no_warning_and_no_nan():
    assert (pe.softmax([1e150, -1e150]) == [1, 0]).all()
    assert np.isfinite(pe.similarity_matrix([[1e150, -1e150]])).all()
    assert np.isfinite(pe.rope(np.full((3, 2), 32_752, np.float16))).all()
    assert pe.rope(np.ones((2, 2), ">f4")).dtype == np.float32
