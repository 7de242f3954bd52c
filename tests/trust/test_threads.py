"""Several threads at once, as JupyterLab's subshells call: pictures stay true, and the lock is what keeps them so."""

import random
from contextlib import nullcontext
from functools import partial

import comm
import matplotlib as mpl
import pytest

from posenc_lib import explore, playground
from posenc_lib.live.explorer import Explorer
from posenc_lib.spec import Spec
from posenc_lib.views.pen import Pen
from posenc_lib.views.sheet import Sheet
from posenc_lib.views.style import LOCK
from tests.trust import fake_frontend as frontend
from tests.trust.interleaving import meet, unlocked

TIMES = 3  # that a scene must fail without the lock, and pass with it
UPDATE, BLANK = (Sheet, "update"), (Sheet, "_blank")
BUCKETS = {"clip": (1, 32), "num_buckets": (4, 32), "max_distance": (32, 512)}


@pytest.fixture(autouse=True)
def _raise_errors(monkeypatch):
    monkeypatch.setattr(Explorer, "raise_errors", True)


@pytest.fixture
def front(monkeypatch):
    """A page that all widgets speak with."""
    monkeypatch.setattr(comm, "create_comm", frontend.FakeComm)


@pytest.fixture
def same_widgets():
    """No widget is left by the test."""
    curve().close()
    playground().close()
    before = frontend.held()[2]
    yield
    assert frontend.held()[2] == before


def true_to_values(panel) -> bool:
    """Return whether a panel, closed now, shows what a fresh one does; print what is not the same."""
    fresh = explore("sinusoidal", views="dot_product", start=frontend.positions(panel))
    panel.close()
    fresh.close()
    apart = frontend.differing(panel, fresh)
    print(apart)
    return not apart


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
    assert frontend.together([take_the_lock]) == []
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


def dragging(sliders: list, rng: random.Random) -> None:
    """Move some sliders to any place, one after another."""
    for slider in (rng.choice(sliders) for _ in range(5)):
        if not slider.disabled:
            frontend.drag(slider, rng)


@pytest.mark.slow
def test_sliders_that_three_threads_drag_beside_a_busy_cell_show_the_true_picture(front, same_widgets, tmp_path):
    opened = partial(explore, ["shaw", "t5"], views="bucket_by_offset", **BUCKETS)
    panel, rng = opened(), random.Random(0)
    sliders = list(panel.sliders.values())
    with frontend.busy_cell() as went_round:
        for _ in range(8):  # each slider, as in JupyterLab, belongs to one thread
            jobs = [partial(dragging, sliders[k::3], random.Random(rng.random())) for k in range(3)]
            jobs += [lambda: panel.save(tmp_path / "a.png"), lambda: explore("binary").close()]
            assert frontend.together(jobs) == []
            fresh = opened(start=frontend.positions(panel))
            assert frontend.differing(panel, fresh) == {}
            assert frontend.same_on_the_page(panel)
            frontend.close_wholly(fresh)
    assert went_round
    frontend.close_wholly(panel)


@pytest.mark.slow
def test_a_playground_switched_and_dragged_beside_a_busy_cell_is_what_its_line_opens(front, same_widgets):
    ground, rng = playground(), random.Random(0)
    with frontend.busy_cell():
        for _ in range(8):
            picker = ground._picker
            for drop in (picker.preset, picker.a, rng.choice(picker.views)):
                frontend.send(drop, index=rng.randrange(len(drop.options)))
                assert "alert" not in ground._news.value, ground._news.value
            dragging(list(ground.sides[0].sliders.values()), rng)
            fresh = playground(ground.line)
            assert [x for pair in zip(ground.sides, fresh.sides, strict=True) for x in frontend.differing(*pair)] == []
            assert all(map(frontend.same_on_the_page, ground.sides))
            frontend.close_wholly(fresh)
    frontend.close_wholly(ground)
