"""What attention sees: one query against all keys, all pairs, and what the offset alone decides."""

import math

import numpy as np

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.frequencies import freqs_cis
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.style import number
from posenc_lib.views.view import CAUSAL, OFFSET, PAIR, QUERY, view

CORRELATION = Parameter(
    "correlation",
    "how alike query and key are, before they are turned",
    0.0,
    0.0,
    1.0,
    scale="real",
    most=1,
)
AIM = Parameter(
    "aim",
    "the offset that should score highest: a line there, a ring at the top",
    None,
    -64,
    64,
    start=-1,
    least=-4095,
)
DRAWS, FAR = (
    2000,
    50,
)  # queries and keys that are drawn; how far away the key is that is compared with the next one
DOTTED = 48  # positions up to which a curve has a dot at each
OFFSETS = ("key before the query", "key after it")
APART = {"x": "how many positions apart", "ignores": "content layout pairing"}


def eighths(
    low: float, high: float, most: float, below: float = 0.06, above: float = 0.06
) -> tuple[float, float]:
    """Return ends that hold low and high, in eighths of a round number, so that an axis seldom jumps, and margins."""
    bound = style.tight_bound(most)
    top, bottom = np.ceil(8 * high / bound - 1e-9), np.floor(8 * low / bound + 1e-9)
    low, high = min(bottom, top - 1) * bound / 8, top * bound / 8
    return low - below * (high - low), high + above * (high - low)


@view(x="position of the key", needs="dot_product", ignores="layout")
def dot_product(pen, encoding, query=QUERY, low=0.0):
    """Draw the scores of one query."""
    scores, what = encoding.dot_product(query), encoding.scores_are
    most, least, own = (
        float(np.abs(scores).max(initial=0)),
        style.lowest(scores),
        number(scores[query]),
    )
    bottom, top = eighths(
        scores.min(initial=low), max(scores.max(), 0), most, below=0.12, above=0.12
    )
    pen.axes(
        len(scores), (bottom if scores.min(initial=low) < most / 10 else 0, top or 1.0)
    )  # room below a name
    pen.unit(f"↑ {what} with", (f"position {query}", style.QUERY))
    pen.curve(scores, dotted=len(scores) <= DOTTED)
    pen.query(query, top=scores[query])
    beside = (
        scores[query] < scores[max(query - 3, 0) : query + 4].max()
    )  # a name on top would lie on the curve
    pen.label(
        f"itself {own}",
        (query, scores[query] / 3 if beside else scores[query]),
        (0, 13),
        color=style.QUERY,
    )
    there = least, scores[least]
    across, up = np.abs(pen.px(there) - pen.px((query, scores[query])))
    if up > 20 or across > 120:  # room for two names
        pen.mark([there], size=7)
        pen.label(f"lowest {number(scores[least])}", there, (0, -13))
    noise = 1e-9 * max(most, 1e-300)
    best = int(np.argmax(scores >= scores.max() - noise))
    falls = (np.diff(scores[: query + 1]) > 0).all() and (np.diff(scores[query:]) < 0).all()
    itself = "Lower with every other key" if falls else "Highest with itself"
    pen.title(
        itself if scores[query] >= scores[best] - noise else f"Highest with {best}, not with itself"
    )
    lowest = f"lowest {number(scores[least])} with position {least}"
    return f"{what.capitalize()} of position {query}: {own} with itself, {lowest}."


@view(
    "curves",
    "Scores once W_q has turned the query",
    x="position of the key",
    needs="rows shift",
    ignores="layout",
)
def scores_once_turned(pen, encoding, query=QUERY, offset=OFFSET):
    """Draw the scores of a row with all rows once a W_q has moved it by an offset; in grey, without W_q."""
    table = encoding.table
    before, now = table @ table[query], table @ (encoding.shift(offset) @ table[query])
    top = style.lowest(-now)
    pen.axes(
        len(table), eighths(min(before.min(), now.min(), 0), before.max(), before.max(), above=0.12)
    )
    pen.unit("↑ dot product:", ("no W_q", style.SOFT), "→", ("turned by W_q", style.KEY))
    pen.change(range(len(table)), before, now, lw=4)
    pen.query(query, top=now[query])
    pen.mark([(top, now[top])], size=9)
    way = "after" if top > query else "before"
    pen.title(
        "Highest with itself"
        if top == query
        else f"Highest with {top}, {abs(top - query)} {way} the query"
    )
    return f"W_q moves the row of {query} by {number(offset)}: now it is highest with {top}, {number(now[top])}."


@view(
    "curves",
    "Score against offset",
    x=OFFSETS,
    needs="similarity",
    ignores="layout",
    most_positions=512,
)
def score_by_offset(pen, encoding, aim=AIM, offset=None):
    """Draw for each offset the lowest, highest and mean score; an aim is marked, and the top of the curve is ringed."""
    offsets, low, mean, high = by_offset(encoding.similarity)
    last, most = int(offsets[-1]), max(-low.min(), high.max())
    aim = aim if aim is not None and abs(aim) <= last else None
    pen.axes(
        (-last - 0.5, last + 0.5),
        eighths(low.min(), high.max(), most, above=0.06 if aim is None else 0.15),
    )
    pen.unit("↑ q · k" if encoding.has("rotate") else f"↑ {encoding.scores_are}")
    pen.band(offsets, low, high)
    pen.curve(offsets, mean, dotted=len(offsets) <= DOTTED)
    alone = (high - low).max() < 1e-9 * max(most, 1e-300)
    title = "The offset alone decides" if alone else "More than the offset decides"
    if offset is not None and abs(offset) <= last:
        here = float(mean[offset + last])
        pen.query(offset, top=here, color=style.INK, name=_signed(offset))
        title = f"Offset {_signed(offset)} scores {number(here)}, {'everywhere' if alone else 'on average'}"
    top = np.flatnonzero(mean >= mean.max() - 1e-9 * most)
    best = int(offsets[top[np.abs(offsets[top]).argmin()]])  # of several the nearest
    if aim is not None:
        pen.rule("x", aim, style.PAIR, 1.4, linestyle="--")
        pen.tick("x", aim, _signed(aim), style.PAIR)
        pen.label("wanted", (aim, 0), (-6, 12), within="x", color=style.PAIR, ha="right")
        pen.ring([(best, mean[best + last])], style.INK)
        pen.label(f"top at {number(best)}", (best, mean[best + last]), (0, 14))
        title = f"Highest at offset {_signed(best)}, {'as asked' if best == aim else f'not at {_signed(aim)}'}"
    pen.title(title)
    same = (
        "the same wherever query and key stand"
        if alone
        else "a band: the offset alone does not decide"
    )
    told = f"at {number(aim or 0)}: {number(mean[(aim or 0) + last])}; {same}"
    score = "Score" if alone else "Mean score"
    return f"{score} highest at offset {number(best)}: {number(mean[best + last])}; {told}."


def _signed(offset: int) -> str:
    return f"{offset:+d}".replace("-", "−") if offset else "0"


def by_offset(matrix: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return (offsets, lowest, mean, highest) over the diagonals of a square matrix, each of shape (2n − 1,).

    NaN does not count; where all of a diagonal is NaN, so is what is told of it.
    """
    n = len(matrix)
    padded = np.full((n, 2 * n), np.nan)
    padded[:, :n] = matrix[::-1]
    columns = padded.ravel()[:-n].reshape(
        n, 2 * n - 1
    )  # each row moves one place on: a column is one offset
    low, high, offsets = np.fmin.reduce(columns), np.fmax.reduce(columns), np.arange(1 - n, n)
    return offsets, low, np.nansum(columns, axis=0) / (n - abs(offsets)), high


@view("curves", "Pairs added up", x=OFFSETS, needs="rotate query_and_key", most_positions=512)
def pairs_added(pen, encoding, offset=OFFSET, pair=PAIR):
    """Draw the score of the pairs up to one against the offset, and the wave that this last one adds."""
    dims, last = (
        np.stack(encoding.pair_dims(np.arange(len(encoding.frequencies)))),
        max(encoding.seq_len - 1, 1),
    )
    q, k = (x[0] + 1j * x[1] for x in encoding.query_and_key()[:, dims])
    each = encoding.attention_factor**2 * q.conj() * k  # a pair adds the real part of this, turned

    def at(offsets):  # the sum of the pairs up to each one, shape (offsets, pairs)
        return np.cumsum((each * np.exp(1j * np.outer(offsets, encoding.frequencies))).real, axis=1)

    x = np.linspace(-last, last, 1 + 2 * last * max(1, 600 // (2 * last)))
    sums, wave = at(x), (each[pair] * np.exp(1j * x * encoding.frequencies[pair])).real
    here, most = float(at([offset])[0, pair]), float(np.abs(sums).max())
    pen.axes(
        (-last - 0.5, last + 0.5), eighths(min(sums.min(), -np.abs(each).max()), sums.max(), most)
    )
    before = [(f"0 to {pair - 1}", style.SOFT), "+"] if pair else []
    pen.unit(
        "↑ q · k: pairs",
        *before,
        (f"{pair}", style.PAIR),
        *["=", (f"0 to {pair}", style.KEY)] * (pair > 0),
    )
    pen.rule("y", 0, style.RULE, 0.8)
    if pair:
        pen.change(x, sums[:, pair - 1], sums[:, pair], lw=3.2)
    pen.curve(x, wave, color=style.PAIR)
    if abs(offset) <= last:
        pen.query(offset, top=here, color=style.INK, name=_signed(offset))
    so_far = f"Pairs 0 to {pair} add" if pair else "Pair 0 adds"
    pen.title(f"{so_far}{' up to' if pair else ''} {number(here)} at offset {_signed(offset)}")
    ends = f"from {number(sums[:, pair].min())} to {number(sums[:, pair].max())}"
    return (
        f"{so_far} {number(here)} at offset {number(offset)}, {ends} up to {last} positions away."
    )


@view("curves", "Random queries and keys", **APART, needs="frequencies rotate", most_positions=512)
def score_decay(pen, encoding, correlation=CORRELATION):
    """Draw the scores of many random queries and keys against the offset: their mean, and where 8 of 10 lie."""
    seq_len, dims = encoding.seq_len, 2 * len(encoding.frequencies)
    near, far = (min(at, seq_len - 1) for at in (1, FAR))
    turn = encoding.attention_factor**2 * freqs_cis(seq_len, dims, inv_freq=encoding.frequencies)
    q, other = np.random.default_rng(0).normal(size=(2, DRAWS, dims)).view(complex)
    k = correlation * q + math.sqrt(1 - correlation**2) * other
    scores = ((q.conj() * k) @ turn.T).real  # the score is Re Σ q̄ k e^{iΔθ}
    mean, ends = scores.mean(axis=0), np.sort(scores, axis=0)[[DRAWS // 10, -DRAWS // 10 - 1]]
    whole, spread = (
        encoding.attention_factor**2 * dims,
        encoding.attention_factor**2 * math.sqrt(dims),
    )
    pen.axes(
        seq_len, (-1.6 * spread, whole + 2.4 * spread)
    )  # for every correlation: it is what moves
    pen.unit("↑ score:", ("mean", style.KEY), "and, pale, where 8 of 10 lie")
    pen.band(np.arange(seq_len), *ends)
    pen.curve(mean)
    pen.mark([(near, mean[near]), (far, mean[far])], size=9)
    beats = (
        f"{far} away beats {near} away in {100 * (scores[:, far] > scores[:, near]).mean():.0f} %"
    )
    pen.title(beats)
    told = f"mean score {number(mean[near])} at offset {near}, {number(mean[far])} at {far}"
    return f"{DRAWS} random queries and keys of correlation {number(correlation)}: {told}; {beats} of them."


PAIRS = {
    "x": "position of the key",
    "y": "position of the query",
    "square": True,
    "most_positions": 1024,
}
WORD_NORM = Parameter("word_norm", "how long the word's vector is", 8, 0, 24)
MATRICES = Parameter("matrices", "whether W_q and W_k come between", False, options=(False, True))


@view("cells", "All pairs", **PAIRS, needs="similarity", ignores="layout")
def similarity(pen, encoding, causal=CAUSAL, query=None):
    """Colour all scores."""
    matrix, *others = (
        masked(one.similarity, causal=causal) for one in (encoding, *encoding.beside)
    )
    clim = style.color_limits(np.stack([matrix, *others])) if others else None
    return all_pairs(pen, matrix, encoding.scores_are, query, clim)


def all_pairs(pen, matrix, what: str, query=None, clim=None, less=0.0) -> str:
    """Colour the score of each query and key, less a number, a row for each query; say what is seen."""
    pen.cells(matrix - less, clim)
    pen.query(y=query)
    _, low, _, high = by_offset(matrix)
    spread, most = float(np.nanmax(high - low)), max(np.nanmax(np.abs(matrix)), 1e-300)
    if spread > 1e-9 * most:
        pen.title(f"Diagonals vary by up to {number(spread)}")
    else:
        same = np.nanmax(high) - np.nanmin(low) <= 1e-9 * most
        pen.title("All scores are the same" if same else "Each diagonal has one colour")
    row, column = np.unravel_index(style.lowest(np.nan_to_num(matrix, nan=np.inf)), matrix.shape)
    lowest = f"lowest {number(matrix[row, column])} at query {row}, key {column}"
    lowest += ", before their mean is taken off" * bool(less)
    return f"All pairs: {len(matrix)} × {len(matrix)} {what}; {lowest}."


def masked(scores: np.ndarray, *, causal: bool) -> np.ndarray:
    """Return scores with NaN for the keys after each query where a causal mask hides them."""
    return np.where(np.tri(*scores.shape, dtype=bool), scores, np.nan) if causal else scores


@view("cells", "One word: score − mean", **PAIRS, needs="relate", ignores="content draw")
def token_scores(pen, encoding, word_norm=WORD_NORM, matrices=MATRICES):
    """Colour the scores of one word that is everywhere, less their mean.

    With matrices, queries and keys are made by made-up W_q and W_k. The word itself only lifts all scores, which
    softmax does not see; so the colours do not see it either.
    """
    token = toy_data.tokens(1, encoding.num_dims)
    x = encoding.embed(np.tile(word_norm / np.linalg.norm(token) * token, (encoding.seq_len, 1)))
    matrix = sum(encoding.scores_and_bias(*(encoding.projected(x)[:2] if matrices else (x, x))))
    mean = float(matrix.mean())
    bound = style.tight_bound(float(np.abs(matrix - mean).max().round(9)))  # noise is nothing
    text = all_pairs(pen, matrix, "dot products", clim=(-bound, bound), less=mean)
    pen.unit("↓ query; score − mean")
    pen.says = lambda x, y: number(float(matrix[round(y), round(x)])) if pen.inside(x, y) else ""
    return text


@view("cells", "If added instead", **PAIRS, needs="rotate query_and_key", ignores="pairing")
def additive_scores(pen, encoding, causal=CAUSAL, query=None):
    """Colour the scores of a rotary encoding's query and key with positions added instead, less their mean."""
    turned = freqs_cis(
        encoding.seq_len, 2 * len(encoding.frequencies), inv_freq=encoding.frequencies
    )
    waves = np.stack([turned.imag, turned.real], axis=-1).reshape(encoding.seq_len, -1)
    q, k = encoding.query_and_key()
    table = np.pad(
        waves, ((0, 0), (0, len(q) - waves.shape[1]))
    )  # nothing is added where nothing turns
    scores = (q + table) @ (k + table).T
    text = all_pairs(pen, masked(scores, causal=causal), "dot products", query, less=scores.mean())
    return f"Sinusoidal positions added to the same query and key instead. {text}"
