"""The floors of the house: data flows one way, and nobody pays for a floor they do not enter."""

import ast
import subprocess
import sys

import pytest

from .conftest import ROOT

LIBRARY = ROOT / "posenc_lib"
STANDARD = set(sys.stdlib_module_names)
FLOORS = {  # folder: what it may import beside the standard library
    "encodings": {"numpy", "posenc_lib.encodings"},
    "lessons": {"numpy", "posenc_lib.encodings", "posenc_lib.lessons", "posenc_lib.files"},
    "views": {"numpy", "matplotlib", "mpl_toolkits", "posenc_lib.encodings", "posenc_lib.views", "posenc_lib.files"},
    "figures": {
        "numpy",
        "matplotlib",
        "PIL",
        "posenc_lib.encodings",
        "posenc_lib.views",
        "posenc_lib.figures",
        "posenc_lib.files",
    },
    "live": {
        *{"numpy", "matplotlib", "ipywidgets", "posenc_lib.encodings", "posenc_lib.views", "posenc_lib.figures"},
        *{"posenc_lib.live", "posenc_lib.files"},
    },
}
TOOLS = {  # the files that run or inspect a notebook's surroundings, and the one object that shows itself there
    "lessons/scorecard.py": {"IPython", "posenc_lib.views.output", "posenc_lib.views.scorecard"},
    "views/output.py": {"PIL"},  # a part of matplotlib's own installation
    "figures/card.py": {"posenc_lib.lessons.scorecard"},
    "live/playground.py": {"posenc_lib.lessons.scorecard"},
    "lessons/store.py": {"nbformat", "nbclient", "posenc_lib.signals"},
    "figures/command.py": {"posenc_lib.signals"},
    "figures/writing.py": {"posenc_lib.signals"},
    "lessons/environment.py": {"packaging"},
    "lessons/practice.py": {"posenc_lib"},  # its answers are written with the names of the lesson
}


def imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "absolute imports only"
            assert all(alias.name != "*" for alias in node.names)
            yield node.module


@pytest.mark.parametrize("floor", FLOORS)
def test_no_floor_knows_the_one_above(floor):
    files = sorted((LIBRARY / floor).rglob("*.py"))
    assert files
    for path in files:
        allowed = FLOORS[floor] | TOOLS.get(path.relative_to(LIBRARY).as_posix(), set())
        for name in imported(path):
            if name.split(".")[0] not in STANDARD:
                assert any(name == good or name.startswith(f"{good}.") for good in allowed), f"{path.name}: {name}"


def test_nothing_imports_the_pytorch_modules():
    for path in LIBRARY.rglob("*.py"):
        assert "posenc_lib.pytorch" not in set(imported(path)), path
        assert path.name == "pytorch.py" or not any(name.split(".")[0] == "torch" for name in imported(path)), path


def test_every_folder_is_a_known_floor():
    assert {path.parent.name for path in LIBRARY.rglob("*.py")} == {"posenc_lib", *FLOORS}


def loaded_after(code):
    script = f"{code}\nimport sys\nprint(' '.join(sorted({{name.split('.')[0] for name in sys.modules}})))"
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()


def test_importing_the_library_loads_numpy_alone():
    loaded = loaded_after("import posenc_lib; posenc_lib.sinusoidal(4, 2); posenc_lib.scorecard('binary')")
    assert "numpy" in loaded
    assert not {"matplotlib", "ipywidgets", "IPython", "PIL", "nbconvert"} & set(loaded)


def test_views_load_without_widgets_and_without_pyplot():
    loaded = loaded_after("import posenc_lib.views, sys; assert 'matplotlib.pyplot' not in sys.modules")
    assert "matplotlib" in loaded
    assert not {"ipywidgets", "IPython"} & set(loaded)


def test_files_and_functions_stay_small():
    for path in LIBRARY.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        assert len(source.splitlines()) <= 300, path
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef):
                documentation = len((ast.get_docstring(node) or "").splitlines())
                assert node.end_lineno - node.lineno - documentation <= 34, f"{path.name}: {node.name}"
