"""Ctrl-C, or a request to end: heard once, and never lost."""

import os
import signal
import threading
from contextlib import contextmanager

SIGNALS = (signal.SIGINT, signal.SIGTERM)
_heard = 0  # the first signal that came; signals belong to the whole process, and so does this


class Stopped(KeyboardInterrupt):
    """A KeyboardInterrupt that leaves the exit status alone.

    Python ends by SIGINT, whatever status is asked for, once a plain one has passed through code that was given as
    text, such as the methods of dataclasses and named tuples that a module makes while it loads.
    """


@contextmanager
def stoppable():
    """Within, the first Ctrl-C or request to end raises KeyboardInterrupt; later ones leave the tidying up alone.

    Python drops an exception that is raised in a callback of its garbage collector, and there the signal may find
    it; so long work asks `stop_if_asked` now and then. Once stopped, nothing interrupts the way out.
    """
    global _heard
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _heard, before = 0, {each: signal.signal(each, _hear) for each in SIGNALS}
    try:
        with as_interrupt():
            yield
        stop_if_asked()
    finally:
        for each, handler in before.items():
            signal.signal(each, signal.SIG_IGN if _heard else handler)


@contextmanager
def as_interrupt():
    """Raise KeyboardInterrupt also where the signal was turned into another error on its way, as code in C may do."""
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException:
        stop_if_asked()
        raise


def stop_if_asked() -> None:
    """Raise KeyboardInterrupt if somebody asked the work to end."""
    if _heard:
        raise Stopped


def status() -> int:
    """Return the exit status of work that was stopped: 128 and the signal's number, as shells have it."""
    return 128 + (_heard or signal.SIGINT)


def leave_at_once() -> None:
    """Let Ctrl-C end the process without a word, as long as modules are loading and nothing has begun."""
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(128 + number))


@contextmanager
def heard_by_parent_alone():
    """Hold Ctrl-C back for a moment, so that processes started meanwhile never hear it; it comes afterwards."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing import resource_tracker  # here: it takes a while to load

    resource_tracker.ensure_running()  # or it starts within, and lets Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _hear(number, frame):
    global _heard
    if not _heard:
        _heard = number
        raise Stopped
