"""The folder of the browser edition: JupyterLite, the lessons, and a Python that runs there."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from posenc_lib.files import atomic_write
from posenc_lib.tools.lite import pyodide, wheels
from posenc_lib.tools.lite.page import dressed, first_pictures
from posenc_lib.tools.write import tell

EXTENSIONS = "jupyterlab_widgets anywidget"  # whose wheels bring what the page needs
KERNEL_EXTENSION = "share/jupyter/labextensions/@jupyterlite/pyodide-kernel-extension"
KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"
SETTINGS = {  # of JupyterLab
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
}


def build(out: Path, folder: Path, copy: Path | None = None, address: str = "", site: str = ""):
    """Write the folder."""
    notebooks = sorted(folder.glob("*.ipynb"))
    if not notebooks:
        raise ValueError(f"no notebook in {folder}")
    with tempfile.TemporaryDirectory() as place:
        room = Path(place)
        made = wheels.gather(folder.resolve().parent, room / "wheels")
        made = [path for path in made if not path.name.startswith("jupyterlab_widgets-")]
        lock = pyodide.lock(made, address)
        _jupyterlite(out, notebooks, room)
        there = out / "pyodide"
        for wheel in made:
            atomic_write(there / wheel.name, wheel.read_bytes())
        if not address:
            pyodide.bring(there, copy)
        atomic_write(there / "pyodide-lock.json", json.dumps(lock).encode())
    _configure(out, address)
    tell(out)


def _jupyterlite(out: Path, notebooks: list[Path], room: Path) -> None:
    """Let JupyterLite write its own files, and the notebooks."""
    for folder in ("lite", "contents"):
        (room / folder).mkdir()
    for path in notebooks:
        shutil.copy(path, room / "contents")
    overrides = room / "lite/overrides.json"
    overrides.write_text(json.dumps(SETTINGS))
    wheels = [str(path) for name in EXTENSIONS.split() for path in (room / "wheels").glob(f"{name}-*")]
    config = {
        "contents": [str(room / "contents")],
        "output_dir": str(out.resolve()),
        "apps": ["notebooks"],
        "no_sourcemaps": True,
        "no_unused_shared_packages": True,
        "ignore_sys_prefix": ["federated_extensions"],
        "federated_extensions": [*wheels, str(Path(sys.prefix, KERNEL_EXTENSION))],
    }
    (room / "lite/jupyter_lite_config.json").write_text(json.dumps({"LiteBuildConfig": config}))
    command = [sys.executable, "-m", "jupyterlite_core", "build"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=room / "lite")
    if done.returncode:
        raise OSError(f"JupyterLite could not write {out}: {done.stdout[-500:]} {done.stderr[-500:]}")


def _configure(out: Path, address: str) -> None:
    """Tell JupyterLite where its Python is."""
    path = out / "jupyter-lite.json"
    config = json.loads(path.read_text())
    own = config["jupyter-config-data"]
    own["exposeAppInBrowser"] = True
    own["disabledExtensions"] = ["@jupyterlite/application-extension:service-worker-manager", "@jupyterlite/server-extension:service-worker"]
    own.setdefault("litePluginSettings", {}).setdefault(KERNEL, {}).update(
        pyodideUrl=f"{pyodide.ADDRESS if address else './pyodide/'}pyodide.js",
        disablePyPIFallback=True,
        loadPyodideOptions={
            "lockFileURL": "./pyodide/pyodide-lock.json",
            "packages": pyodide.FIRST,
        },
    )
    atomic_write(path, json.dumps(config).encode())
