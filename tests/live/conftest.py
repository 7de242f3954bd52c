"""What tests of explorers share: under test an error is raised, not a line of text."""

import pytest

from posenc_lib.live.explorer import Explorer


@pytest.fixture(autouse=True)
def _raise_errors(monkeypatch):
    monkeypatch.setattr(Explorer, "raise_errors", True)
