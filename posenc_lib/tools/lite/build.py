"""The browser edition's folder: JupyterLite, the lessons, and a Python that runs there."""

import json
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import jupyter_server  # noqa: F401  JupyterLite, run below, lists the notebooks with it
import jupyterlite_core  # noqa: F401  fail early if it's missing
import nbformat

from posenc_lib.files import atomic_write
from posenc_lib.tools.lite import pyodide, wheels
from posenc_lib.tools.lite.page import KERNEL, SECONDS, dress, leads_to
from posenc_lib.tools.parallel import composed, speaking
from posenc_lib.tools.site.build import (
    about_all,
    first_page,
    index,
    indexes,
    intro_of,
    nav,
    pages_of,
)
from posenc_lib.tools.site.notebook import page
from posenc_lib.tools.write import tell
from posenc_lib.translation import said

PLUGIN = "@jupyterlite/pyodide-kernel-extension:kernel"
SETTINGS = {  # of JupyterLab
    # a cell out of sight stays on the page
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
    # page.js saves what a reader does
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
    "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True},
}
# otherwise each import also looks for files that cells write
WITHOUT = "@jupyterlite/application-extension:service-worker-manager"
# JupyterLite asks each page above a notebook's for settings
CONFIG = b'<script id="jupyter-config-data" type="application/json">{}</script>'
NOTE = (
    "Each lesson runs in your browser. There's nothing to install, and nothing you do leaves your "
    f"machine. Python takes about {SECONDS} seconds to start, but you can start reading right away."
)


def build(out: Path, folder: Path, copy: Path | None = None, address: str = "", site: str = ""):
    """Write a folder that any web server can show.

    Args:
        out: where to write it.
        folder: the notebooks, in a clone of the project.
        copy: where Pyodide's files are; missing ones are fetched. None means a cache.
        address: where the folder will be published, if Pyodide should stay at its own address. ""
            copies Pyodide into the folder.
        site: where the pages without Python are, from `out`; "" if there are none.
    """
    sources = pages_of(folder)
    if not any(path.suffix == ".ipynb" for path in sources):
        raise ValueError(f"no notebooks in {folder}")
    with tempfile.TemporaryDirectory() as place, composed(folder) as translated:
        room, groups = Path(place), {"en": sources} | translated
        sources = [path for paths in groups.values() for path in paths]
        notebooks = [path for path in sources if path.suffix == ".ipynb"]
        about = about_all(sources)
        made = wheels.gather(folder.resolve().parent, room / "wheels")
        tell("wheels: built and fetched")
        lite = _jupyterlite(room, notebooks)
        tell("JupyterLite: written")
        _python(lite / "pyodide", made, copy, address)
        _configure(lite / "jupyter-lite.json", address)
        dress(lite, notebooks, about, site)
        for language in groups:
            _front(lite, folder, groups, language)
        for path in sorted(lite.rglob("*")):
            if path.is_file():
                atomic_write(out / path.relative_to(lite), path.read_bytes())
    tell(f"{out}: written")


def _jupyterlite(room: Path, notebooks: list[Path]) -> Path:
    """Let JupyterLite write its files and the notebooks; return the folder."""
    for name in ("contents", "lite"):
        (room / name).mkdir()
    for path in notebooks:
        notebook = nbformat.read(path, as_version=4)
        notebook.metadata["kernelspec"] = KERNEL
        # a server would join a text's lines; there's none here
        (room / "contents" / path.name).write_text(
            nbformat.writes(notebook, split_lines=False), encoding="utf-8"
        )
    (room / "lite/overrides.json").write_text(json.dumps(SETTINGS))
    brought = [str(path) for path in wheels.of_the_page(room / "wheels")]
    config = {
        "contents": [str(room / "contents")],
        "output_dir": str(room / "out"),
        "apps": ["notebooks"],
        "no_sourcemaps": True,
        "no_unused_shared_packages": True,
        "ignore_sys_prefix": ["federated_extensions"],
        "federated_extensions": brought,
    }
    (room / "lite/jupyter_lite_config.json").write_text(json.dumps({"LiteBuildConfig": config}))
    command = [sys.executable, "-m", "jupyterlite_core", "build"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=room / "lite")
    if done.returncode:
        raise OSError(f"JupyterLite couldn't be written: {(done.stdout + done.stderr)[-800:]}")
    return room / "out"


def _python(folder: Path, made: list[Path], copy: Path | None, address: str) -> None:
    """Add Pyodide and the wheels, compiled if there's a Python that can, and lock them."""
    folder.mkdir()
    for path in made:
        shutil.copy(path, folder)
    if not address:
        pyodide.bring(folder, copy)
    wheels.compile_all(folder)
    lock = pyodide.lock(folder, [folder / path.name for path in made], address)
    (folder / "pyodide-lock.json").write_text(json.dumps(lock))


def _configure(path: Path, address: str) -> None:
    """Tell JupyterLite where its Python is and what to load with it."""
    config = json.loads(path.read_text())
    own = config["jupyter-config-data"]
    own |= {"exposeAppInBrowser": True, "disabledExtensions": [WITHOUT]}
    own["litePluginSettings"] = {
        PLUGIN: {
            "pyodideUrl": f"{pyodide.ADDRESS if address else './pyodide/'}pyodide.js",
            "disablePyPIFallback": True,
            "loadPyodideOptions": {
                "lockFileURL": "./pyodide/pyodide-lock.json",
                "packages": pyodide.FIRST,
            },
        }
    }
    path.write_text(json.dumps(config))


def _front(lite: Path, folder: Path, groups: dict[str, list[Path]], language: str) -> None:
    """Write a language's first page, a short address for each lesson, and the other texts."""
    about, first = about_all(groups[language]), first_page(language)
    with speaking(language):
        front = index(intro_of(folder, language), about, said(NOTE), indexes(groups, language))
    (lite / first).write_bytes(front.replace(b"</main>", CONFIG + b"</main>"))
    for path, told in zip(groups[language], about, strict=True):
        make = partial(leads_to, path.name, told["title"])
        if path.suffix == ".md":
            links = nav([("index.html", "All lessons")])
            make = partial(page, path, told["title"], told["question"], links)
        (lite / told["name"]).write_bytes(make())
