"""What goes wrong in front of a class: the page says what happened, and Run All Cells brings everything back."""

import random
import shutil
import signal

import pytest

from .lab import kernel
from .lesson_page import BEGUN, READY, STATUS, notebook, opened

pytestmark = pytest.mark.slow

STORED = ".jp-OutputArea-output[data-mime-type='text/html'] img"
TEXT = "() => document.querySelector('.jp-NotebookPanel').innerText"
SAID = """() => [...document.querySelectorAll('.jp-OutputArea-output > .jupyter-widgets-disconnected')]
    .map(box => getComputedStyle(box, '::before').content)"""  # what stands above sliders without a kernel


@pytest.fixture(scope="module")
def page(browser, lab):
    shutil.copy(lab.folder / "03_binary.ipynb", lab.folder / "trouble.ipynb")
    with opened(browser, lab("trouble.ipynb")) as lesson:
        yield lesson


@pytest.fixture
def lesson(page):
    """A lesson that was run; a test may leave it in ruins, since Run All Cells mends it for the next."""
    page.run_all()
    yield page
    page.page.mouse.up()
    assert page.errors == []


def hold_first(lesson, fraction):
    """Take the first slider of the page in hand and move it."""
    slider = next(iter(lesson.explorers()[0].sliders().values()))
    slider.hold(fraction)
    return slider


def all_alive(lesson):
    """Move the first slider of every explorer, and expect a new picture and no complaint."""
    explorers = [explorer for explorer in lesson.explorers() if explorer.sliders()]
    assert explorers
    for explorer in explorers:
        explorer.step(next(iter(explorer.sliders().values())))
        assert explorer.trouble() == ""
    assert lesson.complaints() == []
    assert "Error displaying" not in lesson.page.evaluate(TEXT)


def says_that_the_sliders_are_lost_until_all_is_run(lesson):
    """Expect above every explorer a line that says what to do, and that it helps."""
    lesson.must_hold(READY, 30, "the kernel did not come back")
    said = lesson.page.evaluate(SAID)
    assert len(said) == len(lesson.explorers()) >= 1
    assert all("Run All Cells" in line for line in said), said
    assert lesson.complaints() == []
    lesson.run_all()
    assert lesson.page.evaluate(SAID) == []
    all_alive(lesson)


def test_after_a_reload_in_the_middle_of_a_drag_the_stored_pictures_are_back(lesson, lab):
    before = kernel(lab, "trouble.ipynb").pid
    hold_first(lesson, 0.5)
    lesson.page.reload()
    lesson.must_hold(READY, 60, "no kernel was ready")
    lesson.page.mouse.up()
    lesson.page.wait_for_function(f"() => document.querySelectorAll(`{STORED}`).length === 6")
    stored = lesson.page.query_selector_all(STORED)
    assert all(image.evaluate("i => i.decode().then(() => i.naturalWidth)") > 600 for image in stored)
    assert "Error displaying" not in lesson.page.evaluate(TEXT)
    assert kernel(lab, "trouble.ipynb").pid == before
    lesson.run_all()
    all_alive(lesson)


def test_after_a_restart_the_page_says_that_the_sliders_are_lost(lesson):
    explorer = lesson.explorers()[0]
    last = explorer.settled()
    lesson.choose("Kernel", "Restart Kernel…")
    lesson.page.click(".jp-Dialog button.jp-mod-accept")
    lesson.page.wait_for_selector(".jupyter-widgets-disconnected")
    hold_first(lesson, 0.1)
    lesson.page.mouse.up()
    assert explorer.settled() == last
    says_that_the_sliders_are_lost_until_all_is_run(lesson)


def test_a_kernel_killed_in_the_middle_of_a_drag_is_told(lesson, lab):
    hold_first(lesson, 0.1)
    kernel(lab, "trouble.ipynb").kill()
    dialog = lesson.page.wait_for_selector(".jp-Dialog", timeout=20_000)
    assert "appears to have died. It will restart automatically." in dialog.inner_text()
    lesson.page.mouse.up()
    lesson.page.click(".jp-Dialog button.jp-mod-accept")
    says_that_the_sliders_are_lost_until_all_is_run(lesson)


def test_outputs_cleared_while_a_slider_moves_are_gone_without_a_word(lesson):
    hold_first(lesson, 0.1)
    lesson.page.keyboard.press("Control+Shift+C")  # the hand is on the mouse: the palette opens by keys
    lesson.page.wait_for_selector(".lm-CommandPalette-input")
    lesson.page.keyboard.type("Clear Outputs of All")
    lesson.page.wait_for_selector(".lm-CommandPalette-item.lm-mod-active:has-text('Clear Outputs of All')")
    lesson.page.keyboard.press("Enter")
    lesson.page.wait_for_selector(".jp-OutputArea-output", state="detached")
    lesson.page.mouse.move(900, 300, steps=5)
    lesson.page.mouse.up()
    assert lesson.complaints() == []
    lesson.run_all()
    all_alive(lesson)


def test_run_all_cells_twice_in_a_hurry(lesson):
    lesson.choose("Run", "Run All Cells")
    lesson.run_all()
    assert len(lesson.explorers()) == 4
    all_alive(lesson)


def test_a_saved_notebook_closed_in_the_middle_of_a_drag_comes_back(browser, lab):
    notebook(lab.folder / "saved.ipynb", "from posenc_lib import explore", "explore('sinusoidal')")
    with opened(browser, lab("saved.ipynb")) as lesson:
        lesson.run_all()
        slider = hold_first(lesson, 0.8)
        lesson.page.keyboard.press("Control+s")
        lesson.explorers()[0].settled()
        value = slider.readout.inner_text()
    with opened(browser, lab("saved.ipynb")) as lesson:
        lesson.page.wait_for_selector("img.widget-image")
        assert f"seq_len {value}," in lesson.explorers()[0].words()
        all_alive(lesson)  # nobody has run anything
        kernel(lab, "saved.ipynb").kill()
        lesson.page.click(".jp-Dialog button.jp-mod-accept", timeout=20_000)
    with opened(browser, lab("saved.ipynb")) as lesson:
        lesson.run_all()
        all_alive(lesson)


def test_a_drag_while_a_long_cell_runs_is_drawn_at_its_end_at_the_latest(browser, lab):
    cells = "import time\nfrom posenc_lib import explore", "explore('sinusoidal')", "print('begun')\ntime.sleep(3)"
    notebook(lab.folder / "long_cell.ipynb", *cells)
    with opened(browser, lab("long_cell.ipynb")) as lesson:
        lesson.choose("Run", "Run All Cells")
        lesson.page.get_by_text("begun", exact=True).wait_for()
        lesson.page.wait_for_selector("img.widget-image")
        explorer = lesson.explorers()[0]
        before, slider = explorer.picture(), hold_first(lesson, 0.9)
        lesson.page.mouse.up()
        assert lesson.page.evaluate(STATUS) == "busy"
        explorer.wait_until(lambda seen: seen != before)
        lesson.finish()
        explorer.settled()
        assert f"seq_len {slider.readout.inner_text()}," in explorer.words()
        all_alive(lesson)


def test_interrupts_in_the_middle_of_a_drag_leave_no_traceback(lesson, lab):
    chance, process, explorer = random.Random(5), kernel(lab, "trouble.ipynb"), lesson.explorers()[0]
    first, slider = explorer.settled(), hold_first(lesson, 0.5)
    track = slider.track.bounding_box()
    for _ in range(60):
        lesson.page.mouse.move(track["x"] + chance.random() * track["width"], track["y"])
        lesson.page.wait_for_timeout(chance.randrange(30))
        process.send_signal(signal.SIGINT)  # what the button Interrupt makes of the server
    lesson.page.mouse.up()
    all_alive(lesson)
    explorer.settled()
    assert f"{slider.name} {slider.readout.inner_text()}," in explorer.words()
    explorer.press("Reset")
    explorer.wait_until(lambda seen: seen == first)
