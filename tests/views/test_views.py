"""What every view must do: an update is a fresh drawing, every slider matters, no error leaves it half moved."""

import random
import re
from contextlib import suppress

import numpy as np
import pytest

from posenc_lib import explore
from posenc_lib.encodings.catalog import ELSEWHERE, ENCODINGS
from posenc_lib.live.settings import steps
from posenc_lib.views import VIEWS
from posenc_lib.views.axes import LIMITS, union
from posenc_lib.views.sheet import Sheet
from posenc_lib.views.style import CSS_DPI, themed
from posenc_lib.views.view import MERGED

KINDS = ENCODINGS | ELSEWHERE
HEAVY = {"lookback", "anywhere", "best_head", "precision"}  # a fit, or a million positions, for each setting
FEEDING = {view: [name for name in KINDS if VIEWS[view].fits(KINDS[name])] for view in VIEWS}
SET = {  # without it a slider has nothing to change
    "cliff": {"rope_type": "yarn"},
    "directions": {"pairs": "random"},
    "window_head": {"pairs": "random"},
}

some = pytest.mark.parametrize("view", list(VIEWS)[::4])
every = pytest.mark.parametrize(
    "view", [view if k % 4 == 0 else pytest.param(view, marks=pytest.mark.slow) for k, view in enumerate(VIEWS)]
)


def opened(name: str, view: str, **more):
    """Return an explorer of one view of an encoding, whose errors are raised."""
    known = {key: value for key, value in SET.get(view, {}).items() if key in KINDS[name].defaults}
    panel = explore(name, views=view, **known | more)
    panel.raise_errors = True
    return panel


def ends(panel):
    """Yield each slider that can move, by name, with its lowest, middle and highest value."""
    for name, slider in panel.sliders.items():
        if not slider.disabled:
            values = steps(slider)
            yield name, slider, dict.fromkeys((values[0], values[len(values) // 2], values[-1]))


def fresh(panel) -> bytes:
    """Return what a new sheet shows at the same setting."""
    old = panel.panel
    with themed(old.theme):
        look = {"width": panel._drawn.width, "plot": panel._drawn.plot, "sharpness": old.figure.dpi / CSS_DPI}
        new = Sheet(old.views, old.encodings, old.values, **look)
    assert new.text == panel.text
    return new.frame()


def moved_to_its_ends(name: str, view: str) -> tuple[set, set]:
    """Move each slider of a panel to its ends, and expect each time what a fresh drawing shows.

    Return the sliders that change the picture, and those that do not from where the others begin.
    """
    panel, matter, idle = opened(name, view), set(), set()
    for slider_name, slider, values in ends(panel):
        panel.reset()
        seen = {panel.png}
        for value in values:
            slider.value = value
            assert panel._news.value == ""
            assert panel.png == fresh(panel), (name, view, slider_name, value)
            assert panel.text.endswith(".")
            assert "nan" not in panel.text
            seen.add(panel.png)
        (matter if len(seen) > 1 else idle).add(slider_name)
    panel.close()
    return matter, idle


def changes_somewhere(name: str, view: str, slider: str) -> bool:
    """Return whether a slider changes the picture at some setting of the others."""
    rng, panel = random.Random(0), opened(name, view)
    every = {one: steps(widget) for one, widget in panel.sliders.items()}
    if slider not in every:
        return False
    for _ in range(30):
        others = {one: rng.choice(values) for one, values in every.items() if one != slider}
        seen = set()
        for value in rng.sample(every[slider], min(len(every[slider]), 3)):
            panel.reset()
            with suppress(ValueError):  # they leave each other no room
                panel.set(**others, **{slider: value})
                seen.add(panel.png)
        if len(seen) > 1:
            return True
    return False


@every
def test_an_updated_view_is_byte_for_byte_a_fresh_one_and_every_slider_changes_it(view):
    feeding = [name for name in FEEDING[view] if name != "no_position"]
    _, idle = moved_to_its_ends(feeding[0], view)
    for slider in idle:
        assert any(changes_somewhere(name, view, slider) for name in feeding), (view, slider)


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_so_is_every_view_of_every_encoding(name):
    for view in VIEWS:
        if name in FEEDING[view]:
            moved_to_its_ends(name, view)


@some
def test_frozen_limits_hold_what_is_shown_at_the_ends_and_grow(view):
    panel = opened(FEEDING[view][0], view, frozen=True)
    (pen,) = panel.panel.pens
    before = dict(pen.frozen)
    for _, slider, values in ends(panel):
        for value in values:
            slider.value = value
            assert all(pen.frozen[name] == union(name, limits, pen.wanted[name]) for name, limits in before.items())
            assert pen.limits == {**pen.wanted, **pen.frozen}
        panel.reset()
    assert pen.frozen.keys() <= set(LIMITS)


@some
def test_a_ghost_stays_where_things_were_and_goes_with_reset(view):
    panel = opened(FEEDING[view][0], view, ghost=True)
    panel.clock = iter(range(10_000)).__next__  # each move comes long after the last one
    start, said = panel.png, panel.text
    for _, slider, values in ends(panel):
        slider.value = list(values)[-1]
        haunted = panel.panel.pens[0].haunted
        assert ("Grey " in panel.text) == bool(haunted)
    panel.reset()
    assert (panel.png, panel.text) == (start, said)


@some
def test_an_interrupt_leaves_a_view_able_to_draw(view, monkeypatch):
    panel = opened(FEEDING[view][0], view)
    _, slider, values = next(ends(panel), (None, None, None))
    if slider is None:
        return

    def interrupted(*args, **look):
        raise KeyboardInterrupt

    for word in ("text", "axes"):
        with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
            patch.setattr(panel.panel.pens[0], word, interrupted)
            slider.value = list(values)[-1]
        panel._refresh()
        assert panel.png == fresh(panel)
        panel.reset()


@some
def test_pointing_tells_what_is_drawn_and_nothing_beyond_it(view):
    panel = opened(FEEDING[view][0], view)
    (pen,), ((left, right), (low, high)) = panel.panel.pens, (panel.panel.pens[0].limits[n] for n in ("xlim", "ylim"))
    for x in np.linspace(left, right, 7):
        for y in np.linspace(low, high, 7):
            assert "nan" not in pen.value_at(float(x), float(y))
    if pen.grid is not None and not pen.says:
        assert pen.value_at(pen.grid.shape[1] + 3, 0) == ""


@pytest.mark.parametrize("old", MERGED)
def test_a_view_that_is_part_of_another_one_now_answers_with_the_new_call(old):
    with pytest.raises(ValueError, match=re.escape(f"{old!r} is part of another one now: {MERGED[old]}")):
        explore("rope", views=old)
    eval(MERGED[old]).close()


def test_pointers_count_what_is_known():
    known = {None, "position", "query", "key", "dim", "offset", "pair", "seq_len", "head", "token", "right", "down"}
    known |= {"row", "column"}  # where words stand, the label names them itself
    assert {name: view.pointer for name, view in VIEWS.items() if not {*view.pointer} <= known} == {}


@pytest.mark.parametrize(
    ("name", "one", "other", "both"),
    [
        ("ylim", (0, 5), (-1, 3), (-1, 5)),
        ("ylim", (9.5, -0.5), (-0.5, 19.5), (19.5, -0.5)),  # downwards, as in images
        ("clim", (0, 7), (2, 9), (0, 9)),
        ("clim", (0, 7), (-1, 1), (-7, 7)),  # the middle colour stays zero
    ],
)
def test_a_union_holds_both(name, one, other, both):
    assert union(name, one, other) == both
