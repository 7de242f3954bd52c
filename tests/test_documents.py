"""What the documents tell a reader to type does what they say, word for word."""

import re
import shlex
import subprocess
import sys
from unittest import mock

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.__main__ import main
from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.views import VIEWS, style
from posenc_lib.views.view import view

from .conftest import ROOT, prose

ROOMS = ROOT / "notebooks", ROOT / "figures"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
PAGES += [page for room in ROOMS for page in sorted(room.glob("*.md"))]
BOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
FIGURES = r"python -m posenc_lib figures (?!make ID)[^`<\n]+"  # ID is no id


def commands() -> list[str]:
    """Return every command for figures that a document shows, in its own line or in a sentence."""
    found = set()
    for path in (*PAGES, *BOOKS):
        text = re.sub(r"^```.*?^```", "", prose(path), flags=re.M | re.S)
        shown = rf"^    ({FIGURES})$|`({FIGURES})`|<code>({FIGURES})</code>"
        found |= set(map("".join, re.findall(shown, text, re.M)))
    return sorted(found)


def suffixes(command: str) -> set[str]:
    return {f".{suffix}" for suffix in re.findall(r"--format (\S+)", command)[0].split(",")}


def test_every_command_for_figures_asks_for_the_files_that_it_names(monkeypatch, capsys):
    monkeypatch.setattr("posenc_lib.tools.figures.write", lambda jobs, folder: made.extend(jobs))
    assert len(commands()) > 30
    for command in commands():
        made = []
        assert main(shlex.split(command)[3:]) == 0, command
        if "make" in command:
            assert {f".{name.split('.')[-1]}" for name in made} == suffixes(command), command
    assert "sinusoidal_heatmap" in capsys.readouterr().out


def takes_long(command: str) -> bool:
    """Return whether a command makes a film."""
    return "gif" in command or "html" in command


# beyond the gallery's own
TYPED = [command for command in commands() if command.count(" --") > 1 or '"' in command]
WRITTEN = [command for command in TYPED if not takes_long(command)]
WRITTEN += [pytest.param(film, marks=pytest.mark.slow) for film in filter(takes_long, TYPED)]


@pytest.mark.parametrize("command", WRITTEN)
def test_a_command_does_what_it_says(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(command)[3:]) == 0
    assert {path.suffix for path in tmp_path.iterdir()} == suffixes(command)


def test_the_command_runs_as_a_program(tmp_path):
    command = [sys.executable, "-OO", "-Werror", "-m", "posenc_lib", "--version"]
    told = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert (told.returncode, told.stdout, told.stderr) == (0, f"posenc_lib {pe.__version__}\n", "")


def snippets() -> list[str]:
    """Return the Python that documents show."""
    run = ("cookbook.md", "questions.md")  # by test_doctests and test_clinic
    text = "\n".join(prose(path) for path in PAGES if path.name not in run)
    return re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)


@pytest.mark.parametrize("code", snippets())
def test_a_snippet_runs_as_it_stands(code, tmp_path, monkeypatch, rng):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("posenc_lib.live.page.Look.large", False)
    q, k, v = rng.normal(size=(3, 4, 6, 8))  # what a reader has: four heads, six tokens
    given = {"q": q, "k": k, "v": v, "queries": q, "num_heads": 4, "seq_len": 6, "head_dim": 8}
    given["display"] = lambda shown: None  # as in a notebook
    if not re.search(r"^(from|import) ", code, re.M):  # then the text before it says what is there
        given |= {"explore": pe.explore, "view": view, "style": style, "np": np}
    with mock.patch.dict(VIEWS), mock.patch.dict(ENCODINGS):
        known = set(VIEWS)
        exec(code, given)
        for name in set(VIEWS) - known:  # what CONTRIBUTING shows how to add
            pe.explore("sinusoidal", views=name).close()
        for one in filter(lambda one: isinstance(one, type), given.values()):
            if issubclass(one, Encoding) and one.name:
                ENCODINGS[one.name] = one()
                pe.explore(one.name).close()


def test_links_lead_somewhere():
    for path in (*PAGES, *BOOKS):
        for target in re.findall(r"\]\(([^)#]+)", prose(path)):
            there = (
                target.startswith(("http", "attachment:")) or path.parent.joinpath(target).exists()
            )
            assert there, (path.name, target)
            # a server begins at the notebooks' folder
            assert not (target.startswith("..") and path in BOOKS), target
