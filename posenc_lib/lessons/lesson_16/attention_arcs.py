"""Attention as arcs over a sentence, from each word to the words it attends to."""

import numpy as np

from posenc_lib.encodings import toy_data
from posenc_lib.views import style
from posenc_lib.views.view import QUERY, view

LEAST = 0.02  # the smallest weight drawn
MOST = 56  # weights drawn at most, each in a tenth of a millisecond
LOOP, BESIDE = 8, 4  # px: the radius of an arc to itself, the edge left of a column of words
LINE, APART = 13, 20  # px between words in a column, between numbers in a row
THIN, THICK = 0.6, 6.6  # points of an arc
FULL = 0.45  # of the way to the next word, an arc's greatest width in a column
ROW = 12  # px between rows of words
FEW = 8  # fewer words are spaced evenly
CLOSE = set(".,;:!?")  # with less space before them
PARKED = "gray: attention to the first word"
ROUND = np.linspace(0, 2 * np.pi, 33)
SHAPE = {"most_positions": 96, "tall": 1.1, "wide": 1008, "narrow": 2.1, "left": 8}


@view(
    "free",
    "Where each word looks",
    x="position of the query",
    needs="attend",
    ignores="content",
    **SHAPE,
)
def attention_arcs(pen, encoding, query=QUERY):
    """Draw an arc from each word to each word it attends to, as wide as the weight.

    A word sees itself and the words before it. The arcs of one word stand out, and those to the
    first word are gray. If there are too many, only the widest are drawn. A sentence too long for
    a row takes two or three, or a column.
    """
    words, weights = _attention(encoding)
    query = min(query, len(words) - 1)
    top = int(weights[query].argmax())
    places, rows_of_words = _places(pen, words)
    column = not rows_of_words
    pen.axes((0, pen.size[0]), (0, pen.size[1]), x="", xticks=(), yticks=())  # data are px
    base = 0.0
    if column:
        base = BESIDE + 6 + max(style.text_width(word, style.NUMBERS, "bold") for word in words)

    thick = THICK
    if column and len(words) > 1:
        thick = min(THICK, FULL * abs(places[1] - places[0]) * 72 / style.CSS_DPI)

    # What stays while the query moves is drawn first: its pixels are kept
    rows, keys = np.nonzero(_drawn(weights))
    arcs, strong = _arcs(places, rows, keys, base, column, pen.size), weights[rows, keys]
    first = (keys == 0) & (rows > 1)
    for chosen, color, strength in ((first, style.GHOST, 0.6), (~first, style.KEY, 1.0)):
        alpha = strength * np.minimum(0.1 + strong[chosen], 0.85)
        if chosen.any():
            look = {
                "alpha": alpha,
                "lw": THIN + (thick - THIN) * strong[chosen],
                "capstyle": "butt",
            }
            pen.strokes(arcs[chosen], color=color, **look)
    if first.any():  # in the corner where no arc ends
        corner, inward = ((1, 0), (0, 10)) if column else ((1, 1), (0, -10))
        look = {"color": style.SOFT, "fontweight": "normal", "ha": "right"}
        pen.label(PARKED, corner, inward, within="axes", **look)
    keys = np.flatnonzero(weights[query] >= LEAST / 2)
    arcs = _arcs(places, np.full(len(keys), query), keys, base, column, pen.size)
    lw = THIN + (thick - THIN) * weights[query, keys]
    pen.strokes(arcs, color=style.QUERY, lw=lw, capstyle="butt")
    _write(pen, words, places, rows_of_words, {top: style.KEY} | {query: style.QUERY})

    aside = np.full(len(words), BESIDE + 16.0 if column else 0.0)
    pen.points = np.stack([aside, places] if column else [places, aside], axis=-1)
    pen.says = lambda x, y: _looks(words, weights, np.abs(places - (y if column else x)).argmin())
    most = f"{weights[query, top]:.0%}"
    named = "itself" if top == query else words[top]
    pen.unit((words[query], style.QUERY), "attends most to", (named, style.KEY), most)
    share, where = _mostly(weights)
    pen.title(f"{share:.0%} of attention goes {where}")
    told = _looks(words, weights, query)
    return f"{told}. From the second word on, {share:.0%} of attention goes {where}."


def _attention(encoding) -> tuple[list[str], np.ndarray]:
    """Return the words, or positions if there are none, and attention's weights."""
    n = encoding.max_positions
    x = np.broadcast_to(toy_data.tokens(1, encoding.num_dims), (n, encoding.num_dims))
    words = [word.strip() or "␣" for word in encoding.tokens[:n]]
    return words or [f"{k}" for k in range(n)], encoding.attend(x, causal=True)[1]


def _drawn(weights: np.ndarray) -> np.ndarray:
    """Return which weights are large enough to be drawn for all words."""
    drawn = weights >= max(LEAST, np.sort(weights, axis=None)[-MOST:][0])
    drawn[0] = False  # it has no choice
    return drawn


def _places(pen, words: list[str]) -> tuple[np.ndarray, int]:
    """Return the words' places along the plot in px, and their rows: 0 means a column."""
    (wide, high), n = pen.size, len(words)
    even = (np.arange(n) + 0.5) * wide / n
    if n < FEW or words[0].isdigit():
        return even, 1
    long = np.array([style.text_width(word, style.NUMBERS, "bold") for word in words])
    gaps = np.array([0.5 if word in CLOSE else 1.0 for word in words])
    if long.sum() + 4 * gaps.sum() <= wide:
        gaps *= min((wide - long.sum()) / gaps.sum(), 10)
        ends = np.cumsum(long + gaps)
        return ends - long / 2 + (wide - ends[-1] - gaps[0]) / 2, 1
    for rows in (2, 3):
        if (long[:-rows] + long[rows:]).max() / 2 + 2 <= rows * wide / n:
            return even, rows
    return high - 6 - np.arange(n) * (high - 12) / (n - 1), 0


def _write(pen, words: list[str], places: np.ndarray, rows: int, bold: dict) -> None:
    """Write the words, some in bold and in color; if they'd overlap, every second or third."""
    every = 1
    if len(words) > 1 and (not rows or words[0].isdigit()):
        every = int(np.ceil((APART if rows else LINE) / abs(places[1] - places[0])))
    plain = {"fontsize": style.NUMBERS, "ha": "center" if rows else "left", "color": style.SOFT}
    for k, word in enumerate(words):
        look = {"color": bold[k], "fontweight": "bold"} if k in bold else {}
        crowded = k % every or any(abs(k - other) < every for other in bold)
        if look or not crowded:
            place, shift = (BESIDE, places[k]), (0, 0)
            if rows:
                place, shift = (places[k], 0), (0, -11 - ROW * (k % rows))
            pen.text(word, place, shift, **plain | look)


def _arcs(places, rows, keys, base: float, column: bool, size) -> np.ndarray:
    """Return the points of the arcs from queries to keys in px, shape (arcs, points, 2)."""
    half = np.abs(places[rows] - places[keys]) / 2
    room = (size[0] - base if column else size[1]) - 8
    out = np.minimum(1.1 * half + 8, room)[:, None] * np.sin(ROUND / 2)
    along = ((places[rows] + places[keys]) / 2)[:, None] + half[:, None] * np.cos(ROUND / 2)
    own = half == 0  # a loop that starts and ends at its word
    out[own] = LOOP * (1 - np.cos(ROUND))
    along[own] += LOOP * np.sin(ROUND)
    out += base
    return np.stack([out, along] if column else [along, out], axis=-1)


def _looks(words: list[str], weights: np.ndarray, query: int) -> str:
    """Say where most of a word's attention goes."""
    top = int(weights[query].argmax())
    to = "itself" if top == query else f"“{words[top]}”"
    return f"“{words[query]}” gives {weights[query, top]:.0%} of its attention to {to}"


def _mostly(weights: np.ndarray) -> tuple[float, str]:
    """Return where most attention goes, and its share, over all words but the first."""
    n = len(weights)
    if n < 2:
        return 1.0, "to itself"
    shares = {"to itself": np.diagonal(weights)[1:].mean()}
    shares |= {"to the first word": weights[1:, 0].mean()}
    for d in range(1, n):
        where = f"{d} words back" if d > 1 else "to the word before"
        shares[where] = np.diagonal(weights, -d).sum() / (n - 1)
    where = max(shares, key=shares.get)
    return float(shares[where]), where
