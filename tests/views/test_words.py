"""Every number in a panel's words, computed once more by the public functions and NumPy.

What a model would learn is drawn at random in the library. Its seeds are part of what the words mean, so they are
written down here once more. Nothing else is shared with the views: neither their data nor the steps that make it.
"""

import itertools
import math
import re
from functools import cache
from typing import NamedTuple

import ipywidgets as widgets
import numpy as np
import pytest
from matplotlib.figure import Figure

import posenc_lib as pe
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.live.explorer import Explorer
from posenc_lib.views import VIEWS

NUMBER = re.compile(r"(?<![\w.])[−-]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[−+-]?\d+)?")
SENTENCE = ("dog", "bites", "man", "today")
KINDS = {"relative": "Scores", "bias": "Biases"}
OTHER_BASES = {100, 10_000, 1_000_000}
PRECISIONS = ("float16", "bfloat16", "float32", "float64, rounded once")


# The encodings, by their public functions.


def width(v) -> int:
    return v.get("d_model", v.get("head_dim", 64))


def query_and_key(v) -> np.ndarray:
    drawn = np.random.default_rng(44).normal(size=(2, width(v)))
    return drawn if v["content"] == "random" else np.ones((2, width(v)))


def everywhere(v) -> list[np.ndarray]:
    """Return the query and the key set down at every position; a bias has none, and asks for their number only."""
    pair = query_and_key(v) if "content" in v else np.zeros((2, width(v)))
    return [np.tile(x, (v["seq_len"], 1)) for x in pair]


def turned(v, x, positions=None, **changed) -> np.ndarray:
    return pe.rope(x, positions, **{"base": v["base"], "pairing": v["pairing"]} | changed)


def learned(v) -> np.ndarray:
    rng = np.random.default_rng(v["seed"])
    return pe.learned(v["num_positions"] or v["seq_len"], v["d_model"], rng=rng)[: v["seq_len"]]


TABLES = {
    "no_position": lambda v: pe.no_position(v["seq_len"], v["d_model"]),
    "integer": lambda v: pe.integer(v["seq_len"], v["d_model"]),
    "normalized": lambda v: pe.normalized(v["seq_len"], v["d_model"], endpoint=v["endpoint"]),
    "binary": lambda v: pe.binary(v["seq_len"], v["d_model"]),
    "sine": lambda v: pe.sine(v["seq_len"], v["d_model"], base=v["base"]),
    "sinusoidal": lambda v: pe.sinusoidal(v["seq_len"], v["d_model"], base=v["base"], layout=v["layout"]),
    "learned": learned,
    "rope": lambda v: turned(v, everywhere(v)[0]),
}


def table(v, **changed) -> np.ndarray:
    return TABLES[v["encoding"]](v | changed).astype(float)


def distances(v, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return Transformer-XL's r for the distances n − 1 … 1 − n, and its u and v."""
    rng, d = np.random.default_rng(v["seed"]), width(v)
    (u, w), matrix = rng.normal(size=(2, d)), rng.normal(size=(d, d)) / math.sqrt(d)
    return pe.sinusoidal(np.arange(n - 1, -n, -1), d, base=v["base"]) @ matrix, u, w


def all_biases(v, n: int) -> np.ndarray:
    if v["encoding"] == "alibi":
        return pe.alibi(v["num_heads"], n)
    weights = np.random.default_rng(v["seed"]).normal(size=(v["num_buckets"], 8))
    return pe.t5_bias(weights, n, bidirectional=v["bidirectional"], max_distance=v["max_distance"])


def relation(v, q, k) -> dict:
    """Return what attention takes beside queries and keys."""
    if v["encoding"] == "shaw":
        rows = np.random.default_rng(v["seed"]).normal(size=(2 * v["clip"] + 1, width(v)))
        return {"scores": pe.shaw_scores(q, k, rows)}
    if v["encoding"] == "transformer_xl":
        return {"scores": pe.transformer_xl_scores(q, k, *distances(v, len(q)))}
    return {"bias": all_biases(v, len(q))[v["head"]]} if "head" in v else {}


def scores(v) -> np.ndarray:
    if v["encoding"] == "rope":
        q, k = (turned(v, x) for x in everywhere(v))
        return q @ k.T
    if v["encoding"] in TABLES:
        return pe.similarity_matrix(table(v))
    return next(iter(relation(v, *everywhere(v)).values()))


def frequencies(v) -> np.ndarray:
    d = width(v)
    if v["encoding"] != "sine":
        return pe.inv_freq(d, v["base"])
    return 0.5 ** np.arange(d) if v["base"] is None else v["base"] ** -(np.arange(d) / max(d - 1, 1))


def pair_dims(v) -> list[int]:
    pair, side_by_side = v["pair"], "interleaved" in (v.get("pairing"), v.get("layout"))
    return [2 * pair, 2 * pair + 1] if side_by_side else [pair, pair + width(v) // 2]


def step_matrix(v, offset: int) -> np.ndarray:
    matrix = (pe.rope_matrix if v["encoding"] == "rope" else pe.shift_matrix)(offset, width(v), v["base"])
    order = pe.pairing_permutation(width(v))
    return matrix if "interleaved" in (v.get("pairing"), v.get("layout")) else matrix[np.ix_(order, order)]


def row_of(v, offsets) -> tuple[np.ndarray, int]:
    """Return the row that each offset reads, and how many rows the table has."""
    if v["encoding"] == "shaw":
        return np.clip(offsets, -v["clip"], v["clip"]) + v["clip"], 2 * v["clip"] + 1
    how = {name: v[name] for name in ("bidirectional", "num_buckets", "max_distance")}
    return pe.t5_bucket(offsets, **how), v["num_buckets"]


def made_up(number: int, dim: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(number, dim))


def projected(x) -> list[np.ndarray]:
    d = x.shape[1]
    return [x @ w for w in np.random.default_rng(1).normal(size=(3, d, d)) / math.sqrt(d)]


def attend(v, x) -> tuple[np.ndarray, np.ndarray]:
    added = ENCODINGS[v["encoding"]].kind == "additive"
    q, k, values = projected(x + table(v, seq_len=len(x)) if added else x)
    if v["encoding"] == "rope":
        q, k = turned(v, q), turned(v, k)
    return pe.attention(q, k, values, causal=v["causal"], **relation(v, q, k))


# What the words say, view by view.
# Whole numbers must be met exactly, others in three digits; a set holds all that are equally right.


def tied(values, *, noise: float = 1e-9) -> list[set[int]]:
    """Return where the lowest of some values stands, a set for each axis; rounding noise does not tell two apart."""
    lowest = values <= values.min() + noise * np.abs(values).max()
    return [set(axis.tolist()) for axis in np.nonzero(lowest)]


def one_or_both(low, high) -> list[float]:
    return [low] if f"{low:.3g}" == f"{high:.3g}" else [low, high]


def sign_changes(row) -> int:
    signs = np.sign(row)[np.abs(row) > 1e-12]
    return int((signs[1:] != signs[:-1]).sum())


def steps_of(rows) -> np.ndarray:
    return np.linalg.norm(np.diff(rows, axis=0), axis=1)


def trajectory(v):
    dims = [v[name] for name in ("x_dim", "y_dim", "z_dim")[: 2 if v["view"] == "trajectory" else 3]]
    points, told = table(v)[:, dims], v.get("query", v["seq_len"] - 1)
    return [*dims, v["seq_len"], told, *points[told], np.linalg.norm(points[told] - points[0]), 0]


def cube(v):
    corners = table(v)[:, [v["x_dim"], v["y_dim"], v["z_dim"]]].round(9)
    one = (np.count_nonzero(np.diff(corners, axis=0), axis=1) == 1).sum()
    return [v["seq_len"], len(np.unique(corners, axis=0)), one, v["seq_len"] - 1]


def closest_pair(v):
    rows = table(v)
    apart = np.linalg.norm(rows[:, None] - rows, axis=2)
    apart[np.tri(len(rows), dtype=bool)] = 4 * apart.max() + 1
    step = np.median(steps_of(rows))
    return [len(rows), *tied(apart), apart.min(), *[width(v)] * int(width(v) > 2), *[step] * int(step > 0)]


def number_line(v):
    values = table(v)[:, v["dim"] or 0]
    steps = np.abs(np.diff(values))
    gap = one_or_both(steps.min(), steps.max())
    return [v["seq_len"], values.min(), values.max(), *gap, v["query"], values[v["query"]]]


def heatmap(v):
    shown = table(v)[:, : v["shown_dims"]]
    turns = [sign_changes(shown[:, 0]), sign_changes(shown[:, -1])] if shown.min() < 0 else []
    return [*shown.shape, shown.min(), shown.max(), *turns]


def odometer(v):
    rows, query = table(v), v["query"]
    if query + 1 == len(rows):
        return [query, *rows[query, :8], "it is the last one"]
    return [query, *rows[query, :8], (np.abs(rows[query + 1] - rows[query]) > 0.5).sum(), width(v)]


def waves(v):
    rows = table(v)[:, : v["num_waves"]]
    if (table(v) % 1).any():
        name, counts = "Turning points", [sign_changes(wave) for wave in np.diff(rows, axis=0).T]
    else:
        name, counts = "Flips", (np.abs(np.diff(rows, axis=0)) > np.abs(rows).max() / 2).sum(axis=0)
    told = [part for dim, count in enumerate(counts) for part in (count, "in dim", dim)]
    return [name, *told, *(["At position", v["query"], *rows[v["query"]]] if "query" in v else [])]


def clock(v):
    speed, called = frequencies(v), "dim" if v["encoding"] == "sine" else "pair"
    told = [v["query"]]
    for wave in sorted({0, len(speed) // 2, len(speed) - 1}):
        told += [called, wave, v["query"] * speed[wave] / (2 * np.pi), 2 * np.pi / speed[wave]]
    return told


def wavelengths(v):
    lengths = 2 * np.pi / frequencies(v)
    return [lengths.min(), lengths.max(), (lengths <= v["seq_len"]).sum(), len(lengths), v["seq_len"]]


def wavelengths_by_base(v):
    told = [(pe.wavelengths(width(v), base).max(), base) for base in sorted(OTHER_BASES | {v["base"]})]
    return [*itertools.chain(*told), v["seq_len"]]


def kernel_by_base(v):
    told = []
    for base in sorted(OTHER_BASES | {v["base"]}):
        below = np.flatnonzero(scores(v | {"base": base, "content": "ones"})[0] < 0)  # of one vector with itself
        told += [below[0] if len(below) else "none", base]
    return [*told, v["seq_len"] - 1]


def steps(v):
    steps = steps_of(table(v))
    low, high = steps.min(), steps.max()
    if high < 1.1 * low + 1e-12:  # else the longest stands out
        return one_or_both(low, high)
    (first,) = tied(-steps)
    return [low, high, steps.mean(), first, {k + 1 for k in first}]


def against_length(v):
    last = min(256, 2 ** v["d_model"] if v["encoding"] == "binary" else v.get("num_positions") or 256)
    rows = [table(v, seq_len=n) for n in (2, last)]
    largest, step = [np.abs(r).max() for r in rows], [np.median(steps_of(r)) for r in rows]
    return [2, last, *largest, *step, v["seq_len"]]


def cosine(a, b) -> np.ndarray:
    return (a * b).sum(axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)


def word_left(v):
    rows, last = table(v), v["seq_len"] - 1
    words = v["embed_scale"] / math.sqrt(width(v)) * made_up(256, width(v))
    kept = [cosine(words, words + rows[at]).mean() for at in (0, last)]
    mixed = cosine(words + rows[last], np.roll(words, 1, axis=0) + rows[last]).mean()
    length = np.median(np.linalg.norm(rows, axis=1))
    return [v["embed_scale"], length, kept[0], 0, kept[1], last, last, mixed]


def added(v):
    words = v["embed_scale"] / math.sqrt(width(v)) * made_up(v["seq_len"], width(v))
    parts = {"words": (words, "Words alone"), "positions": (table(v), "Positions alone")}
    rows, title = parts.get(v["part"], (words + table(v), "Words + positions"))
    return [title, len(rows), np.median(np.linalg.norm(rows, axis=1))]


def dot_product(v):
    query, row = v["query"], scores(v)[v["query"]]
    after = [row[query + 1], query + 1] if query + 1 < len(row) else []
    what = KINDS.get(ENCODINGS[v["encoding"]].kind, "Dot products")
    return [what, query, row[query], *after, row.min(), *tied(row)]


def similarity(v, matrix=None):
    matrix, middle = scores(v) if matrix is None else matrix, v["seq_len"] // 2
    later = np.triu(np.ones(matrix.shape, bool), 1) & v["causal"]
    seen, told = np.where(later, np.abs(matrix).max() + 1, matrix), ["but those with a later key"][: int(later.any())]
    return [*told, *matrix.shape, matrix[middle, middle], middle, seen.min(), *tied(seen)]


def added_scores(v):
    positions = pe.sinusoidal(v["seq_len"], width(v), base=v["base"])
    q, k = (x + positions for x in everywhere(v))
    return similarity(v, q @ k.T)


def score_by_offset(v):
    matrix, n = scores(v), v["seq_len"]
    diagonals = [np.diagonal(matrix, offset) for offset in range(1 - n, n)]
    told = [
        part for offset in (0, min(5, n - 1), -min(5, n - 1)) for part in (offset, diagonals[offset + n - 1].mean())
    ]
    same = max(map(np.ptp, diagonals)) < 1e-9 * np.abs(matrix).max() or not matrix.any()
    return ["Score at" if same else "Mean score at", *told, "the same for every pair" if same else "a band"]


def shift_matrix(v):
    matrix = step_matrix(v, v["offset"])
    return [v["offset"], np.count_nonzero(matrix), matrix.size, 0, matrix[0, 0], matrix[-1, -1]]


def shifted(v):
    return [v["pair"], v["offset"], v["seq_len"], abs(np.degrees(v["offset"] * frequencies(v)[v["pair"]]))]


def vectors(v):
    places, dims = [v["query"], v["query"] + v["offset"]], pair_dims(v)
    q, k = (turned(v, x[None], [at])[0] for x, at in zip(query_and_key(v), places, strict=True))
    return [v["pair"], *places, q @ k, q[dims] @ k[dims]]


def basis(v):
    block = step_matrix(v, v["query"])[np.ix_(pair_dims(v), pair_dims(v))]
    angle = v["query"] * frequencies(v)[v["pair"]]
    return [v["pair"], v["query"], angle, 1, 0, *block[:, 0], 0, 1, *block[:, 1]]


def forms(v):
    x, at = query_and_key(v)[0], v["query"]
    angle, dims = at * frequencies(v), np.arange(len(x))
    first, second = (dims[0::2], dims[1::2]) if v["pairing"] == "interleaved" else np.split(dims, 2)
    hands, made = (x[first] + 1j * x[second]) * np.exp(1j * angle), np.empty((2, len(x)))
    made[0, first], made[0, second] = hands.real, hands.imag
    made[1, first] = x[first] * np.cos(angle) - x[second] * np.sin(angle)
    made[1, second] = x[first] * np.sin(angle) + x[second] * np.cos(angle)
    apart = np.ptp([*made, step_matrix(v, at) @ x, turned(v, x[None], [at])[0]], axis=0).max()
    assert apart < 1e-12
    return [at, "agree to 1e-12"]


def order(v) -> list[int]:
    return list(list(itertools.permutations(range(v["seq_len"])))[v["order"]])


def weights(v):
    words = [SENTENCE[k] for k in order(v)]
    rows = attend(v, made_up(4, width(v))[order(v)])[1]
    told = (f"{word} looks most at {words[row.argmax()]}" for word, row in zip(words, rows, strict=True))
    return [f"“{' '.join(words)}”", *told]


def outputs(v):
    rows = np.empty((v["seq_len"], width(v)))
    rows[order(v)] = attend(v, made_up(4, width(v))[order(v)])[0]
    told = zip((*SENTENCE[: len(rows)], "the mean"), (*rows, rows.mean(axis=0)), strict=True)
    return [part for name, row in told for part in (f"{name} begins", *row[:2])]


def most(row) -> list:
    if len(row) > 1 and row.min() > (1 - 1e-9) * row.max():
        return ["to all alike", 100 * row.max()]
    return ["most to", *tied(-row), 100 * row.max()]


def attended(v):
    n, query = v["seq_len"], v["query"]
    known = min(n, v.get("num_positions") or n)
    if query >= known:
        return [query, "no row", known - 1]
    x = np.broadcast_to(made_up(n if v["words"] == "different" else 1, width(v)), (n, width(v)))[:known]
    seen = slice(query + 1 if v["causal"] else known)
    row = attend(v | {"seq_len": known}, x)[1][query, seen]
    plain = pe.attention(*projected(x), causal=v["causal"])[1][query, seen]
    end = ["no row from", known] if known < n else []
    return [query, 100 * row[query], *most(row), "without positions", *most(plain), *end]


def rows_read(v):
    n, query = v["seq_len"], v["query"]
    rows, number = row_of(v, np.arange(n) - query)
    return [query, len(set(rows.tolist())), number, rows[0], 0, rows[query], rows[-1], n - 1]


def staircase(v):
    n, offset = v["seq_len"], v["offset"]
    row, number = row_of(v, offset)
    offsets = np.arange(1 - n, n)
    same = offsets[row_of(v, offsets)[0] == row]
    if abs(offset) >= n:
        return [offset, row, number, "no pair"]
    return [offset, row, number, *(["alone"] if len(same) == 1 else [len(same), same[0], same[-1]])]


def terms(v):
    n, (q, k, _) = v["seq_len"], projected(made_up(v["seq_len"], width(v)))
    r, u, w = distances(v, n)
    place = np.arange(n) - np.arange(n)[:, None] + n - 1  # of the distance between query and key in r
    parts = {"q·k": q @ k.T, "q·r": np.take_along_axis(q @ r.T, place, 1)}
    parts |= {"u·k": np.tile(k @ u, (n, 1)), "v·r": (r @ w)[place]}
    part = sum(parts.values()) if v["term"] == "all" else parts[v["term"]]
    alike = {"u·k": "each of its columns", "v·r": "each of its diagonals"}.get(v["term"], "no rows, columns or diag")
    return ["All" if v["term"] == "all" else v["term"], part.min(), part.max(), alike]


def head_biases(v):
    n, query, head = v["seq_len"], v["query"], v["head"]
    rows, far = all_biases(v, n), 0 if v["query"] >= v["seq_len"] / 2 else v["seq_len"] - 1
    return [len(rows), query, head, rows[head, query, query], rows[head, query, far], far]


def rulers(v):
    shares = pe.softmax(all_biases(v, v["seq_len"])[:, -1])[:, ::-1]
    reach = (shares.cumsum(axis=1) < 0.9 - 1e-12).sum(axis=1) + 1
    return [v["seq_len"], 90, *reach, v["head"], reach[v["head"]]]


def permutation(v):
    order = pe.pairing_permutation(width(v))
    order = order if v["pairing"] == "interleaved" else np.argsort(order)  # to the pairing that it has not
    return [len(order), *order[:16]]


def ported(v):
    other = {"interleaved": "half", "half": "interleaved"}[v["pairing"]]
    q, k = (turned(v, x, pairing=other) for x in everywhere(v))
    gap = 0 * scores(v) if v["permuted"] else np.abs(q @ k.T - scores(v))
    query, how = v["query"], "Weights permuted" if v["permuted"] else "Weights not permuted"
    return [how, query, gap[query].max(), query, gap[query, query]]


def buggy(v):
    n, bug, t = v["seq_len"], v["bug"], np.arange(v["seq_len"])
    if bug == "slice":
        return [bug, 2 * n, n]
    at = {"restart": t % ((n + 1) // 2), "bfloat16": pe.bfloat16(1000 + t)}.get(bug, t)
    q, k = (turned(v, x, at, base=500_000.0 if bug == "base" else v["base"]) for x in everywhere(v))
    gap, right = np.abs(q @ k.T - scores(v)), np.abs(scores(v)).max()
    return [bug, 100 * (gap > 1e-9 * right).mean(), gap.max()]


def precision(v):
    last, number = v["position"], "all tried" if v["position"] <= DENSE else Between(DENSE, v["position"] - 1)
    return [last, number, *worst_errors(width(v), v["base"], last)]


DENSE = 1024  # up to here the words speak of every position, beyond it of those tried


class Between(NamedTuple):
    """A number that the words may say anything within."""

    low: float
    high: float


@cache
def worst_errors(dim: int, base: float, last: int) -> list:
    told = []
    for name in PRECISIONS:
        parts = np.array_split(np.arange(last + 1), last // 2**14 + 1)  # all at once would need gigabytes
        errors = np.concatenate([pe.table_error(part, dim, base, precision=name) for part in parts])
        worst = Between(np.nanmax(errors[: DENSE + 1]), np.nanmax(errors)) if last > DENSE else np.nanmax(errors)
        told += [name, worst if np.isfinite(errors[-1]) else "has no such number"]
    return told


ORACLES = {"trajectory_3d": trajectory} | {
    view.__name__: view
    for view in (
        *(trajectory, cube, closest_pair, number_line, heatmap, odometer, waves, clock, wavelengths),
        *(wavelengths_by_base, steps, against_length, word_left, added, dot_product, similarity, score_by_offset),
        *(kernel_by_base, shift_matrix, shifted, vectors, basis, added_scores, forms, weights, outputs, attended),
        *(rows_read, staircase, terms, head_biases, rulers, permutation, ported, buggy, precision),
    )
}


# Words against numbers.


def read(text: str) -> float:
    return float(text.replace("−", "-").replace(",", ""))


def agrees(told: float, item) -> bool:
    """Return whether a number is what it should be, in the three digits that words have (before the point in all)."""
    if isinstance(item, set):
        return told in item
    if isinstance(item, Between):
        return 0.995 * item.low <= told <= 1.005 * item.high
    if isinstance(item, int | np.integer):
        return told == item
    size = abs(item)
    last = 1 if 999.5 <= size < 1e7 else 10.0 ** (math.floor(math.log10(max(size, 1e-300))) - 2)
    return abs(told - item) <= 0.5000001 * last + 1e-11


def check(words: str, items: list) -> str:
    """Return where the words differ from what should be in them, one after the other; nothing if they do not."""
    at = 0
    for item in items:
        found = re.compile(re.escape(item)).search(words, at) if isinstance(item, str) else NUMBER.search(words, at)
        if not found or (isinstance(item, str) and NUMBER.search(words, at, found.start())):
            return f"no {item!r} after {words[:at]!r} in {words!r}"
        if not isinstance(item, str) and not agrees(read(found[0]), item):
            return f"{found[0]} should be {item!r} in {words!r}"
        at = found.end()
    return f"too many numbers in {words!r}" if NUMBER.search(words, at) else ""


def means(text: str, value) -> bool:
    """Return whether a setting is written as it is; numbers have six digits."""
    if isinstance(value, bool | str | None):
        return text == str(value)
    return math.isclose(read(text), value, rel_tol=1e-5)


def check_settings(sentence: str, v: dict, views: list[str]) -> str:
    """Return the first sentence if it does not name all values that matter, and these alone.

    A choice left as it was may go without saying.
    """
    record = ENCODINGS[v["encoding"]]
    title, _, told = sentence.partition(": ")
    told = dict(part.rsplit(" ", 1) for part in told.split(", ") if part)
    shown = {name for view in views for name in VIEWS[view].relevant(record)}
    changed = {p.name for p in record.parameters if v[p.name] not in (None, *[p.default][: len(p.options)])}
    same = title == record.title and changed & shown <= told.keys() <= shown
    same = same and all(means(text, v[name]) for name, text in told.items())
    return "" if same else f"{sentence!r} does not fit {v}"


def faults(explorer, encodings: list[str], views: list[str]) -> list[str]:
    """Return what is wrong with the words of a panel: those of one encoding come after those of another."""
    text, found = explorer.text, []
    starts = [text.index(ENCODINGS[name].title) for name in encodings]
    for name, start, end in zip(encodings, starts, [*starts[1:], None], strict=True):
        own = {p.name for p in parameters(name, views)}
        v = {key: value for key, value in explorer.values.items() if key in own} | {"encoding": name}
        sentence, words = text[start:end].split(". ", 1)
        items = [item for view in views for item in ORACLES[view](v | {"view": view})]
        found += [check_settings(sentence, v, views), check(words, items)]
    return found


def tried(slider) -> list:
    """Return all options of a choice, else both ends and a value between, the largest first."""
    values = [option[1] if isinstance(option, tuple) else option for option in getattr(slider, "options", ())]
    if isinstance(slider, widgets.ToggleButtons):
        return values
    values = values or range(slider.min, slider.max + 1, slider.step)
    return sorted({values[0], values[len(values) // 2], values[-1]}, reverse=True)


def sweep(encodings: list[str], views: list[str], only=None, **asked) -> None:
    """Move the sliders of a panel in turn, the others where they begin; fail if any words are wrong."""
    explorer = pe.explore(encodings, views=views, **asked)
    begin = {name: slider.value for name, slider in explorer.sliders.items()}
    found = faults(explorer, encodings, views)
    for name in [name for name in begin if only is None or name in only]:
        back = begin  # with the first value; smaller ones leave others less room
        for value in [] if explorer.sliders[name].disabled else tried(explorer.sliders[name]):
            explorer.set(**back | {name: value})
            found += faults(explorer, encodings, views)
            back = {}
    explorer.close()
    wrong = [fault for fault in dict.fromkeys(found) if fault]
    assert not wrong, "\n".join(wrong)


def parameters(encoding: str, views: list[str]) -> list:
    return [*ENCODINGS[encoding].parameters, *(p for view in views for p in VIEWS[view].parameters)]


FED = [(e.name, view) for e in ENCODINGS.values() for view in VIEWS if VIEWS[view].needs in e.gives]


@pytest.fixture(autouse=True)
def _only_words(monkeypatch):
    """Let errors be raised, and nothing be drawn: that would take most of the time."""
    monkeypatch.setattr(Explorer, "raise_errors", True)
    monkeypatch.setattr(Figure, "draw_artist", lambda figure, artist: None)


def test_every_view_has_an_oracle():
    assert ORACLES.keys() == VIEWS.keys()


@pytest.mark.parametrize(("encoding", "view"), FED)
def test_words_are_true(encoding, view):
    width = ENCODINGS[encoding].width
    sweep([encoding], [view], **({width: (2, 128)} if view == "outputs" and width else {}))  # it tries all 24 orders


@pytest.mark.slow
@pytest.mark.parametrize(("encoding", "view"), FED)
def test_words_are_true_with_other_choices(encoding, view):
    known = parameters(encoding, [view])
    others = {p.name: next(o for o in reversed(p.options) if o != p.default) for p in known if p.options}
    asked = {p.name: p.options for p in known if p.options}
    asked |= {p.name: (p.low, p.high) for p in known if p.default is None}  # no slider unless asked for
    asked |= {p.name: (-40, 63) for p in known if p.name == "offset"}
    idle = {p.name for p in ENCODINGS[encoding].parameters} - set(VIEWS[view].relevant(ENCODINGS[encoding]))
    asked |= {name: value for name, value in others.items() if name in idle}  # the words must not name these
    asked = {name: value for name, value in asked.items() if name not in idle or name in others}
    begin = {name: value for name, value in others.items() if name not in idle}
    sweep([encoding], [view], only=set(asked), start=begin, **asked)


@pytest.mark.parametrize("encoding", [e.name for e in ENCODINGS.values() if "table" in e.gives])
def test_words_are_true_beside_a_view_with_a_query(encoding):
    sweep([encoding], ["trajectory", "trajectory_3d", "waves", "number_line"], only={"seq_len", "query"})


def test_words_are_true_past_the_end_of_a_table():
    sweep(["alibi", "learned"], ["attention_row"], num_positions=40)


def test_words_know_the_first_power_of_two_that_float16_lacks():
    sweep(["rope"], ["precision"], only=(), position=65_536)


@pytest.mark.parametrize("pairing", ["interleaved", "half"])
def test_the_four_forms_turn_the_pairs_that_the_first_sentence_names(pairing):
    explorer = pe.explore("rope", views="rope_forms", head_dim=8, content="random", pairing=pairing, query=5)
    (drawn,) = explorer.figure.axes[0].images  # words that all four agree would be true of other pairs, too
    right = turned(explorer.values, query_and_key(explorer.values)[:1], [5])
    np.testing.assert_allclose(drawn.get_array(), np.repeat(right, 4, axis=0), atol=1e-12)
