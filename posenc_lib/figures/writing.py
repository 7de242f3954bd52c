"""Making files: on all cores, each written whole or not at all, with a bar that says how far it is."""

import multiprocessing
import os
import re
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from posenc_lib.figures.formats import MOVING, render
from posenc_lib.figures.registry import BlogFigure, find
from posenc_lib.files import write_whole
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
        return f"{re.sub('[^A-Za-z0-9]+', '_', self.id)}.{self.suffix}"

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
    """
    written = 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for done, (made, data) in enumerate(_made(jobs), 1):
            write_whole(folder / made.name, data)
            written = done
            _progress(done, len(jobs), made.name)
        for name, data in (more or {}).items():
            write_whole(folder / name, data)
    except KeyboardInterrupt:
        print(f"\nstopped: {written} of {len(jobs)} files are new, the others as they were", file=sys.stderr)
        return 130
    except OSError as error:
        print(f"\nerror: {folder}: {error.strerror or error}; {written} of {len(jobs)} files are new", file=sys.stderr)
        return 1
    return 0


def _made(jobs: list[Job]) -> Iterator[tuple[Job, bytes]]:
    """Yield each job with its bytes as soon as they are there; many jobs share the machine's cores."""
    if len(jobs) <= ALONE:
        yield from ((one, one.run()) for one in jobs)
        return
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(os.cpu_count() or 1, 8), spawn, initializer=_ignore_interrupts)
    try:
        films_first = sorted(jobs, key=lambda one: one.suffix not in MOVING)
        running = {pool.submit(one.run): one for one in films_first}
        for future in as_completed(running):
            yield running[future], future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _ignore_interrupts() -> None:
    """Leave Ctrl-C to the process that writes the files."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _progress(done: int, total: int, name: str) -> None:
    """Show a bar on a terminal, a line for each file elsewhere."""
    if sys.stderr.isatty():
        bar = ("#" * (30 * done // total)).ljust(30, ".")
        end = "\n" if done == total else ""
        print(f"\r[{bar}] {done}/{total} {name:<40}", end=end, file=sys.stderr, flush=True)
    else:
        print(f"{done}/{total} {name}", file=sys.stderr, flush=True)
