"""All pairs of a query at once, each on a circle of its own."""

import numpy as np
from matplotlib.collections import LineCollection

from posenc_lib.views import style
from posenc_lib.views.old_points import numbers, write
from posenc_lib.views.style import number
from posenc_lib.views.view import QUERY, View

SIDE = 3  # circles in a row
MOST = SIDE**2
ROUND = np.stack([f(np.linspace(0, 2 * np.pi, 73)) for f in (np.cos, np.sin)], axis=1)
MIDDLES = 2.9 * np.stack([np.arange(MOST) % SIDE, -(np.arange(MOST) // SIDE)], axis=1)


class PairTurns(View, name="pair_turns"):
    """Draw how far each pair of a query turns at one position, dotted before and solid after; nine pairs at most.

    Data: before and after (pairs, 2), of length 1 unless they are zeros; angles (pairs,) in radians; position.
    Source: Su et al. 2021, "RoFormer", figure 1.
    """

    needs, ignores = ("rotate", "query_and_key"), ("seq_len",)
    square = True
    parameters = (QUERY,)

    def inputs(self, encoding, values):
        angles = values["query"] * encoding.frequencies[:MOST]
        dims = np.stack(encoding.pair_dims(np.arange(len(angles))), axis=1)
        queries = encoding.query_and_key()[0], encoding.queries_and_keys(np.array([values["query"]]))[0][0]
        before, after = (_of_length_one(query[dims]) for query in queries)
        return {"before": before, "after": after, "angles": angles, "position": values["query"]}

    def build(self, ax):
        ax.set(xticks=[], yticks=[])
        ax.spines[:].set_visible(False)
        self.circles = ax.add_collection(LineCollection([], colors=style.LINE, lw=1))
        self.starts = ax.add_collection(LineCollection([], colors=style.QUERY, lw=1.4, ls=":"))
        self.hands = ax.add_collection(LineCollection([], colors=style.QUERY, lw=2.6))
        self.names = numbers(ax, MOST)
        return [self.circles, self.starts, self.hands, *self.names]

    def show(self, before, after, angles, position):
        middles, turned = MIDDLES[: len(angles)], np.degrees(angles)
        self.axes(xlim=(-1.45, 7.25), ylim=(-7.5, 1.2), title=f"Pairs at position {position}")
        self.circles.set_segments([middle + ROUND for middle in middles])
        self.starts.set_segments(np.stack([middles, middles + before], axis=1))
        self.hands.set_segments(np.stack([middles, middles + after], axis=1))
        words = {pair: f"{pair}: {number(angle)}°" for pair, angle in enumerate(turned)}
        write(self.names, words, lambda text, pair: text.set_position(middles[pair] - [0, 1.35]))
        told = ", ".join(f"{pair} by {number(angle)}" for pair, angle in enumerate(turned))
        return f"At position {position} the pairs have turned, in degrees: {told}."


def _of_length_one(pairs: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(pairs, axis=1, keepdims=True)
    return np.divide(pairs, lengths, out=np.zeros_like(pairs), where=lengths > 0)
