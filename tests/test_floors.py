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
FLOORS = {  # each may know those before it, and what of other projects stands beside it
    "files": "",
    "encodings": "numpy",
    "scorecard": "numpy",
    "views": "numpy matplotlib PIL isal",
    "spec": "",
    "environment": "packaging psutil",
    "figures": "numpy matplotlib PIL anywidget traitlets",
    "live": "numpy matplotlib ipywidgets anywidget traitlets",
    "lessons": "numpy ipywidgets comm threadpoolctl gguf tokenizers posenc_lib",  # as a reader writes
    "notebooks": "nbformat nbclient",
    "site": "numpy matplotlib ipywidgets nbformat nbconvert latex2mathml fontTools pygments",
    "pytorch": "numpy torch",
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
    """Return what a file imports that its floor lets it not."""
    floor = path.relative_to(LIBRARY).parts[0].removesuffix(".py")
    below = list(FLOORS)[: list(FLOORS).index(floor) + 1]
    good = {
        *(f"posenc_lib.{name}" for name in below),
        *FLOORS[floor].split(),
        *sys.stdlib_module_names,
    }
    return [
        one for one in imported(path) if not any(f"{one}.".startswith(f"{name}.") for name in good)
    ]


def test_no_file_knows_those_above_it():
    doors = {LIBRARY / "__init__.py", LIBRARY / "__main__.py"}  # through which all is reached
    assert {
        str(path): beyond(path) for path in {*LIBRARY.rglob("*.py")} - doors if beyond(path)
    } == {}


def loaded_by(code) -> set[str]:
    script = f"import sys; before = set(sys.modules); {code}; print(*set(sys.modules) - before)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_encodings_and_the_scorecard_load_numpy_alone_and_views_no_widgets():
    loaded = loaded_by(
        "import posenc_lib; posenc_lib.sinusoidal(4, 2); repr(posenc_lib.scorecard('binary'))"
    )
    assert {name.split(".")[0] for name in loaded} & set(packages_distributions()) - {
        "posenc_lib"
    } == {"numpy"}
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
    drawn = set(
        re.findall(
            r"\w+\.py",
            prose(ROOT / "CONTRIBUTING.md").split("The way of a slider")[1].split("##")[0],
        )
    )
    assert {path.name for path in called} == drawn
    explorer.close()
