"""The table itself: as colours, alone or added to words, and digit by digit."""

from dataclasses import replace

import numpy as np

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.points import plane
from posenc_lib.views.style import number
from posenc_lib.views.view import QUERY, view

BOLD = {"fontweight": "bold"}
COLUMN, WIRE = 100, 260  # px of a column of words, and of what joins two
MOST = 8  # digits in sight
ROLL, WINDOW, COUNTS = (
    0.71,
    0.42,
    -1.3,
)  # on it: from one digit to the next, half of what faces us; below: its count
TITLES = {"positions": "Positions alone", "words": "Words alone", "sum": "Words + positions"}
DIMS = Parameter(
    "shown_dims", "how many of the first dims are drawn", None, 1, 1024, start=1024, least=1
)
PART = Parameter(
    "part", "what is drawn: positions, words or their sum", None, options=tuple(TITLES)
)
SCALE = Parameter(
    "embed_scale", "what every word vector (of length 1) is multiplied by first", 1, 1, 64, least=1
)
ASKED = replace(SCALE, default=None, start=1)


@view("cells", "The table", x="position", y="dim")
def heatmap(
    pen, encoding, shown_dims=DIMS, part=PART, embed_scale=ASKED, query=None, bound=None, pair=None
):
    """Colour a table, a column for each position, or words or their sum; frame the dims of a plane.

    Colours go from −bound to bound if one is given; with words they do not depend on the words.
    """
    whole = encoding.table
    if part in ("words", "sum"):
        if not encoding.has("rows"):
            raise ValueError(
                f'part must be "positions" for {encoding.name}, which adds nothing to words'
            )
        words = toy_data.embedded(*encoding.table.shape, embed_scale or 1)
        whole = words + encoding.table * (part == "sum")
        bound = style.tight_bound(2 * np.abs(encoding.table).max())
    table = whole[:, :shown_dims]
    pen.cells(table.T, None if bound is None else (-bound, bound))
    framed = sorted(plane(encoding, pair)) if pair is not None and table.shape[1] > 2 else ()
    for row in framed:  # neighbours in one frame, with the number of the first
        if row - 1 not in framed:
            pen.frame(-0.5, row - 0.5, len(table), 1 + (row + 1 in framed), style.PAIR, 1.4)
            pen.tick("y", row, color=style.PAIR)
    pen.query(query)
    if part:
        length = about(whole)
        pen.title(f"{TITLES[part]}: {length} long")
        return f"{TITLES[part]}: {len(table)} vectors, {length} long."
    low, high = map(number, (table.min(), table.max()))
    signs = np.signbit(table[:, [0, -1]])
    first, last = (signs[1:] != signs[:-1]).sum(axis=0).tolist()
    changes = f"From {style.plural(first, 'sign change')} down to {last or 'none'}"
    pen.title(changes if first > 2 * last else f"Values from {low} to {high}")
    return f"Table: {len(table)} positions × {table.shape[1]} dims, values from {low} to {high}."


def about(table) -> str:
    """Return how long the rows of a table are, or about how long where they differ."""
    lengths = np.linalg.norm(table, axis=1)
    return f"{'about ' if np.ptp(lengths) > 1e-3 * lengths.max() else ''}{number(float(np.median(lengths)))}"


@view("curves", "Direction a word keeps", x="position", needs="rows", most_positions=1024)
def token_cosine(pen, encoding, embed_scale=SCALE):
    """Draw how much of a word's direction is left at each position, and how alike two different words are there."""
    same, different = toy_data.token_cosines(encoding.table.astype(np.float64), embed_scale)
    last, told = (
        len(same) - 1,
        f"words {number(float(embed_scale))} long, positions {about(encoding.table)}",
    )
    pen.axes(len(same), (-0.18, 1.18), yticks=(0, 0.25, 0.5, 0.75, 1))
    pen.unit(f"↑ cosine, with {told}")
    up = 12 if same[last] >= different[last] else -12
    dashed = {"color": style.OTHER, "linestyle": (0, (4, 1.5))}
    one, two = (
        ("two different words", different, -up, dashed),
        ("word with itself + position", same, up, {}),
    )
    for name, curve, shift, look in (one, two):
        pen.curve(curve, **look)
        pen.mark([(last, curve[last])], look.get("color", style.KEY), 9)
        pen.label(
            name, (last, curve[last]), (0, shift), ha="right", color=look.get("color", style.KEY)
        )
    kept, mixed = number(same[last]), number(different[last])
    pen.title(f"At position {last} two words have cosine {mixed}, a word with itself {kept}")
    both = f"of a word with itself plus position {last}: {kept}; of two words there: {mixed}"
    return f"Cosine, with {told}: {both}."


@view("free", "Which word is it nearest to?", needs="rows", left=0)
def nearest_token(pen, encoding, query=QUERY):
    """Join each word, plus a position, with the word it is nearest to."""
    words = toy_data.VOCABULARY
    cosines = toy_data.cosines_once_added(encoding.table[query].astype(np.float64))
    nearest, cosine, count = cosines.argmax(axis=1), np.diagonal(cosines).mean(), len(words)
    own = nearest == np.arange(count)
    pen.axes((0, 1), (count - 0.4, -0.6), xticks=(), yticks=())
    left = COLUMN / pen.size[0]
    right = min(1 - left, left + WIRE / pen.size[0])
    wires = np.array([[(left, k), (right, at)] for k, at in enumerate(nearest)])
    pen.strokes(wires[own], color=style.KEY, lw=1.4)
    pen.strokes(wires[~own], color=style.INK, lw=2.2, linestyle=(0, (3, 1.5)))
    start, end = {"fontsize": style.TITLE, "ha": "right"}, {"fontsize": style.TITLE, "ha": "left"}
    pen.text(
        f"position {query}", (left, 1), (-6, 14), within="axes", color=style.QUERY, **start, **BOLD
    )
    pen.text("nearest word", (right, 1), (6, 14), within="axes", color=style.SOFT, **end)
    for k, word in enumerate(words):
        pen.text(f"{word} + {query}", (left, k), (-6, 0), **start)
        pen.text(word, (right, k), (6, 0), **end, **BOLD if k in nearest else {"color": style.SOFT})
    kept = int(own.sum())
    all_one = f"All {count} words become “{words[nearest[0]]}”"
    pen.title(
        all_one if len({*nearest.tolist()}) == 1 else f"{kept} of {count} words stay themselves"
    )
    text = f"Position {query} added: {kept} of {count} words stay nearest to themselves"
    taken = ", ".join(f"{words[k]} for {words[at]}" for k, at in enumerate(nearest) if k != at)
    return f"{text}, with a mean cosine of {number(cosine)}{f'; taken for another one: {taken}' if taken else ''}."


@view("free", "One position, digit by digit", x="dim")
def odometer(pen, encoding, query=QUERY):
    """Draw a row as wheels, with the rows before and after it, and how often each has flipped from position 0 on.

    A flip is by more than 1/2; a wheel that flips at the next step is framed.
    """
    table = encoding.table.astype(np.float64)
    flips = np.abs(np.diff(table, axis=0, append=table[-1:])) > 0.5
    count, row, now, so_far = (
        table.shape[1],
        table[query],
        flips[query],
        flips[:query].sum(axis=0)[:MOST].tolist(),
    )
    whole, last, shown = not np.mod(row, 1).any(), query + 1 == len(table), min(count, MOST)
    pen.axes((-0.6, max(shown, 3) - 0.4), (-1.62, 1.12), xticks=range(shown), yticks=())
    pen.unit((f"position {query}", style.QUERY), "and its neighbours; framed: what flips next")
    one = pen.size[0] / pen.spans[0]
    half = min(0.44, 100 / 2 / one)  # px of a wheel
    for k, value in enumerate(row[:shown]):
        look = {"color": style.INK, "lw": 3} if now[k] else {"color": style.RULE, "lw": 0.8}
        pen.bars([k], -1, 1, wide=2 * half, color=style.GRID)
        pen.bars(
            [k], -WINDOW, WINDOW, wide=2 * half, color=style.TINT if value > 0.5 else style.PAPER
        )
        pen.box(k - half, -1, 2 * half, 2, **look)
    side, faint = {"within": "y", "ha": "right", "fontsize": style.NUMBERS}, {"color": style.SOFT}
    for at in range(max(query - 1, 0), min(query + 2, len(table))):
        here, height = at == query, ROLL * (query - at)
        words = [
            f"{value:.{0 if whole else 2}f}".replace("-", "−")
            for value in table[at, :shown].round(2) + 0.0
        ]
        size = min(36 if here else 18, 0.94 * 2 * half * one / max(map(len, words)))
        for k, word in enumerate(words):
            pen.text(
                word,
                (k, height),
                fontsize=size,
                **BOLD if here or (at > query and now[k]) else faint,
            )
        pen.text(
            f"{at:,}",
            (0, height),
            (-6, 0),
            **side,
            **{"color": style.QUERY} | BOLD if here else faint,
        )
    pen.text("flips", (0, COUNTS), (-6, 0), color=style.KEY, **side, **BOLD)
    for k, times in enumerate(so_far):
        pen.text(str(times), (k, COUNTS), fontsize=style.TITLE, color=style.KEY, **BOLD)
    flipping = f"flips {now.sum()} of {style.plural(count, 'digit')}{'' if whole else ' by over ½'}"
    pen.title(f"{query} is the last position" if last else f"{query} → {query + 1} {flipping}")
    after = (
        "it is the last one"
        if last
        else f"{now.sum()} of {count} flip{'s' * int(now.sum() == 1)} at the next step"
    )
    so_far = ", ".join(map(str, so_far))
    return f"Digits of position {query}: {', '.join(map(number, row[:MOST]))}; {after}; flips so far: {so_far}."
