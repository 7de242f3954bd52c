"""The right answer of each task, found once more by reading a text from its beginning."""

import numpy as np
import pytest

from posenc_lib.lessons.training.tasks import IGNORE, NONE, READ, SYMBOLS, TASKS, VOCABULARY, WRITE


def answers_to(task, text, k):
    """Yield the answer at each place of a text."""
    memory, followed = NONE, {}
    for at, token in enumerate(text):
        if at and (text[at - 1] == WRITE or task == "induction"):
            memory = followed[text[at - 1]] = token
        answers = {
            "flip_flop": memory if token == READ else NONE,
            "look_back": text[at - k] if at >= k else NONE,
            "induction": followed.get(token, NONE),
            "recall": text[1] if token == READ else NONE,
            "two_kinds": (text[:at] or [NONE])[-1]
            if token < 8
            else text[at - k]
            if at >= k
            else NONE,
        }
        yield answers[task]


@pytest.mark.parametrize(("length", "k"), [(32, 3), (64, 24)])
@pytest.mark.parametrize("task", TASKS)
def test_answers_are_what_the_definition_says(task, length, k):
    tokens, answers, _ = TASKS[task](np.random.default_rng(3), 50, length, k)
    assert tokens.shape == answers.shape == (50, length)
    assert answers.tolist() == [list(answers_to(task, text, k)) for text in tokens.tolist()]
    assert 0 <= tokens.min() <= tokens.max() < VOCABULARY
    assert NONE == answers.min() < answers.max() == SYMBOLS - 1


@pytest.mark.parametrize(
    ("task", "shares"), [("flip_flop", [0.2, 0.6, 0.2]), ("recall", [0, 0, None])]
)
def test_a_text_begins_with_a_write_and_what_comes_later_has_its_shares(task, shares):
    tokens, answers, _ = TASKS[task](np.random.default_rng(0), 400, 64, 3)
    assert (tokens[:, 0] == WRITE).all()
    said = tokens[:, 2::2] if task == "flip_flop" else tokens[:, 1:]
    for word, share in zip((WRITE, IGNORE, READ), shares, strict=True):
        assert share is None or (said == word).mean().round(1) == share
    if task == "flip_flop":  # in pairs; a text shows what a read should have said
        assert tokens[:, 1::2].max() < SYMBOLS == said.min()
        read = tokens[:, ::2] == READ
        assert (tokens[:, 1::2][read] == answers[:, ::2][read]).all()


@pytest.mark.parametrize(
    ("task", "far"), [("flip_flop", 3), ("look_back", 3), ("induction", 10), ("recall", 224)]
)
def test_the_place_that_last_said_an_answer_says_it_and_only_recalls_is_far(task, far):
    tokens, answers, places = TASKS[task](np.random.default_rng(0), 100, 256)
    text, at = np.nonzero(answers != NONE)
    assert (tokens[text, places[text, at]] == answers[text, at]).all()
    back = (at - places[text, at])[at >= 192]
    assert back.min() >= 0  # what follows the same symbol just before is this one
    assert round(np.median(back)) == far
