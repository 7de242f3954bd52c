"""The live frame: axes are drawn again only where they changed, processes may fork, and the bytes are a PNG."""

import io
import os
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from posenc_lib import explore
from posenc_lib.views.panel import encode

VIEWS = ["trajectory", "heatmap", "dot_product"]


@pytest.mark.parametrize("height", [1, 2, 37])
def test_encoded_pixels_come_back_unchanged(height):
    rgba = np.random.default_rng(0).integers(0, 256, size=(height, 7, 4), dtype=np.uint8)
    with Image.open(io.BytesIO(encode(rgba))) as picture:
        np.testing.assert_array_equal(np.asarray(picture), rgba)


def test_axes_are_drawn_again_where_they_changed_even_two_moves_ago_and_nowhere_else(monkeypatch):
    panel = explore("sinusoidal", views=VIEWS, start={"seq_len": 30})
    canvas, drawn = panel._canvas, []
    draw_axes = canvas._draw_axes
    monkeypatch.setattr(canvas, "_draw_axes", lambda views: (drawn.extend(v.name for v in views), draw_axes(views)))
    panel.set(base=5e3)
    assert drawn == []
    longer = panel.values | {"seq_len": 31}
    canvas.update(panel.spec.encodings_at(longer), longer)
    panel.set(seq_len=31)  # this one alone would not draw axes again
    assert drawn == ["heatmap", "dot_product"]
    fresh = explore("sinusoidal", views=VIEWS, start={"seq_len": 31, "base": 5e3})
    assert panel._picture.value == fresh._picture.value


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_draws_on():
    """As in multiprocessing's fork or PyTorch's data loaders; in a process of its own, for tests have threads."""
    script = """
import os, warnings
from posenc_lib import explore
explorer = explore("sinusoidal")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # newer Pythons speak of forks beside threads
    child = os.fork()
if child == 0:
    explorer.set(base=100.0)
    os._exit(0 if "base 100" in explorer.text else 3)
os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert subprocess.run([sys.executable, "-c", script], timeout=60).returncode == 0
