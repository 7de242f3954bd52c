"""What goes wrong in front of a class: the page says what happened, and Run All Cells brings everything back."""

import json
import random
import shutil
import signal
import urllib.request

import psutil
import pytest

from .lab import ROOT
from .lesson_page import BEGUN, FINISHED, READY, STATUS, LessonPage, notebook

pytestmark = pytest.mark.slow

FIRST = ("import time\nfrom posenc_lib import explore", "explore('sinusoidal')")
STORED = ".jp-OutputArea-output[data-mime-type='text/html'] img"
TEXT = "() => document.querySelector('.jp-NotebookPanel').innerText"
OVER = "() => [...document.querySelectorAll('.jp-OutputArea-output')].some(o => o.innerText.includes('is over'))"
SAID = """() => [...document.querySelectorAll('.jp-OutputArea-output > .jupyter-widgets-disconnected')]
    .map(box => getComputedStyle(box, '::before').content)"""  # what stands above sliders without a kernel


@pytest.fixture(scope="module")
def opened(browser, lab):
    shutil.copy(ROOT / "notebooks/03_binary.ipynb", lab.folder / "trouble.ipynb")
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    yield LessonPage(page, lab("trouble.ipynb"))
    page.close()


@pytest.fixture
def lesson(opened):
    """A lesson that was run; a test may leave it in ruins, since Run All Cells mends it for the next."""
    opened.run_all()
    yield opened
    opened.page.mouse.up()
    assert opened.errors == []


@pytest.fixture
def small(browser, lab, request):
    """Open a notebook of one explorer, and of the cells that a test adds; a second time, open it again."""
    lessons, name = [], f"{request.node.name[-40:]}.ipynb"

    def new(*cells):
        if not lessons:
            notebook(lab.folder / name, *FIRST, *cells)
        page = browser.new_page(viewport={"width": 1280, "height": 1100})
        lessons.append(LessonPage(page, lab(name)))
        return lessons[-1], name

    yield new
    for one in lessons:
        assert one.errors == []
        one.page.close()


def hold(slider, fraction):
    """Press the mouse on a slider's handle and move it, without letting go."""
    slider.handle.scroll_into_view_if_needed()
    start, track = slider.handle.bounding_box(), slider.track.bounding_box()
    slider.page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    slider.page.mouse.down()
    slider.page.mouse.move(track["x"] + fraction * track["width"], start["y"] + start["height"] / 2, steps=6)


def choose(page, menu, item):
    """Choose from JupyterLab's menu."""
    page.click(f".lm-MenuBar-itemLabel:text-is('{menu}')")
    page.click(f".lm-Menu-itemLabel:text-is('{item}')")


def kernel(lab, name):
    """Return the process of a notebook's kernel, found by the id that the server gives it."""
    server, token = lab("").split("/doc/tree/?token=")
    with urllib.request.urlopen(f"{server}/api/sessions?token={token}") as answer:
        number = next(one["kernel"]["id"] for one in json.load(answer) if one["path"] == name)
    return next(p for p in psutil.process_iter(["cmdline"]) if number in " ".join(p.info["cmdline"] or []))


def all_alive(lesson):
    """Move the first slider of every explorer, and expect a new picture and no complaint."""
    explorers = [explorer for explorer in lesson.explorers() if explorer.sliders()]
    assert explorers
    for explorer in explorers:
        moves(explorer)
        assert explorer.trouble() == ""
    assert lesson.complaints() == []
    assert "Error displaying" not in lesson.page.evaluate(TEXT)


def moves(explorer):
    """Move an explorer's first slider by a key, and expect another picture."""
    slider, before = explorer.sliders()[0], explorer.settled()
    slider.press("ArrowLeft" if slider.fraction() == 1 else "ArrowRight")
    explorer.wait_until(lambda seen: seen != before)


def says_that_the_sliders_are_lost(lesson):
    """Expect above every explorer a line that says so and what to do, and the last picture below it."""
    lesson._must_hold(READY, 30, "the kernel did not come back")
    said = lesson.page.evaluate(SAID)
    assert len(said) == len(lesson.explorers()) >= 1
    assert all("Run All Cells" in line for line in said), said
    assert lesson.complaints() == []


def test_after_a_reload_in_the_middle_of_a_drag_the_stored_pictures_are_back(lesson, lab):
    before = kernel(lab, "trouble.ipynb").pid
    hold(lesson.explorers()[0].sliders()[0], 0.5)
    lesson.page.reload()
    lesson._must_hold(READY, 60, "no kernel was ready")
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
    choose(lesson.page, "Kernel", "Restart Kernel…")
    lesson.page.click(".jp-Dialog button.jp-mod-accept")
    lesson.page.wait_for_selector(".jupyter-widgets-disconnected")
    explorer.sliders()[0].drag_to(0.1)
    assert explorer.settled() == last
    says_that_the_sliders_are_lost(lesson)
    lesson.run_all()
    assert lesson.page.evaluate(SAID) == []
    all_alive(lesson)


def test_a_kernel_killed_in_the_middle_of_a_drag_is_told(lesson, lab):
    hold(lesson.explorers()[0].sliders()[0], 0.1)
    kernel(lab, "trouble.ipynb").kill()
    dialog = lesson.page.wait_for_selector(".jp-Dialog", timeout=20_000)
    assert "appears to have died. It will restart automatically." in dialog.inner_text()
    lesson.page.mouse.up()
    lesson.page.click(".jp-Dialog button.jp-mod-accept")
    says_that_the_sliders_are_lost(lesson)
    lesson.run_all()
    all_alive(lesson)


def test_outputs_cleared_while_a_slider_moves_are_gone_without_a_word(lesson):
    hold(lesson.explorers()[0].sliders()[0], 0.1)
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
    choose(lesson.page, "Run", "Run All Cells")
    choose(lesson.page, "Run", "Run All Cells")
    lesson._must_hold(BEGUN, 20, "nothing began to run")
    lesson._must_hold(FINISHED, 60, "the notebook did not finish")
    lesson.page.wait_for_timeout(500)
    assert len(lesson.explorers()) == 4
    all_alive(lesson)


def test_a_saved_notebook_closed_in_the_middle_of_a_drag_comes_back(small, lab):
    first, name = small()
    first.run_all()
    slider = first.explorers()[0].sliders()[0]
    hold(slider, 0.8)
    first.page.keyboard.press("Control+s")
    first.explorers()[0].settled()
    value = slider.readout.inner_text()
    first.page.close()
    second, _ = small()
    second.page.wait_for_selector("img.widget-image")
    assert f"seq_len {value}," in second.explorers()[0].words()
    all_alive(second)  # nobody has run anything
    kernel(lab, name).kill()
    second.page.click(".jp-Dialog button.jp-mod-accept", timeout=20_000)
    second.page.close()
    third, _ = small()
    third.run_all()
    all_alive(third)


def test_a_drag_while_a_long_cell_runs_is_drawn_when_it_ends(small, record_property):
    lesson, _ = small("print('begun')\ntime.sleep(3)\nprint('the cell is over')")
    choose(lesson.page, "Run", "Run All Cells")
    lesson.page.get_by_text("begun", exact=True).wait_for()
    lesson.page.wait_for_selector("img.widget-image")
    explorer = lesson.explorers()[0]
    slider, before = explorer.sliders()[0], explorer.picture()
    slider.drag_to(0.9, steps=40)
    assert lesson.page.evaluate(STATUS) == "busy"
    explorer.wait_until(lambda seen: seen != before)
    over = lesson.page.evaluate(OVER)
    lesson._must_hold(FINISHED, 20, "the cell did not end")
    explorer.settled()
    assert f"seq_len {slider.readout.inner_text()}," in explorer.words()
    all_alive(lesson)
    record_property("drag during a long cell", f"first new picture {'after its end' if over else 'before its end'}")


def test_interrupts_in_the_middle_of_a_drag_leave_no_traceback(small, lab):
    (lesson, name), chance = small(), random.Random(5)
    lesson.run_all()
    explorer, process = lesson.explorers()[0], kernel(lab, name)
    slider, first = explorer.sliders()[0], explorer.settled()
    track = slider.track.bounding_box()
    hold(slider, 0.5)
    for _ in range(60):
        lesson.page.mouse.move(track["x"] + chance.random() * track["width"], track["y"])
        lesson.page.wait_for_timeout(chance.randrange(30))
        process.send_signal(signal.SIGINT)  # what the button Interrupt makes of the server
    lesson.page.mouse.up()
    all_alive(lesson)
    explorer.settled()
    assert f"seq_len {slider.readout.inner_text()}," in explorer.words()
    explorer.press("Reset")
    explorer.wait_until(lambda seen: seen == first)
