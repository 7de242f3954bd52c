"""A panel that trains a model while you watch, next to the runs the library keeps."""

import html
import time
from collections.abc import Iterator

import ipywidgets as widgets
from comm import DummyComm

from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.exact_head import ANYWHERE, exact_head, reads_positions
from posenc_lib.lessons.training.models import MODELS, Model, model_of
from posenc_lib.lessons.training.positions import USUAL, Fixed
from posenc_lib.lessons.training.run import Progress, checked, finished, training
from posenc_lib.lessons.training.trained_table import (
    LENGTH,
    LENGTHS,
    STEPS,
    Plan,
    Run,
    kept_runs,
    line_of,
    spread,
)
from posenc_lib.live.page import Beside, Look, OnPage, close_all, message

PAUSE = 0.1  # seconds between two reports of progress
FEW, LONG = 5, 10  # steps that say nothing about the time yet; seconds worth mentioning
WHOLE = 1.25  # a run takes so many times as long as its steps, with its tests


class Training(OnPage):
    """A button, a bar and a table; made by `train`.

    `run` has what came out, or None while nothing has.
    """

    # the one in training; starting a second one ends it, since they'd slow each other down
    _now: "Training | None" = None

    def __init__(self, plan: Plan):
        self.plan, self.run = checked(plan), None
        self._work: Beside | None = None
        encoding = self.plan.encoding
        named = isinstance(encoding, str)
        self.name = encoding if named else encoding.name
        title = getattr(ENCODINGS.get(encoding) if named else encoding, "title", self.name)
        title = title.removesuffix(", untrained")  # it's what is trained here
        self.title = f"{title} on {plan.task}, seed {plan.seed}, {plan.steps} steps"
        self.forecast = _forecast(model_of(self.plan.encoding), self.plan)
        self._kept = _kept_rows(self.plan)
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
        """Return in words what is shown: the forecast, what came out, and the kept rows."""
        return "\n".join([*self._above(), *(line_of(*row) for row in self._rows())])

    def _above(self) -> list[str]:
        """Return the lines above the table."""
        asked = "Right answers in the last quarter of a text, by its length:"
        return [line for line in (f"{self.title}.", self.forecast, asked) if line]

    def _rows(self) -> list[tuple[str, dict]]:
        """Return the table's rows: tokens, what came out here, and what is kept."""
        here: dict = dict.fromkeys(LENGTHS, "not yet")
        if self.run:
            here = {n: _cell(right) for n, right in self.run.accuracy[""].items()}
        rows = [("", dict(zip(LENGTHS, LENGTHS, strict=True))), (f"{self.name}, here", here)]
        for name, by_length in self._kept.items():
            seeds = by_length[LENGTH].seeds
            rows.append((f"{name}, {seeds} seeds", {n: _cell(r) for n, r in by_length.items()}))
        return rows

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
        lines = []
        for name, cells in self._rows():
            tag = "td" if name else "th"
            inside = "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells.values())
            lines.append(f'<tr><th scope="row">{html.escape(name)}</th>{inside}</tr>')
        above = "<br>".join(map(html.escape, self._above()))
        self._told.value = f'{above}<table class="posenc-runs">{"".join(lines)}</table>'


def _far(news: Progress, taken: float) -> str:
    """Return how far a run is after that many seconds, and how long it will take if that's long."""
    told = f"step {news.step} of {news.steps}: loss {news.loss:.2f}, accuracy {news.accuracy:.2f}"
    if news.step == news.steps:
        return f"{told}; now it is tested on longer texts"
    left = taken * (WHOLE * news.steps / news.step - 1)
    if news.step < FEW or left < LONG:
        return told
    long = f"{left / 60:.0f} minutes" if left >= 105 else f"{round(left, -1):.0f} s"
    return f"{told}, about {long} left"


def _cell(right) -> str:
    """Return accuracy as a cell: one run's, or the spread of several."""
    if right is None:
        return "no row"
    return f"{right:.2f}" if isinstance(right, float) else str(right)


def _kept_rows(plan: Plan) -> dict:
    """Return the kept rows to show next to a run: the same model's, or those of its kind."""
    names = [plan.encoding]
    if not isinstance(plan.encoding, str):
        kinds = plan.encoding.kind, ""
        names = [name for name, each in MODELS.items() if _is_plain(each, kinds)]
    usual = plan._replace(seed=0)
    names = [name for name in names if usual._replace(encoding=name) in kept_runs()]
    return {name: spread(name, plan.task, steps=plan.steps) for name in names}


def _is_plain(model: Model, kinds: tuple[str, ...]) -> bool:
    """Return whether a model has the usual size, and one of these kinds in both layers."""
    first, second = model.layers
    return model.size == USUAL and first is second and first.kind in kinds


def _forecast(model: Model, plan: Plan) -> str:
    """Return in words what the best head does that this encoding allows, without training."""
    first, second = model.layers
    if first is not second or not isinstance(first, Fixed) or not reads_positions(first.encoding):
        return ""
    encoding = first.sized(LENGTH, model.size)
    lengths = [n for n in LENGTHS if n <= first.longest]
    if plan.task == "look_back":
        try:
            heads = [
                exact_head(one, look_back=plan.look_back, seq_len=LENGTH)
                for one in first.each_head(encoding)
            ]
        except ValueError:
            return ""  # a hard window, for example
        head = max(heads, key=lambda head: head.mass(LENGTH))
        shares = ", ".join(f"{head.mass(n):.2f} at {n}" for n in lengths)
        return f"Forecast: the best single head gives the token {plan.look_back} back {shares}."
    if plan.task == "recall" and encoding.kind == "rotary":
        head = exact_head(encoding, look_back=ANYWHERE, seq_len=LENGTH)
        lowest = head.score(lengths[-1]).min()
        return (
            "Forecast: the best head for ignoring distance, which should score 1 everywhere, "
            f"scores {lowest:.2f} or more within {lengths[-1]} tokens."
        )
    return ""


def train(
    encoding: object = "rope",
    task: str = "flip_flop",
    *,
    seed: int = 0,
    steps: int = STEPS,
    look_back: int = 3,
) -> Training:
    """Return a panel that trains a tiny transformer with an encoding, your own included.

    The model has two layers, learns a task from texts of 32 tokens, and is tested on the last
    quarter of longer ones. In a notebook, a button starts and stops it. A script trains at once and
    prints the table.

    >>> import posenc_lib as pe
    >>> class Fast(pe.Rotary):
    ...     frequencies = property(lambda self: np.array([1, 0.7, 0.5, 0.3, 0, 0, 0, 0]))
    >>> done = pe.train(Fast, "look_back", steps=1)  # doctest: +ELLIPSIS
    Fast on look_back, seed 0, 1 steps.
    Forecast: the best single head gives the token 3 back 0.98 at 32, 0.94 at 64, 0.49 at 128, ...
    ...

    Args:
        encoding: a name in lesson 13's table, such as "rope", "alibi", "t5", "p_rope", "rope_64" or
            "window_then_rope", which `MODELS` in lessons/training/models.py explains. Or any
            encoding whose numbers are fixed: an `Additive`, `Rotary` or `Bias`, as a class or an
            object, a function f(positions, d_model), or a table. It's used in both layers, with 32
            dims for each token and two heads of 16. If a Rotary has fewer than 8 frequencies, the
            other pairs don't rotate.
        task: "look_back" (the symbol so many tokens back), "flip_flop" (the last symbol written),
            "induction" (what followed this symbol last time), "recall" (the first symbol), or
            "two_kinds" (the token before or the one look_back tokens before, by kind of symbol).
        seed: of weights and texts, at least 0. Models with the same seed differ only in encoding.
        steps: how many batches of 32 texts to learn from, at least 1.
        look_back: how far back, for the tasks look_back and two_kinds: 1 to 24.

    Returns: a `Training`. .run has what came out; .start(), .stop() and .wait() do what the button
        does.
    Raises: TypeError or ValueError if the encoding can't be trained, for example because its
        numbers are random or there are three heads.
    """
    panel = Training(Plan(encoding, task, seed, steps, look_back))
    if isinstance(panel.box.comm, DummyComm):  # nobody can press a button
        panel.run = finished(panel.plan)
        print(panel.text)
    return panel
