"""The explorers as the lessons call them: every slider moves the picture, and no setting is an error."""

import random

import nbformat
import pytest

from posenc_lib import explore
from posenc_lib.lessons.store import find
from posenc_lib.live.play import steps

from ..conftest import ROOT

CALLS = [
    pytest.param(cell.source, id=f"{path.stem}-{cell.id}")
    for path in find([ROOT / "notebooks"])
    for cell in nbformat.read(path, as_version=4).cells
    if cell.cell_type == "code" and cell.source.startswith("explore(")
]


@pytest.fixture(params=CALLS, scope="module")
def panel(request):
    made = eval(request.param, {"explore": explore})
    yield made
    made.close()


def test_every_slider_changes_the_picture(panel):
    assert panel.sliders
    for name, slider in panel.sliders.items():
        panel.reset()
        assert not slider.disabled, f"{name} begins where it cannot be moved"
        seen = set()
        for value in (steps(slider)[0], steps(slider)[-1]):
            slider.value = value
            seen.add(bytes(panel._picture.value))
        assert len(seen) == 2, f"{name} does not change the picture"


@pytest.mark.slow
def test_no_setting_is_an_error_and_each_picture_is_a_fresh_one(panel):
    rng = random.Random(2)
    for _ in range(15):
        name = rng.choice(list(panel.sliders))
        if not panel.sliders[name].disabled:
            panel.sliders[name].value = rng.choice(steps(panel.sliders[name]))
        assert panel._news.value == ""
        assert "nan" not in panel.text
    shown = bytes(panel._picture.value)
    panel._stage.forget()
    panel._refresh()
    assert bytes(panel._picture.value) == shown
