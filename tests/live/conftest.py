"""What tests of explorers share: under test an error is raised, not a line of text."""

import ipywidgets as widgets
import pytest

from posenc_lib.live.controls import options
from posenc_lib.live.explorer import Explorer


@pytest.fixture(autouse=True)
def _raise_errors(monkeypatch):
    monkeypatch.setattr(Explorer, "raise_errors", True)


def choices(slider):
    """Return every value that a slider or a choice can take now."""
    if isinstance(slider, widgets.IntSlider):
        return list(range(slider.min, slider.max + 1, slider.step))
    return options(slider)
