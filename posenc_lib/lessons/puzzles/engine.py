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

TOLERANCE = 1e-6  # answers may be in float32, not less exact, where a puzzle does not say how exact


@dataclass(frozen=True)
class Puzzle:
    """A question with a checkable answer.

    answer is a reference function, whose name is the puzzle's, or a value; then the puzzle is `called` something,
    and `why` it is so. won is said after a right answer: what the reader has now.
    cases are the arguments a function is tried with; written has a text for each case whose arguments are too long
    to be shown, so that a reader can try it too, such as "np.arange(9.0), 2". mistakes maps a sentence that names a
    usual mistake to the function or value it leads to; comment says something about any other wrong value, or about the
    results of a function, or nothing.
    also says whether a value other than the answer is right, too; tolerance is how far off a function's numbers may be.
    """

    answer: object
    hints: tuple[str, str, str]
    mistakes: dict[str, object]
    cases: tuple[tuple, ...] = ()
    why: str = ""
    comment: Callable[[object], str] = lambda value: ""
    also: Callable[[object], bool] = lambda value: False
    called: str = ""
    won: str = ""
    written: tuple[str, ...] = ()
    tolerance: float = TOLERANCE
    without: tuple[str, ...] = ()  # functions of the library that would answer for the reader

    @property
    def name(self) -> str:
        """The name by which a reader asks for it."""
        return self.called or self.answer.__name__


_given: dict[str, int] = {}  # how many hints the reader has had, by puzzle
_wrong: dict[str, int] = {}  # how many wrong answers the reader has tried, by puzzle


def all_puzzles() -> tuple[Puzzle, ...]:
    """Return the puzzles of all lessons in order, then those of other notebooks.

    Each lesson_NN.py of this folder holds those of one lesson, any other file but this one those of one notebook.
    """
    found = (module.name for module in pkgutil.iter_modules(puzzles.__path__) if module.name != "engine")
    names = sorted(found, key=lambda name: (not name.startswith("lesson_"), name))
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
    more = "" if number < 3 else f' (solution("{puzzle.name}") shows a right answer.)'
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
    if _same(puzzle.answer, answer) or puzzle.also(answer):
        return _right(puzzle, puzzle.why)
    for sentence, value in puzzle.mistakes.items():
        if _same(value, answer):
            return _not_yet(puzzle, sentence, known=True)
    return _not_yet(puzzle, puzzle.comment(answer) or f"{validate.show(answer)} is not it.")


def _check_function(puzzle: Puzzle, answer) -> str:
    if not callable(answer):
        return f"not yet: give check the function itself, without calling it (got {validate.show(answer)})"
    results, raised = [], ""
    for case in puzzle.cases:
        try:
            with redirect_stdout(io.StringIO()):  # what it prints while it is tried would only be noise
                results.append(answer(*deepcopy(case)))
        except Exception as error:
            if "ellipsis" in str(error) and not results:  # the ... of the stub is still there
                return "not tried yet"
            raised = f"{_call(puzzle, answer, case)} raised {type(error).__name__}: {_explained(error, case)}"
            break
    if results and all(result is ... for result in results):
        return "not tried yet"
    if results and all(result is None for result in results):
        return "not tried yet" if _is_stub(answer) else _not_yet(puzzle, "it returned None. Is a `return` missing?")
    return _judge(puzzle, answer, results, raised)


def _judge(puzzle: Puzzle, answer, results: list, raised: str) -> str:
    """Return what is said of the results of the first cases and of the error that stopped the next one, if any."""
    wrong = ""
    for case, got in zip(puzzle.cases, results, strict=False):
        difference = _difference(puzzle.answer(*case), got, puzzle.tolerance)
        if difference:
            wrong = f"{_call(puzzle, answer, case)} {difference}"
            break
    if raised:  # no mistake is named by the cases before it: it may not be the one that stopped this case
        return _not_yet(puzzle, f"{wrong}\nAnd {raised}" if wrong else raised)
    ready = sorted({*puzzle.without} & {*getattr(getattr(answer, "__code__", None), "co_names", ())})
    if not wrong and ready:
        return _not_yet(puzzle, f"the numbers are right, but pe.{ready[0]} made them: now without it.", known=True)
    if not wrong:
        return _right(puzzle, f"all {len(puzzle.cases)} cases agree.")
    mistake = _recognised(puzzle, results)
    return _not_yet(puzzle, f"{wrong}\nLikely reason: {mistake}" if mistake else wrong, known=bool(mistake))


def _right(puzzle: Puzzle, why: str) -> str:
    return f"right: {why}" + (f"\n{puzzle.won}" if puzzle.won else "")


def _not_yet(puzzle: Puzzle, wrong: str, *, known: bool = False) -> str:
    """Return what is wrong and where help is; a known mistake says that itself, so it is told only twice."""
    _wrong[puzzle.name] = tries = _wrong.get(puzzle.name, 0) + 1
    help_is = f'Stuck? hint("{puzzle.name}") helps, up to three times; then solution("{puzzle.name}").'
    return f"not yet: {wrong}" + (f"\n{help_is}" if tries <= 2 or not known else "")


def _explained(error: Exception, case: tuple) -> str:
    """Return an error in its own words and what usually helps, where NumPy does not say."""
    if isinstance(error, IndexError) and "out of bounds" in str(error):
        return f"{error}\nA puzzle is tried at several sizes: your function must work for each of them."
    if "bitwise" in str(error):  # NumPy speaks of ufuncs, input types and casting rules
        return "^, | and & need whole numbers. Use // instead of /."
    if "broadcast" in str(error) and all(np.ndim(x) < 2 for x in case):
        return f"{error}\nTo make a table of a column and a row, give the column a second axis: positions[:, None]."
    if "at least 2 axes" in str(error) and any(np.ndim(x) == 1 for x in case):
        table = "It wants a table with a row for each position: x[None] has one row, [t] is its position, [0] takes it."
        return f"{error}\n{table}"
    return str(error)


def _recognised(puzzle: Puzzle, results: list) -> str:
    """Return the sentence about the first usual mistake that gives just these results, or the puzzle's comment."""
    for sentence, mistaken in puzzle.mistakes.items():
        if all(_same(mistaken(*case), got) for case, got in zip(puzzle.cases, results, strict=False)):
            return sentence
    return puzzle.comment(results)


def _difference(expected, got, tolerance: float = TOLERANCE) -> str:
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
    wrong = ~np.isclose(got, expected, rtol=TOLERANCE, atol=tolerance)
    if not wrong.any():
        return ""
    where = tuple(int(i) for i in np.argwhere(wrong)[0])
    at = f"first differs at {list(where)}: expected" if where else "should be"
    return f"{at} {expected[where]:.8g}, got {got[where]:.8g}"


def _same(one, other) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return one.casefold() == other.strip().casefold()
    try:
        return not _difference(one, other)
    except (TypeError, OverflowError):
        return False


def _call(puzzle: Puzzle, answer: Callable, case: tuple) -> str:
    written = next((text for text, each in zip(puzzle.written, puzzle.cases, strict=False) if each is case), "")
    return f"{getattr(answer, '__name__', 'your function')}({written or ', '.join(_short(x) for x in case)})"


def _short(value) -> str:
    if isinstance(value, np.ndarray):
        text = f"np.array({value.tolist()})"
        return text if len(text) <= 40 else f"array of shape {value.shape}"
    return validate.show(value)


def _is_stub(function: Callable) -> bool:
    """Return whether a function's body does nothing at all, like the one the lesson gives."""

    def stub(): ...

    return getattr(getattr(function, "__code__", None), "co_code", None) == stub.__code__.co_code
