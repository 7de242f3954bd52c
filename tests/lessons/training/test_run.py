"""One run: it learns, it is always the same, and encodings differ in their positions alone."""

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.lessons.training.models import MODELS
from posenc_lib.lessons.training.positions import LENGTH, USUAL, Entered
from posenc_lib.lessons.training.run import Learner, Progress, finished, training
from posenc_lib.lessons.training.tasks import TASKS
from posenc_lib.lessons.training.trained_table import LENGTHS, SCALINGS, Plan
from posenc_lib.lessons.training.transformer import Transformer, turned

RNG = np.random.default_rng


def test_a_run_learns_and_is_the_same_each_time():
    plan = Plan("rope", "look_back", seed=4, steps=60)
    *seen, first = training(plan)
    assert [at.step for at in seen[:60]] == list(range(1, 61))
    assert all(isinstance(at, Progress) and at.steps == 60 for at in seen)
    assert seen[0].loss > 2.5 > 0.5 > seen[59].loss
    assert first == finished(plan)
    kept = {name: list(LENGTHS[bool(name) :]) for name in ("", *SCALINGS)}
    assert {name: list(by_length) for name, by_length in first.accuracy.items()} == kept
    assert first.accuracy[""][32] > 0.9


D_MODEL, HEADS, HEAD_DIM, _ = USUAL
A, P = RNG(5).normal(size=(2, HEADS))
BUCKETS, ROWS = RNG(6).normal(size=(HEADS, 32)), RNG(7).normal(size=(LENGTH, D_MODEL))
NEAR = {"bidirectional": False, "max_distance": LENGTH}


@pytest.mark.parametrize(
    ("name", "weights", "wanted"),
    [
        ("alibi", {}, lambda n: pe.alibi(HEADS, n)),
        ("t5", {"buckets": BUCKETS}, lambda n: pe.t5_bias(BUCKETS.T, n, bidirectional=False)),
        ("t5_near", {"buckets": BUCKETS}, lambda n: pe.t5_bias(BUCKETS.T, n, **NEAR)),
        ("kerple", {"a": A, "p": P}, lambda n: pe.kerple(np.exp(A), np.exp(P), n)),
        ("sinusoidal", {}, lambda n: pe.sinusoidal(n, D_MODEL)),
        ("learned", {"rows": ROWS}, lambda n: ROWS),
    ],
)
def test_what_enters_is_what_the_encodings_own_functions_say(name, weights, wanted):
    positions = MODELS[name].layers[0]
    length = min(positions.longest, 64)
    entered = positions.enter(weights, length, USUAL)
    made, seen = (entered.bias, np.tri(length)) if entered.rows is None else (entered.rows, 1)
    np.testing.assert_array_equal(np.where(seen, made, 0), np.where(seen, wanted(length), 0))
    assert MODELS["no_position"].layers[0].enter({}, length, USUAL) == Entered()
    assert MODELS["learned"].layers[0].longest == LENGTH


@pytest.mark.parametrize("rope_type", ["", "yarn"])
def test_queries_are_turned_as_rope_turns_them_and_scaled_as_a_config_would(rope_type):
    length, x = 128, RNG(0).normal(size=(2, HEADS, 128, HEAD_DIM))
    config = {"rope_type": rope_type or "default", "original_max_position_embeddings": LENGTH}
    if rope_type:
        config |= {"factor": length / LENGTH, "low_freq_factor": 1, "high_freq_factor": 4}
    inv_freq, factor = pe.rope_scaling(config, HEAD_DIM)
    got = turned(x, MODELS["rope"].layers[0].enter({}, length, USUAL, rope_type).turn)
    wanted = pe.rope(x, inv_freq=inv_freq, attention_factor=factor)
    np.testing.assert_allclose(got, wanted, atol=1e-12)


@pytest.mark.parametrize("encoding", ["learned", "rope", "t5"])
def test_no_token_sees_a_later_one(encoding):
    learner = Learner(Plan(encoding, "look_back"), dtype=np.float64)
    tokens = TASKS["look_back"](RNG(0), 2, LENGTH)[0]
    other = np.where(np.arange(LENGTH) < 20, tokens, (tokens + 1) % 16)
    entered, size = learner.entered(LENGTH), learner.size
    said, others = (Transformer(learner.weights, x, entered, size).logits for x in (tokens, other))
    np.testing.assert_array_equal(said[:, :20], others[:, :20])
    assert not np.allclose(said[:, 20:], others[:, 20:])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (
            {"encoding": "rop"},
            "is unknown. Did you mean 'rope' or 'mrope' or 'p_rope'?",
        ),
        ({"task": 3}, "task must be one of"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
        ({"seed": True}, "seed must be an integer, got True (bool)"),
        ({"steps": 0}, "steps must be at least 1, got 0"),
        ({"steps": 10**6}, "steps must be at most 100000, got 1000000"),
        ({"look_back": 25}, "look_back must be at most 24, got 25"),
        (
            {"encoding": "t5", "then": "drop"},
            "encoding must be 'rope' for what follows training, got 't5'",
        ),
    ],
)
def test_a_plan_that_cannot_be_is_told_before_any_work(wrong, words):
    with pytest.raises((TypeError, ValueError), match=r"must|is unknown") as told:
        next(training(Plan(**{"encoding": "rope", "task": "flip_flop"} | wrong)))
    assert words in str(told.value)
