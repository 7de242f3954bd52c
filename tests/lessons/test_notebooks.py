"""What every lesson must be: stored from one clean run, short cells, its parts in their place."""

import ast
import re

import nbformat
import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.figures.registry import SCENES

from ..conftest import ROOT, prose
from ..trust.kernels import LESSONS, PATHS, code_cells

NUMBERS = {  # what a lesson's cells must print, at least, even if it is written anew
    "00_start_here": "0.84147098 0.54030231",
    "01_why_position": "0.00000000000000 0.58 0.73 5.66 8.00 16.00 0.17 0.81 0.33 0.97",
    "02_integers": "[4. 4.] [0.25 0.25] [0.75 0.75] 0.0625 0.625 49.00000000000001",
    "03_binary": "1.4142 1.0000 1.7321 2.00 1.97",
    "04_sine": "0.84147098 0.47942554 0.90929743 0.14112001 0.99749499 1.84147098 0.84 0.85",
    "05_sinusoidal": "0.84 1,707 1,316 3,377 2,969 5,306 18,438",
    "06_rope": "-0.30116868 1.38177329 -1.32544426 0.49315059 -1.1311125 -0.84887249",
    "07_relative": "the least 0.967 the least 0.00963 393,216 7,096,320",
    "08_alibi": "0.5 0.00390625 5, 10, 19, 35, 49 499.5 124.9",
    "09_rope_in_practice": "42.7 ['table'] 256.0 2048.0 3e-02 2e-03 3e-08",
    "10_beyond": "46 41 35 40 18 0.98 0.74 0.02 0.24 0.67 0.92 0.16 0.93 0.94 0.51 0.52 0.899 0.658 0.188 0.028",
    "11_config": "15 3 14 21 kept 36 kept 18 divided 29] 3.04 1.71 4.28 3.68 43% 1.139 1.296 1.190 1.417 1.874 64.81 "
    "46 29 3.0000 30,528 20,221 1,707 1,128 2,353 18,438 27,115 82,999 0.562 30376 188 58,470 1.069 1.283",
    "12_plane": "0.868 0.748 0.979 0.990 0.077 0.311 0.970 0.149 0.957 0.985 0.898 (0.62 to 0.95) (0.51 to 0.83)",
    "13_which": "0.96 0.01 0.83 0.44 0.25 0.94 0.69 0.93 0.86 0.10 0.06 0.133 0.116 0.47 223 0.98 0.18 0.97 0.19 0.31 "
    "0.66 no 0.87 0.99 0.77 0.60 0.68 1.00",
    "14_frontier": "-3.97 13 14 2.290 0.954 0.672 0.286 0.643 0.978 6.950 4.95 2.0 5.195 commute 18 0.21 0.20",
    "15_positions_not_words": "0.0003 0.0534 1.6459 0.6972 0.8802 1.1057 1.0147 1.4013 1.0909 1.2898 1.2706 27 28 -552",
}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_from_one_clean_run_and_its_cells_are_short(path):
    cells = code_cells(path)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert "widgets" not in nbformat.read(path, as_version=4).metadata
    for cell in cells:
        assert len([line for line in cell.source.splitlines() if line.strip()]) <= 10, cell.source
        assert not re.search(r"import \*|sys\.path|matplotlib|ipywidgets|^[!%]", cell.source, re.M), cell.source
        for output in cell.outputs:
            assert output.output_type != "error"
            assert output.get("name") != "stderr"
            assert not any("widget" in kind for kind in output.get("data", {}))  # what only a kernel can use
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"/(home|root|tmp|Users)/", text)
    assert len(text) < 700_000


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_has_its_parts(path):
    text, (first, *rest) = prose(path), [cell.source for cell in code_cells(path)]
    explorers = [source for source in rest if source.startswith("explore(")]
    shown = [source for source in rest if "explore(" in source and source not in explorers]  # what a reader has written
    puzzles = sum("check(" in source for source in rest)
    assert re.match(rf"# {path.stem[:2]} · ", text)
    assert re.search(r"^\d+ minutes · You need ", text, re.M)
    assert "By the end you can" in text
    boxes = re.findall(r"<details><summary>(Answer|Optional)", text)
    assert text.count("<details>") == text.count("</details>") == len(boxes)
    drawn = sum("guess=True" in source for source in explorers)  # these need no box: they are compared
    asked = text.count("**Predict.**")
    assert max(asked - drawn, 0) <= boxes.count("Answer") <= asked
    assert asked >= 2
    assert drawn <= 2
    assert sum("np.testing.assert_" in source for source in rest) >= 1
    assert 2 <= puzzles <= 5
    assert text.count("**Puzzle ") + text.count("**Bug ") == puzzles
    assert sum("scorecard(" in source for source in rest) == (path.stem != "00_start_here")  # too early for it
    assert re.search(r"^(Previous|Next): ", text, re.M)
    assert len(first.splitlines()) <= 5 + 3 * (path.stem == "00_start_here")  # which opens with a picture
    assert not re.search(r"^\s*(import|from) ", "\n".join(rest), re.M)
    assert 2 <= len(explorers) <= 6
    assert len(shown) <= 1
    assert all(re.search(r'^check\("(\w+)", \1\)\n(?=[^$]*\b\1\b)[^$]*^explore\(', source, re.M) for source in shown)
    assert all(len(ast.parse(source).body) == 1 for source in explorers)
    assert max(len(source.splitlines()) for source in explorers) <= 10  # the formatter's lines


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_code_in_a_folded_box_runs_and_what_it_asserts_holds(path):
    for box in re.findall(r"```python\n(.*?)```", prose(path), re.S):
        assert "assert" in box
        exec(box, {"np": np, "pe": pe})


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_stored_outputs_hold_the_numbers_of_the_curriculum(path):
    stored = "\n".join(o.get("text", "") or o.data["text/plain"] for c in code_cells(path) for o in c.outputs)
    wanted = re.findall(r"\[.*?\]|\(.*?\)|the least [0-9.]+|\S+", NUMBERS.get(path.stem, ""))
    assert [number for number in wanted if number not in stored] == []


def test_the_page_for_teachers_knows_every_lesson_and_every_scene():
    page = prose(ROOT / "notebooks/for_teachers.md")
    for path in LESSONS:
        asked = re.search(r"^(\d+) minutes", prose(path), re.M)[1]
        assert re.search(rf"\]\({path.name}\) \| {asked}( and more)? \|", page), path.name
    for name, scene in SCENES.items():
        assert f"| {name} | {scene.says} |" in page
