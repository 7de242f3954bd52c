"""The pictures that only lesson 06 shows."""

import math

import numpy as np

from posenc_lib.encodings.frequencies import freqs_cis
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.lessons.lesson_06.position_path import position_path  # noqa: F401  (a view)
from posenc_lib.lessons.lesson_06.rotated_together import rotated_together  # noqa: F401  (a view)
from posenc_lib.views import style
from posenc_lib.views.points import wedge
from posenc_lib.views.scores import OFFSETS, PAIRS, _signed, all_pairs, eighths, masked
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

DRAWS = 2000  # queries and keys that are drawn
FAR = 50  # how far away the key is that is compared with the next one

APART = {"x": "how many positions apart", "ignores": "content layout pairing"}


@view("curves", "Pairs added up", x=OFFSETS, needs="rotate query_and_key", most_positions=512)
def pairs_added(pen, encoding, offset=OFFSET, pair=PAIR):
    """Draw the score of the pairs up to one against the offset,
    and the wave that this last one adds.
    """
    dims = np.stack(encoding.pair_dims(np.arange(len(encoding.frequencies))))
    last = max(encoding.seq_len - 1, 1)
    q, k = (x[0] + 1j * x[1] for x in encoding.query_and_key()[:, dims])
    each = encoding.attention_factor**2 * q.conj() * k  # a pair adds the real part of this, turned

    def at(offsets):  # the sum of the pairs up to each one, shape (offsets, pairs)
        turns = np.exp(1j * np.outer(offsets, encoding.frequencies))
        return np.cumsum((each * turns).real, axis=1)

    x = np.linspace(-last, last, 1 + 2 * last * max(1, 600 // (2 * last)))
    sums, wave = at(x), (each[pair] * np.exp(1j * x * encoding.frequencies[pair])).real
    before = sums[:, pair - 1] if pair else np.zeros_like(x)
    here, most = float(at([offset])[0, pair]), float(np.abs(sums).max())
    least = min(sums.min(), -np.abs(each).max())
    pen.axes((-last - 0.5, last + 0.5), eighths(least, sums.max(), most))
    added = [(f"{pair}", style.PAIR)]
    if pair:
        others = f"0 to {pair - 1}" if pair > 1 else "0"
        added = [(others, style.SOFT), "+", *added, "=", (f"0 to {pair}", style.KEY)]
    pen.unit("↑ q · k: pairs", *added)
    pen.rule("y", 0, style.RULE, 0.8)
    pen.change(x, before, sums[:, pair], lw=3.2)
    pen.curve(x, wave, color=style.PAIR, lw=1.4)  # of pair 0 both are seen
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
    """Draw the scores of many random queries and keys against the offset:
    their mean, and where 8 of 10 lie.
    """
    seq_len, dims = encoding.seq_len, 2 * len(encoding.frequencies)
    near, far = (min(at, seq_len - 1) for at in (1, FAR))
    turn = encoding.attention_factor**2 * freqs_cis(seq_len, dims, inv_freq=encoding.frequencies)
    q, other = np.random.default_rng(0).normal(size=(2, DRAWS, dims)).view(complex)
    k = correlation * q + math.sqrt(1 - correlation**2) * other
    scores = ((q.conj() * k) @ turn.T).real  # the score is Re Σ q̄ k e^{iΔθ}
    mean, ends = scores.mean(axis=0), np.sort(scores, axis=0)[[DRAWS // 10, -DRAWS // 10 - 1]]
    whole = encoding.attention_factor**2 * dims
    spread = encoding.attention_factor**2 * math.sqrt(dims)
    # for every correlation: it is what moves
    pen.axes((0, max(seq_len - 1, 1)), (-3.2 * spread, whole + 2.4 * spread))
    pen.unit("↑ score:", ("mean", style.KEY), "and, pale, where 8 of 10 lie")
    pen.band(np.arange(seq_len), *ends)
    pen.curve(mean)
    for away, ha in {near: "left", far: "center"}.items():
        pen.mark([(away, mean[away])], size=9)
        pen.label(f"{away} away: {number(mean[away], 2)}", (away, mean[away]), (0, 15), ha=ha)
    wins = 100 * (scores[:, far] > scores[:, near]).mean()
    beats = f"{far} away beats {near} away in {wins:.0f} % of draws"
    pen.title(beats)
    told = f"mean score {number(mean[near])} at offset {near}, {number(mean[far])} at {far}"
    return f"{DRAWS} random queries and keys of correlation {number(correlation)}: {told}; {beats}."


ADDED = {"needs": "rotate query_and_key", "ignores": "pairing", "quantity": "similarity"}


@view("cells", "If added instead", **PAIRS, **ADDED)
def additive_scores(pen, encoding, causal=CAUSAL, query=None):
    """Color the scores of a rotary encoding's query and key with positions added instead,
    less their mean.
    """
    theta = encoding.frequencies
    turned = freqs_cis(encoding.seq_len, 2 * len(theta), inv_freq=theta)
    waves = np.stack([turned.imag, turned.real], axis=-1).reshape(encoding.seq_len, -1)
    q, k = encoding.query_and_key()
    # nothing is added where nothing turns
    table = np.pad(waves, ((0, 0), (0, len(q) - waves.shape[1])))
    scores = (q + table) @ (k + table).T
    text = all_pairs(pen, masked(scores, causal=causal), "dot products", query, less=scores.mean())
    pen.unit("↓ query;", ("added", style.OTHER), "− mean")
    return f"Sinusoidal positions added to the same query and key instead. {text}"


PLANE = {"x": "first dim", "y": "second dim of the pair"}


@view("plane", "Query and key", **PLANE, needs="rotate query_and_key", ignores="seq_len")
def vectors(pen, encoding, query=QUERY, offset=OFFSET, pair=PAIR):
    """Draw a query and a key before and after the turn, and the angle between them."""
    pairs, dims = len(encoding.frequencies), encoding.pair_dims(pair)
    before = encoding.query_and_key()
    queries, keys = encoding.queries_and_keys(np.array([query, query + offset]))
    after = np.stack([queries[0][dims], keys[1][dims]])
    every = np.stack(encoding.pair_dims(np.arange(pairs)))
    longest = float(np.linalg.norm(before[:, every], axis=1).max())
    start, last = np.arctan2(after[:, 1], after[:, 0]).tolist()
    angle, end = math.remainder(last - start, 2 * math.pi), 1.4 * style.tight_bound(longest)
    pen.axes((-end, end), (-end, end))
    radius = 0.42 * np.linalg.norm(after, axis=1).min()
    wedge(pen, (0, 0), radius, start, angle, named=abs(angle) > 0.6)  # else there is no room
    names = (f"query at {query}", f"key at {query + offset}".replace("-", "−"))
    for k, color in enumerate((style.QUERY, style.KEY)):
        pen.circle(radius=float(np.linalg.norm(before[k, dims])))
        pen.strokes([[(0, 0), before[k, dims]]], color=color, lw=1.4, linestyle=":")
        pen.arrow((0, 0), after[k], color)
        out = after[k] / max(np.linalg.norm(after[k]), 1e-9)
        # to the side where the other arrow is not, as far as the name reaches
        aside = np.array([-out[1], out[0]]) * (2 * k - 1) * (1 if angle > 0 else -1)
        reach = style.text_width(names[k], style.WORDS, "bold") / 2, 7
        move = (np.abs(aside) @ reach + 9) * aside
        pen.label(names[k], after[k], tuple(move.round(1)), color=color)
        turns = ("query", "offset")[k]
        pen.hands.append((turns, [(0, 0), after[k]], float(encoding.frequencies[pair])))
    degrees, part = f"{abs(math.degrees(angle)):.0f}°", number(after[0] @ after[1])
    title = f"Pair {pair} of {pairs} adds {part}"
    if pairs == 1:
        title = f"At {degrees}, q · k = {part}"
    pen.title(title)
    return (
        f"Pair {pair}: {names[0]} and {names[1]} are {degrees} apart; "
        f"their dot product is {part} in this pair."
    )
