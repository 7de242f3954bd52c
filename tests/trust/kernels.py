"""Lessons and their code cells, and the names that a cell needs."""

import builtins
import symtable
from pathlib import Path

import nbformat

from posenc_lib.notebooks import find

from ..conftest import ROOT

PATHS = find([ROOT / "notebooks"])
LESSONS = [path for path in PATHS if path.name[:2].isdigit()]


def code_cells(path: Path) -> list:
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def names(source: str) -> tuple[set, set]:
    """Return the names that a cell reads from outside of itself, and those that it makes."""

    def read(table, outermost=False) -> set:
        own = {s.get_name() for s in table.get_symbols() if s.is_referenced() and (outermost or s.is_global())}
        return own.union(*map(read, table.get_children()))

    table = symtable.symtable(source, "cell", "exec")
    made = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported() or s.is_namespace()}
    return read(table, outermost=True) - made - set(dir(builtins)), made
