"""The tape: a phrase moves along a text, its hands rotate, and what lies between them stays."""

import numpy as np

from posenc_lib.views import style
from posenc_lib.views.pen import Slid
from posenc_lib.views.scores import eighths
from posenc_lib.views.style import number
from posenc_lib.views.view import OFFSET, QUERY, view

PHRASE = "In the evening the old dog slept by the door and the young cat ran to the gate .".split()
ASKS, ANSWERS = PHRASE.index("slept"), PHRASE.index("dog")
STRIP, TAPE = 0.4, 58  # scores, of the height; tape, px
CELLS = 44, 62  # px of a word at least: phone, desk
PHONE = 420  # px of a plot that is narrow
CIRCLE = np.exp(1j * np.linspace(0, 2 * np.pi, 61))
BOX = np.array([-1, 1, 1, -1]), np.array([0, 0, 1, 1])  # a word's corners, across and down
SHAPE = {"most_positions": 1024, "tall": 1.32, "wide": 856, "narrow": 1.4}
NEEDS = "rotate query_and_key"


def scores_along(encoding, offset: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores at all positions: both rotated, and with waves added; (seq_len,) each."""
    asks = np.arange(encoding.seq_len)
    answers = asks + offset
    queries, keys = encoding.queries_and_keys(asks)[0], encoding.queries_and_keys(answers)[1]
    q, k = encoding.query_and_key()
    added = (q + _waves(encoding, asks)) * (k + _waves(encoding, answers))
    return np.einsum("td,td->t", queries, keys), added.sum(axis=1)


def _waves(encoding, positions: np.ndarray) -> np.ndarray:
    angles = np.outer(positions, encoding.frequencies)
    waves = np.zeros((len(positions), encoding.num_dims))
    a, b = encoding.pair_dims(np.arange(angles.shape[1]))
    waves[:, a], waves[:, b] = np.sin(angles), np.cos(angles)
    return waves


@view("curves", "Rotated together", x="position of the query", needs=NEEDS, **SHAPE)
def rotated_together(pen, encoding, query=QUERY, offset=OFFSET):
    """Move a phrase along a text: the hands of two words rotate, and their score stays."""
    exact, query = query, round(query)  # a film shows its hands between positions, too
    rotated, added = scores_along(encoding, offset)
    both = np.stack([rotated, added])
    most = float(np.abs(both).max())
    low, top = eighths(min(both.min(), 0), both.max(), most)
    last = max(encoding.seq_len - 1, 1)
    ticks = np.arange(-2, 3) * style.nice_bound(most / 2.4)
    inside = [y for y in ticks.tolist() if low <= y <= top]
    pen.axes((0, last), (low, low + (top - low) / STRIP), yticks=inside)

    score, varies = float(rotated[query]), float(np.ptp(added))
    stays = np.ptp(rotated) < 1e-9 * most
    pen.unit(("query", style.QUERY), "and ", ("key", style.KEY), "on a tape of positions")
    verb = "stays" if stays else "is"
    pen.title(f"q · k {verb} {number(score)}; added, it varies by {number(varies)}")
    with pen.always():
        chosen, middles, radius = _faces(pen, len(encoding.frequencies))  # still first
    pen.line(np.arange(last + 1), added, style.OTHER, 1.2)
    pen.curve(rotated, lw=2.8)
    with pen.always():  # who draws the line may look at the hands
        _tape(pen, exact, offset)
        _hands(pen, encoding, exact, offset, chosen, middles, radius)
    pen.query(exact, top=rotated[query])
    pen.mark([(exact, np.interp(exact, np.arange(last + 1), added))], style.OTHER, 7)
    pen.label("added instead", (last, added.max()), (0, 11), color=style.OTHER, ha="right")
    pen.label("q · k, rotated", (last, rotated[-1]), (0, -11), color=style.KEY, ha="right")
    same = "the same" if stays else "not the same"
    ends = f"{number(added.min())} to {number(added.max())}"
    told = f"q · k is {number(score)}, {same} at all {last + 1} positions; added, it is {ends}"
    return f"Query at {query}, key at {number(query + offset)}: {told}."


def _place(pen, x, y) -> np.ndarray:
    """Return the data's places some px right of a plot's lower left corner and above it."""
    px = np.stack(np.broadcast_arrays(x, y), axis=-1)
    return px * pen.spans / pen.size + (0, pen.limits["ylim"][0])


def _tape(pen, query: float, offset: int) -> None:
    """Lay the phrase on a tape of positions; a key too far away stands at the end."""
    wide, high = pen.size
    beside = int((wide / CELLS[int(wide > PHONE)] - 1) / 2)
    cell = wide / (2 * beside + 1)
    shown = np.arange(-beside, beside + 1).tolist()
    key = min(max(offset, -beside), beside)
    colors = {key: style.KEY, 0: style.QUERY}
    words = {k - ASKS: word for k, word in enumerate(PHRASE)}
    home = ANSWERS - ASKS  # there a word goes that gives way to the key
    words |= {home: words.get(key, ""), key: PHRASE[ANSWERS], 0: PHRASE[ASKS]}
    whole, middles = round(query), wide / 2 + cell * np.array(shown)
    there = {k: whole + (offset if k == key else k) for k in shown}
    places = {k: f"{n}".replace("-", "−") for k, n in there.items() if n >= 0 or k in colors}
    slid = middles - cell * (query - whole)
    rows = (words, middles, 15, 30, colors), (places, slid, 46, 24, {})
    for written, across, down, tall, fills in rows:
        x = across[:, None] + BOX[0] * (cell / 2 - 1.5)
        boxes = _place(pen, x, high - down + tall * (0.5 - BOX[1]))
        pen.shapes(boxes, color=[fills.get(k, style.GRID) for k in shown])
        for k, part in zip(shown, (across / wide).tolist(), strict=True):
            color = style.readable_on(fills[k]) if k in fills else colors.get(k, style.SOFT)
            look = {"color": color, "fontweight": "bold" if k in colors else "normal"}
            pen.text(written.get(k, ""), (part, 1 - down / high), within="axes", **look)
    ends = middles[key + beside] + cell / 2 * np.array([-1, 1])
    pen.hands.append(("offset", _place(pen, ends, high - 15), Slid(cell)))
    room = pen.area(*_place(pen, np.array([0, wide]), np.array([STRIP * high + 12, high])))
    pen.hands.append(("query", room, Slid(-cell)))


def _faces(pen, pairs: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Draw dials of some pairs; return which, their middles, x + iy, and radius in px."""
    wide, high = pen.size
    few = 8 if wide > PHONE else 4
    chosen = np.unique(np.linspace(0, pairs - 1, min(pairs, few)).round().astype(int))
    low, top = STRIP * high, high - TAPE
    radius = min(0.42 * wide / len(chosen), (top - low) / 2 - 24)
    x = (np.arange(len(chosen)) + 0.5) * wide / len(chosen)
    middles = x + 1j * ((low + top) / 2 + 10)
    circles = middles[:, None] + radius * CIRCLE
    pen.strokes(_place(pen, circles.real, circles.imag), color=style.GHOST, lw=1)
    below = (middles[0].imag - radius - 13) / high
    for pair, part in zip(chosen.tolist(), (x / wide).tolist(), strict=True):
        pen.text(f"pair {pair}", (part, below), within="axes", color=style.SOFT)
    return chosen, middles, radius


def _hands(pen, encoding, query: float, offset: int, chosen, middles, radius: float) -> None:
    """Draw query and key as a hand on each dial, and the angle between them as a wedge."""
    queries, keys = encoding.queries_and_keys(np.array([query, query + offset]))
    a, b = encoding.pair_dims(chosen)
    hands = np.stack([queries[0, a] + 1j * queries[0, b], keys[1, a] + 1j * keys[1, b]])
    long = np.maximum(np.abs(hands), 1e-9)
    hands *= radius * (0.35 / long + 0.65 / long.max())  # none is too short to be seen

    def placed(z):
        return _place(pen, np.real(z), np.imag(z))

    angles = np.angle(hands[1] * hands[0].conj())
    arcs = np.exp(1j * (np.angle(hands[0]) + np.linspace(0, angles, 24)).T)
    arcs = 0.6 * radius * arcs + middles[:, None]
    wedges = placed(np.append(arcs, middles[:, None], axis=1))
    pen.shapes(wedges, color=style.PAIR, alpha=style.WEDGE[style.theme()])
    pen.strokes(placed(arcs), color=style.PAIR, lw=1.8)
    sliders = ("query", style.QUERY), ("offset", style.KEY)
    for tips, (slider, color) in zip(hands, sliders, strict=True):
        lines = placed(np.stack([middles, middles + tips], axis=1))
        pen.strokes(lines, color=color, lw=3, capstyle="round")
        turns = zip(lines, encoding.frequencies[chosen], strict=True)
        pen.hands += [(slider, *turn) for turn in turns]
    pen.mark(placed(middles), style.INK, 5)
