"""Several threads at once, as JupyterLab's subshells: pictures stay true, and the lock does it."""

import random
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

from ..live.conftest import shown
from .interleaving import held, meet, together


@pytest.fixture(autouse=True)
def _raise_errors(monkeypatch):
    monkeypatch.setattr(Explorer, "raise_errors", True)


def true_to_values(panel) -> bool:
    """Return whether a panel, closed now, shows what a fresh one does."""
    start = {name: slider.value for name, slider in panel.sliders.items()}
    fresh = explore("sinusoidal", views="dot_product", start=start)
    panel.close()
    fresh.close()
    return shown(panel) == shown(fresh)


def curve():
    return explore("sinusoidal", views="dot_product", start={"base": 100.0})


def drag(panel, name, value):
    """Return the drag of one slider, as something to call."""
    return partial(setattr, panel.sliders[name], "value", value)


def test_two_sliders_that_meet_in_the_middle_of_a_drawing_leave_a_true_picture():
    panel = curve()
    assert meet(drag(panel, "base", 50.0), drag(panel, "seq_len", 20), (Sheet, "update")) == []
    assert true_to_values(panel)


def test_words_read_in_the_middle_of_a_drag_are_of_one_picture():
    panel = explore("sinusoidal", views=["dot_product", "heatmap"])
    words = [panel.text]
    read = lambda: words.append(panel.text)  # noqa: E731
    assert meet(drag(panel, "seq_len", 20), read, (Pen, "draw")) == []
    assert words[1] in (words[0], panel.text)
    panel.close()


def test_a_drag_is_not_taken_back_by_another_slider_that_is_fitting():
    panel = curve()
    assert meet(drag(panel, "base", 50.0), drag(panel, "seq_len", 20), (Spec, "highest")) == []
    assert panel.values["seq_len"] == 20
    assert true_to_values(panel)


def test_two_that_switch_a_playground_at_once_leave_one_that_is_whole():
    ground = playground("sinusoidal: heatmap")
    first = partial(setattr, ground.a, "value", "binary")
    second = partial(ground.open, "alibi: head_biases")
    assert meet(first, second, (explorer, "close_all")) == []
    spec = ground.explorer.spec
    assert ground._place.children == (ground.explorer.box,)
    assert (ground.a.value, ground.views[0].value) == (spec.encodings[0].name, spec.views[0].name)
    ground.close()


def dragging(slider, rng: random.Random) -> None:
    """Move a slider to any places."""
    for _ in range(15):
        slider.value = rng.choice(steps(slider))


@pytest.mark.slow
def test_sliders_that_threads_drag_at_once_show_the_true_picture_and_leave_nothing(tmp_path):
    panel, before = curve(), None
    for k in range(4):  # each slider, as in JupyterLab, belongs to one thread
        jobs = [partial(dragging, slider, random.Random(k)) for slider in panel.sliders.values()]
        with mpl.rc_context({"lines.linewidth": 7.0}):
            style = dict(mpl.rcParams)
            jobs += [lambda: panel.save(tmp_path / "a.png"), lambda: explore("binary").close()]
            assert together(jobs) == []
            assert dict(mpl.rcParams) == style
        before = before or held()[1]
    assert held()[1] == before
    assert true_to_values(panel)
