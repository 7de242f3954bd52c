"""What the documents tell a reader to type does what they say, word for word."""

import re
import shlex
import shutil
import subprocess
import sys

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.__main__ import main

from .conftest import ROOT, prose

PAGES = ("README.md", "CONTRIBUTING.md", "notebooks/for_teachers.md", "figures/README.md")
ELSEWHERE = {  # what is tried by other tests, or asks for a network or for minutes
    "pip install": "continuous integration, which runs the README's command",
    "pytest": "you are reading it",
    "python -m posenc_lib notebooks": "tests/lessons/test_store.py; nbval compares what it stored",
    "python -m tests.benchmarks": "a measurement",
    "python -m tests.trust.audit": "a network",
    "python -m tests.trust.mutation": "tests/trust/test_mutation.py",
    "bash ": "continuous integration, and what it calls",
    "uv pip compile": "a network",
    "echo ": "only after the line before it",
    "ruff ": "continuous integration",
    "voila notebooks/playground.ipynb": "tests/browser/test_playground_page.py",
    "jupyter lab notebooks/00_start_here.ipynb": "tests/browser/test_as_found.py",
    "python -m venv": "continuous integration",
    "source ": "continuous integration",
    "python -m posenc_lib figures make ID": "ID is no id",
    "figures make ID": "ID is no id",
}
COMMAND = r"(?:python -m|pip|pytest|bash|uv|echo|ruff|voila|jupyter|source|figures) [^`\n]*|pytest"


def commands() -> list[str]:
    """Return every command that a document shows, in a line of its own or within a sentence."""
    found = {}
    for path in [*(ROOT / page for page in PAGES), *sorted((ROOT / "notebooks").glob("*.ipynb"))]:
        text = prose(path)
        lines = re.findall(rf"^    ({COMMAND})$", text, re.M) + re.findall(rf"`({COMMAND})`", text)
        found |= {part.strip(): None for line in lines for part in line.split(" && ")}
    return list(found)


OURS = [command for command in commands() if command.startswith("python -m posenc_lib figures")]
HERE = [command for command in OURS if not command.startswith(tuple(ELSEWHERE))]
GALLERY = [command for command in HERE if f"ipynb) · `{command}`" in prose(ROOT / "figures/README.md")]
ALL = "python -m posenc_lib figures"


def test_every_command_is_tried_here_or_elsewhere():
    assert len(OURS) > 30
    assert [c for c in commands() if c not in HERE and not c.startswith(tuple(ELSEWHERE))] == []


def test_all_commands_of_the_gallery_are_of_one_kind():
    assert all(re.fullmatch(r"python -m posenc_lib figures make \w+ --format (png,svg|gif,html)", c) for c in GALLERY)


@pytest.mark.parametrize("command", [pytest.param(c, marks=[pytest.mark.slow] * (c in (*GALLERY, ALL))) for c in HERE])
def test_a_command_does_what_it_says(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    python, dash_m, module, *arguments = shlex.split(command)
    assert (python, dash_m, module) == ("python", "-m", "posenc_lib")
    if arguments == ["figures"]:
        shutil.copytree(ROOT / "figures", tmp_path / "figures")
        for path in (tmp_path / "figures").iterdir():
            path.write_bytes(b"")
    assert main(arguments) == 0
    if arguments[1:2] == ["make"]:
        formats = re.search(r"--format (\S+)", command)
        suffixes = {f".{suffix}" for suffix in (formats[1] if formats else "png").split(",")}
        assert {path.suffix for path in tmp_path.iterdir()} == suffixes
    elif arguments[1:2] == ["list"]:
        assert "sinusoidal_heatmap" in capsys.readouterr().out
    else:
        assert all(path.stat().st_size for path in (tmp_path / "figures").iterdir())


def test_the_command_runs_as_a_program(tmp_path):
    command = [sys.executable, "-m", "posenc_lib"]
    for flags in (["-OO"], ["-W", "error"], []):
        told = subprocess.run([command[0], *flags, *command[1:], "--help"], capture_output=True, text=True)
        assert (told.returncode, told.stderr) == (0, "")
        assert "The commands of the project." in told.stdout
    told = subprocess.run([*command, "--version"], capture_output=True, text=True)
    assert told.stdout == f"posenc_lib {pe.__version__}\n"
    told = subprocess.run([*command, "notebooks", ""], capture_output=True, text=True, cwd=tmp_path)
    assert told.returncode == 2
    assert "an empty name would mean this folder" in told.stderr


def snippets() -> list[str]:
    """Return the Python that documents show, in fences or indented."""
    found = []
    for page in PAGES:
        text = prose(ROOT / page)
        found += re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
        indented = re.findall(r"(?:^      (?:from|explore|present).*\n)+", text, re.M)
        found += [block.replace("      ", "") for block in indented]
    return found


def test_there_are_snippets():
    assert len(snippets()) >= 4


@pytest.mark.parametrize("code", snippets())
def test_a_snippet_runs_as_it_stands(code, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("posenc_lib.live.presenter._large", False)
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=(3, 4, 6, 8))  # what a reader has: four heads, six words
    given = {"q": q, "k": k, "v": v, "queries": q, "num_heads": 4, "seq_len": 6, "head_dim": 8}
    if not re.search(r"^(from|import) ", code):
        given["explore"] = pe.explore  # the sentence before it is about lessons, which have it
    exec(code, given)


def test_links_between_documents_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", prose(ROOT / page)):
            assert target.startswith("http") or (ROOT / page).parent.joinpath(target).exists(), (page, target)
