"""Lessons, run by a real kernel: their code cells, the names a cell needs, and what running one cell shows."""

import builtins
import contextlib
import os
import re
import shutil
import subprocess
import symtable
from pathlib import Path

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel
from posenc_lib.lessons.store import find

from ..conftest import ROOT

PATHS = find([ROOT / "notebooks"])
LESSONS = [path for path in PATHS if path.name[:2].isdigit()]
CLEAN = "get_ipython().reset(new_session=False)"  # every name gone, as after a restart of the kernel
SECONDS = 60  # far more than the slowest cell takes


def code_cells(path: Path) -> list:
    """Return the code cells of a notebook."""
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def names(source: str) -> tuple[set, set]:
    """Return the names that a cell reads from outside of itself, and those that it makes."""
    table = symtable.symtable(source, "cell", "exec")
    made = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported() or s.is_namespace()}
    return _read(table, outermost=True) - made - set(dir(builtins)), made


def _read(table: symtable.SymbolTable, outermost: bool = False) -> set:
    own = {s.get_name() for s in table.get_symbols() if s.is_referenced() and (outermost or s.is_global())}
    return own.union(*map(_read, table.get_children()))


def missing(cells: list) -> dict:
    """Return, for each cell, the names that neither the import cell nor the cell itself makes."""
    given = names(cells[0].source)[1]
    needs = {cell.id: names(cell.source)[0] - given for cell in cells}
    return {cell: sorted(lacking) for cell, lacking in needs.items() if lacking}


class Kernel:
    """One running kernel."""

    def __init__(self, folder: Path):
        self._manager, self._client = start_new_kernel(kernel_name="python3", cwd=str(folder))

    def run(self, source: str) -> list[tuple]:
        """Run one cell; return what it shows: words and pictures, an error as its name and message."""
        shown = []
        self._client.execute_interactive(source, timeout=SECONDS, output_hook=lambda m: shown.append(_seen(m)))
        return [one for one in together(shown) if one]

    def stop(self) -> None:
        """End the kernel."""
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)
        self._manager.cleanup_resources()


@contextlib.contextmanager
def kernel(folder: Path):
    """Start a kernel in a folder; stop it in the end."""
    running = Kernel(folder)
    try:
        yield running
    finally:
        running.stop()


def _seen(message: dict) -> tuple | None:
    kind, content = message["msg_type"], message["content"]
    if kind == "stream":
        return content["name"], content["text"]
    if kind == "error":
        return "error", f"{content['ename']}: {content['evalue']}"
    if "data" in content and kind in ("display_data", "execute_result"):
        return _data(content["data"])
    return None


def _data(data: dict) -> tuple:
    """Return words and picture, without what names a widget of this one kernel."""
    return "data", re.sub(r"\b[0-9a-f]{32}\b|0x[0-9a-f]+", "…", data.get("text/plain", "")), data.get("image/png", "")


def together(shown: list) -> list:
    """Return outputs with what one stream said in several pieces as one."""
    whole = []
    for one in filter(None, shown):
        if whole and one[0] == whole[-1][0] in ("stdout", "stderr"):
            whole[-1] = (one[0], whole[-1][1] + one[1])
        else:
            whole.append(one)
    return whole


def stored(cell) -> list[tuple]:
    """Return the words that a stored cell shows, as running it would give them."""
    kinds = {"stream": lambda o: (o.name, o.text), "error": lambda o: ("error", f"{o.ename}: {o.evalue}")}
    return together([kinds.get(o.output_type, lambda o: _data(o.data))(o) for o in cell.outputs])


def words(shown: list[tuple]) -> list[tuple]:
    """Return what is said, without pictures: those may differ between machines."""
    return [one[:2] for one in shown]


def plain(folder: Path) -> list[str]:
    """Return what stands before a command so that it cannot write to a locked folder, even if root runs the tests."""
    if os.access(folder, os.W_OK):
        rights = "-dac_override,-dac_read_search"
        before = ["setpriv", f"--bounding-set={rights}", f"--inh-caps={rights}"]
        if not shutil.which("setpriv") or not subprocess.run([*before, "test", "-w", str(folder)]).returncode:
            pytest.skip("root may write everywhere here")
        return before
    return []
