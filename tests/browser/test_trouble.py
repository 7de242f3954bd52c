"""What goes wrong in front of a class: the page bears it, or says what happened and Run All Cells mends it."""

import random
import re
import signal

import nbformat
import pytest

from ..conftest import until
from .lab import kernel
from .lesson_page import PICTURE, READY, STATUS, ExplorerOnPage, notebook, opened, pictures_are_there, stored

pytestmark = pytest.mark.slow

EXPLORERS = 2  # what is kept of lesson 03
NAME = "trouble.ipynb"
LOST = """() => [...document.querySelectorAll('.jp-OutputArea-output > .jupyter-widgets-disconnected')]
    .map(box => getComputedStyle(box, '::before').content)"""  # what stands above sliders without a kernel
BITMAPS = """(() => {
    const make = createImageBitmap.bind(window), close = ImageBitmap.prototype.close;
    [window.made, window.kept] = [0, new Set()];
    window.createImageBitmap = (...all) => make(...all).then(picture => (made += 1, kept.add(picture), picture));
    ImageBitmap.prototype.close = function() { kept.delete(this); close.call(this); };
})()"""


@pytest.fixture(scope="module")
def kept(browser, lab):
    book = nbformat.read(lab.folder / "03_binary.ipynb", as_version=4)
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    book.cells = [code[0], *[cell for cell in code if cell.source.startswith("explore(")][:EXPLORERS]]
    nbformat.write(book, lab.folder / NAME)
    with opened(browser, lab(NAME)) as lesson:
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


def first(explorer):
    """Return the first slider of an explorer."""
    return next(iter(explorer.sliders().values()))


def written(lab, name: str, *cells: str) -> str:
    """Write a notebook with one explorer; return its address."""
    notebook(lab.folder / name, "import time\nfrom posenc_lib import explore", "explore('sinusoidal')", *cells)
    return lab(name)


def all_alive(lesson):
    """Move the first slider of every explorer, and expect a new picture and no complaint."""
    for explorer in lesson.explorers():
        explorer.step(first(explorer))
        assert explorer.said("alert") == ""
    assert lesson.complaints() == []
    assert "Error displaying" not in lesson.page.inner_text(".jp-NotebookPanel")


def test_after_a_reload_in_the_middle_of_a_drag_the_stored_pictures_are_back(lesson, lab):
    before = kernel(lab, NAME).pid
    first(lesson.explorers()[0]).hold(0.5)
    lesson.page.reload()
    lesson.page.wait_for_function(READY)
    pictures_are_there(lesson.page, stored(lab.folder / NAME)[0])
    assert "Error displaying" not in lesson.page.inner_text(".jp-NotebookPanel")
    assert kernel(lab, NAME).pid == before


@pytest.mark.parametrize("killed", [False, True], ids=["restarted", "killed"])
def test_when_a_kernel_is_gone_the_page_says_so_and_that_the_sliders_are_lost(lesson, lab, killed):
    explorer = lesson.explorers()[0]
    slider = first(explorer)
    if killed:
        slider.hold(0.1)
        kernel(lab, NAME).kill()
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
    explorer, chance, process = lesson.explorers()[-1], random.Random(5), kernel(lab, NAME)
    slider, start = first(explorer), explorer.settled()
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
    address = written(lab, "saved.ipynb")
    with opened(browser, address) as lesson:
        lesson.run_all()
        (explorer,) = lesson.explorers()
        slider = explorer.sliders()["seq_len"]
        slider.hold(0.8)
        lesson.page.keyboard.press("Control+s")
        explorer.settled()
        value = slider.readout.inner_text()
    with opened(browser, address) as lesson:
        lesson.page.wait_for_selector(PICTURE)
        assert f"{value} positions" in lesson.explorers()[0].said()
        all_alive(lesson)  # nobody has run anything


def test_a_notebook_that_was_saved_with_its_widgets_shows_its_pictures_without_a_kernel(browser, lab):
    address = written(lab, "handed_in.ipynb")
    with opened(browser, address) as lesson:
        lesson.choose("Settings", "Save Widget State Automatically")
        lesson.run_all()
        (explorer,) = lesson.explorers()
        explorer.step(explorer.sliders()["query"])
        last, words = explorer.settled(), explorer.said()
        lesson.page.keyboard.press("Control+s")
        assert until(lambda: "widget-state+json" in (lab.folder / "handed_in.ipynb").read_text(encoding="utf-8"))
        lesson.choose("Settings", "Save Widget State Automatically")  # as it was
        lesson.choose("Kernel", "Shut Down Kernel")
        lesson.page.get_by_text("No Kernel").first.wait_for()
    page = browser.new_page()
    page.goto(address)
    explorer = ExplorerOnPage(page, page.wait_for_selector(f".posenc:has({PICTURE})", timeout=120_000))
    assert (explorer.picture(), explorer.said()) == (last, words)
    page.close()


def test_a_drag_while_a_long_cell_runs_is_drawn_at_its_end_at_the_latest(browser, lab):
    with opened(browser, written(lab, "long_cell.ipynb", "print('begun')\ntime.sleep(3)")) as lesson:
        lesson.choose("Run", "Run All Cells")
        lesson.page.get_by_text("begun", exact=True).wait_for()
        lesson.page.wait_for_selector(PICTURE)
        (explorer,) = lesson.explorers()
        slider, before = explorer.sliders()["seq_len"], explorer.picture()
        slider.drag_to(0.9, steps=40)
        assert lesson.page.evaluate(STATUS) == "busy"
        explorer.wait_until(lambda seen: seen != before)
        explorer.settled()
        assert f"{slider.readout.inner_text()} positions" in explorer.said()
        all_alive(lesson)


def test_hundreds_of_drags_do_not_make_the_page_or_the_kernel_grow(browser, lab):
    with opened(browser, written(lab, "long.ipynb")) as lesson:
        lesson.page.evaluate(BITMAPS)
        lesson.run_all()
        (explorer,), process, held = lesson.explorers(), kernel(lab, "long.ipynb"), []
        slider = explorer.sliders()["query"]
        for k in range(201):
            slider.drag_to(0.05 + k * 37 % 90 / 100, steps=2)
            if k % 100 == 50:
                explorer.settled()
                held.append(process.memory_info().rss / 1e6)
        assert held[-1] - held[0] < 25
        made, kept = lesson.page.evaluate("[made, kept.size]")
        assert made > 30  # a busy page asks for some pictures only
        assert kept <= 2  # what has been painted is let go
        explorer.settled()
        assert f"position {slider.readout.inner_text()}" in explorer.said()
