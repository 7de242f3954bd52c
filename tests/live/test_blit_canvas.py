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
from posenc_lib.encodings.catalog import ELSEWHERE, ENCODINGS
from posenc_lib.views import VIEWS
from posenc_lib.views.canvas import encode
from posenc_lib.views.stamps import Stamps

from ..conftest import mostly_slow

THREE = ["trajectory", "heatmap", "dot_product"]


TEXTS = [  # what ax.text may be asked for; the same word in many looks
    {},
    {"fontsize": 13},
    {"color": "C3"},
    {"color": [0.1, 0.5, 0.2]},
    {"alpha": 0.4},
    {"rotation": 90},
    {"rotation": 30, "fontweight": "bold"},
    {"rotation": 30, "fontweight": "bold", "rotation_mode": "anchor"},
    {"ha": "center"},
    {"va": "top"},
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


@pytest.mark.parametrize("at", range(len(TEXTS)))
def test_a_stamped_text_is_matplotlibs_own_on_whole_pixels(at):
    """But for a rounding error where two letters touch."""
    drawn, figure = [], Figure((3, 2))
    ax = figure.add_axes((0.25, 0.25, 0.5, 0.5))
    look = {"s": "word", "x": 0.3, "y": 0.4} | TEXTS[at]
    text = ax.text(**look, transform=ax.transAxes)
    for renderer in (Whole(300, 200, 100), Stamps(300, 200, 100)):
        for place in ((-0.4, 0.6), (look["x"], look["y"])):  # where it stood before leaves no trace
            text.set_position(place)
            renderer.clear()
            getattr(renderer, "draw", lambda artist, renderer=renderer: artist.draw(renderer))(text)
        drawn.append(np.asarray(renderer.buffer_rgba()).astype(int))
    assert drawn[0][..., 3].any() == (look["s"] != " " and np.isfinite(look["x"]))
    np.testing.assert_allclose(*drawn, atol=6)


class Whole(RendererAgg):
    """matplotlib's renderer, with texts on whole pixels."""

    def draw_text(self, gc, x, y, *args, **rest):
        super().draw_text(gc, round(x), self.height - round(self.height - y), *args, **rest)


def test_axes_are_drawn_as_matplotlib_draws_them():
    figure = Figure((9, 3))
    plain, log, far = figure.subplots(1, 3)
    for text in TEXTS:
        plain.text(**{"s": "word", "x": 0.3, "y": 0.4} | text)
    plain.text(0.97, 0.4, "cut where the axes end", clip_on=True)
    plain.set_title("Title", loc="left", y=1)
    figure.colorbar(plain.imshow([[0, 1]]), cax=plain.inset_axes([1.05, 0, 0.1, 1]), label="its own place")
    log.set(xscale="log", yscale="log", xlim=(0.1, 30), ylim=(1e-3, 7), xlabel="x", ylabel="y")
    log.grid(True, which="both")
    far.yaxis.set_inverted(True)
    far.plot([1e6 + 1, 1e6 + 2], [1e-9, 2e-9], label="line", zorder=0)  # both axes have an offset
    far.legend()
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_label_coords(0.5, -0.1)
        one, other = (Stamps(900, 300, 100) for _ in range(2))
        one.draw(ax), ax.draw(other)
        np.testing.assert_array_equal(one.buffer_rgba(), other.buffer_rgba())


@pytest.mark.parametrize("name", mostly_slow(VIEWS, 5))
def test_every_view_is_drawn_as_matplotlib_draws_it(name, monkeypatch):
    encoding = next(one for one, encoding in (ENCODINGS | ELSEWHERE).items() if VIEWS[name].fits(encoding))
    panel = explore(encoding, views=name)
    monkeypatch.setattr(Stamps, "draw", lambda renderer, artist: artist.draw(renderer))
    panel._canvas.forget()
    assert panel._canvas.frame() == panel._picture.value


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
