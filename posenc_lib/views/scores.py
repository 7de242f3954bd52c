"""What attention sees: one query against all keys, all pairs, and what the offset alone decides."""

import math

import numpy as np
from matplotlib.ticker import MaxNLocator

from posenc_lib.encodings.frequencies import freqs_cis
from posenc_lib.views import style
from posenc_lib.views.view import CAUSAL, QUERY, ImageView, View


class DotProductCurve(View):
    """Draw the scores of one query; data: scores (seq_len,), query, what they are, low (at least shown)."""

    name = "dot_product"
    needs = ("dot_product",)
    ignores = frozenset({"layout"})
    pointer = ("key", None)
    weight = 1.2
    parameters = (QUERY,)

    @staticmethod
    def inputs(encoding, values):
        query = values["query"]
        told = {"query": query, "what": encoding.scores_are, "low": values.get("low", 0.0)}
        return {"scores": encoding.dot_product(query)} | told

    def build(self, ax):
        ax.grid(True, axis="y")
        ax.axhline(0, color=style.LINE, lw=1)
        ax.set_xlabel("position of the key")
        ax.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        ax.yaxis.set_major_locator(MaxNLocator(4))
        self.asked = ax.axvline(0, color=style.QUERY, lw=1.6)
        (self.curve,) = ax.plot([], [], color=style.CURVE, marker="o")
        return [self.asked, self.curve]

    def place(self, *curves, low=0.0, **state) -> None:
        """Let the axes hold these curves over the same keys."""
        seen = np.concatenate(curves)
        high = style.tight_bound(np.abs(seen).max(initial=0))
        eighths = math.floor(8 * seen.min(initial=low) / high + 1e-9)  # few steps: the axis seldom jumps
        low = eighths * high / 8
        margin = 0.06 * (high - low)
        right = max(len(curves[0]) - 0.5, 0.5)
        self.axes(xlim=(-0.5, right), ylim=(low - margin if low else 0, high + margin), **state)

    def move(self, scores, query) -> None:
        """Move the curve and the line of the query."""
        self.curve.set_data(np.arange(len(scores)), scores)
        self.curve.set_markersize(5 if len(scores) <= 48 else 0)
        self.asked.set_xdata([query, query])

    def show(self, scores, query, what="dot products", low=0.0):
        self.place(scores, low=low, title=f"{what.capitalize()} of the query")
        self.move(scores, query)
        text = f"{what.capitalize()} of position {query}: {style.number(scores[query])} with itself"
        if query + 1 < len(scores):
            text += f", {style.number(scores[query + 1])} with position {query + 1}"
        least = style.lowest(scores)
        return text + f", lowest {style.number(scores[least])} with position {least}."


class SimilarityMatrix(ImageView):
    """Colour all scores; data: matrix (queries, keys), NaN where masked; query or None; what the scores are."""

    name = "similarity"
    needs = ("similarity",)
    ignores = frozenset({"layout"})
    pointer = ("key", "query")
    x_label, y_label = "position of the key", "position of the query"
    square = True
    most_positions = 1024
    parameters = (CAUSAL,)

    @staticmethod
    def inputs(encoding, values):
        matrix = masked(encoding.similarity, causal=values["causal"])
        return {"matrix": matrix, "query": values.get("query"), "what": encoding.scores_are}

    def build(self, ax):
        artists = super().build(ax)
        self.asked = ax.axhline(0, **style.across())
        return [*artists, self.asked]

    def show(self, matrix, query=None, what="dot products"):
        rows, columns = matrix.shape
        title = self.title or f"{what.capitalize()}, all pairs"
        self.grid_axes(columns, rows, self.color_limits(matrix), title=title)
        self.image.set_data(matrix)
        self.asked.set_data(*([], []) if query is None else ([0, 1], [query, query]))
        seen = np.nan_to_num(matrix, nan=np.inf)
        low = np.unravel_index(style.lowest(seen), matrix.shape)
        middle = rows // 2
        pairs = "All pairs" if np.isfinite(seen).all() else "All pairs but those with a later key"
        return (
            f"{pairs}: {rows} × {columns} {what}{self.grain(columns, rows)}; "
            f"{style.number(matrix[middle, middle])} at query {middle} with itself, "
            f"lowest {style.number(matrix[low])} at query {low[0]}, key {low[1]}."
        )


class AdditiveScores(SimilarityMatrix):
    """Colour the scores of a rotary encoding's query and key with positions added instead; data: matrix, query."""

    name = "additive_scores"
    needs = ("rotate",)
    ignores = frozenset({"pairing"})
    title = "If added instead"

    @staticmethod
    def inputs(encoding, values):
        matrix = masked(_with_positions_added(encoding), causal=values["causal"])
        return {"matrix": matrix, "query": values.get("query")}

    def show(self, matrix, query=None):
        return "Sinusoidal positions added to the same query and key instead. " + super().show(matrix, query)


class ScoreByOffset(View):
    """Draw for each offset the lowest, highest and mean score; data: matrix (seq_len, seq_len), offset or None."""

    name = "score_by_offset"
    needs = ("similarity",)
    ignores = frozenset({"layout"})
    pointer = ("offset", None)
    weight = 1.2
    most_positions = 512

    @staticmethod
    def inputs(encoding, values):
        return {"matrix": encoding.similarity, "offset": values.get("offset")}

    def build(self, ax):
        ax.grid(True, axis="y")
        ax.axhline(0, color=style.LINE, lw=1)
        ax.set_title("Score against offset")
        ax.set_xlabel("offset: key − query")
        ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        ax.yaxis.set_major_locator(MaxNLocator(4))
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
        zero, after, before = (style.number(mean[middle + k]) for k in (0, apart, -apart))
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
