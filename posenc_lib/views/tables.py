"""The table itself: as colours, digit by digit, and added to tokens."""

import numpy as np
from matplotlib.patches import Rectangle

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.style import number
from posenc_lib.views.view import QUERY, CurveView, ImageView, View, over

MOST = 8  # digits in sight
TITLES = {"sum": "Words + positions", "words": "Words alone", "positions": "Positions alone"}
SCALE = Parameter("embed_scale", "what every word vector (of length 1) is multiplied by first", 1, 1, 64, least=1)
END = {"ha": "right", "va": "top"}


class Heatmap(ImageView, name="heatmap"):
    """Colour a table, positions from left to right, dims from top to bottom.

    Data: table (seq_len, d); shown_dims (how many of the first dims), query and bound, or None. Colours reach from
    −bound to bound, where one is given: pictures side by side can be compared.
    """

    pointer = ("position", "dim")
    title, x_label, y_label = "The table", "position", "dim"
    query_line = "x"
    parameters = (Parameter("shown_dims", "how many of the first dims are drawn", None, 1, 1024, start=1024, least=1),)

    def inputs(self, encoding, values):
        return {"table": encoding.table} | {name: values.get(name) for name in ("shown_dims", "query", "bound")}

    def show(self, table, shown_dims=None, query=None, bound=None):
        shown = table[:, :shown_dims]
        self.color(shown.T, self.color_limits(shown) if bound is None else (-bound, bound))
        self.ask(query)
        low, high = shown.min(), shown.max()
        size = f"{len(shown)} positions × {shown.shape[1]} dims{self.grain(*shown.shape)}"
        text = f"Table: {size}, values from {number(low)} to {number(high)}"
        if low >= 0:
            return f"{text}."
        signs = np.signbit(shown[:, [0, -1]])
        first, last = (signs[1:] != signs[:-1]).sum(axis=0)
        return f"{text}; the first dim changes sign {first} times, the last {last} times."


class Added(ImageView, name="added"):
    """Colour tokens, their positions or the sum, all on one scale; data: parts (by name, each a table), part."""

    needs = ("rows",)
    pointer = ("position", "dim")
    x_label, y_label = "position", "dim"
    most_positions = 1024
    parameters = (Parameter("part", "what is drawn", "sum", options=tuple(TITLES)), SCALE)

    def inputs(self, encoding, values):
        x, p = toy_data.embedded(*encoding.table.shape, values["embed_scale"]), encoding.table.astype(np.float64)
        return {"parts": {"sum": x + p, "words": x, "positions": p}, "part": values["part"]}

    def show(self, parts, part):
        bound = style.tight_bound(max(np.abs(table).max() for table in parts.values()))
        self.color(parts[part].T, (-bound, bound), title=TITLES[part])
        length = np.median(np.linalg.norm(parts[part], axis=1))
        return f"{TITLES[part]}: {len(parts[part])} vectors, {number(length)} long at the median."


class TokenCosine(CurveView, name="token_cosine"):
    """Draw two mean cosines against the position; data: same (n,), different (n,), lengths (of token, of position)."""

    needs = ("rows",)
    pointer = ("position", None)
    title, x_label, y_label = "What is left of the word", "position", "cosine"
    zero_line = True
    most_positions = 1024
    parameters = (SCALE,)

    def inputs(self, encoding, values):
        scale = values["embed_scale"]
        same, different = toy_data.token_cosines(encoding.table.astype(np.float64), scale)
        position = float(np.median(np.linalg.norm(encoding.table, axis=1)))
        return {"same": same, "different": different, "lengths": (float(scale), position)}

    def build(self, ax):
        ax.set(ylim=(-0.25, 1.3), yticks=[0, 0.5, 1])
        (self.same,) = ax.plot([], [], color=style.CURVE)
        (self.different,) = ax.plot([], [], color=style.OTHER, ls="--")
        self.kept = ax.text(0, 0, "word with itself + position", **style.name(color=style.CURVE, **END))
        self.mixed = ax.text(0, 0, "two different words", **style.name(color=style.OTHER, **END))
        self.long = ax.text(0.98, 0.99, "", transform=ax.transAxes, **style.name(fontweight="normal", **END))
        return [self.same, self.different, self.kept, self.mixed, self.long]

    def show(self, same, different, lengths):
        last = len(same) - 1
        self.axes(xlim=over(len(same)))
        self.same.set_data(range(len(same)), same)
        self.different.set_data(range(len(same)), different)
        above = same[last] >= different[last]
        for name, end, side in ((self.kept, same[last], above), (self.mixed, different[last], not above)):
            name.set(position=(last, end + (0.03 if side else -0.03)), va="bottom" if side else "top")
        token, position = map(number, lengths)
        self.long.set_text(f"word {token} long, positions about {position}")
        return (
            f"A word {token} long, positions about {position} long. Cosine of a word with itself plus "
            f"position: {number(same[0])} at 0, {number(same[last])} at {last}; "
            f"of two different words at {last}: {number(different[last])}."
        )


class Odometer(View, name="odometer"):
    """Draw a row as digits, and which of them the next step changes; data: row, next_row (d,) or None, position."""

    pointer = ("dim", None)
    title = "One position, digit by digit"
    left, right, weight = 0.2, 0.2, 1.1
    parameters = (QUERY,)

    def inputs(self, encoding, values):
        position, table = values["query"], encoding.table
        after = table[position + 1] if position + 1 < len(table) else None
        return {"row": table[position], "next_row": after, "position": position}

    def build(self, ax):
        ax.axis("off")
        ax.set_ylim(-1.5, 1.5)
        text = {"ha": "center", "va": "center", "fontweight": "bold"}
        self.boxes = [ax.add_patch(Rectangle((k - 0.45, -0.6), 0.9, 1.2)) for k in range(MOST)]
        self.digits = [ax.text(k, 0, "", **text) for k in range(MOST)]
        self.names = [ax.text(k, -0.85, f"dim {k}", fontsize=9, ha="center", va="center") for k in range(MOST)]
        self.flips = [ax.text(k, 0.82, "flips", fontsize=9, color=style.QUERY, **text) for k in range(MOST)]
        self.told = ax.text(0.5, 0.97, "", transform=ax.transAxes, fontsize=11, **text | {"va": "top"})
        return [*self.boxes, *self.digits, *self.flips, *self.names, self.told]

    def show(self, row, next_row, position):
        shown = row[:MOST]
        self.axes(xlim=(-0.7, max(len(shown), 3) - 0.3))
        flips = np.zeros(len(row), bool) if next_row is None else np.abs(next_row - row) > 0.5
        for k in range(MOST):
            for part in (self.boxes[k], self.digits[k], self.names[k]):
                part.set_visible(k < len(row))
            self.flips[k].set_visible(k < len(row) and flips[k])
        for box, digit, value, flipping in zip(self.boxes, self.digits, shown, flips, strict=False):
            digit.set_text(f"{value:.2g}".replace("-", "−"))
            digit.set_fontsize(max(10, 22 - 2 * len(shown)))
            box.set_facecolor(style.TINT if value > 0.5 else style.PAPER)
            box.set_edgecolor(style.QUERY if flipping else style.LINE)
            box.set_linewidth(3 if flipping else 1.2)
        self.told.set_text(f"position {position}")
        after = "it is the last one" if next_row is None else f"{flips.sum()} of {len(row)} flip at the next step"
        return f"Digits of position {position}: {', '.join(map(number, shown))}; {after}."
