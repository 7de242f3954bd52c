"""The scorecard as a picture: a verdict and a number for each cell, as in the table."""

from posenc_lib import scorecard
from posenc_lib.views import style
from posenc_lib.views.scorecard import draw

CARD = scorecard(["integer", "t5"], lesson=7)


def test_each_cell_is_a_disc_a_word_and_a_number_in_its_row_and_column():
    figure = draw(CARD.measured)
    placed = {text.get_text(): text.get_position() for text in figure.texts}
    words = [text.get_text() for text in figure.texts]
    cells = [cell for row in CARD.measured.values() for cell in row.values()]
    for cell in cells:
        assert words.count(cell.told[0]) == sum(cell.told[0] == each.told[0] for each in cells)
    assert {"● yes", "○ no", "–", "◔ 8%", "near is\nnear", "≤ 1e-9"} <= set(words)
    assert placed["4.05"][0] == placed["bounded"][0]
    assert 0 < placed["integer"][1] - placed["4.05"][1] < 0.1
    assert placed["repeats its end"][0] == placed["goes on"][0]
    assert 0 < placed["t5"][1] - placed["repeats its end"][1] < 0.1


def test_in_a_dark_room_it_follows_the_theme():
    with style.themed("dark"):
        figure = draw(CARD.measured)
    assert figure.get_facecolor()[:3] < (0.3, 0.3, 0.3)
