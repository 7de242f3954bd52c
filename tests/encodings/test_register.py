"""What is found by name: each name once, and what one page alone needs is found by its folder."""

import re

import pytest

from posenc_lib.encodings.catalog import ENCODINGS, KNOWN, NAMED
from posenc_lib.encodings.register import Register, last_lesson, load, pages
from posenc_lib.live.puzzles import PUZZLES, function_puzzle, value_puzzle
from posenc_lib.views import VIEWS

from ..conftest import ROOT


def test_pages_are_those_of_the_notebooks():
    numbers = [int(path.name[:2]) for path in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))]
    assert pages()[: len(numbers)] == [f"lesson_{number:02}" for number in numbers]
    assert last_lesson() == numbers[-1]


def test_a_second_puzzle_of_a_taken_name_is_refused_and_the_first_stays():
    before = PUZZLES.load()["count"]
    taken = re.escape("every puzzle needs a unique name: 'count' is taken (posenc_lib.lessons.")

    def count(seq_len):
        return seq_len

    with pytest.raises(ValueError, match=taken):
        function_puzzle("one", "two", "three")(count)
    with pytest.raises(ValueError, match=taken):
        value_puzzle("count", 1, "one", "two", "three")
    assert PUZZLES["count"] is before


def test_a_second_encoding_of_a_taken_name_is_refused_and_the_first_stays():
    before = list(NAMED.load())
    for catalog, name in ((KNOWN, "sine"), (NAMED, "case_1"), (NAMED, "rope")):
        with pytest.raises(ValueError, match=f"needs a unique name: '{name}' is taken"):
            catalog.include({"mine": ENCODINGS["rope"], name: ENCODINGS["rope"]})
    assert list(NAMED) == before


def test_a_module_that_is_loaded_again_replaces_its_own():
    birds: Register[str] = Register("bird", part="puzzles")
    birds.add("owl", "hoo", place="here")
    birds.add("owl", "hoo hoo", place="here")
    assert birds["owl"] == "hoo hoo"


def test_what_nobody_knows_is_no_key_of_any_list():
    for names in (VIEWS, PUZZLES, NAMED, KNOWN):
        assert "nobody_knows" not in names
        with pytest.raises(KeyError, match="nobody_knows"):
            names["nobody_knows"]


def test_a_page_is_loaded_once():
    load("puzzles")
    before = dict(PUZZLES)
    load("puzzles")
    assert all(PUZZLES[name] is puzzle for name, puzzle in before.items())
