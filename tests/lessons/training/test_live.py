"""The panel that trains a model: its button, its bar, and what stands beside the kept table."""

import asyncio
import html
import re
import threading
import time

import pytest

import posenc_lib as pe
from posenc_lib.lessons.training import live
from posenc_lib.lessons.training.run import Progress, finished
from posenc_lib.lessons.training.run import training as steps_of
from posenc_lib.lessons.training.trained_table import Plan, spread

from ...trust.interleaving import held


@pytest.fixture(autouse=True)
def _of_its_own():
    """Hide the event loop that a browser of other tests may run in this thread."""
    before = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(before)


@pytest.fixture
def panel():
    made = live.Training(Plan("rope", "look_back", steps=1000))
    yield made
    made.close()


def plain(text) -> str:
    return " ".join(text.split())


def words(widget) -> str:
    return plain(html.unescape(re.sub(r"<[^>]*>", " ", widget.value)))


def until(true):
    """Wait until something is so, a minute at most."""
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_the_button_trains_and_what_came_out_stands_beside_the_kept_table(panel, monkeypatch):
    kept = " ".join(map(str, spread("rope", "look_back").values()))
    assert panel.run is None
    assert panel.text.startswith("Rotary (RoPE) on look_back, seed 0, 1000 steps.\n")
    here, there = map(plain, panel.text.splitlines()[-2:])
    assert here == "rope, here not yet not yet not yet not yet"
    assert there == f"rope, 10 seeds {kept}"
    assert words(panel._told) == plain(panel.text)
    assert panel._repr_mimebundle_()[0]["text/plain"] == repr(panel) == panel.text
    monkeypatch.setattr(live, "training", lambda plan: steps_of(plan._replace(steps=40)))
    panel.button.click()
    run = panel.wait()
    assert run.accuracy == finished(Plan("rope", "look_back", steps=40)).accuracy
    assert words(panel._news) == "Trained."
    right = " ".join(f"{each:.2f}" for each in run.accuracy[""].values())
    assert f"rope, here {right}" in plain(panel.text)
    assert words(panel._told) == plain(panel.text)
    assert (panel.button.description, panel.bar.value) == ("Train", 40)


def test_it_stops_at_once_and_begins_again(panel):
    panel.button.click()
    assert panel.button.description == "Stop"
    until(lambda: panel.bar.value > 1)
    told = r"step \d+ of 1000: loss \d\.\d\d, accuracy \d\.\d\d(, about [1-9]\d* (s|minutes) left)?"
    assert re.fullmatch(told, words(panel._news))
    panel.button.click()
    start = time.monotonic()
    assert panel.wait() is None
    assert time.monotonic() - start < 30
    assert words(panel._news) == "Stopped. Press Train to begin again."
    panel.start()
    panel.start()  # it trains already
    until(lambda: panel.button.description == "Stop")
    panel.stop()
    assert panel.wait() is None


@pytest.fixture
def no_threads(monkeypatch):
    """Be where no thread can be started, as in a browser's Python."""

    def start(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)


def test_without_threads_it_leaves_the_page_its_turns_until_it_is_stopped(panel, no_threads):
    async def page():
        panel.button.click()
        seen = []
        while panel.bar.value < 3 or not words(panel._news):  # the page has its turn
            await asyncio.sleep(0)
            seen.append(panel.bar.value)
        assert panel.button.description == "Stop"
        panel.button.click()
        assert panel.wait() is None
        assert words(panel._news) == "Stopped. Press Train to begin again."
        assert panel.button.description == "Train"
        return seen

    assert len(asyncio.run(page())) > 2


def test_without_threads_a_second_one_ends_the_first_and_who_waits_gets_what_came_out(no_threads):
    first, second = (live.Training(Plan("rope", "look_back", steps=n)) for n in (1000, 2))

    async def page():
        first.start()
        await asyncio.sleep(0)
        second.start()
        while first.button.description == "Stop":
            await asyncio.sleep(0)
        assert words(first._news) == "Stopped. Press Train to begin again."
        assert second._trains()
        assert second.wait() is second.run is not None
        await asyncio.sleep(0)
        assert words(second._news) == "Trained."
        second.start()  # and to its end by itself
        while second._trains():
            await asyncio.sleep(0)
        assert second.run

    asyncio.run(page())
    for panel in (first, second):
        panel.close()


def test_without_threads_and_page_it_trains_at_once(no_threads):
    panel = live.Training(Plan("rope", "look_back", steps=2))
    panel.start()
    assert panel.run
    assert not panel._trains()
    panel.close()


def test_it_says_how_long_it_will_take_where_that_is_long():
    far = {
        (4, 40): "",
        (40, 0.1): "",
        (40, 2): ", about 60 s left",
        (40, 9): ", about 5 minutes left",
    }
    far |= {(999, 60): ", about 20 s left", (1000, 60): "; now it is tested on longer texts"}
    for (step, taken), told in far.items():
        said = live._far(Progress(step, 1000, 2.0, 0.5), taken)
        assert said == f"step {step} of 1000: loss 2.00, accuracy 0.50{told}"


@pytest.mark.parametrize("threads", ["with threads", "without threads"])
def test_an_error_is_a_line_of_text(panel, monkeypatch, request, threads):
    def failing(plan):
        yield Progress(1, 2, 0.5, 0.5)
        raise MemoryError("too <b>much")

    async def page():
        panel.start()
        while panel._trains():
            await asyncio.sleep(0.01)

    monkeypatch.setattr(live, "training", failing)
    if threads == "without threads":
        request.getfixturevalue("no_threads")
    asyncio.run(page())
    assert panel.wait() is None
    told = "Training failed: MemoryError: too &lt;b&gt;much"
    assert panel._news.value == f'<div role="alert">{told}</div>'


def test_closed_it_leaves_no_widget():
    live.Training(Plan("alibi", "look_back")).close()
    before = held()[1]
    panel = live.Training(Plan("t5", "flip_flop"))
    panel.start()
    panel.close()
    assert held()[1] == before


def test_in_a_script_a_line_says_how_it_did(capsys):
    done = pe.train("learned", "induction", seed=3, steps=2)
    assert done.text.startswith("Learned on induction, seed 3, 2 steps.")
    accuracy = f"{done.run.accuracy[''][32]:.2f}"
    out, err = capsys.readouterr()
    assert (out, err) == (f"{done.text}\n", "")
    assert plain(out).endswith(f"learned, here {accuracy} no row no row no row")
    done.close()
