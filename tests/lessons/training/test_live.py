"""The panel that trains a model: its button, its bar, and what stands beside the kept table."""

import re
import time

import pytest

import posenc_lib as pe
from posenc_lib.lessons.training import live
from posenc_lib.lessons.training.run import Progress, finished
from posenc_lib.lessons.training.run import training as steps_of
from posenc_lib.lessons.training.trained_table import Plan, spread

from ...trust.interleaving import held


@pytest.fixture
def panel():
    made = live.Training(Plan("rope", "look_back", steps=1000))
    yield made
    made.close()


def words(html) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html.value).split())


def until(true):
    """Wait until something is so, a minute at most."""
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_the_button_trains_and_what_came_out_stands_beside_the_kept_table(panel, monkeypatch):
    kept = {n: str(each) for n, each in spread("rope", "look_back").items()}
    assert panel.run is None
    assert "seed 0, 1000 steps: not trained yet. The kept table has 10 seeds: " in panel.text
    assert panel.text.endswith(", ".join(f"{n}: {each}" for n, each in kept.items()) + ".")
    assert words(panel._told).endswith(panel.text)
    assert panel._repr_mimebundle_()[0]["text/plain"] == repr(panel) == panel.text
    monkeypatch.setattr(live, "training", lambda plan: steps_of(plan._replace(steps=40)))
    panel.button.click()
    run = panel.wait()
    assert run.accuracy == finished(Plan("rope", "look_back", steps=40)).accuracy
    assert words(panel._news) == "Trained."
    assert f"{panel.title}: 32: {run.accuracy[''][32]:.2f}, 64: " in panel.text
    assert words(panel._told).endswith(panel.text)
    assert (panel.button.description, panel.bar.value) == ("Train", 40)


def test_it_stops_at_once_and_begins_again(panel):
    panel.button.click()
    assert panel.button.description == "Stop"
    until(lambda: panel.bar.value > 1)
    assert re.match(r"step \d+ of 1000: loss \d\.\d\d, accuracy \d\.\d\d$", words(panel._news))
    panel.button.click()
    start = time.monotonic()
    assert panel.wait() is None
    assert time.monotonic() - start < 30
    assert words(panel._news) == "Stopped. Train begins again."
    panel.start()
    panel.start()  # it trains already
    until(lambda: panel.button.description == "Stop")
    panel.stop()
    assert panel.wait() is None


def test_an_error_is_a_line_of_text(panel, monkeypatch):
    def failing(plan):
        yield Progress(1, 2, 0.5, 0.5)
        raise MemoryError("too <b>much")

    monkeypatch.setattr(live, "training", failing)
    panel.start()
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
    accuracy = f"{done.run.accuracy[''][32]:.2f}"
    line = f"{done.title}: 32: {accuracy}, 64: no row, 128: no row, 256: no row.\n"
    assert capsys.readouterr() == (line, "")
    done.close()
