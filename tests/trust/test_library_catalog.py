"""Every encoding of the catalog gives numbers at any setting a slider can reach, and refuses nonsense in words."""

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from posenc_lib.encodings.record import Encoding, Parameter
from posenc_lib.encodings.sample import Sample
from posenc_lib.encodings.words import vectors

from posenc_lib.encodings.catalog import ENCODINGS
from tests.trust.arguments import BOOLS, ENDLESS, GIGANTIC, NO_NUMBERS, TEXTS
from tests.trust.functions import FUZZ

SETTINGS, NONSENSE = 60, 100  # draws for each encoding, and for each parameter
SMALL = 48  # of lengths and dims, so that many settings can be tried
PARAMETERS = {f"{e.name} {p.name}": p for e in ENCODINGS.values() for p in e.parameters}


def _value(draw, p: Parameter):
    """Draw a value that a reader can set."""
    if p.options:
        return draw(st.sampled_from(p.options))
    if p.default is None and draw(st.booleans()):
        return None
    if p.scale == "log":
        return draw(st.floats(p.least, p.most) | st.sampled_from([p.least, p.most]))
    step, high = int(p.step), min(p.most, SMALL)
    return draw(st.integers(-(-p.least // step), high // step).map(lambda k: step * k) | st.just(high // step * step))


def _setting(draw, record: Encoding) -> dict:
    """Draw a value for every parameter, within the limits that the values set each other."""
    values = {p.name: _value(draw, p) for p in record.parameters}
    for name, limit in record.limits(values).items():
        values[name] = min(values[name], limit)
    if values.get("endpoint"):
        values["seq_len"] = max(values["seq_len"], 2)  # one position has no end point, says the docstring
    for p in record.parameters:
        assert values[p.name] is None or p.checked(values[p.name]) == values[p.name]
    return values


def _arrays(sample: Sample) -> dict[str, np.ndarray]:
    """Return all that a sample has to show."""
    record, offsets = sample.encoding, np.arange(-50, 51)
    found = {"similarity": sample.similarity, "dot_product": sample.dot_product(0)}
    if record.rows:
        fine = sample.between(3)
        found |= {"table": sample.table, "steps": sample.steps, "fine": fine[0], "between": fine[1]}
        found |= {"closest": np.array(sample.closest)}
    for name in ("frequencies", "score_terms"):
        if getattr(record, name):
            shown = getattr(sample, name)
            found |= shown if isinstance(shown, dict) else {name: shown}
    for name in ("reads", "biases"):
        if function := getattr(record, name):
            found[name] = function(offsets, **sample.parameters)
    if record.shift:
        found["shift"] = sample.shift(7)
    output, weights = sample.attend(vectors(sample.known, sample.width), causal=True)
    return found | {"output": output, "attention_weights": weights}


@pytest.mark.parametrize("name", ENCODINGS)
def test_no_setting_gives_anything_but_numbers(name, record_property):
    record = ENCODINGS[name]

    @settings(FUZZ, max_examples=SETTINGS)
    @given(st.data())
    def holds(data):
        values = _setting(data.draw, record)
        note(f"{name}: {values}")
        sample = Sample(record, **values)
        found = _arrays(sample)
        assert not [key for key, x in found.items() if not np.isfinite(x).all()]
        assert sample.similarity.shape == (values["seq_len"],) * 2
        assert "nan" not in sample.describe(set(record.defaults)).lower()

    holds()
    record_property(f"catalog {name:<15}", f"{SETTINGS} settings of {len(record.parameters)} parameters")


def _refused(p: Parameter, value) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        p.checked(value)
    assert type(caught.value) in (TypeError, ValueError)
    assert p.name in str(caught.value)
    assert "must be" in str(caught.value)


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_parameter_refuses_nonsense_in_words(name):
    p = PARAMETERS[name]
    values = [x for x in NO_NUMBERS if not (p.options and any(x is good for good in (*TEXTS, *BOOLS)))]
    beyond = st.integers(max_value=int(p.least) - 1) | st.integers(min_value=int(p.most) + 1)
    fractions = st.nothing() if p.scale == "log" else st.floats(p.least, p.most)

    @settings(FUZZ, max_examples=NONSENSE)
    @given(st.sampled_from([*values, *ENDLESS, *GIGANTIC]) | beyond | fractions)
    def refused(value):
        _refused(p, value)

    refused()


NUMBERLIKE = st.sampled_from(
    "1e400 -1e400 nan inf 1_000 1,000 1,00 12,3456 0x10 1e3 ١٢ 7. .5 -0 +5 1e-9 true None".split()
)


def _read(p: Parameter, text: str) -> tuple[object, str | None]:
    """Return what a text means, or None and the words that refuse it."""
    try:
        value = p.read(text)
        return (None, None) if value is None else (p.checked(value), None)
    except (TypeError, ValueError) as refusal:
        return None, str(refusal)


@pytest.mark.parametrize("name", PARAMETERS)
def test_whatever_is_written_becomes_a_good_value_or_words(name):
    p = PARAMETERS[name]

    @settings(FUZZ, max_examples=NONSENSE)
    @given(st.text(max_size=12) | NUMBERLIKE | st.integers().map(str) | st.floats().map(str))
    def read(text):
        value, refusal = _read(p, text)
        if refusal:
            assert p.name in refusal
            assert "must be" in refusal
        elif p.options:
            assert value in p.options
        else:
            assert value is p.default is None or p.least <= value <= p.most

    read()
