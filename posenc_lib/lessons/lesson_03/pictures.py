"""The pictures that only lesson 03 shows."""

import numpy as np
from matplotlib.colors import to_hex

from posenc_lib.views import style
from posenc_lib.views.space import AZIMUTH, CORNERS, SPACE, looked_at, room
from posenc_lib.views.style import number
from posenc_lib.views.tables import BOLD
from posenc_lib.views.view import POSITION, view

# of a step that changes one, two or all three dims
WAYS = ("on an edge", "across a face", "through the middle")
BRIEF, NARROW = ("edge", "face", "middle"), 340  # px of a picture with no room for the ways

DISC = 32  # px of a corner with its bits


@view(
    "free",
    "The walk through the cube",
    **SPACE
    | {"only": lambda e: bool(np.isin(e.table, (0, 1)).all()), "only_for": "tables of bits"},
)
def cube(pen, encoding, azimuth=AZIMUTH):
    """Walk through the first three dims, which are bits, from corner to corner of a cube."""
    points, flat = np.pad(encoding.table, ((0, 0), (0, 3)))[:, :3], encoding.num_dims == 2
    if flat:
        places, (corners, near) = _flat(points), _square(pen)
    else:
        places, (corners, near) = looked_at(points, azimuth)[0], room(pen, azimuth)
    flips = np.count_nonzero(np.diff(points, axis=0), axis=1)
    walk = np.stack([places[:-1], places[1:]], axis=1)
    counts = [int((flips == k).sum()) for k in (1, 2, 3)]
    looks = (style.KEY, "-", 2.4), (style.OTHER, (0, (4, 1.5)), 2.4), (style.INK, "-", 3.2)
    for k, (color, dashes, wide) in enumerate(looks):
        pen.strokes(walk[flips == k + 1], color=color, lw=wide, linestyle=dashes)
    told = [f"{count} {way}" for count, way in zip(counts, WAYS, strict=True)]
    if pen.size[0] < NARROW:
        told = [style.plural(count, way) for count, way in zip(counts, BRIEF, strict=True)]
    shown = zip(counts, told, looks, strict=True)
    pen.unit(*((words, look[0]) for count, words, look in shown if count))
    for k in np.flatnonzero(CORNERS[:, 2] == 0) if flat else np.argsort(near):
        rows = np.flatnonzero((points == CORNERS[k]).all(axis=1)).tolist()
        bits = "".join(map(str, CORNERS[k][: 2 if flat else 3]))
        _badge(pen, bits, corners[k], rows, len(points) - 1)
    off = counts[1] + counts[2]
    leave = "leaves" if off == 1 else "leave"
    steps = style.plural(len(flips), "step")
    pen.title(f"{off} of {steps} {leave} the edges" if off else "No step leaves the edges")
    pen.points, pen.says = places, lambda x, y: ""
    told = ", ".join(f"{count} {way}" for count, way in zip(counts, WAYS, strict=True))
    corners = style.plural(len(np.unique(points, axis=0)), "corner")
    return f"{style.plural(len(points), 'position')} on {corners}. Steps: {told}."


def _flat(points: np.ndarray) -> np.ndarray:
    """Return where the corners of a square are in the picture."""
    return 2.2 * points[:, :2] - [1.1, 1.2]


def _square(pen) -> tuple[np.ndarray, np.ndarray]:
    """Draw a square's edges and axes, and return where its corners are, as `room` does."""
    corners = _flat(CORNERS)
    pen.axes((-1.75, 1.75), (-1.85, 1.65), xticks=(), yticks=())
    pen.strokes(_flat(np.array([(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)]))[None], color=style.GHOST)
    for axis, (out, ha) in enumerate((((0, -22), "center"), ((-18, 0), "right"))):
        middle = _flat(np.array([[axis == 0, axis == 1]]) / 2)[0]
        pen.text(f"dim {axis}", middle, out, color=style.SOFT, ha=ha)
    return corners, np.zeros(len(corners))


def _badge(pen, bits: str, place, rows: list[int], last: int) -> None:
    """Draw a corner with its bits and, outside, its positions; that of the last stands out."""
    lw, edge = (2.4, style.INK) if last in rows else (1, style.RULE)
    pen.mark([place], style.PAPER, DISC, lw, edge)
    pen.text(bits, place, **BOLD if rows else {"color": style.SOFT})
    told = ", ".join(map(str, rows[:2]))
    if len(rows) > 2:
        told += ", …"
    out = np.array(place) / max(np.hypot(*place), 1e-9)
    if len(told) > 2:  # several numbers stand above or below
        out = np.array([0, np.sign(place[1])])
    color = to_hex(style.position_colors(rows[0] + 1 if rows else 1)[-1])
    pen.text(told, place, tuple((DISC / 2 + 10) * out), halo=True, color=color, **BOLD)


MOST = 8  # digits in sight
ROLL = 0.71  # on a wheel: from one digit to the next
WINDOW = 0.42  # on a wheel: half of what faces us
COUNTS = -1.3  # below a wheel: where its count stands


@view("free", "One position, digit by digit", x="dim")
def odometer(pen, encoding, position=POSITION):
    """Draw a row as wheels, with the rows before and after it,
    and how often each has flipped from position 0 on.

    A flip is by more than 1/2; a wheel that flips at the next step is framed.
    """
    table = encoding.table.astype(np.float64)
    flips = np.abs(np.diff(table, axis=0, append=table[-1:])) > 0.5
    before, position, exact = int(position), round(position), position
    rolls = (exact - position) * flips[before]  # a film shows it between positions, too
    count, row, now = table.shape[1], table[position], flips[position]
    so_far = flips[:position].sum(axis=0)[:MOST].tolist()
    whole, last, shown = not np.mod(row, 1).any(), position + 1 == len(table), min(count, MOST)
    pen.axes((-0.6, max(shown, 3) - 0.4), (-1.62, 1.12), xticks=range(shown), yticks=())
    pen.unit((f"position {position}", style.QUERY), "and its neighbors; framed: what flips next")
    apart = pen.size[0] / pen.spans[0]  # px from one wheel to the next
    half = min(0.44, 100 / 2 / apart)  # px of a wheel
    for k, value in enumerate(row[:shown]):
        look = {"color": style.INK, "lw": 3} if now[k] else {"color": style.RULE, "lw": 0.8}
        pen.bars([k], -1, 1, wide=2 * half, color=style.GRID)
        pen.bars(
            [k], -WINDOW, WINDOW, wide=2 * half, color=style.TINT if value > 0.5 else style.PAPER
        )
        pen.box(k - half, -1, 2 * half, 2, **look)
    side, faint = {"within": "y", "ha": "right", "fontsize": style.NUMBERS}, {"color": style.SOFT}
    for at in range(max(position - 1, 0), min(position + 2, len(table))):
        here, height = at == position, ROLL * (position - at)
        digits, rounded = 0 if whole else 2, table[at, :shown].round(2) + 0.0
        words = [f"{value:.{digits}f}".replace("-", "−") for value in rounded]
        most = 0.94 * 2 * half * apart / max(map(len, words))
        for k, word in enumerate(words):
            turned, strong = height + ROLL * rolls[k], here or (at > position and now[k])
            size = min(36 - 18 * abs(turned) / ROLL, most)
            if abs(turned) < 0.85:
                pen.text(word, (k, turned), fontsize=size, **BOLD if strong else faint)
        look = {"color": style.QUERY} | BOLD if here else faint
        pen.text(f"{at:,}", (0, height), (-6, 0), **side, **look)
    pen.text("flips", (0, COUNTS), (-6, 0), color=style.KEY, **side, **BOLD)
    for k, times in enumerate(so_far):
        pen.text(str(times), (k, COUNTS), fontsize=style.TITLE, color=style.KEY, **BOLD)
    flipping = f"flips {now.sum()} of {style.plural(count, 'digit')}{'' if whole else ' by over ½'}"
    pen.title(
        f"{position} is the last position" if last else f"{position} → {position + 1} {flipping}"
    )
    flip = "flips" if now.sum() == 1 else "flip"
    after = "it's the last one" if last else f"{now.sum()} of {count} {flip} at the next step"
    digits, counts = ", ".join(map(number, row[:MOST])), ", ".join(map(str, so_far))
    return f"Position {position} is {digits}, and {after}. Flips so far: {counts}."
