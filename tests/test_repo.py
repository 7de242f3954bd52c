"""What a clone must be: the given rooms, true commands, whole pins, no word of any one machine."""

import re
import tomllib

import pytest

from .conftest import ROOT, tracked

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
README = (ROOT / "README.md").read_text(encoding="utf-8")


def pins(name):
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def test_the_top_level_has_the_given_rooms_and_only_what_tools_need_beside_them():
    top = {path.relative_to(ROOT).parts[0] for path in tracked()}
    given = {"notebooks", "posenc_lib", "requirements.txt", "README.md", "figures", "tests"}
    tools = {
        "pyproject.toml",
        "LICENSE",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        ".ci",
        ".github",
        ".gitignore",
        "runtime.txt",
    }
    assert given <= top <= given | tools


@pytest.mark.parametrize("name", ["requirements.txt", "tests/constraints.txt"])
def test_everything_is_pinned_exactly(name):
    for line in pins(name):
        assert re.fullmatch(r"-e \.|[a-z0-9-]+==\S+( ; .+)?", line), line


def test_requirements_end_with_the_library_and_constraints_only_add_to_them():
    base = pins("requirements.txt")
    assert base[-1] == "-e ."
    assert set(base[:-1]) <= set(pins("tests/constraints.txt"))
    names = {line.split("==")[0] for line in base}
    for requirement in [*PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"]["lab"]]:
        assert re.match(r"[a-z-]+", requirement)[0] in names


def test_the_library_itself_needs_no_notebook_server():
    needed = {re.match(r"[a-z-]+", requirement)[0] for requirement in PROJECT["project"]["dependencies"]}
    assert needed == {"numpy", "matplotlib", "ipywidgets"}


def test_readme_gives_the_commands_that_ci_runs():
    assert "pip install -r requirements.txt && jupyter lab notebooks/00_start_here.ipynb" in README
    command = 'pip install -e ".[test]" -c tests/constraints.txt && pytest -m "not slow"\n'
    assert command in README
    assert "README.md" in (ROOT / ".ci/run").read_text(encoding="utf-8")


def test_no_file_knows_a_machine_or_a_package_host():
    host = re.compile("py" + r"pi\.org|python" + r"hosted|registry\.npm" + r"js|deb\.deb" + "ian")
    machine = re.compile(r"(?<![\w.$}~])/(root|home|farm|work|Users)/\w")
    for path in tracked():
        if path.suffix in {".png", ".gif"} or path.name == "test_repo.py":
            continue
        text = path.read_text(encoding="utf-8")
        assert not host.search(text), path
        assert not machine.search(text), path


def test_readme_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert target.startswith("http") or (ROOT / target).exists(), target


def test_the_readme_lists_every_lesson():
    for path in (ROOT / "notebooks").glob("[0-9]*.ipynb"):
        assert f"notebooks/{path.name}" in README


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 120


def test_the_documents_list_every_view_and_every_encoding():
    from posenc_lib.encodings.catalog import ENCODINGS
    from posenc_lib.views import VIEWS

    views = (ROOT / "figures/README.md").read_text(encoding="utf-8").split("## Views")[1].split("##")[0]
    assert all(f"`{name}`" in views for name in VIEWS)
    assert all(f"`{name}`" in README for name in ENCODINGS)


def test_one_version_number():
    import posenc_lib

    assert PROJECT["project"]["version"] == posenc_lib.__version__
    assert f"## {posenc_lib.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
