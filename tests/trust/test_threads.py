"""Several threads at once, as JupyterLab's subshells call: pictures stay true, and the lock is what keeps them so."""

import random
from contextlib import nullcontext
from functools import partial

import matplotlib as mpl
import pytest

from posenc_lib import explore, playground
from posenc_lib.live import explorer
from posenc_lib.live.explorer import Explorer
from posenc_lib.live.settings import steps
from posenc_lib.spec import Spec
from posenc_lib.views.pen import Pen
from posenc_lib.views.sheet import Sheet
from posenc_lib.views.style import LOCK

from ..live.conftest import shown
from .interleaving import held, meet, together, unlocked

TIMES = 3  # that a scene must fail without the lock, and pass with it
UPDATE, BLANK = (Sheet, "update"), (Sheet, "_blank")


@pytest.fixture(autouse=True)
def _raise_errors(monkeypatch):
    monkeypatch.setattr(Explorer, "raise_errors", True)


@pytest.fixture
def same_widgets():
    """No widget is left by the test."""
    curve().close()
    playground().close()
    before = held()[1]
    yield
    assert held()[1] == before


def true_to_values(panel) -> bool:
    """Return whether a panel, closed now, shows what a fresh one does."""
    start = {name: slider.value for name, slider in panel.sliders.items()}
    fresh = explore("sinusoidal", views="dot_product", start=start)
    panel.close()
    fresh.close()
    return shown(panel)[1:] == shown(fresh)[1:] and panel.png == fresh.png


def curve():
    return explore("sinusoidal", views="dot_product", start={"base": 100.0})


def drag(panel, name, value):
    """Return the drag of one slider, as something to call."""
    return partial(setattr, panel.sliders[name], "value", value)


def a_drag_within_a_drag() -> bool:
    panel = curve()
    return not meet(drag(panel, "base", 50.0), drag(panel, "seq_len", 20), UPDATE) and true_to_values(panel)


def style_stays(first, second) -> bool:
    """Return whether a reader's own style is there again after two have drawn at once."""
    with mpl.rc_context({"lines.linewidth": 7.0}):
        before = dict(mpl.rcParams)
        errors = meet(first, second, BLANK, BLANK)
        return not errors and dict(mpl.rcParams) == before


def two_explorers_at_once() -> bool:
    one, other = curve(), curve()
    kept = style_stays(drag(one, "seq_len", 20), drag(other, "seq_len", 30))
    return kept and true_to_values(one) and true_to_values(other)


@pytest.mark.slow
@pytest.mark.parametrize("scene", [a_drag_within_a_drag, two_explorers_at_once])
def test_the_lock_keeps_pictures_true_and_without_it_they_are_not(scene):
    assert [scene() for _ in range(TIMES)] == [True] * TIMES
    with unlocked():
        assert [scene() for _ in range(TIMES)] == [False] * TIMES


@pytest.mark.parametrize("raises", [True, False])
def test_a_callback_that_fails_leaves_the_lock_free(raises, monkeypatch):
    def take_the_lock():
        assert LOCK.acquire(timeout=5), "it is still held"
        LOCK.release()

    monkeypatch.setattr(Explorer, "raise_errors", raises)
    panel = curve()
    with monkeypatch.context() as patch:
        patch.setattr(Sheet, "update", lambda *args: 1 / 0)
        with pytest.raises(ZeroDivisionError) if raises else nullcontext():
            panel.sliders["base"].value = 50.0
    assert together([take_the_lock]) == []
    panel.sliders["seq_len"].value = 20
    assert true_to_values(panel)


def test_words_read_in_the_middle_of_a_drag_are_of_one_picture():
    panel = explore("sinusoidal", views=["dot_product", "heatmap"])
    words = [panel.text]
    read = lambda: words.append(panel.text)  # noqa: E731
    assert meet(drag(panel, "seq_len", 20), read, (Pen, "draw"), patience=1.0) == []
    assert words[1] in (words[0], panel.text)
    panel.close()


def test_a_drag_is_not_taken_back_by_another_slider_that_is_fitting():
    panel = curve()
    assert meet(drag(panel, "base", 50.0), drag(panel, "seq_len", 20), (Spec, "limits"), patience=1.0) == []
    assert panel.values["seq_len"] == 20
    assert true_to_values(panel)


def test_two_that_switch_a_playground_at_once_leave_one_that_is_whole(same_widgets):
    ground = playground("sinusoidal: heatmap")
    first, second = partial(setattr, ground.a, "value", "binary"), partial(ground.open, "alibi: head_biases")
    assert meet(first, second, (explorer, "close_all"), patience=2.0) == []
    (spec,), (side,) = ground.specs, ground.sides
    assert ground._panels.children == (side.box,)
    assert (ground.a.value, ground.views[0].value) == (spec.encodings[0].name, spec.views[0].name)
    ground.close()


def dragging(slider, rng: random.Random) -> None:
    """Move a slider to any places."""
    for _ in range(15):
        slider.value = rng.choice(steps(slider))


@pytest.mark.slow
def test_sliders_that_threads_drag_at_once_show_the_true_picture(same_widgets, tmp_path):
    panel = curve()
    for k in range(4):  # each slider, as in JupyterLab, belongs to one thread
        jobs = [partial(dragging, slider, random.Random(k)) for slider in panel.sliders.values()]
        assert together([*jobs, lambda: panel.save(tmp_path / "a.png"), lambda: explore("binary").close()]) == []
    assert true_to_values(panel)
