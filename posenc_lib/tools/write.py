"""Make the files of a folder on all cores, each written atomically."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from posenc_lib.files import atomic_write

if TYPE_CHECKING:  # a browser has no processes
    from multiprocessing.connection import Connection

FEW = 6  # files: starting processes for these few takes longer
SOON = 10  # seconds a process has to clean up
Jobs = dict[str, Callable[[], bytes]]


def write(jobs: Jobs, folder: Path) -> None:
    """Make the files of a folder on all cores, each written atomically, and print their names.

    If one fails, the others are still made.

    Raises:
        ValueError: some couldn't be made, and why. OSError: one can't be written.
    """
    written = _in_turn if len(jobs) <= FEW else _at_once
    faults = [fault for fault in written(jobs, folder) if fault]
    if faults:
        raise ValueError("; ".join(faults))


def _in_turn(jobs: Jobs, folder: Path) -> Iterator[str]:
    """Write each file, and yield why it failed, or ""."""
    for job in jobs.items():
        yield _write(folder, job)


def _at_once(jobs: Jobs, folder: Path) -> Iterator[str]:
    """Do the same in several processes, which end with this one, even if it's killed.

    They share nothing, not even a lock: if one is killed, nobody waits for it.
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
        raise OSError("a process that was making files was killed") from None
    finally:
        for process in running.values():
            process.terminate()
        for process in running.values():
            process.join(SOON)
            process.kill()


def _started(folder: Path) -> tuple["Connection", multiprocessing.Process]:
    """Start a process that writes files and ignores Ctrl-C from the start."""
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
    """Write files while there are any, and someone to ask for them."""
    signal.signal(signal.SIGTERM, _leave)
    sys.unraisablehook = _leave_soon
    with suppress(EOFError, ConnectionError):
        while (job := end.recv()) is not None:
            try:
                told = _write(folder, job)
            except Exception as error:
                told = error
            end.send(told)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it's already leaving


def _leave(*_) -> None:
    """End this process after cleaning up what's half done; a second request has to wait."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(1)


def _leave_soon(unraisable) -> None:
    """Leave a moment later if that was asked where nothing can be raised, in a callback, say."""
    if not isinstance(unraisable.exc_value, SystemExit):
        sys.__unraisablehook__(unraisable)
    elif hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _leave)
        signal.setitimer(signal.ITIMER_REAL, 0.01)


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
    """Print a line; once nobody reads it (think of `| head`), print nothing from then on."""
    try:
        print(*words, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
