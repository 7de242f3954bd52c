"""Puzzles: each solution passes, each usual mistake is recognised by name, a stub stops nothing."""

import numpy as np
import pytest

from posenc_lib import check, hint, solution
from posenc_lib.lessons import puzzles, sinusoidal, start_here

PUZZLES = [*start_here.PUZZLES, *sinusoidal.PUZZLES]
FUNCTIONS = [puzzle for puzzle in PUZZLES if callable(puzzle.answer)]
MISTAKES = [(puzzle, sentence) for puzzle in PUZZLES for sentence in puzzle.mistakes]


def said(capsys, puzzle, answer):
    check(puzzle.name, answer)
    return capsys.readouterr().out.strip()


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda p: p.name)
def test_the_solution_is_right(puzzle, capsys):
    assert said(capsys, puzzle, puzzle.answer).startswith("right: ")


@pytest.mark.parametrize("puzzle", FUNCTIONS, ids=lambda p: p.name)
def test_the_code_that_solution_prints_is_right_by_itself(puzzle, capsys):
    solution(puzzle.name)
    space = {"np": np}
    exec(capsys.readouterr().out, space)
    assert said(capsys, puzzle, space[puzzle.answer.__name__]).startswith("right: ")


@pytest.mark.parametrize(("puzzle", "sentence"), MISTAKES, ids=lambda x: getattr(x, "name", x))
def test_a_usual_mistake_is_recognised_by_name(puzzle, sentence, capsys):
    text = said(capsys, puzzle, puzzle.mistakes[sentence])
    assert text.startswith("not yet: ")
    assert sentence in text
    if callable(puzzle.answer):
        assert "expected" in text or "should" in text


@pytest.mark.parametrize("nothing", [None, ...])
@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda p: p.name)
def test_a_stub_is_not_tried_yet(puzzle, nothing, capsys):
    stub = {None: lambda *args: None, ...: lambda *args: ...}[nothing] if callable(puzzle.answer) else nothing
    assert said(capsys, puzzle, stub) == "not tried yet"


@pytest.mark.parametrize("puzzle", FUNCTIONS, ids=lambda p: p.name)
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda *args: 1 / 0, "raised ZeroDivisionError: division by zero"),
        (lambda: 1, "raised TypeError"),
        (lambda *args: "text", "should return numbers, got dtype <U4"),
        (lambda *args: [[1], [1, 2]], "returned rows of unequal length"),
        (lambda *args: np.nan, "not yet"),
        (5, "give check the function itself, without calling it (got 5)"),
        (None, "give check the function itself, without calling it (got None)"),
    ],
)
def test_wild_answers_are_met_in_words(puzzle, answer, words, capsys):
    assert words in said(capsys, puzzle, answer)


@pytest.mark.parametrize("answer", ["44", [44, 44], np.array([1, 2]), 12345, 44.5, object(), 10**400, [1, [2]], True])
def test_wild_values_are_met_in_words(answer, capsys):
    assert said(capsys, start_here.PUZZLES[1], answer).startswith("not yet: ")


def test_the_first_wrong_place_is_named(capsys):
    text = said(capsys, start_here.PUZZLES[0], lambda n: np.where(np.arange(n) == 2, 7, np.arange(n)))
    assert "<lambda>(4) first differs at [2]: expected 2, got 7" in text


def test_an_answer_that_changes_its_argument_does_not_spoil_the_puzzle(capsys):
    def spoiler(row, offset):
        row[:] = 0
        return row

    said(capsys, sinusoidal.PUZZLES[0], spoiler)
    assert said(capsys, sinusoidal.PUZZLES[0], sinusoidal.shifted).startswith("right: ")


def test_hints_come_one_by_one_and_the_last_stays(capsys, monkeypatch):
    monkeypatch.setattr(puzzles, "_given", {})
    texts = []
    for _ in range(4):
        hint("shifted")
        texts.append(capsys.readouterr().out)
    assert [text[:11] for text in texts] == ["Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3", "Hint 3 of 3"]


@pytest.mark.parametrize("call", [lambda: check("nonsense", 1), lambda: hint("nonsense"), lambda: solution(3)])
def test_an_unknown_puzzle_is_refused_with_those_there_are(call):
    with pytest.raises(ValueError, match="puzzle must be one of 'count', 'twin', 'shifted', 'one_turn_base'"):
        call()


def test_names_are_unique_and_hints_are_three():
    assert len({puzzle.name for puzzle in PUZZLES}) == len(PUZZLES)
    assert all(len(puzzle.hints) == 3 for puzzle in PUZZLES)


def test_the_twin_of_position_0_is_44():
    table = np.stack([np.sin(np.arange(64)), np.cos(np.arange(64))], axis=1)
    distance = np.linalg.norm(table - table[0], axis=1)
    assert np.argsort(distance)[1] == 44
    assert distance[44] == pytest.approx(0.018, abs=5e-4)


def test_a_forgotten_return_is_not_a_stub(capsys):
    def forgot(seq_len):
        print("noise", np.arange(seq_len))

    assert said(capsys, start_here.PUZZLES[0], forgot) == "not yet: it returned None. Is a `return` missing?"


def test_every_wrong_position_is_told_how_far_it_is(capsys):
    assert "position 22 stands 2.000 from position 0; another one is nearer" in said(capsys, start_here.PUZZLES[1], 22)
    assert "there are 64 positions, 0 to 63" in said(capsys, start_here.PUZZLES[1], 64)
    assert "write one whole number" in said(capsys, start_here.PUZZLES[1], "44")


def test_an_answer_in_single_precision_is_exact_enough(capsys):
    single = lambda row, offset: sinusoidal.shifted(row, offset).astype(np.float32)  # noqa: E731
    assert said(capsys, sinusoidal.PUZZLES[0], single).startswith("right: ")
