"""The playground in JupyterLab, in Notebook 7 and as an app: mouse, keyboard alone, play, projector."""

import importlib.util
import shutil

import pytest

from .lab import ROOT, jupyterlab, voila
from .lesson_page import CELL, FINGERPRINT, PICTURE, LessonPage

NAMED = """() => {
    const at = document.activeElement;
    const label = at.closest(':has(> .widget-label)')?.querySelector('.widget-label');
    const kind = at.getAttribute('role') ?? at.type ?? at.tagName;
    return `${(label ?? at).innerText} ${at.innerText ?? ''}|${kind}`;
}"""


class Ground:
    """A playground on a page."""

    def __init__(self, page):
        self.page = page
        self.page.wait_for_selector(PICTURE, timeout=90_000)

    def picture(self):
        """Return a fingerprint of the first picture once it has come to rest."""
        before = None
        for _ in range(100):
            image = self.page.locator(PICTURE).first
            now = image.evaluate(FINGERPRINT) if image.evaluate("i => i.complete && i.naturalWidth > 0") else None
            if now and now == before:
                return now
            before = now
            self.page.wait_for_timeout(150)
        raise AssertionError("the picture never came to rest")

    def choose(self, label, option):
        """Choose an option of a list by its label."""
        self.page.locator(f".widget-dropdown:has(label:text-is('{label}')) select").select_option(label=option)

    def has(self, text):
        """Wait until the page says something."""
        self.page.get_by_text(text).first.wait_for(timeout=15_000)

    def use(self):
        """Do what a teacher does: choose, compare, open a preset, get the line, show scores."""
        seen = [self.picture()]
        self.choose("A", "ALiBi · adds to scores")
        self.has("drawn is the numbers it adds to the scores")
        seen.append(self.picture())
        self.choose("B", "Rotary (RoPE) · turns queries and keys")
        self.has("Rotary (RoPE): drawn is one query and one key")
        seen.append(self.picture())
        self.choose("show", "base 100 wraps")
        self.has("With a small base these waves come round")
        seen.append(self.picture())
        assert len(set(seen)) == 4
        self.page.get_by_role("button", name="Line to share").click()
        self.has("sinusoidal: trajectory, heatmap, dot_product; seq_len=48")
        self.page.get_by_role("button", name="Scorecard").click()
        self.has("sinusoidal: 7 of 7")


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.complaints = []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    yield page
    assert page.complaints == []
    page.close()


def opened(page, address):
    lesson = LessonPage(page, address)
    lesson.run_all()
    assert lesson.complaints() == []
    return Ground(page)


def test_in_jupyterlab(page, lab):
    ground = opened(page, lab("playground.ipynb"))
    ground.use()
    page.get_by_role("button", name="Projector").click()
    page.wait_for_selector(".posenc-large .posenc-large")
    ground.picture()
    words = page.locator(".posenc-large [role=status]").first
    assert float(words.evaluate("e => parseFloat(getComputedStyle(e).fontSize)")) >= 18


def test_the_keyboard_alone_reaches_and_moves_everything(page, lab):
    ground = opened(page, lab("playground.ipynb"))
    before = ground.picture()
    page.locator(".widget-dropdown select").first.focus()
    reached, shown = [], [before]
    for _ in range(60):
        what = page.evaluate(NAMED)
        reached.append(what)
        if "slider" in what and "seq_len" in what:
            page.keyboard.press("ArrowRight")
            page.get_by_text("seq_len 65").first.wait_for()  # the words follow the picture
            shown.append(ground.picture())
        page.keyboard.press("Tab")
        if "Projector" in what:
            break
    assert len(set(shown)) == 2, " ".join(reached)
    told = " ".join(reached)
    for name in ("seq_len", "d_model", "base", "query", "x_dim", "y_dim", "interleaved"):
        assert name in told
    for name in (
        "Reset",
        "Save PNG",
        "Save SVG",
        "Save GIF",
        "Line to share",
        "Figures command",
        "Scorecard",
        "Projector",
    ):
        assert name in told
    assert sum("select-one" in what for what in reached) >= 8  # A, B, three views, presets, play, speed
    page.locator(".widget-dropdown select").first.focus()
    page.keyboard.press("Alt+ArrowDown")  # a plain arrow is JupyterLab's: it leads to the next cell
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    ground.has("Learned, untrained: drawn is")


def test_play_moves_the_picture_and_does_not_pile_up(page, lab):
    ground = opened(page, lab("playground.ipynb"))
    ground.choose("play", "query")
    ground.choose("speed", "fast")
    start = ground.picture()
    page.locator(".widget-play button").first.click()
    page.wait_for_timeout(2500)
    readout = page.locator(".widget-hslider:has(label:text-is('query')) .widget-readout")
    at = int(readout.inner_text())
    assert at >= 12
    page.locator(".widget-play button").first.click()
    page.wait_for_timeout(400)
    rest = readout.inner_text()
    assert ground.picture() != start
    page.wait_for_timeout(1000)
    assert readout.inner_text() == rest  # nothing was waiting in line


@pytest.mark.slow
@pytest.mark.skipif(not importlib.util.find_spec("notebook"), reason="Notebook 7 is not installed")
def test_in_notebook_7(page, tmp_path):
    folder, home = tmp_path / "served", tmp_path / "home"
    home.mkdir()
    shutil.copytree(ROOT / "notebooks", folder)
    with jupyterlab(folder, home, "notebook") as address:
        page.goto(address("playground.ipynb"))
        page.wait_for_selector(CELL, timeout=60_000)
        page.wait_for_selector(
            ".jp-NotebookKernelStatus, .jp-Notebook-ExecutionIndicator", state="attached", timeout=60_000
        )
        page.wait_for_timeout(3000)
        page.complaints.clear()  # what Notebook says about itself while it loads
        page.click(".lm-MenuBar-itemLabel:text-is('Run')")
        page.click(".lm-Menu-itemLabel:text-is('Run All Cells')")
        Ground(page).use()


@pytest.mark.slow
@pytest.mark.skipif(not importlib.util.find_spec("voila"), reason="the extra `voila` is not installed")
def test_as_an_app(page, tmp_path):
    with voila(ROOT / "notebooks/playground.ipynb", tmp_path) as address:
        page.goto(address)
        Ground(page).use()
