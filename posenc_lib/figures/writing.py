"""Making files: on all cores, each written whole or not at all, with a bar that says how far it is."""

import multiprocessing
import os
import re
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from posenc_lib.figures.formats import MOVING, render
from posenc_lib.figures.registry import BlogFigure
from posenc_lib.files import atomic_write
from posenc_lib.signals import starting_processes, stop_if_asked, stoppable
from posenc_lib.views import style


class Job(NamedTuple):
    """One file to make: its name, what makes its bytes, and what that needs; another process can take all of it."""

    name: str
    make: Callable[..., bytes]
    needs: tuple


def job(one: BlogFigure, values: dict, suffix: str, theme: str = "light", **options) -> Job:
    """Return what makes one file of a figure."""
    name = f"{re.sub('[^A-Za-z0-9_]+', '-', one.id)}.{suffix}"
    return Job(name, _figure, (theme, replace(one), values, suffix, options))  # a copy, without what it remembers


def _figure(theme: str, figure: BlogFigure, values: dict, suffix: str, options: dict) -> bytes:
    with style.themed(theme):
        return render(figure, values, suffix, **options)


def _run(one: Job) -> tuple[str, bytes]:
    return one.name, one.make(*one.needs)


def write(jobs: list[Job], folder: Path, more: dict[str, bytes] | None = None) -> int:
    """Make all files and then write more, each one whole; show how far it is, and return an exit status.

    Raises:
        KeyboardInterrupt: somebody stopped the work; it says how many files are new.
    """
    more = more or {}
    path, written, total = folder, 0, len(jobs) + len(more)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with stoppable(), _made(jobs) as files:
            for name, data in chain(files, more.items()):
                stop_if_asked()
                path = folder / name
                atomic_write(path, data)
                written += 1
                _progress(written, total, name)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"\nstopped: {written} of {total} files are new, the others as they were") from None
    except (OSError, MemoryError) as error:
        what = f"{path}: {error.strerror or error}" if isinstance(error, OSError) else "not enough memory"
        print(f"error: {what}; {written} of {total} files are new", file=sys.stderr)
        return 1
    return 0


@contextmanager
def _made(jobs: list[Job]):
    """Give an iterator of names and bytes, as soon as they are there; many jobs share the machine's cores."""
    if len(jobs) <= 6:  # starting other processes takes longer
        yield map(_run, jobs)
        return
    films_first = sorted(jobs, key=lambda one: not one.name.endswith(MOVING))
    with starting_processes():
        workers = multiprocessing.get_context("spawn").Pool(min(os.cpu_count() or 1, 8), _end_with_parent)
    with workers:
        stop_if_asked()
        yield workers.imap_unordered(_run, films_first)


def _end_with_parent() -> None:
    """End this process without a word as soon as the one that started it is gone, even killed."""
    if hasattr(signal, "SIGPIPE"):  # not on Windows
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # nobody takes the result
    parent = multiprocessing.parent_process()
    threading.Thread(target=lambda: os._exit(parent.join() or 1), daemon=True).start()


def _progress(done: int, total: int, name: str) -> None:
    """Show a bar on a terminal, a line for each file elsewhere."""
    if sys.stderr.isatty():
        bar = f"\r[{'#' * (30 * done // total):.<30}] {done}/{total} {name:<40}"
        print(bar, end="\n" if done == total else "", file=sys.stderr, flush=True)
    else:
        print(f"{done}/{total} {name}", file=sys.stderr, flush=True)
