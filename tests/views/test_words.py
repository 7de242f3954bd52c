"""Every number in a panel's words, computed once more by the public functions and NumPy.

What a model would learn is drawn at random in the library. Its seeds are part of what the words mean, so they are
written down here once more. Nothing else is shared with the views: neither their data nor the steps that make it.
"""

import itertools
import math
import re
from functools import cache, cached_property

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.spec import Spec, read
from posenc_lib.views import VIEWS, Panel

NUMBER = r"(?<![\w.])[−-]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[−+-]?\d+)?"
SENTENCE = ("dog", "bites", "man", "today")
PUBLIC = ("no_position", "integer", "normalized", "binary", "sine", "sinusoidal", "rope")  # tables by a function
DENSE = 1024  # up to here the words speak of every position, beyond it of those tried


class Oracle:
    """What the words of each view must hold, in their order: a method for each view.

    Whole numbers must be met exactly, others in three digits or, if a pair, anywhere between; a set holds all that are
    equally right; text must stand there before the next number.
    """

    def __init__(self, name: str, values: dict):
        vars(self).update(values)
        self.name, self.values, self.get = name, values, values.get
        self.encoding = ENCODINGS[name].among(values)
        self.kind = self.encoding.kind
        self.n, self.d = values["seq_len"], values.get("d_model", values.get("head_dim", 64))
        self.side_by_side = "interleaved" in (self.get("pairing"), self.get("layout"))
        drawn, same = np.random.default_rng(44).normal(size=(2, self.d)), np.ones((2, self.d))
        self.query_and_key = {"random": drawn, "ones": same}.get(self.get("content"), 0 * same)  # a bias has none
        self.everywhere = np.repeat(self.query_and_key[:, None], self.n, axis=1)

    def at(self, **changed) -> "Oracle":
        return Oracle(self.name, self.values | changed)

    # The encodings, by their public functions; one that is not named here, by its own methods.

    @property
    def scaled(self) -> tuple:
        """Return RoPE's frequencies and what queries and keys are multiplied by, trained on 64 positions."""
        asked = {"rope_type": self.rope_type, "rope_theta": self.base, "factor": self.factor or 4}
        trained = {"low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 64}
        return pe.rope_scaling(asked | trained, self.d, seq_len=self.n)

    def turned(self, x, positions=None, **changed):
        scaled = (
            {} if self.rope_type == "default" else dict(zip(("inv_freq", "attention_factor"), self.scaled, strict=True))
        )
        return pe.rope(x, positions, **{"base": self.base, "pairing": self.pairing} | scaled | changed)

    @cached_property
    def table(self):
        if self.name == "rope":
            return self.turned(self.everywhere[0])
        if self.name == "learned":
            rng = np.random.default_rng(self.seed)
            return pe.learned(self.num_positions or self.n, self.d, rng=rng)[: self.n]
        if self.name not in PUBLIC:
            return self.encoding.table
        own = {name: self.values[name] for name in ("base", "layout", "endpoint") if name in self.values}
        return getattr(pe, self.name)(self.n, self.d, **own).astype(float)

    def distances(self, n: int) -> tuple:
        """Return Transformer-XL's r for the distances n − 1 … 1 − n, and its u and v."""
        rng = np.random.default_rng(self.seed)
        (u, w), matrix = rng.normal(size=(2, self.d)), rng.normal(size=(self.d, self.d)) / math.sqrt(self.d)
        return pe.sinusoidal(np.arange(n - 1, -n, -1), self.d, base=self.base) @ matrix, u, w

    @cached_property
    def biases(self):
        if self.name == "alibi":
            return pe.alibi(self.num_heads, self.n)
        if self.name != "t5":
            by_offset = self.encoding.biases(np.arange(1 - self.n, self.n))
            return by_offset[:, pe.relative_offsets(self.n) + self.n - 1]
        weights = np.random.default_rng(self.seed).normal(size=(self.num_buckets, 8))
        return pe.t5_bias(weights, self.n, bidirectional=self.bidirectional, max_distance=self.max_distance)

    def relate(self, q, k) -> dict:
        """Return what attention takes beside or instead of queries and keys."""
        if self.name == "rope":
            return {"q": self.turned(q), "k": self.turned(k)}
        if self.name == "shaw":
            rows = np.random.default_rng(self.seed).normal(size=(2 * self.clip + 1, self.d))
            return {"scores": pe.shaw_scores(q, k, rows)}
        if self.name == "transformer_xl":
            return {"scores": pe.transformer_xl_scores(q, k, *self.distances(len(q)))}
        return {"bias": self.biases[self.head]} if self.kind == "bias" else self.encoding.relate(q, k)

    @cached_property
    def scores(self):
        if self.kind == "additive":
            return pe.similarity_matrix(self.table)
        first, *second = self.relate(*self.everywhere).values()
        return first @ second[0].T if second else first

    def attend(self, x) -> tuple:
        q, k, v = projected(x + self.table if self.kind == "additive" else x)
        return pe.attention(**{"q": q, "k": k, "v": v, "causal": self.causal} | self.relate(q, k))

    @cached_property
    def frequencies(self):
        if self.name in ("sinusoidal", "rope"):
            return self.scaled[0] if self.name == "rope" else pe.inv_freq(self.d, self.base)
        if self.name != "sine":
            return self.encoding.frequencies
        dims = np.arange(self.d)
        return 0.5**dims if self.base is None else self.base ** -(dims / max(self.d - 1, 1))

    @property
    def pair_dims(self):
        return [2 * self.pair, 2 * self.pair + 1] if self.side_by_side else [self.pair, self.pair + self.d // 2]

    def step_matrix(self, offset: int):
        if self.name not in PUBLIC:
            return self.encoding.shift(offset)
        if self.get("rope_type", "default") != "default":
            return self.turned(np.eye(self.d), np.full(self.d, offset)).T
        matrix = (pe.rope_matrix if self.name == "rope" else pe.shift_matrix)(offset, self.d, self.base)
        order = pe.pairing_permutation(self.d)
        return matrix if self.side_by_side else matrix[np.ix_(order, order)]

    def row_of(self, offsets):
        """Return the row that each offset reads, and how many rows the table has."""
        if self.name == "shaw":
            return np.clip(offsets, -self.clip, self.clip) + self.clip, 2 * self.clip + 1
        kind = {"bidirectional": self.bidirectional, "max_distance": self.max_distance}
        return pe.t5_bucket(offsets, num_buckets=self.num_buckets, **kind), self.num_buckets

    # The views.

    def trajectory(self, axes="xy"):
        dims, told = [self.values[f"{axis}_dim"] for axis in axes], self.get("query", self.n - 1)
        points = self.table[:, dims]
        return [*dims, self.n, told, *points[told], np.linalg.norm(points[told] - points[0]), 0]

    def trajectory_3d(self):
        return self.trajectory("xyz")

    def cube(self):
        corners = self.table[:, [self.x_dim, self.y_dim, self.z_dim]].round(9)
        one = (np.count_nonzero(np.diff(corners, axis=0), axis=1) == 1).sum()
        return [self.n, len(np.unique(corners, axis=0)), one, self.n - 1]

    def closest_pair(self):
        apart = np.linalg.norm(self.table[:, None] - self.table, axis=2)
        apart[np.tri(self.n, dtype=bool)] = 4 * apart.max() + 1
        step = np.median(steps_of(self.table))
        return [self.n, *tied(apart), apart.min(), *[self.d] * (self.d > 2), *[step] * int(step > 0)]

    def number_line(self):
        values = self.table[:, self.dim or 0]
        gap = one_or_both(np.abs(np.diff(values)))
        return [self.n, values.min(), values.max(), *gap, self.query, values[self.query]]

    def heatmap(self):
        shown = self.table[:, : self.shown_dims]
        turns = map(sign_changes, shown[:, [0, -1]].T) if shown.min() < 0 else ()
        return [*shown.shape, shown.min(), shown.max(), *turns]

    def odometer(self):
        here = [self.query, *self.table[self.query, :8]]
        if self.query + 1 == self.n:
            return [*here, "it is the last one"]
        return [*here, (np.abs(self.table[self.query + 1] - self.table[self.query]) > 0.5).sum(), self.d]

    def waves(self):
        rows = self.table[:, : self.num_waves]
        name, counts = "Turning points", [sign_changes(wave) for wave in np.diff(rows, axis=0).T]
        if not (self.table % 1).any():
            name, counts = "Flips", (np.abs(np.diff(rows, axis=0)) > np.abs(rows).max() / 2).sum(axis=0)
        told = [part for dim, count in enumerate(counts) for part in (count, "in dim", dim)]
        return [name, *told, *(["At position", self.query, *rows[self.query]] if "query" in self.values else [])]

    def clock(self):
        lengths, called = 2 * np.pi / self.frequencies, "dim" if self.name == "sine" else "pair"
        shown = sorted({0, len(lengths) // 2, len(lengths) - 1})
        return [self.query, *(x for k in shown for x in (called, k, self.query / lengths[k], lengths[k]))]

    def wavelengths(self):
        lengths = 2 * np.pi / self.frequencies
        return [lengths.min(), lengths.max(), (lengths <= self.n).sum(), len(lengths), self.n]

    @property
    def bases(self):
        return sorted({100, 10_000, 1_000_000, self.base})

    def wavelengths_by_base(self):
        slowest = {base: 2 * np.pi / self.at(base=base).frequencies.min() for base in self.bases}
        return [*(x for base in self.bases for x in (slowest[base], base)), self.n]

    def kernel_by_base(self):
        scores = {b: self.at(base=b, content="ones").scores[0] for b in self.bases}  # of one vector with itself
        return [*(x for b, row in scores.items() for x in ([*np.flatnonzero(row < 0), "none"][0], b)), self.n - 1]

    def steps(self):
        steps = steps_of(self.table)
        if steps.max() < 1.1 * steps.min() + 1e-12:  # else the longest stands out
            return one_or_both(steps)
        (first,) = tied(-steps)
        return [steps.min(), steps.max(), steps.mean(), first, {k + 1 for k in first}]

    def against_length(self):
        last = min(256, 2**self.d if self.name == "binary" else self.get("num_positions") or 256)
        rows = [self.at(seq_len=n).table for n in (2, last)]
        return [2, last, *(np.abs(r).max() for r in rows), *(np.median(steps_of(r)) for r in rows), self.n]

    def token_cosine(self):
        last, tokens = self.n - 1, self.embed_scale * made_up(256, self.d) / math.sqrt(self.d)
        at_first, at_last = tokens + self.table[0], tokens + self.table[last]
        kept, mixed = [cosine(tokens, at) for at in (at_first, at_last)], cosine(at_last, np.roll(at_last, 1, axis=0))
        length = np.median(np.linalg.norm(self.table, axis=1))
        return [self.embed_scale, length, kept[0], 0, kept[1], last, last, mixed]

    def added(self):
        tokens = self.embed_scale * made_up(self.n, self.d) / math.sqrt(self.d)
        parts = {"words": (tokens, "Words alone"), "positions": (self.table, "Positions alone")}
        rows, title = parts.get(self.part, (tokens + self.table, "Words + positions"))
        return [title, self.n, np.median(np.linalg.norm(rows, axis=1))]

    def dot_product(self):
        row, query = self.scores[self.query], self.query
        after = [row[query + 1], query + 1] if query + 1 < self.n else []
        what = {"relative": "Scores", "bias": "Biases"}.get(self.kind, "Dot products")
        return [what, query, row[query], *after, row.min(), *tied(row)]

    def similarity(self, matrix=None):
        matrix, middle = self.scores if matrix is None else matrix, self.n // 2
        later = np.triu(np.ones(matrix.shape, bool), 1) & self.causal
        seen, told = np.where(later, np.abs(matrix).max() + 1, matrix), ["those with a later key"][: int(later.any())]
        return [*told, *matrix.shape, matrix[middle, middle], middle, seen.min(), *tied(seen)]

    def additive_scores(self):
        turned = pe.freqs_cis(self.n, self.d, inv_freq=self.frequencies)
        q, k = self.everywhere + np.stack([turned.imag, turned.real], axis=-1).reshape(self.n, self.d)
        return self.similarity(q @ k.T)

    def score_by_offset(self):
        far, size = min(5, self.n - 1), np.abs(self.scores).max()
        diagonals = {offset: np.diagonal(self.scores, offset) for offset in range(1 - self.n, self.n)}
        told = [part for offset in (0, far, -far) for part in (offset, diagonals[offset].mean())]
        same = max(map(np.ptp, diagonals.values())) < 1e-9 * size or size == 0
        return ["Score at" if same else "Mean score at", *told, "the same for every pair" if same else "a band"]

    def shift_matrix(self):
        matrix = self.step_matrix(self.offset)
        return [self.offset, np.count_nonzero(matrix), matrix.size, 0, matrix[0, 0], matrix[-1, -1]]

    def shifted(self):
        return [self.pair, self.offset, self.n, abs(np.degrees(self.offset * self.frequencies[self.pair]))]

    def vectors(self):
        places, dims = [self.query, self.query + self.offset], self.pair_dims
        q, k = (self.turned(x[None], [at])[0] for x, at in zip(self.query_and_key, places, strict=True))
        return [self.pair, *places, q @ k, q[dims] @ k[dims]]

    def basis(self):
        block = self.step_matrix(self.query)[np.ix_(self.pair_dims, self.pair_dims)]
        angle = self.query * self.frequencies[self.pair]
        return [self.pair, self.query, angle, 1, 0, *block[:, 0], 0, 1, *block[:, 1]]

    def rope_forms(self):
        return [self.query, "agree to 1e-12"]  # on what, test_views.py says

    def reordered(self) -> tuple:
        """Return the order of the words, and attention's output and weights."""
        order = list(list(itertools.permutations(range(self.n)))[self.order])
        return order, *self.attend(made_up(4, self.d)[order])

    def attention_weights(self):
        order, _, rows = self.reordered()
        looked_at = [order[k] for k in rows.argmax(axis=1)]
        told = (f"{SENTENCE[k]} looks most at {SENTENCE[at]}" for k, at in zip(order, looked_at, strict=True))
        return [f"“{' '.join(SENTENCE[k] for k in order)}”", *told]

    def outputs(self):
        order, outputs, _ = self.reordered()
        rows = [*outputs[np.argsort(order)], outputs.mean(axis=0)]
        told = zip((*SENTENCE[: self.n], "the mean"), rows, strict=True)
        return [part for name, row in told for part in (f"{name} begins", *row[:2])]

    def attention_row(self):
        query, known = self.query, min(self.n, self.get("num_positions") or self.n)
        if query >= known:
            return [query, "no row", known - 1]
        x = np.broadcast_to(made_up(known if self.values["words"] == "different" else 1, self.d), (known, self.d))
        seen = slice(query + 1 if self.causal else known)
        row = self.at(seq_len=known).attend(x)[1][query, seen]
        plain = pe.attention(*projected(x), causal=self.causal)[1][query, seen]
        end = ["no row from", known] if known < self.n else []
        return [query, 100 * row[query], *most(row), "without positions", *most(plain), *end]

    def bucket_map(self):
        rows, number = self.row_of(np.arange(self.n) - self.query)
        return [self.query, len(set(rows.tolist())), number, rows[0], 0, rows[self.query], rows[-1], self.n - 1]

    def bucket_by_offset(self):
        row, number = self.row_of(self.offset)
        offsets = np.arange(1 - self.n, self.n)
        same = offsets[self.row_of(offsets)[0] == row]
        told = ["alone"] if len(same) == 1 else [len(same), *same[[0, -1]]]
        return [self.offset, row, number, *(told if abs(self.offset) < self.n else ["no pair"])]

    def score_terms(self):
        (q, k, _), (r, u, w) = projected(made_up(self.n, self.d)), self.distances(self.n)
        place = pe.relative_offsets(self.n) + self.n - 1  # of the distance between query and key in r
        parts = {"q·k": q @ k.T, "q·r": np.take_along_axis(q @ r.T, place, 1)}
        parts |= {"u·k": np.tile(k @ u, (self.n, 1)), "v·r": (r @ w)[place]}
        part = sum(parts.values()) if self.term == "all" else parts[self.term]
        alike = {"u·k": "each of its columns has", "v·r": "each of its diagonals has"}
        name = "All" if self.term == "all" else self.term
        return [name, part.min(), part.max(), alike.get(self.term, "no rows, columns or")]

    def head_biases(self):
        far = 0 if self.query >= self.n / 2 else self.n - 1
        own = self.biases[self.head, self.query]
        return [len(self.biases), self.query, self.head, own[self.query], own[far], far]

    def attention_span(self):
        shares = pe.softmax(self.biases[:, -1])[:, ::-1]
        reach = (shares.cumsum(axis=1) < 0.9 - 1e-12).sum(axis=1) + 1
        return [self.n, 90, *reach, self.head, reach[self.head]]

    def permutation(self):
        order = pe.pairing_permutation(self.d)
        return [self.d, *(order if self.side_by_side else np.argsort(order))[:16]]  # to the pairing that it has not

    def checkpoint_port(self):
        q, k = self.turned(self.everywhere, pairing="half" if self.side_by_side else "interleaved")
        gap = 0 * self.scores if self.permuted else np.abs(q @ k.T - self.scores)
        how = "Weights permuted" if self.permuted else "Weights not permuted"
        return [how, self.query, gap[self.query].max(), self.query, gap[self.query, self.query]]

    def rope_bugs(self):
        n, bug, t = self.n, self.bug, np.arange(self.n)
        if bug == "slice":
            return [bug, 2 * n, n]
        at = {"restart": t % ((n + 1) // 2), "bfloat16": pe.bfloat16(1000 + t)}.get(bug, t)
        q, k = (self.at(base=500_000.0) if bug == "base" else self).turned(self.everywhere, at)
        gap, right = np.abs(q @ k.T - self.scores), np.abs(self.scores).max()
        return [bug, 100 * (gap > 1e-9 * right).mean(), gap.max()]

    def precision(self):
        number = "all tried" if self.position <= DENSE else (DENSE, self.position - 1)
        return [self.position, number, *worst_errors(self.d, self.base, self.position, tuple(self.scaled[0]))]


def made_up(number: int, dim: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(number, dim))


def projected(x) -> list[np.ndarray]:
    d = x.shape[1]
    return [x @ w for w in np.random.default_rng(1).normal(size=(3, d, d)) / math.sqrt(d)]


def tied(values) -> list[set[int]]:
    """Return where the lowest of some values stands, a set for each axis; rounding noise does not tell two apart."""
    lowest = values <= values.min() + 1e-9 * np.abs(values).max()
    return [set(axis.tolist()) for axis in np.nonzero(lowest)]


def one_or_both(values) -> list[float]:
    low, high = values.min(), values.max()
    return [low] if f"{low:.3g}" == f"{high:.3g}" else [low, high]


def sign_changes(row) -> int:
    signs = np.sign(row)[np.abs(row) > 1e-12]
    return int((signs[1:] != signs[:-1]).sum())


def steps_of(rows) -> np.ndarray:
    return np.linalg.norm(np.diff(rows, axis=0), axis=1)


def cosine(a, b) -> float:
    return np.mean((a * b).sum(axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1))


def most(row) -> list:
    if len(row) > 1 and row.min() > (1 - 1e-9) * row.max():
        return ["to all alike", 100 * row.max()]
    return ["most to", *tied(-row), 100 * row.max()]


@cache
def worst_errors(dim: int, base: float, last: int, theta) -> list:
    told = []
    for name in ("float16", "bfloat16", "float32", "float64, rounded once"):
        parts = np.array_split(np.arange(last + 1), last // 2**14 + 1)  # all at once would need gigabytes
        errors = np.concatenate([pe.table_error(part, dim, base, precision=name, inv_freq=theta) for part in parts])
        worst = (np.nanmax(errors[: DENSE + 1]), np.nanmax(errors)) if last > DENSE else np.nanmax(errors)
        told += [name, worst if np.isfinite(errors[-1]) else "has no such number"]
    return told


# Words against numbers.


def agrees(text: str, item) -> bool:
    """Return whether a number is what it should be, in the three digits that words have (before the point in all)."""
    told = float(text.replace("−", "-").replace(",", ""))
    if isinstance(item, set):
        return told in item
    if isinstance(item, tuple):
        return 0.995 * item[0] <= told <= 1.005 * item[1]
    if isinstance(item, int | np.integer):
        return told == item
    size = abs(item)
    last = 1 if 999.5 <= size < 1e7 else 10.0 ** (math.floor(math.log10(max(size, 1e-300))) - 2)
    return abs(told - item) <= 0.5000001 * last + 1e-11


def right(words: str, items: list) -> bool:
    """Return whether words hold these items, one after the other, and no other number."""
    between = f"(?:(?!{NUMBER}).)*"
    holds = [re.escape(item) if isinstance(item, str) else f"({NUMBER})" for item in items]
    found, numbers = re.fullmatch(between.join(["", *holds, ""]), words), [x for x in items if not isinstance(x, str)]
    return bool(found) and all(map(agrees, found.groups(), numbers))


def opening(encoding, values: dict, views) -> str:
    """Return the first sentence: all values that matter, in six digits; a choice left as it was goes without saying."""
    relevant = {name for view in views for name in view.relevant(encoding)}
    told = [(p, values[p.name]) for p in encoding.parameters if p.name in relevant and values[p.name] is not None]
    told = [(p.name, value) for p, value in told if not p.options or value != p.default]
    told = ", ".join(f"{name} {f'{value:.6g}' if isinstance(value, float) else value}" for name, value in told)
    return f"{encoding.title}: {told}." if told else f"{encoding.title}."


def expected(spec: Spec, values: dict) -> list:
    """Return what the words of a panel must hold."""
    items = []
    for encoding in spec.encodings:
        own = {*encoding.values, *(p.name for view in spec.views for p in view.parameters)}
        oracle = Oracle(encoding.name, {name: value for name, value in values.items() if name in own})
        items += [opening(encoding, values, spec.views)]
        items += [item for view in spec.views for item in getattr(oracle, view.name)()]
    return items


SPECS = [Spec.of(name, view) for name, one in ENCODINGS.items() for view in VIEWS if VIEWS[view].fits(one)]
LINES = [
    *map(str, SPECS),
    *(f"{name}: trajectory, trajectory_3d, waves, number_line" for name, one in ENCODINGS.items() if one.has("table")),
    "alibi+learned: attention_row; num_positions=40",  # past the end of a table
    "rope: precision; position=65536",  # the first power of two that float16 lacks
]
OTHERS = [spec.at(**{p.name: p.options[-1] for p in spec.parameters.values() if p.options}) for spec in SPECS]
OTHERS = [pytest.param(str(spec), marks=pytest.mark.slow) for spec in OTHERS if spec.values]


@pytest.mark.parametrize("line", [*LINES, *OTHERS])
def test_words_are_true(line):
    """Move the values of a panel in turn, the others where they begin."""
    (spec,) = read(line)
    begin = spec.clamp(spec.all_values)
    panel, limits = Panel(spec.draw(), spec.encodings_at(begin), begin), spec.limits(begin)
    moved = [{}]
    for name, parameter in spec.parameters.items():
        low = -40 if name == "offset" else parameter.low
        high = max(min(parameter.high, limits.get(name, math.inf)), low)
        moved += [{name: value} for value in parameter.frame_values(low, high, 3)]
    for values in (spec.clamp(begin | one) for one in moved):
        panel.update(spec.encodings_at(values), values)
        words, items = panel.describe(), expected(spec, values)
        assert right(words, items), f"{words}\n{items}"
