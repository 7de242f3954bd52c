"""One training run: by an encoding a model learns a task on short texts; longer ones test it."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.lessons.training.positions import POSITIONS, Entered
from posenc_lib.lessons.training.tasks import NONE, TASKS
from posenc_lib.lessons.training.trained_table import DROP, LENGTH, LENGTHS, SCALINGS, Plan, Run
from posenc_lib.lessons.training.transformer import Transformer, drawn
from posenc_lib.scorecard import one_thread

BATCH, RATE = 32, 0.01
# of the steps, in which the rate rises; from there it falls to 0, both in straight lines
WARM_UP = 0.1
BETAS, EPSILON = (0.9, 0.98), 1e-8
TESTED = 16_384  # tokens at each length; the last quarter of each text counts
MOST_STEPS, MOST_SEED = 100_000, 2**32 - 1


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
        """Move each weight against its mean gradient, by the rate, or less where they disagree."""
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
    """A model in training.

    Weights, texts and tests depend on the seed alone: encodings differ in nothing else.
    """

    def __init__(self, plan: Plan, dtype=np.float32):
        self.plan, self.positions = plan, POSITIONS[plan.encoding]
        shared, own, self.texts = (np.random.default_rng([plan.seed, k]) for k in range(3))
        weights = drawn(shared) | self.positions.drawn(own)
        self.weights = {name: w.astype(dtype) for name, w in weights.items()}

    def entered(self, length: int, rope_type: str = "") -> Entered:
        """Return what enters attention now, in the dtype of the model."""
        rows, turn, bias = self.positions.enter(self.weights, length, rope_type)
        real = self.weights["tokens"].dtype
        kinds = (rows, real), (turn, np.result_type(real, np.complex64)), (bias, real)
        return Entered(*(None if x is None else x.astype(kind) for x, kind in kinds))

    def gradients(
        self, tokens: np.ndarray, answers: np.ndarray
    ) -> tuple[float, float, dict[str, np.ndarray]]:
        """Return the loss, the accuracy and the gradients of all weights."""
        model = Transformer(self.weights, tokens, self.entered(LENGTH))
        loss, accuracy, dlogits = model.loss(answers)
        gradients, drows, dbias = model.back(dlogits)
        return loss, accuracy, gradients | self.positions.back(self.weights, drows, dbias)

    def drawn(
        self, rng: np.random.Generator, texts: int, length: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the tokens of random texts of the task, and the answers."""
        return TASKS[self.plan.task](rng, texts, length, self.plan.look_back)[:2]

    def tested(self, length: int, rope_type: str = "") -> float | None:
        """Return the accuracy in the last quarter of texts that are the same for all.

        It is None where there is no row.
        """
        if length > self.positions.longest:
            return None
        tokens, answers = self.drawn(np.random.default_rng([length]), TESTED // length, length)
        answers[:, : length * 3 // 4] = NONE
        model = Transformer(self.weights, tokens, self.entered(length, rope_type))
        _, accuracy, _ = model.loss(answers)
        return round(accuracy, 4)


def checked(plan: Plan) -> Plan:
    """Return the plan if it can be run; an error names the entry that cannot be."""
    validate.known("encoding", plan.encoding, POSITIONS)
    validate.choice("task", plan.task, tuple(TASKS))
    validate.choice("then", plan.then, ("", DROP))
    if plan.then and plan.encoding != "rope":
        raise ValueError(f"encoding must be 'rope' where it is dropped, got {plan.encoding!r}")
    seed = validate.integer("seed", plan.seed, low=0, high=MOST_SEED)
    steps = validate.integer("steps", plan.steps, high=MOST_STEPS)
    # the last quarter is tested
    look_back = validate.integer("look_back", plan.look_back, high=LENGTH * 3 // 4)
    return plan._replace(seed=seed, steps=steps, look_back=look_back)


def training(plan: Plan) -> Iterator[Progress | Run]:
    """Yield how far a run is, after each step and each test, and at last what came out."""
    with one_thread():
        plan = checked(plan)
        learner, more = Learner(plan), plan.steps // 10 if plan.then else 0
        adam, steps = Adam(learner.weights, plan.steps), plan.steps + more
        for step in range(steps):
            if step == plan.steps:  # RoPE is dropped
                learner.positions, adam = POSITIONS["no_position"], Adam(learner.weights, more)
            tokens, answers = learner.drawn(learner.texts, BATCH, LENGTH)
            loss, accuracy, gradients = learner.gradients(tokens, answers)
            adam.step(gradients)
            yield Progress(step + 1, steps, loss, accuracy)
        right: dict[str, dict[int, float | None]] = {}
        rope_types = ("", *SCALINGS) if learner.positions is POSITIONS["rope"] else ("",)
        for rope_type in rope_types:
            right[rope_type] = {}
            # within the trained length nothing is scaled
            for length in LENGTHS[1:] if rope_type else LENGTHS:
                right[rope_type][length] = learner.tested(length, rope_type)
                yield Progress(steps, steps, loss, accuracy)
        yield Run(plan, right)


def finished(plan: Plan) -> Run:
    """Train by a plan to its end."""
    *_, run = training(plan)
    return run
