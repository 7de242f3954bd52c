"""Explorers of several encodings: the same views of each, one slider for all."""

import random

import numpy as np
import pytest

from posenc_lib import explore
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.live.play import steps

ALL = list(ENCODINGS)


@pytest.fixture
def panel():
    made = explore(ALL, words=["alike", "different"], causal=[False, True])
    yield made
    made.close()


def test_every_encoding_is_drawn_under_its_name(panel):
    axes = panel.figure.axes
    assert len(axes) == len(ALL)
    for ax, record in zip(axes, ENCODINGS.values(), strict=True):
        assert record.title in [text.get_text() for text in ax.texts]
        assert f"{record.title}: seq_len" in panel.text


def test_only_what_they_share_and_the_view_has_is_a_slider_unless_asked_for(panel):
    assert set(panel.sliders) == {"seq_len", "query", "words", "causal"}
    assert set(explore(["rope", "alibi"], num_heads=(1, 8)).sliders) == {"seq_len", "query", "num_heads"}


@pytest.mark.slow
def test_random_settings_never_fail_and_always_match_a_fresh_draw(panel):
    rng = random.Random(3)
    panel.sliders["seq_len"].max = 64  # long texts only cost time here
    for _ in range(12):
        name = rng.choice(list(panel.sliders))
        panel.sliders[name].value = rng.choice(steps(panel.sliders[name]))
        assert panel._news.value == ""
    shown = bytes(panel._picture.value)
    panel._stage.forget()
    panel._refresh()
    assert bytes(panel._picture.value) == shown


def test_one_encoding_may_end_where_the_others_go_on():
    panel = explore(["learned", "alibi"], num_positions=8, seq_len=(4, 32), start={"seq_len": 32, "query": 20})
    assert panel.values["seq_len"] == 32
    assert "Position 20 has no row: the table ends at 7" in panel.text
    assert "Position 20 gives 24.5 %" in panel.text
    alone = explore("learned", num_positions=8)
    assert alone.sliders["seq_len"].max == 8  # alone, its slider ends with its table


def test_several_views_of_each_stand_in_rows():
    panel = explore(["shaw", "t5"], views=["bucket_by_offset", "score_by_offset"], head_dim=64)
    assert len({round(ax.get_position().y0, 3) for ax in panel.figure.axes}) == 2
    panel.set(offset=20)
    assert panel.text.count("Offset 20 reads row") == 2


def test_a_comparison_begins_with_the_longest_of_the_usual_lengths():
    assert explore(["no_position", "alibi"]).values["seq_len"] == 64


def test_saved_under_all_their_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    explore(["rope", "alibi"])._save("png")
    assert next(tmp_path.glob("*.png")).name.startswith("rope_alibi_seq_len-64")


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ([], ValueError, "name must name at least one encoding"),
        (["rope", "rope"], ValueError, "each once"),
        (7, TypeError, "name must be an encoding's name or a list of them, got 7"),
        (["rope", "nonsense"], ValueError, "name must be one of"),
        (["rope", 3], ValueError, "name must be one of"),
    ],
)
def test_bad_names_are_refused(name, kind, words):
    with pytest.raises(kind, match=words):
        explore(name)


def test_a_view_must_fit_every_encoding():
    with pytest.raises(ValueError, match="views must fit alibi, which has no 'heatmap'"):
        explore(["rope", "alibi"], views="heatmap")
    with pytest.raises(TypeError, match="rope and alibi has no parameter 'clip' here"):
        explore(["rope", "alibi"], clip=3)


def test_the_learned_scheme_and_the_library_agree_on_weights():
    panel = explore(["alibi", "t5"], causal=True, seq_len=16, query=9)
    for view in panel._stage.panel.views:
        assert np.nansum(view.curve.get_ydata()) == pytest.approx(100)


@pytest.mark.parametrize(
    ("names", "wanted", "moves"),
    [
        (["rope", "binary"], {}, {"query": 3}),
        (["binary", "rope"], {"views": "attention_weights", "d_model": 1}, {}),
        (
            ["learned", "rope"],
            {"views": "dot_product", "num_positions": (2, 64), "query": (0, 63)},
            {"num_positions": 8},
        ),
        (["learned", "rope"], {"views": "outputs", "num_positions": 2}, {}),
        (["learned", "rope"], {"views": "trajectory", "d_model": 16}, {"x_dim": 15}),
        (["integer", "rope"], {"views": "odometer"}, {"query": 3}),
        (["learned", "sinusoidal"], {"views": ["cube", "trajectory_3d"]}, {"azimuth": 0}),
        (["alibi", "t5"], {"num_heads": 16, "head": (0, 7)}, {"head": 7}),
        (["sinusoidal", "binary"], {"views": "heatmap"}, {}),
    ],
)
def test_unlike_encodings_share_what_the_narrowest_of_them_allows(names, wanted, moves):
    panel = explore(names, **wanted)
    for name, value in moves.items():
        panel.sliders[name].value = value
    shown = bytes(panel._picture.value)
    panel._stage.forget()
    panel._refresh()
    assert (bytes(panel._picture.value), panel._news.value) == (shown, "")


def test_the_order_of_names_decides_nothing_but_the_places():
    for names in (["sinusoidal", "integer"], ["integer", "sinusoidal"], ["sine", "rope"], ["rope", "sine"]):
        panel = explore(names)
        assert panel.values["seq_len"] == 64
        assert panel.values.get("d_model", 64) in (2, 64)
        assert "base" not in panel.sliders
    assert explore(["integer", "sinusoidal"]).values == explore(["sinusoidal", "integer"]).values


def test_the_name_of_a_saved_comparison_is_not_too_long(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    explore(["shaw", "transformer_xl", "t5", "alibi", "learned", "rope", "sinusoidal"], num_positions=128)._save("png")
    assert len(list(tmp_path.glob("shaw_transformer_xl_*.png"))) == 1
