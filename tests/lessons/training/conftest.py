"""What tests of training share: few tokens to test on, for what they ask does not hang on how many there are."""

import pytest


@pytest.fixture(autouse=True)
def _few_tests(monkeypatch):
    monkeypatch.setattr("posenc_lib.lessons.training.run.TESTED", 1024)
