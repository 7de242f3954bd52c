"""Every cell may be run twice, and after a restart a reader may go on at any cell once the import cell has run."""

import pytest

from .kernels import CLEAN, PATHS, code_cells, kernel, names, shown, words


@pytest.fixture(params=PATHS, ids=lambda path: path.stem)
def cells(request):
    return code_cells(request.param)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """One kernel for all lessons; each begins with no name left of the one before."""
    with kernel(tmp_path_factory.mktemp("elsewhere")) as run:
        yield run


def test_a_name_that_a_cell_needs_is_found():
    made_outside = "def scores(q):\n    return [W @ q for q in pe.rope(q)]\n\n\nprint(scores(x), len(x))"
    assert names(made_outside) == ({"W", "pe", "x"}, {"scores"})
    needed, made = names("for i in range(3):\n    total = [j for j in (i,)]\nprint(total)")
    assert needed == set()
    assert made - {"j"} == {"i", "total"}  # from Python 3.12 on j counts, too


def test_a_cell_needs_the_import_cell_alone_and_hides_none_of_its_names(cells):
    imported = names(cells[0].source)[1]
    assert {cell.id: names(cell.source)[0] - imported for cell in cells if names(cell.source)[0] - imported} == {}
    assert [cell.id for cell in cells[1:] if names(cell.source)[1] & imported] == []


@pytest.mark.slow
def test_each_cell_alone_says_what_is_stored_and_run_twice_the_same_with_the_same_pictures(cells, run):
    first, *rest = cells
    differing, pictures = {}, 0
    for cell in rest or cells:
        run(CLEAN)
        run(first.source)
        once, again = run(cell.source), run(cell.source)
        assert once == again, cell.id
        pictures += sum(bool(picture) for _, _, picture in once)
        free = "nbval-ignore-output" in cell.metadata.get("tags", [])  # what it says depends on what is installed
        failed = [kind for kind, _ in words(once) if kind not in ("stdout", "data")]
        if failed or (not free and words(once) != words(shown(cell))):
            differing[cell.id] = words(once)
    assert differing == {}
    assert pictures >= sum(cell.source.startswith("explore(") for cell in cells)
