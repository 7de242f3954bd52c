"""The clinic: its form, no answer before it is asked for, and what it says of wrong diagnoses is so."""

import ast
import inspect
import re

import nbformat
import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.clinic.scores import in_plane
from posenc_lib.clinic.vectors import along
from posenc_lib.encodings.cases import CASES
from posenc_lib.puzzles import clinic

from ..conftest import ROOT, prose
from ..trust.kernels import code_cells

BOOK, PAGE = ROOT / "notebooks/clinic.ipynb", ROOT / "notebooks/questions.md"
CELLS = nbformat.read(BOOK, as_version=4).cells
IDS = [cell.id for cell in CELLS]
PUZZLES = {one.name: one for one in vars(clinic).values() if hasattr(one, "hints")}
NUMBERS = (  # what its cells must print, at least
    "3.45 4.76 4.60 50% 64.0 [0_0_0_0_0_0_0_0] 37.4 30.92 32.00 23.93 2.7 1.2 62.4 44.6 0.00022 0.394 "
    "[0.941_0.796_0.636] [0.941_0.796_0.941] 38 12 28.7 35.8 -0.22 0.61 0.62 0.73 0.12 0.35"
)
THREADS = (
    "how-to-train-your-gpt#6 LLMs-from-scratch#411 emlx#121 tiny-llm#46 moeut#6 gpt-neox#1003 transformers#29285 "
    "modalities#462 transformers#25104 transformers#33129 llama.cpp#8995 vllm#27431 attention-gym#86 "
    "transformers#41380 SamLynnEvans/Transformer#25 gpt-neox#834 transformers#25199 labml#253 nanochat#264 "
    "allennlp#2993 mae#63 nanochat#489 LLMs-from-scratch#410 transformers#22683 unsloth#3803 transformers#22161 "
    "mae#18 diffusers#10877 pie#603 transformers#48652 MarinFold#184 TinyLlama#24 llama.cpp#2376 C.Origami#42 "
    "transformers#8518"
)


def folded(cell) -> bool:
    return cell.source.startswith("<details>") and cell.source.endswith("</details>")


def printed(cells) -> str:
    return "\n".join(o.get("text", "") or o.data["text/plain"] for c in cells for o in c.get("outputs", []))


@pytest.mark.parametrize("number", range(1, 9))
def test_a_case_has_its_parts_in_order(number):
    first = IDS.index(f"case-{number}")
    parts = [f"{part}-{number}" for part in ("case", "symptom", "look", "panel", "options", "check", "fold")]
    assert IDS[first : first + 7] == parts
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


def test_the_notebook_has_its_form():
    sources, text = [cell.source for cell in code_cells(BOOK)], prose(BOOK)
    assert len(sources[0].splitlines()) <= 5
    assert sum(source.startswith("explore(") for source in sources) == 8
    assert sum("check(" in source for source in sources) == len(PUZZLES) == 9
    assert sum("np.testing.assert_" in source for source in sources) >= 1
    assert text.count("<details>") == text.count("</details>") == 9
    assert not re.search(r"!\[|<img|\]\(\.\.", text)
    asked = re.search(r"^(\d+) minutes", text, re.M)[1]
    for page in ("README.md", "notebooks/00_start_here.ipynb", "notebooks/for_teachers.md"):
        assert re.search(rf"clinic\.ipynb\)\**\s\|.*\b{asked}\b", prose(ROOT / page)), page


def test_no_answer_is_on_the_page_before_it_is_asked_for():
    """Where nothing is folded, no cell up to the last check says what was wrong, in words or in what it prints."""
    before = CELLS[: IDS.index("check-8") + 1]
    open_ = "\n".join(cell.source for cell in before if not folded(cell) and not cell.id.startswith("options"))
    told = f"{open_}\n{printed(before)}".lower()
    names = "mixed pairing|wrong axis|bfloat16, which|two tables|wrong sign|transposed|counted twice|doubled|int8"
    assert [name for name in names.split("|") if name in told] == []
    assert "diagnose(" not in re.sub(r"`pe\.diagnose\(mine\)`", "", open_)
    for one in CASES.values():
        assert type(one).__name__ not in told
    assert not re.search(r"\bfigure\(", "\n".join(cell.source for cell in code_cells(BOOK)))


def test_every_thread_of_a_case_is_named_and_numbers_are_printed():
    text = prose(BOOK)
    assert [thread for thread in THREADS.split() if thread not in text] == []
    assert [n for n in NUMBERS.split() if n.replace("_", " ") not in printed(CELLS)] == []


def test_code_in_a_fold_runs_and_what_it_asserts_holds():
    blocks = re.findall(r"```python\n(.*?)```", prose(BOOK), re.S)
    assert len(blocks) >= 10
    for block in blocks:
        assert "assert" in block
        exec(block, {"np": np, "pe": pe})


@pytest.mark.parametrize("path", [*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("notebooks/*.md")], ids=lambda p: p.name)
def test_a_link_to_a_cell_leads_to_one(path):
    for book, cell in re.findall(r"\]\(([\w.]+)#cell-id=([\w-]+)\)", prose(path)):
        assert cell in [c.id for c in nbformat.read(ROOT / "notebooks" / book, as_version=4).cells], (book, cell)


def test_questions_are_answered_in_three_sentences_by_cells_that_show_it():
    asked = re.split(r"^\*\*(\d+)\. ", prose(PAGE), flags=re.M)[1:]
    assert asked[0::2] == [str(k) for k in range(1, 13)]
    for text in asked[1::2]:
        question, answer, links = re.fullmatch(r"(.*?\?)\*\* \(.*?\)\n(.*?)\n→ (.*?)\n\n.*", text, re.S).groups()
        assert len(re.findall(r"[.:](?:\s|$)", re.sub(r"\d[.,]\d", "", answer))) >= 3, question
        assert len(re.findall(r"\.(?:\s|$)", answer)) == 3, question
        found = re.findall(r"\(([\w.]+)#cell-id=([\w-]+)\)", links)
        shown = [
            c for book, cell in found for c in nbformat.read(PAGE.parent / book, as_version=4).cells if c.id == cell
        ]
        assert shown
        numbers = re.findall(r"\d+\.\d+|\d,\d{3}", answer)
        assert [number for number in numbers if number not in printed(shown)] == [], question


def test_lessons_lead_to_the_page_of_questions_and_to_the_cases():
    for page in ("README.md", "notebooks/00_start_here.ipynb", "notebooks/for_teachers.md", "notebooks/clinic.ipynb"):
        assert "questions.md)" in prose(ROOT / page), page
    for lesson in ("09_rope_in_practice", "11_config"):
        assert "clinic.ipynb#cell-id=case-" in prose(ROOT / f"notebooks/{lesson}.ipynb")


def said(number: int, word: str) -> str:
    return next(told for told, each in PUZZLES[f"case_{number}"].mistakes.items() if each == word)


T, Q = np.arange(32), np.random.default_rng(0).normal(size=(32, 64))
SAME = np.tile(Q[0], (32, 1))


def test_what_other_faults_of_rotary_code_would_have_looked_like():
    def scores(q, k):
        return q @ k.T

    right = pe.rope(SAME)
    assert along(scores(right, right)) < 1e-9
    for base in (10.0, 1e7):  # 1, base; 2, base: the fastest pair turns whatever the base
        other = pe.rope(SAME, base=base)
        assert along(scores(other, other)) < 1e-9
        assert np.ptp(scores(other, other)) > 0.1
    half = pe.rope(SAME, pairing="half")  # 1, checkpoint
    assert along(scores(half, half)) < 1e-9
    np.testing.assert_allclose(np.linalg.norm(half, axis=1), np.linalg.norm(SAME, axis=1))
    assert np.ptp(scores(right, SAME), axis=1).max() < 1e-9  # 1, keys: each row has one colour
    assert "each row" in said(1, "keys")
    np.testing.assert_array_equal(pe.bfloat16(T), T)  # 1, rounding
    moved = pe.rope(SAME, T + 5)  # 3, padding
    np.testing.assert_allclose(scores(moved, moved), scores(right, right), atol=1e-9)
    back = pe.rope(SAME, -T)  # 3, reversed: a query that is its key
    np.testing.assert_allclose(scores(back, back), scores(right, right), atol=1e-9)
    rounded = pe.rope(SAME, 1000 + T, inv_freq=pe.bfloat16(pe.inv_freq(64)).astype(float))  # 4, theta
    assert along(scores(rounded, rounded)) < 1e-9
    again = pe.rope(SAME, T % 16)  # 4, restart: copies of the diagonal
    np.testing.assert_allclose(np.diagonal(scores(again, again), 16), np.diagonal(scores(again, again))[:16])
    end = pe.rope(SAME, np.minimum(T, 20))  # 4, short: one block
    np.testing.assert_allclose(scores(end, end)[20:, 20:], scores(end, end)[20, 20])
    error = np.abs(pe.bfloat16(np.cos(pe.angles(8192, 64))) - np.cos(pe.angles(8192, 64)))  # 4, cosines
    assert round(error.max(), 3) == 0.002
    assert "0.002" in said(4, "cosines")
    twice = scores(right, pe.rope(right))  # 5, twice: wrong from the first tokens on
    assert along(twice) > 0.1
    far = pe.rope(SAME, 100_000 + T)  # 5, length
    assert (along(scores(far, far)) < 1e-6, scores(far, far)[5].argmax()) == (True, 5)


def test_what_other_faults_of_biases_patches_and_tables_would_have_looked_like():
    right = pe.alibi(8, 16)
    for other in (right[::-1], right / 8):  # 6, order and scale
        assert (other[:, 15].argmax(axis=1) == 15).all()
    line = pe.similarity_matrix(pe.sinusoidal(12, 64))  # 7, line
    assert line[3, 4] == pytest.approx(line[2, 3])
    for order in ("yx", "xy"):  # 7, names and halves
        code = pe.sinusoidal_2d(3, 4, 64, order=order)
        assert in_plane(code @ code.T, 3, 4) < 1e-9
    large = pe.sinusoidal_2d(6, 6, 64)[:16]  # 7, resize
    assert in_plane(large @ large.T, 4, 4) > 0.1
    for other in (pe.sinusoidal(64, 64, layout="concatenated"), pe.sinusoidal(64, 64, base=1e8)):  # 8, layout and base
        assert along(other @ other.T) < 1e-9
        assert {f"{length:.2f}" for length in np.linalg.norm(other, axis=1)} == {"5.66"}
    assert "5.66" in said(8, "base")
    assert not pe.sine(4, 64)[0].any()  # 8, sines
    assert CASES["case_8"].table[0].sum() == 32


def test_the_verdicts_on_the_nine_reports_are_those_of_the_fold():
    """Its code asserts each of them; a `not` stands before those that are bugs."""
    fold = CELLS[IDS.index("fold-reports")].source
    lines = re.findall(r"^assert (not |)np\.allclose\(.*# ([a-i])", fold, re.M)
    asserted = {letter: bool(negated) for negated, letter in lines}
    assert [asserted[letter] for letter in "abcdefghi"] == clinic.REPORTS.answer


def test_the_public_name_is_documented_and_typed():
    told = inspect.getdoc(pe.diagnose)
    assert all(f"{name}:" in told for name in inspect.signature(pe.diagnose).parameters)
