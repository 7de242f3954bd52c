"""One run: it learns, it is the same each time, and encodings differ in nothing but their positions."""

import numpy as np
import pytest

from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.kerple import kerple
from posenc_lib.encodings.rope_scaling import rope_scaling
from posenc_lib.encodings.t5 import t5_bias
from posenc_lib.lessons.training.positions import D_MODEL, HEAD_DIM, HEADS, LENGTH, POSITIONS, Entered
from posenc_lib.lessons.training.run import LENGTHS, SCALINGS, Learner, Plan, Progress, finished, training
from posenc_lib.lessons.training.tasks import TASKS
from posenc_lib.lessons.training.transformer import Transformer, turned

RNG = np.random.default_rng


def test_a_run_learns_and_is_the_same_each_time():
    plan = Plan("rope", "look_back", seed=4, steps=60)
    *seen, first = training(plan)
    assert [at.step for at in seen[:60]] == list(range(1, 61))
    assert all(isinstance(at, Progress) and at.steps == 60 for at in seen)
    assert seen[0].loss > 2.5 > 0.5 > seen[59].loss
    assert first == finished(plan)
    assert list(first.accuracy) == ["", *SCALINGS]
    assert list(first.accuracy[""]) == list(LENGTHS)
    assert all(list(first.accuracy[name]) == list(LENGTHS[1:]) for name in SCALINGS)
    assert first.accuracy[""][32] > 0.9


def test_what_enters_is_what_the_encodings_own_functions_say():
    length, rng = 64, RNG(5)
    table = ENCODINGS["sinusoidal"].at(seq_len=length, d_model=D_MODEL).table
    assert np.array_equal(POSITIONS["sinusoidal"].enter({}, length).rows, table)
    assert POSITIONS["no_position"].enter({}, length) == Entered()
    rows = rng.normal(size=(LENGTH, D_MODEL))
    assert np.array_equal(POSITIONS["learned"].enter({"rows": rows}, LENGTH).rows, rows)
    assert POSITIONS["learned"].longest == LENGTH
    seen = np.tri(length, dtype=bool)
    alibi = POSITIONS["alibi"].enter({}, length).bias
    assert np.array_equal(alibi[:, seen], ENCODINGS["alibi"].at(num_heads=HEADS).biases(_offsets(length)[seen]))
    weights = rng.normal(size=(HEADS, 32))
    for name, distance in (("t5", 128), ("t5_near", LENGTH)):
        right = t5_bias(weights.T, length, bidirectional=False, max_distance=distance)
        assert np.array_equal(POSITIONS[name].enter({"buckets": weights}, length).bias[:, seen], right[:, seen])
    a, p = rng.normal(size=(2, HEADS))
    bias = POSITIONS["kerple"].enter({"a": a, "p": p}, length).bias
    assert np.array_equal(bias[:, seen], kerple(np.exp(a), np.exp(p), length)[:, seen])


def _offsets(length):
    return np.arange(length) - np.arange(length)[:, None]


@pytest.mark.parametrize("rope_type", ["", "yarn"])
def test_queries_are_turned_as_rope_turns_them_and_scaled_as_a_config_would(rope_type):
    length, x = 128, RNG(0).normal(size=(2, HEADS, 128, HEAD_DIM))
    config = {"rope_type": rope_type or "default", "original_max_position_embeddings": LENGTH}
    config |= {"factor": length / LENGTH, "low_freq_factor": 1, "high_freq_factor": 4} if rope_type else {}
    inv_freq, factor = rope_scaling(config, HEAD_DIM)
    pairs = x[..., ::2] + 1j * x[..., 1::2]
    right = factor * pairs * np.exp(1j * np.arange(length)[:, None] * inv_freq)
    got = turned(x, POSITIONS["rope"].enter({}, length, rope_type).turn)
    np.testing.assert_allclose(got[..., ::2] + 1j * got[..., 1::2], right, atol=1e-12)


@pytest.mark.parametrize("encoding", ["learned", "rope", "t5"])
def test_no_token_sees_a_later_one(encoding):
    learner = Learner(Plan(encoding, "look_back"), dtype=np.float64)
    tokens = TASKS["look_back"](RNG(0), 2, LENGTH)[0]
    other = np.where(np.arange(LENGTH) < 20, tokens, (tokens + 1) % 16)
    said = [Transformer(learner.weights, each, learner.entered(LENGTH)).logits for each in (tokens, other)]
    np.testing.assert_array_equal(said[0][:, :20], said[1][:, :20])
    assert not np.allclose(said[0][:, 20:], said[1][:, 20:])


def test_a_plan_that_cannot_be_is_told_before_any_work():
    for wrong, words in (
        ({"encoding": "shaw"}, "encoding must be a known name"),
        ({"task": 3}, "task must be one of"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
        ({"seed": True}, "seed must be a whole number (int), got True (bool)"),
        ({"steps": 0}, "steps must be at least 1, got 0"),
        ({"steps": 10**6}, "steps must be at most 100000, got 1000000"),
        ({"look_back": 25}, "look_back must be at most 24, got 25"),
        ({"encoding": "t5", "then": "drop"}, "encoding must be 'rope' where it is dropped, got 't5'"),
    ):
        with pytest.raises((TypeError, ValueError), match="must") as told:
            next(training(Plan(**{"encoding": "rope", "task": "flip_flop"} | wrong)))
        assert words in str(told.value)
