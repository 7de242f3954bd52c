"""The playground: what can be chosen beside what, lines, scenes, play, and nothing left behind."""

import io
import re
import sys
import threading
from dataclasses import replace
from unittest.mock import Mock

import ipywidgets as widgets
import numpy as np
import pytest
from PIL import Image

from posenc_lib import explore, playground, present
from posenc_lib.encodings.catalog import ELSEWHERE, ENCODINGS
from posenc_lib.figures.registry import NAMES, SCENES, topics
from posenc_lib.lessons.playground.playground import FIRST, MARGIN, START
from posenc_lib.live import page
from posenc_lib.live.page import inside
from posenc_lib.spec import read
from posenc_lib.views import VIEWS

from ..conftest import mostly_slow, same_pixels, unpacked
from ..trust.interleaving import held


@pytest.fixture
def ground():
    made = playground("binary: heatmap; seq_len=8, d_model=3")
    yield made
    made.close()
    present(False)


def shown(ground) -> tuple:
    return ground.line, ground.text, unpacked(ground.explorer.png)


def press(ground, name: str) -> None:
    buttons = [part for part in inside(ground.box) if isinstance(part, widgets.Button)]
    next(button for button in buttons if button.description == name).click()


LINES = (
    "rope: heatmap, clock | rope: heatmap, clock; base=137, head_dim=32",
    "rope: dot_product; base=137",  # between two steps of its slider
)


@pytest.mark.parametrize("text", [*mostly_slow(SCENES, 9), *LINES])
def test_a_scene_or_a_line_opens_as_it_is_written_and_so_does_its_own_line(text, ground):
    scene = SCENES.get(text)
    wanted = scene.opened() if scene else read(text)
    for _ in range(2):  # it can be asked for again
        if scene:
            ground.wall.value, ground.topic.value = True, scene.topic
            press(ground, text)
            assert re.search(r">([^<]*)</div>$", ground._note.value.replace("</b> · ", ">"))
            assert ground.scene == text
            assert ground.explorer.live == scene.drag[:4]
        else:
            ground._line.value = text
        assert 1 <= len(ground.explorer.live) <= 4
        for spec, now in zip(wanted, ground._panels(), strict=True):
            assert (now.names, now.views) == (spec.names, spec.views)
            assert spec.values.items() <= now.values.items()
        seen = shown(ground)
        for drop in (ground.a, ground.b, *ground.views):
            assert drop.index is not None  # a list says what is chosen
        ground.a.value = "normalized"
    ground.open(seen[0])
    assert shown(ground) == seen


def test_every_name_that_a_scene_has_had_opens_it(undrawn):
    aliases = {old: name for old, name in NAMES.items() if old != name}
    assert aliases["base 100 wraps"] == aliases["what the base does"] == "Points crowd on a circle"
    assert not aliases.keys() & SCENES.keys()
    ground = playground("ALiBi's rulers")
    for old, name in aliases.items():
        ground.open(old)
        assert ground.scene == name
        assert name in ground._note.value
    ground.close()


def test_it_opens_with_a_strip_of_a_few_scenes_whose_pictures_come_one_by_one(monkeypatch):
    drawn = threading.Event()

    def slow(name, theme):
        assert drawn.wait(60)
        return name.encode()

    monkeypatch.setattr(sys.modules["posenc_lib.lessons.playground.playground"], "thumbnail", slow)
    threading.Timer(0.1, drawn.set).start()
    ground = playground()
    assert ground.wall.value
    images, buttons = zip(*(tile.children for tile in ground._scenes.children), strict=True)
    assert images[-1].layout.visibility == "hidden"  # no broken picture until it is drawn
    names = [button.description for button in buttons]
    assert sorted(names) == sorted(name for name, one in SCENES.items() if one.first)
    assert names[0] == ground.scene == FIRST
    assert outlined(ground) == [FIRST]
    assert 8 <= len(names) <= 10
    ground._pictures.wait()
    assert [bytes(image.value).decode() for image in images] == names
    assert {image.layout.visibility for image in images} == {"visible"}
    cards = ground._scenes.children
    for name in ("Points crowd on a circle", "Where a real head looks"):
        press(ground, name)  # the strip stays as it is, for the next one
        assert (ground.wall.value, ground._scenes.children) == (True, cards)
        assert outlined(ground) == [name]
    ground.back()
    assert outlined(ground) == ["Points crowd on a circle"]
    ground.explorer.sliders["base"].value = 500
    assert outlined(ground) == ["Points crowd on a circle"]
    ground.a.value = "rope"
    assert outlined(ground) == []
    ground.back()
    ground.topic.value = "waves"
    assert outlined(ground) == ["Points crowd on a circle"]
    ground.topic.value = "counting"
    assert outlined(ground) == []
    ground.wall.value = False
    assert not ground._scenes.children
    ground.close()
    for opened in (playground("sine: heatmap"), playground(own=np.eye(8))):
        assert not opened._scenes.children  # who knows what to see sees it
        opened.close()


def tiles(ground) -> list[tuple]:
    return [tile.children for tile in ground._scenes.children]


def outlined(ground) -> list[str]:
    cards = [card for card in ground._scenes.children if "posenc-chosen" in card._dom_classes]
    return [card.children[1].description for card in cards]


def test_the_topics_have_every_scene_once(undrawn):
    ground = playground()
    offered = []
    for topic in topics():
        ground.topic.value = topic
        shown = [button.description for _, button in tiles(ground)]
        assert {SCENES[name].topic for name in shown} == {topic}
        offered += shown
        for _, button in tiles(ground):
            assert button.tooltip == SCENES[button.description].says
    assert sorted(offered) == sorted(SCENES)
    ground.close()


def test_a_scene_of_a_lesson_that_no_topic_names_is_offered_last(monkeypatch):
    ground = playground()
    usual = {name: topic for name, topic in ground.topic.options.items() if name != "Further"}
    ground.close()
    scene = replace(SCENES[NAMES["T5's buckets"]], lesson="99_new", button="a new one")
    monkeypatch.setitem(SCENES, scene.button, scene)
    monkeypatch.setitem(NAMES, scene.button, scene.button)
    ground = playground()
    assert ground.topic.options == usual | {"Further": "further"}
    assert ground.topic.value == START
    ground.topic.value = "further"
    press(ground, "a new one")
    assert ground.scene == "a new one"
    ground.close()


REFUSED = {
    "rop": "ValueError: 'rop' isn't in the catalog. Did you mean 'rope' or",
    "base 100 raps": "ValueError: there is no scene 'base 100 raps'",
    "rope: heatmaps": "ValueError: views 'heatmaps' is unknown. Did you mean 'heatmap'?",
    "alibi: heatmap": "ValueError: alibi has no view 'heatmap': it needs",
    "rope; theta=3": "TypeError: rope has no parameter 'theta' here",
    "rope; theta": "ValueError: set parameters as NAME=VALUE, got 'theta'",
    "rope; base=x": "ValueError: base must be a number, got 'x'",
    "rope; seq_len=0": "ValueError: seq_len must be between 1 and 4096, got 0",
    "rope | sine | t5": "ValueError: the line can describe at most 2 panels, got 3",
    "": "ValueError: the line must look like",
    "alibi: dot_product seq_len=48": (
        'needs ";" before its values, as in "alibi: dot_product; seq_len=48", got'
    ),
    "t5: head_biases, clip = 4, query=3": 'as in "t5: head_biases; clip = 4, query=3"',
    "rope+rope: clock": 'once per panel. For two, write "rope: … | rope: …"',
    "rope: clock | alibi: dot_product": (
        "ValueError: two panels must have the same encoding and views"
    ),
    3: "TypeError: the line must be a string, got 3",
}


def test_a_line_that_cannot_be_opened_says_why_and_changes_nothing(ground):
    before = ground.line
    for line, error in REFUSED.items():
        with pytest.raises((TypeError, ValueError)) as caught:
            ground.open(line)
        assert error in f"{caught.type.__name__}: {caught.value}"
        if line and isinstance(line, str):
            ground._line.value = line
            assert 'role="alert"' in ground._news.value
        assert ground.line == before
    called = playground("rop")  # a sentence, no traceback
    assert "isn&#x27;t in the catalog" in called._news.value
    assert called.scene == FIRST
    called.close()


SWITCHED = (
    ("integer: heatmap; seq_len=100, d_model=7", "a sinusoidal", {"seq_len": 100, "d_model": 8}),
    ("sinusoidal: heatmap; seq_len=100, d_model=8", "a binary", {"seq_len": 100, "d_model": 8}),
    ("sinusoidal: heatmap; seq_len=200, d_model=4", "a binary", {"seq_len": 16}),
    ("rope: clock; pairing=half, base=500", "view heatmap", {"pairing": "half", "base": 500}),
)


def test_switching_keeps_what_fits_and_the_rest_goes_where_it_can(ground):
    lists = {"a": ground.a, "b": ground.b, "view": ground.views[0]}
    for line, choose, then in SWITCHED:
        ground.open(line)
        which, value = choose.split()
        lists[which].value = value
        assert ground.explorer.values | then == ground.explorer.values
        assert "alert" not in ground._news.value


def test_views_stay_where_all_fit_and_else_those_come_that_show_it_best(ground):
    ground.open("ALiBi's rulers")
    ground.a.value = "sinusoidal"
    assert tuple(view.name for view in ground.explorer.spec.views) == ENCODINGS["sinusoidal"].views
    ground.a.value = "rope"
    assert tuple(view.name for view in ground.explorer.spec.views) == ENCODINGS["sinusoidal"].views
    ground.a.value = "alibi"
    assert ground.views[0].value == "head_biases"
    for drop in ground.views:
        assert all(not view or VIEWS[view].fits(ENCODINGS["alibi"]) for _, view in drop.options)
    ground.views[1].value = ""
    assert len(ground.explorer.spec.views) == 2
    assert "it has no vectors" in ground._note.value
    ground.open("RoPE: clock, dot_product, similarity")
    ground.b.value = "alibi"
    assert "both feed clock, so here are other views" in ground._news.value


def test_lists_call_each_view_by_a_name_of_its_own(ground):
    ground.open("alibi: attention_reach")
    assert ground.views[0].label == "Where the query looks"
    ground.open("rope: rotated_together, dot_product")
    assert [drop.label for drop in ground.views] == ["Rotated together", "Dot product", "none"]
    labels = [label for label, _ in ground.views[0].options]
    assert len({*labels}) == len(labels)


def test_the_same_encoding_twice_differs_in_what_the_first_one_moves_others_share_all(ground):
    ground.open("rope: dot_product; base=500000, seq_len=40")
    ground.b.value = "rope"
    ground.explorer.sliders["base"].value = 10_000
    one = "rope: dot_product; seq_len=40"
    assert ground.line == f"{one} | {one}, base=500000"
    # pictures say where they differ
    heads = ["Rotary (RoPE), base 10000", "Rotary (RoPE), kept, base 500000"]
    ground.views[0].value = "heatmap"
    ground.explorer.sliders["seq_len"].value = 50  # of both
    assert [pen.axes.head for pen in ground.explorer.sheet.pens] == heads
    assert [one.base for one in ground.explorer.sheet.encodings] == [10_000, 500_000]
    assert same_pixels(ground.explorer.png, ground.explorer.sheet.frame())
    ground.explorer.sliders["base"].value = 500_000
    heads = [pen.axes.head for pen in ground.explorer.sheet.pens]
    assert heads == ["Rotary (RoPE)", "Rotary (RoPE), kept"]
    ground.b.value = "sinusoidal"
    assert ground.line.startswith("rope+sinusoidal: heatmap; seq_len=50")
    ground.b.value = "mrope"
    assert "Rotary (RoPE) and M-RoPE have no view in common" in ground._news.value
    assert ground.b.value == ""
    assert ground.explorer.spec.names == "rope"


@pytest.mark.slow
def test_encodings_of_every_kind_can_stand_beside_each_other(ground):
    names = [*ENCODINGS, *ELSEWHERE]
    for k, a in enumerate(names):
        ground.a.value = a
        for b in names[k % 3 :: 3]:
            ground.b.value = b
            drawn = [one.name for one in ground.explorer.spec.encodings]
            if drawn != [a, b]:
                assert drawn == [a]
                assert "have no view in common" in ground._news.value
            assert (ground.a.value, ground.b.value) == (a, drawn[1] if drawn[1:] else "")


def test_back_leads_to_what_was_shown_before_the_last_choice_and_forward_comes_again(ground):
    lines = [ground.line]
    ground.open("Points crowd on a circle")
    lines.append(ground.line)
    ground.b.value = "rope"
    lines.append(ground.line)
    while len(lines) > 1:
        assert ground.line == lines.pop()
        press(ground, "Back")
        assert ground.line == lines[-1]
        assert ("Points crowd on a circle" in ground._note.value) == (len(lines) == 2)
    press(ground, "Back")
    assert "nothing to go back to." in ground._news.value
    press(ground, "Forward")
    assert ground.scene == "Points crowd on a circle"
    ground.a.value = "binary"  # another way
    press(ground, "Forward")
    assert "nothing to go forward to." in ground._news.value
    press(ground, "Back")
    assert ground.scene == "Points crowd on a circle"


def test_an_offset_goes_as_far_before_the_query_as_after_it(ground):
    ground.open("T5's buckets")
    side = ground.explorer
    slider = side.sliders["offset"]
    assert (slider.min, slider.max) == (-159, 159)
    slider.value = -140
    side.sliders["seq_len"].value = 50
    assert (slider.min, slider.max, slider.value) == (-49, 49, -49)
    assert "offset −49" in ground.text.lower()


SCORES = "rope: score_by_offset; content=random"


@pytest.mark.parametrize(
    ("line", "alike"),
    [
        ("integer+sinusoidal: similarity, heatmap; seq_len=8, d_model=8", True),
        ("rope+alibi: dot_product", False),  # dot products and biases
        (f"{SCORES} | {SCORES}, base=20", True),
    ],
)
def test_what_shows_the_same_has_the_same_axes(ground, line, alike):
    def seen() -> bool:
        each = ground.explorer.sheet.pens
        ends = [{name: pen.limits[name] for name in pen.view.shares} for pen in each]
        return ends[: len(each) // 2] == ends[len(each) // 2 :]

    ground.open(line)
    assert seen() == alike
    ground.explorer.sliders["seq_len"].value = 12
    assert seen() == alike
    picture = ground.explorer.png
    ground.open(ground.line)
    assert same_pixels(ground.explorer.png, picture)


USUAL = "rope: rotated_together"
ADDRESSES = [
    ("line=rope%3A%20clock%3B%20base%3D500", "rope: clock; base=500", ""),
    ("line=rope+alibi:%20similarity", "rope+alibi: similarity", ""),
    ("preset=base+100+raps", USUAL, "there is no scene &#x27;base 100 raps&#x27;"),
    ("color=red", USUAL, ""),
]


def test_an_app_opens_what_its_address_asks_for(monkeypatch):
    for asked, line, told in ADDRESSES:
        monkeypatch.setenv("QUERY_STRING", asked)
        ground = playground()
        assert ground.line.startswith(line)
        assert told in ground._news.value
        ground.close()


def test_what_a_scene_says_is_what_it_was_as_it_opened_once_a_slider_has_moved(ground):
    ground.open("Two positions all but meet")
    says = SCENES["Two positions all but meet"].says
    assert f"</b> · {says}" in ground._note.value
    ground.explorer.sliders["d_model"].value = 4
    assert f"</b> · as it opened: {says}" in ground._note.value
    ground.open(ground.line)
    assert says not in ground._note.value


def test_a_picture_is_saved_in_the_theme_and_width_that_are_chosen_with_its_name_and_a_margin(
    ground, monkeypatch
):
    ground.open("rope: dot_product, similarity; seq_len=40")
    ground.explorer._picture.page = {"dark": False, "own": 1200, "width": 1200, "height": 1600}
    send = Mock()
    monkeypatch.setattr(ground.explorer._picture, "send", send)
    usual = (), ground.explorer._drawn.page_width, False
    slide = ("light", None), (856 + 2 * MARGIN), False
    for chosen, width, dark in (usual, (("dark", 640), 640, True), slide):
        ground.file_as.value = chosen
        press(ground, "PNG")
        (data,) = send.call_args.kwargs["buffers"]
        gray = np.asarray(Image.open(io.BytesIO(data)).convert("L"), int)
        assert gray.shape[1] == 2 * width
        assert (gray[0, 0] < 60) == dark
        rim = 2 * MARGIN - 2  # all paper
        for edge in (gray[:rim], gray[-rim:], gray[:, :rim], gray[:, -rim:]):
            assert np.ptp(edge) < 3
    ground.file_as.value = "dark", 640
    press(ground, "SVG")
    svg = send.call_args.kwargs["buffers"][0].decode()
    assert 'width="640"' in svg
    assert ">Rotary (RoPE)</text>" in svg


@pytest.mark.slow
def test_present_makes_panels_large_or_dark():
    present()
    large = explore("sinusoidal", views="heatmap")
    assert large._drawn.scale > 1
    assert "posenc-large" in large.box._dom_classes
    many = explore("sinusoidal", views=["trajectory", "heatmap", "dot_product"])
    (tab,) = many._tabs  # one view at a time, as large as can be, or all
    seen = {}
    for name in tab.options:
        tab.value = name
        seen[name] = [pen.view.name for pen in many.sheet.pens], many._drawn.scale
        many.set(base=500 + len(seen))  # and sliders go on
    assert seen.pop("all")[0] == ["trajectory", "heatmap", "dot_product"]
    assert all(
        (name == names[0], scale > 1) == (True, True) for name, (names, scale) in seen.items()
    )
    assert "posenc-large" in playground().box._dom_classes
    present(theme="dark")
    assert explore("sinusoidal").sheet.theme == "dark"
    present(False)
    for wrong, error in (({"theme": "night"}, ValueError), ({"on": 1}, TypeError)):
        with pytest.raises(error, match="must be"):
            present(**wrong)
    assert not page.Look.large


def test_present_changes_panels_that_are_open_and_takes_them_back():
    views = ["trajectory", "heatmap", "dot_product"]
    panels = [explore("sinusoidal", views=some) for some in ("heatmap", views)]
    whole = playground("binary: heatmap; seq_len=8")
    for panel in (*panels, whole.explorer):
        panel.box._view_count = 1  # as a page counts that shows it
    before = [unpacked(panel.png) for panel in panels]
    present(theme="dark")
    for panel in (*panels, whole.explorer):
        assert (panel.sheet.theme, panel._drawn.scale > 1) == ("dark", True)
        assert {"posenc", "posenc-large", "posenc-dark"} <= {*panel.box._dom_classes}
    assert [len(panel.sheet.pens) for panel in panels] == [1, 1]  # one view of many at a time
    assert "posenc-dark" in whole.box._dom_classes
    panels[1]._tabs[0].value = "heatmap"
    present()
    assert [pen.view.name for pen in panels[1].sheet.pens] == ["heatmap"]  # as it was chosen
    assert [panel.sheet.theme for panel in panels] == ["light", "light"]
    present(False)
    assert [unpacked(panel.png) for panel in panels] == before
    assert panels[0].box._dom_classes == panels[1].box._dom_classes == ("posenc",)
    whole.close()
    closed = whole.box._dom_classes
    present()
    assert whole.box._dom_classes == closed


@pytest.mark.slow
def test_switching_and_closing_leave_nothing_behind():
    playground().close()
    before, counts = held(), set()
    ground = playground("binary+sine: waves, heatmap; seq_len=32")
    for _ in range(2):
        for name in ("binary", "rope", "sine"):
            ground.a.value = name
            ground.wall.value, ground.topic.value = True, "waves"
            ground._pictures.wait()
        figures, open_widgets = held()
        counts.add((figures, len(open_widgets)))
    assert len(counts) == 1
    ground.close()
    del ground
    figures, open_widgets = held()
    assert figures <= before[0]  # what other tests had left may go meanwhile
    assert open_widgets <= before[1]


def test_what_views_have_no_room_for_is_told_and_comes_back_with_other_views(ground):
    ground.open("rope: dot_product; seq_len=50, query=36")
    ground.views[0].value = "outputs"
    assert "seq_len 50 → 3" in ground._news.value
    ground.views[0].value = "dot_product"
    assert (ground.explorer.values["seq_len"], ground.explorer.values["query"]) == (50, 36)
    assert not ground._news.value


def test_a_file_and_the_topic_stay_as_they_were_chosen(ground):
    ground.file_as.value = "dark", 640
    ground.wall.value, ground.topic.value = True, "waves"
    assert ground._scenes.children
    press(ground, "Two positions all but meet")
    assert ground.file_as.value == ("dark", 640)
    ground.wall.value = False
    ground.open("ALiBi's rulers")
    assert not ground.wall.value
    assert ground.topic.value == "waves"  # where the strip opens again


@pytest.mark.parametrize("names", ["rope", "rope+alibi"])
def test_a_picture_for_a_slide_is_no_tower(names, ground):
    ground.open(f"{names}: dot_product, similarity, score_by_offset; seq_len=40")
    shapes = {}
    for look in (("light", None), ("light", 640)):
        ground.file_as.value = look
        wide, high = Image.open(io.BytesIO(ground.explorer._file("png"))).size
        shapes[look[1]] = wide / high
    assert shapes[None] > 1.2 > shapes[640]
