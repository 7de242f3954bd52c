"""What attention sees: one query against all keys, and what the offset alone decides."""

import math

import numpy as np

from posenc_lib.encodings.frequencies import freqs_cis
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.old_points import ring
from posenc_lib.views.style import number
from posenc_lib.views.view import OFFSET, PAIR, PAST, QUERY, CurveView, over

CORRELATION = Parameter(
    "correlation", "how alike query and key are, before they are turned", 0.0, 0.0, 1.0, scale="real", most=1
)
AIM = Parameter(
    "aim", "the offset that should score highest: a line there, a ring at the top", None, -64, 64, start=-1, least=-4095
)
DRAWS, FAR = 2000, 50  # queries and keys that are drawn; how far away the key is that is compared with the next one


class DotProductCurve(CurveView):
    """Draw the scores of one query; data: scores (seq_len,), query, what they are, low (at least shown)."""

    needs, ignores = ("dot_product",), ("layout",)
    pointer = ("key", None)
    x_label = "position of the key"
    y_ticks = 4
    zero_line = True
    query_line = "x"
    parameters = (QUERY,)

    def inputs(self, encoding, values):
        query = values["query"]
        told = {"query": query, "what": encoding.scores_are, "low": values.get("low", 0.0)}
        return {"scores": encoding.dot_product(query)} | told

    def build(self, ax):
        (self.curve,) = ax.plot([], [], color=style.CURVE, marker="o")
        return [self.curve]

    def move(self, scores, query, *others, low=0.0, **state) -> None:
        """Move the curve and the line of the query; the axes hold other curves, too."""
        seen = np.concatenate([scores, *others])
        high = style.tight_bound(np.abs(seen).max(initial=0))
        eighths = math.floor(8 * seen.min(initial=low) / high + 1e-9)  # few steps: the axis seldom jumps
        low, high = eighths * high / 8, high if seen.max() > 0 or not eighths else 0.0
        margin = 0.06 * (high - low)
        self.axes(xlim=over(len(scores)), ylim=(low - margin if low else 0, high + margin), **state)
        self.curve.set_data(range(len(scores)), scores)
        self.curve.set_markersize(5 if len(scores) <= 48 else 0)
        self.ask(query)

    def show(self, scores, query, what="dot products", low=0.0):
        what = what.capitalize()
        self.move(scores, query, low=low, title=f"{what} of the query")
        text = f"{what} of position {query}: {number(scores[query])} with itself"
        if query + 1 < len(scores):
            text += f", {number(scores[query + 1])} with position {query + 1}"
        least = style.lowest(scores)
        return f"{text}, lowest {number(scores[least])} with position {least}."


class ScoreByOffset(CurveView):
    """Draw for each offset the lowest, highest and mean score; data: matrix (seq_len, seq_len), offset and aim or None.

    With an aim, an offset, a line stands there, and the top of the curve is ringed.
    """

    needs, ignores = ("similarity",), ("layout",)
    pointer = ("offset", None)
    title, x_label = "Score against offset", PAST
    x_ticks, y_ticks = 5, 4
    zero_line = True
    most_positions = 512
    parameters = (AIM,)

    def inputs(self, encoding, values):
        return {"matrix": encoding.similarity, "offset": values.get("offset"), "aim": values["aim"]}

    def build(self, ax):
        self.band = ax.fill_between([0, 1], [0, 0], [0, 0], color=style.GHOST, lw=0)
        (self.mean,) = ax.plot([], [], color=style.CURVE, marker="o")
        (self.now,) = ax.plot([], [], "o", color=style.QUERY, ms=8)
        self.line = ax.axvline(0, color=style.THIRD, lw=1.6, ls="--", zorder=1)
        self.aimed = ax.text(0, 0.02, "", transform=ax.get_xaxis_transform(), **style.name(ha="left"))
        (self.top,) = ax.plot([], [], clip_on=False, **ring())
        self.topped = ax.text(0, 0, "", **style.name(color=style.QUERY, ha="center", va="bottom"))
        return [self.line, self.band, self.mean, self.now, self.aimed, self.top, self.topped]

    def show(self, matrix, offset=None, aim=None):
        offsets, low, mean, high = by_offset(matrix)
        aim = aim if aim is not None and abs(aim) < len(matrix) else None
        self._place(len(matrix), low.min(), high.max(), 0.06 if aim is None else 0.15)
        self.mean.set_data(offsets, mean)
        self.mean.set_markersize(4 if len(offsets) <= 48 else 0)
        there = offset is not None and abs(offset) < len(matrix)
        self.now.set_data(*([offset], [mean[offset + len(matrix) - 1]]) if there else ([], []))
        edge = np.concatenate([np.stack([offsets, low], axis=1), np.stack([offsets, high], axis=1)[::-1]])
        self.band.set_verts([edge])
        score, same = "Score", "the same wherever query and key stand"
        if (high - low).max() >= 1e-9 * max(-low.min(), high.max(), 1e-300):
            score, same = "Mean score", "a band: the offset alone does not decide"
        middle, apart = len(offsets) // 2, min(3, len(matrix) - 1)
        if told := self._aim(aim, offsets, mean):
            return f"{score} {told}; {same}."
        zero, after, before = (number(mean[middle + k]) for k in (0, apart, -apart))
        return f"{score} at offset 0: {zero}, at {apart}: {after}, at −{apart}: {before}; {same}."

    def _aim(self, aim: int | None, offsets: np.ndarray, scores: np.ndarray) -> str:
        """Mark the aim and the top of the scores; say where they are and how high, or nothing without an aim."""
        for artist in (self.line, self.aimed, self.top, self.topped):
            artist.set_visible(aim is not None)
        if aim is None:
            return ""
        best = int(scores.argmax())
        at, top, here = offsets[best], float(scores[best]), float(scores[aim + len(offsets) // 2])
        self.line.set_xdata([aim, aim])
        self.aimed.set(x=aim + 0.02 * len(offsets), text=number(aim))
        self.top.set_data([at], [top])
        low, high = self.ax.get_ylim()
        self.topped.set(position=(0.85 * at, top + 0.04 * (high - low)), text=f"top at {number(int(at))}")
        return f"highest at offset {number(int(at))}: {number(top)}, at {number(aim)}: {number(here)}"

    def _place(self, seq_len: int, low: float, high: float, above: float) -> None:
        """Let the axes hold all offsets, the scores from low to high, and some room above them."""
        bound = style.tight_bound(max(-low, high))
        top = np.ceil(8 * high / bound - 1e-9)  # in eighths of the bound: few steps, so that the axis seldom jumps
        bottom = min(np.floor(8 * low / bound + 1e-9), top - 1)
        low, high = bottom * bound / 8, top * bound / 8
        low, high = low - 0.06 * (high - low), high + above * (high - low)
        self.axes(xlim=(-seq_len + 0.5, seq_len - 0.5), ylim=(low, high))


class PairScores(CurveView):
    """Draw what each pair of dims adds to the score of a query and a key, within the most that it could.

    Data: parts and most, each (pairs,); positions (m, n); pair (that stands out).
    """

    needs, ignores = ("rotate", "query_and_key"), ("seq_len",)
    pointer = ("pair", None)
    title, x_label = "What each pair adds to q · k", "pair"
    y_ticks = 4
    zero_line = True
    parameters = (QUERY, OFFSET, PAIR)

    def inputs(self, encoding, values):
        m = values["query"]
        n = m + values["offset"]
        queries, keys = encoding.queries_and_keys(np.array([m, n]))
        dims = np.stack(encoding.pair_dims(np.arange(len(encoding.frequencies))))
        q, k = queries[0][dims], keys[1][dims]
        most = np.linalg.norm(q, axis=0) * np.linalg.norm(k, axis=0)
        return {"parts": (q * k).sum(axis=0), "most": most, "positions": (m, n), "pair": values["pair"]}

    def build(self, ax):
        bars = {"lw": 8, "solid_capstyle": "butt"}
        (self.rooms,) = ax.plot([], [], color=style.TINT, **bars)
        (self.bars,) = ax.plot([], [], color=style.CURVE, **bars)
        (self.bar,) = ax.plot([], [], color=style.THIRD, **bars)
        self.told = ax.text(0.98, 0.02, "", transform=ax.transAxes, **style.name(ha="right"))
        return [self.rooms, self.bars, self.bar, self.told]

    def show(self, parts, most, positions, pair):
        bound = style.tight_bound(most.max())
        if self.axes(xlim=over(len(parts)), ylim=(-1.25 * bound, 1.05 * bound), _pairs=len(parts)):
            points = 72 * self.ax.bbox.width / self.ax.figure.dpi / len(parts)
            for bars in (self.rooms, self.bars, self.bar):
                bars.set_linewidth(min(max(0.7 * points, 0.8), 24))
        self.rooms.set_data(*_uprights(np.arange(len(parts)), -most, most))
        self.bars.set_data(*_uprights(np.arange(len(parts)), 0 * parts, parts))
        self.bar.set_data([pair, pair], [0, parts[pair]])
        (m, n), whole = (f"{at}".replace("-", "−") for at in positions), number(parts.sum())
        self.told.set_text(f"q at {m}, k at {n}: all together {whole}")
        low, high = int(parts.argmin()), int(parts.argmax())
        ends = f"from {number(parts[low])} by pair {low} to {number(parts[high])} by pair {high}"
        return f"What {len(parts)} pairs add: {ends}; pair {pair} at most {number(most[pair])}, whatever the positions."


def _uprights(xs: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the points of one line that is an upright stroke at each x."""
    gap = np.full(len(xs), np.nan)
    return np.repeat(xs, 3), np.stack([low, high, gap], axis=1).ravel()


class ScoreDecay(CurveView):
    """Draw the scores of many random queries and keys against the offset.

    Data: ends (2, seq_len), between which 8 of 10 scores lie; mean (seq_len,); limits, the lowest and highest end of
    any correlation; correlation; far, an offset, and share, how many of its scores are above those at offset 1.
    """

    needs, ignores = ("frequencies", "rotate"), ("content", "pairing")
    pointer = ("offset", None)
    title, x_label = "Random queries and keys", "offset: key − query"
    x_ticks, y_ticks = 5, 4
    zero_line = True
    most_positions = 512
    parameters = (CORRELATION,)

    def inputs(self, encoding, values):
        seq_len, c = encoding.seq_len, values["correlation"]
        pairs, far = len(encoding.frequencies), min(FAR, seq_len - 1)
        turn = encoding.attention_factor**2 * freqs_cis(seq_len, 2 * pairs, inv_freq=encoding.frequencies)
        q, other = np.random.default_rng(0).normal(size=(2, DRAWS, 2 * pairs)).view(complex)
        own, others = (((q.conj() * k) @ turn.T).real for k in (q, other))  # the score is Re Σ q̄ k e^{iΔθ}
        scores = c * own + math.sqrt(1 - c * c) * others
        reached = [x.mean(axis=0) + spread * x.std(axis=0) for x in (own, others) for spread in (-1.5, 1.5)]
        return {
            "ends": np.sort(scores, axis=0)[[DRAWS // 10, -DRAWS // 10 - 1]],
            "mean": scores.mean(axis=0),
            "limits": (float(np.min(reached)), float(np.max(reached))),
            "correlation": c,
            "far": far,
            "share": float((scores[:, far] > scores[:, min(1, far)]).mean()),
        }

    def build(self, ax):
        self.band = ax.fill_between([0, 1], [0, 0], [0, 0], color=style.GHOST, lw=0)
        (self.mean,) = ax.plot([], [], color=style.CURVE)
        (self.two,) = ax.plot([], [], "o", color=style.QUERY, ms=8)
        self.told = ax.text(0.98, 0.93, "", transform=ax.transAxes, **style.name(ha="right"))
        return [self.band, self.mean, self.two, self.told]

    def show(self, ends, mean, limits, correlation, far, share):
        offsets = np.arange(len(mean))
        self.axes(xlim=over(len(mean)), ylim=(limits[0], limits[1] + 0.2 * (limits[1] - limits[0])))
        edge = np.concatenate([np.stack([offsets, ends[0]], axis=1), np.stack([offsets, ends[1]], axis=1)[::-1]])
        self.band.set_verts([edge])
        self.mean.set_data(offsets, mean)
        near = min(1, far)
        self.two.set_data([near, far], mean[[near, far]])
        beats = f"{far} away beats {near} away in {100 * share:.0f} %"
        self.told.set_text(beats)
        text = (
            f"{DRAWS} random queries and keys of correlation {number(correlation)}: mean score {number(mean[near])} at"
        )
        return f"{text} offset {near}, {number(mean[far])} at {far}; {beats} of them."


def by_offset(matrix: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return (offsets, lowest, mean, highest) over the diagonals of a square matrix, each of shape (2n − 1,)."""
    n = len(matrix)
    offsets = np.arange(1 - n, n)
    padded = np.full((n, 2 * n), np.nan)
    padded[:, :n] = matrix[::-1]
    columns = padded.ravel()[:-n].reshape(n, 2 * n - 1)  # each row moves one place on: a column is one offset
    return offsets, np.nanmin(columns, axis=0), np.nanmean(columns, axis=0), np.nanmax(columns, axis=0)
