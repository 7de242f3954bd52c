"""The scorecard as a picture: a disc or a ring, a word and a number for each verdict; a notebook shows it by itself."""

import base64
import html
import io

import IPython.display
import numpy as np
from PIL import Image

from posenc_lib import scorecard
from posenc_lib.views import style
from posenc_lib.views.scorecard import CSS_WIDTH, draw, picture

DATA = (["bounded", "near is near"], ["≤ 1", "≥ 0.5"], {"one": [True, False], "two": [False, False]})
VALUES = {"one": ["1", "0.3"], "two": ["4", "0.1"]}


def test_each_verdict_is_a_full_disc_or_a_ring_and_a_word_and_a_number():
    ax = draw(*DATA, VALUES).axes[0]
    faces = [line.get_markerfacecolor() for line in ax.lines]
    assert faces == [style.CURVE, *[style.PAPER] * 3]
    texts = [text.get_text() for text in ax.texts]
    assert texts.count("yes") == 1
    assert texts.count("no") == 3
    assert {"1", "0.3", "4", "0.1", "one", "two", "bounded", "near is\nnear", "≤ 1", "≥ 0.5"} <= set(texts)


def test_disc_and_ring_differ_in_grey():
    pixels = Image.open(io.BytesIO(picture(*DATA, VALUES))).convert("L")
    assert pixels.width == 1.5 * CSS_WIDTH
    grey = np.asarray(pixels)
    ax = draw(*DATA, VALUES).axes[0]
    centres = [ax.transData.transform(line.get_xydata()[0]) * 1.5 for line in ax.lines]
    disc, ring = (grey[-round(y), round(x)] for x, y in centres[:2])
    assert disc < 120 < 240 < ring


def test_the_picture_is_the_same_bytes_every_time():
    assert picture(*DATA, VALUES) == picture(*DATA, VALUES)


def test_a_notebook_shows_picture_and_text(monkeypatch, capsys):
    shown = []
    monkeypatch.setattr(IPython.display, "display", lambda data, **rest: shown.append(data))
    scorecard(["integer", "binary"])._ipython_display_()
    assert "binary, 8 dims" in capsys.readouterr().out
    (data,) = shown
    assert Image.open(io.BytesIO(base64.b64decode(data["image/png"]))).height > 200
    assert "binary: 3 of 7 (" in data["text/plain"]
    assert html.escape(data["text/plain"]) in data["text/html"]
