"""What a clone must be: the given rooms, true commands, whole pins, no word of any one machine."""

import re
import tomllib

import posenc_lib
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.views import VIEWS

from .conftest import ROOT, tracked

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def names(requirements) -> set[str]:
    return {re.match(r"[a-z-]+", requirement)[0] for requirement in requirements}


def test_the_top_level_has_the_given_rooms_and_only_what_tools_need_beside_them():
    top = {path.relative_to(ROOT).parts[0] for path in tracked()}
    given = set("notebooks posenc_lib requirements.txt README.md figures tests".split())
    documents = "LICENSE CONTRIBUTING.md CHANGELOG.md CITATION.cff"
    tools = f"pyproject.toml {documents} .ci .github .gitignore".split()
    assert given <= top <= given.union(tools)


def test_everything_is_pinned_exactly_and_constraints_only_add_to_the_requirements():
    pins = {}
    for name in ("requirements.txt", "tests/constraints.txt"):
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        pins[name] = [line for line in lines if line and not line.startswith("#")]
        assert [
            line for line in pins[name] if not re.fullmatch(r"-e \.|[a-z0-9-]+==\S+( ; .+)?", line)
        ] == []
    *base, last = pins["requirements.txt"]
    assert last == "-e ."
    assert set(base) <= set(pins["tests/constraints.txt"])
    assert names(PROJECT["dependencies"] + PROJECT["optional-dependencies"]["lab"]) <= {
        b.split("==")[0] for b in base
    }
    # no notebook server
    assert names(PROJECT["dependencies"]) == {"numpy", "matplotlib", "ipywidgets", "anywidget"}


def test_no_file_knows_a_machine_or_a_package_host():
    host = r"py" + r"pi\.org|python" + r"hosted|registry\.npm" + r"js|deb\.deb" + "ian"
    machine = r"(?<![\w.$}~])/(root|home|farm|work|Users)/\w"
    for path in tracked():
        if path.suffix not in {".png", ".gif", ".npz"} and path.name != "test_repo.py":
            assert not re.search(f"{host}|{machine}", path.read_text(encoding="utf-8")), path


def test_readme_gives_the_commands_that_ci_runs():
    assert "pip install -r requirements.txt && jupyter lab notebooks/00_start_here.ipynb" in README
    assert 'pip install -e ".[test]" -c tests/constraints.txt && pytest -m "not slow"\n' in README
    assert "README.md" in (ROOT / ".ci/run").read_text(encoding="utf-8")


def test_the_documents_list_every_lesson_view_and_encoding():
    views = (
        (ROOT / "figures/README.md").read_text(encoding="utf-8").split("## Views")[1].split("##")[0]
    )
    lessons = [path.name for path in (ROOT / "notebooks").glob("[0-9]*.ipynb")]
    assert [name for name in lessons if f"notebooks/{name}" not in README] == []
    assert [name for name in VIEWS.load() if f"`{name}`" not in views] == []
    assert [name for name in ENCODINGS if f"`{name}`" not in README] == []


def test_one_version_number():
    assert PROJECT["version"] == posenc_lib.__version__
    assert f"## {posenc_lib.__version__} (" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"version: {posenc_lib.__version__}\n" in (ROOT / "CITATION.cff").read_text(
        encoding="utf-8"
    )
