"""What stands in for JupyterLab: a page that sends and keeps messages, threads that drag, a busy cell beside them."""

import ctypes
import gc
import io
import random
import threading
from contextlib import contextmanager, suppress

import ipywidgets as widgets
import matplotlib.image
import numpy as np
import psutil
from comm.base_comm import BaseComm
from ipywidgets.widgets.widget import _instances
from matplotlib.figure import Figure

from posenc_lib.live.page import inside
from posenc_lib.live.settings import steps

KEPT = ("value", "index", "max", "disabled")  # what a page keeps of a slider


class FakeComm(BaseComm):
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


def send(widget, **state) -> None:
    """Send what a reader did to a widget, as its page does: first it shows it, then it tells the kernel."""
    FakeComm.states[widget.model_id].update(state)
    data = {"method": "update", "state": state, "buffer_paths": []}
    widget._handle_msg({"content": {"data": data}, "buffers": []})


def drag(slider, rng: random.Random) -> None:
    """Move a slider to any place on its track."""
    if isinstance(slider, widgets.IntSlider):
        send(slider, value=rng.choice(steps(slider)))
    else:
        send(slider, index=rng.randrange(len(slider.options)))


@contextmanager
def busy_cell():
    """Let a cell run beside the sliders; yield how often it went round. It rests at times, for two cores are few."""

    def work():
        while not over.wait(0.004):
            rounds.append(sum(k * k for k in range(3_000)))

    over, rounds = threading.Event(), []
    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield rounds
    finally:
        over.set()
        thread.join()


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


def shown_by(panel) -> dict:
    """Return all that an explorer shows: picture, words, the line below, values, and where sliders end."""
    visible = {name: slider for name, slider in panel.sliders.items() if slider.layout.display != "none"}
    return {
        "picture": matplotlib.image.imread(io.BytesIO(bytes(panel._picture.value))),
        "words": (panel.text, panel._words.value, panel._news.value),
        "values": {name: value for name, value in panel.values.items() if name in visible or name not in panel.sliders},
        "ends": {name: (steps(slider)[-1], slider.disabled) for name, slider in visible.items()},
    }


def differing(panel, other) -> dict:
    """Return what two explorers do not show alike; of a picture how many pixels, if more than rounding moves."""
    one, two = shown_by(panel), shown_by(other)
    pixels = [one.pop("picture"), two.pop("picture")]
    found = {name: (one[name], two[name]) for name in one if one[name] != two[name]}
    same_size = pixels[0].shape == pixels[1].shape
    apart = (np.abs(pixels[0] - pixels[1]) > 0.05).any(axis=-1).sum() if same_size else "all"
    return found | ({"pixels": apart} if apart == "all" or apart > 5 else {})


def same_on_the_page(panel) -> bool:
    """Return whether the page shows what the kernel believes it shows."""
    states = FakeComm.states
    pairs = [(states[widget.model_id]["value"], widget.value) for widget in (panel._picture, panel._words)]
    for slider in panel.sliders.values():
        shown = states[slider.model_id]
        pairs += [(shown[key], getattr(slider, key)) for key in KEPT if key in shown]
    return all(shown == believed for shown, believed in pairs)


def positions(panel) -> dict:
    return {name: slider.value for name, slider in panel.sliders.items()}


def held() -> tuple[float, int, set]:
    """Return MB of memory, how many figures there are, and the widgets that are open, once nothing is left to free."""
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)  # what was freed goes back to the system and is not counted
    memory = psutil.Process().memory_info().rss / 1e6
    figures = sum(issubclass(type(thing), Figure) for thing in gc.get_objects())
    return memory, figures, set(_instances)


def close_wholly(panel) -> None:
    """Close a panel; nobody may listen to its widgets then."""
    parts = inside(panel.box)
    panel.close()
    assert [part for part in parts if part._trait_notifiers or part.comm] == []
