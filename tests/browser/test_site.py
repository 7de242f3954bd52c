"""A page of the site in a browser: keyboard, mouse, finger; wide, narrow, light, dark, on paper."""

import hashlib
import io
import re
from contextlib import contextmanager

import numpy as np
import pytest
from PIL import Image, ImageColor
from playwright.sync_api import expect

from posenc_lib import sinusoidal
from posenc_lib.figures.film import Film, part
from posenc_lib.figures.registry import FIGURES
from posenc_lib.tools.formats import render
from posenc_lib.views import style

from ..films import along, films, frames, in_dark
from ..tools.tiny import site
from .lab import in_firefox, silent_page

pytestmark = pytest.mark.slow  # to build its pages takes half a minute
FIRST = "document.querySelector('.film')"
PRINT = """async film => {
    const pixels = canvas =>
        canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    const prints = [...film.querySelectorAll("canvas")].map(
        each => crypto.subtle.digest("SHA-256", pixels(each)));
    return (await Promise.all(prints)).map(one => [...new Uint8Array(one)]);
}"""
DRAW = """async (page, spots) => {  // as a reader does: draw, then press Show
    const until = async is => {
        for (let k = 0; k < 600 && !is(); k++) await new Promise(go => setTimeout(go, 50));
    };
    await until(() => page.querySelector(".film[data-frame='0'] .controls[inert]"));
    const film = page.querySelector(".film"), canvas = film.querySelector("canvas");
    const frame = canvas.getBoundingClientRect();
    const asleep = () => film.querySelector(".controls").inert;
    const said = film.querySelector(".posenc-guess p");
    const before = [film.dataset.frame, asleep(), said.textContent];
    canvas.setPointerCapture = () => {};  // no real pointer is there
    const tell = (kind, [x, y]) => canvas.dispatchEvent(new PointerEvent(kind, {
        pointerId: 1,
        clientX: frame.left + x * frame.width, clientY: frame.top + y * frame.height}));
    spots.forEach((spot, k) => tell(k ? "pointermove" : "pointerdown", spot));
    tell("pointerup", spots.at(-1));
    [...film.querySelectorAll("button")].find(one => one.textContent === "Show").click();
    await until(() => film.dataset.frame === "1" && said.textContent);
    return [before, film.dataset.frame, asleep(), said.textContent];
}"""
STUCK = """all => all.map(one => getComputedStyle(one))
    .filter(({ position, display }) => position === "sticky" && display !== "contents")
    .map(look => look.backgroundColor)"""
HEIGHT = (
    "addEventListener('message', ({data}) => document.querySelector('iframe').height = data.height)"
)
WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 700}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return site(tmp_path_factory) / "01_tiny.html"


@pytest.fixture(scope="module")
def film(path):
    return films(path.read_text(encoding="utf-8"))[0]


@pytest.fixture
def page(browser, path):
    with opened(browser, path) as page:
        yield page


@contextmanager
def opened(browser, path, **options):
    """Open a page and wait for its first picture on a canvas; it must never complain."""
    with silent_page(browser, path.as_uri(), **{"viewport": WIDE, **options}) as page:
        page.goto(path.as_uri())
        expect(page.locator(".film").first).to_have_attribute("data-frame", "0")
        yield page


def seen(page) -> list[list[int]]:
    """Return a fingerprint of each canvas of the first film."""
    return page.evaluate(f"({PRINT})({FIRST})")


def drawn(film, k, dark=False) -> list[list[int]]:
    """Return the same of what a frame must be, on light or on dark paper."""
    picture = in_dark(film, frames(film)[k]) if dark else frames(film)[k]
    pixels = np.dstack([np.asarray(picture), np.full(picture.size[::-1], 255, np.uint8)])
    parts = [pixels[y : y + height, x : x + width] for x, y, width, height in film["cells"]]
    return [list(hashlib.sha256(np.ascontiguousarray(part).tobytes()).digest()) for part in parts]


def shows(page, film, k):
    expect(page.locator(".film").first).to_have_attribute("data-frame", str(k))
    assert seen(page) == drawn(film, k)


def test_keys_move_a_slider_to_the_very_pixels_and_the_others_home(page, film):
    length, _, query = film["sliders"]
    page.get_by_label("seq_len").first.focus()
    page.keyboard.press("End")
    shows(page, film, length["frames"][-1])
    expect(page.locator(".words").first).to_have_text(film["frames"][length["frames"][-1]]["words"])
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Home")
    shows(page, film, query["frames"][0])
    expect(page.get_by_label("seq_len").first).to_have_attribute("aria-valuetext", "20")
    expect(page.locator(".views").first).to_have_attribute(
        "aria-label", film["frames"][query["frames"][0]]["words"]
    )


def test_the_mouse_drags_and_buttons_move_sliders_together(page, film):
    box = page.get_by_label("query").first.bounding_box()
    page.mouse.move(box["x"] + 3, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2, steps=9)
    page.mouse.up()
    shows(page, film, film["sliders"][2]["frames"][-1])
    (named,) = film["stops"]
    page.get_by_role("button", name=named["name"]).click()
    shows(page, film, named["frame"])
    values = [
        page.get_by_label(name).first.get_attribute("aria-valuetext")
        for name in ("seq_len", "query", "pair")
    ]
    assert values == ["8", "7", "1"]


def test_a_knob_stands_where_its_value_does_and_keys_and_hands_reach_every_one(page, film):
    slider, told = page.get_by_label("seq_len").first, film["sliders"][0]
    box, start, least = slider.bounding_box(), told["start"], int(told["values"][0])
    for key, k in (("ArrowRight", start + 1), ("ArrowLeft", start), ("ArrowLeft", start - 1)):
        slider.press(key)
        shows(page, film, told["frames"][k])
        assert int(slider.input_value()) == int(told["values"][k]) - least
        expect(page.locator(".words").first).to_have_text(
            film["frames"][told["frames"][k]]["words"]
        )
    page.mouse.move(box["x"] + 3, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=9)
    page.mouse.move(box["x"] + box["width"] / 2 + 1, box["y"] + box["height"] / 2)
    page.mouse.up()
    values = [int(value) for value in told["values"]]
    half = (values[0] + values[-1]) / 2
    k = min(range(len(values)), key=lambda k: abs(values[k] - half))
    shows(page, film, told["frames"][k])
    expect(page.locator(".words").first).to_have_text(film["frames"][told["frames"][k]]["words"])


def test_play_goes_to_and_fro_until_it_is_stopped_or_a_hand_takes_over(page, film):
    slider, button = page.get_by_label("seq_len").first, page.locator(".buttons button").first
    frames_of, values_of = film["sliders"][0]["frames"], film["sliders"][0]["values"]
    for stop in (lambda: page.keyboard.press("Enter"), lambda: slider.press("ArrowRight")):
        slider.press("End")
        button.focus()
        page.keyboard.press("Enter")
        expect(button).to_have_text("Pause")
        # back from the end
        page.wait_for_function("() => document.querySelector('input').value < 5")
        stop()
        expect(button).to_have_text("Play seq_len")
        k = frames_of[values_of.index(slider.get_attribute("aria-valuetext"))]
        page.wait_for_timeout(500)
        shows(page, film, k)
        expect(page.locator(".words").first).to_have_text(film["frames"][k]["words"])


SPEED = """async () => {  // how long each value stays, from one end to the other
    const input = document.querySelector("input"), stays = [];
    const most = Number(input.max), value = () => Number(input.value);
    const seen = new Set([value()]);
    let before = value(), since = performance.now();
    document.querySelector(".buttons button").click();
    while (value() < most) {
        await new Promise(requestAnimationFrame);
        if (value() === before) continue;
        stays.push(performance.now() - since);
        [before, since] = [value(), performance.now()];
        seen.add(before);
    }
    document.querySelector(".buttons button").click();
    return [stays, seen.size];
}"""


def test_play_is_slow_near_its_ends(page, film):
    page.get_by_label("seq_len").first.press("Home")
    stays, seen = page.evaluate(SPEED)
    third = len(stays) // 3
    assert np.mean(stays[1:third]) > np.mean(stays[third:-third])
    assert seen > len(film["sliders"][0]["values"]) / 2  # and goes through them


def test_sliders_have_the_colors_of_their_roles_on_light_and_dark_pages(browser, path):
    roles = {"query": "QUERY", "pair": "PAIR", "seq_len": "KEY"}
    for scheme in ("light", "dark"):
        with opened(browser, path, color_scheme=scheme) as page:
            for name, role in roles.items():
                slider = page.get_by_label(name).first
                with style.themed(scheme):
                    color = ImageColor.getrgb(getattr(style, role))
                accent = slider.evaluate("one => getComputedStyle(one).accentColor")
                assert accent == f"rgb{color}".replace("  ", " ")
                assert slider.bounding_box()["width"] >= 240


def test_a_figure_works_in_the_iframe_of_a_blog_and_tells_its_height(browser, tmp_path):
    one, figure, post = FIGURES["base_sweep"], tmp_path / "base.html", tmp_path / "post.html"
    figure.write_bytes(render(one, one.defaults, "html", dpi=50, frames=3))
    frame = (
        f'<iframe src="{figure.as_uri()}" width="360" height="560" '
        'sandbox="allow-scripts" title="base"></iframe>'
    )
    post.write_text(f"<!doctype html>{frame}<script>{HEIGHT}</script>")
    with silent_page(browser, "file:", viewport=WIDE) as page:
        page.goto(post.as_uri())
        inside = page.frame_locator("iframe")
        inside.get_by_role("slider").press("End")
        expect(inside.locator("output")).to_have_text("1,000,000")
        expect(inside.locator(".words")).to_have_text(
            along(*films(figure.read_text(encoding="utf-8")), "words")[-1]
        )
        page.wait_for_function("document.querySelector('iframe').height != 560")
        within = (
            "body => [body.scrollWidth <= innerWidth, "
            "document.documentElement.scrollHeight <= innerHeight]"
        )
        assert inside.locator("body").evaluate(within) == [True, True]


def test_a_choice_is_a_list(page):
    page.locator(".film").nth(1).scroll_into_view_if_needed()
    choice = page.get_by_role("combobox", name="layout")
    expect(choice).to_have_value("interleaved")
    choice.select_option("concatenated")
    expect(page.locator(".words").nth(1)).to_contain_text("concatenated")


def test_a_finger_moves_a_slider_on_a_phone_where_pictures_are_below_each_other(
    browser, path, film
):
    with opened(browser, path, viewport=PHONE, has_touch=True, is_mobile=True) as page:
        slider = page.get_by_label("query").first
        slider.scroll_into_view_if_needed()
        box = slider.bounding_box()
        page.touchscreen.tap(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)
        shows(page, film, film["sliders"][2]["frames"][-1])
        boxes = [
            canvas.bounding_box() for canvas in page.locator(".film").first.locator("canvas").all()
        ]
        assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        for canvas in page.locator(".film").first.locator("canvas").all():
            canvas.evaluate("one => one.scrollIntoView({ block: 'end' })")
            # the slider that was touched last is in one view with each picture
            slot, shown = slider.bounding_box(), canvas.bounding_box()
            assert slot["y"] >= 0
            assert shown["y"] >= slot["y"] + slot["height"] - 60  # its title may lie below
            assert shown["y"] + shown["height"] <= PHONE["height"] + 1
        assert slider.bounding_box()["width"] > 0.9 * PHONE["width"]  # its name and value are above
        others = [page.get_by_label(name).first for name in ("seq_len", "pair")]
        assert all(one.bounding_box()["y"] < 0 for one in others)  # they leave it the room


NAMES = "seq_len", "pair", "query"


def test_a_slider_sticks_only_where_it_can_be_moved_and_hides_what_is_below_it(browser, path):
    def sticks(page) -> list[str]:
        return page.locator(".film").first.locator(".row, .controls").evaluate_all(STUCK)

    asks = path.with_name("02_more.html")
    for viewport in (WIDE, PHONE):
        with opened(browser, asks, viewport=viewport) as page:
            assert sticks(page) == []  # nothing is drawn yet, so it sleeps
        with opened(browser, path, viewport=viewport) as page:
            assert sticks(page) == ["rgb(255, 255, 255)"]  # opaque
            page.get_by_label("pair").first.press("Home")
            held = page.locator(".film").first.locator(".held")
            expect(held).to_contain_text("pair")
            assert len(sticks(page)) == 1  # the others would cover titles
            page.locator(".film .line").first.evaluate("one => one.scrollIntoView()")
            tops = [page.get_by_label(name).first.bounding_box()["y"] for name in NAMES]
            assert tops[2] < 0 <= tops[1]
            expect(page.locator(".buttons button").first).to_have_text("Play pair")


def test_a_narrow_window_has_the_drawing_of_a_phone_and_a_wide_one_gets_its_own_back(browser, path):
    wide = films(path.read_text(encoding="utf-8"))[1]
    with opened(browser, path) as page:
        place = page.locator(".film").nth(1)
        for viewport, shape in ((WIDE, wide), (PHONE, wide["narrow"]), (WIDE, wide)):
            page.set_viewport_size(viewport)
            place.scroll_into_view_if_needed()
            width = str(shape["cells"][0][2])
            expect(place.locator("canvas")).to_have_attribute("width", width)
            assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
            place.get_by_role("combobox").select_option("concatenated")
            expect(place).to_have_attribute("data-frame", "1")


def test_dark_pages_have_dark_pictures_and_paper_has_light_ones(browser, path, film):
    with opened(browser, path, color_scheme="dark") as page:
        assert seen(page) == drawn(film, 0, dark=True)
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(17, 17, 17)"
        assert in_dark(film, frames(film)[0]).getpixel((0, 0)) == (17, 17, 17)
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert seen(page) == drawn(film, 0)
        page.emulate_media(color_scheme="light")
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert seen(page) == drawn(film, 0)


def test_a_dark_page_has_no_white_picture_before_films_are_drawn_nor_in_what_is_stored(
    browser, path
):
    page = browser.new_page(java_script_enabled=False, viewport=WIDE, color_scheme="dark")
    page.goto(path.as_uri())
    for picture in (".film img", ".still img"):
        one = page.locator(picture).first
        one.evaluate("one => one.scrollIntoView()")
        assert "invert" in one.evaluate("one => getComputedStyle(one).filter")
    page.locator(".film img").first.evaluate("one => one.scrollIntoView()")
    shown = Image.open(io.BytesIO(page.locator(".film img").first.screenshot())).convert("L")
    assert np.median(np.asarray(shown)) < 32
    page.close()


def test_folds_begin_where_their_panel_does(browser, path):
    with opened(browser, path) as page:
        folds = page.locator(".film details:visible, .film + details")
        panels = page.locator(".film:has(details:visible), .film:has(+ details)")
        lefts = [{round(one.bounding_box()["x"]) for one in each.all()} for each in (folds, panels)]
        assert lefts[0] == lefts[1]
        assert len(lefts[0]) > 1  # a broad panel leaves the column


def test_lines_are_no_longer_than_75_letters_and_pictures_are_wider(browser, path):
    with opened(browser, path) as page:
        widths = page.evaluate("""() => {
            const prose = [...document.querySelectorAll("main p:not(.words)")];
            const pen = document.createElement("canvas").getContext("2d");
            const style = getComputedStyle(document.body);
            pen.font = `${style.fontSize} ${style.fontFamily}`;
            const text = "The dot product of two rows is largest where both are the same one. ";
            const letter = pen.measureText(text.repeat(5)).width / text.length / 5;
            return [Math.max(...prose.map(one => one.offsetWidth)) / letter,
                document.querySelector(".views").offsetWidth / letter];
        }""")
    assert widths[0] < 80
    assert widths[1] > 80


def test_a_page_prints_and_can_be_read_without_scripts(browser, path, film):
    page = browser.new_page(java_script_enabled=False, viewport=PHONE)
    page.goto(path.as_uri())
    expect(page.locator(".film img").first).to_be_visible()
    expect(page.locator(".words").first).to_have_text(film["frames"][0]["words"])
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert len(page.pdf()) > 20_000
    page.close()


def test_the_index_leads_to_a_lesson_and_back_on_a_phone(browser, path):
    with silent_page(browser, path.parent.as_uri(), viewport=PHONE, color_scheme="dark") as page:
        page.goto((path.parent / "index.html").as_uri())
        expect(page.locator(".film")).to_have_attribute("data-frame", "0")
        ways = {
            "Begin: 01 · Tiny": "Tiny",
            "02 · More →": "More",
            "For all →": "For all",
            "All lessons": "A series",
        }
        for name, title in ways.items():
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
            page.get_by_role("link", name=name).click()
            expect(page).to_have_title(re.compile(title))


def test_what_a_reader_draws_is_compared_without_a_kernel_on_a_phone_and_in_two_browsers(
    browser, path
):
    knots, page = {0: 7.0, 15: 2.0, 31: 5.0}, path.with_name("02_more.html")
    (film,) = films(page.read_text(encoding="utf-8"))

    def spots_of(shape: dict) -> list[list[float]]:
        """Return where on a drawing the knots are, in fractions."""
        (plot,), (place,) = film["question"]["plots"], shape["question"]["boxes"]
        (x0, x1), (y0, y1), box = plot["xlim"], plot["ylim"], place["box"]
        return [
            [
                box[0] + (box[2] - box[0]) * (x - x0) / (x1 - x0),
                box[3] - (box[3] - box[1]) * (y - y0) / (y1 - y0),
            ]
            for x, y in knots.items()
        ]

    table, x = sinusoidal(32, 16, base=100.0), np.arange(32)
    off = np.abs(np.interp(x, list(knots), list(knots.values())) - table @ table[10]).mean()

    def expect_distance(before, frame, asleep, said) -> None:
        # the curve was not there before
        assert (before, frame, asleep) == (["0", True, ""], "1", False)
        mean = float(re.search(r"ou were off by ([\d.]+) on average", said)[1])
        assert mean == pytest.approx(off, abs=0.1)

    looks = (
        (film, {"viewport": WIDE}),
        (film["narrow"], {"viewport": PHONE, "color_scheme": "dark"}),
    )
    for shape, look in looks:
        spots = spots_of(shape)
        with silent_page(browser, page.as_uri(), **look) as opened_page:
            opened_page.goto(page.as_uri())
            expect_distance(*opened_page.evaluate(f"spots => ({DRAW})(document, spots)", spots))
            slider, told = (
                opened_page.get_by_role("slider").first,
                opened_page.locator(".posenc-guess [role=status]").first,
            )
            verdict, at = told.inner_text(), slider.input_value()
            slider.press("Home")  # another curve: what was said is not of this one
            expect(told).to_have_text("The gray line is what you drew for the original curve.")
            slider.fill(at)
            expect(told).to_have_text(verdict)
            shown, again = (
                opened_page.locator(".film").first,
                opened_page.get_by_role("button", name="Again"),
            )
            opened_page.reload()  # the drawing stays, and what was said of it
            expect(told).to_have_text(verdict)
            expect(shown).to_have_attribute("data-frame", "1")
            expect(slider).to_be_enabled()
            again.click()
            expect(shown).to_have_attribute("data-frame", "0")
            opened_page.reload()  # it is gone
            expect(opened_page.get_by_role("button", name="Show")).to_be_disabled()
            expect(again).to_be_hidden()
            expect(told).to_have_text("")
            expect(shown).to_have_attribute("data-frame", "0")
    said, complaints = in_firefox(
        page, f"frame => ({DRAW})(frame.contentDocument, {spots_of(film)})"
    )
    expect_distance(*said)
    assert complaints == []


INK = """([x, y]) => {  // how dark a plot is at some fractions of it
    const canvas = document.querySelector("canvas"), pen = canvas.getContext("2d");
    const [red, , , full] = pen.getImageData(x * canvas.width, y * canvas.height, 1, 1).data;
    return full ? 255 - red : 0;
}"""


def test_what_is_known_is_there_before_anyone_draws_and_buttons_are_whole(browser, path):
    asks = path.with_name("02_more.html")
    (film,) = films(asks.read_text(encoding="utf-8"))
    (plot,), (place,) = film["question"]["plots"], film["question"]["boxes"]
    (x0, x1), (y0, y1) = plot["xlim"], plot["ylim"]
    left, top, right, bottom = place["box"]
    x, y = plot["x"][plot["known"]], plot["y"][plot["known"]]
    across, up = left + (right - left) * (x - x0) / (x1 - x0), (y - y0) / (y1 - y0)
    spots = [(across + aside / film["width"], bottom - (bottom - top) * up) for aside in (-3, 3)]
    for viewport in (WIDE, {"width": 700, "height": 700}):
        with opened(browser, asks, viewport=viewport) as page:
            for spot in spots:
                page.wait_for_function(f"spot => ({INK})(spot) > 150", arg=spot)
            line, button = page.locator(".line"), page.get_by_role("button", name="Show")
            edges = [
                box["y"] + box["height"] for box in (line.bounding_box(), button.bounding_box())
            ]
            assert edges[1] <= edges[0]


def test_the_player_is_a_module_that_shows_a_film_as_a_widget(browser, film, tmp_path):
    """As in anywidget: a model with the film, and an element; the page's films stay untouched."""
    (tmp_path / "empty.html").write_text("<!doctype html>")
    with silent_page(browser, "file:", "blob:", viewport=WIDE, color_scheme="dark") as page:
        page.goto((tmp_path / "empty.html").as_uri())
        render = """async ([code, film]) => {
            const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
            const { default: { render } } = await import(url);
            const el = document.body.appendChild(document.createElement("div"));
            window.close = render({ model: { get: name => ({ film })[name] }, el });
        }"""
        page.evaluate(render, [part("film.js"), film])
        expect(page.locator(".film")).to_have_attribute("data-frame", "0")
        assert seen(page) == drawn(film, 0, dark=True)
        page.get_by_role("slider", name="seq_len").press("Home")
        expect(page.locator(".words")).to_have_text(
            film["frames"][film["sliders"][0]["frames"][0]]["words"]
        )
        page.evaluate("document.body.dataset.jpThemeLight = 'true'")  # as JupyterLab says it
        page.get_by_role("slider", name="seq_len").press("End")
        shows(page, film, film["sliders"][0]["frames"][-1])
        page.evaluate("window.close()")
    made = Film()
    made.told = lambda: film
    assert made.widget().film == film
