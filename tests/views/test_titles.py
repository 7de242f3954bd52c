"""Titles that assert something are true: each has a predicate, not the view's own code, at twenty random settings."""

import itertools
import random
import re

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings import toy_data
from posenc_lib.encodings.attention import softmax
from posenc_lib.encodings.catalog import ELSEWHERE, ENCODINGS
from posenc_lib.encodings.exact_head import ANYWHERE, wished
from posenc_lib.encodings.pairing import PAIRINGS, order_for_other
from posenc_lib.encodings.precision import table_error
from posenc_lib.encodings.rope_bugs import BUGS
from posenc_lib.encodings.similarity import first_negative
from posenc_lib.live import settings as live
from posenc_lib.views import VIEWS

SETTINGS, FEW = 20, 3
KINDS = ENCODINGS | ELSEWHERE


def numbers(title: str) -> list[float]:
    """Return the numbers of a title, as they are written."""
    found = re.findall(r"-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?", title.replace("−", "-"))
    return [float(n.replace(",", "")) for n in found]


def about(said: float, true: float) -> bool:
    """Return whether a number in three digits, or in whole ones, is another one."""
    return abs(said - true) <= max(0.006 * abs(true), 1e-9) or round(true) == said or abs(said - true) < 0.051


def two_digits(said: float, true: float) -> bool:
    """Return whether a number in two digits is another one."""
    return abs(said - true) <= max(0.051 * 10 ** np.floor(np.log10(max(true, 1e-12))), 1e-12)


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
    if "long" in title:
        both = {"words": toy_data.embedded(*e.table.shape, v["embed_scale"] or 1), "positions": e.table}
        said = ["words", "positions"] if v["part"] == "sum" else [v["part"]]
        return all(map(about, numbers(title), (np.median(np.linalg.norm(both[one], axis=1)) for one in said)))
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


def steps(title, e, v):
    lengths = np.linalg.norm(np.diff(e.table.astype(float), axis=0), axis=1)
    said = numbers(title)
    if "longest" in title:
        return about(said[-1], lengths.max())
    return all(min(abs(n - lengths)) <= 0.006 * abs(n) + 1e-9 for n in said) if len(lengths) else True


def in_order(e, which, causal):
    """Return attention's weights by (who, whom) and outputs by word, for an order of the three words."""
    order = [word for word in list(itertools.permutations(range(3)))[which] if word < e.seq_len]
    out, weights = e.attend(toy_data.sentence(e.num_dims)[order], causal=causal)
    pairs = {(one, other): weights[i, j] for i, one in enumerate(order) for j, other in enumerate(order)}
    return pairs, dict(zip(order, out, strict=True))


def attention_weights(title, e, v):
    now, first = (in_order(e, which, v["causal"])[0] for which in (v["order"], 0))
    return (numbers(title) or [0])[0] == sum(abs(now[pair] - first[pair]) > 1e-9 for pair in first)


def outputs(title, e, v):
    now, first = (in_order(e, which, v["causal"])[1] for which in (v["order"], 0))
    rows = [np.abs(now[word] - first[word]) for word in first]
    rows.append(np.abs(np.mean(list(now.values()), axis=0) - np.mean(list(first.values()), axis=0)))
    return (numbers(title) or [0])[0] == (np.array(rows) > 1e-9).sum()


def attention_row(title, e, v):
    if "no row" in title:
        return v["query"] >= e.max_positions
    x = toy_data.tokens(e.seq_len if v["words"] == "different" else 1, e.num_dims)
    x = np.tile(x, (e.seq_len // len(x), 1))[: e.max_positions]
    q, k, _ = e.projected(x)
    keys = slice(v["query"] + 1 if v["causal"] else None)
    plain = softmax((k @ q[v["query"]] / np.sqrt(len(q[0])))[keys])
    moved = 50 * np.abs(e.attend(x, causal=v["causal"])[1][v["query"]][keys] - plain).sum()
    return two_digits(numbers(title)[0], moved)


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


def position_effect(title, e, v):
    if "no row" in title:
        return v["query"] >= e.max_positions
    x = np.tile(toy_data.tokens(1, e.num_dims), (e.max_positions, 1))
    bare = ENCODINGS["no_position"].at(seq_len=len(x), d_model=e.num_dims).logits(x)
    added = (e.logits(x) - bare)[v["query"]][: v["query"] + 1 if v["causal"] else None]
    if "nothing" in title:
        return np.abs(added).max() < 1e-9
    there = added[int(numbers(title)[0]) + v["query"]]
    largest = abs(there) >= np.abs(added).max() - 1e-9 and two_digits(numbers(title)[-1], abs(there))
    return largest and (there > 0) == title.startswith("Raises")


def bias_added(title, e, v):
    bias = float(e.biases(np.array([-v["query"]]))[e.head][0])
    if "as it is" in title:
        return abs(bias) < 1e-12
    return about(numbers(title)[-1], abs(bias)) and ("raises" in title) == (bias > 0)


def score_ceiling(title, e, v):
    most, ceiling = numbers(title)
    dims = np.stack(e.pair_dims(np.arange(len(e.frequencies))))
    lengths = np.linalg.norm(e.query_and_key()[:, dims] * e.attention_factor, axis=1)
    q, k = e.query_and_key()
    turning = np.sort(dims.ravel())
    scores = (
        e.rotate(np.tile(k, (2000, 1)), np.arange(1, 2001))[:, turning]
        @ e.rotate(q[None], np.zeros(1, int))[0, turning]
    )
    return (
        about(ceiling, (lengths[0] * lengths[1]).sum())
        and most <= 1.006 * ceiling
        and np.abs(scores[:9]).max() <= 1.006 * most
    )


def port(title, e, v):
    if e.has("rotate"):
        other = e.at(pairing=next(p for p in PAIRINGS if p != e.pairing))
        gap = np.abs(other.dot_product(v["query"]) - e.dot_product(v["query"])).max() * (not v["permuted"])
    else:
        n = v["query"] + 1
        q, k, x = e.projected(toy_data.tokens(e.seq_len, e.num_dims)[:n])
        bias = e.biases(np.arange(1 - n, 1))
        right = pe.attention(q[-1:], k, x, scores=q[-1:] @ k.T + bias[0])[1]
        gap = 100 * np.abs(pe.attention(q[-1:], k, x, bias=bias[e.head][None])[1] - right).max()
    return gap < 1e-9 if "right" in title else about(numbers(title)[0], gap)


def permutation(title, e, v):
    order, half = order_for_other(e.pairing, e.num_dims).tolist(), e.num_dims // 2
    apart = abs(order.index(0) - order.index(1 if title.startswith("Neighbours") else half))
    return numbers(title) == [half] and apart == (half if title.startswith("Neighbours") else 1)


def rope_bugs(title, e, v):
    if v["bug"] == "none":
        return title == "All scores are right"
    q, k = BUGS[v["bug"]](e, *e.tiled_qk())
    if "one query" in title:
        return numbers(title)[0] == len(q) != e.seq_len
    gap = np.abs(q @ k.T - e.similarity)
    if "right" in title:
        return gap.max() < 1e-9
    return about(numbers(title)[0], 100 * (gap > 1e-6).mean()) and about(numbers(title)[-1], gap.max())


def precision(title, e, v):
    near = np.arange(min(v["position"], 1024) + 1)
    own = {"head_dim": 2 * len(e.frequencies), "inv_freq": e.frequencies}
    error, said = np.nanmax(table_error(near, precision="bfloat16", **own)), numbers(title)
    return said[0] == v["position"] and (about(said[-1], error) if v["position"] <= 1024 else error <= 1.006 * said[-1])


def angles_seen(title, e, v):
    length = v["times"] * e.training_length
    steps = zip(e.as_trained.frequencies, e.at(seq_len=length).frequencies, strict=True)
    seen = [(e.training_length * then, length * now, then) for then, now in steps]
    new = sum(old < 2 * np.pi and far > old + step for old, far, step in seen)
    return (numbers(title) or [0])[0] == new


def on_longer(e, v, aim):
    """Return the best head of RoPE for an aim, the length of the text, and the frequencies there."""
    length = v["times"] * e.training_length
    return (
        pe.exact_head(e.as_trained, look_back=aim, seq_len=e.training_length),
        length,
        e.at(seq_len=length).frequencies,
    )


def lookback(title, e, v):
    back = min(v["look_back"], e.training_length - 1)
    head, length, theta = on_longer(e, v, back)
    return numbers(title)[1] == back and abs(numbers(title)[0] - head.mass(length, inv_freq=theta)) < 0.006


def anywhere(title, e, v):
    head, length, theta = on_longer(e, v, ANYWHERE)
    return abs(numbers(title)[-1] - head.score(length, inv_freq=theta).min()) < 0.006


def offsets_used(title, e, v):
    most = int(pe.self_extend_offsets(e.seq_len, v["group_size"], v["window"]).max())
    if title.startswith("No"):
        return numbers(title) == [most] and most < e.training_length
    return numbers(title)[0] == e.training_length and numbers(title)[-1] == most


def dilution(title, e, v):
    fitted = max(e.seq_len, 2)
    scores = pe.exact_head(e, look_back=v["look_back"], seq_len=fitted, ridge=0.01).score(fitted * v["times"])
    sharper = np.log(len(scores)) / np.log(fitted) if v["sharpen"] != "1" else 1.0
    return (
        numbers(title)[1] == len(scores) and abs(numbers(title)[0] - softmax(scores * sharper)[v["look_back"]]) < 0.006
    )


def best_head(title, e, v):
    one = e.as_trained if e.has("as_trained") else e
    said, head = numbers(title), pe.exact_head(one, look_back=v["look_back"], seq_len=e.seq_len)
    far = int(said[3]) if len(said) > 2 else e.seq_len
    theta = e.at(seq_len=far).frequencies if one is not e else None
    right = abs(said[0] - head.mass(e.seq_len)) < 0.006 and abs(said[-2] - head.mass(far, inv_freq=theta)) < 0.006
    return said[1] == e.seq_len and right


def trained_models(title, e, v, row=""):
    line = next(line for line in str(pe.trained_table(v["task"])).splitlines() if line.startswith(f"{e.name}{row} "))
    means = [float(mean) for mean in re.findall(r"(\d\.\d\d) \(", line)]
    said = numbers(title)
    return (row or said[0] == means[0]) and (len(said) == 2 or said[2] == means[-1])


def scaled_at_test(title, e, v):
    return trained_models(title, e, v, f", {v['at_test']}")


def leaking_count(title, e, v):
    gates = [1 - v["leak"] if (back + 1) % v["every"] == 0 else v["leak"] for back in range(e.seq_len)]
    if "last position" in title:
        return sum(gates) > e.npos - 1 == numbers(title)[0]
    return abs(numbers(title)[0] - sum(gates)) < 0.006 and numbers(title)[-1] == e.seq_len // v["every"]


def passing_bases(title, e, v):
    there = first_negative(e.head_dim, e.base, most=2**17)
    passes = there is None or there > e.training_length
    said = numbers(title)[-1] == there if "falls" in title else there is None or there > numbers(title)[-1]
    return ("passes" in title) == passes and said


def patches(title, e, v):
    (q, k), at = e.queries_keys, min(v["row"] * e.grid[1] + v["column"], e.seq_len - 1)
    row, column = divmod(at, e.grid[1])
    found = []
    for other in range(e.seq_len):
        down, right = other // e.grid[1] - row, other % e.grid[1] - column
        if round(float(np.hypot(down, right))) == v["distance"]:
            found.append(float(q[at] @ k[other]) / np.linalg.norm(q[at]) / np.linalg.norm(k[other]))
    ends = zip(numbers(title)[1:], (min(found), max(found)), strict=False)
    return numbers(title)[0] == v["distance"] and all(about(said, end) for said, end in ends)


def directions(title, e, v):
    down, right = np.abs(e.directions)
    row, column = int((down < 0.008 * right).sum()), int((right < 0.008 * down).sum())
    return numbers(title) == ([len(down) - row - column, len(down)] if "in between" in title else [row, column])


def window_head(title, e, v):
    head = pe.exact_head_2d(e.directions, wished(v["wish"]))
    return numbers(title) == [round(100 * head.mass), round(100 * head.chance)]


def axis_positions(title, e, v):
    sides = e.frames * e.tall * e.wide
    return numbers(title) == [e.before + sides + e.after, int(e.axis_positions.max()) + 1]


def axis_of_pair(title, e, v):
    return numbers(title) == [(e.axis_of_pair == axis).sum() for axis in range(3)]


def signal_fit(title, e, v):
    _, true, fitted = e.signal
    off = np.sqrt(np.mean((true - fitted) ** 2))
    return ("found" in title) == (off <= 0.1) and about(numbers(title)[0], off)


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
    return numbers(title) == ([changed, len(now)] if changed else [e.training_length + v["past"]])


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
    last, mixed, kept = numbers(title)
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


def closest_by_base(title, e, v):
    table = e.table
    gaps = np.linalg.norm(table[:, None] - table, axis=-1) + np.diag(np.full(len(table), np.inf))
    base, said = numbers(title)
    base_is = 2.0 ** (e.d_model - 1) if e.base is None else e.base
    true = gaps.min() / np.median(np.linalg.norm(np.diff(table, axis=0), axis=1))
    return base == pytest.approx(base_is) and abs(said - true) <= max(0.051 * 10 ** np.floor(np.log10(true)), 1e-5)


def turned_query(title, e, v):
    pair, degrees = numbers(title)
    theta = 10_000 ** (-2 * v["pair"] / e.d_model) if e.base == 10_000 else e.frequencies[v["pair"]]
    return pair == v["pair"] and about(degrees, np.degrees(theta) * v["offset"])


def scores_once_turned(title, e, v):
    pe_row = pe.sinusoidal([v["query"] + v["offset"]], e.d_model, base=e.base, layout=e.layout)[0]
    scores = e.table @ pe_row
    top = v["query"] if "itself" in title else int(numbers(title)[0])
    near = top == v["query"] or abs(top - v["query"]) == numbers(title)[1]
    side = "itself" in title or ("after" in title) == (top > v["query"])
    return near and side and scores[top] >= scores.max() - 1e-9 * e.d_model


def pairs_added(title, e, v):
    q, k = (pe_turned(e, part, at) for part, at in zip(e.query_and_key(), (10, 10 + v["offset"]), strict=True))
    dims = np.concatenate([e.pair_dims(p) for p in range(v["pair"] + 1)])
    *pairs, said, offset = numbers(title.replace("+", ""))
    return pairs[-1] == v["pair"] and offset == v["offset"] and about(said, float(q[dims] @ k[dims]))


def one_back(title, q, k, bias=0.0):
    scores = np.where(np.tri(len(q), dtype=bool), q @ k.T / np.sqrt(q.shape[1]) + bias, -np.inf)
    back = np.diagonal(softmax(scores), -1)
    mean, least = numbers(title)
    return abs(mean - back.mean()) <= 0.0051 and abs(least - back.min()) <= 0.0051


def number_one_back(title, e, v):
    q, k = np.random.default_rng(v["text"]).normal(size=(2, e.seq_len, e.head_dim))
    return one_back(title, q, k, v["number"] * np.eye(e.seq_len, k=-1))


def push_one_back(title, e, v):
    q, k = np.random.default_rng(v["text"]).normal(size=(2, e.seq_len, e.head_dim))
    push = np.zeros(e.head_dim)
    push[[e.pair_dims(pair)[0] for pair in range(min(6, len(e.frequencies)))]] = v["push"]
    turned = (
        [pe_turned(e, x, t) for t, x in enumerate(q + push)],
        [pe_turned(e, x, t) for t, x in enumerate(k + pe_turned(e, push, 1))],
    )
    return one_back(title, *map(np.array, turned))


def attention_map(title, e, v):
    n = e.max_positions
    x = toy_data.tokens(n if v["words"] == "different" else 1, e.num_dims)
    row = np.sort(e.at(seq_len=n).attend(np.broadcast_to(x, (n, x.shape[1])), causal=True)[1][-1])[::-1]
    count = int(numbers(title)[1])
    return numbers(title)[0] == 90 and row[:count].sum() >= 0.9 - 1e-9 > row[: count - 1].sum() - 2e-9


def bucket_numbers(title, e, v):
    rows, numbers_are = e.buckets(np.array([-1, v["offset"]])), e.biases(np.array([-1, v["offset"]]))[e.head]
    if "cannot" in title:
        return rows[0] == rows[1]
    first, second = numbers(title)[1:]
    return (
        numbers(title)[0] == e.head
        and {first, second} == {-1, v["offset"]}
        and (first == -1) == (numbers_are[0] > numbers_are[1])
    )


def near_mass(title, e, v):
    head, part, near, keys = numbers(title)
    weights = softmax(e.biases(np.arange(1 - int(keys), 1)))[e.head]
    return (head, near) == (e.head, e.seq_len) and abs(part - weights[-e.seq_len :].sum()) <= 0.0051


def cached_keys(title, e, v):
    keys = np.random.default_rng(0).normal(size=(10, e.head_dim))
    left = max(v["written"] - v["dropped"], 0)
    if not left:
        return title == "No key left"
    cached = [pe_turned(e, keys[t], t - v["dropped"]) for t in range(v["dropped"], v["written"])]
    anew = [pe_turned(e.at(base=v["new_base"]), keys[t + v["dropped"]], t) for t in range(left)]
    off = np.abs(np.array(cached) - anew).max()
    said = numbers(title)
    moved = "moved back" not in title or said[1] == v["dropped"]
    return said[0] == left and moved and (about(said[-1], off) if " off by " in title else off < 1e-6)


PREDICATES = {name: told for name, told in globals().items() if name in VIEWS}
ASKED = {"score_by_offset": {"aim": (-5, 5)}, "token_scores": {"matrices": [False, True]}}  # sliders only for who asks
# Encodings of which a view says more than a noun.
SAYING = {
    "heatmap": ["sinusoidal", "binary"],
    "cube": ["binary"],
    "cliff": ["phi_3"],
    "waves": ["sine", "sinusoidal", "rope"],
}
HEAVY = {"lookback", "anywhere", "precision", "passing_bases"}  # of which a setting takes a second


def is_true(view, title, e, values) -> bool:
    """Return whether a title holds; one that asserts something, being no noun, needs a predicate."""
    return view in PREDICATES and PREDICATES[view](title, e, values)


@pytest.mark.parametrize("settings", [FEW, pytest.param(SETTINGS, marks=pytest.mark.slow)])
@pytest.mark.parametrize("view", VIEWS)
def test_a_title_is_true_wherever_the_sliders_are(view, settings):
    rng, false = random.Random(view), []
    feeding = SAYING.get(view) or [name for name in KINDS if VIEWS[view].fits(KINDS[name])]
    choices = {p.name: list(p.options) for p in VIEWS[view].parameters if p.options} | ASKED.get(view, {})
    for _ in range(FEW if view in HEAVY else settings):
        panel = pe.explore(rng.choice(feeding), views=view, **choices)
        panel.raise_errors = True
        for slider in panel.sliders.values():
            if not slider.disabled:
                slider.value = rng.choice(live.steps(slider))
        (pen,), values = panel.panel.pens, panel.values
        if pen.headline != VIEWS[view].title and not is_true(view, pen.headline, panel.panel.encodings[0], values):
            false.append((str(panel.spec), pen.headline))
        panel.close()
    assert false == []
