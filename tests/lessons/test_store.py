"""The command that stores notebooks: clean results, whole files, and words when something fails."""

import base64
import io
import re
import subprocess
import sys

import nbformat
import numpy as np
import pytest
from PIL import Image

from posenc_lib.__main__ import main


def notebook(path, *sources):
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    nbformat.write(book, path)
    return path


@pytest.mark.slow
def test_notebooks_are_stored_the_same_each_time_and_one_that_fails_stops_no_other(
    tmp_path, capsys
):
    explorer = "from posenc_lib import explore\nexplore('sinusoidal')"
    path = notebook(tmp_path / "a b.ipynb", "1 + 1", explorer)
    failing = notebook(tmp_path / "a.ipynb", "1 / 0")
    before = failing.read_bytes()
    (tmp_path / "0.ipynb").write_text("garbage")
    assert main(["notebooks", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert "ZeroDivisionError" in said.err
    assert "0.ipynb: couldn't be stored" in said.err
    assert "a b.ipynb: stored" in said.out
    assert failing.read_bytes() == before
    book, first = nbformat.read(path, as_version=4), path.read_bytes()
    assert [cell.execution_count for cell in book.cells] == [1, 2]
    kinds = [set(output.data) for output in book.cells[1].outputs]
    assert kinds == [{"image/png"}, {"text/html", "text/plain"}]  # and no dead widget
    assert main(["notebooks", str(path)]) == 0
    assert path.read_bytes() == first
    assert main(["notebooks", str(tmp_path / "gone.ipynb")]) == 1
    assert "No such file" in capsys.readouterr().err


FOLD = "<details><summary>Answer, after you have drawn</summary>\n\n{}\n\nIt falls.\n</details>"
SHOWN = "![What the curve does](attachment:answer.png)"
ASKS = """from posenc_lib import explore

explore("sinusoidal", views="dot_product", seq_len=32, d_model=16, base=100.0, guess=True)"""


@pytest.mark.slow
def test_what_a_reader_was_to_draw_is_kept_in_the_answers_fold(tmp_path):
    text, path = nbformat.v4.new_markdown_cell, tmp_path / "a.ipynb"
    cells = [nbformat.v4.new_code_cell(source) for source in (" ", "x = 1", ASKS, "y = 2")]
    old = {"answer.png": {"image/png": "b2xk"}}
    cells += [text("Look."), text(FOLD.format(SHOWN)), text("Asks no more.", attachments=old)]
    cells += [nbformat.v4.new_code_cell("x")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    assert main(["notebooks", str(path)]) == 0
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    assert [cell.source for cell in book.cells] == [cell.source for cell in cells]
    assert [cell.get("execution_count") for cell in book.cells if "outputs" in cell][1:] == [
        1,
        2,
        3,
        4,
    ]
    *_, fold, no_more, last = book.cells
    assert last.outputs[0].data["text/plain"] == "1"
    assert "attachments" not in no_more
    kept = [fold.attachments["answer.png"], book.cells[2].outputs[0].data]
    answer, asked = (Image.open(io.BytesIO(base64.b64decode(one["image/png"]))) for one in kept)
    assert answer.width == 856  # a dot for each pixel of a page
    blue = [0x00, 0x72, 0xB2]
    drawn = [(np.asarray(one.convert("RGB")) == blue).all(axis=2).any() for one in (answer, asked)]
    assert drawn == [True, False]
    export = [sys.executable, "-m", "nbconvert", "--to", "markdown", "a.ipynb"]
    subprocess.run(export, cwd=tmp_path, capture_output=True, check=True)
    told = (tmp_path / "a.md").read_text(encoding="utf-8")
    files = re.findall(r"!\[[^\]]*\]\(([^)]*)\)", told)
    assert files == ["a_files/a_2_0.png", "a_files/answer.png"]
    assert all((tmp_path / name).stat().st_size > 1000 for name in files)
    assert "data:image" not in told
