"""What the documents tell a reader to type does what they say, word for word."""

import re
import shlex
import shutil
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

PAGES = (
    "README.md CONTRIBUTING.md notebooks/for_teachers.md notebooks/questions.md notebooks/cookbook.md figures/README.md"
)
PAGES = [ROOT / page for page in PAGES.split()]
BOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
COMMAND = r"(?:python -m|pip|pytest|bash|uv|echo|ruff|voila|jupyter|source|figures) [^`\n]*|pytest"
ELSEWHERE = (  # tried by continuous integration or other tests, or in need of a network or of minutes
    *("pip install", "pytest", "bash ", "ruff ", "python -m venv", "source ", "uv pip compile", "echo "),
    *(
        "python -m posenc_lib notebooks",
        "python -m posenc_lib train",
        "python -m posenc_lib site",
        "python -m tests.api_page",
        "python -m tests.benchmarks",
    ),
    *("voila notebooks/playground.ipynb", "jupyter lab notebooks/00_start_here.ipynb"),
    "figures make ID",  # ID is no id
)
ALL = "python -m posenc_lib figures"


def commands() -> list[str]:
    """Return every command that a document shows, in a line of its own or within a sentence."""
    texts = [re.sub(r"^```.*?^```", "", prose(path), flags=re.M | re.S) for path in (*PAGES, *BOOKS)]
    lines = [line for text in texts for line in re.findall(rf"^    ({COMMAND})$|`({COMMAND})`", text, re.M)]
    return list(dict.fromkeys(part.strip() for pair in lines for part in "".join(pair).split(" && ")))


HERE = [command for command in commands() if not command.startswith(ELSEWHERE)]
ONE_FIGURE = rf"{ALL} make \w+ --format (png,svg|gif,html|gif)"  # as the gallery and the lessons have for each figure
TYPED = [command for command in HERE if command != ALL and not re.fullmatch(ONE_FIGURE, command)]


def test_every_command_is_of_a_known_kind_and_asks_for_the_files_that_it_names(monkeypatch):
    assert all(command.startswith(ALL) for command in HERE)
    assert len(HERE) > 30
    assert len(TYPED) > 2
    monkeypatch.setattr("posenc_lib.figures.command.write", lambda jobs, folder: made.extend(jobs))
    for command in set(HERE) - {ALL, *TYPED}:  # `figures` alone draws them all
        made = []
        arguments = shlex.split(command)[3:]
        assert main(arguments) == 0
        assert set(made) == {f"{arguments[2]}.{suffix}" for suffix in arguments[4].split(",")}


@pytest.mark.parametrize("command", [*TYPED, pytest.param(ALL, marks=pytest.mark.slow)])
def test_a_command_does_what_it_says(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    arguments = shlex.split(command)[3:]
    if command == ALL:
        shutil.copytree(ROOT / "figures", tmp_path / "figures")
        for path in (tmp_path / "figures").iterdir():
            path.write_bytes(b"")
    assert main(arguments) == 0
    if command == ALL:
        assert all(path.stat().st_size for path in (tmp_path / "figures").iterdir())
    elif arguments[1] == "make":
        formats = re.findall(r"--format (\S+)", command)[0].split(",")
        assert {path.suffix for path in tmp_path.iterdir()} == {f".{suffix}" for suffix in formats}
    else:
        assert "sinusoidal_heatmap" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("flags", "argument", "words"),
    [(["-OO", "-Werror"], "--help", "The commands of the project."), ([], "--version", f"posenc_lib {pe.__version__}")],
)
def test_the_command_runs_as_a_program(flags, argument, words, tmp_path):
    command = [sys.executable, *flags, "-m", "posenc_lib", argument]
    told = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert (told.returncode, told.stderr) == (0, "")
    assert words in told.stdout


def snippets() -> list[str]:
    """Return the Python that documents show, in fences or indented."""
    text = "\n".join(prose(path) for path in PAGES if path.name != "cookbook.md")  # test_doctests runs that
    indented = re.findall(r"(?:^      (?:from|explore|present).*\n)+", text, re.M)
    return re.findall(r"^```python\n(.*?)^```", text, re.M | re.S) + [block.replace("      ", "") for block in indented]


@pytest.mark.parametrize("code", snippets())
def test_a_snippet_runs_as_it_stands(code, tmp_path, monkeypatch, rng):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("posenc_lib.live.page._large", False)
    q, k, v = rng.normal(size=(3, 4, 6, 8))  # what a reader has: four heads, six tokens
    given = {"q": q, "k": k, "v": v, "queries": q, "num_heads": 4, "seq_len": 6, "head_dim": 8}
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
            assert target.startswith("http") or path.parent.joinpath(target).exists(), (path.name, target)
            assert not (target.startswith("..") and path in BOOKS), target  # a server begins at the notebooks' folder
