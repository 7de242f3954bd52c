"""What tiny models learn against a second program, with its own gradients and texts."""

import numpy as np
import pytest

from posenc_lib.lessons.training.trained_table import spread

from ..conftest import todays

MODELS = 2
ROOM = {"look_back": 0.12, "recall": 0.05}  # beyond the least and the most of the ten kept models
DECISIVE = [
    ("p_rope", "look_back"),
    ("rope_10", "recall"),
    ("rope_64", "look_back"),
    ("window_then_none", "recall"),
    ("rope_10", "look_back"),
    ("p_rope", "recall"),
    ("rope_8_heads", "look_back"),
    ("rope_10_then_none", "recall"),
    ("window_then_none", "look_back"),
    ("none_then_rope_10", "recall"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "task"), todays(DECISIVE, every=4))
def test_a_second_program_trains_models_like_those_of_the_table(name, task):
    pytest.importorskip("torch", reason="the second program is in PyTorch")
    from .trainer import trained

    kept, found = spread(name, task), trained(name, task, MODELS)
    for length, each in found.items():
        least, most = kept[length].least - ROOM[task], kept[length].most + ROOM[task]
        assert all(least <= right <= most for right in each), (length, each)


def three_back(numbers):
    return (numbers.argmax(axis=2) == 3).all()


def nearest_first(numbers):
    falls = (np.diff(numbers[..., 10:26:5], axis=2) < 0).all()
    peaks = numbers[..., 1] - np.maximum(numbers[..., 0], numbers[..., 2])
    return falls and (peaks.max(axis=1) > 1).all()


def nothing_stands_out(numbers):
    return np.abs(numbers).max() < 0.9


def each_kind_asks(asked):
    wanted = np.where(np.arange(16) < 8, 1, 3)
    return (asked.argmax(axis=3) == wanted).mean() > 0.9


LEARNED = [
    ("numbers", "look_back", three_back),
    ("numbers", "induction", nearest_first),
    ("numbers", "recall", nothing_stands_out),
    ("vectors", "two_kinds", each_kind_asks),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "task", "holds"), todays(LEARNED, every=2))
def test_a_second_program_learns_the_numbers_of_lesson_07(kind, task, holds):
    pytest.importorskip("torch", reason="the second program is in PyTorch")
    from .trainer import learned

    assert holds(learned(kind, task, MODELS))
