"""One training run: a model learns a task on short texts by an encoding, and is tested on longer ones."""

from collections.abc import Generator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.training.positions import D_MODEL, HEADS, LENGTH, WAYS, Entered, positions
from posenc_lib.training.tasks import CHANCES, NONE, SYMBOLS, TASKS
from posenc_lib.training.transformer import HIDDEN, LAYERS, Transformer, drawn

STEPS, BATCH, RATE = 1000, 32, 0.01
WARM_UP = 0.1  # of the steps, in which the rate rises; from there it falls to 0, both in straight lines
BETAS, EPSILON = (0.9, 0.98), 1e-8
LENGTHS = (32, 64, 128, 256)
TESTED = 16_384  # tokens at each length; the last quarter of each text counts
SCALINGS = ("linear", "ntk", "yarn", "llama3")
DROP = "drop"  # what may follow: RoPE is taken away, and the model trained on for a tenth of its steps
MOST_STEPS, MOST_SEED = 100_000, 2**32 - 1
SETTINGS = {
    "layers": LAYERS,
    "heads": HEADS,
    "d_model": D_MODEL,
    "hidden": HIDDEN,
    "symbols": SYMBOLS,
    "chances": list(CHANCES),
    "length": LENGTH,
    "batch": BATCH,
    "rate": RATE,
    "warm_up": WARM_UP,
    "betas": list(BETAS),
    "tested": TESTED,
    "dtype": "float32",
}


class Plan(NamedTuple):
    """What one run is to be; all else is the same for all runs."""

    encoding: str
    task: str
    seed: int = 0
    steps: int = STEPS
    look_back: int = 3
    then: str = ""

    def checked(self) -> "Plan":
        """Return the plan if it can be run.

        Raises:
            TypeError, ValueError: an entry that cannot be, by its name.
        """
        validate.known("encoding", self.encoding, WAYS)
        validate.choice("task", self.task, tuple(TASKS))
        validate.choice("then", self.then, ("", DROP))
        if self.then and self.encoding != "rope":
            raise ValueError(f"encoding must be 'rope' where it is dropped, got {self.encoding!r}")
        seed = validate.integer("seed", self.seed, low=0, high=MOST_SEED)
        steps = validate.integer("steps", self.steps, high=MOST_STEPS)
        look_back = validate.integer("look_back", self.look_back, high=LENGTH * 3 // 4)  # the last quarter is tested
        return self._replace(seed=seed, steps=steps, look_back=look_back)


@dataclass(frozen=True)
class Run:
    """What came out of a plan: accuracy by rope_type, "" where nothing is scaled, and by length; None: no row."""

    plan: Plan
    accuracy: dict[str, dict[int, float | None]]


class Progress(NamedTuple):
    """How far a run is: steps done of all, and loss and accuracy of the last batch."""

    step: int
    steps: int
    loss: float
    accuracy: float


class Adam:
    """Adam, with a rate that rises and falls; weights change in place. No weight decay."""

    def __init__(self, weights: dict[str, np.ndarray], steps: int):
        self.weights, self.steps, self.done = weights, steps, 0
        self.mean = {name: np.zeros_like(w) for name, w in weights.items()}
        self.square = {name: np.zeros_like(w) for name, w in weights.items()}

    def step(self, gradients: dict[str, np.ndarray]) -> None:
        up, down = self.steps * WARM_UP, self.steps * (1 - WARM_UP)
        rate = RATE * min((self.done + 1) / max(up, 1), (self.steps - self.done) / down, 1)
        self.done += 1
        first, second = (1 - beta**self.done for beta in BETAS)
        for name, w in self.weights.items():
            gradient, mean, square = gradients[name], self.mean[name], self.square[name]
            mean += (1 - BETAS[0]) * (gradient - mean)
            square += (1 - BETAS[1]) * (gradient * gradient - square)
            w -= rate / first * mean / (np.sqrt(square / second) + EPSILON)


class Learner:
    """A model in training. Weights, texts and tests depend on the seed alone: encodings differ in nothing else."""

    def __init__(self, plan: Plan, dtype=np.float32):
        self.plan, self.dtype = plan, np.dtype(dtype)
        self.positions = positions(plan.encoding)
        own = self.positions.drawn(np.random.default_rng([plan.seed, 1]))
        weights = drawn(np.random.default_rng([plan.seed, 0])) | own
        self.weights = {name: w.astype(self.dtype) for name, w in weights.items()}
        self.texts = np.random.default_rng([plan.seed, 2])
        self.begin(plan.steps)

    def begin(self, steps: int) -> None:
        """Begin to train for so many steps."""
        self.adam = Adam(self.weights, steps)
        self.fixed = None if self.positions.trains else self.entered(LENGTH)

    def drop(self) -> None:
        """Take the encoding away."""
        self.positions = positions("no_position")

    def entered(self, length: int, rope_type: str = "") -> Entered:
        """Return what enters attention now, in the dtype of the model."""
        entered = self.positions.enter(self.weights, length, rope_type)
        kinds = (self.dtype, np.result_type(self.dtype, np.complex64), self.dtype)
        return Entered(*(x if x is None else x.astype(kind) for x, kind in zip(entered, kinds, strict=True)))

    def gradients(self, tokens: np.ndarray, answers: np.ndarray) -> tuple[float, float, dict[str, np.ndarray]]:
        """Return the loss, the accuracy and the gradients of all weights."""
        model = Transformer(self.weights, tokens, self.fixed or self.entered(LENGTH))
        loss, accuracy, back = model.loss(answers)
        gradients, rows, bias = model.back(back)
        return loss, accuracy, gradients | self.positions.back(self.weights, rows, bias)

    def step(self) -> tuple[float, float]:
        """Train on one batch and return its loss and accuracy."""
        loss, accuracy, gradients = self.gradients(*self.drawn(self.texts, BATCH, LENGTH))
        self.adam.step(gradients)
        return loss, accuracy

    def drawn(self, rng: np.random.Generator, texts: int, length: int):
        return TASKS[self.plan.task](rng, texts, length, self.plan.look_back)[:2]

    def tested(self, length: int, rope_type: str = "") -> float | None:
        """Return the accuracy in the last quarter of texts that are the same for all; None where there is no row."""
        if not self.positions.reaches(length):
            return None
        tokens, answers = self.drawn(np.random.default_rng([length]), TESTED // length, length)
        answers[:, : length * 3 // 4] = NONE
        return Transformer(self.weights, tokens, self.entered(length, rope_type)).loss(answers)[1]


def one_thread():
    """Return a context in which NumPy computes in one thread: several would wait for each other where others work."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:  # an extra
        return nullcontext()
    return threadpool_limits(1)


def training(plan: Plan) -> Generator[Progress, None, Run]:
    """Yield how far a run is, after each step and each test; the generator returns the Run."""
    with one_thread():
        plan = plan.checked()
        learner, then = Learner(plan), plan.steps // 10 if plan.then else 0
        steps = plan.steps + then
        for step in range(steps):
            if step == plan.steps:
                learner.drop()
                learner.begin(then)
            last = learner.step()
            yield Progress(step + 1, steps, *last)
        accuracy: dict = {}
        for rope_type in ("", *(SCALINGS if learner.positions.scales else ())):
            accuracy[rope_type] = {}
            for length in LENGTHS[bool(rope_type) :]:  # within the trained length nothing is scaled
                right = learner.tested(length, rope_type)
                accuracy[rope_type][length] = right if right is None else round(right, 4)
                yield Progress(steps, steps, *last)
        return Run(plan, accuracy)


def finished(plan: Plan) -> Run:
    """Train by a plan to its end."""
    steps = training(plan)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value
