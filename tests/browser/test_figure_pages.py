"""A figure's HTML page in a real browser: Play, and a blog's iframe; what else the same player does is in test_site."""

import pytest
from playwright.sync_api import expect

from ..conftest import ROOT
from ..films import along, films
from .lab import silent_page

PAGE = ROOT / "figures/base_sweep.html"
POST = (ROOT / "figures/post.html").as_uri()  # a blog, made up by the test
(FILM,) = films(PAGE.read_text(encoding="utf-8"))
VALUES = FILM["sliders"][0]["values"]
LAST = len(VALUES) - 1
HEIGHT = "addEventListener('message', ({data}) => document.querySelector('iframe').height = data.height)"


@pytest.fixture
def page(browser):
    with silent_page(browser, PAGE.as_uri(), POST, viewport={"width": 1000, "height": 620}) as page:
        page.goto(PAGE.as_uri())
        yield page


def shows(place, k):
    """Expect value k: its picture, its value, and its words once the hand has let go."""
    expect(place.locator(".film")).to_have_attribute("data-frame", str(FILM["sliders"][0]["frames"][k]))
    expect(place.locator(".views")).to_have_attribute("aria-label", along(FILM, "alt")[k])
    expect(place.get_by_role("slider")).to_have_attribute("aria-valuetext", VALUES[k])
    expect(place.locator("output")).to_have_text(VALUES[k])
    for name, found in (("words", ".words"), ("caption", "figcaption")):
        expect(place.locator(found)).to_have_text(along(FILM, name)[k])


def test_play_goes_round_until_it_is_stopped_or_a_hand_takes_over(page):
    slider, button = page.get_by_role("slider"), page.get_by_role("button")
    for stop in (lambda: page.keyboard.press("Enter"), lambda: slider.press("ArrowRight")):
        slider.press("End")
        button.focus()
        page.keyboard.press("Enter")
        expect(button).to_have_text("Pause")
        page.wait_for_function("() => document.querySelector('input').value < 5")  # round the end and on
        stop()
        expect(button).to_have_text("Play")
        k = int(slider.input_value())
        page.wait_for_timeout(500)
        shows(page, k)


def test_it_works_in_the_iframe_of_a_blog_and_tells_its_height(page):
    frame = f'<iframe src="{PAGE.as_uri()}" width="360" height="560" sandbox="allow-scripts" title="base"></iframe>'
    body = f"<!doctype html>{frame}<script>{HEIGHT}</script>"
    page.route(POST, lambda route: route.fulfill(body=body, content_type="text/html"))
    page.goto(POST)
    inside = page.frame_locator("iframe")
    inside.get_by_role("slider").press("End")
    shows(inside, LAST)
    page.wait_for_function("document.querySelector('iframe').height != 560")
    within = "body => [body.scrollWidth <= innerWidth, document.documentElement.scrollHeight <= innerHeight]"
    assert inside.locator("body").evaluate(within) == [True, True]
