"""The right answer of each task, found once more by reading a text from its beginning."""

import numpy as np
import pytest

from posenc_lib.lessons.training.tasks import IGNORE, NONE, READ, SYMBOLS, TASKS, VOCABULARY, WRITE


def flip_flop(text, k):
    memory, answers = None, []
    for at, token in enumerate(text):
        if at % 2 and text[at - 1] == WRITE:
            memory = token
        answers.append(memory if token == READ else NONE)
    return answers


def look_back(text, k):
    return [text[at - k] if at >= k else NONE for at in range(len(text))]


def induction(text, k):
    followed, answers = {}, []
    for at, token in enumerate(text):
        if at:
            followed[text[at - 1]] = token
        answers.append(followed.get(token, NONE))
    return answers


def recall(text, k):
    assert text[0] == WRITE
    assert WRITE not in text[1:]
    assert IGNORE not in text
    return [text[1] if token == READ else NONE for token in text]


READ_ALOUD = {"flip_flop": flip_flop, "look_back": look_back, "induction": induction, "recall": recall}


@pytest.mark.parametrize(("length", "k"), [(32, 3), (64, 24)])
@pytest.mark.parametrize("task", TASKS)
def test_answers_are_what_the_definition_says(task, length, k):
    tokens, answers, _ = TASKS[task](np.random.default_rng(3), 50, length, k)
    assert tokens.shape == answers.shape == (50, length)
    assert answers.tolist() == [READ_ALOUD[task](text, k) for text in tokens.tolist()]
    assert 0 <= tokens.min() <= tokens.max() < VOCABULARY
    assert NONE == answers.min() < answers.max() == SYMBOLS - 1


def test_a_flip_flop_text_is_pairs_that_begin_with_a_write_and_shows_what_a_read_should_have_said():
    tokens, answers, _ = TASKS["flip_flop"](np.random.default_rng(0), 400, 64, 3)
    said, symbols = tokens[:, ::2], tokens[:, 1::2]
    assert (said[:, 0] == WRITE).all()
    assert symbols.max() < SYMBOLS == said.min()
    assert (symbols[said == READ] == answers[:, ::2][said == READ]).all()
    shares = [(said[:, 1:] == one).mean().round(1) for one in (WRITE, IGNORE, READ)]
    assert shares == [0.2, 0.6, 0.2]


@pytest.mark.parametrize("task", TASKS)
def test_the_place_that_last_said_an_answer_says_it_and_only_recalls_is_far(task):
    tokens, answers, places = TASKS[task](np.random.default_rng(0), 100, 256)
    text, at = np.nonzero(answers != NONE)
    assert (tokens[text, places[text, at]] == answers[text, at]).all()
    back = (at - places[text, at])[at >= 192]
    assert back.min() >= 0  # what follows the same symbol just before is this one
    assert round(np.median(back)) == {"flip_flop": 3, "look_back": 3, "induction": 10, "recall": 224}[task]
