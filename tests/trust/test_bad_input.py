"""A bad argument is refused in words that name it, whichever it is and whatever is bad about it, before any work."""

import inspect
import re
import tracemalloc
from collections import Counter
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import posenc_lib as pe
from tests.trust.arguments import KINDS
from tests.trust.arguments_arrays import Array, clashes
from tests.trust.arguments_public import FUZZ, PUBLIC, RECORDS

TRIES, BESIDE_WORK = 6, 2  # draws of a value; in the second beside arguments that would make much work
ROOM = 2**20  # bytes that a refusal may take
TITLE = "bad input"
FAULTS = (TypeError, ValueError, ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeWarning)


def _bad_values(name: str) -> dict[str, dict]:
    """Return for each kind the arguments that can be bad in this way: the error, and a strategy of such values."""
    record, found = RECORDS[name], {}
    for key, argument in record.arguments.items():
        for kind, wrong in argument.badness(record.example[key]).items():
            found.setdefault(kind, {})[key] = wrong
    return found


def _clashes(name: str) -> list[tuple[dict, set[str]]]:
    """Return what makes arguments disagree, and which words the message may blame."""
    record = RECORDS[name]
    found = clashes({key: x for key, x in record.arguments.items() if isinstance(x, Array)}, record.example)
    a = SimpleNamespace(**record.example)
    for key, argument in record.arguments.items():
        for limit, beyond in ((getattr(argument, "least", None), -1), (getattr(argument, "most", None), 1)):
            found += [({key: limit(a) + beyond}, {key})] if limit else []
    return found + [(changed, {word}) for changed, word in record.clashes]


def _required(name: str) -> list[str]:
    parameters = inspect.signature(getattr(pe, name)).parameters
    return [key for key, parameter in parameters.items() if parameter.default is inspect.Parameter.empty]


def _calls(name: str, kind: str, draw) -> list[tuple[dict, set[str], type]]:
    """Draw bad calls of one kind: the arguments, the words that may be blamed, and the error."""
    example = RECORDS[name].example
    if kind == "clash":
        return [(example | changed, blamed, ValueError) for changed, blamed in _clashes(name)]
    if kind == "keyword":
        word = draw(st.from_regex(r"[a-z]{1,8}_", fullmatch=True))
        return [(example | {word: 1}, {word}, TypeError)]
    if kind == "missing":
        return [({k: v for k, v in example.items() if k != key}, {key}, TypeError) for key in _required(name)]
    wrong = _bad_values(name).get(kind, {})
    named = set(example) if kind == "memory" else set()  # a size belongs to all that make it
    return [(example | {key: draw(values)}, named | {key}, error) for key, (error, values) in wrong.items()]


def _applies(name: str, kind: str) -> bool:
    """Return whether anything about the function can be bad in this way; its record says so."""
    return kind in ("keyword", "missing") or bool(_clashes(name) if kind == "clash" else kind in _bad_values(name))


def _documented(name: str) -> set[str]:
    """Return the errors that a docstring speaks of, where it refers to another function those of that one."""
    text = getattr(pe, RECORDS[name].owner or name).__doc__
    return set(re.findall(r"(?:Type|Value)Error", text[text.index("Raises:") :]))


def _fault(name: str, arguments: dict, blamed: set[str], error: type) -> str | None:
    """Return what is wrong with the way in which a bad call is refused, if anything is."""
    try:
        getattr(pe, name)(**arguments)
    except FAULTS as caught:
        said = str(caught)
        if type(caught) is not error:
            return f"{type(caught).__name__} instead of {error.__name__}: {said}"
        if error.__name__ not in _documented(name):
            return f"{error.__name__} is not in the docstring"
        named = any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", said) for word in blamed)
        return None if named else f"{' or '.join(sorted(blamed))} is not named: {said}"
    return "taken for good"


def _shown(name: str, arguments: dict) -> str:
    changed = {key: value for key, value in arguments.items() if value is not RECORDS[name].example.get(key)}
    try:
        return f"{name}, {changed}"
    except ValueError:  # Python does not print the longest whole numbers
        return f"{name}, {list(changed)} too long to print"


@pytest.mark.parametrize("name", PUBLIC)
def test_whatever_is_bad_gets_the_documented_error_with_its_name(name, record_property):
    tried, faults = Counter(), {}

    @settings(FUZZ, max_examples=TRIES)
    @given(st.data())
    def holds(data):
        for kind in KINDS:
            for arguments, blamed, error in _calls(name, kind, data.draw):
                tried[kind] += 1
                if fault := _fault(name, arguments, blamed, error):
                    faults[kind, *blamed] = f"{_shown(name, arguments)}: {fault}"

    holds()
    cells = [str(tried[kind]) if tried[kind] else "·" for kind in KINDS]
    record_property(f"{TITLE} {name:<21}", _row(cells))
    assert {kind for kind in KINDS if tried[kind]} == {kind for kind in KINDS if _applies(name, kind)}
    assert not faults, "\n".join(f"{' '.join(where)}: {fault}" for where, fault in faults.items())


def _row(cells: list[str]) -> str:
    return " ".join(f"{cell:>{len(kind)}}" for cell, kind in zip(cells, KINDS, strict=True))


def test_no_kind_of_bad_input_is_without_a_function_and_none_is_unknown(record_property):
    record_property(f"{TITLE} {'':<21}", _row(list(KINDS)))
    record_property(f"{TITLE} {'·':<21}", "no argument of the function can be bad in this way: see its record")
    assert all(any(_applies(name, kind) for name in PUBLIC) for kind in KINDS)
    assert {kind for name in PUBLIC for kind in _bad_values(name)} <= set(KINDS)


def _peak(name: str, arguments: dict, blamed: set[str], error: type) -> int:
    """Return how many bytes a refusal took at most."""
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    _fault(name, arguments, blamed, error)
    return tracemalloc.get_traced_memory()[1] - before


def _beside_work(name: str, bad: str) -> list[dict]:
    """Return good values of the other arguments that would make much work, one at a time."""
    record = RECORDS[name]
    growing = {key: x.large for key, x in record.arguments.items() if getattr(x, "grows", not getattr(x, "rows", 0))}
    return [{}] + [{key: large} for key, large in growing.items() if large and key != bad]


@pytest.mark.parametrize("name", PUBLIC)
def test_a_refusal_comes_before_any_work(name, record_property):
    peaks, values = {}, [kind for kind in KINDS if kind not in ("clash", "keyword", "missing")]

    @settings(FUZZ, max_examples=BESIDE_WORK)
    @given(st.data())
    def holds(data):
        for kind in values:
            for arguments, _, error in _calls(name, kind, data.draw):
                bad = next(key for key, value in arguments.items() if value is not RECORDS[name].example[key])
                for work in _beside_work(name, bad):
                    peak = _peak(name, arguments | work, {bad}, error)
                    peaks[bad, *work] = max(peak, peaks.get((bad, *work), 0))

    tracemalloc.start()
    try:
        holds()
    finally:
        tracemalloc.stop()
    record_property(f"refusal {name:<23}", f"{max(peaks.values()) / 1024:,.0f} KiB at most")
    late = {" beside a large ".join(where): f"{peak / 2**20:.1f} MiB" for where, peak in peaks.items() if peak > ROOM}
    assert not late, late


def test_more_buckets_than_whole_numbers_can_decide_are_refused():
    """Beyond that a single offset takes minutes: its power would have more bits than there is memory."""
    with pytest.raises(ValueError, match="num_buckets must be at most"):
        pe.t5_bucket(1, num_buckets=2**40, max_distance=2**50)


def test_an_array_is_no_dtype():
    for value in (np.float32(3), np.zeros(3), np.zeros((), np.float32)):
        with pytest.raises(ValueError, match="dtype must be float64, float32 or float16"):
            pe.sinusoidal(4, 8, dtype=value)


def test_the_largest_whole_numbers_are_refused_wherever_they_hide():
    for hidden in ([10**5000], {10**5000: 1}, Fraction(10**5000), np.array([10**5000])):
        with pytest.raises(TypeError, match="dim must be a whole number"):
            pe.inv_freq(hidden)
