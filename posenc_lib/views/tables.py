"""The table itself: as colours, digit by digit, and added to tokens."""

import itertools
import math
from functools import cache

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.images import ImageView
from posenc_lib.views.old_points import drawn_dims
from posenc_lib.views.style import number
from posenc_lib.views.view import QUERY, CurveView, View, over

MOST = 8  # digits in sight
TITLES = {"sum": "Words + positions", "words": "Words alone", "positions": "Positions alone"}
SCALE = Parameter("embed_scale", "what every word vector (of length 1) is multiplied by first", 1, 1, 64, least=1)
END = {"ha": "right", "va": "top"}


class TableView(ImageView):
    """A table as colours, positions from left to right, dims from top to bottom.

    Where a page has not two pixels for each dim and dims come in interleaved pairs, the first dims of all pairs are
    drawn above the second ones: neighbours are then waves of almost one length, and their mean is a colour of theirs.
    """

    pointer = ("position", "dim")
    x_label = "position"

    @staticmethod
    def halves(encoding) -> tuple[str, str] | None:
        """Return what even and odd dims are called where those of a pair stand side by side, else None."""
        return encoding.halves if encoding.has("halves") and encoding.pairing == "interleaved" else None

    def color_table(self, table, clim: tuple, halves: tuple[str, str] | None, **state) -> str:
        """Colour a table (seq_len, d); return remarks on the order of its dims and on what a pixel shows."""
        count, dims, remarks, label = table.shape[1], table.T, (), "dim"
        room = self.spans(*table.shape)[1]
        order, numbered = range(count), _ticks(count, room)
        if halves and self.pixels(*table.shape)[1] < 2:
            order, remarks = [*range(0, count, 2), *range(1, count, 2)], (f"{halves[0]} above, {halves[1]} below",)
            dims, label = np.hstack([table[:, ::2], table[:, 1::2]]).T, f"dim: {remarks[0]}"
            step = 2 * math.ceil(style.nice_bound(room / 6))
            numbered = tuple(row for row in range(count) if order[row] % step < 2)  # alike in both halves
        self.order = order
        self.pointer = ("position", None if remarks else "dim")  # a row's number is not its dim's where they are apart
        ticks = {"yticks": numbered, "yticklabels": tuple(str(order[row]) for row in numbered)}
        self.color(dims, clim, ylabel=label, **ticks, **state)
        return self.grain(*table.shape, *remarks)


@cache
def _ticks(count: int, room: float) -> tuple[int, ...]:
    """Return the rows, of so many, that bear their number where there is room for some more."""
    ticks = MaxNLocator(4, integer=True).tick_values(-0.5, room - 0.5)
    return tuple(int(tick) for tick in ticks if 0 <= tick < count)


class Heatmap(TableView, name="heatmap"):
    """Colour a table, positions from left to right, dims from top to bottom.

    Data: table (seq_len, d); shown_dims (how many of the first dims), query and bound, or None; halves. Colours reach
    from −bound to bound, where one is given: pictures side by side can be compared.
    """

    title = "The table"
    query_line = "x"
    parameters = (Parameter("shown_dims", "how many of the first dims are drawn", None, 1, 1024, start=1024, least=1),)

    def inputs(self, encoding, values):
        shown = {name: values.get(name) for name in ("shown_dims", "query", "bound")}
        marked = drawn_dims(encoding, values) if "pair" in values else ()
        return {"table": encoding.table, "halves": self.halves(encoding), "marked": marked} | shown

    def build(self, ax):
        rim = [withStroke(linewidth=3, foreground=style.PAPER)]
        look = {"fill": False, "ec": style.INK, "lw": 1.4, "zorder": 2, "path_effects": rim, "clip_on": False}
        self.frames = [ax.add_patch(Rectangle((-0.5, 0), 0, 1, **look)) for _ in range(2)]
        return [*super().build(ax), *self.frames]

    def show(self, table, shown_dims=None, query=None, bound=None, halves=None, marked=()):
        shown = table[:, :shown_dims]
        limits = self.color_limits(shown) if bound is None else (-bound, bound)
        remarks = self.color_table(shown, limits, halves)
        self.ask(query)
        self.mark(marked, len(shown))
        low, high = shown.min(), shown.max()
        size = f"{len(shown)} positions × {shown.shape[1]} dims{remarks}"
        text = f"Table: {size}, values from {number(low)} to {number(high)}"
        if low >= 0:
            return f"{text}."
        signs = np.signbit(shown[:, [0, -1]])
        first, last = (signs[1:] != signs[:-1]).sum(axis=0)
        return f"{text}; the first dim changes sign {style.times(first)}, the last {style.times(last)}."

    def mark(self, dims, columns: int) -> None:
        """Frame the rows of these dims, those that another view of the panel draws: one frame for two neighbours."""
        rows = sorted(row for row, dim in enumerate(self.order) if dim in dims and len(self.order) > len(dims))
        framed = [(rows[0], 2)] if np.diff(rows).tolist() == [1] else [(row, 1) for row in rows]
        for frame, (row, count) in itertools.zip_longest(self.frames, framed, fillvalue=(0, 0)):
            frame.set_visible(count > 0)
            frame.set_bounds(-0.5, row - 0.5, columns, count)


class TableRows(ImageView, name="table_rows"):
    """Colour a table as tutorials often do, positions from top to bottom, dims from left to right.

    Data: table (seq_len, d); query or None.
    """

    pointer = ("dim", "position")
    title, x_label, y_label = "A row for each position", "dim", "position"
    query_line = "y"

    def inputs(self, encoding, values):
        return {"table": encoding.table, "query": values.get("query")}

    def show(self, table, query=None):
        self.color(table, self.color_limits(table))
        self.ask(query)
        rows, columns = table.shape
        ends = f"values from {number(table.min())} to {number(table.max())}"
        return f"Rows: {rows} positions × {columns} dims{self.grain(columns, rows)}, {ends}."


class Added(TableView, name="added"):
    """Colour tokens, their positions or the sum, all on one scale; data: parts (tables by name), part, halves."""

    needs = ("rows",)
    most_positions = 1024
    parameters = (Parameter("part", "what is drawn", "sum", options=tuple(TITLES)), SCALE)

    def inputs(self, encoding, values):
        x, p = toy_data.embedded(*encoding.table.shape, values["embed_scale"]), encoding.table.astype(np.float64)
        parts = {"sum": x + p, "words": x, "positions": p}
        return {"parts": parts, "part": values["part"], "halves": self.halves(encoding)}

    def show(self, parts, part, halves=None):
        bound = style.tight_bound(2 * np.abs(parts["positions"]).max())  # whatever the words: then it stands still
        remarks = self.color_table(parts[part], (-bound, bound), halves, title=TITLES[part])
        length = np.median(np.linalg.norm(parts[part], axis=1))
        return f"{TITLES[part]}: {len(parts[part])} vectors{remarks}, {number(length)} long at the median."


class TokenCosine(CurveView, name="token_cosine"):
    """Draw two mean cosines against the position; data: same (n,), different (n,), lengths (of token, of position)."""

    needs = ("rows",)
    pointer = ("position", None)
    title, x_label, y_label = "Direction a word keeps", "position", "cosine"
    zero_line = True
    most_positions = 1024
    parameters = (SCALE,)

    def inputs(self, encoding, values):
        scale = values["embed_scale"]
        same, different = toy_data.token_cosines(encoding.table.astype(np.float64), scale)
        position = float(np.median(np.linalg.norm(encoding.table, axis=1)))
        return {"same": same, "different": different, "lengths": (float(scale), position)}

    def build(self, ax):
        ax.set(ylim=(-0.25, 1.5), yticks=[0, 0.5, 1])
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


class NearestToken(View, name="nearest_token"):
    """Join each word, plus a position, with the word it is nearest to; data: nearest (10,), cosine, query, seq_len."""

    needs = ("rows",)
    title = "Which word is it nearest to?"
    weight = 1.2
    parameters = (QUERY,)

    def inputs(self, encoding, values):
        table, query = encoding.table, values["query"]
        cosines = toy_data.cosines_once_added(table[query].astype(np.float64))
        told = {"nearest": cosines.argmax(axis=1), "cosine": np.diagonal(cosines).mean()}
        return told | {"query": query, "seq_len": len(table)}

    def build(self, ax):
        words = toy_data.VOCABULARY
        ax.axis("off")
        ax.set(xlim=(0, 1), ylim=(len(words) - 0.5, -1.4))
        self.wires = ax.add_collection(LineCollection([], linewidths=2.4, capstyle="round"))
        self.told = [ax.text(0.36, y, "", ha="right", va="center", fontsize=11) for y in range(len(words))]
        self.named = [ax.text(0.7, y, word, va="center", fontsize=11) for y, word in enumerate(words)]
        self.head = ax.text(0.36, -1, "", ha="right", va="center", color=style.QUERY, fontweight="bold")
        ax.text(0.7, -1, "nearest", va="center", color=style.SOFT)
        return [self.wires, *self.told, *self.named, self.head]

    def show(self, nearest, cosine, query, seq_len):
        self.axes()
        words, own = toy_data.VOCABULARY, nearest == np.arange(len(nearest))
        self.wires.set_segments([[(0.38, k), (0.68, at)] for k, at in enumerate(nearest)])
        self.wires.set_color([style.CURVE if kept else style.QUERY for kept in own])
        self.wires.set_linestyle(["-" if kept else (0, (3, 1.2)) for kept in own])
        self.head.set_text(f"position {query}")
        for k, (told, named) in enumerate(zip(self.told, self.named, strict=True)):
            told.set_text(f"{words[k]} + {query}")
            found = k in nearest
            named.set(color=style.INK if found else style.GHOST, fontweight="bold" if found else "normal")
        taken = [f"{words[k]} for {words[at]}" for k, at in enumerate(nearest) if k != at]
        kept = "words is nearest to itself" if own.sum() == 1 else "words are nearest to themselves"
        text = f"Position {query} of {seq_len} added: {own.sum()} of {len(nearest)} {kept}"
        text += f", with a cosine of {number(cosine)} on average over all"
        return text + (f"; taken for another one: {', '.join(taken)}." if taken else ".")


class Odometer(View, name="odometer"):
    """Draw a row as digits, which of them the next step flips, and how often each has flipped from position 0 on.

    Data: row and next_row (d,), the second None after the last; flipped (d,); position. A flip is by more than 1/2.
    """

    pointer = ("dim", None)
    title = "One position, digit by digit"
    left, right, weight = 0.2, 0.2, 1.1
    parameters = (QUERY,)

    def inputs(self, encoding, values):
        position, table = values["query"], encoding.table
        after = table[position + 1] if position + 1 < len(table) else None
        flipped = (np.abs(np.diff(table[: position + 1].astype(np.float64), axis=0)) > 0.5).sum(axis=0)
        return {"row": table[position], "next_row": after, "flipped": flipped, "position": position}

    def build(self, ax):
        ax.axis("off")
        ax.set_ylim(-1.5, 1.25)
        text = {"ha": "center", "va": "center", "fontweight": "bold"}
        self.boxes = [ax.add_patch(Rectangle((k - 0.45, -0.6), 0.9, 1.2)) for k in range(MOST)]
        self.digits = [ax.text(k, 0, "", **text) for k in range(MOST)]
        self.names = [ax.text(k, -0.78, f"dim {k}", fontsize=9, ha="center", va="center") for k in range(MOST)]
        self.flips = [ax.text(k, 0.76, "flips", fontsize=9, color=style.QUERY, **text) for k in range(MOST)]
        self.counts = [ax.text(k, -1.02, "", fontsize=11, color=style.CURVE, **text) for k in range(MOST)]
        self.told = ax.text(0.5, 0.97, "", transform=ax.transAxes, fontsize=11, **text | {"va": "top"})
        look = {"fontsize": 11, "ha": "center", "va": "center", "color": style.CURVE}
        ax.text(0.5, -1.3, "flips so far", transform=ax.get_yaxis_transform(), **look)
        return [*self.boxes, *self.digits, *self.flips, *self.names, *self.counts, self.told]

    def show(self, row, next_row, flipped, position):
        shown = row[:MOST]
        self.axes(xlim=(-0.7, max(len(shown), 3) - 0.3))
        flips = np.zeros(len(row), bool) if next_row is None else np.abs(next_row - row) > 0.5
        whole = not np.mod(row, 1).any()
        for k in range(MOST):
            for part in (self.boxes[k], self.digits[k], self.names[k], self.counts[k]):
                part.set_visible(k < len(row))
            self.flips[k].set_visible(k < len(row) and flips[k] and whole)
        letters = max(len(f"{value:.2g}") for value in shown)
        room = 0.9 * 72 * self.ax.bbox.width / self.ax.figure.dpi / np.ptp(self.ax.get_xlim())  # points of a box
        size = min(max(12, 44 - 4 * len(shown)) if letters == 1 else 22, room / (0.72 * letters))
        for box, name, digit, value, flipping in zip(self.boxes, self.names, self.digits, shown, flips, strict=False):
            name.set_fontsize(min(9, room / 3.5))
            digit.set_text(f"{value:.2g}".replace("-", "−"))
            digit.set_fontsize(size)
            box.set_facecolor(style.TINT if value > 0.5 else style.PAPER)
            box.set_edgecolor(style.QUERY if flipping else style.LINE)
            box.set_linewidth(3 if flipping else 1.2)
        for count, times in zip(self.counts, flipped, strict=False):
            count.set_text(str(times))
        self.told.set_text(f"position {position}")
        event, events = ("flip", "flips") if whole else ("change", "changes by more than a half")
        event = f"{event}{'s' if flips.sum() == 1 else ''}{'' if whole else ' by more than a half'}"
        after = "it is the last one" if next_row is None else f"{flips.sum()} of {len(row)} {event} at the next step"
        so_far = ", ".join(map(str, flipped[:MOST]))
        return f"Digits of position {position}: {', '.join(map(number, shown))}; {after}; {events} so far: {so_far}."
