"""Every lesson as a reader meets it: a real JupyterLab in a real browser."""

import pytest

from .lab import ROOT
from .lesson_page import LessonPage

LESSONS = sorted(path.name for path in (ROOT / "notebooks").glob("[0-9]*.ipynb"))


@pytest.fixture(params=LESSONS)
def lesson(request, browser, lab):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    opened = LessonPage(page, lab(request.param))
    yield opened
    page.close()


def test_a_lesson_shows_what_is_stored_then_runs_and_every_slider_moves_its_picture(lesson):
    stored_pictures_are_there(lesson.page)
    lesson.run_all()
    assert lesson.complaints() == []
    explorers = lesson.explorers()
    assert len(explorers) >= 2
    for explorer in explorers:
        first, words = explorer.picture(), explorer.words()
        for slider in explorer.sliders():
            before, value = explorer.settled(), slider.value()
            slider.press("ArrowLeft" if slider.fraction() == 1 else "ArrowRight")
            explorer.wait_until(lambda seen, before=before: seen != before)
            pressed = explorer.settled()
            assert slider.value() != value, slider.name
            slider.drag_to(0.1 if slider.fraction() > 0.5 else 0.9)
            explorer.wait_until(lambda seen, pressed=pressed: seen != pressed)
        if explorer.sliders():
            explorer.settled()  # a reader's hand leaves the slider before it reaches the button
            explorer.press("Reset")
            explorer.wait_until(lambda seen, first=first: seen == first)
            explorer.wait_for_words(words)
        assert explorer.trouble() == ""
    assert lesson.complaints() == []


def stored_pictures_are_there(page):
    """Expect every picture of the file on the page before anything is run."""
    selector = ".jp-OutputArea-output[data-mime-type='text/html'] img"
    page.wait_for_selector(selector, state="attached", timeout=60_000)
    page.wait_for_timeout(1500)  # JupyterLab fills in what is below the fold when it has time
    pictures = page.query_selector_all(selector)
    assert len(pictures) >= 2
    assert all(picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 600 for picture in pictures)
