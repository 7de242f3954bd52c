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
    assert names("for i in range(3):\n    total = [j for j in (i,)]\nprint(total)") == (set(), {"i", "total"})


def test_a_cell_needs_no_name_of_another_cell_but_the_import_cell(cells):
    assert missing(cells) == {}


def test_no_cell_hides_a_name_of_the_import_cell(cells):
    first, *rest = cells
    imported = names(first.source)[1]
    assert {cell.id: names(cell.source)[1] & imported for cell in rest if names(cell.source)[1] & imported} == {}


def test_each_cell_says_the_same_alone_after_the_import_cell_as_in_the_whole_lesson(cells, running):
    first, *rest = cells
    differing = {}
    for cell in rest:
        running.run(CLEAN)
        running.run(first.source)
        alone = words(running.run(cell.source))
        free = "nbval-ignore-output" in cell.metadata.get("tags", [])  # what it says depends on what is installed
        if any(one[0] in ("error", "stderr") for one in alone) or (not free and alone != words(stored(cell))):
            differing[cell.id] = alone
    assert differing == {}


def test_each_cell_shows_the_same_words_and_pictures_when_run_twice(cells, running, request, record_property):
    running.run(CLEAN)
    twice = [(cell.id, running.run(cell.source), running.run(cell.source)) for cell in cells]
    assert [name for name, once, again in twice if once != again] == []
    assert not any(one[0] in ("error", "stderr") for _, once, again in twice for one in once + again)
    pictures = sum(one[0] == "data" and bool(one[2]) for _, once, _ in twice for one in once)
    assert pictures >= sum(cell.source.startswith("explore(") for cell in cells)
    lesson = request.node.callspec.id
    record_property(f"cells run twice, {lesson}", f"{len(cells)} cells, {pictures} pictures, the same bytes both times")


def test_the_first_cell_of_a_lesson_is_the_import_cell():
    for path in LESSONS:
        assert names(code_cells(path)[0].source)[0] == set()
