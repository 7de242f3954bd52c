"""Each parameter changes what a view shows of an encoding, or is said not to, and then is no slider."""

import itertools

import numpy as np
import pytest

from posenc_lib import explore
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.sample import Sample
from posenc_lib.views import VIEWS
from posenc_lib.views.names import parameters_of

FED = [(e.name, view) for e in ENCODINGS.values() for view in VIEWS if VIEWS[view].needs in e.gives]
SMALL = {"seq_len": 24, "d_model": 8, "head_dim": 8, "x_dim": 2, "y_dim": 3, "z_dim": 4, "query": 5, "dim": 4}
SMALL |= {"position": 64, "seed": 3, "num_buckets": 16, "max_distance": 33, "clip": 4, "num_heads": 4, "pair": 1}
OTHERS = {  # values beside these that are worth a try
    "seq_len": (3, 6, 20, 30),
    "d_model": (4, 6),
    "head_dim": (4, 16),
    "base": (100.0, 10.0),
    "query": (2, 7),
    "offset": (3, -2),
    "order": (1, 3),
    "azimuth": (30,),
    "seed": (0, 1),
    "clip": (2, 3),
    "num_buckets": (8, 4),
    "max_distance": (40, 128),
    "num_heads": (2, 8),
    "head": (1, 2),
    "pair": (0, 2),
    "dim": (0, 1),
    "x_dim": (0, 1),
    "y_dim": (0, 2),
    "z_dim": (1, 0),
    "shown_dims": (2, 3),
    "num_waves": (1, 2),
    "embed_scale": (2, 8),
    "position": (2, 2048),
    "num_positions": (12, 6, 3),
}


def parameters(encoding: str, view: str) -> dict:
    return parameters_of([ENCODINGS[encoding]], [VIEWS[view]])


def settings(encoding: str, view: str):
    """Yield a small setting for each combination of the choices."""
    known = parameters(encoding, view)
    usual = {name: SMALL.get(name, p.default) for name, p in known.items()}
    usual["seq_len"] = min(usual["seq_len"], VIEWS[view].most_positions)
    if encoding == "binary":
        usual["d_model"] = 5
    choices = {name: p.options for name, p in known.items() if p.options}
    for chosen in itertools.product(*choices.values()):
        yield usual | dict(zip(choices, chosen, strict=True))
    if encoding == "sine":
        yield usual | {"base": 50.0}  # without a base, dims do not depend on how many there are


def fitted(encoding: str, view: str, values: dict) -> dict:
    """Return the values within what they leave to one another, as sliders have them."""
    record, known, values = ENCODINGS[encoding], parameters(encoding, view), dict(values)
    width = Sample(record, **{name: values[name] for name in record.defaults}).width
    for limits in (record.limits(values), VIEWS[view].limits(width, values["seq_len"])):
        for name, most in limits.items():
            if values.get(name) is not None:
                values[name] = known[name].within(values[name], most)
    return values


def shown(encoding: str, view: str, values: dict) -> dict:
    sample = Sample(ENCODINGS[encoding], **{name: values[name] for name in ENCODINGS[encoding].defaults})
    return VIEWS[view].inputs(sample, values)


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


def changes(encoding: str, view: str, name: str) -> bool:
    """Return whether some value of a parameter changes what is seen at some setting, others staying as they are."""
    parameter = parameters(encoding, view)[name]
    for values in settings(encoding, view):
        values = fitted(encoding, view, values)
        before = shown(encoding, view, values)
        for other in parameter.options or OTHERS[name]:
            changed = fitted(encoding, view, values | {name: other})
            moved = {key for key in values if changed[key] != values[key]}
            if (moved == {name} or _by_a_limit(encoding, name, moved)) and not same(
                before, shown(encoding, view, changed)
            ):
                return True
    return False


def _by_a_limit(encoding: str, name: str, moved: set) -> bool:
    """Return whether a parameter says how long a text of this encoding can be: then it changes what is seen."""
    return "seq_len" in moved and name in ("d_model", "num_positions") and encoding in ("binary", "learned")


@pytest.mark.parametrize(("encoding", "view"), FED)
def test_a_parameter_changes_what_is_seen_or_is_said_not_to(encoding, view):
    record = ENCODINGS[encoding]
    changing = {name for name in record.defaults if changes(encoding, view, name)}
    assert changing == set(VIEWS[view].relevant(record))
    own = set(parameters(encoding, view)) - set(record.defaults)
    assert {name for name in own if changes(encoding, view, name)} == own


@pytest.mark.parametrize(("encoding", "view"), FED)
def test_what_changes_nothing_is_no_slider_and_may_be_fixed(encoding, view):
    record = ENCODINGS[encoding]
    idle = set(record.defaults) - set(VIEWS[view].relevant(record))
    explorer = explore(encoding, views=view)
    assert not idle & set(explorer.sliders)
    explorer.close()
    for name in idle:
        parameter = parameters(encoding, view)[name]
        ends = parameter.options or (parameter.low, parameter.high)
        with pytest.raises(ValueError, match=f"{name} must be one value, for it changes nothing in {view}"):
            explore(encoding, views=view, **{name: ends})
        explore(encoding, views=view, **{name: ends[0]}).close()


def test_two_views_keep_the_sliders_of_each():
    assert "seq_len" not in explore("rope", views="vectors").sliders
    assert "seq_len" in explore("rope", views=["vectors", "score_by_offset"]).sliders
    assert "d_model" in explore(["no_position", "sinusoidal"], views="dot_product", d_model=(8, 64)).sliders
