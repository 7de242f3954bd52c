"""The Chinese edition keeps step with the English one, and nothing in it is left in English."""

import ast
import difflib
import re
from collections import Counter, defaultdict
from pathlib import Path

import nbformat
import pytest

from posenc_lib import translation
from posenc_lib.live import puzzles
from posenc_lib.live.explorer import Explorer
from posenc_lib.live.settings import steps
from posenc_lib.tools import parallel
from posenc_lib.tools.notebooks import store
from posenc_lib.tools.parallel import COMMON, MISSING, has_words, paragraphs, parts, speaking
from posenc_lib.translation import read
from posenc_lib.views import style

from .conftest import ROOT

NOTEBOOKS, HERE = ROOT / "notebooks", ROOT / "notebooks/zh"
TEXTS = sorted(path for path in HERE.glob("*.md") if path.name != COMMON)
LADDER = [path.stem for path in TEXTS]
WORDS = sorted((ROOT / "posenc_lib/zh").glob("*.md"))
README = ROOT / "README.zh.md"
HELP = """
In {place}, the English has changed, or it has no translation yet:

{pairs}
Paste the new English into its quotation in that file, and change the Chinese below it if it says
something else now. If you don't read Chinese, delete both: the paragraph then appears in English
and says so, and this test names it until somebody translates it.
"""
KINDS = {  # what both sides have alike, taken away one after the other
    "formulas": r"\$\$.*?\$\$|\$[^$\n]+\$",
    "code": r"```.*?```|`[^`\n]+`",
    "links": r"\]\([^)]*\)",
    "tags": r"<!--/?(?:lab|site)|</?\w+[^>]*>",
    "numbers": r"\d+(?:,\d{3})*(?:\.\d+)?",
}
TERMS = {  # what each is called, and what it isn't
    "position": ("位置", "方位"),
    "encoding": ("编码",),
    "dim": ("维",),
    "pair": ("对",),
    "query": ("查询", "询问"),
    "key": ("键", "密钥", "钥匙"),
    "value": ("值",),
    "token": ("词元", "标记", "代币", "令牌"),
    "word": ("词", "单词"),
    "head": ("头",),
    "offset": ("偏移", "位移"),
    "hand": ("指针",),
    "base": ("底数", "基数"),
    "attention": ("注意力",),
    "score": ("分数",),
    "weight": ("权重",),
    "output": ("输出",),
    "dot product": ("点积", "内积", "点乘"),
    "vector": ("向量", "矢量"),
    "matrix": ("矩阵",),
    "row": ("行",),
    "column": ("列",),
    "rotation": ("旋转",),
    "frequency": ("频率",),
    "sine": ("正弦",),
    "cosine": ("余弦",),
    "bit": ("比特", "位元"),
    "mask": ("掩码", "遮罩", "掩膜"),
    "slider": ("滑块", "滑杆", "滑动条"),
    "scorecard": ("记分卡", "计分卡"),
    "property": ("性质", "属性"),
    "Transformer": ("Transformer", "变压器", "变形金刚"),
    "RoPE": ("RoPE",),
}


def english(path: Path) -> list[str]:
    """Return the words of a lesson's paragraphs, in order."""
    notebook = nbformat.read(NOTEBOOKS / f"{path.stem}.ipynb", as_version=4)
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    found = [parts(paragraph)[1] for source in cells for paragraph in paragraphs(source)]
    return [words for words in found if has_words(words)]


def with_what_changed(new: list[str], old: list[str]) -> str:
    """Return what a contributor has to see: each new text, beside the old one it came from."""
    told = []
    for words in new:
        (near,) = difflib.get_close_matches(words, old, 1, 0.4) or [""]
        told.append(f"  now:   {words}\n" + f"  quoted: {near}\n" * bool(near))
    return "\n".join(told)


@pytest.mark.parametrize("path", TEXTS, ids=LADDER)
def test_every_english_paragraph_is_quoted_and_every_quotation_still_occurs(path):
    there, quoted = english(path), read(path.read_text("utf-8"))
    common = read((HERE / COMMON).read_text("utf-8"))
    new = [words for words in dict.fromkeys(there) if words not in quoted | common]
    old = [words for words in quoted if words not in there]
    place = path.relative_to(ROOT)
    assert not new, HELP.format(place=place, pairs=with_what_changed(new, old))
    assert not old, f"{place} quotes what no longer occurs: {old}"
    assert not [words for words, chinese in quoted.items() if not chinese]


def test_what_is_common_occurs_in_several_lessons():
    places = Counter(words for path in TEXTS for words in set(english(path)))
    common = read((HERE / COMMON).read_text("utf-8"))
    assert not [words for words in common if places[words] < 2]


@pytest.mark.parametrize("path", [*sorted(HERE.glob("*.md"))], ids=lambda path: path.stem)
def test_numbers_formulas_code_links_and_folds_are_the_same_on_both_sides(path):
    wrong = []
    for words, chinese in read(path.read_text("utf-8")).items():
        one, other = words, chinese
        for kind, pattern in KINDS.items():
            here, there = (Counter(re.findall(pattern, text, re.S)) for text in (one, other))
            if here != there:
                wrong.append((kind, here - there, there - here, chinese[:60]))
            one, other = (re.sub(pattern, " ", text, flags=re.S) for text in (one, other))
        rows = [len(re.findall(r"(?m)^(?:- |\d+\. |\|)", text)) for text in (words, chinese)]
        if rows[0] != rows[1] or "\n\n" in re.sub("```.*?```", "", chinese, flags=re.S):
            wrong.append(("lines", *rows, chinese[:60]))
    assert not wrong


def test_places_for_words_are_the_same_on_both_sides():
    for path in WORDS:
        for words, chinese in read(path.read_text("utf-8")).items():
            holes = [set(re.findall(r"\{\w\}", text)) for text in (words, chinese)]
            assert holes[1] <= holes[0], words
            assert chinese, words


def test_each_term_has_one_name():
    chinese = "\n".join(
        text
        for path in [*HERE.glob("*.md"), *WORDS]
        for text in read(path.read_text("utf-8")).values()
    )
    chinese += README.read_text("utf-8")
    for name, (right, *wrong) in TERMS.items():
        assert right in chinese, name
        assert not [word for word in wrong if word in chinese], name


def in_english(words: str) -> bool:
    """Return whether there's an English sentence: four words in a row that aren't names or code."""
    words = re.sub(r"`[^`]*`|\$[^$]*\$|\]\([^)]*\)|<[^>]*>|\*[A-Z][^*]*\*|“[^”]*”", "，", words)
    return bool(re.search(r"(?:\b[A-Za-z][a-z']+[ ,]+){3,}[a-z']{2,}", words))


def test_the_readme_has_no_english_sentence_and_the_same_commands_and_links():
    text, own = (path.read_text("utf-8") for path in (README, ROOT / "README.md"))
    bare = re.sub(r"(?ms)```.*?```|^    \S.*?$", "", text)
    assert not [line for line in bare.splitlines() if in_english(line)]
    commands = [re.findall(r"(?m)^    (\S.*)$", each) for each in (own, text)]
    language = " && python -m posenc_lib notebooks --language zh notebooks/zh"
    theirs = [line.replace(language, "") for line in commands[1]]
    assert len(commands[0]) == len(theirs)
    links = [re.findall(r"\]\(([^)#]+)\)|src=\"([^\"]+)\"", each) for each in (own, text)]
    here = {"".join(link) for link in links[1]}
    assert not [link for link in here if not link.startswith("http") and not (ROOT / link).exists()]


def test_a_lessons_code_and_ids_are_the_english_ones():
    for path in TEXTS:
        own = nbformat.read(NOTEBOOKS / f"{path.stem}.ipynb", as_version=4)
        (made,) = (
            nbformat.reads(text, as_version=4)
            for name, text in parallel.lessons("zh", NOTEBOOKS)
            if name == f"{path.stem}.zh.ipynb"
        )
        assert [cell.id for cell in made.cells] == [cell.id for cell in own.cells]
        codes = [[c.source for c in nb.cells if c.cell_type == "code"] for nb in (own, made)]
        assert codes[0][1:] == codes[1][1:]
        added = [line for line in codes[1][0].splitlines() if line not in codes[0][0].splitlines()]
        assert added == ['pe.language("zh")']
        assert MISSING["zh"] not in "".join(cell.source for cell in made.cells)


def test_what_has_no_translation_is_shown_in_english_and_says_so():
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell(
                "Good day.\n\n<details><summary>Why?</summary>\n\nNo.\n</details>"
            ),
            nbformat.v4.new_code_cell("import numpy as np\n\nimport posenc_lib as pe\n\n1"),
        ]
    )
    made = parallel.compose(notebook, {"Why?": "为什么？"}, "zh", {})
    text, code = (cell.source for cell in made.cells)
    assert text.startswith(f"{MISSING['zh']}\n\nGood day.")
    assert "<summary>为什么？</summary>" in text
    assert code.splitlines()[4] == 'pe.language("zh")'


def test_english_is_what_it_was_and_a_language_is_left_again():
    with speaking("zh"):
        assert translation.said("Reset") != "Reset"
        assert translation.script()
    assert translation.said("Reset") == "Reset"
    assert translation.script() == ""
    assert translation.own_font() is None


class Heard:
    """What's said while somebody goes through a lesson, and what stays in English."""

    def __init__(self, monkeypatch):
        self.left: dict[str, str] = {}  # new words by English ones
        self.used, self.drawn, depth = set(), set(), [0]
        inside = translation._said.__wrapped__

        def said(name: str, words: str) -> str:
            depth[0] += 1
            try:
                new = inside(name, words)
            finally:
                depth[0] -= 1
            if not depth[0]:
                self.drawn.add(new)
                if in_english(new) or (re.fullmatch(r"[A-Za-z ]{4,}", new) and " " in new):
                    self.left[words] = new
            return new

        monkeypatch.setattr(translation, "_said", said)


def sweep(panel: Explorer) -> None:
    """Move each slider through its values, alone."""
    if panel.asks:
        panel.answer()
    for name, slider in list(panel.sliders.items()):
        values = list(steps(slider))
        some = values[:8] + values[8 : -4 : max(len(values) // 24, 1)] + values[-4:]
        for value in some:
            try:
                panel.set(**{name: value})
            except ValueError:
                continue
            translation.said(panel.text)
        panel.reset()


@pytest.mark.slow
@pytest.mark.parametrize("path", TEXTS, ids=LADDER)
def test_no_sentence_of_a_panel_a_hint_or_a_verdict_is_left_in_english(path, monkeypatch, capsys):
    """And there's no letter its font can't draw."""
    heard, panels = Heard(monkeypatch), []
    begin = Explorer.__init__

    def made(self, *args, **kwargs):
        begin(self, *args, **kwargs)
        panels.append(self)

    monkeypatch.setattr(Explorer, "__init__", made)
    monkeypatch.setattr(puzzles, "_given", defaultdict(int))
    notebook = nbformat.read(NOTEBOOKS / f"{path.stem}.ipynb", as_version=4)
    names: dict = {}
    with speaking("zh"):
        for cell in notebook.cells:
            if cell.cell_type != "code":
                continue
            *body, last = ast.parse(cell.source).body
            exec(compile(ast.Module(body, []), "cell", "exec"), names)
            if isinstance(last, ast.Expr):
                shown = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
                if hasattr(shown, "_repr_mimebundle_") and not isinstance(shown, Explorer):
                    shown._repr_mimebundle_()
            else:
                exec(compile(ast.Module([last], []), "cell", "exec"), names)
            while panels:
                panel = panels.pop()
                sweep(panel)
                panel.close()
            for name in re.findall(r'^check\("(\w+)"', cell.source, re.M):
                puzzle = puzzles.find(name)
                answers = [puzzle.answer, *puzzle.mistakes.values(), 4, None, lambda *_: None]
                for answer in answers:
                    puzzles.check(name, answer)
                for _ in range(3):
                    puzzles.hint(name)
        assert heard.left == {}
        lost = {letter for words in heard.drawn for letter in words if not letter.isascii()}
        known = style._letters(translation.own_font())
        assert not {letter for letter in lost if ord(letter) not in known}


@pytest.mark.slow
@pytest.mark.parametrize("path", TEXTS, ids=LADDER)
def test_a_chinese_lesson_runs_and_its_pictures_are_stored(path, tmp_path):
    (place,) = (
        place
        for place in parallel.write("zh", NOTEBOOKS, tmp_path)
        if place.name == f"{path.stem}.zh.ipynb"
    )
    store(place)
    own, made = (
        nbformat.read(each, as_version=4) for each in (NOTEBOOKS / f"{path.stem}.ipynb", place)
    )
    kinds = [
        [output.output_type for cell in nb.cells for output in cell.get("outputs", [])]
        for nb in (own, made)
    ]
    assert kinds[0] == kinds[1]
    alts = [
        output.metadata["image/png"]["alt"]
        for cell in made.cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("metadata", {})
    ]
    assert alts
    assert not [alt for alt in alts if in_english(alt)]
