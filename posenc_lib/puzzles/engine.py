"""Puzzles that check themselves: `check` says what is right or wrong, `hint` helps, `solution` tells."""

import importlib
import inspect
import io
import pkgutil
from collections.abc import Callable
from contextlib import redirect_stdout
from copy import deepcopy
from dataclasses import dataclass

import numpy as np

from posenc_lib import puzzles
from posenc_lib.encodings import validate

TOLERANCE = 1e-6  # answers may be in float32, not less exact


@dataclass(frozen=True)
class Puzzle:
    """A question with a checkable answer.

    answer is a reference function, whose name is the puzzle's, or a value; then the puzzle is `called` something.
    cases are the arguments a function is tried with. mistakes maps a sentence that names a usual mistake to the
    function or value it leads to; comment says something about any other wrong value.
    """

    answer: object
    hints: tuple[str, str, str]
    mistakes: dict[str, object]
    cases: tuple[tuple, ...] = ()
    why: str = ""
    comment: Callable[[object], str] = lambda value: ""
    called: str = ""

    @property
    def name(self) -> str:
        """The name by which a reader asks for it."""
        return self.called or self.answer.__name__


_given: dict[str, int] = {}  # how many hints the reader has had, by puzzle


def all_puzzles() -> tuple[Puzzle, ...]:
    """Return the puzzles of all lessons in order; each lesson_NN.py of this folder holds those of one lesson."""
    names = sorted(m.name for m in pkgutil.iter_modules(puzzles.__path__) if m.name.startswith("lesson_"))
    modules = [importlib.import_module(f"{puzzles.__name__}.{name}") for name in names]
    return tuple(each for module in modules for each in vars(module).values() if isinstance(each, Puzzle))


def _find(name: str) -> Puzzle:
    known = {puzzle.name: puzzle for puzzle in all_puzzles()}
    return known[validate.known("puzzle", name, known)]


def check(puzzle: str, answer: object) -> None:
    """Print whether an answer is right, and if not, where it first goes wrong and which mistake that looks like.

    >>> check("count", 4)
    not yet: give check the function itself, without calling it (got 4)

    Args:
        puzzle: the puzzle's name.
        answer: your function, or your value; a stub that returns `...` or nothing counts as not tried yet.

    Raises:
        ValueError: there is no such puzzle.
    """
    puzzle = _find(puzzle)
    print((_check_function if callable(puzzle.answer) else _check_value)(puzzle, answer))


def hint(puzzle: str) -> None:
    """Print the next of the puzzle's three hints.

    >>> hint("count")  # doctest: +ELLIPSIS
    Hint ... of 3: ...

    Raises:
        ValueError: there is no such puzzle.
    """
    puzzle = _find(puzzle)
    _given[puzzle.name] = number = min(_given.get(puzzle.name, 0) + 1, 3)
    more = "" if number < 3 else f" (solution({puzzle.name!r}) shows the code.)"
    print(f"Hint {number} of 3: {puzzle.hints[number - 1]}{more}")


def solution(puzzle: str) -> None:
    """Print one right answer.

    >>> solution("count")
    def count(seq_len):
        return np.arange(seq_len)

    Raises:
        ValueError: there is no such puzzle.
    """
    puzzle = _find(puzzle)
    code = inspect.getsource(puzzle.answer).strip() if callable(puzzle.answer) else f"{puzzle.answer}: {puzzle.why}"
    print(code)


def _check_value(puzzle: Puzzle, answer) -> str:
    if answer is None or answer is ...:
        return "not tried yet"
    if _same(puzzle.answer, answer):
        return f"right: {puzzle.why}"
    for sentence, value in puzzle.mistakes.items():
        if _same(value, answer):
            return f"not yet: {sentence}"
    comment = puzzle.comment(answer) or f"{validate.show(answer)} is not it."
    return f"not yet: {comment} hint({puzzle.name!r}) helps."


def _check_function(puzzle: Puzzle, answer) -> str:
    if not callable(answer):
        return f"not yet: give check the function itself, without calling it (got {validate.show(answer)})"
    results, raised = [], ""
    for case in puzzle.cases:
        try:
            with redirect_stdout(io.StringIO()):  # what it prints while it is tried would only be noise
                results.append(answer(*deepcopy(case)))
        except Exception as error:
            raised = f"not yet: {_call(answer, case)} raised {type(error).__name__}: {error}{_remedy(error, case)}"
            break
    return _judge(puzzle, answer, results) or raised or f"right: all {len(puzzle.cases)} cases agree"


def _judge(puzzle: Puzzle, answer, results: list) -> str:
    """Return what is wrong with the results of the first cases, or nothing."""
    if not results:
        return ""
    if all(result is ... for result in results):
        return "not tried yet"
    if all(result is None for result in results):
        return "not tried yet" if _is_stub(answer) else "not yet: it returned None. Is a `return` missing?"
    for case, got in zip(puzzle.cases, results, strict=False):
        wrong = _difference(puzzle.answer(*case), got)
        if wrong:
            return f"not yet: {_call(answer, case)} {wrong}{_recognised(puzzle, results)}"
    return ""


def _remedy(error: Exception, case: tuple) -> str:
    """Return what usually helps against an error, where NumPy's own words do not say."""
    if "broadcast" in str(error) and all(np.ndim(x) < 2 for x in case):
        return "\nTo make a table of a column and a row, give the column a second axis: positions[:, None]."
    return ""


def _recognised(puzzle: Puzzle, results: list) -> str:
    """Return a line about the first usual mistake that gives just these results, or nothing."""
    for sentence, mistaken in puzzle.mistakes.items():
        if all(_same(mistaken(*case), got) for case, got in zip(puzzle.cases, results, strict=False)):
            return f"\nThat looks like this: {sentence}"
    return ""


def _difference(expected, got) -> str:
    """Return what is wrong with a result in words, or nothing."""
    expected = np.asarray(expected)
    try:
        got = np.asarray(got)
    except ValueError:
        return "returned rows of unequal length"
    except (TypeError, RuntimeError) as error:  # a tensor with a gradient, say
        return f"should return an array that NumPy can read, got a {type(got).__name__}: {error}"
    if got.dtype.kind not in "biufc":
        what = "None" if got.dtype == object and got.ndim == 0 and got.item() is None else f"dtype {got.dtype}"
        return f"should return numbers, got {what}"
    if got.shape != expected.shape:
        wanted = f"have shape {expected.shape}, got" if expected.shape else "be a single number, got shape"
        return f"should {wanted} {got.shape}"
    wrong = ~np.isclose(got, expected, rtol=TOLERANCE, atol=TOLERANCE)
    if not wrong.any():
        return ""
    where = tuple(int(i) for i in np.argwhere(wrong)[0])
    at = f"first differs at {list(where)}: expected" if where else "should be"
    return f"{at} {expected[where]:.8g}, got {got[where]:.8g}"


def _same(one, other) -> bool:
    try:
        return not _difference(one, other)
    except (TypeError, OverflowError):
        return False


def _call(answer: Callable, case: tuple) -> str:
    return f"{getattr(answer, '__name__', 'your function')}({', '.join(_short(x) for x in case)})"


def _short(value) -> str:
    if isinstance(value, np.ndarray):
        text = f"np.array({value.tolist()})"
        return text if len(text) <= 40 else f"array of shape {value.shape}"
    return validate.show(value)


def _is_stub(function: Callable) -> bool:
    """Return whether a function's body does nothing at all, like the one the lesson gives."""

    def stub(): ...

    return getattr(getattr(function, "__code__", None), "co_code", None) == stub.__code__.co_code
