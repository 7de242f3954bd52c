"""How two threads meet where it hurts: one is stopped in the middle of its work until the other has been through."""

import random
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import matplotlib as mpl
import pytest

from posenc_lib import explore
from posenc_lib.views import Panel
from tests.trust import drags

PATIENT, HASTY = 20, 0.05  # seconds to wait for a thread that can come, and for one that the lock holds back


class Open:
    """A lock that keeps nobody out."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


@contextmanager
def door(*, locked: bool):
    """Unless it is to be locked, replace the lock by none, wherever it is used."""
    with pytest.MonkeyPatch.context() as patch:
        users = [module for name, module in sys.modules.items() if name.startswith("posenc_lib") and module]
        for module in users if not locked else ():
            if hasattr(module, "LOCK"):
                patch.setattr(module, "LOCK", Open())
        yield PATIENT if not locked else HASTY


def meet(first, second, at: tuple, inside: tuple | None = None, patience: float = HASTY) -> list:
    """Stop the first in the middle, at a method, until the second has been through; return what was raised.

    If `inside` is given, the second stops there in turn until the first is through. Neither waits for ever: what a
    lock keeps out does not come.
    """
    errors, there, over = [], threading.Event(), threading.Event()

    def run():
        try:
            second()
        except Exception as error:
            errors.append(error)
        finally:
            there.set()

    other = threading.Thread(target=run, daemon=True)

    def stop_first():
        other.start()
        there.wait(patience)

    def stop_second():
        there.set()
        over.wait(patience)

    with pytest.MonkeyPatch.context() as patch:
        stop_at(patch, *at, threading.current_thread(), stop_first)
        if inside:
            stop_at(patch, *inside, other, stop_second)
        try:
            first()
        except Exception as error:
            errors.append(error)
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


def storm(seed: int) -> list[str]:
    """Let six threads drag, set, reset, save, make and close explorers at once; return what then is wrong."""
    rng, before = random.Random(seed), dict(mpl.rcParams)
    table, bias = (("sinusoidal", "dot_product"), ("t5", "bucket_by_offset"))
    one, other = (explore(name, views=views) for name, views in (table, bias))
    with tempfile.TemporaryDirectory() as folder:
        jobs = [partial(drag_some, one, names, random.Random(rng.random())) for names in (["base"], ["seq_len"])]
        jobs += [partial(drag_some, other, list(other.sliders), rng), partial(set_and_save, one, Path(folder))]
        errors = drags.Hands(6).together([*jobs, partial(come_and_go, *table), partial(come_and_go, *bias)])
    wrong = [repr(error) for error in errors]
    for panel, (name, views) in ((one, table), (other, bias)):
        fresh = explore(name, views=views, start=drags.positions(panel))
        wrong += [f"{name} is not true"] * (drags.seen(fresh) != drags.seen(panel))
        fresh.close()
        panel.close()
    wrong += ["the style is another"] * (dict(mpl.rcParams) != before)
    mpl.rcParams.update(before)
    return wrong


def drag_some(panel, names: list[str], rng: random.Random) -> None:
    for _ in range(8):
        drags.drag(panel.sliders[rng.choice(names)], rng)


def set_and_save(panel, folder: Path) -> None:
    for query in (1, 0, 1):
        panel.set(query=query)
        assert panel.save(folder / "a.png").read_bytes()[-8:-4] == b"IEND"
        panel.reset()


def come_and_go(name: str, views: str) -> None:
    for length in (9, 17):
        panel = explore(name, views=views)
        drags.send(panel.sliders["seq_len"], value=length)
        panel.close()


def storms(times: int) -> int:
    """Return how many storms leave something wrong, if threads change in the middle of every move."""
    move = Panel.update

    def slowly(panel, *args):
        time.sleep(0.002)
        return move(panel, *args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Panel, "update", slowly)
        return sum(bool(storm(seed)) for seed in range(times))


if __name__ == "__main__":
    drags.open_page()
    with door(locked=sys.argv[1] == "locked"):
        print(storms(int(sys.argv[2])))
