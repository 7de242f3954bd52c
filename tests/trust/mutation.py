"""Break the encodings on purpose, one mistake at a time, and see whether their own tests notice.

`python -m tests.trust.mutation` prints which test noticed each mistake, and the score. Every mistake is made in a copy;
the checkout is never touched. A process that has loaded all but posenc_lib forks once for each mistake, which saves the
second that NumPy and pytest take to start.
"""

import argparse
import importlib
import json
import os
import shutil
import signal
import sys
import tempfile
import traceback
from pathlib import Path

from .mutants import MUTANTS, Mutant

ROOT = Path(__file__).resolve().parents[2]
CONTROL = Mutant(
    "control", "sign", "none at all", "rope", "np.cos(angle), np.sin(angle)", "np.cos(angle), +np.sin(angle)"
)
LATE = {"test_errors.py"}  # words of errors, and how much memory is refused: slow, and not about the formulas
FIRST = {  # where a mistake in a file should be noticed, if not in the tests of its own name
    **dict.fromkeys(("integer", "binary", "sine", "sinusoidal", "learned"), "test_absolute.py"),
    **dict.fromkeys(("offsets", "shaw", "transformer_xl"), "test_relative.py"),
    **dict.fromkeys(("t5", "alibi"), "test_bias.py"),
    "turning": "test_hands.py",
}
LOADED = "numpy numpy.testing pytest hypothesis.strategies mpl_toolkits.mplot3d matplotlib.backends.backend_agg".split()
LIMIT = 120  # seconds; a mistake that makes a loop go on for ever is noticed, too
OPTIONS = [
    "-x",
    "-q",
    "-p",
    "no:cacheprovider",
    "-o",
    "addopts=--import-mode=importlib",
    "-o",
    "markers=slow: not here",
]


class Notes:
    """A plugin of pytest that remembers the first test that failed."""

    failed = ""

    def pytest_runtest_logreport(self, report):
        """Note a failure, of the test or of what it needs."""
        if report.failed and not self.failed:
            self.failed = report.nodeid.removeprefix("tests/encodings/")


def broken(mutant: Mutant, source: str) -> str:
    """Return the source with its mistake.

    Raises:
        ValueError: the right text does not stand there exactly once: it was rewritten, and the mistake must be, too.
    """
    found = source.count(mutant.old)
    if found != 1:
        raise ValueError(f"{mutant.file}.py must have {mutant.old!r} exactly once, found {found} ({mutant.mistake})")
    return source.replace(mutant.old, mutant.new)


def judge(mutants: list[Mutant], jobs: int) -> list[str]:
    """Return for each mistake the test that noticed it, or nothing where none did."""
    for name in LOADED:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as made:
        room = Path(made).resolve()
        _furnish(room)
        control = _start(CONTROL, room / "control")  # alone: it leaves its tests compiled for all others
        os.waitpid(control, 0)
        folders = [room / str(k) for k in range(len(mutants))]
        waiting, running = list(zip(mutants, folders, strict=True)), {}
        while waiting or running:
            while waiting and len(running) < jobs:
                mutant, folder = waiting.pop(0)
                running[_start(mutant, folder)] = folder
            pid, status = os.wait()
            _note_the_end(running.pop(pid), status)
        return [_verdict(folder) for folder in folders]


def _furnish(room: Path) -> None:
    """Copy what the tests need; with compiled files, so that each fork compiles only what it breaks."""
    without = shutil.ignore_patterns("*.html", ".hypothesis")
    shutil.copytree(ROOT / "posenc_lib", room / "right/posenc_lib", ignore=without)
    for folder in ("tests/encodings", "tests/goldens"):
        shutil.copytree(ROOT / folder, room / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "tests/conftest.py"):
        shutil.copy2(ROOT / file, room / file)


def _start(mutant: Mutant, folder: Path) -> int:
    """Make the mistake in a copy of its own and start its tests; return the process's number."""
    shutil.copytree(folder.parent / "right", folder)
    path = folder / "posenc_lib/encodings" / f"{mutant.file}.py"
    path.write_text(broken(mutant, path.read_text(encoding="utf-8")), encoding="utf-8")
    for compiled in path.parent.glob(f"__pycache__/{mutant.file}.*"):
        compiled.unlink()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            signal.alarm(LIMIT)
            (folder / "verdict").write_text(_tried(mutant, folder), encoding="utf-8")
            status = 0
        except BaseException:  # whatever it is, this process must not go on as if it were the one that forked
            traceback.print_exc()
        finally:
            os._exit(status)
    return pid


def _note_the_end(folder: Path, status: int) -> None:
    """Drop the copy; a process that had to be stopped noticed by never ending."""
    shutil.rmtree(folder / "posenc_lib")
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
        (folder / "verdict").write_text(f"no end within {LIMIT} s", encoding="utf-8")


def _tried(mutant: Mutant, folder: Path) -> str:
    """Run the tests on a broken copy, those that should notice first; return the one that failed, or nothing."""
    import hypothesis
    import pytest

    room = folder.parent
    os.chdir(room)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.dont_write_bytecode = folder.name != "control"
    sys.path[:] = [str(folder), *(place for place in sys.path if Path(place).resolve() != ROOT)]
    import posenc_lib

    assert Path(posenc_lib.__file__).is_relative_to(folder), "another posenc_lib than the broken one is tested"
    hypothesis.settings.register_profile("same", derandomize=True, database=None, deadline=None, max_examples=30)
    hypothesis.settings.load_profile("same")
    for path in _in_order(room, mutant):
        notes = Notes()
        status = pytest.main([*OPTIONS, "-m", "not slow", str(path)], plugins=[notes])
        if status not in (0, 1, 5):  # 5: nothing in this file but slow tests
            raise RuntimeError(f"pytest ended with {status} on {path.name}")
        if notes.failed:
            return notes.failed
    return ""


def _in_order(room: Path, mutant: Mutant) -> list[Path]:
    """Return the files of tests, the one that a mistake concerns first."""
    files = sorted(path for path in (room / "tests/encodings").glob("test_*.py") if path.name not in LATE)
    return sorted(files, key=lambda path: path.name != FIRST.get(mutant.file, f"test_{mutant.file}.py"))


def _verdict(folder: Path) -> str:
    """Return what a process found out.

    Raises:
        RuntimeError: it failed otherwise, which tells nothing about the tests.
    """
    if not (folder / "verdict").exists():
        raise RuntimeError("a mistake could not be tried; what went wrong stands above")
    return (folder / "verdict").read_text(encoding="utf-8")


def main() -> int:
    """Print the table and the score; return 0 if every mistake was noticed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print [about, kind, mistake, noticed by] for each instead")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time")
    options = parser.parse_args()
    os.environ |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "OPENBLAS_NUM_THREADS": "1"}
    tried = [CONTROL, *MUTANTS]
    rows = [(*m[:3], by) for m, by in zip(tried, judge(tried, options.jobs), strict=True)]
    noticed = sum(bool(by) for *_, by in rows[1:])
    if options.json:
        print(json.dumps(rows))
    else:
        for about, kind, mistake, by in rows:
            print(f"{about:<20} {kind:<9} {mistake:<36} {by or 'NOT NOTICED'}")
        print(f"score: {noticed} of {len(MUTANTS)} noticed; the control must not be")
    return 0 if noticed == len(MUTANTS) and not rows[0][3] else 1


if __name__ == "__main__":
    sys.exit(main())
