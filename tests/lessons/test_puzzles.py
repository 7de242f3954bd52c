"""Puzzles: each solution passes, each usual mistake is recognized by name, a stub stops nothing."""

import itertools
import re
from copy import deepcopy

import nbformat
import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib import check, hint, solution
from posenc_lib.lessons.training.trained_table import spread
from posenc_lib.live import puzzles as engine

from ..conftest import ROOT

PUZZLES = engine.PUZZLES.load()
FUNCTIONS = {name: puzzle for name, puzzle in PUZZLES.items() if callable(puzzle.answer)}
RIGHT = {name: puzzle.answer for name, puzzle in PUZZLES.items()}


@pytest.fixture
def said(capsys, monkeypatch):
    """Return what check says of an answer, each sentence in one line."""
    monkeypatch.setattr(engine, "WIDE", 10_000)

    def said(name, answer):
        check(name, answer)
        return capsys.readouterr().out.strip()

    return said


def single(answer):
    """Return an answer as somebody has it who computes in single precision."""
    narrow = lambda x: x.astype(np.complex64 if x.dtype.kind == "c" else np.float32)  # noqa: E731
    return lambda *args: narrow(np.asarray(answer(*args)))


def test_every_puzzle_that_a_page_checks_is_there_and_every_puzzle_is_checked_by_a_page():
    checked = set()
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        for cell in nbformat.read(path, as_version=4).cells:
            checked |= set(re.findall(r"\bcheck\(\s*\"(\w+)\"", cell.source))
    assert checked == set(PUZZLES)


@pytest.mark.parametrize("name", PUZZLES)
def test_a_solution_is_right_and_each_usual_mistake_is_recognized_by_name(name, said, capsys):
    puzzle = PUZZLES[name]
    told = said(name, puzzle.answer)
    assert told.startswith("right: ")
    assert told.endswith(puzzle.won)
    for sentence, mistake in puzzle.mistakes.items():
        first, *rest, last = said(name, mistake).splitlines()
        first = first.replace("not tried yet: ", "not yet: ")  # the page's own code may be one
        assert last == f'Stuck? Try hint("{name}"), up to three times, then solution("{name}").'
        if name in FUNCTIONS:
            assert first.startswith("not yet: ")
            assert "expected" in first or "should" in first or "raised" in first
            assert rest == [f"Likely reason: {sentence}"]
        else:
            assert (first, rest) == (f"not yet: {sentence}", [])
    if name in FUNCTIONS:
        assert said(name, single(puzzle.answer)).startswith("right: ")
        space = {"np": np, "pe": pe}
        solution(name)
        code = capsys.readouterr().out
        assert code.startswith(f"def {name}(")
        exec(code, space)
        assert said(name, space[name]).startswith("right: ")


def test_arguments_are_those_that_the_reader_sees_and_no_answer_changes_them():
    for name, puzzle in FUNCTIONS.items():
        before = deepcopy(puzzle.cases)
        check(name, lambda *args: [x.fill(0) for x in args if isinstance(x, np.ndarray)])
        names = {"np": np, "pe": pe}
        written = [eval(f"({text},)", names) if text else None for text in puzzle.written]
        for case, untouched, again in itertools.zip_longest(puzzle.cases, before, written):
            for seen in (untouched, again or untouched):
                assert len(seen) == len(case), name
                assert all(map(np.array_equal, seen, case)), name


WILD = [
    (lambda *args: None, "not tried yet"),
    (lambda *args: ..., "not tried yet"),
    (lambda *args: print("noise"), "not yet: it returned None. Is a `return` missing?"),
    (lambda *args: 1 / 0, "raised ZeroDivisionError: division by zero"),
    (lambda: 1, "raised TypeError"),
    (lambda *args: "text", "should return numbers, got dtype <U4"),
    (lambda *args: [[1], [1, 2]], "returned rows of different lengths"),
    (lambda *args: np.nan, "not yet: "),
    (lambda *args: args, "not yet: "),
    (lambda *args: object(), "should return numbers, got dtype object"),
    (5, "pass the function itself, without calling it. You passed 5"),
]


VALUES = ["44", [44, 44], 12345, 44.5, object(), 10**400, [1, [2]], True, range(9), range(10**30)]
WILD_VALUES = [(value, "not yet: ") for value in VALUES]
WILD_VALUES += [(None, "not tried yet"), (..., "not tried yet")]


def test_wild_answers_are_met_in_words(said):
    for name in PUZZLES:
        for answer, words in WILD if name in FUNCTIONS else WILD_VALUES:
            text = said(name, answer)
            assert words in text, name
            assert "noise" not in text, name


def squares(height, width, dims):
    """Return a table of patches that is right for squares only: it divides by the height."""
    y, x = np.divmod(np.arange(height * width), height)
    return np.hstack([pe.sinusoidal(at, dims // 2, layout="concatenated") for at in (y, x)])


@pytest.mark.parametrize(
    ("name", "answer", "words"),
    [
        (
            "count",
            lambda n: np.where(np.arange(n) == 2, 7, np.arange(n)),
            "4) first differs at [2]: expected 2, got 7",
        ),
        ("count", lambda n: None if n > 1 else np.arange(n), "should return numbers, got None"),
        (
            "restore",
            lambda order: order,
            "(np.array([1, 2, 0])) first differs at [0]: expected 2, got 1",
        ),
        (
            "read_bits",
            lambda x: x * 2 ** np.arange(x.shape[1]),
            "should have shape (2,), got (2, 1)\nLikely reason: ",
        ),
        (
            "gray",
            lambda x, d: (x ^ x / 2)[:, None] * np.ones(d),
            "TypeError: ^, | and & need integers. Use //",
        ),
        ("gray", lambda x, d: Ellipsis + x, "not tried yet"),
        ("asks", lambda k, n: pe.rope(k, n), "x[None] has one row"),
        ("twin", 22, "position 22 is 2.000 from position 0, but a different one is closer"),
        (
            "closest",
            lambda x: pe.closest_pair(x)[:2],
            "the numbers are right, but you used pe.closest_pair",
        ),
        ("myths", [False, False, False, False, True, False], "5 of your 6 guesses are right."),
        (
            "shifted",
            lambda row, n: turned_on(pe.sinusoidal([0], 2)[0, 0] + row, n),
            "the numbers are right, but you used pe.sinusoidal. The row has everything",
        ),
        ("growth", lambda p: 1.6, "should be 1.6313902, got 1.6"),
        ("cosines", lambda t, f: pe.bfloat16(RIGHT["cosines"](t, f)), "right: "),  # as models do
        ("cosines", lambda t, f: RIGHT["cosines"](pe.bfloat16(t), f), "not tried yet: "),  # given
        ("cosines", lambda t, f: RIGHT["cosines"](t + 1, f), "not yet: "),
        (
            "patch_table",
            squares,
            "squares(3, 5, 8) first differs at [3, 0]: expected 0, got 0.84147098\nStuck?",
        ),
        ("lasting_head", (16, 4), "right"),
        ("lasting_head", [16, 10], "0.977 at 64, 0.910 at 128, 0.892 at 256 tokens"),
        ("lasting_head", (16, 10_000), "2 of your 8 pairs complete"),
        (
            "lasting_head",
            (16, 6),
            "All your pairs complete a turn in 32 tokens, but the slowest only",
        ),
        ("lasting_head", (32, 15), "You took 32 dims"),
        ("lasting_head", (7, 10), "head_dim must be even, got 7"),
        ("lasting_head", "rope", "pass a pair (dims, base)"),
        (
            "near_and_far",
            3.0 ** -(np.arange(8) / 8),
            "Ignoring distance, its score goes down to −7.72",
        ),
        ("near_and_far", [*3.0 ** -(np.arange(7) / 8), 0], "right: "),
        ("near_and_far", [1, 0.7, 0.5, 0.3, 0, 0, 0, 0], "line up again 63 positions on"),
        ("near_and_far", [1, 2], "Pass 8 frequencies"),
        ("near_and_far", [4] * 8, "Frequencies must be from 0 to π"),
        ("near_and_far", "fast", "your frequencies must"),
        (
            "both_wrong",
            [("look_back", 64), ("flip_flop", 64)],
            "In your first pair, the ten models score 0.65 to 0.99",
        ),
        ("both_wrong", [("recall", 64), ("induction", 256)], "wrong order"),
        ("both_wrong", "neither", "pass two pairs of a task and a length past 32"),
        (
            "growth",
            lambda p: RIGHT["growth"](p) ** 0.5,
            "got 1.2772589\nLikely reason: That's the factor for one side",
        ),
        ("worse_base", np.float32(6018), "right: "),
        ("worse_base", 6019, "base 6,019 passes."),
        ("worse_base", 5000, "base 5,000 fails, but it isn't the largest that does."),
    ],
)
def test_what_is_wrong_first_is_named(name, answer, words, said):
    assert words in said(name, answer)


def test_what_is_said_breaks_between_words_on_a_narrow_page(capsys):
    check("asks", lambda key, offset: key)
    told = capsys.readouterr().out
    assert max(map(len, told.splitlines())) <= engine.WIDE
    assert next(iter(PUZZLES["asks"].mistakes)) in told.replace("\n", " ")


def test_hints_come_one_by_one_and_the_last_stays(capsys, monkeypatch):
    assert all(len(set(puzzle.hints)) == 3 for puzzle in PUZZLES.values())
    monkeypatch.setattr(engine, "_given", {})
    for number in (1, 2, 3, 3):
        hint("shifted")
        assert capsys.readouterr().out.startswith(f"Hint {number} of 3")

    def masked(weights):
        return ...

    hint(masked)  # without quotes
    hint("masked")
    assert re.findall(r"Hint \d", capsys.readouterr().out) == ["Hint 1", "Hint 2"]


@pytest.mark.parametrize(
    "call", [lambda: check("grya", 1), lambda: hint("grya"), lambda: solution(3)]
)
def test_an_unknown_puzzle_is_refused_with_the_nearest_or_a_few(call):
    rule = r"puzzle .+ is unknown\. (Did you mean 'gray'|There are count, twin, )"
    with pytest.raises(ValueError, match=rule):
        call()


def test_the_answers_agree_with_the_library():
    for q, k in PUZZLES["best_offset"].cases:  # no dot product is larger than that of two lengths
        for m in (0, 3, -20, 1.5):  # wherever the query stands
            best = m + RIGHT["best_offset"](q, k)
            score = pe.rope(q[None], [m])[0] @ pe.rope(k[None], [best])[0]
            np.testing.assert_allclose(score, np.linalg.norm(q) * np.linalg.norm(k), rtol=1e-12)
    (task, length), (other, longer) = RIGHT["both_wrong"]
    assert spread("rope", task)[length].most < 0.2 < 0.6 < spread("rope", other)[longer].least
    code = RIGHT["gray"](np.arange(64), 6)
    assert len(np.unique(code, axis=0)) == 64
    assert (np.abs(np.diff(code, axis=0)).sum(axis=1) == 1).all()  # one bit flips at each step
    t5 = {"max_distance": 32, "bidirectional": False}
    head = pe.exact_head("t5", look_back=3, seq_len=32, ridge=0.01, **t5)
    for length, told in ((128, "0.945"), (1024, "0.982"), (8192, "0.994")):
        assert f"{pe.softmax(RIGHT['rescue'](32, length) * head.score(length))[3]:.3f}" == told
        assert told[1:] in PUZZLES["rescue"].won
    # as the commonest mistake is told
    assert f"{pe.softmax(2 * head.score(8192))[3]:.3f}" == "0.871"
    theta, wish = pe.inv_freq(64, 10), np.eye(13, dtype=bool)[::-1]  # the anti-diagonal
    across, along = RIGHT["look_across"](theta), np.stack([theta, -theta]) / np.sqrt(2)
    assert f"{pe.exact_head_2d(across, wish).mass:.2f}"[1:] in PUZZLES["look_across"].won
    assert pe.exact_head_2d(along, wish).mass < 0.2


ROWS = pe.normalized(49, 64)
SAME = [  # an answer by the library
    ("read_bits", lambda answer: answer(pe.binary(50, 6, low_first=True)), np.arange(50)),
    (
        "waves",
        lambda answer: answer(np.arange(20), 8, 2 * np.pi, 200 * np.pi),
        pe.sine(20, 8, base=100),
    ),
    ("spacing", lambda answer: answer(49, 64), np.linalg.norm(ROWS[7] - ROWS[6])),
    ("patch_table", lambda answer: answer(3, 5, 8), pe.sinusoidal_2d(3, 5, 8)),
    ("whose", lambda answer: answer([24, 20, 20]), pe.axis_of_pair([24, 20, 20], interleaved=True)),
    ("frame_times", lambda answer: answer(4, 0.75, 2), [0, 1, 3, 4]),
    ("unsure", lambda answer: answer(np.array([0.5, 0.25])), 8**0.5),
    (
        "moved_cache",
        lambda answer: answer(pe.rope(ROWS, base=1e5), 37),
        pe.rope(ROWS, 37 + np.arange(49), base=1e5),
    ),
    ("positions_used", lambda answer: answer, pe.mrope_positions([5, (6, 4), 3]).max() + 1),
]


@pytest.mark.parametrize(("name", "call", "wanted"), SAME)
def test_an_answer_is_what_the_librarys_function_gives(name, call, wanted):
    np.testing.assert_allclose(call(RIGHT[name]), wanted, rtol=1e-12, atol=1e-12)


def theta(dims: int) -> np.ndarray:
    return 10_000.0 ** (-np.arange(0, dims, 2) / dims)


TRUTH = {  # right answers in plain NumPy
    "count": lambda n: np.arange(n),
    "spacing": lambda n, d: d**0.5 / n,
    "embed_scale": lambda d, r: r * (d / 2) ** 0.5,
    "masked": lambda w: np.stack(
        [[x / sum(row[: k + 1]) * (j <= k) for j, x in enumerate(row)] for k, row in enumerate(w)]
    ),
    "restore": lambda order: np.array([list(order).index(t) for t in range(len(order))]),
    "read_bits": lambda x: np.array([sum(2**i for i in np.flatnonzero(row)) for row in x]),
    "one_turn_base": lambda n, d: np.exp(np.log(n / (2 * np.pi)) * d / (d - 2)),
    "offsets": lambda q, k: np.arange(k)[None] - np.arange(k - q, k)[:, None],
    "permutation": lambda d: np.arange(d).reshape(-1, 2).T.ravel(),
    "squeeze": lambda n, d, s: np.arange(n)[:, None] / s * theta(d),
    "rescue": lambda L, T: np.log2(T) / np.log2(L),
    "unsure": lambda p: np.prod(p) ** (-1 / len(p)),
    "look_across": lambda t: np.array([t, t]) * 2**-0.5,
    "frame_times": lambda n, s, r: np.array([int(k * s * r) for k in range(n)]),
}
SLIPPED = {
    "reversed": lambda right: right[::-1],
    "transposed": lambda right: right.T,
    "negative": lambda right: -right,
    "too high": lambda right: right + 1,
    "too low": lambda right: right - 1,
    "squared": lambda right: right**2,
    "the root": lambda right: np.abs(right) ** 0.5,
    "rounded": np.rint,
    "upside down": lambda right: 1 / right,
    "without the last": lambda right: right[:-1],
}


@pytest.mark.parametrize("name", TRUTH)
def test_a_slip_that_can_be_made_in_any_puzzle_is_told_its_reason(name, said):
    right, cases = TRUTH[name], PUZZLES[name].cases
    assert said(name, right).startswith("right: ")
    for slip in SLIPPED.values():
        with np.errstate(all="ignore"):
            try:
                both = [
                    (np.asarray(right(*case)), slip(np.asarray(right(*case)))) for case in cases
                ]
            except IndexError:  # one number has no order
                continue
            told = said(name, lambda *case, slip=slip: slip(np.asarray(right(*case))))
        same = all(np.shape(a) == np.shape(b) and np.allclose(a, b) for a, b in both)
        assert told.startswith("right: " if same else "not yet: "), told
        assert same or "\nLikely reason: " in told, told


def turned_on(row, offset):
    """Return a row moved on by complex numbers, without its position."""
    hands = (row[1::2] + 1j * row[0::2]) * np.exp(1j * offset * theta(len(row)))
    return np.stack([hands.imag, hands.real], axis=1).ravel()


def row_at(t, dims):
    return np.stack([np.sin(t * theta(dims)), np.cos(t * theta(dims))], axis=1).ravel()


def read_off(pair):
    """Return an answer that reads the position off one pair."""

    def answer(row, offset):
        k = min(pair, len(row) // 2 - 1) if pair >= 0 else max(pair, -len(row) // 2)
        t = np.arctan2(row[0::2][k], row[1::2][k]) / theta(len(row))[k]
        return row_at(t % (2 * np.pi / theta(len(row))[k]) + offset, len(row))

    return answer


def looked_up(most):
    """Return an answer that looks for the position among whole numbers, or halves."""

    def answer(row, offset):
        at = np.arange(0, most, 0.5)
        table = np.sin(np.outer(at, theta(len(row)))), np.cos(np.outer(at, theta(len(row))))
        off = np.abs(table[0] - row[0::2]).sum(axis=1) + np.abs(table[1] - row[1::2]).sum(axis=1)
        return row_at(at[off.argmin()] + offset, len(row))

    return answer


def test_no_row_is_moved_on_by_who_reads_its_position(said):
    for answer in (*map(read_off, range(-30, 30)), *map(looked_up, (50, 500, 2000))):
        assert said("shifted", answer).startswith("not yet: ")
    assert said("shifted", turned_on).startswith("right: ")
    assert "you read t off the slowest pair" in said(
        "shifted", PUZZLES["shifted"].mistakes[SLOWEST]
    )


SLOWEST = next(text for text in PUZZLES["shifted"].mistakes if "the slowest pair" in text)
GIVEN = [name for name, puzzle in PUZZLES.items() if puzzle.given is not None]


@pytest.mark.parametrize("name", GIVEN)
def test_the_pages_own_code_is_not_tried_yet_and_its_fault_is_told(name, said):
    code = [
        cell.source
        for path in (ROOT / "notebooks").glob("*.ipynb")
        for cell in nbformat.read(path, as_version=4).cells
        if f'check("{name}"' in cell.source
    ]
    before, _, after = code[0].partition(f'check("{name}", ')
    space = {"np": np, "pe": pe}
    exec(before, space)
    told = said(name, space[after.partition(")")[0]])
    assert "not tried yet: " in told  # after what the cell prints
    assert "Stuck? Try hint" in told


TYPOS = ["arrange", "lenspace", "onez", "zeross", "stak", "outter", "sqroot", "concatnate"]


@pytest.mark.parametrize("typo", TYPOS)
def test_a_misspelled_name_is_met_with_the_nearest(typo, said):
    near = {"lenspace": "linspace", "onez": "ones", "zeross": "zeros", "stak": "stack"}
    near |= {"arrange": "arange", "outter": "outer", "sqroot": "sqrt", "concatnate": "concatenate"}
    told = said("count", lambda n: getattr(np, typo)(n))
    assert f"has no attribute '{typo}'" in told
    assert f"Did you mean {near[typo]}?" in told
    space = {"positions": 3}
    exec("def count(seq_len): return position + seq_len", space)
    assert "Did you mean positions?" in said("count", space["count"])
