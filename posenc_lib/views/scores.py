"""What attention sees: one query against all keys, all pairs, and what the offset alone decides."""

import math

import numpy as np

from posenc_lib.encodings.frequencies import freqs_cis
from posenc_lib.views import style
from posenc_lib.views.style import number
from posenc_lib.views.view import CAUSAL, QUERY, CurveView, PairView, over


class DotProductCurve(CurveView, name="dot_product"):
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
        low = eighths * high / 8
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


class SimilarityMatrix(PairView, name="similarity"):
    """Colour all scores; data: matrix (queries, keys), NaN where masked; query or None; what the scores are."""

    needs, ignores = ("similarity",), ("layout",)
    query_line = "y"
    most_positions = 1024
    parameters = (CAUSAL,)

    def inputs(self, encoding, values):
        matrix = masked(encoding.similarity, causal=values["causal"])
        return {"matrix": matrix, "query": values.get("query"), "what": encoding.scores_are}

    def show(self, matrix, query=None, what="dot products"):
        rows, columns = matrix.shape
        self.color(matrix, self.color_limits(matrix), title=self.title or f"{what.capitalize()}, all pairs")
        self.ask(query)
        seen = np.nan_to_num(matrix, nan=np.inf)
        low = np.unravel_index(style.lowest(seen), matrix.shape)
        middle = rows // 2
        pairs = "All pairs" if np.isfinite(seen).all() else "All pairs but those with a later key"
        return (
            f"{pairs}: {rows} × {columns} {what}{self.grain(columns, rows)}; "
            f"{number(matrix[middle, middle])} at query {middle} with itself, "
            f"lowest {number(matrix[low])} at query {low[0]}, key {low[1]}."
        )


class AdditiveScores(SimilarityMatrix, name="additive_scores"):
    """Colour the scores of a rotary encoding's query and key with positions added instead; data: matrix, query."""

    needs, ignores = ("rotate", "query_and_key"), ("pairing",)
    title = "If added instead"

    def inputs(self, encoding, values):
        matrix = masked(_with_positions_added(encoding), causal=values["causal"])
        return {"matrix": matrix, "query": values.get("query")}

    def show(self, matrix, query=None):
        return "Sinusoidal positions added to the same query and key instead. " + super().show(matrix, query)


class ScoreByOffset(CurveView, name="score_by_offset"):
    """Draw for each offset the lowest, highest and mean score; data: matrix (seq_len, seq_len), offset or None."""

    needs, ignores = ("similarity",), ("layout",)
    pointer = ("offset", None)
    title, x_label = "Score against offset", "offset: key − query"
    x_ticks, y_ticks = 5, 4
    zero_line = True
    most_positions = 512

    def inputs(self, encoding, values):
        return {"matrix": encoding.similarity, "offset": values.get("offset")}

    def build(self, ax):
        self.band = ax.fill_between([0, 1], [0, 0], [0, 0], color=style.GHOST, lw=0)
        (self.mean,) = ax.plot([], [], color=style.CURVE)
        (self.now,) = ax.plot([], [], "o", color=style.QUERY, ms=8)
        return [self.band, self.mean, self.now]

    def show(self, matrix, offset=None):
        offsets, low, mean, high = by_offset(matrix)
        self._place(len(matrix), low.min(), high.max())
        self.mean.set_data(offsets, mean)
        there = offset is not None and abs(offset) < len(matrix)
        self.now.set_data(*([offset], [mean[offset + len(matrix) - 1]]) if there else ([], []))
        edge = np.concatenate([np.stack([offsets, low], axis=1), np.stack([offsets, high], axis=1)[::-1]])
        self.band.set_verts([edge])
        score, same = "Score", "the same for every pair at that offset"
        if (high - low).max() >= 1e-9 * max(-low.min(), high.max(), 1e-300):
            score, same = "Mean score", "a band: the offset alone does not decide"
        middle, apart = len(offsets) // 2, min(5, len(matrix) - 1)
        zero, after, before = (number(mean[middle + k]) for k in (0, apart, -apart))
        return f"{score} at offset 0: {zero}, at {apart}: {after}, at −{apart}: {before}; {same}."

    def _place(self, seq_len: int, low: float, high: float) -> None:
        """Let the axes hold all offsets, and the scores from low to high."""
        bound = style.tight_bound(max(-low, high))
        top = np.ceil(8 * high / bound - 1e-9)  # in eighths of the bound: few steps, so that the axis seldom jumps
        bottom = min(np.floor(8 * low / bound + 1e-9), top - 1)
        low, high = bottom * bound / 8, top * bound / 8
        margin = 0.06 * (high - low)
        self.axes(xlim=(-seq_len + 0.5, seq_len - 0.5), ylim=(low - margin, high + margin))


def masked(scores: np.ndarray, *, causal: bool) -> np.ndarray:
    """Return scores with NaN for the keys after each query where a causal mask hides them."""
    return np.where(np.tri(*scores.shape, dtype=bool), scores, np.nan) if causal else scores


def by_offset(matrix: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return (offsets, lowest, mean, highest) over the diagonals of a square matrix, each of shape (2n − 1,)."""
    n = len(matrix)
    offsets = np.arange(1 - n, n)
    padded = np.full((n, 2 * n), np.nan)
    padded[:, :n] = matrix[::-1]
    columns = padded.ravel()[:-n].reshape(n, 2 * n - 1)  # each row moves one place on: a column is one offset
    return offsets, np.nanmin(columns, axis=0), np.nanmean(columns, axis=0), np.nanmax(columns, axis=0)


def _with_positions_added(encoding) -> np.ndarray:
    """Return the scores of the same query and key with sinusoidal positions of the same frequencies added instead."""
    turned = freqs_cis(encoding.seq_len, 2 * len(encoding.frequencies), inv_freq=encoding.frequencies)
    table = np.stack([turned.imag, turned.real], axis=-1).reshape(encoding.seq_len, -1)
    q, k = encoding.query_and_key()
    return (q + table) @ (k + table).T
