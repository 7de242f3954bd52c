"""A model trained under the reader's eyes, beside what the kept table says of its setting."""

import html
import threading
import time

import ipywidgets as widgets
from comm import DummyComm

from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.lessons.training.run import checked, finished, training
from posenc_lib.lessons.training.trained_table import LENGTHS, STEPS, Plan, Run, kept_runs, spread
from posenc_lib.live.page import Look, OnPage, close_all, message

PAUSE = 0.1  # seconds between two looks at how far it is


class Training(OnPage):
    """A button, a bar and a table; made by `train`.

    `run` has what came out, or None as long as it has not ended.
    """

    # the one that trains; a second one ends it, for they would slow each other down
    _now: "Training | None" = None

    def __init__(self, plan: Plan):
        self.plan, self.run, self._stop = checked(plan), None, threading.Event()
        self._thread: threading.Thread | None = None
        title = ENCODINGS[plan.encoding].title if plan.encoding in ENCODINGS else plan.encoding
        self.title = f"{title} on {plan.task}, seed {plan.seed}, {plan.steps} steps"
        kept = self.plan._replace(seed=0) in kept_runs()
        self._kept = spread(plan.encoding, plan.task, steps=plan.steps) if kept else {}
        self.button = self._button(
            "Train", self._pressed, icon="play", tooltip="train a model here, now"
        )
        self.bar = widgets.IntProgress(max=plan.steps, layout=widgets.Layout(width="260px"))
        self._news, self._told = widgets.HTML(), widgets.HTML()
        self.box = widgets.VBox([widgets.HBox([self.button, self.bar]), self._news, self._told])
        Look().dress(self.box)
        self._show()

    @property
    def text(self) -> str:
        """Return in words what is shown: what came out, beside what the table has."""
        told = f"{self.title}: {_line(self.run.accuracy['']) if self.run else 'not trained yet.'}"
        if self._kept:
            told += f" The kept table has {self._kept[LENGTHS[0]].seeds} seeds: {_line(self._kept)}"
        return told

    def stored(self, words: str) -> tuple[dict, dict]:
        """Return what a notebook without a kernel shows."""
        return {"text/plain": words}, {}

    def start(self) -> None:
        """Begin to train, beside whatever else the kernel does; what trains already is stopped."""
        if self._trains():
            return
        if Training._now:
            Training._now.stop()
        Training._now, self.run = self, None
        self._stop.clear()
        self._show()
        self.button.description, self.button.icon = "Stop", "stop"
        # a kernel that ends does not wait for it
        self._thread = threading.Thread(target=self._train, daemon=True)
        try:
            self._thread.start()
        except RuntimeError:
            # a browser's Python has no threads: the page waits, and nobody can stop it
            self._thread = None
            self._train()

    def stop(self) -> None:
        """Stop training; what it had learned is gone."""
        self._stop.set()

    def wait(self) -> Run | None:
        """Return what came out, as soon as it has ended; None if it was stopped."""
        if self._thread:
            self._thread.join()
        return self.run

    def close(self) -> None:
        """Stop, and take the panel off the page."""
        self.stop()
        self.wait()
        close_all(self.box)

    def _trains(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _pressed(self) -> None:
        (self.stop if self._trains() else self.start)()

    def _train(self) -> None:
        """Train, step by step, until it ends or is stopped; an error is a line of text."""
        shown, told = 0.0, "Trained."
        try:
            for news in training(self.plan):
                if self._stop.is_set():
                    told = "Stopped. Train begins again."
                    break
                if isinstance(news, Run):
                    self.run = news
                elif time.monotonic() - shown > PAUSE or news.step == news.steps:
                    shown, self.bar.value = time.monotonic(), news.step
                    loss = f"loss {news.loss:.2f}, accuracy {news.accuracy:.2f}"
                    now = f"step {news.step} of {news.steps}: {loss}"
                    self._news.value = message(now, good=True)
            self._news.value = message(told, good=True)
            self._show()
        except Exception as error:  # on a thread nobody would hear of it
            self._failed(error)
        finally:
            self.button.description, self.button.icon = "Train", "play"

    def _failed(self, error: Exception) -> None:
        failure = f"{type(error).__name__}: {error}"
        self._news.value = message(f"Training failed: {failure}", good=False)

    def _show(self) -> None:
        lines = html.escape(self.text).replace(". The kept", ".<br>The kept")
        self._told.value = (
            f"Accuracy in the last quarter of texts of 32, 64, 128 and 256 tokens.<br>{lines}"
        )


def _line(by_length: dict) -> str:
    """Return accuracies by length, one run's or the spread of several."""
    cells = []
    for length, right in by_length.items():
        cell = "no row" if right is None else right
        cells.append(f"{length}: {cell:.2f}" if isinstance(cell, float) else f"{length}: {cell}")
    return ", ".join(cells) + "."


def train(
    encoding: str = "rope",
    task: str = "flip_flop",
    *,
    seed: int = 0,
    steps: int = STEPS,
    look_back: int = 3,
) -> Training:
    """Return a panel that trains a tiny transformer by one encoding at one task.

    It has two layers of two heads, learns from texts of 32 tokens and is tested on the last quarter
    of longer ones. In a notebook a button begins, and stops; in a script it is trained at once, and
    a line says how it did.

    >>> done = train("rope", "look_back", steps=1)  # doctest: +ELLIPSIS
    Rotary (RoPE) on look_back, seed 0, 1 steps: 32: 0..., 64: 0..., 128: 0..., 256: 0....

    Args:
        encoding: "no_position", "sinusoidal", "learned", "rope", "alibi", "t5" or "kerple";
            "t5_near" is T5 whose last bucket begins at 31 tokens, "alibi_steep" and "alibi_mixed"
            ALiBi with slopes 1/2 and 1/4, or 1/2 and 1/256, for its own 1/16 and 1/256;
            "kerple_fixed" KERPLE whose a and p stay 1; "rope_100" and "rope_10" RoPE with these
            bases, "p_rope" the latter with the five fastest of its eight pairs, while three stand
            still.
        task: "flip_flop" (the symbol that was written last), "look_back" (the one that stands so
            many tokens before), "induction" (what followed this symbol the last time) or "recall"
            (the symbol that was written first).
        seed: of weights and texts, at least 0; the same for all encodings.
        steps: of training, at least 1.
        look_back: how far, for the task of this name: 1 to 24.

    Returns: a `Training`; .run has what came out, .start(), .stop() and .wait() do what the button
        does.
    """
    panel = Training(Plan(encoding, task, seed, steps, look_back))
    if isinstance(panel.box.comm, DummyComm):  # nobody can press a button
        panel.run = finished(panel.plan)
        print(f"{panel.title}: {_line(panel.run.accuracy[''])}")
    return panel
