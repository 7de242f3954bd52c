"""Every encoding of the catalog gives numbers at any setting a slider can reach, and refuses nonsense in words."""

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.toy_data import tokens

from .arguments import BOOLS, ENDLESS, GIGANTIC, NO_NUMBERS, TEXTS
from .functions import FUZZ

SETTINGS, NONSENSE = 60, 100  # draws for each encoding, and for each parameter
SMALL = 48  # of lengths and dims, so that many settings can be tried
PARAMETERS = {f"{e.name} {p.name}": p for e in ENCODINGS.values() for p in e.parameters}
OFFSETS = np.arange(-50, 51)
SHOWN = {  # what an encoding may have to show, and what it is asked with
    **dict.fromkeys(("similarity", "table", "steps", "frequencies", "kernel"), None),
    **{"dot_product": 0, "between": 3, "shift": 7, "buckets": OFFSETS, "biases": OFFSETS},
}


def value(draw, p: Parameter):
    """Draw a value that a reader can set."""
    if p.options:
        return draw(st.sampled_from(p.options))
    if p.default is None and draw(st.booleans()):
        return None
    if p.scale == "log":
        return draw(st.floats(p.least, p.most) | st.sampled_from([p.least, p.most]))
    step, high = int(p.step), min(p.most, SMALL)
    return draw(st.integers(-(-p.least // step), high // step).map(lambda k: step * k) | st.just(high // step * step))


def setting(draw, encoding: Encoding) -> Encoding:
    """Return the encoding with a value drawn for every parameter, within the limits that the values set each other."""
    encoding = encoding.at(**{p.name: value(draw, p) for p in encoding.parameters})
    encoding = encoding.at(**{name: min(encoding.values[name], most) for name, most in encoding.limits.items()})
    if encoding.values.get("endpoint"):
        encoding = encoding.at(seq_len=max(encoding.seq_len, 2))  # one position has no end point, says the docstring
    note(f"{encoding.name}: {encoding.values}")
    return encoding


def shown(encoding: Encoding) -> dict[str, np.ndarray]:
    """Return all that an encoding has to show, by name."""
    found = {name: getattr(encoding, name) for name in SHOWN if encoding.has(name)}
    found = {name: x(SHOWN[name]) if callable(x) else x for name, x in found.items()}
    found["positions"], found["between"] = found.get("between", (0, 0))
    found["output"], found["weights"] = encoding.attend(tokens(encoding.max_positions, encoding.num_dims), causal=True)
    return found | (encoding.score_terms(*encoding.tiled_qk()) if encoding.has("score_terms") else {})


@pytest.mark.parametrize("name", ENCODINGS)
def test_no_setting_gives_anything_but_numbers(name):
    @settings(FUZZ, max_examples=SETTINGS)
    @given(st.data())
    def holds(data):
        encoding = setting(data.draw, ENCODINGS[name])
        for p in encoding.parameters:
            x = encoding.values[p.name]
            assert x is None or p.checked(x) == x
        assert not [key for key, x in shown(encoding).items() if not np.isfinite(x).all()]
        assert encoding.similarity.shape == (encoding.seq_len,) * 2
        assert "nan" not in encoding.describe(set(encoding.defaults)).lower()

    holds()


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_parameter_refuses_nonsense_in_words(name):
    p = PARAMETERS[name]
    values = [x for x in NO_NUMBERS if not (p.options and any(x is good for good in (*TEXTS, *BOOLS)))]
    beyond = st.integers(max_value=int(p.least) - 1) | st.integers(min_value=int(p.most) + 1)
    fractions = st.nothing() if p.scale == "log" else st.floats(p.least, p.most)

    @settings(FUZZ, max_examples=NONSENSE)
    @given(st.sampled_from([*values, *ENDLESS, *GIGANTIC]) | beyond | fractions)
    def refused(value):
        with pytest.raises((TypeError, ValueError), match="must be") as caught:
            p.checked(value)
        assert type(caught.value) in (TypeError, ValueError)
        assert p.name in str(caught.value)

    refused()


NUMBERLIKE = "1e400 -1e400 nan inf 1_000 1,000 1,00 12,3456 0x10 1e3 1e18 1e300 4097.5 ١٢ 7. .5 -0 +5 1e-9 true None"
NUMBERLIKE = [*NUMBERLIKE.split(), "9" * 1500]


@pytest.mark.parametrize("name", PARAMETERS)
def test_whatever_is_written_becomes_a_good_value_or_words(name):
    p = PARAMETERS[name]

    @settings(FUZZ, max_examples=NONSENSE)
    @given(st.text(max_size=12) | st.sampled_from(NUMBERLIKE) | st.integers().map(str) | st.floats().map(str))
    def read(text):
        value = words = None
        try:
            value = p.read(text)
            value = value if value is None else p.checked(value)
        except (TypeError, ValueError) as refusal:
            words = str(refusal)
        if words:
            assert p.name in words
            assert "must be" in words
        else:
            assert value in p.options if p.options else value is p.default is None or p.least <= value <= p.most

    read()
