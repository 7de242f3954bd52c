"""Puzzles: each solution passes, each usual mistake is recognised by name, a stub stops nothing."""

from itertools import combinations

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib import check, hint, solution
from posenc_lib.lessons import binary, integers, puzzles, rope, sine, start_here, why_position

PUZZLES = puzzles.all_puzzles()
FUNCTIONS = [puzzle for puzzle in PUZZLES if callable(puzzle.answer)]
ON_ARRAYS = [puzzle for puzzle in FUNCTIONS if any(isinstance(x, np.ndarray) for x in puzzle.cases[0])]
NAMES = ["count", "twin", "restore", "embed_scale", "fractions", "spacing", "read_bits", "gray", "waves", "closest"]
NAMES += ["shifted", "one_turn_base", "turned", "score", "offsets", "bucket", "rel_shift", "slopes", "window"]
NAMES += ["permutation", "sliced", "continued", "cosines", "tables"]
MISTAKES = [(puzzle, sentence) for puzzle in PUZZLES for sentence in puzzle.mistakes]


def said(capsys, puzzle, answer):
    check(puzzle.name, answer)
    return capsys.readouterr().out.strip()


def results(puzzle, answer):
    """Return what an answer, right or mistaken, gives for each case."""
    return [answer(*map(puzzles._copy, case)) for case in puzzle.cases] if callable(puzzle.answer) else [answer]


def alike(puzzle, one, other):
    """Return whether no case tells the two apart."""
    return all(map(puzzles._same, results(puzzle, one), results(puzzle, other)))


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda p: p.name)
def test_the_solution_is_right(puzzle, capsys):
    assert said(capsys, puzzle, puzzle.answer).startswith("right: ")


@pytest.mark.parametrize("puzzle", FUNCTIONS, ids=lambda p: p.name)
def test_the_code_that_solution_prints_is_right_by_itself(puzzle, capsys):
    solution(puzzle.name)
    space = {"np": np, "pe": pe}
    exec(capsys.readouterr().out, space)
    assert said(capsys, puzzle, space[puzzle.answer.__name__]).startswith("right: ")


@pytest.mark.parametrize(("puzzle", "sentence"), MISTAKES, ids=lambda x: getattr(x, "name", x))
def test_a_usual_mistake_is_recognised_by_name(puzzle, sentence, capsys):
    first, *rest = said(capsys, puzzle, puzzle.mistakes[sentence]).splitlines()
    if callable(puzzle.answer):
        assert first.startswith("not yet: ")
        assert "expected" in first or "should" in first
        assert rest == [f"That looks like this: {sentence}"]
    else:
        assert [first, *rest] == [f"not yet: {sentence}"]


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda p: p.name)
def test_no_two_mistakes_are_alike_and_none_is_right(puzzle):
    for one, other in combinations([puzzle.answer, *puzzle.mistakes.values()], 2):
        assert not alike(puzzle, one, other)


def test_an_arange_with_a_fractional_step_is_recognised_where_it_first_runs_too_far(capsys):
    first, second = said(capsys, integers.PUZZLES[0], lambda n: np.arange(0, 1, 1 / n)).splitlines()
    assert first.endswith("(49) should have shape (49,), got (50,)")
    assert "off-by-one length" in second


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
        (lambda *args: np.nan, "not yet: "),
        (lambda *args: args, "not yet: "),
        (lambda *args: object(), "should return numbers, got dtype object"),
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


@pytest.mark.parametrize("puzzle", ON_ARRAYS, ids=lambda p: p.name)
def test_an_answer_that_changes_its_argument_does_not_spoil_the_puzzle(puzzle, capsys):
    def spoiler(*args):
        for array in args:
            if isinstance(array, np.ndarray):
                array[:] = 0
        return args[0]

    said(capsys, puzzle, spoiler)
    assert said(capsys, puzzle, puzzle.answer).startswith("right: ")


@pytest.mark.parametrize("puzzle", ON_ARRAYS, ids=lambda p: p.name)
def test_no_answer_or_mistake_changes_a_case(puzzle):
    for function in (puzzle.answer, *puzzle.mistakes.values()):
        for case in puzzle.cases:
            args = [puzzles._copy(x) for x in case]
            function(*args)
            assert all(map(np.array_equal, args, case))


def test_a_short_array_is_shown_whole_and_a_long_one_by_its_shape(capsys):
    text = said(capsys, why_position.PUZZLES[0], lambda order: order)
    assert "<lambda>(np.array([1, 2, 0])) first differs at [0]: expected 2, got 1" in text
    text = said(capsys, sine.PUZZLES[1], lambda table: (1, 2) if len(table) == 8 else (0, 1))
    assert "<lambda>(array of shape (28, 2)) first differs at [0]: expected 2, got 0" in text


def test_hints_come_one_by_one_and_the_last_stays(capsys, monkeypatch):
    monkeypatch.setattr(puzzles, "_given", {})
    texts = []
    for _ in range(4):
        hint("shifted")
        texts.append(capsys.readouterr().out)
    assert [text[:11] for text in texts] == ["Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3", "Hint 3 of 3"]


@pytest.mark.parametrize("call", [lambda: check("nonsense", 1), lambda: hint("nonsense"), lambda: solution(3)])
def test_an_unknown_puzzle_is_refused_with_those_there_are(call):
    with pytest.raises(ValueError, match=f"puzzle must be one of {', '.join(map(repr, NAMES))}, got"):
        call()


def test_names_are_unique_and_hints_are_three():
    assert [puzzle.name for puzzle in PUZZLES] == NAMES
    assert len(set(NAMES)) == len(NAMES)
    assert all(len(set(puzzle.hints)) == 3 for puzzle in PUZZLES)


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


@pytest.mark.parametrize("puzzle", FUNCTIONS, ids=lambda p: p.name)
def test_an_answer_in_single_precision_is_exact_enough(puzzle, capsys):
    def single(*args):
        full = np.asarray(puzzle.answer(*args))
        return full.astype(np.complex64 if full.dtype.kind == "c" else np.float32)

    assert said(capsys, puzzle, single).startswith("right: ")


def test_the_orders_to_undo_are_permutations_that_are_not_their_own_inverse():
    for (order,) in why_position.PUZZLES[0].cases:
        words = np.arange(len(order))
        assert sorted(order) == list(words)
        assert not np.array_equal(order[order], words)
        assert np.array_equal(words[order][why_position.restore(order)], words)


@pytest.mark.parametrize("case", sine.PUZZLES[1].cases, ids=lambda case: str(case[0].shape))
def test_the_closest_rows_are_far_from_ambiguous(case):
    (table,) = case
    pairs = sorted((np.linalg.norm(table[i] - table[j]), i, j) for i, j in combinations(range(len(table)), 2))
    assert sine.closest(table) == pairs[0][1:]
    assert 0.01 < 1.4 * pairs[0][0] < pairs[1][0]


@pytest.mark.parametrize("m", [0, 3, -20, 1.5])
@pytest.mark.parametrize("case", rope.PUZZLES[1].cases, ids=lambda case: f"{len(case[0])} dims")
def test_the_score_is_the_same_wherever_the_query_stands(case, m):
    q, k, offset = case
    np.testing.assert_allclose(rope.turned(q, m) @ rope.turned(k, m + offset), rope.score(*case), atol=1e-12)


def test_the_answers_agree_with_the_library():
    x = rope.PUZZLES[0].cases[3][0]
    np.testing.assert_allclose(rope.turned(x, 7.5), pe.rope(x[None], np.array([7.5]))[0], atol=1e-12)
    np.testing.assert_array_equal(binary.read_bits(pe.binary(50, 6)), np.arange(50))
    np.testing.assert_allclose(sine.waves(20, 8, 100), pe.sine(20, 8, base=100), atol=1e-12)
    np.testing.assert_array_equal(integers.fractions(49), pe.normalized(49, 1)[:, 0])
    rows = pe.normalized(49, 64)
    np.testing.assert_allclose(integers.spacing(49, 64), np.linalg.norm(rows[7] - rows[6]), rtol=1e-12)
    longest = np.linalg.norm(why_position.embed_scale(128, 2) * np.eye(128)[0])
    np.testing.assert_allclose(longest, 2 * np.linalg.norm(pe.sinusoidal(9, 128)[8]), rtol=1e-12)


def test_the_gray_code_has_all_rows_and_flips_one_bit_at_each_step():
    code = binary.gray(64, 6)
    assert len(np.unique(code, axis=0)) == 64
    assert (np.abs(np.diff(code, axis=0)).sum(axis=1) == 1).all()
