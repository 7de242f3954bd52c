"""Titles that assert something are true at twenty random settings, as a predicate finds.

A predicate shares no code with the view. It gets a title, the numbers in it, the encoding and the
values of the sliders. It returns whether the title holds, or the numbers that it must say: whole
ones exactly, others in three digits.
"""

import itertools
import random
import re

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings import toy_data
from posenc_lib.encodings.attention import softmax
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.exact_head import ANYWHERE
from posenc_lib.encodings.pairing import PAIRINGS
from posenc_lib.lessons.lesson_01.pictures import sentence_tokens
from posenc_lib.lessons.lesson_02.pictures import VOCABULARY
from posenc_lib.lessons.lesson_09.pictures import order_for_other
from posenc_lib.lessons.lesson_09.rope_bugs import BUGS
from posenc_lib.lessons.lesson_09.table_error import table_error
from posenc_lib.lessons.lesson_12.best_head import wished
from posenc_lib.lessons.lesson_16.heads import kept
from posenc_lib.lessons.training.trained_table import kept_numbers
from posenc_lib.live import settings as live
from posenc_lib.views import VIEWS

from ..kinds import KINDS

TURN = 2 * np.pi


def numbers(title: str) -> list[float]:
    """Return the numbers of a title, as they are written; "once" is 1."""
    for word, digit in (("−", "-"), ("Once", "1"), ("once", "1"), ("twice", "2")):
        title = title.replace(word, digit)
    return [
        float(n.replace(",", "")) for n in re.findall(r"-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?", title)
    ]


def about(said: float, true: float) -> bool:
    """Return whether a number in three digits, or in whole ones, is another one."""
    if isinstance(true, int | np.integer):
        return said == true
    return (
        abs(said - true) <= max(0.006 * abs(true), 1e-9)
        or round(true) == said
        or abs(said - true) < 0.051
    )


def two_digits(said: float, true: float) -> bool:
    """Return whether a number in two digits is another one."""
    return abs(said - true) <= max(0.051 * 10 ** np.floor(np.log10(max(true, 1e-12))), 1e-12)


def trajectory(title, said, e, v):
    dims = e.pair_dims(v["pair"]) if e.has("pair_dims") else [2 * v["pair"], 2 * v["pair"] + 1]
    xy = e.table[:, np.minimum(dims, e.table.shape[1] - 1)]
    angles = np.unwrap(np.angle(xy @ [1, 1j]))
    turns = abs(angles[-1] - angles[0]) / TURN
    if title.startswith("Once"):  # a full turn, not nearly one
        return 1 - 1e-9 < turns < 1.05 + 1e-9
    return [turns] if "around the circle" in title else [len(xy)]


def closest_pair(title, said, e, v):
    i, j, apart = said[:3]
    gaps = np.linalg.norm(e.table[:, None] - e.table, axis=-1) + np.diag(
        np.full(len(e.table), np.inf)
    )
    return about(gaps.min(), gaps[int(i), int(j)]) and about(apart, gaps.min())


def dot_product(title, said, e, v):
    scores, q = e.similarity[v["query"]], v["query"]
    top = scores.max() - 1e-9 * np.abs(scores).max()
    falls = all(np.diff(scores[q:]) < 0) and all(np.diff(scores[: q + 1]) > 0)
    if falls and len(scores) > 1:
        return [scores[q], scores.min()] if title.startswith("Falls steadily") else False
    best = int(said[0])
    right = title.startswith("Highest at key") and about(said[1], scores[best])
    return right and scores[best] >= top and (best == q or scores[q] < top)


def diagonals(title, said, matrix):
    """Return whether diagonals of scores with none hidden are flat, or spread as a title says."""
    if title.startswith("Offset"):
        scores = np.diagonal(matrix, int(numbers(title.replace("+", ""))[0]))
        ends = [scores.min()] if title.endswith("everywhere") else [scores.min(), scores.max()]
        flat = np.ptp(scores) <= 1e-6 * np.nanmax(np.abs(matrix))
        return flat == (len(ends) == 1) and all(map(about, said[1:], ends))
    shown = [np.diagonal(matrix, k) for k in range(1 - len(matrix), len(matrix))]
    spread = max(np.ptp(one) for one in shown if np.isfinite(one).all())
    if said:
        return about(said[0], spread)
    flat = spread <= 1e-6 * np.nanmax(np.abs(matrix))
    same = np.nanmax(matrix) - np.nanmin(matrix) <= 1e-6 * np.nanmax(np.abs(matrix))
    return flat and same == (title == "All scores are the same")


def similarity(title, said, e, v):
    return diagonals(
        title,
        said,
        np.where(np.tri(e.seq_len), e.similarity, np.nan) if v["causal"] else e.similarity,
    )


def token_scores(title, said, e, v):
    word = toy_data.tokens(1, e.num_dims)
    x = e.embed(np.repeat(v["word_norm"] * word / np.linalg.norm(word), e.seq_len, axis=0))
    return diagonals(
        title, said, sum(e.scores_and_bias(*(e.projected(x)[:2] if v["matrices"] else (x, x))))
    )


def additive_scores(title, said, e, v):
    (q, k), angles = e.query_and_key(), np.outer(np.arange(e.seq_len), e.frequencies)
    table = np.zeros((e.seq_len, len(q)))
    table[:, : 2 * angles.shape[1]] = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(
        e.seq_len, -1
    )
    return diagonals(title, said, (q + table) @ (k + table).T)


def heatmap(title, said, e, v):
    table = e.table[:, : v["shown_dims"]]
    if "long" in title:
        both = {
            "words": toy_data.embedded(*e.table.shape, v["embed_scale"] or 1),
            "positions": e.table,
        }
        drawn = sum(both.values()) if v["part"] == "sum" else both[v["part"]]
        return [float(np.median(np.linalg.norm(drawn, axis=1)))]
    if title.startswith("Fast rows above"):
        first, last = (
            (np.signbit(c[1:]) != np.signbit(c[:-1])).sum() for c in (table[:, 0], table[:, -1])
        )
        return first > 2 * max(last, 1)
    return about(said[0], table.min()) and about(said[1], table.max())


def odometer(title, said, e, v):
    if "last position" in title:
        return v["position"] == len(e.table) - 1
    return said[2] == (np.abs(e.table[v["position"] + 1] - e.table[v["position"]]) > 0.5).sum()


def steps(title, said, e, v):
    lengths = np.linalg.norm(np.diff(e.table.astype(float), axis=0), axis=1)
    if "longest" in title:
        return about(said[-1], lengths.max())
    return (
        all(min(abs(n - lengths)) <= 0.006 * abs(n) + 1e-9 for n in said) if len(lengths) else True
    )


def moved_by_order(e, v):
    """Return how many weights, and how many outputs and means, an order of three words moves."""
    found = []
    for which in (v["order"], 0):
        order = [word for word in list(itertools.permutations(range(3)))[which] if word < e.seq_len]
        out, weights = e.attend(sentence_tokens(e.num_dims)[order], causal=v["causal"])
        back = np.argsort(order)
        found.append((weights[np.ix_(back, back)], np.vstack([out[back], out.mean(axis=0)])))
    return [(np.abs(now - first) > 1e-9).sum() for now, first in zip(*found, strict=True)]


def changed_by_order(title, said, e, v, which):
    """Return whether a title says how many numbers an order changes, or if they only moved."""
    changed = moved_by_order(e, v)[which]
    order = [word for word in [*itertools.permutations(range(3))][v["order"]] if word < e.seq_len]
    moved = order != sorted(order) and not changed
    return [*said, 0][0] == changed and ("new places" in title) == moved


def attention_map(title, said, e, v):
    x = np.tile(toy_data.tokens(1, e.num_dims), (e.max_positions, 1))
    row = e.attend(x, causal=True)[1][min(v["query"], len(x) - 1)]
    told = numbers(title.replace("itself", str(v["query"])))
    return told[1] == round(100 * row.max()) and np.isclose(row[int(told[2])], row.max())


def attention_row(title, said, e, v):
    if "no row" in title:
        return v["query"] >= e.max_positions
    x = toy_data.tokens(e.seq_len if v["words"] == "different" else 1, e.num_dims)
    x = np.tile(x, (e.seq_len // len(x), 1))[: e.max_positions]
    q, k, _ = e.projected(x)
    keys = slice(v["query"] + 1 if v["causal"] else None)
    plain = softmax((k @ q[v["query"]] / np.sqrt(len(q[0])))[keys])
    return two_digits(
        said[0], 50 * np.abs(e.attend(x, causal=v["causal"])[1][v["query"]][keys] - plain).sum()
    )


def position_effect(title, said, e, v):
    if "no row" in title:
        return v["query"] >= e.max_positions
    x = np.tile(toy_data.tokens(1, e.num_dims), (e.max_positions, 1))
    bare = ENCODINGS["no_position"].at(seq_len=len(x), d_model=e.num_dims).logits(x)
    added = (e.logits(x) - bare)[v["query"]][: v["query"] + 1 if v["causal"] else None]
    if "nothing" in title:
        return np.abs(added).max() < 1e-9
    there = added[int(said[0]) + v["query"]]
    largest = abs(there) >= np.abs(added).max() - 1e-9 and two_digits(said[-1], abs(there))
    return largest and (there > 0) == title.startswith("Raises")


def bias_of(e, offset) -> float:
    return float(e.biases(np.array([offset]))[e.head][0])


def bias_added(title, said, e, v):
    bias = bias_of(e, -v["query"])
    return (
        abs(bias) < 1e-12
        if "as it is" in title
        else about(said[-1], abs(bias)) and ("raises" in title) == (bias > 0)
    )


def bucket_by_offset(title, said, e, v):
    own = e.buckets(np.array([v["offset"]]))[0]
    if "share" not in title:
        return [v["offset"], own]
    low, high, row = map(int, said)
    return (
        row == own
        and set(e.buckets(np.arange(low, high + 1)).tolist()) == {row}
        and low <= v["offset"] <= high
    )


def port(title, said, e, v):
    if e.has("rotate"):
        other = e.at(pairing=next(p for p in PAIRINGS if p != e.pairing))
        gap = np.abs(other.dot_product(v["query"]) - e.dot_product(v["query"])).max() * (
            not v["permuted"]
        )
    else:
        n = v["query"] + 1
        q, k, x = e.projected(toy_data.tokens(e.seq_len, e.num_dims)[:n])
        bias = e.biases(np.arange(1 - n, 1))
        ported = pe.attention(q[-1:], k, x, scores=q[-1:] @ k.T + bias[0])[1]
        gap = 100 * np.abs(pe.attention(q[-1:], k, x, bias=bias[e.head][None])[1] - ported).max()
    return gap < 1e-9 if "right" in title else about(said[0], gap)


def permutation(title, said, e, v):
    order, half, beside = (
        order_for_other(e.pairing, e.num_dims).tolist(),
        e.num_dims // 2,
        "Neighbors" in title,
    )
    return said == [half] and abs(order.index(0) - order.index(1 if beside else half)) == (
        half if beside else 1
    )


def rope_bugs(title, said, e, v):
    if v["bug"] == "none":
        return title == "All scores are right"
    q, k = dict(zip("abcd", BUGS.values(), strict=True))[v["bug"]](e, *e.tiled_qk())
    if "one query" in title:
        return said[0] == len(q) != e.seq_len
    gap = np.abs(q @ k.T - e.similarity)
    if "right" in title:
        return gap.max() < 1e-9
    return about(said[0], 100 * (gap > 1e-6).mean()) and about(said[-1], gap.max())


def angles_seen(title, said, e, v):
    length, then = e.training_length, e.as_trained.frequencies
    farthest = v["times"] * length * e.at(seq_len=v["times"] * length).frequencies
    return [*said, 0][0] == ((length * then < TURN) & (farthest > length * then + then)).sum()


def on_longer(e, v, aim):
    """Return RoPE's best head for an aim, and the length of the text and the frequencies there."""
    head, length = (
        pe.exact_head(e.as_trained, look_back=aim, seq_len=e.training_length),
        v["times"] * e.training_length,
    )
    return head, {"length": length, "inv_freq": e.at(seq_len=length).frequencies}


def lookback(title, said, e, v):
    back = min(v["look_back"], e.training_length - 1)
    head, there = on_longer(e, v, back)
    return said[1] == back and abs(said[0] - head.mass(**there)) < 0.006


def anywhere(title, said, e, v):
    head, there = on_longer(e, v, ANYWHERE)
    return abs(said[-1] - head.score(**there).min()) < 0.006


def offsets_used(title, said, e, v):
    most = pe.self_extend_offsets(e.seq_len, v["group_size"], v["window"]).max()
    if title.startswith("No"):
        return said == [most] and most < e.training_length
    return [said[0], said[-1]] == [e.training_length, most]


def dilution(title, said, e, v):
    fitted = max(e.seq_len, 2)
    scores = pe.exact_head(e, look_back=v["look_back"], seq_len=fitted, ridge=0.01).score(
        fitted * v["times"]
    )
    sharper = np.log(len(scores)) / np.log(fitted) if v["sharpen"] != "1" else 1.0
    return (
        said[1] == len(scores) and abs(said[0] - softmax(scores * sharper)[v["look_back"]]) < 0.006
    )


def best_head(title, said, e, v):
    one = e.as_trained if e.has("as_trained") else e
    head, far = pe.exact_head(one, look_back=v["look_back"], seq_len=e.seq_len), e.seq_len
    if len(said) > 2:
        far = int(said[3])
    theta = e.at(seq_len=far).frequencies if one is not e else None
    right = (
        abs(said[0] - head.mass(e.seq_len)) < 0.006
        and abs(said[-2] - head.mass(far, inv_freq=theta)) < 0.006
    )
    return said[1] == e.seq_len and right


def trained_models(title, said, e, v):
    line = next(
        line
        for line in str(pe.trained_table(v["task"])).splitlines()
        if line.startswith(f"{e.name} ")
    )
    means = [float(mean) for mean in re.findall(r"(\d\.\d\d) \(", line)]
    return said[0] == means[0] and (len(said) == 2 or said[2] == means[-1])


def four_tasks(title, said, e, v):
    tables = [
        pe.trained_table(task).rows for task in ("look_back", "flip_flop", "induction", "recall")
    ]
    length, good = 32 * v["times"], 0
    other_sizes = "_then_", "_32", "_64", "_8_heads", "_small"
    names = [name for name in tables[0] if not any(part in name for part in other_sizes)]
    for name in names:
        found = [rows[name.split(",")[0] if length == 32 else name][length] for rows in tables]
        good += all(each and each.mean >= 0.9 for each in found)
    return said[:2] == [good, len(names)]


def trained_ropes(title, said, e, v):
    lines = str(pe.trained_table(v["task"])).splitlines()
    line = next(line for line in lines if line.startswith(f"{v['model']} "))
    means = [float(mean) for mean in re.findall(r"(\d\.\d\d) \(", line)]
    return [said[0], said[2]] == [means[0], means[-1]]


def trained_layers(title, said, e, v):
    row = v["layers"].replace("base 10", "rope_10").replace("RoPE", "rope").replace(" ", "_")
    row, yarn, _ = row.partition("_with_YaRN")
    row = row.removesuffix("_twice") + (", yarn" if yarn else "")
    tasks = "look_back", "flip_flop", "induction", "recall"
    means = {task: pe.trained_table(task).rows[row][256].mean for task in tasks}
    worst = title.partition(": ")[2].partition(",")[0]
    return means[worst] == min(means.values()) and abs(said[-1] - means[worst]) < 0.006


def own_steps(title, said, e, v):
    score, by_count, ones = 1.0, {0: [], 1: []}, 0
    where = angle = 0.0
    for token in (0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 1, 0):
        amount = v["one"] if token else v["zero"]
        ones, where, angle = ones + token, where + amount, angle + 180 * amount
        shrunk = {"decay": 1 - amount, "reflection": 1 - 2 * amount}
        score *= shrunk.get(v["step"], 1)
        if v["step"] == "angle":
            score = np.cos(np.radians(angle))
        if v["step"] == "position":
            score = np.mean([np.cos(where / 10 ** (k / 2)) for k in range(8)])
        by_count[ones % 2].append(score)
    even, odd = by_count[0], by_count[1]
    tells = np.ptp(even) < 1e-9 > np.ptp(odd) and abs(even[0] - odd[0]) > 1e-9
    if "even" in title:
        return tells and about(said[0], even[0]) and about(said[2], odd[0])
    if "alike" in title:
        return not tells and v["one"] == v["zero"]
    return not tells and about(said[0], score)


def learned_cosines(v):
    done = v["done"]
    name = {"0.02": "learned_small", "0.71": "learned"}[v["begun"]]
    for seed in range(10):
        rows = kept_numbers(name, "flip_flop", seed)["rows"][done]
        yield rows - rows.mean(axis=0)


def learned_lags(title, said, e, v):
    means = []
    for apart in (1, 2):
        cosines = []
        for rows in learned_cosines(v):
            for a, b in zip(rows, rows[apart:], strict=False):
                cosines.append(a @ b / np.sqrt((a @ a) * (b @ b)))
        means.append(np.mean(cosines))
    return [said[0], said[2]] == [1, 2] and np.allclose([said[1], said[3]], means, atol=0.006)


def by_distance(v) -> np.ndarray:
    """Return the trained numbers of one head at the distances 0 … 31."""
    buckets = [n if n < 16 else 16 + int(16 * np.log2(n / 16)) for n in range(32)]
    numbers = kept_numbers("t5_near", v["task"], v["model_seed"])["buckets"]
    return numbers[v["done"], v["model_head"]][buckets]


def anywhere_scores(e, v, distances) -> np.ndarray:
    """Return what the head that should score 1 everywhere gives to some distances."""
    best = pe.exact_head(e.as_trained, look_back=ANYWHERE, seq_len=e.training_length)
    cosines, sines = best.weights.reshape(2, -1)
    now = e.at(seq_len=v["times"] * e.training_length).frequencies
    return np.array(
        [(cosines * np.cos(d * now) + sines * np.sin(d * now)).sum() for d in distances]
    )


def names_found(title, said, e, v):
    length = v["times"] * e.training_length
    back = [max(round(part * length), 1) for part in (0.12, 0.45, 0.95)]
    scores = anywhere_scores(e, v, back)
    return np.allclose([said[0], said[-1]], [scores.min(), scores.max()], atol=0.0051)


def anywhere_stem(title, said, e, v):
    distance = min(v["distance"], v["times"] * e.training_length - 1)
    score = anywhere_scores(e, v, [distance])[0]
    return said[0] == distance and abs(said[1] - score) <= 0.0051


def cached_scores(title, said, e, v):
    n = e.training_length
    short, long = e.at(seq_len=n).frequencies, e.at(seq_len=n + 1).frequencies
    was = sum(np.cos(theta) for theta in long)
    now = sum(np.cos(n * b - (n - 1) * a) for a, b in zip(short, long, strict=True))
    return [now] if "keeps" in title else [was, now]


def learned_numbers(title, said, e, v):
    own = by_distance(v)
    if "at first" in title:
        return v["done"] == 0 and not own.any()
    return own.max() == own[-int(said[0])] and two_digits(said[1], own.max())


def learned_attention(title, said, e, v):
    weights = np.exp(by_distance(v))
    weights /= weights.sum()
    return round(100 * weights.max()) == said[1] and weights[-int(said[0])] == weights.max()


def asked_offsets(title, said, e, v):
    kept = kept_numbers("shaw", "two_kinds", v["model_seed"])
    vectors = kept["vectors"][v["done"]]
    if "at first" in title:
        return v["done"] == 0 and not vectors.any()
    scores = [
        kept["queries"][v["done"], v["model_head"], v["symbol"]] @ vector for vector in vectors
    ]
    return said == [v["symbol"], -int(np.argmax(scores))]


def learned_rows(title, said, e, v):
    return said == [(0, 100, 250, 500, 1000)[v["done"]]]


def perplexities(passage: str, done: str) -> list[float]:
    said = kept()["said"][passage]
    names = {
        "moved": ["all moved by 1000", "bfloat16, moved by 1000"],
        "scaled": ["linear (PI), factor 4"],
    }
    found = [
        said[name]["perplexity"] for name in names.get(done, ["no positions", "the other pairing"])
    ]
    return [said["right positions"]["perplexity"], max(found)]


def leaking_count(title, said, e, v):
    counted = sum(abs(v["leak"] - ((back + 1) % v["every"] == 0)) for back in range(e.seq_len))
    if "last position" in title:
        return counted > e.npos - 1 == said[0]
    return abs(said[0] - counted) < 0.006 and said[-1] == e.seq_len // v["every"]


def patches(title, said, e, v):
    q, k = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in e.queries_keys)
    places = np.divmod(np.arange(e.seq_len), e.grid[1])
    at = min(v["row"] * e.grid[1] + v["column"], e.seq_len - 1)
    found = (k @ q[at])[
        np.round(np.hypot(*(place - place[at] for place in places))) == v["distance"]
    ]
    return said[0] == v["distance"] and all(map(about, said[1:], (found.min(), found.max())))


def directions(title, said, e, v):
    down, right = np.abs(e.directions)
    row, column = (down < 0.008 * right).sum(), (right < 0.008 * down).sum()
    return [len(down) - row - column, len(down)] if "in between" in title else [row, column]


def signal_fit(title, said, e, v):
    _, true, fitted = e.signal
    off = np.sqrt(np.mean((true - fitted) ** 2))
    return ("finds" in title) == (off <= 0.1) and about(said[0], off)


def number_line(title, said, e, v):
    gaps = np.abs(np.diff(e.table[:, 0]))
    return about(said[0], gaps.min()) and about(said[-1], gaps.max())


def shifted(title, said, e, v):
    angle = np.degrees(v["offset"] * e.frequencies[v["pair"]])
    return [abs(v["offset"]), angle] if (" forward:" in title) == (v["offset"] >= 0) else False


def shift_matrix(title, said, e, v):
    angles = v["offset"] * e.frequencies
    blocks = 2 * ((np.cos(angles) != 0).sum() + (np.sin(angles) != 0).sum())
    return [blocks + e.num_dims - 2 * len(angles), e.num_dims**2, 0]


def score_by_offset(title, said, e, v):
    if not said:
        spread = max(np.ptp(np.diagonal(e.similarity, k)) for k in range(1 - e.seq_len, e.seq_len))
        return title.startswith("Only the offset matters") == (
            spread < 1e-9 * np.abs(e.similarity).max()
        )
    best, *asked = said
    mean = {k: np.diagonal(e.similarity, k).mean() for k in range(1 - e.seq_len, e.seq_len)}
    highest = mean[best] >= max(mean.values()) - 1e-9 * np.abs(e.similarity).max()
    return highest and (asked == [v["aim"]] if asked else best == v["aim"])


def score_decay(title, said, e, v):
    far, near, wins = said
    q, other = (
        x @ [1, 1j] for x in np.random.default_rng(1).normal(size=(2, 4000, len(e.frequencies), 2))
    )
    k = v["correlation"] * q + np.sqrt(1 - v["correlation"] ** 2) * other
    closer, farther = (
        (q.conj() * k * np.exp(1j * e.frequencies * n)).real.sum(axis=1) for n in (near, far)
    )
    right = far == near or abs(wins - 100 * (farther > closer).mean()) < 6
    return (near, far) == (1, min(50, e.seq_len - 1)) and right


def frequencies(title, said, e, v):
    now, before = e.at(seq_len=v["times"] * e.training_length).frequencies, e.as_trained.frequencies
    counts = re.findall(r"(\d+) (kept|in between|divided)", title.replace("pairs ", ""))
    told = {what: int(count) for count, what in counts}
    divided = (
        float(re.search(r"divided by ([\d.,]+)", title)[1].replace(",", ""))
        if "divided" in told
        else 1
    )
    kept = np.isclose(now, before, rtol=1e-8, atol=0).sum()
    most = (
        np.isclose(now[now > 0] * divided, before[now > 0], rtol=0.006).sum()
        if "divided" in told
        else 0
    )
    return (
        sum(told.values()) == len(now)
        and told.get("kept", 0) == kept
        and told.get("divided", 0) <= most
    )


def cliff(title, said, e, v):
    before, now = (e.at(seq_len=e.training_length + n).frequencies for n in (0, v["past"]))
    changed = (~np.isclose(before, now, rtol=1e-8, atol=0)).sum()
    return [changed, len(now)] if changed else [e.training_length + v["past"]]


def token_cosine(title, said, e, v):
    last, mixed, kept = said
    words = toy_data.embedded(256, e.table.shape[1], v["embed_scale"])
    x = words + e.table[int(last)]
    x, alone = (y / np.linalg.norm(y, axis=1, keepdims=True) for y in (x, words))
    return about(kept, (x * alone).sum(axis=1).mean()) and about(
        mixed, (x * np.roll(x, 1, axis=0)).sum(axis=1).mean()
    )


def two_words(title, said, e, v):
    x = toy_data.embedded(256, e.table.shape[1], v["embed_scale"]) + e.table[int(said[0])]
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    return about(said[1], (x * np.roll(x, 1, axis=0)).sum(axis=1).mean())


def nearest_token(title, said, e, v):
    words = toy_data.tokens(10, e.table.shape[1])
    found = (
        (words + e.table[v["position"]]) @ (words / np.linalg.norm(words, axis=1, keepdims=True)).T
    ).argmax(axis=1)
    if "become" in title:
        return {f"“{VOCABULARY[k]}”" for k in found} == {title.split()[-1]}
    return [(found == np.arange(10)).sum(), 10]


def waves(title, said, e, v):
    t, shown = np.arange(e.seq_len), e.table[:, : v["num_waves"]]
    if "as long as" in title:
        return about(said[0], e.frequencies[0] / e.frequencies[1] if e.wave == "dim" else 1.0)
    for dim in (0, -1):
        few = t[: int(5 * said[dim]) + 5]  # later the third digit tells
        pair = np.stack([np.sin(TURN * few / said[dim]), np.cos(TURN * few / said[dim])], axis=1)
        column = shown[: len(few), dim]
        if (
            np.abs(pair @ np.linalg.lstsq(pair, column, rcond=None)[0] - column).max()
            > 0.2 * np.abs(column).max()
        ):
            return False
    return True


def score_of(e, v, pairs):
    """Return what some pairs add to the score of a query at 10 and a key so many tokens on."""
    places = zip(e.query_and_key(), (10, 10 + v["offset"]), strict=True)
    q, k = (e.rotate(x[None], np.array([at]))[0] for x, at in places)
    dims = np.concatenate([e.pair_dims(pair) for pair in pairs])
    return float(q[dims] @ k[dims])


def basis(title, said, e, v):
    turned = np.exp(1j * v["position"] * e.frequencies[0])
    return said[:2] == [1, 0] and about(said[2], turned.real) and about(said[3], turned.imag)


def one_query(title, said, e, v):
    cat, dog = e.query_and_key()
    dims = np.concatenate(e.pair_dims(np.arange(len(e.frequencies))))
    offsets = np.arange(1 - e.seq_len, e.seq_len) if e.seq_len > 1 else np.arange(-1, 2)
    query = e.rotate(cat[None], np.array([-1.0]))[0]
    key = {"Cat": cat, "Dog": dog}[title.partition(":")[0]]
    keys = e.rotate(np.tile(key, (len(offsets), 1)), offsets.astype(float))
    scores = keys[:, dims] @ query[dims]
    (best,) = numbers(title.replace("+", ""))
    return scores[offsets == best] >= scores.max() - 1e-9 * np.abs(scores).max()


def phasor_sum(title, said, e, v):
    query, key = (e.queries_and_keys([at])[k][0] for k, at in enumerate((0.0, v["offset"])))
    query = e.shift(-v["look_back"]) @ query
    dims = np.stack(e.pair_dims(np.arange(len(e.frequencies))))
    longest = (np.hypot(*query[dims]) * np.hypot(*key[dims])).sum()
    offset, height = numbers(title.replace("+", ""))
    score = (query[dims] * key[dims]).sum()
    straight = "straight" in title
    return straight == np.isclose(score, longest) and offset == v["offset"] and about(height, score)


def rotated_together(title, said, e, v):
    places = np.arange(e.seq_len), np.arange(e.seq_len) + v["offset"]
    words = [np.tile(x, (e.seq_len, 1)) for x in e.query_and_key()]
    pairs = zip(words, places, strict=True)
    rotated = np.einsum("td,td->t", *(e.rotate(x, p) for x, p in pairs))
    dims = np.concatenate(e.pair_dims(np.arange(len(e.frequencies))))
    waves = [np.outer(p, e.frequencies) for p in places]
    both = [np.hstack([np.sin(w), np.cos(w)]) for w in waves]
    left_out = np.delete(np.prod(words, axis=0)[0], dims).sum()  # dims that nothing is added to
    added = np.prod([x[:, dims] + w for x, w in zip(words, both, strict=True)], axis=0).sum(axis=1)
    stays = np.ptp(rotated) < 1e-6
    ends = [f(added + left_out) for f in (np.min, np.max)]
    return ("everywhere" in title) == stays and [rotated[v["query"]], *ends]


def attention_arcs(title, said, e, v):
    n, (_, _, where) = e.max_positions, title.partition("goes ")
    x = np.tile(toy_data.tokens(1, e.num_dims), (n, 1))
    weights = e.attend(x, causal=True)[1][1:]
    far = np.arange(1, n)[:, None] - np.arange(n)
    names = ["to the word before", *(f"{k} words back" for k in range(2, n))]
    shares = {name: weights[far == k].sum() for k, name in enumerate(names[: n - 1], 1)}
    shares |= {"to itself": weights[far == 0].sum(), "to the first word": weights[:, 0].sum()}
    most = max(shares.values())
    share = 1 if n == 1 else most / (n - 1)
    return (n == 1 or np.isclose(shares[where], most)) and said[0] == round(100 * share)


def near_mass(title, said, e, v):
    head, near, keys, part = said
    weights = softmax(e.biases(np.arange(1 - int(keys), 1)))[e.head]
    return (head, near) == (e.head, e.seq_len) and abs(
        part - 100 * weights[-e.seq_len :].sum()
    ) <= 0.51


def precision(title, said, e, v):
    near = np.arange(min(v["position"], 1024) + 1)
    own = {"head_dim": 2 * len(e.frequencies), "inv_freq": e.frequencies}
    error = np.nanmax(table_error(near, precision="float32", **own))
    return said[0] == v["position"] and (
        about(said[-1], error) if v["position"] <= 1024 else error <= 1.006 * said[-1]
    )


def two_futures(title, said, e, v):
    t, ahead, theta = v["position"], v["ahead"], e.frequencies[0]
    if "same sine" in title:
        turned = np.array([np.sin(theta * said[1]), -np.cos(theta * said[1])])
        here = np.array([np.sin(theta * t), np.cos(theta * t)])
        return said[0] == t and np.abs(turned - here).max() < 0.05 and about(said[2], here[0])
    now, cosine = np.sin(theta * t), np.cos(theta * t)
    both = [np.sin(theta * ahead) * way * cosine + np.cos(theta * ahead) * now for way in (1, -1)]
    return [ahead, now, *both]


def matrix_misses(title, said, e, v):
    ones = np.ones((len(e.table) - 1, 1))
    given, wanted = np.hstack([e.table[:-1], ones]), e.table[1:, 0]
    missed = np.sqrt(((wanted - given @ np.linalg.pinv(given) @ wanted) ** 2).mean())
    return said[0] == e.table.shape[1] and about(said[1], missed)


def closest_by_base(title, said, e, v):
    table = e.table
    gaps = np.linalg.norm(table[:, None] - table, axis=-1) + np.diag(np.full(len(table), np.inf))
    base, told = said
    base_is = 2.0 ** (e.d_model - 1) if e.base is None else e.base
    true = gaps.min() / np.median(np.linalg.norm(np.diff(table, axis=0), axis=1))
    return base == pytest.approx(base_is) and abs(told - true) <= max(
        0.051 * 10 ** np.floor(np.log10(true)), 1e-5
    )


def turned(e, x, at):
    return e.rotate(x[None], np.array([at]))[0]


def one_back(said, q, k, bias=0.0):
    scores = np.where(np.tri(len(q), dtype=bool), q @ k.T / np.sqrt(q.shape[1]) + bias, -np.inf)
    back = np.diagonal(softmax(scores), -1)
    mean, least = said
    return abs(mean - back.mean()) <= 0.0051 and abs(least - back.min()) <= 0.0051


def number_one_back(title, said, e, v):
    q, k = np.random.default_rng(v["text"]).normal(size=(2, e.seq_len, e.head_dim))
    return one_back(said, q, k, v["number"] * np.eye(e.seq_len, k=-1))


def constant_one_back(title, said, e, v):
    q, k = np.random.default_rng(v["text"]).normal(size=(2, e.seq_len, e.head_dim))
    constant = np.zeros(e.head_dim)
    constant[[e.pair_dims(pair)[0] for pair in range(min(6, len(e.frequencies)))]] = v["constant"]
    both = (
        [turned(e, x, t) for t, x in enumerate(q + constant)],
        [turned(e, x, t) for t, x in enumerate(k + turned(e, constant, 1))],
    )
    return one_back(said, *map(np.array, both))


def attention_reach(title, said, e, v):
    back = np.exp(e.biases(-np.arange(v["query"] + 1))[e.head])
    parts = np.concatenate([[0], back.cumsum() / back.sum()])
    return said[0] == e.head and parts[int(said[1])] >= 0.9 - 1e-9 > parts[int(said[1]) - 1] - 2e-9


def cached_keys(title, said, e, v):
    keys = np.random.default_rng(0).normal(size=(10, e.head_dim))
    left = max(v["written"] - v["dropped"], 0)
    if not left:
        return title == "No key left"
    cached = [turned(e, keys[t], t - v["dropped"]) for t in range(v["dropped"], v["written"])]
    anew = [turned(e.at(base=v["new_base"]), keys[t + v["dropped"]], t) for t in range(left)]
    arrows = [np.array(rows)[:, e.pair_dims(v["pair"])] @ [1, 1j] for rows in (cached, anew)]
    off = np.degrees(
        np.arccos(np.clip(np.cos(np.angle(arrows[0]) - np.angle(arrows[1])), -1, 1)).max()
    )
    moved = "moved back" not in title or said[1] == v["dropped"]
    return (
        said[0] == left and moved and (about(said[-1], off) if " off by " in title else off < 1e-5)
    )


TOLD = {name: told for name, told in globals().items() if name in VIEWS.load()} | {
    "attention_weights": lambda title, said, e, v: changed_by_order(title, said, e, v, 0),
    "attention_span": lambda title, said, e, v: (
        said[-1]
        == np.argmax(softmax(e.biases(-np.arange(e.seq_len))[e.head]).cumsum() >= 0.9 - 1e-9) + 1
    ),
    "census": lambda title, said, e, v: [len(pe.census()["rotary"]), pe.census().total],
    "clock": lambda title, said, e, v: (
        said[:2] == [v["position"], 0]
        and abs(said[2] - v["position"] * e.frequencies[0] / TURN) <= 0.05 + 1e-9
    ),
    "cube": lambda title, said, e, v: (
        [*said, 0][0] == (np.abs(np.diff(e.table[:, :3], axis=0)).sum(1) > 1).sum()
    ),
    "window_head": lambda title, said, e, v: (
        said[0] == round(100 * pe.exact_head_2d(e.directions, wished(v["wish"])).mass)
    ),
    "axis_of_pair": lambda title, said, e, v: [(e.axis_of_pair == axis).sum() for axis in range(3)],
    "axis_positions": lambda title, said, e, v: [
        e.before + e.frames * e.tall * e.wide + e.after,
        e.axis_positions.max() + 1,
    ],
    "head_biases": lambda title, said, e, v: [
        e.head,
        bias_of(e, int(said[2]) - v["query"]),
        int(said[2]),
    ],
    "perplexity": lambda title, said, e, v: said == perplexities(v["passage"], v["done"]),
    "perplexity_along": lambda title, said, e, v: (
        [said[0], said[2]] == kept()["longer"][v["longer"]][3::2]
    ),
    "outputs": lambda title, said, e, v: changed_by_order(title, said, e, v, 1),
    "vectors": lambda title, said, e, v: about(said[-1], score_of(e, v, [v["pair"]])),
}
# sliders only for who asks
ASKED = {"score_by_offset": {"aim": (-5, 5)}, "token_scores": {"matrices": [False, True]}}
ASKED |= {name: {"marked": (-3, 3)} for name in ("similarity", "additive_scores")}
SAYING = {  # encodings of which a view says more than a noun
    "heatmap": ["sinusoidal", "binary"],
    "cube": ["binary"],
    "cliff": ["phi_3"],
    "waves": ["sine", "sinusoidal", "rope"],
}
SETTINGS, FEW = 20, 2
HEAVY = {"lookback", "anywhere", "precision"}  # of which a setting takes a second


def is_true(view, title, e, values) -> bool:
    """Return whether a title holds; one that asserts, being no noun, needs a predicate."""
    said = numbers(title)
    assert view in TOLD, f"{view} needs a predicate of its name in tests/views/test_titles.py"
    told = TOLD[view](title, said, e, values)
    return (
        len(said) == len(told) and all(map(about, said, told))
        if isinstance(told, list)
        else bool(told)
    )


@pytest.mark.parametrize("settings", [FEW, pytest.param(SETTINGS, marks=pytest.mark.slow)])
@pytest.mark.parametrize("view", VIEWS)
def test_a_title_is_true_wherever_the_sliders_are(view, settings):
    rng, panels, false = random.Random(view), {}, []
    feeding = SAYING.get(view) or [name for name in KINDS if VIEWS[view].fits(KINDS[name])]
    choices = {p.name: list(p.options) for p in VIEWS[view].parameters if p.options} | ASKED.get(
        view, {}
    )
    for _ in range(FEW if view in HEAVY else settings):
        name = rng.choice(feeding)
        if name not in panels:
            panels[name] = pe.explore(name, views=view, **choices)
        panel = panels[name]
        panel.raise_errors = True
        with panel._hold():  # one drawing for all
            for slider in panel.sliders.values():
                if not slider.disabled:
                    slider.value = rng.choice(live.steps(slider))
        panel._refresh()
        (pen,), values = panel.sheet.pens, panel.values
        if pen.headline != VIEWS[view].title and not is_true(
            view, pen.headline, panel.sheet.encodings[0], values
        ):
            false.append((str(panel.spec), pen.headline))
    for panel in panels.values():
        panel.close()
    assert false == []
