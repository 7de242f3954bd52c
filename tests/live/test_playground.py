"""The playground: what can be chosen beside what, lines that open again, presets, play, and nothing left behind."""

import html
import io
import re
import shlex
import shutil
from unittest.mock import Mock

import ipywidgets as widgets
import pytest
from PIL import Image

from posenc_lib import explore, playground, present
from posenc_lib.__main__ import main
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.live import projector
from posenc_lib.live.controls import steps
from posenc_lib.live.page import inside
from posenc_lib.live.picker import fits
from posenc_lib.live.play import Player
from posenc_lib.live.presets import PRESETS
from posenc_lib.spec import read, write
from tests.trust.fake_frontend import held


@pytest.fixture
def ground():
    made = playground("binary: heatmap; seq_len=8, d_model=3")
    yield made
    made.close()
    present(False)


def shown(ground) -> tuple:
    return ground.line, ground.text, [side._picture.value for side in ground.sides]


def buttons(ground) -> dict:
    return {w.description: w for w in inside(ground.box) if isinstance(w, widgets.Button)}


@pytest.mark.slow
@pytest.mark.parametrize("name", ENCODINGS)
def test_every_encoding_stands_beside_every_other(name, ground):
    ground.open(f"{name}: similarity")
    for other in ENCODINGS:
        ground._picker.b.value = other
        assert 'role="alert"' not in ground._news.value
        assert ground.line.startswith(name if name == other else f"{name}+{other}:")


LINES = (
    "rope: heatmap | alibi: dot_product",
    "alibi: attention_span | rope: heatmap, clock",
    "t5: bucket_by_offset | t5: attention_span",
)


@pytest.mark.parametrize("text", [*PRESETS, *LINES])
def test_a_preset_or_a_line_opens_as_it_is_written_and_so_does_its_own_line(text, ground):
    line, told = PRESETS.get(text, (text, ""))
    for _ in range(2):  # a preset can be asked for again
        (ground._picker.preset if told else ground._picker.line).value = text
        assert told in ground._news.value.replace("&#x27;", "'")
        assert "Moved to fit" not in ground._news.value
        for wanted, now in zip(read(line), ground.specs, strict=True):
            assert (now.names, now.views) == (wanted.names, wanted.views)
            assert wanted.values.items() <= now.values.items()
        seen = shown(ground)
        for drop in (ground._picker.b, ground._picker.preset, *ground._picker.views):
            assert drop.index is not None  # a list says what is chosen
        ground._picker.a.value = "normalized"
    ground.open(seen[0])
    assert shown(ground) == seen


def test_a_line_is_read_as_it_was_written():
    line = "rope+alibi: dot_product, similarity; seq_len=64, base=500000, pairing=half | sine: waves"
    loose = " rope + alibi :dot_product,similarity;seq_len = 64,base=500000,pairing=half|sine:waves"
    assert write(read(line)) == write(read(loose)) == line


def test_a_view_opens_by_an_earlier_name_and_the_new_one_is_told(ground):
    ground.open("t5: staircase")
    assert "staircase is called bucket_by_offset now." in ground._news.value


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (
            "rop",
            "ValueError: rop is not in the catalog; give it: playground(line, own=[rop]) (or did you mean 'rope'?)",
        ),
        ("base 100 raps", "or did you mean the preset 'base 100 wraps'?"),
        ("rope: heatmaps", "ValueError: views must be a known name (did you mean 'heatmap'?)"),
        ("alibi: heatmap", "ValueError: views must fit alibi"),
        ("rope; theta=3", "ValueError: spec must set parameters of rope, which has no 'theta' here"),
        ("rope; theta", "ValueError: spec must set parameters as NAME=VALUE, got 'theta'"),
        ("rope; base=x", "ValueError: base must be a number, got 'x'"),
        ("rope; seq_len=0", "ValueError: seq_len must be between 1 and 4096, got 0"),
        ("rope | sine | t5", "ValueError: spec must describe at most 2 panels, got 3"),
        ("", "ValueError: spec must be like"),
        (3, "TypeError: spec must be a line of text, got 3"),
    ],
)
def test_a_line_that_cannot_be_opened_says_why_and_changes_nothing(ground, line, error):
    before = ground.line
    for call in (ground.open, playground):
        with pytest.raises((TypeError, ValueError)) as caught:
            call(line)
        assert error in f"{caught.type.__name__}: {caught.value}"
    if line and isinstance(line, str):
        ground._picker.line.value = line
        assert 'role="alert"' in ground._news.value
    assert ground.line == before


@pytest.mark.parametrize(
    ("line", "choose", "then", "told"),
    [
        ("integer: heatmap; seq_len=100, d_model=7", "a sinusoidal", {"seq_len": 100, "d_model": 8}, "d_model 7 → 8"),
        ("sinusoidal: heatmap; seq_len=100, d_model=8", "a binary", {"seq_len": 100, "d_model": 8}, ""),
        ("binary: heatmap; seq_len=100, d_model=10", "a rope", {"seq_len": 100, "head_dim": 8}, "head_dim 10 → 8"),
        ("sinusoidal: heatmap; seq_len=200, d_model=4", "a binary", {"seq_len": 16}, "seq_len 200 → 16"),
        ("sine: heatmap; d_model=1", "b sinusoidal", {"d_model": 2}, "Moved to fit: d_model 1 → 2"),
        ("binary+rope: heatmap; d_model=8, head_dim=64", "b rope", {"head_dim": 8}, "head_dim 64 → 8"),
        ("rope: clock; pairing=half, base=500", "view heatmap", {"pairing": "half", "base": 500}, ""),
    ],
)
def test_switching_keeps_what_fits_and_says_what_had_to_move(ground, line, choose, then, told):
    ground.open(line)
    which, value = choose.split()
    {"a": ground._picker.a, "b": ground._picker.b, "view": ground._picker.views[0]}[which].value = value
    (values,) = ground.values
    assert values | then == values
    assert told in ground._news.value


def test_views_that_fit_stay_and_others_make_room(ground):
    picker = ground._picker
    ground.open("sinusoidal: trajectory, heatmap, dot_product")
    picker.a.value = "alibi"
    assert picker.views[0].value == "dot_product"
    for drop in picker.views:
        assert fits(drop.value, ["alibi"])
        assert all(not view or fits(view, ["alibi"]) for _, view in drop.options)
    picker.views[1].value = ""
    assert len(ground.specs[0].views) == 2
    assert "it has no vectors" in ground._note.value


def test_two_encodings_share_sliders_or_have_their_own(ground):
    picker = ground._picker
    ground.open("sinusoidal+rope: dot_product")
    (side,) = ground.sides
    assert "head_dim" not in side.sliders
    side.sliders["d_model"].value = 16
    assert side.values["head_dim"] == side.values["d_model"] == 16
    picker.apart.value = True
    one, other = ground.sides
    one.sliders["seq_len"].value = 20
    assert other.values["seq_len"] != 20
    assert [name for name in ground._player.which.options if "seq_len" in name] == ["A seq_len", "B seq_len"]
    picker.b.value = picker.a.value  # the same twice is one
    assert len(ground.sides) == 1


def test_a_choice_that_cannot_be_drawn_is_a_line_of_text(ground, monkeypatch):
    before, no_panel = ground.line, Mock(side_effect=ValueError("cannot be drawn"))
    monkeypatch.setattr("posenc_lib.live.playground.build", no_panel)
    ground._picker.a.value = "rope"
    assert re.search('role="alert".*cannot be drawn', ground._news.value)
    assert ground._picker.a.value == "binary"
    assert ground.line == before


def test_play_moves_one_slider_step_by_step_and_rests_where_it_cannot(ground):
    player = ground._player
    ground.open("sinusoidal: dot_product")
    player.which.value = "base"
    slider = player.slider
    assert steps(slider)[player.button.value] == slider.value == 10_000
    player.button.value = 3
    assert slider.value == steps(slider)[3]
    player.which.value = "query"
    player.button.value = 40
    assert ground.values[0]["query"] == 40
    ground.sides[0].set(seq_len=8)
    player.button.value = 50  # farther than the text reaches now
    assert ground.values[0]["query"] == 7
    player.speed.value = "fast"
    assert player.button.interval == 120
    player.button.playing = True
    ground._picker.a.value = "rope"
    assert not player.button.playing
    assert player.which.value == "query"  # still the one that is played
    player = Player()
    player.attach({})
    player.button.value = 1  # without sliders nothing happens
    assert player.slider is None


def test_buttons_save_a_film_or_say_why_not_and_show_line_and_scores(ground, tmp_path, monkeypatch):
    folder = tmp_path / "there"
    folder.mkdir()
    monkeypatch.chdir(folder)
    press = {name: button.click for name, button in buttons(ground).items()}
    press["Line to share"]()
    assert "binary: heatmap; seq_len=8" in ground._news.value
    press["Scorecard"]()
    assert "binary: 3 of 7" in ground._news.value
    assert Image.open(io.BytesIO(ground._scores.value)).width > 800
    ground._player.which.value = "seq_len"
    press["Save GIF"]()
    assert "Saved as binary_seq_len.gif" in ground._news.value
    with Image.open(folder / "binary_seq_len.gif") as film:
        assert film.n_frames == 7
    shutil.rmtree(folder)
    press["Save GIF"]()
    assert 'role="alert"' in ground._news.value
    assert "Not saved: " in ground._news.value
    ground.open("rope: vectors; head_dim=2")
    ground._player.which.value = "pair"
    press["Save GIF"]()
    assert 'role="status"' in ground._news.value
    assert "pair has no room to move here" in ground._news.value


def test_the_command_draws_the_same_picture(ground, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ground.open("rope+alibi: dot_product, similarity; seq_len=40, num_heads=4, query=7")
    buttons(ground)["Figures command"].click()
    assert html.escape(ground.command) in ground._news.value
    assert main(shlex.split(ground.command)[3:]) == 0
    (made,) = tmp_path.iterdir()
    ours = ground.sides[0].save("ours.png")
    assert Image.open(made).tobytes() == Image.open(ours).tobytes()


def test_for_the_last_row_words_and_lines_are_larger(ground):
    usual, before = explore("sinusoidal"), ground.line
    present()
    large = explore("sinusoidal")
    assert large.figure.get_size_inches()[0] == projector.WIDTH  # two views in a row, the third below
    assert large._picture.layout.max_width == "100%"
    assert projector.CLASS in large.box._dom_classes
    assert usual.figure.get_size_inches()[0] == 10
    buttons(ground)["Projector"].click()
    assert not projector.presenting()
    buttons(ground)["Projector"].click()
    assert projector.CLASS in ground.box._dom_classes
    assert ground.sides[0]._picture.layout.max_width == "100%"
    assert ground.line == before
    with pytest.raises(TypeError, match="on must be True or False, got 1"):
        present(1)


def test_stored_it_is_a_picture_and_words(ground):
    ground.open("sine meets itself")
    data, metadata = ground._repr_mimebundle_()
    assert data.keys() == {"text/html", "image/png", "text/plain", "application/vnd.jupyter.widget-view+json"}
    assert data["text/plain"] == ground.text == repr(ground)
    assert "11 and 99, 0.0127 apart" in ground.text  # as its preset says
    assert metadata["image/png"]["width"] == 860


def test_switching_and_closing_leave_nothing_behind():
    (_, *before), counts = held(), set()
    ground = playground("an idea that survives")
    for _ in range(3):
        for name in ("binary", "rope", "sine"):
            ground._picker.a.value = name
        _, figures, open_widgets = held()
        counts.add((figures, len(open_widgets)))
    assert len(counts) == 1
    ground.close()
    del ground
    assert held()[1:] == tuple(before)
