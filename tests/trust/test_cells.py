"""After a restart a reader may go on at any cell once the import cell has run; nbval runs them in turn."""

from .kernels import PATHS, code_cells, names


def test_a_name_that_a_cell_needs_is_found():
    made_outside = "def scores(q):\n    return [W @ q for q in pe.rope(q)]\n\n\nprint(scores(x), len(x))"
    assert names(made_outside) == ({"W", "pe", "x"}, {"scores"})
    needed, made = names("for i in range(3):\n    total = [j for j in (i,)]\nprint(total)")
    assert needed == set()
    assert made - {"j"} == {"i", "total"}  # from Python 3.12 on j counts, too


def test_a_cell_needs_the_import_cell_alone_and_hides_none_of_its_names():
    for path in PATHS:
        first, *rest = code_cells(path)
        needed, imported = names(first.source)
        assert needed == set(), path.stem
        assert {cell.id: names(cell.source)[0] - imported for cell in rest if names(cell.source)[0] - imported} == {}
        assert [cell.id for cell in rest if names(cell.source)[1] & imported] == [], path.stem
