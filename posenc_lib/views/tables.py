"""The table itself: as colours, digit by digit, and added to words."""

import math

import numpy as np
from matplotlib.ticker import MaxNLocator

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.points import plane
from posenc_lib.views.style import number
from posenc_lib.views.view import QUERY, view

COLUMN = 100  # px of a column of words
MOST = 8  # digits in sight
WIDEST = 100  # px of a wheel
ROLL, WINDOW, COUNTS = 0.71, 0.42, -1.3  # on it: from one digit to the next, half of what faces us; below: its count
TITLES = {"sum": "Words + positions", "words": "Words alone", "positions": "Positions alone"}
SHOWN_DIMS = Parameter("shown_dims", "how many of the first dims are drawn", None, 1, 1024, start=1024, least=1)
PART = Parameter("part", "what is drawn", "sum", options=tuple(TITLES))
SCALE = Parameter("embed_scale", "what every word vector (of length 1) is multiplied by first", 1, 1, 64, least=1)
LINE = 14  # px from a number on the axis to the next, at least


def color_table(pen, encoding, table, clim=None) -> tuple[list[int], str]:
    """Colour a table, positions from left to right, dims from top to bottom; return the dim of each row, and remarks.

    Where a page has not two pixels for each dim and dims come in interleaved pairs, the first dims of all pairs are
    drawn above the second ones: neighbours are then waves of almost one length, and their mean is a colour of theirs.
    """
    count, room, remarks, words = table.shape[1], pen.room(table.T)[0], [], "dim"
    order, ticks = list(range(count)), MaxNLocator(4, integer=True).tick_values(-0.5, room - 0.5)
    rows = [int(tick) for tick in ticks if 0 <= tick < count]
    beside = encoding.has("halves") and encoding.pairing == "interleaved"
    if beside and pen.size[1] * 1.5 / room < 2:
        order, remarks = [*order[::2], *order[1::2]], ["{} above, {} below".format(*encoding.halves)]
        words, step = f"dim: {remarks[0]}", 2 * math.ceil(style.nice_bound(room / 6))
        rows = [row for row in range(count) if order[row] % step < 2]  # alike in both halves
        pen.names = ("position", None)  # a row's number is not its dim's
    pen.cells(table.T[order], clim, yticks={row: str(order[row]) for row in rows})
    pen.unit(f"↓ {words}")
    return order, pen.grain(table.T, *remarks)


def frame_rows(pen, order: list[int], dims) -> None:
    """Frame the rows of two dims, in one frame where they are neighbours, and write their numbers on the axis."""
    rows = sorted(row for row, dim in enumerate(order) if dim in dims and len(order) > len(dims))
    columns, high = pen.grid.shape[1], pen.size[1] / pen.room(pen.grid)[0]
    for row, count in [(rows[0], 2)] if np.diff(rows).tolist() == [1] else [(row, 1) for row in rows]:
        pen.frame(-0.5, row - 0.5, columns, count, style.PAIR, 1.4)
    apart = max(LINE / high - np.ptp(rows), 0) / 2 if len(rows) > 1 else 0  # so that neither covers the other
    for row, move in zip(rows, (-apart, apart), strict=False):
        pen.at("y", row + move, str(order[row]), style.PAIR)


@view("cells", "The table", x="position", y="dim")
def heatmap(pen, encoding, shown_dims=SHOWN_DIMS, query=None, bound=None, pair=None, x_dim=None, y_dim=None):
    """Colour a table, a column for each position, from −bound to bound if one is given; frame the dims of a plane."""
    table = encoding.table[:, :shown_dims]
    order, remarks = color_table(pen, encoding, table, None if bound is None else (-bound, bound))
    if pair is not None:
        frame_rows(pen, order, plane(encoding, pair, x_dim, y_dim))
    pen.query(query)
    low, high = map(number, (table.min(), table.max()))
    signs = np.signbit(table[:, [0, -1]])
    first, last = (signs[1:] != signs[:-1]).sum(axis=0).tolist()
    title = f"Values from {low} to {high}" if low != high else f"Every value is {low}"
    pen.title(f"From {style.plural(first, 'sign change')} down to {last or 'none'}" if first > 2 * last else title)
    size = f"{len(table)} positions × {table.shape[1]} dims{remarks}"
    text = f"Table: {size}, values from {low} to {high}"
    if table.min() >= 0:
        return f"{text}."
    return f"{text}; the first dim changes sign {style.times(first)}, the last {style.times(last)}."


@view("cells", "A row for each position", x="dim", y="position")
def table_rows(pen, encoding, query=None):
    """Colour a table as tutorials often do, a row for each position."""
    table = encoding.table
    pen.cells(table)
    pen.query(y=query)
    pen.title(f"{style.plural(len(table), 'position')}, a row each")
    ends = f"values from {number(table.min())} to {number(table.max())}"
    return f"Rows: {len(table)} positions × {table.shape[1]} dims{pen.grain(table)}, {ends}."


@view("cells", "Words + positions", x="position", y="dim", needs="rows", most_positions=1024)
def added(pen, encoding, part=PART, embed_scale=SCALE):
    """Colour words, their positions or the sum, all on one scale."""
    words, positions = toy_data.embedded(*encoding.table.shape, embed_scale), encoding.table.astype(np.float64)
    drawn = {"sum": words + positions, "words": words, "positions": positions}[part]
    bound = style.tight_bound(2 * np.abs(positions).max())  # whatever the words: then it does not move
    remarks = color_table(pen, encoding, drawn, (-bound, bound))[1]
    length, own = number(np.median(np.linalg.norm(drawn, axis=1))), about(positions)
    both = f"Words {number(embed_scale)} long + positions {own} long"
    told = {"sum": both, "words": f"{TITLES[part]}: {length} long"}
    pen.title(told.get(part, f"{TITLES[part]}: {own} long"))
    return f"{TITLES[part]}: {len(drawn)} vectors{remarks}, {length} long at the median."


def about(table) -> str:
    """Return how long the rows of a table are, or about how long where they differ."""
    lengths = np.linalg.norm(table, axis=1)
    return f"{'about ' if np.ptp(lengths) > 1e-3 * lengths.max() else ''}{number(float(np.median(lengths)))}"


@view("curves", "Direction a word keeps", x="position", needs="rows", most_positions=1024)
def token_cosine(pen, encoding, embed_scale=SCALE):
    """Draw how much of a word's direction is left at each position, and how alike two different words are there."""
    same, different = toy_data.token_cosines(encoding.table.astype(np.float64), embed_scale)
    last, position = len(same) - 1, number(float(np.median(np.linalg.norm(encoding.table, axis=1))))
    pen.axes(len(same), (-0.18, 1.18), yticks=(0, 0.25, 0.5, 0.75, 1))
    word = number(float(embed_scale))
    pen.unit(f"↑ cosine, with words {word} long, positions {about(encoding.table)}")
    above = 1 if same[last] >= different[last] else -1
    pen.curve(different, color=style.OTHER, linestyle=(0, (4, 1.5)))
    pen.curve(same)
    pen.dots([(last, different[last]), (last, same[last])], color=[style.OTHER, style.KEY], size=9, lw=1.2)
    names = {"word with itself + position": (same, style.KEY), "two different words": (different, style.OTHER)}
    for (name, (curve, color)), side in zip(names.items(), (above, -above), strict=True):
        pen.label(name, (last, curve[last]), (0, 12 * side), ha="right", color=color)
    kept, mixed = number(same[last]), number(different[last])
    pen.title(f"With position {last} a word is {kept} like itself")
    text = f"A word {word} long, positions about {position} long. Cosine of a word with itself plus position: "
    return f"{text}{number(same[0])} at 0, {kept} at {last}; of two different words at {last}: {mixed}."


@view("free", "Which word is it nearest to?", needs="rows", numbers=0)
def nearest_token(pen, encoding, query=QUERY):
    """Join each word, plus a position, with the word it is nearest to."""
    table, words = encoding.table, toy_data.VOCABULARY
    cosines = toy_data.cosines_once_added(table[query].astype(np.float64))
    nearest, cosine, count = cosines.argmax(axis=1), np.diagonal(cosines).mean(), len(words)
    own = nearest == np.arange(count)
    pen.axes((0, 1), (count - 0.4, -0.6), xticks=(), yticks=())
    left, right = COLUMN / pen.size[0], 1 - COLUMN / pen.size[0]
    wires = np.array([[(left, k), (right, at)] for k, at in enumerate(nearest)])
    pen.strokes(wires[~own], color=style.INK, lw=1.6, linestyle=(0, (3, 1.5)))
    pen.strokes(wires[own], color=style.KEY, lw=2.4)
    start, end = {"fontsize": style.TITLE, "ha": "right"}, {"fontsize": style.TITLE, "ha": "left"}
    pen.text(f"position {query}", (left, 1), (-6, 14), within="axes", color=style.QUERY, fontweight="bold", **start)
    pen.text("nearest word", (right, 1), (6, 14), within="axes", color=style.SOFT, **end)
    for k, word in enumerate(words):
        pen.text(f"{word} + {query}", (left, k), (-6, 0), **start)
        pen.text(word, (right, k), (6, 0), **end, **{"fontweight": "bold"} if k in nearest else {"color": style.SOFT})
    kept, one = int(own.sum()), len({*nearest.tolist()}) == 1
    stay = "All" if kept == count else f"{kept} of"
    itself = f"1 of {count} words remains itself" if kept == 1 else f"{stay} {count} words remain themselves"
    pen.title(f"All {count} words become “{words[nearest[0]]}”" if one else itself)
    taken = [f"{words[k]} for {words[at]}" for k, at in enumerate(nearest) if k != at]
    how = "words is nearest to itself" if kept == 1 else "words are nearest to themselves"
    text = f"Position {query} of {len(table)} added: {kept} of {count} {how}"
    text += f", with a cosine of {number(cosine)} on average over all"
    return text + (f"; taken for another one: {', '.join(taken)}." if taken else ".")


@view("free", "One position, digit by digit", x="dim", weight=1.1)
def odometer(pen, encoding, query=QUERY):
    """Draw a row as wheels, with the rows before and after it, and how often each has flipped from position 0 on.

    A flip is by more than 1/2; a wheel that flips at the next step is framed.
    """
    table = encoding.table.astype(np.float64)
    flips = np.abs(np.diff(table, axis=0, append=table[-1:])) > 0.5
    count, row, now, so_far = table.shape[1], table[query], flips[query], flips[:query].sum(axis=0)
    whole, last = not np.mod(row, 1).any(), query + 1 == len(table)
    shown, rows = min(count, MOST), range(max(query - 1, 0), min(query + 2, len(table)))
    pen.axes((-0.6, max(shown, 3) - 0.4), (-1.62, 1.12), xticks=range(shown), yticks=())
    across = wheels(pen, row[:shown] > 0.5, now)
    for at in rows:
        here, place = at == query, ROLL * (query - at)
        words = [digit(value, whole) for value in table[at, :shown].tolist()]
        size = min(36 if here else 18, 0.94 * across / max(map(len, words)))
        for k, word in enumerate(words):
            loud = here or (at > query and now[k])
            look = {"fontweight": "bold"} if loud else {"color": style.SOFT}
            pen.text(word, (k, place), fontsize=size, **look)
        look = {"color": style.QUERY, "fontweight": "bold"} if here else {"color": style.SOFT}
        pen.text(f"{at:,}", (0, place), (-6, 0), within="y", ha="right", fontsize=style.NUMBERS, **look)
    look = {"color": style.KEY, "fontweight": "bold"}
    pen.text("flips", (0, COUNTS), (-6, 0), within="y", ha="right", fontsize=style.NUMBERS, **look)
    for k, times in enumerate(so_far[:shown].tolist()):
        pen.text(str(times), (k, COUNTS), fontsize=style.TITLE, **look)
    pen.unit((f"position {query}", style.QUERY), "and its neighbours; framed: what flips next")
    what = f"flips {now.sum()} of {style.plural(count, 'digit')}"
    what = what if whole else f"changes {now.sum()} of {count} by over ½"
    pen.title(f"{query} is the last position" if last else f"{query} → {query + 1} {what}")
    event, events = ("flip", "flips") if whole else ("change", "changes by more than a half")
    event = f"{event}{'s' if now.sum() == 1 else ''}{'' if whole else ' by more than a half'}"
    after = "it is the last one" if last else f"{now.sum()} of {count} {event} at the next step"
    told = ", ".join(map(str, so_far[:MOST]))
    return f"Digits of position {query}: {', '.join(map(number, row[:MOST]))}; {after}; {events} so far: {told}."


def wheels(pen, high, framed) -> float:
    """Draw wheels, tinted where a digit is high, and frame some; return how wide they are, in pixels of the page."""
    one = pen.size[0] / np.ptp(pen.limits["xlim"])
    half = min(0.44, WIDEST / 2 / one)
    for k, tint in enumerate(high):
        pen.box(k - half, -1, 2 * half, 2, fill=style.GRID, lw=0)
        pen.box(k - half, -WINDOW, 2 * half, 2 * WINDOW, fill=style.TINT if tint else style.PAPER, lw=0)
        look = {"color": style.INK, "lw": 3} if framed[k] else {"color": style.RULE, "lw": 0.8}
        pen.box(k - half, -1, 2 * half, 2, **look)
    return float(2 * half * one)


def digit(value: float, whole: bool) -> str:
    """Return a value in few letters: 1, or −.12 where there are others than whole numbers."""
    if whole:
        return f"{value:.2g}".replace("-", "−")
    words = f"{abs(value):.2f}".removeprefix("0") if abs(value) < 0.995 else f"{abs(value):.2g}"
    return "−" * (value <= -0.005) + words
