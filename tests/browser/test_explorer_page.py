"""An explorer on real pages: finger, mouse, names for a screen reader, small and dark screens."""

import math

import pytest

from .lesson_page import PICTURE, notebook

CELLS = (
    "from posenc_lib import explore",
    "explore('sinusoidal', start={'query': 20})",
    "explore('rope', views='vectors', head_dim=2, content='random', "
    "start={'query': 6, 'offset': 3})",
    "explore('rope', rope_type=['default', 'linear', 'yarn'], views='frequencies')",
)
BOX = """element => { const box = element.getBoundingClientRect();
    return {
        top: box.top, bottom: box.bottom, left: box.left, right: box.right, width: box.width}; }"""
LINES = """element => {  // the letters of each line, as it is broken on the page
    const text = element.firstChild, range = document.createRange(), lines = {};
    for (let k = 0; k < text.length; k++) {
        range.setStart(text, k), range.setEnd(text, k + 1);
        const top = Math.round(range.getBoundingClientRect().top);
        lines[top] = (lines[top] ?? '') + text.data[k];
    }
    return Object.values(lines).map(line => line.trim().length);
}"""
PRESS = """(canvas, [clientX, clientY]) => canvas.dispatchEvent(new PointerEvent('pointerdown',
    { clientX, clientY, pointerId: 1, pointerType: 'mouse', bubbles: true }))"""
HOLDS = """() => [...document.querySelectorAll('.posenc-tip')].some(
    tip => !tip.hidden && tip.textContent.startsWith('query '))"""
THROW = """(canvas, [x, left, clientY]) => {  // let go while it moves, fast on a busy machine, too
    const about = { pointerId: 1, pointerType: 'mouse', clientY, bubbles: true };
    for (let k = 1; k <= 8; k++) {
        for (const begun = performance.now(); performance.now() < begun + 3;);
        const clientX = x + (left - x) * k / 8;
        canvas.dispatchEvent(new PointerEvent('pointermove', { clientX, ...about }));
    }
    canvas.dispatchEvent(new PointerEvent('pointerup', { clientX: left, ...about }));
}"""
LATE = """ms => {  // as on a busy machine, where a reader types before the next frame
    window.frame ??= requestAnimationFrame;
    window.requestAnimationFrame = run => setTimeout(() => window.frame(run), ms); }"""
PASSED = """async ([number, handle]) => {
    number.focus();
    handle.focus();
    for (const _ of [1, 2, 3]) await new Promise(requestAnimationFrame); }"""
NAMES = """panel => [...panel.querySelectorAll('.noUi-handle, button, select, input, canvas')].map(
    part => part.ariaLabel || part.labels?.[0]?.textContent || part.innerText || part.title)"""
PAPER = "canvas => [...canvas.getContext('2d').getImageData(2, 2, 1, 1).data].slice(0, 3)"
GROUND = "() => getComputedStyle(document.querySelector('.jp-Notebook')).backgroundColor"


@pytest.mark.slow
def test_a_picture_grows_with_its_page_where_only_the_panel_does(desk, lab):
    squares = (
        "explore('sinusoidal', views=['shifted', 'shift_matrix'], "
        "seq_len=48, d_model=8, base=10_000.0)"
    )
    notebook(
        lab.folder / "large.ipynb", "from posenc_lib import explore, present\npresent()", squares
    )
    with desk.opened("large.ipynb") as lesson:
        lesson.page.set_viewport_size({"width": 1024, "height": 768})
        # as the file browser leaves it
        width = "document.querySelector('.jp-Notebook').style.maxWidth = '{}'"
        lesson.page.evaluate(width.format("600px"))
        lesson.run_all()
        (panel,) = lesson.explorers()
        panel.settled()
        canvas = lesson.page.locator(PICTURE)
        # two squares, one above the other
        assert 0 < canvas.evaluate("canvas => canvas.clientWidth") < 400
        lesson.page.evaluate(width.format(""))
        wide = "picture => document.querySelector(picture).clientWidth > 500"
        lesson.page.wait_for_function(wide, arg=PICTURE)


@pytest.fixture(scope="module")
def lesson(desk, lab):
    notebook(lab.folder / "explorers.ipynb", *CELLS)
    with desk.opened("explorers.ipynb") as lesson:
        lesson.run_all()
        yield lesson


@pytest.fixture
def explorers(lesson):
    lesson.page.set_viewport_size({"width": 1280, "height": 720})
    return lesson.explorers()


def value(explorer, name: str) -> str:
    return explorer.sliders()[name].readout.inner_text()


def test_on_a_laptop_sentence_picture_and_sliders_are_on_the_screen_together(explorers):
    for explorer in explorers:
        explorer.box.scroll_into_view_if_needed()
        explorer.settled()
        parts = [
            explorer.box.query_selector(one)
            for one in (".posenc-sliders", PICTURE, ".posenc-said p")
        ]
        top, _, bottom = (part.evaluate(BOX) for part in parts)
        assert bottom["bottom"] - top["top"] < 720 - 110  # what JupyterLab leaves


def test_a_slider_that_a_key_comes_to_has_its_whole_panel_in_sight(explorers):
    second, page = explorers[1], explorers[0].page
    for explorer in explorers[:2]:
        explorer.settled()
    last = [*explorers[0].sliders().values()][-1]
    last.handle.focus()
    for key in ("Tab", "Tab", "Tab", "Tab", "Tab", "Tab", "Tab", "Tab", "Tab"):
        page.keyboard.press(key)
        if second.box.evaluate("panel => !!panel.querySelector('.noUi-handle:focus')"):
            break
    view, panel = (
        part.evaluate(BOX) for part in (page.query_selector(".jp-WindowedPanel-outer"), second.box)
    )
    assert view["top"] - 1 <= panel["top"]
    assert panel["bottom"] <= view["bottom"] + 1


def test_words_have_lines_that_can_be_read_and_do_not_repeat_the_sliders(explorers):
    for explorer in explorers:
        words = explorer.box.query_selector(".posenc-words")
        explorer.box.query_selector("summary").click()  # until then they're for who listens
        assert max(words.evaluate(LINES)) <= 72
        assert "seq_len" not in words.inner_text()
        told = explorer.box.query_selector(PICTURE).get_attribute("aria-label")
        assert words.inner_text() in told
        assert explorer.box.query_selector(".posenc-said p").inner_text() in words.inner_text()
        explorer.box.query_selector("summary").click()
    assert "seq_len 64" in explorers[0].box.query_selector(PICTURE).get_attribute("aria-label")


def test_everything_that_can_be_used_has_a_name(explorers):
    for explorer in explorers:
        names = explorer.box.evaluate(NAMES)
        assert all(names), names
        assert {*explorer.sliders(), "Reset", "PNG", "SVG"} <= {*names}
    assert explorers[2].page.locator("[title=null]").count() == 0


def test_a_number_can_be_typed_beside_every_slider_and_no_key_of_it_reaches_the_notebook(explorers):
    first = explorers[0]
    page = first.page
    shows = "([readout, text]) => readout.innerText === text"
    each = ("base", "500", 0), ("query", "12", 0), ("base", "700", 500)  # also before a frame comes
    for name, typed, late in each:  # given values, and integers
        page.evaluate(LATE, late)
        readout, before = first.sliders()[name].readout, first.settled()
        readout.click()  # what's there is replaced
        page.keyboard.type(typed)  # 0, 0 would restart the kernel
        page.keyboard.press("Enter")
        first.wait_until(lambda picture, before=before: picture != before)
        page.wait_for_function(shows, arg=[readout, typed])
        readout.dblclick()
        page.keyboard.type("ten")
        page.keyboard.press("Enter")
        page.wait_for_function(shows, arg=[readout, typed])
    page.evaluate(LATE, 0)
    readout = first.sliders()["query"].readout
    # a number that was passed by before it was selected does not take the focus back
    page.evaluate(PASSED, [readout, first.sliders()["base"].handle])
    assert page.evaluate("document.activeElement.matches('.noUi-handle')")
    first.box.query_selector("button:text-is('Reset')").click()
    first.settled()


@pytest.mark.slow
def test_beside_every_slider_its_longest_value_has_room_on_a_projector_and_on_a_desk(desk, lab):
    """At both ends of every slider; what does not fit its place is wider than its place."""
    ranges = "base=(10, 1e6)", "base=(2, 1e12)", "seq_len=(2, 4096)"
    cells = [f"explore('sinusoidal', views='heatmap', {given})" for given in ranges]
    name = "large.ipynb"
    begin = "import posenc_lib as pe\nfrom posenc_lib import explore\npe.present({})"
    notebook(lab.folder / name, begin.format(True), *cells, begin.format(False), *cells)
    widths = "rows => rows.map(row => [row.scrollWidth, row.clientWidth, row.textContent])"
    with desk.opened(name) as lesson:
        lesson.run_all()
        for width, height in ((1280, 720), (1024, 768)):
            lesson.page.set_viewport_size({"width": width, "height": height})
            for key in ("Home", "End"):
                for explorer in lesson.explorers():
                    for slider in explorer.sliders().values():
                        slider.handle.press(key)
                        slider.page.wait_for_timeout(20)
                    explorer.settled()
                rows = lesson.page.eval_on_selector_all(".posenc .widget-readout", widths)
                assert all(needs <= has for needs, has, _ in rows), rows
            assert {"1,000,000", "1,000,000,000,000", "4096"} <= {text for *_, text in rows}
            tracks = "tracks => tracks.map(track => track.clientWidth)"
            assert min(lesson.page.eval_on_selector_all(".posenc .noUi-target", tracks)) >= 60


def test_a_mouse_is_told_what_is_drawn_and_nothing_over_empty_ground(explorers):
    first = explorers[0]
    assert first.told_at(0.5, 0.5).startswith("position ")
    first.over(0.13, 0.5)  # within the circle
    first.page.wait_for_timeout(700)
    assert first.over(0.13, 0.5) == ""


def test_what_is_told_of_a_picture_goes_with_it(explorers):
    first = explorers[0]
    assert first.told_at(0.5, 0.5).startswith("position ")
    first.step(first.sliders()["base"])
    first.page.wait_for_function(
        "() => [...document.querySelectorAll('.posenc-tip')].every(tip => tip.hidden)"
    )


def test_axes_stay_while_a_hand_is_on_a_slider_and_settle_when_it_lets_go(explorers):
    first = explorers[0]
    first.press("Reset")
    base = first.sliders()["base"]
    first.wait_until(lambda _: base.readout.inner_text() == "10,000")
    before = first.settled()
    base.hold(0.1)  # the lowest dot products are there, and stay within the axes once drawn
    first.changed(before)
    track = base.track.bounding_box()
    first.page.mouse.move(track["x"] + 0.9 * track["width"], track["y"], steps=8)
    held = first.settled()
    first.page.mouse.up()
    first.wait_until(lambda seen: seen not in (before, held))
    first.press("Reset")
    first.wait_until(lambda seen: seen == before)


def test_the_arrow_itself_is_dragged(explorers):
    vectors, before = explorers[1], explorers[1].settled()
    for k in range(24):  # all round the middle: somewhere there is an arrow
        x, y = 0.55 + 0.13 * math.cos(k / 4), 0.5 + 0.13 * math.sin(k / 4)
        vectors.drag((x, y), (x + 0.1, y - 0.1))
        if vectors.settled() != before:
            break
    assert (value(vectors, "query"), value(vectors, "offset")) != ("6", "3")
    assert (
        vectors.box.query_selector(PICTURE).evaluate("canvas => canvas.style.touchAction")
        == "pan-y"
    )


@pytest.mark.slow
def test_a_tape_that_is_thrown_coasts_but_for_who_wants_no_motion_stays_where_it_is_left(desk, lab):
    asked = "explore('rope', views='rotated_together', seq_len=512, start={'query': 250})"
    notebook(lab.folder / "tape.ipynb", "from posenc_lib import explore", asked)
    with desk.opened("tape.ipynb") as lesson:
        lesson.run_all()
        (tape,) = lesson.explorers()
        for motion, coasts in (("reduce", False), ("no-preference", True)):
            lesson.page.emulate_media(reduced_motion=motion)
            tape.settled()
            before = int(value(tape, "query"))
            tape.over(0.7, 0.2)
            canvas = tape.box.query_selector(PICTURE)
            canvas.evaluate(PRESS, tape.place(0.7, 0.2))
            tape.over(0.69, 0.2)
            tape.page.wait_for_function(HOLDS)  # the kernel has told what is held
            x, y = tape.place(0.69, 0.2)
            left, _ = tape.place(0.5, 0.2)
            canvas.evaluate(THROW, [x, left, y])
            far = before + 5  # a drag goes three
            least = far if coasts else before
            tape.wait_until(lambda _, least=least: int(value(tape, "query")) > least)
            tape.settled()
            assert (int(value(tape, "query")) > far) == coasts


def test_a_finger_that_taps_is_told_one_across_drags_and_one_down_scrolls(explorers):
    first = explorers[0]
    before = value(first, "query")
    # the page scrolls
    first.touch(("down", 0.5, 0.4), ("move", 0.5, 0.5), ("move", 0.5, 0.7), ("cancel", 0.5, 0.7))
    assert value(first, "query") == before
    first.touch(("down", 0.5, 0.5), ("up", 0.5, 0.5))
    first.page.wait_for_function(
        "() => [...document.querySelectorAll('.posenc-tip')].some(tip => !tip.hidden)"
    )
    assert value(first, "query") == before
    first.touch(("down", 0.5, 0.5), ("move", 0.55, 0.5), ("move", 0.58, 0.5), ("up", 0.58, 0.5))
    first.settled()
    assert value(first, "query") != before


def test_on_a_phone_cells_stand_below_each_other_two_dots_for_a_px_and_none_runs_out(explorers):
    first = explorers[0]
    first.page.set_viewport_size({"width": 520, "height": 844})  # JupyterLab's own edges leave 390
    first.wait_until(
        lambda _: first.box.query_selector(PICTURE).evaluate("c => c.height > 1.5 * c.width")
    )
    first.settled()
    picture = first.box.query_selector(PICTURE)
    assert picture.evaluate("canvas => canvas.width / canvas.clientWidth") == pytest.approx(
        2, abs=0.05
    )
    right = first.box.evaluate(BOX)["right"]
    for part in first.box.query_selector_all(".widget-slider, button, canvas, .posenc-said p"):
        if part.is_visible():
            assert part.evaluate(BOX)["right"] <= right + 1
    first.press("All 5 sliders")
    first.sliders()["query"].drag_to(0.9)
    first.settled()
    assert int(value(first, "query")) > 40


def test_in_jupyterlabs_dark_the_paper_is_that_of_the_page(explorers, lesson):
    lesson.choose("Settings", "Theme", "JupyterLab Dark")
    canvas = explorers[0].box.query_selector(PICTURE)
    explorers[0].wait_until(lambda _: canvas.evaluate(PAPER) == [17, 17, 17])
    assert lesson.page.evaluate(GROUND) == "rgb(17, 17, 17)"
    query = explorers[0].sliders()["query"]
    assert query.readout.evaluate("one => getComputedStyle(one).color") == "rgb(255, 154, 60)"
    lesson.choose("Settings", "Theme", "JupyterLab Light")
    explorers[0].wait_until(lambda _: canvas.evaluate(PAPER) == [255, 255, 255])
