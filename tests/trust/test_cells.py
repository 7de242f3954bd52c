"""Every cell may be run twice, and after a restart a reader may go on at any cell once the import cell has run."""

import pytest

from .kernels import CLEAN, LESSONS, PATHS, code_cells, kernel, missing, names, stored, words


@pytest.fixture(params=PATHS, ids=lambda path: path.stem)
def cells(request):
    return code_cells(request.param)


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """One kernel for all lessons; each begins with no name left of the one before."""
    with kernel(tmp_path_factory.mktemp("elsewhere")) as one:
        yield one


def test_a_name_that_a_cell_needs_is_found():
    made_outside = "def scores(q):\n    return [W @ q for q in pe.rope(q)]\n\n\nprint(scores(x), len(x))"
    assert names(made_outside) == ({"W", "pe", "x"}, {"scores"})
    needed, made = names("for i in range(3):\n    total = [j for j in (i,)]\nprint(total)")
    assert needed == set()
    assert made - {"j"} == {"i", "total"}  # from Python 3.12 on j counts, too


def test_a_cell_needs_no_name_of_another_cell_but_the_import_cell(cells):
    assert missing(cells) == {}


def test_no_cell_hides_a_name_of_the_import_cell(cells):
    first, *rest = cells
    imported = names(first.source)[1]
    assert {cell.id: names(cell.source)[1] & imported for cell in rest if names(cell.source)[1] & imported} == {}


@pytest.mark.slow
def test_each_cell_alone_says_what_is_stored_and_run_twice_the_same_with_the_same_pictures(
    cells, running, request, record_property
):
    first, *rest = cells
    differing, pictures = {}, 0
    for cell in rest or cells:
        running.run(CLEAN)
        running.run(first.source)
        once, again = running.run(cell.source), running.run(cell.source)
        assert once == again, cell.id
        pictures += sum(one[0] == "data" and bool(one[2]) for one in once)
        alone = words(once)
        free = "nbval-ignore-output" in cell.metadata.get("tags", [])  # what it says depends on what is installed
        if any(one[0] in ("error", "stderr") for one in alone) or (not free and alone != words(stored(cell))):
            differing[cell.id] = alone
    assert differing == {}
    assert pictures >= sum(cell.source.startswith("explore(") for cell in cells)
    lesson = request.node.callspec.id
    record_property(f"cells alone and twice, {lesson}", f"{len(cells)} cells, {pictures} pictures, the same bytes")


def test_the_first_cell_of_a_lesson_is_the_import_cell():
    for path in LESSONS:
        assert names(code_cells(path)[0].source)[0] == set()
