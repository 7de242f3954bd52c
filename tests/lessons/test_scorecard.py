"""The scorecard: its measures, tried on tables with known answers, and its verdicts."""

import re
import sys

import pytest

from posenc_lib import scorecard
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.register import last_lesson
from posenc_lib.scorecard import PROPERTIES, SHADE, Measured

from ..conftest import ROOT

OF_TOKENS = "offset only, offset only with words"
# the properties each encoding lacks; it has all others that apply
LACKS = {
    "no_position": "unique, nearby is similar",
    "integer": f"bounded, {OF_TOKENS}",
    "normalized": f"length-independent, {OF_TOKENS}",
    "binary": f"no length limit, continuous, nearby is similar, shift is linear, {OF_TOKENS}",
    "sine": f"nearby is similar, shift is linear, {OF_TOKENS}",
    "sinusoidal": "offset only with words",
    "learned": f"no length limit, continuous, nearby is similar, shift is linear, {OF_TOKENS}",
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
# share of draws in which nearby is similar
SHARES = {"rope": 0.20, "shaw": 0.20, "transformer_xl": 0.13, "t5": 0.08}
SHARES |= {"fire": 0.55, "xpos": 0.21, "cope": 0.33}


@pytest.fixture(scope="module")
def card():
    return scorecard()


def test_every_verdict(card):
    assert set(card.measured) == set(ENCODINGS)
    properties = [one.name for one in PROPERTIES]
    assert [one.name for one in card.properties] == properties
    for name, encoding in ENCODINGS.items():
        measured = ", ".join(one for one in properties if card.verdict(name, one) is False)
        assert name in LACKS, f'{name} needs a row in LACKS; measured is "{measured}"'
        lacks = LACKS[name].split(", ") if LACKS[name] else []
        assert set(lacks) <= set(properties)
        for one in properties:
            cell, expected = card.measured[name][one], one not in lacks
            if one in OF_VECTORS and not encoding.has("table"):
                assert (cell.verdict, cell.answer, cell.number) == (None, "–", "no vectors")
            elif name == "no_position" and one not in ("unique", "nearby is similar"):
                assert (cell.verdict, cell.answer, cell.value) == (None, "trivial", None)
            elif one == "nearby is similar" and name in SHARES:
                assert (cell.verdict, cell.share) == (None, pytest.approx(SHARES[name], abs=0.03))
            else:
                assert card.verdict(name, one) is expected, (name, one)


BY_HAND = [
    ("integer", "bounded", 255 / 63),
    ("normalized", "length-independent", 63 / 64 - 63 / 256),
    ("alibi", "nearby is similar", 1),
    ("integer", "shift is linear", 0),  # t → t + 5
    ("binary", "no length limit", 0),
]


def test_measured_values_that_can_be_worked_out_by_hand(card):
    for name, one, value in BY_HAND:
        assert card.measured[name][one].value == pytest.approx(value, rel=1e-6, abs=1e-12), name


def test_a_lesson_shows_what_was_met_so_far_and_what_is_new_in_it():
    card = scorecard(lesson=3)
    assert list(card.measured) == ["no_position", "integer", "normalized", "binary"]
    assert [one.name for one in card.properties][-3:] == [
        "no length limit",
        "continuous",
        "nearby is similar",
    ]
    assert card.new == {"binary", "no length limit", "continuous", "nearby is similar"}
    assert repr(scorecard(["sine", "alibi"], lesson=2)).splitlines() == [
        "                           sine         alibi",
        "unique ≥ 0.1               ● yes 0.464  – no vectors",
        "bounded ≤ 3                ● yes 1      ○ no 4.05",
        "length-independent ≤ 1e-9  ● yes 0      ● yes 0",
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
    """Return the names above a strip as (name, look), and each encoding's look and rings."""
    lines = page.split("</table>")[0].split("<tr")[1:]
    stairs = [line for line in lines if 'scope="row"' not in line]
    strips = lines[len(stairs) :]
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
    properties = "<i>no length limit</i>, <i>continuous</i>, and <i>nearby is similar</i>"
    binary = "binary (3 of 6 properties) is new"
    assert news == f"<p>{binary}, and so are {properties}.</p>"
    heads, rows = seen(strips)
    assert [name for name, _ in heads] == [one.name for one in PROPERTIES[:6]]
    assert [look for _, look in heads] == [""] * 3 + [SHADE] * 3
    assert list(rows) == ["no_position", "integer", "normalized", "binary"]
    for name, (look, cells) in rows.items():
        assert (SHADE in look) == (name == "binary")
        shaded = [SHADE in shade for shade, _ in cells]
        assert shaded == [name == "binary" or k >= 3 for k in range(6)]
    full = ["width:100%" in ring for _, ring in rows["binary"][1]]
    assert full == [True] * 3 + [False] * 3
    first, *_ = rows["binary"][1]
    assert 'title="unique: yes, 1"' in first[1]
    assert first[1].endswith(">unique: ● yes")  # heard, where a ring is seen
    assert [">–" in ring for _, ring in rows["no_position"][1]].count(True) == 4
    assert numbers.count("<td>") == 24
    assert "<td>○ no<br><small>0.351</small></td>" in numbers
    assert "<li><b>nearby is similar</b>: the closer two positions are in the text" in meanings
    assert scorecard("rope", lesson=3).html().startswith("<p><i>no length limit</i>")
    assert card.html().startswith("<table")
    assert "<small>Full: yes. Empty: no. –: doesn't count.</small>" in strips
    assert "Partly full: in that share of draws." in card.html()
    assert "width:20%" in card.html()  # nearby is similar, of RoPE
    for part in (
        "<style",
        "<script",
        "class=",
        "gradient",
    ):  # what a page that trusts nothing takes away
        assert part not in card.html()


def test_rounding_noise_is_0():
    numbers = [Measured(PROPERTIES[0], (value,)).number for value in (0.0, -3e-13, 2e-9)]
    assert numbers == ["0", "0", "2e−09"]


def test_a_wish_that_depends_on_the_draw_is_neither_a_yes_nor_a_no(card):
    cells = [Measured(PROPERTIES[0], values) for values in ((0.2, 0.3), (0.2, 0.05), (0.01,))]
    verdicts = [(cell.verdict, cell.answer) for cell in cells]
    assert verdicts == [(True, "yes"), (None, "50%"), (False, "no")]
    assert "nearby is similar in 20% of draws" in card.describe("rope")


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
