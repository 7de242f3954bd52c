"""Making files: on all cores, each written whole or not at all, with a bar that says how far it is."""

import multiprocessing
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from posenc_lib.figures.formats import MOVING, render
from posenc_lib.figures.registry import BlogFigure, find
from posenc_lib.files import write_whole
from posenc_lib.stopping import as_interrupt, heard_by_parent_alone, stop_if_asked
from posenc_lib.views import style

ALONE = 6  # files for which starting other processes takes longer than the work


class Job(NamedTuple):
    """One file to make: all that `render` needs, in words that another process understands."""

    id: str
    values: dict
    suffix: str
    theme: str
    options: dict
    moves: tuple

    @property
    def name(self) -> str:
        """The file's name."""
        return f"{re.sub('[^A-Za-z0-9_]+', '-', self.id)}.{self.suffix}"

    def run(self) -> bytes:
        """Return the file's bytes."""
        moves, low, high = self.moves
        with style.themed(self.theme):
            one = replace(find(self.id), moves=moves, low=low, high=high)
            return render(one, self.values, self.suffix, **self.options)


def job(one: BlogFigure, values: dict, suffix: str, theme: str = "light", **options) -> Job:
    """Return what makes one file of a figure."""
    return Job(one.id, values, suffix, theme, options, (one.moves, one.low, one.high))


def write(jobs: list[Job], folder: Path, more: dict[str, bytes] | None = None) -> int:
    """Make all files, replace each one whole, show how far it is, and return an exit status.

    Interrupted, it leaves the files it has not come to as they were.

    Raises:
        KeyboardInterrupt: somebody stopped the work; it says how far that had come.
    """
    written, name = 0, folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with as_interrupt(), closing(_made(jobs)) as coming:
            for done, (made, data) in enumerate(coming, 1):
                stop_if_asked()
                name = folder / made.name
                write_whole(name, data)
                written = done
                _progress(done, len(jobs), made.name)
        for each, data in (more or {}).items():
            name = folder / each
            write_whole(name, data)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"\nstopped: {written} of {len(jobs)} files are new, the others as they were") from None
    except OSError as error:
        print(f"error: {name}: {error.strerror or error}; {written} of {len(jobs)} files are new", file=sys.stderr)
        return 1
    except MemoryError:
        print(f"error: not enough memory for {name}; {written} of {len(jobs)} files are new", file=sys.stderr)
        return 1
    return 0


def _made(jobs: list[Job]) -> Iterator[tuple[Job, bytes]]:
    """Yield each job with its bytes as soon as they are there; many jobs share the machine's cores."""
    if len(jobs) <= ALONE:
        yield from map(_run, jobs)
        return
    films_first = sorted(jobs, key=lambda one: one.suffix not in MOVING)
    with heard_by_parent_alone():
        pool = multiprocessing.get_context("spawn").Pool(min(os.cpu_count() or 1, 8), _end_with_parent)
    try:
        yield from pool.imap_unordered(_run, films_first)
    finally:
        pool.terminate()
        pool.join()


def _end_with_parent() -> None:
    """End this process without a word as soon as the one that started it is gone, even killed."""

    def leave(*_):
        os._exit(1)

    if hasattr(signal, "SIGPIPE"):  # nobody takes the result; not on Windows
        signal.signal(signal.SIGPIPE, leave)
    threading.Thread(target=lambda: leave(multiprocessing.parent_process().join()), daemon=True).start()


def _run(one: Job) -> tuple[Job, bytes]:
    return one, one.run()


def _progress(done: int, total: int, name: str) -> None:
    """Show a bar on a terminal, a line for each file elsewhere."""
    if sys.stderr.isatty():
        bar = ("#" * (30 * done // total)).ljust(30, ".")
        end = "\n" if done == total else ""
        print(f"\r[{bar}] {done}/{total} {name:<40}", end=end, file=sys.stderr, flush=True)
    else:
        print(f"{done}/{total} {name}", file=sys.stderr, flush=True)
