"""Pages of the series as readers meet them: wide and narrow, light and dark, every slider moved."""

import pytest
from playwright.sync_api import expect

from posenc_lib.figures.film import SHARPNESS
from posenc_lib.tools.site.notebook import page

from ..browser.lab import silent_page
from ..conftest import ROOT, todays
from ..films import films

SIZES = {"wide": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 800}}
MOVED = ("wide", "light"), ("phone", "dark")
FILM = "document.querySelectorAll('.film')"
DIGEST = """film => [...film.querySelectorAll("canvas")].map(canvas => {
    const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return new Uint32Array(data.buffer).reduce((sum, pixel) => Math.imul(sum ^ pixel, 16777619), 1);
}).join()"""
ASIDE = "document.documentElement.scrollWidth - innerWidth"
TYPE, LEAST = 12.2, 11  # px of type in pictures, as it's drawn and at least as it's seen
SEEN = """([type, sharpness]) => [...document.querySelectorAll("canvas")].map(
    canvas => type * sharpness * canvas.getBoundingClientRect().width / canvas.width)"""
CUT = """() => [...document.querySelectorAll(".film .line")].filter(
    line => line.scrollWidth > line.clientWidth + 1).length"""
SERIES = ["05_sinusoidal", "06_rope", "16_real_model", "clinic"]


@pytest.mark.slow
@pytest.mark.parametrize("name", todays(SERIES))
def test_a_page_of_the_series_works(name, browser, tmp_path, record_property):
    told, file = page(ROOT / f"notebooks/{name}.ipynb", name, "", ""), tmp_path / f"{name}.html"
    file.write_bytes(told)
    shown = films(told.decode())
    holds_together(shown)
    for size, scheme in MOVED:
        opens(browser, file, shown, scheme, size)
    assert len(told) <= 5 * 2**20
    record_property(f"site, {name}", f"{len(told) / 2**20:.1f} MiB, {len(shown)} films")


def holds_together(shown: list[dict]) -> None:
    """Expect sliders that each change the picture, and words for each frame."""
    for film in shown:
        # what is kept back has no words, but says what is asked
        assert all(len(frame.get("words") or frame["alt"]) > 20 for frame in film["frames"])
        for slider in film["sliders"]:
            assert len(slider["values"]) == len(slider["frames"]) == len(set(slider["values"])) >= 2
            assert any(film["frames"][k]["data"] for k in slider["frames"]), slider["name"]
        assert all(film["frames"][each["frame"]]["data"] and each["at"] for each in film["stops"])


def opens(browser, file, shown, scheme: str, size: str) -> None:
    """Open a page in Chromium; expect no request, no complaint, nothing aside, moving films."""
    with silent_page(browser, file.as_uri(), viewport=SIZES[size], color_scheme=scheme) as tab:
        tab.goto(file.as_uri())
        assert tab.evaluate(ASIDE) <= 0
        places = tab.locator(".film")
        expect(places).to_have_count(len(shown))
        for k, film in enumerate(shown):
            place = places.nth(k)
            place.scroll_into_view_if_needed()
            expect(place).to_have_attribute("data-frame", "0")
            sliders = [] if film["question"] else film["sliders"]  # those of a question sleep
            for n, slider in enumerate(sliders):
                moves(tab, place, k, n, slider)
        assert tab.evaluate(CUT) == 0
        assert min(tab.evaluate(SEEN, [TYPE, SHARPNESS])) >= LEAST


def moves(tab, place, k: int, n: int, slider: dict) -> None:
    """Move a slider to its ends by keys, or a choice by its options; expect another picture."""
    before = {tab.evaluate(f"({DIGEST})({FILM}[{k}])")}
    row = place.locator(".row").nth(n)
    ends = [("End", len(slider["values"]) - 1), ("Home", 0)]
    ends.sort(key=lambda end: end[1] == slider["start"])  # where it stands no key moves it
    for key, at in ends:
        if slider["choice"]:
            row.locator("select").select_option(index=at)
        else:
            row.locator("input").press(key)
        expect(place).to_have_attribute("data-frame", str(slider["frames"][at]))
        before.add(tab.evaluate(f"({DIGEST})({FILM}[{k}])"))
    assert len(before) >= 2, slider["name"]
