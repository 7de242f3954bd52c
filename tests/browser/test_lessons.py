"""Every notebook as a reader meets it by the README's command, as it is stored and then run; and as an exported page."""

import re
import subprocess
import sys
import urllib.parse

import nbformat
import pytest

from ..conftest import ROOT, copied
from .lab import jupyterlab
from .lesson_page import opened

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
IMAGES = """async () => {
    const images = [...document.images].filter(image => image.src.startsWith('data:image/png;base64,'));
    await Promise.all(images.map(image => image.decode()));
    return images.map(image => [image.naturalWidth, image.alt, image.parentElement.querySelector('p')?.textContent]);
}"""


def stored(path) -> tuple[list[str], list[str]]:
    """Return the words of the outputs that are pictures, and those of all others."""
    outputs = [output for cell in nbformat.read(path, as_version=4).cells for output in cell.get("outputs", [])]
    shown = [(o.get("text") or o.data["text/plain"], "image/png" in o.get("data", {})) for o in outputs]
    return [words for words, drawn in shown if drawn], [words for words, drawn in shown if not drawn]


def pictures_are_there(page, words: list[str]) -> None:
    """Expect a sharp picture for each of these, with words for those who cannot see it."""
    seen = page.evaluate(IMAGES)
    assert [told for *_, told in seen] == words
    assert all(width > 400 and len(alt) > 20 and len(told) > 40 for width, alt, told in seen)


def as_found(lesson, path) -> None:
    """Expect all that a file holds on the page, though nobody has trusted or run it."""
    page, (pictures, texts) = lesson.page, stored(path)
    page.locator("[title^='Notebook not trusted: 0 of']").wait_for()
    page.wait_for_function(
        f"() => document.querySelectorAll('.jp-OutputArea-output').length === {len(pictures + texts)}"
    )
    pictures_are_there(page, pictures)
    shown = page.locator(".jp-RenderedText").all_text_contents()
    assert [text.strip() for text in shown] == [text.strip() for text in texts]
    for answer in page.locator("details").all()[:1]:
        answer.locator("summary").click()
        assert len(answer.inner_text()) > len(answer.locator("summary").inner_text()) + 20
    for link in page.locator(".jp-RenderedMarkdown a").evaluate_all(
        "all => all.map(link => link.getAttribute('href'))"
    ):
        if not link.startswith(("http", "#")):
            target = (path.parent / urllib.parse.unquote(link).split("#")[0].split("?")[0]).resolve()
            assert target.is_relative_to(path.parent), f"{link} lies outside of what the server can reach"
            assert target.exists(), link
    assert lesson.noise == []


@pytest.mark.parametrize("name", [path.name for path in NOTEBOOKS])
def test_a_notebook_shows_what_is_stored_then_runs_and_every_slider_moves_its_picture(browser, lab, name):
    with opened(browser, lab(name, "lab/tree")) as lesson:
        as_found(lesson, lab.folder / name)
        lesson.run_all()
        assert lesson.complaints() == []
        explorers = lesson.explorers()
        assert explorers
        for explorer in explorers:
            first, words = explorer.settled(), explorer.words()
            for slider in explorer.sliders().values():
                pressed = explorer.step(slider)
                slider.drag_to(0.1 if slider.fraction() > 0.5 else 0.9)
                explorer.wait_until(lambda seen, pressed=pressed: seen != pressed)
            if explorer.sliders():
                explorer.settled()  # a reader's hand leaves the slider before it reaches the button
                explorer.press("Reset")
                explorer.wait_until(lambda seen, first=first: seen == first)
                explorer.wait_until(lambda _, explorer=explorer, words=words: explorer.words() == words)
            assert explorer.trouble() == ""


@pytest.mark.slow
def test_from_the_root_of_the_repository(browser, lab, tmp_path):
    with (
        jupyterlab(lab.folder.parent, tmp_path) as address,
        opened(browser, address("notebooks/06_rope.ipynb")) as lesson,
    ):
        as_found(lesson, lab.folder / "06_rope.ipynb")


@pytest.mark.slow
def test_menus_are_where_the_page_for_teachers_says(browser, lab):
    told = (ROOT / "notebooks/for_teachers.md").read_text(encoding="utf-8")
    paths = [" ".join(path.split()).split(" → ") for path in re.findall(r"\*((?:View|Run|Kernel) → [^*]*)\*", told)]
    assert len(paths) >= 4
    with opened(browser, lab("03_binary.ipynb", "lab/tree")) as lesson:
        for first, *rest in paths:
            lesson.choose(first)
            for item in rest:
                entry = f".lm-Menu-itemLabel:text-matches('^{item}( \\\\w+)?(…)?$')"
                lesson.page.wait_for_selector(entry, timeout=5000).hover()
            lesson.page.keyboard.press("Escape")
            lesson.page.keyboard.press("Escape")


@pytest.mark.slow
def test_copies_of_the_notebooks_alone_export_with_pictures_alt_texts_and_words(browser, tmp_path):
    folder = copied(tmp_path, NOTEBOOKS) / "notebooks"
    command = [sys.executable, "-m", "nbconvert", "--to", "html", *(path.name for path in NOTEBOOKS)]
    told = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert "Alternative text is missing" not in told.stderr
    page = browser.new_page()
    page.route("http*://**", lambda route: route.abort())  # nbconvert's page asks for its mathematics elsewhere
    for path in NOTEBOOKS:
        page.goto((folder / path.name).with_suffix(".html").as_uri())
        pictures_are_there(page, stored(path)[0])
        assert page.evaluate("document.images.length") == len(stored(path)[0])
        assert "No description has been provided" not in page.content()
    page.close()
