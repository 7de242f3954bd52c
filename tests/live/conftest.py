"""What tests of explorers share: under test an error is raised, not a line of text."""

from unittest.mock import Mock

import ipywidgets as widgets
import pytest

from posenc_lib.live.explorer import Explorer
from posenc_lib.live.settings import steps

from ..conftest import unpacked


@pytest.fixture(autouse=True)
def _raise_errors(monkeypatch):
    monkeypatch.setattr(Explorer, "raise_errors", True)


@pytest.fixture
def undrawn(monkeypatch):
    """Let panels have all but their pictures and a page, which take ten times as long."""
    sheet = Mock(asked=[], size=(640, 364))
    monkeypatch.setattr(Explorer, "_draw", lambda self: setattr(self, "sheet", sheet))
    monkeypatch.setattr(Explorer, "_show", lambda *_: None)
    monkeypatch.setattr(widgets.Widget, "open", lambda self: None)


def shown(panel) -> tuple:
    """Return all that an explorer shows and lets a reader do."""
    ends = {name: steps(slider)[-1] for name, slider in panel.sliders.items()}
    return unpacked(panel.png), panel.values, ends
