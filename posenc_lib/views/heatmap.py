"""The table itself as colours: positions from left to right, dims from top to bottom."""

import numpy as np

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.view import ImageView


class Heatmap(ImageView):
    """Colour a table.

    Data: table (seq_len, d); shown_dims (how many of the first dims), query and bound, or None. Colours reach from
    −bound to bound, where one is given: pictures side by side can be compared.
    """

    name = "heatmap"
    title, x_label, y_label = "The table", "position", "dim"
    parameters = (Parameter("shown_dims", "how many of the first dims are drawn", None, 1, 1024, start=1024, least=1),)

    @staticmethod
    def inputs(encoding, values):
        return {"table": encoding.table} | {name: values.get(name) for name in ("shown_dims", "query", "bound")}

    @staticmethod
    def limits(width, seq_len):
        return {"shown_dims": width}

    def build(self, ax):
        artists = super().build(ax)
        self.asked = ax.axvline(0, **style.across())
        return [*artists, self.asked]

    def axes_state(self, table, shown_dims=None, query=None, bound=None):
        shown = table[:, :shown_dims]
        return *shown.shape, *(self.color_state(shown) if bound is None else (-bound, bound))

    def set_axes(self, seq_len, width, low, high):
        self.set_extent(seq_len, width)
        self.set_colors(low, high)

    def set_data(self, table, shown_dims=None, query=None, bound=None):
        self.image.set_data(table[:, :shown_dims].T)
        self.asked.set_data(*([], []) if query is None else ([query, query], [0, 1]))

    def describe(self, table, shown_dims=None, query=None, bound=None):
        shown = table[:, :shown_dims]
        low, high = shown.min(), shown.max()
        values = f"values from {style.number(low)} to {style.number(high)}"
        text = f"Table: {len(shown)} positions × {shown.shape[1]} dims{self.grain(*shown.shape)}, {values}"
        if low >= 0:
            return text + "."
        signs = np.signbit(shown[:, [0, -1]])
        turns = (signs[1:] != signs[:-1]).sum(axis=0)
        return text + f"; the first dim changes sign {turns[0]} times, the last {turns[-1]} times."
