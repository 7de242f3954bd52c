"""Several threads at once, as JupyterLab's subshells call: pictures stay true, and the lock is what keeps them so."""

import subprocess
import sys
from contextlib import nullcontext
from functools import cache

import matplotlib as mpl
import pytest
from posenc_lib.encodings.record import Parameter
from posenc_lib.live.stage import Stage
from posenc_lib.views.curve import DotProductCurve

from posenc_lib import explore, playground, scorecard
from posenc_lib.figures import formats
from posenc_lib.live import explorer, share
from posenc_lib.live.explorer import Explorer
from posenc_lib.views import Panel
from posenc_lib.views.style import LOCK
from tests.trust import drags
from tests.trust.meetings import door, meet

TIMES = 10  # that a scene must fail without the lock, and pass with it
STORMS = 5


@pytest.fixture(autouse=True)
def _raise_errors(monkeypatch):
    monkeypatch.setattr(Explorer, "raise_errors", True)


@cache
def fresh_one(**start):
    """Return what a fresh explorer shows."""
    fresh = explore("sinusoidal", views="dot_product", start=start)
    fresh.close()
    return drags.seen(fresh)


def true_to_values(panel) -> bool:
    """Return whether a panel, closed now, shows what a fresh one does."""
    panel.close()
    return drags.seen(panel) == fresh_one(**drags.positions(panel))


def curve():
    return explore("sinusoidal", views="dot_product", start={"base": 100.0})


def dragging(panel, name, value):
    return lambda: setattr(panel.sliders[name], "value", value)


def a_drag_within_a_drag(patience, folder):
    panel = curve()
    errors = meet(dragging(panel, "base", 50.0), dragging(panel, "seq_len", 20), (Panel, "update"), None, patience)
    return not errors and true_to_values(panel)


def a_reset_within_a_drag(patience, folder):
    panel = curve()
    errors = meet(dragging(panel, "base", 50.0), panel.reset, (Panel, "update"), None, patience)
    return not errors and true_to_values(panel)


def a_set_within_a_set(patience, folder):
    panel = curve()
    first, second = (lambda: panel.set(base=50.0, query=3)), (lambda: panel.set(seq_len=20, query=5))
    return not meet(first, second, (Panel, "update"), None, patience) and true_to_values(panel)


def a_picture_saved_within_a_drag(patience, folder):
    panel = curve()
    second = lambda: panel.save(folder / "within.png")  # noqa: E731
    errors = meet(dragging(panel, "seq_len", 20), second, (DotProductCurve, "set_data"), None, patience)
    same = panel.save(folder / "after.png").read_bytes() == (folder / "within.png").read_bytes()
    return not errors and same and true_to_values(panel)


def style_stays(first, second, at, patience) -> bool:
    """Return whether a reader's own style is there again after two have drawn at once."""
    with mpl.rc_context({"lines.linewidth": 7.0}):
        before = dict(mpl.rcParams)
        errors = meet(first, second, at, (Stage, "_blank"), patience)
        return not errors and dict(mpl.rcParams) == before


def two_explorers_at_once(patience, folder):
    one, other = curve(), curve()
    first, second = dragging(one, "seq_len", 20), dragging(other, "seq_len", 30)
    kept = style_stays(first, second, (Stage, "_blank"), patience)
    return kept and true_to_values(one) and true_to_values(other)


def a_drag_within_a_film(patience, folder):
    panel, side = curve(), playground(state="binary: heatmap; d_model=2, seq_len=4").sides[0]
    alone, films = share.film(side, "seq_len"), []
    first = lambda: films.append(share.film(side, "seq_len"))  # noqa: E731
    kept = style_stays(first, dragging(panel, "seq_len", 30), (formats.FigureCanvasAgg, "draw"), patience)
    side.close()
    return kept and films == [alone] and true_to_values(panel)


SCENES = (
    a_drag_within_a_drag,
    a_reset_within_a_drag,
    a_set_within_a_set,
    a_picture_saved_within_a_drag,
    two_explorers_at_once,
    a_drag_within_a_film,
)


@pytest.mark.slow
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_the_lock_keeps_pictures_true_and_without_it_they_are_not(scene, tmp_path, record_property):
    passed = {}
    for locked in (True, False):
        with door(locked=locked) as patience:
            passed[locked] = sum(scene(patience, tmp_path) for _ in range(TIMES))
    name = f"threads: {scene.__name__.replace('_', ' ')}"
    record_property(name, f"right {passed[True]} of {TIMES} times, without the lock {passed[False]}")
    assert passed == {True: TIMES, False: 0}


@pytest.mark.slow
def test_storms_of_threads_leave_all_true_and_without_the_lock_they_do_not(root, record_property):
    wrong = {}
    for locked in ("locked", "open"):
        command = [sys.executable, "-m", "tests.trust.meetings", locked, str(STORMS)]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True)
        assert locked == "open" or done.returncode == 0, done.stderr[-3000:]
        wrong[locked] = int(done.stdout) if done.returncode == 0 else STORMS  # without a lock it may even crash
    record_property("threads: storms of six", "wrong of {}: {locked}, without the lock {open}".format(STORMS, **wrong))
    assert wrong == {"locked": 0, "open": STORMS}


@pytest.mark.parametrize("told", [True, False])
def test_a_callback_that_fails_leaves_the_lock_free(told, monkeypatch):
    monkeypatch.setattr(Explorer, "raise_errors", told)
    panel = curve()
    with monkeypatch.context() as patch:
        patch.setattr(Panel, "update", lambda *args: 1 / 0)
        with pytest.raises(ZeroDivisionError) if told else nullcontext():
            panel.sliders["base"].value = 50.0
    assert drags.Hands(1).together([take_the_lock]) == []
    dragging(panel, "seq_len", 20)()
    assert true_to_values(panel)


def take_the_lock():
    assert LOCK.acquire(timeout=5), "it is still held"
    LOCK.release()


@pytest.mark.parametrize("place", [(Panel, "update"), (Stage, "_blank"), (Explorer, "_show")])
def test_an_explorer_closed_in_the_middle_of_a_drag_is_silent(place):
    curve().close()
    widgets = drags.held()[2]
    panel = curve()
    parts = drags.inside(panel.box)
    assert meet(dragging(panel, "seq_len", 20), panel.close, place) == []
    shown = bytes(panel._picture.value)
    panel.sliders["base"].value = 1000.0  # nobody listens any more
    assert bytes(panel._picture.value) == shown
    assert [part for part in parts if part.comm or part._trait_notifiers] == []
    assert drags.held()[2] == widgets


def test_words_read_in_the_middle_of_a_drag_are_of_one_picture():
    panel = explore("sinusoidal", views=["dot_product", "heatmap"])
    before, words = panel.text, []
    second = dragging(panel, "seq_len", 20)
    assert meet(lambda: words.append(panel.text), second, (DotProductCurve, "describe"), None, 1.0) == []
    assert words[0] in (before, panel.text)
    panel.close()


def test_a_drag_is_not_taken_back_by_another_slider_that_is_fitting():
    panel = curve()
    second = dragging(panel, "seq_len", 20)
    assert meet(dragging(panel, "base", 50.0), second, (Parameter, "within"), None, 1.0) == []
    assert panel.values["seq_len"] == 20
    assert true_to_values(panel)


def test_a_scorecard_drawn_beside_a_drag_leaves_the_style_as_it_was():
    panel, card = curve(), scorecard(["binary"])
    at = (sys.modules["posenc_lib.views.scorecard"], "_draw_row")
    assert style_stays(card.picture, dragging(panel, "seq_len", 20), at, 1.0)
    assert true_to_values(panel)


def test_two_that_switch_a_playground_at_once_leave_one_that_is_whole():
    playground().close()
    widgets = drags.held()[2]
    ground = playground(state="sinusoidal: heatmap")
    first = lambda: setattr(ground._choices.a, "value", "binary")  # noqa: E731
    assert meet(first, lambda: ground.open("alibi: head_biases"), (explorer, "close_all"), None, 2.0) == []
    assert ground._panels.children == tuple(side.box for side in ground.sides)
    assert [ground._choices.a.value] == ground.sides[0].names
    assert [ground._choices.views[0].value] == ground.sides[0].state.views[:1]
    assert list(ground._player.which.options) == list(ground.sides[0].sliders)
    ground.close()
    assert drags.held()[2] == widgets
