"""Puzzles: each solution passes, each usual mistake is recognised by name, a stub stops nothing."""

from copy import deepcopy

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib import check, hint, solution
from posenc_lib.encodings.trained_table import spread
from posenc_lib.lessons.puzzles import engine

PUZZLES = engine.all_puzzles()
NAMES = list(PUZZLES)
FUNCTIONS = {name: puzzle for name, puzzle in PUZZLES.items() if callable(puzzle.answer)}
VALUES = [name for name in PUZZLES if name not in FUNCTIONS]
RIGHT = {name: puzzle.answer for name, puzzle in PUZZLES.items()}


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Every reader starts without hints and without wrong answers."""
    monkeypatch.setattr(engine, "_given", {})
    monkeypatch.setattr(engine, "_wrong", {})


def said(capsys, name, answer):
    check(name, answer)
    return capsys.readouterr().out.strip()


def stuck(name):
    return f'Stuck? hint("{name}") helps, up to three times; then solution("{name}").'


def test_puzzles_have_names_of_their_own_and_three_hints():
    assert len(set(NAMES)) == len(NAMES) >= 24
    assert all(len(set(puzzle.hints)) == 3 for puzzle in PUZZLES)


def single(puzzle):
    """Return the answer as somebody has it who computes in single precision."""

    def answer(*args):
        full = np.asarray(puzzle.answer(*args))
        return full.astype(np.complex64 if full.dtype.kind == "c" else np.float32)

    return answer


def test_every_solution_is_right_in_single_precision_too_and_so_is_the_code_it_prints(capsys):
    for puzzle in PUZZLES:
        told = said(capsys, puzzle.name, puzzle.answer)
        assert told.startswith("right: "), puzzle.name
        assert told.endswith(puzzle.won)
    for puzzle in FUNCTIONS:
        assert said(capsys, puzzle.name, single(puzzle)).startswith("right: "), puzzle.name
        space = {"np": np, "pe": pe}
        solution(puzzle.name)
        exec(capsys.readouterr().out, space)
        assert said(capsys, puzzle.name, space[puzzle.answer.__name__]).startswith("right: "), puzzle.name


def test_every_usual_mistake_is_recognised_by_name(capsys):
    for puzzle in PUZZLES:
        for tries, (sentence, mistake) in enumerate(puzzle.mistakes.items()):
            first, *rest = said(capsys, puzzle.name, mistake).splitlines()
            if puzzle in FUNCTIONS:
                assert first.startswith("not yet: ")
                assert "expected" in first or "should" in first
                assert rest.pop(0) == f"Likely reason: {sentence}"
            else:
                assert first == f"not yet: {sentence}"
            assert rest == [stuck(puzzle.name)] * (tries < 2)


def test_arguments_that_are_written_for_the_reader_are_those_of_the_case():
    for puzzle in FUNCTIONS:
        for text, case in zip(puzzle.written, puzzle.cases, strict=False):
            again = eval(f"({text},)", {"np": np, "pe": pe}) if text else case
            assert len(again) == len(case)
            assert all(map(np.array_equal, again, case)), puzzle.name


def test_an_answer_cannot_change_the_arguments_of_later_ones():
    for puzzle in FUNCTIONS:
        before = deepcopy(puzzle.cases)
        check(puzzle.name, lambda *args: [x.fill(0) for x in args if isinstance(x, np.ndarray)])
        for case, untouched in zip(puzzle.cases, before, strict=True):
            assert all(map(np.array_equal, case, untouched)), puzzle.name


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
    ],
)
def test_wild_answers_are_met_in_words(answer, words, capsys):
    for puzzle in FUNCTIONS:
        text = said(capsys, puzzle.name, answer)
        assert words in text, puzzle.name
        assert "noise" not in text


@pytest.mark.parametrize("value", ["44", [44, 44], 12345, 44.5, object(), 10**400, [1, [2]], True])
def test_wild_values_are_met_in_words(value, capsys):
    for puzzle in VALUES:
        assert said(capsys, puzzle.name, value).startswith("not yet: "), puzzle.name
        assert said(capsys, puzzle.name, None) == said(capsys, puzzle.name, ...) == "not tried yet"


def squares(height, width, dims):
    """Return a table of patches that is right for squares only, as the lesson's own: it divides by the height."""
    y, x = np.divmod(np.arange(height * width), height)
    return np.hstack([pe.sinusoidal(at, dims // 2, layout="concatenated") for at in (y, x)])


@pytest.mark.parametrize(
    ("name", "answer", "words"),
    [
        ("count", lambda n: np.where(np.arange(n) == 2, 7, np.arange(n)), "4) first differs at [2]: expected 2, got 7"),
        ("restore", lambda order: order, "(np.array([1, 2, 0])) first differs at [0]: expected 2, got 1"),
        ("fractions", lambda n: np.arange(0, 1, 1 / n), "should have shape (49,), got (50,)\nLikely reason: "),
        ("gray", lambda x, d: (x ^ x / 2)[:, None] * np.ones(d), "TypeError: ^, | and & need whole numbers. Use //"),
        ("gray", lambda x, d: Ellipsis + x, "not tried yet"),
        ("asks", lambda k, n: 10 * lesson_06.asks(k, n), "Likely reason: the right direction, but not the right len"),
        ("asks", lambda k, n: pe.rope(k, n), "x[None] has one row"),
        ("twin", 22, "position 22 stands 2.000 from position 0; another one is nearer"),
        ("closest", lambda x: pe.closest_pair(x)[:2], "the numbers are right, but pe.closest_pair made"),
        ("myths", [False, False, False, False, True, False], "5 of your 6 guesses are right."),
        ("growth", lambda p: 1.6, "should be 1.6313902, got 1.6"),
        ("cosines", lambda t, f: pe.bfloat16(lesson_09.cosines(t, f)), "right: "),  # as models do
        ("cosines", lambda t, f: lesson_09.cosines(pe.bfloat16(t), f), "not yet: "),
        ("patch_table", squares, "squares(3, 5, 8) first differs at [3, 0]: expected 0, got 0.84147098\nStuck?"),
        ("lasting_head", ("rope", 52), "right"),
        ("lasting_head", ("rope", 28), "0.961 at 64, 0.938 at 128, 0.803 at 256"),
        ("lasting_head", ("learned", None), "learned has no row beyond the length of the fit."),
        ("lasting_head", ("rope", 7), "head_dim must be even, got 7"),
        ("lasting_head", "rope", "give check a pair"),
        ("both_wrong", [("look_back", 64), ("induction", 128)], "in the first the ten models have 0.65 to 0.99"),
        ("both_wrong", "neither", "give check two pairs"),
        ("worse_base", np.float32(4500), "right: "),
        ("worse_base", 6019, "base 6,019 passes."),
        ("worse_base", 4000, "base 4,000 is not above 4330."),
    ],
)
def test_what_is_wrong_first_is_named(name, answer, words, capsys):
    assert words in said(capsys, name, answer)


def test_hints_come_one_by_one_and_the_last_stays(capsys):
    with pytest.raises(ValueError, match="did you mean 'gray'"):
        hint("grey")
    for number in (1, 2, 3, 3):
        hint("shifted")
        assert capsys.readouterr().out.startswith(f"Hint {number} of 3")


@pytest.mark.parametrize("call", [lambda: check("nonsense", 1), lambda: hint("nonsense"), lambda: solution(3)])
def test_an_unknown_puzzle_is_refused_with_a_few_of_those_there_are(call):
    with pytest.raises(ValueError, match=rf"puzzle must be a known name \(there are {', '.join(NAMES[:4])}, …\), got"):
        call()


def test_the_answers_agree_with_the_library():
    rows, code = pe.normalized(49, 64), lesson_03.gray(np.arange(64), 6)
    for q, k in lesson_06.BEST_OFFSET.cases:  # no dot product is larger than that of two lengths
        for m in (0, 3, -20, 1.5):  # wherever the query stands
            score = pe.rope(q[None], [m])[0] @ pe.rope(k[None], [m + lesson_06.best_offset(q, k)])[0]
            np.testing.assert_allclose(score, np.linalg.norm(q) * np.linalg.norm(k), rtol=1e-12)
    np.testing.assert_array_equal(lesson_03.read_bits(pe.binary(50, 6)), np.arange(50))
    table = lesson_04.waves(np.arange(20), 8, 2 * np.pi, 200 * np.pi)
    np.testing.assert_allclose(table, pe.sine(20, 8, base=100), atol=1e-12)
    np.testing.assert_array_equal(lesson_02.fractions(49), pe.normalized(49, 1)[:, 0])
    np.testing.assert_allclose(lesson_02.spacing(49, 64), np.linalg.norm(rows[7] - rows[6]), rtol=1e-12)
    for height, width, dims in lesson_12.PATCH_TABLE.cases:
        ours = pe.sinusoidal_2d(height, width, dims)
        np.testing.assert_allclose(lesson_12.patch_table(height, width, dims), ours, atol=1e-12)
    for (sections,) in lesson_12.WHOSE.cases:
        np.testing.assert_array_equal(lesson_12.whose(sections), pe.axis_of_pair(sections, interleaved=True))
    assert pe.mrope_positions([5, (6, 4), 3]).max() + 1 == lesson_12.POSITIONS_USED.answer
    (task, length), (other, longer) = lesson_13.BOTH_WRONG.answer
    assert spread("rope", task)[length].most < lesson_13.FEW
    assert spread("rope", other)[longer].least > lesson_13.MANY
    assert len(np.unique(code, axis=0)) == 64
    assert (np.abs(np.diff(code, axis=0)).sum(axis=1) == 1).all()  # one bit flips at each step


def test_one_number_rescues_a_diluted_head_as_its_puzzle_says():
    head = pe.exact_head("t5", look_back=3, seq_len=32, ridge=0.01, max_distance=32, bidirectional=False)
    for length, told in ((128, 0.945), (1024, 0.982), (8192, 0.994)):
        weights = pe.softmax(lesson_10.rescue(32, length) * head.score(length))
        assert round(weights[3], 3) == told
        assert f"{told:.3f}"[1:] in lesson_10.RESCUE.won
    assert round(pe.softmax(2 * head.score(8192))[3], 3) == 0.871  # as the commonest mistake is told


def test_pairs_that_look_across_the_anti_diagonal_see_it_and_those_that_look_along_it_do_not():
    down, right = np.mgrid[-6:7, -6:7]
    theta, wish = pe.inv_freq(64, 10), down == -right
    head = pe.exact_head_2d(lesson_12.look_across(theta), wish)
    assert f"{head.mass:.2f}"[1:] in lesson_12.LOOK_ACROSS.won
    assert pe.exact_head_2d(np.stack([theta, -theta]) / np.sqrt(2), wish).mass < 0.2
