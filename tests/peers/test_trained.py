"""Lesson 13's rows of RoPE against a second program's models, of other gradients and texts."""

import pytest

from posenc_lib.lessons.training.trained_table import spread

from ..conftest import todays

MODELS = 2
ROOM = {"look_back": 0.12, "recall": 0.05}  # beyond the least and the most of the ten kept models


@pytest.mark.slow
@pytest.mark.parametrize("encoding", todays(["p_rope", "rope_10"]))
@pytest.mark.parametrize("task", ROOM)
def test_a_second_program_trains_models_like_those_of_the_table(encoding, task):
    pytest.importorskip("torch", reason="the second program is in PyTorch")
    from .trainer import trained

    kept, found = spread(encoding, task), trained(encoding, task, MODELS)
    for length, each in found.items():
        least, most = kept[length].least - ROOM[task], kept[length].most + ROOM[task]
        assert all(least <= right <= most for right in each), (length, each)
