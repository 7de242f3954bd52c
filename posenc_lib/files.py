"""Writing files so that no interruption leaves half of one."""

import concurrent.futures
import multiprocessing
import os
import signal
import threading
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path

FEW = 6  # files: starting other processes for them takes longer


def atomic_write(path: Path, data: bytes) -> None:
    """Write data beside path, then rename: afterwards the file is wholly the new one or still the old one.

    Raises:
        OSError: the folder cannot be written, or the disk is full.
    """
    path = Path(path).resolve()  # through a link to what it stands for
    aside = path.with_name(f".{uuid.uuid4().hex}.part")  # path's own name may be as long as can be
    try:
        aside.write_bytes(data)
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def write(jobs: dict[str, Callable[[], bytes]], folder: Path) -> None:
    """Make the files of a folder, by name, on all cores, each written whole, and tell the name of each.

    Raises:
        OSError: a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if len(jobs) <= FEW:
        for each in jobs.items():
            _write(folder, each)
        return
    pool = concurrent.futures.ProcessPoolExecutor  # asked for here: in a browser there is none
    with pool(min(os.cpu_count() or 1, 8), multiprocessing.get_context("spawn"), _end_with_parent) as workers:
        try:
            for _ in workers.map(partial(_write, folder), jobs.items()):
                pass
        except BaseException:
            workers.shutdown(cancel_futures=True)
            raise


def _end_with_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    parent = multiprocessing.parent_process()
    threading.Thread(target=lambda: os._exit(parent.join() or 1), daemon=True).start()  # also where it is killed


def _write(folder: Path, job: tuple[str, Callable[[], bytes]]) -> None:
    name, make = job
    atomic_write(folder / name, make())
    print(folder / name, flush=True)
