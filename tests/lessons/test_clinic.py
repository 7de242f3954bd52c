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
    assert "fixed=[False, True]" in panel.source
    assert '"fixed"' not in panel.source  # it begins as it was reported
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


def numbers(text: str) -> set[str]:
    """Return the numbers of a text that have two digits or more, 99% also as 0.99."""
    found = re.findall(r"\d+(?:[.,]\d+)*%?", text.replace("_", ""))
    plain = {number.replace(",", "") for number in found if len(number) > 1}
    return plain | {f"{float(share) * 100:.0f}%" for share in plain if share.startswith("0.")}


def test_each_answer_of_the_faq_has_code_that_prints_its_numbers():
    top, *asked = re.split(r"^### ", prose(PAGE), flags=re.M)
    setup, given = re.search(r"```python\n(.*?)```", top, re.S)[1], {}
    exec(setup, given)
    shape = r"(\d+)\. .*?\?\n\n(.*?)\n\n```python\n(.*?)```\n\n→ (.*?)\n\n.*"
    assert len(asked) > 30
    for count, text in enumerate(asked, start=1):
        number, answer, code, links = re.fullmatch(shape, text, re.S).groups()
        assert number == str(count)
        assert "#cell-id=" in links, number
        names = dict(given)  # a snippet needs nothing but what stands at the top
        with redirect_stdout(io.StringIO()) as said:
            exec(code, names)
        assert all(names[name] is value for name, value in given.items()), number
        shown = ", then ".join(re.findall(r"print\(.*\)  # (.*)", code))
        assert said.getvalue().splitlines() == shown.split(", then "), number
        told = re.sub(r"et al\. \(?\d{4}|Question \d+|Llama 3\.1|Qwen 2\.5", "", answer)
        assert numbers(told) - numbers(f"{setup} {code} {said.getvalue()}") == set(), number


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
