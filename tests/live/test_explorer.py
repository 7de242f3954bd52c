"""An explorer: its sliders and how far they go, what it refuses, stores and saves."""

import base64
import io
import re
import sys
from contextlib import nullcontext
from unittest.mock import Mock

import numpy as np
import pytest
from PIL import Image

from posenc_lib import explore, figure
from posenc_lib.encodings.base import Encoding
from posenc_lib.live.explorer import Explorer
from posenc_lib.live.settings import NO_ROOM, Settings, steps
from posenc_lib.spec import Spec

from ..conftest import same_pixels
from .conftest import shown


def test_ranges_steps_options_and_fixed_values_override_the_catalog():
    panel = explore(
        "sinusoidal", views=["heatmap", "dot_product"], seq_len=(8, 512), d_model=64, base=(10, 1e6)
    )
    assert list(panel.sliders) == ["seq_len", "base", "query"]
    assert (panel.sliders["seq_len"].min, panel.sliders["seq_len"].max) == (8, 512)
    assert (steps(panel.sliders["base"])[0], steps(panel.sliders["base"])[-1]) == (10, 1e6)
    assert panel.values | {"d_model": 64, "base": 10_000.0} == panel.values
    panel = explore(
        "rope",
        views="heatmap",
        head_dim=(8, 64),
        seq_len=(10, 50, 20),
        pairing=["half", "interleaved"],
    )
    assert steps(panel.sliders["pairing"]) == ["half", "interleaved"]
    assert steps(panel.sliders["head_dim"]) == [8, 16, 32, 64]
    assert steps(panel.sliders["seq_len"]) == [10, 30, 50]
    assert explore("sinusoidal", views="heatmap", d_model=(6, 20)).sliders["d_model"].step == 2
    assert explore("binary", views="heatmap", seq_len=8, d_model=3).sliders == {}


def test_a_value_between_the_two_steps_of_a_slider_stands_in_for_the_nearer_one():
    panel = explore("rope", base=(10, 11), start={"base": 10.75})
    assert (panel.values["base"], steps(panel.sliders["base"])) == (10.75, [10, 10.75])
    panel.set(base=10.25)
    assert (panel.values["base"], steps(panel.sliders["base"])) == (10.25, [10.25, 11])


LIMITED = (
    ("binary", {}, {"d_model": 5, "seq_len": 256, "query": 31}, {"seq_len": 32, "query": 31}),
    ("binary", {}, {"query": 7, "d_model": 2}, {"seq_len": 4, "query": 3}),
    ("binary", {"seq_len": (100, 256), "d_model": (7, 10)}, {"d_model": 7}, {"seq_len": 100}),
    ("sine", {"base": (2, 1e6)}, {}, {"base": 10_000.0}),
    ("sinusoidal", {}, {"d_model": 8}, {"pair": 3}),
    ("sinusoidal", {"query": (300, 400)}, {"seq_len": 100}, {"query": 99}),
    ("t5", {"max_distance": (2, 512)}, {"num_buckets": 32, "max_distance": 2}, {"num_buckets": 4}),
    ("learned", {"num_positions": 8}, {"seq_len": 256}, {"seq_len": 8}),
    (["integer", "sinusoidal"], {}, {}, {"d_model": 64}),  # the larger of two defaults
    (
        ["learned", "alibi"],
        {"num_positions": 8},
        {"seq_len": 32, "query": 20},
        {"seq_len": 32, "query": 20},
    ),
)


@pytest.mark.slow
def test_limits_follow_the_other_values():
    for name, wanted, moves, then in LIMITED:
        panel = explore(name, **wanted)
        for moved, value in moves.items():
            panel.sliders[moved].value = value
        assert then == {name: panel.values[name] for name in then}
        free = {
            name: slider.value
            for name, slider in panel.sliders.items()
            if name in then and not slider.disabled
        }
        assert then | free == then


def test_a_move_makes_an_encoding_once_and_anew_only_where_it_takes_others_along(monkeypatch):
    panel, made, original = explore("sinusoidal"), [], Encoding.__init__

    def counting(self, /, **values):
        made.append(values)
        original(self, **values)

    monkeypatch.setattr(Encoding, "__init__", counting)
    for name, value, times in (("base", 100.0, 1), ("query", 40, 1), ("seq_len", 20, 2)):
        made.clear()
        panel.sliders[name].value = value
        assert len(made) == times, name
    assert (panel.values["query"], made[-1]["seq_len"]) == (19, 20)


def test_of_several_in_any_order_only_what_they_share_or_is_asked_for_is_a_slider():
    for names, wanted, sliders in (
        (["no_position", "alibi"], {}, {"seq_len", "query"}),
        (["rope", "alibi"], {"num_heads": (1, 8)}, {"seq_len", "query", "num_heads"}),
        (["sine", "rope"], {"words": ["alike", "different"]}, {"seq_len", "query", "words"}),
    ):
        panel, turned = explore(names, **wanted), explore(names[::-1], **wanted)
        assert set(panel.sliders) == sliders
        assert panel.values == turned.values
        assert panel.values["seq_len"] == 64  # the longest of the usual lengths


def pens(panel) -> list:
    return panel.sheet.pens


def test_frozen_limits_stay_at_every_value_and_hold_what_is_drawn():
    fixed = {"seq_len": 32, "head_dim": 64, "clip": 8, "seed": 0}
    panel, free = (
        explore("shaw", views="attention_row", frozen=names, **fixed) for names in ("ylim", False)
    )
    assert list(panel.sliders) == ["query"]
    heights = set()
    for query in (0, 16, 31, 10):
        panel.set(query=query)
        free.set(query=query)
        assert panel.text == free.text
        heights.add(pens(free)[0].ax.get_ylim())
        assert pens(panel)[0].ax.get_ylim() >= max(heights)
        assert pens(panel)[0].ax.get_xlim() == pens(free)[0].ax.get_xlim()
        assert list(pens(panel)[0].axes.frozen) == ["ylim"]
    assert len(heights) > 1
    assert pens(panel)[0].ax.get_ylim() == max(heights)


def test_what_is_frozen_is_frozen_at_the_dims_that_are_shown_and_grows_with_them():
    views = {"views": "dot_product", "seq_len": 64, "d_model": (2, 512)}
    panel = explore("sinusoidal", frozen="ylim", start={"d_model": 16}, **views)
    top = pens(panel)[0].ax.get_ylim()[1]
    assert top < 12  # the highest is 8 with 16 dims, 256 with 512
    panel.set(d_model=512)
    assert pens(panel)[0].ax.get_ylim()[1] > 256


def test_while_a_hand_is_on_a_slider_axes_only_grow_and_then_they_are_as_if_none_had_been():
    views = {"views": ["similarity", "dot_product"], "seq_len": 64, "d_model": 64}
    panel, other = (explore("sinusoidal", **views) for _ in range(2))

    def limits(panel) -> list:
        return [pens(panel)[0].limits["clim"], pens(panel)[1].limits["ylim"]]

    panel._canvas.held = True
    before = limits(panel)
    panel.set(base=10)
    low = limits(panel)
    assert all(a[0] < b[0] for a, b in zip(low, before, strict=True))
    panel.set(base=1_000_000)
    other.set(base=1_000_000)
    assert limits(panel) == low != limits(other)
    panel._canvas.held = False
    assert limits(panel) == limits(other)
    assert same_pixels(panel.png, other.png)


def line(panel) -> str:
    """Return the line under a picture."""
    return re.search(r'<p aria-hidden="true">(.*?)</p>', panel._words.value)[1]


def test_under_a_picture_one_line_says_what_has_changed_and_never_what_is_no_longer_so():
    panel = explore("sinusoidal", seq_len=64, d_model=64, start={"query": 0, "pair": 8})
    assert line(panel) == ""
    panel.set(base=500)  # position 0 stays where it is
    said = "Dot products with position 0: 32 for itself, and as low as 4.69 for position 60."
    assert line(panel) == said
    panel.set(base=501)
    assert line(panel) in panel.sheet.seen
    panel.set(pair=9)
    assert line(panel).startswith("In dims 18 and 19, ")
    said = line(panel)
    panel._picture.page = {"dark": True, "own": 1100, "width": 1100, "height": 900}
    assert (panel._picture.drawn, line(panel)) == ("dark", said)  # drawn anew, nothing has moved
    assert f'role="status" class="posenc-words">{panel.sheet.seen}<' in panel._words.value
    # what is too long, or the title again, is no line; of several encodings it says whose it is
    assert line(explore("t5", views="trained_models")) == ""
    assert line(explore("sinusoidal", views="steps")) == ""
    both = explore(["rope", "alibi"], views="attention_row", query=(0, 63))
    both.set(query=3)
    assert line(both).startswith("Rotary (RoPE): Position 3 ")


def test_a_slider_that_cannot_move_says_why_and_then_what_it_sets():
    panel = explore("sinusoidal", views="trajectory", d_model=(2, 64))
    pair = panel.sliders["pair"]
    told = pair.tooltip
    panel.set(d_model=2)
    assert (pair.disabled, pair.tooltip) == (True, NO_ROOM)
    panel.set(d_model=4)
    assert (pair.disabled, pair.tooltip) == (False, told)
    asks = explore("sinusoidal", views="dot_product", guess=True)
    assert {slider.tooltip for slider in asks.sliders.values()} == {"Draw what you expect first."}
    asks.answer()
    assert asks.sliders["query"].tooltip == "position of the query"


REFUSED = [  # a call, and how its error begins
    ("sinusoidal", {"d_model": 7}, "ValueError: d_model must be even, got 7"),
    ("sinusoidal", {"base": (10, float("nan"))}, "ValueError: base high must be finite, got nan"),
    (
        "sinusoidal",
        {"base": (2, 9, 1e-9)},
        "ValueError: base step must be between 0.001 and 1, got 1e-09",
    ),
    (
        "sinusoidal",
        {"base": [10, 10]},
        "ValueError: base must offer at least two options, got [10, 10]",
    ),
    (
        "sinusoidal",
        {"seq_len": (2, 10**9)},
        "ValueError: seq_len high must be between 1 and 4096, got 1000000000",
    ),
    (
        "sinusoidal",
        {"seq_len": (9, 3)},
        "ValueError: seq_len must be (low, high) or (low, high, step) with low below",
    ),
    (
        "sinusoidal",
        {"seq_len": (2, 9, 0)},
        "ValueError: seq_len step must be between 0.0007 and 7, got 0",
    ),
    (
        "sinusoidal",
        {"layout": "x"},
        "ValueError: layout must be one of 'interleaved', 'concatenated', got 'x'",
    ),
    ("sinusoidal", {"query": 300}, "ValueError: query must be at most 255 here, got 300"),
    (
        "sinusoidal",
        {"views": "similarity", "base": 9, "pair": (0, 3)},
        "TypeError: sinusoidal has no parameter 'pair'",
    ),
    (
        "sinusoidal",
        {"views": "heatmap", "query": (0, 3)},
        "TypeError: sinusoidal has no parameter 'query'",
    ),
    (
        "sinusoidal",
        {"views": 5},
        "TypeError: views must be the name of a view or a list of names, got 5",
    ),
    (
        "sinusoidal",
        {"views": "vectors"},
        "ValueError: sinusoidal has no view 'vectors': it needs",
    ),
    (
        "sinusoidal",
        {"start": {"seq_len": 1000}},
        "ValueError: seq_len must be a value on its slider, 2 … 256, got 100",
    ),
    ("sinusoidal", {"start": {"theta": 1}}, "TypeError: theta isn't a parameter of this explorer"),
    (
        "sinusoidal",
        {"start": 7},
        "TypeError: start must be a dict of values by parameter name, got 7",
    ),
    (
        "sinusoidal",
        {"frozen": "ylm"},
        "ValueError: frozen 'ylm' is unknown. Did you mean 'ylim'",
    ),
    ("sinusoidal", {"guess": 1}, "TypeError: guess must be True or False, got 1 (int)"),
    (
        "sinusoidal",
        {"bse": 3},
        "TypeError: sinusoidal has no parameter 'bse' here. Did you mean 'base'?",
    ),
    (
        lambda positions, d_model, guess=2.0: 0,
        {},
        "ValueError: mine must rename its parameter 'guess'",
    ),
    (["rope", "rope"], {}, "ValueError: what must name at least one encoding, and each only once"),
    (
        "rop",
        {},
        "ValueError: what 'rop' is unknown. Did you mean 'rope' or 'mrope' or 'rope_2d'?",
    ),
]


def refusal(call, *arguments, **values) -> str:
    """Return the error with which a call refuses its arguments."""
    with pytest.raises((TypeError, ValueError)) as caught:
        call(*arguments, **values)
    return f"{caught.type.__name__}: {caught.value}"


def test_what_cannot_be_is_refused_before_anybody_meets_it():
    told = {error: refusal(explore, name, **wanted) for name, wanted, error in REFUSED}
    assert {error: said for error, said in told.items() if not said.startswith(error)} == {}


NOT_SET = [
    ({"seq_len": 3.5}, "TypeError: seq_len must be an integer, got 3.5"),
    ({"query": 100}, "ValueError: query must be at most 63 here, got 100"),
    ({"d_model": 63}, "ValueError: d_model must be a value on its slider, 2 … 512, got 63"),
    ({"base": 1e9}, "ValueError: base must be a value on its slider, 2 … 1e+06, got 1e+09"),
    ({"layout": "concatenated"}, "TypeError: layout is fixed in this explorer"),
    ({"theta": 3}, "TypeError: theta isn't a parameter of this explorer. Its sliders: seq_len"),
]


def test_a_bad_set_changes_nothing():
    panel = explore("sinusoidal", views="dot_product")
    before = shown(panel)
    for wanted, error in NOT_SET:
        assert refusal(panel.set, **{"base": 100.0} | wanted).startswith(error)
        assert shown(panel) == before


def test_set_and_reset_draw_once_and_reset_goes_back_to_the_start(monkeypatch):
    panel = explore(
        "sinusoidal",
        views="dot_product",
        seq_len=(16, 4096),
        start={"seq_len": 2048, "query": 2000},
    )
    first, frame, drawn = shown(panel), panel.sheet.frame, []
    monkeypatch.setattr(panel.sheet, "frame", lambda: drawn.append(1) or frame())
    panel.set(seq_len=200, query=150, base=100)
    assert panel.values["query"] == 150
    panel.reset()
    assert len(drawn) == 2
    assert shown(panel) == first


@pytest.mark.parametrize("error", [MemoryError("no room"), KeyboardInterrupt()], ids=repr)
def test_an_error_in_the_middle_of_a_drawing_leaves_the_last_picture_and_later_no_old_axes(
    error, monkeypatch
):
    monkeypatch.setattr(Explorer, "raise_errors", False)
    panel, fresh = explore("sinusoidal"), explore("sinusoidal")
    failed = isinstance(error, Exception)
    with (
        monkeypatch.context() as now,
        nullcontext() if failed else pytest.raises(KeyboardInterrupt),
    ):
        now.setattr(pens(panel)[-1], "curve", Mock(side_effect=error))
        panel.sliders["seq_len"].value = 100
    assert ("MemoryError: no room" in panel._news.value) == failed
    assert same_pixels(panel.png, fresh.png)
    for each in (panel, fresh):
        each.set(seq_len=100, query=11)  # the hand goes on
    assert same_pixels(panel.png, fresh.png)
    assert panel._news.value == ""


def test_what_is_stored_is_a_picture_and_words_and_a_closed_explorer_is_still_that():
    panel = explore("sinusoidal", views="heatmap")
    data, metadata = panel._repr_mimebundle_()
    assert data["text/plain"] == panel.text == repr(panel)
    about = {"width": 856, "alt": panel.text}
    assert metadata == {"image/png": about, "needs_background": "light"}
    shown, _, said = data["text/html"].partition("</style>")[2].partition("\n")
    assert f'<img src="data:image/png;base64,{data["image/png"]}" width="856"' in shown
    assert shown.endswith(f' alt="{panel.text}">')
    assert said == f"<details><summary>In words</summary><p>{panel.text}</p></details>"
    pngs = base64.b64decode(data["image/png"]), panel._picture.value
    stored, seen = (np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), int) for png in pngs)
    assert np.abs(stored - seen).mean() < 0.7  # of 255 levels: it has 192 colors
    assert len(pngs[0]) < len(pngs[1]) / 2
    panel.close()
    closed, _ = panel._repr_mimebundle_()
    assert closed == {kind: data[kind] for kind in ("text/html", "image/png", "text/plain")}
    assert data.keys() - closed.keys() == {"application/vnd.jupyter.widget-view+json"}


def test_in_a_browser_what_code_saves_comes_with_a_link_to_download_it(tmp_path, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    explore("rope").save(tmp_path / "a.svg")
    monkeypatch.setattr(sys, "platform", "emscripten")
    paths = [explore("rope").save(tmp_path / "b.svg"), figure("ladder").save(tmp_path / "c&d.png")]
    monkeypatch.undo()
    links = [re.search('download="(.*)" href="data:.*base64,(.*)"', one.data) for one in shown]
    assert [link[1] for link in links] == ["b.svg", "c&amp;d.png"]
    assert [base64.b64decode(link[2]) for link in links] == [path.read_bytes() for path in paths]


def test_save_takes_names_and_says_what_it_cannot_take(tmp_path):
    panel = explore("binary", views="heatmap")
    assert panel.save(tmp_path / "a.png").stat().st_size > 0
    assert "path must be a str or a Path, got None" in refusal(panel.save, None)
    assert "path must end in .png, .svg or .pdf, got 'a.gif'" in refusal(
        panel.save, tmp_path / "a.gif"
    )
    assert panel.save(tmp_path / "new" / "a.png").stat().st_size > 0


def test_a_number_typed_beside_a_slider_moves_it_as_near_as_it_can_go_and_letters_move_nothing():
    panel = explore("rope", views="dot_product")
    for typed, base in (
        ("100", 100),
        ("1e9", 1_000_000),
        ("9,990", 9_990),
        ("much", 9_990),
        ("", 9_990),
    ):
        panel._picture.sent = {"slider": "base", "typed": typed, "at": typed}
        assert panel.values["base"] == base
    panel.reset()
    assert panel.values["base"] == 10_000
    few = explore("rope", views="dot_product", base=[100, 10_000], head_dim=(2, 64))
    for name, typed, value in (("base", "137", 100), ("head_dim", "30", 32)):
        few._picture.sent = {"slider": name, "typed": typed, "at": typed}
        assert few.values[name] == value


def test_long_numbers_of_one_view_leave_no_trace_in_its_neighbor():
    panel = explore("integer", views=["heatmap", "dot_product"], d_model=64, start={"seq_len": 256})
    before = panel.sheet.pixels().copy()
    for query in (255, 0):
        panel.set(query=query)
    panel.reset()
    np.testing.assert_array_equal(panel.sheet.pixels(), before)


@pytest.mark.parametrize("seed", range(60))
def test_a_slider_that_another_has_pushed_comes_back_with_its_room(seed):
    rng = np.random.default_rng(seed)
    ranges = {"seq_len": (2, 128), "d_model": (2, 64), "offset": (-100, 100)}
    settings = Settings(Spec.of("sinusoidal", ["trajectory", "shifted", "dot_product"], **ranges))

    def at(name, value) -> None:
        settings.sliders[name].value = value
        settings.settle()

    name, by = [("pair", "d_model"), ("query", "seq_len"), ("offset", "seq_len")][seed % 3]
    whole = {"d_model": 64, "seq_len": 128}[by]
    at(by, whole)
    wanted = int(rng.integers(1, 31 if name == "pair" else 90))
    wanted *= -1 if name == "offset" and seed % 2 else 1
    at(name, wanted)
    rooms = 2 ** rng.integers(1, 7, 4) if by == "d_model" else rng.integers(2, 128, 4)
    for room in rooms.tolist():
        at(by, room)
        most = room // 2 - 1 if by == "d_model" else room - 1
        assert settings.values[name] == max(min(wanted, most), -most), (name, wanted, room)
    at(by, whole)
    assert settings.values[name] == wanted
    at(by, 8)
    at(name, 1)
    at(by, whole)
    assert settings.values[name] == 1 or abs(wanted) == 1  # it was moved, and stays
