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
    """Every reader starts without hints."""
    monkeypatch.setattr(engine, "_given", {})


def said(capsys, name, answer):
    check(name, answer)
    return capsys.readouterr().out.strip()


def test_puzzles_have_three_hints_each_and_stand_in_the_order_of_the_lessons():
    assert len(NAMES) == 50
    assert NAMES[:3] == ["count", "twin", "restore"]
    assert NAMES[-1] == "reports"
    assert all(len(set(puzzle.hints)) == 3 for puzzle in PUZZLES.values())


def single(answer):
    """Return an answer as somebody has it who computes in single precision."""

    def rounded(*args):
        full = np.asarray(answer(*args))
        return full.astype(np.complex64 if full.dtype.kind == "c" else np.float32)

    return rounded


def test_every_solution_is_right_in_single_precision_too_and_so_is_the_code_it_prints(capsys):
    for name, puzzle in PUZZLES.items():
        told = said(capsys, name, puzzle.answer)
        assert told.startswith("right: "), name
        assert told.endswith(puzzle.won)
    for name, puzzle in FUNCTIONS.items():
        assert said(capsys, name, single(puzzle.answer)).startswith("right: "), name
        space = {"np": np, "pe": pe}
        solution(name)
        code = capsys.readouterr().out
        assert code.startswith(f"def {name}(")
        exec(code, space)
        assert said(capsys, name, space[name]).startswith("right: "), name


def test_every_usual_mistake_is_recognised_by_name(capsys):
    for name, puzzle in PUZZLES.items():
        for sentence, mistake in puzzle.mistakes.items():
            first, *rest, last = said(capsys, name, mistake).splitlines()
            assert last == f'Stuck? hint("{name}") helps, up to three times; then solution("{name}").'
            if name in FUNCTIONS:
                assert first.startswith("not yet: ")
                assert "expected" in first or "should" in first
                assert rest == [f"Likely reason: {sentence}"]
            else:
                assert (first, rest) == (f"not yet: {sentence}", [])


def test_arguments_that_are_written_for_the_reader_are_those_of_the_case():
    for name, puzzle in FUNCTIONS.items():
        for text, case in zip(puzzle.written, puzzle.cases, strict=False):
            again = eval(f"({text},)", {"np": np, "pe": pe}) if text else case
            assert len(again) == len(case)
            assert all(map(np.array_equal, again, case)), name


def test_an_answer_cannot_change_the_arguments_of_later_ones():
    for name, puzzle in FUNCTIONS.items():
        before = deepcopy(puzzle.cases)
        check(name, lambda *args: [x.fill(0) for x in args if isinstance(x, np.ndarray)])
        for case, untouched in zip(puzzle.cases, before, strict=True):
            assert all(map(np.array_equal, case, untouched)), name


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
    for name in FUNCTIONS:
        text = said(capsys, name, answer)
        assert words in text, name
        assert "noise" not in text


@pytest.mark.parametrize("value", ["44", [44, 44], 12345, 44.5, object(), 10**400, [1, [2]], True])
def test_wild_values_are_met_in_words(value, capsys):
    for name in VALUES:
        assert said(capsys, name, value).startswith("not yet: "), name
        assert said(capsys, name, None) == said(capsys, name, ...) == "not tried yet"


def squares(height, width, dims):
    """Return a table of patches that is right for squares only, as the lesson's own: it divides by the height."""
    y, x = np.divmod(np.arange(height * width), height)
    return np.hstack([pe.sinusoidal(at, dims // 2, layout="concatenated") for at in (y, x)])


@pytest.mark.parametrize(
    ("name", "answer", "words"),
    [
        ("count", lambda n: np.where(np.arange(n) == 2, 7, np.arange(n)), "4) first differs at [2]: expected 2, got 7"),
        ("count", lambda n: None if n > 1 else np.arange(n), "should return numbers, got None"),
        ("restore", lambda order: order, "(np.array([1, 2, 0])) first differs at [0]: expected 2, got 1"),
        ("fractions", lambda n: np.arange(0, 1, 1 / n), "should have shape (49,), got (50,)\nLikely reason: "),
        ("gray", lambda x, d: (x ^ x / 2)[:, None] * np.ones(d), "TypeError: ^, | and & need whole numbers. Use //"),
        ("gray", lambda x, d: Ellipsis + x, "not tried yet"),
        ("asks", lambda k, n: pe.rope(k, n), "x[None] has one row"),
        ("twin", 22, "position 22 stands 2.000 from position 0; another one is nearer"),
        ("closest", lambda x: pe.closest_pair(x)[:2], "the numbers are right, but pe.closest_pair made"),
        ("myths", [False, False, False, False, True, False], "5 of your 6 guesses are right."),
        ("growth", lambda p: 1.6, "should be 1.6313902, got 1.6"),
        ("cosines", lambda t, f: pe.bfloat16(RIGHT["cosines"](t, f)), "right: "),  # as models do
        ("cosines", lambda t, f: RIGHT["cosines"](pe.bfloat16(t), f), "not yet: "),
        ("patch_table", squares, "squares(3, 5, 8) first differs at [3, 0]: expected 0, got 0.84147098\nStuck?"),
        ("lasting_head", (16, 15), "right"),
        ("lasting_head", [16, 10], "0.977 at 64 and 0.910 at 128 and 0.892 at 256 tokens"),
        ("lasting_head", (16, 10_000), "2 of its 8 hands come round in 32 tokens."),
        ("lasting_head", (32, 15), "You took 32 dims"),
        ("lasting_head", (7, 10), "head_dim must be even, got 7"),
        ("lasting_head", "rope", "give check a pair"),
        ("both_wrong", [("look_back", 64), ("induction", 128)], "In your first pair the ten models have 0.65 to 0.99"),
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
    for q, k in PUZZLES["best_offset"].cases:  # no dot product is larger than that of two lengths
        for m in (0, 3, -20, 1.5):  # wherever the query stands
            score = pe.rope(q[None], [m])[0] @ pe.rope(k[None], [m + RIGHT["best_offset"](q, k)])[0]
            np.testing.assert_allclose(score, np.linalg.norm(q) * np.linalg.norm(k), rtol=1e-12)
    np.testing.assert_array_equal(RIGHT["read_bits"](pe.binary(50, 6)), np.arange(50))
    table = RIGHT["waves"](np.arange(20), 8, 2 * np.pi, 200 * np.pi)
    np.testing.assert_allclose(table, pe.sine(20, 8, base=100), atol=1e-12)
    rows, code = pe.normalized(49, 64), RIGHT["gray"](np.arange(64), 6)
    np.testing.assert_array_equal(RIGHT["fractions"](49), rows[:, 0])
    np.testing.assert_allclose(RIGHT["spacing"](49, 64), np.linalg.norm(rows[7] - rows[6]), rtol=1e-12)
    for case in PUZZLES["patch_table"].cases:
        np.testing.assert_allclose(RIGHT["patch_table"](*case), pe.sinusoidal_2d(*case), atol=1e-12)
    for (sections,) in PUZZLES["whose"].cases:
        np.testing.assert_array_equal(RIGHT["whose"](sections), pe.axis_of_pair(sections, interleaved=True))
    assert pe.mrope_positions([5, (6, 4), 3]).max() + 1 == RIGHT["positions_used"]
    assert [RIGHT["frame_times"](4, seconds, 2).tolist() for seconds in (0.5, 0.75)] == [[0, 1, 2, 3], [0, 1, 3, 4]]
    (task, length), (other, longer) = RIGHT["both_wrong"]
    assert spread("rope", task)[length].most < 0.2
    assert spread("rope", other)[longer].least > 0.6
    assert len(np.unique(code, axis=0)) == 64
    assert (np.abs(np.diff(code, axis=0)).sum(axis=1) == 1).all()  # one bit flips at each step


def test_one_number_rescues_a_diluted_head_as_its_puzzle_says():
    head = pe.exact_head("t5", look_back=3, seq_len=32, ridge=0.01, max_distance=32, bidirectional=False)
    for length, told in ((128, 0.945), (1024, 0.982), (8192, 0.994)):
        weights = pe.softmax(RIGHT["rescue"](32, length) * head.score(length))
        assert round(weights[3], 3) == told
        assert f"{told:.3f}"[1:] in PUZZLES["rescue"].won
    assert round(pe.softmax(2 * head.score(8192))[3], 3) == 0.871  # as the commonest mistake is told


def test_pairs_that_look_across_the_anti_diagonal_see_it_and_those_that_look_along_it_do_not():
    down, right = np.mgrid[-6:7, -6:7]
    theta, wish = pe.inv_freq(64, 10), down == -right
    head = pe.exact_head_2d(RIGHT["look_across"](theta), wish)
    assert f"{head.mass:.2f}"[1:] in PUZZLES["look_across"].won
    assert pe.exact_head_2d(np.stack([theta, -theta]) / np.sqrt(2), wish).mass < 0.2
