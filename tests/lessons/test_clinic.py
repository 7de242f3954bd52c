"""The clinic: its form, no answer before it is asked for, and true words on wrong diagnoses."""

import ast
import io
import re
from contextlib import redirect_stdout

import nbformat
import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.lessons.clinic.cases import CASES
from posenc_lib.lessons.clinic.scores import in_plane
from posenc_lib.lessons.clinic.vectors import along
from posenc_lib.live.puzzles import PUZZLES as REGISTER

from ..conftest import ROOT, prose
from ..trust.kernels import code_cells

BOOK, PAGE = ROOT / "notebooks/clinic.ipynb", ROOT / "notebooks/questions.md"


def cells(path):
    return nbformat.read(path, as_version=4).cells


CELLS = cells(BOOK)
IDS = [cell.id for cell in CELLS]
PUZZLES = REGISTER.load()


def folded(cell) -> bool:
    return cell.source.startswith("<details>") and cell.source.endswith("</details>")


def printed(some) -> str:
    outputs = [output for cell in some for output in cell.get("outputs", [])]
    return "\n".join(output.get("text") or output.data.get("text/plain", "") for output in outputs)


@pytest.mark.parametrize("number", range(1, 10))
def test_a_case_has_its_parts_in_order(number):
    first = IDS.index(f"case-{number}")
    parts = "case symptom look panel options check fold".split()
    assert IDS[first : first + 7] == [f"{part}-{number}" for part in parts]
    case, symptom, _, panel, options, check, fold = CELLS[first : first + 7]
    assert case.source.startswith(f"## Case {number}\n\n> ")
    assert f'CASES["case_{number}"]' in symptom.source
    assert printed([symptom])
    assert panel.source.startswith("explore(")
    assert len(ast.parse(panel.source).body) == 1
    assert "mended=[False, True]" in panel.source
    assert '"mended"' not in panel.source  # it begins as it was reported
    puzzle = PUZZLES[f"case_{number}"]
    offered = re.findall(r'^- `"(\w+)"`: ', options.source, re.M)
    assert sorted(offered) == sorted([puzzle.answer, *puzzle.mistakes.values()])
    assert len(offered) == 5
    assert check.source == f'diagnosis = ...\n\ncheck("case_{number}", diagnosis)'
    assert printed([check]) == "not tried yet\n"
    assert folded(fold)
    assert f'figure("clinic_{number}")' in fold.source


def test_no_answer_is_on_the_page_before_it_is_asked_for():
    """Where nothing is folded, no cell up to the last check says or prints what was wrong."""
    before = CELLS[: IDS.index("check-9") + 1]
    plain = [cell for cell in before if not folded(cell) and not cell.id.startswith("options")]
    open_ = "\n".join(cell.source for cell in plain)
    told = f"{open_}\n{printed(before)}".lower()
    names = "mixed pairing|wrong axis|bfloat16, which|two tables|wrong sign".split("|")
    names += "transposed|counted twice|doubled|falcon|int8".split("|")
    assert [name for name in names if name in told] == []
    assert "diagnose(" not in re.sub(r"`pe\.diagnose\(mine\)`", "", open_)
    for one in CASES.values():
        assert type(one).__name__ not in told
    assert not re.search(r"\bfigure\(", "\n".join(cell.source for cell in code_cells(BOOK)))


def test_every_link_to_a_cell_leads_to_one():
    for path in [*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("notebooks/*.md")]:
        for book, cell in re.findall(r"\]\(([\w.]+)#cell-id=([\w-]+)\)", prose(path)):
            assert cell in [c.id for c in cells(BOOK.parent / book)], (path.name, book, cell)


def test_questions_are_answered_in_three_sentences_by_cells_or_code_that_show_it():
    asked, names = re.split(r"^\*\*(\d+)\. ", prose(PAGE), flags=re.M), {}
    blocks = re.compile(r"```python\n(.*?)```\n\n", re.S)
    # what all blocks need stands before the first of them
    exec(blocks.search(asked[-21]).group(1), names)
    assert asked[1::2] == [str(k) for k in range(1, 23)]
    for text in asked[2::2]:
        code = "".join(blocks.findall(text.split("\n## ")[0]))
        shape = r"(.*?\?)\*\*(?: \(.*?\))?\n(.*?)\n→ (.*?)\n\n.*"
        prose_alone = blocks.sub("", text).replace("\n\n→", "\n→")
        question, answer, links = re.fullmatch(shape, prose_alone, re.S).groups()
        assert len(re.findall(r"[.:](?:\s|$)", re.sub(r"\d[.,]\d", "", answer))) >= 3, question
        assert len(re.findall(r"\.(?:\s|$)", answer)) == 3, question
        found = re.findall(r"\(([\w.]+)#cell-id=([\w-]+)\)", links)
        shown = [c for book, cell in found for c in cells(PAGE.parent / book) if c.id == cell]
        assert shown
        with redirect_stdout(io.StringIO()) as said:
            exec(code, names)
        assert "False" not in said.getvalue(), question
        known = said.getvalue() if code else printed(shown)
        given = re.findall(r"\d+\.\d+|\d,\d{3}", answer)
        given = [number for number in given if number.replace(",", "") not in code]
        assert [number for number in given if number not in known] == [], question


def test_the_verdicts_on_the_ten_reports_are_those_of_the_fold():
    """Its code asserts each of them; a `not` stands before those that are bugs."""
    fold = CELLS[IDS.index("fold-reports")].source
    lines = re.findall(r"^assert (not |)np\.allclose\(.*# ([a-j])", fold, re.M)
    asserted = {letter: bool(negated) for negated, letter in lines}
    assert [asserted[letter] for letter in "abcdefghij"] == PUZZLES["reports"].answer


def test_what_other_faults_would_have_looked_like_is_told_as_it_is():
    """A sample of what the clinic says of wrong diagnoses."""
    x = np.tile(np.random.default_rng(0).normal(size=64), (32, 1))
    turned = {  # case, word: which keep the diagonals of scores
        (1, "base"): pe.rope(x, base=10.0),
        (1, "checkpoint"): pe.rope(x, pairing="half"),
        (3, "padding"): pe.rope(x, np.arange(5, 37)),
        (8, "layout"): pe.sinusoidal(64, 64, layout="concatenated"),
    }
    for (number, word), rows in turned.items():
        assert word in PUZZLES[f"case_{number}"].mistakes.values()
        assert along(rows @ rows.T) < 1e-6, (number, word)
    # 5, twice: wrong from the first tokens on
    assert along(pe.rope(x) @ pe.rope(pe.rope(x)).T) > 0.1
    assert (pe.alibi(8, 16)[::-1][:, 15].argmax(axis=1) == 15).all()  # 6, order
    large = pe.sinusoidal_2d(6, 6, 64)[:16]  # 7, resize
    assert in_plane(large @ large.T, 4, 4) > 0.1
