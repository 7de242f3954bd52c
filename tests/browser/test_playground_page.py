"""The playground in JupyterLab, Notebook 7 and an app: mouse, keys alone, scenes, play, files."""

import re
from pathlib import Path

import pytest

from posenc_lib.figures.registry import NAMES, SCENES
from posenc_lib.lessons.playground.playground import FIRST

from .lab import jupyterlab
from .lesson_page import CLIPBOARD, DESK, PICTURE, ExplorerOnPage, opened

NAMED = """() => {
    const at = document.activeElement;
    const label = at.closest(':has(> .widget-label)')?.querySelector('.widget-label');
    const kind = at.getAttribute('role') ?? at.type ?? at.tagName;
    return `${(label ?? at).innerText} ${at.ariaLabel ?? at.innerText ?? ''}|${kind}`;
}"""
BUTTONS = ("Play query", "Copy line", "Back", "Forward", "Reset", "PNG", "SVG", "Rotation")
SLIDERS = ("seq_len", "d_model", "base", "query", "pair", "interleaved")
PLAIN = "Points crowd on a circle"
KEYS = ("Home", "ArrowRight", "PageUp", "PageDown", "ArrowLeft", "End")  # that lesson 00 names
CUT = """select => {
    const pen = document.createElement('canvas').getContext('2d');
    pen.font = getComputedStyle(select).font;
    return pen.measureText(select.selectedOptions[0].text).width + 24 - select.clientWidth;
}"""
OFFERED = """names => String(names) === String(
    [...document.querySelectorAll('.posenc-scenes button')].map(button => button.textContent))"""
CHOSEN = """name => name === [...document.querySelectorAll(
    '.posenc-scenes [aria-pressed=true]')].map(button => button.textContent).join()"""
IN_SIGHT = """panel => {
    const room = panel.closest('.jp-WindowedPanel-outer').getBoundingClientRect();
    const {top, bottom} = panel.getBoundingClientRect();
    return top >= room.top - 1 && bottom <= room.bottom + 1; }"""
KINDS = (
    "[...document.querySelectorAll('.jp-Cell')]"
    ".map(cell => cell.className.match(/jp-(Code|Raw|Markdown)Cell/)[0])"
)


class Ground(ExplorerOnPage):
    """A playground on a page."""

    def __init__(self, page):
        super().__init__(page, page.wait_for_selector(f".posenc:has({PICTURE})", timeout=120_000))

    def choose(self, label, option):
        self.page.locator(f".widget-dropdown:has(label:text-is('{label}')) select").select_option(
            label=option
        )

    def unfold(self, title):
        self.page.get_by_role("button", name=f"▸ {title}").click()
        self.page.get_by_role("button", name=f"▾ {title}").wait_for()

    def has(self, text):
        self.page.get_by_text(text).first.wait_for(timeout=120_000)

    def open(self, line):
        """Write a line as a reader does who got one, where it is unfolded."""
        written = self.page.locator(".widget-text:has(label:text-is('line')) input")
        written.fill(line)
        written.press("Enter")

    def scene(self, topic, name):
        """Choose a topic, then a scene by its card."""
        if not self.page.locator(".posenc-scenes button").count():
            self.unfold("Scenes")
        self.page.get_by_role("button", name=topic, exact=True).click()
        names = [name for name, one in SCENES.items() if one.topic == topic.lower()]
        self.page.wait_for_function(OFFERED, arg=names)
        self.page.get_by_role("button", name=name, exact=True).click()
        self.has(SCENES[name].says)

    def table(self):
        """Open three views of one table by their line."""
        self.unfold("Save or share")
        self.open("sinusoidal: trajectory, heatmap, dot_product")
        self.has("added to words. You see its table")

    def use(self):
        """Do as a teacher does: choose, compare, open a scene, drag in pictures, go back, copy."""
        seen = [self.settled()]
        for label, option, told in (
            ("Encoding", "ALiBi", "adds to scores. You see the numbers it adds"),
            (
                "Compare with",
                "Rotary (RoPE)",
                "rotates queries and keys. You see one query and one key",
            ),
        ):
            self.choose(label, option)
            self.has(told)
            seen.append(self.changed(seen[-1]))
        self.scene("Waves", PLAIN)
        seen.append(self.changed(seen[-1]))
        assert len(set(seen)) == 4
        assert re.match(r"position \d+, dim \d+: ", self.told_at(0.45, 0.5))
        self.drag((0.8, 0.5), (0.9, 0.5))  # along the keys of the curve
        self.changed(seen[-1])
        self.has(f"as it opened: {SCENES[PLAIN].says}")
        self.press("Back")
        self.wait_until(lambda picture: picture == seen[-2])
        self.settled()  # its page has told that somebody looks
        self.unfold("Save or share")
        self.press("Copy line")
        self.has("Copied. The line is also in its field")
        copied = self.page.evaluate("() => navigator.clipboard.readText()")
        assert copied.startswith("alibi+rope: ")
        self.open("rope: dot_product; base=100 | rope: dot_product; base=500000")
        self.wait_until(lambda _: "Rotary (RoPE), kept: Dot products" in self.said())


@pytest.fixture(scope="module")
def lesson(desk):
    with desk.opened("playground.ipynb") as lesson:
        yield lesson


@pytest.fixture
def ground(lesson):
    lesson.run_all()
    return Ground(lesson.page)


def test_in_jupyterlab(ground):
    ground.use()


@pytest.mark.slow
def test_the_keyboard_alone_reaches_and_moves_everything(ground):
    page, reached, values = ground.page, [], []
    ground.scene("Waves", PLAIN)
    page.wait_for_function("() => document.activeElement.matches('.noUi-handle')")
    slider, before = ground.sliders()["seq_len"], ground.settled()
    page.get_by_role("button", name="Counting", exact=True).focus()
    while len(reached) < 80 and "Play pair" not in "".join(reached):
        reached.append(page.evaluate(NAMED))
        if "▸" in reached[-1]:
            page.keyboard.press("Enter")
            page.wait_for_function("() => document.activeElement.innerText.startsWith('▾')")
        if "slider" in reached[-1] and "seq_len" in reached[-1]:
            for key in KEYS:
                page.keyboard.press(key)
                assert ground.settled() != before
                values.append(int(slider.readout.inner_text()))
        page.keyboard.press("Tab")
    told = " ".join(reached)
    assert [name for name in (*SLIDERS, *BUTTONS, PLAIN) if name not in told] == []
    assert sum("select-one" in what for what in reached) >= 6  # two encodings, three views, files
    home, right, up, down, left, end = values
    assert (home, right, end) == (2, 3, 256)
    assert left + 1 == down < up - 1 > right


def test_from_the_cell_one_tab_leads_to_a_scene_and_from_there_to_its_slider(ground):
    page, kinds = ground.page, ground.page.evaluate(KINDS)
    page.wait_for_selector(".posenc-playground[data-settled] .posenc-scenes button")
    page.locator(".jp-CodeCell .jp-InputPrompt").click()
    page.keyboard.press("Tab")
    page.wait_for_function("() => document.activeElement.closest('.posenc-scenes')")
    page.keyboard.press("Tab")  # past the one that is shown already
    before = ground.settled()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.matches('.noUi-handle')")
    assert "position" in page.evaluate(NAMED)  # what the scene is about
    ground.wait_until(lambda picture: picture != before)
    before = ground.settled()
    page.keyboard.press("ArrowRight")
    ground.wait_until(lambda picture: picture != before)
    page.locator(".posenc-lists select:visible").nth(0).focus()
    page.keyboard.type("ro")  # r alone would be a Raw cell
    ground.has("rotates queries and keys")
    assert page.evaluate(KINDS) == kinds


def test_after_a_fast_drag_words_are_of_the_last_value_and_files_come_to_the_reader(ground):
    ground.table()
    slider = ground.sliders()["seq_len"]
    slider.drag_to(0.95, steps=60)
    ground.settled()
    ground.has(f"Table: {slider.readout.inner_text()} positions")
    for kind, begin in (("PNG", b"\x89PNG\r\n\x1a\n"), ("SVG", b"<?xml")):
        with ground.page.expect_download() as coming:
            ground.press(kind)
        assert re.match(
            rf"sinusoidal-.*-seq_len-{slider.readout.inner_text()}\b.*\.{kind.lower()}",
            coming.value.suggested_filename,
        )
        assert Path(coming.value.path()).read_bytes().startswith(begin)
    assert ground.said("alert") == ""


@pytest.mark.slow
def test_play_moves_the_picture_and_does_not_pile_up(ground):
    ground.table()
    start, slider = ground.settled(), ground.sliders()["query"]
    play = ground.page.get_by_role("button", name="Play query", exact=True)
    stop = ground.page.get_by_role("button", name="Stop query", exact=True)
    play.click()
    ground.page.wait_for_function("readout => Number(readout.innerText) >= 22", arg=slider.readout)
    stop.click()
    stopped = int(slider.readout.inner_text())
    assert ground.settled() != start
    ground.page.wait_for_timeout(1000)  # what was waiting in line would come now
    assert int(slider.readout.inner_text()) - stopped <= 5
    play.click()
    ground.page.wait_for_function(
        "([readout, from]) => Number(readout.innerText) > from", arg=[slider.readout, stopped]
    )
    slider.drag_to(0.1)  # a hand that takes the slider stops it
    play.wait_for()
    there = int(slider.readout.inner_text())
    ground.page.wait_for_timeout(1000)
    assert int(slider.readout.inner_text()) == there < 22
    base = ground.sliders()["base"]
    base.readout.dblclick()
    ground.page.keyboard.type("137,000")  # between two steps
    ground.page.keyboard.press("Enter")
    ground.page.wait_for_function("readout => readout.innerText === '137,000'", arg=base.readout)
    play.click()
    ground.page.get_by_role("button", name="Play base", exact=True).click()
    play.wait_for()  # one plays at a time
    ground.page.wait_for_function(
        "readout => readout.innerText === '1,000,000'", arg=base.readout, timeout=60_000
    )
    ground.page.get_by_role("button", name="Play base", exact=True).wait_for()
    ground.settled()


@pytest.mark.slow
def test_in_notebook_7(browser, lab, tmp_path):
    with (
        jupyterlab(lab.folder, tmp_path, "jupyter notebook", "notebooks/") as address,
        opened(browser, address("playground.ipynb")) as lesson,
    ):
        lesson.errors.clear()  # what Notebook says about itself while it loads
        lesson.run_all()
        Ground(lesson.page).use()
        slider = next(iter(Ground(lesson.page).sliders().values()))
        before = slider.readout.inner_text()
        slider.handle.press("ArrowRight")
        assert slider.readout.inner_text() != before


@pytest.mark.slow
def test_as_an_app(browser, lab, tmp_path):
    page, errors, folder = (
        browser.new_page(viewport=DESK, permissions=CLIPBOARD),
        [],
        lab.folder.parent,
    )
    page.on("pageerror", lambda error: errors.append(str(error)))
    files = sorted(folder.rglob("*"))
    with jupyterlab(folder, tmp_path, "voila notebooks/playground.ipynb", "") as address:
        page.goto(address(""))
        Ground(page).use()
        Ground(page).settled()  # its page has told that somebody looks
        with page.expect_download():
            Ground(page).press("PNG")
        for link in page.locator("a[href]:visible").evaluate_all("all => all.map(a => a.href)"):
            assert page.request.get(link).ok, link
        page.goto(address("") + "&preset=ALiBi%27s+rulers")
        Ground(page).has(SCENES[NAMES["ALiBi's rulers"]].says)
        page.set_viewport_size({"width": 390, "height": 844})
        picture = page.locator(PICTURE)
        page.wait_for_function(
            "box => box.clientHeight > box.clientWidth", arg=picture.element_handle()
        )
        assert picture.bounding_box()["width"] > 330
    assert errors == []
    assert sorted(folder.rglob("*")) == files  # nothing is written where the server is
    page.close()


def test_it_opens_on_a_scene_and_the_strip_its_picture_and_its_sliders_fill_a_screen(ground):
    page = ground.page
    page.set_viewport_size({"width": 1280, "height": 720})
    first = sum(one.first for one in SCENES.values())
    page.wait_for_function(
        "count => [...document.querySelectorAll('.posenc-scenes img')].filter("
        "image => image.naturalWidth > 50).length === count",
        arg=first,
        timeout=120_000,
    )
    page.wait_for_function(CHOSEN, arg=FIRST)
    ground.has(SCENES[FIRST].says)
    room = page.locator(".jp-WindowedPanel-outer").bounding_box()
    strip = page.locator(".posenc-scenes")
    assert strip.bounding_box()["height"] < 0.2 * room["height"]
    panel, picture = page.locator(".posenc-playground"), page.locator(PICTURE)
    for name in (PLAIN, "Where a real head looks", "All four bits flip from 7 to 8"):
        page.get_by_role("button", name=name, exact=True).click()  # one after another
        ground.has(SCENES[name].says)
        page.wait_for_function(CHOSEN, arg=name)
        page.wait_for_function("() => document.activeElement.matches('.noUi-handle')")
        page.wait_for_function("canvas => canvas.clientHeight > 250", arg=picture.element_handle())
        # all of it has come into sight by itself
        page.wait_for_function(IN_SIGHT, arg=panel.element_handle())
        lists = page.locator(".posenc-lists select:visible").all()
        assert len(lists) == 5
        assert len({each.bounding_box()["y"] for each in lists}) == 1
        for each in lists:  # what is chosen is seen whole
            assert each.evaluate(CUT) <= 0
    before = picture.bounding_box()["height"]
    page.get_by_role("button", name="▾ Scenes").click()
    page.wait_for_function(
        "([canvas, before]) => canvas.clientHeight > before",
        arg=[picture.element_handle(), before],
    )
    page.set_viewport_size(DESK)
