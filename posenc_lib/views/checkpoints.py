"""RoPE in real code: a checkpoint ported to the other pairing, the order it needs, bugs, and narrow numbers."""

import numpy as np
from matplotlib.collections import LineCollection

from posenc_lib.encodings.pairing import PAIRINGS, order_for_other
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.precision import PRECISIONS, table_error
from posenc_lib.encodings.rope_bugs import BUGS
from posenc_lib.views import style
from posenc_lib.views.images import PairView
from posenc_lib.views.old_points import dots, numbers, write
from posenc_lib.views.old_scores import DotProductCurve
from posenc_lib.views.style import number
from posenc_lib.views.view import QUERY, View

NUMBERED = 16  # dims whose numbers are written
LAST = 2**20
ROOM = 4.0  # between two names: times the error
DENSE = 1024  # up to here every position is tried; beyond it some, those at and after powers of two among them
PERMUTED = Parameter("permuted", "whether the rows of W_q and W_k were permuted", False, options=(False, True))
_POWERS = 2 ** np.arange(21)
TRIED = np.unique([*range(1, DENSE), *np.geomspace(DENSE, LAST, 300).round().astype(int), *_POWERS, *_POWERS[:-1] + 1])


def ported(encoding, *, permuted: bool) -> np.ndarray:
    """Return the scores of a model that was made for this pairing and now turns the pairs of the other one.

    permuted says whether its rows were put in the order that the other pairing needs; shape (seq_len, seq_len).
    """
    order = order_for_other(encoding.pairing, encoding.num_dims) if permuted else slice(None)
    other = encoding.at(pairing=next(pairing for pairing in PAIRINGS if pairing != encoding.pairing))
    q, k = (other.rotate(x[:, order], len(x)) for x in encoding.tiled_qk())
    return q @ k.T


class CheckpointPort(DotProductCurve, name="checkpoint_port"):
    """Draw the scores of a query after porting, on axes for all queries.

    Data: scores and right (seq_len,), query, permuted, ends (lowest and highest of all scores, permuted or not).
    """

    needs = ("rotate", "pairing")
    y_label = "score (grey: right)"
    parameters = (QUERY, PERMUTED)

    def inputs(self, encoding, values):
        query, permuted = values["query"], values["permuted"]
        both = np.stack([ported(encoding, permuted=False), ported(encoding, permuted=True)])
        told = {"query": query, "permuted": permuted, "ends": (both.min(), both.max())}
        return {"scores": both[int(permuted), query], "right": both[1, query]} | told

    def build(self, ax):
        (self.right_curve,) = ax.plot([], [], color=style.GHOST, lw=6, zorder=1)
        return [self.right_curve, *super().build(ax)]

    def show(self, scores, right, query, permuted, ends):
        self.move(scores, query, ends, title="Ported, permuted" if permuted else "Ported as it was")
        self.right_curve.set_data(range(len(right)), right)
        gap = np.abs(scores - right)
        if permuted:
            return f"Weights permuted: all scores of query {query} are right."
        text = f"Weights not permuted: the scores of query {query} are wrong by up to {number(gap.max())}"
        return f"{text}, for key {query} itself by {number(gap[query])}."


class Permutation(View, name="permutation"):
    """Join each row's old place with its new one; data: order (d,), the old place of each new row; the old pairing."""

    needs = ("rotate", "pairing")
    pointer = ("dim", None)
    weight = 1.2

    @classmethod
    def relevant(cls, encoding):
        return [name for name in encoding.values if name in (encoding.width, "pairing")]  # whatever else it has

    def inputs(self, encoding, values):
        return {"order": order_for_other(encoding.pairing, encoding.num_dims), "pairing": encoding.pairing}

    def build(self, ax):
        ax.set(ylim=(-0.35, 1.35), yticks=[1, 0], yticklabels=["before", "after"])
        ax.tick_params(axis="y", length=0)
        ax.xaxis.set_visible(False)
        ax.spines[["left", "bottom"]].set_visible(False)
        self.wires = ax.add_collection(LineCollection([], linewidths=1.6))
        self.rows = ax.scatter([], [], **dots() | {"s": 50})
        self.numbers = numbers(ax, 2 * NUMBERED)
        return [self.wires, self.rows, *self.numbers]

    def show(self, order, pairing="interleaved"):
        width, interleaved = len(order), pairing == "interleaved"
        self.axes(xlim=(-0.7, width - 0.3), title="Interleaved to half" if interleaved else "Half to interleaved")
        pair = order // 2 if interleaved else order % (width // 2)
        colors = style.shades(np.linspace(0, 0.8, width // 2))[pair]  # one colour for each pair
        before = np.stack([order, np.ones(width)], axis=1)
        after = np.stack([np.arange(width), np.zeros(width)], axis=1)
        self.wires.set_segments(np.stack([before, after], axis=1))
        self.wires.set_color(colors)
        self.rows.set_offsets(np.vstack([before, after]))
        self.rows.set_facecolor(np.vstack([colors, colors]))
        words = {}
        if width <= NUMBERED:  # above the old place of each row, and below its new one
            words = {(row, 1.2): str(row) for row in order} | {(at, -0.2): str(row) for at, row in enumerate(order)}
        write(self.numbers, words, lambda text, place: text.set_position(place))
        told = ", ".join(map(str, order[:NUMBERED])) + (", …" if width > NUMBERED else "")
        return f"New order of {width} rows: {told}; two of one colour turn together."


class RopeBugs(PairView, name="rope_bugs"):
    """Colour the scores that a bug makes; data: matrix (queries, keys), right (the same without it), bug."""

    needs = ("rotate", "base")
    y_label = "row of the query"
    most_positions = 512
    parameters = (Parameter("bug", "what goes wrong", "none", options=("none", *BUGS)),)

    def inputs(self, encoding, values):
        bug, right = values["bug"], encoding.similarity
        if bug == "none":
            return {"matrix": right, "right": right, "bug": bug}
        queries, keys = BUGS[bug](encoding, *encoding.tiled_qk())
        return {"matrix": queries @ keys.T, "right": right, "bug": bug}

    def show(self, matrix, right, bug):
        self.color(matrix, self.color_limits(np.concatenate([matrix, right])), title=f"Bug: {bug}")
        if bug == "none":
            return f"No bug: {len(matrix)} × {len(right)} scores, all of them right."
        if matrix.shape != right.shape:
            return f"Bug, {bug}: {len(matrix)} rows of scores over {len(right)} keys, for one query."
        gap = np.abs(matrix - right)
        wrong = (gap > 1e-9 * np.abs(right).max()).mean()
        return f"Bug, {bug}: {number(100 * wrong)} % of the scores are wrong, by up to {number(gap.max())}."


class Precision(View, name="precision"):
    """Draw how wrong the table gets far out; data: errors (by precision, the worst up to each of TRIED), position."""

    needs, ignores = ("rotate",), ("content", "pairing", "seq_len")
    pointer = ("position", None)
    left, right = 0.8, 1.9  # small powers of ten; names beyond the last position
    weight = 1.7
    title, x_label = "Largest error of cos or sin", "up to position"
    log, grid = "xy", "both"
    query_line = "x"
    parameters = (Parameter("position", "up to which position", 1024, 2, LAST, 1, "power of two", most=LAST, least=1),)

    def inputs(self, encoding, values):
        own = {"head_dim": 2 * len(encoding.frequencies), "inv_freq": encoding.frequencies}
        errors = {name: table_error(TRIED, precision=name, **own) for name in PRECISIONS}
        worst = {name: np.where(np.isnan(e), np.nan, np.fmax.accumulate(e)) for name, e in errors.items()}
        return {"errors": worst, "position": values["position"]}

    def build(self, ax):
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter(style.plain)
        ax.set_xticks([2, 64, 2048, LAST])
        colors = (style.OTHER, style.THIRD, style.CURVE, style.CURVE, style.THIRD)  # one for each format
        looks = zip(colors, ("-", "-", "-", ":", ":"), strict=True)  # dots: rounded once
        self.lines = [ax.plot([], [], color=color, ls=dashes)[0] for color, dashes in looks]
        self.names = [ax.text(0, 0, "", **style.name(color=line.get_color(), va="center")) for line in self.lines]
        return [*self.lines, *self.names]

    def show(self, errors, position):
        self.axes(xlim=(1.5, 2 * LAST), ylim=(1e-9, 10))
        self.ask(position)
        k = int(np.searchsorted(TRIED, position, side="right")) - 1
        told, tips = [], {}
        for line, (precision, error) in zip(self.lines, errors.items(), strict=True):
            error = np.maximum(error[: k + 1], 1e-9)
            line.set_data(TRIED[: k + 1], error)
            last = np.flatnonzero(np.isfinite(error))[-1]
            tips[precision] = TRIED[last], error[last]
            told.append(f"{precision} {number(error[k]) if last == k else 'has no such number'}")
        self._name(tips)
        tried = "all tried" if k + 1 == position else f"{k + 1:,} of them tried"
        return f"Largest error up to position {position:,} ({tried}): {', '.join(told)}."

    def _name(self, tips: dict) -> None:
        """Write each name at the tip of its line, the lower of two that are close a little lower."""
        above = np.inf
        for precision, (x, y) in sorted(tips.items(), key=lambda item: -item[1][1]):
            above = min(y, above / ROOM)
            name = self.names[PRECISIONS.index(precision)]
            name.set(text=precision.removeprefix("float64, "), position=(1.35 * x, above))
