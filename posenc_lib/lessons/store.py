"""Run lessons from a clean kernel and store what a reader should find in them."""

import sys
from pathlib import Path

import nbformat
from nbclient.exceptions import CellExecutionError
from nbconvert.preprocessors import ExecutePreprocessor

from posenc_lib.files import write_whole

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
        runner.preprocess(notebook, {"metadata": {"path": str(path.parent)}})
    except CellExecutionError as error:
        return str(error).strip()
    found = complaints(notebook)
    if found:
        return "a cell wrote to stderr: " + found[0]
    clean(notebook)
    write_whole(path, (nbformat.writes(notebook) + "\n").encode())
    return ""


def store_all(paths: list[Path]) -> int:
    """Store every notebook, say how each went, and return 0 if all went well, else 1."""
    notebooks = find(paths)
    if not notebooks:
        print(f"no notebook in {', '.join(map(str, paths))}", file=sys.stderr)
        return 1
    failed = 0
    for path in notebooks:
        problem = store(path) if path.exists() else "there is no such file"
        print(f"{path}: {problem or 'stored'}", file=sys.stderr if problem else sys.stdout, flush=True)
        failed += bool(problem)
    return 1 if failed else 0
