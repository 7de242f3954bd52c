"""The live frame: axes are drawn again only where they changed, processes may fork, and the bytes are a PNG."""

import io
import os
import subprocess
import sys

import numpy as np
import pytest
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from PIL import Image

from posenc_lib import explore
from posenc_lib.views.canvas import encode
from posenc_lib.views.stamps import Stamps

THREE = ["trajectory", "heatmap", "dot_product"]


TEXTS = [  # what ax.text may be asked for; the same word in many looks
    {},
    {"color": "C3"},
    {"alpha": 0.4},
    {"rotation": 90},
    {"rotation": 30, "fontweight": "bold", "rotation_mode": "anchor"},
    {"bbox": {"fc": "white", "alpha": 0.8}},
    {"path_effects": [withStroke(linewidth=3, foreground="w")]},
    {"x": np.nan},
    {"s": "−0.75, 12 → 13"},
    {"s": "$e^{i \\theta}$"},
    {"s": "two\nlines", "ha": "center", "va": "center"},
    {"s": "wrapped at the end of the page", "x": 0.9, "wrap": True},
    {"s": " "},
]


def test_encoded_pixels_come_back_unchanged():
    for height in (1, 2, 200):
        rgba = np.random.default_rng(0).integers(0, 256, size=(height, 7, 4), dtype=np.uint8)
        with Image.open(io.BytesIO(encode(rgba))) as picture:
            np.testing.assert_array_equal(np.asarray(picture), rgba)


def test_axes_are_drawn_again_where_they_changed_even_two_moves_ago_and_nowhere_else(monkeypatch):
    panel = explore("sinusoidal", views=THREE, start={"seq_len": 30})
    canvas, drawn = panel._canvas, []
    draw_axes = canvas._draw_axes
    monkeypatch.setattr(canvas, "_draw_axes", lambda views: (drawn.extend(v.name for v in views), draw_axes(views)))
    panel.set(base=5e3)
    assert drawn == []
    longer = panel.values | {"seq_len": 31}
    canvas.update(panel.spec.encodings_at(longer), longer)
    panel.set(seq_len=31)  # this one alone would not draw axes again
    assert drawn == ["heatmap", "dot_product"]
    fresh = explore("sinusoidal", views=THREE, start={"seq_len": 31, "base": 5e3})
    assert panel._picture.value == fresh._picture.value


def test_a_stamped_text_is_matplotlibs_own_on_whole_pixels():
    """But for a rounding error where two letters touch."""
    for more in TEXTS:
        drawn, figure, look = [], Figure((3, 2)), {"s": "word", "x": 0.3, "y": 0.4} | more
        ax = figure.add_axes((0.25, 0.25, 0.5, 0.5))
        text = ax.text(**look, transform=ax.transAxes)
        for renderer in (Whole(300, 200, 100), Stamps(300, 200, 100)):
            for place in ((-0.4, 0.6), (look["x"], look["y"])):  # where it stood before leaves no trace
                text.set_position(place)
                renderer.clear()
                text.draw(renderer)
            drawn.append(np.asarray(renderer.buffer_rgba()).astype(int))
        assert drawn[0][..., 3].any() == (look["s"] != " " and np.isfinite(look["x"]))
        np.testing.assert_allclose(*drawn, atol=6, err_msg=str(more))


class Whole(RendererAgg):
    """matplotlib's renderer, with texts on whole pixels."""

    def draw_text(self, gc, x, y, *args, **rest):
        super().draw_text(gc, round(x), self.height - round(self.height - y), *args, **rest)


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
