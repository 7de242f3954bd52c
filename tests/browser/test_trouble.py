"""What goes wrong in front of a class: the page bears it, or says so and Run All Cells mends it."""

import random
import re
import signal

import pytest
from playwright.sync_api import expect

from ..conftest import until
from .lab import kernel
from .lesson_page import (
    DRAWN,
    FAILED,
    FINISHED,
    PICTURE,
    READY,
    ExplorerOnPage,
    LessonPage,
    notebook,
    opened,
    pictures_are_there,
    stored,
)

pytestmark = pytest.mark.slow

EXPLORERS = 2
NAME = "trouble.ipynb"
# what stands above sliders without a kernel
LOST = """() => [
    ...document.querySelectorAll('.jp-OutputArea-output > .jupyter-widgets-disconnected')
].map(box => getComputedStyle(box, '::before').content)"""
# ipywidgets gives a kernel 4 s to tell all it has at once, and then asks for one thing at a time
HURRIED = """(() => {
    const wait = window.setTimeout;
    window.setTimeout = (then, ms, ...more) => wait(then, ms === 4000 ? 0 : ms, ...more);
})()"""
OLD = f"() => document.querySelectorAll('{PICTURE}').forEach(one => one.dataset.old = 'yes')"
BITMAPS = """(() => {
    const make = createImageBitmap.bind(window), close = ImageBitmap.prototype.close;
    [window.made, window.kept] = [0, new Set()];
    window.createImageBitmap = (...all) =>
        make(...all).then(picture => (made += 1, kept.add(picture), picture));
    ImageBitmap.prototype.close = function() { kept.delete(this); close.call(this); };
})()"""


@pytest.fixture(scope="module")
def opened_lesson(browser, lab):
    notebook(
        lab.folder / NAME,
        "from posenc_lib import explore",
        *["explore('binary', views='heatmap')"] * EXPLORERS,
    )
    with opened(browser, lab(NAME)) as lesson:
        yield lesson


@pytest.fixture
def lesson(opened_lesson):
    """A lesson that was run; a test may leave it in ruins: Run All Cells mends it for the next."""
    opened_lesson.page.mouse.up()
    opened_lesson.run_all()
    assert opened_lesson.page.evaluate(LOST) == []
    all_alive(opened_lesson)
    return opened_lesson


def first_of(explorer):
    """Return the first slider of an explorer."""
    return next(iter(explorer.sliders().values()))


def all_alive(lesson):
    """Move the first slider of every explorer, and expect a new picture and no complaint."""
    for explorer in lesson.explorers():
        explorer.step(first_of(explorer))
        assert explorer.said("alert") == ""
    assert lesson.complaints() == []
    assert "Error displaying" not in lesson.page.inner_text(".jp-NotebookPanel")


def test_after_a_reload_in_the_middle_of_a_drag_the_stored_pictures_are_back(lesson, lab):
    before = kernel(lab, NAME).pid
    first_of(lesson.explorers()[0]).hold(0.5)
    lesson.page.reload()
    lesson.page.wait_for_function(READY)
    pictures_are_there(lesson.page, stored(lab.folder / NAME)[0])
    assert "Error displaying" not in lesson.page.inner_text(".jp-NotebookPanel")
    assert kernel(lab, NAME).pid == before


def test_when_a_kernel_has_died_the_page_says_so_and_that_the_sliders_are_lost(lesson, lab):
    explorer = lesson.explorers()[0]
    slider = first_of(explorer)
    slider.hold(0.1)
    kernel(lab, NAME).kill()
    dialog = lesson.page.wait_for_selector(".jp-Dialog")
    assert "appears to have died. It will restart automatically." in dialog.inner_text()
    lesson.page.mouse.up()
    lesson.page.click(".jp-Dialog button.jp-mod-accept")
    lesson.page.wait_for_selector(".jupyter-widgets-disconnected")
    last = explorer.settled()
    slider.drag_to(0.5)
    assert explorer.settled() == last
    lesson.page.wait_for_function(READY)
    said = lesson.page.evaluate(LOST)
    assert len(said) == len(lesson.explorers()) == EXPLORERS
    assert all("Run All Cells" in line for line in said), said
    assert lesson.complaints() == []


def test_drags_let_go_of_what_has_been_painted(lesson):
    lesson.page.evaluate(BITMAPS)
    explorer = lesson.explorers()[0]
    slider = first_of(explorer)
    for k in range(40):
        slider.drag_to(0.05 + k * 37 % 90 / 100, steps=2)
    explorer.settled()
    made, kept = lesson.page.evaluate("[made, kept.size]")
    assert made > 10 >= 5 * kept  # a busy page asks for some pictures only
    assert f"{slider.readout.inner_text()} positions" in explorer.said()


def test_interrupts_in_the_middle_of_a_drag_leave_no_traceback(lesson, lab):
    explorer, chance, process = lesson.explorers()[-1], random.Random(5), kernel(lab, NAME)
    explorer.press("Reset")
    slider, start = first_of(explorer), explorer.settled()
    slider.hold(0.5)
    track = slider.track.bounding_box()
    for _ in range(60):
        lesson.page.mouse.move(track["x"] + chance.random() * track["width"], track["y"])
        lesson.page.wait_for_timeout(chance.randrange(30))
        process.send_signal(signal.SIGINT)  # what the button Interrupt makes of the server
    lesson.page.mouse.up()
    all_alive(lesson)
    explorer.settled()
    now = slider.readout.inner_text()
    assert re.search(rf"\b{now} positions|position {now}\b", explorer.said())
    explorer.press("Reset")
    explorer.wait_until(lambda seen: seen == start)


def test_a_notebook_that_was_saved_with_its_widgets_shows_its_pictures_without_a_kernel(
    browser, lab
):
    notebook(
        lab.folder / "handed_in.ipynb", "from posenc_lib import explore", "explore('sinusoidal')"
    )
    address = lab("handed_in.ipynb")
    with opened(browser, address) as lesson:
        lesson.choose("Settings", "Save Widget State Automatically")
        lesson.run_all()
        (explorer,) = lesson.explorers()
        explorer.step(explorer.sliders()["query"])
        last, words = explorer.settled(), explorer.said()
        lesson.page.keyboard.press("Control+s")
        assert until(
            lambda: (
                "widget-state+json" in (lab.folder / "handed_in.ipynb").read_text(encoding="utf-8")
            )
        )
        lesson.choose("Settings", "Save Widget State Automatically")  # as it was
        lesson.choose("Kernel", "Shut Down Kernel")
        lesson.page.get_by_text("No Kernel").first.wait_for()
    page = browser.new_page()
    page.goto(address)
    explorer = ExplorerOnPage(
        page, page.wait_for_selector(f".posenc:has({PICTURE})", timeout=120_000)
    )
    assert (explorer.picture(), explorer.said()) == (last, words)
    page.close()


SAVED = ("explore('sinusoidal')", "playground('rope: clock')", "pe.config_box()", "'a line'")


def test_a_notebook_that_was_saved_shows_its_stored_pictures_when_it_is_opened_again(browser, lab):
    """Whatever is saved again without having been run, and with other widgets in it."""
    path = lab.folder / "saved.ipynb"
    first = "import posenc_lib as pe; from posenc_lib import explore, playground"
    notebook(path, first, *SAVED, "import ipywidgets; ipywidgets.IntSlider()")
    address = lab("saved.ipynb")
    with opened(browser, address) as lesson:
        lesson.run_all()
        lesson.page.keyboard.press("Control+s")
        assert until(lambda: "posenc-kept" in path.read_text(encoding="utf-8"))
        words = stored(path)[0]
        assert len(words) == len(SAVED) - 1
        lesson.page.reload()  # its kernel lives: so do its sliders
        lesson.page.wait_for_function(DRAWN)
        lesson.page.wait_for_selector(PICTURE)
        assert lesson.page.locator(".posenc-kept").count() == 0
        lesson.choose("Kernel", "Shut Down Kernel")
        lesson.page.get_by_text("No Kernel").first.wait_for()
    for again in range(2):
        with opened(browser, address) as lesson:
            pictures_are_there(lesson.page, words)
            errors = lesson.page.get_by_text("Error displaying widget")
            expect(errors).to_have_count(1)  # the slider's, which is not ours
            said = lesson.page.evaluate(LOST)
            assert len(said) == len(words)
            assert all("Run All Cells" in line for line in said), said
            before = path.stat().st_mtime_ns
            lesson.page.keyboard.press("Control+s")
            assert until(lambda then=before: path.stat().st_mtime_ns != then)
            if again:
                lesson.run_all()
                assert lesson.page.locator(".posenc-kept").count() == 0
                explorer = lesson.explorers()[0]
                explorer.step(first_of(explorer))


def test_a_panel_has_its_canvas_while_later_cells_still_run(browser, lab, tmp_path):
    """Also after a restart, when the page takes up its panels only once the kernel is free."""
    go = tmp_path / "go"
    wait = f"import time\nfrom pathlib import Path\nwhile not Path({str(go)!r}).exists():"
    panel = "from posenc_lib import explore\nexplore('sinusoidal')"
    notebook(lab.folder / "busy.ipynb", panel, f"{wait}\n    time.sleep(0.05)")
    with opened(browser, lab("busy.ipynb")) as lesson:
        for choose in (("Run", "Run All Cells"), ("Run", "Restart Kernel and Run All Cells…")):
            lesson.page.evaluate(OLD)
            lesson.choose(*choose)
            if "Restart" in choose[1]:
                lesson.page.locator(".jp-Dialog button.jp-mod-accept").click()
                lesson.page.wait_for_function("() => !document.querySelector('.jp-Dialog')")
            lesson.page.wait_for_selector(f"{PICTURE}:not([data-old])", timeout=120_000)
            note = lesson.page.locator(".posenc [role=alert]")
            lesson.page.wait_for_timeout(4000)  # longer than a plain image waits for its canvas
            assert (note.count(), lesson.page.locator(PICTURE).count()) == (0, 1)
            go.write_text("")
            lesson.page.wait_for_function(FINISHED)
            go.unlink()


def test_a_page_that_cannot_load_anywidget_gets_a_plain_image_and_its_canvas_once_it_can(
    browser, lab
):
    notebook(
        lab.folder / "no_anywidget.ipynb", "from posenc_lib import explore", "explore('sinusoidal')"
    )
    page, extension = browser.new_page(), "**/extensions/anywidget/**"
    page.route(extension, lambda route: route.abort())
    lesson = LessonPage(page, lab("no_anywidget.ipynb"))
    lesson.choose("Run", "Run All Cells")
    image, note = page.locator(".posenc img"), page.locator(".posenc [role=alert]")
    expect(note).to_contain_text("you can't drag in it: save the notebook and reload the page.")
    before = image.get_attribute("src")
    page.locator(".posenc .noUi-handle").first.press("ArrowRight")
    expect(page.locator(".posenc [role=status]").first).to_contain_text("65 positions")
    expect(image).not_to_have_attribute("src", before)
    expect(note).to_have_count(1)  # no move takes it away
    assert page.locator(FAILED).count() == 0
    page.keyboard.press("Control+s")
    until(lambda: "image/png" in (lab.folder / "no_anywidget.ipynb").read_text(encoding="utf-8"))
    page.unroute(extension)
    page.add_init_script(HURRIED)
    page.reload()
    page.wait_for_selector(PICTURE)
    expect(note).to_have_count(0)
    all_alive(lesson)
    page.close()
