"""The playground: every encoding with every view, states that open again, presets, play, and nothing left behind."""

import gc
import io
import re
import subprocess
import sys

import ipywidgets as widgets
import pytest
from PIL import Image

from posenc_lib import explore, playground, present
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.live import presenter
from posenc_lib.live.choices import fits
from posenc_lib.live.explorer import Explorer, inside
from posenc_lib.live.play import Player, steps
from posenc_lib.live.presets import PRESETS
from posenc_lib.live.state import read_state, write_state
from posenc_lib.views import VIEWS

PAIRS = [(name, view) for name in ENCODINGS for view in VIEWS if fits(view, [name])]


@pytest.fixture
def ground():
    made = playground()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def at_a_desk():
    yield
    present(False)


def ends(slider):
    values = steps(slider)
    return (values[0], values[-1])


def picture(ground):
    return [bytes(side._picture.value) for side in ground.sides]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "view"), PAIRS, ids=lambda x: x)
def test_every_encoding_with_every_view_at_both_ends_of_every_slider(name, view):
    ground = playground(state=f"{name}: {view}")
    side = ground.sides[0]
    assert "drawn is" in ground._note.value
    for slider_name, slider in reversed(side.sliders.items()):  # the length last: it leaves the others their room
        for value in ends(slider):
            slider.value = value
            assert side._news.value == "", (slider_name, value)
            assert side.values[slider_name] == value
            assert re.match(r"[\w( ,)-]+: ", ground.text)
            assert "nan" not in ground.text
    ground.close()


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_opens_as_it_is_written_and_so_does_its_line(preset, ground):
    ground.open(preset)
    assert PRESETS[preset][1] in ground._news.value.replace("&#x27;", "'")
    assert "Moved to fit" not in ground._news.value
    for wanted, side in zip(read_state(PRESETS[preset][0]), ground.sides, strict=True):
        assert side.names == wanted.names
        assert side.state.views == wanted.views
        assert wanted.values.items() <= side.values.items()
    other = playground(state=ground.state())
    assert other.state() == ground.state()
    assert other.text == ground.text
    assert picture(other) == picture(ground)
    other.close()


def test_switching_keeps_what_both_have_and_says_what_had_to_move(ground):
    ground.open("integer: heatmap; seq_len=100, d_model=7")
    ground._choices.a.value = "sinusoidal"
    assert ground.values[0] | {"seq_len": 100, "d_model": 8} == ground.values[0]
    assert "Moved to fit: d_model 7 → 8." in ground._news.value
    ground._choices.a.value = "binary"
    assert ground.values[0]["seq_len"] == 100
    ground.sides[0].set(d_model=10)
    ground._choices.a.value = "rope"
    assert ground.values[0]["head_dim"] == 8
    ground.open("sinusoidal: heatmap; seq_len=200, d_model=4")
    ground._choices.a.value = "binary"
    assert ground.values[0]["seq_len"] == 16
    assert "seq_len 200 → 16" in ground._news.value


def test_views_that_fit_stay_and_others_make_room(ground):
    assert [drop.value for drop in ground._choices.views] == ["trajectory", "heatmap", "dot_product"]
    ground._choices.a.value = "alibi"
    views = [drop.value for drop in ground._choices.views]
    assert views[0] == "dot_product"
    assert all(fits(view, ["alibi"]) for view in views)
    for drop in ground._choices.views:
        assert all(not view or fits(view, ["alibi"]) for _, view in drop.options)
    ground._choices.views[1].value = ""
    assert len(ground.sides[0].state.views) == 2
    assert "it has no vectors" in ground._note.value


def test_two_encodings_share_sliders_or_have_their_own(ground):
    ground._choices.b.value = "rope"
    (side,) = ground.sides
    assert "head_dim" not in side.sliders
    side.sliders["d_model"].value = 16
    assert side.values["head_dim"] == side.values["d_model"] == 16
    ground._choices.apart.value = True
    one, other = ground.sides
    one.sliders["seq_len"].value = 20
    assert other.values["seq_len"] != 20
    assert [name for name in ground._player.which.options if "seq_len" in name] == ["A seq_len", "B seq_len"]
    ground._choices.b.value = ""
    assert len(ground.sides) == 1
    ground._choices.b.value = ground._choices.a.value  # the same twice is one
    assert len(ground.sides) == 1


@pytest.mark.parametrize("pair", [("binary", "rope"), ("sine", "sinusoidal"), ("learned", "alibi"), ("t5", "shaw")])
def test_shared_sliders_reach_both_ends(pair):
    ground = playground(state="+".join(pair))
    for slider in ground.sides[0].sliders.values():
        for value in ends(slider):
            slider.value = value
            assert ground.sides[0]._news.value == ""
        ground.sides[0].reset()
    ground.close()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("rop", "name must be one of"),
        ("rope: heatmaps", "views must be one of"),
        ("alibi: heatmap", "views must fit alibi"),
        ("rope; theta=3", "state must set parameters as NAME=VALUE"),
        ("rope; base=x", "base must be a number, got 'x'"),
        ("rope; seq_len=0", "seq_len must be between 1 and 4096, got 0"),
        ("rope | sine | t5", "state must describe one panel or two, got 3"),
        ("", "state must be like"),
    ],
)
def test_a_line_that_cannot_be_opened_says_why_and_changes_nothing(ground, line, message):
    before = ground.state()
    with pytest.raises(ValueError, match=re.escape(message)):
        ground.open(line)
    with pytest.raises(ValueError, match=re.escape(message)):
        playground(state=line)
    if line:
        ground._choices.line.value = line
        assert 'role="alert"' in ground._news.value
    assert ground.state() == before


def test_wrong_calls():
    with pytest.raises(ValueError, match="preset must be one of"):
        playground("base 100 raps")
    with pytest.raises(TypeError, match="a preset or a state, not both"):
        playground("base 100 wraps", state="rope")
    with pytest.raises(TypeError, match="state must be a line of text, got 3"):
        playground(state=3)
    with pytest.raises(TypeError, match="on must be True or False, got 1"):
        present(1)


def test_a_line_is_read_as_it_was_written():
    line = "rope+alibi: dot_product, similarity; seq_len=64, base=500000, pairing=half | sine: waves"
    assert write_state(read_state(line)) == line
    assert (
        write_state(
            read_state(" rope + alibi :dot_product,similarity;seq_len = 64,base=500000,pairing=half|sine:waves")
        )
        == line
    )


def test_play_moves_one_slider_step_by_step_and_rests_where_it_cannot(ground):
    player = ground._player
    player.which.value = "base"
    slider = ground.sides[0].sliders["base"]
    assert steps(slider)[player.button.value] == slider.value == 10_000
    player.button.value = 3
    assert slider.value == steps(slider)[3]
    player.which.value = "query"
    slider = ground.sides[0].sliders["query"]
    assert player.button.max == slider.max
    player.button.value = 40
    assert slider.value == 40
    ground.sides[0].set(seq_len=8)
    player.button.value = 50  # farther than the text reaches now
    assert slider.value == 7
    player.speed.value = "fast"
    assert player.button.interval == 120
    player.button.playing = True
    ground._choices.a.value = "rope"
    assert not player.button.playing
    assert player.which.value == "query"  # still the one that is played


def test_a_player_without_sliders_does_nothing():
    player = Player()
    player.attach({})
    player.button.value = 1
    assert player.slider is None


def test_the_command_draws_the_same_picture(ground, tmp_path):
    ground.open("rope+alibi: dot_product, similarity; seq_len=40, num_heads=4, query=7")
    command = ground.command()
    assert command.startswith("python -m posenc_lib figures make rope+alibi:dot_product,similarity --set seq_len=40")
    done = subprocess.run(
        command.replace("python", sys.executable, 1), shell=True, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    ours = explore(["rope", "alibi"], views=["dot_product", "similarity"], seq_len=40, num_heads=4, query=7)
    assert (tmp_path / "rope-alibi-dot_product-similarity.png").read_bytes()[:8] == ours.save(
        tmp_path / "a.png"
    ).read_bytes()[:8]
    made, same = (Image.open(tmp_path / name).tobytes() for name in ("rope-alibi-dot_product-similarity.png", "a.png"))
    assert made == same


def test_buttons_save_a_film_and_show_line_command_and_scores(ground, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ground.open("binary: heatmap; seq_len=8, d_model=3")
    buttons = {w.description: w for w in inside(ground.box) if isinstance(w, widgets.Button)}
    ground._player.which.value = "seq_len"
    buttons["Save GIF"].click()
    assert "Saved as binary_seq_len.gif" in ground._news.value
    with Image.open(tmp_path / "binary_seq_len.gif") as film:
        assert film.n_frames == 7
    buttons["Line to share"].click()
    assert "binary: heatmap; seq_len=8" in ground._news.value
    buttons["Figures command"].click()
    assert "figures make binary:heatmap" in ground._news.value
    buttons["Scorecard"].click()
    assert "binary: 3 of 7" in ground._news.value
    assert Image.open(io.BytesIO(ground._scores.value)).width > 800
    tmp_path.chmod(0o500)
    try:
        monkeypatch.setattr("posenc_lib.live.playground.atomic_write", refuse)
        buttons["Save GIF"].click()
        assert "Not saved: " in ground._news.value
    finally:
        tmp_path.chmod(0o700)


def refuse(path, data):
    raise OSError(13, "Permission denied")


def test_for_the_last_row_words_and_lines_are_larger():
    usual = explore("sinusoidal")
    present()
    large = explore("sinusoidal")
    assert large.figure.get_size_inches()[0] == presenter.WIDTH  # two views in a row, the third below
    assert large._picture.layout.max_width == "100%"
    assert presenter.CLASS in large.box._dom_classes
    assert usual.figure.get_size_inches()[0] == 10
    present(False)
    assert explore("sinusoidal").figure.get_size_inches()[0] == 10
    ground = playground()
    projector = next(w for w in inside(ground.box) if getattr(w, "description", "") == "Projector")
    before = ground.state()
    projector.click()
    assert ground.sides[0].figure.get_size_inches()[0] == presenter.WIDTH
    assert ground.state() == before


@pytest.mark.parametrize(
    "line", ["rope: heatmap | alibi: dot_product", "alibi: attention_span | rope: heatmap, clock", "t5: bucket_by_offset | t5: attention_span"]
)
def test_panels_may_have_views_that_the_other_cannot_show(ground, line):
    ground.open(line)
    assert [str(side.state).split(";")[0] for side in ground.sides] == line.split(" | ")
    other = playground(state=ground.state())
    assert other.text == ground.text
    other.close()


def test_what_a_view_ignores_is_kept_for_the_next_one(ground):
    ground.open("rope: clock; pairing=half, content=random, base=500")
    assert "pairing" not in ground.sides[0].sliders
    assert "pairing half" not in ground.text
    ground._choices.views[0].value = "heatmap"
    assert "base 500, pairing half, content random" in ground.text


def test_stored_it_is_a_picture_and_words(ground):
    data, metadata = ground._repr_mimebundle_()
    assert {"text/html", "image/png", "text/plain", "application/vnd.jupyter.widget-view+json"} == set(data)
    assert data["text/plain"] == ground.text == repr(ground)
    assert metadata["image/png"]["width"] == 1000


SWITCHES = """
import random, sys
from posenc_lib import playground
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.live.play import steps
from tests.trust.drags import held

ground, rng, names = playground(state="rope: similarity"), random.Random(7), list(ENCODINGS)

def switch(times):
    for k in range(times):
        ground._choices.a.value = names[k % len(names)]
        slider = rng.choice(list(ground.sides[0].sliders.values()))
        if not slider.disabled:
            slider.value = rng.choice(steps(slider))
    memory, figures, widgets = held()
    return memory, figures, len(widgets)

before, after = switch(36), switch(204)
print(after[0] - before[0], before[1:] == after[1:], after[1], "matplotlib.pyplot" in sys.modules)
"""


@pytest.mark.slow
def test_two_hundred_switches_leave_nothing_behind(root, record_property):
    switching = subprocess.run([sys.executable, "-c", SWITCHES], cwd=root, capture_output=True, text=True, check=True)
    shown = switching.stdout.split()
    record_property("204 switches of the playground", f"{float(shown[0]):+.1f} MB")
    assert float(shown[0]) < 20  # MB
    assert shown[1:] == ["True", "1", "False"]  # the same widgets, one figure, no pyplot


def test_a_closed_playground_leaves_nothing_behind():
    gc.collect()
    before = len(widgets.widget._instances), sum(issubclass(type(thing), Explorer) for thing in gc.get_objects())
    for _ in range(3):
        playground("an idea that survives").close()
    gc.collect()
    assert (
        len(widgets.widget._instances),
        sum(issubclass(type(thing), Explorer) for thing in gc.get_objects()),
    ) == before


@pytest.mark.slow
@pytest.mark.parametrize("first", ENCODINGS)
def test_every_encoding_stands_beside_every_other(first):
    ground = playground(state=f"{first}: similarity")
    for other in ENCODINGS:
        ground._choices.b.value = other
        assert 'role="alert"' not in ground._news.value
        assert [name for side in ground.sides for name in side.names] == list(dict.fromkeys([first, other]))
    ground.close()


def test_a_value_that_the_other_does_not_take_moves_to_the_nearest(ground):
    ground.open("sine: heatmap; d_model=1")
    ground._choices.b.value = "sinusoidal"
    assert ground.values[0]["d_model"] == 2
    assert "Moved to fit: d_model 1 → 2" in ground._news.value
    ground.open("binary+rope: heatmap; d_model=8, head_dim=64")
    assert "head_dim 64 → 8" in ground._news.value


def test_a_choice_that_cannot_be_drawn_is_a_line_of_text(ground, monkeypatch):
    def refuse(panel):
        raise ValueError("cannot be drawn")

    before = ground.state()
    monkeypatch.setattr("posenc_lib.live.playground.build", refuse)
    ground._choices.a.value = "rope"
    assert 'role="alert"' in ground._news.value
    assert "cannot be drawn" in ground._news.value
    assert ground._choices.a.value == "sinusoidal"
    assert ground.state() == before


def test_lists_say_what_is_chosen_and_a_preset_opens_again():
    ground = playground("Shaw clips")
    assert PRESETS["Shaw clips"][1] in ground._news.value
    for drop in (ground._choices.b, ground._choices.preset, *ground._choices.views):
        assert drop.index is not None
    for _ in range(2):
        ground._choices.preset.value = "Shaw clips"
        assert ground.sides[0].names == ["shaw"]
        ground._choices.a.value = "binary"
    ground.close()


def test_what_has_no_room_to_move_is_said(ground):
    ground.open("rope: vectors; head_dim=2")
    ground._player.which.value = "pair"
    ground._save_gif()
    assert "pair has no room to move here" in ground._news.value
    assert 'role="alert"' not in ground._news.value


def test_sines_meet_where_the_lesson_says():
    assert "11 and 99, 0.0127 apart" in playground("sine meets itself").text
