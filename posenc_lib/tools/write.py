"""Making the files of a folder on all cores, each written whole."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path

from posenc_lib.files import atomic_write

FEW = 6  # files: starting other processes for them takes longer


def write(jobs: dict[str, Callable[[], bytes]], folder: Path) -> None:
    """Make the files of a folder on all cores, each written whole, and tell the name of each.

    Raises:
        OSError: a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if len(jobs) <= FEW:
        for job in jobs.items():
            _write(folder, job)
        return
    # its processes end with this one, also where it is killed
    pool = multiprocessing.get_context("spawn").Pool
    count = min(os.cpu_count() or 1, 8)
    ignored = (signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is ours
    with pool(count, signal.signal, ignored) as workers:
        for _ in workers.imap(partial(_write, folder), jobs.items()):
            pass


def _write(folder: Path, job: tuple[str, Callable[[], bytes]]) -> None:
    name, make = job
    atomic_write(folder / name, make())
    print(folder / name, flush=True)
