"""How two threads meet where it hurts: one is stopped in the middle of its work until the other has been through."""

import gc
import sys
import threading
from contextlib import contextmanager, nullcontext

import pytest
from ipywidgets.widgets.widget import _instances
from matplotlib.figure import Figure

from posenc_lib.views import style


def held() -> tuple[int, set]:
    """Return how many figures there are, and the widgets that are open, once nothing is left to free."""
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
    """Run each job on a thread of its own, all at once, as a kernel's subshells do; return what they raised."""
    errors = []
    threads = [threading.Thread(target=lambda job=job: errors.extend(raised(job)), daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads), "they wait for each other"
    return errors


@contextmanager
def unlocked():
    """Replace the lock, wherever it is used, by one that keeps nobody out."""
    with pytest.MonkeyPatch.context() as patch:
        for name, module in sorted(sys.modules.items()):
            if name.startswith("posenc_lib") and hasattr(module, "LOCK"):
                patch.setattr(module, "LOCK", nullcontext())
        yield


def meet(first, second, at: tuple, inside: tuple | None = None, patience: float | None = None) -> list[Exception]:
    """Stop the first in the middle, at a method, until the second has been through; return what was raised.

    If `inside` is given, the second stops there in turn until the first is through. Neither waits for ever: what a
    lock keeps out does not come, and by default is not waited for long.
    """
    patience = patience or (20 if isinstance(style.LOCK, nullcontext) else 0.05)
    errors, there, over = [], threading.Event(), threading.Event()

    def run():
        errors.extend(raised(second))
        there.set()

    def stop_first():
        other.start()
        there.wait(patience)

    def stop_second():
        there.set()
        over.wait(patience)

    other = threading.Thread(target=run, daemon=True)
    with pytest.MonkeyPatch.context() as patch:
        stop_at(patch, *at, threading.current_thread(), stop_first)
        if inside:
            stop_at(patch, *inside, other, stop_second)
        errors.extend(raised(first))
        over.set()
        assert other.ident, "they never met"
        other.join(60)
        assert not other.is_alive(), "two threads wait for each other"
    return errors


def stop_at(patch, owner, name: str, thread, stop) -> None:
    """Let a thread do something the first time that it comes to a method or function."""
    original, been = getattr(owner, name), []

    def stopping(*args, **values):
        if threading.current_thread() is thread and not been:
            been.append(True)
            stop()
        return original(*args, **values)

    patch.setattr(owner, name, stopping)
