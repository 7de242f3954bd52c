"""A panel that asks first: what is kept back, what a reader is told, and what wakes."""

import json
import re
import shutil
import subprocess

import numpy as np
import pytest

from posenc_lib import explore, figure, sinusoidal
from posenc_lib.views.pen import ASK, QUESTION

from ..conftest import ROOT

MADE = {"views": "dot_product", "seq_len": 32, "d_model": 16, "base": 100.0}


def asked(**other):
    return explore("sinusoidal", guess=True, **MADE | other)


def test_the_curve_and_all_that_tells_of_it_are_kept_back_and_axes_stay():
    panel, plain = asked(), explore("sinusoidal", **MADE)
    (pen,), (whole,) = panel.sheet.pens, plain.sheet.pens
    assert pen.headline == QUESTION
    assert ASK in panel.text
    assert "itself" not in panel.text
    assert (pen.limits, pen.axes.ticks) == (whole.limits, whole.axes.ticks)
    texts = {artist.get_text() for artist in pen.marks.drawn if hasattr(artist, "get_text")}
    assert QUESTION in texts
    assert "10" in texts
    assert "itself 8" not in texts
    assert not any(len(getattr(artist, "get_xdata", list)()) == 32 for artist in pen.marks.drawn)
    assert len(panel.png) < len(plain.png)


def test_who_is_to_draw_scaled_turns_sees_the_unscaled_ones_and_the_training_length():
    pen = explore("llama_3_1", views="frequencies", start={"times": 1}, guess=True).sheet.pens[0]
    whole = explore("llama_3_1", views="frequencies", start={"times": 1}).sheet.pens[0]
    curves, all_curves = (
        [a for a in p.marks.drawn if len(getattr(a, "get_xdata", list)()) == 64]
        for p in (pen, whole)
    )
    assert (len(curves), len(all_curves)) == (1, 2)
    assert not np.array_equal(curves[0].get_ydata(), pen.drawable[1])
    assert "training" in {a.get_text() for a in pen.marks.drawn if hasattr(a, "get_text")}


def test_sliders_sleep_until_it_is_shown_and_then_it_is_the_same_picture_as_without_a_question():
    panel, plain = asked(), explore("sinusoidal", **MADE)
    assert all(slider.disabled for slider in panel.sliders.values())
    panel._picture.answered = True
    assert not any(slider.disabled for slider in panel.sliders.values())
    assert (panel.png, panel.text) == (plain.png, plain.text)
    panel.set(query=3)
    plain.set(query=3)
    assert panel.png == plain.png
    panel._picture.answered = False
    assert all(slider.disabled for slider in panel.sliders.values())
    assert ASK in panel.text


def test_the_page_is_given_the_truth_and_its_axes():
    (plot,) = asked(query=5)._picture.guess["plots"]
    table = sinusoidal(32, 16, base=100.0)
    np.testing.assert_allclose(plot["y"], table @ table[5], atol=1e-12)
    assert plot["x"] == list(range(32))
    assert plot["xlim"] == [-0.5, 31.5]
    assert (plot["counts"], plot["unit"]) == ("key ", "dot products with position 5")


def test_an_axis_that_counts_something_else_is_told_in_its_own_words():
    panel = explore(
        "rope", views="lookback", head_dim=16, trained=64, look_back=1, times=2, guess=True
    )
    (plot,) = panel._picture.guess["plots"]
    assert plot["labels"][:5] == ["0", "1", "2", "about 2", "4"]
    assert len(plot["labels"]) == len(plot["x"])
    assert asked()._picture.guess["plots"][0]["labels"] is None


def test_nobody_who_points_is_told_before_it_is_shown():
    panel = asked()
    at = {"axes": 0, "left": 0.4, "top": 0.5, "press": 0, "by": 0}
    panel._picture.touched = at | {"asked": 1}
    assert panel._picture.hint == {"asked": 1, "text": ""}


def test_another_theme_of_the_page_keeps_it_back():
    panel = asked()
    panel._picture.page = {"dark": True, "width": 700, "height": 700, "own": 700}
    assert panel.sheet.theme == "dark"
    assert panel.sheet.pens[0].headline == QUESTION


def test_bars_are_asked_by_their_tops_and_what_has_neither_is_refused():
    assert explore("t5", views="bucket_numbers", guess=True).sheet.pens[0].drawable is not None
    with pytest.raises(
        ValueError, match="guess must be asked of a view that draws a curve or bars, got"
    ):
        explore("sinusoidal", views="heatmap", guess=True)
    with pytest.raises(TypeError, match="guess"):
        explore("sinusoidal", guess="yes")


NODE = shutil.which("node")


def verdicts(pairs: list) -> list[str]:
    """Return what the page says of drawings, (plot, [(x, y), …]) each."""
    code = (ROOT / "posenc_lib/figures/guess.js").read_text(encoding="utf-8")
    code += f"const pairs = {json.dumps(pairs)};\n"
    code += "console.log(JSON.stringify(pairs.map(([plot, drawn]) => told(plot, drawn))));"
    done = subprocess.run([NODE, "-"], input=code, text=True, capture_output=True, check=True)
    return json.loads(done.stdout)


def plot_of(y, log: str, ylim: tuple) -> dict:
    plot = {"x": list(range(len(y))), "y": y.tolist(), "log": log, "ylim": ylim, "labels": None}
    return plot | {"counts": "pair ", "unit": "positions a turn: unscaled"}


def drawn_over(plot: dict, y) -> tuple:
    return plot, [[x, float(value)] for x, value in zip(plot["x"], y, strict=True)]


@pytest.mark.skipif(not NODE, reason="needs node")
def test_on_a_logarithmic_axis_the_distance_is_a_factor_and_on_others_a_difference():
    pairs, wanted = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        log = "y" if seed % 2 else ""
        truth = 10 ** np.linspace(rng.uniform(0, 2), rng.uniform(3, 8), 40)
        mine = truth * rng.uniform(*[(1.1, 4), (0.2, 0.9), (0.3, 3)][seed // 2 % 3], size=40)
        pairs.append(drawn_over(plot_of(truth, log, (1, 1e9)), mine))
        if log:
            apart = np.log(mine / truth)
            way = {1: "too high", -1: "too low"}.get(np.sign(apart).mean(), "too high or too low")
            wanted.append((np.exp(np.abs(apart).mean()), f"times {way}"))
        else:
            wanted.append((np.abs(mine - truth).mean(), "off"))
    for told, (mean, way) in zip(verdicts(pairs), wanted, strict=True):
        number, words = re.search(r"On average you were ([\d.,]+) (.*?) \(", told).groups()
        assert words == way, told
        assert float(number.replace(",", "")) == pytest.approx(mean, rel=6e-3), told
        assert not re.search(r"\d{4}", told), told  # thousands have commas


@pytest.mark.skipif(not NODE, reason="needs node")
def test_turns_that_nobody_counts_are_many():
    x = np.arange(400)
    flat = np.linspace(0, 1, 400)
    waves = [np.sin(2 * np.pi * x * turns / 400) for turns in (1, 2, 3, 4, 5, 8, 16, 62, 100)]
    pairs = [drawn_over(plot_of(wave, "", (-1, 1)), flat) for wave in waves]
    for wave, told in zip(waves, verdicts(pairs), strict=True):
        ways = np.sign(np.diff(wave))
        turns = int((ways[1:] != ways[:-1]).sum())
        said = "many" if turns >= 10 else str(turns)
        if turns > 2:
            assert f"turns {said} times" in told, told
    (same,) = verdicts([drawn_over(plot_of(waves[-1], "", (-1, 1)), waves[-2])])
    assert same.startswith("It rises first and turns many times, as you drew.")


def test_a_title_that_asks_gets_no_second_stop():
    for line in ("rope: dot_product", "t5: bucket_numbers", "alibi: attention_row"):
        assert not re.search(r"[?!.…]\.", figure(f"{line}; seq_len=32").caption)
