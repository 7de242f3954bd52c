"""The scorecard as a picture: a disc, a slice or a ring, a word and a number for each verdict."""

import io

import numpy as np
from matplotlib.patches import Wedge
from PIL import Image

from posenc_lib import scorecard
from posenc_lib.views import style
from posenc_lib.views.scorecard import CSS_WIDTH, draw

CARD = scorecard(["integer", "t5"], lesson=7)


def test_each_verdict_is_a_dark_disc_a_slice_or_a_light_ring_and_a_word_and_a_number():
    ax = draw(CARD.measured, CARD.new).axes[0]
    texts = [text.get_text() for text in ax.texts]
    cells = [cell for row in CARD.measured.values() for cell in row.values()]
    for word in ("yes", "no", "–", "8%"):
        assert texts.count(word) == sum(cell.answer == word for cell in cells) > 0
    assert {"4.05", "integer", "t5", "near is\nnear", "≤ 1e-9", "repeats its end"} <= set(texts)
    rings = [p for p in ax.patches if isinstance(p, Wedge) and p.theta1 == 0]
    slices = [p.theta2 - p.theta1 for p in ax.patches if isinstance(p, Wedge) and p.theta1 == -90]
    measured = [cell for cell in cells if not cell.reason]
    assert len(rings) == len(measured)
    np.testing.assert_allclose(slices, [360 * cell.share for cell in measured if cell.share])
    bold = {text.get_text() for text in ax.texts if text.get_fontweight() == "bold"}
    assert bold == {"t5"}  # new in lesson 07, where no wish is


def test_a_disc_is_dark_and_a_ring_is_light_also_in_grey():
    figure = draw(CARD.measured)
    ax = figure.axes[0]
    grey = np.asarray(Image.open(io.BytesIO(style.file(figure, "png", 150))).convert("L"))
    assert grey.shape[1] == 1.5 * CSS_WIDTH
    rings = [p.center for p in ax.patches if isinstance(p, Wedge) and p.theta1 == 0]
    yes, no = (round(v * 1.5) for v in ax.transData.transform(rings[0])), ax.transData.transform(rings[1]) * 1.5
    x, y = yes
    assert grey[-y, x] < 120 < 240 < grey[-round(no[1]), round(no[0])]


def test_in_a_dark_room_discs_and_shade_follow_the_theme():
    with style.themed("dark"):
        figure = draw(CARD.measured, CARD.new)
    assert figure.get_facecolor()[:3] < (0.3, 0.3, 0.3)
