"""RoPE in real code: a ported model, bugs, and what narrow numbers do to its table."""

import numpy as np

from posenc_lib.encodings.pairing import PAIRINGS, order_for_other
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.precision import PRECISIONS, table_error
from posenc_lib.encodings.rope_bugs import BUGS
from posenc_lib.views import style
from posenc_lib.views.scores import DotProductCurve
from posenc_lib.views.view import QUERY, ImageView, View

LAST = 2**20
DENSE = 1024  # up to here every position is tried; beyond it some, those at and after powers of two among them
_POWERS = 2 ** np.arange(21)
TRIED = np.unique([*range(1, DENSE), *np.geomspace(DENSE, LAST, 300).round().astype(int), *_POWERS, *_POWERS[:-1] + 1])


class Ported(DotProductCurve):
    """Draw the scores of a query after porting; data: scores and right (seq_len,), query, permuted."""

    name = "checkpoint_port"
    needs = ("rotate", "pairing")
    parameters = (
        QUERY,
        Parameter("permuted", "whether the rows of W_q and W_k were permuted", False, options=(False, True)),
    )

    @staticmethod
    def inputs(encoding, values):
        scores = ported(encoding, permuted=values["permuted"])[values["query"]]
        right = ported(encoding, permuted=True)[values["query"]]
        return {"scores": scores, "right": right, "query": values["query"], "permuted": values["permuted"]}

    def build(self, ax):
        artists = super().build(ax)
        (self.right,) = ax.plot([], [], color=style.GHOST, lw=6, zorder=1)
        return [self.right, *artists]

    def show(self, scores, right, query, permuted):
        title = "Ported, permuted" if permuted else "Ported as it was"
        self.place(scores, right, title=title, ylabel="score (grey: right)")
        self.move(scores, query)
        self.right.set_data(np.arange(len(right)), right)
        gap = np.abs(scores - right)
        how = "permuted" if permuted else "not permuted"
        return (
            f"Weights {how}: the scores of query {query} are wrong by up to {style.number(float(gap.max()))}, "
            f"for key {query} itself by {style.number(float(gap[query]))}."
        )


def ported(encoding, *, permuted: bool) -> np.ndarray:
    """Return the scores of a model that was made for this pairing and now turns the pairs of the other one.

    permuted says whether its rows were put in the order that the other pairing needs; shape (seq_len, seq_len).
    """
    order = order_for_other(encoding.pairing, encoding.num_dims) if permuted else slice(None)
    other = encoding.at(pairing=next(pairing for pairing in PAIRINGS if pairing != encoding.pairing))
    q, k = (other.rotate(x[:, order], len(x)) for x in encoding.tiled_qk())
    return q @ k.T


class Buggy(ImageView):
    """Colour the scores that a bug makes; data: matrix (queries, keys), right (the same without it), bug."""

    name = "rope_bugs"
    needs = ("rotate", "base")
    square = True
    x_label, y_label = "position of the key", "row of the query"
    most_positions = 512
    parameters = (Parameter("bug", "what goes wrong", next(iter(BUGS)), options=tuple(BUGS)),)

    @staticmethod
    def inputs(encoding, values):
        queries, keys = BUGS[values["bug"]](encoding, *encoding.tiled_qk())
        return {"matrix": queries @ keys.T, "right": encoding.similarity, "bug": values["bug"]}

    def axes_state(self, matrix, right, bug):
        bound = style.tight_bound(max(np.abs(matrix).max(), np.abs(right).max()))
        return *matrix.shape, -bound, bound, bug

    def set_axes(self, queries, keys, low, high, bug):
        self.set_extent(keys, queries)
        self.set_colors(low, high)
        self.ax.set_title(f"Bug: {bug}")

    def set_data(self, matrix, right, bug):
        self.image.set_data(matrix)

    def describe(self, matrix, right, bug):
        if matrix.shape != right.shape:
            return f"Bug, {bug}: {len(matrix)} rows of scores where {len(right)} are right."
        gap = np.abs(matrix - right)
        wrong = (gap > 1e-9 * np.abs(right).max()).mean()
        return f"Bug, {bug}: {style.number(100 * wrong)} % of the scores are wrong, by up to {style.number(gap.max())}."


class Precision(View):
    """Draw how wrong the table gets far out; data: errors (by precision, the worst up to each of TRIED), position."""

    name = "precision"
    needs = ("rotate",)
    ignores = frozenset({"content", "pairing", "seq_len"})
    left, right = 0.8, 0.42  # small powers of ten, and a million
    weight = 1.7
    parameters = (Parameter("position", "at which position", 1024, 2, LAST, 1, "power of two", most=LAST, least=1),)

    @staticmethod
    def inputs(encoding, values):
        errors = {name: table_error(TRIED, precision=name, inv_freq=encoding.frequencies) for name in PRECISIONS}
        worst = {name: np.where(np.isnan(e), np.nan, np.fmax.accumulate(e)) for name, e in errors.items()}
        return {"errors": worst, "position": values["position"]}

    def build(self, ax):
        ax.grid(True)
        ax.set_title("Largest error of cos or sin")
        ax.set_xlabel("up to position")
        ax.set_xscale("log", base=2)
        ax.set_yscale("log")
        ax.xaxis.set_major_formatter(style.plain)
        ax.yaxis.set_major_formatter(style.plain)
        ax.set_xticks([2, 64, 2048, LAST])
        self.asked = ax.axvline(1, color=style.QUERY, lw=1.6)
        looks = zip((style.OTHER, style.THIRD, style.CURVE, style.INK), ("-", "--", "-", ":"), strict=True)
        self.lines = [ax.plot([], [], color=color, ls=dashes)[0] for color, dashes in looks]
        self.names = [ax.text(0, 0, "", **style.name(color=line.get_color(), ha="right")) for line in self.lines]
        return [self.asked, *self.lines, *self.names]

    def axes_state(self, errors, position):
        return ()

    def set_axes(self):
        self.ax.set_xlim(1.5, 2 * LAST)
        self.ax.set_ylim(1e-9, 10)

    def set_data(self, errors, position):
        self.asked.set_xdata([position, position])
        for line, name, (precision, error) in zip(self.lines, self.names, errors.items(), strict=True):
            line.set_data(TRIED, np.maximum(error, 1e-9))
            last = np.flatnonzero(np.isfinite(error))[-1]
            name.set_text(precision)
            name.set_position((TRIED[last], 2 * max(error[last], 1e-9)))

    def describe(self, errors, position):
        k = int(np.searchsorted(TRIED, position, side="right")) - 1
        told = [
            f"{name} {style.number(float(error[k])) if np.isfinite(error[k]) else 'has no such number'}"
            for name, error in errors.items()
        ]
        tried = "all tried" if k + 1 == position else f"{k + 1:,} of them tried"
        return f"Largest error up to position {position:,} ({tried}): {', '.join(told)}."
