"""Text from outside stays text: never run, no markup, no file elsewhere, no tied-up machine."""

import html
import re
import time
from dataclasses import replace
from html.parser import HTMLParser
from unittest.mock import Mock
from xml.etree import ElementTree

import nbformat
import numpy as np
import pytest
from ipywidgets import HTML

from posenc_lib import explore, playground, spec
from posenc_lib.__main__ import main
from posenc_lib.encodings.sinusoidal import Sinusoidal
from posenc_lib.figures.registry import FIGURES, SCENES
from posenc_lib.live.page import CSS, inside
from posenc_lib.tools.figures import named
from posenc_lib.tools.formats import render

from ..conftest import ROOT
from .kernels import PATHS

ATTACK = "\"><img src=x onerror='alert(1)'></style></title>"
ATTACK += "<script>alert(1)</script><svg onload=alert(1)>"
TAGS = {*"div p span code b br details summary".split()}
RUN = {*"script foreignObject a iframe animate set handler".split()}


class Markup(HTMLParser):
    """What a browser would make of a text: its tags, what they carry, and the text between them."""

    def __init__(self, text: str):
        super().__init__()
        self.tags, self.attributes, self.told = [], [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data):
        self.told += data

    @property
    def sources(self) -> list[str]:
        """Return where it would load something from."""
        return [value for _, name, value in self.attributes if name == "src"]


def harmless(box) -> str:
    """Return what all HTML in a widget says, once sure that it has the library's own tags alone."""
    told = ""
    for widget in inside(box):
        assert not getattr(widget, "description_allow_html", False)
        if isinstance(widget, HTML) and widget.value != CSS:
            markup = Markup(widget.value)
            assert set(markup.tags) <= TAGS, widget.value
            names = {name for _, name, _ in markup.attributes}
            assert names <= {"role", "style", "class", "aria-hidden"}, widget.value
            assert not re.search(r"url|import|expression", str(markup.attributes))
            told += f"{markup.told} "
    return told


def loads_nothing(drawing: ElementTree.Element) -> None:
    """Check that a drawing has nothing that runs, and refers to nothing but its own parts."""
    for node in drawing.iter():
        assert node.tag.split("}")[1] not in RUN
        assert not any(name.lower().startswith("on") for name in node.attrib)
        for name, value in node.attrib.items():
            if name.split("}")[-1] in ("href", "src"):
                assert value.startswith(("#", "data:image/png;base64,")), value
        words = " ".join([*node.attrib.values(), node.text or ""])
        assert not re.search(r"@import|url\((?!#)", words)


MAKES_OR_ASKS = "(inner|outer)HTML|insertAdjacent|document.write|eval|Function[(]|"
MAKES_OR_ASKS += "fetch|XMLHttp|WebSocket|import|https?:"


def test_what_runs_in_the_browser_makes_no_markup_and_asks_for_nothing():
    for path in (ROOT / "posenc_lib").rglob("*.js"):
        source = path.read_text(encoding="utf-8")
        assert not re.search(MAKES_OR_ASKS, re.sub("//.*", "", source)), path.name


TABLE = "table tr th td div span br small b i mark ul li details summary".split()  # a scorecard
LOOKS = {"style", "title", "colspan", "scope"}  # of its rings


def test_notebooks_hold_text_and_pictures_and_need_no_trust():
    books = [cell for path in PATHS for cell in nbformat.read(path, as_version=4).cells]
    for data in (output.get("data", {}) for cell in books for output in cell.get("outputs", [])):
        assert set(data) <= {"text/plain", "text/html", "image/png"}
        page = Markup(data.get("text/html", ""))
        assert set(page.tags) <= {"p", *TABLE}
        assert {name for _, name, _ in page.attributes} <= LOOKS
        styles = [value for _, name, value in page.attributes if name == "style"]
        assert not re.search(r"url|\\|/\*|expression", " ".join(map(str, styles)))  # loads nothing
    for cell in (cell for cell in books if cell.cell_type == "markdown"):
        kept = cell.get("attachments", {})
        assert {kind for data in kept.values() for kind in data} <= {"image/png"}
        page = Markup(re.sub(r"`[^`]*`|\$[^$]*\$", "", cell.source))
        assert set(page.tags) <= {"details", "summary", "kbd"}
        assert page.attributes == []
        loads = r"!\[[^\]]*\]\(\s*<?(?!attachment:)(\w+:|//)|\]\(\s*<?(javascript|data|file):"
        assert not re.search(loads, cell.source)


@pytest.fixture
def ground():
    made = playground("binary: heatmap")
    yield made
    made.close()


PLACES = ["{}", "rope+{}", "rope: {}", "rope: heatmap; {}", "rope: heatmap; {}=1"]
PLACES += ["rope; seq_len={}", "rope; base={}", "rope; pairing={}", "rope; content={}"]
PLACES += ["rope; query={}", "rope: heatmap | {}", "alibi; head={}", "{}: {}; {}={}"]
SHOWN = (ATTACK, repr(ATTACK)[1:-1], ATTACK.split(";")[0], ATTACK.split("=")[0])


def test_a_line_from_somebody_else_is_shown_as_it_was_written(ground):
    before = ground.line
    for place in PLACES:
        ground._say("")
        ground._line.value = place.replace("{}", ATTACK)
        told = harmless(ground.box)
        assert "alert" in ground._news.value
        assert any(part in told for part in SHOWN)
    assert ground.line == before


def test_news_and_errors_are_shown_as_they_are(ground, monkeypatch):
    monkeypatch.setattr(ground.explorer.sheet, "update", Mock(side_effect=ValueError(ATTACK)))
    ground.explorer._refresh()
    assert f"ValueError: {ATTACK}" in harmless(ground.box)
    name = "Points crowd on a circle"
    monkeypatch.setitem(SCENES, name, replace(SCENES[name], says=ATTACK))
    for tell in (lambda: ground.open(name), lambda: ground._say(ATTACK)):
        tell()
        assert ATTACK in harmless(ground.box)


def test_words_under_a_picture_are_shown_as_they_are(ground, monkeypatch):
    for words in ("text", "seen"):
        monkeypatch.setattr(ground.explorer.sheet, words, ATTACK)
    ground.explorer._show()
    assert ATTACK in harmless(ground.box)
    stored = ground._repr_mimebundle_()[0]
    live = "application/vnd.jupyter.widget-view+json"
    assert set(stored) <= {"text/html", "text/plain", "image/png", live}
    assert stored["text/html"].endswith(f"<p>{html.escape(ATTACK)}</p></details>")
    assert stored["text/html"].count(html.escape(ATTACK)) == 2  # in the alt text, too


def test_a_picture_and_a_page_show_captions_as_they_are():
    one = replace(FIGURES["toeplitz"], id=ATTACK, told=ATTACK, alt=ATTACK, moving=True)
    page = Markup(render(one, one.defaults, "html", dpi=50, frames=2).decode())
    own = "html meta meta meta title style header nav main figure img figcaption"
    own += " details summary p script script"
    assert page.tags == own.split()
    for _, name, _ in page.attributes:
        assert not name.startswith("on")
        assert name not in ("href", "action")
    assert all(source.startswith("data:image/webp;base64,") for source in page.sources)
    assert ("img", "alt", ATTACK) in page.attributes
    assert page.told.count(ATTACK) >= 2  # the caption, and the title of the page
    policy = next(value for _, _, value in page.attributes if "default-src" in value)
    known = r"(default-src|base-uri|form-action) 'none'|(img|font)-src data:|"
    known += r"(style|script)-src 'sha256-[\w+/]{43}='"
    known += r"|style-src-attr 'unsafe-inline'"  # of a scorecard's rings; nothing they name loads
    assert [bool(re.fullmatch(known, rule)) for rule in policy.split("; ")] == 8 * [True]
    drawing = ElementTree.fromstring(render(one, one.defaults, "svg"))
    assert ATTACK in [node.text for node in drawing.iter() if node.tag.endswith("}title")]
    loads_nothing(drawing)


def test_the_drawings_of_the_gallery_load_nothing():
    for path in (ROOT / "figures").glob("*.svg"):
        loads_nothing(ElementTree.parse(path).getroot())
    # the gallery's page shows how to embed a figure: that is code, not markup
    gallery = (ROOT / "figures/README.md").read_text(encoding="utf-8")
    page = Markup(re.sub(r"^    .*|`[^`]*`", "", gallery, flags=re.M))
    assert set(page.tags) <= set("picture source img a details summary p i code".split())
    known = "src alt width href media srcset".split()
    assert {name for _, name, _ in page.attributes} <= set(known)
    links = [value for _, name, value in page.attributes if name == "href"]
    assert all(re.fullmatch(r"(\.\./notebooks/)?\w+\.\w+", link) for link in links)
    sources = [value for _, name, value in page.attributes if name in ("src", "srcset")]
    assert all(re.fullmatch(r"small/\w+\.webp", source) for source in sources)


OUTSIDE = ["../../x", "/x", "../toeplitz", "rope:../../x", "../rope:heatmap"]
OUTSIDE += ["rope:heatmap/../../x", ATTACK]


def test_no_text_leads_out_of_the_folder(tmp_path, monkeypatch):
    out = tmp_path / "in" / "out"
    out.mkdir(parents=True)
    monkeypatch.chdir(out)
    for name in OUTSIDE:
        assert main(["figures", "make", name]) == 2
        assert main(["figures", "make", "toeplitz", "--format", name]) == 2
        assert main(["figures", "make", "toeplitz", "--set", f"base={name}"]) == 2
        assert re.fullmatch(r"[\w-]+_[\w.,-]+", named(name, f"x={name}"))
    panel = explore("binary", views="heatmap")
    values = {"x": "../../../y", "/z": "\0\n\\..\\"}
    monkeypatch.setattr(type(panel), "values", property(lambda self: values))
    panel._picture.page = {"dark": False, "own": 9, "width": 9, "height": 9}
    panel._picture.send = Mock()
    panel._save("png")
    panel.close()
    assert re.fullmatch(r"[\w.-]+", panel._picture.send.call_args.args[0]["save"])
    assert [path.parent for path in tmp_path.rglob("*") if path.is_file()] == []


LINES = ["rope# x", "rope: a# b", "rope; seq_len=# x", "#"]
LINES += ["rope+", "rope: heatmap,", "rope; seq_len=5,", "rope; base=9", "|"]


def test_a_line_without_end_is_refused_at_once():
    """# stands for spaces: if two parts of a pattern may both take them, time grows as a square."""
    for line in LINES:
        for size in (8_000, 10_000_000):  # the shorter first
            text = line.replace("#", " " * size) if "#" in line else line * (size // len(line))
            before = time.process_time()
            with pytest.raises(ValueError, match=r"^(the line|name|views) (must|can)") as refused:
                spec.read(text)
            assert time.process_time() - before < 0.5
            assert len(str(refused.value)) < 5000


CONTROLS = [chr(k) for k in (*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF)]
NO_LETTERS = [*CONTROLS, *map(chr, range(0xD800, 0xE000, 96))]  # and halves of characters


def test_what_xml_has_no_place_for_is_written_as_a_stand_in(tmp_path):
    assert len(NO_LETTERS) > 50
    words = [f"<{letter}&" for letter in CONTROLS]
    q = np.ones((len(words), 2))
    panel = explore("rope", views="attention_map", q=q, k=q, tokens=words, seq_len=len(words))
    encoding = Sinusoidal().named("mine", "".join(NO_LETTERS))
    beside = explore([encoding, "rope"], views="heatmap")
    figure = replace(FIGURES["toeplitz"], caption="".join(NO_LETTERS), alt="".join(NO_LETTERS))
    for made in (panel, beside):
        made.save(tmp_path / "it.svg")
        ElementTree.parse(tmp_path / "it.svg")
        made.close()
    ElementTree.fromstring(render(figure, figure.values(), "svg"))
