"""Explorers: every slider to both ends and through random values, with no error and a changed frame."""

import base64
import copy
import io
import itertools
import pickle
import random
import threading

import numpy as np
import pytest
from PIL import Image

import posenc_lib as pe
from posenc_lib import explore
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.live import settings as module
from posenc_lib.live.controls import options, round_values
from posenc_lib.live.explorer import Explorer
from posenc_lib.live.play import steps
from posenc_lib.views import VIEWS

ATTENTION = ["attention_weights", "outputs"]  # these two leave room for a few words only


def fitting(name):
    """Return the views that an encoding can feed, beside those of attention."""
    return [view for view in VIEWS if VIEWS[view].needs in ENCODINGS[name].gives and view not in ATTENTION]


MOVED = "similarity"  # every slider moves it
UNLIKE = ("sinusoidal", "binary", "rope", "shaw", "transformer_xl", "alibi")  # between them they feed every view
FED = [set(fitting(name)) for name in UNLIKE]
NEW = {name: sorted(FED[k].difference({MOVED}, *FED[:k])) for k, name in enumerate(UNLIKE)}
PANELS = [(name, views) for name in ENCODINGS for views in (None, ATTENTION)]
PANELS += [(name, [MOVED, *views[k : k + 5]]) for name, views in NEW.items() for k in range(0, len(views), 5)]
IDS = [f"{name}-{'+'.join(views) if views else 'default'}" for name, views in PANELS]


def test_every_view_is_in_some_panel():
    assert {view for _, views in PANELS for view in views or ()} == set(VIEWS)


def frame(panel):
    return panel._picture.value


@pytest.fixture(params=PANELS, ids=IDS, scope="module")
def opened(request):
    """One explorer for all tests of its kind, and what it showed when it was new."""
    name, views = request.param
    made = explore(name, views=views)
    yield made, shown(made)
    made.close()


def shown(panel):
    return frame(panel), panel.values, {name: steps(slider)[-1] for name, slider in panel.sliders.items()}


@pytest.fixture
def panel(opened):
    opened[0].reset()
    return opened[0]


# more zeros change no dot product and no weight, and four words lie within any distance
UNMOVED = {("no_position", "d_model"), ("binary", "d_model"), ("t5", "max_distance")}


@pytest.mark.slow
def test_every_slider_to_both_ends_changes_the_frame(panel):
    about = panel._settings.encodings[0].name
    tabled = any(view.name == "heatmap" for view in panel._stage.panel.views)
    for name in panel.sliders:
        if not tabled and (about, name) in UNMOVED:
            continue
        panel.reset()
        if name == "y_dim":  # from (0, 1) to (0, 0) and on to (0, last)
            panel.set(x_dim=0)
        seen = set()
        for value in (steps(panel.sliders[name])[0], steps(panel.sliders[name])[-1]):
            panel.sliders[name].value = value
            assert panel.values[name] == value
            seen.add(frame(panel))
        assert len(seen) == 2, f"{name} does not change the picture"
        assert panel._news.value == ""


@pytest.mark.slow
def test_random_settings_never_fail_and_always_match_a_fresh_draw(panel):
    rng = random.Random(1)
    for _ in range(8):
        name = rng.choice(list(panel.sliders))
        if not panel.sliders[name].disabled:
            panel.sliders[name].value = rng.choice(steps(panel.sliders[name]))
    seen = frame(panel)
    panel._stage.forget()
    panel._refresh()
    assert frame(panel) == seen
    assert panel.text.startswith(panel._settings.encodings[0].title)
    assert "nan" not in panel.text


def test_reset_restores_picture_values_and_ranges(opened):
    panel, first = opened
    panel.reset()
    for name in panel.sliders:
        panel.sliders[name].value = steps(panel.sliders[name])[0]
    assert frame(panel) != first[0]
    panel.reset()
    assert shown(panel) == first


def test_ranges_and_fixed_values_override_the_catalog():
    panel = explore("sinusoidal", views=["heatmap", "dot_product"], seq_len=(8, 512), d_model=64, base=(10, 1e6))
    assert list(panel.sliders) == ["seq_len", "base", "query"]
    assert (panel.sliders["seq_len"].min, panel.sliders["seq_len"].max) == (8, 512)
    assert (options(panel.sliders["base"])[0], options(panel.sliders["base"])[-1]) == (10, 1e6)
    assert panel.values["d_model"] == 64
    assert panel.values["base"] == 10_000.0


def test_a_fixed_panel_is_a_picture_without_sliders():
    panel = explore("binary", views="heatmap", seq_len=8, d_model=3)
    assert panel.sliders == {}
    panel.reset()


def test_steps_choices_and_powers_of_two():
    panel = explore("rope", views="heatmap", head_dim=(8, 64), seq_len=(10, 50, 20), pairing=["half", "interleaved"])
    assert options(panel.sliders["head_dim"]) == [8, 16, 32, 64]
    assert steps(panel.sliders["seq_len"]) == [10, 30, 50]
    assert options(panel.sliders["pairing"]) == ["half", "interleaved"]
    before = frame(panel)
    panel.set(pairing="half")
    assert frame(panel) != before
    assert explore("sinusoidal", views="heatmap", d_model=(6, 20)).sliders["d_model"].step == 2


def test_sine_has_a_base_only_when_asked_for():
    assert explore("sine").values["base"] is None
    panel = explore("sine", base=(2, 1e6))
    assert panel.values["base"] == 10_000.0
    assert "base 10000" in panel.text


def test_log_sliders_meet_the_round_numbers():
    values = round_values(2, 1e6, 0.05)
    assert {2, 10, 100, 500, 10_000, 500_000, 1e6} <= set(values)
    assert values == sorted(values)
    assert max(b / a for a, b in itertools.pairwise(values)) < 1.2


def test_limits_follow_the_other_sliders():
    panel = explore("binary")
    assert panel.sliders["seq_len"].max == 8
    panel.set(d_model=5)
    assert panel.sliders["seq_len"].max == 32
    panel.set(seq_len=32, query=31, x_dim=4)
    panel.sliders["d_model"].value = 2
    assert {"seq_len": 4, "query": 3, "x_dim": 0, "y_dim": 1}.items() <= panel.values.items()


def test_set_moves_many_sliders_with_one_redraw(monkeypatch):
    panel = explore("sinusoidal")
    drawn = []
    monkeypatch.setattr(panel._stage, "frame", lambda: drawn.append(1) or b"")
    panel.set(seq_len=200, query=150, base=100)
    assert len(drawn) == 1
    assert panel.values["query"] == 150
    panel.reset()
    assert len(drawn) == 2


@pytest.mark.parametrize(
    ("wanted", "kind", "words"),
    [
        ({"d_model": 7}, ValueError, "d_model must be even, got 7"),
        ({"d_model": (3, 9)}, ValueError, "d_model must be even, got 3"),
        ({"d_model": (2, 9, 1)}, ValueError, "d_model must be even, got 3"),
        ({"base": 0}, ValueError, "base must be between 1e-06 and 1e+12, got 0"),
        ({"base": (0, 10)}, ValueError, "base low must be between 1e-06 and 1e+12, got 0"),
        ({"base": (10, float("nan"))}, ValueError, "base high must be finite, got nan"),
        ({"seq_len": (2, 10**9)}, ValueError, "seq_len high must be between 1 and 4096, got 1000000000"),
        ({"seq_len": -3}, ValueError, "seq_len must be between 1 and 4096, got -3"),
        ({"seq_len": True}, TypeError, "seq_len must be a whole number (int), got True (bool)"),
        ({"seq_len": "8"}, TypeError, "seq_len must be a whole number (int), got '8' (str)"),
        ({"seq_len": (9, 3)}, ValueError, "seq_len must be a range whose low is below its high, got (9, 3)"),
        ({"seq_len": (9,)}, ValueError, "seq_len must be one value, (low, high) or (low, high, step), got (9,)"),
        ({"seq_len": (2, 9, 0)}, ValueError, "seq_len step must be at least 1, got 0"),
        ({"seq_len": (2, 10**400)}, ValueError, "seq_len high must be at most 2**53, got 1000"),
        ({"seq_len": (2, 9, 20)}, ValueError, "seq_len step must be at most 7, got 20"),
        ({"base": (2, 9, 1e-9)}, ValueError, "base step must be between 0.001 and 1 (1 is tenfold), got 1e-09"),
        ({"base": [10, 10]}, ValueError, "base must offer at least two options, got [10, 10]"),
        ({"base": [10, -1]}, ValueError, "base must be between 1e-06 and 1e+12, got -1"),
        ({"query": (300, 400)}, ValueError, "query low must be at most 1, all that other sliders may leave, got 300"),
        ({"layout": np.array(["interleaved"])}, ValueError, "layout must be one of"),
        ({"views": 5}, TypeError, "views must be a view's name or a list of them, got 5"),
        ({"layout": "x"}, ValueError, "layout must be one of 'interleaved', 'concatenated', got 'x'"),
        ({"layout": ["interleaved"]}, ValueError, "layout must offer at least two options"),
        ({"layout": [["x"]]}, ValueError, "layout must be one of"),
        ({"query": 300}, ValueError, "query must be at most 255 here, got 300"),
        ({"x_dim": 99, "d_model": 64}, ValueError, "x_dim must be at most 63 here, got 99"),
        ({"views": "similarity", "seq_len": 2000}, ValueError, "seq_len must be at most 1024 here, got 2000"),
        ({"views": "vectors"}, ValueError, "views must fit sinusoidal, which has no 'vectors' (it has trajectory, "),
        ({"views": "foo"}, ValueError, "views must be one of 'trajectory'"),
        ({"views": []}, ValueError, "views must name at least one view, each once, got []"),
        ({"views": ["heatmap", "heatmap"]}, ValueError, "views must name at least one view, each once"),
        ({"theta": 1}, TypeError, "sinusoidal has no parameter 'theta' here (it has seq_len"),
    ],
)
def test_what_cannot_be_is_refused_before_anybody_meets_it(wanted, kind, words):
    with pytest.raises(kind) as caught:
        explore("sinusoidal", **wanted)
    assert words in str(caught.value)


def test_a_list_of_numbers_offers_these_alone():
    panel = explore("sinusoidal", views="heatmap", seq_len=[64, 16, 250], base=[10, 1e4])
    assert [value for _, value in panel.sliders["seq_len"].options] == [16, 64, 250]
    assert panel.values["seq_len"] == 64
    panel.set(seq_len=250, base=10.0)
    assert "250 positions" in panel.text
    with pytest.raises(ValueError, match=r"seq_len must be a value of its slider \(nearest: 16, 64\), got 17"):
        panel.set(seq_len=17)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_an_explorer_that_is_copied_says_why_not(copied):
    with pytest.raises(TypeError, match="cannot be copied or pickled"):
        copied(explore("binary", views="heatmap"))


def test_the_encodings_own_error_is_the_one_that_is_raised():
    with pytest.raises(ValueError, match=r"seq_len 9 does not fit in d_model=3 bits"):
        explore("binary", seq_len=9, d_model=3)
    with pytest.raises(ValueError, match=r"name must be one of the known names"):
        explore("sin")


@pytest.mark.parametrize(
    ("wanted", "kind", "words"),
    [
        ({"seq_len": 3.5}, TypeError, "seq_len must be a whole number (int), got 3.5"),
        ({"seq_len": 999}, ValueError, "seq_len must be between 2 and 256, got 999"),
        ({"query": 1000}, ValueError, "query must be at most 63 here, got 1000"),
        ({"query": 100}, ValueError, "query must be at most 63 here, got 100"),
        ({"base": 12345}, ValueError, "base must be a value of its slider (nearest: 11000, 13000), got 12345"),
        ({"base": "x"}, TypeError, "base must be a real number, got 'x' (str)"),
        ({"layout": "concatenated"}, TypeError, "layout is fixed in this explorer"),
        ({"theta": 3}, TypeError, "theta is no parameter of this explorer (its sliders: seq_len"),
    ],
)
def test_a_bad_set_changes_nothing(wanted, kind, words):
    panel = explore("sinusoidal")
    before = shown(panel)
    with pytest.raises(kind) as caught:
        panel.set(**{"base": 100.0} | wanted)
    assert words in str(caught.value)
    assert shown(panel) == before


def broken(*args, **kwargs):
    raise MemoryError("no room")


def test_an_error_is_a_line_of_text_and_the_last_picture_stays(monkeypatch):
    monkeypatch.setattr(Explorer, "raise_errors", False)
    panel = explore("sinusoidal")
    before = frame(panel)
    with monkeypatch.context() as patch:
        patch.setattr(module, "Sample", broken)
        panel.sliders["seq_len"].value = 100
        assert "MemoryError: no room" in panel._news.value
        assert frame(panel) == before
    panel.sliders["seq_len"].value = 101
    assert panel._news.value == ""
    assert frame(panel) == frame_of("sinusoidal", seq_len=101)


def frame_of(name, **values):
    fresh = explore(name)
    fresh.set(**values)
    return frame(fresh)


def test_under_test_the_error_is_raised(monkeypatch):
    panel = explore("sinusoidal")
    monkeypatch.setattr(module, "Sample", broken)
    with pytest.raises(MemoryError):
        panel.sliders["seq_len"].value = 100


def test_several_threads_leave_the_last_values_on_the_page():
    panel = explore("sinusoidal", views="dot_product")
    other = explore("binary", views="heatmap")
    errors = []

    def drag(moving, name, values):
        try:
            for value in values:
                moving.sliders[name].value = value
        except Exception as error:
            errors.append(error)

    drags = [
        (panel, "base", [20.0, 200.0, 2000.0] * 5),
        (panel, "seq_len", range(20, 40)),
        (other, "seq_len", [3, 8] * 8),
    ]
    threads = [threading.Thread(target=drag, args=each) for each in drags]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert panel.values["seq_len"] == 39
    fresh = explore("sinusoidal", views="dot_product")
    fresh.set(seq_len=39, base=2000.0)
    assert frame(panel) == frame(fresh)


def test_what_is_stored_is_a_picture_and_words():
    panel = explore("sinusoidal", views="heatmap")
    data, metadata = panel._repr_mimebundle_()
    assert set(data) == {"application/vnd.jupyter.widget-view+json", "text/html", "image/png", "text/plain"}
    assert data["text/plain"] == panel.text == repr(panel)
    alt = "Sinusoidal: The table. What it shows is said below."
    picture = f'<img src="data:image/png;base64,{data["image/png"]}" width="640" alt="{alt}">'
    assert data["text/html"] == f"{picture}\n<p>{panel.text}</p>"
    assert metadata == {"image/png": {"width": 640, "alt": alt}}
    with (
        Image.open(io.BytesIO(base64.b64decode(data["image/png"]))) as stored,
        Image.open(io.BytesIO(frame(panel))) as seen,
    ):
        assert np.array_equal(stored.convert("RGB"), seen.convert("RGB"))


def test_buttons_reset_and_save_beside_the_notebook(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    panel = explore("sinusoidal", views="heatmap")
    panel.set(base=100.0)
    reset, png, svg = panel._buttons
    png.click()
    svg.click()
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [f"sinusoidal_seq_len-64_d_model-64_base-100_layout-interleaved.{s}" for s in ("png", "svg")]
    assert "Saved as sinusoidal_" in panel._news.value
    reset.click()
    assert panel.values["base"] == 10_000.0
    assert panel._news.value == ""


def test_a_folder_that_cannot_be_written_is_said_in_words(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    panel = explore("sinusoidal", views="heatmap")
    panel._buttons[1].click()
    assert "Not saved: No such file or directory" in panel._news.value


def test_text_from_an_error_cannot_become_markup():
    panel = explore("sinusoidal", views="heatmap")
    panel._say("<script>")
    assert "<script>" not in panel._news.value


def test_closing_lets_go_of_every_widget():
    from ipywidgets.widgets.widget import _instances

    before = set(_instances)
    panel = explore("sinusoidal")
    assert set(_instances) > before
    panel.close()
    assert set(_instances) == before


def test_no_pyplot_figure_is_made():
    import sys

    explore("sinusoidal").close()
    assert "matplotlib.pyplot" not in sys.modules or not sys.modules["matplotlib.pyplot"].get_fignums()


def test_explore_is_found_on_the_package():
    assert pe.explore is explore
    assert "explore" in dir(pe)
    with pytest.raises(AttributeError, match="has no attribute 'explorer_'"):
        pe.explorer_  # noqa: B018


def test_a_pair_of_dims_stays_a_pair_when_there_is_less_room():
    panel = explore("sinusoidal")
    assert (panel.values["x_dim"], panel.values["y_dim"]) == (16, 17)
    panel.set(d_model=8)
    assert (panel.values["x_dim"], panel.values["y_dim"]) == (0, 1)
    fixed = explore("sinusoidal", x_dim=16, y_dim=17)
    fixed.set(d_model=4)
    assert (fixed.values["x_dim"], fixed.values["y_dim"]) == (0, 1)


def test_sliders_can_begin_elsewhere_and_reset_returns_there():
    panel = explore("sinusoidal", views="dot_product", seq_len=(16, 4096), start={"seq_len": 2048, "query": 2000})
    first = frame(panel)
    assert panel.values["query"] == 2000
    panel.set(seq_len=100)
    panel.reset()
    assert (panel.values["seq_len"], panel.values["query"], frame(panel)) == (2048, 2000, first)


@pytest.mark.parametrize(
    ("start", "kind", "words"),
    [
        ({"seq_len": 1000}, ValueError, "seq_len must be between 2 and 256, got 1000"),
        ({"query": 100}, ValueError, "query must be at most 63 here, got 100"),
        ({"theta": 1}, TypeError, "theta is no parameter of this explorer"),
        (7, TypeError, "start must be a dict of values by parameter name, got 7"),
    ],
)
def test_a_start_that_cannot_be_is_refused(start, kind, words):
    with pytest.raises(kind) as caught:
        explore("sinusoidal", start=start)
    assert words in str(caught.value)


def test_a_range_whose_low_end_the_encoding_cannot_take_is_refused():
    with pytest.raises(ValueError, match="seq_len must be at least 2 with endpoint=True, got 1"):
        explore("normalized", seq_len=(1, 3), endpoint=[False, True])
    with pytest.raises(ValueError, match="seq_len 100 does not fit in d_model=2 bits"):
        explore("binary", seq_len=(100, 256))
    panel = explore("binary", seq_len=(100, 256), d_model=(7, 10))
    panel.sliders["d_model"].value = 7
    assert panel.values["seq_len"] == 100


def test_a_closed_explorer_is_still_a_picture_and_words():
    panel = explore("sinusoidal", views="heatmap")
    panel.close()
    assert set(panel._repr_mimebundle_()[0]) == {"text/html", "image/png", "text/plain"}


def test_save_takes_names_and_says_what_it_cannot_take(tmp_path):
    panel = explore("binary", views="heatmap")
    assert panel.save(tmp_path / ("p" * 251 + ".png")).stat().st_size > 0
    with pytest.raises(TypeError, match="path must be a file's name, got None"):
        panel.save(None)
    with pytest.raises(FileNotFoundError, match="No such folder"):
        panel.save(tmp_path / "gone" / "a.png")


@pytest.mark.parametrize(
    ("name", "wanted", "kind", "words"),
    [
        ("t5", {"head": 10}, ValueError, "head must be at most 7 here, got 10"),
        ("alibi", {"num_heads": 8, "head": 20}, ValueError, "head must be at most 7 here, got 20"),
        ("alibi", {"num_heads": 8, "seq_len": 20, "query": 28}, ValueError, "query must be at most 19 here, got 28"),
        (
            "t5",
            {"bidirectional": [True, False], "max_distance": (2, 512)},
            ValueError,
            "num_buckets low must be at most 2",
        ),
        ("transformer_xl", {"head_dim": 3}, ValueError, "head_dim must be even, got 3"),
        ("alibi", {"start": {1: 2}}, TypeError, "start must be a dict of values by parameter name"),
        ("learned", {"num_positions": 1}, ValueError, "num_positions must be between 2 and 4096, got 1"),
    ],
)
def test_relative_encodings_refuse_what_cannot_be(name, wanted, kind, words):
    with pytest.raises(kind, match=words):
        explore(name, **wanted)


def test_an_offset_beyond_the_text_is_told_as_such_and_not_drawn():
    panel = explore("shaw", views="bucket_by_offset", offset=(-60, 60), start={"seq_len": 64})
    panel.set(offset=-60)
    panel.sliders["seq_len"].value = 8
    assert "Offset −60 reads row 0 of 17; no pair here is that far apart." in panel.text


@pytest.mark.parametrize("num_heads", [1, 9, 16, 32])
def test_a_redrawn_ruler_leaves_nothing_beside_it(num_heads):
    panel = explore("alibi")
    panel.sliders["num_heads"].value = num_heads
    shown = bytes(frame(panel))
    panel._stage.forget()
    panel._refresh()
    assert bytes(frame(panel)) == shown
