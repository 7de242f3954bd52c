"""One rotation written in four ways: four rows of colours that must not differ."""

import numpy as np

from posenc_lib.encodings.rope import rope_forms
from posenc_lib.views import style
from posenc_lib.views.view import QUERY, ImageView

NAMES = ("matrix", "cos and sin", "complex", "rope( )")


class Forms(ImageView):
    """Colour a vector turned in four ways; data: rows (4, d), position."""

    name = "rope_forms"
    needs = ("rotate",)
    ignores = frozenset({"seq_len"})
    left = 1.05
    title, x_label = "One rotation, four ways", "dim"
    parameters = (QUERY,)

    @staticmethod
    def inputs(encoding, values):
        query = encoding.query_and_key()[0]
        turned = encoding.rotate(query[None], [values["query"]])
        forms = rope_forms(query, values["query"] * encoding.frequencies, pairing=encoding.pairing)
        rows = np.concatenate([encoding.attention_factor * forms, turned])
        return {"rows": rows, "position": values["query"]}

    def axes_state(self, rows, position):
        bound = style.nice_bound(np.abs(rows).max())
        return rows.shape[1], -bound, bound

    def set_axes(self, width, low, high):
        self.set_extent(width, len(NAMES))
        self.set_colors(low, high)
        self.ax.set_yticks(range(len(NAMES)), NAMES)

    def set_data(self, rows, position):
        self.image.set_data(rows)

    def describe(self, rows, position):
        apart = np.ptp(rows, axis=0).max()
        how = "agree to 1e-12" if apart < 1e-12 else f"differ by up to {apart:.1e}"
        return f"Four ways to turn the query at position {position}: they {how}."
