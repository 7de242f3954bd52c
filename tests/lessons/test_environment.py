"""The check of the environment, and lesson 09 without PyTorch: what is missing, and what to do."""

import os
import platform
import runpy
import shutil
import subprocess
import sys
from importlib import metadata

import nbformat
import pytest
from nbclient import NotebookClient

from posenc_lib import environment
from posenc_lib.lessons.lesson_16 import real_model

from ..conftest import ROOT


def test_what_is_old_or_missing_is_named_with_the_mend(monkeypatch, capsys):
    def version(name):
        if name == "matplotlib":
            raise metadata.PackageNotFoundError(name)
        return "7.9" if name == "ipywidgets" else "99"

    (needed,) = (one for one in metadata.requires("posenc_lib") if "ipywidgets" in one)
    needed = needed.removeprefix("ipywidgets")
    environment.check_environment()
    assert capsys.readouterr().out == "Everything is in place: your sliders will move.\n"
    monkeypatch.setattr(environment.metadata, "version", version)
    monkeypatch.setattr(environment.platform, "python_version", lambda: "3.10.4")
    environment.check_environment()
    # what only tests or JupyterLab need is not asked for
    found = ["This is Python 3.10.4, and >=3.11 is needed.", "matplotlib is missing."]
    found += [f"This is ipywidgets 7.9, and {needed} is needed.", environment.MEND]
    assert capsys.readouterr().out.splitlines() == found


def test_a_page_from_another_environment_is_looked_at_too(monkeypatch, capsys, tmp_path):
    server = tmp_path / "bin/python"
    monkeypatch.setattr(environment, "_server", lambda: str(server))
    wanted = ".".join(metadata.version("anywidget").split(".")[:2])
    for there, good in ((None, False), ("0.1.2", False), (f"{wanted}.99", True)):
        if there:
            about = tmp_path / f"lib/python3/site-packages/anywidget-{there}.dist-info"
            about.mkdir(parents=True)
            (about / "METADATA").write_text(f"Name: anywidget\nVersion: {there}\n")
        environment.check_environment()
        said = capsys.readouterr().out
        assert said.startswith("Everything is in place") == good
        mend = f'run  {server} -m pip install "anywidget=={wanted}.*"  then {environment.RELOAD}\n'
        assert said.endswith(mend) != good
        if there:
            shutil.rmtree(about)


def test_the_server_is_who_started_the_kernel(tmp_path):
    ask = "from posenc_lib.environment import _server; print(_server())"
    code = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {ask!r}])"
    servers = dict.fromkeys(["jupyter-lab", "jupyter-notebook"], sys.executable)
    for line, found in (servers | {"pytest notebooks": "None"}).items():
        name, *arguments = line.split()
        program = tmp_path / name
        program.write_text(code)
        command = [sys.executable, str(program), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout == f"{found}\n"


def test_the_first_cell_says_what_is_too_old_and_shows_no_traceback(monkeypatch, tmp_path):
    (tmp_path / "matplotlib-3.6.dist-info").mkdir()
    (tmp_path / "matplotlib-3.6.dist-info/METADATA").write_text("Name: matplotlib\nVersion: 3.6\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "home"))
    code = "import posenc_lib as pe\nfrom posenc_lib import explore"
    command = [sys.executable, "-m", "IPython", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    (needed,) = (one for one in metadata.requires("posenc_lib") if "matplotlib" in one)
    old = f"This is matplotlib 3.6, and {needed.removeprefix('matplotlib')} is needed."
    assert done.stdout.splitlines() == [old, environment.MEND]


def test_a_copy_that_was_not_installed_asks_for_nothing(monkeypatch):
    def version(name):
        raise metadata.PackageNotFoundError(name)

    environment.require.cache_clear()
    monkeypatch.setattr(environment.metadata, "metadata", version)  # a copy that was not installed
    environment.require()
    environment.require.cache_clear()


GOOD = "Everything is in place: your sliders will move.\n"
SPARSE = "The sliders below should move. (This install doesn't list what posenc_lib needs.)\n"
OLD = "This is Python {0}, and >=9 is needed.\n{1}\n"
ABOUT = {  # what is written about the library, and what the check then says
    "": SPARSE,
    "Name: posenc_lib\nVersion: 1\n": SPARSE,
    "Requires-Python: >=9\n": OLD,
    "Requires-Python: of old\nRequires-Dist: numpy\n": GOOD,
    "Requires-Dist: numpy\nRequires-Dist: ?? ==\nRequires-Dist: sparse\n": GOOD,
    "Requires-Dist: sparse>=1\nRequires-Dist: numpy; no_such_word == '1'\n": GOOD,
    "Requires-Dist: sparse\nRequires-Dist: no-such>=1\n": "no-such is missing.\n{1}\n",
}


@pytest.mark.parametrize("about", [*ABOUT, None])
def test_metadata_that_are_missing_partial_or_damaged_are_asked_for_what_they_say(
    about, monkeypatch, tmp_path, capsys
):
    """Before all others stands a folder with a library of these metadata, and one without any."""
    if about is None:
        ours = metadata.PackageNotFoundError
        for name in ("metadata", "requires"):
            monkeypatch.setattr(
                environment.metadata, name, lambda name: (_ for _ in ()).throw(ours)
            )
    else:
        for name in ("posenc_lib", "sparse"):
            (tmp_path / f"{name}-1.dist-info").mkdir()
        (tmp_path / "posenc_lib-1.dist-info/METADATA").write_text(about)
        monkeypatch.syspath_prepend(tmp_path)
    environment.check_environment()
    told = ABOUT.get(about, SPARSE).format(platform.python_version(), environment.MEND)
    assert capsys.readouterr().out == told
    environment.require.cache_clear()
    if environment.MEND in told:
        with pytest.raises(environment.SetupError):
            environment.require()
    else:
        environment.require()
    environment.require.cache_clear()


def test_a_page_is_told_of_anywidget_where_its_version_is_not_known(monkeypatch, tmp_path):
    monkeypatch.setattr(environment, "_server", lambda: str(tmp_path / "bin/python"))
    monkeypatch.setattr(environment.metadata, "version", lambda name: None)
    wanted = f'run  {tmp_path}/bin/python -m pip install "anywidget"  then {environment.RELOAD}'
    assert environment.to_drag() == wanted
    (tmp_path / "lib/python3/site-packages/anywidget-1.dist-info").mkdir(parents=True)
    assert environment.to_drag() == wanted


def test_in_a_browser_nobody_is_told_to_install_what_cannot_run_there(monkeypatch, capsys):
    monkeypatch.setattr(sys, "platform", "emscripten")
    monkeypatch.setitem(sys.modules, "torch", None)
    assert environment.with_torch() == (None, None)
    assert capsys.readouterr().out == "PyTorch doesn't run in a browser: just read this cell.\n"
    kept = "Here, you get what's stored for the lesson's texts and settings."
    told = f"The model itself doesn't run in a browser. {kept}"
    assert runpy.run_path(real_model.__file__)["GET"] == told


@pytest.mark.slow
def test_without_pytorch_the_lesson_says_how_to_get_it_and_runs_on(tmp_path, monkeypatch):
    (tmp_path / "torch.py").write_text("raise ImportError(name='torch')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    notebook = nbformat.read(ROOT / "notebooks/09_rope_in_practice.ipynb", as_version=4)
    NotebookClient(notebook, resources={"metadata": {"path": str(tmp_path)}}, timeout=300).execute()
    tag = "nbval-ignore-output"
    cells = [cell for cell in notebook.cells if tag in cell.metadata.get("tags", [])]
    said = ["".join(output.get("text", "") for output in cell.outputs) for cell in cells]
    assert said
    assert all('pip install -e ".[torch]"' in text for text in said)
