"""Data flows one way: who imports whom, who loads what, and the way of a slider."""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from importlib.metadata import packages_distributions
from pathlib import Path

import posenc_lib as pe
from posenc_lib import live
from posenc_lib.encodings.register import pages

from .conftest import ROOT

LIBRARY = ROOT / "posenc_lib"
LAYERS = {  # of the shared part, from below; beside each, what of other projects it may import
    "files": "numpy IPython",
    "encodings": "numpy",
    "translation": "",
    "scorecard": "numpy threadpoolctl",
    "views": "numpy matplotlib PIL isal",
    "spec": "",
    "environment": "packaging psutil",
    "figures": "numpy matplotlib PIL anywidget traitlets",
    "live": "numpy matplotlib ipywidgets anywidget traitlets",
}
# the last, as a reader writes
LESSONS = "numpy ipywidgets comm threadpoolctl gguf tokenizers matplotlib posenc_lib"
TOOLS = (
    "numpy matplotlib PIL ipywidgets nbformat nbclient nbconvert latex2mathml fontTools pygments "
    "packaging platformdirs jupyter_server jupyterlite_core posenc_lib"
)


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
    if parts[0] == "__init__":  # through it all is reached, but what pages have by name alone;
        return shared | {"posenc_lib.lessons.playground"}  # the playground is a listed name
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
    """Return whether a name is one of these or in one; the library's own front is no way around."""
    return any(name == good or name.startswith(f"{good}.") for good in names - {"posenc_lib"}) or (
        "posenc_lib" in names and re.fullmatch(r"posenc_lib(\.[a-z_]+)?", name) is not None
    )


def test_no_file_imports_what_lies_above_it():
    wrong = {}
    for path in sorted(LIBRARY.rglob("*.py")):
        if path == LIBRARY / "lessons/__init__.py":
            continue
        good = allowed(path) | sys.stdlib_module_names
        if beyond := [name for name in imported(path) if not known(name, good)]:
            wrong[str(path.relative_to(ROOT))] = beyond
    assert wrong == {}


def test_packages_and_modules_are_few_and_no_file_name_stands_twice_in_the_shared_part():
    top = [
        path
        for path in LIBRARY.iterdir()
        if (path.suffix == ".py" or (path / "__init__.py").exists())
    ]
    assert len({path.stem for path in top} - {"__init__"}) <= 13  # with translation
    places = defaultdict(list)
    for name in LAYERS:
        for path in [LIBRARY / f"{name}.py", *(LIBRARY / name).rglob("*.py")]:
            if path.exists() and path.stem != "__init__":
                places[path.stem].append(str(path.relative_to(LIBRARY)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_imports_make_no_circle():
    """Files import each other in no circle, and so no package or module of the top does."""
    modules = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path
        for path in LIBRARY.rglob("*.py")
    }
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
    assert pages() == [*numbered, "clinic", "playground", "training"]


def loaded_by(code) -> set[str]:
    script = f"import sys; before = set(sys.modules); {code}; print(*set(sys.modules) - before)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_encodings_and_the_scorecard_load_numpy_alone_and_views_no_widgets():
    others = set(packages_distributions()) - {"posenc_lib"}
    loaded = loaded_by("import posenc_lib; posenc_lib.sinusoidal(4, 2)")
    assert {name.split(".")[0] for name in loaded} & others == {"numpy"}
    loaded = loaded_by("import posenc_lib; repr(posenc_lib.scorecard('binary'))")
    # threadpoolctl where it's installed, so that NumPy computes in one thread
    assert {name.split(".")[0] for name in loaded} & others - {"threadpoolctl"} == {"numpy"}
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
    drawn = set(re.findall(r"\w+\.py", live.__doc__))
    assert {path.name for path in called} == drawn
    explorer.close()
