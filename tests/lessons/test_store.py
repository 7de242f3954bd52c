"""The command that stores notebooks: clean results, whole files, and words when something fails."""

import nbformat
import pytest

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
    assert "0.ipynb: could not be stored" in said.err
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
