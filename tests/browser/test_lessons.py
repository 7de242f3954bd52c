"""A notebook as the README's command shows it, stored and then run; and all of them exported."""

import subprocess
import sys

import pytest

from ..conftest import ROOT, copied
from .lesson_page import opened, pictures_are_there, stored

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def as_found(lesson, path) -> None:
    """Expect all that a file holds on the page, though nobody has trusted or run it."""
    page, (pictures, texts, tables) = lesson.page, stored(path)
    page.locator("[title^='Notebook not trusted: 0 of']").wait_for()
    pictures_are_there(page, pictures, alts=False)
    outputs = [*pictures, *pictures, *texts, *tables]  # each picture has two
    assert page.locator(".jp-OutputArea-output").count() == len(outputs)
    shown = page.locator(".jp-RenderedText").all_text_contents()
    assert [text.strip() for text in shown] == [text.strip() for text in texts]
    for answer in page.locator("details").all()[:1]:
        answer.locator("summary").click()
        assert len(answer.inner_text()) > len(answer.locator("summary").inner_text()) + 20
    assert lesson.noise == []


def test_a_notebook_shows_what_is_stored_then_runs_and_every_slider_moves_its_picture(browser, lab):
    name = "00_start_here.ipynb"
    with opened(browser, lab(name, "lab/tree/")) as lesson:
        as_found(lesson, lab.folder / name)
        lesson.run_all()
        explorers = lesson.explorers()
        for explorer, first in zip(explorers, [each.settled() for each in explorers], strict=True):
            words = explorer.said()
            assert explorer.settled() == first  # what moves the others does not move this one
            for slider in explorer.sliders().values():
                if slider.asleep():  # it waits for another choice; the kernel's own tests wake it
                    before = explorer.settled()
                    slider.handle.press("ArrowRight")
                    assert explorer.settled() == before
                    continue
                explorer.step(slider)
                pressed = explorer.settled()
                slider.drag_to(0.1 if slider.fraction() > 0.5 else 0.9)
                explorer.wait_until(lambda seen, pressed=pressed: seen != pressed)
            explorer.settled()  # a reader's hand leaves the slider before it reaches the button
            explorer.press("Reset")
            explorer.wait_until(
                lambda seen, e=explorer, start=(first, words): (seen, e.said()) == start
            )
            assert explorer.said("alert") == ""


@pytest.mark.slow
def test_copies_of_the_notebooks_alone_export_with_pictures_and_words(browser, tmp_path):
    folder = copied(tmp_path, NOTEBOOKS) / "notebooks"
    command = [
        sys.executable,
        "-m",
        "nbconvert",
        "--to",
        "html",
        *(path.name for path in NOTEBOOKS),
    ]
    subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    page = browser.new_page()
    # nbconvert's page asks for its mathematics elsewhere
    page.route("http*://**", lambda route: route.abort())
    for path in NOTEBOOKS:
        page.goto((folder / path.name).with_suffix(".html").as_uri())
        pictures_are_there(page, stored(path)[0], alts=False)  # nbconvert gives none; words do
        answers = path.read_text(encoding="utf-8").count("](attachment:answer.png)")
        assert page.locator("img").count() == len(stored(path)[0]) + answers
        assert page.locator("img[src^='attachment']").count() == 0
    page.close()
