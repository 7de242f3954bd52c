"""One training run: a model learns a task from short texts, and is tested on longer ones."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Additive, Bias, Encoding, Rotary
from posenc_lib.encodings.catalog import NAMED
from posenc_lib.encodings.own import opened
from posenc_lib.lessons.training.models import MODELS, THEN, model_of
from posenc_lib.lessons.training.positions import USUAL, Entered, Fixed
from posenc_lib.lessons.training.tasks import NONE, SYMBOLS, TASKS
from posenc_lib.lessons.training.trained_table import (
    DROP,
    LENGTH,
    LENGTHS,
    LONG,
    LONG_STEPS,
    SNAPSHOTS,
    Plan,
    Run,
)
from posenc_lib.lessons.training.transformer import Transformer, drawn, rms_norm, shapes
from posenc_lib.scorecard import one_thread

BATCH, LONG_BATCH, RATE = 32, 8, 0.01  # texts at once, of 32 tokens or of 128
# of the steps, in which the rate rises; from there it falls to 0, both in straight lines
WARM_UP = 0.1
BETAS, EPSILON = (0.9, 0.98), 1e-8
TESTED = 16_384  # tokens at each length; the last quarter of each text counts
TESTED_AT_ONCE = 4096  # to save memory
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

    Models of the same size and seed start with the same weights and read the same texts.
    """

    def __init__(self, plan: Plan, dtype=np.float32):
        self.plan = plan
        self.layers, self.size, self.scalings = model_of(plan.encoding)
        self.length, self.batch = LENGTH, BATCH
        shared, own, self.texts = (np.random.default_rng([plan.seed, k]) for k in range(3))
        # trained positions are those of the first layer, and the second has the same
        weights = drawn(shared, self.size) | self.layers[0].drawn(own, self.size)
        self.weights = {name: w.astype(dtype) for name, w in weights.items()}
        self.adam = Adam(self.weights, plan.steps)

    @property
    def longest(self) -> float:
        """The longest text its positions can encode."""
        return min(positions.longest for positions in self.layers)

    def numbers(self) -> dict[str, np.ndarray]:
        """Return its positions' trained numbers as they are now, by name.

        With vectors for queries, they include the first layer's query of each symbol and head.
        """
        own = self.weights.keys() - shapes(self.size)
        numbers = {name: self.weights[name] for name in own}
        if "vectors" in own:
            h = rms_norm(self.weights["tokens"][:SYMBOLS])[0]
            qkv = (h @ self.weights["qkv0"]).reshape(SYMBOLS, 3, self.size.heads, -1)
            numbers["queries"] = qkv[:, 0].swapaxes(0, 1)
        return {name: array.astype(np.float16) for name, array in numbers.items()}

    def go_on(self) -> None:
        """Change the positions, and perhaps the texts, to what follows training."""
        self.layers, self.scalings = (THEN[self.plan.then],) * len(self.layers), ()
        if self.plan.then != DROP:
            self.length, self.batch = LONG, LONG_BATCH
        self.adam = Adam(self.weights, more_steps(self.plan))

    def step(self) -> tuple[float, float]:
        """Learn from a batch of texts; return its loss and accuracy."""
        tokens, answers = self.drawn(self.texts, self.batch, self.length)
        loss, accuracy, gradients = self.gradients(tokens, answers)
        self.adam.step(gradients)
        return loss, accuracy

    def entered(self, length: int, rope_type: str = "") -> tuple[Entered, ...]:
        """Return what enters each layer now, in the model's dtype."""
        real = self.weights["tokens"].dtype
        kinds = real, np.result_type(real, np.complex64), real, real
        made = []
        for positions in self.layers:
            entered = positions.enter(self.weights, length, self.size, rope_type)
            parts = zip(entered, kinds, strict=True)
            made.append(Entered(*(None if x is None else x.astype(kind) for x, kind in parts)))
        return tuple(made)

    def gradients(
        self, tokens: np.ndarray, answers: np.ndarray
    ) -> tuple[float, float, dict[str, np.ndarray]]:
        """Return the loss, the accuracy and the gradients of all weights."""
        model = Transformer(self.weights, tokens, self.entered(tokens.shape[1]), self.size)
        loss, accuracy, dlogits = model.loss(answers)
        gradients, d = model.back(dlogits)
        return loss, accuracy, gradients | self.layers[0].back(self.weights, d)

    def drawn(
        self, rng: np.random.Generator, texts: int, length: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the tokens of random texts of the task, and the answers."""
        return TASKS[self.plan.task](rng, texts, length, self.plan.look_back)[:2]

    def tested(self, length: int, rope_type: str = "") -> float | None:
        """Return the accuracy in the last quarter of texts that are the same for all models.

        It's None if there are no positions for this length.
        """
        if length > self.longest:
            return None
        tokens, answers = self.drawn(np.random.default_rng([length]), TESTED // length, length)
        answers[:, : length * 3 // 4] = NONE
        entered, right = self.entered(length, rope_type), 0.0
        at_once = max(TESTED_AT_ONCE // length, 1)
        for first in range(0, len(tokens), at_once):
            part = slice(first, first + at_once)
            asked = np.count_nonzero(answers[part] != NONE)
            if asked:
                model = Transformer(self.weights, tokens[part], entered, self.size)
                right += model.loss(answers[part])[1] * asked
        return round(float(right / np.count_nonzero(answers != NONE)), 4)


def more_steps(plan: Plan) -> int:
    """Return for how many steps a model trains on after its first training."""
    if not plan.then:
        return 0
    return plan.steps // 10 if plan.then == DROP else LONG_STEPS


def checked(plan: Plan) -> Plan:
    """Return the plan if it can be run, with an encoding of your own opened.

    Raises:
        TypeError, ValueError: it can't, and why.
    """
    validate.choice("task", plan.task, tuple(TASKS))
    validate.choice("then", plan.then, ("", *THEN))
    if plan.then and plan.encoding != "rope":
        got = validate.show(plan.encoding)
        raise ValueError(f"encoding must be 'rope' for what follows training, got {got}")
    seed = validate.integer("seed", plan.seed, low=0, high=MOST_SEED)
    steps = validate.integer("steps", plan.steps, high=MOST_STEPS)
    # the last quarter is tested
    look_back = validate.integer("look_back", plan.look_back, high=LENGTH * 3 // 4)
    encoding = trainable(plan.encoding)
    return plan._replace(encoding=encoding, seed=seed, steps=steps, look_back=look_back)


def trainable(what: object) -> str | Encoding:
    """Return a name in the table, or any other encoding that can be trained.

    Raises:
        TypeError, ValueError: it can't, and why.
    """
    if isinstance(what, str) and validate.known("encoding", what, (*MODELS, *NAMED)) in MODELS:
        return what
    (encoding,) = opened([what], called="encoding")
    if not encoding.of_text:
        raise ValueError(f"encoding must be one of tokens to be trained, got {encoding.title}")
    if not isinstance(encoding, Additive | Rotary | Bias):
        rule = "encoding must be an Additive, a Rotary, or a Bias to be trained"
        raise TypeError(f"{rule}, got {encoding.title}")
    if "seed" in encoding.values and not encoding.from_function:
        rule = "encoding must have fixed numbers to be trained"
        raise ValueError(f"{rule}, got {encoding.title}, whose numbers are random")
    positions = Fixed(encoding)
    if positions.longest < LENGTH:
        raise ValueError(f"encoding must have at least {LENGTH} rows, got {positions.longest}")
    for length in LENGTHS:
        if length <= positions.longest:
            positions.enter({}, length, USUAL)
    return encoding


def training(plan: Plan) -> Iterator[Progress | Run]:
    """Yield how far a run is, after each step and each test, and finally what came out."""
    with one_thread():
        plan = checked(plan)
        learner, steps = Learner(plan), plan.steps + more_steps(plan)
        seen = [learner.numbers()]
        for step in range(1, steps + 1):
            if step == plan.steps + 1:
                learner.go_on()
            loss, accuracy = learner.step()
            if step in SNAPSHOTS:
                seen.append(learner.numbers())
            yield Progress(step, steps, loss, accuracy)
        numbers = {name: np.stack([each[name] for each in seen]) for name in seen[0]}
        right: dict[str, dict[int, float | None]] = {}
        for rope_type in ("", *learner.scalings):
            right[rope_type] = {}
            # nothing is scaled within the training length
            for length in LENGTHS[1:] if rope_type else LENGTHS:
                right[rope_type][length] = learner.tested(length, rope_type)
                yield Progress(steps, steps, loss, accuracy)
        yield Run(plan, right, numbers)


def finished(plan: Plan) -> Run:
    """Train by a plan to its end."""
    *_, run = training(plan)
    return run
