"""The live frame: what is blitted equals what is drawn from nothing, and the bytes are a PNG."""

import io
import os
import random
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.sample import Sample
from posenc_lib.live.stage import Stage, encode
from posenc_lib.views import VIEWS, Panel

VALUES = {"query": 1, "x_dim": 0, "y_dim": 1, "z_dim": 1, "azimuth": -60, "causal": False}


def stage(views, name, **parameters):
    sample = Sample(ENCODINGS[name], **parameters)
    return Stage(Panel([VIEWS[view]() for view in views], [sample], sample.parameters | VALUES))


def move(moving, name, query=1, **parameters):
    sample = Sample(ENCODINGS[name], **parameters)
    moving.update([sample], sample.parameters | VALUES | {"query": query})


def read(png):
    with Image.open(io.BytesIO(png)) as picture:
        picture.load()
        return np.asarray(picture)


@pytest.mark.parametrize("height", [1, 2, 37])
def test_encoded_pixels_come_back_unchanged(height):
    rgba = np.random.default_rng(0).integers(0, 256, size=(height, 7, 4), dtype=np.uint8)
    np.testing.assert_array_equal(read(encode(rgba)), rgba)


def test_the_picture_is_sharper_than_the_page():
    made = stage(["heatmap"], "sinusoidal")
    assert read(made.frame()).shape[1] == 1.5 * made.width


@pytest.mark.parametrize(
    "views", [["trajectory", "heatmap", "dot_product"], ["similarity"], ["trajectory_3d", "heatmap"]]
)
def test_a_blitted_frame_is_pixel_for_pixel_a_fresh_one(views):
    rng = random.Random(0)
    moving = stage(views, "sinusoidal")
    moving.frame()
    for _ in range(12):  # lengths and dims move the axes, bases do not
        setting = {"seq_len": rng.choice([8, 40]), "d_model": rng.choice([4, 32]), "base": rng.choice([20.0, 1e4])}
        move(moving, "sinusoidal", **setting)
        np.testing.assert_array_equal(read(moving.frame()), read(stage(views, "sinusoidal", **setting).frame()))


def test_axes_are_drawn_again_only_where_they_changed(monkeypatch):
    moving = stage(["trajectory", "heatmap", "dot_product"], "sinusoidal", seq_len=30)
    moving.frame()
    drawn = []
    original = moving._draw_axes
    monkeypatch.setattr(moving, "_draw_axes", lambda views: (drawn.extend(v.name for v in views), original(views)))
    move(moving, "sinusoidal", seq_len=30, base=5e3)
    moving.frame()
    assert drawn == []
    move(moving, "sinusoidal", seq_len=31, base=5e3)
    moving.frame()
    assert drawn == ["heatmap", "dot_product"]


def test_two_moves_before_one_frame_lose_nothing():
    moving = stage(["heatmap"], "sinusoidal", seq_len=30)
    moving.frame()
    move(moving, "sinusoidal", seq_len=10)
    move(moving, "sinusoidal", seq_len=10, base=50.0)  # this one alone would not redraw the axes
    expected = stage(["heatmap"], "sinusoidal", seq_len=10, base=50.0)
    np.testing.assert_array_equal(read(moving.frame()), read(expected.frame()))


def test_a_saved_figure_has_the_moving_parts_too(tmp_path):
    made = stage(["dot_product"], "sinusoidal")
    before = made.panel.save(tmp_path / "a.svg").read_bytes()
    made.frame()
    assert made.panel.save(tmp_path / "b.svg").read_bytes() == before


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
