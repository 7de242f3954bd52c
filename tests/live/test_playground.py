"""The playground: what can be chosen beside what, lines that open again, presets, play, and nothing left behind."""

import html
import io
import re
import shlex
from unittest.mock import Mock

import ipywidgets as widgets
import pytest
from PIL import Image

from posenc_lib import playground, present
from posenc_lib.__main__ import main
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.live import projector
from posenc_lib.live.controls import steps
from posenc_lib.live.page import inside
from posenc_lib.live.picker import fits
from posenc_lib.live.play import Player
from posenc_lib.live.presets import PRESETS
from posenc_lib.spec import read
from tests.trust.interleaving import held

from ..conftest import mostly_slow


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


LINES = (
    "rope: heatmap | alibi: dot_product",
    "alibi: attention_span | rope: heatmap, clock",
    "t5: bucket_by_offset | t5: attention_span",
)


@pytest.mark.parametrize("text", [*mostly_slow(PRESETS, 5), *LINES])
def test_a_preset_or_a_line_opens_as_it_is_written_and_so_does_its_own_line(text, ground):
    line, told, moves, *_ = PRESETS.get(text, (text, "", ()))
    for _ in range(2):  # a preset can be asked for again
        (ground._picker.preset if told else ground._picker.line).value = text
        assert told in html.unescape(ground._note.value)
        assert ground._picker.preset.value == (text if told else "")
        assert [*moves] == [*ground.sides[0].live][: len(moves)]
        assert 1 <= sum(len(side.live) for side in ground.sides) <= 4
        assert not moves or ground._player.which.value.split()[-1] == moves[0]
        assert "Moved to fit" not in ground._said.value
        for wanted, now in zip(read(line), ground.specs, strict=True):
            assert (now.names, now.views) == (wanted.names, wanted.views)
            assert wanted.values.items() <= now.values.items()
        seen = shown(ground)
        for drop in (ground._picker.b, ground._picker.preset, *ground._picker.views):
            assert drop.index is not None  # a list says what is chosen
        ground._picker.a.value = "normalized"
    ground.open(seen[0])
    assert shown(ground) == seen


REFUSED = {
    "rop": "ValueError: 'rop' is not in the catalog (did you mean 'rope' or",
    "base 100 raps": "or did you mean the preset 'base 100 wraps'?",
    "rope: heatmaps": "ValueError: views must be a known name (did you mean 'heatmap'?)",
    "alibi: heatmap": "ValueError: views must fit alibi",
    "rope; theta=3": "ValueError: the line must set parameters of rope, which has no 'theta' here",
    "rope; theta": "ValueError: the line must set parameters as NAME=VALUE, got 'theta'",
    "rope; base=x": "ValueError: base must be a number, got 'x'",
    "rope; seq_len=0": "ValueError: seq_len must be between 1 and 4096, got 0",
    "rope | sine | t5": "ValueError: the line must describe at most 2 panels, got 3",
    "": "ValueError: the line must be like",
    "alibi: dot_product seq_len=48": 'a ";" before its values, as in "alibi: dot_product; seq_len=48", got',
    "t5: bucket_map, clip = 4, query=3": 'as in "t5: bucket_map; clip = 4, query=3"',
    "rope+rope: clock": 'two of one are two panels, as in "rope: … | rope: …"',
    3: "TypeError: the line must be text, got 3",
}


def test_a_line_that_cannot_be_opened_says_why_and_changes_nothing(ground):
    before = ground.line
    for line, error in REFUSED.items():
        for call in (ground.open, playground):
            with pytest.raises((TypeError, ValueError)) as caught:
                call(line)
            assert error in f"{caught.type.__name__}: {caught.value}"
        if line and isinstance(line, str):
            ground._picker.line.value = line
            assert 'role="alert"' in ground._below.value  # beside the line, not above the pictures
            assert "span" not in ground._news.value
        assert ground.line == before


SWITCHED = (
    ("integer: heatmap; seq_len=100, d_model=7", "a sinusoidal", {"seq_len": 100, "d_model": 8}, "d_model 7 → 8"),
    ("sinusoidal: heatmap; seq_len=100, d_model=8", "a binary", {"seq_len": 100, "d_model": 8}, ""),
    ("sinusoidal: heatmap; seq_len=200, d_model=4", "a binary", {"seq_len": 16}, "seq_len 200 → 16"),
    ("binary+rope: heatmap; d_model=8, head_dim=64", "b rope", {"head_dim": 8}, "head_dim 64 → 8"),
    ("rope: clock; pairing=half, base=500", "view heatmap", {"pairing": "half", "base": 500}, ""),
)


def test_switching_keeps_what_fits_and_says_what_had_to_move(ground):
    lists = {"a": ground._picker.a, "b": ground._picker.b, "view": ground._picker.views[0]}
    for line, choose, then, told in SWITCHED:
        ground.open(line)
        which, value = choose.split()
        lists[which].value = value
        (values,) = ground.values
        assert values | then == values
        assert told in ground._said.value


def test_views_stay_where_all_fit_and_else_those_come_that_show_it_best(ground):
    picker = ground._picker
    ground.open("ALiBi's rulers")
    picker.a.value = "sinusoidal"
    assert tuple(view.name for view in ground.specs[0].views) == ENCODINGS["sinusoidal"].views
    picker.a.value = "rope"
    assert tuple(view.name for view in ground.specs[0].views) == ENCODINGS["sinusoidal"].views
    picker.a.value = "alibi"
    assert picker.views[0].value == "head_biases"
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
    assert "head_dim" in ground.specs[1].values


def test_the_same_encoding_twice_differs_in_its_parameters_and_keeps_them(ground):
    picker, line = ground._picker, "rope: dot_product; base=10000 | rope: dot_product; base=500000"
    ground.open(line)
    picker.views[0].value = "heatmap"
    assert [spec.values["base"] for spec in ground.specs] == [10_000, 500_000]
    assert [side.heading for side in ground.sides] == [
        "A · Rotary (RoPE), base 10,000",
        "B · Rotary (RoPE), base 500,000",
    ]
    ground.sides[1].sliders["seq_len"].value = 20
    for side, told in zip(ground.sides, ("seq_len 64, base 10,000", "seq_len 20, base 500,000"), strict=True):
        assert f"Rotary (RoPE), {told}" in [pen.head[4:] for pen in side.panel.pens]
    ground.sides[1].sliders["seq_len"].value = 64
    picker.b.value = "sinusoidal"
    assert ground.specs[1].values["base"] == 500_000
    picker.apart.value = False
    assert "Both move together now; B had base 500000." in ground._said.value
    picker.b.value = "rope"
    assert len(ground.sides) == 2
    assert picker.apart.disabled  # there is no other way to tell them apart
    picker.b.value = "alibi"
    assert "heatmap · The table does not fit ALiBi." in ground._said.value
    assert len(ground.sides) == 1  # they are two again, and nobody has parted them


def test_back_leads_to_what_was_shown_before_the_last_choice(ground):
    back, lines = buttons(ground)["Back"], [ground.line]
    for choose in (lambda: ground.open("base 100 wraps"), lambda: setattr(ground._picker.b, "value", "rope")):
        choose()
        lines.append(ground.line)
    while len(lines) > 1:
        assert ground.line == lines.pop()
        back.click()
        assert ground.line == lines[-1]
        assert ("base 100 wraps" in ground._note.value) == (len(lines) == 2)
    back.click()
    assert "There is nothing to go back to." in ground._said.value


@pytest.mark.parametrize(
    ("line", "alike"),
    [
        ("integer+sinusoidal: similarity, heatmap; seq_len=8, d_model=8", True),
        ("learned+alibi: attention_row; seq_len=80, num_positions=64, causal=True", True),
        ("rope+alibi: dot_product", False),  # dot products and biases
        ("rope: score_by_offset; content=random | rope: score_by_offset; seq_len=20, content=random", True),
    ],
)
def test_what_shows_the_same_has_the_same_axes(ground, line, alike):
    def seen() -> bool:
        each = [pen for side in ground.sides for pen in side.panel.pens]
        ends = [{name: pen.limits[name] for name in pen.view.shares} for pen in each]
        return ends[: len(each) // 2] == ends[len(each) // 2 :]

    ground.open(line)
    assert seen() == alike
    ground.sides[-1].sliders["seq_len"].value = 12
    assert seen() == alike
    pictures = [side._picture.value for side in ground.sides]
    assert pictures == [side.panel.frame() for side in ground.sides]
    ground.open(ground.line)
    assert pictures == [side._picture.value for side in ground.sides]


def test_an_app_opens_what_its_address_asks_for(monkeypatch):
    for asked, line, told in (
        ("line=rope%3A%20clock%3B%20base%3D500", "rope: clock; seq_len=64, head_dim=64, base=500", ""),
        ("preset=base+100+raps", "sinusoidal: trajectory", "did you mean the preset &#x27;base 100 wraps&#x27;?"),
        ("colour=red", "sinusoidal: trajectory", ""),
    ):
        monkeypatch.setenv("QUERY_STRING", asked)
        ground = playground()
        assert ground.line.startswith(line)
        assert told in ground._said.value
        ground.close()


def test_a_choice_that_cannot_be_drawn_is_a_line_of_text(ground, monkeypatch):
    before, no_panel = ground.line, Mock(side_effect=ValueError("cannot be drawn"))
    monkeypatch.setattr("posenc_lib.live.playground.build", no_panel)
    ground._picker.a.value = "rope"
    assert re.search('role="alert".*cannot be drawn', ground._said.value)
    assert ground._picker.a.value == "binary"
    assert ground.line == before


def test_play_moves_one_slider_step_by_step_and_rests_where_it_cannot(ground):
    player = ground._player
    ground.open("sinusoidal: dot_product")
    player.which.value = "base"
    slider = player.slider
    assert steps(slider)[player.button.value] == slider.value == 10_000
    player.button.playing = True
    player.button.value = 3
    assert slider.value == steps(slider)[3]
    player.button.set_state({"playing": False, "value": 0})  # what the page's Stop sends
    assert slider.value == steps(slider)[3]
    assert player.button.value == 3  # from there Play goes on
    player.button.playing = True
    player.which.value = "query"
    player.button.playing = True
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


def test_buttons_copy_the_line_and_show_scores(ground):
    buttons(ground)["Copy line"].click()
    assert "binary: heatmap; seq_len=8" in ground._said.value
    buttons(ground)["Scorecard"].click()
    assert "binary: 3 of 9" in ground._said.value
    assert Image.open(io.BytesIO(ground._scores.value)).width > 800


def test_the_command_draws_the_same_picture(ground, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ground.open("rope+alibi: dot_product, similarity; seq_len=40, num_heads=4, query=7")
    buttons(ground)["Figures command"].click()
    assert f">{html.escape(ground.command)}<" in ground._below.value  # beside the button
    sent = monkeypatch.setattr(ground.sides[0]._picture, "send", Mock()) or ground.sides[0]._picture.send
    ground.sides[0]._picture.page = {"dark": False, "own": 1200, "width": 1200, "height": 1600}
    for name, text in (("Figures command", ground.command), ("Copy line", ground.line)):
        buttons(ground)[name].click()
        sent.assert_called_with({"copy": text})
        assert f"Copied: {html.escape(text)}<" in ground._said.value
    assert main(shlex.split(ground.command)[3:]) == 0
    (made,) = tmp_path.iterdir()
    ours = ground.sides[0].save("ours.png")
    assert Image.open(made).tobytes() == Image.open(ours).tobytes()


def test_a_picture_is_saved_in_the_theme_and_the_width_that_are_chosen_as_its_command_draws_it(
    ground, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    ground.open("rope: dot_product, similarity; seq_len=40")
    ground.sides[0].theme.value, ground.sides[0].wide.value = "dark", 640
    buttons(ground)["Save PNG"].click()
    (saved,) = tmp_path.iterdir()
    ours = Image.open(saved)
    assert ours.width == 2 * 640
    assert ours.height < ours.width  # beside each other
    assert ours.convert("L").getpixel((2, 2)) < 60
    saved.unlink()
    assert ground.command.endswith(" --theme dark --width 640")
    assert main(shlex.split(ground.command)[3:]) == 0
    (made,) = tmp_path.iterdir()
    assert Image.open(made).tobytes() == ours.tobytes()
    projector.present(theme="dark")
    buttons(ground)["Scorecard"].click()
    assert Image.open(io.BytesIO(ground._scores.value)).convert("L").getpixel((2, 2)) < 60


def test_switching_and_closing_leave_nothing_behind():
    before, counts = held(), set()
    ground = playground("binary: waves, heatmap; seq_len=32 | sine: waves, heatmap; seq_len=32")
    for _ in range(2):
        for name in ("binary", "rope", "sine"):
            ground._picker.a.value = name
        figures, open_widgets = held()
        counts.add((figures, len(open_widgets)))
    assert len(counts) == 1
    ground.close()
    del ground
    assert held() == before
