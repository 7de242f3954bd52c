"""Lessons in the browser edition: all cells, what a reader does there, and what stays of it.

CI takes three lessons and a third of what else is tried; POSENC_LITE=all takes every notebook.
"""

import ast
import contextlib
import io
import os
from pathlib import Path

import nbformat
import pytest

from posenc_lib.lessons.lesson_16.real_model import GET, WITHOUT

from ..browser.lab import in_firefox
from ..browser.lesson_page import DRAWN, PICTURE, LessonPage
from ..conftest import ROOT, todays

pytestmark = [pytest.mark.slow, pytest.mark.lite]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
MOVED, DONE = ["00_start_here", "06_rope"], "05_sinusoidal"  # whose sliders move; what is done
REST = [path.stem for path in NOTEBOOKS if path.stem not in (*MOVED, DONE)]
ALL = os.environ.get("POSENC_LITE") == "all"
REST = REST if ALL else []
PATIENCE = 300_000  # ms: on a busy machine Python takes minutes to start
STATUS = "document.querySelector('#posenc-status')?.textContent.startsWith(\"{}\")"
LIVE = STATUS.format("It's live")
BOOK = "jupyterapp.shell.currentWidget"
TORCH = "PyTorch doesn't run in a browser: just read this cell."
MODEL = f"The model itself doesn't run in a browser. Here {WITHOUT}"
WRONG = "def shifted(row, offset):\n    return 0\n\n\ncheck('shifted', shifted)"
STORED = "document.querySelector('.jp-OutputArea-output img')"
ENTRIES = "Object.keys(localStorage).filter(key => key.startsWith('posenc-')).length"
IN_FIREFOX = """async frame => {
    const page = () => frame.contentDocument;
    const until = async is => {
        for (let k = 0; k < 2400 && !is(); k++) await new Promise(go => setTimeout(go, 50));
        return is();
    };
    const canvas = () => page().querySelector(".posenc-picture canvas[data-frame]");
    await until(canvas);
    const handle = page().querySelector(".posenc .noUi-handle"), first = canvas().dataset.frame;
    const words = () => page().querySelector(".posenc [role=status]").textContent, was = words();
    handle.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true }));
    const moved = await until(() => canvas().dataset.frame !== first);
    return [moved, await until(() => words() !== was)];
}"""


class LitePage(LessonPage):
    """A lesson's page in the browser edition; noise is what it should not say, or ask for."""

    def __init__(self, page, address: str):
        page.on("request", self._asked)
        page.on("console", self._told)
        super().__init__(page, address)

    def _asked(self, request) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:")):
            self.noise.append(request.url)

    def _told(self, message) -> None:
        # what looks at pixels here is the test
        if message.type == "warning" and "willReadFrequently" not in message.text:
            self.noise.append(message.text)

    def ready(self) -> None:
        """Wait until the first picture is live."""
        self.page.set_default_timeout(PATIENCE)
        self.page.wait_for_function(LIVE)

    def run_rest(self) -> None:
        """Run all cells, as the menu does, and wait until all are run and drawn."""
        self.page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")
        self.page.wait_for_function(DRAWN)

    def complaints(self) -> list[str]:
        # a kept answer, which JupyterLab's Markdown asks for by name before it looks into the cell
        left = self.page.locator("img[src^='attachment:']").count()
        noise = [told for told in self.noise if left or "attachment:" not in told]
        return super().complaints() + noise

    def cells(self) -> list[dict]:
        return self.page.evaluate(f"{BOOK}.content.model.toJSON()")["cells"]


@contextlib.contextmanager
def opened(browser, address: str, **look):
    """Open a lesson in a browser that has never seen it; expect no complaint."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 1000}, **look})
    lesson = LitePage(context.new_page(), address)
    yield lesson
    assert lesson.complaints() == [], lesson.complaints()
    context.close()


def stored(name: str) -> list:
    return nbformat.read(ROOT / f"notebooks/{name}.ipynb", as_version=4).cells


def texts(cells) -> list[list[str]]:
    """Return of each code cell the words that it printed or showed."""
    outputs = [cell.get("outputs", []) for cell in cells if cell["cell_type"] == "code"]
    said = [[_words(output).strip() for output in each] for each in outputs]
    return [[words for words in each if words] for each in said]  # a bare picture's are below it


def _words(output) -> str:
    words = output.get("text") or output.get("data", {}).get("text/plain", "")
    return words if isinstance(words, str) else "".join(words)


def runs_as_in_python(lesson, name: str) -> None:
    """Run all cells; expect the sources of the repository, and what Python said, as stored, too."""
    here = stored(name)
    as_python(texts(lesson.cells()), texts(here))
    lesson.run_rest()
    there = lesson.cells()
    assert [cell["source"] for cell in there] == [cell.source for cell in here]
    as_python(texts(there), texts(here))


def as_python(there: list, here: list) -> None:
    """Expect the words of the repository, but for those about what no browser has."""
    for told, kept in zip(there, here, strict=True):
        browsers = [words.replace(GET, MODEL) for words in kept]
        assert told in (kept, browsers, [TORCH])


def panels(name: str):
    """Yield the panels of a lesson, made here by the cells that make them there."""
    names: dict = {}
    for cell in stored(name):
        if cell.cell_type != "code":
            continue
        *before, last = ast.parse(cell.source).body
        if not ast.unparse(last).startswith("explore("):
            before, last = [*before, last], None
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(ast.Module(before, []), name, "exec"), names)
        if last:
            yield eval(compile(ast.Expression(last.value), name, "eval"), names)


def to_end(slider) -> None:
    """Move a slider as the key End does."""
    if hasattr(slider, "max"):
        slider.value = slider.max
    else:
        slider.index = len(slider.options) - 1


def all_to_their_ends(there, here) -> None:
    """Press End on each slider; expect another picture, and the words of Python's panel."""
    for label, slider in there.sliders().items():
        if slider.asleep() or slider.fraction() == 1:
            continue
        before = there.settled()
        slider.handle.press("End")
        there.wait_until(lambda seen, before=before: seen != before)
        there.settled()
        to_end(here.sliders[label])
        assert here.sheet.seen in there.said()
    assert there.said("alert") == ""


@pytest.mark.parametrize("name", [*MOVED, *REST])
def test_a_lesson_says_what_python_says_and_sliders_move_it(browser, address, name):
    with opened(browser, f"{address}{name}.html") as lesson:
        runs_as_in_python(lesson, name)
        if name in MOVED:
            all_to_their_ends(lesson.explorers()[0], next(panels(name)))


def a_restarted_python_brings_the_page_back_to_life(browser, address):
    with opened(browser, f"{address}00_start_here.html") as lesson:
        lesson.ready()
        lesson.page.evaluate(f"{{ {BOOK}.sessionContext.restartKernel(); }}")
        lesson.page.wait_for_function(f"!{LIVE}")
        lesson.ready()
        all_to_their_ends(lesson.explorers()[0], next(panels("00_start_here")))


def drag(there, here) -> None:
    """Drag in the last picture; expect the words of Python's panel at the same query."""
    before = there.settled()
    there.drag((0.8, 0.5), (0.9, 0.5))
    there.wait_until(lambda seen: seen != before)
    there.settled()
    query = there.sliders()["query"].readout.inner_text()
    here.set(query=int(query.replace(",", "")))
    assert here.values["query"] > 0
    assert here.sheet.seen in there.said()


def asking(lesson):
    """Return the canvas that asks for a drawing, and its panel."""
    box = lesson.page.locator(".widget-vbox:has(> * .posenc-guess)").last
    return box.locator(PICTURE), box


def draw(lesson) -> str:
    """Draw with the arrow keys, press Show, and return how far off the drawing is."""
    canvas, panel = asking(lesson)
    for key in ["ArrowRight"] * 6 + ["ArrowUp"] * 3:
        canvas.press(key)
    panel.locator("button:text-is('Show')").first.click()
    return verdict(lesson)


def verdict(lesson) -> str:
    said = asking(lesson)[1].locator(".posenc-guess p").first
    lesson.page.wait_for_function("row => row.textContent", arg=said.element_handle())
    return said.inner_text()


def cell(lesson, words: str):
    """Return the last cell of code that has these words."""
    return lesson.page.locator(".jp-CodeCell", has_text=words).last


def test_what_a_reader_did_stays_until_the_page_is_started_over(browser, address):
    with opened(browser, f"{address}{DONE}.html") as lesson:
        page, asked = lesson.page, []
        page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
        runs_as_in_python(lesson, DONE)
        assert page.evaluate(ENTRIES) == 0  # nobody has changed anything
        first, *_, here, _ = panels(DONE)
        all_to_their_ends(lesson.explorers()[0], first)
        drag(lesson.explorers()[-2], here)
        told = draw(lesson)
        cell(lesson, "def shifted").locator(".cm-content").click()
        page.keyboard.press("Control+a")
        page.keyboard.insert_text(WRONG)
        page.keyboard.press("Shift+Enter")
        cell(lesson, "def shifted").locator("text=not yet:").wait_for()
        page.wait_for_function(f"{ENTRIES} >= 2")  # the drawing, and what was changed
        page.wait_for_function(f"!{BOOK}.context.model.dirty")
        page.reload()
        page.wait_for_function(STORED)  # before there's a Python
        assert page.locator("text=Loading widget").count() == 0
        lesson.ready()
        for words in ("return 0", "not yet:"):
            assert words in cell(lesson, "def shifted").inner_text()
        lesson.run_rest()
        assert verdict(lesson) == told
        assert asked == []
        with page.expect_navigation():
            page.click("#posenc-bar [name=restart]")
        page.wait_for_function(STORED)
        assert asked == ["confirm"]
        assert page.evaluate(ENTRIES) == 0
        assert [one["source"] for one in lesson.cells()] == [one.source for one in stored(DONE)]


def links_lead_on_to_the_playground_which_downloads_its_pictures(browser, address):
    with opened(browser, f"{address}{DONE}.html") as lesson:
        page = lesson.page
        lesson.ready()
        site = page.locator("#posenc-site").get_attribute("href")
        assert site.endswith(f"/{DONE}.html")
        link = page.locator(".jp-RenderedMarkdown a[href*='questions.md']").first
        link.hover()
        assert page.locator(f".jp-RenderedMarkdown a[href^='{address}questions.html']").count()
        page.locator(".jp-RenderedMarkdown a[href*='04_sine.ipynb']").first.click()
        page.wait_for_url("**/notebooks/index.html?path=04_sine.ipynb*")
        lesson.ready()
        assert page.title().startswith("04")
        page.locator("#posenc-bar a:text-is('Lessons')").click()
        page.locator("a[href='playground.html']").first.click()
        lesson.ready()
        lesson.explorers()[0].settled()  # its page has told that somebody looks
        page.get_by_role("button", name="▸ Save or share").click()
        for kind, begins in (("PNG", b"\x89PNG"), ("SVG", b"<?xml")):
            with page.expect_download() as coming:
                page.locator(f".posenc button:text-is('{kind}')").first.click()
            assert Path(coming.value.path()).read_bytes().startswith(begins)


def a_phone_has_a_live_picture_and_no_room_is_lost(browser, address):
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    with opened(browser, f"{address}00_start_here.html", **phone) as lesson:
        there = lesson.explorers()[0]
        for slider in there.sliders().values():
            there.step(slider)
        assert lesson.page.evaluate("document.documentElement.scrollWidth") <= 390
        assert lesson.page.locator(".jp-NotebookPanel").bounding_box()["y"] < 10


def a_loop_without_an_end_is_told_and_a_reload_does_not_run_it_again(browser, address):
    with opened(browser, f"{address}00_start_here.html") as lesson:
        page = lesson.page
        lesson.ready()
        lesson.run_rest()
        cell(lesson, "check").locator(".cm-content").click()
        page.keyboard.press("Control+a")
        page.keyboard.insert_text("while True: pass")
        page.keyboard.press("Shift+Enter")
        page.wait_for_function(STATUS.format("Python is busy"))
        page.wait_for_function(f"{ENTRIES} >= 2")  # what was changed, and which cell waits
        lesson.explorers()[0].box.scroll_into_view_if_needed()
        page.wait_for_timeout(2000)
        assert page.evaluate(STATUS.format("Python is busy"))
        page.wait_for_function(f"!{BOOK}.context.model.dirty")
        page.reload()
        lesson.ready()
        cell(lesson, "while True").scroll_into_view_if_needed()  # here others run
        page.wait_for_timeout(1000)
        all_to_their_ends(lesson.explorers()[0], next(panels("00_start_here")))


MORE = [
    a_loop_without_an_end_is_told_and_a_reload_does_not_run_it_again,
    a_restarted_python_brings_the_page_back_to_life,
    links_lead_on_to_the_playground_which_downloads_its_pictures,
    a_phone_has_a_live_picture_and_no_room_is_lost,
]


@pytest.mark.parametrize("holds", MORE if ALL else todays(MORE, 3), ids=lambda one: one.__name__)
def test_and_so_does_more_a_third_of_it_each_day(browser, address, holds):
    holds(browser, address)


def test_firefox_runs_a_lesson(edition):
    told, complaints = in_firefox(edition / "00_start_here.html", IN_FIREFOX)
    (edition / "frame.html").unlink()
    assert told == [True, True]
    assert complaints == []
