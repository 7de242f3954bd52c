"""One's own encoding: a function, a table, an object, or queries and keys, under all that fits."""

import functools
import re

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.catalog import ENCODINGS, NAMED
from posenc_lib.encodings.own import opened
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.rope import Rope
from posenc_lib.live.explorer import Explorer
from posenc_lib.live.settings import steps
from posenc_lib.spec import Spec
from posenc_lib.views import VIEWS

from ..conftest import mostly_slow

T = np.random.default_rng(0).normal(size=(20, 6))
Q, K = np.random.default_rng(1).normal(size=(2, 24, 8))


def waves(positions, d_model, speed=0.5, kind="sine"):
    angle = speed * np.outer(positions, 1 / (1 + np.arange(d_model)))
    return np.sin(angle) if kind == "sine" else np.cos(angle)


class Slower(pe.Rotary):
    """RoPE whose pairs all turn more slowly by a factor."""

    factor = Parameter("factor", "how many times slower", 1, 1, 32, 1, "power of two")
    parameters = (*pe.Rotary.parameters, factor)

    @property
    def frequencies(self):
        return pe.inv_freq(self.head_dim) / self.factor


class Thirds(pe.Bias):
    """ALiBi with slopes of thirds."""

    def biases(self, offsets):
        return np.outer([1 / 3, 1 / 9, 1 / 27, 1 / 81], -np.abs(offsets))


@pytest.fixture(autouse=True)
def _raise_errors(monkeypatch):
    monkeypatch.setattr(Explorer, "raise_errors", True)


@pytest.mark.parametrize("name", ["rope", "shaw", "transformer_xl"])
def test_a_models_queries_and_keys_meet_in_attention_at_their_positions(name):
    (one,) = Spec.of(name, "attention_row", q=Q[:20], k=K[:20]).encodings
    related = ENCODINGS[name].at(head_dim=8, seq_len=20).relate(Q[:20], K[:20])
    plain = {"q": Q[:20], "k": K[:20], "v": np.eye(20), "causal": True}
    wanted = pe.attention(**plain | related)[1]
    np.testing.assert_allclose(one.attend(np.zeros((20, 8)), causal=True)[1], wanted, atol=1e-12)
    assert "words" not in pe.explore(name, views="attention_row", q=Q, k=K).sliders


@pytest.mark.parametrize(
    ("default", "given", "least", "most", "start"),
    [
        (0.37, {}, 0.0925, 1.48, 0.37),
        (0, {"p": (-3.0, 3.0)}, -3.0, 3.0, 0.0),
        (None, {"p": (2, 9)}, 2, 9, 2),
        (True, {}, False, True, True),
        ("a", {"p": ["a", "b"]}, "a", "b", "a"),
    ],
)
def test_a_default_becomes_a_slider_that_reaches_it(default, given, least, most, start):
    got = []

    def called(positions, d_model, p=default):
        got.append(p)
        return np.outer(positions, np.arange(d_model))

    panel = pe.explore(called, views="heatmap", **given)
    values = steps(panel.sliders["p"])
    assert (values[0], values[-1], panel.values["p"]) == (least, most, start)
    assert len(values) < 200
    panel.sliders["p"].value = most
    assert (got[-1], type(got[-1])) == (most, type(most))


def tutorial(seq_len, d_model, base=100.0):
    table = np.zeros((seq_len, d_model))
    for t in range(seq_len):
        table[t] = np.sin(t / base ** (np.arange(d_model) / d_model))
    return table


def even(positions, d_model):
    if d_model % 2:
        raise ValueError("pairs!")
    return np.ones((len(positions), d_model))


def test_functions_as_people_write_them_are_understood():
    (one,) = opened(tutorial)  # of the length, as tutorials write it
    np.testing.assert_array_equal(one.at(seq_len=5, d_model=4).table, tutorial(5, 4))
    assert pe.explore(tutorial, views="heatmap").sliders.keys() == {"seq_len", "d_model", "base"}
    evens = steps(pe.explore(even, views="heatmap").sliders["d_model"])
    assert evens == [2**k for k in range(1, 10)]
    panel = pe.explore(functools.partial(waves, speed=2.0), views="heatmap", kind="cosine")
    assert panel.values["speed"] == 2.0
    assert "kind" not in panel.sliders

    def bits(positions, d_model):  # there are none of a float
        return positions[:, None] >> np.arange(d_model) & 1

    def blind(positions, d_model):
        return np.outer(range(len(positions)), [1] * d_model)

    continuous = [one.at(d_model=4).continuous for one in opened([waves, bits, blind])]
    assert continuous == [True, False, False]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            lambda n, d: np.zeros((n, d - 1)),
            "f must return an array of shape (64, 4), got (64, 3) (d_model=4, bad=1)",
        ),
        (lambda n, d: np.log(-np.ones((n, d))), "got nan at position 0, dim 0 (d_model=4, bad=1)"),
        (
            lambda n, d: 1 // 0,
            "f raised ZeroDivisionError: integer division or modulo by zero (d_model=4, bad=1)",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_fault_of_a_function_is_told_and_the_last_picture_stays(answer, words, monkeypatch):
    def f(positions, d_model, bad=0):
        return answer(len(positions), d_model) if bad == 1 else np.ones((len(positions), d_model))

    with pytest.raises(ValueError, match=r"f (must|raised)") as caught:
        pe.explore(f, views="heatmap", d_model=4, bad=1)
    assert words in str(caught.value)
    monkeypatch.setattr(Explorer, "raise_errors", False)
    panel = pe.explore(f, views="heatmap", d_model=4)
    picture = panel.png
    panel.sliders["bad"].value = 1
    assert words in panel._news.value
    assert panel.png == picture  # not drawn again
    panel.sliders["bad"].value = 2
    assert panel._news.value == ""


BARE = type("Bare", (pe.Rotary,), {})
NO_PROPERTY = type("NoProperty", (pe.Rotary,), {"frequencies": lambda self: np.ones(3)})
NO_SUPER = type("NoSuper", (Slower,), {"__init__": lambda self: None})
NO_VALUES = type("NoValues", (Slower,), {"__init__": lambda self: pe.Rotary.__init__(self)})
NO_HEAD = type("NoHead", (Thirds,), {"parameters": pe.Additive.parameters})
Layer = type("Layer", (), {"weight": T, "__call__": lambda self, x: x})


def divides(positions, d_model):
    return positions[:, None] / [1] * d_model + [][0]


NOT_OPENED = [
    (
        divides,
        {},
        "IndexError: list index out of range (d_model=64), at: return positions[:, None] / [1] * d",
    ),
    (
        BARE,
        {},
        "Bare must define frequencies and its parameters, got",
    ),
    (NO_PROPERTY, {}, "NoProperty must have @property above frequencies, got"),
    (NO_SUPER, {}, "NoSuper must call super().__init__(**values) in its __init__(self, **values)"),
    (
        NO_VALUES,
        {},
        "NoValues must call super().__init__(**values) in its __init__(self, **values)",
    ),
    (NO_HEAD, {}, "'NoHead' object has no attribute 'head'"),
    (Layer(), {}, "got Layer. Its table is .weight"),
    # whose pairing cannot be the other
    (Slower(), {"views": "port"}, "Slower has no view 'port'"),
    (
        waves,
        {"speed": "x"},
        "speed must be numbers here (bind anything else to it before:",
    ),
    (
        lambda positions, d_model: positions.no,
        {},
        "AttributeError: 'numpy.ndarray' object has no attribute 'no'",
    ),
    (
        lambda positions: positions,
        {},
        "mine must take positions and d_model as its first two arguments, got mine(",
    ),
    (
        lambda x, positions: x,
        {},
        "got mine(x, positions). To rotate queries and keys, or to add to scores, write a class",
    ),
    (lambda positions, d_model, c: c, {}, "mine needs a value for c, which has no default"),
    (
        lambda positions, d_model, query=1: 1,
        {},
        "mine must rename its parameter 'query'",
    ),
    ([[1.0, 2.0], [3.0, 4.0]], {}, "(for a table, np.array(table))"),
    (T, {"seq_len": 21}, "seq_len must be at most 20 here, got 21"),
    (
        "rope",
        {"q": Q, "k": K[:, :6]},
        "q and k must have the same shape, (seq_len, head_dim), got (24, 8) and (24",
    ),
]


def test_what_cannot_be_opened_is_refused_in_words():
    for what, given, words in NOT_OPENED:
        with pytest.raises((TypeError, ValueError)) as caught:
            pe.explore(what, **given)
        assert words in str(caught.value)


def test_names_never_mean_something_else_and_a_line_with_them_opens_where_they_are_given():
    def sine(positions, d_model):
        return waves(positions, d_model)

    things = ["sine", sine, lambda n, d: 0, T, Rope(base=500.0), Rope, "rope"]
    names = [one.name for one in opened(things)]
    assert names == ["sine", "my_sine", "mine", "mine_2", "my_rope", "my_rope_2", "rope"]
    ground = pe.playground("mine+my_sine: heatmap; seq_len=12", own=[T, sine])
    advice = r"'mine' isn't in the catalog.*playground\(line, own=\[…\]\)"
    for call in (pe.playground().open, pe.figure):
        with pytest.raises(ValueError, match=advice):
            call(ground.line)
    assert pe.playground(ground.line, own=[T, sine]).line == ground.line
    ground.a.value, ground.b.value = "alibi", "mine"
    assert ground.line.startswith("alibi+mine: ")
    ground.close()


def test_a_table_ends_where_it_ends():
    beside = pe.explore([T, "rope"], seq_len=(2, 64), start={"seq_len": 40})
    assert "no rows from 20 on" in beside.text
    assert pe.explore(T, views="waves").sliders["seq_len"].max == 20


@pytest.mark.slow
def test_scorecard_and_figure_take_them():
    card = pe.scorecard([Slower, Thirds, waves, T])
    verdicts = [card.verdict(name, "offset only") for name in card.measured]
    assert verdicts == [True, True, False, False]
    rows = {line[:22].strip(): line for line in repr(card).splitlines()}
    assert rows[""].split() == ["Slower", "Thirds", "waves", "mine"]
    assert "– its table ends" in rows["bounded ≤ 3"]
    assert rows["no length limit no end"].rstrip().endswith("○ no ends")
    rule = "what must say what happens to queries and keys, and mrope doesn't"
    with pytest.raises(ValueError, match=rule):
        pe.scorecard(["rope", "mrope"])
    drawn = pe.figure(waves, views="heatmap", seq_len=32, speed=2.0)
    assert "waves: seq_len 32, d_model 64, speed 2" in drawn.alt
    grid = drawn.of.draw(drawn.values).pens[0].grid
    np.testing.assert_array_equal(grid, waves(np.arange(32), 64, 2.0).T)


def test_a_parameter_needs_no_range_and_a_forgotten_star_is_named():
    own = pe.Parameter("speed", "", 2.0), pe.Parameter("count", "", 8)
    about = {"parameters": (*pe.Rotary.parameters, *own), "frequencies": np.ones(32)}
    moved = type("Moved", (pe.Rotary,), about)
    sliders = pe.explore(moved, views="similarity").sliders
    speeds = [value for _, value in sliders["speed"].options]
    assert (speeds[0], speeds[-1]) == (0.5, 8)
    assert (sliders["count"].min, sliders["count"].max) == (2, 32)
    rule = r"parameters of Starless must be .*got tuple in it: is a star missing"
    with pytest.raises(TypeError, match=rule):
        type("Starless", (pe.Bias,), {"parameters": (pe.Bias.parameters, *own)})
    with pytest.raises(ValueError, match="scale must be one of"):
        pe.Parameter("speed", "", 2.0, scale="log10")


# Own rotary encodings under all that a shipped one feeds

VIEWS.load()
SHIPPED_ROTARY = [e for e in NAMED.load().values() if e.kind == "rotary"]
FED = [name for name in VIEWS if any(VIEWS[name].fits(one) for one in SHIPPED_ROTARY)]
MEASURED = "trained_models four_tasks census perplexity perplexity_along".split()
MEASURED += "trained_ropes trained_layers family own_steps".split()


def theta(dims, base=10_000.0):
    return base ** (-np.arange(0, dims, 2) / dims)


class Ntk(pe.Rotary):
    """As its author writes it."""

    parameters = (*pe.Rotary.parameters, Parameter("factor", "times longer", 4, 1, 32))

    @property
    def frequencies(self):
        dims = self.head_dim
        return theta(dims, 10_000 * self.factor ** (dims / (dims - 2)))


class Fixed(pe.Rotary):
    """No parameter of its own."""

    frequencies = property(lambda self: theta(self.head_dim) / 8)


class Stretched(pe.Rotary):
    """Names of its own, said as the docstring asks."""

    parameters = (
        *pe.Rotary.parameters,
        Parameter("stretch", "times longer", 2.0, 1, 8, scale="real"),
        Parameter("length", "of training", 128, 16, 512),
    )
    training_length = property(lambda self: self.length)
    as_trained = property(lambda self: self.at(stretch=1.0, seq_len=self.length))
    frequencies = property(lambda self: theta(self.head_dim) / self.stretch)


class Trained(Ntk):
    """With the parameter `trained`."""

    parameters = (*Ntk.parameters, Parameter("trained", "the length of training", 96, 16, 512))


ADDED = {  # what an error may ask for
    "grid": property(lambda self: (8, 8)),
    "directions": property(lambda self: np.stack([self.frequencies, self.frequencies[::-1]])),
    "axis_positions": property(lambda self: np.arange(12) + np.zeros((3, 1), int)),
    "axis_of_pair": property(lambda self: np.arange(len(self.frequencies)) % 3),
    "axis_steps": property(lambda self: np.ones(3)),
}
NUMBERS = {"base": 500.0, "before": 5, "frames": 1, "tall": 4, "wide": 1, "after": 3}
PAIRING = Parameter("pairing", "which dims", "half", options=("interleaved", "half"))


def with_what_is_asked_for(kind, words: str):
    """Return a class with the methods and parameters that an error names, and no others."""
    body = {name: made for name, made in ADDED.items() if f" {name} (" in words}
    asked = re.findall(r"a parameter (\w+)", words)
    own = [
        PAIRING if n == "pairing" else Parameter(n, n, NUMBERS[n], 1, 9, most=1e6) for n in asked
    ]
    assert body or own, words
    return type(kind.__name__, (kind,), body | {"parameters": (*kind.parameters, *own)})


@pytest.mark.parametrize("view", mostly_slow(FED, 8))
def test_each_view_of_a_rotary_encoding_is_reached_by_an_own_one_or_says_what_to_add(view):
    for kind in (Ntk, Fixed):
        try:
            panel = pe.explore(kind, views=view, head_dim=16)
        except ValueError as error:
            words = str(error)
            if view not in MEASURED:
                panel = pe.explore(with_what_is_asked_for(kind, words), views=view)
        if view in MEASURED:
            assert "it's for " in words
            assert "other encodings" not in words
            continue
        assert panel.text.endswith(".")
        panel.close()


OWN_LENGTHS = [
    (Ntk, {"factor": 8}, 64, 10_000 * 8 ** (16 / 14), 1.0),
    (Ntk, {"factor": 1}, 64, 10_000, 1.0),
    (Fixed, {}, 64, 10_000, 8.0),
    (Stretched, {"stretch": 4.0}, 128, 10_000, 4.0),
    (Stretched, {"stretch": 2.0, "length": 32}, 32, 10_000, 2.0),
    (Trained, {"trained": 200, "factor": 2}, 200, 10_000 * 2 ** (16 / 14), 1.0),
]


@pytest.mark.parametrize(("kind", "values", "length", "base", "divided"), OWN_LENGTHS)
@pytest.mark.parametrize("times", [1, 8])
@pytest.mark.parametrize(
    "view", ["angles_seen", "frequencies", pytest.param("lookback", marks=pytest.mark.slow)]
)
def test_views_of_longer_texts_show_an_own_encodings_numbers(
    view, times, kind, values, length, base, divided
):
    now = theta(16, base) / divided
    before = now if kind is Fixed else theta(16)
    panel = pe.explore(kind, views=view, head_dim=16, times=times, **values)
    text = panel.text
    if view == "angles_seen":
        full = int((length * before >= 2 * np.pi).sum())
        reached = (times * length * now - np.minimum(length * before, 2 * np.pi)) > before
        new = int((reached & (length * before < 2 * np.pi)).sum())
        assert f"In {length} positions of training, {full} of 8 pairs" in text
        assert f"takes {new} of the others" in text
    elif view == "frequencies":
        kept = int((np.abs(before / now - 1) < 1e-9).sum())
        assert (
            f"Trained on texts of {length} tokens, read at {times * length:,}. Of 8 pairs" in text
        )
        assert f"{kept} kept" in text if kept else "kept" not in text
    else:
        assert f"A head fitted on {length} tokens" in text
        assert (" unscaled " in text) == (not np.allclose(before, now))
    panel.close()


HEADS = [(1, 1), (1,), (1, 1, 1), ()]
SEVERAL = [(2,), (1, 4), (3, 1), (2, 3), (1, 2, 1)]


@pytest.mark.parametrize("axes", HEADS)
@pytest.mark.parametrize("name", ["rope", "shaw", "transformer_xl"])
@pytest.mark.parametrize("seed", range(3))
def test_leading_axes_of_one_entry_are_left_out(seed, name, axes):
    q, k = np.random.default_rng(seed).normal(size=(2, 12, 8))
    shown = pe.explore(name, views="attention_map", q=q.reshape(*axes, 12, 8), k=k).text
    assert shown == pe.explore(name, views="attention_map", q=q, k=k).text
    if name == "rope":
        turned = (q[:, 0::2] + 1j * q[:, 1::2]) * np.exp(1j * np.outer(np.arange(12), theta(8)))
        keys = (k[:, 0::2] + 1j * k[:, 1::2]) * np.exp(1j * np.outer(np.arange(12), theta(8)))
        scores = (turned[10] @ keys.conj().T).real[:11] / np.sqrt(8)
        part = np.exp(scores) / np.exp(scores).sum()
        best = int(part.argmax())
        assert f"Query 10 gives {part[best]:.0%} of its attention to key {best}" in shown


@pytest.mark.parametrize("axes", SEVERAL)
@pytest.mark.parametrize("which", ["q", "k"])
def test_several_heads_are_refused_with_one_to_choose(which, axes):
    both = {"q": np.ones((12, 8)), "k": np.ones((12, 8)), which: np.ones((*axes, 12, 8))}
    with pytest.raises(
        ValueError, match=rf"{which} must come from one head, shape .*got shape"
    ) as told:
        pe.explore("rope", views="attention_map", **both)
    chosen = re.search(rf"Pick one: {which}\[(.*)\] if heads", str(told.value))[1]
    assert both[which][tuple(map(int, chosen.split(", ")))].shape == (12, 8)


def test_q_and_k_come_together_and_for_encodings_that_use_them():
    q = np.ones((12, 8))
    for name in "qk":
        for what in ("rope", "alibi", ["rope", "shaw"]):
            with pytest.raises(TypeError, match="q and k must be passed together"):
                pe.explore(what, **{name: q})
    for what in (["no_position", "rope"], ["rope", "alibi"], "sinusoidal"):
        name = what if isinstance(what, str) else next(one for one in what if one != "rope")
        with pytest.raises(ValueError, match=f"rotary or relative encodings, got {name} with"):
            pe.explore(what, views="similarity", q=q, k=q)

    def mine(positions, d_model, q=2.0):
        return q * np.outer(positions, np.ones(d_model))

    assert "q" in pe.explore(mine, q=(1.0, 3.0)).sliders


def test_what_another_call_does_is_named():
    for call, what in ((pe.explore, "rope"), (pe.figure, "toeplitz")):
        with pytest.raises(TypeError, match=r"no parameter 'theme'.*present\(theme=…\)"):
            call(what, theme="dark")
    with pytest.raises(ValueError, match=r"figures make … --format gif"):
        pe.explore("rope").save("rope.gif")


@pytest.mark.parametrize("axes", HEADS)
def test_a_table_as_it_stands_in_a_checkpoint_opens(axes):
    assert pe.explore(T.reshape(*axes, 20, 6)).text == pe.explore(T).text


SCRIPTS = ["你好", "世界", "नमस्ते", "สวัสดี", "한국어", "カナ", "😀", "🤗", "𓀀", "Ġb", "a\tb", "\x00x"]


@pytest.mark.parametrize("word", SCRIPTS)
def test_words_of_any_script_are_drawn_without_a_warning_and_told_as_they_are(word):
    words = [word, *"bcdef"]
    q, k = np.random.default_rng(0).normal(size=(2, 6, 8))
    panel = pe.explore("rope", views="attention_map", q=q, k=k, tokens=words, query=0)
    assert panel.png  # a warning would be an error: pyproject.toml says so
    assert f"“{word.strip()}”" in panel.text
    panel.close()


@pytest.mark.parametrize("code", [0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xD83D])
def test_half_a_character_is_refused_in_words(code):
    words = ["a", f"b{chr(code)}", "c"]
    with pytest.raises(ValueError, match=r"tokens must be text that UTF-8 can encode, got '\\ud"):
        pe.explore(
            "rope", views="attention_map", q=np.ones((3, 8)), k=np.ones((3, 8)), tokens=words
        )


def test_a_slider_reaches_its_default_and_zero_has_a_range():
    beyond = pe.Parameter("top", "the fastest", 10.0, 0.5, 8.0)
    assert (beyond.low, beyond.high) == (0.5, 10.0)
    below = pe.Parameter("top", "the fastest", 0.1, 0.5, 8.0)
    assert (below.low, below.high) == (0.1, 8.0)
    zero = pe.Parameter("shift", "how far", 0.0)
    assert (zero.low, zero.high) == (-1.0, 1.0)


def test_a_parameters_limits_include_its_default_and_its_slider():
    for default, ends in ((10_000.0, (2500, 40_000)), (-5.0, (-20, -1.25)), (8, (2, 32))):
        one = pe.Parameter("base", "", default)
        assert (one.checked(default), *map(one.checked, ends)) == (default, *ends)
        with pytest.raises(ValueError, match="base must be between"):
            one.checked(10**5 if default > 0 else -21)
    asked = pe.Parameter("base", "", 9.0, 1.0, 5000.0, most=6000)
    assert (asked.least, asked.most) == (0, 6000)

    class Turned(pe.Rotary):
        parameters = *pe.Rotary.parameters, pe.Parameter("base", "", 10_000.0)
        frequencies = property(lambda self: pe.inv_freq(self.head_dim, self.base))

    panel = pe.explore(Turned, views="similarity")
    assert "base" in panel.sliders


def test_a_parameter_whose_default_is_a_float_has_a_real_slider():
    factor = pe.Parameter("factor", "how much longer", 4.0, low=1.0, high=16.0)
    assert factor.scale == "real"
    assert (factor.checked(2.5), factor.checked(3)) == (2.5, 3)
    assert pe.Parameter("head", "which head", 4, low=1, high=16).scale == "linear"
