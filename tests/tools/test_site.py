"""Pages without a kernel: what they hold."""

import base64
import hashlib
import html
import io
import re

import nbformat
import numpy as np
import pytest
from fontTools.ttLib import TTFont
from matplotlib.collections import LineCollection
from nbformat.v4 import new_code_cell, new_notebook, new_output

from posenc_lib import explore, figure
from posenc_lib.figures.registry import FIGURES, find
from posenc_lib.tools.site import cards, notebook
from posenc_lib.tools.site.films import (
    BROAD,
    COLUMN,
    FINE,
    PHONE,
    film,
    numbers_in,
    on_papers,
    readable,
)
from posenc_lib.tools.site.text import formula
from posenc_lib.views.pixels import Words
from posenc_lib.views.style import CSS_DPI

from ..conftest import ROOT
from ..films import films, opened
from . import tiny
from .tiny import build, site


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return site(tmp_path_factory)


@pytest.fixture(scope="module")
def page(folder):
    return (folder / "01_tiny.html").read_text(encoding="utf-8")


def test_sliders_go_through_their_values_those_of_the_text_and_no_impossible_ones(page):
    first, second, own, still = films(page)
    length, pair, query = first["sliders"]
    assert [slider["name"] for slider in first["sliders"]] == ["seq_len", "pair", "query"]
    named = {"5", "20", "37"}  # by the text, and where it begins
    assert FINE - 5 <= len(length["values"]) <= FINE + 5
    assert named | {"4", "8", "60"} <= {*length["values"]}
    # knobs stand where their values do
    assert length["at"] == [int(value) - 4 for value in length["values"]]
    # as far as the length where it begins
    assert (query["values"][0], query["values"][-1]) == ("0", "19")
    assert [slider["values"][slider["start"]] for slider in first["sliders"]] == ["20", "1", "5"]
    assert all(slider["frames"][slider["start"]] == 0 for slider in first["sliders"])
    assert pair["help"]
    assert [(each["name"], each["choice"]) for each in second["sliders"]] == [("layout", True)]
    of_own = [each["name"] for each in own["sliders"]]
    assert of_own == ["seq_len", "d_model", "scale"]  # an encoding that a cell before it defines
    assert (still["sliders"], len(still["frames"])) == ([], 1)
    (named,) = first["stops"]
    assert named["name"] == "seq_len 8, query 7"
    assert named["at"] == {"0": length["values"].index("8"), "2": query["values"].index("7")}
    assert "8 positions" in first["frames"][named["frame"]]["words"]
    moved = first["frames"][query["frames"][0]]["words"]
    assert "position 0" in moved


def test_the_font_of_formulas_has_all_their_letters_and_signs(page):
    data = re.search(r"font/woff;base64,([^)]*)", page)[1]
    letters = TTFont(io.BytesIO(base64.b64decode(data))).getBestCmap()
    shown = html.unescape(re.sub("<[^>]*>", "", "".join(re.findall("<math.*?</math>", page, re.S))))
    assert {ord(each) for each in shown if not each.isspace()} <= letters.keys()
    assert "<msqrt>" in page
    assert ord("√") in letters


WORDS = ["Does it work?", "Folded.", "1 < 2"]
WORDS += ["Hint 1", "Hint 3", "np.arange(seq_len)"]
WORDS += ["To check your answer in JupyterLab, open 01_tiny.ipynb."]
LINKS = ["02_more.html", "02_more.html#b"]
LINKS += ["https://example.org/a.ipynb", "https://arxiv.org/abs/1706.03762"]


def test_a_page_has_words_code_outputs_and_help_folded_and_nothing_for_jupyterlab_alone(page):
    text = html.unescape(re.sub("<[^>]*>", "", page))
    for part in WORDS:
        assert part in text
    assert [gone for gone in ("Press Reset.", "install()", "lab-->") if gone in page] == []
    assert "No buttons here." in page
    assert page.count("In JupyterLab, it's live") == 1  # the panel of one's own, not the figure
    for link in LINKS:
        assert f'href="{link}"' in page
    assert '<div id="b">' in page


def test_a_kept_answer_and_a_stored_picture_are_on_the_page_with_their_words(tmp_path):
    fold = "<details><summary>Answer</summary>\n\n![It falls](attachment:answer.png)\n</details>"
    answer = nbformat.v4.new_markdown_cell(fold, attachments={"answer.png": tiny.PICTURE})
    outputs = [nbformat.v4.new_output("display_data", tiny.PICTURE, metadata=tiny.ABOUT)]
    outputs.append(nbformat.v4.new_output("display_data", tiny.SAID))
    tiny.write(tmp_path / "a.ipynb", [answer, tiny.code("unknown()", *outputs)])
    told = notebook.page(tmp_path / "a.ipynb", "A", "", "").decode()
    assert '<img src="data:image/png;base64,aGk=" alt="It falls"' in told
    still = '<img src="data:image/png;base64,aGk=" alt="hi" width="300">'
    shown = f'<div class="still">{still}</div><p class="note">This is a still picture'
    assert told.index(shown) < told.index("<summary>Code</summary>")
    assert f'<div class="still">{tiny.SAID["text/html"]}</div>' in told
    assert "attachment:" not in told


def test_nothing_is_loaded_and_nothing_runs_but_what_the_policy_knows(folder):
    assert {path.stem for path in folder.iterdir()} == {"01_tiny", "02_more", "for_all", "index"}
    for path in folder.iterdir():
        page = path.read_text(encoding="utf-8")
        bare = re.sub("<script.*?</script>", "", page, flags=re.S)
        assert not re.search(r'<[^>]* style="| on\w+="|(?:src|srcset|url)[=(](?!"?data:)', bare)
        for kind in ("style", 'script type="module"'):
            (inside,) = re.findall(rf"<{kind}>(.*?)</{kind.split()[0]}>", page, re.S)
            digest = hashlib.sha256(inside.encode()).digest()
            assert base64.b64encode(digest).decode() in page.split("<title>")[0]


def test_the_index_leads_to_every_page_and_pages_to_their_neighbors(folder):
    index = (folder / "index.html").read_text(encoding="utf-8")
    # it says how long it takes
    (card,) = re.findall(r'<a href="([^"]*)">(?:(?!</a>).)*<span>5 minutes</span>', index)
    assert card == "01_tiny.html"
    assert re.findall(r'<p><strong><a href="([^"]*)">Begin', index) == ["01_tiny.html"]
    own = set(re.findall('href="([^"#:]*)"', index)) - {"lite/index.html"}
    assert {"02_more.html", "for_all.html"} <= own
    assert not [link for link in own if not (folder / link).exists()]
    assert 'href="#' not in index or all(
        f'id="{to}"' in index for to in re.findall('href="#([^"]*)', index)
    )
    assert "Does it work?" in index
    assert "Left out" not in index
    assert 'href="lite/index.html"' in index
    more = (folder / "02_more.html").read_text(encoding="utf-8")
    links = re.findall(r'<a href="(\w+\.html)">', more)
    assert links == ["index.html", "01_tiny.html", "for_all.html"]
    # where its cells run; a text has none
    assert re.findall('href="(lite/[^"]*)"', more) == ["lite/02_more.html"] * 2
    assert "lite/" not in (folder / "for_all.html").read_text(encoding="utf-8")


def test_one_quiet_line_leads_to_the_live_edition(folder):
    for name, films_of_page in (("01_tiny", 4), ("02_more", 1)):
        page = (folder / f"{name}.html").read_text(encoding="utf-8")
        assert len(films(page)) >= films_of_page
        (line,) = re.findall('<p class="note">(Here, each slider moves.*?)</p>', page)
        assert f'In <a href="lite/{name}.html">the live edition</a>' in line
        assert "puts the others back" not in page
    assert "In JupyterLab they all move" in notebook._alone("")


def test_captions_are_seen_and_the_rest_is_folded_or_heard(folder, page):
    *_, ladder = re.findall('<figure class="film">(.*?)<script', page, re.S)
    caption, alt = find("ladder").words(find("ladder").values())
    assert f"<figcaption>{html.escape(caption)}</figcaption>" in ladder
    assert ladder.count(html.escape(alt)) == 1  # for who doesn't see it
    of_its_own = figure("rope", views="similarity", seq_len=8, head_dim=4)
    assert "<figcaption></figcaption>" in notebook._still(of_its_own)  # its titles are in it
    index = (folder / "index.html").read_text(encoding="utf-8")
    (film,) = re.findall('<figure class="film">(.*?)<script', index, re.S)
    assert len(re.findall("<figcaption>[^<]+", film)) == 1
    fold = '<details><summary>In words</summary></details>\n<p class="words" role="status">'
    assert fold in film


def test_what_a_notebook_stores_as_a_picture_alone_is_shown_with_its_words():
    picture = new_output("display_data", {"image/png": "aGk=", "text/plain": "hi"})
    picture.metadata = {"image/png": {"alt": 'a "ring"', "width": 640}}
    shown = notebook._stored(picture)
    for part in (
        '<img src="data:image/png;base64,aGk="',
        ' width="640"',
        ' alt="a &quot;ring&quot;"',
    ):
        assert part in shown


def test_each_lesson_has_a_card_with_a_plot_whose_edge_cuts_no_word():
    lessons = [path.stem for path in sorted((ROOT / "notebooks").glob("*.ipynb"))]
    assert {*cards.PLOTS} <= {*lessons}
    assert {name for name in lessons if name[0].isdigit()} <= {*cards.PLOTS}
    own = [FIGURES[name].lesson == lesson for lesson, (name, _) in cards.PLOTS.items()]
    assert own == [False] + [True] * (len(own) - 1)  # the first lesson has none
    one = find("binary_trajectory")
    cube, kind = cards.cropped(one.draw(one.values()), 1)
    assert kind == "free"
    ink = np.asarray(opened(cube).convert("L"))
    assert max(ink[[0, -1]].std(), ink[:, [0, -1]].std()) < 1  # nothing at its edge


WIDTHS = {  # px of each drawing, and what is drawn
    (COLUMN, PHONE): {"what": "sinusoidal", "views": "dot_product"},
    (BROAD, PHONE): {"what": "previous_head", "views": "attention_arcs"},
    (COLUMN,): {"what": "sinusoidal", "views": ["heatmap", "dot_product"]},
    (BROAD,): {"what": "sinusoidal", "views": ["trajectory", "heatmap", "dot_product"]},
}


@pytest.mark.parametrize("widths", WIDTHS)
def test_pictures_are_as_wide_as_the_text_or_leave_it_and_a_phone_has_another_if_it_must(widths):
    panels = on_papers(lambda: explore(**WIDTHS[widths]))
    drawn = [panel.sheet.size[0] for panel in panels]
    assert drawn == [width for width in widths for _ in "light dark".split()]
    assert readable(panels[-1].sheet)
    assert [panel.sheet.theme for panel in panels] == len(widths) * ["light", "dark"]
    for panel in panels:
        panel.close()


def test_on_a_phone_each_word_is_named_and_arcs_leave_room_between_them():
    panels = on_papers(lambda: explore("previous_head", views="attention_arcs", seq_len=35))
    _, _, (arcs,), _ = (panel.sheet.pens for panel in panels)
    step = abs(arcs.points[1, 1] - arcs.points[0, 1])
    marks = arcs.marks.drawn
    widest = max(np.max(one.get_linewidths()) for one in marks if isinstance(one, LineCollection))
    assert widest * CSS_DPI / 72 <= 0.45 * step + 1e-6
    lefts = [round(one.dots[0]) for one in marks if isinstance(one, Words)]
    assert max(map(lefts.count, lefts)) == 35  # in a column
    for panel in panels:
        panel.close()


def test_a_phone_has_every_frame_in_its_own_drawing(page):
    first, second, *_ = films(page)
    assert "narrow" not in first  # two views have small cells
    narrow = second["narrow"]
    assert narrow["width"] == PHONE
    assert len(narrow["frames"]) == len(second["frames"])
    assert narrow["frames"][0]["data"] != second["frames"][0]["data"]
    assert all(each["data"] for each in narrow["frames"])


def test_code_is_open_above_what_it_prints_and_folded_below_what_it_draws(page):
    cells = dict(re.findall('<div id="(\\w)">(.*?)</div>(?=\\n<div id=|\\n</main>)', page, re.S))
    folded = {name: "<summary>Code</summary>" in cell for name, cell in cells.items()}
    # imports, explorers, one that cannot be drawn here, a figure
    assert {name for name in folded if folded[name]} == set("cdeijk")
    assert set("bgh") <= {name for name in folded if not folded[name]}
    assert cells["d"].index('class="film"') < cells["d"].index("<summary>Code")
    assert cells["b"].index('class="highlight"') < cells["b"].index('class="output"')


def test_a_folder_without_notebooks_is_told(tmp_path, capsys):
    build(tmp_path / "out", tmp_path, status=2)
    assert "no notebook" in capsys.readouterr().err


def test_numbers_are_read_as_people_write_them():
    found = numbers_in(["Take it to 10 000, or 10,000; −3, .5 and 1.25", "lesson 05"])
    assert found == {1e4, -3, 0.5, 1.25, 5}


def test_formulas_have_spaces_letters_and_brackets_that_browsers_draw():
    space = '<mspace width=".17em"/>'
    assert f"{space}<mi>sin</mi>{space}<mi>a</mi>" in formula(r"\sin a")
    assert "<mi>sin</mi><mo" in formula(r"\sin(a)")
    # its two children, and no space between
    assert "<msup><mi>sin</mi><mn>2</mn></msup>" in formula(r"\sin^2")
    assert '<mi mathvariant="normal">θ</mi>' in formula(r"\theta")
    assert "<mo>⌊</mo>" in formula(r"\Big\lfloor a \Big\rfloor")
    assert "\\" not in formula(r"\bigl( a \bigr)")
    assert "<mo>&lt;</mo>" in formula("a &lt; b")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("wrong.ipynb", 'check("nosuch")', "puzzle 'nosuch' is unknown"),
        ("broken.ipynb", None, "does not appear to be JSON"),
        ("words.md", "# A\n\n$\\frac{$", ""),
    ],
)
def test_a_source_that_cannot_be_shown_is_named(name, text, words, tmp_path):
    path = tmp_path / name
    if path.suffix == ".md":
        path.write_text(text)
    elif text is None:
        path.write_text("no notebook")
    else:
        nbformat.write(new_notebook(cells=[new_code_cell(text)]), path)
    with pytest.raises(ValueError, match=re.escape(f"{path}: ")) as told:
        notebook.page(path, "title", "about", "")
    assert words in str(told.value)


def test_a_slider_that_moves_nothing_while_the_others_rest_is_left_out():
    def shown(**more) -> list[str]:
        what = {"views": "score_by_offset", "seq_len": 16, "head_dim": 8, "base": 100.0}
        what |= {"pairing": "half", "rope_type": ["default", "linear"], "factor": [2, 4]}
        (told,) = films(film(on_papers(lambda: explore("rope", **what)), 1, **more))
        return [slider["name"] for slider in told["sliders"]]

    assert shown() == ["rope_type"]
    assert "factor" in shown(together=[{"rope_type": "linear", "factor": 2}])
