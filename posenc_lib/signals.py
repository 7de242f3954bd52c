"""Ctrl-C, or a request to end: heard once, and never lost."""

import signal
import sys
import threading
from contextlib import contextmanager

SIGNALS = (signal.SIGINT, signal.SIGTERM)
_heard = []  # all that came, the first one counts; signals belong to the whole process, and so does this
_whole = threading.Lock()  # held while what has begun must not be interrupted


class Stopped(KeyboardInterrupt):
    """A stop; after a plain KeyboardInterrupt that has passed through `exec`, Python ends by SIGINT, whatever came."""


@contextmanager
def stoppable():
    """Within, the first stop raises Stopped, also where code in C made another error of it; later ones are ignored.

    Python drops what is raised in a callback of its garbage collector, so long work asks `stop_if_asked` now and then,
    and what Python would say of a stop that it has dropped stays unsaid.
    """
    heard_here = SIGNALS if threading.current_thread() is threading.main_thread() else ()
    before = {number: signal.signal(number, _hear) for number in heard_here}
    if before and _hear not in before.values():  # or this stands within another one
        _heard.clear()
    say_dropped = sys.unraisablehook
    sys.unraisablehook = lambda dropped: issubclass(dropped.exc_type, Stopped) or say_dropped(dropped)
    try:
        yield
    finally:
        sys.unraisablehook = say_dropped
        for number, handler in before.items():
            signal.signal(number, signal.SIG_IGN if _heard else handler)
        if not isinstance(sys.exception(), KeyboardInterrupt):
            stop_if_asked()


@contextmanager
def starting_processes():
    """Within, a stop waits until `stop_if_asked`, and the processes that are started never hear Ctrl-C."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing import resource_tracker  # a browser's Python has none, and needs none

    resource_tracker.ensure_running()  # or it starts within, and lets Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # they inherit it; here other threads still hear
    try:
        with _whole:
            yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def stop_if_asked() -> None:
    """Raise Stopped if somebody asked the work to end."""
    if _heard:
        raise Stopped


def status() -> int:
    """Return the exit status of work that was stopped: 128 and the signal's number, as shells have it."""
    return 128 + next(iter(_heard), signal.SIGINT)


def _hear(number, frame):
    _heard.append(number)
    if len(_heard) == 1 and not _whole.locked():
        raise Stopped
