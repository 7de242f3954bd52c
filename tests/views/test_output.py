"""A picture in a notebook: its HTML, what is stored of it, and how a dark page shows it."""

import base64
import io
import re

import nbformat
import numpy as np
import pytest
from PIL import Image

from posenc_lib import figure
from posenc_lib.tools import notebooks
from posenc_lib.views import style
from posenc_lib.views.output import IN_THE_DARK, LIGHT, bundle


@pytest.fixture
def png() -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (9, 9), "white").save(data, "PNG")
    return data.getvalue()


def test_html_has_the_caption_in_sight_and_what_is_shown_in_a_fold(png):
    data, metadata = bundle(png, "a & b", 'x > "y"', 300, "a & b")
    page = data["text/html"]
    assert f'width="300" class="{LIGHT}" alt="x &gt; &quot;y&quot;">' in page
    below = page.split(">\n")[1]
    said = "<details><summary>In words</summary><p>x &gt; &quot;y&quot;</p></details>"
    assert below == f"<p>a &amp; b</p>{said}"
    assert metadata["image/png"]["alt"] == 'x > "y"'


def test_stored_it_is_a_bare_picture_and_its_words_and_no_kind_is_there_twice(png):
    data, metadata = bundle(png, "words", "what > is\nseen", 300)
    output = nbformat.v4.new_output("execute_result", dict(data), metadata=metadata)
    picture, said = notebooks._parts(output)
    assert picture.data == {"image/png": data["image/png"]}
    assert picture.metadata == metadata
    fold = "<details><summary>In words</summary><p>what &gt; is\nseen</p></details>"
    assert said.data == {"text/html": fold, "text/plain": "words"}
    assert said.metadata == {}


def test_a_page_that_is_dark_turns_only_pictures_on_light_paper(png):
    for theme, light in (("light", True), ("print", True), ("dark", False)):
        with style.themed(theme):
            data, metadata = bundle(png, "", "", 300)
        assert ("needs_background" in metadata) == light
        assert (f'class="{LIGHT}"' in data["text/html"]) == light
        assert IN_THE_DARK in data["text/html"]


def test_a_figure_brings_a_dark_picture_that_no_notebook_stores():
    data, metadata = figure("sine_waves")._repr_mimebundle_()
    light, dark = re.findall(r"data:image/png;base64,([^\")]+)", data["text/html"])
    corners = []
    for picture in (light, dark):
        pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(picture))).convert("L"))
        corners.append(pixels[0, 0])
    assert corners == [255, 17]
    output = nbformat.v4.new_output("execute_result", dict(data), metadata=metadata)
    stored = notebooks._parts(output)
    assert stored[0].data == {"image/png": light}
    assert dark not in str(stored)
    assert stored[1].data["text/html"].startswith("<p>")
    with style.themed("dark"):
        assert "--dark:" not in figure("sine_waves")._repr_mimebundle_()[0]["text/html"]


def test_for_a_projector_a_figure_is_as_large_as_its_page_has_room_for_and_its_code_folds(
    monkeypatch,
):
    shown = figure("sine_waves")
    width = shown.sheet.size[0]
    desk = shown._repr_mimebundle_()
    for room, by in ((1200, 1.75), (850, 1.25), (700, 1)):
        monkeypatch.setattr(style, "room", {"width": room, "height": 800})
        data, metadata = shown._repr_mimebundle_()
        assert metadata["image/png"]["width"] == width * by
        assert f'width="{width * by:.0f}"' in data["text/html"]
        assert " posenc-large" in data["text/html"]
        pixels = Image.open(io.BytesIO(base64.b64decode(data["image/png"])))
        assert pixels.width == pytest.approx(1.5 * width * by, abs=1)
    monkeypatch.undo()
    assert shown._repr_mimebundle_() == desk
