"""What tests of explorers share: under test an error is raised, not a line of text."""

import pytest

from posenc_lib.live.controls import steps
from posenc_lib.live.explorer import Explorer


@pytest.fixture(autouse=True)
def _raise_errors(monkeypatch):
    monkeypatch.setattr(Explorer, "raise_errors", True)


def drawn_anew(panel) -> bytes:
    """Return the picture of the present values, with nothing kept from before."""
    panel._canvas.forget()
    panel._refresh()
    return panel._picture.value


def ends(slider) -> tuple:
    """Return the first and the last value of a slider."""
    values = steps(slider)
    return values[0], values[-1]


def shown(panel) -> tuple:
    """Return all that an explorer shows and lets a reader do."""
    return panel._picture.value, panel.values, {name: ends(slider) for name, slider in panel.sliders.items()}


def move_at_random(panel, rng) -> None:
    """Put one slider, any that can be moved, anywhere."""
    slider = rng.choice([slider for slider in panel.sliders.values() if not slider.disabled])
    slider.value = rng.choice(steps(slider))
