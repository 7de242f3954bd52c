"""The picture on the page: what a hand sets and is told, and how it follows theme and room."""

import itertools
import re
from unittest.mock import Mock

import numpy as np
import pytest
from PIL import Image

from posenc_lib import explore
from posenc_lib.figures.registry import SCENES
from posenc_lib.live import page, picture
from posenc_lib.live.page import CSS, LOW, PLOTS, SCALES, layout
from posenc_lib.spec import read, write
from posenc_lib.views import style
from posenc_lib.views.sheet import MARGIN, arranged
from posenc_lib.views.style import themed

from ..views.test_style import contrast

PAGE = {"dark": False, "own": 1200, "width": 1200, "height": 900}
FAR = (1e9, -1e9)  # beyond the axes


@pytest.fixture(autouse=True)
def usual_page(monkeypatch):
    monkeypatch.setattr(page, "_page", dict(page._page))


def touch(explorer, view: int, xy, press: int = 1, by: float = 0.0, asked: int = 7) -> str:
    """Send what a page sends where a reader drags, or with press 0 points; return what is said."""
    pen = explorer.sheet.pens[min(view, len(explorer.sheet.pens) - 1)]
    left, up = pen.ax.transData.transform(xy) / explorer.figure.bbox.size
    at = {
        "axes": view,
        "left": float(left),
        "top": float(1 - up),
        "press": press,
        "by": by,
        "asked": asked,
    }
    explorer._picture.touched = at | {"n": next(COUNT)}
    return explorer._picture.hint.get("text", "")


COUNT = itertools.count()
DRAGGED = (
    ("sinusoidal", "heatmap, dot_product", 0, (20.4, 3), {"query": 20}),
    ("sinusoidal", "heatmap, dot_product", 1, (1e9, 3), {"query": 63}),
    (
        "sinusoidal",
        "heatmap, dot_product",
        7,
        (20, 3),
        {},
    ),  # of another panel, which was here before
    ("rope", "score_by_offset, vectors", 0, (12.2, 0), {"offset": 12}),
    ("alibi", "attention_span, head_biases", 0, (40, 3.3), {"head": 3}),
    ("alibi", "similarity", 0, (5, 30.7), {}),
    ("sinusoidal_2d", "patches", 0, (3.4, 9.6), {"column": 3, "row": 10}),
    ("rope_2d", "window_head, patches", 0, (3, 2), {}),  # of a window, not of the picture
    (
        "mrope",
        "axis_positions, axis_of_pair",
        0,
        (7.3, 1),
        {"before": 7},
    ),  # the picture begins there
)


@pytest.mark.slow
def test_a_drag_sets_what_the_axes_count_and_says_so():
    for what, views, view, xy, moved in DRAGGED:
        explorer = explore(what, views=views.split(", "))
        before, frame = explorer.values, explorer._picture.value
        said = touch(explorer, view, xy)
        assert {
            name: value for name, value in explorer.values.items() if value != before[name]
        } == moved
        assert said == ", ".join(f"{name} {value}" for name, value in moved.items())
        assert (explorer._picture.value != frame) == bool(moved)
        explorer.close()


def hand_of(explorer, slider: str) -> tuple:
    """Return what a reader takes to move a slider: points of a line, and how it is led."""
    return next(hand[1:] for hand in explorer.sheet.pens[0].hands if hand[0] == slider)


def test_a_drag_turns_a_hand_the_way_it_goes_round():
    settings = ("sine", "clock", "position"), ("rope", "vectors", "offset")
    for what, view, slider in settings:
        explorer = explore(what, views=view, start={slider: 3})
        (middle, tip), turn = hand_of(explorer, slider)
        touch(explorer, 0, tip)  # taken at its tip
        assert explorer.values[slider] == 3
        on_page = explorer.sheet.pens[0].ax.transData
        center, (x, y) = (
            on_page.transform(middle),
            np.diff(on_page.transform([middle, tip]).T)[:, 0],
        )
        turn *= 2  # as far as two more
        turned = x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn)
        aim = on_page.inverted().transform(center + turned)
        touch(explorer, 0, aim)
        assert explorer.values[slider] == 5
        np.testing.assert_allclose(hand_of(explorer, slider)[0][1], aim, atol=1e-6)
        explorer.close()


def test_a_drag_leads_what_follows_a_way_of_its_own():
    fern = explore("sinusoidal", views="phasor_sum", seq_len=33, offset=(-32, 32))
    stem, leads = hand_of(fern, "offset")
    fern.set(offset=3)
    for xy in (stem[0], stem[-1]):  # whatever is pressed in its room, the nearest tip is meant
        touch(fern, 0, xy)
        assert fern.values["offset"] == leads(xy)
    fern.close()


def test_a_drag_slides_a_tape_and_the_word_on_it():
    tape = explore("rope", views="rotated_together", offset=(-8, 8), seq_len=200)
    tape.set(query=100, offset=-1)
    for press, (slider, ways) in enumerate((("query", -1), ("offset", 1)), start=1):
        line, by = hand_of(tape, slider)
        assert np.sign(by) == ways  # a tape that goes left has the text come nearer
        wide = tape.sheet.size[0]
        before = tape.values[slider]
        spot = np.mean(line[:2], axis=0)
        touch(tape, 0, spot, press)
        assert tape.values[slider] == before
        touch(tape, 0, spot, press, by=2 * by / wide)
        assert tape.values[slider] == before + 2
        assert tape._picture.hint["rolls"]
    touch(tape, 0, tape.sheet.pens[0].hands[-1][1][1], press=3)  # a hand on a dial does not
    assert not tape._picture.hint["rolls"]
    tape.close()


def test_a_drag_sets_the_point_that_is_near_and_turns_what_stands_in_space():
    explorer = explore("sinusoidal", views=["trajectory", "dot_product"])
    points = explorer.sheet.pens[0].points.copy()
    for xy, query in ((points[31], 31), ((0, 0), 31)):  # then none is near
        touch(explorer, 0, xy)
        assert explorer.values["query"] == query
    space = explore("binary", views="cube", seq_len=8, azimuth=(-180, 175, 5))
    for press, by, azimuth in ((1, 0.25, -105), (1, 0.5, -150), (2, -0.5, -60), (2, -5.0, 175)):
        touch(space, 0, (0, 0), press=press, by=by)
        assert space.values["azimuth"] == azimuth
    plane = explore("rope_2d", views=["directions", "window_head", "patches"])
    assert [place["drags"] for place in plane._picture.axes] == ["tilt", "", "column row"]
    assert explore("sinusoidal_2d", views="patches")._picture.axes[0]["drags"] == "column row"


def test_a_panel_follows_the_theme_and_the_room_of_its_page():
    explorer = explore("sinusoidal")
    first, size = explorer._picture.value, explorer.figure.get_size_inches().tolist()
    explorer.set(query=30)
    explorer._picture.page = PAGE | {"dark": True}
    assert explorer.sheet.theme == explore("alibi").sheet.theme == "dark"
    assert explorer.values["query"] == 30
    explorer._picture.page = PAGE | {"own": 358, "width": 358}
    assert explorer.figure.get_size_inches()[1] > 1.5 * explorer.figure.get_size_inches()[0]
    assert (
        explorer.figure.bbox.width == 2 * explorer._drawn.page_width
    )  # dots for each px of a phone
    explorer._picture.page = PAGE
    explorer.reset()
    assert (explorer._picture.value, explorer.figure.get_size_inches().tolist()) == (first, size)
    drawn = explorer.sheet
    explorer._picture.page = PAGE | {"own": 1100, "height": 1000}  # as good
    assert explorer.sheet is drawn


SHAPES = {"dot_product": 856, "similarity": 444}  # a curve, a square; px of width
SIXES = [
    "rope+alibi: dot_product, similarity, attention_row",
    "rope+alibi+t5: attention_row",
    "alibi: head_biases",
]


def test_a_picture_fits_its_room_as_large_as_can_be():
    for line in (*SIXES, *[write(scene.opened()) for scene in SCENES.values()][::3]):
        for spec, width, height, large in itertools.product(
            read(line), (360, 1300), (300, 900), (False, True)
        ):
            number = len(spec.encodings)
            drawn = layout(spec.views_in_order(), number, (width, height), large=large)
            _, size = arranged(
                spec.views_in_order(), number, drawn.width, drawn.plot, named=number > 1
            )
            assert drawn.page_width == round(size[0] * drawn.scale) <= width + 1
            assert size[1] * drawn.scale <= height + 1 or (drawn.plot, drawn.scale) == (
                PLOTS[-1],
                1,
            )
            assert drawn.scale in SCALES[large]


def test_on_a_projector_type_shrinks_for_a_low_plot_and_plots_take_the_height_there_is():
    views = read("rope: similarity")[0].views_in_order()
    for height in range(480, 800, 20):
        drawn = layout(views, 1, (1100, height), large=True)
        assert drawn.plot >= LOW
        left = height - arranged(views, 1, drawn.width, drawn.plot)[1][1] * drawn.scale
        assert 0 <= left < 8 * drawn.scale or drawn.plot == PLOTS[0]
    assert layout(views, 1, (1100, 240), large=True).plot < LOW  # no type is that small


def test_a_view_alone_is_as_wide_as_two_where_there_is_room_and_three_stand_beside_each_other():
    views = {name: read(f"sinusoidal: {name}")[0].views_in_order() for name in SHAPES}
    wide = {name: layout(views[name], 1, (1100, 700)).page_width for name in SHAPES}
    assert wide == SHAPES
    three = read("sinusoidal: trajectory, heatmap, dot_product")[0].views_in_order()
    assert layout(three, 1, (860, 400)).page_width == 860
    drawn = layout(three, 1, (860, 400))
    assert arranged(three, 1, drawn.width, drawn.plot)[1][1] <= 400


def test_a_page_that_cannot_load_the_canvas_gets_a_plain_image_until_it_can(monkeypatch):
    monkeypatch.setattr("posenc_lib.live.explorer.soon", lambda do: do())
    explorer, usual = (
        explore("sinusoidal", views="dot_product", guess=guess) for guess in (True, False)
    )
    canvas, before = explorer._picture, explorer.box.children
    explorer.box._view_count = 1  # from the page: the panel is there
    plain = explorer._picture
    assert isinstance(plain, picture.Plain)
    assert explorer.box.children == tuple(plain if one is canvas else one for one in before)
    assert "drag in it: run  pip install" in explorer._note.value
    assert explorer._note.value.endswith("then save the notebook and reload the page.</div>")
    explorer.sliders["query"].value = usual.sliders["query"].value = (
        20  # what was to be drawn is shown
    )
    assert plain.value == usual._picture.value
    canvas.runs = True  # it was only late
    assert (explorer._picture, explorer.box.children, explorer._note.value) == (canvas, before, "")
    assert canvas.guess["asked"]
    assert explorer.sliders["query"].disabled
    explorer.box._view_count = 2
    assert explorer._picture is canvas


def test_what_a_closed_panel_waits_for_does_nothing():
    explorer = explore("sinusoidal", views="heatmap")
    canvas = explorer._picture
    explorer._suit_page()
    explorer.close()
    canvas.runs = True
    explorer._suit_page()
    assert isinstance(explorer._picture, picture.Plain)
    assert canvas.comm is None


def test_files_go_to_the_browser_under_the_settings_names_and_else_a_line_says_how(tmp_path):
    panel = explore("sinusoidal", views="heatmap")
    reset, png, svg = panel._tools.children
    panel._picture.send = Mock()
    png.click()
    assert "Right-click the picture, or save" in panel._news.value
    panel.set(base=100.0)
    panel._picture.page = PAGE  # somebody looks
    for button, suffix in ((svg, "svg"), (png, "png")):
        button.click()
        (message,), buffers = panel._picture.send.call_args
        name = f"sinusoidal-heatmap-seq_len-64-d_model-64-base-100-layout-interleaved.{suffix}"
        margin = MARGIN / (panel._drawn.page_width + 2 * MARGIN)
        assert message == {"save": name, "margin": margin}
        assert f"Saved as {message['save']} in your browser" in panel._news.value
    assert buffers == {"buffers": [panel.save(tmp_path / "a.png").read_bytes()]}
    with Image.open(tmp_path / "a.png") as file:
        assert file.width == 2 * (panel._drawn.page_width + 2 * MARGIN)
    reset.click()
    assert (panel.values["base"], panel._news.value) == (10_000.0, "")


def test_colors_of_the_panel_can_be_read_on_light_and_dark_pages_and_are_those_of_the_pictures():
    named = [
        dict(re.findall(r"--(\w+): (#\w+)", rule))
        for rule in re.findall(r"{ (--role: #[^}]*)}", CSS)
    ]
    papers = ("#FFFFFF", "#F5F5F5"), ("#111111", "#222222")
    for rules, paper, theme in zip(named, papers, ("light", "dark"), strict=True):
        for name in ("role", "soft", "alarm"):
            assert min(contrast(rules[name], each) for each in paper) >= 4.5, name
        with themed(theme):
            wanted = [style.KEY, style.QUERY, style.PAIR, style.INK]
        told = [rules[name].upper() for name in ("role", "query", "pair", "offset")]
        assert told == [color.upper() for color in wanted]
