"""A figure's HTML page in a real browser: slider, keyboard, Play, in a page of its own and in a blog's iframe."""

import json
import re

import pytest
from playwright.sync_api import expect

from ..conftest import ROOT
from .lab import silent_page

PAGE = ROOT / "figures/base_sweep.html"
POST = (ROOT / "figures/post.html").as_uri()  # a blog, made up by the test
FRAMES = json.loads(re.search(r'type="application/json">(.*?)</script>', PAGE.read_text(encoding="utf-8"), re.S)[1])
START, LAST = FRAMES["value"].index("10,000"), len(FRAMES["value"]) - 1


@pytest.fixture
def page(browser):
    with silent_page(browser, PAGE.as_uri(), POST, viewport={"width": 1000, "height": 620}) as page:
        page.goto(PAGE.as_uri())
        yield page


def shows(place, k):
    """Expect frame k: its picture, its value, and its words once the hand has let go."""
    expect(place.locator("#picture")).to_have_attribute("src", "data:image/png;base64," + FRAMES["picture"][k])
    expect(place.locator("#picture")).to_have_attribute("alt", FRAMES["alt"][k])
    expect(place.locator("#slider")).to_have_attribute("aria-valuetext", FRAMES["value"][k])
    for name in ("value", "words", "caption"):
        expect(place.locator(f"#{name}")).to_have_text(FRAMES[name][k])


def test_keys_and_the_mouse_move_it_from_where_the_figure_begins(page):
    shows(page, START)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "slider"
    for key, k in (("ArrowLeft", START - 1), ("End", LAST), ("Home", 0)):
        page.keyboard.press(key)
        shows(page, k)
    box = page.get_by_label("base").bounding_box()  # the slider has a name
    page.mouse.move(box["x"] + 1, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 1, box["y"] + box["height"] / 2, steps=5)
    expect(page.locator("#value")).to_have_text(FRAMES["value"][-1])
    page.mouse.up()
    shows(page, LAST)


def test_play_goes_round_until_it_is_stopped(page):
    for key in ("Tab", "End", "Tab", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#play")).to_have_text("Pause")
    page.wait_for_function("() => document.querySelector('#slider').value < 5")  # round the end and on
    page.keyboard.press("Enter")
    expect(page.locator("#play")).to_have_text("Play")
    k = int(page.locator("#slider").input_value())
    page.wait_for_timeout(500)
    shows(page, k)


@pytest.mark.parametrize("width", [360, 700])
def test_it_works_in_the_iframe_of_a_blog(page, width):
    frame = f'<iframe src="{PAGE.as_uri()}" width="{width}" height="560" sandbox="allow-scripts" title="base"></iframe>'
    page.route(POST, lambda route: route.fulfill(body=f"<!doctype html>{frame}", content_type="text/html"))
    page.goto(POST)
    inside = page.frame_locator("iframe")
    inside.locator("#slider").press("End")
    shows(inside, LAST)
    assert inside.locator("body").evaluate("body => body.scrollWidth <= window.innerWidth")


def test_coming_back_shows_what_the_slider_says_and_a_phone_does_not_scroll_sideways(page):
    page.locator("#slider").press("End")
    page.goto(PAGE.as_uri() + "?other")
    page.go_back()
    shows(page, int(page.locator("#slider").input_value()))
    page.set_viewport_size({"width": 320, "height": 600})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_the_picture_is_there_without_scripts(browser):
    page = browser.new_page(java_script_enabled=False)
    page.goto(PAGE.as_uri())
    expect(page.locator("#picture")).to_have_attribute("src", "data:image/png;base64," + FRAMES["picture"][START])
    expect(page.locator("#words")).to_have_text(FRAMES["words"][START])
    page.close()
