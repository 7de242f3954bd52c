"""Words, their positions, and what the Transformer gets: the sum."""

import numpy as np

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.heatmap import Heatmap
from posenc_lib.views.word_left import SCALE

TITLES = {"sum": "Words + positions", "words": "Words alone", "positions": "Positions alone"}


class Added(Heatmap):
    """Colour the words, the positions or their sum, all on one scale; data: parts (by name, each a table), part."""

    name = "added"
    needs = ("rows",)
    most_positions = 1024
    parameters = (Parameter("part", "what is drawn", "sum", options=tuple(TITLES)), SCALE)

    @staticmethod
    def inputs(encoding, values):
        x, p = toy_data.embedded(*encoding.table.shape, values["embed_scale"]), encoding.table.astype(np.float64)
        return {"parts": {"sum": x + p, "words": x, "positions": p}, "part": values["part"]}

    @staticmethod
    def limits(width, seq_len):
        return {}

    def axes_state(self, parts, part):
        bound = style.tight_bound(max(np.abs(table).max() for table in parts.values()))
        return *parts[part].shape, -bound, bound, part

    def set_axes(self, seq_len, width, low, high, part):
        super().set_axes(seq_len, width, low, high)
        self.ax.set_title(TITLES[part])

    def set_data(self, parts, part):
        super().set_data(parts[part])

    def describe(self, parts, part):
        length = np.median(np.linalg.norm(parts[part], axis=1))
        return f"{TITLES[part]}: {len(parts[part])} vectors, {style.number(length)} long at the median."
