"""The scorecard: its measures, tried on tables with known answers, and its verdicts."""

import re
import sys

import pytest

from posenc_lib import scorecard
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.register import last_lesson
from posenc_lib.scorecard import BLUE, SHADE, WISHES, Measured

from ..conftest import ROOT

OF_TOKENS = "only the offset counts, survives tokens"
# for each encoding the wishes that must not come true for it; all others that apply to it must
LACKS = {
    "no_position": "unique, near is near",
    "integer": f"bounded, {OF_TOKENS}",
    "normalized": f"length-independent, {OF_TOKENS}",
    "binary": f"goes on, continuous, near is near, shift is linear, {OF_TOKENS}",
    "sine": f"near is near, shift is linear, {OF_TOKENS}",
    "sinusoidal": "survives tokens",
    "learned": f"goes on, continuous, near is near, shift is linear, {OF_TOKENS}",
    "rope": "",
    "shaw": "",
    "transformer_xl": "",
    "t5": "",
    "alibi": "bounded",
    "kerple": "",
    "fire": OF_TOKENS,
    "sandwich": "",
    "xpos": "",
    "cope": "",
}
OF_VECTORS = {"unique", "continuous", "shift is linear"}
# of draws in which near is near
SHARES = {"rope": 0.20, "shaw": 0.20, "transformer_xl": 0.13, "t5": 0.08}
SHARES |= {"fire": 0.55, "xpos": 0.21, "cope": 0.33}


@pytest.fixture(scope="module")
def card():
    return scorecard()


def test_every_verdict(card):
    assert set(card.measured) == set(ENCODINGS)
    wishes = [wish.name for wish in WISHES]
    assert [wish.name for wish in card.wishes] == wishes
    for name, encoding in ENCODINGS.items():
        measured = ", ".join(wish for wish in wishes if card.verdict(name, wish) is False)
        assert name in LACKS, f'{name} needs a row in LACKS; measured is "{measured}"'
        lacks = LACKS[name].split(", ") if LACKS[name] else []
        assert set(lacks) <= set(wishes)
        for wish in wishes:
            cell, expected = card.measured[name][wish], wish not in lacks
            if wish in OF_VECTORS and not encoding.has("table"):
                assert (cell.verdict, cell.answer, cell.number) == (None, "–", "no vectors")
            elif name == "no_position" and wish not in ("unique", "near is near"):
                assert (cell.verdict, cell.answer, cell.value) == (None, "trivial", None)
            elif wish == "near is near" and name in SHARES:
                assert (cell.verdict, cell.share) == (None, pytest.approx(SHARES[name], abs=0.03))
            else:
                assert card.verdict(name, wish) is expected, (name, wish)


BY_HAND = [
    ("integer", "bounded", 255 / 63),
    ("normalized", "length-independent", 63 / 64 - 63 / 256),
    ("alibi", "near is near", 1),
    ("integer", "shift is linear", 0),  # t → t + 5
    ("binary", "goes on", 0),
]


def test_measured_values_that_can_be_worked_out_by_hand(card):
    for name, wish, value in BY_HAND:
        assert card.measured[name][wish].value == pytest.approx(value, rel=1e-6, abs=1e-12), name


def test_a_lesson_shows_what_was_met_so_far_and_what_is_new_in_it():
    card = scorecard(lesson=3)
    assert list(card.measured) == ["no_position", "integer", "normalized", "binary"]
    assert [wish.name for wish in card.wishes][-3:] == ["goes on", "continuous", "near is near"]
    assert card.new == {"binary", "goes on", "continuous", "near is near"}
    assert repr(scorecard(["sine", "alibi"], lesson=1)).splitlines() == [
        "              sine         alibi",
        "unique ≥ 0.1  ● yes 0.464  – no vectors",
    ]


def test_every_lesson_has_a_scorecard_and_in_some_nothing_is_new(monkeypatch):
    monkeypatch.setattr(sys.modules["posenc_lib.scorecard"], "DRAWS", 2)
    last = last_lesson()
    lessons = (ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb")
    assert last == max(int(path.name[:2]) for path in lessons)
    late = scorecard(lesson=last)
    assert repr(late) == repr(scorecard())
    assert late.new == {e.name for e in ENCODINGS.values() if int(e.lesson) == last}
    assert "<table>" in late.html()
    with pytest.raises(ValueError, match=f"lesson must be at most {last}, got {last + 1}"):
        scorecard(lesson=last + 1)


def seen(page: str) -> tuple[list, dict]:
    """Return the wishes above a strip as (name, look), and of each encoding its look and rings."""
    lines = page.split("</table>")[0].split("<tr")[1:]
    stairs, strips = lines[: len(WISHES)], lines[len(WISHES) :]
    heads = [re.search(r'<span style="([^"]*)">(.*?)<', line).groups() for line in stairs]
    rows = {}
    for line in strips:
        look, name = re.search(r'<th scope="row" style="([^"]*)">(.*)', line).groups()
        cells = re.findall(r'<td style="padding:4px;([^"]*)"><div (.*?)</div>', line)
        rows[name] = look, cells
    return [(name, look) for look, name in heads], rows


def test_a_notebook_shows_rings_of_all_wishes_and_folds_numbers_and_what_wishes_mean(card):
    data, _ = scorecard(lesson=3)._repr_mimebundle_()
    assert set(data) == {"text/html", "text/plain"}
    assert "binary: 3 of 6 (unique, bounded, length-independent)." in data["text/plain"]
    news, strips, numbers, meanings = re.split("(?<=</p>)<table|<details>", data["text/html"])
    wishes = "<i>goes on</i>, <i>continuous</i> and <i>near is near</i>"
    binary = "binary (3 of 6 wishes hold) is new"
    assert news == f"<p>{binary}, and {wishes} are asked for the first time.</p>"
    heads, rows = seen(strips)
    assert [name for name, _ in heads] == [wish.name for wish in WISHES]
    assert [look for _, look in heads] == [""] * 3 + [SHADE] * 3 + ["opacity:.5"] * 3
    assert list(rows) == ["no_position", "integer", "normalized", "binary"]
    for name, (look, cells) in rows.items():
        assert (SHADE in look) == (name == "binary")
        shaded = [SHADE in shade for shade, _ in cells]
        assert shaded == [name == "binary" or 3 <= k < 6 for k in range(9)]
        assert ["later" in ring for _, ring in cells] == [k >= 6 for k in range(9)]
        assert all("dotted" in ring for _, ring in cells[6:])
    full = [f"background:{BLUE}" in ring for _, ring in rows["binary"][1]]
    assert full == [True] * 3 + [False] * 6
    first, *_ = rows["binary"][1]
    assert 'title="unique: yes, 1"' in first[1]
    assert first[1].endswith(">unique: ● yes")  # heard, where a ring is seen
    assert [">–" in ring for _, ring in rows["no_position"][1]].count(True) == 4
    assert numbers.count("<td>") == 24
    assert "<td>○ no<br><small>0.351</small></td>" in numbers
    assert "<li><b>near is near</b>: what is near in the text" in meanings
    assert scorecard("rope", lesson=3).html().startswith("<p><i>goes on</i>")  # no row is new
    assert card.html().startswith("<table")
    assert "conic-gradient(#0072B2 20%" in card.html()  # near is near, of RoPE
    for part in ("<style", "<script", "class="):  # what a page that trusts nothing takes away
        assert part not in card.html()


def test_rounding_noise_is_0():
    numbers = [Measured(WISHES[0], (value,)).number for value in (0.0, -3e-13, 2e-9)]
    assert numbers == ["0", "0", "2e−09"]


def test_a_wish_that_depends_on_the_draw_is_neither_a_yes_nor_a_no(card):
    cells = [Measured(WISHES[0], values) for values in ((0.2, 0.3), (0.2, 0.05), (0.01,))]
    verdicts = [(cell.verdict, cell.answer) for cell in cells]
    assert verdicts == [(True, "yes"), (None, "50%"), (False, "no")]
    assert "near is near in 20% of draws" in card.describe("rope")


@pytest.mark.parametrize(
    ("what", "words"),
    [
        (["sinusodal"], "Did you mean 'sinusoidal'"),
        ([], "at least one"),
        (5, "what must be an enc"),
    ],
)
def test_what_is_no_encoding_is_refused(what, words):
    with pytest.raises((TypeError, ValueError), match=words):
        scorecard(what)
