"""A playground's line is its panel: opened again it has every value, and every pixel.

What the panel has is read off its widgets, the values that it was given are drawn at random, and
what a line must say is checked by taking the line apart here.
"""

import math
import random
import re
from collections.abc import Iterator
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest

from posenc_lib import Additive, Parameter, Rotary, playground
from posenc_lib.encodings.catalog import KNOWN
from posenc_lib.encodings.parameter import written
from posenc_lib.encodings.rope import Rope
from posenc_lib.lessons.playground.playground import Playground, Side
from posenc_lib.lessons.playground.playground import _of_its_own as own_of
from posenc_lib.live.settings import steps
from posenc_lib.spec import parts_of, read
from posenc_lib.views import VIEWS

from ..conftest import DAY, mostly_slow, same_pixels, todays

KNOWN.load()
VIEWS.load()
QUICK = 50  # pairs
PARTS = 12  # of all pairs


class PartialNTK(Rotary):
    """As in a story: its `factor` is another one than RoPE's."""

    parameters = (
        *Rotary.parameters,
        Parameter("factor", "times longer", 4.0, 1.0, 32.0, scale="real"),
        Parameter("trained", "on how many", 512, 64, 4096, scale="whole"),
        Parameter("kind_of", "it", "a, b=1", options=("a, b=1", "a|b", " none", "None", "A", "a")),
    )

    @property
    def frequencies(self):
        return self.factor ** -np.linspace(0.0, 1.0, self.head_dim // 2)


class Powers(Additive):
    """A value that the catalog has no name for, in whole steps of three."""

    parameters = (
        *Additive.parameters,
        Parameter("root", "what is raised", 0.5, 0.1, 1.0, scale="real", least=0.01, most=1),
        Parameter("thirds", "in steps", 3, 0, 30, 3),
        Parameter("sides", "to both, in steps", 0, 0, 12, 5, least=-20),
        Parameter("fours", "in steps from 4 on, but 2 at least", 8, 4, 32, 4, least=2),
        Parameter("pairing", "a number here, a word in RoPE", 2, 1, 5),
    )

    def rows(self, positions):
        return self.root ** np.outer(
            positions / (1 + self.thirds), 1 / (1 + np.arange(self.d_model))
        )


def mine(positions, d_model, scale=100, soft=False, wide=0.25):
    """A function of a reader's: a whole number, a switch, and a real one."""
    return np.cos(np.outer(positions, np.arange(d_model) * wide)) * scale + soft


OWN = [PartialNTK, Powers(root=0.3), mine]
NAMES = [*KNOWN, "PartialNTK", "Powers", "mine"]


@pytest.fixture
def ground():
    made = playground(own=OWN)
    yield made
    made.close()


@pytest.fixture
def other():
    made = playground(own=OWN)
    yield made
    made.close()


def fitting(ground, *names: str) -> list[str]:
    """Return the views that all of these can feed."""
    known = [ground._known[name] for name in names if name]
    return [name for name, view in VIEWS.items() if all(view.fits(one) for one in known)]


def pairs(ground) -> Iterator[tuple[str, str]]:
    """Yield all that can be chosen: one encoding, two, or one beside itself."""
    for pair in product(NAMES, ["", *NAMES]):
        if fitting(ground, *pair):
            yield pair


def some(ground, chance: random.Random, number: int, firsts=NAMES) -> list[tuple[str, str]]:
    """Return some of these pairs."""
    found = []
    while len(found) < number:
        pair = chance.choice(firsts), chance.choice(["", *NAMES])
        found += [pair] if fitting(ground, *pair) else []
    return found


def seen(ground) -> dict:
    """Return by name what a panel has: its lists, its sliders, and what does not move."""
    panel = ground.explorer
    found = {"lists": [drop.value for drop in (ground.a, ground.b, *ground.views)]}
    found["sliders"] = sorted(panel.sliders)
    found |= {name: value for name, value in panel.values.items() if value is not None}
    for place, encoding in enumerate(panel.spec.encodings_at(panel.values)):
        found |= {f"{name} of {place}": value for name, value in encoding.values.items()}
        found[f"title of {place}"] = encoding.title
    return found


def play(ground, chance: random.Random) -> None:
    """Move sliders, as a hand or a number typed beside them does."""
    panel = ground.explorer
    awake = [name for name, slider in panel.sliders.items() if not slider.disabled]
    for name in chance.sample(awake, min(4, len(awake))):
        slider, known = panel.sliders[name], steps(panel.sliders[name])
        if panel._settings.parameters[name].options or chance.random() < 0.6:
            slider.value = chance.choice(known)
        else:
            typed = f"{chance.uniform(known[0], known[-1]):.9g}"
            panel._canvas.sent = {"slider": name, "typed": typed, "at": chance.random()}


def by_line(ground, chance: random.Random, a: str, b: str) -> None:
    """Open a pair in random views, with a random number where a line can have one."""
    views = fitting(ground, a, b)
    shown = f"{', '.join(chance.sample(views, min(2, len(views))))}"
    panels = [f"{a}: {shown}"] * 2 if a == b else [f"{a}+{b}: {shown}" if b else f"{a}: {shown}"]
    spec = read(panels[0], known=ground._known)[0]
    numbers = [parameter for parameter in spec.parameters.values() if not parameter.options]
    parameter = chance.choice(numbers)
    low, high = max(parameter.least, -100), min(parameter.most, 4 * parameter.high, 700)
    panels[-1] += f"; {parameter.name}={chance.randint(math.ceil(low), math.floor(max(low, high)))}"
    try:
        ground.open(" | ".join(panels))
    except (TypeError, ValueError):  # an encoding may have a rule of its own
        ground.open(" | ".join(panels).partition(";")[0])


def by_hand(ground, chance: random.Random, a: str, b: str) -> None:
    """Choose a pair from the lists, and other views."""
    ground.a.value = a
    ground.b.value = b
    play(ground, chance)
    for drop in chance.sample(ground.views, 2):
        drop.value = chance.choice([value for _, value in drop.options])


def opens_again(ground, other, chance: random.Random) -> None:
    """Move sliders, and expect that the line has all values of the panel."""
    play(ground, chance)
    line, wanted = ground.line, seen(ground)
    other.open(line)
    assert seen(other) == wanted, line
    assert other.line == line
    assert "alert" not in other._news.value
    for drop in (other.a, other.b):
        assert drop.index is not None


STORIES = [("rope_2d", "rope"), ("previous_head", "rope"), ("PartialNTK", "rope"), ("rope", "rope")]


def test_a_line_has_every_value_of_its_panel(undrawn, ground, other):
    chance = random.Random(54)
    for a, b in [*STORIES, *some(ground, chance, QUICK)]:
        by_line(ground, chance, a, b)
        opens_again(ground, other, chance)


@pytest.mark.slow
def test_a_line_without_values_opens_every_encoding_at_its_defaults(undrawn, ground):
    """With no choice that nobody asked for: what is None by default stays out of its line."""
    assert playground("sinusoidal: trajectory").line == "sinusoidal: trajectory"
    for name in NAMES:
        shown = f"{name}: {', '.join(fitting(ground, name)[:3])}"
        ground.open(shown)
        head, _, named = ground.line.partition("; ")
        assert head == shown
        values, parameters = ground.explorer.values, ground.explorer.spec.parameters
        for unfit in re.findall(r"(\w+)=", named):  # its default doesn't fit
            assert parameters[unfit].default > values[unfit], ground.line
        for parameter in ground._known[name].turnable:
            if parameter.default is None:
                assert values[parameter.name] in (None, parameter.start)


NUMBERS = [f"rope: clock; head_dim={2 * k}" for k in range(3, 500, 31)]
NUMBERS += [f"mine: heatmap; scale={k}" for k in (*range(-40, 900, 77), 10**6)]
NUMBERS += [f"PartialNTK: clock; trained={k}" for k in range(70, 4096, 313)]
NUMBERS += [f"rope: clock; base={k / 7}" for k in range(15, 10**7, 555_555)]
NUMBERS += [f"Powers: heatmap; fours={k}" for k in range(4, 99, 4)]


def test_a_number_that_a_line_names_is_taken_as_it_is(undrawn, ground):
    """Between two steps of its slider, or beyond its ends."""
    for line in NUMBERS:
        ground.open(line)
        name, value = line.partition("; ")[2].split("=")
        assert ground.explorer.values[name] == float(value)
        assert not ground._news.value


@pytest.mark.slow
def test_the_line_of_every_pair_has_every_value_of_its_panel(undrawn, ground, other):
    """Each day a twelfth of them."""
    chance = random.Random(DAY % PARTS)
    for a, b in todays(pairs(ground), PARTS):
        by_line(ground, chance, a, b)
        opens_again(ground, other, chance)
        by_hand(ground, chance, a, b)
        opens_again(ground, other, chance)


@pytest.mark.parametrize("pair", mostly_slow([*STORIES, ("mine", "sine"), ("alibi", "")], 3))
def test_a_line_has_every_pixel_of_its_panel(ground, other, pair):
    chance = random.Random(str(pair))
    by_hand(ground, chance, *pair)
    opens_again(ground, other, chance)
    assert same_pixels(other.explorer.png, ground.explorer.png)
    assert other.text == ground.text


def test_numbers_and_options_are_written_as_they_are_read(ground):
    """Of floats of all sizes, and of texts that a line has other uses for: each comes back."""
    chance = random.Random(7)
    real = Parameter("x", "any", 1.0, 0.0, 1e15, scale="real", most=1e15)
    for _ in range(200):
        value = chance.choice(
            (chance.random(), chance.uniform(1, 1e6), 10.0 ** chance.randint(-9, 15))
        )
        assert real.read(written(value)) == value
    signs = "%,|;=:+ nN\n\r\t%2C\u00a0a"
    for _ in range(300):
        text = "".join(chance.choices(signs, k=chance.randint(1, 6)))
        text = chance.choice((text, "none", "None", " none", text.upper()))
        option = Parameter("word", "any", "b", options=("b", text, text.swapcase()))
        panel = f"rope: clock; seq_len=9, word={written(text)}, base=3"
        (part,) = panel.split("|")  # no bar in it
        _, _, values = parts_of(part)
        assert values["word"].lower() != "none"
        assert option.read(values["word"]) == text
        assert (values["seq_len"], values["base"]) == ("9", "3")


def test_what_is_ones_own_stands_in_front(undrawn, ground):
    front = {"mine": ["scale", "soft", "wide"], "PartialNTK": ["factor", "trained", "kind_of"]}
    front["Powers"] = ["root", "thirds", "sides", "fours"]
    for own, names in front.items():
        beside = [b for _, b in some(ground, random.Random(own), 9, [own]) if b in KNOWN][:3]
        for pair in ([own], *([own, b] for b in beside), *([b, own] for b in beside)):
            ground.open(f"{'+'.join(pair)}: {fitting(ground, *pair)[0]}")
            assert ground.explorer.live[: len(names)] == names
    assert own_of(Rope(base=500.0)) == []  # an object of the catalog's class has nothing new


def test_a_files_name_has_no_dash_before_its_end(ground, undrawn):
    """Wherever a long line is cut."""
    panel = ground.explorer
    panel._picture.page, names = {"own": 900}, []
    panel._picture.send = lambda message, buffers: names.append(message["save"])
    for length in range(60):
        line = "rope-" * 20 + "a" * length + "; -0.5, x=" + "y " * 40
        with patch.object(Playground, "line", line), patch.object(Side, "_file", lambda *_: b""):
            panel._save("png")
    assert len(names) == 60
    assert all(re.fullmatch(r"[\w.-]*\w\.png", name) for name in names)
    assert max(map(len, names)) <= 154
