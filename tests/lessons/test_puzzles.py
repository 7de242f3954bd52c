"""Puzzles: each solution passes, each usual mistake is recognised by name, a stub stops nothing."""

from copy import deepcopy
from itertools import combinations

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib import check, hint, solution
from posenc_lib.puzzles import engine, lesson_01, lesson_02, lesson_03, lesson_04, lesson_06

PUZZLES = engine.all_puzzles()
NAMES = [puzzle.name for puzzle in PUZZLES]
FUNCTIONS = [puzzle for puzzle in PUZZLES if callable(puzzle.answer)]
VALUES = [puzzle for puzzle in PUZZLES if puzzle not in FUNCTIONS]


def of(some):
    return pytest.mark.parametrize("puzzle", some, ids=lambda puzzle: puzzle.name)


def said(capsys, name, answer):
    check(name, answer)
    return capsys.readouterr().out.strip()


def test_puzzles_have_names_of_their_own_and_three_hints():
    assert len(set(NAMES)) == len(NAMES) >= 24
    assert all(len(set(puzzle.hints)) == 3 for puzzle in PUZZLES)


@of(PUZZLES)
def test_the_solution_is_right_in_single_precision_too_and_so_is_the_code_it_prints(puzzle, capsys):
    def single(*args):
        full = np.asarray(puzzle.answer(*args))
        return full.astype(np.complex64 if full.dtype.kind == "c" else np.float32)

    assert said(capsys, puzzle.name, puzzle.answer).startswith("right: ")
    if puzzle in FUNCTIONS:
        assert said(capsys, puzzle.name, single).startswith("right: ")
        space = {"np": np, "pe": pe}
        solution(puzzle.name)
        exec(capsys.readouterr().out, space)
        assert said(capsys, puzzle.name, space[puzzle.answer.__name__]).startswith("right: ")


@of(PUZZLES)
def test_a_usual_mistake_is_recognised_by_name(puzzle, capsys):
    for sentence, mistake in puzzle.mistakes.items():
        first, *rest = said(capsys, puzzle.name, mistake).splitlines()
        if puzzle in FUNCTIONS:
            assert first.startswith("not yet: ")
            assert "expected" in first or "should" in first
            assert rest == [f"That looks like this: {sentence}"]
        else:
            assert [first, *rest] == [f"not yet: {sentence}"]


@of(PUZZLES)
def test_no_two_mistakes_are_alike_none_is_right_and_none_changes_a_case(puzzle):
    answers, before = [puzzle.answer, *puzzle.mistakes.values()], deepcopy(puzzle.cases)
    check(puzzle.name, lambda *args: [x.fill(0) for x in args if isinstance(x, np.ndarray)])
    results = [[each(*case) for case in puzzle.cases] if puzzle in FUNCTIONS else [each] for each in answers]
    for case, untouched in zip(puzzle.cases, before, strict=True):
        assert all(map(np.array_equal, case, untouched))
    for one, other in combinations(results, 2):
        assert not all(map(engine._same, one, other))


@of(FUNCTIONS)
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda *args: None, "not tried yet"),
        (lambda *args: ..., "not tried yet"),
        (lambda *args: print("noise"), "not yet: it returned None. Is a `return` missing?"),
        (lambda *args: 1 / 0, "raised ZeroDivisionError: division by zero"),
        (lambda: 1, "raised TypeError"),
        (lambda *args: "text", "should return numbers, got dtype <U4"),
        (lambda *args: [[1], [1, 2]], "returned rows of unequal length"),
        (lambda *args: np.nan, "not yet: "),
        (lambda *args: args, "not yet: "),
        (lambda *args: object(), "should return numbers, got dtype object"),
        (5, "give check the function itself, without calling it (got 5)"),
        (None, "give check the function itself, without calling it (got None)"),
    ],
)
def test_wild_answers_are_met_in_words(puzzle, answer, words, capsys):
    text = said(capsys, puzzle.name, answer)
    assert words in text
    assert "noise" not in text


@of(VALUES)
@pytest.mark.parametrize("value", ["44", [44, 44], np.array([1, 2]), 12345, 44.5, object(), 10**400, [1, [2]], True])
def test_wild_values_are_met_in_words(puzzle, value, capsys):
    assert said(capsys, puzzle.name, value).startswith("not yet: ")
    assert said(capsys, puzzle.name, None) == said(capsys, puzzle.name, ...) == "not tried yet"


@pytest.mark.parametrize(
    ("name", "answer", "words"),
    [
        ("count", lambda n: np.where(np.arange(n) == 2, 7, np.arange(n)), "4) first differs at [2]: expected 2, got 7"),
        ("restore", lambda order: order, "(np.array([1, 2, 0])) first differs at [0]: expected 2, got 1"),
        ("closest", lambda x: (1, 2) if len(x) == 8 else (0, 1), "(array of shape (28, 2)) first differs at [0]: exp"),
        ("fractions", lambda n: np.arange(0, 1, 1 / n), "should have shape (49,), got (50,)\nThat looks like this"),
        ("twin", 22, "position 22 stands 2.000 from position 0; another one is nearer"),
        ("twin", 64, "there are 64 positions, 0 to 63"),
        ("twin", "44", "write one whole number"),
    ],
)
def test_what_is_wrong_first_is_named(name, answer, words, capsys):
    assert words in said(capsys, name, answer)


def test_hints_come_one_by_one_and_the_last_stays(capsys, monkeypatch):
    monkeypatch.setattr(engine, "_given", {})
    with pytest.raises(ValueError, match="did you mean 'gray'"):
        hint("grey")
    for number in (1, 2, 3, 3):
        hint("shifted")
        assert capsys.readouterr().out.startswith(f"Hint {number} of 3")


@pytest.mark.parametrize("call", [lambda: check("nonsense", 1), lambda: hint("nonsense"), lambda: solution(3)])
def test_an_unknown_puzzle_is_refused_with_a_few_of_those_there_are(call):
    with pytest.raises(ValueError, match=rf"puzzle must be a known name \(there are {', '.join(NAMES[:4])}, …\), got"):
        call()


def test_what_is_to_be_found_is_far_from_ambiguous():
    table = np.stack([np.sin(np.arange(64)), np.cos(np.arange(64))], axis=1)
    distance = np.linalg.norm(table - table[0], axis=1)
    assert np.argsort(distance)[1] == 44
    assert distance[44] == pytest.approx(0.018, abs=5e-4)
    for (table,) in lesson_04.CLOSEST.cases:
        pairs = sorted((np.linalg.norm(table[i] - table[j]), i, j) for i, j in combinations(range(len(table)), 2))
        assert lesson_04.closest(table) == pairs[0][1:]
        assert 0.01 < 1.4 * pairs[0][0] < pairs[1][0]
    for (order,) in lesson_01.RESTORE.cases:  # no order is its own inverse
        assert not np.array_equal(order[order], np.arange(len(order)))
        assert np.array_equal(order[lesson_01.restore(order)], np.arange(len(order)))


def test_the_answers_agree_with_the_library():
    x, rows, code = lesson_06.TURNED.cases[3][0], pe.normalized(49, 64), lesson_03.gray(np.arange(64), 6)
    np.testing.assert_allclose(lesson_06.turned(x, 7.5), pe.rope(x[None], [7.5])[0], atol=1e-12)
    for q, k, offset in lesson_06.SCORE.cases:
        for m in (0, 3, -20, 1.5):  # wherever the query stands
            score = lesson_06.turned(q, m) @ lesson_06.turned(k, m + offset)
            np.testing.assert_allclose(score, lesson_06.score(q, k, offset), atol=1e-12)
    np.testing.assert_array_equal(lesson_03.read_bits(pe.binary(50, 6)), np.arange(50))
    np.testing.assert_allclose(lesson_04.waves(np.arange(20), 8, 100), pe.sine(20, 8, base=100), atol=1e-12)
    np.testing.assert_array_equal(lesson_02.fractions(49), pe.normalized(49, 1)[:, 0])
    np.testing.assert_allclose(lesson_02.spacing(49, 64), np.linalg.norm(rows[7] - rows[6]), rtol=1e-12)
    longest = np.linalg.norm(lesson_01.embed_scale(128, 2) * np.eye(128)[0])
    np.testing.assert_allclose(longest, 2 * np.linalg.norm(pe.sinusoidal(9, 128)[8]), rtol=1e-12)
    assert len(np.unique(code, axis=0)) == 64
    assert (np.abs(np.diff(code, axis=0)).sum(axis=1) == 1).all()  # one bit flips at each step
