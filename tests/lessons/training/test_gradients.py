"""Every gradient that is written out, against differences of the loss."""

from itertools import islice

import numpy as np
import pytest

from posenc_lib.lessons.training.models import MODELS
from posenc_lib.lessons.training.positions import LENGTH
from posenc_lib.lessons.training.run import Learner
from posenc_lib.lessons.training.trained_table import Plan
from posenc_lib.lessons.training.transformer import Transformer, shapes

STEP = 1e-5


def at(learner, name, moved, texts):
    """Return the loss with one array of weights moved, and the side of its bend each ReLU is on."""
    kept = learner.weights[name]
    learner.weights[name] = kept + moved
    model = Transformer(learner.weights, texts[0], learner.entered(LENGTH), learner.size)
    learner.weights[name] = kept
    return model.loss(texts[1])[0], [hidden > 0 for *_, hidden in model.layers]


def slopes(learner, name, gradient, texts, rng):
    """Yield slopes in random directions, by differences and by gradient, where no ReLU bends."""
    while True:
        direction = rng.normal(size=gradient.shape)
        direction /= np.linalg.norm(direction)
        up, sides = at(learner, name, STEP * direction, texts)
        down, others = at(learner, name, -STEP * direction, texts)
        if np.array_equal(sides, others):
            yield (up - down) / (2 * STEP), float((gradient * direction).sum())


@pytest.mark.parametrize("encoding", MODELS)
def test_gradients_of_all_weights_are_those_of_differences(encoding, record_property):
    learner, rng = Learner(Plan(encoding, "induction"), dtype=np.float64), np.random.default_rng(1)
    for w in learner.weights.values():
        w += rng.normal(scale=0.1, size=w.shape)  # also what is 0 before training
    texts = learner.drawn(rng, 4, LENGTH)
    gradients, worst = learner.gradients(*texts)[2], 0.0
    assert set(gradients) == set(learner.weights) >= set(shapes(learner.size))
    for name, gradient in gradients.items():
        assert gradient.shape == learner.weights[name].shape
        for measured, written in islice(slopes(learner, name, gradient, texts, rng), 3):
            worst = max(worst, abs(measured - written) / np.linalg.norm(gradient))
    assert worst < 1e-6
    record_property(f"gradients, {encoding}", f"largest relative difference {worst:.0e}")


def test_only_the_numbers_that_are_trained_are_weights():
    own = {name: set(Learner(Plan(name, "flip_flop")).numbers()) for name in MODELS}
    rows = {"learned": {"rows"}, "learned_small": {"rows"}}
    trained = rows | {"t5": {"buckets"}, "t5_near": {"buckets"}, "kerple": {"a", "p"}}
    trained |= {"shaw": {"vectors", "queries"}}
    assert own == {name: trained.get(name, set()) for name in MODELS}
