"""What every view does: update as if drawn anew, heed sliders, keep limits and curves if asked."""

import io
import itertools
import random
from contextlib import suppress

import numpy as np
import pytest
from matplotlib.lines import Line2D
from PIL import Image

from posenc_lib import explore, figure
from posenc_lib.live.settings import steps
from posenc_lib.views import VIEWS
from posenc_lib.views.axes import LIMITS, enclosing
from posenc_lib.views.pixels import Words
from posenc_lib.views.sheet import Sheet
from posenc_lib.views.style import CSS_DPI, WORDS, text_width, themed

from ..conftest import mostly_slow, same_pixels, todays
from ..kinds import KINDS

FEEDING = {view: [name for name in KINDS if VIEWS[view].fits(KINDS[name])] for view in VIEWS.load()}
CORNERS = (-1, -1), (1, -1), (1, 1), (-1, 1)
SET = {  # without it a slider has nothing to change
    "cliff": {"rope_type": "yarn"},
    "directions": {"pairs": "random"},
    "window_head": {"pairs": "random"},
}


def opened(name: str, view: str, **more):
    """Return an explorer of one view, whose errors are raised, and its sliders' values."""
    known = {key: value for key, value in SET.get(view, {}).items() if key in KINDS[name].defaults}
    panel = explore(name, views=view, **known | more)
    panel.raise_errors = True
    return panel, {
        name: steps(slider) for name, slider in panel.sliders.items() if not slider.disabled
    }


def ends(panel, sliders):
    """Move each slider to its lowest, middle and highest value; the others stay at their start."""
    for name, values in sliders.items():
        panel.reset()
        for value in dict.fromkeys((values[0], values[len(values) // 2], values[-1])):
            panel.sliders[name].value = value
            yield name
    panel.reset()


def fresh(panel) -> tuple[bytes, str]:
    """Return what a new sheet shows and says at the same setting."""
    old = panel.sheet
    with themed(old.theme):
        look = {
            "width": panel._drawn.width,
            "plot": panel._drawn.plot,
            "sharpness": old.figure.dpi / CSS_DPI,
        }
        new = Sheet(old.views, old.encodings, old.values, **look)
    return new.frame(), new.text


def unlike(panel, picture: bytes) -> str:
    """Return where a panel's picture is not that of a fresh drawing, and which a third is like."""
    both = [np.asarray(Image.open(io.BytesIO(each)), int) for each in (panel.png, picture)]
    third, told = fresh(panel)[0], f"{panel.spec}: {both[0].shape}, {both[1].shape}"
    told += f"; a third is the panel's: {third == panel.png}, the fresh one's: {third == picture}"
    if both[0].shape != both[1].shape:
        return told
    places = np.argwhere((both[0] != both[1]).any(axis=2))
    ends = places.min(axis=0).tolist(), places.max(axis=0).tolist()
    return f"{told}; {len(places)} pixels, from {ends[0]} to {ends[1]}"


def moved_to_its_ends(name: str, view: str) -> set[str]:
    """Expect at each slider's ends what a fresh drawing shows; return those that move nothing."""
    panel, sliders = opened(name, view)
    seen = {slider: {panel.png} for slider in sliders}
    for slider in ends(panel, sliders):
        assert panel._news.value == ""
        picture, words = fresh(panel)
        assert panel.text == words, str(panel.spec)
        assert same_pixels(panel.png, picture), unlike(panel, picture)
        assert panel.text.endswith(".")
        assert "nan" not in panel.text
        seen[slider].add(panel.png)
    panel.close()
    return {slider for slider, pictures in seen.items() if len(pictures) == 1}


def changes_somewhere(name: str, view: str, slider: str) -> bool:
    """Return whether a slider changes the picture at some setting of the others."""
    rng, (panel, sliders) = random.Random(0), opened(name, view)
    for _ in range(30 if slider in sliders else 0):
        others = {one: rng.choice(values) for one, values in sliders.items() if one != slider}
        seen = set()
        for value in rng.sample(sliders[slider], min(len(sliders[slider]), 3)):
            panel.reset()
            with suppress(ValueError):  # they leave each other no room
                panel.set(**others, **{slider: value})
                seen.add(panel.png)
        if len(seen) > 1:
            return True
    return False


@pytest.mark.parametrize("view", mostly_slow(VIEWS, 6))
def test_an_updated_view_is_byte_for_byte_a_fresh_one_and_every_slider_changes_it(view):
    feeding = [name for name in FEEDING[view] if name != "no_position"]
    for slider in moved_to_its_ends(feeding[0], view):
        assert any(changes_somewhere(name, view, slider) for name in feeding), (view, slider)


@pytest.mark.slow
@pytest.mark.parametrize("name", todays(KINDS, 4))
def test_so_is_every_view_of_every_encoding(name):
    for view in VIEWS:
        if name in FEEDING[view]:
            moved_to_its_ends(name, view)


@pytest.mark.parametrize("view", list(VIEWS)[::4])
def test_frozen_limits_hold_all_that_is_shown_and_reset_leads_back(view):
    panel, sliders = opened(FEEDING[view][0], view, frozen=True)
    (pen,) = panel.sheet.pens
    first, picture, words = dict(pen.axes.frozen), panel.png, panel.text
    before = dict(first)
    assert before.keys() <= set(LIMITS)
    for _ in ends(panel, sliders):
        for name, limits in before.items():  # they grow where what is wanted does not fit
            before[name] = enclosing(name, limits, pen.axes.wanted[name])
        assert {name: pen.axes.frozen[name] for name in before} == before
        assert pen.limits == {**pen.axes.wanted, **pen.axes.frozen}
    assert panel.text == words
    if before == first:  # nothing has grown
        assert same_pixels(panel.png, picture)


@pytest.mark.parametrize("view", list(VIEWS)[::4])
def test_pointing_tells_what_is_drawn_and_nothing_beyond_it(view):
    (pen,) = opened(FEEDING[view][0], view)[0].sheet.pens
    for x in np.linspace(*pen.limits["xlim"], 7):
        assert not any(
            "nan" in pen.value_at(float(x), float(y)) for y in np.linspace(*pen.limits["ylim"], 7)
        )
    if pen.grid is not None and not pen.says:
        assert pen.value_at(pen.grid.shape[1] + 3, 0) == ""


@pytest.mark.parametrize(
    "name", ["sinusoidal", "rope", "sine", "xpos", "learned", "binary", "alibi"]
)
def test_between_offsets_a_score_goes_on_smoothly_through_every_dot(name):
    panel = explore(name, views="score_by_offset", seq_len=12)
    (pen,) = panel.sheet.pens
    lines = [mark.get_xydata() for mark in pen.marks.drawn if isinstance(mark, Line2D)]
    smooth = [line for line in lines if len(line) > 300]
    dots = pen.traces[0][1]
    panel.close()
    assert len(smooth) == (name in ("sinusoidal", "rope", "xpos"))
    for line in smooth:
        np.testing.assert_allclose(line[::16], dots, atol=1e-9 * np.abs(dots).max())


def test_the_ladder_has_one_path_for_each_encoding_through_all_its_positions():
    shown = figure("ladder")
    ends = {}
    for pen, one in shown.sheet.fed(shown.sheet.encodings):
        assert len(pen.points) == len(one.table) == (8 if one.name == "binary" else 16)
        away = np.linalg.norm(pen.points - pen.points[0], axis=1)
        ends[one.name] = away[-1]
        if one.name in ("integer", "normalized"):
            np.testing.assert_allclose(np.diff(away), away[1])  # a straight line
    assert ends["integer"] > 2 * ends["normalized"]
    hands = shown.sheet.pens[-1].points - 0.5
    np.testing.assert_allclose(np.linalg.norm(hands, axis=1), np.linalg.norm(hands[0]))


def words_of(pen) -> dict[str, np.ndarray]:
    """Return what is written in a picture and where, in px of the page."""
    sharpness = pen.ax.figure.dpi / CSS_DPI
    drawn = [mark for mark in pen.marks.drawn if isinstance(mark, Words)]
    return {mark.get_text(): np.array(mark.dots) / sharpness for mark in drawn}


def test_two_matrices_of_one_quantity_have_one_scale_of_colors():
    words = {"content": "random", "seq_len": 32}
    pens = explore("rope", views=["similarity", "additive_scores"], **words).sheet.pens
    alone = [explore("rope", views=pen.view.name, **words).sheet.pens[0] for pen in pens]
    one, other = (pen.limits["clim"] for pen in alone)
    assert one != other
    assert [pen.limits["clim"] for pen in pens] == [enclosing("clim", one, other)] * 2


def test_a_name_lies_beside_its_arrow_and_never_across_it():
    for query, offset in itertools.product(range(0, 20, 3), (-7, -1, 0, 3, 8)):
        panel = explore("rope", views="vectors", head_dim=2, content="random", offset=(-20, 20))
        panel.set(query=query, offset=offset)
        (pen,) = panel.sheet.pens
        places = words_of(pen)
        names = f"query at {query}", f"key at {query + offset}".replace("-", "−")
        for name, (_, line, _) in zip(names, pen.hands, strict=True):
            half = np.array([text_width(name, WORDS, "bold") / 2, 6])
            start, tip = pen.px(line)
            along, (x, y) = tip - start, (places[name] + np.array(CORNERS) * half - start).T
            sides = np.sign(along[0] * y - along[1] * x)
            assert abs(sides.sum()) == 4, (query, offset, name)
            assert np.hypot(*(places[name] - tip)) < half[0] + 24
        panel.close()


def test_dots_and_gray_arcs_say_what_they_are():
    (decay,) = explore("rope", views="score_decay", seq_len=64).sheet.pens
    assert {"1 away", "50 away"} <= {words.partition(":")[0] for words in words_of(decay)}
    for head, gray in (("previous_head", True), ("own_head", False)):
        (arcs,) = explore(head, views="attention_arcs", seq_len=35).sheet.pens
        told = [words for words in words_of(arcs) if words.startswith("gray: ")]
        assert len(told) == gray
