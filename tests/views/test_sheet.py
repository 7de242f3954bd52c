"""A sheet: where its views are, what is written where, the files it gives, and what a teacher adds to it."""

import io
import os
import re
import subprocess
import sys
from unittest.mock import Mock

import nbformat
import numpy as np
import pytest
from matplotlib.text import Text
from PIL import Image

from posenc_lib import explore
from posenc_lib.encodings.catalog import ELSEWHERE, ENCODINGS
from posenc_lib.spec import Spec, read
from posenc_lib.views import VIEWS
from posenc_lib.views.pixels import encode
from posenc_lib.views.sheet import BETWEEN, Sheet, arranged

from ..conftest import ROOT

NOTEBOOKS = ROOT / "notebooks"
KINDS = ENCODINGS | ELSEWHERE
THREE = "sinusoidal: trajectory, heatmap, dot_product; query=3"
LINES = [
    THREE,
    "rope: score_by_offset, vectors, basis",
    "rope: vectors, pair_scores; content=random, head_dim=16",
    *(f"{two}: dot_product, similarity" for two in ("learned+rope", "sine+sinusoidal")),
    "sinusoidal+rope+t5+alibi+kerple: trained_models",
    "sinusoidal+rope+alibi: similarity",
    *(str(Spec.of(name)) for name in KINDS),
]


def sheet(line=THREE, **look) -> Sheet:
    (spec,) = read(line)
    values = spec.clamp(spec.all_values)
    return Sheet(spec.draw(), spec.encodings_at(values), values, **look)


def words(drawn: Sheet) -> list[tuple[str, object]]:
    """Return every text that is seen, and where it is in the figure; numbers that another one replaces are not seen."""
    drawn.figure.canvas.draw()
    renderer, found = drawn.figure.canvas.get_renderer(), []
    for pen in drawn.pens:
        gone = {(at, 0) if axis == "x" else (0, at) for axis, at in pen._hidden}  # numbers that another one replaces
        ground = [t for t in pen.ground.drawn if not (isinstance(t, Text) and t.get_position() in gone)]
        for text in (*ground, *pen.marks.drawn):
            if isinstance(text, Text) and text.get_text().strip():
                found.append((text.get_text(), text.get_window_extent(renderer)))
    return found


def touching(drawn: Sheet) -> list[str]:
    """Return pairs of texts that lie over each other, and texts that leave the page."""
    seen, (high, wide) = words(drawn), drawn.figure.bbox.size[::-1]
    wrong = [
        f"{t!r} leaves the page"
        for t, box in seen
        if box.x0 < -1 or box.y0 < -1 or box.x1 > wide + 1 or box.y1 > high + 1
    ]
    for k, (one, box) in enumerate(seen):
        for other, there in seen[:k]:
            across = min(box.x1, there.x1) - max(box.x0, there.x0)
            up = min(box.y1, there.y1) - max(box.y0, there.y0)
            if across > 2 and up > 0.35 * min(box.height, there.height):
                wrong.append(f"{one!r} over {other!r}")
    return wrong


def test_the_views_of_one_encoding_stay_together_where_they_do_not_fit_into_a_row():
    views = [VIEWS[name] for name in ("trajectory", "heatmap", "dot_product")]
    places, _ = arranged(views * 2, 2, 850, named=True)
    tops = [top for _, top, *_ in places]
    assert len({*tops[:3]} & {*tops[3:]}) == 0
    assert max(tops[:3]) < min(tops[3:])


@pytest.mark.parametrize("width", [None, 358])
def test_no_two_texts_touch_and_none_leaves_the_page(width):
    found = {line: wrong for line in LINES if (wrong := touching(sheet(line, width=width)))}
    assert found == {}


def at_its_ends(panel):
    """Yield each slider's name and value, at its first and last value while the others stand where they begin."""
    for name, slider in panel.sliders.items():
        values = slider.options if hasattr(slider, "options") else (slider.min, slider.max)
        for value in (values[0], values[-1]):
            panel.reset()
            slider.value = value[1] if isinstance(value, tuple) else value
            yield name, slider.value


@pytest.mark.slow
def test_no_two_texts_touch_at_either_end_of_any_slider_of_any_view():
    found = {}
    for view in VIEWS:
        name = next(name for name in KINDS if VIEWS[view].fits(KINDS[name]))
        panel = explore(name, views=view)
        for slider, value in at_its_ends(panel):
            if wrong := touching(panel.panel):
                found[f"{name}: {view}; {slider}={value}"] = wrong
        panel.close()
    assert found == {}


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_explorers_of_a_lesson_fill_their_pictures_and_no_two_texts_touch_on_a_desk_a_phone_or_a_wall(path):
    first, *others = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    found = {}
    for source in (source for source in others if "explore(" in source):
        space = {}
        exec(first + "\nlast = None\n" + re.sub(r"^explore\(", "last = explore(", source, flags=re.M), space)
        if (panel := space["last"]) is None:
            continue
        filled = sum(pen.ax.get_position().width * pen.ax.get_position().height for pen in panel.panel.pens)
        assert filled >= (0.56 if len(panel.panel.encodings) == 1 else 0.48), source
        for slider, value in at_its_ends(panel):
            shown = panel.panel
            for width in (None, 358, 731):  # 1280 px, and what they are at 1.75 times the size
                drawn = shown if width is None else Sheet(shown.views, shown.encodings, shown.values, width=width)
                if wrong := touching(drawn):
                    found[f"{source}: {width}; {slider}={value}"] = wrong
        panel.close()
    assert found == {}


def test_plots_of_a_row_are_level_squares_are_square_and_nothing_is_blank_beside_them():
    for line in LINES:
        drawn = sheet(line)
        wide, high = drawn.size
        boxes = [pen.ax.get_position().extents * (wide, high, wide, high) for pen in drawn.pens]
        for pen, (left, low, right, top) in zip(drawn.pens, boxes, strict=True):
            level = [b for b in boxes if abs(b[1] - low) < 30]
            assert max(b[3] for b in level) - min(b[3] for b in level) < 0.01
            if pen.view.square:
                assert right - left == pytest.approx(top - low, abs=0.5)
        assert wide - max(box[2] for box in boxes) <= 8.5


def test_plots_fill_most_of_the_picture():
    for line in LINES[:7]:
        drawn = sheet(line)
        areas = [pen.ax.get_position().width * pen.ax.get_position().height for pen in drawn.pens]
        assert sum(areas) >= (0.56 if len(drawn.encodings) == 1 else 0.48), line


def test_a_narrow_page_stacks_its_views_and_stretches_none():
    drawn = sheet(width=358)
    assert drawn.size[0] == 358
    tops = [pen.ax.get_position().y1 for pen in drawn.pens]
    assert tops == sorted(tops, reverse=True)
    assert [round(pen.size[0]) for pen in drawn.pens] == [310, 310, 310]
    assert BETWEEN == 32


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_saved_picture_is_the_same_bytes_every_time(tmp_path, suffix):
    one, other = (sheet().save(tmp_path / f"{name}.{suffix}").read_bytes() for name in ("one", "other"))
    assert one == other
    assert not re.search(rb"20\d\d-\d\d-\d\d|/home/|/root/", one)
    if suffix == "png":
        assert Image.open(io.BytesIO(one)).size == (2016, 728)
    if suffix == "svg":
        assert b"Pair 8 goes round once" in one


def test_a_file_shows_what_the_live_picture_shows():
    drawn = sheet()
    live = np.asarray(Image.open(io.BytesIO(drawn.frame())).convert("RGB")).astype(int)
    file = np.asarray(Image.open(io.BytesIO(drawn.picture("png", 150))).convert("RGB")).astype(int)
    assert (np.abs(live - file).max(axis=2) > 64).mean() < 0.01  # letters lie on other parts of a pixel


def test_what_a_teacher_adds_to_the_axes_is_there():
    drawn = sheet()
    before = drawn.frame()
    ax = drawn.figure.axes[2]
    ax.plot([0, 63], [30, 30], color="k", lw=4)
    ax.annotate("look", (20, 10))
    drawn.forget()
    live = np.asarray(Image.open(io.BytesIO(drawn.frame())))
    x, y = ax.transData.transform((50, 30))
    assert live[round(live.shape[0] - y), round(x), :3].max() < 60
    assert drawn.frame() != before
    assert b"look" in drawn.picture("svg")


def test_what_is_not_written_whole_changes_nothing(tmp_path, monkeypatch):
    path = sheet("binary: heatmap").save(tmp_path / "picture.svg")
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(type(path), "replace", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            sheet().save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_axes_are_drawn_again_only_where_they_changed(monkeypatch):
    panel = explore("sinusoidal", views=["trajectory", "heatmap", "dot_product"], start={"seq_len": 30})
    drawn, draw = [], type(panel.panel.pens[0].ground).draw
    names = {pen.ground: pen.view.name for pen in panel.panel.pens}
    monkeypatch.setattr(
        type(panel.panel.pens[0].ground),
        "draw",
        lambda marks, to, *part: (drawn.append(names.get(marks)), draw(marks, to, *part)),
    )
    panel.set(base=5e3)
    assert set(drawn) == {None}  # marks alone
    panel.set(seq_len=31)
    assert set(drawn) == {None, "heatmap", "dot_product"}


def test_encoded_pixels_come_back_unchanged():
    for height in (1, 2, 200):
        rgba = np.random.default_rng(0).integers(0, 256, size=(height, 7, 4), dtype=np.uint8)
        with Image.open(io.BytesIO(encode(rgba))) as picture:
            np.testing.assert_array_equal(np.asarray(picture), rgba)


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
