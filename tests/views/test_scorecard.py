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

DATA = (
    *(["bounded", "near is near"], ["≤ 1", "≥ 0.5"], {"one": [True, False], "two": [False, False]}),
    {"one": ["1", "0.3"], "two": ["4", "0.1"]},
)


def test_each_verdict_is_a_dark_disc_or_a_light_ring_and_a_word_and_a_number():
    ax = draw(*DATA).axes[0]
    assert [line.get_markerfacecolor() for line in ax.lines] == [style.CURVE, *[style.PAPER] * 3]
    texts = [text.get_text() for text in ax.texts]
    assert (texts.count("yes"), texts.count("no")) == (1, 3)
    assert {"1", "0.3", "4", "0.1", "one", "two", "bounded", "near is\nnear", "≤ 1", "≥ 0.5"} <= set(texts)
    grey = np.asarray(Image.open(io.BytesIO(picture(*DATA))).convert("L"))
    assert grey.shape[1] == 1.5 * CSS_WIDTH
    disc, ring = (ax.transData.transform(line.get_xydata()[0]) * 1.5 for line in ax.lines[:2])
    assert grey[-round(disc[1]), round(disc[0])] < 120 < 240 < grey[-round(ring[1]), round(ring[0])]


def test_a_notebook_shows_picture_and_text(monkeypatch, capsys):
    shown = []
    monkeypatch.setattr(IPython.display, "display", lambda data, **rest: shown.append(data))
    scorecard(["integer", "binary"])._ipython_display_()
    assert "binary, 8 dims" in capsys.readouterr().out
    (data,) = shown
    assert Image.open(io.BytesIO(base64.b64decode(data["image/png"]))).height > 200
    assert "binary: 3 of 7 (" in data["text/plain"]
    assert html.escape(data["text/plain"]) in data["text/html"]
