"""Titles that assert something are true: each has a predicate, not the view's own code, at twenty random settings."""

import itertools
import random
import re

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings import toy_data
from posenc_lib.encodings.catalog import ELSEWHERE, ENCODINGS
from posenc_lib.live.controls import steps
from posenc_lib.views import VIEWS

SETTINGS = 20
KINDS = ENCODINGS | ELSEWHERE


def numbers(title: str) -> list[float]:
    """Return the numbers of a title, as they are written."""
    return [float(n.replace(",", "").replace("−", "-")) for n in re.findall(r"−?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?", title)]


def about(said: float, true: float) -> bool:
    """Return whether a number in three digits, or in whole ones, is another one."""
    return abs(said - true) <= max(0.006 * abs(true), 1e-9) or round(true) == said or abs(said - true) < 0.051


def two_dims(e, v):
    dims = e.pair_dims(v["pair"]) if e.has("pair_dims") else [2 * v["pair"], 2 * v["pair"] + 1]
    return e.table[:, np.minimum(dims, e.table.shape[1] - 1)]


def trajectory(title, e, v):
    xy = two_dims(e, v)
    if "goes round" not in title:
        return title == f"{len(xy)} position{'s' * (len(xy) != 1)} in two dims"
    angles = np.unwrap(np.angle(xy[:, 0] + 1j * xy[:, 1]))
    turns = abs(angles[-1] - angles[0]) / (2 * np.pi)
    return title.startswith(f"Pair {v['pair']} ") and about(1.0 if "once" in title else numbers(title)[-1], turns)


def closest_pair(title, e, v):
    i, j, apart = numbers(title)[:3]
    gaps = np.linalg.norm(e.table[:, None] - e.table, axis=-1) + np.diag(np.full(len(e.table), np.inf))
    return about(gaps.min(), gaps[int(i), int(j)]) and about(apart, gaps.min())


def dot_product(title, e, v):
    scores, q = e.similarity[v["query"]], v["query"]
    top = scores.max() - 1e-9 * np.abs(scores).max()
    if title.startswith("Highest with") and "itself" not in title.partition(",")[0]:
        return scores[int(numbers(title)[0])] >= top > scores[q]
    falls = all(np.diff(scores[q:]) < 0) and all(np.diff(scores[: q + 1]) > 0)
    return scores[q] >= top and (title == "Lower with every other key") == falls


def similarity(title, e, v):
    matrix = np.where(np.tri(len(e.similarity)), e.similarity, np.nan) if v["causal"] else e.similarity
    spread = max(
        np.ptp(d) for k in range(-len(matrix) + 1, len(matrix)) if np.isfinite(d := np.diagonal(matrix, k)).all()
    )
    return spread <= 1e-6 * np.nanmax(np.abs(matrix)) if "one colour" in title else about(numbers(title)[0], spread)


def vectors(title, e, v):
    q, k = (
        pe_turned(e, part, at)
        for part, at in zip(e.query_and_key(), (v["query"], v["query"] + v["offset"]), strict=True)
    )
    dims = e.pair_dims(v["pair"])
    return about(numbers(title)[-1], float(q[dims] @ k[dims]))


def pe_turned(e, x, at):
    return e.rotate(x[None], np.array([at]))[0]


def pair_scores(title, e, v):
    q, k = (pe_turned(e, part, at) for part, at in zip(e.query_and_key(), (10, 10 + v["offset"]), strict=True))
    turning = np.concatenate([e.pair_dims(p) for p in range(len(e.frequencies))])
    return numbers(title)[0] == len(e.frequencies) and about(numbers(title)[-1], float(q[turning] @ k[turning]))


def heatmap(title, e, v):
    table = e.table[:, : v["shown_dims"]]
    if "sign changes" in title or title.startswith("From"):
        flips = [int((np.signbit(c[1:]) != np.signbit(c[:-1])).sum()) for c in (table[:, 0], table[:, -1])]
        said = numbers(title)
        return said[0] == flips[0] and (said[1:] or [0])[0] == flips[1]
    return about(numbers(title)[0], table.min()) and about(numbers(title)[1], table.max())


def odometer(title, e, v):
    if "last position" in title:
        return v["query"] == len(e.table) - 1
    row, after = e.table[v["query"]], e.table[v["query"] + 1]
    return numbers(title)[2] == (np.abs(after - row) > 0.5).sum()


def steps_of(title, e, v):
    lengths = np.linalg.norm(np.diff(e.table.astype(float), axis=0), axis=1)
    said = numbers(title)
    if "longest" in title:
        return about(said[-1], lengths.max())
    return all(min(abs(n - lengths)) <= 0.006 * abs(n) + 1e-9 for n in said) if len(lengths) else True


def attention_row(title, e, v):
    if "no row" in title:
        return v["query"] >= e.max_positions
    return bool(title)


def attention_span(title, e, v):
    bias = e.biases(np.arange(1 - e.seq_len, 1))[e.head][::-1]
    share = np.cumsum(np.exp(bias - bias.max())) / np.exp(bias - bias.max()).sum()
    return int(numbers(title)[-1]) == int(np.argmax(share >= 0.9 - 1e-9)) + 1


def head_biases(title, e, v):
    head, value, key = numbers(title)
    return head == e.head and about(value, float(e.biases(np.array([int(key) - v["query"]]))[e.head][0]))


def bucket_map(title, e, v):
    read = len({*e.buckets(np.arange(e.seq_len) - v["query"]).tolist()})
    return numbers(title)[0] == v["query"] and numbers(title)[1] == read


def bucket_by_offset(title, e, v):
    said, own = numbers(title), int(e.buckets(np.array([v["offset"]]))[0])
    if "share" not in title:
        return said == [v["offset"], own]
    low, high, row = map(int, said)
    return row == own and set(e.buckets(np.arange(low, high + 1)).tolist()) == {row} and low <= v["offset"] <= high


def spread_is_told(title, matrix):
    diagonals = [np.diagonal(matrix, k) for k in range(-len(matrix) + 1, len(matrix))]
    spread = max(np.ptp(d) for d in diagonals if np.isfinite(d).all())
    return spread <= 1e-6 * np.nanmax(np.abs(matrix)) if "one colour" in title else about(numbers(title)[0], spread)


def token_scores(title, e, v):
    word = toy_data.tokens(1, e.num_dims)
    x = e.embed(np.repeat(v["word_norm"] * word / np.linalg.norm(word), e.seq_len, axis=0))
    return spread_is_told(title, sum(e.scored(*(e.projected(x)[:2] if v["matrices"] else (x, x)))))


def additive_scores(title, e, v):
    (q, k), angles = e.query_and_key(), np.outer(np.arange(e.seq_len), e.frequencies)
    table = np.zeros((e.seq_len, len(q)))
    table[:, 0 : 2 * len(e.frequencies) : 2], table[:, 1 : 2 * len(e.frequencies) : 2] = np.sin(angles), np.cos(angles)
    return spread_is_told(title, (q + table) @ (k + table).T)


def number_line(title, e, v):
    gaps = np.abs(np.diff(e.table[:, v["dim"] or 0]))
    return about(numbers(title)[0], gaps.min()) and about(numbers(title)[-1], gaps.max())


def basis(title, e, v):
    pair, said = numbers(title.replace("once", "1"))
    turns = v["query"] * e.frequencies[v["pair"]] / (2 * np.pi)
    close = abs(said - 360 * turns) <= 0.5 if "°" in title else turns >= 1 and abs(said - turns) <= 0.0501
    return pair == v["pair"] and close


def shifted(title, e, v):
    steps_on, pair, said = numbers(title)
    told = steps_on, pair, " on:" in title
    angle = np.degrees(v["offset"] * e.frequencies[v["pair"]])
    return told == (abs(v["offset"]), v["pair"], v["offset"] >= 0) and about(said, angle)


def score_by_offset(title, e, v):
    best, *asked = numbers(title)
    mean = {k: np.diagonal(e.similarity, k).mean() for k in range(1 - e.seq_len, e.seq_len)}
    highest = mean[best] >= max(mean.values()) - 1e-9 * np.abs(e.similarity).max()
    return highest and (asked == [v["aim"]] if asked else best == v["aim"])


def score_decay(title, e, v):
    far, near, said = numbers(title)
    q, other = np.random.default_rng(1).normal(size=(2, 4000, 2 * len(e.frequencies)))
    k = v["correlation"] * q + np.sqrt(1 - v["correlation"] ** 2) * other
    at = [(q.reshape(4000, -1, 2) * turned(k, e.frequencies * n)).sum(axis=(1, 2)) for n in (near, far)]
    wins = 100 * (at[1] > at[0]).mean()
    return (near, far) == (1, min(50, e.seq_len - 1)) and (far == near or abs(said - wins) < 6)


def turned(x, angles):
    a, b = x.reshape(len(x), -1, 2).transpose(2, 0, 1)
    return np.stack([a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)], axis=-1)


def kernel_by_base(title, e, v):
    mean = np.cos(np.outer(np.arange(len(e.table)), e.frequencies)).mean(axis=1)
    base, place = numbers(title)
    said, below = int(place), np.flatnonzero(mean < 0)
    first = below[0] if len(below) else len(mean) - 1
    return base == pytest.approx(e.base) and said == first and ("falls" in title) == (len(below) > 0)


def trajectory_3d(title, e, v):
    points = np.column_stack([two_dims(e, v), e.table[:, v["z_dim"]]])
    first, last, gap = numbers(title)
    return (first, last) == (0, len(points) - 1) and about(gap, np.linalg.norm(points[-1] - points[0]))


def cube(title, e, v):
    bits = np.column_stack([two_dims(e, v), e.table[:, v["z_dim"]]])
    flips = [sum(a != b for a, b in zip(one, other, strict=True)) for one, other in itertools.pairwise(bits)]
    off = sum(count > 1 for count in flips)
    return numbers(title) == ([off, len(flips)] if off else [])


def frequencies(title, e, v):
    now, before = e.at(seq_len=v["times"] * e.training_length).frequencies, e.as_trained.frequencies
    said = {
        what: int(count) for count, what in re.findall(r"(\d+) (kept|in between|divided)", title.replace("pairs ", ""))
    }
    divided = float(re.search(r"divided by ([\d.,]+)", title)[1].replace(",", "")) if "divided" in said else 1
    kept = np.isclose(now, before, rtol=1e-8, atol=0).sum()
    most = np.isclose(now[now > 0] * divided, before[now > 0], rtol=0.006).sum() if "divided" in said else 0
    return sum(said.values()) == len(now) and said.get("kept", 0) == kept and said.get("divided", 0) <= most


def cliff(title, e, v):
    before, now = (e.at(seq_len=e.training_length + n).frequencies for n in (0, v["past"]))
    changed = (~np.isclose(before, now, rtol=1e-8, atol=0)).sum()
    return numbers(title) == ([changed, len(now)] if changed else [])


def yarn_ramps(title, e, v):
    theta, length, factor = pe.inv_freq(e.head_dim, e.base), e.training_length, e.factor or 4
    given = {"rope_type": "yarn", "rope_theta": e.base, "original_max_position_embeddings": length, "factor": factor}
    code = pe.rope_scaling(given, e.head_dim)[0]
    extra = np.clip((length * theta / (2 * np.pi) - 1) / 31, 0, 1)  # 1: kept
    paper = theta * extra + theta / factor * (1 - extra)
    apart = np.maximum(code / paper, paper / code)
    if "alike" in title:
        return apart.max() < 1 + 1e-8
    pair, times = numbers(title)
    faster = "code" if code[int(pair)] > paper[int(pair)] else "paper"
    return about(times, apart.max()) and about(apart[int(pair)], apart.max()) and title.endswith(faster)


def token_cosine(title, e, v):
    last, kept, mixed = numbers(title)
    words = toy_data.embedded(256, e.table.shape[1], v["embed_scale"])
    x = words + e.table[int(last)]
    x, alone = (y / np.linalg.norm(y, axis=1, keepdims=True) for y in (x, words))
    return about(kept, (x * alone).sum(axis=1).mean()) and about(mixed, (x * np.roll(x, 1, axis=0)).sum(axis=1).mean())


def nearest_token(title, e, v):
    words = toy_data.tokens(10, e.table.shape[1])
    x = words + e.table[v["query"]]
    found = [max(range(10), key=lambda k: row @ words[k] / np.linalg.norm(words[k])) for row in x]
    if "become" in title:
        return {f"“{toy_data.VOCABULARY[k]}”" for k in found} == {title.split()[-1]}
    return numbers(title) == [sum(k == one for k, one in enumerate(found)), 10]


def waves(title, e, v):
    t, shown = np.arange(e.seq_len), e.table[:, : v["num_waves"]]
    if "as long as" in title:
        ratio = e.frequencies[0] / e.frequencies[1] if e.wave == "dim" else 1.0
        return about(numbers(title.replace("twice", "2 times"))[0], ratio)
    for dim, said in ((0, numbers(title)[0]), (-1, numbers(title)[-1])):
        few = t[: int(5 * said) + 5]  # later the third digit tells
        pair = np.stack([np.sin(2 * np.pi * few / said), np.cos(2 * np.pi * few / said)], axis=1)
        column = shown[: len(few), dim]
        if np.abs(pair @ np.linalg.lstsq(pair, column, rcond=None)[0] - column).max() > 0.2 * np.abs(column).max():
            return False
    return True


def clock(title, e, v):
    query, wave, said = numbers(title.replace("once", "1"))
    return (query, wave) == (v["query"], 0) and abs(said - query * e.frequencies[0] / (2 * np.pi)) <= 0.05 + 1e-9


def wavelengths(title, e, v):
    inside = sum(theta * e.seq_len >= 2 * np.pi for theta in e.frequencies)
    return numbers(title) == [inside, len(e.frequencies), e.seq_len]


PREDICATES = {
    "trajectory": trajectory,
    "closest_pair": closest_pair,
    "dot_product": dot_product,
    "similarity": similarity,
    "vectors": vectors,
    "pair_scores": pair_scores,
    "heatmap": heatmap,
    "odometer": odometer,
    "steps": steps_of,
    "attention_row": attention_row,
    "attention_span": attention_span,
    "head_biases": head_biases,
    "bucket_map": bucket_map,
    "bucket_by_offset": bucket_by_offset,
    "token_scores": token_scores,
    "additive_scores": additive_scores,
    "number_line": number_line,
    "basis": basis,
    "shifted": shifted,
    "score_by_offset": score_by_offset,
    "score_decay": score_decay,
    "kernel_by_base": kernel_by_base,
    "trajectory_3d": trajectory_3d,
    "cube": cube,
    "frequencies": frequencies,
    "cliff": cliff,
    "yarn_ramps": yarn_ramps,
    "token_cosine": token_cosine,
    "nearest_token": nearest_token,
    "waves": waves,
    "clock": clock,
    "wavelengths": wavelengths,
}
ASKED = {"score_by_offset": {"aim": (-5, 5)}, "token_scores": {"matrices": [False, True]}}  # sliders only for who asks
SAYING = {
    "cube": ["binary"],
    "cliff": ["phi_3"],
    "waves": ["sine", "sinusoidal", "rope"],
}  # of most there is a noun only


@pytest.mark.parametrize("view", PREDICATES)
def test_a_title_is_true_wherever_the_sliders_are(view):
    rng, false, tried = random.Random(view), [], 0
    feeding = SAYING.get(view) or [name for name in KINDS if VIEWS[view].fits(KINDS[name])]
    while tried < SETTINGS:
        panel = pe.explore(rng.choice(feeding), views=view, **ASKED.get(view, {}))
        panel.raise_errors = True
        for slider in panel.sliders.values():
            if not slider.disabled:
                slider.value = rng.choice(steps(slider))
        (pen,), values = panel.panel.pens, panel.values
        if pen.headline != VIEWS[view].title:  # a noun asserts nothing
            e = panel.panel.encodings[0]
            if not PREDICATES[view](pen.headline, e, values):
                false.append((str(panel.spec), pen.headline))
        tried += 1
        panel.close()
    assert false == []
