"""Every position against every other: the dot products that attention sees."""

import numpy as np

from posenc_lib.encodings.frequencies import freqs_cis
from posenc_lib.views import style
from posenc_lib.views.view import CAUSAL, ImageView


class SimilarityMatrix(ImageView):
    """Colour all scores; data: matrix (queries, keys), NaN where masked; query or None; what the scores are."""

    name = "similarity"
    needs = ("similarity",)
    ignores = frozenset({"layout"})
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

    def axes_state(self, matrix, query=None, what="dot products"):
        return *matrix.shape, *self.color_state(matrix), what

    def set_axes(self, queries, keys, low, high, what):
        self.set_extent(keys, queries)
        self.set_colors(low, high)
        self.ax.set_title(self.title or f"{what.capitalize()}, all pairs")

    def set_data(self, matrix, query=None, what="dot products"):
        self.image.set_data(matrix)
        self.asked.set_data(*([], []) if query is None else ([0, 1], [query, query]))

    def describe(self, matrix, query=None, what="dot products"):
        seen = np.nan_to_num(matrix, nan=np.inf)
        low = np.unravel_index(style.lowest(seen), matrix.shape)
        middle = len(matrix) // 2
        pairs = "All pairs" if np.isfinite(seen).all() else "All pairs but those with a later key"
        return (
            f"{pairs}: {matrix.shape[0]} × {matrix.shape[1]} {what}{self.grain(*matrix.shape)}; "
            f"{style.number(matrix[middle, middle])} at query {middle} with itself, "
            f"lowest {style.number(matrix[low])} at query {low[0]}, key {low[1]}."
        )


class AddedScores(SimilarityMatrix):
    """Colour the scores of a rotary encoding's query and key with positions added instead; data as its parent's."""

    name = "additive_scores"
    needs = ("rotate",)
    ignores = frozenset({"pairing"})
    title = "If added instead"

    @staticmethod
    def inputs(encoding, values):
        return {
            "matrix": masked(_with_positions_added(encoding), causal=values["causal"]),
            "query": values.get("query"),
        }

    def describe(self, matrix, query=None, what="dot products"):
        return "Sinusoidal positions added to the same query and key instead. " + super().describe(matrix, query)


def _with_positions_added(encoding) -> np.ndarray:
    """Return the scores of the same query and key with sinusoidal positions of the same frequencies added instead."""
    turned = freqs_cis(encoding.seq_len, inv_freq=encoding.frequencies)
    table = np.stack([turned.imag, turned.real], axis=-1).reshape(encoding.seq_len, -1)
    q, k = encoding.query_and_key()
    return (q + table) @ (k + table).T


def masked(scores: np.ndarray, *, causal: bool) -> np.ndarray:
    """Return scores with NaN for the keys after each query where a causal mask hides them."""
    return np.where(np.tri(*scores.shape, dtype=bool), scores, np.nan) if causal else scores
