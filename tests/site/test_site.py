"""Pages without a kernel: what they hold, and that only what has changed is made again."""

import base64
import hashlib
import html
import io
import re

import nbformat
import pytest
from fontTools.ttLib import TTFont

import posenc_lib as pe
from posenc_lib.site import films as drawn
from posenc_lib.site.page import numbers_in
from posenc_lib.site.text import formula

from ..films import films
from .tiny import build, site, tiny


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return site(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def page(folder):
    return (folder / "01_tiny.html").read_text(encoding="utf-8")


@pytest.fixture
def shots():
    """Return how a panel is photographed on light and on dark paper."""
    panel = lambda: pe.explore("sinusoidal", seq_len=(4, 24), d_model=8, base=100, start={"seq_len": 12})  # noqa: E731
    return drawn.Shots(panel, dark=False), drawn.Shots(panel, dark=True)


def test_sliders_go_through_their_values_those_of_the_text_and_no_impossible_ones(page):
    first, second = films(page)
    length, pair, query = first["sliders"]
    assert [slider["name"] for slider in first["sliders"]] == ["seq_len", "pair", "query"]
    named = {"5", "20", "37"}  # by the text, and where it begins
    assert drawn.MOST < len(length["values"]) <= drawn.MOST + 4
    assert named | {"4", "8", "60"} <= {*length["values"]}
    assert query["values"] == [*map(str, range(20))]  # as far as the length where it begins
    assert [slider["values"][slider["start"]] for slider in first["sliders"]] == ["20", "1", "5"]
    assert all(slider["frames"][slider["start"]] == 0 for slider in first["sliders"])
    assert pair["help"]
    assert [(each["name"], each["choice"]) for each in second["sliders"]] == [("layout", True)]
    (named,) = first["together"]
    assert named["name"] == "seq_len 8, query 7"
    assert named["at"] == {"0": length["values"].index("8"), "2": 7}
    assert "8 positions" in first["frames"][named["frame"]]["words"]
    moved = first["frames"][query["frames"][0]]["words"]
    assert "position 0" in moved
    assert "before, at query 5" in moved  # the ghost stands where it began


def test_the_font_of_formulas_has_all_their_letters_and_signs(page):
    data = re.search(r"font/woff;base64,([^)]*)", page)[1]
    letters = TTFont(io.BytesIO(base64.b64decode(data))).getBestCmap()
    shown = html.unescape(re.sub("<[^>]*>", "", "".join(re.findall("<math.*?</math>", page, re.S))))
    assert {ord(each) for each in shown if not each.isspace()} <= letters.keys()
    assert "<msqrt>" in page
    assert ord("√") in letters


def test_a_page_has_words_code_outputs_and_help_folded_and_nothing_that_is_true_in_jupyterlab_alone(page):
    text = html.unescape(re.sub("<[^>]*>", "", page))
    for part in ("Does it work?", "Folded.", "1 < 2", "Hint 1", "Hint 3", "np.arange(seq_len)", "jupyter lab "):
        assert part in text
    assert [gone for gone in ("Press Reset.", "install()", "lab-->") if gone in page] == []
    assert "No buttons here." in page
    assert page.count("live in JupyterLab") == 1  # the panel of one's own, not the figure
    for link in ("02_more.html", "02_more.html#b", "https://example.org/a.ipynb", "https://arxiv.org/abs/1706.03762"):
        assert f'href="{link}"' in page
    assert 'href="https://example.org/b?path=01_tiny.ipynb"' in page
    assert '<div id="b">' in page


def test_nothing_is_loaded_and_nothing_runs_but_what_the_policy_knows(folder):
    assert {path.stem for path in folder.iterdir()} == {"01_tiny", "02_more", "for_all", "index"}
    for path in folder.iterdir():
        page = path.read_text(encoding="utf-8")
        bare = re.sub("<script.*?</script>", "", page, flags=re.S)
        assert not re.search(r'<[^>]* style="| on\w+="|(?:src|url)[=(](?!"?data:)', bare)
        for kind in ("style", "script"):
            (inside,) = re.findall(rf"<{kind}>(.*?)</{kind}>", page, re.S)
            assert base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode() in page.split("<title>")[0]


def test_the_index_leads_to_every_page_and_pages_to_their_neighbours(folder):
    index = (folder / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'<td><a href="([^"]*)">', index) == ["01_tiny.html"]  # it says how long it takes
    assert re.findall(r'<p><strong><a href="([^"]*)">Begin', index) == ["01_tiny.html"]
    assert {"02_more.html", "for_all.html"} <= set(re.findall('href="([^"]*)"', index))
    assert "Does it work?" in index
    assert "Left out" not in index
    more = (folder / "02_more.html").read_text(encoding="utf-8")
    assert re.findall(r'<a href="(\w+\.html)">', more) == ["index.html", "01_tiny.html", "for_all.html"]


def test_only_what_changed_or_is_missing_is_made_again(tmp_path, capsys):
    book = tiny(tmp_path)
    path = book / "01_tiny.ipynb"
    cells = nbformat.read(path, as_version=4)
    cells.cells = cells.cells[:1]
    nbformat.write(cells, path)

    def made() -> list[str]:
        build(tmp_path / "out", book)
        return sorted(re.findall(r"(\w+\.html)$", capsys.readouterr().out, re.M))

    assert made() == ["01_tiny.html", "02_more.html", "for_all.html", "index.html"]
    assert made() == []
    (tmp_path / "out/for_all.html").unlink()
    assert made() == ["for_all.html"]
    cells.cells[0].source += "\n\nMore."
    nbformat.write(cells, path)
    assert made() == ["01_tiny.html"]
    (tmp_path / "empty").mkdir()
    build(tmp_path / "out", tmp_path / "empty", status=2)
    assert "no notebook" in capsys.readouterr().err


def test_a_call_is_literal_or_is_none_and_numbers_are_read_as_people_write_them():
    assert numbers_in(["Take it to 10 000, or 10,000; −3, .5 and 1.25", "lesson 05"]) == {1e4, -3, 0.5, 1.25, 5}
    call = drawn.literal_call("explore('rope', views=['a', 'b'], seq_len=(1, 2))")
    assert call == ("explore", ["rope"], {"views": ["a", "b"], "seq_len": (1, 2)})
    assert drawn.literal_call("pe.explore('rope', **{'base': 1e4})") == ("pe.explore", ["rope"], {"base": 1e4})
    for other in ("explore(mine)", "explore('rope', q=np.ones(3))", "x = explore('rope')", "%matplotlib"):
        assert drawn.literal_call(other) is None


def test_formulas_have_spaces_letters_and_brackets_that_browsers_draw():
    assert '<mspace width=".17em"/><mi>sin</mi><mspace width=".17em"/><mi>a</mi>' in formula(r"\sin a")
    assert "<mi>sin</mi><mo" in formula(r"\sin(a)")
    assert '<mi mathvariant="normal">θ</mi>' in formula(r"\theta")
    assert "<mo>⌊</mo>" in formula(r"\Big\lfloor a \Big\rfloor")
    assert "\\" not in formula(r"\bigl( a \bigr)")
    assert "<mo>&lt;</mo>" in formula("a &lt; b")
