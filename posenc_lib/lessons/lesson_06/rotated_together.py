"""The tape: a phrase moves along a text, its arrows rotate, and their angles don't change."""

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
NAME = 46  # px for a dial's name beside it
CIRCLE = np.exp(1j * np.linspace(0, 2 * np.pi, 61))
ROWS = [0, 0, 30, 30], [34, 34, TAPE, TAPE]  # px from the top to a word's corners, a number's
SIDES = np.array([-1, 1, 1, -1])
SHAPE = {"most_positions": 1024, "tall": 1.32, "wide": 856, "narrow": 1.4}


def scores_along(encoding, query: float, offset: int) -> tuple[np.ndarray, ...]:
    """Return all positions' scores, rotated and with waves added, and both vectors at one."""
    places = np.arange(min(offset, 0), encoding.seq_len + max(offset, 0))
    asks, answers = (slice(k, k + encoding.seq_len) for k in (0, offset) - places[0])
    queries, keys = encoding.queries_and_keys(np.append(places, [query, query + offset]))
    rotated = np.einsum("td,td->t", queries[asks], keys[answers])
    q, k = encoding.query_and_key()
    waves = _waves(encoding, places)
    added = (q + waves[asks]) * (k + waves[answers])
    return rotated, added.sum(axis=1), np.stack([queries[-2], keys[-1]])


def _waves(encoding, positions: np.ndarray) -> np.ndarray:
    angles = np.outer(positions, encoding.frequencies)
    waves = np.zeros((len(positions), encoding.num_dims))
    a, b = encoding.pair_dims(np.arange(angles.shape[1]))
    waves[:, a], waves[:, b] = np.sin(angles), np.cos(angles)
    return waves


@view(
    "curves",
    "Rotated together",
    x="position of the query",
    needs="rotate query_and_key",
    **SHAPE,
)
def rotated_together(pen, encoding, query=QUERY, offset=OFFSET):
    """Move a phrase along a text: two words' arrows rotate, and their score doesn't change."""
    exact, query = query, round(query)  # a film glides between
    rotated, added, here = scores_along(encoding, exact, offset)
    both = np.stack([rotated, added])
    most = float(np.abs(both).max())
    low, top = eighths(min(both.min(), 0), both.max(), most)
    last = max(encoding.seq_len - 1, 1)
    ticks = np.arange(-2, 3) * style.nice_bound(most / 2.5, (1, 2, 5, 10))
    inside = [y for y in ticks.tolist() if y <= top]
    pen.axes((0, last), (low, low + (top - low) / STRIP), yticks=inside)

    score = number(rotated[query])
    where = "everywhere" if np.ptp(rotated) < 1e-9 * most else "here"
    pen.unit(("query", style.QUERY), "and ", ("key", style.KEY), "on a tape of positions")
    told = f" {where}" if pen.size[0] > PHONE else ""
    ends = f"{number(added.min())} to {number(added.max())}"
    pen.title(f"Rotated: {score}{told}. Added: {ends}")
    with pen.always():
        chosen, middles, radius = _faces(pen, len(encoding.frequencies))  # still first
    pen.line(np.arange(last + 1), added, style.OTHER, 1.2)
    pen.curve(rotated, lw=2.8)
    pen.known = query
    with pen.always():  # a reader who draws sees the arrows
        _tape(pen, exact, offset)
        _hands(pen, encoding, here, chosen, middles, radius)
        pen.query(exact, top=rotated[query], name=f"{query:,}")
    pen.mark([(exact, np.interp(exact, np.arange(last + 1), added))], style.OTHER, 7)
    pen.label("added instead", (last, added.max()), (0, 11), color=style.OTHER, ha="right")
    name = "q · k, rotated"
    reach = style.text_width(name, style.WORDS, "bold") / pen.size[0] * last
    clear = reach if exact < 0.9 * reach else 0  # of the query's line
    pen.label(name, (clear, rotated[0]), (4, -11), color=style.KEY, ha="left")
    places = f"Query at {query}, key at {number(query + offset)}"
    return f"{places}: rotated, q · k is {score} {where}; added, it's {ends}."


def _place(pen, px: np.ndarray) -> np.ndarray:
    """Return the data's places x + iy px from a plot's lower left corner."""
    xy = np.stack([px.real, px.imag], axis=-1)
    return xy * pen.spans / pen.size + (0, pen.limits["ylim"][0])


def _tape(pen, query: float, offset: int) -> None:
    """Lay the phrase on a tape of positions; a key too far away is at the end."""
    wide, high = pen.size
    beside = int((wide / CELLS[int(wide > PHONE)] - 1) / 2)
    cell = wide / (2 * beside + 1)
    shown = np.arange(-beside, beside + 1).tolist()
    key = min(max(offset, -beside), beside)
    colors = {key: style.KEY, 0: style.QUERY}
    words = {k - ASKS: word for k, word in enumerate(PHRASE)}
    home = ANSWERS - ASKS  # where a word goes that makes room for the key
    words |= {home: words.get(key, ""), key: PHRASE[ANSWERS], 0: PHRASE[ASKS]}
    whole, middles = round(query), wide / 2 + cell * np.array(shown)
    there = {k: whole + (offset if k == key else k) for k in shown}
    places = {k: f"{n}".replace("-", "−") for k, n in there.items() if n >= 0 or k in colors}
    if key != offset:  # positions are left out beside it
        words[key - np.sign(key)] = places[key - np.sign(key)] = "…"
    slid = middles - cell * (query - whole)
    x = np.append(middles, slid)[:, None] + SIDES * (cell / 2 - 1.5)
    y = high - np.repeat(ROWS, len(shown), axis=0)
    fills = [colors.get(k, style.GRID) for k in shown] + [style.GRID] * len(shown)
    pen.shapes(_place(pen, x + 1j * y), color=fills)
    inks = {k: style.readable_on(color) for k, color in colors.items()}
    for written, across, down, bold in (words, middles, 15, inks), (places, slid, 46, colors):
        for k, part in zip(shown, (across / wide).tolist(), strict=True):
            look = {"color": bold[k], "fontweight": "bold"} if k in bold else {"color": style.SOFT}
            pen.text(
                written.get(k, ""), (part, 1 - down / high), within="axes", quoted=True, **look
            )
    ends = middles[key + beside] + cell / 2 * np.array([-1, 1]) + 1j * (high - 15)
    pen.hands.append(("offset", _place(pen, ends), Slid(cell)))
    corners = np.array([1j * (STRIP * high + 12), wide + 1j * high])
    pen.hands.append(("query", pen.area(*_place(pen, corners)), Slid(-cell)))


def _faces(pen, pairs: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Draw dials of some pairs; return which, their middles, x + iy, and radius in px."""
    wide, high = pen.size
    few = 8 if wide > PHONE else 4
    chosen = np.unique(np.linspace(0, pairs - 1, min(pairs, few)).round().astype(int))
    low, top = STRIP * high, high - TAPE
    cell, half = wide / len(chosen), (top - low) / 2
    under, beside = min(0.42 * cell, half - 24), min((cell - NAME) / 2 - 2, half - 6)
    radius = max(under, beside)  # a dial has its name where it can be larger
    shift = 10j if radius == under else -NAME / 2
    middles = (np.arange(len(chosen)) + 0.5) * cell + 1j * (low + top) / 2 + shift
    circles = middles[:, None] + radius * CIRCLE
    pen.strokes(_place(pen, circles), color=style.GHOST, lw=1)
    names = middles + (-1j * (radius + 13) if radius == under else radius + NAME / 2)
    for pair, name in zip(chosen.tolist(), names.tolist(), strict=True):
        at = name.real / wide, name.imag / high
        pen.text(f"pair {pair}", at, within="axes", color=style.SOFT)
    return chosen, middles, radius


def _hands(pen, encoding, both: np.ndarray, chosen, middles, radius: float) -> None:
    """Draw query and key as an arrow on each dial, and the angle between them as a wedge."""
    a, b = encoding.pair_dims(chosen)
    hands = both[:, a] + 1j * both[:, b]
    long = np.maximum(np.abs(hands), 1e-9)
    hands *= radius * (0.35 / long + 0.65 / long.max())  # none is too short to be seen
    angles = np.angle(hands[1] * hands[0].conj())
    arcs = np.exp(1j * (np.angle(hands[0]) + np.linspace(0, angles, 16)).T)
    arcs = 0.6 * radius * arcs + middles[:, None]
    wedges = _place(pen, np.append(arcs, middles[:, None], axis=1))
    pen.shapes(wedges, color=style.PAIR, alpha=style.WEDGE[style.theme()])
    pen.strokes(_place(pen, arcs), color=style.PAIR, lw=1.8)
    lines = _place(pen, np.stack([middles + 0 * hands, middles + hands], axis=2))
    colors = [style.QUERY] * len(chosen) + [style.KEY] * len(chosen)
    pen.strokes(lines.reshape(-1, 2, 2), color=colors, lw=3, capstyle="round")
    for slider, tips in zip(("query", "offset"), lines, strict=True):
        turns = zip(tips, encoding.frequencies[chosen], strict=True)
        pen.hands += [(slider, *turn) for turn in turns]
    pen.mark(_place(pen, middles), style.INK, 5)
