"""What attention sees: one query against all keys, all pairs, and what the offset alone decides."""

from dataclasses import replace

import numpy as np

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.style import number, signed
from posenc_lib.views.view import CAUSAL, QUERY, view

AIM = Parameter(
    "aim",
    "the offset you want to score highest: a line there, a ring at the top",
    None,
    -64,
    64,
    start=-1,
    least=-4095,
)
FRAMED = "the offset whose diagonal is framed, with its scores in the title"
MARKED = replace(AIM, name="marked", help=FRAMED)
DOTTED = 48  # most positions at which a curve has dots
OFFSETS = ("key before the query", "key after it")


def eighths(
    low: float, high: float, most: float, below: float = 0.06, above: float = 0.06
) -> tuple[float, float]:
    """Return ends around low and high with margins, in eighths: they rarely jump."""
    bound = style.tight_bound(most)
    top, bottom = np.ceil(8 * high / bound - 1e-9), np.floor(8 * low / bound + 1e-9)
    low, high = min(bottom, top - 1) * bound / 8, top * bound / 8
    return low - below * (high - low), high + above * (high - low)


@view(x="position of the key", needs="dot_product", ignores="layout")
def dot_product(pen, encoding, query=QUERY, low=0.0):
    """Draw the scores of one query."""
    scores, what = encoding.dot_product(query), encoding.scores_are
    most, least = float(np.abs(scores).max()), style.lowest(scores)
    own, lowest = number(scores[query]), number(scores[least])
    low = scores.min(initial=low)
    bottom, top = eighths(low, max(scores.max(), 0), most, below=0.12, above=0.12)
    pen.axes(len(scores), (bottom if low < most / 10 else 0, top or 1.0))
    pen.unit(f"↑ {what} with", (f"position {query}", style.QUERY))
    pen.curve(scores, dotted=len(scores) <= DOTTED)
    pen.known = query
    pen.query(query, top=scores[query])
    # a name on top would cover the curve
    beside = scores[query] < scores[max(query - 3, 0) : query + 4].max()
    pen.label(
        f"itself {own}",
        (query, scores[query] / (3 if beside else 1)),
        (0, 13),
        color=style.QUERY,
    )
    there = least, scores[least]
    across, up = np.abs(pen.px(there) - pen.px((query, scores[query])))
    if up > 20 or across > 120:  # room for two names
        pen.mark([there], size=7)
        pen.label(f"lowest {lowest}", there, (0, -13))
    highest = scores >= scores.max() - 1e-9 * max(most, 1e-300)
    best = query if highest[query] else int(np.argmax(highest))
    title = f"Highest at key {best}: {number(scores[best])}"
    ways = np.where(np.arange(len(scores) - 1) < query, 1, -1)
    if ways.size and (np.sign(np.diff(scores)) == ways).all():
        sides = " on both sides," if 0 < query < ways.size else ""
        title = f"Falls steadily{sides} from {own} to {lowest}"
    pen.title(title)
    told = f"{own} for itself, and as low as {lowest} for position {least}"
    return f"{what.capitalize()} with position {query}: {told}."


@view(
    "curves",
    "Score by offset",
    x=OFFSETS,
    needs="similarity",
    ignores="layout",
    most_positions=512,
)
def score_by_offset(pen, encoding, aim=AIM, offset=None):
    """Draw the lowest, highest and mean score at each offset; an aim gets a line, and the top of
    the curve a ring.
    """
    offsets, low, mean, high = by_offset(encoding.similarity)
    last, most = int(offsets[-1]), max(-low.min(), high.max())
    aim = aim if aim is not None and abs(aim) <= last else None
    pen.axes(
        (-last - 0.5, last + 0.5),
        eighths(low.min(), high.max(), most, above=0.06 if aim is None else 0.15),
    )
    pen.unit("↑ q · k" if encoding.has("rotate") else f"↑ {encoding.scores_are}")
    pen.band(offsets, low, high)
    alone = (high - low).max() < 1e-9 * max(most, 1e-300)
    dotted = len(offsets) <= 2 * DOTTED
    smooth = dotted and alone and encoding.has("queries_and_keys") and encoding.continuous
    if smooth:  # also between two offsets: lines would cut corners
        x = np.linspace(-last, last, 32 * last + 1)
        q, k = encoding.queries_and_keys(np.abs(x))
        pen.line(x, np.where(x < 0, q @ k[16 * last], k @ q[16 * last]), style.KEY, 1)
    pen.curve(offsets, mean, dotted=dotted, lw=0 if smooth else 2)
    title = "Only the offset matters" if alone else "More than the offset matters"
    if offset is not None and abs(offset) <= last:
        here = float(mean[offset + last])
        pen.query(offset, top=here, color=style.INK, name=signed(offset))
        title = (
            f"Offset {signed(offset)} scores {number(here)} "
            f"{'everywhere' if alone else 'on average'}"
        )
    top = np.flatnonzero(mean >= mean.max() - 1e-9 * most)
    best = int(offsets[top[np.abs(offsets[top]).argmin()]])  # the nearest, if several
    if aim is not None:
        pen.rule("x", aim, style.PAIR, 1.4, linestyle="--")
        pen.tick("x", aim, signed(aim), style.PAIR)
        pen.label("wanted", (aim, 0), (-6, 12), within="x", color=style.PAIR, ha="right")
        pen.ring([(best, mean[best + last])], style.INK)
        pen.label(f"top at {number(best)}", (best, mean[best + last]), (0, 14))
        title = (
            f"Highest at offset {signed(best)}"
            f"{', as wanted' if best == aim else f'; you wanted {signed(aim)}'}"
        )
    pen.title(title)
    score, same = "mean score", "In the band, scores at one offset vary"
    if alone:
        score, same = "score", "The same anywhere in the text"
    aim = aim or 0
    there = f"; at {number(aim)}, it's {number(mean[aim + last])}" if aim != best else ""
    told = f"{number(mean[best + last])}, at offset {number(best)}"
    return f"Highest {score}: {told}{there}. {same}."


def by_offset(matrix: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return (offsets, lowest, mean, highest) over a square matrix's diagonals, each (2n − 1,).

    NaN doesn't count; a diagonal of nothing but NaN has no lowest and no highest.
    """
    n = len(matrix)
    padded = np.full((n, 2 * n), np.nan)
    padded[:, :n] = matrix[::-1]
    # each row shifts by one place: a column is one offset
    columns = padded.ravel()[:-n].reshape(n, 2 * n - 1)
    low, high, offsets = np.fmin.reduce(columns), np.fmax.reduce(columns), np.arange(1 - n, n)
    return offsets, low, np.nansum(columns, axis=0) / (n - abs(offsets)), high


PAIRS = {
    "x": "position of the key",
    "y": "position of the query",
    "square": True,
    "most_positions": 1024,
}


@view("cells", "All queries and keys", **PAIRS, needs="similarity", ignores="layout")
def similarity(pen, encoding, causal=CAUSAL, query=None, marked=MARKED):
    """Color the score of each query and key; one offset's diagonal can be framed."""
    every = [masked(one.similarity, causal=causal) for one in (encoding, *encoding.beside)]
    clim = style.color_limits(np.stack(every))
    return all_pairs(pen, every[0], encoding.scores_are, query, clim, marked=marked)


def all_pairs(pen, matrix, what: str, query=None, clim=None, less=0.0, marked=None) -> str:
    """Color the score of each query and key, less a number; return a sentence.

    The title is about the diagonal of the marked offset, if there is one, or about all.
    """
    pen.cells(matrix - less, clim)
    pen.query(y=query)
    _, low, _, high = by_offset(matrix)
    spread, most = float(np.nanmax(high - low)), max(np.nanmax(np.abs(matrix)), 1e-300)
    same = np.nanmax(high) - np.nanmin(low) <= 1e-9 * most
    title = "All scores are the same" if same else "Each diagonal has one color"
    if spread > 1e-9 * most:
        title = f"Diagonals vary by up to {number(spread)}"
    framed = "" if marked is None else _framed(pen, matrix, marked, most)
    pen.title(framed or title)
    row, column = np.unravel_index(style.lowest(np.nan_to_num(matrix, nan=np.inf)), matrix.shape)
    lowest = f"Lowest: {number(matrix[row, column])}, at query {row} and key {column}"
    if less:
        lowest += " (mean not yet subtracted)"
    if framed:
        lowest = f"{framed}. {lowest}"
    return f"{len(matrix)} × {len(matrix)} {what}. {lowest}."


def _framed(pen, matrix, offset: int, most: float) -> str:
    """Frame the diagonal of an offset and say what its scores are."""
    scores = np.diagonal(matrix, offset)
    if not np.isfinite(scores).any():
        return ""
    row, column = max(-offset, 0), max(offset, 0)
    far = len(scores) - 1
    corners = [(0, 0), (1, 0), (1 + far, far), (1 + far, 1 + far), (far, 1 + far), (0, 1), (0, 0)]
    out = [(-1, -1), (1, -1), (1, -1), (1, 1), (-1, 1), (-1, 1), (-1, -1)]
    cells = np.array([column, row]) - 0.5 + np.array(corners, float)
    for px, color, lw in ((2.6, style.PAPER, 1.4), (1.2, style.INK, 1.2)):  # the rim is outside
        x, y = (cells + px * np.array(out) * pen.spans / pen.size).T
        pen.line(x, y, color, lw, clip_on=False)
    low, high = scores.min(), scores.max()
    every = high - low <= 1e-9 * most
    told = f"{number(low)} everywhere" if every else f"{number(low)} to {number(high)}"
    return f"Offset {signed(offset)}: {told}"


def masked(scores: np.ndarray, *, causal: bool) -> np.ndarray:
    """Return scores, with NaN for the keys after each query if a causal mask hides them."""
    return np.where(np.tri(*scores.shape, dtype=bool), scores, np.nan) if causal else scores
