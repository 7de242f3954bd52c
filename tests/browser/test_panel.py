"""What an explorer promises the hand: keys, ends, the last value, and a file beside the notebook."""

import pytest

from .lesson_page import notebook, opened


@pytest.fixture(scope="module")
def lesson(browser, lab):
    notebook(lab.folder / "panel.ipynb", "from posenc_lib import explore", "explore('sinusoidal')")
    with opened(browser, lab("panel.ipynb")) as lesson:
        lesson.run_all()
        yield lesson


@pytest.fixture
def explorer(lesson):
    """The explorer as it begins."""
    (explorer,) = lesson.explorers()
    explorer.press("Reset")
    explorer.settled()
    yield explorer
    assert explorer.trouble() == ""


def test_the_keys_that_lesson_00_names(explorer):
    slider, values = explorer.sliders()["seq_len"], {}
    for key in ("Home", "ArrowRight", "PageUp", "PageDown", "ArrowLeft", "End"):
        slider.press(key)
        explorer.page.wait_for_timeout(300)
        values[key] = int(slider.readout.inner_text())
    assert values["Home"] == 2
    assert values["ArrowRight"] == 3
    assert values["PageUp"] > values["ArrowRight"] + 1
    assert values["PageDown"] < values["PageUp"] - 1
    assert values["ArrowLeft"] == values["PageDown"] - 1
    assert values["End"] == 256


def test_after_a_fast_drag_the_words_are_those_of_the_last_value(explorer):
    slider, before = explorer.sliders()["seq_len"], explorer.picture()
    slider.drag_to(0.95, steps=60)
    explorer.wait_until(lambda seen: seen != before)
    explorer.page.wait_for_timeout(800)
    readout = slider.readout.inner_text()
    assert f"seq_len {readout}," in explorer.words()
    assert f"Table: {readout} positions" in explorer.words()


def test_limits_follow_on_the_page_and_nothing_fails_at_the_ends(explorer):
    for name, key in (("query", "End"), ("base", "Home"), ("base", "End"), ("d_model", "Home"), ("seq_len", "Home")):
        before = explorer.picture()
        explorer.sliders()[name].press(key)
        explorer.wait_until(lambda seen, before=before: seen != before)
    explorer.page.wait_for_timeout(300)
    assert explorer.sliders()["query"].readout.inner_text() == "1"
    assert "Table: 2 positions × 2 dims" in explorer.words()


def test_save_writes_the_picture_beside_the_notebook(explorer, lab):
    explorer.press("Save PNG")
    name = "sinusoidal_seq_len-64_d_model-64_base-10000_layout-interleaved_x_dim-16_y_dim-17_query-10.png"
    explorer.wait_until(lambda _: f"Saved as {name}" in explorer.news())
    assert (lab.folder / name).read_bytes().startswith(b"\x89PNG")
