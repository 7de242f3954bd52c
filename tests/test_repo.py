"""What a clone must be: the given rooms, true commands, whole pins, no word of any one machine."""

import json
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
    tools = "pyproject.toml LICENSE CONTRIBUTING.md CHANGELOG.md CITATION.cff".split()
    tools += [".ci", ".github", ".gitignore", "README.zh.md"]
    assert given <= top <= given.union(tools)


def test_everything_is_pinned_exactly_and_constraints_only_add_to_the_requirements():
    pins = {}
    for name in ("requirements.txt", "tests/constraints.txt"):
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        pins[name] = [line for line in lines if line and not line.startswith("#")]
        for line in pins[name]:
            assert re.fullmatch(r"-e \.|[a-z0-9-]+==\S+( ; .+)?", line), line
    *base, last = pins["requirements.txt"]
    assert last == "-e ."
    assert set(base) <= set(pins["tests/constraints.txt"])
    needed = names(PROJECT["dependencies"])
    assert needed == {"numpy", "matplotlib", "ipywidgets", "anywidget"}  # no notebook server
    pinned = {line.split("==")[0] for line in base}
    assert needed | names(PROJECT["optional-dependencies"]["lab"]) <= pinned


def test_ci_tries_the_lowest_versions_that_are_allowed_and_those_that_pyodide_brings():
    floors = (ROOT / "tests/floors.txt").read_text(encoding="utf-8").splitlines()[1:]
    lowest = [one.replace(">=", "==") for one in PROJECT["dependencies"]]
    brought = ROOT / "posenc_lib/tools/lite/pyodide.json"
    for name, one in json.loads(brought.read_text(encoding="utf-8"))["packages"].items():
        if name in ("pillow", "pyparsing"):  # matplotlib's own, whose newest it doesn't fit
            lowest.append(f"{name}=={one['version']}")
    assert floors == sorted(lowest)
    assert "-r tests/floors.txt" in (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")


BRITISH = re.compile(
    r"colour|neighbour|behaviour|favour|grey|centre[sd]?\b|metre|licence|travell|labell|modell"
    r"|(?:organ|recogn|minim|maxim|normal|summar|general|visual)is(?:e|ed|es|ing|ation)\b"
    r"|\b(?:towards|afterwards|learnt|whilst|analyse[sd]?)\b",
    re.IGNORECASE,
)
PICTURE = re.compile(r"[A-Za-z0-9+/]{100,}")  # stored in a notebook, base64
SPELLED = {".py", ".toml", ".js", ".css", ".html", ".md", ".ipynb"}
AS_THEY_ARE = {"goldens", "peers", "register.py", "test_repo.py"}  # others' words, and old names


def test_words_are_spelled_the_american_way():
    wrong = {}
    for path in tracked():
        if path.suffix in SPELLED and not AS_THEY_ARE & set(path.parts):
            words = PICTURE.sub("", path.read_text(encoding="utf-8"))
            wrong[path.name] = set(BRITISH.findall(words))
    assert {name: words for name, words in wrong.items() if words} == {}


def test_no_file_knows_a_machine_or_a_package_host():
    host = r"py" + r"pi\.org|python" + r"hosted|registry\.npm" + r"js|deb\.deb" + "ian"
    machine = r"(?<![\w.$}~])/(root|home|farm|work|Users)/\w"
    binary = {".png", ".gif", ".webp", ".npz", ".otf"}
    for path in tracked():
        if path.suffix not in binary and path.name != "test_repo.py":
            assert not re.search(f"{host}|{machine}", path.read_text(encoding="utf-8")), path


def test_readme_gives_the_commands_that_ci_runs():
    assert "pip install -r requirements.txt && jupyter lab notebooks/00_start_here.ipynb" in README
    assert 'pip install -e ".[test]" -c tests/constraints.txt && pytest -m "not slow"\n' in README
    assert "README.md" in (ROOT / ".ci/run").read_text(encoding="utf-8")


def test_the_documents_list_every_lesson_view_and_encoding():
    gallery = (ROOT / "figures/README.md").read_text(encoding="utf-8")
    views = gallery.split("## Views")[1].split("##")[0]
    lessons = [path.name for path in (ROOT / "notebooks").glob("[0-9]*.ipynb")]
    missing = [f"README.md needs a row for notebooks/{name}" for name in lessons]
    missing = [words for words in missing if words.split()[-1] not in README]
    for name in ENCODINGS:
        if f"`{name}`" not in README:
            missing.append(f"README.md's catalog needs `{name}`")
    for name in VIEWS.load():
        if f"`{name}`" not in views:
            missing.append(f"the gallery needs `{name}`: run python -m posenc_lib figures")
    assert missing == []


def test_one_version_number():
    assert PROJECT["version"] == posenc_lib.__version__
    version = posenc_lib.__version__
    assert f"## {version} (" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"version: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
