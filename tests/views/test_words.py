"""Every number in a panel's words, computed once more by the public functions and NumPy.

What a model would learn is drawn at random in the library. Its seeds are part of what the words mean, so they are
written down here once more. Nothing else is shared with the views: neither their data nor the steps that make it.
"""

import itertools
import json
import math
import re
from functools import cache, cached_property

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.catalog import ELSEWHERE, ENCODINGS, KNOWN
from posenc_lib.encodings.exact_plane import exact_head_2d
from posenc_lib.encodings.precision import PRECISIONS
from posenc_lib.spec import Spec, read
from posenc_lib.views import VIEWS, Panel

from ..conftest import ROOT

NUMBER = r"(?<![\w.])[−-]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[−+-]?\d+)?"
SENTENCE = ("dog", "bites", "man")
PUBLIC = ("no_position", "integer", "normalized", "binary", "sine", "sinusoidal", "rope")  # tables by a function
DENSE = 1024  # up to here the words speak of every position, beyond it of those tried
BASES = np.rint([*np.geomspace(1e3, 1e5, 601), *np.geomspace(1e5, 1e7, 201)[1:]])  # that are tried


TRAINED = json.loads((ROOT / "posenc_lib/training/table.json").read_text(encoding="utf-8"))["runs"]
TRAINED = [run for run in TRAINED if (run["steps"], run["then"]) == (1000, "")]
TESTED = ("32", "64", "128", "256")


class Oracle:
    """What the words of each view must hold, in their order: a method for each view.

    Whole numbers must be met exactly, others in three digits or, if a pair, anywhere between; a set holds all that are
    equally right; text must stand there before the next number.
    """

    def __init__(self, name: str, values: dict):
        vars(self).update({"head": 0} | values)
        self.name, self.values, self.get = name, values, values.get
        self.encoding = KNOWN[name].among(values)
        self.kind = self.encoding.kind
        self.n, self.d = values["seq_len"], values.get("d_model", values.get("head_dim", 64))
        self.side_by_side = "interleaved" in (self.get("pairing"), self.get("layout"))
        seed = 44 if self.get("draw") is None or name == "rope_2d" else self.draw  # that draws directions
        drawn, same = np.random.default_rng(seed).normal(size=(2, self.d)), np.ones((2, self.d))
        self.query_and_key = {"random": drawn, "ones": same}.get(self.get("content"), 0 * same)  # a bias has none
        self.everywhere = np.repeat(self.query_and_key[:, None], self.n, axis=1)

    def at(self, **changed) -> "Oracle":
        return Oracle(self.name, self.values | changed)

    # The encodings, by their public functions; one that is not named here, by its own methods.

    @property
    def scaled(self) -> tuple:
        """Return RoPE's frequencies and what queries and keys are multiplied by."""
        asked = {"rope_type": self.rope_type, "rope_theta": self.base, "factor": self.factor or 4}
        trained = {"low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": self.trained_on}
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
        if self.name == "kerple":
            return pe.kerple([self.a], [self.p], self.n, kind=self.curve)
        if self.name == "sandwich":
            return pe.sandwich(self.num_heads, self.n, self.code_dim)
        if self.name == "fire":
            rng = np.random.default_rng(self.seed)
            w, b, v, a = (rng.normal(size=shape) for shape in ((32, 1), 32, (8, 32), 8))
            return pe.fire(self.n, [w, b, v / math.sqrt(32), a], c=self.c, threshold=self.threshold)
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
            rows = np.random.default_rng([1, self.seed]).normal(size=(2 * self.clip + 1, self.d))
            table = np.concatenate([rows[1::2][::-1], rows[:1], rows[2::2]])
            return {"scores": pe.shaw_scores(q, k, table)}
        if self.name == "transformer_xl":
            return {"scores": pe.transformer_xl_scores(q, k, *self.distances(len(q)))}
        if self.name == "xpos":
            return dict(zip("qk", pe.xpos(q, k, scale_base=self.scale_base, base=self.base), strict=True))
        if self.name == "cope":
            pos_emb = np.random.default_rng([2, self.seed]).normal(size=(self.npos, self.d)).T
            at_0 = q @ k.T + (q @ pos_emb)[:, :1]  # where nothing is counted
            return {"scores": np.where(np.tri(len(q)), pe.cope(q, k, pos_emb), at_0)}
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
    def theta(self):
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

    @property
    def drawn_dims(self) -> list:
        """Return the dims along x and y."""
        apart = self.get("layout") == "concatenated" or self.get("pairing") == "half"
        pair = self.pair_dims if apart else [min(2 * self.pair + k, self.d - 1) for k in (0, 1)]
        asked = [self.get("x_dim"), self.get("y_dim")]
        return [dim if own is None else own for dim, own in zip(pair, asked, strict=True)]

    def trajectory(self, *more):
        dims, told = [*self.drawn_dims, *more], self.get("query", self.n - 1)
        points = self.table[:, dims]
        return [*dims, self.n, told, *points[told], np.linalg.norm(points[told] - points[0]), 0]

    def trajectory_3d(self):
        return [*self.trajectory(self.z_dim), "Seen from", self.azimuth]

    def cube(self):
        corners = self.table[:, [*self.drawn_dims, self.z_dim]].round(9)
        dims_moved = np.count_nonzero(np.diff(corners, axis=0), axis=1).tolist()
        return [self.n, len(np.unique(corners, axis=0)), *map(dims_moved.count, (1, 2, 3))]

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
        turns = ["once" if count == 1 else count for count in turns]
        return [*shown.shape, shown.min(), shown.max(), *turns]

    def odometer(self):
        here, flips = [self.query, *self.table[self.query, :8]], np.abs(np.diff(self.table, axis=0)) > 0.5
        so_far = flips[: self.query, :8].sum(axis=0)
        if self.query + 1 == self.n:
            return [*here, "it is the last one", *so_far]
        return [*here, flips[self.query].sum(), self.d, *so_far]

    def waves(self):
        rows = self.table[:, : self.num_waves]
        name, counts = "Turning points", [sign_changes(wave) for wave in np.diff(rows, axis=0).T]
        if not (self.table % 1).any():
            name, counts = "Flips", (np.abs(np.diff(rows, axis=0)) > np.abs(rows).max() / 2).sum(axis=0)
        told = [part for dim, count in enumerate(counts) for part in (count, "in dim", dim)]
        return [name, *told, *(["At position", self.query, *rows[self.query]] if "query" in self.values else [])]

    def clock(self):
        lengths, called = 2 * np.pi / self.theta, "dim" if self.name == "sine" else "pair"
        shown = sorted({0, len(lengths) // 2, len(lengths) - 1})
        turns = {k: self.query / lengths[k] for k in shown}
        return [
            self.query,
            *(x for k in shown for x in (called, k, turns[k], math.sin(math.tau * turns[k]))),
        ]

    def wavelengths(self):
        turning = self.theta[self.theta > 0]
        lengths, still = 2 * np.pi / turning, len(self.theta) - len(turning)
        told = [lengths.min(), lengths.max(), (lengths <= self.n).sum(), len(self.theta), self.n]
        return [*told, *([still] if still else [])]

    @property
    def bases(self):
        return sorted({100, 10_000, 1_000_000, self.base})

    def wavelengths_by_base(self):
        slowest = {base: 2 * np.pi / self.at(base=base).theta.min() for base in self.bases}
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

    def token_cosine(self):
        last, tokens = self.n - 1, self.embed_scale * made_up(256, self.d) / math.sqrt(self.d)
        at_first, at_last = tokens + self.table[0], tokens + self.table[last]
        kept, mixed = [cosine(tokens, at) for at in (at_first, at_last)], cosine(at_last, np.roll(at_last, 1, axis=0))
        length = np.median(np.linalg.norm(self.table, axis=1))
        return [self.embed_scale, length, kept[0], 0, kept[1], last, last, mixed]

    def nearest_token(self):
        words, x = "cat sings dog bites man red apple sleeps the moon".split(), made_up(10, self.d)
        sums = x + self.table[self.query]
        near = [max(range(10), key=lambda k, at=at: cosine(at[None], x[[k]])) for at in sums]
        taken = [f"{words[k]} for {words[at]}" for k, at in enumerate(near) if k != at]
        return [self.query, self.n, 10 - len(taken), 10, cosine(sums, x), *taken]

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
        return [*told, *matrix.shape, matrix[middle, middle], middle, middle, seen.min(), *tied(seen)]

    def additive_scores(self):
        turned = pe.freqs_cis(self.n, self.d, inv_freq=self.theta)
        q, k = self.everywhere + np.stack([turned.imag, turned.real], axis=-1).reshape(self.n, self.d)
        offset = min(5, self.n - 1) * (-1 if self.causal else 1)
        along = np.diagonal(q @ k.T, offset)
        return [*self.similarity(q @ k.T), offset, along.min(), along.max()]

    def token_scores(self):
        token = np.random.default_rng(0).normal(size=(1, self.d))
        x = np.repeat(self.word_norm * token / np.linalg.norm(token), self.n, axis=0)
        q = k = x + self.table if self.kind == "additive" else x
        if self.matrices:
            q, k, _ = projected(q)
        parts = {} if self.kind == "additive" else self.relate(q, k)
        scores = parts.get("scores", parts.get("q", q) @ parts.get("k", k).T + parts.get("bias", 0))
        along = np.diagonal(scores, min(5, self.n - 1))
        same = np.ptp(along) <= 1e-9 * max(np.abs(scores).max(), 1e-300)
        told = ["all", along.mean()] if same else ["from", along.min(), along.max()]
        return [*self.at(causal=False).similarity(scores), "At offset", min(5, self.n - 1), *told]

    def score_by_offset(self, scores=None):
        aim = self.aim if scores is None else None
        scores = self.scores if scores is None else scores
        far, size = min(3, self.n - 1), np.abs(scores).max()
        diagonals = {offset: np.diagonal(scores, offset) for offset in range(1 - self.n, self.n)}
        told = ["at", *(part for offset in (0, far, -far) for part in (offset, diagonals[offset].mean()))]
        if aim is not None and abs(aim) < self.n:
            best = max(diagonals, key=lambda offset: diagonals[offset].mean())
            told = ["highest at", *(part for offset in (best, aim) for part in (offset, diagonals[offset].mean()))]
        same = max(map(np.ptp, diagonals.values())) < 1e-9 * size or size == 0
        return ["Score" if same else "Mean score", *told, "the same wherever" if same else "a band"]

    def shift_matrix(self):
        matrix = self.step_matrix(self.offset)
        return [self.offset, np.count_nonzero(matrix), matrix.size, 0, matrix[0, 0], matrix[-1, -1]]

    def shifted(self):
        return [self.pair, self.offset, self.n, np.degrees(self.offset * self.theta[self.pair])]

    def vectors(self):
        places, dims = [self.query, self.query + self.offset], self.pair_dims
        q, k = (self.turned(x[None], [at])[0] for x, at in zip(self.query_and_key, places, strict=True))
        part, size = q[dims] @ k[dims], np.linalg.norm(q[dims]) * np.linalg.norm(k[dims])
        return [
            self.pair,
            *places,
            np.degrees(np.arccos(np.clip(part / size, -1, 1))),
            part,
            *[q @ k, self.d // 2] * (self.d > 2),
        ]

    def pair_scores(self):
        parts = np.array([self.at(pair=pair).vectors()[4] for pair in range(self.d // 2)])
        q, k = self.query_and_key[:, self.pair_dims]
        most = self.scaled[1] ** 2 * np.linalg.norm(q) * np.linalg.norm(k)
        low, high = parts.argmin(), parts.argmax()
        return [self.d // 2, parts[low], low, parts[high], high, self.pair, most]

    def pair_turns(self):
        turned = np.degrees(self.query * self.theta[:9])
        return [self.query, *(part for pair, angle in enumerate(turned) for part in (pair, angle))]

    def table_rows(self):
        return [self.n, self.table.shape[1], self.table.min(), self.table.max()]

    def score_ceiling(self):
        dims = [self.at(pair=pair).pair_dims for pair in range(self.d // 2)]
        q, k = (x[dims] @ [1, 1j] for x in self.query_and_key)
        each, at = self.scaled[1] ** 2 * q.conj() * k, np.unique(np.geomspace(1, 20_000, 800).round())
        jumps = max(abs(a - b) for a, b in zip(each, [*each[1:], 0], strict=True))
        sums, scores, running = np.zeros(len(at)), np.zeros(len(at)), np.zeros(len(at), complex)
        for theta, one in zip(self.theta, each, strict=True):
            running = running + np.exp(1j * at * theta)
            sums, scores = sums + abs(running), scores + (one * np.exp(1j * at * theta)).real
        proven = jumps * sums
        told = [1, 20_000, abs(scores).max(), abs(each).sum(), proven[0], 1]
        return [*told, proven.min(), at[proven.argmin()]]

    def score_decay(self):
        q, other = np.random.default_rng(0).normal(size=(2, 2000, self.d))
        k = self.correlation * q + np.sqrt(1 - self.correlation**2) * other
        at, plain = [min(1, self.n - 1), min(50, self.n - 1)], {"pairing": "interleaved"}
        near, far = ((q * self.turned(k[:, None], [offset], **plain)[:, 0]).sum(axis=1) for offset in at)
        factor = self.scaled[1]  # the queries have it, too
        told = [2000, self.correlation, factor * near.mean(), at[0], factor * far.mean(), at[1], at[1], at[0]]
        return [*told, round(100 * (far > near).mean())]

    def basis(self):
        block = self.step_matrix(self.query)[np.ix_(self.pair_dims, self.pair_dims)]
        angle = self.query * self.theta[self.pair]
        return [self.pair, self.query, angle, 1, 0, *block[:, 0], 0, 1, *block[:, 1]]

    def reordered(self, number: int) -> tuple:
        """Return an order of the words, and attention's output and weights as they are there."""
        order = [k for k in list(itertools.permutations(range(3)))[number] if k < self.n]
        return order, *self.attend(np.random.default_rng(614).normal(size=(3, self.d))[order])

    def attention_weights(self):
        (order, _, rows), (_, _, before) = self.reordered(self.order), self.reordered(0)
        looked_at = [order[k] for k in rows.argmax(axis=1)]
        told = (f"{SENTENCE[k]} looks most at {SENTENCE[at]}" for k, at in zip(order, looked_at, strict=True))
        before = before[np.ix_(order, order)]
        new = (np.abs(rows - before) > 1e-9).sum()
        return [f"“{' '.join(SENTENCE[k] for k in order)}”", *told, int(new), self.n**2]

    def outputs(self):
        (order, outputs, _), (_, before, _) = self.reordered(self.order), self.reordered(0)
        rows, first = ([*x, np.mean(x, axis=0)] for x in (outputs[np.argsort(order)], before))
        told = [(f"{name} begins", *row[:2]) for name, row in zip((*SENTENCE[: self.n], "the mean"), rows, strict=True)]
        new = (np.abs(np.subtract(rows, first)) > 1e-9).sum()
        return [*(part for each in told for part in each), int(new), (self.n + 1) * self.d]

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

    def logits(self, x):
        q, k, _ = projected(x + self.table if self.kind == "additive" else x)
        given = {"q": q, "k": k} | self.relate(q, k)
        return given.get("scores", given["q"] @ given["k"].T) / math.sqrt(self.d) + given.get("bias", 0)

    def position_effect(self):
        query, known = self.query, min(self.n, self.get("num_positions") or self.n)
        if query >= known:
            return [query, "no row", known - 1]
        x = np.broadcast_to(made_up(1, self.d), (known, self.d))
        q, k, _ = projected(x)
        row, near = self.at(seq_len=known).logits(x)[query] - q[0] @ k[0] / math.sqrt(self.d), max(query - 1, 0)
        end = ["no row from", known] if known < self.n and not self.causal else []
        return [query, row[query], row[near], near - query, row[0], -query, *end]

    def bucket_map(self):
        rows, number = self.row_of(np.arange(self.n) - self.query)
        return [self.query, len(set(rows.tolist())), number, rows[0], 0, rows[self.query], rows[-1], self.n - 1]

    def bucket_by_offset(self):
        row, number = self.row_of(self.offset)
        offsets = np.arange(1 - self.n, self.n)
        same = offsets[self.row_of(offsets)[0] == row]
        told = ["alone"] if len(same) == 1 else [len(same), *same[[0, -1]]]
        return [self.offset, row, number, *(told if abs(self.offset) < self.n else ["no pair"])]

    def parts(self):
        (q, k, _), (r, u, w) = projected(made_up(self.n, self.d)), self.distances(self.n)
        place = pe.relative_offsets(self.n) + self.n - 1  # of the distance between query and key in r
        parts = {"q·k": q @ k.T, "q·r": np.take_along_axis(q @ r.T, place, 1)}
        parts |= {"u·k": np.tile(k @ u, (self.n, 1)), "v·r": (r @ w)[place]}
        return sum(parts.values()) if self.term == "all" else parts[self.term]

    def score_terms(self):
        part = self.parts()
        alike = {"u·k": "each of its columns has", "v·r": "each of its diagonals has"}
        name = "All" if self.term == "all" else self.term
        return [name, part.min(), part.max(), alike.get(self.term, "no rows, columns or")]

    def term_by_offset(self):
        return self.score_by_offset(self.parts())

    def bias_added(self):
        q, k, _ = projected(made_up(self.n, self.d))
        score, bias = q[self.query] @ k[0] / math.sqrt(self.d), self.biases[self.head, self.query, 0]
        return [self.head, self.query, 0, score, bias, score + bias]

    def bias_port(self):
        q, k, _ = projected(made_up(self.n, self.d))
        scores, bias = k[: self.query + 1] @ q[self.query], self.biases[:, self.query, : self.query + 1]
        right = pe.softmax(scores / math.sqrt(self.d) + bias[self.head])
        port = pe.softmax((scores + bias[0]) / math.sqrt(self.d))
        return [self.query, 100 * right[-1], self.head, 100 * port[-1], 0, 100 * np.abs(right - port).max()]

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
        if self.permuted:
            return ["Weights permuted", self.query]
        gap = np.abs(q @ k.T - self.scores)
        return ["Weights not permuted", self.query, gap[self.query].max(), self.query, gap[self.query, self.query]]

    def rope_bugs(self):
        n, bug, t = self.n, self.bug, np.arange(self.n)
        if bug == "none":
            return ["No bug", n, n]
        if bug == "slice":
            return [bug, 2 * n, n]
        at = {"restart": t % ((n + 1) // 2), "bfloat16": pe.bfloat16(1000 + t)}.get(bug, t)
        q, k = (self.at(base=500_000.0) if bug == "base" else self).turned(self.everywhere, at)
        gap, right = np.abs(q @ k.T - self.scores), np.abs(self.scores).max()
        return [bug, 100 * (gap > 1e-9 * right).mean(), gap.max()]

    @property
    def trained_on(self) -> int:
        return self.get("trained") or 64

    def frequencies_at(self, length: int):
        return self.at(seq_len=length).scaled[0]

    def frequencies(self):
        longest = self.times * self.trained_on
        stretch = np.round(pe.inv_freq(self.d, self.base) / self.frequencies_at(longest), 9)
        told, kept = [self.trained_on, longest], (stretch == 1).sum()
        most = ((stretch == stretch.max()) & (stretch > 1)).sum()
        slower = ["the most", most, len(stretch) - kept - most]
        return [*told, kept, len(stretch), *([stretch.max(), *slower] if most else [])]

    def cliff(self):
        now, before = (self.frequencies_at(self.trained_on + more) for more in (self.past, 0))
        ratios = np.round(np.maximum(now / before, before / now), 9)
        told = [self.trained_on + self.past, self.trained_on]
        if ratios.max() == 1:
            return [*told, "the same frequencies", self.d // 2]
        much = ratios.max() if ratios.max() >= 2 else 100 * (ratios.max() - 1)
        return [*told, (ratios > 1).sum(), self.d // 2, much, *tied(-ratios)]

    def yarn_ramps(self):
        factor, theta = self.factor or 4, pe.inv_freq(self.d, self.base)
        share = np.clip((self.trained_on / pe.wavelengths(self.d, self.base) - 1) / 31, 0, 1)
        asked = {"rope_type": "yarn", "rope_theta": self.base, "factor": factor}
        code, _ = pe.rope_scaling(asked, self.d, max_position_embeddings=self.trained_on)
        ratio = ((1 - share) * theta / factor + share * theta) / code
        ratio = np.round(np.maximum(ratio, 1 / ratio), 9)
        if ratio.max() == 1:
            return [factor, self.trained_on, self.d // 2, "alike"]
        return [factor, self.trained_on, ratio.max(), *tied(-ratio), (ratio > 1.1).sum(), self.d // 2, 10]

    def passing_bases(self):
        first, most = pe.first_negative(self.d, self.base, most=2**15), self.trained_on
        fails = failing(self.d, most)
        when = ["above zero up to", 2**15] if first is None else ["below zero", first]
        fate = "it fails" if first is not None and first <= most else "it passes"
        told = [round(self.base) if self.base % 1 == 0 else self.base, *when, most, fate]
        if fails.all() or not fails.any():
            return [*told, "None" if fails.all() else "All", len(BASES)]
        return [*told, len(BASES), int(BASES[~fails].min()), int(BASES[fails].max())]

    def precision(self):
        number = "all tried" if self.position <= DENSE else (DENSE, self.position - 1)
        return [self.position, number, *worst_errors(self.d, self.base, self.position, tuple(self.scaled[0]))]

    # Texts longer than those of the training.

    @property
    def grown(self) -> tuple:
        """Return the training length, that of the text, and θ as trained and there."""
        trained = self.trained_on
        asked = {"rope_type": self.rope_type, "rope_theta": self.base, "factor": self.factor or 4}
        asked |= {"low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": trained}
        theta = pe.rope_scaling(asked, self.d, seq_len=self.times * trained)[0]
        return trained, self.times * trained, pe.inv_freq(self.d, self.base), theta

    def angles_seen(self):
        trained, length, theta, now = self.grown
        full = trained * theta >= 2 * np.pi
        new = ~full & (length * now > (trained + 1) * theta)
        every = math.ceil(len(theta) / 64)
        seldom = ["One pair in", every] if every > 1 else []
        return [trained, full.sum(), len(theta), (~full).sum(), length, new.sum(), *seldom]

    def lookback(self):
        trained, length, theta, now = self.grown
        tried = [k for k in (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128) if k < trained]
        back = min(self.look_back, trained - 1)
        before, after = (
            {k: mass(self.d, self.base, trained, k, length, tuple(t)) for k in {*tried, back}} for t in (theta, now)
        )
        held = list(itertools.takewhile(lambda k: after[k] >= 0.5, sorted(after)))
        same = self.rope_type == "default" or before == after
        untouched = [] if same else [*small(before[back]), "untouched"]
        reach = held[-1:] or [0, "less than half"]
        return [trained, back, *small(after[back]), length, *untouched, *reach]

    def anywhere(self):
        trained, length, theta, now = self.grown
        head = fitted(self.d, self.base, trained, "anywhere")
        scores = [head.score(length, inv_freq=t) for t in (now, theta)]
        told = [float(one.min()) for one in scores]
        return [trained, 1, told[0], length, *([] if (scores[0] == scores[1]).all() else ["untouched", told[1]])]

    def offsets_used(self):
        group, window, trained = self.group_size, self.window, self.trained_on
        most = pe.self_extend_offsets(self.n, group, window).max()
        first = [t if t < window else t // group + window - window // group for t in range(trained * group + window)]
        reach = sum(offset < trained for offset in first)
        far = np.diff(np.where(np.tri(self.n), pe.self_extend_offsets(self.n, group, window), np.nan), axis=1)
        seam = "there is a seam" if (far < -1).any() else "No offset is skipped"
        return [self.n, int(most), trained, trained - 1, group, window, reach, seam]

    def dilution(self):
        head = pe.exact_head(self.encoding, look_back=self.look_back, seq_len=self.n, ridge=0.01)
        here = head.attention(self.n)[::-1][self.look_back]
        length = self.times * self.n
        scores, by = head.score(length), math.log(length) / math.log(self.n)
        there, sharp = (pe.softmax(scores * each)[self.look_back] for each in (1, by))
        more = [] if self.sharpen == "1" or self.times == 1 else [by, *small(sharp)]
        return [self.n, self.look_back, *small(here), length, *small(there), *more]

    def best_head(self):
        known = {key: value for key, value in self.values.items() if key in self.encoding.defaults}
        plain = known | {"rope_type": "default", "trained": None} if self.name == "rope" else known
        one = KNOWN[self.name].at(**plain | {"seq_len": self.n})
        head, told = pe.exact_head(one, look_back=self.look_back, seq_len=self.n), []
        end = 2**self.d if self.name == "binary" else 10**6
        for length in (n for n in (self.n, 2 * self.n, 4 * self.n, 8 * self.n) if n <= end):
            theta = Oracle("rope", known | {"seq_len": length}).scaled[0] if self.name == "rope" else None
            told += [*small(head.mass(length, inv_freq=theta)), length]
        return [self.look_back, self.n, *told, *(["no position beyond", end] if len(told) < 8 else [])]

    def trained_models(self, rope_type=""):
        runs = [run for run in TRAINED if (run["encoding"], run["task"]) == (self.name, self.task)]
        right = {n: [{**run["accuracy"][""], **run["accuracy"][rope_type]}[n] for run in runs] for n in TESTED}
        there = {n: each for n, each in right.items() if None not in each}
        told = [item for n, each in there.items() for item in (sum(each) / len(runs), min(each), max(each), int(n))]
        scaled = [f"tested with {rope_type}"] if rope_type else []
        return [len(runs), 1000, 32, *scaled, *told, *([] if len(there) == 4 else ["beyond", 32])]

    def scaled_at_test(self):
        return self.trained_models(self.at_test)

    def leaking_count(self):
        count = [t for t in range(1, self.n + 1) if t % self.every == 0]
        of_those, of_others = len(count) * (1 - self.leak), (self.n - len(count)) * self.leak
        total, rest = of_those + of_others, self.n - len(count)
        end = ["positions end", self.npos - 1] if total > self.npos - 1 else []
        return [self.n, total, of_those, len(count), of_others, rest, *end]

    # Pictures.

    @property
    def looking(self) -> np.ndarray:
        """Return the radians that each pair turns per step down and to the right, a row for each pair."""
        half = self.d // 2
        theta = self.base ** (-4 * np.arange(half // 2) / self.d)
        if self.pairs == "alternate":
            theta = self.base ** (-2 * np.arange(half) / self.d)
            found = [(t, 0) for t in theta[::2]] + [(0, t) for t in theta[1::2]]
        elif self.pairs == "axial":
            found = [(t, 0) for t in theta] + [(0, t) for t in theta]
        elif self.pairs == "four ways":
            ways = (1, 0), (0, 1), (0.5**0.5, -(0.5**0.5)), (0.5**0.5, 0.5**0.5)
            found = [(t * y, t * x) for y, x in ways for t in self.base ** (-8 * np.arange(half // 4) / self.d)]
        else:
            angles = np.random.default_rng(self.draw).uniform(0, 2 * np.pi, half)
            found = [(t * np.sin(a), t * np.cos(a)) for t, a in zip([*theta, *theta], angles, strict=True)]
        by = np.deg2rad(self.tilt)  # clockwise: what looked to the right looks down at 90°
        return np.array([(np.cos(by) * y + np.sin(by) * x, np.cos(by) * x - np.sin(by) * y) for y, x in found])

    def of_patches(self) -> tuple:
        """Return the queries and keys of a picture's patches, normalised."""
        y, x = np.divmod(np.arange(self.n), self.columns)
        if self.name == "rope_2d":
            turn = np.exp(1j * (np.outer(y, self.looking[:, 0]) + np.outer(x, self.looking[:, 1])))
            rows = [(one[::2] + 1j * one[1::2]) * turn for one in self.query_and_key]
            rows = [np.concatenate([one.real, one.imag], axis=1) for one in rows]
        elif self.reading == "line":
            rows = [pe.sinusoidal(self.n, self.d, base=self.base)] * 2
        else:
            rows = [np.hstack([pe.sinusoidal(at, self.d // 2, base=self.base) for at in (y, x)])] * 2
        return tuple(one / np.linalg.norm(one, axis=1, keepdims=True) for one in rows)

    def patches(self):
        q, k = self.of_patches()
        at = min(self.row * min(self.columns, self.n) + self.column, self.n - 1)
        y, x = np.divmod(np.arange(self.n), self.columns)
        told = [int(y[at]), int(x[at])]
        for where, there in (
            ("to the right", (y == y[at]) & (x == x[at] + 1)),
            ("below", (y == y[at] + 1) & (x == x[at])),
        ):
            told += [q[at] @ k[there][0], where] if there.any() else []
        ends = [e for e in range(self.n - 1) if x[e] > x[e + 1]]  # patches after which a row begins
        if ends and self.columns > 1:
            end = next((e for e in ends if e >= at), ends[-1])
            told += [q[end] @ k[end + 1], "next row"]
        ring = np.rint(np.hypot(y - y[at], x - x[at])) == self.distance
        if self.distance:
            told += [self.distance, *one_or_both((k @ q[at])[ring])] if ring.any() else ["no patch", self.distance]
        return told

    def directions(self):
        down, right = np.abs(self.looking).T
        row, column = (int((np.degrees(np.arctan2(*axes)) < 0.5).sum()) for axes in ((down, right), (right, down)))
        turns = 2 * np.pi / np.hypot(down, right)
        return [self.d // 2, row, column, self.d // 2 - row - column, *one_or_both(turns)]

    @property
    def meant(self) -> np.ndarray:
        """Return which patches of the window the wish means."""
        y, x = np.mgrid[-6:7, -6:7]
        lines = {"its row": y == 0, "its column": x == 0, "diagonal": y == x, "anti-diagonal": y == -x}
        lines |= {"cross": x * y == 0, "turned cross": x * x == y * y, "one patch": (y == 1) & (x == 2)}
        return lines.get(self.wish, np.abs(np.hypot(x, y) - 3) <= 0.5)

    def wished(self):
        return [self.wish, 1 / self.meant.sum(), int(self.meant.sum()), 169]

    def window_head(self):
        mass = exact_head_2d(self.looking.T, self.meant).mass
        alike = "diagonal" in self.wish and self.pairs in ("axial", "alternate") and self.tilt % 90 == 0
        return [self.wish, mass, self.meant.mean(), *(["it looks everywhere alike"] if alike else [])]

    # Positions on several axes, and in space.

    def axis_positions(self):
        sides = [self.frames, self.tall, self.wide]
        patches, largest = math.prod(sides), max(sides)
        used, tokens = self.before + largest + self.after, self.before + patches + self.after
        size = sides if self.frames > 1 else sides[1:]
        told = [*([self.before, "word"] if self.before else []), *(size if patches > 1 else [1]), "patch"]
        told += [self.after, "word"] if self.after else []
        kind = "film" if self.frames > 1 else "picture"
        return [used, tokens, *told, *([f"the word after the {kind}", self.before + largest] if self.after else [])]

    def axis_of_pair(self):
        sections, base = {"Qwen2-VL": ([16, 24, 24], 1e6), "Qwen3-VL": ([24, 20, 20], 5e6)}[self.model]
        chunked = self.model == "Qwen2-VL"
        axes = pe.axis_of_pair(sections, interleaved=not chunked)
        how = "in chunks" if len(list(itertools.groupby(axes))) == 3 else "taking turns"
        moved = []
        for axis in range(3):
            positions = np.zeros((3, 2))
            positions[axis, 1] = 1
            x = pe.rope_nd(np.ones((2, 128)), positions, sections=sections, base=base, interleaved=not chunked)
            moved += [np.linalg.norm(x[1] - x[0]) / math.sqrt(2)]
        return [64, *sections, how, *moved]

    def signal_fit(self):
        x, true, fitted = self.encoding.signal
        there = np.searchsorted(x, self.encoding.known[0] - 1e-9)
        off = [float(np.sqrt(np.mean((fitted - true)[part] ** 2))) for part in (there, slice(None))]
        verdict = "it blurs" if off[0] > 0.1 else "by heart" if off[1] > 0.1 else "it has found the curve"
        return [self.points, *off, verdict]


@cache
def failing(dim: int, most: int) -> np.ndarray:
    """Return which of the bases tried have a dot product below zero up to an offset."""
    return np.array([pe.first_negative(dim, base, most=most) is not None for base in BASES])


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
    for name in PRECISIONS:
        parts = np.array_split(np.arange(last + 1), last // 2**14 + 1)  # all at once would need gigabytes
        errors = np.concatenate([pe.table_error(part, dim, base, precision=name, inv_freq=theta) for part in parts])
        worst = (np.nanmax(errors[: DENSE + 1]), np.nanmax(errors)) if last > DENSE else np.nanmax(errors)
        told += [name, worst if np.isfinite(errors[-1]) else "has no such number"]
    return told


@cache
def fitted(dim: int, base: float, trained: int, aim):
    return pe.exact_head("rope", look_back=aim, seq_len=trained, head_dim=dim, base=base)


@cache
def mass(dim: int, base: float, trained: int, back: int, length: int, theta: tuple) -> float:
    scores = fitted(dim, base, trained, back).score(length, inv_freq=theta)
    return float(pe.softmax(scores)[back])


def small(share: float) -> list:
    return [share] if share >= 0.001 else ["under", 0.001]


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
    stretched = "rope_type" in relevant and values["rope_type"] != "default"
    trained = (values.get("trained") or 64) if stretched else None
    values = values | {"factor": (values.get("factor") or 4) if stretched else None, "trained": None}
    told = [(p, values[p.name]) for p in encoding.parameters if p.name in relevant and values[p.name] is not None]
    told = [(p.name, value) for p, value in told if not p.options or value != p.default]
    told = ", ".join(f"{name} {f'{value:.6g}' if isinstance(value, float) else value}" for name, value in told)
    told += f", as if trained on {trained} positions" if stretched else ""
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


FEEDING = {view: [name for name, one in ENCODINGS.items() if VIEWS[view].fits(one)] for view in VIEWS}
OF_PICTURES = [view for view in VIEWS if not FEEDING[view]]
FEEDING |= {view: [name for name, one in ELSEWHERE.items() if VIEWS[view].fits(one)] for view in OF_PICTURES}
SPECS = [Spec.of(name, view) for name in ENCODINGS | ELSEWHERE for view in VIEWS if name in FEEDING[view]]
FIRST = {spec.views[0].name: spec for spec in reversed(SPECS)}.values()  # each view once
HEAVY = ("precision", "passing_bases", "lookback", "best_head")
QUICK = [spec for spec in FIRST if spec.views[0].name not in HEAVY][::2]
REST = [spec for spec in SPECS if spec not in QUICK]
OFTEN = [spec for spec in REST if spec in FIRST] + [spec for spec in REST if spec not in FIRST][::6]
OTHERS = [spec.at(**{p.name: p.options[-1] for p in spec.parameters.values() if p.options}) for spec in SPECS]
LINES = [
    *map(str, QUICK),
    *(f"{name}: trajectory, trajectory_3d, waves, number_line" for name in ("binary", "learned", "rope")),
    "alibi+learned: attention_row; num_positions=40",  # past the end of a table
    "rope: score_by_offset; content=random, aim=-1",
]
SLOW = [
    *map(str, OFTEN),
    *(str(spec) for spec in OTHERS[::8] if spec.values),
    "rope: precision; position=65536",  # the first power that float16 lacks
]


@pytest.mark.parametrize("line", [*LINES, *(pytest.param(line, marks=pytest.mark.slow) for line in SLOW)])
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
