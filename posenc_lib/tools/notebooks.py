"""Run lessons in a clean kernel and store their outputs for readers."""

import base64
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError

from posenc_lib.files import atomic_write
from posenc_lib.tools.write import tell
from posenc_lib.views.style import CSS_DPI

# In a text, this picture is what the panel above shows once the reader has drawn
ANSWER = "answer.png"
SHOW = "import posenc_lib.tools.notebooks as _n; print(_n.answered(_oh, {}))"
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
        print(f"no notebooks in {', '.join(map(str, paths))}", file=sys.stderr)
        return 1
    for path in notebooks:
        try:
            store(path)
            tell(f"{path}: stored")
        except FAILURES as error:
            failed = True  # the others still have to be stored
            print(f"{path}: couldn't be stored: {str(error).strip()}", file=sys.stderr, flush=True)
    return int(failed)


def store(path: Path) -> None:
    """Run one notebook in its own folder and replace the file atomically."""
    notebook = nbformat.read(path, as_version=4)
    own, asked = list(notebook.cells), list(_with_answers(notebook.cells))
    notebook.cells += [nbformat.v4.new_code_cell(SHOW.format(number)) for _, number in asked]
    client = NotebookClient(notebook, timeout=300, kernel_name="python3", coalesce_streams=True)
    # the kernel's own stderr; what cells write is kept
    try:
        client.execute(cwd=str(path.parent), stderr=subprocess.DEVNULL)
    finally:
        _stop_if_asked(client)
    for (cell, _), shown in zip(asked, notebook.cells[len(own) :], strict=True):
        cell.attachments = {ANSWER: {"image/png": shown.outputs[0].text.strip()}}
    notebook.cells = own
    if complaints := _clean(notebook):
        raise ValueError(f"a cell wrote to stderr: {complaints[0].strip()}")
    atomic_write(path, (nbformat.writes(notebook) + "\n").encode())


def _with_answers(cells: list) -> Iterator[tuple]:
    """Yield each text that shows an answer, with the number of the code cell before it."""
    number = 0
    for cell in cells:
        if cell.cell_type == "code":
            number += bool(cell.source.strip())  # an empty one isn't run
            continue
        cell.pop("attachments", None)
        if f"](attachment:{ANSWER})" in cell.source:
            yield cell, number


def answered(outputs: dict, number: int) -> str:
    """Return what a panel shows once the reader has drawn, a PNG in base64.

    It's the last one up to this number that asks for a drawing: others may have come in between.
    """
    asking = (k for k in range(number, 0, -1) if getattr(outputs.get(k), "asks", False))
    panel = outputs[next(asking, number)]
    panel.answer()
    return base64.b64encode(panel.sheet.picture("png", CSS_DPI)).decode()


def _stop_if_asked(client: NotebookClient) -> None:
    """Stop like Ctrl-C if the client, not Python, caught the signal.

    The client then ends its kernel, and whoever waits for a cell gets a long error about it.
    """
    ending = getattr(client, "_async_cleanup_kernel_future", None)
    if ending is not None:
        ending.cancel()
        raise KeyboardInterrupt from None


def _clean(notebook) -> list[str]:
    """Drop what needs a running kernel or changes from run to run; return what's on stderr.

    A picture gets its own output, so every exporter can keep it, above one with its words.
    """
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = [part for output in cell.outputs for part in _parts(output)]
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output.text for output in outputs if output.get("name") == "stderr"]


def _parts(output) -> list:
    """Return an output as a list; a picture and its words become two."""
    data = output.get("data", {})
    data.pop("application/vnd.jupyter.widget-view+json", None)  # useless without its kernel
    if not {"image/png", "text/html"} <= data.keys():
        return [output]
    _, _, below = data["text/html"].partition(">\n")
    new, picture = nbformat.v4.new_output, {"image/png": data["image/png"]}
    words = {"text/html": below, "text/plain": data["text/plain"]}
    return [new("display_data", picture, metadata=output.metadata), new("display_data", words)]
