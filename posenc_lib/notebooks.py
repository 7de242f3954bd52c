"""Run lessons from a clean kernel and store what a reader should find in them."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
from jupyter_core.utils import ensure_event_loop
from nbclient.exceptions import CellExecutionError, DeadKernelError
from nbconvert.preprocessors import ExecutePreprocessor

from posenc_lib.files import write_whole
from posenc_lib.stopping import status, stop_if_asked, stoppable

WIDGET = "application/vnd.jupyter.widget-view+json"  # a dead widget for whoever has no kernel yet


def find(paths: list[Path]) -> list[Path]:
    """Return every notebook named by paths or inside them, in order, without Jupyter's own copies."""
    found = []
    for path in paths:
        inside = sorted(path.rglob("*.ipynb")) if path.is_dir() else [path]
        found += [p for p in inside if ".ipynb_checkpoints" not in p.parts]
    return found


def clean(notebook) -> None:
    """Drop what only a living kernel can use or what changes from run to run."""
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(WIDGET, None)


def complaints(notebook) -> list[str]:
    """Return what must not be stored: warnings, and anything else on stderr."""
    texts = (o.text for cell in notebook.cells for o in cell.get("outputs", []) if o.get("name") == "stderr")
    return [text.strip() for text in texts]


def store(path: Path) -> str:
    """Run one notebook in its own folder and replace it, whole; return what went wrong, or nothing."""
    try:
        notebook = nbformat.read(path, as_version=4)
    except Exception as error:  # whatever is wrong with this file, the others are still to be stored
        return f"is no notebook: {type(error).__name__}: {error}".splitlines()[0]
    runner = ExecutePreprocessor(timeout=300, kernel_name="python3", store_widget_state=False, coalesce_streams=True)
    try:
        _run(runner, notebook, path.parent)
    except CellExecutionError as error:
        return str(error).strip()
    except DeadKernelError:
        return "its kernel died: perhaps a cell takes more memory than there is"
    found = complaints(notebook)
    if found:
        return "a cell wrote to stderr: " + found[0]
    clean(notebook)
    try:
        write_whole(path, (nbformat.writes(notebook) + "\n").encode())
    except OSError as error:
        return f"could not be stored: {error.strerror or error}"
    return ""


def _run(runner: ExecutePreprocessor, notebook, folder: Path) -> None:
    """Run all cells in a folder; whoever stops the work stops the kernel, too."""
    with ThreadPoolExecutor(1) as thread:  # on the main thread nbclient would take Ctrl-C for itself
        running = thread.submit(_in_a_loop, runner.preprocess, notebook, {"metadata": {"path": str(folder)}})
        try:
            running.result()
        except KeyboardInterrupt:
            while not running.done():
                _kill_kernel(runner)
                time.sleep(0.05)
            raise


def _in_a_loop(work, *arguments) -> None:
    """Do the work and close the event loop that it has made for its thread."""
    try:
        work(*arguments)
    finally:
        ensure_event_loop().close()


def _kill_kernel(runner: ExecutePreprocessor) -> None:
    """Kill the kernel of a notebook that runs, if it has come so far as to have one."""
    process = getattr(getattr(runner.km, "provisioner", None), "process", None)
    if process is not None:
        process.kill()


def store_all(paths: list[Path]) -> int:
    """Store every notebook, say how each went, and return 0 if all went well, else 1 or, if stopped, its status."""
    notebooks = find(paths)
    if not notebooks:
        print(f"no notebook in {', '.join(map(str, paths))}", file=sys.stderr)
        return 1
    try:
        with stoppable():
            return 1 if sum([_told(path) for path in notebooks]) else 0
    except KeyboardInterrupt:
        print("stopped: the notebooks not named above are as they were", file=sys.stderr)
        return status()


def _told(path: Path) -> bool:
    """Store a notebook, say how it went, and return whether it failed."""
    stop_if_asked()
    problem = store(path) if path.exists() else "there is no such file"
    print(f"{path}: {problem or 'stored'}", file=sys.stderr if problem else sys.stdout, flush=True)
    return bool(problem)
