"""The command that stores notebooks: clean results, whole files, and words when something fails."""

import nbformat
import pytest

from posenc_lib.__main__ import main


def notebook(path, *sources):
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    nbformat.write(book, path)
    return path


def run(path):
    return main(["notebooks", str(path)])


def test_an_explorer_is_stored_as_picture_and_words_and_the_second_time_as_the_same_bytes(tmp_path, capsys):
    path = notebook(tmp_path / "a b.ipynb", "1 + 1", "from posenc_lib import explore\nexplore('sinusoidal')")
    assert run(tmp_path) == 0
    assert "stored" in capsys.readouterr().out
    book, first = nbformat.read(path, as_version=4), path.read_bytes()
    assert [cell.execution_count for cell in book.cells] == [1, 2]
    assert set(book.cells[1].outputs[0].data) == {"text/html", "text/plain", "image/png"}  # and no dead widget
    assert "widgets" not in book.metadata
    assert all(cell.metadata == {} for cell in book.cells)
    assert run(path) == 0
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    ("source", "words"),
    [("1 / 0", "ZeroDivisionError"), ("import warnings; warnings.warn('careful')", "a cell wrote to stderr: ")],
)
def test_a_failing_notebook_is_left_as_it_was(tmp_path, capsys, source, words):
    path = notebook(tmp_path / "a.ipynb", source)
    before = path.read_bytes()
    assert run(path) == 1
    assert words in capsys.readouterr().err
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_missing_files_and_empty_folders_are_said_in_words(tmp_path, capsys):
    assert run(tmp_path) == run(tmp_path / "gone.ipynb") == 1
    said = capsys.readouterr().err
    assert "no notebook in" in said
    assert "there is no such file" in said


def test_a_file_that_is_no_notebook_does_not_stop_the_others(tmp_path, capsys):
    (tmp_path / "a.ipynb").write_text("garbage")
    (tmp_path / "b.ipynb").write_text("{}")
    notebook(tmp_path / "c.ipynb", "1 + 1")
    assert run(tmp_path) == 1
    said = capsys.readouterr()
    assert said.err.count("is no notebook") == 2
    assert "c.ipynb: stored" in said.out
