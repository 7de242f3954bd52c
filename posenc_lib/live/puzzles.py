"""Puzzles that check themselves: `check` says right or wrong, `hint` helps, `solution` tells."""

import inspect
import io
import sys
import textwrap
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from copy import deepcopy
from dataclasses import dataclass, field

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.register import Register, place_at, place_of

TOLERANCE = 1e-6  # answers may be in float32, not less exact, where a puzzle does not say how exact
MOST = 2**24  # numbers of an answer
UNTRIED = "not tried yet"
WIDE = 100  # letters in a line that is printed
# what a function does that does nothing, like those that the lessons give
STUB = (lambda: None).__code__.co_code
PUZZLES: Register["Puzzle"] = Register("puzzle", part="puzzles")
_given: dict[str, int] = {}  # how many hints the reader has had, by puzzle


@dataclass(frozen=True)
class Puzzle:
    """A question with a checkable answer."""

    answer: object  # a right one: a function, or a value
    hints: tuple[str, ...]  # three, each nearer to the answer
    cases: tuple[tuple, ...] = ()  # the arguments that a function is tried with
    written: tuple[str, ...] = ()  # a text for each case whose arguments are too long to be shown
    given: object = None  # what the page's cell answers before a reader has changed it, if it runs
    # what each leads to, by the sentence that names it
    mistakes: dict[str, object] = field(default_factory=dict)
    # of a value; "": it is right
    judge: Callable[[object], str] = lambda value: f"{validate.show(value)} is not it."
    why: str = ""  # a value is right
    won: str = ""  # what the reader has now, told after a right answer
    without: tuple[str, ...] = ()  # functions of the library that would answer for the reader
    tolerance: float = TOLERANCE  # how far off a function's numbers may be


def function_puzzle(*hints: str, **about) -> Callable:
    """Make a puzzle of the function below it, which is a right answer and gives it its name."""

    def made(answer: Callable) -> Callable:
        PUZZLES.add(answer.__name__, Puzzle(answer, hints, **about), place=place_of(answer))
        return answer

    return made


def value_puzzle(name: str, answer: object, *hints: str, **about) -> None:
    """Make a puzzle whose answer is a value."""
    caller = sys._getframe(1)
    place = place_at(caller.f_globals["__name__"], caller.f_lineno)
    PUZZLES.add(name, Puzzle(answer, hints, **about), place)


def find(name: str) -> Puzzle:
    """Return the puzzle of this name; if there is none, a ValueError says which there are."""
    return PUZZLES[validate.known("puzzle", name, PUZZLES.load())]


def check(puzzle: str, answer: object) -> None:
    """Print whether an answer is right, or where it first goes wrong and what the mistake may be.

    >>> check("count", 4)
    not yet: give check the function itself, without calling it (got 4)

    Args:
        puzzle: the puzzle's name.
        answer: your function, or your value; a stub that returns `...` or nothing counts as not
            tried yet.
    """
    asked = find(puzzle)
    wrong = (_wrong_function if callable(asked.answer) else _wrong_value)(asked, answer)
    if wrong == UNTRIED:
        _say(UNTRIED)
        return
    if not wrong:
        why = asked.why or f"all {len(asked.cases)} cases agree."
        _say(f"right: {why}\n{asked.won}".strip())
        return
    _say(f"{UNTRIED if _is_as_given(asked, answer) else 'not yet'}: {wrong}")
    if callable(answer) or not callable(asked.answer):
        _say(f'Stuck? hint("{puzzle}") helps, up to three times; then solution("{puzzle}").')


def hint(puzzle: str) -> None:
    """Print the next of the puzzle's three hints.

    >>> hint("count")  # doctest: +ELLIPSIS
    Hint ... of 3: ...
    """
    hints = find(puzzle).hints
    _given[puzzle] = number = min(_given.get(puzzle, 0) + 1, 3)
    more = "" if number < 3 else f' (solution("{puzzle}") shows a right answer.)'
    _say(f"Hint {number} of 3: {hints[number - 1]}{more}")


def solution(puzzle: str) -> None:
    """Print one right answer.

    >>> solution("count")
    def count(seq_len):
        return np.arange(seq_len)
    """
    asked = find(puzzle)
    code = f"{asked.answer}: {asked.why}"
    if callable(asked.answer):
        code = inspect.getsource(asked.answer)
    print(code[code.find("\ndef ") + 1 :].strip())  # without what stands above a function


def _say(words: str) -> None:
    """Print words in lines that a narrow page does not break within a word."""
    lines = [textwrap.fill(line, WIDE, break_on_hyphens=False) for line in words.splitlines()]
    print("\n".join(lines))


def _wrong_value(puzzle: Puzzle, answer) -> str:
    """Return what is wrong with a value, or nothing."""
    if answer is None or answer is ...:
        return UNTRIED
    named = [sentence for sentence, value in puzzle.mistakes.items() if _same(value, answer)]
    return named[0] if named else "" if _same(puzzle.answer, answer) else puzzle.judge(answer)


def _wrong_function(puzzle: Puzzle, answer) -> str:
    """Return what is wrong with a function, or nothing; cases are tried until one raises."""
    if not callable(answer):
        return f"give check the function itself, without calling it (got {validate.show(answer)})"
    code = getattr(answer, "__code__", None)
    results, error = run = _tried(puzzle, answer)
    if not results and "ellipsis" in str(error):  # the ... of the stub is still there
        return UNTRIED
    if results and all(result is None or result is ... for result in results):
        stub = results[0] is ... or getattr(code, "co_code", None) == STUB
        return UNTRIED if stub else "it returned None. Is a `return` missing?"
    wrong = raised = ""
    if error:
        case = puzzle.cases[len(results)]
        raised = f"{_call(puzzle, answer, case)} raised {type(error).__name__}"
        raised += f": {_explained(error, case, answer)}"
    tried = list(zip(puzzle.cases, results, strict=False))
    for case, result in tried:
        if difference := _difference(puzzle.answer(*case), result, puzzle.tolerance):
            wrong = f"{_call(puzzle, answer, case)} {difference}"
            break
    if wrong or raised:
        # a mistake must raise the same: what is wrong before may not be what stopped this case
        named = (text for text, of in puzzle.mistakes.items() if _alike(run, _tried(puzzle, of)))
        reasons = [*named, *([] if raised else _slips(puzzle, tried))]
        first = "\nAnd ".join(filter(None, (wrong, raised)))
        return "\nLikely reason: ".join([first, *reasons[:1]])
    ready = sorted({*puzzle.without} & {*getattr(code, "co_names", ())})
    return f"the numbers are right, but pe.{ready[0]} made them: now without it." if ready else ""


def _tried(puzzle: Puzzle, function: Callable) -> tuple[list, Exception | None]:
    """Return what a function gives for the cases, up to the first that raises, and this error."""
    results = []
    for case in puzzle.cases:
        try:
            # what it prints while it is tried would only be noise
            with redirect_stdout(io.StringIO()):
                results.append(function(*deepcopy(case)))
        except Exception as error:
            return results, error
    return results, None


def _alike(run: tuple, other: tuple) -> bool:
    """Return whether two functions have given the same for all cases, errors included."""
    (results, error), (others, other_error) = run, other
    same_error = (type(error), str(error)) == (type(other_error), str(other_error))
    both = zip(results, others, strict=False)
    return same_error and len(results) == len(others) and all(_same(b, a) for a, b in both)


def _is_as_given(puzzle: Puzzle, answer) -> bool:
    """Return whether an answer is still the page's own."""
    if puzzle.given is None or not callable(puzzle.answer):
        return puzzle.given is not None and _same(puzzle.given, answer)
    return callable(answer) and _alike(_tried(puzzle, answer), _tried(puzzle, puzzle.given))


# Slips that can be made in any puzzle: what each makes of a right answer
SLIPS: dict[str, Callable] = {
    "You reversed the order.": lambda right: right[::-1],
    "You reversed the columns.": lambda right: right[:, ::-1],
    "You exchanged rows and columns.": np.transpose,
    "You sorted the numbers, but they belong in another order.": np.sort,
    "You have the other sign.": np.negative,
    "You lost the sign.": np.abs,
    "You are one too high.": lambda right: right + 1,
    "You are one too low.": lambda right: right - 1,
    "You rounded to whole numbers.": np.round,
    "You divided the wrong way round: this is 1 / the right number.": lambda right: 1 / right,
    "You squared it.": np.square,
    "You took the square root.": lambda right: np.sqrt(np.abs(right)),
    "You have degrees, not radians.": np.degrees,
    "You added whole turns of 2π.": lambda right: right % (2 * np.pi),
    "You left out the last entry.": lambda right: right[:-1],
    "You left out the first entry.": lambda right: right[1:],
    "You just counted: 0, 1, 2, ….": lambda right: np.arange(len(right)),
}


def _slips(puzzle: Puzzle, tried: list[tuple[tuple, object]]) -> list[str]:
    """Return which slips explain the results of all cases."""
    pairs = [(np.asarray(puzzle.answer(*case)), result) for case, result in tried]
    found = []
    if all(any(_same(given, result) for given in case) for case, result in tried):
        found.append("You returned what you were given, unchanged.")
    with np.errstate(all="ignore"):
        for sentence, slip in SLIPS.items():
            with suppress(TypeError, ValueError, IndexError):  # a number has no order, say
                if all(_same(slip(right), result) for right, result in pairs):
                    found.append(sentence)
    return found


def _explained(error: Exception, case: tuple, answer: Callable) -> str:
    """Return an error in its own words and what usually helps, where NumPy does not say."""
    text, helps = str(error), ""
    name, names = _misspelled(error, answer)
    near = validate.did_you_mean(name, names) if len(str(name)) > 2 else []
    if near:
        helps = f"Did you mean {near[0]}?"
    elif isinstance(error, IndexError) and "out of bounds" in text:
        helps = "A puzzle is tried at several sizes: your function must work for each of them."
    elif "bitwise" in text:  # NumPy speaks of ufuncs, input types and casting rules
        return "^, | and & need whole numbers. Use // instead of /."
    elif "broadcast" in text and all(np.ndim(x) < 2 for x in case):
        helps = "To make a table of a column and a row, "
        helps += "give the column a second axis: positions[:, None]."
    elif "at least 2-D" in text and any(np.ndim(x) == 1 for x in case):
        helps = "It wants a table with a row for each position: "
        helps += "x[None] has one row, [t] is its position, [0] takes it."
    return f"{text}\n{helps}" if helps else text


def _misspelled(error: Exception, answer: Callable) -> tuple[object, list[str]]:
    """Return a name that was not found, and those that were there."""
    if isinstance(error, AttributeError):
        return error.name, dir(error.obj)
    if isinstance(error, NameError):
        own = getattr(getattr(answer, "__code__", None), "co_varnames", ())
        return error.name, [*own, *getattr(answer, "__globals__", ())]
    return None, []


def _difference(expected, got, tolerance: float = TOLERANCE) -> str:
    """Return what is wrong with a result in words, or nothing."""
    expected = np.asarray(expected)
    if isinstance(got, range) and got[MOST:]:
        return f"should have shape {expected.shape}, got a range of more than {MOST:,} numbers"
    try:
        got = np.asarray(got)
    except ValueError:
        return "returned rows of unequal length"
    except (TypeError, RuntimeError) as error:  # a tensor with a gradient, say
        return f"should return an array NumPy can read, got a {type(got).__name__}: {error}"
    if got.dtype.kind not in "biufc":
        kind = "None" if got.tolist() is None else f"dtype {got.dtype}"
        return f"should return numbers, got {kind}"
    if got.shape != expected.shape:
        if expected.shape:
            return f"should have shape {expected.shape}, got {got.shape}"
        return f"should be a single number, got shape {got.shape}"
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
    name = getattr(answer, "__name__", "your function")
    texts = zip(puzzle.written, puzzle.cases, strict=False)
    written = next((text for text, tried in texts if tried is case), "")
    return f"{name}({written or ', '.join(map(_short, case))})"


def _short(value) -> str:
    if isinstance(value, np.ndarray):
        text = f"np.array({value.tolist()})"
        return text if len(text) <= 40 else f"array of shape {value.shape}"
    return validate.show(value)
