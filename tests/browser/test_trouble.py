"""What goes wrong in front of a class: the page bears it, or says what happened and Run All Cells mends it."""

import random
import re
import signal
import time

import nbformat
import pytest
from playwright.sync_api import expect

from .lab import kernel
from .lesson_page import (
    FAILED,
    FINISHED,
    KERNEL,
    PICTURE,
    READY,
    STATUS,
    ExplorerOnPage,
    LessonPage,
    notebook,
    opened,
    pictures_are_there,
    stored,
)

pytestmark = pytest.mark.slow

EXPLORERS = 2  # what is kept of lesson 03

LOST = """() => [...document.querySelectorAll('.jp-OutputArea-output > .jupyter-widgets-disconnected')]
    .map(box => getComputedStyle(box, '::before').content)"""  # what stands above sliders without a kernel
BITMAPS = """(() => {
    const [make, close] = [window.createImageBitmap, ImageBitmap.prototype.close];
    [window.made, window.kept] = [0, new Set()];
    window.createImageBitmap = async (...all) => {
        const picture = await make.apply(window, all);
        made += 1;
        kept.add(picture);
        return picture;
    };
    ImageBitmap.prototype.close = function() { kept.delete(this); close.call(this); };
})()"""


@pytest.fixture(scope="module")
def kept(browser, lab):
    book = nbformat.read(lab.folder / "03_binary.ipynb", as_version=4)
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    book.cells = [code[0], *[cell for cell in code if cell.source.startswith("explore(")][:EXPLORERS]]
    nbformat.write(book, lab.folder / "trouble.ipynb")
    with opened(browser, lab("trouble.ipynb")) as lesson:
        yield lesson


@pytest.fixture
def lesson(kept):
    """A lesson that was run; a test may leave it in ruins, since Run All Cells mends it."""
    kept.run_all()
    yield kept
    kept.page.mouse.up()
    kept.run_all()
    assert kept.page.evaluate(LOST) == []
    assert len(kept.explorers()) == EXPLORERS
    all_alive(kept)


def stores(path, text: str) -> None:
    """Wait until a file holds a text, two minutes at most."""
    end = time.monotonic() + 120
    while text not in path.read_text(encoding="utf-8"):
        assert time.monotonic() < end, f"{path.name} never held {text}"
        time.sleep(0.1)


def first(explorer):
    """Return the first slider of an explorer, with its name."""
    return next(iter(explorer.sliders().items()))


def all_alive(lesson):
    """Move the first slider of every explorer, and expect a new picture and no complaint."""
    for explorer in lesson.explorers():
        explorer.step(first(explorer)[1])
        assert explorer.said("alert") == ""
    assert lesson.complaints() == []
    assert "Error displaying" not in lesson.page.inner_text(".jp-NotebookPanel")


def test_after_a_reload_in_the_middle_of_a_drag_the_stored_pictures_are_back(lesson, lab):
    before = kernel(lab, "trouble.ipynb").pid
    first(lesson.explorers()[0])[1].hold(0.5)
    lesson.page.reload()
    lesson.page.wait_for_function(READY)
    pictures_are_there(lesson.page, stored(lab.folder / "trouble.ipynb")[0])
    assert "Error displaying" not in lesson.page.inner_text(".jp-NotebookPanel")
    assert kernel(lab, "trouble.ipynb").pid == before


@pytest.mark.parametrize("killed", [False, True], ids=["restarted", "killed"])
def test_when_a_kernel_is_gone_the_page_says_so_and_that_the_sliders_are_lost(lesson, lab, killed):
    explorer = lesson.explorers()[0]
    slider = first(explorer)[1]
    if killed:
        slider.hold(0.1)
        kernel(lab, "trouble.ipynb").kill()
    else:
        lesson.choose("Kernel", "Restart Kernel…")
    dialog = lesson.page.wait_for_selector(".jp-Dialog")
    assert not killed or "appears to have died. It will restart automatically." in dialog.inner_text()
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


def test_run_all_cells_twice_in_a_hurry(lesson):
    lesson.choose("Run", "Run All Cells")


def test_interrupts_in_the_middle_of_a_drag_leave_no_traceback(lesson, lab):
    explorer, chance, process = lesson.explorers()[-1], random.Random(5), kernel(lab, "trouble.ipynb")
    (_, slider), start = first(explorer), explorer.settled()
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


def test_a_saved_notebook_closed_in_the_middle_of_a_drag_comes_back(browser, lab):
    notebook(lab.folder / "saved.ipynb", "from posenc_lib import explore", "explore('sinusoidal')")
    with opened(browser, lab("saved.ipynb")) as lesson:
        lesson.run_all()
        (explorer,) = lesson.explorers()
        slider = explorer.sliders()["seq_len"]
        slider.hold(0.8)
        lesson.page.keyboard.press("Control+s")
        explorer.settled()
        value = slider.readout.inner_text()
    with opened(browser, lab("saved.ipynb")) as lesson:
        lesson.page.wait_for_selector(PICTURE)
        assert f"{value} positions" in lesson.explorers()[0].said()
        all_alive(lesson)  # nobody has run anything


def test_a_notebook_that_was_saved_with_its_widgets_shows_its_pictures_without_a_kernel(browser, lab):
    notebook(lab.folder / "handed_in.ipynb", "from posenc_lib import explore", "explore('sinusoidal')")
    with opened(browser, lab("handed_in.ipynb")) as lesson:
        lesson.choose("Settings", "Save Widget State Automatically")
        lesson.run_all()
        (explorer,) = lesson.explorers()
        explorer.step(explorer.sliders()["query"])
        last, words = explorer.settled(), explorer.said()
        lesson.page.keyboard.press("Control+s")
        stores(lab.folder / "handed_in.ipynb", "widget-state+json")
        lesson.choose("Kernel", "Shut Down Kernel")
        lesson.page.wait_for_function(f"!{KERNEL}?.startsWith('Python')")
    page = browser.new_page()
    page.goto(lab("handed_in.ipynb"))
    explorer = ExplorerOnPage(page, page.wait_for_selector(f".posenc:has({PICTURE})", timeout=120_000))
    assert (explorer.picture(), explorer.said()) == (last, words)
    page.close()
    with opened(browser, lab("handed_in.ipynb")) as lesson:
        lesson.choose("Settings", "Save Widget State Automatically")  # as it was


def test_a_drag_while_a_long_cell_runs_is_drawn_at_its_end_at_the_latest(browser, lab):
    cells = "import time\nfrom posenc_lib import explore", "explore('sinusoidal')", "print('begun')\ntime.sleep(3)"
    notebook(lab.folder / "long_cell.ipynb", *cells)
    with opened(browser, lab("long_cell.ipynb")) as lesson:
        lesson.choose("Run", "Run All Cells")
        lesson.page.get_by_text("begun", exact=True).wait_for()
        lesson.page.wait_for_selector(PICTURE)
        (explorer,) = lesson.explorers()
        slider, before = explorer.sliders()["seq_len"], explorer.picture()
        slider.drag_to(0.9, steps=40)
        assert lesson.page.evaluate(STATUS) == "busy"
        explorer.wait_until(lambda seen: seen != before)
        lesson.page.wait_for_function(FINISHED)
        explorer.settled()
        assert f"{slider.readout.inner_text()} positions" in explorer.said()
        all_alive(lesson)


def test_a_page_that_cannot_load_anywidget_gets_a_plain_image_and_its_canvas_once_it_can(browser, lab):
    notebook(lab.folder / "no_anywidget.ipynb", "from posenc_lib import explore", "explore('sinusoidal')")
    page, extension = browser.new_page(), "**/extensions/anywidget/**"
    page.route(extension, lambda route: route.abort())
    lesson = LessonPage(page, lab("no_anywidget.ipynb"))
    lesson.choose("Run", "Run All Cells")
    image, note = page.locator(".posenc img"), page.locator(".posenc [role=alert]")
    expect(note).to_contain_text("you cannot drag in it: save the notebook and reload the page.")
    before = image.get_attribute("src")
    page.locator(".posenc .noUi-handle").first.press("ArrowRight")
    expect(page.locator(".posenc [role=status]").first).to_contain_text("65 positions")
    expect(image).not_to_have_attribute("src", before)
    expect(note).to_have_count(1)  # no move takes it away
    assert page.locator(FAILED).count() == 0
    page.keyboard.press("Control+s")
    stores(lab.folder / "no_anywidget.ipynb", "image/png")
    page.unroute(extension)
    page.reload()
    page.wait_for_selector(PICTURE)
    expect(note).to_have_count(0)
    all_alive(lesson)
    page.close()


def test_hundreds_of_drags_do_not_make_the_page_grow(browser, lab, record_property):
    notebook(lab.folder / "long.ipynb", "from posenc_lib import explore", "explore('sinusoidal', views='dot_product')")
    with opened(browser, lab("long.ipynb")) as lesson:
        page = lesson.page
        page.evaluate(BITMAPS)
        lesson.run_all()
        (explorer,), process, held = lesson.explorers(), kernel(lab, "long.ipynb"), []
        slider = explorer.sliders()["query"]
        for k in range(301):
            slider.drag_to(0.05 + k * 37 % 90 / 100, steps=2)
            if k % 100 == 50:
                explorer.settled()
                held.append(process.memory_info().rss / 1e6)
        record_property(f"{k} drags, MB of the kernel", " → ".join(f"{size:.0f}" for size in held))
        assert held[-1] - held[0] < 25
        made, kept = page.evaluate("[made, kept.size]")
        assert made > 30  # a busy page asks for some pictures only
        assert kept <= 2  # what has been painted is let go
        explorer.settled()
        assert f"Dot products of position {slider.readout.inner_text()}:" in explorer.said()
