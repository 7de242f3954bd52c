"""Predictions drawn by mouse, finger and keys, and how far off they are, beside what NumPy says."""

import re

import numpy as np
import pytest
from PIL import Image

from posenc_lib import explore, sinusoidal
from posenc_lib.views.sheet import MARGIN

from .lesson_page import PICTURE, ExplorerOnPage, notebook

LENGTH, QUERY = 32, 10
FOLDED = "input", "select"
SEVERAL = (  # on a projector
    "present()\nexplore(['sinusoidal', 'sine'], views=['heatmap', 'dot_product'], "
    "seq_len=16, d_model=8, guess=True)"
)
ASKED = (
    f"explore('sinusoidal', views='dot_product', seq_len={LENGTH}, "
    "d_model=16, base=100.0, guess=True)"
)
TOLD = (
    r"ou were off by ([\d.]+) on average, most at key (\d+): "
    r"you drew (−?[\d.]+) and it's (−?[\d.]+)\."
)


@pytest.fixture(scope="module")
def lesson(desk, lab):
    notebook(lab.folder / "guess.ipynb", f"from posenc_lib import explore\n{ASKED}")
    with desk.opened("guess.ipynb") as lesson:
        lesson.run_all()
        yield lesson


@pytest.fixture
def panel(lesson):
    """Return the explorer as it asks, and what turns x, y of its axes into parts of the picture."""
    (explorer,) = lesson.explorers()
    if explorer.box.query_selector(".posenc-ask button:text-is('Again')").is_visible():
        press(explorer, "Again")
    explorer.box.query_selector("button:text-is('Reset')").click()
    explorer.settled()
    drawn = explore(
        "sinusoidal", views="dot_product", seq_len=LENGTH, d_model=16, base=100.0
    ).sheet.pens[0]
    (left, low), (right, high) = drawn.ax.get_position().get_points()
    (x0, x1), (y0, y1) = drawn.limits["xlim"], drawn.limits["ylim"]

    def place(x, y):
        across, up = (x - x0) / (x1 - x0), (y - y0) / (y1 - y0)
        return left + (right - left) * across, 1 - low - (high - low) * up

    return explorer, place


def draw(explorer, first: tuple, *rest: tuple) -> None:
    """Draw with the mouse from place to place."""
    explorer.over(*first)
    explorer.page.mouse.down()
    for place in rest:
        explorer.over(*place)
    explorer.page.mouse.up()


def press(explorer, name: str) -> None:
    explorer.box.query_selector(f".posenc-ask button:text-is('{name}')").click()


def told(explorer) -> str:
    said = explorer.box.query_selector(".posenc-guess p")
    explorer.page.wait_for_function("said => said.textContent", arg=said)
    return said.inner_text()


def numbers(explorer) -> list[float]:
    """Return the mean distance, where it is largest, what was drawn there, and what is true."""
    return [float(part.replace("−", "-")) for part in re.search(TOLD, told(explorer)).groups()]


def by_hand(knots: dict) -> dict[int, float]:
    """Return the distance from the truth, by key, of straight lines through some points."""
    table = sinusoidal(LENGTH, 16, base=100.0)
    x = np.arange(min(knots), max(knots) + 1)
    off = np.abs(np.interp(x, list(knots), list(knots.values())) - (table @ table[QUERY])[x])
    return dict(zip(x.tolist(), off.tolist(), strict=True))


@pytest.mark.parametrize(
    "knots",
    [{0: 2.0, 10: 7.0, 31: 1.0}, {2: 6.0, 16: 6.0, 30: 6.0}, {0: 8.0, 8: 1.0, 20: 7.0, 31: 3.0}],
    ids=["a hill", "level", "down and up"],
)
def test_what_a_mouse_draws_is_as_far_off_as_numpy_says(panel, knots):
    explorer, place = panel
    draw(explorer, *(place(*knot) for knot in knots.items()))
    press(explorer, "Show")
    (mean, most, drew, true), off = numbers(explorer), by_hand(knots)
    # a pixel is some hundredth of a unit
    assert mean == pytest.approx(np.mean(list(off.values())), abs=0.06)
    assert off[most] == pytest.approx(max(off.values()), abs=0.1)
    assert abs(drew - true) == pytest.approx(off[most], abs=0.1)
    explorer.wait_until(lambda _: not explorer.sliders()["query"].handle.get_attribute("disabled"))


def test_shapes_are_told_and_the_drawing_stays_while_sliders_move(panel):
    explorer, place = panel
    draw(explorer, place(0, 7), place(31, 1))
    press(explorer, "Show")
    assert told(explorer).startswith(
        "You drew it falling, but it rises, then falls from a peak at 10, "
        "then rises from a low at 26, with ripples."
    )
    explorer.settled()
    explorer.sliders()["query"].drag_to(0.9)
    explorer.settled()
    assert told(explorer) == "The gray line is what you drew for the original curve."
    gray = """canvas => {
        const d = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        let n = 0;
        for (let k = 0; k < d.length; k += 4) n += d[k] === d[k + 1] && Math.abs(d[k] - 170) < 12;
        return n; }"""
    with_line = explorer.box.query_selector(PICTURE).evaluate(gray)
    press(explorer, "Again")
    explorer.settled()
    assert with_line > explorer.box.query_selector(PICTURE).evaluate(gray) + 500


def test_a_finger_draws(panel):
    explorer, place = panel
    moves = ("down", (0, 3)), ("move", (15, 6)), ("move", (31, 2)), ("up", (31, 2))
    explorer.touch(*((kind, *place(*at)) for kind, at in moves))
    press(explorer, "Show")
    off = by_hand({0: 3.0, 15: 6.0, 31: 2.0})
    assert numbers(explorer)[0] == pytest.approx(np.mean(list(off.values())), abs=0.06)


def test_keys_draw_from_the_known_point_and_a_value_can_be_typed_in_a_fold(panel):
    explorer, _ = panel
    canvas, keyboard = explorer.box.query_selector(PICTURE), explorer.page.keyboard
    table = sinusoidal(LENGTH, 16, base=100.0)
    assert f"Known: 8 at key {QUERY}." in canvas.get_attribute("aria-label")
    canvas.focus()
    for key in ("ArrowRight", "ArrowUp", "ArrowRight"):
        keyboard.press(key)
    box, places = (explorer.box.query_selector(f".posenc-guess {tag}") for tag in FOLDED)
    assert not box.is_visible()
    explorer.box.query_selector(".posenc-guess summary").press("Enter")
    assert box.get_attribute("aria-label") == "at key 12"
    assert float(box.input_value()) == pytest.approx(table[QUERY] @ table[QUERY] + 0.25, abs=0.3)
    places.select_option(label="at key 4")
    box.fill("2")
    box.press("Tab")
    press(explorer, "Show")
    mean, *_ = numbers(explorer)
    assert mean > 0
    assert told(explorer).count("From key 4 to 12 you were") == 1
    # the keyboard stays where Show was; Again leads it back to the picture
    focused = "document.activeElement.textContent"
    assert explorer.page.evaluate(focused) == "Again"
    keyboard.press("Enter")
    explorer.wait_until(lambda _: explorer.sliders()["query"].asleep())
    assert explorer.page.evaluate("document.activeElement.tagName") == "CANVAS"


def test_what_is_drawn_is_invited_in_the_plot_and_the_verdict_moves_no_button(panel):
    explorer, place = panel
    ask = explorer.box.query_selector(".posenc-ask")
    words, show = ask.query_selector("span"), ask.query_selector("button:text-is('Show')")
    assert words.is_visible()
    assert (
        explorer.box.query_selector(PICTURE).evaluate("c => getComputedStyle(c).cursor")[:3]
        == "url"
    )
    draw(explorer, place(0, 7), place(31, 1))
    assert not words.is_visible()
    button, plot = show.bounding_box(), ask.bounding_box()  # it covers no curve, and no number
    assert button["y"] > plot["y"] + plot["height"] + 20
    assert button["x"] + button["width"] < plot["x"] + plot["width"]
    tools = explorer.box.query_selector("button:text-is('Reset')")
    before = [one.bounding_box() for one in (ask, tools)]
    press(explorer, "Show")
    told(explorer)
    assert [one.bounding_box() for one in (ask, tools)] == before
    assert not show.is_visible()


def test_a_drawing_stays_when_the_page_is_loaded_again_until_it_is_drawn_again(panel, lesson):
    def again_opened():
        lesson.run_all()
        (explorer,) = lesson.explorers()
        return explorer

    def button(name):
        return explorer.box.query_selector(f".posenc-ask button:text-is('{name}')")

    explorer, place = panel
    draw(explorer, place(0, 7), place(31, 1))
    lesson.page.reload()
    lesson.ready()
    explorer = again_opened()
    assert button("Show").is_enabled()
    assert button("Again").is_visible()
    press(explorer, "Show")
    verdict = told(explorer)
    assert verdict.startswith("You drew it falling, but")
    explorer = again_opened()
    assert told(explorer) == verdict
    explorer.wait_until(lambda _: not explorer.sliders()["query"].asleep())
    press(explorer, "Again")
    explorer = again_opened()
    assert not button("Show").is_enabled()
    assert not button("Again").is_visible()


def test_a_file_holds_the_drawing_where_it_is_on_the_page(panel, tmp_path):
    explorer, place = panel

    def saved():
        with explorer.page.expect_download() as download:
            explorer.press("PNG")
        download.value.save_as(tmp_path / "a.png")
        return np.asarray(Image.open(tmp_path / "a.png").convert("RGB")).astype(int)

    plain = saved()
    draw(explorer, place(5, 4), place(25, 4))
    drawn = saved()
    assert drawn.shape == plain.shape
    rows, columns = np.nonzero(np.abs(drawn - plain).sum(axis=2) > 200)
    high, wide = plain.shape[:2]
    size = explore("sinusoidal", views="dot_product", seq_len=LENGTH, d_model=16).sheet.size
    dots = wide / (size[0] + 2 * MARGIN)
    left, top = MARGIN * dots, high - (MARGIN + size[1]) * dots
    (x0, y0), (x1, y1) = (np.multiply(place(at, 4), size) * dots + [left, top] for at in (5, 25))
    assert np.median(rows) == pytest.approx((y0 + y1) / 2, abs=3 * dots)
    assert (columns.min(), columns.max()) == pytest.approx((x0, x1), abs=8 * dots)


@pytest.fixture
def bars(desk, lab):
    """Return a panel that asks for the heights of three bars beside one that is known."""
    wanted = (
        "explore('rope', views='perplexity', passage=['house', 'tides'], done='moved', guess=True)"
    )
    notebook(lab.folder / "bars.ipynb", f"from posenc_lib import explore\n{wanted}")
    with desk.opened("bars.ipynb") as lesson:
        lesson.page.set_viewport_size({"width": 1280, "height": 720})
        lesson.run_all()
        explorer = ExplorerOnPage(
            lesson.page, lesson.page.query_selector(".posenc")
        )  # it has no slider
        explorer.settled()
        yield explorer


def test_each_bar_follows_a_hand_or_the_keys_and_the_known_one_stays(bars):
    ask, show = (bars.box.query_selector(f".posenc-ask{part}") for part in ("", " button + button"))
    ask.scroll_into_view_if_needed()
    plot, mouse = ask.bounding_box(), bars.page.mouse

    def drag(bar: int, up: float) -> None:
        x = plot["x"] + plot["width"] * (bar + 0.5) / 4
        mouse.move(x, plot["y"] + 0.5 * plot["height"])
        mouse.down()
        mouse.move(x, plot["y"] + (1 - up) * plot["height"], steps=3)
        mouse.up()

    drag(0, 0.8)
    assert show.is_disabled()
    drag(2, 0.9)
    assert show.is_enabled()
    drag(1, 0.2)  # one that was left out is none of a line's places
    bars.box.query_selector(PICTURE).focus()
    for key in ("ArrowRight", "ArrowUp", "ArrowRight"):
        bars.page.keyboard.press(key)
    bars.box.query_selector(".posenc-guess summary").press("Enter")
    box, places = (bars.box.query_selector(f".posenc-guess {tag}") for tag in FOLDED)
    value, heights = box.input_value, {}
    for name in ("moved by 1000", "moved by 7000", "1000, in bfloat16"):
        places.select_option(label=name)
        heights[name] = value()
    assert heights["1000, in bfloat16"] == heights["moved by 7000"]  # keys bring a height along
    assert float(heights["moved by 7000"]) > 3 * float(heights["moved by 1000"])
    box.fill("28")
    box.press("Tab")
    press(bars, "Show")
    assert re.fullmatch(
        r"Closest: 1000, in bfloat16, where you drew 28 and it's 28\. "
        r"Farthest off: moved by 7000, where you drew \d+ and it's 11\.",
        told(bars),
    )


@pytest.fixture
def several(desk, lab):
    """Return a panel of two tables and two curves under `present`, on a laptop's screen."""
    notebook(lab.folder / "several.ipynb", f"from posenc_lib import explore, present\n{SEVERAL}")
    with desk.opened("several.ipynb") as lesson:
        lesson.page.set_viewport_size({"width": 1280, "height": 720})
        lesson.run_all()
        (explorer,) = lesson.explorers()
        explorer.settled()
        yield explorer


def test_of_several_curves_those_drawn_are_shown_and_a_projector_shows_what_is_said(several):
    page, asks = several.page, several.box.query_selector_all(".posenc-ask")
    said = several.box.query_selector_all(".posenc-guess p")
    shows = [ask.query_selector("button:text-is('Show')") for ask in asks]
    asks[1].scroll_into_view_if_needed()
    box = asks[1].bounding_box()
    page.mouse.move(box["x"] + 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    assert [show.is_enabled() for show in shows] == [False, True]
    shows[1].press("Enter")
    page.wait_for_function("said => said.textContent", arg=said[1])
    assert said[0].inner_text() == ""
    assert several.sliders()["query"].asleep()
    # picture and verdict are on the screen together
    picture = several.box.query_selector(PICTURE).bounding_box()
    verdict = said[1].bounding_box()
    assert picture["y"] + picture["height"] <= verdict["y"] + 1
    assert verdict["y"] + verdict["height"] - picture["y"] < 720
    # keys go on in the curve that is left
    several.box.query_selector(PICTURE).focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    shows[0].press("Enter")
    page.wait_for_function("said => said.textContent", arg=said[0])
    several.wait_until(lambda _: not several.sliders()["query"].asleep())
    assert not several.box.query_selector(".posenc-guess details").is_visible()


TAPE = """explore('rope', views='rotated_together', content='random', head_dim=16, seq_len=512,
    offset=(-8, 8), frozen='ylim', guess=True, start={'query': 22, 'offset': -1})"""
PLAIN = "explore('sinusoidal', views='phasor_sum', seq_len=64, d_model=64, base=(10, 1e6))"


@pytest.fixture
def projected(desk, lab):
    """Return a panel to draw in and another one, under `present`."""
    begin = "from posenc_lib import explore, present\npresent()"
    notebook(lab.folder / "projected.ipynb", begin, TAPE, PLAIN)
    with desk.opened("projected.ipynb") as lesson:
        lesson.page.set_viewport_size({"width": 1280, "height": 720})
        lesson.run_all()
        yield lesson.explorers()


def test_on_a_projector_nothing_covers_the_verdict_and_a_move_makes_no_panel_taller(projected):
    tape, plain = projected
    page = tape.page
    for width, height in ((1280, 720), (1024, 768)):
        page.set_viewport_size({"width": width, "height": height})
        tape.settled()
        ask, mouse = tape.box.query_selector(".posenc-ask"), page.mouse
        ask.scroll_into_view_if_needed()
        box = ask.bounding_box()
        mouse.move(box["x"] + 2, box["y"] + 0.6 * box["height"])
        mouse.down()
        mouse.move(box["x"] + box["width"] / 2, box["y"] + 0.4 * box["height"], steps=4)
        mouse.move(box["x"] + box["width"] - 2, box["y"] + 0.7 * box["height"], steps=4)
        mouse.up()
        press(tape, "Show")
        assert told(tape).startswith("You drew it rising, then falling")
        tape.settled()
        again = tape.box.query_selector("button:text-is('Again')").bounding_box()
        said = tape.box.query_selector(".posenc-guess p").bounding_box()
        assert again["y"] + again["height"] <= said["y"] + 1
        whole = tape.box.bounding_box()
        assert said["y"] + said["height"] - whole["y"] < height - 112
        press(tape, "Again")
        plain.settled()
        before = plain.box.bounding_box()["height"]
        plain.step(plain.sliders()["base"])
        page.wait_for_function(
            "panel => panel.querySelector('.posenc-said p[aria-hidden]').textContent", arg=plain.box
        )
        assert plain.box.bounding_box()["height"] == pytest.approx(before, abs=1)
