"""Making files: on all cores, each written whole or not at all."""

import multiprocessing
import os
import re
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from posenc_lib.figures.formats import render
from posenc_lib.figures.registry import BlogFigure
from posenc_lib.files import atomic_write
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


def write(jobs: list[Job], folder: Path) -> None:
    """Make all files, each written whole, and tell the name of each.

    Raises:
        OSError: a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if len(jobs) <= 6:  # starting other processes takes longer
        for one in jobs:
            _write(one, folder)
        return
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(os.cpu_count() or 1, 8), spawn, initializer=_begin) as workers:
        try:
            for _ in workers.map(partial(_write, folder=folder), jobs):
                pass
        except BaseException:
            workers.shutdown(cancel_futures=True)
            raise


def _begin() -> None:
    """Let a process that writes leave Ctrl-C to who started it, and end when that one does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    multiprocessing.parent_process().join()
    os._exit(1)


def _write(one: Job, folder: Path) -> None:
    atomic_write(folder / one.name, one.make(*one.needs))
    print(folder / one.name, flush=True)
