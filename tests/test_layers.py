"""Data flows one way: who imports whom, who loads what, and how a slider's value goes along."""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from importlib.metadata import packages_distributions
from pathlib import Path

import posenc_lib as pe
from posenc_lib.encodings.register import pages

from .conftest import ROOT, prose

LIBRARY = ROOT / "posenc_lib"
LAYERS = {  # of the shared part, from below; beside each, what of other projects it may import
    "files": "numpy",
    "encodings": "numpy",
    "scorecard": "numpy",
    "views": "numpy matplotlib PIL isal",
    "spec": "",
    "environment": "packaging psutil",
    "figures": "numpy matplotlib PIL anywidget traitlets",
    "live": "numpy matplotlib ipywidgets anywidget traitlets",
}
# posenc_lib itself, as a reader writes
LESSONS = "numpy ipywidgets comm threadpoolctl gguf tokenizers matplotlib posenc_lib"
TOOLS = "numpy matplotlib PIL ipywidgets nbformat nbclient nbconvert"
TOOLS += " latex2mathml fontTools pygments posenc_lib"


def imported(path: Path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "absolute imports only"
            assert all(alias.name != "*" for alias in node.names)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def allowed(path: Path) -> set[str]:
    """Return what a file may import beside the standard library."""
    parts = path.relative_to(LIBRARY).with_suffix("").parts
    shared = {f"posenc_lib.{name}" for name in LAYERS}
    if parts[0] == "lessons" and len(parts) > 1:
        own = {f"posenc_lib.lessons.{parts[1]}", "posenc_lib.lessons.training"}
        return shared | own | {*LESSONS.split()}
    if parts[0] in ("tools", "__main__"):
        return shared | {"posenc_lib.lessons", "posenc_lib.tools"} | {*TOOLS.split()}
    if parts[0] == "pytorch":
        return {"posenc_lib.encodings", "numpy", "torch"}
    below = list(LAYERS)[: list(LAYERS).index(parts[0]) + 1]
    return {f"posenc_lib.{name}" for name in below} | {*LAYERS[parts[0]].split()}


def known(name: str, names: set[str]) -> bool:
    """Return whether a name is one of these, or in one; the library's front is no way around."""
    if any(name == good or name.startswith(f"{good}.") for good in names - {"posenc_lib"}):
        return True
    of_front = re.fullmatch(r"posenc_lib(\.[a-z_]+)?", name) is not None
    return "posenc_lib" in names and of_front


def test_no_file_imports_what_lies_above_it():
    wrong = {}
    fronts = {LIBRARY / "__init__.py", LIBRARY / "lessons/__init__.py"}  # all is reached by them
    for path in sorted({*LIBRARY.rglob("*.py")} - fronts):
        good = allowed(path) | sys.stdlib_module_names
        if beyond := [name for name in imported(path) if not known(name, good)]:
            wrong[str(path.relative_to(ROOT))] = beyond
    assert wrong == {}


def test_packages_and_modules_are_few_and_no_file_name_stands_twice_in_the_shared_part():
    packages = {path.parent.name for path in LIBRARY.glob("*/__init__.py")}
    top = packages | {path.stem for path in LIBRARY.glob("*.py")}
    assert len(top - {"__init__"}) <= 12
    places = defaultdict(list)
    for name in LAYERS:
        for path in [LIBRARY / f"{name}.py", *(LIBRARY / name).rglob("*.py")]:
            if path.exists() and path.stem != "__init__":
                places[path.stem].append(str(path.relative_to(LIBRARY)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_imports_make_no_circle():
    """Between packages and modules of the top, and between the files of a package."""
    files = {path.relative_to(ROOT).with_suffix(""): path for path in LIBRARY.rglob("*.py")}
    modules = {".".join(name.parts): path for name, path in files.items()}
    arrows = defaultdict(set)
    for name, path in modules.items():
        for what in imported(path):
            found = what if what in modules else what.rpartition(".")[0]
            if found in modules and not name.endswith("__init__"):
                arrows[name].add(found)
    order: dict[str, int] = {}

    def visit(name: str, way: tuple[str, ...]) -> None:
        assert name not in way, " → ".join([*way[way.index(name) :], name])
        if name not in order:
            for other in sorted(arrows[name]):
                visit(other, (*way, name))
            order[name] = len(order)

    for name in sorted(modules):
        visit(name, ())


def test_each_lesson_has_a_package():
    notebooks = [path.stem for path in sorted((ROOT / "notebooks").glob("*.ipynb"))]
    numbered = [f"lesson_{name[:2]}" for name in notebooks if name[:2].isdigit()]
    assert pages() == [*numbered, "clinic", "training"]


def loaded_by(code) -> set[str]:
    script = f"import sys; before = set(sys.modules); {code}; print(*set(sys.modules) - before)"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_encodings_and_the_scorecard_load_numpy_alone_and_views_no_widgets():
    use = "posenc_lib.sinusoidal(4, 2); repr(posenc_lib.scorecard('binary'))"
    loaded = {name.split(".")[0] for name in loaded_by(f"import posenc_lib; {use}")}
    assert loaded & set(packages_distributions()) - {"posenc_lib"} == {"numpy"}
    assert not {"ipywidgets", "IPython", "matplotlib.pyplot"} & loaded_by("import posenc_lib.views")


def test_a_slider_goes_through_the_files_that_the_documents_draw():
    explorer, called = pe.explore("sinusoidal"), []

    def watch(frame, event, _):
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(LIBRARY):
            called.append(path.relative_to(LIBRARY))

    values = [value for _, value in explorer.sliders["base"].options]
    for value in values[10:12]:  # the first makes what is kept
        sys.setprofile(watch if value == values[11] else None)
        explorer.sliders["base"].value = value
        sys.setprofile(None)
    way = prose(ROOT / "CONTRIBUTING.md").split("The way of a slider")[1].split("##")[0]
    assert {path.name for path in called} == set(re.findall(r"\w+\.py", way))
    explorer.close()
