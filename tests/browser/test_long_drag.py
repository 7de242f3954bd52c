"""What a page bears: a thousand drags without growing, two lessons side by side, and the file of a stranger."""

import json
import shutil

import psutil
import pytest

from posenc_lib import explore

from .lab import ROOT
from .lesson_page import READY, LessonPage, notebook
from .test_trouble import choose, moves

pytestmark = pytest.mark.slow

MB = 1e6
HELD = ("MB, heap of the page", "MB, process of the page", "MB, kernel", "values")
CELLS = (
    "import os\nfrom posenc_lib import explore",
    "heard = []\npanel = explore('sinusoidal', views='dot_product')\n"
    "panel.sliders['query'].observe(heard.append, 'value')\npanel",
    "print(os.getpid(), len(heard))",
)
BLOBS = """(() => {
    const [make, drop] = [URL.createObjectURL, URL.revokeObjectURL];
    [window.made, window.kept] = [0, new Set()];
    URL.createObjectURL = blob => { const url = make.call(URL, blob); made += 1; kept.add(url); return url; };
    URL.revokeObjectURL = url => { kept.delete(url); drop.call(URL, url); };
})()"""
AGAIN = """before => {
    const now = [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].at(-1).innerText;
    return /[0-9]/.test(now) && now !== before;
}"""
TOLD = "() => [...document.querySelectorAll(`[data-mime-type='application/vnd.jupyter.stdout']`)].at(-1).innerText"


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    yield page
    page.close()


class Load:
    """The panel that is dragged, and what the page and its kernel hold."""

    def __init__(self, lesson, browser):
        self.lesson, self.page, self.drags = lesson, lesson.page, 0
        self.slider = next(s for s in lesson.explorers()[0].sliders() if s.name == "query")
        self.inspector = self.page.context.new_cdp_session(self.page)
        self.inspector.send("HeapProfiler.enable")
        system = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
        renderers = [psutil.Process(one["id"]) for one in system if one["type"] == "renderer"]
        self.renderer = max(renderers, key=lambda process: process.memory_info().rss)

    def drag(self, times: int) -> None:
        """Press the mouse on the handle, move it and let go, so many times, to places all along the track."""
        self.slider.handle.scroll_into_view_if_needed()
        handle, track = self.slider.handle.bounding_box(), self.slider.track.bounding_box()
        mouse, y = self.page.mouse, handle["y"] + handle["height"] / 2
        mouse.move(handle["x"] + handle["width"] / 2, y)
        for _ in range(times):
            self.drags += 1
            mouse.down()
            mouse.move(track["x"] + (0.05 + self.drags * 37 % 90 / 100) * track["width"], y, steps=2)
            mouse.up()

    def told(self) -> tuple[int, int]:
        """Run the last cell: return the kernel's process and how many values have reached it."""
        self.lesson.explorers()[0].settled()
        last = self.page.locator(".jp-CodeCell").last
        before = last.locator(".jp-InputPrompt").inner_text()
        last.locator(".jp-InputPrompt").click()
        self.page.keyboard.press("Control+Enter")
        self.page.wait_for_function(AGAIN, arg=before)
        process, heard = self.page.evaluate(TOLD).split()
        return int(process), int(heard)

    def held(self) -> dict:
        """Return what is in memory (the heap after a collection), in MB, and how many values the kernel has heard."""
        kernel, heard = self.told()
        self.inspector.send("HeapProfiler.collectGarbage")
        heap = self.inspector.send("Runtime.getHeapUsage")["usedSize"]
        sizes = (heap, self.renderer.memory_info().rss, psutil.Process(kernel).memory_info().rss)
        return dict(zip(HELD, [*(size / MB for size in sizes), heard], strict=True))


def test_a_thousand_drags_do_not_make_the_page_grow(browser, lab, page, record_property):
    notebook(lab.folder / "long.ipynb", *CELLS)
    page.add_init_script(BLOBS)
    lesson = LessonPage(page, lab("long.ipynb"))
    lesson.run_all()
    load = Load(lesson, browser)
    load.drag(50)
    held = [load.held()]
    for _ in range(4):
        load.drag(250)
        held.append(load.held())
    made, kept = page.evaluate("() => [made, kept.size]")
    for name in HELD:
        record_property(f"long drag, {name}", " → ".join(f"{now[name]:.0f}" for now in held))
    record_property("long drag, total", f"{load.drags} drags; {made} pictures made, {kept} kept")
    assert held[-1]["MB, heap of the page"] - held[0]["MB, heap of the page"] < 50
    assert held[-1]["MB, kernel"] - held[0]["MB, kernel"] < 50
    assert made > 300  # a busy page asks for some pictures only
    assert kept <= 10  # the picture in sight, and what JupyterLab itself keeps
    assert f"Dot products of position {load.slider.readout.inner_text()}:" in lesson.explorers()[0].words()
    assert lesson.complaints() == []


def test_two_lessons_in_one_lab_do_not_move_each_other(lab, page):
    names = ("side_03.ipynb", "side_04.ipynb")
    for name, source in zip(names, ("03_binary.ipynb", "04_sine.ipynb"), strict=True):
        shutil.copy(ROOT / "notebooks" / source, lab.folder / name)
    lesson = LessonPage(page, lab(names[0]).replace("/doc/tree/", "/lab/tree/"))
    lesson.run_all()
    ours = [explorer for explorer in lesson.explorers() if explorer.sliders()]
    choose(page, "File", "Open from Path…")
    page.fill(".jp-Dialog input", names[1])
    page.click(".jp-Dialog button.jp-mod-accept")
    page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) h1:has-text('04 · Sine')").wait_for()
    page.wait_for_function(READY.replace("document", "document.querySelector('.jp-NotebookPanel:not(.lm-mod-hidden)')"))
    lesson.run_all()
    theirs = [explorer for explorer in lesson.explorers()[len(ours) :] if explorer.sliders()]
    assert len(theirs) >= 2
    for those, others in ((theirs, ours), (ours, theirs)):
        still = [other.settled() for other in others]
        for explorer in those:
            moves(explorer)
        assert [other.settled() for other in others] == still
        page.click(f".lm-TabBar-tabLabel:text-is('{names[0]}')")
    assert lesson.complaints() == []


def test_the_file_of_a_stranger_shows_its_words_and_pictures(lab, page):
    shutil.copy(ROOT / "notebooks/05_sinusoidal.ipynb", lab.folder / "stranger.ipynb")
    book = json.loads((lab.folder / "stranger.ipynb").read_text(encoding="utf-8"))
    outputs = [output for cell in book["cells"] for output in cell.get("outputs", [])]
    images = [output for output in outputs if "image/png" in output.get("data", {})]
    lesson = LessonPage(page, lab("stranger.ipynb"))
    code = sum(cell["cell_type"] == "code" for cell in book["cells"])
    trust = page.locator(f"[title='Notebook not trusted: 0 of {code} code cells trusted.']")
    trust.wait_for()
    page.wait_for_function(f"() => document.querySelectorAll('.jp-OutputArea-output img').length === {len(images)}")
    assert page.locator(".jp-OutputArea-output").count() == len(outputs)
    for picture in page.query_selector_all(".jp-OutputArea-output img"):
        picture.scroll_into_view_if_needed()
        assert picture.is_visible()
        assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 600
    words = ["".join(output["text"]).strip() for output in outputs if output["output_type"] == "stream"]
    shown = page.locator(".jp-RenderedText").all_text_contents()
    assert [text.strip() for text in shown] == words
    told = page.locator(".jp-OutputArea-output img + p").all_text_contents()
    assert told == ["".join(output["data"]["text/plain"]) for output in images]
    answer = page.locator("details").first
    answer.locator("summary").click()
    assert len(answer.inner_text()) > len(answer.locator("summary").inner_text()) + 20
    assert page.locator("details").count() >= 4
    assert lesson.complaints() == []
    assert "Error displaying" not in page.inner_text(".jp-NotebookPanel")


def test_an_interrupt_in_the_middle_of_a_drawing_leaves_no_old_axes(monkeypatch):
    panel, fresh = explore("sinusoidal"), explore("sinusoidal")

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as now:
        now.setattr(panel._stage.panel.views[-1], "set_data", interrupted)
        with pytest.raises(KeyboardInterrupt):
            panel.sliders["seq_len"].value = 100
    for one in (panel, fresh):
        one.set(seq_len=100, query=11)  # the hand goes on
    assert panel._picture.value == fresh._picture.value


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_no_stored_output_needs_trust(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    kinds = {kind for output in outputs for kind in output.get("data", {output.get("name"): ""})}
    assert kinds <= {"stdout", "text/html", "text/plain", "image/png"}  # of HTML JupyterLab keeps what does no harm
    assert "image/png" in kinds
