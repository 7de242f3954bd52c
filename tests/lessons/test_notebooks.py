"""What every lesson must be: stored from one clean run, short cells, its parts in their place."""

import ast
import re

import nbformat
import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.figures.registry import SCENES

from ..conftest import PICTURE_FIRST, ROOT, prose
from ..trust.kernels import LESSONS, PATHS, code_cells


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_from_one_clean_run_and_its_cells_are_short(path):
    cells = code_cells(path)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert "widgets" not in nbformat.read(path, as_version=4).metadata
    for cell in cells:
        assert len([line for line in cell.source.splitlines() if line.strip()]) <= 10, cell.source
        foreign = r"import \*|sys\.path|matplotlib|ipywidgets|^[!%]"
        assert not re.search(foreign, cell.source, re.M), cell.source
        for output in cell.outputs:
            assert output.output_type != "error"
            assert output.get("name") != "stderr"
            kinds = " ".join(output.get("data", {}))
            assert "widget" not in kinds  # what only a kernel can use
    for cell in nbformat.read(path, as_version=4).cells:
        kept = cell.get("attachments", {})
        assert set(kept) == set(re.findall(r"\]\(attachment:([^)]*)\)", cell.source))
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"/(home|root|tmp|Users)/", text)
    assert len(text) < 700_000


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_has_its_parts(path):
    text, (first, *rest) = prose(path), [cell.source for cell in code_cells(path)]
    imports, opening = first, ""
    if path.stem in PICTURE_FIRST:
        imports, opening = first.rsplit("\n\n", 1)
    panels = [source for source in rest if re.search(r"^explore\(", source, re.M)]
    shown = [source for source in panels if "check(" in source]  # what a reader has written
    explorers = [source for source in panels if source not in shown]
    live = "explore(" in opening
    puzzles = sum("check(" in source for source in rest)
    forms = [rf"\A# {path.stem[:2]} · ", r"^\d+ minutes · You need "]
    for form in (*forms, "By the end you can", "^(Previous|Next): "):
        assert re.search(form, text, re.M), f"{path.name} wants {form}"
    boxes = re.findall(r"<details><summary>(Answer|Optional)", text)
    assert text.count("<details>") == text.count("</details>") == len(boxes)
    # these need no box: they are compared
    drawn = sum("guess=True" in source for source in (opening, *explorers))
    asked = text.count("**Predict.**")
    assert max(asked - drawn, 0) <= boxes.count("Answer") <= asked
    assert asked >= 2
    assert drawn <= 2
    assert text.count("](attachment:answer.png)") == drawn  # who has no kernel sees it, too
    assert sum("np.testing.assert_" in source for source in rest) >= 1
    assert 2 <= puzzles <= 5
    assert text.count("**Puzzle ") + text.count("**Bug ") == puzzles
    assert sum("scorecard(" in source for source in rest) <= 1
    assert len(imports.splitlines()) <= 5
    assert len(opening.splitlines()) <= 3
    assert not re.search(r"^\s*(import|from) ", "\n".join(rest), re.M)
    assert 2 <= len(explorers) + live <= 6
    assert len(shown) <= 1
    checked = r'^check\("(\w+)", \1\)\n(?=[^$]*\b\1\b)[^$]*^explore\('
    assert all(re.search(checked, source, re.M) for source in shown)
    for source in explorers:  # after functions of one's own
        assert all(isinstance(one, ast.FunctionDef) for one in ast.parse(source).body[:-1]), source


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_code_in_a_folded_box_runs_and_what_it_asserts_holds(path):
    for box in re.findall(r"```python\n(.*?)```", prose(path), re.S):
        assert "assert" in box
        exec(box, {"np": np, "pe": pe})


def test_the_page_for_teachers_knows_every_lesson_and_every_scene():
    page = prose(ROOT / "notebooks/for_teachers.md")
    for path in LESSONS:
        asked = re.search(r"^(\d+) minutes", prose(path), re.M)[1]
        assert f"]({path.name}) | {asked} |" in page
    table = page.partition("| scenes |")[2].partition("\n\n")[0]
    panel = pe.playground("rope")
    opened = [panel._read(name)[1] for name in re.findall("`(.+?)`", table)]  # by any name
    panel.close()
    assert {*opened} == {*SCENES}
