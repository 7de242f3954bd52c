"""A panel that asks first: what is kept back, what a reader is told, and what wakes."""

import json
import re
import shutil
import subprocess

import numpy as np
import pytest

from posenc_lib import explore, figure, present, sinusoidal
from posenc_lib.live.explorer import VERDICT
from posenc_lib.views.pen import ASK, QUESTION

from ..conftest import ROOT, same_pixels

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
    panel._picture.answered = [0]
    assert not any(slider.disabled for slider in panel.sliders.values())
    assert same_pixels(panel.png, plain.png)
    assert panel.text == plain.text
    panel.set(query=3)
    plain.set(query=3)
    assert same_pixels(panel.png, plain.png)
    panel._picture.answered = []
    assert all(slider.disabled for slider in panel.sliders.values())
    assert ASK in panel.text


def test_only_curves_that_were_drawn_are_shown_and_tables_and_sliders_wait_for_the_last():
    made = {"views": ["heatmap", "dot_product"], "seq_len": 16, "d_model": 8}
    panel = explore(["sinusoidal", "sine"], guess=True, **made)
    plain, asked = explore(["sinusoidal", "sine"], **made), lambda: panel._picture.guess["asked"]
    withheld = lambda: [pen.withheld for pen in panel.sheet.pens]  # noqa: E731
    assert (asked(), withheld()) == ([1, 3], [True] * 4)
    panel._picture.answered = [1]
    assert (asked(), withheld()) == ([3], [True, False, True, True])
    assert panel.sliders["query"].disabled
    panel._picture.page = {"dark": True, "width": 700, "height": 700, "own": 700}
    assert (panel.sheet.theme, asked()) == ("dark", [3])
    panel._picture.answered = [1, 3]
    assert (asked(), withheld()) == ([], [False] * 4)
    assert not panel.sliders["query"].disabled
    assert panel.text == plain.text
    panel._picture.answered = [3]
    assert (asked(), withheld()) == ([1], [True, True, True, False])


def test_a_point_that_is_known_is_told_to_the_page_and_in_words():
    panel = asked(query=5)
    (plot,) = panel._picture.guess["plots"]
    assert plot["known"] == 5
    assert panel.text.endswith("Known: 8 at key 5.")
    unknown = explore("rope", views="score_by_offset", guess=True)
    assert unknown._picture.guess["plots"][0]["known"] is None
    assert unknown.text.endswith(ASK)


def test_a_projector_keeps_room_for_what_is_said_of_a_drawing():
    room = {"dark": False, "width": 1280, "height": 540, "own": 1280}
    present()
    try:
        high = []
        for guess in (False, True):
            panel = explore("sinusoidal", guess=guess, **MADE)
            panel._picture.page = room
            high.append(panel.sheet.size[1] * panel._drawn.scale)
        assert high[1] <= room["height"] - panel.room_beside[True] - VERDICT[True] < high[0]
    finally:
        present(False)


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
    hint = panel._picture.hint
    assert (hint["asked"], hint["text"]) == (1, "")


def test_another_theme_of_the_page_keeps_it_back():
    panel = asked()
    panel._picture.page = {"dark": True, "width": 700, "height": 700, "own": 700}
    assert panel.sheet.theme == "dark"
    assert panel.sheet.pens[0].headline == QUESTION


def test_bars_are_asked_by_their_tops_and_what_has_neither_is_refused():
    assert explore("sinusoidal", views="steps", guess=True).sheet.pens[0].drawable is not None
    with pytest.raises(ValueError, match="guess=True needs a view that draws a curve or bars, got"):
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
        pairs.append(drawn_over(plot_of(truth, log, (1, truth[-1])), mine))
        if log:
            apart = np.log(mine / truth)
            way = {1: "(.*) times too high", -1: "(.*) times too low"}
            way = way.get(np.sign(apart).mean(), "off by a factor of (.*)")
            wanted.append((np.exp(np.abs(apart).mean()), way))
        else:
            wanted.append((np.abs(mine - truth).mean(), "off by (.*)"))
    for (plot, _), told, (mean, way) in zip(pairs, verdicts(pairs), wanted, strict=True):
        step = 0.01 * plot["ylim"][1] * (not plot["log"])  # as exactly as a hand can draw
        (number,) = re.search(rf"You were {way} on average, most at pair", told).groups()
        assert float(number.replace(",", "")) == pytest.approx(mean, rel=0.06, abs=step), told
        assert not re.search(r"\d{4}", told), told  # thousands have commas


SEEN = {  # what is said of a line from 1 down to 0 on an axis from 0 to 1
    "You got the shape: it falls. You were spot on.": lambda t: 1 - t,
    "You got the shape, but it falls sooner: it's halfway at 5, yours is at 20.": lambda t: (
        (1 - t) ** 6
    ),
    "You drew it falling, but it rises. ": lambda t: t,
    "You drew it falling, but it stays level. ": lambda t: 0.5 + 0 * t,
    "It falls, as you drew, but then rises from a low at 20. ": lambda t: np.abs(2 * t - 1),
    "You drew it falling, but it rises, then falls from a peak at 20, with ripples. ": lambda t: (
        1 - np.abs(2 * t - 1) - 0.2 * (np.arange(41) % 2) * (t < 0.9)
    ),
    "You drew it falling, but it swings up and down all the way. ": lambda t: (
        0.5 + 0.5 * np.sin(2 * np.pi * 5 * t)
    ),
}


@pytest.mark.skipif(not NODE, reason="needs node")
def test_the_shape_is_told_in_a_sentence_without_counting_ripples():
    t = np.linspace(0, 1, 41)
    pairs = [drawn_over(plot_of(curve(t), "", (0, 1)), 1 - t) for curve in SEEN.values()]
    for told, wanted in zip(verdicts(pairs), SEEN, strict=True):
        assert told.startswith(wanted)
        assert "times" not in told
        assert len(told) < 180


def bump(at: float, wide: float):
    """Return a curve with one peak, at a part of the way."""
    return lambda t: np.exp(-(((t - at) / wide) ** 2))


def waving(t):
    """Return one high peak in the middle, with lower ones on both sides."""
    return 0.5 + 0.3 * np.cos(2 * np.pi * 6 * (t - 0.5)) + 0.2 * bump(0.5, 0.05)(t)


PEAKS = [  # a drawing, the truth, and what is said
    (
        lambda t: 0.5 + 0.1 * np.sin(2 * np.pi * 5 * t) * (t < 0.5),
        lambda t: 0.5 + 0 * t,
        "You drew it swinging up and down all the way, but it stays level. ",
    ),
    (
        lambda t: 0.5 - 0.2 * t,
        lambda t: 0.5 + 0 * t,
        "You drew it falling, but it stays level. ",
    ),
    (
        lambda t: 0.55 + 0.07 * bump(0.5, 0.3)(t),  # less than counts elsewhere
        lambda t: 0.5 + 0 * t,
        "You drew it rising, then falling from a peak at 20, but it stays level. ",
    ),
    (
        lambda t: 0.52 + 0.01 * np.sin(2 * np.pi * 5 * t),  # a hand isn't steady
        lambda t: 0.5 + 0 * t,
        "You got the shape: it stays level. ",
    ),
    (
        bump(0.5, 0.3),
        bump(0.5, 0.06),
        "You got the shape, but its peak at 20 is narrower: "
        "halfway it reaches from 19 to 22, yours from 11 to 30. ",
    ),
    (bump(0.5, 0.06), bump(0.5, 0.3), "You got the shape, but its peak at 20 is wider: "),
    (
        bump(0.25, 0.1),
        bump(0.75, 0.1),
        "You got the shape, but its peak comes later: it's at 30, yours is at 10. ",
    ),
    (
        lambda t: 1 - bump(0.75, 0.1)(t),
        lambda t: 1 - bump(0.25, 0.1)(t),
        "You got the shape, but its low comes sooner: it's at 10, yours is at 30. ",
    ),
    (
        bump(0.5, 0.1),
        lambda t: t,
        "You drew it rising, then falling from a peak at 20, but it only",
    ),
    (lambda t: t, bump(0.5, 0.1), "It rises, as you drew, but then falls from a peak at 20. "),
    (bump(0.5, 0.2), waving, "You got the peak at 20, but on its sides the curve swings "),
    (lambda t: t, waving, "You drew it rising, but it swings up and down all the way, and its "),
]


@pytest.mark.skipif(not NODE, reason="needs node")
def test_a_peak_is_told_by_its_place_and_its_width():
    t = np.linspace(0, 1, 41)
    pairs = [drawn_over(plot_of(true(t), "", (0, 1)), mine(t)) for mine, true, _ in PEAKS]
    for told, (*_, wanted) in zip(verdicts(pairs), PEAKS, strict=True):
        assert told.startswith(wanted)
        assert "rises later" not in told


@pytest.mark.skipif(not NODE, reason="needs node")
def test_swings_are_never_counted_however_fine_the_places():
    for count in (60, 400, 3200):
        t = np.linspace(0, 1, count)
        truth = 0.5 + 0.4 * np.sin(2 * np.pi * 40 * np.sqrt(t))
        (told,) = verdicts([drawn_over(plot_of(truth, "", (0, 1)), 0 * t + 0.5)])
        assert told.startswith("You drew it level, but it swings up and down all the way")


def test_places_with_a_sign_are_numbers_and_each_is_told_by_its_own():
    panel = explore("sinusoidal", views="phasor_sum", seq_len=61, d_model=16, guess=True)
    assert panel._picture.guess["plots"][0]["labels"] is None


@pytest.mark.skipif(not NODE, reason="needs node")
def test_of_bars_the_best_and_the_worst_guess_are_told_but_not_the_known_one():
    names = ["as trained", "halved", "doubled"]
    plot = plot_of(np.array([10.0, 50.0, 90.0]), "", (0, 100)) | {"labels": names, "known": 0}
    (told,) = verdicts([drawn_over(plot | {"counts": ""}, [10, 48, 20])])
    assert told == (
        "Closest: halved, where you drew 48 and it's 50. "
        "Farthest off: doubled, where you drew 20 and it's 90."
    )


def test_a_title_that_asks_gets_no_second_stop():
    for line in ("rope: dot_product", "sinusoidal: steps", "alibi: attention_row"):
        assert not re.search(r"[?!.…]\.", figure(f"{line}; seq_len=32").caption)


@pytest.mark.skipif(not NODE, reason="needs node")
def test_a_drawing_far_from_the_curve_has_not_got_its_shape_and_a_peak_is_told_by_its_place():
    x = np.arange(61.0)
    jump, ramp = np.where(x > 0, 1.0, 0.0), x / 60
    peak = np.exp(-(((np.arange(47) - 20) / 4) ** 2))
    moved = np.exp(-(((np.arange(47) - 23) / 5) ** 2))
    pairs = [
        drawn_over(plot_of(jump, "", (0, 1)), ramp),
        drawn_over(plot_of(peak, "", (0, 1)), moved),
        (plot_of(jump, "", (0, 1)), [[k, k / 60] for k in range(3, 61)]),  # begun after the jump
        drawn_over(plot_of(jump, "", (-0.1, 1.1)), ramp),
        drawn_over(plot_of(jump, "", (-0.1, 1.1)), 0.2 * jump),
    ]
    far, near, late, also_far, low = verdicts(pairs)
    assert also_far.startswith("You drew it rising, but it rises much sooner: it's halfway at")
    assert low.startswith("It rises, as you drew, but much higher. You were off by")
    assert late.startswith("You drew it rising, but it stays level from 3 to 60. From pair 3 to 60")
    assert far.startswith("You drew it rising, but it rises much sooner: it's halfway at")
    assert near.startswith("You got the shape, but its peak comes sooner: it's at 20, yours is")
