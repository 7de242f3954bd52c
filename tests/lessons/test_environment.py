"""The check of the environment, and lesson 09 without PyTorch: what is missing is said, and how to get it."""

import os
from importlib import metadata

import nbformat
import pytest
from nbclient import NotebookClient

from posenc_lib import environment

from ..conftest import ROOT


def test_what_is_old_or_missing_is_named_with_the_mend(monkeypatch, capsys):
    def version(name):
        if name == "matplotlib":
            raise metadata.PackageNotFoundError(name)
        return "7.9" if name == "ipywidgets" else "99"

    environment.check_environment()
    assert capsys.readouterr().out == "Everything is in place: the sliders below will move.\n"
    monkeypatch.setattr(environment.metadata, "version", version)
    monkeypatch.setattr(environment.platform, "python_version", lambda: "3.10.4")
    environment.check_environment()
    assert capsys.readouterr().out.splitlines() == [  # what only tests or JupyterLab need is not asked for
        "Python 3.10.4 runs here, >=3.11 is needed.",
        "matplotlib is missing.",
        "ipywidgets 7.9 is here, >=8.1 is needed.",
        *environment.MEND.splitlines(),
    ]


@pytest.mark.slow
def test_without_pytorch_the_lesson_says_how_to_get_it_and_runs_on(tmp_path, monkeypatch):
    (tmp_path / "torch.py").write_text("raise ImportError(name='torch')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    notebook = nbformat.read(ROOT / "notebooks/09_rope_in_practice.ipynb", as_version=4)
    NotebookClient(notebook, resources={"metadata": {"path": str(tmp_path)}}, timeout=300).execute()
    cells = [cell for cell in notebook.cells if "nbval-ignore-output" in cell.metadata.get("tags", [])]
    said = ["".join(output.get("text", "") for output in cell.outputs) for cell in cells]
    assert len(said) == 3
    assert all('pip install -e ".[torch]"' in text for text in said)
