"""The four terms that make up Transformer-XL's scores, one at a time."""

import numpy as np

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.view import ImageView

TITLES = {
    "all": "All four terms together",
    "q·k": "q·k: word to word",
    "q·r": "q·r: word to distance",
    "u·k": "u·k: any query to a word",
    "v·r": "v·r: any query to a distance",
}


class Terms(ImageView):
    """Colour one term of the scores, or their sum; data: terms (by name, each (queries, keys)), term."""

    name = "score_terms"
    needs = ("score_terms",)
    ignores = frozenset({"content"})
    square = True
    x_label, y_label = "position of the key", "position of the query"
    most_positions = 512
    parameters = (Parameter("term", "which part of the score is drawn", "all", options=tuple(TITLES)),)

    @staticmethod
    def inputs(encoding, values):
        return {"terms": _terms(encoding), "term": values["term"]}

    def axes_state(self, terms, term):
        bound = style.tight_bound(max(np.abs(part).max() for part in (*terms.values(), sum(terms.values()))))
        return *terms["q·k"].shape, -bound, bound, term  # one scale for all, so that they can be compared

    def set_axes(self, queries, keys, low, high, term):
        self.set_extent(keys, queries)
        self.set_colors(low, high)
        self.ax.set_title(TITLES[term])

    def set_data(self, terms, term):
        self.image.set_data(_part(terms, term))

    def describe(self, terms, term):
        part = _part(terms, term)
        rows, columns = np.ptp(part, axis=0).max() < 1e-9, np.ptp(part, axis=1).max() < 1e-9
        diagonals = max(np.ptp(np.diagonal(part, k)) for k in range(1 - len(part), len(part))) < 1e-9
        alike = [name for name, same in (("columns", rows), ("rows", columns), ("diagonals", diagonals)) if same]
        even = f"each of its {alike[0]} has one colour" if alike else "no rows, columns or diagonals of one colour"
        return f"{TITLES[term]}: from {style.number(part.min())} to {style.number(part.max())}; {even}."


def _terms(encoding) -> dict[str, np.ndarray]:
    """Return the parts of the scores between made-up tokens, by name; each of shape (seq_len, seq_len)."""
    q, k, _ = toy_data.queries_keys_values(toy_data.tokens(encoding.seq_len, encoding.num_dims))
    return encoding.score_terms(q, k)


def _part(terms: dict, term: str) -> np.ndarray:
    return sum(terms.values()) if term == "all" else terms[term]
