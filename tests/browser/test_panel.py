"""What the panel promises the hand: keys, ends, the last value, and a file beside the notebook."""

import pytest

from .lesson_page import LessonPage, notebook


@pytest.fixture(scope="module")
def opened(browser, lab):
    notebook(lab.folder / "panel.ipynb", "from posenc_lib import explore", "explore('sinusoidal')")
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    opened = LessonPage(page, lab("panel.ipynb"))
    opened.run_all()
    yield opened
    assert opened.complaints() == []
    page.close()


@pytest.fixture
def explorer(opened):
    """The explorer as it begins."""
    one = opened.explorers()[0]
    one.press("Reset")
    one.settled()
    return one


def by_name(explorer, name):
    return next(slider for slider in explorer.sliders() if slider.name == name)


def test_the_keys_that_lesson_00_names(explorer):
    slider = by_name(explorer, "seq_len")
    values = {}
    for key in ("Home", "ArrowRight", "PageUp", "PageDown", "ArrowLeft", "End"):
        slider.press(key)
        explorer.page.wait_for_timeout(300)
        values[key] = slider.value()
    assert values["Home"] == 2
    assert values["ArrowRight"] == 3
    assert values["PageUp"] > values["ArrowRight"] + 1
    assert values["PageDown"] < values["PageUp"] - 1
    assert values["ArrowLeft"] == values["PageDown"] - 1
    assert values["End"] == 256


def test_tab_goes_from_slider_to_slider_and_on_to_the_buttons(explorer):
    first, second, *_ = explorer.sliders()
    first.press("ArrowRight")
    stops = []
    for _ in range(20):
        explorer.page.keyboard.press("Tab")
        stops.append(
            explorer.page.evaluate("() => document.activeElement.className + document.activeElement.textContent")
        )
        if "Reset" in stops[-1]:
            break
    assert second.handle is not None
    assert any("noUi-handle" in stop for stop in stops)
    assert "Reset" in stops[-1]


def test_after_a_fast_drag_the_words_are_those_of_the_last_value(explorer):
    slider = by_name(explorer, "seq_len")
    before = explorer.picture()
    slider.drag_to(0.95, steps=60)
    explorer.wait_until(lambda seen: seen != before)
    explorer.page.wait_for_timeout(800)
    readout = slider.readout.inner_text()
    assert f"seq_len {readout}," in explorer.words()
    assert f"Table: {readout} positions" in explorer.words()


def test_limits_follow_on_the_page_and_nothing_fails_at_the_ends(explorer):
    for name, key in (("query", "End"), ("base", "Home"), ("base", "End"), ("d_model", "Home"), ("seq_len", "Home")):
        before = explorer.picture()
        by_name(explorer, name).press(key)
        explorer.wait_until(lambda seen, before=before: seen != before)
    explorer.page.wait_for_timeout(300)
    assert by_name(explorer, "query").value() == 1
    assert explorer.trouble() == ""
    assert "Table: 2 positions × 2 dims" in explorer.words()


def test_save_writes_the_picture_beside_the_notebook(explorer, lab):
    explorer.press("Save PNG")
    name = "sinusoidal_seq_len-64_d_model-64_base-10000_layout-interleaved_x_dim-16_y_dim-17_query-10.png"
    for _ in range(100):
        if (lab.folder / name).exists():
            break
        explorer.page.wait_for_timeout(50)
    assert (lab.folder / name).read_bytes().startswith(b"\x89PNG")
    explorer.wait_until(lambda _: f"Saved as {name}" in explorer.news())
    assert explorer.trouble() == ""
