"""Decisive rows of lesson 13's table against a second program, with its own gradients and texts."""

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
