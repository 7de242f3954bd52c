"""A model trained under the reader's eyes, beside what the kept table says of its setting."""

import html
import time
from collections.abc import Iterator

import ipywidgets as widgets
from comm import DummyComm

from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.lessons.training.run import Progress, checked, finished, training
from posenc_lib.lessons.training.trained_table import LENGTHS, STEPS, Plan, Run, kept_runs, spread
from posenc_lib.live.page import Beside, Look, OnPage, close_all, message

PAUSE = 0.1  # seconds between two looks at how far it is
FEW, LONG = 5, 10  # steps that tell nothing of the time yet; seconds worth telling
WHOLE = 1.25  # times as long as its steps a run takes, with its tests


class Training(OnPage):
    """A button, a bar and a table; made by `train`.

    `run` has what came out, or None as long as it has not ended.
    """

    # the one that trains; a second one ends it, for they would slow each other down
    _now: "Training | None" = None

    def __init__(self, plan: Plan):
        self.plan, self.run = checked(plan), None
        self._work: Beside | None = None
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
        self._show()
        self._work = Beside(self._train(), self._failed)

    def stop(self) -> None:
        """Stop training; what it had learned is gone."""
        if self._work:
            self._work.stop()

    def wait(self) -> Run | None:
        """Return what came out, as soon as it has ended; None if it was stopped.

        In a browser the page waits, too.
        """
        if self._work:
            self._work.wait()
        return self.run

    def close(self) -> None:
        """Stop, and take the panel off the page."""
        self.stop()
        self.wait()
        close_all(self.box)

    def _trains(self) -> bool:
        return self._work is not None and self._work.goes

    def _pressed(self) -> None:
        (self.stop if self._trains() else self.start)()

    def _train(self) -> Iterator[None]:
        """Train, step by step, until it ends or is stopped."""
        self.button.description, self.button.icon = "Stop", "stop"
        begun, shown = time.monotonic(), 0.0
        try:
            yield
            for news in training(self.plan):
                yield
                now = time.monotonic()
                if isinstance(news, Run):
                    self.run = news
                elif now - shown > PAUSE or news.step == news.steps:
                    shown, self.bar.value = now, news.step
                    self._say(_far(news, now - begun))
            self._say("Trained.")
            self._show()
        except GeneratorExit:
            self._say("Stopped. Press Train to begin again.")
        finally:
            self.button.description, self.button.icon = "Train", "play"

    def _say(self, words: str, *, good: bool = True) -> None:
        self._news.value = message(words, good=good)

    def _failed(self, error: Exception) -> None:
        failure = f"{type(error).__name__}: {error}"
        self._say(f"Training failed: {failure}", good=False)

    def _show(self) -> None:
        lines = html.escape(self.text).replace(". The kept", ".<br>The kept")
        self._told.value = (
            f"Accuracy in the last quarter of texts of 32, 64, 128 and 256 tokens.<br>{lines}"
        )


def _far(news: Progress, taken: float) -> str:
    """Return how far a run is, and if that is long after so many seconds, how long it will take."""
    told = f"step {news.step} of {news.steps}: loss {news.loss:.2f}, accuracy {news.accuracy:.2f}"
    if news.step == news.steps:
        return f"{told}; now it is tested on longer texts"
    left = taken * (WHOLE * news.steps / news.step - 1)
    if news.step < FEW or left < LONG:
        return told
    long = f"{left / 60:.0f} minutes" if left >= 105 else f"{round(left, -1):.0f} s"
    return f"{told}, about {long} left"


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
