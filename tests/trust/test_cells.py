"""After a restart a reader may go on at any cell once the import cell has run; nbval runs them in turn."""

import builtins
import symtable

from .kernels import PATHS, code_cells


def names(source: str) -> tuple[set, set]:
    """Return the names that a cell reads from outside of itself, and those that it makes."""

    def read(table, outermost=False) -> set:
        own = {
            s.get_name()
            for s in table.get_symbols()
            if s.is_referenced() and (outermost or s.is_global())
        }
        return own.union(*map(read, table.get_children()))

    table = symtable.symtable(source, "cell", "exec")
    made = {
        s.get_name()
        for s in table.get_symbols()
        if s.is_assigned() or s.is_imported() or s.is_namespace()
    }
    return read(table, outermost=True) - made - set(dir(builtins)), made


def test_a_cell_needs_the_import_cell_alone_and_hides_none_of_its_names():
    for path in PATHS:
        first, *rest = code_cells(path)
        needed, imported = names(first.source)
        assert needed == set(), path.stem
        assert {
            cell.id: names(cell.source)[0] - imported
            for cell in rest
            if names(cell.source)[0] - imported
        } == {}
        assert [cell.id for cell in rest if names(cell.source)[1] & imported] == [], path.stem
