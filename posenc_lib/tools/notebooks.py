"""Run lessons from a clean kernel and store what a reader should find in them."""

import subprocess
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError

from posenc_lib.files import atomic_write
from posenc_lib.tools.write import tell

FAILURES = (CellExecutionError, DeadKernelError, OSError, ValueError, nbformat.ValidationError)


def find(paths: list[Path]) -> list[Path]:
    """Return every notebook named by paths or inside them, in order, without Jupyter's copies."""
    found = []
    for path in paths:
        found += sorted(path.rglob("*.ipynb")) if path.is_dir() else [path]
    return [path for path in found if ".ipynb_checkpoints" not in path.parts]


def store_all(paths: list[Path]) -> int:
    """Store every notebook, say how each went, and return 0 if all went well, else 1."""
    notebooks, failed = find(paths), False
    if not notebooks:
        print(f"no notebook in {', '.join(map(str, paths))}", file=sys.stderr)
        return 1
    for path in notebooks:
        try:
            store(path)
            tell(f"{path}: stored")
        except FAILURES as error:
            failed = True  # the others are still to be stored
            print(f"{path}: could not be stored: {str(error).strip()}", file=sys.stderr, flush=True)
    return int(failed)


def store(path: Path) -> None:
    """Run one notebook in its own folder and replace it, whole."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=300, kernel_name="python3", coalesce_streams=True)
    # stderr of the kernel; what cells write is kept
    try:
        client.execute(cwd=str(path.parent), stderr=subprocess.DEVNULL)
    finally:
        _stop_if_asked(client)
    if complaints := _clean(notebook):
        raise ValueError(f"a cell wrote to stderr: {complaints[0].strip()}")
    atomic_write(path, (nbformat.writes(notebook) + "\n").encode())


def _stop_if_asked(client: NotebookClient) -> None:
    """Stop as Ctrl-C does, if the client has got a signal in the place of Python.

    It answers one by ending its kernel, of which then hears who waits for a cell, in many words.
    """
    ending = getattr(client, "_async_cleanup_kernel_future", None)
    if ending is not None:
        ending.cancel()
        raise KeyboardInterrupt from None


def _clean(notebook) -> list[str]:
    """Drop what needs a living kernel or changes from run to run; return what stands on stderr."""
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    for output in outputs:
        data = output.get("data", {})
        data.pop("application/vnd.jupyter.widget-view+json", None)  # dead without its kernel
        if "<img " in data.get("text/html", ""):
            del data["image/png"], output["metadata"]["image/png"]  # the HTML has the same
    return [output.text for output in outputs if output.get("name") == "stderr"]
