"""Each parameter changes what a view shows of an encoding, or is said not to, and then is no slider."""

import itertools

import numpy as np
import pytest

from posenc_lib.live.explorer import Settings
from posenc_lib.spec import Spec

from .test_words import OFTEN, QUICK

SMALL = {"seq_len": 24, "d_model": 8, "query": 5, "dim": 1, "pair": 1, "base": 50.0}  # where each has room to move
MORE = [spec for spec in (*QUICK[1::2], *OFTEN[::2]) if spec.views[0].name != "precision"]  # which takes its time
SPECS = [*QUICK[::2], *(pytest.param(spec, marks=pytest.mark.slow) for spec in MORE)]


def settings(spec: Spec):
    """Yield a small setting for each combination of the choices."""
    small = spec.all_values | {name: SMALL[name] for name in spec.parameters if name in SMALL}
    choices = {name: p.options for name, p in spec.parameters.items() if p.options}
    for chosen in itertools.product(*choices.values()):
        yield spec.clamp(small | dict(zip(choices, chosen, strict=True)))


def others(parameter, value) -> list:
    """Return values beside this one that are worth a try."""
    if parameter.options or value is None:
        return parameter.options or [12, 6, 3, 2]
    near = (value - parameter.step, value + parameter.step, 2 * value, value // 2, value // 4)
    return [max(other, parameter.low) for other in near]


def shown(spec: Spec, values: dict) -> dict:
    return spec.views[0]().inputs(spec.encodings_at(values)[0], values)


def same(one, other) -> bool:
    """Return whether two views show the same, but for rounding."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, str | bool | None):
        return one == other
    one, other = np.asarray(one, float), np.asarray(other, float)
    size = np.nanmax(np.abs(one), initial=1.0)
    return one.shape == other.shape and np.allclose(one, other, rtol=1e-9, atol=1e-9 * size, equal_nan=True)


def changes(spec: Spec, name: str) -> bool:
    """Return whether some value of a parameter changes what is seen at some setting, others staying as they are.

    How long the sequence can be may change with it: that is seen, too.
    """
    for values in settings(spec):
        for other in others(spec.parameters[name], values[name]):
            changed = spec.clamp(values | {name: other})
            moved = {key for key in values if changed[key] != values[key]}
            if name in moved <= {name, "seq_len"} and not same(shown(spec, values), shown(spec, changed)):
                return True
    return False


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_a_parameter_changes_what_is_seen_or_is_no_slider_and_may_be_fixed(spec):
    assert {name for name in spec.parameters if not changes(spec, name)} == spec.irrelevant
    assert not spec.irrelevant & Settings(spec).sliders.keys()
    for name in spec.irrelevant:
        ends = spec.parameters[name].options or (spec.parameters[name].low, spec.parameters[name].high)
        words = f"{name} must be one value, for it changes nothing in {spec.views[0].name}"
        with pytest.raises(ValueError, match=words):
            Settings(spec.at(**{name: ends}))
        assert name not in Settings(spec.at(**{name: ends[0]})).sliders


def test_two_views_keep_the_sliders_of_each():
    assert "seq_len" not in Settings(Spec.of("rope", "vectors")).sliders
    assert "seq_len" in Settings(Spec.of("rope", ["vectors", "score_by_offset"])).sliders
    assert "d_model" in Settings(Spec.of(["no_position", "sinusoidal"], "dot_product", d_model=(8, 64))).sliders
