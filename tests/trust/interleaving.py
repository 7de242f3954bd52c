"""How two threads meet where it hurts: one stops in its work until the other can go no further."""

import gc
import sys
import threading

import pytest
from ipywidgets.widgets.widget import _instances
from matplotlib.figure import Figure

from posenc_lib.views import style


def held() -> tuple[int, set]:
    """Return how many figures there are, and the open widgets, once nothing is left to free."""
    gc.collect()
    return sum(issubclass(type(thing), Figure) for thing in gc.get_objects()), set(_instances)


def raised(job) -> list[Exception]:
    """Return the error that a job ends with, if it does."""
    try:
        job()
    except Exception as error:
        return [error]
    return []


def together(jobs) -> list[Exception]:
    """Run each job on its own thread, all at once, as a kernel's subshells; return the errors."""
    errors = []

    def run(job):
        errors.extend(raised(job))

    threads = [threading.Thread(target=run, args=(job,), daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads), "they wait for each other"
    return errors


class Watched:
    """The lock, which tells when a thread has to wait for it."""

    def __init__(self, waits: threading.Event):
        self.lock, self.waits = style.LOCK, waits

    def __enter__(self):
        if not self.lock.acquire(blocking=False):
            self.waits.set()
            self.lock.acquire()

    def __exit__(self, *_error):
        self.lock.release()


def meet(first, second, at: tuple) -> list[Exception]:
    """Stop the first at a method until the second is through, or waits; return what was raised."""
    errors, stopped, through = [], threading.current_thread(), threading.Event()
    lock, original = Watched(through), getattr(*at)

    def run():
        errors.extend(raised(second))
        through.set()

    def stopping(*args, **values):
        if threading.current_thread() is stopped and not other.ident:
            other.start()
            through.wait(60)
        return original(*args, **values)

    other = threading.Thread(target=run, daemon=True)
    with pytest.MonkeyPatch.context() as patch:
        for name, module in sorted(sys.modules.items()):
            if name.startswith("posenc_lib") and hasattr(module, "LOCK"):
                patch.setattr(module, "LOCK", lock)
        patch.setattr(*at, stopping)
        errors.extend(raised(first))
        assert other.ident, "they never met"
        other.join(60)
        assert not other.is_alive(), "two threads wait for each other"
    return errors
