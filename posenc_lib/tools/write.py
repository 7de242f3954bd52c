"""Making the files of a folder on all cores, each written whole."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from posenc_lib.files import atomic_write

if TYPE_CHECKING:  # in a browser there are no processes
    from multiprocessing.connection import Connection

FEW = 6  # files: starting other processes for them takes longer
SOON = 10  # seconds that a process has to clean up after itself
Jobs = dict[str, Callable[[], bytes]]


def write(jobs: Jobs, folder: Path) -> None:
    """Make the files of a folder on all cores, each written whole, and tell the name of each.

    A file that cannot be made doesn't keep the others from being made.

    Raises:
        ValueError: some could not be made, and why. OSError: one cannot be written.
    """
    written = _in_turn if len(jobs) <= FEW else _at_once
    faults = [fault for fault in written(jobs, folder) if fault]
    if faults:
        raise ValueError("; ".join(faults))


def _in_turn(jobs: Jobs, folder: Path) -> Iterator[str]:
    """Write each file, and yield what kept it from being made, or nothing."""
    for job in jobs.items():
        yield _write(folder, job)


def _at_once(jobs: Jobs, folder: Path) -> Iterator[str]:
    """Do the same in several processes, which end with this one, also where it is killed.

    They share nothing, not even a lock: one that is killed keeps nobody waiting.
    """
    left, running = iter(jobs.items()), {}
    try:
        for _ in range(min(os.cpu_count() or 1, 8)):
            end, process = _started(folder)
            running[end] = process
            end.send(next(left, None))
        while running:
            for end in multiprocessing.connection.wait(list(running)):
                told = end.recv()
                if isinstance(told, Exception):
                    raise told
                yield told
                job = next(left, None)
                end.send(job)
                if job is None:
                    running.pop(end).join()
    except EOFError:
        raise OSError("a process that made files has been ended") from None
    finally:
        for process in running.values():
            process.terminate()
        for process in running.values():
            process.join(SOON)
            process.kill()


def _started(folder: Path) -> tuple["Connection", multiprocessing.Process]:
    """Start a process that writes files; Ctrl-C is not for it, from its first moment on."""
    spawn = multiprocessing.get_context("spawn")
    end, other = spawn.Pipe()
    process = spawn.Process(target=_work, args=(other, folder), daemon=True)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process.start()
    finally:
        signal.signal(signal.SIGINT, before)
    other.close()
    return end, process


def _work(end: "Connection", folder: Path) -> None:
    """Write files as long as there are any, and somebody who asks for them."""
    signal.signal(signal.SIGTERM, _leave)
    with suppress(EOFError, ConnectionError):
        while (job := end.recv()) is not None:
            try:
                told = _write(folder, job)
            except Exception as error:
                told = error
            end.send(told)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it is leaving already


def _leave(*_) -> None:
    """End this process, but clean up what is half done; who asks again has to wait for that."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(1)


def _write(folder: Path, job: tuple[str, Callable[[], bytes]]) -> str:
    name, make = job
    try:
        data = make()
    except (TypeError, ValueError) as error:
        return f"{folder / name}: {error}"
    atomic_write(folder / name, data)
    tell(folder / name)
    return ""


def tell(*words) -> None:
    """Print a line; where nobody reads any more, as behind `| head`, print nothing from now on."""
    try:
        print(*words, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
