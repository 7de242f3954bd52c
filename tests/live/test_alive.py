"""A callback that fails leaves its widget alive: lists, boxes and sliders go on as before.

What goes wrong is put in from outside, at random places and with every kind of error; what must be
there afterward is known before.
"""

import asyncio
import json
import random
from collections import OrderedDict, UserDict
from contextlib import suppress
from datetime import date
from fractions import Fraction
from unittest.mock import Mock

import ipywidgets as widgets
import numpy as np
import pytest
import traitlets

from posenc_lib import config_box, explore, playground
from posenc_lib.lessons.lesson_11 import config_box as boxes
from posenc_lib.lessons.playground.playground import Playground
from posenc_lib.lessons.training.live import Training
from posenc_lib.lessons.training.trained_table import Plan
from posenc_lib.live.explorer import Explorer
from posenc_lib.live.page import explained
from posenc_lib.live.settings import steps

from ..conftest import mostly_slow

ERRORS = (
    TypeError("no type"),
    ValueError("no value"),
    KeyError("no key"),
    IndexError("no index"),
    AttributeError("no attribute"),
    ZeroDivisionError("no division"),
    FloatingPointError("no float"),
    MemoryError("no memory"),
    RecursionError("no depth"),
    OSError("no file"),
    UnicodeError("no text"),
    LookupError("nothing found"),
    AssertionError("no truth"),
    traitlets.TraitError("Invalid selection: value not found"),
    asyncio.InvalidStateError("no state"),
    np.linalg.LinAlgError("no inverse"),
)
BEGIN = "rope: clock; base=500"


@pytest.fixture
def ground(undrawn):
    made = playground(BEGIN)
    yield made
    made.close()


def all_lists_live(ground) -> None:
    """Choose from each list, and go back: every choice is followed."""
    assert not ground._showing
    ground.a.value = "alibi"
    assert [one.name for one in ground.explorer.spec.encodings] == ["alibi"]
    ground.b.value = "rope"
    assert [one.name for one in ground.explorer.spec.encodings] == ["alibi", "rope"]
    ground.views[0].value = "similarity"
    assert ground.explorer.spec.views[0].name == "similarity"
    ground._line.value = "t5: head_biases"
    assert ground.line == "t5: head_biases"
    ground.open(BEGIN)


PLACES = (
    "_put_lists",
    "_read",
    "_make",
    "_head",
    "_fitting",
    "_outline",
    "_show",
    "_chosen",
    "_copy",
)


@pytest.mark.parametrize("place", mostly_slow(PLACES, 3))
def test_lists_live_on_after_any_error_anywhere(ground, monkeypatch, place):
    """Of each of nine parts, with each of sixteen errors."""
    moves = {
        "a": lambda: setattr(ground.a, "value", "sinusoidal"),
        "line": lambda: setattr(ground._line, "value", "alibi: head_biases"),
        "view": lambda: setattr(ground.views[0], "value", "heatmap"),
        "copy": lambda: press(ground, "Copy line"),
        "back": lambda: press(ground, "Back"),
    }
    whole = getattr(Playground, place)
    chance = random.Random(place)
    for error in ERRORS:
        ground.open("rope: clock; base=700")
        left = [chance.randint(0, 1)]  # how many calls go well before it fails, once

        def fails(self, *given, left=left, error=error, **named):
            left[0] -= 1
            if left[0] == -1:
                raise error
            return whole(self, *given, **named)

        with monkeypatch.context() as patch:
            patch.setattr(Playground, place, fails)
            chance.choice([*moves.values()])()
        left_as = [one.name for one in ground.explorer.spec.encodings]
        assert ground.a.value == left_as[0]
        assert ground.views[0].value == ground.explorer.spec.views[0].name
        assert not ground._showing
    all_lists_live(ground)


def press(panel, name: str) -> None:
    found = [part for part in walk(panel.box) if getattr(part, "description", "") == name]
    found[0].click()


def walk(box):
    yield box
    for child in getattr(box, "children", ()):
        yield from walk(child)


def test_lists_live_on_even_where_they_cannot_be_put_back(ground, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(
            "posenc_lib.lessons.playground.playground._called",
            Mock(side_effect=KeyError("again and again")),
        )
        with pytest.raises(KeyError):
            ground.open("alibi: head_biases")
        assert not ground._showing
    all_lists_live(ground)


def test_a_step_back_that_fails_can_be_taken_again(ground, monkeypatch):
    ground.open("alibi: head_biases")
    with monkeypatch.context() as patch:
        patch.setattr(Playground, "_make", Mock(side_effect=KeyError("once")))
        press(ground, "Back")
    assert "KeyError" in ground._news.value
    press(ground, "Back")
    assert ground.line == BEGIN
    press(ground, "Forward")
    assert ground.line == "alibi: head_biases"


class Cannot:
    """What JSON has no word for."""

    def __repr__(self) -> str:
        return "torch.bfloat16"


LLAMA = {"model_type": "llama", "hidden_size": 512, "num_attention_heads": 8}
LLAMA |= {"rope_theta": 5e5, "max_position_embeddings": 2048}
ITSELF: dict = {}
ITSELF["itself"] = ITSELF
DEEP: list = []
for _ in range(100_000):
    DEEP = [DEEP]
ODD = (
    b"x",
    {1, 2},
    Cannot(),
    Cannot,
    object,
    len,
    1j,
    date(2026, 11, 27),
    Fraction(1, 3),
    range(3),
)
ODD += (np.float32(2.5), np.int64(7), np.arange(3), np.bool_(True), frozenset("a"), lambda: 0)
ODD += (memoryview(b"y"), bytearray(b"z"), Ellipsis, NotImplemented, ITSELF, ITSELF.values())
ODD += ("\ud800", "\x00", "</script>", float("nan"), float("inf"), 10**300, OrderedDict(a=b"x"))
ODD += (UserDict(a=1), {(1, 2): 3}, {b"x": 1}, {None: b"x"}, [b"x"], ((1, {2}),), iter("a"), json)
ODD += (map(int, "1"), slice(3), property(), type, int, pytest, np.dtype("float16"), np.random)


def test_a_box_shows_what_json_has_no_word_for_as_text_and_hears_what_comes_after(undrawn):
    box = config_box(LLAMA)
    for value in ODD:
        box.read(LLAMA | {"note": value})
        kept = json.loads(box.paste.value)  # it can be read again
        assert {name: kept[name] for name in LLAMA} == LLAMA
        assert len(kept) == len(LLAMA) + 1
        with suppress(TypeError, ValueError):  # a key that is no text is refused
            box.read(LLAMA | {value: 1})
        assert not box._moving
    inner = {"factor": 4, "dtype": Cannot()}
    assert json.loads(boxes.written({"a": inner})) == {"a": inner | {"dtype": "torch.bfloat16"}}
    listens(box)
    box.close()


def test_a_box_hears_on_after_any_error_in_any_of_its_parts(undrawn, monkeypatch):
    box = config_box(LLAMA)
    for error in ERRORS:
        for place in ("of_config", "told", "fates", "written", "Explorer", "whole"):
            with monkeypatch.context() as patch:
                patch.setattr(boxes, place, Mock(side_effect=error))
                box.model.value = "gpt_neox" if box.model.value != "gpt_neox" else "phi_3"
            assert str(error).strip("'") in box._news.value or not box._news.value
            assert not box._moving
    listens(box)
    box.close()


def listens(box) -> None:
    """Pick a model, and paste a config: the box shows each."""
    box.model.value = "gpt_neox" if box.model.value != "gpt_neox" else "phi_3"
    assert json.loads(box.paste.value)["model_type"] in ("gpt_neox", "phi3")
    pasted = LLAMA | {"hidden_size": 640}
    box.paste.value = json.dumps(pasted)
    assert box.config == pasted
    assert box.model.value == ""


TYPED = ("nan", "inf", "-inf", "1e999", "", "x", "1,0", "0x10", "--5", "1e", "5 6", "٣", "½", "NaN")
TOUCHES = ({}, {"axes": 99}, {"axes": -5}, {"axes": 0}, {"axes": 0, "press": 1, "left": None})
TOUCHES += ({"axes": 0, "press": 2, "left": float("nan"), "top": 0.5, "by": 0.0, "asked": 1},)
TOUCHES += ({"axes": 0, "press": 3, "left": 9e9, "top": -9e9, "by": 9e9, "asked": 2},)
PAGES = ({"own": None}, {"own": "wide"}, {"dark": 1}, {"own": float("nan")}, {"own": -1})


def test_what_no_page_should_send_leaves_sliders_alive(monkeypatch):
    monkeypatch.setattr(Explorer, "raise_errors", False)
    panel = explore("rope", views="dot_product")
    start, tried = panel.values, 0
    for name in panel.sliders:
        for typed in TYPED:
            panel._canvas.sent = {"slider": name, "typed": typed, "at": tried}
            tried += 1
            known = steps(panel.sliders[name])
            assert all(value == value for value in [*panel.values.values(), *known])
    for trait, messages in (("touched", TOUCHES), ("page", PAGES)):
        for message in messages:
            setattr(panel._canvas, trait, message)
            tried += 1
            panel.reset()
            panel.set(seq_len=20)
            assert panel.values["seq_len"] == 20
            assert panel._held == 0
    panel.reset()
    assert panel.values == start
    assert tried >= 50
    panel.close()


def test_every_button_of_every_panel_says_what_failed(undrawn, monkeypatch):
    monkeypatch.setattr(Explorer, "raise_errors", False)
    panels = (explore("sine"), playground(BEGIN), config_box(LLAMA))
    panels += (Training(Plan("rope", "look_back", 0, 1, 3)),)
    for panel in panels:
        for part in walk(panel.box):
            if isinstance(part, widgets.Button):
                (handler,) = part._click_handlers.callbacks
                assert "_button" in handler.__qualname__
        for error in ERRORS:
            assert not panel._try(Mock(side_effect=error))
            said = panel._news.value
            assert str(error).strip("'") in said
            assert explained(error).partition(":")[0].partition("<")[0] in said
        panel.close()
