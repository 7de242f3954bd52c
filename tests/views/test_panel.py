"""A panel: several views in one figure, the files it writes, the same bytes every time."""

import io
import itertools
import os
import re
from unittest.mock import Mock

import pytest
from matplotlib.text import Text
from PIL import Image

from posenc_lib.encodings.catalog import ELSEWHERE, ENCODINGS
from posenc_lib.spec import Spec, read
from posenc_lib.views import VIEWS, Panel

KINDS = ENCODINGS | ELSEWHERE


def settings(line: str) -> tuple:
    """Return the spec that a line describes, its encodings and its values."""
    (spec,) = read(line)
    values = spec.clamp(spec.all_values)
    return spec, spec.encodings_at(values), values


def panel(line="sinusoidal: trajectory, heatmap, dot_product; query=3") -> Panel:
    spec, encodings, values = settings(line)
    return Panel(spec.draw(), encodings, values)


def rows(name: str) -> list[str]:
    """Return lines for all views of an encoding, three by three, as a panel's row has them."""
    fitting = [view for view in VIEWS if VIEWS[view].fits(KINDS[name])]
    return [f"{name}: {', '.join(fitting[k : k + 3])}" for k in range(0, len(fitting), 3)]


FEW = [
    "sinusoidal: heatmap, similarity",
    "rope: score_by_offset, vectors, basis",  # the last of three ends where the page does
    "learned: heatmap, odometer",  # small numbers make long labels
    *(f"{two}: dot_product, similarity, attention_row" for two in ("learned+rope", "transformer_xl+alibi", "sine+t5")),
    *(str(Spec.of(name)) for name in list(KINDS)[::3]),
]
MANY = ("sinusoidal", "binary", "rope", "t5", "transformer_xl", *ELSEWHERE)  # between them they have every view
ROWS = [*(str(Spec.of(name)) for name in KINDS), *(row for name in MANY for row in rows(name))]


def views_keep_apart(figure, room: int = 0) -> None:
    """Check that no view overlaps another, and that each stays on the page but for so many pixels."""
    figure.canvas.draw()
    page, boxes = figure.bbox, [ax.get_tightbbox() for ax in figure.axes]
    for k, box in enumerate(boxes):
        assert page.x0 - room <= box.x0 < box.x1 <= page.x1 + room
        assert page.y0 - room <= box.y0 < box.y1 <= page.y1 + room
        assert not any(box.overlaps(other) for other in boxes[:k])


@pytest.mark.parametrize("lines", [FEW, pytest.param(ROWS, marks=pytest.mark.slow)], ids=["few", "rows"])
def test_views_do_not_overlap_and_stay_on_the_page(lines):
    wrong = {}
    for line in lines:
        try:
            views_keep_apart(panel(f"{line}; seq_len=4").figure)
        except AssertionError as error:
            wrong[line] = str(error)
    assert wrong == {}


SETTINGS = {
    "rope": {"head_dim": 2, "seq_len": 204, "content": "random", "query": 25, "offset": 8, "correlation": 0.88},
    "t5": {"seq_len": 1000},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SETTINGS)
def test_words_stay_in_the_room_of_their_view_wherever_it_stands(name):
    """Else a frame would keep or lose what reaches into the neighbour's room, by which of the two was drawn last."""
    fitting = [view for view in VIEWS if VIEWS[view].fits(ENCODINGS[name])]
    for k, other in itertools.product(range(0, len(fitting), 2), ({}, SETTINGS[name])):
        spec = Spec.of([name], (fitting * 2)[k : k + 3])
        values = spec.clamp(spec.all_values | {key: value for key, value in other.items() if key in spec.all_values})
        drawn = Panel(spec.draw(), spec.encodings_at(values), values)
        drawn.figure.set_dpi(75)  # letters are widest on a coarse grid
        drawn.figure.canvas.draw()
        width = drawn.figure.bbox.width
        for view, cell in zip(drawn.views, drawn.cells, strict=True):
            words = [title for title in (view.ax.title, view.ax._left_title) if title.get_text()]
            if view.projection is None:
                low, high = sorted(view.ax.get_xlim())
                words += [tick.label1 for tick in view.ax.xaxis.get_major_ticks() if low <= tick.get_loc() <= high]
            for word in filter(Text.get_text, words):
                box = word.get_window_extent()
                assert cell[0] * width <= box.x0 < box.x1 <= (cell[0] + cell[2]) * width, (view.name, word)


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_saved_picture_is_the_same_bytes_every_time(tmp_path, suffix):
    one, other = (panel().save(tmp_path / f"{name}.{suffix}").read_bytes() for name in ("one", "other"))
    assert one == other
    assert not re.search(rb"20\d\d-\d\d-\d\d|/home/|/root/", one)
    if suffix == "png":
        assert Image.open(io.BytesIO(one)).size == (2000, 700)
    if suffix == "svg":
        assert b"Positions as points" in one


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_a_saved_picture_leaves_square_axes_where_they_were(tmp_path):
    one = panel("sinusoidal: trajectory_3d")
    one.figure.set_dpi(75)
    one.figure.draw_without_rendering()
    before = one.views[0].ax.bbox.extents.tolist()
    one.save(tmp_path / "a.png")
    assert one.views[0].ax.bbox.extents.tolist() == before


def test_noise_of_what_was_measured_in_pixels_moves_no_limits():
    view = panel("sinusoidal: kernel_by_base").views[0]
    view.axes(xlim=(0, 10), ylim=(-0.3, 1.3096153846153848))
    assert not view.axes(xlim=(0, 10), ylim=(-0.3, 1.3096153846153846))
    assert view.axes(xlim=(0, 10), ylim=(-0.3, 1.30962))


def test_what_is_not_written_whole_changes_nothing(tmp_path, monkeypatch):
    path = panel("binary: heatmap").save(tmp_path / "picture.svg")
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(type(path), "replace", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            panel().save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
