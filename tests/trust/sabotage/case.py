"""What is tried in a process of its own: a call, the words its error needs, and what is wrong."""

import re
import time
import traceback
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper

LONGEST = 5000  # letters of an error
# words of Python, NumPy, matplotlib or traitlets that no reader can do anything with
RAW = re.compile(
    r"Exceeds the limit|truth value|maximum recursion|Unable to allocate|\.part\b"
    r"|Invalid selection|cannot be NaN or Inf|incompatible function arguments"
    r"|(?m:^)('\w+' object |\w+\(\) argument|unsupported operand|invalid literal|unhashable type"
    r"|could not convert|cannot convert|operands could not be broadcast)"
)
# what the machine is asked for where files are written
OF_FILES = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "shutil.")


def anything(result) -> str:
    """Find no fault with an answer."""
    return ""


@dataclass(frozen=True)
class Case:
    """A call that somebody may make.

    Attributes:
        what: the call, as a reader would write it.
        call: makes it.
        names: words, of which the message of an error must have one.
        check: what is wrong with an answer, nothing if it is right.
        writes: whether it looks itself at what is written.
        seconds: of CPU, that an answer may take.
    """

    what: str
    call: Callable[[], object]
    names: tuple[str, ...] = ()
    check: Callable[[object], str] = anything
    writes: bool = False
    seconds: float = 1.0


def refusal_of(error: BaseException) -> str:
    """Return what is wrong with an error, beside the words that it lacks; nothing if it is good."""
    kind = type(error)
    own = kind.__module__.startswith("posenc_lib")
    if kind not in (TypeError, ValueError) and not isinstance(error, OSError) and not own:
        return "raw error"
    if RAW.search(str(error)):
        return "raw words"
    return "endless error" if len(str(error)) > LONGEST else ""


def told(error: BaseException) -> str:
    """Return an error's kind, its words, and where it was raised."""
    try:
        words = str(error)
    except BaseException as another:
        words = f"(its words raise {type(another).__name__})"
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f"{f.filename.split('/')[-1]}:{f.lineno}" for f in frames if "posenc_lib" in f.filename]
    return f"{type(error).__name__}: {words[:300]} [{ours[-1] if ours else '?'}]"


def fault_of(case: Case, asked: list[str]) -> str:
    """Make a call and return what is wrong with its answer, if anything is.

    Args: asked is a list to which what was asked of the machine meanwhile is added.
    """
    for _ in range(2):  # what was only slow because it came first gets another chance
        del asked[:]
        fault, seconds = _tried(case)
        if case.writes:
            asked[:] = [event for event in asked if not event.startswith(OF_FILES)]
        if asked:
            return f"code run: {asked[0]}"
        if fault or seconds <= case.seconds:
            return fault
    return f"late: {seconds:.1f} s of CPU"


def terminal() -> TextIOWrapper:
    """Return what a command or a function may write to."""
    return TextIOWrapper(BytesIO(), "utf-8", errors="backslashreplace", write_through=True)


def _tried(case: Case) -> tuple[str, float]:
    result, fault, said = None, "", terminal()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        start = time.thread_time()
        try:
            with redirect_stdout(said), redirect_stderr(said):
                result = case.call()
            seconds = time.thread_time() - start
            fault = case.check(result)
        except BaseException as error:
            seconds = time.thread_time() - start
            fault = _fault_of_error(case, error)
    if not fault and warned:
        fault = f"warning: {warned[0].category.__name__}: {str(warned[0].message)[:200]}"
    if hasattr(result, "close"):
        result.close()
    return fault, seconds


def named(name: str, words: str) -> bool:
    """Return whether words have a name; "a" and "x" are one only in front of a verb."""
    verb = " (must|and|has)" if len(name) == 1 else r"(?!\w)"
    return bool(re.search(rf"(?<!\w){re.escape(name)}{verb}", words))


def _fault_of_error(case: Case, error: BaseException) -> str:
    wrong = refusal_of(error)
    if not wrong and case.names and not any(named(name, str(error)) for name in case.names):
        wrong = "names nothing"
    return f"{wrong}: {told(error)}" if wrong else ""
