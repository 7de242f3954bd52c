"""Data flows one way: no part of the library knows those above it, and nobody loads what they do not use."""

import ast
import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import posenc_lib as pe

from .conftest import ROOT, prose

LIBRARY = ROOT / "posenc_lib"
ALLOWED = {  # a folder or a file: what it may import beside the standard library and its own folder
    "encodings/": "numpy",
    "views/": "numpy matplotlib encodings files",
    "views/style.py": "PIL",  # a part of matplotlib's own installation
    "views/pixels.py": "isal",
    "spec.py": "encodings views",
    "scorecard.py": "numpy encodings views.output views.scorecard",
    "figures/": "numpy matplotlib PIL encodings views spec scorecard files",
    "figures/film.py": "anywidget traitlets",
    "live/": "numpy matplotlib ipywidgets encodings views spec scorecard figures files",
    "live/picture.py": "anywidget traitlets",
    "live/explorer.py": "environment",
    "lessons/": "numpy encodings",
    "lessons/puzzles/": "posenc_lib",  # as in the lessons, whose answers are shown as they stand
    "lessons/training/": "files threadpoolctl",
    "lessons/training/live.py": "ipywidgets comm live.page",  # comm: whether there is a page, ipywidgets brings it
    "lessons/config_box.py": "ipywidgets views.style spec live",
    "site/": "numpy ipywidgets nbformat nbconvert latex2mathml fontTools matplotlib pygments"
    " encodings views.style live figures files lessons.puzzles scorecard notebooks",
    "notebooks.py": "nbformat nbclient files",
    "environment.py": "packaging",
    "files.py": "",
    "pytorch.py": "numpy torch encodings",
    "__init__.py": "encodings lessons.clinic.diagnose lessons.puzzles.engine scorecard"
    " figures.registry live.explorer live.playground live.page"  # only for type checkers, and when first used
    " lessons.config_box lessons.training.live",
    "__main__.py": "posenc_lib figures notebooks lessons.training.command site",
}


def imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "absolute imports only"
            assert all(alias.name != "*" for alias in node.names)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def beyond(path) -> list[str]:
    """Return what a file imports that no line of ALLOWED lets it."""
    name = path.relative_to(LIBRARY).as_posix()
    keys = [key for key in ALLOWED if name.startswith(key)]
    assert keys, f"{name}: a file that no line of ALLOWED is about"
    good = {name.split("/")[0], *" ".join(ALLOWED[key] for key in keys).split()}
    foreign = [one for one in imported(path) if one.split(".")[0] not in sys.stdlib_module_names]
    used = [one.removeprefix("posenc_lib.") for one in foreign]
    return [one for one in used if not any(one == name or one.startswith(f"{name}.") for name in good)]


def test_no_file_knows_those_above_it():
    assert {str(path): beyond(path) for path in LIBRARY.rglob("*.py") if beyond(path)} == {}


def loaded_by(code) -> set[str]:
    script = f"import sys; before = set(sys.modules); {code}; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_encodings_and_the_scorecard_load_numpy_alone_and_views_no_widgets():
    loaded = loaded_by("import posenc_lib; posenc_lib.sinusoidal(4, 2); repr(posenc_lib.scorecard('binary'))")
    assert {name.split(".")[0] for name in loaded} & set(packages_distributions()) - {"posenc_lib"} == {"numpy"}
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
    drawn = set(re.findall(r"\w+\.py", prose(ROOT / "CONTRIBUTING.md").split("The way of a slider")[1].split("##")[0]))
    assert {path.name for path in called} == drawn
    explorer.close()
