"""What attention sees: one query against all keys, and what the offset alone decides."""

import math

import numpy as np

from posenc_lib.encodings.frequencies import freqs_cis
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.style import number
from posenc_lib.views.view import OFFSET, PAIR, QUERY, view

CORRELATION = Parameter(
    "correlation", "how alike query and key are, before they are turned", 0.0, 0.0, 1.0, scale="real", most=1
)
AIM = Parameter(
    "aim", "the offset that should score highest: a line there, a ring at the top", None, -64, 64, start=-1, least=-4095
)
DRAWS, FAR = 2000, 50  # queries and keys that are drawn; how far away the key is that is compared with the next one
DOTTED = 48  # positions up to which a curve has a dot at each
OFFSETS = ("key before the query", "key after it")


def eighths(low: float, high: float, most: float, below: float = 0.06, above: float = 0.06) -> tuple[float, float]:
    """Return ends that hold low and high, in eighths of a round number, so that an axis seldom jumps, and margins."""
    bound = style.tight_bound(most)
    top, bottom = np.ceil(8 * high / bound - 1e-9), np.floor(8 * low / bound + 1e-9)
    low, high = min(bottom, top - 1) * bound / 8, top * bound / 8
    return low - below * (high - low), high + above * (high - low)


@view(x="position of the key", needs="dot_product", ignores="layout")
def dot_product(pen, encoding, query=QUERY, low=0.0):
    """Draw the scores of one query."""
    scores, what = encoding.dot_product(query), encoding.scores_are
    most, least = float(np.abs(scores).max(initial=0)), style.lowest(scores)
    bottom, top = eighths(scores.min(initial=low), max(scores.max(), 0), most, above=0.12)
    top = 1.0 if not most else top if scores.max() > 0 else 0.02 * most
    pen.axes(len(scores), (bottom if scores.min(initial=low) < 0 else 0, top))
    pen.unit(f"↑ {_one(what)} with", (f"position {query}", style.QUERY))
    pen.curve(scores, each=len(scores) <= DOTTED)
    pen.query(query, top=scores[query])
    pen.label(f"itself {number(scores[query])}", (query, scores[query]), (9, 9), color=style.QUERY, ha="left")
    apart = np.abs(pen.px((least, scores[least])) - pen.px((query, scores[query])))
    if apart[1] > 20 or apart[0] > 120:  # room for two names
        low, high = pen.limits["ylim"]
        beside = scores[least] - low < 0.1 * (high - low)  # no room below it
        shift, side = ((9, 9), "left") if beside else ((0, -13), "center")
        pen.mark([(least, scores[least])], size=7)
        pen.label(f"lowest {number(scores[least])}", (least, scores[least]), shift, ha=side)
    best = int(np.argmax(scores >= scores.max() - 1e-9 * max(most, 1e-300)))
    itself = scores[query] >= scores.max() - 1e-9 * max(most, 1e-300)
    pen.title(
        ("Lower with every other key" if _falls(scores, query) else "Highest with itself")
        if itself
        else f"Highest with {best}, not with itself"
    )
    text = f"{what.capitalize()} of position {query}: {number(scores[query])} with itself"
    if query + 1 < len(scores):
        text += f", {number(scores[query + 1])} with position {query + 1}"
    return f"{text}, lowest {number(scores[least])} with position {least}."


def _one(what: str) -> str:
    """Return the singular of dot products, scores, biases."""
    return what.removesuffix("es" if what == "biases" else "s")


def _falls(scores: np.ndarray, query: int) -> bool:
    """Return whether scores fall with every step away from the query."""
    return bool((np.diff(scores[: query + 1]) > 0).all() and (np.diff(scores[query:]) < 0).all())


@view("curves", "Score against offset", x=OFFSETS, needs="similarity", ignores="layout", most_positions=512)
def score_by_offset(pen, encoding, aim=AIM, offset=None):
    """Draw for each offset the lowest, highest and mean score; an aim is marked, and the top of the curve is ringed."""
    matrix = encoding.similarity
    offsets, low, mean, high = by_offset(matrix)
    aim = aim if aim is not None and abs(aim) < len(matrix) else None
    most = max(-low.min(), high.max())
    pen.axes(
        (offsets[0] - 0.5, offsets[-1] + 0.5), eighths(low.min(), high.max(), most, above=0.06 if aim is None else 0.15)
    )
    pen.unit("↑ q · k" if encoding.scores_are == "scores" else f"↑ {_one(encoding.scores_are)}")
    pen.band(offsets, low, high)
    pen.curve(offsets, mean, each=len(offsets) <= DOTTED)
    alone = (high - low).max() < 1e-9 * max(most, 1e-300)
    score, same = "Score", "the same wherever query and key stand"
    if not alone:
        score, same = "Mean score", "a band: the offset alone does not decide"
    middle, apart = len(offsets) // 2, min(3, len(matrix) - 1)
    if offset is not None and abs(offset) < len(matrix):
        here = float(mean[offset + middle])
        pen.query(offset, top=here, color=style.INK, name=_signed(offset))
        pen.title(f"Offset {_signed(offset)} scores {number(here)}, {'everywhere' if alone else 'on average'}")
    if aim is not None:
        best = int(mean.argmax())
        at, top, here = int(offsets[best]), float(mean[best]), float(mean[aim + middle])
        pen.strokes_of([aim, aim], [0, 1], style.PAIR, 1.4, "x", linestyle="--")
        pen.at("x", aim, _signed(aim), style.PAIR)
        pen.label("wanted", (aim, 0), (-6, 12), within="x", color=style.PAIR, ha="right")
        pen.ring([(at, top)], color=style.INK)
        pen.label(f"top at {number(at)}", (at, top), (0, 14))
        pen.title(f"Highest at offset {_signed(at)}, {'as asked' if at == aim else f'not at {_signed(aim)}'}")
        return f"{score} highest at offset {number(at)}: {number(top)}, at {number(aim)}: {number(here)}; {same}."
    zero, after, before = (number(mean[middle + k]) for k in (0, apart, -apart))
    return f"{score} at offset 0: {zero}, at {apart}: {after}, at −{apart}: {before}; {same}."


def _signed(offset: int) -> str:
    return f"{offset:+d}".replace("-", "−") if offset else "0"


def by_offset(matrix: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return (offsets, lowest, mean, highest) over the diagonals of a square matrix, each of shape (2n − 1,)."""
    n = len(matrix)
    padded = np.full((n, 2 * n), np.nan)
    padded[:, :n] = matrix[::-1]
    columns = padded.ravel()[:-n].reshape(n, 2 * n - 1)  # each row moves one place on: a column is one offset
    return np.arange(1 - n, n), np.nanmin(columns, axis=0), np.nanmean(columns, axis=0), np.nanmax(columns, axis=0)


@view("curves", "What each pair adds to q · k", x="pair", needs="rotate query_and_key", ignores="seq_len")
def pair_scores(pen, encoding, query=10, offset=OFFSET, pair=PAIR):
    """Draw what each pair of dims adds to the score of a query and a key, within the most that it could."""
    queries, keys = encoding.queries_and_keys(np.array([query, query + offset]))
    dims = np.stack(encoding.pair_dims(np.arange(len(encoding.frequencies))))
    q, k = queries[0][dims], keys[1][dims]
    parts, most = (q * k).sum(axis=0), np.linalg.norm(q, axis=0) * np.linalg.norm(k, axis=0)
    bound, pairs, whole = style.tight_bound(most.max()), np.arange(len(parts)), parts.sum()
    pen.axes(len(parts), (-1.05 * bound, 1.05 * bound), x="pair, fast to slow")
    pen.unit("↑ what it adds; pale: the most it could")
    pen.bars(pairs, -most, most, color=style.TINT)
    pen.bars(pairs, 0, parts)
    pen.bars([pair], 0, parts[[pair]], color=style.PAIR)
    pen.strokes_of([*pen.limits["xlim"]], [0, 0], style.RULE, 0.8)
    if pen.size[0] / len(parts) > 30:
        for at, part in enumerate(parts):
            look = {"color": style.PAIR if at == pair else style.INK, "fontsize": 8.4}
            pen.text(f"{part:.2f}".replace("-", "−"), (at, 0), (0, -8 if part > 0 else 8), **look)
    pen.at("x", pair, color=style.PAIR)
    pen.title(f"{style.plural(len(parts), 'pair')} add{'s' * (len(parts) == 1)} up to q · k = {number(whole)}")
    low, high = int(parts.argmin()), int(parts.argmax())
    ends = f"from {number(parts[low])} by pair {low} to {number(parts[high])} by pair {high}"
    return f"What {len(parts)} pairs add: {ends}; pair {pair} at most {number(most[pair])}, whatever the positions."


@view(
    "curves",
    "Random queries and keys",
    x="offset: key − query",
    needs="frequencies rotate",
    ignores="content pairing",
    most_positions=512,
    pointer=("offset", None),
)
def score_decay(pen, encoding, correlation=CORRELATION):
    """Draw the scores of many random queries and keys against the offset: their mean, and where 8 of 10 lie."""
    seq_len, c, pairs = encoding.seq_len, correlation, len(encoding.frequencies)
    near, far = (min(at, seq_len - 1) for at in (1, FAR))
    turn = encoding.attention_factor**2 * freqs_cis(seq_len, 2 * pairs, inv_freq=encoding.frequencies)
    q, other = np.random.default_rng(0).normal(size=(2, DRAWS, 2 * pairs)).view(complex)
    own, others = (((q.conj() * k) @ turn.T).real for k in (q, other))  # the score is Re Σ q̄ k e^{iΔθ}
    scores = c * own + math.sqrt(1 - c * c) * others
    mean, ends = scores.mean(axis=0), np.sort(scores, axis=0)[[DRAWS // 10, -DRAWS // 10 - 1]]
    reached = [x.mean(axis=0) + spread * x.std(axis=0) for x in (own, others) for spread in (-1.5, 1.5)]
    low, high = float(np.min(reached)), float(np.max(reached))
    pen.axes(seq_len, (low, high + 0.1 * (high - low)))
    pen.unit("↑ score:", ("mean", style.KEY), "and, pale, where 8 of 10 lie")
    pen.band(np.arange(seq_len), *ends)
    pen.curve(mean)
    pen.mark([(near, mean[near]), (far, mean[far])], size=9)
    beats = f"{far} away beats {near} away in {100 * (scores[:, far] > scores[:, near]).mean():.0f} %"
    pen.title(beats)
    return (
        f"{DRAWS} random queries and keys of correlation {number(c)}: mean score {number(mean[near])} at "
        f"offset {near}, {number(mean[far])} at {far}; {beats} of them."
    )
