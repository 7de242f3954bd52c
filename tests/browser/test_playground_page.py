"""The playground in JupyterLab, in Notebook 7 and as an app: mouse, keyboard alone, play, projector."""

import pytest

from .lab import jupyterlab
from .lesson_page import PICTURE, ExplorerOnPage, opened

NAMED = """() => {
    const at = document.activeElement;
    const label = at.closest(':has(> .widget-label)')?.querySelector('.widget-label');
    return `${(label ?? at).innerText} ${at.innerText ?? ''}|${at.getAttribute('role') ?? at.type ?? at.tagName}`;
}"""
BUTTONS = ("Reset", "Save PNG", "Save SVG", "Save GIF", "Line to share", "Figures command", "Scorecard", "Projector")
SLIDERS = ("seq_len", "d_model", "base", "query", "x_dim", "y_dim", "interleaved")


class Ground(ExplorerOnPage):
    """A playground on a page."""

    def __init__(self, page):
        super().__init__(page, page.wait_for_selector(f".posenc:has({PICTURE})", timeout=90_000))

    def choose(self, label, option):
        self.page.locator(f".widget-dropdown:has(label:text-is('{label}')) select").select_option(label=option)

    def has(self, text):
        self.page.get_by_text(text).first.wait_for(timeout=15_000)

    def use(self):
        """Do what a teacher does: choose, compare, open a preset, get the line, show scores."""
        seen = [self.settled()]
        for label, option, told in (
            ("A", "ALiBi · adds to scores", "drawn is the numbers it adds to the scores"),
            ("B", "Rotary (RoPE) · turns queries and keys", "Rotary (RoPE): drawn is one query and one key"),
            ("show", "base 100 wraps", "With a small base these waves come round"),
        ):
            self.choose(label, option)
            self.has(told)
            seen.append(self.settled())
        assert len(set(seen)) == 4
        self.press("Line to share")
        self.has("sinusoidal: trajectory, heatmap, dot_product; seq_len=48")
        self.press("Scorecard")
        self.has("sinusoidal: 7 of 7")


@pytest.fixture(scope="module")
def lesson(browser, lab):
    with opened(browser, lab("playground.ipynb")) as lesson:
        yield lesson


@pytest.fixture
def ground(lesson):
    lesson.run_all()
    return Ground(lesson.page)


def test_in_jupyterlab(ground):
    ground.use()
    ground.press("Projector")
    ground.page.wait_for_selector(".posenc-large .posenc-large")
    ground.settled()
    words = ground.page.locator(".posenc-large [role=status]").first
    assert float(words.evaluate("e => parseFloat(getComputedStyle(e).fontSize)")) >= 18
    ground.press("Projector")  # and at a desk again
    ground.page.wait_for_selector(".posenc-large", state="detached")


def test_the_keyboard_alone_reaches_and_moves_everything(ground):
    page, slider, reached, values = ground.page, ground.sliders()["seq_len"], [], []
    first, before = page.locator(".widget-dropdown select").first, ground.settled()
    first.focus()
    while len(reached) < 60 and "Projector" not in "".join(reached):
        reached.append(page.evaluate(NAMED))
        if "slider" in reached[-1] and "seq_len" in reached[-1]:
            for key in ("Home", "ArrowRight", "PageUp", "PageDown", "ArrowLeft", "End"):  # those that lesson 00 names
                page.keyboard.press(key)
                assert ground.settled() != before
                values.append(int(slider.readout.inner_text()))
        page.keyboard.press("Tab")
    told = " ".join(reached)
    assert [name for name in (*SLIDERS, *BUTTONS) if name not in told] == []
    assert sum("select-one" in what for what in reached) >= 8  # A, B, three views, presets, play, speed
    home, right, up, down, left, end = values
    assert (home, right, end) == (2, 3, 256)
    assert left + 1 == down < up - 1 > right
    first.focus()
    for key in ("Alt+ArrowDown", "ArrowDown", "Enter"):  # a plain arrow is JupyterLab's: it leads to the next cell
        page.keyboard.press(key)
    ground.has("Learned, untrained: drawn is")


def test_after_a_fast_drag_the_words_are_those_of_the_last_value_and_it_is_saved(ground, lab):
    slider = ground.sliders()["seq_len"]
    slider.drag_to(0.95, steps=60)
    ground.settled()
    ground.has(f"Table: {slider.readout.inner_text()} positions")
    ground.press("Save PNG")
    ground.has("Saved as sinusoidal_seq_len-")
    (saved,) = lab.folder.glob(f"sinusoidal_seq_len-{slider.readout.inner_text()}_*.png")
    assert saved.read_bytes().startswith(b"\x89PNG")
    assert ground.said("alert") == ""


def test_play_moves_the_picture_and_does_not_pile_up(ground):
    ground.choose("play", "query")
    ground.choose("speed", "fast")
    start, slider, play = ground.settled(), ground.sliders()["query"], ground.page.locator(".widget-play button").first
    play.click()
    ground.page.wait_for_timeout(2500)
    assert int(slider.readout.inner_text()) >= 12
    play.click()
    ground.page.wait_for_timeout(400)
    rest = slider.readout.inner_text()
    assert ground.settled() != start
    ground.page.wait_for_timeout(1000)
    assert slider.readout.inner_text() == rest  # nothing was waiting in line


@pytest.mark.slow
def test_in_notebook_7(browser, lab, tmp_path):
    with (
        jupyterlab(lab.folder, tmp_path, "jupyter notebook", "notebooks/") as address,
        opened(browser, address("playground.ipynb")) as lesson,
    ):
        lesson.errors.clear()  # what Notebook says about itself while it loads
        lesson.run_all()
        Ground(lesson.page).use()


@pytest.mark.slow
def test_as_an_app(browser, lab, tmp_path):
    page, errors = browser.new_page(viewport={"width": 1280, "height": 1000}), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    with jupyterlab(lab.folder.parent, tmp_path, "voila notebooks/playground.ipynb", "") as address:
        page.goto(address(""))
        Ground(page).use()
    assert errors == []
    page.close()
