"""A panel: several views in one figure, the files it writes, the same bytes every time."""

import os
import re

import pytest
from PIL import Image

from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.sample import Sample
from posenc_lib.files import atomic_write
from posenc_lib.views import VIEWS, Panel

VALUES = {p.name: p.default for view in VIEWS.values() for p in view.parameters} | {"query": 3}


def panel(views=("trajectory", "heatmap", "dot_product"), name="sinusoidal", **parameters):
    sample = Sample(ENCODINGS[name], **parameters)
    return Panel([VIEWS[view]() for view in views], [sample], sample.parameters | VALUES)


def rows(needs):
    """Return the views that want one of these, three by three, as a panel's row has them."""
    views = [view for view in VIEWS if VIEWS[view].needs in needs]
    return [views[k : k + 3] for k in range(0, len(views), 3)]


FEEDS = {"rotary": "rope", "reads": "t5", "biases": "alibi", "score_terms": "transformer_xl"}  # the rest sinusoidal feeds
ROWS = [(FEEDS.get(VIEWS[view].needs, "sinusoidal"), [view]) for view in VIEWS]
ROWS += [("sinusoidal", views) for views in [*rows({"table", "waves", "additive", "shift"}), ["heatmap", "similarity"]]]
ROWS += [("t5", views) for views in rows({"reads", "biases", "scores"})] + [("transformer_xl", ["score_terms", "similarity"])]
ROWS += [("learned", ["heatmap", "odometer"])]  # small numbers make long labels
ROWS += [("binary", views) for views in rows({"table"})] + [("rope", views) for views in rows({"rotary", "shift"})]

ROWS += [(name, record.views) for name, record in ENCODINGS.items()]


@pytest.mark.parametrize(("name", "views"), ROWS, ids=lambda x: x if isinstance(x, str) else "+".join(x))
def test_views_do_not_overlap_and_stay_on_the_page(name, views):
    figure = panel(views, name, seq_len=4).figure
    figure.canvas.draw()
    page = figure.bbox
    boxes = [ax.get_tightbbox() for ax in figure.axes]
    for k, box in enumerate(boxes):
        assert page.x0 <= box.x0 < box.x1 <= page.x1
        assert page.y0 <= box.y0 < box.y1 <= page.y1
        assert not any(box.overlaps(other) for other in boxes[:k])


@pytest.mark.parametrize("names", [["learned", "rope"], ["transformer_xl", "alibi"], ["sinusoidal", "t5"]])
def test_names_of_encodings_stay_within_their_views(names):
    both = [Sample(ENCODINGS[name], seq_len=9) for name in names]
    views = [VIEWS[view]() for _ in names for view in ("dot_product", "similarity", "attention_row")]
    values = {key: value for sample in both for key, value in sample.parameters.items()}
    figure = Panel(views, both, values | VALUES).figure
    figure.canvas.draw()
    boxes = [ax.get_tightbbox() for ax in figure.axes]
    for k, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:k])


def test_words_name_the_encoding_its_settings_and_every_view():
    text = panel(seq_len=12, base=50.0).describe()
    assert "layout concatenated" in panel(layout="concatenated").describe()
    assert text.startswith("Sinusoidal: seq_len 12, d_model 64, base 50.")
    assert "Points: " in text
    assert "Table: 12 positions × 64 dims" in text
    assert "Dot products of position 3: 32 with itself" in text


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_saved_picture_is_the_same_bytes_every_time(tmp_path, suffix):
    one = panel().save(tmp_path / f"one.{suffix}").read_bytes()
    other = panel().save(tmp_path / f"other.{suffix}").read_bytes()
    assert one == other
    assert not re.search(rb"20\d\d-\d\d-\d\d|/home/|/root/", one)


def test_png_is_sharp_and_svg_keeps_its_text(tmp_path):
    with Image.open(panel().save(tmp_path / "a.png")) as picture:
        assert picture.size == (2000, 700)
    assert "Positions as points" in panel().save(tmp_path / "a.svg").read_text(encoding="utf-8")


def test_other_files_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"path must end in \.png, \.svg or \.pdf, got 'a\.gif'"):
        panel().save(tmp_path / "a.gif")


def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "a.png"
    path.write_bytes(b"old")

    def interrupted(self, target):
        raise KeyboardInterrupt

    monkeypatch.setattr(type(path), "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        atomic_write(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_a_file_keeps_its_mode_and_a_read_only_one_its_bytes(tmp_path):
    path = tmp_path / "picture.svg"
    atomic_write(path, b"old")
    path.chmod(0o600)
    atomic_write(path, b"new")
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o444)
    with pytest.raises(PermissionError, match="read-only"):
        atomic_write(path, b"newer")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]
