"""What is seen of panels: long sliders, few words, a picture first; on phones; in the dark."""

import io
from contextlib import contextmanager

import nbformat
import numpy as np
import pytest
from PIL import Image

from posenc_lib import figure
from posenc_lib.live.page import CSS

from ..conftest import ROOT
from .lesson_page import PICTURE, LessonPage, notebook

# lessons that open with a picture
PICTURE_FIRST = ["02_integers", "03_binary", "04_sine", "05_sinusoidal", "06_rope", "16_real_model"]
LAPTOP, PHONE = {"width": 1280, "height": 720}, {"width": 390, "height": 844}
AROUND = 110  # px of a laptop's height that JupyterLab needs for itself
TRACK, LETTERS = 240, 110  # px of a slider at least, letters under a panel at most
FIVE = """explore("sinusoidal", seq_len=(8, 512), d_model=(2, 128), base=(10, 1e6),
    start={"seq_len": 512, "d_model": 64, "pair": 16, "query": 0})"""
PANELS = (
    "from posenc_lib import explore, figure",
    FIVE,
    "explore('rope', views='vectors', content='random', head_dim=2, base=10_000, offset=(-20, 20))",
    "explore('sinusoidal', views=['shifted', 'shift_matrix'], seq_len=48, d_model=8, pair=(0, 3))",
    "explore('alibi', views=['head_biases', 'attention_reach', 'attention_span'], query=63)",
    "explore('rope', views=['lookback', 'anywhere'], head_dim=64, base=10_000, trained=512,"
    "rope_type=['default', 'linear', 'ntk', 'yarn', 'llama3'], factor=(1, 16))",
    "explore(['rope', 'alibi', 'kerple'], views='trained_models', task=['look_back', 'flip_flop'])",
)
# words under a picture that can be seen, without those on buttons
BELOW = """panel => {
    const under = panel.querySelector('canvas').getBoundingClientRect().bottom, seen = [];
    const texts = document.createTreeWalker(panel, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const { parentElement: parent, data } = texts.currentNode, range = document.createRange();
        if (parent.closest('button, summary, style, select, .posenc-sliders')) continue;
        const { width, top } = parent.getBoundingClientRect();
        if (parent.checkVisibility() && width > 1 && top >= under - 1) seen.push(data.trim());
    }
    return seen.join(' ').trim();
}"""
PLACE = (
    "element => (({top, bottom, width}) => [top, bottom, width])(element.getBoundingClientRect())"
)
CLASSES = "panel => [...panel.classList]"
VIEW = ".jp-WindowedPanel-outer"
FIRST_PICTURE = """least => {
    const page = document.querySelector('.jp-WindowedPanel-outer').getBoundingClientRect();
    return [...document.querySelectorAll('.jp-OutputArea-output :is(img, canvas)')].some(one => {
        const { top, bottom } = one.getBoundingClientRect();
        const high = bottom - top, seen = Math.min(bottom, page.bottom) - top;
        return high > 60 && seen >= Math.min(least, high);
    });
}"""


@contextmanager
def opened(browser, lab, name: str, **about):
    """Open a notebook in a page of its own."""
    page = browser.new_page(**about)
    lesson = LessonPage(page, lab(name))
    yield lesson
    assert lesson.complaints() == [], lesson.complaints()
    page.close()


@pytest.fixture(scope="module")
def laptop(desk, lab):
    notebook(lab.folder / "seen.ipynb", *PANELS)
    with desk.opened("seen.ipynb") as lesson:
        lesson.page.set_viewport_size(LAPTOP)
        lesson.run_all()
        yield lesson


@pytest.mark.slow
def test_every_track_is_long_and_at_most_a_line_stands_under_a_panel_unless_it_is_opened(laptop):
    panels = laptop.page.query_selector_all(f".posenc:has({PICTURE})")
    assert len(panels) == len(PANELS) - 1
    for panel in panels:
        tracks = panel.query_selector_all(".noUi-target")
        assert all(track.evaluate(PLACE)[2] >= TRACK for track in tracks)
    for explorer in laptop.explorers():
        for slider in explorer.sliders().values():
            slider.handle.press("Home" if slider.fraction() == 1 else "End")
            explorer.settled()
            line = explorer.box.evaluate(BELOW)
            assert len(line) <= LETTERS, line
            assert line == "" or line.endswith("."), line
        told = explorer.said()
        assert line in told
        explorer.box.query_selector("summary").click()
        assert told in explorer.box.evaluate(BELOW)
        explorer.box.query_selector("summary").click()
        explorer.press("Reset")


@pytest.mark.slow
def test_five_sliders_three_pictures_and_their_line_are_on_one_screen(laptop):
    laptop.page.set_viewport_size(LAPTOP)
    first = laptop.explorers()[0]
    first.settled()
    line = first.box.query_selector(".posenc-said p").evaluate(PLACE)
    assert line[1] - first.box.evaluate(PLACE)[0] <= LAPTOP["height"] - AROUND
    picture = first.box.query_selector(PICTURE)
    high, wide = picture.evaluate("canvas => [canvas.clientHeight, canvas.clientWidth]")
    assert wide > 2 * high  # beside each other


@pytest.mark.slow
def test_what_stands_below_a_panel_is_one_row_with_one_right_edge(laptop):
    for explorer in laptop.explorers():
        parts = explorer.box.query_selector_all(".posenc-said :is(summary, button):visible")
        boxes = [part.bounding_box() for part in parts]
        middles = [box["y"] + box["height"] / 2 for box in boxes]
        assert len(boxes) >= 4
        assert max(middles) - min(middles) < 4
        right = max(box["x"] + box["width"] for box in boxes)
        panel, picture = explorer.box, explorer.box.query_selector(PICTURE)
        # a picture is as wide as two columns of sliders, or these are as wide as the panel
        edge = (picture if picture.bounding_box()["width"] >= 912 else panel).bounding_box()
        sliders = panel.query_selector(".posenc-sliders").bounding_box()
        for end in (right, sliders["x"] + sliders["width"]):
            assert end == pytest.approx(edge["x"] + edge["width"], abs=1)


def test_in_a_dark_room_buttons_over_a_picture_are_dark_in_the_browser_edition_too(browser):
    lite = (ROOT / "posenc_lib/tools/lite/page.css").read_text(encoding="utf-8")
    panel = "<div class='posenc posenc-dark'><div class='posenc-ask'><button>Show</button>"
    page = browser.new_page(color_scheme="light")
    page.set_content(f"<style>{lite}</style>{CSS}{panel}")
    color = "button => getComputedStyle(button).backgroundColor"
    assert page.locator("button").evaluate(color) == "rgb(17, 17, 17)"
    page.close()


@pytest.fixture
def projector(desk, lab):
    """Return a laptop that shows panels in a dark room, one opened before it was asked for."""
    begin = "import posenc_lib as pe\npe.present(theme='dark')"
    shown = "figure('sine_waves')"
    tape = """explore('rope', views='rotated_together', content='random', head_dim=16, seq_len=512,
    offset=(-8, 8), frozen='ylim')"""
    notebook(lab.folder / "projector.ipynb", *PANELS[:1], tape, begin, *PANELS[3:4], shown)
    with desk.opened("projector.ipynb") as lesson:
        lesson.page.set_viewport_size(LAPTOP)
        lesson.run_all()
        yield lesson


@pytest.mark.slow
def test_on_a_projector_code_folds_a_panel_fits_and_the_notebook_is_as_dark_as_asked(projector):
    page = projector.page
    page.wait_for_selector(".posenc-large")
    for explorer in projector.explorers():
        explorer.settled()
        assert {"posenc-large", "posenc-dark"} <= {*explorer.box.evaluate(CLASSES)}
        assert lightness(explorer.box.query_selector(PICTURE).screenshot()) < 0.4
        cell = explorer.box.evaluate_handle("panel => panel.closest('.jp-CodeCell')")
        code = cell.query_selector(".jp-InputArea-editor")
        label = "code => getComputedStyle(code, '::before').content"
        assert "Code" in code.evaluate(label)
        top, bottom, _ = cell.evaluate(PLACE)
        assert bottom - top < LAPTOP["height"] - AROUND + 8
        code.click()
        page.wait_for_function(f"code => ({label})(code) === 'none'", arg=code)
        lines = code.query_selector_all(".cm-line")
        assert (
            lines[-1].bounding_box()["y"] < code.bounding_box()["y"] + code.bounding_box()["height"]
        )
        page.keyboard.press("Escape")
        page.wait_for_function(f"code => ({label})(code) !== 'none'", arg=code)
    ground = "getComputedStyle(document.querySelector('.jp-Notebook')).backgroundColor"
    assert page.evaluate(ground) == "rgb(17, 17, 17)"
    plain = page.query_selector_all(".jp-InputArea-editor")[0]  # of no panel
    assert plain.evaluate(label) == "none"
    shown = page.query_selector("img.posenc-large")
    assert shown.bounding_box()["width"] > 1.2 * 640
    assert lightness(shown.screenshot()) < 0.4
    cell = shown.evaluate_handle("image => image.closest('.jp-CodeCell')")
    assert "Code" in cell.query_selector(".jp-InputArea-editor").evaluate(label)


def swipe(page, element, right: float, down: float) -> None:
    """Put a finger on the middle of an element, move it, and let it rest there.

    If it's lifted as it moves, the page glides on, and the next tap only stops that.
    """
    touch = page.context.new_cdp_session(page)
    box, steps = element.bounding_box(), 12
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def send(kind: str, *points) -> None:
        places = [{"x": left, "y": top} for left, top in points]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    send("touchStart", (x, y))
    for k in range(1, steps + 1):
        send("touchMove", (x + right * k / steps, y + down * k / steps))
        page.wait_for_timeout(16)  # as a screen tells of it
    page.wait_for_timeout(200)
    send("touchEnd")


@pytest.mark.slow
def test_on_a_phone_the_slider_that_was_used_last_is_in_one_view_with_its_picture(browser, lab):
    notebook(lab.folder / "phone.ipynb", PANELS[0], FIVE)
    with opened(browser, lab, "phone.ipynb", viewport=LAPTOP, has_touch=True) as lesson:
        lesson.run_all()
        page, (panel,) = lesson.page, lesson.explorers()
        page.set_viewport_size(PHONE)
        panel.wait_until(
            lambda _: panel.box.query_selector(PICTURE).evaluate("c => c.height > 2 * c.width")
        )
        assert list(panel.sliders()) == ["seq_len"]
        more = panel.box.query_selector(".posenc-more")
        more.tap()
        assert len(panel.sliders()) == 5
        base = panel.sliders()["base"]
        scrolled = f"() => document.querySelector('{VIEW}').scrollTop"
        before, top = panel.settled(), page.evaluate(scrolled)
        swipe(page, base.track, 4, -200)
        page.wait_for_function(f"top => ({scrolled})() > top + 50", arg=top)
        assert (base.readout.inner_text(), panel.settled()) == ("10,000", before)
        swipe(page, base.handle, -90, 4)
        panel.wait_until(lambda seen: seen != before)
        assert base.readout.inner_text() != "10,000"
        more.tap()
        page.wait_for_function("more => more.ariaExpanded === 'false'", arg=more)
        assert list(panel.sliders()) == ["base"]
        picture, row = panel.box.query_selector(PICTURE), page.locator("[data-used]")
        high = picture.evaluate(PLACE)[1] - picture.evaluate(PLACE)[0]
        for k in range(3):  # each of the three pictures, scrolled to the top of the page
            scroll = f"(picture, down) => {{ const view = document.querySelector('{VIEW}');" + (
                "const by = picture.getBoundingClientRect().top - view.getBoundingClientRect().top;"
                "view.scrollTop += by + down; }"
            )
            picture.evaluate(scroll, k * high / 3)
            view, (top, bottom, _) = page.locator(VIEW).evaluate(PLACE), row.evaluate(PLACE)
            begin = picture.evaluate(PLACE)[0] + k * high / 3
            assert view[0] - 1 <= begin
            assert begin + high / 3 <= top + 1
            assert bottom <= view[1] + 1


def lightness(shot: bytes) -> float:
    """Return how light a photograph is on average, from 0 to 1."""
    return float(np.asarray(Image.open(io.BytesIO(shot)).convert("L")).mean() / 255)


@pytest.mark.slow
def test_no_picture_is_white_in_the_dark_while_cells_still_run(browser, lab, tmp_path):
    """Neither one drawn before the page has told its theme, nor a figure, nor a stored one."""
    go, path = tmp_path / "go", lab.folder / "dark.ipynb"
    wait = f"import time\nfrom pathlib import Path\nwhile not Path({str(go)!r}).exists():"
    cells = "figure('position_added')", f"{wait}\n    time.sleep(0.05)", "figure('ladder')"
    notebook(path, *PANELS[:2], *cells)
    book, (data, metadata) = nbformat.read(path, 4), figure("ladder")._repr_mimebundle_()
    output = nbformat.v4.new_output("display_data", data, metadata=metadata)
    book.cells[-1].outputs = [output]
    nbformat.write(book, path)
    with opened(browser, lab, "dark.ipynb", viewport=LAPTOP) as lesson:
        page = lesson.page
        lesson.choose("Settings", "Theme", "JupyterLab Dark")
        page.wait_for_function("document.body.dataset.jpThemeLight === 'false'")
        page.click(".jp-CodeCell:last-of-type .jp-InputArea-editor")
        lesson.choose("Run", "Run All Above Selected Cell")  # what runs loses its stored picture
        canvas = page.wait_for_selector(f"{PICTURE}")
        images = "document.querySelectorAll('.jp-OutputArea-output img').length"
        page.wait_for_function(f"{images} === 2")
        pictures = [canvas, *page.query_selector_all(".jp-OutputArea-output img")]
        drawn = page.eval_on_selector(".posenc-picture", "picture => picture.dataset.drawn")
        light = [lightness(one.screenshot()) for one in pictures]
        go.touch()
        page.wait_for_selector(".posenc-picture[data-drawn=dark]")
        light.append(lightness(canvas.screenshot()))
        assert (drawn, max(light) < 0.4) == ("light", True), light
        lesson.choose("Settings", "Theme", "JupyterLab Light")


@pytest.mark.slow
@pytest.mark.parametrize("name", PICTURE_FIRST)
def test_a_lesson_opens_with_a_picture(desk, name):
    """As it's stored, on a laptop: all of it, or as much as tells what it is."""
    with desk.opened(f"{name}.ipynb") as lesson:
        lesson.page.set_viewport_size(LAPTOP)
        lesson.page.wait_for_function(FIRST_PICTURE, arg=240, timeout=10_000)
