"""Lesson 09 with and without PyTorch: it runs to its end, and its PyTorch cells say how to get it or what they show."""

import importlib.util
import os

import nbformat
import pytest
from nbclient import NotebookClient

from ..conftest import ROOT

LESSON = ROOT / "notebooks/09_rope_in_practice.ipynb"


def texts(path, folder):
    """Run a notebook and return what its PyTorch cells print."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, resources={"metadata": {"path": str(folder)}}, timeout=120).execute()
    cells = [cell for cell in notebook.cells if "nbval-ignore-output" in cell.metadata.get("tags", [])]
    assert len(cells) == 2
    return ["".join(output.get("text", "") for output in cell.outputs) for cell in cells]


def test_without_pytorch_the_lesson_says_how_to_get_it_and_runs_on(tmp_path, monkeypatch):
    (tmp_path / "torch.py").write_text("raise ImportError(name='torch')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    for text in texts(LESSON, tmp_path):
        assert 'pip install -e ".[torch]"' in text


@pytest.mark.skipif(
    importlib.util.find_spec("torch") is None and not os.environ.get("CI"), reason="PyTorch is not installed"
)
def test_with_pytorch_its_modules_agree_with_numpy(tmp_path):
    for text in texts(LESSON, tmp_path):
        assert "True" in text
        assert "False" not in text
