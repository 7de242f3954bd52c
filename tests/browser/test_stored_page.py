"""What a reader without a kernel finds: pictures, their words, a kept answer; and the dark page."""

import nbformat
import pytest
from playwright.sync_api import TimeoutError as Late

from posenc_lib.__main__ import main

from .lesson_page import notebook, opened, pictures_are_there, stored

pytestmark = pytest.mark.slow

SOURCES = [
    "from posenc_lib import explore, figure",
    'figure("sine_waves")',
    'explore("sinusoidal", views="dot_product", seq_len=32, d_model=16, base=100.0, guess=True)',
]
FOLD = "<details><summary>Answer</summary>\n\n![What it does](attachment:answer.png)\n\nIt falls.\n"
STILL = ".jp-RenderedImage img"
IMAGES = ".jp-Notebook img"
FILTER = "image => getComputedStyle(image).filter"
TURNED = "invert(0.93) hue-rotate(180deg)"


@pytest.fixture(scope="module")
def path(lab):
    path = lab.folder / "stored.ipynb"
    notebook(path, *SOURCES)
    book = nbformat.read(path, as_version=4)
    book.cells.append(nbformat.v4.new_markdown_cell(f"{FOLD}</details>"))
    nbformat.write(book, path)
    assert main(["notebooks", str(path)]) == 0
    return path


def test_what_is_stored_is_seen_and_in_the_dark_it_turns_with_the_first_picture(browser, lab, path):
    with opened(browser, lab(path.name, "lab/tree/")) as lesson:
        page = lesson.page
        page.locator("[title^='Notebook not trusted: 0 of']").wait_for()
        words, _, _ = stored(path)
        assert len(words) == 2
        pictures_are_there(page, words, alts=False)
        for told in page.locator(".jp-OutputArea details").all():
            assert not told.locator("p").is_visible()
            told.locator("summary").click()
            assert len(told.locator("p").inner_text()) > 20
        answer = page.locator(".jp-MarkdownOutput details")
        assert not answer.locator("img").is_visible()
        answer.locator("summary").click()
        assert answer.locator("img").get_attribute("alt") == "What it does"
        whole = "document.querySelector('.jp-MarkdownOutput img').naturalWidth === 856"
        page.wait_for_function(whole)
        assert answer.locator("img").is_visible()
        lesson.choose("Settings", "Theme", "JupyterLab Dark")
        page.wait_for_function("document.body.dataset.jpThemeLight === 'false'")
        assert page.locator(STILL).count() == 2
        assert page.locator(STILL).last.evaluate(FILTER) == "none"  # nothing of ours has run
        page.locator(".jp-InputPrompt").first.click()
        for _ in SOURCES[:2]:
            page.keyboard.press("Shift+Enter")
        # the figure that was drawn, the panel that is stored, the answer
        count = "document.querySelectorAll('{}').length === {}"
        page.wait_for_function(f"{count.format(STILL, 1)} && {count.format(IMAGES, 3)}")
        turned = page.locator(IMAGES).all()
        # a figure brings its own dark picture, the others are turned
        looks = "[one.style.cssText.includes('--dark'), getComputedStyle(one).filter]"
        looks = f"[...document.querySelectorAll('{IMAGES}')].map(one => {looks})"
        every = f"{looks}.every(([own, filter]) => filter === (own ? 'none' : '{TURNED}'))"
        try:
            page.wait_for_function(every)
        except Late:
            raise AssertionError(page.evaluate(looks)) from None
        lesson.choose("Settings", "Theme", "JupyterLab Light")
        page.wait_for_function("document.body.dataset.jpThemeLight === 'true'")
        assert [image.evaluate(FILTER) for image in turned] == ["none"] * 3
