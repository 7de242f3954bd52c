"""Every public function keeps its docstring's word for any good arguments, in whatever guise an array comes."""

import inspect

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

import posenc_lib as pe

from .arguments import Array, Positions, Whole
from .functions import ANY, FUZZ, PUBLIC, RECORDS

CALLS, GUISED = 150, 20  # tries per function; in the second each array comes in every guise


def read_only(x: np.ndarray) -> np.ndarray:
    result = x.copy()
    result.setflags(write=False)
    return result


def unaligned(x: np.ndarray) -> np.ndarray:
    result = np.empty(x.nbytes + 1, np.uint8)[1:].view(x.dtype).reshape(x.shape)
    result[...] = x
    return result


GUISES = {
    "every second": lambda x: np.repeat(x[..., None], 2, axis=-1)[..., 0],
    "transposed": lambda x: x.T.copy().T,
    "backwards": lambda x: np.flip(np.flip(x).copy()),
    "read-only": read_only,
    "big-endian": lambda x: x.astype(x.dtype.newbyteorder(">")),
    "unaligned": unaligned,
    "a list": lambda x: x.tolist() if x.size else x,
    "of floats": lambda x: x if x.dtype.kind in "cb" else x.astype(np.float64),
}


def parts(result) -> list:
    return list(result) if isinstance(result, tuple) else [result]


def arrays(a) -> dict[str, np.ndarray]:
    return {name: value for name, value in vars(a).items() if isinstance(value, np.ndarray)}


def bits(a) -> dict:
    """Return all that could be changed about the arrays among the arguments."""
    return {name: (x.tobytes(), x.shape, x.dtype, x.strides) for name, x in arrays(a).items()}


def fuzz(times: int, holds) -> None:
    """Call holds(data) so many times, each with something to draw from."""
    settings(FUZZ, max_examples=times)(given(st.data())(holds))()


def test_every_public_function_has_a_record_of_its_arguments():
    assert sorted(RECORDS) == PUBLIC
    for name, record in RECORDS.items():
        parameters = dict(inspect.signature(getattr(pe, name)).parameters)
        parameters.pop("inv_freq", None)  # in place of a base; its bad values stand in the table of bad calls
        assert set(record.arguments) == set(parameters), name
        optional = {key for key, x in record.arguments.items() if x.optional}
        assert optional == {key for key, parameter in parameters.items() if parameter.default is None}, name


def keeps_its_word(name: str, a, n) -> None:
    record, function, before = RECORDS[name], getattr(pe, name), bits(a)
    note(f"{name}: {vars(a)}")
    with np.errstate(all="raise"):  # as a reader may have it who looks for mistakes of their own
        results = parts(function(**vars(a)))
    assert bits(a) == before, "an argument was changed"
    assert [(np.shape(r), np.asarray(r).dtype) for r in results] == record.result(a, n)
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
    fuzz(CALLS, lambda data: keeps_its_word(name, *RECORDS[name].good(data.draw)))


def zeros(record) -> list[dict]:
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


ZEROS = [(name, zero) for name in PUBLIC for zero in zeros(RECORDS[name])]


@pytest.mark.parametrize(("name", "zero"), ZEROS)
def test_nothing_is_a_length_like_any_other(name, zero):
    fuzz(5, lambda data: keeps_its_word(name, *RECORDS[name].good(data.draw, **zero)))


def assert_same(results: list, others: list, *, dtypes: bool) -> None:
    """Check that two results differ by rounding only, in the narrower of their dtypes."""
    for pair in zip(map(np.asarray, results), map(np.asarray, others), strict=True):
        r, other = (x.astype(complex if np.iscomplexobj(x) else float) for x in pair)
        assert not dtypes or pair[0].dtype == pair[1].dtype.newbyteorder("=")
        floats = [np.finfo(x.dtype) for x in pair if x.dtype.kind in "fc"]
        atol = max([1e-13, *(16 * float(x.eps) for x in floats)]) * np.abs(r[np.isfinite(r)]).max(initial=0)
        smallest = max([0.0, *(float(x.smallest_subnormal) for x in floats)])  # these have fewer digits
        np.testing.assert_allclose(other, r, rtol=0, atol=atol + smallest)


DRESSED = {
    name: [key for key, x in RECORDS[name].arguments.items() if isinstance(x, (Array, Positions))] for name in PUBLIC
}


@pytest.mark.parametrize("name", [name for name, keys in DRESSED.items() if keys])
def test_the_guise_of_an_array_does_not_matter(name):
    def holds(data):
        record, function = RECORDS[name], getattr(pe, name)
        a, _ = record.good(data.draw)
        plain = parts(function(**vars(a)))
        for key, x in arrays(a).items():
            for guise, dressed in GUISES.items():
                note(f"{key} {guise}: {vars(a)}")
                if guise != "of floats" or not getattr(record.arguments[key], "whole", False):
                    others = parts(function(**vars(a) | {key: dressed(x)}))
                    assert_same(plain, others, dtypes=guise not in ("a list", "of floats"))

    fuzz(GUISED, holds)


def test_how_much_was_tried(record_property):
    record_property("public functions", f"{len(PUBLIC)}, {CALLS} drawn calls each")
    record_property("arrays", f"{sum(map(len, DRESSED.values()))} arguments × {len(GUISES)} guises × {GUISED} draws")
    record_property("zero-length", f"{len(ZEROS)} axes and counts of {len(dict(ZEROS))} functions")


@pytest.mark.parametrize("name", sorted(pe.__all__))
def test_every_docstring_says_what_comes_out(name):
    text = getattr(pe, name).__doc__
    assert text[0].isupper()
    assert name not in PUBLIC or ("Returns:" in text and "shape" in text)


@pytest.mark.parametrize("call", [([1, 3], 8, 1e-100), ([2**53 - 1, 7], 64, 1e4), ([0.1, 2**52], 6, 0.5)])
def test_angles_that_float64_cannot_hold_still_turn_and_nothing_else(call):
    np.testing.assert_allclose(np.abs(pe.freqs_cis(*call)), 1, rtol=0, atol=1e-14)


def test_numbers_close_to_the_limits_give_no_warning_and_no_nan():
    assert (pe.softmax([1e150, -1e150]) == [1, 0]).all()
    assert np.isfinite(pe.similarity_matrix([[1e150, -1e150]])).all()
    assert np.isfinite(pe.rope(np.full((3, 2), 32_752, np.float16))).all()
    assert pe.rope(np.ones((2, 2), ">f4")).dtype == np.float32
