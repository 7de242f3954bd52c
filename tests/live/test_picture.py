"""The picture on the page: what a pointer sets in it, and how it follows the page's theme and room."""

import itertools
import re
from unittest.mock import Mock

import numpy as np
import pytest
from matplotlib.colors import to_rgba_array
from PIL import Image

from posenc_lib import explore
from posenc_lib.live import picture, projector
from posenc_lib.live.presets import PRESETS
from posenc_lib.live.room import PLOTS, SCALES, layout
from posenc_lib.spec import read
from posenc_lib.views import style
from posenc_lib.views.sheet import arranged

from ..views.test_style import contrast

PAGE = {"dark": False, "own": 1200, "width": 1200, "height": 900}


def pointed(explorer, view: int, x: float, y: float, **more) -> None:
    """Send what a page sends while a reader drags at (x, y) in the units of a view's axes."""
    explorer._picture.pointed = {"axes": view, "x": x, "y": y, "by": 0.0, "mark": -1, "press": 1} | more


DRAGGED = (
    ("sinusoidal", "heatmap, dot_product", (0, 20.4, 3), {"query": 20}),
    ("sinusoidal", "heatmap, dot_product", (1, 1e9, 3), {"query": 63}),
    ("sinusoidal", "heatmap, dot_product", (7, 20, 3), {}),  # of another panel, which was here before
    ("rope", "score_by_offset, vectors", (0, 12.2, 0), {"offset": 12}),
    ("alibi", "attention_span, head_biases", (0, 40, 3.3), {"head": 3}),
    ("shaw", "bucket_map, bucket_by_offset", (0, 5, 30.7), {"query": 31}),
    ("sinusoidal_2d", "patches", (0, 3.4, 9.6), {"column": 3, "row": 10}),
    ("rope_2d", "window_head, patches", (0, 3, 2), {}),  # of a window, not of the picture
    ("mrope", "axis_positions, axis_of_pair", (0, 7.3, 1), {"before": 7}),  # the picture begins there
)


def test_a_drag_sets_what_the_axes_count():
    for what, views, at, moved in DRAGGED:
        explorer = explore(what, views=views.split(", "))
        before, frame = explorer.values, explorer._picture.value
        pointed(explorer, *at)
        assert {name: value for name, value in explorer.values.items() if value != before[name]} == moved
        assert (explorer._picture.value != frame) == bool(moved)
        explorer.close()


def test_a_drag_sets_the_point_that_is_near_and_turns_what_stands_in_space():
    explorer = explore("sinusoidal", views=["trajectory", "dot_product"])
    for mark, query in ((31, 31), (-1, 31)):  # then none is near
        pointed(explorer, 0, 0.1, 0.1, mark=mark)
        assert explorer.values["query"] == query
    space = explore("sinusoidal", views="trajectory_3d", seq_len=32, azimuth=(-180, 175, 5))
    for press, by, azimuth in ((1, 0.25, -105), (1, 0.5, -150), (2, -0.5, -60), (2, -5.0, 175)):
        pointed(space, 0, 0, 0, press=press, by=by)
        assert space.values["azimuth"] == azimuth
    plane = explore("rope_2d", views=["directions", "window_head", "patches"])
    for press, by, tilt in ((1, 0.17, 45), (1, 0.34, 90), (2, -0.5, 0)):
        pointed(plane, 0, 0, 0, press=press, by=by)
        assert plane.values["tilt"] == tilt
    assert [place["drags"] for place in plane._picture.axes] == ["tilt", "", "column row"]
    assert explore("sinusoidal_2d", views="patches")._picture.axes[0]["drags"] == "column row"


@pytest.mark.parametrize("view", ["trajectory", "closest_pair", "trajectory_3d"])
def test_what_a_page_is_told_of_points_is_where_they_are_drawn(view):
    explorer = explore("sine", views=view, seq_len=9, d_model=3)
    figure, (place,) = explorer.figure, explorer._picture.axes
    shade = np.asarray(explorer.panel.renderer.buffer_rgba())[..., :3].astype(int)
    colors = to_rgba_array([style.KEY] * 9) if view == "closest_pair" else style.position_colors(9)
    for (left, top), color in zip(place["marks"], colors, strict=True):
        row, column = round(top * figure.bbox.height), round(left * figure.bbox.width)
        around = shade[row - 2 : row + 3, column - 2 : column + 3].reshape(-1, 3)
        assert np.abs(around - 255 * color[:3]).max(axis=1).min() < 40
    many = explore("sine", views=[view, "dot_product"], seq_len=300, d_model=3)._picture.axes[0]
    assert many.keys() == place.keys() - {"marks"}  # too many to be told
    assert many["names"] == [None, None]  # and x is no position
    assert many["drags"] == ("azimuth" if view == "trajectory_3d" else "")


def test_a_panel_follows_the_theme_and_the_room_of_its_page():
    explorer = explore("sinusoidal")
    first, size = explorer._picture.value, explorer.figure.get_size_inches().tolist()
    explorer.set(query=30)
    explorer._picture.page = PAGE | {"dark": True}
    assert explorer.panel.theme == explore("alibi").panel.theme == "dark"
    assert explorer.values["query"] == 30
    explorer._picture.page = PAGE | {"own": 390, "width": 390}
    assert explorer.figure.get_size_inches()[1] > 1.5 * explorer.figure.get_size_inches()[0]
    explorer._picture.page = PAGE
    explorer.reset()
    assert (explorer._picture.value, explorer.figure.get_size_inches().tolist()) == (first, size)
    drawn = explorer.panel
    explorer._picture.page = PAGE | {"own": 1100, "height": 1000}  # as good
    assert explorer.panel is drawn


SIXES = ["rope+alibi: dot_product, similarity, attention_row", "rope+alibi+t5: attention_row", "alibi: head_biases"]


LINES = [*SIXES, *(preset.line for preset in PRESETS.values())]


def test_a_picture_fits_its_room_as_large_as_can_be():
    for line in (*SIXES, *LINES[len(SIXES) :: 3]):
        for spec, width, height, large in itertools.product(read(line), (360, 1300), (300, 900), (False, True)):
            number = len(spec.encodings)
            drawn = layout(spec.draw(), number, (width, height), large=large, named=number > 1)
            _, size = arranged(spec.draw(), number, drawn.width, drawn.plot, named=number > 1)
            assert drawn.shown == round(size[0] * drawn.scale) <= width + 1
            assert size[1] * drawn.scale <= height + 1 or (drawn.plot, drawn.scale) == (PLOTS[-1], 1)
            assert drawn.scale in (SCALES if large else (1,))


def test_without_anywidget_a_plain_image_shows_the_same(monkeypatch, tmp_path):
    usual = explore("sinusoidal")
    monkeypatch.setattr(picture, "Picture", None)
    monkeypatch.chdir(tmp_path)
    plain = explore("sinusoidal")
    assert type(plain._picture).__name__ == "Image"
    assert plain._picture.value == usual._picture.value
    plain.sliders["query"].value = usual.sliders["query"].value = 20
    assert plain._picture.value == usual._picture.value
    plain._buttons[1].click()
    (saved,) = tmp_path.glob("sinusoidal_*.png")
    assert f"Saved as {saved.name} in {tmp_path.name}/" in plain._news.value


def test_files_go_to_the_browser_that_looks_and_else_beside_the_notebook(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    explorer = explore("sinusoidal", views="heatmap")
    explorer._buttons[1].click()
    (saved,) = tmp_path.glob("*.png")
    explorer._picture.page = PAGE  # somebody looks
    explorer._picture.send = Mock()
    explorer._buttons[1].click()
    (message,), buffers = explorer._picture.send.call_args
    assert message == {"save": saved.name}
    assert buffers == {"buffers": [saved.read_bytes()]}
    assert "where your browser keeps downloads" in explorer._news.value
    with Image.open(saved) as file:
        assert file.width == 2 * explorer._drawn.shown


def test_alarms_are_told_by_colours_that_can_be_read_on_light_and_dark_pages():
    alarms = re.findall(r"\[role=alert\] {\s*color: (#\w+)", projector.CSS)
    assert len(alarms) == 2
    for color, pages in zip(alarms, (("#FFFFFF", "#F5F5F5"), ("#111111", "#222222")), strict=True):
        assert min(contrast(color, page) for page in pages) >= 4.5


POINTED = (
    ("sinusoidal: trajectory; seq_len=8, d_model=8, x_dim=0, y_dim=1", (0.8, 0.6), "(0.841, 0.54)"),  # position 1
    ("sinusoidal: heatmap; d_model=8", (2.4, 0.6), "−0.416"),  # dim 1 of position 2: cos 2
    ("sinusoidal: dot_product; d_model=8, query=10", (10.2, 0), "4"),
    ("shaw: bucket_by_offset; clip=4, seq_len=32", (30, 0), "8"),
    ("sinusoidal: trajectory_3d", (0, 0), ""),
    ("alibi: attention_span; seq_len=128", (0, 3.2), "37 keys"),
    ("alibi: head_biases; num_heads=8, head=7, query=8", (0, -1.9), "−2 by head 1"),
    ("alibi: head_biases; num_heads=1, head=0, seq_len=4000, query=3999", (0, -9), ""),  # below the axis
)


def test_a_reader_who_points_is_told_the_number_that_is_drawn_there():
    for line, (x, y), text in POINTED:
        (spec,) = read(line)
        explorer = explore(spec.encodings[0].name, views=[v.name for v in spec.views], **spec.values)
        explorer._picture.hovered = {"axes": 0, "x": x, "y": y, "asked": 7}
        assert explorer._picture.hint == {"asked": 7, "text": text}
