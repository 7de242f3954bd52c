"""How a reader drags: a page that sends and keeps messages, a busy cell beside it, and stops where all must agree."""

import ctypes
import gc
import random
import resource
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import comm
import ipywidgets as widgets
import numpy as np
from comm.base_comm import BaseComm
from ipywidgets.widgets.widget import _instances
from matplotlib.figure import Figure
from posenc_lib.live.stage import Stage

from posenc_lib.live import explorer
from posenc_lib.live.explorer import inside
from posenc_lib.live.play import steps

KEPT = ("value", "index", "max", "disabled")  # what a page keeps of a slider


class Page(BaseComm):
    """The other end of every widget: what a browser has been told so far."""

    states: dict[str, dict] = {}  # noqa: RUF012  (one page for all comms)

    def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **keys):
        """Keep what is sent, as the page does."""
        if msg_type == "comm_close":
            self.states.pop(self.comm_id, None)
            return
        state = self.states.setdefault(self.comm_id, {})
        state.update(data.get("state", {}))
        state.update({path[0]: bytes(part) for path, part in zip(data["buffer_paths"], buffers or [], strict=True)})


class Counted(Stage):
    """A stage that counts its frames; a coarser picture is drawn sooner."""

    frames, sharp = 0, 0.75

    def __init__(self, panel):
        super().__init__(panel, Counted.sharp)

    def frame(self) -> bytes:
        """Draw, and count it."""
        Counted.frames += 1
        return super().frame()


def open_page() -> None:
    """From now on widgets speak with a page, frames are counted, and an error in a callback is raised."""
    comm.create_comm = Page
    explorer.Stage = Counted
    explorer.Explorer.raise_errors = True


def send(widget, **state) -> None:
    """Send what a reader did to a widget, as its page does: first it shows it, then it tells the kernel."""
    Page.states[widget.model_id].update(state)
    data = {"method": "update", "state": state, "buffer_paths": []}
    widget._handle_msg({"content": {"data": data}, "buffers": []})


def drag(slider, rng: random.Random) -> None:
    """Move a slider to any place on its track."""
    if isinstance(slider, widgets.IntSlider):
        send(slider, value=rng.randrange(slider.min, slider.max + 1, slider.step))
    else:
        send(slider, index=rng.randrange(len(slider.options)))


def any_place(slider, rng: random.Random):
    """Return any value of a slider, more often a low one: values that depend on others then fit more often."""
    values = steps(slider)
    return values[int(len(values) * rng.random() * rng.random())]


class BusyCell:
    """A cell that runs beside the sliders: Python on one thread, NumPy on another.

    Gentle, it rests between short pieces of work (two cores are few); otherwise it never does.
    """

    def __init__(self):
        self.gentle, self.going = True, True
        self.rounds = {"python": 0, "numpy": 0}
        self._threads = [threading.Thread(target=self._work, args=each) for each in self.rounds.items()]

    def _work(self, kind: str, _) -> None:
        matrix = np.eye(100) / 2 + 0.01
        while self.going:
            total = sum(k * k for k in range(3_000)) if kind == "python" else (matrix @ matrix).sum()
            self.rounds[kind] += int(total > 0)
            if self.gentle:
                time.sleep(0.004)

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error):
        self.going = False
        for thread in self._threads:
            thread.join()


@contextmanager
def without_rest(cell: BusyCell, wanted: bool):
    """Let the cell take all it can get, if that is wanted."""
    cell.gentle = not wanted
    try:
        yield
    finally:
        cell.gentle = True


class Hands:
    """Threads that stay, as a kernel's subshells do."""

    def __init__(self, count: int):
        self._pool = ThreadPoolExecutor(count)

    def together(self, jobs) -> list[Exception]:
        """Run each job on a thread of its own, all at once; return what they raised."""
        started = [self._pool.submit(job) for job in jobs]
        errors = [job.exception(timeout=60) for job in started]  # two that wait for each other end here
        return [error for error in errors if error]


def seen(panel) -> tuple:
    """Return all that an explorer shows: picture, words, the line below, values, and where sliders end."""
    ends = {name: (steps(slider)[-1], slider.disabled) for name, slider in panel.sliders.items()}
    return bytes(panel._picture.value), panel.text, panel._words.value, panel._news.value, panel.values, ends


def same_on_the_page(panel) -> None:
    """The page must show what the kernel believes it shows."""
    assert Page.states[panel._picture.model_id]["value"] == bytes(panel._picture.value)
    assert Page.states[panel._words.model_id]["value"] == panel._words.value
    for name, slider in panel.sliders.items():
        shown = Page.states[slider.model_id]
        kept = {key: getattr(slider, key) for key in KEPT if key in shown}
        assert kept == {key: shown[key] for key in kept}, name


def positions(panel) -> dict:
    """Return where every slider stands."""
    return {name: slider.value for name, slider in panel.sliders.items()}


def held() -> tuple[float, int, set]:
    """Return MB of memory, how many figures there are, and the widgets that are open, once nothing is left to free."""
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)  # what was freed goes back to the system and is not counted
    with open("/proc/self/statm") as sizes:
        memory = int(sizes.read().split()[1]) * resource.getpagesize() / 1e6
    figures = sum(issubclass(type(thing), Figure) for thing in gc.get_objects())
    return memory, figures, set(_instances)


def close_wholly(panel) -> None:
    """Close a panel; nobody may listen to its widgets then."""
    parts = inside(panel.box)
    panel.close()
    assert [part for part in parts if part._trait_notifiers or part.comm] == []
