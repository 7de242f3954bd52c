"""After a restart a reader may go on at any cell once the import cell has run.

A cell that only defines an encoding has to run, too, before those that use it.
"""

import ast
import builtins
import symtable

from .kernels import PATHS, code_cells


def names(source: str) -> tuple[set, set]:
    """Return the names that a cell reads from outside of itself, and those that it makes."""

    def read(table, outermost=False) -> set:
        known = [symbol for symbol in table.get_symbols() if outermost or symbol.is_global()]
        own = {symbol.get_name() for symbol in known if symbol.is_referenced()}
        return own.union(*map(read, table.get_children()))

    table = symtable.symtable(source, "cell", "exec")
    made = set()
    for symbol in table.get_symbols():
        if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace():
            made.add(symbol.get_name())
    return read(table, outermost=True) - made - set(dir(builtins)), made


def test_a_cell_needs_the_import_cell_alone_and_hides_none_of_its_names():
    for path in PATHS:
        first, *rest = code_cells(path)
        needed, known = names(first.source)
        assert needed == set(), path.stem
        for cell in rest:
            needed, made = names(cell.source)
            assert needed <= known, (path.stem, cell.id)
            assert not made & known, (path.stem, cell.id)
            body = ast.parse(cell.source).body
            if all(isinstance(one, ast.ClassDef) for one in body):  # a reader's own encoding
                known |= made
