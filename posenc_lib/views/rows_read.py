"""Which row of its table an encoding reads for an offset: as a map of all pairs, and as a staircase."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from posenc_lib.views import style
from posenc_lib.views.view import OFFSET, QUERY, ImageView, View

ENDLESS = 10**6  # an offset beyond every table


def _rows(encoding) -> dict:
    """Return the row of each offset −(seq_len − 1) … seq_len − 1, and how many rows the table has."""
    seq_len = encoding.seq_len
    table_rows = int(encoding.buckets(np.array([-ENDLESS, ENDLESS])).max()) + 1
    return {"rows": encoding.buckets(np.arange(1 - seq_len, seq_len)), "table_rows": table_rows}


class RowsRead(ImageView):
    """Colour the row that each pair reads; data: rows (2·seq_len − 1,) by offset, table_rows, query."""

    name = "bucket_map"
    needs = ("buckets",)
    ignores = frozenset({"content", "head", "head_dim", "seed"})
    title, x_label, y_label = "The row each pair reads", "position of the key", "position of the query"
    square = True
    most_positions = 1024
    parameters = (QUERY,)

    @staticmethod
    def inputs(encoding, values):
        return _rows(encoding) | {"query": values["query"]}

    def build(self, ax):
        artists = super().build(ax)
        self.asked = ax.axhline(0, **style.across())
        return [*artists, self.asked]

    def axes_state(self, rows, table_rows, query):
        return (len(rows) + 1) // 2, table_rows

    def set_axes(self, seq_len, table_rows):
        self.set_extent(seq_len, seq_len)
        self.set_colors(0, max(table_rows - 1, 1))
        rows = sorted({0, (table_rows - 1) // 2, table_rows - 1})  # a row between two rows is none
        self.scale.set_ticks(rows, labels=list(map(str, rows)))

    def set_data(self, rows, table_rows, query):
        seq_len = (len(rows) + 1) // 2
        self.image.set_data(np.lib.stride_tricks.sliding_window_view(rows, seq_len)[::-1].astype(float))
        self.asked.set_ydata([query, query])

    def describe(self, rows, table_rows, query):
        seq_len = (len(rows) + 1) // 2
        own = rows[seq_len - 1 - query : 2 * seq_len - 1 - query]
        return (
            f"Rows read: query {query} reads {len(np.unique(own))} of the table's {table_rows} rows, row {own[0]} for "
            f"position 0, row {own[query]} for itself, row {own[-1]} for position {seq_len - 1}."
        )


class Staircase(View):
    """Draw the row against the offset; data: rows (2·seq_len − 1,), table_rows, offset, and now, the row it reads."""

    name = "bucket_by_offset"
    needs = ("buckets",)
    ignores = frozenset({"content", "head", "head_dim", "seed"})
    weight = 1.2
    parameters = (OFFSET,)

    @staticmethod
    def inputs(encoding, values):
        return _rows(encoding) | {"offset": values["offset"], "now": int(encoding.buckets(np.array(values["offset"])))}

    def build(self, ax):
        ax.grid(True, axis="y")
        ax.set_title("Which row an offset reads")
        ax.set_xlabel("offset: key − query")
        ax.set_ylabel("row it reads")
        ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))
        (self.steps,) = ax.plot([], [], color=style.CURVE, drawstyle="steps-mid")
        (self.mark,) = ax.plot([], [], "o", color=style.QUERY, ms=9)
        return [self.steps, self.mark]

    def axes_state(self, rows, table_rows, offset, now):
        return len(rows), table_rows

    def set_axes(self, offsets, table_rows):
        reach = (offsets + 1) / 2
        self.ax.set_xlim(-reach + 0.5, reach - 0.5)
        margin = 0.06 * max(table_rows - 1, 1)
        self.ax.set_ylim(-margin, table_rows - 1 + margin)

    def set_data(self, rows, table_rows, offset, now):
        last = len(rows) // 2
        self.steps.set_data(np.arange(-last, last + 1), rows)
        self.mark.set_data([offset], [now])
        self.mark.set_visible(abs(offset) <= last)

    def describe(self, rows, table_rows, offset, now):
        told = f"Offset {style.number(offset)} reads row {now} of {table_rows}"
        if abs(offset) > len(rows) // 2:
            return f"{told}; no pair here is that far apart."
        shared = np.flatnonzero(rows == now) - len(rows) // 2
        which = "that offset alone" if len(shared) == 1 else f"the {len(shared)} offsets {_span(shared)}"
        return f"{told}, read here by {which}."


def _span(offsets: np.ndarray) -> str:
    return f"{style.number(float(offsets[0]))} to {style.number(float(offsets[-1]))}"
