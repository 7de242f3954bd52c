"""Self-checking puzzles: `check` says right or wrong, `hint` helps, `solution` gives the answer."""

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
from posenc_lib.translation import said

TOLERANCE = 1e-6  # unless a puzzle sets its own: float32 answers pass, less exact ones don't
MOST = 2**24  # numbers in an answer
UNTRIED = "not tried yet"
WIDE = 100  # letters in a printed line
# the code of an empty function, like the lessons' stubs
STUB = (lambda: None).__code__.co_code
PUZZLES: Register["Puzzle"] = Register("puzzle", part="puzzles")
_given: dict[str, int] = {}  # hints the reader has had, by puzzle


@dataclass(frozen=True)
class Puzzle:
    """A question with a checkable answer."""

    answer: object  # a right one: a function or a value
    hints: tuple[str, ...]  # three, each closer to the answer
    cases: tuple[tuple, ...] = ()  # the arguments a function is called with
    written: tuple[str, ...] = ()  # what to print for each case with arguments too long to show
    given: object = None  # the answer in the page's cell before a reader changes it, if it runs
    # the wrong answer each one gives, by the sentence that names it
    mistakes: dict[str, object] = field(default_factory=dict)
    # what's wrong with a value; "" if it's right
    judge: Callable[[object], str] = lambda value: f"{validate.show(value)} isn't it."
    why: str = ""  # why a value is right
    won: str = ""  # what the reader gains, printed after a right answer
    without: tuple[str, ...] = ()  # library functions that would answer for the reader
    instead: str = "Do it without."  # what to do then
    tolerance: float = TOLERANCE  # how far off a function's numbers can be


def function_puzzle(*hints: str, **about) -> Callable:
    """Make a puzzle from the decorated function: a right answer, and the puzzle's name."""

    def made(answer: Callable) -> Callable:
        PUZZLES.add(answer.__name__, Puzzle(answer, hints, **about), place=place_of(answer))
        return answer

    return made


def value_puzzle(name: str, answer: object, *hints: str, **about) -> None:
    """Make a puzzle with a value as its answer."""
    caller = sys._getframe(1)
    place = place_at(caller.f_globals["__name__"], caller.f_lineno)
    PUZZLES.add(name, Puzzle(answer, hints, **about), place)


def find(name: str) -> Puzzle:
    """Return the puzzle with this name. If there's none, a ValueError lists the names."""
    return PUZZLES[validate.known("puzzle", name, PUZZLES.load())]


def check(puzzle: str, answer: object) -> None:
    """Print whether an answer is right, or where it first goes wrong, and the likely mistake.

    >>> check("count", 4)
    not yet: pass the function itself, without calling it. You passed 4

    Args:
        puzzle: the puzzle's name.
        answer: your function or your value. A stub that returns `...` or nothing counts as not
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
        _say(f'Stuck? Try hint("{puzzle}"), up to three times, then solution("{puzzle}").')


def hint(puzzle: str) -> None:
    """Print the next of a puzzle's three hints.

    >>> hint("count")  # doctest: +ELLIPSIS
    Hint ... of 3: ...
    """
    puzzle = getattr(puzzle, "__name__", puzzle)  # a reader may pass the function
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
    print(code[code.find("\ndef ") + 1 :].strip())  # without what's above the function


def _say(words: str) -> None:
    """Print words in lines that break between words."""
    lines = [textwrap.fill(line, WIDE, break_on_hyphens=False) for line in said(words).splitlines()]
    print("\n".join(lines))


def _wrong_value(puzzle: Puzzle, answer) -> str:
    """Return what's wrong with a value, or "" if nothing is."""
    if answer is None or answer is ...:
        return UNTRIED
    named = [sentence for sentence, value in puzzle.mistakes.items() if _same(value, answer)]
    return named[0] if named else "" if _same(puzzle.answer, answer) else puzzle.judge(answer)


def _wrong_function(puzzle: Puzzle, answer) -> str:
    """Return what's wrong with a function, or ""; cases run until one raises."""
    if not callable(answer):
        return f"pass the function itself, without calling it. You passed {validate.show(answer)}"
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
        # a mistake must raise the same error: an earlier fault may not be what stopped this case
        named = (text for text, of in puzzle.mistakes.items() if _alike(run, _tried(puzzle, of)))
        reasons = [*named, *([] if raised else _slips(puzzle, tried))]
        first = "\nAnd ".join(filter(None, (wrong, raised)))
        return "\nLikely reason: ".join([first, *reasons[:1]])
    ready = sorted({*puzzle.without} & {*getattr(code, "co_names", ())})
    return f"the numbers are right, but you used pe.{ready[0]}. {puzzle.instead}" if ready else ""


def _tried(puzzle: Puzzle, function: Callable) -> tuple[list, Exception | None]:
    """Return a function's results for the cases, up to the first that raises, and its error."""
    results = []
    for case in puzzle.cases:
        try:
            # what it prints meanwhile is only noise
            with redirect_stdout(io.StringIO()):
                results.append(function(*deepcopy(case)))
        except Exception as error:
            return results, error
    return results, None


def _alike(run: tuple, other: tuple) -> bool:
    """Return whether two functions gave the same results, errors included."""
    (results, error), (others, other_error) = run, other
    same_error = (type(error), str(error)) == (type(other_error), str(other_error))
    both = zip(results, others, strict=False)
    return same_error and len(results) == len(others) and all(_same(b, a) for a, b in both)


def _is_as_given(puzzle: Puzzle, answer) -> bool:
    """Return whether the page's own answer is unchanged."""
    if puzzle.given is None or not callable(puzzle.answer):
        return puzzle.given is not None and _same(puzzle.given, answer)
    return callable(answer) and _alike(_tried(puzzle, answer), _tried(puzzle, puzzle.given))


# Slips possible in any puzzle: each turns a right answer into a wrong one
SLIPS: dict[str, Callable] = {
    "You reversed the order.": lambda right: right[::-1],
    "You reversed the columns.": lambda right: right[:, ::-1],
    "You swapped rows and columns.": np.transpose,
    "You sorted the numbers, but they shouldn't be sorted.": np.sort,
    "Your sign is flipped.": np.negative,
    "You dropped the sign.": np.abs,
    "You're one too high.": lambda right: right + 1,
    "You're one too low.": lambda right: right - 1,
    "You rounded to integers.": np.round,
    "You divided the wrong way: this is 1 / the right number.": lambda right: 1 / right,
    "You squared it.": np.square,
    "You took the square root.": lambda right: np.sqrt(np.abs(right)),
    "You used degrees, not radians.": np.degrees,
    "You're off by full turns of 2π.": lambda right: right % (2 * np.pi),
    "You left out the last entry.": lambda right: right[:-1],
    "You left out the first entry.": lambda right: right[1:],
    "You just counted: 0, 1, 2, ….": lambda right: np.arange(len(right)),
}


def _slips(puzzle: Puzzle, tried: list[tuple[tuple, object]]) -> list[str]:
    """Return the slips that explain the results in all cases."""
    pairs = [(np.asarray(puzzle.answer(*case)), result) for case, result in tried]
    found = []
    if all(any(_same(given, result) for given in case) for case, result in tried):
        found.append("You returned an argument unchanged.")
    with np.errstate(all="ignore"):
        for sentence, slip in SLIPS.items():
            with suppress(TypeError, ValueError, IndexError):  # say, a number has no order
                if all(_same(slip(right), result) for right, result in pairs):
                    found.append(sentence)
    return found


def _explained(error: Exception, case: tuple, answer: Callable) -> str:
    """Return an error in its own words, plus what usually helps if NumPy doesn't say."""
    text, helps = str(error), ""
    name, names = _misspelled(error, answer)
    near = validate.did_you_mean(name, names) if len(str(name)) > 2 else []
    if near:
        helps = f"Did you mean {near[0]}?"
    elif isinstance(error, IndexError) and "out of bounds" in text:
        helps = "check tries several sizes, and your function must work for all of them."
    elif "bitwise" in text:  # NumPy talks about ufuncs, input types and casting rules
        return "^, | and & need integers. Use // instead of /."
    elif "broadcast" in text and all(np.ndim(x) < 2 for x in case):
        helps = "To make a table from a column and a row, "
        helps += "give the column a second axis: positions[:, None]."
    elif "at least 2-D" in text and any(np.ndim(x) == 1 for x in case):
        helps = "It needs a table with a row per position: "
        helps += "x[None] has one row, [t] is its position, [0] gets it back."
    return f"{text}\n{helps}" if helps else text


def _misspelled(error: Exception, answer: Callable) -> tuple[object, list[str]]:
    """Return a name that wasn't found, and the names that exist."""
    if isinstance(error, AttributeError):
        return error.name, dir(error.obj)
    if isinstance(error, NameError):
        own = getattr(getattr(answer, "__code__", None), "co_varnames", ())
        return error.name, [*own, *getattr(answer, "__globals__", ())]
    return None, []


def _difference(expected, got, tolerance: float = TOLERANCE) -> str:
    """Return in words what's wrong with a result, or ""."""
    expected = np.asarray(expected)
    if isinstance(got, range) and got[MOST:]:
        return f"should have shape {expected.shape}, got a range of more than {MOST:,} numbers"
    try:
        got = np.asarray(got)
    except ValueError:
        return "returned rows of different lengths"
    except (TypeError, RuntimeError) as error:  # a tensor with a gradient, say
        return f"should return an array NumPy can read, got {type(got).__name__}: {error}"
    if got.dtype.kind not in "biufc":
        kind = "None" if got.tolist() is None else f"dtype {got.dtype}"
        return f"should return numbers, got {kind}"
    if got.shape != expected.shape:
        if expected.shape:
            return f"should have shape {expected.shape}, got {got.shape}"
        return f"should be a single number, got shape {got.shape}"
    wrong = ~np.isclose(got, expected, rtol=TOLERANCE, atol=tolerance, equal_nan=True)
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
