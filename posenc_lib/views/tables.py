"""The table itself: as colours, digit by digit, and added to tokens."""

import numpy as np
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.view import QUERY, ImageView, View

MOST = 8  # digits in sight
TITLES = {"sum": "Words + positions", "words": "Words alone", "positions": "Positions alone"}
SCALE = Parameter("embed_scale", "what every word vector (of length 1) is multiplied by first", 1, 1, 64, least=1)
END = {"ha": "right", "va": "top"}


class Heatmap(ImageView):
    """Colour a table, positions from left to right, dims from top to bottom.

    Data: table (seq_len, d); shown_dims (how many of the first dims), query and bound, or None. Colours reach from
    −bound to bound, where one is given: pictures side by side can be compared.
    """

    name = "heatmap"
    pointer = ("position", "dim")
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

    def color(self, table, clim, query=None, **state) -> None:
        """Colour the cells, and mark the query."""
        self.grid_axes(*table.shape, clim, **state)
        self.image.set_data(table.T)
        self.asked.set_data(*([], []) if query is None else ([query, query], [0, 1]))

    def show(self, table, shown_dims=None, query=None, bound=None):
        shown = table[:, :shown_dims]
        self.color(shown, self.color_limits(shown) if bound is None else (-bound, bound), query)
        low, high = shown.min(), shown.max()
        values = f"values from {style.number(low)} to {style.number(high)}"
        text = f"Table: {len(shown)} positions × {shown.shape[1]} dims{self.grain(*shown.shape)}, {values}"
        if low >= 0:
            return text + "."
        signs = np.signbit(shown[:, [0, -1]])
        turns = (signs[1:] != signs[:-1]).sum(axis=0)
        return text + f"; the first dim changes sign {turns[0]} times, the last {turns[-1]} times."


class Added(Heatmap):
    """Colour tokens, their positions or the sum, all on one scale; data: parts (by name, each a table), part."""

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

    def show(self, parts, part):
        bound = style.tight_bound(max(np.abs(table).max() for table in parts.values()))
        self.color(parts[part], (-bound, bound), title=TITLES[part])
        length = np.median(np.linalg.norm(parts[part], axis=1))
        return f"{TITLES[part]}: {len(parts[part])} vectors, {style.number(length)} long at the median."


class TokenCosine(View):
    """Draw two mean cosines against the position; data: same (n,), different (n,), lengths (of token, of position)."""

    name = "token_cosine"
    needs = ("rows",)
    pointer = ("position", None)
    weight = 1.2
    most_positions = 1024
    parameters = (SCALE,)

    @staticmethod
    def inputs(encoding, values):
        scale = values["embed_scale"]
        same, different = toy_data.token_cosines(encoding.table.astype(np.float64), scale)
        position = float(np.median(np.linalg.norm(encoding.table, axis=1)))
        return {"same": same, "different": different, "lengths": (float(scale), position)}

    def build(self, ax):
        ax.grid(True, axis="y")
        ax.set_title("What is left of the word")
        ax.set_xlabel("position")
        ax.set_ylabel("cosine")
        ax.set_ylim(-0.25, 1.3)
        ax.set_yticks([0, 0.5, 1])
        ax.axhline(0, color=style.LINE, lw=1)
        ax.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        (self.same,) = ax.plot([], [], color=style.CURVE)
        (self.different,) = ax.plot([], [], color=style.OTHER, ls="--")
        self.kept = ax.text(0, 0, "word with itself + position", **style.name(color=style.CURVE, **END))
        self.mixed = ax.text(0, 0, "two different words", **style.name(color=style.OTHER, **END))
        self.long = ax.text(0.98, 0.99, "", transform=ax.transAxes, **style.name(fontweight="normal", **END))
        return [self.same, self.different, self.kept, self.mixed, self.long]

    def show(self, same, different, lengths):
        last = len(same) - 1
        self.axes(xlim=(-0.5, max(last + 0.5, 0.5)))
        above = same[last] >= different[last]
        self._draw(self.same, self.kept, same, above)
        self._draw(self.different, self.mixed, different, not above)
        token, position = map(style.number, lengths)
        self.long.set_text(f"word {token} long, positions about {position}")
        return (
            f"A word {token} long, positions about {position} long. Cosine of a word with itself plus "
            f"position: {style.number(same[0])} at 0, {style.number(same[last])} at {last}; "
            f"of two different words at {last}: {style.number(different[last])}."
        )

    @staticmethod
    def _draw(curve, name, values, above: bool) -> None:
        """Move a curve, and its name above or below where it ends."""
        curve.set_data(np.arange(len(values)), values)
        name.set_position((len(values) - 1, values[-1] + (0.03 if above else -0.03)))
        name.set_va("bottom" if above else "top")


class Odometer(View):
    """Draw a row of the table as digits, and which of them the next step changes.

    Data: row and next_row (d,), the latter None at the end, and position.
    """

    name = "odometer"
    pointer = ("dim", None)
    parameters = (QUERY,)
    left, right = 0.2, 0.2
    weight = 1.1

    @staticmethod
    def inputs(encoding, values):
        position, table = values["query"], encoding.table
        after = table[position + 1] if position + 1 < len(table) else None
        return {"row": table[position], "next_row": after, "position": position}

    def build(self, ax):
        ax.set_title("One position, digit by digit")
        ax.axis("off")
        ax.set_ylim(-1.5, 1.5)
        self.boxes = [ax.add_patch(Rectangle((k - 0.45, -0.6), 0.9, 1.2, lw=1.2, ec=style.LINE)) for k in range(MOST)]
        text = {"ha": "center", "va": "center", "fontweight": "bold"}
        self.digits = [ax.text(k, 0, "", **text) for k in range(MOST)]
        self.names = [ax.text(k, -0.85, f"dim {k}", fontsize=9, ha="center", va="center") for k in range(MOST)]
        self.flips = [ax.text(k, 0.82, "flips", fontsize=9, color=style.QUERY, **text) for k in range(MOST)]
        self.told = ax.text(0.5, 0.97, "", transform=ax.transAxes, fontsize=11, **text | {"va": "top"})
        return [*self.boxes, *self.digits, *self.flips, *self.names, self.told]

    def show(self, row, next_row, position):
        self.axes(xlim=(-0.7, max(min(len(row), MOST), 3) - 0.3))
        flips = np.zeros(len(row), bool) if next_row is None else np.abs(next_row - row) > 0.5
        for k in range(MOST):
            self._write(k, row, flips)
        self.told.set_text(f"position {position}")
        digits = ", ".join(style.number(x) for x in row[:MOST])
        after = "it is the last one" if next_row is None else f"{flips.sum()} of {len(row)} flip at the next step"
        return f"Digits of position {position}: {digits}; {after}."

    def _write(self, k: int, row: np.ndarray, flips: np.ndarray) -> None:
        """Write the digit of one dim, or hide its place where there is none."""
        shown, flipping = k < len(row), k < len(row) and bool(flips[k])
        box, digit = self.boxes[k], self.digits[k]
        for part in (box, digit, self.names[k]):
            part.set_visible(shown)
        self.flips[k].set_visible(flipping)
        if shown:
            digit.set_text(f"{row[k]:.2g}".replace("-", "−"))
            digit.set_fontsize(max(10, 22 - 2 * min(len(row), MOST)))
            box.set_facecolor(style.TINT if row[k] > 0.5 else style.PAPER)
            box.set_edgecolor(style.QUERY if flipping else style.LINE)
            box.set_linewidth(3 if flipping else 1.2)
