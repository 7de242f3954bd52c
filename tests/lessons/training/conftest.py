"""What tests of training share: few tokens to test on, whose number does not matter to them."""

import pytest


@pytest.fixture(autouse=True)
def _few_tests(monkeypatch):
    monkeypatch.setattr("posenc_lib.lessons.training.run.TESTED", 1024)
