"""Titles that assert something are true: each has a predicate, not the view's own code, at twenty random settings."""

import random
import re

import numpy as np
import pytest

import posenc_lib as pe
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
    q, k = (pe_turned(e, part, at) for part, at in zip(e.query_and_key(), (10, 10 + v["offset"]), strict=True))
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
    if title.startswith("Values"):
        return about(numbers(title)[0], table.min()) and about(numbers(title)[1], table.max())
    return np.ptp(table) == 0


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
}


@pytest.mark.parametrize("view", PREDICATES)
def test_a_title_is_true_wherever_the_sliders_are(view):
    rng, false, tried = random.Random(view), [], 0
    feeding = [name for name in KINDS if VIEWS[view].fits(KINDS[name])]
    while tried < SETTINGS:
        panel = pe.explore(rng.choice(feeding), views=view)
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
